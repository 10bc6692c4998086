/* The clean-up pass alone, on blocks written by hand: what is shared, what must not be, what goes. Programs do
 * not show all of it, since selection rarely writes a register twice. */
#include "compiler/codegen/hand.h"

static void prepare(void) { begin(1); }

/* A register that holds what no instruction here computes. */
static int32_t unknown(void)
{
    int32_t r = new_scalar();
    emit(f, OP_CSRRS, r, 0, 0, 0)->keep = true;
    return r;
}

static void use(int32_t r) { emit(f, OP_SW, 0, REG_ARGS, r, 0); }
static void use_vector(int32_t r) { emit(f, OP_VSW_V, 0, r, r, 0); }

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
            struct minsn *m = emit(f, OP_FMADD_S, new_scalar(), a, a, 0);
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
static void changed_sources(void **state)
{
    (void)state;
    for (int which = 0; which < 2; which++) {
        begin(1);
        int32_t source[] = {unknown(), unknown()}, other = unknown();
        use(compute(OP_ADD, source[0], source[1]));
        emit(f, OP_XOR, source[which], source[!which], other, 0);
        int32_t second = compute(OP_ADD, source[0], source[1]);
        use(second);
        assert_int_equal(left(OP_ADD), 2);
        assert_int_equal(stored(), second);
    }
}

static void changed_third_source(void **state)
{
    (void)state;
    int32_t a = unknown(), c = unknown(), r[2];
    for (int i = 0; i < 2; i++) {
        r[i] = new_scalar();
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
    int32_t a = new_vector(), b = new_vector();
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
    begin_block();
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
    begin_block();
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
    int32_t sum = new_vector(), factor = new_vector();
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
        TEST(equal_computations),     TEST(other_computations),   TEST(other_fields),          TEST(other_operations),
        TEST(changed_sources),        TEST(changed_third_source), TEST(shared_after_a_change), TEST(accumulations),
        TEST(constants_within_reach), TEST(blocks_share_nothing), TEST(used_in_another_block), TEST(unused_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
