/* Between the files of `ventus run`: what was asked for, and what came of it. */
#ifndef VENTUS_TOOL_RUN_H
#define VENTUS_TOOL_RUN_H

#include "arguments.h"
#include "driver/ventus.h"
#include "tool.h"
#include "trace.h"

/* ---- run_report.c: --stats and --json ---- */

struct reported { char *name; uint32_t groups[3]; struct result result; };

struct report {
    struct gpu_config config;
    struct reported *launches;
    size_t n, room;
    bool flat;             /* cases on flat memory: */
    uint64_t stray_pages;  /* pages touched that belong to no buffer */
};

/* Takes one launch in; a result that is not LAUNCH_DONE and not LAUNCH_FAULT counts as cancelled. */
void report_add(struct report *report, const char *name, const uint32_t groups[3], const struct result *result);
void report_print(const struct report *report, FILE *out);
void report_json(const struct report *report, const char *path); /* "-": standard output; dies when it cannot be written */
void report_free(struct report *report);

/* ---- run.c ---- */

struct request {
    struct args args;
    const char *file, *kernel;
    struct ventus_range range;
    bool have_local;
    unsigned local_dims;
    struct argument *arguments;
    unsigned narguments;
    const char **shows, **saves, **cases, **dumps;
    unsigned nshows, nsaves, ncases, ndumps;
    bool stats, strict;
    bool silent;           /* standard output is for something else */
    const char *json, *trace_dir;
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

/* ---- run_case.c ---- */

/* Runs r->cases in order on one memory, then writes the dumps. Returns the exit code. */
int run_cases(struct request *r);

#endif
