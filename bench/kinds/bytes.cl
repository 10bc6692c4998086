// Bytes: text, codes, tables.
//! sizes 4096 131072

//! run base64 global=N local=64
//! arg in uchar[N*3] = random(i)
//! arg out uchar[N*4] -> any
constant char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
kernel void base64(global const uchar *in, global uchar *out)
{
    int i = get_global_id(0);
    uint bits = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
    for (int k = 0; k < 4; k++) out[4 * i + k] = digits[bits >> (18 - 6 * k) & 63];
}

//! run hamming global=N/4 local=64
//! arg a uint[N*4] = random(i)
//! arg b uint[16] = random(i + 3)
//! arg out int[N/4] -> any
kernel void hamming(global const uint *a, global const uint *b, global int *out)
{
    int i = get_global_id(0), sum = 0;
    for (int k = 0; k < 16; k++) sum += popcount(a[i * 16 + k] ^ b[k]);
    out[i] = sum;
}

//! run lz_decode global=N/64 local=32
//! arg in uchar[N] = i % 64 % 2 ? 1 + (random(i) & 0x7fffffff) % 4 : (random(i) & 0x7fffffff) % 8
//! arg out uchar[N*2] -> any
kernel void lz_decode(global const uchar *in, global uchar *out)
{
    int i = get_global_id(0), at = 0;
    global const uchar *from = in + 64 * i;
    global uchar *to = out + 128 * i;
    for (int k = 0; k < 64; k += 2) {
        int code = from[k], length = from[k + 1];
        if (code > at) {
            to[at++] = (uchar)(code * 17);
        } else {
            for (int j = 0; j < length; j++, at++) to[at] = code ? to[at - code] : (uchar)k;
        }
    }
    for (; at < 128; at++) to[at] = 0;
}

//! run aes_tables global=N/4 local=64
//! arg table uint[1024] = random(i)
//! arg keys uint[44] = random(i + 2000)
//! arg blocks uint[N] = random(i + 9000) -> any
kernel void aes_tables(global const uint *table, global const uint *keys, global uint4 *blocks)
{
    int i = get_global_id(0);
    uint4 s = blocks[i] ^ (uint4)(keys[0], keys[1], keys[2], keys[3]);
    for (int round = 1; round < 10; round++) {
        uint4 t;
        t.x = table[s.x & 255] ^ table[256 + (s.y >> 8 & 255)] ^ table[512 + (s.z >> 16 & 255)] ^ table[768 + (s.w >> 24)];
        t.y = table[s.y & 255] ^ table[256 + (s.z >> 8 & 255)] ^ table[512 + (s.w >> 16 & 255)] ^ table[768 + (s.x >> 24)];
        t.z = table[s.z & 255] ^ table[256 + (s.w >> 8 & 255)] ^ table[512 + (s.x >> 16 & 255)] ^ table[768 + (s.y >> 24)];
        t.w = table[s.w & 255] ^ table[256 + (s.x >> 8 & 255)] ^ table[512 + (s.y >> 16 & 255)] ^ table[768 + (s.z >> 24)];
        s = t ^ (uint4)(keys[4 * round], keys[4 * round + 1], keys[4 * round + 2], keys[4 * round + 3]);
    }
    blocks[i] = s;
}

//! run aes_bytes global=N/16 local=64
//! arg box uchar[256] = random(i)
//! arg blocks uchar[N] = random(i + 900) -> any
kernel void aes_bytes(global const uchar *box, global uchar *blocks)
{
    int i = get_global_id(0);
    uchar s[16], t[16];
    for (int k = 0; k < 16; k++) s[k] = blocks[16 * i + k];
    for (int round = 0; round < 10; round++) {
        for (int k = 0; k < 16; k++) t[k] = box[s[(5 * k) & 15]];
        for (int k = 0; k < 16; k++) s[k] = t[k] ^ (uchar)(t[k ^ 1] << 1) ^ (uchar)round;
    }
    for (int k = 0; k < 16; k++) blocks[16 * i + k] = s[k];
}

//! run crc32 global=N/32 local=64
//! arg table uint[256] = random(i)
//! arg in uchar[N*2] = random(i + 77)
//! arg out uint[N/32] -> any
kernel void crc32(global const uint *table, global const uchar *in, global uint *out)
{
    int i = get_global_id(0);
    uint crc = ~0u;
    for (int k = 0; k < 64; k++) crc = table[(crc ^ in[64 * i + k]) & 255] ^ crc >> 8;
    out[i] = ~crc;
}

//! run upper global=N local=64
//! arg in uchar[N] = 32 + (random(i) & 0x7fffffff) % 96
//! arg out uchar[N] -> any
kernel void upper(global const uchar *in, global uchar *out)
{
    int i = get_global_id(0);
    uchar c = in[i];
    out[i] = c >= 'a' && c <= 'z' ? (uchar)(c - 32) : c;
}

