/* Functions of a whole work-group: first each warp's own lanes, then the results of the warps, which go through local
 * memory, the last part of each warp's stack, which has a place of eight bytes for each lane. */
#include "other_lanes.h"

#define PLACES(T, warp) ((volatile __local T *)places_of(warp))

/* `before`: of the work-items that come first; `own` with that of x itself; the result is that of all. The last lane of a
 * warp has what all of its lanes have together; the last warp may have fewer of them. */
#define COLLECTIVE(T, NAME, OP, NEUTRAL) \
    SCAN_ALL(T, NAME, OP) \
    static OVERLOAD T group_##NAME(T x, T *before, T *own) \
    { \
        const uint warp = __ventus_csr(CSR_WID), last = __ventus_csr(CSR_NUMW) - 1, lanes = __ventus_csr(CSR_NUMT); \
        x = scan_all_##NAME(x); \
        T left = from_lane(x, LANE() - 1), all = NEUTRAL; \
        PLACES(T, warp)[LANE()] = x; \
        *before = NEUTRAL; \
        __ventus_barrier(3); \
        volatile __local T *place = &PLACES(T, 0)[lanes - 1]; \
        T whole; \
        _Pragma("unroll 1") for (uint i = 0; i < last; i++, place += ABI_WARP_STACK / sizeof(T)) { \
            whole = *place; \
            if (i == warp) *before = all; \
            all = OP(all, whole); \
        } \
        whole = PLACES(T, last)[group_items() - last * lanes - 1]; \
        if (last == warp) *before = all; \
        all = OP(all, whole); \
        __ventus_barrier(3); \
        *own = OP(*before, x); \
        if (LANE()) *before = OP(*before, left); \
        return all; \
    } \
    OVERLOAD T work_group_reduce_##NAME(T x) \
    { \
        T before, own; \
        return group_##NAME(x, &before, &own); \
    } \
    OVERLOAD T work_group_scan_exclusive_##NAME(T x) \
    { \
        T before, own; \
        group_##NAME(x, &before, &own); \
        return before; \
    } \
    OVERLOAD T work_group_scan_inclusive_##NAME(T x) \
    { \
        T before, own; \
        group_##NAME(x, &before, &own); \
        return own; \
    }

static OVERLOAD uint linear(size_t x) { return x; }
static OVERLOAD uint linear(size_t x, size_t y) { return y * get_local_size(0) + x; }
static OVERLOAD uint linear(size_t x, size_t y, size_t z) { return (z * get_local_size(1) + y) * get_local_size(0) + x; }

#define EXPAND(...) __VA_ARGS__
#define BROADCAST(T, PARAMS, ARGS) \
    OVERLOAD T work_group_broadcast(T x, EXPAND PARAMS) \
    { \
        if (get_local_linear_id() == linear ARGS) PLACES(T, 0)[0] = x; \
        __ventus_barrier(3); \
        x = PLACES(T, 0)[0]; \
        __ventus_barrier(3); \
        return x; \
    }

#define COLLECTIVES(T, LOWEST, HIGHEST) \
    COLLECTIVE(T, add, SUM, 0) COLLECTIVE(T, min, LEAST, HIGHEST) COLLECTIVE(T, max, GREATEST, LOWEST) \
    BROADCAST(T, (size_t a), (a)) BROADCAST(T, (size_t a, size_t b), (a, b)) \
    BROADCAST(T, (size_t a, size_t b, size_t c), (a, b, c))
WIDE_INTEGERS(COLLECTIVES) FLOATS(COLLECTIVES)

int work_group_all(int predicate) __attribute__((overloadable)) { return work_group_reduce_min((int)(predicate != 0)); }
int work_group_any(int predicate) __attribute__((overloadable)) { return work_group_reduce_max((int)(predicate != 0)); }
