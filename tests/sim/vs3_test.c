/* The third source of vector multiply-adds behind a prefix: in the documents' instruction sets a register of its own,
 * whose high bits are x3, in those of the public tools the destination's old value.
 *
 * An instruction with vs3 elsewhere must give what the same one gives in place, in a register that has vs3's words;
 * lanes that the mask leaves out must keep what the destination has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "isa/effects.h"
#include "guest.h"

enum { VD = 4, VS3 = 36, OUT = 512 /* words of the data page */, PLACE = 8 };

static void words(char **text, enum isa_profile profile, const struct insn *in)
{
    uint32_t w[ISA_MAX_WORDS];
    const char *why = "";
    unsigned n = isa_encode_in(profile, in, w, &why);
    if (!n) fail_msg("%s: %s", isa_table[in->op].name, why);
    for (unsigned i = 0; i < n; i++) *text += sprintf(*text, ".word 0x%08x\n", (unsigned)w[i]);
}

/* v0 (the mask) and the pairs from v2 (vs1), v4 (vd), v6 (vs2) and v36 (vs3) are loaded; v8 is a copy of vs3; the
 * instruction runs on vd and vs3, and in place on v8; both are stored. */
static void run(struct guest *g, enum isa_profile profile, const struct insn *apart)
{
    static const int loaded[] = {0, 2, 3, VD, VD + 1, 6, 7, VS3, VS3 + 1};
    static char text[4096];
    char *p = text;
    struct insn in_place = *apart;
    in_place.rd = PLACE, in_place.apart = in_place.rs3 = 0, in_place.vm = 1;
    p += sprintf(p,
                 "lui t0, 0x90000\nlw t1, 2044(t0)\nmv t2, t1\nvid.v v10\nvsll.vi v10, v10, 2\nvadd.vx v10, v10, t0\n");
    for (int i = 0; i < 9; i++) p += sprintf(p, "vlw12.v v%d, %d(v10)\n", loaded[i], i * 128);
    p += sprintf(p, "vmv.v.v v8, v36\nvmv.v.v v9, v37\nli t3, 2047\nvadd.vx v10, v10, t3\n");
    words(&p, profile, apart);
    words(&p, profile, &in_place);
    p += sprintf(p, "vsw12.v v4, 1(v10)\nvsw12.v v5, 129(v10)\nvsw12.v v8, 257(v10)\nvsw12.v v9, 385(v10)\nendprg\n");
    for (unsigned i = 0; i < OUT; i++)
        g->data[i] = guest_random() % 4 ? 0x3f000000 + guest_random() % (1 << 25) : guest_random();
    guest_assemble(g, text);
    guest_run(g);
    if (g->result.status != LAUNCH_DONE) fail_msg("%s: %s", isa_table[in_place.op].name, g->result.fault.detail);
}

static void check(const struct guest *g, const struct insn *in, uint32_t mask)
{
    const uint32_t *before = g->data + 3 * 32, *out = g->data + OUT;
    for (unsigned i = 0; i < 64; i++) {
        uint32_t want = mask >> i % 32 & 1 ? out[64 + i] : before[i];
        if (out[i] != want)
            fail_msg("%s: word %u is %08x, not %08x", isa_table[in->op].name, i, (unsigned)out[i], (unsigned)want);
    }
}

/* Of v0: a bit of each lane. */
static uint32_t mask(const uint32_t *v0)
{
    uint32_t bits = 0;
    for (unsigned lane = 0; lane < 32; lane++) bits |= (v0[lane] & 1) << lane;
    return bits;
}

/* One row behind one prefix; `pairs`: every word of a pair is written. */
static void try_row(struct guest *g, enum isa_profile profile, unsigned op, unsigned prefix, bool pair)
{
    bool pairs = pair || isa_table[op].flags & ISA_PAIR_D,
         scalar = isa_effects(&(struct insn){.op = (uint16_t)op}, 32).scalars;
    for (unsigned vm = 0; vm < 2; vm++) {
        struct insn in = {.op = (uint16_t)op, .prefix = (uint16_t)prefix, .pair = pair, .vm = (uint8_t)vm, .apart = 1};
        in.rd = VD, in.rs3 = VS3, in.rs1 = scalar ? 6 : 2, in.rs2 = 6; /* x6 is t1, and x7 t2 */
        run(g, profile, &in);
        if (!pairs) memcpy(g->data + OUT + 96, g->data + 4 * 32, 128); /* not written: v9 for v5 */
        check(g, &in, vm ? ~0u : mask(g->data));
    }
}

