/* ventus diff: two files that are to say the same. diff.c finds out what they are, the others compare: each prints the
 * first difference, in the words of the lock-step reference (cosim/report.c), and returns whether there is none. A is
 * what is expected, B what is found. */
#ifndef VENTUS_TOOLS_DIFF_H
#define VENTUS_TOOLS_DIFF_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "asm/note.h"

enum { DIFF_HISTORY = 20 }; /* what was before the difference: so many */

enum diff_kind {
    DIFF_EMPTY, /* a file without content can be any of the others */
    DIFF_COMPACT,
    DIFF_LOG,
    DIFF_CSV,
    DIFF_JSON,
    DIFF_KONATA,
    DIFF_WORDS, /* a hexadecimal word a line */
    DIFF_BYTES,
};

struct diff_file {
    FILE *in; /* at its beginning */
    const char *path;
    enum diff_kind kind;
};

struct diff {
    struct diff_file a, b;
    struct note note;    /* of the program, if it is known; else zeros */
    uint32_t profile;    /* its instruction set, 0: not known */
    const char *program; /* its file */
    bool has_base, no_times;
    bool folder;   /* one of many launches of a folder */
    uint32_t base; /* address of the first byte of memory */
};

/* ", line 7: TEXT" where the program's note knows the line. */
void diff_print_line(const struct diff *d, uint32_t pc); /* diff_line.c */

bool diff_traces(const struct diff *d);  /* diff_trace.c: compact traces and logs */
bool diff_memory(const struct diff *d);  /* diff_memory.c: words and bytes, exported launches */
bool diff_folders(const struct diff *d); /* the same: what all launches of a folder have left */
bool diff_csv(const struct diff *d);     /* diff_timeline.c */
bool diff_json(const struct diff *d);    /* the same */
bool diff_lines(const struct diff *d);   /* the same: Konata */

#endif
