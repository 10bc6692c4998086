/* Kernels that attack: whatever they read, write, jump to and forge, a launch ends right or as failed, nothing of
 * another context changes, and the machine goes on. On every engine. */
#include <fcntl.h>
#include <math.h>
#include <sys/wait.h>

#include "check.h"
#include "tests/rng.h"

// clang-format off
static const char source[] =
    "#define CSR(n) ({ uint v_; __asm__ volatile(\"csrr %0, \" #n : \"=r\"(v_)); v_; })\n"
    "kernel void right(global uint *a) { a[get_global_id(0)] = get_global_id(0) * 3 + 1; }\n"
    /* words behind an address, one of which may be read first */
    "kernel void poke(uint at, uint value, uint n, uint reads, global uint *seen) { global volatile uint *p = (global uint *)at;\n"
    "    for (uint i = 0; i < n; i++) { if (reads) *seen = p[i]; else p[i] = value; } }\n"
    /* groups that begin later begin there */
    "kernel void jump(uint at, uint word, global uint *a) { a[0] = a[1] = word;\n"
    "    ((global volatile uint *)CSR(0x803))[0] = at ? at : (uint)a; }\n"
    /* what the launch has in memory: metadata, arguments, print buffer; groups that begin later read some of it */
    "kernel void scribble(uint seed, uint where, uint n, global uint *a) {\n"
    "    global volatile uint *meta = (global uint *)CSR(0x803), *p = meta;\n"
    "    uint words = 16, x = seed + get_global_id(0) * 977u, y = seed;\n"
    "    if (where == 1) p = (global uint *)meta[1], words = 8;\n"
    "    if (where == 2) p = (global uint *)meta[12], words = meta[13] / 4;\n"
    "    printf(\"%s %v4d %*d %5.*f %c\\n\", \"text\", (int4)(1), 3, 4, 2, 1.5f, 'c');\n"
    "    for (uint i = 0; i < n; i++) {\n"
    "        x = x * 1664525u + 1013904223u;\n"
    "        uint at = x >> 8, value = x * 2654435761u;\n"
    "        if (x & 1) at &= 31;\n"
    "        if (x & 2) value >>= value & 31;\n"
    "        if (x & 4) value &= ~3u;\n"
    "        p[at % words] = value;\n"
    "        y = y * 1664525u + 1013904223u;\n"
    "        if (where == 2 && (y >> 20 & 7) == 0) __asm__ volatile(\"csrw 0x80b, %0\" :: \"r\"(y >> (y & 31)));\n"
    "    }\n"
    "    a[get_global_id(0)] = x; }\n"
    "kernel void sample(read_only image2d_t i, sampler_t s, global const float2 *at, global uint *out) {\n"
    "    size_t k = get_global_id(0); out[k] = read_imageui(i, s, at[k]).x; }\n"
    "kernel void sample_int(read_only image2d_t i, sampler_t s, global const int2 *at, global uint *out) {\n"
    "    size_t k = get_global_id(0); out[k] = read_imageui(i, s, at[k]).x; }\n"
    "kernel void layers(read_only image2d_array_t i, sampler_t s, global const float *at, global uint *out) {\n"
    "    size_t k = get_global_id(0); out[k] = read_imageui(i, s, (float4)(0, 0, at[k], 0)).x; }\n"
    "kernel void texel(write_only image2d_t i, global const int2 *at) { write_imageui(i, at[get_global_id(0)], 7u); }\n"
    "kernel void put(write_only pipe uint p, uint k) { uint v = get_global_id(0) * k; write_pipe(p, &v); }\n"
    "kernel void reserve(write_only pipe uint p, uint n, uint index) { uint v = 1; reserve_id_t id = reserve_write_pipe(p, n);\n"
    "    write_pipe(p, id, index, &v); commit_write_pipe(p, id); commit_write_pipe(p, id); }\n"
    "kernel void take(read_only pipe uint p, global uint *sum) { uint v = 0; if (!read_pipe(p, &v)) atomic_add(sum, v); }\n"
    /* the pipe is the first argument */
    "kernel void find(write_only pipe uint p, global uint *at) { *at = *(global uint *)((global uint *)CSR(0x803))[1]; }\n";
// clang-format on
static cl_program program;

/* ---- victims ---- */

enum { N = 256, VICTIM_BYTES = 1 << 16 };

static cl_context other;
static cl_command_queue other_queue;
static cl_mem victim; /* of `other` */
static unsigned char kept[VICTIM_BYTES];

