/* Sets of registers, and which are whose by the convention of functions that other objects see (docs/abi.md). */
#ifndef VENTUS_REGISTERS_H
#define VENTUS_REGISTERS_H

#include <llvm-c/Core.h>

#include "isa/effects.h"

/* ---- registers.c ---- */
/* Adds a register to a set. */
void registers_add(struct isa_registers *set, bool vector, unsigned number);
void registers_add_all(struct isa_registers *set, const struct isa_registers *more);

/* ---- convention.c ---- */
/* The registers that a call of a function of another object may change. */
struct isa_registers convention_written(void);
/* Those that a function has to save if it uses them. */
struct isa_registers convention_saved(void);
/* The words of `type` begin at an even one of the registers. */
bool convention_is_paired(LLVMTypeRef type);

#endif
