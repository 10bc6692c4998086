/* Gives work-groups the resources of an SM, starts them, runs their warps as the scheduler says, and releases their
 * barriers.
 *
 * A warp that has ended counts as arrived at every barrier. dispatch.c calls these functions on the host thread of
 * the SM. */
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sim/dma.h"
#include "sim/layout.h"
#include "sim/next.h"

/* Returns how many adjacent warps wait for each other at cp_dma_mbarrier. The document's groups of four are threads
 * of one warp, which reach it together; those of the public RTL are warps. */
static uint32_t copy_group(const struct group *g)
{
    return isa_is_document((enum isa_profile)g->sm->gpu->config.profile) ? 1 : 4;
}

/* ---- resources ---- */

static bool last_group_fits(const struct launch *l)
{
    uint64_t lanes = (uint64_t)l->warps * l->threads_per_warp;
    for (uint32_t d = 0; d < l->last_of && d < 3; d++)
        if (l->groups[d] != 1) return false;
    return l->last_of < 3 && l->last_items <= lanes && l->last_items > lanes - l->threads_per_warp;
}

const char *group_check(const struct gpu_config *c, const struct launch *l)
{
    uint64_t lanes = (uint64_t)l->warps * l->threads_per_warp;
    if (!l->groups[0] || !l->groups[1] || !l->groups[2]) return "a dimension without work-groups";
    if ((uint64_t)l->groups[0] * l->groups[1] > UINT32_MAX / l->groups[2]) return "more than 2^32 work-groups";
    if (l->threads_per_warp < 1 || l->threads_per_warp > ISA_LANES) return "threads per warp must be 1 to 32";
    if (l->warps < 1 || l->warps > c->warps_per_sm) return "more warps than an SM holds";
    if (l->work_items < 1 || l->work_items > lanes || l->work_items <= lanes - l->threads_per_warp)
        return "work-items do not fit the warps";
    if (l->last_items && !last_group_fits(l)) return "work-items of the last group do not fit the warps";
    if (l->vgprs > ISA_VREGS || l->sgprs > ISA_XREGS) return "more registers than the architecture has";
    if ((uint64_t)l->warps * abi_registers(l->vgprs) > c->vgpr_rows) return "more vector registers than an SM has";
    if ((uint64_t)l->warps * abi_registers(l->sgprs) > c->sgpr_rows) return "more scalar registers than an SM has";
    if (l->lds_bytes > c->lds_bytes) return "more local memory than an SM has";
    if (!private_fits(c, l)) return "private memory beyond the address space";
    if (l->sv39 && l->page_table % ABI_PAGE) return "root page table that does not begin on a page";
    return NULL;
}

bool group_fits(const struct sm *sm, const struct launch *l)
{
    const struct gpu_config *c = &sm->gpu->config;
    return sm->slots_used < c->groups_per_sm && l->warps <= c->warps_per_sm - sm->warps_used &&
           l->warps * abi_registers(l->vgprs) <= c->vgpr_rows - sm->vgprs_used &&
           l->warps * abi_registers(l->sgprs) <= c->sgpr_rows - sm->sgprs_used &&
           l->lds_bytes <= c->lds_bytes - sm->lds_used;
}

/* Adds what a group of the launch uses, or takes it back (sign -1). */
static void account(struct sm *sm, const struct launch *l, int sign)
{
    uint32_t s = (uint32_t)sign;
    sm->slots_used += s;
    sm->warps_used += s * l->warps;
    sm->vgprs_used += s * l->warps * abi_registers(l->vgprs);
    sm->sgprs_used += s * l->warps * abi_registers(l->sgprs);
    sm->lds_used += s * l->lds_bytes;
}

/* Bytes of local memory, in whole pages. */
static uint64_t local_bytes(const struct launch *l)
{
    return ((uint64_t)l->lds_bytes + ABI_PAGE - 1) / ABI_PAGE * ABI_PAGE;
}

/* Returns a free slot; the caller knows that there is one. When kernels with more and with less local memory
 * alternate, each finds the slot that it had, because opening and closing pages takes system calls, during which
 * other threads wait. Where programs see the slot's number (CSR_WGID), it is the first free one, as in the hardware.
 */
