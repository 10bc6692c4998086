/* Events: what a client holds of a command; user events.
 *
 * Behind each is an event of the driver, which keeps status, times and counters; a command whose event the client
 * does not want has only that. A status only falls (SUBMITTED, RUNNING, COMPLETE or negative) and the last one
 * stays. An event holds its queue and context. Callbacks run on the context's thread for them (notify.c). */
#include <stdlib.h>
#include <string.h>

#include "driver/timeline.h"
#include "objects.h"
#include "cl_ventus.h"

static void event_destroy(struct object *object)
{
    cl_event event = (cl_event)object;
    ventus_event_release(event->under);
    ventus_event_release(event->begin);
    if (event->queue) object_drop(&event->queue->base);
    object_drop(&event->context->base);
    free(event);
}

cl_event event_new(cl_context context, cl_command_queue queue, cl_command_type type, uint64_t queued)
{
    cl_event event = calloc(1, sizeof *event);
    if (!event) return NULL;
    object_init(&event->base, KIND_EVENT, event_destroy);
    event->type = type;
    event->context = context;
    object_use(&context->base);
    context_witness(context);
    event->queue = queue;
    if (queue) object_use(&queue->base);
    event->queued = queued;
    atomic_init(&event->user_status, CL_SUBMITTED);
    return event;
}

/* ---- status ---- */

/* Has the command buffer begun, and not ended? */
static bool begun(const struct _cl_event *event)
{
    return event->begin && ventus_event_state(event->begin) == VENTUS_ENDED &&
           ventus_event_outcome(event->begin)->status == VENTUS_OK;
}

static cl_int event_status(const struct _cl_event *event)
{
    if (!event->queue) return atomic_load(&event->user_status);
    switch (ventus_event_state(event->under)) {
    case VENTUS_QUEUED:
        ventus_flush(event->context->device); /* for a client that asks again and again */
        return begun(event) ? CL_RUNNING : CL_SUBMITTED;
    case VENTUS_RUNNING: return CL_RUNNING;
    case VENTUS_ENDED: break;
    }
    return driver_error(ventus_event_outcome(event->under)->status);
}

/* The client sees the status: if the command has failed, calls that wait need not report that again. */
static void status_shown(cl_event event, cl_int status)
{
    if (status >= 0 || !event->queue) return;
    if (event->begin) failure_show_all(&event->queue->failures);
    else if (failure_counts(ventus_event_outcome(event->under)) && !atomic_exchange(&event->shown, true))
        failure_show(&event->queue->failures);
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

/* Has a command failed on which this one depended? The client may be waiting for its result. */
static bool failed_before(const struct _cl_event *event)
{
    return event->queue && queue_in_order(event->queue) && failure_pending(&event->queue->failures);
}

static cl_int wait_for_all(cl_uint count, const cl_event *list)
{
    cl_int result = CL_SUCCESS;
    for (cl_uint i = 0; i < count; i++) {
        enum ventus_status waited = ventus_event_wait(list[i]->under, VENTUS_FOREVER);
        if (ventus_event_state(list[i]->under) != VENTUS_ENDED) return driver_error(waited); /* a callback of ours */
        const bool failed = event_status(list[i]) < 0;
        if (failed && list[i]->queue) failure_tell(&list[i]->queue->failures);
        if (failed || failed_before(list[i])) result = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    }
    return result;
}

cl_int clWaitForEvents(cl_uint count, const cl_event *list)
{
    if (count == 0 || !list) return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++) {
        if (!object_is(list[i], KIND_EVENT)) return CL_INVALID_EVENT;
        if (list[i]->context != list[0]->context) return CL_INVALID_CONTEXT;
    }
    const ventus_device *device = list[0]->context->device;
    timeline_begin(device, "wait for events", NULL);
    const cl_int result = wait_for_all(count, list);
    timeline_end(device, (struct timeline_fact[]){{"events", NULL, count}, {0}});
    return result;
}

/* ---- user events ---- */

