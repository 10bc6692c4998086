/* What translated code must get right and random programs (native_test.c) seldom meet, one program for each: on `step`
 * and on every host level of `native`, with the same result. */
#include <malloc.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pair.h"

/* x20 is the data, v31 the address of each lane's word there, v1 to v5 and x10 to x12 are numbers from there; v0 says
 * every other lane. SAVE puts what a program may have changed of them behind the first pages. */
#define LOAD \
    " lui x20, 0x90000\n vid.v v31\n vsll.vi v31, v31, 2\n vadd.vx v31, v31, x20\n lui x5, 0x55555\n" \
    " addi x5, x5, 0x555\n vmv.v.x v0, x5\n vlw12.v v1, 0(v31)\n vlw12.v v2, 128(v31)\n vlw12.v v3, 256(v31)\n" \
    " vlw12.v v4, 384(v31)\n vlw12.v v5, 512(v31)\n lw x10, 1024(x20)\n lw x11, 1028(x20)\n lw x12, 1032(x20)\n"
#define SAVE \
    " lui x31, 0x90004\n vid.v v31\n vsll.vi v31, v31, 2\n vadd.vx v31, v31, x31\n vsw12.v v1, 0(v31)\n" \
    " vsw12.v v2, 128(v31)\n vsw12.v v3, 256(v31)\n vsw12.v v4, 384(v31)\n vsw12.v v5, 512(v31)\n" \
    " sw x10, 1024(x31)\n sw x11, 1028(x31)\n sw x12, 1032(x31)\n"

/* Translated code gives the warp back in front of an instruction that it cannot do, and is entered again behind it;
 * and at one in the middle of a block that is not what the translation takes for granted: SIZE loads the size of
 * work-groups, which OTHER_SIZE has changed. */
#define BY_STEP " csrr x9, vl\n"
/* The first one ends time slices with nothing left of them, if the number of instructions in front of it is right. */
#define LOOPS      " li x9, 3000\n li x8, 3\n1: addi x9, x9, -1\n bne x9, x0, 1b\n2: addi x8, x8, -1\n bne x8, x0, 2b\n"
#define OTHER_SIZE " csrr x8, CSR_KNL\n li x9, 5\n sw x9, 24(x8)\n"
#define SIZE       " csrr x8, CSR_KNL\n lw x9, 24(x8)\n"

static void expect_same_in(enum path_order order, const char *text)
{
    struct result r = pair_run_levels(&(struct pair){.text = text, .order = order});
    assert_int_equal(r.status, LAUNCH_DONE);
}

static void expect_same(const char *text) { expect_same_in(PATH_FEWER_FIRST, text); }

/* ---- faults ---- */

/* An access that `step` makes within a block, and that the host refuses: counters are those of the instructions before
 * it, and of itself. */
static void test_refused_help(void **state)
{
    static const struct {
        uint32_t profile;
        const char *access;
    } cases[] = {{PROFILE_R2025, " vlw_global.v v3, 0(v1)\n"},
                 {PROFILE_R2025, " vsw_global.v v3, 0(v1)\n"},
                 {PROFILE_R21, " vlw12.v v4, 0(v1) {pre_m_64}\n"},
                 {PROFILE_R21, " sw x8, 0(x5) {pre_m_128}\n"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 " lui x5, 0xa0000\n vmv.v.x v1, x5\n vadd.vi v2, v1, 1\n%s vadd.vi v2, v2, 1\n add x5, x5, x5\n"
                 " vadd.vi v2, v2, 1\n endprg\n",
                 cases[i].access);
        struct result r = pair_run_levels(&(struct pair){.text = text, .profile = cases[i].profile});
        assert_int_equal(r.status, LAUNCH_FAULT);
        assert_int_equal(r.counters.instructions, 4);
    }
}

/* An instruction that `step` refuses within a block: fadd.s with a rounding mode that there is not. */
static void test_illegal_help(void **state)
{
    (void)state;
    struct result r =
        pair_run_levels(&(struct pair){.text = LOAD " vadd.vi v1, v1, 1\n .word 0x00b554d3\n" SAVE " endprg\n"});
    assert_int_equal(r.fault.kind, FAULT_ILLEGAL);
    assert_int_equal(r.fault.word, 0x00b554d3);
}

/* ---- lanes ---- */

/* Behind a vsetvli for seven lanes the others rest, until it is taken back. */
static void test_vector_length(void **state)
{
    (void)state;
    expect_same(LOAD " li x8, 3\n li x9, 7\n vsetvli x10, x9, e32, m1, ta, ma\nloop: vadd.vi v1, v1, 1\n"
                     " vadd.vv v2, v1, v3\n vsw12.v v2, 0(v31)\n addi x8, x8, -1\n bne x8, x0, loop\n li x9, 40\n"
                     " vsetvli x11, x9, e32, m1, ta, ma\n vadd.vi v3, v3, 1\n vsetvli x12, x0, e32, m1, ta, ma\n"
                     " vadd.vi v4, v4, 1\n" SAVE " endprg\n");
}

/* The warp is given back before a vsetvli for seven lanes: what is written next keeps what the others hold. */
static void test_shorter_vector(void **state)
{
    (void)state;
    expect_same(LOAD OTHER_SIZE " vxor.vv v1, v1, v2\n li x7, 7\n" SIZE " vsetvli x10, x7, e32, m1, ta, ma\n"
                                " vadd.vv v1, v2, v3\n li x7, 32\n vsetvli x11, x7, e32, m1, ta, ma\n" SAVE
                                " endprg\n");
}

/* One lane after the other leaves its companions: the deepest SIMT stack that 32 lanes can have. */
static void test_deepest_divergence(void **state)
{
    static char text[1 << 14];
    uint64_t translated;
    size_t n = (size_t)snprintf(text, sizeof text, LOAD " vid.v v6\n");
    (void)state;
    for (int i = 0; i < 31; i++)
        n += (size_t)snprintf(
            text + n, sizeof text - n,
            "1: auipc x8, %%pcrel_hi(m%d)\n setrpc x0, x8, %%pcrel_lo(1b)\n li x8, %d\n vmv.v.x v7, x8\n"
            " vbeq v6, v7, e%d\n"
            " vadd.vi v1, v1, 1\n",
            i, i, i);
    for (int i = 30; i >= 0; i--)
        n += (size_t)snprintf(text + n, sizeof text - n, " j m%d\ne%d: vadd.vi v2, v2, %d\nm%d: join\n", i, i, i % 16,
                              i);
    snprintf(text + n, sizeof text - n, SAVE " endprg\n");
    struct result r = pair_run(&(struct pair){.text = text, .order = PATH_FALLTHROUGH_FIRST}, &translated);
    assert_int_equal(r.status, LAUNCH_DONE);
    assert_int_equal(r.counters.max_simt_depth, 62);
    assert_true(translated > 31 * 6);
}

/* A program has more joins than the translator tells apart (translator/simt_top.h). Lanes pass one of the last ones
 * while the others wait for another one of these, and no guard takes them out of translated code. */
static void test_many_joins(void **state)
{
    enum { JOINS = 300 };
    static char text[1 << 13];
    uint64_t translated;
    size_t n = (size_t)snprintf(text, sizeof text, LOAD " vid.v v9\n li x9, 7\n");
    (void)state;
    for (int i = 0; i < JOINS; i++) n += (size_t)snprintf(text + n, sizeof text - n, " join\n");
    snprintf(text + n, sizeof text - n, "%s",
             PAIR_PART(" vadd.vi v7, v1, 5\n join\n vmul.vv v1, v1, v7\n", " vadd.vi v2, v2, 3\n") SAVE " endprg\n");
    struct result r = pair_run(&(struct pair){.text = text}, &translated);
    assert_int_equal(r.status, LAUNCH_DONE);
    assert_int_equal(translated, r.counters.instructions);
}

/* Stores to addresses without a shape: of no lane, because the mask has none of those that are active; of a few; and of
 * lanes with the same address, of which the highest stays. */
static void test_scattered_stores(void **state)
{
    (void)state;
    expect_same(LOAD " li x9, 0xffc\n vand.vx v9, v1, x9\n vid.v v6\n vand.vi v7, v6, 1\n vmv.v.i v8, 0\n la x6, meet\n"
                     " setrpc x0, x6, 0\n vbeq v7, v8, meet\n vsuxei32.v v2, (x20), v9, v0.t\n"
                     " vsuxei32.v v3, (x20), v9\n vand.vi v7, v6, 7\n vmv.v.i v8, 3\n la x6, less\n setrpc x0, x6, 0\n"
                     " vbne v7, v8, less\n lui x10, 0x90005\n vsuxei32.v v4, (x10), v9\n li x9, 0xc\n"
                     " vand.vx v9, v2, x9\n vsuxei32.v v5, (x10), v9\nless: join\nmeet: join\n" SAVE " endprg\n");
}

/* A masked instruction keeps the lanes it leaves out: what its register held before is still needed, also when the
 * warp is given back in between, and also when all lanes run. */
static void test_masked_write(void **state)
{
    (void)state;
    expect_same(LOAD OTHER_SIZE " vxor.vv v1, v1, v2\n vxor.vv v4, v4, v5\n" SIZE " vadd.vv v1, v2, v3, v0.t\n"
                                " vadd.vi v4, v5, 1\n" SAVE " endprg\n");
}

/* For a vblt of v6 and v7 that five lanes take; all meet at the join. */
#define PART_AT_5 " vid.v v6\n vmv.v.i v7, 5\n la x6, meet\n setrpc x0, x6, 0\n"

/* The same where some lanes rest while the others write the register: theirs is read behind the join. What only lanes
 * read that have written it themselves is in no one's way. */
static void test_write_of_some_lanes(void **state)
{
    (void)state;
    expect_same_in(PATH_TAKEN_FIRST, LOAD OTHER_SIZE
                   " vxor.vv v1, v1, v2\n" PART_AT_5 SIZE " vblt v6, v7, few\n j meet\nfew: " BY_STEP
                   " vmv.v.x v1, x12\n vadd.vv v4, v1, v2\n vadd.vv v1, v4, v1\nmeet: join\n" SAVE " endprg\n");
}

/* A shuffle looks at lanes that rest, and sees what they hold of a register that the others have just written, even if
 * nobody reads it again. */
