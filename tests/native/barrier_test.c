/* Groups of one warp go on behind a barrier without the machine's being asked, in translated code. When another group
 * runs stays the same: programs whose results tell, on `step` and on every host level of `native`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pair.h"

/* x20 is the data, x21 this group's part of it, x5 its number. */
#define BEGIN \
    " lui x20, 0x90000\n csrr x5, CSR_GIDX\n slli x21, x5, 9\n lui x6, 4\n add x21, x21, x6\n add x21, x21, x20\n" \
    " vid.v v9\n vsll.vi v10, v9, 2\n vadd.vx v11, v10, x21\n"

#define TAKE " amoadd.w v3, v30, (v31)\n vadd.vv v1, v1, v3\n"

static struct pair pair_of(const char *text, uint32_t items, uint64_t quantum)
{
    struct pair p = {.text = text, .quantum = quantum, .local = {items, 1, 1}};
    p.shape = (struct launch){.warps = (items + 31) / 32, .threads_per_warp = 32, .work_items = items, .groups = {12}};
    return p;
}

/* Each round takes two numbers from a counter of all groups, and the group's lanes keep them: who came when. */
static void test_turns(void **state)
{
    static const char text[] =
        BEGIN " li x7, 200\n vmv.v.i v1, 1\n vmv.v.x v2, x20\nloop: amoadd.w v3, v1, (v2)\n vlw12.v v4, 0(v11)\n"
              " vadd.vv v4, v4, v4\n vadd.vv v4, v4, v3\n amoadd.w v3, v1, (v2)\n vsub.vv v4, v4, v3\n"
              " vsw12.v v4, 0(v11)\n barrier 1\n addi x7, x7, -1\n bne x7, x0, loop\n endprg\n";
    static const uint32_t items[] = {32, 16, 7, 64};
    static const uint64_t quanta[] = {1, 3, 700, 1 << 20, 1 << 30};
    (void)state;
    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
        for (size_t k = 0; k < sizeof quanta / sizeof *quanta; k++) {
            struct pair p = pair_of(text, items[i], quanta[k]);
            struct result r = k < 2 ? pair_run(&p, &(uint64_t){0}) : pair_run_levels(&p);
            assert_int_equal(r.status, LAUNCH_DONE);
            assert_int_equal(r.counters.barriers, 200 * 12 * p.shape.warps);
        }
        for (uint64_t quantum = 12; quantum < 60; quantum++) {
            struct pair p = pair_of(text, items[i], quantum);
            assert_int_equal(pair_run(&p, &(uint64_t){0}).status, LAUNCH_DONE);
        }
    }
}

/* What a lane stores another one finds behind the barrier, in local memory and elsewhere; the next group finds local
 * memory cleared. */
static void test_memory(void **state)
{
    static const char text[] =
        BEGIN " csrr x8, CSR_LDS\n vxor.vi v12, v9, 3\n vsll.vi v12, v12, 2\n vadd.vx v13, v12, x8\n"
              " vadd.vx v14, v10, x8\n vadd.vx v12, v12, x21\n vlw12.v v4, 0(v13)\n vsw12.v v4, 256(v11)\n li x7, 9\n"
              "loop: vadd.vx v3, v9, x7\n vsw12.v v3, 0(v14)\n vsw12.v v3, 0(v11)\n barrier 1\n vlw12.v v4, 0(v13)\n"
              " vlw12.v v5, 0(v12)\n vadd.vv v4, v4, v5\n vsw12.v v4, 128(v11)\n barrier 1\n addi x7, x7, -1\n"
              " bne x7, x0, loop\n endprg\n";
    static const uint32_t items[] = {32, 16, 12};
    (void)state;
    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
        struct pair p = pair_of(text, items[i], 1 << 20);
        assert_int_equal(pair_run_levels(&p).status, LAUNCH_DONE);
    }
}

/* Each group reads all of its local memory, which holds nothing, and stores to some of it: at the beginning, at the end
 * and in the middle, in every shape, by scalars, by some lanes and by one. x8 is where it begins, v14 and v15 are each
 * lane's first and last word there, v3 is no word of 0. */
