/* Instructions on their way through an SM: a pool of which each issued one takes a member. */
#include <stdlib.h>
#include <string.h>

#include "timing/model.h"

/* More than there can be, 156: 16 in collection and two on their way there, 64 in the coalescer and two in front of it,
 * two at the way out of each of 11 units, eight in each of five pipes, and ten elsewhere in struct units and struct
 * fpu. */
enum { POOL = 256 };

bool flights_open(struct core *c)
{
    c->pool = calloc(POOL, sizeof *c->pool);
    c->free = calloc(POOL, sizeof *c->free);
    return c->pool && c->free;
}

void flights_close(struct core *c)
{
    free(c->pool);
    free(c->free);
}

void flights_reset(struct core *c)
{
    c->nfree = POOL;
    memset(c->on_way, 0, sizeof c->on_way);
    for (unsigned i = 0; i < POOL; i++) c->free[i] = &c->pool[i];
}

struct flight *flight_new(struct core *c, const struct op *op, unsigned slot)
{
    struct flight *f = c->free[--c->nfree];
    c->on_way[slot]++;
    f->op = op;
    f->slot = (uint8_t)slot;
    f->jumps = f->astray = false;
    f->lanes = 0;
    f->cycles = 1;
    f->ready = 0;
    if (__builtin_expect(c->model->account != NULL, 0)) {
        const struct resident *group = c->slot[slot].group;
        f->launch = group && group->launch ? group->launch->serial : 0;
    }
    return f;
}

void flight_free(struct core *c, struct flight *f)
{
    c->free[c->nfree++] = f;
    if (!--c->on_way[f->slot]) c->slot[f->slot].drains = false;
}
