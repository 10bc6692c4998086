/* What records commands in a command buffer: each is checked and made as its namesake for a queue does it, and kept.
 * Called through icd.c. */
#include <string.h>

#include "command_buffer.h"

/* ---- checks that all have in common ---- */

static cl_int syncs_check(const struct _cl_command_buffer_khr *b, const struct record *r)
{
    if ((r->nsyncs == 0) != (r->syncs == NULL)) return CL_INVALID_SYNC_POINT_WAIT_LIST_KHR;
    for (cl_uint i = 0; i < r->nsyncs; i++)
        if (r->syncs[i] == 0 || r->syncs[i] > b->count) return CL_INVALID_SYNC_POINT_WAIT_LIST_KHR;
    return CL_SUCCESS;
}

static cl_int state_check(const struct record *r)
{
    cl_command_buffer_khr b = r->buffer;
    pthread_mutex_lock(&b->lock);
    cl_int error = b->finalized ? CL_INVALID_OPERATION : syncs_check(b, r);
    pthread_mutex_unlock(&b->lock);
    return error;
}

/* Parameters of extensions that are not offered (several queues), and those of launches alone, must not be set. */
static cl_int record_check(const struct record *r, cl_command_queue queue, const cl_properties *properties,
                           const cl_mutable_command_khr *handle)
{
    if (!object_is(r->buffer, KIND_COMMAND_BUFFER)) return CL_INVALID_COMMAND_BUFFER_KHR;
    if (queue) return CL_INVALID_COMMAND_QUEUE;
    if ((properties && *properties) || handle) return CL_INVALID_VALUE;
    return state_check(r);
}

/* The last parameters of each function; its first lines, which check them and choose the route of its command. */
#define LAST cl_uint nsyncs, const cl_sync_point_khr *syncs, cl_sync_point_khr *point, cl_mutable_command_khr *handle
#define ROUTE \
    const struct record record = {.buffer = b, .nsyncs = nsyncs, .syncs = syncs, .point = point}; \
    const cl_int error = record_check(&record, queue, properties, handle); \
    if (error) return error; \
    const struct route to = {.queue = b->queue, .record = &record}
/* The first parameters of each function. */
#define FIRST cl_command_buffer_khr b, cl_command_queue queue, const cl_properties *properties

/* ---- the functions ---- */

static cl_int record_barrier(FIRST, LAST)
{
    struct command *c;
    ROUTE;
    cl_int failure = command_new(b->queue, CL_COMMAND_BARRIER, sizeof *c, 0, NULL, 0, &c);
    return failure ? failure : command_send(&to, c);
}

static cl_int record_copy_buffer(FIRST, cl_mem source, cl_mem target, size_t source_offset, size_t target_offset,
                                 size_t size, LAST)
{
    ROUTE;
    return copy_buffer(&to, source, target, source_offset, target_offset, size);
}

static cl_int record_copy_buffer_rect(FIRST, cl_mem source, cl_mem target, const size_t *source_origin,
                                      const size_t *target_origin, const size_t *region, size_t source_row,
                                      size_t source_slice, size_t target_row, size_t target_slice, LAST)
{
    ROUTE;
    return copy_buffer_rect(&to, source, target, source_origin, target_origin, region, source_row, source_slice,
                            target_row, target_slice);
}

static cl_int record_copy_buffer_to_image(FIRST, cl_mem buffer, cl_mem image, size_t offset, const size_t *origin,
                                          const size_t *region, LAST)
{
    ROUTE;
    return copy_buffer_to_image(&to, buffer, image, offset, origin, region);
}

static cl_int record_copy_image(FIRST, cl_mem source, cl_mem target, const size_t *source_origin,
                                const size_t *target_origin, const size_t *region, LAST)
{
    ROUTE;
    return copy_image(&to, source, target, source_origin, target_origin, region);
}

static cl_int record_copy_image_to_buffer(FIRST, cl_mem image, cl_mem buffer, const size_t *origin,
                                          const size_t *region, size_t offset, LAST)
{
    ROUTE;
    return copy_image_to_buffer(&to, image, buffer, origin, region, offset);
}

static cl_int record_fill_buffer(FIRST, cl_mem mem, const void *pattern, size_t pattern_size, size_t offset,
                                 size_t size, LAST)
{
    ROUTE;
    return fill_buffer(&to, mem, pattern, pattern_size, offset, size);
}

static cl_int record_fill_image(FIRST, cl_mem image, const void *color, const size_t *origin, const size_t *region,
                                LAST)
{
    ROUTE;
    return fill_image(&to, image, color, origin, region);
}

static struct sizes sizes_of(cl_uint dim, const size_t *offset, const size_t *global, const size_t *local)
{
    struct sizes s = {.dim = dim, .has_local = local};
    const size_t bytes = dim * sizeof *offset;
    if (offset) memcpy(s.offset, offset, bytes);
    if (global) memcpy(s.global, global, bytes);
    if (local) memcpy(s.local, local, bytes);
    return s;
}

static cl_int record_kernel(FIRST, cl_kernel kernel, cl_uint dim, const size_t *offset, const size_t *global,
                            const size_t *local, LAST)
{
    struct record record = {.buffer = b, .nsyncs = nsyncs, .syncs = syncs, .point = point};
    cl_mutable_dispatch_fields_khr fields;
    size_t count;
    cl_int error = record_check(&record, queue, NULL, NULL);
    if (!error) error = mutable_properties(b, properties, local, &fields, &count);
    if (!error && handle && object_is(kernel, KIND_KERNEL) && dim <= 3) {
        const struct sizes sizes = sizes_of(dim, offset, global, local);
        record.handle = mutable_new(b, kernel, &sizes, fields, properties, count);
        if (!record.handle) error = CL_OUT_OF_HOST_MEMORY;
    }
    if (error) return error;
    const struct route to = {.queue = b->queue, .record = &record, .may_lack = mutable_may_lack(record.handle)};
    error = launch_kernel(&to, CL_COMMAND_NDRANGE_KERNEL, kernel, dim, offset, global, local);
    if (error && record.handle) object_drop(&record.handle->base);
    if (!error && handle) *handle = record.handle;
    return error;
}

static cl_int record_svm_copy(FIRST, void *target, const void *source, size_t size, LAST)
{
    ROUTE;
    return svm_copy(&to, false, target, source, size);
}

static cl_int record_svm_fill(FIRST, void *ptr, const void *pattern, size_t pattern_size, size_t size, LAST)
{
    ROUTE;
    return svm_fill(&to, ptr, pattern, pattern_size, size);
}

const struct extension_function record_functions[] = {
    {"clCommandBarrierWithWaitListKHR", (void *)record_barrier},
    {"clCommandCopyBufferKHR", (void *)record_copy_buffer},
    {"clCommandCopyBufferRectKHR", (void *)record_copy_buffer_rect},
    {"clCommandCopyBufferToImageKHR", (void *)record_copy_buffer_to_image},
    {"clCommandCopyImageKHR", (void *)record_copy_image},
    {"clCommandCopyImageToBufferKHR", (void *)record_copy_image_to_buffer},
    {"clCommandFillBufferKHR", (void *)record_fill_buffer},
    {"clCommandFillImageKHR", (void *)record_fill_image},
    {"clCommandNDRangeKernelKHR", (void *)record_kernel},
    {"clCommandSVMMemFillKHR", (void *)record_svm_fill},
    {"clCommandSVMMemcpyKHR", (void *)record_svm_copy},
    {NULL, NULL},
};
