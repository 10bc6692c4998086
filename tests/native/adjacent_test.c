/* Loads that find bytes beside each other in each lane, which translator/adjacent.c makes together: programs of them at
 * addresses of every shape, on `step` and on every host level of `native`, with the same result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pair.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* x20 is the data, x14 the middle of it; v6 is x14 + lane * x9. */
#define BASE      " lui x20, 0x90000\n lui x14, 0x8\n add x14, x14, x20\n"
#define ADDRESSES " vid.v v6\n vmul.vx v6, v6, x9\n vadd.vx v6, v6, x14\n"
#define MIX(v)    " vxor.vv v1, v1, " v "\n vmul.vx v1, v1, x12\n"

/* Sets of loads: whole and in part, in any order, of all sizes, with what keeps them apart. */
static const char *const loads[] = {
    " vlw12.v v7, 0(v6)\n vlw12.v v8, 4(v6)\n vlw12.v v9, 8(v6)\n vlw12.v v10, 12(v6)\n",
    " vlw12.v v7, 12(v6)\n vlw12.v v8, 8(v6)\n vlw12.v v9, -4(v6)\n vlw12.v v10, 24(v6)\n",
    " vlw12.v v7, -4(v6)\n vlw12.v v8, 0(v6)\n vlw12.v v9, -4(v6)\n vlw12.v v10, 16(v6)\n",
    " vlhu12.v v7, 0(v6)\n vlh12.v v8, 2(v6)\n vlhu12.v v9, 4(v6)\n vlh12.v v10, 6(v6)\n",
    " vlbu12.v v7, 1(v6)\n vlb12.v v8, 0(v6)\n vlb12.v v9, 3(v6)\n vlbu12.v v10, 2(v6)\n",
    " vlb12.v v7, 3(v6)\n vlh12.v v8, 5(v6)\n vlw12.v v9, 7(v6)\n vlbu12.v v10, 14(v6)\n",
    /* the second one reads what has been stored between them; the last one has other addresses */
    " vlw12.v v7, 0(v6)\n vsw12.v v6, 4(v6)\n vlw12.v v8, 4(v6)\n vlw12.v v9, 0(v6)\n vlw12.v v6, 8(v6)\n"
    " vand.vi v6, v6, 12\n vadd.vx v6, v6, x14\n vlw12.v v10, 12(v6)\n",
    /* two sets in turn, and one lane's mask */
    " vadd.vi v5, v6, 12\n vlw12.v v7, 0(v6)\n vlw12.v v8, 0(v5)\n vlw12.v v9, 8(v6)\n vlw12.v v10, 8(v5)\n"
    " vmv.v.x v0, x9\n vle32.v v10, (x14), v0.t\n",
    /* no lane at all */
    " vmv.v.x v7, x9\n vmv.v.v v8, v7\n vmv.v.v v9, v7\n vmv.v.v v10, v7\n vsub.vx v5, v6, x14\n vmv.v.i v0, 0\n"
    " vloxei32.v v10, (x14), v5, v0.t\n",
};

static const char mixed[] = MIX("v7") MIX("v8") MIX("v9") MIX("v10");

/* What a program finds in front of its data: it reads there what is to differ from run to run, of one translation. */
enum { NUMBERS = 4, MOST_SETS = 20 };

struct sets {
    uint32_t number[MOST_SETS][NUMBERS];
    size_t count;
    struct result results[MOST_SETS];
};

/* Where in memory it is, from its middle on or from its end. */
enum { MIDDLE = 0x90008000, END = 0x90010000 };

static void add_set(struct sets *sets, int from, int offset, int second, int third)
{
    const uint32_t numbers[NUMBERS] = {(uint32_t)from + (uint32_t)offset, (uint32_t)second, (uint32_t)third};
    assert_true(sets->count < MOST_SETS);
    memcpy(sets->number[sets->count++], numbers, sizeof numbers);
}

/* With all lanes, and in warps of fewer: half of the chunks, and a last chunk in which some are missing, in turn. */
static struct result run_sets(const char *text, struct sets *sets)
{
    static const uint32_t fewer[] = {16, 13, 8};
    static unsigned turn;
    struct pair p = {.text = text, .shapes = true};
    if (sets) {
        p.words = sets->number[0];
        p.count = NUMBERS;
        p.sets = sets->count;
        p.results = sets->results;
    }
    p.shape = (struct launch){.warps = 1, .threads_per_warp = 32, .work_items = fewer[turn++ % 3]};
    pair_run_levels(&p);
    p.shape = (struct launch){0};
    return pair_run_levels(&p);
}

static struct result run(const char *text) { return run_sets(text, NULL); }

/* Lanes as far from each other as they may be, one distance after the other: nobody knows it in advance. */
static void test_distances(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(loads); i++) {
        char text[1500];
        snprintf(text, sizeof text,
                 BASE " li x9, -24\n li x13, 560\n li x12, 77\nloop: addi x9, x9, 2\n vid.v v1\n" ADDRESSES "%s%s"
                      " sub x15, x13, x9\n vid.v v2\n vsll.vi v2, v2, 2\n vadd.vx v2, v2, x20\n vlw12.v v3, 0(v2)\n"
                      " vxor.vv v3, v3, v1\n vmul.vx v3, v3, x12\n vsw12.v v3, 0(v2)\n bge x15, x0, loop\n endprg\n",
                 loads[i], mixed);
        struct result r = run(text);
        assert_int_equal(r.status, LAUNCH_DONE);
    }
}

