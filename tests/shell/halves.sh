# Sums, products and fused products of halves on each host level: every half as the one operand, both kinds of zero, infinities, NaNs,
# subnormal and large numbers as the others, as results and in the middle of a chain. A level with arithmetic on halves does without
# what the others compute in floats.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
cat >k.cl <<'END'
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global const half2 *in, global half2 *out)
{
    size_t i = get_global_id(0);
    half2 a = (half2)(as_half((ushort)i), as_half((ushort)~i)), sum = 0;
    for (int j = 0; j < 24; j++) {
        half2 b = in[j], c = in[j * 7 % 24];
        out[i * 73 + j * 3] = a + b;
        out[i * 73 + j * 3 + 1] = a * b;
        out[i * 73 + j * 3 + 2] = fma(a, b, c);
        sum = (sum + a) * b - c;
    }
    out[i * 73 + 72] = sum;
}
END
cat >in.py <<'END'
import random, struct
random.seed(3)
known = [0, 0x8000, 1, 0x8001, 0x3ff, 0x83ff, 0x400, 0x3bff, 0x3c00, 0xbc00, 0x3c01, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0x7e00, 0xfe55]
halves = known + [random.getrandbits(16) for _ in range(48 - len(known))]
open("in.bin", "wb").write(struct.pack("<48H", *halves))
END
python3 in.py || wrong "no input"
"$VENTUS_BUILD/ventus" cc k.cl -o k.elf || wrong "ventus cc"

run() { # file engine
    VENTUS_STATS=1 timeout 100 "$VENTUS_BUILD/ventus" run k.elf -g 65536 -l 64 -a buf:@in.bin -a "out:19136512:$1.bin" --stats --engine "$2" \
        2>"$1.err" || wrong "$1: exit code $?: $(cat "$1.err")"
    counters "$1.err" >"$1.txt"
}
run step step
for level in v4fp16 v4 v3 base; do
    VENTUS_NATIVE_LEVEL=$level run "$level" native
    grep -q '(100.0 %); 1 translations' "$level.err" || wrong "$level: not translated: $(cat "$level.err")"
    for what in bin txt; do cmp step.$what "$level.$what" || wrong "$level: other $what than step"; done
done
exit $status
