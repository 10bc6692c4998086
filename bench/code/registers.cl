// More values than registers, or than registers that need no prefix.

// A hash of 64 bits, unrolled: 16 words of the message and 8 of the state, two registers each.
//! run sha512 global=64 local=32
//! arg in ulong[1024] = random(i)
//! arg out ulong[512] -> any
#define ROR(x, n) rotate(x, 64ul - n)
kernel void sha512(global const ulong *in, global ulong *out)
{
    ulong w[16], s[8], id = get_global_id(0);
    for (int i = 0; i < 16; i++) w[i] = in[id * 16 + i];
    for (int i = 0; i < 8; i++) s[i] = 0x6a09e667f3bcc908ul * (i + 1);
#pragma unroll
    for (int i = 0; i < 80; i++) {
        ulong *a = &s[(80 - i) & 7], *b = &s[(81 - i) & 7], *c = &s[(82 - i) & 7], *d = &s[(83 - i) & 7];
        ulong *e = &s[(84 - i) & 7], *f = &s[(85 - i) & 7], *g = &s[(86 - i) & 7], *h = &s[(87 - i) & 7];
        if (i >= 16) {
            ulong x = w[(i + 1) & 15], y = w[(i + 14) & 15];
            w[i & 15] += (ROR(x, 1ul) ^ ROR(x, 8ul) ^ x >> 7) + w[(i + 9) & 15] + (ROR(y, 19ul) ^ ROR(y, 61ul) ^ y >> 6);
        }
        *h += (ROR(*e, 14ul) ^ ROR(*e, 18ul) ^ ROR(*e, 41ul)) + bitselect(*g, *f, *e) + 0x9e3779b97f4a7c15ul * i + w[i & 15];
        *d += *h;
        *h += (ROR(*a, 28ul) ^ ROR(*a, 34ul) ^ ROR(*a, 39ul)) + ((*a & *b) ^ (*a & *c) ^ (*b & *c));
    }
    for (int i = 0; i < 8; i++) out[id * 8 + i] = s[i];
}

// More floats at once than there are registers, all of them written once and read twice.
//! run live384 global=64 local=32
//! arg a float[24576] = unit(i)
//! arg out float[64] -> any
kernel void live384(global const volatile float *a, global float *out)
{
    int id = get_global_id(0);
    float v[384], s = 0;
#pragma unroll
    for (int k = 0; k < 384; k++) v[k] = a[id * 384 + k];
#pragma unroll
    for (int k = 0; k < 384; k++) s = s * 0.5f + v[383 - k] * v[k * 7 % 384];
    out[id] = s;
}

// Rows of 20 x 15 sums, in registers over a loop that needs all of them in each round.
//! run block300 global=64 local=32
//! arg a float[2240] = unit(i)
//! arg b float[960] = unit(i + 5)
//! arg out float[19200] -> any
kernel void block300(global const float *a, global const float *b, global float *out)
{
    int id = get_global_id(0);
    float sum[300] = {0};
    for (int k = 0; k < 16; k++) {
        float x[20], y[15];
#pragma unroll
        for (int i = 0; i < 20; i++) x[i] = a[(id + i) * 16 + k];
#pragma unroll
        for (int j = 0; j < 15; j++) y[j] = b[(id & 31) * 16 + j * 17 + k];
#pragma unroll
        for (int i = 0; i < 300; i++) sum[i] += x[i / 15] * y[i % 15];
    }
#pragma unroll
    for (int i = 0; i < 300; i++) out[id * 300 + i] = sum[i];
}

// 250 floats that wait while an inner loop runs that needs 40 others.
//! run waiting global=64 local=32
//! arg a float[16000] = unit(i)
//! arg out float[64] -> any
kernel void waiting(global const volatile float *a, global float *out)
{
    int id = get_global_id(0);
    float v[250], t[40], s = 0;
#pragma unroll
    for (int k = 0; k < 250; k++) v[k] = a[id * 250 + k];
#pragma unroll
    for (int k = 0; k < 40; k++) t[k] = v[k] * 3;
    for (int r = 0; r < 20 + (id & 3); r++)
#pragma unroll
        for (int k = 0; k < 40; k++) t[k] = t[k] * 0.75f + t[(k + 1) % 40] * s, s += t[k];
#pragma unroll
    for (int k = 0; k < 250; k++) s = s * 0.5f + v[249 - k] * t[k % 40];
    out[id] = s;
}

// 90 numbers that all lanes have in common, in two loops, one of which needs a few of them.
//! run uniforms global=64 local=32
//! arg p int[90] = i * 3 + 1
//! arg rounds int = 12
//! arg out int[64] -> any
kernel void uniforms(constant int *p, int rounds, global int *out)
{
    int s = get_global_id(0), q[90];
#pragma unroll
    for (int k = 0; k < 90; k++) q[k] = p[k] * rounds;
    for (int r = 0; r < rounds; r++) {
        for (int i = 0; i < 8; i++)
#pragma unroll
            for (int k = 0; k < 20; k++) s += (s ^ q[k]) >> (q[k + 1] & 3);
#pragma unroll
        for (int k = 0; k < 90; k++) s = s * 3 + q[k];
    }
    out[get_global_id(0)] = s;
}

// Constants of long bit patterns, each used in two loops.
//! run constants global=64 local=32
//! arg in uint[64] = random(i)
//! arg out uint[64] -> any
kernel void constants(global const uint *in, global uint *out)
{
    uint x = in[get_global_id(0)], n = x & 7;
    for (uint r = 0; r < 8 + n; r++)
#pragma unroll
        for (uint k = 0; k < 80; k++) x = (x ^ (0x9e3779b9u * (k + 1))) + (x >> 5);
    for (uint r = 0; r < 8 + n; r++)
#pragma unroll
        for (uint k = 0; k < 80; k++) x = (x + (0x9e3779b9u * (k + 1))) ^ (x << 7);
    out[get_global_id(0)] = x;
}
