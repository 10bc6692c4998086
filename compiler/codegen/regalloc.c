/* Registers for virtual registers, per class: x or v.
 *
 * Registers come in tiers: those that an instruction word names by itself before those behind a prefix, and of each
 * those that a called routine writes, for ranges without a call in them, before the others. The ranges used most per
 * position are chosen for the first tier as long as no position has more of them than registers; then they get these
 * registers in the order in which they begin, which finds one for each as long as ranges have no holes. One that has
 * holes may come away empty-handed: it is a candidate for the next tier again, and what no tier has room for is to be
 * spilled. Called by backend_kernel. */
#include "compiler/codegen/codegen.h"

#include <stdlib.h>
#include <string.h>

/* Registers of a tier: those that a set has bits for. */
enum { TIER_REGS = 64, MAX_TIERS = 4 + ISA_VREGS / TIER_REGS };

/* Not for values: x0, ra, sp, gp, tp, x5, which joins are named from (emit.c), s0. Routines begin at the other end of
 * those without a prefix, so that their callers have some for what is needed behind a call. */
static const uint8_t scalars[] = {6,  7,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
                                  26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44,
                                  45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
enum { DIRECT_SCALARS = 25, DIRECT_VECTORS = 32 };

struct item {
    uint32_t reg, from;
    bool crosses, temporary; /* a call; made by the spiller */
    double density;
};

/* Most ranges at one position: a tree over positions with range increment and maximum. */
struct pressure {
    uint32_t size;
    int32_t *max, *add;
};

/* Which registers of a tier are given away at which positions: a tree over positions, the leaves of which are nodes
 * `size` and on. */
struct busy {
    uint32_t size;
    uint64_t *throughout, *somewhere; /* by node: in all of its positions, in at least one of them */
};

struct tier {
    bool direct, called; /* no prefix; written by routines */
    uint8_t regs[TIER_REGS];
    uint32_t nregs;
};

/* Positions at which calls write, ascending. */
struct calls {
    uint32_t *at, n, room;
};

struct allocation {
    struct func *f;
    struct tier tiers[MAX_TIERS];
    uint32_t ntiers;
    struct item *items, *chosen; /* without a register yet, by density; the tier's */
    uint32_t n, nchosen;
    struct pressure pressure;
    struct busy busy;
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

/* Runs over the nodes that cover positions [from, to), and then over those above them. */
static uint64_t busy_query(const struct busy *b, uint32_t from, uint32_t to)
{
    uint64_t set = 0;
    uint32_t first = b->size + from, last = b->size + to - 1;
    for (uint32_t l = first, r = last + 1; l < r; l /= 2, r /= 2) {
        if (l % 2) set |= b->somewhere[l++];
        if (r % 2) set |= b->somewhere[--r];
    }
    for (uint32_t i = first / 2; i; i /= 2) set |= b->throughout[i];
    for (uint32_t i = last / 2; i; i /= 2) set |= b->throughout[i];
    return set;
}

static void busy_mark(struct busy *b, uint32_t from, uint32_t to, uint64_t set)
{
    uint32_t first = b->size + from, last = b->size + to - 1;
    for (uint32_t l = first, r = last + 1; l < r; l /= 2, r /= 2) {
        if (l % 2) b->throughout[l] |= set, b->somewhere[l++] |= set;
        if (r % 2) b->throughout[--r] |= set, b->somewhere[r] |= set;
    }
    for (uint32_t i = first / 2; i; i /= 2) b->somewhere[i] |= set;
    for (uint32_t i = last / 2; i; i /= 2) b->somewhere[i] |= set;
}

static int by_density(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->density != y->density) return x->density > y->density ? -1 : 1;
    return x->reg < y->reg ? -1 : x->reg > y->reg;
}

/* The spiller's own come first: they must find a place. */
static int by_start(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->temporary != y->temporary) return x->temporary ? -1 : 1;
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

/* Is there a call where the register is live? */
static bool is_crossed(const struct calls *c, const struct range *range)
{
    for (uint32_t i = 0, call = 0; i < range->n; i++) {
        uint32_t high = c->n;
        while (call < high) { /* the first call that is not before the segment */
            uint32_t middle = (call + high) / 2;
            if (c->at[middle] < range->seg[i].from) call = middle + 1;
            else high = middle;
        }
        if (call < c->n && c->at[call] < range->seg[i].to) return true;
    }
    return false;
}

static uint32_t length_of(const struct range *r)
{
    uint32_t length = 0;
    for (uint32_t i = 0; i < r->n; i++) length += r->seg[i].to - r->seg[i].from;
    return length;
}

static void collect(struct allocation *a, enum reg_class cls)
{
    struct func *f = a->f;
    struct calls calls = find_calls(f);
    a->n = 0;
    for (uint32_t v = FIRST_VREG; v < f->nvregs; v++) {
        const struct range *r = &f->ranges[v];
        if (f->vregs[v].cls != cls || f->vregs[v].fixed || f->vregs[v].group || !r->n) continue;
        double density = r->weight / length_of(r);
        if (f->vregs[v].direct) density = 1e29;
        if (f->vregs[v].temporary) density = 1e30;
        a->items[a->n++] = (struct item){v, r->seg[0].from, is_crossed(&calls, r), f->vregs[v].temporary, density};
    }
    qsort(a->items, a->n, sizeof *a->items, by_density);
}

/* Chooses an item for the tier if its registers suffice everywhere. */
static bool fits(struct pressure *p, uint32_t nregs, const struct range *r)
{
    for (uint32_t i = 0; i < r->n; i++)
        if (pressure_max(p, 1, 0, p->size, r->seg[i].from, r->seg[i].to) >= (int32_t)nregs) return false;
    for (uint32_t i = 0; i < r->n; i++) pressure_add(p, 1, 0, p->size, r->seg[i].from, r->seg[i].to);
    return true;
}

static int32_t hinted(const struct func *f, uint32_t reg)
{
    int32_t hint = f->vregs[reg].hint;
    if (hint == NOREG) return -1;
    return hint < FIRST_VREG ? hint : f->vregs[hint].phys;
}

/* Gives the item a register of the tier that is free wherever it is live; false if there is none. */
static bool is_placed(struct allocation *a, const struct tier *t, const struct item *item)
{
    const struct range *range = &a->f->ranges[item->reg];
    uint64_t taken = 0;
    uint32_t pick = t->nregs;
    int32_t hint = hinted(a->f, item->reg);
    for (uint32_t i = 0; i < range->n; i++) taken |= busy_query(&a->busy, range->seg[i].from, range->seg[i].to);
    for (uint32_t r = 0; r < t->nregs; r++) {
        if (taken >> r & 1) continue;
        if (pick == t->nregs || t->regs[r] == hint) pick = r;
    }
    if (pick == t->nregs) return false;
    for (uint32_t i = 0; i < range->n; i++) busy_mark(&a->busy, range->seg[i].from, range->seg[i].to, 1ull << pick);
    a->f->vregs[item->reg].phys = t->regs[pick];
    return true;
}

/* What is to be one of the scalar registers that a kernel or routine is entered with goes where that is. */
static bool suits(const struct func *f, const struct tier *t, const struct item *item)
{
    int32_t hint = f->vregs[item->reg].hint;
    bool elsewhere = hint != NOREG && hint < FIRST_VREG && !(f->called.x >> hint & 1);
    return (t->direct || !f->vregs[item->reg].direct) && !(t->called && (item->crosses || elsewhere));
}

/* Fills a tier from the items that have no register yet, and leaves the others. Of its registers `room` are for other
 * items than the spiller's. */
static void fill(struct allocation *a, const struct tier *t, uint32_t room)
{
    uint32_t left = 0, nodes = 2 * a->pressure.size;
    memset(a->pressure.max, 0, nodes * sizeof *a->pressure.max);
    memset(a->pressure.add, 0, nodes * sizeof *a->pressure.add);
    memset(a->busy.throughout, 0, nodes * sizeof *a->busy.throughout);
    memset(a->busy.somewhere, 0, nodes * sizeof *a->busy.somewhere);
    a->nchosen = 0;
    for (uint32_t i = 0; i < a->n; i++) {
        uint32_t most = a->items[i].temporary ? t->nregs : room;
        bool chosen = suits(a->f, t, &a->items[i]) && fits(&a->pressure, most, &a->f->ranges[a->items[i].reg]);
        if (chosen) a->chosen[a->nchosen++] = a->items[i];
        else a->items[left++] = a->items[i];
    }
    a->n = left;
    qsort(a->chosen, a->nchosen, sizeof *a->chosen, by_start);
    for (uint32_t i = 0; i < a->nchosen; i++)
        if (!is_placed(a, t, &a->chosen[i])) a->items[a->n++] = a->chosen[i];
    if (a->n > left) qsort(a->items, a->n, sizeof *a->items, by_density);
}

/* Sorts registers into tiers. */
static void make_tiers(struct allocation *a, const uint8_t *regs, uint32_t nregs, const uint64_t *called)
{
    for (unsigned kind = 0; kind < 4; kind++) {
        struct tier t = {.direct = kind < 2, .called = kind % 2 == 0};
        for (uint32_t r = 0; r < nregs; r++) {
            bool direct = regs[r] < 32, written = called[regs[r] / 64] >> regs[r] % 64 & 1;
            if (direct != t.direct || written != t.called) continue;
            t.regs[t.nregs++] = regs[r];
            if (t.nregs < TIER_REGS) continue;
            a->tiers[a->ntiers++] = t;
            t.nregs = 0;
        }
        if (t.nregs) a->tiers[a->ntiers++] = t;
    }
}

static void make_trees(struct allocation *a)
{
    const struct func *f = a->f;
    uint32_t size = 1;
    while (size < f->mblocks[f->order[f->norder - 1]].end + 2) size *= 2;
    a->pressure = (struct pressure){size, cc_alloc(f->cc, 2 * size * sizeof(int32_t)),
                                    cc_alloc(f->cc, 2 * size * sizeof(int32_t))};
    a->busy =
        (struct busy){size, cc_alloc(f->cc, 2 * size * sizeof(uint64_t)), cc_alloc(f->cc, 2 * size * sizeof(uint64_t))};
}

/* Fills the tiers. The last `spare` registers are for the spiller's own alone. */
static void fill_tiers(struct allocation *a, uint32_t nregs, uint32_t spare)
{
    uint32_t left = nregs > spare ? nregs - spare : 0;
    for (unsigned t = 0; t < a->ntiers && a->n; t++) {
        uint32_t room = left < a->tiers[t].nregs ? left : a->tiers[t].nregs;
        fill(a, &a->tiers[t], room);
        left -= room;
    }
}

/* Allocates one class, of which routines write the registers in `called`; returns how many registers of `spilled` did
 * not find a place, or, if there are any, would not if `spare` registers were for temporaries alone. */
static uint32_t allocate(struct func *f, enum reg_class cls, const uint8_t *regs, uint32_t nregs,
                         const uint64_t *called, uint32_t spare, uint32_t *spilled)
{
    struct allocation a = {.f = f};
    a.items = cc_alloc(f->cc, (f->nvregs + 1) * sizeof *a.items);
    a.chosen = cc_alloc(f->cc, (f->nvregs + 1) * sizeof *a.chosen);
    make_tiers(&a, regs, nregs, called);
    make_trees(&a);
    collect(&a, cls);
    fill_tiers(&a, nregs, 0);
    if (a.n && spare) {
        collect(&a, cls);
        fill_tiers(&a, nregs, spare);
    }
    for (uint32_t i = 0; i < a.n; i++) {
        if (a.items[i].temporary) fail(f, "an instruction needs more registers than there are");
        spilled[i] = a.items[i].reg;
    }
    return a.n;
}

/* Those of `n` registers below `end` that inline assembly and calls leave to the rest, at most `most` of them; others,
 * too, if these are hardly enough for one instruction. */
static uint32_t available(const uint64_t *taken, const uint8_t *regs, uint32_t n, uint32_t end, uint32_t most,
                          uint8_t *out)
{
    enum { ENOUGH = 8 };
    uint32_t count = 0;
    for (uint32_t i = 0; i < n && count < most; i++)
        if ((regs[i] < end || count < ENOUGH) && !(taken[regs[i] / 64] >> regs[i] % 64 & 1)) out[count++] = regs[i];
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

uint32_t regalloc_direct(const struct func *f, enum reg_class cls)
{
    bool vector = cls == CLASS_V;
    uint64_t taken = vector ? f->reserved.v[0] | f->called.v[0] : f->reserved.x | f->called.x;
    uint32_t n = 0, most = vector ? f->nregs_v : f->nregs_s;
    for (unsigned i = 0; i < (vector ? DIRECT_VECTORS : DIRECT_SCALARS); i++)
        n += !(taken >> (vector ? i : scalars[i]) & 1);
    return n < most ? n : most;
}

uint32_t regalloc_run(struct func *f, uint32_t spare, uint32_t **unplaced)
{
    uint8_t ordered[sizeof scalars], vectors[ISA_VREGS], free_s[sizeof scalars], free_v[ISA_VREGS];
    uint64_t taken[ISA_VREGS / 64];
    for (unsigned i = 0; i < ISA_VREGS; i++) vectors[i] = (uint8_t)i;
    memcpy(ordered, scalars, sizeof scalars);
    for (unsigned i = 0; f->kernel->is_routine && i < DIRECT_SCALARS; i++) ordered[i] = scalars[DIRECT_SCALARS - 1 - i];
    if (f->args >= FIRST_VREG && f->vregs[f->args].hint == NOREG) f->vregs[f->args].hint = REG_ARGS;
    *unplaced = cc_alloc(f->cc, (f->nvregs + 1) * sizeof **unplaced);
    place_groups(f, taken);
    const struct kernel *k = f->kernel;
    uint32_t ns = available(&f->reserved.x, ordered, sizeof ordered, k->limit_s, f->nregs_s, free_s);
    uint32_t nv = available(taken, vectors, ISA_VREGS, k->limit_v, f->nregs_v, free_v);
    uint32_t n = allocate(f, CLASS_S, free_s, ns, &f->called.x, spare, *unplaced);
    return n + allocate(f, CLASS_V, free_v, nv, f->called.v, spare, *unplaced + n);
}
