/* The model as a whole: what it is to the functional machine, and one cycle of all its parts.
 *
 * As the machine's scheduler it advances the clock until the front end of an SM issues an instruction, and lets the
 * machine execute just that one; as an observer it learns of launches and work-groups. The result of an instruction
 * (addresses, where the warp goes on) is read when the scheduler is asked the next time: nothing needs it in its own
 * cycle. endprg is executed in the cycle in which it acts, so that the machine's work-group ends when the modelled
 * one does; that of a launch's last warp waits for the response of the launch. */
#include <stdlib.h>
#include <string.h>

#include "timing/account.h"
#include "timing/model.h"

enum { HANG_CYCLES = 1000000 }; /* without an instruction: some 0.5 s of the host; a guess */

/* ---- a cycle ---- */

static void core_cycle(struct core *c)
{
    l1i_cycle(c);
    front_decide(c);
    issue_decide(c);
    if (__builtin_expect(c->model->account != NULL, 0)) account_cycle(c);
    unit_cycle(c);
    control_cycle(c);
    l1d_cycle(c);
    lsu_cycle(c);
    collect_cycle(c);
    issue(c);
    buffer_refill(c);
    front_fetch(c);
    group_cycle(c);
}

static bool is_quiet(const struct core *c)
{
    return !c->active && !c->starting && !c->ending && !c->lsu.inside && !c->l1d.flushing && !c->l1d.requests.count &&
           !c->l1d.have_leaving && !c->l1d.nanswers && !c->front.l1i.nmisses;
}

static void cycle(struct model *m)
{
    if (__builtin_expect(m->timeline != NULL, 0)) timeline_cycle(m->timeline);
    m->now++;
    l2_cycle(m);
    l2_take_messages(m);
    for (unsigned i = 0; i < m->ncores; i++)
        if (!is_quiet(&m->cores[i])) core_cycle(&m->cores[i]);
}

/* ---- the functional machine ---- */

/* A warp that somebody has led elsewhere (a debugger, changed code) goes on there. */
static bool went_astray(const struct flight *f, const struct warp *w)
{
    return w->pc != f->op->pc && w->pc + 4 != f->op->pc;
}

/* What is to be executed next, before which is looked at what depends on the values it reads. NULL: the last endprg of
 * a launch, for which it is too early. */
static struct warp *execute(struct core *c)
{
    struct flight *f = c->request[0];
    struct warp *w = c->slot[f->slot].warp;
    c->nrequests--;
    memmove(c->request, c->request + 1, c->nrequests * sizeof *c->request);
    if (f->op->class == C_END && !group_warp_ended(c, &c->slot[f->slot])) {
        flight_free(c, f);
        return NULL;
    }
    c->running = f;
    f->astray = went_astray(f, w);
    if (f->op->unit == U_SFU) f->cycles = sfu_cycles(c, f->op, w);
    return w;
}

static void read_addresses(struct flight *f, const struct warp *w)
{
    const struct access *a = warp_access(w);
    f->lanes = a->lanes;
    if (a->lanes) memcpy(f->address, a->addr, sizeof f->address);
    else if (!f->op->vector) {
        f->lanes = 1;
        f->address[0] = a->addr[0];
    }
}

/* After it has been executed. */
static void executed(struct core *c)
{
    struct flight *f = c->running;
    if (!f) return;
    struct slot_state *s = &c->slot[f->slot];
    c->running = NULL;
    if (f->op->class == C_END) {
        flight_free(c, f);
        return;
    }
    f->target = s->warp->pc;
    f->jumps = f->target != f->op->pc + f->op->bytes;
    if (f->astray && !f->op->control) {
        front_flush(c, f->slot);
        front_jump(c, f->slot, f->target);
    }
    if (f->op->memory) read_addresses(f, s->warp);
}

/* Some other SM has to execute something in this cycle. */
static bool others_wait(const struct model *m)
{
    for (unsigned i = 0; i < m->ncores; i++)
        if (m->cores[i].nrequests || m->cores[i].running) return true;
    return false;
}

/* After a launch or a work-group has come or gone, and now and then, each SM ends its time slice once, so that the
 * machine may begin with a new launch and place one more group on it. When nothing has changed the next time, all SMs
 * have been asked: they are full, and time may go on. */
static bool may_place(struct core *c)
{
    enum { LOOK_CYCLES = 1000 }; /* what a launch may begin late by: a guess */
    struct model *m = c->model;
    if (m->now >= m->look_at) {
        m->look_at = m->now + LOOK_CYCLES;
        m->changes++;
    }
    bool ask = c->changes_known != m->changes;
    c->changes_known = m->changes;
    return ask;
}

/* Time stands still while something is to be executed, and while the machine is to learn that a launch has ended. */
static struct warp *pick(void *user, uint32_t sm, struct group *groups, uint64_t *budget)
{
    struct model *m = user;
    struct core *c = &m->cores[sm];
    *budget = 1;
    executed(c);
    for (; groups && !may_place(c); cycle(m)) {
        struct warp *w = running_rest(m, groups, budget);
        if (w || m->hung) return w;
        while (!w && c->nrequests) w = execute(c);
        if (w && w->state != WARP_READY) group_wake(w->group);
        if (w) return w->state == WARP_READY ? w : NULL;
        if (m->nanswered || others_wait(m)) return NULL;
        if (m->now - m->last_issue <= HANG_CYCLES) continue;
        running_hang(m);
        return running_rest(m, groups, budget);
    }
    return NULL;
}

