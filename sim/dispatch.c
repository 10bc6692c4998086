/* Dispatch: jobs in, work-groups onto SMs, results out.
 *
 * Like the CTA scheduler of the hardware, groups are handed out in order of jobs, x fastest, to SMs with
 * free slots, warps, registers and local memory. An SM gets one more group whenever those it has did not
 * end in a time slice: all that fit become resident if they need each other, and otherwise one after
 * another runs to its end with warm caches. An SM whose groups end in a slice claims more of them at a time, and runs
 * them in order; one that finds none to claim takes half of what another one has not begun. So a group that waits for
 * one with a lower number does not wait for ever, and no group waits while an SM has room.
 *
 * Host threads: worker k runs the SMs k, k + n, ...; the caller of gpu_run is worker 0 and alone asks
 * the source of jobs. It calls the others when there are groups for them and it has been at work for some time, or the
 * kernel's last launch was long, so that short launches wake nobody; they leave when they find nothing to do.
 * Everything in struct dispatcher and struct run is under `lock`; an SM is its worker's own. With one worker the order
 * of all work is a function of the jobs. */
#include <fenv.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "host/host.h"
#include "sim/layout.h"
#include "sim/next.h"
#include "sim/workers.h"

/* Work-groups of a launch that have not been claimed, in order. */
struct part {
    uint32_t next, end;
};

/* A job that is being worked on. Each worker has a part of the grid of its own, because launches on the same data then
 * find them in the caches of the processor that had them before. */
struct run {
    struct run *next;
    struct job *job;
    const struct engine_build *engine;
    uint64_t number;                         /* of the launch, in its machine */
    uint64_t began;                          /* host_ns; 0: there is one worker, nobody asks */
    const struct observer *const *observers; /* of the machine and of the job; NULL: none */
    bool flags;                              /* fflags and vxsat accrue */
    bool patient;                            /* as in struct group */
    uint64_t dispatched, total;              /* work-groups */
    uint64_t resident;                       /* groups that have been claimed and are not over */
    uint32_t claims;                         /* of SMs, those included whose groups others have taken */
    _Atomic uint32_t limit;                  /* groups from this number on are abandoned, see limit_run() */
    _Atomic uint64_t failed;                 /* host_ns, of the first fault; 0: none */
    bool placed;                             /* its result says where it was when it was cancelled */
    uint32_t *areas, nareas;                 /* free areas of private memory; NULL: one for all */
    uint32_t nparts;                         /* one if groups go one by one, else one for each worker */
    struct part parts[];
};

struct dispatcher {
    struct gpu *gpu;
    const struct job_source *source;
    pthread_mutex_t lock;
    pthread_cond_t ended; /* a job has, for worker 0 */
    struct run *runs;     /* oldest first */
    struct run *finished; /* to be reported by worker 0 */
    uint32_t workers;
    bool shared;           /* other workers have been called: from now on the lock is taken */
    uint64_t busy_since;   /* worker 0, host_ns; 0: it is at work for long enough to call the others */
    _Atomic bool called;   /* the other workers: they are here, or on their way */
    _Atomic uint64_t news; /* changes when a job has begun or ended, for workers that wait */
    _Atomic bool over;
};

/* Short launches are worker 0's alone, to whom the lock would be a tenth of what they take. */
static void lock(struct dispatcher *d)
{
    if (d->shared) pthread_mutex_lock(&d->lock);
}

static void unlock(struct dispatcher *d)
{
    if (d->shared) pthread_mutex_unlock(&d->lock);
}

/* ---- jobs ---- */

#define SUM(sum, value)  sum += (value)
#define MOST(sum, value) sum = (value) > sum ? (value) : sum

void counters_add(struct counters *sum, const struct counters *c)
{
#define VENTUS_COUNTER(name, type, how, cl, text) how(sum->name, c->name);
#include "sim/counters.def"
#undef VENTUS_COUNTER
}

static void fail(struct job *job, const char *why)
{
    job->result.status = LAUNCH_FAULT;
    job->result.fault = (struct fault){.kind = FAULT_LAUNCH, .lane = ISA_LANES};
    snprintf(job->result.fault.detail, sizeof job->result.fault.detail, "%s", why);
}

