"""Builds two programs and runs their kernels on two queues, one after the other."""
import numpy
import pyopencl as cl

context = cl.create_some_context(interactive=False)
first, second = cl.CommandQueue(context), cl.CommandQueue(context)
flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
buffer = cl.Buffer(context, flags, hostbuf=numpy.arange(64, dtype=numpy.int32))
cl.Program(context, """
kernel void twice(global int *a)
{
    int i = get_global_id(0);
    a[i] *= 2;
}
""").build().twice(first, (64,), (32,), buffer)
first.finish()
cl.Program(context, """
kernel void plus(global int *a, int n)
{
    int i = get_global_id(0);
    a[i] += n;
}
""").build().plus(second, (64,), (32,), buffer, numpy.int32(5))
result = numpy.empty(64, dtype=numpy.int32)
cl.enqueue_copy(second, result, buffer)
print("sum", result.sum(), flush=True)
