/* Branches and jumps of 16 bits, which the instruction table does not have.
 *
 * Called by layout.c, object.c and relocate.c. */
#include <elf.h>

#include "asm/owned.h"

static const struct half halves[] = {
    {'b', R_RISCV_RVC_BRANCH, 1 << 8, {5, 1, 2, 6, 7, 0, 0, 0, 3, 4, 8}},
    {'j', R_RISCV_RVC_JUMP, 1 << 11, {5, 1, 2, 3, 7, 6, 10, 8, 9, 4, 11}},
};
enum { HALVES = sizeof halves / sizeof *halves };

const struct half *asm_half(char letter)
{
    for (int i = 0; i < HALVES; i++)
        if (halves[i].letter == letter) return &halves[i];
    return NULL;
}

const struct half *asm_half_relocated(unsigned type)
{
    for (int i = 0; i < HALVES; i++)
        if (halves[i].relocation == type) return &halves[i];
    return NULL;
}

uint16_t asm_half_bits(const struct half *half, int32_t distance)
{
    uint16_t out = 0;
    for (unsigned i = 0; i < HALF_BITS; i++)
        if (half->places[i]) out |= (uint16_t)((uint32_t)distance >> half->places[i] & 1) << (i + 2);
    return out;
}