/* The areas of private memory that resident groups of the launch may use, lowest on top. */
static bool make_areas(struct run *r, const struct gpu_config *c)
{
    uint32_t n = private_areas(c, &r->job->launch);
    if (!n || r->job->options.serial) return true;
    r->areas = malloc(n * sizeof *r->areas);
    if (!r->areas) return false;
    for (r->nareas = 0; r->nareas < n; r->nareas++) r->areas[r->nareas] = n - 1 - r->nareas;
    return true;
}

static void end_job(struct run *r)
{
    free((void *)r->observers);
    free(r->areas);
    free(r);
}

static void choose_engine(struct gpu *gpu, struct run *r)
{
    unsigned needs = r->job->launch.sv39 ? NEEDS_SV39 : 0;
    const struct code_traits traits = code_traits(gpu);
    r->flags = traits.reads_flags || observers_want_flags(r->observers);
    r->patient = traits.has_routines;
    if (gpu->config.ignore_stray) needs |= NEEDS_CHECKS;
    if (r->observers) needs |= NEEDS_HOOKS;
    if (r->flags) needs |= NEEDS_FLAGS;
    if (r->job->options.counts) needs |= NEEDS_COUNTS;
    r->engine = engine_choose(gpu->engine, needs);
}

/* Are the groups handed out one at a time: for observers, in a serial launch, or for another scheduler? */
static bool goes_alone(const struct gpu *gpu, const struct run *r)
{
    return r->observers || r->job->options.serial || gpu->scheduler.user != gpu->rotation;
}

static void divide(struct run *r, uint32_t n)
{
    r->nparts = n;
    for (uint32_t k = 0; k < n; k++)
        r->parts[k] = (struct part){(uint32_t)(r->total * k / n), (uint32_t)(r->total * (k + 1) / n)};
}

/* How many SMs run the launch. */
static uint32_t sms_of(const struct gpu_config *c, const struct launch_options *o)
{
    return o->sms ? o->sms : c->sms - o->first_sm;
}

/* NULL: the machine can run it. */
static const char *job_check(const struct gpu_config *c, const struct job *job)
{
    const struct launch_options *o = &job->options;
    if (o->first_sm >= c->sms || o->sms > c->sms - o->first_sm) return "SMs that the machine does not have";
    return group_check(c, &job->launch);
}

/* NULL when the job cannot run; its result then says why. */
static struct run *start_job(struct gpu *gpu, struct job *job)
{
    const struct launch *l = &job->launch;
    const char *why = job_check(&gpu->config, job);
    uint32_t workers = gpu_workers(&gpu->config);
    struct run *r = why ? NULL : malloc(sizeof *r + workers * sizeof *r->parts);
    job->result = (struct result){.status = LAUNCH_DONE, .fault.lane = ISA_LANES};
    if (r) {
        memset(r, 0, sizeof *r); /* calloc() does not look at what the last one has freed */
        r->job = job;
        r->number = ++gpu->launches;
        r->total = (uint64_t)l->groups[0] * l->groups[1] * l->groups[2];
        r->limit = (uint32_t)r->total;
        if (observers_collect(gpu, job->options.observers, &r->observers) && make_areas(r, &gpu->config)) {
            choose_engine(gpu, r);
            divide(r, goes_alone(gpu, r) ? 1 : workers);
            recover_renew(job->submitted ? job->submitted : host_ns());
            observe_launch_begin(r->observers, job);
            return r;
        }
        end_job(r);
    }
    fail(job, why ? why : "out of host memory");
    return NULL;
}

/* Only this worker ends jobs, so that the oldest one is still there without the lock. */
static void report_progress(struct dispatcher *d)
{
    lock(d);
    const struct run *r = d->runs;
    const uint64_t ended = r ? r->dispatched - r->resident : 0, total = r ? r->total : 0;
    unlock(d);
    if (r) d->source->progress(d->source->user, r->job, ended, total);
}

/* How long worker 0 works before it calls the others, unless the kernel's last launch has taken so long: waking them
 * takes half of that, and what the client has just written is in the cache of its own processor. Of the kernels of
 * bench/kinds, most that take 30 us alone are slower on two threads, those that take 50 us faster. */
enum { ALONE_NS = 40000 };

/* Will the launch probably take so long, as the kernel's last one did? */
static bool is_long(const struct gpu *gpu, const struct job *job)
{
    return gpu->long_kernel && gpu->long_kernel == job->options.kernel;
}

