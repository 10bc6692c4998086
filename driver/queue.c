/* Launches in flight: who may start, and the thread that runs the machine.
 *
 * The thread runs batches: one gpu_run with launches of one module, which the machine asks for while others
 * run. Between batches the code window may change, by the thread or by a visitor, a copy to or from it. A
 * launch that could start but for another module, or behind one, ends the batch: nobody is overtaken
 * for ever. Only the thread takes launches out of the queue.
 *
 * `news` saves the machine's frequent question from taking the lock: nothing has changed, no answer. */
#include <stdlib.h>

#include "driver/driver.h"

/* ---- the structure ---- */

static bool init_condition(pthread_cond_t *cond)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes)) return false;
    bool ok = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 && pthread_cond_init(cond, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    return ok;
}

bool queue_init(struct queue *q)
{
    q->last = &q->first;
    if (pthread_mutex_init(&q->lock, NULL)) return false;
    if (init_condition(&q->wake)) {
        if (init_condition(&q->changed)) return true;
        pthread_cond_destroy(&q->wake);
    }
    pthread_mutex_destroy(&q->lock);
    return false;
}

void queue_destroy(struct queue *q)
{
    pthread_cond_destroy(&q->wake);
    pthread_cond_destroy(&q->changed);
    pthread_mutex_destroy(&q->lock);
}

/* With the lock held. */
static void wake(struct queue *q)
{
    q->news = true;
    pthread_cond_signal(&q->wake);
}

void queue_poke(ventus_device *d)
{
    pthread_mutex_lock(&d->queue.lock);
    d->queue.lost = true;
    wake(&d->queue);
    pthread_mutex_unlock(&d->queue.lock);
}

bool queue_is_self(const struct queue *q) { return q->started && pthread_equal(q->thread, pthread_self()); }

bool queue_visit(ventus_device *d)
{
    struct queue *q = &d->queue;
    pthread_mutex_lock(&q->lock);
    bool allowed = !queue_is_self(q);
    if (allowed) q->visitors++;
    while (allowed && q->busy) pthread_cond_wait(&q->changed, &q->lock);
    pthread_mutex_unlock(&q->lock);
    return allowed;
}

void queue_leave(ventus_device *d)
{
    pthread_mutex_lock(&d->queue.lock);
    d->queue.visitors--;
    wake(&d->queue);
    pthread_mutex_unlock(&d->queue.lock);
}

/* ---- who is next ---- */

static uint64_t serial_of(const ventus_event *e) { return e->in.module ? e->in.module->serial : 0; }

/* May a launch start, as far as others are concerned? VENTUS_OK: yes; VENTUS_TIMEOUT: not yet; else it never
 * will. */
static enum ventus_status verdict(const ventus_event *e)
{
    enum ventus_status status = e->cancel || (e->watch && *e->watch) ? VENTUS_CANCELLED : VENTUS_OK;
    for (size_t i = 0; i < e->ndeps && status == VENTUS_OK; i++) {
        if (e->deps[i]->state != VENTUS_ENDED) status = VENTUS_TIMEOUT;
        else if (e->deps[i]->outcome.status != VENTUS_OK) status = VENTUS_DEPENDENCY;
    }
    return status;
}

/* The launch to look at next: one that will never run, wherever it stands, with the reason in *status, else
 * the first that could start, with VENTUS_OK. With the lock held. */
static ventus_event *choose(struct queue *q, enum ventus_status *status)
{
    ventus_event *ready = NULL;
    for (ventus_event *e = q->first; e && (!ready || q->lost); e = e->next) {
        if (e->state != VENTUS_QUEUED) continue;
        *status = verdict(e);
        if (*status == VENTUS_OK && !ready) ready = e;
        if (*status != VENTUS_OK && *status != VENTUS_TIMEOUT) return e;
    }
    q->lost = false;
    *status = VENTUS_OK;
    return ready;
}

/* ---- the end of a launch ---- */

/* Takes it out of the queue. With the lock held. */
static void unlink_event(struct queue *q, ventus_event *e)
{
    ventus_event **link = &q->first;
    while (*link != e) link = &(*link)->next;
    *link = e->next;
    if (!e->next) q->last = link;
}

static void count(struct ventus_totals *t, const struct ventus_outcome *o)
{
    t->launches++;
    t->faults += o->status == VENTUS_FAULT;
    t->cancelled += o->status == VENTUS_CANCELLED;
    counters_add(&t->counters, &o->result.counters);
}

/* What is held for the launch's sake goes before anybody hears of its end. */
static void release_inputs(ventus_event *e)
{
    for (size_t i = 0; i < e->ndeps; i++) event_unuse(e->deps[i]);
    e->ndeps = 0;
    if (e->in.module) ventus_module_free((ventus_module *)e->in.module);
}

