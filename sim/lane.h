/* One lane's arithmetic: the helpers that the expressions of the instruction table use, on bit patterns.
 *
 * All of them are total (no operand is undefined behaviour) and branch-free where that lets the compiler
 * vectorise a loop over lanes. Integers are `word`s of WORD_BITS: 8, 16, 32 or 64. Floating point is
 * binary32, returns the canonical NaN, rounds in the host's current mode and raises no flags; with
 * LANE_EXACT defined that part is left to eval.c. LANE_DIVIDE: division by vector instructions; one_div_u and the like
 * divide by the host's. LANE_RAW_NAN: NaNs stay as the host makes them. */
#ifndef VENTUS_SIM_LANE_H
#define VENTUS_SIM_LANE_H

#include <math.h>
#include <stdint.h>

#ifndef WORD_BITS
#define WORD_BITS 32
#endif
#if WORD_BITS == 8
typedef uint8_t word;
typedef int8_t sword;
typedef uint16_t dword;
typedef int16_t sdword;
#elif WORD_BITS == 16
typedef uint16_t word;
typedef int16_t sword;
typedef uint32_t dword;
typedef int32_t sdword;
#elif WORD_BITS == 32
typedef uint32_t word;
typedef int32_t sword;
typedef uint64_t dword; /* holds sums and products of words */
typedef int64_t sdword;
#else
typedef uint64_t word;
typedef int64_t sword;
__extension__ typedef unsigned __int128 dword;
__extension__ typedef __int128 sdword;
#endif
#define WORD_SIGN ((word)1 << (WORD_BITS - 1))
#define WORD_ONES ((word) ~(word)0)

#define LANE static inline __attribute__((always_inline, unused))

/* ---- integers ---- */

LANE word shamt(word n) { return n & (WORD_BITS - 1); }
LANE word slt(word a, word b) { return (sword)a < (sword)b; }
LANE word sra(word a, word n) { return (word)((sword)a >> n); }
LANE word min_u(word a, word b) { return a < b ? a : b; }
LANE word max_u(word a, word b) { return a > b ? a : b; }
LANE word min_s(word a, word b) { return (sword)a < (sword)b ? a : b; }
LANE word max_s(word a, word b) { return (sword)a > (sword)b ? a : b; }
LANE word mulhu(word a, word b) { return (word)((dword)a * b >> WORD_BITS); }
LANE word mulh(word a, word b) { return (word)((dword)((sdword)(sword)a * (sword)b) >> WORD_BITS); }
LANE word mulhsu(word a, word b) { return (word)((dword)((sdword)(sword)a * (sdword)b) >> WORD_BITS); }
/* One lane's division: by 1 in place of what the host's instruction faults at, -1 also where it overflows. */
LANE word one_div_u(word a, word b)
{
    word q = a / (b ? b : 1);
    return b ? q : WORD_ONES;
}
LANE word one_rem_u(word a, word b)
{
    word r = a % (b ? b : 1);
    return b ? r : a;
}
LANE word one_div_s(word a, word b)
{
    word q = (word)((sword)a / (sword)((word)(b + 1) < 2 ? 1 : b));
    return !b ? WORD_ONES : b == WORD_ONES ? (word)0 - a : q;
}
LANE word one_rem_s(word a, word b)
{
    word r = (word)((sword)a % (sword)((word)(b + 1) < 2 ? 1 : b));
    return b ? r : a;
}
#ifndef LANE_DIVIDE
LANE word div_u(word a, word b) { return one_div_u(a, b); }
LANE word rem_u(word a, word b) { return one_rem_u(a, b); }
LANE word div_s(word a, word b) { return one_div_s(a, b); }
LANE word rem_s(word a, word b) { return one_rem_s(a, b); }
#else
/* Vectors of 32-bit lanes divide as doubles: (a + 1/2) / b is at least 1 / 2b away from every integer, more than
 * rounding moves it in any mode, so its integer part is the quotient. One reciprocal serves all lanes with the same
 * divisor. */