static struct slot *free_slot(const struct sm *sm, uint64_t local)
{
    const bool numbered = !(sm->gpu->config.profile & ISA_IMPL);
    struct slot *end = sm->slots + sm->gpu->config.groups_per_sm, *first = NULL, *fresh = NULL;
    for (struct slot *s = sm->slots; s < end; s++) {
        if (s->used) continue;
        if (s->lds_open == local || numbered) return s;
        if (!first) first = s;
        if (!fresh && !s->lds_open) fresh = s;
    }
    return fresh ? fresh : first;
}

struct slot *group_place(struct sm *sm, const struct launch *l)
{
    struct slot *slot = free_slot(sm, local_bytes(l));
    uint32_t number = (uint32_t)(slot - sm->slots);
    slot->used = true;
    slot->group =
        (struct group){.launch = l, .sm = sm, .slot = number, .lds_base = slot->lds_base, .pds_base = l->pds_base};
    account(sm, l, 1);
    return slot;
}

void group_unlink(struct group *g)
{
    struct group **link = &g->sm->groups;
    while (*link != g) link = &(*link)->next;
    *link = g->next;
}

void group_remove(struct sm *sm, struct slot *slot)
{
    const struct launch *l = slot->group.launch;
    slot->used = false;
    account(sm, l, -1);
    for (uint32_t i = 0; i < l->warps && slot->group.warps; i++) dma_forget(&slot->group.warps[i]);
    if (slot->group.reservations) drop_reservations(sm, &slot->group);
}

/* Opens exactly the launch's local memory in the slot's window, even where somebody else has closed it. The start of
 * a group clears all of it. */
static bool open_local(struct sm *sm, struct slot *slot, const struct launch *l)
{
    uint64_t have = slot->lds_open, want = local_bytes(l);
    if (have && !mem_allows(sm->gpu, slot->lds_base, have, GPU_READ | GPU_WRITE)) have = 0;
    if (have > want) gpu_mem_shut(sm->gpu, (uint32_t)(slot->lds_base + want), have - want);
    slot->lds_open = have > want ? want : have;
    if (have < want) {
        if (!gpu_mem_open(sm->gpu, (uint32_t)(slot->lds_base + have), want - have, GPU_READ | GPU_WRITE)) return false;
        slot->lds_open = want;
    }
    return true;
}

static bool size_slot(struct slot *slot, size_t warps, size_t rows)
{
    if (rows == 0) rows = 1;
    if (warps > slot->nwarps) {
        free(slot->warps);
        slot->warps = aligned_alloc(64, warps * sizeof *slot->warps);
        slot->nwarps = slot->warps ? warps : 0;
    }
    if (rows > slot->nrows) {
        free(slot->rows);
        slot->rows = aligned_alloc(64, rows * sizeof *slot->rows);
        slot->nrows = slot->rows ? rows : 0;
    }
    return slot->warps && slot->rows;
}

/* ---- start ---- */

void group_set_place(struct group *g, uint32_t n)
{
    const uint32_t *groups = g->launch->groups;
    g->wgid = n;
    g->index[0] = n % groups[0];
    g->index[1] = n / groups[0] % groups[1];
    g->index[2] = n / groups[0] / groups[1];
}

static uint32_t items_of(const struct group *g)
{
    const struct launch *l = g->launch;
    return l->last_items && g->index[l->last_of] + 1 == l->groups[l->last_of] ? l->last_items : l->work_items;
}

/* Resets a warp to the state at its beginning; it keeps the place of its registers and its lanes. */
static void reset_warp(const struct slot *slot, struct warp *w)
{
    const bool full = warp_is_full(w);
    warp_reset(w);
    if (!full) warp_set_mask(w, w->lanes);
    if (!slot->engine->takes_blank || slot->group.observers) warp_clear(w);
}

static void start_warp(struct slot *slot, uint32_t wid)
{
    const struct launch *l = slot->group.launch;
    struct warp *w = &slot->warps[wid];
    uint32_t left = items_of(&slot->group) - wid * l->threads_per_warp;
    uint32_t n = left < l->threads_per_warp ? left : l->threads_per_warp;
    w->v = slot->rows + (size_t)wid * l->vgprs;
    w->group = &slot->group;
    w->lanes = n == 32 ? ~0u : (1u << n) - 1;
    w->wid = wid;
    w->tid = wid * l->threads_per_warp;
    w->mask = ~w->lanes; /* lanes that do not exist, so that reset_warp sets it */
    reset_warp(slot, w);
}

