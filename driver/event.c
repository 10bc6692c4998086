/* Events: what a client holds of something queued; asking, waiting, being called.
 *
 * The state of an event is written under the lock of its device's queue, together with what depends on it;
 * it may be read at any time, and once it is VENTUS_ENDED the outcome no longer changes. An event keeps the
 * device structure (not the machine) alive, so that it can be asked after ventus_close. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "driver/driver.h"

/* ---- the lock of a queue, and waiting under it ---- */

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
    pthread_cond_t *const conditions[] = {&q->machine.wake, &q->host.wake, &q->changed};
    size_t made = 0;
    if (pthread_mutex_init(&q->lock, NULL)) return false;
    while (made < 3 && init_condition(conditions[made])) made++;
    if (made == 3) return true;
    while (made) pthread_cond_destroy(conditions[--made]);
    pthread_mutex_destroy(&q->lock);
    return false;
}

static void queue_destroy(struct queue *q)
{
    pthread_cond_destroy(&q->machine.wake);
    pthread_cond_destroy(&q->host.wake);
    pthread_cond_destroy(&q->changed);
    pthread_mutex_destroy(&q->lock);
}

enum { SECOND = 1000000000 };

uint64_t deadline_of(uint64_t timeout_ns)
{
    uint64_t now = host_ns();
    return timeout_ns > UINT64_MAX - now ? UINT64_MAX : now + timeout_ns;
}

bool queue_sleep(struct queue *q, pthread_cond_t *condition, uint64_t deadline)
{
    if (deadline == UINT64_MAX) return pthread_cond_wait(condition, &q->lock) == 0;
    if (host_ns() >= deadline) return false;
    const struct timespec t = {(time_t)(deadline / SECOND), (long)(deadline % SECOND)};
    pthread_cond_timedwait(condition, &q->lock, &t);
    return true;
}

static bool is_self(const struct worker *w) { return w->started && pthread_equal(w->thread, pthread_self()); }

bool queue_is_client(const struct queue *q) { return pthread_equal(q->client, pthread_self()); }

static bool worker_is_self(const struct queue *q, const struct worker *w)
{
    return is_self(w) || (w->helped && queue_is_client(q));
}

bool queue_is_self(const struct queue *q) { return worker_is_self(q, &q->machine) || worker_is_self(q, &q->host); }

void worker_wake(struct worker *w)
{
    w->woken = true;
    pthread_cond_signal(&w->wake);
}

void worker_notice(const struct queue *q, struct worker *w)
{
    if (!w->busy && (!w->naps || q->waiting)) worker_wake(w);
}

bool queue_has_trifles(const struct queue *q)
{
    enum { TRIFLE_NS = 20000 }; /* a guess, as AHEAD */
    return q->usual_ns && q->usual_ns < TRIFLE_NS;
}

static void proceed(const struct queue *q, struct worker *w)
{
    /* What a client queues at most before it waits, as a rule, if it waits at once. A worker that is not woken looks by
     * itself after NAP_NS (worker.c), so a larger number costs 0.25 ms at most. bench/launch tells no difference, where
     * equal runs differ by 0.80 to 1.15. */
    enum { AHEAD = 8 };
    if (w->naps && !w->busy && !queue_has_trifles(q) && w->ready.first &&
        q->submitted - w->ready.first->number >= AHEAD)
        worker_wake(w);
}

/* Their memory is to fit into the second cache of a processor. 64 to 1024 tell no difference. */
enum { BACKLOG = 128 };

void queue_proceed(struct queue *q)
{
    if (q->count >= BACKLOG && !q->machine.busy && q->machine.ready.first && queue_has_trifles(q)) q->backlog = true;
    proceed(q, &q->machine);
    proceed(q, &q->host);
}

static void wake_for_work(struct worker *w)
{
    if (!w->ready.first || w->busy) return;
    w->prompt = true;
    worker_wake(w);
}

void queue_wake(struct queue *q)
{
    wake_for_work(&q->machine);
    wake_for_work(&q->host);
}

