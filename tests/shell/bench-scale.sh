# bench/scale: what it measures of the host, and its model of more threads.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
[ -z "$VENTUS_FOREIGN" ] || { echo "times mean nothing with a sanitizer"; exit 77; }

scale() { "$VENTUS_SOURCE/bench/scale" --build "$VENTUS_BUILD" --size small --repeat 2 "$@"; }

scale nbody float_atomics >table || wrong "it has failed"
for what in "memory, GB/s" "exchange of a word, ns" "lock, ns" "nbody | computing, few groups" "float_atomics | atomics of few words"; do
    grep -q "^| $what | [0-9.]* | [0-9.]* |" table || wrong "nothing of '$what': $(cat table)"
done
# No kernel is faster than it has groups, or than there are threads.
awk -F'|' '$2 ~ /nbody/ { found = $7 + 0 > 0 && $7 + 0 <= 4 && $9 + 0 <= 4 } END { exit !found }' table || wrong "$(cat table)"
check 1 "no kernel 'nonsense'" scale nonsense
exit $status
