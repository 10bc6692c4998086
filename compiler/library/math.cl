/* Functions of floats that libclc gets wrong. Vector forms are made of the scalar ones. */
#include "library.h"

/* libclc's tgamma is exp(lgamma(x)), hundreds of ulp off for large x. Here only gamma of 1 to 2 is
 * made in that way; the factors up or down to it are multiplied in a pair of floats, high + low. */
OVERLOAD float tgamma(float x)
{
    if (isnan(x) || x > 35.05f) return x > 0 ? INFINITY : x;
    if (x == 0) return 1.0f / x;
    float whole = floor(x);
    if (x < -50.0f) return x == whole ? NAN : 0.0f;
    if (x < 0 && x == whole) return NAN;
    float gamma = exp(lgamma(x - whole + 1.0f)), low = 0.0f;
    bool up = x >= 1.0f;               /* (x-1)(x-2)...  or  1 / x(x+1)..., which may exceed the range */
    float scale = fabs(x) > 20.0f ? 0x1p-100f : 1.0f, high = scale;
    for (float k = up ? 1.0f : whole, end = up ? whole : 1.0f; k < end; k += 1.0f) {
        float factor = up ? x - k : x + (k - whole), product = high * factor;
        low = fma(low, factor, fma(high, factor, -product));
        high = product + low;
        low -= high - product;
    }
    if (up) return fma(gamma, high, gamma * low) / scale;
    float quotient = gamma * scale / high;
    return quotient - quotient * (low / high);
}

MAP1(tgamma, float, float)
