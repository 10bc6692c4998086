/* Who has written the words of memory: a hash table with the last writes of each word that a launch has written. From
 * it loads learn which values are possible (compare.c) and reports who wrote a word (report.c). */
#include <stdlib.h>
#include <string.h>

#include "cosim/parts.h"

uint64_t word_key(uint32_t addr, uint32_t local_serial)
{
    return ((uint64_t)local_serial << 32 | (addr & ~3u)) + 1; /* 0 is a free entry */
}

static size_t place_in(const struct words *t, uint64_t key)
{
    uint64_t h = key * 0x9e3779b97f4a7c15u;
    return (size_t)(h >> 20) & (t->room - 1);
}

static struct word *entry_of(const struct words *t, uint64_t key)
{
    size_t i = place_in(t, key);
    while (t->table[i].key && t->table[i].key != key) i = (i + 1) & (t->room - 1);
    return &t->table[i];
}

struct word *words_find(const struct words *t, uint64_t key)
{
    struct word *w = t->room ? entry_of(t, key) : NULL;
    return w && w->key ? w : NULL;
}

bool words_ordered(const struct written *first, const struct written *then)
{
    if (first->place != then->place || first->serial != then->serial) return false;
    return first->warp == then->warp || first->passed < then->passed;
}

bool words_race(const struct word *w, uint32_t i, uint32_t k)
{
    return w->last[k].stores && !words_ordered(&w->last[k], &w->last[i]);
}

static bool grow(struct words *t)
{
    struct words more = {.room = t->room ? 2 * t->room : 1024};
    more.table = calloc(more.room, sizeof *more.table);
    if (!more.table) return false;
    for (size_t i = 0; i < t->room; i++)
        if (t->table[i].key) *entry_of(&more, t->table[i].key) = t->table[i];
    more.n = t->n;
    free(t->table);
    *t = more;
    return true;
}

bool words_note(struct words *t, uint64_t key, const struct written *w)
{
    if (2 * t->n >= t->room && !grow(t)) return false;
    struct word *e = entry_of(t, key);
    t->n += !e->key;
    e->key = key;
    if (e->n && e->last[0].when == w->when) { /* another lane of the same instruction */
        e->last[0].value = w->value;
        e->last[0].several |= w->several;
        return true;
    }
    memmove(e->last + 1, e->last, (WORD_WRITES - 1) * sizeof *e->last);
    e->last[0] = *w;
    e->n += e->n < WORD_WRITES;
    e->total++;
    return true;
}

void words_forget(struct words *t)
{
    free(t->table);
    *t = (struct words){0};
}
