/* Adjacent registers, for operands of inline assembly that take several: matrices, and values of more than 32 bits.
 *
 * They are placed before all others and kept from those: first fit, each group over the whole of the positions between
 * its first and last use. Copies into and out of groups are merged like all copies (liveness.c), so that a matrix stays
 * where it is over a loop. Called by regalloc_run. */
#include "compiler/codegen/codegen.h"

#include <stdlib.h>

struct item {
    const struct group *group;
    uint32_t from, to, base;
};

static void find_hull(const struct func *f, struct item *item)
{
    item->from = UINT32_MAX;
    for (uint32_t i = 0; i < item->group->n; i++) {
        const struct range *r = &f->ranges[item->group->regs[i]];
        if (!r->n) continue;
        if (r->seg[0].from < item->from) item->from = r->seg[0].from;
        if (r->seg[r->n - 1].to > item->to) item->to = r->seg[r->n - 1].to;
    }
}

static void mark(uint64_t *set, uint32_t base, uint32_t n)
{
    for (uint32_t r = base; r < base + n; r++) set[r / 64] |= 1ull << r % 64;
}

static bool is_free(const uint64_t *set, uint32_t base, uint32_t n)
{
    for (uint32_t r = base; r < base + n; r++)
        if (set[r / 64] >> r % 64 & 1) return false;
    return true;
}

/* Some of the registers that need no prefix are left to others. */
static void place(struct func *f, struct item *item, const uint64_t *busy)
{
    enum { LEFT = 16, DIRECT = 32 };
    bool direct = item->group->direct;
    uint32_t n = item->group->n, end = direct ? DIRECT : ISA_VREGS;
    for (item->base = direct ? 0 : LEFT; item->base + n <= end; item->base++)
        if (is_free(busy, item->base, n)) return;
    fail(f, "inline assembly needs more adjacent vector registers than there are");
}

void groups_place(struct func *f, uint64_t taken[ISA_VREGS / 64])
{
    struct item *items = cc_alloc(f->cc, (f->ngroups + 1) * sizeof *items);
    enum { SETS = ISA_VREGS / 64 };
    uint64_t used[SETS] = {0};
    for (uint32_t i = 0; i < f->ngroups; i++) {
        uint64_t busy[SETS];
        for (unsigned s = 0; s < SETS; s++) busy[s] = taken[s];
        items[i].group = &f->groups[i];
        find_hull(f, &items[i]);
        for (uint32_t k = 0; k < i; k++)
            if (items[k].from < items[i].to && items[i].from < items[k].to)
                mark(busy, items[k].base, items[k].group->n);
        place(f, &items[i], busy);
        mark(used, items[i].base, items[i].group->n);
        for (uint32_t k = 0; k < items[i].group->n; k++)
            f->vregs[items[i].group->regs[k]].phys = (int16_t)(items[i].base + k);
    }
    for (unsigned s = 0; s < SETS; s++) taken[s] |= used[s];
}
