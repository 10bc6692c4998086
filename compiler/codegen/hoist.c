/* What a loop computes anew in each round although it stays the same: copies of scalars to all lanes, constants, and
 * sums of addresses, which selection makes where they are needed. They go to the loop's preheader as long as the loop
 * has registers for them that need no prefix. Called by backend_kernel behind liveness, before copies are merged.
 *
 * Vectors may move, since all lanes that are in the loop have come through the preheader, and scalars that are
 * constants. Other scalars stay: lanes that have left the loop may come to the preheader again while others read the
 * register in the loop. */
#include "compiler/codegen/codegen.h"
#include "compiler/debug/debug.h"

#include <string.h>

enum { SPARE = 6 }; /* registers that are left, for the allocator cannot make use of each hole between two values */

struct hoister {
    struct func *f;
    struct mloops loops;
    uint32_t *inside;  /* loop + 1 of the last definition in a loop that was seen, by register */
    uint32_t now;      /* the number of the loop in progress + 1 */
    uint32_t *peak[2]; /* by class and block's place: registers that are taken at most, with what has been moved */
    uint8_t *constant; /* by register: it has been moved, and holds a constant */
    int32_t *same;     /* by register: the one in a preheader that holds the same, NOREG: none */
    bool changed;
};

/* ---- registers that are taken ---- */

void peaks_find(struct func *f, uint32_t *peak[2])
{
    uint32_t size = f->norder ? f->mblocks[f->order[f->norder - 1]].end + 1 : 1;
    uint32_t *taken[2];
    for (unsigned c = 0; c < 2; c++) {
        taken[c] = cc_alloc(f->cc, size * sizeof **taken);
        peak[c] = cc_alloc(f->cc, (f->norder + 1) * sizeof **peak);
    }
    for (uint32_t v = FIRST_VREG; v < f->nvregs; v++)
        for (uint32_t i = 0; i < f->ranges[v].n; i++) {
            taken[f->vregs[v].cls][f->ranges[v].seg[i].from]++;
            taken[f->vregs[v].cls][f->ranges[v].seg[i].to]--;
        }
    for (unsigned c = 0; c < 2; c++)
        for (uint32_t place = 0, sum = 0, i = 0; place < f->norder; place++)
            for (const struct mblock *b = &f->mblocks[f->order[place]]; i < b->end; i++) {
                sum += taken[c][i];
                if (sum > peak[c][place]) peak[c][place] = sum;
            }
}

static bool has_room(const struct hoister *h, const struct mloop *l, enum reg_class cls)
{
    uint32_t most = regalloc_direct(h->f, cls);
    for (uint32_t i = 0; i < l->n; i++)
        if (h->peak[cls][l->blocks[i]] + SPARE >= most) return false;
    return true;
}

static void take_room(struct hoister *h, const struct mloop *l, enum reg_class cls)
{
    for (uint32_t i = 0; i < l->n; i++) h->peak[cls][l->blocks[i]]++;
    h->peak[cls][l->preheader]++;
}

/* ---- what can move ---- */

static bool is_constant(const struct hoister *h, const struct minsn *m)
{
    return m->op == OP_LUI || m->op == OP_VMV_V_I || (m->op == OP_ADDI && (m->rs1 == 0 || h->constant[m->rs1]));
}

static bool is_movable(const struct hoister *h, const struct minsn *m)
{
    switch (m->op) {
    case OP_VMV_V_X:
    case OP_VADD_VX:
    case OP_VADD_VV:
    case OP_VADD_VI:
    case OP_VADD12_VI:
    case OP_VSUB_VX:
    case OP_VSUB_VV:
    case OP_VSLL_VI:
    case OP_VMUL_VX: return true;
    default: return is_constant(h, m);
    }
}

static void note_definition(void *user, int32_t *reg, bool is_def)
{
    struct hoister *h = user;
    if (is_def) h->inside[*reg] = h->now;
}

static bool stays_same(const struct hoister *h, int8_t cls, int32_t reg)
{
    if (cls < 0 || reg == 0) return true;
    if (reg < FIRST_VREG) return reg == REG_LOCAL;
    return h->inside[reg] != h->now;
}

