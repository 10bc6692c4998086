/* Contexts: properties, the client's message callback, destructor callbacks, and the thread for event
 * callbacks. Everything made in a context holds a use of it. Each has a machine of its own.
 * Called through icd.c; context_report by queue.c when a kernel fails.
 *
 * A context is abandoned when the client has nothing left by which it could see what commands do. They are cancelled
 * then: nobody misses their results, and a kernel that never ends would keep the device from all others. */
#include <stdlib.h>
#include <string.h>

#include "objects.h"

/* Checks a property list and counts its words with the closing 0; 0 for NULL. */
static cl_int properties_check(const cl_context_properties *list, size_t *count)
{
    bool platform = false, sync = false;
    size_t n = 0;
    *count = 0;
    if (!list) return CL_SUCCESS;
    for (; list[n]; n += 2) {
        bool *seen = list[n] == CL_CONTEXT_PLATFORM            ? &platform
                     : list[n] == CL_CONTEXT_INTEROP_USER_SYNC ? &sync
                                                               : NULL;
        if (!seen || *seen) return CL_INVALID_PROPERTY;
        *seen = true;
        if (seen == &platform && (cl_platform_id)list[n + 1] != &the_platform) return CL_INVALID_PLATFORM;
        if (seen == &sync && list[n + 1] != CL_TRUE && list[n + 1] != CL_FALSE) return CL_INVALID_PROPERTY;
    }
    *count = n + 1;
    return CL_SUCCESS;
}

/* Also frees a context whose creation has failed half-way. */
static void context_free(cl_context context)
{
    if (context->notifier) notifier_close(context->notifier);
    if (context->machine) machine_give_back(context->machine);
    devices_close(&context->devices);
    pthread_mutex_destroy(&context->lock);
    spares_close(&context->commands);
    free(context->properties);
    free(context);
}

static void context_destroy(struct object *object)
{
    cl_context context = (cl_context)object;
    struct destructor *list = context->destructors;
    context->destructors = NULL;
    destructor_run(context, list, context);
    svm_close(context);
    context_free(context);
}

/* How many freed commands are kept for reuse, 4 MB at most: of a size that launches with some dozen arguments have. */
enum { SPARE_COMMANDS = 8192, SPARE_BYTES = 480 };

static cl_int context_make(const cl_context_properties *properties, size_t count, cl_uint ndevices,
                           const cl_device_id *devices, cl_context *result)
{
    cl_context context = calloc(1, sizeof *context);
    if (!context || pthread_mutex_init(&context->lock, NULL)) {
        free(context);
        return CL_OUT_OF_HOST_MEMORY;
    }
    if (!spares_open(&context->commands, SPARE_BYTES, SPARE_COMMANDS)) {
        pthread_mutex_destroy(&context->lock);
        free(context);
        return CL_OUT_OF_HOST_MEMORY;
    }
    object_init(&context->base, KIND_CONTEXT, context_destroy);
    context->notifier = notifier_new();
    if (count) context->properties = malloc(count * sizeof *properties);
    if (!context->notifier || (count && !context->properties) || !devices_init(&context->devices, ndevices, devices)) {
        context_free(context);
        return CL_OUT_OF_HOST_MEMORY;
    }
    if (count) memcpy(context->properties, properties, count * sizeof *properties);
    context->nproperties = count;
    context->machine = machine_get();
    if (!context->machine) {
        context_free(context);
        return CL_DEVICE_NOT_AVAILABLE;
    }
    context->device = machine_device(context->machine);
    *result = context;
    return CL_SUCCESS;
}

cl_context clCreateContext(const cl_context_properties *properties, cl_uint num_devices, const cl_device_id *devices,
                           void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data,
                           cl_int *errcode_ret)
{
    size_t count;
    cl_context context = NULL;
    cl_int error = properties_check(properties, &count);
    if (!error) error = device_list_check(NULL, num_devices, devices, false);
    if (!error && !notify && data) error = CL_INVALID_VALUE;
    if (!error) error = context_make(properties, count, num_devices, devices, &context);
    if (!error) {
        context->notify = notify;
        context->notify_data = data;
    }
    set_error(errcode_ret, error);
    return context;
}

