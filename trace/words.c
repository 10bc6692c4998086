/* Instruction words by address, as the writer and the reader of a compact trace both know them: the file
 * holds a word only where it is new. An open table; a place without words is free. */
#include <stdlib.h>
#include <string.h>

#include "trace/trace.h"

static struct known *place(const struct code_words *t, uint32_t pc)
{
    size_t i = (pc >> 2) * 0x9e3779b1u & (t->room - 1);
    while (t->known[i].nwords && t->known[i].pc != pc) i = (i + 1) & (t->room - 1);
    return &t->known[i];
}

static bool grow(struct code_words *t)
{
    struct code_words larger = {.n = t->n, .room = t->room ? 2 * t->room : 1024};
    larger.known = calloc(larger.room, sizeof *larger.known);
    if (!larger.known) return false;
    for (size_t i = 0; i < t->room; i++)
        if (t->known[i].nwords) *place(&larger, t->known[i].pc) = t->known[i];
    free(t->known);
    *t = larger;
    return true;
}

const struct known *words_at(const struct code_words *t, uint32_t pc)
{
    const struct known *k = t->room ? place(t, pc) : NULL;
    return k && k->nwords ? k : NULL;
}

enum learnt words_learn(struct code_words *t, const struct known *k)
{
    if (2 * t->n >= t->room && !grow(t)) return LEARN_NO_MEMORY;
    struct known *at = place(t, k->pc);
    if (at->nwords == k->nwords && !memcmp(at->words, k->words, sizeof k->words)) return LEARN_KNOWN;
    t->n += !at->nwords;
    *at = *k;
    return LEARN_NEW;
}
