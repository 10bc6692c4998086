/* lr.w and sc.w of lanes in translated code: programs whose results show who has a reservation, on `step` and on every
 * host level of `native`, with the same result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pair.h"
#include "native/native.h"

/* x20 is the data, v31 the address of each lane's word there, v30 that of its results, of which there are `WORDS`
 * between two; v1 to v3 are numbers, v9 is the lane, v10 is 0. */
#define LOAD \
    " lui x20, 0x90000\n vid.v v9\n vsll.vi v31, v9, 2\n lui x30, 4\n vadd.vx v31, v31, x20\n vadd.vx v30, v31, x30\n" \
    " vlw12.v v1, 512(v31)\n vlw12.v v2, 640(v31)\n vlw12.v v3, 768(v31)\n vmv.v.i v10, 0\n"
#define SAVE \
    " vsw12.v v1, 0(v30)\n vsw12.v v2, 128(v30)\n vsw12.v v3, 256(v30)\n vsw12.v v4, 384(v30)\n vsw12.v v5, " \
    "512(v30)\n" \
    " vsw12.v v6, 640(v30)\n endprg\n"

/* Where no shape is given, in warps of fewer lanes, too. */
static struct result run(const struct pair *p)
{
    static const uint32_t fewer[] = {16, 21};
    static unsigned turn;
    struct pair q = *p;
    q.shape = (struct launch){.warps = 1, .threads_per_warp = 32, .work_items = fewer[turn++ % 2]};
    if (!p->shape.warps) pair_run_levels(&q);
    return pair_run_levels(p);
}

static void expect_same(const char *text) { assert_int_equal(run(&(struct pair){.text = text}).status, LAUNCH_DONE); }

/* ---- which lanes store ---- */

/* Own words; a word for four lanes; one word for all; words that a reservation's place is the same of. What is read,
 * what is stored, and a second sc.w, which fails. */
static void test_shapes(void **state)
{
    static const char *const shapes[] = {"",
                                         " vsrl.vi v9, v9, 2\n vsll.vi v31, v9, 2\n vadd.vx v31, v31, x20\n",
                                         " vand.vi v31, v9, 3\n vsll.vi v31, v31, 2\n vadd.vx v31, v31, x20\n",
                                         " vmv.v.x v31, x20\n",
                                         " li x5, 0x50c\n vmul.vx v31, v9, x5\n vadd.vx v31, v31, x20\n",
                                         " li x5, 0x800\n vmul.vx v31, v9, x5\n vadd.vx v31, v31, x20\n"};
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        char text[1500];
        snprintf(text, sizeof text,
                 LOAD "%s lr.w v4, (v31)\n sc.w v5, v1, (v31)\n vlw12.v v6, 0(v31)\n sc.w v3, v2, (v31)\n" SAVE,
                 shapes[i]);
        expect_same(text);
    }
}

/* Another word than the reserved one; a second lr.w in front of it; lanes that have reserved and rest while others
 * store to their words. */
static void test_lanes(void **state)
{
    (void)state;
    expect_same(LOAD " vadd.vi v8, v31, 4\n lr.w v4, (v31)\n sc.w v5, v1, (v8)\n sc.w v6, v1, (v31)\n" SAVE);
    expect_same(LOAD " vadd.vi v8, v31, 4\n lr.w v4, (v31)\n lr.w v4, (v8)\n sc.w v5, v1, (v31)\n lr.w v4, (v31)\n"
                     " lr.w v4, (v8)\n sc.w v6, v1, (v8)\n" SAVE);
    for (int halves = 0; halves < 2; halves++) {
        char text[1500];
        snprintf(text, sizeof text,
                 LOAD " %s lr.w v4, (v31)\n li x9, 13\n" PAIR_PART(" sc.w v5, v1, (v31)\n", " sc.w v6, v2, (v31)\n")
                     PAIR_PART(" sc.w v3, v1, (v31)\n lr.w v2, (v31)\n", " lr.w v4, (v31)\n")
                         PAIR_PART(" sc.w v4, v1, (v31)\n", " sc.w v1, v2, (v31)\n") SAVE,
                 halves ? " vand.vi v31, v9, 7\n vsll.vi v31, v31, 2\n vadd.vx v31, v31, x20\n" : "");
        expect_same(text);
    }
}

