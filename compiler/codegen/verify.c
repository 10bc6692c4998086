/* Machine code as all stages must leave it, checked behind each of them in builds with assertions.
 *
 * A stage that breaks this would otherwise show as a wrong result of some kernel, far from its cause. Checked are the
 * edges between blocks, where lanes meet again, the classes of operands, and that no register is read that nothing has
 * written. What registers hold once they have places is checked by verify_places.c. */
#include "compiler/codegen/codegen.h"

struct checked {
    struct func *f;
    const char *stage;
    uint32_t block, index; /* being looked at; index is that of an instruction, or their number for the end */
};

static _Noreturn void broken(const struct checked *c, const char *what)
{
    cc_error(c->f->cc, CC_INTERNAL, NULL,
             "%s has left machine code that is broken: kernel %s, block %u, instruction %u: %s", c->stage,
             c->f->kernel->name, c->block, c->index, what);
}

/* ---- blocks ---- */

static bool is_branch(const struct mblock *b)
{
    unsigned control = isa_kinds[isa_table[b->op].kind].control;
    return control == (b->divergent ? CONTROL_VBRANCH : CONTROL_BRANCH);
}

static void check_end(const struct checked *c, const struct mblock *b)
{
    uint32_t to[2], n = block_successors(b, to);
    for (uint32_t i = 0; i < n; i++)
        if (to[i] >= c->f->nmblocks) broken(c, "an edge to no block");
    if ((b->term == TERM_RETURN) != (c->block == c->f->exit)) broken(c, "returns elsewhere than in the last block");
    if (b->term != TERM_BRANCH && b->divergent) broken(c, "lanes diverge without a branch");
    if (b->term == TERM_BRANCH && !is_branch(b)) broken(c, "a branch of the wrong kind");
    if (b->divergent && (b->rpc >= c->f->nmblocks || !c->f->mblocks[b->rpc].join))
        broken(c, "lanes meet in a block that is no join");
}

static void check_ends(struct checked *c)
{
    for (c->block = 0; c->block < c->f->nmblocks; c->block++) {
        c->index = c->f->mblocks[c->block].n;
        check_end(c, &c->f->mblocks[c->block]);
    }
}

/* Divergent lanes reconverge in the first block that all of them come to, or behind it if copies on an edge are all
 * that it has. Of a branch that leads into an endless loop, too, it is a later one. */
static bool meets(const struct func *f, const uint32_t *next, uint32_t block)
{
    uint32_t first = next[block], rpc = f->mblocks[block].rpc;
    if (first == rpc) return true;
    return first > f->exit && first != NO_NODE && f->mblocks[first].term == TERM_JUMP && next[first] == rpc;
}

static void check_meetings(struct checked *c, const struct graph *succ)
{
    struct func *f = c->f;
    struct graph pred = graph_reverse(f->cc, succ);
    uint32_t *next = graph_dominators(f->cc, &pred, f->exit), *joins = cc_alloc(f->cc, f->nmblocks * sizeof *joins);
    bool endless = false;
    for (uint32_t b = 0; b < f->nmblocks; b++) endless |= next[b] == NO_NODE && b != f->exit;
    for (c->block = 0; c->block < f->nmblocks; c->block++) {
        const struct mblock *b = &f->mblocks[c->block];
        c->index = b->n;
        if (!b->divergent) continue;
        joins[b->rpc]++;
        if (!endless && !meets(f, next, c->block)) broken(c, "lanes do not meet where they could");
    }
    for (c->block = 0; c->block < f->nmblocks; c->block++)
        if (f->mblocks[c->block].join && !joins[c->block]) broken(c, "a join of no branch");
}

/* ---- operands ---- */

static void check_operand(const struct checked *c, int8_t cls, int32_t reg)
{
    if (cls < 0) return;
    if (reg < 0 || (uint32_t)reg >= c->f->nvregs) broken(c, "an operand without a register");
    if (c->f->vregs[reg].cls != (uint8_t)cls) broken(c, "a register of the wrong class");
}

static void check_insn(const struct checked *c, const struct minsn *m)
{
    if (m->op == OP_INVALID || m->op > OP_ASM) broken(c, "no instruction");
    const struct roles *r = insn_roles(m->op);
    check_operand(c, r->rd, m->rd);
    check_operand(c, r->rs1, m->rs1);
    check_operand(c, r->rs2, m->rs2);
    check_operand(c, r->rs3, m->rs3);
}

static void check_operands(struct checked *c)
{
    for (c->block = 0; c->block < c->f->nmblocks; c->block++) {
        const struct mblock *b = &c->f->mblocks[c->block];
        for (c->index = 0; c->index < b->n; c->index++) check_insn(c, &b->code[c->index]);
        if (b->term != TERM_BRANCH) continue;
        check_operand(c, insn_roles(b->op)->rs1, b->rs1);
        check_operand(c, insn_roles(b->op)->rs2, b->rs2);
    }
}

/* ---- definitions ---- */

static void check_defined(void *user, int32_t *reg, bool is_def)
{
    const struct checked *c = user;
    const struct vreg *v = &c->f->vregs[*reg];
    const struct range *r = &c->f->ranges[*reg];
    bool at_start = r->n && r->seg[0].from == 0; /* some way leads from the start to a use without a definition */
    if (!is_def && at_start && !v->fixed && !v->undefined) broken(c, "reads a register that nothing has written");
}

static void check_definitions(struct checked *c)
{
    struct func *f = c->f;
    liveness_run(f);
    for (uint32_t i = 0; i < f->norder; i++) {
        struct mblock *b = &f->mblocks[c->block = f->order[i]];
        for (c->index = 0; c->index < b->n; c->index++) visit_insn(&b->code[c->index], check_defined, c);
        visit_term(b, check_defined, c);
    }
}

void verify_run(struct func *f, const char *stage)
{
    struct checked c = {.f = f, .stage = stage};
    check_ends(&c);
    struct graph succ = machine_graph(f);
    check_meetings(&c, &succ);
    check_operands(&c);
    check_definitions(&c);
}
