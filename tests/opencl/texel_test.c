/* Texels of every format on the device: all formats are read and written by kernels and compared with what the
 * specification says of their bits; what no kernel can do to the memory around an image; what kernels ask of one. */
#include <math.h>

#include "check.h"
#include "tests/rng.h"

enum { N = 256, TEXEL = 16 };

static const char source[] =
    "kernel void rf(read_only image2d_t im, global float4 *out) { int i = get_global_id(0);\n"
    "    out[i] = read_imagef(im, (int2)(i & 15, i >> 4)); }\n"
    "kernel void ri(read_only image2d_t im, global int4 *out) { int i = get_global_id(0);\n"
    "    out[i] = read_imagei(im, (int2)(i & 15, i >> 4)); }\n"
    "kernel void ru(read_only image2d_t im, global uint4 *out) { int i = get_global_id(0);\n"
    "    out[i] = read_imageui(im, (int2)(i & 15, i >> 4)); }\n"
    "kernel void rd(read_only image2d_depth_t im, global float4 *out) { int i = get_global_id(0);\n"
    "    out[i] = (float4)(read_imagef(im, (int2)(i & 15, i >> 4)), 0, 0, 1); }\n"
    "kernel void wf(write_only image2d_t im, global const float4 *in) { int i = get_global_id(0);\n"
    "    write_imagef(im, (int2)(i & 15, i >> 4), in[i]); }\n"
    "kernel void wi(write_only image2d_t im, global const int4 *in) { int i = get_global_id(0);\n"
    "    write_imagei(im, (int2)(i & 15, i >> 4), in[i]); }\n"
    "kernel void wu(write_only image2d_t im, global const uint4 *in) { int i = get_global_id(0);\n"
    "    write_imageui(im, (int2)(i & 15, i >> 4), in[i]); }\n"
    "kernel void wd(write_only image2d_depth_t im, global const float4 *in) { int i = get_global_id(0);\n"
    "    write_imagef(im, (int2)(i & 15, i >> 4), in[i].x); }\n"
    "kernel void far(write_only image2d_t im, global const int2 *at) {\n"
    "    write_imageui(im, at[get_global_id(0)], (uint4)(7)); }\n"
    "kernel void far_line(write_only image1d_buffer_t im, global const int2 *at) {\n"
    "    write_imageui(im, at[get_global_id(0)].x, (uint4)(7)); }\n"
    "kernel void far_read(read_only image2d_t im, global int2 *at) { int i = get_global_id(0);\n"
    "    at[i].x = read_imageui(im, at[i]).x; }\n"
    "kernel void border(read_only image2d_t im, global uint4 *out) {\n"
    "    const sampler_t s = CLK_ADDRESS_CLAMP; out[0] = as_uint4(read_imagef(im, s, (int2)(-1, 0))); }\n";

static cl_program program;
static cl_mem data;

/* ---- the specification of formats ---- */

enum meaning { UNORM, SNORM, HALF, FLOAT, SIGNED, UNSIGNED };

static enum meaning meaning_of(cl_channel_type type)
{
    switch (type) {
    case CL_SNORM_INT8:
    case CL_SNORM_INT16: return SNORM;
    case CL_SIGNED_INT8:
    case CL_SIGNED_INT16:
    case CL_SIGNED_INT32: return SIGNED;
    case CL_UNSIGNED_INT8:
    case CL_UNSIGNED_INT16:
    case CL_UNSIGNED_INT32: return UNSIGNED;
    case CL_HALF_FLOAT: return HALF;
    case CL_FLOAT: return FLOAT;
    default: return UNORM;
    }
}

