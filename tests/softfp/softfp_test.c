/* sim/softfp.h against the reference in every format, mode and flag, against the host's own arithmetic, and
 * against RISC-V's words where neither says anything. */
#include <fenv.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reference.h"

static const char *const mode_names[] = {"rne", "rtz", "rdn", "rup", "rmm", "rod"};
static const char *const op_names[] = {"add", "sub", "mul", "div", "sqrt", "fma"};

static uint64_t mask_of(enum fp_format f) { return ~(uint64_t)0 >> (64 - ref_formats[f].width); }

static uint64_t compute(enum ref_op op, enum fp_format f, const uint64_t v[3], struct fp_env *env)
{
    switch (op) {
    case REF_ADD: return fp_add(f, v[0], v[1], env);
    case REF_SUB: return fp_sub(f, v[0], v[1], env);
    case REF_MUL: return fp_mul(f, v[0], v[1], env);
    case REF_DIV: return fp_div(f, v[0], v[1], env);
    case REF_SQRT: return fp_sqrt(f, v[0], env);
    default: return fp_fma(f, v[0], v[1], v[2], env);
    }
}

/* ---- against the reference ---- */

static void check_op(enum ref_op op, enum fp_format f, const uint64_t v[3])
{
    uint64_t expected[MODES];
    unsigned flags[MODES];
    ref_compute(op, f, v, expected, flags);
    for (unsigned m = 0; m < MODES; m++) {
        struct fp_env env = {(uint8_t)m, 0};
        uint64_t got = compute(op, f, v, &env);
        if (got != expected[m] || env.flags != flags[m])
            fail_msg("%s %s %s of %" PRIx64 " %" PRIx64 " %" PRIx64 ": %" PRIx64 " flags %x, not %" PRIx64 " flags %x",
                     ref_formats[f].name, op_names[op], mode_names[m], v[0], v[1], v[2], got, env.flags, expected[m],
                     flags[m]);
    }
}

static void arithmetic(void **state)
{
    (void)state;
    for (int f = 0; f < FORMATS; f++)
        for (int i = 0; i < (f <= FP_F64 ? 20000 : 4000); i++) {
            uint64_t v[3] = {ref_pattern(f), ref_pattern(f), ref_pattern(f)};
            for (enum ref_op op = 0; op < REF_OPS; op++) check_op(op, f, v);
        }
}

/* What random operands hardly meet: c lies half a place, or a trifle more or less, from the product. */
static void fma_ties(void **state)
{
    (void)state;
    for (int f = FP_F16; f <= FP_F64; f++)
        for (int i = 0; i < 20000; i++) {
            struct fp_env env = {FP_RTZ, 0};
            uint64_t a = ref_pattern(f), b = ref_pattern(f), one = (uint64_t)1 << (ref_formats[f].digits - 1);
            uint64_t c = fp_mul(f, a, b, &env);
            c -= (uint64_t)(ref_random() % 3) * (unsigned)ref_formats[f].digits * one;
            c += ref_random() % 3 - 1;
            c ^= (ref_random() & 1) << (ref_formats[f].width - 1);
            check_op(REF_FMA, f, (uint64_t[3]){a, b, c & mask_of(f)});
        }
}

/* (2^26 + 1)(2^52 - 2^26 + 1) = 2^78 + 1 is a hair more than half a place of 2^131, too fine for 126 bits. */
static void fma_sticky(void **state)
{
    union {
        double d;
        uint64_t u;
    } a = {0x1p26 + 1}, b = {0x1p52 - 0x1p26 + 1}, c = {0x1p131}, odd = {0x1.0000000000001p131};
    uint64_t minus = (uint64_t)1 << 63;
    (void)state;
    check_op(REF_FMA, FP_F64, (uint64_t[3]){a.u, b.u, c.u});
    check_op(REF_FMA, FP_F64, (uint64_t[3]){a.u, b.u | minus, c.u | minus});
    check_op(REF_FMA, FP_F64, (uint64_t[3]){a.u | minus, b.u, odd.u});
    struct fp_env env = {FP_RNE, 0};
    assert_true(fp_fma(FP_F64, a.u, b.u, c.u, &env) == odd.u);
}