static void test_cleared(void **state)
{
    static const char *const stores[] = {
        "vsw12.v v3, 0(v14)\n",
        "vsw12.v v3, 0(v15)\n",
        "vsh12.v v3, 2046(v14)\n",
        "vsb12.v v3, 1001(v14)\n",
        "vand.vi v12, v9, 15\n vsll.vi v12, v12, 2\n vadd.vx v12, v12, x8\n vsrl.vi v13, v9, 4\n li x6, 1600\n"
        " vmul.vx v13, v13, x6\n vadd.vv v12, v12, v13\n vsw12.v v3, 400(v12)\n",
        "vand.vi v12, v9, 7\n vsll.vi v12, v12, 2\n vadd.vx v12, v12, x8\n vsrl.vi v13, v9, 3\n li x6, 1000\n"
        " vmul.vx v13, v13, x6\n vsub.vv v12, v12, v13\n li x6, 3000\n vadd.vx v12, v12, x6\n vsw12.v v3, 0(v12)\n",
        "vsll.vi v12, v9, 4\n vadd.vx v12, v12, x8\n vsb12.v v3, 1203(v12)\n",
        "vxor.vi v12, v9, 13\n vsll.vi v12, v12, 2\n vadd.vx v12, v12, x8\n vsw12.v v3, 700(v12)\n",
        "vmv.v.x v12, x8\n vsw12.v v3, 80(v12)\n",
        "li x6, 12\n addi x7, x8, 96\n vsse32.v v3, (x7), x6\n",
        "li x6, -12\n addi x7, x8, 960\n vsse32.v v3, (x7), x6\n",
        "addi x7, x8, 300\n vse32.v v3, (x7)\n",
        "sw x20, 0(x8)\n",
        "lui x6, 1\n add x6, x6, x8\n sb x6, -1(x6)\n sh x20, -300(x6)\n sw x20, -2000(x6)\n",
        "amoadd.w v4, v3, (v15)\n",
        "csrrwi x0, frm, 1\n sw x20, 100(x8)\n csrrwi x0, frm, 0\n",
        "li x9, 5\n" PAIR_PART("vsw12.v v3, 800(v14)\n", "vsw12.v v3, 0(v15)\n"),
        "li x9, 1\n" PAIR_PART("vsw12.v v3, 800(v14)\n", ""),
        "li x9, 1\n" PAIR_PART("", "vsw12.v v3, -4(v14)\n") "vsw12.v v3, 800(v14)\n",
        "li x9, 31\n" PAIR_PART("", "vsw12.v v3, 800(v14)\n sw x20, 4(x8)\n"),
    };
    static const uint32_t items[] = {32, 19, 64};
    (void)state;
    for (size_t i = 0; i < sizeof stores / sizeof *stores * 3; i++) {
        char text[1500];
        struct pair p = pair_of(text, items[i % 3], 1 << 20);
        snprintf(text, sizeof text,
                 BEGIN " csrr x6, CSR_TID\n slli x6, x6, 2\n vadd.vx v11, v11, x6\n csrr x8, CSR_LDS\n li x9, 128\n"
                       " vadd.vx v14, v10, x8\n vmv.v.i v4, 0\n vmv.v.v v6, v14\n li x7, 32\nread: vlw12.v v5, 0(v6)\n"
                       " vor.vv v4, v4, v5\n vadd.vx v6, v6, x9\n addi x7, x7, -1\n bne x7, x0, read\n"
                       " vsub.vx v15, v6, x9\n vadd.vi v3, v9, 1\n vsw12.v v4, 0(v11)\n barrier 1\n %s barrier 1\n"
                       " endprg\n",
                 stores[i / 3]);
        assert_int_equal(pair_run_levels(&p).status, LAUNCH_DONE);
    }
}

/* Counters are exact where the group has passed barriers since it has come in. */
static void test_fault(void **state)
{
    static const char text[] = BEGIN " li x7, 9\nloop: barrier 1\n addi x7, x7, -1\n bne x7, x0, loop\n"
                                     " vmv.v.i v1, 4\n vlw12.v v2, 0(v1)\n endprg\n";
    struct pair p = pair_of(text, 32, 700);
    (void)state;
    p.shape.groups[0] = 1;
    struct result r = pair_run_levels(&p);
    assert_int_equal(r.status, LAUNCH_FAULT);
    assert_int_equal(r.counters.barriers, 9);
}

