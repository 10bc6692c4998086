"""Debian's PyOpenCL on the device: a vector add, a reduction with local memory, and the array module.

Uses its ordinary interface only. Prints what it checks; exits with 1 on the first difference.
"""
import sys
import warnings

import numpy as np
import pyopencl as cl
import pyopencl.array

SOURCE = """
kernel void add(global const float *a, global const float *b, global float *c)
{
    int i = get_global_id(0);
    c[i] = a[i] + b[i];
}

kernel void reduce(global const int *a, uint n, local int *scratch, global int *parts)
{
    uint l = get_local_id(0);
    int sum = 0;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) sum += a[i];
    scratch[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = get_local_size(0) / 2; step; step /= 2) {
        if (l < step) scratch[l] += scratch[l + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (!l) parts[get_group_id(0)] = scratch[0];
}
"""


def check(what, ok):
    print(f"{what}: {'correct' if ok else 'WRONG'}")
    if not ok:
        sys.exit(1)


def vector_add(context, queue, program):
    rng = np.random.default_rng(1)
    a = rng.random(5000, dtype=np.float32)
    b = rng.random(5000, dtype=np.float32)
    read = cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR
    da = cl.Buffer(context, read, hostbuf=a)
    db = cl.Buffer(context, read, hostbuf=b)
    dc = cl.Buffer(context, cl.mem_flags.WRITE_ONLY, a.nbytes)
    event = program.add(queue, a.shape, None, da, db, dc)
    event.wait()
    c = np.empty_like(a)
    cl.enqueue_copy(queue, c, dc)
    check("vector add", np.array_equal(c, a + b))
    check("event times", event.profile.queued <= event.profile.start <= event.profile.end)


def reduction(context, queue, program):
    a = np.arange(10007, dtype=np.int32) * 3 - 9000
    groups, size = 4, 64
    da = cl.Buffer(context, cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR, hostbuf=a)
    parts = np.zeros(groups, dtype=np.int32)
    dp = cl.Buffer(context, cl.mem_flags.WRITE_ONLY, parts.nbytes)
    program.reduce(queue, (groups * size,), (size,), da, np.uint32(a.size), cl.LocalMemory(4 * size), dp)
    cl.enqueue_copy(queue, parts, dp)
    check("reduction", int(parts.sum()) == int(a.sum()))


def arrays(queue):
    a = cl.array.to_device(queue, np.linspace(0, 1, 1000, dtype=np.float32))
    b = cl.array.to_device(queue, np.full(1000, 0.25, dtype=np.float32))
    check("array a + b", np.array_equal((a + b).get(), a.get() + b.get()))
    n = cl.array.arange(queue, 3000, dtype=np.int32)
    check("array sum", int(cl.array.sum(n).get()) == 3000 * 2999 // 2)


def bad_program(context):
    try:
        cl.Program(context, "kernel void f(global int *o) { o[0] = ; }").build()
    except cl.RuntimeError as error:
        check("build log names the error", "expected expression" in str(error))
    else:
        check("a syntax error is refused", False)


def main():
    warnings.simplefilter("ignore")
    context = cl.create_some_context(interactive=False)
    print("device:", context.devices[0].name)
    queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    program = cl.Program(context, SOURCE).build()
    vector_add(context, queue, program)
    reduction(context, queue, program)
    arrays(queue)
    bad_program(context)


if __name__ == "__main__":
    main()
