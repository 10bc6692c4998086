/* The instruction manual, derived from the tables. */
#ifndef VENTUS_ISA_MANUAL_H
#define VENTUS_ISA_MANUAL_H

#include <stdio.h>

#include "isa.h"

/* Prints the whole manual as Markdown: operands, CSRs, every instruction. */
void isa_manual(FILE *out);

/* Prints the entries with this mnemonic; false when there is none. */
bool isa_explain_name(const char *name, FILE *out);

/* Decodes the instruction at words[0] and prints every field and its entry; false when it is no
 * instruction of the profile. */
bool isa_explain_word(enum isa_profile profile, const uint32_t *words, size_t nwords, FILE *out);

#endif
