/* Kernels, compiled by the real compiler and run: arguments, ranges, queries, failures, life times. */
#include "check.h"
#include "opencl/cl_ventus.h"

static const char source[] =
    "kernel void iota(global int *out, int start) { size_t i = get_global_id(0); out[i] = start + (int)i; }\n"
    "kernel void ids(global uint *out) {\n"
    "    size_t i = get_global_id(0) - get_global_offset(0) +\n"
    "               get_global_size(0) * (get_global_id(1) - get_global_offset(1) + get_global_size(1) * "
    "get_global_id(2));\n"
    "    out[i] = get_global_id(0) | get_global_id(1) << 8 | get_local_size(0) << 16 | get_local_size(1) << 24;\n"
    "}\n"
    "kernel void locals(global int *out, local int *a, local int *b) {\n"
    "    local int c[4];\n"
    "    size_t l = get_local_id(0), n = get_local_size(0);\n"
    "    a[l] = (int)l; b[l] = (int)(l * 10); c[l & 3] = 7;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    out[get_global_id(0)] = a[n - 1 - l] + b[n - 1 - l] * 100 + c[l & 3];\n"
    "}\n"
    "kernel __attribute__((reqd_work_group_size(4, 2, 1))) void required(global int *out) {\n"
    "    out[get_global_id(0)] = (int)get_local_size(0) * 10 + (int)get_local_size(1);\n"
    "}\n"
    "kernel void null_pointer(global int *p, global int *out) { *out = p == 0; }\n"
    "kernel void stray(global int *p) { p[0x30000000] = 1; }\n"
    "typedef struct { char c; int4 v; short s; } record;\n"
    "kernel void by_value(record r, float3 f, constant int *k, global float *restrict out) {\n"
    "    out[0] = r.c + r.v.s3 + r.s + f.z + k[1];\n"
    "}\n";

static cl_program program;

static int setup(void **state)
{
    if (check_setup(state)) return -1;
    program = program_build(source, "-cl-kernel-arg-info");
    return 0;
}

static int teardown(void **state) { return clReleaseProgram(program) || check_teardown(state); }

static cl_kernel kernel_new(const char *name)
{
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, name, &err);
    OK(err);
    return kernel;
}

static void set_mem(cl_kernel kernel, cl_uint index, cl_mem mem)
{
    OK(clSetKernelArg(kernel, index, sizeof mem, &mem));
}

static void test_iota(void **state)
{
    (void)state;
    enum { N = 1000 };
    int out[N], start = 5;
    cl_kernel kernel = kernel_new("iota");
    cl_mem mem = buffer_new(0, sizeof out, NULL);
    set_mem(kernel, 0, mem);
    OK(clSetKernelArg(kernel, 1, sizeof start, &start));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (size_t[]){N}, NULL, 0, NULL, NULL));
    start = 99; /* copied at the call */
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < N; i++) assert_int_equal(out[i], 5 + i);
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(kernel));
}

/* What a launch uses is fixed when it is enqueued, and everything may be released before it runs. */
static void test_frozen(void **state)
{
    (void)state;
    cl_int err;
    int out[2][8], start = 100;
    cl_kernel kernel = kernel_new("iota");
    cl_mem mems[2] = {buffer_new(0, sizeof out[0], NULL), buffer_new(0, sizeof out[1], NULL)};
    cl_event gate = clCreateUserEvent(context, &err);
    for (int i = 0; i < 2; i++, start += 100) {
        set_mem(kernel, 0, mems[i]);
        OK(clSetKernelArg(kernel, 1, sizeof start, &start));
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (size_t[]){8}, NULL, i ? 0 : 1, i ? NULL : &gate, NULL));
        OK(clEnqueueReadBuffer(queue, mems[i], CL_FALSE, 0, sizeof out[i], out[i], 0, NULL, NULL));
        assert_int_equal(QUERY(cl_uint, clGetMemObjectInfo, mems[i], CL_MEM_REFERENCE_COUNT), 1);
        OK(clReleaseMemObject(mems[i]));
    }
    OK(clReleaseKernel(kernel));
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clReleaseEvent(gate));
    OK(clFinish(queue));
    for (int i = 0; i < 8; i++) {
        assert_int_equal(out[0][i], 100 + i);
        assert_int_equal(out[1][i], 200 + i);
    }
}

static void test_argument_errors(void **state)
{
    (void)state;
    int x = 0;
    cl_kernel kernel = kernel_new("iota"), locals = kernel_new("locals");
    cl_mem mem = buffer_new(0, 4096, NULL);
    FAILS(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (size_t[]){1}, NULL, 0, NULL, NULL));
    FAILS(CL_INVALID_ARG_INDEX, clSetKernelArg(kernel, 2, 4, &x));
    FAILS(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 1, 8, &x));
    FAILS(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 1, 4, NULL));
    FAILS(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 0, 4, &mem));
    FAILS(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 0, sizeof mem, &queue));
    FAILS(CL_INVALID_ARG_VALUE, clSetKernelArg(locals, 1, 4, &x));
    FAILS(CL_INVALID_ARG_SIZE, clSetKernelArg(locals, 1, 0, NULL));
    /* a buffer that is gone by the time of the launch */
    set_mem(kernel, 0, mem);
    OK(clSetKernelArg(kernel, 1, sizeof x, &x));
    OK(clReleaseMemObject(mem));
    FAILS(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (size_t[]){1}, NULL, 0, NULL, NULL));
    OK(clReleaseKernel(kernel));
    OK(clReleaseKernel(locals));
}

