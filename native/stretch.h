/* A stretch: consecutive groups of an SM's claim whose warps all begin and end in translated code. The machine's
 * records of such warps and groups are not updated one by one but when the stretch is over, before anything reads them.
 * What happens to each warp or group is inline, because translated code includes it (translator/rows.c).
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

enum { COUNTED_MOST = 1 << 25 /* instructions of a call at the end of a group; 32 bits count lanes up to then */ };

/* Would the group go on behind a barrier, with a new quantum for each warp, if the machine were asked? */
static inline bool group_keeps_sm(const struct sm *sm, const struct native_state *s, uint32_t done)
{
    const bool later = done > COUNTED_MOST || sm->group->counters.instructions + done >= sm->keeps;
    return s->barrier_budget && !later;
}

/* Ends the stretch, if there is one: sm->warp runs, those in front of it have ended, and the machine knows. */
void stretch_settle(struct sm *sm, struct native_state *s);

/* A warp begins that the machine has chosen. With the first one of a group whose warps all begin a stretch does, too,
 * so that they pass barriers in rounds. */
void stretch_enter(struct sm *sm, struct native_state *s);

/* sm->warp has come to its end, `done` instructions after the call of the translated code. Makes the next one sm->warp,
 * as slice_next would, and returns its entry; NATIVE_NOWHERE: that is not simple, and sm->warp is the same. The first
 * does not know of stretches, which the second ends and begins. */
uint32_t next_behind_end(struct sm *sm, struct native_state *s, uint32_t done);
uint32_t next_behind_stretch(struct sm *sm, struct native_state *s, uint32_t done);

/* The same as next_behind_stretch for one that waits at a barrier, behind which it would go on at `behind`, with the
 * lanes of `mask`. */
uint32_t next_behind_barrier(struct sm *sm, struct native_state *s, uint32_t done, uint32_t mask, uint32_t behind);

#endif