static void end(ventus_event *e, enum ventus_status status)
{
    struct queue *q = &e->device->queue;
    launch_finish(e, status);
    release_inputs(e);
    e->outcome.ended = host_ns();
    pthread_mutex_lock(&q->lock);
    if (e->state == VENTUS_RUNNING) {
        q->running--;
        q->watched -= e->watch != NULL;
    }
    unlink_event(q, e);
    count(&q->totals, &e->outcome);
    e->state = VENTUS_ENDED;
    struct callback *c = e->callbacks;
    e->callbacks = NULL;
    q->news = true;
    if (status != VENTUS_OK) q->lost = true; /* with it, what depends on it */
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
    for (struct callback *next; c; c = next) {
        next = c->next;
        c->call(e, c->user);
        free(c);
    }
    event_unuse(e);
}

/* ---- a batch ---- */

/* Most launches that it makes sense to give to the machine at once: each needs a slot. */
static uint32_t most_running(const ventus_device *d)
{
    const struct gpu_config *c = ventus_config(d);
    return d->check ? 1 : c->sms * c->groups_per_sm;
}

/* Passes the cancel flags of callers on, since the machine looks at ours. With the lock held. */
static void look_at_flags(struct queue *q)
{
    for (ventus_event *e = q->first; e; e = e->next)
        if (e->state == VENTUS_RUNNING && e->watch && *e->watch) e->cancel = true;
}

/* The launch that may join the batch, or one to end. */
static ventus_event *candidate(ventus_device *d, enum ventus_status *status)
{
    struct queue *q = &d->queue;
    pthread_mutex_lock(&q->lock);
    if (q->watched) look_at_flags(q);
    ventus_event *e = choose(q, status);
    bool room = !q->visitors && q->running < most_running(d);
    if (e && *status == VENTUS_OK && (!room || serial_of(e) != q->batch)) e = NULL;
    pthread_mutex_unlock(&q->lock);
    return e;
}

static void mark_running(struct queue *q, ventus_event *e)
{
    pthread_mutex_lock(&q->lock);
    e->outcome.started = host_ns();
    e->state = VENTUS_RUNNING;
    q->running++;
    q->watched += e->watch != NULL;
    pthread_mutex_unlock(&q->lock);
}

/* feed.next. A launch for whose blocks there is no memory waits for those that run, if any do. */
static struct job *next_job(void *user)
{
    ventus_device *d = user;
    struct queue *q = &d->queue;
    enum ventus_status status;
    if (!atomic_exchange(&q->news, false) && !q->watched) return NULL;
    for (ventus_event *e; (e = candidate(d, &status));) {
        if (status == VENTUS_OK) status = launch_prepare(e);
        if (status == VENTUS_OK) {
            mark_running(q, e);
            q->news = true; /* there may be more */
            return &e->job;
        }
        if (q->running && status == VENTUS_NO_DEVICE_MEMORY) return NULL;
        end(e, status);
    }
    return NULL;
}

static void job_done(void *user, struct job *job)
{
    ventus_event *e = job->user;
    (void)user;
    end(e, launch_status(e));
}

static void run_batch(ventus_device *d, ventus_event *first)
{
    struct queue *q = &d->queue;
    const struct feed feed = {d, next_job, job_done};
    enum ventus_status status = first->in.module ? module_place(d, first->in.module) : VENTUS_OK;
    q->news = true;
    if (status == VENTUS_OK) gpu_run(d->gpu, &feed);
    else end(first, status);
    pthread_mutex_lock(&q->lock);
    q->busy = false;
    q->totals.busy_ns += host_ns() - q->began;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
}

/* ---- the thread ---- */

/* Waits for a launch to run (then the machine is busy) or to end; NULL: this is the end of the thread. */
static ventus_event *await(struct queue *q, enum ventus_status *status)
{
    ventus_event *e;
    pthread_mutex_lock(&q->lock);
    while (!(e = choose(q, status)) || (*status == VENTUS_OK && q->visitors)) {
        if (q->closing && !q->first) break;
        pthread_cond_wait(&q->wake, &q->lock);
    }
    if (e && *status == VENTUS_OK) {
        q->busy = true;
        q->began = host_ns();
        q->batch = serial_of(e);
    }
    pthread_mutex_unlock(&q->lock);
    return e;
}

static void *thread_main(void *argument)
{
    ventus_device *d = argument;
    enum ventus_status status;
    for (ventus_event *e; (e = await(&d->queue, &status));) {
        if (status == VENTUS_OK) run_batch(d, e);
        else end(e, status);
    }
    return NULL;
}

void queue_close(ventus_device *d)
{
    struct queue *q = &d->queue;
    pthread_mutex_lock(&q->lock);
    q->closing = q->lost = true;
    for (ventus_event *e = q->first; e; e = e->next) e->cancel = true;
    wake(q);
    bool started = q->started;
    pthread_mutex_unlock(&q->lock);
    if (started) pthread_join(q->thread, NULL);
    q->started = false;
}

