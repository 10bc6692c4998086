/* Arithmetic on doubles, which the machine has no instructions for: correctly rounded to nearest even, subnormals kept.
 *
 * lower.c makes calls of these. They are routines (compiler/README.md): they may not branch by values, so special cases are
 * computed beside the usual one and chosen at the end. Doubles are their bits, lest LLVM finds operations on doubles here. A mantissa is 64 bits here, with its first bit on top; what a
 * shift or a product drops stays as a bit at the bottom, which rounding cannot tell from it. */
#include "library.h"

#define SIGN    0x8000000000000000ul
#define INF     0x7ff0000000000000ul
#define QNAN    0x7ff8000000000000ul
#define ONE     0x3ff0000000000000ul
#define HALF    0x3fe0000000000000ul
#define BIAS    1023
#define LOWEST  (-10000) /* an exponent for zero below all others */

#define ROUTINE(name) PURE __ventus_routine_##name

typedef ushort half_bits;

/* ---- parts of numbers ---- */

static ulong either(bool c, ulong a, ulong b) { return c ? a : b; }
static int is_nan(ulong magnitude) { return magnitude > INF; }
static int at_least(int a, int b) { return a > b ? a : b; }
static int at_most(int a, int b) { return a < b ? a : b; }

static ulong shift_sticky(ulong m, uint n)
{
    ulong r = m >> n;
    return r | ((r << n) != m);
}

/* m / 2^63 * 2^(e - BIAS) as a double. */
static ulong rounded(ulong sign, int e, ulong m)
{
    m = shift_sticky(m, at_most(at_least(1 - e, 0), 63));
    ulong r = m >> 11;
    uint rest = (uint)m & 0x7ff, up = (rest + 0x3ff + ((uint)r & 1)) >> 11;
    ulong bits = ((ulong)(uint)at_least(e - 1, 0) << 52) + r + up; /* the first bit adds 1 to the exponent */
    return sign | either(bits < INF, bits, INF);
}

/* The mantissa and the exponent of a double without sign; 0 for zero. */
static ulong mantissa(ulong u, private int *e)
{
    uint biased = u >> 52;
    ulong m = u << 12 >> 1 | (ulong)(biased != 0) << 63;
    uint zeros = clz(m);
    *e = at_least(biased, 1) - (int)zeros;
    return m << (zeros & 63);
}

static ulong multiply(ulong a, ulong b, private ulong *low)
{
    ulong a0 = (uint)a, a1 = a >> 32, b0 = (uint)b, b1 = b >> 32;
    ulong first = a0 * b0, second = a0 * b1 + (first >> 32), third = a1 * b0 + (uint)second;
    *low = third << 32 | (uint)first;
    return a1 * b1 + (second >> 32) + (third >> 32);
}
static ulong multiply_high(ulong a, ulong b)
{
    ulong low;
    return multiply(a, b, &low);
}

/* a * b >> n for signed numbers of 32 bits. */
static long scaled(int a, int b, uint n) { return (long)a * b >> n; }

/* ---- sums and products ---- */

ulong ROUTINE(add)(ulong x, ulong y)
{
    ulong u = x, v = y;
    bool swap = u << 1 < v << 1;
    ulong a = either(swap, v, u), b = either(swap, u, v), sign = a & SIGN;
    int ea = (int)(a >> 52) & 0x7ff, eb = (int)(b >> 52) & 0x7ff;
    bool minus = (long)(a ^ b) < 0;
    ulong ma = (a << 12 >> 2) | (ulong)(ea != 0) << 62, mb = (b << 12 >> 2) | (ulong)(eb != 0) << 62;
    int ra = at_least(ea, 1), rb = at_least(eb, 1);
    mb = shift_sticky(mb, at_most(ra - rb, 63));
    ulong m = ma + either(minus, 0 - mb, mb);
    /* A sum below the normal numbers is exact, so it is shifted as far as its exponent allows and not back. */
    uint shift = at_most(clz(m) & 63, ra);
    ulong r = m << shift, high = r >> 11;
    uint rest = (uint)r & 0x7ff, up = (rest + 0x3ff + ((uint)high & 1)) >> 11;
    ulong bits = ((ulong)(uint)(ra - (int)shift) << 52) + high + up;
    bits = sign | either(bits < INF, bits, INF);
    bits = either(m == 0, minus ? 0 : sign, bits);
    ulong top = a & ~SIGN;
    bool invalid = is_nan(top) | (minus & (top == (b & ~SIGN)));
    return either(ea == 0x7ff, either(invalid, QNAN, a), bits);
}

