/* Images on the host: formats, descriptions and their errors, queries, and the commands that move texels, compared with
 * loops over the places that the specification gives the texels. Kernels: sample_test.c. */
#include "check.h"

static const cl_image_format rgba8 = {CL_RGBA, CL_UNORM_INT8}, r32 = {CL_R, CL_UNSIGNED_INT32};

static cl_mem image_new(const cl_image_format *format, cl_image_desc desc, void *host)
{
    cl_int err = 1;
    cl_mem mem = clCreateImage(context, host ? CL_MEM_COPY_HOST_PTR : 0, format, &desc, host, &err);
    OK(err);
    return mem;
}

// clang-format off
#define FLAT(w, h) (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = (w), .image_height = (h)}
static const cl_image_desc descs[] = {
    {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 7},
    {.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = 7, .image_array_size = 3},
    {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 7, .image_height = 5},
    {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, .image_width = 7, .image_height = 5, .image_array_size = 3},
    {.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 7, .image_height = 5, .image_depth = 4},
};
enum { DESCS = sizeof descs / sizeof *descs, W = 7, H = 5, D = 4 };
// clang-format on

/* Texels in each direction as origins and regions count them. */
static void extents(const cl_image_desc *d, size_t size[3])
{
    bool line = d->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    size[0] = d->image_width;
    size[1] = line ? d->image_array_size : d->image_height ? d->image_height : 1;
    size[2] = d->image_depth ? d->image_depth : d->image_array_size && !line ? d->image_array_size : 1;
}

/* ---- creation ---- */

static void test_wrong(void **state)
{
    (void)state;
    cl_int err;
    char bytes[64 * 4];
    cl_image_desc d = FLAT(4, 4);
    const cl_image_format no_order = {1, CL_FLOAT}, no_type = {CL_R, 1}, wide_rgb = {CL_RGB, CL_UNORM_INT8};
    const cl_image_format packed_r = {CL_R, CL_UNORM_SHORT_565}, stencil = {CL_DEPTH_STENCIL, CL_FLOAT};
    REFUSED(CL_INVALID_CONTEXT, clCreateImage((cl_context)queue, 0, &r32, &d, NULL, &err));
    REFUSED(CL_INVALID_VALUE, clCreateImage(context, 1ul << 40, &r32, &d, NULL, &err));
    REFUSED(CL_INVALID_VALUE, clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, &r32, &d, NULL, &err));
    REFUSED(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(context, 0, NULL, &d, NULL, &err));
    REFUSED(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(context, 0, &no_order, &d, NULL, &err));
    REFUSED(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(context, 0, &no_type, &d, NULL, &err));
    REFUSED(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(context, 0, &wide_rgb, &d, NULL, &err));
    REFUSED(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(context, 0, &packed_r, &d, NULL, &err));
    REFUSED(CL_IMAGE_FORMAT_NOT_SUPPORTED, clCreateImage(context, 0, &stencil, &d, NULL, &err));
    REFUSED(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(context, 0, &r32, NULL, NULL, &err));
    REFUSED(CL_INVALID_HOST_PTR, clCreateImage(context, 0, &r32, &d, bytes, &err));
    REFUSED(CL_INVALID_HOST_PTR, clCreateImage(context, CL_MEM_USE_HOST_PTR, &r32, &d, NULL, &err));
    REFUSED(CL_INVALID_PROPERTY,
            clCreateImageWithProperties(context, (cl_mem_properties[]){1, 0}, 0, &r32, &d, NULL, &err));
    REFUSED(CL_INVALID_IMAGE_SIZE, clCreateImage2D(context, 0, &r32, 0, 4, 0, NULL, &err));
    REFUSED(CL_INVALID_IMAGE_SIZE, clCreateImage3D(context, 0, &r32, 4, 4, 0, 0, 0, NULL, &err));
    REFUSED(CL_MEM_OBJECT_ALLOCATION_FAILURE, clCreateImage2D(context, 0, &r32, 16384, 16384, 0, NULL, &err));
}