static cl_kernel kernel_of(const char *name)
{
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, name, &err);
    OK(err);
    return kernel;
}

static void set(cl_kernel kernel, cl_uint i, size_t size, const void *value)
{
    OK(clSetKernelArg(kernel, i, size, value));
}

/* Launches and takes back the kernel. Its status, 0 or negative. */
static cl_int run(cl_kernel kernel, size_t n)
{
    cl_event event;
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, (size_t[]){n < 32 ? n : 32}, 0, NULL, &event));
    clWaitForEvents(1, &event);
    const cl_int status = event_status(event);
    clFinish(queue); /* the client knows */
    OK(clReleaseEvent(event));
    OK(clReleaseKernel(kernel));
    return status;
}

/* The machine works, and what is not the attacker's is as it was. */
static void check_victims(void)
{
    static unsigned char now[VICTIM_BYTES];
    cl_uint out[N];
    cl_mem mem = buffer_new(0, sizeof out, NULL);
    cl_kernel kernel = kernel_of("right");
    set(kernel, 0, sizeof mem, &mem);
    OK(run(kernel, N));
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (cl_uint i = 0; i < N; i++) assert_int_equal(out[i], i * 3 + 1);
    OK(clReleaseMemObject(mem));
    OK(clEnqueueReadBuffer(other_queue, victim, CL_TRUE, 0, sizeof now, now, 0, NULL, NULL));
    assert_memory_equal(now, kept, sizeof now);
}

/* ---- memory ---- */

static cl_int poke(cl_uint at, cl_uint n, cl_uint reads, cl_mem seen)
{
    const cl_uint value = 0xdeadbeef;
    cl_kernel kernel = kernel_of("poke");
    set(kernel, 0, sizeof at, &at);
    set(kernel, 1, sizeof value, &value);
    set(kernel, 2, sizeof n, &n);
    set(kernel, 3, sizeof reads, &reads);
    set(kernel, 4, sizeof seen, &seen);
    return run(kernel, 1);
}

/* Code can be read but not written, by nobody; the rest is closed, but for what belongs to the launch. */
static void test_memory(void **state)
{
    (void)state;
    static const cl_uint closed[] = {0,          4,          0x1000,     0x10000000, 0x6ffffffc, 0x8ffff000, 0xa8000000,
                                     0xfffff000, 0xfffffffc, 0xfffffffd, 0x40000000, 0x9fffff01, 0x7ff00000};
    cl_mem seen = buffer_new(0, 4, NULL);
    for (size_t i = 0; i < sizeof closed / sizeof *closed; i++) {
        assert_true(poke(closed[i], 1, 0, seen) < 0);
        assert_true(poke(closed[i], 1, 1, seen) < 0);
    }
    for (cl_uint at = 0x80000000; at < 0x80000800; at += 0x84) assert_true(poke(at, 1, 0, seen) < 0);
    OK(poke(0x80000000, 100, 1, seen));
    static const cl_uint own[] = {0x70000000, 0x90000000, 0xfc000000}; /* up to the first closed page */
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) assert_true(poke(own[i], 0x4000000, 0, seen) < 0);
    OK(clReleaseMemObject(seen));
    check_victims();
}

/* ---- code ---- */

static cl_int jump(cl_uint at, cl_uint word, cl_mem mem)
{
    cl_kernel kernel = kernel_of("jump");
    set(kernel, 0, sizeof at, &at);
    set(kernel, 1, sizeof word, &word);
    set(kernel, 2, sizeof mem, &mem);
    return run(kernel, 20000);
}

/* Only code is executed, whatever data look like. */
static void test_jumps(void **state)
{
    (void)state;
    static const cl_uint words[] = {0x0000400b /* endprg */, 0x00008067 /* ret */, 0, 0xffffffff};
    static const cl_uint places[] = {4,          0x70000000, 0x7ffffffc, 0x80000002,
                                     0x8ffffffc, 0x90000000, 0xfc000000, 0xfffffffc};
    cl_mem mem = buffer_new(0, 4096, NULL);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) assert_true(jump(places[i], 0, mem) < 0);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) assert_true(jump(0, words[i], mem) < 0);
    OK(clReleaseMemObject(mem));
    check_victims();
}

/* ---- what a launch has ---- */

