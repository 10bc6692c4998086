/* Sets of elements of the SIMT stack; facts.c says where which of them may be on top. */
#include "translator/simt_top.h"

#include <stdlib.h>
#include <string.h>

enum { SHARED = TOP_COUNT - 1 };

struct top_set top_set_all(void)
{
    struct top_set t;
    memset(&t, 0xff, sizeof t);
    return t;
}

struct top_set top_set_one(unsigned element)
{
    struct top_set t = {{0}};
    if (element >= TOP_COUNT) return top_set_all();
    t.bits[element / 64] = 1ull << (element % 64);
    return t;
}

bool top_set_is_empty(const struct top_set *t)
{
    uint64_t any = 0;
    for (unsigned i = 0; i < TOP_COUNT / 64; i++) any |= t->bits[i];
    return !any;
}

struct top_set top_set_without(struct top_set t, unsigned element)
{
    if (element < SHARED) t.bits[element / 64] &= ~(1ull << (element % 64));
    return t;
}

bool top_set_add(struct top_set *to, const struct top_set *from)
{
    bool more = false;
    for (unsigned i = 0; i < TOP_COUNT / 64; i++) {
        more |= (from->bits[i] & ~to->bits[i]) != 0;
        to->bits[i] |= from->bits[i];
    }
    return more;
}

bool joins_make(struct joins *j, const struct flow *f)
{
    *j = (struct joins){.pcs = malloc((f->nblocks + 1) * sizeof *j->pcs)};
    for (size_t i = 0; i < f->nblocks && j->pcs; i++) {
        const struct block *b = &f->blocks[i];
        const struct node *last = b->count ? &f->nodes[b->first + b->count - 1] : NULL;
        if (last && last->how == HOW_CONTROL && last->effects.control == CONTROL_JOIN) j->pcs[j->count++] = last->pc;
    }
    return j->pcs != NULL;
}

void joins_free(struct joins *j) { free(j->pcs); }

unsigned joins_element(const struct joins *j, uint32_t pc)
{
    uint32_t low = 0, high = j->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (j->pcs[middle] < pc) low = middle + 1;
        else high = middle;
    }
    if (low == j->count || j->pcs[low] != pc) return TOP_COUNT;
    return low < SHARED - TOP_JOIN ? TOP_JOIN + low : SHARED;
}

bool joins_push(struct joins *j, unsigned element, const struct top_set *top)
{
    bool more = false;
    for (unsigned i = element < TOP_COUNT ? element : TOP_JOIN; i < TOP_COUNT && (i == element || element == TOP_COUNT);
         i++)
        more |= top_set_add(&j->below[i], top);
    return more;
}

bool joins_hides(const struct joins *j, const struct top_set *top, unsigned element)
{
    struct top_set above = top_set_without(*top, element), below = {{0}};
    for (bool more = true; more;) {
        more = false;
        for (unsigned i = TOP_JOIN; i < TOP_COUNT; i++)
            if (top_set_has(&above, i) || top_set_has(&below, i)) more |= top_set_add(&below, &j->below[i]);
    }
    return top_set_has(&below, element);
}
