/* Semaphores (cl_khr_semaphore): binary ones, which commands of all queues of a context signal and wait for.
 *
 * A signal is a call of the driver. A wait is two commands: a call that takes the semaphores that are signaled and
 * joins the waiters of the others, and a mark behind a gate, which opens when the last semaphore has been taken. The
 * client's event is the mark's. A waiter is never forgotten: a signal serves the one that has waited longest, and when
 * the client has let go of a semaphore and no signal is under way, its waiters fail. Called through icd.c. */
#include <stdlib.h>
#include <string.h>

#include "objects.h"

/* A wait until it is served; the last of its semaphores frees it. */
struct wait {
    atomic_uint missing; /* semaphores that it has not got */
    ventus_event *gate;
};

/* Its place among the waiters of one semaphore. */
struct waiter {
    struct waiter *next;
    struct wait *wait;
};

struct _cl_semaphore_khr {
    struct object base;
    cl_context context;
    cl_device_id device;                     /* whose queues may use it; held by the context */
    cl_semaphore_properties_khr *properties; /* as given, with the closing 0 */
    size_t nproperties;
    pthread_mutex_t lock; /* everything below */
    bool signaled;
    bool released;    /* the client has no reference */
    unsigned signals; /* under way */
    struct waiter *first, **end;
};

/* ---- waiters ---- */

/* One of the things waited for has come, or never will, as `status` says. */
static void wait_done(struct wait *wait, enum ventus_status status)
{
    if (status != VENTUS_OK) ventus_event_set(wait->gate, status); /* the first time counts */
    if (atomic_fetch_sub(&wait->missing, 1) != 1) return;          /* from now on it is the last one's */
    ventus_event_set(wait->gate, VENTUS_OK);
    ventus_event_release(wait->gate);
    free(wait);
}

static void waiter_served(struct waiter *w, enum ventus_status status)
{
    wait_done(w->wait, status);
    free(w);
}

/* Removes the waiter that has waited longest; called with the lock held. NULL: nobody waits. */
static struct waiter *waiter_first(cl_semaphore_khr s)
{
    struct waiter *w = s->first;
    if (!w) return NULL;
    s->first = w->next;
    if (!s->first) s->end = &s->first;
    return w;
}

/* Fails the waiters of a semaphore that nobody can signal any more. */
static void give_up(cl_semaphore_khr s)
{
    struct waiter *w;
    do {
        pthread_mutex_lock(&s->lock);
        w = s->released && s->signals == 0 ? waiter_first(s) : NULL;
        pthread_mutex_unlock(&s->lock);
        if (w) waiter_served(w, VENTUS_CANCELLED);
    } while (w);
}

static void waiter_join(cl_semaphore_khr s, struct waiter *w)
{
    pthread_mutex_lock(&s->lock);
    bool taken = s->signaled;
    s->signaled = false;
    if (!taken) {
        w->next = NULL;
        *s->end = w;
        s->end = &w->next;
    }
    pthread_mutex_unlock(&s->lock);
    if (taken) waiter_served(w, VENTUS_OK);
    else give_up(s);
}

static void signal_one(cl_semaphore_khr s)
{
    pthread_mutex_lock(&s->lock);
    struct waiter *w = waiter_first(s);
    if (!w) s->signaled = true;
    pthread_mutex_unlock(&s->lock);
    if (w) waiter_served(w, VENTUS_OK);
}

/* ---- life ---- */

static void semaphore_destroy(struct object *object)
{
    cl_semaphore_khr s = (cl_semaphore_khr)object;
    object_drop(&s->context->base);
    pthread_mutex_destroy(&s->lock);
    free(s->properties);
    free(s);
}

/* One device, which the context has; *n counts its words with the closing 0. */
static cl_int device_list(cl_context context, const cl_semaphore_properties_khr *list, cl_device_id *device, size_t *n)
{
    *device = (cl_device_id)(uintptr_t)list[0];
    *n = 2;
    return list[0] && list[1] ? CL_INVALID_DEVICE : device_list_check(&context->devices, 1, device, false);
}

/* Checks a property list and counts its words with the closing 0; *device is the one that it names, which it has to
 * where the context has several. */