static void every_small_pair(void **state)
{
    (void)state;
    for (int f = FP_E4M3; f < FORMATS; f++)
        for (uint64_t a = 0; a <= mask_of(f); a++) {
            check_op(REF_SQRT, f, (uint64_t[3]){a});
            for (uint64_t b = 0; b <= mask_of(f); b += f <= FP_E5M2 ? 3 : 1)
                for (enum ref_op op = REF_ADD; op <= REF_DIV; op++) check_op(op, f, (uint64_t[3]){a, b});
        }
}

static void every_half_root(void **state)
{
    (void)state;
    for (uint64_t a = 0; a <= 0xffff; a++) {
        check_op(REF_SQRT, FP_F16, (uint64_t[3]){a});
        check_op(REF_SQRT, FP_BF16, (uint64_t[3]){a});
    }
}

static void check_convert(enum fp_format to, enum fp_format from, uint64_t a)
{
    for (unsigned m = 0; m < MODES; m++) {
        struct fp_env env = {(uint8_t)m, 0};
        unsigned flags = 0;
        uint64_t got = fp_convert(to, from, a, &env), expected = ref_formats[to].canonical;
        if (!ref_is_nan(from, a)) expected = ref_round(to, ref_value(from, a), m, &flags);
        else if (ref_is_signalling(from, a) || !ref_formats[to].nan) flags = FP_NV;
        if (got != expected || env.flags != flags)
            fail_msg("%s to %s %s of %" PRIx64 ": %" PRIx64 " flags %x, not %" PRIx64 " flags %x",
                     ref_formats[from].name, ref_formats[to].name, mode_names[m], a, got, env.flags, expected, flags);
    }
}

static void conversions(void **state)
{
    (void)state;
    for (int to = 0; to < FORMATS; to++)
        for (int from = 0; from < FORMATS; from++)
            for (uint64_t i = 0; i < 4096; i++) /* all patterns of the small ones */
                check_convert(to, from, ref_formats[from].width <= 8 ? i & mask_of(from) : ref_pattern(from));
}

static void every_half_converted(void **state)
{
    static const enum fp_format to[] = {FP_F32, FP_E4M3, FP_E5M2, FP_E2M1};
    (void)state;
    for (uint64_t a = 0; a <= 0xffff; a++)
        for (unsigned i = 0; i < sizeof to / sizeof *to; i++) {
            check_convert(to[i], FP_F16, a);
            check_convert(to[i], FP_BF16, a);
        }
}

/* Of all numbers of a small format none is nearer than the result, and none as near is even. Even is a
 * pattern with last bit 0, or zero where no other number has a digit to be even. */
static void check_nearest(enum fp_format to, long double x, uint64_t got)
{
    uint64_t half = (mask_of(to) >> 1) + 1;
    long double distance = fabsl(x - ref_value(to, got));
    assert_int_equal(signbit(x) != 0, got >= half);
    for (uint64_t p = got & half; p < (got & half) + half; p++) {
        if (ref_is_nan(to, p) || isinf(ref_value(to, p)) || p == got) continue;
        long double other = fabsl(x - ref_value(to, p));
        if (other < distance || (other == distance && (to == FP_E3M0 ? p > got && got & (half - 1) : got & 1)))
            fail_msg("%La to %s: %" PRIx64 ", but %" PRIx64 " is nearer or even", x, ref_formats[to].name, got, p);
    }
}

static void nearest_small_number(void **state)
{
    (void)state;
    for (int to = FP_E4M3; to < FORMATS; to++)
        for (uint64_t a = 0; a <= 0xffff; a++) {
            struct fp_env env = {FP_RNE, 0};
            if (ref_is_nan(FP_F16, a)) continue;
            uint64_t got = fp_convert(to, FP_F16, a, &env);
            if (!(env.flags & FP_OF)) check_nearest(to, ref_value(FP_F16, a), got);
            else if (!ref_formats[to].nan) assert_int_equal(got & mask_of(to) >> 1, mask_of(to) >> 1);
        }
}

/* ---- integers ---- */

