"""Programs for examples/rtl out of the instruction table: rows.py SOURCES OUT

Writes OUT/has.s, in which every row of the table that the design has occurs several times, with random registers and operands
that are often edge values; OUT/in, its data; and OUT/lacks, a word a line of every other row of the groups that it has
instructions of. Rows are divided here by their kinds, units and names alone, so that a row which is new in these groups is
expected in the design unless LACKS names it.
"""
import random
import re
import struct
import sys

sources, out = sys.argv[1:]
GROUPS = "rv32i rv32m zfinx ventus ventus_mem vector_int vector_fp vector_mem".split()
LACKS = re.compile(r"fence\.i|vsadd|vssub|vm(n?and|x?n?or)|vsub12|v[ls]s?e(8|16|32)|v[ls][uo]xei(8|16)")
EDGES = [0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f7fffff, 0x00800000, 0x007fffff, 0x4f000000,
         0xcf000001, 0x40490fdb, 0x3effffff, 0, 1, 2, 31, 32, 0x7f, 0x80, 0xff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffff0]
random.seed(1)


def rows():
    pattern = re.compile(r'INSN\(\w+,\s*"([^"]+)",\s*"([^"]+)",\s*"([^"]*)",\s*(\w+),\s*\w+,\s*[^,]+,\s*([^,]+),')
    for group in GROUPS:
        for line in open(f"{sources}/isa/{group}.def"):
            m = pattern.match(line)
            if m and ("BASE" in m[5] or "R20" in m[5]) and "64" not in m[1]:
                yield m.groups()[:4]


x = lambda: "x%d" % random.choice(range(12, 32))
v = lambda: "v%d" % random.choice([*range(16), *range(40, 56)])
word = lambda: random.choice(EDGES) if random.random() < 0.6 else random.getrandbits(32)
VALUE = {"d": x, "s": x, "t": x, "r": x, "D": v, "S": v, "T": v, "i": lambda: random.randrange(-2048, 2048),
         "u": lambda: random.randrange(4096), "k": lambda: random.choice([random.randrange(-16, 16), random.randrange(-1024, 1024)]),
         "z": lambda: random.randrange(32), "h": lambda: random.randrange(32), "U": lambda: random.randrange(1 << 20)}


# Scalar conversions to integers truncate as often as not.
def arithmetic(name, operands):
    plain = re.sub(",[mo]$", "", operands)
    text = re.sub("[dstrDSTiukzhU](?!0)", lambda m: str(VALUE[m[0]]()), plain)
    if name.startswith("fcvt.w"):
        text += random.choice(["", ", rtz"])
    return [f"{name} {text}" + (", v0.t" if operands.endswith("m") and random.random() < 0.5 else "")]


# Lanes' addresses are in v60 (in), v61 (out), offsets in private memory in v62, offsets for indices in v63.
def memory(name, kind):
    size = {"b": 1, "h": 2, "w": 4}[re.sub("^v?[ls]", "", name)[0]] if "xei" not in name else 4
    offset = random.randrange(-128 // size, 128 // size) * size
    store = kind.endswith("STORE")
    if kind[0] == "X":
        return [f"{name} {x()}, {offset}({'x11' if store else 'x10'})"]
    if kind[0] == "I":
        return [f"{name} {v()}, ({'x11' if store else 'x10'}), v63" + random.choice(["", ", v0.t"])]
    if kind[0] == "P":
        return [f"{name} {v()}, {abs(offset)}(v62)"]
    return [f"{name} {v()}, {offset}({'v61' if store else 'v60'})"]


count = 0


def branch(name, kind):
    global count
    count += 1
    n = count
    if kind == "BRANCH":
        return [f"{name} {x()}, {x()}, skip{n}", f"addi {x()}, x12, 1", f"skip{n}:"]
    return [f"at{n}: auipc x9, %pcrel_hi(meet{n})", f"setrpc x0, x9, %pcrel_lo(at{n})", f"{name} {v()}, {v()}, else{n}",
            f"vadd.vi {v()}, v1, 1", f"j meet{n}", f"else{n}: vadd.vi {v()}, v1, 2", f"meet{n}: join"]


def statement(name, operands, kind):
    if kind in ("BRANCH", "VBRANCH"):
        return branch(name, kind)
    if kind.endswith(("LOAD", "STORE")):
        return memory(name, kind)
    if kind in ("X", "V", "VV", "VX", "VI", "V1I", "V2X"):
        return arithmetic(name, operands)
    return []  # jumps, fences, prefixes, barriers: in every program


lines, lacks = [], []
for name, bits, operands, kind in rows():
    if LACKS.match(name):
        lacks.append("%08x" % int(re.sub("[^01]", "0", bits[:6]) + "1" + re.sub("[^01]", "0", bits[7:]), 2))
    else:
        lines += [statement(name, operands.replace("v0", "!0"), kind) for _ in range(12)]
random.shuffle(lines)

with open(f"{out}/has.s", "w") as f:
    f.write(".kernel has\n.arg global, in\n.arg global, out\nhas:\n    lw x11, 4(a0)\n    lw x10, 0(a0)\n")
    f.write("    vid.v v63\n    vsll.vi v63, v63, 3\n    vadd.vx v60, v63, x10\n    vadd.vx v61, v63, x11\n    vmv.v.i v62, 0\n")
    f.write("    addi x9, x10, 512\n    vadd.vx v59, v63, x9\n")
    for r in [*range(16), *range(40, 56)]:
        f.write(f"    vlw12.v v{r}, 0(v59)\n    vadd12.vi v59, v59, 256\n")
    f.write("    addi x10, x10, 1024\n    addi x11, x11, 1024\n    vadd12.vi v60, v60, 1024\n    vadd12.vi v61, v61, 1024\n")
    for r in range(12, 32):
        f.write(f"    li x{r}, {word()}\n")
    for statements in lines:
        f.write("".join("    " + s.replace("!0", "v0") + "\n" for s in statements))
    f.write("    ret\n")
with open(f"{out}/in", "wb") as f:
    f.write(b"".join(struct.pack("<I", word()) for _ in range(8192)))
with open(f"{out}/lacks", "w") as f:
    f.write("\n".join(lacks) + "\n")