static void test_range_errors(void **state)
{
    (void)state;
    int x = 0;
    size_t most = QUERY(size_t, clGetDeviceInfo, device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    cl_kernel kernel = kernel_new("iota");
    cl_mem mem = buffer_new(0, 64, NULL);
    cl_event event;
    set_mem(kernel, 0, mem);
    OK(clSetKernelArg(kernel, 1, sizeof x, &x));
#define LAUNCH(dim, offset, global, local) \
    clEnqueueNDRangeKernel(queue, kernel, dim, offset, (size_t[]){global, 1, 1}, local, 0, NULL, NULL)
    FAILS(CL_INVALID_WORK_DIMENSION, LAUNCH(0, NULL, 8, NULL));
    FAILS(CL_INVALID_WORK_DIMENSION, LAUNCH(4, NULL, 8, NULL));
    FAILS(CL_INVALID_WORK_GROUP_SIZE, LAUNCH(1, NULL, 8, (size_t[]){3}));
    FAILS(CL_INVALID_WORK_GROUP_SIZE, LAUNCH(1, NULL, 8, (size_t[]){0}));
    FAILS(CL_INVALID_WORK_ITEM_SIZE, LAUNCH(1, NULL, most * 2, (size_t[]){most * 2}));
    FAILS(CL_INVALID_WORK_ITEM_SIZE, LAUNCH(1, NULL, 8, (size_t[]){SIZE_MAX}));
    FAILS(CL_INVALID_GLOBAL_WORK_SIZE, LAUNCH(1, NULL, (size_t)1 << 32, NULL));
    FAILS(CL_INVALID_GLOBAL_OFFSET, LAUNCH(1, (size_t[]){UINT32_MAX}, 8, NULL));
    FAILS(CL_INVALID_WORK_GROUP_SIZE,
          clEnqueueNDRangeKernel(queue, kernel, 2, NULL, (size_t[]){most, 2}, (size_t[]){most, 2}, 0, NULL, NULL));
    /* nothing to do is fine, with an event */
    OK(LAUNCH(1, NULL, 0, NULL));
    OK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, (size_t[]){4, 0}, NULL, 0, NULL, &event));
    OK(clWaitForEvents(1, &event));
    OK(clReleaseEvent(event));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, NULL, NULL, 0, NULL, NULL));
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(kernel));
}

/* Without a local size the chosen one divides the range, and ids and offsets are right. */
static void test_chosen_local_size(void **state)
{
    (void)state;
    static const size_t ranges[][3] = {{1, 1, 1},   {7, 1, 1},   {64, 3, 1}, {100, 2, 1},
                                       {13, 11, 3}, {32, 32, 2}, {33, 2, 2}};
    static uint32_t out[4096];
    cl_kernel kernel = kernel_new("ids");
    cl_mem mem = buffer_new(0, sizeof out, NULL);
    set_mem(kernel, 0, mem);
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        const size_t *g = ranges[i], offset[3] = {3, 5, 0};
        OK(clEnqueueNDRangeKernel(queue, kernel, 3, offset, g, NULL, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
        for (size_t k = 0; k < g[0] * g[1] * g[2]; k++) {
            assert_int_equal(out[k] & 255, k % g[0] + 3);
            assert_int_equal(out[k] >> 8 & 255, k / g[0] % g[1] + 5);
            assert_int_equal(g[0] % (out[k] >> 16 & 255), 0);
            assert_int_equal(g[1] % (out[k] >> 24), 0);
        }
        if (i == 5) assert_int_equal((out[0] >> 16 & 255) * (out[0] >> 24) % 32, 0); /* whole warps when possible */
    }
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(kernel));
}

static void test_required_size(void **state)
{
    (void)state;
    int out[8] = {0};
    size_t size[3], length;
    char text[128];
    cl_kernel kernel = kernel_new("required");
    cl_mem mem = buffer_new(0, sizeof out, NULL);
    set_mem(kernel, 0, mem);
    OK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, (size_t[]){8, 2}, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < 8; i++) assert_int_equal(out[i], 42);
    FAILS(CL_INVALID_WORK_GROUP_SIZE,
          clEnqueueNDRangeKernel(queue, kernel, 2, NULL, (size_t[]){8, 2}, (size_t[]){2, 2}, 0, NULL, NULL));
    FAILS(CL_INVALID_WORK_GROUP_SIZE,
          clEnqueueNDRangeKernel(queue, kernel, 2, NULL, (size_t[]){6, 2}, NULL, 0, NULL, NULL));
    FAILS(CL_INVALID_WORK_GROUP_SIZE, clEnqueueTask(queue, kernel, 0, NULL, NULL));
    OK(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof size, size, NULL));
    assert_true(size[0] == 4 && size[1] == 2 && size[2] == 1);
    OK(clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof text, text, &length));
    assert_string_equal(text, "reqd_work_group_size(4,2,1)");
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(kernel));
}

