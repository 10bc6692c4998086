/* Commands on shared virtual memory. Host and kernels have the same pages at the same address (svm_memory.c), so that
 * nothing is ever copied for a map: it only has its place in the order. Called through icd.c. */
#include <string.h>

#include "objects.h"

static cl_int queue_check(cl_command_queue q)
{
    if (!object_is(q, KIND_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    return svm_capabilities() ? CL_SUCCESS : CL_INVALID_OPERATION;
}

/* ---- allocations ---- */

/* An allocation begins on a page, which satisfies every alignment that may be asked for. */
static bool allocation_allowed(cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
    const cl_svm_mem_flags access = flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY);
    if (flags & ~(access | CL_MEM_SVM_FINE_GRAIN_BUFFER) || (access & (access - 1))) return false;
    if (size == 0 || size > device_max_alloc()) return false;
    return alignment <= MEM_ALIGN && (alignment & (alignment - 1)) == 0;
}

void *clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
    if (!object_is(context, KIND_CONTEXT) || !svm_capabilities() || !allocation_allowed(flags, size, alignment))
        return NULL;
    void *ptr = svm_add(context, size);
    if (ptr) context_witness(context);
    return ptr;
}

void clSVMFree(cl_context context, void *ptr)
{
    if (object_is(context, KIND_CONTEXT) && svm_remove(context, ptr)) context_witness_gone(context);
}

/* ---- free as a command ---- */

struct freeing {
    struct command command;
    void(CL_CALLBACK *call)(cl_command_queue, cl_uint, void *[], void *);
    void *data;
    cl_uint count;
    void *ptrs[];
};

static enum ventus_status run_free(void *command)
{
    struct freeing *f = command;
    cl_command_queue q = f->command.queue;
    const uint32_t outer = ranges_enter();
    if (f->call) f->call(q, f->count, f->ptrs, f->data);
    else
        for (cl_uint i = 0; i < f->count; i++) clSVMFree(q->context, f->ptrs[i]);
    ranges_leave(q->context, outer);
    return VENTUS_OK;
}

cl_int clEnqueueSVMFree(cl_command_queue q, cl_uint count, void *ptrs[],
                        void(CL_CALLBACK *call)(cl_command_queue, cl_uint, void *[], void *), void *data,
                        cl_uint nwaits, const cl_event *waits, cl_event *event)
{
    struct command *c;
    cl_int error = queue_check(q);
    if (!error && (count == 0) != (ptrs == NULL)) error = CL_INVALID_VALUE;
    if (!error)
        error =
            command_new(q, CL_COMMAND_SVM_FREE, sizeof(struct freeing) + count * sizeof *ptrs, nwaits, waits, 0, &c);
    if (error) return error;
    struct freeing *f = (struct freeing *)c;
    f->call = call;
    f->data = data;
    f->count = count;
    if (count) memcpy(f->ptrs, ptrs, count * sizeof *ptrs);
    c->run = run_free;
    return command_submit(c, event);
}

/* ---- copy and fill ---- */

struct copying {
    struct command command;
    unsigned char *target;
    const unsigned char *source; /* of a copy */
    size_t size;
    unsigned char pattern[MAX_PATTERN]; /* of a fill */
    size_t pattern_size;
};

static enum ventus_status run_copy(void *command)
{
    const struct copying *c = command;
    memcpy(c->target, c->source, c->size);
    return VENTUS_OK;
}

static enum ventus_status run_fill(void *command)
{
    const struct copying *c = command;
    for (size_t done = 0; done < c->size; done += c->pattern_size)
        memcpy(c->target + done, c->pattern, c->pattern_size);
    return VENTUS_OK;
}

static bool overlap(const void *a, const void *b, size_t size)
{
    const uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return x < y ? y - x < size : x - y < size;
}

