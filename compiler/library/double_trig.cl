/* Sine, cosine and tangent of doubles. libclc's, made for machines without a fused multiply-add, takes four times the
 * operations. Errors are below 0.75 ulp, those of tan below 2 (bench/ulp). */
#include "library.h"

/* An angle is quadrant * pi/2 + high + low, with high from about -pi/4 to pi/4. */
typedef struct { double high, low; uint quadrant; } Angle;

void __clc_remainder_piby2_large(double x, private double *high, private double *low, private int *quadrant);

/* pi/2 in three parts. The first product is subtracted exactly. The second is two doubles, because what it is subtracted
 * from may be nearly the same number. */
static Angle reduced(double x)
{
    double shifted = fma(x, 0x1.45f306dc9c883p-1, 0x1.8p52), n = shifted - 0x1.8p52;
    double rest = fma(n, -0x1.921fb54442d18p+0, x);
    double product = n * 0x1.1a62633145c07p-54, product_low = fma(n, 0x1.1a62633145c07p-54, -product);
    double high = rest - product, lost = (rest - high) - product;
    double low = fma(n, 0x1.f1976b7ed8fbcp-110, lost - product_low);
    return (Angle){high, low, as_uint2(shifted).x};
}

static Angle reduced_large(double x)
{
    int quadrant;
    Angle a;
    __clc_remainder_piby2_large(fabs(x), &a.high, &a.low, &quadrant);
    if (!isfinite(x)) a.high = NAN;
    a.quadrant = quadrant;
    return x < 0 ? (Angle){-a.high, -a.low, -a.quadrant} : a;
}

/* 2^47 and more, infinity and NaN: by the exponent alone, which is cheaper than a comparison of doubles. */
static bool is_large(double x) { return (as_uint2(x).y & 0x7fffffff) >= 0x42e00000; }
static Angle angle(double x) { return is_large(x) ? reduced_large(x) : reduced(x); }

/* Sine and cosine of an angle within a quadrant. The cosine is one minus z / 2 and a little: that difference is rounded,
 * and what is lost is in `rounding`. */
static double sine_near_zero(Angle x)
{
    double r = x.high, z = r * r, p = 0x1.5d8f8c12d3002p-33;
    p = fma(p, z, -0x1.ae5e5aae4427ep-26);
    p = fma(p, z, 0x1.71de35697ade9p-19);
    p = fma(p, z, -0x1.a01a019c01d4cp-13);
    p = fma(p, z, 0x1.111111110f802p-7);
    p = fma(p, z, -0x1.5555555555549p-3);
    return r + fma(r * z, p, x.low * fma(z, -0.5, 1.0));
}
static double cosine_near_zero(Angle x)
{
    double r = x.high, z = r * r, p = -0x1.8faad345ff6d6p-37;
    p = fma(p, z, 0x1.1ee9e4d77c449p-29);
    p = fma(p, z, -0x1.27e4f7ffeb649p-22);
    p = fma(p, z, 0x1.a01a019ca46e9p-16);
    p = fma(p, z, -0x1.6c16c16c150fbp-10);
    p = fma(p, z, 0x1.555555555554bp-5);
    double most = fma(z, -0.5, 1.0), rounding = fma(z, -0.5, 1.0 - most);
    return most + fma(z * z, p, fma(-r, x.low, rounding));
}

static double sine(Angle x)
{
    double s = sine_near_zero(x), c = cosine_near_zero(x); /* not one of the two: lanes would diverge */
    return as_double(as_ulong(x.quadrant & 1 ? c : s) ^ (ulong)(x.quadrant & 2) << 62);
}
static double cosine(Angle x) { return sine((Angle){x.high, x.low, x.quadrant + 1}); }

/* Zeros keep their sign. */
static double unless_zero(double x, double y) { return as_ulong(fabs(x)) == 0 ? x : y; }

OVERLOAD double sin(double x) { return unless_zero(x, sine(angle(x))); }
OVERLOAD double cos(double x) { return cosine(angle(x)); }
OVERLOAD double tan(double x)
{
    Angle a = angle(x);
    return unless_zero(x, sine(a) / cosine(a));
}
MAP1(sin, double, double)
MAP1(cos, double, double)
MAP1(tan, double, double)

#define SINCOS(AS) \
    OVERLOAD double sincos(double x, AS double *c) \
    { \
        Angle a = angle(x); \
        *c = cosine(a); \
        return unless_zero(x, sine(a)); \
    } \
    SIZES(SINCOS_N, double, AS)
SINCOS(private) SINCOS(global) SINCOS(local)