static void test_local_arguments(void **state)
{
    (void)state;
    enum { N = 48 };
    int out[N];
    cl_ulong bytes;
    cl_ulong whole = QUERY(cl_ulong, clGetDeviceInfo, device, CL_DEVICE_LOCAL_MEM_SIZE);
    cl_kernel kernel = kernel_new("locals");
    cl_mem mem = buffer_new(0, sizeof out, NULL);
    set_mem(kernel, 0, mem);
    OK(clSetKernelArg(kernel, 1, 24 * sizeof(int), NULL));
    OK(clSetKernelArg(kernel, 2, 24 * sizeof(int), NULL));
    OK(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL));
    assert_true(bytes >= 52 * sizeof(int));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (size_t[]){N}, (size_t[]){24}, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < N; i++) {
        int other = 23 - i % 24;
        assert_int_equal(out[i], other + other * 1000 + 7);
    }
    const size_t rest = whole - (bytes - 24 * sizeof(int)); /* what the others leave of it */
    for (size_t i = 0; i < 6; i++) {
        static const size_t more[] = {0, 4, 64, 4096, 1 << 20, SIZE_MAX / 2};
        OK(clSetKernelArg(kernel, 1, rest + more[i], NULL));
        for (size_t group = 1; group <= 48; group += 47)
            FAILS(more[i] ? CL_OUT_OF_RESOURCES : CL_SUCCESS,
                  clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (size_t[]){N}, &group, 0, NULL, NULL));
    }
    OK(clFinish(queue));
    OK(clSetKernelArg(kernel, 1, SIZE_MAX, NULL));
    FAILS(CL_OUT_OF_RESOURCES, clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (size_t[]){N}, NULL, 0, NULL, NULL));
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(kernel));
}

static void test_values_and_null(void **state)
{
    (void)state;
    struct {
        cl_char c;
        _Alignas(16) cl_int v[4];
        cl_short s;
    } r = {1, {0, 0, 0, 20}, 300};
    cl_float f[4] = {0, 0, 4000, 0}, sum;
    int constants[] = {0, 50000}, one = 0;
    cl_kernel kernel = kernel_new("by_value"), null_kernel = kernel_new("null_pointer");
    cl_mem k = buffer_new(CL_MEM_COPY_HOST_PTR | CL_MEM_READ_ONLY, sizeof constants, constants),
           out = buffer_new(0, 4, NULL);
    FAILS(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 1, 12, f)); /* three elements take the room of four */
    OK(clSetKernelArg(kernel, 0, sizeof r, &r));
    OK(clSetKernelArg(kernel, 1, sizeof f, f));
    set_mem(kernel, 2, k);
    set_mem(kernel, 3, out);
    OK(clEnqueueTask(queue, kernel, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 4, &sum, 0, NULL, NULL));
    assert_true(sum == 54321.0f);
    OK(clSetKernelArg(null_kernel, 0, sizeof(cl_mem), NULL));
    set_mem(null_kernel, 1, out);
    OK(clEnqueueTask(queue, null_kernel, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 4, &one, 0, NULL, NULL));
    assert_int_equal(one, 1);
    OK(clReleaseMemObject(k));
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(kernel));
    OK(clReleaseKernel(null_kernel));
}

static void test_argument_info(void **state)
{
    (void)state;
    char text[64];
    cl_kernel_arg_address_qualifier address;
    cl_kernel_arg_type_qualifier type;
    cl_kernel kernel = kernel_new("by_value");
    // clang-format off
    static const struct { const char *name, *type; cl_kernel_arg_address_qualifier address; cl_kernel_arg_type_qualifier qualifiers; } rows[] = {
        {"r", "record", CL_KERNEL_ARG_ADDRESS_PRIVATE, 0},
        {"f", "float3", CL_KERNEL_ARG_ADDRESS_PRIVATE, 0},
        {"k", "int*", CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_TYPE_CONST},
        {"out", "float*", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_TYPE_RESTRICT},
    };
    // clang-format on
    for (cl_uint i = 0; i < 4; i++) {
        OK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_NAME, sizeof text, text, NULL));
        assert_string_equal(text, rows[i].name);
        OK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, NULL));
        assert_string_equal(text, rows[i].type);
        OK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof address, &address, NULL));
        assert_int_equal(address, rows[i].address);
        OK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof type, &type, NULL));
        assert_int_equal(type, rows[i].qualifiers);
    }
    FAILS(CL_INVALID_ARG_INDEX, clGetKernelArgInfo(kernel, 4, CL_KERNEL_ARG_NAME, sizeof text, text, NULL));
    OK(clReleaseKernel(kernel));
}

