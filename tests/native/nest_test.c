/* Loop nests whose lanes run one after the other (translator/nest.c): on `step` and on every host level of `native`,
 * with the same result, counters and depth of the SIMT stack. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "native/native.h"
#include "pair.h"

/* x20 is the data, x21 where nothing is, v31 the address of each work-item's word there, v1 to v3 are words from there,
 * v13 is 0, v14 1. v4 is how often each lane goes round: 0 to 60 times. v5 and v6 are the lane's own random numbers. */
#define START \
    " lui x20, 0x90000\n lui x21, 0x50000\n vid.v v31\n csrr x5, CSR_TID\n vadd.vx v31, v31, x5\n vid.v v5\n" \
    " vsll.vi v31, v31, 2\n vadd.vx v31, v31, x20\n vlw12.v v1, 0(v31)\n vlw12.v v2, 512(v31)\n vlw12.v v3, " \
    "1024(v31)\n" \
    " vid.v v4\n li x11, 20\n vxor.vx v4, v4, x11\n vmul.vv v4, v4, v4\n vsrl.vi v4, v4, 4\n vmv.v.i v13, 0\n" \
    " vmv.v.i v14, 1\n li x12, 0x19660d\n vmul.vx v5, v5, x12\n vmv.v.i v6, 0\n vmv.v.i v7, 0\n vmv.v.i v8, 0\n" \
    " vmv.v.i v9, 0\n vmv.v.i v10, 0\n li x13, 0\n li x14, 0\n"
#define SAVE \
    " lui x30, 0x4\n vadd.vx v30, v31, x30\n vsw12.v v1, 0(v30)\n vsw12.v v2, 512(v30)\n vsw12.v v3, 1024(v30)\n" \
    " vsw12.v v5, 1536(v30)\n endprg\n"

/* The next random number; bit `n` of it, in v6. */
#define NEXT   " vmul.vx v5, v5, x12\n vadd.vi v5, v5, 7\n"
#define BIT(n) " vsrl.vi v6, v5, " #n "\n vand.vv v6, v6, v14\n"

/* Lanes that diverge reconverge at a label. */
#define MEET(label) "9: auipc x8, %pcrel_hi(" label ")\n setrpc x0, x8, %pcrel_lo(9b)\n"

/* A loop that lanes leave when the counter in a register is below 0. */
#define LOOP(name, counter, body) \
    "loop" name ": vadd.vi " counter ", " counter \
    ", -1\n" MEET("out" name) " vblt " counter ", v13, out" name "\n" body " j loop" name "\nout" name ": join\n"
/* One of two bodies. */
#define IF(name, bit, then, other) \
    BIT(bit) \
    MEET("fi" name) " vbeq v6, v13, else" name "\n" then " j fi" name "\nelse" name ":" other "fi" name ": join\n"

static const struct launch shapes[] = {{.warps = 2, .threads_per_warp = 32, .work_items = 64},
                                       {.warps = 2, .threads_per_warp = 32, .work_items = 50},
                                       {.warps = 3, .threads_per_warp = 16, .work_items = 48}};

/* Code for all lanes together is in every translation; with that alone a program has one of the shapes, in turn. */
static bool together;

static void run(const char *text, uint64_t quantum, enum launch_status status)
{
    static unsigned programs;
    const unsigned turn = programs++ % 3;
    for (unsigned i = 0; i < 3; i++) {
        if (together && i != turn) continue;
        struct pair p = {
            .text = text, .shape = shapes[i], .order = (enum path_order)i, .quantum = quantum, .shapes = true};
        assert_int_equal(pair_run_levels(&p).status, status);
    }
}

/* A word of the lane's own, which makes vectors slow. */
#define OWN " vsrl.vi v9, v5, 29\n vsll.vi v9, v9, 2\n vsw.v v5, 0(v9)\n vlw.v v10, 4(v13)\n vxor.vv v1, v1, v10\n"

#define INNER " vsrl.vi v7, v5, 28\n" LOOP("b", "v7", NEXT OWN " vadd.vv v1, v1, v5\n")

#define PATHS \
    OWN IF("a", 9, " vadd.vv v1, v1, v2\n" NEXT IF("b", 11, " vxor.vv v2, v2, v5\n", " vmul.vv v2, v2, v3\n"), \
           " vsub.vv v3, v3, v1\n vmul.vv v1, v1, v5\n vadd.vv v3, v3, v2\n")

static const char *const paths = START LOOP("a", "v4", NEXT PATHS) SAVE;

