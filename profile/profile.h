/* Profiles: exact counts of a program's kernels, by instruction and line (docs/profiler.md).
 *
 * The counts are kept by the engines (sim/counts.h), which costs little; a profile knows to which kernels they belong,
 * and writes them. Called by one thread at a time. */
#ifndef VENTUS_PROFILE_PROFILE_H
#define VENTUS_PROFILE_PROFILE_H

#include <stdio.h>

#include "asm/note.h"
#include "sim/counts.h"
#include "sim/launch.h"
#include "sim/observe.h"
#include "timing/account.h"

struct profile;

/* How the addresses of an access's active lanes follow one another. */
enum profile_pattern {
    PATTERN_SINGLE,      /* one lane */
    PATTERN_BROADCAST,   /* all the same */
    PATTERN_CONSECUTIVE, /* the next lane, the next element */
    PATTERN_STRIDED,     /* the same step from lane to lane */
    PATTERN_SCATTERED,
    PATTERNS
};
const char *profile_pattern_name(enum profile_pattern pattern);

enum { PROFILE_LINE = 128 /* bytes of a line of the data cache */ };

/* What one instruction has accessed in launches that were watched. */
struct profile_memory {
    uint64_t accesses; /* of warps */
    uint64_t lanes, bytes;
    uint64_t lines;     /* of PROFILE_LINE bytes, touched by each access, in all; not in local memory */
    uint64_t again;     /* of these lines, those that the launch had touched before, and ... */
    uint64_t distance;  /* ... how many lines were touched since then, each one more, in all */
    uint64_t conflicts; /* local memory: how often the busiest of 32 banks was needed again for the same access */
    uint64_t atomics;   /* of the accesses */
    uint64_t same_word; /* lanes of each of them that wanted its busiest word */
    uint64_t patterns[PATTERNS];
    bool write, local;
    bool program;      /* variables and constants of the program, those of the compiler among them */
    uint64_t barriers; /* a barrier: how often groups have been at it, and ... */
    uint64_t needless; /* ... how often no warp accessed, behind it, what another one had accessed between it and the
                        * barrier before it, one of them to write */
};

/* Where a cycle model says that cycles went. */
struct profile_cycles {
    uint64_t launches, cycles;    /* that it has an account of */
    unsigned sms, warps;          /* warp slots of an SM */
    uint64_t slots[TIMING_SLOTS]; /* cycles of all warp slots */
    struct timing_site *sites;    /* of instructions, ascending */
    size_t nsites;
    struct timing_series series; /* of the launch with the most cycles, ... */
    uint64_t longest;            /* ... which are so many */
};

/* A kernel of a program. The pointers stay valid as long as the profile. */
struct profile_kernel {
    struct profile_kernel *next; /* in the order of first launches */
    uint64_t program;            /* a number that tells programs apart */
    uint32_t entry;
    const char *name;
    const struct note *note; /* lines and source */
    const uint8_t *code;     /* of the program: `size` bytes at address `base` */
    uint32_t base, size;
    void *owner;                   /* of all that, the caller's */
    struct counts *counts;         /* for launch_options.counts */
    struct profile_memory *memory; /* by word of the code; NULL: nobody has watched */
    uint64_t begun, watched;       /* launches, for whoever chooses those that are watched; and these */
    struct observer watch;
    struct watching *watching;   /* launches that are watched; NULL: none ever was */
    uint64_t launches, ns;       /* ns: from beginnings to ends, by the host's clock */
    uint64_t cycles;             /* by a cycle model, 0: there is none; ... */
    uint64_t traffic;            /* ... and bytes that memory read and wrote meanwhile, for other launches as well */
    uint64_t written;            /* bytes that the host wrote since the launch before, of whatever kernel; ... */
    uint64_t round_trip;         /* ... those of them that it had read since then */
    struct launch launch;        /* the one with the most groups */
    struct profile_cycles *went; /* NULL: nobody has said */
    struct counters counters;
};

/* A profile of launches on `gpu`, which must outlive it. NULL: the host has no memory. */
struct profile *profile_new(struct gpu *gpu);
void profile_free(struct profile *profile);

/* The kernel of program number k->program at k->entry: the one that is known, or a new one made of what *k says (no
 * counts, no numbers). *fresh: it is new. NULL: the host has no memory. */
struct profile_kernel *profile_kernel(struct profile *profile, const struct profile_kernel *k, bool *fresh);

/* The host has read or written memory; from any thread. */
void profile_host(struct profile *profile, bool write, uint32_t addr, uint64_t size);

/* A launch of it begins. */
void profile_begin(struct profile *profile, struct profile_kernel *kernel, const struct launch *launch);

/* A launch of it has ended. */
void profile_launch(struct profile_kernel *kernel, const struct counters *counters, uint64_t ns);

/* It has taken so many cycles of a cycle model, in which memory moved `traffic` bytes. */
void profile_modelled(struct profile_kernel *kernel, uint64_t cycles, uint64_t traffic);

