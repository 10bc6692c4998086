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

/* ---- words, and 64 bits under a lock ----
 *
 * The machine has no instruction for 64 bits in one piece. Lanes take turns, so that the one that spins never waits
 * for a lane of its own warp, and each takes the lock that its address belongs to. Only one program is in the code
 * window at a time, so its locks are all there are. */
enum { LOCKS = 256 };
static __global uint locks[LOCKS];

#define WORD(AS, T) \
    static OVERLOAD T cell_load(volatile AS T *p) { return *p; } \
    static OVERLOAD void cell_store(volatile AS T *p, T v) { *p = v; } \
    static OVERLOAD T cell_swap(volatile AS T *p, T v) { return __sync_swap(p, v); } \
    static OVERLOAD T cell_compare(volatile AS T *p, T want, T v) { return __sync_val_compare_and_swap(p, want, v); }
WORD(__global, int) WORD(__global, uint) WORD(__local, int) WORD(__local, uint)

#define LOCKED(AS, T, NAME, PARAMS, CHANGE) \
    static OVERLOAD T NAME PARAMS \
    { \
        T result = 0; \
        EACH_LANE \
        { \
            volatile __global uint *lock = &locks[(uint)p / 8 % LOCKS]; \
            while (__sync_swap(lock, 1u)) {} \
            FENCE(); \
            T old = *p; \
            CHANGE; \
            FENCE(); \
            __sync_swap(lock, 0u); \
            result = old; \
        } \
        return result; \
    }
#define LOCKED_ALL(AS, T) \
    LOCKED(AS, T, cell_load, (volatile AS T *p), ) \
    LOCKED(AS, T, cell_swap, (volatile AS T *p, T v), *p = v) \
    LOCKED(AS, T, cell_compare, (volatile AS T *p, T want, T v), if (old == want) *p = v) \
    LOCKED(AS, T, cell_add, (volatile AS T *p, T v), *p = old + v) \
    LOCKED(AS, T, cell_sub, (volatile AS T *p, T v), *p = old - v) \
    LOCKED(AS, T, cell_and, (volatile AS T *p, T v), *p = old & v) \
    LOCKED(AS, T, cell_or, (volatile AS T *p, T v), *p = old | v) \
    LOCKED(AS, T, cell_xor, (volatile AS T *p, T v), *p = old ^ v) \
    LOCKED(AS, T, cell_min, (volatile AS T *p, T v), *p = min(old, v)) \
    LOCKED(AS, T, cell_max, (volatile AS T *p, T v), *p = max(old, v)) \
    static OVERLOAD void cell_store(volatile AS T *p, T v) { cell_swap(p, v); } \
    OVERLOAD T atom_xchg(volatile AS T *p, T v) { return cell_swap(p, v); } \
    OVERLOAD T atom_cmpxchg(volatile AS T *p, T want, T v) { return cell_compare(p, want, v); } \
    OVERLOAD T atom_inc(volatile AS T *p) { return cell_add(p, 1); } \
    OVERLOAD T atom_dec(volatile AS T *p) { return cell_sub(p, 1); } \
    ATOM(AS, T, add) ATOM(AS, T, sub) ATOM(AS, T, and) ATOM(AS, T, or) ATOM(AS, T, xor) ATOM(AS, T, min) ATOM(AS, T, max)
#define ATOM(AS, T, NAME) \
    OVERLOAD T atom_##NAME(volatile AS T *p, T v) { return cell_##NAME(p, v); }
LOCKED_ALL(__global, long) LOCKED_ALL(__global, ulong) LOCKED_ALL(__local, long) LOCKED_ALL(__local, ulong)

/* ---- the functions of C11 ---- */

/* A: atomic type, T: its value, B: integer with T's bits, TO/FROM: T <-> B */
#define ATOMIC_CELL(AS, A, T, B, TO, FROM) \
    OVERLOAD void atomic_init(volatile AS A *p, T v) { *CELL(AS, B, p) = TO(v); } \
    OVERLOAD void atomic_store_explicit(volatile AS A *p, T v, memory_order o, memory_scope s) \
    { (void)s; ORDERED(o); cell_store(CELL(AS, B, p), TO(v)); ORDERED(o); } \
    FORMS(void, atomic_store, (volatile AS A *p, T v), (p, v)) \
    OVERLOAD T atomic_load_explicit(volatile AS A *p, memory_order o, memory_scope s) \
    { (void)s; ORDERED(o); B v = cell_load(CELL(AS, B, p)); ORDERED(o); return FROM(v); } \
    FORMS(T, atomic_load, (volatile AS A *p), (p)) \
    OVERLOAD T atomic_exchange_explicit(volatile AS A *p, T v, memory_order o, memory_scope s) \
    { (void)s; ORDERED(o); B old = cell_swap(CELL(AS, B, p), TO(v)); ORDERED(o); return FROM(old); } \
    FORMS(T, atomic_exchange, (volatile AS A *p, T v), (p, v)) \
    ATOMIC_CAS_ALL(AS, A, T, B, TO, FROM, __private) ATOMIC_CAS_ALL(AS, A, T, B, TO, FROM, __local) \
    ATOMIC_CAS_ALL(AS, A, T, B, TO, FROM, __global)
#define ATOMIC_CAS(AS, A, T, B, TO, FROM, E, NAME) \
    OVERLOAD bool NAME##_explicit(volatile AS A *p, E T *e, T d, memory_order a, memory_order b, memory_scope s) \
    { \
        (void)b; (void)s; /* the order of success is at least that of failure */ \
        ORDERED(a); \
        B want = TO(*e), old = cell_compare(CELL(AS, B, p), want, TO(d)); \
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
#define ATOMIC_LOCKED(AS, A, T) \
    ATOMIC_CELL(AS, A, T, T, , ) \
    ATOMIC_FETCH(AS, A, T, atomic_fetch_add, cell_add) ATOMIC_FETCH(AS, A, T, atomic_fetch_sub, cell_sub) \
    ATOMIC_FETCH(AS, A, T, atomic_fetch_or, cell_or) ATOMIC_FETCH(AS, A, T, atomic_fetch_xor, cell_xor) \
    ATOMIC_FETCH(AS, A, T, atomic_fetch_and, cell_and) \
    ATOMIC_FETCH(AS, A, T, atomic_fetch_min, cell_min) ATOMIC_FETCH(AS, A, T, atomic_fetch_max, cell_max)
#define ATOMICS(AS) \
    ATOMIC_INT(AS, atomic_int, int, __sync_fetch_and_min, __sync_fetch_and_max) \
    ATOMIC_INT(AS, atomic_uint, uint, __sync_fetch_and_umin, __sync_fetch_and_umax) \
    ATOMIC_DIFFERENCE(AS, atomic_fetch_add) ATOMIC_DIFFERENCE(AS, atomic_fetch_sub) \
    ATOMIC_CELL(AS, atomic_float, float, uint, as_uint, as_float) \
    ATOMIC_LOCKED(AS, atomic_long, long) ATOMIC_LOCKED(AS, atomic_ulong, ulong) \
    ATOMIC_CELL(AS, atomic_double, double, ulong, as_ulong, as_double) \
    ATOMIC_FLAG(AS)
ATOMICS(__global) ATOMICS(__local)