static void test_queries(void **state)
{
    (void)state;
    char text[256];
    cl_uint count = 0;
    cl_kernel list[16], kernel = kernel_new("iota"), clone;
    cl_int err;
    size_t group;
    OK(clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof text, text, NULL));
    assert_string_equal(text, "iota");
    assert_int_equal(QUERY(cl_uint, clGetKernelInfo, kernel, CL_KERNEL_NUM_ARGS), 2);
    assert_ptr_equal(QUERY(cl_program, clGetKernelInfo, kernel, CL_KERNEL_PROGRAM), program);
    OK(clGetKernelWorkGroupInfo(kernel, NULL, CL_KERNEL_WORK_GROUP_SIZE, sizeof group, &group, NULL));
    assert_true(group >= 32);
    OK(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof group, &group,
                                NULL));
    assert_int_equal(group, 32);
    FAILS(CL_INVALID_VALUE,
          clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_GLOBAL_WORK_SIZE, 3 * sizeof group, text, NULL));
    OK(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof text, text, NULL));
    assert_non_null(strstr(text, "by_value"));
    OK(clCreateKernelsInProgram(program, 0, NULL, &count));
    assert_int_equal(count, 7);
    FAILS(CL_INVALID_VALUE, clCreateKernelsInProgram(program, 6, list, NULL));
    OK(clCreateKernelsInProgram(program, 16, list, &count));
    for (cl_uint i = 0; i < count; i++) OK(clReleaseKernel(list[i]));
    REFUSED(CL_INVALID_KERNEL_NAME, clCreateKernel(program, "none", &err));
    REFUSED(CL_INVALID_VALUE, clCreateKernel(program, NULL, &err));
    FAILS(CL_INVALID_OPERATION, clBuildProgram(program, 0, NULL, NULL, NULL, NULL)); /* kernels exist */
    clone = clCloneKernel(kernel, &err);
    OK(err);
    assert_int_equal(QUERY(cl_uint, clGetKernelInfo, clone, CL_KERNEL_REFERENCE_COUNT), 1);
    OK(clRetainKernel(clone));
    assert_int_equal(QUERY(cl_uint, clGetKernelInfo, clone, CL_KERNEL_REFERENCE_COUNT), 2);
    OK(clReleaseKernel(clone));
    assert_int_equal(QUERY(cl_uint, clGetKernelInfo, clone, CL_KERNEL_REFERENCE_COUNT), 1);
    OK(clReleaseKernel(kernel));
    OK(clReleaseKernel(clone));
}

/* One answer of a size, to a question about sizes or a number of sub-groups. */
static size_t sub_groups(cl_kernel kernel, cl_kernel_sub_group_info param, const size_t *sizes, unsigned n)
{
    size_t answer = 0;
    OK(clGetKernelSubGroupInfo(kernel, device, param, n * sizeof *sizes, sizes, sizeof answer, &answer, NULL));
    return answer;
}

/* A warp is a sub-group. */
static void test_sub_groups(void **state)
{
    (void)state;
    cl_kernel kernel = kernel_new("iota");
    size_t sizes[3] = {40, 3, 2}, got[3] = {7, 7, 7}, bytes, none = 0, many = 1000;
    assert_int_equal(sub_groups(kernel, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizes, 3), 32);
    assert_int_equal(sub_groups(kernel, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizes, 1), 2);
    assert_int_equal(sub_groups(kernel, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizes, 3), 8);
    assert_int_equal(sub_groups(kernel, CL_KERNEL_MAX_NUM_SUB_GROUPS, NULL, 0), 32);
    assert_int_equal(sub_groups(kernel, CL_KERNEL_COMPILE_NUM_SUB_GROUPS, NULL, 0), 0);
    assert_int_equal(sub_groups(kernel, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, (size_t[]){3}, 1), 96);
    OK(clGetKernelSubGroupInfo(kernel, NULL, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof many, (size_t[]){2},
                               sizeof got, got, &bytes));
    assert_true(got[0] == 64 && got[1] == 1 && got[2] == 1 && bytes == sizeof got);
    OK(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof many, &many, sizeof got,
                               got, NULL));
    assert_true(got[0] == 0 && got[1] == 0 && got[2] == 0);
    FAILS(CL_INVALID_KERNEL,
          clGetKernelSubGroupInfo(NULL, device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clGetKernelSubGroupInfo(kernel, device, 0, 0, NULL, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof none,
                                                    &none, sizeof bytes, &bytes, NULL));
    FAILS(CL_INVALID_VALUE, clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 4, sizes,
                                                    sizeof bytes, &bytes, NULL));
    FAILS(CL_INVALID_VALUE, clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 0, NULL,
                                                    sizeof bytes, &bytes, NULL));
    FAILS(CL_INVALID_VALUE,
          clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, 1, &bytes, NULL));
    OK(clReleaseKernel(kernel));
}

/* ---- failures on the device ---- */

static char message[512];

static void CL_CALLBACK on_message(const char *text, const void *info, size_t size, void *data)
{
    (void)info, (void)size, (void)data;
    snprintf(message, sizeof message, "%s", text);
}

