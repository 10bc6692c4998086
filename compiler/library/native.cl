/* Built-in functions that libclc lacks or that depend on the machine, over the primitives of
 * docs/architecture.md. Definitions here replace libclc's of the same name. Every function is
 * inlined into its caller, so nothing here may be recursive. Compiled by build.sh as OpenCL C 3.0.
 *
 * __ventus_meta(n), the word at byte n of the metadata block, is a fifth primitive known to prepare.c alone: it
 * becomes a load, or a constant where reqd_work_group_size fixes the value. */

#include "isa/abi.h"

#define OVERLOAD __attribute__((overloadable))
#define PURE __attribute__((const))

uint __ventus_lane(void) PURE;
uint __ventus_csr(uint n) PURE;
uint __ventus_meta(uint offset) PURE;
uint __ventus_shared(void) PURE;
void __ventus_barrier(uint flags);

/* ---- work-items ---- */

OVERLOAD size_t get_local_linear_id(void) { return __ventus_lane() + __ventus_csr(CSR_TID); }
OVERLOAD uint get_work_dim(void) { return __ventus_meta(ABI_META_WORK_DIM); }

/* Reading by a constant number keeps the words uniform and known to reqd_work_group_size. */
static uint word3(uint dim, uint a, uint b, uint c) { return dim == 0 ? a : dim == 1 ? b : c; }
static uint meta3(uint first, uint dim) { return word3(dim, __ventus_meta(first), __ventus_meta(first + 4), __ventus_meta(first + 8)); }

OVERLOAD size_t get_local_size(uint dim) { return dim < 3 ? meta3(ABI_META_LOCAL_SIZE, dim) : 1; }
OVERLOAD size_t get_enqueued_local_size(uint dim) { return get_local_size(dim); }
OVERLOAD size_t get_global_size(uint dim) { return dim < 3 ? meta3(ABI_META_GLOBAL_SIZE, dim) : 1; }
OVERLOAD size_t get_global_offset(uint dim) { return dim < 3 ? meta3(ABI_META_GLOBAL_OFFSET, dim) : 0; }

OVERLOAD size_t get_group_id(uint dim)
{
    return dim < 3 ? word3(dim, __ventus_csr(CSR_GIDX), __ventus_csr(CSR_GIDY), __ventus_csr(CSR_GIDZ)) : 0;
}

OVERLOAD size_t get_num_groups(uint dim)
{
    if (dim >= 3) return 1;
    uint local_size = get_local_size(dim);
    return (get_global_size(dim) + local_size - 1) / local_size;
}

/* Without a case for one-dimensional groups: a branch would cost as much as the division it saves,
 * and keep repeated calls from being merged. */
static uint local_x(void) { return get_local_linear_id() % __ventus_meta(ABI_META_LOCAL_SIZE); }
static uint local_y(void) { return get_local_linear_id() / __ventus_meta(ABI_META_LOCAL_SIZE) % __ventus_meta(ABI_META_LOCAL_SIZE + 4); }
static uint local_z(void) { return get_local_linear_id() / (__ventus_meta(ABI_META_LOCAL_SIZE) * __ventus_meta(ABI_META_LOCAL_SIZE + 4)); }

OVERLOAD size_t get_local_id(uint dim)
{
    switch (dim) {
    case 0: return local_x();
    case 1: return local_y();
    case 2: return local_z();
    default: return 0;
    }
}

OVERLOAD size_t get_global_id(uint dim)
{
    if (dim >= 3) return 0;
    return get_group_id(dim) * get_local_size(dim) + get_local_id(dim) + get_global_offset(dim);
}

OVERLOAD size_t get_global_linear_id(void)
{
    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1),
           z = get_global_id(2) - get_global_offset(2);
    return (z * get_global_size(1) + y) * get_global_size(0) + x;
}

static uint group_items(void) { return get_local_size(0) * get_local_size(1) * get_local_size(2); }

/* ---- synchronisation ---- */

#define FENCE() __atomic_thread_fence(__ATOMIC_SEQ_CST)

