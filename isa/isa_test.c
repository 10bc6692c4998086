/* The tables agree with themselves: no overlaps, letters in place, decode and encode are inverse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa.h"

static uint64_t rng_state = 88172645463325252ull;

static uint32_t rng(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return (uint32_t)(rng_state >> 16);
}

static void test_tables(void **state)
{
    (void)state;
    const char *why = isa_check();
    if (why) fail_msg("%s", why);
}

/* Every operation: random operand bits decode to it and encode back to the same word. */
static void test_each_row(void **state)
{
    (void)state;
    for (unsigned op = 1; op < OP_COUNT; op++)
        for (int i = 0; i < 200; i++) {
            uint32_t ignored = 0, word, words[2];
            for (unsigned b = 0; b < 32; b++)
                if (isa_table[op].pattern[31 - b] == '_') ignored |= 1u << b;
            word = ((rng() & ~isa_mask(op)) | isa_match(op)) & ~ignored;
            struct insn in;
            assert_true(isa_decode_word(word, &in));
            assert_int_equal(in.op, op);
            assert_int_equal(isa_encode(&in, words, NULL), 1);
            assert_int_equal(words[0], word);
        }
}

static void test_random_words(void **state)
{
    (void)state;
    for (int i = 0; i < 1000000; i++) {
        uint32_t w[2] = {rng(), rng()}, out[2];
        struct insn in, again;
        if (i % 4 == 0) w[0] = (w[0] & 0xfff00000) | (i % 8 ? 0x200b : 0x300b);
        if (!isa_decode(w, 2, &in)) {
            assert_int_equal(in.op, OP_INVALID);
            continue;
        }
        unsigned n = isa_encode(&in, out, NULL);
        assert_true(n >= 1);
        assert_true(isa_decode(out, n, &again));
        again.size = in.size; /* a prefix that changed nothing is not repeated */
        assert_memory_equal(&in, &again, sizeof in);
    }
}

static void check(uint32_t a, uint32_t b, size_t n, uint32_t pc, const char *text)
{
    uint32_t w[2] = {a, b};
    struct insn in;
    char buf[96];
    assert_true(isa_decode(w, n, &in));
    isa_print(&in, pc, 0, buf, sizeof buf);
    assert_string_equal(buf, text);
}

/* Words of compiled programs, prefixes included (ISA notes 3). */
static void test_known_words(void **state)
{
    (void)state;
    check(0x00004197, 0, 1, 0x80000000, "auipc\tgp, 0x4");
    check(0x0182a283, 0, 1, 0, "lw\tt0, 24(t0)");
    check(0x5e024057, 0, 1, 0, "vmv.v.x\tv0, tp");
    check(0x0010200b, 0x5e024057, 2, 0, "vmv.v.x\tv32, tp");
    check(0x0000205b, 0, 1, 0, "join");
    check(0x0000400b, 0, 1, 0, "endprg");
    check(0x0400c00b, 0, 1, 0, "barrier\t1");
    check(0x0000300b, 0x2c0fb057, 2, 0, "vxor.vi\tv0, v0, 31, v0.t");  /* regexti 0: -1 becomes 31 */
    check(0xfc00300b, 0x2e0fb057, 2, 0, "vxor.vi\tv0, v0, -1");
}

static void test_illegal(void **state)
{
    (void)state;
    struct insn in;
    uint32_t zero[2] = {0, 0}, ones[2] = {~0u, ~0u};
    uint32_t high_x[2] = {0x0020200b, 0x00000013}; /* x64 does not exist */
    uint32_t lone[1] = {0x0010200b};
    assert_false(isa_decode(zero, 2, &in));
    assert_false(isa_decode(ones, 2, &in));
    assert_false(isa_decode(high_x, 2, &in));
    assert_false(isa_decode(lone, 1, &in));
}

static void test_encode_refuses(void **state)
{
    (void)state;
    uint32_t w[2];
    const char *why = NULL;
    struct insn addi = {.op = OP_ADDI, .imm = 2048, .vm = 1};
    assert_int_equal(isa_encode(&addi, w, &why), 0);
    assert_string_equal(why, "simm12");
    struct insn far = {.op = OP_VBEQ, .imm = 4096, .vm = 1};
    assert_int_equal(isa_encode(&far, w, &why), 0);
    struct insn long_imm = {.op = OP_VAND_VI, .imm = 63, .rs2 = 40, .rd = 7, .vm = 1}, back;
    assert_int_equal(isa_encode(&long_imm, w, &why), 2);
    assert_true(isa_decode(w, 2, &back));
    assert_int_equal(back.imm, 63);
    assert_int_equal(back.rs2, 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),       cmocka_unit_test(test_each_row),
        cmocka_unit_test(test_random_words), cmocka_unit_test(test_known_words),
        cmocka_unit_test(test_illegal),      cmocka_unit_test(test_encode_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