static void test_wrong_descriptions(void **state)
{
    (void)state;
    cl_int err;
    char bytes[64 * 4];
    cl_mem buffer = buffer_new(0, 64, NULL);
    // clang-format off
    const struct { cl_int error; bool host; cl_image_desc desc; } cases[] = {
        {CL_INVALID_IMAGE_DESCRIPTOR, false, {.image_type = CL_MEM_OBJECT_BUFFER, .image_width = 4}},
        {CL_INVALID_IMAGE_DESCRIPTOR, false, {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4}},
        {CL_INVALID_IMAGE_DESCRIPTOR, false, {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 4, .num_samples = 1}},
        {CL_INVALID_IMAGE_DESCRIPTOR, false, {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 4, .num_mip_levels = 1}},
        {CL_INVALID_IMAGE_DESCRIPTOR, false, {.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = 4}},
        {CL_INVALID_IMAGE_DESCRIPTOR, false, {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 4}},
        {CL_INVALID_IMAGE_DESCRIPTOR, false, {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 4, .image_row_pitch = 16}},
        {CL_INVALID_IMAGE_DESCRIPTOR, true, {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 4, .image_row_pitch = 12}},
        {CL_INVALID_IMAGE_DESCRIPTOR, true, {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 4, .image_row_pitch = 18}},
        {CL_INVALID_IMAGE_DESCRIPTOR, true, {.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 4, .image_height = 2,
             .image_depth = 2, .image_row_pitch = 16, .image_slice_pitch = 16}},
        {CL_INVALID_IMAGE_DESCRIPTOR, true, {.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 4, .image_height = 2,
             .image_depth = 2, .image_row_pitch = 16, .image_slice_pitch = 40}},
        {CL_INVALID_IMAGE_SIZE, false, {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16385, .image_height = 1}},
        {CL_INVALID_IMAGE_SIZE, false, {.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 1, .image_height = 1, .image_depth = 2049}},
        {CL_INVALID_IMAGE_SIZE, false, {.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = 1, .image_array_size = 2049}},
        {CL_INVALID_IMAGE_SIZE, false, {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 17, .buffer = buffer}},
        {CL_INVALID_IMAGE_DESCRIPTOR, false, {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 4, .buffer = buffer}},
        {CL_INVALID_MEM_OBJECT, false, {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 4, .buffer = (cl_mem)queue}},
    };
    // clang-format on
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        REFUSED(cases[i].error, clCreateImage(context, cases[i].host ? CL_MEM_COPY_HOST_PTR : 0, &r32, &cases[i].desc,
                                              cases[i].host ? bytes : NULL, &err));
    cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 4, .buffer = buffer};
    REFUSED(CL_INVALID_VALUE, clCreateImage(context, CL_MEM_ALLOC_HOST_PTR, &r32, &d, NULL, &err));
    OK(clReleaseMemObject(buffer));
}

static unsigned count_format(const cl_image_format *formats, cl_uint n, cl_channel_order order, cl_channel_type type)
{
    unsigned found = 0;
    for (cl_uint i = 0; i < n; i++)
        found += formats[i].image_channel_order == order && formats[i].image_channel_data_type == type;
    return found;
}

