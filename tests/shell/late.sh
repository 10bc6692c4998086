# Quanta that end late, in programs with doubles: both engines end them at the same places, which the order shows in which warps
# take tickets.
set -u
. "$VENTUS_SOURCE/tests/shell/common"

cat >late.cl <<'EOF'
kernel void late(global uint *next, global uint *tickets, global double *sums)
{
    int i = get_global_id(0);
    double x = i * 0.37 + 1;
    for (int k = 0; k < 200; k++) {
        x = sqrt(x * x + 1.0 / x);
        if (k % 7 == i / 32 % 7) x = fma(x, 0.5, 0.25);
        if (get_local_id(0) % 32 == 0) tickets[k * (get_global_size(0) / 32) + i / 32] = atomic_inc(next);
        if ((k * 5 + i) % 11 == 0)
            for (int j = 0; j < i % 5; j++) x = x * 0.9 + 1.0 / (1 + j);
    }
    sums[i] = x;
}
EOF
"$VENTUS_BUILD/ventus" cc late.cl -o late.elf || wrong "ventus cc"

run() { # file engine
    VENTUS_STATS=1 timeout 100 "$VENTUS_BUILD/ventus" run late.elf -g 256 -l 128 -a buf:4 -a "out:6400:$1.tickets" -a "out:2048:$1.sums" \
        --threads 1 --stats --engine "$2" 2>"$1.err" || wrong "$1: exit code $?: $(cat "$1.err")"
    counters "$1.err" >"$1.txt"
}
run step step
for level in v4fp16 v4 v3 base; do
    VENTUS_NATIVE_LEVEL=$level run "$level" native
    for what in tickets sums txt; do
        cmp -s step.$what "$level.$what" || wrong "$level: other $what than step"
    done
done
# Warps of a group have taken turns: the second one's first ticket is not the first one's last, plus one.
[ "$(od -An -tu4 -j 4 -N 4 step.tickets | tr -d ' ')" -lt 190 ] || wrong "the warps have not taken turns"
# Between quanta nothing is left for step.
grep -q '(100.0 %)' v4.err || wrong "not translated: $(cat v4.err)"
exit $status
