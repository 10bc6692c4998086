/* Registers that a text uses. */
#ifndef VENTUS_ASM_USED_H
#define VENTUS_ASM_USED_H

#include <stddef.h>
#include <stdint.h>

#include "isa/isa.h"

/* Registers that the instructions of a text need in a warp of 32 lanes, with those that pairs, wide accesses and
 * matrices take, rounded up to four, at most what a warp can have. A word that is data counts as well. */
void asm_used_registers(enum isa_profile profile, const uint32_t *text, size_t nwords, uint32_t *vgprs,
                        uint32_t *sgprs);

#endif