LANE word div_u(word a, word b)
{
    word q = (word)(((double)a + 0.5) * (1.0 / (double)(b ? b : 1)));
    return b ? q : WORD_ONES;
}
LANE word rem_u(word a, word b) { return b ? a - div_u(a, b) * b : a; }
LANE word div_s(word a, word b)
{
    word special = !b | (b == WORD_ONES); /* -1: also the overflow */
    double away = (sword)a < 0 ? -0.5 : 0.5;
    word q = (word)(sword)(((double)(sword)a + away) * (1.0 / (double)(sword)(special ? 1 : b)));
    return !b ? WORD_ONES : b == WORD_ONES ? (word)0 - a : q;
}
LANE word rem_s(word a, word b)
{
    word r = a - div_s(a, b) * b;
    return b ? r : a;
}
#endif
LANE word sat_add_u(word a, word b) { return (word)(a + b) < a ? WORD_ONES : (word)(a + b); }
LANE word sat_sub_u(word a, word b) { return a < b ? 0 : a - b; }
LANE word sat_limit(word a) { return (WORD_SIGN - 1) + (a >> (WORD_BITS - 1)); } /* largest value of a's sign */
LANE word sat_add_s(word a, word b)
{
    word r = a + b;
    return (~(a ^ b) & (a ^ r)) >> (WORD_BITS - 1) ? sat_limit(a) : r;
}
LANE word sat_sub_s(word a, word b)
{
    word r = a - b;
    return ((a ^ b) & (a ^ r)) >> (WORD_BITS - 1) ? sat_limit(a) : r;
}

/* ---- floating point: the sign ---- */

LANE word f_neg(word a) { return a ^ WORD_SIGN; }
LANE word f_sgnj(word a, word b) { return (a & ~WORD_SIGN) | (b & WORD_SIGN); }
LANE word f_sgnjn(word a, word b) { return (a & ~WORD_SIGN) | (~b & WORD_SIGN); }
LANE word f_sgnjx(word a, word b) { return a ^ (b & WORD_SIGN); }

#ifndef LANE_EXACT

/* ---- floating point: bits ---- */

enum { F_INF = 0x7f800000, F_NAN = 0x7fc00000 };

LANE float f_of(uint32_t u)
{
    union {
        uint32_t u;
        float f;
    } c = {u};
    return c.f;
}
LANE uint32_t f_bits(float f)
{
    union {
        float f;
        uint32_t u;
    } c = {f};
    return c.u;
}
#ifdef LANE_RAW_NAN /* the caller makes NaNs canonical, and nobody reads which exceptions a comparison raises */
LANE uint32_t f_isnan(uint32_t a) { return f_of(a) != f_of(a); }
LANE uint32_t f_canon(uint32_t a) { return a; }
#else
LANE uint32_t f_isnan(uint32_t a) { return (a & 0x7fffffffu) > F_INF; }
LANE uint32_t f_canon(uint32_t a) { return f_isnan(a) ? F_NAN : a; }
#endif

#ifdef LANE_RAW_NAN
/* The host's own minimum is b where they are equal, or one is no number. Only zeros are equal with different bits, so
 * b may be wrong if it is the zero of the wrong sign; where it is another constant, the host's instruction is left. */
