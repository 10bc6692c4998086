/* Between the files of `ventus run`: what was asked for, and what came of it. */
#ifndef VENTUS_TOOL_RUN_H
#define VENTUS_TOOL_RUN_H

#include "arguments.h"
#include "driver/gpu.h"
#include "sim/observers.h"
#include "timing/parameters.h"
#include "timing/timing.h"
#include "vt/case.h"
#include "tool.h"

/* ---- run_report.c: --stats and --json ---- */

struct reported {
    char *name;
    uint32_t groups[3];
    struct result result;
    char *timing;                   /* with --timing: its counts, as members of a JSON object; else NULL ... */
    char *cycle_table;              /* ... and where its cycles went, as a table */
    struct timing_launch timed;     /* the same as numbers; it points to nothing */
    struct device_counters *device; /* what a device behind the driver says; NULL: the machine has run it */
};

struct report {
    struct gpu_config config;
    const char *timing;         /* configuration of the cycle model; NULL: none */
    struct timing_config model; /* the same, with --timing */
    struct reported *launches;
    size_t n, room;
    char *stats;          /* of observers, lines for --stats; NULL: there are none */
    char *findings;       /* of observers, as members of a JSON object; NULL: there are none */
    bool flat;            /* cases on flat memory: */
    uint64_t stray_pages; /* pages touched that belong to no buffer */
};

/* Takes one launch in, and what a device behind the driver says of it (allocated; NULL: the machine has run it). */
void report_add(struct report *report, const char *name, const uint32_t groups[3], const struct result *result,
                struct device_counters *device);
void report_print(const struct report *report, FILE *out);
void report_json(const struct report *report,
                 const char *path); /* "-": standard output; dies when it cannot be written */
void report_free(struct report *report);

/* ---- run.c ---- */

/* The command. With `report` it says nothing to people, and gives the caller its report, to be freed. */
int run_command(int argc, char **argv, struct report *report);

/* One of observer_kinds. */
struct watch {
    bool wanted;
    const char *value;         /* of its option */
    struct observer *observer; /* NULL: not open */
};

/* The command line. */
struct request {
    struct args args;
    const char *file;   /* an executable, or NULL and ... */
    const char **cases; /* ... recorded launches, each "METADATA[:DATA]" */
    unsigned ncases;

    const char *kernel;        /* NULL: the only one */
    struct ventus_range range; /* work_dim 0: --global is missing */
    bool have_local;
    unsigned local_dims; /* numbers that --local had */
    struct argument *arguments;
    unsigned narguments;
    const char **shows, **saves; /* their values, as given */
    unsigned nshows, nsaves;

    const char **dumps; /* "ADDR:BYTES:FILE" */
    unsigned ndumps;
    bool strict; /* recorded launches get their buffers alone */
    bool expect; /* and are compared with what they are to leave in memory */

    bool stats;
    bool silent;                     /* standard output is for a trace or JSON */
    const char *json;                /* NULL: not wanted */
    const char *timing, *timeline;   /* cycle model and file of its events; NULL: none */
    char config_timing[TIMING_NAME]; /* the model that --config asks for */
    const char *quirks;              /* known faults that the machine has; NULL: none */
    char config_quirks[QUIRKS_NAME]; /* those that --config asks for */
    struct model *model;             /* NULL: not open */
    struct watch observers[OBSERVER_KINDS];
    uint32_t csr_gds; /* of ventus_spaces */
    struct launch_options options;
    struct gpu_config config;
    bool given_profile; /* that of the machine is as the user said, not as the program wants it */
    struct report report;
};

/* ---- run_kernel.c ---- */

/* Runs r->file and shows its results. Returns the exit code. */
int run_kernel(struct request *r);

/* ---- run_raw.c ---- */

/* A program without kernel records as an executable with one: an ELF file without a Ventus note, or a
 * text of hexadecimal words. The kernel's arguments are those of the command line. NULL when `bytes` is
 * an ELF file with a note, or damaged; malloc'ed otherwise. */
void *raw_program(const struct request *r, char *bytes, size_t size, size_t *elf_size);

/* ---- run_observe.c: observers ---- */

/* Enables the observer whose option has just been read; a wrong value is a usage error. */
void observers_enable(struct request *r, unsigned kind);

/* Attaches all that are wanted to a machine without memory; dies with a message when one cannot be had. */
void observers_open(struct request *r, struct gpu *gpu);

/* Keeps what an observer (whose `user` this is) has found for --json. Returns the exit code: `code`, or EXIT_FAILED
 * instead of EXIT_OK when it has found mistakes. */
int observer_found(struct report *report, const struct observer_kind *kind, const void *user, int code);

/* The same for all, which end: what they could not write is an error message, and EXIT_FAILED. */
int observers_close(struct request *r, struct gpu *gpu, int code);

/* ---- run_timing.c: the cycle model ---- */

/* Makes the model that is asked for, of a machine without memory; dies with a message when it cannot be had. */
void timing_begin(struct request *r, struct gpu *gpu);

/* Takes what it has counted into the report and ends it. Returns the exit code as observers_close. */
int timing_end(struct request *r, struct gpu *gpu, int code);

/* ---- run_case.c ---- */

/* Runs r->cases in order on one memory, then writes the dumps. Returns the exit code. */
int run_cases(struct request *r);

#endif
