/* What is in flight: who waits for whom, and what happens at an end.
 *
 * Everything queued counts what it still waits for. At zero a launch or a call is ready for its thread (machine.c
 * runs launches; calls are run at the end of this file), a mark ends and a gate opens. An end counts down those
 * that waited for it. Marks may follow one another in long chains, so the ends that an end brings about are a
 * list that is worked off (`due`), not a recursion.
 *
 * No lock is held while anything of the client runs: callbacks, `ending`, calls. */
#include <stdlib.h>
#include <string.h>

#include "driver/driver.h"

/* ---- lists ---- */

/* Puts `e` behind `before`, or in front if that is NULL. */
static void list_insert(struct event_list *list, enum membership m, ventus_event *e, ventus_event *before)
{
    ventus_event **link = before ? &before->link[m].next : &list->first, *after = *link;
    e->link[m] = (struct event_link){after, before};
    *link = e;
    if (after) after->link[m].previous = e;
    else list->last = e;
}

static void list_remove(struct event_list *list, enum membership m, ventus_event *e)
{
    const struct event_link *k = &e->link[m];
    if (k->previous) k->previous->link[m].next = k->next;
    else list->first = k->next;
    if (k->next) k->next->link[m].previous = k->previous;
    else list->last = k->previous;
}

/* ---- what is ready ---- */

/* The thread that runs it; NULL for marks and gates. */
static struct worker *worker_of(ventus_event *e)
{
    if (e->kind == EVENT_LAUNCH) return &e->device->queue.machine;
    return e->kind == EVENT_CALL ? &e->device->queue.host : NULL;
}

/* VENTUS_OK: it may run; else what it ends with instead. With the lock held. */
static enum ventus_status event_verdict(const ventus_event *e)
{
    return e->cancel ? VENTUS_CANCELLED : e->failed ? VENTUS_DEPENDENCY : VENTUS_OK;
}

/* Lists it for its thread: what will never run in front, the rest in the order of submission. With the lock held. */
static void make_ready(ventus_event *e)
{
    struct worker *w = worker_of(e);
    ventus_event *before = event_verdict(e) == VENTUS_OK ? w->ready.last : NULL;
    while (before && before->number > e->number && event_verdict(before) == VENTUS_OK)
        before = before->link[READY].previous;
    list_insert(&w->ready, READY, e, before);
    e->listed = true;
    e->device->queue.news = true;
    worker_notice(&e->device->queue, w);
}

/* With the lock held. */
static void make_unready(ventus_event *e)
{
    if (e->listed) list_remove(&worker_of(e)->ready, READY, e);
    e->listed = false;
}

/* A cancelled event may end before what it waits for, which goes on, and which nothing in flight may wait for any more:
 * then it counts as a tail in their place until they have ended, too. With the lock held. */
static void tail_ends(ventus_event *e)
{
    struct queue *q = &e->device->queue;
    if (e->waits_for) q->tails += e->followed;
    else q->tails -= !e->followed;
}

/* One thing less to wait for; `failed`: why it did not succeed, if that matters. With the lock of its queue held. */
static void count_down(ventus_event *e, enum ventus_status failed, struct event_list *due)
{
    if (e->failed == VENTUS_OK || e->failed == VENTUS_CANCELLED) e->failed = failed == VENTUS_OK ? e->failed : failed;
    if (--e->waits_for) return;
    if (e->state == VENTUS_ENDED) e->device->queue.tails--; /* see tail_ends */
    if (e->state != VENTUS_QUEUED || e->listed) return;
    if (worker_of(e)) make_ready(e);
    else list_insert(due, READY, e, due->last);
}

/* The same without the lock. */
static void count_down_unlocked(ventus_event *e, enum ventus_status failed, struct event_list *due)
{
    struct queue *q = &e->device->queue;
    pthread_mutex_lock(&q->lock);
    count_down(e, failed, due);
    pthread_mutex_unlock(&q->lock);
}

/* ---- beginning and end ---- */

void event_begin(ventus_event *e)
{
    struct queue *q = &e->device->queue;
    pthread_mutex_lock(&q->lock);
    make_unready(e);
    e->outcome.started = ventus_clock(e->device);
    e->began = e->device->clock ? host_ns() : e->outcome.started;
    e->state = VENTUS_RUNNING;
    if (e->kind == EVENT_LAUNCH) q->running++;
    struct callback *due = event_callbacks(e);
    if (e->waiters) pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
    event_call(e, due);
}

/* A mean in which the last launches count most. */
static void note_time(struct queue *q, uint64_t ns)
{
    enum { WEIGHT = 8 }; /* a guess */
    q->usual_ns = q->usual_ns ? (q->usual_ns * (WEIGHT - 1) + ns) / WEIGHT : ns;
}