/* Where the channels are in memory, in the order of their names: number of bits from the lowest on, and how many. */
struct channel {
    int bit, bits;
};
static int layout(const cl_image_format *f, struct channel out[4])
{
    static const struct channel packed[][4] = {{{11, 5}, {5, 6}, {0, 5}},
                                               {{10, 5}, {5, 5}, {0, 5}},
                                               {{20, 10}, {10, 10}, {0, 10}},
                                               {{22, 10}, {12, 10}, {2, 10}, {0, 2}},
                                               {{30, 2}, {20, 10}, {10, 10}, {0, 10}}};
    int bits = 8, n = 4;
    switch (f->image_channel_data_type) {
    case CL_UNORM_SHORT_565: memcpy(out, packed[0], sizeof packed[0]); return 2;
    case CL_UNORM_SHORT_555: memcpy(out, packed[1], sizeof packed[1]); return 2;
    case CL_UNORM_INT_101010: memcpy(out, packed[2], sizeof packed[2]); return 4;
    case CL_UNORM_INT_101010_2: memcpy(out, packed[3], sizeof packed[3]); return 4;
    case CL_UNORM_INT_2_101010_EXT: memcpy(out, packed[4], sizeof packed[4]); return 4;
    case CL_SNORM_INT16:
    case CL_UNORM_INT16:
    case CL_SIGNED_INT16:
    case CL_UNSIGNED_INT16:
    case CL_HALF_FLOAT: bits = 16; break;
    case CL_SIGNED_INT32:
    case CL_UNSIGNED_INT32:
    case CL_FLOAT: bits = 32; break;
    default: break;
    }
    switch (f->image_channel_order) {
    case CL_R:
    case CL_A:
    case CL_INTENSITY:
    case CL_LUMINANCE:
    case CL_DEPTH: n = 1; break;
    case CL_RG:
    case CL_RA: n = 2; break;
    default: break;
    }
    for (int i = 0; i < n; i++) out[i] = (struct channel){i * bits, bits};
    return n * bits / 8;
}

/* The channel that shows red, green, blue or alpha; -1: none. */
static int shown(cl_channel_order order, int c)
{
    static const int by_order[][4] = {
        [0] = {0, 1, 2, 3},    [1] = {2, 1, 0, 3},    [2] = {1, 2, 3, 0},   [3] = {3, 2, 1, 0},
        [4] = {0, -1, -1, -1}, [5] = {-1, -1, -1, 0}, [6] = {0, 1, -1, -1}, [7] = {0, -1, -1, 1},
        [8] = {0, 1, 2, -1},   [9] = {0, 0, 0, 0},    [10] = {0, 0, 0, -1}};
    switch (order) {
    case CL_sBGRA:
    case CL_BGRA: return by_order[1][c];
    case CL_ARGB: return by_order[2][c];
    case CL_ABGR: return by_order[3][c];
    case CL_DEPTH:
    case CL_R: return by_order[4][c];
    case CL_A: return by_order[5][c];
    case CL_RG: return by_order[6][c];
    case CL_RA: return by_order[7][c];
    case CL_RGB: return by_order[8][c];
    case CL_INTENSITY: return by_order[9][c];
    case CL_LUMINANCE: return by_order[10][c];
    default: return by_order[0][c];
    }
}

static uint32_t bits_of(const unsigned char *texel, struct channel ch)
{
    uint64_t word;
    memcpy(&word, texel + ch.bit / 32 * 4, 4);
    return (uint32_t)((word & UINT32_MAX) >> ch.bit % 32) & (uint32_t)((UINT64_C(1) << ch.bits) - 1);
}

static double half_value(uint32_t h)
{
    int exponent = h >> 10 & 31;
    double fraction = h & 1023, magnitude = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    if (exponent == 31) magnitude = fraction ? NAN : INFINITY;
    return h & 0x8000 ? -magnitude : magnitude;
}

static bool is_srgb(const cl_image_format *f, int c)
{
    return c < 3 && (f->image_channel_order == CL_sRGBA || f->image_channel_order == CL_sBGRA);
}

static int32_t sign_extended(uint32_t bits, int n) { return (int32_t)(bits << (32 - n)) >> (32 - n); }

