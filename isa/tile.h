/* Matrix tiles: what the codes of an instruction of kind MMA name, and which registers its matrices take
 * (ISA notes 10).
 *
 * A matrix lies in a group of consecutive vector registers, 32 / w elements of w bits in each lane, low
 * bits first. Element number i of a group is part i % (32/w) of word i / (32/w), and word j is lane
 * j % lanes of register j / lanes. The 6-bit formats take a byte each, its upper two bits ignored. */
#ifndef VENTUS_ISA_TILE_H
#define VENTUS_ISA_TILE_H

#include "isa.h"

/* Elements of A and B, in the order of the codes (abtype; DT of mma64). F32 has no code of its own: it is what code 0
 * means in the document, where the public tools have TF32, and what vftta.vv multiplies. */
// clang-format off
enum tile_element {
    TILE_TF32, TILE_F16, TILE_BF16, TILE_E4M3, TILE_E5M2, TILE_S8, TILE_S4, TILE_B1, TILE_E3M2, TILE_E2M3, TILE_E2M1, TILE_E3M0,
    TILE_F32, TILE_ELEMENTS,
};
// clang-format on

enum { TILE_MAX_INPUTS = 1024, TILE_MAX_RESULTS = 256 }; /* elements of A and of B, of C */

/* Lanes of the descriptor of a matrix in local memory: its address, and bytes from one of its rows (columns, as the
 * layout says) to the next. */
enum tile_descriptor { TILE_ADDRESS, TILE_STRIDE, TILE_DESCRIPTOR_WORDS };
enum { TILE_GROUP = 4 /* warps of a warp group; each has m rows of the A that they have in memory */ };

struct tile {
    uint8_t m, n, k;         /* A is m x k, B k x n, C and D m x n */
    uint8_t element;         /* enum tile_element of A and B ... */
    uint8_t bits;            /* ... and the share of a register that one takes */
    uint8_t lanes;           /* of the warp */
    bool a_col, b_col;       /* column-major: A contiguous along m instead of k; B along k instead of n */
    bool a_memory, b_memory; /* in local memory, and the register is its descriptor (enum tile_descriptor) */
    bool half;               /* C and D are f16, else f32 or s32 */
    uint8_t block;           /* columns of C that lie side by side; all rows of one block, then the next block */
    uint8_t round;           /* numbered as frm, 0 to 3 */
    bool saturate, relu, fused;
    uint8_t c;                          /* first register of C: D's, unless the two are separate */
    uint16_t words_a, words_b, words_c; /* of 32 bits, in their groups or descriptors; those of D as those of C */
    uint16_t registers;                 /* highest register of the four groups + 1, which may exceed ISA_VREGS */
};

/* The tile of an instruction of kind MMA in a warp of `lanes` lanes. NULL, or a static text why there is none. The same
 * word is another tile in another profile, but takes the same registers. */
const char *isa_tile(const struct insn *in, enum isa_profile profile, unsigned lanes, struct tile *tile);

#endif