/* What the full profile asks for, and what is younger than the headers: each once. */
static void check_formats(const cl_image_format *formats, cl_uint n)
{
    static const cl_channel_order orders[] = {CL_R, CL_RG, CL_RGBA};
    static const cl_channel_type types[] = {CL_UNORM_INT8,     CL_UNORM_INT16,    CL_SNORM_INT8,   CL_SNORM_INT16,
                                            CL_SIGNED_INT8,    CL_SIGNED_INT16,   CL_SIGNED_INT32, CL_UNSIGNED_INT8,
                                            CL_UNSIGNED_INT16, CL_UNSIGNED_INT32, CL_HALF_FLOAT,   CL_FLOAT};
    static const cl_image_format others[] = {{CL_BGRA, CL_UNORM_INT8},         {CL_sRGBA, CL_UNORM_INT8},
                                             {CL_ABGR, CL_UNORM_INT8},         {CL_RGB, CL_UNORM_SHORT_565},
                                             {CL_RGBA, CL_UNORM_INT_101010_2}, {CL_ABGR, CL_UNORM_INT_2_101010_EXT}};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        for (size_t j = 0; j < sizeof types / sizeof *types; j++)
            assert_int_equal(count_format(formats, n, orders[i], types[j]), 1);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(count_format(formats, n, others[i].image_channel_order, others[i].image_channel_data_type), 1);
    assert_int_equal(count_format(formats, n, CL_RGBA, CL_UNORM_INT_2_101010_EXT), 0);
    assert_int_equal(count_format(formats, n, CL_ARGB, CL_UNORM_INT_2_101010_EXT), 0);
}

/* Every format that is offered makes an image of each type it is offered for, and the required ones are there. */
static void test_formats(void **state)
{
    (void)state;
    static const cl_mem_object_type with_buffer = CL_MEM_OBJECT_IMAGE1D_BUFFER;
    cl_image_format formats[128];
    cl_uint n;
    FAILS(CL_INVALID_VALUE, clGetSupportedImageFormats(context, 0, CL_MEM_OBJECT_BUFFER, 0, NULL, &n));
    FAILS(CL_INVALID_VALUE, clGetSupportedImageFormats(context, 0, CL_MEM_OBJECT_IMAGE1D, 0, formats, &n));
    FAILS(CL_INVALID_VALUE, clGetSupportedImageFormats(context, 1ul << 40, CL_MEM_OBJECT_IMAGE1D, 0, NULL, &n));
    OK(clGetSupportedImageFormats(context, CL_MEM_KERNEL_READ_AND_WRITE, with_buffer, 0, NULL, &n));
    for (int i = 0; i < DESCS; i++) {
        unsigned depth = 0;
        OK(clGetSupportedImageFormats(context, 0, descs[i].image_type, 128, formats, &n));
        for (cl_uint f = 0; f < n; f++) {
            depth += formats[f].image_channel_order == CL_DEPTH;
            OK(clReleaseMemObject(image_new(&formats[f], descs[i], NULL)));
        }
        bool flat = descs[i].image_type == CL_MEM_OBJECT_IMAGE2D || descs[i].image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
        assert_int_equal(depth, flat ? 2 : 0);
        check_formats(formats, n);
    }
}

