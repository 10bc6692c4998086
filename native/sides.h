/* Where lanes wait: on both sides of a vector branch, until a join lets one of them go on. */
#ifndef VENTUS_NATIVE_SIDES_H
#define VENTUS_NATIVE_SIDES_H

#include "native/flow.h"

struct sides {
    struct side {
        uint32_t pc, rpc; /* where it waits, and the join that ends the wait; 0: any */
    } * list;
    size_t count;
};

struct fact_table;

/* Both sides of every vector branch, for any join. False: the host has no memory. */
bool sides_make(struct sides *sides, const struct flow *flow);
void sides_free(struct sides *sides);

/* Finds their joins: where facts tell what `setrpc` sets in the block of the branch. */
void sides_find_joins(struct sides *sides, const struct fact_table *facts);

/* The next one behind `side` (NULL: the first) that may wait for a join (NULL: for any), each address once. NULL: there
 * is none. They are those that wait in translated code: when control may come from code that is in no block
 * (facts->closed), `step` may leave others behind. */
const struct side *side_next(const struct sides *sides, const struct node *join, const struct side *side);

#endif
