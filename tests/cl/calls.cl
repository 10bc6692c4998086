// Functions that stay calls. All of them are there twice, to be called and to be inlined: results must be the same.
typedef struct {
    char tag;
    int n;
    float v[3];
} packet;

#define FUNCTIONS(WAY, AS) \
    AS int collatz##WAY(uint n, int limit) \
    { \
        int steps = 0; \
        while (n > 1 && steps < limit) { \
            n = n & 1 ? 3 * n + 1 : n / 2; \
            steps++; \
            if (n == 52) return steps + 1000; \
        } \
        return steps; \
    } \
    AS int pick##WAY(int x, bool up, global const int *a) \
    { \
        if (up) return x & 4 ? a[x & 15] : a[15 - (x & 15)]; \
        return x < 20 ? -collatz##WAY(x, 30) : x; \
    } \
    AS int nested##WAY(int x, int y, global const int *a) \
    { \
        int sum = 0; \
        for (int i = 0; i < (y & 3) + 1; i++) { \
            if (x & (1 << i)) sum += pick##WAY(x + i, y > i, a) * (i + 1); \
            else if (y == 7) return sum - collatz##WAY(x + y, 100); \
            sum ^= x; \
        } \
        return sum + collatz##WAY(y + 27, x & 31); \
    } \
    AS int sorted##WAY(int seed, int at) \
    { \
        int list[12]; \
        for (int i = 0; i < 12; i++) list[i] = seed = seed * 1103515245 + 12345; \
        for (int i = 1; i < 12; i++) \
            for (int k = i; k > 0 && list[k] < list[k - 1]; k--) { \
                int t = list[k]; \
                list[k] = list[k - 1]; \
                list[k - 1] = t; \
            } \
        return list[at & 7] + list[(at & 3) + 8]; \
    } \
    AS int frames##WAY(int seed, int *own) \
    { \
        int mine[8]; \
        for (int i = 0; i < 8; i++) mine[i] = seed + i * own[i & 3]; \
        int got = sorted##WAY(seed, mine[seed & 7]); \
        own[seed & 3] += got; \
        for (int i = 0; i < 8; i++) got = got * 31 + mine[(i + seed) & 7]; \
        return got ^ sorted##WAY(got, seed); \
    } \
    AS float16 mix##WAY(float16 a, float4 b, char3 c, half *h, double d, long w, short s, uchar u, bool yes) \
    { \
        float16 r = yes ? a + b.xyzwxyzwxyzwxyzw : a * 2.0f; \
        r.s0 += c.x + s; \
        r.s5 -= c.y * c.z + u; \
        r.sa = (float)(d * 0.5) + vload_half(0, h); \
        r.sf = (float)(w >> 3); \
        return r.sfedcba9876543210; \
    } \
    AS packet change##WAY(packet p, int by) \
    { \
        p.n += by; \
        p.tag ^= (char)by; \
        p.v[by & 1] = p.n; \
        return p; \
    } \
    AS void store##WAY(global int *to, local int *room, int i, int v) \
    { \
        room[get_local_id(0)] = v; \
        barrier(CLK_LOCAL_MEM_FENCE); \
        to[i] = room[(get_local_id(0) + 1) % get_local_size(0)] + (int)get_global_size(0); \
        barrier(CLK_LOCAL_MEM_FENCE); \
    } \
    AS int count##WAY(void) { return (int)get_global_id(0) * 3 + (int)get_local_id(0); } \
    AS bool odd##WAY(int x) { return x & 1; } \
    AS float line##WAY(float x, float slope, float start) { return x * slope + start; } \
    AS long wide##WAY(long a, ulong b) { return a / (long)(b | 1) + (long)(b % 1000); }

FUNCTIONS(_called, __attribute__((noinline)))
FUNCTIONS(_inlined, )

//! run divergent global=64 local=64/32/8
//! arg a int[64] = random(i) % 256
//! arg ok int[64] -> 1
kernel void divergent(global const int *a, global int *ok)
{
    int i = get_global_id(0), x = a[i], y = a[63 - i] & 7, called, inlined;
    if (x & 1) called = nested_called(x, y, a) + i;
    else called = x & 2 ? collatz_called(x, i) : pick_called(y, odd_called(i), a);
    if (x & 1) inlined = nested_inlined(x, y, a) + i;
    else inlined = x & 2 ? collatz_inlined(x, i) : pick_inlined(y, odd_inlined(i), a);
    ok[i] = called == inlined;
}

