/* Mutated program binaries: files of any origin, in the client's own process. Whatever comes of a changed executable or
 * object, the client lives, errors are OpenCL's, and a good program runs behind it. mutated_test ROUNDS SEED: more of
 * them. */
#include "check.h"
#include "tests/rng.h"

static unsigned rounds = 150;
static uint64_t seed;

static const char source[] =
    "constant float table[8] = {1, 2, 3, 4, 5, 6, 7, 8};\n"
    "constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
    "typedef struct { int a; float4 b; char c[3]; } record;\n"
    "kernel __attribute__((reqd_work_group_size(8, 1, 1))) void shared(global int *out, local int *tile, int n) {\n"
    "    int i = get_local_id(0); tile[i] = i * n; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    out[get_global_id(0)] = tile[7 - i]; }\n"
    "kernel void picture(read_only image2d_t in, write_only image2d_t out, sampler_t s, float4 f) {\n"
    "    int2 p = (int2)(get_global_id(0), 0);\n"
    "    write_imagef(out, p, read_imagef(in, s, p) + read_imagef(in, edge, p) * f); }\n"
    "kernel void printed(record r, global const record *all, global float *out) {\n"
    "    size_t i = get_global_id(0); out[i] = r.b.x + all[i % 2].b.y + table[i % 8];\n"
    "    if (i == 1) printf(\"%d %v4hlf %s\\n\", r.a, r.b, \"text\"); }\n";

static cl_mem memory, image;
static cl_sampler sampler;

static unsigned char *binary_of(cl_program p, size_t *size)
{
    *size = QUERY(size_t, clGetProgramInfo, p, CL_PROGRAM_BINARY_SIZES);
    unsigned char *binary = malloc(*size), *list[] = {binary};
    assert_non_null(binary);
    OK(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof list, list, NULL));
    return binary;
}

/* What takes any value of an argument; the kernel may be about anything by now. */
static void set_any(cl_kernel kernel, cl_uint n)
{
    static const char zeros[256];
    for (size_t size = 256; size; size /= 2)
        if (!clSetKernelArg(kernel, n, size, zeros)) return;
    if (!clSetKernelArg(kernel, n, sizeof memory, &memory)) return;
    if (!clSetKernelArg(kernel, n, sizeof image, &image)) return;
    if (!clSetKernelArg(kernel, n, sizeof sampler, &sampler)) return;
    clSetKernelArg(kernel, n, 64, NULL);
}

static void ask(cl_kernel kernel)
{
    char text[4096];
    size_t size;
    for (cl_uint param = CL_KERNEL_FUNCTION_NAME; param <= CL_KERNEL_ATTRIBUTES; param++)
        clGetKernelInfo(kernel, param, sizeof text, text, &size);
    for (cl_uint param = CL_KERNEL_WORK_GROUP_SIZE; param <= CL_KERNEL_GLOBAL_WORK_SIZE; param++)
        clGetKernelWorkGroupInfo(kernel, device, param, sizeof text, text, &size);
    for (cl_uint n = 0; n < 8; n++)
        for (cl_uint param = CL_KERNEL_ARG_ADDRESS_QUALIFIER; param <= CL_KERNEL_ARG_NAME; param++)
            clGetKernelArgInfo(kernel, n, param, sizeof text, text, &size);
}

static void use(cl_program p)
{
    cl_int err;
    cl_command_queue own = clCreateCommandQueue(context, device, 0, &err); /* fails with its kernels */
    cl_kernel kernels[16];
    cl_uint n = 0;
    char text[4096];
    size_t size;
    for (cl_uint param = CL_PROGRAM_NUM_KERNELS; param <= CL_PROGRAM_KERNEL_NAMES; param++)
        clGetProgramInfo(p, param, sizeof text, text, &size);
    clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, sizeof text, text, &size);
    clCreateKernelsInProgram(p, 16, kernels, &n);
    for (cl_uint i = 0; i < n; i++) {
        cl_uint arguments = QUERY(cl_uint, clGetKernelInfo, kernels[i], CL_KERNEL_NUM_ARGS);
        ask(kernels[i]);
        for (cl_uint k = 0; k < arguments && k < 64; k++) set_any(kernels[i], k);
        clEnqueueNDRangeKernel(own, kernels[i], 1, NULL, (size_t[]){16}, (size_t[]){8}, 0, NULL, NULL);
        clFinish(own);
        OK(clReleaseKernel(kernels[i]));
    }
    OK(clReleaseCommandQueue(own));
}

