/* Shared virtual memory as a program has it that asks for nothing: coarse-grained buffers. svm_test.c has the rest. */
#include "check.h"

enum { N = 1000 };

static void test_offer(void **state)
{
    (void)state;
    cl_device_svm_capabilities offer =
        QUERY(cl_device_svm_capabilities, clGetDeviceInfo, device, CL_DEVICE_SVM_CAPABILITIES);
#ifdef __SANITIZE_ADDRESS__
    assert_int_equal(offer, 0); /* its addresses are taken */
#else
    assert_int_equal(offer, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER);
#endif
    assert_null(clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 0));
}

#ifndef __SANITIZE_ADDRESS__
/* A list of numbers, mapped for the program and unmapped for the kernel. */
static void test_round_trip(void **state)
{
    (void)state;
    cl_program program =
        program_build("kernel void f(global int *p) { int i = get_global_id(0); p[i] += 3 * i; }", NULL);
    cl_kernel kernel = clCreateKernel(program, "f", NULL);
    const size_t n = N;
    int *p = clSVMAlloc(context, CL_MEM_READ_WRITE, N * sizeof *p, 0);
    assert_non_null(p);
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, p, N * sizeof *p, 0, NULL, NULL));
    for (int i = 0; i < N; i++) p[i] = i;
    OK(clEnqueueSVMUnmap(queue, p, 0, NULL, NULL));
    OK(clSetKernelArgSVMPointer(kernel, 0, p));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL));
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, p, N * sizeof *p, 0, NULL, NULL));
    for (int i = 0; i < N; i++) assert_int_equal(p[i], 4 * i);
    OK(clEnqueueSVMUnmap(queue, p, 0, NULL, NULL));
    OK(clFinish(queue));
    clSVMFree(context, p);
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}
#endif

static int setup(void **state)
{
    unsetenv("VENTUS_SVM");
    return check_setup(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_offer),
#ifndef __SANITIZE_ADDRESS__
        cmocka_unit_test(test_round_trip),
#endif
    };
    return cmocka_run_group_tests(tests, setup, check_teardown);
}