/* Standard output goes nowhere. It is no matter how each ends. */
static void test_forgeries(void **state)
{
    (void)state;
    enum { SEEDS = 48, WORDS = 40 };
    cl_mem mem = buffer_new(0, N * 4, NULL);
    int saved = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY);
    fflush(stdout);
    dup2(nowhere, STDOUT_FILENO);
    for (cl_uint i = 0; i < SEEDS; i++) {
        const cl_uint seed = rng(), where = i % 3, n = WORDS;
        cl_kernel kernel = kernel_of("scribble");
        set(kernel, 0, sizeof seed, &seed);
        set(kernel, 1, sizeof where, &where);
        set(kernel, 2, sizeof n, &n);
        set(kernel, 3, sizeof mem, &mem);
        run(kernel, where == 2 ? 32 : N); /* one warp: it would wait for itself behind its forgeries */
    }
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    close(nowhere);
    OK(clReleaseMemObject(mem));
    check_victims();
}

/* ---- images ---- */

enum { W = 5, H = 3, LAYERS = 4, BORDER = 0 };

static cl_uint texel_at(int x, int y)
{
    return x < 0 || y < 0 || x >= W || y >= H ? BORDER : (cl_uint)(100 + y * W + x);
}

static cl_mem image_new(size_t layers)
{
    cl_uint texels[LAYERS][H][W];
    cl_int err;
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
    const cl_image_desc desc = {.image_type = layers ? CL_MEM_OBJECT_IMAGE2D_ARRAY : CL_MEM_OBJECT_IMAGE2D,
                                .image_width = W,
                                .image_height = H,
                                .image_array_size = layers};
    for (int l = 0; l < LAYERS; l++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) texels[l][y][x] = texel_at(x, y) + 1000u * (unsigned)l;
    cl_mem image = clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &desc, texels, &err);
    OK(err);
    return image;
}

/* The texel's number in one direction; -1: outside. */
static int number_of(float at, int size, cl_addressing_mode mode, bool normalized)
{
    if (mode == CL_ADDRESS_REPEAT) at -= floorf(at);
    if (mode == CL_ADDRESS_MIRRORED_REPEAT) at = fabsf(at - 2 * rintf(0.5f * at));
    if (normalized) at *= (float)size;
    const bool edge = mode == CL_ADDRESS_CLAMP_TO_EDGE || mode == CL_ADDRESS_MIRRORED_REPEAT;
    const float low = mode == CL_ADDRESS_CLAMP ? -1 : 0, high = (float)(edge ? size - 1 : size);
    at = floorf(at);
    const int n = (int)(at < low ? low : at > high ? high : at);
    return n < size ? n : mode == CL_ADDRESS_REPEAT ? n - size : -1;
}

static const float places[] = {0,     0.2f,   0.999f,  -0.1f,    -1e-30f, 1,          2.5f,          4.5f,
                               -3.5f, 7.25f,  1e6f,    -1e6f,    1e9f,    2147483648, -2147483648.f, 4294967296,
                               1e30f, -1e30f, 3.4e38f, -3.4e38f, 1e-40f,  16777216,   -16777218};
enum { PLACES = sizeof places / sizeof *places };

/* Results of a kernel that reads an image at coordinates. */
static void sample(const char *name, cl_mem image, cl_addressing_mode mode, bool normalized, size_t n, const void *at,
                   size_t size, cl_uint *out)
{
    cl_int err;
    cl_sampler sampler = clCreateSampler(context, normalized, mode, CL_FILTER_NEAREST, &err);
    OK(err);
    cl_mem in = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, n * size, (void *)(uintptr_t)at, &err);
    cl_mem result = buffer_new(0, n * 4, NULL);
    cl_kernel kernel = kernel_of(name);
    set(kernel, 0, sizeof image, &image);
    set(kernel, 1, sizeof sampler, &sampler);
    set(kernel, 2, sizeof in, &in);
    set(kernel, 3, sizeof result, &result);
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, result, CL_TRUE, 0, n * 4, out, 0, NULL, NULL));
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(in));
    OK(clReleaseMemObject(result));
    OK(clReleaseSampler(sampler));
}

static void check_float(cl_mem image, cl_addressing_mode mode, bool normalized)
{
    static cl_float2 at[PLACES * PLACES];
    static cl_uint out[PLACES * PLACES];
    for (int i = 0; i < PLACES * PLACES; i++) at[i] = (cl_float2){{places[i % PLACES], places[i / PLACES]}};
    sample("sample", image, mode, normalized, PLACES * PLACES, at, sizeof *at, out);
    for (int i = 0; i < PLACES * PLACES; i++) {
        const int x = number_of(at[i].x, W, mode, normalized), y = number_of(at[i].y, H, mode, normalized);
        if (out[i] != texel_at(x, y))
            fail_msg("mode %x at (%a, %a): %u, not %u of (%d, %d)", mode, at[i].x, at[i].y, out[i], texel_at(x, y), x,
                     y);
    }
}