static void test_queries(void **state)
{
    (void)state;
    char bytes[4 * 64 * 5 * 3];
    size_t value;
    for (int i = 0; i < DESCS; i++) {
        const cl_image_desc *d = &descs[i];
        cl_mem mem = image_new(&rgba8, *d, NULL);
        size_t size[3], rows = d->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 1 : d->image_height;
        bool slices = d->image_array_size || d->image_depth;
        extents(d, size);
        assert_int_equal(QUERY(cl_mem_object_type, clGetMemObjectInfo, mem, CL_MEM_TYPE), d->image_type);
        assert_int_equal(QUERY(size_t, clGetMemObjectInfo, mem, CL_MEM_SIZE), 4 * size[0] * size[1] * size[2]);
        assert_int_equal(QUERY(size_t, clGetImageInfo, mem, CL_IMAGE_ELEMENT_SIZE), 4);
        assert_int_equal(QUERY(size_t, clGetImageInfo, mem, CL_IMAGE_WIDTH), d->image_width);
        assert_int_equal(QUERY(size_t, clGetImageInfo, mem, CL_IMAGE_HEIGHT), d->image_height);
        assert_int_equal(QUERY(size_t, clGetImageInfo, mem, CL_IMAGE_DEPTH), d->image_depth);
        assert_int_equal(QUERY(size_t, clGetImageInfo, mem, CL_IMAGE_ARRAY_SIZE), d->image_array_size);
        assert_int_equal(QUERY(size_t, clGetImageInfo, mem, CL_IMAGE_ROW_PITCH), 4 * d->image_width);
        assert_int_equal(QUERY(size_t, clGetImageInfo, mem, CL_IMAGE_SLICE_PITCH), slices ? 4 * W * rows : 0);
        assert_null(QUERY(cl_mem, clGetImageInfo, mem, CL_IMAGE_BUFFER));
        cl_image_format format = QUERY(cl_image_format, clGetImageInfo, mem, CL_IMAGE_FORMAT);
        assert_memory_equal(&format, &rgba8, sizeof rgba8);
        FAILS(CL_INVALID_VALUE, clGetImageInfo(mem, 1, sizeof value, &value, NULL));
        OK(clReleaseMemObject(mem));
    }
    cl_image_desc d = descs[3];
    d.image_row_pitch = 64 * 4;
    cl_mem mem = image_new(&rgba8, d, bytes);
    assert_int_equal(QUERY(size_t, clGetImageInfo, mem, CL_IMAGE_ROW_PITCH), 64 * 4);
    assert_int_equal(QUERY(size_t, clGetImageInfo, mem, CL_IMAGE_SLICE_PITCH), 64 * 4 * 5);
    OK(clReleaseMemObject(mem));
    cl_mem buffer = buffer_new(0, 64, NULL);
    FAILS(CL_INVALID_MEM_OBJECT, clGetImageInfo(buffer, CL_IMAGE_WIDTH, sizeof value, &value, NULL));
    OK(clReleaseMemObject(buffer));
}

/* ---- commands ---- */

/* Two bytes a texel, so that each has a number of its own. */
static const cl_image_format r16 = {CL_R, CL_UNSIGNED_INT16};
typedef uint16_t volume[D][H][W];

static void volume_init(volume v, uint16_t first)
{
    for (int i = 0; i < D * H * W; i++) (&v[0][0][0])[i] = (uint16_t)(first + i);
}

/* A region of each type of image, in the middle of it. */
static void middle(const cl_image_desc *d, size_t origin[3], size_t region[3])
{
    extents(d, region);
    for (int i = 0; i < 3; i++) {
        origin[i] = region[i] > 2;
        region[i] -= 2 * origin[i];
    }
}

static void write_all(cl_mem mem, const cl_image_desc *d, volume v)
{
    size_t size[3], row = W * 2, slice = d->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? row : H * row;
    extents(d, size);
    if (!d->image_array_size && !d->image_depth) slice = 0;
    OK(clEnqueueWriteImage(queue, mem, CL_TRUE, (size_t[3]){0}, size, row, slice, v, 0, NULL, NULL));
}

static void expect(cl_mem mem, const cl_image_desc *d, volume want)
{
    volume got;
    size_t size[3];
    extents(d, size);
    OK(clEnqueueReadImage(queue, mem, CL_TRUE, (size_t[3]){0}, size, 0, 0, got, 0, NULL, NULL));
    uint16_t *next = &got[0][0][0];
    for (size_t z = 0; z < size[2]; z++)
        for (size_t y = 0; y < size[1]; y++)
            for (size_t x = 0; x < size[0]; x++) assert_int_equal(*next++, want[z][y][x]);
}

/* Calls `body` for each texel of a region, with x, y, z from 0 on. */
#define EACH(region) \
    for (size_t z = 0; z < (region)[2]; z++) \
        for (size_t y = 0; y < (region)[1]; y++) \
            for (size_t x = 0; x < (region)[0]; x++)

