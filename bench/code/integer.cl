// Integers: hashes, 64 bits, counting.
//! run sha256 global=64 local=32
//! arg in uint[1024] = random(i)
//! arg out uint[512] -> any
constant uint K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
#define ROR(x, n) rotate(x, 32u - n)
kernel void sha256(global const uint *in, global uint *out)
{
    uint w[16], s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], h = s[7], id = get_global_id(0);
    for (int i = 0; i < 16; i++) w[i] = in[id * 16 + i];
    for (int i = 0; i < 64; i++) {
        if (i >= 16) {
            uint x = w[(i + 1) & 15], y = w[(i + 14) & 15];
            w[i & 15] += (ROR(x, 7u) ^ ROR(x, 18u) ^ x >> 3) + w[(i + 9) & 15] + (ROR(y, 17u) ^ ROR(y, 19u) ^ y >> 10);
        }
        uint t1 = h + (ROR(e, 6u) ^ ROR(e, 11u) ^ ROR(e, 25u)) + bitselect(g, f, e) + K[i] + w[i & 15];
        uint t2 = (ROR(a, 2u) ^ ROR(a, 13u) ^ ROR(a, 22u)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    s[0] += a, s[1] += b, s[2] += c, s[3] += d, s[4] += e, s[5] += f, s[6] += g, s[7] += h;
    for (int i = 0; i < 8; i++) out[id * 8 + i] = s[i];
}

//! run int64 global=128 local=64
//! arg a ulong[128] = random(i)
//! arg b ulong[128] = random(i + 500) >> (i & 31)
//! arg out ulong[128] -> any
kernel void int64(global const ulong *a, global const ulong *b, global ulong *out)
{
    int i = get_global_id(0);
    ulong x = a[i], y = b[i] | 1, h = 14695981039346656037ul;
    for (int k = 0; k < 4; k++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        h = (h ^ x % y) * 1099511628211ul + x / (y + k);
        h += mul_hi(h, x) ^ rotate(y, x) ^ popcount(x) ^ clz(x);
        if (h < x) y += h >> 32;
    }
    out[i] = h;
}

//! run bits global=128 local=64
//! arg in uint[128] = random(i) >> (i & 15)
//! arg out uint[128] -> any
kernel void bits(global const uint *in, global uint *out)
{
    int i = get_global_id(0);
    uint x = in[i], h = 0;
    for (int k = 0; k < 8; k++) {
        h += clz(x) * 31 + popcount(x ^ h) + mul_hi(x, 0x9e3779b9u);
        x = rotate(x, 5u) + (x / 10) + x % 7;
    }
    out[i] = h;
}

//! run search global=256 local=64
//! arg text uchar[320] = 97 + random(i) % 3
//! arg pattern uchar[4] = {97, 98, 97, 99}
//! arg n int = 4
//! arg out int[256] -> any
kernel void search(global const uchar *text, constant uchar *pattern, int n, global int *out)
{
    int i = get_global_id(0), k = 0;
    for (; k < n; k++)
        if (text[i + k] != pattern[k]) break;
    out[i] = k == n;
}
