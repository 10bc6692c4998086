/* Multiply-add in the form that copies nothing: the instruction replaces its addend or one of its factors.
 *
 * Selection lets sums of products of floats replace a copy of the addend. Where that is read again and a factor is not,
 * the factor is the one to replace. Choices, which are sums of products of integers, replace a copy of a factor; where
 * the result is the addend's next value, as of a variable that a loop changes at times, the addend is the one to
 * replace, so that the variable keeps its register. Called by backend_kernel between liveness and the merging of
 * copies. */
#include "compiler/codegen/codegen.h"

/* Forms that replace the addend, and the factor. */
static const uint16_t forms[][2] = {
    {OP_VFMACC_VV, OP_VFMADD_VV},   {OP_VFMACC_VF, OP_VFMADD_VF},   {OP_VFMSAC_VV, OP_VFMSUB_VV},
    {OP_VFMSAC_VF, OP_VFMSUB_VF},   {OP_VFNMACC_VV, OP_VFNMADD_VV}, {OP_VFNMACC_VF, OP_VFNMADD_VF},
    {OP_VFNMSAC_VV, OP_VFNMSUB_VV}, {OP_VFNMSAC_VF, OP_VFNMSUB_VF},
};

static unsigned factor_form(unsigned op)
{
    for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++)
        if (forms[i][0] == op) return forms[i][1];
    return OP_INVALID;
}

/* The factor that is not read behind `position`, as a register role of the multiply-add; NULL if there is none. */
static int32_t *dying_factor(const struct func *f, struct minsn *m, uint32_t position)
{
    if (!is_live(f, m->rs2, position)) return &m->rs2;
    bool vector = insn_roles(m->op)->rs1 == CLASS_V;
    return vector && !is_live(f, m->rs1, position) ? &m->rs1 : NULL;
}

static bool fuse(const struct func *f, struct minsn *copy, uint32_t position)
{
    struct minsn *m = copy + 1;
    unsigned form = factor_form(m->op);
    if (!form || copy->op != OP_VMV_V_V || copy->rd != m->rd || m->rs1 == m->rs2) return false;
    if (copy->rd == m->rs1 || copy->rd == m->rs2 || !is_live(f, copy->rs1, position)) return false;
    int32_t *dying = dying_factor(f, m, position);
    if (!dying) return false;
    int32_t factor = *dying;
    if (dying == &m->rs1) m->rs1 = m->rs2;
    m->rs2 = copy->rs1;
    copy->rs1 = factor;
    m->op = (uint16_t)form;
    return true;
}

/* Edges from registers to those that they are copied to. */
static struct graph find_copies(const struct func *f)
{
    struct edges copies = {0};
    for (uint32_t i = 0; i < f->norder; i++) {
        const struct mblock *b = &f->mblocks[f->order[i]];
        for (uint32_t k = 0; k < b->n; k++)
            if (b->code[k].op == OP_VMV_V_V)
                edges_add(f->cc, &copies, (uint32_t)b->code[k].rs1, (uint32_t)b->code[k].rd);
    }
    return graph_make(f->cc, f->nvregs, copies.list, copies.n);
}

static bool is_copied(const struct graph *copies, int32_t from, int32_t to)
{
    for (uint32_t e = copies->first[from]; e < copies->first[from + 1]; e++)
        if (copies->to[e] == (uint32_t)to) return true;
    return false;
}

static bool keep_addend(const struct func *f, const struct graph *copies, struct minsn *copy, uint32_t position)
{
    struct minsn *m = copy + 1;
    if ((m->op != OP_VMADD_VV && m->op != OP_VMADD_VX) || copy->op != OP_VMV_V_V || copy->rd != m->rd) return false;
    int32_t addend = m->rs2, factor = copy->rs1;
    if (addend == factor || addend == m->rs1 || is_live(f, addend, position)) return false;
    if (!is_copied(copies, m->rd, addend)) return false;
    copy->rs1 = addend;
    m->rs2 = factor;
    m->op = m->op == OP_VMADD_VV ? OP_VMACC_VV : OP_VMACC_VX;
    return true;
}

bool fuse_run(struct func *f)
{
    bool changed = false;
    const struct graph copies = find_copies(f);
    for (uint32_t i = 0; i < f->norder; i++) {
        struct mblock *b = &f->mblocks[f->order[i]];
        for (uint32_t k = 0; k + 1 < b->n; k++) { /* instruction k + 1 writes at start + 2k + 3 */
            uint32_t position = b->start + 2 * k + 3;
            changed |= fuse(f, &b->code[k], position) || keep_addend(f, &copies, &b->code[k], position);
        }
    }
    return changed;
}