/* Lanes that have diverged. */
static void test_parted(void **state)
{
    static const char text[] =
        BEGIN " li x7, 9\n la x8, 3f\nloop: setrpc x0, x8, 0\n vmv.v.x v1, x7\n vblt v9, v1, 2f\n vadd.vi v9, v9, 1\n"
              " j 3f\n2: vadd.vi v9, v9, 2\n3: join\n barrier 1\n vsw12.v v9, 0(v11)\n addi x7, x7, -1\n"
              " bne x7, x0, loop\n endprg\n";
    struct pair p = pair_of(text, 32, 50);
    (void)state;
    assert_int_equal(pair_run_levels(&p).status, LAUNCH_DONE);
}

/* Groups that are not of the size that the launch says: two warps, each of which reads what the other one has stored.
 */
static void test_other_sizes(void **state)
{
    static const char text[] =
        BEGIN " csrr x6, CSR_TID\n slli x6, x6, 2\n vadd.vx v12, v11, x6\n xori x6, x6, 128\n vadd.vx v13, v11, x6\n"
              " li x7, 9\nloop: vlw12.v v3, 0(v13)\n barrier 1\n vadd.vx v3, v3, x7\n vsw12.v v3, 0(v12)\n barrier 1\n"
              " addi x7, x7, -1\n bne x7, x0, loop\n endprg\n";
    (void)state;
    for (uint32_t says = 32; says <= 128; says *= 2) {
        struct pair p = pair_of(text, 64, 1 << 20);
        p.local[0] = says;
        assert_int_equal(pair_run_levels(&p).status, LAUNCH_DONE);
    }
}

/* Each group finds registers of zeros, whatever the group before has left behind its barriers. */
static void test_begins_anew(void **state)
{
    static const char text[] = BEGIN
        " csrr x6, CSR_TID\n slli x6, x6, 2\n vadd.vx v11, v11, x6\n vor.vx v12, v20, x22\n vsw12.v v12, 0(v11)\n"
        " barrier 1\n li x22, 255\n vmv.v.x v20, x22\n barrier 1\n vadd.vx v20, v20, x22\n vsw12.v v20, 256(v11)\n"
        " endprg\n";
    static const uint32_t items[] = {32, 64, 50};
    (void)state;
    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
        struct pair p = pair_of(text, items[i], 1 << 20);
        assert_int_equal(pair_run_levels(&p).status, LAUNCH_DONE);
    }
}

/* Groups of two and three warps run for longer than they keep their SM: who came when, where quanta end late. */
static void test_long(void **state)
{
    static const char text[] = BEGIN
        " csrr x6, CSR_TID\n slli x6, x6, 2\n vadd.vx v11, v11, x6\n li x7, 1500\n vmv.v.i v1, 1\n vmv.v.x v2, x20\n"
        "loop: amoadd.w v3, v1, (v2)\n vlw12.v v4, 0(v11)\n vadd.vv v4, v4, v4\n vadd.vv v4, v4, v3\n"
        " vsw12.v v4, 0(v11)\n barrier 1\n addi x7, x7, -1\n bne x7, x0, loop\n endprg\n";
    (void)state;
    for (uint64_t quantum = 1000; quantum < 1012; quantum++) {
        struct pair p = pair_of(text, 64 + (quantum & 1) * 20, quantum);
        struct result r = pair_run(&p, &(uint64_t){0});
        assert_int_equal(r.status, LAUNCH_DONE);
    }
}

/* One of two warps comes to the barrier with fewer lanes, another rounding mode or elements of another width, and so it
 * goes on behind it. */
