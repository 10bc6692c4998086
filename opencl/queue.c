/* Command queues: what a command waits for, and its way to the driver.
 *
 * The driver holds what is in flight; a queue adds the order. In an in-order queue each command is behind the one
 * before it; in an out-of-order queue behind the latest barrier, and barriers and markers behind all. That is order
 * only: a failure stops nobody but those who wait for the failed event by their list. Submission happens under the
 * queue's lock, so that the order is that of the calls.
 *
 * A command belongs to the driver from its submission to its end, when command_ending gives back what it holds: the
 * queue (and through it the context) and its buffers. A blocking transfer is carried out by the thread that asked for
 * it. Commands are made by transfer.c, ndrange.c and the marker functions below. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/timeline.h"
#include "objects.h"

/* ---- commands ---- */

/* Allocates a command with its lists behind it. */
static struct command *command_alloc(cl_command_queue queue, size_t size, size_t ndeps, cl_uint nmems)
{
    const size_t unit = _Alignof(struct ventus_dep), whole = (size + unit - 1) / unit * unit;
    struct command *c =
        spares_take(&queue->context->commands, whole + ndeps * sizeof *c->deps + nmems * sizeof *c->mems);
    if (!c) return NULL;
    c->queue = queue;
    object_use(&queue->base);
    c->size = size;
    c->deps = (struct ventus_dep *)((char *)c + whole);
    c->mems = (cl_mem *)(c->deps + ndeps);
    return c;
}

cl_int command_new(cl_command_queue queue, cl_command_type type, size_t size, cl_uint nwaits, const cl_event *waits,
                   cl_uint nmems, struct command **result)
{
    cl_int error = event_list_check(queue->context, nwaits, waits);
    if (error) return error;
    struct command *c = command_alloc(queue, size, nwaits + (size_t)1, nmems);
    if (!c) return CL_OUT_OF_HOST_MEMORY;
    c->type = type;
    for (cl_uint i = 0; i < nwaits; i++) c->deps[c->ndeps++].event = waits[i]->under;
    *result = c;
    return CL_SUCCESS;
}

struct command *command_copy(const struct command *recorded, cl_command_queue queue, size_t ndeps)
{
    struct command *c = command_alloc(queue, recorded->size, ndeps, recorded->nmems);
    if (!c) return NULL;
    const struct command lists = *c;
    memcpy(c, recorded, recorded->size);
    c->queue = lists.queue;
    c->deps = lists.deps;
    c->ndeps = 0;
    c->mems = lists.mems;
    c->member = true;
    c->dispose = NULL;
    for (cl_uint i = 0; i < c->nmems; i++) object_use(&(c->mems[i] = recorded->mems[i])->base);
    if (c->seen) context_witness(queue->context);
    return c;
}

cl_int command_mem(struct command *c, cl_mem mem, uint32_t *addr)
{
    if (!mem_use(mem)) return CL_INVALID_MEM_OBJECT;
    c->mems[c->nmems++] = mem;
    return mem_address(mem, addr);
}

void command_is_seen(struct command *c)
{
    c->seen = true;
    context_witness(c->queue->context);
}

void command_free(struct command *c)
{
    if (c->dispose) c->dispose(c);
    for (cl_uint i = 0; i < c->nmems; i++) object_drop(&c->mems[i]->base);
    cl_command_queue q = c->queue;
    if (c->seen) context_witness_gone(q->context);
    spares_give(&q->context->commands, c);
    object_drop(&q->base);
}

void command_ending(void *user, const struct ventus_outcome *outcome)
{
    struct command *c = user;
    const bool kernel = c->type == CL_COMMAND_NDRANGE_KERNEL || c->type == CL_COMMAND_TASK;
    const bool ran = outcome->status != VENTUS_DEPENDENCY && outcome->status != VENTUS_CANCELLED;
    if (failure_counts(outcome)) failure_note(&c->queue->failures);
    if (kernel && ran && *outcome->message) context_report(c->queue->context, outcome->message); /* or a warning */
    command_free(c);
}

/* ---- order ---- */

/* Adds what orders it to the `n` dependencies `deps`, which have room for one more: the command before it, or the
 * latest barrier. Returns how many there are now. */
