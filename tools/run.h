/* Between run.c, run_case.c and trace.c. */
#ifndef VENTUS_TOOL_RUN_H
#define VENTUS_TOOL_RUN_H

#include "driver/ventus.h"
#include "tool.h"

void run_print_counters(const struct counters *counters);

/* Runs recorded launches in order on one memory, then writes the dumps. Returns the exit code. */
int run_cases(const struct args *args, const char *const *cases, unsigned ncases, const char *const *dumps, unsigned ndumps,
              bool stats, const struct launch_options *options);

/* An observer that writes each executed instruction to `out`. */
struct trace trace_into(FILE *out);

#endif
