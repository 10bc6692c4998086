/* Hoisting alone, on a loop written by hand: what leaves it, and what stays. */
#include "compiler/codegen/hand.h"

enum { BEFORE, LOOP, AFTER };

static int32_t scalar, lanes; /* made in front of the loop */

/* A block, a loop of one block, in which code is being made, and a block behind it. */
static void prepare(void)
{
    begin(3);
    branch(LOOP, LOOP, AFTER);
    f->mblocks[LOOP].depth = 1;
    scalar = compute(OP_CSRRS, 0, 0);
    lanes = compute(OP_VID_V, 0, 0);
    f->cur = LOOP;
}

static void use(int32_t v) { emit(f, OP_VSW12_V, 0, lanes, v, 0); }

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
    use(compute(OP_VMV_V_X, scalar, 0));
    use(compute(OP_VADD_VX, scalar, lanes));
    use(compute(OP_VADD_VV, compute(OP_VADD_VI, 0, lanes), lanes));
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
    int32_t high = compute(OP_LUI, 0, 0), both = compute(OP_ADDI, high, 0);
    use(compute(OP_VMV_V_X, both, 0));
    assert_true(hoisted());
    expect(OP_LUI, 1, 0);
    expect(OP_ADDI, 1, 0);
    expect(OP_VMV_V_X, 1, 0);
}

/* What is computed twice is computed once in front of the loop. */
static void equal_ones(void **state)
{
    (void)state;
    int32_t first = compute(OP_VMV_V_X, scalar, 0);
    use(first);
    use(compute(OP_VMV_V_X, scalar, 0));
    assert_true(hoisted());
    expect(OP_VMV_V_X, 1, 0);
    assert_int_equal(f->mblocks[LOOP].code[0].rs2, first);
    assert_int_equal(f->mblocks[LOOP].code[1].rs2, first);
}

/* Another lane may be at the preheader while one is in the loop. */
static void scalars(void **state)
{
    (void)state;
    use(compute(OP_VMV_V_X, compute(OP_ADDI, scalar, 0), 0));
    assert_false(hoisted());
    expect(OP_ADDI, 0, 1);
}

static void what_changes(void **state)
{
    (void)state;
    use(compute(OP_VMV_V_X, scalar, 0));
    use(compute(OP_VADD_VI, 0, lanes));
    emit(f, OP_ADDI, scalar, scalar, 0, 1);
    emit(f, OP_VADD_VI, lanes, 0, lanes, 1);
    assert_false(hoisted());
}

/* A register that is written twice, and what is no sum. */
static void other_results(void **state)
{
    (void)state;
    int32_t twice = compute(OP_VMV_V_X, scalar, 0);
    use(twice);
    emit(f, OP_VMV_V_I, twice, 0, 0, 1);
    use(twice);
    use(compute(OP_VLW12_V, lanes, 0));
    assert_false(hoisted());
}

/* Registers with a prefix would cost more than is saved. */
static void no_room(void **state)
{
    enum { FEW = 8 };
    int32_t busy[FEW];
    (void)state;
    f->nregs_v = FEW;
    for (int i = 0; i < FEW; i++) busy[i] = compute(OP_VLW12_V, lanes, 0);
    use(compute(OP_VMV_V_X, scalar, 0));
    for (int i = 0; i < FEW; i++) use(busy[i]);
    assert_false(hoisted());
}

static void no_preheader(void **state)
{
    (void)state;
    use(compute(OP_VMV_V_X, scalar, 0));
    branch(BEFORE, LOOP, AFTER);
    assert_false(hoisted());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(copies_and_sums), TEST(constants),     TEST(equal_ones), TEST(scalars),
        TEST(what_changes),    TEST(other_results), TEST(no_room),    TEST(no_preheader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