static void test_shuffle_of_resting_lanes(void **state)
{
    (void)state;
#define SHUFFLED(way) \
    expect_same_in(PATH_TAKEN_FIRST, \
                   LOAD " vxor.vv v4, v1, v2\n" PART_AT_5 " vblt v6, v7, few\n j meet\nfew: vmv.v.x v4, x12\n" way \
                        "meet: join\n vmv.v.i v4, 0\n" SAVE " endprg\n")
    SHUFFLED(" shuffle.bfly v3, v4, 8\n");
    SHUFFLED(" vmv.v.i v8, 7\n vshuffle_down.raw v3, v8, v4\n");
    SHUFFLED(" vand.vi v8, v1, 31\n vshuffle_down.raw v3, v8, v4\n vshuffle_down.raw v5, v3, v2\n");
}

/* With lanes further on that the warp does not have, lanes before, and NaNs as they are. */
static void test_shuffle(void **state)
{
    (void)state;
    expect_same(LOAD
                " vid.v v6\n vmv.v.i v7, -3\n vshuffle_down.raw v3, v7, v1\n vsub.vv v7, v2, v6\n vand.vi v7, v7, 31\n"
                " vshuffle_down.raw v4, v7, v1\n vshuffle_down.raw v5, v2, v1\n vfadd.vv v8, v1, v2\n"
                " vshuffle_down.raw v2, v6, v8\n" SAVE " endprg\n");
}

/* By the same known distance in all lanes: within chunks of the host, across them, to no lane. v3 sums up what comes of
 * each. */
static void test_shuffle_by_known_distance(void **state)
{
    (void)state;
    static const int distances[] = {0, 1, 5, 8, 15, 16, 31, 32, 33, -1, -2, -8, -16, -31, -32, -33, 1 << 30};
    char text[4096];
    int n = snprintf(text, sizeof text, LOAD);
    for (unsigned i = 0; i < sizeof distances / sizeof *distances; i++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      " li x12, %d\n vmv.v.x v7, x12\n vshuffle_down.raw v8, v7, v1\n vmul.vv v3, v3, v2\n"
                      " vadd.vv v3, v3, v8\n",
                      distances[i]);
    snprintf(text + n, sizeof text - (size_t)n, " vmv.v.i v8, -4\n vshuffle_down.raw v5, v8, v3\n" SAVE " endprg\n");
    expect_same(text);
}

/* Addresses of some lanes that do not follow one another. */
static void test_addresses_of_some_lanes(void **state)
{
    (void)state;
    expect_same_in(PATH_TAKEN_FIRST,
                   LOAD PART_AT_5 " vblt v6, v7, few\n j meet\nfew: vxor.vi v5, v31, 4\n vlw12.v v4, 0(v5)\n"
                                  " vsw12.v v6, 640(v5)\nmeet: join\n" SAVE " endprg\n");
}

/* A mask is what lane 0 of v0 holds, also where that lane rests: the others' way writes v0, but not lane 0 of it. */
static void test_mask_of_resting_lane(void **state)
{
    (void)state;
    expect_same_in(PATH_FALLTHROUGH_FIRST, LOAD OTHER_SIZE
                   " vxor.vv v0, v0, v2\n vid.v v6\n vmv.v.i v7, 5\n la x6, meet\n setrpc x0, x6, 0\n" SIZE
                   " vblt v6, v7, few\n vmv.v.x v0, x11\n vadd.vv v1, v2, v3, v0.t\n j meet\n"
                   "few: vmv.v.x v0, x12\nmeet: join\n" SAVE " endprg\n");
}

/* What only those lanes read that wait. */
static void test_waiting_lanes(void **state)
{
    (void)state;
    expect_same_in(PATH_FALLTHROUGH_FIRST, LOAD OTHER_SIZE
                   " vxor.vv v1, v1, v2\n vid.v v6\n vmv.v.i v7, 5\n la x6, meet\n setrpc x0, x6, 0\n"
                   " vblt v6, v7, few\n" SIZE " j meet\nfew: vsw12.v v1, 0(v31)\nmeet: join\n endprg\n");
}

/* The join that waiting lanes wait for, when two ways lead to their branch with different ones: one that the program
 * shows, and one by a jump whose target it does not show. What only they read is kept. */
static void test_two_joins(void **state)
{
    static const char ways[][200] = {
        " and x9, x10, x8\n beq x9, x0, same\n la x6, second\n j same\n",
        " beq x10, x11, same\n la x6, second\n la x9, same\n xor x8, x8, x8\n add x9, x9, x8\n jalr x0, 0(x9)\n",
    };
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        char text[2000];
        snprintf(text, sizeof text,
                 LOAD OTHER_SIZE
                 " vid.v v6\n vmv.v.i v7, 5\n la x6, first\n li x8, %u\n %s"
                 "same: addi x6, x6, -4\n setrpc x0, x6, 4\n vadd.vv v8, v1, v2\n vblt v6, v7, few\n csrr x9, vl\n"
                 " vxor.vv v8, v8, v3\n j first\nfew: vxor.vv v1, v8, v2\n j first\nfirst: join\n" SIZE
                 "second: join\n" SAVE " endprg\n",
                 i / 2 ? 0xffffffff : 0, ways[i % 2]);
        expect_same_in(PATH_FALLTHROUGH_FIRST, text);
    }
}

/* Warps that begin with all lanes, with fewer, and both: branches within branches, a loop that lanes leave one after
 * the other, and behind each join what is written there. */
static void test_sizes_of_warps(void **state)
{
    static const struct launch shapes[] = {
        {.warps = 2, .threads_per_warp = 32, .work_items = 64}, {.warps = 2, .threads_per_warp = 32, .work_items = 40},
        {.warps = 1, .threads_per_warp = 32, .work_items = 7},  {.warps = 3, .threads_per_warp = 16, .work_items = 48},
        {.warps = 2, .threads_per_warp = 16, .work_items = 20},
    };
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct launch shape = shapes[i];
        shape.groups[0] = 2;
        const struct pair p = {
            .text = LOAD
            " csrr x7, CSR_TID\n slli x7, x7, 4\n vadd.vx v31, v31, x7\n vid.v v6\n vmv.v.i v7, 5\n vmv.v.i v8, 3\n"
            " vmv.v.i v9, 0\n la x6, meet\n setrpc x0, x6, 0\n vblt v6, v7, few\n vadd.vv v1, v2, v3\n la x6, inner\n"
            " setrpc x0, x6, 0\n vblt v1, v2, inner\n vadd.vi v2, v2, 1\ninner: join\n vadd.vv v4, v1, v2\n j meet\n"
            "few: la x6, left\n setrpc x0, x6, 0\nloop: vadd.vi v9, v9, 1\n vbge v9, v6, left\n vadd.vv v5, v5, v9\n"
            " j loop\nleft: join\n vadd.vv v4, v5, v9\nmeet: join\n vsll.vi v10, v6, 2\n vadd.vv v5, v10, v4\n"
            " la x6, end\n setrpc x0, x6, 0\n vblt v8, v6, end\n vadd.vv v3, v10, v2\nend: join\n barrier 1\n"
            " vsw12.v v1, 512(v31)\n vsw12.v v2, 640(v31)\n vsw12.v v3, 768(v31)\n vsw12.v v4, 896(v31)\n"
            " vsw12.v v5, 1024(v31)\n endprg\n",
            .order = PATH_FALLTHROUGH_FIRST,
            .quantum = 10000,
            .shape = shape};
        assert_int_equal(pair_run_levels(&p).status, LAUNCH_DONE);
        uint64_t translated, all = pair_run(&p, &translated).counters.instructions;
        assert_int_equal(translated, all);
    }
}

/* Lanes wait in code that the program does not show, for a join that it shows: what only they read is kept. */
static void test_hidden_side(void **state)
{
    (void)state;
    expect_same_in(PATH_FALLTHROUGH_FIRST,
                   LOAD " vid.v v6\n vmv.v.i v7, 5\n la x6, meet\n setrpc x0, x6, 0\n la x9, hidden\n li x8, 1\n"
                        " sw x8, 1040(x20)\n lw x8, 1040(x20)\n beq x8, x0, on\n add x9, x9, x8\n addi x9, x9, -1\n"
                        " jalr x0, 0(x9)\n"
                        "on: csrr x9, vl\nmeet: join\n xor x10, x11, x12\n vadd.vi v1, v2, 1\n" SAVE " endprg\n"
                        "hidden: vblt v6, v7, few\n j on\nfew: sw x10, 1044(x20)\n vsw12.v v1, 1152(v31)\n j meet\n");
}

/* A branch of lanes that a prefix changes is one for `step`, and leads to code that nothing else does: what is read
 * there alone is kept where the others come to the join. */
static void test_changed_branch(void **state)
{
    (void)state;
    for (int order = PATH_FEWER_FIRST; order <= PATH_FALLTHROUGH_FIRST; order++) {
        struct result r = pair_run_levels(&(struct pair){
            .text = LOAD " vid.v v6\n vmv.v.i v7, -5\n la x6, meet\n setrpc x0, x6, 0\n vxor.vv v9, v1, v2\n"
                         " prefix 0 {neg=1}\n vblt v6, v7, few\n vadd.vi v9, v2, 3\n vadd.vv v3, v9, v3\n"
                         "meet: join\n vadd.vi v1, v2, 1\n" SAVE " endprg\nfew: vsw12.v v9, 1152(v31)\n j meet\n",
            .profile = PROFILE_R21,
            .order = (enum path_order)order});
        assert_int_equal(r.status, LAUNCH_DONE);
    }
}

/* Words that follow one another from the end of memory on, which go on at its beginning if that is open. */
static void test_around_the_end(void **state)
{
    static const struct pair p = {.text = LOAD " li x6, -64\n vid.v v6\n vsll.vi v6, v6, 2\n vadd.vx v7, v6, x6\n"
                                               " vsw12.v v1, 0(v7)\n vlw12.v v2, 0(v7)\n vle32.v v3, (x6)\n" SAVE
                                               " endprg\n",
                                  .ends = true};
    uint64_t translated;
    (void)state;
    assert_int_equal(pair_run(&p, &translated).status, LAUNCH_DONE);
}

