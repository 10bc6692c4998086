/* The tables agree with themselves: no overlaps, letters in place, decode and encode are inverse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa.h"
#include "tests/rng.h"

static void test_tables(void **state)
{
    (void)state;
    const char *why = isa_check();
    if (why) fail_msg("%s", why);
}

/* A row that cannot be right is refused, with the reason. */
static void test_wrong_rows(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *operands, *why;
    } rows[] = {
        {"111111mTTTTTSSSSS000DDDDD1010111", "D,T,S,m", NULL},
        {"0101110TTTTTSSSSS000DDDDD1010111", "D,T,S,v0", NULL},
        {"00001altttttsssss010ddddd0101111", "d,t,(s)", NULL},
        {"111111mTTTTTSSSSS000DDDDD1010111", "D,Q,S,m", "letter T is in the pattern, but not among the operands"},
        {"111111m00000SSSSS000DDDDD1010111", "D,Q,S,m", "letter Q is among the operands, but not in the pattern"},
        {"111111m00000SSSSS000DDDDD1010111", "D,S,m{C}", "letter C is among the operands, but not in the pattern"},
        {"1111110TTTTTSSSSS000DDDDD1010111", "D,T,S,m", "letter m is among the operands, but not in the pattern"},
        {"111111mTTTTSSSSSS000DDDDD1010111", "D,T,S,m", "letter T is out of place"},
        {"111111mTTTTTSSSSSeeeDDDDD1010111", "D,T,S,m", "letter e is undefined"},
        {"111111mTTTTTSSSSS000DDDDD101011", "D,T,S,m", "the pattern has 31 bits"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *why = isa_check_row(&(struct isa_desc){"x", rows[i].pattern, rows[i].operands});
        if (!rows[i].why) assert_null(why);
        else if (!why || strcmp(why + strlen("x: "), rows[i].why)) fail_msg("row %zu: %s", i, why ? why : "taken");
    }
}

/* A profile in which operation `op` is active. */
static enum isa_profile profile_of(unsigned op)
{
    static const enum isa_profile all[] = {PROFILE_DEFAULT, PROFILE_R20, PROFILE_R21, PROFILE_R2025};
    for (unsigned i = 0; i < 4; i++)
        if (isa_table[op].revisions & all[i]) return all[i];
    return PROFILE_TOOLCHAIN;
}

/* Every operation: random operand bits decode to it and encode back to the same word. */
static void test_each_row(void **state)
{
    (void)state;
    for (unsigned op = 1; op < OP_COUNT; op++)
        for (int i = 0; i < 200; i++) {
            unsigned bits = isa_bits(op);
            uint64_t ignored = 0, word = rng() | (uint64_t)rng() << 32;
            for (unsigned b = 0; b < bits; b++)
                if (isa_table[op].pattern[bits - 1 - b] == '_') ignored |= 1ull << b;
            word = ((word & ~isa_mask(op)) | isa_match(op)) & ~ignored;
            uint32_t in_words[2] = {(uint32_t)word, (uint32_t)(word >> 32)}, out[ISA_MAX_WORDS] = {0};
            struct insn in;
            if (!isa_decode_raw(profile_of(op), in_words, bits / 32, &in)) {
                assert_int_equal(bits, 64); /* an eight-bit field can name a scalar register above 63 */
                continue;
            }
            assert_int_equal(in.op, op);
            if (isa_encode(&in, out, NULL) != bits / 32) fail_msg("%s does not encode", isa_table[op].name);
            assert_memory_equal(out, in_words, bits / 8);
        }
}

/* In every profile, whatever decodes encodes to words that decode to the same again. */
static void test_random_words(void **state)
{
    (void)state;
    static const enum isa_profile all[] = {PROFILE_DEFAULT, PROFILE_TOOLCHAIN, PROFILE_R20, PROFILE_R21, PROFILE_R2025};
    static const uint16_t prefixes[] = {0x200b, 0x300b, 0x500b, 0x700b, 0x002, 0x00a,
                                        0x012,  0x006,  0x00e,  0x036,  0x05e, 0x0ee};
    for (int i = 0; i < 1500000; i++) {
        uint32_t w[3] = {rng(), rng(), rng()}, out[ISA_MAX_WORDS];
        struct insn in, again;
        enum isa_profile profile = all[i % 5];
        if (i % 2) w[0] = (w[0] & 0xfffff000) | prefixes[rng() % 12];
        if (i % 7 == 0) w[i % 2] = (w[i % 2] & ~127u) | 0x3f;
        if (!isa_decode_in(profile, w, 3, &in)) {
            assert_int_equal(in.op, OP_INVALID);
            continue;
        }
        unsigned n = isa_encode_in(profile, &in, out, NULL);
        assert_int_equal(n * 4, in.size);
        assert_true(isa_decode_in(profile, out, n, &again));
        assert_memory_equal(&in, &again, sizeof in);
    }
}

