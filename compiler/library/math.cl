/* Functions of floats that libclc gets wrong: results or operands that are subnormal count as zero there, zeros have
 * the wrong sign, large arguments are inexact. The builder names libclc's own versions libclc_*, for the arguments that
 * they treat well. Vector forms are made of the scalar ones. */
#include "exp2.h"

float libclc_erfc(float x);
float libclc_lgamma(float x);
float libclc_lgamma_r(float x, private int *sign);
float libclc_rootn(float x, int n);

/* ---- functions of the machine's precision ---- */

/* The machine's functions, where it has none. */
float __ventus_divided_rcp(float x) { return 1.0f / x; }
float __ventus_divided_rsqrt(float x) { return 1.0f / sqrt(x); }

OVERLOAD float native_exp(float x) { return __ventus_exp(x); }
OVERLOAD float native_exp2(float x) { return __ventus_ex2(x); }
OVERLOAD float native_exp10(float x) { return __ventus_ex2(x * 0x1.a934fp+1f); }
OVERLOAD float native_log2(float x) { return __ventus_lg2(x); }
OVERLOAD float native_log(float x) { return __ventus_lg2(x) * 0x1.62e43p-1f; }
OVERLOAD float native_log10(float x) { return __ventus_lg2(x) * 0x1.344136p-2f; }
OVERLOAD float native_powr(float x, float y) { return __ventus_ex2(y * __ventus_lg2(x)); }
OVERLOAD float native_recip(float x) { return __ventus_rcp(x); }
OVERLOAD float native_divide(float x, float y) { return x * __ventus_rcp(y); }
OVERLOAD float native_rsqrt(float x) { return __ventus_rsqrt(x); }
OVERLOAD float native_sin(float x) { return __ventus_sin(x); }
OVERLOAD float native_cos(float x) { return __ventus_cos(x); }
OVERLOAD float native_tan(float x) { return __ventus_sin(x) * __ventus_rcp(__ventus_cos(x)); }
MAP1(native_exp, float, float) MAP1(native_exp2, float, float) MAP1(native_exp10, float, float)
MAP1(native_log, float, float) MAP1(native_log2, float, float) MAP1(native_log10, float, float)
MAP1(native_recip, float, float) MAP1(native_rsqrt, float, float) MAP1(native_sin, float, float)
MAP1(native_cos, float, float) MAP1(native_tan, float, float)
MAP2(native_powr, float, float, float) MAP2(native_divide, float, float, float)

/* ---- powers of two ---- */

OVERLOAD float ldexp(float x, int n)
{
    bool tiny = (as_uint(x) & 0x7f800000) == 0;
    uint bits = as_uint(tiny ? x * 0x1p32f : x), exponent = bits >> 23 & 255;
    int to = clamp(n, -1000, 1000) + (int)exponent - (tiny ? 159 : 127);
    float result = scaled(as_float((bits & 0x807fffff) | 0x3f800000), clamp(to, -190, 190));
    return x == 0 || exponent == 255 ? x + x : result;
}
MAP2(ldexp, float, float, int)
#define LDEXP_SCALAR(n, lo, hi, f) OVERLOAD float##n f(float##n x, int k) { return f(x, (int##n)k); }
SIZES(LDEXP_SCALAR, ldexp)

/* ---- exponentials ---- */

/* exp(x) is the result, near 1, times 2^*n: the exponent is apart because the product may still be scaled by the
 * caller. -200 < x < 200. The polynomial's error is below 2e-9. */
static float exp_parts(float x, private int *n)
{
    float shifted = fma(x, 0x1.715476p+0f, 0x1.8p23f), k = shifted - 0x1.8p23f; /* x / ln 2, rounded by the addition */
    float r = fma(k, 0x1.05c61p-29f, fma(k, -0x1.62e43p-1f, x)), p = 0.0013926376f;
    *n = as_int(shifted) - 0x4b400000;
    p = fma(p, r, 0.0083633335f);
    p = fma(p, r, 0.041666552f);
    p = fma(p, r, 0.16666576f);
    p = fma(p, r, 0.5f);
    return fma(p, r * r, r) + 1.0f;
}

OVERLOAD float exp(float x)
{
    int n;
    float p = exp_parts(fmin(fmax(x, -110.0f), 100.0f), &n);
    float result = scaled(p, n);
    return isnan(x) ? x : result;
}
OVERLOAD float exp2(float x)
{
    float result = exp2_of(fmin(fmax(x, -160.0f), 140.0f), -0.0f);
    return isnan(x) ? x : result;
}
MAP1(exp, float, float)
MAP1(exp2, float, float)

OVERLOAD float half_exp(float x) { return exp(x); }
OVERLOAD float half_exp2(float x) { return exp2(x); }
MAP1(half_exp, float, float)
MAP1(half_exp2, float, float)

/* ---- logarithms ---- */

