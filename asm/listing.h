/* Programs and objects as text. */
#ifndef VENTUS_ASM_LISTING_H
#define VENTUS_ASM_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "asm/image.h"
#include "asm/link.h"
#include "asm/note.h"
#include "isa/isa.h"

/* ---- disasm.c ---- */

/* How a listing is to look. What it points to stays the caller's. */
struct asm_listing {
    enum isa_profile profile;      /* 0: PROFILE_DEFAULT */
    bool raw;                      /* prefixes are instructions of their own */
    bool gnu;                      /* a space behind the words, by which readers of GNU objdump's listings know them */
    uint32_t start, stop;          /* only instructions that begin at these addresses and between; stop 0: no end */
    const struct note_line *lines; /* of the module note: which line of the source instructions were made of */
    size_t nlines;
    const char *source; /* text of the source: its lines, as comments, go in front of what was made of them; */
    size_t source_size; /* NULL: numbers of lines do */
};

/* Prints text words at `addr` one instruction a line: address, word(s), mnemonic, operands, separated by tabs;
 * symbols of `image` (may be NULL) label lines and branch targets. The line ".option profile" names a profile that is
 * not the default. */
void asm_disassemble(const struct asm_listing *how, const uint32_t *words, size_t nwords, uint32_t addr,
                     const struct elf_image *image, FILE *out);

/* ---- listed.c ---- */

/* An object as its file has it, for listings. Sections of one kind are placed one behind the other
 * from 0 on, at multiples of four; values of symbols and offsets of relocations are these addresses. */
struct asm_relocation {
    uint32_t addr, type;
    const char *type_name; /* NULL: a type that is not known */
    const char *symbol;    /* its name, or that of its section: then `value` bytes behind its beginning; "": none */
    uint32_t value;
    int32_t addend;
};

enum asm_section_kind { ASM_TEXT, ASM_RODATA, ASM_DATA, ASM_BSS, ASM_OTHER };

struct asm_section {
    enum asm_section_kind kind; /* ASM_OTHER: not a part of the program */
    const char *name;
    const uint8_t *bytes; /* not of ASM_BSS and ASM_OTHER */
    uint32_t addr, size;
    const struct elf_symbol *symbols;
    size_t nsymbols;
    const struct asm_relocation *relocations; /* by address */
    size_t nrelocations;
};

struct asm_object {
    uint32_t profile; /* enum isa_profile, 0: not said */
    struct asm_section *sections;
    size_t nsections;
    void *owner;
};

/* Reads an object, with the checks and the messages of asm_link. `input` must outlive the result. */
bool asm_read_object(const struct asm_input *input, struct asm_object *object, FILE *log);

/* Releases what asm_read_object has made. */
void asm_free_object(struct asm_object *object);

/* Prints an object's resource records and summaries, one line each and more for calls and variables. */
bool asm_print_resources(const struct asm_input *input, FILE *out, FILE *log);

#endif
