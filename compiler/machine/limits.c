/* How many registers a kernel may use, so that a machine has room for its largest work-group: the warps of a group
 * share the registers of an SM, which are fewer than each of them could name. A kernel that requires a size of its
 * groups has the rest to itself; a routine keeps to what each of the kernels may use. Called by output.c. */
#include "compiler/machine/machine.h"

#include <stdlib.h>
#include <string.h>

enum {
    LEAST = 32,          /* what a word names by itself: a machine with less has room for smaller groups only */
    MAX_NUMBER = 1 << 20 /* of what the command line says */
};

bool limits_parse(const char *text, struct pools *pools)
{
    uint32_t *const fields[] = {&pools->scalars, &pools->vectors, &pools->lanes, &pools->group};
    for (unsigned i = 0; i < 4; i++) {
        char *end;
        unsigned long n = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
        if (!n || n > MAX_NUMBER || *end != (i < 3 ? ',' : 0)) return false;
        *fields[i] = (uint32_t)n;
        text = end + 1;
    }
    return true;
}

static uint32_t largest_group(const struct pools *p, const struct kernel *k)
{
    uint64_t size = (uint64_t)k->reqd[0] * k->reqd[1] * k->reqd[2];
    return size && size < p->group ? (uint32_t)size : p->group;
}

/* Registers of one warp if there are `pool` for those of a group, whole fours of them. */
static uint32_t share(const struct pools *p, uint32_t group, uint32_t pool, uint32_t most)
{
    uint32_t warps = (group + p->lanes - 1) / p->lanes, each = pool / warps & ~3u;
    return each > most ? most : each < LEAST ? LEAST : each;
}

static void limit_kernel(const struct pools *p, struct kernel *k)
{
    k->limit_s = p->lanes ? share(p, largest_group(p, k), p->scalars, ISA_XREGS) : ISA_XREGS;
    k->limit_v = p->lanes ? share(p, largest_group(p, k), p->vectors, ISA_VREGS) : ISA_VREGS;
}

static void limit_routine(struct cc *cc, struct kernel *routine)
{
    routine->limit_s = ISA_XREGS;
    routine->limit_v = ISA_VREGS;
    for (uint32_t i = 0; i < cc->nkernels; i++) {
        const struct kernel *k = &cc->kernels[i];
        if (k->limit_s < routine->limit_s) routine->limit_s = k->limit_s;
        if (k->limit_v < routine->limit_v) routine->limit_v = k->limit_v;
    }
}

void limits_run(struct cc *cc)
{
    for (uint32_t i = 0; i < cc->nkernels; i++) limit_kernel(&cc->pools, &cc->kernels[i]);
    for (uint32_t i = 0; i < cc->nroutines; i++) limit_routine(cc, &cc->routines[i]);
}
