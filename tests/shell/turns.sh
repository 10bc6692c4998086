# Cases of tests/cl between turns of warps (tests/turns/compare), on the best host level: `make test-engines` has all cases and
# levels. Registers that translated code need not store tell that states are compared.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
[ -z "$VENTUS_FOREIGN" ] || { echo "translated code is not watched by a sanitizer"; exit 77; }
"$ventus" info | grep -q '^# engine native .* this host: .*[a-z]' || { echo "this host has no engine native"; exit 77; }
compare=$VENTUS_SOURCE/tests/turns/compare

check 0 'looks are the same' "$compare" "$VENTUS_SOURCE/tests/cl/local.cl"
check 0 'looks are the same' "$compare" "$VENTUS_SOURCE/tests/cl/divergence.cl"
VENTUS_TRANSLATE_REGISTERS=read check 1 'look [0-9]* of [0-9]* differs' "$compare" "$VENTUS_SOURCE/tests/cl/divergence.cl"
grep -q '^< group 0, warp 0: v[0-9]* lane [0-9]*: [0-9a-f]*$' out.txt || wrong "no register of a warp is named: $(cat out.txt)"
exit $status
