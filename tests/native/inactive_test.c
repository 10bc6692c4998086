/* Registers that are written where lanes wait, and what these lanes have in them when they go on
 * (translator/inactive.c): on `step` and on every host level of `native`, with the same result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pair.h"
#include "paths.h"

/* Goes round while v5 is above 0. */
#define LOOP(label, body) \
    label "_loop:" body " vadd.vi v5, v5, -1\n" WAY_TO(label) " vblt v13, v5, " label "_loop\n" label ": join\n"

static const struct launch shapes[] = {{.warps = 2, .threads_per_warp = 32, .work_items = 64},
                                       {.warps = 2, .threads_per_warp = 32, .work_items = 50}};

static void run(const char *text, uint64_t quantum)
{
    for (unsigned i = 0; i < 3; i++) {
        struct pair p = {
            .text = text, .shape = shapes[i % 2], .order = (enum path_order)i, .quantum = quantum, .shapes = true};
        assert_int_equal(pair_run_levels(&p).status, LAUNCH_DONE);
    }
}

#define COUNT(list) (sizeof(list) / sizeof *(list))
static void run_all(const char *const *texts, size_t n)
{
    for (size_t i = 0; i < n; i++) run(texts[i], 0);
}

/* Read by the other path, behind the join, by both, by none. */
static void test_sides(void **state)
{
    static const char *const texts[] = {
        START IF("a", "v6, v13", " vadd.vi v1, v1, 5\n vmv.v.i v3, 1\n", " vadd.vv v2, v2, v1\n vmv.v.i v3, 2\n") SAVE,
        START IF("a", "v6, v13", " vmul.vv v1, v1, v2\n", "") SAVE,
        START IF("a", "v6, v13", "", " vmul.vv v8, v1, v2\n vadd.vv v3, v8, v8\n") " vadd.vv v1, v1, v3\n" SAVE,
        START " vadd.vv v8, v1, v2\n" IF("a", "v6, v13", " vadd.vi v8, v8, 1\n vmv.v.v v1, v8\n", " vmv.v.v v2, v8\n")
            SAVE,
        /* one in the other, with a join of its own and without */
        START IF("a", "v6, v13", IF("b", "v7, v13", " vadd.vi v1, v1, 1\n", " vadd.vv v2, v1, v2\n"),
                 " vadd.vv v3, v3, v1\n") SAVE,
        START WAY_TO("a") " vbeq v6, v13, a\n vmv.v.v v1, v2\n" WAY_TO("a") " vbeq v7, v13, a\n vmv.v.v v2, v3\n"
                                                                            " vadd.vi v1, v1, 7\na: join\n" SAVE,
        /* lanes that have diverged once more pass the join for which others wait, and come back to it */
        START " vmv.v.v v8, v2\n li x10, 0\n" WAY_TO("a") " vbeq v6, v13, 3f\n" WAY_TO(
            "b") " vbeq v7, v13, b\na: join\n bne x10, x0, 4f\n vadd.vi v8, v4, 7\n vadd.vv v1, v1, v8\nb: join\n"
                 " li x10, 1\n j a\n3: vadd.vv v3, v3, v8\n j a\n4: nop\n" SAVE,
        /* both join at the same place, one behind the other */
        START WAY_TO("a") " vbeq v6, v13, 2f\n" WAY_TO(
            "a") " vbeq v7, v13, a\n vadd.vv v1, v1, v2\n j a\n"
                 "2: vadd.vv v2, v2, v1\n" WAY_TO("a") " vbeq v7, v13, a\n vadd.vv v3, v1, v2\na: join\n" SAVE,
    };
    (void)state;
    run_all(texts, COUNT(texts));
}

/* Registers above v63: one that nobody reads behind its block beside one that somebody does. */
static void test_high_registers(void **state)
{
    struct pair p = {
        .text = START " vadd.vv v69, v1, v2\n vadd.vv v70, v69, v3\n vadd.vv v1, v1, v70\n" IF(
            "a", "v6, v13", " vmul.vv v70, v1, v2\n vadd.vv v69, v69, v70\n",
            " vadd.vi v134, v2, 1\n vadd.vv v133, v134, v69\n vadd.vv v198, v133, v133\n vadd.vv v197, v198, v3\n"
            " vadd.vv v69, v133, v197\n") " vadd.vv v1, v1, v69\n" SAVE,
        .shape = {.warps = 2, .threads_per_warp = 32, .work_items = 50, .vgprs = ISA_VREGS}};
    (void)state;
    assert_int_equal(pair_run_levels(&p).status, LAUNCH_DONE);
}

