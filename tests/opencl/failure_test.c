/* A kernel that has failed: calls that wait on its queue say so until the client has been shown it. */
#include "command_buffer.h"

static const char source[] = "kernel void stray(global int *p) { p[0x30000000] = 1; }\n"
                             "kernel void forever(global int *p) { while (p[1] == 0) atomic_inc(p); }\n"
                             "kernel void one(global int *p) { p[0] = 1; }\n";

static cl_program program;
static cl_mem mem;

enum { FAILED = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST };

static cl_command_queue queue_new(cl_command_queue_properties properties)
{
    cl_int err;
    cl_command_queue q = clCreateCommandQueue(context, device, properties, &err);
    OK(err);
    return q;
}

static cl_kernel kernel_new(const char *name)
{
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, name, &err);
    OK(err);
    OK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
    return kernel;
}

static void run(cl_command_queue q, const char *name, cl_uint nwaits, const cl_event *waits, cl_event *event)
{
    cl_kernel kernel = kernel_new(name);
    OK(clEnqueueNDRangeKernel(q, kernel, 1, NULL, (size_t[]){1}, NULL, nwaits, waits, event));
    OK(clReleaseKernel(kernel));
}

static cl_int read_word(cl_command_queue q)
{
    int word;
    return clEnqueueReadBuffer(q, mem, CL_TRUE, 0, sizeof word, &word, 0, NULL, NULL);
}

static cl_int write_word(cl_command_queue q)
{
    int word = 0;
    return clEnqueueWriteBuffer(q, mem, CL_TRUE, 0, sizeof word, &word, 0, NULL, NULL);
}

static cl_int map_word(cl_command_queue q)
{
    cl_int err;
    void *at = clEnqueueMapBuffer(q, mem, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &err);
    assert_int_equal(at != NULL, err == CL_SUCCESS);
    if (at) OK(clEnqueueUnmapMemObject(q, mem, at, 0, NULL, NULL));
    return err;
}

/* clWaitForEvents for a transfer behind what has failed. */
static cl_int read_later(cl_command_queue q)
{
    int word;
    cl_event event;
    OK(clEnqueueReadBuffer(q, mem, CL_FALSE, 0, sizeof word, &word, 0, NULL, &event));
    cl_int result = clWaitForEvents(1, &event);
    assert_int_equal(event_status(event), CL_COMPLETE); /* it has been carried out */
    OK(clReleaseEvent(event));
    return result;
}

static cl_int (*const waiting[])(cl_command_queue) = {clFinish, read_word, write_word, map_word, read_later};
enum { WAITING = sizeof waiting / sizeof *waiting };

/* All calls that wait say so, whichever the client looks at, until the status has been asked for. */
static void test_every_call(void **state)
{
    (void)state;
    for (size_t first = 0; first < WAITING; first++) {
        cl_command_queue q = queue_new(0);
        cl_event event;
        run(q, "stray", 0, NULL, &event);
        for (size_t i = 0; i < 2 * WAITING; i++) FAILS(FAILED, waiting[(first + i) % WAITING](q));
        assert_int_equal(event_status(event), CL_OUT_OF_RESOURCES);
        for (size_t i = 0; i < WAITING; i++) OK(waiting[i](q));
        assert_int_equal(event_status(event), CL_OUT_OF_RESOURCES);
        OK(clReleaseEvent(event));
        OK(clReleaseCommandQueue(q));
    }
}

/* Without an event the next launch is a new beginning, but not if clFinish alone has told of the failure. */
static void test_new_beginning(void **state)
{
    (void)state;
    cl_command_queue q = queue_new(0);
    run(q, "stray", 0, NULL, NULL);
    FAILS(FAILED, clFinish(q));
    run(q, "one", 0, NULL, NULL);
    FAILS(FAILED, clFinish(q));
    FAILS(FAILED, read_word(q));
    FAILS(FAILED, read_word(q));
    run(q, "one", 0, NULL, NULL);
    OK(clFinish(q));
    OK(read_word(q));
    OK(clReleaseCommandQueue(q));
}

/* Of several failures each counts, and one that comes after the client has been told of others. */
static void test_several(void **state)
{
    (void)state;
    cl_command_queue q = queue_new(0);
    cl_event first, second;
    run(q, "stray", 0, NULL, &first);
    run(q, "stray", 0, NULL, &second);
    FAILS(FAILED, clWaitForEvents(1, &first));
    assert_int_equal(event_status(first), CL_OUT_OF_RESOURCES);
    assert_int_equal(event_status(first), CL_OUT_OF_RESOURCES);
    FAILS(FAILED, clFinish(q));
    assert_int_equal(event_status(second), CL_OUT_OF_RESOURCES);
    OK(clFinish(q));
    run(q, "stray", 0, NULL, NULL);
    FAILS(FAILED, read_word(q));
    run(q, "stray", 0, NULL, NULL);
    FAILS(FAILED, clFinish(q));
    run(q, "one", 0, NULL, NULL);
    FAILS(FAILED, clFinish(q));
    OK(clReleaseEvent(first));
    OK(clReleaseEvent(second));
    OK(clReleaseCommandQueue(q));
}

