/* Tags of a set-associative cache, and which line of a set a new one replaces. */
#include <stdlib.h>

#include "timing/model.h"

enum { LEAST_RECENTLY_USED, FIRST_IN, RANDOM };

bool tags_open(struct tags *t, uint32_t sets, uint32_t ways, const struct timing_config *config)
{
    *t = (struct tags){.sets = sets,
                       .ways = ways,
                       .shift = (uint32_t)__builtin_ctz(config->line_bytes),
                       .replacement = config->replacement};
    t->way = calloc((size_t)sets * ways, sizeof *t->way);
    return t->way;
}

void tags_close(struct tags *t) { free(t->way); }

struct tag *tags_set(struct tags *t, uint32_t line) { return t->way + (line >> t->shift & (t->sets - 1)) * t->ways; }

struct tag *tags_find(struct tags *t, uint32_t line)
{
    struct tag *set = tags_set(t, line);
    for (struct tag *tag = set; tag < set + t->ways; tag++)
        if (tag->valid && tag->line == line) return tag;
    return NULL;
}

/* A number that looks random, of those that count up. */
static uint32_t mixed(uint64_t n)
{
    n = (n + 1) * 0x9e3779b97f4a7c15u;
    return (uint32_t)((n ^ n >> 29) * 0xbf58476d1ce4e5b9u >> 32);
}

struct tag *tags_oldest(struct tags *t, uint32_t line)
{
    struct tag *set = tags_set(t, line), *oldest = set;
    if (t->replacement == RANDOM) return set + mixed(t->uses) % t->ways;
    for (struct tag *tag = set + 1; tag < set + t->ways; tag++)
        if (tag->used < oldest->used) oldest = tag;
    return oldest;
}

struct tag *tags_victim(struct tags *t, uint32_t line)
{
    struct tag *set = tags_set(t, line);
    for (struct tag *tag = set; tag < set + t->ways; tag++)
        if (!tag->valid) return tag;
    return tags_oldest(t, line);
}

void tags_use(struct tags *t, struct tag *tag) { tag->used = ++t->uses; }

void tags_hit(struct tags *t, struct tag *tag)
{
    if (t->replacement != FIRST_IN) tags_use(t, tag);
}

void tags_clear(struct tags *t)
{
    for (size_t i = 0; i < (size_t)t->sets * t->ways; i++) t->way[i].valid = t->way[i].dirty = false;
}