static void removed(void *user, uint32_t sm, const struct group *group)
{
    struct model *m = user;
    m->changes++;
    if (!m->hung) group_removed(&m->cores[sm], group);
}

/* ---- launches ---- */

static void reset(struct model *m)
{
    for (unsigned i = 0; i < m->ncores; i++) {
        struct core *c = &m->cores[i];
        memset(c->slot, 0, sizeof c->slot);
        memset(c->resident, 0, sizeof c->resident);
        memset(c->front.stage, 0, sizeof c->front.stage);
        unit_open(c);
        c->collection = (struct collection){0};
        memset(c->collection.granted, -1, sizeof c->collection.granted);
        c->lsu = (struct lsu){.port = c->lsu.port};
        c->lds = (struct lds){0};
        c->nrequests = c->ending = 0;
        c->active = 0;
        c->starting = 0;
        c->running = NULL;
        c->l1d.nmisses = c->l1d.nwriting = c->l1d.nanswers = 0;
        c->l1d.answers = c->l1d.requests = (struct queue){0};
        c->l1d.have_input = c->l1d.have_stage1 = c->l1d.have_leaving = c->l1d.flushing = c->l1d.have_victim = false;
        memset(c->l1d.misses, 0, sizeof c->l1d.misses);
        memset(c->l1d.writing, 0, sizeof c->l1d.writing);
        memset(c->front.l1i.misses, 0, sizeof c->front.l1i.misses);
        c->front.l1i.nmisses = c->front.l1i.nanswers = 0;
        c->front.l1i.answered = NULL;
        flights_reset(c);
    }
    m->l2.nentries = m->l2.nrequests = m->l2.nwrites = m->l2.nputs = m->l2.ninput = 0;
    m->l2.looking_up = m->l2.have_answer = false;
    memset(m->l2.entry, 0, sizeof m->l2.entry);
    m->l2.flush_done = NEVER;
    m->hung = m->remains = false;
}

static void launch_begin(void *user, const struct launch *launch, const struct launch_info *info)
{
    running_begin(user, launch, info);
}

/* What is left of launches that were given up is dropped when nothing else runs: the next one may have other code. */
static void launch_end(void *user, const struct launch *launch, const struct result *result)
{
    struct model *m = user;
    (void)result;
    running_end(m, launch);
    if (m->remains && !m->running) reset(m);
}

static void group_begin(void *user, const struct group *group) { group_begun(user, group); }

/* ---- making one ---- */

static bool open_core(struct model *m, unsigned number)
{
    const struct timing_config *config = &m->config;
    struct core *c = &m->cores[number];
    c->model = m;
    c->number = number;
    c->nslots = gpu_config_of(m->gpu)->warps_per_sm;
    if (!flights_open(c)) return false;
    if (!tags_open(&c->front.l1i.tags, config->l1i_sets, config->l1i_ways, config)) return false;
    return tags_open(&c->l1d.tags, config->l1d_sets, config->l1d_ways, config);
}

static bool open_cores(struct model *m)
{
    m->ncores = gpu_config_of(m->gpu)->sms;
    m->cores = calloc(m->ncores, sizeof *m->cores);
    if (!m->cores || !l2_open(m)) return false;
    for (unsigned i = 0; i < m->ncores; i++)
        if (!open_core(m, i)) return false;
    reset(m);
    return true;
}

static void close_model(struct model *m)
{
    for (unsigned i = 0; m->cores && i < m->ncores; i++) {
        flights_close(&m->cores[i]);
        tags_close(&m->cores[i].front.l1i.tags);
        tags_close(&m->cores[i].l1d.tags);
    }
    running_close(m);
    timing_account_end(m);
    tags_close(&m->l2.tags);
    code_forget(m);
    free(m->code);
    free(m->cores);
    free(m);
}

static bool open_parts(struct model *m, const char *name, const char *timeline, char *why, size_t why_size)
{
    if (!timing_config_read(&m->config, name, why, why_size)) return false;
    snprintf(why, why_size, "out of memory");
    if (m->config.lds_base == 0 && m->config.lds_window)
        gpu_mem_open(m->gpu, 0, m->config.lds_window, GPU_READ | GPU_WRITE);
    if (!open_cores(m)) return false;
    if (timeline) m->timeline = timeline_open(m, timeline, why, why_size);
    return !timeline || m->timeline;
}

struct model *timing_open(struct gpu *gpu, const char *name, const char *timeline, char *why, size_t why_size)
{
    struct model *m = calloc(1, sizeof *m);
    snprintf(why, why_size, "out of memory");
    if (!m) return NULL;
    m->gpu = gpu;
    if (!open_parts(m, name, timeline, why, why_size)) {
        close_model(m);
        return NULL;
    }
    m->observer = (struct observer){.user = m,
                                    .launch_begin = launch_begin,
                                    .launch_end = launch_end,
                                    .group_begin = group_begin,
                                    .launches = m->config.kernels};
    gpu_observe(gpu, &m->observer);
    gpu_schedule(gpu, &(struct scheduler){.user = m, .pick = pick, .removed = removed});
    return m;
}

bool timing_close(struct model *m, struct gpu *gpu, char *why, size_t why_size)
{
    if (!m) return true;
    gpu_schedule(gpu, NULL);
    bool written = timeline_close(m->timeline, m->now, why, why_size);
    close_model(m);
    return written;
}

const struct timing_launch *timing_launches(const struct model *m, size_t *n)
{
    *n = m->nlaunches;
    return m->launches;
}

uint64_t timing_now(const struct model *m) { return m->now; }

const struct timing_config *timing_config_of(const struct model *m) { return &m->config; }
