/* Errors that the tests of single features do not meet: old functions, variants of functions, and what is wrong only in
 * a certain state of an object. What all commands have in common is in enqueue_test.c, all queries in query_test.c. */
#include "check.h"

static const cl_image_format r32 = {CL_R, CL_UNSIGNED_INT32};
static cl_program program;
static cl_kernel kernel;

static int setup(void **state)
{
    if (check_setup(state)) return -1;
    program = program_build("kernel void k(global int *a) { *a = 1; }", NULL);
    kernel = clCreateKernel(program, "k", NULL);
    return kernel ? 0 : -1;
}

static int teardown(void **state)
{
    return clReleaseKernel(kernel) || clReleaseProgram(program) || check_teardown(state);
}

static void test_queues(void **state)
{
    (void)state;
    cl_int err;
    const cl_command_queue none = (cl_command_queue)context;
    cl_command_queue_properties old = 0;
    REFUSED(CL_INVALID_CONTEXT, clCreateCommandQueue((cl_context)queue, device, 0, &err));
    REFUSED(CL_INVALID_DEVICE, clCreateCommandQueue(context, (cl_device_id)context, 0, &err));
    REFUSED(CL_INVALID_QUEUE_PROPERTIES, clCreateCommandQueue(context, device, CL_QUEUE_ON_DEVICE, &err));
    REFUSED(CL_INVALID_VALUE, clCreateCommandQueue(context, device, CL_QUEUE_ON_DEVICE_DEFAULT, &err));
    FAILS(CL_INVALID_COMMAND_QUEUE, clSetCommandQueueProperty(none, CL_QUEUE_PROFILING_ENABLE, CL_FALSE, &old));
    FAILS(CL_INVALID_OPERATION, clSetCommandQueueProperty(queue, CL_QUEUE_PROFILING_ENABLE, CL_FALSE, &old));
    assert_int_equal(old, CL_QUEUE_PROFILING_ENABLE);
    FAILS(CL_INVALID_CONTEXT, clSetDefaultDeviceCommandQueue((cl_context)queue, device, queue));
    FAILS(CL_INVALID_DEVICE, clSetDefaultDeviceCommandQueue(context, (cl_device_id)queue, queue));
    FAILS(CL_INVALID_OPERATION, clSetDefaultDeviceCommandQueue(context, device, none));
}

static void test_buffers(void **state)
{
    (void)state;
    cl_int err;
    char host[16];
    const cl_mem_properties none[] = {0};
    const cl_buffer_region region = {0, 8};
    cl_mem buffer = buffer_new(0, 16, NULL);
    cl_context wrong = (cl_context)queue;
    REFUSED(CL_INVALID_CONTEXT, clCreateBuffer(wrong, 0, 16, NULL, &err));
    REFUSED(CL_INVALID_CONTEXT, clCreateBufferWithProperties(wrong, none, 0, 16, NULL, &err));
    REFUSED(CL_INVALID_VALUE, clCreateBufferWithProperties(context, none, 1u << 30, 16, NULL, &err));
    REFUSED(CL_INVALID_BUFFER_SIZE, clCreateBufferWithProperties(context, none, 0, 0, NULL, &err));
    REFUSED(CL_INVALID_HOST_PTR, clCreateBufferWithProperties(context, none, 0, 16, host, &err));
    REFUSED(CL_INVALID_HOST_PTR, clCreateBufferWithProperties(context, none, CL_MEM_USE_HOST_PTR, 16, NULL, &err));
    REFUSED(CL_INVALID_VALUE, clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, NULL, &err));
    REFUSED(CL_INVALID_VALUE, clCreateSubBuffer(buffer, 0, 0, &region, &err));
    REFUSED(CL_INVALID_VALUE, clCreateSubBuffer(buffer, 1u << 30, CL_BUFFER_CREATE_TYPE_REGION, &region, &err));
    OK(clReleaseMemObject(buffer));
}