ulong ROUTINE(mul)(ulong x, ulong y)
{
    ulong a = x, b = y, sign = (a ^ b) & SIGN, low;
    int ea, eb;
    a &= ~SIGN;
    b &= ~SIGN;
    ulong m = multiply(mantissa(a, &ea), mantissa(b, &eb), &low);
    m |= low != 0;
    bool small = (long)m >= 0;
    m += either(small, m, 0);
    ulong bits = either(m == 0, sign, rounded(sign, ea + eb - (BIAS - 1) - small, m));
    ulong top = either(a > b, a, b);
    bool invalid = is_nan(top) | (m == 0);
    return either(top >= INF, either(invalid, QNAN, sign | INF), bits);
}

/* a * b + c: the product has 128 bits, c is brought to as many. */
ulong ROUTINE(fma)(ulong x, ulong y, ulong z)
{
    ulong a = x, b = y, c = z, sign = (a ^ b) & SIGN, other = c & SIGN, low;
    int ea, eb, ec;
    a &= ~SIGN;
    b &= ~SIGN;
    c &= ~SIGN;
    ulong high = multiply(mantissa(a, &ea), mantissa(b, &eb), &low), mc = mantissa(c, &ec);
    bool minus = sign != other, small = (long)high >= 0;
    bool huge = (a == INF) | (b == INF), invalid = is_nan(a) | is_nan(b) | is_nan(c);
    invalid |= huge & ((high == 0) | ((c == INF) & minus));
    bool infinite = huge | (c == INF);
    ulong infinity = either(c == INF, other, sign) | INF;
    high = either(small, high << 1 | low >> 63, high);
    low = either(small, low << 1, low);
    ea = high == 0 ? LOWEST : ea + eb - (BIAS - 1) - small;
    ec = mc == 0 ? LOWEST : ec;

    bool swap = (ec > ea) | ((ec == ea) & (mc > high));
    ulong h = either(swap, mc, high), l = either(swap, 0, low), sh = either(swap, high, mc), sl = either(swap, low, 0);
    int e = swap ? ec : ea, d = at_most(e - (swap ? ea : ec), 127);
    sign = either(swap, other, sign);

    bool far = d >= 64;
    uint n = d & 63;
    ulong lost = either(far, sl, 0), rest = either(far, sh, sl);
    sh = either(far, 0, sh);
    sl = rest >> n;
    lost |= rest ^ (sl << n);
    sl |= sh << 1 << (63 - n) | (lost != 0);
    sh >>= n;

    ulong plus_low = l + sl, minus_low = l - sl, plus_high = h + sh + (plus_low < l), minus_high = h - sh - (l < sl);
    bool over = !minus & (plus_high < h); /* beyond 128 bits */
    l = either(minus, minus_low, either(over, plus_low >> 1 | (plus_low & 1) | plus_high << 63, plus_low));
    h = either(minus, minus_high, either(over, plus_high >> 1 | 1ul << 63, plus_high));
    e += over;

    uint zeros = h == 0 ? 64 + clz(l) : clz(h);
    far = zeros >= 64;
    h = either(far, l, h);
    l = either(far, 0, l);
    n = zeros & 63;
    h = h << n | l >> 1 >> (63 - n);
    h |= (l << n) != 0;
    ulong bits = either(h == 0, minus ? 0 : sign, rounded(sign, e - (int)zeros, h));
    bits = either(infinite, infinity, bits);
    return either(invalid, QNAN, bits);
}

/* ---- quotients and roots: an estimate as a float, made exact in two steps; the remainder then says what is missing ---- */

