/* Command buffers as objects: their life, queries, and what may not be recorded or enqueued. What they do is tested in
 * replay_test.c. */
#include "command_buffer.h"

static cl_context elsewhere; /* another one, with a queue and objects */
static cl_command_queue other_queue;
static cl_mem a, b, foreign, image, foreign_image;
static cl_kernel kernel, foreign_kernel, unset;

static cl_mem image_of(cl_context c)
{
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    cl_int err;
    cl_mem mem = clCreateImage(c, 0, &format, &desc, NULL, &err);
    OK(err);
    return mem;
}

/* With its arguments set if there is a buffer. */
static cl_kernel kernel_of(cl_context c, cl_mem mem)
{
    const char *source = "kernel void f(global int *p, int n) { p[get_global_id(0)] = n; }";
    const int n = 1;
    cl_int err;
    cl_program program = clCreateProgramWithSource(c, 1, &source, NULL, &err);
    OK(clBuildProgram(program, 1, &device, NULL, NULL, NULL));
    cl_kernel k = clCreateKernel(program, "f", &err);
    OK(err);
    if (mem) {
        OK(clSetKernelArg(k, 0, sizeof mem, &mem));
        OK(clSetKernelArg(k, 1, sizeof n, &n));
    }
    OK(clReleaseProgram(program));
    return k;
}

static int setup(void **state)
{
    cl_int err;
    setenv("VENTUS_SVM", "0", 1); /* what is refused then; svm_test.c has the rest */
    if (command_buffer_setup(state)) return -1;
    elsewhere = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    other_queue = clCreateCommandQueue(elsewhere, device, 0, &err);
    a = buffer_new(0, 64, NULL);
    b = buffer_new(0, 64, NULL);
    foreign = clCreateBuffer(elsewhere, 0, 64, NULL, &err);
    image = image_of(context);
    foreign_image = image_of(elsewhere);
    kernel = kernel_of(context, a);
    foreign_kernel = kernel_of(elsewhere, foreign);
    unset = kernel_of(context, NULL);
    return err;
}

static int teardown(void **state)
{
    const cl_mem mems[] = {a, b, foreign, image, foreign_image};
    const cl_kernel kernels[] = {kernel, foreign_kernel, unset};
    for (int i = 0; i < 5; i++) OK(clReleaseMemObject(mems[i]));
    for (int i = 0; i < 3; i++) OK(clReleaseKernel(kernels[i]));
    OK(clReleaseCommandQueue(other_queue));
    OK(clReleaseContext(elsewhere));
    return check_teardown(state);
}

static void test_device(void **state)
{
    (void)state;
    char names[4096];
    cl_name_version list[100];
    size_t size;
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    assert_non_null(strstr(names, "cl_khr_command_buffer"));
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS_WITH_VERSION, sizeof list, list, &size));
    size_t i = 0;
    while (i < size / sizeof *list && strcmp(list[i].name, "cl_khr_command_buffer")) i++;
    assert_int_equal(list[i].version, CL_MAKE_VERSION(0, 9, 8));
    assert_int_equal(QUERY(cl_ulong, clGetDeviceInfo, device, CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR),
                     CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR |
                         CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR);
    assert_int_equal(QUERY(cl_ulong, clGetDeviceInfo, device, CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR),
                     0);
    assert_int_equal(QUERY(cl_ulong, clGetDeviceInfo, device, CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR),
                     QUERY(cl_ulong, clGetDeviceInfo, device, CL_DEVICE_QUEUE_ON_HOST_PROPERTIES));
    assert_null(clGetExtensionFunctionAddressForPlatform(platform, "clCommandNothingKHR"));
}