static double channel_value(const cl_image_format *f, int c, uint32_t bits, int n)
{
    float single;
    memcpy(&single, &bits, sizeof single);
    double most = ldexp(1, n) - 1, half = ldexp(1, n - 1) - 1, v = bits / most;
    switch (meaning_of(f->image_channel_data_type)) {
    case UNORM: return is_srgb(f, c) ? v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4) : v;
    case SNORM: return fmax(sign_extended(bits, n) / half, -1);
    case HALF: return half_value(bits);
    case FLOAT: return single;
    case SIGNED: return sign_extended(bits, n);
    default: return bits;
    }
}

/* ---- runs ---- */

static cl_image_desc square(void)
{
    return (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = N / 16};
}

static void run(const char *name, cl_mem image, cl_mem argument, size_t items)
{
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, name, &err);
    OK(err);
    OK(clSetKernelArg(kernel, 0, sizeof image, &image));
    OK(clSetKernelArg(kernel, 1, sizeof argument, &argument));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    OK(clReleaseKernel(kernel));
}

static void run_format(char access, const cl_image_format *f, cl_mem image)
{
    enum meaning m = meaning_of(f->image_channel_data_type);
    bool depth = f->image_channel_order == CL_DEPTH;
    run((char[]){access, depth ? 'd' : m == SIGNED ? 'i' : m == UNSIGNED ? 'u' : 'f', 0}, image, data, N);
}

static cl_uint all_formats(cl_image_format formats[128])
{
    cl_uint n;
    OK(clGetSupportedImageFormats(context, 0, CL_MEM_OBJECT_IMAGE2D, 128, formats, &n));
    assert_in_range(n, 40, 128);
    return n;
}

static void check_read(const cl_image_format *f, const unsigned char *texel, const void *result)
{
    struct channel channels[4];
    enum meaning m = meaning_of(f->image_channel_data_type);
    layout(f, channels);
    for (int c = 0; c < 4; c++) {
        int n = shown(f->image_channel_order, c);
        double want = n < 0 ? c == 3 : channel_value(f, c, bits_of(texel, channels[n]), channels[n].bits), got;
        if (m == SIGNED) got = ((const int32_t *)result)[c];
        else got = m == UNSIGNED ? (double)((const uint32_t *)result)[c] : (double)((const float *)result)[c];
        int exponent;
        frexp(want, &exponent);
        double allowed = n >= 0 && (m == UNORM || m == SNORM) ? ldexp(1.5, exponent - 24) : 0;
        bool same = isnan(want) ? isnan(got) : got == want || fabs(got - want) <= allowed;
        if (!same || (n >= 0 && want == 0 && m != FLOAT && signbit(got) != signbit(want)))
            fail_msg("order %x, type %x: component %d is %.9g, not %.9g", f->image_channel_order,
                     f->image_channel_data_type, c, got, want);
    }
}

static void test_read(void **state)
{
    (void)state;
    cl_image_format formats[128];
    unsigned char texels[N * TEXEL], results[N * TEXEL];
    cl_uint n = all_formats(formats);
    const cl_image_desc d = square();
    for (cl_uint i = 0; i < n; i++) {
        struct channel channels[4];
        cl_int err;
        for (int k = 0; k < N * TEXEL; k++) texels[k] = (unsigned char)rng();
        if (layout(&formats[i], channels) == 1) /* all values */
            for (int k = 0; k < N; k++) texels[k] = (unsigned char)k;
        cl_mem image = clCreateImage(context, CL_MEM_COPY_HOST_PTR, &formats[i], &d, texels, &err);
        OK(err);
        run_format('r', &formats[i], image);
        OK(clEnqueueReadBuffer(queue, data, CL_TRUE, 0, sizeof results, results, 0, NULL, NULL));
        for (int k = 0; k < N; k++)
            check_read(&formats[i], texels + k * layout(&formats[i], channels), results + k * TEXEL);
        OK(clReleaseMemObject(image));
    }
}

