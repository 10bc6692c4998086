/* Loops of loads that lanes run one after the other (translator/load_loop.c), and those that they do not: on `step` and
 * on every host level of `native`, with the same result, counters and fault. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pair.h"

/* x20 is the data, v31 the address of each work-item's word there, v1 to v3 are words from there; v5 is a number of the
 * work-item, and x12 what is added to it in each round. v4 says how many rounds there are: x11 changes it. */
#define START(x11, shift) \
    " lui x20, 0x90000\n li x12, 1236\n li x13, 4092\n vid.v v31\n csrr x5, CSR_TID\n csrr x6, CSR_WID\n" \
    " vadd.vx v31, v31, x5\n vmul.vv v5, v31, v31\n vsll.vi v5, v5, 2\n vsll.vi v31, v31, 2\n vadd.vx v31, v31, x20\n" \
    " vlw12.v v1, 0(v31)\n vlw12.v v2, 512(v31)\n vlw12.v v3, 1024(v31)\n vid.v v4\n li x11, " x11 \
    "\n vxor.vx v4, v4, x11\n vmul.vv v4, v4, v4\n vsrl.vi v4, v4, " shift "\n vmv.v.i v13, 0\n"
#define LOOP_OF(branch, body) \
    "9: auipc x8, %pcrel_hi(out)\n setrpc x0, x8, %pcrel_lo(9b)\nloop: vadd.vx v5, v5, x12\n vand.vx v6, v5, " \
    "x13\n" body " vadd.vi v4, v4, -1\n " branch ", loop\nout: join\n"
#define LOOP(body) LOOP_OF("vbge v4, v13", body)
#define LOADS      " vloxei32.v v7, (x20), v6\n vadd.vx v8, v6, x20\n vlw12.v v9, 4(v8)\n"
#define SAVE \
    " lui x30, 0x4\n vadd.vx v30, v31, x30\n vsw12.v v1, 0(v30)\n vsw12.v v2, 512(v30)\n vsw12.v v3, 1024(v30)\n" \
    " vsw12.v v5, 1536(v30)\n endprg\n"

/* What comes before the loop for lanes with an odd number only. */
#define ODD(inside) \
    " vid.v v10\n vand.vi v10, v10, 1\n1: auipc x8, %pcrel_hi(met)\n setrpc x0, x8, %pcrel_lo(1b)\n" \
    " vbeq v10, v13, met\n" inside "met: join\n"

static const struct launch shapes[] = {
    {.warps = 2, .threads_per_warp = 32, .work_items = 64},
    {.warps = 2, .threads_per_warp = 32, .work_items = 50},
    {.warps = 1, .threads_per_warp = 32, .work_items = 20, .groups = {40}},
    {.warps = 2, .threads_per_warp = 32, .work_items = 64, .groups = {40}},
};
static void run(const char *text, uint64_t quantum, enum launch_status status)
{
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct pair p = {
            .text = text, .shape = shapes[i], .order = (enum path_order)(i % 3), .quantum = quantum, .shapes = true};
        p.convergent = i == 0;
        assert_int_equal(pair_run_levels(&p).status, status);
    }
}

#define COUNT(list) (sizeof(list) / sizeof *(list))
static void run_all(const char *const *texts, size_t n, enum launch_status status)
{
    for (size_t i = 0; i < n; i++) run(texts[i], 1 << 16, status);
}

#define SUM LOADS " vadd.vv v1, v1, v7\n vxor.vv v2, v2, v9\n"

static void test_loops(void **state)
{
    static const char *const texts[] = {
        START("20", "4") LOOP(SUM) SAVE,
        START("3", "2") LOOP(SUM) SAVE,
        START("20", "4") ODD(LOOP(SUM)) SAVE,
        START("20", "4") LOOP(LOADS " vadd.vv v3, v7, v9\n vlbu12.v v2, 3(v8)\n vlh12.v v1, 2(v8)\n") SAVE,
        START("20", "4") LOOP_OF("vblt v13, v4", SUM " setrpc x0, x8, %pcrel_lo(9b)\n") SAVE,
        /* the first round of all is the last one of some, of all, and of none */
        START("20", "9") LOOP(SUM) SAVE,
        START("20", "31") LOOP(SUM) SAVE,
        START("20", "4") " vmv.v.i v4, 15\n" LOOP(SUM) SAVE,
        /* the number of rounds follows from what is loaded */
        START("20", "4") LOOP(LOADS " vand.vi v4, v7, 15\n vadd.vv v1, v1, v4\n") SAVE,
        /* how many rounds there were, which is the same in all lanes as long as none has left, says where is loaded */
        START("20", "4") " vadd.vi v4, v4, 9\n" LOOP(
            LOADS LOADS LOADS LOADS " vadd.vi v14, v14, 1\n") " vsll.vi v14, v14, 2\n vloxei32.v v3, (x20), v14\n" SAVE,
        /* lanes diverge for a join further behind from the second round on */
        START("20", "4") " la x9, far\n" LOOP(SUM " setrpc x0, x9, 0\n") " vadd.vi v3, v3, 1\nfar: join\n" SAVE,
        /* more rounds than are run so */
        START("20", "0") LOOP(SUM) SAVE,
        /* more registers than are kept for it */
        START("20", "4") LOOP(LOADS " vadd.vv v14, v1, v2\n vadd.vv v15, v3, v14\n vadd.vv v16, v15, v31\n"
                                    " vadd.vv v17, v16, v18\n vadd.vv v1, v17, v19\n vadd.vv v2, v20, v21\n") SAVE,
    };
    (void)state;
    run_all(texts, COUNT(texts), LAUNCH_DONE);
}

