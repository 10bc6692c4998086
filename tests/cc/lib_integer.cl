// Integer built-ins of all eight types, scalars and vectors, against their definitions in host.h.
// run: t_char global=64 local=32 args=z4096,b4096
// run: t_uchar global=64 local=32 args=z4096,b4096
// run: t_short global=64 local=32 args=z4096,b4096
// run: t_ushort global=64 local=32 args=z4096,b4096
// run: t_int global=64 local=32 args=z8192,b4096
// run: t_uint global=64 local=32 args=z8192,b4096
// run: t_long global=64 local=32 args=z16384,b4096
// run: t_ulong global=64 local=32 args=z16384,b4096
// run: upsampled global=64 local=32 args=z4096,b4096
#define TEST(T, U, C) \
    kernel void t_##T(global T *o, global const T *t) { \
        int g = get_global_id(0); \
        T a = t[g], b = t[g + 64], c = t[(g * 7 + 3) & 63]; \
        if (g % 9 == 0) b = a; \
        o += g * 32; \
        o[0] = min(a, b); o[1] = max(a, b); o[2] = (T)abs(a); o[3] = (T)abs_diff(a, b); \
        o[4] = add_sat(a, b); o[5] = sub_sat(a, b); o[6] = hadd(a, b); o[7] = rhadd(a, b); \
        o[8] = mul_hi(a, b); o[9] = mad_hi(a, b, c); o[10] = mad_sat(a, b, c); o[11] = rotate(a, b); \
        o[12] = popcount(a); o[13] = clz(a); o[14] = bitselect(a, b, c); o[15] = select(a, b, (C)c); \
        o[16] = clamp(a, min(b, c), max(b, c)); o[17] = clz((T)0); o[18] = select(a, b, (U)(c & 1)); \
        T##4 v = vload4(g & 15, t), w = vload4((g & 15) + 16, t), x = w.yzwx; \
        vstore4(add_sat(v, w) + min(v, x), 5, o); \
        vstore4(rotate(v, w) ^ hadd(v, w) ^ mul_hi(v, x), 6, o); \
        T##2 p = max(v.xy, b); \
        o[28] = p.x; o[29] = p.y; \
        T##3 q = select(v.xyz, w.xyz, v.xyz < w.xyz); \
        o[30] = (T)(q.x + q.z); o[31] = popcount(v.xyz).y; \
    }
TEST(char, uchar, char) TEST(uchar, uchar, char) TEST(short, ushort, short) TEST(ushort, ushort, short)
TEST(int, uint, int) TEST(uint, uint, int) TEST(long, ulong, long) TEST(ulong, ulong, long)
kernel void upsampled(global int *o, global const int *t)
{
    int g = get_global_id(0), a = t[g], b = t[g + 64];
    o += g * 16;
    o[0] = upsample((short)a, (ushort)b);
    o[1] = (int)upsample((ushort)a, (ushort)b);
    o[2] = upsample((char)a, (uchar)b);
    o[3] = (int)(upsample(a, (uint)b) >> 16);
    int2 v = upsample((short2)((short)a, 3), (ushort2)((ushort)b, 4));
    o[4] = v.x ^ v.y;
    o[5] = mul24(a >> 8 & 0x7fff, b >> 8 & 0xffff);
    o[6] = (int)mad24((uint)a & 0xffffff, (uint)b & 0xffffff, (uint)a);
    o[7] = mad24((a & 0xfff) - 0x800, (b & 0xfff) - 0x800, a >> 1);
}
#ifdef HOST
ARGS2(t_char, global char *, global const char *)
ARGS2(t_uchar, global uchar *, global const uchar *)
ARGS2(t_short, global short *, global const short *)
ARGS2(t_ushort, global ushort *, global const ushort *)
ARGS2(t_int, global int *, global const int *)
ARGS2(t_uint, global uint *, global const uint *)
ARGS2(t_long, global long *, global const long *)
ARGS2(t_ulong, global ulong *, global const ulong *)
ARGS2(upsampled, global int *, global const int *)
#endif
