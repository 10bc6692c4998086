/* Indexed accesses alone, on blocks written by hand: where an access adds what its address is the sum of, and where the
 * sum stays. */
#include "compiler/backend.h"
#include "compiler/prepare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h> /* behind backend.h, whose fail() has the name of a macro here */

static struct cc cc;
static struct func *f;
static int32_t scalar, lanes, sum; /* what every test begins with, in the first block */

static int32_t reg(enum reg_class cls, unsigned op, int32_t rs1, int32_t rs2)
{
    int32_t r = new_vreg(f, cls);
    emit(f, op, r, rs1, rs2, 0);
    return r;
}

/* The block in progress goes on in a new one. */
static void begin_block(void)
{
    uint32_t from = f->cur;
    f->cur = new_block(f, 0);
    f->mblocks[f->cur].term = TERM_RETURN;
    if (f->cur == from) return;
    f->mblocks[from].term = TERM_JUMP;
    f->mblocks[from].succ[0] = f->cur;
}

static int setup(void **state)
{
    (void)state;
    cc = (struct cc){0};
    if (setjmp(cc.on_error)) return -1;
    f = cc_alloc(&cc, sizeof *f);
    f->cc = &cc;
    for (int i = 0; i < FIRST_VREG; i++) new_vreg(f, CLASS_S);
    begin_block();
    scalar = reg(CLASS_S, OP_CSRRS, 0, 0);
    lanes = reg(CLASS_V, OP_VID_V, 0, 0);
    sum = reg(CLASS_V, OP_VADD_VX, scalar, lanes);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    cc_free(&cc);
    return 0;
}

static void load(int32_t address, int32_t imm) { emit(f, OP_VLW12_V, new_vreg(f, CLASS_V), address, 0, imm); }

static unsigned count(unsigned op)
{
    unsigned n = 0;
    for (uint32_t b = 0; b < f->nmblocks; b++)
        for (uint32_t i = 0; i < f->mblocks[b].n; i++) n += f->mblocks[b].code[i].op == op;
    return n;
}

static void expect(unsigned indexed, unsigned sums)
{
    indexed_run(f);
    assert_int_equal(count(OP_VLOXEI32_V) + count(OP_VSOXEI32_V), indexed);
    assert_int_equal(count(OP_VADD_VX), sums);
}

static void words(void **state)
{
    (void)state;
    int32_t data = reg(CLASS_V, OP_VLW12_V, sum, 0);
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
    emit(f, OP_VLBU12_V, new_vreg(f, CLASS_V), sum, 0, 0);
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
    load(reg(CLASS_V, OP_VADD_VX, scalar, lanes), 0);
    emit(f, OP_VADD_VI, lanes, 0, lanes, 4);
    load(f->mblocks[0].code[f->mblocks[0].n - 3].rd, 0);
    expect(1, 1);
}

/* Lanes that come to another block later find what the others have left in a scalar, if anything writes it again. */
static void other_blocks(void **state)
{
    (void)state;
    begin_block();
    int32_t late = reg(CLASS_S, OP_CSRRS, 0, 0), other = reg(CLASS_V, OP_VADD_VX, late, lanes);
    load(sum, 0);
    begin_block();
    load(sum, 0);
    load(other, 0);
    load(reg(CLASS_V, OP_VADD_VX, late, lanes), 0);
    expect(3, 1);
}

static void local_memory(void **state)
{
    (void)state;
    int32_t local = reg(CLASS_V, OP_VADD_VX, REG_LOCAL, lanes), more = reg(CLASS_V, OP_VADD_VX, REG_ARGS, lanes);
    begin_block();
    load(local, 0);
    load(more, 0);
    expect(1, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(words, setup, teardown),
        cmocka_unit_test_setup_teardown(distances, setup, teardown),
        cmocka_unit_test_setup_teardown(bytes, setup, teardown),
        cmocka_unit_test_setup_teardown(sum_that_is_stored, setup, teardown),
        cmocka_unit_test_setup_teardown(sum_that_branches, setup, teardown),
        cmocka_unit_test_setup_teardown(scalar_that_changes, setup, teardown),
        cmocka_unit_test_setup_teardown(lanes_that_change, setup, teardown),
        cmocka_unit_test_setup_teardown(other_blocks, setup, teardown),
        cmocka_unit_test_setup_teardown(local_memory, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
