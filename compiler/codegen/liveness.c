/* Live ranges of virtual registers over the laid-out machine code, and what follows from them at
 * once: rule R5, and the merging of registers that copies connect.
 *
 * Positions: instruction k reads at 2k and writes at 2k + 1; a range is a list of half-open
 * segments in ascending order. Vector registers need no rule: each lane owns its own copy, and a
 * lane follows the graph like any thread. A scalar register, though, is shared by the lanes that
 * wait at a divergent branch and those that run, so what waits must not be overwritten. */
#include "compiler/codegen/codegen.h"
#include "compiler/debug/debug.h"

#include <math.h>
#include <stdlib.h>

struct live {
    struct func *f;
    struct graph whole;    /* edges from blocks to the registers that keep their place all over them (rule R5) */
    uint32_t block;        /* being visited */
    uint32_t *defined;     /* block + 1 of the last definition seen, by register */
    uint32_t *read;        /* the same of uses before any definition */
    struct edges use, def; /* from registers to blocks */
    uint32_t *open_to;     /* end of the segment being built backwards, 0 if none */
    int32_t *open;         /* registers that have had such segments in the block */
    uint32_t nopen, open_room, pos;
    bool late; /* the instruction reads when it has begun to write */
};

/* ---- layout ---- */

static void lay_out(struct func *f, const struct graph *g)
{
    f->order = cc_alloc(f->cc, (f->nmblocks + 1) * sizeof *f->order);
    f->norder = graph_order(f->cc, g, f->blocks[0].mfirst, f->order);
    bool exit = false;
    for (uint32_t i = 0; i < f->norder; i++) exit |= f->order[i] == f->exit;
    if (!exit) f->order[f->norder++] = f->exit; /* lanes of endless loops are said to meet there */
    uint32_t pos = 0;
    for (uint32_t i = 0; i < f->norder; i++) {
        struct mblock *b = &f->mblocks[f->order[i]];
        b->start = pos;
        pos += 2 * (b->n + 1);
        b->end = pos;
    }
}

/* ---- liveness ---- */

static void note_access(void *user, int32_t *reg, bool is_def)
{
    struct live *l = user;
    uint32_t now = l->block + 1, r = (uint32_t)*reg;
    if (l->defined[r] == now || (!is_def && l->read[r] == now)) return;
    if (is_def) l->defined[r] = now;
    else l->read[r] = now;
    edges_add(l->f->cc, is_def ? &l->def : &l->use, r, l->block);
}

static void visit_block(struct live *l, uint32_t block, visit_reg visit)
{
    struct mblock *b = &l->f->mblocks[block];
    l->block = block;
    for (uint32_t i = 0; i < b->n; i++) visit_insn(&b->code[i], visit, l);
    visit_term(b, visit, l);
}

static void solve(struct live *l, const struct graph *succ)
{
    struct func *f = l->f;
    struct graph pred = graph_reverse(f->cc, succ);
    for (uint32_t i = 0; i < f->norder; i++) visit_block(l, f->order[i], note_access);
    struct graph use = graph_make(f->cc, f->nvregs, l->use.list, l->use.n);
    struct graph def = graph_make(f->cc, f->nvregs, l->def.list, l->def.n);
    f->live = graph_live(f->cc, &pred, &use, &def);
}

/* ---- rule R5 ---- */

/* Lanes wait that will read the register; meanwhile others run from block `from` up to block `join`. */
struct wait {
    uint32_t reg, join, from;
};

struct waits {
    struct wait *list;
    uint32_t n, room;
};

static int by_register_and_join(const void *a, const void *b)
{
    const struct wait *x = a, *y = b;
    if (x->reg != y->reg) return x->reg < y->reg ? -1 : 1;
    return x->join < y->join ? -1 : x->join > y->join;
}

/* What the lanes of one way of a divergent branch will read: a branch within the way needs nothing more for that, since
 * both its ways are part of it. */