static void count_launch(struct queue *q, const ventus_event *e)
{
    const struct ventus_outcome *o = &e->outcome;
    q->running -= e->state == VENTUS_RUNNING;
    q->watched -= e->watch != NULL;
    q->totals.launches++;
    if (e->outcome.started) note_time(q, e->outcome.ended - e->outcome.started);
    q->totals.faults += o->status == VENTUS_FAULT;
    q->totals.cancelled += o->status == VENTUS_CANCELLED;
    counters_add(&q->counters, &e->job.result.counters);
}

static enum ventus_status dep_failed(const ventus_event *ended, bool any_end)
{
    return any_end ? VENTUS_OK : ended->outcome.cause;
}

/* What is held for its sake goes before anybody hears of the end. */
static void conclude(ventus_event *e, enum ventus_status status)
{
    if (e->kind == EVENT_LAUNCH) {
        status = launch_finish(e, status);
        if (e->timeline) timeline_launch_ended(e);
        if (e->in.module) ventus_module_free((ventus_module *)e->in.module);
    } else if (status != VENTUS_OK) {
        e->outcome.message = ventus_status_text(status);
    }
    e->outcome.status = status;
    e->outcome.cause = status == VENTUS_DEPENDENCY ? e->failed : status;
    e->outcome.ended = ventus_clock(e->device);
    if (e->kind == EVENT_LAUNCH) launch_clock(e);
    if (e->ending) e->ending(e->user, &e->outcome);
}

/* Counts down those of its dependents that are on its own device and returns the others. With the lock held. */
static struct dependency *count_down_own(ventus_event *e, struct event_list *due)
{
    struct dependency *others = NULL;
    for (struct dependency *d = e->dependents, *next; d; d = next) {
        next = d->next; /* it lies in the event that waits */
        if (d->waiting->device == e->device) {
            count_down(d->waiting, dep_failed(e, d->any_end), due);
            ventus_event_release(d->waiting);
        } else {
            d->next = others;
            others = d;
        }
    }
    return others;
}

static void count_down_others(ventus_event *e, struct dependency *others, struct event_list *due)
{
    for (struct dependency *d = others, *next; d; d = next) {
        next = d->next;
        count_down_unlocked(d->waiting, dep_failed(e, d->any_end), due);
        ventus_event_release(d->waiting);
    }
}

/* Ends one event; those that this makes due are added to `due`. */
static void end_one(ventus_event *e, enum ventus_status status, struct event_list *due)
{
    struct queue *q = &e->device->queue;
    conclude(e, status);
    pthread_mutex_lock(&q->lock);
    make_unready(e);
    list_remove(&q->all, ALL, e);
    q->count--;
    tail_ends(e);
    if (e->kind == EVENT_LAUNCH) count_launch(q, e);
    if (e->timeline) timeline_event_ended(e);
    e->state = VENTUS_ENDED;
    struct dependency *others = count_down_own(e, due);
    struct callback *callbacks = event_callbacks(e);
    q->news = true;
    bool awaited = e->waiters || q->finishing;
    pthread_mutex_unlock(&q->lock);
    if (awaited) pthread_cond_broadcast(&q->changed); /* those who wake find the lock free */
    count_down_others(e, others, due);
    event_call(e, callbacks);
    ventus_event_release(e);
}

/* Ends the marks and opens the gates of a list, whose dependencies have ended; more of them may become due by that. An
 * open gate may be ended by whoever waited for it, hence the use. */
static void end_due(struct event_list *due)
{
    for (ventus_event *e; (e = due->first);) {
        enum ventus_status status = event_verdict(e);
        list_remove(due, READY, e);
        ventus_event_retain(e);
        if (status == VENTUS_OK) event_begin(e);
        if (status != VENTUS_OK || e->kind == EVENT_MARK) end_one(e, status, due);
        ventus_event_release(e);
    }
}

void event_end(ventus_event *e, enum ventus_status status)
{
    struct event_list due = {0};
    end_one(e, status, &due);
    end_due(&due);
}

enum ventus_status ventus_event_set(ventus_event *event, enum ventus_status status)
{
    struct queue *q = &event->device->queue;
    pthread_mutex_lock(&q->lock);
    bool open = event->kind == EVENT_GATE && event->state == VENTUS_RUNNING && !event->set;
    if (open) event->set = true;
    pthread_mutex_unlock(&q->lock);
    if (!open) return VENTUS_BAD_ARGUMENT;
    event_end(event, status);
    return VENTUS_OK;
}

/* ---- cancelling ---- */

