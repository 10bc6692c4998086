/* The estimates of sim/softfp.h against their definition, and sim/special.h against long double. */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reference.h"
#include "sim/special.h"

/* ---- estimates ---- */

struct estimate_case {
    uint32_t a, mode, result, flags;
};

static void check_estimates(uint32_t (*estimate)(enum fp_format, uint32_t, struct fp_env *),
                            const struct estimate_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct fp_env env = {(uint8_t)cases[i].mode, 0};
        uint32_t got = estimate(FP_F32, cases[i].a, &env);
        if (got != cases[i].result || env.flags != cases[i].flags)
            fail_msg("estimate of %08x in mode %u: %08x flags %x, not %08x flags %x", cases[i].a, cases[i].mode, got,
                     env.flags, cases[i].result, cases[i].flags);
    }
}

static void rec7_cases(void **state)
{
    static const struct estimate_case cases[] = {
        {0x3f800000, FP_RNE, 0x3f7f0000, 0},             /* 1: the table's 127 */
        {0xbf820000, FP_RNE, 0xbf7b0000, 0},             /* its second entry, 123 */
        {0x3fff0000, FP_RNE, 0x3f000000, 0},             /* its last, 0 */
        {0x7f000000, FP_RNE, 0x003fc000, 0},             /* the result is subnormal by two places */
        {0x7e800000, FP_RNE, 0x007f8000, 0},             /* by one */
        {0x00400000, FP_RNE, 0x7eff0000, 0},             /* the operand is subnormal by one place */
        {0x00200000, FP_RNE, 0x7f7f0000, 0},             /* by two */
        {0x001fffff, FP_RNE, 0x7f800000, FP_OF | FP_NX}, /* by more */
        {0x801fffff, FP_RUP, 0xff7fffff, FP_OF | FP_NX},
        {0x801fffff, FP_RDN, 0xff800000, FP_OF | FP_NX},
        {0x00000001, FP_RTZ, 0x7f7fffff, FP_OF | FP_NX},
        {0x00000001, FP_RMM, 0x7f800000, FP_OF | FP_NX},
        {0x00000000, FP_RNE, 0x7f800000, FP_DZ},
        {0x80000000, FP_RNE, 0xff800000, FP_DZ},
        {0x7f800000, FP_RNE, 0x00000000, 0},
        {0xff800000, FP_RNE, 0x80000000, 0},
        {0xffc00000, FP_RNE, 0x7fc00000, 0},
        {0x7f800001, FP_RNE, 0x7fc00000, FP_NV},
    };
    (void)state;
    check_estimates(fp_rec7, cases, sizeof cases / sizeof *cases);
}

static void rsqrt7_cases(void **state)
{
    static const struct estimate_case cases[] = {
        {0x3f800000, FP_RNE, 0x3f7f0000, 0},                                          /* 1: odd field, 127 */
        {0x40000000, FP_RNE, 0x3f340000, 0},                                          /* 2: even field, 52 */
        {0x407fffff, FP_RUP, 0x3f000000, 0},                                          /* just below 4: 0 */
        {0x7f7fffff, FP_RNE, 0x1f800000, 0},     {0x00000001, FP_RNE, 0x64b40000, 0}, /* 2^-149 */
        {0x00400000, FP_RNE, 0x5f340000, 0},     {0x00000000, FP_RNE, 0x7f800000, FP_DZ},
        {0x80000000, FP_RNE, 0xff800000, FP_DZ}, {0x7f800000, FP_RNE, 0x00000000, 0},
        {0x80000001, FP_RNE, 0x7fc00000, FP_NV}, {0xff800000, FP_RNE, 0x7fc00000, FP_NV},
        {0x7fc00000, FP_RNE, 0x7fc00000, 0},     {0xff800001, FP_RNE, 0x7fc00000, FP_NV},
    };
    (void)state;
    check_estimates(fp_rsqrt7, cases, sizeof cases / sizeof *cases);
}

