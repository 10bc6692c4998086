/* Work-groups of an SM: their start, barriers, their end (section 11). */
#include "sim/layout.h"
#include "timing/model.h"

static struct resident *free_resident(struct core *c)
{
    struct resident *r = c->resident;
    while (r->group) r++;
    return r;
}

/* The lowest one; NULL: none, because warps that were given up still have instructions on their way. */
static struct slot_state *free_slot(struct core *c)
{
    for (struct slot_state *s = c->slot; s < c->slot + c->nslots; s++)
        if (!s->group && !s->drains) return s;
    return NULL;
}

/* ---- start ---- */

void group_begun(struct model *m, const struct group *group)
{
    struct core *c = &m->cores[group_sm(group)];
    struct resident *r = free_resident(c);
    struct running *launch = running_of(m, group);
    m->changes++;
    if (!launch || m->hung) return; /* the machine completes it alone */
    uint64_t at = launch->begun + m->config.start_cycles;
    if (at < m->dispatch_next) at = m->dispatch_next;
    if (at <= m->now) at = m->now + 1;
    *r = (struct resident){
        .group = group, .launch = launch, .warps = group->launch->warps, .start_at = at, .flush_at = NEVER};
    c->starting += r->warps;
    m->dispatch_next = at + r->warps;
}

/* The warp with the highest number first. False: its time has not come, or no slot is free. */
static bool start_warp(struct core *c, struct resident *r)
{
    struct slot_state *s = r->start_at <= c->model->now ? free_slot(c) : NULL;
    if (!s) return false;
    unsigned slot = (unsigned)(s - c->slot);
    struct warp *w = &r->group->warps[r->warps - 1 - r->started++];
    *s = (struct slot_state){
        .warp = w, .group = r, .lanes = (uint8_t)r->group->launch->threads_per_warp, .started = c->front.started++};
    EVENT0(c, "cta_disp", w->wid, "0");
    EVENT(c, "warp_start", slot, w->pc, "0");
    r->start_at++;
    c->private_start[slot] = (uint32_t)private_address(w, 0, 0);
    c->active |= 1ull << slot;
    c->starting--;
    front_jump(c, slot, w->pc);
    return true;
}

/* An SM gets one warp in a cycle. */
static void start_one(struct core *c)
{
    for (struct resident *r = c->resident; r < c->resident + MOST_RESIDENT; r++)
        if (r->started < r->warps && start_warp(c, r)) return;
}

/* ---- the end, in the caches ---- */

/* The end of the group has been through the caches. */
static void leave(struct core *c, struct resident *r)
{
    struct running *launch = r->launch;
    *r = (struct resident){0};
    c->ending--;
    if (launch && !--launch->groups_left) running_answer(c->model, launch);
}

static bool has_others(const struct core *c, const struct resident *r)
{
    for (const struct resident *other = c->resident; other < c->resident + MOST_RESIDENT; other++)
        if (other != r && other->group && other->launch == r->launch && !other->flushes) return true;
    return false;
}

/* An SM empties its caches for the last group of a launch that it has at the time, one launch after another. */
static void end_group(struct core *c, struct resident *r)
{
    if (r->flush_at > c->model->now || r->flushes) return;
    if (has_others(c, r)) {
        leave(c, r);
        return;
    }
    if (r->flush_at == c->model->now) EVENT0(c, "l1_inval", 0, "0");
    if (!lsu_empty(c) || c->l1d.flushing) return;
    r->flushes = true;
    l1d_flush(c);
    l1i_reset(c);
}

void group_flushed(struct core *c)
{
    struct resident *r = c->resident;
    while (!r->flushes) r++;
    leave(c, r);
}

/* At the end of a cycle. */
void group_cycle(struct core *c)
{
    if (c->starting) start_one(c);
    for (unsigned i = 0; c->ending && i < MOST_RESIDENT; i++)
        if (c->resident[i].group && c->resident[i].flush_at != NEVER) end_group(c, &c->resident[i]);
}

/* ---- barriers ---- */

static void release(struct core *c, struct resident *r)
{
    for (unsigned i = 0; i < c->nslots; i++)
        if (c->slot[i].group == r) c->slot[i].at_barrier = false;
    r->arrived = 0;
    group_wake((struct group *)r->group);
}

bool group_arrived(struct core *c, struct slot_state *s)
{
    struct resident *r = s->group;
    s->at_barrier = true;
    if (++r->arrived < r->warps - r->ended) return false;
    release(c, r);
    return true;
}

/* Ends of warps are collected in rounds of two cycles, three cycles apart. */
static void join_round(struct core *c)
{
    uint64_t now = c->model->now;
    if (now <= c->round + 1) return;
    c->round = now > c->round + 3 ? now : c->round + 3;
}

bool group_warp_ended(struct core *c, struct slot_state *s)
{
    struct resident *r = s->group;
    unsigned slot = (unsigned)(s - c->slot);
    front_drop(c, slot);
    EVENT0(c, "warp_end", slot, "0");
    c->active &= ~(1ull << slot);
    r->ended++;
    join_round(c);
    if (r->arrived && r->arrived == r->warps - r->ended) release(c, r);
    *s = (struct slot_state){0};
    if (r->ended == r->warps) {
        EVENT0(c, "cta_done", slot, "0");
        r->flush_at = c->round + c->model->config.end_cycles;
        c->ending++;
    }
    return --r->launch->warps_left;
}

/* ---- an end before its time ---- */

/* What the machine was to execute for the slot it never will. The instructions go on through the pipeline as if they
 * had no active lane, but for endprg, which has left it. */
static void drop_requests(struct core *c, unsigned slot)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < c->nrequests; i++)
        if (c->request[i]->slot != slot) c->request[kept++] = c->request[i];
        else if (c->request[i]->op->class == C_END) flight_free(c, c->request[i]);
    c->nrequests = kept;
    if (c->running && c->running->slot == slot) c->running = NULL;
}

/* The slot is free again when nothing of the warp is on its way. */
static void stop_warp(struct core *c, unsigned slot)
{
    struct slot_state *s = &c->slot[slot];
    front_drop(c, slot);
    drop_requests(c, slot);
    c->active &= ~(1ull << slot);
    *s = (struct slot_state){.lanes = s->lanes, .drains = c->on_way[slot] > 0};
}

void group_removed(struct core *c, const struct group *group)
{
    struct resident *r = c->resident, *end = r + MOST_RESIDENT;
    while (r < end && (r->group != group || r->ended == r->warps)) r++;
    if (r == end) return;
    for (unsigned i = 0; i < c->nslots; i++)
        if (c->slot[i].group == r) stop_warp(c, i);
    c->starting -= r->warps - r->started;
    running_abandon(c->model, r->launch);
    *r = (struct resident){0};
}
