/* The short names that the columns `flags` and `revisions` of the instruction table are written in. Included where
 * those columns are expanded: isa.c makes data of them, the engine constants. */
#ifndef VENTUS_ISA_FLAGS_H
#define VENTUS_ISA_FLAGS_H

#include "isa.h"

// clang-format off
enum {
    ROUND = ISA_ROUND, V0 = ISA_V0, IMMHI = ISA_IMMHI, EVEN = ISA_EVEN, LONG = ISA_LONG, FP = ISA_FP, SAT = ISA_SAT, VXRM = ISA_VXRM,
    PAIR_D = ISA_PAIR_D, PAIR_1 = ISA_PAIR_1, PAIR_2 = ISA_PAIR_2, PAIR = ISA_PAIR, SINGLE = ISA_SINGLE,
    READS_D = ISA_READS_D, ALWAYS = ISA_ALWAYS, VALUES = ISA_VALUES, CANON = ISA_CANON, NUMBERS = VALUES | CANON,
    NEAREST = ISA_NEAREST, NEAR = FP | NUMBERS | NEAREST,
    U8 = 1 << ISA_BYTES_SHIFT, U16 = 2 << ISA_BYTES_SHIFT, U32 = 4 << ISA_BYTES_SHIFT, I8 = U8 | ISA_SIGNED, I16 = U16 | ISA_SIGNED,
    BASE = ISA_BASE, R20 = ISA_R20, R21 = ISA_R21, R2025 = ISA_R2025, IMPL = ISA_IMPL, EXTRA = ISA_EXTRA,
};
// clang-format on
#define SPACE(space)         ((space) << ISA_SPACE_SHIFT)
#define MEMORY(space, width) (ISA_MEMORY | (space) << ISA_SPACE_SHIFT | (width) << ISA_WIDTH_SHIFT)

#endif