/* Distances that the code shows; some lanes' words lie on two pages where lanes are near each other. */
static void test_known_distances(void **state)
{
    static const int distances[] = {0, 2, 4, 8, 16, 20, 32, 1028};
    (void)state;
    for (size_t i = 0; i < COUNT(distances); i++)
        for (size_t k = 0; k < 4; k++) {
            char text[1000];
            snprintf(text, sizeof text,
                     BASE " addi x14, x14, %d\n li x9, %d\n li x12, 77\n vid.v v1\n" ADDRESSES
                          "%s%s vid.v v2\n vsll.vi v2, v2, 2\n vadd.vx v2, v2, x20\n vsw12.v v1, 0(v2)\n endprg\n",
                     distances[i] > 32 ? -2048 : -6 * distances[i] - 4, distances[i] & (k < 3 ? ~3 : ~0), loads[k],
                     mixed);
            struct result r = run(text);
            assert_int_equal(r.status, LAUNCH_DONE);
        }
}

/* One lane's words lie across the end of what there is, or a page is not there: the same load fails, for the same lane.
 */
static void test_ends_of_memory(void **state)
{
    static const int ends[] = {16, 12, 8, 4, 0, -4};
    struct sets sets = {0};
    (void)state;
    for (size_t i = 0; i < COUNT(ends); i++) add_set(&sets, END, -ends[i], 0, 0);
    run_sets(" lui x20, 0x90000\n lw x14, 0(x20)\n li x9, -40\n sw x9, -1024(x14)\n lw x9, -1024(x14)\n" ADDRESSES
             " vlw12.v v7, 0(v6)\n vlw12.v v8, 4(v6)\n vadd.vi v8, v8, 1\n vlw12.v v9, 8(v6)\n"
             " vlw12.v v10, 12(v6)\n endprg\n",
             &sets);
    for (size_t i = 0; i < COUNT(ends); i++) {
        assert_int_equal(sets.results[i].status, i ? LAUNCH_FAULT : LAUNCH_DONE);
        if (i) assert_int_equal(sets.results[i].fault.addr, 0x90010000 + (ends[i] < 0 ? 4 : 0));
    }
}

/* Bytes and half words that lie near each other, whose distance the code shows: in sets without gaps between lanes, and
 * alone; in front of the end of a page and of memory, and across it. */
static void test_near_numbers(void **state)
{
    static const char *const near[] = {
        " vlbu12.v v7, 1(v6)\n vlb12.v v8, 0(v6)\n vlbu12.v v9, 2(v6)\n vlb12.v v10, 5(v6)\n",
        " vlb12.v v7, 0(v6)\n vmv.v.v v8, v7\n vlhu12.v v9, 4(v6)\n vlh12.v v10, 10(v6)\n",
        " vlh12.v v7, 2(v6)\n vlhu12.v v8, 0(v6)\n vlbu12.v v9, 7(v6)\n vlb12.v v10, 4(v6)\n",
    };
    static const int distances[] = {2, 3, 4, 6, 8, 12};
    (void)state;
    for (size_t i = 0; i < COUNT(distances); i++)
        for (size_t k = 0; k < COUNT(near); k++) {
            const int span = 31 * distances[i];
            char text[1000];
            struct sets sets = {0};
            snprintf(text, sizeof text,
                     " lui x20, 0x90000\n lw x14, 0(x20)\n li x9, %d\n li x12, 77\n vid.v v1\n" ADDRESSES
                     "%s%s vid.v v2\n vsll.vi v2, v2, 2\n vadd.vx v2, v2, x20\n vsw12.v v1, 1024(v2)\n endprg\n",
                     distances[i], near[k], mixed);
            for (int at = 0; at < 4; at++) add_set(&sets, MIDDLE, -span - at, 0, 0);
            add_set(&sets, MIDDLE, -1, 0, 0);
            add_set(&sets, MIDDLE, -span / 2, 0, 0);
            for (int at = 0; at < 13; at += 2) add_set(&sets, END, -span - at, 0, 0);
            run_sets(text, &sets);
            assert_int_equal(sets.results[0].status, LAUNCH_DONE);
            assert_int_equal(sets.results[6].status, LAUNCH_FAULT);
            assert_int_equal(sets.results[12].status, LAUNCH_DONE);
        }
}

/* Between adjacent stores what has been loaded is loaded again: from where nothing is stored, in front of it, in the
 * middle and behind, and in front of the end of a page and of memory. */
