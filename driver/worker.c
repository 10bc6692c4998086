/* The threads of a device, one for launches and one for calls, and the client's thread that does their work.
 *
 * Many clients do nothing but wait for what they have just queued. One that waits for all that is in flight does the
 * work itself: nobody is woken, and no second processor is kept busy with waiting. What a client submits might be
 * waited for in a moment, so that a thread of the device that has had work a moment ago naps: it looks soon, and is not
 * woken before, unless the client goes on submitting. When launches are short it goes on napping, as long as the client
 * goes on submitting: two threads that pass such launches to each other are slower than the client's alone. When it
 * then finds work it was right to look, and from now on begins at once, until the client waits again. Of short launches
 * that nobody has begun with the client runs a hundred at a time, whose events are still in its cache; in a second run
 * over ten thousand none is. All this is for one thread that submits; as soon as there are several, each worker does
 * its own work. */
#include "driver/driver.h"

enum {
    NAP_NS = 250000,        /* how late work is begun that nobody waits for, at most */
    QUIET_NS = 1000000,     /* a client that has neither submitted nor waited for so long does something else */
    PATIENCE_NS = 50000000, /* even for one that goes on submitting */
    SOON_NS = 20000,        /* a client that waits so soon does nothing else meanwhile */
    LENT_NS = 1000000,      /* so long a client that does not wait runs launches: then it leaves them to the worker */
};

/* ---- nothing to do ---- */

static void sleep_until_woken(struct queue *q, struct worker *w, uint64_t deadline)
{
    while (!w->woken && queue_sleep(q, &w->wake, deadline)) {
    }
}

/* For something that is expected at any moment. */
static void wait_awake(struct queue *q, struct worker *w, uint64_t deadline)
{
    pthread_mutex_unlock(&q->lock);
    uint64_t end = host_spin_end();
    while (!w->woken && host_spin(end)) {
    }
    pthread_mutex_lock(&q->lock);
    sleep_until_woken(q, w, deadline);
}

/* Is what is ready the client's to run, which will wait for it? With the lock held. */
static bool leaves_to_client(const struct queue *q, const struct worker *w)
{
    const ventus_event *e = w->ready.first;
    if (!e || w != &q->machine || !queue_has_trifles(q)) return false;
    return host_ns() - q->latest < QUIET_NS && host_ns() - e->outcome.submitted < PATIENCE_NS;
}

/* There is nothing to do at the moment. */
static void idle(struct queue *q, struct worker *w, uint64_t deadline)
{
    const uint64_t known = q->submitted;
    w->woken = false;
    if (q->shared || q->gathers || w->prompt) {
        wait_awake(q, w, deadline);
        return;
    }
    w->naps = true;
    do sleep_until_woken(q, w, host_ns() + NAP_NS);
    while (!w->woken && leaves_to_client(q, w));
    w->naps = false;
    if (w->woken) return;
    if (w->ready.first && !w->busy) w->prompt = true;
    else if (w->busy || q->submitted == known) sleep_until_woken(q, w, deadline);
}

/* ---- working ---- */

/* One of the launches that a client has left when what it waited for had ended; NULL: there are none. With the lock
 * held. */
static ventus_event *left_behind(const struct queue *q, const struct worker *w)
{
    if (w != &q->machine || w->busy || !q->running) return NULL;
    ventus_event *e = q->all.first;
    while (e->kind != EVENT_LAUNCH || e->state != VENTUS_RUNNING) e = e->link[ALL].next;
    return e;
}

/* 0: *e is to be worked on, and VENTUS_OK if it may run; else until when there is nothing to do. With the lock held. */
static uint64_t look(struct queue *q, struct worker *w, ventus_event **e, enum ventus_status *verdict)
{
    *verdict = VENTUS_OK;
    if ((*e = left_behind(q, w))) return 0;
    *e = queue_first(q, w, verdict);
    if (!*e || w->busy) return UINT64_MAX;
    return *verdict == VENTUS_OK && w->held_until ? w->held_until(q) : 0;
}

