/* The next work-group of a launch takes the place of one that ends, in the simplest case: its local memory and its
 * warps are all that has to be reset. The functions are inline because they are also a part of translated code
 * (translator/rows.c), which goes from group to group by itself. */
#ifndef VENTUS_SIM_NEXT_H
#define VENTUS_SIM_NEXT_H

#include "sim/machine.h"
#include "sim/mstatus.h"

enum { START_VTYPE = 2 << 3 /* e32, m1 */ };

static inline bool group_is_cancelled(const struct group *g)
{
    const _Atomic bool *cancel = g->job->options.cancel;
    return cancel && *cancel;
}

/* Moves the group to the next place in the grid, without a division: but for its number. */
static inline void index_advance(struct group *g)
{
    const uint32_t *groups = g->launch->groups;
    if (++g->index[0] < groups[0]) return;
    g->index[0] = 0;
    if (++g->index[1] < groups[1]) return;
    g->index[1] = 0;
    if (++g->index[2] == groups[2]) g->index[2] = 0;
}

static inline void group_advance(struct group *g)
{
    g->wgid++;
    index_advance(g);
}

/* Have the last warps of several groups fewer lanes than others? */
static inline bool launch_is_mixed(const struct launch *l)
{
    bool fewer = l->work_items % l->threads_per_warp != 0, rows = l->last_of < 2 && l->groups[l->last_of + 1] > 1;
    return (fewer && l->warps > 1) || (l->last_items && (rows || (!l->last_of && l->groups[2] > 1)));
}

/* Returns how many groups, of which this is the first one, have the same lanes before there is one with others. */
static inline uint32_t group_alike(const struct group *g)
{
    const struct launch *l = g->launch;
    return l->last_items ? l->groups[l->last_of] - 1 - g->index[l->last_of] : UINT32_MAX;
}

/* Do all its lanes take part in the next instruction? */
static inline bool warp_is_full(const struct warp *w)
{
    return w->mask == w->lanes && w->vl == w->group->launch->threads_per_warp;
}

/* Resets what instructions may have changed, but for the mask, to the state at a warp's beginning. The SIMT stack and
 * reserved addresses stay: they are written before they are read. */
static inline void warp_reset(struct warp *w)
{
    w->words = w->group->start;
    w->copies = NULL;
    w->left = 0;
    w->blank = true;
}

/* The same of a warp that has not left translated code, which has stored nothing but that: where, if it was the last
 * one of a round. */
static inline void warp_start_again(struct warp *w)
{
    w->pc = w->group->start[0];
    w->state = WARP_READY;
}

/* Counts a group whose warps have been started. */
static inline void group_count(struct group *g)
{
    g->ended = 0;
    g->counters.groups++;
    g->counters.warps += g->launch->warps;
}

enum { CLEARED_MOST = 16384, CLEARED_STEP = 64 /* bytes: 256 stores of a cache line at most; a guess */ };

/* Volatile: of a loop of others the translator's compiler makes a call of memset, which translated code cannot reach.
 */
typedef uint64_t clear_step __attribute__((vector_size(CLEARED_STEP), aligned(1)));

/* Has the group, whose last warp ends, written to nothing but a little of its local memory, of which so many bytes are
 * open, as far as that is noted? */
static inline bool local_is_clean(const struct group *g, uint64_t open)
{
    const bool little = g->local_from < g->local_end && g->local_end - g->local_from <= CLEARED_MOST;
    return !g->local_end || (little && g->local_end <= open);
}

/* Resets its local memory, of which whole steps are there. */
static inline void local_clean(const struct sm *sm, struct group *g)
{
    for (uint32_t at = g->local_from & -CLEARED_STEP; at < g->local_end; at += CLEARED_STEP)
        *(volatile clear_step *)(sm->mem + g->lds_base + at) = (clear_step){0};
    g->local_from = UINT32_MAX;
    g->local_end = 0;
}

/* Does the group, whose last warp ends, leave nothing that takes long to reset? */
static inline bool group_is_clean(const struct sm *sm, const struct group *g)
{
    bool clean = local_is_clean(g, sm->slots[g->slot].lds_open) && !g->reservations;
    for (uint32_t i = 0; i < g->launch->warps; i++) {
        const struct warp *w = &g->warps[i];
        clean &= w->blank || (warp_is_full(w) && !w->copies);
    }
    return clean;
}

/* Resets its local memory and its warps. */
static inline void group_clean(const struct sm *sm, struct group *g)
{
    local_clean(sm, g);
    for (struct warp *w = g->warps, *end = w + g->launch->warps; w < end; w++)
        if (w->blank) warp_start_again(w);
        else warp_reset(w);
}

/* Is the next group of the SM's claim the one behind this one in the grid, and may it begin? */
static inline bool group_has_next(const struct sm *sm, const struct group *g)
{
    const struct claim *c = &sm->claim;
    const struct slot *slot = &sm->slots[g->slot];
    return c->next != c->until && c->next == g->wgid + 1 && c->run == slot->run && c->next < *slot->limit &&
           !slot->ray_tables && !group_is_cancelled(g);
}

/* The SM has begun with one more group of its claim. */
static inline void claim_advance(struct claim *c)
{
    c->ended++;
    c->advanced = true;
}

/* The last warp of sm->group ends in a round. True: the next group of the SM's claim has taken its place, and the
 * round goes on with its warps; false: nothing has changed. */
static inline bool group_follow(struct sm *sm)
{
    struct group *g = sm->group;
    if (!sm->follow || g->ended + 1 < g->launch->warps || !group_has_next(sm, g) || !group_is_clean(sm, g))
        return false;
    if (g->launch->last_items && group_alike(g) < 2) return false; /* its last warp has other lanes */
    sm->claim.next++;
    claim_advance(&sm->claim);
    group_advance(g);
    group_clean(sm, g);
    group_count(g);
    sm->follow = g->warps;
    return true;
}

#endif
