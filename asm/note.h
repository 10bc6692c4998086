/* The module note: what a program says about itself, as text (grammar: docs/architecture.md, "Module note").
 *
 * Everybody who makes a note fills a `struct note` and writes it, everybody who wants to know something from one
 * reads it into a `struct note`: the compiler, the assembler, the linker, `ventus run` for programs without a note;
 * the driver and the listings. */
#ifndef VENTUS_ASM_NOTE_H
#define VENTUS_ASM_NOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "asm/kernel.h"
#include "isa/abi.h"

/* Registers of a kernel in an object ("auto" in the note): as many as the linked program uses. */
#define NOTE_AUTO UINT32_MAX

/* The most that a note can say. */
enum {
    NOTE_MAX_KERNELS = 4096,
    NOTE_MAX_LDS = 1 << 28,  /* bytes; the window of local memory */
    NOTE_MAX_PDS = 1 << 28,  /* bytes */
    NOTE_MAX_ARGS = 1 << 16, /* bytes of an argument buffer */
    NOTE_MAX_ALIGN = ABI_WARP_STACK,
};

/* From address `pc` on, up to the next of these, the code was made of this line of the source. */
struct note_line {
    uint32_t pc, line;
    const char *more; /* as in kernel.h */
};

/* A format of printf, or a literal that it prints, by the number that print records (isa/abi.h) have for it. */
struct note_string {
    uint32_t id;
    const char *text;
    const char *more;
};

/* What the program was made of. */
struct note_source {
    const char *name; /* of the file as the compiler was given it; "": none */
    const char *text; /* of the file: `size` bytes, zeros among them perhaps; NULL: the program does not carry it */
    size_t size;
    const char *more;
};

/* A record that is not known here: its line, and how many records of kernels and arguments stand in front of it. */
struct note_unknown {
    const char *text;
    size_t behind;
};

/* In the order of the note. Whoever fills in one to be written owns what it points to, and may leave NULL for
 * strings that are ""; what note_read makes owns itself. */
struct note {
    struct ventus_kernel *kernels;
    struct note_line *lines; /* by address */
    struct note_string *formats, *strings;
    struct note_source *sources;
    struct note_unknown *unknown;
    size_t nkernels, nlines, nformats, nstrings, nsources, nunknown;
    void *owner; /* note_read's memory */
};

enum { NOTE_ERROR_ROOM = 200 };

/* Where a note is wrong: line and column count from 1 and are 0 when the place does not matter. */
struct note_error {
    size_t line, column;
    const char *what; /* static text */
    const char *key;  /* of the field that it is about, or NULL; static */
};

/* Reads the note of `size` bytes at `text`, which need not stay, into *note, to be released with note_free. False:
 * the first mistake is in *error, and there is nothing to release. */
bool note_read(const char *text, size_t size, struct note *note, struct note_error *error);

/* Releases what note_read has made; of another note, or zeros, nothing. */
void note_free(struct note *note);

/* The line of the source that the code at `pc` was made of; 0: not known. */
uint32_t note_line_at(const struct note *note, uint32_t pc);

/* The text of that line, *size bytes of the note without the end of the line; NULL: the note does not have it. */
const char *note_text_at(const struct note *note, uint32_t pc, size_t *size);

/* The error as a text: "the module note, line 3, column 7: a field is missing: vgpr". */
void note_explain(const struct note_error *error, char text[NOTE_ERROR_ROOM]);

/* The text of one note that says what `count` of them say, in this order; malloc'ed, NULL: no memory. */
char *note_write(const struct note *notes, size_t count);

/* The name of a kind of argument in the note and in .arg; NULL from VENTUS_ARG_KINDS on. */
const char *note_arg_kind(unsigned kind);

#endif
