/* Counts that `ventus run --coverage=FILE.json` has written. */
#ifndef VENTUS_TOOLS_COVERAGE_FILE_H
#define VENTUS_TOOLS_COVERAGE_FILE_H

#include "coverage/coverage.h"

/* Adds the counts of a file; the first one says of which profile all are. Ends the program when it is none. */
void coverage_add_file(struct coverage *c, const char *path, bool first);

#endif
