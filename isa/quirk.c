/* The table of known faults, and their names. Called by tools, the driver, quirks/ and the compiler. */
#include "isa/quirk.h"

#include <stdio.h>
#include <string.h>

const struct quirk_desc quirk_table[QUIRKS] = {
#define QUIRK(id, name, set, instructions, does, avoided) {name, set, instructions, does, avoided},
#include "isa/quirk.def"
#undef QUIRK
};

/* ---- names ---- */

static bool is_word(const char *name, const char *word, size_t n)
{
    return strlen(name) == n && !memcmp(name, word, n);
}

static uint32_t find(const char *word, size_t n)
{
    uint32_t found = 0;
    for (unsigned i = 0; i < QUIRKS; i++)
        if (is_word(quirk_table[i].name, word, n) || is_word(quirk_table[i].set, word, n)) found |= 1u << i;
    return found;
}

void quirks_append(char *text, size_t size, int *n, const char *between, const char *name)
{
    const size_t at = *n < 0 ? size : (size_t)*n;
    *n += snprintf(at < size ? text + at : NULL, at < size ? size - at : 0, "%s%s", between, name);
}

static void refuse(const char *word, size_t length, char *why, size_t why_size)
{
    int n =
        snprintf(why, why_size, "there is no known fault '%.*s'; there are: ", length < 40 ? (int)length : 40, word);
    for (unsigned i = 0; i < QUIRKS; i++)
        if (!i || strcmp(quirk_table[i].set, quirk_table[i - 1].set) != 0)
            quirks_append(why, why_size, &n, i ? ", " : "", quirk_table[i].set);
    for (unsigned i = 0; i < QUIRKS; i++) quirks_append(why, why_size, &n, ", ", quirk_table[i].name);
}

bool quirks_parse(const char *names, uint32_t *set, char *why, size_t why_size)
{
    uint32_t all = 0;
    for (const char *word = names;; word++) {
        const size_t n = strcspn(word, ",");
        const uint32_t found = find(word, n);
        if (!found) return refuse(word, n, why, why_size), false;
        all |= found;
        word += n;
        if (!*word) break;
    }
    *set = all;
    return true;
}

/* The fault of this name that cannot be avoided; QUIRKS: it can, or the word is that of a set. */
static unsigned unavoidable(const char *word, size_t n)
{
    unsigned i = 0;
    while (i < QUIRKS && (*quirk_table[i].avoided || !is_word(quirk_table[i].name, word, n))) i++;
    return i;
}

bool quirks_parse_avoided(const char *names, uint32_t *set, char *why, size_t why_size)
{
    uint32_t all;
    if (!quirks_parse(names, &all, why, why_size)) return false;
    for (const char *word = names; *word; word += word[strcspn(word, ",")] ? strcspn(word, ",") + 1 : strlen(word)) {
        const unsigned q = unavoidable(word, strcspn(word, ","));
        if (q == QUIRKS) continue;
        int n = snprintf(why, why_size, "code cannot do without what '%s' concerns; it can avoid", quirk_table[q].name);
        for (unsigned i = 0; i < QUIRKS; i++)
            if (*quirk_table[i].avoided) quirks_append(why, why_size, &n, " ", quirk_table[i].name);
        return false;
    }
    for (unsigned i = 0; i < QUIRKS; i++)
        if (!*quirk_table[i].avoided) all &= ~(1u << i);
    *set = all;
    return true;
}