/* The host may neither read nor write; linear transfers are in buffer_test.c. */
static void test_rectangles(void **state)
{
    (void)state;
    char host[64];
    const size_t at[3] = {0}, region[3] = {4, 4, 1}, far[3] = {61, 0, 0}, flat[3] = {4, 4, 0};
    cl_mem shut = buffer_new(CL_MEM_HOST_NO_ACCESS, 64, NULL), open = buffer_new(0, 64, NULL);
#define RECT(name, mem, origin, size, row, slice, pointer) \
    name(queue, mem, CL_TRUE, origin, at, size, row, slice, 0, 0, pointer, 0, NULL, NULL)
#define BOTH(error, mem, origin, size, row, slice, pointer) \
    FAILS(error, RECT(clEnqueueReadBufferRect, mem, origin, size, row, slice, pointer)); \
    FAILS(error, RECT(clEnqueueWriteBufferRect, mem, origin, size, row, slice, pointer))
    BOTH(CL_INVALID_OPERATION, shut, at, region, 0, 0, host);
    BOTH(CL_INVALID_MEM_OBJECT, (cl_mem)queue, at, region, 0, 0, host);
    BOTH(CL_INVALID_VALUE, open, at, region, 0, 0, NULL);
    BOTH(CL_INVALID_VALUE, open, NULL, region, 0, 0, host);
    BOTH(CL_INVALID_VALUE, open, at, NULL, 0, 0, host);
    BOTH(CL_INVALID_VALUE, open, far, region, 0, 0, host);
    BOTH(CL_INVALID_VALUE, open, at, flat, 0, 0, host);
    BOTH(CL_INVALID_VALUE, open, at, region, 3, 0, host);    /* rows that overlap */
    BOTH(CL_INVALID_VALUE, open, at, region, 4, 8, host);    /* slices that do */
    BOTH(CL_INVALID_VALUE, open, at, region, 4, 18, host);   /* and such of no whole rows */
    BOTH(CL_INVALID_VALUE, open, at, region, 32, 128, host); /* behind the end */
    OK(clReleaseMemObject(shut));
    OK(clReleaseMemObject(open));
}

