# ventus exec --profile: counts of a program's kernels by line, equal in every engine and to what the counters say; each
# form of the file, as the programs that read it want it.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
unset VENTUS_PROFILE VENTUS_ENGINE VENTUS_CHECK
export VENTUS_THREADS=2

cat >check.py <<'P'
import json, sys

def load(name):
    with open(name) as file: return json.load(file)

def counts(profile):
    return [(k["name"], k["launches"], k["counters"], k["instructions"], k["lines"]) for k in profile["kernels"]]

names = sys.argv[1:]
profiles = [load(name + ".json") for name in names]
for profile in profiles:
    assert profile["ventus_profile"] == 1
    for kernel in profile["kernels"]:
        insns = kernel["instructions"]
        assert sum(i["executions"] for i in insns) == kernel["counters"]["instructions"]
        assert sum(i["executions"] for i in insns) == sum(l["executions"] for l in kernel["lines"])
        assert sum(i["diverged"] for i in insns) == kernel["counters"]["divergent"]
        assert all(i["lanes"] >= i["taken_lanes"] and i["executions"] >= i["taken"] + i["diverged"] for i in insns)
        assert [i["pc"] for i in insns] == sorted(i["pc"] for i in insns)
        text = kernel["source"]["text"].split("\n")
        assert all(0 <= l["line"] <= len(text) for l in kernel["lines"])
    assert counts(profile) == counts(profiles[0])

# speedscope: https://www.speedscope.app/file-format-schema.json
scope = load(names[0] + ".speedscope.json")
frames, sampled = scope["shared"]["frames"], scope["profiles"][0]
assert scope["$schema"] == "https://www.speedscope.app/file-format-schema.json"
assert sampled["type"] == "sampled" and sampled["unit"] in ("none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes")
assert len(sampled["samples"]) == len(sampled["weights"]) and all(0 <= f < len(frames) for s in sampled["samples"] for f in s)
assert sampled["startValue"] == 0 and sampled["endValue"] == sum(sampled["weights"])
assert sampled["endValue"] == sum(k["counters"]["instructions"] for k in profiles[0]["kernels"])
assert all(isinstance(f["name"], str) for f in frames)

# callgrind: https://valgrind.org/docs/manual/cl-format.html
total = 0
for line in open(names[0] + ".callgrind"):
    if line.startswith("0x"):
        pc, number, cost, lanes, diverged, cycles = line.split()
        total += int(cost)
assert total == sampled["endValue"]
P

# profiled NAME ENGINE COMMAND...
profiled() {
    name=$1 engine=$2
    shift 2
    check 0 '' "$ventus" exec --engine $engine --profile=$name.json,$name.callgrind,$name.speedscope.json,$name.txt "$@"
}

for example in "mandelbrot --size 40 --output m.png" "histogram --size 3000" "matmul --size 24" "filter --size 24 --output f.png"; do
    for engine in step native auto; do profiled $engine $engine "$VENTUS_BUILD/examples/"$example; done
    "$ventus" exec --check --profile=hooked.json "$VENTUS_BUILD/examples/"$example >out.txt 2>&1 || wrong "with hooks: $example"
    python3 check.py step native auto hooked || wrong "counts differ: $example"
done

# On a cycle model: what warp slots did in all cycles, by instruction, line and time; and hits of the cache as the model has counted
# them. A launch that runs beside another one belongs to nobody. Two launches are twice the cycles of one.
cat >timing.py <<'P'
import json, sys
kinds = "issued other fetch scoreboard collector unit memory branch barrier no_warp".split()
profile = json.load(open(sys.argv[1]))
assert profile["machine"]["roofs"]["operations"] > 0
for k in profile["kernels"]:
    t, insns, lines = k["timing"], k["instructions"], k["lines"]
    def total(rows, key): return sum(r["timing"][key] for r in rows if "timing" in r)
    def slots(rows, kind): return sum(r["timing"]["slots"][kind] for r in rows if "timing" in r)
    assert t["launches"] == k["launches"] and t["cycles"] == k["cycles"] and list(t["slots"]) == kinds
    assert sum(t["slots"].values()) == t["cycles"] * t["warp_slots"]
    assert all(slots(insns, kind) == slots(lines, kind) == (t["slots"][kind] if kind != "no_warp" else 0) for kind in kinds), k["name"]
    assert t["slots"]["issued"] == k["counters"]["instructions"], "issued"
    assert all(i["timing"]["slots"]["issued"] == i["executions"] for i in insns), "issued by instruction"
    for key in "accesses lines l1d_hits l1d_misses local_accesses rows".split(): assert total(insns, key) == total(lines, key), key
    assert 0 < total(insns, "l1d_hits") + total(insns, "l1d_misses") == total(insns, "lines")
    time = t["over_time"]
    assert len(time["warps"]) == profile["machine"]["sms"] and time["cycles"] <= t["cycles"]
    assert sum(map(sum, time["slots"].values())) == time["cycles"] * t["warp_slots"]
    assert sum(map(sum, time["warps"])) == sum(sum(v) for kind, v in time["slots"].items() if kind != "no_warp")
    print(k["name"], t["launches"])
if sys.argv[2:]:
    total = sum(int(line.split()[-1]) for line in open(sys.argv[2]) if line.startswith("0x"))
    assert total == sum(sum(k["timing"]["slots"].values()) - k["timing"]["slots"]["no_warp"] for k in profile["kernels"]), "callgrind"
