/* Special functions: those of special_lane.h for binary32, else the host's libm in binary64. */
#include "sim/special.h"
#include "sim/lane.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

/* Phi through erfc, whose small values are as exact as its large ones: the negative tail keeps its digits. */
static double gelu(double x) { return isinf(x) && x < 0 ? -0.0 : x * 0.5 * erfc(-x * M_SQRT1_2); }
static double silu(double x) { return isinf(x) && x < 0 ? -0.0 : x / (1 + exp(-x)); }

static double apply(enum sfu_function function, double x)
{
    switch (function) {
    case SFU_EXP: return exp(x);
    case SFU_EX2: return exp2(x);
    case SFU_LG2: return log2(x);
    case SFU_RCP: return 1 / x;
    case SFU_SQRT: return sqrt(x);
    case SFU_RSQRT: return 1 / sqrt(x);
    case SFU_SIN: return sin(x);
    case SFU_COS: return cos(x);
    case SFU_TANH: return tanh(x);
    case SFU_GELU: return gelu(x);
    case SFU_SILU: return silu(x);
    }
    return NAN;
}

/* The operand is volatile, so that no compiler moves the computation out from between the changes of mode. */
static double apply_to_nearest(enum sfu_function function, volatile double x)
{
    fenv_t host;
    feholdexcept(&host);
    fesetround(FE_TONEAREST);
    x = apply(function, x);
    fesetenv(&host);
    return x;
}

/* Computes a function that has a row of lanes; false: it has none. */
static bool lane_function(enum sfu_function function, volatile uint32_t *a)
{
    switch (function) {
    case SFU_EXP: *a = f_exp(*a); return true;
    case SFU_EX2: *a = f_ex2(*a); return true;
    case SFU_LG2: *a = f_lg2(*a); return true;
    case SFU_RCP: *a = f_rcp(*a); return true;
    case SFU_RSQRT: *a = f_rsqrt(*a); return true;
    case SFU_SIN: *a = f_sin(*a); return true;
    case SFU_COS: *a = f_cos(*a); return true;
    default: return false;
    }
}

static bool lane_to_nearest(enum sfu_function function, volatile uint32_t *a)
{
    fenv_t host;
    feholdexcept(&host);
    fesetround(FE_TONEAREST);
    bool done = lane_function(function, a);
    fesetenv(&host);
    return done;
}

uint64_t sfu(enum sfu_function function, enum fp_format format, uint64_t a)
{
    struct fp_env nearest = {FP_RNE, 0};
    volatile uint32_t single = (uint32_t)a;
    if (format == FP_F32 && lane_to_nearest(function, &single)) return single;
    uint64_t bits = fp_convert(FP_F64, format, a, &nearest);
    double x;
    memcpy(&x, &bits, sizeof x);
    x = apply_to_nearest(function, x);
    memcpy(&bits, &x, sizeof bits);
    return fp_convert(format, FP_F64, bits, &nearest);
}
