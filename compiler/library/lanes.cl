/* For machines that have no shuffle, and atomic operations on scalars alone: lower.c calls these there. The
 * active lanes take turns, in ascending order; in its turn a lane is alone, so that scalars can hold its address and
 * value. */
#include "library.h"

#define AMO(NAME, INSTRUCTION, VALUE) \
    uint __ventus_each_##NAME(uint address, uint value) \
    { \
        uint old = 0; \
        EACH_LANE old = INSTRUCTION(__ventus_first(address), __ventus_first(VALUE)); \
        return old; \
    }
AMO(xchg, __ventus_amoswap, value)
AMO(add, __ventus_amoadd, value)
AMO(sub, __ventus_amoadd, -value)
AMO(and, __ventus_amoand, value)
AMO(or, __ventus_amoor, value)
AMO(xor, __ventus_amoxor, value)
AMO(max, __ventus_amomax, value)
AMO(min, __ventus_amomin, value)
AMO(umax, __ventus_amomaxu, value)
AMO(umin, __ventus_amominu, value)

/* Operations without an instruction: NEXT is made of `old`, until nobody has written in between. */
#define RETRIED(NAME, T, NEXT) \
    T __ventus_each_##NAME(uint address, T value) \
    { \
        T result = 0; \
        EACH_LANE \
        { \
            uint at = __ventus_first(address); \
            T old; \
            do old = as_##T(__ventus_lr(at)); \
            while (__ventus_sc(at, __ventus_first(as_uint(NEXT)))); \
            result = old; \
        } \
        return result; \
    }
RETRIED(nand, uint, ~(old & value))
RETRIED(uinc_wrap, uint, old >= value ? 0 : old + 1)
RETRIED(udec_wrap, uint, min(old - 1, value))
RETRIED(fadd, float, old + value)
RETRIED(fsub, float, old - value)
RETRIED(fmax, float, fmax(old, value))
RETRIED(fmin, float, fmin(old, value))

uint __ventus_each_cmpxchg(uint address, uint expected, uint value)
{
    uint old = 0;
    EACH_LANE
    {
        uint at = __ventus_first(address), want = __ventus_first(expected), next = __ventus_first(value);
        do old = __ventus_lr(at);
        while (old == want && __ventus_sc(at, next));
    }
    return old;
}

/* Lanes that take different ways of a branch do not disturb each other: each has a place of its own. */
uint __ventus_shuffle_in_memory(uint x, uint distance)
{
    uint lane = __ventus_lane(), from = lane + distance;
    volatile __local uint *places = (volatile __local uint *)places_of(__ventus_csr(CSR_WID));
    places[lane] = x;
    return places[from < __ventus_csr(CSR_NUMT) ? from : lane];
}

uint __ventus_vote_each(uint place, uint bits)
{
    __ventus_amoand(place, 0);
    EACH_LANE __ventus_amoor(place, __ventus_first(bits));
    return __ventus_amoor(place, 0);
}
