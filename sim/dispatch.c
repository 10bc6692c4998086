/* Dispatch: jobs in, work-groups onto SMs, results out.
 *
 * Like the CTA scheduler of the hardware, groups are handed out in order of jobs, x fastest, to SMs with
 * free slots, warps, registers and local memory. An SM gets one more group whenever those it has did not
 * end in a time slice: all that fit become resident if they need each other, and otherwise one after
 * another runs to its end with warm caches.
 *
 * Host threads: worker k runs the SMs k, k + n, ...; the caller of gpu_run is worker 0 and alone asks
 * the source of jobs. Everything in struct dispatcher and struct run is under `lock`; an SM is its worker's own. With
 * one worker the order of all work is a function of the jobs. */
#include <fenv.h>
#include <stdlib.h>
#include <string.h>

#include "sim/layout.h"
#include "sim/machine.h"

/* A job that is being worked on. */
struct run {
    struct run *next;
    struct job *job;
    const struct engine_build *engine;
    uint64_t number;                         /* of the launch, in its machine */
    const struct observer *const *observers; /* of the machine and of the job; NULL: none */
    bool flags;                              /* fflags and vxsat accrue */
    uint64_t dispatched, total;              /* work-groups */
    uint32_t resident;
    _Atomic bool stopped;    /* fault or cancel: no more groups, resident ones are abandoned */
    uint32_t *areas, nareas; /* free areas of private memory; NULL: one for all */
};

struct dispatcher {
    struct gpu *gpu;
    const struct job_source *source;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* there may be work, or the end */
    struct run *runs;       /* oldest first */
    struct run *finished;   /* to be reported by worker 0 */
    uint32_t workers;
    bool over;
};

struct worker {
    struct dispatcher *d;
    uint32_t number;
    pthread_t thread;
    void *stack; /* for signals */
};

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
    r->flags = code_reads_flags(gpu) || observers_want_flags(r->observers);
    if (r->observers) needs |= NEEDS_HOOKS;
    if (r->flags) needs |= NEEDS_FLAGS;
    r->engine = engine_choose(gpu->engine, needs);
}

/* NULL when the job cannot run; its result then says why. */
static struct run *start_job(struct gpu *gpu, struct job *job)
{
    const struct launch *l = &job->launch;
    const char *why = group_check(&gpu->config, l);
    struct run *r = why ? NULL : calloc(1, sizeof *r);
    job->result = (struct result){.status = LAUNCH_DONE, .fault.lane = ISA_LANES};
    if (r) {
        r->job = job;
        r->number = ++gpu->launches;
        r->total = (uint64_t)l->groups[0] * l->groups[1] * l->groups[2];
        if (observers_collect(gpu, job->options.observers, &r->observers) && make_areas(r, &gpu->config)) {
            choose_engine(gpu, r);
            recover_renew();
            observe_launch_begin(r->observers, job);
            return r;
        }
        end_job(r);
    }
    fail(job, why ? why : "out of host memory");
    return NULL;
}

/* Takes new jobs from the source and gives finished ones back. Worker 0, without the lock. */
static void exchange_jobs(struct dispatcher *d)
{
    struct job *job;
    pthread_mutex_lock(&d->lock);
    while (d->finished) {
        struct run *r = d->finished;
        d->finished = r->next;
        pthread_mutex_unlock(&d->lock);
        job = r->job;
        observe_launch_end(r->observers, job);
        end_job(r);
        d->source->done(d->source->user, job);
        pthread_mutex_lock(&d->lock);
    }
    pthread_mutex_unlock(&d->lock);
    while ((job = d->source->next(d->source->user))) {
        struct run *r = start_job(d->gpu, job), **end = &d->runs;
        if (!r) {
            d->source->done(d->source->user, job);
            continue;
        }
        pthread_mutex_lock(&d->lock);
        while (*end) end = &(*end)->next;
        *end = r;
        pthread_cond_broadcast(&d->changed);
        pthread_mutex_unlock(&d->lock);
    }
}

/* A job without groups to dispatch or resident is finished. With the lock held. */
static void retire(struct dispatcher *d, struct run *r)
{
    struct run **link = &d->runs;
    if (r->resident || (!r->stopped && r->dispatched < r->total)) return;
    while (*link != r) link = &(*link)->next;
    *link = r->next;
    for (link = &d->finished; *link;) link = &(*link)->next;
    r->next = NULL;
    *link = r;
    pthread_cond_broadcast(&d->changed);
}