static void find_waits(struct live *l, const struct mblock *b, unsigned way, struct waits *w)
{
    uint32_t first = b->succ[!way];
    if (b->succ[way] == b->rpc) return;
    for (uint32_t e = l->f->live.first[first]; e < l->f->live.first[first + 1]; e++) {
        if (l->f->vregs[l->f->live.to[e]].cls != CLASS_S) continue;
        w->list = cc_grow(l->f->cc, w->list, w->n, &w->room, sizeof *w->list);
        w->list[w->n++] = (struct wait){l->f->live.to[e], b->rpc, b->succ[way]};
    }
}

/* R5: a scalar register that one way of a divergent branch reads keeps its place over everything the other may run
 * until the lanes meet. Branches with the same join, as of all `break`s of a loop, go over a block but once. */
static void rule_waiting(struct live *l, const struct graph *succ)
{
    struct func *f = l->f;
    struct waits w = {0};
    struct edges whole = {0};
    uint8_t *seen = cc_alloc(f->cc, f->nmblocks);
    uint32_t *list = cc_alloc(f->cc, (f->nmblocks + 1) * sizeof *list);
    for (uint32_t i = 0; i < f->norder; i++) {
        const struct mblock *b = &f->mblocks[f->order[i]];
        for (unsigned way = 0; b->divergent && way < 2; way++) find_waits(l, b, way, &w);
    }
    if (w.n) qsort(w.list, w.n, sizeof *w.list, by_register_and_join);
    for (uint32_t i = 0, first = 0; i < w.n; i++) {
        uint32_t n = graph_reach(succ, w.list[i].from, w.list[i].join, seen, list);
        for (uint32_t k = 0; k < n; k++) edges_add(f->cc, &whole, list[k], w.list[i].reg);
        if (i + 1 < w.n && !by_register_and_join(&w.list[i], &w.list[i + 1])) continue;
        while (first < whole.n) seen[whole.list[first++].from] = 0;
    }
    l->whole = graph_make(f->cc, f->nmblocks, whole.list, whole.n);
}

/* ---- segments, built from the end of the code to its beginning and turned round at the end ---- */

static void add_segment(struct live *l, int32_t reg, uint32_t from, uint32_t to)
{
    struct range *r = &l->f->ranges[reg];
    if (r->n && r->seg[r->n - 1].from <= to) {
        if (from < r->seg[r->n - 1].from) r->seg[r->n - 1].from = from;
        return;
    }
    r->seg = cc_grow(l->f->cc, r->seg, r->n, &r->cap, sizeof *r->seg);
    r->seg[r->n++] = (struct segment){from, to};
}

static void open_segment(struct live *l, int32_t reg, uint32_t to)
{
    if (l->open_to[reg]) return;
    l->open_to[reg] = to;
    l->open = cc_grow(l->f->cc, l->open, l->nopen, &l->open_room, sizeof *l->open);
    l->open[l->nopen++] = reg;
}

static void step_def(void *user, int32_t *reg, bool is_def)
{
    struct live *l = user;
    if (!is_def) return;
    uint32_t to = l->open_to[*reg];
    add_segment(l, *reg, l->pos + 1, to ? to : l->pos + 2);
    l->open_to[*reg] = 0;
}

static void step_use(void *user, int32_t *reg, bool is_def)
{
    struct live *l = user;
    if (!is_def) open_segment(l, *reg, l->pos + 1 + l->late);
}

/* Registers that are live-in in a successor are live-out here. */
static void open_live_out(struct live *l, const struct mblock *b)
{
    uint32_t to[2];
    for (uint32_t n = block_successors(b, to); n--;)
        for (uint32_t e = l->f->live.first[to[n]]; e < l->f->live.first[to[n] + 1]; e++)
            open_segment(l, (int32_t)l->f->live.to[e], b->end);
}

/* A segment over the whole block takes the place of those within it. */
static void fill_block(struct live *l, const struct mblock *b, int32_t reg)
{
    struct range *r = &l->f->ranges[reg];
    while (r->n && r->seg[r->n - 1].from >= b->start && r->seg[r->n - 1].to <= b->end) r->n--;
    add_segment(l, reg, b->start, b->end);
}

