// Quotients and remainders of 64 bits by constants, which are products: small ones, and those around powers of two.
//! types long ulong
//! run small global=64 local=32
//! arg a T[64] = i < 16 ? i - 8 : random(i) >> (i % 4 * 15)
//! arg quotient T[64*80] -> a[i / 80] / (i % 80 + 1)
//! arg remainder T[64*80] -> a[i / 80] % (i % 80 + 1)
kernel void small(global const T *a, global T *quotient, global T *remainder)
{
    int i = get_global_id(0);
#pragma unroll
    for (int k = 0; k < 80; k++) {
        quotient[i * 80 + k] = a[i] / (k + 1);
        remainder[i * 80 + k] = a[i] % (k + 1);
    }
}

//! run powers global=128 local=64
//! arg a T[128] = i < 63 ? (1 << i) - 1 : i < 96 ? -(1 << i % 63) + i : random(i)
//! arg quotient T[128*183] -> a[i / 183] / ((1 << i % 183 / 3 + 2) + i % 3 - 1)
//! arg remainder T[128*183] -> a[i / 183] % ((1 << i % 183 / 3 + 2) + i % 3 - 1)
kernel void powers(global const T *a, global T *quotient, global T *remainder)
{
    int i = get_global_id(0);
#pragma unroll
    for (int k = 0; k < 183; k++) {
        quotient[i * 183 + k] = a[i] / (((T)1 << k / 3 + 2) + k % 3 - 1);
        remainder[i * 183 + k] = a[i] % (((T)1 << k / 3 + 2) + k % 3 - 1);
    }
}

//! run negative global=64 local=64
//! types long
//! arg a long[64] = i < 2 ? 1 << 63 : random(i)
//! arg quotient long[64*6] -> a[i / 6] / (i % 6 == 0 ? -2 : i % 6 == 1 ? -3 : i % 6 == 2 ? -7 : i % 6 == 3 ? -1000003 : i % 6 == 4 ? -(1 << 40) : 5)
kernel void negative(global const long *a, global long *quotient)
{
    int i = get_global_id(0);
    quotient[i * 6] = a[i] / -2, quotient[i * 6 + 1] = a[i] / -3, quotient[i * 6 + 2] = a[i] / -7;
    quotient[i * 6 + 3] = a[i] / -1000003, quotient[i * 6 + 4] = a[i] / -(1l << 40), quotient[i * 6 + 5] = a[i] / 5;
}

//! run vectors global=64 local=64
//! types ulong
//! arg a ulong[64*4] = random(i)
//! arg quotient ulong[64*4] -> a[i] / (i % 4 == 0 ? 10 : i % 4 == 1 ? 1 : i % 4 == 2 ? 641 : a[i ^ 1] | 1)
kernel void vectors(global const ulong4 *a, global ulong4 *quotient)
{
    int i = get_global_id(0);
    quotient[i] = a[i] / (ulong4)(10, 1, 641, a[i].z | 1);
}
