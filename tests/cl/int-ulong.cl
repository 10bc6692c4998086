// Arithmetic, comparisons and shifts of ulong: results wrap to 64 bits.
//! run arithmetic global=64 local=64/16/null
//! arg a ulong[64] = random(i)
//! arg b ulong[64] = i % 9 == 0 ? a[63 - i] : random(i + 1000)
//! arg add ulong[64] -> a[i] + b[i]
//! arg sub ulong[64] -> a[i] - b[i]
//! arg mul ulong[64] -> a[i] * b[i]
//! arg neg ulong[64] -> -a[i]
//! arg bits ulong[64] -> (a[i] & b[i]) ^ (a[i] | ~b[i])
kernel void arithmetic(global const ulong *a, global const ulong *b, global ulong *add, global ulong *sub, global ulong *mul,
                       global ulong *neg, global ulong *bits)
{
    int i = get_global_id(0);
    add[i] = a[i] + b[i];
    sub[i] = a[i] - b[i];
    mul[i] = a[i] * b[i];
    neg[i] = -a[i];
    bits[i] = (a[i] & b[i]) ^ (a[i] | ~b[i]);
}

//! run divide global=64 local=32
//! arg a ulong[64] = i < 4 ? -100 - i : random(i)
//! arg b ulong[64] = i % 3 == 0 ? i + 1 : random(i + 77) | 1
//! arg quotient ulong[64] -> udiv(a[i], b[i])
//! arg remainder ulong[64] -> umod(a[i], b[i])
kernel void divide(global const ulong *a, global const ulong *b, global ulong *quotient, global ulong *remainder)
{
    int i = get_global_id(0);
    quotient[i] = a[i] / b[i];
    remainder[i] = a[i] % b[i];
}

//! run shift global=64 local=64
//! arg a ulong[64] = random(i)
//! arg left ulong[64] -> a[i] << (i & (64 - 1))
//! arg right ulong[64] -> ushr(a[i], i & 63)
//! arg uniform_left ulong[64] -> a[i] << 3
//! arg n int = 5
//! arg by_argument ulong[64] -> ushr(a[i], n)
kernel void shift(global const ulong *a, global ulong *left, global ulong *right, global ulong *uniform_left, int n,
                  global ulong *by_argument)
{
    int i = get_global_id(0), k = i & (64 - 1);
    left[i] = a[i] << k;
    right[i] = a[i] >> k;
    uniform_left[i] = a[i] << 3;
    by_argument[i] = a[i] >> n;
}

//! run compare global=64 local=16
//! arg a ulong[64] = random(i)
//! arg b ulong[64] = i % 5 == 0 ? a[i] : random(i + 5)
//! arg flags int[64] -> (ult(b[i], a[i])) + 2 * (a[i] == b[i]) + 4 * (a[i] != b[i]) + 8 * !(ult(a[i], b[i]))
//! arg larger ulong[64] -> ult(a[i], b[i]) ? b[i] : a[i]
kernel void compare(global const ulong *a, global const ulong *b, global int *flags, global ulong *larger)
{
    int i = get_global_id(0);
    flags[i] = (b[i] < a[i]) + 2 * (a[i] == b[i]) + 4 * (a[i] != b[i]) + 8 * (a[i] >= b[i]);
    larger[i] = a[i] < b[i] ? b[i] : a[i];
}