static void build_block(struct live *l, uint32_t block)
{
    struct mblock *b = &l->f->mblocks[block];
    open_live_out(l, b);
    l->pos = b->end - 2;
    l->late = false;
    visit_term(b, step_use, l);
    for (uint32_t i = b->n; i-- > 0;) {
        l->pos -= 2;
        l->late = b->code[i].op == OP_ASM && b->code[i].text->early;
        visit_insn(&b->code[i], step_def, l);
        visit_insn(&b->code[i], step_use, l);
    }
    while (l->nopen) {
        int32_t reg = l->open[--l->nopen];
        if (l->open_to[reg]) add_segment(l, reg, b->start, l->open_to[reg]);
        l->open_to[reg] = 0;
    }
    if (!l->whole.n) return; /* mutation of rule R5 */
    for (uint32_t e = l->whole.first[block]; e < l->whole.first[block + 1]; e++)
        fill_block(l, b, (int32_t)l->whole.to[e]);
}

static void build_segments(struct live *l)
{
    struct func *f = l->f;
    f->ranges = cc_alloc(f->cc, f->nvregs * sizeof *f->ranges);
    l->open_to = cc_alloc(f->cc, f->nvregs * sizeof *l->open_to);
    for (uint32_t i = f->norder; i-- > 0;) build_block(l, f->order[i]);
    for (uint32_t v = 0; v < f->nvregs; v++) {
        struct range *r = &f->ranges[v];
        for (uint32_t i = 0, k = r->n; i + 1 < k; i++) {
            struct segment t = r->seg[i];
            r->seg[i] = r->seg[--k];
            r->seg[k] = t;
        }
    }
}

struct weigh {
    struct func *f;
    double amount;
};

static void add_weight(void *user, int32_t *reg, bool is_def)
{
    struct weigh *w = user;
    (void)is_def;
    w->f->ranges[*reg].weight += w->amount;
}

/* How often a register is named, a loop counted as ten rounds. */
static void weigh_uses(struct func *f)
{
    for (uint32_t i = 0; i < f->norder; i++) {
        struct mblock *b = &f->mblocks[f->order[i]];
        struct weigh w = {f, pow(10, b->depth < 8 ? b->depth : 8)};
        for (uint32_t k = 0; k < b->n; k++) visit_insn(&b->code[k], add_weight, &w);
        visit_term(b, add_weight, &w);
    }
}

void liveness_run(struct func *f)
{
    struct live l = {.f = f};
    struct graph g = machine_graph(f);
    lay_out(f, &g);
    l.defined = cc_alloc(f->cc, f->nvregs * sizeof *l.defined);
    l.read = cc_alloc(f->cc, f->nvregs * sizeof *l.read);
    solve(&l, &g);
    if (rule(f, 5)) rule_waiting(&l, &g);
    build_segments(&l);
    weigh_uses(f);
}

bool is_live(const struct func *f, int32_t reg, uint32_t position)
{
    const struct range *r = &f->ranges[reg];
    uint32_t low = 0, high = r->n;
    while (low < high) { /* the first segment that ends behind the position */
        uint32_t middle = (low + high) / 2;
        if (r->seg[middle].to <= position) low = middle + 1;
        else high = middle;
    }
    return low < r->n && r->seg[low].from <= position;
}

/* ---- merging ---- */

static bool overlap(const struct range *a, const struct range *b)
{
    for (uint32_t i = 0, k = 0; i < a->n && k < b->n;) {
        if (a->seg[i].to <= b->seg[k].from) i++;
        else if (b->seg[k].to <= a->seg[i].from) k++;
        else return true;
    }
    return false;
}

