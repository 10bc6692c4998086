/* Computations that a block in front has made already: what all ways to a block have come through need not be computed
 * there again. Addresses are, since selection makes them in each block that reads them. The register of the first is
 * read then, as long as the blocks in between have registers for it that need no prefix. Called by backend_kernel
 * behind hoist_run, before copies are merged; within a block it is peephole.c's work.
 *
 * A lane has in a vector register what it has computed last itself. A scalar register is everybody's: where lanes can
 * come to the first computation again while others wait to read its result, it stays as it is. */
#include "compiler/codegen/codegen.h"
#include "compiler/debug/debug.h"

#include <string.h>

/* Registers that are left, as in hoist.c; and how many blocks may be looked at, on the way to quadratic time. */
enum { SPARE = 6, MOST_STEPS = 1 << 20 };

struct first { /* of equal computations */
    uint32_t place, insn;
    uint32_t next; /* the one before with the same hash, number + 1 */
};

struct sharer {
    struct func *f;
    struct mloops loops;
    uint32_t *idom;
    uint8_t *apart; /* by place: lanes may come there again while others wait behind it */
    uint32_t *peak[2];
    struct graph defs; /* edges from registers to the places of blocks that define them */
    struct first *firsts;
    uint32_t nfirsts, room, *table, size;
    int32_t *same;    /* by register: the one that holds the same, NOREG: none */
    uint8_t *reached; /* by place, all clear between searches */
    uint32_t *list;
    uint32_t steps;
    bool changed;
};

static struct mblock *block_at(const struct sharer *s, uint32_t place) { return &s->f->mblocks[s->f->order[place]]; }

/* What is reached from `from` without entering `stop`; to be unmarked by forget. */
static uint32_t reach(struct sharer *s, const struct graph *g, uint32_t from, uint32_t stop)
{
    uint32_t n = graph_reach(g, from, stop, s->reached, s->list);
    s->steps += n + 1;
    return n;
}

static void forget(struct sharer *s, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) s->reached[s->list[i]] = 0;
}

/* ---- scalars ---- */

/* Loops that lanes go on with while others, which a branch in it has parted from them, wait for a join behind it. */
static void find_apart(struct sharer *s)
{
    s->apart = cc_alloc(s->f->cc, s->f->norder + 1);
    for (uint32_t i = 0; i < s->loops.n; i++) {
        const struct mloop *l = &s->loops.list[i];
        bool apart = false;
        for (uint32_t k = 0; k < l->n; k++) s->reached[l->blocks[k]] = 1;
        for (uint32_t k = 0; k < l->n; k++) {
            const struct mblock *b = block_at(s, l->blocks[k]);
            apart |= b->divergent && !s->reached[s->loops.place[b->rpc]];
        }
        for (uint32_t k = 0; k < l->n; k++) {
            s->reached[l->blocks[k]] = 0;
            s->apart[l->blocks[k]] |= apart;
        }
    }
}

/* ---- what is equal ---- */

static uint32_t hash(const struct minsn *m)
{
    uint32_t h = m->op * 0x9e3779b1u;
    h = (h ^ (uint32_t)m->rs1) * 0x85ebca6bu;
    h = (h ^ (uint32_t)m->rs2) * 0xc2b2ae35u;
    h = (h ^ (uint32_t)m->imm ^ m->aux) * 0x27d4eb2fu;
    return h ^ h >> 15;
}

static bool equal(const struct minsn *a, const struct minsn *b)
{
    return a->op == b->op && a->rs1 == b->rs1 && a->rs2 == b->rs2 && a->rs3 == b->rs3 && a->imm == b->imm &&
           a->aux == b->aux && a->rm == b->rm;
}

/* What an engine that translates knows more of where it stands: constants, and what is the same in all lanes. */
static bool is_known(const struct minsn *m)
{
    return m->op == OP_VMV_V_I || m->op == OP_VMV_V_X || m->op == OP_LUI || (m->op == OP_ADDI && m->rs1 == 0);
}

