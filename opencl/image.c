/* Images: formats and sizes, memory of their own or of a buffer or another image, queries.
 * An image is a memory object (buffer.c) whose bytes lie as the client's do: with the pitches that came with a host
 * pointer or a buffer, else tight. So one offset is right for both. Called through icd.c. */
#include <string.h>

#include "objects.h"

/* Dimensions that an image type has of its own, and whether it has layers behind them. */
struct shape {
    unsigned dims;
    bool layers;
};

static bool shape_of(cl_mem_object_type type, struct shape *shape)
{
    switch (type) {
    case CL_MEM_OBJECT_IMAGE1D:
    case CL_MEM_OBJECT_IMAGE1D_BUFFER: *shape = (struct shape){1, false}; return true;
    case CL_MEM_OBJECT_IMAGE1D_ARRAY: *shape = (struct shape){1, true}; return true;
    case CL_MEM_OBJECT_IMAGE2D: *shape = (struct shape){2, false}; return true;
    case CL_MEM_OBJECT_IMAGE2D_ARRAY: *shape = (struct shape){2, true}; return true;
    case CL_MEM_OBJECT_IMAGE3D: *shape = (struct shape){3, false}; return true;
    default: return false;
    }
}

static bool type_known(cl_mem_object_type type) { return shape_of(type, &(struct shape){0}); }

/* ---- creation ---- */

static cl_int format_check(const cl_image_format *format, cl_mem_object_type type, struct abi_image *image)
{
    if (!format || !format_valid(format)) return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    if (!format_offered(format, type)) return CL_IMAGE_FORMAT_NOT_SUPPORTED;
    format_describe(format, image);
    return CL_SUCCESS;
}

/* Width, height and depth as kernels see them. */
static cl_int sizes_set(const cl_image_desc *desc, const struct shape *shape, struct abi_image *image)
{
    const size_t most = desc->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER ? IMAGE_MAX_BUFFER
                        : shape->dims == 3                               ? IMAGE_MAX_3D
                                                                         : IMAGE_MAX_2D;
    const size_t sizes[3] = {desc->image_width, desc->image_height, desc->image_depth};
    uint32_t *const out[3] = {&image->width, &image->height, &image->depth};
    for (unsigned i = 0; i < 3; i++) {
        bool layer = shape->layers && i == shape->dims;
        size_t n = i < shape->dims ? sizes[i] : layer ? desc->image_array_size : 1;
        if (n == 0) return CL_INVALID_IMAGE_DESCRIPTOR;
        if (n > (layer ? (size_t)IMAGE_MAX_LAYERS : most)) return CL_INVALID_IMAGE_SIZE;
        *out[i] = (uint32_t)n;
    }
    return CL_SUCCESS;
}

/* Fills in the pitches that the client leaves open. It may give them only for memory of its own. */
static cl_int pitches_set(cl_image_desc *desc, const struct shape *shape, bool own_memory, struct abi_image *image)
{
    const size_t least = (size_t)image->width * image->texel;
    size_t *row = &desc->image_row_pitch, *slice = &desc->image_slice_pitch;
    if (own_memory && (*row || *slice)) return CL_INVALID_IMAGE_DESCRIPTOR;
    if (!*row) *row = least;
    if (*row < least || *row % image->texel || *row > UINT32_MAX) return CL_INVALID_IMAGE_DESCRIPTOR;
    const size_t least_slice = shape->dims == 1 ? *row : *row * image->height;
    bool sliced = shape->layers || shape->dims == 3;
    if (!sliced || !*slice) *slice = least_slice;
    if (*slice < least_slice || *slice % *row) return CL_INVALID_IMAGE_DESCRIPTOR;
    if (*slice > device_max_alloc()) return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    image->row = (uint32_t)(shape->dims == 1 ? *slice : *row);
    image->slice = (uint32_t)*slice;
    if (!sliced) *slice = 0; /* as it is reported */
    return CL_SUCCESS;
}

static size_t image_bytes(const cl_image_desc *desc, const struct abi_image *image)
{
    size_t layers = desc->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? image->height : image->depth;
    return image->slice * layers;
}