static void test_other_state(void **state)
{
    static const char *const changes[] = {
        "li x9, 7\n vsetvli x9, x9, e32, m1, ta, ma\n",
        "csrrwi x0, frm, 1\n",
        "li x9, 32\n vsetvli x9, x9, e16, m1, ta, ma\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof *changes * 2; i++) {
        char text[1000];
        struct pair p = pair_of(text, 64, 1 << 20);
        p.profile = PROFILE_R2025;
        snprintf(text, sizeof text,
                 BEGIN " csrr x6, CSR_TID\n slli x8, x6, 2\n vadd.vx v11, v11, x8\n vlw12.v v1, 0(v11)\n li x7, 5\n"
                       " %s x6, x0, loop\n %sloop: barrier 1\n vadd.vv v1, v1, v1\n vfadd.vv v2, v1, v1\n"
                       " addi x7, x7, -1\n bne x7, x0, loop\n vsetvli x9, x0, e32, m1, ta, ma\n csrrwi x0, frm, 0\n"
                       " vsw12.v v1, 0(v11)\n vsw12.v v2, 256(v11)\n endprg\n",
                 i % 2 ? "bne" : "beq", changes[i / 2]);
        assert_int_equal(pair_run_levels(&p).status, LAUNCH_DONE);
    }
}

/* Warps of a group that do not all come to the same barrier, or not as often as others: some end, one waits elsewhere,
 * and lanes wait on both paths of a branch. All take numbers from one counter. */
static void test_ways(void **state)
{
    static const char *const ways[] = {
        /* a warp of every other group ends at once, or in the middle */
        " andi x10, x5, 1\n add x12, x10, x6\n li x13, 33\n bne x12, x13, loop\n endprg\nloop: " TAKE " barrier 1\n",
        "loop: " TAKE " barrier 1\n li x12, 10\n bne x7, x12, 1f\n beq x6, x0, 1f\n endprg\n1:",
        /* the first one waits elsewhere, or the first or the others twice as often */
        "loop: " TAKE " beq x6, x0, 1f\n barrier 1\n vadd.vi v1, v1, 1\n j 2f\n1: barrier 1\n vadd.vi v1, v1, 2\n2:",
        " bne x6, x0, loop\n slli x7, x7, 1\nloop: " TAKE " barrier 1\n",
        " beq x6, x0, loop\n slli x7, x7, 1\nloop: " TAKE " barrier 1\n",
        "loop: li x9, 7\n" PAIR_PART("barrier 1\n vadd.vi v1, v1, 3\n", "vadd.vi v1, v1, 1\n barrier 1\n") TAKE,
    };
    static const uint32_t items[] = {64, 70, 33};
    static const uint64_t quanta[] = {1000, 1 << 20};
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways * 6; i++) {
        char text[1000];
        struct pair p = pair_of(text, items[i % 3], quanta[i / 3 % 2]);
        p.convergent = i % 4 == 3;
        snprintf(text, sizeof text,
                 BEGIN " csrr x6, CSR_TID\n slli x8, x6, 2\n vadd.vx v11, v11, x8\n vmv.v.i v30, 1\n vmv.v.x v31, x20\n"
                       " li x7, 20\n %s addi x7, x7, -1\n bne x7, x0, loop\n vsw12.v v1, 0(v11)\n endprg\n",
                 ways[i / 6]);
        assert_int_equal(pair_run(&p, &(uint64_t){0}).status, LAUNCH_DONE);
    }
}

/* Groups of several warps follow one another, whose warps keep words over barriers: in each group all come to the same
 * barriers, but for one warp of one group, to which something happens in front of the first, the second or no barrier.
 * x10 is 0 for that warp. */