/* Read by lanes that have left a loop, behind it or in the next round of the one around it. */
static void test_loops(void **state)
{
    static const char *const texts[] = {
        START LOOP("a", " vadd.vv v1, v1, v2\n vmul.vv v2, v2, v3\n") SAVE,
        START LOOP("a", " vadd.vv v8, v1, v2\n vadd.vv v1, v8, v5\n") " vmv.v.v v2, v8\n" SAVE,
        START LOOP("a", IF("b", "v6, v13", " vadd.vv v1, v1, v5\n", " vadd.vv v2, v2, v1\n")) SAVE,
        START LOOP("a", " vand.vi v6, v5, 1\n" IF("b", "v6, v13", " vmv.v.v v1, v2\n", "") " vadd.vv v3, v3, v1\n")
            SAVE,
        START " li x11, 3\n vmv.v.v v9, v5\nagain:" LOOP(
            "a", " vadd.vv v1, v1, v5\n vadd.vv v10, v1, v2\n") " vadd.vv v3, v3, v10\n vmv.v.v v5, v9\n addi x11, "
                                                                "x11, -1\n bne x11, x0, again\n" SAVE,
        START " vadd.vi v9, v4, 1\nouter: vand.vi v5, v9, 3\n vadd.vi v5, v5, 1\n" LOOP(
            "a",
            " vadd.vv v1, v1, v9\n") " vmul.vv v2, v2, v1\n vadd.vi v9, v9, -3\n" WAY_TO("b") " vblt v13, v9, "
                                                                                              "outer\nb: join\n" SAVE,
    };
    (void)state;
    run_all(texts, COUNT(texts));
    run(texts[2], 37);
}

/* By instructions that look at other lanes: a mask in v0 is the first lane's word, and lanes beyond vl keep what they
 * have. */
static void test_whole(void **state)
{
    static const char *const texts[] = {
        START " vmv.v.x v0, x20\n" IF("a", "v6, v13", "",
                                      " vadd.vi v0, v4, 9\n vadd.vi v1, v1, 3, v0.t\n vadd.vv v3, v3, v0\n") SAVE,
        START IF("a", "v6, v13", " vadd.vi v1, v1, 1\n vmv.v.v v8, v1\n",
                 " vadd.vv v8, v2, v2\n") " li x9, 5\n vsetvli x9, x9, e32,m1,ta,ma\n vadd.vi v8, v8, 1\n li x9, 32\n "
                                          "vsetvli x9, x9, e32,m1,ta,ma\n"
                                          " vmv.v.v v2, v8\n" SAVE,
        START IF("a", "v6, v13", " vadd.vi v8, v1, 1\n", " vadd.vv v8, v2, v2\n shuffle.bfly v3, v8, 1\n") SAVE,
        START IF("a", "v6, v13", " vadd.vi v8, v1, 1\n",
                 " vadd.vv v8, v2, v2\n csrr x9, vl\n vmul.vx v8, v8, x9\n shuffle.bfly v3, v8, 1\n") SAVE,
    };
    (void)state;
    run_all(texts, COUNT(texts));
}

/* The same where code for convergent warps has left them to `step`. */
static void test_whole_apart(void **state)
{
    static const char *const texts[] = {
        START " vmv.v.v v0, v1\n" IF("a", "v6, v13", "", " vadd.vi v0, v4, 9\n vadd.vi v1, v1, 3, v0.t\n") SAVE,
        START " vadd.vv v8, v1, v2\n" IF("a", "v6, v13", "", " vadd.vi v8, v4, 9\n shuffle.bfly v3, v8, 1\n") SAVE,
    };
    (void)state;
    for (unsigned i = 0; i < 3 * COUNT(texts); i++) {
        struct pair p = {.text = texts[i / 3], .order = (enum path_order)(i % 3), .convergent = true, .shapes = true};
        assert_int_equal(pair_run_levels(&p).status, LAUNCH_DONE);
    }
}

/* A function that writes what lanes read that wait where it is called; and joins that are not known. */
static void test_calls(void **state)
{
    static const char function[] = "f: vadd.vi v1, v1, 9\n vadd.vv v8, v1, v2\n ret\n";
    static const char *const texts[] = {
        START IF("a", "v6, v13", " call f\n", " vadd.vv v3, v3, v1\n") " vadd.vv v2, v2, v1\n",
        START " vmv.v.v v8, v3\n" IF("a", "v6, v13", " call f\n vmv.v.v v3, v8\n", " call f\n") " vadd.vv v2, v2, v8\n",
        START LOOP("a", " call f\n") " vmv.v.v v2, v8\n",
        START " la x9, a\n li x10, 3\n2: addi x10, x10, -1\n bne x10, x0, 2b\n add x9, x9, x10\n setrpc x0, x9, 0\n"
              " vbeq v6, v13, 3f\n vadd.vi v1, v1, 1\n j a\n3: vadd.vv v2, v2, v1\na: join\n",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        char text[4000];
        snprintf(text, sizeof text, "%s%s%s", texts[i], SAVE, function);
        run(text, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_high_registers), cmocka_unit_test(test_sides),
                                       cmocka_unit_test(test_loops),          cmocka_unit_test(test_whole),
                                       cmocka_unit_test(test_whole_apart),    cmocka_unit_test(test_calls)};
    return cmocka_run_group_tests(tests, pair_setup, pair_teardown);
}