static size_t behind_last(const struct _cl_command_queue *q, struct ventus_dep *deps, size_t n)
{
    if (q->last && ventus_event_state(q->last) != VENTUS_ENDED) deps[n++] = (struct ventus_dep){q->last, true};
    return n;
}

/* The same for everything in flight, on the heap; NULL: no memory. */
static struct ventus_dep *behind_all(const struct _cl_command_queue *q, const struct ventus_dep *deps, size_t *n)
{
    struct ventus_dep *more = malloc((*n + q->flight.count + 1) * sizeof *more);
    if (!more) return NULL;
    if (*n) memcpy(more, deps, *n * sizeof *more);
    for (size_t i = 0; i < q->flight.count; i++) more[(*n)++] = (struct ventus_dep){q->flight.events[i], true};
    return more;
}

/* ---- submission ---- */

/* Hands the command to the driver, as a launch, a copy or a call. It may have ended, and be freed, when this returns.
 */
static enum ventus_status submit(struct command *c, size_t ndeps, const struct ventus_dep *deps, ventus_event **event)
{
    ventus_device *device = c->queue->context->device;
    const struct ventus_call call = {c->run, command_ending, c};
    if (c->launch) {
        struct ventus_launch launch = *c->launch;
        launch.user = c;
        return ventus_launch(device, &launch, ndeps, deps, event);
    }
    if (!c->run) return ventus_mark(device, ndeps, deps, event);
    return c->blocking ? ventus_gate(device, ndeps, deps, event) : ventus_call(device, &call, ndeps, deps, event);
}

/* The same, with what the timeline shows of it. */
static enum ventus_status hand_over(struct command *c, size_t ndeps, const struct ventus_dep *deps,
                                    ventus_event **event)
{
    if (!timeline_on()) return submit(c, ndeps, deps, event);
    const struct timeline_label label = {.what = command_name(c->type),
                                         .queue = c->queue->number,
                                         .in_order = queue_in_order(c->queue),
                                         .queued = c->member ? 0 : c->queued,
                                         .bytes = c->bytes};
    timeline_label(&label);
    const enum ventus_status status = submit(c, ndeps, deps, event);
    timeline_label(NULL);
    return status;
}

static void remember(cl_command_queue q, ventus_event *event, bool orders)
{
    flight_add(&q->flight, event);
    if (!orders) return;
    ventus_event_release(q->last);
    ventus_event_retain(event);
    q->last = event;
}

bool command_is_mark(const struct command *c) { return !c->run && !c->launch; }

/* Puts the command into the queue's order and hands it over. */
cl_int command_enter(struct command *c, ventus_event **event)
{
    cl_command_queue q = c->queue;
    struct ventus_dep *deps = c->deps, *all = NULL;
    size_t n = c->ndeps;
    bool orders = !c->member && (queue_in_order(q) || c->type == CL_COMMAND_BARRIER);
    enum ventus_status status = VENTUS_NO_MEMORY;
    bool room = flight_room(&q->flight); /* first: it lets go of events */
    if (c->launch) failure_forget(&q->failures);
    if (c->after_all && !queue_in_order(q)) deps = all = behind_all(q, deps, &n);
    else if (!c->member) n = behind_last(q, deps, n);
    if (deps && room) status = hand_over(c, n, deps, event);
    if (status == VENTUS_OK) remember(q, *event, orders);
    free(all);
    return driver_error(status);
}

/* Executes a blocking transfer on this thread once its dependencies have ended, frees it and returns its status. */
static cl_int carry_out(struct command *c, ventus_event *gate)
{
    enum ventus_status status = ventus_event_wait_start(gate, VENTUS_FOREVER);
    if (status != VENTUS_OK) ventus_event_cancel(gate); /* this is a thread of the device's: it must not wait */
    else if (ventus_event_state(gate) == VENTUS_ENDED) status = ventus_event_outcome(gate)->status;
    else status = c->run(c);
    command_free(c);
    ventus_event_set(gate, status);
    return driver_error(status);
}

/* The rest of a blocking call: `transfer` is its command unless that is gone. What has failed before counts more than
 * an error of its own, after which clients may try again. */
