/* Loops that lanes leave one after the other, until one is alone (translator/single_lane.c): whatever such a loop
 * holds, on `step` and on every host level of `native`, with the same result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pair.h"

/* x20 is the data, v31 the address of each work-item's word there, v30 of its byte, v1 to v3 are words from there, v5
 * counts rounds up to 61, x21 is the address of local memory. Lane 11 goes round most often, by the last four alone. */
#define START \
    " lui x20, 0x90000\n lui x21, 0x70000\n vid.v v31\n csrr x5, CSR_TID\n vadd.vx v31, v31, x5\n" \
    " vadd.vx v30, v31, x20\n vsll.vi v31, v31, 2\n vadd.vx v31, v31, x20\n vlw12.v v1, 0(v31)\n" \
    " vlw12.v v2, 512(v31)\n vlw12.v v3, 1024(v31)\n vid.v v4\n li x11, 20\n vxor.vx v4, v4, x11\n" \
    " vmul.vv v4, v4, v4\n vsrl.vi v4, v4, 4\n vmv.v.i v5, 0\n vmv.v.i v13, 0\n"
#define LOOP(body) \
    "loop: vadd.vi v5, v5, 1\n" body " vadd.vi v4, v4, -1\n9: auipc x8, %pcrel_hi(out)\n" \
    " setrpc x0, x8, %pcrel_lo(9b)\n vbge v4, v13, loop\nout: join\n"
#define SAVE \
    " lui x30, 0x4\n vadd.vx v30, v31, x30\n vsw12.v v1, 0(v30)\n vsw12.v v2, 512(v30)\n vsw12.v v3, 1024(v30)\n" \
    " vsw12.v v5, 1536(v30)\n endprg\n"

/* Lanes in which a register is not another one diverge. */
#define PART(registers, inside, other) \
    "1: auipc x8, %pcrel_hi(3f)\n setrpc x0, x8, %pcrel_lo(1b)\n vbne " registers ", 2f\n" inside " j 3f\n2:" other \
    "3: join\n"

/* Holds 1 in rounds in which a lane is alone, 0 before. */
#define LATE(v) " li x12, 57\n vrsub.vx " v ", v5, x12\n vsrl.vi " v ", " v ", 31\n"

static const struct launch shapes[] = {{.warps = 2, .threads_per_warp = 32, .work_items = 64},
                                       {.warps = 2, .threads_per_warp = 32, .work_items = 50}};

static void run(const char *text, uint64_t quantum, enum launch_status status)
{
    for (unsigned i = 0; i < 3; i++) {
        struct pair p = {
            .text = text, .shape = shapes[i % 2], .order = (enum path_order)i, .quantum = quantum, .shapes = true};
        assert_int_equal(pair_run_levels(&p).status, status);
    }
}

static void run_bodies(const char *const *texts, size_t n, enum launch_status status)
{
    for (size_t i = 0; i < n; i++) run(texts[i], 0, status);
}

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* Numbers, NaNs that are not canonical yet, registers that are numbers first and words then, and of one lane to a
 * scalar register. */
