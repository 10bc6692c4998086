/* Command queues: in order, one worker thread each, started with the first command.
 * A command belongs to its queue from command_submit to its end; it holds its event (and through it the
 * queue and the context), the events it waits for, its buffers and its kernel. The worker belongs to
 * nobody: when the last use of the queue goes it frees the queue and ends, and a process may exit at any
 * moment without asking it. Commands are made by transfer.c, ndrange.c and the marker functions below. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "objects.h"

/* ---- commands ---- */

cl_int command_new(cl_command_queue queue, cl_command_type type, cl_uint nwaits, const cl_event *waits, cl_uint nmems,
                   struct command **result)
{
    cl_int error = event_list_check(queue->context, nwaits, waits);
    if (error) return error;
    struct command *c = calloc(1, sizeof *c + nwaits * sizeof *c->waits + nmems * sizeof *c->mems);
    if (!c) return CL_OUT_OF_HOST_MEMORY;
    c->event = event_new(queue->context, queue, type);
    if (!c->event) {
        free(c);
        return CL_OUT_OF_HOST_MEMORY;
    }
    c->waits = (cl_event *)(c + 1);
    c->mems = (cl_mem *)(c->waits + nwaits);
    for (cl_uint i = 0; i < nwaits; i++) {
        c->waits[i] = waits[i];
        object_use(&waits[i]->base);
    }
    c->nwaits = nwaits;
    *result = c;
    return CL_SUCCESS;
}

cl_int command_mem(struct command *c, cl_mem mem, uint32_t *addr)
{
    if (!mem_use(mem)) return CL_INVALID_MEM_OBJECT;
    c->mems[c->nmems++] = mem;
    return mem_address(mem, addr);
}

/* Everything but the event. */
static void command_release(struct command *c)
{
    for (cl_uint i = 0; i < c->nwaits; i++) event_drop(c->waits[i]);
    for (cl_uint i = 0; i < c->nmems; i++) mem_drop(c->mems[i]);
    if (c->kernel) kernel_drop(c->kernel);
    free(c->args);
    c->nwaits = c->nmems = 0;
    c->kernel = NULL;
    c->args = NULL;
}

void command_free(struct command *c)
{
    command_release(c);
    object_release(c->event, KIND_EVENT, &(bool){false});
    event_drop(c->event);
    free(c);
}

/* ---- the worker ---- */

static cl_int wait_list(const struct command *c)
{
    cl_int result = CL_SUCCESS;
    for (cl_uint i = 0; i < c->nwaits; i++)
        if (event_wait(c->waits[i]) < 0) result = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    return result;
}

/* What the command held is given back before its event tells of the end, so that a client that has
 * waited finds its buffers free. */
static void command_execute(struct command *c)
{
    cl_int status = wait_list(c);
    if (status == CL_SUCCESS) {
        event_set(c->event, CL_RUNNING);
        if (c->run) status = c->run(c);
        if (status < 0) atomic_store(&c->event->queue->fault, status);
    }
    command_release(c);
    event_set(c->event, status < 0 ? status : CL_COMPLETE);
}

static struct command *queue_next(cl_command_queue q)
{
    pthread_mutex_lock(&q->lock);
    while (!q->head && !q->stop) pthread_cond_wait(&q->wake, &q->lock);
    struct command *c = q->head;
    if (c) {
        q->head = c->next;
        if (!q->head) q->tail = &q->head;
    }
    pthread_mutex_unlock(&q->lock);
    return c;
}

static void queue_free(cl_command_queue q)
{
    context_drop(q->context);
    pthread_cond_destroy(&q->wake);
    pthread_cond_destroy(&q->idle);
    pthread_mutex_destroy(&q->lock);
    free(q->array);
    free(q);
}

static void *queue_main(void *arg)
{
    cl_command_queue q = arg;
    for (struct command *c; (c = queue_next(q));) {
        command_execute(c);
        pthread_mutex_lock(&q->lock);
        q->finished++;
        pthread_cond_broadcast(&q->idle);
        pthread_mutex_unlock(&q->lock);
        event_drop(c->event); /* may set q->stop; then the next turn ends */
        free(c);
    }
    queue_free(q);
    return NULL;
}

