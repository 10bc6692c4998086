// Distances and sizes beyond what one instruction's fields can say.
//! run offsets global=32 local=32
//! arg a int[6000] = i * 3
//! arg out int[6000] = 0 -> i >= 5000 && i < 5032 ? a[i - 1000] + a[i - 4999] : 0
kernel void offsets(global const int *a, global int *out)
{
    int i = get_global_id(0);
    out[i + 5000] = a[i + 4000] + a[i + 1];
}

//! run large_private global=32 local=32
//! arg out int[32] -> 7 * (1499 - i * 9) + i
kernel void large_private(global int *out)
{
    int i = get_global_id(0), m[1500];
    for (int k = 0; k < 1500; k++) m[k] = 7 * k;
    m[i] += i;
    out[i] = m[1499 - i * 9] + (m[i] - 7 * i);
}

//! run large_local global=64 local=32
//! arg out int[64] -> 2 * (31 - i % 32)
kernel void large_local(global int *out)
{
    local int first[1024], m[3000];
    int l = get_local_id(0);
    first[l * 32] = l;
    m[2999 - l * 64] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = m[2999 - (31 - l) * 64] + first[(31 - l) * 32];
}

// Branches, uniform and not, over several thousand instructions.
#define ONE(k) v = v * 3 + (v >> 7) + k; v ^= v << 5;
#define TEN(k) ONE(k) ONE(k + 1) ONE(k + 2) ONE(k + 3) ONE(k + 4) ONE(k + 5) ONE(k + 6) ONE(k + 7) ONE(k + 8) ONE(k + 9)
#define MANY(k) TEN(k) TEN(k + 10) TEN(k + 20) TEN(k + 30) TEN(k + 40) TEN(k + 50) TEN(k + 60) TEN(k + 70)
#define LOTS(k) MANY(k) MANY(k + 80) MANY(k + 160) MANY(k + 240)

uint small_steps(uint v, int from, int to)
{
    for (int k = from; k < to; k++) { ONE(k) }
    return v;
}

//! run far global=64 local=64
//! arg n int = 3
//! arg out uint[64] -> any
//! arg same int[64] -> 1
kernel void far(int n, global uint *out, global int *same)
{
    int i = get_global_id(0);
    uint v = i, w = i;
    for (int r = 0; r < n; r++) {
        if (i % 3 == r) {
            LOTS(0)
        }
        if (n > 2) {
            LOTS(320)
        }
    }
    for (int r = 0; r < n; r++) {
        if (i % 3 == r) w = small_steps(w, 0, 320);
        w = small_steps(w, 320, 640);
    }
    out[i] = v;
    same[i] = v == w;
}

//! run wide_constants global=8 local=8
//! arg out long[8] -> i * 123456789 + 0x123456789abcdef0 - (i > 4 ? 4294967295 : 2048)
//! arg small int[8] -> (i ^ 0x7ff) + (i & 2047) - 2049 + (i < 3000 ? 100000 : 0)
kernel void wide_constants(global long *out, global int *small)
{
    long i = get_global_id(0);
    out[i] = i * 123456789L + 0x123456789abcdef0L - (i > 4 ? 4294967295L : 2048L);
    int k = i;
    small[k] = (k ^ 0x7ff) + (k & 2047) - 2049 + (k < 3000 ? 100000 : 0);
}
