/* OpenCL C for the host: lets clang compile a test kernel, unchanged, for the machine the test runs
 * on, so that the same text is its own reference. Included before a case by host.c, never by a
 * device build. Every built-in is written here from its definition in the OpenCL C specification,
 * independently of libclc; work-item functions and barrier are functions of the test program.
 * Invariant: one work-item runs at a time, so atomics need no atomicity. */
// clang-format off
#define HOST 1
#pragma OPENCL FP_CONTRACT OFF

#define OV static inline __attribute__((overloadable, always_inline))

/* ---- work-items (host.c) ---- */
uint get_work_dim(void);
size_t get_global_id(uint d), get_local_id(uint d), get_group_id(uint d), get_num_groups(uint d);
size_t get_global_size(uint d), get_local_size(uint d), get_global_offset(uint d);
void host_barrier(void);
#define barrier(flags) ((void)(flags), host_barrier())
#define mem_fence(flags) ((void)(flags))
#define read_mem_fence(flags) ((void)(flags))
#define write_mem_fence(flags) ((void)(flags))

/* ---- sub-groups: 32 items each, all of the group call together ---- */
uint host_item(void), host_items(void);
void host_share(ulong value);
ulong host_shared(uint item);
static inline uint host_first(void) { return host_item() & ~31u; }
static inline uint host_end(void) { return host_items() - host_first() < 32u ? host_items() : host_first() + 32u; }
#define get_sub_group_local_id() (host_item() & 31u)
#define get_sub_group_size() (host_end() - host_first())
#define SUB_GROUP(T, U, LO, HI) \
    SUB_GROUP_OP(T, add, 0, (T)((U)r + (U)x)) SUB_GROUP_OP(T, min, HI, x < r ? x : r) \
    SUB_GROUP_OP(T, max, LO, x > r ? x : r) \
    OV T sub_group_broadcast(T a, uint i) { return sub_group_shuffle(a, i); }
#define SUB_GROUP_OP(T, op, FIRST, EXPR) \
    OV T host_##op(T a, uint end) { T r = FIRST; host_share(a); \
        for (uint i = host_first(); i < end; i++) { T x = (T)host_shared(i); r = EXPR; } host_barrier(); return r; } \
    OV T sub_group_reduce_##op(T a) { return host_##op(a, host_end()); } \
    OV T sub_group_scan_inclusive_##op(T a) { return host_##op(a, host_item() + 1); } \
    OV T sub_group_scan_exclusive_##op(T a) { return host_##op(a, host_item()); }
#define SUB_GROUP_SHUFFLE(T) \
    OV T sub_group_shuffle(T a, uint i) { host_share((ulong)a); T r = (T)host_shared(host_first() + i); host_barrier(); return r; }

/* ARGSn(kernel, types...) follows a kernel inside #ifdef HOST: a wrapper that the test can call
 * with an array of addresses of the argument values, and the sizes of these. */
#define HOST_ARG(T, i) (*(__global __typeof__(T) *)a[i])
#define HOST_CALL(k, ...) \
    void host_##k(__global const ulong *a); \
    void host_##k(__global const ulong *a) { k(__VA_ARGS__); }
#define ARGS1(k, A) HOST_CALL(k, HOST_ARG(A, 0)) __constant uint host_size_##k[] = {sizeof(A), 0};
#define ARGS2(k, A, B) HOST_CALL(k, HOST_ARG(A, 0), HOST_ARG(B, 1)) \
    __constant uint host_size_##k[] = {sizeof(A), sizeof(B), 0};
#define ARGS3(k, A, B, C) HOST_CALL(k, HOST_ARG(A, 0), HOST_ARG(B, 1), HOST_ARG(C, 2)) \
    __constant uint host_size_##k[] = {sizeof(A), sizeof(B), sizeof(C), 0};
#define ARGS4(k, A, B, C, D) HOST_CALL(k, HOST_ARG(A, 0), HOST_ARG(B, 1), HOST_ARG(C, 2), HOST_ARG(D, 3)) \
    __constant uint host_size_##k[] = {sizeof(A), sizeof(B), sizeof(C), sizeof(D), 0};