static cl_int block(cl_command_queue q, struct command *transfer, ventus_event *event)
{
    cl_int error = transfer ? carry_out(transfer, event) : driver_error(ventus_event_wait(event, VENTUS_FOREVER));
    cl_int failure = failure_tell(&q->failures);
    return failure ? failure : error;
}

/* For memory: 19 MB of events, 8 MB of commands. */
enum { MOST_IN_FLIGHT = 16384 };

static cl_int submit_now(struct command *c, cl_event *result)
{
    cl_command_queue q = c->queue;
    ventus_hold_back(q->context->device, MOST_IN_FLIGHT);
    bool blocking = c->blocking, mark = command_is_mark(c);
    cl_event handle = result ? event_new(q->context, q, c->type, c->queued) : NULL;
    ventus_event *event = NULL;
    if (handle) handle->shown = mark; /* a mark fails only because something else has */
    cl_int error = result && !handle ? CL_OUT_OF_HOST_MEMORY : CL_SUCCESS;
    object_use(&q->base); /* the command's own use may go with the command */
    pthread_mutex_lock(&q->lock);
    if (!error) error = command_enter(c, &event);
    pthread_mutex_unlock(&q->lock);
    if (!event || mark) command_free(c);
    if (event && blocking) error = block(q, mark ? NULL : c, event);
    if (handle) handle->under = event;
    else ventus_event_release(event);
    if (!error && result) *result = handle;
    else if (handle) clReleaseEvent(handle);
    object_drop(&q->base);
    return error;
}

/* The timeline shows the call as a slice of the client's thread. */
cl_int command_submit(struct command *c, cl_event *result)
{
    if (result || timeline_on()) c->queued = ventus_clock(c->queue->context->device); /* else nobody asks */
    if (!timeline_on()) return submit_now(c, result);
    cl_command_queue q = c->queue;
    char name[80];
    snprintf(name, sizeof name, "enqueue %s", c->launch ? c->launch->kernel->name : command_name(c->type));
    object_use(&q->base);
    timeline_begin(q->context->device, name, NULL);
    const cl_int error = submit_now(c, result);
    timeline_end(q->context->device, (struct timeline_fact[]){{"queue", NULL, q->number}, {0}});
    object_drop(&q->base);
    return error;
}

/* ---- queues ---- */

static const cl_command_queue_properties host_properties =
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
static const cl_command_queue_properties device_properties = CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;

static cl_int properties_check(cl_command_queue_properties properties)
{
    if (properties & ~(host_properties | device_properties)) return CL_INVALID_VALUE;
    if ((properties & CL_QUEUE_ON_DEVICE_DEFAULT) && !(properties & CL_QUEUE_ON_DEVICE)) return CL_INVALID_VALUE;
    return properties & device_properties ? CL_INVALID_QUEUE_PROPERTIES : CL_SUCCESS;
}

/* Drops what the queue references: no command is left. */
static void queue_destroy(struct object *object)
{
    cl_command_queue q = (cl_command_queue)object;
    context_remove_queue(q->context, q);
    flight_close(&q->flight);
    ventus_event_release(q->last);
    object_drop(&q->device->base);
    object_drop(&q->context->base);
    pthread_mutex_destroy(&q->lock);
    free(q->array);
    free(q);
}

static cl_command_queue queue_new(cl_context context, cl_device_id device, cl_command_queue_properties properties)
{
    static atomic_uint queues;
    cl_command_queue q = calloc(1, sizeof *q);
    if (!q || pthread_mutex_init(&q->lock, NULL)) {
        free(q);
        return NULL;
    }
    object_init(&q->base, KIND_QUEUE, queue_destroy);
    q->properties = properties;
    q->number = atomic_fetch_add(&queues, 1) + 1;
    q->context = context;
    object_use(&context->base);
    q->device = device;
    object_use(&device->base);
    context_add_queue(context, q);
    context_witness(context);
    return q;
}