/* What is to be written, as a number of steps: 0.6 of one is allowed where the value is rounded. */
static double steps(const cl_image_format *f, int c, float v, int n)
{
    double most = ldexp(1, n) - 1, half = ldexp(1, n - 1) - 1, l = fmin(fmax(v, 0), 1);
    if (is_srgb(f, c)) l = l < 0.0031308 ? 12.92 * l : 1.055 * pow(l, 1 / 2.4) - 0.055;
    return meaning_of(f->image_channel_data_type) == SNORM ? fmin(fmax(v * half, -half - 1), half) : l * most;
}

/* Bits that a channel must have, where that is one value alone. */
static void check_written(const cl_image_format *f, int c, uint32_t bits, int n, uint32_t in)
{
    float v;
    memcpy(&v, &in, sizeof v);
    int64_t most = (INT64_C(1) << n) - 1, half = most / 2, i = (int32_t)in;
    double value, error = 0;
    switch (meaning_of(f->image_channel_data_type)) {
    case UNORM: error = fabs(bits - steps(f, c, v, n)) - 0.6; break;
    case SNORM: error = fabs(sign_extended(bits, n) - steps(f, c, v, n)) - 0.6; break;
    case SIGNED: error = sign_extended(bits, n) != (i > half ? half : i < -half - 1 ? -half - 1 : i); break;
    case UNSIGNED: error = bits != (in > most ? (uint32_t)most : in); break;
    case FLOAT: error = bits != in; break;
    case HALF: /* the nearest: neither neighbour is nearer */
        value = half_value(bits);
        error = isinf(value) ? fabsf(v) < 65520 : fabs(v - value) > fabs(v - half_value(bits ^ 1));
        if ((bits & 0x7fff) > 0 && (bits & 0x7fff) < 0x7bff && error <= 0)
            error = fmax(fabs(v - value) - fabs(v - half_value(bits + 1)),
                         fabs(v - value) - fabs(v - half_value(bits - 1)));
        break;
    }
    if (error > 0)
        fail_msg("order %x, type %x: component %d of %x (%g) is written as %x", f->image_channel_order,
                 f->image_channel_data_type, c, in, v, bits);
}

/* Random words, as floats of about -2 to 2 or of all sizes, or as integers of all sizes. */
static void choose_colors(enum meaning m, uint32_t words[N * 4])
{
    for (int i = 0; i < N * 4; i++) {
        float f = (float)(int32_t)rng() * 0x1p-30f;
        if (m == HALF) f = ldexpf(f, (int)(rng() % 40) - 24);
        memcpy(&words[i], &f, sizeof f);
        if (m == SIGNED || m == UNSIGNED) words[i] = (uint32_t)((int32_t)rng() >> rng() % 32);
    }
}

static void test_write(void **state)
{
    (void)state;
    cl_image_format formats[128];
    unsigned char texels[N * TEXEL];
    uint32_t colors[N * 4];
    cl_uint n = all_formats(formats);
    const cl_image_desc d = square();
    for (cl_uint i = 0; i < n; i++) {
        struct channel channels[4];
        const cl_image_format *f = &formats[i];
        int bytes = layout(f, channels);
        cl_int err;
        choose_colors(meaning_of(f->image_channel_data_type), colors);
        cl_mem image = clCreateImage(context, 0, f, &d, NULL, &err);
        OK(clEnqueueWriteBuffer(queue, data, CL_TRUE, 0, sizeof colors, colors, 0, NULL, NULL));
        run_format('w', f, image);
        OK(clEnqueueReadImage(queue, image, CL_TRUE, (size_t[3]){0}, (size_t[3]){16, N / 16, 1}, 0, 0, texels, 0, NULL,
                              NULL));
        for (int k = 0; k < N; k++) {
            uint32_t seen = 0;
            for (int c = 0; c < 4; c++) {
                int ch = shown(f->image_channel_order, c);
                if (ch < 0 || seen & 1u << ch) continue;
                seen |= 1u << ch;
                check_written(f, c, bits_of(texels + k * bytes, channels[ch]), channels[ch].bits, colors[k * 4 + c]);
            }
        }
        /* what the host fills is what the device writes */
        unsigned char filled[TEXEL];
        OK(clEnqueueFillImage(queue, image, colors, (size_t[3]){0}, (size_t[3]){1, 1, 1}, 0, NULL, NULL));
        OK(clEnqueueReadImage(queue, image, CL_TRUE, (size_t[3]){0}, (size_t[3]){1, 1, 1}, 0, 0, filled, 0, NULL,
                              NULL));
        assert_memory_equal(filled, texels, (size_t)bytes);
        OK(clReleaseMemObject(image));
    }
}

