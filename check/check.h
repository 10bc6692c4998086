/* Checks of what a kernel does with memory, registers and barriers (docs/check.md).
 *
 * A check is an observer of one machine (sim/observe.h). It knows of each byte whether it is initialised, and of each
 * word who used it last. Launches are checked one at a time.
 *
 * Memory is never changed and no launch ends because of a report. When the host has no memory left for the
 * bookkeeping, the check goes on with less of it: it may then miss mistakes, never invent them. */
#ifndef VENTUS_CHECK_CHECK_H
#define VENTUS_CHECK_CHECK_H

#include "sim/observe.h"

enum check_kind {
    CHECK_BOUNDS,   /* access outside every buffer, or behind the parts of local memory */
    CHECK_OVERFLOW, /* private memory or a scalar stack is too small */
    CHECK_UNINIT,   /* a value nobody has set decides something */
    CHECK_RACES,    /* two work-items, one of them writing, without an order between them */
    CHECK_BARRIERS, /* a barrier that not all work-items reach */
    CHECK_ALIGN,    /* address that is no multiple of the size; a warning: this machine allows it */
    CHECK_KINDS
};

/* What to look for: bits 1 << kind, and: */
enum {
    CHECK_ALL = (1 << CHECK_KINDS) - 1,
    CHECK_COPIES = 1 << CHECK_KINDS,        /* uninit: also values that are only copied to a buffer */
    CHECK_LOCKSTEP = 1 << (CHECK_KINDS + 1) /* races: the instructions of a warp order its work-items */
};

/* Reads a list like "bounds,races" or "all,lockstep" ("", "1" and NULL are "all"). False, with the unknown
 * word in why, otherwise. */
bool check_parse(const char *list, unsigned *what, char *why, size_t why_size);

/* "bounds", "overflow", ... */
const char *check_kind_name(enum check_kind kind);

/* ---- check.c: life ---- */

struct check;

/* A check of `gpu`, which must outlive it. Reports go to `out` as launches end; NULL: they are only kept. NULL when
 * the host has no memory. */
struct check *check_new(struct gpu *gpu, unsigned what, FILE *out);

/* Prints, if there is an `out`, how many reports there were. With `always` also that there were none, and how many
 * launches have been checked. Not while launches run, but for the end of a process. */
void check_summary(const struct check *check, bool always);

/* Frees it. NULL is allowed. */
void check_free(struct check *check);

/* To be given to gpu_observe before memory is opened: what it is told of the host, and of launches, is all that the
 * check knows. */
struct observer *check_observer(struct check *check);

/* ---- report.c: what has been found ---- */

struct check_item { /* a work-item */
    uint32_t group[3], local[3], global[3];
    uint32_t warp, lane;
    bool placed; /* local and global are known */
};

struct check_side {                 /* one side of a report */
    uint32_t pc, line;              /* line 0: not known */
    char instruction[80], text[96]; /* text: of the line; empty: not known */
    const char *does;               /* "load", "store", ... */
    struct check_item first;        /* the first work-item, ... */
    uint32_t lanes;                 /* ... and all that did it at once: lanes of its warp */
};

struct check_report {
    enum check_kind kind;
    char kernel[64], what[120], where[160]; /* where: the memory in words, or empty */
    uint32_t addr, size;                    /* of the access; size 0: none */
    struct check_side by, other;            /* other.pc 0: there is no other side */
    const char *relation;                   /* of the other side to this one */
    uint64_t count;                         /* how often, by instructions of warps */
};

/* Distinct reports so far, in order of their finding; `index` below that number. Valid until the next
 * launch. */
size_t check_count(const struct check *check);
const struct check_report *check_get(const struct check *check, size_t index);

/* A block of lines; a JSON array of objects (keys: docs/check.md). */
void check_describe(const struct check_report *report, FILE *out);
void check_json(const struct check *check, FILE *out);

#endif
