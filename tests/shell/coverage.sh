# ventus run --coverage and ventus coverage: the counts of a program made for it, instruction by instruction; sums; pages; files that are none.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
cat >p.s <<'S'
        .text
        .globl _start
_start: li t0, -3
        addi t1, t0, 0
        addi x0, t1, 5
        vid.v v1
        vmslt.vi v0, v1, 0
        vadd.vi v2, v1, 1, v0.t
        vmv.v.i v3, 2
        la t2, meet
        setrpc x0, t2, 0
        vblt v1, v3, less
        vadd.vv v40, v1, v1
        j meet
less:   vadd.vv v2, v2, v1
meet:   join
        lui t3, 0x90000
        lw t4, 0(t3)
        nop
        add t5, t4, t4
        endprg
S
check 0 '' "$ventus" as p.s -o p.elf
check 0 '' "$ventus" run p.elf -g 8 --lanes 8 --coverage p.json
cat >counts.py <<'END'
import json, sys
all = json.load(open(sys.argv[1]))
assert all["version"] == 1 and all["profile"] == "default"
row = {r["name"]: r for r in all["instructions"]}
times = int(sys.argv[2])
def of(name, executed, **bins):
    r = row[name]
    found = {k.replace(".", "_"): v for k, v in r["bins"].items()}
    wanted = {k: v * times for k, v in bins.items()}
    assert (r["executed"], found) == (executed * times, wanted), (name, r["executed"], found, wanted)
of("vmv.v.i", 1, lanes_all=1, depth_flat=1, immediate_positive=1)
of("vid.v", 1, lanes_all=1, depth_flat=1)
of("vadd.vi", 1, lanes_all=1, mask_none=1, depth_flat=1, immediate_positive=1, hazard_raw=1, hazard_raw2=1)
of("vadd.vv", 2, lanes_adjacent=2, depth_one=2, registers_own=1, registers_high=1)
of("lw", 1, depth_flat=1, immediate_zero=1, hazard_raw=1)
of("add", 1, depth_flat=1, hazard_raw2=1, hazard_load_use=1)
assert row["addi"]["bins"]["registers.to_x0"] >= times and row["addi"]["bins"]["immediate.negative"] >= times
assert row["addi"]["bins"]["hazard.raw"] >= 2 * times
assert "vsub.vv" not in row
END
python3 counts.py p.json 1 || wrong 'the counts'

# Sums are counts of the same form; so is a series of recorded launches.
check 0 'vadd.vv' "$ventus" coverage --all p.json p.json p.json --json sum.json --page sum.html
python3 counts.py sum.json 3 || wrong 'the sum'
grep -q '  lanes.adjacent: 1 of [0-9]* (0.[0-9] %): several, but not all, side by side; executed without it:' out.txt || wrong "the table: $(head -30 out.txt)"
[ "$("$ventus" coverage --json - p.json | head -c 1)" = '{' ] || wrong 'the sum on standard output'
grep -q '<td class="had" title="vadd.vv depth.one: 6">' sum.html || wrong 'the page has no field of vadd.vv'
grep -q '<td class="never" title="slli immediate.negative: 0">' sum.html || wrong 'the page asks for a negative shift'
grep -q '<td class="never" title="add lanes.all: 0">' sum.html || wrong 'the page counts lanes of a scalar instruction'
check 0 'instructions of default: ' "$ventus" run p.elf -g 8 --lanes 8 --coverage -
check 0 '' "$ventus" run p.elf -g 8 --lanes 8 --coverage p.html
grep -q '<td class="never" title="add lanes.all: 0">' p.html || wrong 'the page of a run counts lanes of a scalar instruction'
grep -q '<tr class="no"><th>vsub.vv</th><td>0</td>' p.html || wrong 'the page of a run'
check 1 'No such file' "$ventus" run p.elf -g 8 --lanes 8 --coverage nowhere/p.json

[ "$("$ventus" coverage --page - p.json | tail -n 1)" = '</tbody></table></body></html>' ] || wrong 'the page on standard output'
check 2 'cannot both be standard output' "$ventus" coverage --page - --json - p.json

# In the second path of a branch its one entry is left on the stack: two of them are as many as a single branch has in its first path.
cat >nested.s <<'S'
        .text
        .globl _start
_start: vid.v v1
        vmv.v.i v3, 2
        vmv.v.i v4, 3
        la t2, meet
        setrpc x0, t2, 0
        vblt v1, v3, less
        la t2, inner
        setrpc x0, t2, 0
        vblt v1, v4, one
        vsub.vv v5, v1, v1
        j inner
one:    vxor.vv v5, v1, v1
inner:  join
        j meet
less:   vor.vv v5, v1, v1
meet:   join
        endprg
S
check 0 '' "$ventus" as nested.s -o nested.elf
for order in taken fallthrough; do
    check 0 '' "$ventus" run nested.elf -g 8 --lanes 8 --order $order --coverage nested.json
    for each in vsub.vv=nested vxor.vv=nested vor.vv=one endprg=flat; do
        grep -q "\"${each%=*}\".*\"depth.${each#*=}\": 1[,}]" nested.json || wrong "$order, ${each%=*}: $(grep "\"${each%=*}\"" nested.json)"
    done
done

# Two codes of one name: the table and the page of the run count both, as the sum does.
printf '%s\n' .text '.globl _start' '_start: lui t0, 0x70000' 'lui t1, 0x90000' 'li t2, 16' 'vmv.v.x v1, t0' 'cp_dma_bulk v1, t1, t2' \
    'cp_dma_bulk t0, t1, t2' 'cp_dma_bulk t0, t1, t2' 'cp_dma_mbarrier' 'endprg' >dma.s
check 0 '' "$ventus" as --profile r2025 dma.s -o dma.elf
for file in dma.json dma.html; do check 0 '' "$ventus" run --profile r2025 dma.elf -g 8 --lanes 8 --coverage $file; done
check 0 '' "$ventus" coverage dma.json --page sum.html
grep -q '<th>cp_dma_bulk</th><td>3</td>' dma.html || wrong "the page of a run: $(grep cp_dma_bulk dma.html)"
grep cp_dma_bulk dma.html >of-run; grep cp_dma_bulk sum.html >of-sum
cmp of-run of-sum || wrong 'a run and its sum differ'

# ---- files ----
bad() { printf '%s' "$2" >bad.json; check 1 "bad.json: $1" "$ventus" coverage p.json bad.json; }
bad '.*' 'text'
bad 'not written by ventus run --coverage' '{"version": 1}'
bad 'another version' '{"version": 2, "profile": "default", "instructions": []}'
bad 'no profile' '{"version": 1, "profile": "r9", "instructions": []}'
bad 'profile r2.0, not default' '{"version": 1, "profile": "r2.0", "instructions": []}'
bad 'an instruction without a name' '{"version": 1, "profile": "default", "instructions": [{}]}'
bad 'vfoo is no instruction' '{"version": 1, "profile": "default", "instructions": [{"name": "vfoo", "executed": 1, "bins": {}}]}'
bad 'no count' '{"version": 1, "profile": "default", "instructions": [{"name": "add", "executed": -1, "bins": {}}]}'
bad "nothing is known of 'x.y'" '{"version": 1, "profile": "default", "instructions": [{"name": "add", "executed": 1, "bins": {"x.y": 1}}]}'
bad "add cannot have 'lanes.all'" '{"version": 1, "profile": "default", "instructions": [{"name": "add", "executed": 1, "bins": {"lanes.all": 1}}]}'
check 2 'is needed' "$ventus" coverage
exit $status