/* Nothing is said of what the kernel takes where its groups only do not divide the range (else see shell/pools). */
static void test_uneven_range(void **state)
{
    (void)state;
    cl_int err;
    const char *text = "kernel void k(void) {}";
    cl_context c = clCreateContext(NULL, 1, &device, on_message, NULL, &err);
    cl_command_queue q = clCreateCommandQueue(c, device, 0, &err);
    cl_program p = clCreateProgramWithSource(c, 1, &text, NULL, &err);
    OK(clBuildProgram(p, 0, NULL, "-cl-std=CL1.2", NULL, NULL));
    cl_kernel k = clCreateKernel(p, "k", &err);
    message[0] = 0;
    FAILS(CL_INVALID_WORK_GROUP_SIZE,
          clEnqueueNDRangeKernel(q, k, 1, NULL, (size_t[]){8}, (size_t[]){3}, 0, NULL, NULL));
    assert_string_equal(message, "");
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

/* What goes to a descriptor between the two, as text of less than `size` bytes. */
struct capture {
    FILE *file;
    int fd, saved;
};

static struct capture capture_begin(int fd)
{
    struct capture c = {tmpfile(), fd, dup(fd)};
    assert_non_null(c.file);
    fflush(NULL);
    dup2(fileno(c.file), fd);
    return c;
}

static void capture_end(struct capture *c, char *text, size_t size)
{
    fflush(NULL);
    dup2(c->saved, c->fd);
    close(c->saved);
    rewind(c->file);
    text[fread(text, 1, size - 1, c->file)] = 0;
    fclose(c->file);
}

/* A fault that nobody asks for is a line on standard error, unless VENTUS_DEBUG=0. */
static void check_fault_line(cl_command_queue q, cl_kernel stray)
{
    char text[1024];
    static const char *const debug[] = {NULL, "", "1", "0"};
    for (size_t i = 0; i < sizeof debug / sizeof *debug; i++) {
        if (debug[i]) setenv("VENTUS_DEBUG", debug[i], 1);
        struct capture c = capture_begin(2);
        cl_event event;
        cl_int err = clEnqueueTask(q, stray, 0, NULL, &event), end = clFinish(q);
        capture_end(&c, text, sizeof text);
        unsetenv("VENTUS_DEBUG");
        OK(err);
        FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, end);
        assert_int_equal(event_status(event), CL_OUT_OF_RESOURCES);
        OK(clReleaseEvent(event));
        if (i == 3) assert_string_equal(text, "");
        else if (strncmp(text, "ventus: kernel stray failed at line ", 36) ||
                 strchr(text, '\n') != text + strlen(text) - 1)
            fail_msg("no single line of the fault: %s", text);
    }
}

static void test_fault(void **state)
{
    (void)state;
    cl_int err;
    const char *text = source;
    int start = 1, out[4];
    cl_context c = clCreateContext(NULL, 1, &device, on_message, NULL, &err);
    cl_command_queue q = clCreateCommandQueue(c, device, 0, &err);
    cl_program p = clCreateProgramWithSource(c, 1, &text, NULL, &err);
    OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    cl_kernel stray = clCreateKernel(p, "stray", &err), iota = clCreateKernel(p, "iota", &err);
    cl_mem mem = clCreateBuffer(c, 0, sizeof out, NULL, &err);
    cl_event event;
    set_mem(stray, 0, mem);
    OK(clEnqueueTask(q, stray, 0, NULL, &event));
    FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &event));
    assert_int_equal(event_status(event), CL_OUT_OF_RESOURCES);
    if (!strstr(message, "stray")) fail_msg("the message names no kernel: %s", message);
    OK(clFinish(q)); /* the client knows already */
    OK(clReleaseEvent(event));
    check_fault_line(q, stray);
    OK(clEnqueueTask(q, stray, 0, NULL, NULL));
    FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clFinish(q)); /* nobody has looked */
    FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
          clEnqueueReadBuffer(q, mem, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    set_mem(iota, 0, mem);
    OK(clSetKernelArg(iota, 1, sizeof start, &start));
    OK(clEnqueueNDRangeKernel(q, iota, 1, NULL, (size_t[]){4}, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(q, mem, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < 4; i++) assert_int_equal(out[i], 1 + i);
    OK(clReleaseKernel(stray));
    OK(clReleaseKernel(iota));
    OK(clReleaseMemObject(mem));
    OK(clReleaseProgram(p));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

/* printf appears on the client's standard output before the call that waits returns. */
static void test_printf(void **state)
{
    (void)state;
    char text[512] = "";
    cl_int err;
    cl_program p =
        program_build("kernel void talk(int n) { printf(\"item %d of %d\\n\", (int)get_global_id(0), n); }", NULL);
    cl_kernel kernel = clCreateKernel(p, "talk", &err);
    int n = 3;
    FAILS(CL_KERNEL_ARG_INFO_NOT_AVAILABLE,
          clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_NAME, sizeof text, text, NULL)); /* not asked for */
    OK(clSetKernelArg(kernel, 0, sizeof n, &n));
    struct capture c = capture_begin(1);
    err = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (size_t[]){3}, NULL, 0, NULL, NULL);
    if (!err) err = clFinish(queue);
    capture_end(&c, text, sizeof text);
    OK(err);
    assert_string_equal(text, "item 0 of 3\nitem 1 of 3\nitem 2 of 3\n");
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(p));
}

typedef cl_int suggest(cl_command_queue q, cl_kernel kernel, cl_uint dim, const size_t *offset, const size_t *global,
                       size_t *local);