cl_event clCreateUserEvent(cl_context context, cl_int *errcode_ret)
{
    cl_event event = NULL;
    cl_int error = object_is(context, KIND_CONTEXT) ? CL_SUCCESS : CL_INVALID_CONTEXT;
    if (!error && !(event = event_new(context, NULL, CL_COMMAND_USER, ventus_clock(context->device))))
        error = CL_OUT_OF_HOST_MEMORY;
    timeline_label(&(struct timeline_label){.what = "user event"});
    if (!error) error = driver_error(ventus_gate(context->device, 0, NULL, &event->under));
    timeline_label(NULL);
    if (error && event) {
        clReleaseEvent(event);
        event = NULL;
    }
    set_error(errcode_ret, error);
    return event;
}

/* False: somebody has set it before. */
static bool set_user_status(cl_event event, cl_int status)
{
    int open = CL_SUBMITTED;
    if (!atomic_compare_exchange_strong(&event->user_status, &open, status)) return false;
    ventus_event_set(event->under, status < 0 ? VENTUS_CANCELLED : VENTUS_OK);
    return true;
}

cl_int clSetUserEventStatus(cl_event event, cl_int status)
{
    if (!object_is(event, KIND_EVENT) || event->queue) return CL_INVALID_EVENT;
    if (status > CL_COMPLETE) return CL_INVALID_VALUE;
    return set_user_status(event, status) ? CL_SUCCESS : CL_INVALID_OPERATION;
}

/* ---- references ---- */

cl_int clRetainEvent(cl_event event)
{
    bool first;
    if (!object_retain(event, KIND_EVENT, &first)) return CL_INVALID_EVENT;
    if (first) context_witness(event->context);
    return CL_SUCCESS;
}

/* A user event that is released before it is set can never be set: what waits for it ends with an error. */
cl_int clReleaseEvent(cl_event event)
{
    bool last;
    if (!object_release(event, KIND_EVENT, &last)) return CL_INVALID_EVENT;
    if (!last) return CL_SUCCESS;
    if (!event->queue && event->under) set_user_status(event, CL_INVALID_EVENT);
    context_witness_gone(event->context);
    object_drop(&event->base);
    return CL_SUCCESS;
}

/* ---- callbacks ---- */

struct event_callback {
    struct notice notice; /* first: the notifier hands it back */
    cl_event event;
    cl_int type, status; /* registered for; to report */
    void(CL_CALLBACK *call)(cl_event, cl_int, void *);
    void *data;
};

static void callback_run(struct notice *notice)
{
    struct event_callback *c = (struct event_callback *)notice;
    status_shown(c->event, c->status);
    timeline_begin(c->event->context->device, "callback", "callbacks");
    const uint32_t outer = ranges_enter();
    c->call(c->event, c->status, c->data);
    ranges_leave(c->event->context, outer);
    timeline_end(c->event->context->device, (struct timeline_fact[]){{"of", command_name(c->event->type), 0}, {0}});
    context_witness_gone(c->event->context);
    object_drop(&c->event->base);
    free(c);
}

/* Called by the driver, or at once. */
static void callback_due(ventus_event *under, void *user)
{
    struct event_callback *c = user;
    cl_int status = event_status(c->event);
    (void)under;
    c->status = status < 0 ? status : c->type;
    notifier_post(c->event->context->notifier, &c->notice);
}

static bool callback_register(struct event_callback *c)
{
    /* The gate of a user event runs from the beginning, the event itself never does. */
    bool ended = c->type == CL_COMPLETE || !c->event->queue;
    if (c->type == CL_RUNNING && c->event->begin)
        return ventus_event_notify(c->event->begin, VENTUS_ENDED, callback_due, c);
    if (c->type != CL_SUBMITTED)
        return ventus_event_notify(c->event->under, ended ? VENTUS_ENDED : VENTUS_RUNNING, callback_due, c);
    callback_due(NULL, c);
    return true;
}