ulong ROUTINE(div)(ulong x, ulong y)
{
    ulong u = x, v = y, sign = (u ^ v) & SIGN;
    int ea, eb;
    u &= ~SIGN;
    v &= ~SIGN;
    ulong a = mantissa(u, &ea), b = mantissa(v, &eb);
    /* r is about 1 / b: to 2^31, then to 2^62, where b counts as 1 to 2. */
    float estimate = 1.0f / (float)(uint)(b >> 40); /* a bit too large rather than too small */
    uint r0 = (uint)(estimate * 0x1p54f);
    r0 = r0 > 0x7fffffff ? 0x7fffffff : r0;
    long error = (long)((1ul << 62) - ((b >> 32) * r0 + ((ulong)(uint)b * r0 >> 32)));
    ulong r = ((ulong)r0 << 31) + (ulong)scaled((int)(error >> 9), (int)r0, 22);
    error = (long)((1ul << 61) - multiply_high(b, r));
    r += (ulong)scaled((int)error, (int)(r >> 32), 29);
    ulong q = multiply_high(a, r) >> 6; /* a / b to 2^55, at most 1 off */
    a >>= 11;
    b >>= 11;
    long rest = (long)((a << 55) - q * b);
    bool less = rest < 0;
    q -= less;
    rest += (long)either(less, b, 0);
    bool more = rest >= (long)b;
    q += more;
    rest -= (long)either(more, b, 0);
    ulong m = q << 8 | (rest != 0);
    bool small = (long)m >= 0;
    m += either(small, m, 0);
    ulong bits = rounded(sign, ea - eb + BIAS - small, m);
    bits = either((u == 0) | (v == INF), sign, bits);
    bits = either((v == 0) | (u == INF), sign | INF, bits);
    bool invalid = is_nan(u) | is_nan(v) | ((u == v) & ((u == 0) | (u == INF)));
    return either(invalid, QNAN, bits);
}

ulong ROUTINE(sqrt)(ulong x)
{
    ulong u = x;
    int e;
    ulong m = mantissa(u & ~SIGN, &e);
    bool odd = !(e & 1); /* BIAS is odd */
    ulong a = either(odd, m, m >> 1); /* 1 to 4, to 2^62 */
    float estimate = 1.0f / sqrt((float)(uint)(a >> 40));
    uint r0 = (uint)(estimate * 0x1p42f);
    r0 = r0 > 0x7fffffff ? 0x7fffffff : r0;
    long error = (long)((1ul << 60) - multiply_high(a, (ulong)r0 * r0));
    ulong r = ((ulong)r0 << 31) + (ulong)scaled((int)(error >> 8), (int)r0, 22);
    error = (long)((1ul << 58) - multiply_high(a, multiply_high(r, r)));
    r += (ulong)scaled((int)error, (int)(r >> 32), 27);
    ulong q = multiply_high(a, r) >> 6; /* the root to 2^54, at most 1 off */
    long rest = (long)((a << 46) - q * q);
    bool less = rest < 0;
    q -= less;
    rest += (long)either(less, 2 * q + 1, 0);
    bool more = rest > (long)(2 * q);
    rest -= (long)either(more, 2 * q + 1, 0);
    q += more;
    ulong bits = rounded(0, ((e - odd - BIAS) >> 1) + BIAS, q << 9 | (rest != 0));
    bits = either((u == INF) | (u << 1 == 0), u, bits);
    bool invalid = is_nan(u & ~SIGN) | (u > SIGN);
    return either(invalid, QNAN, bits);
}

/* ---- comparisons ---- */

/* Numbers in the order of integers; -0 below 0. */
static long ordered(ulong u) { return (long)(u ^ ((ulong)((long)u >> 63) >> 1)); }

/* One of the bits that LLVM's predicates are made of: equal 1, greater 2, less 4, unordered 8. */
uint ROUTINE(compare)(ulong x, ulong y)
{
    ulong a = x, b = y;
    bool unordered = is_nan(a & ~SIGN) | is_nan(b & ~SIGN), equal = (a == b) | ((a | b) << 1 == 0);
    uint r = ordered(a) > ordered(b) ? 2 : 4;
    r = equal ? 1 : r;
    return unordered ? 8 : r;
}

