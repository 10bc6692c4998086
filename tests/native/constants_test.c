/* Loads from a program's constants, whose words are part of translations: they find what is there, in every lane and at
 * every alignment, they fail where `step` fails, and they find other words once the host has written these. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "native/native.h"
#include "pair.h"

enum { WORDS = ABI_PAGE / 4 };
static uint32_t constants[WORDS];

/* x20 is the data, x5 the constants, v1 their address in all lanes, v31 the address of each lane's word. */
#define BEGIN \
    " lui x20, 0x90000\n vid.v v30\n vsll.vi v31, v30, 2\n vadd.vx v31, v31, x20\n lui x5, 0x80020\n vmv.v.x v1, x5\n"

/* Stores v2. */
#define STORE(at) " vsw12.v v2, " at "(v31)\n"

static int fill(void **state)
{
    for (uint32_t i = 0; i < WORDS; i++) constants[i] = i * 0x9e3779b9u ^ 0x80f1c3a5u;
    constants[40] = 0x7f800001; /* a NaN that is not the canonical one */
    return pair_setup(state);
}

static struct result run(const char *text)
{
    return pair_run_levels(&(struct pair){.text = text, .constants = constants});
}

static void expect_same(const char *text) { assert_int_equal(run(text).status, LAUNCH_DONE); }

static void test_sizes(void **state)
{
    (void)state;
    for (unsigned odd = 0; odd < 4; odd++) {
        char text[2000];
        snprintf(
            text, sizeof text,
            BEGIN
            " addi x5, x5, %u\n vmv.v.x v1, x5\n lw x6, 8(x5)\n lh x7, 20(x5)\n lhu x8, 32(x5)\n"
            " lb x9, 44(x5)\n lbu x10, 57(x5)\n vlw12.v v2, 60(v1)\n" STORE("0") " vlh12.v v2, 70(v1)\n" STORE("128") " vlhu12.v v2, 80(v1)\n" STORE(
                "256") " vlb12.v v2, 90(v1)\n" STORE("384") " vlbu12.v v2, 101(v1)\n" STORE("512") " sw x6, "
                                                                                                   "1024(x20)\n sw x7, "
                                                                                                   "1028(x20)\n sw x8, "
                                                                                                   "1032(x20)\n sw x9, "
                                                                                                   "1036(x20)\n sw "
                                                                                                   "x10, 1040(x20)\n"
                                                                                                   " endprg\n",
            odd);
        expect_same(text);
    }
}

/* Each lane its own word, at addresses that are known. */
static void test_a_word_each(void **state)
{
    (void)state;
    expect_same(BEGIN " vsll.vi v2, v30, 2\n vadd.vx v2, v2, x5\n vlw12.v v2, 4(v2)\n" STORE("0") " endprg\n");
}

/* Where lanes diverge, and in floating-point rows. */
static void test_diverged(void **state)
{
    (void)state;
    expect_same(
        BEGIN " li x9, 11\n vmv.v.i v2, 5\n vid.v v9\n" PAIR_PART(" vlw12.v v2, 24(v1)\n vadd.vi v3, v2, 1\n",
                                                                  " vlw12.v v2, 28(v1)\n vadd.vi v3, v2, 2\n")
            STORE("128") " vmv.v.v v2, v3\n" STORE("256") " vlw12.v v4, 160(v1)\n vlw12.v v5, 164(v1)\n vfadd.vv v2, "
                                                          "v4, v5\n" STORE("384") " vmv.v.v v2, v4\n" STORE(
                                                              "512") " vfmul.vv v2, v4, v4\n" STORE("640") " endprg\n");
}

/* Addresses that are known on one way only, that two ways know to be different, and that a loop changes. */
static void test_ways(void **state)
{
    (void)state;
    expect_same(BEGIN
                " lw x6, 0(x20)\n andi x6, x6, 1\n li x8, 2\n"
                "again: beq x6, x0, 1f\n addi x7, x5, 4\n vmv.v.x v3, x7\n j 2f\n1: addi x7, x5, 12\n vmv.v.x v3, x7\n"
                "2: lw x9, 0(x7)\n vlw12.v v2, 4(v3)\n" STORE(
                    "0") " beq x9, x0, 3f\n addi x9, x9, 1\n"
                         "3: vlw12.v v2, 28(v3)\n" STORE(
                             "256") " sw x9, 1024(x20)\n addi x20, x20, 1024\n"
                                    " li x7, 1024\n vadd.vx v31, v31, x7\n xori x6, x6, 1\n addi x8, x8, -1\n"
                                    " bne x8, x0, again\n li x8, 5\n4: lw x9, 100(x5)\n vlw12.v v2, 104(v1)\n vadd.vx "
                                    "v2, v2, x9\n"
                                    " addi x5, x5, 4\n vadd.vi v1, v1, 4\n" STORE(
                                        "512") " vadd.vi v31, v31, 8\n addi x8, x8, -1\n"
                                               " bne x8, x0, 4b\n endprg\n");
    /* It takes two rounds to find that v3 changes. */
    expect_same(BEGIN " addi x7, x5, 4\n addi x8, x5, 12\n vmv.v.x v3, x7\n vmv.v.x v4, x7\n vmv.v.x v5, x8\n"
                      " li x8, 4\n lw x9, 0(x20)\n1: beq x9, x0, 2f\n sw x9, 2000(x20)\n2: vlw12.v v2, 0(v3)\n" STORE(
                          "0") " vadd.vi v31, v31, 8\n vmv.v.v v3, v4\n vmv.v.v v4, v5\n addi x8, x8, -1\n bne x8, x0, "
                               "1b\n endprg\n");
}

