/* What may lie on top of the SIMT stack where masked code runs. A join lets lanes wait or meet only if the top of the
 * stack was pushed for its address: where that cannot be, no way leads on from there, and where nothing else can be, no
 * masked code follows it. */
#ifndef VENTUS_TRANSLATOR_TOPS_H
#define VENTUS_TRANSLATOR_TOPS_H

#include "translator/flow.h"

/* A set of: TOP_FULL, the stack is empty and all lanes are active; TOP_NONE, it is empty and the warp has fewer lanes;
 * and of joins, in the order of their addresses. Those behind the first ones share the last element. */
enum { TOP_FULL, TOP_NONE, TOP_JOIN, TOPS = 256 };
struct tops {
    uint64_t bits[TOPS / 64];
};

struct tops tops_all(void);
struct tops tops_one(unsigned element);
static inline bool tops_has(const struct tops *t, unsigned element)
{
    return t->bits[element / 64] >> (element % 64) & 1;
}
bool tops_is_empty(const struct tops *t);

/* Without an element, unless several joins share it. */
struct tops tops_without(struct tops t, unsigned element);

/* Adds what is not there yet. Returns whether there is any such. */
bool tops_add(struct tops *to, const struct tops *from);

/* Joins, and what may lie below what has been pushed for each: what was on top at the vector branches that pushed. */
struct joins {
    uint32_t *pcs; /* ascending */
    uint32_t count;
    struct tops below[TOPS];
};

/* False: the host has no memory. */
bool joins_make(struct joins *j, const struct flow *f);
void joins_free(struct joins *j);

/* The element for what is pushed for an address; TOPS: it may be any of them. */
unsigned joins_element(const struct joins *j, uint32_t pc);

/* Lanes part when `top` may be on top, for the join of an element. Returns whether that is new. */
bool joins_push(struct joins *j, unsigned element, const struct tops *top);

/* May there be an element in the stack below one of `top`, which is not that element itself? */
bool joins_hides(const struct joins *j, const struct tops *top, unsigned element);

#endif
