/* The default scheduler: round robin, in large pieces.
 *
 * A group keeps the SM for many quanta, so that it usually ends within them and its registers stay in the host's
 * caches; a group that waits for another one still lets it run. Knows nothing of the machine but what any scheduler
 * does (schedule.h). */
#include "sim/schedule.h"

#include <stdlib.h>

enum { GROUP_QUANTA = 16 };

/* Where an SM is in its time slice. */
struct place {
    bool begun;               /* the slice; if so: */
    struct group *group;      /* the one that runs, NULL: every group has run */
    struct warp *next, *last; /* the warps that are left in the group's round */
    uint64_t end;             /* count of the group's instructions at which the next one runs */
};

struct rotation {
    uint64_t quantum;
    struct place places[]; /* of each SM */
};

struct rotation *rotation_new(uint32_t sms, uint64_t quantum)
{
    struct rotation *r = calloc(1, sizeof *r + sms * sizeof *r->places);
    if (r) r->quantum = quantum;
    return r;
}

void rotation_free(struct rotation *r) { free(r); }

static void begin_round(struct place *p)
{
    p->next = p->group->warps;
    p->last = p->next + p->group->launch->warps;
}

static void begin_group(const struct rotation *r, struct place *p, struct group *g)
{
    p->group = g;
    if (!g) return;
    p->end = g->counters.instructions + GROUP_QUANTA * r->quantum;
    begin_round(p);
}

/* In the rest of the group's round; NULL: it is over. */
static struct warp *next_ready(struct place *p)
{
    while (p->next < p->last) {
        struct warp *w = p->next++;
        if (w->state == WARP_READY) return w;
    }
    return NULL;
}

static struct warp *pick(void *user, uint32_t sm, struct group *groups, uint64_t *budget)
{
    struct rotation *r = user;
    struct place *p = &r->places[sm];
    if (!p->begun) begin_group(r, p, groups);
    p->begun = true;
    *budget = r->quantum;
    while (p->group) {
        struct warp *w = next_ready(p);
        if (w) return w;
        group_wake(p->group);
        if (p->group->counters.instructions >= p->end) begin_group(r, p, p->group->next);
        else begin_round(p);
    }
    p->begun = false;
    return NULL;
}

static void removed(void *user, uint32_t sm, const struct group *group)
{
    struct rotation *r = user;
    if (r->places[sm].group == group) begin_group(r, &r->places[sm], group->next);
}

struct scheduler rotation_scheduler(struct rotation *r) { return (struct scheduler){r, pick, removed}; }