/* ---- work-groups ---- */

static struct slot *slot_of(struct sm *sm, const struct group *g) { return &sm->slots[g->slot]; }

static bool may_place(const struct dispatcher *d, const struct run *r, const struct sm *sm)
{
    if (r->stopped || r->dispatched == r->total) return false;
    if (r->observers && sm->index % d->workers != 0) return false; /* observers see one thread */
    if (r->job->options.serial) return sm->index == 0 && !sm->slots_used;
    return !r->areas || r->nareas;
}

/* The next group of run r, placed on `sm`, its position filled in. */
static void position(struct run *r, struct slot *slot)
{
    const struct launch *l = &r->job->launch;
    struct group *g = &slot->group;
    uint64_t n = r->dispatched++;
    slot->run = r;
    slot->engine = r->engine;
    slot->stopped = &r->stopped;
    g->flags = r->flags;
    g->observers = r->observers;
    g->job = r->job;
    g->launch_number = r->number;
    g->wgid = (uint32_t)n;
    g->index[0] = (uint32_t)(n % l->groups[0]);
    g->index[1] = (uint32_t)(n / l->groups[0] % l->groups[1]);
    g->index[2] = (uint32_t)(n / l->groups[0] / l->groups[1]);
    slot->pds = 0;
    if (r->areas) slot->pds = r->areas[--r->nareas];
    g->pds_base = private_area(l, slot->pds);
    r->resident++;
}

/* One more group for this SM, if there is one that fits. With the lock held. */
static struct slot *admit(struct dispatcher *d, struct sm *sm, bool *stopped)
{
    for (struct run *r = d->runs; r; r = r->next) {
        const _Atomic bool *cancel = r->job->options.cancel;
        if (cancel && *cancel && !r->stopped) {
            r->stopped = true;
            r->job->result.status = LAUNCH_CANCELLED;
            *stopped = true;
        }
        struct slot *slot = may_place(d, r, sm) ? group_place(sm, &r->job->launch) : NULL;
        if (slot) {
            position(r, slot);
            return slot;
        }
    }
    return NULL;
}

static void unlink_group(struct sm *sm, struct group *g)
{
    struct group **link = &sm->groups;
    while (*link != g) link = &(*link)->next;
    *link = g->next;
}

/* A group is over, one way or another. */
static void conclude(struct dispatcher *d, struct sm *sm, struct group *g, enum slice_end end)
{
    struct slot *slot = slot_of(sm, g);
    pthread_mutex_lock(&d->lock);
    struct run *r = slot->run;
    struct result *result = &r->job->result;
    counters_add(&result->counters, &g->counters);
    if (!r->stopped && end != SLICE_ENDED) {
        r->stopped = true;
        result->status = end == SLICE_FAULT ? LAUNCH_FAULT : end == SLICE_STOPPED ? LAUNCH_STOPPED : LAUNCH_CANCELLED;
        if (end == SLICE_FAULT) result->fault = sm->fault;
    }
    if (r->areas) r->areas[r->nareas++] = slot->pds;
    r->resident--;
    const struct scheduler *s = &sm->gpu->scheduler;
    if (s->removed) s->removed(s->user, sm->index, g);
    unlink_group(sm, g);
    group_remove(sm, slot);
    retire(d, r);
    pthread_mutex_unlock(&d->lock);
}