OVERLOAD void barrier(cl_mem_fence_flags flags)
{
    if (flags == CLK_LOCAL_MEM_FENCE) __ventus_barrier(1);
    else if (flags == CLK_GLOBAL_MEM_FENCE) __ventus_barrier(2);
    else __ventus_barrier(3);
}
OVERLOAD void work_group_barrier(cl_mem_fence_flags flags) { barrier(flags); }
OVERLOAD void work_group_barrier(cl_mem_fence_flags flags, memory_scope scope) { (void)scope; barrier(flags); }
OVERLOAD void mem_fence(cl_mem_fence_flags flags) { (void)flags; FENCE(); }
OVERLOAD void read_mem_fence(cl_mem_fence_flags flags) { (void)flags; FENCE(); }
OVERLOAD void write_mem_fence(cl_mem_fence_flags flags) { (void)flags; FENCE(); }
OVERLOAD void atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope)
{
    (void)flags;
    (void)order;
    (void)scope;
    FENCE();
}

/* ---- copies by the whole group ---- */

#define COPY(T, TO, FROM) \
    OVERLOAD event_t async_work_group_copy(TO T *to, const FROM T *from, size_t n, event_t event) \
    { \
        for (uint i = get_local_linear_id(); i < n; i += group_items()) to[i] = from[i]; \
        return event; \
    }
#define STRIDED(T) \
    OVERLOAD event_t async_work_group_strided_copy(__local T *to, const __global T *from, size_t n, size_t stride, event_t event) \
    { \
        for (uint i = get_local_linear_id(); i < n; i += group_items()) to[i] = from[i * stride]; \
        return event; \
    } \
    OVERLOAD event_t async_work_group_strided_copy(__global T *to, const __local T *from, size_t n, size_t stride, event_t event) \
    { \
        for (uint i = get_local_linear_id(); i < n; i += group_items()) to[i * stride] = from[i]; \
        return event; \
    }
#define PREFETCH(T) OVERLOAD void prefetch(const __global T *p, size_t n) { (void)p; (void)n; }
#define MOVES(T) COPY(T, __local, __global) COPY(T, __global, __local) STRIDED(T) PREFETCH(T)
#define MOVES_ALL(T) MOVES(T) MOVES(T##2) MOVES(T##3) MOVES(T##4) MOVES(T##8) MOVES(T##16)
MOVES_ALL(char) MOVES_ALL(uchar) MOVES_ALL(short) MOVES_ALL(ushort) MOVES_ALL(int) MOVES_ALL(uint)
MOVES_ALL(long) MOVES_ALL(ulong) MOVES_ALL(float)

/* All copies are complete when the group has met. clang gives the built-in a generic pointer even
 * where the language has no generic address space; 4 is its number. */
OVERLOAD void wait_group_events(int n, __attribute__((address_space(4))) event_t *events)
{
    (void)n;
    (void)events;
    __ventus_barrier(3);
}

/* ---- integers ---- */

#define VECTORS(F, T) F(T##2, 2) F(T##3, 3) F(T##4, 4) F(T##8, 8) F(T##16, 16)

#define MAD_HI(T) OVERLOAD T mad_hi(T a, T b, T c) { return mul_hi(a, b) + c; }
#define MAD_HI_N(T, n) MAD_HI(T)
#define MAD_HI_ALL(T) MAD_HI(T) VECTORS(MAD_HI_N, T)
MAD_HI_ALL(char) MAD_HI_ALL(uchar) MAD_HI_ALL(short) MAD_HI_ALL(ushort)
MAD_HI_ALL(int) MAD_HI_ALL(uint) MAD_HI_ALL(long) MAD_HI_ALL(ulong)

/* The bits below the lowest set one: x ^ (x - 1) is 2^(ctz+1) - 1, and 0 gives all bits, so the
 * count is the width for 0, as 3.0 asks. */
#define CTZ(T) OVERLOAD T ctz(T x) { return popcount((T)(~x & (x - (T)1))); }
#define CTZ_N(T, n) CTZ(T)
#define CTZ_ALL(T) CTZ(T) VECTORS(CTZ_N, T)
CTZ_ALL(char) CTZ_ALL(uchar) CTZ_ALL(short) CTZ_ALL(ushort) CTZ_ALL(int) CTZ_ALL(uint) CTZ_ALL(long) CTZ_ALL(ulong)

