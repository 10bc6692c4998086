"""Extensions of the device for programs that use PyOpenCL: cl_ventus_counters and cl_ventus_range (opencl/cl_ventus.h). Nothing is
imported from it; its objects say where OpenCL has them (int_ptr)."""
import contextlib
import ctypes
import functools
from ctypes import c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p

from ._device import Counters
from ._library import COUNTERS, Error

# In the order of COUNTERS, then the cycles.
CODES = 0x4F09, 0x4F0A, 0x4F00, 0x4F01, 0x4F02, 0x4F03, 0x4F04, 0x4F0B, 0x4F05, 0x4F06, 0x4F07, 0x4F08, 0x4F0C
PROFILING_START, PROFILING_END = 0x1282, 0x1283
INVALID_VALUE, PROFILING_NOT_AVAILABLE = -30, -7
CONTEXT_DEVICES, DEVICE_PLATFORM = 0x1081, 0x1031


@functools.lru_cache(maxsize=None)
def loader():
    """OpenCL's loader, by which PyOpenCL's objects can be used whichever one it has: they carry their functions with them."""
    try:
        cl = ctypes.CDLL("libOpenCL.so.1")
    except OSError as problem:
        raise Error(f"OpenCL's loader is missing: {problem}") from None
    cl.clGetEventProfilingInfo.argtypes = [c_void_p, c_uint, c_size_t, c_void_p, c_void_p]
    cl.clGetContextInfo.argtypes = cl.clGetDeviceInfo.argtypes = [c_void_p, c_uint, c_size_t, c_void_p, c_void_p]
    cl.clGetExtensionFunctionAddressForPlatform.argtypes = [c_void_p, c_char_p]
    cl.clGetExtensionFunctionAddressForPlatform.restype = c_void_p
    return cl


def pointer_of(thing, what):
    try:
        return c_void_p(thing.int_ptr)
    except (AttributeError, TypeError):
        raise TypeError(f"{what} of PyOpenCL is wanted, not {type(thing).__name__}") from None


def query(event, code):
    value = c_uint64()
    status = loader().clGetEventProfilingInfo(event, code, 8, ctypes.byref(value), None)
    if status == INVALID_VALUE:
        raise Error("the event is of no Ventus device: it has no counters", status)
    if status == PROFILING_NOT_AVAILABLE:
        raise Error("the event has no counters: it must be of a kernel that has ended, and of a queue with profiling "
                    "(pyopencl.command_queue_properties.PROFILING_ENABLE)", status)
    if status:
        raise Error(f"the event has no counters: error {status} of clGetEventProfilingInfo", status)
    return value.value


def counters(event):
    """Counters of a kernel, by its event of PyOpenCL; waits for it. The queue must have been made with
    properties=pyopencl.command_queue_properties.PROFILING_ENABLE. Error: another device's event, or not of a kernel."""
    pointer = pointer_of(event, "an event")
    event.wait()
    values = [query(pointer, code) for code in CODES]
    return Counters(*values, query(pointer, PROFILING_END) - query(pointer, PROFILING_START))


# ---- ranges ----

def platform_of(context):
    device, platform = c_void_p(), c_void_p()
    cl = loader()
    size = c_size_t()
    if cl.clGetContextInfo(context, CONTEXT_DEVICES, 0, None, ctypes.byref(size)):
        raise Error("the context of the queue cannot be used")
    many = (c_void_p * (size.value // ctypes.sizeof(c_void_p)))()
    cl.clGetContextInfo(context, CONTEXT_DEVICES, size, many, None)
    device = c_void_p(many[0])
    cl.clGetDeviceInfo(device, DEVICE_PLATFORM, ctypes.sizeof(platform), ctypes.byref(platform), None)
    return platform


def functions_of(context):
    """Those that begin and end a range; None: the device has none."""
    platform = platform_of(context)
    addresses = [loader().clGetExtensionFunctionAddressForPlatform(platform, name) for name in (b"clBeginRangeVENTUS", b"clEndRangeVENTUS")]
    if not all(addresses):
        return None
    begin = ctypes.CFUNCTYPE(c_int, c_void_p, c_char_p)(addresses[0])
    end = ctypes.CFUNCTYPE(c_int, c_void_p)(addresses[1])
    return begin, end


@contextlib.contextmanager
def range(queue, name):
    """`with ventus.range(queue, "first pass"):` names what this thread does meanwhile, for timelines. `queue` is PyOpenCL's, or a context.
    Other devices, and processes without a timeline, do nothing. Ranges lie within one another."""
    if not isinstance(name, str):
        raise TypeError(f"the name of a range is a string, not {type(name).__name__}")
    context = pointer_of(getattr(queue, "context", queue), "a queue")
    functions = functions_of(context)
    if functions and functions[0](context, name.encode("utf-8", "replace")):
        raise Error("the range cannot begin")
    try:
        yield
    finally:
        if functions and functions[1](context):
            raise Error(f"the range {name!r} is not open: one within it has not been ended by this thread")
