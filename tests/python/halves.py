"""Halves against the host's, bit by bit: arithmetic, comparisons, conversions, and functions within their limits.

All 65536 of them go through every operation with one operand, and each is once either operand of the others. Conversions
to halves are of every half, the middles between neighbours and what is next to those. With the argument `instructions`: what is
no function of the library alone. Exits with 1 if anything differs.
"""
import sys

import numpy as np
import pyopencl as cl

from shared.compare import compare
from shared.device import Device

HALVES = np.arange(65536, dtype=np.uint16).view(np.float16)
ENABLE = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
INTEGERS = {"char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32, "uint": np.uint32,
            "long": np.int64, "ulong": np.uint64}
MODES = {"": np.trunc, "_rte": np.rint, "_rtz": np.trunc, "_rtp": np.ceil, "_rtn": np.floor}  # of integers


def pairs(rng):
    """Three columns in which every half stands; the third is often near the product of the others, with the opposite sign."""
    a, b, c = HALVES, rng.permutation(HALVES), rng.permutation(HALVES)
    edges = np.array([0, 1, 0x3FF, 0x400, 0x3BFF, 0x3C00, 0x3C01, 0x7BFF, 0x7C00, 0x7E00], np.uint16)
    edges = np.concatenate([edges, edges | 0x8000]).view(np.float16)
    first, second = (column.ravel() for column in np.meshgrid(edges, edges))
    a, b, c = np.concatenate([a, first[:384]]), np.concatenate([b, second[:384]]), np.concatenate([c, edges.repeat(20)[:384]])
    c[::3] = -(a * b)[::3]
    c[1::3] = np.nextafter(-(a * b)[1::3], np.float16(1))
    # Sums beside the middle of two halves, by less than a float of that size can say.
    scale = np.exp2(rng.integers(-14, 3, 4096))
    size = rng.choice([-1, 1], 4096) * scale
    beside = (1 + 2.0**-10) * size, np.full(4096, 1 - 2.0**-10), rng.choice([-1, 1], 4096) * (2048 + 2 * rng.integers(0, 1024, 4096)) * scale
    return tuple(np.concatenate([x, y.astype(np.float16)]) for x, y in zip((a, b, c), beside))


def fma(a, b, c):
    """The product of halves is exact in a double; the sum is rounded to odd there."""
    product, c = a.astype(np.float64) * b.astype(np.float64), c.astype(np.float64)
    total = product + c
    back = total - product
    lost = (product - (total - back)) + (c - back)
    even = (total.view(np.int64) & 1) == 0
    odd = np.nextafter(total, np.where(lost > 0, np.inf, -np.inf))
    return np.where((lost != 0) & np.isfinite(lost) & even, odd, total).astype(np.float16)


def check_arithmetic(device, a, b, c):
    wide = a.astype(np.float64), b.astype(np.float64)
    bits = (a < b) * 1 + (a <= b) * 2 + (a == b) * 4 + (a != b) * 8 + (a > b) * 16 + (a >= b) * 32 + (np.isnan(a) | np.isnan(b)) * 64
    want = {
        "x + y": a + b, "x - y": a - b, "x * y": a * b, "x / y": (wide[0] / wide[1]).astype(np.float16), "fma(x, y, z)": fma(a, b, c),
        "sqrt(x)": np.sqrt(wide[0]).astype(np.float16), "-x": -a, "fabs(x)": np.abs(a), "copysign(x, y)": np.copysign(a, b),
        "floor(x)": np.floor(a), "ceil(x)": np.ceil(a), "trunc(x)": np.trunc(a), "rint(x)": np.rint(a),
        "fmod(x, y)": np.fmod(a, b),
        # Of two zeros the function may return either.
        "fmin(x, y) + 0": np.fmin(a, b) + 0, "fmax(x, y) + 0": np.fmax(a, b) + 0, "nextafter(x, y) + 0": np.nextafter(a, b) + 0,
        "(x < y) + (x <= y) * 2 + (x == y) * 4 + (x != y) * 8 + (x > y) * 16 + (x >= y) * 32 + isunordered(x, y) * 64": bits.astype(np.float16),
    }
    text = ENABLE + "kernel void k(global const half *a, global const half *b, global const half *c, global half *o) {"
    text += f" size_t i = get_global_id(0); half x = a[i], y = b[i], z = c[i]; o += i * {len(want)};"
    program = device.build(text + "".join(f" *o++ = {e};" for e in want) + " }")
    got = device.run(program.k, len(a), np.zeros((len(a), len(want)), np.float16), a, b, c)
    return [compare(e, np.ascontiguousarray(got[:, i]), w, a, b, c) for i, (e, w) in enumerate(want.items())]


