// Cryptography, random numbers, dynamic programming, strings.
//! sizes 1024 32768

//! run chacha20 global=N local=64
//! arg key uint[8] = random(i)
//! arg out uint[N*16] -> any
#define QUARTER(a, b, c, d) \
    a += b; d = rotate(d ^ a, 16u); c += d; b = rotate(b ^ c, 12u); a += b; d = rotate(d ^ a, 8u); c += d; b = rotate(b ^ c, 7u);
kernel void chacha20(global const uint *key, global uint *out)
{
    uint i = get_global_id(0), x[16], start[16];
    for (int k = 0; k < 16; k++) start[k] = k < 4 ? 0x61707865 + k : k < 12 ? key[k - 4] : k == 12 ? i : 7;
    for (int k = 0; k < 16; k++) x[k] = start[k];
    for (int k = 0; k < 10; k++) {
        QUARTER(x[0], x[4], x[8], x[12]) QUARTER(x[1], x[5], x[9], x[13])
        QUARTER(x[2], x[6], x[10], x[14]) QUARTER(x[3], x[7], x[11], x[15])
        QUARTER(x[0], x[5], x[10], x[15]) QUARTER(x[1], x[6], x[11], x[12])
        QUARTER(x[2], x[7], x[8], x[13]) QUARTER(x[3], x[4], x[9], x[14])
    }
    for (int k = 0; k < 16; k++) out[16 * i + k] = x[k] + start[k];
}

//! run tea global=N local=64
//! arg key uint[4] = random(i)
//! arg data uint[N*2] = random(i) -> any
kernel void tea(global const uint *key, global uint2 *data)
{
    uint2 v = data[get_global_id(0)];
    uint sum = 0;
    for (int k = 0; k < 32; k++) {
        sum += 0x9e3779b9;
        v.x += ((v.y << 4) + key[0]) ^ (v.y + sum) ^ ((v.y >> 5) + key[1]);
        v.y += ((v.x << 4) + key[2]) ^ (v.x + sum) ^ ((v.x >> 5) + key[3]);
    }
    data[get_global_id(0)] = v;
}

//! run keccak global=N/8 local=64
//! arg out ulong[N/2] -> any
kernel void keccak(global ulong *out)
{
    ulong a[25];
    int i = get_global_id(0);
    for (int k = 0; k < 25; k++) a[k] = (ulong)(k + 1) * (i + 1);
    for (int round = 0; round < 12; round++) {
        ulong c[5], t;
        for (int x = 0; x < 5; x++) c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
        for (int x = 0; x < 5; x++) {
            t = c[(x + 4) % 5] ^ rotate(c[(x + 1) % 5], 1ul);
            for (int y = 0; y < 25; y += 5) a[y + x] = rotate(a[y + x] ^ t, (ulong)((x * 7 + y) % 64));
        }
        for (int y = 0; y < 25; y += 5) {
            for (int x = 0; x < 5; x++) c[x] = a[y + x];
            for (int x = 0; x < 5; x++) a[y + x] = c[x] ^ (~c[(x + 1) % 5] & c[(x + 2) % 5]);
        }
        a[0] ^= 0x8000000080008081ul + round;
    }
    for (int k = 0; k < 4; k++) out[4 * i + k] = a[k];
}

//! run philox global=N local=64
//! arg out uint[N*4] -> any
kernel void philox(global uint4 *out)
{
    uint i = get_global_id(0), k0 = 0x1234567, k1 = 0x89abcdef;
    uint4 x = (uint4)(i, 0, 7, 9);
    for (int round = 0; round < 10; round++) {
        x = (uint4)(mul_hi(0xcd9e8d57u, x.z) ^ x.y ^ k0, x.z * 0xcd9e8d57u, mul_hi(0xd2511f53u, x.x) ^ x.w ^ k1,
                    x.x * 0xd2511f53u);
        k0 += 0x9e3779b9;
        k1 += 0xbb67ae85;
    }
    out[i] = x;
}

//! run box_muller global=N local=64
//! arg out float[N] -> any ~ 0.001
kernel void box_muller(global float *out)
{
    uint i = get_global_id(0), s = i * 747796405 + 2891336453u;
    float sum = 0;
    for (int k = 0; k < 8; k++) {
        s = s * 747796405 + 2891336453u;
        float u = ((s >> 9) + 1) * 0x1p-23f;
        s = s * 747796405 + 2891336453u;
        float v = (s >> 9) * 0x1p-23f;
        sum += sqrt(-2 * log(u)) * cos(6.2831853f * v);
    }
    out[i] = sum;
}

//! run halton global=N local=64
//! arg out float[N] -> any
kernel void halton(global float *out)
{
    int i = get_global_id(0);
    float scale = 1, sum = 0;
    for (int k = i + 1; k > 0; k /= 3) {
        scale /= 3;
        sum += scale * (k % 3);
    }
    out[i] = sum;
}

