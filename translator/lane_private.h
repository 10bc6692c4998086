/* Private memory of a lane whose code runs alone, and may be taken back (nest.c). Most addresses of a block are a few
 * registers, shifted, with something added: arrays and what follows them. Of those that differ by a known number of
 * words, one is compared with the size of private memory, for all, and the others lie at constant distances from it. */
#ifndef VENTUS_TRANSLATOR_LANE_PRIVATE_H
#define VENTUS_TRANSLATOR_LANE_PRIVATE_H

#include "translator/translator.h"

enum { LANE_ROWS = 8 }; /* a guess */

/* What is known in a block, and behind it in blocks that control comes to from nowhere else. */
struct lane_private {
    struct lane_offset { /* (root << shift) + add */
        uint16_t root;   /* a word that nothing is known of */
        uint8_t shift;
        uint32_t add;
    } registers[ISA_VREGS];
    uint16_t nroots;
    unsigned nrows;
    struct lane_row {              /* offsets that have been compared */
        struct lane_offset offset; /* that of `host` */
        int32_t least, most;       /* all of them, between these distances from it */
        LLVMValueRef host;         /* its word */
    } rows[LANE_ROWS];
};

/* A lane begins; nothing is known. */
void lane_private_begin(struct translator *t);
void lane_private_forget(struct lane_private *p);

/* Behind an instruction. */
void lane_private_step(const struct translator *t, struct lane_private *p, const struct node *n);

/* Where a load or store finds its word, on the host; control goes to `bad` if that is beyond the lane's private memory,
 * or not aligned. */
LLVMValueRef lane_private_address(struct translator *t, struct lane_private *p, const struct node *n,
                                  LLVMBasicBlockRef bad);

#endif
