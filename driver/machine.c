/* Launches: what the machine's thread does, or the client's in its place (worker.c).
 *
 * It runs batches: one gpu_run with launches of one module, which the machine asks for while others run. Between
 * batches the code window may change, by this thread or by a copy to or from it, which keeps the machine idle. A launch
 * that could start but for another module, or behind one, ends the batch: nobody is overtaken for ever. Only this
 * thread ends launches. A client's thread leaves a batch when what it waits for has ended; another one goes on with it.
 *
 * `news` saves the machine's frequent question from taking the lock: nothing has changed, no answer. */
#include "driver/driver.h"

static uint64_t serial_of(const ventus_event *e) { return e->in.module ? e->in.module->serial : 0; }

/* ---- a batch ---- */

/* Most launches that it makes sense to give to the machine at once: each needs a slot. Asked only for a launch that
 * waits, which keeps observers where they are: when the last one has ended they may be gone, or others have come. */
static uint32_t most_running(const ventus_device *d)
{
    const struct gpu_config *c = gpu_config_of(d->gpu);
    uint32_t slots = c->sms * c->groups_per_sm, watched = gpu_most_launches(d->gpu);
    return d->export_folder || d->backend ? 1 : watched < slots ? watched : slots;
}

/* A client that runs the batch goes on when all that it waits for has ended, or its time is over. With the lock held.
 */
static bool client_goes_on(const struct queue *q)
{
    if (!q->machine.helped) return false;
    return q->late || !q->all.first || q->all.first->number > q->machine.helped;
}

/* A client that does not wait has run launches for as long as it may. The clock is asked when the machine has asked
 * more than once since the last one began: short ones end before. */
static bool is_late(struct queue *q)
{
    return q->machine.helped && q->machine.lent_until != UINT64_MAX && ++q->asked > 1 &&
           host_ns() >= q->machine.lent_until;
}

/* job_source.leave: launches of other threads, which have joined, then go on without it. */
static bool is_left(void *user)
{
    struct queue *q = &((ventus_device *)user)->queue;
    if (!q->late) q->late = is_late(q);
    if (!q->joined && !q->late) return false;
    pthread_mutex_lock(&q->lock);
    bool left = client_goes_on(q);
    pthread_mutex_unlock(&q->lock);
    return left;
}

/* The launch that may join the batch, or one to end. */
static ventus_event *candidate(ventus_device *d, enum ventus_status *verdict)
{
    struct queue *q = &d->queue;
    pthread_mutex_lock(&q->lock);
    ventus_event *e = queue_first(q, &q->machine, verdict);
    bool may_join = !q->pauses && !client_goes_on(q);
    bool fits = e && may_join && serial_of(e) == q->batch && q->running < most_running(d);
    if (e && *verdict == VENTUS_OK && !fits) e = NULL;
    if (e && q->machine.helped && e->number > q->machine.helped) q->joined = true;
    if (e && e->link[READY].next) q->news = true; /* there are more */
    pthread_mutex_unlock(&q->lock);
    return e;
}

/* job_source.next. A launch for whose blocks there is no memory waits for those that run, if any do. */
static struct job *next_job(void *user)
{
    ventus_device *d = user;
    struct queue *q = &d->queue;
    enum ventus_status status;
    if (!atomic_exchange(&q->news, false) && !q->watched && !q->limit_ns && !q->interrupts) return NULL;
    for (ventus_event *e; (e = candidate(d, &status));) {
        if (status == VENTUS_OK) status = launch_prepare(e);
        if (status == VENTUS_OK) {
            event_begin(e);
            if (q->interrupts) interrupt_count(1);
            q->asked = 0;
            return &e->job;
        }
        if (q->running && status == VENTUS_NO_DEVICE_MEMORY) return NULL;
        event_end(e, status);
    }
    return NULL;
}

/* job_source.progress: a line a second, of a launch that has run for one. */
static void show_progress(void *user, struct job *job, uint64_t ended, uint64_t total)
{
    enum { SECOND = 1000000000 };
    const ventus_event *e = job->user;
    struct queue *q = &((ventus_device *)user)->queue;
    const uint64_t now = host_ns();
    if (now - e->began < SECOND || now - q->shown < SECOND) return;
    q->shown = now;
    host_show_progress("ventus: %s: %llu of %llu work-groups, %llu s", e->raw ? "launch" : e->in.kernel->name,
                       (unsigned long long)ended, (unsigned long long)total,
                       (unsigned long long)((now - e->began) / SECOND));
}

static void job_done(void *user, struct job *job)
{
    ventus_event *e = job->user;
    struct queue *q = &((ventus_device *)user)->queue;
    if (q->shown) host_show_progress("%s", "");
    q->shown = 0;
    const enum ventus_status status = launch_status(e);
    launch_export_result(e, status != VENTUS_OK);
    event_end(e, status);
    if (q->interrupts) interrupt_count(-1);
}

static void run_batch(ventus_device *d, ventus_event *first)
{
    struct queue *q = &d->queue;
    const struct job_source source = {d, next_job, job_done, q->shows ? show_progress : NULL, is_left};
    enum ventus_status status = first->in.module ? module_map(d, first->in.module) : VENTUS_OK;
    q->news = true;
    if (status == VENTUS_OK && d->backend) backend_run(d, &source);
    else if (status == VENTUS_OK) gpu_run(d->gpu, &source);
    else event_end(first, status);
}

static void note_begin(struct queue *q, const ventus_event *first)
{
    pthread_mutex_lock(&q->lock);
    q->batch = serial_of(first);
    q->began = host_ns();
    q->joined = q->late = false;
    pthread_mutex_unlock(&q->lock);
}

static void note_end(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->totals.busy_ns += host_ns() - q->began;
    q->began = 0;
    pthread_mutex_unlock(&q->lock);
}

void machine_work(ventus_event *e, enum ventus_status verdict)
{
    ventus_device *d = e->device;
    if (verdict != VENTUS_OK) {
        event_end(e, verdict);
        return;
    }
    note_begin(&d->queue, e);
    run_batch(d, e);
    note_end(&d->queue);
}

/* ---- when one begins ---- */

enum { GATHER_NS = 100000000 }; /* so late, at most, begins a launch that nobody waits for */

/* The host may have more launches for the same moment. By the clock of a cycle model it takes no time to queue them:
 * all that it queues before it waits for something, or has been quiet for a while, is there when the first one begins.
 */
uint64_t machine_held_until(const struct queue *q)
{
    if (q->pauses) return UINT64_MAX;
    if (!q->gathers || q->waiting || q->closing) return 0;
    uint64_t quiet = q->latest + GATHER_NS;
    return host_ns() < quiet ? quiet : 0;
}
