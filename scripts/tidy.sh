#!/bin/sh
# Looks for mistakes in all C files with clang-tidy: scripts/tidy.sh [BUILD]
#
# .clang-tidy lists the checks; BUILD (default build) is a configured folder whose programs have been built,
# because some sources include files that the build makes. Called by the Makefile and .ci/run.
set -eu
cd "$(dirname "$0")/.."
build=${1-build}
[ -f "$build/compile_commands.json" ] || { echo "tidy: no $build/compile_commands.json; run make first" >&2; exit 2; }
command -v clang-tidy-19 >/dev/null || { echo "tidy: clang-tidy-19 is missing; sudo apt install clang-tidy-19" >&2; exit 2; }
# What tests/insn compiles again with one more row of the instruction table is left out.
mkdir -p "$build/tidy"
python3 - "$build" <<'P'
import json, sys
commands = json.load(open(sys.argv[1] + "/compile_commands.json"))
again = lambda c: c["output"].startswith("tests/insn/") and "tests/insn/" not in c["file"]
json.dump([c for c in commands if not again(c)], open(sys.argv[1] + "/tidy/compile_commands.json", "w"), indent=1)
P
# Only what the build compiles: the others, for libFuzzer, have no commands to be read with.
git ls-files '*.c' | while read -r file; do
    grep -q "\"file\": \"../$file\"" "$build/compile_commands.json" && echo "$file"
done | xargs -P "$(nproc)" -n 8 clang-tidy-19 -p "$build/tidy" --quiet >"$build/tidy.log" 2>&1 || {
    grep -E 'error:' "$build/tidy.log" | sort -u >&2
    echo "tidy: see $build/tidy.log" >&2
    exit 1
}
