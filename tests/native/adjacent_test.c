/* Loads that find bytes beside each other in each lane, which translator/adjacent.c makes together: programs of them at
 * addresses of every shape, on `step` and on every host level of `native`, with the same result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pair.h"

/* x20 is the data, x14 the middle of it; v6 is x14 + lane * x9. */
#define BASE      " lui x20, 0x90000\n lui x14, 0x8\n add x14, x14, x20\n"
#define ADDRESSES " vid.v v6\n vmul.vx v6, v6, x9\n vadd.vx v6, v6, x14\n"
#define MIX(v)    " vxor.vv v1, v1, " v "\n vmul.vx v1, v1, x12\n"

/* Sets of loads: whole and in part, in any order, of all sizes, with what keeps them apart. */
static const char *const sets[] = {
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

/* With all lanes, and in warps of fewer: half of the chunks, and a last chunk in which some are missing, in turn. */
static struct result run(const char *text)
{
    static const uint32_t fewer[] = {16, 13, 8};
    static unsigned turn;
    struct launch shape = {.warps = 1, .threads_per_warp = 32, .work_items = fewer[turn++ % 3]};
    pair_run_levels(&(struct pair){.text = text, .shape = shape, .shapes = true});
    return pair_run_levels(&(struct pair){.text = text, .shapes = true});
}

/* Lanes as far from each other as they may be, one distance after the other: nobody knows it in advance. */
static void test_distances(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        char text[1500];
        snprintf(text, sizeof text,
                 BASE " li x9, -24\n li x13, 560\n li x12, 77\nloop: addi x9, x9, 2\n vid.v v1\n" ADDRESSES "%s%s"
                      " sub x15, x13, x9\n vid.v v2\n vsll.vi v2, v2, 2\n vadd.vx v2, v2, x20\n vlw12.v v3, 0(v2)\n"
                      " vxor.vv v3, v3, v1\n vmul.vx v3, v3, x12\n vsw12.v v3, 0(v2)\n bge x15, x0, loop\n endprg\n",
                 sets[i], mixed);
        struct result r = run(text);
        assert_int_equal(r.status, LAUNCH_DONE);
    }
}

/* Distances that the code shows; some lanes' words lie on two pages where lanes are near each other. */
static void test_known_distances(void **state)
{
    static const int distances[] = {0, 2, 4, 8, 16, 20, 32, 64, 1028};
    (void)state;
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++)
        for (size_t k = 0; k < 4; k++) {
            char text[1000];
            snprintf(text, sizeof text,
                     BASE " addi x14, x14, %d\n li x9, %d\n li x12, 77\n vid.v v1\n" ADDRESSES
                          "%s%s vid.v v2\n vsll.vi v2, v2, 2\n vadd.vx v2, v2, x20\n vsw12.v v1, 0(v2)\n endprg\n",
                     distances[i] > 32 ? -2048 : -6 * distances[i] - 4, distances[i] & (k < 3 ? ~3 : ~0), sets[k],
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
    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char text[1000];
        snprintf(
            text, sizeof text,
            " lui x14, 0x90010\n addi x14, x14, %d\n li x9, -40\n sw x9, -1024(x14)\n lw x9, -1024(x14)\n" ADDRESSES
            " vlw12.v v7, 0(v6)\n vlw12.v v8, 4(v6)\n vadd.vi v8, v8, 1\n vlw12.v v9, 8(v6)\n"
            " vlw12.v v10, 12(v6)\n endprg\n",
            -ends[i]);
        struct result r = run(text);
        assert_int_equal(r.status, i ? LAUNCH_FAULT : LAUNCH_DONE);
        if (i) assert_int_equal(r.fault.addr, 0x90010000 + (ends[i] < 0 ? 4 : 0));
    }
}

