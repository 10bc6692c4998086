/* Names of translated code for tools of the host: gdb by its interface for code that is made at run time, perf by a
 * file of addresses. Called by units.c. */
#ifndef VENTUS_NATIVE_SYMBOLS_H
#define VENTUS_NATIVE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

struct native_symbol;

/* Names `size` bytes of code, as long as the result lives; the name is copied. With $VENTUS_PERF a line is added to
 * /tmp/perf-PID.map, where perf looks, too, if that is a file of the user's own. NULL: the host has no memory, and
 * nothing has a name. */
struct native_symbol *symbol_add(const char *name, const void *code, size_t size);

/* NULL is allowed. perf's file, which is read when the program is over, keeps its line. */
void symbol_remove(struct native_symbol *symbol);

#endif
