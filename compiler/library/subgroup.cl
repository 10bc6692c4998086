/* Sub-groups: a sub-group is a warp. Its work-items are lanes 0 to get_sub_group_size() - 1; those that take part in a
 * function are the active ones, so that the functions for any lanes and those for all of them are the same. */
#include "other_lanes.h"

#define NOBODY (~0u) /* the lane before the first */

/* ---- sizes and numbers ---- */

OVERLOAD uint get_max_sub_group_size(void) { return __ventus_csr(CSR_NUMT); }
OVERLOAD uint get_sub_group_size(void) { return min(group_items() - __ventus_csr(CSR_TID), __ventus_csr(CSR_NUMT)); }
OVERLOAD uint get_num_sub_groups(void) { return __ventus_csr(CSR_NUMW); }
OVERLOAD uint get_enqueued_num_sub_groups(void) { return __ventus_csr(CSR_NUMW); }
OVERLOAD uint get_sub_group_id(void) { return __ventus_csr(CSR_WID); }
OVERLOAD uint get_sub_group_local_id(void) { return LANE(); }

/* The immediate has no scope: that is the instruction's. */
OVERLOAD void sub_group_barrier(cl_mem_fence_flags flags) { MEET(__ventus_barrier_sub, 0) }
OVERLOAD void sub_group_barrier(cl_mem_fence_flags flags, memory_scope scope)
{
    (void)scope;
    MEET(__ventus_barrier_sub, 0)
}

/* ---- votes ---- */

/* A bit for each active lane with a predicate. */
static uint ballot(int predicate) { return __ventus_vote(places_of(__ventus_csr(CSR_WID)), (uint)(predicate != 0) << LANE()); }

OVERLOAD int sub_group_any(int predicate) { return ballot(predicate) != 0; }
OVERLOAD int sub_group_all(int predicate) { return ballot(!predicate) == 0; }
OVERLOAD int sub_group_elect(void) { return LANE() == ctz(ballot(1)); }
OVERLOAD int sub_group_non_uniform_any(int predicate) { return sub_group_any(predicate); }
OVERLOAD int sub_group_non_uniform_all(int predicate) { return sub_group_all(predicate); }

/* Masks of lanes; above 32 there are none. */
static uint below(uint lane) { return lane < 32 ? (1u << lane) - 1 : ~0u; }
static uint members(uint4 mask) { return mask.x & below(get_sub_group_size()); }

OVERLOAD uint4 sub_group_ballot(int predicate) { return (uint4)(ballot(predicate), 0, 0, 0); }
OVERLOAD int sub_group_ballot_bit_extract(uint4 mask, uint lane) { return lane < 32 && (mask.x >> lane & 1); }
OVERLOAD int sub_group_inverse_ballot(uint4 mask) { return mask.x >> LANE() & 1; }
OVERLOAD uint sub_group_ballot_bit_count(uint4 mask) { return popcount(members(mask)); }
OVERLOAD uint sub_group_ballot_exclusive_scan(uint4 mask) { return popcount(mask.x & below(LANE())); }
OVERLOAD uint sub_group_ballot_inclusive_scan(uint4 mask) { return popcount(mask.x & below(LANE() + 1)); }
OVERLOAD uint sub_group_ballot_find_lsb(uint4 mask) { return ctz(members(mask)); }
OVERLOAD uint sub_group_ballot_find_msb(uint4 mask) { return 31 - clz(members(mask)); }
OVERLOAD uint4 get_sub_group_eq_mask(void) { return (uint4)(1u << LANE(), 0, 0, 0); }
OVERLOAD uint4 get_sub_group_lt_mask(void) { return (uint4)(below(LANE()), 0, 0, 0); }
OVERLOAD uint4 get_sub_group_le_mask(void) { return (uint4)(below(LANE() + 1), 0, 0, 0); }
OVERLOAD uint4 get_sub_group_gt_mask(void) { return (uint4)(below(get_max_sub_group_size()) & ~below(LANE() + 1), 0, 0, 0); }
OVERLOAD uint4 get_sub_group_ge_mask(void) { return (uint4)(below(get_max_sub_group_size()) & ~below(LANE()), 0, 0, 0); }

/* ---- broadcasts and shuffles ---- */

#define BROADCAST(T) \
    OVERLOAD T sub_group_broadcast(T x, uint lane) { return from_lane(x, lane); } \
    OVERLOAD T sub_group_non_uniform_broadcast(T x, uint lane) { return from_lane(x, lane); }
