/* What isa.c derives from the tables at first use, for decode.c, encode.c and print.c alone. */
#ifndef VENTUS_ISA_TABLES_H
#define VENTUS_ISA_TABLES_H

#include "isa.h"

struct isa_fixed {
    uint64_t mask, match;
    uint8_t bits;                           /* 32 or 64 */
    char letters[15];                       /* the operand letters of the pattern */
    const struct isa_operand *operands[16]; /* the same as rows of operand.def, ended by NULL */
    uint32_t roles;                         /* bit r: an operand of enum operand_role r, ... */
    uint8_t scalars, vectors;               /* ... which is a register of this kind */
};

/* Builds the derived tables once; cheap and thread-safe afterwards. */
void isa_init(void);
const struct isa_fixed *isa_fixed(unsigned op);

/* The operands of a vector branch, from the order of the word to that of struct insn, or back. */
void isa_order_branch(enum isa_profile profile, struct insn *in);

/* What a word may be, going by its opcode, bits 14:12 and 31:28; a list ended by op 0. Mask and match
 * are those of the first word. */
struct isa_candidate {
    uint32_t mask, match;
    uint16_t op;
    uint8_t revisions, bits;
};
const struct isa_candidate *isa_candidates(uint32_t word);

#endif