/* What a launch without a local size takes. */
static void test_suggested_size(void **state)
{
    (void)state;
    cl_int err;
    suggest *ask =
        (suggest *)clGetExtensionFunctionAddressForPlatform(platform, "clGetKernelSuggestedLocalWorkSizeKHR");
    assert_non_null(ask);
    cl_program p =
        program_build("kernel void size(global uint *a) { a[0] = get_local_size(0); a[1] = get_local_size(1); }\n"
                      "kernel __attribute__((reqd_work_group_size(6, 2, 1))) void six(void) {}",
                      NULL);
    cl_kernel kernel = clCreateKernel(p, "size", &err), six = clCreateKernel(p, "six", &err);
    cl_mem mem = buffer_new(0, 8, NULL);
    cl_uint taken[2];
    const size_t global[] = {96, 6}, zero[] = {96, 0}, odd[] = {7, 6};
    size_t local[3] = {0, 0, 99};
    FAILS(CL_INVALID_KERNEL_ARGS, ask(queue, kernel, 2, NULL, global, local));
    set_mem(kernel, 0, mem);
    OK(ask(queue, kernel, 2, NULL, global, local));
    OK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof taken, taken, 0, NULL, NULL));
    assert_int_equal(local[0], taken[0]);
    assert_int_equal(local[1], taken[1]);
    assert_int_equal(local[2], 99);
    OK(ask(queue, six, 2, NULL, global, local));
    assert_int_equal(local[0], 6);
    FAILS(CL_INVALID_WORK_GROUP_SIZE, ask(queue, six, 2, NULL, odd, local));
    FAILS(CL_INVALID_COMMAND_QUEUE, ask((cl_command_queue)mem, kernel, 2, NULL, global, local));
    FAILS(CL_INVALID_KERNEL, ask(queue, (cl_kernel)mem, 2, NULL, global, local));
    FAILS(CL_INVALID_WORK_DIMENSION, ask(queue, kernel, 4, NULL, global, local));
    FAILS(CL_INVALID_GLOBAL_WORK_SIZE, ask(queue, kernel, 2, NULL, zero, local));
    FAILS(CL_INVALID_GLOBAL_WORK_SIZE, ask(queue, kernel, 2, NULL, NULL, local));
    FAILS(CL_INVALID_VALUE, ask(queue, kernel, 2, NULL, global, NULL));
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(six));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(p));
}

static void test_counters(void **state)
{
    (void)state;
    int start = 0;
    cl_kernel kernel = kernel_new("iota");
    cl_mem mem = buffer_new(0, 4 * 96, NULL);
    cl_event event;
    set_mem(kernel, 0, mem);
    OK(clSetKernelArg(kernel, 1, sizeof start, &start));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (size_t[]){96}, (size_t[]){48}, 0, NULL, &event));
    OK(clWaitForEvents(1, &event));
    assert_int_equal(QUERY(cl_ulong, clGetEventProfilingInfo, event, CL_PROFILING_COMMAND_GROUPS_VENTUS), 2);
    assert_int_equal(QUERY(cl_ulong, clGetEventProfilingInfo, event, CL_PROFILING_COMMAND_WARPS_VENTUS), 4);
    cl_ulong all = QUERY(cl_ulong, clGetEventProfilingInfo, event, CL_PROFILING_COMMAND_INSTRUCTIONS_VENTUS);
    cl_ulong vector = QUERY(cl_ulong, clGetEventProfilingInfo, event, CL_PROFILING_COMMAND_VECTOR_INSTRUCTIONS_VENTUS);
    cl_ulong lanes = QUERY(cl_ulong, clGetEventProfilingInfo, event, CL_PROFILING_COMMAND_ACTIVE_LANES_VENTUS);
    assert_true(vector > 0 && vector < all && lanes <= vector * 32 && lanes >= vector);
    assert_true(QUERY(cl_ulong, clGetEventProfilingInfo, event, CL_PROFILING_COMMAND_STORES_VENTUS) >= 4);
    assert_true(QUERY(cl_ulong, clGetEventProfilingInfo, event, CL_PROFILING_COMMAND_DIVERGENT_BRANCHES_VENTUS) <=
                QUERY(cl_ulong, clGetEventProfilingInfo, event, CL_PROFILING_COMMAND_BRANCHES_VENTUS));
    OK(clReleaseEvent(event));
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(kernel));
}

/* ---- programs with real code ---- */

static void run_iota(cl_program p)
{
    cl_int err;
    int out[4], start = 3;
    cl_kernel kernel = clCreateKernel(p, "iota", &err);
    OK(err);
    cl_mem mem = buffer_new(0, sizeof out, NULL);
    set_mem(kernel, 0, mem);
    OK(clSetKernelArg(kernel, 1, sizeof start, &start));
    OK(clReleaseProgram(p)); /* the kernel keeps it */
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (size_t[]){4}, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < 4; i++) assert_int_equal(out[i], 3 + i);
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(mem));
}

