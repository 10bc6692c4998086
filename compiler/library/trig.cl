/* Sine, cosine and tangent of floats, in less than half of the instructions of libclc's, which are made for machines without a
 * fused multiply-add. */
#include "library.h"

/* An angle is quadrant * pi/2 + rest, with a rest from -0.8 to 0.8. */
typedef struct { float rest; uint quadrant; } Angle;

int __clc_argReductionLargeS(private float *rest, private float *rest_of_that, float x);

/* The first of three parts of pi/2 has so few digits that its product is subtracted exactly. All are positive, so that
 * -0 stays -0. */
static Angle reduced(float x)
{
    float shifted = fma(x, 0x1.45f306p-1f, 0x1.8p23f), n = shifted - 0x1.8p23f;
    float rest = fma(n, -0x1.846988p-48f, fma(n, -0x1.4442dp-24f, fma(n, -0x1.921fb4p+0f, x)));
    return (Angle){rest, as_uint(shifted)};
}

static Angle reduced_large(float x)
{
    Angle a;
    float lost;
    a.quadrant = __clc_argReductionLargeS(&a.rest, &lost, fabs(x));
    if (!isfinite(x)) a.rest = NAN;
    return x < 0 ? (Angle){-a.rest, -a.quadrant} : a;
}

static bool is_large(float x) { return (as_uint(x) & 0x7fffffff) >= 0x48800000; } /* 2^18 and more, infinity and NaN */
static Angle angle(float x) { return is_large(x) ? reduced_large(x) : reduced(x); }

/* The added +0 makes +0 of a product that is -0, so that -0 stays -0. */
static float sine_near_zero(float r)
{
    float z = r * r, p = fma(z, fma(z, -0x1.990df6p-13f, 0x1.1106a4p-7f), -0x1.555544p-3f);
    return fma(r, fma(z, p, 0.0f), r);
}
static float cosine_near_zero(float r)
{
    float z = r * r, p = fma(z, fma(z, 0x1.99c84p-16f, -0x1.6c0bc4p-10f), 0x1.55554ap-5f);
    return fma(z, fma(z, p, -0.5f), 1.0f);
}

static float turned(float x, uint quadrant) { return as_float(as_uint(x) ^ (quadrant & 2) << 30); }

/* Most is the same for both of one number: lower.c makes calls of this of those of either. */
PURE float2 __ventus_sincos(float x)
{
    Angle a = angle(x);
    float s = sine_near_zero(a.rest), c = cosine_near_zero(a.rest);
    bool odd = a.quadrant & 1;
    return (float2)(turned(odd ? c : s, a.quadrant), turned(odd ? s : c, a.quadrant + 1));
}

OVERLOAD float sin(float x) { return __ventus_sincos(x).x; }
OVERLOAD float cos(float x) { return __ventus_sincos(x).y; }
OVERLOAD float tan(float x)
{
    float2 both = __ventus_sincos(x);
    return both.x / both.y;
}
MAP1(sin, float, float)
MAP1(cos, float, float)
MAP1(tan, float, float)

#define SINCOS(AS) \
    OVERLOAD float sincos(float x, AS float *cosine) \
    { \
        float2 both = __ventus_sincos(x); \
        *cosine = both.y; \
        return both.x; \
    } \
    SIZES(SINCOS_N, float, AS)
SINCOS(private) SINCOS(global) SINCOS(local)