/* Two paths in each iteration, and on one of them two again. */
static void test_paths(void **state)
{
    (void)state;
    run(paths, 0, LAUNCH_DONE);
    run(paths, 10000, LAUNCH_DONE);
}

/* A loop on one path of a branch, the only warp's: no other warp's depth of the SIMT stack hides what lanes count that
 * run one after the other. */
static void test_inner_loop_on_path(void **state)
{
    static const struct launch one = {.warps = 1, .threads_per_warp = 32, .work_items = 32};
    static const char *const texts[] = {
        START " vmv.v.i v4, 12\n" LOOP("a", "v4", NEXT OWN IF("c", 8, OWN INNER, " vadd.vi v3, v3, 1\n")) SAVE,
        START " vmv.v.i v4, 12\n" LOOP("a", "v4", NEXT OWN IF("c", 8, " vadd.vi v3, v3, 1\n", OWN INNER)) SAVE};
    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        struct pair p = {.text = texts[i % 2], .shape = one, .order = (enum path_order)(i / 2), .quantum = 10000};
        assert_int_equal(pair_run_levels(&p).status, LAUNCH_DONE);
    }
}

/* Quanta that end among the iterations. */
static void test_quanta(void **state)
{
    (void)state;
    run(paths, 100, LAUNCH_DONE);
    run(paths, 900, LAUNCH_DONE);
    run(paths, 1000, LAUNCH_DONE);
}

/* Loops in the iterations of others, on one of two paths, with counters of lanes and of the warp. */
static void test_loops(void **state)
{
    static const char *const texts[] = {
        START LOOP("a", "v4",
                   NEXT " vsrl.vi v7, v5, 28\n" LOOP("b", "v7",
                                                     NEXT " vadd.vv v1, v1, v5\n" PATHS) " vxor.vv v2, v2, v1\n") SAVE,
        START LOOP(
            "a", "v4",
            NEXT IF("c", 8, " vsrl.vi v7, v5, 27\n" LOOP("b", "v7", NEXT " vadd.vv v1, v1, v5\n"),
                    " vsrl.vi v8, v5, 28\n" LOOP("d", "v8", " vmul.vv v2, v2, v5\n" NEXT)) " vadd.vi v3, v3, 1\n") SAVE,
        START LOOP("a", "v4",
                   NEXT " li x13, 3\nagain: addi x13, x13, -1\n" PATHS " vadd.vx v3, v3, x13\n"
                        " bne x13, x0, again\n") SAVE,
        START " li x13, 0\ncount: addi x13, x13, 1\n" NEXT PATHS
              " vadd.vx v3, v3, x13\n" MEET("counted") " vmv.v.x v7, x13\n vblt v7, v4, count\ncounted: join\n" SAVE,
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) run(texts[i], 10000, LAUNCH_DONE);
}

/* Lanes that leave a loop in its middle, by a way of their own, and that go on to the next iteration early. */
static void test_ways_out(void **state)
{
    static const char *const texts[] = {
        START LOOP("a", "v4",
                   NEXT BIT(17) MEET("outa") " vbne v6, v13, found\n vadd.vv v1, v1, v5\n" PATHS " j nota\n"
                                             "found: vxor.vv v2, v2, v5\n vadd.vv v3, v3, v2\n j outa\nnota:") SAVE,
        START LOOP("a", "v4",
                   NEXT BIT(17) MEET("next") " vbne v6, v13, next\n vadd.vv v1, v1, v5\n" PATHS "next: join\n") SAVE,
        /* out of the inner loop of two, with two paths of its own */
        START LOOP("a", "v4",
                   NEXT " vsrl.vi v7, v5, 28\n" LOOP(
                       "b", "v7",
                       NEXT OWN BIT(17) MEET("outb") " vbne v6, v13, found\n vadd.vv v1, v1, v5\n j notb\nfound:" IF(
                           "c", 23, " vxor.vv v2, v2, v5\n", " vadd.vv v3, v3, v2\n") " j outb\nnotb:")) SAVE,
        /* by two ways, of which one goes on with the end of the other, in front of it */
        START
        "loopa: vadd.vi v4, v4, -1\n" NEXT OWN MEET("outa") " vblt v4, v13, outa\n" BIT(17) " vbne v6, v13, far\n" BIT(
            18) " vbne v6, v13, near\n j latch\n"
                "near: vadd.vv v3, v3, v2\n j outa\nlatch: vadd.vv v1, v1, v5\n j loopa\n"
                "far: vxor.vv v2, v2, v5\n j near\nouta: join\n" SAVE,
        /* where all lanes of every second iteration go, too */
        START " li x13, 0\n"
              "loopa: vadd.vi v4, v4, -1\n xori x13, x13, 1\n" NEXT OWN MEET(
                  "outa") " vblt v4, v13, outa\n"
                          " bne x13, x0, latch\n" BIT(17) " vbne v6, v13, far\nlatch: vadd.vv v1, v1, v5\n j loopa\n"
                                                          "far: vxor.vv v2, v2, v5\nouta: join\n" SAVE,
        /* of an inner loop that the warp leaves for the way on which its lanes do: who comes from the loop's end is in
         * no iteration of it */
        START LOOP("a", "v4",
                   NEXT " li x13, 5\nloopb: addi x13, x13, -1\n blt x13, x0, last\n" NEXT OWN BIT(17)
                       MEET("outb") " vbne v6, v13, found\n vadd.vv v1, v1, v5\n j loopb\n"
                                    "last: vadd.vv v3, v3, v5\nfound: vxor.vv v2, v2, v5\noutb: join\n") SAVE,
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) run(texts[i], 10000, LAUNCH_DONE);
}