static void test_create(void **state)
{
    (void)state;
    cl_int err;
    const cl_command_queue two[] = {queue, queue}, none[] = {NULL};
    const cl_properties repeated[] = {CL_COMMAND_BUFFER_FLAGS_KHR, 1, CL_COMMAND_BUFFER_FLAGS_KHR, 1, 0};
    const cl_properties unknown[] = {CL_QUEUE_PROPERTIES, 0, 0};
    const cl_properties wrong[] = {CL_COMMAND_BUFFER_FLAGS_KHR, (cl_properties)-1, 0};
    REFUSED(CL_INVALID_VALUE, p_clCreateCommandBufferKHR(0, &queue, NULL, &err));
    REFUSED(CL_INVALID_VALUE, p_clCreateCommandBufferKHR(2, two, NULL, &err));
    REFUSED(CL_INVALID_VALUE, p_clCreateCommandBufferKHR(1, NULL, NULL, &err));
    REFUSED(CL_INVALID_COMMAND_QUEUE, p_clCreateCommandBufferKHR(1, none, NULL, &err));
    REFUSED(CL_INVALID_VALUE, p_clCreateCommandBufferKHR(1, &queue, repeated, &err));
    REFUSED(CL_INVALID_VALUE, p_clCreateCommandBufferKHR(1, &queue, unknown, &err));
    REFUSED(CL_INVALID_VALUE, p_clCreateCommandBufferKHR(1, &queue, wrong, &err));
    const cl_properties absent[] = {CL_COMMAND_BUFFER_FLAGS_KHR, 4 | 1, 0}; /* of an extension that is not there */
    REFUSED(CL_INVALID_PROPERTY, p_clCreateCommandBufferKHR(1, &queue, absent, &err));
    assert_null(p_clCreateCommandBufferKHR(1, NULL, NULL, NULL));
}

static void test_references(void **state)
{
    (void)state;
    commands c = buffer_on(queue);
    assert_int_equal(QUERY(cl_uint, p_clGetCommandBufferInfoKHR, c, CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR), 1);
    OK(p_clRetainCommandBufferKHR(c));
    assert_int_equal(QUERY(cl_uint, p_clGetCommandBufferInfoKHR, c, CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR), 2);
    OK(p_clReleaseCommandBufferKHR(c));
    OK(p_clReleaseCommandBufferKHR(c));
    commands wrong[] = {NULL, (commands)queue};
    for (int i = 0; i < 2; i++) {
        FAILS(CL_INVALID_COMMAND_BUFFER_KHR, p_clRetainCommandBufferKHR(wrong[i]));
        FAILS(CL_INVALID_COMMAND_BUFFER_KHR, p_clReleaseCommandBufferKHR(wrong[i]));
        FAILS(CL_INVALID_COMMAND_BUFFER_KHR, p_clFinalizeCommandBufferKHR(wrong[i]));
        FAILS(CL_INVALID_COMMAND_BUFFER_KHR, p_clEnqueueCommandBufferKHR(0, NULL, wrong[i], 0, NULL, NULL));
        FAILS(CL_INVALID_COMMAND_BUFFER_KHR,
              p_clGetCommandBufferInfoKHR(wrong[i], CL_COMMAND_BUFFER_NUM_QUEUES_KHR, 0, NULL, NULL));
    }
}

