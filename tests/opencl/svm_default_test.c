/* Shared virtual memory is not offered to a program that does not ask: a 64-bit program could not follow the pointers
 * that kernels leave in it. svm_test.c has it where it is. */
#include "check.h"

static void test_offer(void **state)
{
    int word = 0;
    (void)state;
    assert_int_equal(QUERY(cl_device_svm_capabilities, clGetDeviceInfo, device, CL_DEVICE_SVM_CAPABILITIES), 0);
    assert_null(clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0));
    assert_null(clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 0));
    FAILS(CL_INVALID_OPERATION, clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, &word, 4, 0, NULL, NULL));
    FAILS(CL_INVALID_OPERATION, clEnqueueSVMMemFill(queue, &word, &word, 4, 4, 0, NULL, NULL));
}

static int setup(void **state)
{
    unsetenv("VENTUS_SVM");
    return check_setup(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_offer)};
    return cmocka_run_group_tests(tests, setup, check_teardown);
}
