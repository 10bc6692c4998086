/* Hoisting alone, on a loop written by hand: what leaves it, and what stays. */
#include "compiler/backend.h"
#include "compiler/prepare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h> /* behind backend.h, whose fail() has the name of a macro here */

enum { BEFORE, LOOP, AFTER };

static struct cc cc;
static struct kernel kernel;
static struct block entry;
static struct func *f;
static int32_t scalar, lanes; /* made in front of the loop */

static int32_t reg(enum reg_class cls, unsigned op, int32_t rs1, int32_t rs2)
{
    int32_t r = new_vreg(f, cls);
    emit(f, op, r, rs1, rs2, 0);
    return r;
}

/* A block, a loop of one block, in which code is being made, and a block behind it. */
static int setup(void **state)
{
    (void)state;
    cc = (struct cc){0};
    if (setjmp(cc.on_error)) return -1;
    f = cc_alloc(&cc, sizeof *f);
    *f = (struct func){.cc = &cc, .kernel = &kernel, .blocks = &entry, .nregs_s = ISA_VREGS, .nregs_v = ISA_VREGS};
    for (int i = 0; i < FIRST_VREG; i++) new_vreg(f, CLASS_S);
    for (int i = BEFORE; i <= AFTER; i++) new_block(f, i == LOOP);
    f->exit = AFTER;
    f->mblocks[BEFORE].term = TERM_JUMP;
    f->mblocks[BEFORE].succ[0] = LOOP;
    f->mblocks[LOOP].term = TERM_BRANCH;
    f->mblocks[LOOP].op = OP_BNE;
    f->mblocks[LOOP].succ[0] = LOOP;
    f->mblocks[LOOP].succ[1] = AFTER;
    f->mblocks[AFTER].term = TERM_RETURN;
    scalar = reg(CLASS_S, OP_CSRRS, 0, 0);
    lanes = reg(CLASS_V, OP_VID_V, 0, 0);
    f->mblocks[LOOP].rs1 = f->mblocks[LOOP].rs2 = scalar;
    f->cur = LOOP;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    cc_free(&cc);
    return 0;
}

static void use(int32_t v) { emit(f, OP_VSW12_V, 0, lanes, v, 0); }

static unsigned count(uint32_t block, unsigned op)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < f->mblocks[block].n; i++) n += f->mblocks[block].code[i].op == op;
    return n;
}

static void expect(unsigned op, unsigned before, unsigned in_loop)
{
    assert_int_equal(count(BEFORE, op), before);
    assert_int_equal(count(LOOP, op), in_loop);
}

static bool hoisted(void)
{
    liveness_run(f);
    return hoist_run(f);
}

static void copies_and_sums(void **state)
{
    (void)state;
    use(reg(CLASS_V, OP_VMV_V_X, scalar, 0));
    use(reg(CLASS_V, OP_VADD_VX, scalar, lanes));
    use(reg(CLASS_V, OP_VADD_VV, reg(CLASS_V, OP_VADD_VI, 0, lanes), lanes));
    assert_true(hoisted());
    expect(OP_VMV_V_X, 1, 0);
    expect(OP_VADD_VX, 1, 0);
    expect(OP_VADD_VI, 1, 0);
    expect(OP_VADD_VV, 1, 0);
    expect(OP_VSW12_V, 0, 3);
}

static void constants(void **state)
{
    (void)state;
    int32_t high = reg(CLASS_S, OP_LUI, 0, 0), both = reg(CLASS_S, OP_ADDI, high, 0);
    use(reg(CLASS_V, OP_VMV_V_X, both, 0));
    assert_true(hoisted());
    expect(OP_LUI, 1, 0);
    expect(OP_ADDI, 1, 0);
    expect(OP_VMV_V_X, 1, 0);
}

/* What is computed twice is computed once in front of the loop. */
static void equal_ones(void **state)
{
    (void)state;
    int32_t first = reg(CLASS_V, OP_VMV_V_X, scalar, 0);
    use(first);
    use(reg(CLASS_V, OP_VMV_V_X, scalar, 0));
    assert_true(hoisted());
    expect(OP_VMV_V_X, 1, 0);
    assert_int_equal(f->mblocks[LOOP].code[0].rs2, first);
    assert_int_equal(f->mblocks[LOOP].code[1].rs2, first);
}

/* Another lane may be at the preheader while one is in the loop. */
static void scalars(void **state)
{
    (void)state;
    use(reg(CLASS_V, OP_VMV_V_X, reg(CLASS_S, OP_ADDI, scalar, 0), 0));
    assert_false(hoisted());
    expect(OP_ADDI, 0, 1);
}

static void what_changes(void **state)
{
    (void)state;
    use(reg(CLASS_V, OP_VMV_V_X, scalar, 0));
    use(reg(CLASS_V, OP_VADD_VI, 0, lanes));
    emit(f, OP_ADDI, scalar, scalar, 0, 1);
    emit(f, OP_VADD_VI, lanes, 0, lanes, 1);
    assert_false(hoisted());
}

/* A register that is written twice, and what is no sum. */
static void other_results(void **state)
{
    (void)state;
    int32_t twice = reg(CLASS_V, OP_VMV_V_X, scalar, 0);
    use(twice);
    emit(f, OP_VMV_V_I, twice, 0, 0, 1);
    use(twice);
    use(reg(CLASS_V, OP_VLW12_V, lanes, 0));
    assert_false(hoisted());
}

/* Registers with a prefix would cost more than is saved. */
static void no_room(void **state)
{
    enum { FEW = 8 };
    int32_t busy[FEW];
    (void)state;
    f->nregs_v = FEW;
    for (int i = 0; i < FEW; i++) busy[i] = reg(CLASS_V, OP_VLW12_V, lanes, 0);
    use(reg(CLASS_V, OP_VMV_V_X, scalar, 0));
    for (int i = 0; i < FEW; i++) use(busy[i]);
    assert_false(hoisted());
}

static void no_preheader(void **state)
{
    (void)state;
    use(reg(CLASS_V, OP_VMV_V_X, scalar, 0));
    f->mblocks[BEFORE].term = TERM_BRANCH;
    f->mblocks[BEFORE].op = OP_BNE;
    f->mblocks[BEFORE].rs1 = f->mblocks[BEFORE].rs2 = scalar;
    f->mblocks[BEFORE].succ[1] = AFTER;
    assert_false(hoisted());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(copies_and_sums, setup, teardown),
        cmocka_unit_test_setup_teardown(constants, setup, teardown),
        cmocka_unit_test_setup_teardown(equal_ones, setup, teardown),
        cmocka_unit_test_setup_teardown(scalars, setup, teardown),
        cmocka_unit_test_setup_teardown(what_changes, setup, teardown),
        cmocka_unit_test_setup_teardown(other_results, setup, teardown),
        cmocka_unit_test_setup_teardown(no_room, setup, teardown),
        cmocka_unit_test_setup_teardown(no_preheader, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