cl_context clCreateContextFromType(const cl_context_properties *properties, cl_device_type type,
                                   void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data,
                                   cl_int *errcode_ret)
{
    size_t count;
    cl_device_id device;
    cl_int error = properties_check(properties, &count);
    if (!error && !notify && data) error = CL_INVALID_VALUE;
    if (!error) error = clGetDeviceIDs(&the_platform, type, 1, &device, NULL);
    if (!error) return clCreateContext(properties, 1, &device, notify, data, errcode_ret);
    set_error(errcode_ret, error);
    return NULL;
}

/* ---- queues and witnesses ---- */

void context_add_queue(cl_context context, cl_command_queue queue)
{
    pthread_mutex_lock(&context->lock);
    queue->next = context->queues;
    context->queues = queue;
    pthread_mutex_unlock(&context->lock);
}

void context_remove_queue(cl_context context, cl_command_queue queue)
{
    pthread_mutex_lock(&context->lock);
    cl_command_queue *link = &context->queues;
    while (*link != queue) link = &(*link)->next;
    *link = queue->next;
    pthread_mutex_unlock(&context->lock);
}

void context_witness(cl_context context) { atomic_fetch_add(&context->witnesses, 1); }

void context_witness_gone(cl_context context)
{
    if (atomic_fetch_sub(&context->witnesses, 1) != 1) return;
    pthread_mutex_lock(&context->lock);
    for (cl_command_queue q = context->queues; q; q = q->next) {
        pthread_mutex_lock(&q->lock);
        flight_cancel(&q->flight);
        pthread_mutex_unlock(&q->lock);
    }
    pthread_mutex_unlock(&context->lock);
}

/* ---- references and queries ---- */

cl_int clRetainContext(cl_context context)
{
    return object_retain(context, KIND_CONTEXT, &(bool){false}) ? CL_SUCCESS : CL_INVALID_CONTEXT;
}

cl_int clReleaseContext(cl_context context)
{
    bool last;
    if (!object_release(context, KIND_CONTEXT, &last)) return CL_INVALID_CONTEXT;
    if (last) object_drop(&context->base);
    return CL_SUCCESS;
}

cl_int clGetContextInfo(cl_context context, cl_context_info param, size_t size, void *value, size_t *size_ret)
{
    struct info out = {size, value, size_ret};
    if (!object_is(context, KIND_CONTEXT)) return CL_INVALID_CONTEXT;
    switch (param) {
    case CL_CONTEXT_REFERENCE_COUNT: INFO(cl_uint, object_count(&context->base));
    case CL_CONTEXT_NUM_DEVICES: INFO(cl_uint, context->devices.count);
    case CL_CONTEXT_DEVICES:
        return info_bytes(out, context->devices.list, context->devices.count * sizeof *context->devices.list);
    case CL_CONTEXT_PROPERTIES:
        return info_bytes(out, context->properties, context->nproperties * sizeof *context->properties);
    default: return CL_INVALID_VALUE;
    }
}

void context_report(cl_context context, const char *message)
{
    complain("%s", message);
    const uint32_t outer = ranges_enter();
    if (context->notify) context->notify(message, NULL, 0, context->notify_data);
    ranges_leave(context, outer);
}

/* Who is to be called when an object goes sees that its commands have ended. */
cl_int destructor_add(cl_context context, struct destructor **list, pthread_mutex_t *lock, void (*call)(void),
                      void *data)
{
    struct destructor *d = malloc(sizeof *d);
    if (!d) return CL_OUT_OF_HOST_MEMORY;
    d->call = (void(CL_CALLBACK *)(void *, void *))call;
    d->data = data;
    pthread_mutex_lock(lock);
    d->next = *list;
    *list = d;
    pthread_mutex_unlock(lock);
    context_witness(context);
    return CL_SUCCESS;
}

void destructor_run(cl_context context, struct destructor *list, void *object)
{
    while (list) {
        struct destructor *d = list;
        list = d->next;
        const uint32_t outer = ranges_enter();
        d->call(object, d->data);
        ranges_leave(context, outer);
        context_witness_gone(context);
        free(d);
    }
}

cl_int clSetContextDestructorCallback(cl_context context, void(CL_CALLBACK *call)(cl_context, void *), void *data)
{
    if (!object_is(context, KIND_CONTEXT)) return CL_INVALID_CONTEXT;
    if (!call) return CL_INVALID_VALUE;
    return destructor_add(context, &context->destructors, &context->lock, (void (*)(void))call, data);
}
