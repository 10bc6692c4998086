/* Launches in command buffers that change between enqueuings: what may change, what comes of it, what is refused. What
 * needs shared virtual memory is in svm_test.c. */
#include <pthread.h>

#include "command_buffer.h"

typedef cl_mutable_command_khr mutable;
typedef struct mutable_dispatch_config config;

enum { N = 64, ALL_FIELDS = 15 };
static const size_t items = N, half = N / 2, one = 1;

static cl_program program;

static int setup(void **state)
{
    setenv("VENTUS_SVM", "0", 1); /* what is refused then; svm_test.c has the rest */
    if (command_buffer_setup(state)) return -1;
    program = program_build(
        "kernel void add(global int *p, int n) { p[get_global_id(0)] += n; }\n"
        "kernel void shape(global uint *p) {\n"
        "    p[0] = get_global_offset(0); p[1] = get_global_size(0); p[2] = get_local_size(0);\n"
        "    p[3] = get_global_offset(1); p[4] = get_global_size(1); p[5] = get_local_size(1);\n"
        "}\n"
        "kernel void wait(global int *p, int n) { while (atomic_or(p, 0) == 0) {} p[1] = n; }\n"
        "kernel void pass(global int *p) { atomic_xchg(p, 1); }\n"
        "kernel void look(global uint *p, local uint *s, read_only image1d_t image, sampler_t how, uint n) {\n"
        "    s[n] = n; *p = s[n] + read_imageui(image, how, 100).x;\n"
        "}\n",
        NULL);
    return 0;
}

static int teardown(void **state)
{
    OK(clReleaseProgram(program));
    return check_teardown(state);
}

/* ---- short forms ---- */

static commands buffer_with(cl_properties flags)
{
    cl_int err;
    const cl_properties list[] = {CL_COMMAND_BUFFER_FLAGS_KHR, flags, 0};
    commands c = p_clCreateCommandBufferKHR(1, &queue, list, &err);
    OK(err);
    return c;
}

static commands changeable(void) { return buffer_with(CL_COMMAND_BUFFER_MUTABLE_KHR); }

static cl_mem numbers(int value)
{
    int all[N];
    for (int i = 0; i < N; i++) all[i] = value;
    return buffer_new(CL_MEM_COPY_HOST_PTR, sizeof all, all);
}

static int number(cl_mem mem, size_t at)
{
    int value;
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, at * 4, 4, &value, 0, NULL, NULL));
    return value;
}

static cl_kernel kernel_new(const char *name, const cl_mem *mem, const int *n)
{
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, name, &err);
    OK(err);
    if (mem) OK(clSetKernelArg(kernel, 0, sizeof *mem, mem));
    if (n) OK(clSetKernelArg(kernel, 1, sizeof *n, n));
    return kernel;
}

/* Records a launch of `kernel`, whose `fields` (0: all) may change; the kernel object goes. */
static mutable record(commands c, cl_kernel kernel, cl_ulong fields, cl_uint dim, const size_t *global,
                      const size_t *local)
{
    mutable m = NULL;
    const cl_properties list[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, fields, 0};
    OK(p_clCommandNDRangeKernelKHR(c, NULL, fields ? list : NULL, kernel, dim, NULL, global, local, 0, NULL, NULL, &m));
    OK(clReleaseKernel(kernel));
    return m;
}

static mutable record_add(commands c, cl_mem mem, int n)
{
    return record(c, kernel_new("add", &mem, &n), 0, 1, &items, NULL);
}

static cl_int update(commands c, const config *what)
{
    const cl_uint type = MUTABLE_DISPATCH_CONFIG;
    return p_clUpdateMutableCommandsKHR(c, 1, &type, (const void **)&what);
}

static void enqueue(commands c) { OK(p_clEnqueueCommandBufferKHR(0, NULL, c, 0, NULL, NULL)); }

static cl_int set_number(commands c, mutable m, int n)
{
    const cl_mutable_dispatch_arg_khr arg = {1, sizeof n, &n};
    return update(c, &(config){.command = m, .num_args = 1, .arg_list = &arg});
}

/* ---- what changes ---- */