/* No number is none of the texels' or the border's. */
static void check_nan(cl_mem image, cl_addressing_mode mode, bool normalized)
{
    const float odd[] = {NAN, -NAN, INFINITY, -INFINITY, 0.5f};
    cl_float2 at[25];
    cl_uint out[25];
    for (int i = 0; i < 25; i++) at[i] = (cl_float2){{odd[i % 5], odd[i / 5]}};
    sample("sample", image, mode, normalized, 25, at, sizeof *at, out);
    for (int i = 0; i < 25; i++) assert_true(out[i] == BORDER || (out[i] >= 100 && out[i] < 100 + W * H));
}

static void check_int(cl_mem image, cl_addressing_mode mode)
{
    static const int odd[] = {0,         1,         W - 1,         W,     H, -1, -2, 1000, 1 << 28, 1 << 30,
                              INT32_MAX, INT32_MIN, INT32_MIN + 1, -65536};
    enum { ODD = sizeof odd / sizeof *odd };
    cl_int2 at[ODD * ODD];
    cl_uint out[ODD * ODD];
    for (int i = 0; i < ODD * ODD; i++) at[i] = (cl_int2){{odd[i % ODD], odd[i / ODD]}};
    sample("sample_int", image, mode, false, ODD * ODD, at, sizeof *at, out);
    for (int i = 0; i < ODD * ODD; i++) {
        const int x = number_of((float)at[i].x, W, mode, false), y = number_of((float)at[i].y, H, mode, false);
        assert_int_equal(out[i], texel_at(x, y));
    }
}

static void check_layers(cl_mem image)
{
    cl_uint out[PLACES];
    sample("layers", image, CL_ADDRESS_CLAMP_TO_EDGE, false, PLACES, places, sizeof *places, out);
    for (int i = 0; i < PLACES; i++) {
        const float last = LAYERS - 1, at = rintf(places[i]);
        assert_int_equal(out[i], 100 + 1000 * (cl_uint)(at < 0 ? 0 : at > last ? last : at));
    }
}

/* What is written outside is nowhere, or the kernel fails. */
static void check_writes(cl_mem image)
{
    static const cl_int2 at[] = {{{W, 0}},
                                 {{0, H}},
                                 {{-1, 0}},
                                 {{0, -1}},
                                 {{INT32_MIN, INT32_MIN}},
                                 {{INT32_MAX, INT32_MAX}},
                                 {{1 << 30, 1}},
                                 {{3, 1 << 28}},
                                 {{-65536, 2}},
                                 {{2, 0x0ccccccd}}};
    const size_t origin[3] = {0}, region[3] = {W, H, 1};
    cl_uint texels[H][W];
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        cl_mem in = buffer_new(CL_MEM_COPY_HOST_PTR, sizeof *at, (void *)(uintptr_t)&at[i]);
        cl_kernel kernel = kernel_of("texel");
        set(kernel, 0, sizeof image, &image);
        set(kernel, 1, sizeof in, &in);
        run(kernel, 1);
        OK(clReleaseMemObject(in));
    }
    OK(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, texels, 0, NULL, NULL));
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) assert_int_equal(texels[y][x], texel_at(x, y));
}

static void test_images(void **state)
{
    (void)state;
    cl_mem flat = image_new(0), array = image_new(LAYERS);
    check_float(flat, CL_ADDRESS_CLAMP, false);
    check_float(flat, CL_ADDRESS_CLAMP_TO_EDGE, false);
    check_float(flat, CL_ADDRESS_CLAMP, true);
    check_float(flat, CL_ADDRESS_CLAMP_TO_EDGE, true);
    check_float(flat, CL_ADDRESS_REPEAT, true);
    check_float(flat, CL_ADDRESS_MIRRORED_REPEAT, true);
    for (cl_addressing_mode mode = CL_ADDRESS_CLAMP_TO_EDGE; mode <= CL_ADDRESS_MIRRORED_REPEAT; mode++)
        check_nan(flat, mode, mode >= CL_ADDRESS_REPEAT);
    check_int(flat, CL_ADDRESS_CLAMP);
    check_int(flat, CL_ADDRESS_CLAMP_TO_EDGE);
    check_layers(array);
    check_writes(flat);
    OK(clReleaseMemObject(flat));
    OK(clReleaseMemObject(array));
    check_victims();
}

