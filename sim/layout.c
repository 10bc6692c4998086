/* The layout of private and local memory. The engines' accesses, control registers, work-groups and checks turn an
 * offset into an address here, or ask whose memory an address is in. */
#include "sim/layout.h"

#include "sim/machine.h"

/* ---- private memory ---- */

uint64_t launch_private_bytes(const struct launch *l) { return private_group_bytes(l); }

uint32_t private_areas(const struct gpu_config *c, const struct launch *l)
{
    uint32_t most = c->sms * c->groups_per_sm;
    return l->pds_groups < most ? l->pds_groups : most;
}

uint32_t private_area(const struct launch *l, uint32_t number)
{
    return l->pds_base + number * (uint32_t)private_group_bytes(l);
}

bool private_fits(const struct gpu_config *c, const struct launch *l)
{
    uint64_t areas = private_areas(c, l), each = private_group_bytes(l);
    return l->pds_base + (areas ? areas : 1) * each <= MEM_SPAN;
}

/* In r2025 every warp has a part of its own, in which the words of its threads are interleaved. */
static bool is_per_warp(const struct warp *w) { return w->group->sm->gpu->config.profile == PROFILE_R2025; }

uint32_t private_base(const struct warp *w)
{
    const struct group *g = w->group;
    return g->pds_base + (is_per_warp(w) ? (uint32_t)private_item_bytes(g->launch) * w->tid : 0);
}

uint64_t private_address(const struct warp *w, uint64_t o, uint32_t lane)
{
    const struct launch *l = w->group->launch;
    uint32_t threads = l->threads_per_warp * (is_per_warp(w) ? 1 : l->warps), first = is_per_warp(w) ? 0 : w->tid;
    return private_base(w) + PRIVATE_OFFSET(o, threads, (uint64_t)(first + lane));
}

/* ---- local memory ---- */

/* Windows are a page further apart than an SM has local memory, so that a group that leaves its own window reaches a
 * closed page before it reaches another group's. */
uint32_t gpu_config_lds_stride(const struct gpu_config *c)
{
    uint32_t pages = (c->lds_bytes + ABI_PAGE - 1) / ABI_PAGE;
    bool alone = c->sms * c->groups_per_sm == 1; /* there is no other group's window */
    return (pages + !alone) * ABI_PAGE;
}

uint32_t local_base(const struct gpu_config *c, uint32_t sm, uint32_t slot)
{
    return ABI_LOCAL_BASE + (sm * c->groups_per_sm + slot) * gpu_config_lds_stride(c);
}
