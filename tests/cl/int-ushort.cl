// Arithmetic, comparisons and shifts of ushort: results wrap to 16 bits.
//! run arithmetic global=64 local=64/16/null
//! arg a ushort[64] = random(i)
//! arg b ushort[64] = i % 9 == 0 ? a[63 - i] : random(i + 1000)
//! arg add ushort[64] -> a[i] + b[i]
//! arg sub ushort[64] -> a[i] - b[i]
//! arg mul ushort[64] -> a[i] * b[i]
//! arg neg ushort[64] -> -a[i]
//! arg bits ushort[64] -> (a[i] & b[i]) ^ (a[i] | ~b[i])
kernel void arithmetic(global const ushort *a, global const ushort *b, global ushort *add, global ushort *sub, global ushort *mul,
                       global ushort *neg, global ushort *bits)
{
    int i = get_global_id(0);
    add[i] = a[i] + b[i];
    sub[i] = a[i] - b[i];
    mul[i] = a[i] * b[i];
    neg[i] = -a[i];
    bits[i] = (a[i] & b[i]) ^ (a[i] | ~b[i]);
}

//! run divide global=64 local=32
//! arg a ushort[64] = i < 4 ? -100 - i : random(i)
//! arg b ushort[64] = i % 3 == 0 ? i + 1 : random(i + 77) | 1
//! arg quotient ushort[64] -> a[i] / b[i]
//! arg remainder ushort[64] -> a[i] % b[i]
kernel void divide(global const ushort *a, global const ushort *b, global ushort *quotient, global ushort *remainder)
{
    int i = get_global_id(0);
    quotient[i] = a[i] / b[i];
    remainder[i] = a[i] % b[i];
}

//! run shift global=64 local=64
//! arg a ushort[64] = random(i)
//! arg left ushort[64] -> a[i] << (i & (16 - 1))
//! arg right ushort[64] -> a[i] >> (i & (16 - 1))
//! arg uniform_left ushort[64] -> a[i] << 3
//! arg n int = 5
//! arg by_argument ushort[64] -> a[i] >> n
kernel void shift(global const ushort *a, global ushort *left, global ushort *right, global ushort *uniform_left, int n,
                  global ushort *by_argument)
{
    int i = get_global_id(0), k = i & (16 - 1);
    left[i] = a[i] << k;
    right[i] = a[i] >> k;
    uniform_left[i] = a[i] << 3;
    by_argument[i] = a[i] >> n;
}

//! run compare global=64 local=16
//! arg a ushort[64] = random(i)
//! arg b ushort[64] = i % 5 == 0 ? a[i] : random(i + 5)
//! arg flags int[64] -> (b[i] < a[i]) + 2 * (a[i] == b[i]) + 4 * (a[i] != b[i]) + 8 * !((a[i] < b[i]))
//! arg larger ushort[64] -> (a[i] < b[i]) ? b[i] : a[i]
kernel void compare(global const ushort *a, global const ushort *b, global int *flags, global ushort *larger)
{
    int i = get_global_id(0);
    flags[i] = (b[i] < a[i]) + 2 * (a[i] == b[i]) + 4 * (a[i] != b[i]) + 8 * (a[i] >= b[i]);
    larger[i] = a[i] < b[i] ? b[i] : a[i];
}
