/* Multiply-add in the form that copies nothing: the instruction replaces its addend or one of its factors, and
 * selection lets it replace a copy of the addend. Where the addend is read again and a factor is not, the factor is the
 * one to replace. Called by backend_kernel between liveness and the merging of copies. */
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

bool fuse_run(struct func *f)
{
    bool changed = false;
    for (uint32_t i = 0; i < f->norder; i++) {
        struct mblock *b = &f->mblocks[f->order[i]];
        for (uint32_t k = 0; k + 1 < b->n; k++) /* instruction k + 1 writes at start + 2k + 3 */
            changed |= fuse(f, &b->code[k], b->start + 2 * k + 3);
    }
    return changed;
}
