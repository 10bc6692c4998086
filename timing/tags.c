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

struct tag *tags_set(struct tags *t, uint32_t line) { return t->way + (line >> t->shift & (t->sets - 1)) * t->ways; }

struct tag *tags_find(struct tags *t, uint32_t line)
{
    struct tag *set = tags_set(t, line);
    for (struct tag *tag = set; tag < set + t->ways; tag++)
        if (tag->valid && tag->line == line) return tag;
    return NULL;
}

struct tag *tags_oldest(struct tags *t, uint32_t line)
{
    struct tag *set = tags_set(t, line), *oldest = set;
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

void tags_clear(struct tags *t)
{
    for (size_t i = 0; i < (size_t)t->sets * t->ways; i++) t->way[i].valid = t->way[i].dirty = false;
}
