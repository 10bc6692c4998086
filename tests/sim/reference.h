/* References of arithmetic on words of any width, for alu_test.c (32 bits) and prefix_test.c (64 bits), and how a row's
 * is found. Whoever includes this defines the types word and sword, and double_word and double_sword of twice as many
 * bits. reference.def has the list. */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef word reference(word a, word b, word c);

#define REF(name, expr) \
    static word r_##name(word a, word b, word c) \
    { \
        (void)a, (void)b, (void)c; \
        return (word)(expr); \
    }
#define SA        ((sword)a)
#define SB        ((sword)b)
#define WORD_BITS (8 * sizeof(word))
#define ONES      ((word)-1)
#define MOST      ((double_sword)(ONES >> 1)) /* of a sword */

static sword clip(double_sword v) { return (sword)(v > MOST ? MOST : v < -MOST - 1 ? -MOST - 1 : v); }

#define INTEGER(id, rows, expr) REF(id, expr)
#define FLOATING(id, rows)
#include "reference.def"
#undef INTEGER
#undef FLOATING

/* ---- by name ---- */

struct named_reference {
    const char *names; /* mnemonics without their operand suffix, separated by spaces */
    reference *compute;
};

/* The rows of reference.def, for an array. */
#define NAMED(id, rows, ...) {rows, r_##id},

static bool listed(const char *names, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = strstr(names, name); p; p = strstr(p + 1, name))
        if ((p == names || p[-1] == ' ') && (p[n] == ' ' || !p[n])) return true;
    return false;
}

/* The reference of a row, or NULL. */
static reference *find_reference(const struct named_reference *rows, size_t n, const char *mnemonic)
{
    static const char *const suffixes[] = {".vv", ".vx", ".vi", ".vf", ".mm", ".vvm", ".vxm", ".vim", ".vfm"};
    char name[32];
    snprintf(name, sizeof name, "%s", mnemonic);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t length = strlen(name), s = strlen(suffixes[i]);
        if (length > s && !strcmp(name + length - s, suffixes[i])) name[length - s] = 0;
    }
    for (size_t i = 0; i < n; i++)
        if (listed(rows[i].names, name)) return rows[i].compute;
    return NULL;
}

#endif