static bool is_shareable(const struct sharer *s, const struct minsn *m)
{
    const struct roles *r = insn_roles(m->op);
    if (!is_pure(m) || is_copy(m) || is_known(m) || isa_kinds[isa_table[m->op].kind].action == ACTION_LOAD)
        return false;
    if (m->rd < FIRST_VREG || r->reads_rd) return false;
    const struct vreg *v = &s->f->vregs[m->rd];
    return v->ndefs == 1 && !v->group && !v->direct && !v->fixed;
}

static void note_definition(void *user, int32_t *reg, bool is_def)
{
    bool *found = user;
    (void)reg;
    *found |= is_def;
}

/* Does the block define a register among its instructions [from, to)? */
static bool defines(const struct mblock *b, uint32_t from, uint32_t to, int32_t reg)
{
    for (uint32_t i = from; i < to && i < b->n; i++) {
        const struct roles *r = insn_roles(b->code[i].op);
        bool any = false;
        if (b->code[i].op == OP_ASM) visit_insn(&b->code[i], note_definition, &any);
        if (any || (r->rd >= 0 && b->code[i].rd == reg)) return true;
    }
    return false;
}

/* Can a register change on the way from the first computation to instruction `insn` of block `place`? Definitions that
 * the first does not dominate come before it. */
static bool can_change(struct sharer *s, int32_t reg, const struct first *e, uint32_t place, uint32_t insn)
{
    if (reg < FIRST_VREG) return reg != 0 && reg != REG_LOCAL;
    if (s->f->vregs[reg].ndefs == 1) return false;
    if (defines(block_at(s, e->place), e->insn, NO_NODE, reg) || defines(block_at(s, place), 0, insn, reg)) return true;
    for (uint32_t d = s->defs.first[reg]; d < s->defs.first[reg + 1]; d++) {
        uint32_t from = s->defs.to[d];
        if (from == e->place || !graph_dominates(s->idom, e->place, from)) continue;
        bool found = false;
        for (uint32_t k = s->loops.succ.first[from]; k < s->loops.succ.first[from + 1] && !found; k++) {
            if (s->loops.succ.to[k] == e->place) continue;
            uint32_t n = reach(s, &s->loops.succ, s->loops.succ.to[k], e->place);
            found = s->reached[place];
            forget(s, n);
        }
        if (found) return true;
    }
    return false;
}

/* ---- registers that are taken ---- */

/* Keeps the register over all blocks between, if they have room for it. */
static bool take_room(struct sharer *s, enum reg_class cls, int32_t reg, uint32_t from, uint32_t to)
{
    uint32_t most = regalloc_direct(s->f, cls), n = reach(s, &s->loops.pred, to, from);
    bool room = s->peak[cls][from] + SPARE < most;
    for (uint32_t i = 0; i < n; i++) room &= s->peak[cls][s->list[i]] + SPARE < most;
    for (uint32_t i = 0; i < n && room; i++)
        s->peak[cls][s->list[i]] += !is_live(s->f, reg, block_at(s, s->list[i])->start);
    forget(s, n);
    return room;
}

/* ---- sharing ---- */

static bool share(struct sharer *s, const struct first *e, const struct minsn *m, uint32_t place, uint32_t insn)
{
    const struct minsn *old = &block_at(s, e->place)->code[e->insn];
    const struct roles *r = insn_roles(m->op);
    enum reg_class cls = (enum reg_class)s->f->vregs[m->rd].cls;
    if (!equal(old, m) || e->place == place || !graph_dominates(s->idom, e->place, place)) return false;
    if (cls == CLASS_S && s->apart[e->place]) return false;
    if ((r->rs1 >= 0 && can_change(s, m->rs1, e, place, insn)) ||
        (r->rs2 >= 0 && can_change(s, m->rs2, e, place, insn)) ||
        (r->rs3 >= 0 && can_change(s, m->rs3, e, place, insn)))
        return false;
    if (!take_room(s, cls, old->rd, e->place, place)) return false;
    s->same[m->rd] = old->rd;
    s->changed = true;
    return true;
}