#define ARGS5(k, A, B, C, D, E) \
    HOST_CALL(k, HOST_ARG(A, 0), HOST_ARG(B, 1), HOST_ARG(C, 2), HOST_ARG(D, 3), HOST_ARG(E, 4)) \
    __constant uint host_size_##k[] = {sizeof(A), sizeof(B), sizeof(C), sizeof(D), sizeof(E), 0};
#define ARGS6(k, A, B, C, D, E, F) \
    HOST_CALL(k, HOST_ARG(A, 0), HOST_ARG(B, 1), HOST_ARG(C, 2), HOST_ARG(D, 3), HOST_ARG(E, 4), HOST_ARG(F, 5)) \
    __constant uint host_size_##k[] = {sizeof(A), sizeof(B), sizeof(C), sizeof(D), sizeof(E), sizeof(F), 0};
#define ARGS7(k, A, B, C, D, E, F, G) \
    HOST_CALL(k, HOST_ARG(A, 0), HOST_ARG(B, 1), HOST_ARG(C, 2), HOST_ARG(D, 3), HOST_ARG(E, 4), HOST_ARG(F, 5), \
              HOST_ARG(G, 6)) \
    __constant uint host_size_##k[] = {sizeof(A), sizeof(B), sizeof(C), sizeof(D), sizeof(E), sizeof(F), sizeof(G), 0};

/* ---- lifting scalar definitions to vectors ---- */
#define EACH_N(M, ...) M(2, __VA_ARGS__) M(3, __VA_ARGS__) M(4, __VA_ARGS__) M(8, __VA_ARGS__) M(16, __VA_ARGS__)
#define LIFT1_N(N, f, R, A) OV R##N f(A##N a) { R##N r; for (int i = 0; i < N; i++) r[i] = f(a[i]); return r; }
#define LIFT2_N(N, f, R, A, B) \
    OV R##N f(A##N a, B##N b) { R##N r; for (int i = 0; i < N; i++) r[i] = f(a[i], b[i]); return r; }
#define LIFT3_N(N, f, R, A, B, C) \
    OV R##N f(A##N a, B##N b, C##N c) { R##N r; for (int i = 0; i < N; i++) r[i] = f(a[i], b[i], c[i]); return r; }
#define LIFT2S_N(N, f, T) OV T##N f(T##N a, T b) { T##N r; for (int i = 0; i < N; i++) r[i] = f(a[i], b); return r; }
#define LIFT1(f, R, A) EACH_N(LIFT1_N, f, R, A)
#define LIFT2(f, R, A, B) EACH_N(LIFT2_N, f, R, A, B)
#define LIFT3(f, R, A, B, C) EACH_N(LIFT3_N, f, R, A, B, C)
#define LIFT2S(f, T) EACH_N(LIFT2S_N, f, T)

/* T, its unsigned and signed partner, bits, a type wide enough for any product, lowest, highest. */
#define EACH_INT(M) \
    M(char, uchar, char, 8, long, -128, 127) M(uchar, uchar, char, 8, long, 0, 255) \
    M(short, ushort, short, 16, long, -32768, 32767) M(ushort, ushort, short, 16, long, 0, 65535) \
    M(int, uint, int, 32, long, INT_MIN, INT_MAX) M(uint, uint, int, 32, ulong, 0, UINT_MAX) \
    M(long, ulong, long, 64, __int128, LONG_MIN, LONG_MAX) M(ulong, ulong, long, 64, unsigned __int128, 0, ULONG_MAX)

