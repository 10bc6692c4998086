/* Native kernels: arguments are copied, handles become pointers to the buffers' memory, and the order of the queue
 * holds. */
#include "check.h"

struct args {
    int factor;
    int *data; /* a buffer's handle at first */
    int *sum;
    int *none;
};

enum { COUNT = 64 };

static void CL_CALLBACK scale(void *data)
{
    struct args *a = data;
    assert_null(a->none);
    for (int i = 0; i < COUNT; i++) a->sum[0] += a->data[i] *= a->factor;
}

static void CL_CALLBACK nothing(void *data) { *(int *)data = 1; }

static void test_native(void **state)
{
    (void)state;
    int in[COUNT], zero = 0, out, sum = 0;
    for (int i = 0; i < COUNT; i++) in[i] = i, sum += 3 * i;
    cl_mem mems[3] = {buffer_new(CL_MEM_COPY_HOST_PTR, sizeof in, in),
                      buffer_new(CL_MEM_COPY_HOST_PTR, sizeof zero, &zero), NULL};
    cl_program program = program_build("kernel void add(global int *a) { a[get_global_id(0)] += 1; }", NULL);
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, "add", &err);
    OK(clSetKernelArg(kernel, 0, sizeof mems[1], &mems[1]));
    struct args args = {.factor = 3};
    const void *places[] = {&args.data, &args.sum, &args.none};
    cl_event event;
    assert_true(QUERY(cl_device_exec_capabilities, clGetDeviceInfo, device, CL_DEVICE_EXECUTION_CAPABILITIES) &
                CL_EXEC_NATIVE_KERNEL);
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (size_t[]){1}, NULL, 0, NULL, NULL)); /* before it */
    OK(clEnqueueNativeKernel(queue, scale, &args, sizeof args, 3, mems, places, 0, NULL, &event));
    args.factor = 0;                                                                        /* too late */
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (size_t[]){1}, NULL, 0, NULL, NULL)); /* behind it */
    OK(clReleaseMemObject(mems[0]));                                                        /* the command holds it */
    OK(clWaitForEvents(1, &event));
    assert_int_equal(QUERY(cl_command_type, clGetEventInfo, event, CL_EVENT_COMMAND_TYPE), CL_COMMAND_NATIVE_KERNEL);
    OK(clEnqueueReadBuffer(queue, mems[1], CL_TRUE, 0, sizeof out, &out, 0, NULL, NULL));
    assert_int_equal(out, sum + 2);
    OK(clReleaseEvent(event));
    OK(clReleaseMemObject(mems[1]));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

static void test_errors(void **state)
{
    (void)state;
    struct args both[2] = {0}, *args = &both[1];
    cl_mem mem = buffer_new(0, 4, NULL), wrong = (cl_mem)queue;
    const void *place = &args->data, *outside = (char *)(args + 1) - 4, *before = (char *)args - 8;
    const size_t n = sizeof *args;
    FAILS(CL_INVALID_COMMAND_QUEUE,
          clEnqueueNativeKernel((cl_command_queue)mem, nothing, args, n, 0, NULL, NULL, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueNativeKernel(queue, NULL, args, n, 0, NULL, NULL, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueNativeKernel(queue, nothing, NULL, n, 0, NULL, NULL, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueNativeKernel(queue, nothing, args, 0, 0, NULL, NULL, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueNativeKernel(queue, nothing, NULL, 0, 1, &mem, &place, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueNativeKernel(queue, nothing, args, n, 1, NULL, &place, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueNativeKernel(queue, nothing, args, n, 1, &mem, NULL, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueNativeKernel(queue, nothing, args, n, 0, &mem, NULL, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueNativeKernel(queue, nothing, args, n, 0, NULL, &place, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueNativeKernel(queue, nothing, args, n, 1, &mem, &outside, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueNativeKernel(queue, nothing, args, n, 1, &mem, &before, 0, NULL, NULL));
    FAILS(CL_INVALID_MEM_OBJECT, clEnqueueNativeKernel(queue, nothing, args, n, 1, &wrong, &place, 0, NULL, NULL));
    FAILS(CL_INVALID_EVENT_WAIT_LIST, clEnqueueNativeKernel(queue, nothing, args, n, 0, NULL, NULL, 1, NULL, NULL));
    OK(clEnqueueNativeKernel(queue, nothing, args, n, 0, NULL, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    assert_int_equal(args->factor, 0); /* the copy was written */
    OK(clReleaseMemObject(mem));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_native), cmocka_unit_test(test_errors)};
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