static void rename_use(void *user, int32_t *reg, bool is_def)
{
    struct sharer *s = user;
    while (!is_def && s->same[*reg] != NOREG) *reg = s->same[*reg];
}

/* True if the instruction is not needed. */
static bool look_up(struct sharer *s, const struct minsn *m, uint32_t place, uint32_t insn)
{
    uint32_t *slot = &s->table[hash(m) & (s->size - 1)];
    for (uint32_t e = *slot; e && s->steps < MOST_STEPS; e = s->firsts[e - 1].next, s->steps++)
        if (share(s, &s->firsts[e - 1], m, place, insn)) return true;
    s->firsts = cc_grow(s->f->cc, s->firsts, s->nfirsts, &s->room, sizeof *s->firsts);
    s->firsts[s->nfirsts++] = (struct first){place, insn, *slot};
    *slot = s->nfirsts;
    return false;
}

static void share_block(struct sharer *s, uint32_t place)
{
    struct mblock *b = block_at(s, place);
    for (uint32_t i = 0; i < b->n; i++) {
        visit_insn(&b->code[i], rename_use, s);
        if (is_shareable(s, &b->code[i]) && look_up(s, &b->code[i], place, i)) b->code[i].op = OP_INVALID;
    }
    visit_term(b, rename_use, s);
}

struct definitions {
    struct sharer *s;
    struct edges edges;
    uint32_t place;
};

static void add_definition(void *user, int32_t *reg, bool is_def)
{
    struct definitions *d = user;
    if (is_def && *reg >= FIRST_VREG && d->s->f->vregs[*reg].ndefs > 1)
        edges_add(d->s->f->cc, &d->edges, (uint32_t)*reg, d->place);
}

static void find_definitions(struct sharer *s)
{
    struct definitions d = {.s = s};
    count_defs(s->f);
    for (d.place = 0; d.place < s->f->norder; d.place++) {
        struct mblock *b = block_at(s, d.place);
        for (uint32_t i = 0; i < b->n; i++) visit_insn(&b->code[i], add_definition, &d);
    }
    s->defs = graph_make(s->f->cc, s->f->nvregs, d.edges.list, d.edges.n);
}

bool share_run(struct func *f)
{
    if (f->norder < 2) return false;
    struct sharer s = {.f = f, .loops = loops_find(f), .size = 256};
    for (uint32_t i = 0; i < f->norder; i++)
        while (s.size < 2 * f->mblocks[f->order[i]].end) s.size *= 2;
    s.idom = graph_dominators(f->cc, &s.loops.succ, 0);
    s.table = cc_alloc(f->cc, s.size * sizeof *s.table);
    s.same = cc_alloc(f->cc, f->nvregs * sizeof *s.same);
    memset(s.same, 0xff, f->nvregs * sizeof *s.same); /* NOREG */
    s.reached = cc_alloc(f->cc, f->norder + 1);
    s.list = cc_alloc(f->cc, (f->norder + 1) * sizeof *s.list);
    find_apart(&s);
    find_definitions(&s);
    peaks_find(f, s.peak);
    for (uint32_t i = 0; i < f->norder; i++) share_block(&s, i);
    if (!s.changed) return false;
    for (uint32_t b = 0; b < f->nmblocks; b++) {
        block_compact(&f->mblocks[b]);
        for (uint32_t i = 0; i < f->mblocks[b].n; i++) visit_insn(&f->mblocks[b].code[i], rename_use, &s);
        visit_term(&f->mblocks[b], rename_use, &s);
    }
    track_rename(f, rename_use, &s);
    return true;
}