P
for model in large verilog; do
    for example in "matmul --size 32" "histogram --size 300" "mandelbrot --size 24 --output m.png"; do
        check 0 '' "$ventus" exec --timing $model --profile=timed.json,timed.txt,timed.callgrind "$VENTUS_BUILD/examples/"$example
        python3 timing.py timed.json timed.callgrind >out.txt || { wrong "cycles of $example on $model"; cat out.txt; }
        grep -q 'share  issued   other   fetch' timed.txt && grep -q 'to 9 all: [0-9]* (' timed.txt || { wrong "table of cycles"; cat timed.txt; }
    done
done
cat >k.cl <<'C'
kernel void k(global int *a, global const int *b) { a[get_global_id(0)] += b[get_global_id(0) * 9]; }
C
"$ventus" cc --options -g k.cl -o k.elf
VENTUS_PROFILE=run.json check 0 'cycles' "$ventus" run k.elf -g 256 -l 64 -a buf:1024 -a buf:9216 --timing large
python3 timing.py run.json >out.txt && grep -q '^k 1$' out.txt || { wrong "ventus run --timing"; cat out.txt; }
VENTUS_PROFILE=run.json check 0 '' "$ventus" run k.elf -g 256 -l 64 -a buf:1024 -a buf:9216
grep -q '"timing"' run.json && wrong "cycles without a model"

# The table: the hottest line is the loop's.
"$ventus" exec --profile "$VENTUS_BUILD/examples/mandelbrot" --size 40 --output m.png >out.txt 2>table.txt || wrong "--profile"
grep -q '^  100.0 % .* mandelbrot$' table.txt || wrong "no kernel in the table"
grep -A2 'lanes of 32 active' table.txt | grep -q 'while (n < limit' || { wrong "another line is the hottest"; cat table.txt; }
VENTUS_PROFILE=v.json "$VENTUS_BUILD/examples/vecadd" --size 100 >out.txt 2>&1
if [ -n "${OCL_ICD_VENDORS-}" ]; then [ -s v.json ] || wrong "VENTUS_PROFILE"; fi
check 0 'VENTUS_PROFILE: .*none/p.json' "$ventus" exec --profile=none/p.json "$VENTUS_BUILD/examples/vecadd" --size 100
# KCachegrind's source and machine code: files beside the profile, and a listing whose lines it takes apart.
fl=$(sed -n 's/^fl=//p' native.callgrind | sort -u) ob=$(sed -n 's/^ob=//p' native.callgrind | sort -u)
[ "$fl $ob" = "native.callgrind.1.cl native.callgrind.1.elf" ] || wrong "files of a profile: $fl $ob"
python3 - "$ventus" <<'P' || wrong "source and machine code beside a profile"
import json, re, subprocess, sys
for kernel in json.load(open("native.json"))["kernels"]:
    assert open("native.callgrind.1.cl").read() == kernel["source"]["text"]
    insns = {i["pc"]: i["text"] for i in kernel["instructions"]}
    first, last = min(insns), max(insns)
    listing = subprocess.run([sys.argv[1], "objdump", "-C", "-d", f"--start-address={first:#x}", f"--stop-address={last:#x}", "native.callgrind.1.elf"],
                             capture_output=True, text=True, check=True).stdout
    lines = re.findall(r"^([0-9a-f]{8}):\t(?:[0-9a-f]{8} )+\t(.*)$", listing, re.M)
    assert len(lines) == listing.count(":\t") and int(lines[0][0], 16) == first and int(lines[-1][0], 16) < last, listing
    listed = {int(pc, 16): text.split()[0] for pc, text in lines}
    assert all(listed[pc] == text.split()[0] for pc, text in insns.items() if pc < last)
P
mkdir -p taken/p.callgrind.1.elf
check 0 'VENTUS_PROFILE: cannot write .*taken/p.callgrind.1.elf' "$ventus" exec --profile=taken/p.callgrind "$VENTUS_BUILD/examples/vecadd" --size 100
if command -v callgrind_annotate >/dev/null; then
    callgrind_annotate native.callgrind >annotated.txt 2>&1 && grep -q 'filter\|blur' annotated.txt || { wrong "callgrind_annotate"; cat annotated.txt; }
fi
# A launch that begins in `step`, without a translation in the cache, and changes over in its middle.
cat >long.cl <<'C'
kernel void sums(global volatile int *a)
{
    for (int i = 0; i < 5000000; i++) a[get_global_id(0)] += i;
}
C
"$ventus" cc long.cl -o long.elf
VENTUS_CACHE_DIR=$PWD/cold VENTUS_PROFILE=cold.json check 0 '' "$ventus" run --threads 1 long.elf -g 32 -a buf:128
VENTUS_ENGINE=step VENTUS_PROFILE=slow.json check 0 '' "$ventus" run --threads 1 long.elf -g 32 -a buf:128
python3 - <<'P' || wrong "a launch that is translated while it runs"
import json
cold, slow = [json.load(open(name))["kernels"] for name in ("cold.json", "slow.json")]
assert [(k["counters"], k["instructions"]) for k in cold] == [(k["counters"], k["instructions"]) for k in slow]
P
exit $status
