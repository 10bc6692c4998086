/* Constructs without a machine form: lower.c replaces them by calls of these. */
#include "library.h"

/* Divisions without branches and without a division that must not be done in vain: a loop computes once what does not
 * change in it. */

/* (2^64 - 1) / d - 2^32: what to multiply with instead of dividing by d, whose highest bit is set. The first guess has 20
 * bits or more, the next one is at most 1 off. */
static uint inverse(uint d)
{
    float part = 1.0f / (float)d;
    uint guess = (uint)fmin(part * 0x1p64f - 0x1p32f, 0x1.fffffep31f);
    long rest = ((ulong)~d << 32 | 0xffffffff) - (ulong)guess * d;
    int more = (int)((float)(int)(rest >> 20) * (part * 0x1p20f));
    rest -= (long)more * d;
    return guess + more - (rest < 0) + (rest >= d);
}

/* (high * 2^32 + low) / d for high < d. The guess is at most 1 off either way. */
static uint divide_long(uint high, uint low, uint d, uint inverse, private uint *rest)
{
    ulong product = (ulong)inverse * high + ((ulong)high << 32 | low);
    uint q = (uint)(product >> 32) + 1, r = low - q * d;
    bool large = r > (uint)product;
    q -= large;
    r += large ? d : 0;
    bool small = r >= d;
    *rest = r - (small ? d : 0);
    return q + small;
}

/* Remainder below, quotient returned. Two digits of 32 bits, if b has no more; else one, of half of a by the 32 highest bits
 * of b, which is at most 1 too large once it is scaled. */
static ulong divide_large(ulong a, ulong b, __private ulong *rest)
{
    uint high = a >> 32, b_high = b >> 32, low_b = b, over;
    bool large = b_high != 0;
    ulong top = large ? b : (ulong)low_b << 32;
    uint shift = clz((uint)(top >> 32)), d = top << shift >> 32, v = inverse(d);
    ulong scaled = a << shift;
    uint first = divide_long(high >> 1 >> (31 - shift), scaled >> 32, d, v, &over);
    uint q = divide_long(large ? high >> 1 : over, large ? (uint)(a >> 1) : (uint)scaled, d, v, &over);
    if (large) q = q >> (31 - shift);
    q -= large & (q != 0);
    ulong quotient = (ulong)(large ? 0 : first) << 32 | q, r = a - quotient * b;
    bool more = r >= b;
    *rest = more ? r - b : r;
    return quotient + more;
}

/* The same by a word, in two digits. */
static ulong divide_by_word(ulong a, uint b, __private uint *rest)
{
    uint shift = clz(b), d = b << shift, v = inverse(d), over;
    ulong scaled = a << shift;
    uint first = divide_long((uint)(a >> 33) >> (31 - shift), scaled >> 32, d, v, &over);
    uint second = divide_long(over, scaled, d, v, &over);
    *rest = over >> shift;
    return (ulong)first << 32 | second;
}

static bool is_small(ulong a, ulong b) { return (uint)((a | b) >> 32) == 0; }

static ulong divide(ulong a, ulong b, __private ulong *rest)
{
    if (!is_small(a, b)) return divide_large(a, b, rest);
    *rest = (uint)a % (uint)b;
    return (uint)a / (uint)b;
}

static ulong magnitude(long a) { return a < 0 ? 0 - (ulong)a : (ulong)a; }
static ulong negated_if(bool is, ulong a) { return is ? 0 - a : a; }

ulong __ventus_mulhi64(ulong a, ulong b) { return mul_hi(a, b); } /* divisions by constants begin with it */

ulong __ventus_udiv64(ulong a, ulong b) { ulong r; return divide(a, b, &r); }
ulong __ventus_urem64(ulong a, ulong b) { ulong r; divide(a, b, &r); return r; }
long __ventus_sdiv64(long a, long b) { return negated_if((a ^ b) < 0, __ventus_udiv64(magnitude(a), magnitude(b))); }
long __ventus_srem64(long a, long b) { return negated_if(a < 0, __ventus_urem64(magnitude(a), magnitude(b))); }

/* Those of numbers that differ between lanes are routines, which stand for an operation (isa/routine.def). */
#define ROUTINE(name) PURE __ventus_routine_##name

ulong ROUTINE(udiv64)(ulong a, ulong b)
{
    ulong r, q = divide_large(a, b, &r);
    return b ? q : ~0ul;
}

ulong ROUTINE(urem64)(ulong a, ulong b)
{
    ulong r;
    divide_large(a, b, &r);
    return b ? r : a;
}

