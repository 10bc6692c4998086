"""A kernel on memory that is shared with the host (VENTUS_SVM=1), which writes it by pointers of its own."""
import numpy
import pyopencl as cl

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
program = cl.Program(context, """
kernel void shared(volatile global int *a)
{
    int i = get_global_id(0);
    a[i * 1024] += 1;
    a[i * 1024 + 1] = 9;
}
""").build()
a = cl.fsvm_empty(context, 64 * 1024, numpy.int32)
a[:] = numpy.arange(64 * 1024)
program.shared(queue, (64,), (32,), cl.SVM(a))
queue.finish()
print("sum", a[::1024].sum(), flush=True)