static void check_to_int(enum fp_format f, uint64_t a, unsigned bits, bool is_signed)
{
    long double low = is_signed ? -ldexpl(1, (int)bits - 1) : 0, high = ldexpl(1, (int)bits - is_signed) - 1;
    for (unsigned m = 0; m < MODES; m++) {
        struct fp_env env = {(uint8_t)m, 0};
        unsigned flags = 0;
        uint64_t got = fp_to_int(f, a, bits, is_signed, &env);
        long double x = ref_is_nan(f, a) ? INFINITY : ref_value(f, a), r = isinf(x) ? x : ref_integer(x, m);
        if (r < low || r > high) flags = FP_NV, r = r < low ? low : high;
        else if (r != x) flags = FP_NX;
        uint64_t expected = r < 0 ? -(uint64_t)-r : (uint64_t)r;
        if (got != expected || env.flags != flags)
            fail_msg("%s %" PRIx64 " to %c%u %s: %" PRIx64 " flags %x, not %" PRIx64 " flags %x", ref_formats[f].name,
                     a, is_signed ? 's' : 'u', bits, mode_names[m], got, env.flags, expected, flags);
    }
}

/* A number near an integer of about the width, or a pattern of any size. */
static uint64_t near_integer(enum fp_format f, unsigned bits)
{
    unsigned flags = 0;
    if (ref_random() & 1) return ref_pattern(f);
    long double x = ldexpl(1, (int)(ref_random() % (bits + 2)) - 1) + (long double)(ref_random() % 9) * 0.25L - 1;
    return ref_round(f, ref_random() & 1 ? x : -x, FP_RTZ, &flags);
}

static void to_integers(void **state)
{
    (void)state;
    for (int f = 0; f < FORMATS; f++)
        for (int i = 0; i < 8000; i++) {
            unsigned bits = i & 1 ? 8u << (ref_random() & 3) : 1 + (unsigned)(ref_random() % 64);
            check_to_int(f, near_integer(f, bits), bits, i & 2);
        }
}

static void every_half_to_byte(void **state)
{
    (void)state;
    for (uint64_t a = 0; a <= 0xffff; a++) {
        check_to_int(FP_F16, a, 8, true);
        check_to_int(FP_F16, a, 16, false);
        check_to_int(FP_BF16, a, 32, a & 1);
    }
}

static void from_integers(void **state)
{
    (void)state;
    for (int f = 0; f < FORMATS; f++)
        for (int i = 0; i < 8000; i++) {
            uint64_t a = ref_random() >> (ref_random() % 64);
            if (i & 1) a = ((uint64_t)1 << (ref_random() % 64)) + ref_random() % 5 - 2;
            if (i & 4) a = -a;
            bool is_signed = i & 2;
            long double x = is_signed ? (long double)(int64_t)a : (long double)a;
            for (unsigned m = 0; m < MODES; m++) {
                struct fp_env env = {(uint8_t)m, 0};
                unsigned flags = 0;
                uint64_t got = fp_from_int(f, a, is_signed, &env), expected = ref_round(f, x, m, &flags);
                if (got != expected || env.flags != flags)
                    fail_msg("%s from %" PRIx64 " %s: %" PRIx64 " flags %x, not %" PRIx64 " flags %x",
                             ref_formats[f].name, a, mode_names[m], got, env.flags, expected, flags);
            }
        }
}

/* ---- order and class ---- */

static void check_flags(const char *what, enum fp_format f, uint64_t a, uint64_t b, struct fp_env *env,
                        unsigned expected)
{
    if (env->flags != expected)
        fail_msg("%s %s of %" PRIx64 " %" PRIx64 ": flags %x, not %x", ref_formats[f].name, what, a, b, env->flags,
                 expected);
    env->flags = 0;
}

static void check_extrema(enum fp_format f, uint64_t a, uint64_t b, unsigned nv)
{
    struct fp_env env = {FP_RNE, 0};
    bool first;
    if (ref_is_nan(f, a) || ref_is_nan(f, b)) {
        first = ref_is_nan(f, b);
    } else {
        long double x = ref_value(f, a), y = ref_value(f, b);
        first = x < y || (x == y && signbit(x));
    }
    bool both = ref_is_nan(f, a) && ref_is_nan(f, b), one = !both && (ref_is_nan(f, a) || ref_is_nan(f, b));
    uint64_t unused = ((uint64_t)1 << ref_formats[f].unused) - 1;
    uint64_t low = both ? ref_formats[f].canonical : (first ? a : b) & ~unused;
    uint64_t high = both || one ? low : (first ? b : a) & ~unused;
    assert_true(fp_min(f, a, b, &env) == low);
    check_flags("min", f, a, b, &env, nv);
    assert_true(fp_max(f, a, b, &env) == high);
    check_flags("max", f, a, b, &env, nv);
}