static void test_device(void **state)
{
    (void)state;
    cl_name_version list[100];
    size_t size, i = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS_WITH_VERSION, sizeof list, list, &size));
    while (i < size / sizeof *list && strcmp(list[i].name, "cl_khr_command_buffer_mutable_dispatch")) i++;
    assert_int_equal(list[i].version, CL_MAKE_VERSION(0, 9, 5));
    assert_int_equal(QUERY(cl_ulong, clGetDeviceInfo, device, CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR), ALL_FIELDS);
}

/* What is not named stays, and the client's kernel too. */
static void test_arguments(void **state)
{
    (void)state;
    cl_mem a = numbers(0), b = numbers(0);
    const int three = 3, five = 5;
    commands c = changeable();
    cl_kernel add = kernel_new("add", &a, &three);
    OK(clRetainKernel(add));
    mutable m = record(c, add, 0, 1, &items, NULL), other = record_add(c, b, 100);
    OK(p_clFinalizeCommandBufferKHR(c));
    enqueue(c);
    OK(set_number(c, m, 10));
    enqueue(c);
    const cl_mutable_dispatch_arg_khr both[] = {{0, sizeof b, &b}, {1, sizeof five, &five}};
    OK(update(c, &(config){.command = m, .num_args = 2, .work_dim = 1, .arg_list = both}));
    OK(set_number(c, other, 1000));
    enqueue(c);
    OK(clEnqueueNDRangeKernel(queue, add, 1, NULL, &items, NULL, 0, NULL, NULL)); /* with its own arguments */
    for (size_t i = 0; i < N; i += N - 1) {
        assert_int_equal(number(a, i), 3 + 10 + 3);
        assert_int_equal(number(b, i), 100 + 100 + 5 + 1000);
    }
    OK(clReleaseKernel(add));
    OK(p_clReleaseCommandBufferKHR(c));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
}

static cl_mem pixel(cl_uint value)
{
    cl_int err;
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 1};
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
    cl_mem image = clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &desc, &value, &err);
    OK(err);
    return image;
}

/* Local memory that grows, another image, and a sampler that shows its edge instead of the border. */
static void test_other_arguments(void **state)
{
    (void)state;
    cl_mem mem = numbers(-1), images[] = {pixel(7), pixel(8)};
    cl_sampler samplers[] = {clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, NULL),
                             clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, NULL)};
    const cl_uint zero = 0, far = 900;
    cl_kernel look = kernel_new("look", &mem, NULL);
    OK(clSetKernelArg(look, 1, 4, NULL));
    OK(clSetKernelArg(look, 2, sizeof *images, &images[0]));
    OK(clSetKernelArg(look, 3, sizeof *samplers, &samplers[0]));
    OK(clSetKernelArg(look, 4, sizeof zero, &zero));
    commands c = changeable();
    mutable m = record(c, look, 0, 1, &one, NULL);
    OK(p_clFinalizeCommandBufferKHR(c));
    enqueue(c);
    assert_int_equal(number(mem, 0), 0);
    const cl_mutable_dispatch_arg_khr args[] = {{1, 4 * (far + 1), NULL},
                                                {2, sizeof *images, &images[1]},
                                                {3, sizeof *samplers, &samplers[1]},
                                                {4, sizeof far, &far}};
    OK(update(c, &(config){.command = m, .num_args = 4, .arg_list = args}));
    enqueue(c);
    assert_int_equal(number(mem, 0), 908);
    OK(p_clReleaseCommandBufferKHR(c));
    for (int i = 0; i < 2; i++) OK(clReleaseSampler(samplers[i]));
    for (int i = 0; i < 2; i++) OK(clReleaseMemObject(images[i]));
    OK(clReleaseMemObject(mem));
}

static void shape_is(commands c, cl_mem mem, const cl_uint want[6])
{
    cl_uint got[6];
    enqueue(c);
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    assert_memory_equal(got, want, sizeof got);
}