static cl_int owners_check(cl_context context, cl_device_id device)
{
    if (!object_is(context, KIND_CONTEXT)) return CL_INVALID_CONTEXT;
    return device_list_check(&context->devices, 1, &device, false);
}

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device, cl_command_queue_properties properties,
                                      cl_int *errcode_ret)
{
    cl_command_queue q = NULL;
    cl_int error = owners_check(context, device);
    if (!error) error = properties_check(properties);
    if (!error && !(q = queue_new(context, device, properties))) error = CL_OUT_OF_HOST_MEMORY;
    set_error(errcode_ret, error);
    return q;
}

/* The properties that there are: the bits, and hints, which change nothing here: high, medium or low. */
enum { BITS, PRIORITY, THROTTLE, PROPERTIES };

static cl_int property_check(cl_queue_properties name, cl_queue_properties value, bool given[PROPERTIES])
{
    const int which = name == CL_QUEUE_PROPERTIES     ? BITS
                      : name == CL_QUEUE_PRIORITY_KHR ? PRIORITY
                      : name == CL_QUEUE_THROTTLE_KHR ? THROTTLE
                                                      : PROPERTIES;
    if (name == CL_QUEUE_SIZE) return CL_INVALID_QUEUE_PROPERTIES; /* of queues on the device only */
    if (which == PROPERTIES || given[which]) return CL_INVALID_VALUE;
    given[which] = true;
    const bool hint = value == CL_QUEUE_PRIORITY_HIGH_KHR || value == CL_QUEUE_PRIORITY_MED_KHR ||
                      value == CL_QUEUE_PRIORITY_LOW_KHR; /* those of throttling have the same values */
    return which == BITS || hint ? CL_SUCCESS : CL_INVALID_VALUE;
}

/* Reads a property list: the bits, and the words with the closing 0. */
static cl_int property_list(const cl_queue_properties *list, cl_command_queue_properties *bits, size_t *count)
{
    bool given[PROPERTIES] = {false};
    size_t n = 0;
    *bits = 0;
    *count = 0;
    if (!list) return CL_SUCCESS;
    for (; list[n]; n += 2) {
        cl_int error = property_check(list[n], list[n + 1], given);
        if (error) return error;
        if (list[n] == CL_QUEUE_PROPERTIES) *bits = list[n + 1];
    }
    *count = n + 1;
    return properties_check(*bits);
}

/* Keeps a property list of `count` words for queries. */
static bool keep_array(cl_command_queue q, const cl_queue_properties *list, size_t count)
{
    q->array = malloc(count * sizeof *list);
    if (!q->array) return false;
    memcpy(q->array, list, count * sizeof *list);
    q->narray = count;
    return true;
}

cl_command_queue clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                    const cl_queue_properties *properties, cl_int *errcode_ret)
{
    cl_command_queue_properties bits = 0;
    cl_command_queue q = NULL;
    size_t count = 0;
    cl_int error = owners_check(context, device);
    if (!error) error = property_list(properties, &bits, &count);
    if (!error && !(q = queue_new(context, device, bits))) error = CL_OUT_OF_HOST_MEMORY;
    if (!error && count && !keep_array(q, properties, count)) {
        error = CL_OUT_OF_HOST_MEMORY;
        clReleaseCommandQueue(q);
        q = NULL;
    }
    set_error(errcode_ret, error);
    return q;
}

cl_int clRetainCommandQueue(cl_command_queue q)
{
    bool first;
    if (!object_retain(q, KIND_QUEUE, &first)) return CL_INVALID_COMMAND_QUEUE;
    if (first) context_witness(q->context);
    return CL_SUCCESS;
}

/* There is nothing to flush: commands are with the driver already, and each holds a reference to the queue. */
cl_int clReleaseCommandQueue(cl_command_queue q)
{
    bool last;
    if (!object_release(q, KIND_QUEUE, &last)) return CL_INVALID_COMMAND_QUEUE;
    if (!last) return CL_SUCCESS;
    context_witness_gone(q->context);
    object_drop(&q->base);
    return CL_SUCCESS;
}

