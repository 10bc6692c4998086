"""Launches of a kernel between which the host puts back what it has changed."""
import numpy
import pyopencl as cl

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
program = cl.Program(context, """
kernel void again(global int *a)
{
    int i = get_global_id(0);
    a[i] += 1;
    a[i + 64] = i;
    a[i + 65] = i;
}
""").build()
a = cl.Buffer(context, cl.mem_flags.READ_WRITE, 1024)
for i in range(3):
    cl.enqueue_copy(queue, a, numpy.zeros(64, numpy.int32))
    program.again(queue, (64,), (32,), a)
queue.finish()
print("end", flush=True)
