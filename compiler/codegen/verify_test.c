/* The checks between the stages of the back end, on code written by hand: each mistake that they are there for is made
 * once, and what is right passes. */
#include "compiler/codegen/hand.h"

#include <stdlib.h>
#include <string.h>

/* A scalar register with a number, a vector register with one. */
static int32_t number(void)
{
    int32_t r = new_scalar();
    emit(f, OP_ADDI, r, 0, 0, 7);
    return r;
}

static int32_t numbers(void)
{
    int32_t r = new_vector();
    emit(f, OP_VID_V, r, 0, 0, 0);
    return r;
}

static void use(int32_t r) { emit(f, OP_SW, 0, REG_ARGS, r, 0); }

/* Block `from` makes a vector register and branches on it. */
static void part_from(uint32_t from, uint32_t to, uint32_t otherwise, uint32_t join)
{
    f->cur = from;
    part(from, numbers(), to, otherwise, join);
}

/* Runs a check; its message, or "" if it has none. */
static const char *checked(void (*check)(void))
{
    free(cc.log);
    cc.log = NULL;
    cc.log_size = 0;
    cc.status = CC_OK;
    if (!setjmp(cc.on_error)) check();
    assert_int_equal(cc.status, cc.log ? CC_INTERNAL : CC_OK);
    return cc.log ? cc.log : "";
}

static void check_stage(void) { verify_run(f, "a stage"); }

static void check_places(void)
{
    liveness_run(f);
    verify_places(f, verify_copy(f));
}

static void check_words(void) { verify_words(f); }

static void place(int32_t reg, int at) { f->vregs[reg].phys = (int16_t)at; }

static void assert_broken(void (*check)(void), const char *why)
{
    const char *message = checked(check);
    if (!strstr(message, why)) fail_msg("\"%s\" is not in \"%s\"", why, message);
}

static void assert_right(void (*check)(void)) { assert_string_equal(checked(check), ""); }

static void prepare(void) { begin(4); }

/* ---- blocks ---- */

static void edges(void **state)
{
    (void)state;
    assert_right(check_stage);
    f->mblocks[1].succ[0] = 4;
    assert_broken(check_stage, "an edge to no block");
    f->mblocks[1].succ[0] = 2;
    f->mblocks[1].term = TERM_RETURN;
    assert_broken(check_stage, "returns elsewhere");
}

static void branches(void **state)
{
    (void)state;
    part_from(0, 1, 2, 2);
    assert_right(check_stage);
    f->mblocks[0].op = OP_BNE;
    assert_broken(check_stage, "a branch of the wrong kind");
    f->mblocks[0].op = OP_VBNE;
    f->mblocks[2].join = false;
    assert_broken(check_stage, "a block that is no join");
}

static void meetings(void **state)
{
    (void)state;
    part_from(0, 1, 2, 3);
    assert_broken(check_stage, "do not meet where they could");
    f->mblocks[0].rpc = 2;
    f->mblocks[2].join = true;
    assert_broken(check_stage, "a join of no branch");
}

/* ---- operands and definitions ---- */

static void classes(void **state)
{
    (void)state;
    int32_t s = number(), v = numbers();
    emit(f, OP_VADD_VX, new_vector(), s, v, 0);
    assert_right(check_stage);
    emit(f, OP_VADD_VX, new_vector(), v, v, 0);
    assert_broken(check_stage, "a register of the wrong class");
    f->mblocks[0].code[3].rs1 = NOREG;
    assert_broken(check_stage, "an operand without a register");
}

static void definitions(void **state)
{
    (void)state;
    part_from(0, 1, 2, 2);
    f->cur = 1;
    int32_t v = numbers();
    f->cur = 2;
    emit(f, OP_VADD_VI, new_vector(), 0, v, 1);
    assert_broken(check_stage, "reads a register that nothing has written");
    f->vregs[v].undefined = true;
    assert_right(check_stage);
}

/* ---- places ---- */

static void clobbered(void **state)
{
    (void)state;
    int32_t a = number(), b = number();
    use(a);
    use(b);
    place(a, 6);
    place(b, 7);
    assert_right(check_places);
    place(b, 6);
    assert_broken(check_places, "the place has something else than register");
    place(b, -1);
    assert_broken(check_places, "no place for register");
    place(b, 7);
    f->reserved.x = 1u << 7;
    assert_broken(check_places, "a place that is reserved");
    f->reserved.x = 0;
    place(b, 40);
    f->vregs[b].direct = true;
    assert_broken(check_places, "behind a prefix");
}

/* A copy within one place leaves both names right, until one of the registers changes. */
static void merged(void **state)
{
    (void)state;
    int32_t a = number(), b = new_scalar();
    emit(f, OP_ADDI, b, a, 0, 0);
    use(a);
    use(b);
    place(a, 6);
    place(b, 6);
    assert_right(check_places);
    emit(f, OP_ADDI, b, b, 0, 1);
    use(b);
    assert_right(check_places);
    use(a);
    assert_broken(check_places, "the place has something else than register");
}