/* ---- integer functions ---- */
#define INT_FUNCTIONS(T, U, S, W, X, LO, HI) \
    OV T min(T a, T b) { return a < b ? a : b; } LIFT2(min, T, T, T) LIFT2S(min, T) \
    OV T max(T a, T b) { return a > b ? a : b; } LIFT2(max, T, T, T) LIFT2S(max, T) \
    OV T clamp(T a, T lo, T hi) { return a < lo ? lo : a > hi ? hi : a; } LIFT3(clamp, T, T, T, T) \
    OV U abs(T a) { return a < 0 ? (U)(0 - (U)a) : (U)a; } LIFT1(abs, U, T) \
    OV U abs_diff(T a, T b) { return a > b ? (U)((U)a - (U)b) : (U)((U)b - (U)a); } LIFT2(abs_diff, U, T, T) \
    OV T add_sat(T a, T b) { __int128 s = (__int128)a + b; return s < LO ? (T)LO : s > HI ? (T)HI : (T)s; } LIFT2(add_sat, T, T, T) \
    OV T sub_sat(T a, T b) { __int128 s = (__int128)a - b; return s < LO ? (T)LO : s > HI ? (T)HI : (T)s; } LIFT2(sub_sat, T, T, T) \
    OV T hadd(T a, T b) { return (T)(((__int128)a + b) >> 1); } LIFT2(hadd, T, T, T) \
    OV T rhadd(T a, T b) { return (T)(((__int128)a + b + 1) >> 1); } LIFT2(rhadd, T, T, T) \
    OV T mul_hi(T a, T b) { return (T)(((X)a * (X)b) >> W); } LIFT2(mul_hi, T, T, T) \
    OV T mad_hi(T a, T b, T c) { return (T)((U)mul_hi(a, b) + (U)c); } LIFT3(mad_hi, T, T, T, T) \
    OV T mad_sat(T a, T b, T c) { X p = (X)a * (X)b; \
        if ((T)-1 < (T)0) { __int128 s = (__int128)p + c; return s < LO ? (T)LO : s > HI ? (T)HI : (T)s; } \
        unsigned __int128 s = (unsigned __int128)p + (U)c; return s > (unsigned __int128)(U)HI ? (T)HI : (T)s; } LIFT3(mad_sat, T, T, T, T) \
    OV T rotate(T a, T b) { uint n = (uint)b & (W - 1); return n ? (T)((U)a << n | (U)((U)a >> (W - n))) : a; } LIFT2(rotate, T, T, T) \
    OV T popcount(T a) { int n = 0; for (int i = 0; i < W; i++) n += ((ulong)(U)a >> i) & 1; return (T)n; } LIFT1(popcount, T, T) \
    OV T clz(T a) { int n = 0; while (n < W && !((ulong)(U)a >> (W - 1 - n) & 1)) n++; return (T)n; } LIFT1(clz, T, T) \
    OV T ctz(T a) { int n = 0; while (n < W && !((ulong)(U)a >> n & 1)) n++; return (T)n; } LIFT1(ctz, T, T) \
    OV T bitselect(T a, T b, T c) { return (T)((a & ~c) | (b & c)); } LIFT3(bitselect, T, T, T, T) \
    OV T select(T a, T b, S c) { return c ? b : a; } OV T select(T a, T b, U c) { return c ? b : a; } \
    EACH_N(SELECT_N, T, S) EACH_N(SELECT_N, T, U) EACH_N(SHUFFLE_N, T, U) EACH_N(VLOAD_N, T)
#define SELECT_N(N, T, C) \
    OV T##N select(T##N a, T##N b, C##N c) { T##N r; for (int i = 0; i < N; i++) r[i] = c[i] >> (sizeof(C) * 8 - 1) & 1 ? b[i] : a[i]; return r; }
#define SHUFFLE_N(N, T, U) SHUFFLE_TO(N, 2, T, U) SHUFFLE_TO(N, 4, T, U) SHUFFLE_TO(N, 8, T, U) SHUFFLE_TO(N, 16, T, U)
#define SHUFFLE_TO(N, M, T, U) \
    OV T##M shuffle(T##N a, U##M m) { T##M r; for (int i = 0; i < M; i++) r[i] = a[m[i] & (N - 1)]; return r; } \
    OV T##M shuffle2(T##N a, T##N b, U##M m) { T##M r; \
        for (int i = 0; i < M; i++) { int j = m[i] & (2 * N - 1); r[i] = j < N ? a[j] : b[j - N]; } return r; }
#define VLOAD_N(N, T) VLOAD_AS(N, T, __global) VLOAD_AS(N, T, __local) VLOAD_AS(N, T, __private) VLOAD_CONST(N, T)
#define VLOAD_AS(N, T, AS) \
    OV T##N vload##N(size_t o, const AS T *p) { T##N r; for (int i = 0; i < N; i++) r[i] = p[o * N + i]; return r; } \
    OV void vstore##N(T##N v, size_t o, AS T *p) { for (int i = 0; i < N; i++) p[o * N + i] = v[i]; }
