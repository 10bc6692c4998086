"""Functions of floats against the host's double precision, within the limits of the full profile, subnormals included.

Over edge values (zeros, subnormals, infinities, NaN, the ends of each function's range) and random ones. Prints the
largest error of each function in units in the last place; exits with 1 if one is beyond its limit.
"""
import ctypes
import itertools
import math
import sys
import warnings

import numpy as np
import pyopencl as cl

from shared.device import Device

LIBM = ctypes.CDLL("libm.so.6")


def c(name, operands=1):
    """A function of the host's library; its errors are values here."""
    function = getattr(LIBM, name)
    function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double] * operands
    return function


# ---- what libm lacks ----


def sinpi(x):
    if not math.isfinite(x):
        return math.nan
    if x == math.floor(x):
        return math.copysign(0.0, x)
    r = math.fmod(abs(x), 2.0)
    sign = math.copysign(1, x) * (-1 if r > 1 else 1)
    r = r - 1 if r > 1 else r
    r = min(r, 1 - r)
    return sign * (math.sin(math.pi * r) if r < 0.25 else math.cos(math.pi * (0.5 - r)))


def cospi(x):
    if not math.isfinite(x):
        return math.nan
    r = math.fmod(abs(x), 2.0)
    return abs(sinpi(r + 0.5)) if r in (0.5, 1.5) else sinpi(r + 0.5)


def tanpi(x):
    if not math.isfinite(x):
        return math.nan
    odd = math.fmod(math.floor(x), 2.0) != 0
    if x == math.floor(x):
        return math.copysign(0.0, -x if odd else x)
    return sinpi(x) / cospi(x) if cospi(x) else (-math.inf if odd else math.inf)


def rsqrt(x):
    return math.copysign(math.inf, x) if x == 0 else math.nan if not x > 0 else 1 / math.sqrt(x)


def rootn(x, n):
    if n == 0 or math.isnan(x) or (x < 0 and not n & 1):
        return math.nan
    if x == 0:
        size = 0.0 if n > 0 else math.inf
        return math.copysign(size, x) if n & 1 else size
    return math.copysign(c("pow", 2)(abs(x), 1.0 / n), x)


def ldexp(x, n):
    return c("pow", 2)(2.0, max(-900.0, min(900.0, n))) * x if x and math.isfinite(x) else x


def rounded(function):
    """The float next to the exact result: for functions that must be right to the last bit."""
    return lambda *operands: float(np.float32(function(*operands)))


ONE = {  # name: reference, limit
    "sin": (c("sin"), 4), "cos": (c("cos"), 4), "tan": (c("tan"), 5),
    "sinpi": (sinpi, 4), "cospi": (cospi, 4), "tanpi": (tanpi, 6),
    "exp": (c("exp"), 3), "exp2": (c("exp2"), 3), "exp10": (c("exp10"), 3), "expm1": (c("expm1"), 3),
    "log": (c("log"), 3), "log2": (c("log2"), 3), "log10": (c("log10"), 3), "log1p": (c("log1p"), 2),
    "sinh": (c("sinh"), 4), "cosh": (c("cosh"), 4), "tanh": (c("tanh"), 5),
    "asin": (c("asin"), 4), "acos": (c("acos"), 4), "atan": (c("atan"), 5),
    "asinh": (c("asinh"), 4), "acosh": (c("acosh"), 4), "atanh": (c("atanh"), 5),
    "cbrt": (c("cbrt"), 2), "sqrt": (c("sqrt"), 3), "rsqrt": (rsqrt, 2),
    "erf": (c("erf"), 16), "erfc": (c("erfc"), 16), "tgamma": (c("tgamma"), 16),
    "floor": (c("floor"), 0), "ceil": (c("ceil"), 0), "trunc": (c("trunc"), 0), "rint": (c("rint"), 0),
    "round": (c("round"), 0), "fabs": (c("fabs"), 0), "logb": (c("logb"), 0),
    "half_exp": (c("exp"), 8192), "half_exp2": (c("exp2"), 8192),
}
TWO = {
    "pow": (c("pow", 2), 16), "atan2": (c("atan2", 2), 6), "hypot": (c("hypot", 2), 4),
    "fmod": (c("fmod", 2), 0), "remainder": (c("remainder", 2), 0), "copysign": (c("copysign", 2), 0),
    "fdim": (rounded(c("fdim", 2)), 0),
}
WITH_INT = {"ldexp": (rounded(ldexp), 0), "rootn": (rootn, 16), "pown": (lambda x, n: c("pow", 2)(x, float(n)), 16)}

POSITIVE = [1e-45, 1.1e-44, 1e-40, 5.877e-39, 1.1754942e-38, 2.0**-126, 1.2e-38, 2.3e-38, 1e-30, 1e-20, 1e-10, 2.0**-24,
            0.1, 0.25, 0.5, 0.75, 0.9999999, 1, 1.0000001, 1.25, 1.5, 2, 2.5, 3, 3.5, 4, 5, 6.5, 9.1, 10, 34, 35.04, 36, 44,
            60, 80, 87, 88, 88.7, 89, 100, 103, 104, 120, 126, 126.5, 127, 128, 140, 149, 150, 1000, 4194303.5, 8388607.5,
            2.0**23, 2.0**24 - 1, 2.0**24, 1e10, 1e20, 3e38, 3.4028235e38]
