/* Events: what a client holds of a launch.
 *
 * The state of an event is written under the lock of its device's queue, together with what depends on it;
 * it may be read at any time, and once it is VENTUS_ENDED the outcome no longer changes. An event keeps the
 * device structure (not the machine) alive, so that it can be asked after ventus_close. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "driver/driver.h"

/* ---- time ---- */

enum { SECOND = 1000000000 };

uint64_t deadline_of(uint64_t timeout_ns)
{
    uint64_t now = host_ns();
    return timeout_ns > UINT64_MAX - now ? UINT64_MAX : now + timeout_ns;
}

bool queue_wait(struct queue *q, pthread_cond_t *cond, uint64_t deadline)
{
    if (deadline == UINT64_MAX) return pthread_cond_wait(cond, &q->lock) == 0;
    if (host_ns() >= deadline) return false;
    const struct timespec t = {(time_t)(deadline / SECOND), (long)(deadline % SECOND)};
    pthread_cond_timedwait(cond, &q->lock, &t);
    return true;
}

/* ---- life ---- */

void ventus_event_retain(ventus_event *event) { atomic_fetch_add(&event->uses, 1); }

void ventus_event_release(ventus_event *event)
{
    if (event) event_unuse(event);
}

void event_unuse(ventus_event *e)
{
    if (atomic_fetch_sub(&e->uses, 1) != 1) return;
    for (struct callback *c = e->callbacks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    for (size_t i = 0; i < e->ndeps; i++) event_unuse(e->deps[i]);
    free(e->deps);
    free(e->memory);
    free(e->names);
    device_unuse(e->device);
    free(e);
}

/* ---- questions and requests ---- */

enum ventus_state ventus_event_state(const ventus_event *event) { return event->state; }

const struct ventus_outcome *ventus_event_outcome(const ventus_event *event)
{
    return event->state == VENTUS_ENDED ? &event->outcome : NULL;
}

enum ventus_status ventus_event_wait(ventus_event *event, uint64_t timeout_ns)
{
    struct queue *q = &event->device->queue;
    uint64_t deadline = deadline_of(timeout_ns);
    if (event->state == VENTUS_ENDED) return event->outcome.status;
    pthread_mutex_lock(&q->lock);
    bool allowed = !queue_is_self(q), in_time = true;
    while (allowed && in_time && event->state != VENTUS_ENDED) in_time = queue_wait(q, &q->changed, deadline);
    bool ended = event->state == VENTUS_ENDED;
    pthread_mutex_unlock(&q->lock);
    if (ended) return event->outcome.status;
    return allowed ? VENTUS_TIMEOUT : VENTUS_BAD_ARGUMENT;
}

void ventus_event_cancel(ventus_event *event)
{
    event->cancel = true;
    queue_poke(event->device);
}

bool ventus_event_notify(ventus_event *event, void (*call)(ventus_event *event, void *user), void *user)
{
    struct queue *q = &event->device->queue;
    struct callback *c = malloc(sizeof *c), **end = &event->callbacks;
    if (!c) return false;
    *c = (struct callback){NULL, call, user};
    pthread_mutex_lock(&q->lock);
    bool ended = event->state == VENTUS_ENDED;
    if (!ended) {
        while (*end) end = &(*end)->next;
        *end = c;
    }
    pthread_mutex_unlock(&q->lock);
    if (ended) {
        free(c);
        call(event, user);
    }
    return true;
}
