# ventus run --timeline FILE.vcd: a waveform of the cycle model. Its grammar; what happens in each cycle is what the CSV says of the same
# launch, and registers agree with the counts and with each other.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
cat >k.cl <<'END'
kernel void k(global int *a, global const float *b, int n)
{
    local float tile[64];
    int i = get_global_id(0), l = get_local_id(0);
    float s = 0;
    for (int k = 0; k < n; k++) {
        tile[l] = b[(i * k) & 255];
        barrier(CLK_LOCAL_MEM_FENCE);
        s += tile[63 - l] / (b[(i * 32) & 255] + 1.5f) + sqrt(b[k]);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l % 3 == 1) s *= 0.5f;
#pragma unroll
        for (int j = 0; j < 20; j++) a[j * 16] = k;
    }
    a[i] = (int)s;
}
END
"$VENTUS_BUILD/ventus" cc k.cl -o k.elf || wrong "ventus cc"
cat >look.py <<'END'
import json, sys
from collections import Counter

csv, vcd, stats = sys.argv[1:]
scopes, names, widths, clock = [], {}, {}, None
lines = iter(open(vcd).read().split("\n"))
for line in lines:
    word = line.split()
    if word[0] == "$scope": scopes.append(word[2])
    elif word[0] == "$upscope": scopes.pop()
    elif word[0] == "$var":
        assert word[1] == "wire" and word[5] == "$end" and len(word) == 6, line
        path = ".".join(scopes[1:] + [word[4]])
        assert word[3] not in names and path not in names.values(), line
        names[word[3]], widths[word[3]] = path, int(word[2])
    elif word[0] == "$enddefinitions": break
    else: assert word[0] in ("$version", "$timescale") and word[-1] == "$end", line
assert not scopes

now, values, cycles = -1, {}, []  # what all signals show in each cycle
for line in lines:
    if not line: continue
    if line[0] == "#":
        assert int(line[1:]) > now, line
        if now >= 0 and now % 2 == 0:
            assert values["clk"] == 1, now
            cycles.append((now // 2, dict(values)))
        now = int(line[1:])
        continue
    value, name = line[1:].split() if line[0] == "b" else (line[0], line[1:])
    assert len(value) <= widths[name] and set(value) <= {"0", "1"} and (value == "0" or value[0] == "1"), line
    assert (line[0] == "b") == (widths[name] > 1), line
    assert values.get(names[name]) != int(value, 2), "no change: " + line
    values[names[name]] = int(value, 2)
assert len(values) == len(names)

# An event is a signal that says when it happens, with two that say what.
# The signals of each are looked for once: there are hundreds, and thousands of cycles.
ways = [p.removesuffix("_valid") for p in names.values() if p.removesuffix("_valid") + "_address" in names.values() and p.endswith("_valid")]
event_of = {way: way.split(".")[2].rstrip("01") for way in ways}
signals_of = [(way + "_valid", event_of[way], int(way.split(".")[0][2:]), way + "_number", way + "_address") for way in ways]
said, found = Counter(), Counter()
for line in open(csv).read().split("\n")[1:-1]:
    cycle, event, sm, number, address, _ = line.split(",")
    if event in event_of.values(): said[int(cycle), event, int(sm), int(number), 0 if address == "-" else int(address, 16)] += 1
first = min(cycle for cycle, *_ in said)
started = min(c for c, v in cycles if any(v[valid] for valid, *_ in signals_of))
for cycle, v in cycles:
    for valid, event, sm, number, address in signals_of:
        if v[valid]: found[cycle - started + first, event, sm, v[number], v[address]] += 1
assert said == found, (list((said - found).items())[:5], list((found - said).items())[:5])
never = set(event_of.values()) - {event for _, event, *_ in said}
assert never <= {"oc_stall", "lsu_sreq", "lsu_srsp"}, never

launch = json.load(open(stats))["launches"][0]
last = cycles[-1][1]
sms = {p.split(".")[0] for p in last if p.startswith("sm")}
for signal, count in ("l1i.hits", "l1i_hits"), ("l1d.hits", "l1d_hits"):
    assert sum(last[f"{sm}.{signal}"] for sm in sms) == launch[count], signal
slots_of = {sm: [p for p in last if p.startswith(sm + ".slot") and p.endswith(".active")] for sm in sms}
for cycle, v in cycles:
    for sm in sms:
        slots = sum(v[p] for p in slots_of[sm])
        assert bin(v[sm + ".control.active"]).count("1") == slots, cycle
parts = ["units.fpu_add_stages", "units.sfu_busy", "lsu.inside", "l1d.misses", "slot0.barrier", "slot0.writes_pending"]
for part in parts + ["lds.answers"] * bool(launch["lds_accesses"]):
    assert len({v[f"sm0.{part}"] for _, v in cycles}) > 1, part + " never changes"
assert not any(last[f"{sm}.{p}"] for sm in sms for p in ("control.active", "lsu.inside", "units.sfu_busy"))
END
# Numbers that other machines have more of need wider signals.
printf 'base = ideal\nperfect_caches = 0\nlsu_per_warp = 64\ncoalescer_entries = 64\nmemory_latency = 300\n' >slow.timing
for timing in verilog large ./slow.timing; do
    for file in w.csv w.vcd; do
        "$VENTUS_BUILD/ventus" run k.elf -g 512 -l 64 -a buf:2048 -a iota:256 -a i:5 --timing $timing --timeline $file --json stats.json >out 2>&1 ||
            wrong "$timing, $file: exit code $?: $(cat out)"
    done
    python3 look.py w.csv w.vcd stats.json || wrong "$timing: the waveform"
done
exit $status