/* With the lock held, which is given up meanwhile. */
static void work(struct queue *q, struct worker *w, ventus_event *e, enum ventus_status verdict)
{
    w->busy = true;
    pthread_mutex_unlock(&q->lock);
    w->work(e, verdict);
    pthread_mutex_lock(&q->lock);
    w->busy = false;
    if (q->pauses || q->closing) pthread_cond_broadcast(&q->changed);
}

void *worker_run(void *worker)
{
    struct worker *w = worker;
    struct queue *q = w->queue;
    enum ventus_status verdict;
    ventus_event *e;
    pthread_mutex_lock(&q->lock);
    for (uint64_t until; (until = look(q, w, &e, &verdict)) == 0 || e || !q->closing;) {
        if (until) idle(q, w, until);
        else work(q, w, e, verdict);
    }
    pthread_mutex_unlock(&q->lock);
    return NULL;
}

/* ---- the client's thread ---- */

/* `until`: how long, at most (host_ns). */
static bool help_worker(struct queue *q, struct worker *w, uint64_t until)
{
    enum ventus_status verdict;
    ventus_event *e;
    int cancels;
    if (look(q, w, &e, &verdict)) return false;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancels);
    w->helped = q->submitted;
    w->lent_until = until;
    work(q, w, e, verdict);
    w->helped = 0;
    pthread_setcancelstate(cancels, NULL);
    if (w->ready.first || left_behind(q, w)) worker_wake(w); /* it may have looked meanwhile, and gone to sleep */
    return true;
}

static bool may_help(const struct queue *q)
{
    return !q->shared && !q->gathers && queue_is_client(q) && !queue_is_self(q);
}

/* On a client's thread that is about to wait for all that is in flight: does a piece of the workers' work, if there is
 * any that it may do. False: nothing has been done. With the lock held, which is given up meanwhile. */
static bool help(struct queue *q)
{
    if (!may_help(q)) return false;
    if (host_ns() - q->latest < SOON_NS) q->machine.prompt = q->host.prompt = false;
    return help_worker(q, &q->machine, UINT64_MAX) || help_worker(q, &q->host, UINT64_MAX);
}

/* The same of a client that goes on submitting. */
static void work_off(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->backlog = false;
    if (may_help(q)) help_worker(q, &q->machine, host_ns() + LENT_NS);
    pthread_mutex_unlock(&q->lock);
}

/* ---- waiting ---- */

/* What the client waits for is all that is in flight. It does not run what it only wants to see start: it would be kept
 * until the end. With the lock held. */
static void help_to(const ventus_event *e, enum ventus_state state)
{
    struct queue *q = &e->device->queue;
    if (state < VENTUS_ENDED && e->kind != EVENT_GATE) return;
    while (e->state < state && q->tails == 1 && !e->followed && help(q)) {
    }
}

/* Looks for a moment whether the event reaches `state`. */
static void spin_for(const ventus_event *e, enum ventus_state state, uint64_t deadline)
{
    uint64_t end = host_spin_end();
    if (end > deadline) end = deadline;
    while (e->state < state && host_spin(end)) {
    }
}

/* Waits until the event has reached `state`; VENTUS_OK when it has. */
static enum ventus_status wait_for(ventus_event *e, enum ventus_state state, uint64_t timeout_ns)
{
    struct queue *q = &e->device->queue;
    if (e->state >= state) return VENTUS_OK;
    uint64_t deadline = deadline_of(timeout_ns);
    pthread_mutex_lock(&q->lock);
    if (deadline == UINT64_MAX) help_to(e, state);
    queue_wake(q);
    pthread_mutex_unlock(&q->lock);
    if (e->state >= state) return VENTUS_OK;
    spin_for(e, state, deadline);
    pthread_mutex_lock(&q->lock);
    bool allowed = !queue_is_self(q), in_time = true;
    e->waiters++;
    while (allowed && in_time && e->state < state) in_time = queue_wait(q, deadline);
    e->waiters--;
    bool reached = e->state >= state;
    pthread_mutex_unlock(&q->lock);
    return reached ? VENTUS_OK : allowed ? VENTUS_TIMEOUT : VENTUS_BAD_ARGUMENT;
}

