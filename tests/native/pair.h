/* A program on `step` and on `native`: both must end with the same memory, counters and fault. For the tests of the
 * engine `native`; programs put into memory what is to be compared of their registers, unless whole states are. */
#ifndef NATIVE_PAIR_H
#define NATIVE_PAIR_H

#include "tests/sim/guest.h"

/* Offsets in the data of a guest: private memory and the metadata block. Constants are on a page behind the code. */
enum { PAIR_PRIVATE = 0xc000, PAIR_METADATA = 0xf000, PAIR_ARGS = 32 };
#define PAIR_CONSTANTS (ABI_CODE_BASE + 0x20000)

/* Text of a program: lanes whose number, in v9, is below x9 run `low`, the others `high`. x28 and v28 are used up. */
#define PAIR_PART(low, high) \
    " la x28, 3f\n setrpc x0, x28, 0\n vmv.v.x v28, x9\n vblt v9, v28, 2f\n" high " j 3f\n2:" low " j 3f\n3: join\n"

/* What is not given is 0, which stands for: one warp of 32 work-items, 64 vector registers, the default profile, 700
 * instructions of each warp at a time (so that several warps take turns), work-groups of 8 work-items in the metadata
 * block, and that at PAIR_METADATA. */
struct pair {
    const char *text;
    struct launch shape; /* warps and threads_per_warp, work_items, last_items, last_of, vgprs, groups[0] and [1] */
    uint32_t profile;
    enum path_order order;
    uint64_t quantum;
    uint32_t local[3];
    uint32_t metadata;     /* its offset */
    bool watched;          /* metadata and PAIR_ARGS words of arguments, 1, 2, 3, ..., are at ABI_LAUNCH_BASE */
    bool ends;             /* the first and the last page of memory are open */
    const uint32_t *words; /* `count` words at the beginning of the data, otherwise numbers of every kind */
    size_t count;
    size_t sets; /* pair_run_levels: so many times `count` words, and the program, translated once, runs with each */
    struct result *results;    /* with each set, unless it is NULL */
    const uint32_t *constants; /* words of a page at PAIR_CONSTANTS; NULL: there is no such page */
    uint32_t turns; /* not 0: whole states are compared between turns of warps, whose lengths are those of this seed
                     * instead of `quantum` (tests/turns/turns.h) */
    bool counts;    /* instructions are counted (sim/counts.h) and compared one by one; $NATIVE_COUNTS: always */
    bool shapes; /* pair_run_levels: the program runs in several shapes, each of them on every other level, in turn */
    bool
        concludes; /* the program is for what the translator concludes: pair_run_levels seldom takes the usual effort */
    bool convergent; /* code for convergent warps first, as when nobody has named `native` */
};

/* The nth of the host levels that this host has, a name for VENTUS_NATIVE_LEVEL; NULL: there are no more. In a build
 * with sanitizers only the highest and the lowest: the others run in the one without. */
const char *pair_level(unsigned n);

/* Fixtures of a group of tests that run the same programs several times, on other work-groups for example: they are
 * translated once. What is kept of them is in a folder that goes with the group. */
int pair_setup(void **state);
int pair_teardown(void **state);

/* Runs a program on `step` and on the best level of `native`; once more in turns if $NATIVE_TURNS is a seed for
 * `turns`. The test fails, with the program as its message, when they differ. Returns the fault or FAULT_NONE;
 * *translated is how many instructions ran in translated code. */
struct result pair_run(const struct pair *p, uint64_t *translated);

/* The same on the highest level and on another one, in turn, or on each with $NATIVE_ALL_LEVELS; with sanitizers on one
 * of them, and of shapes every other one. It also fails when nothing was translated. The translator takes its usual
 * effort on one of them and the least on the others. */
struct result pair_run_levels(const struct pair *p);

#endif
