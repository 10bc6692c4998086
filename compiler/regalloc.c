/* Registers for virtual registers, per class: x or v.
 *
 * Ranges count as hulls, from the first position to the last. Registers come in two tiers: those
 * that an instruction word names by itself, and those behind a prefix. The hulls used most per
 * position go to the first tier as long as no position has more of them than registers, then to
 * the second, the rest is to be spilled; within a tier a scan in order of position then always finds a
 * free register. Called by backend_kernel. */
#include "compiler/backend.h"

#include <stdlib.h>
#include <string.h>

enum { TIERS = 2 };

struct item {
    uint32_t reg, from, to;
    double density;
};

struct tier {
    const uint8_t *regs;
    uint32_t nregs;
    struct item *items;
    uint32_t n;
};

/* Most hulls at one position: a tree over positions with range increment and maximum. */
struct pressure {
    uint32_t size;
    int32_t *max, *add;
};

static int32_t pressure_max(const struct pressure *p, uint32_t node, uint32_t lo, uint32_t hi, uint32_t from,
                            uint32_t to)
{
    if (to <= lo || hi <= from) return 0;
    if (from <= lo && hi <= to) return p->max[node];
    uint32_t mid = (lo + hi) / 2;
    int32_t a = pressure_max(p, 2 * node, lo, mid, from, to), b = pressure_max(p, 2 * node + 1, mid, hi, from, to);
    return (a > b ? a : b) + p->add[node];
}

static void pressure_add(struct pressure *p, uint32_t node, uint32_t lo, uint32_t hi, uint32_t from, uint32_t to)
{
    if (to <= lo || hi <= from) return;
    if (from <= lo && hi <= to) {
        p->max[node]++;
        p->add[node]++;
        return;
    }
    uint32_t mid = (lo + hi) / 2;
    pressure_add(p, 2 * node, lo, mid, from, to);
    pressure_add(p, 2 * node + 1, mid, hi, from, to);
    int32_t a = p->max[2 * node], b = p->max[2 * node + 1];
    p->max[node] = (a > b ? a : b) + p->add[node];
}

static int by_density(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->density != y->density) return x->density > y->density ? -1 : 1;
    return x->reg < y->reg ? -1 : x->reg > y->reg;
}

static int by_start(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->reg < y->reg ? -1 : x->reg > y->reg;
}

static uint32_t collect(struct func *f, enum reg_class cls, struct item *items)
{
    uint32_t n = 0;
    for (uint32_t v = FIRST_VREG; v < f->nvregs; v++) {
        const struct range *r = &f->ranges[v];
        if (f->vregs[v].cls != cls || f->vregs[v].fixed || !r->n) continue;
        uint32_t from = r->seg[0].from, to = r->seg[r->n - 1].to;
        if (f->vregs[v].group) continue;
        double density = r->weight / (to - from);
        items[n++] = (struct item){v, from, to, f->vregs[v].temporary ? 1e30 : f->vregs[v].direct ? 1e29 : density};
    }
    qsort(items, n, sizeof *items, by_density);
    return n;
}

/* Puts an item into the tier if its registers suffice everywhere. */
static bool fits(struct tier *t, struct pressure *p, const struct item *item)
{
    if (pressure_max(p, 1, 0, p->size, item->from, item->to) >= (int32_t)t->nregs) return false;
    pressure_add(p, 1, 0, p->size, item->from, item->to);
    t->items[t->n++] = *item;
    return true;
}

static int32_t hinted(const struct func *f, uint32_t reg)
{
    int32_t hint = f->vregs[reg].hint;
    if (hint == NOREG) return -1;
    return hint < FIRST_VREG ? hint : f->vregs[hint].phys;
}

