/* Where lanes wait: on both sides of a vector branch, until a join lets one of them go on. */
#ifndef VENTUS_TRANSLATOR_SIDES_H
#define VENTUS_TRANSLATOR_SIDES_H

#include "translator/flow.h"

struct sides {
    struct side {
        uint32_t pc, rpc; /* where it waits, and the join that ends the wait; 0: any */
        bool waits;       /* control reaches its branch: without that it waits for none */
    } * list;
    size_t count;
};

/* Both sides of every vector branch; none waits yet. False: the host has no memory. */
bool sides_make(struct sides *sides, const struct flow *flow);
void sides_free(struct sides *sides);

/* Control reaches the branch at the end of a block when `setrpc` has set rpc; 0: it is not known what. Returns whether
 * its sides may wait for more joins than before. */
bool sides_reach(struct sides *sides, const struct flow *flow, const struct block *block, uint32_t rpc);

/* The join for which the sides of a vector branch wait; 0: it is not known. */
uint32_t sides_rpc(const struct sides *sides, const struct node *branch);

/* The next one behind `side` (NULL: the first) that may wait for a join (NULL: for any), each address once. NULL: there
 * is none. They are those that wait in translated code: when control may come from code that is in no block
 * (facts->closed), `step` may leave others behind. */
const struct side *side_next(const struct sides *sides, const struct node *join, const struct side *side);

/* Does the other side, which goes first where this one waits for the join, have nothing to do, so that the join is the
 * next instruction behind the branch? Of all branches to which the address is a side. */
bool side_is_only_one(const struct sides *sides, const struct node *join, const struct side *side);

#endif
