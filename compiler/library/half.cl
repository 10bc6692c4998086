/* Functions of halves: computed as floats, which hold every half, and rounded once more. What a function of floats is off by
 * is a small part of the last place of a half, so the result is off by little more than half of that place. The
 * functions of floats are declared here, because clang's declarations do not show beside our own of the same name. */
#include "library.h"

/* ---- math ---- */

#define ONE(f) \
    OVERLOAD float f(float x); \
    OVERLOAD half f(half x) { return (half)f((float)x); } \
    MAP1(f, half, half)
#define TWO(f) \
    OVERLOAD float f(float x, float y); \
    OVERLOAD half f(half x, half y) { return (half)f((float)x, (float)y); } \
    MAP2(f, half, half, half)
ONE(acos) ONE(acosh) ONE(acospi) ONE(asin) ONE(asinh) ONE(asinpi) ONE(atan) ONE(atanh) ONE(atanpi) ONE(cbrt) ONE(ceil)
ONE(cos) ONE(cosh) ONE(cospi) ONE(erf) ONE(erfc) ONE(exp) ONE(exp2) ONE(exp10) ONE(expm1) ONE(floor) ONE(lgamma) ONE(log)
ONE(log2) ONE(log10) ONE(log1p) ONE(logb) ONE(rint) ONE(round) ONE(rsqrt) ONE(sin) ONE(sinh) ONE(sinpi) ONE(sqrt) ONE(tan)
ONE(tanh) ONE(tanpi) ONE(tgamma) ONE(trunc)
TWO(atan2) TWO(atan2pi) TWO(fdim) TWO(fmod) TWO(hypot) TWO(maxmag) TWO(minmag) TWO(pow) TWO(powr) TWO(remainder)

OVERLOAD half fabs(half x) { return __builtin_fabsf16(x); }
OVERLOAD half copysign(half x, half y) { return __builtin_copysignf16(x, y); }
OVERLOAD half fmin(half x, half y) { return __builtin_fminf16(x, y); }
OVERLOAD half fmax(half x, half y) { return __builtin_fmaxf16(x, y); }
OVERLOAD half fma(half x, half y, half z) { return __builtin_fmaf16(x, y, z); }
OVERLOAD half mad(half x, half y, half z) { return fma(x, y, z); }
MAP2(copysign, half, half, half)
MAP2(fmin, half, half, half)
MAP2(fmax, half, half, half)

/* Whole vectors, which the compiler computes two halves at a time (compiler/passes/packed.c). */
#define WHOLE_N(n, lo, hi, half) \
    OVERLOAD half##n fabs(half##n x) { return __builtin_elementwise_abs(x); } \
    OVERLOAD half##n fma(half##n x, half##n y, half##n z) { return __builtin_elementwise_fma(x, y, z); } \
    OVERLOAD half##n mad(half##n x, half##n y, half##n z) { return fma(x, y, z); }
SIZES(WHOLE_N, half)

/* The other operand is one number for all elements. */
#define ALL_N(n, lo, hi, f) OVERLOAD half##n f(half##n x, half y) { return f(x, (half##n)y); }
SIZES(ALL_N, fmin)
SIZES(ALL_N, fmax)

OVERLOAD half nan(ushort code) { return as_half((ushort)((code & 0x3ff) | 0x7e00)); }
MAP1(nan, half, ushort)

OVERLOAD half nextafter(half x, half y)
{
    short a = as_short(x), b = as_short(y);
    bool grow = (float)fabs(x) < (float)fabs(y) && (a ^ b) >= 0;
    if (isnan(x) || isnan(y)) return as_half((ushort)0x7e00);
    if (x == y) return y;
    if (x == 0) return as_half((ushort)((as_ushort(y) & 0x8000) | 1));
    return as_half((short)(grow ? a + 1 : a - 1));
}
MAP2(nextafter, half, half, half)

/* ---- math with integers ---- */

#define WITH_INT(f) \
    OVERLOAD float f(float x, int n); \
    OVERLOAD half f(half x, int n) { return (half)f((float)x, n); } \
    MAP2(f, half, half, int)
WITH_INT(ldexp) WITH_INT(pown) WITH_INT(rootn)
#define SAME_INT_N(n, lo, hi, f) OVERLOAD half##n f(half##n x, int k) { return f(x, (int##n)k); }
SIZES(SAME_INT_N, ldexp)
OVERLOAD int ilogb(float x);
OVERLOAD int ilogb(half x) { return ilogb((float)x); }
MAP1(ilogb, int, half)

/* ---- math with a second result, through a pointer ---- */

/* T is the type of the second result, B that of the function of floats. */
#define SECOND(f, T, B, AS) \
    OVERLOAD float f(float x, private B *p); \
    OVERLOAD half f(half x, AS T *p) { B b; float r = f((float)x, &b); *p = (T)b; return (half)r; } \
    SIZES(SECOND_N, f, T, AS)
