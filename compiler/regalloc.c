/* Registers for virtual registers, per class: x or v.
 *
 * Ranges count as hulls, from the first position to the last. Registers come in tiers: those
 * that an instruction word names by itself before those behind a prefix, and of each those that a called routine
 * writes, for hulls without a call in them, before the others. The hulls used most per
 * position go to the first tier as long as no position has more of them than registers, then to
 * the next, the rest is to be spilled; within a tier a scan in order of position then always finds a
 * free register. Called by backend_kernel. */
#include "compiler/backend.h"

#include <stdlib.h>
#include <string.h>

enum { TIERS = 4 };

struct item {
    uint32_t reg, from, to;
    bool crosses; /* a call */
    double density;
};

/* Most hulls at one position: a tree over positions with range increment and maximum. */
struct pressure {
    uint32_t size;
    int32_t *max, *add;
};

struct tier {
    bool direct, called; /* no prefix; written by routines */
    uint8_t regs[ISA_VREGS];
    uint32_t nregs;
    struct item *items;
    uint32_t n;
    struct pressure pressure;
};

/* Positions at which calls write, ascending. */
struct calls {
    uint32_t *at, n, room;
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

static struct calls find_calls(struct func *f)
{
    struct calls c = {0};
    for (uint32_t i = 0; f->calls && i < f->norder; i++) {
        const struct mblock *b = &f->mblocks[f->order[i]];
        for (uint32_t k = 0; k < b->n; k++) {
            if (b->code[k].op != OP_JAL) continue;
            c.at = cc_grow(f->cc, c.at, c.n, &c.room, sizeof *c.at);
            c.at[c.n++] = b->start + 2 * k + 1;
        }
    }
    return c;
}

/* Is there a call in [from, to)? */
static bool is_crossed(const struct calls *c, uint32_t from, uint32_t to)
{
    uint32_t low = 0, high = c->n;
    while (low < high) { /* the first call that is not before `from` */
        uint32_t middle = (low + high) / 2;
        if (c->at[middle] < from) low = middle + 1;
        else high = middle;
    }
    return low < c->n && c->at[low] < to;
}

static uint32_t collect(struct func *f, enum reg_class cls, struct item *items)
{
    struct calls calls = find_calls(f);
    uint32_t n = 0;
    for (uint32_t v = FIRST_VREG; v < f->nvregs; v++) {
        const struct range *r = &f->ranges[v];
        if (f->vregs[v].cls != cls || f->vregs[v].fixed || !r->n) continue;
        uint32_t from = r->seg[0].from, to = r->seg[r->n - 1].to;
        if (f->vregs[v].group) continue;
        double density = r->weight / (to - from);
        if (f->vregs[v].direct) density = 1e29;
        if (f->vregs[v].temporary) density = 1e30;
        items[n++] = (struct item){v, from, to, is_crossed(&calls, from, to), density};
    }
    qsort(items, n, sizeof *items, by_density);
    return n;
}

/* Puts an item into the tier if its registers suffice everywhere. */
static bool fits(struct tier *t, const struct item *item)
{
    struct pressure *p = &t->pressure;
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

/* Sorts registers into tiers. */
static void make_tiers(struct func *f, struct tier *tier, const uint8_t *regs, uint32_t nregs, const uint64_t *called,
                       uint32_t nitems)
{
    uint32_t last = f->order[f->norder - 1], size = 1;
    while (size < f->mblocks[last].end + 2) size *= 2;
    for (unsigned t = 0; t < TIERS; t++) {
        tier[t] = (struct tier){.direct = t < TIERS / 2, .called = t % 2 == 0};
        for (uint32_t r = 0; r < nregs; r++) {
            bool direct = regs[r] < 32, written = called[regs[r] / 64] >> regs[r] % 64 & 1;
            if (direct == tier[t].direct && written == tier[t].called) tier[t].regs[tier[t].nregs++] = regs[r];
        }
        if (!tier[t].nregs) continue;
        tier[t].items = cc_alloc(f->cc, (nitems + 1) * sizeof *tier[t].items);
        tier[t].pressure = (struct pressure){size, cc_alloc(f->cc, 2 * size * sizeof(int32_t)),
                                             cc_alloc(f->cc, 2 * size * sizeof(int32_t))};
    }
}

/* What is to be one of the scalar registers that a kernel or routine is entered with goes where that is. */
static bool suits(const struct func *f, const struct tier *t, const struct item *item)
{
    int32_t hint = f->vregs[item->reg].hint;
    bool elsewhere = hint != NOREG && hint < FIRST_VREG && !(f->called.x >> hint & 1);
    return t->nregs && (t->direct || !f->vregs[item->reg].direct) && !(t->called && (item->crosses || elsewhere));
}

/* Finds the first tier that has room. */
static bool is_placed(struct func *f, struct tier *tier, const struct item *item)
{
    for (unsigned t = 0; t < TIERS; t++)
        if (suits(f, &tier[t], item) && fits(&tier[t], item)) return true;
    return false;
}

/* Allocates one class, of which routines write the registers in `called`; returns how many registers of `spilled` did
 * not find a place. */
static uint32_t allocate(struct func *f, enum reg_class cls, const uint8_t *regs, uint32_t nregs,
                         const uint64_t *called, uint32_t *spilled)
{
    struct item *items = cc_alloc(f->cc, (f->nvregs + 1) * sizeof *items);
    uint32_t n = collect(f, cls, items), nspilled = 0;
    struct tier tier[TIERS];
    make_tiers(f, tier, regs, nregs, called, n);
    for (uint32_t i = 0; i < n; i++) {
        if (is_placed(f, tier, &items[i])) continue;
        if (f->vregs[items[i].reg].temporary) fail(f, "the kernel needs more registers than there are");
        spilled[nspilled++] = items[i].reg;
    }
    for (unsigned t = 0; !nspilled && t < TIERS; t++)
        if (tier[t].n) scan(f, &tier[t]);
    return nspilled;
}

/* Those of `n` registers that inline assembly leaves to the rest, at most `limit` of them. */
static uint32_t available(const uint64_t *taken, const uint8_t *regs, uint32_t n, uint32_t limit, uint8_t *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n && count < limit; i++)
        if (!(taken[regs[i] / 64] >> regs[i] % 64 & 1)) out[count++] = regs[i];
    return count;
}

/* Groups live as long as they like, so none has registers that routines write. */
static void place_groups(struct func *f, uint64_t taken[ISA_VREGS / 64])
{
    memcpy(taken, f->reserved.v, sizeof f->reserved.v);
    for (unsigned i = 0; i < ISA_VREGS / 64; i++) taken[i] |= f->called.v[i];
    groups_place(f, taken);
    for (unsigned i = 0; i < ISA_VREGS / 64; i++) taken[i] &= ~f->called.v[i] | f->reserved.v[i];
}

uint32_t regalloc_run(struct func *f, uint32_t **unplaced)
{
    /* Not for values: x0, ra, sp, gp, tp, x5, which joins are named from (emit.c), s0. Routines begin at the other end
     * of those without a prefix, so that their callers have some for what is needed behind a call. */
    static const uint8_t scalars[] = {6,  7,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
                                      26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44,
                                      45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    enum { DIRECT_SCALARS = 25 };
    uint8_t ordered[sizeof scalars], vectors[ISA_VREGS], free_s[sizeof scalars], free_v[ISA_VREGS];
    uint64_t taken[ISA_VREGS / 64];
    for (unsigned i = 0; i < ISA_VREGS; i++) vectors[i] = (uint8_t)i;
    memcpy(ordered, scalars, sizeof scalars);
    for (unsigned i = 0; f->kernel->is_routine && i < DIRECT_SCALARS; i++) ordered[i] = scalars[DIRECT_SCALARS - 1 - i];
    if (f->args >= FIRST_VREG && f->vregs[f->args].hint == NOREG) f->vregs[f->args].hint = REG_ARGS;
    *unplaced = cc_alloc(f->cc, (f->nvregs + 1) * sizeof **unplaced);
    place_groups(f, taken);
    uint32_t ns = available(&f->reserved.x, ordered, sizeof ordered, f->nregs_s, free_s);
    uint32_t nv = available(taken, vectors, ISA_VREGS, f->nregs_v, free_v);
    uint32_t n = allocate(f, CLASS_S, free_s, ns, &f->called.x, *unplaced);
    return n + allocate(f, CLASS_V, free_v, nv, f->called.v, *unplaced + n);
}
