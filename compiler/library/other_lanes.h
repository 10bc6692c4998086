/* Values of other lanes of a warp: words by the machine's shuffle, others made of them. */
#ifndef OTHER_LANES_H
#define OTHER_LANES_H

#include "library.h"

#define LANE() __ventus_lane()

/* x of lane number `lane`, the own one where there is none. */
#define WORD(T) \
    static inline OVERLOAD T from_lane(T x, uint lane) { return (T)__ventus_shuffle((uint)x, lane - LANE()); }
#define TWO_WORDS(T) \
    static inline OVERLOAD T from_lane(T x, uint lane) \
    { \
        return (T)((ulong)from_lane((uint)((ulong)x >> 32), lane) << 32 | from_lane((uint)x, lane)); \
    }
WORD(char) WORD(uchar) WORD(short) WORD(ushort) WORD(int) WORD(uint) TWO_WORDS(long) TWO_WORDS(ulong)
static inline OVERLOAD float from_lane(float x, uint lane) { return as_float(from_lane(as_uint(x), lane)); }
static inline OVERLOAD half from_lane(half x, uint lane) { return as_half(from_lane(as_ushort(x), lane)); }
static inline OVERLOAD double from_lane(double x, uint lane) { return as_double(from_lane(as_ulong(x), lane)); }

/* Where all lanes take part: the result of the lanes up to its own, in steps of doubled distance. */
#define SCAN_ALL(T, NAME, OP) \
    static OVERLOAD T scan_all_##NAME(T x) \
    { \
        for (uint step = 1; step < 32; step *= 2) { \
            T other = from_lane(x, LANE() - step), both = OP(other, x); \
            x = LANE() < step ? x : both; \
        } \
        return x; \
    }

#endif