static void scan(struct func *f, struct tier *t)
{
    uint32_t *busy_to = cc_alloc(f->cc, (t->nregs + 1) * sizeof *busy_to);
    qsort(t->items, t->n, sizeof *t->items, by_start);
    for (uint32_t i = 0; i < t->n; i++) {
        const struct item *item = &t->items[i];
        uint32_t pick = t->nregs;
        int32_t hint = hinted(f, item->reg);
        for (uint32_t r = 0; r < t->nregs; r++) {
            if (busy_to[r] > item->from) continue;
            if (pick == t->nregs || t->regs[r] == hint) pick = r;
        }
        if (pick == t->nregs) cc_error(f->cc, CC_INTERNAL, NULL, "no register where the allocator counted one");
        busy_to[pick] = item->to;
        f->vregs[item->reg].phys = t->regs[pick];
    }
}

/* Allocates one class; returns how many registers of `spilled` did not find a place. */
static uint32_t allocate(struct func *f, enum reg_class cls, const uint8_t *regs, uint32_t direct, uint32_t nregs,
                         uint32_t *spilled)
{
    struct item *items = cc_alloc(f->cc, (f->nvregs + 1) * sizeof *items);
    uint32_t n = collect(f, cls, items), nspilled = 0, last = f->order[f->norder - 1], size = 1;
    while (size < f->mblocks[last].end + 2) size *= 2;
    struct tier tier[TIERS] = {{regs, direct < nregs ? direct : nregs, NULL, 0},
                               {regs + direct, nregs > direct ? nregs - direct : 0, NULL, 0}};
    struct pressure p[TIERS];
    for (unsigned t = 0; t < TIERS; t++) {
        tier[t].items = cc_alloc(f->cc, (n + 1) * sizeof *items);
        p[t] = (struct pressure){size, cc_alloc(f->cc, 2 * size * sizeof(int32_t)),
                                 cc_alloc(f->cc, 2 * size * sizeof(int32_t))};
    }
    for (uint32_t i = 0; i < n; i++) {
        if (fits(&tier[0], &p[0], &items[i])) continue;
        if (!f->vregs[items[i].reg].direct && fits(&tier[1], &p[1], &items[i])) continue;
        if (f->vregs[items[i].reg].temporary) fail(f, "the kernel needs more registers than there are");
        spilled[nspilled++] = items[i].reg;
    }
    if (!nspilled)
        for (unsigned t = 0; t < TIERS; t++) scan(f, &tier[t]);
    return nspilled;
}

/* Those of `n` registers that inline assembly leaves to the rest; *direct becomes the number of those below 32. */
static uint32_t available(const uint64_t *taken, const uint8_t *regs, uint32_t n, uint8_t *out, uint32_t *direct)
{
    uint32_t count = 0;
    *direct = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (taken[regs[i] / 64] >> regs[i] % 64 & 1) continue;
        *direct += regs[i] < 32;
        out[count++] = regs[i];
    }
    return count;
}

uint32_t regalloc_run(struct func *f, uint32_t **unplaced)
{
    /* Not for values: x0, ra, sp, gp, tp, x5, which joins are named from (emit.c), s0. */
    static const uint8_t scalars[] = {6,  7,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
                                      26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44,
                                      45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    uint8_t vectors[ISA_VREGS], free_s[sizeof scalars], free_v[ISA_VREGS];
    uint64_t taken[ISA_VREGS / 64];
    uint32_t direct_s, direct_v;
    for (unsigned i = 0; i < ISA_VREGS; i++) vectors[i] = (uint8_t)i;
    if (f->args >= FIRST_VREG && f->vregs[f->args].hint == NOREG) f->vregs[f->args].hint = REG_ARGS;
    *unplaced = cc_alloc(f->cc, (f->nvregs + 1) * sizeof **unplaced);
    memcpy(taken, f->reserved.v, sizeof taken);
    groups_place(f, taken);
    uint32_t ns = available(&f->reserved.x, scalars, sizeof scalars, free_s, &direct_s);
    uint32_t nv = available(taken, vectors, ISA_VREGS, free_v, &direct_v);
    if (ns > f->nregs_s) ns = f->nregs_s;
    if (nv > f->nregs_v) nv = f->nregs_v;
    uint32_t n = allocate(f, CLASS_S, free_s, direct_s, ns, *unplaced);
    return n + allocate(f, CLASS_V, free_v, direct_v, nv, *unplaced + n);
}
