/* The reference: the functional machine, of which one warp executes one instruction at a time.
 *
 * Work-groups are where the design has put them, so that control registers hold what they hold there. Each SM's local
 * memory is its own although addresses are the same: of groups whose addresses overlap, one has its bytes in the
 * machine, the others in a copy, and they change places when one of them accesses it. Uses the machine as
 * sim/dispatch.c does. */
#include <fenv.h>
#include <stdlib.h>
#include <string.h>

#include "cosim/parts.h"
#include "sim/dma.h"
#include "sim/layout.h"

/* ---- local memory ---- */

struct slot *reference_slot(const struct ventus_cosim *c, const struct place *p)
{
    return &c->gpu->sms[p->sm].slots[p->slot];
}

static uint8_t *local_bytes(const struct ventus_cosim *c, const struct place *p)
{
    return c->gpu->mem + reference_slot(c, p)->group.lds_base;
}

/* What a start opens and clears: whole pages. */
static uint64_t local_size(const struct ventus_cosim *c)
{
    return (c->job.launch.lds_bytes + ABI_PAGE - 1ull) & ~(ABI_PAGE - 1ull);
}

/* Of pieces of the same size. */
static bool overlap(uint64_t a, uint64_t b, uint64_t size) { return a < b + size && b < a + size; }

static uint32_t base_of(const struct ventus_cosim *c, const struct place *p)
{
    return reference_slot(c, p)->group.lds_base;
}

const struct place *reference_sharing(const struct ventus_cosim *c, const struct place *p, uint32_t lds_base)
{
    for (const struct place *o = c->places; o < c->places + c->nplaces; o++)
        if (o->used && o->sm == p->sm && overlap(base_of(c, o), lds_base, c->job.launch.lds_bytes)) return o;
    return NULL;
}

/* The bytes of all groups that overlap with this one's are copied out of the machine. */
static void put_others_away(struct ventus_cosim *c, const struct place *p)
{
    for (struct place *o = c->places; o < c->places + c->nplaces; o++) {
        if (o == p || !o->used || o->away || !overlap(base_of(c, o), base_of(c, p), local_size(c))) continue;
        memcpy(o->local, local_bytes(c, o), c->job.launch.lds_bytes);
        o->away = true;
    }
}

static void bring_local(struct ventus_cosim *c, struct place *p)
{
    if (!p->away) return;
    put_others_away(c, p);
    memcpy(local_bytes(c, p), p->local, c->job.launch.lds_bytes);
    p->away = false;
}

bool cosim_word(const struct ventus_cosim *c, uint32_t addr, uint32_t *value)
{
    const uint8_t *bytes = gpu_mem(c->gpu, addr & ~3u, 4);
    if (bytes) memcpy(value, bytes, 4);
    return bytes;
}

/* ---- hooks ---- */

/* A copy announces no access, and may write what earlier ones have read. */
static enum observed before(void *user, struct warp *w, const struct insn *in)
{
    struct ventus_cosim *c = user;
    if (isa_table[in->op].kind == KIND_DMA) bring_local(c, place_of(c, w->group));
    trace_event_begin(&c->event, w, in);
    return GO_ON;
}

static bool touches_local(const struct access *a)
{
    for (uint32_t left = a->lanes ? a->lanes : 1; left; left &= left - 1)
        if (is_local(a->addr[__builtin_ctz(left)])) return true;
    return false;
}

static void keep_old(struct ventus_cosim *c, const struct access *a)
{
    uint32_t *old = c->old[c->event.accesses];
    for (uint32_t left = a->lanes ? a->lanes : 1; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        if (!cosim_word(c, a->addr[lane], &old[lane])) old[lane] = 0;
    }
}

/* Before it happens: the group's local memory has to be there, and what is overwritten is to be known. */
static void on_access(void *user, const struct warp *w, const struct insn *in, const struct access *access)
{
    struct ventus_cosim *c = user;
    (void)in;
    if (touches_local(access)) bring_local(c, place_of(c, w->group));
    if (access->write && c->event.accesses < EVENT_WORDS) keep_old(c, access);
    trace_event_access(&c->event, access);
}

static void after(void *user, const struct warp *w, uint32_t pc, const struct insn *in)
{
    trace_event_end(&((struct ventus_cosim *)user)->event, w, pc, in);
}

static void released(void *user, const struct group *g)
{
    struct ventus_cosim *c = user;
    place_of(c, g)->passed++;
}

/* ---- the machine ---- */

static bool open_quirks(struct ventus_cosim *c, const char *names)
{
    if (!*names) return true;
    c->quirks = quirks_new(c->gpu, names, c->error, sizeof c->error);
    return c->quirks;
}

static void list_observers(struct ventus_cosim *c)
{
    const struct observer **end = c->observers;
    if (c->quirks) *end++ = quirks_observer(c->quirks);
    *end++ = &c->observer;
    *end = NULL;
}

bool reference_open(struct ventus_cosim *c, const struct gpu_config *config)
{
    struct gpu_config own = *config;
    const char *why = "out of memory";
    own.host_threads = 1;
    own.engine = &engine_step;
    c->gpu = gpu_create(&own, &why);
    snprintf(c->error, sizeof c->error, "%s", why);
    if (!c->gpu || !open_quirks(c, own.quirks)) return false;
    c->observer = (struct observer){
        .user = c, .before = before, .access = on_access, .after = after, .released = released, .flags = true};
    list_observers(c);
    for (uint32_t i = 0; i < own.sms; i++) c->gpu->sms[i].reservations = &c->gpu->reservations;
    c->nplaces = own.sms * own.groups_per_sm;
    c->places = calloc(c->nplaces, sizeof *c->places);
    if (c->places) *c->error = 0;
    return c->places;
}

