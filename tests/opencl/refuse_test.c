/* Optional features: each function exists and refuses in the prescribed way, and the queries agree. */
#include "check.h"

/* Without shared virtual memory; svm_test.c has it. */
static void test_svm(void **state)
{
    (void)state;
    int x = 0;
    void *p = &x;
    assert_int_equal(QUERY(cl_device_svm_capabilities, clGetDeviceInfo, device, CL_DEVICE_SVM_CAPABILITIES), 0);
    assert_null(clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0));
    clSVMFree(context, NULL);
    FAILS(CL_INVALID_OPERATION, clEnqueueSVMFree(queue, 1, &p, NULL, NULL, 0, NULL, NULL));
    FAILS(CL_INVALID_OPERATION, clEnqueueSVMMemcpy(queue, CL_TRUE, &x, &x, 4, 0, NULL, NULL));
    FAILS(CL_INVALID_OPERATION, clEnqueueSVMMemFill(queue, &x, &x, 4, 4, 0, NULL, NULL));
    FAILS(CL_INVALID_OPERATION, clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, &x, 4, 0, NULL, NULL));
    FAILS(CL_INVALID_OPERATION, clEnqueueSVMUnmap(queue, &x, 0, NULL, NULL));
    FAILS(CL_INVALID_OPERATION, clEnqueueSVMMigrateMem(queue, 1, (const void **)&p, NULL, 0, 0, NULL, NULL));
}

static void test_svm_kernel(void **state)
{
    (void)state;
    cl_program program = program_build("kernel void f(global int *p) { *p = 1; }", NULL);
    cl_kernel kernel = clCreateKernel(program, "f", NULL);
    void *none = NULL;
    FAILS(CL_INVALID_OPERATION, clSetKernelArgSVMPointer(kernel, 0, NULL));
    FAILS(CL_INVALID_OPERATION, clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof none, &none));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

static void test_programs(void **state)
{
    (void)state;
    cl_int err;
    const char *source = "kernel void f(void) {}";
    size_t size = 7;
    REFUSED(CL_INVALID_VALUE, clCreateProgramWithBuiltInKernels(context, 1, &device, "f", &err));
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    OK(err);
    FAILS(CL_INVALID_OPERATION, clSetProgramReleaseCallback(program, NULL, NULL));
    OK(clGetProgramInfo(program, CL_PROGRAM_IL, 0, NULL, &size));
    assert_int_equal(size, 0);
    OK(clReleaseProgram(program));
}

/* Kernels cannot queue kernels, and everything says so: queries, queues, the language. */
static void test_device_queues(void **state)
{
    // clang-format off
    static const cl_device_info none[] = {
        CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, CL_DEVICE_MAX_ON_DEVICE_QUEUES,
        CL_DEVICE_MAX_ON_DEVICE_EVENTS};
    static const cl_command_queue_properties bits[] = {
        CL_QUEUE_ON_DEVICE, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
        CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE_DEFAULT};
    // clang-format on
    cl_int err;
    cl_uint size;
    (void)state;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(QUERY(cl_uint, clGetDeviceInfo, device, none[i]), 0);
    assert_int_equal(
        QUERY(cl_device_device_enqueue_capabilities, clGetDeviceInfo, device, CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES),
        0);
    assert_int_equal(QUERY(cl_command_queue_properties, clGetDeviceInfo, device, CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES),
                     0);
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, bits[i], 0};
        REFUSED(CL_INVALID_QUEUE_PROPERTIES, clCreateCommandQueueWithProperties(context, device, list, &err));
    }
    FAILS(CL_INVALID_OPERATION, clSetDefaultDeviceCommandQueue(context, device, queue));
    FAILS(CL_INVALID_COMMAND_QUEUE, clGetCommandQueueInfo(queue, CL_QUEUE_SIZE, sizeof size, &size, NULL));
    assert_null(QUERY(cl_command_queue, clGetCommandQueueInfo, queue, CL_QUEUE_DEVICE_DEFAULT));
}

/* What does not compile, and what its log says. */
static void fails_with(const char *source, const char *options, const char *text)
{
    cl_int err;
    char log[8192];
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    OK(err);
    FAILS(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 1, &device, options, NULL, NULL));
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    if (!strstr(log, text)) fail_msg("no '%s' in: %s", text, log);
    OK(clReleaseProgram(program));
}

static void test_device_queues_of_the_language(void **state)
{
    cl_name_version features[64];
    size_t size;
    (void)state;
    OK(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_FEATURES, sizeof features, features, &size));
    for (size_t i = 0; i < size / sizeof *features; i++)
        assert_string_not_equal(features[i].name, "__opencl_c_device_enqueue");
    OK(clReleaseProgram(program_build("#ifdef __opencl_c_device_enqueue\n#error there\n#endif\nkernel void k(void) {}",
                                      "-cl-std=CL3.0")));
    fails_with("kernel void k(global int *a) { void (^b)(void) = ^{ a[0] = 1; }; b(); }", "-cl-std=CL3.0",
               "__opencl_c_device_enqueue");
    fails_with("kernel void k(global int *a) { queue_t q = get_default_queue(); }", "-cl-std=CL3.0", "queue_t");
}

static int setup(void **state)
{
    setenv("VENTUS_SVM", "0", 1);
    return check_setup(state);
}

int main(void)
{
    // clang-format off
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_svm), cmocka_unit_test(test_svm_kernel), cmocka_unit_test(test_programs), cmocka_unit_test(test_device_queues),
        cmocka_unit_test(test_device_queues_of_the_language),
    };
    // clang-format on
    return cmocka_run_group_tests(tests, setup, check_teardown);
}
