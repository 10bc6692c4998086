# Routines of the library that stand for an operation (isa/routine.h): where translated code executes it in their place,
# results and counters are those of `step`, bit by bit, for numbers of every kind; code without the mark is called.
set -u
. "$VENTUS_SOURCE/tests/shell/common"

cat >k.cl <<'END'
ulong bits(double d) { return as_ulong(d); }
kernel void k(global const ulong *in, global ulong *out)
{
    uint i = get_global_id(0);
    double x = as_double(in[i & 31]), y = as_double(in[i >> 5]), z = as_double(in[(i * 7 >> 3) & 31]);
    ulong a = in[i & 31], b = in[i >> 5], c = in[(i * 7 >> 3) & 31] >> (i * 5 & 63);
    global ulong *o = out + i * 44;
    uint word = c;
    if ((i ^ i >> 5) & 3) { /* lanes diverge */
        o[0] = bits(x + y), o[1] = bits(x * y), o[2] = bits(fma(x, y, z)), o[3] = bits(x / y), o[4] = bits(sqrt(x));
        o[5] = (uint)((x < y) | (x == y) << 1 | (x > y) << 2 | (x != y) << 3);
    }
    o[6] = bits(floor(x)), o[7] = bits(ceil(x)), o[8] = bits(trunc(x)), o[9] = bits(rint(x));
    o[10] = (uint)convert_int_sat(x), o[11] = convert_uint_sat(x);
    o[12] = bits((double)(int)in[i & 31]), o[13] = bits((double)(uint)in[i & 31]);
    o[14] = bits((double)as_float((uint)(in[i & 31] >> 32))), o[15] = as_uint((float)x), o[16] = bits(x - y);
    o[18] = bits(fmin(x, y)), o[19] = bits(fmax(x, y)), o[20] = bits(round(x)), o[21] = (ulong)convert_long_sat(x), o[22] = convert_ulong_sat(x);
    o[23] = bits((double)(long)in[i & 31]), o[24] = bits((double)(in[i & 31] ^ in[i >> 5] >> 7)), o[25] = bits(fmax(y, z));
    o[26] = bits(fma(rint(x + y), z, sqrt(x * z)) - floor(y * z)); /* what is in between is as the host makes it */
    o[27] = bits(fmin(trunc(x * y), z + x) + ceil(x - z));
    o[28] = a / b, o[29] = a % c, o[30] = (long)a / (long)c, o[31] = (long)b % (long)a;
    if ((i ^ i >> 5) & 5) o[32] = (a ^ c) / c, o[33] = (a ^ c) % a, o[34] = (long)(a ^ c) / (long)b, o[35] = (long)c % (long)b;
    o[40] = a / word, o[41] = b % word, o[42] = ((long)a >> (i & 40)) / word, o[43] = ((long)b >> (i & 40)) % word;
    double w = x * y, most = fmin(fmax(w, y), 1.5);
    o[36] = bits(fmin(x, 1.5)), o[37] = bits(fmax(x, 0.0)), o[38] = bits(fmin(fmax(y, -0.0), 0.0));
    o[39] = bits((most > 0.5 ? most : -fabs(w)) * (w < y ? 0.1 : -0.1) + (y > x ? 1.0 : w));
    for (int n = 0; n < 500; n++) z = z * 0.75 + y; /* more instructions than a warp's turn has */
    o[17] = bits(z);
}
END
# Zeros, subnormals, ones, halves and what is beside them, the ends of int, uint and float, infinities, NaNs, others.
cat >in.py <<'END'
import struct
numbers = [0.0, -0.0, 5e-324, -2.2250738585072009e-308, 2.2250738585072014e-308, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5,
           0.49999999999999994, 2147483647.0, 2147483648.5, -2147483648.0, -2147483649.0, 4294967295.0, 4294967296.0,
           4503599627370497.5, 1e300, -1.7976931348623157e308, 3.4028235677973366e38, 1.4e-45, 7e-46, 3.141592653589793,
           -123.456, float("inf"), float("-inf")]
words = [struct.unpack("<Q", struct.pack("<d", n))[0] for n in numbers]
words += [0x7ff8000000000000, 0xfff8000000000001, 0x7ff0000000000001, 0x7f8123453f800000]
open("in.bin", "wb").write(struct.pack("<32Q", *words))
END
python3 in.py || wrong "no input"

run() { # file engine program
    VENTUS_STATS=1 timeout 100 "$VENTUS_BUILD/ventus" run "$3" -g 1024 -a buf:@in.bin -a "out:360448:$1.bin" --stats --engine "$2" 2>"$1.err" ||
        wrong "$1: exit code $?: $(cat "$1.err")"
    counters "$1.err" >"$1.txt"
}
same() { # file
    cmp -s step.bin "$1.bin" || wrong "$1: other results than step: $(cmp -l step.bin "$1.bin" | head -3)"
    cmp -s step.txt "$1.txt" || wrong "$1: other counters than step: $(diff step.txt "$1.txt")"
}
translated() { sed -n 's/.*translations of \([0-9]*\) instructions.*/\1/p' "$1.err"; }