/* Clears the local memory that warps may have written. */
static void clear_local(struct sm *sm, struct slot *slot)
{
    struct group *g = &slot->group;
    const bool some = g->local_from < g->local_end && g->local_end <= slot->lds_open;
    const uint64_t from = some ? g->local_from : 0, end = some ? g->local_end : slot->lds_open;
    if (g->local_end) memset(sm->mem + slot->lds_base + from, 0, end - from);
    g->local_from = UINT32_MAX;
    g->local_end = slot->engine->says_local ? 0 : UINT32_MAX;
}

void group_start_again(struct sm *sm, struct slot *slot)
{
    struct group *g = &slot->group;
    clear_local(sm, slot);
    if (slot->ray_tables) ray_forget(slot);
    if (g->launch->sv39) translate_forget(sm);
    if (g->reservations) drop_reservations(sm, g);
    for (uint32_t i = 0; i < g->launch->warps; i++)
        if (g->launch->last_items) start_warp(slot, i);
        else if (slot->warps[i].blank) warp_start_again(&slot->warps[i]);
        else reset_warp(slot, &slot->warps[i]);
    group_count(g);
}

bool group_start(struct sm *sm, struct slot *slot)
{
    const struct launch *l = slot->group.launch;
    size_t rows = (size_t)l->warps * l->vgprs;
    if (!open_local(sm, slot, l) || !size_slot(slot, l->warps, rows)) return false;
    ray_forget(slot);
    if (l->sv39) translate_forget(sm);
    slot->group.local_end = UINT32_MAX;
    clear_local(sm, slot);
    slot->group.warps = slot->warps;
    slot->group.start =
        (reset_words){l->start_pc, l->threads_per_warp, START_VTYPE, csr_mstatus(MSTATUS_START), WARP_READY};
    for (uint32_t i = 0; i < l->warps; i++) start_warp(slot, i);
    group_count(&slot->group);
    return true;
}

/* ---- barriers ---- */

static bool waits(const struct warp *w) { return w->state == WARP_WAITING || w->state == WARP_WAITING_DMA; }

/* Lets the warps pass the barrier: none of them can run, and none waits for copies. */
static void release(struct group *g)
{
    for (uint32_t i = 0; i < g->launch->warps; i++)
        if (g->warps[i].state == WARP_WAITING) g->warps[i].state = WARP_READY;
    observe_released(g);
}

/* Lets adjacent warps that wait for their copies go on, if all of them wait or have ended. True: some go on. */
static bool release_adjacent(struct warp *first, struct warp *end)
{
    uint32_t running = 0, copying = 0;
    for (struct warp *w = first; w < end; w++) {
        running += !waits(w) && w->state != WARP_ENDED;
        copying += w->state == WARP_WAITING_DMA;
    }
    for (struct warp *w = first; w < end && copying && !running; w++) {
        dma_complete(w);
        if (w->state == WARP_WAITING_DMA) w->state = WARP_READY;
    }
    return copying && !running;
}

/* The copies of a copy group are complete once each of its warps waits or has ended, whatever the other warps of the
 * work-group do. True: some warp can go on. */
static bool release_copies(struct group *g)
{
    bool released = false;
    uint32_t adjacent = copy_group(g);
    for (uint32_t first = 0; first < g->launch->warps; first += adjacent) {
        uint32_t last = first + adjacent < g->launch->warps ? first + adjacent : g->launch->warps;
        released |= release_adjacent(g->warps + first, g->warps + last);
    }
    return released;
}

void group_wake(struct group *g)
{
    uint32_t ready = 0, copying = 0;
    for (uint32_t i = 0; i < g->launch->warps; i++) {
        ready += g->warps[i].state == WARP_READY;
        copying += g->warps[i].state == WARP_WAITING_DMA;
    }
    if (!(copying && release_copies(g)) && !ready) release(g);
}

/* ---- running ---- */

/* Starts the next group, if there is one, in the place of this one; its warps continue the round. */
static enum slice_end next_in_place(struct sm *sm)
{
    enum slice_end end = sm->next_group(sm);
    if (end == SLICE_OVER && sm->follow) sm->follow = sm->group->warps;
    return end;
}

/* Accounts for the stop of sm->warp. SLICE_OVER: its group continues, or the next one in its place. */
static enum slice_end account_stop(struct sm *sm, enum stop stop)
{
    struct group *g = sm->group;
    if (stop == STOP_FAULT) return SLICE_FAULT;
    if (stop == STOP_OBSERVER) return SLICE_STOPPED;
    if (group_is_cancelled(g)) return SLICE_CANCELLED;
    if (stop != STOP_END) return SLICE_OVER;
    if (sm->warp->copies) dma_complete(sm->warp);
    return ++g->ended < g->launch->warps ? SLICE_OVER : next_in_place(sm);
}