static void test_info(void **state)
{
    (void)state;
    cl_int err;
    const cl_properties properties[] = {CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0};
    cl_properties got[4];
    size_t size = 1;
    commands c = p_clCreateCommandBufferKHR(1, &queue, properties, &err);
    OK(err);
    assert_int_equal(QUERY(cl_uint, p_clGetCommandBufferInfoKHR, c, CL_COMMAND_BUFFER_NUM_QUEUES_KHR), 1);
    assert_ptr_equal(QUERY(cl_command_queue, p_clGetCommandBufferInfoKHR, c, CL_COMMAND_BUFFER_QUEUES_KHR), queue);
    assert_ptr_equal(QUERY(cl_context, p_clGetCommandBufferInfoKHR, c, CL_COMMAND_BUFFER_CONTEXT_KHR), context);
    assert_int_equal(QUERY(cl_uint, p_clGetCommandBufferInfoKHR, c, CL_COMMAND_BUFFER_STATE_KHR),
                     CL_COMMAND_BUFFER_STATE_RECORDING_KHR);
    OK(p_clGetCommandBufferInfoKHR(c, CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR, sizeof got, got, &size));
    assert_int_equal(size, sizeof properties);
    assert_memory_equal(got, properties, sizeof properties);
    FAILS(CL_INVALID_VALUE, p_clGetCommandBufferInfoKHR(c, CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR, 16, got, NULL));
    FAILS(CL_INVALID_VALUE, p_clGetCommandBufferInfoKHR(c, CL_COMMAND_BUFFER_STATE_KHR, 3, got, NULL));
    FAILS(CL_INVALID_VALUE, p_clGetCommandBufferInfoKHR(c, CL_QUEUE_CONTEXT, sizeof got, got, NULL));
    OK(p_clFinalizeCommandBufferKHR(c));
    assert_int_equal(QUERY(cl_uint, p_clGetCommandBufferInfoKHR, c, CL_COMMAND_BUFFER_STATE_KHR),
                     CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    FAILS(CL_INVALID_OPERATION, p_clFinalizeCommandBufferKHR(c));
    OK(p_clReleaseCommandBufferKHR(c));
    c = buffer_on(queue);
    OK(p_clGetCommandBufferInfoKHR(c, CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR, 0, NULL, &size));
    assert_int_equal(size, 0);
    OK(p_clReleaseCommandBufferKHR(c));
}

/* Every function that records, with good parameters but for those of this struct. */
struct front {
    commands c;
    cl_command_queue queue;
    const cl_properties *properties;
    cl_uint nsyncs;
    const point *syncs;
    cl_mutable_command_khr *handle;
};

enum { RECORDERS = 9 }; /* without those of shared virtual memory, which is not there in this test */

static cl_int record(int which, const struct front *f)
{
    static const size_t zero[3], four[3] = {4, 4, 1}, one[3] = {1, 1, 1}, items = 4;
    static const cl_float4 color;
    const int pattern = 1;
#define BEGIN  f->c, f->queue, f->properties
#define FINISH f->nsyncs, f->syncs, NULL, f->handle
    switch (which) {
    case 0: return p_clCommandBarrierWithWaitListKHR(BEGIN, FINISH);
    case 1: return p_clCommandCopyBufferKHR(BEGIN, a, b, 0, 0, 64, FINISH);
    case 2: return p_clCommandCopyBufferRectKHR(BEGIN, a, b, zero, zero, four, 0, 0, 0, 0, FINISH);
    case 3: return p_clCommandCopyBufferToImageKHR(BEGIN, a, image, 0, zero, four, FINISH);
    case 4: return p_clCommandCopyImageKHR(BEGIN, image, image, zero, (size_t[3]){2, 2, 0}, one, FINISH);
    case 5: return p_clCommandCopyImageToBufferKHR(BEGIN, image, a, zero, four, 0, FINISH);
    case 6: return p_clCommandFillBufferKHR(BEGIN, a, &pattern, 4, 0, 64, FINISH);
    case 7: return p_clCommandFillImageKHR(BEGIN, image, &color, zero, four, FINISH);
    default: return p_clCommandNDRangeKernelKHR(BEGIN, kernel, 1, NULL, &items, NULL, FINISH);
    }
}

static void test_record_errors(void **state)
{
    (void)state;
    const cl_properties none[] = {0}, some[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, 1, 0}; /* of launches alone */
    cl_mutable_command_khr handle;
    commands c = buffer_on(queue);
    const point first = 1, zero = 0, later = 2 * RECORDERS + 1;
    for (int i = 0; i < RECORDERS; i++) {
        OK(record(i, &(struct front){c, NULL, none, 0, NULL, NULL}));
        OK(record(i, &(struct front){c, NULL, NULL, 1, &first, NULL}));
    }
    for (int i = 0; i < RECORDERS; i++) {
        FAILS(CL_INVALID_COMMAND_BUFFER_KHR, record(i, &(struct front){NULL, NULL, NULL, 0, NULL, NULL}));
        FAILS(CL_INVALID_COMMAND_BUFFER_KHR, record(i, &(struct front){(commands)a, NULL, NULL, 0, NULL, NULL}));
        FAILS(CL_INVALID_COMMAND_QUEUE, record(i, &(struct front){c, queue, NULL, 0, NULL, NULL}));
        if (i < RECORDERS - 1) {
            FAILS(CL_INVALID_VALUE, record(i, &(struct front){c, NULL, some, 0, NULL, NULL}));
            FAILS(CL_INVALID_VALUE, record(i, &(struct front){c, NULL, NULL, 0, NULL, &handle}));
        }
        FAILS(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, record(i, &(struct front){c, NULL, NULL, 1, NULL, NULL}));
        FAILS(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, record(i, &(struct front){c, NULL, NULL, 0, &first, NULL}));
        FAILS(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, record(i, &(struct front){c, NULL, NULL, 1, &zero, NULL}));
        FAILS(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, record(i, &(struct front){c, NULL, NULL, 1, &later, NULL}));
    }
    OK(p_clFinalizeCommandBufferKHR(c));
    for (int i = 0; i < RECORDERS; i++)
        FAILS(CL_INVALID_OPERATION, record(i, &(struct front){c, NULL, NULL, 0, NULL, NULL}));
    OK(p_clReleaseCommandBufferKHR(c));
}

/* What the namesake for a queue refuses, recording refuses, too; and nothing is kept of it. */
static void test_object_errors(void **state)
{
    (void)state;
    const size_t zero[3] = {0}, four[3] = {4, 4, 1}, items = 4, local = 3;
    const cl_float4 color = {0};
    const int pattern = 1;
    point p = 0;
    commands c = buffer_on(queue);
#define C c, NULL, NULL
#define P 0, NULL, &p, NULL
    FAILS(CL_INVALID_CONTEXT, p_clCommandCopyBufferKHR(C, a, foreign, 0, 0, 4, P));
    FAILS(CL_INVALID_MEM_OBJECT, p_clCommandCopyBufferKHR(C, a, NULL, 0, 0, 4, P));
    FAILS(CL_MEM_COPY_OVERLAP, p_clCommandCopyBufferKHR(C, a, a, 0, 4, 8, P));
    FAILS(CL_INVALID_VALUE, p_clCommandCopyBufferKHR(C, a, b, 0, 61, 4, P));
    FAILS(CL_INVALID_CONTEXT, p_clCommandCopyBufferRectKHR(C, foreign, b, zero, zero, four, 0, 0, 0, 0, P));
    FAILS(CL_INVALID_VALUE, p_clCommandCopyBufferRectKHR(C, a, b, zero, zero, zero, 0, 0, 0, 0, P));
    FAILS(CL_INVALID_CONTEXT, p_clCommandCopyBufferToImageKHR(C, a, foreign_image, 0, zero, four, P));
    FAILS(CL_INVALID_CONTEXT, p_clCommandCopyImageKHR(C, image, foreign_image, zero, zero, four, P));
    FAILS(CL_INVALID_CONTEXT, p_clCommandCopyImageToBufferKHR(C, image, foreign, zero, four, 0, P));
    FAILS(CL_INVALID_CONTEXT, p_clCommandFillBufferKHR(C, foreign, &pattern, 4, 0, 64, P));
    FAILS(CL_INVALID_VALUE, p_clCommandFillBufferKHR(C, a, &pattern, 3, 0, 63, P));
    FAILS(CL_INVALID_CONTEXT, p_clCommandFillImageKHR(C, foreign_image, &color, zero, four, P));
    FAILS(CL_INVALID_CONTEXT, p_clCommandNDRangeKernelKHR(C, foreign_kernel, 1, NULL, &items, NULL, P));
    FAILS(CL_INVALID_KERNEL, p_clCommandNDRangeKernelKHR(C, NULL, 1, NULL, &items, NULL, P));
    FAILS(CL_INVALID_KERNEL_ARGS, p_clCommandNDRangeKernelKHR(C, unset, 1, NULL, &items, NULL, P));
    FAILS(CL_INVALID_OPERATION, p_clCommandSVMMemFillKHR(C, &p, &pattern, 4, 4, P));
    FAILS(CL_INVALID_OPERATION, p_clCommandSVMMemcpyKHR(C, &p, &pattern, 4, P));
    FAILS(CL_INVALID_WORK_DIMENSION, p_clCommandNDRangeKernelKHR(C, kernel, 4, NULL, &items, NULL, P));
    FAILS(CL_INVALID_WORK_GROUP_SIZE, p_clCommandNDRangeKernelKHR(C, kernel, 1, NULL, &items, &local, P));
    assert_int_equal(p, 0);
    OK(p_clCommandFillBufferKHR(C, a, &pattern, 4, 0, 64, P));
    FAILS(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, p_clCommandBarrierWithWaitListKHR(C, 1, &(point){p + 1}, NULL, NULL));
    OK(p_clReleaseCommandBufferKHR(c));
}

static void test_enqueue_errors(void **state)
{
    (void)state;
    cl_int err;
    cl_command_queue two[] = {queue, queue}, none[] = {NULL};
    cl_event foreign_event = clCreateUserEvent(elsewhere, &err), nothing = NULL, event;
    commands c = buffer_on(queue);
    FAILS(CL_INVALID_OPERATION, p_clEnqueueCommandBufferKHR(0, NULL, c, 0, NULL, NULL));
    OK(p_clFinalizeCommandBufferKHR(c));
    FAILS(CL_INVALID_VALUE, p_clEnqueueCommandBufferKHR(1, NULL, c, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, p_clEnqueueCommandBufferKHR(0, two, c, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, p_clEnqueueCommandBufferKHR(2, two, c, 0, NULL, NULL));
    FAILS(CL_INVALID_COMMAND_QUEUE, p_clEnqueueCommandBufferKHR(1, none, c, 0, NULL, NULL));
    FAILS(CL_INVALID_CONTEXT, p_clEnqueueCommandBufferKHR(1, &other_queue, c, 0, NULL, NULL));
    FAILS(CL_INVALID_CONTEXT, p_clEnqueueCommandBufferKHR(0, NULL, c, 1, &foreign_event, NULL));
    FAILS(CL_INVALID_EVENT_WAIT_LIST, p_clEnqueueCommandBufferKHR(0, NULL, c, 1, NULL, NULL));
    FAILS(CL_INVALID_EVENT_WAIT_LIST, p_clEnqueueCommandBufferKHR(0, NULL, c, 0, &foreign_event, NULL));
    FAILS(CL_INVALID_EVENT_WAIT_LIST, p_clEnqueueCommandBufferKHR(0, NULL, c, 1, &nothing, &event));
    OK(p_clEnqueueCommandBufferKHR(0, NULL, c, 0, NULL, &event)); /* of nothing */
    OK(clWaitForEvents(1, &event));
    OK(clReleaseEvent(event));
    OK(clReleaseEvent(foreign_event));
    OK(p_clReleaseCommandBufferKHR(c));
}

int main(void)
{
    // clang-format off
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device), cmocka_unit_test(test_create), cmocka_unit_test(test_references),
        cmocka_unit_test(test_info), cmocka_unit_test(test_record_errors), cmocka_unit_test(test_object_errors),
        cmocka_unit_test(test_enqueue_errors),
    };
    // clang-format on
    return cmocka_run_group_tests(tests, setup, teardown);
}