static void test_apart(void **state)
{
    (void)state;
    static const enum isa_profile profiles[] = {PROFILE_R20, PROFILE_R21, PROFILE_R2025};
    static const int rows[] = {24, 31, 31};
    for (int p = 0; p < 3; p++) {
        enum isa_profile profile = profiles[p];
        struct gpu_config config;
        struct guest g;
        int count = 0;
        gpu_config_default(&config);
        config.profile = profile;
        guest_open_config(&g, &config);
        for (unsigned op = 1; op < OP_COUNT; op++) {
            if (!(isa_table[op].revisions & profile) || !isa_has_vs3((enum isa_op)op)) continue;
            try_row(&g, profile, op, OP_REGEXT, false);
            if (profile != PROFILE_R20) try_row(&g, profile, op, OP_PREFIX, false);
            if (profile != PROFILE_R20 && !(isa_table[op].flags & ISA_PAIR)) try_row(&g, profile, op, OP_PREFIX, true);
            count++;
        }
        assert_int_equal(count, rows[p]);
        guest_close(&g);
    }
}

/* The words themselves: x3 is in bits 31 to 29 of the prefix. */
static void test_words(void **state)
{
    (void)state;
    static const uint32_t pair[2] = {0x2000200b, 0xb620a1d7}; /* regext 0x200; vmacc.vv v3, v1, v2 */
    struct insn in;
    uint32_t again[ISA_MAX_WORDS];
    char text[80];
    assert_true(isa_decode_in(PROFILE_R2025, pair, 2, &in));
    assert_int_equal(in.op, OP_VMACC_VV);
    assert_int_equal(isa_vs3(&in), 35);
    assert_int_equal(in.rd, 3);
    isa_print(&in, 0, 0, text, sizeof text);
    assert_string_equal(text, "vmacc.vv\tv3, v1, v2 {vs3=35}");
    assert_int_equal(isa_encode_in(PROFILE_R2025, &in, again, NULL), 2);
    assert_memory_equal(again, pair, sizeof pair);
    assert_int_equal(isa_effects(&in, 32).v, 36);
    assert_int_equal(isa_encode_in(PROFILE_TOOLCHAIN, &in, again, NULL), 0);
    in.rs3 = 36; /* the low bits are those of vd */
    assert_int_equal(isa_encode_in(PROFILE_R2025, &in, again, NULL), 0);
    assert_true(isa_decode_in(PROFILE_TOOLCHAIN, pair, 2, &in));
    assert_int_equal(isa_vs3(&in), 3);
    in = (struct insn){.op = OP_VMACC_VV, .vm = 1, .rd = 35, .rs1 = 1, .rs2 = 2}; /* in place */
    assert_int_equal(isa_encode_in(PROFILE_R2025, &in, again, NULL), 2);
    assert_int_equal(again[0], 0x2010200b);
    assert_int_equal(isa_encode_in(PROFILE_TOOLCHAIN, &in, again, NULL), 2);
    assert_int_equal(again[0], 0x0010200b);
}

/* The same words on either kind of machine. */
static void test_machines(void **state)
{
    (void)state;
    static const enum isa_profile profiles[] = {PROFILE_DEFAULT, PROFILE_TOOLCHAIN, PROFILE_R20, PROFILE_R21,
                                                PROFILE_R2025};
    for (int p = 0; p < 5; p++) {
        struct gpu_config config;
        struct guest g;
        gpu_config_default(&config);
        config.profile = profiles[p];
        guest_open_config(&g, &config);
        guest_assemble(&g, "lui t0, 0x90000\nli t1, 100\nvmv.v.i v1, 2\nvmv.v.i v2, 3\nvmv.v.i v3, 4\nvmv.v.x v35, t1\n"
                           "regext 0x200\nvmacc.vv v3, v1, v2\nvid.v v4\nvsll.vi v4, v4, 2\nvadd.vx v4, v4, t0\n"
                           "vsw12.v v3, 0(v4)\nendprg\n");
        guest_run(&g);
        assert_int_equal(g.result.status, LAUNCH_DONE);
        for (int lane = 0; lane < 32; lane++) assert_int_equal(g.data[lane], p < 2 ? 10 : 106);
        guest_close(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_words), cmocka_unit_test(test_machines),
                                       cmocka_unit_test(test_apart)};
    const struct CMUnitTest few[] = {cmocka_unit_test(test_machines)};
    return guest_run_tests(tests) + guest_run_tests_native(few);
}
