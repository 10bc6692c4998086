# Sweeps: all combinations, nothing twice whatever is killed, the same results in parts.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
mkdir one
"$ventus" as "$VENTUS_SOURCE/tests/timing/scale.s" -o one/scale.elf || wrong 'ventus as'
unpack_cases
cp cases/gpgpu-adv-gaussian__Fan2_0.* one
cat >one/s.sweep <<'END'
run small = scale.elf -g 512 -l 64 -a iota:512 -a i:3
run large = scale.elf -g 2048 -l 64 -a iota:2048 -a i:5   # more groups than fit at a time
run fan   = --case gpgpu-adv-gaussian__Fan2_0.metadata
vary timing = chisel large
vary sms = 1 2 4 8 16
vary timing.l1d_sets = 16 64
vary timing.memory_latency = 10 100
cost sms = 100
cost timing.l1d_sets = 1
END
grep -v -e l1d_sets -e latency one/s.sweep | sed 's/2 4 8 16/2/' >one/few.sweep
for folder in two parts; do cp -r one $folder; done

# 120 points without trouble: each ran once, its cycles are those of `ventus run`, the front is of designs that nobody beats.
check 0 '120 points, 0 without a result' "$ventus" sweep one/s.sweep -j 2
grep -q '100 of\|120 of 120 points.* left' out.txt || wrong 'no progress'
[ "$(sort -u one/s.sweep.out/log | wc -l)" = 120 ] || wrong 'not every point has run'
printf 'sms = 4\ntiming = own.timing\n' >own.conf
printf 'base = large\nl1d_sets = 16\nmemory_latency = 100\n' >own.timing
want=$("$ventus" run one/scale.elf -g 512 -l 64 -a iota:512 -a i:3 --config own.conf | sed -n 's/^scale: \([0-9]*\) cycles/\1/p')
cat >table.py <<'END'
import csv, sys, xml.dom.minidom
rows = list(csv.DictReader(open("one/s.sweep.out/results.csv")))
assert len(rows) == 120 and {r["status"] for r in rows} == {"done"}, len(rows)
(own,) = [r for r in rows if (r["run"], r["timing"], r["sms"], r["timing.l1d_sets"], r["timing.memory_latency"]) ==
          ("small", "large", "4", "16", "100")]
assert own["cycles"] == sys.argv[1] and float(own["cost"]) == 416, own
designs = {}
for r in rows:
    key = r["timing"], r["sms"], r["timing.l1d_sets"], r["timing.memory_latency"]
    cost, time = designs.get(key, (0, 0))
    designs[key] = float(r["cost"]), time + float(r["time_us"])
names = "timing", "sms", "timing.l1d_sets", "timing.memory_latency"
front = {" ".join(f"{n}={v}" for n, v in zip(names, k)) for k, (c, t) in designs.items()
         if not any(d <= c and u <= t and (d, u) != (c, t) for d, u in designs.values())}
svg = xml.dom.minidom.parse("one/s.sweep.out/pareto.svg")
circles = [(c.getAttribute("r"), c.firstChild.firstChild.data) for c in svg.getElementsByTagName("circle")]
assert len(circles) == 40 and {name for r, name in circles if r == "5"} == front, (front, circles)
END
python3 table.py "$want" || wrong 'the table or the picture'
check 0 '120 points' "$ventus" sweep one/s.sweep
[ "$(wc -l <one/s.sweep.out/log)" = 120 ] || wrong 'points ran again'

# kill -9: of a worker, whose point runs again, and of the driver, whose workers finish theirs.
begun() { # HOW MANY: waits until as many points have begun
    for _ in $(seq 200); do
        [ "$(cat two/s.sweep.out/log 2>/dev/null | wc -l)" -ge "$1" ] && return
        sleep 0.02
    done
}
"$ventus" sweep two/s.sweep -j 2 2>/dev/null >&2 &
driver=$!
begun 20
for worker in $(pgrep -P $driver | head -n 1); do kill -9 "$worker"; done
begun 50
kill -9 $driver 2>/dev/null
wait $driver 2>/dev/null
[ -e two/s.sweep.out/results.csv ] && wrong 'the driver was killed too late'
check 0 '120 points, 0 without a result' "$ventus" sweep two/s.sweep -j 2
cmp one/s.sweep.out/results.csv two/s.sweep.out/results.csv || wrong 'other results after kill -9'
twice=$(cut -d ' ' -f 1 two/s.sweep.out/log | sort | uniq -d | wc -l)
[ "$twice" -le 1 ] || wrong "$twice points ran twice, one worker was killed"

# Parts of a job array, which begins at 5, as Slurm names them (sweep-engines.sh has the real one).
check 0 '12 points, 0 without' "$ventus" sweep one/few.sweep
for task in 5 6 7; do
    SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=5 "$ventus" sweep parts/few.sweep --part auto >part$task.txt 2>&1
    grep -c . parts/few.sweep.out/log
done | tr '\n' ' ' | grep -qx '4 8 12 ' || wrong 'parts of a job array'
grep -q '8 of 12 points are left' part5.txt || wrong 'the first part does not say what is left'
cmp one/few.sweep.out/results.csv parts/few.sweep.out/results.csv || wrong 'other results in parts'

# Mistakes, and points that fail.
for line in "vary timing.memory_latency = $(seq 65 | tr '\n' ' '):more than 64 values" 'vary nothing = 1:there is no parameter .nothing' 'x = 1:a line is machine' 'vary lanes =:needs values' 'vary sms = 2:varies twice' \
    'cost sms = x:a cost is a number' 'cost nothing = 1:there is no parameter' 'machine = nowhere:nowhere'; do
    printf 'run a = scale.elf -g 4 -a iota:4 -a i:1\nvary timing = large\nvary sms = 1\n%s\n' "${line%%:*}" >one/bad.sweep
    check 1 "${line#*:}" "$ventus" sweep one/bad.sweep
done
printf 'run a = scale.elf -g 4 -a iota:4 -a i:1\nrun b = nowhere.elf\nvary timing = large\nvary timing.l1d_ways = 1 999\n' >one/fails.sweep
check 1 '4 points, 3 without a result' "$ventus" sweep one/fails.sweep
grep -q '^a,large,1,.*,done,' one/fails.sweep.out/results.csv && grep -q '^b,large,1,.*,failed,' one/fails.sweep.out/results.csv || wrong 'failed points'
check 2 'I/N is meant' "$ventus" sweep one/s.sweep --part 3/3
check 2 'neither Slurm nor MPI' env -u OMPI_COMM_WORLD_RANK -u PMI_RANK -u SLURM_ARRAY_TASK_ID -u SLURM_PROCID "$ventus" sweep one/s.sweep --part auto
exit $status