/* The tables of the specification, entry i weighed with i + 1. */
static void estimate_tables(void **state)
{
    uint32_t rec = 0, rsqrt = 0;
    struct fp_env env = {FP_RDN, 0};
    (void)state;
    for (uint32_t i = 0; i < 128; i++) {
        rec += (i + 1) * (fp_rec7(FP_F32, 0x3f800000 + (i << 16), &env) >> 16 & 127);
        rsqrt += (i + 1) * (fp_rsqrt7(FP_F32, 0x40000000 - (i >> 6 << 23) + ((i & 63) << 17), &env) >> 16 & 127);
    }
    assert_int_equal(rec, 241720);
    assert_int_equal(rsqrt, 522205);
    assert_int_equal(env.flags, 0);
}

/* Within 2^-7 of the truth, as the specification promises, and the same over the 128th of a binade. */
static void estimate_error(void **state)
{
    struct fp_env env = {FP_RNE, 0};
    (void)state;
    for (int i = 0; i < 200000; i++) {
        uint32_t a = (uint32_t)ref_random() & 0x7fffffff;
        if (a < 0x00800000 || a >= 0x7e800000) continue;
        long double x = ref_value(FP_F32, a);
        assert_true(fabsl(x * ref_value(FP_F32, fp_rec7(FP_F32, a, &env)) - 1) < 0x1p-7L);
        assert_true(fabsl(sqrtl(x) * ref_value(FP_F32, fp_rsqrt7(FP_F32, a, &env)) - 1) < 0x1p-7L);
        assert_int_equal(fp_rec7(FP_F32, a, &env), fp_rec7(FP_F32, a & 0xffff0000, &env));
    }
}

/* ---- special functions ---- */

static const char *const names[] = {"exp", "ex2", "lg2", "rcp", "sqrt", "rsqrt", "sin", "cos", "tanh", "gelu", "silu"};
enum { FUNCTIONS = sizeof names / sizeof *names };

static long double truth(int function, long double x)
{
    switch (function) {
    case SFU_EXP: return expl(x);
    case SFU_EX2: return exp2l(x);
    case SFU_LG2: return log2l(x);
    case SFU_RCP: return 1 / x;
    case SFU_SQRT: return sqrtl(x);
    case SFU_RSQRT: return 1 / sqrtl(x);
    case SFU_SIN: return sinl(x);
    case SFU_COS: return cosl(x);
    case SFU_TANH: return tanhl(x);
    case SFU_GELU: return x < -1000 ? -0.0L : x / 2 * erfcl(-x * 0.70710678118654752440084436210484904L);
    default: return x < -11000 ? -0.0L : x / (1 + expl(-x));
    }
}

/* 0 if the result is the closest, 1 if its neighbour, else the test has failed. */
static unsigned check_special(int function, enum fp_format f, uint64_t a)
{
    unsigned flags = 0;
    uint64_t got = sfu(function, f, a), expected = ref_formats[f].canonical;
    long double x = ref_is_nan(f, a) ? NAN : truth(function, ref_value(f, a));
    if (!isnan(x)) expected = ref_round(f, x, FP_RNE, &flags);
    if (got == expected) return 0;
    if (f != FP_F32 || (got - expected != 1 && expected - got != 1))
        fail_msg("%s of %s %llx: %llx, not %llx", names[function], ref_formats[f].name, (unsigned long long)a,
                 (unsigned long long)got, (unsigned long long)expected);
    return 1;
}

static void every_half(void **state)
{
    (void)state;
    for (int function = 0; function < FUNCTIONS; function++)
        for (uint64_t a = 0; a <= 0xffff; a++) {
            check_special(function, FP_F16, a);
            check_special(function, FP_BF16, a);
        }
}