/* x = 2^*n * m with m from 2/3 to 4/3: the result is the logarithm of m. The polynomial's error is below 5e-9. */
static float log_parts(float x, private int *n)
{
    bool tiny = x < 0x1p-126f;
    uint bits = as_uint(x * (tiny ? 0x1p23f : 1.0f)) - 0x3f2aaaab;
    float f = as_float((bits & 0x7fffff) + 0x3f2aaaab) - 1.0f, p = -0.1289168f;
    *n = ((int)bits >> 23) - (tiny ? 23 : 0);
    p = fma(p, f, 0.13984452f);
    p = fma(p, f, -0.12184259f);
    p = fma(p, f, 0.14005867f);
    p = fma(p, f, -0.16680488f);
    p = fma(p, f, 0.20010406f);
    p = fma(p, f, -0.24999797f);
    p = fma(p, f, 0.33333215f);
    p = fma(p, f, -0.5f);
    return fma(f * f, p, f);
}

/* The logarithm of x, which is `result` where x is a positive number. */
static float log_of(float x, float result)
{
    float other = x == 0 ? -INFINITY : x > 0 ? x : NAN;
    return as_uint(x) - 1 < 0x7f7fffff ? result : other;
}

OVERLOAD float log(float x)
{
    int n;
    float l = log_parts(x, &n);
    return log_of(x, fma((float)n, 0x1.62e43p-1f, l));
}
OVERLOAD float log2(float x)
{
    int n;
    float l = log_parts(x, &n);
    return log_of(x, fma(l, 0x1.715476p+0f, (float)n));
}
OVERLOAD float log10(float x) /* the logarithm of 2 in two parts */
{
    int n;
    float l = log_parts(x, &n);
    return log_of(x, fma((float)n, 0x1.344p-2f, fma((float)n, 4.605039e-6f, l * 0.4342945f)));
}
MAP1(log, float, float)
MAP1(log2, float, float)
MAP1(log10, float, float)
OVERLOAD float half_log(float x) { return log(x); }
OVERLOAD float half_log2(float x) { return log2(x); }
OVERLOAD float half_log10(float x) { return log10(x); }
MAP1(half_log, float, float)
MAP1(half_log2, float, float)
MAP1(half_log10, float, float)

/* Beyond 9 by the asymptotic series exp(-x^2) / (x sqrt(pi)) * (1 - 1/2x^2 + 3/4x^4 - ...). */
static float erfc_far(float x)
{
    int n;
    float in = fmin(x, 11.0f), square = in * in, rest = fma(in, in, -square), u = 1.0f / square, s = 6.5625f;
    float p = exp_parts(-square, &n);
    s = fma(s, u, -1.875f);
    s = fma(s, u, 0.75f);
    s = fma(s, u, -0.5f);
    s = fma(s, u, 1.0f);
    return scaled(fma(p, -rest, p) * s * (0.5641896f * 16.0f / in), n - 4); /* times 16, near 1 */
}
OVERLOAD float erfc(float x) { return x > 9.0f ? erfc_far(x) : libclc_erfc(x); }
MAP1(erfc, float, float)

OVERLOAD float rootn(float x, int n)
{
    return n == 1 ? x : n == -1 ? 1.0f / x : libclc_rootn(x, n);
}
MAP2(rootn, float, float, int)

/* ---- sines of multiples of pi ---- */

/* x less the nearest multiple of 1/2, which is *quarter halves modulo 4; exact. */
static float half_turns(float x, private int *quarter)
{
    float within = x - 2.0f * trunc(x * 0.5f), halves = rint(within * 2.0f);
    *quarter = (int)halves & 3;
    return fma(halves, -0.5f, within);
}

static float sin_part(float r)
{
    float t = r * r, p = fma(t, 0.081229575f, -0.5992288f);
    p = fma(p, t, 2.5501635f);
    p = fma(p, t, -5.1677127f);
    return fma(p * t, r, fma(r, -0x1.777a5cp-24f, r * 0x1.921fb6p+1f));
}
static float cos_part(float r)
{
    float t = r * r, p = fma(t, 0.23212542f, -1.3351378f);
    p = fma(p, t, 4.0587106f);
    p = fma(p, t, -4.934802f);
    return fma(p, t, 1.0f);
}

OVERLOAD float sinpi(float x)
{
    int quarter;
    float r = half_turns(x, &quarter), s = quarter & 1 ? cos_part(r) : sin_part(r);
    if (isinf(x) || isnan(x)) return NAN;
    return s == 0 ? copysign(s, x) : quarter & 2 ? -s : s;
}
OVERLOAD float cospi(float x)
{
    int quarter;
    float r = half_turns(x, &quarter), c = quarter & 1 ? sin_part(r) : cos_part(r);
    if (isinf(x) || isnan(x)) return NAN;
    return c == 0 ? 0.0f : (quarter + 1) & 2 ? -c : c;
}
/* Zeros have the sign of x at even numbers, the opposite at odd ones; poles are positive half way above an even one. */
OVERLOAD float tanpi(float x)
{
    int quarter;
    float r = half_turns(x, &quarter), s = sin_part(r), c = cos_part(r);
    if (isinf(x) || isnan(x)) return NAN;
    if (r == 0) {
        if (quarter & 1) return quarter & 2 ? -INFINITY : INFINITY;
        return quarter & 2 ? -copysign(0.0f, x) : copysign(0.0f, x);
    }
    return quarter & 1 ? -c / s : s / c;
}
MAP1(sinpi, float, float)
MAP1(cospi, float, float)
MAP1(tanpi, float, float)

