// Arithmetic, comparisons and shifts of all integer types: results wrap to their bits.
//! types char uchar short ushort int uint long ulong
//! run arithmetic global=64 local=64/16/null
//! arg a T[64] = random(i)
//! arg b T[64] = i % 9 == 0 ? a[63 - i] : random(i + 1000)
//! arg add T[64] -> a[i] + b[i]
//! arg sub T[64] -> a[i] - b[i]
//! arg mul T[64] -> a[i] * b[i]
//! arg neg T[64] -> -a[i]
//! arg bits T[64] -> (a[i] & b[i]) ^ (a[i] | ~b[i])
kernel void arithmetic(global const T *a, global const T *b, global T *add, global T *sub, global T *mul,
                       global T *neg, global T *bits)
{
    int i = get_global_id(0);
    add[i] = a[i] + b[i];
    sub[i] = a[i] - b[i];
    mul[i] = a[i] * b[i];
    neg[i] = -a[i];
    bits[i] = (a[i] & b[i]) ^ (a[i] | ~b[i]);
}

//! run divide global=64 local=32
//! arg a T[64] = i < 4 ? -100 - i : random(i)
//! arg b T[64] = i % 3 == 0 ? i + 1 : random(i + 77) | 1
//! arg quotient T[64] -> a[i] / b[i]
//! arg remainder T[64] -> a[i] % b[i]
kernel void divide(global const T *a, global const T *b, global T *quotient, global T *remainder)
{
    int i = get_global_id(0);
    quotient[i] = a[i] / b[i];
    remainder[i] = a[i] % b[i];
}

//! run shift global=64 local=64
//! arg a T[64] = random(i)
//! arg left T[64] -> a[i] << (i % (8 * sizeof(T)))
//! arg right T[64] -> a[i] >> (i % (8 * sizeof(T)))
//! arg uniform_left T[64] -> a[i] << 3
//! arg n int = 5
//! arg by_argument T[64] -> a[i] >> n
kernel void shift(global const T *a, global T *left, global T *right, global T *uniform_left, int n,
                  global T *by_argument)
{
    int i = get_global_id(0), k = i % (8 * sizeof(T));
    left[i] = a[i] << k;
    right[i] = a[i] >> k;
    uniform_left[i] = a[i] << 3;
    by_argument[i] = a[i] >> n;
}

//! run compare global=64 local=16
//! arg a T[64] = random(i)
//! arg b T[64] = i % 5 == 0 ? a[i] : random(i + 5)
//! arg flags int[64] -> (b[i] < a[i]) + 2 * (a[i] == b[i]) + 4 * (a[i] != b[i]) + 8 * !((a[i] < b[i]))
//! arg larger T[64] -> (a[i] < b[i]) ? b[i] : a[i]
kernel void compare(global const T *a, global const T *b, global int *flags, global T *larger)
{
    int i = get_global_id(0);
    flags[i] = (b[i] < a[i]) + 2 * (a[i] == b[i]) + 4 * (a[i] != b[i]) + 8 * (a[i] >= b[i]);
    larger[i] = a[i] < b[i] ? b[i] : a[i];
}