/* More paths in an iteration than a word of its record has numbers: two paths, and ways out. */
#define TWO(name, bit)  IF(name, bit, " vadd.vv v1, v1, v5\n" NEXT, " vxor.vv v2, v2, v5\n")
#define FIVE(name, bit) TWO(name "0", bit) TWO(name "1", bit) TWO(name "2", bit) TWO(name "3", bit) TWO(name "4", bit)
#define OUT(name)       NEXT MEET("outa") " vsrl.vi v6, v5, 26\n vbeq v6, v13, far" name "\n"
#define FAR(name)       "far" name ": vsub.vv v3, v3, v5\n vxor.vv v1, v1, v3\n j outa\n"
static void test_many_paths(void **state)
{
    static const char *const few = START LOOP("a", "v4", NEXT OWN FIVE("x", 9)) SAVE;
    static const char *const text =
        START LOOP("a", "v4",
                   NEXT OWN FIVE("x", 9) FIVE("y", 11) OUT("1") OUT("2") OUT("3") OUT("4") OUT("5") OUT("6")
                       OUT("7") " vadd.vi v3, v3, 1\n j back\n" FAR("1") FAR("2") FAR("3") FAR("4") FAR("5") FAR("6")
                           FAR("7") "back:") SAVE;
    (void)state;
    run(few, 10000, LAUNCH_DONE);
    run(text, 0, LAUNCH_DONE);
    run(text, 10000, LAUNCH_DONE);
}

/* NaNs of any kind, in loops and out of them, as numbers and as bits. */
static void test_nans(void **state)
{
    static const char *const texts[] = {
        START LOOP("a", "v4",
                   NEXT OWN IF("b", 9, " vfmul.vv v1, v5, v2\n vfadd.vv v3, v3, v1\n", " vfsqrt.v v2, v5\n")
                       IF("c", 11, " vxor.vv v5, v5, v1\n", " vfsub.vv v1, v2, v3\n vmv.v.v v2, v1\n")) SAVE,
        START LOOP("a", "v4",
                   NEXT OWN " vsrl.vi v7, v5, 28\n" LOOP(
                       "b", "v7", NEXT IF("c", 9, " vfadd.vv v1, v1, v5\n", " vfsqrt.v v1, v5\n vsw.v v1, 0(v13)\n"))
                       IF("d", 11, " vxor.vv v2, v2, v1\n", " vfdiv.vv v3, v1, v2\n")) SAVE,
        START " vfadd.vv v1, v1, v2\n vfadd.vv v2, v2, v3\n" LOOP(
            "a", "v4", NEXT OWN IF("b", 9, " vfmul.vv v1, v1, v2\n vfadd.vv v2, v5, v1\n", " vfsqrt.v v2, v1\n")) SAVE,
        /* bits that look like NaNs, in registers that hold numbers elsewhere */
        START " li x13, 20\nagain: addi x13, x13, -1\n" NEXT OWN " vfmul.vv v7, v5, v2\n" IF(
            "b", 9, " vfadd.vv v1, v7, v1\n",
            " vfsub.vv v3, v7, v2\n") " vsub.vv v7, v13, v14\n" IF("c", 11, " vadd.vv v2, v2, v7\n",
                                                                   " vxor.vv v2, v2, v7\n") " bne x13, x0, "
                                                                                            "again\n" SAVE,
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) run(texts[i], 10000, LAUNCH_DONE);
}

/* A loop on one of two paths, whose way out lies behind the other path: what lanes read on that path is theirs while
 * others take the way out. */