/* Gets one more group onto the SM. */
static bool place_one_more(struct dispatcher *d, struct sm *sm)
{
    bool some_stopped = false;
    struct group **end = &sm->groups;
    pthread_mutex_lock(&d->lock);
    struct slot *slot = admit(d, sm, &some_stopped);
    for (struct run *r = d->runs, *next; some_stopped && r; r = next) {
        next = r->next;
        if (r->stopped) retire(d, r);
    }
    pthread_mutex_unlock(&d->lock);
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
static bool run_sm(struct dispatcher *d, struct sm *sm)
{
    bool worked = place_one_more(d, sm);
    if (!sm->groups) return worked;
    for (enum slice_end end; (end = slice_run(sm)) != SLICE_OVER;) {
        struct group *g = sm->group;
        if (end == SLICE_FAULT) observe_fault(sm->warp, &sm->fault);
        observe_group_end(g);
        conclude(d, sm, g, end);
    }
    return true;
}

/* ---- workers ---- */

/* Nothing to do at the moment: worker 0 looks whether all is over, the others wait for a change. */
static bool idle(struct dispatcher *d, const struct worker *k)
{
    pthread_mutex_lock(&d->lock);
    if (k->number == 0 && !d->runs && !d->finished) {
        d->over = true;
        pthread_cond_broadcast(&d->changed);
    } else if (!d->over && !(k->number == 0 && d->finished)) {
        struct timespec soon;
        timespec_get(&soon, TIME_UTC);
        soon.tv_nsec += 1000000; /* the source may have something new, a cancel flag may have been set */
        if (soon.tv_nsec >= 1000000000) soon.tv_sec++, soon.tv_nsec -= 1000000000;
        pthread_cond_timedwait(&d->changed, &d->lock, &soon);
    }
    bool over = d->over;
    pthread_mutex_unlock(&d->lock);
    return over;
}

static void work(struct worker *k)
{
    struct dispatcher *d = k->d;
    struct gpu *gpu = d->gpu;
    for (bool over = false; !over;) {
        bool worked = false;
        if (k->number == 0) exchange_jobs(d);
        for (uint32_t i = k->number; i < gpu->config.sms; i += d->workers) worked |= run_sm(d, &gpu->sms[i]);
        if (!worked) over = idle(d, k);
    }
}

/* Guest arithmetic in its own floating-point environment, guest accesses under the signal handler. */
static bool work_guarded(struct worker *k)
{
    fenv_t host;
    stack_t old;
    if (!recover_enter(k->stack, &old)) return false;
    fegetenv(&host);
    fesetenv(FE_DFL_ENV);
    work(k);
    fesetenv(&host);
    recover_leave(&old);
    return true;
}

static void *thread_main(void *argument)
{
    work_guarded(argument);
    return NULL;
}

/* Jobs that came although the machine cannot run at all. */
static void refuse_all(const struct job_source *source, const char *why)
{
    struct job *job;
    while ((job = source->next(source->user))) {
        job->result = (struct result){0};
        fail(job, why);
        source->done(source->user, job);
    }
}

/* Wakes the workers that wait: there is nothing more to do. */
static void give_up(struct dispatcher *d)
{
    if (!d->workers) return; /* nor is there a lock */
    pthread_mutex_lock(&d->lock);
    d->over = true;
    pthread_cond_broadcast(&d->changed);
    pthread_mutex_unlock(&d->lock);
}

static void set_reservations(struct gpu *gpu, bool shared)
{
    gpu->reservations = 0;
    for (uint32_t i = 0; i < gpu->config.sms; i++) {
        gpu->sms[i].own_reservations = 0;
        gpu->sms[i].reservations = shared ? &gpu->reservations : &gpu->sms[i].own_reservations;
    }
}

uint32_t gpu_workers(const struct gpu_config *c) { return c->host_threads < c->sms ? c->host_threads : c->sms; }

void gpu_run(struct gpu *gpu, const struct job_source *source)
{
    uint32_t n = gpu_workers(&gpu->config), made = 0, running = 1;
    struct dispatcher d = {.gpu = gpu, .source = source};
    struct worker *workers = calloc(n, sizeof *workers);
    bool lock = pthread_mutex_init(&d.lock, NULL) == 0;
    bool signal = pthread_cond_init(&d.changed, NULL) == 0;
    if (workers && lock && signal) made = n;
    for (uint32_t i = 0; i < made; i++) workers[i] = (struct worker){&d, i, .stack = gpu->stacks + i * RECOVER_STACK};
    d.workers = made;
    set_reservations(gpu, made == 1);
    for (; running < made; running++)
        if (pthread_create(&workers[running].thread, NULL, thread_main, &workers[running])) break;
    if (!made || running < made || !work_guarded(&workers[0])) {
        give_up(&d); /* nothing has been taken from the source yet */
        refuse_all(source, "the host has no memory, thread or signal handler left");
    }
    for (uint32_t i = 1; i < running; i++) pthread_join(workers[i].thread, NULL);
    if (lock) pthread_mutex_destroy(&d.lock);
    if (signal) pthread_cond_destroy(&d.changed);
    code_leave(gpu);
    free(workers);
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
