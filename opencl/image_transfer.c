/* Commands on images: read, write, copy, fill, map. Each is put as a box of bytes, checked completely, and handed to
 * transfer.c. Called through icd.c. */
#include "objects.h"

/* ---- boxes ---- */

/* Checks that a region, in texels and layers, lies in the image. */
static cl_int region_check(const struct abi_image *image, const size_t *origin, const size_t *region)
{
    const size_t sizes[3] = {image->width, image->height, image->depth};
    if (!origin || !region) return CL_INVALID_VALUE;
    for (int i = 0; i < 3; i++)
        if (region[i] == 0 || origin[i] >= sizes[i] || region[i] > sizes[i] - origin[i]) return CL_INVALID_VALUE;
    return CL_SUCCESS;
}

static void box_region(struct box *box, const struct abi_image *image, const size_t *region)
{
    box->region[0] = region[0] * image->texel;
    box->region[1] = region[1];
    box->region[2] = region[2];
}

/* The side that is in an image, for a region that has been checked. */
static void box_image(struct box *box, int side, const struct abi_image *image, const size_t *origin)
{
    box->row[side] = image->row;
    box->slice[side] = image->slice;
    box->offset[side] = origin[0] * image->texel + origin[1] * image->row + origin[2] * image->slice;
}

/* The side of a buffer that holds the region without gaps from `offset` on; `end` is behind its last byte. */
static cl_int box_tight(struct box *box, int side, size_t offset, size_t *end)
{
    const size_t *r = box->region;
    box->row[side] = r[0];
    box->slice[side] = r[0] * r[1];
    box->offset[side] = offset;
    return __builtin_add_overflow(offset, box->slice[side] * r[2], end) ? CL_INVALID_VALUE : CL_SUCCESS;
}

/* The side that is the client's memory. A 1D array has one row a slice; an image without slices has no pitch of them.
 */
static cl_int box_host(struct box *box, int side, cl_mem_object_type type, size_t row, size_t slice)
{
    const size_t *r = box->region;
    const bool lines = type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    const bool slices = lines || type == CL_MEM_OBJECT_IMAGE2D_ARRAY || type == CL_MEM_OBJECT_IMAGE3D;
    size_t least;
    if (!row) row = r[0];
    if (row < r[0] || (slice && !slices)) return CL_INVALID_VALUE;
    if (__builtin_mul_overflow(row, lines ? 1 : r[1], &least)) return CL_INVALID_VALUE;
    if (!slice) slice = least;
    if (slice < least) return CL_INVALID_VALUE;
    box->row[side] = lines ? slice : row;
    box->slice[side] = slice;
    box->offset[side] = 0;
    return CL_SUCCESS;
}

static cl_mem_object_type type_of(cl_mem image) { return image->image.desc.image_type; }

/* ---- read and write ---- */

static cl_int host_transfer(cl_command_queue q, cl_command_type type, cl_mem image, int side, bool blocking,
                            const size_t *origin, const size_t *region, size_t row, size_t slice, void *ptr,
                            cl_uint nwaits, const cl_event *waits, cl_event *event)
{
    const struct abi_image *seen = &image->image.seen;
    struct box box;
    cl_int error = ptr ? region_check(seen, origin, region) : CL_INVALID_VALUE;
    if (error) return error;
    box_region(&box, seen, region);
    box_image(&box, side, seen, origin);
    error = box_host(&box, !side, type_of(image), row, slice);
    return error ? error : transfer_host(q, type, image, side, &box, ptr, blocking, nwaits, waits, event);
}

cl_int clEnqueueReadImage(cl_command_queue q, cl_mem image, cl_bool blocking, const size_t *origin,
                          const size_t *region, size_t row, size_t slice, void *ptr, cl_uint nwaits,
                          const cl_event *waits, cl_event *event)
{
    cl_int error = transfer_check(q, image, true, CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS);
    if (error) return error;
    return host_transfer(q, CL_COMMAND_READ_IMAGE, image, SOURCE, blocking, origin, region, row, slice, ptr, nwaits,
                         waits, event);
}

cl_int clEnqueueWriteImage(cl_command_queue q, cl_mem image, cl_bool blocking, const size_t *origin,
                           const size_t *region, size_t row, size_t slice, const void *ptr, cl_uint nwaits,
                           const cl_event *waits, cl_event *event)
{
    cl_int error = transfer_check(q, image, true, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS | CL_MEM_IMMUTABLE_EXT);
    if (error) return error;
    return host_transfer(q, CL_COMMAND_WRITE_IMAGE, image, TARGET, blocking, origin, region, row, slice,
                         (void *)(uintptr_t)ptr, nwaits, waits, event);
}

/* ---- copy ---- */

static bool same_format(cl_mem a, cl_mem b)
{
    const cl_image_format *f = &a->image.format, *g = &b->image.format;
    return f->image_channel_order == g->image_channel_order && f->image_channel_data_type == g->image_channel_data_type;
}

cl_int copy_image(const struct route *to, cl_mem source, cl_mem target, const size_t *source_origin,
                  const size_t *target_origin, const size_t *region)
{
    struct box box;
    cl_int error = transfer_check(to->queue, source, true, 0);
    if (!error) error = transfer_check(to->queue, target, true, CL_MEM_IMMUTABLE_EXT);
    if (!error && !same_format(source, target)) error = CL_IMAGE_FORMAT_MISMATCH;
    if (!error) error = region_check(&source->image.seen, source_origin, region);
    if (!error) error = region_check(&target->image.seen, target_origin, region);
    if (error) return error;
    box_region(&box, &source->image.seen, region);
    box_image(&box, SOURCE, &source->image.seen, source_origin);
    box_image(&box, TARGET, &target->image.seen, target_origin);
    return transfer_copy(to, CL_COMMAND_COPY_IMAGE, source, target, &box);
}

