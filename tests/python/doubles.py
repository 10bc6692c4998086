"""Arithmetic, comparisons and conversions of doubles against the host's, bit by bit.

Over pairs of edge values (zeros, subnormals, infinities, NaN, the ends of the integer types) and random ones: of all bit
patterns, near one another, and subnormal. bench/ulp measures the functions. Exits with 1 if anything differs.
"""
import ctypes
import math
import sys
from fractions import Fraction

import numpy as np

from shared.compare import compare
from shared.device import Device

FMA = ctypes.CDLL("libm.so.6").fma
FMA.restype, FMA.argtypes = ctypes.c_double, [ctypes.c_double] * 3
EDGE_BITS = [0, 1, 2, 0x000FFFFFFFFFFFFF, 0x0010000000000000, 0x0010000000000001, 0x001FFFFFFFFFFFFF, 0x3690000000000000,
             0x3690000000000001, 0x36A0000000000000, 0x380FFFFFC0000000, 0x3CA0000000000000, 0x3FDFFFFFFFFFFFFF, 0x3FE0000000000000,
             0x3FEFFFFFFFFFFFFF, 0x3FF0000000000000, 0x3FF0000000000001, 0x3FF8000000000000, 0x4008000000000000, 0x41DFFFFFFFE00000,
             0x41E0000000000000, 0x41EFFFFFFFE00000, 0x4330000000000001, 0x4340000000000000, 0x43DFFFFFFFFFFFFF, 0x43E0000000000000,
             0x43F0000000000000, 0x47EFFFFFEFFFFFFF, 0x47EFFFFFF0000000, 0x7FE0000000000000, 0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000,
             0x7FF8000000000000]
INTEGERS = {"char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32, "uint": np.uint32,
            "long": np.int64, "ulong": np.uint64}


def operands(rng, n):
    """Three columns of doubles; the third is often near the product of the others, with the opposite sign."""
    edges = np.array(EDGE_BITS, np.uint64)
    edges = np.concatenate([edges, edges | np.uint64(1 << 63)])
    a, b = (column.ravel() for column in np.meshgrid(edges, edges))
    near = rng.integers(1023 - 60, 1023 + 60, (4, n)).astype(np.uint64) << np.uint64(52)
    low = rng.integers(0, 60, (3, n)).astype(np.uint64) << np.uint64(52)
    mantissas = rng.integers(0, 2**52, (7, n), dtype=np.uint64)
    mantissas[:, ::3] &= np.uint64(0xFFF0000000000)
    mixed = np.concatenate([near, low]) | mantissas | rng.integers(0, 2, (7, n), dtype=np.uint64) << np.uint64(63)
    every = rng.integers(0, 2**64, (2, n), dtype=np.uint64)
    a = np.concatenate([a, every[0], mixed[0], mixed[1], mixed[4]]).view(np.float64)
    b = np.concatenate([b, every[1], mixed[2], mixed[5], mixed[6]]).view(np.float64)
    size = len(a) // 64 * 64
    a, b = a[:size], b[:size]
    c = np.roll(a, 17)
    c[::3] = -(a * b)[::3]
    c[1::3] = np.nextafter(-(a * b)[1::3], 1)
    return a, b, c


def check_arithmetic(device, a, b, c):
    exact = lambda f: np.array([f(*row) for row in zip(a.tolist(), b.tolist(), c.tolist())])  # noqa: E731
    bits = (a < b) * 1 + (a <= b) * 2 + (a == b) * 4 + (a != b) * 8 + (a > b) * 16 + (a >= b) * 32 + (np.isnan(a) | np.isnan(b)) * 64
    want = {
        "x + y": a + b, "x - y": a - b, "x * y": a * b, "x / y": a / b, "sqrt(x)": np.sqrt(a), "fma(x, y, z)": exact(FMA),
        "floor(x)": np.floor(a), "ceil(x)": np.ceil(a), "trunc(x)": np.trunc(a), "rint(x)": np.rint(a), "-x": -a,
        "fabs(x)": np.abs(a), "copysign(x, y)": np.copysign(a, b), "(double)(float)x": a.astype(np.float32).astype(np.float64),
        "(x < y) + (x <= y) * 2 + (x == y) * 4 + (x != y) * 8 + (x > y) * 16 + (x >= y) * 32 + isunordered(x, y) * 64": bits.astype(np.float64),
    }
    text = "kernel void k(global const double *a, global const double *b, global const double *c, global double *o) { size_t i = get_global_id(0);"
    text += f" double x = a[i], y = b[i], z = c[i]; o += i * {len(want)};"
    program = device.build(text + "".join(f" *o++ = {e};" for e in want) + " }")
    got = device.run(program.k, len(a), np.zeros((len(a), len(want))), a, b, c)
    return [compare(e, np.ascontiguousarray(got[:, i]), w, a, b, c) for i, (e, w) in enumerate(want.items())]