/* What has not been run because something else has failed is missing, too, also on another queue; not if the client has
 * ended a user event so. */
static void test_dependents(void **state)
{
    (void)state;
    cl_int err;
    cl_command_queue a = queue_new(0), b = queue_new(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_event failed, behind, gate = clCreateUserEvent(context, &err);
    run(a, "stray", 0, NULL, &failed);
    run(b, "one", 1, &failed, &behind);
    FAILS(FAILED, clFinish(b));
    FAILS(FAILED, read_word(b));
    assert_int_equal(event_status(behind), FAILED);
    OK(read_word(b));
    FAILS(FAILED, read_word(a)); /* where nobody has been shown anything */
    OK(clReleaseEvent(behind));
    run(b, "one", 1, &gate, &behind);
    OK(clSetUserEventStatus(gate, -7));
    FAILS(FAILED, clWaitForEvents(1, &behind));
    OK(clFinish(b));
    OK(clReleaseEvent(behind));
    OK(clReleaseEvent(failed));
    OK(clReleaseEvent(gate));
    OK(clReleaseCommandQueue(a));
    OK(clReleaseCommandQueue(b));
}

/* A callback shows the status, too. */
static void CL_CALLBACK on_end(cl_event event, cl_int status, void *user)
{
    (void)event;
    *(_Atomic cl_int *)user = status;
}

static void test_callback(void **state)
{
    (void)state;
    cl_command_queue q = queue_new(0);
    cl_event event;
    _Atomic cl_int status = 1;
    run(q, "stray", 0, NULL, &event);
    OK(clSetEventCallback(event, CL_COMPLETE, on_end, (void *)&status));
    FAILS(FAILED, clWaitForEvents(1, &event));
    while (status == 1) usleep(1000);
    assert_int_equal(status, CL_OUT_OF_RESOURCES);
    OK(clFinish(q));
    OK(clReleaseEvent(event));
    OK(clReleaseCommandQueue(q));
}

/* The event of a command buffer stands for all in it. */
static void test_command_buffer(void **state)
{
    (void)state;
    cl_command_queue q = queue_new(0);
    cl_kernel stray = kernel_new("stray");
    commands b = buffer_on(q);
    cl_event event;
    for (int i = 0; i < 2; i++)
        OK(p_clCommandNDRangeKernelKHR(b, NULL, NULL, stray, 1, NULL, (size_t[]){1}, NULL, 0, NULL, NULL, NULL));
    OK(p_clFinalizeCommandBufferKHR(b));
    OK(p_clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, &event));
    FAILS(FAILED, clFinish(q));
    FAILS(FAILED, clFinish(q));
    assert_int_equal(event_status(event), FAILED);
    OK(clFinish(q));
    OK(clReleaseEvent(event));
    OK(p_clReleaseCommandBufferKHR(b));
    OK(clReleaseKernel(stray));
    OK(clReleaseCommandQueue(q));
}

/* A kernel that VENTUS_TIMEOUT has ended is one that has failed. It is read when a machine starts, so by a process of
 * its own. */
static void test_timeout(void **state)
{
    (void)state;
    cl_event event;
    run(queue, "forever", 0, NULL, &event);
    for (size_t i = 0; i < WAITING; i++) FAILS(FAILED, waiting[i](queue));
    assert_int_equal(event_status(event), CL_OUT_OF_RESOURCES);
    OK(clFinish(queue));
    OK(clReleaseEvent(event));
}

static int setup(void **state)
{
    setenv("VENTUS_TIMEOUT", "0.3", 1);
    if (command_buffer_setup(state)) return -1;
    program = program_build(source, NULL);
    mem = buffer_new(CL_MEM_COPY_HOST_PTR, 8, (int[2]){0});
    return 0;
}

static int teardown(void **state)
{
    clReleaseMemObject(mem);
    clReleaseProgram(program);
    return check_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_call), cmocka_unit_test(test_new_beginning), cmocka_unit_test(test_several),
        cmocka_unit_test(test_dependents), cmocka_unit_test(test_callback),      cmocka_unit_test(test_command_buffer),
        cmocka_unit_test(test_timeout),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