/* What was long has been executed by all, in a part of the time. */
static void note_length(struct dispatcher *d, const struct run *r)
{
    if (d->workers == 1) return;
    const bool was_long = is_long(d->gpu, r->job);
    if (host_ns() - r->began >= (was_long ? ALONE_NS / 2 : ALONE_NS)) d->gpu->long_kernel = r->job->options.kernel;
    else if (was_long) d->gpu->long_kernel = NULL;
}

static void begin_job(struct dispatcher *d, struct job *job)
{
    struct run *r = start_job(d->gpu, job), **end = &d->runs;
    if (!r) {
        d->source->done(d->source->user, job);
        return;
    }
    lock(d);
    r->began = d->workers == 1 ? 0 : host_ns();
    if (!d->runs) d->busy_since = is_long(d->gpu, job) ? 0 : r->began;
    while (*end) end = &(*end)->next;
    *end = r;
    d->news++;
    unlock(d);
}

/* Takes new jobs from the source and gives finished ones back. Worker 0, without the lock. */
static void exchange_jobs(struct dispatcher *d)
{
    struct job *job;
    lock(d);
    while (d->finished) {
        struct run *r = d->finished;
        d->finished = r->next;
        unlock(d);
        job = r->job;
        observe_launch_end(r->observers, job);
        bool again = observe_again(r->observers);
        if (again) d->gpu->launches = r->number - 1; /* it keeps its number */
        note_length(d, r);
        end_job(r);
        if (again) begin_job(d, job);
        else d->source->done(d->source->user, job);
        lock(d);
    }
    unlock(d);
    while ((job = d->source->next(d->source->user))) begin_job(d, job);
}

/* A job is finished without groups to dispatch or resident, once no SM looks at it any more. With the lock held. */
static void retire(struct dispatcher *d, struct run *r)
{
    struct run **link = &d->runs;
    if (r->resident || r->claims || r->dispatched < r->total) return;
    while (*link != r) link = &(*link)->next;
    *link = r->next;
    for (link = &d->finished; *link;) link = &(*link)->next;
    r->next = NULL;
    *link = r;
    d->news++;
    if (d->shared) pthread_cond_signal(&d->ended);
}

/* ---- claims: groups that are an SM's to run ---- */

/* Wall time on two threads of twelve kernels of bench/kinds that take 30 to 150 us: with claims of 64 to 256 us, and of
 * 16 to 64 parts, 0.97 to 1.08. Instructions say little of time where a routine is one operation of the host. */
enum {
    CLAIM_NS = 128000,            /* that a claim should take ... */
    CLAIM_INSTRUCTIONS = 1 << 21, /* ... or have, if there is one worker: the order of groups must always be the same */
    CLAIM_PARTS = 32,             /* of it: too little to be divided, and as much as is taken at a time, of which others
                                   * cannot take any more ... */
    TAKEN_MOST = 128              /* ... but at most so many groups: a guess */
};

static uint64_t range(uint64_t next, uint64_t end) { return end << 32 | next; }
static uint32_t count_left(const struct claim *c) { return (uint32_t)(c->left >> 32) - (uint32_t)c->left; }

/* Takes groups out of what is left, so many that the atomic operation costs little, and so few that no worker waits
 * long for this one at the end of the launch. */
static void take_some(struct claim *c)
{
    uint64_t left = c->left, n;
    do {
        n = (left >> 32) - (uint32_t)left;
        if (n > c->size / CLAIM_PARTS) n = (n + 1) / 2;
        if (n > c->batch) n = c->batch;
    } while (!atomic_compare_exchange_weak(&c->left, &left, left + n));
    c->next = (uint32_t)left;
    c->until = (uint32_t)(left + n);
}

/* The number of the first group that has not begun. False: there is none. */
static bool take_first(struct claim *c, uint32_t *number)
{
    if (c->next == c->until) take_some(c);
    *number = c->next;
    return c->next != c->until && ++c->next;
}

/* Gives the groups back that have not begun. */
static void give_back(struct claim *c)
{
    atomic_fetch_sub(&c->left, c->until - c->next);
    c->until = c->next;
}

/* Takes the last half, or more, of what is left. Called with the lock held. */
static uint64_t take_half(struct claim *c)
{
    uint64_t left = c->left, end, middle;
    do {
        end = left >> 32;
        middle = (uint32_t)left + (end - (uint32_t)left) / 2;
    } while (!atomic_compare_exchange_weak(&c->left, &left, range((uint32_t)left, middle)));
    return range(middle, end);
}

