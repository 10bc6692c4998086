/* The text of a report: each number of it in its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "check/check.h"

static void says(const struct check_report *r, const char *want)
{
    char have[1000] = "";
    FILE *f = fmemopen(have, sizeof have, "w");
    assert_non_null(f);
    check_describe(r, f);
    fclose(f);
    assert_string_equal(have, want);
}

static void test_race(void **state)
{
    (void)state;
    struct check_report r = {
        .kind = CHECK_RACES,
        .kernel = "mix",
        .what = "two stores",
        .where = "byte 4 of something",
        .addr = 0x90000004,
        .size = 4,
        .by = {.pc = 0x80000010,
               .line = 7,
               .instruction = "sw\ta1, 0(a0)",
               .does = "store",
               .first = {.group = {1, 2, 3}, .local = {4, 5, 6}, .global = {7, 8, 9}, .placed = true},
               .lanes = 1},
        .other = {.pc = 0x80000020,
                  .does = "load",
                  .first = {.group = {10, 11, 12}, .warp = 13, .lane = 14},
                  .lanes = 0x7000},
        .relation = "not ordered with",
        .count = 3,
    };
    says(&r, "check: races: two stores\n  in mix, line 7, pc 0x80000010: sw a1, 0(a0)\n"
             "  by work-item (7,8,9), (4,5,6) in group (1,2,3)\n  at 0x90000004: byte 4 of something\n"
             "  not ordered with the load of pc 0x80000020\n"
             "  by warp 13 lane 14 of group (10,11,12) and 2 others of its warp, lanes 00007000\n  3 times\n");
    r.other.lanes = 3;
    r.count = 1;
    says(&r, "check: races: two stores\n  in mix, line 7, pc 0x80000010: sw a1, 0(a0)\n"
             "  by work-item (7,8,9), (4,5,6) in group (1,2,3)\n  at 0x90000004: byte 4 of something\n"
             "  not ordered with the load of pc 0x80000020\n"
             "  by warp 13 lane 14 of group (10,11,12) and 1 other of its warp, lanes 00000003\n");
}

static void test_without_memory(void **state)
{
    (void)state;
    struct check_report r = {
        .kind = CHECK_ALIGN, .what = "odd", .where = "somewhere", .by = {.pc = 16, .lanes = 1}, .count = 2};
    says(&r, "check: align (warning): odd\n  in a launch, pc 0x00000010\n  by warp 0 lane 0 of group (0,0,0)\n"
             "  somewhere\n  2 times\n");
    r.where[0] = 0;
    r.count = 1;
    r.kind = CHECK_BOUNDS;
    r.other = (struct check_side){.pc = 32, .does = "store", .lanes = 1};
    r.relation = "behind";
    says(&r, "check: bounds: odd\n  in a launch, pc 0x00000010\n  by warp 0 lane 0 of group (0,0,0)\n"
             "  behind the store of pc 0x00000020\n"); /* of a race alone both sides are told */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_race), cmocka_unit_test(test_without_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