/* More instructions in a row than 16 bits count. */
static void test_long_block(void **state)
{
    enum { COUNT = 66000 };
    static const char each[] = " addi x10, x10, 1\n";
    const size_t length = sizeof each - 1;
    char *text = malloc(COUNT * length + 2000), *end = text;
    (void)state;
    assert_non_null(text);
    end += sprintf(end, "%s", LOAD);
    for (int i = 0; i < COUNT; i++, end += length) memcpy(end, each, sizeof each);
    sprintf(end, "%s endprg\n", SAVE);
    struct result r = pair_run_levels(&(struct pair){.text = text, .quantum = 2 * COUNT});
    assert_int_equal(r.status, LAUNCH_DONE);
    free(text);
}

/* What is read behind a barrier. */
static void test_barrier(void **state)
{
    (void)state;
    expect_same(LOAD OTHER_SIZE " vxor.vv v1, v1, v2\n xor x10, x10, x11\n" SIZE " barrier 1\n" SAVE " endprg\n");
}

/* Warps have just been made when they wait, in memory that is not 0; behind the barrier, in a loop that is longer than
 * their time slice, `step` reads x0, and then a register that nobody has written. */
static void test_new_warps_at_barrier(void **state)
{
    static const char *const reads[] = {"", " sw x11, 16(x20)\n"};
    (void)state;
    mallopt(M_PERTURB, 0x5a);
    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 " csrr x5, CSR_WID\n slli x5, x5, 2\n lui x20, 0x90000\n add x20, x20, x5\n barrier 1\n"
                 "again: or x6, x0, x0\n sw x6, 0(x20)\n nop\n nop\n nop\n nop\n nop\n%s beq x6, x20, again\n"
                 " endprg\n",
                 reads[i]);
        const struct launch shape = {.warps = 2, .threads_per_warp = 32, .work_items = 64};
        struct result r = pair_run_levels(&(struct pair){.text = text, .shape = shape, .quantum = 6});
        assert_int_equal(r.status, LAUNCH_DONE);
    }
    mallopt(M_PERTURB, 0);
}

/* The third of four warps that follow one another fails, at once or behind a barrier: counters are those of what has
 * been executed, and the fault names that warp. */
static void test_fault_of_follower(void **state)
{
    static const char *const between[] = {"", " barrier 1\n"};
    (void)state;
    for (size_t i = 0; i < sizeof between / sizeof *between; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 " csrr x5, CSR_WID\n li x6, 2\n vid.v v1\n%s bne x5, x6, end\n sw x0, 0(x0)\nend: vadd.vi v1, v1, 1\n"
                 " endprg\n",
                 between[i]);
        struct result r = pair_run_levels(&(struct pair){
            .text = text, .shape = {.warps = 4, .threads_per_warp = 32, .work_items = 128, .groups[0] = 3}});
        assert_int_equal(r.status, LAUNCH_FAULT);
        assert_int_equal(r.fault.warp, 2);
    }
}

/* Every group finds its warps as they are at first, however the group before it has left them: what all change stays
 * within translated code, what some look at, before and behind that, and some change is `step`'s. */
static void test_groups_follow(void **state)
{
    (void)state;
    struct result r = pair_run_levels(&(struct pair){
        .text = " csrr x10, mstatus\n csrr x5, CSR_GIDX\n csrr x6, CSR_WID\n slli x7, x5, 1\n add x7, x7, x6\n"
                " slli x7, x7, 5\n lui x20, 0x90000\n add x20, x20, x7\n sw x10, 0(x20)\n li x15, 2\n"
                " andi x8, x5, 3\n bne x8, x15, on\n csrr x11, vtype\n csrr x12, CSR_RPC\n csrr x9, frm\n"
                " sw x11, 4(x20)\n sw x12, 8(x20)\n sw x9, 12(x20)\n"
                "on: li x13, 0x2208\n csrrw x0, mstatus, x13\n li x13, 32\n vsetvli x0, x13, e32, m1, ta, ma\n"
                " la x14, end\n setrpc x0, x14, 0\n li x15, 5\n andi x8, x5, 7\n bne x8, x15, end\n"
                " csrr x11, vtype\n csrr x12, CSR_RPC\n sw x11, 16(x20)\n sw x12, 20(x20)\n csrrwi x0, frm, 1\n"
                "end: endprg\n",
        .shape = {.warps = 2, .threads_per_warp = 32, .work_items = 64, .groups = {100}}});
    assert_int_equal(r.status, LAUNCH_DONE);
}

/* What ends a stretch (native/stretch.h) in the second of three warps, in groups in the middle and at the end: a fault,
 * an instruction for `step`, a loop that is longer than the time slice, a write to local memory, which the groups
 * behind find empty, that in front of such a loop, and registers that a call has stored: in the group behind it `step`
 * reads them, and they are 0. */
static void test_ends_of_stretches(void **state)
{
    static const struct {
        const char *what;
        enum launch_status status;
    } cases[] = {{" nop\n", LAUNCH_DONE},
                 {" sw x0, 0(x0)\n", LAUNCH_FAULT},
                 {BY_STEP, LAUNCH_DONE},
                 {" li x9, 3000\nloop: addi x9, x9, -1\n bne x9, x0, loop\n", LAUNCH_DONE},
                 {" sw x20, 64(x14)\n", LAUNCH_DONE},
                 {" sw x20, 64(x14)\n" LOOPS, LAUNCH_DONE},
                 {" sw x20, 64(x14)\n nop\n" LOOPS, LAUNCH_DONE},
                 {" li x15, 3\n li x16, 4\n vmv.v.x v1, x15\n vmv.v.x v2, x16\n jal x1, function\n jal x1, function\n",
                  LAUNCH_DONE}};
    static const int groups[] = {0, 1, 57, 98, 99};
    (void)state;
    for (size_t i = 0; i < 5 * sizeof cases / sizeof *cases; i++) {
        char text[900];
        snprintf(
            text, sizeof text,
            " csrr x5, CSR_GIDX\n csrr x6, CSR_WID\n csrr x14, CSR_LDS\n slli x7, x5, 2\n add x7, x7, x6\n"
            " slli x7, x7, 4\n lui x20, 0x90000\n add x20, x20, x7\n lw x9, 64(x14)\n sw x9, 0(x20)\n"
            " li x8, 1\n bne x8, x6, more\n addi x5, x5, -%d\n bne x8, x5, first\n" BY_STEP
            "first: bne x5, x0, more\n%smore: add x16, x16, x17\n sw x15, 4(x20)\n sw x16, 8(x20)\n vmv.x.s x9, v1\n"
            " sw x9, 12(x20)\n endprg\nfunction: vadd.vv v3, v1, v2\n add x17, x15, x16\n ret\n",
            groups[i % 5], cases[i / 5].what);
        struct result r = pair_run_levels(&(struct pair){
            .text = text, .shape = {.warps = 3, .threads_per_warp = 32, .work_items = 96, .groups = {100}}});
        assert_int_equal(r.status, cases[i / 5].status);
    }
}

/* A warp in the middle of a stretch that leaves an instruction to `step` has the rest of its own time slice behind it:
 * the other one of the group comes to the shared counter later. */
static void test_slice_in_stretch(void **state)
{
    static const int groups[] = {1, 57, 98};
    (void)state;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 " csrr x5, CSR_GIDX\n csrr x6, CSR_WID\n slli x7, x5, 1\n add x7, x7, x6\n slli x7, x7, 2\n"
                 " lui x20, 0x90000\n vmv.v.x v31, x20\n vmv.v.i v1, 1\n add x20, x20, x7\n addi x8, x5, -%d\n"
                 " or x8, x8, x6\n bne x8, x0, more\n" BY_STEP
                 "more: amoadd.w v2, v1, (v31)\n vmv.x.s x9, v2\n sw x9, 64(x20)\n endprg\n",
                 groups[i]);
        struct pair p = {.text = text};
        p.shape = (struct launch){.warps = 2, .threads_per_warp = 32, .work_items = 64, .groups = {100}};
        assert_int_equal(pair_run_levels(&p).status, LAUNCH_DONE);
    }
}

/* Words of metadata and arguments are the same for all warps, until one of them writes there: the second of three in a
 * group in the middle or at an end, in every way that stores have; the address of the arguments, and a size that the
 * translation takes for granted, as well. It finds them changed itself, and so do those behind it. x21 is
 * another address for some groups, and where `step` comes back to the beginning. */
static void test_words_of_arguments(void **state)
{
    static const char *const changes[] = {
        " nop\n",
        " sw x5, 8(x21)\n",
        " sh x5, 10(x21)\n",
        " vmv.v.x v1, x21\n vmv.v.x v2, x5\n vsw12.v v2, 8(v1)\n",
        " vmv.v.x v2, x5\n vse32.v v2, (x21)\n",
        " vmv.v.x v1, x21\n vadd.vi v1, v1, 8\n vmv.v.i v2, 3\n amoadd.w v3, v2, (v1)\n",
        " addi x9, x21, 8\n sw x9, 4(x8)\n",
        " sw x6, 24(x8)\n",
        " vid.v v1\n vsll.vi v1, v1, 2\n vadd.vx v1, v1, x21\n vmv.v.i v2, 7\n vid.v v3\n vmv.v.i v4, 9\n la x9, 1f\n"
        " setrpc x0, x9, 0\n vblt v3, v4, 2f\n lw x22, 8(x21)\n j 1f\n2: vsw12.v v2, 0(v1)\n1: join\n",
        " li x27, 2\n bne x26, x27, more\n addi x21, x21, 8\n la x9, again\n vmv.v.x v1, x9\n vmv.x.s x9, v1\n"
        " jalr x0, 0(x9)\n"};
    static const int groups[] = {0, 1, 57, 99};
    (void)state;
    for (size_t i = 0; i < 4 * sizeof changes / sizeof *changes; i++) {
        char text[1200];
        snprintf(text, sizeof text,
                 " csrr x5, CSR_GIDX\n csrr x6, CSR_WID\n csrr x8, CSR_KNL\n lw x21, 4(x8)\n lw x25, 24(x8)\n"
                 "%sagain: lw x22, 8(x21)\n add x22, x22, x25\n"
                 " addi x26, x26, 1\n andi x27, x26, 1\n bne x27, x0, again\n"
                 " slli x7, x5, 2\n add x7, x7, x6\n slli x7, x7, 4\n lui x20, 0x90000\n add x20, x20, x7\n"
                 " li x16, 1\n bne x16, x6, more\n addi x17, x5, -%d\n bne x17, x0, more\n%smore: lw x23, 8(x21)\n"
                 " lw x24, 24(x8)\n sw x22, 0(x20)\n sw x23, 4(x20)\n sw x24, 8(x20)\n lw x21, 4(x8)\n"
                 " lw x22, 8(x21)\n sw x22, 12(x20)\n endprg\n",
                 i % 4 ? "" : " bne x5, x0, again\n addi x21, x21, 4\n", groups[i % 4], changes[i / 4]);
        const struct launch shape = {.warps = 3, .threads_per_warp = 32, .work_items = 96, .groups = {100}};
        assert_int_equal(pair_run_levels(&(struct pair){.text = text, .shape = shape, .watched = true}).status,
                         LAUNCH_DONE);
    }
}

