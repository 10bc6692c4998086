/* What the files of the library share: the primitives and how overloads are written. */
#ifndef VENTUS_LIBRARY_H
#define VENTUS_LIBRARY_H

#include "isa/abi.h"

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define OVERLOAD __attribute__((overloadable))
#define PURE     __attribute__((const))

/* docs/architecture.md, "Primitives between library and back end". __ventus_meta(n), the word at byte n of the
 * metadata block, is one known to prepare.c alone: it becomes a load, or a constant where reqd_work_group_size
 * fixes the value. */
uint __ventus_lane(void) PURE;
uint __ventus_csr(uint n) PURE;
uint __ventus_meta(uint offset) PURE;
uint __ventus_shared(void) PURE;
void __ventus_barrier(uint immediate);
void __ventus_barrier_sub(uint immediate);

/* A register that others than the program change: writes it, reads it at this place. */
void __ventus_csr_swap(uint n, uint value);
uint __ventus_csr_poll(uint n);

/* The machine's special functions. */
float __ventus_exp(float x) PURE;
float __ventus_ex2(float x) PURE;
float __ventus_lg2(float x) PURE;
float __ventus_rcp(float x) PURE;
float __ventus_rsqrt(float x) PURE;
float __ventus_sin(float x) PURE;
float __ventus_cos(float x) PURE;

/* The machine's conversions, which saturate: to nearest even, and towards zero. A NaN becomes the largest number. */
int __ventus_nearest_int(float x) PURE;
uint __ventus_nearest_uint(float x) PURE;
int __ventus_cut_int(float x) PURE;
uint __ventus_cut_uint(float x) PURE;

/* What the lanes of a warp have: x of the lane `distance` further on, modulo 2^32, the own one where there is none; the
 * bits of all active lanes, with the help of a word of local memory. */
uint __ventus_shuffle(uint x, uint distance);
uint __ventus_vote(uint place, uint bits);

/* Where one lane runs alone: words of that lane as scalars, and the instructions of the same names on them. */
uint __ventus_first(uint value);
uint __ventus_lr(uint address);
uint __ventus_sc(uint address, uint value);
uint __ventus_amoswap(uint address, uint value);
uint __ventus_amoadd(uint address, uint value);
uint __ventus_amoand(uint address, uint value);
uint __ventus_amoor(uint address, uint value);
uint __ventus_amoxor(uint address, uint value);
uint __ventus_amomax(uint address, uint value);
uint __ventus_amomin(uint address, uint value);
uint __ventus_amomaxu(uint address, uint value);
uint __ventus_amominu(uint address, uint value);

/* The active lanes, one after the other, in ascending order. */
#define EACH_LANE \
    for (uint lane = 0, lanes = __ventus_csr(CSR_NUMT); lane < lanes; lane++) \
        if (__ventus_lane() == lane)

/* Either barrier, for `flags` of its function. The immediate is a constant: bits 0 to 2 are the flags as OpenCL has
 * them, bits 3 and 4 the scope. */
#define MEET(barrier, scope) \
    switch (flags & 7) { \
    case 0: barrier((scope) << 3); break; \
    case 1: barrier((scope) << 3 | 1); break; \
    case 2: barrier((scope) << 3 | 2); break; \
    case 3: barrier((scope) << 3 | 3); break; \
    case 4: barrier((scope) << 3 | 4); break; \
    case 5: barrier((scope) << 3 | 5); break; \
    case 6: barrier((scope) << 3 | 6); break; \
    default: barrier((scope) << 3 | 7); \
    }

/* A warp's place for values that its lanes, or warps, exchange: ABI_WARP_SCRATCH. */
static inline uint places_of(uint warp) { return __ventus_csr(CSR_LDS) + warp * ABI_WARP_STACK + ABI_WARP_SCRATCH; }

#define SUM(a, b)      ((a) + (b))
#define LEAST(a, b)    ((b) < (a) ? (b) : (a))
#define GREATEST(a, b) ((a) < (b) ? (b) : (a))

/* F(T, LOWEST, HIGHEST) for the types that whole groups reduce: the bounds are what min and max begin with. */
#define WIDE_INTEGERS(F) \
    F(int, INT_MIN, INT_MAX) F(uint, 0, UINT_MAX) F(long, LONG_MIN, LONG_MAX) F(ulong, 0, ULONG_MAX)
#define FLOATS(F) F(half, -INFINITY, INFINITY) F(float, -INFINITY, INFINITY) F(double, -INFINITY, INFINITY)

static inline uint group_items(void) { return get_local_size(0) * get_local_size(1) * get_local_size(2); }

#define FENCE() __atomic_thread_fence(__ATOMIC_SEQ_CST)