static struct warp *pick(struct sm *sm)
{
    const struct scheduler *s = &sm->gpu->scheduler;
    struct warp *w = s->pick(s->user, sm->index, sm->groups, &sm->budget);
    sm->follow = sm->follow_end = NULL;
    if (w && s->rounds) sm->follow = w + 1, sm->follow_end = w->group->warps + w->group->launch->warps;
    sm->keeps = w && s->keeps ? s->keeps(s->user, sm->index) : 0;
    return w;
}

/* Returns the next warp of the round; behind the last one the scheduler chooses. */
static struct warp *pick_next(struct sm *sm)
{
    while (sm->follow < sm->follow_end) {
        struct warp *w = sm->follow++;
        if (w->state == WARP_READY) return w;
    }
    return pick(sm);
}

/* Instructions by which a quantum ends late at most: calls and returns could form an endless loop. Some 10 ms of
 * `step`. */
enum { LATE_MOST = 1 << 20 };

/* Does the warp's quantum, which ends late, go on? Then the warp executes one more instruction. */
static bool goes_on(struct sm *sm, enum stop stop)
{
    const struct warp *w = sm->warp;
    const bool late = stop == STOP_QUANTUM && sm->gpu->scheduler.late;
    if (!sm->late_budget) sm->late_left = LATE_MOST;
    const bool over = sm->late_budget && (!--sm->late_left || code_went_back(sm->gpu, sm->late_pc, w->pc));
    if (sm->late_budget) sm->budget = sm->late_budget;
    sm->late_budget = late && !over ? sm->budget : 0;
    if (sm->late_budget) sm->budget = 1, sm->late_pc = w->pc;
    return sm->late_budget;
}

struct warp *slice_next(struct sm *sm, enum stop stop)
{
    sm->slice_end = account_stop(sm, stop);
    if (sm->slice_end == SLICE_OVER && goes_on(sm, stop)) return sm->picked = sm->warp;
    sm->picked = sm->slice_end == SLICE_OVER ? pick_next(sm) : NULL;
    if (!sm->picked || sm->picked->group != sm->group) return NULL;
    return sm->warp = sm->picked;
}

/* Switches to another group. False: its launch has ended elsewhere. */
static bool enter_group(struct sm *sm, struct group *g)
{
    const struct slot *slot = &sm->slots[g->slot];
    sm->group = g;
    sm->engine = slot->engine;
    sm->order = g->job->options.order;
    sm->counts = g->job->options.counts;
    return g->wgid < *slot->limit;
}

static enum slice_end run_picked(struct sm *sm)
{
    while (sm->picked) {
        struct warp *w = sm->warp = sm->picked;
        if (w->group != sm->group && !enter_group(sm, w->group)) return SLICE_CANCELLED;
        assert(w->state == WARP_READY && sm->budget);
        enum stop stop = sm->engine->run(sm, w, sm->budget);
        if (stop != STOP_NEXT) slice_next(sm, stop);
    }
    return sm->slice_end;
}

static enum slice_end run_warps(struct sm *sm)
{
    sm->group = NULL;
    sm->late_budget = 0;
    sm->slice_end = SLICE_OVER;
    sm->picked = pick(sm);
    return run_picked(sm);
}

/* The host has refused an access (a signal). */
static enum slice_end refused(struct sm *sm)
{
    recover_again();
    if (sm->engine->jumped && sm->engine->jumped(sm, true)) {
        sm->picked = sm->warp;
        return run_picked(sm);
    }
    fault_access(sm);
    return SLICE_FAULT;
}

/* The signal handler, for an access that the host refuses, and fault_throw jump back here. */
enum slice_end slice_run(struct sm *sm, next_group *next)
{
    enum slice_end end;
    sigjmp_buf here;
    recover_look(&sm->look);
    sm->jump = &here;
    sm->next_group = next;
    switch (sigsetjmp(here, 0)) {
    case 0:
        recover_guard(sm);
        end = run_warps(sm);
        break;
    case 1: end = refused(sm); break;
    default: /* fault_throw */
        if (sm->engine->jumped) sm->engine->jumped(sm, false);
        end = SLICE_FAULT;
    }
    recover_guard(NULL);
    round_set(FP_RNE);
    for (struct group *g = end == SLICE_OVER ? sm->groups : NULL; g; g = g->next) group_wake(g);
    return end;
}
