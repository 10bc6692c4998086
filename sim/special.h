/* The special function unit: functions that IEEE does not require to be exact.
 *
 * A result is computed in binary64 (of binary32 mostly by special_lane.h, else by the host's libm), rounded once to
 * nearest even: of binary32 never more than one unit in the last place off and nearly always the closest, of the 16-bit
 * formats the closest. NaN results
 * are canonical, outside its domain a function is NaN, and no flags are raised. */
#ifndef VENTUS_SIM_SPECIAL_H
#define VENTUS_SIM_SPECIAL_H

#include "sim/softfp.h"

/* e^x, 2^x, log2 x, 1/x, sqrt x, 1/sqrt x, sin and cos of x in radians, of any size, tanh x,
 * x Phi(x) with the normal distribution Phi, x / (1 + e^-x). */
// clang-format off
enum sfu_function {
    SFU_EXP, SFU_EX2, SFU_LG2, SFU_RCP, SFU_SQRT, SFU_RSQRT, SFU_SIN, SFU_COS, SFU_TANH, SFU_GELU, SFU_SILU
};
// clang-format on

/* Computes the function of the pattern a, in any format; the hardware has FP_F32, FP_F16 and FP_BF16. The host may be
 * in any rounding mode; the call keeps its mode and exception flags. */
uint64_t sfu(enum sfu_function function, enum fp_format format, uint64_t a);

#endif