LANE uint32_t f_choose(uint32_t a, uint32_t b, uint32_t host, uint32_t zero)
{
    return f_isnan(b) | ((b == zero) & (f_of(a) == f_of(b))) ? a : host;
}
LANE uint32_t f_min(uint32_t a, uint32_t b) { return f_choose(a, b, f_bits(f_of(a) < f_of(b) ? f_of(a) : f_of(b)), 0); }
LANE uint32_t f_max(uint32_t a, uint32_t b)
{
    return f_choose(a, b, f_bits(f_of(a) > f_of(b) ? f_of(a) : f_of(b)), 1u << 31);
}
LANE uint32_t f_eq(uint32_t a, uint32_t b) { return f_of(a) == f_of(b); }
LANE uint32_t f_lt(uint32_t a, uint32_t b) { return f_of(a) < f_of(b); }
LANE uint32_t f_le(uint32_t a, uint32_t b) { return f_of(a) <= f_of(b); }
#else
/* Order of non-NaN values as signed integers, -0 below +0. */
LANE int32_t f_key(uint32_t a) { return (int32_t)(a ^ (sra(a, 31) & 0x7fffffffu)); }
LANE uint32_t f_min(uint32_t a, uint32_t b)
{
    uint32_t r = f_key(a) < f_key(b) ? a : b;
    r = f_isnan(a) ? b : r;
    r = f_isnan(b) ? a : r;
    return f_canon(r);
}
LANE uint32_t f_max(uint32_t a, uint32_t b)
{
    uint32_t r = f_key(a) > f_key(b) ? a : b;
    r = f_isnan(a) ? b : r;
    r = f_isnan(b) ? a : r;
    return f_canon(r);
}
LANE uint32_t f_eq(uint32_t a, uint32_t b)
{
    return (uint32_t)((a == b) | !((a | b) << 1)) & !(f_isnan(a) | f_isnan(b));
}
LANE uint32_t f_lt(uint32_t a, uint32_t b)
{
    return (uint32_t)(f_key(a) < f_key(b)) & !!((a | b) << 1) & !(f_isnan(a) | f_isnan(b));
}
LANE uint32_t f_le(uint32_t a, uint32_t b)
{
    return (uint32_t)((f_key(a) <= f_key(b)) | !((a | b) << 1)) & !(f_isnan(a) | f_isnan(b));
}
#endif

/* Bit 0 -inf, 1 negative normal, 2 negative subnormal, 3 -0, 4 +0 ... 7 +inf, 8 signalling, 9 quiet. */
LANE uint32_t f_class(uint32_t a)
{
    uint32_t m = a & 0x7fffffffu, negative = a >> 31;
    if (m > F_INF) return m & 0x00400000u ? 1u << 9 : 1u << 8;
    uint32_t k = m == F_INF ? 7 : m >= 0x00800000u ? 6 : m ? 5 : 4;
    return 1u << (negative ? 7 - k : k);
}

/* ---- floating point: conversions that do not depend on the rounding mode ---- */

#ifdef LANE_RAW_NAN
/* One comparison finds what is too large and what is no number. That is converted first: clang, which alone compiles
 * this, leaves such a result undefined, and it is not chosen. */
LANE uint32_t f_to_s_rtz(uint32_t a)
{
    float f = f_of(a);
    uint32_t number = f >= -0x1p31f ? (uint32_t)(int32_t)f : 0x80000000u;
    return f < 0x1p31f ? number : 0x7fffffffu;
}
LANE uint32_t f_to_u_rtz(uint32_t a)
{
    float f = f_of(a);
    uint32_t number = (uint32_t)(f > 0 ? f : 0);
    return f < 0x1p32f ? number : ~0u;
}
#else
LANE uint32_t f_to_s_rtz(uint32_t a)
{
    float f = f_of(a);
    if (f_isnan(a) || f >= 0x1p31f) return 0x7fffffffu;
    return f < -0x1p31f ? 0x80000000u : (uint32_t)(int32_t)f;
}
LANE uint32_t f_to_u_rtz(uint32_t a)
{
    float f = f_of(a);
    if (f_isnan(a) || f >= 0x1p32f) return ~0u;
    return f <= 0 ? 0 : (uint32_t)f;
}
#endif

/* ---- binary16, in the lower bits: to nearest even in every mode of the host ---- */

enum { H_INF = 0x7c00, H_NAN = 0x7e00 };

LANE uint64_t d_bits(double d)
{
    union {
        double d;
        uint64_t u;
    } c = {d};
    return c.u;
}
LANE double d_of(uint64_t u)
{
    union {
        uint64_t u;
        double d;
    } c = {u};
    return c.d;
}

