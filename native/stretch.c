/* Stretches of groups, where they begin and end, and warps that follow one another without one. See stretch.h. */
#include "native/stretch.h"

static bool has_lanes(const struct native_state *s, const struct warp *w) { return !s->lanes || w->lanes == s->lanes; }

/* None of the warps of sm->group has begun, and the first one is to run, `done` instructions after the call of the
 * translated code. No stretch begins in a last group with other lanes, or goes on with it. */
static void stretch_begin(struct sm *sm, struct native_state *s, uint32_t done)
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

/* The entry of a warp of the round: where warps begin, or the one at which this one has come in. */
static uint32_t entry_in_round(const struct native_state *s, const struct warp *w)
{
    if (w->state != WARP_READY || !has_lanes(s, w)) return NATIVE_NOWHERE;
    if (w->blank) return s->start_budget ? NATIVE_START : NATIVE_NOWHERE;
    return w->pc == s->follow_pc && may_take(w) && s->follow_budget ? s->follow_entry : NATIVE_NOWHERE;
}

/* The warp behind it in its round becomes the one that runs, for `done` instructions less than the budget says. */
static void run_next(struct sm *sm, struct native_state *s, uint32_t entry, uint32_t done)
{
    sm->warp = sm->follow++;
    s->budget = done + (entry == NATIVE_START ? s->start_budget : s->follow_budget);
}

/* A warp that has stored its registers at the barrier in front of pc. */
static void round_leave(const struct native_state *s, struct warp *w, uint32_t pc, enum warp_state state)
{
    w->pc = pc;
    w->state = state;
    w->left = s->number;
    w->blank = false;
    w->x[0] = 0; /* it has been blank so far */
}

/* What is to be said of the other warps of sm->warp's round, where they have stored registers. */
static void round_settle(const struct sm *sm, struct native_state *s)
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

void stretch_settle(struct sm *sm, struct native_state *s)
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

uint32_t next_behind_end(struct sm *sm, struct native_state *s, uint32_t done)
{
    struct warp *w = sm->warp;
    if (w->copies) return NATIVE_NOWHERE;
    if (sm->follow < sm->follow_end) {
        uint32_t entry = entry_in_round(s, sm->follow);
        if (entry == NATIVE_NOWHERE) return entry;
        w->state = WARP_ENDED;
        w->group->ended++;
        run_next(sm, s, entry, done);
        return entry;
    }
    if (!s->start_budget || done > COUNTED_MOST || !has_lanes(s, sm->group->warps)) return NATIVE_NOWHERE;
    if (!group_follow(sm)) return NATIVE_NOWHERE;
    run_next(sm, s, NATIVE_START, done);
    return NATIVE_START;
}

void stretch_enter(struct sm *sm, struct native_state *s)
{
    const struct group *g = sm->group;
    const struct warp *w = g->warps, *end = w + g->launch->warps;
    if (s->stretch_last || sm->warp != w || !s->start_budget || sm->follow != w + 1 || sm->follow_end != end) return;
    while (w < end && w->blank && has_lanes(s, w)) w++;
    if (w == end) stretch_begin(sm, s, 0);
}

uint32_t next_behind_stretch(struct sm *sm, struct native_state *s, uint32_t done)
{
    const bool stored = s->stretch_last && s->round_stored;
    stretch_settle(sm, s);
    if (stored) sm->warp->blank = false; /* it is to be reset */
    bool last = sm->follow == sm->follow_end;
    uint32_t entry = next_behind_end(sm, s, done);
    if (last && entry == NATIVE_START) stretch_begin(sm, s, done);
    return entry;
}

/* Have all warps of the group come to the barrier, and do they go on? */
static bool group_passes(const struct sm *sm, const struct native_state *s, uint32_t done)
{
    const struct group *g = sm->group;
    const struct warp *w = sm->warp, *first = g->warps;
    if (!group_keeps_sm(sm, s, done) || group_is_cancelled(g)) return false;
    for (const struct warp *other = first; other < w; other++)
        if (other->state != WARP_WAITING) return false;
    return w + 1 == first + g->launch->warps && first->pc == w->pc && has_lanes(s, first) && may_take(first);
}

/* The last warp of a round has come to a barrier: the next round, of all warps of the group, begins with the first. */
static uint32_t round_behind_barrier(struct sm *sm, struct native_state *s, uint32_t done, uint32_t entry)
{
    struct warp *w = sm->warp;
    struct group *g = sm->group;
    if (entry == NATIVE_NOWHERE || !group_passes(sm, s, done)) return NATIVE_NOWHERE;
    for (struct warp *other = g->warps; other < w; other++) other->state = WARP_READY;
    w->left = s->number;
    g->counters.barriers++;
    s->follow_pc = w->pc;
    s->follow_entry = entry;
    s->follow_budget = s->barrier_budget;
    sm->follow = g->warps;
    run_next(sm, s, entry, done);
    __atomic_thread_fence(__ATOMIC_ACQ_REL);
    return entry;
}

uint32_t next_behind_barrier(struct sm *sm, struct native_state *s, uint32_t done, uint32_t mask, uint32_t behind)
{
    struct warp *w = sm->warp;
    stretch_settle(sm, s);
    if (mask != w->mask) return NATIVE_NOWHERE;
    if (sm->follow >= sm->follow_end) return round_behind_barrier(sm, s, done, behind);
    uint32_t entry = entry_in_round(s, sm->follow);
    if (entry == NATIVE_NOWHERE) return entry;
    w->state = WARP_WAITING;
    w->left = s->number;
    w->group->counters.barriers++;
    run_next(sm, s, entry, done);
    return entry;
}