/* The first warp says that the arguments are elsewhere: where nothing is, which is an error only if somebody reads
 * there, or where every warp stores. */
static void test_moved_arguments(void **state)
{
    static const char *const uses[] = {" bne x5, x0, end\n lw x10, 8(x9)\n", " lw x10, 8(x9)\n",
                                       " lw x10, 8(x9)\n addi x10, x10, 3\n sw x10, 8(x9)\n"};
    static const char *const places[] = {"0x12345678", "0x90008000", "0xfffffff0"};
    (void)state;
    for (unsigned i = 0; i < 3 * 3; i++) {
        char text[700];
        snprintf(text, sizeof text,
                 " csrr x5, CSR_GIDX\n csrr x8, CSR_KNL\n lw x9, 4(x8)\n%s bne x5, x0, end\n li x11, %s\n"
                 " sw x11, 4(x8)\nend: lui x20, 0x90000\n slli x5, x5, 2\n add x20, x20, x5\n sw x10, 0(x20)\n"
                 " endprg\n",
                 uses[i % 3], places[i / 3]);
        struct pair p = {.text = text, .watched = true};
        p.shape = (struct launch){.warps = 1, .threads_per_warp = 32, .work_items = 32, .groups = {100}};
        assert_int_equal(pair_run_levels(&p).status, i % 3 && i / 3 != 1 ? LAUNCH_FAULT : LAUNCH_DONE);
    }
}

/* The same of groups of one warp, which passes its barriers and writes to local memory: each group finds that empty
 * again. Between two barriers one of them fails, leaves an instruction to `step`, has its quanta used up, comes to a
 * barrier with some of its lanes, writes anywhere in local memory, or to the arguments. And one is at a barrier when it
 * is another group's turn. */
static void test_stretches_past_barriers(void **state)
{
    static const struct {
        const char *what;
        enum launch_status status;
    } cases[] = {{" nop\n", LAUNCH_DONE},
                 {" sw x0, 0(x0)\n", LAUNCH_FAULT},
                 {BY_STEP, LAUNCH_DONE},
                 {" li x9, 6000\nloop: addi x9, x9, -1\n bne x9, x0, loop\n", LAUNCH_DONE},
                 {" li x9, 60\nloop: addi x9, x9, -1\n barrier 1\n bne x9, x0, loop\n", LAUNCH_DONE},
                 {" vmv.v.i v4, 9\n la x9, 1f\n setrpc x0, x9, 0\n vblt v1, v4, 2f\n j 1f\n2: barrier 1\n1: join\n",
                  LAUNCH_DONE},
                 {" vmul.vx v2, v1, x12\n vadd.vx v2, v2, x14\n vsw12.v v1, 512(v2)\n", LAUNCH_DONE},
                 {" sw x5, 8(x21)\n", LAUNCH_DONE},
                 {" vse32.v v1, (x21)\n", LAUNCH_DONE},
                 {" sw x5, 1020(x14)\n sw x5, 1000(x14)\n", LAUNCH_DONE}};
    static const int groups[] = {0, 1, 2, 57, 298, 299};
    (void)state;
    for (size_t i = 0; i < 6 * sizeof cases / sizeof *cases; i++) {
        char text[900];
        snprintf(text, sizeof text,
                 " csrr x5, CSR_GIDX\n csrr x8, CSR_KNL\n csrr x14, CSR_LDS\n lw x21, 4(x8)\n lw x22, 8(x21)\n"
                 " slli x7, x5, 5\n lui x20, 0x90000\n add x20, x20, x7\n vid.v v1\n li x12, 12\n"
                 " lw x9, 64(x14)\n lw x10, 148(x14)\n lw x11, 632(x14)\n lw x13, 1020(x14)\n lw x15, 1000(x14)\n"
                 " sw x9, 0(x20)\n sw x10, 4(x20)\n sw x11, 8(x20)\n sw x13, 12(x20)\n sw x15, 16(x20)\n"
                 " addi x16, x14, 24\n vse32.v v1, (x16)\n barrier 1\n lw x9, 64(x14)\n addi x17, x5, -%d\n"
                 " bne x17, x0, more\n%smore: sw x9, 20(x20)\n sw x22, 24(x20)\n barrier 1\n endprg\n",
                 groups[i % 6], cases[i / 6].what);
        const bool fails = cases[i / 6].status == LAUNCH_FAULT; /* before there are turns, which observers change */
        const uint32_t n = fails ? 300 : 500;
        const struct launch shape = {.warps = 1, .threads_per_warp = 32, .work_items = 32, .groups = {n}};
        struct result r =
            pair_run_levels(&(struct pair){.text = text, .shape = shape, .watched = true, .local = {32, 1, 1}});
        assert_int_equal(r.status, cases[i / 6].status);
        if (!fails) assert_true(r.counters.barriers >= 1000);
    }
}

/* Words of local memory at known distances, which come by loads where they are near enough (translator/gathers.c), up
 * to the end of what is open: what the loads find there, and not behind it. */
static void test_known_distances(void **state)
{
    static const struct {
        const char *index;
        uint32_t most, shift;
    } orders[] = {
        {" vrsub.vx v2, v1, x10\n", 31},
        {" vadd.vi v2, v1, 1\n vremu.vx v2, v2, x11\n", 23},
        {" vadd.vi v2, v1, 9\n vremu.vx v2, v2, x11\n", 23},
        {" vxor.vi v2, v1, 5\n", 31},
        {" vxor.vi v2, v1, 15\n vsll.vi v2, v2, 1\n", 62},
        {" vmul.vx v2, v1, x12\n vxor.vi v2, v2, 1\n", 92},    /* too far */
        {" vmul.vx v2, v1, x12\n vxor.vi v2, v2, 1\n", 46, 1}, /* between words */
        {" vmul.vx v2, v1, x12\n vand.vx v2, v2, x10\n", 31},
        {" vand.vi v2, v1, 3\n vsll.vi v2, v2, 2\n vsrl.vi v3, v1, 2\n vadd.vv v2, v2, v3\n", 19},
    };
    (void)state;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        for (uint32_t items = 32; items >= 24; items -= 8)
            for (size_t k = 0; k < 3; k++) {
                const uint32_t last = k == 2 ? 23 : orders[i].most - (uint32_t)k; /* that is open */
                char text[900];
                snprintf(text, sizeof text,
                         " li x10, 31\n li x11, 24\n li x12, 3\n csrr x14, CSR_LDS\n csrr x5, CSR_GIDX\n vid.v v1\n"
                         " slli x7, x5, 7\n lui x20, 0x90000\n add x20, x20, x7\n li x15, 4096\n add x15, x15, x14\n"
                         " vmul.vx v4, v1, x10\n vsll.vi v5, v1, 2\n vadd.vx v5, v5, x15\n"
                         " vsw12.v v4, -128(v5)\n vadd.vx v4, v4, x11\n vsw12.v v4, -256(v5)\n vsw12.v v1, -384(v5)\n"
                         " barrier 1\n addi x15, x15, %d\n%s vsll.vi v2, v2, %u\n vloxei32.v v6, (x15), v2\n"
                         " vse32.v v6, (x20)\n vadd.vx v2, v2, x15\n vlw12.v v7, 0(v2)\n vadd.vv v6, v6, v7\n"
                         " vse32.v v6, (x20)\n endprg\n",
                         -4 * (int)last - 4, orders[i].index, orders[i].shift ? 1 : 2);
                const struct launch shape = {.warps = 1, .threads_per_warp = 32, .work_items = items, .groups = {2}};
                uint64_t translated;
                pair_run(&(struct pair){.text = text, .shape = shape, .local = {items, 1, 1}}, &translated);
                assert_int_not_equal(translated, 0);
            }
}

/* The word of the last lane that runs, to a scalar register. */
static void test_last_lane(void **state)
{
    (void)state;
    expect_same(LOAD " vid.v v6\n vmv.v.i v7, 9\n la x6, meet\n setrpc x0, x6, 0\n vmv.x.s x10, v1\n"
                     " vblt v6, v7, few\n vmv.x.s x11, v2\n j meet\nfew: vmv.x.s x12, v3\n sw x12, 1040(x20)\n"
                     "meet: join\n" SAVE " endprg\n");
}

/* Lanes wait while the others end. */
static void test_end_of_some(void **state)
{
    (void)state;
    struct result r = pair_run_levels(
        &(struct pair){.text = LOAD " vid.v v6\n vmv.v.i v7, 9\n vblt v6, v7, few\n vadd.vi v1, v1, 1\n nop\n"
                                    "few: vadd.vi v2, v2, 1\n endprg\n"});
    assert_int_equal(r.fault.kind, FAULT_ENDPRG_DIVERGED);
}

/* ---- time slices ---- */

/* A warp whose slice has ended somewhere in a loop comes back to translated code, however long the loop is. */
static void test_long_loops(void **state)
{
    (void)state;
    for (unsigned length = 4; length <= 64; length *= 2) {
        char text[2000];
        uint64_t translated;
        size_t n = (size_t)snprintf(text, sizeof text, " li x8, 2000\nloop:");
        for (unsigned i = 2; i < length; i++)
            n += (size_t)snprintf(text + n, sizeof text - n, " vadd.vi v%u, v%u, 1\n", i % 32, i % 32);
        snprintf(text + n, sizeof text - n, " addi x8, x8, -1\n bne x8, x0, loop\n endprg\n");
        struct result r = pair_run(&(struct pair){.text = text, .quantum = 3000}, &translated);
        assert_int_equal(r.status, LAUNCH_DONE);
        assert_true(translated >= r.counters.instructions / 10 * 9);
    }
}

/* A time slice in which lanes work more often than 32 bits count. These 160 million instructions are most of the time
 * of these tests with sanitizers, which find nothing in them that shorter programs do not have. */