/* The factor gives the exponent its bias, and a subnormal its first bit. */
#ifdef LANE_HALVES /* the host converts halves */
LANE float f16_float(uint32_t a)
{
    uint16_t bits = (uint16_t)a;
    _Float16 half;
    memcpy(&half, &bits, sizeof half);
    return (float)half;
}
LANE uint32_t f16_near(float x)
{
    _Float16 half = (_Float16)x;
    uint16_t bits;
    memcpy(&bits, &half, sizeof bits);
    return x == x ? bits : H_NAN;
}
LANE uint32_t f_from_f16(uint32_t a)
{
    const float x = f16_float(a);
    return x == x ? f_bits(x) : F_NAN;
}
LANE uint32_t f_to_f16(uint32_t a) { return f16_near(f_of(a)); }

#ifdef LANE_HALF_ARITHMETIC /* and computes with them */
LANE _Float16 f16_half(uint32_t a)
{
    uint16_t bits = (uint16_t)a;
    _Float16 half;
    memcpy(&half, &bits, sizeof half);
    return half;
}
LANE uint32_t f16_canon(_Float16 x)
{
    uint16_t bits;
    memcpy(&bits, &x, sizeof bits);
    return x == x ? bits : H_NAN;
}
LANE uint32_t f16_add(uint32_t a, uint32_t b) { return f16_canon(f16_half(a) + f16_half(b)); }
LANE uint32_t f16_mul(uint32_t a, uint32_t b) { return f16_canon(f16_half(a) * f16_half(b)); }
LANE uint32_t f16_fma(uint32_t a, uint32_t b, uint32_t c)
{
    return f16_canon(__builtin_fmaf16(f16_half(a), f16_half(b), f16_half(c)));
}
#else
/* A float has enough bits for a sum or product of halves that is rounded twice. */
LANE uint32_t f16_add(uint32_t a, uint32_t b) { return f16_near(f16_float(a) + f16_float(b)); }
LANE uint32_t f16_mul(uint32_t a, uint32_t b) { return f16_near(f16_float(a) * f16_float(b)); }

/* The product is exact, the sum is rounded to odd, so that rounding it again is right. */
LANE uint32_t f16_fma(uint32_t a, uint32_t b, uint32_t c)
{
    float p = f16_float(a) * f16_float(b), z = f16_float(c), sum = p + z, t = sum - p,
          error = (p - (sum - t)) + (z - t);
    uint32_t bits = f_bits(sum), inexact = (error < 0) | (error > 0), away = (error < 0) == (sum < 0);
    bits += ~bits & inexact ? (away ? 1 : ~0u) : 0;
    return f16_near(f_of(bits));
}
#endif
#else
LANE uint32_t f_from_f16(uint32_t a)
{
    uint32_t m = a & 0x7fff, finite = f_bits(f_of(m << 13) * 0x1p112f);
    return m > H_INF ? F_NAN : (m == H_INF ? F_INF : finite) | (a & 0x8000) << 16;
}
LANE double f16_value(uint32_t a) { return (double)f_of(f_from_f16(a)); }

/* Of the 53 bits of a significand 42 are lost, and more where the result is subnormal. */
LANE uint32_t f16_of(double x)
{
    uint64_t u = d_bits(x), m = u & ~0ull >> 1, exponent = m >> 52;
    uint64_t subnormal = exponent < 1009, deep = exponent < 988; /* below 2^-14, and less than half of 2^-24 */
    uint64_t lost = deep ? 63 : subnormal ? 1051 - exponent : 42;
    uint64_t all = subnormal ? (m & ~0ull >> 12) | 1ull << 52 : m - (1008ull << 52);
    uint64_t kept = (all + (1ull << (lost - 1)) - 1 + (all >> lost & 1)) >> lost;
    uint64_t magnitude = m >= 0x40effe0000000000ull ? H_INF : kept; /* 65520, which rounds to infinity */
    return (uint32_t)(m > 0x7ff0000000000000ull ? H_NAN : magnitude | (u >> 48 & 0x8000));
}
LANE uint32_t f_to_f16(uint32_t a) { return f16_of((double)f_of(a)); }

