/* Which registers an instruction reads and writes, exactly: one too many is not seen when instructions are executed
 * (tests/sim/effects_test.c finds those that are missing). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "effects.h"

#define X(n) (1ull << (n))
#define V(n) (1ull << (n)) /* of v0 to v63 */
#define NO   0

// clang-format off
static const struct {
    const char *what;
    struct insn in; /* `vm` here means masked */
    uint64_t x_read, x_written, v_read, v_written;
} rows[] = {
    {"two sources", {.op = OP_ADD, .rd = 5, .rs1 = 6, .rs2 = 63}, X(6) | X(63), X(5), NO, NO},
    {"x0 is constant", {.op = OP_ADD}, NO, NO, NO, NO},
    {"a load", {.op = OP_LW, .rd = 5, .rs1 = 6}, X(6), X(5), NO, NO},
    {"three words", {.op = OP_LW, .rd = 5, .rs1 = 9, .width = 2}, X(9), X(5) | X(6) | X(7), NO, NO},
    {"words to x0 and behind", {.op = OP_LW, .rd = 0, .rs1 = 9, .width = 2}, X(9), X(1) | X(2), NO, NO},
    {"two words by an even number", {.op = OP_LW, .rd = 6, .rs1 = 9, .prefix = OP_REGPAIR}, X(9), X(6) | X(7), NO, NO},
    {"none to x0", {.op = OP_LW, .rd = 0, .rs1 = 8, .prefix = OP_REGPAIR}, X(8) | X(9), NO, NO, NO},
    {"words behind x63", {.op = OP_LW, .rd = 62, .rs1 = 9, .width = 3}, X(9), X(62) | X(63), NO, NO},
    {"a store of words", {.op = OP_SW, .rs1 = 9, .rs2 = 20, .width = 1}, X(9) | X(20) | X(21), NO, NO, NO},
    {"pairs", {.op = OP_ADD, .rd = 10, .rs1 = 12, .rs2 = 0, .pair = 1}, X(12) | X(13), X(10) | X(11), NO, NO},
    {"vectors", {.op = OP_VADD_VV, .rd = 1, .rs1 = 2, .rs2 = 3}, NO, NO, V(2) | V(3), V(1)},
    {"a mask", {.op = OP_VADD_VV, .rd = 1, .rs1 = 2, .rs2 = 3, .vm = 1}, NO, NO, V(0) | V(2) | V(3), V(1)},
    {"a scalar", {.op = OP_VADD_VX, .rd = 0, .rs1 = 2, .rs2 = 3}, X(2), NO, V(3), V(0)},
    {"rd is read", {.op = OP_VMACC_VV, .rd = 1, .rs1 = 2, .rs2 = 3}, NO, NO, V(1) | V(2) | V(3), V(1)},
    {"pairs of vectors", {.op = OP_VADD_VV, .rd = 8, .rs1 = 10, .rs2 = 40, .pair = 1}, NO, NO,
     V(10) | V(11) | V(40) | V(41), V(8) | V(9)},
    {"words of lanes", {.op = OP_VLW12_V, .rd = 4, .rs1 = 1, .width = 3}, NO, NO, V(1), V(4) | V(5) | V(6) | V(7)},
    {"a result for the warp", {.op = OP_VMV_X_S, .rd = 7, .rs2 = 3}, NO, X(7), V(3), NO},
    {"a branch of lanes", {.op = OP_VBEQ, .rs1 = 1, .rs2 = 2}, NO, NO, V(1) | V(2), NO},
    {"a CSR", {.op = OP_CSRRW, .rd = 7, .rs1 = 8, .aux = 0x800}, X(8), X(7), NO, NO},
    {"nothing", {.op = OP_INVALID}, NO, NO, NO, NO},
};
// clang-format on

static void expect(const char *what, const char *does, const struct isa_registers *set, uint64_t x, uint64_t v)
{
    if (set->x != x || set->v[0] != v || set->v[1] || set->v[2] || set->v[3])
        fail_msg("%s: %s x %#llx, v %#llx", what, does, (unsigned long long)set->x, (unsigned long long)set->v[0]);
}

static void test_sets(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct insn in = rows[i].in;
        in.vm = !in.vm;
        struct isa_effects e = isa_effects(&in, ISA_LANES);
        struct isa_registers reads = isa_registers_read(&in, &e), writes = isa_registers_written(&in, &e);
        expect(rows[i].what, "reads", &reads, rows[i].x_read, rows[i].v_read);
        expect(rows[i].what, "writes", &writes, rows[i].x_written, rows[i].v_written);
    }
}

/* Of 256 vector registers, in each word of the set. */
static void test_high_vectors(void **state)
{
    (void)state;
    struct insn in = {.op = OP_VADD_VV, .rd = 64, .rs1 = 127, .rs2 = 128, .vm = 1, .pair = 1};
    struct isa_effects e = isa_effects(&in, ISA_LANES);
    struct isa_registers reads = isa_registers_read(&in, &e), writes = isa_registers_written(&in, &e);
    assert_true(!reads.v[0] && reads.v[1] == V(63) && reads.v[2] == 7 >> 1 && !reads.v[3]);
    assert_true(!writes.v[0] && writes.v[1] == 3 && !writes.v[2] && !writes.v[3]);
    in = (struct insn){.op = OP_VLW12_V, .rd = 254, .rs1 = 192, .vm = 1, .width = 3};
    e = isa_effects(&in, ISA_LANES);
    assert_int_equal(isa_registers_written(&in, &e).v[3], 3ull << 62);
    assert_int_equal(isa_registers_read(&in, &e).v[3], 1);
    assert_int_equal(e.v, 258);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sets), cmocka_unit_test(test_high_vectors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
