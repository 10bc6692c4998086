/* Sharing between blocks alone, on code written by hand: what is not computed again, and what is. */
#include "compiler/codegen/hand.h"

enum { FIRST, SIDE, LAST, END };

static int32_t scalar, lanes;

/* A block that goes on or comes to another on the way, in both of which code is being made, and one behind them. */
static void prepare(void)
{
    begin(END + 1);
    scalar = compute(OP_CSRRS, 0, 0);
    lanes = compute(OP_VID_V, 0, 0);
    part(FIRST, lanes, LAST, SIDE, LAST);
}

static void use(int32_t v)
{
    if (f->vregs[v].cls == CLASS_S) emit(f, OP_SW, 0, scalar, v, 0);
    else emit(f, OP_VSW12_V, 0, lanes, v, 0);
}

/* In place of the branch. */
static void go_on(uint32_t from, uint32_t to)
{
    f->mblocks[from].term = TERM_JUMP;
    f->mblocks[from].divergent = f->mblocks[from].sets_rpc = false;
    f->mblocks[from].succ[0] = to;
    f->mblocks[LAST].join = false;
}

/* The register is used by what is made there of another. */
static int32_t shifted(uint32_t block, int32_t v)
{
    f->cur = block;
    int32_t r = compute(f->vregs[v].cls == CLASS_S ? OP_SLLI : OP_VSLL_VI, f->vregs[v].cls == CLASS_S ? v : 0,
                        f->vregs[v].cls == CLASS_S ? 0 : v);
    use(r);
    return r;
}

static bool shared(void)
{
    liveness_run(f);
    return share_run(f);
}

static void addresses(void **state)
{
    (void)state;
    int32_t first = shifted(FIRST, lanes);
    shifted(SIDE, lanes);
    shifted(LAST, lanes);
    assert_true(shared());
    assert_int_equal(count(FIRST, OP_VSLL_VI), 1);
    assert_int_equal(count(SIDE, OP_VSLL_VI), 0);
    assert_int_equal(count(LAST, OP_VSLL_VI), 0);
    assert_int_equal(f->mblocks[LAST].code[0].rs2, first);
}

/* What is made of one that is not needed any more is not needed either. */
static void chains(void **state)
{
    (void)state;
    for (uint32_t b = FIRST; b <= SIDE; b++) use(compute(OP_VADD_VX, scalar, shifted(b, lanes)));
    assert_true(shared());
    assert_int_equal(count(SIDE, OP_VADD_VX), 0);
}

static void scalars(void **state)
{
    (void)state;
    shifted(FIRST, scalar);
    shifted(LAST, scalar);
    assert_true(shared());
    assert_int_equal(count(LAST, OP_SLLI), 0);
}

/* Not all lanes have come through the other side. */
static void one_side(void **state)
{
    (void)state;
    shifted(SIDE, lanes);
    shifted(LAST, lanes);
    assert_false(shared());
}

static void what_changes(void **state)
{
    (void)state;
    int32_t twice = compute(OP_VADD_VI, 0, lanes);
    shifted(FIRST, twice);
    f->cur = SIDE;
    emit(f, OP_VADD_VI, twice, 0, lanes, 1);
    shifted(LAST, twice);
    assert_false(shared());
}

/* A loop's variable, which the way back to the first computation changes alone. */
static void what_a_loop_changes(void **state)
{
    (void)state;
    int32_t index = compute(OP_VADD_VI, 0, lanes);
    go_on(FIRST, SIDE);
    shifted(SIDE, index);
    shifted(LAST, index);
    emit(f, OP_VADD_VI, index, 0, index, 1);
    branch(LAST, SIDE, END);
    assert_true(shared());
    assert_int_equal(count(LAST, OP_VSLL_VI), 0);
}

/* Lanes that have left for another iteration write the scalar while others wait for what they read of it. */
static void lanes_apart(void **state)
{
    (void)state;
    go_on(FIRST, SIDE);
    shifted(SIDE, scalar);
    part(SIDE, lanes, LAST, END, END);
    shifted(LAST, scalar);
    go_on(LAST, SIDE);
    assert_false(shared());
}

static void constants(void **state)
{
    (void)state;
    for (uint32_t b = FIRST; b <= LAST; b++) {
        f->cur = b;
        use(compute(OP_VMV_V_I, 0, 0));
        use(compute(OP_VMV_V_X, scalar, 0));
    }
    assert_false(shared());
}

/* Registers with a prefix would cost more than is saved. */
static void no_room(void **state)
{
    enum { FEW = 8 };
    int32_t busy[FEW];
    (void)state;
    f->nregs_v = FEW;
    shifted(FIRST, lanes);
    for (int i = 0; i < FEW; i++) busy[i] = compute(OP_VLW12_V, lanes, 0);
    shifted(LAST, lanes);
    for (int i = 0; i < FEW; i++) use(busy[i]);
    assert_false(shared());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(addresses),           TEST(chains),      TEST(scalars),   TEST(one_side), TEST(what_changes),
        TEST(what_a_loop_changes), TEST(lanes_apart), TEST(constants), TEST(no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