def rounded(x, mode):
    """A fraction as an integer."""
    if mode in ("rtz", ""):
        return math.trunc(x)
    return {"rtn": math.floor, "rtp": math.ceil, "rte": round}[mode](x)


def check_to_integer(device, name, dtype, x):
    info, results = np.iinfo(dtype), []
    modes = ["", "rte", "rtz", "rtp", "rtn"]
    text = "".join(f"kernel void k{m}(global const double *x, global {name} *o) {{ size_t i = get_global_id(0); o[i] ="
                   f" convert_{name}_sat{m and '_' + m}(x[i]); }}" for m in modes)
    program = device.build(text)
    for mode in modes:
        want = [0 if math.isnan(v) else info.max if v == math.inf else info.min if v == -math.inf else
                min(max(rounded(Fraction(v), mode), info.min), info.max) for v in x.tolist()]
        got = device.run(getattr(program, "k" + mode), len(x), np.zeros(len(x), dtype), x)
        results.append(compare(f"convert_{name}_sat {mode}", got, np.array(want, dtype), x))
    return results


def exactly(x, mode):
    """An integer as a double."""
    bits = max(abs(x).bit_length() - 53, 0)
    low = abs(x) >> bits << bits
    up = {"rtz": False, "rtp": x > 0, "rtn": x < 0}[mode] and low != abs(x)
    return math.copysign(float(low + (up << bits)), x)


def check_from_integer(device, name, dtype, rng):
    info = np.iinfo(dtype)
    edges = [v for s in range(64) for k in (-2049, -2048, -1025, -1, 0, 1, 1023, 1025) for v in (2**s + k, -(2**s) - k)]
    x = np.array([v for v in edges if info.min <= v <= info.max] + [info.min, info.max], dtype)
    x = np.concatenate([x, rng.integers(info.min, info.max, 200, dtype, endpoint=True)])
    modes = {"": float, "_rtz": lambda v: exactly(v, "rtz"), "_rtp": lambda v: exactly(v, "rtp"), "_rtn": lambda v: exactly(v, "rtn")}
    text = "".join(f"kernel void k{m}(global const {name} *x, global double *o) {{ size_t i = get_global_id(0); o[i] ="
                   f" convert_double{m}(x[i]); }}" for m in modes)
    program = device.build(text)
    return [compare(f"convert_double{m} of {name}", device.run(getattr(program, "k" + m), len(x), np.zeros(len(x)), x),
                    np.array([f(v) for v in x.tolist()]), x) for m, f in modes.items()]


def main():
    np.seterr(all="ignore")
    device, rng = Device(), np.random.default_rng(11)
    a, b, c = operands(rng, 1000)
    good = check_arithmetic(device, a, b, c)
    x = np.concatenate([a[::13], *(np.nextafter(2.0**s + k, t) for s in (7, 8, 15, 16, 31, 32, 63, 64) for k in (-1.5, -0.5, 0, 0.5)
                                   for t in ([-np.inf], [np.inf]))])
    x = np.concatenate([x, -x, np.arange(-40, 40) * 0.25])
    for name, dtype in INTEGERS.items():
        good += check_to_integer(device, name, dtype, x)
        good += check_from_integer(device, name, dtype, rng)
    sys.exit(not all(good))


main()