/* Is the SM one of those that run the launch? Observers see one thread. */
static bool is_for(const struct dispatcher *d, const struct run *r, const struct sm *sm)
{
    const uint32_t first = r->job->options.first_sm, place = sm->index - first;
    if (sm->index < first || place >= sms_of(&d->gpu->config, &r->job->options)) return false;
    if (r->job->options.serial) return place == 0;
    return !r->observers || place % d->workers == 0;
}

static bool may_place(const struct dispatcher *d, const struct run *r, const struct sm *sm)
{
    if (!r->limit || !is_for(d, r, sm)) return false;
    return r->job->options.serial ? !sm->slots_used : !r->areas || r->nareas;
}

/* A worker's own part or, when that is empty, the one with most groups left. */
static struct part *choose_part(struct run *r, struct part *own)
{
    struct part *most = own;
    if (own->next < own->end) return own;
    for (struct part *p = r->parts; p < r->parts + r->nparts; p++)
        if (p->end - p->next > most->end - most->next) most = p;
    return most;
}

/* Claims on the part of another worker become smaller towards the end, so that its owner need not wait for this one; of
 * those on a worker's own part others take a half (claim_of_others). */
static uint32_t claim_size(const struct dispatcher *d, const struct run *r, const struct part *p,
                           const struct part *own, const struct sm *sm)
{
    uint32_t left = p->end - p->next, n = sm->claim.size;
    uint32_t share = d->workers == 1 || p == own || left < n / CLAIM_PARTS ? left : left / 2 + 1;
    if (n > share) n = share;
    return !n || goes_alone(d->gpu, r) ? 1 : n;
}

/* How many groups are taken out of a claim at a time: one, until one of this launch has told how long they are. Where
 * there is one worker, nobody else wants them. */
static uint32_t batch_size(const struct claim *c, const struct run *r)
{
    uint32_t n = c->measured != r->number ? 1 : r->began ? c->size / CLAIM_PARTS : c->size;
    return n < 1 ? 1 : n < TAKEN_MOST ? n : TAKEN_MOST;
}

static void set_claim(struct sm *sm, struct run *r, uint64_t left)
{
    const struct claim *c = &sm->claim;
    r->claims++;
    sm->claim =
        (struct claim){.run = r, .left = left, .size = c->size, .measured = c->measured, .batch = batch_size(c, r)};
}

/* Learns how long groups are from those that have been in the slot. */
static void measure_groups(struct claim *c, const struct slot *slot)
{
    const struct counters *done = &slot->group.counters;
    uint64_t whole = slot->since ? CLAIM_NS : CLAIM_INSTRUCTIONS;
    uint64_t n = whole * done->groups / ((slot->since ? host_ns() - slot->since : done->instructions) + 1);
    c->size = n < 1 ? 1 : n > CLAIM_INSTRUCTIONS ? CLAIM_INSTRUCTIONS : (uint32_t)n;
    c->measured = slot->group.launch_number;
    c->batch = batch_size(c, c->run);
}

/* With the lock held. */
static void claim_groups(struct dispatcher *d, struct run *r, struct sm *sm)
{
    struct part *own = &r->parts[sm->index % d->workers % r->nparts], *p = choose_part(r, own);
    uint32_t n = claim_size(d, r, p, own, sm), first = p->next;
    if (p == own) p->next += n;
    else first = p->end -= n; /* its owner goes on where it is */
    r->dispatched += n;
    r->resident += n;
    set_claim(sm, r, range(first, first + n));
}

/* What other SMs have claimed of the launch and not begun: half of it. With the lock held. */
static bool claim_of_others(struct dispatcher *d, struct run *r, struct sm *sm)
{
    struct claim *most = &sm->claim;
    for (uint32_t i = 0; i < d->gpu->config.sms; i++) {
        struct claim *other = &d->gpu->sms[i].claim;
        if (other->run == r && count_left(other) > count_left(most)) most = other;
    }
    uint64_t taken = take_half(most);
    if ((uint32_t)taken == taken >> 32) return false; /* the owner was quicker */
    set_claim(sm, r, taken);
    return true;
}

/* Abandons what is not to run any more. With the lock held, which keeps others from taking of it. */
static void limit_claim(struct claim *c)
{
    struct run *r = c->run;
    uint64_t first = (uint32_t)c->left, end = c->left >> 32, limit = first > r->limit ? first : r->limit;
    if (end <= limit) return;
    r->resident -= end - limit;
    c->left = range((uint32_t)first, (uint32_t)limit);
}

