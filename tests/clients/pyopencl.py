# packages: python3-pyopencl python3-numpy python3-mako
# checks: arrays, their arithmetic, random numbers, reductions, scans and sorting of PyOpenCL, against NumPy
"""PyOpenCL's own tests are in no package of Debian, so that these are ours: what its users call, on what it generates."""
import numpy as np
import pyopencl as cl
import pyopencl.algorithm
import pyopencl.array as cl_array
import pyopencl.clmath as clmath
import pyopencl.clrandom as clrandom
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.reduction import ReductionKernel
from pyopencl.scan import GenericScanKernel, InclusiveScanKernel

COUNT = 3001
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
random = np.random.default_rng(1)


def numbers(dtype):
    """Numbers of a type, none of them 0."""
    if np.issubdtype(dtype, np.integer):
        return random.integers(1, 100, COUNT).astype(dtype)
    values = random.uniform(0.5, 2, COUNT)
    return (values + 1j * random.uniform(-1, 1, COUNT) if np.issubdtype(dtype, np.complexfloating) else values).astype(dtype)


def same(have, want):
    have = have.get() if isinstance(have, cl_array.Array) else have
    np.testing.assert_allclose(have, want, rtol=1e-12 if np.asarray(want).dtype in (np.float64, np.complex128) else 1e-5)


def arithmetic(dtype):
    a, b = numbers(dtype), numbers(dtype)
    x, y = cl_array.to_device(queue, a), cl_array.to_device(queue, b)
    same(x + y, a + b)
    same(x - 3 * y, a - dtype(3) * b)
    same(x * y, a * b)
    if not np.issubdtype(dtype, np.integer):
        same(x / y, a / b)
    same(x[5:1000], a[5:1000])
    same(cl_array.dot(x, y), np.dot(a, b))


def functions():
    for dtype in [np.float32, np.float64]:
        a = numbers(dtype)
        x = cl_array.to_device(queue, a)
        for name in ["sin", "cos", "tan", "exp", "log", "sqrt", "floor", "tanh", "atan"]:
            want = getattr(np, {"atan": "arctan"}.get(name, name))(a)
            np.testing.assert_allclose(getattr(clmath, name)(x).get(), want, rtol=4e-6 if dtype == np.float32 else 4e-15)


def reductions():
    a = numbers(np.int32)
    x = cl_array.to_device(queue, a)
    same(cl_array.sum(x), a.sum())
    same(cl_array.max(x), a.max())
    same(cl_array.min(x), a.min())
    squares = ReductionKernel(context, np.int64, neutral="0", reduce_expr="a + b", map_expr="(long)x[i] * x[i]",
                              arguments="__global int *x")
    same(squares(x), (a.astype(np.int64) ** 2).sum())
    scaled = cl_array.empty_like(x)
    ElementwiseKernel(context, "int k, int *x, int *z", "z[i] = k * x[i] + i")(7, x, scaled)
    same(scaled, 7 * a + np.arange(COUNT, dtype=np.int32))


def scans():
    a = numbers(np.int32)
    x = cl_array.to_device(queue, a)
    InclusiveScanKernel(context, np.int32, "a + b", neutral="0")(x)
    same(x, np.cumsum(a, dtype=np.int32))
    y = cl_array.to_device(queue, a)
    chosen, count, _ = pyopencl.algorithm.copy_if(y, "ary[i] > 50")
    same(chosen[:int(count.get())], a[a > 50])
    largest = cl_array.empty_like(y)
    GenericScanKernel(context, np.int32, arguments="__global int *x, __global int *z", input_expr="x[i]",
                      scan_expr="max(a, b)", neutral="INT_MIN", output_statement="z[i] = item;")(y, largest)
    same(largest, np.maximum.accumulate(a))


def sorting():
    a = numbers(np.int32)
    sort = pyopencl.algorithm.RadixSort(context, "int *ary", key_expr="ary[i]", sort_arg_names=["ary"], key_dtype=np.int32)
    (out,), _ = sort(cl_array.to_device(queue, a), key_bits=8)
    same(out, np.sort(a))


def randomness():
    x = clrandom.PhiloxGenerator(context).uniform(queue, 50000, np.float32).get()
    assert 0 <= x.min() and x.max() <= 1 and abs(x.mean() - 0.5) < 0.01 and abs(x.var() - 1 / 12) < 0.01


def images():
    picture = random.integers(0, 256, (37, 53, 4)).astype(np.uint8)
    image = cl.image_from_array(context, picture, 4)
    have = np.empty_like(picture)
    cl.enqueue_copy(queue, have, image, origin=(0, 0), region=(53, 37))
    assert (have == picture).all()


tests = [functions, reductions, scans, sorting, randomness, images]
for each in [np.int16, np.uint32, np.int64, np.float32, np.float64, np.complex64]:
    arithmetic(each)
for test in tests:
    print(test.__name__, flush=True)
    test()
print(f"arithmetic of 6 types, {', '.join(test.__name__ for test in tests)}")