static void test_long_slice(void **state)
{
    enum { ROUNDS = 1 << 23 };
    uint64_t translated;
    char text[800];
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    return;
#endif
    size_t n = (size_t)snprintf(text, sizeof text, " li x8, %u\nloop:", ROUNDS);
    for (unsigned i = 0; i < 17; i++) n += (size_t)snprintf(text + n, sizeof text - n, " vadd.vi v%u, v%u, 1\n", i, i);
    snprintf(text + n, sizeof text - n, " addi x8, x8, -1\n bne x8, x0, loop\n endprg\n");
    struct result r = pair_run(&(struct pair){.text = text, .quantum = 1u << 30}, &translated);
    assert_int_equal(r.counters.lanes, 17ull * ROUNDS * 32);
    assert_true(translated >= r.counters.instructions / 10 * 9);
}

/* ---- registers ---- */

/* All are 0 at first, however the memory and the registers of the host are. */
static void test_first_registers(void **state)
{
    char text[6000];
    size_t n = 0;
    (void)state;
    n += (size_t)snprintf(text + n, sizeof text - n, " vid.v v31\n vsll.vi v31, v31, 2\n");
    for (unsigned i = 1; i < 31; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, " add x63, x63, x%u\n vadd.vv v30, v30, v%u\n", i, i - 1);
    snprintf(text + n, sizeof text - n,
             " lui x62, 0x90000\n sw x63, 0(x62)\n vadd.vx v31, v31, x62\n"
             " vsw12.v v30, 128(v31)\n endprg\n");
    struct result r = pair_run_levels(&(struct pair){.text = text});
    assert_int_equal(r.status, LAUNCH_DONE);
}

static void test_mstatus(void **state)
{
    (void)state;
    expect_same(LOAD " li x5, 0x2208\n csrrw x10, mstatus, x5\n csrr x11, mstatus\n li x6, 0x200\n"
                     " csrrc x12, mstatus, x6\n sw x12, 1040(x20)\n csrrsi x12, mstatus, 8\n sw x12, 1044(x20)\n"
                     " csrr x12, mstatus\n" SAVE " endprg\n");
}

/* ---- jumps ---- */

/* A function is left by a jump whose target its code does not tell: registers that only its callers read are kept when
 * the warp is given back within it. */
static void test_calls(void **state)
{
    (void)state;
    expect_same(LOAD OTHER_SIZE
                " jal x1, f\n add x10, x10, x11\n sw x10, 0(x20)\n jal x1, f\n vsw12.v v1, 0(v31)\n la x6, f\n"
                " jalr x1, 0(x6)\n" SAVE " endprg\n"
                "f: xor x10, x10, x12\n vxor.vv v1, v1, v2\n" SIZE " add x11, x11, x12\n jalr x0, 0(x1)\n");
}

/* Functions that change their own registers and some of their callers', each called from two places, and half of them
 * calling another one: the warp is given back in each, and time slices end there. */
static void test_many_functions(void **state)
{
    enum { FUNCTIONS = 24 };
    static char text[1 << 14];
    uint64_t translated;
    size_t n = (size_t)snprintf(text, sizeof text, LOAD " li x8, 6\nloop:");
    (void)state;
    for (int i = 0; i < 2 * FUNCTIONS; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, " jal x1, f%d\n add x10, x10, x%d\n", i % FUNCTIONS,
                              13 + i % 4);
    n += (size_t)snprintf(text + n, sizeof text - n,
                          " addi x8, x8, -1\n bne x8, x0, loop\n vadd.vv v1, v1, v8\n vadd.vv v2, v2, v9\n"
                          " vadd.vv v3, v3, v10\n vadd.vv v4, v4, v11\n" SAVE " endprg\n");
    for (int i = 0; i < FUNCTIONS; i++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "f%d: addi x%d, x12, %d\n vadd.vi v%d, v%d, %d\n", i,
                              13 + i % 4, i, 8 + i % 5, 8 + i % 3, i % 16);
        if (i % 2) n += (size_t)snprintf(text + n, sizeof text - n, " mv x2, x1\n jal x1, f%d\n mv x1, x2\n", i - 1);
        if (i % 6 == 4) n += (size_t)snprintf(text + n, sizeof text - n, BY_STEP);
        n += (size_t)snprintf(text + n, sizeof text - n, " xor x12, x12, x10\n jalr x0, 0(x1)\n");
    }
    struct pair p = {.text = text, .shape = {.warps = 3, .threads_per_warp = 32, .work_items = 96}, .quantum = 50};
    struct result r = pair_run(&p, &translated);
    assert_int_equal(r.status, LAUNCH_DONE);
    assert_true(translated > r.counters.instructions / 2);
}

/* A function that goes back elsewhere than behind one of its calls, once and with what callers had computed before. */
static void test_stray_returns(void **state)
{
    static const char *const changes[] = {" addi x1, x1, 12\n", " lw x1, 0(x21)\n", " la x1, other\n",
                                          " mv x3, x1\n la x1, g\n"};
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char text[2000];
        snprintf(text, sizeof text,
                 LOAD " li x6, 0\n la x7, other\n addi x21, x20, 64\n sw x7, 0(x21)\n vadd.vv v6, v1, v2\n"
                      " add x13, x10, x11\n jal x1, f\n vadd.vv v3, v3, v6\n nop\n nop\n xor x11, x11, x13\n"
                      " jal x1, g\n j out\n"
                      "other: vxor.vv v4, v4, v6\n vxor.vv v5, v5, v7\n add x12, x12, x13\n"
                      "again: li x6, 1\n vadd.vi v6, v6, 3\n jal x1, f\n vxor.vv v2, v2, v7\n"
                      "out:" SAVE " endprg\n"
                      "f: vadd.vi v7, v1, 5\n addi x14, x10, 1\n bne x6, x0, back\n%s"
                      "back: xor x10, x10, x14\n jalr x0, 0(x1)\n"
                      "g: add x12, x12, x14\n bne x6, x0, end\n beq x3, x0, end\n j again\n"
                      "end: jalr x0, 0(x1)\n",
                 changes[i]);
        expect_same(text);
    }
}

/* A jump to an address that is computed, and that no call or branch names. */
static void test_computed_jumps(void **state)
{
    (void)state;
    expect_same(LOAD " li x8, 3\nagain: xor x10, x10, x11\n vxor.vv v1, v1, v2\n la x6, table\n slli x7, x8, 3\n"
                     " add x6, x6, x7\n jalr x7, 0(x6)\ntable: nop\n j out\n addi x12, x12, 1\n j back\n"
                     " addi x12, x12, 2\n j back\n add x12, x12, x10\n j back\n"
                     "back: addi x8, x8, -1\n add x11, x11, x7\n j again\nout:" SAVE " endprg\n");
}

/* Some lanes of an access are refused, whose addresses follow one another in a way that the translation knows: the
 * fault names the first of them. v1 and v2 hold multiples of 4 and of 1 in all lanes, v3 multiples of 4 in each
 * sixteen, v4 the same word in each eight. Memory holds what is stored, because lanes before the refused one may store
 * or not. */
static void test_refused_runs(void **state)
{
    static const char *const accesses[] = {
        " vlw12.v v5, 0(v1)\n",      " vsw12.v v5, 0(v1)\n",      " vlw12.v v5, 72(v1)\n",  " vlb12.v v5, 108(v2)\n",
        " vsb12.v v5, 108(v2)\n",    " vlw12.v v5, 100(v3)\n",    " vsw12.v v5, 100(v3)\n", " vlw12.v v5, 0(v4)\n",
        " vle32.v v5, (x6), v0.t\n", " vse32.v v5, (x6), v0.t\n", " vsb12.v v5, 0(v1)\n",   " vsh12.v v5, 2(v1)\n",
        " vlb12.v v5, 0(v1)\n"};
    static const uint32_t zeros[GUEST_BYTES / 4];
    (void)state;
    for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 " lui x5, 0x90010\n addi x6, x5, -124\n vid.v v1\n vadd.vx v2, v1, x6\n vand.vi v3, v1, 15\n"
                 " vsll.vi v3, v3, 2\n vadd.vx v3, v3, x6\n vand.vi v4, v1, -8\n vsll.vi v4, v4, 3\n"
                 " vadd.vx v4, v4, x6\n vsll.vi v1, v1, 2\n vadd.vx v1, v1, x6\n lui x7, 0xf0f0f\n vmv.v.x v0, x7\n"
                 "%s endprg\n",
                 accesses[i]);
        struct result r = pair_run_levels(&(struct pair){.text = text, .words = zeros, .count = GUEST_BYTES / 4});
        assert_int_equal(r.status, LAUNCH_FAULT);
    }
}

/* ---- local memory ---- */

/* Every group finds zeros, however the group before it on its SM has written there. */
static void test_local_memory(void **state)
{
    static const char *const stores[] = {" sw x5, 64(x14)\n", " sb x5, 3(x14)\n", " vsw12.v v5, 512(v7)\n",
                                         " vsb12.v v5, 12(v7)\n", " vsw12.v v5, 0(v8)\n", " vsh12.v v5, 2(v8)\n",
                                         " vsw12.v v5, 4(v9)\n", " vse32.v v5, (x14), v0.t\n", " vse32.v v5, (x14)\n",
                                         " vsse32.v v5, (x14), x16\n", " vsuxei32.v v5, (x14), v6\n",
                                         " amoadd.w v11, v5, (v8)\n", " barrier 1\n vsw12.v v5, 0(v7)\n",
                                         /* rows of 16 lanes, the second in front of the first */
                                         " barrier 1\n vid.v v8\n vand.vi v9, v8, 15\n vsll.vi v9, v9, 2\n"
                                         " vsrl.vi v8, v8, 4\n vxor.vi v8, v8, 1\n vsll.vi v8, v8, 8\n"
                                         " vadd.vv v9, v9, v8\n vadd.vx v9, v9, x14\n vsw12.v v5, 0(v9)\n"};
    (void)state;
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++) {
        char text[1200];
        snprintf(text, sizeof text,
                 " csrr x14, CSR_LDS\n csrr x5, CSR_GIDX\n slli x6, x5, 7\n lui x10, 0x90000\n add x10, x10, x6\n"
                 " li x16, 12\n vid.v v5\n vadd.vi v5, v5, 5\n vid.v v6\n vsll.vi v6, v6, 2\n vadd.vx v7, v6, x14\n"
                 " vid.v v8\n vmul.vx v8, v8, x16\n vadd.vx v8, v8, x14\n vmv.v.x v9, x14\n vmv.v.x v0, x16\n"
                 " vlw12.v v1, 0(v7)\n vlw12.v v2, 128(v7)\n"
                 " vor.vv v1, v1, v2\n vlw12.v v2, 256(v7)\n vor.vv v1, v1, v2\n vlw12.v v2, 512(v7)\n"
                 " vor.vv v1, v1, v2\n vadd.vx v3, v6, x10\n vsw12.v v1, 0(v3)\n%s endprg\n",
                 stores[i]);
        struct result r = pair_run_levels(&(struct pair){.text = text, .shape = {.groups = {64}}});
        assert_int_equal(r.status, LAUNCH_DONE);
    }
}

