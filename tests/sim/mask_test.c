/* v0 as a mask, and the operands of vector branches, where the documents and the public tools differ: in the documents
 * what a compare writes into each lane is a mask, and the first operand of a branch is vs1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "guest.h"

static const enum isa_profile profiles[] = {PROFILE_DEFAULT, PROFILE_TOOLCHAIN, PROFILE_R20, PROFILE_R21,
                                            PROFILE_R2025};
enum { PROFILES = 5 };

static void run(struct guest *g, enum isa_profile profile, const char *text)
{
    struct gpu_config config;
    gpu_config_default(&config);
    config.profile = profile;
    guest_open_config(g, &config);
    guest_assemble(g, text);
    guest_run(g);
    assert_int_equal(g->result.status, LAUNCH_DONE);
}

/* Lanes 1, 5, 9 ... of v0 are 1; v0 of lane 0 is 0, which as a word of bits selects no lane. */
static void test_compare_is_mask(void **state)
{
    (void)state;
    for (int p = 0; p < PROFILES; p++) {
        bool document = isa_is_document(profiles[p]);
        struct guest g;
        run(&g, profiles[p],
            "lui t0, 0x90000\nli t1, 1\nli t2, 50\nvid.v v1\nvsll.vi v8, v1, 2\nvadd.vx v8, v8, t0\nvand.vi v2, v1, 3\n"
            "vmseq.vx v0, v2, t1\nvmv.v.i v3, 10\nvadd.vi v3, v3, 7, v0.t\nvmerge.vxm v4, v1, t2, v0\n"
            "vmv.v.i v5, 0\nvadd.vv v5, v1, v1, v0.t\nvsw12.v v3, 0(v8)\nvsw12.v v4, 128(v8)\nvsw12.v v5, 256(v8)\n"
            "addi t0, t0, 384\nvse32.v v1, (t0), v0.t\nendprg\n");
        for (unsigned lane = 0; lane < 32; lane++) {
            bool on = document && lane % 4 == 1;
            assert_int_equal(g.data[lane], on ? 17 : 10);
            assert_int_equal(g.data[32 + lane], on ? 50 : lane);
            assert_int_equal(g.data[64 + lane], on ? 2 * lane : 0);
            assert_int_equal(g.data[96 + lane], on ? lane : 0);
        }
        guest_close(&g);
    }
}

/* A number in lane 0 is the mask of the public tools; of the documents, bit 0 of each lane alone. */
static void test_number_is_mask(void **state)
{
    (void)state;
    for (int p = 0; p < PROFILES; p++) {
        struct guest g;
        run(&g, profiles[p],
            "lui t0, 0x90000\nlui t1, 0xf0f0f\naddi t1, t1, 6\nvid.v v1\nvsll.vi v8, v1, 2\nvadd.vx v8, v8, t0\n"
            "vmv.v.x v0, t1\nvmv.v.i v3, 1\nvadd.vi v3, v3, 1, v0.t\nvsw12.v v3, 0(v8)\nendprg\n");
        for (unsigned lane = 0; lane < 32; lane++)
            assert_int_equal(g.data[lane], !isa_is_document(profiles[p]) && 0xf0f0f006 >> lane & 1 ? 2 : 1);
        guest_close(&g);
    }
}

/* vblt A, B compares A with B everywhere; where they are in the word differs, high bits of a prefix included. */
static void test_branch_operands(void **state)
{
    (void)state;
    for (int p = 0; p < PROFILES; p++) {
        bool document = isa_is_document(profiles[p]);
        struct insn in = {.op = OP_VBLT, .vm = 1, .rs2 = 33, .rs1 = 66, .imm = 16}, again; /* vblt v33, v66 */
        uint32_t w[ISA_MAX_WORDS];
        struct guest g;
        assert_int_equal(isa_encode_in(profiles[p], &in, w, NULL), 2);
        assert_int_equal(w[1] >> 15 & 31, document ? 1 : 2);
        assert_int_equal(w[1] >> 20 & 31, document ? 2 : 1);
        assert_int_equal(w[0] >> 23 & 7, document ? 1 : 2); /* x1 */
        assert_int_equal(w[0] >> 26 & 7, document ? 2 : 1);
        assert_true(isa_decode_in(profiles[p], w, 2, &again));
        assert_int_equal(again.rs2, 33);
        assert_int_equal(again.rs1, 66);
        run(&g, profiles[p],
            "lui t0, 0x90000\nvid.v v1\nvsll.vi v8, v1, 2\nvadd.vx v8, v8, t0\nvmv.v.i v2, 5\nvmv.v.i v3, 0\n"
            "la t1, meet\nsetrpc zero, t1, 0\nvblt v1, v2, small\nvmv.v.i v3, 1\nj meet\nsmall: vmv.v.i v3, 2\n"
            "meet: join\nvsw12.v v3, 0(v8)\nendprg\n");
        for (unsigned lane = 0; lane < 32; lane++) assert_int_equal(g.data[lane], lane < 5 ? 2 : 1);
        guest_close(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_compare_is_mask), cmocka_unit_test(test_number_is_mask),
                                       cmocka_unit_test(test_branch_operands)};
    return guest_run_tests(tests) + guest_run_tests_native(tests);
}