/* ---- what ends a reservation ---- */

/* Writes of every kind and width between lr.w and sc.w; those that touch two words. */
static void test_writes(void **state)
{
    static const char *const writes[] = {
        " sb x5, 9(x20)\n",
        " sh x5, 14(x20)\n",
        " addi x6, x20, 18\n sw x5, 0(x6)\n",
        " vsb12.v v1, 2(v31)\n",
        " vand.vi v8, v9, 7\n vsll.vi v8, v8, 2\n vadd.vx v8, v8, x20\n vsw12.v v1, 0(v8)\n",
        " amoadd.w v2, v1, (v31)\n",
        " vmv.v.x v8, x20\n vsh12.v v1, 6(v8)\n",
        " vadd.vx v8, v31, x9\n sc.w v2, v1, (v8)\n",
        " sw x5, 128(x20)\n",
        " csrr x9, CSR_PDS\n vmv.v.i v8, 0\n vsw.v v1, 0(v8)\n",
        " fence\n csrr x9, vl\n",
        " lr.w v2, (v31)\n"};
    (void)state;
    for (size_t i = 0; i < sizeof writes / sizeof *writes; i++) {
        char text[1500];
        snprintf(text, sizeof text,
                 LOAD " li x9, 64\n lr.w v4, (v31)\n%s sc.w v5, v3, (v31)\n vlw12.v v6, 0(v31)\n" SAVE, writes[i]);
        expect_same(text);
    }
    expect_same(LOAD " csrr x5, CSR_PDS\n vsll.vi v31, v9, 2\n vadd.vx v31, v31, x5\n lr.w v4, (v31)\n vmv.v.i v8, 4\n"
                     " vsw.v v1, 0(v8)\n sc.w v5, v2, (v31)\n lr.w v4, (v31)\n vmv.v.i v8, 0\n li x9, 9\n" PAIR_PART(
                         " vsw.v v1, 0(v8)\n", "") " sc.w v6, v2, (v31)\n" SAVE);
}

/* Warps that store to the same words in turns of every length: each says how often it has failed. They store another
 * number than they have read, and then the same, of which lr.w and sc.w alone can tell that it has been stored. */
static void test_warps(void **state)
{
    (void)state;
    for (uint64_t quantum = 1; quantum < 40; quantum += 1 + quantum / 4) {
        struct pair p = {.shape = {.warps = 3, .threads_per_warp = 32, .work_items = 90}, .quantum = quantum};
        p.order = (enum path_order)(quantum % 3);
        p.text = LOAD " csrr x5, CSR_WID\n slli x5, x5, 7\n vadd.vx v30, v30, x5\n vand.vi v31, v9, 15\n"
                      " vsll.vi v31, v31, 2\n vadd.vx v31, v31, x20\n vmv.v.i v6, 0\n li x22, 6\n"
                      "loop: auipc x8, %pcrel_hi(out)\n setrpc x0, x8, %pcrel_lo(loop)\n slti x9, x22, 4\n"
                      "again: lr.w v4, (v31)\n vadd.vx v4, v4, x9\n vadd.vi v6, v6, 1\n sc.w v5, v4, (v31)\n"
                      " vbne v5, v10, again\nout: join\n addi x22, x22, -1\n bne x22, x0, loop\n"
                      " vsw12.v v6, 0(v30)\n endprg\n";
        uint64_t translated;
        assert_int_equal(pair_run(&p, &translated).status, LAUNCH_DONE);
    }
}

/* Lane 0 of the first warp stores where both have reserved, while its other lanes, whose sc.w fails, leave the
 * reservations of the second one alone. */
