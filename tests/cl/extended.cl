// Bit fields, dot products of bytes, clocks, hints to the optimizer.
//! options -cl-std=CL3.0
#define BITS(T) \
    { \
        T base = (T)a, x = (T)b; \
        uint width = 8 * sizeof(T); \
        for (uint at = 0; at <= width; at++) \
            for (uint n = 0; n + at <= width; n += 1 + n / 9) { \
                ulong mask = n == 64 ? ~0ul : (1ul << n) - 1, bits = at < 64 ? (ulong)x >> at & mask : 0; \
                T want = at < 64 ? (T)(((ulong)base & ~(mask << at)) | ((ulong)x << at & mask << at)) : base; \
                if (bitfield_insert(base, x, at, n) != want) good = 2; \
                if (bitfield_extract_unsigned(x, at, n) != bits) good = 3; \
                if (bitfield_extract_signed(x, at, n) != (n ? (long)(bits << (64 - n)) >> (64 - n) : 0)) good = 4; \
            } \
        ulong turned = 0; \
        for (uint k = 0; k < width; k++) turned |= ((ulong)x >> k & 1) << (width - 1 - k); \
        if (bit_reverse(x) != (T)turned) good = 5; \
    }

//! run fields global=1
//! arg a ulong = 11944715240286233704
//! arg b ulong = 1311768467463790327
//! arg ok int[1] -> 1
kernel void fields(ulong a, ulong b, global int *ok)
{
    int good = 1;
    BITS(char) BITS(uchar) BITS(short) BITS(ushort) BITS(int) BITS(uint) BITS(long) BITS(ulong)
    if (any(bit_reverse((uchar3)(1, 2, 192)) != (uchar3)(128, 64, 3))) good = 6;
    if (any(bitfield_extract_signed((ushort4)(0xf0, 0x70, 0x80, 0), 4, 4) != (short4)(-1, 7, -8, 0))) good = 7;
    if (any(bitfield_insert((long2)(-1, 0), (long2)(0, 3), 60, 2) != (long2)(-1 ^ 3l << 60, 3l << 60))) good = 8;
    ok[0] = good;
}

//! run dots global=1
//! arg ok int[1] -> 1
kernel void dots(global int *ok)
{
    uchar4 u = (uchar4)(255, 1, 2, 128);
    char4 s = (char4)(-128, 127, -1, 2);
    int good = dot(u, u) == 65025 + 1 + 4 + 16384 && dot(s, s) == 16384 + 16129 + 1 + 4;
    good &= dot(u, s) == -32640 + 127 - 2 + 256 && dot(s, u) == dot(u, s);
    good &= dot_acc_sat(u, u, 0xffffffffu - 81413) == 0xffffffffu && dot_acc_sat(u, u, 1u) == 81415;
    good &= dot_acc_sat(s, s, INT_MAX - 5) == INT_MAX && dot_acc_sat(u, s, INT_MIN + 5) == INT_MIN && dot_acc_sat(s, u, 5) == dot(s, u) + 5;
    good &= dot_4x8packed_uu_uint(as_uint(u), as_uint(u)) == dot(u, u) && dot_4x8packed_ss_int(as_uint(s), as_uint(s)) == dot(s, s);
    good &= dot_4x8packed_us_int(as_uint(u), as_uint(s)) == dot(u, s) && dot_4x8packed_su_int(as_uint(s), as_uint(u)) == dot(u, s);
    good &= dot_acc_sat_4x8packed_uu_uint(as_uint(u), as_uint(u), 3) == 81417 && dot_acc_sat_4x8packed_us_int(as_uint(u), as_uint(s), INT_MIN) == INT_MIN;
    good &= dot_acc_sat_4x8packed_su_int(as_uint(s), as_uint(u), 1) == dot(u, s) + 1 && dot_acc_sat_4x8packed_ss_int(as_uint(s), as_uint(s), INT_MAX) == INT_MAX;
    ok[0] = good;
}

//! run clocks global=64 local=32
//! arg n int = 50
//! arg data int[64] = 3
//! arg ok int[64] -> 1
kernel void clocks(int n, global volatile int *data, global int *ok)
{
    int i = get_global_id(0), sum = 0;
    ulong first = clock_read_work_group();
    __builtin_assume(n > 0);
    for (int k = 0; k < n; k++) sum += data[i];
    uint2 last = clock_read_hilo_sub_group();
    ulong passed = as_ulong(last) - first;
    ok[i] = __builtin_expect(sum == 150, 1) && passed > 100 && passed < 10000 && clock_read_sub_group() > as_ulong(last) && clock_read_hilo_work_group().y == 0;
}