#define VLOAD_CONST(N, T) \
    OV T##N vload##N(size_t o, __constant T *p) { T##N r; for (int i = 0; i < N; i++) r[i] = p[o * N + i]; return r; }
EACH_INT(INT_FUNCTIONS)
EACH_N(SHUFFLE_N, float, uint)
EACH_N(VLOAD_N, float)

SUB_GROUP_SHUFFLE(int) SUB_GROUP_SHUFFLE(uint) SUB_GROUP_SHUFFLE(long) SUB_GROUP_SHUFFLE(ulong)
SUB_GROUP(int, uint, INT_MIN, INT_MAX) SUB_GROUP(uint, uint, 0, UINT_MAX)
SUB_GROUP(long, ulong, LONG_MIN, LONG_MAX) SUB_GROUP(ulong, ulong, 0, ULONG_MAX)
static inline int sub_group_any(int a) { return sub_group_reduce_max((uint)(a != 0)) != 0; }
static inline int sub_group_all(int a) { return sub_group_reduce_min((uint)(a != 0)) != 0; }

OV int mul24(int a, int b) { return (int)((uint)a * (uint)b); }
OV uint mul24(uint a, uint b) { return a * b; }
OV int mad24(int a, int b, int c) { return (int)((uint)a * (uint)b + (uint)c); }
OV uint mad24(uint a, uint b, uint c) { return a * b + c; }
LIFT2(mul24, int, int, int) LIFT2(mul24, uint, uint, uint)
LIFT3(mad24, int, int, int, int) LIFT3(mad24, uint, uint, uint, uint)
#define UPSAMPLE(R, H, L, W) OV R upsample(H a, L b) { return (R)((R)a << W | (R)b); } LIFT2(upsample, R, H, L)
UPSAMPLE(short, char, uchar, 8) UPSAMPLE(ushort, uchar, uchar, 8) UPSAMPLE(int, short, ushort, 16)
UPSAMPLE(uint, ushort, ushort, 16) UPSAMPLE(long, int, uint, 32) UPSAMPLE(ulong, uint, uint, 32)

#define ANY_ALL(T) \
    OV int any(T a) { return a < 0; } OV int all(T a) { return a < 0; } EACH_N(ANY_ALL_N, T)
#define ANY_ALL_N(N, T) \
    OV int any(T##N a) { for (int i = 0; i < N; i++) if (a[i] < 0) return 1; return 0; } \
    OV int all(T##N a) { for (int i = 0; i < N; i++) if (a[i] >= 0) return 0; return 1; }
ANY_ALL(char) ANY_ALL(short) ANY_ALL(int) ANY_ALL(long)

/* ---- float functions with one exact result ---- */
#define FLOAT1(n) OV float n(float a) { return __builtin_##n##f(a); } LIFT1(n, float, float)
#define DOUBLE1(n) OV double n(double a) { return __builtin_##n(a); } LIFT1(n, double, double)
FLOAT1(sqrt) FLOAT1(fabs) FLOAT1(floor) FLOAT1(ceil) FLOAT1(trunc) FLOAT1(rint) FLOAT1(round)
DOUBLE1(sqrt) DOUBLE1(fabs) DOUBLE1(floor) DOUBLE1(ceil) DOUBLE1(trunc) DOUBLE1(rint) DOUBLE1(round)
OV double fma(double a, double b, double c) { return __builtin_fma(a, b, c); } LIFT3(fma, double, double, double, double)
OV float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); } LIFT3(fma, float, float, float, float)
OV float copysign(float a, float b) { return __builtin_copysignf(a, b); } LIFT2(copysign, float, float, float)
OV float fmin(float a, float b) { return a != a || b < a ? b : a; } LIFT2(fmin, float, float, float) LIFT2S(fmin, float)
OV float fmax(float a, float b) { return a != a || b > a ? b : a; } LIFT2(fmax, float, float, float) LIFT2S(fmax, float)
OV float min(float a, float b) { return b < a ? b : a; } LIFT2(min, float, float, float) LIFT2S(min, float)
OV float max(float a, float b) { return a < b ? b : a; } LIFT2(max, float, float, float) LIFT2S(max, float)
OV float clamp(float a, float l, float h) { return fmin(fmax(a, l), h); } LIFT3(clamp, float, float, float, float)
OV float fdim(float a, float b) { return a > b ? a - b : a <= b ? 0.0f : NAN; } LIFT2(fdim, float, float, float)
OV float step(float e, float a) { return a < e ? 0.0f : 1.0f; } LIFT2(step, float, float, float)
OV float sign(float a) { return a != a ? 0.0f : a > 0 ? 1.0f : a < 0 ? -1.0f : a; } LIFT1(sign, float, float)
OV float maxmag(float a, float b) { float x = fabs(a), y = fabs(b); return x > y ? a : y > x ? b : fmax(a, b); } LIFT2(maxmag, float, float, float)
OV float minmag(float a, float b) { float x = fabs(a), y = fabs(b); return x < y ? a : y < x ? b : fmin(a, b); } LIFT2(minmag, float, float, float)
OV float bitselect(float a, float b, float c) { return as_float(bitselect(as_uint(a), as_uint(b), as_uint(c))); } LIFT3(bitselect, float, float, float, float)
OV float select(float a, float b, int c) { return c ? b : a; }
OV float select(float a, float b, uint c) { return c ? b : a; }
EACH_N(SELECT_N, float, int) EACH_N(SELECT_N, float, uint)
EACH_N(SELECT_N, double, long) EACH_N(SELECT_N, double, ulong)
OV float nextafter(float a, float b)
{
    int x = as_int(a), y = as_int(b);
    if (a != a || b != b) return NAN;
    if (a == b) return b;
    if (a == 0.0f) return as_float((y & INT_MIN) | 1);
    return as_float((a < b) == (x >= 0) ? x + 1 : x - 1);
}
LIFT2(nextafter, float, float, float)
OV float ldexp(float a, int n)
{
    double d = a;
    for (; n > 0 && d != 0 && __builtin_fabs(d) < 1e60; n--) d *= 2;
    for (; n < 0 && __builtin_fabs(d) > 1e-60; n++) d /= 2;
    return (float)d;
}
LIFT2(ldexp, float, float, int)

