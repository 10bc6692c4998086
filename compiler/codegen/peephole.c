/* Clean-up of selected code: one instruction for equal computations of a block, none for unused
 * results. Selection relies on it and asks for the same constant or address as often as it likes.
 *
 * Computations are shared within a block only. Across blocks they would be values of their own,
 * to which the rules of divergence apply. */
#include "compiler/codegen/codegen.h"
#include "compiler/debug/debug.h"

#include <string.h>

#include "isa/effects.h"

enum { CONSTANT_REACH = 48 }; /* sharing constants further apart costs more registers than it saves */

struct entry {
    uint32_t insn;
    uint32_t stamp;
};

struct share {
    struct func *f;
    int32_t *same;     /* register that holds the same, by register */
    uint32_t *defined; /* stamp of the last definition in this block, by register */
    struct entry *table;
    uint32_t size, stamp, base;
};

static uint32_t key(const struct minsn *m)
{
    uint32_t h = m->op * 0x9e3779b1u;
    h = (h ^ (uint32_t)m->rs1) * 0x85ebca6bu;
    h = (h ^ (uint32_t)m->rs2) * 0xc2b2ae35u;
    h = (h ^ (uint32_t)m->rs3 ^ m->aux) * 0x27d4eb2fu;
    h = (h ^ (uint32_t)m->imm ^ m->rm) * 0x165667b1u;
    return h ^ h >> 15;
}

static bool equal(const struct minsn *a, const struct minsn *b)
{
    return a->op == b->op && a->rs1 == b->rs1 && a->rs2 == b->rs2 && a->rs3 == b->rs3 && a->imm == b->imm &&
           a->aux == b->aux && a->rm == b->rm;
}

static bool is_shareable(struct func *f, const struct minsn *m)
{
    const struct roles *r = insn_roles(m->op);
    if (!is_pure(m) || isa_kinds[isa_table[m->op].kind].action == ACTION_LOAD) return false;
    if (m->rd < FIRST_VREG || r->reads_rd || f->vregs[m->rd].ndefs != 1) return false;
    return !f->vregs[m->rd].group && !f->vregs[m->rd].direct; /* these must be certain registers */
}

/* Has a register of `m` been written since stamp `since`? */
static bool changed_since(const struct share *s, const struct minsn *m, uint32_t since)
{
    const struct roles *r = insn_roles(m->op);
    return (r->rs1 >= 0 && s->defined[m->rs1] > since) || (r->rs2 >= 0 && s->defined[m->rs2] > since) ||
           (r->rs3 >= 0 && s->defined[m->rs3] > since);
}

static bool loads_constant(const struct minsn *m)
{
    return m->op == OP_LUI || (m->op == OP_ADDI && m->rs1 == 0) || m->op == OP_VMV_V_I;
}

static void rename_use(void *user, int32_t *reg, bool is_def)
{
    struct share *s = user;
    if (!is_def && s->same[*reg] != NOREG) *reg = s->same[*reg];
}

/* Looks the computation up; enters it when it is new. */
static bool share_insn(struct share *s, struct mblock *b, uint32_t i)
{
    struct minsn *m = &b->code[i];
    for (uint32_t h = key(m) & (s->size - 1);; h = (h + 1) & (s->size - 1)) {
        struct entry *e = &s->table[h];
        if (e->stamp <= s->base) { /* of an earlier block */
            *e = (struct entry){i, s->stamp};
            return false;
        }
        const struct minsn *old = &b->code[e->insn];
        if (!equal(m, old)) continue;
        bool far = loads_constant(m) && s->stamp - e->stamp > CONSTANT_REACH;
        if (far || changed_since(s, m, e->stamp)) {
            *e = (struct entry){i, s->stamp};
            return false;
        }
        s->same[m->rd] = old->rd;
        return true;
    }
}

static void note_definition(void *user, int32_t *reg, bool is_def)
{
    struct share *s = user;
    if (is_def) s->defined[*reg] = s->stamp;
}

/* The block keeps its uses of removed registers, since those are defined once and in it; uses in
 * other blocks are renamed at the end. */
static void share_block(struct share *s, struct mblock *b)
{
    s->base = s->stamp;
    for (uint32_t i = 0; i < b->n; i++) {
        struct minsn *m = &b->code[i];
        s->stamp++;
        visit_insn(m, rename_use, s);
        if (is_shareable(s->f, m) && share_insn(s, b, i)) {
            m->op = OP_INVALID;
            continue;
        }
        visit_insn(m, note_definition, s);
    }
    visit_term(b, rename_use, s);
}

static void share_all(struct func *f)
{
    uint32_t longest = 16;
    for (uint32_t b = 0; b < f->nmblocks; b++)
        if (f->mblocks[b].n > longest) longest = f->mblocks[b].n;
    struct share s = {.f = f, .size = 64, .stamp = 1};
    while (s.size < 2 * longest) s.size *= 2;
    s.same = cc_alloc(f->cc, f->nvregs * sizeof *s.same);
    s.defined = cc_alloc(f->cc, f->nvregs * sizeof *s.defined);
    s.table = cc_alloc(f->cc, s.size * sizeof *s.table);
    memset(s.same, 0xff, f->nvregs * sizeof *s.same); /* NOREG */
    for (uint32_t b = 0; b < f->nmblocks; b++) share_block(&s, &f->mblocks[b]);
    for (uint32_t b = 0; b < f->nmblocks; b++) {
        for (uint32_t i = 0; i < f->mblocks[b].n; i++) visit_insn(&f->mblocks[b].code[i], rename_use, &s);
        visit_term(&f->mblocks[b], rename_use, &s);
    }
    track_rename(f, rename_use, &s);
}

/* ---- unused results ---- */

static void count_use(void *user, int32_t *reg, bool is_def)
{
    uint32_t *uses = user;
    if (!is_def) uses[*reg]++;
}

static void drop_use(void *user, int32_t *reg, bool is_def)
{
    uint32_t *uses = user;
    if (!is_def) uses[*reg]--;
}

static bool drop_unused(struct func *f, uint32_t *uses)
{
    bool changed = false;
    for (uint32_t b = f->nmblocks; b-- > 0;)
        for (uint32_t i = f->mblocks[b].n; i-- > 0;) {
            struct minsn *m = &f->mblocks[b].code[i];
            uint32_t own = insn_roles(m->op)->reads_rd ? 1 : 0; /* its own reading of rd keeps nothing alive */
            if (m->op == OP_INVALID || !is_pure(m) || m->rd < FIRST_VREG || uses[m->rd] > own) continue;
            visit_insn(m, drop_use, uses);
            m->op = OP_INVALID;
            changed = true;
        }
    return changed;
}

void peephole_run(struct func *f)
{
    count_defs(f);
    share_all(f);
    uint32_t *uses = cc_alloc(f->cc, f->nvregs * sizeof *uses);
    for (uint32_t b = 0; b < f->nmblocks; b++) {
        for (uint32_t i = 0; i < f->mblocks[b].n; i++) visit_insn(&f->mblocks[b].code[i], count_use, uses);
        visit_term(&f->mblocks[b], count_use, uses);
    }
    while (drop_unused(f, uses)) {
    }
    for (uint32_t b = 0; b < f->nmblocks; b++) block_compact(&f->mblocks[b]);
}
