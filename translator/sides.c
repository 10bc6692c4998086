/* Sides of vector branches, in the order of the blocks. A join lets the two go on that its address was set for: without
 * facts every side may wait for every join, which takes a switch over all of them at each. */
#include "translator/sides.h"

#include <stdlib.h>

#include "translator/facts.h"

static const struct node *vector_branch(const struct flow *f, const struct block *b)
{
    const struct node *last = b->count ? &f->nodes[b->first + b->count - 1] : NULL;
    return last && last->how == HOW_CONTROL && last->effects.control == CONTROL_VBRANCH ? last : NULL;
}

bool sides_make(struct sides *s, const struct flow *f)
{
    *s = (struct sides){.list = malloc((2 * f->nblocks + 1) * sizeof *s->list)};
    for (size_t i = 0; i < f->nblocks && s->list; i++) {
        const struct node *branch = vector_branch(f, &f->blocks[i]);
        if (!branch) continue;
        s->list[s->count++] = (struct side){node_target(branch), 0, false};
        s->list[s->count++] = (struct side){node_next(branch), 0, false};
    }
    return s->list != NULL;
}

void sides_free(struct sides *s) { free(s->list); }

/* ---- their joins ---- */

static struct side *sides_of(const struct sides *s, const struct node *branch)
{
    struct side *side = s->list;
    while (side[1].pc != node_next(branch) || side[0].pc != node_target(branch)) side += 2;
    return side;
}

uint32_t sides_rpc(const struct sides *s, const struct node *branch) { return sides_of(s, branch)->rpc; }

bool sides_reach(struct sides *s, const struct flow *f, const struct block *b, uint32_t rpc)
{
    const struct node *branch = vector_branch(f, b);
    if (!branch) return false;
    struct side *side = sides_of(s, branch);
    uint32_t both = !side->waits || side->rpc == rpc ? rpc : 0;
    bool more = !side->waits || side->rpc != both;
    side[0].rpc = side[1].rpc = both;
    side[0].waits = side[1].waits = true;
    return more;
}

/* ---- of a join ---- */

static bool may_wait_for(const struct side *side, const struct node *join)
{
    return !join || (side->waits && (!side->rpc || side->rpc == join->pc));
}

static bool is_first_of_address(const struct sides *s, const struct node *join, const struct side *side)
{
    const struct side *first = s->list;
    while (first->pc != side->pc || !may_wait_for(first, join)) first++;
    return first == side;
}

const struct side *side_next(const struct sides *s, const struct node *join, const struct side *side)
{
    for (side = side ? side + 1 : s->list; side < s->list + s->count; side++)
        if (may_wait_for(side, join) && is_first_of_address(s, join, side)) return side;
    return NULL;
}

bool side_is_only_one(const struct sides *s, const struct node *join, const struct side *side)
{
    bool only = true;
    for (size_t i = 0; i < s->count; i++) {
        const struct side *same = &s->list[i], *other = &s->list[i ^ 1];
        if (same->pc == side->pc && may_wait_for(same, join))
            only &= same->rpc == join->pc && other->pc == join->pc && same->pc != join->pc;
    }
    return only;
}