static void test_loads_between_stores(void **state)
{
    static const char *const programs[] = {
        " vadd.vv v6, v2, v6\n vadd.vv v5, v2, v5\n vadd.vv v5, v2, v5\n vlbu12.v v7, 0(v6)\n vadd.vi v8, v7, 3\n"
        " vsb12.v v8, 0(v5)\n vlbu12.v v7, 0(v6)\n vmul.vx v8, v7, x12\n vsb12.v v8, 1(v5)\n",
        " vadd.vv v6, v3, v6\n vadd.vv v5, v4, v5\n vlh12.v v7, 2(v6)\n vlw12.v v9, 0(v6)\n vsh12.v v7, 0(v5)\n"
        " vlw12.v v9, 0(v6)\n vlh12.v v7, 2(v6)\n vadd.vv v8, v7, v9\n vsh12.v v8, 2(v5)\n",
        /* two, which are a set when they are loaded first */
        " vadd.vv v6, v3, v6\n vadd.vv v5, v3, v5\n vlb12.v v9, 1(v6)\n vlbu12.v v7, 0(v6)\n vsb12.v v7, 0(v5)\n"
        " vlbu12.v v7, 0(v6)\n vlb12.v v9, 1(v6)\n vmul.vv v8, v7, v9\n vsb12.v v8, 1(v5)\n",
        /* other bytes; another address */
        " vadd.vv v6, v2, v6\n vadd.vv v5, v3, v5\n vlb12.v v7, 0(v6)\n vsh12.v v7, 0(v5)\n vlb12.v v7, 1(v6)\n"
        " vsh12.v v7, 2(v5)\n",
        " vadd.vv v6, v2, v6\n vadd.vv v5, v3, v5\n vlb12.v v7, 0(v6)\n vsb12.v v7, 0(v5)\n vadd.vi v6, v6, 5\n"
        " vlb12.v v7, 0(v6)\n vsb12.v v7, 1(v5)\n",
    };
    static const int distances[] = {-200, -129, -65, -64, -63, -32, -31, -3, 0, 5, 34, 63, 64, 65, 127, 128, 300};
    (void)state;
    for (size_t i = 0; i < COUNT(programs); i++) {
        char text[1000];
        struct sets sets = {0};
        snprintf(text, sizeof text,
                 " lui x20, 0x90000\n lw x14, 0(x20)\n lw x15, 4(x20)\n li x12, 77\n vid.v v2\n vadd.vv v3, v2, v2\n"
                 " vadd.vv v4, v3, v3\n vmv.v.x v6, x14\n vmv.v.x v5, x15\n%s endprg\n",
                 programs[i]);
        for (size_t k = 0; k < COUNT(distances); k++) add_set(&sets, MIDDLE, 1024, MIDDLE + 1024 + distances[k], 0);
        add_set(&sets, MIDDLE, 0, MIDDLE - 63, 0);
        add_set(&sets, MIDDLE, -63, MIDDLE + 1024, 0);
        add_set(&sets, MIDDLE, 0, i == 3 ? END : END - 31 * (i == 1 ? 4 : 2) - 1, 0);
        run_sets(text, &sets);
        for (size_t k = 0; k < COUNT(distances) + 2; k++) assert_int_equal(sets.results[k].status, LAUNCH_DONE);
        assert_int_equal(sets.results[COUNT(distances) + 2].status, LAUNCH_FAULT);
    }
}

/* The same for the last lane, of those whose distance the code shows. */
static void test_known_ends(void **state)
{
    static const int distances[] = {16, 32, 64}, ends[] = {16, 12, 8, 4, 0};
    (void)state;
    for (size_t i = 0; i < COUNT(distances); i++) {
        char text[1000];
        struct sets sets = {0};
        snprintf(text, sizeof text,
                 " lui x20, 0x90000\n lw x14, 0(x20)\n li x9, %d\n" ADDRESSES
                 " vlw12.v v7, 0(v6)\n vlw12.v v8, 4(v6)\n vadd.vi v8, v8, 1\n vlw12.v v9, 8(v6)\n"
                 " vlw12.v v10, 12(v6)\n endprg\n",
                 distances[i]);
        for (size_t k = 0; k < COUNT(ends); k++) add_set(&sets, END, -ends[k] - 31 * distances[i], 0, 0);
        run_sets(text, &sets);
        for (size_t k = 0; k < COUNT(ends); k++) {
            assert_int_equal(sets.results[k].status, k ? LAUNCH_FAULT : LAUNCH_DONE);
            if (k) assert_int_equal(sets.results[k].fault.addr, 0x90010000);
        }
    }
}

/* Loads of sets, and stores of words, half words and bytes, of the lanes that a number in memory tells: few of them,
 * all of one chunk, some of both. The others have addresses that nobody can access, and where one more number says so,
 * the last lane has words that are not there. */
