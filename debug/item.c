/* Work-items as threads: their numbers, where each stands, and what it waits for.
 *
 * A lane that is not in the mask of its warp stands where the SIMT stack says: at the other side of a branch, or at the
 * join that the rest of its warp has not yet reached. */
#include <string.h>

#include "debug/parts.h"
#include "isa/abi.h"

/* ---- numbers ---- */

/* Work-items are numbered through all launches of a machine, those of a group consecutively. */
static tid first_tid(const struct group *g)
{
    uint64_t each = (uint64_t)g->launch->warps * g->launch->threads_per_warp;
    return ((g->launch_number - 1) << 40) + g->wgid * each + TID_DEVICE + 1;
}

tid item_tid(struct item item)
{
    if (!item.warp) return TID_DEVICE;
    return first_tid(item.warp->group) + item.warp->tid + item.lane;
}

static bool lives(struct item item) { return item.warp->state != WARP_ENDED && (item.warp->lanes >> item.lane & 1); }

bool item_find(const struct debugger *d, tid t, struct item *item)
{
    *item = (struct item){0};
    if (t == TID_DEVICE) return true;
    for (size_t i = 0; i < d->ngroups; i++) {
        const struct launch *l = d->groups[i]->launch;
        uint64_t at = t - first_tid(d->groups[i]);
        if (at >= (uint64_t)l->warps * l->threads_per_warp) continue;
        *item = (struct item){&d->groups[i]->warps[at / l->threads_per_warp], (uint32_t)(at % l->threads_per_warp)};
        return lives(*item);
    }
    return false;
}

tid item_named(const struct debugger *d, uint64_t number)
{
    if (d->lldb || number > UINT32_MAX || number <= TID_DEVICE) return number;
    if ((uint32_t)d->past == number) return d->past;
    for (size_t i = 0; i < d->ngroups; i++) {
        const struct launch *l = d->groups[i]->launch;
        const tid first = first_tid(d->groups[i]);
        const uint32_t at = (uint32_t)number - (uint32_t)first;
        if (at < (uint64_t)l->warps * l->threads_per_warp) return first + at;
    }
    return number;
}

uint32_t first_lane(uint32_t lanes) { return lanes ? (uint32_t)__builtin_ctz(lanes) : ISA_LANES; }

/* ---- which of them are threads ---- */

static bool is_shown(const struct debugger *d, struct item item)
{
    struct item at;
    if (!lives(item)) return false;
    if (d->filter.what == SHOW_ALL || !item_find(d, d->shown_stop, &at) || !at.warp) return true;
    if (d->filter.what == SHOW_GROUP) return item.warp->group == at.warp->group;
    return item.warp == at.warp && (d->filter.what == SHOW_WARP || item.lane == at.lane);
}

static bool each_of_warp(const struct debugger *d, struct warp *w, bool (*each)(void *user, struct item item),
                         void *user)
{
    for (uint32_t lane = 0; lane < w->group->launch->threads_per_warp; lane++)
        if (is_shown(d, (struct item){w, lane}) && !each(user, (struct item){w, lane})) return false;
    return true;
}

void items_each(const struct debugger *d, bool (*each)(void *user, struct item item), void *user)
{
    for (size_t g = 0; g < d->ngroups; g++)
        for (uint32_t i = 0; i < d->groups[g]->launch->warps; i++)
            if (!each_of_warp(d, &d->groups[g]->warps[i], each, user)) return;
}

/* ---- where it stands ---- */

/* The entry of the SIMT stack at which a lane waits; NULL: none. */
static const struct simt_entry *waits_at(struct item item)
{
    const struct warp *w = item.warp;
    if (w->mask >> item.lane & 1) return NULL;
    for (uint32_t i = w->depth; i-- > 0;)
        if (w->stack[i].mask >> item.lane & 1) return &w->stack[i];
    return NULL;
}

uint32_t item_pc(struct item item)
{
    if (!item.warp) return 0;
    const struct simt_entry *e = waits_at(item);
    return e ? e->pc : item.warp->pc;
}

bool item_is_active(struct item item)
{
    return item.warp && item.warp->state == WARP_READY && (item.warp->active >> item.lane & 1);
}

/* ---- ids ---- */

static uint32_t metadata(const struct warp *w, uint32_t at)
{
    const uint32_t *word = warp_memory(w, w->group->launch->knl + at, 4);
    uint32_t value = 0;
    if (word) memcpy(&value, word, sizeof value);
    return value;
}

void item_ids(struct item item, uint32_t local[3], uint32_t global[3])
{
    uint32_t left = item.warp->tid + item.lane;
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t size = metadata(item.warp, ABI_META_LOCAL_SIZE + 4 * i);
        local[i] = size ? left % size : i ? 0 : left;
        left = size ? left / size : i ? left : 0;
        global[i] = metadata(item.warp, ABI_META_GLOBAL_OFFSET + 4 * i) + item.warp->group->index[i] * size + local[i];
    }
}

/* ---- in words ---- */

void item_name(struct text *t, struct item item)
{
    uint32_t local[3], global[3];
    if (!item.warp) {
        text_add(t, "device");
        return;
    }
    item_ids(item, local, global);
    text_add(t, "(%u,%u,%u)", global[0], global[1], global[2]);
}

static void add_place(struct text *t, const struct debugger *d, uint32_t pc)
{
    uint32_t line = d->info && d->info->line ? d->info->line(d->info->user, pc) : 0;
    text_add(t, "0x%08x", pc);
    if (line) text_add(t, " (line %u)", line);
}

void item_state(struct text *t, const struct debugger *d, struct item item)
{
    const struct warp *w = item.warp;
    const struct simt_entry *e = w ? waits_at(item) : NULL;
    if (!w) {
        text_add(t, d->launch ? "no work-group has begun" : "no kernel runs");
    } else if (w->state == WARP_ENDED || !(w->lanes >> item.lane & 1)) {
        text_add(t, "ended");
    } else if (e && e->pc == e->rpc) {
        text_add(t, "waits at join ");
        add_place(t, d, e->rpc);
    } else if (e) {
        text_add(t, "waits for its side of the branch, join ");
        add_place(t, d, e->rpc);
    } else if (w->state == WARP_WAITING) {
        text_add(t, "waits at a barrier");
    } else if (w->state == WARP_WAITING_DMA) {
        text_add(t, "waits for copies");
    } else {
        text_add(t, item_is_active(item) ? "active" : "off: its number is not below vl");
    }
}

void item_describe(struct text *t, const struct debugger *d, struct item item)
{
    if (item.warp) {
        const uint32_t *g = item.warp->group->index;
        text_add(t, "group (%u,%u,%u) warp %u lane %u, ", g[0], g[1], g[2], item.warp->wid, item.lane);
    }
    item_state(t, d, item);
}