enum ventus_status ventus_event_wait_start(ventus_event *event, uint64_t timeout_ns)
{
    return wait_for(event, VENTUS_RUNNING, timeout_ns);
}

enum ventus_status ventus_event_wait(ventus_event *event, uint64_t timeout_ns)
{
    enum ventus_status status = wait_for(event, VENTUS_ENDED, timeout_ns);
    return status == VENTUS_OK ? event->outcome.status : status;
}

enum ventus_status ventus_finish(ventus_device *device, uint64_t timeout_ns)
{
    if (!device) return VENTUS_BAD_ARGUMENT;
    struct queue *q = &device->queue;
    uint64_t deadline = deadline_of(timeout_ns);
    bool in_time = true;
    pthread_mutex_lock(&q->lock);
    uint64_t last = q->submitted;
    bool allowed = !queue_is_self(q);
    while (deadline == UINT64_MAX && q->submitted == last && q->all.first && help(q)) {
    }
    q->finishing++;
    while (allowed && in_time && q->all.first && q->all.first->number <= last) in_time = queue_wait(q, deadline);
    q->finishing--;
    pthread_mutex_unlock(&q->lock);
    if (!allowed) return VENTUS_BAD_ARGUMENT;
    return in_time ? VENTUS_OK : VENTUS_TIMEOUT;
}

/* Is something of what is in flight at work, or about to be? Else all of it waits for the client. With the lock held.
 */
static bool proceeds(const struct queue *q)
{
    return q->running || q->machine.busy || q->host.busy || q->machine.ready.first || q->host.ready.first;
}

void ventus_hold_back(ventus_device *device, size_t most)
{
    enum { LOOK_NS = 1000000 };
    struct queue *q = &device->queue;
    if (q->backlog) work_off(q);
    if (q->count <= most) return;
    pthread_mutex_lock(&q->lock);
    const bool allowed = !queue_is_self(q);
    queue_wake(q);
    while (allowed && q->count > most / 2 && proceeds(q))
        if (!help(q)) queue_wait(q, host_ns() + LOOK_NS);
    pthread_mutex_unlock(&q->lock);
}

/* Says why a launch has not even been queued. */
static void refuse(ventus_device *device, const struct ventus_launch *launch, enum ventus_status status, char *message,
                   size_t size)
{
    bool named = launch && launch->kernel && !launch_is_raw(launch);
    char why[200];
    bool foreign = status == VENTUS_BAD_MODULE && !ventus_module_fits(device, launch->module, why, sizeof why);
    snprintf(message, size, "%s%s: %s", named ? "kernel " : "launch", named ? launch->kernel->name : "",
             foreign ? why : ventus_status_text(status));
}

enum ventus_status ventus_run(ventus_device *device, const struct ventus_launch *launch, struct ventus_result *result,
                              char *message, size_t message_size)
{
    ventus_event *e;
    char none[1];
    if (!message || !message_size) message = none, message_size = sizeof none;
    *message = '\0';
    if (!result) return VENTUS_BAD_ARGUMENT;
    enum ventus_status status = ventus_launch(device, launch, 0, NULL, &e);
    if (status != VENTUS_OK) {
        refuse(device, launch, status, message, message_size);
        return status;
    }
    status = ventus_event_wait(e, VENTUS_FOREVER);
    const struct ventus_outcome *o = ventus_event_outcome(e);
    if (o) { /* not on a thread of the device's own */
        *result = o->result;
        snprintf(message, message_size, "%s", o->message);
    }
    ventus_event_release(e);
    return status;
}
