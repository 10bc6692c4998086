// Arithmetic, comparisons and shifts of uchar: results wrap to 8 bits.
//! run arithmetic global=64 local=64/16/null
//! arg a uchar[64] = random(i)
//! arg b uchar[64] = i % 9 == 0 ? a[63 - i] : random(i + 1000)
//! arg add uchar[64] -> a[i] + b[i]
//! arg sub uchar[64] -> a[i] - b[i]
//! arg mul uchar[64] -> a[i] * b[i]
//! arg neg uchar[64] -> -a[i]
//! arg bits uchar[64] -> (a[i] & b[i]) ^ (a[i] | ~b[i])
kernel void arithmetic(global const uchar *a, global const uchar *b, global uchar *add, global uchar *sub, global uchar *mul,
                       global uchar *neg, global uchar *bits)
{
    int i = get_global_id(0);
    add[i] = a[i] + b[i];
    sub[i] = a[i] - b[i];
    mul[i] = a[i] * b[i];
    neg[i] = -a[i];
    bits[i] = (a[i] & b[i]) ^ (a[i] | ~b[i]);
}

//! run divide global=64 local=32
//! arg a uchar[64] = i < 4 ? -100 - i : random(i)
//! arg b uchar[64] = i % 3 == 0 ? i + 1 : random(i + 77) | 1
//! arg quotient uchar[64] -> a[i] / b[i]
//! arg remainder uchar[64] -> a[i] % b[i]
kernel void divide(global const uchar *a, global const uchar *b, global uchar *quotient, global uchar *remainder)
{
    int i = get_global_id(0);
    quotient[i] = a[i] / b[i];
    remainder[i] = a[i] % b[i];
}

//! run shift global=64 local=64
//! arg a uchar[64] = random(i)
//! arg left uchar[64] -> a[i] << (i & (8 - 1))
//! arg right uchar[64] -> a[i] >> (i & (8 - 1))
//! arg uniform_left uchar[64] -> a[i] << 3
//! arg n int = 5
//! arg by_argument uchar[64] -> a[i] >> n
kernel void shift(global const uchar *a, global uchar *left, global uchar *right, global uchar *uniform_left, int n,
                  global uchar *by_argument)
{
    int i = get_global_id(0), k = i & (8 - 1);
    left[i] = a[i] << k;
    right[i] = a[i] >> k;
    uniform_left[i] = a[i] << 3;
    by_argument[i] = a[i] >> n;
}

//! run compare global=64 local=16
//! arg a uchar[64] = random(i)
//! arg b uchar[64] = i % 5 == 0 ? a[i] : random(i + 5)
//! arg flags int[64] -> (b[i] < a[i]) + 2 * (a[i] == b[i]) + 4 * (a[i] != b[i]) + 8 * !((a[i] < b[i]))
//! arg larger uchar[64] -> (a[i] < b[i]) ? b[i] : a[i]
kernel void compare(global const uchar *a, global const uchar *b, global int *flags, global uchar *larger)
{
    int i = get_global_id(0);
    flags[i] = (b[i] < a[i]) + 2 * (a[i] == b[i]) + 4 * (a[i] != b[i]) + 8 * (a[i] >= b[i]);
    larger[i] = a[i] < b[i] ? b[i] : a[i];
}