/* With the lock held. The machine looks at the flag of what runs. */
static void cancel(ventus_event *e)
{
    bool waiting = worker_of(e) && e->state == VENTUS_QUEUED && !e->cancel;
    if (waiting) make_unready(e);
    e->cancel = true;
    if (waiting) make_ready(e);
}

void ventus_event_cancel(ventus_event *event)
{
    pthread_mutex_lock(&event->device->queue.lock);
    cancel(event);
    pthread_mutex_unlock(&event->device->queue.lock);
}

/* Cancels launches whose callers have set their cancel flags, or which have run too long. With the lock held. */
static void check_running(struct queue *q)
{
    bool looks = q->watched || ((q->limit_ns || q->interrupts) && q->running);
    for (ventus_event *e = looks ? q->all.first : NULL; e; e = e->link[ALL].next) {
        if (event_is_overdue(e)) e->overdue = true;
        if (e->overdue || (e->watch && *e->watch)) cancel(e);
    }
}

ventus_event *queue_first(struct queue *q, struct worker *w, enum ventus_status *verdict)
{
    check_running(q);
    ventus_event *e = w->ready.first;
    *verdict = e ? event_verdict(e) : VENTUS_OK;
    return e;
}

static void close_worker(struct queue *q, struct worker *w)
{
    pthread_mutex_lock(&q->lock);
    while (w->helped && !queue_is_client(q)) queue_wait(q, UINT64_MAX);
    worker_wake(w);
    bool started = w->started;
    pthread_mutex_unlock(&q->lock);
    if (started) pthread_join(w->thread, NULL);
    w->started = false;
}

void queue_close(ventus_device *d)
{
    struct queue *q = &d->queue;
    pthread_mutex_lock(&q->lock);
    q->closing = true;
    for (ventus_event *e = q->all.first; e; e = e->link[ALL].next) cancel(e);
    pthread_mutex_unlock(&q->lock);
    close_worker(q, &q->machine);
    close_worker(q, &q->host);
    while (q->all.first)
        event_end(q->all.first, VENTUS_CANCELLED); /* gates nobody has set, and what waits for others */
}

/* ---- submission ---- */

static ventus_event *event_new(ventus_device *d, enum event_kind kind, size_t ndeps)
{
    ventus_event *e = spares_take(&d->events, sizeof *e + ndeps * sizeof *e->deps);
    if (!e) return NULL;
    e->uses = 1;
    e->kind = kind;
    e->device = d;
    e->outcome.message = "";
    e->job.user = e;
    atomic_fetch_add(&d->uses, 1);
    return e;
}

/* Its thread runs from the first need on; false: the host has none left. With the lock held. */
static bool start_worker(struct worker *w)
{
    if (!w->started) w->started = host_thread(&w->thread, w->run, w);
    return w->started;
}

/* With the lock held. */
static void note_client(struct queue *q, const ventus_event *e)
{
    if (!q->submitted) q->client = pthread_self();
    else if (!pthread_equal(q->client, pthread_self())) q->shared = true;
    if (q->gathers) q->latest = host_ns();
    else if (e->kind == EVENT_LAUNCH || e->kind == EVENT_CALL) q->latest = e->outcome.submitted;
}

/* With the lock held. */
static enum ventus_status append(struct queue *q, ventus_event *e, size_t ndeps)
{
    if (q->closing) return VENTUS_BAD_ARGUMENT;
    struct worker *w = worker_of(e);
    if (w && !start_worker(w)) return VENTUS_NO_MEMORY;
    e->outcome.submitted = ventus_clock(e->device);
    e->job.submitted = e->device->clock ? 0 : e->outcome.submitted;
    note_client(q, e);
    e->number = ++q->submitted;
    e->waits_for = ndeps + 1; /* one for the submission itself */
    list_insert(&q->all, ALL, e, q->all.last);
    q->count++;
    q->tails++;
    queue_proceed(q);
    q->watched += e->watch != NULL;
    ventus_event_retain(e);
    if (e->in.module) atomic_fetch_add(&((ventus_module *)e->in.module)->uses, 1);
    if (e->device->timeline_process) timeline_event_submitted(e, ndeps);
    return VENTUS_OK;
}

/* Has `on` count `e` down when it ends; false when it has ended. With the lock of its queue held. */
static bool depend(ventus_event *e, struct dependency *d, const struct ventus_dep *on)
{
    if (on->event->state == VENTUS_ENDED) return false;
    ventus_event_retain(e);
    *d = (struct dependency){.next = on->event->dependents, .waiting = e, .any_end = on->any_end};
    on->event->dependents = d;
    return true;
}

/* Something of its own device waits for it. With the lock held. */
static void follow(ventus_event *e)
{
    e->device->queue.tails -= !e->followed;
    e->followed = true;
}

