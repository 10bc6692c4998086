/* Indexed accesses alone, on blocks written by hand: where an access adds what its address is the sum of, and where the
 * sum stays. */
#include "compiler/codegen/hand.h"

static int32_t scalar, lanes, sum; /* what every test begins with, in the first block */

static void prepare(void)
{
    begin(1);
    scalar = compute(OP_CSRRS, 0, 0);
    lanes = compute(OP_VID_V, 0, 0);
    sum = compute(OP_VADD_VX, scalar, lanes);
}

static void load(int32_t address, int32_t imm) { emit(f, OP_VLW12_V, new_vector(), address, 0, imm); }

static unsigned count_all(unsigned op)
{
    unsigned n = 0;
    for (uint32_t b = 0; b < f->nmblocks; b++) n += count(b, op);
    return n;
}

static void expect(unsigned indexed, unsigned sums)
{
    indexed_run(f);
    assert_int_equal(count_all(OP_VLOXEI32_V) + count_all(OP_VSOXEI32_V), indexed);
    assert_int_equal(count_all(OP_VADD_VX), sums);
}

static void words(void **state)
{
    (void)state;
    int32_t data = compute(OP_VLW12_V, sum, 0);
    emit(f, OP_VSW12_V, 0, sum, data, 0);
    expect(2, 0);
    const struct minsn *last = &f->mblocks[0].code[f->mblocks[0].n - 1];
    assert_int_equal(last->op, OP_VSOXEI32_V);
    assert_int_equal(last->rs1, scalar);
    assert_int_equal(last->rs2, lanes);
    assert_int_equal(last->rs3, data);
}

static void distances(void **state)
{
    (void)state;
    load(sum, 0);
    load(sum, 4);
    expect(0, 1);
}

static void bytes(void **state)
{
    (void)state;
    load(sum, 0);
    emit(f, OP_VLBU12_V, new_vector(), sum, 0, 0);
    expect(0, 1);
}

static void sum_that_is_stored(void **state)
{
    (void)state;
    emit(f, OP_VSW12_V, 0, sum, sum, 0);
    expect(0, 1);
}

static void sum_that_branches(void **state)
{
    (void)state;
    load(sum, 0);
    f->mblocks[0].term = TERM_BRANCH;
    f->mblocks[0].op = OP_VBNE;
    f->mblocks[0].rs1 = f->mblocks[0].rs2 = sum;
    expect(0, 1);
}

static void scalar_that_changes(void **state)
{
    (void)state;
    emit(f, OP_ADDI, scalar, scalar, 0, 4);
    load(sum, 0);
    expect(0, 1);
}

static void lanes_that_change(void **state)
{
    (void)state;
    load(sum, 0);
    emit(f, OP_VADD_VI, lanes, 0, lanes, 4);
    expect(1, 0);
    load(compute(OP_VADD_VX, scalar, lanes), 0);
    emit(f, OP_VADD_VI, lanes, 0, lanes, 4);
    load(f->mblocks[0].code[f->mblocks[0].n - 3].rd, 0);
    expect(1, 1);
}

/* Lanes that come to another block later find what the others have left in a scalar, if anything writes it again. */
static void other_blocks(void **state)
{
    (void)state;
    begin_block();
    int32_t late = compute(OP_CSRRS, 0, 0), other = compute(OP_VADD_VX, late, lanes);
    load(sum, 0);
    begin_block();
    load(sum, 0);
    load(other, 0);
    load(compute(OP_VADD_VX, late, lanes), 0);
    expect(3, 1);
}

static void local_memory(void **state)
{
    (void)state;
    int32_t local = compute(OP_VADD_VX, REG_LOCAL, lanes), more = compute(OP_VADD_VX, REG_ARGS, lanes);
    begin_block();
    load(local, 0);
    load(more, 0);
    expect(1, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(words),
        TEST(distances),
        TEST(bytes),
        TEST(sum_that_is_stored),
        TEST(sum_that_branches),
        TEST(scalar_that_changes),
        TEST(lanes_that_change),
        TEST(other_blocks),
        TEST(local_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
