/* From IR to machine instructions on virtual registers. */
#ifndef VENTUS_SELECT_H
#define VENTUS_SELECT_H

#include "compiler/analysis/analysis.h"

/* ---- select.c: blocks, branches, phis ---- */
void select_run(struct func *f);

/* ---- select/value.c: values and constants as 32-bit parts ---- */
/* All 32-bit parts of a value or constant. */
const struct opd *parts(struct func *f, LLVMValueRef v);
uint32_t local_offset(struct func *f, LLVMValueRef global);

/* ---- select/routine.c: calls of routines, and their own arguments and results ---- */
/* True if the call is one of a routine. */
bool select_routine_call(struct func *f, LLVMValueRef call, struct opd *out);
void select_routine_arguments(struct func *f);
/* Before selection: what is called, and the private memory that this needs. */
void select_routine_calls(struct func *f);
/* Behind that: what the convention of docs/abi.md wants of private memory and registers. */
void select_routine_frame(struct func *f);
void select_routine_return(struct func *f, LLVMValueRef ret);

/* ---- select/alu.c: operations on 32-bit parts, scalar or vector as the operands are ---- */
// clang-format off
enum alu {
    ADD, SUB, AND, OR, XOR, SLL, SRL, SRA, MUL, MULH, MULHU, DIV, DIVU, REM, REMU,
    SLT, SLTU, SEQ, SNE, MIN, MAX, MINU, MAXU, SADDU, SADD, SSUBU, SSUB,
    FADD, FSUB, FMUL, FDIV, FMIN, FMAX, FSGNJ, FSGNJN, FSGNJX, FEQ, FNE, FLT, FLE, NALU
};
// clang-format on
struct opd alu(struct func *f, enum alu op, struct opd a, struct opd b);
bool is_v(const struct func *f, struct opd o);
int32_t to_s(struct func *f, struct opd o); /* into a scalar register; V must be uniform */
/* Copies a value or constant into a register. */
void emit_copy(struct func *f, int32_t to, struct opd from);
int32_t to_v(struct func *f, struct opd o); /* into a vector register */
struct opd zero_extend(struct func *f, struct opd o, unsigned bits);
struct opd sign_extend(struct func *f, struct opd o, unsigned bits);
struct opd select_opd(struct func *f, struct opd c, struct opd a, struct opd b);
struct opd not1(struct func *f, struct opd c);
struct opd unary(struct func *f, unsigned sop, unsigned vop, struct opd a, uint8_t rm);
struct opd fma_opd(struct func *f, struct opd a, struct opd b, struct opd c, bool negate_product, bool negate_sum);
/* An operation on the two halves of words, which has no scalar form. */
struct opd halves_opd(struct func *f, unsigned op, struct opd a, struct opd b);
/* The vector-vector form of a vector-scalar operation, or OP_INVALID. */
unsigned vv_form(unsigned op);

/* ---- select/int.c: integers of any width, as arrays of parts ---- */
struct num {
    struct opd p[2];
    unsigned bits;
}; /* up to 64 bits; p[1] only above 32 */
struct num num_of(struct func *f, LLVMValueRef v);
void num_extend(struct func *f, struct num *n, bool is_signed);
struct num num_add(struct func *f, struct num a, struct num b);
struct num num_sub(struct func *f, struct num a, struct num b);
struct num num_shift(struct func *f, enum alu op, struct num a, struct num n);
struct num num_logic(struct func *f, enum alu op, struct num a, struct num b);
struct num num_select(struct func *f, struct opd c, struct num a, struct num b);
struct num num_imm(unsigned bits, uint64_t v);
/* a `predicate` b as 0 or 1; the operands are extended as the predicate needs. */
struct opd num_compare(struct func *f, LLVMIntPredicate predicate, struct num a, struct num b);
bool select_integer(struct func *f, LLVMValueRef inst, struct opd *out);
bool select_cast(struct func *f, LLVMValueRef inst, struct opd *out);
/* `width` bits of a value seen as a row of bits, beginning at bit `at`; width <= 32. Bits above them may be garbage. */
struct opd value_bits(struct func *f, LLVMValueRef v, unsigned at, unsigned width);
struct opd float_compare(struct func *f, LLVMRealPredicate predicate, struct opd a, struct opd b, bool *negate);

/* ---- select/wide.c ---- */
/* Moves and logic of integers of more than 64 bits; false if the instruction is something else. */
bool select_wide(struct func *f, LLVMValueRef inst, struct opd *out);

/* ---- select/mem.c ---- */
bool select_memory(struct func *f, LLVMValueRef inst, struct opd *out);
void select_arguments(struct func *f);
/* Where private variables lie, if that is relative to f->frame_base. */
void select_frame_addresses(struct func *f);
/* The address of the group's own local memory, as f->local_base. Unused, it goes in the peephole pass. */
void select_local_base(struct func *f);
void select_frame(struct func *f);

/* ---- select/call.c ---- */
void select_call(struct func *f, LLVMValueRef inst, struct opd *out);

void select_asm(struct func *f, LLVMValueRef inst, struct opd *out);
/* Assembles the text of an OP_ASM whose registers are known. */
void asm_assemble_text(struct func *f, struct asm_text *text, uint32_t line);

#endif
