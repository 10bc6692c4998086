/* Special functions: the host's libm in binary64, whatever the format. */
#include "sim/special.h"

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

/* Volatile, so that no compiler moves the computation out from between the changes of mode. */
static double apply_to_nearest(enum sfu_function function, volatile double x)
{
    fenv_t host;
    feholdexcept(&host);
    fesetround(FE_TONEAREST);
    x = apply(function, x);
    fesetenv(&host);
    return x;
}

uint64_t sfu(enum sfu_function function, enum fp_format format, uint64_t a)
{
    struct fp_env nearest = {FP_RNE, 0};
    uint64_t bits = fp_convert(FP_F64, format, a, &nearest);
    double x;
    memcpy(&x, &bits, sizeof x);
    x = apply_to_nearest(function, x);
    memcpy(&bits, &x, sizeof bits);
    return fp_convert(format, FP_F64, bits, &nearest);
}