OV float frexp(float x, int *e) { return __builtin_frexpf(x, e); }

/* Relational functions give 1 for scalars and -1 for vectors. */
#define REL1(f, E) OV int f(float a) { return E; } EACH_N(REL1_N, f)
#define REL2(f, E) OV int f(float a, float b) { return E; } EACH_N(REL2_N, f)
#define REL1_N(N, f) OV int##N f(float##N a) { int##N r; for (int i = 0; i < N; i++) r[i] = -f(a[i]); return r; }
#define REL2_N(N, f) \
    OV int##N f(float##N a, float##N b) { int##N r; for (int i = 0; i < N; i++) r[i] = -f(a[i], b[i]); return r; }
OV int isnan(double a) { return a != a; }
REL1(isnan, a != a) REL1(isinf, fabs(a) == INFINITY) REL1(isfinite, fabs(a) < INFINITY)
REL1(isnormal, fabs(a) < INFINITY && fabs(a) >= FLT_MIN) REL1(signbit, as_int(a) < 0)
REL2(isequal, a == b) REL2(isnotequal, a != b) REL2(isgreater, a > b) REL2(isgreaterequal, a >= b)
REL2(isless, a < b) REL2(islessequal, a <= b) REL2(islessgreater, a < b || a > b)
REL2(isordered, a == a && b == b) REL2(isunordered, a != a || b != b)

/* ---- conversions ---- */
OV float host_round(float a, int mode)
{
    return mode == 0 ? trunc(a) : mode == 1 ? rint(a) : mode == 2 ? ceil(a) : floor(a);
}
OV double host_round(double a, int mode)
{
    return mode == 0 ? __builtin_trunc(a) : mode == 1 ? __builtin_rint(a) : mode == 2 ? __builtin_ceil(a) : __builtin_floor(a);
}
/* Integer to float with rounding direction: the neighbours of the nearest float decide. */
OV float host_to_float(__int128 v, int mode)
{
    float f = (float)v;
    bool above = (__int128)f > v, below = (__int128)f < v;
    if (mode == 0) { if (v >= 0) mode = 3; else mode = 2; }
    if (mode == 2 && below) return as_float(as_int(f) + (f >= 0 ? 1 : -1));
    if (mode == 3 && above) return as_float(as_int(f) - (f > 0 ? 1 : -1));
    return f;
}
#define CONV_MODES(M, ...) \
    M(, 0, __VA_ARGS__) M(_rtz, 0, __VA_ARGS__) M(_rte, 1, __VA_ARGS__) M(_rtp, 2, __VA_ARGS__) M(_rtn, 3, __VA_ARGS__)