/* ---- sizes of work-groups, which are constants of a translation ---- */

#define DIVIDE(row) \
    " " row " v2, v1, x5\n" KEEP " " row " v2, v1, x6\n" KEEP " " row " v2, v1, x7\n" KEEP " " row \
    " v2, v1, x6, v0.t\n" KEEP
#define KEEP " vsw12.v v2, 0(v31)\n addi x20, x20, 128\n vadd.vx v31, v31, x9\n"

static void test_division_by_sizes(void **state)
{
    static const uint32_t sizes[][3] = {{8, 1, 12}, {64, 0x80000000, 1024}, {7, 2, 0}, {1, 0, 0xffffffff}};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct pair p = {.text = LOAD
                         " csrr x8, CSR_KNL\n lw x5, 24(x8)\n lw x6, 28(x8)\n lw x7, 32(x8)\n li x9, 128\n" DIVIDE(
                             "vdivu.vx") DIVIDE("vremu.vx") DIVIDE("vdiv.vx")
                             DIVIDE("vrem.vx") " divu x11, x10, x5\n remu x12, x10, x6\n" SAVE " endprg\n"};
        memcpy(p.local, sizes[i], sizeof p.local);
        assert_int_equal(pair_run_levels(&p).status, LAUNCH_DONE);
    }
}

/* The program writes other sizes and offsets than the translation was made for. */
static void test_sizes_change(void **state)
{
    (void)state;
    expect_same(LOAD " csrr x8, CSR_KNL\n lw x5, 24(x8)\n vdivu.vx v2, v1, x5\n lw x6, 36(x8)\n add x10, x10, x6\n"
                     " li x7, 5\n sw x7, 24(x8)\n sw x7, 36(x8)\n vadd.vi v3, v3, 1\n lw x5, 24(x8)\n"
                     " vdivu.vx v4, v1, x5\n vremu.vx v5, v1, x5\n lw x6, 36(x8)\n add x11, x11, x6\n" SAVE
                     " endprg\n");
}

/* A register that has held a size holds something else. */
static void test_size_changes_hands(void **state)
{
    (void)state;
    expect_same(LOAD SIZE " vdivu.vx v2, v1, x9\n addi x9, x9, 3\n vdivu.vx v3, v1, x9\n" SIZE " vremu.vx v4, v1, x9\n"
                          " csrr x9, CSR_NUMT\n vremu.vx v5, v1, x9\n" SAVE " endprg\n");
}

/* ---- floating point ---- */

/* Rounding modes: of a warp that changes its own and changes it back, while another one keeps the usual one. */
static void test_rounding_modes(void **state)
{
    static uint32_t words[300]; /* between 1 and 2 */
    (void)state;
    for (uint32_t i = 0; i < 300; i++) words[i] = 0x3f800000 | (i * 2654435761u >> 9);
    struct pair p = {
        .words = words, .count = 300, .quantum = 40, .shape = {.warps = 2, .threads_per_warp = 32, .work_items = 64}};
    p.text = LOAD " li x7, 2\n li x6, 8\n csrr x5, CSR_WID\n bne x5, x0, loop\n csrwi frm, 3\n"
                  "loop: vfmul.vv v1, v1, v2\n vfadd.vv v2, v2, v3\n fadd.s x10, x10, x11\n addi x6, x6, -1\n"
                  " bne x6, x0, loop\n beq x7, x0, out\n addi x7, x7, -1\n li x6, 9\n csrwi frm, 0\n j loop\n"
                  "out: slli x5, x5, 10\n add x20, x20, x5\n vadd.vx v31, v31, x5\n vsw12.v v1, 0(v31)\n"
                  " vsw12.v v2, 128(v31)\n sw x10, 256(x20)\n endprg\n";
    assert_int_equal(pair_run_levels(&p).status, LAUNCH_DONE);
}

enum { TRIPLES = 32 };

/* The nth factors and addend whose sum lies very near the middle between two floats, on the other path than the one
 * that the middle would be rounded to. The product is an odd number of 25 bits, which is such a middle. The addend is
 * below the last bit of the sum in double, or nhoisted that bit. False: the middle happens to be rounded the same way.
 */
static bool make_triple(unsigned n, uint32_t a, uint32_t b, float triple[3])
{
    float near = ldexpf(n & 1 ? 1.0f : -1.0f, -31 - (int)(n % 5));
    triple[0] = (float)a, triple[1] = (float)b, triple[2] = n & 2 ? near : ldexpf(near, (int)(n % 5)) * 7;
    return fmaf(triple[0], triple[1], triple[2]) != triple[0] * triple[1];
}

static void make_triples(float words[3][TRIPLES])
{
    unsigned n = 0;
    for (uint32_t a = 4099; n < TRIPLES; a += 2) {
        uint32_t b = ((1u << 24) / a + 2) | 1;
        float triple[3];
        if (a * b >= 1u << 25 || !make_triple(n, a, b, triple)) continue;
        int sign = n & 4 ? -1 : 1, scale = (int)(n % 7) * 9 - 27;
        words[0][n] = ldexpf((float)sign * triple[0], scale);
        words[1][n] = triple[1];
        words[2][n] = ldexpf((float)sign * triple[2], scale);
        n++;
    }
}

static void test_fused_rounding(void **state)
{
    static float triples[3][TRIPLES];
    static uint32_t words[3 * TRIPLES];
    char text[2000];
    (void)state;
    make_triples(triples);
    memcpy(words, triples, sizeof words);
    size_t n = (size_t)snprintf(text, sizeof text,
                                LOAD " vmv.v.v v4, v3\n vfmacc.vv v4, v1, v2\n vmv.v.v v5, v1\n"
                                     " vfmadd.vv v5, v2, v3\n vfnmacc.vv v3, v1, v2\n" SAVE);
    for (unsigned lane = 0; lane < TRIPLES; lane += 8)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              " lw x10, %u(x20)\n lw x11, %u(x20)\n lw x12, %u(x20)\n"
                              " fmadd.s x10, x10, x11, x12\n sw x10, %u(x31)\n",
                              lane * 4, lane * 4 + 128, lane * 4 + 256, lane * 4 + 1100);
    snprintf(text + n, sizeof text - n, " endprg\n");
    struct pair p = {.text = text, .words = words, .count = 3 * TRIPLES};
    assert_int_equal(pair_run_levels(&p).status, LAUNCH_DONE);
}

/* ---- when a warp is given back ---- */

/* Two warps that count in the same word: the numbers that each sees tell when the other had its turn. Blocks of all
 * lengths, a loop, a function, lanes that diverge, and ways of different length through them. */
static const char counting[] =
    " lui x20, 0x90000\n csrr x21, CSR_WID\n slli x21, x21, 10\n add x21, x21, x20\n li x22, 24\n vid.v v6\n"
    "loop: lw x5, 0(x20)\n addi x5, x5, 1\n sw x5, 0(x20)\n sw x5, 64(x21)\n addi x21, x21, 4\n andi x6, x22, 3\n"
    " beq x6, x0, even\n add x7, x7, x5\n sub x8, x8, x5\n jal x1, f\n"
    "even: la x8, meet\n setrpc x0, x8, 0\n vmv.v.x v7, x22\n vblt v6, v7, low\n vadd.vi v1, v1, 1\n"
    " vadd.vi v2, v2, 1\n j meet\nlow: vadd.vi v1, v1, 2\nmeet: join\n addi x22, x22, -1\n bne x22, x0, loop\n"
    " endprg\n"
    "f: lw x5, 4(x20)\n xor x5, x5, x22\n sw x5, 4(x20)\n add x7, x7, x5\n add x7, x7, x5\n jalr x0, 0(x1)\n";

/* The same with blocks that lead to themselves and to the next such one: there is either enough left or not. */
static const char counting_in_loops[] =
    " lui x20, 0x90000\n csrr x21, CSR_WID\n slli x21, x21, 10\n add x21, x21, x20\n li x22, 24\n li x23, 24\n"
    "one: lw x5, 0(x20)\n addi x5, x5, 1\n sw x5, 0(x20)\n sw x5, 64(x21)\n addi x21, x21, 4\n"
    " addi x22, x22, -1\n bne x22, x0, one\n"
    "two: lw x5, 0(x20)\n addi x5, x5, 3\n sw x5, 0(x20)\n sw x5, 64(x21)\n addi x21, x21, 4\n"
    " addi x23, x23, -1\n bne x23, x0, two\n endprg\n";

static void run_in_slices(const char *text)
{
    uint64_t translated, sum = 0;
    for (uint64_t quantum = 1; quantum <= 40; quantum += 1 + quantum / 8) {
        struct pair p = {.text = text, .shape = {.warps = 2, .threads_per_warp = 32, .work_items = 64}};
        p.quantum = quantum;
        p.order = (enum path_order)(quantum % 3);
        assert_int_equal(pair_run(&p, &translated).status, LAUNCH_DONE);
        sum += translated;
    }
    assert_true(sum > 0);
}

/* What is no number in a register that the called function does not touch. */
static const char counting_nans[] =
    " lui x20, 0x90000\n csrr x21, CSR_WID\n slli x21, x21, 10\n add x21, x21, x20\n li x22, 8\n vid.v v31\n"
    " vsll.vi v31, v31, 2\n vadd.vx v31, v31, x21\n lui x5, 0x7f800\n vmv.v.x v8, x5\n"
    "loop: vfsub.vv v1, v8, v8\n jal x1, f\n vsw12.v v1, 0(v31)\n vfsub.vv v2, v8, v8\n jal x1, f\n"
    " vsw12.v v2, 128(v31)\n addi x22, x22, -1\n bne x22, x0, loop\n endprg\n"
    "f: add x7, x7, x22\n sub x6, x7, x22\n add x7, x7, x6\n add x7, x7, x6\n jalr x0, 0(x1)\n";

