/* Where inactive lanes wait: at the beginning of either path of a vector branch, until a join pops that path. */
#ifndef VENTUS_TRANSLATOR_PATHS_H
#define VENTUS_TRANSLATOR_PATHS_H

#include "translator/flow.h"

struct paths {
    struct path {
        uint32_t pc, rpc; /* where it waits, and the join that ends the wait; 0: any */
        bool waits;       /* control reaches its branch: without that it waits for none */
    } * list;
    size_t count;
};

/* Both paths of every vector branch; none waits yet. False: the host has no memory. */
bool paths_make(struct paths *paths, const struct flow *flow);
void paths_free(struct paths *paths);

/* The branch at the end of a block is reached with this reconvergence point; 0: it is not known. Returns whether that
 * is new. */
bool paths_reach(struct paths *paths, const struct flow *flow, const struct block *block, uint32_t rpc);

/* The reconvergence point of a vector branch; 0: it is not known. */
uint32_t paths_rpc(const struct paths *paths, const struct node *branch);

/* The next one behind `path` (NULL: the first) that may wait for a join (NULL: for any), each address once. NULL: there
 * is none. They are those that wait in translated code: when control may come from code that is in no block
 * (facts->closed), `step` may leave others behind. */
const struct path *path_next(const struct paths *paths, const struct node *join, const struct path *path);

/* May lanes wait on the path for this join (NULL: for any)? */
bool path_waits_for(const struct path *path, const struct node *join);

/* Does the other path, which goes first where this one waits for the join, have nothing to do, so that the join is the
 * next instruction behind the branch? Of all branches to which the address is a path. */
bool path_is_only_one(const struct paths *paths, const struct node *join, const struct path *path);

#endif