static void test_failed_lanes(void **state)
{
    (void)state;
    for (uint64_t quantum = 1; quantum < 60; quantum += 3) {
        struct pair p = {.shape = {.warps = 2, .threads_per_warp = 32, .work_items = 64}, .quantum = quantum};
        p.text = LOAD " csrr x5, CSR_WID\n slli x7, x5, 11\n vadd.vx v30, v30, x7\n li x6, 1\n sub x7, x6, x5\n"
                      " slli x7, x7, 11\n vminu.vx v7, v9, x6\n vmul.vx v7, v7, x7\n vadd.vv v8, v31, v7\n"
                      " vmv.v.i v6, 0\n li x22, 9\nloop: lr.w v4, (v8)\n vadd.vv v3, v3, v4\n"
                      " sc.w v5, v1, (v31)\n vadd.vv v6, v6, v5\n addi x22, x22, -1\n bne x22, x0, loop\n" SAVE;
        uint64_t translated;
        assert_int_equal(pair_run(&p, &translated).status, LAUNCH_DONE);
    }
}

/* ---- loops until all have stored ---- */

enum { SHARING = 6, LOOP_WORDS = 256 };

/* The word of a lane, from 64 on: its own, of four lanes each in two ways, of one lane and the others, of all, of three
 * lanes and more. */
static uint32_t shared_word(unsigned sharing, uint32_t lane)
{
    const uint32_t words[SHARING] = {lane, lane / 4, lane % 4, lane != 0, 0, lane * lane / 64};
    return 64 + words[sharing];
}

#define LOOP \
    " la x8, out\n setrpc x0, x8, 0\nagain: lr.w v4, (v31)\n vfadd.vv v5, v4, v1\n vxor.vv v5, v5, v2\n" \
    " sc.w v6, v5, (v31)\n vadd.vv v3, v5, v9\n vbne v6, v10, again\n"

/* Runs a loop with words shared in every way, each order of the paths and turns of many lengths. */
static void run_loops(const char *before, const char *loop)
{
    static const uint64_t quanta[] = {3, 17, 40, 110, 150, 200, 700};
    uint32_t words[LOOP_WORDS];
    char text[2000];
    snprintf(text, sizeof text,
             LOAD "vlw12.v v31, 0(v31)\n csrr x5, CSR_WID\n slli x5, x5, 11\n vadd.vx v30, v30, x5\n%s%s" SAVE, before,
             loop);
    for (uint32_t i = 0; i < LOOP_WORDS; i++) words[i] = 0x3f800000 + i * 0x12345;
    for (unsigned i = 0; i < SHARING * sizeof quanta / sizeof *quanta; i++) {
        uint64_t translated;
        struct pair p = {
            .text = text, .order = (enum path_order)((i + i / SHARING) % 3), .quantum = quanta[i / SHARING]};
        p.shape = (struct launch){.warps = 2, .threads_per_warp = 32, .work_items = 64};
        p.words = words, p.count = LOOP_WORDS;
        for (uint32_t lane = 0; lane < 32; lane++) words[lane] = 0x90000000 + 4 * shared_word(i % SHARING, lane);
        pair_run(&p, &translated);
    }
}

static void test_loops(void **state)
{
    (void)state;
    run_loops("", LOOP "out: join\n");
}

/* Of some lanes, which others wait for; while others have reserved the words. */
static void test_loops_of_some(void **state)
{
    (void)state;
    run_loops(" li x9, 21\n", PAIR_PART(LOOP "out: join\n", " vadd.vv v1, v1, v2\n"));
    run_loops(" li x9, 30\n", PAIR_PART("", LOOP "out: join\n"));
    run_loops(" li x9, 9\n lr.w v4, (v31)\n", PAIR_PART("", LOOP "out: join\n") " sc.w v6, v2, (v31)\n");
}

/* Only words that hold what is expected are exchanged; other lanes go on with their reservations, which a store of
 * another lane, or warp, to the same word ends. */
#define EXCHANGE(value) \
    " la x8, out\n setrpc x0, x8, 0\nagain: lr.w v4, (v31)\n vbne v4, v7, out\n sc.w v6, " value ", (v31)\n" \
    " vadd.vi v3, v3, 1\n vbne v6, v10, again\nout: join\n sc.w v5, v2, (v31)\n"
