// Integer built-in functions.
//! run ints global=64 local=64/16
//! arg a int[64] = random(i)
//! arg b int[64] = i % 4 == 0 ? 2147483647 - i : random(i + 64)
//! arg c int[64] = random(i + 128) % 1000
//! arg high int[64] -> a[i] * b[i] >> 32
//! arg mad24s int[64] -> (a[i] >> 9) * (b[i] >> 20) + c[i]
//! arg saturated int[64] -> min(max(a[i] + b[i], -2147483648), 2147483647)
//! arg less int[64] -> min(max(a[i] - b[i], -2147483648), 2147483647)
//! arg halves int[64] -> a[i] + b[i] >> 1
//! arg rounded int[64] -> a[i] + b[i] + 1 >> 1
//! arg distances uint[64] -> abs(a[i] - b[i])
//! arg rotated int[64] -> (a[i] << (i & 31)) | ((a[i] & 0xffffffff) >> (32 - (i & 31)))
//! arg zeros int[64] -> clz(a[i] & 0xffffffff) - 32
//! arg ones int[64] -> popcount(a[i] & 0xffffffff)
//! arg chosen int[64] -> (a[i] & ~c[i]) | (b[i] & c[i])
//! arg absolute uint[64] -> abs(a[i])
kernel void ints(global const int *a, global const int *b, global const int *c, global int *high, global int *mad24s,
                 global int *saturated, global int *less, global int *halves, global int *rounded,
                 global uint *distances, global int *rotated, global int *zeros, global int *ones,
                 global int *chosen, global uint *absolute)
{
    int i = get_global_id(0), x = a[i], y = b[i];
    high[i] = mul_hi(x, y);
    mad24s[i] = mad24(x >> 9, y >> 20, c[i]);
    saturated[i] = add_sat(x, y);
    less[i] = sub_sat(x, y);
    halves[i] = hadd(x, y);
    rounded[i] = rhadd(x, y);
    distances[i] = abs_diff(x, y);
    rotated[i] = rotate(x, i);
    zeros[i] = clz(x);
    ones[i] = popcount(x);
    chosen[i] = bitselect(x, y, c[i]);
    absolute[i] = abs(x);
}

//! run small global=32 local=32
//! arg a char[32] = random(i)
//! arg b char[32] = random(i + 32)
//! arg sums char[32] -> min(max(a[i] + b[i], -128), 127)
//! arg u uchar[32] = random(i)
//! arg usums uchar[32] -> min(u[i] + uchar(b[i]), 255)
//! arg udiff uchar[32] -> max(u[i] - uchar(b[i]), 0)
//! arg zeros uchar[32] -> clz(u[i]) - 56
//! arg joined short[32] -> (a[i] << 8) | u[i]
//! arg highs char[32] -> a[i] * b[i] >> 8
//! arg rotated uchar[32] -> (u[i] << 3) | (u[i] >> 5)
kernel void small(global const char *a, global const char *b, global char *sums, global const uchar *u,
                  global uchar *usums, global uchar *udiff, global uchar *zeros, global short *joined,
                  global char *highs, global uchar *rotated)
{
    int i = get_global_id(0);
    sums[i] = add_sat(a[i], b[i]);
    usums[i] = add_sat(u[i], (uchar)b[i]);
    udiff[i] = sub_sat(u[i], (uchar)b[i]);
    zeros[i] = clz(u[i]);
    joined[i] = upsample(a[i], u[i]);
    highs[i] = mul_hi(a[i], b[i]);
    rotated[i] = rotate(u[i], (uchar)3);
}

//! run wide global=32 local=32
//! arg a long[32] = random(i)
//! arg b long[32] = i == 0 ? 0 : random(i + 32) >> i
//! arg high long[32] -> mulhi(a[i], b[i])
//! arg uhigh ulong[32] -> mulhi(ulong(a[i]), b[i])
//! arg zeros long[32] -> clz(b[i])
//! arg ones long[32] -> popcount(a[i])
//! arg rotated long[32] -> (a[i] << i) | (i ? ulong(a[i]) >> 64 - i : 0)
//! arg larger long[32] -> max(a[i], b[i])
//! arg absolute ulong[32] -> abs(a[i])
//! arg halves ulong[32] -> (ulong(a[i]) >> 1) + (ulong(b[i]) >> 1) + (a[i] & b[i] & 1)
kernel void wide(global const long *a, global const long *b, global long *high, global ulong *uhigh,
                 global long *zeros, global long *ones, global long *rotated, global long *larger,
                 global ulong *absolute, global ulong *halves)
{
    int i = get_global_id(0);
    high[i] = mul_hi(a[i], b[i]);
    uhigh[i] = mul_hi((ulong)a[i], (ulong)b[i]);
    zeros[i] = clz(b[i]);
    ones[i] = popcount(a[i]);
    rotated[i] = rotate(a[i], (long)i);
    larger[i] = max(a[i], b[i]);
    absolute[i] = abs(a[i]);
    halves[i] = hadd((ulong)a[i], (ulong)b[i]);
}

// The optimizer makes a reversal of 7 bits of this loop.
//! run reversed global=128 local=32
//! arg out int[128] -> ((i & 1) << 6) | ((i & 2) << 4) | ((i & 4) << 2) | (i & 8) | ((i & 16) >> 2) | ((i & 32) >> 4) | ((i & 64) >> 6)
kernel void reversed(global int *out)
{
    int i = get_global_id(0), r = 0;
    for (int b = 0; b < 7; b++) r |= (i >> b & 1) << (6 - b);
    out[i] = r;
}