/* Tells the launch what has become of the claim. With the lock held. */
static void settle_claim(struct dispatcher *d, struct sm *sm)
{
    struct claim *c = &sm->claim;
    struct run *r = c->run;
    if (!r) return;
    give_back(c);
    r->resident -= c->ended;
    limit_claim(c);
    c->ended = 0;
    if (!count_left(c)) {
        c->run = NULL;
        r->claims--;
    }
    retire(d, r);
}

/* ---- work-groups ---- */

static struct slot *slot_of(struct sm *sm, const struct group *g) { return &sm->slots[g->slot]; }

/* Group `number` of the claim, in its slot, its position filled in. */
static void position(struct sm *sm, struct slot *slot, uint32_t number)
{
    struct run *r = sm->claim.run;
    const struct launch *l = &r->job->launch;
    struct group *g = &slot->group;
    slot->run = r;
    slot->engine = r->engine;
    slot->since = r->began ? host_ns() : 0;
    slot->limit = &r->limit;
    g->flags = r->flags;
    g->mask_of_lanes = isa_is_document((enum isa_profile)sm->gpu->config.profile);
    g->patient = r->patient;
    g->observers = r->observers;
    g->job = r->job;
    g->launch_number = r->number;
    group_set_place(g, number);
    slot->pds = 0;
    if (r->areas) slot->pds = r->areas[--r->nareas];
    g->pds_base = private_area(l, slot->pds);
}

/* The groups from `limit` on are abandoned: those behind a group that fails, so that the fault of a launch is that of
 * the first group that has one, on any number of threads, or all. With the lock held. */
static void limit_run(struct run *r, uint32_t limit)
{
    r->limit = limit;
    for (struct part *p = r->parts; p < r->parts + r->nparts; p++) {
        uint32_t end = p->next > limit ? p->next : limit;
        if (p->end <= end) continue;
        r->dispatched += p->end - end;
        p->end = end;
    }
}

static bool is_limited(const struct run *r) { return r->limit < r->total; }

/* How long the groups in front of one that has failed may go on: they may wait for that one. */
enum { FAILED_NS = 1000000000 };

/* Is nothing of the launch to run any more? */
static bool is_over(const struct run *r)
{
    const _Atomic bool *cancel = r->job->options.cancel;
    return (cancel && *cancel) || (r->failed && host_ns() - r->failed > FAILED_NS);
}

static void cancel_runs(struct dispatcher *d)
{
    for (struct run *r = d->runs, *next; r; r = next) {
        next = r->next;
        if (!r->limit || !is_over(r)) continue;
        if (!r->failed) r->job->result.status = LAUNCH_CANCELLED;
        limit_run(r, 0);
        retire(d, r);
    }
}

/* Are SMs of other workers among those of the launch? */
static bool is_for_others(const struct dispatcher *d, const struct run *r)
{
    const struct launch_options *o = &r->job->options;
    bool one = r->observers || o->serial || sms_of(&d->gpu->config, o) == 1;
    return !one || o->first_sm % d->workers != 0;
}

/* Is there a group for another worker to begin with? Called with the lock held. */
static bool has_work(const struct dispatcher *d)
{
    for (const struct run *r = d->runs; r; r = r->next)
        if (is_for_others(d, r) && r->dispatched < r->total && (!r->areas || r->nareas)) return true;
    for (uint32_t i = 0; i < d->gpu->config.sms; i++) {
        const struct claim *c = &d->gpu->sms[i].claim;
        if (c->run && is_for_others(d, c->run) && count_left(c) > 1) return true;
    }
    return false;
}

/* Worker 0 wakes the others, with whom it has shared nothing until then. */
static void call(struct dispatcher *d)
{
    if (!d->shared) d->shared = true; /* written once: they read it */
    d->called = true;
    workers_call(d->gpu->workers, d);
}

/* Worker 0 wakes the others when there is enough to do, or when there is work for their SMs only. */
static void call_others(struct dispatcher *d, bool worked)
{
    if (d->workers == 1 || d->called || (worked && host_ns() - d->busy_since < ALONE_NS)) return;
    lock(d);
    bool needed = has_work(d);
    unlock(d);
    if (needed) call(d);
}

