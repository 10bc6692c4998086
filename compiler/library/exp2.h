/* Powers of two, for exponentials and powers of floats. */
#ifndef VENTUS_LIBRARY_EXP2_H
#define VENTUS_LIBRARY_EXP2_H

#include "library.h"

static inline float power_of_two(int n) { return as_float((uint)(n + 127) << 23); } /* -126 <= n <= 127 */

/* x * 2^n with one rounding, for 1/4 < |x| < 4 and |n| < 192: what rounds, if the result is subnormal, is the second
 * step alone. */
static inline float scaled(float x, int n)
{
    int last = n < 0 ? -64 : 64;
    return x * power_of_two(n - last) * power_of_two(last);
}

/* 2^(x + low), where low is below 2 and -0 adds nothing. -180 <= x <= 180. The addition of 0x1.8p23 rounds to an
 * integer; the polynomial's error is below 2e-9. */
static inline float exp2_of(float x, float low)
{
    float shifted = x + low + 0x1.8p23f, r = x - (shifted - 0x1.8p23f) + low, p = 1.5297326e-5f;
    p = fma(p, r, 0.00015461445f);
    p = fma(p, r, 0.0013333502f);
    p = fma(p, r, 0.009618057f);
    p = fma(p, r, 0.05550411f);
    p = fma(p, r, 0.2402265f);
    p = fma(p, r, 0.6931472f);
    return scaled(fma(p, r, 1.0f), as_int(shifted) - 0x4b400000);
}

#endif