static void check_order(enum fp_format f, uint64_t a, uint64_t b)
{
    struct fp_env env = {FP_RNE, 0};
    bool nan = ref_is_nan(f, a) || ref_is_nan(f, b);
    unsigned nv = ref_is_signalling(f, a) || ref_is_signalling(f, b) ? FP_NV : 0;
    long double x = nan ? 0 : ref_value(f, a), y = nan ? 0 : ref_value(f, b);
    assert_int_equal(fp_eq(f, a, b, &env), !nan && x == y);
    check_flags("eq", f, a, b, &env, nv);
    assert_int_equal(fp_lt(f, a, b, &env), !nan && x < y);
    check_flags("lt", f, a, b, &env, nan ? FP_NV : 0);
    assert_int_equal(fp_le(f, a, b, &env), !nan && x <= y);
    check_flags("le", f, a, b, &env, nan ? FP_NV : 0);
    check_extrema(f, a, b, nv);
}

static void ordering(void **state)
{
    (void)state;
    for (int f = 0; f < FORMATS; f++)
        for (int i = 0; i < 20000; i++) {
            uint64_t a = ref_pattern(f);
            uint64_t b = i & 3 ? ref_pattern(f) : a ^ (ref_random() & 1) << (ref_formats[f].width - 1);
            check_order(f, a, b);
        }
}

static void check_class(enum fp_format f, uint64_t a)
{
    unsigned expected;
    if (ref_is_nan(f, a)) {
        expected = ref_is_signalling(f, a) ? 8 : 9;
    } else {
        long double x = ref_value(f, a);
        unsigned size = x == 0 ? 0 : isinf(x) ? 3 : fabsl(x) < ldexpl(1, ref_formats[f].exp_min) ? 1 : 2;
        expected = signbit(x) ? 3 - size : 4 + size;
    }
    assert_int_equal(fp_class(f, a), 1u << expected);
}

static void classes(void **state)
{
    (void)state;
    for (int f = 0; f < FORMATS; f++)
        for (uint64_t i = 0; i <= 0xffff; i++)
            check_class(f, ref_formats[f].width <= 16 ? i & mask_of(f) : ref_pattern(f));
}

/* ---- against the host's binary32 and binary64 ---- */

static const int host_modes[] = {
    [FP_RNE] = FE_TONEAREST, [FP_RTZ] = FE_TOWARDZERO, [FP_RDN] = FE_DOWNWARD, [FP_RUP] = FE_UPWARD};

static unsigned host_flags(void)
{
    return (fetestexcept(FE_INEXACT) ? FP_NX : 0u) | (fetestexcept(FE_UNDERFLOW) ? FP_UF : 0u) |
           (fetestexcept(FE_OVERFLOW) ? FP_OF : 0u) | (fetestexcept(FE_DIVBYZERO) ? FP_DZ : 0u) |
           (fetestexcept(FE_INVALID) ? FP_NV : 0u);
}

/* Volatile keeps the computation between the changes of mode. */
static uint64_t host32(enum ref_op op, const uint64_t v[3])
{
    volatile float x[3], r = 0;
    uint32_t bits;
    for (int i = 0; i < 3; i++) {
        bits = (uint32_t)v[i];
        memcpy((void *)&x[i], &bits, sizeof bits);
    }
    switch (op) {
    case REF_ADD: r = x[0] + x[1]; break;
    case REF_SUB: r = x[0] - x[1]; break;
    case REF_MUL: r = x[0] * x[1]; break;
    case REF_DIV: r = x[0] / x[1]; break;
    case REF_SQRT: r = sqrtf(x[0]); break;
    default: r = fmaf(x[0], x[1], x[2]);
    }
    memcpy(&bits, (void *)&r, sizeof bits);
    return bits;
}

static uint64_t host64(enum ref_op op, const uint64_t v[3])
{
    volatile double x[3], r = 0;
    uint64_t bits;
    memcpy((void *)x, v, sizeof x);
    switch (op) {
    case REF_ADD: r = x[0] + x[1]; break;
    case REF_SUB: r = x[0] - x[1]; break;
    case REF_MUL: r = x[0] * x[1]; break;
    case REF_DIV: r = x[0] / x[1]; break;
    case REF_SQRT: r = sqrt(x[0]); break;
    default: r = fma(x[0], x[1], x[2]);
    }
    memcpy(&bits, (void *)&r, sizeof bits);
    return bits;
}

