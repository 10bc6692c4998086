/* Where lanes meet that a divergent branch has sent different ways: the rules of meet.c, and the guards that they
 * build. */
#ifndef VENTUS_MEET_H
#define VENTUS_MEET_H

#include "compiler/analysis/analysis.h"

/* ---- worth.c ---- */
/* A guard costs some instructions: what is executed less often must be worth so many, about. */
enum { MEET_WORTH = 8 };
/* What marked blocks (f->nblocks bytes) are worth, at most MEET_WORTH or a little more; loops that lie in more than
 * `depth` others several times. */
unsigned meet_worth(const struct func *f, const uint8_t *marks, uint32_t depth);

/* ---- guard.c ---- */
/* A guard has at most so many places to go to. */
enum { GUARD_PLACES = 4 };
/* A guard that is to be built; all numbers are those of blocks. */
struct guard {
    struct cc *cc;
    const struct func *f;
    const uint32_t *idom; /* immediate dominators */
    uint32_t head;        /* it dominates what is in front */
    const uint8_t *front; /* marks what is in front: edges from there to the places are to lead to the guard */
    uint32_t places[GUARD_PLACES], nplaces;
};
/* Adds a place, unless it is one; false: there are too many. */
bool guard_add_place(struct guard *g, uint32_t place);
/* There are at least two places. What is known of the function does not hold any more. */
void guard_build(const struct guard *g);

/* ---- the rules: each makes one change if it can ---- */
bool exits_change(struct cc *cc, struct func *f);  /* exits.c */
bool shared_change(struct cc *cc, struct func *f); /* shared.c */

#endif