static void singles(void **state)
{
    (void)state;
    for (int function = 0; function < FUNCTIONS; function++) {
        unsigned neighbours = 0;
        for (int i = 0; i < 40000; i++) {
            uint32_t a = i & 1 ? (uint32_t)ref_pattern(FP_F32) : (uint32_t)ref_random();
            if (i & 2) a = (a & 0x87ffffff) | 0x38000000; /* from 2^-15 to 2: where functions bend */
            neighbours += check_special(function, FP_F32, a);
        }
        if (neighbours > 2) fail_msg("%s: %u of 40000 results are not the closest", names[function], neighbours);
    }
}

static void special_cases(void **state)
{
    static const struct {
        int function;
        uint32_t a, result;
    } cases[] = {
        {SFU_EXP, 0xff800000, 0x00000000},   {SFU_EXP, 0x7f800000, 0x7f800000},   {SFU_EXP, 0x42b17218, 0x7f800000},
        {SFU_EXP, 0x00000000, 0x3f800000},   {SFU_EX2, 0xc3150000, 0x00000001},   {SFU_EX2, 0x42fe0000, 0x7f000000},
        {SFU_LG2, 0x00000000, 0xff800000},   {SFU_LG2, 0x80000000, 0xff800000},   {SFU_LG2, 0xbf800000, 0x7fc00000},
        {SFU_LG2, 0x00000001, 0xc3150000},   {SFU_LG2, 0x7f800000, 0x7f800000},   {SFU_RCP, 0x80000000, 0xff800000},
        {SFU_RCP, 0xff800000, 0x80000000},   {SFU_RCP, 0x7f000000, 0x00400000},   {SFU_SQRT, 0x80000000, 0x80000000},
        {SFU_SQRT, 0x80000001, 0x7fc00000},  {SFU_RSQRT, 0x80000000, 0xff800000}, {SFU_RSQRT, 0x7f800000, 0x00000000},
        {SFU_RSQRT, 0xff800000, 0x7fc00000}, {SFU_SIN, 0x80000000, 0x80000000},   {SFU_SIN, 0x7f800000, 0x7fc00000},
        {SFU_COS, 0xff800000, 0x7fc00000},   {SFU_SIN, 0x7f7fffff, 0xbf0599b3},   {SFU_TANH, 0xff800000, 0xbf800000},
        {SFU_GELU, 0x7f800000, 0x7f800000},  {SFU_GELU, 0xff800000, 0x80000000},  {SFU_SILU, 0x7f800000, 0x7f800000},
        {SFU_SILU, 0xff800000, 0x80000000},  {SFU_SILU, 0xc6000000, 0x80000000},  {SFU_TANH, 0xff800001, 0x7fc00000},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t got = (uint32_t)sfu(cases[i].function, FP_F32, cases[i].a);
        if (got != cases[i].result)
            fail_msg("%s of %08x: %08x, not %08x", names[cases[i].function], cases[i].a, got, cases[i].result);
    }
}

static void any_host_mode(void **state)
{
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    (void)state;
    for (int i = 0; i < 3000; i++) {
        int function = i % FUNCTIONS;
        uint32_t a = (uint32_t)ref_pattern(FP_F32), expected = (uint32_t)sfu(function, FP_F32, a);
        fenv_t saved;
        feholdexcept(&saved);
        fesetround(modes[i % 3]);
        feraiseexcept(FE_DIVBYZERO);
        uint32_t got = (uint32_t)sfu(function, FP_F32, a);
        int mode = fegetround(), flags = fetestexcept(FE_ALL_EXCEPT);
        fesetenv(&saved);
        assert_int_equal(got, expected);
        assert_int_equal(mode, modes[i % 3]);
        assert_int_equal(flags, FE_DIVBYZERO);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rec7_cases),     cmocka_unit_test(rsqrt7_cases),  cmocka_unit_test(estimate_tables),
        cmocka_unit_test(estimate_error), cmocka_unit_test(every_half),    cmocka_unit_test(singles),
        cmocka_unit_test(special_cases),  cmocka_unit_test(any_host_mode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