/* A register or, in lanes of which v6 says 0, bits of it and of another (translator/choices.c). Warps of 12 lanes are
 * one vector of the host, so that constants are used once. */
static void test_bits_of_two(void **state)
{
    static const char *const bits[] = {" vfsgnj.vv v7, v2, v1\n",
                                       " vand.vx v7, v1, x8\n vand.vx v8, v2, x9\n vor.vv v7, v7, v8\n",
                                       " vand.vx v7, v1, x8\n vxor.vv v7, v7, v2\n"};
    (void)state;
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        char text[3000];
        snprintf(text, sizeof text,
                 LOAD " li x8, 0x7f0ff\n li x9, 0xfff80f00\n vmslt.vv v6, v3, v4\n%s vsub.vv v1, v1, v7\n"
                      " vmadd.vv v1, v6, v7\n" SAVE " endprg\n",
                 bits[i]);
        pair_run_levels(&(struct pair){.text = text, .shape = {.warps = 1, .threads_per_warp = 32, .work_items = 12}});
    }
}

/* Products by a bit, by what is no single bit, and sums of products that choose one of two words. */
static void test_products_of_bits(void **state)
{
    static const char *const factors[] = {
        " vand.vi v6, v4, 1\n",
        " vand.vi v6, v4, 2\n",
        " vand.vi v6, v4, 3\n",
        " vsrl.vi v6, v4, 31\n",
        " vsrl.vi v6, v4, 30\n",
        " vsra.vi v6, v4, 31\n",
        " vand.vi v6, v4, 1\n vxor.vi v6, v6, 1\n",
        " vand.vi v6, v4, 1\n vxor.vi v6, v6, 2\n",
        " vand.vi v6, v4, 1\n vsrl.vi v7, v5, 31\n vor.vv v6, v6, v7\n",
        " vand.vi v6, v4, 1\n vor.vv v6, v6, v5\n",
        " vand.vi v6, v4, 1\n vand.vv v6, v6, v5\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 LOAD "%s vmul.vv v3, v6, v3\n vsub.vv v8, v1, v2\n vmadd.vv v8, v6, v2\n vmv.v.v v4, v8\n"
                      " vmul.vv v9, v1, v6\n vadd.vv v5, v9, v2\n vsub.vv v9, v1, v3\n vmadd.vv v9, v6, v2\n vmv.v.v "
                      "v1, v9\n" SAVE " endprg\n",
                 factors[i]);
        expect_same(text);
    }
}

/* Bytes and half words, with a sign and without, in v1 to v8; x6 to x9 are numbers that fit a byte or a half word. */
#define LOAD_BYTES \
    " vid.v v30\n vadd.vv v29, v30, v30\n vadd.vx v30, v30, x20\n vadd.vx v29, v29, x20\n vlbu12.v v1, 0(v30)\n" \
    " vlbu12.v v2, 33(v30)\n vlb12.v v3, 66(v30)\n vlb12.v v4, 128(v30)\n vlhu12.v v5, 160(v29)\n" \
    " vlh12.v v6, 256(v29)\n vlbu12.v v7, 400(v30)\n vlb12.v v8, 500(v30)\n li x6, 255\n li x7, 65535\n" \
    " li x8, 159\n li x9, 77\n"

/* One of the first operations, or two that keep what others have made from growing, or a choice. */
static size_t print_operation(char *to, size_t size)
{
    static const char *const two[] = {"vadd",  "vsub",  "vand",  "vor",    "vxor",  "vmul",   "vmin",  "vmax",
                                      "vminu", "vmaxu", "vmslt", "vmsltu", "vmsle", "vmsleu", "vmseq", "vmsne"};
    static const char *const shifts[] = {"vsll", "vsrl", "vsra"};
    static const char *const by[] = {"vadd", "vand", "vor", "vxor", "vmsgt", "vmsgtu"};
    static const char *const number[] = {"vand", "vand", "vmin", "vmaxu", "vadd", "vmul"};
    const unsigned n = guest_random() >> 8, d = 1 + guest_random() % 8, a = 1 + guest_random() % 8;
    const unsigned b = 1 + guest_random() % 8;
    switch (guest_random() % 8) {
    case 0: return (size_t)snprintf(to, size, " %s.vi v%u, v%u, %u\n", shifts[n % 3], d, a, n % 5 ? 1 + n % 7 : 24);
    case 1: return (size_t)snprintf(to, size, " %s.vi v%u, v%u, %d\n", by[n % 6], d, a, (int)(n % 31) - 15);
    case 2:
    case 3: return (size_t)snprintf(to, size, " %s.vx v%u, v%u, x%u\n", number[n % 6], d, a, 6 + n % 4);
    case 4:
        return (size_t)snprintf(to, size,
                                " vmslt.vv v9, v%u, v%u\n vsub.vv v10, v%u, v%u\n vmadd.vv v10, v9, v%u\n"
                                " vmv.v.v v%u, v10\n",
                                a, d, a, b, b, d);
    default: return (size_t)snprintf(to, size, " %s.vv v%u, v%u, v%u\n", two[n % 16], d, a, b);
    }
}

/* Bytes that are the ends of ranges. */
static void make_ends(uint32_t *words, size_t count)
{
    static const uint8_t ends[] = {0, 1, 0x7f, 0x80, 0xfe, 0xff};
    for (size_t i = 0; i < count; i++) {
        words[i] = 0;
        for (unsigned k = 0; k < 32; k += 8) words[i] |= (uint32_t)ends[guest_random() % sizeof ends] << k;
    }
}

static void expect_same_of_ends(const char *text)
{
    uint32_t words[300];
    make_ends(words, 300);
    struct result r = pair_run_levels(&(struct pair){.text = text, .words = words, .count = 300});
    assert_int_equal(r.status, LAUNCH_DONE);
}

/* Numbers just beyond what fits, and comparisons that LLVM does not know to be of numbers without a sign. */
static void test_ends_of_bytes(void **state)
{
    (void)state;
    expect_same_of_ends(LOAD LOAD_BYTES
                        " vadd.vi v1, v1, 1\n vor.vi v2, v2, 1\n vadd.vv v2, v2, v7\n vadd.vi v3, v3, -1\n"
                        " vsub.vv v4, v7, v4\n vadd.vi v5, v5, 1\n" SAVE " endprg\n");
    expect_same_of_ends(LOAD LOAD_BYTES " vmin.vv v9, v1, v2\n vmax.vv v10, v1, v2\n vmin.vv v10, v10, v7\n"
                                        " vmslt.vv v3, v9, v10\n vmin.vv v11, v4, v8\n vmax.vv v12, v3, v8\n"
                                        " vmslt.vv v4, v11, v12\n vmsltu.vv v5, v11, v12\n vmslt.vv v1, v11, v10\n" SAVE
                                        " endprg\n");
    expect_same_of_ends(LOAD LOAD_BYTES
                        " vmin.vv v9, v1, v2\n vmaxu.vv v1, v3, v4\n vminu.vv v2, v3, v8\n vsub.vv v3, v9, v7\n"
                        " vsrl.vi v4, v3, 1\n vand.vx v4, v4, x6\n vsra.vi v5, v3, 1\n" SAVE " endprg\n");
}

/* An operation on the four bytes of words, in v11 to v14 and v15 to v18, or on the low and the high halves of them: on
 * the same parts, or on each and the next one. */
static size_t print_for_parts(char *to, size_t size, unsigned parts)
{
    static const char *const operations[] = {
        " vadd.vv v%u, v%u, v%u\n vand.vx v%u, v%u, x6\n",
        " vsub.vv v%u, v%u, v%u\n vand.vx v%u, v%u, x6\n",
        " vminu.vv v%u, v%u, v%u\n",
        " vmax.vv v%u, v%u, v%u\n",
        " vxor.vv v%u, v%u, v%u\n vsrl.vi v%u, v%u, 3\n",
        " vor.vv v%u, v%u, v%u\n vxor.vx v%u, v%u, x8\n",
        " vmslt.vv v%u, v%u, v%u\n",
    };
    size_t at = 0;
    const unsigned n = guest_random() >> 8, odd = guest_random() >> 8;
    for (unsigned k = 0; k < parts; k++) {
        const unsigned d = 11 + k, which = odd % 8 == k ? odd / 8 : n;
        at += (size_t)snprintf(to + at, size - at, operations[which % 7], d, d, 15 + (k + odd / 64 % 2) % parts, d, d);
    }
    return at;
}

/* The same operations on all parts of words, or others on one of them, joined in their order or another one
 * (translator/parts.c). */
static void test_parts(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 24; n++) {
        char text[6000];
        const unsigned bits = n % 3 ? 8 : 16, parts = 32 / bits, turn = n % 4 ? 0 : guest_random() >> 8;
        size_t at = (size_t)snprintf(text, sizeof text, LOAD "%s li x6, %u\n li x8, 90\n",
                                     n % 2 ? "" : " vmv.v.v v2, v1\n", (1u << bits) - 1);
        for (unsigned k = 0; k < 2 * parts; k++)
            at += (size_t)snprintf(text + at, sizeof text - at, " vsrl.vi v%u, v%u, %u\n vand.vx v%u, v%u, x6\n",
                                   k < parts ? 11 + k : 15 + k - parts, k < parts ? 1 : 2, k % parts * bits,
                                   k < parts ? 11 + k : 15 + k - parts, k < parts ? 11 + k : 15 + k - parts);
        for (unsigned i = 0; i < 1 + n % 4; i++) at += print_for_parts(text + at, sizeof text - at, parts);
        at += (size_t)snprintf(text + at, sizeof text - at, " vmv.v.i v3, 0\n");
        for (unsigned k = 0; k < parts; k++)
            at += (size_t)snprintf(text + at, sizeof text - at, " vsll.vi v4, v%u, %u\n vor.vv v3, v3, v4\n",
                                   11 + (k + turn) % parts, k * bits);
        snprintf(text + at, sizeof text - at, SAVE " endprg\n");
        expect_same_of_ends(text);
    }
}

