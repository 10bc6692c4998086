/* Command buffers: their life, queries, and the list of their commands, which those who make commands add to (record.c
 * for the client). replay.c enqueues them. Called through icd.c. */
#include <stdlib.h>
#include <string.h>

#include "command_buffer.h"

/* ---- life ---- */

static void buffer_destroy(struct object *object)
{
    cl_command_buffer_khr b = (cl_command_buffer_khr)object;
    for (size_t i = 0; i < b->count; i++) {
        command_free(b->commands[i].command);
        if (b->commands[i].handle) object_drop(&b->commands[i].handle->base);
        free(b->commands[i].behind);
    }
    free(b->commands);
    free(b->properties);
    object_drop(&b->queue->base);
    pthread_mutex_destroy(&b->lock);
    free(b);
}

enum { FLAGS, ASSERTS, PROPERTIES };

static cl_int property_check(cl_properties name, cl_properties value, bool given[PROPERTIES])
{
    const cl_properties device_side_sync = 1 << 2; /* of several devices, which are not there */
    const cl_properties known[PROPERTIES] = {[FLAGS] = CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR |
                                                       CL_COMMAND_BUFFER_MUTABLE_KHR | device_side_sync,
                                             [ASSERTS] = CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR};
    const int which = name == CL_COMMAND_BUFFER_FLAGS_KHR                      ? FLAGS
                      : name == CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR ? ASSERTS
                                                                               : PROPERTIES;
    if (which == PROPERTIES || given[which] || value & ~known[which]) return CL_INVALID_VALUE;
    given[which] = true;
    return which == FLAGS && value & device_side_sync ? CL_INVALID_PROPERTY : CL_SUCCESS;
}

/* Checks a property list and counts its words with the closing 0; 0 for NULL. */
static cl_int properties_check(const cl_command_buffer_properties_khr *list, size_t *count)
{
    bool given[PROPERTIES] = {false};
    size_t n = 0;
    *count = 0;
    if (!list) return CL_SUCCESS;
    for (; list[n]; n += 2) {
        cl_int error = property_check(list[n], list[n + 1], given);
        if (error) return error;
    }
    *count = n + 1;
    return CL_SUCCESS;
}

cl_properties command_buffer_property(const struct _cl_command_buffer_khr *b, cl_properties name)
{
    for (size_t i = 0; i + 1 < b->nproperties; i += 2)
        if (b->properties[i] == name) return b->properties[i + 1];
    return 0;
}

static cl_command_buffer_khr buffer_new(cl_command_queue queue, const cl_command_buffer_properties_khr *list,
                                        size_t count)
{
    cl_command_buffer_khr b = calloc(1, sizeof *b);
    if (b && count && !(b->properties = malloc(count * sizeof *list))) {
        free(b);
        b = NULL;
    }
    if (!b || pthread_mutex_init(&b->lock, NULL)) {
        if (b) free(b->properties);
        free(b);
        return NULL;
    }
    object_init(&b->base, KIND_COMMAND_BUFFER, buffer_destroy);
    if (count) memcpy(b->properties, list, count * sizeof *list);
    b->nproperties = count;
    b->queue = queue;
    object_use(&queue->base);
    context_witness(queue->context);
    return b;
}

static cl_command_buffer_khr create(cl_uint count, const cl_command_queue *queues,
                                    const cl_command_buffer_properties_khr *properties, cl_int *errcode_ret)
{
    cl_command_buffer_khr b = NULL;
    size_t words = 0;
    cl_int error = count == 1 && queues ? CL_SUCCESS : CL_INVALID_VALUE;
    if (!error && !object_is(queues[0], KIND_QUEUE)) error = CL_INVALID_COMMAND_QUEUE;
    if (!error) error = properties_check(properties, &words);
    if (!error && !(b = buffer_new(queues[0], properties, words))) error = CL_OUT_OF_HOST_MEMORY;
    set_error(errcode_ret, error);
    return b;
}

static cl_int retain(cl_command_buffer_khr b)
{
    bool first;
    if (!object_retain(b, KIND_COMMAND_BUFFER, &first)) return CL_INVALID_COMMAND_BUFFER_KHR;
    if (first) context_witness(b->queue->context);
    return CL_SUCCESS;
}

static cl_int release(cl_command_buffer_khr b)
{
    bool last;
    if (!object_release(b, KIND_COMMAND_BUFFER, &last)) return CL_INVALID_COMMAND_BUFFER_KHR;
    if (!last) return CL_SUCCESS;
    context_witness_gone(b->queue->context);
    object_drop(&b->base);
    return CL_SUCCESS;
}

static cl_int finalize(cl_command_buffer_khr b)
{
    if (!object_is(b, KIND_COMMAND_BUFFER)) return CL_INVALID_COMMAND_BUFFER_KHR;
    pthread_mutex_lock(&b->lock);
    bool before = b->finalized;
    b->finalized = true;
    pthread_mutex_unlock(&b->lock);
    return before ? CL_INVALID_OPERATION : CL_SUCCESS;
}