static void test_some_lanes(void **state)
{
    static const uint32_t masks[] = {1,          0x40000000, 0x1e,       0x1f,       0x7a5,      0xffff,
                                     0xffff0000, 0x10ff0,    0x55555555, 0x800f0007, 0xdfffffff, ~0u};
    static const char *const stores[] = {" vsw12.v v1, 64(v6)\n", " vsh12.v v1, 68(v6)\n", " vsb12.v v1, 71(v6)\n"};
    (void)state;
    for (size_t i = 0; i < COUNT(stores) * 5; i++) {
        char text[1500];
        struct sets sets = {0};
        snprintf(text, sizeof text,
                 BASE " lw x9, 0(x20)\n lw x11, 4(x20)\n li x12, 77\n li x13, 28\n vid.v v1\n vmul.vv v6, v1, v1\n"
                      " vmul.vx v6, v6, x13\n vadd.vx v6, v6, x14\n vadd.vx v6, v6, x11\n vmv.v.x v5, x9\n"
                      " vsrl.vv v5, v5, v1\n vand.vi v5, v5, 1\n vmul.vv v6, v6, v5\n vmv.v.i v13, 0\n"
                      "1: auipc x8, %%pcrel_hi(met)\n setrpc x0, x8, %%pcrel_lo(1b)\n vbeq v5, v13, met\n%s%s%s"
                      "met: join\n vid.v v2\n vsll.vi v2, v2, 2\n vadd.vx v2, v2, x20\n vsw12.v v1, 1024(v2)\n"
                      " endprg\n",
                 loads[i / COUNT(stores)], mixed, stores[i % COUNT(stores)]);
        for (size_t k = 0; k < COUNT(masks); k++) add_set(&sets, (int)masks[k], 0, 0, 0);
        add_set(&sets, (int)0x80000001, 0, END - MIDDLE - 28 * 31 * 31 - 10, 0);
        add_set(&sets, (int)0xffff00ff, 0, END - MIDDLE - 28 * 31 * 31 - 66, 0);
        add_set(&sets, 0x7fff00ff, 0, END - MIDDLE - 28 * 31 * 31 - 2, 0);
        run_sets(text, &sets);
        for (size_t k = 0; k < sets.count; k++)
            assert_int_equal(sets.results[k].status,
                             k == COUNT(masks) || k == COUNT(masks) + 1 ? LAUNCH_FAULT : LAUNCH_DONE);
    }
}

/* Four words of each lane, which the first store makes, or each its own: on one page and on two, in the middle and at
 * the end of what there is, and in an order in which lanes' rows are not what is stored. */
static void test_rows_are_stored(void **state)
{
    static const int bases[] = {0, 4, 3, 0xe00, 0xe10, 0xff8};
    static const int beyond[] = {512, 508, 496, 256, 16, 0};
    static const char *const stores[] = {
        " vsw12.v v7, 0(v6)\n vsw12.v v8, 4(v6)\n vsw12.v v9, 8(v6)\n vsw12.v v10, 12(v6)\n vsw12.v v8, 16(v6)\n",
        " vsw12.v v7, -8(v6)\n vsw12.v v7, -4(v6)\n vsw12.v v9, 0(v6)\n vsw12.v v9, 4(v6)\n",
        " vsw12.v v7, 0(v6)\n vsw12.v v8, 8(v6)\n vsw12.v v9, 4(v6)\n vsw12.v v10, 12(v6)\n",
        " vsw12.v v7, 0(v6)\n vsw12.v v8, 4(v6)\n vadd.vi v10, v10, 1\n vsw12.v v9, 8(v6)\n vsw12.v v10, 12(v6)\n"};
    (void)state;
    for (size_t k = 0; k < COUNT(stores); k++) {
        char text[1000];
        struct sets sets = {0};
        snprintf(text, sizeof text,
                 " lui x20, 0x90000\n lw x14, 0(x20)\n vid.v v5\n vsll.vi v6, v5, 4\n"
                 " vsll.vi v5, v5, 2\n vadd.vx v6, v6, x14\n vadd.vx v5, v5, x20\n vlw12.v v7, 0(v5)\n"
                 " vlw12.v v8, 128(v5)\n vlw12.v v9, 256(v5)\n vlw12.v v10, 384(v5)\n%s endprg\n",
                 stores[k]);
        for (size_t i = 0; i < COUNT(bases); i++) add_set(&sets, MIDDLE, bases[i], 0, 0);
        for (size_t i = 0; i < COUNT(beyond); i++) add_set(&sets, END, -beyond[i], 0, 0);
        run_sets(text, &sets);
        for (size_t i = 0; i < COUNT(bases); i++) assert_int_equal(sets.results[i].status, LAUNCH_DONE);
        for (size_t i = 0; i < COUNT(beyond); i++)
            if (beyond[i] < 496) assert_int_equal(sets.results[COUNT(bases) + i].status, LAUNCH_FAULT);
    }
}

/* Members of structures: two words or four of each lane among others, of lanes so far from each other, on one page and
 * on two, in the middle and at the end of what there is. The last distance is too far for one page. */
