# Doubles and longs in translated code, whose two words stay together from one operation to the next: through signs, choices, loops and
# divergent branches, with NaNs of every kind. Each host level leaves what `step` leaves, bit by bit.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
cat >k.cl <<'END'
kernel void k(global const double *in, global double *out, int rounds)
{
    int i = get_global_id(0), n = get_global_size(0), last = i % rounds;
    double x = in[i], y = in[n + i], sum = 0, product = 1, kept = x, found = y;
    for (int j = 0; j < rounds; j++) {
        double d = y - sum * 0.5;
        sum += d * (d > 0.5 ? x : -d);
        product *= fabs(x) - (d < y ? y : 0.25);
        kept = j < last ? kept : -kept;
        found = fabs(found) < 4 ? found - 0.125 : -fabs(x);
    }
    for (int j = 0; j < last; j++) {
        if (kept < y) kept = kept + 1.5;
        else found = -found;
        y = j & 1 ? -y : y * 1.25;
    }
    double moved = x; /* not at all: a NaN stays as it is */
    for (int j = 6; j < rounds; j++) moved = moved * y;
    double all[10] = {sum, product, kept, found, y, -x, fabs(y), -sum, x * -y - product, moved};
    for (int j = 0; j < 10; j++) out[j * n + i] = all[j];
}

/* Rounding leaves a NaN as it is, also one that comes round a loop. */
kernel void rounded(global const double *in, global double *out, int rounds)
{
    int i = get_global_id(0), n = get_global_size(0);
    double down = 0, up = 1, whole = -0.0, sum = 1;
    for (int j = 0; j < rounds; j++) {
        sum = sum * 0.5 + down - up * whole;
        down = floor(in[(i + j) % (2 * n)]), up = ceil(in[(i + 3 * j) % (2 * n)]), whole = trunc(in[(i + 5 * j) % (2 * n)]);
    }
    out[i] = down, out[n + i] = up, out[2 * n + i] = whole, out[3 * n + i] = sum;
}

kernel void longs(global const ulong *in, global ulong *out, int rounds)
{
    int i = get_global_id(0), n = get_global_size(0);
    ulong x = in[i], y = in[n + i], z = x;
    for (int j = 0; j < rounds; j++) {
        x = x * 6364136223846793005ul + (y ^ 0x8000000000000000ul);
        z = x & 64 ? z & 0x7ffffffffffffffful : y ^ 0x8000000000000000ul;
        y = rotate(y, (ulong)j) + (z | 0x8000000000000000ul);
    }
    out[i] = x, out[n + i] = y, out[2 * n + i] = z;
}

/* Pairs anywhere, in full code and under masks: at any places, side by side, in one place of which the highest lane's stays,
 * and longs that are not aligned, of which some lie on two pages, for `step`, and some share a word with others'. */
kernel void places(global const ulong *in, global ulong *out, int rounds)
{
    int i = get_global_id(0), n = get_global_size(0), from = in[i] % n, warp = i & ~31, any = warp | (in[i] & 31);
    int near = i + (rounds & 8) * from, odd = 2 * from + 1; /* side by side */
    global const uint *words = (global const uint *)in;
    global uint *to = (global uint *)out;
    double x = as_double(in[from]), y = as_double(in[near]);
    ulong z = words[odd] | (ulong)words[odd + 1] << 32;
    z ^= words[near] | (ulong)words[near + 1] << 32;
    out[near] = as_ulong(x + y), out[n + any] = z + i;
    to[4 * n + warp + any] = i, to[4 * n + warp + any + 1] = any;
    if (x < y) {
        from = from * 3 & (n - 1), any = warp | (z & 31);
        z += in[from], y = y * x;
        out[3 * n + any] = as_ulong(y);
        to[8 * n + warp + near] = any, to[8 * n + warp + near + 1] = i;
        for (int j = 0; j < any % rounds; j++) y = y * 0.5 + as_double(in[(from + j) & (n - 1)]);
    } else {
        z ^= words[from] | (ulong)words[from + 1] << 32;
        out[5 * n + near] = z;
        to[12 * n + 2 * warp + any % 7] = i, to[12 * n + 2 * warp + any % 7 + 1] = any;
    }
    for (int j = 0; j < rounds; j++) y = y * 0.25 + (j + 0.37), z += j;
    out[8 * n + near] = as_ulong(y), out[9 * n + near] = z;
}