cl_int clSetEventCallback(cl_event event, cl_int type, void(CL_CALLBACK *call)(cl_event, cl_int, void *), void *data)
{
    if (!object_is(event, KIND_EVENT)) return CL_INVALID_EVENT;
    if (!call || type < CL_COMPLETE || type > CL_SUBMITTED) return CL_INVALID_VALUE;
    if (!notifier_start(event->context->notifier)) return CL_OUT_OF_RESOURCES;
    struct event_callback *c = malloc(sizeof *c);
    if (!c) return CL_OUT_OF_HOST_MEMORY;
    *c = (struct event_callback){.notice.run = callback_run, .event = event, .type = type, .call = call, .data = data};
    object_use(&event->base);
    context_witness(event->context);
    if (callback_register(c)) return CL_SUCCESS;
    context_witness_gone(event->context);
    object_drop(&event->base);
    free(c);
    return CL_OUT_OF_HOST_MEMORY;
}

/* ---- queries ---- */

cl_int clGetEventInfo(cl_event event, cl_event_info param, size_t size, void *value, size_t *size_ret)
{
    struct info out = {size, value, size_ret};
    if (!object_is(event, KIND_EVENT)) return CL_INVALID_EVENT;
    cl_int status = event_status(event);
    switch (param) {
    case CL_EVENT_COMMAND_QUEUE: INFO(cl_command_queue, event->queue);
    case CL_EVENT_CONTEXT: INFO(cl_context, event->context);
    case CL_EVENT_COMMAND_TYPE: INFO(cl_command_type, event->type);
    case CL_EVENT_REFERENCE_COUNT: INFO(cl_uint, object_count(&event->base));
    case CL_EVENT_COMMAND_EXECUTION_STATUS: status_shown(event, status); INFO(cl_int, status);
    default: return CL_INVALID_VALUE;
    }
}

/* Times are by the device's clock: the host's monotonic one, so that those of all queues and of the program compare, or
 * that of a cycle model, when the machine has one. */
static cl_int profiling_time(cl_event event, cl_profiling_info param, struct info out)
{
    const struct ventus_outcome *o = ventus_event_outcome(event->under);
    const struct ventus_outcome *begin = event->begin ? ventus_event_outcome(event->begin) : o;
    switch (param) {
    case CL_PROFILING_COMMAND_QUEUED: INFO(cl_ulong, event->queued);
    case CL_PROFILING_COMMAND_SUBMIT: INFO(cl_ulong, begin->submitted);
    case CL_PROFILING_COMMAND_START: INFO(cl_ulong, begin->started);
    case CL_PROFILING_COMMAND_END:
    case CL_PROFILING_COMMAND_COMPLETE: INFO(cl_ulong, o->ended);
    default: return CL_INVALID_VALUE;
    }
}

static cl_int profiling_counter(const struct ventus_outcome *o, cl_profiling_info param, struct info out)
{
    switch (param) {
#define VENTUS_COUNTER(name, type, how, cl, text) \
    case CL_PROFILING_COMMAND_##cl##_VENTUS: \
        INFO(cl_ulong, o->result.counters.name);
#include "sim/counters.def"
#undef VENTUS_COUNTER
    case CL_PROFILING_COMMAND_CYCLES_VENTUS: INFO(cl_ulong, o->cycles);
    default: return CL_INVALID_VALUE;
    }
}

static bool launched(const struct _cl_event *event)
{
    return event->type == CL_COMMAND_NDRANGE_KERNEL || event->type == CL_COMMAND_TASK;
}

cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info param, size_t size, void *value, size_t *size_ret)
{
    struct info out = {size, value, size_ret};
    if (!object_is(event, KIND_EVENT)) return CL_INVALID_EVENT;
    if (!event->queue || !(event->queue->properties & CL_QUEUE_PROFILING_ENABLE) || event_status(event) != CL_COMPLETE)
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    if (param >= CL_PROFILING_COMMAND_INSTRUCTIONS_VENTUS && param <= CL_PROFILING_COMMAND_CYCLES_VENTUS)
        return launched(event) ? profiling_counter(ventus_event_outcome(event->under), param, out) : CL_INVALID_VALUE;
    return profiling_time(event, param, out);
}
