/* Values of other lanes of a warp: words by the machine's shuffle, others made of them. */
#ifndef OTHER_LANES_H
#define OTHER_LANES_H

#include "library.h"

#define LANE() __ventus_lane()

/* x of lane number `lane`, the own one where there is none. */
#define WORD(T, BITS) \
    static inline OVERLOAD T from_lane(T x, uint lane) \
    { \
        return as_##T((BITS)__ventus_shuffle(as_##BITS(x), lane - LANE())); \
    }
#define TWO_WORDS(T, BITS) \
    static inline OVERLOAD T from_lane(T x, uint lane) \
    { \
        const BITS bits = as_##BITS(x); \
        const uint low = __ventus_shuffle((uint)bits, lane - LANE()), \
                   high = __ventus_shuffle((uint)(bits >> 32), lane - LANE()); \
        return as_##T((BITS)high << 32 | low); \
    }
#define LANE_WORDS(F) \
    F(char, uchar) \
    F(uchar, uchar) F(short, ushort) F(ushort, ushort) F(int, uint) F(uint, uint) F(half, ushort) F(float, uint)
#define LANE_PAIRS(F) F(long, ulong) F(ulong, ulong) F(double, ulong)
LANE_WORDS(WORD)
LANE_PAIRS(TWO_WORDS)

/* Is OP(x, x) the same as x? */
#define SUM_OF_SAME      false
#define LEAST_OF_SAME    true
#define GREATEST_OF_SAME true

/* Where all lanes take part: the result of the lanes up to its own, in steps of doubled distance. Lanes that have
 * nobody so far in front of them find their own word there. */
#define SCAN_ALL(T, NAME, OP) \
    static OVERLOAD T scan_all_##NAME(T x) \
    { \
        for (uint step = 1; step < 32; step *= 2) { \
            T other = from_lane(x, LANE() - step), both = OP(other, x); \
            x = OP##_OF_SAME || LANE() >= step ? both : x; \
        } \
        return x; \
    }

#endif
