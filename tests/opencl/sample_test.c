/* Samplers on the device: every kind on every type of image, at random places in, at the edges of and far outside of
 * the image, against the specification's equations in double precision. */
#include <math.h>

#include "check.h"
#include "tests/rng.h"

enum { ITEMS = 96, WIDTH = 7, HEIGHT = 5, DEPTH = 3 };

static const char source[] =
    "#define READ(T, NAME, F, I) \\\n"
    "kernel void f_##NAME(read_only T im, sampler_t s, global const float4 *at, global float4 *out) {\\\n"
    "    size_t i = get_global_id(0); float4 p = at[i]; out[i] = (float4)(read_imagef(im, s, F)); }\\\n"
    "kernel void fi_##NAME(read_only T im, sampler_t s, global const float4 *at, global float4 *out) {\\\n"
    "    size_t i = get_global_id(0); int4 p = convert_int4(at[i]); out[i] = (float4)(read_imagef(im, s, I)); }\n"
    "#define READ_INT(T, NAME, F, I) READ(T, NAME, F, I)\\\n"
    "kernel void i_##NAME(read_only T im, sampler_t s, global const float4 *at, global int4 *out) {\\\n"
    "    size_t i = get_global_id(0); float4 p = at[i]; out[i] = read_imagei(im, s, F); }\\\n"
    "kernel void u_##NAME(read_only T im, sampler_t s, global const float4 *at, global uint4 *out) {\\\n"
    "    size_t i = get_global_id(0); float4 p = at[i]; out[i] = read_imageui(im, s, F); }\\\n"
    "kernel void ii_##NAME(read_only T im, sampler_t s, global const float4 *at, global int4 *out) {\\\n"
    "    size_t i = get_global_id(0); int4 p = convert_int4(at[i]); out[i] = read_imagei(im, s, I); }\\\n"
    "kernel void ui_##NAME(read_only T im, sampler_t s, global const float4 *at, global uint4 *out) {\\\n"
    "    size_t i = get_global_id(0); int4 p = convert_int4(at[i]); out[i] = read_imageui(im, s, I); }\n"
    "READ_INT(image1d_t, 1d, p.x, p.x) READ_INT(image1d_array_t, 1d_array, p.xy, p.xy) READ_INT(image2d_t, 2d, p.xy, "
    "p.xy)\n"
    "READ_INT(image2d_array_t, 2d_array, p, p) READ_INT(image3d_t, 3d, p, p)\n"
    "READ(image2d_depth_t, 2d_depth, p.xy, p.xy) READ(image2d_array_depth_t, 2d_array_depth, p, p)\n"
    /* samplers of the program: of the file, of a function, and handed on, to a function that is not called for all its
     * attribute */
    "constant sampler_t mirrored = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_LINEAR;\n"
    "__attribute__((noinline)) float4 look(read_only image2d_t im, sampler_t s, float4 p)\n"
    "{ return read_imagef(im, s, p.xy); }\n"
    "kernel void file_2d(read_only image2d_t im, sampler_t s, global const float4 *at, global float4 *out) {\n"
    "    out[get_global_id(0)] = look(im, mirrored, at[get_global_id(0)]); }\n"
    "kernel void local_2d(read_only image2d_t im, sampler_t s, global const float4 *at, global float4 *out) {\n"
    "    const sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
    "    out[get_global_id(0)] = look(im, edge, at[get_global_id(0)]); }\n";

static cl_program program;
static cl_mem places, results;
static float at[ITEMS][4];
static float out[ITEMS][4];

// clang-format off
static const struct shape {
    const char *name;
    cl_mem_object_type type;
    int dims, size[3]; /* the layers of an array are its last size */
    bool layers, depth;
} shapes[] = {
    {"1d", CL_MEM_OBJECT_IMAGE1D, 1, {WIDTH, 1, 1}, false, false},
    {"1d_array", CL_MEM_OBJECT_IMAGE1D_ARRAY, 1, {WIDTH, HEIGHT, 1}, true, false},
    {"2d", CL_MEM_OBJECT_IMAGE2D, 2, {WIDTH, HEIGHT, 1}, false, false},
    {"2d_array", CL_MEM_OBJECT_IMAGE2D_ARRAY, 2, {WIDTH, HEIGHT, DEPTH}, true, false},
    {"3d", CL_MEM_OBJECT_IMAGE3D, 3, {WIDTH, HEIGHT, DEPTH}, false, false},
    {"2d_depth", CL_MEM_OBJECT_IMAGE2D, 2, {WIDTH, HEIGHT, 1}, false, true},
    {"2d_array_depth", CL_MEM_OBJECT_IMAGE2D_ARRAY, 2, {WIDTH, HEIGHT, DEPTH}, true, true},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };
