/* What a cycle model is like: the table of parameters.def as a structure, by name and as a text file. */
#ifndef VENTUS_TIMING_PARAMETERS_H
#define VENTUS_TIMING_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct timing_config {
    char name[64]; /* of the configuration or file it comes from */
#define PARAMETER(name, least, most, verilog, chisel, ideal, large, text) uint32_t name;
#include "timing/parameters.def"
#undef PARAMETER
};

#define TIMING_NAMES "verilog, chisel, ideal, large" /* for messages */

/* A configuration that is built in, by its name, or a file: lines "name = value", # begins a comment; a first line
 * "base = NAME" says which configuration the others change (verilog without it). False, with "what is wrong where" in
 * `why`, and *config unchanged: there is neither, or the file makes no sense. */
bool timing_config_read(struct timing_config *config, const char *name, char *why, size_t why_size);

/* Writes all parameters as such a file, with their ranges and meanings. */
void timing_config_print(const struct timing_config *config, FILE *out);

#endif
