/* Branches whose paths run without the SIMT stack (translator/predicate.c): what shows of their order, and of the stack
 * where `step` goes on in the middle of them; on `step` and on host levels of `native`, with the same result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pair.h"
#include "paths.h"

/* v8 is 0 in a quarter of the lanes, v9 in three quarters; v10 are the addresses of two words, for the odd lanes and
 * for the even ones. */
#define LANES \
    START " vsrl.vi v8, v4, 2\n vand.vi v8, v8, 3\n vand.vv v9, v6, v7\n vsll.vi v10, v6, 2\n lui x11, 3\n" \
          " add x11, x11, x20\n vadd.vx v10, v10, x11\n"

/* Loads of adjacent words at odd addresses on two pages, which are for `step`. */
#define ODD_LOAD \
    " li x12, 4001\n add x12, x12, x20\n vsll.vi v11, v4, 3\n vadd.vx v11, v11, x12\n vlw12.v v3, 0(v11)\n" \
    " vlw12.v v11, 4(v11)\n vadd.vv v3, v3, v11\n"
#define NOWHERE  " lui x12, 0x50000\n vadd.vx v11, v31, x12\n"
#define NO_LOAD  NOWHERE " vlw12.v v3, 0(v11)\n"
#define NO_STORE NOWHERE " vsw12.v v3, 0(v11)\n"

/* Instructions: quanta that end late. */
enum { LATE = 1000 };

static const struct launch shapes[] = {{.warps = 2, .threads_per_warp = 32, .work_items = 64},
                                       {.warps = 2, .threads_per_warp = 32, .work_items = 50}};

static void run(const char *text, enum launch_status status)
{
    for (unsigned i = 0; i < 3; i++) {
        struct pair p = {.text = text, .shape = shapes[i % 2], .order = (enum path_order)i, .shapes = true};
        p.quantum = LATE;
        assert_int_equal(pair_run_levels(&p).status, status);
    }
}

#define COUNT(list) (sizeof(list) / sizeof *(list))
static void run_all(const char *const *texts, size_t n, enum launch_status status)
{
    for (size_t i = 0; i < n; i++) run(texts[i], status);
}

/* Both paths store to the same words, or one loads what the other one stores; fewer lanes take the target, or more. */
static void test_memory(void **state)
{
    static const char *const texts[] = {
        LANES IF("a", "v8, v13", " vsw12.v v1, 0(v10)\n", " vsw12.v v2, 0(v10)\n") SAVE,
        LANES IF("a", "v6, v13", " vsw12.v v1, 0(v10)\n", " vsw12.v v2, 0(v10)\n vlw12.v v3, 0(v10)\n") SAVE,
        LANES IF("a", "v9, v13", " vlw12.v v1, 0(v10)\n", " vsw12.v v2, 0(v10)\n") SAVE,
        LANES IF("a", "v8, v13", " vsw12.v v1, 4(v10)\n vlw12.v v1, 0(v10)\n", "") SAVE,
        LANES IF("a", "v9, v13", "", " vsw12.v v1, 4(v10)\n amoadd.w v2, v2, (v10)\n") SAVE,
        LANES IF("a", "v7, v13", " vadd.vi v1, v1, 1\n" IF("b", "v6, v13", "", " vsw12.v v1, 0(v10)\n"),
                 " vsw12.v v2, 0(v10)\n") SAVE,
    };
    (void)state;
    run_all(texts, COUNT(texts), LAUNCH_DONE);
}

