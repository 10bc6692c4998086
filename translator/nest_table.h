/* What a loop nest (nest.h) is to the function that counts its iterations: constants beside the translated code. */
#ifndef VENTUS_TRANSLATOR_NEST_TABLE_H
#define VENTUS_TRANSLATOR_NEST_TABLE_H

#include "native/native.h"

enum { NEST_BLOCKS = 64, NEST_LEVELS = 8, NEST_BRANCHES = 32 };

/* So many lanes run before it is decided whether the others do. */
enum { NEST_FIRST = 4 };

/* A lane's record of an iteration is a few words in native_tried.records, behind that of the iteration before and of
 * loops in it. A bit says that the lane has executed some blocks, or has gone one way at a divergent branch;
 * NEST_AGAIN, that another iteration follows. */
enum { NEST_AGAIN = 31, NEST_WORDS = 4, NEST_BITS = 8 * 64 };

/* Numbers of 32 bits throughout. A place is where the depth of the SIMT stack is what it is in front of the iteration
 * (0), or as the last branch i has left it for its other path (1 + 2 * i) or for the one of its target (2 + 2 * i). A
 * count is the number of a bit as NEST_COUNT says. */
struct nest_table {
    uint32_t nbits, nbranches; /* of all levels, whose bits begin with a new word */
    struct nest_table_level {
        uint32_t words, bit, branch, nbranches, child, nchildren; /* the first of each, and how many */
        uint32_t back;                                            /* the place of the way to the next iteration */
    } level[NEST_LEVELS];
    struct nest_table_child {
        uint32_t level, place;
        uint32_t entered; /* bit: the lane enters it */
    } child[NEST_LEVELS];
    struct nest_table_branch {
        uint32_t block, side; /* counts of lanes that execute it, and of those that go one way, ... */
        uint32_t taken;       /* ... to its target (1) or the other one (0) */
        uint32_t place;
        uint32_t join[NATIVE_COUNTS]; /* what its join counts */
    } branch[NEST_BRANCHES];
    struct nest_table_bit {
        uint32_t counts[NATIVE_COUNTS]; /* of the blocks that it is for */
    } bit[NEST_BITS];                   /* nbits of them are there */
};

/* The lanes that have a bit are counted in bytes: for the bits of a word, in those of eight words. */
#define NEST_COUNT(bit) ((bit) / 32 * 32 + (bit) % 8 * 4 + (bit) % 32 / 8)

#endif