FUNCTIONS = {
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh,
    "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh, "exp": np.exp, "exp2": np.exp2,
    "expm1": np.expm1, "log": np.log, "log2": np.log2, "log10": np.log10, "log1p": np.log1p, "cbrt": np.cbrt,
    "rsqrt": lambda x: 1 / np.sqrt(x), "degrees": np.degrees, "radians": np.radians,
}


def check_functions(device):
    """Of all halves, as vectors of 4: to the last place but one, and to the bit where they are zero or not finite."""
    text = "".join(f"kernel void k_{f}(global const half *x, global half *o) {{ size_t i = get_global_id(0);"
                   f" vstore4({f}(vload4(i, x)), i, o); }}" for f in FUNCTIONS)
    program, results = device.build(ENABLE + text), []
    for name, function in FUNCTIONS.items():
        want = function(HALVES.astype(np.float64)).astype(np.float16)
        got = device.run(getattr(program, "k_" + name), 16384, np.zeros(65536, np.float16), HALVES)
        beside = (got != 0) & (want != 0) & (np.abs(got.view(np.int16).astype(int) - want.view(np.int16)) <= 1)
        results.append(compare(name, np.where(beside, want, got), want, HALVES))
    return results


def check_to_integer(device, name, dtype):
    info, results = np.iinfo(dtype), []
    text = "".join(f"kernel void k{m}(global const half *x, global {name} *o) {{ size_t i = get_global_id(0);"
                   f" o += 4 * i; x += 4 * i; o[0] = convert_{name}_sat{m}(x[0]); vstore3(convert_{name}3_sat{m}(vload3(0, x + 1)), 0, o + 1);"
                   f" if (fabs(x[0]) < (half){min(info.max, 65504)} && x[0] > (half){max(info.min, -65504) - (info.min < 0)})"
                   f" o[0] = convert_{name}{m}(x[0]); }}" for m in MODES)
    program = device.build(ENABLE + text)
    for mode, whole in MODES.items():
        x = whole(np.where(np.isnan(HALVES), 0, HALVES).astype(np.float64))
        inside = np.clip(np.clip(x, -65504, 65504), info.min, info.max).astype(np.int64)
        want = np.where(x >= float(info.max), info.max, np.where(x <= info.min, info.min, inside.astype(dtype)))
        got = device.run(getattr(program, "k" + mode), 16384, np.zeros(65536, dtype), HALVES)
        results.append(compare(f"convert_{name}_sat{mode}", got, want.astype(dtype), HALVES))
    return results


def rounded(x, mode):
    """Numbers as halves; integers are exact as doubles, or far beyond all halves."""
    wide = x.astype(np.float64)
    near = wide.astype(np.float16)
    up, down = near < wide, near > wide
    if mode in ("_rtp", "_rtz"):
        near = np.where(up & ((mode == "_rtp") | (wide < 0)), np.nextafter(near, np.float16(np.inf)), near)
    if mode in ("_rtn", "_rtz"):
        near = np.where(down & ((mode == "_rtn") | (wide > 0)), np.nextafter(near, np.float16(-np.inf)), near)
    return near