static void test_rows(void **state)
{
    static const char *const texts[] = {
        START LOOP(" vadd.vv v1, v1, v2\n vxor.vv v2, v2, v3\n vmul.vv v3, v3, v1\n vid.v v6\n vadd.vv v3, v3, v6\n")
            SAVE,
        START LOOP(" vfadd.vv v1, v1, v2\n vfmul.vv v2, v2, v3\n vfmacc.vv v3, v1, v2\n vfsub.vv v3, v3, v1\n") SAVE,
        START " vfmul.vv v1, v1, v1\n" LOOP(" vfdiv.vv v2, v2, v13\n vxor.vv v3, v3, v1\n vfmul.vv v1, v1, v2\n") SAVE,
        START " vfmul.vv v1, v1, v1\n vfadd.vv v2, v2, v1\n" LOOP(
            " vadd.vv v3, v3, v2\n vadd.vv v1, v1, v3\n vfadd.vv v2, v2, v2\n") SAVE,
        /* a copy of a NaN that is not canonical yet */
        START " li x12, 0x7f800000\n vmv.v.x v6, x12\n vsll.vi v7, v3, 31\n vfmul.vv v1, v6, v7\n" LOOP(
            " vmv.v.v v8, v1\n vxor.vv v2, v2, v8\n vfmul.vv v1, v6, v7\n") SAVE,
        START LOOP(" vdivu.vv v1, v2, v5\n vrem.vv v2, v3, v5\n vadd.vv v3, v3, v1\n") SAVE,
        /* by -2, -1, 0 and 1, and the least number by -1 */
        START LOOP(" vand.vi v6, v5, 3\n vadd.vi v6, v6, -2\n vadd.vi v7, v5, 1\n vsll.vi v7, v7, 30\n"
                   " vdiv.vv v8, v7, v6\n vadd.vv v1, v1, v8\n vrem.vv v8, v7, v6\n vxor.vv v2, v2, v8\n"
                   " vdivu.vv v8, v5, v6\n vadd.vv v3, v3, v8\n vremu.vv v8, v5, v6\n vxor.vv v3, v3, v8\n"
                   " vdiv.vv v8, v5, v6\n vadd.vv v3, v3, v8\n") SAVE,
        START " li x11, 0\n" LOOP(
            " addi x11, x11, 1\n andi x12, x11, 3\n addi x12, x12, -2\n addi x13, x11, 1\n slli x13, x13, 30\n"
            " div x14, x13, x12\n vadd.vx v1, v1, x14\n rem x14, x13, x12\n vxor.vx v2, v2, x14\n"
            " divu x14, x11, x12\n vadd.vx v3, v3, x14\n remu x14, x11, x12\n vxor.vx v3, v3, x14\n"
            " div x14, x11, x12\n vadd.vx v3, v3, x14\n") SAVE,
        START LOOP(" vmv.x.s x11, v1\n vadd.vx v2, v2, x11\n addi x11, x11, 7\n vxor.vx v1, v1, x11\n") SAVE,
        START LOOP(" vadd.vv v6, v1, v5\n vadd.vv v1, v6, v2\n") SAVE,
    };
    (void)state;
    run_bodies(texts, COUNT(texts), LAUNCH_DONE);
}

static void test_accesses(void **state)
{
    static const char *const texts[] = {
        START LOOP(" vsll.vi v6, v5, 2\n vadd.vv v7, v6, v31\n vlw12.v v1, 4(v7)\n vlhu12.v v2, 2(v7)\n vlb12.v v3, "
                   "3(v7)\n") SAVE,
        START LOOP(" vsll.vi v6, v5, 2\n vloxei32.v v1, (x20), v6\n vadd.vv v2, v2, v1\n vluxei16.v v3, (x20), v6\n")
            SAVE,
        START LOOP(" vsw12.v v1, 2044(v31)\n vadd.vv v1, v1, v5\n vsh12.v v1, 1024(v30)\n vlw12.v v2, 1028(v31)\n")
            SAVE,
        START LOOP(" vsll.vi v6, v5, 2\n vsoxei32.v v5, (x20), v6\n vlw12.v v2, 64(v31)\n") SAVE,
        START " vmv.v.i v6, 8\n" LOOP(" vsw.v v5, 4(v6)\n vlw.v v1, 4(v6)\n vsh.v v1, 2(v6)\n vlbu.v v2, 7(v6)\n") SAVE,
        START LOOP(" vsll.vi v6, v5, 2\n vadd.vx v6, v6, x21\n vsw12.v v1, 0(v6)\n vlw12.v v2, 4(v6)\n") SAVE,
        START LOOP(" lw x11, 12(x20)\n addi x11, x11, 3\n sw x11, 12(x20)\n vadd.vx v1, v1, x11\n") SAVE,
        START LOOP(" lw x11, 12(x20)\n csrr x12, CSR_WID\n csrr x13, mstatus\n vadd.vx v1, v1, x12\n vadd.vx v1, v1, "
                   "x13\n") SAVE,
    };
    (void)state;
    run_bodies(texts, COUNT(texts), LAUNCH_DONE);
}

/* A register that holds NaNs as the host makes them, and behind the loop words, in a lane that is alone there still. */
static void test_nans_of_others(void **state)
{
    (void)state;
    run(START " li x12, 0x7f800000\n vmv.v.x v6, x12\n vfsub.vv v6, v6, v6\n vid.v v7\n vadd.vi v7, v7, -11\n" PART(
            "v7, v13",
            LOOP(" vfadd.vv v6, v6, v6\n") " vadd.vi v6, v6, 1\n beq x0, x0, 4f\n nop\n4: vadd.vv v1, v1, v6\n",
            "") " vadd.vv v2, v2, v6\n" SAVE,
        0, LAUNCH_DONE);
}