#define SECOND_N(n, lo, hi, f, T, AS) \
    OVERLOAD half##n f(half##n x, AS T##n *p) \
    { \
        half##n r; \
        T##n second; \
        for (uint i = 0; i < n; i++) { T b; r[i] = f(x[i], &b); second[i] = b; } \
        *p = second; \
        return r; \
    }
#define QUOTIENT_N(n, lo, hi, AS) \
    OVERLOAD half##n remquo(half##n x, half##n y, AS int##n *p) \
    { \
        half##n r; \
        int##n second; \
        for (uint i = 0; i < n; i++) { int b; r[i] = remquo(x[i], y[i], &b); second[i] = b; } \
        *p = second; \
        return r; \
    }
OVERLOAD float remquo(float x, float y, private int *p);
OVERLOAD float fract(float x, private float *p);
#define QUOTIENT(AS) \
    OVERLOAD half remquo(half x, half y, AS int *p) { int q; float r = remquo((float)x, (float)y, &q); *p = q; return (half)r; } \
    SIZES(QUOTIENT_N, AS)
/* Below zero, the fraction may round to 1, which it must not be. */
static half fraction(half x, private half *whole)
{
    float w, f = fract((float)x, &w);
    *whole = (half)w;
    return fmin((half)f, as_half((ushort)0x3bff));
}
#define FRACT(AS) \
    OVERLOAD half fract(half x, AS half *p) { half w, f = fraction(x, &w); *p = w; return isnan(x) ? x : f; } \
    SIZES(SECOND_N, fract, half, AS)
#define POINTERS(AS) \
    SECOND(modf, half, float, AS) SECOND(sincos, half, float, AS) SECOND(frexp, int, int, AS) SECOND(lgamma_r, int, int, AS) \
    QUOTIENT(AS) FRACT(AS)
POINTERS(private) POINTERS(local) POINTERS(global)

/* ---- common ---- */

OVERLOAD float degrees(float x);
OVERLOAD float radians(float x);
OVERLOAD float sign(float x);
OVERLOAD float smoothstep(float a, float b, float x);
OVERLOAD half degrees(half x) { return (half)degrees((float)x); }
OVERLOAD half radians(half x) { return (half)radians((float)x); }
OVERLOAD half sign(half x) { return (half)sign((float)x); }
OVERLOAD half max(half x, half y) { return x < y ? y : x; }
OVERLOAD half min(half x, half y) { return y < x ? y : x; }
OVERLOAD half step(half edge, half x) { return x < edge ? 0 : 1; }
OVERLOAD half clamp(half x, half low, half high) { return fmin(fmax(x, low), high); }
OVERLOAD half mix(half x, half y, half a) { return (half)((float)x + ((float)y - (float)x) * (float)a); }
OVERLOAD half smoothstep(half a, half b, half x) { return (half)smoothstep((float)a, (float)b, (float)x); }
MAP1(degrees, half, half)
MAP1(radians, half, half)
MAP1(sign, half, half)
MAP2(max, half, half, half)
MAP2(min, half, half, half)
MAP2(step, half, half, half)
MAP3(clamp, half, half, half, half)
MAP3(mix, half, half, half, half)
MAP3(smoothstep, half, half, half, half)
SIZES(ALL_N, max)
SIZES(ALL_N, min)
#define COMMON_N(n, lo, hi, unused) \
    OVERLOAD half##n step(half edge, half##n x) { return step((half##n)edge, x); } \
    OVERLOAD half##n clamp(half##n x, half low, half high) { return clamp(x, (half##n)low, (half##n)high); } \
    OVERLOAD half##n mix(half##n x, half##n y, half a) { return mix(x, y, (half##n)a); } \
    OVERLOAD half##n smoothstep(half a, half b, half##n x) { return smoothstep((half##n)a, (half##n)b, x); }
SIZES(COMMON_N, )

/* ---- geometric ---- */

#define TO(x, T) __builtin_convertvector(x, T)