/* And nothing but them; a local size that was never given is chosen again. */
static void test_sizes(void **state)
{
    (void)state;
    const size_t global[] = {8, 4}, offset[] = {3, 5}, wide[] = {16, 2}, local[] = {2, 2}, none[] = {0, 0};
    cl_mem mem = numbers(0);
    commands c = changeable();
    mutable m = record(c, kernel_new("shape", &mem, NULL), 0, 2, global, NULL);
    OK(p_clFinalizeCommandBufferKHR(c));
    shape_is(c, mem, (cl_uint[]){0, 8, 8, 0, 4, 4});
    OK(update(c, &(config){.command = m, .global_work_offset = offset}));
    shape_is(c, mem, (cl_uint[]){3, 8, 8, 5, 4, 4});
    OK(update(c, &(config){.command = m, .work_dim = 2, .global_work_size = wide}));
    shape_is(c, mem, (cl_uint[]){3, 16, 16, 5, 2, 2});
    OK(update(c, &(config){.command = m, .local_work_size = local}));
    shape_is(c, mem, (cl_uint[]){3, 16, 2, 5, 2, 2});
    OK(update(c, &(config){.command = m, .global_work_size = global, .global_work_offset = none}));
    shape_is(c, mem, (cl_uint[]){0, 8, 2, 0, 4, 2});
    OK(update(c, &(config){.command = m, .global_work_size = none})); /* nothing runs */
    OK(clEnqueueFillBuffer(queue, mem, "\0", 1, 0, 24, 0, NULL, NULL));
    shape_is(c, mem, (cl_uint[6]){0});
    OK(update(c, &(config){.command = m, .global_work_size = wide}));
    shape_is(c, mem, (cl_uint[]){0, 16, 2, 0, 2, 2});
    OK(p_clReleaseCommandBufferKHR(c));
    OK(clReleaseMemObject(mem));
}

/* Several in one call, one of them twice; or none of them when one is wrong. */
static void test_together(void **state)
{
    (void)state;
    cl_mem a = numbers(0), b = numbers(0);
    commands c = changeable();
    mutable first = record_add(c, a, 1), second = record_add(c, b, 10);
    OK(p_clFinalizeCommandBufferKHR(c));
    const int two = 2, twenty = 20;
    const cl_mutable_dispatch_arg_khr arg_two = {1, 4, &two}, arg_twenty = {1, 4, &twenty}, wrong = {1, 8, &two};
    config x = {.command = first, .num_args = 1, .arg_list = &arg_two},
           y = {.command = second, .num_args = 1, .arg_list = &arg_twenty},
           z = {.command = first, .global_work_size = &half};
    const void *list[] = {&x, &y, &z};
    const cl_uint types[3] = {0};
    OK(p_clUpdateMutableCommandsKHR(c, 3, types, list));
    enqueue(c);
    assert_int_equal(number(a, 0), 2);
    assert_int_equal(number(a, N - 1), 0);
    assert_int_equal(number(b, N - 1), 20);
    x.arg_list = &arg_twenty;
    y.arg_list = &wrong;
    FAILS(CL_INVALID_ARG_SIZE, p_clUpdateMutableCommandsKHR(c, 2, types, list));
    enqueue(c);
    assert_int_equal(number(a, 0), 4);
    assert_int_equal(number(b, 0), 40);
    OK(p_clUpdateMutableCommandsKHR(c, 0, NULL, NULL));
    OK(p_clReleaseCommandBufferKHR(c));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
}