static bool can_move(const struct hoister *h, const struct minsn *m)
{
    const struct roles *r = insn_roles(m->op);
    if (!is_movable(h, m) || m->rd < FIRST_VREG) return false;
    const struct vreg *v = &h->f->vregs[m->rd];
    if (v->ndefs != 1 || v->group || v->direct || v->fixed) return false;
    return stays_same(h, r->rs1, m->rs1) && stays_same(h, r->rs2, m->rs2);
}

/* ---- moving ---- */

static bool equal(const struct minsn *a, const struct minsn *b)
{
    return a->op == b->op && a->rs1 == b->rs1 && a->rs2 == b->rs2 && a->imm == b->imm && a->aux == b->aux;
}

/* The register of a preheader that holds what `m` computes, by an instruction that was moved there; NOREG: none. */
static int32_t find_same(const struct mblock *preheader, uint32_t first, const struct minsn *m)
{
    for (uint32_t i = first; i < preheader->n; i++)
        if (equal(&preheader->code[i], m)) return preheader->code[i].rd;
    return NOREG;
}

static void move(struct hoister *h, const struct mloop *l, uint32_t first, const struct minsn *m)
{
    uint32_t block = h->f->order[l->preheader];
    int32_t same = find_same(&h->f->mblocks[block], first, m);
    h->changed = true;
    h->inside[m->rd] = 0;
    h->constant[m->rd] = is_constant(h, m);
    if (same != NOREG) {
        h->same[m->rd] = same;
        return;
    }
    struct minsn *to = emit_to(h->f, block, m->op, m->rd, m->rs1, m->rs2, m->imm);
    to->aux = m->aux;
    to->made = m->made;
    to->place = h->f->mblocks[block].place;
    take_room(h, l, (enum reg_class)h->f->vregs[m->rd].cls);
}

static void rename_use(void *user, int32_t *reg, bool is_def)
{
    struct hoister *h = user;
    while (!is_def && h->same[*reg] != NOREG) *reg = h->same[*reg];
}

static void hoist_block(struct hoister *h, const struct mloop *l, uint32_t first, struct mblock *b)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        visit_insn(&b->code[i], rename_use, h);
        struct minsn m = b->code[i];
        if (can_move(h, &m) && has_room(h, l, (enum reg_class)h->f->vregs[m.rd].cls)) move(h, l, first, &m);
        else b->code[n++] = m;
    }
    b->n = n;
    visit_term(b, rename_use, h);
}

static void hoist_loop(struct hoister *h, const struct mloop *l)
{
    struct func *f = h->f;
    if (l->preheader == NO_NODE) return;
    h->now++;
    for (uint32_t i = 0; i < l->n; i++) {
        struct mblock *b = &f->mblocks[f->order[l->blocks[i]]];
        for (uint32_t k = 0; k < b->n; k++) visit_insn(&b->code[k], note_definition, h);
    }
    uint32_t first = f->mblocks[f->order[l->preheader]].n;
    for (uint32_t i = 0; i < l->n; i++) hoist_block(h, l, first, &f->mblocks[f->order[l->blocks[i]]]);
}

bool hoist_run(struct func *f)
{
    struct hoister h = {.f = f, .loops = loops_find(f)};
    if (!h.loops.n) return false;
    h.inside = cc_alloc(f->cc, f->nvregs * sizeof *h.inside);
    h.constant = cc_alloc(f->cc, f->nvregs);
    h.same = cc_alloc(f->cc, f->nvregs * sizeof *h.same);
    memset(h.same, 0xff, f->nvregs * sizeof *h.same); /* NOREG */
    count_defs(f);
    peaks_find(f, h.peak);
    for (uint32_t i = h.loops.n; i-- > 0;) hoist_loop(&h, &h.loops.list[i]);
    if (!h.changed) return false;
    for (uint32_t b = 0; b < f->nmblocks; b++) {
        for (uint32_t i = 0; i < f->mblocks[b].n; i++) visit_insn(&f->mblocks[b].code[i], rename_use, &h);
        visit_term(&f->mblocks[b], rename_use, &h);
    }
    track_rename(f, rename_use, &h);
    return true;
}
