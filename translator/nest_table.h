/* What a loop nest (nest.h) is to the function that counts its iterations: constants beside the translated code. */
#ifndef VENTUS_TRANSLATOR_NEST_TABLE_H
#define VENTUS_TRANSLATOR_NEST_TABLE_H

#include "native/native.h"

/* A set of blocks is a word of 64 bits. Levels and branches bound the translator's tables: guesses. */
enum { NEST_BLOCKS = 64, NEST_LEVELS = 8, NEST_BRANCHES = 32 };

/* So many lanes run before it is decided whether the others do: a guess. */
enum { NEST_FIRST = 4 };

/* Records of iterations, in native_tried.records, are shared by the lanes that execute them: of each, the next one of
 * its loop, the first ones of the loops in it, and how many lanes have each of its bits. A bit says that a lane has
 * executed some blocks, or has gone one way at a divergent branch. Records are words of 64 bits: pointers, of which
 * NULL is none, and numbers that are bytes; bits of a level fill up words of eight. */
enum { NEST_BITS = NEST_BLOCKS + NEST_BRANCHES + 8 * NEST_LEVELS, NEST_WORDS = (NEST_BLOCKS + NEST_BRANCHES) / 8 };

/* Numbers of 32 bits throughout. */
struct nest_table {
    uint32_t nbits, nbranches; /* of all levels, whose bits begin with a new word */
    struct nest_table_branch {
        uint32_t join[NATIVE_COUNTS]; /* what its join counts */
    } branch[NEST_BRANCHES];
    struct nest_table_bit {
        uint32_t counts[NATIVE_COUNTS]; /* of the blocks that it is for */
    } bit[NEST_BITS];                   /* nbits of them are there */
};

/* Aligned alike for all processors that this is compiled for. */
typedef uint32_t nest_words __attribute__((vector_size(32), aligned(32)));

/* What the iterations of some lanes count. */
struct nest_sums {
    nest_words executed[NEST_BITS / 8],
        lanes[NEST_BITS / 8];                  /* of each bit: in how many iterations, and of how many lanes in all */
    uint32_t deepest, diverged[NEST_BRANCHES]; /* of the SIMT stack; how often each branch has */
};

#endif
