/* What a loop nest (nest.h) is to the function that counts its iterations: constants beside the translated code. */
#ifndef VENTUS_TRANSLATOR_NEST_TABLE_H
#define VENTUS_TRANSLATOR_NEST_TABLE_H

#include "native/native.h"

enum { NEST_BLOCKS = 64, NEST_LEVELS = 8, NEST_BRANCHES = 32 };

/* So many lanes run before it is decided whether the others do. */
enum { NEST_FIRST = 4 };

/* An iteration of a loop is a node in native_tried.nodes: the next iteration, the first ones of loops in it, a mask of
 * lanes for each block, and for each divergent branch a mask of those that go to its target. 0: there is no such
 * iteration.
 *
 * Numbers of 32 bits throughout. A place is where the depth of the SIMT stack is what it is in front of the iteration
 * (0), or as the last branch i has left it for its other path (1 + 2 * i) or for the one of its target (2 + 2 * i). */
struct nest_table {
    uint32_t nblocks, nbranches;
    struct nest_table_level {
        uint32_t block, nblocks, branch, nbranches, child, nchildren; /* the first of each, and how many */
        uint32_t back;                                                /* the place of the way to the next iteration */
    } level[NEST_LEVELS];
    struct nest_table_child {
        uint32_t level, place;
    } child[NEST_LEVELS];
    struct nest_table_branch {
        uint32_t block; /* of its level's */
        uint32_t place;
        uint32_t join[NATIVE_COUNTS]; /* what its join counts */
    } branch[NEST_BRANCHES];
    struct nest_table_block {
        uint32_t counts[NATIVE_COUNTS];
    } block[NEST_BLOCKS];
};

#endif
