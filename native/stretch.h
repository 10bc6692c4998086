/* A stretch: consecutive groups of an SM's claim whose warps all begin and end in translated code. The machine's
 * records of such warps and groups are not updated one by one but when the stretch is over, before anything reads them.
 * Inline because translated code includes it (translator/rows.c).
 *
 * Groups of several warps pass barriers in rounds: from one barrier, or the beginning, each warp in turn runs to the
 * next one, the same for all, or its end. */
#ifndef VENTUS_NATIVE_STRETCH_H
#define VENTUS_NATIVE_STRETCH_H

#include "native/native.h"
#include "sim/next.h"

/* Instructions since the stretch began behind which none of its groups begins: the machine looks at what other threads
 * may want of it. A guess. */
enum { STRETCH_MOST = 1 << 18 };

/* What a warp of the translated code may have done that ends a stretch, or has to be undone for the group behind it. In
 * front of a stretch none has: all warps of its first group begin. */
enum stretch_asks {
    STRETCH_ASKS_BLANK = 1,    /* it may have stored registers without leaving the code */
    STRETCH_ASKS_RESERVED = 2, /* or reserved words, ... */
    STRETCH_ASKS_LOCAL = 4,    /* ... or have noted in its group what it has written */
    STRETCH_ASKS_ROUNDS = 8,   /* groups of several warps pass barriers */
};

/* None of the warps of sm->group has begun, and the first one is to run, `done` instructions after the call of the
 * translated code. No stretch begins in a last group with other lanes, or goes on with it. */
static inline void stretch_begin(struct sm *sm, struct native_state *s, uint32_t done)
{
    uint32_t alike = group_alike(sm->group), left = sm->claim.until - sm->claim.next;
    if (!alike) return;
    s->stretch_last = sm->follow_end - 1;
    s->stretch_groups = s->stretch_left = left < alike ? left : alike - 1;
    s->stretch_most = done + STRETCH_MOST;
    s->stretch_local = sm->slots[sm->group->slot].lds_open;
    s->round_entry = NATIVE_START;
    s->round_waits = s->round_stored = 0;
}

/* sm->warp, which is w of group g, comes to its end. Has it done something that ends the stretch? `asks`: what the
 * code's warps may have done, a constant. */
static inline bool stretch_is_over(const struct native_state *s, const struct group *g, const struct warp *w,
                                   uint32_t asks)
{
    if (asks & STRETCH_ASKS_BLANK && !w->blank) return true;
    if (asks & STRETCH_ASKS_RESERVED && g->reservations) return true;
    return asks & STRETCH_ASKS_LOCAL && g->local_end && !local_is_clean(g, s->stretch_local);
}

/* It was the last one of the group, which has not ended the stretch. True: the next group has taken its place, and its
 * first warp is to become sm->warp; false: nothing has changed. */
static inline bool stretch_next_group(const struct sm *sm, struct native_state *s, struct group *g, uint32_t done,
                                      uint32_t asks)
{
    if (!s->stretch_left || done > s->stretch_most) return false;
    s->stretch_left--;
    index_advance(g);
    if (asks & STRETCH_ASKS_LOCAL && g->local_end) local_clean(sm, g);
    if (asks & STRETCH_ASKS_ROUNDS) s->round_entry = NATIVE_START;
    return true;
}

/* All warps of the group have come to the barrier in front of pc: the next round begins. */
static inline void round_passes(struct native_state *s, struct group *g, uint32_t entry, uint32_t pc)
{
    s->round_entry = entry;
    s->round_pc = pc;
    s->round_waits = 0;
    s->round_stored = 1;
    g->counters.barriers += g->launch->warps;
}

/* A warp that has stored its registers at the barrier in front of pc. */
static inline void round_leave(const struct native_state *s, struct warp *w, uint32_t pc, enum warp_state state)
{
    w->pc = pc;
    w->state = state;
    w->left = s->number;
    w->blank = false;
    w->x[0] = 0; /* it has been blank so far */
}

/* What is to be said of the other warps of sm->warp's round, where they have stored registers. */
static inline void round_settle(const struct sm *sm, struct native_state *s)
{
    struct group *g = sm->group;
    struct warp *w = g->warps, *end = w + g->launch->warps;
    const uint32_t waits = s->round_waits;
    for (; w < sm->warp; w++) round_leave(s, w, waits, waits ? WARP_WAITING : WARP_ENDED);
    if (waits) g->counters.barriers += (uint64_t)(w - g->warps);
    g->ended = waits ? 0 : (uint32_t)(w - g->warps);
    for (w++; w < end; w++)
        if (s->round_entry == NATIVE_START) warp_reset(w);
        else round_leave(s, w, s->round_pc, WARP_READY);
    if (s->round_entry == NATIVE_START) return;
    s->follow_pc = s->round_pc;
    s->follow_entry = s->round_entry;
    s->follow_budget = s->barrier_budget;
}

/* Ends the stretch, if there is one: sm->warp runs, those in front of it have ended, and the machine knows. */
static inline void stretch_settle(struct sm *sm, struct native_state *s)
{
    struct group *g = sm->group;
    struct claim *c = &sm->claim;
    if (!s->stretch_last) return;
    uint32_t begun = s->stretch_groups - s->stretch_left;
    c->next += begun;
    c->ended += begun;
    g->wgid += begun;
    g->counters.groups += begun;
    g->counters.warps += (uint64_t)begun * g->launch->warps;
    if (s->round_waits || s->round_stored) {
        round_settle(sm, s);
    } else {
        g->ended = (uint32_t)(sm->warp - g->warps);
        for (struct warp *w = g->warps; w < sm->warp; w++) w->state = WARP_ENDED;
    }
    sm->follow = sm->warp + 1;
    s->stretch_last = NULL;
    s->stretch_left = 0;
}

#endif