void queue_drop(cl_command_queue q)
{
    if (!object_unuse(&q->base)) return;
    pthread_mutex_lock(&q->lock);
    q->stop = true;
    bool started = q->started;
    pthread_cond_signal(&q->wake);
    pthread_mutex_unlock(&q->lock);
    if (!started) queue_free(q);
}

/* The event is SUBMITTED before the worker can see the command: nothing here is ever held back. */
static bool queue_append(cl_command_queue q, struct command *c)
{
    pthread_mutex_lock(&q->lock);
    if (!q->started) q->started = host_thread(NULL, queue_main, q);
    bool ok = q->started;
    if (ok) {
        event_set(c->event, CL_SUBMITTED);
        *q->tail = c;
        q->tail = &c->next;
        q->enqueued++;
        pthread_cond_signal(&q->wake);
    }
    pthread_mutex_unlock(&q->lock);
    return ok;
}

/* A kernel's failure that no wait or query has shown yet: the next blocking call returns it, once. */
static cl_int fault_take(cl_command_queue q) { return atomic_exchange(&q->fault, CL_SUCCESS); }

cl_int command_submit(struct command *c, bool blocking, cl_event *result)
{
    cl_event event = c->event;
    cl_command_queue q = event->queue;
    object_use(&event->base); /* ours; the command's own use goes with the command */
    if (!queue_append(q, c)) {
        command_free(c);
        event_drop(event);
        return CL_OUT_OF_RESOURCES;
    }
    cl_int status = CL_SUCCESS;
    if (blocking) {
        status = event_wait(event);
        cl_int fault = fault_take(q);
        if (status >= 0) status = fault;
    }
    if (result && status == CL_SUCCESS) {
        *result = event; /* our use becomes the client's */
        return CL_SUCCESS;
    }
    object_release(event, KIND_EVENT, &(bool){false});
    event_drop(event);
    return status;
}

/* ---- queues ---- */

static const cl_command_queue_properties known_properties = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE |
                                                            CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_ON_DEVICE |
                                                            CL_QUEUE_ON_DEVICE_DEFAULT;

static cl_int properties_check(cl_command_queue_properties properties)
{
    if (properties & ~known_properties) return CL_INVALID_VALUE;
    if ((properties & CL_QUEUE_ON_DEVICE_DEFAULT) && !(properties & CL_QUEUE_ON_DEVICE)) return CL_INVALID_VALUE;
    return properties & ~(cl_command_queue_properties)CL_QUEUE_PROFILING_ENABLE ? CL_INVALID_QUEUE_PROPERTIES
                                                                                : CL_SUCCESS;
}

static cl_command_queue queue_new(cl_context context, cl_command_queue_properties properties)
{
    cl_command_queue q = calloc(1, sizeof *q);
    if (!q) return NULL;
    object_init(&q->base, KIND_QUEUE);
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->wake, NULL);
    pthread_cond_init(&q->idle, NULL);
    q->tail = &q->head;
    q->properties = properties;
    q->context = context;
    object_use(&context->base);
    return q;
}

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device, cl_command_queue_properties properties,
                                      cl_int *errcode_ret)
{
    cl_command_queue q = NULL;
    cl_int error = CL_SUCCESS;
    if (!object_is(context, KIND_CONTEXT)) error = CL_INVALID_CONTEXT;
    else if (!object_is(device, KIND_DEVICE)) error = CL_INVALID_DEVICE;
    else error = properties_check(properties);
    if (!error && !(q = queue_new(context, properties))) error = CL_OUT_OF_HOST_MEMORY;
    set_error(errcode_ret, error);
    return q;
}

/* Reads a property list: the bits, and the words with the closing 0. */
static cl_int property_list(const cl_queue_properties *list, cl_command_queue_properties *bits, size_t *count)
{
    bool seen = false;
    size_t n = 0;
    *bits = 0;
    *count = 0;
    if (!list) return CL_SUCCESS;
    for (; list[n]; n += 2) {
        if (list[n] == CL_QUEUE_SIZE) return CL_INVALID_QUEUE_PROPERTIES; /* of queues on the device only */
        if (list[n] != CL_QUEUE_PROPERTIES || seen) return CL_INVALID_VALUE;
        seen = true;
        *bits = list[n + 1];
    }
    *count = n + 1;
    return properties_check(*bits);
}

