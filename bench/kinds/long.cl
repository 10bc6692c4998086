// Integers of 64 bits.
//! sizes 2048 65536

//! run l_division global=N local=64
//! arg a ulong[N] = random(i)
//! arg b ulong[N] = (random(i + 9) >> 20 & 0xffffffffff) + 1
//! arg out ulong[N] -> any
kernel void l_division(global const ulong *a, global const ulong *b, global ulong *out)
{
    int i = get_global_id(0);
    out[i] = a[i] / b[i] + a[i] % (b[i] ^ 0x55);
}

//! run l_signed_division global=N local=64
//! arg a long[N] = random(i)
//! arg b long[N] = random(i + 9) >> 40 | 1
//! arg out long[N] -> any
kernel void l_signed_division(global const long *a, global const long *b, global long *out)
{
    int i = get_global_id(0);
    long x = a[i], sum = 0;
    for (int k = 0; k < 4; k++) sum += x / b[i] - x % 1000003, x = x * 31 + k;
    out[i] = sum;
}

//! run l_mul_hi global=N local=64
//! arg a ulong[N] = random(i)
//! arg b ulong[N] = random(i + 9)
//! arg out ulong[N] -> any
kernel void l_mul_hi(global const ulong *a, global const ulong *b, global ulong *out)
{
    int i = get_global_id(0);
    ulong x = a[i], y = b[i];
    for (int k = 0; k < 8; k++) x = mul_hi(x, y) ^ x * y;
    out[i] = x;
}

//! run l_lcg global=N local=64
//! arg seeds ulong[N] = random(i)
//! arg out uint[N] -> any
kernel void l_lcg(global const ulong *seeds, global uint *out)
{
    int i = get_global_id(0);
    ulong x = seeds[i];
    uint sum = 0;
    for (int k = 0; k < 64; k++) {
        x = x * 6364136223846793005ul + 1442695040888963407ul;
        sum += (uint)(x >> 33);
    }
    out[i] = sum;
}

//! run l_xorshift global=N local=64
//! arg seeds ulong[N] = random(i) | 1
//! arg out ulong[N] -> any
kernel void l_xorshift(global const ulong *seeds, global ulong *out)
{
    int i = get_global_id(0);
    ulong x = seeds[i], sum = 0;
    for (int k = 0; k < 64; k++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        sum += x * 0x2545f4914f6cdd1dul;
    }
    out[i] = sum;
}

//! run l_collatz global=N local=64
//! arg out int[N] -> any
kernel void l_collatz(global int *out)
{
    int i = get_global_id(0), steps = 0;
    for (ulong x = i * 1000003ul + 1; x != 1 && steps < 500; steps++) x = x & 1 ? 3 * x + 1 : x >> 1;
    out[i] = steps;
}

//! run l_gcd global=N local=64
//! arg a ulong[N] = random(i) >> 24 & 0xffffffffff
//! arg b ulong[N] = random(i + 5) >> 24 & 0xffffffffff
//! arg out ulong[N] -> any
kernel void l_gcd(global const ulong *a, global const ulong *b, global ulong *out)
{
    int i = get_global_id(0);
    ulong x = a[i], y = b[i];
    while (y) {
        ulong rest = x % y;
        x = y;
        y = rest;
    }
    out[i] = x;
}

//! run l_fixed_point global=N local=64
//! arg a long[N] = random(i) >> 30
//! arg out long[N] -> any
kernel void l_fixed_point(global const long *a, global long *out)
{
    int i = get_global_id(0);
    long x = a[i], y = x;
    for (int k = 0; k < 16; k++) {
        y = (mul_hi(x, y) << 32) + ((ulong)(x * y) >> 32) + (1l << 30);
        y = clamp(y, -(1l << 33), 1l << 33);
    }
    out[i] = y;
}

//! run l_popcount global=N local=64
//! arg a ulong[N*4] = random(i)
//! arg b ulong[4] = random(i + 11)
//! arg out int[N] -> any
kernel void l_popcount(global const ulong *a, global const ulong *b, global int *out)
{
    int i = get_global_id(0), sum = 0;
    for (int k = 0; k < 4; k++) {
        ulong x = a[4 * i + k] ^ b[k];
        sum += (int)popcount(x) + (int)clz(x);
    }
    out[i] = sum;
}

//! run l_murmur global=N local=64
//! arg in ulong[N*4] = random(i)
//! arg out ulong[N] -> any
kernel void l_murmur(global const ulong *in, global ulong *out)
{
    int i = get_global_id(0);
    ulong h = 0x9747b28c;
    for (int k = 0; k < 4; k++) {
        ulong x = in[i * 4 + k] * 0xc6a4a7935bd1e995ul;
        x ^= x >> 47;
        h = (h ^ x * 0xc6a4a7935bd1e995ul) * 0xc6a4a7935bd1e995ul;
    }
    out[i] = h ^ h >> 47;
}
