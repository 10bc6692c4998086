"""For python/package: a launch and a profile where VENTUS_BACKEND names another device than the built-in machine."""
import os
import sys

import numpy as np

sys.path.insert(0, os.environ["VENTUS_SOURCE"] + "/python")
import ventus  # noqa: E402

x = np.arange(8, dtype=np.int32)
kernel = ventus.compile("kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }").kernel("twice")
kernel.launch(8, 8, [x])
try:
    ventus.profile(kernel, 8, 8, [x])
except ventus.Error as problem:
    print(x[5], problem)
