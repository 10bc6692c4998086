/* The paths of vector branches, in the order of the blocks. A join can pop only paths of branches whose reconvergence
 * point it is; where that is not known, each join needs a switch over all paths. */
#include "translator/paths.h"

#include <stdlib.h>

#include "translator/facts.h"

static const struct node *vector_branch(const struct flow *f, const struct block *b)
{
    const struct node *last = b->count ? &f->nodes[b->first + b->count - 1] : NULL;
    return last && last->how == HOW_CONTROL && last->effects.control == CONTROL_VBRANCH ? last : NULL;
}

bool paths_make(struct paths *s, const struct flow *f)
{
    *s = (struct paths){.list = malloc((2 * f->nblocks + 1) * sizeof *s->list)};
    for (size_t i = 0; i < f->nblocks && s->list; i++) {
        const struct node *branch = vector_branch(f, &f->blocks[i]);
        if (!branch) continue;
        s->list[s->count++] = (struct path){node_target(branch), 0, false};
        s->list[s->count++] = (struct path){node_next(branch), 0, false};
    }
    return s->list != NULL;
}

void paths_free(struct paths *s) { free(s->list); }

/* ---- their joins ---- */

static struct path *paths_of(const struct paths *s, const struct node *branch)
{
    struct path *path = s->list;
    while (path[1].pc != node_next(branch) || path[0].pc != node_target(branch)) path += 2;
    return path;
}

uint32_t paths_rpc(const struct paths *s, const struct node *branch) { return paths_of(s, branch)->rpc; }

bool paths_reach(struct paths *s, const struct flow *f, const struct block *b, uint32_t rpc)
{
    const struct node *branch = vector_branch(f, b);
    if (!branch) return false;
    struct path *path = paths_of(s, branch);
    uint32_t both = !path->waits || path->rpc == rpc ? rpc : 0;
    bool more = !path->waits || path->rpc != both;
    path[0].rpc = path[1].rpc = both;
    path[0].waits = path[1].waits = true;
    return more;
}

/* ---- of a join ---- */

bool path_waits_for(const struct path *path, const struct node *join)
{
    return !join || (path->waits && (!path->rpc || path->rpc == join->pc));
}

static bool is_first_of_address(const struct paths *s, const struct node *join, const struct path *path)
{
    const struct path *first = s->list;
    while (first->pc != path->pc || !path_waits_for(first, join)) first++;
    return first == path;
}

const struct path *path_next(const struct paths *s, const struct node *join, const struct path *path)
{
    for (path = path ? path + 1 : s->list; path < s->list + s->count; path++)
        if (path_waits_for(path, join) && is_first_of_address(s, join, path)) return path;
    return NULL;
}

bool path_is_only_one(const struct paths *s, const struct node *join, const struct path *path)
{
    bool only = true;
    for (size_t i = 0; i < s->count; i++) {
        const struct path *same = &s->list[i], *other = &s->list[i ^ 1];
        if (same->pc == path->pc && path_waits_for(same, join))
            only &= same->rpc == join->pc && other->pc == join->pc && same->pc != join->pc;
    }
    return only;
}