static void test_order(void **state)
{
    static const char *const text = START LOOP(
        "a", "v4",
        NEXT OWN " vadd.vv v8, v5, v2\n" BIT(9) MEET(
            "fi") " vbeq v6, v13, else\n vsrl.vi v7, v5, 28\n"
                  "loopb: vadd.vi v7, v7, -1\n" MEET("outb") " vblt v7, v13, outb\n" NEXT BIT(
                      17) " vbne v6, v13, far\n vadd.vv v1, v1, v5\n j loopb\nelse: vxor.vv v2, v2, v8\n j fi\n"
                          "far: vmul.vv v8, v5, v3\n beq x13, x14, far2\n vadd.vi v3, v3, 1\nfar2: vadd.vv v3, v3, v8\n"
                          "outb: join\n vadd.vi v1, v1, 3\nfi: join\n") SAVE;
    (void)state;
    run(text, 0, LAUNCH_DONE);
    run(text, 10000, LAUNCH_DONE);
}

/* Lanes that wait outside the nest, for the other path of a branch around it, and read what the nest writes. */
static void test_waiting(void **state)
{
    static const char *const texts[] = {
        START NEXT " vmv.v.v v9, v2\n vmv.v.v v10, v3\n vsrl.vi v8, v5, 3\n" IF(
            "z", 8, LOOP("a", "v4", NEXT " vadd.vv v8, v5, v1\n" PATHS " vadd.vv v2, v2, v8\n"),
            " vadd.vv v1, v1, v9\n vxor.vv v2, v2, v10\n vadd.vv v3, v3, v8\n") SAVE,
        START NEXT " vfadd.vv v9, v2, v3\n vadd.vv v8, v1, v2\n" IF(
            "z", 8,
            LOOP("a", "v4",
                 NEXT OWN " vfmul.vv v8, v5, v2\n vfadd.vv v9, v8, v3\n" IF("b", 9, " vfadd.vv v1, v9, v8\n",
                                                                            " vfsub.vv v3, v9, v8\n")),
            " vadd.vv v1, v1, v9\n vxor.vv v2, v2, v8\n") SAVE,
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) run(texts[i], 10000, LAUNCH_DONE);
}

/* What lanes that wait read, and nobody behind the nest: those that have left an inner loop, and those that wait for
 * the next iteration while others take a way out. */
static void test_temporaries(void **state)
{
    static const char *const texts[] = {
        START LOOP("a", "v4",
                   NEXT OWN " vmv.v.i v8, 0\n vsrl.vi v7, v5, 28\n" LOOP(
                       "b", "v7",
                       NEXT " vadd.vv v8, v8, v5\n" IF("c", 9, " vadd.vv v1, v1, v2\n",
                                                       " vxor.vv v3, v3, v8\n")) " vadd.vv v2, v2, v8\n") SAVE,
        START " vmv.v.i v11, 1\n"
              "loopa: vadd.vi v4, v4, -1\n" NEXT OWN MEET("outa") " vblt v4, v13, outa\n" BIT(
                  17) " vbne v6, v13, far\n vadd.vv v1, v1, v11\n vadd.vv v11, v11, v5\n j loopa\n"
                      "far: vmul.vv v11, v5, v2\n beq x13, x14, far2\n vadd.vi v3, v3, 1\nfar2: vadd.vv v3, v3, v11\n"
                      "outa: join\n" SAVE,
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) run(texts[i], 10000, LAUNCH_DONE);
}

/* Stacks in private memory; bytes, halfwords and words. */
static void test_private_memory(void **state)
{
    static const char *const texts[] = {
        START LOOP("a", "v4",
                   NEXT " vsrl.vi v9, v5, 29\n vsll.vi v9, v9, 2\n" IF(
                       "c", 8, " vlw.v v7, 0(v9)\n vadd.vv v1, v1, v7\n", " vsw.v v5, 0(v9)\n")) SAVE,
        START LOOP("a", "v4",
                   NEXT " vsrl.vi v9, v5, 27\n" IF("c", 8, " vlb.v v7, 0(v9)\n vadd.vv v1, v1, v7\n",
                                                   " vsb.v v5, 0(v9)\n")) SAVE,
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) run(texts[i], 10000, LAUNCH_DONE);
}

/* Words of private memory at known distances from each other, of which some are behind its end or in front of its
 * beginning. What lanes have stored there is not taken back, and added to twice, if nobody looks: the last iteration of
 * the tenth lane of a warp cannot be done. */