static cl_int properties_check(cl_context context, const cl_semaphore_properties_khr *list, cl_device_id *device,
                               size_t *count)
{
    bool type = false, devices = false;
    size_t n = 0, words = 1;
    *device = context->devices.list[0];
    if (!list) return CL_INVALID_VALUE;
    for (; list[n]; n += 1 + words) {
        bool *seen = list[n] == CL_SEMAPHORE_TYPE_KHR                 ? &type
                     : list[n] == CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR ? &devices
                                                                      : NULL;
        if (!seen || *seen) return CL_INVALID_PROPERTY;
        *seen = true;
        words = 1;
        if (seen == &type && list[n + 1] != CL_SEMAPHORE_TYPE_BINARY_KHR) return CL_INVALID_PROPERTY;
        cl_int error = seen == &devices ? device_list(context, list + n + 1, device, &words) : CL_SUCCESS;
        if (error) return error;
    }
    *count = n + 1;
    if (!type) return CL_INVALID_VALUE;
    return devices || context->devices.count == 1 ? CL_SUCCESS : CL_INVALID_PROPERTY;
}

static cl_semaphore_khr semaphore_new(cl_context context, cl_device_id device, const cl_semaphore_properties_khr *list,
                                      size_t count)
{
    cl_semaphore_khr s = calloc(1, sizeof *s);
    cl_semaphore_properties_khr *properties = malloc(count * sizeof *list);
    if (!s || !properties || pthread_mutex_init(&s->lock, NULL)) {
        free(s);
        free(properties);
        return NULL;
    }
    object_init(&s->base, KIND_SEMAPHORE, semaphore_destroy);
    s->properties = memcpy(properties, list, count * sizeof *list);
    s->nproperties = count;
    s->end = &s->first;
    s->device = device;
    s->context = context; /* which holds the device, too */
    object_use(&context->base);
    context_witness(context);
    return s;
}

static cl_semaphore_khr create(cl_context context, const cl_semaphore_properties_khr *list, cl_int *errcode_ret)
{
    cl_semaphore_khr s = NULL;
    cl_device_id device = NULL;
    size_t count = 0;
    cl_int error = CL_INVALID_CONTEXT;
    if (object_is(context, KIND_CONTEXT)) error = properties_check(context, list, &device, &count);
    if (!error && !(s = semaphore_new(context, device, list, count))) error = CL_OUT_OF_HOST_MEMORY;
    set_error(errcode_ret, error);
    return s;
}

static void set_released(cl_semaphore_khr s, bool released)
{
    pthread_mutex_lock(&s->lock);
    s->released = released;
    pthread_mutex_unlock(&s->lock);
}

static cl_int retain(cl_semaphore_khr s)
{
    bool first;
    if (!object_retain(s, KIND_SEMAPHORE, &first)) return CL_INVALID_SEMAPHORE_KHR;
    if (first) set_released(s, false);
    if (first) context_witness(s->context);
    return CL_SUCCESS;
}

static cl_int release(cl_semaphore_khr s)
{
    bool last;
    if (!object_release(s, KIND_SEMAPHORE, &last)) return CL_INVALID_SEMAPHORE_KHR;
    if (!last) return CL_SUCCESS;
    set_released(s, true);
    give_up(s);
    context_witness_gone(s->context);
    object_drop(&s->base);
    return CL_SUCCESS;
}

static cl_semaphore_payload_khr payload(cl_semaphore_khr s)
{
    pthread_mutex_lock(&s->lock);
    bool signaled = s->signaled;
    pthread_mutex_unlock(&s->lock);
    return signaled;
}

static cl_int info(cl_semaphore_khr s, cl_semaphore_info_khr param, size_t size, void *value, size_t *size_ret)
{
    struct info out = {size, value, size_ret};
    if (!object_is(s, KIND_SEMAPHORE)) return CL_INVALID_SEMAPHORE_KHR;
    switch (param) {
    case CL_SEMAPHORE_CONTEXT_KHR: INFO(cl_context, s->context);
    case CL_SEMAPHORE_REFERENCE_COUNT_KHR: INFO(cl_uint, object_count(&s->base));
    case CL_SEMAPHORE_PROPERTIES_KHR: return info_bytes(out, s->properties, s->nproperties * sizeof *s->properties);
    case CL_SEMAPHORE_TYPE_KHR: INFO(cl_semaphore_type_khr, CL_SEMAPHORE_TYPE_BINARY_KHR);
    case CL_SEMAPHORE_PAYLOAD_KHR: INFO(cl_semaphore_payload_khr, payload(s));
    case CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR: INFO(cl_device_id, s->device);
    default: return CL_INVALID_VALUE;
    }
}

