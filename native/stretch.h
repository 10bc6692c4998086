/* A stretch: consecutive groups of an SM's claim whose warps all begin and end in translated code, without barriers,
 * but for those that a group's only warp passes. The machine's records of such warps and groups are not updated one by
 * one but when the stretch is over, before anything reads them. Inline because translated code includes it
 * (translator/rows.c). */
#ifndef VENTUS_NATIVE_STRETCH_H
#define VENTUS_NATIVE_STRETCH_H

#include "native/native.h"
#include "sim/next.h"

/* Instructions since the stretch began behind which none of its groups begins: the machine looks at what other threads
 * may want of it. A guess. */
enum { STRETCH_MOST = 1 << 16 };

/* sm->group has just followed another one, and its first warp is to run, `done` instructions after the call of the
 * translated code. No stretch begins in a last group with other lanes, or goes on with it. */
static inline void stretch_begin(struct sm *sm, struct native_state *s, uint32_t done)
{
    uint32_t alike = group_alike(sm->group), left = sm->claim.until - sm->claim.next;
    if (!alike) return;
    s->stretch_end = sm->follow_end;
    s->stretch_groups = s->stretch_left = left < alike ? left : alike - 1;
    s->stretch_most = done + STRETCH_MOST;
    s->stretch_local = sm->slots[sm->group->slot].lds_open;
}

/* sm->warp comes to its end. True: another one has become sm->warp, which begins, and nothing watched (WATCHED_BASE)
 * has been written; false: nothing has changed. */
static inline bool stretch_next(struct sm *sm, struct native_state *s, uint32_t done)
{
    struct warp *w = sm->warp;
    struct group *g = sm->group;
    if (!s->stretch_end || !w->blank || g->reservations) return false;
    if (g->local_end && !local_is_clean(g, s->stretch_local)) return false;
    if (++w == s->stretch_end) {
        if (!s->stretch_left || done > s->stretch_most) return false;
        s->stretch_left--;
        group_advance(g);
        if (g->local_end) local_clean(sm, g);
        w = g->warps;
    }
    sm->warp = w;
    return true;
}

/* Ends the stretch, if there is one: sm->warp runs, those in front of it have ended, and the machine knows. */
static inline void stretch_settle(struct sm *sm, struct native_state *s)
{
    struct group *g = sm->group;
    struct claim *c = &sm->claim;
    if (!s->stretch_end) return;
    uint32_t begun = s->stretch_groups - s->stretch_left;
    c->next += begun;
    c->ended += begun;
    g->counters.groups += begun;
    g->counters.warps += (uint64_t)begun * g->launch->warps;
    g->ended = (uint32_t)(sm->warp - g->warps);
    for (struct warp *w = g->warps; w < sm->warp; w++) w->state = WARP_ENDED;
    sm->follow = sm->warp + 1;
    s->stretch_end = NULL;
}

#endif
