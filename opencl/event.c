/* Events: status, waiting, callbacks, profiling times, user events.
 * A status only falls (QUEUED, SUBMITTED, RUNNING, COMPLETE or negative) and the last one stays. Every
 * command has an event, whether the client asked for it or not. An event holds its queue and context.
 * event_set is called by the queue's worker and by clSetUserEventStatus. */
#include <stdlib.h>
#include <string.h>

#include "cl_ventus.h"
#include "objects.h"

struct event_callback {
    struct notice notice; /* first: the notifier hands it back */
    struct event_callback *next;
    cl_event event;
    cl_int type, status; /* registered for; to report */
    void(CL_CALLBACK *call)(cl_event, cl_int, void *);
    void *data;
};

cl_event event_new(cl_context context, cl_command_queue queue, cl_command_type type)
{
    cl_event event = calloc(1, sizeof *event);
    if (!event) return NULL;
    object_init(&event->base, KIND_EVENT);
    pthread_mutex_init(&event->lock, NULL);
    pthread_cond_init(&event->changed, NULL);
    atomic_init(&event->status, queue ? CL_QUEUED : CL_SUBMITTED);
    event->type = type;
    event->context = context;
    object_use(&context->base);
    event->queue = queue;
    if (queue) object_use(&queue->base);
    event->times[TIME_QUEUED] = host_ns();
    return event;
}

void event_drop(cl_event event)
{
    if (!object_unuse(&event->base)) return;
    for (struct event_callback *c; (c = event->callbacks);) { /* of a command that was never submitted */
        event->callbacks = c->next;
        free(c);
    }
    if (event->queue) queue_drop(event->queue);
    context_drop(event->context);
    pthread_cond_destroy(&event->changed);
    pthread_mutex_destroy(&event->lock);
    free(event);
}

static void callback_run(struct notice *notice)
{
    struct event_callback *c = (struct event_callback *)notice;
    c->call(c->event, c->status, c->data);
    event_drop(c->event);
    free(c);
}

/* With the lock held. The callback's use of the event is taken here, not at registration: an event
 * nobody can complete any more must be able to go. */
static void callback_post(cl_event event, struct event_callback *c, cl_int status)
{
    c->status = status < 0 ? status : c->type;
    c->notice.run = callback_run;
    object_use(&event->base);
    notifier_post(event->context->notifier, &c->notice);
}

/* Posts the callbacks due at `status`, those for earlier states first. */
static void callbacks_due(cl_event event, cl_int status)
{
    for (cl_int type = CL_SUBMITTED; type >= CL_COMPLETE && type >= status; type--)
        for (struct event_callback **p = &event->callbacks, *c; (c = *p);)
            if (c->type == type) {
                *p = c->next;
                callback_post(event, c, status);
            } else {
                p = &c->next;
            }
}

static void stamp(cl_event event, cl_int status)
{
    uint64_t now = host_ns();
    if (status == CL_SUBMITTED) event->times[TIME_SUBMIT] = now;
    if (status == CL_RUNNING) event->times[TIME_START] = now;
    if (status <= CL_COMPLETE) event->times[TIME_END] = now;
}

/* A callback may give the last reference back before this function is done with the lock: hold one. */
void event_set(cl_event event, cl_int status)
{
    object_use(&event->base);
    pthread_mutex_lock(&event->lock);
    if (atomic_load(&event->status) > CL_COMPLETE) {
        stamp(event, status);
        atomic_store(&event->status, status);
        callbacks_due(event, status);
        if (status <= CL_COMPLETE) pthread_cond_broadcast(&event->changed);
    }
    pthread_mutex_unlock(&event->lock);
    event_drop(event);
}

cl_int event_wait(cl_event event)
{
    pthread_mutex_lock(&event->lock);
    while (atomic_load(&event->status) > CL_COMPLETE) pthread_cond_wait(&event->changed, &event->lock);
    cl_int status = atomic_load(&event->status);
    pthread_mutex_unlock(&event->lock);
    return status;
}

/* The client has seen the failure: no later call needs to report it. */
static void failure_seen(cl_event event, cl_int status)
{
    if (status < 0 && event->queue) atomic_store(&event->queue->fault, CL_SUCCESS);
}

cl_int event_list_check(cl_context context, cl_uint count, const cl_event *list)
{
    if ((count == 0) != (list == NULL)) return CL_INVALID_EVENT_WAIT_LIST;
    for (cl_uint i = 0; i < count; i++) {
        if (!object_is(list[i], KIND_EVENT)) return CL_INVALID_EVENT_WAIT_LIST;
        if (list[i]->context != context) return CL_INVALID_CONTEXT;
    }
    return CL_SUCCESS;
}

cl_int clWaitForEvents(cl_uint count, const cl_event *list)
{
    if (count == 0 || !list) return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++) {
        if (!object_is(list[i], KIND_EVENT)) return CL_INVALID_EVENT;
        if (list[i]->context != list[0]->context) return CL_INVALID_CONTEXT;
    }
    cl_int result = CL_SUCCESS;
    for (cl_uint i = 0; i < count; i++) {
        cl_int status = event_wait(list[i]);
        failure_seen(list[i], status);
        if (status < 0) result = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    }
    return result;
}

cl_int clRetainEvent(cl_event event) { return object_retain(event, KIND_EVENT) ? CL_SUCCESS : CL_INVALID_EVENT; }

