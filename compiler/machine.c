/* Facts about machine instructions, all read from the instruction table: which operands are
 * registers of which class, what only computes, what is a copy. Every pass behind selection works
 * through these functions and names no instruction itself. */
#include "compiler/backend.h"

#include <pthread.h>
#include <string.h>

static const char *const tied_names[] = {"vmacc",   "vnmsac", "vmadd",   "vnmsub", "vfmacc",  "vfnmacc", "vfmsac",
                                         "vfnmsac", "vfmadd", "vfnmadd", "vfmsub", "vfnmsub", NULL};

static bool is_tied(const char *name)
{
    for (const char *const *t = tied_names; *t; t++)
        if (!strncmp(name, *t, strlen(*t)) && name[strlen(*t)] == '.') return true;
    return false;
}

static struct roles roles_of(unsigned op)
{
    struct roles r = {-1, -1, -1, -1, is_tied(isa_table[op].name)};
    for (const char *p = isa_table[op].pattern; *p; p++) {
        const struct isa_operand *o = isa_operand(*p);
        if (!o || (o->kind != OPERAND_REG_X && o->kind != OPERAND_REG_V)) continue;
        int8_t cls = o->kind == OPERAND_REG_X ? CLASS_S : CLASS_V;
        switch (o->role) {
        case ROLE_RD: r.rd = cls; break;
        case ROLE_RS1: r.rs1 = cls; break;
        case ROLE_RS2: r.rs2 = cls; break;
        case ROLE_RS3: r.rs3 = cls; break;
        default: break;
        }
    }
    return r;
}

/* Constant once filled. */
static struct roles roles_table[OP_COUNT];
static pthread_once_t roles_once = PTHREAD_ONCE_INIT;

static void fill_roles(void)
{
    for (unsigned op = 1; op < OP_COUNT; op++) roles_table[op] = roles_of(op);
}

const struct roles *insn_roles(unsigned op)
{
    pthread_once(&roles_once, fill_roles);
    return &roles_table[op];
}

bool is_pure(const struct minsn *m)
{
    if (m->keep) return false;
    switch (isa_table[m->op].kind) {
    case KIND_X:
    case KIND_V:
    case KIND_VV:
    case KIND_VX:
    case KIND_VI:
    case KIND_V1I:
    case KIND_V2X:
    case KIND_XLOAD:
    case KIND_VLOAD:
    case KIND_PLOAD: return true;
    case KIND_CSR: return m->op == OP_CSRRS && m->rs1 == 0;
    default: return false;
    }
}

bool is_copy(const struct minsn *m)
{
    return m->op == OP_VMV_V_V || (m->op == OP_ADDI && m->imm == 0 && m->rs1 >= FIRST_VREG && m->rd >= FIRST_VREG);
}

void visit_insn(struct minsn *m, visit_reg visit, void *user)
{
    const struct roles *r = insn_roles(m->op);
    if (r->rs1 >= 0 && m->rs1 >= FIRST_VREG) visit(user, &m->rs1, false);
    if (r->rs2 >= 0 && m->rs2 >= FIRST_VREG) visit(user, &m->rs2, false);
    if (r->rs3 >= 0 && m->rs3 >= FIRST_VREG) visit(user, &m->rs3, false);
    int32_t old = m->rd; /* a copy, so that what replaces the register is not visited as one itself */
    if (r->reads_rd && m->rd >= FIRST_VREG) visit(user, &old, false);
    if (r->rd >= 0 && m->rd >= FIRST_VREG) visit(user, &m->rd, true);
}

void visit_term(struct mblock *b, visit_reg visit, void *user)
{
    if (b->term != TERM_BRANCH) return;
    if (b->rs1 >= FIRST_VREG) visit(user, &b->rs1, false);
    if (b->rs2 >= FIRST_VREG) visit(user, &b->rs2, false);
}

static void count_def(void *user, int32_t *reg, bool is_def)
{
    struct func *f = user;
    if (is_def && f->vregs[*reg].ndefs < UINT16_MAX) f->vregs[*reg].ndefs++;
}

void count_defs(struct func *f)
{
    for (uint32_t v = 0; v < f->nvregs; v++) f->vregs[v].ndefs = 0;
    for (uint32_t b = 0; b < f->nmblocks; b++)
        for (uint32_t i = 0; i < f->mblocks[b].n; i++) visit_insn(&f->mblocks[b].code[i], count_def, f);
}
