/* Assembler text and ELF files: the forms in which programs come and go. */
#ifndef VENTUS_ASM_H
#define VENTUS_ASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "isa/abi.h"
#include "isa/isa.h"
#include "asm/note.h"

/* ---- resource.c: resource records of kernels; layouts and meaning are in isa/abi.h ---- */

struct elf_resource {
    const char *kernel; /* NULL: the record does not say whose it is */
    uint32_t version, flags;
    uint64_t value[ABI_RESOURCE_VALUES]; /* the stacks are 0 before version 2 */
    uint32_t ray[ABI_RESOURCE_RAY];      /* the words behind the values of version 4 */
};

/* Reads the record at `bytes`; *used is its size. Damaged or unknown ones give false and a static text in *why. */
bool resource_read(const uint8_t *bytes, size_t size, struct elf_resource *record, size_t *used, const char **why);
/* The bytes of a record, whose values must fit its version (resource_convert sees to it); returns their number. */
size_t resource_write(const struct elf_resource *record, uint8_t bytes[ABI_RESOURCE_LARGEST]);
/* Makes a record of another version; false, with a static text in *why, when that cannot say what this one does. */
bool resource_convert(struct elf_resource *record, uint32_t version, const char **why);
/* "KERNEL: version 2, vgpr 8, ..." and a newline. */
void resource_print(const struct elf_resource *record, FILE *out);
/* Does a section of this name hold records? *kernel is a part of the name, or NULL. */
bool resource_is_section(const char *name, const char **kernel);

/* ---- elf.c: ELF32 executables, through libelf ---- */

struct elf_symbol {
    const char *name;
    uint32_t value, size;
    bool function;
};

/* A program in memory: text, read-only and perhaps writable data, all at fixed addresses. For
 * elf_write everything is the caller's; from elf_read it belongs to the image (elf_free). */
struct elf_image {
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
    void *owner; /* elf_read's memory */
};

/* Writes an ET_EXEC ELF32 RISC-V file: LOAD segments for text (R+X), rodata (R) and data (R+W), symbol table,
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
bool elf_read(const void *bytes, size_t size, struct elf_image *image, struct elf_segment *segments, size_t max,
              size_t *nsegments, const char **why);
void elf_free(struct elf_image *image);

/* ---- asm.c: assembler ---- */

/* Assembles GNU-style source text at `base` into *image (release with elf_free). Diagnostics as
 * "name:line:column: error: ..." with the line and a caret go to `log`; all errors of the text are
 * reported, up to 20. Returns true when there were none. */
bool asm_assemble(const char *name, const char *source, size_t size, uint32_t base, struct elf_image *image, FILE *log);

/* The same with options. */
struct asm_options {
    enum isa_profile profile;         /* 0: PROFILE_DEFAULT */
    bool includes;                    /* .include may read files; else it is an error */
    const uint32_t *resource_version; /* of asm_link: makes all resource records this version; NULL: as they are */
};
bool asm_assemble_with(const struct asm_options *options, const char *name, const char *source, size_t size,
                       uint32_t base, struct elf_image *image, FILE *log);

/* Assembles into the bytes (malloc'ed) of a relocatable object, ELF32 ET_REL with the relocations of
 * the RISC-V ABI; symbols that are not defined are left to the linker. */
bool asm_assemble_object(const struct asm_options *options, const char *name, const char *source, size_t size,
                         void **bytes, size_t *nbytes, FILE *log);

/* ---- link.c: linker ---- */

struct asm_input {
    const char *name; /* for messages */
    const void *bytes;
    size_t size;
};

/* Links objects at `base` into *image (elf_free): their sections one behind the other, in order, the
 * words `start` in front of the text. The profile tells which registers the text uses. Summaries of functions
 * (.ventus.resobj) become resource records of the entries; if a version is asked for and there are neither, the module
 * note does. Messages as "name: error: ..." go to `log`. */
bool asm_link(const struct asm_options *options, const struct asm_input *inputs, size_t ninputs, uint32_t base,
              const uint32_t *start, size_t nstart, struct elf_image *image, FILE *log);

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
    struct asm_section *sections;
    size_t nsections;
    void *owner;
};

/* Reads an object, with the checks and the messages of asm_link. `input` must outlive the result. */
bool asm_read_object(const struct asm_input *input, struct asm_object *object, FILE *log);
void asm_free_object(struct asm_object *object);

/* Prints an object's resource records and summaries, one line each and more for calls and variables. */
bool asm_print_resources(const struct asm_input *input, FILE *out, FILE *log);

/* ---- template.c: inline assembly ---- */

struct asm_operand {
    enum { ASM_OPERAND_X, ASM_OPERAND_V, ASM_OPERAND_NUMBER } kind;
    int32_t value; /* register number, or the number */
};

/* Assembles a template, in which $N, ${N} or %N is operand N and $$ or %% a single one. The words are
 * malloc'ed and do not depend on their place. `options` may be NULL. Messages name "<inline asm>". */
bool asm_template(const struct asm_options *options, const char *text, const struct asm_operand *operands,
                  size_t noperands, uint32_t **words, size_t *nwords, FILE *log);

/* ---- asm.c ---- */

/* Edits between two words, the swap of neighbours counting once: for "did you mean". Words of more
 * than 40 letters are never near. */
unsigned asm_edit_distance(const char *a, size_t n, const char *b, size_t m);

/* ---- disasm.c: listing ---- */

/* How a listing is to look. */
struct asm_listing {
    enum isa_profile profile;      /* 0: PROFILE_DEFAULT */
    bool raw;                      /* prefixes are instructions of their own */
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

#endif
