/* Two profiles side by side: what profile.c reads and pairs, and profile_report.c prints. */
#ifndef VENTUS_TOOLS_PROFILE_DIFF_H
#define VENTUS_TOOLS_PROFILE_DIFF_H

#include <stdbool.h>
#include <stdio.h>

#include "json.h"

enum { A, B, SIDES };

struct counts {
    uint64_t executions, lanes; /* by warps; active, of all executions */
    uint64_t cycles;            /* of warps, by a cycle model; 0: there is none */
};

struct line {
    uint32_t number; /* 0: the compiler says none */
    struct counts counts;
};

struct kernel {
    const char *name, *source; /* NULL: not in the profile */
    uint64_t program, launches, host_ns;
    const struct json *counters;
    uint64_t cycles;          /* of launches, by a cycle model */
    const struct json *slots; /* of warps, by what they did; NULL: not known */
    struct counts all;
    struct line *lines; /* that were executed, by number */
    size_t nlines;
};

struct profile_file {
    const char *path;
    char *text;
    struct json *json;
    struct kernel *kernels; /* by name and program */
    size_t nkernels;
};

/* A line of both, or of one. */
struct line_pair {
    uint32_t number[SIDES];
    bool there[SIDES]; /* in the source, though perhaps never executed */
    struct counts counts[SIDES];
};

/* A kernel of both; NULL: it is in one only. */
struct kernel_pair {
    const struct kernel *side[SIDES];
    struct line_pair *lines; /* the hottest first */
    size_t nlines;
};

struct profile_diff {
    const struct profile_file *file[SIDES];
    struct kernel_pair *kernels; /* the hottest first */
    size_t nkernels;
};

/* At most `lines` of each kernel. */
void profile_diff_table(const struct profile_diff *diff, size_t lines, FILE *out);
/* docs/profiler.md has the keys. */
void profile_diff_json(const struct profile_diff *diff, FILE *out);

#endif