#define BROADCAST_VECTOR(n, lo, hi, T) \
    static OVERLOAD T##n from_lane(T##n x, uint lane) { return (T##n)(from_lane(x.lo, lane), from_lane(x.hi, lane)); } \
    BROADCAST(T##n)
#define SHUFFLE(T) \
    BROADCAST(T) SIZES(BROADCAST_VECTOR, T) \
    OVERLOAD T sub_group_broadcast_first(T x) { return from_lane(x, ctz(ballot(1))); } \
    OVERLOAD int sub_group_non_uniform_all_equal(T x) { return sub_group_all(x == sub_group_broadcast_first(x)); } \
    OVERLOAD T sub_group_shuffle(T x, uint lane) { return from_lane(x, lane); } \
    OVERLOAD T sub_group_shuffle_xor(T x, uint mask) { return from_lane(x, LANE() ^ mask); } \
    OVERLOAD T sub_group_shuffle_up(T x, uint n) { return from_lane(x, LANE() - n); } \
    OVERLOAD T sub_group_shuffle_down(T x, uint n) { return from_lane(x, LANE() + n); } \
    OVERLOAD T sub_group_clustered_rotate(T x, int n, uint size) \
    { \
        uint lane = LANE(); \
        return from_lane(x, (lane & -size) | ((lane + n) & (size - 1))); \
    } \
    OVERLOAD T sub_group_rotate(T x, int n) { return sub_group_clustered_rotate(x, n, get_max_sub_group_size()); }
SHUFFLE(char) SHUFFLE(uchar) SHUFFLE(short) SHUFFLE(ushort) SHUFFLE(int) SHUFFLE(uint) SHUFFLE(long) SHUFFLE(ulong)
SHUFFLE(float) SHUFFLE(double) SHUFFLE(half)

/* ---- reductions and scans over the lanes of a mask ---- */

static uint highest(uint mask) { return 31 - clz(mask); } /* NOBODY of none */
static uint lane_before(uint mask) { return highest(mask & below(LANE())); }

static uint active_in_cluster(uint size) { return ballot(1) & below(size) << (LANE() & -size); }

/* In each step a lane knows the result of the lanes behind `before` up to its own, and adds what that lane knows, whose
 * own `before` is the next: twice as many lanes as in the step before. A lane that has none left gets its own values. */
#define OVER_LANES(T, NAME, OP, NEUTRAL) \
    static OVERLOAD T scan_##NAME(T x, uint before) \
    { \
        for (uint step = 1; step < 32; step *= 2) { \
            T other = from_lane(x, before), both = OP(other, x); \
            x = before == NOBODY ? x : both; \
            before = from_lane(before, before); \
        } \
        return x; \
    } \
    static OVERLOAD T scan_before_##NAME(T x, uint before) \
    { \
        T own = scan_##NAME(x, before), other = from_lane(own, before); \
        return before == NOBODY ? NEUTRAL : other; \
    } \
    static OVERLOAD T reduce_##NAME(T x, uint mask) { return from_lane(scan_##NAME(x, lane_before(mask)), highest(mask)); } \
    OVERLOAD T sub_group_non_uniform_reduce_##NAME(T x) { return reduce_##NAME(x, ballot(1)); } \
    OVERLOAD T sub_group_non_uniform_scan_inclusive_##NAME(T x) { return scan_##NAME(x, lane_before(ballot(1))); } \
    OVERLOAD T sub_group_non_uniform_scan_exclusive_##NAME(T x) { return scan_before_##NAME(x, lane_before(ballot(1))); } \
    OVERLOAD T sub_group_clustered_reduce_##NAME(T x, uint size) { return reduce_##NAME(x, active_in_cluster(size)); }
#define OVER_ALL(T, NAME, OP, NEUTRAL) \
    SCAN_ALL(T, NAME, OP) \
    OVERLOAD T sub_group_reduce_##NAME(T x) { return from_lane(scan_all_##NAME(x), get_sub_group_size() - 1); } \
    OVERLOAD T sub_group_scan_inclusive_##NAME(T x) { return scan_all_##NAME(x); } \
    OVERLOAD T sub_group_scan_exclusive_##NAME(T x) \
    { \
        T own = scan_all_##NAME(x), other = from_lane(own, LANE() - 1); \
        return LANE() ? other : NEUTRAL; \
    }

#define PRODUCT(a, b) ((a) * (b))
#define NUMBERS(T, LOWEST, HIGHEST) \
    OVER_LANES(T, add, SUM, 0) OVER_LANES(T, min, LEAST, HIGHEST) OVER_LANES(T, max, GREATEST, LOWEST) \
    OVER_LANES(T, mul, PRODUCT, 1) OVER_ALL(T, add, SUM, 0) OVER_ALL(T, min, LEAST, HIGHEST) \
    OVER_ALL(T, max, GREATEST, LOWEST)

#define AND(a, b) ((a) & (b))
#define OR(a, b)  ((a) | (b))
#define XOR(a, b) ((a) ^ (b))
#define INTEGERS(T, LOWEST, HIGHEST) \
    NUMBERS(T, LOWEST, HIGHEST) OVER_LANES(T, and, AND, (T)~0) OVER_LANES(T, or, OR, 0) OVER_LANES(T, xor, XOR, 0)
INTEGERS(char, CHAR_MIN, CHAR_MAX)
INTEGERS(uchar, 0, UCHAR_MAX)
INTEGERS(short, SHRT_MIN, SHRT_MAX)
INTEGERS(ushort, 0, USHRT_MAX)
WIDE_INTEGERS(INTEGERS) FLOATS(NUMBERS)

#define LOGICAL(NAME) \
    OVERLOAD int sub_group_non_uniform_reduce_logical_##NAME(int x) { return sub_group_non_uniform_reduce_##NAME((int)(x != 0)); } \
    OVERLOAD int sub_group_non_uniform_scan_inclusive_logical_##NAME(int x) \
    { \
        return sub_group_non_uniform_scan_inclusive_##NAME((int)(x != 0)); \
    } \
    OVERLOAD int sub_group_non_uniform_scan_exclusive_logical_##NAME(int x) \
    { \
        return sub_group_non_uniform_scan_exclusive_##NAME((int)(x != 0)) != 0; \
    } \
    OVERLOAD int sub_group_clustered_reduce_logical_##NAME(int x, uint size) \
    { \
        return sub_group_clustered_reduce_##NAME((int)(x != 0), size); \
    }
LOGICAL(and) LOGICAL(or) LOGICAL(xor)