//! run loops global=64 local=64/32
//! arg a int[64] = random(i) % 256
//! arg ok int[64] -> 1
kernel void loops(global const int *a, global int *ok)
{
    int i = get_global_id(0), called = 0, inlined = 0, uniform = get_local_size(0), n = a[i] & 7;
    for (int k = 0; k < n; k++) {
        if (called & 8) called += collatz_called(called & 255, 40) * uniform;
        called = nested_called(called ^ k, n, a) + uniform;
        if (called > 100000) break;
        called += odd_called(called) ? k : pick_called(called & 31, k > 2, a);
    }
    for (int k = 0; k < n; k++) {
        if (inlined & 8) inlined += collatz_inlined(inlined & 255, 40) * uniform;
        inlined = nested_inlined(inlined ^ k, n, a) + uniform;
        if (inlined > 100000) break;
        inlined += odd_inlined(inlined) ? k : pick_inlined(inlined & 31, k > 2, a);
    }
    ok[i] = called == inlined;
}

//! run memory global=64 local=64/32
//! arg ok int[64] -> 1
kernel void memory(global int *ok)
{
    int i = get_global_id(0), one[4] = {i, 2, 3, 4}, two[4] = {i, 2, 3, 4}, same = 1;
    for (int k = 0; k < (i & 3) + 1; k++) {
        same &= frames_called(i + k, one) == frames_inlined(i + k, two);
        if (i & 4) same &= sorted_called(i, k) == sorted_inlined(i, k);
    }
    for (int k = 0; k < 4; k++) same &= one[k] == two[k];
    ok[i] = same;
}

//! run arguments global=64 local=64
//! arg ok int[64] -> 1
kernel void arguments(global int *ok)
{
    int i = get_global_id(0);
    float16 a = (float16)(i) + (float16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    ushort bits = 0x3c00 + i;
    half *h = (half *)&bits;
    float16 one = mix_called(a, a.s1234, (char3)(i, 2, -i), h, i * 1.25, -i * 1000L, -i, i * 5, i & 8),
            two = mix_inlined(a, a.s1234, (char3)(i, 2, -i), h, i * 1.25, -i * 1000L, -i, i * 5, i & 8);
    packet p = {(char)i, i * 7, {1, 2, 3}}, q = change_called(p, i), r = change_inlined(p, i);
    bool same = all(one == two) && q.tag == r.tag && q.n == r.n && p.n == i * 7;
    for (int k = 0; k < 3; k++) same &= q.v[k] == r.v[k];
    ok[i] = same && wide_called(i * 123456789012L, i) == wide_inlined(i * 123456789012L, i);
}

//! run barriers global=64 local=32/16
//! arg scratch int[64] -> any
//! arg room local 128
//! arg ok int[64] -> 1
kernel void barriers(global int *scratch, local int *room, global int *ok)
{
    int i = get_global_id(0), one;
    store_called(scratch, room, i, i * i);
    one = scratch[i];
    store_inlined(scratch, room, i, i * i);
    ok[i] = one == scratch[i] && count_called() == count_inlined();
}

__attribute__((noinline)) void say(int x)
{
    if (x & 1) printf("odd %d\n", x);
}

//! run prints global=4 local=4
//! arg n int = 3
//! print_any odd 1
//! print_any odd 3
kernel void prints(int n)
{
    if (get_global_id(0) <= n) say(get_global_id(0));
}

// Arguments that are constants, beside enough others for a table of constants.
//! run constants global=32 local=32
//! arg hash uint[32] -> any
//! arg ok int[32] -> 1
kernel void constants(global uint *hash, global int *ok)
{
    uint i = get_global_id(0), x = i;
    x = (x ^ 0x12345678u) * 0x9e3779b1u + 0x7ed55d16u;
    x = (x ^ 0xc761c23cu ^ x >> 19) + 0x165667b1u;
    hash[i] = (x + 0xd3a2646cu ^ x << 9) + 0xfd7046c5u;
    ok[i] = line_called(i, 7.0f, 2.0f) + line_called(i, 0.5f, -3.0f) == 7.5f * i - 1.0f;
}