static void run_good(void)
{
    int out[16];
    cl_int err;
    cl_program p =
        program_build("kernel void k(global int *out) { out[get_global_id(0)] = get_global_id(0) * 3; }", "");
    cl_kernel kernel = clCreateKernel(p, "k", &err);
    OK(clSetKernelArg(kernel, 0, sizeof memory, &memory));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (size_t[]){16}, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < 16; i++) assert_int_equal(out[i], 3 * i);
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(p));
}

static void mutate(unsigned char *bytes, size_t size)
{
    static const uint32_t edges[] = {0, 1, 4, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffc, 0x1000};
    for (unsigned n = 1 + rng() % 4; n; n--) {
        /* headers, and the notes and tables behind the code, are a small part of the file */
        size_t from = rng() % 3 ? rng() % 3 ? 0 : size - size / 3 : rng() % size;
        size_t room = from ? size - from : rng() % 2 ? 256 : size, at = from + rng() % room;
        uint32_t edge = edges[rng() % 8];
        if (rng() % 2 || at + 4 > size) bytes[at % size] ^= (unsigned char)(1u << rng() % 8);
        else memcpy(bytes + (at & ~(size_t)3) % (size - 3), &edge, 4);
    }
}

static void test_executable(void **state)
{
    size_t size;
    unsigned char *binary, *copy, *elf;
    rng_state += seed;
    cl_program good = program_build(source, "-cl-kernel-arg-info");
    cl_int err, status;
    binary = binary_of(good, &size);
    elf = memmem(binary, size, "\177ELF", 4);
    assert_non_null(elf);
    size -= (size_t)(elf - binary);
    copy = malloc(size);
    assert_non_null(copy);
    for (unsigned i = 0; i < rounds; i++) {
        size_t part = i % 8 ? size : rng() % size;
        memcpy(copy, elf, size);
        mutate(copy, size);
        cl_program p =
            clCreateProgramWithBinary(context, 1, &device, &part, &(const unsigned char *){copy}, &status, &err);
        assert_true(p ? !err && !status : err < 0);
        if (!p) continue;
        if (!clBuildProgram(p, 0, NULL, NULL, NULL, NULL)) use(p);
        OK(clReleaseProgram(p));
    }
    run_good();
    free(copy);
    free(binary);
    OK(clReleaseProgram(good));
    (void)state;
}

/* Objects are bitcode, which the compiler reads in a process of its own: LLVM does not survive all of them, the client
 * does. */
static void test_object(void **state)
{
    size_t size;
    unsigned char *binary, *copy, *code;
    rng_state += seed;
    cl_int err, status;
    char log[8192];
    cl_program good = clCreateProgramWithSource(context, 1, &(const char *){source}, NULL, &err);
    OK(clCompileProgram(good, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    binary = binary_of(good, &size);
    code = memmem(binary, size, "BC\xc0\xde", 4);
    assert_non_null(code);
    size -= (size_t)(code - binary);
    copy = malloc(size);
    assert_non_null(copy);
    for (unsigned i = 0; i < rounds / 10; i++) {
        memcpy(copy, code, size);
        mutate(copy, size);
        cl_program p =
            clCreateProgramWithBinary(context, 1, &device, &size, &(const unsigned char *){copy}, &status, &err);
        if (!p) continue;
        cl_program linked = clLinkProgram(context, 0, NULL, NULL, 1, &p, NULL, NULL, &err);
        if (linked) {
            OK(clGetProgramBuildInfo(linked, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
            if (err) assert_true(*log);
            if (!err) use(linked);
            OK(clReleaseProgram(linked));
        }
        OK(clReleaseProgram(p));
    }
    run_good();
    free(copy);
    free(binary);
    OK(clReleaseProgram(good));
    (void)state;
}

static int setup(void **state)
{
    cl_int err;
    setenv("VENTUS_TIMEOUT", "1", 1);
    if (check_setup(state)) return 1;
    memory = buffer_new(CL_MEM_READ_WRITE, 4096, NULL);
    image = clCreateImage(context, 0, &(cl_image_format){CL_RGBA, CL_FLOAT},
                          &(cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 1},
                          NULL, &err);
    sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &err);
    return !image || !sampler;
}

static int teardown(void **state)
{
    OK(clReleaseMemObject(memory));
    OK(clReleaseMemObject(image));
    OK(clReleaseSampler(sampler));
    return check_teardown(state);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_executable), cmocka_unit_test(test_object)};
    if (argc > 1) rounds = (unsigned)atoi(argv[1]);
    if (argc > 2) seed = (uint64_t)atoll(argv[2]);
    return cmocka_run_group_tests(tests, setup, teardown);
}
