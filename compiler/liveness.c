/* Live ranges of virtual registers over the laid-out machine code, and what follows from them at
 * once: rule R5, and the merging of registers that copies connect.
 *
 * Positions: instruction k reads at 2k and writes at 2k + 1; a range is a list of half-open
 * segments in ascending order. Vector registers need no rule: each lane owns its own copy, and a
 * lane follows the graph like any thread. A scalar register, though, is shared by the lanes that
 * wait at a divergent branch and those that run, so what waits must not be overwritten. */
#include "compiler/backend.h"

#include <math.h>
#include <string.h>

struct live {
    struct func *f;
    uint32_t *number; /* of registers that cross blocks, NO_NODE for all others */
    int32_t *regs;    /* the register with a number */
    uint32_t n, block;
    uint32_t *defined; /* block + 1 of the last definition seen, by register */
    bits **use, **def; /* by machine block */
    uint32_t *open_to; /* end of the segment being built backwards, 0 if none */
    int32_t *open;
    uint32_t nopen, pos;
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

static void find_global(void *user, int32_t *reg, bool is_def)
{
    struct live *l = user;
    if (is_def) l->defined[*reg] = l->block + 1;
    else if (l->defined[*reg] != l->block + 1 && l->number[*reg] == NO_NODE) {
        l->number[*reg] = l->n;
        l->regs[l->n++] = *reg;
    }
}

static void note_sets(void *user, int32_t *reg, bool is_def)
{
    struct live *l = user;
    uint32_t g = l->number[*reg];
    if (g == NO_NODE) return;
    if (is_def) bit_set(l->def[l->block], g);
    else if (!bit_test(l->def[l->block], g)) bit_set(l->use[l->block], g);
}

static void visit_block(struct live *l, uint32_t block, visit_reg visit)
{
    struct mblock *b = &l->f->mblocks[block];
    l->block = block;
    for (uint32_t i = 0; i < b->n; i++) visit_insn(&b->code[i], visit, l);
    visit_term(b, visit, l);
}

static void solve(struct live *l)
{
    struct func *f = l->f;
    size_t words = bits_words(l->n);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = f->norder; i-- > 0;) {
            struct mblock *b = &f->mblocks[f->order[i]];
            uint32_t s[2], k = block_successors(b, s);
            for (size_t w = 0; w < words; w++) {
                bits out = b->live_out[w];
                for (uint32_t e = 0; e < k; e++) out |= f->mblocks[s[e]].live_in[w];
                bits in = b->live_in[w] | l->use[f->order[i]][w] | (out & ~l->def[f->order[i]][w]);
                changed |= in != b->live_in[w] || out != b->live_out[w];
                b->live_in[w] = in;
                b->live_out[w] = out;
            }
        }
    }
}

/* Scratch of rule R5. */
struct waiting {
    const struct graph *g;
    bits *scalar; /* registers of class S */
    uint8_t *region;
    uint32_t *stack, *words; /* numbers of those words of a set that are not zero */
};

/* Keeps alive over one way of a branch what the lanes of the other, which wait, will read. */
static void wait_over(struct live *l, struct waiting *w, const struct mblock *b, unsigned way)
{
    struct func *f = l->f;
    const bits *needed = f->mblocks[b->succ[!way]].live_in;
    uint32_t n = 0;
    for (uint32_t i = 0; i < bits_words(l->n); i++)
        if (needed[i] & w->scalar[i]) w->words[n++] = i;
    if (!n) return;
    memset(w->region, 0, f->nmblocks);
    graph_reach(w->g, b->succ[way], b->rpc, w->region, w->stack);
    for (uint32_t k = 0; k < f->nmblocks; k++)
        for (uint32_t i = 0; w->region[k] && i < n; i++)
            f->mblocks[k].whole[w->words[i]] |= needed[w->words[i]] & w->scalar[w->words[i]];
}

/* R5: a scalar register that one way of a divergent branch reads keeps its place over everything the other may run
 * until the lanes meet. A branch within a way needs nothing more for that: both its ways are part of it. */
