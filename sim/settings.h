/* Text files of settings: lines "name = value"; # begins a comment. Parameters of machines and of the cycle model. */
#ifndef VENTUS_SIM_SETTINGS_H
#define VENTUS_SIM_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What is to be done with a line. NULL, or what is wrong with it: a constant text, or `why` after writing there. */
typedef const char *settings_set(void *user, const char *name, const char *text, char *why, size_t why_size);

/* Gives every line of `f` to `set`. False, and "path:line: what is wrong" in `why`, with the first wrong one or when
 * the file cannot be read. */
bool settings_read(FILE *f, const char *path, settings_set *set, void *user, char *why, size_t why_size);

/* Decimal or 0x hexadecimal, with K or M behind it for times 2^10 or 2^20. False: it is something else or too large. */
bool settings_number(const char *text, uint64_t most, uint64_t *value);

#endif