/* Every row of the table is there, and profiles select among equal mnemonics. */
static void test_profiles(void **state)
{
    (void)state;
    enum isa_profile p;
    assert_true(isa_profile_find("r2025", &p) && p == PROFILE_R2025);
    assert_false(isa_profile_find("r9", &p));
    assert_int_equal(isa_find_in(PROFILE_R21, "prefixi"), OP_PREFIXI_R2_1);
    assert_int_equal(isa_find_in(PROFILE_R2025, "prefixi"), OP_PREFIXI_R2025);
    assert_int_equal(isa_find("amoadd.w"), OP_AMOADD_W);
    assert_int_equal(isa_find_in(PROFILE_R20, "amoadd.w"), OP_AMOADD_W_SCALAR);
    assert_int_equal(isa_find("vlw12d.v"), OP_INVALID);
    assert_true(isa_profile_known(PROFILE_DEFAULT) && !isa_profile_known(0) && !isa_profile_known(ISA_EXTRA));
    assert_true(isa_profile_runs(PROFILE_DEFAULT, PROFILE_TOOLCHAIN) && isa_profile_runs(PROFILE_R20, 0));
    assert_false(isa_profile_runs(PROFILE_TOOLCHAIN, PROFILE_DEFAULT) || isa_profile_runs(PROFILE_R21, PROFILE_R20));
    assert_true(isa_profile_join(PROFILE_TOOLCHAIN, PROFILE_DEFAULT, &p) && p == PROFILE_DEFAULT);
    assert_true(isa_profile_join(0, PROFILE_R20, &p) && p == PROFILE_R20);
    assert_false(isa_profile_join(PROFILE_R20, PROFILE_R21, &p));
    struct insn in;
    uint32_t load = 0x0000202b; /* opcode 0x2b: private in r2.0 and the tool chain, 64-bit address later */
    assert_true(isa_decode_raw(PROFILE_DEFAULT, &load, 1, &in) && in.op == OP_VLW_V);
    assert_true(isa_decode_raw(PROFILE_R2025, &load, 1, &in) && in.op == OP_VLW12D_V);
}

