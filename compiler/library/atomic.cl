/* C11 atomics. */
#include "library.h"

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
    { (void)s; ORDERED(o); B old = __sync_swap(CELL(AS, B, p), TO(v)); ORDERED(o); return FROM(old); } \
    FORMS(T, atomic_exchange, (volatile AS A *p, T v), (p, v)) \
    ATOMIC_CAS_ALL(AS, A, T, B, TO, FROM, __private) ATOMIC_CAS_ALL(AS, A, T, B, TO, FROM, __local) \
    ATOMIC_CAS_ALL(AS, A, T, B, TO, FROM, __global)
#define ATOMIC_CAS(AS, A, T, B, TO, FROM, E, NAME) \
    OVERLOAD bool NAME##_explicit(volatile AS A *p, E T *e, T d, memory_order a, memory_order b, memory_scope s) \
    { \
        (void)b; (void)s; /* the order of success is at least that of failure */ \
        ORDERED(a); \
        B want = TO(*e), old = __sync_val_compare_and_swap(CELL(AS, B, p), want, TO(d)); \
        ORDERED(a); \
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
    { (void)s; ORDERED(o); T old = SYNC(CELL(AS, T, p), v); ORDERED(o); return old; } \
    FORMS(T, NAME, (volatile AS A *p, T v), (p, v))
#define ATOMIC_INT(AS, A, T, MIN, MAX) \
    ATOMIC_CELL(AS, A, T, T, , ) \
    ATOMIC_FETCH(AS, A, T, atomic_fetch_add, __sync_fetch_and_add) ATOMIC_FETCH(AS, A, T, atomic_fetch_sub, __sync_fetch_and_sub) \
    ATOMIC_FETCH(AS, A, T, atomic_fetch_or, __sync_fetch_and_or) ATOMIC_FETCH(AS, A, T, atomic_fetch_xor, __sync_fetch_and_xor) \
    ATOMIC_FETCH(AS, A, T, atomic_fetch_and, __sync_fetch_and_and) \
    ATOMIC_FETCH(AS, A, T, atomic_fetch_min, MIN) ATOMIC_FETCH(AS, A, T, atomic_fetch_max, MAX)
/* A uintptr_t is a uint here, and the front end gives these two the operand of an atomic_uintptr_t: a ptrdiff_t. */
#define ATOMIC_DIFFERENCE(AS, NAME) \
    OVERLOAD uint NAME##_explicit(volatile AS atomic_uint *p, int v, memory_order o, memory_scope s) \
    { return NAME##_explicit(p, (uint)v, o, s); } \
    FORMS(uint, NAME, (volatile AS atomic_uint *p, int v), (p, v))
#define ATOMIC_FLAG(AS) \
    OVERLOAD bool atomic_flag_test_and_set_explicit(volatile AS atomic_flag *p, memory_order o, memory_scope s) \
    { (void)s; ORDERED(o); int old = __sync_swap(CELL(AS, int, p), 1); ORDERED(o); return old; } \
    FORMS(bool, atomic_flag_test_and_set, (volatile AS atomic_flag *p), (p)) \
    OVERLOAD void atomic_flag_clear_explicit(volatile AS atomic_flag *p, memory_order o, memory_scope s) \
    { (void)s; ORDERED(o); *CELL(AS, int, p) = 0; ORDERED(o); } \
    FORMS(void, atomic_flag_clear, (volatile AS atomic_flag *p), (p))
#define ATOMICS(AS) \
    ATOMIC_INT(AS, atomic_int, int, __sync_fetch_and_min, __sync_fetch_and_max) \
    ATOMIC_INT(AS, atomic_uint, uint, __sync_fetch_and_umin, __sync_fetch_and_umax) \
    ATOMIC_DIFFERENCE(AS, atomic_fetch_add) ATOMIC_DIFFERENCE(AS, atomic_fetch_sub) \
    ATOMIC_CELL(AS, atomic_float, float, uint, as_uint, as_float) \
    ATOMIC_FLAG(AS)
ATOMICS(__global) ATOMICS(__local)