#define PLACE " vsrl.vi v9, v5, 29\n vsll.vi v9, v9, 2\n"
#define COUNT(offset, base) \
    " vlw.v v7, " #offset "(" base ")\n vadd.vv v7, v7, v14\n vsw.v v7, " #offset "(" base ")\n vadd.vv v1, v1, v7\n"
#define AGAIN(offset) " vmul.vv v8, v9, v14\n" COUNT(offset, "v8")
#define DISTANCES(body) \
    START " vid.v v11\n vadd.vi v11, v11, -9\n" LOOP( \
        "a", "v4", \
        NEXT body " vor.vv v10, v4, v11\n" MEET("late") " vbne v10, v13, late\n vsw.v v7, 32(v13)\nlate: join\n") SAVE
static void test_private_distances(void **state)
{
    static const char *const texts[] = {
        DISTANCES(PLACE " vlw.v v10, 0(v9)\n" COUNT(4, "v9")),
        DISTANCES(PLACE " vlw.v v10, 4(v9)\n vadd.vi v8, v9, -4\n" COUNT(0, "v8")),
        DISTANCES(PLACE " vlw.v v10, 0(v9)\n" IF("b", 9, COUNT(4, "v9"), NEXT)),
        DISTANCES(PLACE " vlw.v v10, 4(v9)\n" IF("b", 9, NEXT, " vadd.vi v8, v9, -4\n" COUNT(0, "v8"))),
        /* a register that two paths write */
        START LOOP("a", "v4",
                   NEXT " vsrl.vi v9, v5, 30\n vsll.vi v9, v9, 2\n vlw.v v10, 0(v9)\n" IF(
                       "b", 9, " vadd.vi v8, v9, 4\n vsw.v v5, 0(v8)\n", " vadd.vi v8, v9, 8\n vsw.v v5, 0(v8)\n")
                       COUNT(0, "v8")) SAVE,
        /* indices that are shifted, copied, and written between two accesses */
        START LOOP("a", "v4",
                   NEXT " vsrl.vi v9, v5, 30\n vadd.vi v8, v9, 2\n vsll.vi v8, v8, 2\n vsll.vi v10, v9, 2\n" COUNT(
                       0, "v8") COUNT(8, "v10") " vmv.v.v v9, v10\n vadd.vi v10, v10, 4\n" COUNT(0, "v10")
                       COUNT(0, "v9") " vadd.vv v9, v9, v14\n vsb.v v5, 0(v9)\n vlb.v v7, 2(v9)\n" IF(
                           "b", 9, COUNT(4, "v10"), " vsub.vv v10, v10, v10\n" COUNT(4, "v10"))) SAVE,
        /* more of them than are kept, again and again */
        START LOOP("a", "v4",
                   NEXT " vsrl.vi v9, v5, 31\n vsll.vi v9, v9, 2\n vadd.vi v10, v9, 0\n" COUNT(0, "v9") AGAIN(4)
                       AGAIN(8) AGAIN(12) AGAIN(16) AGAIN(20) AGAIN(24) AGAIN(4) AGAIN(8) AGAIN(12) COUNT(16, "v10")
                           IF("b", 9, COUNT(0, "v8"), COUNT(20, "v9"))) SAVE,
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) run(texts[i], 10000, LAUNCH_DONE);
}

/* A nest that is taken back, in one group after the other. Those behind it find their local memory empty, to which the
 * warps have written in front of it. */
static void test_taken_back_in_groups(void **state)
{
    static const char *const text = START
        " csrr x25, CSR_LDS\n csrr x26, CSR_GIDX\n slli x26, x26, 1\n csrr x27, CSR_WID\n add x26, x26, x27\n"
        " slli x26, x26, 2\n lui x28, 0x90002\n add x26, x26, x28\n lw x27, 64(x25)\n sw x27, 0(x26)\n"
        " sw x20, 64(x25)\n vid.v v11\n vadd.vi v11, v11, -9\n" LOOP(
            "a", "v4",
            NEXT PLACE " vlw.v v10, 0(v9)\n" COUNT(4, "v9") " vor.vv v10, v4, v11\n" MEET(
                "late") " vbne v10, v13, late\n vsw.v v7, 32(v13)\nlate: join\n") " addi x28, x28, 1024\n vmv.v.x v29, "
                                                                                  "x28\n amoadd.w v30, v14, (v29)\n "
                                                                                  "vmv.x.s x27, v30\n sw x27, "
                                                                                  "512(x26)\n" SAVE;
    struct pair p = {.text = text, .quantum = 10000, .shapes = true};
    (void)state;
    p.shape = (struct launch){.warps = 2, .threads_per_warp = 32, .work_items = 64, .groups = {20}};
    for (int i = 0; i < 4; i++) assert_int_equal(pair_run_levels(&p).status, LAUNCH_DONE);
}