static void rule_waiting(struct live *l, const struct graph *g)
{
    struct func *f = l->f;
    struct waiting w = {.g = g,
                        .scalar = cc_alloc(f->cc, bits_words(l->n) * sizeof(bits)),
                        .region = cc_alloc(f->cc, f->nmblocks),
                        .stack = cc_alloc(f->cc, (f->nmblocks + 1) * sizeof(uint32_t)),
                        .words = cc_alloc(f->cc, (bits_words(l->n) + 1) * sizeof(uint32_t))};
    for (uint32_t i = 0; i < l->n; i++)
        if (f->vregs[l->regs[i]].cls == CLASS_S) bit_set(w.scalar, i);
    for (uint32_t i = 0; i < f->norder; i++) {
        const struct mblock *b = &f->mblocks[f->order[i]];
        for (unsigned way = 0; b->divergent && way < 2; way++) wait_over(l, &w, b, way);
    }
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
    l->open[l->nopen++] = reg;
}

static void step_def(void *user, int32_t *reg, bool is_def)
{
    struct live *l = user;
    if (!is_def) return;
    uint32_t to = l->open_to[*reg];
    add_segment(l, *reg, l->pos + 1, to ? to : l->pos + 2);
    l->open_to[*reg] = 0;
    for (uint32_t i = l->nopen; to && i-- > 0;)
        if (l->open[i] == *reg) {
            l->open[i] = l->open[--l->nopen];
            break;
        }
}

static void step_use(void *user, int32_t *reg, bool is_def)
{
    struct live *l = user;
    if (!is_def) open_segment(l, *reg, l->pos + 1 + l->late);
}

static void build_block(struct live *l, struct mblock *b)
{
    for (uint32_t g = 0; g < l->n; g++)
        if (bit_test(b->live_out, g)) open_segment(l, l->regs[g], b->end);
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
        add_segment(l, reg, b->start, l->open_to[reg]);
        l->open_to[reg] = 0;
    }
    for (uint32_t g = 0; g < l->n; g++) {
        if (!bit_test(b->whole, g)) continue;
        struct range *r = &l->f->ranges[l->regs[g]];
        while (r->n && r->seg[r->n - 1].from >= b->start && r->seg[r->n - 1].to <= b->end) r->n--;
        add_segment(l, l->regs[g], b->start, b->end);
    }
}

static void build_segments(struct live *l)
{
    struct func *f = l->f;
    f->ranges = cc_alloc(f->cc, f->nvregs * sizeof *f->ranges);
    l->open_to = cc_alloc(f->cc, f->nvregs * sizeof *l->open_to);
    l->open = cc_alloc(f->cc, f->nvregs * sizeof *l->open);
    for (uint32_t i = f->norder; i-- > 0;) build_block(l, &f->mblocks[f->order[i]]);
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
    l.number = cc_alloc(f->cc, f->nvregs * sizeof *l.number);
    memset(l.number, 0xff, f->nvregs * sizeof *l.number); /* NO_NODE */
    l.regs = cc_alloc(f->cc, f->nvregs * sizeof *l.regs);
    l.defined = cc_alloc(f->cc, f->nvregs * sizeof *l.defined);
    l.use = cc_alloc(f->cc, f->nmblocks * sizeof *l.use);
    l.def = cc_alloc(f->cc, f->nmblocks * sizeof *l.def);
    for (uint32_t i = 0; i < f->norder; i++) visit_block(&l, f->order[i], find_global);
    size_t bytes = (bits_words(l.n) + 1) * sizeof(bits);
    for (uint32_t b = 0; b < f->nmblocks; b++) {
        l.use[b] = cc_alloc(f->cc, bytes);
        l.def[b] = cc_alloc(f->cc, bytes);
        f->mblocks[b].live_in = cc_alloc(f->cc, bytes);
        f->mblocks[b].live_out = cc_alloc(f->cc, bytes);
        f->mblocks[b].whole = cc_alloc(f->cc, bytes);
    }
    for (uint32_t i = 0; i < f->norder; i++) visit_block(&l, f->order[i], note_sets);
    solve(&l);
    if (rule(f, 5)) rule_waiting(&l, &g);
    build_segments(&l);
    weigh_uses(f);
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
    if (a->fixed || b->fixed) return false;
    return a->cls == b->cls && !a->direct && !b->direct && !(a->group && b->group);
}

static void merge_copy(struct func *f, int32_t *parent, const struct minsn *m)
{
    int32_t d = find(parent, m->rd), s = find(parent, m->rs1);
    if (d == s || !may_merge(&f->vregs[d], &f->vregs[s]) || overlap(&f->ranges[d], &f->ranges[s])) return;
    f->vregs[d].group |= f->vregs[s].group;
    f->ranges[d] = merged(f, &f->ranges[d], &f->ranges[s]);
    f->ranges[s] = (struct range){0};
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
}
