/* Page tables of SV39, which the driver writes (driver/space.c) and the machine reads (translate.c). They have three
 * levels of 512 entries of eight bytes; an entry is a physical page number and bits that say what it is. */
#ifndef VENTUS_SIM_SV39_H
#define VENTUS_SIM_SV39_H

#include <stdint.h>

#include "isa/abi.h"

enum { SV39_LEVELS = 3, SV39_INDEX_BITS = 9, SV39_ENTRY_BYTES = 8, SV39_NUMBER_SHIFT = 10 };

/* An entry with R, W or X names a page, one with V alone the next table. */
enum sv39_bits { SV39_V = 1, SV39_R = 2, SV39_W = 4, SV39_X = 8 };

/* Makes the entry of a page or table at a physical address. */
static inline uint64_t sv39_entry(uint32_t physical, unsigned bits)
{
    return (uint64_t)(physical / ABI_PAGE) << SV39_NUMBER_SHIFT | bits;
}

#endif