static void test_members_are_stored(void **state)
{
    static const int distances[] = {12, 20, 32, 128, 132};
    static const char *const stores[] = {
        " vsw12.v v7, 0(v6)\n vsw12.v v8, 4(v6)\n vsw12.v v9, 8(v6)\n vsw12.v v10, 12(v6)\n",
        " vsw12.v v7, 0(v6)\n vsw12.v v8, 4(v6)\n", " vsw12.v v7, 0(v6)\n vsw12.v v8, 4(v6)\n vsw12.v v9, 8(v6)\n",
        " vsw12.v v7, 0(v6)\n vsw12.v v8, 4(v6)\n vsw12.v v9, 8(v6)\n vsw12.v v10, 12(v6)\n"
        " vsw12.v v8, 16(v6)\n vsw12.v v7, 20(v6)\n vsw12.v v10, 24(v6)\n vsw12.v v9, 28(v6)\n",
        /* two structures in turn */
        " vadd.vi v5, v6, -16\n vsw12.v v7, 0(v6)\n vsw12.v v8, 4(v5)\n vsw12.v v9, 8(v6)\n vsw12.v v10, 12(v6)\n",
        /* every sixteen lanes have the same one, which has what the last of them stores */
        " vid.v v5\n vand.vi v5, v5, 15\n vmul.vx v5, v5, x9\n vadd.vx v5, v5, x14\n"
        " vsw12.v v7, 0(v5)\n vsw12.v v8, 4(v5)\n vsw12.v v9, 0(v6)\n"};
    static const int words[] = {4, 2, 3, 8, 4, 1}, beyond[] = {0, 4, 8, 16};
    (void)state;
    for (size_t i = 0; i < COUNT(distances) * COUNT(stores); i++) {
        const size_t store = i / COUNT(distances);
        const int distance = distances[i % COUNT(distances)], over = beyond[i % COUNT(beyond)];
        const int span = 31 * distance + words[store] * 4;
        char text[1000];
        struct sets sets = {0};
        snprintf(text, sizeof text,
                 " lui x20, 0x90000\n lw x14, 0(x20)\n li x9, %d\n vid.v v5\n"
                 " vmul.vx v6, v5, x9\n vsll.vi v5, v5, 2\n vadd.vx v6, v6, x14\n vadd.vx v5, v5, x20\n"
                 " vlw12.v v7, 0(v5)\n vlw12.v v8, 128(v5)\n vlw12.v v9, 256(v5)\n vlw12.v v10, 384(v5)\n%s"
                 " endprg\n",
                 distance, stores[store]);
        add_set(&sets, MIDDLE, 4, 0, 0);
        add_set(&sets, MIDDLE, 0x1000 - span + 4, 0, 0);
        add_set(&sets, END, -span, 0, 0);
        add_set(&sets, END, over - span, 0, 0);
        run_sets(text, &sets);
        for (size_t k = 0; k < sets.count; k++)
            assert_int_equal(sets.results[k].status, k == 3 && over ? LAUNCH_FAULT : LAUNCH_DONE);
        if (over) assert_in_range(sets.results[3].fault.addr, 0x90010000, 0x9001000f);
    }
}

/* Adjacent bytes, half words and words of each lane, of lanes so far from each other, on one page, on two, and at the
 * end of what there is. Those that fill words or leave no gaps are made together, unless something stands between them
 * that sees memory or changes their addresses. */
static void test_narrow_stores(void **state)
{
    static const struct {
        const char *sizes;
        int distance;
    } rows[] = {{"bb", 2},
                {"bbb", 3},
                {"bbbb", 4},
                {"bbb", 4},
                {"bbbb", 7},
                {"bbbbbb", 6},
                {"bbbbbbbb", 12},
                {"bbbbbbbbbbbb", 12},
                {"bbbbbbbbbbbbbbbb", 16},
                {"hh", 4},
                {"hhh", 6},
                {"hhhh", 8},
                {"hhhh", 10},
                {"hhhhhh", 12},
                {"hhhhhhhh", 16},
                {"hhhh", 128},
                {"www", 12},
                {"b", 5},
                {"h", 5},
                {"h", 12},
                {"wwhbb", 12},
                {"hbbw", 8},
                {"bbhw", 12},
                {"hhwbbbb", 16},
                {"bhb", 4},
                {"wh", 6},
                /* the last byte of a lane is the first one of the next */
                {"bbbb", 3},
                {"ww", 7},
                {"wwww", 15}};
    static const char *const between[] = {" vadd.vi v7, v7, 1\n vadd.vi v8, v7, 1\n", " vlbu12.v v8, 0(v6)\n",
                                          " addi x9, x9, 1\n vadd.vi v6, v6, 4\n vadd.vi v7, v8, 1\n"};
    (void)state;
    for (size_t i = 0; i < COUNT(rows) + COUNT(rows) / 2; i++) {
        const size_t row = i < COUNT(rows) ? i : 2 * (i - COUNT(rows));
        const char *sizes = rows[row].sizes, *middle = i < COUNT(rows) ? "" : between[i % COUNT(between)];
        const int moved = strstr(middle, "v6, v6") && sizes[1] ? 4 : 0;
        char text[2000], stores[1000] = "";
        int bytes = 0, size = 0;
        struct sets sets = {0};
        for (const char *p = sizes; *p; p++, bytes += size) {
            const size_t n = strlen(stores);
            size = *p == 'w' ? 4 : *p == 'h' ? 2 : 1;
            snprintf(stores + n, sizeof stores - n, "%s vs%c12.v v%d, %d(v6)\n", p == sizes + 1 ? middle : "", *p,
                     7 + (int)(p - sizes) % 4, bytes);
        }
        const int span = 31 * rows[row].distance + bytes;
        snprintf(text, sizeof text,
                 " lui x20, 0x90000\n lw x14, 0(x20)\n li x9, %d\n vid.v v5\n"
                 " vmul.vx v6, v5, x9\n vsll.vi v5, v5, 2\n vadd.vx v6, v6, x14\n vadd.vx v5, v5, x20\n"
                 " vlw12.v v7, 0(v5)\n vlw12.v v8, 128(v5)\n vlw12.v v9, 256(v5)\n vlw12.v v10, 384(v5)\n%s endprg\n",
                 rows[row].distance, stores);
        add_set(&sets, MIDDLE, 8 + size, 0, 0);
        add_set(&sets, MIDDLE, 0x1000 - span, 0, 0);
        add_set(&sets, MIDDLE, 0x1000 - span + size, 0, 0);
        add_set(&sets, END, -span - moved, 0, 0);
        add_set(&sets, END, size - span - moved, 0, 0);
        run_sets(text, &sets);
        for (size_t k = 0; k < 4; k++) assert_int_equal(sets.results[k].status, LAUNCH_DONE);
        assert_int_equal(sets.results[4].status, LAUNCH_FAULT);
        assert_int_equal(sets.results[4].fault.addr, 0x90010000);
    }
}

