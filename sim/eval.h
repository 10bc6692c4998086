/* Arithmetic out of line: what the engine's inline lanes cannot do, slowly and exactly.
 *
 * eval.c computes the expression of a table row for one lane, with exact floating point, rounding modes
 * and flags, in words of 8, 16, 32 or 64 bits. exact.c runs an instruction with it: it reads and writes the
 * registers as prefixes, pairs and 64-bit compute words demand. */
#ifndef VENTUS_SIM_EVAL_H
#define VENTUS_SIM_EVAL_H

#include "isa/isa.h"
#include "sim/softfp.h"

/* ---- eval.c ---- */

struct operands {
    uint64_t vs2, vs1, vd, rs1, rs2, rs3, imm; /* as the names in the table; each function takes its width of them */
    uint32_t pc, lane, mask_bit, aux;
    enum fp_format format; /* of operands and result of the f_ helpers */
    struct fp_env env;     /* rounding mode; flags accrue */
    uint8_t vxrm, vxsat;   /* rounding of fixed-point results; becomes 1 when one saturates */
    uint8_t sew;           /* bits of an element, of which widening rows make twice as many */
    uint8_t bits, omod;    /* 64-bit compute words: bits of an element, scale of the result */
    const uint32_t *row;   /* vs2 of all lanes ... */
    uint32_t lanes;        /* ... of which these exist */
};

/* The value of the row's expression, whatever that is (isa/kind.def); 0 for rows without. Of atomics it is the new
 * word, vd being the old one and vs2 the operand; of CSRs the new value, vd being the old one. */
uint64_t eval8(enum isa_op op, struct operands *o); /* standard vector rows and vector branches; so eval16 */
uint64_t eval16(enum isa_op op, struct operands *o);
uint64_t eval32(enum isa_op op, struct operands *o);
uint64_t eval64(enum isa_op op, struct operands *o);

#endif