/* Numbers, NaNs that are not canonical yet, and registers that are numbers first and words then. */
static void test_numbers(void **state)
{
    static const char *const texts[] = {
        START("20", "4") LOOP(LOADS " vfmacc.vv v1, v7, v9\n vfadd.vv v2, v2, v1\n") SAVE,
        START("20", "4") " vfmul.vv v1, v1, v2\n" LOOP(LOADS " vfadd.vv v1, v1, v7\n vxor.vv v2, v2, v1\n") SAVE,
        START("20", "4") " vfmul.vv v1, v1, v2\n" LOOP(LOADS " vxor.vv v2, v2, v1\n vfmul.vv v1, v7, v9\n") SAVE,
        START("20", "4") " vfmul.vv v1, v1, v2\n" ODD(LOOP(LOADS " vadd.vv v1, v7, v9\n")) SAVE,
        START("20", "4") ODD(LOOP(LOADS " vfmul.vv v1, v7, v9\n vfsub.vv v2, v2, v1\n")) " vadd.vi v1, v1, 1\n" SAVE,
    };
    (void)state;
    run_all(texts, COUNT(texts), LAUNCH_DONE);
}

#define FAR(shift) " vsrl.vi v10, v4, " shift "\n vsll.vi v10, v10, 28\n vadd.vv v11, v8, v10\n vlw12.v v10, 0(v11)\n"

/* Scalar registers that follow from the number of the round, read in it and behind the loop, which leaves them as the
 * last round of all lanes does: with more rounds in the first lanes or in the last ones, too many, and few lanes. */
static void test_scalars(void **state)
{
#define STEP " addi x14, x14, 3\n slli x15, x14, 1\n vadd.vx v1, v1, x15\n"
#define USE  " vadd.vx v3, v3, x14\n vadd.vx v2, v2, x15\n"
    static const char *const texts[] = {
        START("20", "4") " li x14, 5\n" LOOP(STEP SUM) USE SAVE,
        START("3", "2") " li x14, 5\n" LOOP(SUM STEP) USE SAVE,
        START("20", "4") " li x14, 5\n li x15, 1\n" ODD(LOOP(STEP SUM)) USE SAVE,
        START("20", "0") " li x14, 5\n" LOOP(STEP SUM) USE SAVE,
        START("20", "9") " li x14, 5\n" LOOP(STEP SUM) USE SAVE,
        START("20", "4") " vsrl.vi v4, v4, 1\n li x14, 0\n" LOOP_OF(
            "vblt v14, v4", SUM " addi x14, x14, 1\n vmv.v.x v14, x14\n") " vadd.vx v3, v3, x14\n" SAVE,
    };
    static const char *const faults[] = {
        START("20", "4") " li x14, 5\n" LOOP(STEP SUM FAR("5")) USE SAVE,
        START("20", "4") " li x14, 5\n" LOOP(SUM FAR("4") STEP) USE SAVE,
    };
    (void)state;
    run_all(texts, COUNT(texts), LAUNCH_DONE);
    run_all(faults, COUNT(faults), LAUNCH_FAULT);
    for (uint64_t quantum = 90; quantum < 700; quantum += 122)
        run(START("20", "4") " li x14, 5\n" LOOP(STEP SUM) USE SAVE, quantum, LAUNCH_DONE);
}

/* Registers that only other lanes read behind the loop: those that wait meanwhile, on another path or for one. */
static void test_across(void **state)
{
#define APART(inside, others) \
    " vid.v v10\n vmv.v.i v14, 5\n vand.vi v10, v10, 1\n1: auipc x8, %pcrel_hi(met)\n" \
    " setrpc x0, x8, %pcrel_lo(1b)\n vbeq v10, v13, other\n" inside " j met\nother: " others "met: join\n"
    static const char *const texts[] = {
        START("20", "4") APART(LOOP(SUM), " vshuffle_down.raw v3, v14, v9\n vadd.vv v2, v2, v7\n") SAVE,
        START("20", "4") APART(LOOP(LOADS " vmul.vv v12, v9, v7\n vadd.vv v1, v1, v12\n"),
                               " vshuffle_down.raw v3, v14, v12\n vmul.vv v12, v1, v2\n vadd.vv v2, v2, v12\n") SAVE,
    };
    (void)state;
    run_all(texts, COUNT(texts), LAUNCH_DONE);
}

