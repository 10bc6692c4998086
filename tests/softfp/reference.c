/* The reference for sim/softfp.h; reference.h says how it works. */
#include "reference.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

const struct ref_format ref_formats[FORMATS] = {
    [FP_F16] = {"f16", 16, 11, -14, 15, 0, true, true, 0x7e00},
    [FP_BF16] = {"bf16", 16, 8, -126, 127, 0, true, true, 0x7fc0},
    [FP_F32] = {"f32", 32, 24, -126, 127, 0, true, true, 0x7fc00000},
    [FP_F64] = {"f64", 64, 53, -1022, 1023, 0, true, true, 0x7ff8000000000000},
    [FP_TF32] = {"tf32", 32, 11, -126, 127, 13, true, true, 0x7fc00000},
    [FP_E4M3] = {"e4m3", 8, 4, -6, 8, 0, false, true, 0x7f},
    [FP_E5M2] = {"e5m2", 8, 3, -14, 15, 0, true, true, 0x7f},
    [FP_E3M2] = {"e3m2", 6, 3, -2, 4, 0, false, false, 0x1f},
    [FP_E2M3] = {"e2m3", 6, 4, 0, 2, 0, false, false, 0x1f},
    [FP_E2M1] = {"e2m1", 4, 2, 0, 2, 0, false, false, 0x7},
    [FP_E3M0] = {"e3m0", 4, 1, -2, 4, 0, false, false, 0x7},
};

/* ---- patterns ---- */

static uint64_t without_sign(const struct ref_format *r, uint64_t a)
{
    return (a & (((uint64_t)1 << (r->width - 1)) - 1)) >> r->unused;
}

static bool negative(const struct ref_format *r, uint64_t a) { return a >> (r->width - 1) & 1; }

static long double largest(enum fp_format f)
{
    const struct ref_format *r = &ref_formats[f];
    long double last_place = ldexpl(1, r->exp_max - r->digits + 1);
    return ldexpl(1, r->exp_max + 1) - (f == FP_E4M3 ? 2 : 1) * last_place;
}

/* As though there were neither infinity nor NaN. */
static long double plain_value(const struct ref_format *r, uint64_t a)
{
    uint64_t m = without_sign(r, a), field = m >> (r->digits - 1), one = (uint64_t)1 << (r->digits - 1);
    uint64_t sig = (m & (one - 1)) + (field ? one : 0);
    long double v = ldexpl((long double)sig, r->exp_min - r->digits + 1 + (field ? (int)field - 1 : 0));
    return negative(r, a) ? -v : v;
}

static uint64_t infinite_pattern(const struct ref_format *r)
{
    return ((uint64_t)(r->exp_max - r->exp_min + 2) << (r->digits - 1)) << r->unused;
}

bool ref_is_nan(enum fp_format f, uint64_t a)
{
    const struct ref_format *r = &ref_formats[f];
    uint64_t m = without_sign(r, a) << r->unused;
    if (f == FP_E4M3) return m == 0x7f;
    return r->nan && m > infinite_pattern(r);
}

bool ref_is_signalling(enum fp_format f, uint64_t a)
{
    const struct ref_format *r = &ref_formats[f];
    return ref_is_nan(f, a) && r->width > 8 && !(without_sign(r, a) >> (r->digits - 2) & 1);
}

long double ref_value(enum fp_format f, uint64_t a)
{
    const struct ref_format *r = &ref_formats[f];
    long double v = plain_value(r, a);
    if (r->infinity && fabsl(v) > largest(f)) return v < 0 ? -INFINITY : INFINITY;
    return v;
}

static uint64_t encode(const struct ref_format *r, bool sign, long double v)
{
    int e = v < ldexpl(1, r->exp_min) ? r->exp_min : ilogbl(v);
    uint64_t units = (uint64_t)ldexpl(v, r->digits - 1 - e);
    uint64_t m = units + ((uint64_t)(e - r->exp_min) << (r->digits - 1));
    return (m << r->unused) | (uint64_t)sign << (r->width - 1);
}

/* ---- rounding ---- */

static bool goes_up(long double rest, bool odd, bool sign, unsigned mode)
{
    switch (mode) {
    case FP_RNE: return rest > 0.5L || (rest == 0.5L && odd);
    case FP_RTZ: return false;
    case FP_RDN: return rest > 0 && sign;
    case FP_RUP: return rest > 0 && !sign;
    case FP_RMM: return rest >= 0.5L;
    default: return rest > 0 && !odd;
    }
}

/* x, not negative, to a multiple of 2^unit. */
static long double to_multiple(long double x, int unit, bool sign, unsigned mode)
{
    long double scaled = ldexpl(x, -unit), whole = floorl(scaled);
    bool odd = fmodl(whole, 2) != 0;
    return ldexpl(whole + goes_up(scaled - whole, odd, sign, mode), unit);
}

long double ref_integer(long double x, unsigned mode)
{
    return copysignl(to_multiple(fabsl(x), 0, signbit(x), mode), x);
}

static uint64_t too_large(enum fp_format f, bool sign, bool was_infinite, unsigned mode)
{
    const struct ref_format *r = &ref_formats[f];
    bool down = mode == FP_RTZ || mode == FP_ROD || mode == (sign ? FP_RUP : FP_RDN);
    if ((down && !was_infinite) || !r->nan) return encode(r, sign, largest(f));
    return r->infinity ? infinite_pattern(r) | (uint64_t)sign << (r->width - 1) : r->canonical;
}

