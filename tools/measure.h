/* What the cycle model measures in a run of `ventus run`, for the commands that compare design points. */
#ifndef VENTUS_TOOL_MEASURE_H
#define VENTUS_TOOL_MEASURE_H

#include "tool.h"
#include "timing/parameters.h"
#include "timing/timing.h"

/* What one kernel did on one design point; several launches of it are summed up. */
struct measured {
    char kernel[128]; /* its name, or the file of a recorded launch */
    uint64_t launches, hung /* of them; they count no cycles */, cycles;
    uint64_t instructions, lane_operations; /* executed; active lanes of vector instructions */
    struct timing_counts counts;
};

struct measurement {
    uint32_t sms, clock_mhz;   /* of the machine */
    uint32_t threads_per_warp; /* the most of a launch */
    struct timing_config timing;
    uint64_t n;
    struct measured *kernels; /* n of them, in order of their first launch; malloc'ed */
};

/* Runs `ventus run` with these arguments (args[0] is not looked at) in this process, without its messages for people.
 * Returns its exit code; mistakes in the arguments end the process. EXIT_FAILED too, with a message, when there is no
 * cycle model. */
int measure_here(int nargs, char **args, struct measurement *m);

/* The same in a process of its own, without what the program prints: what ends that one leaves this one alive. Its
 * messages go to standard error when it has ended, each line with the design point in front: "POINT: ...". */
int measure(int nargs, char **args, const char *point, struct measurement *m);

/* What a kernel is called in tables and pictures: its name, or that of the recorded launch's file without its folder.
 */
const char *measured_name(const struct measured *k);

/* The sum over all kernels, without a name. */
struct measured measure_total(const struct measurement *m);

/* ---- the arguments of a run on the command line of another command ---- */

struct run_arguments {
    char **args; /* "run" is the first one */
    int n;
};

/* Adds the plain argument that has just been read: an executable or recorded launch, or behind "--" anything for
 * `ventus run`. */
void run_argument(struct run_arguments *r, const struct args *args);
void run_arguments_add(struct run_arguments *r, const char *text);

#endif