/* The binary runs again; each damaged copy of it is refused. */
static void test_binary(void **state)
{
    (void)state;
    cl_int err, status;
    size_t size = QUERY(size_t, clGetProgramInfo, program, CL_PROGRAM_BINARY_SIZES);
    assert_true(size > 0);
    unsigned char *binary = malloc(size);
    assert_non_null(binary);
    const unsigned char *list[] = {binary};
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof list, list, NULL));
    for (size_t at = 0; at < size; at += 1 + size / 200) {
        binary[at] ^= 0x10;
        REFUSED(CL_INVALID_BINARY, clCreateProgramWithBinary(context, 1, &device, &size, list, &status, &err));
        binary[at] ^= 0x10;
    }
    cl_program p = clCreateProgramWithBinary(context, 1, &device, &size, list, &status, &err);
    OK(err);
    OK(status);
    free(binary);
    REFUSED(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernel(p, "iota", &err));
    OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    run_iota(p);
}

/* Adds to `text` what refuses to compile unless each name of the list is a macro. */
static size_t require_macros(char *text, size_t room, cl_device_info list)
{
    cl_name_version names[64];
    size_t size, n = 0;
    OK(clGetDeviceInfo(device, list, sizeof names, names, &size));
    assert_true(size > 0);
    for (size_t i = 0; i < size / sizeof *names; i++)
        n += (size_t)snprintf(text + n, room - n, "#ifndef %s\n#error %s\n#endif\n", names[i].name, names[i].name);
    return n;
}