/* Read by the other path, by both, behind the join. */
static void test_scalars(void **state)
{
    static const char *const texts[] = {
        LANES " li x10, 1\n" IF("a", "v8, v13", " addi x10, x10, 3\n vadd.vx v1, v1, x10\n",
                                " slli x10, x10, 2\n vadd.vx v1, v1, x10\n") " vadd.vx v2, v2, x10\n" SAVE,
        LANES " li x10, 1\n" IF("a", "v9, v13", " li x10, 3\n vadd.vx v1, v1, x10\n", " vadd.vx v1, v1, x10\n") SAVE,
        LANES " li x10, 1\n" IF("a", "v6, v13", " li x10, 3\n", " li x10, 4\n") " vadd.vx v1, v1, x10\n" SAVE,
        LANES IF("a", "v6, v13", " li x10, 3\n vadd.vx v1, v1, x10\n", " li x10, 4\n vadd.vx v1, v1, x10\n") SAVE,
        LANES " li x10, 1\n" IF("a", "v7, v13", " addi x10, x10, 5\n", "") " vadd.vx v1, v1, x10\n" SAVE,
    };
    (void)state;
    run_all(texts, COUNT(texts), LAUNCH_DONE);
}

/* Branches on the paths of others, with a join of their own and without. */
static void test_nested(void **state)
{
    static const char *const texts[] = {
        LANES IF("a", "v6, v13", IF("b", "v7, v13", " vadd.vi v1, v1, 1\n", " vadd.vv v2, v1, v2\n"),
                 " vadd.vv v3, v3, v1\n" IF("c", "v8, v13", "", " vadd.vi v3, v3, 9\n")) SAVE,
        LANES IF("a", "v6, v13",
                 IF("b", "v7, v13", IF("c", "v8, v13", " vadd.vi v1, v1, 1\n", "") " vadd.vv v2, v1, v2\n",
                    " vadd.vi v3, v3, 5\n"),
                 "") SAVE,
        LANES WAY_TO("a") " vbeq v6, v13, a\n vadd.vi v1, v1, 5\n vbeq v7, v13, a\n vadd.vv v2, v2, v1\n"
                          " vbeq v9, v13, a\n vadd.vi v3, v3, 7\na: join\n" SAVE,
        LANES IF("a", "v7, v13",
                 IF("b", "v6, v13",
                    IF("c", "v8, v13", IF("d", "v9, v13", " vadd.vi v1, v1, 1\n", " vadd.vi v2, v2, 1\n"), ""), ""),
                 "") SAVE,
    };
    (void)state;
    run_all(texts, COUNT(texts), LAUNCH_DONE);
}

/* Leaves other entries on the stack. */
#define BEFORE IF("before", "v7, v13", IF("twice", "v9, v13", ODD_LOAD, ""), "")

/* In the middle of a path, `step` executes an instruction and goes on to its join. */
static void test_step(void **state)
{
    static const char *const texts[] = {
        LANES IF("a", "v8, v13", ODD_LOAD " vadd.vi v1, v1, 1\n", "") SAVE,
        LANES IF("a", "v9, v13", "", " vadd.vi v1, v1, 1\n" ODD_LOAD) SAVE,
        LANES IF("a", "v8, v13", ODD_LOAD, " vsw12.v v1, 0(v10)\n" ODD_LOAD " vsw12.v v2, 4(v10)\n") SAVE,
        LANES IF("a", "v9, v13", " vsw12.v v1, 0(v10)\n" ODD_LOAD, " vlw12.v v1, 0(v10)\n") SAVE,
        LANES BEFORE IF("a", "v6, v13", IF("b", "v8, v13", ODD_LOAD, ""), " vadd.vi v1, v1, 1\n") SAVE,
        LANES BEFORE IF("a", "v6, v13", IF("b", "v6, v13", ODD_LOAD, ""), "") SAVE,
        LANES BEFORE IF("a", "v8, v13", "", IF("b", "v8, v13", " vadd.vi v1, v1, 1\n", ODD_LOAD)) SAVE,
        LANES IF("a", "v6, v13", IF("b", "v9, v13", ODD_LOAD, " vsw12.v v1, 0(v10)\n" ODD_LOAD), "") SAVE,
        LANES IF("a", "v9, v13", IF("b", "v6, v13", " vadd.vi v1, v1, 2\n", "") ODD_LOAD, "") SAVE,
        LANES IF("a", "v7, v13", "", IF("b", "v6, v13", IF("c", "v8, v13", "", ODD_LOAD), " vadd.vi v2, v2, 3\n")) SAVE,
    };
    (void)state;
    run_all(texts, COUNT(texts), LAUNCH_DONE);
}

