/* The default scheduler: round robin with long turns.
 *
 * A group keeps the SM for many quanta, so that it usually ends within them and its registers stay in the host's
 * caches; a group that waits for another one still lets it run. This file knows no more of the machine than any
 * scheduler does (schedule.h). */
#include "sim/schedule.h"

#include <stdlib.h>
#include <string.h>

enum { GROUP_QUANTA = 16 }; /* histogram, fft, bfs, tiny of bench/ on one thread: half and twice 0.98 to 1.02 */

/* A routine that stands for an operation has some hundred instructions. The engine `native` replaces them by one
 * operation of the host unless a quantum ends among them, so groups with routines get longer quanta. Half and
 * twice: 0.94 to 1.11 of the time of those kernels, for no clear reason; a guess. */
enum { PATIENCE = 16 };

/* How far an SM is in its time slice. Each place has a cache line of its own, because SMs run on several processors. */
struct place {
    _Alignas(64) bool begun; /* the slice; if so: */
    struct group *group;     /* the one that runs, NULL: every group has run */
    bool ran;                /* a round of it */
    uint64_t end;            /* count of the group's instructions at which the next one runs */
};

struct rotation {
    uint64_t quantum;
    struct place places[]; /* of each SM */
};

struct rotation *rotation_new(uint32_t sms, uint64_t quantum)
{
    size_t size = sizeof(struct rotation) + sms * sizeof(struct place);
    struct rotation *r = aligned_alloc(_Alignof(struct rotation), size);
    if (!r) return NULL;
    memset(r, 0, size);
    r->quantum = quantum;
    return r;
}

void rotation_free(struct rotation *r) { free(r); }

static void begin_group(const struct rotation *r, struct place *p, struct group *g)
{
    p->group = g;
    p->ran = false;
    if (g) p->end = g->counters.instructions + GROUP_QUANTA * r->quantum;
}

/* Returns the warp that begins a round; NULL: all warps wait. */
static struct warp *first_ready(const struct group *g)
{
    struct warp *w = g->warps, *end = w + g->launch->warps;
    while (w < end && w->state != WARP_READY) w++;
    return w < end ? w : NULL;
}

static void end_round(const struct rotation *r, struct place *p)
{
    group_wake(p->group);
    if (p->group->counters.instructions >= p->end) begin_group(r, p, p->group->next);
}

static struct warp *pick(void *user, uint32_t sm, struct group *groups, uint64_t *budget)
{
    struct rotation *r = user;
    struct place *p = &r->places[sm];
    if (!p->begun) begin_group(r, p, groups);
    p->begun = true;
    *budget = r->quantum;
    if (p->group && p->ran) end_round(r, p);
    for (; p->group; end_round(r, p)) {
        struct warp *w = first_ready(p->group);
        p->ran = true;
        if (!w) continue;
        if (p->group->patient) *budget *= PATIENCE;
        return w;
    }
    p->begun = false;
    return NULL;
}

static void removed(void *user, uint32_t sm, const struct group *group)
{
    struct rotation *r = user;
    if (r->places[sm].group == group) begin_group(r, &r->places[sm], group->next);
}

static uint64_t keeps(void *user, uint32_t sm)
{
    const struct rotation *r = user;
    return r->places[sm].end;
}

/* Quanta of this length and more end late; whoever sets a shorter one wants to have it. The number is a guess, a tenth
 * of the usual quantum. */
enum { LATE_LEAST = 1000 };

struct scheduler rotation_scheduler(struct rotation *r)
{
    const bool late = r->quantum >= LATE_LEAST;
    return (struct scheduler){
        .user = r, .pick = pick, .removed = removed, .rounds = true, .late = late, .keeps = keeps};
}