void reference_close(struct ventus_cosim *c)
{
    quirks_free(c->quirks);
    if (c->gpu) gpu_destroy(c->gpu);
    free(c->places);
}

/* ---- work-groups ---- */

static void place_defaults(struct ventus_cosim *c)
{
    for (uint32_t i = 0; i < c->nplaces; i++) {
        const uint32_t per_sm = gpu_config_of(c->gpu)->groups_per_sm;
        c->places[i] = (struct place){.sm = i / per_sm, .slot = i % per_sm};
    }
}

bool reference_begin(struct ventus_cosim *c)
{
    const struct launch *l = &c->job.launch;
    const uint64_t groups = (uint64_t)l->groups[0] * l->groups[1] * l->groups[2];
    place_defaults(c);
    c->groups_begun = c->groups_ended = 0;
    c->begun = calloc((size_t)(groups + 7) / 8, 1);
    return c->begun;
}

void reference_end(struct ventus_cosim *c)
{
    for (uint32_t i = 0; i < c->nplaces; i++)
        if (c->places[i].used) reference_remove(c, &c->places[i]);
    code_leave(c->gpu);
    free(c->begun);
    c->begun = NULL;
}

static void link_group(struct sm *sm, struct group *g)
{
    g->next = sm->groups;
    sm->groups = g;
}

const char *reference_place(struct ventus_cosim *c, struct place *p, uint32_t group, uint32_t lds_base,
                            uint32_t pds_base)
{
    const struct launch *l = &c->job.launch;
    struct sm *sm = &c->gpu->sms[p->sm];
    struct slot *slot = reference_slot(c, p);
    if (l->lds_bytes && (!is_local(lds_base) || local_size(c) > ABI_LOCAL_LIMIT - lds_base))
        return "its local memory, in whole pages, is not in the window of local memory";
    if (!(p->local = malloc(l->lds_bytes + 1u))) return "out of memory";
    slot->group = (struct group){.launch = l,
                                 .job = &c->job,
                                 .sm = sm,
                                 .slot = p->slot,
                                 .lds_base = lds_base,
                                 .pds_base = pds_base,
                                 .flags = true,
                                 .observers = c->observers};
    slot->group.mask_of_lanes = isa_is_document((enum isa_profile)c->gpu->config.profile);
    group_set_place(&slot->group, group);
    slot->engine = engine_choose(&engine_step, NEEDS_HOOKS | NEEDS_FLAGS);
    slot->lds_base = lds_base;
    slot->lds_open = 0;
    put_others_away(c, p);
    if (!group_start(sm, slot)) return free(p->local), "out of memory";
    observe_group_begin(&slot->group);
    p->used = true;
    p->away = false;
    p->passed = 0;
    p->serial = ++c->serials;
    link_group(sm, &slot->group);
    return NULL;
}

void reference_remove(struct ventus_cosim *c, struct place *p)
{
    struct slot *slot = reference_slot(c, p);
    struct sm *sm = &c->gpu->sms[p->sm];
    group_unlink(&slot->group);
    for (uint32_t i = 0; i < c->job.launch.warps; i++) dma_forget(&slot->warps[i]);
    if (slot->group.reservations) drop_reservations(sm, &slot->group);
    free(p->local);
    p->local = NULL;
    p->used = false;
}

/* ---- one instruction ---- */

/* Copies that are complete are written to the group's local memory. */
void reference_wake(struct ventus_cosim *c, struct group *g)
{
    bring_local(c, place_of(c, g));
    group_wake(g);
}

static enum stop run_guarded(struct sm *sm, struct warp *w, const struct engine_build *engine)
{
    enum stop stop;
    sigjmp_buf here;
    sm->jump = &here;
    switch (sigsetjmp(here, 0)) {
    case 0:
        recover_guard(sm);
        stop = engine->run(sm, w, 1);
        break;
    case 1: /* the host has refused an access */
        recover_again();
        fault_access(sm);
        stop = STOP_FAULT;
        break;
    default: stop = STOP_FAULT;
    }
    recover_guard(NULL);
    round_set(FP_RNE);
    return stop;
}

enum stop reference_step(struct ventus_cosim *c, struct warp *w)
{
    struct group *g = w->group;
    struct sm *sm = g->sm;
    struct recover_thread old;
    fenv_t own;
    if (!recover_enter(c->gpu->stacks, &old))
        return fault_raise(sm, w, FAULT_LAUNCH, ISA_LANES, 0, "the host's signals cannot be had");
    fegetenv(&own);
    round_begin();
    sm->warp = w;
    sm->group = g;
    sm->engine = reference_slot(c, place_of(c, g))->engine;
    sm->order = c->job.options.order;
    enum stop stop = run_guarded(sm, w, sm->engine);
    recover_leave(&old);
    fesetenv(&own);
    if (stop != STOP_END) return stop;
    if (w->copies) {
        bring_local(c, place_of(c, g));
        dma_complete(w);
    }
    g->ended++;
    return stop;
}
