/* Sets of elements of the SIMT stack; facts.c says where which of them may be on top. */
#include "translator/tops.h"

#include <stdlib.h>
#include <string.h>

enum { SHARED = TOPS - 1 };

struct tops tops_all(void)
{
    struct tops t;
    memset(&t, 0xff, sizeof t);
    return t;
}

struct tops tops_one(unsigned element)
{
    struct tops t = {{0}};
    if (element >= TOPS) return tops_all();
    t.bits[element / 64] = 1ull << (element % 64);
    return t;
}

bool tops_is_empty(const struct tops *t)
{
    uint64_t any = 0;
    for (unsigned i = 0; i < TOPS / 64; i++) any |= t->bits[i];
    return !any;
}

struct tops tops_without(struct tops t, unsigned element)
{
    if (element < SHARED) t.bits[element / 64] &= ~(1ull << (element % 64));
    return t;
}

bool tops_add(struct tops *to, const struct tops *from)
{
    bool more = false;
    for (unsigned i = 0; i < TOPS / 64; i++) {
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
    if (low == j->count || j->pcs[low] != pc) return TOPS;
    return low < SHARED - TOP_JOIN ? TOP_JOIN + low : SHARED;
}

bool joins_push(struct joins *j, unsigned element, const struct tops *top)
{
    bool more = false;
    for (unsigned i = element < TOPS ? element : TOP_JOIN; i < TOPS && (i == element || element == TOPS); i++)
        more |= tops_add(&j->below[i], top);
    return more;
}

bool joins_hides(const struct joins *j, const struct tops *top, unsigned element)
{
    struct tops above = tops_without(*top, element), below = {{0}};
    for (bool more = true; more;) {
        more = false;
        for (unsigned i = TOP_JOIN; i < TOPS; i++)
            if (tops_has(&above, i) || tops_has(&below, i)) more |= tops_add(&below, &j->below[i]);
    }
    return tops_has(&below, element);
}
