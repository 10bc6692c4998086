"""A kernel that fails is an exception of PyOpenCL, whichever call comes next: never zeros and exit code 0."""
import os
import sys
import warnings

import numpy as np
import pyopencl as cl
import pyopencl.array

os.environ["VENTUS_TIMEOUT"] = "0.3"
STRAY = "kernel void bad(global int *x) { x[get_global_id(0) + 2000] = 1; }"
ENDLESS = "kernel void bad(global int *x) { while (x[0] == 0) x[1]++; }"
GOOD = "kernel void good(global int *x) { x[get_global_id(0)] = 7; }"


def raises(action):
    """An exception that is none of those after which PyOpenCL tries again."""
    try:
        action()
    except cl.MemoryError:
        return False
    except cl.Error as error:
        return error.code == cl.status_code.EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
    return False


class Case:
    def __init__(self, context, source):
        self.queue = cl.CommandQueue(context)
        self.array = cl.array.zeros(self.queue, 64, np.int32)
        self.host = np.zeros(64, np.int32)
        self.queue.finish()
        self.event = cl.Program(context, source).build().bad(self.queue, (64,), None, self.array.data)

    def copy(self):
        cl.enqueue_copy(self.queue, self.host, self.array.data)

    def upload(self):
        cl.enqueue_copy(self.queue, self.array.data, self.host)

    def copy_later(self):
        cl.enqueue_copy(self.queue, self.host, self.array.data, is_blocking=False).wait()

    def map(self):
        cl.enqueue_map_buffer(self.queue, self.array.data, cl.map_flags.READ, 0, (64,), np.int32)

    def calls(self):
        return {"finish": self.queue.finish, "enqueue_copy to the host": self.copy, "enqueue_copy to the device": self.upload,
                "enqueue_copy, not blocking, and wait": self.copy_later, "enqueue_map_buffer": self.map,
                "array.get": self.array.get, "sum of an array": lambda: cl.array.sum(self.array).get(), "event.wait": self.event.wait}

    def goes_on(self, good):
        """With a status asked for, and a kernel that does not fail."""
        if self.event.command_execution_status != cl.status_code.OUT_OF_RESOURCES:
            return False
        good(self.queue, (64,), None, self.array.data)
        self.queue.finish()
        return (self.array.get() == 7).all()


def main():
    warnings.simplefilter("ignore")
    context = cl.create_some_context(interactive=False)
    good, failed = cl.Program(context, GOOD).build().good, 0
    for what, source in ("stray", STRAY), ("endless", ENDLESS):
        for name in Case(context, source).calls():
            case = Case(context, source)
            ok = raises(case.calls()[name]) and raises(case.queue.finish) and raises(case.copy) and case.goes_on(good)
            failed += not ok
            print("ok  " if ok else "FAIL", what, name)
    return 1 if failed else 0


sys.exit(main())