# Quotients and remainders, where the divisor is not 0.
cat >divisions.py <<'END'
import struct, sys
words, out = struct.unpack("<32Q", open("in.bin", "rb").read()), struct.unpack("<45056Q", open("step.bin", "rb").read())
ALL = (1 << 64) - 1
def signed(x): return x - (1 << 64) if x >> 63 else x
def quotient(x, y): return abs(x) // abs(y) * (-1 if (x < 0) != (y < 0) else 1) & ALL
def rest(x, y): return (abs(x) % abs(y) * (-1 if x < 0 else 1)) & ALL
for i in range(1024):
    a, b, c = words[i & 31], words[i >> 5], words[(i * 7 >> 3) & 31] >> (i * 5 & 63)
    sa, sb, sc, d, w = signed(a), signed(b), signed(c), a ^ c, c & 0xffffffff
    asked = [(quotient, a, b), (rest, a, c), (quotient, sa, sc), (rest, sb, sa)]
    if (i ^ i >> 5) & 5: asked += [(quotient, d, c), (rest, d, a), (quotient, signed(d), sb), (rest, sc, sb)]
    asked = list(enumerate(asked, 28)) + list(enumerate([(quotient, a, w), (rest, b, w), (quotient, sa >> (i & 40), w), (rest, sb >> (i & 40), w)], 40))
    for k, (f, x, y) in asked:
        if y and out[44 * i + k] != f(x, y):
            sys.exit("%s(%d, %d) is %d" % (f.__name__, x, y, out[44 * i + k]))
END
levels=$("$ventus" info | sed -n 's/^# engine native .*builds for this host: //p')
best=${levels%% *}
[ -n "$best" ] || wrong "no levels of this host"
"$ventus" cc k.cl -o k.elf || wrong "ventus cc"
run step step k.elf
python3 divisions.py || wrong "a quotient or remainder is wrong"
export VENTUS_TRANSLATE_LANES VENTUS_TRANSLATE_EFFORT=least
for level in $levels; do
    VENTUS_TRANSLATE_LANES=convergent VENTUS_NATIVE_LEVEL=$level run "$level-together" native k.elf
    same "$level-together"
done
VENTUS_TRANSLATE_LANES=divergent VENTUS_NATIVE_LEVEL=v3 run v3-part native k.elf
same v3-part
unset VENTUS_TRANSLATE_EFFORT
VENTUS_TRANSLATE_LANES=convergent run best native k.elf
same best

# Choices of both words of a double, some of them between constants, in a loop (translator/choices.c, pairs.c).
cat >choices.cl <<'END'
kernel void choices(global const double *in, global double *out)
{
    double x = in[get_global_id(0) & 31], sum = 0;
    for (int k = 0; k < 16; k++) {
        double y = fmin(fmax(x, -1.0 + k * 0.1), 1.5);
        sum += y > 0.5 ? y : -fabs(x);
        x = x * 0.9 + (x < y ? 0.1 : -0.1);
    }
    out[get_global_id(0)] = sum;
}
END
"$ventus" cc choices.cl -o choices.elf || wrong "ventus cc choices.cl"
run step step choices.elf
for level in $levels; do
    VENTUS_NATIVE_LEVEL=$level run "$level-choices" native choices.elf
    same "$level-choices"
done