/* A batch of the claim has been executed, or nearly: time to measure it, and to wake others. */
static void end_batch(struct sm *sm)
{
    struct dispatcher *d = sm->gpu->dispatcher;
    measure_groups(&sm->claim, slot_of(sm, sm->group));
    if (sm->index % d->workers == 0) call_others(d, true);
}

/* The group that the SM is in has ended, and its place, with its area of private memory, is taken by the next one of
 * the SM's claim. SLICE_OVER: that one is to run; SLICE_ENDED: there is none. */
static enum slice_end next_of_claim(struct sm *sm)
{
    struct slot *slot = slot_of(sm, sm->group);
    struct claim *c = &sm->claim;
    uint32_t number;
    if (c->run == slot->run && c->next == c->until) end_batch(sm);
    if (c->run != slot->run || is_limited(c->run) || !take_first(c, &number)) return SLICE_ENDED;
    claim_advance(c);
    if (number == slot->group.wgid + 1u) group_advance(&slot->group);
    else group_set_place(&slot->group, number);
    group_start_again(sm, slot);
    return SLICE_OVER;
}

/* A slot with the first group of the SM's claim, if it fits. Another SM may have taken the claim's last group. */
static struct slot *place_claimed(struct sm *sm)
{
    const struct launch *l = &sm->claim.run->job->launch;
    uint32_t number;
    if (!group_fits(sm, l) || !take_first(&sm->claim, &number)) return NULL;
    struct slot *slot = group_place(sm, l);
    position(sm, slot, number);
    return slot;
}

/* The same, of what is left of the SM's claim, or of a new one on the oldest launch that has groups left and room for
 * one here. */
static struct slot *place_new(struct dispatcher *d, struct sm *sm)
{
    struct slot *slot = NULL;
    lock(d);
    settle_claim(d, sm);
    cancel_runs(d);
    if (sm->claim.run && may_place(d, sm->claim.run, sm)) slot = place_claimed(sm);
    for (struct run *r = sm->claim.run ? NULL : d->runs; r && !slot; r = r->next) {
        if (!may_place(d, r, sm) || !group_fits(sm, &r->job->launch)) continue;
        if (r->dispatched < r->total) claim_groups(d, r, sm);
        else if (goes_alone(d->gpu, r) || !claim_of_others(d, r, sm)) continue;
        slot = place_claimed(sm);
    }
    unlock(d);
    return slot;
}

static struct slot *place(struct dispatcher *d, struct sm *sm)
{
    struct slot *slot = NULL;
    const struct claim *c = &sm->claim;
    if (!c->run || !count_left(c) || is_limited(c->run) || is_over(c->run)) return place_new(d, sm);
    if (!c->run->areas) return place_claimed(sm);
    lock(d);
    if (c->run->nareas) slot = place_claimed(sm);
    unlock(d);
    return slot;
}

/* The group's place is free again. */
static void leave_slot(struct sm *sm, struct slot *slot)
{
    const struct scheduler *s = &sm->gpu->scheduler;
    if (s->removed) s->removed(s->user, sm->index, &slot->group);
    group_unlink(&slot->group);
    group_remove(sm, slot);
}

/* A group that does not come to its end ends the launch. Where groups are handed out one at a time, it does so at once:
 * a scheduler of somebody else's may never leave a group that runs on. With the lock held. */
static void stop_run(struct run *r, const struct sm *sm, uint32_t group, enum slice_end end)
{
    struct result *result = &r->job->result;
    if (end == SLICE_ENDED || group >= r->limit) return;
    limit_run(r, end == SLICE_FAULT && !goes_alone(sm->gpu, r) ? group : 0);
    if (end == SLICE_FAULT) {
        result->status = LAUNCH_FAULT;
        result->fault = sm->fault;
        if (!r->failed) r->failed = host_ns();
    } else if (!r->failed) {
        result->status = end == SLICE_STOPPED ? LAUNCH_STOPPED : LAUNCH_CANCELLED;
    }
}

/* Where a launch was that has been cancelled: of the first of its groups that ends so, the warp that ran, or one that
 * waits. */