/* convert_TN[_sat][_mode](AN) */
#define CONV_LIFT(N, T, A, SUFFIX) \
    OV T##N convert_##T##N##SUFFIX(A##N a) { T##N r; for (int i = 0; i < N; i++) r[i] = convert_##T##SUFFIX(a[i]); return r; }
#define CONV_INT_FROM(SUF, MODE, T, LO, HI, F) \
    OV T convert_##T##SUF(F a) { return (T)host_round(a, MODE); } EACH_N(CONV_LIFT, T, F, SUF) \
    OV T convert_##T##_sat##SUF(F a) { \
        a = host_round(a, MODE); \
        return a != a ? (T)0 : a <= (F)LO ? (T)LO : a >= (F)HI ? (T)HI : (T)a; } \
    EACH_N(CONV_LIFT, T, F, _sat##SUF)
#define CONV_INT_FROM_FLOAT(SUF, MODE, T, LO, HI) \
    CONV_INT_FROM(SUF, MODE, T, LO, HI, float) CONV_INT_FROM(SUF, MODE, T, LO, HI, double)
#define CONV_INT_FROM_INT(T, A, LO, HI) \
    OV T convert_##T(A a) { return (T)a; } EACH_N(CONV_LIFT, T, A, ) \
    OV T convert_##T##_sat(A a) { __int128 x = a; return x < LO ? (T)LO : x > HI ? (T)HI : (T)a; } EACH_N(CONV_LIFT, T, A, _sat)
#define CONV_FLOAT_FROM_INT(SUF, MODE, A) \
    OV float convert_float##SUF(A a) { return host_to_float((__int128)a, MODE); } EACH_N(CONV_LIFT, float, A, SUF)
#define CONV_TO(T, U, S, W, X, LO, HI) \
    CONV_MODES(CONV_INT_FROM_FLOAT, T, LO, HI) \
    CONV_INT_FROM_INT(T, char, LO, HI) CONV_INT_FROM_INT(T, uchar, LO, HI) CONV_INT_FROM_INT(T, short, LO, HI) \
    CONV_INT_FROM_INT(T, ushort, LO, HI) CONV_INT_FROM_INT(T, int, LO, HI) CONV_INT_FROM_INT(T, uint, LO, HI) \
    CONV_INT_FROM_INT(T, long, LO, HI) CONV_INT_FROM_INT(T, ulong, LO, HI) \
    OV float convert_float(T a) { return (float)a; } EACH_N(CONV_LIFT, float, T, ) \
    OV double convert_double(T a) { return (double)a; } EACH_N(CONV_LIFT, double, T, ) \
    CONV_FLOAT_FROM_INT(_rte, 1, T) CONV_FLOAT_FROM_INT(_rtz, 0, T) CONV_FLOAT_FROM_INT(_rtp, 2, T) CONV_FLOAT_FROM_INT(_rtn, 3, T)
EACH_INT(CONV_TO)
OV float convert_float(float a) { return a; }
EACH_N(CONV_LIFT, float, float, )

/* ---- half storage ---- */
OV float host_from_half(ushort h)
{
    uint s = (uint)(h & 0x8000) << 16, e = h >> 10 & 31, m = h & 1023;
    if (e == 31) return as_float(s | 0x7f800000 | m << 13);
    if (e) return as_float(s | (e + 112) << 23 | m << 13);
    return as_float(s | as_uint((float)m * 0x1p-24f));
}
/* mode: 0 rtz, 1 rte, 2 rtp, 3 rtn */
OV ushort host_to_half(float f, int mode)
{
    uint s = as_uint(f) >> 16 & 0x8000;
    double a = __builtin_fabs((double)f), scaled, r;
    if (f != f) return (ushort)(s | 0x7e00);
    if (fabs(f) == INFINITY) return (ushort)(s | 0x7c00);
    int e = -14;
    while (e < 15 && a >= __builtin_ldexp(1.0, e + 1)) e++;
    scaled = a * __builtin_ldexp(1.0, 10 - e);
    r = host_round(mode == 2 && s ? -scaled : mode == 3 && s ? -scaled : scaled, mode);
    r = __builtin_fabs(r);
    if (r * __builtin_ldexp(1.0, e - 10) > 65504.0) {
        bool up = mode == 1 ? true : mode == 2 ? !s : mode == 3 ? s != 0 : false;
        return (ushort)(s | (up ? 0x7c00 : 0x7bff));
    }
    uint m = (uint)r; /* 0..2048: a carry moves into the exponent by itself */
    return (ushort)(s + (m < 1024 ? m : (((uint)(e + 15) << 10) + m - 1024)));
}
#define HALF_AS(AS) \
    OV float vload_half(size_t o, const AS half *p) { return host_from_half(((const AS ushort *)p)[o]); } \
    HALF_STORE(AS, , 1) HALF_STORE(AS, _rtz, 0) HALF_STORE(AS, _rte, 1) HALF_STORE(AS, _rtp, 2) HALF_STORE(AS, _rtn, 3) \
    EACH_N(HALF_LOAD_N, AS)
#define HALF_STORE(AS, SUF, MODE) \
    OV void vstore_half##SUF(float f, size_t o, AS half *p) { ((AS ushort *)p)[o] = host_to_half(f, MODE); } \
    EACH_N(HALF_STORE_N, AS, SUF, MODE)
#define HALF_LOAD_N(N, AS) \
    OV float##N vload_half##N(size_t o, const AS half *p) { \
        float##N r; for (int i = 0; i < N; i++) r[i] = host_from_half(((const AS ushort *)p)[o * N + i]); return r; } \
    OV float##N vloada_half##N(size_t o, const AS half *p) { \
        float##N r; for (int i = 0; i < N; i++) r[i] = host_from_half(((const AS ushort *)p)[o * (N == 3 ? 4 : N) + i]); return r; }
#define HALF_STORE_N(N, AS, SUF, MODE) \
    OV void vstore_half##N##SUF(float##N f, size_t o, AS half *p) { \
        for (int i = 0; i < N; i++) ((AS ushort *)p)[o * N + i] = host_to_half(f[i], MODE); } \
    OV void vstorea_half##N##SUF(float##N f, size_t o, AS half *p) { \
        for (int i = 0; i < N; i++) ((AS ushort *)p)[o * (N == 3 ? 4 : N) + i] = host_to_half(f[i], MODE); }
