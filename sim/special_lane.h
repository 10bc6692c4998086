/* Special functions of binary32 for one lane, in double arithmetic without branches, so that loops over lanes are
 * vector code. Products and sums round separately (-ffp-contract=off), which gives every engine and host the same
 * results: relative errors are below 2^-38, before they are rounded to binary32.
 *
 * The host rounds to nearest: special.c sees to it, and the rows have the flag NEAREST. lane.h includes this file. */
#ifndef VENTUS_SIM_SPECIAL_LANE_H
#define VENTUS_SIM_SPECIAL_LANE_H

/* The sum of it and a number below 2^51 holds the nearest integer in its lowest bits. */
#define D_INTEGER 0x1.8p52

/* Computes 2^n for the integer that D_INTEGER + n holds, -1022 <= n <= 1023. */
LANE double d_power(double moved) { return d_of((d_bits(moved) + 1023) << 52); }

/* Beyond these bounds nothing changes but the exponent of an infinity or of zero. NaN stays. */
LANE double d_limited(double x)
{
    x = x > 200 ? 200 : x;
    return x < -200 ? -200 : x;
}

/* e^t for |t| <= log(2) / 2. */
LANE double d_exp(double t)
{
    double p = 1 / 3628800.0;
    p = p * t + 1 / 362880.0;
    p = p * t + 1 / 40320.0;
    p = p * t + 1 / 5040.0;
    p = p * t + 1 / 720.0;
    p = p * t + 1 / 120.0;
    p = p * t + 1 / 24.0;
    p = p * t + 1 / 6.0;
    p = p * t + 0.5;
    p = p * t + 1;
    return p * t + 1;
}

LANE uint32_t f_ex2(uint32_t a)
{
    double x = d_limited((double)f_of(a)), moved = x + D_INTEGER, t = (x - (moved - D_INTEGER)) * 0x1.62e42fefa39efp-1;
    return f_canon(f_bits((float)(d_exp(t) * d_power(moved))));
}

LANE uint32_t f_exp(uint32_t a)
{
    double x = d_limited((double)f_of(a)), moved = x * 0x1.71547652b82fep+0 + D_INTEGER;
    double t = x - (moved - D_INTEGER) * 0x1.62e42fefa39efp-1;
    return f_canon(f_bits((float)(d_exp(t) * d_power(moved))));
}

/* x = m * 2^e with m from 1 / sqrt 2 to sqrt 2; log2 m by the series in (m - 1) / (m + 1). */
LANE uint32_t f_lg2(uint32_t a)
{
    double x = (double)f_of(a);
    uint64_t half = d_bits(0x1.6a09e667f3bcdp-1), biased = (d_bits(x) - half + (1023ull << 52)) >> 52 & 0x7ff;
    double e = d_of(biased | 0x433ull << 52) - (0x1p52 + 1023), m = d_of(d_bits(x) - ((biased - 1023) << 52));
    double s = (m - 1) / (m + 1), q = s * s, p = 0x1.89f3b1694cffep-3;
    p = p * q + 0x1.c68f568d31760p-3;
    p = p * q + 0x1.0c9a84994022dp-2;
    p = p * q + 0x1.484b13d7c02a9p-2;
    p = p * q + 0x1.a61762a7aded9p-2;
    p = p * q + 0x1.2776c50ef9bfep-1;
    p = p * q + 0x1.ec709dc3a03fdp-1;
    p = p * q + 0x1.71547652b82fep+1;
    uint32_t r = f_bits((float)(e + p * s)), magnitude = a & 0x7fffffffu;
    r = a >= F_INF ? F_NAN : r;
    r = a == F_INF ? F_INF : r;
    return magnitude ? r : F_INF | WORD_SIGN;
}

LANE uint32_t f_rcp(uint32_t a) { return f_canon(f_bits((float)(1 / (double)f_of(a)))); }
LANE uint32_t f_rsqrt(uint32_t a) { return f_canon(f_bits((float)(1 / sqrt((double)f_of(a))))); }

/* Sine (shift 0) or cosine (1). The angle is counted in quarters of a turn: whole ones are q, the rest is u, from -1/2
 * to 1/2. 2 / pi is three numbers, for the angle's exponent: bits that only make multiples of four are left out, 29
 * bits each in `high` and `low`, whose products are exact, and what follows. Infinity becomes NaN by itself. */
LANE uint32_t f_wave(uint32_t a, uint64_t shift)
{
    uint32_t magnitude = a & 0x7fffffffu;
    double x = (double)f_of(a), high = 0x1.45f306dp-1, low = 0x1.9391054p-30, rest = 0x1.4fe13abe8fa9ap-59;
#define FROM(exponent, h, l, r) \
    { \
        uint32_t from = magnitude >= (127u + exponent) << 23; \
        high = from ? h : high, low = from ? l : low, rest = from ? r : rest; \
    }
    FROM(20, 0x1.45f306p-1, 0x1.b939104p-26, 0x1.4a7f09d5f47d5p-54)
    FROM(44, 0x1.b72722p-23, 0x1.529fc2p-52, 0x1.d5f47d4d37703p-78)
    FROM(68, 0x1.054a7fp-46, 0x1.3abe8f8p-75, 0x1.4d377036d8a56p-102)
    FROM(92, 0x1.c2757d1p-68, 0x1.ea69bb8p-97, 0x1.b6c52b3278872p-129)
    FROM(116, 0x1.1f534ddp-92, 0x1.81b6c52p-121, 0x1.664f10e4107f9p-150)
#undef FROM
    double first = x * high, q1 = first + D_INTEGER, second = x * low, q2 = second + D_INTEGER;
    first -= q1 - D_INTEGER;
    second -= q2 - D_INTEGER;
    double q3 = first + second + D_INTEGER, u = first - (q3 - D_INTEGER) + second + x * rest;
    uint64_t q = d_bits(q1) + d_bits(q2) + d_bits(q3) + shift;
    double r = u * 0x1.921fb54442d18p+0, z = r * r, s = 1 / 6227020800.0, c = 1 / 479001600.0;
    s = s * z - 1 / 39916800.0;
    s = s * z + 1 / 362880.0;
    s = s * z - 1 / 5040.0;
    s = s * z + 1 / 120.0;
    s = s * z - 1 / 6.0;
    s = r * (s * z + 1);
    c = c * z - 1 / 3628800.0;
    c = c * z + 1 / 40320.0;
    c = c * z - 1 / 720.0;
    c = c * z + 1 / 24.0;
    c = c * z - 0.5;
    c = c * z + 1;
    uint32_t value = f_bits((float)(q & 1 ? c : s));
    return f_canon(value ^ (uint32_t)(q & 2) << 30);
}
LANE uint32_t f_sin(uint32_t a) { return f_wave(a, 0); }
LANE uint32_t f_cos(uint32_t a) { return f_wave(a, 1); }

#endif