#define PARTS_OF_PAIRS \
    " vlw12.v v7, 4(v6)\n vlhu12.v v9, 2(v6)\n vlb12.v v10, 0(v6)\n" \
    " vsw12.v v7, 0(v5)\n vsw12.v v9, 128(v5)\n vsw12.v v10, 256(v5)\n"

/* Two words of each lane, one behind the other, as doubles are: the loads or stores are made together, in the middle
 * and at the end of what there is; where vectors are not aligned and lie on two pages, each is made for itself. */
static void test_pairs(void **state)
{
    static const int beyond[] = {0, 4, 8, 12, 124, 128, 252, 256, 260};
    static const char *const accesses[] = {
        " vlw12.v v7, 0(v6)\n vlw12.v v8, 4(v6)\n vsw12.v v8, 0(v5)\n vsw12.v v7, 128(v5)\n",
        PARTS_OF_PAIRS,
        " vsw12.v v11, 0(v6)\n vsw12.v v12, 4(v6)\n",
        " vsw12.v v11, 4(v6)\n vsw12.v v12, 8(v6)\n vsw12.v v12, 0(v6)\n",
    };
    (void)state;
    for (size_t k = 0; k < COUNT(accesses); k++) {
        char text[1000];
        struct sets sets = {0};
        snprintf(text, sizeof text,
                 " lui x20, 0x90000\n lw x14, 0(x20)\n vid.v v5\n vsll.vi v6, v5, 3\n"
                 " vmul.vv v11, v6, v6\n vxor.vi v12, v11, -1\n vsll.vi v5, v5, 2\n vadd.vx v6, v6, x14\n"
                 " vadd.vx v5, v5, x20\n%s endprg\n",
                 accesses[k]);
        for (size_t i = 0; i < 2 * COUNT(beyond); i++) add_set(&sets, i % 2 ? END : MIDDLE, -beyond[i / 2], 0, 0);
        run_sets(text, &sets);
        for (size_t i = 0; i < sets.count; i++) {
            const bool fits = i % 2 == 0 || beyond[i / 2] >= (k == 3 ? 260 : 256);
            assert_int_equal(sets.results[i].status, fits ? LAUNCH_DONE : LAUNCH_FAULT);
            if (!fits) assert_int_equal(sets.results[i].fault.addr & ~4u, 0x90010000);
        }
    }
}

/* Words of lanes in rows of eight or sixteen, as those of groups with two dimensions are: two, three or four words
 * apart, of all lanes and of some, on one page and on two, in the middle and at the end of what there is. */
static void test_gaps_in_rows(void **state)
{
    static const int distances[] = {8, 12, 16}, active[] = {32, 31, 13, 1}, bases[] = {4, 0xfc0, 0xe3c};
    static const char access[] = " vlw12.v v10, 0(v6)\n vsw12.v v12, 4(v6)\n vlw12.v v11, 4(v6)\n vsw12.v v11, 0(v5)\n"
                                 " vsw12.v v10, 128(v5)\n vsw12.v v9, -4(v6)\n";
    (void)state;
    for (int i = 0; i < 6; i++) {
        const int bits = 3 + i / 3, distance = distances[i % 3], far = 400;
        const int span = ((1 << bits) - 1) * distance + (32 / (1 << bits) - 1) * far;
        char text[1500];
        struct sets sets = {0};
        for (int k = 0; k < 8; k++) {
            add_set(&sets, MIDDLE, bases[(i + k) % 3], active[k / 2], k % 2 ? 7 : 1);
            add_set(&sets, END, 4 * (k % 3) - 4 - span, active[k / 2], k % 2 ? 7 : 1);
        }
        snprintf(text, sizeof text,
                 " lui x20, 0x90000\n lw x14, 0(x20)\n lw x11, 4(x20)\n lw x12, 8(x20)\n li x9, %d\n li x10, %d\n"
                 " vid.v v5\n vand.vi v6, v5, %d\n vmul.vx v6, v6, x9\n vsrl.vi v7, v5, %d\n"
                 " vmul.vx v7, v7, x10\n vadd.vv v6, v6, v7\n vadd.vx v6, v6, x14\n vxor.vi v12, v6, -1\n"
                 " li x15, 31\n vmul.vx v9, v5, x12\n vand.vx v9, v9, x15\n vsll.vi v5, v5, 2\n"
                 " vadd.vx v5, v5, x20\n mv x9, x11\n" PAIR_PART("%s", " vadd.vi v9, v9, 1\n") " endprg\n",
                 distance, far, (1 << bits) - 1, bits, access);
        run_sets(text, &sets);
    }
}

/* Bytes and half words that are the same in each eight or sixteen lanes, as columns of a matrix read them: on one page
 * and on two, and at the end of what there is. */