cl_command_buffer_state_khr command_buffer_state(const struct _cl_command_buffer_khr *b)
{
    if (!b->finalized) return CL_COMMAND_BUFFER_STATE_RECORDING_KHR;
    for (size_t i = 0; i < b->count; i++)
        if (b->commands[i].handle && kernel_arguments_check(b->commands[i].handle->kernel))
            return CL_COMMAND_BUFFER_STATE_FINALIZED_KHR; /* an update has to set them */
    return CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR;
}

static cl_command_buffer_state_khr state_now(cl_command_buffer_khr b)
{
    pthread_mutex_lock(&b->lock);
    cl_command_buffer_state_khr state = command_buffer_state(b);
    pthread_mutex_unlock(&b->lock);
    return state;
}

static cl_int info(cl_command_buffer_khr b, cl_command_buffer_info_khr param, size_t size, void *value,
                   size_t *size_ret)
{
    struct info out = {size, value, size_ret};
    if (!object_is(b, KIND_COMMAND_BUFFER)) return CL_INVALID_COMMAND_BUFFER_KHR;
    switch (param) {
    case CL_COMMAND_BUFFER_NUM_QUEUES_KHR: INFO(cl_uint, 1);
    case CL_COMMAND_BUFFER_QUEUES_KHR: INFO(cl_command_queue, b->queue);
    case CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR: INFO(cl_uint, object_count(&b->base));
    case CL_COMMAND_BUFFER_STATE_KHR: INFO(cl_command_buffer_state_khr, state_now(b));
    case CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR:
        return info_bytes(out, b->properties, b->nproperties * sizeof *b->properties);
    case CL_COMMAND_BUFFER_CONTEXT_KHR: INFO(cl_context, b->queue->context);
    default: return CL_INVALID_VALUE;
    }
}

/* ---- the list of commands ---- */

static bool buffer_room(cl_command_buffer_khr b)
{
    if (b->count < b->room) return true;
    size_t room = b->room ? 2 * b->room : 16;
    struct recorded *commands = realloc(b->commands, room * sizeof *commands);
    if (!commands) return false;
    b->commands = commands;
    b->room = room;
    return true;
}

static bool in_order(const struct _cl_command_buffer_khr *b)
{
    return !(b->queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

/* A barrier without a wait list depends on everything that was recorded since the previous barrier. */
static struct behind *behind_what(const struct record *r, bool all, size_t *n)
{
    const cl_command_buffer_khr b = r->buffer;
    const size_t first = b->last + (size_t)1, before = all ? b->count + 1 - first : 0;
    struct behind *list = malloc((2 + r->nsyncs + before) * sizeof *list);
    if (!list) return NULL;
    *n = 0;
    list[(*n)++] = (struct behind){0, false};
    if (b->last) list[(*n)++] = (struct behind){b->last, true};
    for (cl_uint i = 0; i < r->nsyncs; i++) list[(*n)++] = (struct behind){r->syncs[i], false};
    for (size_t i = 0; i < before; i++) list[(*n)++] = (struct behind){(cl_sync_point_khr)(first + i), true};
    return list;
}

static cl_int append(const struct record *r, struct command *c)
{
    cl_command_buffer_khr b = r->buffer;
    const bool barrier = c->type == CL_COMMAND_BARRIER;
    if (b->finalized) return CL_INVALID_OPERATION; /* meanwhile, by another thread */
    if (b->count == CL_UINT_MAX - 1) return CL_OUT_OF_RESOURCES;
    struct recorded recorded = {.command = c, .handle = r->handle};
    if (!buffer_room(b)) return CL_OUT_OF_HOST_MEMORY;
    recorded.behind = behind_what(r, barrier && r->nsyncs == 0, &recorded.nbehind);
    if (!recorded.behind) return CL_OUT_OF_HOST_MEMORY;
    b->commands[b->count++] = recorded;
    if (in_order(b) || barrier) b->last = (cl_sync_point_khr)b->count;
    if (r->point) *r->point = (cl_sync_point_khr)b->count;
    if (r->handle) r->handle->point = (cl_sync_point_khr)b->count;
    return CL_SUCCESS;
}

cl_int command_send(const struct route *to, struct command *c)
{
    const struct record *r = to->record;
    if (!r) return command_submit(c, to->event);
    if (r->instead) {
        *r->instead = c;
        return CL_SUCCESS;
    }
    pthread_mutex_lock(&r->buffer->lock);
    cl_int error = append(r, c);
    pthread_mutex_unlock(&r->buffer->lock);
    if (error) command_free(c);
    return error;
}

const struct extension_function command_buffer_functions[] = {
    {"clCreateCommandBufferKHR", (void *)create}, {"clFinalizeCommandBufferKHR", (void *)finalize},
    {"clGetCommandBufferInfoKHR", (void *)info},  {"clReleaseCommandBufferKHR", (void *)release},
    {"clRetainCommandBufferKHR", (void *)retain}, {NULL, NULL},
};
