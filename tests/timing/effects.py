#!/usr/bin/env python3
"""Every parameter of the cycle model decides something: with another value some recorded launch, or a matrix instruction,
takes other cycles in one of the configurations. effects.py VENTUS CASES, CASES a folder with the launches of
tests/timing/cases, a word a line; prints the parameters without an effect, and fails if there are any.

Not tried are `kernels` and `request_cycles`, which are about the time between launches (overlap_test.c), and
`fault_l2_mixes`, which was read in the RTL and shows in the cycles of no recording."""
import re, subprocess, sys
from pathlib import Path

ventus, cases = sys.argv[1], Path(sys.argv[2])
NOT_TRIED = "kernels", "request_cycles", "fault_l2_mixes"
LAUNCHES = """L4_vlw_scatter_w8 rtl-matadd-1w16t__matadd_0 gpgpu-adv-gaussian__Fan1_0 poly-8w4t gcd-8w4t L4_mix_all_w4 L4_vfdiv_w4 L4_l2_reuse_w1
              L4_vlw_private_w4 L4_straight200_w8 L4_vsw_unit_w8 L4_random_w8 L4_vsw_scatter_w4""".split()
LOCAL = "L4_lds_wr_stride4_w4 L4_lds_rd_stride8_w1 L4_lds_random_w8".split() # fail where local memory is not at address 0
ODD = {"lds_base": (0x80000000, 0x90000000), "fault_decoder": (0, 1)} # values to try in place of the least and the most
PROGRAM = """        .kernel k
k:      csrr    t0, CSR_KNL
        fmv.w.x t2, t0
        addi    t3, t2, 1
        vftta.vv v1, v2, v3
        vftta.vv v4, v2, v3
        vadd.vv v1, v1, v2
        ret
"""

def run(command):
    done = subprocess.run([ventus, "run", *command, "--timing", "tried.timing"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return re.findall(r"^\S+: (\d+) cycles$", done.stdout, re.M)

rows = [line.split("\t") for line in (cases / "cycles.tsv").read_text().splitlines()]
def options(names): return [part for name in names for _, launch, m, d, _ in rows if launch == name
                            for part in ("--case", f"{cases / m}.metadata:{cases / d}.data")]
Path("effects.s").write_text(PROGRAM)
subprocess.run([ventus, "as", "effects.s", "-o", "effects.elf"], check=True)

SETS = (options(LAUNCHES), options(LOCAL), ["effects.elf", "-g", "4", "--lanes", "4"]) # most show their effect in the first

def cycles(text):
    """One set after another, as far as somebody asks."""
    for launches in SETS:
        Path("tried.timing").write_text(text)
        yield run(launches)

table = re.findall(r"^PARAMETER\((\w+), *(\w+), *(\w+),", (cases / "parameters.def").read_text(), re.M)
before = {base: list(cycles(f"base = {base}\n")) for base in ("verilog", "chisel", "large")}
if any(len(b[0]) < len(LAUNCHES) for b in before.values()): sys.exit("effects: a launch does not run")
without = []
for name, least, most in table:
    if name in NOT_TRIED: continue
    values = ODD.get(name, (int(most, 0), int(least, 0)))
    if not any(tried != known for base in before for value in values
               for tried, known in zip(cycles(f"base = {base}\n{name} = {value}\n"), before[base])): without.append(name)
for name in without: print(f"{name} has no effect")
print(len(table), "parameters")
sys.exit(bool(without) or len(table) < 50)