static struct range merged(struct func *f, const struct range *a, const struct range *b)
{
    struct range r = {cc_alloc(f->cc, (a->n + b->n + 1) * sizeof *r.seg), 0, a->n + b->n + 1, a->weight + b->weight};
    for (uint32_t i = 0, k = 0; i < a->n || k < b->n;) {
        bool first = k == b->n || (i < a->n && a->seg[i].from < b->seg[k].from);
        struct segment s = first ? a->seg[i++] : b->seg[k++];
        if (r.n && r.seg[r.n - 1].to == s.from) r.seg[r.n - 1].to = s.to;
        else r.seg[r.n++] = s;
    }
    return r;
}

static int32_t find(int32_t *parent, int32_t v)
{
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
}

/* What must have a certain register keeps it for as short as possible, so that others find one, too. */
static bool may_merge(const struct vreg *a, const struct vreg *b)
{
    if (a->fixed || b->fixed || a->apart || b->apart) return false;
    return a->cls == b->cls && !a->direct && !b->direct && !(a->group && b->group);
}

/* Two values with homes of their own have none together. */
static void merge_homes(struct vreg *into, const struct vreg *from)
{
    if (from->level < into->level) into->level = from->level;
    if (into->home == from->home && into->slot == from->slot) return;
    into->home = NOREG;
    into->slot = 0;
}

static void merge_copy(struct func *f, int32_t *parent, const struct minsn *m)
{
    int32_t d = find(parent, m->rd), s = find(parent, m->rs1);
    if (d == s || !may_merge(&f->vregs[d], &f->vregs[s]) || overlap(&f->ranges[d], &f->ranges[s])) return;
    f->vregs[d].group |= f->vregs[s].group;
    f->ranges[d] = merged(f, &f->ranges[d], &f->ranges[s]);
    f->ranges[s] = (struct range){0};
    merge_homes(&f->vregs[d], &f->vregs[s]);
    f->vregs[d].temporary &= f->vregs[s].temporary;
    f->vregs[d].undefined |= f->vregs[s].undefined;
    parent[s] = d;
}

static void rename_merged(void *user, int32_t *reg, bool is_def)
{
    (void)is_def;
    *reg = find(user, *reg);
}

static void note_hint(struct func *f, const struct minsn *m)
{
    if (m->rd == m->rs1) return;
    f->vregs[m->rd].hint = m->rs1;
    f->vregs[m->rs1].hint = m->rd;
}

/* Gives the two sides of a copy one register where their ranges allow, innermost loops first. */
void coalesce_run(struct func *f)
{
    int32_t *parent = cc_alloc(f->cc, f->nvregs * sizeof *parent);
    uint32_t deepest = 0;
    for (uint32_t v = 0; v < f->nvregs; v++) parent[v] = (int32_t)v;
    for (uint32_t b = 0; b < f->nmblocks; b++)
        if (f->mblocks[b].depth > deepest) deepest = f->mblocks[b].depth;
    for (uint32_t depth = deepest + 1; depth-- > 0;)
        for (uint32_t i = 0; i < f->norder; i++) {
            struct mblock *b = &f->mblocks[f->order[i]];
            for (uint32_t k = 0; b->depth == depth && k < b->n; k++)
                if (is_copy(&b->code[k])) merge_copy(f, parent, &b->code[k]);
        }
    for (uint32_t i = 0; i < f->norder; i++) {
        struct mblock *b = &f->mblocks[f->order[i]];
        for (uint32_t k = 0; k < b->n; k++) {
            visit_insn(&b->code[k], rename_merged, parent);
            if (is_copy(&b->code[k])) note_hint(f, &b->code[k]);
        }
        visit_term(b, rename_merged, parent);
    }
    for (uint32_t g = 0; g < f->ngroups; g++)
        for (uint32_t i = 0; i < f->groups[g].n; i++) rename_merged(parent, &f->groups[g].regs[i], false);
    for (uint32_t e = 0; e < f->live.first[f->nmblocks]; e++)
        f->live.to[e] = (uint32_t)find(parent, (int32_t)f->live.to[e]);
    track_rename(f, rename_merged, parent);
}