uint64_t ref_round(enum fp_format f, long double x, unsigned mode, unsigned *flags)
{
    const struct ref_format *r = &ref_formats[f];
    bool sign = signbit(x);
    x = fabsl(x);
    if (x == 0) return encode(r, sign, 0);
    if (isinf(x)) {
        if (!r->infinity) *flags |= FP_OF | FP_NX;
        return too_large(f, sign, true, mode);
    }

    int e = ilogbl(x), below = r->digits - 1;
    long double v = to_multiple(x, (e < r->exp_min ? r->exp_min : e) - below, sign, mode);
    if (v > largest(f)) {
        *flags |= FP_OF | FP_NX;
        return too_large(f, sign, false, mode);
    }
    if (v != x) *flags |= FP_NX;
    if (v != x && to_multiple(x, e - below, sign, mode) < ldexpl(1, r->exp_min)) *flags |= FP_UF;
    return encode(r, sign, v);
}

/* ---- operations ---- */

static long double host_operation(enum ref_op op, volatile long double a, volatile long double b,
                                  volatile long double c)
{
    switch (op) {
    case REF_ADD: return a + b;
    case REF_SUB: return a - b;
    case REF_MUL: return a * b;
    case REF_DIV: return a / b;
    case REF_SQRT: return sqrtl(a);
    default: return fmal(a, b, c);
    }
}

/* The last bit of the significand comes first in memory, on every little-endian host. */
static long double made_odd(long double x)
{
    unsigned char bytes[sizeof x];
    memcpy(bytes, &x, sizeof x);
    bytes[0] |= 1;
    memcpy(&x, bytes, sizeof x);
    return x;
}

static long double to_odd(enum ref_op op, const long double v[3], int direction, unsigned *flags)
{
    fenv_t saved;
    feholdexcept(&saved);
    fesetround(direction);
    volatile long double x = host_operation(op, v[0], v[1], v[2]);
    if (fetestexcept(FE_INVALID)) *flags |= FP_NV;
    if (fetestexcept(FE_DIVBYZERO)) *flags |= FP_DZ;
    if (fetestexcept(FE_INEXACT)) x = made_odd(x);
    fesetenv(&saved);
    return x;
}

/* With a NaN among the operands; infinity times zero is invalid whatever is added. */
static unsigned nan_flags(enum ref_op op, enum fp_format f, const uint64_t operand[3], int count)
{
    for (int i = 0; i < count; i++)
        if (ref_is_signalling(f, operand[i])) return FP_NV;
    if (op != REF_FMA || ref_is_nan(f, operand[0]) || ref_is_nan(f, operand[1])) return 0;
    long double a = ref_value(f, operand[0]), b = ref_value(f, operand[1]);
    return (isinf(a) && b == 0) || (isinf(b) && a == 0) ? FP_NV : 0;
}

void ref_compute(enum ref_op op, enum fp_format f, const uint64_t operand[3], uint64_t result[MODES],
                 unsigned flags[MODES])
{
    int count = op == REF_SQRT ? 1 : op == REF_FMA ? 3 : 2;
    bool nan = false;
    unsigned raised = 0;
    long double v[3] = {0}, x = 0, x_down = 0;
    for (int i = 0; i < count; i++) nan |= ref_is_nan(f, operand[i]);
    if (nan) {
        raised = nan_flags(op, f, operand, count);
    } else {
        for (int i = 0; i < count; i++) v[i] = ref_value(f, operand[i]);
        x = to_odd(op, v, FE_TOWARDZERO, &raised);
        x_down = x == 0 ? to_odd(op, v, FE_DOWNWARD, &raised) : x; /* an exact zero is -0 then */
        nan = isnan(x);
    }
    for (unsigned m = 0; m < MODES; m++) {
        flags[m] = raised;
        result[m] = nan ? ref_formats[f].canonical : ref_round(f, m == FP_RDN ? x_down : x, m, &flags[m]);
    }
}

/* ---- operands ---- */

uint64_t ref_random(void)
{
    static uint64_t state = 0x9e3779b97f4a7c15;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1d;
}

/* A few ones at either end of the fraction, all ones, or anything. */
static uint64_t edge_fraction(const struct ref_format *r)
{
    uint64_t mask = ((uint64_t)1 << (r->digits - 1)) - 1, x = ref_random();
    switch (x >> 60) {
    case 0:
    case 1:
    case 2: return 0;
    case 3: return 1 & mask;
    case 4: return mask;
    case 5: return mask & ~(uint64_t)1;
    case 6: return ((uint64_t)1 << (x % (unsigned)r->digits)) & mask;
    case 7: return (x & 7) << ((r->digits - 1) / 2) & mask;
    case 8: return (mask ^ mask >> (1 + x % 4));
    case 9: return mask & (x & 15);
    default: return x & mask;
    }
}

uint64_t ref_pattern(enum fp_format f)
{
    const struct ref_format *r = &ref_formats[f];
    static unsigned near;                                             /* operands of like size meet in sums */
    unsigned fields = (1u << (r->width - r->digits - r->unused)) - 1; /* the largest exponent field */
    uint64_t x = ref_random();
    unsigned field = (unsigned)(x >> 8) & fields;
    switch (x & 15) {
    case 0: field = 0; break;
    case 1: field = 1; break;
    case 2: field = fields; break;
    case 3: field = fields - 1; break;
    case 4: field = fields / 2; break;
    case 5:
    case 6:
    case 7: field = near; break;
    case 8: field = near + (unsigned)r->digits; break;
    case 9: field = near - (unsigned)r->digits; break;
    case 10: field = near + 1; break;
    case 11: field = fields - near; break;
    }
    near = field &= fields;
    uint64_t m = (uint64_t)field << (r->digits - 1) | edge_fraction(r);
    uint64_t noise = x >> 40 & (((uint64_t)1 << r->unused) - 1); /* to be ignored */
    return m << r->unused | noise | (x >> 63) << (r->width - 1);
}