//! run utf8_length global=N/32 local=64
//! arg in uchar[N] = random(i)
//! arg out int[N/32] -> any
kernel void utf8_length(global const uchar *in, global int *out)
{
    int i = get_global_id(0), count = 0;
    for (int k = 0; k < 32; k++) count += (in[32 * i + k] & 0xc0) != 0x80;
    out[i] = count;
}

//! run run_lengths global=N/32 local=64
//! arg in uchar[N] = (random(i) & 0x7fffffff) % 2
//! arg out uchar[N*2] -> any
kernel void run_lengths(global const uchar *in, global uchar *out)
{
    int i = get_global_id(0), at = 0;
    for (int k = 0; k < 32;) {
        uchar c = in[32 * i + k], length = 0;
        while (k < 32 && in[32 * i + k] == c) k++, length++;
        out[64 * i + at++] = c;
        out[64 * i + at++] = length;
    }
    for (; at < 64; at++) out[64 * i + at] = 0;
}

//! run luma global=N local=64
//! arg in uchar[N*3] = random(i)
//! arg out uchar[N] -> any
kernel void luma(global const uchar *in, global uchar *out)
{
    int i = get_global_id(0);
    uchar3 p = vload3(i, in);
    out[i] = (uchar)((p.x * 77 + p.y * 150 + p.z * 29) >> 8);
}

//! run blend global=N/4 local=64
//! arg a uchar[N] = random(i)
//! arg b uchar[N] = random(i + 5)
//! arg out uchar[N] -> any
kernel void blend(global const uchar4 *a, global const uchar4 *b, global uchar4 *out)
{
    int i = get_global_id(0);
    uint4 x = convert_uint4(a[i]), y = convert_uint4(b[i]);
    out[i] = convert_uchar4_sat((x * a[i].w + y * (255 - a[i].w)) / 255);
}

//! run rc4 global=N/64 local=32
//! arg keys uint[N/64] = random(i)
//! arg out uint[N/64] -> any
kernel void rc4(global const uint *keys, global uint *out)
{
    uchar s[256];
    uint i = get_global_id(0), key = keys[i], sum = 0;
    for (int k = 0; k < 256; k++) s[k] = (uchar)k;
    for (uint k = 0, j = 0; k < 256; k++) {
        j = (j + s[k] + (key >> 8 * (k & 3))) & 255;
        uchar t = s[k];
        s[k] = s[j];
        s[j] = t;
    }
    for (uint k = 1, j = 0; k < 64; k++) {
        j = (j + s[k]) & 255;
        uchar t = s[k];
        s[k] = s[j];
        s[j] = t;
        sum = sum * 31 + s[(s[k] + s[j]) & 255];
    }
    out[i] = sum;
}

//! run rgb global=N local=64
//! arg in uint[N] = random(i)
//! arg out uchar[N*3] -> any
kernel void rgb(global const uint *in, global uchar *out)
{
    int i = get_global_id(0);
    uint c = in[i];
    out[3 * i] = c; out[3 * i + 1] = (c >> 8) + 1; out[3 * i + 2] = (c >> 16) * 3;
}

//! run yuv global=N local=64
//! arg in uchar[N*3] = random(i)
//! arg out uchar[N*3] -> any
kernel void yuv(global const uchar *in, global uchar *out)
{
    int i = get_global_id(0);
    float r = in[3 * i], g = in[3 * i + 1], b = in[3 * i + 2];
    out[3 * i] = clamp(0.299f * r + 0.587f * g + 0.114f * b, 0.0f, 255.0f);
    out[3 * i + 1] = clamp(128 - 0.169f * r - 0.331f * g + 0.5f * b, 0.0f, 255.0f);
    out[3 * i + 2] = clamp(128 + 0.5f * r - 0.419f * g - 0.081f * b, 0.0f, 255.0f);
}

//! run nibbles global=N local=64
//! arg in uchar[N] = random(i)
//! arg out char[N*2] -> any
kernel void nibbles(global const uchar *in, global char *out)
{
    int i = get_global_id(0);
    out[2 * i] = (char)(in[i] & 15) - 8;
    out[2 * i + 1] = (char)(in[i] >> 4) - 8;
}

//! run tile_bytes global=256,N/256 local=16,16
//! arg in uchar[N] = random(i)
//! arg out uchar[N] -> any
kernel void tile_bytes(global const uchar *in, global uchar *out)
{
    local uchar tile[16][17];
    int x = get_local_id(0), y = get_local_id(1), gx = get_group_id(0), gy = get_group_id(1), h = get_global_size(1);
    tile[y][x] = in[(gy * 16 + y) * 256 + gx * 16 + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(gx * 16 + y) * h + gy * 16 + x] = tile[x][y];
}
