/* What a loop nest (nest.h) is to the function that counts its iterations: constants beside the translated code. */
#ifndef VENTUS_TRANSLATOR_NEST_TABLE_H
#define VENTUS_TRANSLATOR_NEST_TABLE_H

#include "native/native.h"

/* A set of blocks is a word of 64 bits. Levels and branches bound the translator's tables: guesses. */
enum { NEST_BLOCKS = 64, NEST_LEVELS = 8, NEST_BRANCHES = 32 };

/* So many lanes run before it is decided whether the others do: a guess. */
enum { NEST_FIRST = 4 };

/* A lane's record of an iteration is a few words in native_tried.records, behind that of the iteration before and of
 * loops in it. A bit says that the lane has executed some blocks, or has gone one way at a divergent branch;
 * NEST_AGAIN, that another iteration follows. */
enum { NEST_AGAIN = 31, NEST_WORDS = 4, NEST_BITS = 8 * 64 };

/* Numbers of 32 bits throughout. */
struct nest_table {
    uint32_t nbits, nbranches; /* of all levels, whose bits begin with a new word */
    struct nest_table_level {
        uint32_t words, child, nchildren; /* of a record; loops in it: the first and how many */
    } level[NEST_LEVELS];
    struct nest_table_child {
        uint32_t entered; /* bit: the lane enters it */
    } child[NEST_LEVELS];
    struct nest_table_branch {
        uint32_t join[NATIVE_COUNTS]; /* what its join counts */
    } branch[NEST_BRANCHES];
    struct nest_table_bit {
        uint32_t counts[NATIVE_COUNTS]; /* of the blocks that it is for */
    } bit[NEST_BITS];                   /* nbits of them are there */
};

/* The lanes that have a bit are counted in bytes: for the bits of a word, in those of eight words. */
#define NEST_COUNT(bit) ((bit) / 32 * 32 + (bit) % 8 * 4 + (bit) % 32 / 8)

/* Aligned alike for all processors that this is compiled for. */
typedef uint32_t nest_words __attribute__((vector_size(32), aligned(32)));

/* An iteration of some lanes: how many of them have each bit, as NEST_COUNT says, and which enter each loop in it. */
struct nest_iteration {
    nest_words count[NEST_WORDS];
    uint32_t entered[NEST_LEVELS];
};

/* What the iterations of some lanes count. */
struct nest_sums {
    nest_words executed[NEST_BITS / 8],
        lanes[NEST_BITS / 8];                  /* of each bit: in how many iterations, and of how many lanes in all */
    const uint32_t *next[ISA_LANES];           /* each lane's next record */
    uint32_t deepest, diverged[NEST_BRANCHES]; /* of the SIMT stack; how often each branch has */
};

#endif