cl_int clEnqueueCopyImage(cl_command_queue q, cl_mem source, cl_mem target, const size_t *source_origin,
                          const size_t *target_origin, const size_t *region, cl_uint nwaits, const cl_event *waits,
                          cl_event *event)
{
    const struct route to = {q, nwaits, waits, event, NULL};
    return copy_image(&to, source, target, source_origin, target_origin, region);
}

/* The box between an image, which is `side` of it, and a buffer. */
static cl_int box_of_both(struct box *box, int side, cl_mem image, const size_t *origin, const size_t *region,
                          cl_mem buffer, size_t offset)
{
    const struct abi_image *seen = &image->image.seen;
    size_t end;
    cl_int error = region_check(seen, origin, region);
    if (error) return error;
    box_region(box, seen, region);
    box_image(box, side, seen, origin);
    error = box_tight(box, !side, offset, &end);
    return !error && end > buffer->size ? CL_INVALID_VALUE : error;
}

cl_int copy_image_to_buffer(const struct route *to, cl_mem image, cl_mem buffer, const size_t *origin,
                            const size_t *region, size_t offset)
{
    struct box box;
    cl_int error = transfer_check(to->queue, image, true, 0);
    if (!error) error = transfer_check(to->queue, buffer, false, CL_MEM_IMMUTABLE_EXT);
    if (!error) error = box_of_both(&box, SOURCE, image, origin, region, buffer, offset);
    return error ? error : transfer_copy(to, CL_COMMAND_COPY_IMAGE_TO_BUFFER, image, buffer, &box);
}

cl_int clEnqueueCopyImageToBuffer(cl_command_queue q, cl_mem image, cl_mem buffer, const size_t *origin,
                                  const size_t *region, size_t offset, cl_uint nwaits, const cl_event *waits,
                                  cl_event *event)
{
    const struct route to = {q, nwaits, waits, event, NULL};
    return copy_image_to_buffer(&to, image, buffer, origin, region, offset);
}

cl_int copy_buffer_to_image(const struct route *to, cl_mem buffer, cl_mem image, size_t offset, const size_t *origin,
                            const size_t *region)
{
    struct box box;
    cl_int error = transfer_check(to->queue, buffer, false, 0);
    if (!error) error = transfer_check(to->queue, image, true, CL_MEM_IMMUTABLE_EXT);
    if (!error) error = box_of_both(&box, TARGET, image, origin, region, buffer, offset);
    return error ? error : transfer_copy(to, CL_COMMAND_COPY_BUFFER_TO_IMAGE, buffer, image, &box);
}

cl_int clEnqueueCopyBufferToImage(cl_command_queue q, cl_mem buffer, cl_mem image, size_t offset, const size_t *origin,
                                  const size_t *region, cl_uint nwaits, const cl_event *waits, cl_event *event)
{
    const struct route to = {q, nwaits, waits, event, NULL};
    return copy_buffer_to_image(&to, buffer, image, offset, origin, region);
}

/* ---- fill and map ---- */

cl_int fill_image(const struct route *to, cl_mem image, const void *color, const size_t *origin, const size_t *region)
{
    unsigned char texel[16];
    struct box box;
    cl_int error = transfer_check(to->queue, image, true, CL_MEM_IMMUTABLE_EXT);
    if (!error && !color) error = CL_INVALID_VALUE;
    if (!error) error = region_check(&image->image.seen, origin, region);
    if (error) return error;
    const struct abi_image *seen = &image->image.seen;
    box_region(&box, seen, region);
    box_image(&box, SOURCE, seen, origin);
    box_image(&box, TARGET, seen, origin);
    format_pack(seen, color, texel);
    return transfer_fill(to, CL_COMMAND_FILL_IMAGE, image, &box, texel, seen->texel);
}

cl_int clEnqueueFillImage(cl_command_queue q, cl_mem image, const void *color, const size_t *origin,
                          const size_t *region, cl_uint nwaits, const cl_event *waits, cl_event *event)
{
    const struct route to = {q, nwaits, waits, event, NULL};
    return fill_image(&to, image, color, origin, region);
}

static cl_int map_image(cl_command_queue q, cl_mem image, bool blocking, cl_map_flags flags, const size_t *origin,
                        const size_t *region, void **ptr, cl_uint nwaits, const cl_event *waits, cl_event *event)
{
    const struct abi_image *seen = &image->image.seen;
    struct box box;
    box_region(&box, seen, region);
    box_image(&box, SOURCE, seen, origin);
    box_image(&box, TARGET, seen, origin);
    const size_t *r = box.region;
    const size_t size = (r[2] - 1) * seen->slice + (r[1] - 1) * seen->row + r[0];
    return transfer_map(q, CL_COMMAND_MAP_IMAGE, image, &box, size, blocking, flags, ptr, nwaits, waits, event);
}

void *clEnqueueMapImage(cl_command_queue q, cl_mem image, cl_bool blocking, cl_map_flags flags, const size_t *origin,
                        const size_t *region, size_t *row, size_t *slice, cl_uint nwaits, const cl_event *waits,
                        cl_event *event, cl_int *errcode_ret)
{
    void *ptr = NULL;
    cl_int error = transfer_check(q, image, true, map_forbids(flags));
    if (!error) error = region_check(&image->image.seen, origin, region);
    if (!error && (!row || (!slice && image->image.desc.image_slice_pitch))) error = CL_INVALID_VALUE;
    if (!error) error = map_image(q, image, blocking, flags, origin, region, &ptr, nwaits, waits, event);
    set_error(errcode_ret, error);
    if (error) return NULL;
    *row = image->image.desc.image_row_pitch;
    if (slice) *slice = image->image.desc.image_slice_pitch;
    return ptr;
}