/* No semaphore is made to be shared with other APIs, so none has a handle of any type. */
static cl_int handle_for_type(cl_semaphore_khr s, cl_device_id device, cl_external_semaphore_handle_type_khr type,
                              size_t size, void *handle, size_t *size_ret)
{
    (void)type, (void)size, (void)handle, (void)size_ret;
    if (!object_is(s, KIND_SEMAPHORE)) return CL_INVALID_SEMAPHORE_KHR;
    return device == s->device ? CL_INVALID_VALUE : CL_INVALID_DEVICE;
}

/* ---- commands ---- */

/* A signal or the first part of a wait. */
struct semaphore_command {
    struct command command;
    cl_uint count;
    struct {
        cl_semaphore_khr semaphore;
        struct waiter *waiter; /* of a wait, until it has joined */
    } each[];
};

static enum ventus_status run_signal(void *command)
{
    const struct semaphore_command *c = command;
    for (cl_uint i = 0; i < c->count; i++) signal_one(c->each[i].semaphore);
    return VENTUS_OK;
}

static enum ventus_status run_wait(void *command)
{
    struct semaphore_command *c = command;
    for (cl_uint i = 0; i < c->count; i++) {
        struct waiter *w = c->each[i].waiter;
        c->each[i].waiter = NULL;
        waiter_join(c->each[i].semaphore, w);
    }
    return VENTUS_OK;
}

static void dispose(struct command *command)
{
    struct semaphore_command *c = (struct semaphore_command *)command;
    for (cl_uint i = 0; i < c->count; i++) {
        cl_semaphore_khr s = c->each[i].semaphore;
        if (c->each[i].waiter) waiter_served(c->each[i].waiter, VENTUS_CANCELLED);
        if (command->run == run_signal) {
            pthread_mutex_lock(&s->lock);
            s->signals--;
            pthread_mutex_unlock(&s->lock);
        }
        give_up(s);
        object_drop(&s->base);
    }
}

static cl_int events_check(cl_context context, cl_uint nwaits, const cl_event *waits)
{
    cl_int error = event_list_check(context, nwaits, waits);
    for (cl_uint i = 0; i < nwaits && !error; i++)
        if (ventus_event_state(waits[i]->under) == VENTUS_ENDED &&
            ventus_event_outcome(waits[i]->under)->status != VENTUS_OK)
            error = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    return error;
}

