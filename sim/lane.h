/* One lane's arithmetic: the helpers that the expressions of the instruction table use, on 32-bit patterns.
 *
 * All of them are total (no operand is undefined behaviour), branch-free where that lets the compiler
 * vectorise a loop over lanes, and return the canonical NaN. Rounding is the host's current mode; with
 * LANE_RMM defined, the rounding operations are those of rmm.h: nearest, ties away from zero. */
#ifndef VENTUS_SIM_LANE_H
#define VENTUS_SIM_LANE_H

#include <math.h>
#include <stdint.h>

#define LANE static inline __attribute__((always_inline, unused))
enum { F_SIGN = (int)0x80000000, F_INF = 0x7f800000, F_NAN = 0x7fc00000 };

/* ---- integers ---- */

LANE uint32_t slt(uint32_t a, uint32_t b) { return (int32_t)a < (int32_t)b; }
LANE uint32_t sra(uint32_t a, uint32_t n) { return (uint32_t)((int32_t)a >> n); }
LANE uint32_t min_u(uint32_t a, uint32_t b) { return a < b ? a : b; }
LANE uint32_t max_u(uint32_t a, uint32_t b) { return a > b ? a : b; }
LANE uint32_t min_s(uint32_t a, uint32_t b) { return (int32_t)a < (int32_t)b ? a : b; }
LANE uint32_t max_s(uint32_t a, uint32_t b) { return (int32_t)a > (int32_t)b ? a : b; }
LANE uint32_t mulhu(uint32_t a, uint32_t b) { return (uint32_t)((uint64_t)a * b >> 32); }
LANE uint32_t mulh(uint32_t a, uint32_t b) { return (uint32_t)((uint64_t)((int64_t)(int32_t)a * (int32_t)b) >> 32); }
LANE uint32_t mulhsu(uint32_t a, uint32_t b) { return (uint32_t)((uint64_t)((int64_t)(int32_t)a * (int64_t)b) >> 32); }
LANE uint32_t div_u(uint32_t a, uint32_t b) { return b ? a / b : ~0u; }
LANE uint32_t rem_u(uint32_t a, uint32_t b) { return b ? a % b : a; }
LANE uint32_t div_s(uint32_t a, uint32_t b)
{
    if (b == 0) return ~0u;
    if (b == ~0u) return 0u - a; /* also the overflow: -MIN is MIN */
    return (uint32_t)((int32_t)a / (int32_t)b);
}
LANE uint32_t rem_s(uint32_t a, uint32_t b)
{
    if (b == 0) return a;
    if (b == ~0u) return 0;
    return (uint32_t)((int32_t)a % (int32_t)b);
}
LANE uint32_t sat_add_u(uint32_t a, uint32_t b) { return a + b < a ? ~0u : a + b; }
LANE uint32_t sat_sub_u(uint32_t a, uint32_t b) { return a < b ? 0 : a - b; }
LANE uint32_t sat_limit(uint32_t a) { return 0x7fffffffu + (a >> 31); } /* largest value of a's sign */
LANE uint32_t sat_add_s(uint32_t a, uint32_t b)
{
    uint32_t r = a + b;
    return (~(a ^ b) & (a ^ r)) >> 31 ? sat_limit(a) : r;
}
LANE uint32_t sat_sub_s(uint32_t a, uint32_t b)
{
    uint32_t r = a - b;
    return ((a ^ b) & (a ^ r)) >> 31 ? sat_limit(a) : r;
}

/* ---- floating point: bits and sign ---- */