/* What it waits for on its own device; how many others there are. With the lock held. */
static size_t depend_on_own(ventus_event *e, size_t ndeps, const struct ventus_dep *deps, struct event_list *due)
{
    size_t others = 0;
    for (size_t i = 0; i < ndeps; i++)
        if (deps[i].event->device != e->device) others++;
        else if (depend(e, &e->deps[i], &deps[i])) follow(deps[i].event);
        else count_down(e, dep_failed(deps[i].event, deps[i].any_end), due);
    return others;
}

/* The same for the others, whose lock may not be taken together with ours. */
static void depend_on_others(ventus_event *e, size_t ndeps, const struct ventus_dep *deps, struct event_list *due)
{
    for (size_t i = 0; i < ndeps; i++) {
        struct queue *q = &deps[i].event->device->queue;
        if (deps[i].event->device == e->device) continue;
        pthread_mutex_lock(&q->lock);
        bool waits = depend(e, &e->deps[i], &deps[i]);
        queue_wake(q);
        pthread_mutex_unlock(&q->lock);
        if (!waits) count_down_unlocked(e, dep_failed(deps[i].event, deps[i].any_end), due);
    }
    count_down_unlocked(e, VENTUS_OK, due);
}

static enum ventus_status enter(ventus_event *e, size_t ndeps, const struct ventus_dep *deps)
{
    struct queue *q = &e->device->queue;
    struct event_list due = {0};
    size_t others = 0;
    for (size_t i = 0; i < ndeps; i++)
        if (!deps[i].event) return VENTUS_BAD_ARGUMENT;
    pthread_mutex_lock(&q->lock);
    enum ventus_status status = append(q, e, ndeps);
    if (status == VENTUS_OK) others = depend_on_own(e, ndeps, deps, &due);
    if (status == VENTUS_OK && !others) count_down(e, VENTUS_OK, &due);
    pthread_mutex_unlock(&q->lock);
    if (others) depend_on_others(e, ndeps, deps, &due);
    end_due(&due);
    return status;
}

/* `status` is that of the preparations. Hands the event over to the client, or what is left of it back. */
static enum ventus_status submit(ventus_event *e, enum ventus_status status, size_t ndeps,
                                 const struct ventus_dep *deps, ventus_event **event)
{
    if (status == VENTUS_OK) status = enter(e, ndeps, deps);
    if (status == VENTUS_OK && event) *event = e;
    else ventus_event_release(e);
    return status;
}

enum ventus_status ventus_launch(ventus_device *device, const struct ventus_launch *launch, size_t ndeps,
                                 const struct ventus_dep *deps, ventus_event **event)
{
    if (!device || !launch || (ndeps && !deps)) return VENTUS_BAD_ARGUMENT;
    ventus_event *e = event_new(device, EVENT_LAUNCH, ndeps);
    if (!e) return VENTUS_NO_MEMORY;
    e->ending = launch->ending;
    e->user = launch->user;
    return submit(e, launch_init(e, launch), ndeps, deps, event);
}

enum ventus_status ventus_call(ventus_device *device, const struct ventus_call *call, size_t ndeps,
                               const struct ventus_dep *deps, ventus_event **event)
{
    if (!device || !call || !call->run || (ndeps && !deps)) return VENTUS_BAD_ARGUMENT;
    ventus_event *e = event_new(device, EVENT_CALL, ndeps);
    if (!e) return VENTUS_NO_MEMORY;
    e->run = call->run;
    e->ending = call->ending;
    e->user = call->user;
    return submit(e, VENTUS_OK, ndeps, deps, event);
}

enum ventus_status ventus_mark(ventus_device *device, size_t ndeps, const struct ventus_dep *deps, ventus_event **event)
{
    if (!device || (ndeps && !deps)) return VENTUS_BAD_ARGUMENT;
    ventus_event *e = event_new(device, EVENT_MARK, ndeps);
    return e ? submit(e, VENTUS_OK, ndeps, deps, event) : VENTUS_NO_MEMORY;
}

enum ventus_status ventus_gate(ventus_device *device, size_t ndeps, const struct ventus_dep *deps, ventus_event **event)
{
    if (!device || !event || (ndeps && !deps)) return VENTUS_BAD_ARGUMENT;
    ventus_event *e = event_new(device, EVENT_GATE, ndeps);
    return e ? submit(e, VENTUS_OK, ndeps, deps, event) : VENTUS_NO_MEMORY;
}

/* ---- calls ---- */

void call_run(ventus_event *e, enum ventus_status verdict)
{
    if (verdict == VENTUS_OK) {
        event_begin(e);
        verdict = e->run(e->user);
    }
    event_end(e, verdict);
}