/* ---- submission ---- */

static ventus_event *event_new(ventus_device *d)
{
    ventus_event *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->uses = 1;
    e->device = d;
    e->job.user = e;
    atomic_fetch_add(&d->uses, 1);
    return e;
}

static void poke_other(ventus_event *dep, void *user)
{
    ventus_device *d = user;
    (void)dep;
    queue_poke(d);
    device_unuse(d);
}

/* Keeps the dependencies, and asks those of other devices to tell ours. */
static enum ventus_status take_deps(ventus_event *e, size_t ndeps, ventus_event *const *deps)
{
    e->deps = calloc(ndeps ? ndeps : 1, sizeof *e->deps);
    if (!e->deps) return VENTUS_NO_MEMORY;
    for (size_t i = 0; i < ndeps; i++) {
        if (!deps[i]) return VENTUS_BAD_ARGUMENT;
        ventus_event_retain(deps[i]);
        e->deps[e->ndeps++] = deps[i];
        if (deps[i]->device == e->device) continue;
        atomic_fetch_add(&e->device->uses, 1);
        if (ventus_event_notify(deps[i], poke_other, e->device)) continue;
        device_unuse(e->device);
        return VENTUS_NO_MEMORY;
    }
    return VENTUS_OK;
}

static enum ventus_status append(ventus_event *e)
{
    struct queue *q = &e->device->queue;
    enum ventus_status status = VENTUS_OK;
    pthread_mutex_lock(&q->lock);
    if (!q->started && !q->closing) q->started = host_thread(&q->thread, thread_main, e->device);
    if (q->closing) status = VENTUS_BAD_ARGUMENT;
    else if (!q->started) status = VENTUS_NO_MEMORY;
    if (status == VENTUS_OK) {
        e->outcome.submitted = host_ns();
        e->number = ++q->submitted;
        *q->last = e;
        q->last = &e->next;
        ventus_event_retain(e);
        if (e->in.module) atomic_fetch_add(&((ventus_module *)e->in.module)->uses, 1);
        q->lost = q->lost || verdict(e) == VENTUS_DEPENDENCY;
        wake(q);
    }
    pthread_mutex_unlock(&q->lock);
    return status;
}

enum ventus_status ventus_launch(ventus_device *device, const struct ventus_launch *launch, size_t ndeps,
                                 ventus_event *const *deps, ventus_event **event)
{
    if (!device || !launch || (ndeps && !deps)) return VENTUS_BAD_ARGUMENT;
    ventus_event *e = event_new(device);
    if (!e) return VENTUS_NO_MEMORY;
    enum ventus_status status = launch_take(e, launch);
    if (status == VENTUS_OK) status = take_deps(e, ndeps, deps);
    if (status == VENTUS_OK) status = append(e);
    if (status == VENTUS_OK && event) *event = e;
    else event_unuse(e);
    return status;
}

/* ---- waiting ---- */

enum ventus_status ventus_finish(ventus_device *device, uint64_t timeout_ns)
{
    if (!device) return VENTUS_BAD_ARGUMENT;
    struct queue *q = &device->queue;
    uint64_t deadline = deadline_of(timeout_ns);
    bool in_time = true;
    pthread_mutex_lock(&q->lock);
    uint64_t last = q->submitted;
    bool allowed = !queue_is_self(q);
    while (allowed && in_time && q->first && q->first->number <= last) in_time = queue_wait(q, &q->changed, deadline);
    pthread_mutex_unlock(&q->lock);
    if (!allowed) return VENTUS_BAD_ARGUMENT;
    return in_time ? VENTUS_OK : VENTUS_TIMEOUT;
}

static enum ventus_status run(ventus_device *device, const struct ventus_launch *launch, struct ventus_outcome *outcome)
{
    ventus_event *e;
    enum ventus_status status = ventus_launch(device, launch, 0, NULL, &e);
    if (status != VENTUS_OK) {
        bool named = launch && launch->kernel && !launch->raw;
        snprintf(outcome->message, sizeof outcome->message, "%s%s: %s", named ? "kernel " : "launch",
                 named ? launch->kernel->name : "", ventus_status_text(status));
        return status;
    }
    status = ventus_event_wait(e, VENTUS_FOREVER);
    const struct ventus_outcome *o = ventus_event_outcome(e);
    if (o) *outcome = *o; /* not on the device's own thread */
    ventus_event_release(e);
    return status;
}

enum ventus_status ventus_run(ventus_device *device, const struct ventus_launch *launch, struct result *result,
                              char *message, size_t message_size)
{
    struct ventus_outcome outcome = {0};
    enum ventus_status status = result ? run(device, launch, &outcome) : VENTUS_BAD_ARGUMENT;
    if (result && outcome.submitted) *result = outcome.result;
    if (message && message_size) snprintf(message, message_size, "%s", outcome.message);
    return status;
}
