/* Accesses whose lanes' words seem to be equally far from each other, by a step that is found when the code runs: steps
 * of every kind, and addresses that only seem so, on `step` and on every host level of `native`, with the same result.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pair.h"

/* x20 is the data, of which the first word is the step; x14 is the middle of it. v1 collects what is loaded. */
#define BASE   " lui x20, 0x90000\n lui x14, 0x8\n add x14, x14, x20\n li x12, 77\n vid.v v2\n vid.v v1\n"
#define MIX(v) " vxor.vv v1, v1, " v "\n vmul.vx v1, v1, x12\n"
#define STEP   " lw x9, 0(x20)\n"

/* Of the last ones some lanes have no memory. */
static const uint32_t steps[] = {4,   0,   1,   2,   3,   5,     8,     12,   16,   24,          100,
                                 256, 512, -4u, -1u, -8u, -100u, -512u, 1000, 1024, 0x80000000u, 0x40000000u};

/* Accesses at x14 + lane * x9, in all forms, and what only looks like it. */
static const char *const accesses[] = {
    " vmul.vx v5, v2, x9\n vadd.vx v6, v5, x14\n vlw12.v v7, 0(v6)\n" MIX("v7") " vsw12.v v1, 4(v6)\n",
    " vmul.vx v5, v2, x9\n vsub.vx v5, v5, x9\n vloxei32.v v7, (x14), v5\n" MIX("v7") " vsoxei32.v v1, (x14), v5\n",
    " vlse32.v v7, (x14), x9\n" MIX("v7") " vsse32.v v1, (x14), x9\n",
    /* halves and bytes */
    " vmul.vx v5, v2, x9\n vadd.vx v6, v5, x14\n vlh12.v v7, 0(v6)\n vlbu12.v v8, 5(v6)\n" MIX("v7")
        MIX("v8") " vsh12.v v1, 0(v6)\n vsb12.v v1, 7(v6)\n",
    /* the step is another one in each eight lanes, or in four */
    " vsrl.vi v3, v2, 3\n vmul.vx v5, v2, x9\n vmul.vv v5, v5, v3\n vadd.vx v6, v5, x14\n"
    " vlw12.v v7, 0(v6)\n" MIX("v7") " vsw12.v v1, 8(v6)\n",
    " vadd.vx v3, v2, x9\n vand.vi v3, v3, 12\n vmul.vx v5, v2, x9\n vadd.vv v6, v5, v3\n vadd.vx v6, v6, x14\n"
    " vlw12.v v7, 0(v6)\n" MIX("v7") " vsw12.v v1, 0(v6)\n",
    /* rows of eight lanes */
    " vand.vi v3, v2, 7\n vsrl.vi v4, v2, 3\n vmul.vx v5, v3, x9\n vsll.vi v4, v4, 5\n vadd.vv v6, v5, v4\n"
    " vadd.vx v6, v6, x14\n vlw12.v v7, 0(v6)\n" MIX("v7") " vsw12.v v1, 0(v6)\n",
    /* under a mask in v0 */
    " vmv.v.x v0, x9\n vmul.vx v5, v2, x9\n vloxei32.v v1, (x14), v5, v0.t\n" MIX(
        "v1") " vsoxei32.v v1, (x14), v5, v0.t\n",
};

/* With all lanes, and in warps of fewer: half of the chunks, and a last chunk in which some are missing. */
static struct result run(const char *text, const uint32_t *words, size_t count)
{
    static const uint32_t fewer[] = {16, 13, 8};
    for (size_t i = 0; i < 3; i++) {
        struct launch shape = {.warps = 1, .threads_per_warp = 32, .work_items = fewer[i]};
        pair_run_levels(&(struct pair){.text = text, .shape = shape, .words = words, .count = count});
    }
    return pair_run_levels(&(struct pair){.text = text, .words = words, .count = count});
}

static void test_steps(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++)
        for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
            char text[1000];
            snprintf(text, sizeof text, BASE STEP "%s endprg\n", accesses[i]);
            run(text, &steps[k], 1);
        }
}

/* Eight lanes whose words are further apart than what lies behind the guest's window, and nhoisted so. */
static void test_far(void **state)
{
    static const uint32_t far[] = {8188, 8192, 8196, 9000};
    struct launch shape = {.warps = 1, .threads_per_warp = 32, .work_items = 8};
    (void)state;
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
        struct result r = pair_run_levels(
            &(struct pair){.text = BASE STEP " vmul.vx v5, v2, x9\n vadd.vx v6, v5, x20\n"
                                             " vlw12.v v7, 256(v6)\n" MIX("v7") " vsw12.v v1, 512(v6)\n endprg\n",
                           .shape = shape,
                           .words = &far[i],
                           .count = 1});
        assert_int_equal(r.status, LAUNCH_DONE);
    }
}

/* Some lanes' words are behind the end of what there is: the same lane fails, behind what the ones before it have
 * stored. Of words that follow one another the host stores up to 16 at a time, or none of them. */
static void test_ends_of_memory(void **state)
{
    static const uint32_t step[] = {4, 8, 40, 1000};
    (void)state;
    for (size_t i = 0; i < sizeof step / sizeof *step; i++)
        for (uint32_t lanes = 0; lanes <= 32; lanes += i ? 5 : 16) {
            char text[1000];
            const uint32_t words[] = {step[i], step[i] * lanes};
            snprintf(text, sizeof text,
                     BASE " lui x14, 0x90010\n lw x9, 0(x20)\n lw x10, 4(x20)\n sub x14, x14, x10\n"
                          " vmul.vx v5, v2, x9\n vadd.vx v6, v5, x14\n %s\n endprg\n",
                     lanes % 2 ? "vlw12.v v7, 0(v6)" : "vsw12.v v2, 0(v6)");
            struct result r = run(text, words, 2);
            assert_int_equal(r.status, lanes == 32 ? LAUNCH_DONE : LAUNCH_FAULT);
            if (lanes < 32) assert_int_equal(r.fault.addr, 0x90010000);
        }
}

/* The bytes and half words of the lanes that take part end where memory does. */
static void test_end_under_mask(void **state)
{
    (void)state;
    for (uint32_t lanes = 1; lanes < 32; lanes += lanes < 4 ? 1 : 6) {
        struct result r = run(
            BASE " lw x9, 0(x20)\n lui x14, 0x90010\n sub x13, x14, x9\n sub x14, x13, x9\n vid.v v9\n"
                 " vadd.vv v5, v2, v2\n vadd.vx v5, v5, x14\n vadd.vx v6, v2, x13\n" PAIR_PART(
                     " vlh12.v v7, 0(v5)\n vlhu12.v v8, 0(v5)\n" MIX("v7")
                         MIX("v8") ""
                                   " vlb12.v v7, 0(v6)\n vlbu12.v v8, 0(v6)\n" MIX("v7") MIX("v8"),
                     " vadd.vi v1, v1, 1\n") " vsll.vi v5, v2, 2\n vadd.vx v5, v5, x20\n vsw12.v v1, 64(v5)\n endprg\n",
            &lanes, 1);
        assert_int_equal(r.status, LAUNCH_DONE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_far),
        cmocka_unit_test(test_ends_of_memory),
        cmocka_unit_test(test_end_under_mask),
    };
    if (!engine_usable(&engine_native)) return 77;
    return cmocka_run_group_tests(tests, pair_setup, pair_teardown);
}