/* Memory prefixes: width and space; void before anything else; odd pairs are refused. */
static void test_prefixes(void **state)
{
    (void)state;
    struct insn in;
    uint32_t wide_load[2] = {0x0010003e, 0x0000207b}; /* pre_m_global_128 with xd = 1; vlw12.v v0, 0(v0) */
    assert_true(isa_decode_in(PROFILE_R21, wide_load, 2, &in));
    assert_int_equal(in.rd, 32);
    assert_int_equal(in.space, 1);
    assert_int_equal(in.width, 3);
    uint32_t void_prefix[2] = {0x0010003e, 0x02000057};
    assert_true(isa_decode_in(PROFILE_R21, void_prefix, 2, &in));
    assert_int_equal(in.rd, 0);
    uint32_t odd[2] = {0x00080002, 0x020000d7}; /* prefix pair; vadd.vv v1, v0, v0 */
    assert_false(isa_decode_in(PROFILE_R2025, odd, 2, &in));
    uint32_t modified[2] = {0x0008a002, 0x02000057}; /* pair, neg of source 1 and 3 ... */
    assert_true(isa_decode_in(PROFILE_R2025, modified, 2, &in));
    assert_int_equal(in.pair, 1);
    assert_int_equal(in.neg, 5);
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
    check(0x0000300b, 0x2c0fb057, 2, 0, "vxor.vi\tv0, v0, 31, v0.t"); /* regexti 0: -1 becomes 31 */
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

/* A five-bit immediate behind a prefix with six more bits, of all instructions that have one; the public tools extend
 * signed ones alone. */
static void test_long_immediates(void **state)
{
    (void)state;
    // clang-format off
    static const struct { enum isa_profile profile; uint32_t words[2]; int32_t imm; const char *text; } cases[] = {
        {PROFILE_TOOLCHAIN, {0x0400300b, 0x0203b157}, 39, "vadd.vi\tv2, v0, 39"},
        {PROFILE_R20, {0x0400300b, 0x0203b157}, 39, "vadd.vi\tv2, v0, 39"},
        {PROFILE_R2025, {0xfc00300b, 0x0203b157}, -25, "vadd.vi\tv2, v0, -25"},
        {PROFILE_TOOLCHAIN, {0x0400300b, 0x9603b157}, 7, NULL},
        {PROFILE_R20, {0x0400300b, 0x9603b157}, 39, NULL},
        {PROFILE_R21, {0x0408000a, 0x9603b157}, 39, "vsll.vi\tv2, v0, 39 {prefixi, pair}"},
        {PROFILE_R2025, {0xfc080012, 0x9603b157}, 2023, "vsll.vi\tv2, v0, 2023 {prefixi, pair}"},
        {PROFILE_R2025, {0x0400300b, 0xc103f2d7}, 39, NULL}, /* vsetivli */
    };
    // clang-format on
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct insn in;
        uint32_t again[ISA_MAX_WORDS];
        char text[80];
        assert_true(isa_decode_in(cases[i].profile, cases[i].words, 2, &in));
        assert_int_equal(in.imm, cases[i].imm);
        isa_print(&in, 0, 0, text, sizeof text);
        if (cases[i].text) assert_string_equal(text, cases[i].text);
        assert_int_equal(isa_encode_in(cases[i].profile, &in, again, NULL), 2);
        assert_memory_equal(again, cases[i].words, 8);
        if (in.op == OP_VADD_VI) continue;
        in.prefix = OP_INVALID, in.groups = 0, in.pair = 0; /* nobody asks for the prefix: 39 is a mistake */
        assert_int_equal(isa_encode_in(cases[i].profile, &in, again, NULL), in.imm < 32);
    }
}

/* Nothing beyond the room for a text is touched, and the text is ended there. */
static void test_short_room(void **state)
{
    (void)state;
    struct insn in = {.op = OP_VADD_VV, .rd = 1, .rs1 = 2, .rs2 = 3, .vm = 1};
    char whole[64];
    int n = isa_print(&in, 0, 0, whole, sizeof whole);
    assert_int_equal(n, strlen(whole));
    for (size_t size = 1; size <= (size_t)n + 1; size++) {
        char text[64];
        memset(text, '#', sizeof text);
        assert_int_equal(isa_print(&in, 0, 0, text, size), n);
        assert_memory_equal(text, whole, size - 1);
        assert_int_equal(text[size - 1], 0);
        assert_int_equal(text[size], '#');
    }
}

/* What is no instruction has no modifiers. */
static void test_no_modifiers(void **state)
{
    (void)state;
    struct isa_modifier m[ISA_MAX_MODIFIERS];
    assert_int_equal(isa_modifiers(&(struct insn){.op = OP_COUNT}, m), 0);
    assert_int_equal(isa_modifiers(&(struct insn){.op = OP_VADD_VV, .prefix = OP_COUNT}, m), 0);
}

static void test_encode_refuses(void **state)
{
    (void)state;
    uint32_t w[ISA_MAX_WORDS];
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

/* Notes are about instructions that exist. */
static void test_notes(void **state)
{
    (void)state;
    static const char *const names[] = {
#define NOTE(names, text) names,
#include "notes.def"
#undef NOTE
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char list[8192], *save = NULL;
        assert_true(strlen(names[i]) < sizeof list);
        strcpy(list, names[i]);
        for (char *n = strtok_r(list, " ", &save); n; n = strtok_r(NULL, " ", &save)) {
            unsigned op = 1;
            while (op < OP_COUNT && strcmp(isa_table[op].name, n)) op++;
            if (op == OP_COUNT) fail_msg("a note is about %s, which is no instruction", n);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),          cmocka_unit_test(test_wrong_rows),
        cmocka_unit_test(test_each_row),        cmocka_unit_test(test_random_words),
        cmocka_unit_test(test_known_words),     cmocka_unit_test(test_notes),
        cmocka_unit_test(test_profiles),        cmocka_unit_test(test_prefixes),
        cmocka_unit_test(test_illegal),         cmocka_unit_test(test_encode_refuses),
        cmocka_unit_test(test_long_immediates), cmocka_unit_test(test_short_room),
        cmocka_unit_test(test_no_modifiers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
