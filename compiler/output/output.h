/* The ELF of a program, or of a draft of one. */
#ifndef VENTUS_OUTPUT_H
#define VENTUS_OUTPUT_H

#include "compiler/core/cc.h"

/* ---- output.c ---- */
/* Compiles everything to words from ABI_CODE_BASE on, without start code, for an object. */
void output_compile(struct cc *cc);
/* The words in front of a routine of the library that stands for an operation: *n of them, perhaps none. */
const uint32_t *output_mark(struct cc *cc, const struct kernel *kernel, uint32_t *n);
/* Places the start code and kernels at ABI_CODE_BASE and constants behind them, compiles each
 * kernel, writes the ELF (malloc'ed). */
void output_program(struct cc *cc, void **bytes, size_t *size);
/* Writes a draft: an ELF with the note of cc->kernels, which end at once, and `object`, `object_size` bytes. */
void output_draft(struct cc *cc, const void *object, size_t object_size, void **bytes, size_t *size);

/* ---- object.c ---- */
/* Compiles functions and kernels, writes the object (malloc'ed). */
void object_program(struct cc *cc, void **bytes, size_t *size);

/* ---- draft.c: programs whose kernels are compiled one by one ---- */
/* Makes a draft of cc->module (malloc'ed). */
void draft_save(struct cc *cc, void **bytes, size_t *size);
/* False if this is no draft. Else cc->module is what the first half of prepare.c has left of the program, with `kernel`
 * as its only kernel; NULL: with all. Ends with CC_FAILED if there is no such kernel; `name` is for messages. */
bool draft_open(struct cc *cc, const void *bytes, size_t size, const char *name, const char *kernel);

#endif