/* ---- pipes ---- */

enum { PACKETS = 16 };

static cl_mem pipe_new(void)
{
    cl_int err;
    cl_mem pipe = clCreatePipe(context, 0, 4, PACKETS, NULL, &err);
    OK(err);
    return pipe;
}

/* Reservations that are not, too large ones, and packets outside of them. */
static void test_reservations(void **state)
{
    (void)state;
    static const cl_uint numbers[] = {0, 1, PACKETS, PACKETS + 1, 1000000, 0x7fffffff, 0x80000000, 0xffffffff};
    for (int i = 0; i < 64; i++) {
        cl_mem pipe = pipe_new();
        cl_kernel kernel = kernel_of("reserve");
        set(kernel, 0, sizeof pipe, &pipe);
        set(kernel, 1, 4, &numbers[i % 8]);
        set(kernel, 2, 4, &numbers[i / 8]);
        run(kernel, 4);
        OK(clReleaseMemObject(pipe));
    }
    check_victims();
}

static cl_uint address_of(cl_mem pipe)
{
    cl_uint at;
    cl_mem mem = buffer_new(0, 4, NULL);
    cl_kernel kernel = kernel_of("find");
    set(kernel, 0, sizeof pipe, &pipe);
    set(kernel, 1, sizeof mem, &mem);
    OK(run(kernel, 1));
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 4, &at, 0, NULL, NULL));
    OK(clReleaseMemObject(mem));
    return at;
}

static void put_and_take(cl_mem pipe, cl_mem sum)
{
    const cl_uint k = 3;
    cl_kernel put = kernel_of("put"), take = kernel_of("take");
    set(put, 0, sizeof pipe, &pipe);
    set(put, 1, sizeof k, &k);
    run(put, 8);
    set(take, 0, sizeof pipe, &pipe);
    set(take, 1, sizeof sum, &sum);
    run(take, 8);
}

/* A kernel has written over the head of a pipe and its slots. */
static void test_forged_pipes(void **state)
{
    (void)state;
    static const cl_uint values[] = {0, 1, 3, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff};
    cl_mem seen = buffer_new(0, 4, NULL);
    for (cl_uint word = 0; word < 12; word++) {
        cl_mem pipe = pipe_new();
        const cl_uint at = address_of(pipe) + word * 4, n = 1, reads = 0;
        cl_kernel kernel = kernel_of("poke");
        set(kernel, 0, sizeof at, &at);
        set(kernel, 1, 4, &values[(word * 5 + rng() % 7) % 7]);
        set(kernel, 2, 4, &n);
        set(kernel, 3, 4, &reads);
        set(kernel, 4, sizeof seen, &seen);
        OK(run(kernel, 1));
        put_and_take(pipe, seen);
        OK(clReleaseMemObject(pipe));
    }
    OK(clReleaseMemObject(seen));
    check_victims();
}

/* ---- shared memory ---- */

static void test_shared(void **state)
{
    (void)state;
    if (!QUERY(cl_device_svm_capabilities, clGetDeviceInfo, device, CL_DEVICE_SVM_CAPABILITIES)) skip();
    cl_mem seen = buffer_new(0, 4, NULL);
    cl_uint *mine = clSVMAlloc(context, CL_MEM_READ_WRITE, 4096, 0),
            *theirs = clSVMAlloc(other, CL_MEM_READ_WRITE, 4096, 0);
    assert_true(mine && theirs);
    const cl_uint at = (cl_uint)(uintptr_t)mine;
    *theirs = 77;
    OK(poke(at, 1, 0, seen));
    assert_true(poke(at + 4096 - 4, 2, 0, seen) < 0);
    if ((cl_uint)(uintptr_t)theirs != at) assert_true(poke((cl_uint)(uintptr_t)theirs, 1, 0, seen) < 0);
    assert_int_equal(*theirs, 77);
    clSVMFree(context, mine);
    assert_true(poke(at, 1, 0, seen) < 0);
    assert_true(poke(at, 1, 1, seen) < 0);
    clSVMFree(other, theirs);
    OK(clReleaseMemObject(seen));
    check_victims();
}

/* ---- damaged programs ---- */

