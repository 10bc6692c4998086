/* Division and square root as the Verilog RTL rounds them.
 *
 * Its unit computes 27 bits of the quotient or root, the first of which is 0 for a quotient below 1, and rounds them as
 * if nothing followed: the remainder does not count. Called by imitate.c. */
#include "quirks/parts.h"

enum { BITS = 27, FRACTION = 23, BIAS = 127 };
#define HIDDEN        (UINT32_C(1) << FRACTION)
#define INFINITY_BITS UINT32_C(0x7f800000)
#define LARGEST       UINT32_C(0x7f7fffff)

/* The unpacked with its leading 1 in place, and the exponent that it then has. */
static uint64_t unpacked(uint32_t a, int *exponent)
{
    uint32_t fraction = a & (HIDDEN - 1);
    *exponent = (int)(a >> FRACTION & 255);
    if (*exponent) return fraction | HIDDEN;
    int shift = __builtin_clz(fraction) - (31 - FRACTION);
    *exponent = 1 - shift;
    return (uint64_t)fraction << shift;
}

static bool rounds_up(uint64_t kept, uint64_t rest, uint64_t half, bool negative, unsigned round)
{
    switch (round) {
    case 0: return rest > half || (rest == half && (kept & 1));
    case 2: return rest && !negative; /* up, where frm means down ... */
    case 3: return rest && negative;  /* ... and the other way round */
    case 4: return kept & 1;
    default: return false;
    }
}

/* `bits` has BITS bits, the point is behind the first one. */
static uint32_t rounded(bool negative, uint64_t bits, int exponent, unsigned round)
{
    const uint32_t sign = (uint32_t)negative << 31;
    if (exponent > 255) return sign | LARGEST;
    if (!(bits >> (BITS - 1))) bits <<= 1, exponent--;
    uint64_t wide = bits << (53 - BITS); /* what the unit shifts out of 53 bits is gone */
    if (exponent < 1) wide = exponent < -51 ? 0 : wide >> (1 - exponent);
    const uint64_t below = UINT64_C(1) << (53 - 1 - FRACTION), kept = wide / below, rest = wide % below;
    uint32_t result = (uint32_t)kept + rounds_up(kept, rest, below / 2, negative, round);
    if (exponent > 0) result += (uint32_t)(exponent - 1) << FRACTION;
    return sign | (result < INFINITY_BITS ? result : INFINITY_BITS);
}

uint32_t quirk_quotient(uint32_t a, uint32_t b, unsigned round)
{
    int ea, eb;
    uint64_t x = unpacked(a, &ea), y = unpacked(b, &eb);
    return rounded((a ^ b) >> 31, (x << (BITS - 1)) / y, ea - eb + BIAS, round);
}

/* The largest number whose square is not above n. */
static uint64_t root(uint64_t n)
{
    uint64_t r = 0;
    for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
        if ((r | bit) * (r | bit) <= n) r |= bit;
    return r;
}

uint32_t quirk_root(uint32_t a, unsigned round)
{
    int exponent;
    uint64_t x = unpacked(a, &exponent);
    exponent -= BIAS;
    if (exponent & 1) x <<= 1, exponent--;
    return rounded(false, root(x << (2 * (BITS - 1) - FRACTION)), exponent / 2 + BIAS, round);
}
