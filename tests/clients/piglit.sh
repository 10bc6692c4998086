# packages: piglit
# limit: 3000
# checks: the tests of its OpenCL profile pass that pass on pocl
set -eu

# Left out: one that wants the sum of 0 and a subnormal number to be 0.
piglit run -l quiet -j2 --timeout 200 -x amdgcn-f32-inline-immediates cl results >piglit.log 2>&1 || { cat piglit.log; exit 1; }

/usr/bin/python3 - <<'PYTHON'
import bz2
import collections
import json

tests = json.load(bz2.open("results/results.json.bz2"))["tests"]
verdicts = {name: test["result"] for name, test in tests.items()}
with open("result", "w") as passed:
    passed.writelines(name + "\n" for name, verdict in sorted(verdicts.items()) if verdict == "pass")
print("not passed:", *(f"{name} ({verdict})" for name, verdict in verdicts.items() if verdict not in ("pass", "skip")), sep="\n")
counts = collections.Counter(verdicts.values())
assert counts["pass"] > 600, counts
print(", ".join(f"{n} {verdict}" for verdict, n in counts.most_common()))
PYTHON