//! run longest_common global=N/16 local=32
//! arg a uchar[N*2] = random(i) & 3
//! arg b uchar[32] = random(i + 3) & 3
//! arg out int[N/16] -> any
kernel void longest_common(global const uchar *a, global const uchar *b, global int *out)
{
    uchar row[33];
    int i = get_global_id(0);
    for (int k = 0; k <= 32; k++) row[k] = 0;
    for (int y = 0; y < 32; y++) {
        uchar corner = 0, c = a[32 * i + y];
        for (int x = 1; x <= 32; x++) {
            uchar above = row[x];
            row[x] = c == b[x - 1] ? corner + 1 : max(above, row[x - 1]);
            corner = above;
        }
    }
    out[i] = row[32];
}

//! run edit_distance global=N/16 local=32
//! arg a uchar[N] = random(i) & 7
//! arg b uchar[N] = random(i + 3) & 7
//! arg out int[N/16] -> any
kernel void edit_distance(global const uchar *a, global const uchar *b, global int *out)
{
    int row[17], i = get_global_id(0);
    for (int k = 0; k <= 16; k++) row[k] = k;
    for (int y = 0; y < 16; y++) {
        int corner = row[0];
        row[0] = y + 1;
        for (int x = 1; x <= 16; x++) {
            int above = row[x];
            row[x] = min(min(above, row[x - 1]) + 1, corner + (a[16 * i + y] != b[16 * i + x - 1]));
            corner = above;
        }
    }
    out[i] = row[16];
}

//! run knapsack global=N/4 local=64
//! arg weights int[16] = 1 + i * 5 % 13
//! arg values int[N*4] = random(i) & 255
//! arg out int[N/4] -> any
kernel void knapsack(global const int *weights, global const int *values, global int *out)
{
    int best[33], i = get_global_id(0);
    for (int w = 0; w <= 32; w++) best[w] = 0;
    for (int k = 0; k < 16; k++)
        for (int w = 32; w >= weights[k]; w--) best[w] = max(best[w], best[w - weights[k]] + values[16 * i + k]);
    out[i] = best[32];
}

//! run viterbi global=N/16 local=64
//! arg costs float[16] = unit(i)
//! arg seen float[N*4] = unit(i)
//! arg out float[N/16] -> any
kernel void viterbi(global const float *costs, global const float *seen, global float *out)
{
    int i = get_global_id(0), n = get_global_size(0);
    float4 s = 0;
    for (int t = 0; t < 16; t++) {
        float4 next;
        next.x = fmin(fmin(s.x + costs[0], s.y + costs[1]), fmin(s.z + costs[2], s.w + costs[3]));
        next.y = fmin(fmin(s.x + costs[4], s.y + costs[5]), fmin(s.z + costs[6], s.w + costs[7]));
        next.z = fmin(fmin(s.x + costs[8], s.y + costs[9]), fmin(s.z + costs[10], s.w + costs[11]));
        next.w = fmin(fmin(s.x + costs[12], s.y + costs[13]), fmin(s.z + costs[14], s.w + costs[15]));
        s = next + (float4)(seen[(4 * t) * n + i], seen[(4 * t + 1) * n + i], seen[(4 * t + 2) * n + i], seen[(4 * t + 3) * n + i]);
    }
    out[i] = fmin(fmin(s.x, s.y), fmin(s.z, s.w));
}

//! run substring global=N local=64
//! arg text uchar[N+16] = 97 + (random(i) & 1)
//! arg word uchar[8] = 97 + i % 3 % 2
//! arg out uchar[N] -> any
kernel void substring(global const uchar *text, global const uchar *word, global uchar *out)
{
    int i = get_global_id(0), k = 0;
    while (k < 8 && text[i + k] == word[k]) k++;
    out[i] = (uchar)k;
}

//! run mersenne global=N/32 local=32
//! arg out uint[N] -> any
kernel void mersenne(global uint *out)
{
    uint state[32], i = get_global_id(0);
    state[0] = i + 5489;
    for (uint k = 1; k < 32; k++) state[k] = 1812433253 * (state[k - 1] ^ state[k - 1] >> 30) + k;
    for (uint k = 0; k < 32; k++) {
        uint y = (state[k] & 0x80000000) | (state[(k + 1) & 31] & 0x7fffffff);
        state[k] = state[(k + 13) & 31] ^ y >> 1 ^ (y & 1 ? 0x9908b0df : 0);
        uint x = state[k] ^ state[k] >> 11;
        x ^= x << 7 & 0x9d2c5680;
        out[32 * i + k] = x ^ x >> 18;
    }
}

//! run digits global=N local=64
//! arg in uint[N] = random(i)
//! arg out uint[N] -> any
kernel void digits(global const uint *in, global uint *out)
{
    uint i = get_global_id(0), x = in[i], s = 0;
    for (int k = 0; k < 10; k++) { s += x % 10; x /= 10; }
    out[i] = s;
}

//! run syndromes global=N/32 local=32
//! arg logs uchar[256] = i * 7
//! arg exps uchar[512] = i * 13 + 1
//! arg in uchar[N] = random(i)
//! arg out uchar[N/8] -> any
kernel void syndromes(global const uchar *logs, global const uchar *exps, global const uchar *in, global uchar *out)
{
    int i = get_global_id(0);
    for (int s = 0; s < 4; s++) {
        uchar acc = 0;
        for (int k = 0; k < 32; k++) acc = (acc ? exps[logs[acc] + s] : 0) ^ in[32 * i + k];
        out[4 * i + s] = acc;
    }
}
