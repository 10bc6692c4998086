/* Which warp runs next under a debugger: as by default, round robin in large pieces, or one warp alone while the others
 * are held (gdb's scheduler-locking).
 *
 * The order without holding is the default scheduler's (sim/schedule.c), so that a program does under the debugger what
 * it does without, on one host thread. */
#include <stdlib.h>

#include "debug/parts.h"

enum { GROUP_QUANTA = 16, PATIENCE = 16 }; /* as in sim/schedule.c: warps are to take the same turns */

struct turn {
    bool begun;
    struct group *group; /* whose warps have their turns, NULL: each has had */
    uint32_t warp;       /* the next one of them */
    uint64_t end;        /* as in sim/schedule.c */
};

static void begin_group(const struct debugger *d, struct turn *t, struct group *g)
{
    t->group = g;
    t->warp = 0;
    if (g) t->end = g->counters.instructions + GROUP_QUANTA * gpu_config_of(d->gpu)->quantum;
}

static struct warp *next_ready(struct turn *t)
{
    while (t->warp < t->group->launch->warps) {
        struct warp *w = &t->group->warps[t->warp++];
        if (w->state == WARP_READY) return w;
    }
    return NULL;
}

static bool some_ready(const struct group *g)
{
    for (uint32_t i = 0; i < g->launch->warps; i++)
        if (g->warps[i].state == WARP_READY) return true;
    return false;
}

static void end_round(const struct debugger *d, struct turn *t)
{
    group_wake(t->group);
    t->warp = 0;
    if (t->group->counters.instructions >= t->end || !some_ready(t->group)) begin_group(d, t, t->group->next);
}

static struct warp *pick_round(struct debugger *d, struct turn *t, struct group *groups, uint64_t *budget)
{
    if (!t->begun) begin_group(d, t, groups);
    t->begun = true;
    *budget = gpu_config_of(d->gpu)->quantum;
    for (; t->group; end_round(d, t)) {
        struct warp *w = next_ready(t);
        if (!w) continue;
        if (t->group->patient) *budget *= PATIENCE;
        return w;
    }
    t->begun = false;
    return NULL;
}

/* The warp that is alone. When it waits, the machine gets a chance to let it go on (group_wake), and then the debugger
 * is told. */
static struct warp *pick_alone(struct debugger *d, uint32_t sm, uint64_t *budget)
{
    struct item item;
    d->bent = true;
    *budget = gpu_config_of(d->gpu)->quantum;
    if (item_find(d, d->order.alone, &item) && item.warp) {
        if (group_sm(item.warp->group) != sm) return NULL;
        if (item.warp->state == WARP_READY) return item.warp;
        if (!d->idle_turn) return d->idle_turn = true, NULL;
        machine_pause(d, "the work-item waits for warps that are held (scheduler-locking)");
    } else {
        d->executes = true;
        machine_pause(d, "the work-item has ended");
    }
    return NULL;
}

static struct warp *pick(void *user, uint32_t sm, struct group *groups, uint64_t *budget)
{
    struct debugger *d = user;
    if (d->attention) machine_pause(d, NULL);
    return d->order.alone ? pick_alone(d, sm, budget) : pick_round(d, &d->turns[sm], groups, budget);
}

static void removed(void *user, uint32_t sm, const struct group *group)
{
    struct debugger *d = user;
    if (d->turns[sm].group == group) begin_group(d, &d->turns[sm], group->next);
}

bool scheduler_open(struct debugger *d)
{
    struct scheduler s = {.user = d, .pick = pick, .removed = removed};
    d->turns = calloc(gpu_config_of(d->gpu)->sms, sizeof *d->turns);
    if (d->turns) gpu_schedule(d->gpu, &s);
    return d->turns;
}

void scheduler_begin(struct debugger *d)
{
    for (uint32_t sm = 0; sm < gpu_config_of(d->gpu)->sms; sm++) d->turns[sm] = (struct turn){0};
}

void scheduler_close(struct debugger *d)
{
    if (d->turns) gpu_schedule(d->gpu, NULL);
    free(d->turns);
    d->turns = NULL;
}