/* Lanes that diverge within the loop, loops in the loop, branches of scalars and jumps; and instructions with which a
 * lane does not go alone. */
static void test_control(void **state)
{
    static const char *const texts[] = {
        START LOOP(" vand.vi v6, v5, 1\n" PART("v6, v13", " vadd.vv v1, v1, v2\n", " vxor.vv v2, v2, v3\n")) SAVE,
        START LOOP(" vand.vv v6, v5, v1\n vand.vi v6, v6, 3\n" PART(
            "v6, v13", PART("v5, v6", " vadd.vi v3, v3, 1\n", ""), " vfadd.vv v3, v3, v3\n")) SAVE,
        START LOOP(" vand.vi v6, v5, 7\ninner: vadd.vv v1, v1, v6\n vadd.vi v6, v6, -1\n8: auipc x8, %pcrel_hi(end)\n"
                   " setrpc x0, x8, %pcrel_lo(8b)\n vbge v6, v13, inner\nend: join\n") SAVE,
        START LOOP(" li x11, 3\n4: vadd.vx v1, v1, x11\n addi x11, x11, -1\n bne x11, x0, 4b\n j 5f\n nop\n5: nop\n")
            SAVE,
        START LOOP(" vmv.v.i v0, 5\n vadd.vi v1, v1, 1, v0.t\n") SAVE,
        START LOOP(" vmv.v.i v6, 1\n amoadd.w v7, v6, (v31)\n vadd.vv v1, v1, v7\n") SAVE,
        START LOOP(" csrr x11, vl\n vadd.vx v1, v1, x11\n") SAVE,
        START LOOP(PART("v13, v13", " nop\n", " barrier 1\n") " vadd.vi v1, v1, 3\n") SAVE,
        START LOOP(LATE("v6") PART("v6, v13", " vadd.vi v1, v1, 3\n", " csrr x11, vl\n vadd.vx v2, v2, x11\n")) SAVE,
    };
    (void)state;
    run_bodies(texts, COUNT(texts), LAUNCH_DONE);
}

/* A lane that is alone, and each lane before. */
static void test_faults(void **state)
{
    static const char *const texts[] = {
        START LOOP(LATE("v6") " vsll.vi v6, v6, 28\n vadd.vv v7, v31, v6\n vlw12.v v3, 8(v7)\n vadd.vi v1, v1, 1\n")
            SAVE,
        START LOOP(LATE("v6") " vsll.vi v6, v6, 28\n vloxei32.v v3, (x20), v6\n") SAVE,
        START LOOP(LATE("v6") " vsll.vi v6, v6, 28\n vadd.vv v7, v31, v6\n vadd.vi v1, v1, 1\n vsh12.v v3, 8(v7)\n")
            SAVE,
        START LOOP(LATE("v6") " vsll.vi v6, v6, 28\n vsoxei32.v v1, (x20), v6\n") SAVE,
        START LOOP(LATE("v6") " vmv.x.s x11, v6\n slli x11, x11, 28\n add x11, x11, x20\n lw x11, 0(x11)\n") SAVE,
        START LOOP(LATE("v6") PART("v6, v13", " vadd.vi v1, v1, 3\n", " .word 0\n")) SAVE,
        /* half a word that is in two, of private memory: for `step` */
        START LOOP(LATE("v6") " vadd.vi v6, v6, 2\n vsh.v v5, 4(v6)\n vadd.vi v2, v2, 1\n") SAVE,
        START LOOP(LATE("v6") " vadd.vi v6, v6, 2\n vlhu.v v1, 4(v6)\n vadd.vi v2, v2, 1\n") SAVE,
    };
    (void)state;
    run_bodies(texts, COUNT(texts), LAUNCH_FAULT);
}

/* Time slices that end anywhere in it. */
static void test_slices(void **state)
{
    (void)state;
    for (uint64_t quantum = 20; quantum < 28; quantum++)
        run(START LOOP(" vand.vi v6, v5, 1\n vfmul.vv v1, v1, v1\n" PART("v6, v13", " vadd.vv v3, v1, v2\n", "")) SAVE,
            quantum, LAUNCH_DONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows),     cmocka_unit_test(test_nans_of_others),
                                       cmocka_unit_test(test_accesses), cmocka_unit_test(test_control),
                                       cmocka_unit_test(test_faults),   cmocka_unit_test(test_slices)};
    return cmocka_run_group_tests(tests, pair_setup, pair_teardown);
}
