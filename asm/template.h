/* Inline assembly: a template and its operands to words. */
#ifndef VENTUS_ASM_TEMPLATE_H
#define VENTUS_ASM_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "asm/assemble.h"

/* What a template's operand stands for. */
struct asm_operand {
    enum { ASM_OPERAND_X, ASM_OPERAND_V, ASM_OPERAND_NUMBER, ASM_OPERAND_AT_X, ASM_OPERAND_AT_V } kind;
    int32_t
        value; /* register number, or the number; AT: the register with the address of memory, written 0(register) */
};

/* Assembles a template, in which $N, ${N} or %N is operand N and $$ or %% a single one. ${N:z} is `zero` where the
 * operand is the number 0, ${N:i} an i where it is a number, else nothing; ${:uid} is a number, always
 * the same, since no label of a template is seen outside it. The words are malloc'ed and do not depend on their place.
 * `options` may be NULL. Messages name "<inline asm>". */
bool asm_template(const struct asm_options *options, const char *text, const struct asm_operand *operands,
                  size_t noperands, uint32_t **words, size_t *nwords, FILE *log);

/* Does this text name a register of the machine? */
bool asm_is_register(const char *name, size_t length);

#endif