/* cycles.c: and where they went. Without memory for it the launch is left out. */
void profile_accounted(struct profile_kernel *kernel, const struct timing_account *account, uint64_t cycles);
/* The sum of the sites in [pc, end), words of an instruction; the cycles of a sum. */
struct timing_site profile_site_at(const struct profile_kernel *kernel, uint32_t pc, uint32_t end);
uint64_t profile_cycles_of(const struct timing_site *site);
void profile_cycles_free(struct profile_cycles *cycles);

/* What a modelled machine can do: so many operations of lanes in a cycle, and so many bytes of memory in `interval`
 * cycles. Zeros: there is no model. */
struct profile_roofs {
    uint32_t operations, bytes, interval;
};
void profile_set_roofs(struct profile *profile, struct profile_roofs roofs);
struct profile_roofs profile_roofs(const struct profile *profile);

/* memory.c: an observer for the next launch of the kernel, which then runs with hooks, slowly; its accesses are added
 * to k->memory. NULL: one of its launches is being watched, or the host has no memory. */
const struct observer *profile_watch(struct profile_kernel *k);
void profile_watching_free(struct watching *watching);
/* What instructions of watched launches have accessed; NULL: this one has not. */
const struct profile_memory *profile_memory_at(const struct profile_kernel *k, uint32_t pc);

/* touched.c: lines that a launch has touched. */
struct touched *touched_new(void);
/* How many lines were touched since the line was, this one included; 0: it never was. Without memory it never is. */
uint32_t touched_again(struct touched *t, uint32_t line);
void touched_free(struct touched *t);

/* barriers.c: whether barriers of a group separate accesses of its warps. `at` is where a barrier is counted. */
struct segments *segments_new(void);
void segments_access(struct segments *s, uint32_t warp, uint32_t addr, bool write);
void segments_barrier(struct segments *s, struct profile_memory *at);
void segments_unknown(struct segments *s); /* warps access more than is said: every barrier counts as needed */
void segments_free(struct segments *s);    /* the last segment ends */

/* ---- what is found: rows.c ---- */

struct profile_insn {
    uint32_t pc, line;
    struct insn_counts counts;
    struct timing_site went; /* where its cycles went; zeros: no model has said */
    char text[80];
};

struct profile_line {
    uint32_t line; /* 0: not known */
    uint64_t executions, lanes, branches, diverged;
    struct timing_site went;
    const char *text; /* `size` bytes; NULL: not known */
    size_t size;
};

/* Everything about one kernel that has been executed. */
struct profile_rows {
    struct profile_insn *insns; /* ascending */
    size_t ninsns;
    struct profile_line *lines; /* the hottest first */
    size_t nlines;
    uint64_t executions, lanes; /* of all */
    uint64_t cycles;            /* of warps, in all; 0: no model has said */
};

/* Nothing runs. False: the host has no memory; rows are to be freed in any case. */
bool profile_rows(const struct profile *profile, const struct profile_kernel *kernel, struct profile_rows *rows);
void profile_rows_free(struct profile_rows *rows);

const struct profile_kernel *profile_kernels(const struct profile *profile);
const struct gpu_config *profile_config(const struct profile *profile);

/* ---- fit.c: how many work-groups an SM holds ---- */

struct profile_fit {
    uint64_t groups;     /* of the kernel's largest launch, at a time; 0: it was never launched */
    const char *limit;   /* what there is too little of for another one, ... */
    uint64_t has, needs; /* ... how much an SM has, and such a group needs */
};
struct profile_fit profile_fit(const struct profile *profile, const struct profile_kernel *kernel);

/* ---- advice.c: rules over the numbers ---- */

struct profile_advice {
    const char *rule; /* a section of docs/profiler.md */
    uint32_t line;    /* 0: it is about the whole kernel */
    char text[280];
};
typedef void profile_advise(void *user, const struct profile_advice *advice);

/* Calls `advise` for everything that a rule has found about a kernel. */
void profile_advise_all(const struct profile *profile, const struct profile_kernel *kernel,
                        const struct profile_rows *rows, profile_advise *advise, void *user);

/* ---- outputs ---- */

/* table.c: kernels, then the hottest lines of each, for a terminal. */
void profile_table(const struct profile *profile, FILE *out);
/* json.c: docs/profiler.md has the keys. */
void profile_json(const struct profile *profile, FILE *out);
/* callgrind.c: for KCachegrind and callgrind_annotate. Each program's machine code and source become files beside that
 * of this name, which `out` is. False, and why: such a file could not be written. */
bool profile_callgrind(const struct profile *profile, const char *name, FILE *out, char *why, size_t why_size);
/* speedscope.c: for speedscope.app: kernels, lines, weights in warp instructions. */
void profile_speedscope(const struct profile *profile, FILE *out);

/* html.c: one page with everything in it. */
void profile_html(const struct profile *profile, FILE *out);

/* write.c: writes the files of a list with commas, each in the form that its name says; "" or "1": the table, to
 * standard error. False, and why, when one could not be written; the others are. */
bool profile_write(const struct profile *profile, const char *files, char *why, size_t why_size);

#endif
