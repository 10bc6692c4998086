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
    enum { ASM_OPERAND_X, ASM_OPERAND_V, ASM_OPERAND_NUMBER } kind;
    int32_t value; /* register number, or the number */
};

/* Assembles a template, in which $N, ${N} or %N is operand N and $$ or %% a single one. The words are
 * malloc'ed and do not depend on their place. `options` may be NULL. Messages name "<inline asm>". */
bool asm_template(const struct asm_options *options, const char *text, const struct asm_operand *operands,
                  size_t noperands, uint32_t **words, size_t *nwords, FILE *log);

#endif