// clang-format on

struct picture {
    const struct shape *shape;
    cl_mem mem;
    int channels;
    union {
        float f[DEPTH][HEIGHT][WIDTH][4];
        int32_t i[DEPTH][HEIGHT][WIDTH][4];
    } texels; /* as they read */
};

/* Random texels: floats of -1 to 1, or integers. */
static void picture_init(struct picture *p, const struct shape *shape, cl_channel_type type)
{
    const cl_image_format format = {shape->depth ? CL_DEPTH : CL_RGBA, type};
    cl_image_desc d = {.image_type = shape->type, .image_width = (size_t)shape->size[0]};
    d.image_height = shape->dims > 1 ? (size_t)shape->size[1] : 0;
    d.image_depth = shape->dims > 2 ? (size_t)shape->size[2] : 0;
    d.image_array_size = shape->layers ? (size_t)shape->size[shape->dims] : 0;
    uint32_t packed[DEPTH * HEIGHT * WIDTH * 4], *next = packed;
    cl_int err;
    p->shape = shape;
    p->channels = shape->depth ? 1 : 4;
    for (int z = 0; z < shape->size[2]; z++)
        for (int y = 0; y < shape->size[1]; y++)
            for (int x = 0; x < shape->size[0]; x++)
                for (int c = 0; c < p->channels; c++) {
                    float f = (float)(int32_t)rng() * 0x1p-31f;
                    if (type == CL_FLOAT) p->texels.f[z][y][x][c] = f;
                    else p->texels.i[z][y][x][c] = (int32_t)rng();
                    *next++ = (uint32_t)p->texels.i[z][y][x][c];
                }
    p->mem = clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &d, packed, &err);
    OK(err);
}

/* ---- the specification ---- */

struct sampler {
    bool normalized, linear;
    cl_addressing_mode addressing;
};

static double coordinate(const struct sampler *s, double c, int size)
{
    if (!s->normalized) return c;
    if (s->addressing == CL_ADDRESS_REPEAT) return (c - floor(c)) * size;
    if (s->addressing == CL_ADDRESS_MIRRORED_REPEAT) return fabs(c - 2 * rint(0.5 * c)) * size;
    return c * size;
}

/* -1: the border. */
static int texel_number(const struct sampler *s, double i, int size)
{
    if (s->addressing == CL_ADDRESS_REPEAT) i += i < 0 ? size : i >= size ? -size : 0;
    else if (s->addressing != CL_ADDRESS_CLAMP) i = fmin(fmax(i, 0), size - 1);
    return i < 0 || i >= size ? -1 : (int)i;
}

/* Of dimension n: the two texels and the weight of the second. */
static void axis(const struct picture *p, const struct sampler *s, const float *place, int n, int pair[2],
                 double *weight)
{
    int size = p->shape->size[n];
    pair[0] = pair[1] = 0;
    *weight = 0;
    if (n < p->shape->dims) {
        double u = coordinate(s, place[n], size) - (s->linear ? 0.5 : 0);
        pair[0] = texel_number(s, floor(u), size);
        pair[1] = texel_number(s, floor(u) + 1, size);
        if (s->linear) *weight = u - floor(u);
    } else if (n == p->shape->dims && p->shape->layers) {
        pair[0] = pair[1] = (int)fmin(fmax(rint(place[n]), 0), size - 1);
    }
}

static double texel(const struct picture *p, int x, int y, int z, int c)
{
    return x < 0 || y < 0 || z < 0 ? 0
                                   : (double)p->texels.f[z][y][x][c]; /* neither RGBA nor DEPTH has an opaque border */
}