static void check_host(enum ref_op op, enum fp_format f, const uint64_t v[3], unsigned mode)
{
    fenv_t saved;
    feholdexcept(&saved);
    fesetround(host_modes[mode]);
    uint64_t expected = f == FP_F32 ? host32(op, v) : host64(op, v);
    unsigned flags = host_flags();
    fesetenv(&saved);
    if (ref_is_nan(f, expected)) expected = ref_formats[f].canonical;

    struct fp_env env = {(uint8_t)mode, 0};
    uint64_t got = compute(op, f, v, &env);
    /* Infinity times zero plus a quiet NaN is invalid here; hosts differ. */
    unsigned free = op == REF_FMA && ref_is_nan(f, v[2]) ? FP_NV : 0;
    if (got != expected || (env.flags | free) != (flags | free))
        fail_msg("%s %s %s of %" PRIx64 " %" PRIx64 " %" PRIx64 ": %" PRIx64 " flags %x, host %" PRIx64 " flags %x",
                 ref_formats[f].name, op_names[op], mode_names[mode], v[0], v[1], v[2], got, env.flags, expected,
                 flags);
}

static void like_the_host(void **state)
{
    (void)state;
    for (int f = FP_F32; f <= FP_F64; f++)
        for (int i = 0; i < 20000; i++) {
            uint64_t v[3] = {ref_pattern(f), ref_pattern(f), ref_pattern(f)};
            for (enum ref_op op = 0; op < REF_OPS; op++)
                for (unsigned m = FP_RNE; m <= FP_RUP; m++) check_host(op, f, v, m);
        }
}

/* Whatever mode the host is in; and its flags are its own. */
static void apart_from_the_host(void **state)
{
    (void)state;
    fenv_t saved;
    feholdexcept(&saved);
    fesetround(FE_UPWARD);
    struct fp_env env = {FP_RNE, 0};
    assert_int_equal(fp_div(FP_F32, 0x3f800000, 0x40400000, &env), 0x3eaaaaab);
    assert_int_equal(fp_sqrt(FP_F64, 0x4000000000000000, &env), 0x3ff6a09e667f3bcd);
    assert_int_equal(fp_convert(FP_F16, FP_F32, 0x7f000000, &env), 0x7c00);
    assert_int_equal(fp_to_int(FP_F32, 0x3fc00000, 32, true, &env), 2);
    assert_int_equal(env.flags, FP_NX | FP_OF);
    assert_int_equal(fetestexcept(FE_ALL_EXCEPT), 0);
    assert_int_equal(fegetround(), FE_UPWARD);
    fesetenv(&saved);
}

/* ---- rules of RISC-V and OCP, by hand ---- */

static void rules(void **state)
{
    static const struct {
        uint64_t (*op)(enum fp_format, uint64_t, uint64_t, struct fp_env *);
        uint64_t a, b, result;
        unsigned flags;
    } cases[] = {
        {fp_add, 0x7f800000, 0xff800000, 0x7fc00000, FP_NV},
        {fp_add, 0xffc12345, 0x3f800000, 0x7fc00000, 0},
        {fp_add, 0x7f812345, 0x3f800000, 0x7fc00000, FP_NV},
        {fp_sub, 0x3f800000, 0x3f800000, 0x00000000, 0},
        {fp_mul, 0x7f800000, 0x80000000, 0x7fc00000, FP_NV},
        {fp_mul, 0x7f7fffff, 0x7f7fffff, 0x7f800000, FP_OF | FP_NX},
        {fp_mul, 0x00800000, 0x3f7fffff, 0x00800000,
         FP_NX | FP_UF}, /* a tie below it, exact in 24 digits and so tiny */
        {fp_mul, 0x00000001, 0x3f000000, 0x00000000, FP_NX | FP_UF},
        {fp_div, 0x00000000, 0x80000000, 0x7fc00000, FP_NV},
        {fp_div, 0xbf800000, 0x00000000, 0xff800000, FP_DZ},
        {fp_div, 0x7f800000, 0x00000000, 0x7f800000, 0},
        {fp_min, 0x80000000, 0x00000000, 0x80000000, 0},
        {fp_max, 0x7f800001, 0x3f800000, 0x3f800000, FP_NV},
        {fp_max, 0x7fc00001, 0xffc00000, 0x7fc00000, 0},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fp_env env = {FP_RNE, 0};
        uint64_t got = cases[i].op(FP_F32, cases[i].a, cases[i].b, &env);
        if (got != cases[i].result || env.flags != cases[i].flags)
            fail_msg("rule %u: %" PRIx64 " flags %x, not %" PRIx64 " flags %x", i, got, env.flags, cases[i].result,
                     cases[i].flags);
    }
    struct fp_env env = {FP_RNE, FP_DZ}; /* flags accrue */
    assert_int_equal(fp_fma(FP_F32, 0x7f800000, 0, 0x7fc00000, &env), 0x7fc00000);
    assert_int_equal(env.flags, FP_DZ | FP_NV);
}

