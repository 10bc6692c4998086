/* reduce_file: see reduce.c. */
#ifndef REDUCE_H
#define REDUCE_H

/* Prints a smaller case that fails in the same way. Returns an exit code. */
int reduce_file(const char *path);

#endif
