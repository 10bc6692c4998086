/* The clean-up pass alone, on blocks written by hand: what is shared, what must not be, what goes. Programs do
 * not show all of it, since selection rarely writes a register twice. */
#include "compiler/backend.h"
#include "compiler/prepare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h> /* behind backend.h, whose fail() has the name of a macro here */

static struct cc cc;
static struct func *f;

static void begin_block(void)
{
    f->cur = new_block(f, 0);
    f->mblocks[f->cur].term = TERM_RETURN;
}

/* The current block goes on in a new one. */
static void begin_block_behind(void)
{
    uint32_t from = f->cur;
    begin_block();
    f->mblocks[from].term = TERM_JUMP;
    f->mblocks[from].succ[0] = f->cur;
}

/* One empty block, being filled. */
static int setup(void **state)
{
    (void)state;
    cc = (struct cc){0};
    if (setjmp(cc.on_error)) return -1;
    f = cc_alloc(&cc, sizeof *f);
    f->cc = &cc;
    for (int i = 0; i < FIRST_VREG; i++) new_vreg(f, CLASS_S);
    begin_block();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    cc_free(&cc);
    return 0;
}

static int32_t reg(void) { return new_vreg(f, CLASS_S); }
static int32_t vector(void) { return new_vreg(f, CLASS_V); }

/* A register that holds what no instruction here computes. */
static int32_t unknown(void)
{
    int32_t r = reg();
    emit(f, OP_CSRRS, r, 0, 0, 0)->keep = true;
    return r;
}

static int32_t compute(unsigned op, int32_t a, int32_t b)
{
    int32_t r = insn_roles(op)->rd == CLASS_V ? vector() : reg();
    emit(f, op, r, a, b, 0);
    return r;
}

static void use(int32_t r) { emit(f, OP_SW, 0, REG_ARGS, r, 0); }
static void use_vector(int32_t r) { emit(f, OP_VSW_V, 0, r, r, 0); }

static unsigned count(uint32_t block, unsigned op)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < f->mblocks[block].n; i++) n += f->mblocks[block].code[i].op == op;
    return n;
}

/* How many `op` are left in the block. */
static unsigned left(unsigned op)
{
    peephole_run(f);
    return count(f->cur, op);
}

/* The register that the last instruction stores. */
static int32_t stored(void) { return f->mblocks[f->cur].code[f->mblocks[f->cur].n - 1].rs2; }

static void equal_computations(void **state)
{
    (void)state;
    int32_t a = unknown(), b = unknown(), first = compute(OP_ADD, a, b), second = compute(OP_ADD, a, b);
    use(first);
    use(second);
    assert_int_equal(left(OP_ADD), 1);
    assert_int_equal(stored(), first);
}

static void other_computations(void **state)
{
    (void)state;
    int32_t a = unknown(), b = unknown();
    use(compute(OP_ADD, a, b));
    use(compute(OP_ADD, b, a));
    use(compute(OP_ADD, a, a));
    use(compute(OP_SUB, a, b));
    assert_int_equal(left(OP_ADD), 3);
    assert_int_equal(count(f->cur, OP_SUB), 1);
}

/* Many that differ in one field alone, so that some of them meet in the table of known ones: each stays. */
static void other_fields(void **state)
{
    enum { MANY = 256 };
    (void)state;
    int32_t a = unknown(), source[MANY];
    for (int i = 0; i < MANY; i++) source[i] = unknown();
    for (int field = 0; field < 5; field++) {
        begin_block();
        for (int i = 0; i < MANY; i++) {
            struct minsn *m = emit(f, OP_FMADD_S, reg(), a, a, 0);
            m->rs3 = a;
            switch (field) {
            case 0: m->rs1 = source[i]; break;
            case 1: m->rs2 = source[i]; break;
            case 2: m->rs3 = source[i]; break;
            case 3: m->imm = i; break;
            case 4: m->rm = (uint8_t)i; break;
            }
            use(m->rd);
        }
        assert_int_equal(left(OP_FMADD_S), MANY);
    }
}

/* The same for the operation: all with two scalar sources. */
static void other_operations(void **state)
{
    (void)state;
    int32_t a = unknown(), b = unknown();
    uint32_t n = 0;
    begin_block();
    for (unsigned op = 1; op < OP_COUNT; op++) {
        const struct roles *r = insn_roles(op);
        if (isa_table[op].kind != KIND_X || r->rd != CLASS_S || r->rs2 != CLASS_S || r->rs3 >= 0) continue;
        use(compute(op, a, b));
        n++;
    }
    assert_true(n > 20);
    peephole_run(f);
    assert_int_equal(f->mblocks[f->cur].n, 2 * n);
}

/* The same instruction on a register that has been written in between computes something else. */
static void changed_first_source(void **state)
{
    (void)state;
    int32_t a = unknown(), b = unknown(), c = unknown();
    use(compute(OP_ADD, a, b));
    emit(f, OP_XOR, a, b, c, 0);
    int32_t second = compute(OP_ADD, a, b);
    use(second);
    assert_int_equal(left(OP_ADD), 2);
    assert_int_equal(stored(), second);
}