/* What cannot be done lane by lane, and is found late: words across two in private memory, stores behind its end, loads
 * from where nothing is. What has been stored is taken back. */
static void test_taken_back(void **state)
{
    static const char *const stores[] = {
        START LOOP("a", "v4",
                   NEXT " vsrl.vi v9, v5, 29\n vsll.vi v9, v9, 2\n vlw.v v7, 0(v9)\n vadd.vv v7, v7, v14\n"
                        " vsw.v v7, 0(v9)\n" IF("c", 29, " vadd.vv v1, v1, v7\n",
                                                " vand.vv v10, v4, v14\n vsll.vi v10, v10, 2\n vsw.v v4, 28(v10)\n"))
            SAVE,
    };
    static const char *const beyond =
        START LOOP("a", "v4", NEXT " vlw.v v7, 32(v13)\n vadd.vv v7, v7, v14\n vsw.v v7, 32(v13)\n" PATHS) SAVE;
    static const char *const faults[] = {
        START LOOP("a", "v4",
                   NEXT " vsrl.vi v9, v5, 29\n vsll.vi v9, v9, 2\n vlw.v v7, 0(v9)\n vadd.vv v7, v7, v14\n"
                        " vsw.v v7, 0(v9)\n" IF("c", 29, " vadd.vv v1, v1, v7\n", " vadd.vi v9, v9, 1\n") BIT(14)
                            MEET("odd") " vbeq v6, v13, odd\n vsub.vv v10, v4, v14\n vadd.vx v9, v10, x21\n"
                                        " vlw12.v v7, 0(v9)\nodd: join\n") SAVE,
        START LOOP("a", "v4", NEXT " vsrl.vi v9, v5, 29\n vlw.v v7, 0(v9)\n" PATHS) SAVE,
    };
    (void)state;
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++) run(stores[i], 10000, LAUNCH_DONE);
    run(beyond, 900, LAUNCH_DONE);
    run(beyond, 10000, LAUNCH_DONE);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) run(faults[i], 10000, LAUNCH_FAULT);
}

/* Scalar registers that lanes would see of one another are no nest's: one path reads what the other one has written,
 * and what is behind the loop reads what its last iteration has. */
static void test_scalars(void **state)
{
    static const char *const texts[] = {
        START LOOP("a", "v4", NEXT OWN IF("c", 9, " addi x13, x13, 1\n vadd.vv v1, v1, v5\n", " vadd.vx v2, v2, x13\n"))
            SAVE,
        START LOOP("a", "v4", NEXT " addi x13, x13, 1\n" PATHS) " vadd.vx v1, v1, x13\n" SAVE,
        START LOOP("a", "v4", NEXT " addi x13, x13, 1\n vadd.vx v1, v1, x13\n" PATHS) SAVE,
        START LOOP("a", "v4", NEXT " vmv.x.s x13, v5\n vadd.vx v1, v1, x13\n" PATHS) SAVE,
        /* the last active lane's word: of words that are equal in eight lanes, and in all */
        START " vid.v v11\n vsrl.vi v11, v11, 3\n" LOOP(
            "a", "v4", NEXT PATHS IF("c", 9, " vmv.x.s x13, v11\n vadd.vx v1, v1, x13\n", " vadd.vv v2, v2, v11\n"))
            SAVE,
        START " li x15, 0\n vmv.v.i v11, 3\n" LOOP(
            "a", "v4",
            " addi x15, x15, 5\n" NEXT PATHS IF(
                "c", 9, " vmul.vx v8, v11, x15\n vmv.x.s x13, v8\n slli x13, x13, 1\n vadd.vx v1, v1, x13\n",
                " vadd.vv v2, v2, v11\n")) SAVE,
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) run(texts[i], 10000, LAUNCH_DONE);
}

/* What runs only lanes with a bit, in front of the loop and with it. */
#define ONLY(bit, body) BIT(bit) MEET("over") " vbeq v6, v13, over\n" body "over: join\n"
#define COUNTED \
    LOOP("a", "v4", NEXT OWN " addi x13, x13, 1\n" IF("c", 9, " vadd.vv v1, v1, v5\n", " vxor.vv v2, v2, v5\n"))

/* Scalar registers of a nest that lanes read on other ways to the join behind it: those that wait there on another path
 * see what the nest has left, those that have been on the nest's own path do not. */