/* Both halves of words, as floats: the greater ones, with every NaN. */
static void test_halves_as_floats(void **state)
{
    static const char *const greatest[] = {" vfmax.vf v%u, v%u, x0\n", " vfmin.vv v%u, v%u, v9\n",
                                           " vfmax.vv v%u, v%u, v2\n", " vfadd.vv v%u, v%u, v9\n"};
    static const uint16_t ends[] = {0,      0x8000, 1,      0x3c00, 0xbc00, 0x7bff,
                                    0x7c00, 0xfc00, 0x7c01, 0x7e00, 0xfe01, 0x7fff};
    uint32_t words[300];
    (void)state;
    for (size_t i = 0; i < 300; i++) words[i] = ends[guest_random() % 12] | (uint32_t)ends[guest_random() % 12] << 16;
    for (size_t i = 0; i < sizeof greatest / sizeof *greatest; i++) {
        char text[3000], one[2][100];
        for (unsigned k = 0; k < 2; k++) snprintf(one[k], sizeof one[k], greatest[i], 6 + k, 6 + k);
        snprintf(text, sizeof text,
                 LOAD
                 " li x5, 0x3fc00000\n vmv.v.x v9, x5\n vsrl.vi v7, v1, 16\n vcvt.fp32.fp16 v6, v1\n"
                 " vcvt.fp32.fp16 v7, v7\n%s%s vcvt.fp16.fp32 v6, v6\n vcvt.fp16.fp32 v7, v7\n vsll.vi v7, v7, 16\n"
                 " vor.vv v5, v6, v7\n" SAVE " endprg\n",
                 one[0], one[1]);
        struct result r = pair_run_levels(&(struct pair){.text = text, .words = words, .count = 300});
        assert_int_equal(r.status, LAUNCH_DONE);
    }
}

/* Minima, maxima and conversions of every kind of number, of each with each other kind, and with constants. */
static void test_limits_of_floats(void **state)
{
    static const uint32_t kinds[] = {0,          0x80000000, 0x437f0000, 0xbf400000,
                                     0x7fc00000, 0xff800000, 0x4f7fffff, 0xcf000001};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    uint32_t words[264];
    struct pair p = {.text = LOAD " vfmin.vv v4, v1, v2\n vfmax.vv v5, v1, v2\n vfmin.vv v2, v1, v3\n"
                                  " vfmax.vv v3, v1, v3\n" SAVE " endprg\n",
                     .words = words,
                     .count = sizeof words / sizeof *words};
    (void)state;
    for (size_t i = 0; i < p.count; i++) words[i] = kinds[i < 32 ? i % KINDS : (i - 32) / 8 % KINDS];
    assert_int_equal(pair_run_levels(&p).status, LAUNCH_DONE);
    for (size_t i = 0; i < KINDS; i++) {
        char text[1200];
        snprintf(text, sizeof text,
                 LOAD " li x13, %u\n vmv.v.x v2, x13\n vfmin.vf v4, v1, x13\n vfmax.vf v5, v1, x13\n"
                      " vfmin.vv v2, v2, v1\n vfcvt.rtz.xu.f.v v3, v1\n vfcvt.rtz.x.f.v v1, v1\n" SAVE " endprg\n",
                 kinds[i]);
        p.text = text;
        assert_int_equal(pair_run_levels(&p).status, LAUNCH_DONE);
    }
}

/* Random operations on bytes and half words, which are stored as such and as words (translator/narrow.c). */
static void test_bytes(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 24; n++) {
        char text[6000] = LOAD LOAD_BYTES;
        size_t at = strlen(text);
        for (unsigned i = 0; i < 30; i++) at += print_operation(text + at, sizeof text - at);
        at += (size_t)snprintf(text + at, sizeof text - at,
                               SAVE " lui x31, 0x90006\n vid.v v30\n vadd.vx v29, v30, x31\n vadd.vv v30, v30, v29\n");
        for (unsigned i = 1; i <= 8; i++)
            at += (size_t)snprintf(text + at, sizeof text - at, " vsb12.v v%u, %u(v29)\n vsh12.v v%u, %u(v30)\n", i,
                                   i * 32, i, 512 + i * 64);
        snprintf(text + at, sizeof text - at, " endprg\n");
        n % 2 ? expect_same(text) : expect_same_of_ends(text);
    }
}

static void test_nan_slices(void **state)
{
    (void)state;
    run_in_slices(counting_nans);
}

static void test_time_slices(void **state)
{
    (void)state;
    run_in_slices(counting);
    run_in_slices(counting_in_loops);
}

/* A store of translated code ends reservations, as every store does: the sc.w behind it fails. */
static void test_reservations(void **state)
{
    (void)state;
    expect_same(LOAD " lr.w v1, (v31)\n add x10, x10, x11\n vsw12.v v1, 0(v31)\n sc.w v3, v4, (v31)\n lr.w v5, (v31)\n"
                     " add x10, x10, x11\n sc.w v4, v2, (v31)\n" SAVE " endprg\n");
    expect_same(LOAD " lr.w v1, (v31)\n sw x11, 8(x20)\n sc.w v3, v4, (v31)\n lr.w v5, (v31)\n vmv.v.x v2, x20\n"
                     " vmv.v.i v1, 1\n amoadd.w v2, v1, (v2)\n sc.w v4, v1, (v31)\n" SAVE " endprg\n");
}

/* Atomic operations of lanes that share words, in an order that the old words show: all of them, neighbours, and lanes
 * apart; in global memory, in local memory, and in both. */
static void test_shared_words(void **state)
{
    static const char in_global[] = " vmv.v.x v9, x20\n", in_local[] = " vmv.v.x v9, x21\n";
    static const char in_both[] = " vmv.v.x v9, x21\n sub x22, x20, x21\n vadd.vx v9, v9, x22, v0.t\n";
    static const char one[] = " vmv.v.i v6, 0\n", runs[] = " vsrl.vi v6, v6, 2\n", apart[] = " vand.vi v6, v6, 3\n";
    static const struct {
        const char *base, *words;
    } cases[] = {{in_global, one}, {in_global, runs}, {in_local, apart}, {in_both, one}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1500];
        snprintf(text, sizeof text,
                 LOAD " csrr x21, CSR_LDS\n%s vid.v v6\n%s vsll.vi v6, v6, 2\n vadd.vv v6, v6, v9\n vsw12.v v1, 0(v6)\n"
                      " amoadd.w v2, v3, (v6)\n amomax.w v3, v4, (v6)\n vid.v v7\n vmv.v.i v8, 13\n la x6, meet\n"
                      " setrpc x0, x6, 0\n vblt v7, v8, few\n amoswap.w v4, v5, (v6)\n j meet\n"
                      "few: amoxor.w v4, v5, (v6)\nmeet: join\n vlw12.v v5, 0(v6)\n" SAVE " endprg\n",
                 cases[i].base, cases[i].words);
        expect_same(text);
    }
}

/* Lanes add one to a word by compare and swap, four of them to each of eight words; those whose word is odd at first
 * give up and keep what they have reserved, and store to it all the same. */
static void test_compare_and_swap(void **state)
{
    (void)state;
    expect_same(LOAD " vid.v v1\n vsrl.vi v1, v1, 2\n vsll.vi v1, v1, 2\n vadd.vx v1, v1, x20\n vmv.v.i v5, 0\n"
                     "again: lr.w v2, (v1)\n vand.vi v3, v2, 1\n auipc x6, 0\n setrpc x0, x6, out - again - 8\n"
                     " vbne v3, v5, out\n vadd.vi v4, v2, 2\n sc.w v4, v4, (v1)\n vbne v4, v5, again\n"
                     "out: join\n vsw12.v v2, 256(v1)\n vsw12.v v3, 0(v1)\n sc.w v4, v2, (v1)\n" SAVE " endprg\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused_help),
        cmocka_unit_test(test_illegal_help),
        cmocka_unit_test(test_vector_length),
        cmocka_unit_test(test_deepest_divergence),
        cmocka_unit_test(test_many_joins),
        cmocka_unit_test(test_scattered_stores),
        cmocka_unit_test(test_masked_write),
        cmocka_unit_test(test_write_of_some_lanes),
        cmocka_unit_test(test_shuffle_of_resting_lanes),
        cmocka_unit_test(test_shuffle),
        cmocka_unit_test(test_shuffle_by_known_distance),
        cmocka_unit_test(test_addresses_of_some_lanes),
        cmocka_unit_test(test_mask_of_resting_lane),
        cmocka_unit_test(test_waiting_lanes),
        cmocka_unit_test(test_last_lane),
        cmocka_unit_test(test_end_of_some),
        cmocka_unit_test(test_first_registers),
        cmocka_unit_test(test_long_loops),
        cmocka_unit_test(test_mstatus),
        cmocka_unit_test(test_refused_runs),
        cmocka_unit_test(test_local_memory),
        cmocka_unit_test(test_barrier),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_many_functions),
        cmocka_unit_test(test_stray_returns),
        cmocka_unit_test(test_computed_jumps),
        cmocka_unit_test(test_division_by_sizes),
        cmocka_unit_test(test_sizes_change),
        cmocka_unit_test(test_size_changes_hands),
        cmocka_unit_test(test_rounding_modes),
        cmocka_unit_test(test_fused_rounding),
        cmocka_unit_test(test_time_slices),
        cmocka_unit_test(test_reservations),
        cmocka_unit_test(test_compare_and_swap),
        cmocka_unit_test(test_new_warps_at_barrier),
        cmocka_unit_test(test_fault_of_follower),
        cmocka_unit_test(test_groups_follow),
        cmocka_unit_test(test_ends_of_stretches),
        cmocka_unit_test(test_slice_in_stretch),
        cmocka_unit_test(test_stretches_past_barriers),
        cmocka_unit_test(test_known_distances),
        cmocka_unit_test(test_words_of_arguments),
        cmocka_unit_test(test_moved_arguments),
        cmocka_unit_test(test_sizes_of_warps),
        cmocka_unit_test(test_two_joins),
        cmocka_unit_test(test_shared_words),
        cmocka_unit_test(test_shorter_vector),
        cmocka_unit_test(test_long_slice),
        cmocka_unit_test(test_hidden_side),
        cmocka_unit_test(test_changed_branch),
        cmocka_unit_test(test_around_the_end),
        cmocka_unit_test(test_long_block),
        cmocka_unit_test(test_bits_of_two),
        cmocka_unit_test(test_ends_of_bytes),
        cmocka_unit_test(test_limits_of_floats),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_halves_as_floats),
        cmocka_unit_test(test_products_of_bits),
        cmocka_unit_test(test_nan_slices),
    };
    if (!engine_usable(&engine_native)) return 77;
    return cmocka_run_group_tests(tests, pair_setup, pair_teardown);
}
