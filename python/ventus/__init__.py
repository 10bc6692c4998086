"""The Ventus GPGPU from Python: compile and run kernels, count what they do, and look at profiles and timelines as numpy arrays.

    import numpy as np, ventus
    x = np.arange(64, dtype=np.int32)
    kernel = ventus.compile("kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }").kernel("twice")
    counters = kernel.launch(64, 32, [x])          # x is copied there and back
    p = ventus.profile(kernel, 64, 32, [x])        # p.lines, p.instructions, p.frame()

docs/python.md is the introduction. Errors are exceptions of the class ventus.Error with the text of the library or the command.
"""
from ._device import Buffer, Counters, Device, Fault, Info, Kernel, KernelError, Local, Module, compile, default, devices, local, open
from ._library import BuildError, Error, paths
from ._opencl import counters, range
from ._profile import Diff, Profile, diff, profile
from ._timeline import Timeline, timeline

__all__ = ["Buffer", "BuildError", "Counters", "Device", "Diff", "Error", "Fault", "Info", "Kernel", "KernelError", "Local", "Module",
           "Profile", "Timeline", "compile", "counters", "default", "devices", "diff", "local", "open", "paths", "profile", "range",
           "timeline"]
