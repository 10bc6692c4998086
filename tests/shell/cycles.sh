# What is built upon the cycle model: work-groups on all SMs, where cycles went, timelines, times of OpenCL programs.
set -u
. "$VENTUS_SOURCE/tests/shell/common"

"$ventus" as "$VENTUS_SOURCE/tests/timing/scale.s" -o scale.elf || wrong 'ventus as'
scale() { "$ventus" run scale.elf -g 2048 -l 64 -a iota:2048 -a i:3 "$@"; }
cycles() { sed -n 's/^scale: \([0-9]*\) cycles$/\1/p'; }

# 32 groups of two warps, more than the hardware has collectors for: they all end, sooner on more SMs.
before=1000000
for sms in 1 2 4; do
    echo "sms = $sms" >$sms.conf
    now=$(scale --config $sms.conf --timing large | cycles)
    [ "${now:-$before}" -lt $before ] || wrong "$sms SMs take ${now:-for ever}, fewer take $before"
    before=$now
done
# Every warp slot does one thing in every cycle: all sums are exact, by warp, instruction and line, and those of SMs are
# the launch's.
cat >sums.py <<'END'
import json, sys
def total(rows): return sum(sum(row["slots"].values()) for row in rows)
for l in json.load(open(sys.argv[1]))["launches"]:
    cycles, slots = l["cycles"] * l["warp_slots"], l["slots"]
    warps = [w for sm in l["sms"] for w in sm["warps"]]
    assert l["cycles"] > 100 and len(warps) == l["warp_slots"], l["name"]
    assert all(sum(w.values()) == l["cycles"] for w in warps), "a warp slot has another number of cycles"
    assert sum(slots.values()) == cycles and all(sum(w[k] for w in warps) == slots[k] for k in slots), slots
    assert total(l["code"]) + slots["no_warp"] == cycles, "instructions"
    assert all(sum(c["slots"][k] for c in l["code"]) == slots[k] for k in slots if k != "no_warp"), "instructions by kind"
    assert not l["lines"] or total(l["lines"]) == total(l["code"]), "lines"
    for k in "accesses lines l1d_hits l1d_misses local_accesses rows".split():
        assert not l["lines"] or sum(s[k] for s in l["lines"]) == sum(c[k] for c in l["code"]), k
    assert slots["issued"] == l["issued"] == l["counters"]["instructions"], "issued"
    for key in "issued l1d_hits l1d_misses l1d_accesses lds_accesses memory_reads".split():
        assert sum(sm[key] for sm in l["sms"]) == l[key], key
    time = l["over_time"]
    n, interval = len(time["slots"]["issued"]), time["interval"]
    assert (n - 1) * interval < l["cycles"] <= n * interval and (n > 64 or interval == 1) and n <= 128, "buckets"
    assert all(sum(time["slots"][k]) == slots[k] and len(time["slots"][k]) == n for k in slots), "over time"
    for b in range(n): # of what is not there in a bucket, warps are the rest
        here = min(interval, l["cycles"] - b * interval) * l["warp_slots"]
        assert sum(time["slots"][k][b] for k in slots) == here, "a bucket has other cycles"
        assert sum(sm[b] for sm in time["warps"]) == here - time["slots"]["no_warp"][b], "resident warps"
    assert len(time["warps"]) == len(l["sms"])
    for sm, warps in zip(l["sms"], time["warps"]):
        assert sum(warps) == sum(sum(w.values()) - w["no_warp"] for w in sm["warps"]), "warps of an SM"
    for site, key in ("accesses", "l1d_instructions"), ("lines", "l1d_accesses"), ("l1d_hits", "l1d_hits"), ("rows", "lds_accesses"):
        assert sum(c[site] for c in l["code"]) == l[key], key
    print(*(k for k in slots if slots[k]), *("line%d" % s["line"] for s in l["lines"]))
END
sums() { python3 sums.py "$1" >sums.txt || { wrong "sums of $1"; cat sums.txt; }; }
for name in verilog chisel ideal large; do
    scale --timing $name --json $name.json >/dev/null
    sums $name.json