/* One side of a branch writes the place of what the other reads: right for vectors, not for scalars. */
static void waiting(void **state)
{
    (void)state;
    int32_t s = number(), v = numbers();
    part_from(0, 1, 2, 3);
    place(f->mblocks[0].rs1, 9);
    f->mblocks[1].succ[0] = 3;
    f->cur = 1;
    int32_t other_s = number(), other_v = numbers();
    f->cur = 2;
    use(s);
    emit(f, OP_VSW_V, 0, v, v, 0);
    place(v, 8);
    place(other_v, 8);
    place(s, 6);
    place(other_s, 7);
    assert_right(check_places);
    place(other_s, 6);
    f->mblocks[1].code[0].imm = 8;
    assert_broken(check_places, "the place has something else than register");
    f->mblocks[1].code[0].imm = 7; /* what is there already */
    assert_right(check_places);
    f->cur = 1;
    emit(f, OP_ADDI, other_s, other_s, 0, 0);
    assert_broken(check_places, "the place has something else than register");
}

/* One side makes two constants in turn in the place, the second one the constant it holds. */
static void waiting_for_a_constant(void **state)
{
    (void)state;
    int32_t s = new_scalar(), other = new_scalar(), again = new_scalar(), base = new_scalar();
    emit(f, OP_LUI, base, 0, 0, 0x5000);
    emit(f, OP_ADDI, s, base, 0, 3);
    part_from(0, 1, 2, 3);
    place(f->mblocks[0].rs1, 9);
    f->mblocks[1].succ[0] = 3;
    f->cur = 1;
    emit(f, OP_LUI, again, 0, 0, 0x5000);
    emit(f, OP_ADDI, again, again, 0, 3);
    f->cur = 2;
    use(s);
    place(base, 6);
    place(s, 7);
    place(again, 8);
    assert_right(check_places);
    place(again, 7); /* 0x5000 at first, and of two definitions nothing is known */
    assert_broken(check_places, "the place has something else than register");
    f->mblocks[1].code[0].rd = other;
    f->mblocks[1].code[1].rs1 = other;
    place(other, 7);
    assert_broken(check_places, "the place has something else than register");
    place(other, 6);
    assert_right(check_places);
}

/* rpc has to be set for each join, also when one side of a branch has set it to another one. */
static void reconvergence(void **state)
{
    (void)state;
    begin(6);
    part_from(0, 1, 3, 4);
    part_from(1, 2, 4, 4);
    part_from(3, 3, 4, 4);
    for (int i = 0; i < 4; i++) place(f->mblocks[i].rs1, 9);
    f->mblocks[2].succ[0] = 4;
    f->mblocks[1].sets_rpc = f->mblocks[3].sets_rpc = false;
    assert_right(check_places);
    f->mblocks[2].sets_rpc = true;
    f->mblocks[2].rpc = 5;
    assert_broken(check_places, "rpc is not block 4");
    f->mblocks[3].sets_rpc = true;
    assert_right(check_places);
    f->mblocks[0].sets_rpc = false;
    assert_broken(check_places, "rpc is not block 4");
}

/* Lanes that leave the inner loop, 2 and 3, set rpc for a join of the outer one, 1 to 6, while others go on in it: so
 * the inner loop has to set it in each round. */
static void loop_in_loop(void **state)
{
    (void)state;
    begin(8);
    part_from(2, 4, 3, 7);
    branch(3, 2, 7);
    part_from(4, 5, 6, 6);
    branch(6, 1, 7);
    place(f->mblocks[2].rs1, 9);
    place(f->mblocks[4].rs1, 9);
    liveness_run(f);
    reconverge_run(f);
    assert_true(f->mblocks[2].sets_rpc);
    assert_right(check_places);
}

/* ---- words ---- */

static void words(void **state)
{
    (void)state;
    uint32_t code[4];
    const char *why;
    const struct insn list[] = {{.op = OP_AUIPC, .rd = REG_BASE},
                                {.op = OP_SETRPC, .rs1 = REG_BASE, .imm = 12},
                                {.op = OP_VBEQ, .imm = 4},
                                {.op = OP_JOIN}};
    for (int i = 0; i < 4; i++) assert_int_equal(isa_encode(&list[i], &code[i], &why), 1);
    kernel.code = (struct code){.words = code, .nwords = 4};
    assert_right(check_words);
    code[3] = code[0];
    assert_broken(check_words, "where no join is");
    kernel.code.nwords = 3;
    assert_broken(check_words, "a way to no instruction");
    code[0] = 0;
    assert_broken(check_words, "no instruction of the machine");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(edges),         TEST(branches),     TEST(meetings),
        TEST(classes),       TEST(definitions),  TEST(clobbered),
        TEST(merged),        TEST(waiting),      TEST(waiting_for_a_constant),
        TEST(reconvergence), TEST(loop_in_loop), TEST(words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