bool queue_wait(struct queue *q, uint64_t deadline)
{
    if (!q->waiting++) queue_wake(q);
    bool in_time = queue_sleep(q, &q->changed, deadline);
    q->waiting--;
    return in_time;
}

/* ---- pauses: the machine is kept idle ---- */

bool queue_pause(ventus_device *d)
{
    struct queue *q = &d->queue;
    pthread_mutex_lock(&q->lock);
    bool allowed = !worker_is_self(q, &q->machine);
    if (allowed) q->pauses++;
    while (allowed && (q->machine.busy || q->running)) queue_wait(q, UINT64_MAX);
    pthread_mutex_unlock(&q->lock);
    return allowed;
}

void queue_resume(ventus_device *d)
{
    pthread_mutex_lock(&d->queue.lock);
    d->queue.pauses--;
    d->queue.news = true;
    worker_wake(&d->queue.machine);
    pthread_mutex_unlock(&d->queue.lock);
}

/* ---- life ---- */

void device_release(ventus_device *d)
{
    if (atomic_fetch_sub(&d->uses, 1) != 1) return;
    queue_destroy(&d->queue);
    pthread_mutex_destroy(&d->lock);
    pthread_mutex_destroy(&d->print_lock);
    spares_close(&d->events);
    free(d->clock);
    free(d);
}

void ventus_event_retain(ventus_event *event) { atomic_fetch_add(&event->uses, 1); }

void ventus_event_release(ventus_event *event)
{
    if (!event || atomic_fetch_sub(&event->uses, 1) != 1) return;
    free(event->args);
    free(event->message);
    free(event->names);
    free(event->timeline);
    ventus_device *device = event->device;
    spares_give(&device->events, event);
    device_release(device);
}

/* ---- questions ---- */

void ventus_flush(ventus_device *device)
{
    pthread_mutex_lock(&device->queue.lock);
    queue_wake(&device->queue);
    pthread_mutex_unlock(&device->queue.lock);
}

enum ventus_state ventus_event_state(const ventus_event *event) { return event->state; }

const struct ventus_outcome *ventus_event_outcome(const ventus_event *event)
{
    return event->state == VENTUS_ENDED ? &event->outcome : NULL;
}

/* ---- the end of what runs too long ---- */

bool event_is_overdue(const ventus_event *e)
{
    const uint64_t limit = e->device->queue.limit_ns;
    if (e->kind != EVENT_LAUNCH || e->state != VENTUS_RUNNING) return false;
    return (limit && host_ns() - e->began > limit) || (e->device->queue.interrupts && interrupt_came());
}

void event_set_overdue(ventus_event *e)
{
    struct queue *q = &e->device->queue;
    pthread_mutex_lock(&q->lock);
    e->overdue = e->cancel = true;
    pthread_mutex_unlock(&q->lock);
}

/* Of what runs the machine looks at the flag. */
bool event_is_over(ventus_event *e)
{
    if (e->cancel || !event_is_overdue(e)) return e->cancel;
    event_set_overdue(e);
    return true;
}

/* ---- callbacks ---- */

bool ventus_event_notify(ventus_event *event, enum ventus_state state, void (*call)(ventus_event *event, void *user),
                         void *user)
{
    struct queue *q = &event->device->queue;
    struct callback *c = malloc(sizeof *c), **at = &event->callbacks;
    if (!c) return false;
    *c = (struct callback){NULL, state, call, user};
    pthread_mutex_lock(&q->lock);
    bool reached = event->state >= state;
    if (!reached) {
        queue_wake(q);
        while (*at && (*at)->state <= state) at = &(*at)->next;
        c->next = *at;
        *at = c;
    }
    pthread_mutex_unlock(&q->lock);
    if (reached) {
        free(c);
        call(event, user);
    }
    return true;
}

struct callback *event_callbacks(ventus_event *e)
{
    struct callback *due = e->callbacks, **end = &due;
    while (*end && (*end)->state <= e->state) end = &(*end)->next;
    e->callbacks = *end;
    *end = NULL;
    return due;
}

void event_call(ventus_event *e, struct callback *due)
{
    for (struct callback *next; due; due = next) {
        next = due->next;
        due->call(e, due->user);
        free(due);
    }
}