static void note_place(struct run *r, struct sm *sm, const struct group *g)
{
    const struct warp *end = g->warps + g->launch->warps, *w = g->warps;
    if (r->placed) return;
    if (sm->warp >= g->warps && sm->warp < end && sm->warp->state != WARP_ENDED) w = sm->warp;
    while (w < end && w->state == WARP_ENDED) w++;
    if (w == end) return;
    r->placed = true;
    sm->warp = (struct warp *)(uintptr_t)w;
    fault_raise(sm, w, FAULT_NONE, w->mask ? (uint32_t)__builtin_ctz(w->mask) : ISA_LANES, 0,
                w->state == WARP_READY ? NULL : "waiting at a barrier");
    r->job->result.fault = sm->fault;
}

/* A group has ended, by whatever cause. */
static void conclude(struct dispatcher *d, struct sm *sm, struct group *g, enum slice_end end)
{
    struct slot *slot = slot_of(sm, g);
    struct run *r = slot->run;
    struct claim *c = &sm->claim;
    bool claimed = c->run == r;
    const uint32_t number = g->wgid;
    lock(d);
    counters_add(&r->job->result.counters, &g->counters);
    if (g->stray.kind && !r->job->result.stray.kind) r->job->result.stray = g->stray;
    if (claimed) measure_groups(c, slot);
    if (end == SLICE_CANCELLED && r->job->result.status != LAUNCH_FAULT && r->job->result.status != LAUNCH_STOPPED)
        note_place(r, sm, g);
    leave_slot(sm, slot);
    if (claimed) c->ended++;
    else r->resident--;
    stop_run(r, sm, number, end);
    if (r->areas) r->areas[r->nareas++] = slot->pds;
    settle_claim(d, sm);
    if (!claimed) retire(d, r);
    unlock(d);
}

/* Places one more group on the SM. */
static bool place_one_more(struct dispatcher *d, struct sm *sm)
{
    struct slot *slot = place(d, sm);
    struct group **end = &sm->groups;
    if (!slot) return false;
    struct group *g = &slot->group;
    while (*end) end = &(*end)->next;
    *end = g;
    if (group_start(sm, slot)) {
        observe_group_begin(g);
        return true;
    }
    sm->fault = (struct fault){
        .kind = FAULT_LAUNCH, .lane = ISA_LANES, .detail = "no host memory for registers or local memory"};
    conclude(d, sm, g, SLICE_FAULT);
    return true;
}

/* A time slice of the SM, with one more group if those it had did not end in theirs. False: there is nothing. */
static bool run_slice(struct dispatcher *d, struct sm *sm)
{
    bool worked = !(sm->groups && sm->claim.advanced) && place_one_more(d, sm);
    sm->claim.advanced = false;
    if (!sm->groups) return worked;
    for (enum slice_end end; (end = slice_run(sm, next_of_claim)) != SLICE_OVER;) {
        struct group *g = sm->group;
        if (end == SLICE_FAULT) observe_fault(sm->warp, &sm->fault);
        observe_group_end(g);
        conclude(d, sm, g, end);
    }
    give_back(&sm->claim);
    return true;
}

/* Slices of the SM up to the end of its claim. False: there is nothing. */
static bool run_sm(struct dispatcher *d, struct sm *sm)
{
    struct claim *c = &sm->claim;
    bool worked = run_slice(d, sm);
    while (!sm->groups && c->run && count_left(c)) run_slice(d, sm);
    return worked;
}

/* ---- workers ---- */

/* Waits briefly for a job to begin or end. False: none did. */
static bool await_news(struct dispatcher *d, uint64_t known)
{
    uint64_t end = host_spin_end();
    while (!d->over && d->news == known && host_spin(end)) {
    }
    return !d->over && d->news != known;
}

/* Worker 0 has nothing to do at the moment: others are at work, or all is over. */
static bool idle(struct dispatcher *d, uint64_t known)
{
    lock(d);
    d->over = !d->runs && !d->finished;
    unlock(d);
    if (d->over || await_news(d, known)) return d->over;
    struct timespec soon;
    timespec_get(&soon, TIME_UTC);
    soon.tv_nsec += 1000000; /* the source may have something new, a cancel flag may have been set */
    if (soon.tv_nsec >= 1000000000) soon.tv_sec++, soon.tv_nsec -= 1000000000;
    pthread_mutex_lock(&d->lock); /* in any case, because the condition gives it up */
    if (!d->finished) pthread_cond_timedwait(&d->ended, &d->lock, &soon);
    pthread_mutex_unlock(&d->lock);
    return false;
}