static void test_border(void **state)
{
    (void)state;
    cl_image_format formats[128];
    const cl_image_desc d = square();
    cl_uint n = all_formats(formats);
    for (cl_uint i = 0; i < n; i++) {
        cl_channel_order order = formats[i].image_channel_order;
        enum meaning m = meaning_of(formats[i].image_channel_data_type);
        if (order == CL_DEPTH || m == SIGNED || m == UNSIGNED) continue;
        bool opaque = order == CL_R || order == CL_RG || order == CL_RGB || order == CL_LUMINANCE;
        float out[4], zero[4] = {0, 0, 0, opaque};
        cl_int err;
        cl_mem image = clCreateImage(context, 0, &formats[i], &d, NULL, &err);
        OK(err);
        run("border", image, data, 1);
        OK(clEnqueueReadBuffer(queue, data, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
        assert_memory_equal(out, zero, sizeof zero);
        OK(clReleaseMemObject(image));
    }
}

/* ---- outside ---- */

/* The image lies in the middle of a buffer; nothing of the rest changes, and texels only where coordinates name them.
 */
static void test_outside(void **state)
{
    (void)state;
    enum { SIZE = 64, BYTES = 4096 };
    static const int32_t strange[] = {INT32_MIN, -0x10000, -129,       -1,         3,
                                      128,       0x10000,  0x3fffffff, 0x40000000, INT32_MAX};
    unsigned char before[BYTES], after[BYTES];
    int32_t at[N][2];
    cl_int err;
    for (int i = 0; i < BYTES; i++) before[i] = (unsigned char)rng() | 8; /* never 7 */
    cl_mem buffer = buffer_new(CL_MEM_COPY_HOST_PTR, BYTES, before);
    cl_mem part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){1024, SIZE}, &err);
    OK(err);
    const cl_image_format r8 = {CL_R, CL_UNSIGNED_INT8};
    const cl_image_desc flat = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = 5,
                                .image_height = 4,
                                .image_row_pitch = 16,
                                .buffer = part};
    const cl_image_desc line = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 60, .buffer = part};
    cl_mem two = clCreateImage(context, 0, &r8, &flat, NULL, &err),
           one = clCreateImage(context, 0, &r8, &line, NULL, &err);
    OK(err);
    for (int i = 0; i < N; i++)
        for (int c = 0; c < 2; c++) at[i][c] = strange[rng() % 10];
    at[0][0] = at[0][1] = 3;
    OK(clEnqueueWriteBuffer(queue, data, CL_TRUE, 0, sizeof at, at, 0, NULL, NULL));
    run("far", two, data, N);
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, BYTES, after, 0, NULL, NULL));
    for (int i = 0; i < BYTES; i++) assert_int_equal(after[i], i == 1024 + 3 * 16 + 3 ? 7 : before[i]);
    run("far_line", one, data, N);
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, BYTES, after, 0, NULL, NULL));
    for (int i = 0; i < BYTES; i++) assert_int_equal(after[i], i == 1024 + 3 * 16 + 3 || i == 1024 + 3 ? 7 : before[i]);
    run("far_read", two, data, N); /* ends without a fault */
    OK(clEnqueueReadBuffer(queue, data, CL_TRUE, 0, sizeof at, at, 0, NULL, NULL));
    assert_int_equal(at[0][0], 7);
    cl_mem list[] = {one, two, part, buffer};
    for (int i = 0; i < 4; i++) OK(clReleaseMemObject(list[i]));
}

