/* A cycle model of the GPU that drives the functional machine: which warp runs next is what the modelled front end
 * issues, and what its instructions do is what the engine `step` computes. docs/timing.md is the introduction.
 *
 * A model belongs to one machine and is its scheduler and one of its observers. Everything is counted in cycles of the
 * modelled clock. */
#ifndef VENTUS_TIMING_TIMING_H
#define VENTUS_TIMING_TIMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/observe.h"

struct model;

/* What a launch did, or an SM in it: timing/counts.def says what each means. */
struct timing_counts {
#define COUNT(name, text) uint64_t name;
#include "timing/counts.def"
#undef COUNT
};

struct timing_launch {
    char *kernel;
    bool hung;      /* the modelled hardware never ends it */
    uint64_t begun; /* cycle, since the model was made, in which it was requested */
    uint64_t cycles;
    uint32_t line_bytes; /* of all caches */
    uint32_t threads_per_warp;
    struct timing_counts counts;    /* of the SMs meanwhile: with what other launches did at the same time */
    struct timing_account *account; /* where the cycles went (account.h); NULL: nobody has asked */
};

/* Makes a model for a machine in which nothing runs yet (with one host thread, else SMs of others get no work), and
 * gives the machine its scheduler and observer. `name` is a configuration or a file (timing/parameters.h); `timeline`
 * is a file for its events, or NULL. NULL, and why, when it cannot be made. As many launches as the configuration's
 * `kernels` may run at a time (gpu_most_launches). */
struct model *timing_open(struct gpu *gpu, const char *name, const char *timeline, char *why, size_t why_size);

/* Frees it and gives the machine its own scheduler back; nothing runs any more, and the machine runs nothing
 * afterwards. False, and why, when the timeline could not be written. NULL is allowed. */
bool timing_close(struct model *model, struct gpu *gpu, char *why, size_t why_size);

/* The launches so far, in the order in which they ended; valid until the next one ends. */
const struct timing_launch *timing_launches(const struct model *model, size_t *n);

/* Forgets them. */
void timing_forget(struct model *model);

/* The cycle that it is in, since it was made. */
uint64_t timing_now(const struct model *model);

/* The configuration. */
const struct timing_config *timing_config_of(const struct model *model);

/* A launch's counts, and its account if it has one, as members of a JSON object: "cycles": 1, ... (report.c), and as
 * tables (table.c). */
void timing_json(const struct timing_launch *launch, FILE *out);
void timing_table(const struct timing_launch *launch, FILE *out);

#endif
