/* Tags of a set-associative cache with least-recently-used replacement. */
#include <stdlib.h>

#include "timing/model.h"

bool tags_open(struct tags *t, uint32_t sets, uint32_t ways, uint32_t line_bytes)
{
    *t = (struct tags){.sets = sets, .ways = ways, .shift = (uint32_t)__builtin_ctz(line_bytes)};
    t->way = calloc((size_t)sets * ways, sizeof *t->way);
    return t->way;
}

void tags_close(struct tags *t) { free(t->way); }

static struct tag *set_of(struct tags *t, uint32_t line)
{
    return t->way + (line >> t->shift & (t->sets - 1)) * t->ways;
}

struct tag *tags_find(struct tags *t, uint32_t line)
{
    struct tag *set = set_of(t, line);
    for (struct tag *tag = set; tag < set + t->ways; tag++)
        if (tag->valid && tag->line == line) return tag;
    return NULL;
}

/* Which way of its set a new line takes: one that is free, else the one not used for the longest time. */
struct tag *tags_victim(struct tags *t, uint32_t line)
{
    struct tag *set = set_of(t, line), *victim = set;
    for (struct tag *tag = set; tag < set + t->ways; tag++) {
        if (!tag->valid) return tag;
        if (tag->used < victim->used) victim = tag;
    }
    return victim;
}

void tags_use(struct tags *t, struct tag *tag) { tag->used = ++t->uses; }

void tags_clear(struct tags *t)
{
    for (size_t i = 0; i < (size_t)t->sets * t->ways; i++) t->way[i].valid = t->way[i].dirty = false;
}