HALF_AS(__global) HALF_AS(__local) HALF_AS(__private)

/* ---- atomics ---- */
#define ATOMIC(f, AS, T, E) \
    OV T atomic_##f(volatile AS T *p, T v) { T o = *p; *p = E; return o; } OV T atom_##f(volatile AS T *p, T v) { return atomic_##f(p, v); }
#define ATOMICS(AS, T) \
    ATOMIC(add, AS, T, (T)((ulong)o + (ulong)v)) ATOMIC(sub, AS, T, (T)((ulong)o - (ulong)v)) ATOMIC(xchg, AS, T, v) \
    ATOMIC(min, AS, T, v < o ? v : o) ATOMIC(max, AS, T, v > o ? v : o) ATOMIC(and, AS, T, o & v) ATOMIC(or, AS, T, o | v) \
    ATOMIC(xor, AS, T, o ^ v) \
    OV T atomic_inc(volatile AS T *p) { return atomic_add(p, (T)1); } OV T atomic_dec(volatile AS T *p) { return atomic_sub(p, (T)1); } \
    OV T atomic_cmpxchg(volatile AS T *p, T c, T v) { T o = *p; if (o == c) *p = v; return o; } \
    OV T atom_cmpxchg(volatile AS T *p, T c, T v) { return atomic_cmpxchg(p, c, v); }
ATOMICS(__global, int) ATOMICS(__global, uint) ATOMICS(__local, int) ATOMICS(__local, uint)
ATOMICS(__global, long) ATOMICS(__global, ulong) ATOMICS(__local, long) ATOMICS(__local, ulong)
OV float atomic_xchg(volatile __global float *p, float v) { float o = *p; *p = v; return o; }
OV float atomic_xchg(volatile __local float *p, float v) { float o = *p; *p = v; return o; }