/* F(type, n) for the vectors of a type. */
#define VECTORS(F, T) F(T##2, 2) F(T##3, 3) F(T##4, 4) F(T##8, 8) F(T##16, 16)

/* The vector forms of a function of one, two or three arguments (types R f(A), R f(A, B), R f(A, B, C)), element by
 * element. */
#define MAP1_N(n, lo, hi, f, R, A) \
    OVERLOAD R##n f(A##n a) { return (R##n)(f(a.lo), f(a.hi)); }
#define MAP2_N(n, lo, hi, f, R, A, B) \
    OVERLOAD R##n f(A##n a, B##n b) { return (R##n)(f(a.lo, b.lo), f(a.hi, b.hi)); }
#define MAP3_N(n, lo, hi, f, R, A, B, C) \
    OVERLOAD R##n f(A##n a, B##n b, C##n c) { return (R##n)(f(a.lo, b.lo, c.lo), f(a.hi, b.hi, c.hi)); }
#define SIZES(M, ...) \
    M(2, lo, hi, __VA_ARGS__) \
    M(3, xy, z, __VA_ARGS__) M(4, lo, hi, __VA_ARGS__) M(8, lo, hi, __VA_ARGS__) M(16, lo, hi, __VA_ARGS__)
#define MAP1(f, R, A)       SIZES(MAP1_N, f, R, A)
#define MAP2(f, R, A, B)    SIZES(MAP2_N, f, R, A, B)
#define MAP3(f, R, A, B, C) SIZES(MAP3_N, f, R, A, B, C)

/* The vector forms of sincos for a real type T. By halves: a loop over elements would read those that are not written
 * yet. Those of private pointers come first, because the others use them. */
#define SINCOS_N(n, lo, hi, T, AS) \
    OVERLOAD T##n sincos(T##n x, AS T##n *cosine) \
    { \
        __typeof__(x.lo) low; \
        __typeof__(x.hi) high; \
        T##n sine = (T##n)(sincos(x.lo, &low), sincos(x.hi, &high)); \
        *cosine = (T##n)(low, high); \
        return sine; \
    }

/* The vector forms of a conversion from A to T, MODE with its underscores, element by element. */
#define CONVERSION_N(n, lo, hi, T, MODE, A) \
    OVERLOAD T##n convert_##T##n##MODE(A##n a) \
    { \
        T##n r; \
        for (uint i = 0; i < n; i++) r[i] = convert_##T##MODE(a[i]); \
        return r; \
    }

/* Bits of the half that is nearest to x, and of the one next to it: towards zero or away from it, up or down. R is a
 * type that holds all halves. */
#define NEAREST_HALF(x) as_ushort((half)(x))
#define HALVES_NEAR(R) \
    static OVERLOAD ushort half_inside(R x) \
    { \
        half h = (half)x; \
        return as_ushort(h) - (fabs((R)h) > fabs(x)); \
    } \
    static OVERLOAD ushort half_outside(R x) \
    { \
        half h = (half)x; \
        return as_ushort(h) + (fabs((R)h) < fabs(x)); \
    } \
    static OVERLOAD ushort half_up(R x) { return signbit(x) ? half_inside(x) : half_outside(x); } \
    static OVERLOAD ushort half_down(R x) { return signbit(x) ? half_outside(x) : half_inside(x); }

/* The stores of type R as halves that end in SUFFIX (rounding); BITS makes a half's bits. */
#define STORE_HALF(R, SUFFIX, BITS, AS) \
    OVERLOAD void vstore_half##SUFFIX(R x, size_t at, AS half *p) { *((AS ushort *)p + at) = BITS(x); } \
    STORE_HALVES(2, 2, R, SUFFIX, BITS, AS) \
    STORE_HALVES(3, 4, R, SUFFIX, BITS, AS) \
    STORE_HALVES(4, 4, R, SUFFIX, BITS, AS) \
    STORE_HALVES(8, 8, R, SUFFIX, BITS, AS) STORE_HALVES(16, 16, R, SUFFIX, BITS, AS)
#define STORE_HALVES(N, STRIDE, R, SUFFIX, BITS, AS) \
    OVERLOAD void vstore_half##N##SUFFIX(R##N v, size_t at, AS half *p) \
    { \
        for (uint i = 0; i < N; i++) *((AS ushort *)p + at * N + i) = BITS(v[i]); \
    } \
    OVERLOAD void vstorea_half##N##SUFFIX(R##N v, size_t at, AS half *p) \
    { \
        for (uint i = 0; i < N; i++) *((AS ushort *)p + at * STRIDE + i) = BITS(v[i]); \
    }

#endif