/* ---- what kernels ask, and images that they read and write ---- */

static const char queries[] =
    "#define COMMON(im) get_image_width(im), get_image_channel_order(im) == CLK_RG, \\\n"
    "    get_image_channel_data_type(im) == CLK_UNSIGNED_INT16\n"
    "kernel void q1(read_write image1d_t a, write_only image1d_array_t b, read_only image1d_buffer_t c, global int *o) "
    "{\n"
    "    int v[] = {COMMON(a), COMMON(b), (int)get_image_array_size(b), COMMON(c)}; for (int i = 0; i < 10; i++) o[i] "
    "= v[i]; }\n"
    "kernel void q2(read_write image2d_t a, write_only image2d_array_t b, read_only image3d_t c, global int *o) {\n"
    "    int2 d = get_image_dim(a), e = get_image_dim(b); int4 f = get_image_dim(c);\n"
    "    int v[] = {COMMON(a), get_image_height(a), d.x, d.y, COMMON(b), get_image_height(b), "
    "(int)get_image_array_size(b),\n"
    "        e.x, e.y, COMMON(c), get_image_height(c), get_image_depth(c), f.x, f.y, f.z, f.w};\n"
    "    for (int i = 0; i < 22; i++) o[i] = v[i]; }\n"
    "kernel void twice(read_write image2d_t a, read_write image3d_t b) {\n"
    "    int4 at = (int4)(get_global_id(0), get_global_id(1), 1, 0);\n"
    "    write_imageui(a, at.xy, read_imageui(a, at.xy) * 2);\n"
    "    atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);\n"
    "    write_imageui(b, at, read_imageui(a, at.xy) + 1); }\n";

static void ask(cl_program p, const char *name, cl_mem a, cl_mem b, cl_mem c, int n, const int *want)
{
    int got[32];
    cl_int err;
    cl_kernel kernel = clCreateKernel(p, name, &err);
    OK(err);
    cl_mem args[] = {a, b, c, data};
    for (cl_uint i = 0; i < 4; i++) OK(clSetKernelArg(kernel, i, sizeof *args, &args[i]));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (size_t[]){1}, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, data, CL_TRUE, 0, (size_t)n * sizeof *got, got, 0, NULL, NULL));
    for (int i = 0; i < n; i++) assert_int_equal(got[i], want[i]);
    OK(clReleaseKernel(kernel));
}

static void test_queries(void **state)
{
    (void)state;
    const cl_image_format rg = {CL_RG, CL_UNSIGNED_INT16};
    const int lines[] = {9, 1, 1, 8, 1, 1, 3, 60, 1, 1};
    const int others[] = {7, 1, 1, 6, 7, 6, 5, 1, 1, 4, 3, 5, 4, 8, 1, 1, 4, 2, 8, 4, 2, 0};
    cl_int err;
    cl_mem buffer = buffer_new(0, 256, NULL), images[6];
    const cl_image_desc descs[] = {
        {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 9},
        {.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = 8, .image_array_size = 3},
        {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 60, .buffer = buffer},
        {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 7, .image_height = 6},
        {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, .image_width = 5, .image_height = 4, .image_array_size = 3},
        {.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 8, .image_height = 4, .image_depth = 2},
    };
    for (int i = 0; i < 6; i++) {
        images[i] = clCreateImage(context, 0, &rg, &descs[i], NULL, &err);
        OK(err);
    }
    cl_program p = program_build(queries, "-cl-std=CL3.0");
    ask(p, "q1", images[0], images[1], images[2], 10, lines);
    ask(p, "q2", images[3], images[4], images[5], 22, others);
    cl_kernel kernel = clCreateKernel(p, "twice", &err);
    const size_t size[3] = {4, 4, 1}, zero[3] = {0}, slice[3] = {0, 0, 1};
    uint16_t got[32];
    OK(clEnqueueFillImage(queue, images[3], (cl_uint[4]){21, 10000, 0, 0}, zero, (size_t[3]){7, 6, 1}, 0, NULL, NULL));
    OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &images[3]));
    OK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &images[5]));
    OK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, size, NULL, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, images[5], CL_TRUE, slice, size, 0, 0, got, 0, NULL, NULL));
    for (int i = 0; i < 16; i++) assert_int_equal(got[2 * i] + got[2 * i + 1], 43 + 20001);
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(p));
    for (int i = 0; i < 6; i++) OK(clReleaseMemObject(images[i]));
    OK(clReleaseMemObject(buffer));
}