/* What is in flight stays as it was enqueued. */
static void test_in_flight(void **state)
{
    (void)state;
    cl_int err;
    cl_mem mem = numbers(0), sum = numbers(0);
    const int n = 1;
    cl_kernel pass = kernel_new("pass", &mem, NULL); /* of words that a kernel waits for, the host must keep away */
    commands c = buffer_with(CL_COMMAND_BUFFER_MUTABLE_KHR | CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
    cl_event gate = clCreateUserEvent(context, &err);
    mutable first = record(c, kernel_new("wait", &mem, &n), 0, 1, &one, NULL), second = record_add(c, sum, 1);
    OK(p_clFinalizeCommandBufferKHR(c));
    OK(p_clEnqueueCommandBufferKHR(0, NULL, c, 1, &gate, NULL));
    OK(set_number(c, first, 2));
    OK(set_number(c, second, 10));
    enqueue(c);
    cl_command_queue other = clCreateCommandQueue(context, device, 0, &err);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clEnqueueNDRangeKernel(other, pass, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clFlush(other));
    OK(clFinish(queue));
    assert_int_equal(number(mem, 1), 2);
    assert_int_equal(number(sum, 5), 11);
    OK(clReleaseKernel(pass));
    OK(clReleaseCommandQueue(other));
    OK(clReleaseEvent(gate));
    OK(p_clReleaseCommandBufferKHR(c));
    OK(clReleaseMemObject(mem));
    OK(clReleaseMemObject(sum));
}

enum { ROUNDS = 100 };

static void *enqueue_all(void *c)
{
    for (int i = 0; i < ROUNDS; i++)
        if (p_clEnqueueCommandBufferKHR(0, NULL, c, 0, NULL, NULL)) return c;
    return NULL;
}

/* Each enqueuing has both changes of an update or none, whatever another thread does. */
static void test_threads(void **state)
{
    (void)state;
    cl_mem a = numbers(0), b = numbers(0);
    void *failed;
    pthread_t thread;
    commands c = changeable();
    mutable first = record_add(c, a, 1), second = record_add(c, b, 1);
    OK(p_clFinalizeCommandBufferKHR(c));
    assert_int_equal(pthread_create(&thread, NULL, enqueue_all, c), 0);
    for (int i = 0; i < ROUNDS; i++) {
        const int n = i % 7;
        const cl_mutable_dispatch_arg_khr arg = {1, sizeof n, &n};
        const config x = {.command = first, .num_args = 1, .arg_list = &arg},
                     y = {.command = second, .num_args = 1, .arg_list = &arg};
        OK(p_clUpdateMutableCommandsKHR(c, 2, (const cl_uint[2]){0}, (const void *[]){&x, &y}));
    }
    assert_int_equal(pthread_join(thread, &failed), 0);
    assert_null(failed);
    assert_int_equal(number(a, 0), number(b, N - 1));
    OK(p_clReleaseCommandBufferKHR(c));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
}

/* Arguments may be missing until the first enqueuing. */
static void test_missing_arguments(void **state)
{
    (void)state;
    cl_mem mem = numbers(1);
    const int n = 4;
    commands c = changeable(), fixed = buffer_on(queue);
    cl_kernel add = kernel_new("add", NULL, &n);
    OK(clRetainKernel(add));
    mutable m = record(c, add, 0, 1, &items, NULL);
    const cl_properties sizes_only[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR,
                                        0};
    mutable none = NULL;
#define RECORD(c, list, handle) \
    p_clCommandNDRangeKernelKHR(c, NULL, list, add, 1, NULL, &items, NULL, 0, NULL, NULL, handle)
    FAILS(CL_INVALID_KERNEL_ARGS, RECORD(c, sizes_only, &none));
    FAILS(CL_INVALID_KERNEL_ARGS, RECORD(c, NULL, NULL)); /* nobody could set them */
    FAILS(CL_INVALID_KERNEL_ARGS, RECORD(fixed, NULL, &none));
    assert_null(none);
    OK(p_clFinalizeCommandBufferKHR(c));
    assert_int_equal(QUERY(cl_uint, p_clGetCommandBufferInfoKHR, c, CL_COMMAND_BUFFER_STATE_KHR),
                     CL_COMMAND_BUFFER_STATE_FINALIZED_KHR);
    FAILS(CL_INVALID_OPERATION, p_clEnqueueCommandBufferKHR(0, NULL, c, 0, NULL, NULL));
    OK(set_number(c, m, 5));
    FAILS(CL_INVALID_OPERATION, p_clEnqueueCommandBufferKHR(0, NULL, c, 0, NULL, NULL));
    const cl_mutable_dispatch_arg_khr arg = {0, sizeof mem, &mem};
    OK(update(c, &(config){.command = m, .num_args = 1, .arg_list = &arg}));
    assert_int_equal(QUERY(cl_uint, p_clGetCommandBufferInfoKHR, c, CL_COMMAND_BUFFER_STATE_KHR),
                     CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    enqueue(c);
    assert_int_equal(number(mem, N - 1), 6);
    OK(clReleaseKernel(add));
    OK(p_clReleaseCommandBufferKHR(c));
    OK(p_clReleaseCommandBufferKHR(fixed));
    OK(clReleaseMemObject(mem));
}

static int ngone;

static void CL_CALLBACK on_gone(cl_mem mem, void *data)
{
    (void)mem, (void)data;
    ngone++;
}

/* The buffer keeps what its launches use, and lets go of what they use no longer. */
static void test_lifetime(void **state)
{
    (void)state;
    const int n = 7;
    cl_mem old = numbers(0), new = numbers(0);
    commands c = changeable();
    cl_kernel add = kernel_new("add", &old, &n);
    mutable m = record(c, add, 0, 1, &items, NULL);
    OK(p_clFinalizeCommandBufferKHR(c));
    assert_ptr_equal(QUERY(cl_kernel, p_clGetMutableCommandInfoKHR, m, CL_MUTABLE_DISPATCH_KERNEL_KHR), add);
    OK(clSetMemObjectDestructorCallback(old, on_gone, NULL));
    OK(clReleaseMemObject(old));
    OK(set_number(c, m, 9));
    enqueue(c);
    OK(clFinish(queue));
    assert_int_equal(ngone, 0);
    const cl_mutable_dispatch_arg_khr arg = {0, sizeof new, &new};
    OK(update(c, &(config){.command = m, .num_args = 1, .arg_list = &arg}));
    assert_int_equal(ngone, 1);
    enqueue(c);
    OK(p_clReleaseCommandBufferKHR(c));
    assert_int_equal(number(new, 0), 9);
    OK(clReleaseMemObject(new));
}

/* ---- queries ---- */

static void three_sizes(mutable m, cl_uint param, size_t x, size_t y)
{
    size_t got[3] = {99, 99, 99}, size;
    OK(p_clGetMutableCommandInfoKHR(m, param, sizeof got, got, &size));
    assert_int_equal(size, 2 * sizeof *got);
    assert_true(got[0] == x && got[1] == y && got[2] == 99);
    FAILS(CL_INVALID_VALUE, p_clGetMutableCommandInfoKHR(m, param, sizeof *got, got, NULL));
}

static void test_info(void **state)
{
    (void)state;
    const size_t global[] = {8, 4}, offset[] = {3, 5}, local[] = {4, 2};
    cl_properties got[6];
    size_t size;
    cl_mem mem = numbers(0);
    commands c = changeable();
    mutable m = record(c, kernel_new("shape", &mem, NULL), ALL_FIELDS, 2, global, NULL);
    assert_ptr_equal(QUERY(cl_command_queue, p_clGetMutableCommandInfoKHR, m, CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR),
                     queue);
    assert_ptr_equal(QUERY(commands, p_clGetMutableCommandInfoKHR, m, CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR), c);
    assert_int_equal(QUERY(cl_command_type, p_clGetMutableCommandInfoKHR, m, CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR),
                     CL_COMMAND_NDRANGE_KERNEL);
    assert_int_equal(QUERY(cl_uint, p_clGetMutableCommandInfoKHR, m, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR), 2);
    OK(p_clGetMutableCommandInfoKHR(m, CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR, sizeof got, got, &size));
    assert_int_equal(size, 3 * sizeof *got);
    assert_true(got[0] == CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR && got[1] == ALL_FIELDS && got[2] == 0);
    three_sizes(m, CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR, 0, 0);
    three_sizes(m, CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR, 8, 4);
    three_sizes(m, CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR, 0, 0);
    OK(p_clFinalizeCommandBufferKHR(c));
    OK(update(c, &(config){.command = m, .global_work_offset = offset, .local_work_size = local}));
    three_sizes(m, CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR, 3, 5);
    three_sizes(m, CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR, 8, 4);
    three_sizes(m, CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR, 4, 2);
    FAILS(CL_INVALID_VALUE, p_clGetMutableCommandInfoKHR(m, 0x12A8, sizeof got, got, NULL));
    FAILS(CL_INVALID_MUTABLE_COMMAND_KHR, p_clGetMutableCommandInfoKHR(NULL, 0x12A0, sizeof got, got, NULL));
    FAILS(CL_INVALID_MUTABLE_COMMAND_KHR, p_clGetMutableCommandInfoKHR((mutable)c, 0x12A0, sizeof got, got, NULL));
    OK(p_clReleaseCommandBufferKHR(c));
    c = buffer_on(queue); /* a handle there only answers */
    m = record_add(c, mem, 1);
    OK(p_clGetMutableCommandInfoKHR(m, CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR, 0, NULL, &size));
    assert_int_equal(size, 0);
    OK(p_clFinalizeCommandBufferKHR(c));
    FAILS(CL_INVALID_OPERATION, set_number(c, m, 2));
    OK(p_clReleaseCommandBufferKHR(c));
    OK(clReleaseMemObject(mem));
}

/* ---- errors ---- */

static void test_properties(void **state)
{
    (void)state;
    cl_int err;
    enum { FIELDS = CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, ASSERTS = CL_MUTABLE_DISPATCH_ASSERTS_KHR };
    cl_mem mem = numbers(0);
    const int n = 1;
    const cl_properties buffers[][5] = {{CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR, 2, 0},
                                        {CL_COMMAND_BUFFER_FLAGS_KHR, 2, CL_COMMAND_BUFFER_FLAGS_KHR, 2, 0}};
    const cl_properties asserted[] = {CL_COMMAND_BUFFER_FLAGS_KHR, 2, CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR, 1,
                                      0};
    const struct {
        cl_int with_local, without;
        cl_properties list[5];
    } rows[] = {
        {CL_SUCCESS, CL_SUCCESS, {0}},
        {CL_SUCCESS, CL_SUCCESS, {FIELDS, ALL_FIELDS, ASSERTS, 0, 0}},
        {CL_SUCCESS, CL_INVALID_VALUE, {ASSERTS, 1, 0}},
        {CL_INVALID_VALUE, CL_INVALID_VALUE, {FIELDS, 1, FIELDS, 1, 0}},
        {CL_INVALID_VALUE, CL_INVALID_VALUE, {FIELDS, 32, 0}},
        {CL_INVALID_OPERATION, CL_INVALID_OPERATION, {FIELDS, CL_MUTABLE_DISPATCH_EXEC_INFO_KHR, 0}}, /* is not there */
        {CL_INVALID_VALUE, CL_INVALID_VALUE, {ASSERTS, 2, 0}},
        {CL_INVALID_VALUE, CL_INVALID_VALUE, {CL_COMMAND_BUFFER_FLAGS_KHR, 0, 0}},
    };
    for (int i = 0; i < 2; i++) REFUSED(CL_INVALID_VALUE, p_clCreateCommandBufferKHR(1, &queue, buffers[i], &err));
    commands c = changeable(), strict = p_clCreateCommandBufferKHR(1, &queue, asserted, &err);
    OK(err);
    cl_kernel add = kernel_new("add", &mem, &n);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int handles = 0; handles < 2; handles++) {
            mutable m, *where = handles ? &m : NULL;
#define LAUNCH(c, list, dim, local) \
    p_clCommandNDRangeKernelKHR(c, NULL, list, add, dim, NULL, &items, local, 0, NULL, NULL, where)
            FAILS(rows[i].with_local, LAUNCH(c, rows[i].list, 1, &one));
            FAILS(rows[i].without, LAUNCH(c, rows[i].list, 1, NULL));
            FAILS(CL_INVALID_WORK_DIMENSION, LAUNCH(c, NULL, 4, NULL));
            FAILS(CL_INVALID_VALUE, LAUNCH(strict, NULL, 1, NULL));
            OK(LAUNCH(strict, NULL, 1, &one));
        }
    OK(clReleaseKernel(add));
    OK(p_clReleaseCommandBufferKHR(c));
    OK(p_clReleaseCommandBufferKHR(strict));
    OK(clReleaseMemObject(mem));
}

static void test_update_errors(void **state)
{
    (void)state;
    cl_mem mem = numbers(0);
    const int n = 1;
    const cl_uint good = 0, bad = 1;
    const size_t odd = 3, huge = (size_t)1 << 40;
    const cl_mutable_dispatch_arg_khr arg = {1, sizeof n, &n}, far = {2, sizeof n, &n},
                                      wrong_mem = {0, sizeof mem, &queue};
    commands c = changeable(), other = changeable();
    mutable m = record_add(c, mem, 1), foreign = record_add(other, mem, 1);
    const struct {
        cl_int error;
        config what;
    } rows[] = {
        {CL_INVALID_MUTABLE_COMMAND_KHR, {.command = NULL}},
        {CL_INVALID_MUTABLE_COMMAND_KHR, {.command = (mutable)c}},
        {CL_INVALID_MUTABLE_COMMAND_KHR, {.command = foreign}},
        {CL_INVALID_OPERATION, {.command = m, .work_dim = 2}},
        {CL_INVALID_OPERATION, {.command = m, .num_exec_infos = 1}},
        {CL_INVALID_OPERATION, {.command = m, .num_exec_infos = 1, .exec_info_list = (const void *)&arg}},
        {CL_INVALID_VALUE, {.command = m, .num_args = 1}},
        {CL_INVALID_VALUE, {.command = m, .arg_list = &arg}},
        {CL_INVALID_VALUE, {.command = m, .num_svm_args = 1}},
        {CL_INVALID_VALUE, {.command = m, .arg_svm_list = &arg}},
        {CL_INVALID_VALUE, {.command = m, .exec_info_list = (const void *)&arg}},
        {CL_INVALID_OPERATION, {.command = m, .num_svm_args = 1, .arg_svm_list = &arg}}, /* there is no such memory */
        {CL_INVALID_ARG_INDEX, {.command = m, .num_args = 1, .arg_list = &far}},
        {CL_INVALID_MEM_OBJECT, {.command = m, .num_args = 1, .arg_list = &wrong_mem}},
        {CL_INVALID_WORK_GROUP_SIZE, {.command = m, .local_work_size = &odd}},
        {CL_INVALID_WORK_ITEM_SIZE, {.command = m, .local_work_size = &huge}},
        {CL_INVALID_GLOBAL_WORK_SIZE, {.command = m, .global_work_size = &huge}},
        {CL_INVALID_GLOBAL_OFFSET, {.command = m, .global_work_offset = &huge}},
    };
    const void *whole[] = {&rows[3].what}, *none[] = {NULL};
    FAILS(CL_INVALID_COMMAND_BUFFER_KHR, p_clUpdateMutableCommandsKHR(NULL, 0, NULL, NULL));
    FAILS(CL_INVALID_OPERATION, set_number(c, m, 2)); /* it is still recorded */
    OK(p_clFinalizeCommandBufferKHR(c));
    FAILS(CL_INVALID_VALUE, p_clUpdateMutableCommandsKHR(c, 1, NULL, whole));
    FAILS(CL_INVALID_VALUE, p_clUpdateMutableCommandsKHR(c, 1, &good, NULL));
    FAILS(CL_INVALID_VALUE, p_clUpdateMutableCommandsKHR(c, 0, &good, NULL));
    FAILS(CL_INVALID_VALUE, p_clUpdateMutableCommandsKHR(c, 0, NULL, whole));
    FAILS(CL_INVALID_VALUE, p_clUpdateMutableCommandsKHR(c, 1, &bad, whole));
    FAILS(CL_INVALID_VALUE, p_clUpdateMutableCommandsKHR(c, 1, &good, none));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) FAILS(rows[i].error, update(c, &rows[i].what));
    enqueue(c);
    assert_int_equal(number(mem, 0), 1); /* as it was recorded */
    OK(p_clReleaseCommandBufferKHR(c));
    OK(p_clReleaseCommandBufferKHR(other));
    OK(clReleaseMemObject(mem));
}