static void test_comparisons(void **state)
{
    char before[200];
    (void)state;
    for (unsigned bits = 0; bits < 4; bits = 2 * bits + 1) {
        snprintf(before, sizeof before, " vlw12.v v7, 0(v31)\n vid.v v8\n vand.vi v8, v8, %u\n vadd.vv v7, v7, v8\n",
                 bits);
        run_loops(before, EXCHANGE("v1"));
        run_loops(before, EXCHANGE("v4")); /* what it holds: the reservation alone tells */
    }
}

/* A lane goes on where it has failed; lanes meet further behind; f reads what the round before has left, or copies a
 * NaN that is not canonical yet. */
static void test_other_loops(void **state)
{
    (void)state;
    run_loops(" li x5, 5\n vmseq.vx v10, v9, x5\n vsrl.vi v31, v31, 3\n vsll.vi v31, v31, 3\n", LOOP "out: join\n");
    run_loops("", LOOP " join\n vadd.vv v3, v3, v1\nout: join\n");
    run_loops("", " la x8, out\n setrpc x0, x8, 0\nagain: lr.w v4, (v31)\n vadd.vv v3, v3, v4\n vfadd.vv v5, v4, v1\n"
                  " sc.w v6, v3, (v31)\n vbne v6, v10, again\nout: join\n");
    run_loops(" li x5, 0x7f800000\n vmv.v.x v7, x5\n vsll.vi v8, v2, 31\n vfmul.vv v1, v7, v8\n",
              " la x8, out\n setrpc x0, x8, 0\nagain: lr.w v4, (v31)\n vmv.v.v v5, v1\n sc.w v6, v5, (v31)\n"
              " vbne v6, v10, again\nout: join\n");
}

/* A lane of the first warp goes on where it has stored, until the other warp stores between its lr.w and its sc.w. */
static void test_loops_until_failed(void **state)
{
    static const char text[] =
        LOAD " csrr x5, CSR_WID\n slli x6, x5, 11\n vadd.vx v30, v30, x6\n li x6, 5\n li x22, 60\n bne x5, x0, loop\n"
             " vmseq.vx v10, v9, x6\n li x22, 1\nloop:" LOOP "out: join\n addi x22, x22, -1\n bne x22, x0, loop\n" SAVE;
    static const uint64_t quanta[] = {17, 40, 75, 110};
    (void)state;
    for (size_t i = 0; i < sizeof quanta / sizeof *quanta; i++) {
        uint64_t translated;
        struct pair p = {.text = text, .quantum = quanta[i], .order = (enum path_order)(i % 3)};
        p.shape = (struct launch){.warps = 2, .threads_per_warp = 32, .work_items = 64};
        assert_int_equal(pair_run(&p, &translated).status, LAUNCH_DONE);
    }
}

/* The most rounds that there can be, and the deepest stack. */
static void test_deep_loops(void **state)
{
    (void)state;
    for (unsigned order = 0; order < 3; order++) {
        struct pair p = {.order = (enum path_order)order};
        uint64_t translated;
        p.text = LOAD " vmv.v.x v31, x20\n li x9, 31\n" PAIR_PART(LOOP "out: join\n", "") SAVE;
        assert_int_equal(pair_run(&p, &translated).status, LAUNCH_DONE);
        p.text = LOAD " vmv.v.x v31, x20\n" LOOP "out: join\n" SAVE;
        assert_int_equal(pair_run(&p, &translated).status, LAUNCH_DONE);
    }
}