/* Every format that is offered has names in the language, which are what kernels are told. */
static void test_format_names(void **state)
{
    (void)state;
    static const struct {
        cl_uint value;
        const char *name;
    } names[] = {
#define NAME(n) {CL_##n, "CLK_" #n}
        NAME(R),
        NAME(A),
        NAME(RG),
        NAME(RA),
        NAME(RGB),
        NAME(RGBA),
        NAME(BGRA),
        NAME(ARGB),
        NAME(ABGR),
        NAME(INTENSITY),
        NAME(LUMINANCE),
        NAME(DEPTH),
        NAME(sRGBA),
        NAME(sBGRA),
        NAME(SNORM_INT8),
        NAME(SNORM_INT16),
        NAME(UNORM_INT8),
        NAME(UNORM_INT16),
        NAME(UNORM_SHORT_565),
        NAME(UNORM_SHORT_555),
        NAME(UNORM_INT_101010),
        NAME(UNORM_INT_101010_2),
        NAME(UNORM_INT_2_101010_EXT),
        NAME(SIGNED_INT8),
        NAME(SIGNED_INT16),
        NAME(SIGNED_INT32),
        NAME(UNSIGNED_INT8),
        NAME(UNSIGNED_INT16),
        NAME(UNSIGNED_INT32),
        NAME(HALF_FLOAT),
        NAME(FLOAT),
    };
    enum { NAMES = sizeof names / sizeof *names };
    char text[4096], *end = text + sprintf(text, "constant int of[] = {");
    for (int i = 0; i < NAMES; i++) end += sprintf(end, "%s, ", names[i].name);
    sprintf(end,
            "};\n"
            "#define BODY int v[] = {get_image_channel_order(im), get_image_channel_data_type(im)}; \\\n"
            "    for (int i = 0; i < 2 * %d; i++) if (v[i & 1] == of[i / 2]) out[i & 1] = i / 2;\n"
            "kernel void plain(read_only image2d_t im, global int *out) { BODY }\n"
            "kernel void depth(read_only image2d_depth_t im, global int *out) { BODY }\n"
            "#ifndef __opencl_c_ext_image_unorm_int_2_101010\n#error no macro\n#endif\n",
            NAMES);
    cl_program p = program_build(text, "-cl-std=CL3.0");
    cl_kernel kernels[2];
    cl_image_format formats[128];
    cl_uint n;
    cl_int err, got[2];
    const cl_image_desc flat = square();
    kernels[0] = clCreateKernel(p, "plain", &err);
    kernels[1] = clCreateKernel(p, "depth", &err);
    OK(clGetSupportedImageFormats(context, 0, CL_MEM_OBJECT_IMAGE2D, 128, formats, &n));
    for (cl_uint i = 0; i < n; i++) {
        const cl_image_format f = formats[i];
        cl_kernel k = kernels[f.image_channel_order == CL_DEPTH];
        cl_mem image = clCreateImage(context, 0, &f, &flat, NULL, &err);
        OK(err);
        OK(clEnqueueFillBuffer(queue, data, &(cl_int){-1}, 4, 0, sizeof got, 0, NULL, NULL));
        OK(clSetKernelArg(k, 0, sizeof image, &image));
        OK(clSetKernelArg(k, 1, sizeof data, &data));
        OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, (size_t[]){1}, NULL, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, data, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        assert_in_range(got[0], 0, NAMES - 1);
        assert_in_range(got[1], 0, NAMES - 1);
        assert_int_equal(names[got[0]].value, f.image_channel_order);
        assert_int_equal(names[got[1]].value, f.image_channel_data_type);
        OK(clReleaseMemObject(image));
    }
    for (int i = 0; i < 2; i++) OK(clReleaseKernel(kernels[i]));
    OK(clReleaseProgram(p));
}