OVERLOAD float normalize(float x);
OVERLOAD half dot(half x, half y) { return x * y; }
OVERLOAD half length(half x) { return fabs(x); }
OVERLOAD half distance(half x, half y) { return fabs(x - y); }
OVERLOAD half normalize(half x) { return (half)normalize((float)x); }
#define GEOMETRIC(n) \
    OVERLOAD float dot(float##n x, float##n y); \
    OVERLOAD float length(float##n x); \
    OVERLOAD float distance(float##n x, float##n y); \
    OVERLOAD float##n normalize(float##n x); \
    OVERLOAD half dot(half##n x, half##n y) { return (half)dot(TO(x, float##n), TO(y, float##n)); } \
    OVERLOAD half length(half##n x) { return (half)length(TO(x, float##n)); } \
    OVERLOAD half distance(half##n x, half##n y) { return (half)distance(TO(x, float##n), TO(y, float##n)); } \
    OVERLOAD half##n normalize(half##n x) { return TO(normalize(TO(x, float##n)), half##n); }
GEOMETRIC(2) GEOMETRIC(3) GEOMETRIC(4)
#define CROSS(n) \
    OVERLOAD float##n cross(float##n x, float##n y); \
    OVERLOAD half##n cross(half##n x, half##n y) { return TO(cross(TO(x, float##n), TO(y, float##n)), half##n); }
CROSS(3) CROSS(4)

/* ---- relational: an int of a scalar, shorts of a vector, where -1 is true ---- */

#define TEST1_N(n, lo, hi, f) \
    OVERLOAD short##n f(half##n x) { short##n r; for (uint i = 0; i < n; i++) r[i] = -f(x[i]); return r; }
#define TEST2_N(n, lo, hi, f) \
    OVERLOAD short##n f(half##n x, half##n y) { short##n r; for (uint i = 0; i < n; i++) r[i] = -f(x[i], y[i]); return r; }
#define TEST1(f, e) OVERLOAD int f(half x) { uint bits = as_ushort(x); return e; } SIZES(TEST1_N, f)
#define TEST2(f, e) OVERLOAD int f(half x, half y) { return e; } SIZES(TEST2_N, f)
TEST1(isnan, (bits & 0x7fff) > 0x7c00) TEST1(isinf, (bits & 0x7fff) == 0x7c00) TEST1(isfinite, (bits & 0x7fff) < 0x7c00)
TEST1(isnormal, (bits & 0x7fff) - 0x400 < 0x7800) TEST1(signbit, bits >> 15)
TEST2(isequal, x == y) TEST2(isnotequal, x != y) TEST2(isgreater, x > y) TEST2(isgreaterequal, x >= y) TEST2(isless, x < y)
TEST2(islessequal, x <= y) TEST2(islessgreater, x < y || x > y) TEST2(isordered, !isnan(x) && !isnan(y))
TEST2(isunordered, isnan(x) || isnan(y))

OVERLOAD half select(half a, half b, short c) { return c ? b : a; }
OVERLOAD half select(half a, half b, ushort c) { return c ? b : a; }
OVERLOAD half bitselect(half a, half b, half c)
{
    return as_half((ushort)((as_ushort(a) & ~as_ushort(c)) | (as_ushort(b) & as_ushort(c))));
}
/* Of a vector, the highest bit of an element chooses. */
#define CHOICE_N(n, lo, hi, unused) \
    OVERLOAD half##n bitselect(half##n a, half##n b, half##n c) \
    { return as_half##n((as_ushort##n(a) & ~as_ushort##n(c)) | (as_ushort##n(b) & as_ushort##n(c))); } \
    OVERLOAD half##n select(half##n a, half##n b, short##n c) { return bitselect(a, b, as_half##n(c >> (short)15)); } \
    OVERLOAD half##n select(half##n a, half##n b, ushort##n c) { return select(a, b, as_short##n(c)); }
SIZES(CHOICE_N, )

/* ---- memory and vectors ---- */

/* Programs load and store vectors in memory that they use as another type, too, as they may with the vectors of the other
 * types, whose accesses alias everything. */
typedef half __attribute__((may_alias)) any_half;

#define LOAD_N(n, lo, hi, AS) \
    OVERLOAD half##n vload##n(size_t at, const AS half *p) \
    { half##n v; for (uint i = 0; i < n; i++) v[i] = ((const AS any_half *)p)[at * n + i]; return v; }
#define STORE_N(n, lo, hi, AS) \
    OVERLOAD void vstore##n(half##n v, size_t at, AS half *p) \
    { for (uint i = 0; i < n; i++) ((AS any_half *)p)[at * n + i] = v[i]; }
SIZES(LOAD_N, private) SIZES(LOAD_N, local) SIZES(LOAD_N, global) SIZES(LOAD_N, constant)
SIZES(STORE_N, private) SIZES(STORE_N, local) SIZES(STORE_N, global)

#define SHUFFLES(n, m) \
    OVERLOAD half##n shuffle(half##m x, ushort##n mask) \
    { half##n r; for (uint i = 0; i < n; i++) r[i] = x[mask[i] & (m - 1)]; return r; } \
    OVERLOAD half##n shuffle2(half##m x, half##m y, ushort##n mask) \
    { half##n r; for (uint i = 0; i < n; i++) r[i] = mask[i] & m ? y[mask[i] & (m - 1)] : x[mask[i] & (m - 1)]; return r; }
#define SHUFFLES_TO(n) SHUFFLES(n, 2) SHUFFLES(n, 4) SHUFFLES(n, 8) SHUFFLES(n, 16)
SHUFFLES_TO(2) SHUFFLES_TO(4) SHUFFLES_TO(8) SHUFFLES_TO(16)
