/* Branches and jumps of 16 bits, which the instruction table does not have.
 *
 * Called by layout.c and link.c. */
#include "asm/owned.h"

uint16_t asm_scatter_half(char letter, int32_t distance)
{
    /* The bit of the distance that each of the bits from 2 on holds. */
    static const uint8_t branch[] = {5, 1, 2, 6, 7, 0, 0, 0, 3, 4, 8}, jump[] = {5, 1, 2, 3, 7, 6, 10, 8, 9, 4, 11};
    const uint8_t *bits = letter == 'b' ? branch : jump;
    uint16_t out = 0;
    for (unsigned i = 0; i < sizeof branch; i++)
        if (bits[i]) out |= (uint16_t)((uint32_t)distance >> bits[i] & 1) << (i + 2);
    return out;
}
