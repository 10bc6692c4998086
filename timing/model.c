/* The model as a whole: what it is to the functional machine, and one cycle of all its parts.
 *
 * As the machine's scheduler it advances the clock until the front end of an SM issues an instruction, and lets the
 * machine execute just that one; as an observer it learns of launches and work-groups. The result of an instruction
 * (addresses, where the warp goes on) is read when the scheduler is asked the next time: nothing needs it in its own
 * cycle. endprg is executed in the cycle in which it acts, so that the machine's work-group ends when the modelled
 * one does. */
#include <stdlib.h>
#include <string.h>

#include "timing/model.h"

enum { HANG_CYCLES = 1000000 };

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
    return !c->nactive && !c->starting && !c->ending && !c->lsu.inside && !c->l1d.flushing && !c->l1d.requests.count &&
           !c->l1d.have_leaving && !c->l1d.nanswers && !c->front.l1i.nmisses;
}

static void cycle(struct model *m)
{
    m->now++;
    l2_cycle(m);
    l2_take_messages(m);
    for (unsigned i = 0; i < m->ncores; i++)
        if (!is_quiet(&m->cores[i])) core_cycle(&m->cores[i]);
        else if (m->account) account_idle(&m->cores[i]);
}

/* ---- the functional machine ---- */

/* A warp that somebody has led elsewhere (a debugger, changed code) goes on there. */
static bool went_astray(const struct flight *f, const struct warp *w)
{
    return w->pc != f->op->pc && w->pc + 4 != f->op->pc;
}

