/* tgamma of the type REAL, whose whole numbers fit WHOLE as far as they can be odd; included once for each type. Above
 * TOP it is infinite, below BOTTOM zero; products of as many factors stay within the range if they are scaled by SMALL.
 *
 * libclc's is exp(lgamma(x)), hundreds of ulp off for large x. Here only gamma of 1 to 2 is made in that way; the
 * factors up or down to it are multiplied in a pair of numbers, high + low. */
OVERLOAD REAL tgamma(REAL x)
{
    if (isnan(x) || x > TOP) return x > 0 ? INFINITY : x;
    if (fabs(x) < 0x1p-100f) return 1.0f / x;
    REAL whole = floor(x);
    if (x < 0 && x == whole) return NAN;
    if (x < BOTTOM) return (WHOLE)whole & 1 ? -0.0f : 0.0f;
    REAL gamma = exp(lgamma(x - whole + 1.0f)), low = 0.0f;
    bool up = x >= 1.0f; /* (x-1)(x-2)...  or  1 / x(x+1)..., which may exceed the range */
    REAL scale = fabs(x) > 20.0f ? SMALL : (REAL)1, high = scale;
    for (REAL k = up ? 1.0f : whole, end = up ? whole : 1.0f; k < end; k += 1.0f) {
        REAL factor = up ? x - k : x + (k - whole), product = high * factor;
        low = fma(low, factor, fma(high, factor, -product));
        high = product + low;
        low -= high - product;
    }
    if (up) return fma(gamma, high, gamma * low) / scale;
    REAL quotient = gamma * scale / high;
    return quotient - quotient * (low / high);
}
MAP1(tgamma, REAL, REAL)

#undef REAL
#undef WHOLE
#undef TOP
#undef BOTTOM
#undef SMALL
