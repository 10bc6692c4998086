/* Powers of floats, as 2^(y * log2 x): the logarithm and the product are sums of two floats, so that errors stay below
 * 2.5 ulp up to the largest results. libclc's take 1.6 times the instructions, with tables. */
#include "exp2.h"

typedef struct { float high, low; } Sum;

/* log2 of a positive number, to 32 bits. x is 2^n * m / c, with 0.86 < m < 1.15. */
static Sum log2_sum(float x)
{
    bool tiny = x < 0x1p-126f;
    uint bits = as_uint(x * (tiny ? 0x1p23f : 1.0f)) - 0x3f3504f3;
    float m = as_float((bits & 0x7fffff) + 0x3f3504f3);
    bool below = m < 0.8944272f, above = m > 1.1486984f;
    float f = fma(m, below ? 1.25f : above ? 0.75f : 1.0f, -1.0f); /* exact */
    float offset = below ? -0x1.49a8p-2f : above ? 0x1.a9p-2f : 0.0f; /* -log2 c, in two parts, too */
    float offset_low = below ? 0x1.ed0cbap-20f : above ? -0x1.a39fbep-20f : 0.0f;
    /* log(1 + f) = f - f^2 / 2 + f^3 * p */
    float p = fma(f, -0.12547051f, 0.1472735f), half_f = f * -0.5f;
    p = fma(p, f, -0.16671206f);
    p = fma(p, f, 0.1999479f);
    p = fma(p, f, -0.2499996f);
    p = fma(p, f, 0.3333335f);
    float l = fma(half_f, f, f), l_low = fma(f * f * f, p, fma(half_f, f, f - l));
    /* in logarithms of base 2 */
    float t = l * 0x1.715476p+0f, t_low = fma(l, 0x1.715476p+0f, -t);
    t_low = fma(l_low, 0x1.715476p+0f, fma(l, 0x1.4ae0cp-26f, t_low));
    float whole = (float)(((int)bits >> 23) - (tiny ? 23 : 0)) + offset, sum = whole + t;
    return (Sum){sum, t - (sum - whole) + (t_low + offset_low)};
}

/* |x|^(y + y_low); NaN where the product of logarithm and exponent is: 0^0, infinity^0, 1^infinity. */
static float magnitude(float x, float y, float y_low)
{
    float a = fabs(x);
    Sum l = log2_sum(a);
    float log = a == 0 ? -INFINITY : a < INFINITY ? l.high : a, p = y * log;
    float low = fma(y, l.low, fma(y_low, log, fma(y, log, -p)));
    float result = exp2_of(fmin(fmax(p, -180.0f), 180.0f), fabs(p) < 180.0f ? low : 0.0f);
    return isnan(p) ? p : result;
}

static float with_sign(float magnitude, float x, bool odd)
{
    return as_float(as_uint(magnitude) | (odd ? as_uint(x) & 0x80000000 : 0));
}

OVERLOAD float pow(float x, float y)
{
    float in = fmin(fmax(y, -0x1p25f), 0x1p25f); /* all larger ones are even */
    int n = __ventus_cut_int(in);
    bool whole = (float)n == in, negative = as_uint(x) - 0x80000001 < 0x7f7fffff; /* neither -0 nor infinity */
    float result = with_sign(magnitude(x, y, 0.0f), x, whole && n & 1);
    if (negative && !whole) result = NAN;
    return x == 1 || y == 0 || (x == -1 && isinf(y)) ? 1.0f : result;
}
OVERLOAD float pown(float x, int n)
{
    float y = (float)n, result = with_sign(magnitude(x, y, (float)(n - (int)y)), x, n & 1);
    return n == 0 ? 1.0f : result;
}
OVERLOAD float powr(float x, float y)
{
    float result = magnitude(x, y, 0.0f);
    return x < 0 ? NAN : result;
}
MAP2(pow, float, float, float)
MAP2(pown, float, float, int)
MAP2(powr, float, float, float)
