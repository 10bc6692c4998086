/* Known faults of hardware: quirk.def lists them. The machine imitates them (quirks/), the compiler avoids some. */
#ifndef VENTUS_ISA_QUIRK_H
#define VENTUS_ISA_QUIRK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum quirk {
#define QUIRK(id, ...) QUIRK_##id,
#include "isa/quirk.def"
#undef QUIRK
    QUIRKS
};

struct quirk_desc {
    const char *name, *set, *instructions, *does, *avoided;
};

/* quirk_table[q] describes fault q. */
extern const struct quirk_desc quirk_table[QUIRKS];

/* "NAME[,NAME...]", each a fault or a set, as a set of bits 1 << q. False, and why, which lists all names. */
bool quirks_parse(const char *names, uint32_t *set, char *why, size_t why_size);

/* The same of faults that the compiler can avoid: of a set those; one by its own name that it cannot is refused. */
bool quirks_parse_avoided(const char *names, uint32_t *set, char *why, size_t why_size);

/* Adds to a text of `*n` bytes, as snprintf counts them; what does not fit in `size` is left out. */
void quirks_append(char *text, size_t size, int *n, const char *between, const char *name);

#endif