static void changed_second_source(void **state)
{
    (void)state;
    int32_t a = unknown(), b = unknown(), c = unknown();
    use(compute(OP_ADD, a, b));
    emit(f, OP_XOR, b, a, c, 0);
    int32_t second = compute(OP_ADD, a, b);
    use(second);
    assert_int_equal(left(OP_ADD), 2);
    assert_int_equal(stored(), second);
}

static void changed_third_source(void **state)
{
    (void)state;
    int32_t a = unknown(), c = unknown(), r[2];
    for (int i = 0; i < 2; i++) {
        r[i] = reg();
        emit(f, OP_FMADD_S, r[i], a, a, 0)->rs3 = c;
        use(r[i]);
        emit(f, OP_XOR, c, a, a, 0);
    }
    use(c);
    assert_int_equal(left(OP_FMADD_S), 2);
}

/* After the change the new value is shared again, not the old one. */
static void shared_after_a_change(void **state)
{
    (void)state;
    int32_t a = unknown(), b = unknown();
    use(compute(OP_ADD, a, b));
    emit(f, OP_XOR, a, b, b, 0);
    int32_t second = compute(OP_ADD, a, b);
    use(second);
    use(compute(OP_ADD, a, b));
    assert_int_equal(left(OP_ADD), 2);
    assert_int_equal(stored(), second);
}

/* An accumulation reads its destination, which no other of the same sources has. */
static void accumulations(void **state)
{
    (void)state;
    int32_t a = vector(), b = vector();
    emit(f, OP_VID_V, a, 0, 0, 0)->keep = true;
    emit(f, OP_VID_V, b, 0, 0, 0)->keep = true;
    for (int i = 0; i < 2; i++) use_vector(compute(OP_VMACC_VV, a, b));
    assert_int_equal(left(OP_VMACC_VV), 2);
}

static void constants_within_reach(void **state)
{
    (void)state;
    for (int distance = 10; distance <= 100; distance += 90) {
        begin_block();
        int32_t a = unknown();
        use(compute(OP_ADDI, 0, 0));
        for (int i = 0; i < distance; i++) use(a);
        use(compute(OP_ADDI, 0, 0));
        assert_int_equal(left(OP_ADDI), distance < 48 ? 1 : 2);
    }
}

static void blocks_share_nothing(void **state)
{
    (void)state;
    int32_t a = unknown(), b = unknown();
    uint32_t first = f->cur;
    use(compute(OP_ADD, a, b));
    begin_block_behind();
    use(compute(OP_ADD, a, b));
    assert_int_equal(left(OP_ADD), 1);
    assert_int_equal(count(first, OP_ADD), 1);
}

/* A use in another block follows the register that stays. */
static void used_in_another_block(void **state)
{
    (void)state;
    int32_t a = unknown(), b = unknown(), first = compute(OP_ADD, a, b), second = compute(OP_ADD, a, b);
    use(first);
    uint32_t block = f->cur;
    begin_block_behind();
    use(second);
    peephole_run(f);
    assert_int_equal(count(block, OP_ADD), 1);
    assert_int_equal(stored(), first);
}

static void unused_results(void **state)
{
    (void)state;
    int32_t a = unknown(), b = unknown();
    compute(OP_XOR, compute(OP_ADD, a, b), a); /* used by nothing, and so is then what it uses */
    int32_t sum = vector(), factor = vector();
    emit(f, OP_VMV_V_X, factor, a, 0, 0)->keep = true;
    emit(f, OP_VMV_V_I, sum, 0, 0, 0);
    emit(f, OP_VMACC_VV, sum, factor, factor, 0); /* the sum is read by itself alone */
    compute(OP_LW, a, 0);
    assert_int_equal(left(OP_ADD), 0);
    assert_int_equal(f->mblocks[f->cur].n, 3); /* those to be kept */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(equal_computations, setup, teardown),
        cmocka_unit_test_setup_teardown(other_computations, setup, teardown),
        cmocka_unit_test_setup_teardown(other_fields, setup, teardown),
        cmocka_unit_test_setup_teardown(other_operations, setup, teardown),
        cmocka_unit_test_setup_teardown(changed_first_source, setup, teardown),
        cmocka_unit_test_setup_teardown(changed_second_source, setup, teardown),
        cmocka_unit_test_setup_teardown(changed_third_source, setup, teardown),
        cmocka_unit_test_setup_teardown(shared_after_a_change, setup, teardown),
        cmocka_unit_test_setup_teardown(accumulations, setup, teardown),
        cmocka_unit_test_setup_teardown(constants_within_reach, setup, teardown),
        cmocka_unit_test_setup_teardown(blocks_share_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(used_in_another_block, setup, teardown),
        cmocka_unit_test_setup_teardown(unused_results, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