/* The device's extensions and features are those of the compiler, and no others. */
static void test_features(void **state)
{
    (void)state;
    char text[8192];
    size_t n = require_macros(text, sizeof text, CL_DEVICE_EXTENSIONS_WITH_VERSION);
    n += require_macros(text + n, sizeof text - n, CL_DEVICE_OPENCL_C_FEATURES);
    snprintf(text + n, sizeof text - n, "%s",
             "#if defined(cl_khr_mipmap_image)\n"
             "#error too many\n#endif\nkernel void k(void) {}\n");
    cl_int err;
    cl_program p = clCreateProgramWithSource(context, 1, (const char *[]){text}, NULL, &err);
    OK(err);
    OK(clBuildProgram(p, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
    OK(clReleaseProgram(p));
}

static void test_compile_and_link(void **state)
{
    (void)state;
    cl_int err;
    const char *text = "#include \"start.h\"\nkernel void iota(global int *out, int start) { out[get_global_id(0)] = "
                       "BEGIN(start); }\n";
    const char *header_text = "#define BEGIN(s) ((s) + (int)get_global_id(0))\n", *name = "start.h";
    cl_program_binary_type type;
    cl_program part = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    cl_program header = clCreateProgramWithSource(context, 1, &header_text, NULL, &err);
    OK(clCompileProgram(part, 0, NULL, NULL, 1, &header, &name, NULL, NULL));
    OK(clGetProgramBuildInfo(part, device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
    assert_int_equal(type, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    REFUSED(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernel(part, "iota", &err));
    REFUSED(CL_INVALID_LINKER_OPTIONS, clLinkProgram(context, 0, NULL, "-frob", 1, &part, NULL, NULL, &err));
    cl_program whole = clLinkProgram(context, 0, NULL, NULL, 1, &part, NULL, NULL, &err);
    OK(err);
    OK(clReleaseProgram(part));
    OK(clReleaseProgram(header));
    run_iota(whole);
}

static cl_program compile_with(const char *text, const char *options)
{
    cl_int err;
    cl_program p = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    OK(clCompileProgram(p, 0, NULL, options, 0, NULL, NULL, NULL, NULL));
    return p;
}

static cl_program compile(const char *text) { return compile_with(text, NULL); }

/* Its binary as a program again, which clLinkProgram and clBuildProgram take like the original. */
static cl_program reload(cl_program p)
{
    cl_int err;
    size_t size = QUERY(size_t, clGetProgramInfo, p, CL_PROGRAM_BINARY_SIZES);
    unsigned char *binary = malloc(size);
    assert_non_null(binary);
    const unsigned char *list[] = {binary};
    OK(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof list, list, NULL));
    cl_program back = clCreateProgramWithBinary(context, 1, &device, &size, list, NULL, &err);
    OK(err);
    free(binary);
    OK(clReleaseProgram(p));
    return back;
}

/* Functions and constants cross files; static ones of the same name do not meet. */
static void test_link_several(void **state)
{
    (void)state;
    cl_int err;
    cl_program parts[2], library, whole;
    cl_program_binary_type type;
    char log[1024];
    parts[0] = compile("int helper(int x, int i); static int twice(int x) { return x; }\n"
                       "kernel void iota(global int *out, int start) { int i = (int)get_global_id(0); out[i] = "
                       "twice(helper(start, i)); }");
    parts[1] = compile("constant int table[2] = {0, 1}; static int twice(int x) { return x * table[1]; }\n"
                       "int helper(int x, int i) { return twice(x + i) + table[0]; }");
    /* alone it lacks the other */
    whole = clLinkProgram(context, 0, NULL, NULL, 1, parts, NULL, NULL, &err);
    assert_int_equal(err, CL_LINK_PROGRAM_FAILURE);
    assert_non_null(whole);
    OK(clGetProgramBuildInfo(whole, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    assert_non_null(strstr(log, "helper"));
    OK(clReleaseProgram(whole));
    library = clLinkProgram(context, 0, NULL, "-create-library", 1, &parts[1], NULL, NULL, &err);
    OK(err);
    OK(clGetProgramBuildInfo(library, device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
    assert_int_equal(type, CL_PROGRAM_BINARY_TYPE_LIBRARY);
    OK(clReleaseProgram(parts[1]));
    parts[1] = reload(library);
    whole = clLinkProgram(context, 1, &device, NULL, 2, parts, NULL, NULL, &err);
    OK(err);
    run_iota(whole);
    OK(clReleaseProgram(parts[0]));
    OK(clReleaseProgram(parts[1]));
    /* a complete object from a binary can be built directly */
    whole = reload(compile(
        "kernel void iota(global int *out, int start) { out[get_global_id(0)] = start + (int)get_global_id(0); }"));
    OK(clBuildProgram(whole, 0, NULL, NULL, NULL, NULL));
    run_iota(whole);
}

/* Does the program's one kernel, `k`, tell about its arguments? Releases the program. */
static void arg_info(cl_program p, cl_int answer)
{
    char text[16];
    cl_int err;
    cl_kernel kernel = clCreateKernel(p, "k", &err);
    OK(err);
    FAILS(answer, clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_NAME, sizeof text, text, NULL));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(p));
}

/* Only if the option was given, as a word of its own, and a linked program only if all its parts were so. */
static void test_arg_info_option(void **state)
{
    (void)state;
    static const char kernel[] = "kernel void k(global int *out) { *out = 1; }", other[] = "int f(void) { return 1; }";
    static const char option[] = "-cl-kernel-arg-info";
    const cl_int none = CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
    arg_info(program_build(kernel, "-w\t-cl-kernel-arg-info -w"), CL_SUCCESS);
    arg_info(program_build(kernel, "-DX=-cl-kernel-arg-info"), none);
    arg_info(program_build(kernel, "-D \"X= -cl-kernel-arg-info \""), none);
    for (int i = 0; i < 4; i++) {
        cl_int err;
        cl_program parts[2] = {compile_with(kernel, i & 1 ? option : NULL), compile_with(other, i & 2 ? option : NULL)};
        cl_program whole = clLinkProgram(context, 0, NULL, NULL, 2, parts, NULL, NULL, &err);
        OK(err);
        OK(clReleaseProgram(parts[0]));
        OK(clReleaseProgram(parts[1]));
        arg_info(whole, i == 3 ? CL_SUCCESS : none);
    }
}

static void CL_CALLBACK ignore(cl_program p, void *data) { (void)p, (void)data; }

/* A kernel of a program whose build is under way is there when that has ended. */
static void test_kernel_of_running_build(void **state)
{
    char text[100];
    const char *unique = text;
    cl_int err;
    cl_uint count;
    (void)state;
    snprintf(text, sizeof text, "kernel void f(global int *a) { *a = %d; } /* new in each run */", (int)getpid());
    cl_program p = clCreateProgramWithSource(context, 1, &unique, NULL, &err);
    OK(err);
    OK(clBuildProgram(p, 0, NULL, "", ignore, NULL));
    cl_kernel k = clCreateKernel(p, "f", &err);
    OK(err);
    OK(clCreateKernelsInProgram(p, 0, NULL, &count));
    assert_int_equal(count, 1);
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
}

static void test_rebuild(void **state)
{
    (void)state;
    cl_int err;
    const char *text = "kernel void iota(global int *out, int start) { out[get_global_id(0)] = start + "
                       "(int)get_global_id(0) + PLUS; }";
    cl_program p = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    FAILS(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    FAILS(CL_INVALID_BUILD_OPTIONS, clBuildProgram(p, 0, NULL, "-frobnicate", NULL, NULL));
    OK(clBuildProgram(p, 0, NULL, "-D PLUS=1", NULL, NULL));
    OK(clBuildProgram(p, 0, NULL, "-DPLUS=0", NULL, NULL));
    run_iota(p);
}

int main(void)
{
    // clang-format off
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_iota), cmocka_unit_test(test_frozen), cmocka_unit_test(test_argument_errors),
        cmocka_unit_test(test_range_errors), cmocka_unit_test(test_chosen_local_size), cmocka_unit_test(test_required_size),
        cmocka_unit_test(test_local_arguments), cmocka_unit_test(test_values_and_null), cmocka_unit_test(test_argument_info),
        cmocka_unit_test(test_queries), cmocka_unit_test(test_sub_groups), cmocka_unit_test(test_uneven_range), cmocka_unit_test(test_fault), cmocka_unit_test(test_printf), cmocka_unit_test(test_counters), cmocka_unit_test(test_suggested_size), cmocka_unit_test(test_binary),
        cmocka_unit_test(test_features), cmocka_unit_test(test_compile_and_link), cmocka_unit_test(test_link_several), cmocka_unit_test(test_arg_info_option), cmocka_unit_test(test_kernel_of_running_build), cmocka_unit_test(test_rebuild),
    };
    // clang-format on
    return cmocka_run_group_tests(tests, setup, teardown);
}