EDGES = np.array([0.0, -0.0, math.inf, -math.inf, math.nan] + POSITIVE + [-x for x in POSITIVE], np.float32)
INTS = np.array([0, 1, -1, 2, -2, 3, -3, 7, 126, -126, 127, -127, 149, -149, -150, 253, -253, 276, 300, -300, 2**31 - 1, -(2**31)],
                np.int32)


def random_floats(rng, n):
    bits = rng.integers(0, 2**32, n, dtype=np.uint32).view(np.float32)
    return np.concatenate([bits, rng.uniform(-20, 20, n).astype(np.float32), rng.uniform(-150, 150, n).astype(np.float32)])


def error(got, want):
    """In units in the last place of a float; infinite where NaN, infinity or a zero's sign is wrong."""
    if math.isnan(want) or math.isnan(got):
        return 0 if math.isnan(want) and math.isnan(got) else math.inf
    if abs(want) >= 3.40282357e38:
        return 0 if got == math.copysign(math.inf, want) or (math.isfinite(want) and abs(got) > 3.402e38) else math.inf
    if math.isinf(got):
        return 1 if abs(want) > 3.4028e38 and got * want > 0 else math.inf
    if got == want == 0:
        return 0 if math.copysign(1, got) == math.copysign(1, want) else math.inf
    size = max(abs(want), 2.0**-126)
    return abs(got - want) / 2.0 ** (math.frexp(size)[1] - 24)


def source(name, types):
    """Four elements a work-item, one as a scalar and the rest as a vector of 3."""
    parameters = ", ".join(f"global const {t} *{n}" for t, n in zip(types, "xy"))
    scalar = ", ".join(f"{n}[4 * i]" for n in "xy"[: len(types)])
    vector = ", ".join(f"vload3(0, {n} + 4 * i + 1)" for n in "xy"[: len(types)])
    return (f"kernel void k_{name}({parameters}, global float *out) {{ uint i = get_global_id(0);"
            f" out[4 * i] = {name}({scalar}); vstore3({name}({vector}), 0, out + 4 * i + 1); }}\n")


def check(device, program, name, reference, limit, *operands):
    (got,) = device.run(getattr(program, f"k_{name}"), len(operands[0]) // 4, [np.zeros(len(operands[0]), np.float32)], *operands)
    rows = list(zip(*(o.tolist() for o in operands)))
    errors = [error(g, reference(*row)) for g, row in zip(got.tolist(), rows)]
    worst, bad = max(errors), [i for i, e in enumerate(errors) if e > limit]
    print(f"{name}: {worst:.3g} ulp, {'correct' if not bad else f'{len(bad)} WRONG'}")
    for i in bad[:4]:
        print(f"  {name}{rows[i]} = {got[i]}, must be {reference(*rows[i])}")
    return not bad


def check_quotients(device, x, y):
    """remquo: the rest, and the last three bits of the quotient with its sign."""
    text = ("kernel void k(global const float *x, global const float *y, global float *rest, global int *quotient) { uint i = 4 * get_global_id(0);"
            " for (uint k = i; k < i + 4; k++) { int q; rest[k] = remquo(x[k], y[k], &q); quotient[k] = q; } }")
    program = device.build(text)
    rest, quotient = device.run(program.k, len(x) // 4, [np.zeros(len(x), np.float32), np.zeros(len(x), np.int32)], x, y)
    function, q, wrong = LIBM.remquof, ctypes.c_int(), 0
    function.restype, function.argtypes = ctypes.c_float, [ctypes.c_float, ctypes.c_float, ctypes.POINTER(ctypes.c_int)]
    for i in range(len(x)):
        want = function(x[i], y[i], ctypes.byref(q))
        same = math.isnan(want) or (abs(int(quotient[i])) & 7 == abs(q.value) & 7 and int(quotient[i]) * q.value >= 0)
        wrong += error(float(rest[i]), want) > 0 or not same
    print(f"remquo: {'correct' if not wrong else f'{wrong} WRONG'}")
    return not wrong


def main():
    warnings.simplefilter("ignore")
    device, rng = Device(), np.random.default_rng(7)
    if not device.context.devices[0].single_fp_config & cl.device_fp_config.DENORM:
        sys.exit("the device does not report subnormals")
    x = np.concatenate([EDGES, random_floats(rng, 300)])
    x = x[: len(x) // 4 * 4]
    pairs = np.array(list(itertools.product(EDGES, EDGES)), np.float32)
    first, second = (np.concatenate([pairs[:, k], random_floats(rng, 300)]) for k in range(2))
    mixed = list(itertools.product(EDGES, INTS))
    base, exponent = np.array([m[0] for m in mixed], np.float32), np.array([m[1] for m in mixed], np.int32)
    first, second, base, exponent = (a[: len(a) // 4 * 4] for a in (first, second, base, exponent))
    text = "".join(source(n, ["float"]) for n in ONE) + "".join(source(n, ["float"] * 2) for n in TWO)
    text += "".join(source(n, ["float", "int"]) for n in WITH_INT)
    program = device.build(text)
    good = [check(device, program, name, *row, x) for name, row in ONE.items()]
    good += [check(device, program, name, *row, first, second) for name, row in TWO.items()]
    good += [check(device, program, name, *row, base, exponent) for name, row in WITH_INT.items()]
    good.append(check_quotients(device, first, second))
    sys.exit(not all(good))


main()