cl_command_queue clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                    const cl_queue_properties *properties, cl_int *errcode_ret)
{
    cl_command_queue_properties bits = 0;
    cl_command_queue q = NULL;
    size_t count = 0;
    cl_int error = CL_SUCCESS;
    if (!object_is(context, KIND_CONTEXT)) error = CL_INVALID_CONTEXT;
    else if (!object_is(device, KIND_DEVICE)) error = CL_INVALID_DEVICE;
    else error = property_list(properties, &bits, &count);
    if (!error && !(q = queue_new(context, bits))) error = CL_OUT_OF_HOST_MEMORY;
    if (!error && count) {
        q->array = malloc(count * sizeof *properties);
        if (q->array) {
            memcpy(q->array, properties, count * sizeof *properties);
            q->narray = count;
        } else {
            queue_free(q);
            q = NULL;
            error = CL_OUT_OF_HOST_MEMORY;
        }
    }
    set_error(errcode_ret, error);
    return q;
}

cl_int clRetainCommandQueue(cl_command_queue q)
{
    return object_retain(q, KIND_QUEUE) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}

/* Nothing to flush: commands are with the worker already, and they hold the queue. */
cl_int clReleaseCommandQueue(cl_command_queue q)
{
    bool last;
    if (!object_release(q, KIND_QUEUE, &last)) return CL_INVALID_COMMAND_QUEUE;
    if (last) queue_drop(q);
    return CL_SUCCESS;
}

cl_int clGetCommandQueueInfo(cl_command_queue q, cl_command_queue_info param, size_t size, void *value,
                             size_t *size_ret)
{
    struct info out = {size, value, size_ret};
    if (!object_is(q, KIND_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    switch (param) {
    case CL_QUEUE_CONTEXT: INFO(cl_context, q->context);
    case CL_QUEUE_DEVICE: INFO(cl_device_id, &the_device);
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

cl_int clFlush(cl_command_queue q) { return object_is(q, KIND_QUEUE) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE; }

cl_int clFinish(cl_command_queue q)
{
    if (!object_is(q, KIND_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    pthread_mutex_lock(&q->lock);
    uint64_t last = q->enqueued;
    while (q->finished < last) pthread_cond_wait(&q->idle, &q->lock);
    pthread_mutex_unlock(&q->lock);
    return fault_take(q);
}

/* ---- markers and barriers: in an in-order queue both are commands that do nothing ---- */

static cl_int enqueue_nothing(cl_command_queue q, cl_command_type type, cl_uint nwaits, const cl_event *waits,
                              cl_event *event)
{
    struct command *c;
    if (!object_is(q, KIND_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    cl_int error = command_new(q, type, nwaits, waits, 0, &c);
    return error ? error : command_submit(c, false, event);
}

cl_int clEnqueueMarkerWithWaitList(cl_command_queue q, cl_uint nwaits, const cl_event *waits, cl_event *event)
{
    return enqueue_nothing(q, CL_COMMAND_MARKER, nwaits, waits, event);
}

cl_int clEnqueueBarrierWithWaitList(cl_command_queue q, cl_uint nwaits, const cl_event *waits, cl_event *event)
{
    return enqueue_nothing(q, CL_COMMAND_BARRIER, nwaits, waits, event);
}

cl_int clEnqueueMarker(cl_command_queue q, cl_event *event)
{
    if (!object_is(q, KIND_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    return event ? enqueue_nothing(q, CL_COMMAND_MARKER, 0, NULL, event) : CL_INVALID_VALUE;
}

cl_int clEnqueueBarrier(cl_command_queue q) { return enqueue_nothing(q, CL_COMMAND_BARRIER, 0, NULL, NULL); }

cl_int clEnqueueWaitForEvents(cl_command_queue q, cl_uint count, const cl_event *list)
{
    if (!object_is(q, KIND_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    if (count == 0 || !list) return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++)
        if (!object_is(list[i], KIND_EVENT)) return CL_INVALID_EVENT;
    return enqueue_nothing(q, CL_COMMAND_BARRIER, count, list, NULL);
}