static void small_formats(void **state)
{
    static const struct {
        enum fp_format to;
        uint32_t a;
        unsigned mode, result, flags;
    } cases[] = {
        {FP_E4M3, 0x43e80000, FP_RNE, 0x7e, FP_NX}, /* 464, midway to what would be 480 */
        {FP_E4M3, 0x43e80001, FP_RNE, 0x7f, FP_NX | FP_OF},
        {FP_E4M3, 0xc4800000, FP_RNE, 0x7f, FP_NX | FP_OF},
        {FP_E4M3, 0xc4800000, FP_RTZ, 0xfe, FP_NX | FP_OF},
        {FP_E4M3, 0x7f800000, FP_RTZ, 0x7f, FP_NX | FP_OF},
        {FP_E4M3, 0xffc00000, FP_RNE, 0x7f, 0},
        {FP_E4M3, 0x3b000000, FP_RNE, 0x01, 0},             /* 2^-9 */
        {FP_E5M2, 0x47600000, FP_RNE, 0x7b, 0},             /* 57344 */
        {FP_E5M2, 0x47700000, FP_RNE, 0x7c, FP_NX | FP_OF}, /* 61440, midway */
        {FP_E5M2, 0x7fc00000, FP_RNE, 0x7f, 0},
        {FP_E3M2, 0x41e00000, FP_RNE, 0x1f, 0}, /* 28 */
        {FP_E2M3, 0x40f00000, FP_RNE, 0x1f, 0}, /* 7.5 */
        {FP_E2M1, 0x40c00000, FP_RNE, 0x07, 0}, /* 6 */
        {FP_E2M1, 0xff800000, FP_RTZ, 0x0f, FP_NX | FP_OF},
        {FP_E2M1, 0xffc00000, FP_RNE, 0x07, FP_NV},
        {FP_E3M0, 0x41800000, FP_RNE, 0x07, 0},             /* 16 */
        {FP_E3M0, 0x40400000, FP_RNE, 0x05, FP_NX},         /* 3: a tie of powers goes up */
        {FP_E3M0, 0x3e000000, FP_RNE, 0x00, FP_NX | FP_UF}, /* 1/8: a tie with zero goes to it */
        {FP_TF32, 0x3f801000, FP_RNE, 0x3f800000, FP_NX},
        {FP_TF32, 0x3f803000, FP_RNE, 0x3f804000, FP_NX},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fp_env env = {(uint8_t)cases[i].mode, 0};
        uint64_t got = fp_convert(cases[i].to, FP_F32, cases[i].a, &env);
        if (got != cases[i].result || env.flags != cases[i].flags)
            fail_msg("case %u, %x to %s: %" PRIx64 " flags %x", i, cases[i].a, ref_formats[cases[i].to].name, got,
                     env.flags);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic),
        cmocka_unit_test(fma_ties),
        cmocka_unit_test(fma_sticky),
        cmocka_unit_test(every_small_pair),
        cmocka_unit_test(every_half_root),
        cmocka_unit_test(conversions),
        cmocka_unit_test(every_half_converted),
        cmocka_unit_test(nearest_small_number),
        cmocka_unit_test(to_integers),
        cmocka_unit_test(every_half_to_byte),
        cmocka_unit_test(from_integers),
        cmocka_unit_test(ordering),
        cmocka_unit_test(classes),
        cmocka_unit_test(like_the_host),
        cmocka_unit_test(apart_from_the_host),
        cmocka_unit_test(rules),
        cmocka_unit_test(small_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
