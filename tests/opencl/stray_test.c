/* A device that ignores stray accesses: such kernels succeed, and the client is told of the first one only. */
#include "check.h"

static char told[1000];
static int times;

static void CL_CALLBACK notify(const char *text, const void *info, size_t size, void *data)
{
    (void)info, (void)size, (void)data;
    snprintf(told, sizeof told, "%s", text);
    times++;
}

static int setup(void **state) { return check_machine("ignore_stray = 1") || check_setup(state); }

static void test_warning(void **state)
{
    (void)state;
    static const char source[] = "kernel void astray(global int *p, uint far) {\n"
                                 "    uint i = get_global_id(0);\n"
                                 "    p[i] = 1 + p[i + far];\n"
                                 "    p[i + far] = 7;\n"
                                 "}";
    const cl_uint far[] = {0, 1 << 20, 1 << 21};
    cl_int seen[64];
    cl_context own = context;
    context = clCreateContext(NULL, 1, &device, notify, NULL, NULL);
    cl_command_queue q = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = program_build(source, "");
    cl_kernel kernel = clCreateKernel(program, "astray", NULL);
    cl_mem mem = buffer_new(0, sizeof seen, NULL);
    OK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
    for (int i = 0; i < 3; i++) {
        OK(clSetKernelArg(kernel, 1, sizeof *far, &far[i]));
        OK(clEnqueueNDRangeKernel(q, kernel, 1, NULL, &(size_t){64}, NULL, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(q, mem, CL_TRUE, 0, sizeof seen, seen, 0, NULL, NULL));
        for (int k = 0; k < 64; k++) assert_int_equal(seen[k], i ? 1 : 7);
        assert_int_equal(times, i ? 1 : 0);
    }
    assert_non_null(strstr(told, "kernel astray strays"));
    assert_non_null(strstr(told, "line 3"));
    assert_non_null(strstr(told, "read of unmapped memory"));
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(context));
    context = own;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_warning)};
    return cmocka_run_group_tests(tests, setup, check_teardown);
}