static void test_transfers(void **state)
{
    (void)state;
    for (int i = 0; i < DESCS; i++) {
        const cl_image_desc *d = &descs[i];
        size_t o[3], r[3], zero[3] = {0};
        volume a, b;
        uint16_t packed[W * H * D];
        middle(d, o, r);
        cl_mem one = image_new(&r16, *d, NULL), other = image_new(&r16, *d, NULL);
        cl_mem buffer = buffer_new(0, sizeof packed, NULL);
        volume_init(a, 100);
        volume_init(b, 5000);
        write_all(one, d, a);
        write_all(other, d, b);
        expect(one, d, a);
        OK(clEnqueueCopyImage(queue, one, other, zero, o, r, 0, NULL, NULL));
        EACH(r) b[z + o[2]][y + o[1]][x + o[0]] = a[z][y][x];
        expect(other, d, b);
        OK(clEnqueueCopyImageToBuffer(queue, other, buffer, o, r, 6, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 6, r[0] * r[1] * r[2] * 2, packed, 0, NULL, NULL));
        EACH(r) assert_int_equal(packed[(z * r[1] + y) * r[0] + x], b[z + o[2]][y + o[1]][x + o[0]]);
        OK(clEnqueueCopyBufferToImage(queue, buffer, one, 8, zero, r, 0, NULL, NULL)); /* one texel further */
        for (size_t n = 0; n + 1 < r[0] * r[1] * r[2]; n++)
            a[n / r[0] / r[1]][n / r[0] % r[1]][n % r[0]] = packed[n + 1];
        uint16_t last;
        OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 6 + r[0] * r[1] * r[2] * 2, 2, &last, 0, NULL, NULL));
        a[r[2] - 1][r[1] - 1][r[0] - 1] = last;
        expect(one, d, a);
        OK(clEnqueueFillImage(queue, one, (cl_uint[4]){77, 1, 2, 3}, o, r, 0, NULL, NULL));
        EACH(r) a[z + o[2]][y + o[1]][x + o[0]] = 77;
        expect(one, d, a);
        OK(clReleaseMemObject(one));
        OK(clReleaseMemObject(other));
        OK(clReleaseMemObject(buffer));
    }
}