static ulong choose(ulong x, ulong y, bool first)
{
    ulong a = x, b = y, r = either(first, a, b);
    r = either(is_nan(a & ~SIGN), b, r);
    return either(is_nan(b & ~SIGN), a, r);
}
ulong ROUTINE(min)(ulong x, ulong y) { return choose(x, y, ordered(x) < ordered(y)); }
ulong ROUTINE(max)(ulong x, ulong y) { return choose(x, y, ordered(x) > ordered(y)); }

/* ---- to an integral value ---- */

/* The bits that a double has behind the point, as a mask; for numbers from 1 on. */
static ulong fraction(ulong magnitude) { return (1ul << at_most(at_least(1075 - (int)(magnitude >> 52), 0), 63)) - 1; }

static ulong integral(ulong u, ulong bump, bool small_up)
{
    ulong magnitude = u & ~SIGN, mask = fraction(magnitude);
    ulong r = (magnitude + bump) & ~mask;
    r = either(magnitude < ONE, small_up ? ONE : 0, r);
    return (u & SIGN) | r;
}
ulong ROUTINE(trunc)(ulong x) { return integral(x, 0, false); }
ulong ROUTINE(floor)(ulong x)
{
    ulong u = x;
    return integral(u, either((long)u < 0, fraction(u & ~SIGN), 0), u > SIGN);
}
ulong ROUTINE(ceil)(ulong x)
{
    ulong u = x;
    return integral(u, either((long)u < 0, 0, fraction(u)), (long)u > 0);
}
ulong ROUTINE(rint)(ulong x)
{
    ulong magnitude = x & ~SIGN, mask = fraction(magnitude);
    ulong last = magnitude & (mask + 1) & (0 - (mask & 1)); /* to even: what counts 1 */
    return integral(x, (mask >> 1) + (last != 0), magnitude > HALF);
}
ulong ROUTINE(round)(ulong x)
{
    ulong magnitude = x & ~SIGN;
    return integral(x, (fraction(magnitude) + 1) >> 1, magnitude >= HALF);
}

/* x * 2^n. */
ulong ROUTINE(ldexp)(ulong x, int n)
{
    int e;
    ulong sign = x & SIGN, m = mantissa(x & ~SIGN, &e);
    ulong r = rounded(sign, at_most(e + at_most(at_least(n, -5000), 5000), 3000), m);
    r = either(m == 0, sign, r);
    return either((x & ~SIGN) >= INF, x, r);
}

/* ---- to and from integers; out of range is the nearest, NaN is 0 ---- */

/* The magnitude of a double as an integer, `top` the exponent of its highest bit, `most` the largest. */
static ulong magnitude_long(ulong u, ulong most)
{
    int e = (int)(u >> 52) & 0x7ff, n = BIAS + 63 - e;
    ulong r = (u << 12 >> 1 | 1ul << 63) >> (n & 63);
    r = either(n > 63, 0, r);
    r = either((n < 0) | (r > most), most, r);
    return either(is_nan(u & ~SIGN), 0, r);
}
static uint magnitude_int(ulong u, uint most)
{
    int e = (int)(u >> 52) & 0x7ff, n = BIAS + 31 - e;
    uint r = (uint)(u << 12 >> 33 | 1u << 31) >> (n & 31);
    r = n > 31 ? 0 : r;
    r = ((n < 0) | (r > most)) ? most : r;
    return is_nan(u & ~SIGN) ? 0 : r;
}
ulong ROUTINE(to_ulong)(ulong x) { return either((long)x < 0, 0, magnitude_long(x, ~0ul)); }
long ROUTINE(to_long)(ulong x)
{
    ulong u = x, negative = u >> 63, r = magnitude_long(u, SIGN - 1 + negative);
    return (long)((r ^ (0 - negative)) + negative);
}
uint ROUTINE(to_uint)(ulong x)
{
    uint r = magnitude_int(x, ~0u);
    return (long)x < 0 ? 0 : r;
}
int ROUTINE(to_int)(ulong x)
{
    uint negative = x >> 63, r = magnitude_int(x, 0x7fffffff + negative);
    return (int)((r ^ (0 - negative)) + negative);
}

