/* Facts about machine instructions, all read from the instruction table: which operands are
 * registers of which class, what only computes, what is a copy. Every pass behind selection works
 * through these functions and names no instruction itself. */
#include "compiler/machine/machine.h"

#include <pthread.h>

#include "isa/effects.h"
#include "isa/latency.h"

static int8_t class_of(const struct isa_effects *e, enum operand_role role)
{
    if (e->scalars >> role & 1) return CLASS_S;
    return e->vectors >> role & 1 ? CLASS_V : -1;
}

static struct roles roles_of(unsigned op)
{
    struct isa_effects e = isa_effects(&(struct insn){.op = (uint16_t)op, .vm = 1}, ISA_LANES);
    return (struct roles){.rd = class_of(&e, ROLE_RD),
                          .rs1 = class_of(&e, ROLE_RS1),
                          .rs2 = class_of(&e, ROLE_RS2),
                          .rs3 = class_of(&e, ROLE_RS3),
                          .reads_rd = e.reads >> ROLE_RD & 1,
                          .latency = (uint8_t)isa_latency((enum isa_op)op)};
}

/* Constant once filled. */
static struct roles roles_table[OP_ASM + 1];
static pthread_once_t roles_once = PTHREAD_ONCE_INIT;

static void fill_roles(void)
{
    for (unsigned op = 1; op < OP_COUNT; op++) roles_table[op] = roles_of(op);
    roles_table[OP_ASM] = (struct roles){-1, -1, -1, -1, false, 0};
}

const struct roles *insn_roles(unsigned op)
{
    pthread_once(&roles_once, fill_roles);
    return &roles_table[op];
}

bool is_pure(const struct minsn *m)
{
    if (m->keep || m->op == OP_ASM) return false;
    const struct isa_kind_desc *kind = &isa_kinds[isa_table[m->op].kind];
    if (m->op == OP_CSRRS) return m->rs1 == 0;
    return kind->expression == EXPRESSION_VALUE || kind->action == ACTION_LOAD;
}

bool is_copy(const struct minsn *m)
{
    return m->op == OP_VMV_V_V || (m->op == OP_ADDI && m->imm == 0 && m->rs1 >= FIRST_VREG && m->rd >= FIRST_VREG);
}

static void visit_text(struct asm_text *t, visit_reg visit, void *user)
{
    for (unsigned pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < t->nvalues; i++) {
            struct asm_value *v = &t->values[i];
            if (!(pass ? v->written : v->read)) continue;
            for (uint32_t k = 0; k < v->nregs; k++) {
                int32_t copy = v->regs[k], *reg = v->written && !pass ? &copy : &v->regs[k];
                if (*reg >= FIRST_VREG) visit(user, reg, pass == 1);
            }
        }
}

void visit_insn(struct minsn *m, visit_reg visit, void *user)
{
    if (m->op == OP_ASM) visit_text(m->text, visit, user);
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
    if (b->term != TERM_JUMP && b->rs1 >= FIRST_VREG) visit(user, &b->rs1, false);
    if (b->term == TERM_BRANCH && b->rs2 >= FIRST_VREG) visit(user, &b->rs2, false);
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

void block_compact(struct mblock *b)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->n; i++)
        if (b->code[i].op != OP_INVALID) b->code[n++] = b->code[i];
    b->n = n;
}