/* The same for the last lane, of those whose distance the code shows. */
static void test_known_ends(void **state)
{
    static const int distances[] = {16, 32, 64}, ends[] = {16, 12, 8, 4, 0};
    (void)state;
    for (size_t i = 0; i < 3 * sizeof ends / sizeof *ends; i++) {
        int distance = distances[i % 3], end = ends[i / 3];
        char text[1000];
        snprintf(text, sizeof text,
                 " lui x14, 0x90010\n addi x14, x14, %d\n li x9, %d\n" ADDRESSES
                 " vlw12.v v7, 0(v6)\n vlw12.v v8, 4(v6)\n vadd.vi v8, v8, 1\n vlw12.v v9, 8(v6)\n"
                 " vlw12.v v10, 12(v6)\n endprg\n",
                 -end - 31 * distance, distance);
        struct result r = run(text);
        assert_int_equal(r.status, end < 16 ? LAUNCH_FAULT : LAUNCH_DONE);
        if (end < 16) assert_int_equal(r.fault.addr, 0x90010000);
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
    for (size_t i = 0; i < 2 * sizeof bases / sizeof *bases; i++)
        for (size_t k = 0; k < sizeof stores / sizeof *stores; k++) {
            char text[1000];
            bool ends = i % 2;
            snprintf(text, sizeof text,
                     " lui x20, 0x90000\n lui x14, %s\n li x9, %d\n add x14, x14, x9\n vid.v v5\n vsll.vi v6, v5, 4\n"
                     " vsll.vi v5, v5, 2\n vadd.vx v6, v6, x14\n vadd.vx v5, v5, x20\n vlw12.v v7, 0(v5)\n"
                     " vlw12.v v8, 128(v5)\n vlw12.v v9, 256(v5)\n vlw12.v v10, 384(v5)\n%s endprg\n",
                     ends ? "0x90010" : "0x90008", ends ? -beyond[i / 2] : bases[i / 2], stores[k]);
            struct result r = run(text);
            if (!ends) assert_int_equal(r.status, LAUNCH_DONE);
            if (beyond[i / 2] < 496 && ends) assert_int_equal(r.status, LAUNCH_FAULT);
        }
}

/* Members of structures: two words or four of each lane among others, of lanes so far from each other, on one page and
 * on two, in the middle and at the end of what there is. The last distance is too far for one page. */
static void test_members_are_stored(void **state)
{
    static const int distances[] = {12, 20, 24, 32, 64, 128, 132};
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
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++)
        for (size_t k = 0; k < 3 * sizeof stores / sizeof *stores; k++) {
            char text[1000];
            const bool ends = k % 3 == 2;
            const int span = 31 * distances[i] + words[k / 3] * 4, over = beyond[(i + k) % 4];
            const int base = ends ? over - span : k % 3 ? 0x1000 - span + 4 : 4;
            snprintf(text, sizeof text,
                     " lui x20, 0x90000\n lui x14, %s\n li x9, %d\n add x14, x14, x9\n li x9, %d\n vid.v v5\n"
                     " vmul.vx v6, v5, x9\n vsll.vi v5, v5, 2\n vadd.vx v6, v6, x14\n vadd.vx v5, v5, x20\n"
                     " vlw12.v v7, 0(v5)\n vlw12.v v8, 128(v5)\n vlw12.v v9, 256(v5)\n vlw12.v v10, 384(v5)\n%s"
                     " endprg\n",
                     ends ? "0x90010" : "0x90008", base, distances[i], stores[k / 3]);
            struct result r = run(text);
            assert_int_equal(r.status, ends && over ? LAUNCH_FAULT : LAUNCH_DONE);
            if (ends && over) assert_in_range(r.fault.addr, 0x90010000, 0x9001000f);
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
    static const char *const between[] = {"", " vadd.vi v7, v7, 1\n vadd.vi v8, v7, 1\n", " vlbu12.v v8, 0(v6)\n",
                                          " addi x9, x9, 1\n vadd.vi v6, v6, 4\n vadd.vi v7, v8, 1\n"};
    (void)state;
    for (size_t i = 0; i < 3 * sizeof rows / sizeof *rows; i++) {
        const bool ends = i % 3 == 2, fails = ends && i / 3 % 3;
        char text[2000], stores[1000] = "";
        int bytes = 0, size = 0;
        for (const char *p = rows[i / 3].sizes; *p; p++, bytes += size) {
            const size_t n = strlen(stores);
            size = *p == 'w' ? 4 : *p == 'h' ? 2 : 1;
            snprintf(stores + n, sizeof stores - n, "%s vs%c12.v v%d, %d(v6)\n",
                     p == rows[i / 3].sizes + 1 ? between[(i % 3 + i / 3) % (ends ? 3 : 4)] : "", *p,
                     7 + (int)(p - rows[i / 3].sizes) % 4, bytes);
        }
        const int span = 31 * rows[i / 3].distance + bytes;
        const int bases[] = {8 + size, 0x1000 - span + size * (int)(i / 3 % 2), fails ? size - span : -span};
        snprintf(text, sizeof text,
                 " lui x20, 0x90000\n lui x14, %s\n li x9, %d\n add x14, x14, x9\n li x9, %d\n vid.v v5\n"
                 " vmul.vx v6, v5, x9\n vsll.vi v5, v5, 2\n vadd.vx v6, v6, x14\n vadd.vx v5, v5, x20\n"
                 " vlw12.v v7, 0(v5)\n vlw12.v v8, 128(v5)\n vlw12.v v9, 256(v5)\n vlw12.v v10, 384(v5)\n%s endprg\n",
                 ends ? "0x90010" : "0x90008", bases[i % 3], rows[i / 3].distance, stores);
        struct result r = run(text);
        assert_int_equal(r.status, fails ? LAUNCH_FAULT : LAUNCH_DONE);
        if (fails) assert_int_equal(r.fault.addr, 0x90010000);
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
    for (size_t i = 0; i < 2 * sizeof beyond / sizeof *beyond; i++)
        for (size_t k = 0; k < sizeof accesses / sizeof *accesses; k++) {
            char text[1000];
            const bool ends = i % 2;
            snprintf(text, sizeof text,
                     " lui x20, 0x90000\n lui x14, %s\n addi x14, x14, %d\n vid.v v5\n vsll.vi v6, v5, 3\n"
                     " vmul.vv v11, v6, v6\n vxor.vi v12, v11, -1\n vsll.vi v5, v5, 2\n vadd.vx v6, v6, x14\n"
                     " vadd.vx v5, v5, x20\n%s endprg\n",
                     ends ? "0x90010" : "0x90008", -beyond[i / 2], accesses[k]);
            struct result r = run(text);
            const bool fits = !ends || beyond[i / 2] >= (k == 3 ? 260 : 256);
            assert_int_equal(r.status, fits ? LAUNCH_DONE : LAUNCH_FAULT);
            if (!fits) assert_int_equal(r.fault.addr & ~4u, 0x90010000);
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
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 8; k++)
            for (int end = 0; end < 2; end++) {
                const int bits = 3 + i % 2, distance = distances[i / 2], lanes = active[k / 2], far = 400;
                const int span = ((1 << bits) - 1) * distance + (32 / (1 << bits) - 1) * far;
                const int base = end ? 4 * (k % 3) - 4 - span : bases[(i + k) % 3];
                char text[1500];
                snprintf(text, sizeof text,
                         " lui x20, 0x90000\n lui x14, %s\n li x9, %d\n add x14, x14, x9\n li x9, %d\n li x10, %d\n"
                         " vid.v v5\n vand.vi v6, v5, %d\n vmul.vx v6, v6, x9\n vsrl.vi v7, v5, %d\n"
                         " vmul.vx v7, v7, x10\n vadd.vv v6, v6, v7\n vadd.vx v6, v6, x14\n vxor.vi v12, v6, -1\n"
                         " li x9, %d\n li x15, 31\n vmul.vx v9, v5, x9\n vand.vx v9, v9, x15\n vsll.vi v5, v5, 2\n"
                         " vadd.vx v5, v5, x20\n li x9, %d\n" PAIR_PART("%s", " vadd.vi v9, v9, 1\n") " endprg\n",
                         end ? "0x90010" : "0x90008", base, distance, far, (1 << bits) - 1, bits, k % 2 ? 7 : 1, lanes,
                         access);
                run(text);
            }
}

/* Bytes and half words that are the same in each eight or sixteen lanes, as columns of a matrix read them: on one page
 * and on two, and at the end of what there is. */
static void test_same_in_rows(void **state)
{
    static const int distances[] = {4, 5, 64, 100}, bases[] = {0xff2, 0xff7, 0xfff};
    (void)state;
    for (int i = 0; i < 8; i++)
        for (int k = i % 2; k < 8; k += 2) {
            const int bits = 3 + i % 2, distance = distances[i / 2], end = k > 5;
            const int base = end ? -4 * (i % 3) - (31 >> bits) * distance : bases[k / 2 % 3] & (i < 4 ? ~3 : ~0);
            char text[1500];
            snprintf(text, sizeof text,
                     " lui x20, 0x90000\n lui x14, %s\n li x9, %d\n add x14, x14, x9\n li x9, %d\n li x12, 77\n"
                     " vid.v v1\n vsrl.vi v6, v1, %d\n vmul.vx v6, v6, x9\n vadd.vx v6, v6, x14\n%s%s vid.v v2\n"
                     " vsll.vi v2, v2, 2\n vadd.vx v2, v2, x20\n vsw12.v v1, 0(v2)\n endprg\n",
                     end ? "0x90010" : "0x90008", base, distance, bits, sets[3 + k % 3], mixed);
            run(text);
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
    for (size_t i = 0; i < 2 * sizeof between / sizeof *between; i++)
        for (int end = 0; end < 2; end++) {
            char text[1500];
            snprintf(text, sizeof text,
                     " lui x20, 0x90000\n lui x14, %s\n addi x14, x14, %d\n li x9, 7\n vid.v v4\n vsll.vi v5, v4, 2\n"
                     " vmul.vx v6, v4, x9\n vand.vi v6, v6, 15\n vmul.vx v6, v6, x9\n vsll.vi v7, v6, 2\n"
                     " vadd.vx v5, v5, x20\n vadd.vx v6, v6, x14\n vid.v v9\n li x9, %d\n" PAIR_PART(
                         " vsb12.v v4, 0(v6)\n%s vsb12.v v5, 2(v6)\n vlbu12.v v4, 20(v6)\n",
                         " vsw12.v v4, 256(v5)\n") " endprg\n",
                     end ? "0x90010" : "0x90008", end ? -108 - (int)i : 0, i % 2 ? 32 : 7, between[i / 2]);
            run(text);
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
    enum { ACCESSES = sizeof accesses / sizeof *accesses };
    (void)state;
    for (int i = 0; i < 6 * ACCESSES; i++)
        for (int k = 0; k < 3; k++) {
            const int bits = 3 + k, distance = accesses[i % ACCESSES].distance, far = apart[i / ACCESSES];
            const int rows = 32 >> bits, top = far > 0 ? (rows - 1) * far : 0, end = (2 * i + k) % 3 == 0;
            const int beyond[] = {4, distance << bits, 0};
            const int base = end ? beyond[(i / 3 + k) % 3] - top - (distance << bits) : bases[(i + k) % 4];
            char text[1500];
            snprintf(text, sizeof text,
                     " lui x20, 0x90000\n lui x14, %s\n li x9, %d\n add x14, x14, x9\n li x9, %d\n li x10, %d\n"
                     " li x15, %d\n vid.v v5\n vand.vx v6, v5, x15\n vmul.vx v6, v6, x9\n vsrl.vi v7, v5, %d\n"
                     " vmul.vx v7, v7, x10\n vadd.vv v6, v6, v7\n vadd.vx v6, v6, x14\n vmul.vv v12, v5, v5\n"
                     " li x9, 7\n li x15, 31\n vmul.vx v9, v5, x9\n vand.vx v9, v9, x15\n vsll.vi v5, v5, 2\n"
                     " vadd.vx v5, v5, x20\n li x9, %d\n" PAIR_PART("%s", " vadd.vi v9, v9, 1\n") "%s endprg\n",
                     end ? "0x90010" : "0x90008", base, distance, far, (1 << bits) - 1, bits,
                     active[(i / ACCESSES + i + k) % 4], accesses[i % ACCESSES].text, accesses[i % ACCESSES].text);
            run(text);
        }
}

/* Lanes that read here and there in 256 bytes or a little more, as they do in tables: numbers of every size, of all
 * lanes and of some, aligned and not, in the middle of memory and across its end. */
static void test_tables(void **state)
{
    static const char *const loads[] = {"vlb", "vlbu", "vlh", "vlhu", "vlw"};
    static const int spans[] = {255, 127, 300}, bases[] = {0, 128, 2, 1}, active[] = {32, 31, 12};
    (void)state;
    for (size_t i = 0; i < 4 * sizeof loads / sizeof *loads; i++)
        for (int k = 0; k < 6; k++) {
            const int size = i % 5 == 4 ? 4 : i % 5 < 2 ? 1 : 2, end = k > 3;
            char text[1500];
            snprintf(text, sizeof text,
                     " lui x20, 0x90000\n lui x14, %s\n addi x14, x14, %d\n li x13, %d\n li x9, 3\n li x12, 64\n"
                     " vid.v v4\n vsll.vi v5, v4, 2\n vadd.vx v5, v5, x20\nloop: vmul.vx v6, v4, x9\n"
                     " vand.vx v6, v6, x13\n li x15, %d\n vand.vx v6, v6, x15\n vadd.vx v6, v6, x14\n"
                     " vmul.vx v9, v4, x9\n vand.vi v9, v9, 15\n vadd.vv v9, v9, v9\n li x8, %d\n"
                     " mv x7, x9\n mv x9, x8\n" PAIR_PART(
                         " %s12.v v7, %d(v6)\n",
                         " vadd.vi v7, v7, 3\n") " mv x9, x7\n"
                                                 " vlw12.v v8, 0(v5)\n vxor.vv v8, v8, v7\n vmul.vx v8, v8, x13\n "
                                                 "vsw12.v v8, 0(v5)\n"
                                                 " addi x9, x9, 5\n addi x12, x12, -1\n bne x12, x0, loop\n endprg\n",
                     end ? "0x90010" : "0x90008", end ? -256 : bases[i / 5], spans[k % 3], -size, active[k / 2],
                     loads[i % 5], (k % 2) * 4);
            run(text);
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
        cmocka_unit_test(test_distances),       cmocka_unit_test(test_known_distances),
        cmocka_unit_test(test_ends_of_memory),  cmocka_unit_test(test_known_ends),
        cmocka_unit_test(test_rows_are_stored), cmocka_unit_test(test_members_are_stored),
        cmocka_unit_test(test_narrow_stores),   cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_gaps_in_rows),    cmocka_unit_test(test_pairs_in_rows),
        cmocka_unit_test(test_tables),          cmocka_unit_test(test_same_in_rows),
        cmocka_unit_test(test_one_base),        cmocka_unit_test(test_no_lane),
    };
    if (!engine_usable(&engine_native)) return 77;
    return cmocka_run_group_tests(tests, pair_setup, pair_teardown);
}
