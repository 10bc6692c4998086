/* Commands on buffers: read, write, copy (linear and rectangular), fill, map, unmap, migrate. What moves the bytes is
 * that of images, too (image_transfer.c).
 * Each is checked completely when enqueued; what is run later cannot leave its buffers. Linear
 * transfers are boxes of one row. With CL_MEM_USE_HOST_PTR the client's memory is brought up to date by
 * map and taken over by unmap, as the specification allows. Called through icd.c. */
#include <stdlib.h>
#include <string.h>

#include "objects.h"

struct transfer {
    struct command command;
    struct box box;
    void *host;
    unsigned char pattern[MAX_PATTERN]; /* of a fill */
    size_t pattern_size;
    uint32_t addr[2];
};

/* ---- checks ---- */

/* Any memory object. */
static cl_int object_check(cl_command_queue q, cl_mem mem)
{
    if (!object_is(q, KIND_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    if (!object_is(mem, KIND_MEM)) return CL_INVALID_MEM_OBJECT;
    return mem->context == q->context ? CL_SUCCESS : CL_INVALID_CONTEXT;
}

cl_int transfer_check(cl_command_queue q, cl_mem mem, bool image, cl_mem_flags forbidden)
{
    cl_int error = object_check(q, mem);
    if (!error && !(image ? mem_is_image(mem) : mem_is_buffer(mem))) error = CL_INVALID_MEM_OBJECT;
    return !error && mem->flags & forbidden ? CL_INVALID_OPERATION : error;
}

static cl_int buffer_check(cl_command_queue q, cl_mem mem, cl_mem_flags forbidden)
{
    return transfer_check(q, mem, false, forbidden);
}

static bool range_inside(cl_mem mem, size_t offset, size_t size)
{
    return offset <= mem->size && size <= mem->size - offset;
}

static void box_linear(struct box *box, size_t source, size_t target, size_t size)
{
    *box = (struct box){.region = {size, 1, 1}, .offset = {source, target}, .row = {size, size}, .slice = {size, size}};
}

/* Pitches of one side, 0 meaning tight, and the offset of its first byte; *end is behind its last. */
static cl_int box_side(struct box *box, int side, const size_t *origin, size_t row, size_t slice, size_t *end)
{
    const size_t *r = box->region;
    size_t y, z, least;
    if (!row) row = r[0];
    if (row < r[0] || __builtin_mul_overflow(r[1], row, &least)) return CL_INVALID_VALUE;
    if (!slice) slice = least;
    if (slice < least || slice % row) return CL_INVALID_VALUE;
    box->row[side] = row;
    box->slice[side] = slice;
    if (__builtin_mul_overflow(origin[1], row, &y) || __builtin_mul_overflow(origin[2], slice, &z) ||
        __builtin_add_overflow(y, z, &y) || __builtin_add_overflow(y, origin[0], &box->offset[side]))
        return CL_INVALID_VALUE;
    if (__builtin_mul_overflow(r[2] - 1, slice, &z) || __builtin_add_overflow(z, (r[1] - 1) * row + r[0], &z) ||
        __builtin_add_overflow(z, box->offset[side], end))
        return CL_INVALID_VALUE;
    return CL_SUCCESS;
}

static cl_int box_region(struct box *box, const size_t *region, const size_t *a, const size_t *b)
{
    if (!region || !a || !b || !region[0] || !region[1] || !region[2]) return CL_INVALID_VALUE;
    memcpy(box->region, region, sizeof box->region);
    return CL_SUCCESS;
}

/* Rows that follow each other without a gap on both sides become one. */
static void box_merge(struct box *box)
{
    size_t *r = box->region;
    if (box->row[0] != r[0] || box->row[1] != r[0]) return;
    r[0] *= r[1];
    r[1] = 1;
    if (box->slice[0] != r[0] || box->slice[1] != r[0]) return;
    r[0] *= r[2];
    r[2] = 1;
}

/* ---- execution ---- */

typedef enum ventus_status row_function(const struct transfer *t, size_t source, size_t target, size_t size);

static ventus_device *device_of(const struct transfer *t) { return t->command.queue->context->device; }

static enum ventus_status row_read(const struct transfer *t, size_t source, size_t target, size_t size)
{
    return ventus_read(device_of(t), (char *)t->host + target, t->addr[SOURCE] + (uint32_t)source, size);
}

static enum ventus_status row_write(const struct transfer *t, size_t source, size_t target, size_t size)
{
    return ventus_write(device_of(t), t->addr[TARGET] + (uint32_t)target, (char *)t->host + source, size);
}

static enum ventus_status row_copy(const struct transfer *t, size_t source, size_t target, size_t size)
{
    return ventus_copy(device_of(t), t->addr[TARGET] + (uint32_t)target, t->addr[SOURCE] + (uint32_t)source, size);
}

static enum ventus_status row_fill(const struct transfer *t, size_t source, size_t target, size_t size)
{
    (void)source;
    return ventus_fill(device_of(t), t->addr[TARGET] + (uint32_t)target, t->pattern, t->pattern_size, size);
}

static enum ventus_status box_run(const struct transfer *t, row_function *row)
{
    const struct box *b = &t->box;
    enum ventus_status status = VENTUS_OK;
    if (b->region[0] == 0) return VENTUS_OK;
    for (size_t z = 0; z < b->region[2] && status == VENTUS_OK; z++)
        for (size_t y = 0; y < b->region[1] && status == VENTUS_OK; y++)
            status = row(t, b->offset[SOURCE] + z * b->slice[SOURCE] + y * b->row[SOURCE],
                         b->offset[TARGET] + z * b->slice[TARGET] + y * b->row[TARGET], b->region[0]);
    return status;
}

static enum ventus_status run_read(void *command) { return box_run(command, row_read); }

static enum ventus_status run_write(void *command) { return box_run(command, row_write); }

static enum ventus_status run_copy(void *command) { return box_run(command, row_copy); }

static enum ventus_status run_fill(void *command) { return box_run(command, row_fill); }

static uint64_t box_bytes(const struct box *b) { return (uint64_t)b->region[0] * b->region[1] * b->region[2]; }

/* A transfer that is still to be filled in, with places for `nmems` buffers. */
static cl_int transfer_new(const struct route *to, cl_command_type type, cl_uint nmems, struct transfer **t)
{
    struct command *c;
    cl_int error = command_new(to->queue, type, sizeof **t, to->nwaits, to->waits, nmems, &c);
    if (!error) *t = (struct transfer *)c;
    return error;
}

/* Submits the transfer unless there is an error already. */
static cl_int transfer_send(const struct route *to, struct transfer *t, cl_int error)
{
    t->command.bytes = box_bytes(&t->box);
    if (!error) return command_send(to, &t->command);
    command_free(&t->command);
    return error;
}

/* ---- read and write ---- */

cl_int transfer_host(cl_command_queue q, cl_command_type type, cl_mem mem, int side, const struct box *box, void *host,
                     bool blocking, cl_uint nwaits, const cl_event *waits, cl_event *event)
{
    const struct route to = {q, nwaits, waits, event, NULL};
    struct transfer *t;
    cl_int error = transfer_new(&to, type, 1, &t);
    if (error) return error;
    t->box = *box;
    box_merge(&t->box);
    t->host = host;
    t->command.run = side == SOURCE ? run_read : run_write;
    t->command.blocking = blocking;
    return transfer_send(&to, t, command_mem(&t->command, mem, &t->addr[side]));
}

cl_int clEnqueueReadBuffer(cl_command_queue q, cl_mem mem, cl_bool blocking, size_t offset, size_t size, void *ptr,
                           cl_uint nwaits, const cl_event *waits, cl_event *event)
{
    struct box box;
    cl_int error = buffer_check(q, mem, CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS);
    if (error) return error;
    if (!ptr || !range_inside(mem, offset, size)) return CL_INVALID_VALUE;
    box_linear(&box, offset, 0, size);
    return transfer_host(q, CL_COMMAND_READ_BUFFER, mem, SOURCE, &box, ptr, blocking, nwaits, waits, event);
}

cl_int clEnqueueWriteBuffer(cl_command_queue q, cl_mem mem, cl_bool blocking, size_t offset, size_t size,
                            const void *ptr, cl_uint nwaits, const cl_event *waits, cl_event *event)
{
    struct box box;
    cl_int error = buffer_check(q, mem, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS | CL_MEM_IMMUTABLE_EXT);
    if (error) return error;
    if (!ptr || !range_inside(mem, offset, size)) return CL_INVALID_VALUE;
    box_linear(&box, 0, offset, size);
    return transfer_host(q, CL_COMMAND_WRITE_BUFFER, mem, TARGET, &box, (void *)(uintptr_t)ptr, blocking, nwaits, waits,
                         event);
}

cl_int clEnqueueReadBufferRect(cl_command_queue q, cl_mem mem, cl_bool blocking, const size_t *buffer_origin,
                               const size_t *host_origin, const size_t *region, size_t buffer_row, size_t buffer_slice,
                               size_t host_row, size_t host_slice, void *ptr, cl_uint nwaits, const cl_event *waits,
                               cl_event *event)
{
    struct box box;
    size_t end, host_end;
    cl_int error = buffer_check(q, mem, CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS);
    if (!error && !ptr) error = CL_INVALID_VALUE;
    if (!error) error = box_region(&box, region, buffer_origin, host_origin);
    if (!error) error = box_side(&box, SOURCE, buffer_origin, buffer_row, buffer_slice, &end);
    if (!error) error = box_side(&box, TARGET, host_origin, host_row, host_slice, &host_end);
    if (!error && end > mem->size) error = CL_INVALID_VALUE;
    if (error) return error;
    return transfer_host(q, CL_COMMAND_READ_BUFFER_RECT, mem, SOURCE, &box, ptr, blocking, nwaits, waits, event);
}

cl_int clEnqueueWriteBufferRect(cl_command_queue q, cl_mem mem, cl_bool blocking, const size_t *buffer_origin,
                                const size_t *host_origin, const size_t *region, size_t buffer_row, size_t buffer_slice,
                                size_t host_row, size_t host_slice, const void *ptr, cl_uint nwaits,
                                const cl_event *waits, cl_event *event)
{
    struct box box;
    size_t end, host_end;
    cl_int error = buffer_check(q, mem, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS | CL_MEM_IMMUTABLE_EXT);
    if (!error && !ptr) error = CL_INVALID_VALUE;
    if (!error) error = box_region(&box, region, buffer_origin, host_origin);
    if (!error) error = box_side(&box, TARGET, buffer_origin, buffer_row, buffer_slice, &end);
    if (!error) error = box_side(&box, SOURCE, host_origin, host_row, host_slice, &host_end);
    if (!error && end > mem->size) error = CL_INVALID_VALUE;
    if (error) return error;
    return transfer_host(q, CL_COMMAND_WRITE_BUFFER_RECT, mem, TARGET, &box, (void *)(uintptr_t)ptr, blocking, nwaits,
                         waits, event);
}

/* ---- copy ---- */

static bool rows_meet(size_t a, size_t b, size_t size) { return a < b ? b - a < size : a - b < size; }

/* Do the two sides of a box share a byte, given offsets from the same base? */
static bool box_overlap(const struct box *box, size_t source, size_t target)
{
    const size_t *r = box->region;
    size_t s_end = source + (r[2] - 1) * box->slice[SOURCE] + (r[1] - 1) * box->row[SOURCE] + r[0];
    size_t t_end = target + (r[2] - 1) * box->slice[TARGET] + (r[1] - 1) * box->row[TARGET] + r[0];
    if (s_end <= target || t_end <= source) return false;
    /* For each source row look at the target rows near it: the last that begins at or before it in each
     * slice, and the next. */
    for (size_t z = 0; z < r[2]; z++)
        for (size_t y = 0; y < r[1]; y++) {
            size_t s = source + z * box->slice[SOURCE] + y * box->row[SOURCE];
            size_t tz = s < target ? 0 : (s - target) / box->slice[TARGET];
            for (size_t k = tz ? tz - 1 : 0; k <= tz + 1 && k < r[2]; k++) {
                size_t first = target + k * box->slice[TARGET];
                size_t ty = s < first ? 0 : (s - first) / box->row[TARGET];
                if (ty >= r[1]) ty = r[1] - 1;
                if (rows_meet(s, first + ty * box->row[TARGET], r[0])) return true;
                if (ty + 1 < r[1] && rows_meet(s, first + (ty + 1) * box->row[TARGET], r[0])) return true;
            }
        }
    return false;
}

cl_int transfer_copy(const struct route *to, cl_command_type type, cl_mem source, cl_mem target, const struct box *box)
{
    struct transfer *t;
    cl_mem source_root = source, target_root = target;
    const size_t from = mem_root(&source_root) + box->offset[SOURCE];
    const size_t into = mem_root(&target_root) + box->offset[TARGET];
    if (source_root == target_root && box->region[0] && box_overlap(box, from, into)) return CL_MEM_COPY_OVERLAP;
    cl_int error = transfer_new(to, type, 2, &t);
    if (error) return error;
    t->box = *box;
    box_merge(&t->box);
    t->command.run = run_copy;
    error = command_mem(&t->command, source, &t->addr[SOURCE]);
    if (!error) error = command_mem(&t->command, target, &t->addr[TARGET]);
    return transfer_send(to, t, error);
}

cl_int copy_buffer(const struct route *to, cl_mem source, cl_mem target, size_t source_offset, size_t target_offset,
                   size_t size)
{
    struct box box;
    cl_int error = buffer_check(to->queue, source, 0);
    if (!error) error = buffer_check(to->queue, target, CL_MEM_IMMUTABLE_EXT);
    if (error) return error;
    if (!range_inside(source, source_offset, size) || !range_inside(target, target_offset, size))
        return CL_INVALID_VALUE;
    box_linear(&box, source_offset, target_offset, size);
    return transfer_copy(to, CL_COMMAND_COPY_BUFFER, source, target, &box);
}

cl_int clEnqueueCopyBuffer(cl_command_queue q, cl_mem source, cl_mem target, size_t source_offset, size_t target_offset,
                           size_t size, cl_uint nwaits, const cl_event *waits, cl_event *event)
{
    const struct route to = {q, nwaits, waits, event, NULL};
    return copy_buffer(&to, source, target, source_offset, target_offset, size);
}

cl_int copy_buffer_rect(const struct route *to, cl_mem source, cl_mem target, const size_t *source_origin,
                        const size_t *target_origin, const size_t *region, size_t source_row, size_t source_slice,
                        size_t target_row, size_t target_slice)
{
    struct box box;
    size_t source_end, target_end;
    cl_int error = buffer_check(to->queue, source, 0);
    if (!error) error = buffer_check(to->queue, target, CL_MEM_IMMUTABLE_EXT);
    if (!error) error = box_region(&box, region, source_origin, target_origin);
    if (!error) error = box_side(&box, SOURCE, source_origin, source_row, source_slice, &source_end);
    if (!error) error = box_side(&box, TARGET, target_origin, target_row, target_slice, &target_end);
    if (!error && (source_end > source->size || target_end > target->size)) error = CL_INVALID_VALUE;
    if (!error && source == target && box.row[SOURCE] != box.row[TARGET] && box.slice[SOURCE] != box.slice[TARGET])
        error = CL_INVALID_VALUE;
    if (error) return error;
    return transfer_copy(to, CL_COMMAND_COPY_BUFFER_RECT, source, target, &box);
}

cl_int clEnqueueCopyBufferRect(cl_command_queue q, cl_mem source, cl_mem target, const size_t *source_origin,
                               const size_t *target_origin, const size_t *region, size_t source_row,
                               size_t source_slice, size_t target_row, size_t target_slice, cl_uint nwaits,
                               const cl_event *waits, cl_event *event)
{
    const struct route to = {q, nwaits, waits, event, NULL};
    return copy_buffer_rect(&to, source, target, source_origin, target_origin, region, source_row, source_slice,
                            target_row, target_slice);
}

/* ---- fill ---- */

bool pattern_valid(const void *pattern, size_t size)
{
    return pattern && size && size <= MAX_PATTERN && (size & (size - 1)) == 0;
}

cl_int transfer_fill(const struct route *to, cl_command_type type, cl_mem mem, const struct box *box,
                     const void *pattern, size_t size)
{
    struct transfer *t;
    cl_int error = transfer_new(to, type, 1, &t);
    if (error) return error;
    memcpy(t->pattern, pattern, size);
    t->pattern_size = size;
    t->box = *box;
    box_merge(&t->box);
    t->command.run = run_fill;
    return transfer_send(to, t, command_mem(&t->command, mem, &t->addr[TARGET]));
}

cl_int fill_buffer(const struct route *to, cl_mem mem, const void *pattern, size_t pattern_size, size_t offset,
                   size_t size)
{
    struct box box;
    cl_int error = buffer_check(to->queue, mem, CL_MEM_IMMUTABLE_EXT);
    if (error) return error;
    if (!pattern_valid(pattern, pattern_size)) return CL_INVALID_VALUE;
    if (!range_inside(mem, offset, size) || offset % pattern_size || size % pattern_size) return CL_INVALID_VALUE;
    box_linear(&box, offset, offset, size);
    return transfer_fill(to, CL_COMMAND_FILL_BUFFER, mem, &box, pattern, pattern_size);
}

cl_int clEnqueueFillBuffer(cl_command_queue q, cl_mem mem, const void *pattern, size_t pattern_size, size_t offset,
                           size_t size, cl_uint nwaits, const cl_event *waits, cl_event *event)
{
    const struct route to = {q, nwaits, waits, event, NULL};
    return fill_buffer(&to, mem, pattern, pattern_size, offset, size);
}

/* ---- map and unmap ---- */

static const cl_map_flags writing = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;

bool map_flags_valid(cl_map_flags flags)
{
    if (flags & ~(CL_MAP_READ | writing)) return false;
    return !(flags & CL_MAP_WRITE_INVALIDATE_REGION) || !(flags & (CL_MAP_READ | CL_MAP_WRITE));
}

cl_mem_flags map_forbids(cl_map_flags flags)
{
    cl_mem_flags forbidden = 0;
    if (flags & CL_MAP_READ) forbidden |= CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS;
    if (flags & writing) forbidden |= CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS | CL_MEM_IMMUTABLE_EXT;
    return forbidden;
}

static void mapping_add(cl_mem mem, struct mapping *m)
{
    pthread_mutex_lock(&mem->lock);
    m->next = mem->maps;
    mem->maps = m;
    mem->nmaps++;
    pthread_mutex_unlock(&mem->lock);
}

/* Removes the latest mapping at `ptr`, or exactly `which`. */
static struct mapping *mapping_take(cl_mem mem, const void *ptr, const struct mapping *which)
{
    struct mapping **p, *m;
    pthread_mutex_lock(&mem->lock);
    for (p = &mem->maps; (m = *p); p = &m->next)
        if (which ? m == which : m->ptr == ptr) break;
    if (m) {
        *p = m->next;
        mem->nmaps--;
    }
    pthread_mutex_unlock(&mem->lock);
    return m;
}

/* The command of a map or an unmap: a transfer to or from the client's own memory, unless that is shared; otherwise
 * only a place in the queue's order. */
static cl_int map_command(cl_command_queue q, cl_command_type type, cl_mem mem, const struct mapping *m, cl_uint nwaits,
                          const cl_event *waits, struct transfer **result)
{
    const struct route to = {q, nwaits, waits, NULL, NULL};
    struct transfer *t;
    const bool unmap = type == CL_COMMAND_UNMAP_MEM_OBJECT;
    cl_int error = transfer_new(&to, type, 1, &t);
    if (error) return error;
    bool wanted = unmap ? m->flags != CL_MAP_READ : !(m->flags & CL_MAP_WRITE_INVALIDATE_REGION);
    t->host = mem->host_ptr;
    t->box = m->box;
    if (mem->host_ptr && !mem->svm && wanted) {
        t->command.run = unmap ? run_write : run_read;
        t->command.bytes = box_bytes(&t->box);
        error = command_mem(&t->command, mem, &t->addr[unmap ? TARGET : SOURCE]);
    }
    if (error) command_free(&t->command);
    else *result = t;
    return error;
}

static cl_int map_pointer(cl_mem mem, size_t offset, size_t size, void **ptr)
{
    uint32_t addr;
    cl_int error = mem_address(mem, &addr);
    if (error) return error;
    *ptr = mem->host_ptr ? (char *)mem->host_ptr + offset
                         : ventus_map(mem->context->device, addr + (uint32_t)offset, size);
    return *ptr ? CL_SUCCESS : CL_MAP_FAILURE;
}

/* Owns `m`. */
static cl_int map_enqueue(cl_command_queue q, cl_command_type type, cl_mem mem, bool blocking, struct mapping *m,
                          cl_uint nwaits, const cl_event *waits, cl_event *event)
{
    struct transfer *t;
    cl_int error = map_command(q, type, mem, m, nwaits, waits, &t);
    if (error) {
        free(m);
        return error;
    }
    mapping_add(mem, m);
    t->command.blocking = blocking;
    error = command_submit(&t->command, event);
    if (error) free(mapping_take(mem, NULL, m));
    return error;
}

cl_int transfer_map(cl_command_queue q, cl_command_type type, cl_mem mem, const struct box *box, size_t size,
                    bool blocking, cl_map_flags flags, void **ptr, cl_uint nwaits, const cl_event *waits,
                    cl_event *event)
{
    struct mapping *m = NULL;
    cl_int error = map_flags_valid(flags) ? CL_SUCCESS : CL_INVALID_VALUE;
    if (!error) error = map_pointer(mem, box->offset[TARGET], size, ptr);
    if (!error && !(m = calloc(1, sizeof *m))) error = CL_OUT_OF_HOST_MEMORY;
    if (error) return error;
    m->ptr = *ptr;
    m->box = *box;
    m->flags = flags;
    return map_enqueue(q, type, mem, blocking, m, nwaits, waits, event);
}

void *clEnqueueMapBuffer(cl_command_queue q, cl_mem mem, cl_bool blocking, cl_map_flags flags, size_t offset,
                         size_t size, cl_uint nwaits, const cl_event *waits, cl_event *event, cl_int *errcode_ret)
{
    struct box box;
    void *ptr = NULL;
    cl_int error = buffer_check(q, mem, map_forbids(flags));
    if (!error && (size == 0 || !range_inside(mem, offset, size))) error = CL_INVALID_VALUE;
    if (!error) {
        box_linear(&box, offset, offset, size);
        error = transfer_map(q, CL_COMMAND_MAP_BUFFER, mem, &box, size, blocking, flags, &ptr, nwaits, waits, event);
    }
    set_error(errcode_ret, error);
    return error ? NULL : ptr;
}

cl_int clEnqueueUnmapMemObject(cl_command_queue q, cl_mem mem, void *ptr, cl_uint nwaits, const cl_event *waits,
                               cl_event *event)
{
    struct transfer *t;
    cl_int error = object_check(q, mem);
    if (error) return error;
    struct mapping *m = mapping_take(mem, ptr, NULL);
    if (!m) return CL_INVALID_VALUE;
    error = map_command(q, CL_COMMAND_UNMAP_MEM_OBJECT, mem, m, nwaits, waits, &t);
    if (!error) error = command_submit(&t->command, event);
    if (error) mapping_add(mem, m);
    else free(m);
    return error;
}

/* ---- migrate: there is one device, so only the order and the event remain ---- */

bool migration_flags_valid(cl_mem_migration_flags flags)
{
    return !(flags & ~(cl_mem_migration_flags)(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED));
}

cl_int clEnqueueMigrateMemObjects(cl_command_queue q, cl_uint count, const cl_mem *list, cl_mem_migration_flags flags,
                                  cl_uint nwaits, const cl_event *waits, cl_event *event)
{
    struct command *c;
    if (!object_is(q, KIND_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    if (count == 0 || !list || !migration_flags_valid(flags)) return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++) {
        cl_int error = object_check(q, list[i]);
        if (error) return error;
    }
    cl_int error = command_new(q, CL_COMMAND_MIGRATE_MEM_OBJECTS, sizeof *c, nwaits, waits, 0, &c);
    return error ? error : command_submit(c, event);
}
