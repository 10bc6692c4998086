/* Rounding to nearest with ties away from zero (frm 4), which no host has.
 *
 * The nearest-even result is right unless the exact one lies midway between two floats and the even
 * neighbour is the one nearer to zero. Midpoints of floats fit in double, and so does every exact
 * product; sums are split into a rounded sum and its exact error, and a sum with an error has too many
 * bits to be a midpoint. Included by lane.h when LANE_RMM is defined; the host rounds to nearest even.
 * Clarity before speed: no program is known to use this mode. */
#ifndef VENTUS_SIM_RMM_H
#define VENTUS_SIM_RMM_H

LANE float rmm_away(float r) { return nextafterf(r, copysignf(INFINITY, r)); }

/* The midpoint above r, away from zero. */
LANE double rmm_midpoint(float r) { return ((double)r + (double)rmm_away(r)) * 0.5; }

/* r is the nearest-even result of the exact value hi + lo. */
LANE uint32_t rmm_fix(float r, double hi, double lo)
{
    if (isfinite(r) && lo == 0.0 && hi == rmm_midpoint(r)) r = rmm_away(r);
    return f_canon(f_bits(r));
}

/* a + b - (rounded a + b), exactly (Knuth's two-sum). */
LANE double rmm_error(double a, double b)
{
    double s = a + b, bb = s - a;
    return (a - (s - bb)) + (b - bb);
}

LANE uint32_t f_add(uint32_t a, uint32_t b)
{
    double x = f_of(a), y = f_of(b);
    return rmm_fix(f_of(a) + f_of(b), x + y, rmm_error(x, y));
}
LANE uint32_t f_sub(uint32_t a, uint32_t b) { return f_add(a, f_isnan(b) ? b : f_neg(b)); }
LANE uint32_t f_mul(uint32_t a, uint32_t b) { return rmm_fix(f_of(a) * f_of(b), (double)f_of(a) * f_of(b), 0); }
LANE uint32_t f_fma(uint32_t a, uint32_t b, uint32_t c)
{
    double p = (double)f_of(a) * f_of(b), z = f_of(c);
    return rmm_fix(fmaf(f_of(a), f_of(b), f_of(c)), p + z, rmm_error(p, z));
}
/* A quotient is midway only among subnormals; then midpoint times divisor is the dividend. */
LANE uint32_t f_div(uint32_t a, uint32_t b)
{
    float r = f_of(a) / f_of(b);
    if (isfinite(r) && isfinite(f_of(b)) && rmm_midpoint(r) * f_of(b) == f_of(a)) r = rmm_away(r);
    return f_canon(f_bits(r));
}
LANE uint32_t f_sqrt(uint32_t a) { return f_canon(f_bits(sqrtf(f_of(a)))); } /* never midway */
LANE uint32_t f_from_s32(uint32_t a) { return rmm_fix((float)(int32_t)a, (int32_t)a, 0); }
LANE uint32_t f_from_u32(uint32_t a) { return rmm_fix((float)a, a, 0); }
LANE uint32_t f_to_s32(uint32_t a) { return f_to_s32_rtz(f_bits(roundf(f_of(a)))); }
LANE uint32_t f_to_u32(uint32_t a) { return f_to_u32_rtz(f_bits(roundf(f_of(a)))); }

#endif