/* Which orders of channels a view of an image may have. */
static bool view_allowed(cl_channel_order of, cl_channel_order as)
{
    static const cl_channel_order pairs[][2] = {{CL_RGBA, CL_sRGBA}, {CL_BGRA, CL_sBGRA}, {CL_R, CL_DEPTH}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if ((pairs[i][0] == of && pairs[i][1] == as) || (pairs[i][1] == of && pairs[i][0] == as)) return true;
    return false;
}

static cl_int view_check(const cl_image_format *format, const cl_image_desc *desc)
{
    const struct image *base = &desc->mem_object->image;
    if (base->desc.image_type != CL_MEM_OBJECT_IMAGE2D || desc->image_width != base->desc.image_width ||
        desc->image_height != base->desc.image_height ||
        (desc->image_row_pitch && desc->image_row_pitch != base->desc.image_row_pitch))
        return CL_INVALID_IMAGE_DESCRIPTOR;
    if (format->image_channel_data_type != base->format.image_channel_data_type ||
        !view_allowed(base->format.image_channel_order, format->image_channel_order))
        return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    return CL_SUCCESS;
}

/* The memory object that an image is of: a buffer for a 1D buffer image, a buffer or an image for a 2D image. */
static cl_int parent_check(cl_context context, const cl_image_format *format, const cl_image_desc *desc)
{
    cl_mem parent = desc->mem_object;
    bool buffer_image = desc->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
    if (!parent) return buffer_image ? CL_INVALID_IMAGE_DESCRIPTOR : CL_SUCCESS;
    if (!buffer_image && desc->image_type != CL_MEM_OBJECT_IMAGE2D) return CL_INVALID_IMAGE_DESCRIPTOR;
    if (!object_is(parent, KIND_MEM) || mem_is_pipe(parent) || (buffer_image && mem_is_image(parent)))
        return CL_INVALID_MEM_OBJECT;
    if (parent->context != context) return CL_INVALID_CONTEXT;
    return mem_is_image(parent) ? view_check(format, desc) : CL_SUCCESS;
}

static cl_int image_check(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                          const cl_image_desc *desc, const void *host_ptr)
{
    bool pointer = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
    if (!object_is(context, KIND_CONTEXT)) return CL_INVALID_CONTEXT;
    cl_int error = mem_flags_check(flags);
    if (error) return error;
    if (!format) return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    if (!desc || !type_known(desc->image_type) || desc->num_mip_levels || desc->num_samples)
        return CL_INVALID_IMAGE_DESCRIPTOR;
    error = parent_check(context, format, desc);
    if (error) return error;
    return pointer == (host_ptr != NULL) ? CL_SUCCESS : CL_INVALID_HOST_PTR;
}

/* Everything about the image but its memory; *flags become those that it inherits. */
static cl_int image_describe(const cl_image_format *format, cl_mem_flags *flags, bool own_memory, struct image *image)
{
    struct shape shape;
    cl_mem parent = image->desc.mem_object;
    shape_of(image->desc.image_type, &shape);
    image->format = *format;
    cl_int error = format_check(format, image->desc.image_type, &image->seen);
    if (!error) error = sizes_set(&image->desc, &shape, &image->seen);
    if (!error && parent && mem_is_image(parent)) image->desc.image_row_pitch = parent->image.desc.image_row_pitch;
    if (!error) error = pitches_set(&image->desc, &shape, own_memory, &image->seen);
    if (!error && parent) error = mem_inherit_flags(parent->flags, flags);
    if (!error && parent && image_bytes(&image->desc, &image->seen) > parent->size) error = CL_INVALID_IMAGE_SIZE;
    return error;
}

static cl_mem image_create(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                           const cl_image_desc *desc, void *host_ptr, cl_int *errcode_ret)
{
    struct image image = {0};
    cl_mem mem = NULL;
    cl_int error = image_check(context, flags, format, desc, host_ptr);
    if (!error && !device_has("__opencl_c_images")) error = CL_INVALID_OPERATION;
    if (!error) {
        image.desc = *desc;
        error = image_describe(format, &flags, !host_ptr && !desc->mem_object, &image);
    }
    const size_t size = error ? 0 : image_bytes(&image.desc, &image.seen);
    if (!error && size > device_max_alloc()) error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    if (!error) error = mem_create(context, flags, size, host_ptr, image.desc.mem_object, &mem);
    if (mem) mem->image = image;
    set_error(errcode_ret, error);
    return mem;
}

cl_mem clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format, const cl_image_desc *desc,
                     void *host_ptr, cl_int *errcode_ret)
{
    return image_create(context, flags, format, desc, host_ptr, errcode_ret);
}

