/* Processes that fork: a child that makes its own context computes, and what is its parent's it cannot use. */
#include <signal.h>
#include <sys/wait.h>

#include "check.h"

static const char source[] = "kernel void square(global int *a) { int i = get_global_id(0); a[i] = i * i; }\n"
                             "kernel void endless(global int *a) { while (1) atomic_inc(a); }\n"
                             "kernel void look(global int *a, global int *seen) { *seen = atomic_or(a, 0); }\n"
                             "kernel void stray(global int *a) { a[0x30000000] = 1; }\n";
enum { COUNT = 100 };

/* Does everything that a program does, in this process's global objects. */
static void compute(void)
{
    int out[COUNT];
    cl_int err;
    cl_program program = program_build(source, NULL);
    cl_kernel kernel = clCreateKernel(program, "square", &err), stray = clCreateKernel(program, "stray", &err);
    cl_mem mem = buffer_new(0, sizeof out, NULL);
    OK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
    OK(clSetKernelArg(stray, 0, sizeof mem, &mem));
    cl_event event;
    OK(clEnqueueNDRangeKernel(queue, stray, 1, NULL, (size_t[]){1}, NULL, 0, NULL, &event));
    FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &event));
    OK(clReleaseEvent(event));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (size_t[]){COUNT}, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < COUNT; i++) assert_int_equal(out[i], i * i);
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(stray));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

struct objects {
    struct sigaction handler; /* of SIGSEGV, while no kernel runs */
    cl_device_id part;
    cl_context context;
    cl_command_queue queue;
    cl_mem mem;
    cl_program program;
    cl_kernel kernel;
    cl_event event;
};

/* Each at once: nothing is waited for. */
static void refuse(const struct objects *o)
{
    cl_int err;
    int value;
    FAILS(CL_INVALID_DEVICE, clRetainDevice(o->part));
    FAILS(CL_INVALID_CONTEXT, clRetainContext(o->context));
    REFUSED(CL_INVALID_CONTEXT, clCreateBuffer(o->context, 0, 4, NULL, &err));
    REFUSED(CL_INVALID_CONTEXT, clCreateCommandQueue(o->context, device, 0, &err));
    FAILS(CL_INVALID_COMMAND_QUEUE, clFinish(o->queue));
    FAILS(CL_INVALID_COMMAND_QUEUE, clEnqueueReadBuffer(o->queue, o->mem, CL_TRUE, 0, 4, &value, 0, NULL, NULL));
    FAILS(CL_INVALID_EVENT, clWaitForEvents(1, &o->event));
    FAILS(CL_INVALID_MEM_OBJECT, clReleaseMemObject(o->mem));
    FAILS(CL_INVALID_PROGRAM, clReleaseProgram(o->program));
    FAILS(CL_INVALID_KERNEL, clSetKernelArg(o->kernel, 0, sizeof o->mem, &o->mem));
    FAILS(CL_INVALID_COMMAND_QUEUE, clReleaseCommandQueue(o->queue));
    FAILS(CL_INVALID_CONTEXT, clReleaseContext(o->context));
}

static void own_context(void)
{
    assert_int_equal(check_setup(NULL), 0);
    compute();
    assert_int_equal(check_teardown(NULL), 0);
}

/* The status of a child that cannot use what its parent has and computes by itself; so does its own child, if it is to
 * have one. */
static int fork_off(const struct objects *o, bool again)
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        alarm(60);
        struct sigaction now;
        assert_int_equal(sigaction(SIGSEGV, NULL, &now), 0);
        assert_true(now.sa_handler == o->handler.sa_handler);
        refuse(o);
        own_context();
        own_context();
        exit(again && fork_off(o, false));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

/* A number that a kernel in flight counts: another kernel reads it, because a transfer may not while it is written. */
static int counted(const struct objects *o, cl_command_queue beside)
{
    int value;
    cl_int err;
    cl_mem seen = buffer_new(0, sizeof value, NULL);
    cl_kernel look = clCreateKernel(o->program, "look", &err);
    OK(clSetKernelArg(look, 0, sizeof o->mem, &o->mem));
    OK(clSetKernelArg(look, 1, sizeof seen, &seen));
    OK(clEnqueueNDRangeKernel(beside, look, 1, NULL, (size_t[]){1}, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(beside, seen, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
    OK(clReleaseKernel(look));
    OK(clReleaseMemObject(seen));
    return value;
}

/* While a kernel of the parent runs, which goes on. */
static void test_fork(void **state)
{
    (void)state;
    struct objects o = {
        .context = context, .queue = queue, .program = program_build(source, NULL), .mem = buffer_new(0, 4, NULL)};
    const cl_device_partition_property one[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 0, 0};
    cl_int err;
    assert_int_equal(sigaction(SIGSEGV, NULL, &o.handler), 0);
    compute();
    OK(clCreateSubDevices(device, one, 1, &o.part, NULL));
    o.kernel = clCreateKernel(o.program, "endless", &err);
    OK(clSetKernelArg(o.kernel, 0, sizeof o.mem, &o.mem));
    OK(clEnqueueNDRangeKernel(queue, o.kernel, 1, NULL, (size_t[]){64}, NULL, 0, NULL, &o.event));
    while (event_status(o.event) != CL_RUNNING) usleep(1000);
    assert_int_equal(fork_off(&o, true), 0);
    cl_command_queue beside = clCreateCommandQueue(context, device, 0, &err);
    const int before = counted(&o, beside);
    while (counted(&o, beside) == before) {
    }
    assert_int_equal(event_status(o.event), CL_RUNNING);
    OK(clReleaseDevice(o.part));
    OK(clReleaseCommandQueue(beside));
    OK(clReleaseEvent(o.event));
    OK(clReleaseKernel(o.kernel));
    OK(clReleaseMemObject(o.mem));
    OK(clReleaseProgram(o.program));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fork)};
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