static double reference(const struct picture *p, const struct sampler *s, const float *place, int c)
{
    int pair[3][2];
    double weight[3], sum = 0;
    for (int n = 0; n < 3; n++) axis(p, s, place, n, pair[n], &weight[n]);
    for (int i = 0; i < 8; i++) {
        int bit[3] = {i & 1, i >> 1 & 1, i >> 2};
        double w = 1;
        for (int n = 0; n < 3; n++) w *= bit[n] ? weight[n] : 1 - weight[n];
        if (w) sum += w * texel(p, pair[0][bit[0]], pair[1][bit[1]], pair[2][bit[2]], c);
    }
    return sum;
}

/* ---- runs ---- */

/* From twice the size before the image to twice the size behind it; never so close to where the nearest texel or layer
 * changes that rounding decides. */
static void choose_places(const struct shape *shape, bool normalized)
{
    for (int i = 0; i < ITEMS; i++)
        for (int n = 0; n < 3; n++) {
            int size = shape->size[n], whole = (int)(rng() % (5u * (unsigned)size)) - 2 * size;
            float part = (float)(rng() % 80 + 10) / 100;
            if (n >= shape->dims) part = part < 0.4f || part > 0.6f ? part : 0.25f;
            at[i][n] = (float)whole + part;
            if (normalized && n < shape->dims) at[i][n] /= (float)size;
        }
}

static void run(const struct picture *p, const char *prefix, const struct sampler *s)
{
    char name[32];
    cl_int err;
    snprintf(name, sizeof name, "%s_%s", prefix, p->shape->name);
    cl_kernel kernel = clCreateKernel(program, name, &err);
    OK(err);
    cl_sampler sampler =
        clCreateSampler(context, s->normalized, s->addressing, s->linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST, &err);
    OK(err);
    OK(clEnqueueWriteBuffer(queue, places, CL_TRUE, 0, sizeof at, at, 0, NULL, NULL));
    OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &p->mem));
    OK(clSetKernelArg(kernel, 1, sizeof sampler, &sampler));
    OK(clSetKernelArg(kernel, 2, sizeof places, &places));
    OK(clSetKernelArg(kernel, 3, sizeof results, &results));
    OK(clReleaseSampler(sampler)); /* the kernel has its word */
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (size_t[]){ITEMS}, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, results, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    OK(clReleaseKernel(kernel));
}

/* Texels of at most 1 between which rounding of the coordinates moves the result by their slope. */
static void compare(const struct picture *p, const struct sampler *s, const char *what)
{
    for (int i = 0; i < ITEMS; i++)
        for (int c = 0; c < p->channels; c++) {
            double want = reference(p, s, at[i], c), error = fabs(out[i][c] - want);
            if (error > (s->linear ? 4e-6 * (1 + 3 * WIDTH) : 0))
                fail_msg("%s, %s, addressing %x, %s%s: at %a %a %a channel %d is %g, not %g", what, p->shape->name,
                         s->addressing, s->normalized ? "normalized, " : "", s->linear ? "linear" : "nearest", at[i][0],
                         at[i][1], at[i][2], c, out[i][c], want);
        }
}

static void test_float(void **state)
{
    (void)state;
    static const cl_addressing_mode modes[] = {CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP, CL_ADDRESS_REPEAT,
                                               CL_ADDRESS_MIRRORED_REPEAT};
    for (int i = 0; i < SHAPES; i++) {
        struct picture p;
        picture_init(&p, &shapes[i], CL_FLOAT);
        for (int mode = 0; mode < 4; mode++)
            for (int linear = 0; linear < 2; linear++)
                for (int normalized = mode > 1; normalized < 2; normalized++) {
                    const struct sampler s = {normalized, linear, modes[mode]};
                    choose_places(p.shape, normalized);
                    run(&p, "f", &s);
                    compare(&p, &s, "float");
                }
        OK(clReleaseMemObject(p.mem));
    }
}

