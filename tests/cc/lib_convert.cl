// Conversions: saturating and rounding, between integers, from and to float, scalars and vectors, with
// NaN, infinities and values at the edges.
// run: from_float_char global=96 local=32 args=z8192,f1024
// run: from_float_uchar global=96 local=32 args=z8192,f1024
// run: from_float_short global=96 local=32 args=z8192,f1024
// run: from_float_ushort global=96 local=32 args=z8192,f1024
// run: from_float_int global=96 local=32 args=z8192,f1024
// run: from_float_uint global=96 local=32 args=z8192,f1024
// run: from_float_long global=96 local=32 args=z16384,f1024
// run: from_float_ulong global=96 local=32 args=z16384,f1024
// run: between global=64 local=32 args=z8192,b1024
// run: to_float global=64 local=32 args=z4096,b1024
float odd(int g, float f)
{
    switch (g % 12) {
    case 0: return NAN;
    case 1: return INFINITY;
    case 2: return -INFINITY;
    case 3: return f * 1e10f;
    case 4: return f * 1e30f;
    case 5: return (float)(g - 48) * 0.5f;
    case 6: return 127.5f + (float)(g & 1);
    case 7: return g & 1 ? 65535.5f : -32768.5f;
    case 8: return g & 1 ? 2147483648.0f : 4294967296.0f;
    case 9: return g & 1 ? -2147483904.0f : 9223372036854775808.0f;
    default: return f * 0.01f;
    }
}
#define FROM_FLOAT(T) \
    kernel void from_float_##T(global T *o, global const float *t) { \
        int g = get_global_id(0); \
        float f = odd(g, t[g]); \
        o += g * 16; \
        o[0] = convert_##T##_sat(f); o[1] = convert_##T##_sat_rte(f); o[2] = convert_##T##_sat_rtz(f); \
        o[3] = convert_##T##_sat_rtp(f); o[4] = convert_##T##_sat_rtn(f); \
        float s = (float)(g % 100) * 0.75f; \
        o[5] = convert_##T(s); o[6] = convert_##T##_rte(s); o[7] = convert_##T##_rtp(s); o[8] = convert_##T##_rtn(s); \
        T##4 v = convert_##T##4_sat_rte((float4)(f, s, -f, t[g + 64])); \
        o[9] = v.x; o[10] = v.y; o[11] = v.z; o[12] = v.w; \
        o[13] = convert_##T##3_sat((float3)(s, f, 1.5f)).y; \
    }
FROM_FLOAT(char) FROM_FLOAT(uchar) FROM_FLOAT(short) FROM_FLOAT(ushort) FROM_FLOAT(int) FROM_FLOAT(uint) FROM_FLOAT(long) FROM_FLOAT(ulong)
kernel void between(global int *o, global const int *t)
{
    int g = get_global_id(0), a = t[g];
    long l = ((long)a << (g & 31)) + a;
    o += g * 32;
    o[0] = convert_char_sat(a); o[1] = convert_uchar_sat(a); o[2] = convert_short_sat(a); o[3] = convert_ushort_sat(a);
    o[4] = (int)convert_uint_sat(a); o[5] = convert_int_sat((uint)a); o[6] = convert_int_sat(l); o[7] = (int)convert_uint_sat(l);
    o[8] = convert_char_sat(l); o[9] = convert_ushort_sat((ulong)l); o[10] = (int)(convert_ulong_sat(l) >> 7); o[11] = (int)(convert_long_sat((ulong)l) >> 9);
    o[12] = convert_char_sat((uchar)a); o[13] = convert_uchar_sat((char)a); o[14] = convert_short_sat((ushort)a); o[15] = (int)convert_uint_sat((char)a);
    o[16] = convert_char(a); o[17] = convert_ushort(l); o[18] = (int)convert_uint((char)a);
    short4 v = convert_short4_sat((int4)(a, -a, a >> 15, 40000));
    uchar8 w = convert_uchar8_sat((short8)(v, -v));
    o[19] = v.x; o[20] = v.y; o[21] = v.z + v.w; o[22] = w.s0 + w.s3 * 256; o[23] = w.s7 + w.s5 * 256;
}
kernel void to_float(global float *o, global const int *t)
{
    int g = get_global_id(0), a = t[g];
    long l = ((long)a << 32) ^ t[g + 64];
    o += g * 16;
    o[0] = convert_float(a); o[1] = convert_float_rtz(a); o[2] = convert_float_rtp(a); o[3] = convert_float_rtn(a);
    o[4] = convert_float_rte((uint)a); o[5] = convert_float_rtz((uint)a); o[6] = convert_float_rtp((uint)a); o[7] = convert_float_rtn((uint)a);
    o[8] = convert_float(l); o[9] = convert_float_rtz(l); o[10] = convert_float_rtp((ulong)l); o[11] = convert_float_rtn(l);
    o[12] = convert_float2((char2)((char)a, 3)).x; o[13] = convert_float4((ushort4)((ushort)a)).w;
    o[14] = convert_float3((ulong3)((ulong)l)).z;
}
#ifdef HOST
ARGS2(from_float_char, global char *, global const float *)
ARGS2(from_float_uchar, global uchar *, global const float *)
ARGS2(from_float_short, global short *, global const float *)
ARGS2(from_float_ushort, global ushort *, global const float *)
ARGS2(from_float_int, global int *, global const float *)
ARGS2(from_float_uint, global uint *, global const float *)
ARGS2(from_float_long, global long *, global const float *)
ARGS2(from_float_ulong, global ulong *, global const float *)
ARGS2(between, global int *, global const int *)
ARGS2(to_float, global float *, global const int *)
#endif