static void test_scalars_of_waiting(void **state)
{
    static const char *const texts[] = {
        START NEXT " li x13, 5\n" ONLY(8, " vadd.vx v1, v1, x13\n li x13, 0\n" COUNTED) SAVE,
        START NEXT " li x13, 5\n" IF("z", 8, " vadd.vx v1, v1, x13\n li x13, 0\n" COUNTED, " vadd.vv v2, v2, v3\n")
            SAVE,
        START NEXT " li x13, 5\n" IF("z", 8, " li x13, 0\n" COUNTED, " vadd.vx v2, v2, x13\n") SAVE,
        START NEXT " li x13, 5\n" IF("z", 8, " vadd.vx v2, v2, x13\n", " li x13, 0\n" COUNTED) SAVE,
        START NEXT
        " li x13, 5\n" IF("z", 8, " li x13, 0\n" COUNTED,
                          IF("d", 11, " vadd.vv v1, v1, v2\n", " vmul.vv v3, v3, v2\n") " vadd.vx v2, v2, x13\n") SAVE,
        /* both ways lead to the nest */
        START NEXT " li x13, 5\n" IF("z", 8, " vadd.vv v2, v2, v3\n", " vadd.vx v2, v2, x13\n") COUNTED SAVE,
        START NEXT " li x15, 3\nagain: li x13, 5\n" ONLY(8, " vadd.vx v1, v1, x13\n li x13, 0\n" COUNTED) NEXT
        " addi x15, x15, -1\n bne x15, x0, again\n" SAVE,
        START NEXT " li x13, 5\n" ONLY(8, " li x13, 0\n" COUNTED) " vadd.vx v1, v1, x13\n" SAVE,
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) run(texts[i], 10000, LAUNCH_DONE);
}

#define ANYWHERE " vsrl.vi v9, v5, 23\n vsll.vi v9, v9, 3\n vadd.vx v9, v9, x20\n"

/* Longs: both words are loaded at once, also in place of their address; others are no pairs. */
static void test_pairs(void **state)
{
    static const char *const loads[] = {
        " vlw12.v v10, 0(v9)\n vlw12.v v11, 4(v9)\n",
        " vlw12.v v10, 4(v9)\n vlw12.v v9, 8(v9)\n vor.vv v11, v9, v9\n",
        " vlw12.v v9, 0(v9)\n vand.vx v9, v9, x5\n vadd.vx v9, v9, x20\n vlw12.v v11, 4(v9)\n vor.vv v10, v9, v9\n",
        " vlw12.v v10, 4(v9)\n vlw12.v v11, 0(v9)\n",
        " vlhu12.v v10, 0(v9)\n vlw12.v v11, 4(v9)\n",
        " vlw12.v v10, 0(v9)\n vlw12.v v10, 4(v9)\n vor.vv v11, v9, v9\n",
        " vlw12.v v10, 0(v9)\n vlw12.v v11, 8(v9)\n",
        " vlw12.v v10, 0(v9)\n vadd.vi v9, v9, 4\n vlw12.v v11, 4(v9)\n"};
    char text[8192];
    (void)state;
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        snprintf(text, sizeof text, "%s%s%s",
                 START " li x5, 2040\n vmv.v.i v10, 0\n vmv.v.i v11, 0\n loopa: "
                       "vadd.vi v4, v4, -1\n" MEET("outa") " vblt v4, v13, outa\n" NEXT ANYWHERE,
                 loads[i],
                 IF("b", 9, " vadd.vv v1, v1, v10\n", " vxor.vv v2, v2, v11\n") " j loopa\nouta: join\n" SAVE);
        run(text, 10000, LAUNCH_DONE);
    }
    /* the first word is the address of the second */
    run(START " vadd.vx v9, v13, x20\n vsw12.v v9, 0(v31)\n" LOOP(
            "a", "v4",
            NEXT OWN " vadd.vi v9, v31, 0\n vlw12.v v9, 0(v9)\n vlw12.v v11, 4(v9)\n" IF(
                "b", 9, " vadd.vv v1, v1, v9\n", " vxor.vv v2, v2, v11\n")) SAVE,
        10000, LAUNCH_DONE);
    /* the upper word is where nothing is: behind a page, behind all of memory */
    run(START " li x15, -4\n lui x16, 0x50000\n add x15, x15, x16\n" LOOP(
            "a", "v4",
            NEXT ANYWHERE IF("b", 9, " vadd.vv v1, v1, v10\n",
                             " vmv.v.x v9, x15\n") " vlw12.v v10, 0(v9)\n vlw12.v v11, 4(v9)\n") SAVE,
        10000, LAUNCH_FAULT);
    run(START " li x15, -4\n" LOOP("a", "v4",
                                   NEXT ANYWHERE IF("b", 9, " vadd.vv v1, v1, v10\n",
                                                    " vmv.v.x v9, x15\n") " vlw12.v v10, 0(v9)\n vlw12.v v11, 4(v9)\n")
            SAVE,
        10000, LAUNCH_FAULT);
}