static void test_copies(void **state)
{
    (void)state;
    const size_t at[3] = {0}, region[3] = {4, 4, 1}, far[3] = {61, 0, 0}, apart[3] = {0, 8, 0};
    cl_mem a = buffer_new(0, 64, NULL), b = buffer_new(0, 64, NULL);
    FAILS(CL_INVALID_VALUE, clEnqueueCopyBuffer(queue, a, b, 61, 0, 4, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueCopyBuffer(queue, a, b, 0, 61, 4, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueCopyBuffer(queue, a, b, SIZE_MAX, 0, 4, 0, NULL, NULL));
    FAILS(CL_INVALID_MEM_OBJECT, clEnqueueCopyBuffer(queue, a, NULL, 0, 0, 4, 0, NULL, NULL));
#define COPY(source, target, from, to, size, row, slice, row2, slice2) \
    clEnqueueCopyBufferRect(queue, source, target, from, to, size, row, slice, row2, slice2, 0, NULL, NULL)
    FAILS(CL_INVALID_MEM_OBJECT, COPY(NULL, b, at, at, region, 0, 0, 0, 0));
    FAILS(CL_INVALID_VALUE, COPY(a, b, far, at, region, 0, 0, 0, 0));
    FAILS(CL_INVALID_VALUE, COPY(a, b, at, far, region, 0, 0, 0, 0));
    FAILS(CL_INVALID_VALUE, COPY(a, b, at, NULL, region, 0, 0, 0, 0));
    FAILS(CL_INVALID_VALUE, COPY(a, b, at, at, NULL, 0, 0, 0, 0));
    FAILS(CL_INVALID_VALUE, COPY(a, b, at, at, region, 3, 0, 0, 0));
    FAILS(CL_INVALID_VALUE, COPY(a, b, at, at, region, 0, 0, 0, 15));
    FAILS(CL_INVALID_VALUE, COPY(a, a, at, apart, region, 4, 16, 8, 32)); /* one buffer has one pitch */
    OK(COPY(a, a, at, apart, region, 4, 16, 4, 16));
    FAILS(CL_INVALID_MEM_OBJECT, clEnqueueFillBuffer(queue, (cl_mem)queue, at, 4, 0, 4, 0, NULL, NULL));
    FAILS(CL_INVALID_MEM_OBJECT, clEnqueueMigrateMemObjects(queue, 1, (cl_mem[]){NULL}, 0, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(queue, 1, NULL, 0, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
}

/* What OpenCL 1.1 and the function with properties refuse is what clCreateImage refuses (image_test.c). */
static void test_images(void **state)
{
    (void)state;
    cl_int err;
    char host[256];
    const cl_image_format wrong = {CL_R, 1}, absent = {CL_DEPTH_STENCIL, CL_FLOAT};
    const cl_context none = (cl_context)queue;
    const cl_image_desc good = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    cl_image_desc flat = good, wide = good;
    flat.image_height = 0;
    wide.image_width = 1 << 20;
    // clang-format off
    const struct { cl_int error; cl_context c; cl_mem_flags flags; const cl_image_format *format; const cl_image_desc *desc; void *host; } rows[] = {
        {CL_INVALID_CONTEXT, none, 0, &r32, &good, NULL},
        {CL_INVALID_VALUE, context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, &r32, &good, NULL},
        {CL_INVALID_VALUE, context, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, &r32, &good, host},
        {CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, context, 0, NULL, &good, NULL},
        {CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, context, 0, &wrong, &good, NULL},
        {CL_IMAGE_FORMAT_NOT_SUPPORTED, context, 0, &absent, &good, NULL},
        {CL_INVALID_IMAGE_DESCRIPTOR, context, 0, &r32, &flat, NULL},
        {CL_INVALID_IMAGE_SIZE, context, 0, &r32, &wide, NULL},
        {CL_INVALID_HOST_PTR, context, 0, &r32, &good, host},
        {CL_INVALID_HOST_PTR, context, CL_MEM_COPY_HOST_PTR, &r32, &good, NULL},
    };
    // clang-format on
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const cl_image_desc *d = rows[i].desc;
        const cl_int old = rows[i].error == CL_INVALID_IMAGE_DESCRIPTOR ? CL_INVALID_IMAGE_SIZE : rows[i].error;
        const cl_mem_properties list[] = {0};
#define FRONT rows[i].c, rows[i].flags, rows[i].format
        REFUSED(rows[i].error,
                clCreateImageWithProperties(rows[i].c, list, rows[i].flags, rows[i].format, d, rows[i].host, &err));
        REFUSED(old, clCreateImage2D(FRONT, d->image_width, d->image_height, 0, rows[i].host, &err));
        REFUSED(old, clCreateImage3D(FRONT, d->image_width, d->image_height, 2, 0, 0, rows[i].host, &err));
    }
    REFUSED(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImageWithProperties(context, NULL, 0, &r32, NULL, NULL, &err));
}

static void test_image_commands(void **state)
{
    (void)state;
    cl_int err;
    cl_uint host[16] = {0};
    size_t row;
    const size_t at[3] = {0}, all[3] = {4, 4, 1}, far[3] = {1, 0, 0}, deep[3] = {4, 4, 2};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    cl_mem image = clCreateImage(context, 0, &r32, &desc, NULL, &err), buffer = buffer_new(0, 64, NULL);
#define WRITE(mem, origin, size, pitch, slice, pointer) \
    clEnqueueWriteImage(queue, mem, CL_TRUE, origin, size, pitch, slice, pointer, 0, NULL, NULL)
    FAILS(CL_INVALID_MEM_OBJECT, WRITE(buffer, at, all, 0, 0, host));
    FAILS(CL_INVALID_VALUE, WRITE(image, at, all, 0, 0, NULL));
    FAILS(CL_INVALID_VALUE, WRITE(image, far, all, 0, 0, host));
    FAILS(CL_INVALID_VALUE, WRITE(image, at, deep, 0, 0, host));
    FAILS(CL_INVALID_VALUE, WRITE(image, NULL, all, 0, 0, host));
    FAILS(CL_INVALID_VALUE, WRITE(image, at, NULL, 0, 0, host));
    FAILS(CL_INVALID_VALUE, WRITE(image, at, all, 12, 0, host));
    FAILS(CL_INVALID_VALUE, WRITE(image, at, all, 0, 64, host));
    FAILS(CL_INVALID_MEM_OBJECT, clEnqueueCopyImage(queue, image, buffer, at, at, all, 0, NULL, NULL));
    FAILS(CL_INVALID_MEM_OBJECT, clEnqueueFillImage(queue, buffer, host, at, all, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueFillImage(queue, image, host, far, all, 0, NULL, NULL));
    FAILS(CL_INVALID_MEM_OBJECT, clEnqueueCopyImageToBuffer(queue, image, image, at, all, 0, 0, NULL, NULL));
    FAILS(CL_INVALID_MEM_OBJECT, clEnqueueCopyImageToBuffer(queue, buffer, buffer, at, all, 0, 0, NULL, NULL));
    FAILS(CL_INVALID_MEM_OBJECT, clEnqueueCopyBufferToImage(queue, buffer, buffer, 0, at, all, 0, NULL, NULL));
#define MAP(mem, flags, origin) \
    clEnqueueMapImage(queue, mem, CL_TRUE, flags, origin, all, &row, NULL, 0, NULL, NULL, &err)
    REFUSED(CL_INVALID_MEM_OBJECT, MAP(buffer, CL_MAP_READ, at));
    REFUSED(CL_INVALID_VALUE, MAP(image, CL_MAP_READ, far));
    REFUSED(CL_INVALID_VALUE, MAP(image, 1 << 10, at));
    REFUSED(CL_INVALID_VALUE, MAP(image, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, at));
    OK(clReleaseMemObject(image));
    OK(clReleaseMemObject(buffer));
}

static void test_events(void **state)
{
    (void)state;
    cl_int err;
    cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_event foreign = clCreateUserEvent(other, &err);
    FAILS(CL_INVALID_VALUE, clEnqueueWaitForEvents(queue, 0, &foreign));
    FAILS(CL_INVALID_VALUE, clEnqueueWaitForEvents(queue, 1, NULL));
    FAILS(CL_INVALID_CONTEXT, clEnqueueWaitForEvents(queue, 1, &foreign));
    FAILS(CL_INVALID_VALUE, clWaitForEvents(1, NULL));
    OK(clReleaseEvent(foreign));
    OK(clReleaseContext(other));
}

static void test_programs(void **state)
{
    (void)state;
    cl_int err, status;
    const char *text = "int g(void); kernel void f(global int *a) { *a = g(); }";
    const unsigned char byte = 0, *const bytes[] = {&byte};
    const size_t one = 1;
    cl_device_id wrong = (cl_device_id)queue;
    REFUSED(CL_INVALID_CONTEXT, clCreateProgramWithBuiltInKernels((cl_context)queue, 1, &device, "f", &err));
    REFUSED(CL_INVALID_DEVICE, clCreateProgramWithBuiltInKernels(context, 1, &wrong, "f", &err));
    REFUSED(CL_INVALID_VALUE, clCreateProgramWithBuiltInKernels(context, 0, NULL, "f", &err));
    REFUSED(CL_INVALID_VALUE, clCreateProgramWithBuiltInKernels(context, 1, &device, NULL, &err));
    REFUSED(CL_INVALID_DEVICE,
            clCreateProgramWithBinary(context, 1, &wrong, &one, (const unsigned char **)bytes, &status, &err));
    FAILS(CL_INVALID_PROGRAM, clSetProgramReleaseCallback((cl_program)queue, NULL, NULL));
    cl_program part = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    REFUSED(CL_INVALID_OPERATION, clLinkProgram(context, 0, NULL, NULL, 1, &part, NULL, NULL, &err));
    fake_compiler("exit 3");
    FAILS(CL_COMPILER_NOT_AVAILABLE, clCompileProgram(part, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    fake_compiler(NULL);
    OK(clCompileProgram(part, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
#define LINK(options, count, list) clLinkProgram(context, 0, NULL, options, count, list, NULL, NULL, &err)
    REFUSED(CL_INVALID_VALUE, LINK(NULL, 0, &part));
    REFUSED(CL_INVALID_VALUE, LINK(NULL, 1, NULL));
    REFUSED(CL_INVALID_LINKER_OPTIONS, LINK("-enable-link-options", 1, &part)); /* of libraries */
    REFUSED(CL_INVALID_LINKER_OPTIONS, LINK("-cl-mad-enable", 1, &part));
    cl_program library = LINK("-create-library -enable-link-options", 1, &part);
    OK(err);
    cl_program broken = LINK("-cl-no-signed-zeroes -cl-fast-relaxed-math", 1, &part);
    assert_int_equal(err, CL_LINK_PROGRAM_FAILURE); /* there is no g */
    FAILS(CL_INVALID_BINARY, clBuildProgram(broken, 0, NULL, NULL, NULL, NULL));
    FAILS(CL_INVALID_OPERATION, clCompileProgram(library, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    cl_program list[] = {part, library, broken};
    for (int i = 0; i < 3; i++) OK(clReleaseProgram(list[i]));
}

/* Once the device is full, a launch that needs more of it is refused. */
static void test_launches(void **state)
{
    (void)state;
    enum { MANY = 64 };
    cl_mem mems[MANY];
    const size_t one = 1;
    const cl_ulong most = QUERY(cl_ulong, clGetDeviceInfo, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    cl_int err = CL_SUCCESS;
    int n = 0;
    FAILS(CL_INVALID_KERNEL_ARGS, clEnqueueTask(queue, kernel, 0, NULL, NULL));
    for (; n < MANY && !err; n++) {
        mems[n] = buffer_new(0, most, NULL);
        OK(clSetKernelArg(kernel, 0, sizeof mems[n], &mems[n]));
        err = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
    }
    assert_int_equal(err, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    OK(clFinish(queue));
    while (n--) OK(clReleaseMemObject(mems[n]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queues), cmocka_unit_test(test_buffers),  cmocka_unit_test(test_rectangles),
        cmocka_unit_test(test_copies), cmocka_unit_test(test_images),   cmocka_unit_test(test_image_commands),
        cmocka_unit_test(test_events), cmocka_unit_test(test_programs), cmocka_unit_test(test_launches),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