static void test_same_in_rows(void **state)
{
    static const int distances[] = {4, 5, 64, 100}, bases[] = {0xff2, 0xff7, 0xfff};
    (void)state;
    for (int i = 0; i < 24; i++) {
        const int bits = 3 + (i + i / 8) % 2, distance = distances[i / 2 % 4];
        char text[1500];
        struct sets sets = {0};
        snprintf(text, sizeof text,
                 " lui x20, 0x90000\n lw x14, 0(x20)\n li x9, %d\n li x12, 77\n"
                 " vid.v v1\n vsrl.vi v6, v1, %d\n vmul.vx v6, v6, x9\n vadd.vx v6, v6, x14\n%s%s vid.v v2\n"
                 " vsll.vi v2, v2, 2\n vadd.vx v2, v2, x20\n vsw12.v v1, 0(v2)\n endprg\n",
                 distance, bits, loads[3 + i / 8], mixed);
        for (int k = 0; k < 3; k++) {
            add_set(&sets, MIDDLE, bases[k] & ((k + i) % 2 ? ~3 : ~0), 0, 0);
            add_set(&sets, END, -4 * k - (31 >> bits) * distance, 0, 0);
        }
        run_sets(text, &sets);
    }
}

/* Accesses from one base, which is recorded once, with what else is recorded between them: the next ones go where they
 * should, and where one fails that is said. */
static void test_one_base(void **state)
{
    static const char *const between[] = {
        "",
        " sw x9, 8(x20)\n",
        " lw x15, 8(x20)\n vmv.v.x v4, x15\n",
        " vsb12.v v6, 3(v5)\n",
        " vadd.vi v6, v6, 1\n",
        " vse32.v v5, (x20)\n",
        " vsoxei32.v v5, (x20), v7\n",
        " amoadd.w v4, v5, (v5)\n",
        " li x15, 1\n vmv.v.x v0, x15\n vloxei32.v v4, (x14), v7, v0.t\n vloxei32.v v4, (x14), v7\n",
        " vsoxei32.v v5, (x20), v7\n addi x15, x20, 1024\n vsoxei32.v v4, (x15), v7\n",
        " vlw12.v v4, 0(v5)\n vlhu12.v v4, 2(v5)\n vsw12.v v4, 512(v5)\n",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(between); i++) {
        char text[1500];
        struct sets sets = {0};
        snprintf(text, sizeof text,
                 " lui x20, 0x90000\n lw x14, 0(x20)\n lw x11, 4(x20)\n li x9, 7\n vid.v v4\n vsll.vi v5, v4, 2\n"
                 " vmul.vx v6, v4, x9\n vand.vi v6, v6, 15\n vmul.vx v6, v6, x9\n vsll.vi v7, v6, 2\n"
                 " vadd.vx v5, v5, x20\n vadd.vx v6, v6, x14\n vid.v v9\n mv x9, x11\n" PAIR_PART(
                     " vsb12.v v4, 0(v6)\n%s vsb12.v v5, 2(v6)\n vlbu12.v v4, 20(v6)\n",
                     " vsw12.v v4, 256(v5)\n") " endprg\n",
                 between[i]);
        for (int k = 0; k < 2; k++) {
            add_set(&sets, MIDDLE, 0, k ? 32 : 7, 0);
            add_set(&sets, END, -108 - 2 * (int)i - k, k ? 32 : 7, 0);
        }
        run_sets(text, &sets);
    }
}

#define LOADS_OF_PAIR(offset) \
    " vlw12.v v10, " #offset "(v6)\n vlw12.v v11, 4+" #offset "(v6)\n vsw12.v v11, 0(v5)\n vsw12.v v10, 128(v5)\n"

/* Pairs of words, and pairs of those, in such rows and in one of all lanes: rows apart from each other, one behind the
 * other, upwards and downwards, in the same place and in part, which have what the last of them stores. */
