/* Code for convergent warps, and code for divergent ones, which takes its place: programs in which they do,
 * early and late, on `step` and on every host level of `native`, with the same result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pair.h"

/* x20 is the data, v31 the address of each work-item's word there, v1 to v3 and x10 are numbers from there. */
#define LOAD \
    " lui x20, 0x90000\n vid.v v31\n csrr x5, CSR_TID\n vadd.vx v31, v31, x5\n vsll.vi v31, v31, 2\n" \
    " vadd.vx v31, v31, x20\n vlw12.v v1, 0(v31)\n vlw12.v v2, 512(v31)\n vlw12.v v3, 1024(v31)\n lw x10, 1024(x20)\n"
#define SAVE \
    " lui x30, 0x4\n vadd.vx v30, v31, x30\n vsw12.v v1, 0(v30)\n vsw12.v v2, 512(v30)\n vsw12.v v3, 1024(v30)\n" \
    " endprg\n"

/* Lanes in which v6 is not v7 diverge around `inside`. */
#define PART(inside) \
    "1: auipc x8, %pcrel_hi(3f)\n setrpc x0, x8, %pcrel_lo(1b)\n vbne v6, v7, 2f\n" inside "2: j 3f\n3: join\n"

/* Runs the program on each level, on one of three with the translator's usual effort, in turn; `least` of its
 * instructions are translated, on each. */
