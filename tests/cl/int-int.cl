// Arithmetic, comparisons and shifts of int: results wrap to 32 bits.
//! run arithmetic global=64 local=64/16/null
//! arg a int[64] = random(i)
//! arg b int[64] = i % 9 == 0 ? a[63 - i] : random(i + 1000)
//! arg add int[64] -> a[i] + b[i]
//! arg sub int[64] -> a[i] - b[i]
//! arg mul int[64] -> a[i] * b[i]
//! arg neg int[64] -> -a[i]
//! arg bits int[64] -> (a[i] & b[i]) ^ (a[i] | ~b[i])
kernel void arithmetic(global const int *a, global const int *b, global int *add, global int *sub, global int *mul,
                       global int *neg, global int *bits)
{
    int i = get_global_id(0);
    add[i] = a[i] + b[i];
    sub[i] = a[i] - b[i];
    mul[i] = a[i] * b[i];
    neg[i] = -a[i];
    bits[i] = (a[i] & b[i]) ^ (a[i] | ~b[i]);
}

//! run divide global=64 local=32
//! arg a int[64] = i < 4 ? -100 - i : random(i)
//! arg b int[64] = i % 3 == 0 ? i + 1 : random(i + 77) | 1
//! arg quotient int[64] -> a[i] / b[i]
//! arg remainder int[64] -> a[i] % b[i]
kernel void divide(global const int *a, global const int *b, global int *quotient, global int *remainder)
{
    int i = get_global_id(0);
    quotient[i] = a[i] / b[i];
    remainder[i] = a[i] % b[i];
}

//! run shift global=64 local=64
//! arg a int[64] = random(i)
//! arg left int[64] -> a[i] << (i & (32 - 1))
//! arg right int[64] -> a[i] >> (i & (32 - 1))
//! arg uniform_left int[64] -> a[i] << 3
//! arg n int = 5
//! arg by_argument int[64] -> a[i] >> n
kernel void shift(global const int *a, global int *left, global int *right, global int *uniform_left, int n,
                  global int *by_argument)
{
    int i = get_global_id(0), k = i & (32 - 1);
    left[i] = a[i] << k;
    right[i] = a[i] >> k;
    uniform_left[i] = a[i] << 3;
    by_argument[i] = a[i] >> n;
}

//! run compare global=64 local=16
//! arg a int[64] = random(i)
//! arg b int[64] = i % 5 == 0 ? a[i] : random(i + 5)
//! arg flags int[64] -> (b[i] < a[i]) + 2 * (a[i] == b[i]) + 4 * (a[i] != b[i]) + 8 * !((a[i] < b[i]))
//! arg larger int[64] -> (a[i] < b[i]) ? b[i] : a[i]
kernel void compare(global const int *a, global const int *b, global int *flags, global int *larger)
{
    int i = get_global_id(0);
    flags[i] = (b[i] < a[i]) + 2 * (a[i] == b[i]) + 4 * (a[i] != b[i]) + 8 * (a[i] >= b[i]);
    larger[i] = a[i] < b[i] ? b[i] : a[i];
}