LANE float f_of(uint32_t u)
{
    union { uint32_t u; float f; } c = {u};
    return c.f;
}
LANE uint32_t f_bits(float f)
{
    union { float f; uint32_t u; } c = {f};
    return c.u;
}
LANE uint32_t f_isnan(uint32_t a) { return (a & 0x7fffffffu) > F_INF; }
LANE uint32_t f_canon(uint32_t a) { return f_isnan(a) ? F_NAN : a; }
LANE uint32_t f_neg(uint32_t a) { return a ^ 0x80000000u; }
LANE uint32_t f_sgnj(uint32_t a, uint32_t b) { return (a & 0x7fffffffu) | (b & 0x80000000u); }
LANE uint32_t f_sgnjn(uint32_t a, uint32_t b) { return (a & 0x7fffffffu) | (~b & 0x80000000u); }
LANE uint32_t f_sgnjx(uint32_t a, uint32_t b) { return a ^ (b & 0x80000000u); }

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
LANE uint32_t f_eq(uint32_t a, uint32_t b) { return (uint32_t)((a == b) | !((a | b) << 1)) & !(f_isnan(a) | f_isnan(b)); }
LANE uint32_t f_lt(uint32_t a, uint32_t b)
{
    return (uint32_t)(f_key(a) < f_key(b)) & !!((a | b) << 1) & !(f_isnan(a) | f_isnan(b));
}
LANE uint32_t f_le(uint32_t a, uint32_t b)
{
    return (uint32_t)((f_key(a) <= f_key(b)) | !((a | b) << 1)) & !(f_isnan(a) | f_isnan(b));
}

/* Bit 0 -inf, 1 negative normal, 2 negative subnormal, 3 -0, 4 +0 ... 7 +inf, 8 signalling, 9 quiet. */
LANE uint32_t f_class(uint32_t a)
{
    uint32_t m = a & 0x7fffffffu, negative = a >> 31;
    if (m > F_INF) return m & 0x00400000u ? 1u << 9 : 1u << 8;
    uint32_t k = m == F_INF ? 7 : m >= 0x00800000u ? 6 : m ? 5 : 4;
    return 1u << (negative ? 7 - k : k);
}

/* ---- floating point: conversions that do not depend on the rounding mode ---- */

LANE uint32_t f_to_s32_rtz(uint32_t a)
{
    float f = f_of(a);
    if (f_isnan(a) || f >= 0x1p31f) return 0x7fffffffu;
    return f < -0x1p31f ? 0x80000000u : (uint32_t)(int32_t)f;
}
LANE uint32_t f_to_u32_rtz(uint32_t a)
{
    float f = f_of(a);
    if (f_isnan(a) || f >= 0x1p32f) return ~0u;
    return f <= 0 ? 0 : (uint32_t)f;
}

/* ---- floating point: rounding operations ---- */

#ifdef LANE_RMM
#include "sim/rmm.h"
#else
LANE uint32_t f_add(uint32_t a, uint32_t b) { return f_canon(f_bits(f_of(a) + f_of(b))); }
LANE uint32_t f_sub(uint32_t a, uint32_t b) { return f_canon(f_bits(f_of(a) - f_of(b))); }
LANE uint32_t f_mul(uint32_t a, uint32_t b) { return f_canon(f_bits(f_of(a) * f_of(b))); }
LANE uint32_t f_div(uint32_t a, uint32_t b) { return f_canon(f_bits(f_of(a) / f_of(b))); }
LANE uint32_t f_sqrt(uint32_t a) { return f_canon(f_bits(sqrtf(f_of(a)))); }
LANE uint32_t f_fma(uint32_t a, uint32_t b, uint32_t c) { return f_canon(f_bits(fmaf(f_of(a), f_of(b), f_of(c)))); }
LANE uint32_t f_from_s32(uint32_t a) { return f_bits((float)(int32_t)a); }
LANE uint32_t f_from_u32(uint32_t a) { return f_bits((float)a); }
LANE uint32_t f_to_s32(uint32_t a)
{
    float f = f_of(a);
    if (f_isnan(a) || f >= 0x1p31f) return 0x7fffffffu;
    return f < -0x1p31f ? 0x80000000u : (uint32_t)(int32_t)lrintf(f);
}
LANE uint32_t f_to_u32(uint32_t a)
{
    float f = f_of(a);
    if (f_isnan(a) || f >= 0x1p32f) return ~0u;
    return f <= 0 ? 0 : (uint32_t)llrintf(f);
}
#endif

#endif
