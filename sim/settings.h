/* Text files of settings: lines "name = value"; # begins a comment. Parameters of machines and of the cycle model. */
#ifndef VENTUS_SIM_SETTINGS_H
#define VENTUS_SIM_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Takes a line. Returns NULL, or what is wrong with it: a constant text, or `why` after writing there. */
typedef const char *settings_set(void *user, const char *name, const char *text, char *why, size_t why_size);

/* Gives every line of `f` to `set`. Stops at the first wrong line, or when it cannot read the file: then it returns
 * false and writes "path:line: what is wrong" to `why`. */
bool settings_read(FILE *f, const char *path, settings_set *set, void *user, char *why, size_t why_size);

/* Reads a decimal or 0x hexadecimal number; K or M behind it multiplies by 2^10 or 2^20. False: the text is something
 * else, or the number too large. */
bool settings_number(const char *text, uint64_t most, uint64_t *value);

#endif