/* Host threads count in so many words, by reservations and by additions, and no number is lost. */
static void count_on_threads(const char *level, unsigned words, uint32_t threads)
{
    enum { GROUPS = 200, ROUNDS = 64 };
    struct guest g;
    struct gpu_config c;
    char text[600];
    gpu_config_default(&c);
    c.engine = &engine_native;
    c.sms = 4, c.host_threads = threads;
    setenv("VENTUS_NATIVE_LEVEL", level, 1);
    guest_open_config(&g, &c);
    snprintf(text, sizeof text,
             " lui x20, 0x90000\n vid.v v9\n li x5, %u\n vand.vx v31, v9, x5\n vsll.vi v31, v31, 2\n"
             " vadd.vx v31, v31, x20\n li x5, 64\n vadd.vx v30, v31, x5\n vmv.v.i v11, 1\n"
             " vmv.v.i v10, 0\n li x22, %d\nloop: la x8, out\n setrpc x0, x8, 0\n amoadd.w v4, v11, (v30)\n"
             "again: lr.w v4, (v31)\n vadd.vi v5, v4, 1\n sc.w v6, v5, (v31)\n vbne v6, v10, again\nout: join\n"
             " addi x22, x22, -1\n bne x22, x0, loop\n endprg\n",
             words - 1, (int)ROUNDS);
    guest_assemble(&g, text);
    g.launch.warps = 2, g.launch.work_items = 64, g.launch.groups[0] = GROUPS;
    guest_run(&g);
    assert_int_equal(g.result.status, LAUNCH_DONE);
    assert_true(native_executed(g.gpu) > 0);
    for (uint32_t i = 0; i < words; i++) {
        assert_int_equal(g.data[i], GROUPS * 64 / words * ROUNDS);
        assert_int_equal(g.data[16 + i], GROUPS * 64 / words * ROUNDS);
    }
    guest_close(&g);
    unsetenv("VENTUS_NATIVE_LEVEL");
}

static void test_threads(void **state)
{
    const char *level;
    (void)state;
    for (unsigned i = 0; (level = pair_level(i)); i++) {
        count_on_threads(level, 4, 4);
        count_on_threads(level, 1, 4);
        count_on_threads(level, 4, 1);
    }
}

/* What a group has reserved when it ends is not the next one's, which comes in the same place without anything else
 * being done for it: all groups leave a reservation, or one in the middle of a stretch (native/stretch.h). */
static void test_groups(void **state)
{
    static const char *const which[] = {"", " andi x6, x5, 7\n addi x6, x6, -7\n bne x6, x0, end\n"};
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct pair p = {.shape = {.warps = 2, .threads_per_warp = 32, .work_items = 64, .groups = {50}}};
        char text[900];
        snprintf(text, sizeof text,
                 " lui x20, 0x90000\n vid.v v9\n vsll.vi v31, v9, 2\n vadd.vx v31, v31, x20\n csrr x5, CSR_GIDX\n"
                 " csrr x6, CSR_WID\n slli x7, x5, 1\n add x7, x7, x6\n slli x7, x7, 7\n lui x6, 4\n add x7, x7, x6\n"
                 " vadd.vx v30, v31, x7\n sc.w v2, v9, (v31)\n vsw12.v v2, 0(v30)\n%s lr.w v3, (v31)\nend: endprg\n",
                 which[i]);
        p.text = text;
        assert_int_equal(run(&p).status, LAUNCH_DONE);
    }
}

/* ---- local memory ---- */

/* The next group finds it cleared, and what has been stored by sc.w alone is, too. */
static void test_local(void **state)
{
    static const char text[] = LOAD
        " csrr x5, CSR_LDS\n csrr x7, CSR_GIDX\n slli x7, x7, 10\n vadd.vx v30, v30, x7\n vand.vi v31, v9, 7\n"
        " vsll.vi v31, v31, 2\n vadd.vx v31, v31, x5\n lr.w v4, (v31)\n sc.w v5, v1, (v31)\n lr.w v6, (v31)\n" SAVE;
    struct pair p = {.text = text, .shape = {.warps = 1, .threads_per_warp = 32, .work_items = 32}};
    (void)state;
    p.shape.groups[0] = 20;
    p.quantum = 1 << 20;
    assert_int_equal(run(&p).status, LAUNCH_DONE);
}

/* ---- faults ---- */

