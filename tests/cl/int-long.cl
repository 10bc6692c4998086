// Arithmetic, comparisons and shifts of long: results wrap to 64 bits.
//! run arithmetic global=64 local=64/16/null
//! arg a long[64] = random(i)
//! arg b long[64] = i % 9 == 0 ? a[63 - i] : random(i + 1000)
//! arg add long[64] -> a[i] + b[i]
//! arg sub long[64] -> a[i] - b[i]
//! arg mul long[64] -> a[i] * b[i]
//! arg neg long[64] -> -a[i]
//! arg bits long[64] -> (a[i] & b[i]) ^ (a[i] | ~b[i])
kernel void arithmetic(global const long *a, global const long *b, global long *add, global long *sub, global long *mul,
                       global long *neg, global long *bits)
{
    int i = get_global_id(0);
    add[i] = a[i] + b[i];
    sub[i] = a[i] - b[i];
    mul[i] = a[i] * b[i];
    neg[i] = -a[i];
    bits[i] = (a[i] & b[i]) ^ (a[i] | ~b[i]);
}

//! run divide global=64 local=32
//! arg a long[64] = i < 4 ? -100 - i : random(i)
//! arg b long[64] = i % 3 == 0 ? i + 1 : random(i + 77) | 1
//! arg quotient long[64] -> a[i] / b[i]
//! arg remainder long[64] -> a[i] % b[i]
kernel void divide(global const long *a, global const long *b, global long *quotient, global long *remainder)
{
    int i = get_global_id(0);
    quotient[i] = a[i] / b[i];
    remainder[i] = a[i] % b[i];
}

//! run shift global=64 local=64
//! arg a long[64] = random(i)
//! arg left long[64] -> a[i] << (i & (64 - 1))
//! arg right long[64] -> a[i] >> (i & 63)
//! arg uniform_left long[64] -> a[i] << 3
//! arg n int = 5
//! arg by_argument long[64] -> a[i] >> n
kernel void shift(global const long *a, global long *left, global long *right, global long *uniform_left, int n,
                  global long *by_argument)
{
    int i = get_global_id(0), k = i & (64 - 1);
    left[i] = a[i] << k;
    right[i] = a[i] >> k;
    uniform_left[i] = a[i] << 3;
    by_argument[i] = a[i] >> n;
}

//! run compare global=64 local=16
//! arg a long[64] = random(i)
//! arg b long[64] = i % 5 == 0 ? a[i] : random(i + 5)
//! arg flags int[64] -> (b[i] < a[i]) + 2 * (a[i] == b[i]) + 4 * (a[i] != b[i]) + 8 * !((a[i] < b[i]))
//! arg larger long[64] -> (a[i] < b[i]) ? b[i] : a[i]
kernel void compare(global const long *a, global const long *b, global int *flags, global long *larger)
{
    int i = get_global_id(0);
    flags[i] = (b[i] < a[i]) + 2 * (a[i] == b[i]) + 4 * (a[i] != b[i]) + 8 * (a[i] >= b[i]);
    larger[i] = a[i] < b[i] ? b[i] : a[i];
}
