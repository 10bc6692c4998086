/* What an instruction of a warp has done, as a trace says it: one reader for each form of trace. `ventus trace` prints
 * steps, `ventus diff` compares those of two files.
 *
 * Files may hold anything: what is wrong in one ends the program (die) with its place. */
#ifndef VENTUS_TOOLS_STEPS_H
#define VENTUS_TOOLS_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "isa/isa.h"

/* A register and its new value, of a scalar in lane 0. */
struct step_write {
    bool vector;
    bool any_lanes; /* `lanes` are those of the warp: which have been written is not said */
    uint32_t reg, lanes, value[ISA_LANES];
};

/* One lane's part of a memory access. */
struct step_touch {
    uint64_t addr;
    uint32_t value; /* what is written */
    uint8_t number; /* of the access; a wide one is several, a word each */
    uint8_t size;   /* bytes; 0: the trace does not say it */
    int8_t lane;    /* -1: the same */
    bool write, atomic, scalar, wide;
};

struct step {
    uint64_t group; /* counted over all launches of the file */
    uint32_t warp, pc, words[ISA_MAX_WORDS];
    unsigned nwords;            /* with a prefix, which is a part of its instruction */
    uint32_t mask;              /* SIMT mask before ... */
    bool has_mask;              /* ... if it is known */
    uint32_t mask_after, depth; /* SIMT mask and entries on the stack behind a branch ... */
    bool has_simt;              /* ... if the trace says them */
    struct step_write *writes;  /* malloc'ed, as all of these */
    struct step_touch *touches; /* in the order of accesses and lanes */
    size_t nwrites, ntouches;
    char *rest; /* what else it says, as text: control registers, entries of the SIMT stack; NULL: such things are not
                   told */
};

void step_free(struct step *step); /* what it points to */

/* Another one at the end, of zeros. */
struct step_write *step_add_write(struct step *step);
struct step_touch *step_add_touch(struct step *step);

/* The instruction as text, "mnemonic operands", and its operation (OP_INVALID: it is none). */
enum isa_op step_text(const struct step *step, enum isa_profile profile, char *text, size_t size);

struct trace_launch {
    uint32_t start, metadata, groups[3], warps, threads; /* groups, warps and threads are 0 where nothing says them */
    uint64_t first;                                      /* number of its first work-group in the file */
    uint32_t number;                                     /* from 1 on; 0: the trace knows no launches */
};

enum traced { TRACE_END, TRACE_STEP, TRACE_LAUNCH };

struct trace_source {
    FILE *in;
    const char *path;
    bool is_log;
    enum isa_profile profile;   /* of a log the default one */
    struct trace_launch launch; /* the latest */
    /* TRACE_STEP: *step is the caller's, to be freed. */
    enum traced (*next)(struct trace_source *source, struct step *step);
    void (*close)(struct trace_source *source); /* frees all but the file */
};

/* The file is the caller's, at its beginning. */
struct trace_source *compact_steps(FILE *in, const char *path); /* of `ventus run --trace-binary` */
struct trace_source *log_steps(FILE *in, const char *path); /* of the public simulator, and of `ventus run --trace` */

#define COMPACT_BEGINS "VTRC"

#endif
