/* Command buffers are enqueued: a mark that waits for what the whole waits for, copies of the commands behind that
 * mark, and a mark behind them all, which is the command that the queue and the client's event know. Copies share
 * nothing that changes, so a buffer may be enqueued again while it is in flight. Called through icd.c. */
#include <stdlib.h>

#include "command_buffer.h"
#include "driver/timeline.h"

/* One enqueuing of a command buffer: the first marker, the copies in order, the last marker, numbered as the
 * synchronization points are. */
struct replay {
    size_t count, entered;
    struct command **commands; /* that are still ours */
    ventus_event **events;     /* each of a command that has been entered */
};

static void replay_free(struct replay *r)
{
    for (size_t i = 0; i < r->count && r->commands; i++)
        if (r->commands[i]) command_free(r->commands[i]);
    for (size_t i = 0; i < r->entered; i++) ventus_event_release(r->events[i]);
    free(r->commands);
    free(r->events);
}

/* Allocates everything before anything is submitted. */
static cl_int replay_init(struct replay *r, const struct _cl_command_buffer_khr *b, cl_command_queue q, cl_uint nwaits,
                          const cl_event *waits)
{
    *r = (struct replay){.count = b->count + 2};
    r->commands = calloc(r->count, sizeof *r->commands);
    r->events = calloc(r->count, sizeof *r->events);
    if (!r->commands || !r->events) return CL_OUT_OF_HOST_MEMORY;
    cl_int error =
        command_new(q, CL_COMMAND_COMMAND_BUFFER_KHR, sizeof(struct command), nwaits, waits, 0, &r->commands[0]);
    if (error) return error;
    r->commands[0]->queued = ventus_clock(q->context->device);
    for (size_t i = 1; i <= b->count; i++) {
        const struct recorded *from = &b->commands[i - 1];
        if (!(r->commands[i] = command_copy(from->command, q, from->nbehind))) return CL_OUT_OF_HOST_MEMORY;
    }
    struct command *end = r->commands[r->count - 1] = command_copy(r->commands[0], q, b->count + 2);
    if (end) end->member = false; /* it stands for all in the queue's order */
    return end ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

/* Makes the command depend on another one of the replay, which has been entered. */
static void put_behind(struct replay *r, struct command *c, size_t point, bool any_end)
{
    c->deps[c->ndeps++] = (struct ventus_dep){r->events[point], any_end};
}

static void put_all_behind(struct replay *r, const struct _cl_command_buffer_khr *b, size_t i)
{
    struct command *c = r->commands[i];
    for (size_t k = 0; i > 0 && i <= b->count && k < b->commands[i - 1].nbehind; k++)
        put_behind(r, c, b->commands[i - 1].behind[k].point, b->commands[i - 1].behind[k].any_end);
    for (size_t k = 0; i > b->count && k < i; k++) put_behind(r, c, k, false);
}

/* Submits all, with nothing of another thread between them; on failure what has been submitted is to be cancelled. */
static cl_int replay_enter(struct replay *r, const struct _cl_command_buffer_khr *b, cl_command_queue q)
{
    cl_int error = CL_SUCCESS;
    pthread_mutex_lock(&q->lock);
    while (r->entered < r->count) {
        const size_t i = r->entered;
        const bool mark = command_is_mark(r->commands[i]);
        put_all_behind(r, b, i);
        error = command_enter(r->commands[i], &r->events[i]);
        if (error) break;
        if (!mark) r->commands[i] = NULL;
        r->entered++;
    }
    pthread_mutex_unlock(&q->lock);
    return error;
}

/* The client's event for the whole replay. */
static void replay_event(const struct replay *r, cl_event event)
{
    event->begin = r->events[0];
    event->under = r->events[r->count - 1];
    ventus_event_retain(event->begin);
    ventus_event_retain(event->under);
}

/* Until everything is with the driver no update may change it; what is given back runs the client's code, later. */
static cl_int replay(cl_command_buffer_khr b, cl_command_queue q, cl_uint nwaits, const cl_event *waits,
                     cl_event *result)
{
    struct replay r = {0};
    cl_event event = NULL;
    pthread_mutex_lock(&b->lock);
    const bool ready = command_buffer_state(b) == CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR;
    cl_int error = ready ? replay_init(&r, b, q, nwaits, waits) : CL_INVALID_OPERATION;
    if (!error && result && !(event = event_new(q->context, q, CL_COMMAND_COMMAND_BUFFER_KHR, r.commands[0]->queued)))
        error = CL_OUT_OF_HOST_MEMORY;
    if (!error) error = replay_enter(&r, b, q);
    pthread_mutex_unlock(&b->lock);
    for (size_t i = r.entered; error && i-- > 0;) ventus_event_cancel(r.events[i]);
    if (!error && event) replay_event(&r, *result = event);
    else if (event) clReleaseEvent(event);
    replay_free(&r);
    return error;
}

/* The queue to enqueue on: the one that was named when recording, or the only one of the list. */
static cl_int queue_check(cl_command_buffer_khr b, cl_uint count, const cl_command_queue *queues,
                          cl_command_queue *queue)
{
    if ((count == 0) != (queues == NULL) || count > 1) return CL_INVALID_VALUE;
    *queue = count ? queues[0] : b->queue;
    if (!object_is(*queue, KIND_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    if ((*queue)->context != b->queue->context) return CL_INVALID_CONTEXT;
    return (*queue)->device == b->queue->device ? CL_SUCCESS : CL_INVALID_DEVICE;
}

static cl_int enqueue(cl_uint count, cl_command_queue *queues, cl_command_buffer_khr b, cl_uint nwaits,
                      const cl_event *waits, cl_event *event)
{
    cl_command_queue queue;
    if (!object_is(b, KIND_COMMAND_BUFFER)) return CL_INVALID_COMMAND_BUFFER_KHR;
    cl_int error = queue_check(b, count, queues, &queue);
    if (error) return error;
    object_use(&queue->base); /* the commands' own uses may go with them */
    timeline_begin(queue->context->device, "enqueue command buffer", NULL);
    error = replay(b, queue, nwaits, waits, event);
    timeline_end(queue->context->device, (struct timeline_fact[]){{"queue", NULL, queue->number}, {0}});
    object_drop(&queue->base);
    return error;
}

const struct extension_function replay_functions[] = {
    {"clEnqueueCommandBufferKHR", (void *)enqueue},
    {NULL, NULL},
};