static struct result run(struct pair p, uint64_t least)
{
    static unsigned calls;
    struct result r = {0};
    const char *level;
    p.convergent = true;
    calls++;
    for (unsigned i = 0; (level = pair_level(i)); i++) {
        uint64_t translated;
        setenv("VENTUS_NATIVE_LEVEL", level, 1);
        if (i % 3 == calls % 3) unsetenv("VENTUS_TRANSLATE_EFFORT");
        else setenv("VENTUS_TRANSLATE_EFFORT", "least", 1);
        r = pair_run(&p, &translated);
        if (translated < least)
            fail_msg("%s: %llu of %llu instructions translated", level, (unsigned long long)translated,
                     (unsigned long long)r.counters.instructions);
    }
    unsetenv("VENTUS_NATIVE_LEVEL");
    unsetenv("VENTUS_TRANSLATE_EFFORT");
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

/* They part in one round of a loop, the first one or a late one, in each order of the paths; what follows runs in the
 * other code, which looks at what the lanes hold that there are. */
static void test_parting(void **state)
{
    static const int rounds[] = {1, 50};
    static const struct launch shapes[] = {{.warps = 4, .threads_per_warp = 32, .work_items = 128},
                                           {.warps = 1, .threads_per_warp = 32, .work_items = 21},
                                           {.warps = 1, .threads_per_warp = 32, .work_items = 6}};
    (void)state;
    for (unsigned i = 0; i < 18; i++) {
        const struct launch *shape = &shapes[i / 6];
        char text[2000];
        snprintf(text, sizeof text,
                 LOAD
                 " li x9, 100\n vmv.v.x v6, x0\nloop: li x11, %d\n vid.v v7\n vand.vi v7, v7, 5\n sub x11, x11, x9\n"
                 " seqz x11, x11\n vmul.vx v7, v7, x11\n vadd.vv v1, v1, v2\n"
                 "%s vxor.vv v2, v2, v3\n addi x9, x9, -1\n bne x9, x0, loop\n" SAVE,
                 100 - rounds[i % 2], PART(" vadd.vi v3, v3, 3\n vsw12.v v3, 1536(v31)\n"));
        struct result r = run((struct pair){.text = text, .shape = *shape, .order = (enum path_order)(i / 2 % 3)},
                              1000 * shape->warps);
        assert_int_equal(r.counters.divergent, shape->warps);
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

/* An access fails where lanes have diverged and where they have not; an illegal instruction stands on one path. */
static void test_faults(void **state)
{
#define START LOAD " vid.v v7\n vmv.v.x v6, x0\n"
    static const char *const texts[] = {START PART(" vlw12.v v3, 0(v1)\n") SAVE, START PART(" .word 0\n") SAVE,
                                        START " vlw12.v v3, 0(v1)\n" PART(" nop\n") SAVE};
    (void)state;
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(run((struct pair){.text = texts[i], .shape = four_warps}, 1).status, LAUNCH_FAULT);
}

/* Warps with fewer lanes have code of their own, which is for all that they have: nothing is left for `step`, neither
 * where they are convergent nor where they diverge. Accesses of all kinds leave alone what lies behind, which is
 * compared, and do not fail there. */
static void test_fewer_lanes(void **state)
{
    static const char together[] =
        LOAD " vand.vi v4, v1, 12\n vadd.vv v4, v4, v31\n li x12, 8\n li x11, 0x6000\n add x11, x11, x20\n"
             " vid.v v5\n vsll.vi v5, v5, 3\n vadd.vx v5, v5, x11\n vsw12.v v1, 0(v5)\n vlw12.v v6, 4(v5)\n"
             " vse32.v v2, (x11)\n vlse32.v v7, (x20), x12\n vadd.vv v1, v1, v7\n vadd.vv v1, v1, v6\n"
             " vsb12.v v1, 256(v5)\n vlh12.v v8, 2(v5)\n vlbu12.v v9, 1(v4)\n vadd.vv v2, v8, v9\n"
             " amoadd.w v3, v2, (v4)\n vmv.x.s x13, v1\n barrier 1\n vadd.vx v2, v2, x13\n" SAVE;
    static const char apart[] = LOAD " vid.v v7\n vmv.v.x v6, x0\n li x9, 3\nloop: " PART(
        " vadd.vi v3, v3, 3\n vsw12.v v3, 1536(v31)\n") " addi x9, x9, -1\n bne x9, x0, loop\n" SAVE;
    static const uint32_t items[] = {1, 5, 8, 16, 23, 33, 100};
    (void)state;
    for (unsigned i = 0; i < sizeof items / sizeof *items; i++) {
        struct launch shape = {.warps = (items[i] + 31) / 32, .threads_per_warp = 32, .work_items = items[i]};
        shape.groups[0] = 3;
        struct result r = run((struct pair){.text = together, .shape = shape}, 0);
        assert_int_equal(r.status, LAUNCH_DONE);
        run((struct pair){.text = together, .shape = shape}, r.counters.instructions);
        run((struct pair){.text = apart, .shape = shape}, 1);
    }
}

/* The last group of each row, or row, has fewer work-items: others neither exist nor count, and nothing is left for
 * `step`. */
static void test_last_groups(void **state)
{
    static const struct {
        uint32_t warps, items, last, groups[2], last_of;
    } shapes[] = {{1, 32, 5, {4, 1}}, {1, 32, 16, {1, 6}}, {3, 96, 70, {2, 5}},   {2, 64, 33, {7, 3}},
                  {1, 20, 3, {5, 3}}, {2, 50, 40, {3, 4}}, {4, 128, 97, {40, 2}}, {2, 64, 40, {1, 30}, 1}};
    static const char *const texts[] = {
        " csrr x6, CSR_GIDX\n csrr x7, CSR_GIDY\n csrr x5, CSR_TID\n slli x6, x6, 7\n slli x7, x7, 13\n add x5, x5, "
        "x6\n"
        " add x5, x5, x7\n li x21, 0x3fff\n lui x20, 0x90000\n vid.v v1\n vadd.vx v1, v1, x5\n vand.vx v1, v1, x21\n "
        "vsll.vi v1, v1, 2\n"
        " vadd.vx v1, v1, x20\n vmv.v.i v2, 1\n amoadd.w v3, v2, (v1)\n endprg\n",
        " lui x20, 0x90000\n vid.v v1\n vsll.vi v1, v1, 2\n vadd.vx v1, v1, x20\n vlw12.v v2, 0(v1)\n barrier 1\n"
        " vmv.v.i v2, 1\n amoadd.w v3, v2, (v1)\n endprg\n"};
    static const uint32_t vectors[] = {7, 6};
    (void)state;
    for (unsigned i = 0; i < 2 * (sizeof shapes / sizeof *shapes); i++) {
        uint32_t *groups = (uint32_t[]){shapes[i / 2].groups[0], shapes[i / 2].groups[1]};
        uint32_t d = shapes[i / 2].last_of;
        uint32_t items = ((groups[d] - 1) * shapes[i / 2].items + shapes[i / 2].last) * groups[1 - d];
        struct launch shape = {.warps = shapes[i / 2].warps,
                               .threads_per_warp = 32,
                               .work_items = shapes[i / 2].items,
                               .last_items = shapes[i / 2].last,
                               .last_of = d,
                               .groups = {groups[0], groups[1]}};
        struct result r = run((struct pair){.text = texts[i % 2], .shape = shape}, 0);
        assert_int_equal(r.counters.lanes, (uint64_t)items * vectors[i % 2]);
        assert_int_equal(r.counters.groups, groups[0] * groups[1]);
        run((struct pair){.text = texts[i % 2], .shape = shape}, r.counters.instructions);
    }
}

/* What lies behind the lanes that a warp has cannot be read or written. */
static void test_end_of_memory(void **state)
{
    static const char text[] = " lui x20, 0x90010\n addi x20, x20, %d\n vid.v v6\n vsll.vi v6, v6, 2\n"
                               " vadd.vx v6, v6, x20\n vlw12.v v7, 0(v6)\n vadd.vi v7, v7, 1\n vsw12.v v7, 0(v6)\n"
                               " vlb12.v v8, 3(v6)\n vsb12.v v8, 2(v6)\n endprg\n";
    static const uint32_t items[] = {1, 3, 7, 9, 12, 17, 30};
    (void)state;
    for (unsigned i = 0; i < sizeof items / sizeof *items; i++) {
        struct launch shape = {.warps = 1, .threads_per_warp = 32, .work_items = items[i]};
        char program[1000];
        for (int more = 0; more < 2; more++) {
            snprintf(program, sizeof program, text, 4 * (more - (int)items[i]));
            struct result r = run((struct pair){.text = program, .shape = shape}, 1);
            assert_int_equal(r.status, more ? LAUNCH_FAULT : LAUNCH_DONE);
        }
    }
}

/* A warp that comes back from `step` with fewer lanes does not enter code for all. */
static void test_no_way_in(void **state)
{
    (void)state;
    static const char text[] = LOAD " vid.v v7\n vmv.v.x v6, x0\n li x9, 20\n" PART(
        "loop: vadd.vi v3, v3, 3\n csrr x12, vl\n addi x9, x9, -1\n bne x9, x0, loop\n") SAVE;
    run((struct pair){.text = text, .shape = four_warps, .quantum = 10}, 1);
}

/* Groups follow one another without the machine's knowing, but for the last one, which has other lanes. */
static void test_end_of_stretch(void **state)
{
    static const char text[] =
        " lui x20, 0x90000\n vmv.v.x v31, x20\n vmv.v.i v1, 1\n amoadd.w v2, v1, (v31)\n endprg\n";
    (void)state;
    for (uint32_t groups = 2; groups < 200; groups = groups * 3 / 2 + 1) {
        struct pair p = {.text = text, .quantum = 1 << 16};
        p.shape =
            (struct launch){.warps = 1, .threads_per_warp = 32, .work_items = 32, .groups = {groups}, .last_items = 7};
        assert_int_equal(run(p, 1).counters.lanes, (groups - 1) * 32 * 3 + 7 * 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_together),    cmocka_unit_test(test_parting),     cmocka_unit_test(test_parting_of_some),
        cmocka_unit_test(test_faults),      cmocka_unit_test(test_fewer_lanes), cmocka_unit_test(test_end_of_memory),
        cmocka_unit_test(test_last_groups), cmocka_unit_test(test_no_way_in),   cmocka_unit_test(test_end_of_stretch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
