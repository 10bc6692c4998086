/* Which entries can be on top of the SIMT stack where masked code runs. A join pops the stack only if its top entry was
 * pushed for the join's address. Where the top can never be such an entry, the join falls through; where it always is
 * one that completes the mask, no masked code follows the join. */
#ifndef VENTUS_TRANSLATOR_SIMT_TOP_H
#define VENTUS_TRANSLATOR_SIMT_TOP_H

#include "translator/flow.h"

/* A set of: TOP_FULL, the stack is empty and all lanes are active; TOP_NONE, it is empty and the warp has fewer lanes;
 * and of joins, in the order of their addresses. Those behind the first ones share the last element. */
enum { TOP_FULL, TOP_NONE, TOP_JOIN, TOP_COUNT = 256 };
struct top_set {
    uint64_t bits[TOP_COUNT / 64];
};

struct top_set top_set_all(void);
struct top_set top_set_one(unsigned element);
static inline bool top_set_has(const struct top_set *t, unsigned element)
{
    return t->bits[element / 64] >> (element % 64) & 1;
}
bool top_set_is_empty(const struct top_set *t);

/* Without an element, unless several joins share it. */
struct top_set top_set_without(struct top_set t, unsigned element);

/* Adds the elements of a set. Returns whether any is new. */
bool top_set_add(struct top_set *to, const struct top_set *from);

/* Joins, and the entries that can lie below those pushed for each: the tops at the vector branches that pushed them. */
struct joins {
    uint32_t *pcs; /* ascending */
    uint32_t count;
    struct top_set below[TOP_COUNT];
};

/* False: the host has no memory. */
bool joins_make(struct joins *j, const struct flow *f);
void joins_free(struct joins *j);

/* The element of entries that are pushed for an address; TOP_COUNT: it can be any. */
unsigned joins_element(const struct joins *j, uint32_t pc);

/* A vector branch whose reconvergence point is the join of an element diverges with one of `top` on top. Returns
 * whether that is new. */
bool joins_push(struct joins *j, unsigned element, const struct top_set *top);

/* Can an element lie in the stack below another one that is on top? */
bool joins_hides(const struct joins *j, const struct top_set *top, unsigned element);

#endif