/* Code comes to a loop by two ways, of which the translator knows one: the other, by an address in memory, is for
 * `step`, and brings the loop other addresses, which are multiples of the same power of two. */
static void test_other_way(void **state)
{
    char text[1500];
    (void)state;
    for (unsigned scalar = 0; scalar < 2; scalar++) {
        snprintf(
            text, sizeof text,
            BEGIN " addi x5, x5, 4\n vmv.v.x v1, x5\n la x6, loop\n sw x6, 2000(x20)\n li x8, 3\n"
                  " sw x8, 2004(x20)\n lw x8, 2004(x20)\n lw x7, 2000(x20)\n li x10, 4\nloop: %s vadd.vx v4, v2, x9\n"
                  " vadd.vv v5, v5, v4\n addi x10, x10, -1\n bne x10, x0, loop\n addi x8, x8, -1\n"
                  " beq x8, x0, out\n %s li x10, 4\n jalr x0, x7, 0\nout: vsw12.v v5, 0(v31)\n endprg\n",
            scalar ? "lw x9, 12(x5)\n" : "vlw12.v v2, 16(v1)\n", scalar ? "addi x5, x5, 8\n" : "vadd.vi v1, v1, 8\n");
        expect_same(text);
    }
}

/* The last bytes of the page, and those that are beyond it. */
static void test_end(void **state)
{
    static const struct {
        const char *load;
        bool fails;
    } cases[] = {{"lw x6, 12(x5)", false},     {"lw x6, 13(x5)", true},      {"lh x6, 15(x5)", true},
                 {"lbu x6, 15(x5)", false},    {"lb x6, 16(x5)", true},      {"vlw12.v v2, 12(v1)", false},
                 {"vlw12.v v2, 14(v1)", true}, {"vlb12.v v2, 15(v1)", false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 BEGIN " lui x7, 1\n addi x7, x7, -16\n add x5, x5, x7\n vmv.v.x v1, x5\n vadd.vi v2, v30, 1\n %s\n"
                       " vadd.vx v2, v2, x6\n" STORE("0") " endprg\n",
                 cases[i].load);
        const struct result r = run(text);
        assert_int_equal(r.status, cases[i].fails ? LAUNCH_FAULT : LAUNCH_DONE);
    }
}

/* ---- what the host changes ---- */

/* A word on the second of two pages. */
enum { SIZE = 2 * ABI_PAGE };
#define CHANGED (PAIR_CONSTANTS + ABI_PAGE + 2040)

static uint32_t loaded(struct guest *g)
{
    g->data[0] = 0;
    guest_run(g);
    assert_int_equal(g->result.status, LAUNCH_DONE);
    assert_int_equal(g->data[0], g->data[1]);
    return g->data[0];
}

static void test_changes(void **state)
{
    struct guest g;
    struct gpu_config c;
    (void)state;
    gpu_config_default(&c);
    c.host_threads = 1;
    c.engine = &engine_native;
    guest_open_config(&g, &c);
    guest_assemble(&g, BEGIN " lui x6, 1\n add x5, x5, x6\n lw x6, 2040(x5)\n sw x6, 0(x20)\n addi x20, x20, 4\n"
                             " vmv.v.x v1, x5\n vlw12.v v2, 2040(v1)\n vmv.v.x v3, x20\n vsw12.v v2, 0(v3)\n endprg\n");
    assert_true(gpu_mem_open(g.gpu, PAIR_CONSTANTS, SIZE, GPU_READ | GPU_WRITE));
    uint32_t *word = gpu_mem(g.gpu, CHANGED, 4);

    /* The pages can be written: their words are none to rely on. */
    for (uint32_t i = 1; i < 4; i++) {
        *word = i * 17;
        assert_int_equal(loaded(&g), i * 17);
    }
    /* They are opened to be written, and closed for that again, by who does not say that a program has changed. */
    for (uint32_t i = 1; i < 4; i++) {
        assert_true(gpu_mem_open(g.gpu, PAIR_CONSTANTS, SIZE, GPU_READ | GPU_WRITE));
        *word = i * 1001;
        assert_true(gpu_mem_open(g.gpu, PAIR_CONSTANTS, SIZE, GPU_READ));
        assert_int_equal(loaded(&g), i * 1001);
    }
    /* They go, and come back with zeros. */
    gpu_mem_close(g.gpu, PAIR_CONSTANTS, SIZE);
    guest_run(&g);
    assert_int_equal(g.result.status, LAUNCH_FAULT);
    assert_int_equal(g.result.fault.addr, CHANGED);
    assert_true(gpu_mem_open(g.gpu, PAIR_CONSTANTS, SIZE, GPU_READ));
    assert_int_equal(loaded(&g), 0);
    guest_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),   cmocka_unit_test(test_a_word_each), cmocka_unit_test(test_diverged),
        cmocka_unit_test(test_ways),    cmocka_unit_test(test_other_way),   cmocka_unit_test(test_end),
        cmocka_unit_test(test_changes),
    };
    if (!engine_usable(&engine_native)) return 77;
    return cmocka_run_group_tests(tests, fill, pair_teardown);
}