/* ---- remainders ---- */

/* The significand of a finite positive number as an integer of 24 bits; its last bit counts 2^*exponent. */
static uint significand(uint bits, private int *exponent)
{
    uint shift = bits < 0x800000 ? clz(bits) - 8 : 0;
    *exponent = bits < 0x800000 ? -149 - (int)shift : (int)(bits >> 23) - 150;
    return bits < 0x800000 ? bits << shift : (bits & 0x7fffff) | 0x800000;
}

/* |x| modulo |y|, with the last bits of the quotient. Eight bits of it are found at a time. x and y are finite, y is not 0. */
static float modulo(float x, float y, private uint *quotient)
{
    int ex, ey;
    uint bx = as_uint(x) & 0x7fffffff, by = as_uint(y) & 0x7fffffff;
    *quotient = 0;
    if (bx < by) return as_float(bx);
    uint r = significand(bx, &ex), m = significand(by, &ey), bits = (uint)(ex - ey);
    uint first = r << (bits & 7), q = first / m;
    r = first - q * m;
    for (bits >>= 3; bits; bits--) {
        uint next = r << 8;
        q = next / m;
        r = next - q * m;
    }
    *quotient = q;
    return ldexp((float)r, ey);
}

static bool has_remainder(float x, float y)
{
    return (as_uint(x) & 0x7fffffff) < 0x7f800000 && (as_uint(y) & 0x7fffffff) - 1 < 0x7f800000;
}

OVERLOAD float fmod(float x, float y)
{
    uint quotient;
    if (!has_remainder(x, y)) return NAN;
    return copysign(modulo(x, y, &quotient), x);
}

/* The multiple of y nearest to x, an even one if two are, is subtracted. */
static float nearest_remainder(float x, float y, private uint *quotient)
{
    float r = modulo(x, y, quotient), magnitude = fabs(y), rest = magnitude - r;
    bool up = r > rest || (r == rest && *quotient & 1);
    *quotient += up;
    return as_float(as_uint(up ? -rest : r) ^ (as_uint(x) & 0x80000000));
}

OVERLOAD float remainder(float x, float y)
{
    uint quotient;
    return has_remainder(x, y) ? nearest_remainder(x, y, &quotient) : NAN;
}
MAP2(fmod, float, float, float)
MAP2(remainder, float, float, float)

/* The quotient's seven last bits, with its sign. */
static float with_quotient(float x, float y, private int *quotient)
{
    uint q = 0;
    float r = has_remainder(x, y) ? nearest_remainder(x, y, &q) : NAN;
    *quotient = (as_int(x) ^ as_int(y)) < 0 ? -(int)(q & 127) : (int)(q & 127);
    return r;
}
static float lgamma_sign(float x, private int *sign);

/* Functions with a second result, through a pointer. */
#define POINTER2(n, lo, hi, f, AS) \
    OVERLOAD float##n f(float##n x, float##n y, AS int##n *p) \
    { \
        int##n out; \
        float##n r; \
        for (uint i = 0; i < n; i++) { int k; r[i] = with_quotient(x[i], y[i], &k); out[i] = k; } \
        *p = out; \
        return r; \
    }
#define POINTER1(n, lo, hi, f, AS) \
    OVERLOAD float##n f(float##n x, AS int##n *p) \
    { \
        int##n out; \
        float##n r; \
        for (uint i = 0; i < n; i++) { int k; r[i] = lgamma_sign(x[i], &k); out[i] = k; } \
        *p = out; \
        return r; \
    }
#define POINTERS(AS) \
    OVERLOAD float remquo(float x, float y, AS int *p) { int k; float r = with_quotient(x, y, &k); *p = k; return r; } \
    OVERLOAD float lgamma_r(float x, AS int *p) { int k; float r = lgamma_sign(x, &k); *p = k; return r; } \
    SIZES(POINTER2, remquo, AS) SIZES(POINTER1, lgamma_r, AS)
POINTERS(private) POINTERS(local) POINTERS(global)

/* ---- gamma ---- */

/* Near zero the gamma function is 1/x. */
OVERLOAD float lgamma(float x)
{
    if (isinf(x)) return INFINITY;
    return fabs(x) < 0x1p-40f ? -log(fabs(x)) : libclc_lgamma(x);
}
static float lgamma_sign(float x, private int *sign)
{
    bool tiny = fabs(x) < 0x1p-40f;
    *sign = x == 0 ? 0 : x < 0 && tiny ? -1 : 1;
    return tiny || isinf(x) ? lgamma(x) : libclc_lgamma_r(x, sign);
}
MAP1(lgamma, float, float)

#define REAL   float
#define WHOLE  int
#define TOP    35.05f
#define BOTTOM (-50.0f)
#define SMALL  0x1p-100f
#include "gamma.h"