/* Before an instruction is executed: what depends on the values it reads. */
static struct warp *execute(struct core *c)
{
    struct flight *f = c->request[0];
    struct warp *w = c->slot[f->slot].warp;
    c->nrequests--;
    memmove(c->request, c->request + 1, c->nrequests * sizeof *c->request);
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
        group_warp_ended(c, s);
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

/* The modelled hardware has come to a standstill, or the launch to an early end: it is completed without the model. */
static struct warp *any_ready(struct group *groups, uint64_t *budget)
{
    *budget = 1000;
    for (struct group *g = groups; g; g = g->next) {
        group_wake(g);
        for (uint32_t i = 0; i < g->launch->warps; i++)
            if (g->warps[i].state == WARP_READY) return &g->warps[i];
    }
    return NULL;
}

/* After a work-group has come or gone, each SM ends its time slice once, so that the machine may place one more on it.
 * When nothing has changed the next time, all SMs have been asked: they are full, and time may go on. */
static bool may_get_group(struct core *c)
{
    bool ask = c->groups_known != c->model->group_events;
    c->groups_known = c->model->group_events;
    return ask;
}

static struct warp *pick(void *user, uint32_t sm, struct group *groups, uint64_t *budget)
{
    struct model *m = user;
    struct core *c = &m->cores[sm];
    *budget = 1;
    if (m->hung || m->abandoned) return any_ready(groups, budget);
    executed(c);
    if (may_get_group(c)) return NULL;
    while (groups) {
        if (c->nrequests) {
            struct warp *w = execute(c);
            if (w->state != WARP_READY) group_wake(w->group);
            return w->state == WARP_READY ? w : NULL;
        }
        if (others_wait(m)) return NULL;
        cycle(m);
        if (m->now - m->last_issue > HANG_CYCLES) {
            m->hung = true;
            return any_ready(groups, budget);
        }
    }
    return NULL;
}

/* A work-group that leaves before its end, because of a fault say, is the end of its launch: the model need not wait
 * for what it still wanted to execute. */
static void removed(void *user, uint32_t sm, const struct group *group)
{
    struct model *m = user;
    (void)sm;
    for (uint32_t i = 0; i < group->launch->warps; i++) m->abandoned |= group->warps[i].state != WARP_ENDED;
}

/* ---- launches ---- */

static void reset(struct model *m)
{
    for (unsigned i = 0; i < m->ncores; i++) {
        struct core *c = &m->cores[i];
        memset(c->slot, 0, sizeof c->slot);
        memset(c->resident, 0, sizeof c->resident);
        memset(c->front.stage, 0, sizeof c->front.stage);
        struct units old = c->units;
        c->units = (struct units){
            .mul = old.mul, .add = old.add, .fused = old.fused, .other = old.other, .tensor = old.tensor};
        unit_open(c);
        c->collection = (struct collection){0};
        memset(c->collection.granted, -1, sizeof c->collection.granted);
        c->lsu = (struct lsu){.port = c->lsu.port};
        c->lds = (struct lds){0};
        c->nrequests = c->nactive = c->ending = 0;
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
    m->resident_groups = m->flushing = 0;
}

static void launch_begin(void *user, const struct launch *launch, const struct launch_info *info)
{
    struct model *m = user;
    m->now += m->now ? m->config.request_cycles : 0;
    m->begun = m->last_issue = m->now;
    m->dispatch_next = 0;
    m->lanes = launch->threads_per_warp;
    m->hung = m->abandoned = false;
    code_forget(m);
    for (unsigned i = 0; i < m->ncores; i++) {
        unit_open(&m->cores[i]);
        m->cores[i].counts = (struct timing_counts){0};
    }
    free(m->kernel);
    m->kernel = strdup(info->kernel ? info->kernel : "");
    m->info = info;
    if (m->account) account_begin(m);
    if (m->ncores) EVENT0(&m->cores[0], "host_req", 0, "0");
}

static struct timing_counts sum_of_counts(const struct model *m)
{
    struct timing_counts sum = {0};
    for (const struct core *c = m->cores; c < m->cores + m->ncores; c++) {
#define COUNT(name, text) sum.name += c->counts.name;
#include "timing/counts.def"
#undef COUNT
    }
    return sum;
}

static void record(struct model *m, bool hung)
{
    if (m->nlaunches == m->room) {
        size_t room = m->room ? 2 * m->room : 16;
        struct timing_launch *more = realloc(m->launches, room * sizeof *more);
        if (!more) return;
        m->launches = more;
        m->room = room;
    }
    m->launches[m->nlaunches++] = (struct timing_launch){.kernel = m->kernel,
                                                         .hung = hung,
                                                         .begun = m->begun,
                                                         .cycles = m->now - m->begun,
                                                         .line_bytes = m->config.line_bytes,
                                                         .threads_per_warp = m->lanes,
                                                         .counts = sum_of_counts(m)};
    if (m->account) m->launches[m->nlaunches - 1].account = account_end(m);
    m->kernel = NULL;
}

/* The last work-group has ended; its end has still to go through the caches. */
static void launch_end(void *user, const struct launch *launch, const struct result *result)
{
    struct model *m = user;
    (void)launch;
    for (unsigned i = 0; i < m->ncores; i++) executed(&m->cores[i]);
    bool whole = result->status == LAUNCH_DONE && !m->hung;
    m->last_issue = m->now;
    while (whole && (m->resident_groups || m->flushing) && m->now - m->last_issue < HANG_CYCLES) cycle(m);
    bool hung = m->hung || m->now - m->last_issue >= HANG_CYCLES;
    if (m->ncores) EVENT0(&m->cores[0], "host_rsp", 0, "0");
    if (!whole || hung) reset(m);
    record(m, hung);
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
    if (!tags_open(&c->front.l1i.tags, config->l1i_sets, config->l1i_ways, config->line_bytes)) return false;
    return tags_open(&c->l1d.tags, config->l1d_sets, config->l1d_ways, config->line_bytes);
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

void timing_forget(struct model *m)
{
    for (size_t i = 0; i < m->nlaunches; i++) {
        free(m->launches[i].kernel);
        account_free(m->launches[i].account);
    }
    m->nlaunches = 0;
}

static void close_model(struct model *m)
{
    for (unsigned i = 0; m->cores && i < m->ncores; i++) {
        flights_close(&m->cores[i]);
        tags_close(&m->cores[i].front.l1i.tags);
        tags_close(&m->cores[i].l1d.tags);
    }
    timing_forget(m);
    account_close(m);
    tags_close(&m->l2.tags);
    code_forget(m);
    free(m->code);
    free(m->kernel);
    free(m->launches);
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
    m->observer = (struct observer){
        .user = m, .launch_begin = launch_begin, .launch_end = launch_end, .group_begin = group_begin};
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

const struct timing_config *timing_config_of(const struct model *m) { return &m->config; }