static ulong from_magnitude(ulong sign, ulong x)
{
    uint zeros = clz(x);
    return either(x == 0, 0, rounded(sign, BIAS + 63 - (int)zeros, x << (zeros & 63)));
}
static ulong from_small(ulong sign, uint x)
{
    uint zeros = clz(x);
    ulong bits = sign + ((ulong)(BIAS + 30 - zeros) << 52) + ((ulong)(x << (zeros & 31)) << 21);
    return either(x == 0, 0, bits);
}
ulong ROUTINE(from_ulong)(ulong x) { return from_magnitude(0, x); }
ulong ROUTINE(from_long)(long x)
{
    ulong sign = (ulong)x & SIGN, negative = (ulong)x >> 63;
    return from_magnitude(sign, ((ulong)x ^ (0 - negative)) + negative);
}
ulong ROUTINE(from_uint)(uint x) { return from_small(0, x); }
ulong ROUTINE(from_int)(int x)
{
    uint negative = (uint)x >> 31;
    return from_small((ulong)negative << 63, ((uint)x ^ (0 - negative)) + negative);
}

/* ---- to and from float ---- */

ulong ROUTINE(from_float)(float x)
{
    uint u = as_uint(x), magnitude = u & 0x7fffffff;
    bool small = magnitude < 0x00800000, large = magnitude >= 0x7f800000;
    uint normal = as_uint(as_float(magnitude) * 0x1p64f); /* of a subnormal */
    uint bits = small ? normal : magnitude;
    uint exponent = small ? BIAS - 127 - 64 : BIAS - 127;
    exponent = large ? 0x7ff - 0xff : exponent;
    ulong r = ((ulong)bits << 29) + ((ulong)exponent << 52);
    r = either(magnitude == 0, 0, r);
    return (ulong)(u >> 31) << 63 | r;
}

float ROUTINE(to_float)(ulong x)
{
    ulong u = x;
    uint sign = (uint)(u >> 32) & 0x80000000, biased = (uint)(u >> 52) & 0x7ff;
    int e = (int)biased - (BIAS - 127);
    uint m = (uint)(u << 12 >> 33) | (uint)(biased != 0) << 31 | (((uint)u & 0x1fffff) != 0);
    uint n = at_most(at_least(1 - e, 0), 31), shifted = m >> n;
    shifted |= (shifted << n) != m;
    uint r = shifted >> 8, rest = shifted & 0xff;
    uint bits = ((uint)at_least(e - 1, 0) << 23) + r + ((rest + 0x7f + (r & 1)) >> 8);
    bits = ((bits < 0x7f800000) & (e < 255)) ? bits : 0x7f800000;
    bits = is_nan(u & ~SIGN) ? 0x7fc00000 : bits;
    return as_float(sign | bits);
}

/* ---- to and from half ---- */

ulong ROUTINE(from_half)(half_bits x)
{
    uint magnitude = x & 0x7fff;
    float f = as_float(magnitude << 13) * 0x1p112f; /* the scaling also normalises subnormals */
    ulong r = ((ulong)as_uint(f) << 29) + ((ulong)(BIAS - 127) << 52);
    r = either(magnitude == 0, 0, r);
    r = either(magnitude >= 0x7c00, INF | (ulong)(magnitude & 0x3ff) << 42, r);
    return (ulong)(x >> 15) << 63 | r;
}

half_bits ROUTINE(to_half)(ulong x)
{
    ulong u = x;
    uint sign = (uint)(u >> 48) & 0x8000, biased = (uint)(u >> 52) & 0x7ff;
    int e = (int)biased - (BIAS - 15);
    uint m = (uint)(u << 12 >> 33) | (uint)(biased != 0) << 31 | (((uint)u & 0x1fffff) != 0);
    uint n = at_most(at_least(1 - e, 0), 31), shifted = m >> n;
    shifted |= (shifted << n) != m;
    uint r = shifted >> 21, rest = shifted & 0x1fffff;
    uint bits = ((uint)at_least(e - 1, 0) << 10) + r + ((rest + 0xfffff + (r & 1)) >> 21);
    bits = ((bits < 0x7c00) & (e < 31)) ? bits : 0x7c00;
    bits = is_nan(u & ~SIGN) ? 0x7e00 : bits;
    return (half_bits)(sign | bits);
}
