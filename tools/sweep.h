/* Between the files of `ventus sweep`: what is to be run, and what came of it. */
#ifndef VENTUS_TOOL_SWEEP_H
#define VENTUS_TOOL_SWEEP_H

#include "measure.h"

enum {
    SWEEP_PATH = 600,
    SWEEP_VALUE = 256,
    MOST_RUNS = 64,
    MOST_VARIED = 16,
    MOST_VALUES = 64,
    MOST_COSTS = 16,
    MOST_POINTS = 1000000
};

/* ---- sweep_file.c: the file ---- */

/* A program with its arguments. */
struct sweep_run {
    char *name;
    struct run_arguments args; /* words of `text` */
    char *text;
};

/* A parameter and its values. */
struct sweep_varied {
    char *name;
    char *values[MOST_VALUES];
    unsigned n;
};

struct sweep {
    char folder[500];  /* of the results; all other paths are as in the file, which lies in the current folder */
    char machine[256]; /* file of the machine that all designs begin with; "": the default one */
    struct sweep_run runs[MOST_RUNS];
    struct sweep_varied varied[MOST_VARIED];
    struct sweep_cost {
        char *name;
        double weight;
    } costs[MOST_COSTS];
    unsigned nruns, nvaried, ncosts;
    uint64_t designs, points; /* combinations of values; of them and runs */
};

/* Reads the file; dies with a message when it makes no sense. */
void sweep_read(struct sweep *s, const char *path);
void sweep_free(struct sweep *s);

/* The number of the value that a parameter has in a design. */
unsigned sweep_value(const struct sweep *s, uint64_t design, unsigned varied);

/* A design as two files, of its machine and of its cycle model. */
struct sweep_design {
    char *machine, *timing;
};

/* Makes a design's; dies with a message when there is no such parameter. */
struct sweep_design sweep_design(const struct sweep *s, uint64_t design);
void sweep_design_free(struct sweep_design *d);

/* What a parameter is in a design, NAME of the machine or timing.NAME of the model. False: there is none. */
bool sweep_setting(const struct sweep_design *d, const char *name, char value[SWEEP_VALUE]);

/* The same as a number; 0: it is none. */
double sweep_number(const struct sweep_design *d, const char *name);

/* What the design costs: the sum of the file's costs, or if it has none, SMs times lanes. */
double sweep_cost(const struct sweep *s, const struct sweep_design *d);

/* A point is one run on one design: design * nruns + run. Its name says what it is: the same run of unchanged files on
 * the same design has the same name in any sweep. */
struct sweep_name {
    char text[20];
};
struct sweep_name sweep_name(const struct sweep *s, const struct sweep_design *d, uint64_t point);

/* ---- sweep_result.c: the results ---- */

enum sweep_status { SWEEP_NONE /* not yet run */, SWEEP_DONE, SWEEP_HUNG, SWEEP_FAILED, SWEEP_KILLED };

struct sweep_result {
    enum sweep_status status;
    struct measured total;
};

/* A file in the folder of the results. */
void sweep_path(const struct sweep *s, char path[SWEEP_PATH], const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes a result for ever, whole or not at all; dies with a message when it cannot. */
void sweep_store(const struct sweep *s, const struct sweep_name *name, const struct sweep_result *result);
/* Reads it; status SWEEP_NONE: there is none. */
struct sweep_result sweep_load(const struct sweep *s, const struct sweep_name *name);

/* Writes results.csv and, with more than one design, pareto.svg. Returns how many points have failed. */
uint64_t sweep_report(const struct sweep *s);

#endif