long ROUTINE(sdiv64)(long a, long b)
{
    ulong r, q = divide_large(magnitude(a), magnitude(b), &r);
    return b ? negated_if((a ^ b) < 0, q) : ~0ul;
}

long ROUTINE(srem64)(long a, long b)
{
    ulong r;
    divide_large(magnitude(a), magnitude(b), &r);
    return b ? negated_if(a < 0, r) : (ulong)a;
}

ulong ROUTINE(udiv_word)(ulong a, uint b)
{
    uint r;
    ulong q = divide_by_word(a, b, &r);
    return b ? q : ~0ul;
}

uint ROUTINE(urem_word)(ulong a, uint b)
{
    uint r;
    divide_by_word(a, b, &r);
    return b ? r : (uint)a;
}

long ROUTINE(sdiv_word)(long a, uint b)
{
    uint r;
    ulong q = divide_by_word(magnitude(a), b, &r);
    return b ? negated_if(a < 0, q) : ~0ul;
}

long ROUTINE(srem_word)(long a, uint b)
{
    uint r;
    divide_by_word(magnitude(a), b, &r);
    return b ? negated_if(a < 0, r) : (ulong)a;
}

ulong __ventus_udiv64_lanes(ulong a, ulong b) { return is_small(a, b) ? (uint)a / (uint)b : __ventus_routine_udiv64(a, b); }
ulong __ventus_urem64_lanes(ulong a, ulong b) { return is_small(a, b) ? (uint)a % (uint)b : __ventus_routine_urem64(a, b); }
long __ventus_sdiv64_lanes(long a, long b)
{
    return is_small(a, b) ? (long)((uint)a / (uint)b) : __ventus_routine_sdiv64(a, b);
}
long __ventus_srem64_lanes(long a, long b)
{
    return is_small(a, b) ? (long)((uint)a % (uint)b) : __ventus_routine_srem64(a, b);
}

/* By a word. An int is divided as such, also where it is negative. */
static bool is_int(long a) { return a == (int)a; }
static int int_negated_if(bool is, uint a) { return (int)(is ? 0 - a : a); }

ulong __ventus_udiv_word_lanes(ulong a, ulong b) { return is_small(a, 0) ? (uint)a / (uint)b : __ventus_routine_udiv_word(a, b); }
ulong __ventus_urem_word_lanes(ulong a, ulong b) { return is_small(a, 0) ? (uint)a % (uint)b : __ventus_routine_urem_word(a, b); }
long __ventus_sdiv_word_lanes(long a, ulong b)
{
    return is_int(a) ? int_negated_if(a < 0, abs((int)a) / (uint)b) : __ventus_routine_sdiv_word(a, b);
}
long __ventus_srem_word_lanes(long a, ulong b)
{
    return is_int(a) ? int_negated_if(a < 0, abs((int)a) % (uint)b) : __ventus_routine_srem_word(a, b);
}

/* 64-bit integer to float, one rounding: the bits below the 24 kept ones go into a sticky bit. */
float __ventus_utof64(ulong x)
{
    uint zeros = clz(x);
    if (zeros >= 32) return (float)(uint)x;
    ulong top = x << zeros;                       /* highest bit is bit 63 */
    uint bits = (uint)(top >> 32) | ((uint)top != 0);
    return (float)bits * as_float((127u + 32 - zeros) << 23); /* exact: a power of two */
}
float __ventus_stof64(long x)
{
    float f = __ventus_utof64(magnitude(x));
    return x < 0 ? -f : f;
}

/* Towards zero; out of range the value does not matter, but must be some value. */
ulong __ventus_ftou64(float f)
{
    uint bits = as_uint(f), mantissa = (bits & 0x7fffff) | 0x800000;
    int shift = (int)(bits >> 23 & 255) - 150;
    if (shift < -23) return 0;
    if (shift < 0) return mantissa >> -shift;
    return shift < 41 ? (ulong)mantissa << shift : ~0ul;
}
long __ventus_ftos64(float f)
{
    ulong m = __ventus_ftou64(fabs(f));
    return as_int(f) < 0 ? 0 - m : m;
}

ulong __ventus_ftou64_sat(float f) { return isnan(f) || f < 0 ? 0 : __ventus_ftou64(f); }
long __ventus_ftos64_sat(float f)
{
    if (isnan(f)) return 0;
    return f >= 0x1p63f ? LONG_MAX : f < -0x1p63f ? LONG_MIN : __ventus_ftos64(f);
}

/* Stores of halves with a rounding mode. libclc's divide the ways by branches, a hundred instructions, and those rounded
 * up or down lose what is nearer to zero than to the smallest half. */
