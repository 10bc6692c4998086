/* Machine code by hand, for the unit tests of the back end's passes: a test gets an empty kernel, fills its blocks,
 * runs a pass and looks at what has become of them. All that is here belongs to the file that includes it. */
#ifndef COMPILER_HAND_H
#define COMPILER_HAND_H

#include "compiler/codegen/codegen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h> /* behind machine.h, whose fail() has the name of a macro here */

static struct cc cc;
static struct kernel kernel = {.name = "k", .limit_s = ISA_XREGS, .limit_v = ISA_VREGS};
static struct block entry;
static struct func *f; /* the kernel's code; emit() adds to block f->cur */

/* ---- running ---- */

/* Of the file that includes this: the code that each of its tests begins with. */
static void prepare(void);

struct by_hand {
    void (*test)(void **state);
};

/* An element of cmocka's array of tests, in main. */
#define TEST(name) \
    { \
#name, run_by_hand, NULL, free_by_hand, &(struct by_hand) { name } \
    }

/* An error of the compiler fails the test. */
static inline void run_by_hand(void **state)
{
    const struct by_hand *t = *state;
    cc = (struct cc){.profile = PROFILE_DEFAULT};
    if (setjmp(cc.on_error)) fail_msg("%s", cc.log);
    prepare();
    t->test(state);
}

static inline int free_by_hand(void **state)
{
    (void)state;
    cc_free(&cc);
    return 0;
}

/* ---- blocks ---- */

/* A new kernel of `n` blocks, the last of which returns; the others jump to the next. */
static inline void begin(uint32_t n)
{
    f = cc_alloc(&cc, sizeof *f);
    *f = (struct func){.cc = &cc, .kernel = &kernel, .blocks = &entry, .nregs_s = ISA_VREGS, .nregs_v = ISA_VREGS};
    for (int i = 0; i < FIRST_VREG; i++) new_vreg(f, CLASS_S);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t block = new_block(f, 0); /* moves all of them */
        struct mblock *b = &f->mblocks[block];
        b->term = i + 1 < n ? TERM_JUMP : TERM_RETURN;
        b->succ[0] = i + 1;
    }
    f->exit = n - 1;
    f->cur = 0;
}

/* One more block behind the last one, to be filled. */
static inline void begin_block(void)
{
    f->mblocks[f->exit].term = TERM_JUMP;
    f->mblocks[f->exit].succ[0] = f->nmblocks;
    f->cur = f->exit = new_block(f, 0);
    f->mblocks[f->cur].term = TERM_RETURN;
}

/* Block `from` branches on a scalar register to block `to` or `otherwise`. */
static inline void branch(uint32_t from, uint32_t to, uint32_t otherwise)
{
    struct mblock *b = &f->mblocks[from];
    b->term = TERM_BRANCH;
    b->op = OP_BNE;
    b->rs1 = b->rs2 = REG_ARGS;
    b->succ[0] = to;
    b->succ[1] = otherwise;
}

/* The same on a vector register: lanes diverge, and reconverge in block `join`. */
static inline void part(uint32_t from, int32_t lanes, uint32_t to, uint32_t otherwise, uint32_t join)
{
    struct mblock *b = &f->mblocks[from];
    branch(from, to, otherwise);
    b->op = OP_VBNE;
    b->rs1 = b->rs2 = lanes;
    b->rpc = join;
    b->divergent = b->sets_rpc = true;
    f->mblocks[join].join = true;
}

/* ---- instructions ---- */

static inline int32_t new_scalar(void) { return new_vreg(f, CLASS_S); }
static inline int32_t new_vector(void) { return new_vreg(f, CLASS_V); }

/* The new register that has the result of an operation. */
static inline int32_t compute(unsigned op, int32_t rs1, int32_t rs2)
{
    int32_t r = new_vreg(f, insn_roles(op)->rd == CLASS_V ? CLASS_V : CLASS_S);
    emit(f, op, r, rs1, rs2, 0);
    return r;
}

/* How many `op` there are in a block. */
static inline unsigned count(uint32_t block, unsigned op)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < f->mblocks[block].n; i++) n += f->mblocks[block].code[i].op == op;
    return n;
}

#endif
