# Profiles of the benchmark's kernels and of random ones, instruction by instruction: those of `step`, of `step` with hooks and
# of translated code for each level of this host are equal. What counts is the same on all levels (translator/tally.c), so the large
# kernels run on the highest one, the many kinds of small ones on every other level, and random kernels on those between: these begin,
# because code for the lowest level, a few lanes at a time, takes the translator longest. tests/sim/corpus_test.c says it of recorded
# launches. On one thread: some results
# depend on the order.
. "$VENTUS_SOURCE/tests/shell/common"
unset VENTUS_PROFILE VENTUS_PROFILE_MEMORY VENTUS_ENGINE VENTUS_CHECK VENTUS_CONFIG
export VENTUS_THREADS=1 VENTUS_TRANSLATE_EFFORT=least # what is counted does not depend on it, and shell/profile has the usual one
export VENTUS_CACHE=1 VENTUS_CACHE_DIR="$dir/cache" # a program is compiled once
levels=$("$ventus" info | sed -n 's/^# engine native .*builds for this host: //p')
[ -n "$levels" ] || wrong "no levels of this host"

cat >compare.py <<'P'
"""The profiles step/*.json, against those in the folders that are named: each is in two of them or more."""
import json, pathlib, sys

def counts(k): return k["name"], k["launches"], k["counters"], k["instructions"]
def kernels(path): return json.loads(path.read_text())["kernels"]

for path in sorted(pathlib.Path("step").glob("*.json")):
    want = kernels(path)
    for k in want: assert sum(i["executions"] for i in k["instructions"]) == k["counters"]["instructions"], k["name"]
    folders = [folder for folder in sys.argv[1:] if (pathlib.Path(folder) / path.name).exists()]
    assert want and len(folders) > 1, path.name
    for folder in folders:
        got = kernels(pathlib.Path(folder) / path.name)
        assert len(got) == len(want), (folder, path.name)
        for a, b in zip(want, got):
            assert counts(a) == counts(b), (folder, path.name, a["name"])
    print(path.name, len(want), "kernels", *folders)
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
profile() { # WHERE PROGRAM
    VENTUS_PROFILE="$1/${2##* }.json" on $1 "$VENTUS_BUILD/bench/"$2 --size small --repeat 1 >out.txt 2>&1 || { wrong "$2 on $1"; cat out.txt; }
}
some="kinds random.cl" others=kinds
for where in step hooked $levels; do
    mkdir $where
    case $where in
    step | hooked)
        profile $where kernels
        profile $where kinds
        profile $where "kinds random.cl" ;;
    *)
        profile $where "$some"
        next=$others others=$some some=$next ;;
    esac
done
highest=${levels%% *}
profile $highest kernels
[ "$highest" != "$levels" ] || profile $highest kinds # the host's only one
python3 compare.py hooked $levels || wrong "counts"
exit $status
