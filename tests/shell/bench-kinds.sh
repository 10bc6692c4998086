# Files of kernels for bench/kinds: what is not measured is not evaluated; lines may stand anywhere.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
kinds=$VENTUS_BUILD/bench/kinds

cat >two.cl <<'end'
//! run fine global=N
//! arg out int[N] = i
kernel void fine(global int *out) { out[get_global_id(0)]++; }
//! run broken global=N
//! arg out int[N] = 1 / (i - i)
kernel void broken(global int *out) { out[get_global_id(0)]++; }
//! sizes 32 64
end
check 0 'fine  *32' "$kinds" --repeat 1 two.cl fine
check 2 'two.cl:5: division by zero' "$kinds" --repeat 1 two.cl broken

{ tail -n 1 two.cl; head -n 3 two.cl; } >first.cl
check 0 'fine  *32' "$kinds" --repeat 1 first.cl
check 0 'fine  *64' "$kinds" --size medium --repeat 1 first.cl
exit $status