/* What may not change is refused, field by field; all else is taken. */
static void test_fields(void **state)
{
    (void)state;
    const int n = 1;
    cl_mem mem = numbers(0);
    const cl_mutable_dispatch_arg_khr arg = {1, sizeof n, &n};
    const size_t zero = 0;
    for (cl_ulong fields = 1; fields < 16; fields++) {
        commands c = changeable();
        mutable m = record(c, kernel_new("add", &mem, &n), fields, 1, &items, &one);
        OK(p_clFinalizeCommandBufferKHR(c));
        const config rows[] = {{.command = m, .global_work_offset = &zero},
                               {.command = m, .global_work_size = &half},
                               {.command = m, .local_work_size = &one},
                               {.command = m, .num_args = 1, .arg_list = &arg}};
        for (int i = 0; i < 4; i++) FAILS(fields >> i & 1 ? CL_SUCCESS : CL_INVALID_OPERATION, update(c, &rows[i]));
        OK(p_clReleaseCommandBufferKHR(c));
    }
    OK(clReleaseMemObject(mem));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device),     cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_sizes),      cmocka_unit_test(test_other_arguments),
        cmocka_unit_test(test_together),   cmocka_unit_test(test_in_flight),
        cmocka_unit_test(test_threads),    cmocka_unit_test(test_missing_arguments),
        cmocka_unit_test(test_lifetime),   cmocka_unit_test(test_info),
        cmocka_unit_test(test_properties), cmocka_unit_test(test_update_errors),
        cmocka_unit_test(test_fields),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
