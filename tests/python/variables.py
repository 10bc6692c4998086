"""Variables of a program keep what they hold while other programs run, and begin anew with the next build."""
import numpy as np
import pyopencl as cl

SOURCE = """global int total = START; global int far[3000];
kernel void add(global int *out, int x) { total += x; far[2999] += total; out[0] = total; out[1] = far[2999]; }"""

context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
queue = cl.CommandQueue(context)
out = cl.Buffer(context, cl.mem_flags.READ_WRITE, 8)


def build(start):
    program = cl.Program(context, SOURCE).build(options=["-cl-std=CL3.0", f"-DSTART={start}"])
    size = cl.program_build_info.GLOBAL_VARIABLE_TOTAL_SIZE
    assert program.get_build_info(context.devices[0], size) == 4 * 3001
    return program.add


def add(kernel, x):
    kernel(queue, (1,), (1,), out, np.int32(x))
    values = np.empty(2, np.int32)
    cl.enqueue_copy(queue, values, out)
    return values.tolist()


assert context.devices[0].max_global_variable_size == 64 << 20
a, b = build(10), build(-5)
assert add(a, 1) == [11, 11]
assert add(b, 1) == [-4, -4]
assert add(a, 2) == [13, 24]
assert add(b, 2) == [-2, -6]
again = build(10)
assert add(again, 5) == [15, 15]
del again
assert add(a, 0) == [13, 37]
