/* Known faults of hardware, which the functional machine imitates on request: isa/quirk.def lists them.
 *
 * An observer changes what instructions have left in registers before anybody else sees it, and ends launches with
 * which the hardware hangs (FAULT_HANG). docs/hardware.md is for users. */
#ifndef VENTUS_QUIRKS_H
#define VENTUS_QUIRKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "isa/quirk.h"
#include "sim/observe.h"

/* The faults of `names` for a machine that has them from now on; the machine must be idle and without memory. NULL, and
 * why. */
struct quirks;
struct quirks *quirks_new(struct gpu *gpu, const char *names, char *why, size_t why_size);
struct observer *quirks_observer(struct quirks *quirks);
void quirks_free(struct quirks *quirks);

/* How many instructions a fault has changed, in all launches. */
uint64_t quirks_count(const struct quirks *quirks, enum quirk quirk);

/* What acted in the last launch (or all of them), as text: "regexti-imm 3 times, fmv once", or "none acted". Returns
 * the length as snprintf does. */
int quirks_print(const struct quirks *quirks, bool all, char *text, size_t size);

/* The counts of all that the machine has, as lines of `--stats`, and as a JSON object. */
void quirks_stats(const struct quirks *quirks, FILE *out);
void quirks_json(const struct quirks *quirks, FILE *out);

#endif
