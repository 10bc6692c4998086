/* Arithmetic on binary16 with integers alone. Used by alu_test.c. */
#include "half_reference.h"

#include <stdbool.h>

__extension__ typedef unsigned __int128 fixed; /* in units of 2^-48 */

enum { INF = 0x7c00, NAN16 = 0x7e00, SIGN = 0x8000 };

static bool is_nan(uint32_t h) { return (h & 0x7fff) > INF; }
static bool is_inf(uint32_t h) { return (h & 0x7fff) == INF; }

/* In units of 2^-24. */
static uint64_t magnitude(uint32_t h)
{
    uint32_t exponent = h >> 10 & 31, fraction = h & 1023;
    return exponent ? (uint64_t)(fraction | 1024) << (exponent - 1) : fraction;
}

static uint32_t nearest(bool negative, fixed m)
{
    unsigned cut = 24;
    while (m >> cut >= 2048) cut++;
    uint32_t kept = (uint32_t)(m >> cut);
    fixed rest = m - ((fixed)kept << cut), middle = (fixed)1 << (cut - 1);
    kept += rest > middle || (rest == middle && kept & 1);
    uint32_t bits = kept + ((cut - 24) << 10); /* the first bit of a normal number counts as one more of the exponent */
    return (negative ? SIGN : 0) | (bits < INF ? bits : INF);
}

uint32_t half_fma(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t sign = (a ^ b) & SIGN, other = c & SIGN;
    a &= 0xffff, b &= 0xffff, c &= 0xffff;
    bool endless = is_inf(a) || is_inf(b), zero = !(a & 0x7fff) || !(b & 0x7fff);
    if (is_nan(a) || is_nan(b) || is_nan(c) || (endless && zero)) return NAN16;
    if (endless) return is_inf(c) && sign != other ? NAN16 : sign | INF;
    if (is_inf(c)) return c;
    fixed product = (fixed)magnitude(a) * magnitude(b), addend = (fixed)magnitude(c) << 24;
    if (sign == other) return nearest(sign, product + addend);
    if (product == addend) return 0;
    return product > addend ? nearest(sign, product - addend) : nearest(other, addend - product);
}

uint32_t half_of_float(uint32_t a)
{
    uint32_t sign = a >> 16 & SIGN, exponent = a >> 23 & 255, fraction = (a & 0x7fffff) | (exponent ? 0x800000 : 0);
    if (exponent == 255) return a & 0x7fffff ? NAN16 : sign | INF;
    if (exponent > 150) return sign | INF;
    if (exponent < 102) return sign; /* below 2^-25 */
    return nearest(sign, (fixed)fraction << (exponent - 102));
}

uint32_t float_of_half(uint32_t a)
{
    uint32_t sign = (a & SIGN) << 16, exponent = 0x71, fraction = a & 1023;
    if (is_nan(a & 0xffff)) return 0x7fc00000;
    if (is_inf(a & 0xffff)) return sign | 0x7f800000;
    if (a & INF) return sign | ((a >> 10 & 31) + 112) << 23 | fraction << 13;
    if (!fraction) return sign;
    for (; !(fraction & 1024); fraction <<= 1) exponent--;
    return sign | exponent << 23 | (fraction & 1023) << 13;
}
