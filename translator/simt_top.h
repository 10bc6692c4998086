/* What may lie on top of the SIMT stack where masked code runs. A join lets lanes wait or meet only if the top of the
 * stack was pushed for its address: where that cannot be, no way leads on from there, and where nothing else can be, no
 * masked code follows it. */
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

/* Adds what is not there yet. Returns whether there is any such. */
bool top_set_add(struct top_set *to, const struct top_set *from);

/* Joins, and what may lie below what has been pushed for each: what was on top at the vector branches that pushed. */
struct joins {
    uint32_t *pcs; /* ascending */
    uint32_t count;
    struct top_set below[TOP_COUNT];
};

/* False: the host has no memory. */
bool joins_make(struct joins *j, const struct flow *f);
void joins_free(struct joins *j);

/* The element for what is pushed for an address; TOP_COUNT: it may be any of them. */
unsigned joins_element(const struct joins *j, uint32_t pc);

/* Lanes part when `top` may be on top, for the join of an element. Returns whether that is new. */
bool joins_push(struct joins *j, unsigned element, const struct top_set *top);

/* May there be an element in the stack below one of `top`, which is not that element itself? */
bool joins_hides(const struct joins *j, const struct top_set *top, unsigned element);

#endif
