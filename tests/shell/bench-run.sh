# `make bench` at its shortest: all parts, of two kernels, and the numbers that it finds in other programs' output.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
[ -n "$VENTUS_POCL" ] || { echo "pocl is missing"; exit 77; }
[ -z "$VENTUS_FOREIGN" ] || { echo "times mean nothing with a sanitizer"; exit 77; }

bench() { check "$1" "$2" "$VENTUS_SOURCE/bench/run" --build "$VENTUS_BUILD" --output report.md --size small --rounds 1 --repeat 1 $3; }

bench 0 "native" "saxpy tiny nbody upper"
for title in "One thread, small" "All threads, small" "Cold, medium" "Translation"; do
    awk "/^## /{ here = 0 } /^## $title/{ here = 1 } here" report.md | grep -q '^| saxpy | [0-9]' || wrong "no numbers below '$title'"
done
awk '/^## /{ here = 0 } /^## Kernels that compute/{ here = 1 } here' report.md | grep -q '^| nbody | [0-9]' || wrong "nothing of threads"
grep -q '^| upper | [0-9]' report.md || wrong "no kind of kernels"
grep -q '^| 4, small | [0-9]' report.md || wrong "no distribution"
grep -q '^| queued | [0-9]' report.md || wrong "no launches"
grep -q '^All kernels: [1-9]' report.md || wrong "nothing was executed natively"
# Interpreting takes more than a hundred times as long: the translation has been waited for.
bench 0 "Worst five, later: d_waves [0-9]" "--parts warmup d_waves"
awk -F'|' '$2 == " d_waves " && $3 > 0 && $4 > 0 && $5 > 0 && $7 > 0.05 { found = 1 } END { exit !found }' report.md || wrong "$(cat report.md)"
bench 1 "no kernel 'nonsense'" nonsense
bench 2 "known are" "--parts nonsense"
exit $status