/* How many rounds there are is known in front of them: a counter, in a vector register or a scalar one, is compared
 * with one that stays as it is. It begins in front of it, at it, behind it or too far away; is read in the loop and
 * behind it; and what looks alike is none: a counter that another instruction sets, too, one by 2, an end that changes.
 */
static void test_counts(void **state)
{
#define UP(branch, body)   LOOP_OF_COUNT(branch, body " vadd.vi v11, v11, 1\n")
#define UP_X(branch, body) LOOP_OF_COUNT(branch, body " addi x14, x14, 1\n vmv.v.x v11, x14\n")
#define LOOP_OF_COUNT(branch, body) \
    "9: auipc x8, %pcrel_hi(out)\n setrpc x0, x8, %pcrel_lo(9b)\nloop: vadd.vx v5, v5, x12\n vand.vx v6, v5, " \
    "x13\n" body " " branch " v11, v4, loop\nout: join\n"
#define FROM(where) " vsrl.vi v4, v4, 1\n" where
#define READ        " vadd.vv v3, v3, v11\n"
    static const char *const texts[] = {
        START("20", "4") FROM(" vmv.v.i v11, 0\n") UP("vblt", SUM) READ SAVE,
        START("20", "4") FROM(" vmv.v.i v11, 7\n") UP("vblt", SUM) SAVE,
        START("20", "4") FROM(" vmv.v.i v11, 7\n") UP("vbltu", SUM) READ SAVE,
        START("20", "4") FROM(" vmv.v.i v11, -7\n") UP("vblt", SUM READ) SAVE,
        START("20", "4") FROM(" vmv.v.i v11, -7\n") UP("vbltu", SUM) READ SAVE,
        START("20", "4") FROM(" vmv.v.i v11, -1\n") UP("vbltu", SUM) READ SAVE,
        START("20", "4") FROM(" vadd.vi v11, v4, -9\n") ODD(UP("vbne", SUM)) READ SAVE,
        START("20", "4") FROM(" vadd.vi v11, v4, -3\n vadd.vi v4, v4, 8\n") ODD(UP("vbne", SUM)) SAVE,
        START("20", "4") FROM(" vmv.v.i v11, 0\n") ODD(UP("vblt", SUM)) SAVE,
        START("20", "4") FROM(" vmv.v.i v11, 0\n") " vadd.vi v4, v4, 1\n" ODD(UP("vbne", SUM)) READ SAVE,
        START("20", "4") FROM(" li x14, 0\n") UP_X("vblt", SUM) READ " vadd.vx v2, v2, x14\n" SAVE,
        START("3", "3") FROM(" li x14, 5\n") UP_X("vbltu", SUM) READ " vadd.vx v2, v2, x14\n" SAVE,
        START("20", "4") FROM(" li x14, 0\n") " vadd.vi v4, v4, 1\n" ODD(UP_X("vbne", SUM READ)) SAVE,
        START("20", "4") FROM(" li x14, -3\n") UP_X("vblt", SUM) SAVE,
        /* the end is a NaN that is not canonical yet: on the host it may be negative */
        START("20", "4") FROM(
            " lui x14, 0x7fc00\n vrsub.vx v11, v4, x14\n lui x14, 0x7f800\n vmv.v.x v4, x14\n vsw12.v v4, 1536(v31)\n"
            " vlw12.v v4, 1536(v31)\n"
            " vmv.v.i v14, 0\n vfmul.vv v4, v4, v14\n") UP("vblt", SUM) READ SAVE,
        /* more rounds than are run so, at first */
        START("20", "4") FROM(" li x14, -400\n") UP_X("vblt", SUM) READ SAVE,
        START("20", "4") FROM(" vmv.v.i v11, 0\n") " li x14, 255\n vmax.vx v4, v4, x14\n" UP("vblt", SUM) READ SAVE,
        START("20", "4") FROM(" vmv.v.i v11, 0\n") " li x14, 256\n vmax.vx v4, v4, x14\n" UP("vblt", SUM) READ SAVE,
        /* no such counters */
        START("20", "4") FROM(" vmv.v.i v11, 0\n") UP("vblt", SUM " vadd.vi v11, v11, 1\n") READ SAVE,
        START("20", "4") FROM(" vmv.v.i v11, 0\n") UP("vblt", SUM " vadd.vi v4, v4, -1\n") READ SAVE,
        START("20", "4") FROM(" vmv.v.i v11, 0\n") LOOP_OF_COUNT("vblt", SUM " vadd.vi v11, v11, 2\n") READ SAVE,
        START("20", "4") FROM(" vmv.v.i v11, 0\n vadd.vi v14, v4, -5\n")
            LOOP_OF_COUNT("vblt", SUM " vadd.vi v11, v14, 1\n vadd.vi v14, v14, 1\n") READ SAVE,
        START("20", "4") FROM(" li x14, 0\n vmv.v.i v11, 0\n")
            LOOP_OF_COUNT("vblt", SUM " vmv.v.x v11, x14\n addi x14, x14, 1\n") READ SAVE,
    };
    static const char *const faults[] = {
        START("20", "4") FROM(" vmv.v.i v11, 0\n") UP("vblt", SUM " vsrl.vi v10, v11, 3\n vsll.vi v10, v10, 28\n"
                                                                  " vadd.vv v12, v8, v10\n vlw12.v v10, 0(v12)\n") SAVE,
    };
    (void)state;
    run_all(texts, COUNT(texts), LAUNCH_DONE);
    run_all(faults, COUNT(faults), LAUNCH_FAULT);
    for (uint64_t quantum = 90; quantum < 700; quantum += 122)
        run(START("20", "4") FROM(" vmv.v.i v11, 0\n") UP("vblt", SUM) READ SAVE, quantum, LAUNCH_DONE);
}

