/* Functions of doubles that libclc lacks or gets wrong. The others are libclc's, on the routines of double.cl. */
#include "library.h"

/* ---- conversions that round towards a side ---- */

static ulong magnitude(long a) { return abs(a); }

/* A magnitude without what is below its 53 highest bits; the largest double not above it, the smallest not below. */
static ulong cut(ulong m) { uint lost = 11 - min((uint)clz(m), 11u); return m >> lost << lost; }
static double below(ulong m) { return (double)cut(m); }
static double above(ulong m) { return as_double(as_ulong(below(m)) + (cut(m) != m)); }

OVERLOAD double convert_double_rtz(ulong a) { return below(a); }
OVERLOAD double convert_double_rtn(ulong a) { return below(a); }
OVERLOAD double convert_double_rtp(ulong a) { return above(a); }
OVERLOAD double convert_double_rtz(long a) { double d = below(magnitude(a)); return a < 0 ? -d : d; }
OVERLOAD double convert_double_rtn(long a) { return a < 0 ? -above(magnitude(a)) : below(a); }
OVERLOAD double convert_double_rtp(long a) { return a < 0 ? -below(magnitude(a)) : above(a); }

/* The float next to a magnitude, on the side of zero or on the other. */
static float float_inside(double m) { float f = (float)m; return as_float(as_uint(f) - (f > m)); }
static float float_outside(double m) { float f = (float)m; return as_float(as_uint(f) + (f < m)); }
static float with_sign(double x, float magnitude) { return as_float(as_uint(magnitude) | (as_uint2(x).y & 0x80000000)); }

OVERLOAD float convert_float_rtz(double x) { return with_sign(x, float_inside(fabs(x))); }
OVERLOAD float convert_float_rtn(double x) { return with_sign(x, x < 0 ? float_outside(-x) : float_inside(x)); }
OVERLOAD float convert_float_rtp(double x) { return with_sign(x, x < 0 ? float_inside(-x) : float_outside(x)); }

#define CONVERT(R, A) SIZES(CONVERSION_N, R, _rtz, A) SIZES(CONVERSION_N, R, _rtn, A) SIZES(CONVERSION_N, R, _rtp, A)
CONVERT(double, long) CONVERT(double, ulong) CONVERT(float, double)

/* ---- halves in memory ---- */

HALVES_NEAR(double)

#define STORES(AS) \
    STORE_HALF(double, , NEAREST_HALF, AS) STORE_HALF(double, _rte, NEAREST_HALF, AS) \
    STORE_HALF(double, _rtz, half_inside, AS) STORE_HALF(double, _rtp, half_up, AS) STORE_HALF(double, _rtn, half_down, AS)
STORES(global) STORES(local) STORES(private)

/* ---- exponents ---- */

ulong __ventus_routine_ldexp(ulong x, int n) PURE;
OVERLOAD double ldexp(double x, int n) { return as_double(__ventus_routine_ldexp(as_ulong(x), n)); }
MAP2(ldexp, double, double, int)
#define WITH_SCALAR(n, lo, hi, f) OVERLOAD double##n f(double##n x, int k) { return f(x, (int##n)k); }
SIZES(WITH_SCALAR, ldexp)

/* ---- zeros: these functions have the sign of x there ---- */

#define ODD(f) \
    double libclc_double_##f(double x); \
    OVERLOAD double f(double x) { return x == 0 ? x : libclc_double_##f(x); } \
    MAP1(f, double, double)
ODD(atan) ODD(atanpi) ODD(erf) ODD(expm1)

double libclc_double_sinpi(double x);
double libclc_double_cospi(double x);
double libclc_double_tanpi(double x);
OVERLOAD double sinpi(double x)
{
    double s = libclc_double_sinpi(x);
    return s == 0 ? copysign(s, x) : s;
}
OVERLOAD double cospi(double x)
{
    double c = libclc_double_cospi(x);
    return c == 0 ? 0.0 : c;
}
/* The sign of x at even numbers, the opposite at odd ones. */
OVERLOAD double tanpi(double x)
{
    double t = libclc_double_tanpi(x), half_x = x * 0.5;
    if (t != 0 || isnan(t)) return t;
    return copysign(0.0, half_x == trunc(half_x) ? x : -x);
}
MAP1(sinpi, double, double)
MAP1(cospi, double, double)
MAP1(tanpi, double, double)

/* ---- NaNs: a code of 0, too, is one, and quiet ---- */

OVERLOAD double nan(ulong code) { return as_double((code & 0xfffffffffffff) | 0x7ff8000000000000); }
MAP1(nan, double, ulong)

/* ---- edges that all elements share ---- */

#define SHARED_EDGES(n, lo, hi, f) \
    OVERLOAD double##n f(double##n a, double##n b, double##n x); \
    OVERLOAD double##n f(double a, double b, double##n x) { return f((double##n)a, (double##n)b, x); }
SIZES(SHARED_EDGES, smoothstep)

/* ---- gamma ---- */

#define REAL   double
#define WHOLE  long
#define TOP    171.63
#define BOTTOM (-184.0)
#define SMALL  0x1p-200
#include "gamma.h"