# Lanes that diverge in a loop run one after the other, each with the operations of a single number (translator/nest.c).
cat >lanes.cl <<'END'
#define IN(shift) in[u >> (shift) & 31]
#define X as_double(IN(7))
#define Y as_double(IN(12))
#define Z as_double(IN(3))
#define WORD ((uint)IN(12) | 1)
#define CASE(n, e) case n: r ^= (e); break;
#define BITS(n, e) CASE(n, as_ulong(e))
kernel void lanes(global const ulong *in, global ulong *out)
{
    uint i = get_global_id(0), u = i * 2654435761u, n = (u >> 27) + 8;
    ulong r = 0;
    for (uint k = 0; k < n; k++) {
        u = u * 1664525 + 1013904223;
        switch (u >> 29) { CASES }
        r = r << 1 | r >> 63;
    }
    out[i] = r;
}
END
number=0 usual=v3 least=base # efforts, in turn: what the translator makes of the operations does not depend on them
for cases in 'BITS(0, X + Y) BITS(1, X * Y) BITS(2, fma(X, Y, Z)) BITS(3, X / Y) BITS(4, sqrt(X)) CASE(5, X < Y) CASE(6, X == Y)' \
    'BITS(0, floor(X)) BITS(1, ceil(X)) BITS(2, trunc(X)) BITS(3, rint(X)) BITS(4, round(X)) CASE(5, convert_int_sat(X)) CASE(6, convert_uint_sat(X))' \
    'BITS(0, (double)(int)IN(7)) BITS(1, (double)(uint)IN(7)) BITS(2, (double)as_float((uint)(IN(7) >> 32))) CASE(3, as_uint((float)X)) BITS(4, fmin(X, Y)) BITS(5, fmax(X, Y))' \
    'CASE(0, convert_long_sat(X)) CASE(1, convert_ulong_sat(X)) BITS(2, (double)(long)IN(7)) BITS(3, (double)IN(7))' \
    'CASE(0, IN(7) / IN(12)) CASE(1, IN(7) % IN(12)) CASE(2, (long)IN(7) / (long)IN(12)) CASE(3, (long)IN(7) % (long)IN(12)) CASE(4, IN(7) / (IN(12) >> 40)) CASE(5, (long)IN(7) % ((long)IN(12) >> 40))' \
    'CASE(0, IN(7) / WORD) CASE(1, IN(7) % WORD) CASE(2, (long)IN(7) / WORD) CASE(3, (long)IN(7) % WORD)'; do
    number=$((number + 1))
    sed "s|CASES|$cases|" lanes.cl >lanes$number.cl
    "$ventus" cc lanes$number.cl -o lanes$number.elf || wrong "ventus cc lanes$number.cl"
    run step step lanes$number.elf
    VENTUS_TRANSLATE_LANES=divergent VENTUS_NATIVE_LEVEL=$usual run "$usual-lanes$number" native lanes$number.elf
    VENTUS_TRANSLATE_LANES=divergent VENTUS_NATIVE_LEVEL=$least VENTUS_TRANSLATE_EFFORT=least run "$least-lanes$number" native lanes$number.elf
    for level in v3 base; do same "$level-lanes$number"; done
    next=$least least=$usual usual=$next
done

# Numbers that all lanes of a warp have, of which one makes the same for all, and of which scalar registers hold the
# words meanwhile; others are equal in a few lanes.
cat >uniform.cl <<'END'
#define ALL(n) as_double(in[(n) & 31])
#define OWN    as_double(in[u >> 7 & 31])
#define EIGHT  as_double(in[i >> 3 & 31])
#define CASE(n, e) case n: r ^= as_ulong(e); break;
kernel void uniform(global const ulong *in, global ulong *out)
{
    uint i = get_global_id(0), u = i * 2654435761u, n = (u >> 27) + 8;
    ulong r = 0;
    for (uint k = 0; k < n; k++) {
        u = u * 1664525 + 1013904223;
        switch (u >> 29) {
        CASE(0, ALL(k) * 0.5 - OWN * 0.25)
        CASE(1, ALL(k) / ALL(k * 3 + 1) + OWN)
        CASE(2, fma(ALL(k), OWN, ALL(k + 1)))
        CASE(3, sqrt(ALL(k + 5)) * EIGHT)
        CASE(4, fmax(ALL(k), ALL(k + 7)) + EIGHT * ALL(k))
        CASE(5, (double)convert_int_sat(ALL(k)) * OWN)
        }
        r = r << 1 | r >> 63;
    }
    out[i] = r;
}
END
"$ventus" cc uniform.cl -o uniform.elf || wrong "ventus cc uniform.cl"
run step step uniform.elf
for level in $levels; do
    VENTUS_TRANSLATE_LANES=divergent VENTUS_NATIVE_LEVEL=$level run "$level-uniform" native uniform.elf
    same "$level-uniform"
done

# Divisors of 32 bits have a routine of their own: half of the code of a division is enough.
for divisor in 'b[i]' 'b[i] & 0xffffffff' '(uint)b[i]' '(b[i] & 0xffff0000) | (uint)b[i + 1]' 'b[i] >> 33'; do
    echo "kernel void d(global ulong *a, global ulong *b) { size_t i = get_global_id(0); a[i] /= $divisor; }" >d.cl
    "$ventus" cc d.cl -o d.elf || wrong "$divisor"
    found=$(readelf -sW d.elf | grep -o '__ventus_routine_.*')
    [ "$found" = "__ventus_routine_$([ "$divisor" = 'b[i]' ] && echo udiv64 || echo udiv_word)" ] ||
        wrong "$found for a divisor $divisor"
done

# The same program without the marks: the routines themselves are translated.
cat >plain.py <<'END'
import struct, sys
code = open("k.elf", "rb").read()
mark = struct.pack("<I", 0x5d0 << 20 | 0x2013)
open("plain.elf", "wb").write(code.replace(mark, struct.pack("<I", 0x13)))
sys.exit(code.count(mark) < 24)
END
python3 plain.py || wrong "there are not as many marks as routines"
VENTUS_TRANSLATE_LANES=convergent VENTUS_NATIVE_LEVEL=$best VENTUS_TRANSLATE_EFFORT=least run plain native plain.elf
[ "$(translated plain)" -gt $(($(translated $best-together) + 1000)) ] ||
    wrong "marks make no difference: $(translated plain) instructions, $(translated $best-together) with them"
exit $status
