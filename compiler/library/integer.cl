/* Integer functions, and conversions of integers to float with a rounding mode, that libclc lacks or gets wrong. */
#include "library.h"

#define MAD_HI(T) OVERLOAD T mad_hi(T a, T b, T c) { return mul_hi(a, b) + c; }
#define MAD_HI_N(T, n) MAD_HI(T)
#define MAD_HI_ALL(T) MAD_HI(T) VECTORS(MAD_HI_N, T)
MAD_HI_ALL(char) MAD_HI_ALL(uchar) MAD_HI_ALL(short) MAD_HI_ALL(ushort)
MAD_HI_ALL(int) MAD_HI_ALL(uint) MAD_HI_ALL(long) MAD_HI_ALL(ulong)

/* The high half of a product, from four products of halves. */
OVERLOAD ulong mul_hi(ulong a, ulong b)
{
    uint a0 = a, a1 = a >> 32, b0 = b, b1 = b >> 32;
    ulong middle = (ulong)a0 * b1 + ((ulong)a0 * b0 >> 32), other = (ulong)a1 * b0 + (uint)middle;
    return (ulong)a1 * b1 + (middle >> 32) + (other >> 32);
}
OVERLOAD long mul_hi(long a, long b)
{
    return (long)(mul_hi((ulong)a, (ulong)b) - (a < 0 ? (ulong)b : 0) - (b < 0 ? (ulong)a : 0));
}
MAP2(mul_hi, ulong, ulong, ulong)
MAP2(mul_hi, long, long, long)

/* The width for 0, as 3.0 asks. */
#define CTZ(T) \
    OVERLOAD u##T ctz(u##T x) { return __builtin_ctzg(x, (int)(8 * sizeof x)); } \
    OVERLOAD T ctz(T x) { return ctz((u##T)x); } \
    MAP1(ctz, T, T) MAP1(ctz, u##T, u##T)
CTZ(char) CTZ(short) CTZ(int) CTZ(long)

/* ---- saturation ---- */

/* Not for narrower types, which the builtins would widen first. */
#define SATURATING(T) \
    OVERLOAD T add_sat(T a, T b) { return __builtin_elementwise_add_sat(a, b); } \
    OVERLOAD T sub_sat(T a, T b) { return __builtin_elementwise_sub_sat(a, b); }
#define SATURATING_N(T, n) SATURATING(T)
#define SATURATING_ALL(T) SATURATING(T) VECTORS(SATURATING_N, T)
SATURATING_ALL(int) SATURATING_ALL(uint) SATURATING_ALL(long) SATURATING_ALL(ulong)

/* a * b + c in 128 bits, a high and a low half; what does not fit is bounded on the side of the high half's sign. */
OVERLOAD long mad_sat(long a, long b, long c)
{
    ulong low = (ulong)a * (ulong)b, sum = low + (ulong)c;
    long high = mul_hi(a, b) + (c >> 63) + (sum < low);
    return high == (long)sum >> 63 ? (long)sum : high >> 63 ^ LONG_MAX;
}
OVERLOAD ulong mad_sat(ulong a, ulong b, ulong c)
{
    ulong low = a * b, sum = low + c;
    return mul_hi(a, b) + (sum < low) != 0 ? ULONG_MAX : sum;
}
MAP3(mad_sat, long, long, long, long)
MAP3(mad_sat, ulong, ulong, ulong, ulong)

/* ---- to float, rounded towards zero, down and up ---- */

static uint magnitude(int a) { return abs(a); }
static ulong magnitude64(long a) { return abs(a); }

/* A magnitude without what is below its 24 highest bits. */
static uint cut(uint m) { uint lost = 8 - min(clz(m), 8u); return m >> lost << lost; }
static ulong cut64(ulong m) { uint lost = 40 - min((uint)clz(m), 40u); return m >> lost << lost; }

/* The largest float not above a magnitude, and the smallest not below: the next one if anything was lost. */
static float below(uint m) { return (float)cut(m); }
static float below64(ulong m) { return (float)cut64(m); }
static float above(uint m) { return as_float(as_uint(below(m)) + (cut(m) != m)); }
static float above64(ulong m) { return as_float(as_uint(below64(m)) + (cut64(m) != m)); }

#define ROUNDED_UNSIGNED(T, bits) \
    OVERLOAD float convert_float_rtz(T a) { return below##bits(a); } \
    OVERLOAD float convert_float_rtn(T a) { return below##bits(a); } \
    OVERLOAD float convert_float_rtp(T a) { return above##bits(a); }
#define ROUNDED_SIGNED(T, bits) \
    OVERLOAD float convert_float_rtz(T a) { float f = below##bits(magnitude##bits(a)); return a < 0 ? -f : f; } \
    OVERLOAD float convert_float_rtn(T a) { return a < 0 ? -above##bits(magnitude##bits(a)) : below##bits(a); } \
    OVERLOAD float convert_float_rtp(T a) { return a < 0 ? -below##bits(magnitude##bits(a)) : above##bits(a); }
ROUNDED_UNSIGNED(uint, ) ROUNDED_UNSIGNED(ulong, 64) ROUNDED_SIGNED(int, ) ROUNDED_SIGNED(long, 64)

#define CONVERT1(n, lo, hi, mode, T) \
    OVERLOAD float##n convert_float##n##_##mode(T##n a) { float##n f; CONVERT##n(mode) return f; }
#define CONVERT_AT(i, mode) f.s##i = convert_float_##mode(a.s##i);
#define CONVERT2(mode) CONVERT_AT(0, mode) CONVERT_AT(1, mode)
#define CONVERT3(mode) CONVERT2(mode) CONVERT_AT(2, mode)
#define CONVERT4(mode) CONVERT3(mode) CONVERT_AT(3, mode)
#define CONVERT8(mode) CONVERT4(mode) CONVERT_AT(4, mode) CONVERT_AT(5, mode) CONVERT_AT(6, mode) CONVERT_AT(7, mode)
#define CONVERT16(mode) \
    CONVERT8(mode) CONVERT_AT(8, mode) CONVERT_AT(9, mode) CONVERT_AT(a, mode) CONVERT_AT(b, mode) \
    CONVERT_AT(c, mode) CONVERT_AT(d, mode) CONVERT_AT(e, mode) CONVERT_AT(f, mode)
#define CONVERT(T) SIZES(CONVERT1, rtz, T) SIZES(CONVERT1, rtn, T) SIZES(CONVERT1, rtp, T)
CONVERT(int) CONVERT(uint) CONVERT(long) CONVERT(ulong)
