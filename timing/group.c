/* Work-groups of an SM: their start, barriers, their end (section 11). */
#include "sim/layout.h"
#include "timing/model.h"

static struct resident *free_resident(struct core *c)
{
    struct resident *r = c->resident;
    while (r->group) r++;
    return r;
}

static struct slot_state *free_slot(struct core *c)
{
    struct slot_state *s = c->slot;
    while (s->group) s++;
    return s;
}

/* Slots are taken in order by the warps with the highest number first. */
void group_begun(struct model *m, const struct group *group)
{
    struct core *c = &m->cores[group_sm(group)];
    struct resident *r = free_resident(c);
    uint64_t at = m->begun + m->config.start_cycles;
    if (at < m->dispatch_next) at = m->dispatch_next;
    if (at <= m->now) at = m->now + 1;
    *r = (struct resident){.group = group, .warps = group->launch->warps, .flush_at = NEVER};
    m->resident_groups++;
    m->group_events++;
    for (uint32_t i = 0; i < r->warps; i++, at++) {
        struct slot_state *s = free_slot(c);
        *s = (struct slot_state){.warp = &group->warps[r->warps - 1 - i], .group = r, .start_at = at};
        c->starting |= 1ull << (s - c->slot);
    }
    m->dispatch_next = at;
}

static void start_warp(struct core *c, unsigned slot)
{
    struct slot_state *s = &c->slot[slot];
    if (s->start_at > c->model->now) return;
    EVENT0(c, "cta_disp", s->warp->wid, "0");
    EVENT(c, "warp_start", slot, s->warp->pc, "0");
    c->starting &= ~(1ull << slot);
    s->active = true;
    c->private_start[slot] = (uint32_t)private_address(s->warp, 0, 0);
    c->nactive++;
    front_jump(c, slot, s->warp->pc);
}

/* Without dirty lines the caches take the end of a group at once; only an SM that has nothing else flushes. */
static void end_group(struct core *c, struct resident *r)
{
    if (r->flush_at > c->model->now) return;
    for (struct resident *other = c->resident; other < c->resident + MOST_RESIDENT; other++)
        if (other != r && other->group) {
            *r = (struct resident){0};
            c->model->resident_groups--;
            return;
        }
    if (!lsu_empty(c)) return;
    EVENT0(c, "l1_inval", 0, "0");
    *r = (struct resident){0};
    c->model->resident_groups--;
    c->model->flushing++;
    l1d_flush(c);
    l1i_reset(c);
}

/* At the end of a cycle. */
void group_cycle(struct core *c)
{
    for (uint64_t left = c->starting; left; left &= left - 1) start_warp(c, (unsigned)__builtin_ctzll(left));
    for (unsigned i = 0; c->ending && i < MOST_RESIDENT; i++)
        if (c->resident[i].group && c->resident[i].flush_at != NEVER) {
            end_group(c, &c->resident[i]);
            c->ending -= !c->resident[i].group;
        }
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

/* A warp has executed endprg. The functional machine forgets it, and its group with the last one. */
void group_warp_ended(struct core *c, struct slot_state *s)
{
    struct resident *r = s->group;
    unsigned slot = (unsigned)(s - c->slot);
    front_drop(c, slot);
    EVENT0(c, "warp_end", slot, "0");
    c->nactive--;
    r->ended++;
    join_round(c);
    if (r->arrived && r->arrived == r->warps - r->ended) release(c, r);
    *s = (struct slot_state){0};
    if (r->ended < r->warps) return;
    c->model->group_events++;
    EVENT0(c, "cta_done", slot, "0");
    r->flush_at = c->round + c->model->config.end_cycles;
    c->ending++;
}