cl_int clGetCommandQueueInfo(cl_command_queue q, cl_command_queue_info param, size_t size, void *value,
                             size_t *size_ret)
{
    struct info out = {size, value, size_ret};
    if (!object_is(q, KIND_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    switch (param) {
    case CL_QUEUE_CONTEXT: INFO(cl_context, q->context);
    case CL_QUEUE_DEVICE: INFO(cl_device_id, q->device);
    case CL_QUEUE_REFERENCE_COUNT: INFO(cl_uint, object_count(&q->base));
    case CL_QUEUE_PROPERTIES: INFO(cl_command_queue_properties, q->properties);
    case CL_QUEUE_PROPERTIES_ARRAY: return info_bytes(out, q->array, q->narray * sizeof *q->array);
    case CL_QUEUE_SIZE: return CL_INVALID_COMMAND_QUEUE; /* not a queue on the device */
    case CL_QUEUE_DEVICE_DEFAULT: INFO(cl_command_queue, NULL);
    default: return CL_INVALID_VALUE;
    }
}

/* Deprecated; commands in flight read the properties without a lock, so they stay as they are. */
cl_int clSetCommandQueueProperty(cl_command_queue q, cl_command_queue_properties properties, cl_bool enable,
                                 cl_command_queue_properties *old)
{
    (void)properties;
    (void)enable;
    if (!object_is(q, KIND_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    if (old) *old = q->properties;
    return CL_INVALID_OPERATION;
}

cl_int clFlush(cl_command_queue q)
{
    if (!object_is(q, KIND_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    ventus_flush(q->context->device);
    return CL_SUCCESS;
}

cl_int clFinish(cl_command_queue q)
{
    if (!object_is(q, KIND_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    struct ventus_dep last, *all = NULL;
    size_t n = 0;
    ventus_event *mark = NULL;
    enum ventus_status status = VENTUS_NO_MEMORY;
    pthread_mutex_lock(&q->lock);
    if (queue_in_order(q)) n = behind_last(q, &last, 0);
    else all = behind_all(q, NULL, &n);
    if (queue_in_order(q) || all) status = ventus_mark(q->context->device, n, all ? all : &last, &mark);
    pthread_mutex_unlock(&q->lock);
    free(all);
    timeline_begin(q->context->device, "finish", NULL);
    if (mark) status = ventus_event_wait(mark, VENTUS_FOREVER);
    timeline_end(q->context->device, (struct timeline_fact[]){{"queue", NULL, q->number}, {0}});
    ventus_event_release(mark);
    pthread_mutex_lock(&q->lock);
    flight_forget(&q->flight);
    pthread_mutex_unlock(&q->lock);
    cl_int failure = failure_pending(&q->failures);
    return failure ? failure : driver_error(status);
}

/* ---- markers and barriers ---- */

static cl_int enqueue_mark(cl_command_queue q, cl_command_type type, cl_uint nwaits, const cl_event *waits,
                           cl_event *event)
{
    struct command *c;
    if (!object_is(q, KIND_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    cl_int error = command_new(q, type, sizeof *c, nwaits, waits, 0, &c);
    if (error) return error;
    c->after_all = nwaits == 0;
    return command_submit(c, event);
}

cl_int clEnqueueMarkerWithWaitList(cl_command_queue q, cl_uint nwaits, const cl_event *waits, cl_event *event)
{
    return enqueue_mark(q, CL_COMMAND_MARKER, nwaits, waits, event);
}

cl_int clEnqueueBarrierWithWaitList(cl_command_queue q, cl_uint nwaits, const cl_event *waits, cl_event *event)
{
    return enqueue_mark(q, CL_COMMAND_BARRIER, nwaits, waits, event);
}

cl_int clEnqueueMarker(cl_command_queue q, cl_event *event)
{
    if (!object_is(q, KIND_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    return event ? enqueue_mark(q, CL_COMMAND_MARKER, 0, NULL, event) : CL_INVALID_VALUE;
}

cl_int clEnqueueBarrier(cl_command_queue q) { return enqueue_mark(q, CL_COMMAND_BARRIER, 0, NULL, NULL); }

cl_int clEnqueueWaitForEvents(cl_command_queue q, cl_uint count, const cl_event *list)
{
    if (!object_is(q, KIND_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    if (count == 0 || !list) return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++)
        if (!object_is(list[i], KIND_EVENT)) return CL_INVALID_EVENT;
    return enqueue_mark(q, CL_COMMAND_BARRIER, count, list, NULL);
}
