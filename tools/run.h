/* Between the files of `ventus run`: what was asked for, and what came of it. */
#ifndef VENTUS_TOOL_RUN_H
#define VENTUS_TOOL_RUN_H

#include "arguments.h"
#include "driver/ventus.h"
#include "sim/check/check.h"
#include "vt/case.h"
#include "tool.h"
#include "sim/trace/trace.h"

/* ---- run_report.c: --stats and --json ---- */

struct reported {
    char *name;
    uint32_t groups[3];
    struct result result;
};

struct report {
    struct gpu_config config;
    struct reported *launches;
    size_t n, room;
    bool flat;            /* cases on flat memory: */
    char *checks;         /* what --check found, as JSON; NULL: nothing was checked */
    uint64_t stray_pages; /* pages touched that belong to no buffer */
};

/* Takes one launch in. */
void report_add(struct report *report, const char *name, const uint32_t groups[3], const struct result *result);
void report_print(const struct report *report, FILE *out);
void report_json(const struct report *report,
                 const char *path); /* "-": standard output; dies when it cannot be written */
void report_free(struct report *report);

/* ---- run.c ---- */

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

    unsigned check; /* what to check, 0: nothing */
    bool stats;
    bool silent;                  /* standard output is for a trace or JSON */
    const char *json, *trace_dir; /* NULL: not wanted */
    struct trace_files trace;
    struct launch_options options;
    struct gpu_config config;
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

/* ---- run_check.c: --check ---- */

/* Turns checks on, if they are wanted; a device has them already when VENTUS_CHECK says so. */
void run_check_device(const struct request *r, ventus_device *device);
struct check *run_check_machine(const struct request *r, struct gpu *gpu); /* NULL when they are not wanted */

/* Keeps what has been found, if `c` is not NULL, and returns the exit code: `code`, or EXIT_FAILED instead of EXIT_OK
 * when there are reports. */
int run_check_results(struct report *report, const struct check *c, int code);

/* ---- run_case.c ---- */

/* Runs r->cases in order on one memory, then writes the dumps. Returns the exit code. */
int run_cases(struct request *r);

#endif
