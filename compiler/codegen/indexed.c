/* Indexed accesses: where a scalar and offsets of lanes are added for nothing else than to access words there, the
 * access adds them. Called by backend_kernel behind the peephole pass.
 *
 * An address that something else reads as well stays as it is for all: the addition would not go away. */
#include "compiler/codegen/codegen.h"

enum { ENTRY = 0 };

/* The addition that makes a register, if that is all that writes it. */
struct sum {
    uint32_t block, insn;
    bool is, stays;
};

struct indexer {
    struct func *f;
    struct sum *sums;  /* by register */
    uint32_t *entries; /* by register: how often the first block defines it */
    uint32_t *stamp;   /* by register: of its last definition in the block */
    uint32_t now, block;
    const struct minsn *user;
};

static bool is_word_access(const struct minsn *m) { return (m->op == OP_VLW12_V || m->op == OP_VSW12_V) && !m->imm; }

static void find_sums(struct indexer *x)
{
    struct func *f = x->f;
    for (uint32_t b = 0; b < f->nmblocks; b++)
        for (uint32_t i = 0; i < f->mblocks[b].n; i++) {
            const struct minsn *m = &f->mblocks[b].code[i];
            if (m->op != OP_VADD_VX || m->rd < FIRST_VREG || f->vregs[m->rd].ndefs != 1 || f->vregs[m->rd].group)
                continue;
            if ((m->rs1 < FIRST_VREG && m->rs1 != REG_LOCAL) || m->rs2 < FIRST_VREG) continue;
            x->sums[m->rd] = (struct sum){.block = b, .insn = i, .is = true};
        }
}

static void note_definition(void *user, int32_t *reg, bool is_def)
{
    struct indexer *x = user;
    if (!is_def) return;
    x->stamp[*reg] = x->now;
    x->entries[*reg] += x->block == ENTRY;
}

/* Has the scalar the same value in all of the kernel? Lanes that come later than others must not find that of these. */
static bool is_constant(const struct indexer *x, int32_t scalar)
{
    return scalar == REG_LOCAL || (x->f->vregs[scalar].ndefs == 1 && x->entries[scalar]);
}

/* Do both summands still hold what has been added? */
static bool can_add(const struct indexer *x, const struct sum *s)
{
    const struct minsn *add = &x->f->mblocks[s->block].code[s->insn];
    uint32_t added = s->block == x->block ? x->stamp[add->rd] : 0;
    if (added) return x->stamp[add->rs1] <= added && x->stamp[add->rs2] <= added;
    return x->f->vregs[add->rs2].ndefs == 1 && is_constant(x, add->rs1);
}

static void check_use(void *user, int32_t *reg, bool is_def)
{
    struct indexer *x = user;
    struct sum *s = &x->sums[*reg];
    if (is_def || !s->is || s->stays) return;
    const struct minsn *m = x->user;
    bool address = m && is_word_access(m) && m->rs1 == *reg && (m->op == OP_VLW12_V || m->rs2 != *reg);
    if (!address || !can_add(x, s)) s->stays = true;
}

static void check_block(struct indexer *x, uint32_t block)
{
    struct mblock *b = &x->f->mblocks[block];
    x->block = block;
    for (uint32_t i = 0; i < b->n; i++) {
        x->now++;
        x->user = &b->code[i];
        visit_insn(&b->code[i], check_use, x);
        visit_insn(&b->code[i], note_definition, x);
    }
    x->user = NULL;
    visit_term(b, check_use, x);
}

static void index_access(struct indexer *x, struct minsn *m)
{
    const struct sum *s = &x->sums[m->rs1];
    if (!is_word_access(m) || !s->is || s->stays) return;
    const struct minsn *add = &x->f->mblocks[s->block].code[s->insn];
    bool store = m->op == OP_VSW12_V;
    if (store) m->rs3 = m->rs2;
    m->op = store ? OP_VSOXEI32_V : OP_VLOXEI32_V;
    m->rs1 = add->rs1;
    m->rs2 = add->rs2;
}

static void drop_sums(struct indexer *x, uint32_t block)
{
    struct mblock *b = &x->f->mblocks[block];
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        const struct minsn *m = &b->code[i];
        bool gone = m->op == OP_VADD_VX && x->sums[m->rd].is && !x->sums[m->rd].stays;
        if (!gone) b->code[n++] = b->code[i];
    }
    b->n = n;
}

void indexed_run(struct func *f)
{
    struct indexer x = {.f = f};
    x.sums = cc_alloc(f->cc, f->nvregs * sizeof *x.sums);
    x.entries = cc_alloc(f->cc, f->nvregs * sizeof *x.entries);
    x.stamp = cc_alloc(f->cc, f->nvregs * sizeof *x.stamp);
    count_defs(f);
    find_sums(&x);
    for (uint32_t b = 0; b < f->nmblocks; b++) check_block(&x, b);
    for (uint32_t b = 0; b < f->nmblocks; b++)
        for (uint32_t i = 0; i < f->mblocks[b].n; i++) index_access(&x, &f->mblocks[b].code[i]);
    for (uint32_t b = 0; b < f->nmblocks; b++) drop_sums(&x, b);
}
