# Profiles of the benchmark's kernels and of random ones, instruction by instruction: those of `step`, of `step` with hooks and
# of translated code for each level of this host are equal. tests/sim/corpus_test.c says it of recorded launches. On one
# thread: some results depend on the order.
. "$VENTUS_SOURCE/tests/shell/common"
unset VENTUS_PROFILE VENTUS_PROFILE_MEMORY VENTUS_ENGINE VENTUS_CHECK VENTUS_CONFIG
export VENTUS_THREADS=1 VENTUS_TRANSLATE_EFFORT=least # what is counted does not depend on it, and shell/profile has the usual one
levels=$("$ventus" info | sed -n 's/^# engine native .*builds for this host: //p')
[ -n "$levels" ] || wrong "no levels of this host"

cat >compare.py <<'P'
"""The profiles step/*.json, against those in the folders that are named."""
import json, pathlib, sys

def counts(k): return k["name"], k["launches"], k["counters"], k["instructions"]
def kernels(path): return json.loads(path.read_text())["kernels"]

compared = 0
for path in sorted(pathlib.Path("step").glob("*.json")):
    want = kernels(path)
    for k in want: assert sum(i["executions"] for i in k["instructions"]) == k["counters"]["instructions"], k["name"]
    for folder in sys.argv[1:]:
        got = kernels(pathlib.Path(folder) / path.name)
        assert len(got) == len(want), (folder, path.name)
        for a, b in zip(want, got):
            if folder == "hooked" and a["counters"]["groups"] < b["counters"]["groups"]: continue  # small groups are joined, but for a check
            assert counts(a) == counts(b), (folder, path.name, a["name"])
            compared += 1
print(compared, "profiles")
assert compared > 165 * len(sys.argv[1:]), compared
P

# on WHERE COMMAND...: a command that runs there, a level or a way of `step`
on() {
    where=$1
    shift
    case $where in
    step) env VENTUS_ENGINE=step "$@" ;;
    hooked) env VENTUS_CHECK=1 VENTUS_CHECK_FILE=checked.txt "$@" ;;
    *) env VENTUS_ENGINE=native VENTUS_NATIVE_LEVEL="$where" "$@" ;;
    esac
}

python3 "$VENTUS_SOURCE/bench/generate" 3 8 >random.cl
for where in step hooked $levels; do
    mkdir $where
    for program in kernels kinds "kinds random.cl"; do
        VENTUS_PROFILE="$where/${program##* }.json" on $where "$VENTUS_BUILD/bench/"$program --size small --repeat 1 >out.txt 2>&1 ||
            { wrong "$program on $where"; cat out.txt; }
    done
done
python3 compare.py hooked $levels || wrong "counts"
exit $status
