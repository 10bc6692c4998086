/* What is known of a kernel's IR (struct value, struct block): its flow, what is live, what differs between lanes. */
#ifndef VENTUS_ANALYSIS_H
#define VENTUS_ANALYSIS_H

#include "compiler/machine/machine.h"

/* ---- flow.c ---- */
void flow_run(struct func *f);
/* The first part of it: numbers blocks and values, makes the graphs. */
void flow_number(struct func *f);
/* Number of an argument or instruction, NO_NODE for everything else. */
uint32_t value_of(const struct func *f, LLVMValueRef v);
/* The address without trailing constant offsets, which are added to *offset. */
LLVMValueRef address_base(struct func *f, LLVMValueRef pointer, uint32_t *offset);
/* The object an address is derived from by getelementptr. */
LLVMValueRef address_object(LLVMValueRef pointer);
uint64_t type_size(struct func *f, LLVMTypeRef type);
/* Splits the offset of a getelementptr: returns the constant part; with `scale`, variable index i
 * (operand i) counts scale[i] bytes and constant ones 0. */
uint32_t gep_offset(struct func *f, LLVMValueRef gep, uint32_t *scale);

/* ---- divergence.c ---- */
void divergence_run(struct func *f);

/* ---- types.c ---- */
/* Number of 32-bit parts of a type, and the part a member begins at. */
unsigned type_parts(struct func *f, LLVMTypeRef type);
unsigned member_part(struct func *f, LLVMTypeRef type, unsigned index);
/* Bits of an integer, half or double; other one-part types count 32. */
unsigned type_bits(LLVMTypeRef type);
/* IR as text for messages, at most 120 characters. */
const char *text_of(struct func *f, LLVMValueRef v);
const char *text_of_type(struct func *f, LLVMTypeRef type);

/* ---- constraints.c: inline assembly ---- */
bool is_inline_asm(LLVMValueRef value);
/* Is this a result of inline assembly in a scalar register, or are all its results? */
bool asm_is_uniform(LLVMValueRef value);
struct constraint {
    bool output, early, indirect, clobber;
    bool scalar, vector, number, memory;
    int tied; /* the operand whose place this one has, -1 if none */
    const char *text;
    unsigned length;
};
/* Takes the constraint at *text, and the comma behind it; false at the end. */
bool next_constraint(const char **text, const char *end, struct constraint *c);
const char *constraints_of(LLVMValueRef inst, const char **end);

#endif
