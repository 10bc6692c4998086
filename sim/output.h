/* Files that observers and programs write: one that cannot be written completely is removed. */
#ifndef VENTUS_SIM_OUTPUT_H
#define VENTUS_SIM_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/* Creates a file, or empties one; "-" is standard output. NULL, and the reason in `why`, when that fails. */
FILE *output_open(const char *path, char *why, size_t why_size);

/* Ends what output_open began. A file that could not be written completely is removed again (a device or pipe is
 * left alone): false, and the reason in `why`. Standard output stays open; its errors are for whoever ends the
 * program. */
bool output_close(FILE *out, const char *path, char *why, size_t why_size);

/* Writes `size` bytes of a text for a terminal or a picture, at most `most` characters of it: controls as spaces, what
 * is no UTF-8 as U+FFFD. */
void output_plain(FILE *out, const char *text, size_t size, size_t most);

/* Writes a text as a string of JSON; what is no UTF-8 in it as U+FFFD. */
void output_json_string(FILE *out, const char *text);

/* Does a path end so? The names of some files say their form. */
bool output_ends_with(const char *path, const char *ending);

#endif
