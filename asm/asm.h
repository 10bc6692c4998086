/* Assembler text and ELF files: the forms in which programs come and go. */
#ifndef VENTUS_ASM_H
#define VENTUS_ASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "isa/abi.h"
#include "isa/isa.h"

/* ---- elf.c: ELF32 executables, through libelf ---- */

struct elf_symbol {
    const char *name;
    uint32_t value, size;
    bool function;
};

/* A program in memory: one text and one read-only data section, both at fixed addresses. For
 * elf_write everything is the caller's; from elf_read it belongs to the image (elf_free). */
struct elf_image {
    uint32_t entry;
    uint32_t text_addr;
    const uint32_t *text;          /* text_words words */
    size_t text_words;
    uint32_t rodata_addr;
    const uint8_t *rodata;
    size_t rodata_size;
    const struct elf_symbol *symbols;
    size_t nsymbols;
    const char *note;              /* text of the "Ventus" note, NULL if there is none */
    const uint16_t (*resources)[4]; /* {vgpr, sgpr, lds, pds} per kernel, section .rodata.ventus.resource */
    size_t nresources;
    void *owner;                   /* elf_read's memory */
};

/* Writes an ET_EXEC ELF32 RISC-V file: LOAD segments for text (R+X) and rodata (R), symbol table,
 * note section, resource records. *bytes is malloc'ed. False on failure; *why is a static text. */
bool elf_write(const struct elf_image *image, void **bytes, size_t *size, const char **why);

/* One loadable piece of a file, as the program headers have it. */
struct elf_segment {
    uint32_t addr, filesize, memsize;
    bool executable, writable;
    const void *data; /* filesize bytes, inside the caller's file bytes */
};

/* Reads any ELF32 little-endian RISC-V executable. `bytes` must outlive the result. text/rodata
 * above are those of sections .text and .rodata where present. At most `max` segments are stored;
 * *nsegments is how many there are. Hostile files give false and a static text in *why. */
bool elf_read(const void *bytes, size_t size, struct elf_image *image, struct elf_segment *segments,
              size_t max, size_t *nsegments, const char **why);
void elf_free(struct elf_image *image);

/* ---- asm.c: assembler ---- */

/* Assembles GNU-style source text at `base` into *image (release with elf_free). Diagnostics as
 * "name:line:column: error: ..." with the line and a caret go to `log`; all errors of the text are
 * reported, up to 20. Returns true when there were none. */
bool asm_assemble(const char *name, const char *source, size_t size, uint32_t base, struct elf_image *image, FILE *log);

/* The same with options. */
struct asm_options {
    enum isa_profile profile; /* 0: PROFILE_DEFAULT */
};
bool asm_assemble_with(const struct asm_options *options, const char *name, const char *source, size_t size, uint32_t base,
                       struct elf_image *image, FILE *log);

/* Edits between two words, the swap of neighbours counting once: for "did you mean". Words of more
 * than 40 letters are never near. */
unsigned asm_edit_distance(const char *a, size_t n, const char *b, size_t m);

/* ---- disasm.c: listing ---- */

/* Prints text words at `addr` one instruction a line: address, word(s), mnemonic, operands,
 * separated by tabs; symbols of `image` (may be NULL) label lines and branch targets. */
void asm_disassemble(const uint32_t *words, size_t nwords, uint32_t addr, const struct elf_image *image, FILE *out);

/* The same with prefixes as instructions of their own. */
void asm_disassemble_raw(const uint32_t *words, size_t nwords, uint32_t addr, const struct elf_image *image, FILE *out);

/* The same in a profile, with or without merging; the line ".option profile" names one that is not
 * the default. */
void asm_disassemble_in(enum isa_profile profile, bool merge, const uint32_t *words, size_t nwords, uint32_t addr,
                        const struct elf_image *image, FILE *out);

#endif
