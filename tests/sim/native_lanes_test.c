/* Code for lanes that stay together, and code for those that part, which takes its place: programs in which they do,
 * early and late, on `step` and on every host level of `native`, with the same result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "native_pair.h"

/* x20 is the data, v31 the address of each work-item's word there, v1 to v3 and x10 are numbers from there. */
#define LOAD \
    " lui x20, 0x90000\n vid.v v31\n csrr x5, CSR_TID\n vadd.vx v31, v31, x5\n vsll.vi v31, v31, 2\n" \
    " vadd.vx v31, v31, x20\n vlw12.v v1, 0(v31)\n vlw12.v v2, 512(v31)\n vlw12.v v3, 1024(v31)\n lw x10, 1024(x20)\n"
#define SAVE \
    " lui x30, 0x4\n vadd.vx v30, v31, x30\n vsw12.v v1, 0(v30)\n vsw12.v v2, 512(v30)\n vsw12.v v3, 1024(v30)\n" \
    " endprg\n"

/* Lanes part in which v6 is not v7, around `inside`. */
#define PART(inside) \
    "1: auipc x8, %pcrel_hi(3f)\n setrpc x0, x8, %pcrel_lo(1b)\n vbne v6, v7, 2f\n" inside "2: j 3f\n3: join\n"

/* Runs the program on each level; `least` of its instructions are translated, on each. */
static struct result run(struct pair p, uint64_t least)
{
    struct result r = {0};
    const char *level;
    p.together = true;
    for (unsigned i = 0; (level = pair_level(i)); i++) {
        uint64_t translated;
        setenv("VENTUS_NATIVE_LEVEL", level, 1);
        r = pair_run(&p, &translated);
        if (translated < least)
            fail_msg("%s: %llu of %llu instructions translated", level, (unsigned long long)translated,
                     (unsigned long long)r.counters.instructions);
    }
    unsetenv("VENTUS_NATIVE_LEVEL");
    return r;
}

static const struct launch four_warps = {.warps = 4, .threads_per_warp = 32, .work_items = 128};

/* Lanes never part: all of it is translated. */
static void test_together(void **state)
{
    (void)state;
    static const char text[] =
        LOAD " li x9, 9\n vid.v v6\n vid.v v7\nloop: vadd.vv v1, v1, v2\n vxor.vv v2, v2, v3\n" PART(
            " vadd.vi v3, v3, 3\n") " addi x9, x9, -1\n bne x9, x0, loop\n barrier 1\n" SAVE;
    struct result r = run((struct pair){.text = text, .shape = four_warps}, 0);
    assert_int_equal(r.counters.divergent, 0);
    assert_int_equal(run((struct pair){.text = text, .shape = four_warps}, r.counters.instructions).status,
                     LAUNCH_DONE);
}

/* They part in one round of a loop, the first one or a late one, in each order of the sides; what follows runs in the
 * other code. */
static void test_parting(void **state)
{
    static const int rounds[] = {1, 50};
    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        char text[2000];
        snprintf(text, sizeof text,
                 LOAD
                 " li x9, 100\n vmv.v.x v6, x0\nloop: li x11, %d\n vid.v v7\n vand.vi v7, v7, 5\n sub x11, x11, x9\n"
                 " seqz x11, x11\n vmul.vx v7, v7, x11\n vadd.vv v1, v1, v2\n"
                 "%s vxor.vv v2, v2, v3\n addi x9, x9, -1\n bne x9, x0, loop\n" SAVE,
                 100 - rounds[i % 2], PART(" vadd.vi v3, v3, 3\n vsw12.v v3, 1536(v31)\n"));
        struct result r =
            run((struct pair){.text = text, .shape = four_warps, .order = (enum path_order)(i / 2)}, 4000);
        assert_int_equal(r.counters.divergent, 4);
    }
}

/* They part around a barrier, which is in a loop: the group's warps are in both kinds of code. */
static void test_parting_of_some(void **state)
{
    (void)state;
    static const char text[] =
        LOAD " li x9, 30\n vid.v v7\n csrr x11, CSR_WID\n andi x11, x11, 1\n vmul.vx v7, v7, x11\n"
             " vmv.v.x v6, x0\nloop: vadd.vv v1, v1, v2\n" PART(
                 " vadd.vi v3, v3, 3\n") " vsw12.v v1, 1536(v31)\n barrier 1\n vlw12.v v2, 1536(v31)\n addi x9, x9, "
                                         "-1\n bne x9, x0, loop\n" SAVE;
    struct result r = run((struct pair){.text = text, .shape = four_warps}, 500);
    assert_int_equal(r.counters.divergent, 2 * 30);
}

/* An access fails where lanes have parted and where they have not; an illegal instruction stands on one side. */
static void test_faults(void **state)
{
#define START LOAD " vid.v v7\n vmv.v.x v6, x0\n"
    static const char *const texts[] = {START PART(" vlw12.v v3, 0(v1)\n") SAVE, START PART(" .word 0\n") SAVE,
                                        START " vlw12.v v3, 0(v1)\n" PART(" nop\n") SAVE};
    (void)state;
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(run((struct pair){.text = texts[i], .shape = four_warps}, 1).status, LAUNCH_FAULT);
}

/* Groups whose last warp has fewer lanes begin with the code for lanes that part: nothing is left for `step`. */
static void test_odd_groups(void **state)
{
    (void)state;
    static const char text[] = LOAD " vid.v v7\n vmv.v.x v6, x0\n" PART(" vadd.vi v3, v3, 3\n") SAVE;
    static const struct launch shape = {.warps = 2, .threads_per_warp = 32, .work_items = 40};
    struct result r = run((struct pair){.text = text, .shape = shape}, 0);
    run((struct pair){.text = text, .shape = shape}, r.counters.instructions);
}

/* A warp that comes back from `step` with fewer lanes does not enter code for all. */
static void test_no_way_in(void **state)
{
    (void)state;
    static const char text[] = LOAD " vid.v v7\n vmv.v.x v6, x0\n li x9, 20\n" PART(
        "loop: vadd.vi v3, v3, 3\n csrr x12, vl\n addi x9, x9, -1\n bne x9, x0, loop\n") SAVE;
    run((struct pair){.text = text, .shape = four_warps, .quantum = 10}, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_together), cmocka_unit_test(test_parting),    cmocka_unit_test(test_parting_of_some),
        cmocka_unit_test(test_faults),   cmocka_unit_test(test_odd_groups), cmocka_unit_test(test_no_way_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
