/* Programs in memory, and as ELF32 executables. */
#ifndef VENTUS_ASM_IMAGE_H
#define VENTUS_ASM_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A name for an address. */
struct elf_symbol {
    const char *name;
    uint32_t value, size; /* address, and bytes from there on (0: not known) */
    bool function;
};

struct elf_resource; /* resource.h */

/* A section that is not part of the program in memory: debug information. */
struct elf_section {
    const char *name; /* ".debug_info" */
    const uint8_t *bytes;
    size_t size;
};

/* A program in memory: text, read-only and perhaps writable data, all at fixed addresses. For
 * elf_write everything is the caller's; from elf_read it belongs to the image (elf_free). */
struct elf_image {
    uint32_t profile; /* enum isa_profile: the instruction set that the text is of; 0: not said */
    uint32_t entry;
    uint32_t text_addr;
    const uint32_t *text; /* text_words words */
    size_t text_words;
    uint32_t rodata_addr;
    const uint8_t *rodata;
    size_t rodata_size;
    uint32_t data_addr; /* writable: data_size bytes, and bss_size zeros behind them */
    const uint8_t *data;
    size_t data_size, bss_size;
    const struct elf_symbol *symbols;
    size_t nsymbols;
    const char *note;                     /* text of the "Ventus" note, NULL if there is none */
    const struct elf_resource *resources; /* those with a kernel are in sections of their own */
    size_t nresources;
    const struct elf_section *sections; /* elf_write appends them; elf_read leaves them in the file */
    size_t nsections;
    void *owner; /* elf_read's memory */
};

/* Of a draft (docs/architecture.md, "Drafts"): the symbol whose bytes, among the constants, are the object of which its
 * kernels are still to be compiled. */
#define ELF_DRAFT_OBJECT "ventus_draft_object"

/* The bytes of a draft's object and their size; NULL: the program is none. */
const uint8_t *elf_draft_object(const struct elf_image *image, size_t *size);

/* Writes an ET_EXEC ELF32 RISC-V file: LOAD segments for text (R+X), rodata (R) and data (R+W), symbol table,
 * note section, resource records, the sections given. *bytes is malloc'ed. False on failure; *why is a static text. */
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
bool elf_read(const void *bytes, size_t size, struct elf_image *image, struct elf_segment *segments, size_t max,
              size_t *nsegments, const char **why);

/* Releases what elf_read, asm_assemble or asm_link have put into an image, which is empty then. */
void elf_free(struct elf_image *image);

#endif