static void test_overlap(void **state)
{
    (void)state;
    cl_mem one = image_new(&r16, descs[2], NULL), other = image_new(&r32, descs[2], NULL);
    const size_t at[3] = {0}, to[3] = {2, 2, 0}, far[3] = {3, 0, 0}, region[3] = {3, 3, 1}, deep[3] = {1, 1, 2};
    FAILS(CL_MEM_COPY_OVERLAP, clEnqueueCopyImage(queue, one, one, at, to, region, 0, NULL, NULL));
    OK(clEnqueueCopyImage(queue, one, one, at, far, region, 0, NULL, NULL));
    FAILS(CL_IMAGE_FORMAT_MISMATCH, clEnqueueCopyImage(queue, one, other, at, to, region, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueCopyImage(queue, one, one, at, at, deep, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueCopyImage(queue, one, one, at, NULL, region, 0, NULL, NULL));
    OK(clReleaseMemObject(one));
    OK(clReleaseMemObject(other));
}

/* A mapping has the image's pitches, and what is written there reaches the image; with the client's own memory it is
 * that, in the places of the client's pitches. */
static void test_map(void **state)
{
    (void)state;
    for (int i = 0; i < DESCS; i++)
        for (int own = 0; own < 2; own++) {
            cl_image_desc d = descs[i];
            uint16_t memory[D * H * 16];
            size_t o[3], r[3], row = 0, slice = 0;
            cl_int err;
            middle(&d, o, r);
            if (own) d.image_row_pitch = 16 * 2;
            cl_mem mem = clCreateImage(context, own ? CL_MEM_USE_HOST_PTR : 0, &r16, &d, own ? memory : NULL, &err);
            OK(err);
            volume v;
            volume_init(v, 300);
            write_all(mem, &d, v);
            cl_map_flags flags = CL_MAP_READ | CL_MAP_WRITE;
            char *p = clEnqueueMapImage(queue, mem, CL_TRUE, flags, o, r, &row, &slice, 0, NULL, NULL, &err);
            OK(err);
            assert_int_equal(row, own ? 32 : W * 2);
            bool line = d.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
            size_t y_pitch = line ? slice : row;
            if (own) assert_ptr_equal(p, (char *)memory + o[0] * 2 + o[1] * y_pitch + o[2] * slice);
            EACH(r)
            {
                uint16_t *texel = (uint16_t *)(p + x * 2 + y * y_pitch + z * slice);
                assert_int_equal(*texel, v[z + o[2]][y + o[1]][x + o[0]]);
                v[z + o[2]][y + o[1]][x + o[0]] = *texel ^= 0x5555;
            }
            assert_int_equal(QUERY(cl_uint, clGetMemObjectInfo, mem, CL_MEM_MAP_COUNT), 1);
            OK(clEnqueueUnmapMemObject(queue, mem, p, 0, NULL, NULL));
            expect(mem, &d, v);
            OK(clReleaseMemObject(mem));
        }
}

static void test_wrong_commands(void **state)
{
    (void)state;
    cl_int err;
    uint16_t bytes[D * H * W];
    size_t row, slice;
    const size_t zero[3] = {0}, all[3] = {W, H, 1}, beyond[3] = {1, 0, 0}, none[3] = {W, 0, 1},
                 huge[3] = {SIZE_MAX, 1, 1};
    cl_mem mem = image_new(&r16, descs[2], NULL), deep = image_new(&r16, descs[4], NULL);
    cl_mem buffer = buffer_new(0, W * H * 2, NULL);
    cl_image_desc d = descs[2];
    cl_mem shut = clCreateImage(context, CL_MEM_HOST_NO_ACCESS, &r16, &d, NULL, &err);
    FAILS(CL_INVALID_COMMAND_QUEUE,
          clEnqueueReadImage((cl_command_queue)context, mem, CL_TRUE, zero, all, 0, 0, bytes, 0, NULL, NULL));
    FAILS(CL_INVALID_MEM_OBJECT, clEnqueueReadImage(queue, buffer, CL_TRUE, zero, all, 0, 0, bytes, 0, NULL, NULL));
    FAILS(CL_INVALID_MEM_OBJECT, clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 4, bytes, 0, NULL, NULL));
    FAILS(CL_INVALID_OPERATION, clEnqueueReadImage(queue, shut, CL_TRUE, zero, all, 0, 0, bytes, 0, NULL, NULL));
    FAILS(CL_INVALID_OPERATION, clEnqueueWriteImage(queue, shut, CL_TRUE, zero, all, 0, 0, bytes, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueReadImage(queue, mem, CL_TRUE, zero, all, 0, 0, NULL, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueReadImage(queue, mem, CL_TRUE, zero, all, W * 2 - 2, 0, bytes, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueReadImage(queue, mem, CL_TRUE, zero, all, 0, W * H * 2, bytes, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueReadImage(queue, deep, CL_TRUE, zero, all, 0, W * 2, bytes, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueReadImage(queue, mem, CL_TRUE, beyond, all, 0, 0, bytes, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueReadImage(queue, mem, CL_TRUE, zero, none, 0, 0, bytes, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueReadImage(queue, mem, CL_TRUE, beyond, huge, 0, 0, bytes, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueFillImage(queue, mem, NULL, zero, all, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueCopyImageToBuffer(queue, mem, buffer, zero, all, 2, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueCopyBufferToImage(queue, buffer, mem, SIZE_MAX, zero, all, 0, NULL, NULL));
    FAILS(CL_INVALID_MEM_OBJECT, clEnqueueCopyBufferToImage(queue, mem, mem, 0, zero, all, 0, NULL, NULL));
    REFUSED(CL_INVALID_VALUE, clEnqueueMapImage(queue, mem, CL_TRUE, 1, zero, all, NULL, &slice, 0, NULL, NULL, &err));
    REFUSED(CL_INVALID_VALUE, clEnqueueMapImage(queue, deep, CL_TRUE, 1, zero, all, &row, NULL, 0, NULL, NULL, &err));
    REFUSED(CL_INVALID_OPERATION,
            clEnqueueMapImage(queue, shut, CL_TRUE, 1, zero, all, &row, NULL, 0, NULL, NULL, &err));
    REFUSED(CL_INVALID_MEM_OBJECT,
            clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){0, 4}, &err));
    cl_mem list[] = {mem, deep, buffer, shut};
    for (int i = 0; i < 4; i++) OK(clReleaseMemObject(list[i]));
}

/* ---- memory of others ---- */

/* Images of a part of a buffer, and an image of one of those: all see the same bytes, and keep them. */
static void test_views(void **state)
{
    (void)state;
    cl_int err;
    uint32_t words[64], got[8];
    for (uint32_t i = 0; i < 64; i++) words[i] = i * 0x01010101;
    cl_mem buffer = buffer_new(CL_MEM_COPY_HOST_PTR, sizeof words, words);
    cl_mem part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){128, 128}, &err);
    OK(err);
    cl_image_desc line = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 32, .buffer = part};
    cl_image_desc flat = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                          .image_width = 6,
                          .image_height = 4,
                          .image_row_pitch = 32,
                          .buffer = part};
    cl_mem one = image_new(&r32, line, NULL), two = image_new(&rgba8, flat, NULL);
    assert_ptr_equal(QUERY(cl_mem, clGetImageInfo, one, CL_IMAGE_BUFFER), part);
    assert_ptr_equal(QUERY(cl_mem, clGetMemObjectInfo, two, CL_MEM_ASSOCIATED_MEMOBJECT), part);
    flat.buffer = two;
    cl_image_format srgb = {CL_sRGBA, CL_UNORM_INT8}, other = {CL_BGRA, CL_UNORM_INT8};
    REFUSED(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(context, 0, &other, &flat, NULL, &err));
    cl_mem three = image_new(&srgb, flat, NULL);
    flat.image_width = 5;
    REFUSED(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(context, 0, &srgb, &flat, NULL, &err));
    cl_mem list[] = {buffer, part, two};
    for (int i = 0; i < 3; i++) OK(clReleaseMemObject(list[i]));
    const size_t at[3] = {1, 2, 0}, row[3] = {4, 1, 1}, there[3] = {16, 0, 0}, line_part[3] = {8, 1, 1};
    OK(clEnqueueReadImage(queue, three, CL_TRUE, at, row, 0, 0, got, 0, NULL, NULL));
    assert_memory_equal(got, &words[32 + 2 * 8 + 1], 16);
    OK(clEnqueueFillImage(queue, three, (float[4]){0, 1, 0.2140411f, 0.5f}, at, row, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, one, CL_TRUE, there, line_part, 0, 0, got, 0, NULL, NULL));
    assert_int_equal(got[0], words[48]);
    for (int i = 1; i < 5; i++) assert_int_equal(got[i], 0x807fff00); /* sRGB's middle, and a linear alpha of 127.5 */
    OK(clReleaseMemObject(one));
    OK(clReleaseMemObject(three));
}

/* ---- samplers ---- */

static void test_samplers(void **state)
{
    (void)state;
    cl_int err;
    const cl_sampler_properties all[] = {CL_SAMPLER_FILTER_MODE,
                                         CL_FILTER_LINEAR,
                                         CL_SAMPLER_NORMALIZED_COORDS,
                                         CL_FALSE,
                                         CL_SAMPLER_ADDRESSING_MODE,
                                         CL_ADDRESS_NONE,
                                         0};
    const cl_sampler_properties twice[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, CL_SAMPLER_FILTER_MODE,
                                           CL_FILTER_LINEAR, 0};
    const cl_sampler_properties unknown[] = {1, 0, 0}, value[] = {CL_SAMPLER_NORMALIZED_COORDS, 1ul << 32 | 2, 0};
    REFUSED(CL_INVALID_VALUE, clCreateSampler(context, CL_TRUE, CL_ADDRESS_CLAMP, 1, &err));
    REFUSED(CL_INVALID_VALUE, clCreateSampler(context, CL_TRUE, 1, CL_FILTER_LINEAR, &err));
    REFUSED(CL_INVALID_VALUE, clCreateSampler(context, 2, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, &err));
    REFUSED(CL_INVALID_VALUE, clCreateSampler(context, CL_FALSE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, &err));
    REFUSED(CL_INVALID_VALUE, clCreateSamplerWithProperties(context, twice, &err));
    REFUSED(CL_INVALID_VALUE, clCreateSamplerWithProperties(context, unknown, &err));
    REFUSED(CL_INVALID_VALUE, clCreateSamplerWithProperties(context, value, &err));
    REFUSED(CL_INVALID_CONTEXT, clCreateSamplerWithProperties((cl_context)queue, all, &err));
    cl_sampler usual = clCreateSamplerWithProperties(context, NULL, &err),
               s = clCreateSamplerWithProperties(context, all, &err);
    OK(err);
    assert_int_equal(QUERY(cl_bool, clGetSamplerInfo, usual, CL_SAMPLER_NORMALIZED_COORDS), CL_TRUE);
    assert_int_equal(QUERY(cl_addressing_mode, clGetSamplerInfo, usual, CL_SAMPLER_ADDRESSING_MODE), CL_ADDRESS_CLAMP);
    assert_int_equal(QUERY(cl_filter_mode, clGetSamplerInfo, usual, CL_SAMPLER_FILTER_MODE), CL_FILTER_NEAREST);
    assert_int_equal(QUERY(cl_filter_mode, clGetSamplerInfo, s, CL_SAMPLER_FILTER_MODE), CL_FILTER_LINEAR);
    assert_int_equal(QUERY(cl_addressing_mode, clGetSamplerInfo, s, CL_SAMPLER_ADDRESSING_MODE), CL_ADDRESS_NONE);
    assert_int_equal(QUERY(cl_bool, clGetSamplerInfo, s, CL_SAMPLER_NORMALIZED_COORDS), CL_FALSE);
    assert_ptr_equal(QUERY(cl_context, clGetSamplerInfo, s, CL_SAMPLER_CONTEXT), context);
    cl_sampler_properties back[7];
    size_t size = 1;
    OK(clGetSamplerInfo(s, CL_SAMPLER_PROPERTIES, sizeof back, back, &size));
    assert_int_equal(size, sizeof all);
    assert_memory_equal(back, all, sizeof all);
    OK(clGetSamplerInfo(usual, CL_SAMPLER_PROPERTIES, 0, NULL, &size));
    assert_int_equal(size, 0);
    FAILS(CL_INVALID_VALUE, clGetSamplerInfo(s, 1, 0, NULL, NULL));
    OK(clRetainSampler(s));
    assert_int_equal(QUERY(cl_uint, clGetSamplerInfo, s, CL_SAMPLER_REFERENCE_COUNT), 2);
    for (int i = 0; i < 2; i++) OK(clReleaseSampler(s));
    OK(clReleaseSampler(usual));
    FAILS(CL_INVALID_SAMPLER, clRetainSampler((cl_sampler)context));
    FAILS(CL_INVALID_SAMPLER, clReleaseSampler((cl_sampler)context));
    FAILS(CL_INVALID_SAMPLER, clGetSamplerInfo((cl_sampler)context, CL_SAMPLER_CONTEXT, 0, NULL, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong),    cmocka_unit_test(test_wrong_descriptions), cmocka_unit_test(test_formats),
        cmocka_unit_test(test_queries),  cmocka_unit_test(test_transfers),          cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_map),      cmocka_unit_test(test_wrong_commands),     cmocka_unit_test(test_views),
        cmocka_unit_test(test_samplers),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