/* Integer coordinates are those of texels: the same as their middles. */
static void test_integer_places(void **state)
{
    (void)state;
    for (int i = 0; i < SHAPES; i++)
        for (int edge = 0; edge < 2; edge++) {
            const struct sampler s = {false, false, edge ? CL_ADDRESS_CLAMP_TO_EDGE : CL_ADDRESS_CLAMP};
            struct picture p;
            picture_init(&p, &shapes[i], CL_FLOAT);
            choose_places(p.shape, false);
            for (int k = 0; k < ITEMS * 4; k++) (&at[0][0])[k] = floorf((&at[0][0])[k]);
            run(&p, "fi", &s);
            compare(&p, &s, "integer places");
            OK(clReleaseMemObject(p.mem));
        }
}

static void test_integers(void **state)
{
    (void)state;
    const struct sampler s = {true, false, CL_ADDRESS_MIRRORED_REPEAT}, edge = {false, false, CL_ADDRESS_CLAMP_TO_EDGE};
    for (int i = 0; i < SHAPES; i++)
        for (int run_number = 0; run_number < 4 && !shapes[i].depth; run_number++) {
            static const char *const prefixes[] = {"i", "u", "ii", "ui"};
            bool integers = run_number > 1;
            struct picture p;
            picture_init(&p, &shapes[i], run_number & 1 ? CL_UNSIGNED_INT32 : CL_SIGNED_INT32);
            choose_places(p.shape, !integers);
            if (integers)
                for (int k = 0; k < ITEMS * 4; k++) (&at[0][0])[k] = floorf((&at[0][0])[k]);
            run(&p, prefixes[run_number], integers ? &edge : &s);
            for (int k = 0; k < ITEMS; k++) {
                int pair[3][2];
                double weight;
                for (int n = 0; n < 3; n++) axis(&p, integers ? &edge : &s, at[k], n, pair[n], &weight);
                assert_memory_equal(out[k], p.texels.i[pair[2][0]][pair[1][0]][pair[0][0]], 16);
            }
            OK(clReleaseMemObject(p.mem));
        }
}

static void test_program_samplers(void **state)
{
    (void)state;
    const struct sampler file = {true, true, CL_ADDRESS_MIRRORED_REPEAT};
    const struct sampler local = {false, false, CL_ADDRESS_CLAMP_TO_EDGE};
    struct picture p;
    picture_init(&p, &shapes[2], CL_FLOAT);
    choose_places(p.shape, true);
    run(&p, "file", &local); /* the argument is not looked at */
    compare(&p, &file, "the file's sampler");
    choose_places(p.shape, false);
    run(&p, "local", &file);
    compare(&p, &local, "the function's sampler");
    OK(clReleaseMemObject(p.mem));
}

/* Whatever the coordinates, a read ends, and finds a texel or the border. */
static void test_strange_places(void **state)
{
    (void)state;
    static const float strange[] = {NAN, INFINITY, -INFINITY, 1e30f, -1e30f, 2147483648.0f, 0x1p-140f, -0.0f};
    for (int i = 0; i < SHAPES; i++)
        for (int mode = 0; mode < 4; mode++) {
            const struct sampler s = {true, false, (cl_addressing_mode)(CL_ADDRESS_CLAMP_TO_EDGE + mode)};
            struct picture p;
            picture_init(&p, &shapes[i], CL_FLOAT);
            for (int k = 0; k < ITEMS; k++)
                for (int n = 0; n < 3; n++) at[k][n] = strange[rng() % 8];
            run(&p, "f", &s);
            for (int k = 0; k < ITEMS; k++) assert_true(fabsf(out[k][0]) <= 1);
            OK(clReleaseMemObject(p.mem));
        }
}

static int setup(void **state)
{
    if (check_setup(state)) return -1;
    places = buffer_new(0, sizeof at, NULL);
    results = buffer_new(0, sizeof out, NULL);
    program = program_build(source, NULL);
    return 0;
}

static int teardown(void **state)
{
    OK(clReleaseProgram(program));
    OK(clReleaseMemObject(places));
    OK(clReleaseMemObject(results));
    return check_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_float),          cmocka_unit_test(test_integer_places),
        cmocka_unit_test(test_integers),       cmocka_unit_test(test_program_samplers),
        cmocka_unit_test(test_strange_places),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