/* Numbers of all lanes that lie here and there, as in rows of sparse matrices. */
kernel void scattered(global const ulong *in, global ulong *out, int rounds)
{
    int i = get_global_id(0), at = (i * 577 ^ i >> 3) & 1023;
    double sum = 0;
    for (int j = 0; j < rounds; j++) sum = sum * 0.5 + as_double(in[at ^ 5 * j]);
    out[i] = as_ulong(sum);
}

/* Some lanes of groups that fill no vector of the host. */
kernel void some(global const ulong *in, global ulong *out, int rounds)
{
    int i = get_global_id(0);
    uint at = in[i];
    double sum = 1;
    if (at % 8)
        for (int j = 0; j < rounds; j++) sum = sum * 0.5 + as_double(in[at & 1023]), at = at * 5 + i;
    out[i] = as_ulong(sum) + at;
}

/* Whose turns end where lanes wait that have left its loop. That is so long that a jump leads back, not the branch. */
#define FOUR(x) x = fma(x, 0.25, 0.5), x = fma(x, -0.5, 0.25), x = fma(x, 0.75, -0.5), x = fma(x, 0.5, 0.125)
#define MANY(x) FOUR(x), FOUR(x), FOUR(x), FOUR(x), FOUR(x), FOUR(x), FOUR(x), FOUR(x)
kernel void waits(global const double *in, global double *out, int rounds)
{
    int i = get_global_id(0), n = get_global_size(0);
    double x = in[i], y = 1;
    for (int j = 0; j < 4 * rounds; j++) {
        MANY(x), MANY(x), MANY(x), MANY(x);
        y = y * 1.5 + x;
        if (j > i % (3 * rounds)) break;
    }
    FOUR(y);
    out[i] = x, out[n + i] = y;
}
END
cat >in.py <<'END'
import random, struct
random.seed(5)
odd = [0, 1 << 63, 1, 0x7ff << 52, 0xfff << 52, 0x7ff8 << 48, 0xfff8 << 48, (0x7ff << 52) + 1, (0xfff << 52) + 77, 0x7fffffffffffffff]
near = lambda: struct.unpack("<Q", struct.pack("<d", random.uniform(-3, 3)))[0]
words = [random.choice(odd) if random.random() < 0.3 else near() if random.random() < 0.9 else random.getrandbits(64) for _ in range(1024)]
open("in.bin", "wb").write(struct.pack("<1024Q", *words))
END
python3 in.py || wrong "no input"
"$VENTUS_BUILD/ventus" cc k.cl -o k.elf || wrong "ventus cc"

run() { # file kernel engine
    range='-g 512 -l 64'
    [ "$2" != some ] || range='-g 504 -l 12'
    VENTUS_STATS=1 timeout 100 "$VENTUS_BUILD/ventus" run k.elf --kernel "$2" $range -a buf:@in.bin -a "out:40960:$1.bin" -a i:6 --stats \
        --engine "$3" ${config:+--config $config} 2>"$1.err" || wrong "$1: exit code $?: $(cat "$1.err")"
    counters "$1.err" >"$1.txt"
}
export VENTUS_TRANSLATE_VERIFY=1 VENTUS_TRANSLATE_LANES
for kernel in k rounded longs places scattered some; do
    run step $kernel step
    for level in v4fp16 v4 v3 base; do
        for VENTUS_TRANSLATE_LANES in all divergent; do
            VENTUS_NATIVE_LEVEL=$level run $level $kernel native
            grep -q '(100.0 %)' $level.err || [ $kernel = places ] || wrong "$kernel, $level: not translated: $(cat $level.err)"
            for what in bin txt; do cmp step.$what $level.$what || wrong "$kernel, $level, $VENTUS_TRANSLATE_LANES: other $what than step"; done
        done
    done
done

# `step` goes on where a turn has ended in translated code, and not up to the end of the kernel.
"$VENTUS_BUILD/ventus" info | sed 's/^quantum *=.*/quantum = 1000/' >turns
grep -q '^quantum = 1000' turns || wrong "no quantum: $(cat turns)"
config=turns
run step waits step
run native waits native
grep -q '(100.0 %)' native.err || wrong "waits: not translated: $(cat native.err)"
for what in bin txt; do cmp step.$what native.$what || wrong "waits: other $what than step"; done
exit $status
