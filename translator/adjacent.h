/* Loads of a block that read adjacent bytes in each lane: along the rows of a matrix, parts of vectors, bytes and half
 * words of a word. They become one wide load a lane where the lanes' addresses are scattered. */
#ifndef VENTUS_TRANSLATOR_ADJACENT_H
#define VENTUS_TRANSLATOR_ADJACENT_H

#include "translator/flow.h"

enum { ADJACENT_BYTES = 16 };

struct adjacent {
    const struct node *first; /* of the loads, which all have its address register; NULL: there are none */
    const struct node *end;   /* behind the last of them */
    int32_t imm;              /* of the first byte */
    int32_t bytes;            /* none is so far behind it */
    unsigned words;           /* 1, 2 or 4 */
    unsigned count;           /* loads */
};

/* Those that begin with n, a load of all lanes' own addresses: nothing between them stores, or writes the register. */
struct adjacent adjacent_find(const struct flow *flow, const struct block *block, const struct node *n);

/* The same of lanes that are `step` bytes from each other, 8 or 16: all that is in those of n, from a multiple of the
 * step on. */
struct adjacent adjacent_in_step(const struct flow *flow, const struct block *block, const struct node *n,
                                 uint32_t step);

/* The same of lanes that are `step` bytes from each other: of all that is in so many bytes from the first one on. */
struct adjacent adjacent_within(const struct flow *flow, const struct block *block, const struct node *n,
                                uint32_t step);

/* Is n one of them? */
bool adjacent_has(const struct adjacent *set, const struct node *n);

#endif