/* ---- arguments ---- */

static void test_arguments(void **state)
{
    (void)state;
    const char *text = "kernel void k(read_only image2d_t r, write_only image2d_t w, sampler_t s, global int *b) {}";
    const cl_image_format f = {CL_R, CL_FLOAT}, depth = {CL_DEPTH, CL_FLOAT};
    const cl_image_desc flat = square(), line = {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 4};
    cl_int err;
    cl_mem no_read = clCreateImage(context, CL_MEM_WRITE_ONLY, &f, &flat, NULL, &err);
    cl_mem no_write = clCreateImage(context, CL_MEM_READ_ONLY, &f, &flat, NULL, &err);
    cl_mem other = clCreateImage(context, 0, &f, &line, NULL, &err),
           deep = clCreateImage(context, 0, &depth, &flat, NULL, &err);
    cl_mem none = NULL;
    OK(err);
    cl_program p = program_build(text, NULL);
    cl_kernel kernel = clCreateKernel(p, "k", &err);
    cl_sampler sampler = clCreateSampler(context, CL_TRUE, CL_ADDRESS_NONE, CL_FILTER_LINEAR, &err);
    FAILS(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 0, sizeof(cl_mem), &no_read));
    FAILS(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 1, sizeof(cl_mem), &no_write));
    FAILS(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 0, sizeof(cl_mem), NULL));
    FAILS(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 0, 4, &no_write));
    FAILS(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 0, sizeof(cl_mem), &other));
    FAILS(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 0, sizeof(cl_mem), &deep));
    FAILS(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 0, sizeof(cl_mem), &data));
    FAILS(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 0, sizeof(cl_mem), &none));
    FAILS(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 3, sizeof(cl_mem), &other));
    FAILS(CL_INVALID_SAMPLER, clSetKernelArg(kernel, 2, sizeof sampler, NULL));
    FAILS(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 2, 4, &sampler));
    FAILS(CL_INVALID_SAMPLER, clSetKernelArg(kernel, 2, sizeof sampler, &other));
    OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &no_write));
    OK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &no_read));
    OK(clSetKernelArg(kernel, 3, sizeof(cl_mem), &none));
    FAILS(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (size_t[]){1}, NULL, 0, NULL, NULL));
    OK(clSetKernelArg(kernel, 2, sizeof sampler, &sampler));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (size_t[]){1}, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    assert_int_equal(QUERY(cl_uint, clGetMemObjectInfo, no_read, CL_MEM_REFERENCE_COUNT), 1);
    OK(clReleaseMemObject(no_read));
    FAILS(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (size_t[]){1}, NULL, 0, NULL, NULL));
    cl_mem list[] = {no_write, other, deep};
    for (int i = 0; i < 3; i++) OK(clReleaseMemObject(list[i]));
    OK(clReleaseSampler(sampler));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(p));
}

static int setup(void **state)
{
    if (check_setup(state)) return -1;
    data = buffer_new(0, N * TEXEL, NULL);
    program = program_build(source, NULL);
    return 0;
}

static int teardown(void **state)
{
    OK(clReleaseProgram(program));
    OK(clReleaseMemObject(data));
    return check_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),      cmocka_unit_test(test_write),   cmocka_unit_test(test_border),
        cmocka_unit_test(test_outside),   cmocka_unit_test(test_queries), cmocka_unit_test(test_format_names),
        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
