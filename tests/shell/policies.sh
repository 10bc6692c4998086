# Policies of the cycle model: `scheduler` changes the order in which warps issue, and `replacement` which line of a cache
# goes, each in its way; results stay the same. And `ventus info --timing` lists what can be changed, as a file that is read.
set -u
. "$VENTUS_SOURCE/tests/shell/common"

# ---- scheduler: how many instructions of all warps have issued when the first warp has issued its last ----

{
    printf '.kernel k\n.arg global, out\nk:\n'
    for i in $(seq 40); do echo " vadd.vv v$((i % 20 + 1)), v0, v0"; done
    echo ' ret'
} >alu.s
check 0 '' "$ventus" as alu.s -o alu.elf
cat >first.py <<'P'
import json, sys
trace = json.load(open(sys.argv[1]))
events = trace["traceEvents"] if isinstance(trace, dict) else trace
issued = sorted((e["ts"], e["tid"]) for e in events if e.get("ph") == "X" and "vadd" in e.get("name", "") and 256 <= e["tid"] < 264)
last = {}
for number, (_, warp) in enumerate(issued): last[warp] = number
assert len(issued) == 8 * 40
print(min(last.values()))
P
for n in 0 1 2; do
    printf 'base = ideal\nscheduler = %s\n' $n >s$n.timing
    check 0 '' "$ventus" run alu.elf -g 256 -l 256 -a buf:4 --timing s$n.timing --timeline t$n.json
done
loose=$(python3 first.py t0.json) greedy=$(python3 first.py t1.json) levels=$(python3 first.py t2.json)
[ "$greedy" -lt "$loose" ] || wrong "greedy, then oldest: its first warp ends behind $greedy instructions, loose round robin's behind $loose"
[ "$levels" -lt "$loose" ] || wrong "two levels: its first warp ends behind $levels instructions, loose round robin's behind $loose"

# ---- replacement, in one set of two lines ----

# hits N PATTERN: hits of a warp that loads from lines A, B, C in turn
hits() {
    {
        printf '.kernel k\n.arg global, in\nk: lw t0, 0(a0)\n li t1, 60\n1:\n'
        for line in $2; do printf ' addi t2, t0, %s\n lw t3, 0(t2)\n add t3, t3, t3\n' $(($(printf %d "'$line") * 128 - 65 * 128)); done
        printf ' addi t1, t1, -1\n bnez t1, 1b\n ret\n'
    } >lines.s
    "$ventus" as lines.s -o lines.elf || wrong "lines.s"
    printf 'base = chisel\nl1d_sets = 1\nl1d_ways = 2\nreplacement = %s\n' $1 >r.timing
    "$ventus" run lines.elf -g 1 -a buf:4096 --timing r.timing --stats >out.txt 2>&1 || { wrong "hits"; cat out.txt; }
    python3 -c 'import re; t = open("out.txt").read(); share, n = re.search(r"L1D: ([0-9.]+) % of (\d+) hit", t).groups(); print(round(float(share) * int(n) / 100))'
}
round='A B C'
least=$(hits 0 "$round") first=$(hits 1 "$round") random=$(hits 2 "$round")
[ "$least" -lt 10 ] && [ "$first" -lt 10 ] || wrong "three lines in turn: $least hits with the least recently used, $first with the first in"
[ "$random" -gt 20 ] || wrong "three lines in turn: $random hits at random"
[ "$random" = "$(hits 2 "$round")" ] || wrong "random is not the same in each run"
often='A B A C'
least=$(hits 0 "$often") first=$(hits 1 "$often")
[ "$least" -gt $((first + 20)) ] || wrong "a line that is used often: $least hits with the least recently used, $first with the first in"

# ---- the list ----

check 0 '^scheduler  *= 0  *# 0..2: which warp issues' "$ventus" info --timing
"$ventus" info --timing=large >large.timing
check 0 '' "$ventus" run alu.elf -g 256 -l 256 -a buf:4 --timing large.timing
named=$("$ventus" run alu.elf -g 256 -l 256 -a buf:4 --timing large 2>&1 | sed -n '1s/.*: //p')
[ "$(sed -n '1s/.*: //p' out.txt)" = "$named" ] || wrong "the list is another model"
[ "$(wc -l <large.timing)" = "$(grep -c '^PARAMETER' "$VENTUS_SOURCE/timing/parameters.def")" ] || wrong "not all parameters are listed"
check 1 'nonsense' "$ventus" info --timing=nonsense
exit $status