static void test_pairs_in_rows(void **state)
{
    static const int apart[] = {800, 0, 4, 60, -264, 64}, active[] = {32, 31, 13, 1}, bases[] = {8, 4, 0xfc0, 0xf84};
    static const struct {
        int distance;
        const char *text;
    } accesses[] = {
        {8, LOADS_OF_PAIR(0)},
        {8, " vsw12.v v12, 0(v6)\n vsw12.v v9, 4(v6)\n"},
        {16, " vlw12.v v10, 4(v6)\n vlw12.v v11, 8(v6)\n vlw12.v v12, 20(v6)\n vsw12.v v11, 0(v5)\n"
             " vsw12.v v10, 128(v5)\n vsw12.v v12, 256(v5)\n"},
        {16, " vsw12.v v12, 0(v6)\n vsw12.v v9, 4(v6)\n vsw12.v v5, 8(v6)\n vsw12.v v6, 12(v6)\n"},
        {16, LOADS_OF_PAIR(8)},
        {24, LOADS_OF_PAIR(0)},
        {32, LOADS_OF_PAIR(24)},
        {24, " vxor.vi v6, v6, 0\n" LOADS_OF_PAIR(-4)}, /* nothing is known of the addresses */
    };
    (void)state;
    for (int i = 0; i < 3 * (int)COUNT(accesses); i++) {
        const int bits = 3 + i % 3, access = i / 3, distance = accesses[access].distance, rows = 32 >> bits;
        char text[1500];
        struct sets sets = {0};
        for (int k = 0; k < 2 * (int)COUNT(apart); k++) {
            const int far = apart[k / 2], top = far > 0 ? (rows - 1) * far : 0, lanes = active[(k + i) % 4];
            const int beyond[] = {4, distance << bits, 0};
            if (k % 2) add_set(&sets, END, beyond[(k / 2 + i) % 3] - top - (distance << bits), lanes, far);
            else add_set(&sets, MIDDLE, bases[(k / 2 + i) % 4], lanes, far);
        }
        snprintf(text, sizeof text,
                 " lui x20, 0x90000\n lw x14, 0(x20)\n lw x11, 4(x20)\n lw x10, 8(x20)\n li x9, %d\n"
                 " li x15, %d\n vid.v v5\n vand.vx v6, v5, x15\n vmul.vx v6, v6, x9\n vsrl.vi v7, v5, %d\n"
                 " vmul.vx v7, v7, x10\n vadd.vv v6, v6, v7\n vadd.vx v6, v6, x14\n vmul.vv v12, v5, v5\n"
                 " li x9, 7\n li x15, 31\n vmul.vx v9, v5, x9\n vand.vx v9, v9, x15\n vsll.vi v5, v5, 2\n"
                 " vadd.vx v5, v5, x20\n mv x9, x11\n" PAIR_PART("%s", " vadd.vi v9, v9, 1\n") "%s endprg\n",
                 distance, (1 << bits) - 1, bits, accesses[access].text, accesses[access].text);
        run_sets(text, &sets);
    }
}

#define LOAD_OF_SOME PAIR_PART(" %s12.v v7, %d(v6)\n", " vadd.vi v7, v7, 3\n")

/* Lanes that read here and there in 256 bytes or a little more, as they do in tables: numbers of every size, of all
 * lanes and of some, aligned and not, in the middle of memory and across its end. */
static void test_tables(void **state)
{
    static const char *const names[] = {"vlb", "vlbu", "vlh", "vlhu", "vlw"};
    static const int spans[] = {255, 127, 300}, bases[] = {0, 128, 2, 1}, active[] = {32, 31, 12};
    (void)state;
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 3; k++) {
            const int size = i == 4 ? 4 : i < 2 ? 1 : 2;
            char text[1500];
            struct sets sets = {0};
            snprintf(text, sizeof text,
                     " lui x20, 0x90000\n lw x14, 0(x20)\n lw x8, 4(x20)\n li x13, %d\n li x9, 3\n li x12, 64\n"
                     " vid.v v4\n vsll.vi v5, v4, 2\n vadd.vx v5, v5, x20\nloop: vmul.vx v6, v4, x9\n"
                     " vand.vx v6, v6, x13\n li x15, %d\n vand.vx v6, v6, x15\n vadd.vx v6, v6, x14\n"
                     " vmul.vx v9, v4, x9\n vand.vi v9, v9, 15\n vadd.vv v9, v9, v9\n"
                     " mv x7, x9\n mv x9, x8\n" LOAD_OF_SOME " mv x9, x7\n vlw12.v v8, 0(v5)\n vxor.vv v8, v8, v7\n"
                     " vmul.vx v8, v8, x13\n vsw12.v v8, 0(v5)\n addi x9, x9, 5\n addi x12, x12, -1\n"
                     " bne x12, x0, loop\n endprg\n",
                     spans[k], -size, names[i], (i + k) % 2 * 4);
            for (int n = 0; n < 4; n++) add_set(&sets, MIDDLE, bases[n], active[(n + k) % 3], 0);
            add_set(&sets, END, -256, active[k], 0);
            run_sets(text, &sets);
        }
}

/* No lane at all reads from addresses near each other where there is no memory. */
static void test_no_lane(void **state)
{
    (void)state;
    struct result r = run(" lui x20, 0x90000\n vid.v v5\n vsll.vi v5, v5, 2\n vadd.vx v5, v5, x20\n vlw12.v v6, 0(v5)\n"
                          " vsrl.vi v6, v6, 31\n vsll.vi v6, v6, 2\n vmv.v.i v0, 0\n vmv.v.i v10, 7\n li x14, 64\n"
                          " vloxei32.v v10, (x14), v6, v0.t\n vsw12.v v10, 0(v5)\n endprg\n");
    assert_int_equal(r.status, LAUNCH_DONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distances),
        cmocka_unit_test(test_known_distances),
        cmocka_unit_test(test_ends_of_memory),
        cmocka_unit_test(test_near_numbers),
        cmocka_unit_test(test_loads_between_stores),
        cmocka_unit_test(test_known_ends),
        cmocka_unit_test(test_some_lanes),
        cmocka_unit_test(test_rows_are_stored),
        cmocka_unit_test(test_members_are_stored),
        cmocka_unit_test(test_narrow_stores),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_gaps_in_rows),
        cmocka_unit_test(test_pairs_in_rows),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_same_in_rows),
        cmocka_unit_test(test_one_base),
        cmocka_unit_test(test_no_lane),
    };
    if (!engine_usable(&engine_native)) return 77;
    return cmocka_run_group_tests(tests, pair_setup, pair_teardown);
}