static bool run_sms(struct dispatcher *d, uint32_t worker)
{
    bool worked = false;
    for (uint32_t i = worker; i < d->gpu->config.sms; i += d->workers) worked |= run_sm(d, &d->gpu->sms[i]);
    return worked;
}

static void work_first(struct dispatcher *d)
{
    const struct job_source *s = d->source;
    for (bool over = false; !over;) {
        uint64_t known = d->news;
        exchange_jobs(d);
        if (s->leave && s->leave(s->user)) break;
        if (d->source->progress) report_progress(d);
        if (!d->busy_since) call_others(d, true);
        bool worked = run_sms(d, 0);
        call_others(d, worked);
        if (!worked) over = idle(d, known);
    }
    d->over = true;
}

/* Leaves when there is nothing to do for some time. */
static void work_along(struct dispatcher *d, uint32_t worker)
{
    uint64_t known;
    do known = d->news;
    while (!d->over && (run_sms(d, worker) || await_news(d, known)));
    d->called = false;
}

static void work(struct dispatcher *d, uint32_t worker) { worker ? work_along(d, worker) : work_first(d); }

/* Guest arithmetic in its own floating-point environment, guest accesses under the signal handler. */
static bool work_guarded(struct dispatcher *d, uint32_t worker)
{
    fenv_t host;
    struct recover_thread old;
    if (!recover_enter(d->gpu->stacks + worker * RECOVER_STACK, &old)) return false;
    fegetenv(&host);
    round_begin();
    work(d, worker);
    fesetenv(&host);
    recover_leave(&old);
    return true;
}

/* What a helping thread does when it is called for a gpu_run (workers.h). */
static void help(void *user, uint32_t number) { work_guarded(user, number); }

/* Refuses the jobs of a machine that cannot run at all. */
static void refuse_all(const struct job_source *source, const char *why)
{
    struct job *job;
    while ((job = source->next(source->user))) {
        job->result = (struct result){0};
        fail(job, why);
        source->done(source->user, job);
    }
}

static void set_reservations(struct gpu *gpu, bool shared)
{
    for (uint32_t i = 0; i < gpu->config.sms; i++)
        gpu->sms[i].reservations = shared ? &gpu->reservations : &gpu->sms[i].own_reservations;
}

uint32_t gpu_workers(const struct gpu_config *c) { return c->host_threads < c->sms ? c->host_threads : c->sms; }

/* The threads that help worker 0, made when the machine runs for the first time. False: the host has none left. */
static bool have_workers(struct gpu *gpu, uint32_t n)
{
    if (n > 1 && !gpu->workers) gpu->workers = workers_new(n - 1, help);
    return n == 1 || gpu->workers;
}

void gpu_run(struct gpu *gpu, const struct job_source *source)
{
    struct dispatcher d = {.gpu = gpu,
                           .source = source,
                           .runs = gpu->runs,
                           .finished = gpu->finished,
                           .workers = gpu_workers(&gpu->config)};
    bool lock = pthread_mutex_init(&d.lock, NULL) == 0;
    bool signal = pthread_cond_init(&d.ended, NULL) == 0;
    bool ready = lock && signal && have_workers(gpu, d.workers);
    gpu->dispatcher = &d;
    if (!d.runs) set_reservations(gpu, d.workers == 1); /* jobs that have been left keep theirs */
    if (ready && d.runs && gpu->workers) call(&d);      /* they may be on the SMs of any of them */
    if (!ready || !work_guarded(&d, 0))
        refuse_all(source, "the host has no memory, thread or signal handler left"); /* nothing has been taken yet */
    if (gpu->workers) workers_dismiss(gpu->workers);
    gpu->dispatcher = NULL;
    gpu->runs = d.runs;
    gpu->finished = d.finished;
    if (lock) pthread_mutex_destroy(&d.lock);
    if (signal) pthread_cond_destroy(&d.ended);
    code_leave(gpu);
}

/* ---- one job ---- */

static struct job *next_once(void *user)
{
    struct job **job = user, *it = *job;
    *job = NULL;
    return it;
}

static void done_once(void *user, struct job *job) { (void)user, (void)job; }

void gpu_launch(struct gpu *gpu, const struct launch *launch, const struct launch_options *options,
                struct result *result)
{
    struct job job = {.launch = *launch, .options = options ? *options : (struct launch_options){0}}, *next = &job;
    const struct job_source source = {&next, next_once, done_once};
    gpu_run(gpu, &source);
    *result = job.result;
}
