// Conversions between types: plain, saturating, with rounding, and by reinterpretation.
//! run from_int global=16 local=16
//! arg a int[16] = {0, 1, -1, 127, 128, -128, -129, 255, 256, 32767, 32768, -32769, 65535, 65536, 2147483647, -2147483648}
//! arg c char[16] -> a[i]
//! arg us ushort[16] -> a[i]
//! arg cs char[16] -> min(max(a[i], -128), 127)
//! arg ucs uchar[16] -> min(max(a[i], 0), 255)
//! arg ss short[16] -> min(max(a[i], -32768), 32767)
//! arg uss ushort[16] -> min(max(a[i], 0), 65535)
//! arg l long[16] -> a[i]
//! arg ul ulong[16] -> a[i]
//! arg f float[16] -> a[i]
//! arg uf float[16] -> a[i] & 0xffffffff
kernel void from_int(global const int *a, global char *c, global ushort *us, global char *cs, global uchar *ucs,
                     global short *ss, global ushort *uss, global long *l, global ulong *ul, global float *f,
                     global float *uf)
{
    int i = get_global_id(0);
    c[i] = a[i];
    us[i] = a[i];
    cs[i] = convert_char_sat(a[i]);
    ucs[i] = convert_uchar_sat(a[i]);
    ss[i] = convert_short_sat(a[i]);
    uss[i] = convert_ushort_sat(a[i]);
    l[i] = a[i];
    ul[i] = a[i];
    f[i] = a[i];
    uf[i] = (float)(uint)a[i];
}

//! run from_float global=12 local=12
//! arg a float[12] = {0.0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.75, -0.75, 99.99, -99.99, 127.5}
//! arg toward_zero int[12] -> trunc(a[i])
//! arg nearest int[12] -> rint(a[i])
//! arg up int[12] -> ceil(a[i])
//! arg down int[12] -> floor(a[i])
//! arg byte char[12] -> min(rint(a[i]), 127)
//! arg wide long[12] -> trunc(a[i] * 1099511627776.0)
kernel void from_float(global const float *a, global int *toward_zero, global int *nearest, global int *up,
                       global int *down, global char *byte, global long *wide)
{
    int i = get_global_id(0);
    toward_zero[i] = (int)a[i];
    nearest[i] = convert_int_rte(a[i]);
    up[i] = convert_int_rtp(a[i]);
    down[i] = convert_int_rtn(a[i]);
    byte[i] = convert_char_sat_rte(a[i]);
    wide[i] = (long)(a[i] * 0x1p40f);
}

//! run saturate global=10 local=5
//! arg a float[10] = {-1e20, -300.0, -1.0, 0.0, 254.5, 255.5, 70000.0, 3e9, 1e20, inf}
//! arg bytes uchar[10] -> {0, 0, 0, 0, 254, 255, 255, 255, 255, 255}
//! arg shorts short[10] -> {-32768, -300, -1, 0, 254, 255, 32767, 32767, 32767, 32767}
//! arg ints int[10] -> {-2147483648, -300, -1, 0, 254, 255, 70000, 2147483647, 2147483647, 2147483647}
//! arg uints uint[10] -> {0, 0, 0, 0, 254, 255, 70000, 3000000000, 4294967295, 4294967295}
kernel void saturate(global const float *a, global uchar *bytes, global short *shorts, global int *ints,
                     global uint *uints)
{
    int i = get_global_id(0);
    bytes[i] = convert_uchar_sat(a[i]);
    shorts[i] = convert_short_sat(a[i]);
    ints[i] = convert_int_sat(a[i]);
    uints[i] = convert_uint_sat(a[i]);
}

//! run from_long global=8 local=8
//! arg a long[8] = {0, 1, -1, 16777217, -16777219, 4294967296, -9223372036854775807, 1311768467463790320}
//! arg i32 int[8] -> a[i]
//! arg u8 uchar[8] -> a[i]
//! arg f float[8] -> a[i]
//! arg uf float[8] -> {0, 1, 18446744073709551616.0, 16777216, 18446744073692774400.0, 4294967296, 9223372036854775808.0, 1311768467463790320.0}
//! arg back long[8] -> float(a[i])
kernel void from_long(global const long *a, global int *i32, global uchar *u8, global float *f, global float *uf,
                      global long *back)
{
    int i = get_global_id(0);
    i32[i] = a[i];
    u8[i] = a[i];
    f[i] = a[i];
    uf[i] = (ulong)a[i];
    back[i] = (long)(float)a[i];
}

//! run reinterpret global=4 local=4
//! arg a float[4] = {1.0, -2.5, 0.0, inf}
//! arg bits uint[4] -> bits(a[i])
//! arg same float[4] -> a[i]
//! arg halves ushort[8] -> bits(a[i / 2]) >> (i % 2 ? 16 : 0)
//! arg bytes uchar[16] -> bits(a[i / 4]) >> (i % 4 * 8)
//! arg pair ulong[2] -> bits(a[2 * i]) | bits(a[2 * i + 1]) << 32
kernel void reinterpret(global const float *a, global uint *bits, global float *same, global ushort *halves,
                        global uchar *bytes, global ulong *pair)
{
    int i = get_global_id(0);
    bits[i] = as_uint(a[i]);
    same[i] = as_float(as_int(a[i]));
    vstore2(as_ushort2(a[i]), i, halves);
    vstore4(as_uchar4(a[i]), i, bytes);
    if (i < 2)
        pair[i] = as_ulong((float2)(a[2 * i], a[2 * i + 1]));
}

//! run narrow global=32 local=32
//! arg a uchar[32] = i * 9
//! arg widened int[32] -> char(a[i])
//! arg sum short[32] -> char(a[i]) * a[i]
//! arg truth int[32] -> (a[i] != 0) + (a[i] > 200)
kernel void narrow(global const uchar *a, global int *widened, global short *sum, global int *truth)
{
    int i = get_global_id(0);
    widened[i] = (char)a[i];
    sum[i] = (char)a[i] * a[i];
    bool any = a[i], big = a[i] > 200;
    truth[i] = any + big;
}
