/* C11 atomics, and those of 64 bits. Pointers are generic, as the front end has them in a language with these functions:
 * generic.c finds what they point to, which is never private. */
#include "library.h"

/* Over the __sync functions, which become single instructions; the C11 builtins of clang would call a
 * run-time library, because SPIR promises no lock-free atomics. An aligned word is loaded and stored
 * in one piece. Orders beyond relaxed fence on both sides. */
#define ORDERED(o) if ((o) != memory_order_relaxed) FENCE()
#define EXPAND(...) __VA_ARGS__
#define FORMS(R, NAME, PARAMS, ARGS) \
    OVERLOAD R NAME PARAMS { return NAME##_explicit(EXPAND ARGS, memory_order_seq_cst, memory_scope_device); } \
    OVERLOAD R NAME##_explicit(EXPAND PARAMS, memory_order o) { return NAME##_explicit(EXPAND ARGS, o, memory_scope_device); }
#define CELL(T, p) ((volatile T *)(p))

/* ---- words, and 64 bits under a lock ----
 *
 * The machine has no instruction for 64 bits in one piece. Lanes take turns, so that the one that spins never waits
 * for a lane of its own warp, and each takes the lock that its address belongs to. Only one program is in the code
 * window at a time, so its locks are all there are. */
enum { LOCKS = 256 };
static __global uint locks[LOCKS];

#define WORD(T) \
    static OVERLOAD T cell_load(volatile T *p) { return *p; } \
    static OVERLOAD void cell_store(volatile T *p, T v) { *p = v; } \
    static OVERLOAD T cell_swap(volatile T *p, T v) { return __sync_swap(p, v); } \
    static OVERLOAD T cell_compare(volatile T *p, T want, T v) { return __sync_val_compare_and_swap(p, want, v); }
WORD(int) WORD(uint)

#define LOCKED(T, NAME, PARAMS, CHANGE) \
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
#define LOCKED_ALL(T) \
    LOCKED(T, cell_load, (volatile T *p), ) \
    LOCKED(T, cell_swap, (volatile T *p, T v), *p = v) \
    LOCKED(T, cell_compare, (volatile T *p, T want, T v), if (old == want) *p = v) \
    LOCKED(T, cell_add, (volatile T *p, T v), *p = old + v) \
    LOCKED(T, cell_sub, (volatile T *p, T v), *p = old - v) \
    LOCKED(T, cell_and, (volatile T *p, T v), *p = old & v) \
    LOCKED(T, cell_or, (volatile T *p, T v), *p = old | v) \
    LOCKED(T, cell_xor, (volatile T *p, T v), *p = old ^ v) \
    LOCKED(T, cell_min, (volatile T *p, T v), *p = min(old, v)) \
    LOCKED(T, cell_max, (volatile T *p, T v), *p = max(old, v)) \
    static OVERLOAD void cell_store(volatile T *p, T v) { cell_swap(p, v); }
#define ATOMS_IN(AS, T) \
    OVERLOAD T atom_xchg(volatile AS T *p, T v) { return cell_swap(p, v); } \
    OVERLOAD T atom_cmpxchg(volatile AS T *p, T want, T v) { return cell_compare(p, want, v); } \
    OVERLOAD T atom_inc(volatile AS T *p) { return cell_add(p, 1); } \
    OVERLOAD T atom_dec(volatile AS T *p) { return cell_sub(p, 1); } \
    ATOM(AS, T, add) ATOM(AS, T, sub) ATOM(AS, T, and) ATOM(AS, T, or) ATOM(AS, T, xor) ATOM(AS, T, min) ATOM(AS, T, max)
#define ATOM(AS, T, NAME) \
    OVERLOAD T atom_##NAME(volatile AS T *p, T v) { return cell_##NAME(p, v); }
#define ATOMS(T) ATOMS_IN(__global, T) ATOMS_IN(__local, T)
LOCKED_ALL(long) LOCKED_ALL(ulong)
ATOMS(long) ATOMS(ulong)

/* ---- the functions of C11 ---- */

/* A: atomic type, T: its value, B: integer with T's bits, TO/FROM: T <-> B */
#define ATOMIC_CELL(A, T, B, TO, FROM) \
    OVERLOAD void atomic_init(volatile A *p, T v) { *CELL(B, p) = TO(v); } \
    OVERLOAD void atomic_store_explicit(volatile A *p, T v, memory_order o, memory_scope s) \
    { (void)s; ORDERED(o); cell_store(CELL(B, p), TO(v)); ORDERED(o); } \
    FORMS(void, atomic_store, (volatile A *p, T v), (p, v)) \
    OVERLOAD T atomic_load_explicit(volatile A *p, memory_order o, memory_scope s) \
    { (void)s; ORDERED(o); B v = cell_load(CELL(B, p)); ORDERED(o); return FROM(v); } \
    FORMS(T, atomic_load, (volatile A *p), (p)) \
    OVERLOAD T atomic_exchange_explicit(volatile A *p, T v, memory_order o, memory_scope s) \
    { (void)s; ORDERED(o); B old = cell_swap(CELL(B, p), TO(v)); ORDERED(o); return FROM(old); } \
    FORMS(T, atomic_exchange, (volatile A *p, T v), (p, v)) \
    ATOMIC_CAS(A, T, B, TO, FROM, atomic_compare_exchange_strong) \
    ATOMIC_CAS(A, T, B, TO, FROM, atomic_compare_exchange_weak)
#define ATOMIC_CAS(A, T, B, TO, FROM, NAME) \
    OVERLOAD bool NAME##_explicit(volatile A *p, T *e, T d, memory_order a, memory_order b, memory_scope s) \
    { \
        (void)b; (void)s; /* the order of success is at least that of failure */ \
        ORDERED(a); \
        B want = TO(*e), old = cell_compare(CELL(B, p), want, TO(d)); \
        ORDERED(a); \
        if (old != want) *e = FROM(old); \
        return old == want; \
    } \
    OVERLOAD bool NAME##_explicit(volatile A *p, T *e, T d, memory_order a, memory_order b) \
    { return NAME##_explicit(p, e, d, a, b, memory_scope_device); } \
    OVERLOAD bool NAME(volatile A *p, T *e, T d) \
    { return NAME##_explicit(p, e, d, memory_order_seq_cst, memory_order_seq_cst, memory_scope_device); }
#define ATOMIC_FETCH(A, T, NAME, SYNC) \
    OVERLOAD T NAME##_explicit(volatile A *p, T v, memory_order o, memory_scope s) \
    { (void)s; ORDERED(o); T old = SYNC(CELL(T, p), v); ORDERED(o); return old; } \
    FORMS(T, NAME, (volatile A *p, T v), (p, v))
#define ATOMIC_INT(A, T, MIN, MAX) \
    ATOMIC_CELL(A, T, T, , ) \
    ATOMIC_FETCH(A, T, atomic_fetch_add, __sync_fetch_and_add) ATOMIC_FETCH(A, T, atomic_fetch_sub, __sync_fetch_and_sub) \
    ATOMIC_FETCH(A, T, atomic_fetch_or, __sync_fetch_and_or) ATOMIC_FETCH(A, T, atomic_fetch_xor, __sync_fetch_and_xor) \
    ATOMIC_FETCH(A, T, atomic_fetch_and, __sync_fetch_and_and) \
    ATOMIC_FETCH(A, T, atomic_fetch_min, MIN) ATOMIC_FETCH(A, T, atomic_fetch_max, MAX)
/* A uintptr_t is a uint here, and the front end gives these two the operand of an atomic_uintptr_t: a ptrdiff_t. */
#define ATOMIC_DIFFERENCE(NAME) \
    OVERLOAD uint NAME##_explicit(volatile atomic_uint *p, int v, memory_order o, memory_scope s) \
    { return NAME##_explicit(p, (uint)v, o, s); } \
    FORMS(uint, NAME, (volatile atomic_uint *p, int v), (p, v))
OVERLOAD bool atomic_flag_test_and_set_explicit(volatile atomic_flag *p, memory_order o, memory_scope s)
{
    (void)s;
    ORDERED(o);
    int old = __sync_swap(CELL(int, p), 1);
    ORDERED(o);
    return old;
}
FORMS(bool, atomic_flag_test_and_set, (volatile atomic_flag *p), (p))
OVERLOAD void atomic_flag_clear_explicit(volatile atomic_flag *p, memory_order o, memory_scope s)
{
    (void)s;
    ORDERED(o);
    *CELL(int, p) = 0;
    ORDERED(o);
}
FORMS(void, atomic_flag_clear, (volatile atomic_flag *p), (p))
#define ATOMIC_LOCKED(A, T) \
    ATOMIC_CELL(A, T, T, , ) \
    ATOMIC_FETCH(A, T, atomic_fetch_add, cell_add) ATOMIC_FETCH(A, T, atomic_fetch_sub, cell_sub) \
    ATOMIC_FETCH(A, T, atomic_fetch_or, cell_or) ATOMIC_FETCH(A, T, atomic_fetch_xor, cell_xor) \
    ATOMIC_FETCH(A, T, atomic_fetch_and, cell_and) \
    ATOMIC_FETCH(A, T, atomic_fetch_min, cell_min) ATOMIC_FETCH(A, T, atomic_fetch_max, cell_max)
ATOMIC_INT(atomic_int, int, __sync_fetch_and_min, __sync_fetch_and_max)
ATOMIC_INT(atomic_uint, uint, __sync_fetch_and_umin, __sync_fetch_and_umax)
ATOMIC_DIFFERENCE(atomic_fetch_add) ATOMIC_DIFFERENCE(atomic_fetch_sub)
ATOMIC_CELL(atomic_float, float, uint, as_uint, as_float)
ATOMIC_LOCKED(atomic_long, long) ATOMIC_LOCKED(atomic_ulong, ulong)
ATOMIC_CELL(atomic_double, double, ulong, as_ulong, as_double)