/* Lane x9 is given another address: all others stay as they were. */
static void test_faults(void **state)
{
    static const struct {
        const char *lane, *access;
        enum fault_kind kind;
        uint32_t at;
    } cases[] = {
        {"li x9, 7\n li x5, 2\n", "lr.w v4, (v31)\n", FAULT_MISALIGNED, 0x9000001e},
        {"li x9, 7\n li x5, 2\n", "sc.w v4, v1, (v31)\n", FAULT_MISALIGNED, 0x9000001e},
        {"li x9, 30\n lui x5, 0x10000\n", "lr.w v4, (v31)\n", FAULT_READ, 0xa0000078},
        {"li x9, 30\n lui x5, 0x10000\n", "sc.w v4, v1, (v31)\n", FAULT_WRITE, 0xa0000078},
        {"li x9, 0\n lui x5, 0x10000\n", "sc.w v4, v1, (v31)\n", FAULT_WRITE, 0xa0000000},
        {"li x9, 31\n lui x5, 0x10\n", "sc.w v4, v1, (v31)\n", FAULT_WRITE, 0x9001007c},
        {"li x9, 0\n lui x5, 0xfffff\n", "sc.w v4, v1, (v31)\n", FAULT_WRITE, 0x8ffff000},
        {"li x9, 9\n lui x5, 0xffff0\n",
         "vand.vi v7, v9, 15\n vsll.vi v7, v7, 12\n vadd.vv v31, v31, v7\n sc.w v4, v1, (v31)\n", FAULT_WRITE,
         0x8fff9024},
        {"li x9, 31\n lui x5, 0xf0000\n", "lr.w v4, (v31)\n sc.w v5, v1, (v31)\n", FAULT_WRITE, 0x8000007c},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1500];
        snprintf(text, sizeof text,
                 LOAD " lr.w v3, (v31)\n %s vmv.v.x v8, x9\n vmseq.vv v8, v8, v9\n vmul.vx v8, v8, x5\n"
                      " vadd.vv v31, v31, v8\n vadd.vi v2, v2, 1\n %s vadd.vi v2, v2, 1\n" SAVE,
                 cases[i].lane, cases[i].access);
        struct result r = run(&(struct pair){.text = text});
        assert_int_equal(r.fault.kind, cases[i].kind);
        assert_int_equal(r.fault.addr, cases[i].at);
    }
}

/* What lanes that rest have for addresses does not matter; words of many pages do. */
static void test_addresses(void **state)
{
    (void)state;
    expect_same(LOAD " lui x9, 0x40000\n vmv.v.x v8, x9\n vor.vi v8, v8, 1\n li x9, 19\n" PAIR_PART(
        " vmv.v.v v8, v31\n", "") " vmv.v.i v4, 3\n vmv.v.i v5, 3\n" PAIR_PART(" lr.w v4, (v8)\n sc.w v5, v1, (v8)\n",
                                                                               "") SAVE);
    expect_same(LOAD " lui x5, 1\n vand.vi v8, v9, 7\n vmul.vx v8, v8, x5\n vadd.vv v31, v31, v8\n lr.w v4, (v31)\n"
                     " sc.w v5, v1, (v31)\n vlw12.v v6, 0(v31)\n" SAVE);
    expect_same(LOAD " csrr x5, CSR_LDS\n sub x5, x5, x20\n vand.vi v8, v9, 1\n vmul.vx v8, v8, x5\n"
                     " vadd.vv v31, v31, v8\n lr.w v4, (v31)\n sc.w v5, v1, (v31)\n vlw12.v v6, 0(v31)\n" SAVE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),      cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_writes),      cmocka_unit_test(test_warps),
        cmocka_unit_test(test_groups),      cmocka_unit_test(test_local),
        cmocka_unit_test(test_faults),      cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_loops),       cmocka_unit_test(test_loops_of_some),
        cmocka_unit_test(test_other_loops), cmocka_unit_test(test_deep_loops),
        cmocka_unit_test(test_comparisons), cmocka_unit_test(test_loops_until_failed),
        cmocka_unit_test(test_threads),     cmocka_unit_test(test_failed_lanes),
    };
    if (!engine_usable(&engine_native)) return 0;
    return cmocka_run_group_tests(tests, pair_setup, pair_teardown);
}