static cl_int semaphores_check(cl_command_queue q, cl_uint count, const cl_semaphore_khr *list)
{
    if (!object_is(q, KIND_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    if (count == 0 || !list) return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++)
        if (!object_is(list[i], KIND_SEMAPHORE)) return CL_INVALID_SEMAPHORE_KHR;
    for (cl_uint i = 0; i < count; i++)
        if (list[i]->device != q->device) return CL_INVALID_COMMAND_QUEUE;
    for (cl_uint i = 0; i < count; i++)
        if (list[i]->context != q->context) return CL_INVALID_CONTEXT;
    return CL_SUCCESS;
}

/* A command on these semaphores. */
static cl_int semaphore_command(cl_command_queue q, bool signal, cl_uint count, const cl_semaphore_khr *list,
                                cl_uint nwaits, const cl_event *waits, struct semaphore_command **result)
{
    struct command *command;
    struct semaphore_command *c;
    cl_int error = semaphores_check(q, count, list);
    if (!error) error = events_check(q->context, nwaits, waits);
    if (!error)
        error = command_new(q, signal ? CL_COMMAND_SEMAPHORE_SIGNAL_KHR : CL_COMMAND_SEMAPHORE_WAIT_KHR,
                            sizeof *c + count * sizeof *c->each, nwaits, waits, 0, &command);
    if (error) return error;
    command->run = signal ? run_signal : run_wait;
    command->dispose = dispose;
    c = (struct semaphore_command *)command;
    for (c->count = 0; c->count < count; c->count++) {
        cl_semaphore_khr s = c->each[c->count].semaphore = list[c->count];
        object_use(&s->base);
        pthread_mutex_lock(&s->lock);
        s->signals += signal;
        pthread_mutex_unlock(&s->lock);
    }
    *result = c;
    return CL_SUCCESS;
}

static cl_int enqueue_signal(cl_command_queue q, cl_uint count, const cl_semaphore_khr *list,
                             const cl_semaphore_payload_khr *payloads, cl_uint nwaits, const cl_event *waits,
                             cl_event *event)
{
    struct semaphore_command *c;
    cl_int error = semaphore_command(q, true, count, list, nwaits, waits, &c);
    (void)payloads; /* binary semaphores have none */
    return error ? error : command_submit(&c->command, event);
}

/* Gives the command its waiters and the gate that opens when they all have been served, with a reference of the
 * caller's. */
static cl_int wait_init(struct semaphore_command *c, ventus_event **gate)
{
    struct wait *wait = calloc(1, sizeof *wait);
    cl_int error =
        wait ? driver_error(ventus_gate(c->command.queue->context->device, 0, NULL, gate)) : CL_OUT_OF_HOST_MEMORY;
    if (error) {
        free(wait);
        return error;
    }
    atomic_init(&wait->missing, 1); /* while it is made */
    ventus_event_retain(wait->gate = *gate);
    for (cl_uint i = 0; i < c->count && !error; i++) {
        struct waiter *w = c->each[i].waiter = malloc(sizeof *w);
        if (!w) error = CL_OUT_OF_HOST_MEMORY;
        else w->wait = wait;
        wait->missing += w != NULL;
    }
    wait_done(wait, error ? VENTUS_CANCELLED : VENTUS_OK);
    return error;
}

/* Submits the call and the mark behind the gate, which the call sets on its way out if it never runs, with nothing of
 * another thread between them. */
static cl_int wait_enter(struct command **call, struct command *mark, ventus_event *gate, ventus_event **end)
{
    cl_command_queue q = mark->queue;
    ventus_event *begin = NULL;
    struct ventus_dep deps[2] = {{gate, false}}; /* and room for what orders it */
    pthread_mutex_lock(&q->lock);
    cl_int error = command_enter(*call, &begin);
    if (!error) {
        *call = NULL;
        mark->deps = deps;
        mark->ndeps = 1;
        error = command_enter(mark, end);
    }
    pthread_mutex_unlock(&q->lock);
    if (begin && error) ventus_event_cancel(begin);
    ventus_event_release(begin);
    return error;
}

/* Submits a wait. The call is gone then, also on failure. */
static cl_int submit_wait(struct semaphore_command *c, cl_event *result)
{
    cl_command_queue q = c->command.queue;
    struct command *call = &c->command, *mark = NULL;
    ventus_event *gate = NULL, *end = NULL;
    cl_event event = NULL;
    cl_int error = wait_init(c, &gate);
    if (!error) error = command_new(q, CL_COMMAND_SEMAPHORE_WAIT_KHR, sizeof *mark, 0, NULL, 0, &mark);
    if (!error) call->queued = mark->queued = ventus_clock(q->context->device);
    if (!error && result && !(event = event_new(q->context, q, mark->type, mark->queued)))
        error = CL_OUT_OF_HOST_MEMORY;
    if (!error) error = wait_enter(&call, mark, gate, &end);
    if (call) command_free(call);
    if (mark) command_free(mark);
    ventus_event_release(gate);
    if (event) event->under = end;
    else ventus_event_release(end);
    if (!error && event) *result = event;
    else if (event) clReleaseEvent(event);
    return error;
}

static cl_int enqueue_wait(cl_command_queue q, cl_uint count, const cl_semaphore_khr *list,
                           const cl_semaphore_payload_khr *payloads, cl_uint nwaits, const cl_event *waits,
                           cl_event *event)
{
    struct semaphore_command *c;
    cl_int error = semaphore_command(q, false, count, list, nwaits, waits, &c);
    (void)payloads;
    if (error) return error;
    object_use(&q->base); /* the commands' own uses may go with them */
    error = submit_wait(c, event);
    object_drop(&q->base);
    return error;
}

const struct extension_function semaphore_functions[] = {
    {"clCreateSemaphoreWithPropertiesKHR", (void *)create},
    {"clEnqueueSignalSemaphoresKHR", (void *)enqueue_signal},
    {"clEnqueueWaitSemaphoresKHR", (void *)enqueue_wait},
    {"clGetSemaphoreHandleForTypeKHR", (void *)handle_for_type},
    {"clGetSemaphoreInfoKHR", (void *)info},
    {"clReleaseSemaphoreKHR", (void *)release},
    {"clRetainSemaphoreKHR", (void *)retain},
    {NULL, NULL},
};