done
cat >lines.cl <<'END'
kernel void turn(global const int *in, global int *out, local int *tile)
{
    int i = get_local_id(0), n = get_local_size(0);
    tile[i * 8 % n] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[n - 1 - i] / 3;
    for (int k = in[0]; k < i % 5; k++) out[get_global_id(0)] += k;
}
END
"$ventus" cc lines.cl -o lines.elf
"$ventus" run lines.elf -g 512 -l 128 -a iota:512 -a buf:2048 -a local:512 --timing chisel --json lines.json --stats >lines.txt 2>&1
sums lines.json
for word in line4 line6 issued other fetch scoreboard collector unit memory branch barrier; do
    grep -qw $word sums.txt || wrong "nothing of $word"
done
for text in 'turn: [0-9]* cycles, [0-9]* instructions issued' 'SM 1, warp 3' ' %  line 5  ' 'bytes per cycle' 'rows per access' '  source lines, share of'; do
    grep -q "$text" lines.txt || wrong "no '$text' in the table"
done

# A row has a share for each kind of slot, which are all of it together.
kinds=$(grep -c '^SLOT' "$VENTUS_SOURCE/timing/slots.def")
sed -n 's/^  SM [0-9]*, warp [0-9]*  *//p' lines.txt | awk -v n="$kinds" '{ all = 0; for (i = 1; i <= NF; i++) all += $i }
    NF != n || all < 99 || all > 101 { exit 1 }' || wrong "a warp's row is not $kinds shares of all its cycles"

scale --timing chisel --stats >plain.txt 2>&1 # assembly has no lines
grep -q '  instructions, share of' plain.txt || { wrong 'no table of instructions'; cat plain.txt; }

# Timelines for viewers have the form that these read, and every instruction; the third, CSV, has as many events `issue`.
timelines() { # ISSUED RUN...
    issued=$1
    shift
    for form in json kanata csv; do "$@" --timeline line.$form >/dev/null || wrong "--timeline line.$form"; done
    python3 "$VENTUS_SOURCE/tests/timing/viewers.py" line.json line.kanata "$issued" || wrong "timelines of $*"
    [ "$(grep -c ,issue, line.csv)" = "$issued" ] || wrong "$issued instructions are not in the CSV"
}
issued() { sed -n 's/.*"issued": \([0-9]*\), "l1i.*/\1/p' $1 | head -n 1; }
timelines "$(issued lines.json)" "$ventus" run lines.elf -g 512 -l 128 -a iota:512 -a buf:2048 -a local:512 --timing chisel
unpack_cases
cases=$PWD/cases
set -- --case "$cases/gpgpu-adv-gaussian__Fan1_0.metadata" --case "$cases/gpgpu-adv-gaussian__Fan2_0.metadata" --timing verilog
"$ventus" run "$@" --json two.json >/dev/null
sums two.json
timelines "$(python3 -c 'import json; print(sum(l["issued"] for l in json.load(open("two.json"))["launches"]))')" "$ventus" run "$@"

for name in verilog chisel ideal; do [ -n "$(scale --timing $name | cycles)" ] || wrong "$name: does not end"; done
# Whole design points: the ideal bound is the fastest of its machine.
for name in verilog chisel ideal large; do
    scale --config "$VENTUS_SOURCE/configs/$name.conf" -l 32 >$name.txt || wrong "configs/$name.conf"
done
[ "$(cycles <ideal.txt)" -lt "$(cycles <verilog.txt)" ] || wrong 'ideal is no bound of verilog'
[ "$(cycles <large.txt)" -lt "$(cycles <chisel.txt)" ] || wrong 'large is slower than chisel'

# Memory: rows of banks that are opened cost time, unless other banks have work; the port limits the bytes of a cycle.
memory() { # PARAMETERS
    printf 'base = large\n%b' "$1" >memory.timing
    scale --timing memory.timing --json memory.json >memory.txt
    cycles <memory.txt
}
closed=$(memory 'dram_row_miss = 300\n') one=$(memory 'dram_row_miss = 300\ndram_banks = 1\n') free=$(memory 'dram_row_miss = 0\n')
[ "$free" -lt "$closed" ] && [ "$closed" -lt "$one" ] || wrong "16 banks $closed, one $one, rows for nothing $free cycles"
memory 'dram_row_miss = 300\ndram_banks = 1\ndram_row_bytes = 128\n' >/dev/null
python3 -c 'import json; l = json.load(open("memory.json"))["launches"][0]; assert l["cycles"] > 300 * l["row_misses"] > 3000, (l["cycles"], l["row_misses"])' ||
    wrong 'a bank opens two rows at a time'