/* Builds and launches a program, or not. */
static void try_program(cl_context own, cl_command_queue to, cl_mem mem, const unsigned char *elf, size_t size)
{
    cl_program damaged = clCreateProgramWithBinary(own, 1, &device, &size, &elf, NULL, NULL);
    if (!damaged) return;
    cl_kernel kernel =
        clBuildProgram(damaged, 0, NULL, NULL, NULL, NULL) ? NULL : clCreateKernel(damaged, "right", NULL);
    if (kernel && !clSetKernelArg(kernel, 0, sizeof mem, &mem) &&
        !clEnqueueNDRangeKernel(to, kernel, 1, NULL, (size_t[]){N}, NULL, 0, NULL, NULL))
        clFinish(to);
    if (kernel) OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(damaged));
}

/* ELF files, which no hash covers, with up to four other bits: each is refused, fails or runs, in time. Translated,
 * each would take long. */
static void test_damaged_programs(void **state)
{
    (void)state;
    enum { PROGRAMS = 300 };
    cl_int err;
    char before[20];
    if (strcmp(getenv("VENTUS_ENGINE"), "step") != 0) return;
    snprintf(before, sizeof before, "%s", getenv("VENTUS_TIMEOUT"));
    setenv("VENTUS_TIMEOUT", "1", 1);
    cl_context own = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    OK(err);
    setenv("VENTUS_TIMEOUT", before, 1);
    cl_command_queue to = clCreateCommandQueue(own, device, 0, &err);
    cl_mem mem = clCreateBuffer(own, 0, N * sizeof(cl_uint), NULL, &err);
    size_t size = QUERY(size_t, clGetProgramInfo, program, CL_PROGRAM_BINARY_SIZES);
    unsigned char *binary = malloc(size), *elf, *copy = malloc(size);
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    assert_non_null(elf = memmem(binary, size, "\177ELF", 4));
    size -= (size_t)(elf - binary);
    for (int i = 0; i < PROGRAMS; i++) {
        memcpy(copy, elf, size);
        for (int bits = i % 5; bits > 0; bits--)
            copy[rng() % (bits % 2 ? 512 : size)] ^= (unsigned char)(1 << rng() % 8);
        try_program(own, to, mem, copy, size);
    }
    free(copy);
    free(binary);
    OK(clReleaseMemObject(mem));
    OK(clReleaseCommandQueue(to));
    OK(clReleaseContext(own));
    check_victims();
}

/* ---- engines ---- */

static int setup(void **state)
{
    cl_int err;
    if (check_setup(state)) return -1;
    program = program_build(source, "-cl-std=CL3.0");
    other = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    if (err) return -1;
    other_queue = clCreateCommandQueue(other, device, 0, &err);
    for (size_t i = 0; i < sizeof kept; i++) kept[i] = (unsigned char)rng();
    victim = clCreateBuffer(other, CL_MEM_COPY_HOST_PTR, sizeof kept, kept, &err);
    return err;
}

static int teardown(void **state)
{
    return clReleaseMemObject(victim) || clReleaseCommandQueue(other_queue) || clReleaseContext(other) ||
           clReleaseProgram(program) || check_teardown(state);
}

static int engine_run(const char *program_name, const char *engine)
{
    int status = -1;
    const pid_t pid = fork();
    if (!pid) {
        execl("/proc/self/exe", program_name, engine, (char *)NULL);
        _exit(1);
    }
    return waitpid(pid, &status, 0) != pid || status;
}

/* An engine is chosen when a machine is made: each has a process. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),       cmocka_unit_test(test_jumps),
        cmocka_unit_test(test_forgeries),    cmocka_unit_test(test_images),
        cmocka_unit_test(test_reservations), cmocka_unit_test(test_forged_pipes),
        cmocka_unit_test(test_shared),       cmocka_unit_test(test_damaged_programs),
    };
    setenv("VENTUS_TIMEOUT", "60", 0); /* an endless one is a failure of the test */
    setenv("VENTUS_SVM", "1", 0);
    setenv("VENTUS_DEBUG", "0", 0);
    setenv("VENTUS_TRANSLATE_EFFORT", "least", 0);
    if (argc > 1) {
        setenv("VENTUS_ENGINE", argv[1], 1);
        return cmocka_run_group_tests(tests, setup, teardown);
    }
    int failed = 0;
    for (int i = 0; i < 2; i++) failed |= engine_run(argv[0], i ? "native" : "step");
    return failed;
}