/* Behind the nest lanes diverge for a reconvergence point that it sets in some iterations, or not: of two joins the one
 * for which they wait tells which it was. */
static void test_reconvergence_point_behind(void **state)
{
    static const char *const text = START " lw x15, 0(x20)\n li x13, 20\n" MEET(
        "late") "again: addi x13, x13, -1\n" NEXT PATHS
                " beq x15, x0, skip\n" MEET("early") "skip: bne x13, x0, again\n" BIT(
                    11) " vbeq v6, v13, other\n vadd.vv v1, v1, v2\n j early\nother: vxor.vv v1, v1, v3\nearly: join\n"
                        " vadd.vi v3, v3, 1\nlate: join\n" SAVE;
    (void)state;
    run(text, 10000, LAUNCH_DONE);
}

/* ---- the bound of the records ---- */

/* What a machine keeps of lanes, with as much behind it as records beyond their bound could reach. */
enum { BEHIND = 8 * 8 * NATIVE_RECORDS, UNTOUCHED = 0x5a };
static struct native_tried *watched;

/* In place of the host's: it is here that the machine finds this function. */
void *aligned_alloc(size_t alignment, size_t size)
{
    const bool watch = size == sizeof(struct native_tried);
    void *p;
    if (posix_memalign(&p, alignment, size + (watch ? BEHIND : 0))) return NULL;
    if (watch) watched = memset(p, UNTOUCHED, size + BEHIND);
    return p;
}

static bool is_touched(const uint8_t *bytes, size_t count)
{
    size_t i = 0;
    while (i < count && bytes[i] == UNTOUCHED) i++;
    return i < count;
}

/* The first lane goes round more often than there is room for records: these fill their room, and nothing behind it. */
static void test_many_rounds(void **state)
{
    enum { RECORD_MOST = 16 /* words: of one loop with two paths, and more */ };
    static const char *const text = START " li x15, 100000\n li x16, 1\n vid.v v4\n vmsltu.vx v4, v4, x16\n"
                                          " vmul.vx v4, v4, x15\n" LOOP("a", "v4", NEXT PATHS) SAVE;
    const char *level;
    (void)state;
    if (!engine_usable(&engine_native)) skip();
    for (unsigned i = 0; (level = pair_level(i)); i++) {
        struct gpu_config c;
        struct guest g;
        gpu_config_default(&c);
        c.engine = &engine_native;
        c.sms = 1;
        c.quantum = 1 << 24;
        setenv("VENTUS_NATIVE_LEVEL", level, 1);
        guest_open_config(&g, &c);
        g.launch.pds_base = GUEST_DATA + PAIR_PRIVATE;
        g.launch.pds_bytes = 32;
        guest_assemble(&g, text);
        guest_run(&g);
        assert_int_equal(g.result.status, LAUNCH_DONE);
        assert_true(is_touched((uint8_t *)(watched->records + NATIVE_RECORDS - RECORD_MOST), RECORD_MOST * 8));
        assert_false(is_touched((uint8_t *)(watched + 1), BEHIND));
        guest_close(&g);
    }
    unsetenv("VENTUS_NATIVE_LEVEL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_quanta),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_ways_out),
        cmocka_unit_test(test_many_paths),
        cmocka_unit_test(test_nans),
        cmocka_unit_test(test_private_memory),
        cmocka_unit_test(test_private_distances),
        cmocka_unit_test(test_taken_back_in_groups),
        cmocka_unit_test(test_taken_back),
        cmocka_unit_test(test_scalars),
        cmocka_unit_test(test_scalars_of_waiting),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_temporaries),
        cmocka_unit_test(test_waiting),
        cmocka_unit_test(test_inner_loop_on_path),
        cmocka_unit_test(test_reconvergence_point_behind),
    };
    const struct CMUnitTest bound[] = {cmocka_unit_test(test_many_rounds)};
    int failed = cmocka_run_group_tests_name("lanes one after the other", tests, pair_setup, NULL);
    failed += cmocka_run_group_tests_name("their records", bound, NULL, NULL);
    setenv("VENTUS_TRANSLATE_NESTS", "together", 1);
    together = true;
    failed += cmocka_run_group_tests_name("all lanes together", tests, NULL, pair_teardown);
    return failed;
}
