"""Bad input through PyOpenCL: each mistake gets its error, and the next call still works."""
import os
import sys
import warnings

import numpy as np
import pyopencl as cl

GOOD = "kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }"
WILD = "kernel void wild(global int *x, uint at) { x[at + get_global_id(0)] = 1; }"


def works(context, queue):
    """A build, a launch and a copy succeed."""
    x = np.arange(100, dtype=np.int32)
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=x)
    cl.Program(context, GOOD).build().twice(queue, x.shape, None, buffer)
    result = np.empty_like(x)
    cl.enqueue_copy(queue, result, buffer)
    return np.array_equal(result, 2 * x)


def error_of(action):
    try:
        action()
    except (cl.Error, MemoryError) as error:
        return str(error)
    return "no error"


def no_compiler(context):
    os.environ["VENTUS_CLANG"] = "/nonexistent/clang-19"
    try:
        return error_of(lambda: cl.Program(context, GOOD + "// another text").build())
    finally:
        del os.environ["VENTUS_CLANG"]


def wild_store(context, queue):
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4096)
    program = cl.Program(context, WILD).build()

    def launch():
        program.wild(queue, (32,), (32,), buffer, np.uint32(0x3f000000)).wait()

    return error_of(launch)


def main():
    warnings.simplefilter("ignore")
    context = cl.create_some_context(interactive=False)
    queue = cl.CommandQueue(context)
    device = context.devices[0]
    cases = [
        ("syntax error", "<source>:1", lambda: error_of(cl.Program(context, "kernel void f(").build)),
        ("unknown build option", "INVALID_BUILD_OPTIONS",
         lambda: error_of(lambda: cl.Program(context, GOOD).build(["-cl-no-such-option"]))),
        ("unknown kernel", "INVALID_KERNEL_NAME", lambda: error_of(lambda: cl.Kernel(cl.Program(context, GOOD).build(), "none"))),
        ("buffer too large", "INVALID_BUFFER_SIZE",
         lambda: error_of(lambda: cl.Buffer(context, cl.mem_flags.READ_WRITE, device.global_mem_size * 2))),
        ("no clang-19", "clang-19", lambda: no_compiler(context)),
        ("store out of bounds", "EXEC_STATUS_ERROR", lambda: wild_store(context, queue)),
    ]
    failed = 0
    for name, expected, action in cases:
        text = action()
        told, usable = expected in text, works(context, queue)
        print(f"{name}: {'reported' if told else 'NOT REPORTED: ' + text}, then {'usable' if usable else 'BROKEN'}")
        failed += not (told and usable)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
