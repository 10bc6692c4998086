/* The ray-tracing table of a warp: vsrt.w writes a row, vlrt.w reads it, each lane its own column.
 *
 * No public text says what the ray unit makes of the rows; they are plain storage here, zero when the group
 * starts. Groups without these instructions have none. Called by engines and group.c. */
#include <stdlib.h>

#include "sim/machine.h"

static struct ray_table *table_of(struct sm *sm, const struct warp *w)
{
    struct slot *slot = &sm->slots[w->group->slot];
    if (!slot->ray_tables) slot->ray_tables = calloc(w->group->launch->warps, sizeof *slot->ray_tables);
    return slot->ray_tables ? &slot->ray_tables[w->wid] : NULL;
}

void ray_forget(struct slot *slot)
{
    free(slot->ray_tables);
    slot->ray_tables = NULL;
}

static void copy_active(const struct warp *w, uint32_t *to, const uint32_t *from)
{
    for (uint32_t lanes = w->active; lanes; lanes &= lanes - 1) to[__builtin_ctz(lanes)] = from[__builtin_ctz(lanes)];
}

const char *ray_load(struct sm *sm, struct warp *w, const struct insn *in)
{
    struct ray_table *table = table_of(sm, w);
    if (!table) return "no host memory for the ray-tracing table";
    copy_active(w, w->v[in->rd], table->row[in->imm]);
    return NULL;
}

const char *ray_store(struct sm *sm, struct warp *w, const struct insn *in)
{
    struct ray_table *table = table_of(sm, w);
    if (!table) return "no host memory for the ray-tracing table";
    copy_active(w, table->row[in->imm], w->v[in->rs2]);
    return NULL;
}