/* In one lane, late or early, in rounds that others do not have; where no lane has come when the loop is over. */
static void test_faults(void **state)
{
    static const char *const texts[] = {
        START("20", "4") LOOP(SUM FAR("5")) SAVE,
        START("20", "4") LOOP(SUM FAR("4")) SAVE,
        START("20", "4") ODD(LOOP(FAR("5") SUM)) SAVE,
        START("20", "4") ODD(" vadd.vi v1, v1, 3\n" LOOP(SUM " vadd.vi v10, v4, -7\n vsrl.vi v10, v10, 31\n"
                                                             " vsll.vi v10, v10, 28\n vloxei32.v v11, (x20), v10\n"))
            SAVE,
    };
    /* in the second warp, of few lanes: they run one by one when the first has found scattered addresses */
    static const char second[] = START("20", "4") " vsll.vx v4, v4, x6\n" LOOP(SUM FAR("6")) SAVE;
    static const char few[] = START("20", "5") " vsll.vx v4, v4, x6\n vsll.vx v4, v4, x6\n" LOOP(SUM FAR("5")) SAVE;
    struct pair p = {.text = second, .shape = shapes[3], .quantum = 1 << 16};
    struct pair q = {.text = few, .shape = {.warps = 2, .threads_per_warp = 32, .work_items = 40}, .quantum = 1 << 16};
    (void)state;
    run_all(texts, COUNT(texts), LAUNCH_FAULT);
    assert_int_equal(pair_run_levels(&p).status, LAUNCH_FAULT);
    assert_int_equal(pair_run_levels(&q).status, LAUNCH_FAULT);
}

/* Lanes diverge more often than the stack allows: 31 times two entries, below which there are others. */
static void test_depth(void **state)
{
    static const char text[] = START("0", "4") " vid.v v4\n" ODD(LOOP(SUM)) SAVE;
    static const char deep[] =
        START("0", "4") " vid.v v4\n vid.v v10\n1: auipc x8, %pcrel_hi(met)\n setrpc x0, x8, %pcrel_lo(1b)\n"
                        " vbeq v10, v13, 2f\n" LOOP(SUM) "2: nop\nmet: join\n" SAVE;
    struct pair p = {.shape = shapes[0], .order = PATH_TAKEN_FIRST, .quantum = 1 << 16};
    (void)state;
    p.text = text;
    assert_int_equal(pair_run_levels(&p).status, LAUNCH_DONE);
    p.text = deep;
    pair_run_levels(&p);
}

/* Time slices that end anywhere, within the loop's rounds and behind them. */
static void test_slices(void **state)
{
    (void)state;
    for (uint64_t quantum = 90; quantum < 700; quantum += 61)
        run(START("20", "4") LOOP(SUM) SAVE, quantum, LAUNCH_DONE);
    run(START("20", "4") LOOP(SUM FAR("5")) SAVE, 333, LAUNCH_FAULT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_loops),   cmocka_unit_test(test_numbers),
                                       cmocka_unit_test(test_scalars), cmocka_unit_test(test_counts),
                                       cmocka_unit_test(test_across),  cmocka_unit_test(test_faults),
                                       cmocka_unit_test(test_depth),   cmocka_unit_test(test_slices)};
    return cmocka_run_group_tests(tests, pair_setup, pair_teardown);
}