HALVES_NEAR(float)
#define STORES(AS) \
    STORE_HALF(float, _rte, NEAREST_HALF, AS) STORE_HALF(float, _rtz, half_inside, AS) \
    STORE_HALF(float, _rtp, half_up, AS) STORE_HALF(float, _rtn, half_down, AS)
STORES(global) STORES(local) STORES(private)

/* Rounding to an integral value: by way of an integer, which has the sign of f if it is 0. Floats of 2^23 and above are
 * integral, and NaNs stay as they are. select() rather than ?:, because a divergent branch costs more than both values. */
static float whole(int i, float f) { return select(f, copysign((float)i, f), fabs(f) < 0x1p23f); }

float __ventus_trunc(float f) { return whole(__ventus_cut_int(f), f); }
float __ventus_rint(float f) { return whole(__ventus_nearest_int(f), f); }
float __ventus_floor(float f)
{
    int i = __ventus_cut_int(f);
    return whole(i - ((float)i > f), f);
}
float __ventus_ceil(float f)
{
    int i = __ventus_cut_int(f);
    return whole(i + ((float)i < f), f);
}
/* The largest float below 0.5 takes halves over the next integer by rounding, and nothing below them. */
float __ventus_round(float f) { return whole(__ventus_cut_int(f + copysign(0x1.fffffep-2f, f)), f); }

float __ventus_frem(float a, float b) { return fmod(a, b); }

/* Moves whose size or content the compiler does not know; align 4 and multiples of 4 by words. */
#define MEMCPY(D, S, DA, SA) \
    void __ventus_memcpy_##D##S(DA uchar *to, const SA uchar *from, uint n) \
    { \
        if ((((uint)to | (uint)from | n) & 3) == 0) \
            for (uint i = 0; i < n; i += 4) *(DA uint *)(to + i) = *(const SA uint *)(from + i); \
        else \
            for (uint i = 0; i < n; i++) to[i] = from[i]; \
    }
#define MEMMOVE(D, S, DA, SA) \
    void __ventus_memmove_##D##S(DA uchar *to, const SA uchar *from, uint n) \
    { \
        if ((uint)to <= (uint)from) \
            for (uint i = 0; i < n; i++) to[i] = from[i]; \
        else \
            for (uint i = n; i > 0; i--) to[i - 1] = from[i - 1]; \
    }
#define MEMSET(D, DA) \
    void __ventus_memset_##D(DA uchar *to, uchar value, uint n) { for (uint i = 0; i < n; i++) to[i] = value; }
#define MEM(D, DA) \
    MEMCPY(D, 0, DA, __private) MEMCPY(D, 1, DA, __global) MEMCPY(D, 2, DA, __constant) MEMCPY(D, 3, DA, __local) \
    MEMMOVE(D, 0, DA, __private) MEMMOVE(D, 1, DA, __global) MEMMOVE(D, 2, DA, __constant) MEMMOVE(D, 3, DA, __local) \
    MEMSET(D, DA)
MEM(0, __private) MEM(1, __global) MEM(3, __local)

/* The same where the address tells what memory it is of; local memory is accessed as global memory is. */
static bool is_private(const void *p) { return (uint)p < ABI_LOCAL_BASE; }
#define FROM_GENERIC(NAME, D, DA) \
    void __ventus_##NAME##_##D##4(DA uchar *to, const uchar *from, uint n) \
    { \
        if (is_private(from)) __ventus_##NAME##_##D##0(to, (const __private uchar *)from, n); \
        else __ventus_##NAME##_##D##1(to, (const __global uchar *)from, n); \
    }
#define TO_GENERIC(NAME, S, TYPE) \
    void __ventus_##NAME##_4##S(uchar *to, TYPE what, uint n) \
    { \
        if (is_private(to)) __ventus_##NAME##_0##S((__private uchar *)to, what, n); \
        else __ventus_##NAME##_1##S((__global uchar *)to, what, n); \
    }
#define GENERIC(NAME) \
    FROM_GENERIC(NAME, 0, __private) FROM_GENERIC(NAME, 1, __global) FROM_GENERIC(NAME, 3, __local) \
    TO_GENERIC(NAME, 0, const __private uchar *) TO_GENERIC(NAME, 1, const __global uchar *) TO_GENERIC(NAME, 2, const __constant uchar *) \
    TO_GENERIC(NAME, 3, const __local uchar *) TO_GENERIC(NAME, 4, const uchar *)
GENERIC(memcpy) GENERIC(memmove) TO_GENERIC(memset, , uchar)
