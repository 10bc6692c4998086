/* Constants that take two instructions are loaded from a table instead, if a kernel has enough of them to be worth a
 * base register: one instruction each, and one instead of three where a vector register is to hold the constant.
 *
 * Works on what selection leaves: lui, addi behind it, and vmv.v.x of the sum. Called by backend_kernel. */
#include "compiler/codegen/codegen.h"

#include <string.h>

/* WORTH is a guess: the kernels of bench/code execute the same instructions with 4 and with 9. MAX_WORDS are within
 * reach of a load's offset. */
enum { WORTH = 6, WORTH_VECTOR = 3, MAX_WORDS = 500 };

struct pool {
    struct func *f;
    uint32_t *uses;   /* of each register */
    uint32_t *number; /* of the constant in a register, plus 1 */
    uint32_t *words, n, nvectors;
    int32_t base, vector_base;
};

static void count_use(void *user, int32_t *reg, bool is_def)
{
    uint32_t *uses = user;
    if (!is_def) uses[*reg]++;
}

static uint32_t word_number(struct pool *p, uint32_t word)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (p->words[i] == word) return i;
    p->words[p->n] = word;
    return p->n++;
}

/* lui and addi of one constant, the sum of which is used alone. */
static bool is_pair(const struct pool *p, const struct mblock *b, uint32_t i)
{
    const struct minsn *high = &b->code[i], *low = high + 1;
    return i + 1 < b->n && high->op == OP_LUI && low->op == OP_ADDI && low->rs1 == high->rd && high->rd >= FIRST_VREG &&
           p->uses[high->rd] == 1 && p->f->vregs[high->rd].ndefs == 1 && p->f->vregs[low->rd].ndefs == 1;
}

/* A broadcast of a constant in the table. */
static bool is_broadcast(const struct pool *p, const struct minsn *m)
{
    return m->op == OP_VMV_V_X && m->rs1 >= FIRST_VREG && p->number[m->rs1];
}

/* Returns how many pairs there are. */
static uint32_t collect(struct pool *p)
{
    uint32_t pairs = 0;
    for (uint32_t k = 0; k < p->f->nmblocks; k++) {
        const struct mblock *b = &p->f->mblocks[k];
        for (uint32_t i = 0; i < b->n && p->n < MAX_WORDS; i++) {
            if (is_broadcast(p, &b->code[i])) p->nvectors++;
            if (!is_pair(p, b, i)) continue;
            uint32_t word = (uint32_t)b->code[i].imm + (uint32_t)b->code[i + 1].imm;
            p->number[b->code[i + 1].rd] = word_number(p, word) + 1;
            pairs++;
        }
    }
    return pairs;
}

static void rewrite_block(struct pool *p, struct mblock *b)
{
    for (uint32_t i = 0; i < b->n; i++) {
        struct minsn *m = &b->code[i];
        if (p->vector_base != NOREG && is_broadcast(p, m)) {
            p->uses[m->rs1]--;
            *m = (struct minsn){.op = OP_VLW12_V,
                                .rd = m->rd,
                                .rs1 = p->vector_base,
                                .imm = 4 * (int32_t)(p->number[m->rs1] - 1),
                                .place = m->place,
                                .made = m->made,
                                .keep = m->keep,
                                .space = SPACE_CONSTANT,
                                .rm = 7};
        }
        if (!is_pair(p, b, i) || !p->number[m[1].rd]) continue;
        m[1] = (struct minsn){.op = OP_LW,
                              .rd = m[1].rd,
                              .rs1 = p->base,
                              .imm = 4 * (int32_t)(p->number[m[1].rd] - 1),
                              .place = m->place,
                              .made = m[1].made,
                              .keep = m[1].keep,
                              .space = SPACE_CONSTANT,
                              .rm = 7};
        m->op = OP_INVALID;
    }
}

/* Drops the instructions without effect that are left: halves of pairs, and loads for broadcasts alone. */
static void drop(struct pool *p, struct mblock *b)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        const struct minsn *m = &b->code[i];
        bool unused = m->op == OP_LW && m->rs1 == p->base && !p->uses[m->rd] && !m->keep;
        if (m->op != OP_INVALID && !unused) b->code[n++] = *m;
    }
    b->n = n;
}

/* The address of the table, at the start of the kernel behind the instruction that takes its argument from a0. */
static void put_base(struct pool *p, uint32_t address)
{
    struct func *f = p->f;
    struct mblock *b = &f->mblocks[f->blocks[0].mfirst];
    struct minsn *old = b->code;
    uint32_t n = b->n, low = (uint32_t)((int32_t)(address << 20) >> 20);
    int32_t high = new_vreg(f, CLASS_S);
    f->cur = f->blocks[0].mfirst;
    b->n = b->cap = 0;
    b->code = NULL;
    for (uint32_t i = 0; i < n; i++) {
        b->code = cc_grow(f->cc, b->code, b->n, &b->cap, sizeof *old);
        b->code[b->n++] = old[i];
        if (i) continue;
        emit(f, OP_LUI, high, 0, 0, (int32_t)(address - low));
        emit(f, OP_ADDI, p->base, high, 0, (int32_t)low);
        if (p->vector_base != NOREG) emit(f, OP_VMV_V_X, p->vector_base, p->base, 0, 0);
    }
}

void pool_run(struct func *f)
{
    struct pool p = {.f = f, .base = NOREG, .vector_base = NOREG};
    uint32_t words[MAX_WORDS + 1];
    p.words = words;
    p.uses = cc_alloc(f->cc, (f->nvregs + 2) * sizeof *p.uses);
    p.number = cc_alloc(f->cc, (f->nvregs + 2) * sizeof *p.number);
    if (f->cc->object) return; /* no table has an address yet */
    count_defs(f);
    for (uint32_t b = 0; b < f->nmblocks; b++) {
        for (uint32_t i = 0; i < f->mblocks[b].n; i++) visit_insn(&f->mblocks[b].code[i], count_use, p.uses);
        visit_term(&f->mblocks[b], count_use, p.uses);
    }
    if (collect(&p) < WORTH) return;
    p.base = new_vreg(f, CLASS_S);
    if (p.nvectors >= WORTH_VECTOR) p.vector_base = new_vreg(f, CLASS_V);
    for (uint32_t b = 0; b < f->nmblocks; b++) rewrite_block(&p, &f->mblocks[b]);
    for (uint32_t b = 0; b < f->nmblocks; b++) drop(&p, &f->mblocks[b]);
    put_base(&p, rodata_words(f->cc, p.words, p.n));
}