cl_int svm_copy(const struct route *to, bool blocking, void *target, const void *source, size_t size)
{
    struct command *c;
    cl_int error = queue_check(to->queue);
    if (!error && (!target || !source)) error = CL_INVALID_VALUE;
    if (!error && overlap(target, source, size)) error = CL_MEM_COPY_OVERLAP;
    if (!error)
        error = command_new(to->queue, CL_COMMAND_SVM_MEMCPY, sizeof(struct copying), to->nwaits, to->waits, 0, &c);
    if (error) return error;
    struct copying *copy = (struct copying *)c;
    copy->target = target;
    copy->source = source;
    copy->size = c->bytes = size;
    c->blocking = blocking;
    c->run = run_copy;
    return command_send(to, c);
}

cl_int clEnqueueSVMMemcpy(cl_command_queue q, cl_bool blocking, void *target, const void *source, size_t size,
                          cl_uint nwaits, const cl_event *waits, cl_event *event)
{
    const struct route to = {q, nwaits, waits, event, NULL};
    return svm_copy(&to, blocking, target, source, size);
}

cl_int svm_fill(const struct route *to, void *ptr, const void *pattern, size_t pattern_size, size_t size)
{
    struct command *c;
    cl_int error = queue_check(to->queue);
    if (!error && (!ptr || !pattern_valid(pattern, pattern_size))) error = CL_INVALID_VALUE;
    if (!error && ((uintptr_t)ptr % pattern_size || size % pattern_size)) error = CL_INVALID_VALUE;
    if (!error)
        error = command_new(to->queue, CL_COMMAND_SVM_MEMFILL, sizeof(struct copying), to->nwaits, to->waits, 0, &c);
    if (error) return error;
    struct copying *fill = (struct copying *)c;
    fill->target = ptr;
    fill->size = c->bytes = size;
    memcpy(fill->pattern, pattern, pattern_size);
    fill->pattern_size = pattern_size;
    c->run = run_fill;
    return command_send(to, c);
}

cl_int clEnqueueSVMMemFill(cl_command_queue q, void *ptr, const void *pattern, size_t pattern_size, size_t size,
                           cl_uint nwaits, const cl_event *waits, cl_event *event)
{
    const struct route to = {q, nwaits, waits, event, NULL};
    return svm_fill(&to, ptr, pattern, pattern_size, size);
}

/* ---- map, unmap, migrate: the memory is where it is needed already, so only the order and the event remain ---- */

static cl_int enqueue_mark(cl_command_queue q, cl_command_type type, bool blocking, cl_uint nwaits,
                           const cl_event *waits, cl_event *event)
{
    struct command *c;
    cl_int error = command_new(q, type, sizeof *c, nwaits, waits, 0, &c);
    if (error) return error;
    c->blocking = blocking;
    return command_submit(c, event);
}

cl_int clEnqueueSVMMap(cl_command_queue q, cl_bool blocking, cl_map_flags flags, void *ptr, size_t size, cl_uint nwaits,
                       const cl_event *waits, cl_event *event)
{
    cl_int error = queue_check(q);
    if (!error && (!ptr || size == 0 || !map_flags_valid(flags))) error = CL_INVALID_VALUE;
    return error ? error : enqueue_mark(q, CL_COMMAND_SVM_MAP, blocking, nwaits, waits, event);
}

cl_int clEnqueueSVMUnmap(cl_command_queue q, void *ptr, cl_uint nwaits, const cl_event *waits, cl_event *event)
{
    cl_int error = queue_check(q);
    if (!error && !ptr) error = CL_INVALID_VALUE;
    return error ? error : enqueue_mark(q, CL_COMMAND_SVM_UNMAP, false, nwaits, waits, event);
}

cl_int clEnqueueSVMMigrateMem(cl_command_queue q, cl_uint count, const void **ptrs, const size_t *sizes,
                              cl_mem_migration_flags flags, cl_uint nwaits, const cl_event *waits, cl_event *event)
{
    cl_int error = queue_check(q);
    if (!error && (count == 0 || !ptrs || !migration_flags_valid(flags))) error = CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count && !error; i++)
        if (!svm_holds(q->context, ptrs[i], sizes ? sizes[i] : 0)) error = CL_INVALID_VALUE;
    return error ? error : enqueue_mark(q, CL_COMMAND_SVM_MIGRATE_MEM, false, nwaits, waits, event);
}
