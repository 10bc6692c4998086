/* The linker's inside, from the bottom up:
 *
 *   objects.c    objects are read, and checked
 *   names.c      which object defines what the others mean
 *   place.c      where sections go
 *   recursion.c  circles of calls, which are mistakes
 *   relocate.c   words that only the linker can fill in
 *   summary.c    call graphs of objects -> what each kernel needs
 *   link.c       objects -> program
 *   listed.c     an object for listings */
#ifndef VENTUS_ASM_LINKER_H
#define VENTUS_ASM_LINKER_H

#include "asm/link.h"
#include "asm/listing.h"
#include "asm/note.h"
#include "asm/owned.h"

#include <elf.h>
#include <gelf.h>
#include <libelf.h>

#define SUMMARY_SECTION ".ventus.resobj"
#define CALLS_SECTION   ".ventus.calls"

enum {
    OUT_TEXT = ASM_TEXT,
    OUT_RODATA = ASM_RODATA,
    OUT_DATA = ASM_DATA,
    OUT_BSS = ASM_BSS,
    OUT_COUNT,
    OUT_NONE = ASM_OTHER
};
enum { MAX_BYTES = 64 << 20, MAX_INPUTS = 4096, MAX_ALIGN = 1 << 16, MAX_ERRORS = 20 };

/* A section of an object, and where it goes. */
struct part {
    GElf_Shdr header;
    const char *name;
    int out;
    uint32_t addr, align;
    uint32_t number, first; /* of all parts in order; of the first one of this name, 0: what every program has */
};

struct object {
    const struct asm_input *input;
    uint32_t profile; /* enum isa_profile, 0: not said */
    Elf *elf;
    struct part *parts;
    size_t nparts;
    const struct part *symbols; /* the symbol table, NULL: none */
    const char *strings;
    size_t strings_size, nsymbols;
    uint32_t *addresses; /* of its symbols; */
    uint8_t *known;      /* 1 when there is one */
};

/* A name that all objects share. */
struct name {
    const char *text;
    const struct object *object; /* that defines it */
    size_t symbol;
    bool defined, weak;
    struct {
        uint32_t size, align, at; /* in .bss */
        bool wanted;              /* and no object defines the name */
    } common;                     /* space that objects share, .comm */
};

struct linker {
    enum isa_profile profile;
    FILE *log;
    unsigned errors;
    struct object *objects; /* in front of them there is room for one more, */
    struct asm_input start; /* the start code, which the linker assembles when it is missing */
    size_t nobjects;
    struct name *names; /* hash table */
    size_t name_room;
    struct part **named; /* parts of the program by name, and in order of those of one name */
    size_t nnamed;
    uint64_t size[OUT_COUNT];
    uint32_t base[OUT_COUNT];
    uint8_t *bytes[OUT_COUNT];
    struct elf_image *image;
    struct owned *owned;
    struct note *notes; /* of the objects, in order */
    size_t nnotes;
    uint32_t vgprs, sgprs;   /* registers that the text uses */
    const uint32_t *version; /* of resource records, NULL: as they are */
};

static inline uint64_t round_up(uint64_t n, uint64_t unit) { return (n + unit - 1) / unit * unit; }

/* ---- objects.c ---- */

/* A message about an object (NULL: about the whole), of which only the first few are printed; false. */
bool link_error(struct linker *linker, const struct object *object, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Zeroed memory of malloc, never of size 0; NULL: there is none. */
void *link_zeroed(size_t n, size_t size);
/* Reads the sections and the symbol table of `object->input`; false, with a message, when they are damaged. To be
 * released with link_free in either case. */
bool link_read(struct linker *linker, struct object *object);
void link_free(struct object *object);
/* The bytes of a section, inside the file. */
const uint8_t *link_contents(const struct object *object, const struct part *part);
/* Symbol `i` of an object and its name; false, with a message, when it is damaged. */
bool link_symbol(struct linker *linker, const struct object *object, size_t i, Elf32_Sym *symbol, const char **name);
/* Relocation `i` of a table. */
Elf32_Rela link_entry(const struct object *object, const struct part *table, size_t i);
/* Puts the resource records of all objects, as they are, behind those that the program has. */
bool link_records(struct linker *linker);

/* ---- names.c ---- */

/* Makes the table of names, with the space that objects share, whose offsets in .bss are not known yet. */
bool link_names(struct linker *linker);
/* Fills in the addresses of all symbols and the table of names; false, with messages, when a name has two meanings. */
bool link_bind(struct linker *linker);
/* The entry of the table of names for `text`; not `defined` when no object has such a symbol. */
struct name *link_find(struct linker *linker, const char *text);
/* Address of symbol `i` of an object: the program's, if others share the name. False, with a message, when nobody
 * defines it. */
bool link_address(struct linker *linker, struct object *object, size_t i, uint32_t *addr);

/* ---- place.c ---- */

/* Gives all parts of the program, and the space that objects share, their addresses, from `base` on. */
bool link_place(struct linker *linker, uint32_t base);

/* ---- recursion.c ---- */

/* False, with a message that names a function, when functions of the compiler call each other in a circle. */
bool link_recursion(struct linker *linker);

/* ---- relocate.c ---- */

/* Applies the relocations of all objects to the bytes of the program; false, with messages, when one cannot be. */
bool link_relocate(struct linker *linker);

/* ---- summary.c ---- */

/* Makes a record of version 2 for every entry from the summaries of all objects. *any says whether there are
 * summaries; then objects that have nothing but records are refused. */
bool summary_records(struct linker *linker, bool *any);
/* Prints the summaries as text. */
bool summary_print(struct linker *linker, FILE *out);

#endif
