// Arithmetic, comparisons and shifts of uint: results wrap to 32 bits.
//! run arithmetic global=64 local=64/16/null
//! arg a uint[64] = random(i)
//! arg b uint[64] = i % 9 == 0 ? a[63 - i] : random(i + 1000)
//! arg add uint[64] -> a[i] + b[i]
//! arg sub uint[64] -> a[i] - b[i]
//! arg mul uint[64] -> a[i] * b[i]
//! arg neg uint[64] -> -a[i]
//! arg bits uint[64] -> (a[i] & b[i]) ^ (a[i] | ~b[i])
kernel void arithmetic(global const uint *a, global const uint *b, global uint *add, global uint *sub, global uint *mul,
                       global uint *neg, global uint *bits)
{
    int i = get_global_id(0);
    add[i] = a[i] + b[i];
    sub[i] = a[i] - b[i];
    mul[i] = a[i] * b[i];
    neg[i] = -a[i];
    bits[i] = (a[i] & b[i]) ^ (a[i] | ~b[i]);
}

//! run divide global=64 local=32
//! arg a uint[64] = i < 4 ? -100 - i : random(i)
//! arg b uint[64] = i % 3 == 0 ? i + 1 : random(i + 77) | 1
//! arg quotient uint[64] -> a[i] / b[i]
//! arg remainder uint[64] -> a[i] % b[i]
kernel void divide(global const uint *a, global const uint *b, global uint *quotient, global uint *remainder)
{
    int i = get_global_id(0);
    quotient[i] = a[i] / b[i];
    remainder[i] = a[i] % b[i];
}

//! run shift global=64 local=64
//! arg a uint[64] = random(i)
//! arg left uint[64] -> a[i] << (i & (32 - 1))
//! arg right uint[64] -> a[i] >> (i & (32 - 1))
//! arg uniform_left uint[64] -> a[i] << 3
//! arg n int = 5
//! arg by_argument uint[64] -> a[i] >> n
kernel void shift(global const uint *a, global uint *left, global uint *right, global uint *uniform_left, int n,
                  global uint *by_argument)
{
    int i = get_global_id(0), k = i & (32 - 1);
    left[i] = a[i] << k;
    right[i] = a[i] >> k;
    uniform_left[i] = a[i] << 3;
    by_argument[i] = a[i] >> n;
}

//! run compare global=64 local=16
//! arg a uint[64] = random(i)
//! arg b uint[64] = i % 5 == 0 ? a[i] : random(i + 5)
//! arg flags int[64] -> (b[i] < a[i]) + 2 * (a[i] == b[i]) + 4 * (a[i] != b[i]) + 8 * !((a[i] < b[i]))
//! arg larger uint[64] -> (a[i] < b[i]) ? b[i] : a[i]
kernel void compare(global const uint *a, global const uint *b, global int *flags, global uint *larger)
{
    int i = get_global_id(0);
    flags[i] = (b[i] < a[i]) + 2 * (a[i] == b[i]) + 4 * (a[i] != b[i]) + 8 * (a[i] >= b[i]);
    larger[i] = a[i] < b[i] ? b[i] : a[i];
}