/* What has been counted up to a fault. */
static void test_faults(void **state)
{
    static const char *const texts[] = {
        LANES IF("a", "v8, v13", NO_LOAD, "") SAVE,
        LANES IF("a", "v9, v13", "", NO_STORE) SAVE,
        LANES IF("a", "v8, v13", NO_LOAD, " vadd.vi v2, v2, 1\n vadd.vi v3, v3, 1\n") SAVE,
        LANES IF("a", "v9, v13", NO_LOAD, " vsw12.v v1, 0(v10)\n vsw12.v v1, 4(v10)\n") SAVE,
        LANES IF("a", "v8, v13", " vsw12.v v1, 0(v10)\n" NO_LOAD, NO_STORE) SAVE,
        LANES IF("a", "v6, v13", IF("b", "v8, v13", NO_LOAD, ""), " vadd.vi v1, v1, 1\n") SAVE,
    };
    (void)state;
    run_all(texts, COUNT(texts), LAUNCH_FAULT);
}

/* Lanes leave a loop one by one, so that the stack is as deep as it can be at the branch of the last two or three. */
static void test_depth(void **state)
{
    char text[3000];
    (void)state;
    for (unsigned last = 29; last <= 30; last++)
        for (unsigned nested = 0; nested < 2; nested++) {
            snprintf(text, sizeof text,
                     "%s li x10, 0\n li x13, %u\nround: vmv.v.x v12, x10\n%s vbeq v12, v4, z\n%s addi x10, x10, 1\n"
                     " bne x10, x13, round\nz: join\n%s",
                     LANES, last, WAY_TO("z"),
                     nested ? IF("a", "v6, v13", " vadd.vi v1, v1, 1\n" IF("b", "v7, v13", " vadd.vi v3, v3, 1\n", ""),
                                 " vadd.vi v2, v2, 1\n")
                            : IF("a", "v6, v13", " vadd.vi v1, v1, 1\n", ""),
                     SAVE);
            for (unsigned i = 0; i < 3; i++) {
                struct pair p = {.text = text, .order = (enum path_order)i, .quantum = LATE};
                pair_run_levels(&p);
            }
        }
}

/* Quanta that do not end late have so many instructions and no more. The paths together have more than what follows the
 * loop, which a look at the budget allows for. */
static void test_quanta(void **state)
{
#define LONG(a, b) \
    " vadd.vv " a ", " a ", " b "\n vxor.vv " a ", " a ", " b "\n vsll.vi " b ", " b ", 1\n vadd.vi " b ", " b ", 3\n"
    static const char text[] = LANES " li x10, 40\nround: vadd.vi v1, v1, 1\n" IF(
        "a", "v6, v13", LONG("v1", "v2") LONG("v2", "v3") LONG("v3", "v1") LONG("v1", "v2"),
        LONG("v2", "v1") LONG("v1", "v3") LONG("v3", "v2")
            LONG("v2", "v1")) " addi x10, x10, -1\n bne x10, x0, round\n" SAVE;
#undef LONG
    (void)state;
    for (uint32_t seed = 1; seed < 6; seed++) {
        struct pair p = {.text = text, .shape = shapes[0], .turns = seed};
        assert_int_equal(pair_run_levels(&p).status, LAUNCH_DONE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory), cmocka_unit_test(test_scalars), cmocka_unit_test(test_nested),
        cmocka_unit_test(test_step),   cmocka_unit_test(test_faults),  cmocka_unit_test(test_depth),
        cmocka_unit_test(test_quanta),
    };
    return cmocka_run_group_tests(tests, pair_setup, pair_teardown);
}