slow=$(memory 'memory_interval = 100\n')
python3 -c 'import json; l = json.load(open("memory.json"))["launches"][0]; assert 0.9 < l["bytes_per_cycle"] <= 1.28 and l["row_misses"] > 0, l' ||
    wrong "a line in 100 cycles: $slow cycles"

# The second level replaces the line that was not used for the longest time, and none for one that it has: of five lines in one
# set of two ways, which no first level keeps, A B C D C D has C and D once more.
cat >reuse.s <<'END'
        .kernel k
        .arg global, data
k:      lw      t0, 0(a0)
        lw      t1, 0(t0)
        lw      t1, 256(t0)
        lw      t1, 512(t0)
        lw      t1, 768(t0)
        lw      t1, 512(t0)
        lw      t1, 768(t0)
        ret
END
"$ventus" as reuse.s -o reuse.elf
hits() { # WAYS
    printf 'base = large\nl2_sets = 1\nl2_ways = %s\nl1d_sets = 1\nl1d_ways = 1\nl1i_sets = 4096\n' $1 >reuse.timing
    "$ventus" run reuse.elf -g 1 --timing reuse.timing --json reuse.json -a buf:1024 >reuse.txt
    sed -n 's/.*"l2_hits": \([0-9]*\),.*/\1/p' reuse.json | head -n 1
}
[ $(($(hits 2) - $(hits 1))) = 2 ] || wrong "the second level finds $(hits 2) lines in two ways, $(hits 1) in one"

# Every store reaches memory, also through a second level that has no line and can send one in 100 cycles: answers wait for it.
cat >stores.s <<'END'
        .kernel k
        .arg global, data
k:      lw      t0, 0(a0)
        li      t2, 100
1:      sw      t2, 0(t0)
        addi    t2, t2, -1
        bnez    t2, 1b
        ret
END
"$ventus" as stores.s -o stores.elf
printf 'base = large\nmemory_interval = 100\nfault_l2_misses = 1\n' >stores.timing
echo 'sms = 8' >stores.conf
"$ventus" run stores.elf -g 1024 -l 32 -a buf:4 --config stores.conf --timing stores.timing --json stores.json >stores.txt
writes=$(sed -n 's/.*"memory_writes": \([0-9]*\),.*/\1/p' stores.json | head -n 1)
[ "$writes" -ge 3200 ] || wrong "$writes writes to memory of 3200 stores"

# An OpenCL program that knows nothing of the model: its kernel's time is the model's, the same again, and shorter on more SMs.
vecadd() { VENTUS_CONFIG=$1 VENTUS_DEBUG=1 $VENTUS_FOREIGN "$VENTUS_BUILD/examples/vecadd" --size 16; }
for sms in 1 4; do
    printf 'sms = %s\ntiming = own.timing\n' $sms >gpu$sms.conf
    printf 'base = large\nmemory_latency = 100\n' >own.timing
    vecadd gpu$sms.conf >gpu$sms.txt || wrong "vecadd with timing on $sms SMs"
    vecadd gpu$sms.conf >again.txt
    eval "ms$sms=$(sed -n 's/.*launch \([0-9.]*\) ms/\1/p' gpu$sms.txt) again$sms=$(sed -n 's/.*launch \([0-9.]*\) ms/\1/p' again.txt)"
done
[ "$ms1" = "$again1" ] && [ "$ms4" = "$again4" ] || wrong "times of vecadd: $ms1 and $again1, $ms4 and $again4"
awk "BEGIN { exit !($ms4 > 0 && 2 * $ms4 < $ms1) }" || wrong "vecadd takes $ms1 ms on one SM, $ms4 on four"
echo 'line_bytes = 24' >own.timing
vecadd gpu1.conf >out.txt 2>&1 && wrong 'a device with a model that cannot be built'
grep -q 'own.timing: line_bytes must be a power of two' out.txt || { wrong 'no reason'; cat out.txt; }
check 2 'own.timing: line_bytes must be' "$ventus" run scale.elf --config gpu1.conf -g 64 -a iota:64 -a i:3

# The commands of the page.
PATH=$VENTUS_BUILD:$PATH
page docs/timing.md
[ "$n" -gt 3 ] || wrong "only $n commands found"
exit $status
