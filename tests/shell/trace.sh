# Compact traces made by hand, of the format that docs/run.md explains: what each kind of record prints, and what
# is said about each that is wrong.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
printf 'nop\nendprg\n' >real.s
check 0 '' "$ventus" as real.s -o real.elf
check 0 '' "$ventus" run real.elf -g 1 --trace-binary real
/usr/bin/python3 - "$ventus" <<'P' || status=1
import struct, subprocess, sys

def words(*values): return b"".join(struct.pack("<I", v) for v in values)
def header(version=1 | 16 << 16, profile=0): return b"VTRC" + words(version, profile, 0)
def launch(warps=2, threads=4): return b"\x01" + words(0x80000000, 0x90001000, 1, 1, 1) + bytes([warps, threads])
def warp(wgid=0, wid=0): return b"\x02" + words(wgid) + bytes([wid])
PC, WORDS, MASK, SCALAR, VECTOR, MEMORY, WIDE = 1, 2, 4, 8, 16, 32, 64
def insn(flags, *rest): return bytes([0x80 | flags]) + b"".join(rest)

with open("real", "rb") as f: profile = struct.unpack_from("<I", f.read(), 8)[0]

NOP, ADDI = b"\x01" + words(0x13), b"\x01" + words(0x00100293)  # addi t0, zero, 1
place = insn(PC | WORDS | MASK, words(0x80000000), NOP, words(15))
good = [
    ("an empty trace", b"", "# 0 instructions\n"),
    ("a launch", launch(), "# launch: 1x1x1 work-groups, 2 warps of 4 threads, start 0x80000000, metadata 0x90001000\n# 0 instructions\n"),
    ("a place", launch() + warp(3, 1) + place, "3\t1\t80000000\t0000000f\taddi zero, zero, 0\t\n# 1 instructions\n"),
    ("the next one", launch() + warp() + place + insn(WORDS | SCALAR, ADDI, b"\x05", words(1)), "80000004\t0000000f\taddi t0, zero, 1\tt0 = 1\n"),
    ("a known one", launch() + warp() + place + insn(PC | MASK, words(0x80000000), words(1)), "80000000\t00000001\taddi zero, zero, 0\t\n# 2 instr"),
    ("the most lanes", launch(64, 32), "64 warps of 32 threads"),
    ("the highest scalar register", launch() + warp() + insn(PC | WORDS | MASK | SCALAR, words(0), ADDI, words(1), b"\x3f", words(7)), "x63 = 7\n"),
    ("the highest vector register", launch() + warp() + insn(PC | WORDS | MASK | VECTOR, words(0), NOP, words(3), b"\xff\x00", words(7)), "v255 = 7 7\n"),
    ("steps from a lane on", launch() + warp() + insn(PC | WORDS | MASK | VECTOR, words(0), NOP, words(6), b"\x02\x01", words(7, 2)), "v2 = - 7 9\n"),
    ("lanes of its own", launch() + warp() + insn(PC | WORDS | MASK | VECTOR, words(0), NOP, words(15), b"\x02\x06", words(5, 7, 8)), "v2 = 7 - 8\n"),
    ("a store", launch() + warp() + insn(PC | WORDS | MASK | MEMORY, words(0), NOP, words(3), b"\x11\x01", words(16, 4), b"\x00", words(255)),
     "store 8 at 10 14 = ff ff\n"),
    ("a high address", launch() + warp() + insn(PC | WORDS | MASK | MEMORY, words(0), NOP, words(1), b"\x84\x00", words(16), b"\x00", words(2)),
     "load 32 at 10 high 2\n"),
]
bad = [
    ("another version", header(2 | 16 << 16), "a trace of version 2; this program reads version 1"),
    ("another header", header(1 | 17 << 16), "a trace of version 1"),
    ("another instruction set", header(profile=0x4000), "byte 16: unknown instruction set"),
    ("another record", header(profile=profile) + b"\x03", "byte 17: unknown kind of record"),
]
head = header(profile=profile)
bad += [(what, head + rest, message) for what, rest, message in [
    ("no warps", launch(0, 4), "a launch without warps or threads"),
    ("no threads", launch(2, 0), "a launch without warps or threads"),
    ("too many threads", launch(2, 33), "a launch without warps or threads"),
    ("a warp without a launch", warp(), "a warp that the launch does not have"),
    ("a warp too many", launch(2) + warp(0, 2), "a warp that the launch does not have"),
    ("no place at first", launch() + warp() + insn(WORDS, NOP), "an instruction before its place"),
    ("no place in the next warp", launch() + warp() + place + warp(0, 1) + insn(WORDS, NOP), "an instruction before its place"),
    ("no place in the next launch", launch() + warp() + place + launch() + insn(WORDS, NOP), "an instruction before its place"),
    ("a place without its mask", launch() + warp() + insn(PC | WORDS, words(0), NOP), "an instruction before its place"),
    ("no words", launch() + warp() + insn(PC | MASK, words(0), words(1)), "an instruction without its word"),
    ("zero words", launch() + warp() + insn(PC | WORDS | MASK, words(0), b"\x00"), "an instruction of no known length"),
    ("four words", launch() + warp() + insn(PC | WORDS | MASK, words(0), b"\x04", words(1, 2, 3, 4)), "an instruction of no known length"),
    ("too many accesses", launch() + warp() + insn(PC | WORDS | MASK | WIDE, words(0), NOP, words(1), b"\x01\xff"), "more registers or accesses"),
    ("registers behind the scalar ones", launch() + warp() + insn(PC | WORDS | MASK | SCALAR, words(0), NOP, words(1), b"\x40", words(1)), "more registers or accesses"),
    ("registers behind the vector ones", launch() + warp() + insn(PC | WORDS | MASK | VECTOR | WIDE, words(0), NOP, words(1), b"\x02\x01\xff"), "more registers or accesses"),
    ("another form of lanes", launch() + warp() + insn(PC | WORDS | MASK | VECTOR, words(0), NOP, words(1), b"\x02\x03"), "unknown form of lane values"),
    ("an unknown bit of a form", launch() + warp() + insn(PC | WORDS | MASK | VECTOR, words(0), NOP, words(1), b"\x02\x08"), "unknown form of lane values"),
]]

failed = 0
for code, cases in (0, [(what, head + rest, text) for what, rest, text in good]), (1, bad):
    for what, content, text in cases:
        with open("t", "wb") as f: f.write(content)
        r = subprocess.run([sys.argv[1], "trace", "t"], capture_output=True, text=True)
        if r.returncode != code or text not in r.stdout + r.stderr:
            failed += 1
            print(f"FAILED: {what}: exit code {r.returncode}, no {text!r} in:\n{r.stdout}{r.stderr}")
sys.exit(failed > 0)
P
exit $status