/* Sums and products are exact in a double. A sum of zero is positive, unless both terms are negative. */
LANE uint32_t f16_add(uint32_t a, uint32_t b)
{
    double sum = f16_value(a) + f16_value(b);
    return sum == 0 ? a & b & 0x8000 : f16_of(sum);
}
LANE uint32_t f16_mul(uint32_t a, uint32_t b) { return f16_of(f16_value(a) * f16_value(b)); }

/* The sum of a product and a half, if it can be finite, is exact in a double, too, once 2^-31 stands for the
 * product's bits below 2^-30: these are too small to decide anything but that the sum lies beside a number. */
LANE uint32_t f16_fma(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t product = f_bits(f_of(f_from_f16(a)) * f_of(f_from_f16(b))), sign = product & 0x80000000u;
    uint32_t exponent = product >> 23 & 255, lost = exponent < 120 ? 120 - exponent : 0;
    uint32_t cut = lost > 23 ? sign : product & ~0u << (lost & 31), rest = cut == product ? 0 : sign | 0x30000000;
    double sum = (double)f_of(cut) + (double)f_of(rest) + f16_value(c);
    return sum == 0 ? (a ^ b) & c & 0x8000 : f16_of(sum);
}

#endif

LANE uint32_t f16x2_add(uint32_t a, uint32_t b) { return f16_add(a, b) | f16_add(a >> 16, b >> 16) << 16; }
LANE uint32_t f16x2_mul(uint32_t a, uint32_t b) { return f16_mul(a, b) | f16_mul(a >> 16, b >> 16) << 16; }
LANE uint32_t f16x2_fma(uint32_t a, uint32_t b, uint32_t c)
{
    return f16_fma(a, b, c) | f16_fma(a >> 16, b >> 16, c >> 16) << 16;
}

/* ---- floating point: rounding operations ---- */

LANE uint32_t f_add(uint32_t a, uint32_t b) { return f_canon(f_bits(f_of(a) + f_of(b))); }
LANE uint32_t f_sub(uint32_t a, uint32_t b) { return f_canon(f_bits(f_of(a) - f_of(b))); }
LANE uint32_t f_mul(uint32_t a, uint32_t b) { return f_canon(f_bits(f_of(a) * f_of(b))); }
LANE uint32_t f_div(uint32_t a, uint32_t b) { return f_canon(f_bits(f_of(a) / f_of(b))); }
LANE uint32_t f_sqrt(uint32_t a) { return f_canon(f_bits(sqrtf(f_of(a)))); }
LANE uint32_t f_fma(uint32_t a, uint32_t b, uint32_t c) { return f_canon(f_bits(fmaf(f_of(a), f_of(b), f_of(c)))); }
LANE uint32_t f_from_s(uint32_t a) { return f_bits((float)(int32_t)a); }
LANE uint32_t f_from_u(uint32_t a) { return f_bits((float)a); }
/* Rounds to an integer in the host's rounding mode: in vectors where the host has the instruction, else one number at
 * a time. */
#ifdef __SSE4_1__
LANE float f_rounded(float f) { return rintf(f); }
#else
LANE int64_t f_rounded(float f) { return llrintf(f); }
#endif
LANE uint32_t f_to_s(uint32_t a)
{
    float f = f_of(a);
    if (f_isnan(a) || f >= 0x1p31f) return 0x7fffffffu;
    return f < -0x1p31f ? 0x80000000u : (uint32_t)(int32_t)f_rounded(f);
}
LANE uint32_t f_to_u(uint32_t a)
{
    float f = f_of(a);
    if (f_isnan(a) || f >= 0x1p32f) return ~0u;
    return f <= 0 ? 0 : (uint32_t)f_rounded(f);
}

#if WORD_BITS == 32
#include "sim/special_lane.h"
#endif

#endif /* LANE_EXACT */

#endif
