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

static void test_others(void **state)
{
    (void)state;
    FAILS(CL_INVALID_OPERATION, clSetDefaultDeviceCommandQueue(context, device, queue));
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
        cmocka_unit_test(test_svm), cmocka_unit_test(test_svm_kernel), cmocka_unit_test(test_programs), cmocka_unit_test(test_others),
    };
    // clang-format on
    return cmocka_run_group_tests(tests, setup, check_teardown);
}