/* A user event that the client lets go of unset can never be set: what waits for it ends with an error
 * instead of waiting for ever. */
cl_int clReleaseEvent(cl_event event)
{
    bool last;
    if (!object_release(event, KIND_EVENT, &last)) return CL_INVALID_EVENT;
    if (!last) return CL_SUCCESS;
    if (!event->queue) event_set(event, CL_INVALID_EVENT);
    event_drop(event);
    return CL_SUCCESS;
}

cl_int clGetEventInfo(cl_event event, cl_event_info param, size_t size, void *value, size_t *size_ret)
{
    struct info out = {size, value, size_ret};
    if (!object_is(event, KIND_EVENT)) return CL_INVALID_EVENT;
    cl_int status = atomic_load(&event->status);
    switch (param) {
    case CL_EVENT_COMMAND_QUEUE: INFO(cl_command_queue, event->queue);
    case CL_EVENT_CONTEXT: INFO(cl_context, event->context);
    case CL_EVENT_COMMAND_TYPE: INFO(cl_command_type, event->type);
    case CL_EVENT_REFERENCE_COUNT: INFO(cl_uint, object_count(&event->base));
    case CL_EVENT_COMMAND_EXECUTION_STATUS: failure_seen(event, status); INFO(cl_int, status);
    default: return CL_INVALID_VALUE;
    }
}

cl_event clCreateUserEvent(cl_context context, cl_int *errcode_ret)
{
    if (!object_is(context, KIND_CONTEXT)) {
        set_error(errcode_ret, CL_INVALID_CONTEXT);
        return NULL;
    }
    cl_event event = event_new(context, NULL, CL_COMMAND_USER);
    set_error(errcode_ret, event ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY);
    return event;
}

cl_int clSetUserEventStatus(cl_event event, cl_int status)
{
    if (!object_is(event, KIND_EVENT) || event->queue) return CL_INVALID_EVENT;
    if (status > CL_COMPLETE) return CL_INVALID_VALUE;
    pthread_mutex_lock(&event->lock);
    bool open = atomic_load(&event->status) > CL_COMPLETE && !event->counted;
    event->counted = true; /* of a user event: somebody has set it */
    pthread_mutex_unlock(&event->lock);
    if (!open) return CL_INVALID_OPERATION;
    event_set(event, status);
    return CL_SUCCESS;
}

cl_int clSetEventCallback(cl_event event, cl_int type, void(CL_CALLBACK *call)(cl_event, cl_int, void *), void *data)
{
    if (!object_is(event, KIND_EVENT)) return CL_INVALID_EVENT;
    if (!call || type < CL_COMPLETE || type > CL_SUBMITTED) return CL_INVALID_VALUE;
    struct event_callback *c = calloc(1, sizeof *c), **p;
    if (!c) return CL_OUT_OF_HOST_MEMORY;
    if (!notifier_start(event->context->notifier)) {
        free(c);
        return CL_OUT_OF_RESOURCES;
    }
    c->event = event;
    c->type = type;
    c->call = call;
    c->data = data;
    object_use(&event->base); /* as in event_set */
    pthread_mutex_lock(&event->lock);
    cl_int status = atomic_load(&event->status);
    if (status <= type) {
        callback_post(event, c, status);
    } else {
        for (p = &event->callbacks; *p;) p = &(*p)->next;
        *p = c;
    }
    pthread_mutex_unlock(&event->lock);
    event_drop(event);
    return CL_SUCCESS;
}

/* Times are the host's monotonic clock, so that those of all queues and of the program compare. The
 * functional machine has no cycle of its own to offer. */
static cl_int profiling_time(cl_event event, cl_profiling_info param, struct info out)
{
    switch (param) {
    case CL_PROFILING_COMMAND_QUEUED: INFO(cl_ulong, event->times[TIME_QUEUED]);
    case CL_PROFILING_COMMAND_SUBMIT: INFO(cl_ulong, event->times[TIME_SUBMIT]);
    case CL_PROFILING_COMMAND_START: INFO(cl_ulong, event->times[TIME_START]);
    case CL_PROFILING_COMMAND_END:
    case CL_PROFILING_COMMAND_COMPLETE: INFO(cl_ulong, event->times[TIME_END]);
    default: return CL_INVALID_VALUE;
    }
}

static cl_int profiling_counter(const struct counters *c, cl_profiling_info param, struct info out)
{
    switch (param) {
#define COUNTER(name, type, how, cl, text) \
    case CL_PROFILING_COMMAND_##cl##_VENTUS: \
        INFO(cl_ulong, c->name);
#include "sim/counters.def"
#undef COUNTER
    default: return CL_INVALID_VALUE;
    }
}

cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info param, size_t size, void *value, size_t *size_ret)
{
    struct info out = {size, value, size_ret};
    if (!object_is(event, KIND_EVENT)) return CL_INVALID_EVENT;
    if (!event->queue || !(event->queue->properties & CL_QUEUE_PROFILING_ENABLE) ||
        atomic_load(&event->status) != CL_COMPLETE)
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    if (param >= CL_PROFILING_COMMAND_INSTRUCTIONS_VENTUS && param <= CL_PROFILING_COMMAND_MAX_SIMT_DEPTH_VENTUS)
        return event->counted ? profiling_counter(&event->counters, param, out) : CL_INVALID_VALUE;
    return profiling_time(event, param, out);
}