cl_mem clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                                   const cl_image_format *format, const cl_image_desc *desc, void *host_ptr,
                                   cl_int *errcode_ret)
{
    if (object_is(context, KIND_CONTEXT) && properties && properties[0]) { /* there are none yet */
        set_error(errcode_ret, CL_INVALID_PROPERTY);
        return NULL;
    }
    return mem_with_properties(image_create(context, flags, format, desc, host_ptr, errcode_ret), properties,
                               errcode_ret);
}

/* OpenCL 1.1 has one error for everything that is wrong with the sizes. */
static cl_mem image_create_old(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                               const cl_image_desc *desc, void *host_ptr, cl_int *errcode_ret)
{
    cl_int error;
    cl_mem mem = image_create(context, flags, format, desc, host_ptr, &error);
    set_error(errcode_ret, error == CL_INVALID_IMAGE_DESCRIPTOR ? CL_INVALID_IMAGE_SIZE : error);
    return mem;
}

cl_mem clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t width,
                       size_t height, size_t row, void *host_ptr, cl_int *errcode_ret)
{
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height, .image_row_pitch = row};
    return image_create_old(context, flags, format, &desc, host_ptr, errcode_ret);
}

cl_mem clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t width,
                       size_t height, size_t depth, size_t row, size_t slice, void *host_ptr, cl_int *errcode_ret)
{
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                                .image_width = width,
                                .image_height = height,
                                .image_depth = depth,
                                .image_row_pitch = row,
                                .image_slice_pitch = slice};
    return image_create_old(context, flags, format, &desc, host_ptr, errcode_ret);
}

/* ---- queries ---- */

cl_int clGetSupportedImageFormats(cl_context context, cl_mem_flags flags, cl_mem_object_type type, cl_uint count,
                                  cl_image_format *formats, cl_uint *count_ret)
{
    if (!object_is(context, KIND_CONTEXT)) return CL_INVALID_CONTEXT;
    cl_int error = mem_flags_check(flags & ~(cl_mem_flags)CL_MEM_KERNEL_READ_AND_WRITE);
    if (error || (count == 0 && formats) || !type_known(type)) return CL_INVALID_VALUE;
    const cl_uint n = device_has("__opencl_c_images") ? format_list(type, formats ? count : 0, formats) : 0;
    if (count_ret) *count_ret = n;
    return CL_SUCCESS;
}

cl_int clGetImageInfo(cl_mem mem, cl_image_info param, size_t size, void *value, size_t *size_ret)
{
    struct info out = {size, value, size_ret};
    struct shape shape;
    if (!object_is(mem, KIND_MEM) || !mem_is_image(mem)) return CL_INVALID_MEM_OBJECT;
    const cl_image_desc *desc = &mem->image.desc;
    shape_of(desc->image_type, &shape);
    switch (param) {
    case CL_IMAGE_FORMAT: return info_bytes(out, &mem->image.format, sizeof mem->image.format);
    case CL_IMAGE_ELEMENT_SIZE: INFO(size_t, mem->image.seen.texel);
    case CL_IMAGE_ROW_PITCH: INFO(size_t, desc->image_row_pitch);
    case CL_IMAGE_SLICE_PITCH: INFO(size_t, desc->image_slice_pitch);
    case CL_IMAGE_WIDTH: INFO(size_t, desc->image_width);
    case CL_IMAGE_HEIGHT: INFO(size_t, shape.dims > 1 ? desc->image_height : 0);
    case CL_IMAGE_DEPTH: INFO(size_t, shape.dims > 2 ? desc->image_depth : 0);
    case CL_IMAGE_ARRAY_SIZE: INFO(size_t, shape.layers ? desc->image_array_size : 0);
    case CL_IMAGE_BUFFER: INFO(cl_mem, mem->parent && !mem_is_image(mem->parent) ? mem->parent : NULL);
    case CL_IMAGE_NUM_MIP_LEVELS: INFO(cl_uint, 0);
    case CL_IMAGE_NUM_SAMPLES: INFO(cl_uint, 0);
    default: return CL_INVALID_VALUE;
    }
}