static void test_rounds(void **state)
{
    static const char *const events[] = {
        "",
        "csrrwi x0, frm, 1\n vfadd.vv v18, v17, v17\n csrrwi x0, frm, 0\n",
        "endprg\n",
        "barrier 1\n",
        "li x17, 77\n vmv.v.x v17, x17\n",
        "li x9, 200\n8: addi x9, x9, -1\n bne x9, x0, 8b\n",
        "li x9, 9\n" PAIR_PART("vadd.vi v17, v17, 1\n", "vadd.vi v17, v17, 2\n"),
        "lui x9, 0x90100\n lw x9, 0(x9)\n",
        "sw x17, 12(x15)\n sw x17, -4(x16)\n",
        "vsll.vi v19, v9, 5\n vadd.vx v19, v19, x15\n vsw12.v v17, 0(v19)\n",
        "lui x9, 0x10\n add x9, x9, x16\n sw x17, 0(x9)\n",
    };
    static const uint64_t quanta[] = {1 << 16, 150};
    (void)state;
    for (size_t i = 0; i < sizeof events / sizeof *events * 6; i++) {
        char text[2000];
        const char *event = events[i / 6];
        const unsigned k = (unsigned)(i % 3);
        struct pair p = pair_of(text, i % 2 == 0 ? 64 : i % 4 == 1 ? 96 : 80, quanta[i / 3 % 2]);
        p.shape.groups[0] = 40;
        p.convergent = i % 4 == 1;
        snprintf(text, sizeof text,
                 BEGIN
                 " csrr x6, CSR_TID\n slli x8, x6, 2\n vadd.vx v11, v11, x8\n csrr x15, CSR_LDS\n li x16, 3072\n"
                 " add x16, x16, x15\n vadd.vx v14, v10, x16\n vxor.vx v13, v14, x8\n vadd.vx v14, v14, x8\n"
                 " slli x10, x6, 1\n add x10, x10, x5\n addi x10, x10, -%u\n slli x17, x5, 3\n vadd.vx v17, v9, x17\n"
                 " vlw12.v v15, 0(v14)\n vsw12.v v17, 0(v14)\n bne x10, x0, 1f\n %s1: barrier 1\n"
                 " vlw12.v v16, 0(v13)\n add x17, x17, x5\n vadd.vv v17, v17, v16\n vadd.vx v17, v17, x17\n"
                 " bne x10, x0, 1f\n %s1: barrier 1\n vsw12.v v17, 0(v14)\n barrier 1\n vlw12.v v16, 0(v13)\n"
                 " vadd.vv v17, v17, v16\n vadd.vv v17, v17, v15\n vadd.vx v17, v17, x17\n bne x10, x0, 1f\n"
                 " %s1: vsw12.v v17, 0(v11)\n endprg\n",
                 i % 2 ? 64 + 27 : 18, k == 0 ? event : "", k == 1 ? event : "", k == 2 ? event : "");
        pair_run(&p, &(uint64_t){0});
    }
}

/* Words of the arguments, which translated code loads once for many groups: a warp changes one, which others read
 * behind the barrier, and the groups that follow. */
static void test_arguments(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        char text[1500];
        struct pair p = pair_of(text, 64, 1 << 16);
        p.shape.groups[0] = 40;
        p.watched = true;
        snprintf(text, sizeof text,
                 BEGIN
                 " csrr x6, CSR_TID\n slli x8, x6, 2\n vadd.vx v11, v11, x8\n csrr x12, CSR_KNL\n lw x13, %d(x12)\n"
                 " lw x14, 4(x13)\n slli x10, x6, 1\n add x10, x10, x5\n addi x10, x10, -%u\n bne x10, x0, 1f\n"
                 " addi x15, x14, 5\n %s1: barrier 1\n lw x16, 4(x13)\n vadd.vx v1, v9, x14\n"
                 " barrier 1\n vadd.vx v1, v1, x16\n vsw12.v v1, 0(v11)\n endprg\n",
                 ABI_META_ARGS, i % 2 ? 64 + 27 : 18,
                 i / 2 ? "vmv.v.x v2, x13\n vmv.v.x v3, x15\n vsw12.v v3, 4(v2)\n" : "sw x15, 4(x13)\n");
        assert_int_equal(pair_run(&p, &(uint64_t){0}).status, LAUNCH_DONE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turns),       cmocka_unit_test(test_memory), cmocka_unit_test(test_cleared),
        cmocka_unit_test(test_fault),       cmocka_unit_test(test_parted), cmocka_unit_test(test_other_sizes),
        cmocka_unit_test(test_begins_anew), cmocka_unit_test(test_long),   cmocka_unit_test(test_other_state),
        cmocka_unit_test(test_ways),        cmocka_unit_test(test_rounds), cmocka_unit_test(test_arguments),
    };
    if (!engine_usable(&engine_native)) return 77;
    return cmocka_run_group_tests(tests, pair_setup, pair_teardown);
}