def check_to_half(device, name, x):
    x = np.concatenate([x, x[: -len(x) % 4]])
    text = "".join(f"kernel void k{m}(global const {name} *x, global half *o) {{ size_t i = get_global_id(0); o += 4 * i; x += 4 * i;"
                   f" o[0] = convert_half{m}(x[0]); vstore3(convert_half3{m}(vload3(0, x + 1)), 0, o + 1); }}" for m in MODES)
    text += f"kernel void cast(global const {name} *x, global half *o) {{ size_t i = get_global_id(0); o[i] = x[i]; }}"
    program = device.build(ENABLE + text)
    results = [compare(f"convert_half{m} of {name}", device.run(getattr(program, "k" + m), len(x) // 4, np.zeros(len(x), np.float16), x),
                       rounded(x, m), x) for m in MODES]
    got = device.run(program.cast, len(x), np.zeros(len(x), np.float16), x)
    return results + [compare(f"(half) of {name}", got, rounded(x, ""), x)]


IMAGES = """
kernel void read(read_only image2d_t im, global half4 *o) { int2 at = {get_global_id(0) & 127, get_global_id(0) >> 7};
    o[get_global_id(0)] = read_imageh(im, at); }
kernel void sample(read_only image2d_t im, global half4 *o) { float2 at = {get_global_id(0) & 127, get_global_id(0) >> 7};
    const sampler_t s = CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    o[get_global_id(0)] = read_imageh(im, s, at + 0.5f); }
kernel void write(write_only image2d_t im, global const half4 *x) { int2 at = {get_global_id(0) & 127, get_global_id(0) >> 7};
    write_imageh(im, at, x[get_global_id(0)]); }
"""


def check_images(device):
    """An image of all halves, and one of steps that become halves."""
    program, flags, size = device.build(ENABLE + IMAGES), cl.mem_flags, (128, 128)
    image = cl.Image(device.context, 0, cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.HALF_FLOAT), size)
    numbers = cl.Buffer(device.context, flags.COPY_HOST_PTR, hostbuf=HALVES)
    program.write(device.queue, (16384,), None, image, numbers)
    stored, read, sampled = (np.zeros(65536, np.float16) for _ in range(3))
    cl.enqueue_copy(device.queue, stored, image, origin=(0, 0), region=size)
    results = [compare("write_imageh", stored, HALVES, HALVES)]
    steps = np.arange(65536, dtype=np.uint32).astype(np.uint8)
    for name, type_, data, want in (("half", cl.channel_type.HALF_FLOAT, HALVES, HALVES),
                                    ("unorm", cl.channel_type.UNORM_INT8, steps, (steps * np.float32(1 / 255)).astype(np.float16))):
        image = cl.Image(device.context, flags.COPY_HOST_PTR, cl.ImageFormat(cl.channel_order.RGBA, type_), size, hostbuf=data)
        for kernel, out in ((program.read, read), (program.sample, sampled)):
            kernel(device.queue, (16384,), None, image, numbers)
            cl.enqueue_copy(device.queue, out, numbers)
            results.append(compare(f"read_imageh of {name}", out, want, data))
    return results


def integers(dtype, rng):
    info = np.iinfo(dtype)
    near = {(2**e + k) * s for e in range(64) for k in (-33, -32, -17, -16, -1, 0, 1, 15, 16, 17) for s in (1, -1)}
    near |= {65519, 65520, -65519, -65520}
    x = np.array([v for v in sorted(near) if info.min <= v <= info.max] + [info.min, info.max], dtype)
    return np.concatenate([x, rng.integers(max(info.min, -70000), min(info.max, 70000), 1000, dtype)])


def reals(dtype):
    """All halves, the middles between neighbours, and the numbers next to these."""
    exact = HALVES.astype(dtype)
    magnitude = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float64)
    following = np.append(magnitude[1:], 65536.0)
    middle = ((magnitude + following) / 2).astype(dtype)
    around = [np.nextafter(v, dtype(t)) for v in (middle, magnitude.astype(dtype)) for t in (-np.inf, np.inf)]
    more = np.concatenate([middle, *around, np.array([1e5, 3e38, 2.0**-126, 2.0**-140], dtype)])
    return np.concatenate([exact, more, -more])


def main():
    np.seterr(all="ignore")
    device, rng = Device(), np.random.default_rng(12)
    good = check_arithmetic(device, *pairs(rng))
    if sys.argv[1:] == ["instructions"]:
        good += check_to_half(device, "float", reals(np.float32))
        sys.exit(not all(good))
    good += check_functions(device)
    good += check_images(device)
    for name, dtype in INTEGERS.items():
        good += check_to_integer(device, name, dtype)
        good += check_to_half(device, name, integers(dtype, rng))
    good += check_to_half(device, "float", reals(np.float32))
    good += check_to_half(device, "double", reals(np.float64)[::9])
    sys.exit(not all(good))


main()
