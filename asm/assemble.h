/* The assembler: source text (docs/assembler.md) to a program or an object. */
#ifndef VENTUS_ASM_ASSEMBLE_H
#define VENTUS_ASM_ASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "asm/image.h"
#include "isa/isa.h"

struct asm_options {
    enum isa_profile profile; /* 0: PROFILE_DEFAULT */
    bool includes;            /* .include may read files; else it is an error */
    const char *start;        /* start code, in front of the text of a program that has kernels and no _start;
                               * NULL: none */
};

/* Assembles the `size` bytes at `source` for the address `base`, a multiple of four, into *image, to be released with
 * elf_free. Messages go to `log` (NULL: nowhere), as "name:line:column: error: ..." with the line and a caret; all
 * mistakes of the source are told, up to 20. Returns true when there were none. */
bool asm_assemble_with(const struct asm_options *options, const char *name, const char *source, size_t size,
                       uint32_t base, struct elf_image *image, FILE *log);

/* The same without options. */
bool asm_assemble(const char *name, const char *source, size_t size, uint32_t base, struct elf_image *image, FILE *log);

/* Assembles into the bytes (malloc'ed) of a relocatable object, ELF32 ET_REL with the relocations of
 * the RISC-V ABI; symbols that are not defined are left to the linker. Messages as above. */
bool asm_assemble_object(const struct asm_options *options, const char *name, const char *source, size_t size,
                         void **bytes, size_t *nbytes, FILE *log);

#endif