/* ---- functions libclc gets wrong ---- */

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
OVERLOAD float2 tgamma(float2 x) { return (float2)(tgamma(x.x), tgamma(x.y)); }
OVERLOAD float3 tgamma(float3 x) { return (float3)(tgamma(x.xy), tgamma(x.z)); }
OVERLOAD float4 tgamma(float4 x) { return (float4)(tgamma(x.lo), tgamma(x.hi)); }
OVERLOAD float8 tgamma(float8 x) { return (float8)(tgamma(x.lo), tgamma(x.hi)); }
OVERLOAD float16 tgamma(float16 x) { return (float16)(tgamma(x.lo), tgamma(x.hi)); }

/* ---- C11 atomics ---- */

/* Over the __sync functions, which become single instructions; the C11 builtins of clang would call a
 * run-time library, because SPIR promises no lock-free atomics. An aligned word is loaded and stored
 * in one piece. Orders beyond relaxed fence on both sides. */
#define ORDERED(o) if ((o) != memory_order_relaxed) FENCE()
#define EXPAND(...) __VA_ARGS__
#define FORMS(R, NAME, PARAMS, ARGS) \
    OVERLOAD R NAME PARAMS { return NAME##_explicit(EXPAND ARGS, memory_order_seq_cst, memory_scope_device); } \
    OVERLOAD R NAME##_explicit(EXPAND PARAMS, memory_order o) { return NAME##_explicit(EXPAND ARGS, o, memory_scope_device); }
#define CELL(AS, T, p) ((volatile AS T *)(p))

/* A: atomic type, T: its value, B: integer with T's bits, TO/FROM: T <-> B */
#define ATOMIC_CELL(AS, A, T, B, TO, FROM) \
    OVERLOAD void atomic_init(volatile AS A *p, T v) { *CELL(AS, B, p) = TO(v); } \
    OVERLOAD void atomic_store_explicit(volatile AS A *p, T v, memory_order o, memory_scope s) \
    { (void)s; ORDERED(o); *CELL(AS, B, p) = TO(v); ORDERED(o); } \
    FORMS(void, atomic_store, (volatile AS A *p, T v), (p, v)) \
    OVERLOAD T atomic_load_explicit(volatile AS A *p, memory_order o, memory_scope s) \
    { (void)s; ORDERED(o); B v = *CELL(AS, B, p); ORDERED(o); return FROM(v); } \
    FORMS(T, atomic_load, (volatile AS A *p), (p)) \
    OVERLOAD T atomic_exchange_explicit(volatile AS A *p, T v, memory_order o, memory_scope s) \
    { (void)s; (void)o; return FROM(__sync_swap(CELL(AS, B, p), TO(v))); } \
    FORMS(T, atomic_exchange, (volatile AS A *p, T v), (p, v)) \
    ATOMIC_CAS_ALL(AS, A, T, B, TO, FROM, __private) ATOMIC_CAS_ALL(AS, A, T, B, TO, FROM, __local) \
    ATOMIC_CAS_ALL(AS, A, T, B, TO, FROM, __global)
#define ATOMIC_CAS(AS, A, T, B, TO, FROM, E, NAME) \
    OVERLOAD bool NAME##_explicit(volatile AS A *p, E T *e, T d, memory_order a, memory_order b, memory_scope s) \
    { \
        (void)a; (void)b; (void)s; \
        B want = TO(*e), old = __sync_val_compare_and_swap(CELL(AS, B, p), want, TO(d)); \
        if (old != want) *e = FROM(old); \
        return old == want; \
    } \
    OVERLOAD bool NAME##_explicit(volatile AS A *p, E T *e, T d, memory_order a, memory_order b) \
    { return NAME##_explicit(p, e, d, a, b, memory_scope_device); } \
    OVERLOAD bool NAME(volatile AS A *p, E T *e, T d) \
    { return NAME##_explicit(p, e, d, memory_order_seq_cst, memory_order_seq_cst, memory_scope_device); }
#define ATOMIC_CAS_ALL(AS, A, T, B, TO, FROM, E) \
    ATOMIC_CAS(AS, A, T, B, TO, FROM, E, atomic_compare_exchange_strong) \
    ATOMIC_CAS(AS, A, T, B, TO, FROM, E, atomic_compare_exchange_weak)
#define ATOMIC_FETCH(AS, A, T, NAME, SYNC) \
    OVERLOAD T NAME##_explicit(volatile AS A *p, T v, memory_order o, memory_scope s) \
    { (void)o; (void)s; return SYNC(CELL(AS, T, p), v); } \
    FORMS(T, NAME, (volatile AS A *p, T v), (p, v))
#define ATOMIC_INT(AS, A, T, MIN, MAX) \
    ATOMIC_CELL(AS, A, T, T, , ) \
    ATOMIC_FETCH(AS, A, T, atomic_fetch_add, __sync_fetch_and_add) ATOMIC_FETCH(AS, A, T, atomic_fetch_sub, __sync_fetch_and_sub) \
    ATOMIC_FETCH(AS, A, T, atomic_fetch_or, __sync_fetch_and_or) ATOMIC_FETCH(AS, A, T, atomic_fetch_xor, __sync_fetch_and_xor) \
    ATOMIC_FETCH(AS, A, T, atomic_fetch_and, __sync_fetch_and_and) \
    ATOMIC_FETCH(AS, A, T, atomic_fetch_min, MIN) ATOMIC_FETCH(AS, A, T, atomic_fetch_max, MAX)
#define ATOMIC_FLAG(AS) \
    OVERLOAD bool atomic_flag_test_and_set_explicit(volatile AS atomic_flag *p, memory_order o, memory_scope s) \
    { (void)o; (void)s; return __sync_swap(CELL(AS, int, p), 1); } \
    FORMS(bool, atomic_flag_test_and_set, (volatile AS atomic_flag *p), (p)) \
    OVERLOAD void atomic_flag_clear_explicit(volatile AS atomic_flag *p, memory_order o, memory_scope s) \
    { (void)s; ORDERED(o); *CELL(AS, int, p) = 0; ORDERED(o); } \
    FORMS(void, atomic_flag_clear, (volatile AS atomic_flag *p), (p))
#define ATOMICS(AS) \
    ATOMIC_INT(AS, atomic_int, int, __sync_fetch_and_min, __sync_fetch_and_max) \
    ATOMIC_INT(AS, atomic_uint, uint, __sync_fetch_and_umin, __sync_fetch_and_umax) \
    ATOMIC_CELL(AS, atomic_float, float, uint, as_uint, as_float) \
    ATOMIC_FLAG(AS)
ATOMICS(__global) ATOMICS(__local)

/* ---- constructs without a machine form: lower.c replaces them by calls of these ---- */

/* Remainder below, quotient returned. Shift and subtract, starting at the highest set bit. */
static ulong divide(ulong a, ulong b, __private ulong *rest)
{
    uint high = a >> 32, low_b = b;
    if ((high | (uint)(b >> 32)) == 0 && low_b) {
        *rest = (uint)a % low_b;
        return (uint)a / low_b;
    }
    ulong quotient = 0, r = 0;
    for (int i = 0; i < 64; i++) {
        r = r << 1 | a >> 63;
        a <<= 1;
        quotient <<= 1;
        if (r >= b) {
            r -= b;
            quotient |= 1;
        }
    }
    *rest = r;
    return quotient;
}

static ulong magnitude(long a) { return a < 0 ? 0 - (ulong)a : (ulong)a; }

ulong __ventus_udiv64(ulong a, ulong b) { ulong r; return divide(a, b, &r); }
ulong __ventus_urem64(ulong a, ulong b) { ulong r; divide(a, b, &r); return r; }

long __ventus_sdiv64(long a, long b)
{
    ulong r, q = divide(magnitude(a), magnitude(b), &r);
    return (a ^ b) < 0 ? 0 - q : q;
}

long __ventus_srem64(long a, long b)
{
    ulong r;
    divide(magnitude(a), magnitude(b), &r);
    return a < 0 ? 0 - r : r;
}

/* 64-bit integer to float, one rounding: the bits below the 24 kept ones go into a sticky bit. */
float __ventus_utof64(ulong x)
{
    uint zeros = clz(x);
    if (zeros >= 32) return (float)(uint)x;
    ulong top = x << zeros;                       /* highest bit is bit 63 */
    uint bits = (uint)(top >> 32) | ((uint)top != 0);
    return (float)bits * as_float((127u + 32 - zeros) << 23); /* exact: a power of two */
}
float __ventus_stof64(long x)
{
    float f = __ventus_utof64(magnitude(x));
    return x < 0 ? -f : f;
}

/* Towards zero; out of range the value does not matter, but must be some value. */
ulong __ventus_ftou64(float f)
{
    uint bits = as_uint(f), mantissa = (bits & 0x7fffff) | 0x800000;
    int shift = (int)(bits >> 23 & 255) - 150;
    if (shift < -23) return 0;
    if (shift < 0) return mantissa >> -shift;
    return shift < 41 ? (ulong)mantissa << shift : ~0ul;
}
long __ventus_ftos64(float f)
{
    ulong m = __ventus_ftou64(fabs(f));
    return as_int(f) < 0 ? 0 - m : m;
}

ulong __ventus_ftou64_sat(float f) { return isnan(f) || f < 0 ? 0 : __ventus_ftou64(f); }
long __ventus_ftos64_sat(float f)
{
    if (isnan(f)) return 0;
    return f >= 0x1p63f ? LONG_MAX : f < -0x1p63f ? LONG_MIN : __ventus_ftos64(f);
}

/* IEEE half <-> float on bit patterns. */
float __ventus_half_to_float(ushort h)
{
    uint sign = (uint)(h & 0x8000) << 16, magn = h & 0x7fff;
    float f = as_float(magn << 13) * 0x1p112f; /* the scaling also normalises subnormals */
    return as_float(sign | select(as_uint(f), magn << 13 | 0x7f800000, magn >= 0x7c00));
}

ushort __ventus_float_to_half(float f)
{
    uint bits = as_uint(f), sign = bits >> 16 & 0x8000, magn = bits & 0x7fffffff;
    uint normal = (magn + 0xfff + (magn >> 13 & 1) - 0x38000000) >> 13;     /* to nearest even */
    uint small = as_uint(as_float(magn) + 0.5f) - as_uint(0.5f);            /* the addition rounds */
    uint half_bits = select(normal, small, magn < 0x38800000);
    half_bits = select(half_bits, 0x7c00u, magn >= 0x477ff000);             /* rounds to infinity */
    half_bits = select(half_bits, 0x7e00u | (magn >> 13 & 0x3ff), magn > 0x7f800000);
    return sign | half_bits;
}

/* Stores of halves rounded up or down: libclc's lose what is nearer to zero than to the smallest half.
 * The nearest half that is not below f, as a float; down is up of the negated. */
static float half_up(float f)
{
    ushort h = __ventus_float_to_half(f);
    return __ventus_half_to_float(__ventus_half_to_float(h) < f ? (h & 0x8000 ? h - 1 : h + 1) : h);
}
static float half_down(float f) { return -half_up(-f); }

#define STORE_HALF(MODE, ROUND, AS) \
    OVERLOAD void vstore_half_##MODE(float f, size_t at, AS half *p) { __builtin_store_halff(ROUND(f), p + at); } \
    STORE_HALVES(2, 2, MODE, AS) STORE_HALVES(3, 4, MODE, AS) STORE_HALVES(4, 4, MODE, AS) \
    STORE_HALVES(8, 8, MODE, AS) STORE_HALVES(16, 16, MODE, AS)
#define STORE_HALVES(N, STRIDE, MODE, AS) \
    OVERLOAD void vstore_half##N##_##MODE(float##N v, size_t at, AS half *p) { \
        for (uint i = 0; i < N; i++) vstore_half_##MODE(v[i], at * N + i, p); } \
    OVERLOAD void vstorea_half##N##_##MODE(float##N v, size_t at, AS half *p) { \
        for (uint i = 0; i < N; i++) vstore_half_##MODE(v[i], at * STRIDE + i, p); }
STORE_HALF(rtp, half_up, global) STORE_HALF(rtp, half_up, local) STORE_HALF(rtp, half_up, private)
STORE_HALF(rtn, half_down, global) STORE_HALF(rtn, half_down, local) STORE_HALF(rtn, half_down, private)

/* Rounding to an integral value. Floats of 2^23 and above are integral; the sign of zero stays.
 * select() rather than ?: everywhere, because a divergent branch costs more than both values. */
static float with_sign(uint magnitude_bits, float f) { return as_float(magnitude_bits | (as_uint(f) & 0x80000000)); }
static int is_small(float f) { return (as_uint(f) & 0x7fffffff) < 0x4b000000; }

float __ventus_trunc(float f)
{
    return select(f, with_sign(as_uint(fabs((float)(int)f)), f), is_small(f));
}
float __ventus_rint(float f)
{
    float magn = as_float(as_uint(f) & 0x7fffffff);
    return select(f, with_sign(as_uint((magn + 0x1p23f) - 0x1p23f), f), is_small(f));
}
float __ventus_floor(float f)
{
    float t = __ventus_trunc(f);
    return select(t, t - 1.0f, t > f);
}
float __ventus_ceil(float f)
{
    float t = __ventus_trunc(f);
    return select(t, with_sign(as_uint(fabs(t + 1.0f)), f), t < f);
}
float __ventus_round(float f)
{
    float t = __ventus_trunc(f), rest = fabs(f - t);
    return select(t, t + with_sign(as_uint(1.0f), f), is_small(f) & (rest >= 0.5f));
}
float __ventus_frem(float a, float b) { return fmod(a, b); }

/* Moves whose size or content the compiler does not know; align 4 and multiples of 4 by words. */
#define MEMCPY(D, S, DA, SA) \
    void __ventus_memcpy_##D##S(DA uchar *to, const SA uchar *from, uint n) \
    { \
        if ((((uint)to | (uint)from | n) & 3) == 0) \
            for (uint i = 0; i < n; i += 4) *(DA uint *)(to + i) = *(const SA uint *)(from + i); \
        else \
            for (uint i = 0; i < n; i++) to[i] = from[i]; \
    }
#define MEMMOVE(D, S, DA, SA) \
    void __ventus_memmove_##D##S(DA uchar *to, const SA uchar *from, uint n) \
    { \
        if ((uint)to <= (uint)from) \
            for (uint i = 0; i < n; i++) to[i] = from[i]; \
        else \
            for (uint i = n; i > 0; i--) to[i - 1] = from[i - 1]; \
    }
#define MEMSET(D, DA) \
    void __ventus_memset_##D(DA uchar *to, uchar value, uint n) { for (uint i = 0; i < n; i++) to[i] = value; }
#define MEM(D, DA) \
    MEMCPY(D, 0, DA, __private) MEMCPY(D, 1, DA, __global) MEMCPY(D, 2, DA, __constant) MEMCPY(D, 3, DA, __local) \
    MEMMOVE(D, 0, DA, __private) MEMMOVE(D, 1, DA, __global) MEMMOVE(D, 2, DA, __constant) MEMMOVE(D, 3, DA, __local) \
    MEMSET(D, DA)
MEM(0, __private) MEM(1, __global) MEM(3, __local)

/* ---- printf: a record of isa/abi.h; print.c packs the arguments ---- */

int __ventus_print(uint format, uint nwords, const __private uint *words)
{
    uint size = __ventus_meta(ABI_META_PRINT_SIZE), bytes = (nwords + 2) * 4;
    __global uint *buffer = (__global uint *)__ventus_meta(ABI_META_PRINT_ADDR);
    if (!buffer || size < ABI_PRINT_HEADER) return -1;
    uint at = __sync_fetch_and_add((volatile __global uint *)buffer, bytes);
    if (at > size || bytes > size - at) return -1;
    __global uint *record = buffer + at / 4;
    record[0] = bytes;
    record[1] = format;
    for (uint i = 0; i < nwords; i++) record[i + 2] = words[i];
    return 0;
}
