"""Integer built-in functions against exact arithmetic: every type and vector width, over edge values and random ones.

Also the conversions of integers to float with each rounding mode. Prints one line a type; exits with 1 if anything
differs, with the first differences of each function.
"""
import random
import sys
import warnings
from fractions import Fraction

import numpy as np

from shared.device import Device

COUNT = 960  # elements of a launch, divisible by all vector widths
WIDTHS = ["", "2", "3", "4", "8", "16"]
TYPES = {"char": 8, "uchar": 8, "short": 16, "ushort": 16, "int": 32, "uint": 32, "long": 64, "ulong": 64}
NUMPY = {"char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32, "uint": np.uint32,
         "long": np.int64, "ulong": np.uint64}


class Type:
    """An integer type: its range, and how any number wraps or is bounded into it."""

    def __init__(self, name):
        self.name, self.bits, self.signed = name, TYPES[name], name[0] != "u"
        self.low = -(1 << self.bits - 1) if self.signed else 0
        self.high = (1 << self.bits - self.signed) - 1

    def wrap(self, x):
        x &= (1 << self.bits) - 1
        return x - (1 << self.bits) if x > self.high else x

    def bound(self, x):
        return max(self.low, min(self.high, x))

    def edges(self):
        half = 1 << self.bits // 2
        near = [0, 1, 2, 3, -1, -2, -5, self.low, self.low + 1, self.high, self.high - 1, self.high // 2, half - 1, half, 0x55]
        return sorted({self.wrap(x) for x in near})


def functions(t):
    """name: (operands, exact result as a function of the operands)"""
    mask = (1 << t.bits) - 1
    unsigned = lambda x: x & mask

    def rotate(x, n):
        n %= t.bits
        return unsigned(x) << n | unsigned(x) >> (t.bits - n)

    table = {
        "add_sat": (2, lambda a, b: t.bound(a + b)),
        "sub_sat": (2, lambda a, b: t.bound(a - b)),
        "mad_sat": (3, lambda a, b, c: t.bound(a * b + c)),
        "mad_hi": (3, lambda a, b, c: (a * b >> t.bits) + c),
        "mul_hi": (2, lambda a, b: a * b >> t.bits),
        "hadd": (2, lambda a, b: a + b >> 1),
        "rhadd": (2, lambda a, b: a + b + 1 >> 1),
        "abs_diff": (2, lambda a, b: abs(a - b)),
        "abs": (1, abs),
        "min": (2, min),
        "max": (2, max),
        "clamp": (3, lambda x, a, b: min(max(x, min(a, b)), max(a, b))),
        "clz": (1, lambda x: t.bits - unsigned(x).bit_length()),
        "ctz": (1, lambda x: (x & -x).bit_length() - 1 if x else t.bits),
        "popcount": (1, lambda x: bin(unsigned(x)).count("1")),
        "rotate": (2, rotate),
        "bitselect": (3, lambda a, b, c: (a & ~c) | (b & c)),
        "op_add": (2, lambda a, b: a + b),
        "op_sub": (2, lambda a, b: a - b),
        "op_mul": (2, lambda a, b: a * b),
        "op_div": (2, lambda a, b: quotient(a, b)),
        "op_rem": (2, lambda a, b: a - b * quotient(a, b) if b else 0),
        "op_shl": (2, lambda a, b: unsigned(a) << (b & t.bits - 1)),
        "op_shr": (2, lambda a, b: a >> (b & t.bits - 1)),
        "op_less": (2, lambda a, b: a < b),
        "op_shl5": (1, lambda a: unsigned(a) << 5),
        "op_shr6": (1, lambda a: a >> 6),
        "op_high": (1, lambda a: a >> t.bits // 2),
        "op_div10": (1, lambda a: quotient(a, 10)),
        "op_rem7": (1, lambda a: a - 7 * quotient(a, 7)),
    }
    if t.bits == 32:
        table["mul24"] = (2, lambda a, b: within24(t, a) * within24(t, b))
        table["mad24"] = (3, lambda a, b, c: within24(t, a) * within24(t, b) + c)
    return table


def within24(t, x):
    return x >> 8  # as the source passes it


def quotient(a, b):
    if b == 0:
        return 0
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


# Expressions in place of a function of the same name, over a, b, c of type T; S is a scalar of it.
EXPRESSIONS = {
    "clamp": "clamp(a, min(b, c), max(b, c))",
    "op_add": "a + b", "op_sub": "a - b", "op_mul": "a * b",
    "op_div": "b == (T)(S)0 ? (T)(S)0 : a / (b == (T)(S)0 ? (T)(S)1 : b)",
    "op_rem": "b == (T)(S)0 ? (T)(S)0 : a % (b == (T)(S)0 ? (T)(S)1 : b)",
    "op_shl": "a << (b & (T)(S)MASK)", "op_shr": "a >> (b & (T)(S)MASK)", "op_less": "(a < b) & (T)(S)1",
    "op_shl5": "a << (T)(S)5", "op_shr6": "a >> (T)(S)6", "op_high": "a >> (T)(S)HALF",
    "op_div10": "a / (T)(S)10", "op_rem7": "a % (T)(S)7",
    "abs": "as_RESULT(abs(a))", "abs_diff": "as_RESULT(abs_diff(a, b))",
    "mul24": "mul24(a >> 8, b >> 8)", "mad24": "mad24(a >> 8, b >> 8, c)",
}
# A vector's comparison gives -1 and chooses by the sign.
VECTOR_ONLY = {"op_less": "convert_RESULT(a < b) & (T)(S)1"}


def load(name, width):
    return f"vload{width}(i, {name})" if width else f"{name}[i]"


def kernel(t, width, name, operands):
    full = t.name + width
    text = VECTOR_ONLY.get(name, EXPRESSIONS.get(name)) if width else EXPRESSIONS.get(name)
    if text is None:
        text = f"{name}({', '.join('abc'[:operands])})"
    for word, value in (("RESULT", full), ("(T)", f"({full})"), ("(S)", f"({t.name})"), ("MASK", str(t.bits - 1)), ("HALF", str(t.bits // 2))):
        text = text.replace(word, value)
    store = f"vstore{width}({text}, i, out);" if width else f"out[i] = {text};"
    return (f"kernel void k_{name}{width}(global const {t.name} *x, global const {t.name} *y, global const {t.name} *z, global {t.name} *out)\n"
            f"{{ uint i = get_global_id(0); {full} a = {load('x', width)}, b = {load('y', width)}, c = {load('z', width)}; {store} }}\n")


def operands(t):
    rng = random.Random(t.name)
    edges = t.edges()
    pairs = [(a, b) for a in edges for b in edges]
    rows = [(a, b, rng.choice(edges)) for a, b in pairs]
    while len(rows) < COUNT:
        rows.append(tuple(rng.choice(edges) if rng.random() < 0.5 else t.wrap(rng.getrandbits(t.bits) >> rng.randrange(t.bits)) for _ in range(3)))
    return rows[:COUNT]


def to_float(x, mode):
    """x as the bits of the float that rounding gives."""
    if x == 0:
        return np.float32(0)
    magnitude = abs(x)
    lost = max(magnitude.bit_length() - 24, 0)
    down = magnitude >> lost
    rest = Fraction(magnitude, 1 << lost) - down
    away = {"rtz": False, "rtp": x > 0, "rtn": x < 0}.get(mode, rest > Fraction(1, 2) or (rest == Fraction(1, 2) and down & 1))
    down += bool(rest and away)
    return np.float32(float(down) * 2.0**lost * (1 if x > 0 else -1))


def differences(what, got, want, rows):
    bad = [i for i in range(len(want)) if got[i] != want[i]]
    for i in bad[:3]:
        print(f"  {what}{rows[i]}: {got[i]}, must be {want[i]}")
    return len(bad)


def check_functions(device, t, rows, columns):
    table = functions(t)
    chosen = {name: ["", WIDTHS[1 + k % 5]] for k, name in enumerate(table)}
    program = device.build("".join(kernel(t, w, name, table[name][0]) for name, ws in chosen.items() for w in ws), "-cl-std=CL3.0")
    wrong = 0
    for name, (n, exact) in table.items():
        want = [t.wrap(int(exact(*row[:n]))) for row in rows]
        for width in chosen[name]:
            out = np.zeros(COUNT, NUMPY[t.name])
            device.run(getattr(program, f"k_{name}{width}"), COUNT // int(width or 1), out, *columns)
            wrong += differences(f"{t.name}{width} {name}", out.tolist(), want, [row[:n] for row in rows])
    return wrong


def check_conversions(device, t, rows, columns):
    modes = ["", "_rte", "_rtz", "_rtp", "_rtn"]
    source = ""
    for k, mode in enumerate(modes):
        for width in ("", WIDTHS[1 + k]):
            store = f"vstore{width}" if width else "*"
            value = f"convert_float{width}{mode}({load('x', width)})"
            store = f"vstore{width}({value}, i, out)" if width else f"out[i] = {value}"
            source += f"kernel void k{mode}{width}(global const {t.name} *x, global float *out) {{ uint i = get_global_id(0); {store}; }}\n"
    program, wrong = device.build(source, "-cl-std=CL3.0"), 0
    for k, mode in enumerate(modes):
        want = [float(to_float(row[0], mode[1:])) for row in rows]
        for width in ("", WIDTHS[1 + k]):
            out = device.run(getattr(program, f"k{mode}{width}"), COUNT // int(width or 1), np.zeros(COUNT, np.float32), columns[0])
            wrong += differences(f"convert_float{width}{mode} of {t.name}", out.tolist(), want, [row[:1] for row in rows])
    return wrong


def main():
    warnings.simplefilter("ignore")
    device, failed = Device(), False
    for name in TYPES:
        t = Type(name)
        rows = operands(t)
        columns = [np.array([row[k] for row in rows], NUMPY[name]) for k in range(3)]
        wrong = check_functions(device, t, rows, columns) + check_conversions(device, t, rows, columns)
        print(f"{name}: {'correct' if not wrong else f'{wrong} WRONG'}")
        failed |= wrong > 0
    sys.exit(failed)


main()
