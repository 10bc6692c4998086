/* What command buffers do when they are enqueued: results, order, events, printf, failures, and lives. */
#include "command_buffer.h"

enum { N = 64 };

static cl_program program;
static cl_command_queue unordered;

static int setup(void **state)
{
    cl_int err;
    if (command_buffer_setup(state)) return -1;
    program = program_build("kernel void add(global int *p, int n) { p[get_global_id(0)] += n; }\n"
                            "kernel void scale(global int *p, int n) { p[get_global_id(0)] *= n; }\n"
                            "kernel void say(int n) { printf(\"said %d\\n\", n); }\n"
                            "kernel void stray(global int *p, int n) { p[n] = 1; }\n",
                            NULL);
    unordered = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &err);
    return err;
}

static int teardown(void **state)
{
    OK(clReleaseProgram(program));
    OK(clReleaseCommandQueue(unordered));
    return check_teardown(state);
}

static cl_mem numbers(int value)
{
    int all[N];
    for (int i = 0; i < N; i++) all[i] = value;
    return buffer_new(CL_MEM_COPY_HOST_PTR, sizeof all, all);
}

/* All of them are equal; which number it is. */
static int number(cl_command_queue q, cl_mem mem)
{
    int all[N];
    OK(clEnqueueReadBuffer(q, mem, CL_TRUE, 0, sizeof all, all, 0, NULL, NULL));
    for (int i = 1; i < N; i++) assert_int_equal(all[i], all[0]);
    return all[0];
}

static cl_kernel kernel_new(const char *name, cl_mem mem, int n)
{
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, name, &err);
    OK(err);
    if (mem) OK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
    OK(clSetKernelArg(kernel, mem != NULL, sizeof n, &n));
    return kernel;
}

/* Records a kernel, behind one command (0: none); the kernel object goes at once. */
static point record(commands c, const char *name, cl_mem mem, int n, point behind)
{
    const size_t items = N, one = 1;
    point p;
    cl_kernel kernel = kernel_new(name, mem, n);
    OK(p_clCommandNDRangeKernelKHR(c, NULL, NULL, kernel, 1, NULL, mem ? &items : &one, NULL, behind != 0,
                                   behind ? &behind : NULL, &p, NULL));
    OK(clReleaseKernel(kernel));
    return p;
}

static void enqueue(commands c, cl_event *event) { OK(p_clEnqueueCommandBufferKHR(0, NULL, c, 0, NULL, event)); }

/* A recorded kernel keeps its arguments, the memory and the kernel itself, whatever becomes of the client's. */
static void test_recorded_stays(void **state)
{
    (void)state;
    const size_t items = N;
    const int other = 100;
    cl_mem mem = numbers(5), copy = numbers(0);
    commands c = buffer_on(queue);
    cl_kernel kernel = kernel_new("add", mem, 1);
    OK(p_clCommandNDRangeKernelKHR(c, NULL, NULL, kernel, 1, NULL, &items, NULL, 0, NULL, NULL, NULL));
    OK(clSetKernelArg(kernel, 1, sizeof other, &other));
    OK(clReleaseKernel(kernel));
    OK(p_clCommandCopyBufferKHR(c, NULL, NULL, mem, copy, 0, 0, N * sizeof(int), 0, NULL, NULL, NULL));
    OK(clReleaseMemObject(mem));
    OK(p_clFinalizeCommandBufferKHR(c));
    for (int i = 0; i < 3; i++) enqueue(c, NULL); /* again while it is in flight */
    assert_int_equal(number(queue, copy), 8);
    enqueue(c, NULL);
    assert_int_equal(number(queue, copy), 9);
    OK(p_clReleaseCommandBufferKHR(c));
    OK(clReleaseMemObject(copy));
}

/* Recorded for a queue in order, they are in order, also on another queue; and the whole has its place in a queue. */
static void test_in_order(void **state)
{
    (void)state;
    cl_event event;
    cl_mem mem = numbers(0);
    const int seven = 7;
    commands c = buffer_on(queue);
    OK(p_clCommandFillBufferKHR(c, NULL, NULL, mem, &seven, 4, 0, N * 4, 0, NULL, NULL, NULL));
    for (int i = 0; i < 20; i++) record(c, i % 2 ? "add" : "scale", mem, 2, 0);
    OK(p_clFinalizeCommandBufferKHR(c));
    enqueue(c, NULL);
    cl_kernel add = kernel_new("add", mem, 1);
    OK(clEnqueueNDRangeKernel(queue, add, 1, NULL, &(size_t){N}, NULL, 0, NULL, NULL));
    const int expected = 7 * 1024 + 2046;
    assert_int_equal(number(queue, mem), expected + 1);
    OK(p_clEnqueueCommandBufferKHR(1, &unordered, c, 0, NULL, &event));
    OK(clEnqueueBarrierWithWaitList(unordered, 0, NULL, NULL));
    assert_int_equal(number(unordered, mem), expected);
    assert_ptr_equal(QUERY(cl_command_queue, clGetEventInfo, event, CL_EVENT_COMMAND_QUEUE), unordered);
    OK(clReleaseEvent(event));
    OK(clReleaseKernel(add));
    OK(p_clReleaseCommandBufferKHR(c));
    OK(clReleaseMemObject(mem));
}

/* Recorded for a queue out of order, what orders them is their synchronization points and barriers. */
static void test_out_of_order(void **state)
{
    (void)state;
    cl_mem one = numbers(1), two = numbers(1);
    const int three = 3;
    commands c = buffer_on(unordered);
    point p, first = 0, second = 0;
    OK(p_clCommandFillBufferKHR(c, NULL, NULL, one, &three, 4, 0, N * 4, 0, NULL, &first, NULL));
    OK(p_clCommandFillBufferKHR(c, NULL, NULL, two, &three, 4, 0, N * 4, 0, NULL, &second, NULL));
    assert_int_not_equal(first, second);
    for (int i = 0; i < 10; i++) first = record(c, i % 2 ? "add" : "scale", one, 2, first);
    record(c, "add", two, 1, second);
    OK(p_clCommandBarrierWithWaitListKHR(c, NULL, NULL, 0, NULL, NULL, NULL));
    record(c, "scale", one, 10, 0);
    p = record(c, "scale", two, 10, 0);
    OK(p_clCommandBarrierWithWaitListKHR(c, NULL, NULL, 1, &p, &p, NULL));
    record(c, "add", two, 1, 0);
    OK(p_clFinalizeCommandBufferKHR(c));
    for (int i = 0; i < 5; i++) { /* serialized by an event, or by a queue in order */
        cl_event event;
        OK(p_clEnqueueCommandBufferKHR(1, i % 2 ? &queue : &unordered, c, 0, NULL, &event));
        OK(clWaitForEvents(1, &event));
        assert_int_equal(number(queue, one), (3 * 32 + 62) * 10);
        assert_int_equal(number(queue, two), 41);
        OK(clReleaseEvent(event));
    }
    OK(p_clReleaseCommandBufferKHR(c));
    OK(clReleaseMemObject(one));
    OK(clReleaseMemObject(two));
}

static void test_images(void **state)
{
    (void)state;
    cl_int err;
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 2};
    const size_t zero[3] = {0}, all[3] = {8, 2, 1}, row[3] = {8, 1, 1}, second[3] = {0, 1, 0}, rect[3] = {16, 2, 1};
    const cl_uint4 color = {{1, 2, 3, 4}};
    cl_mem first = clCreateImage(context, 0, &format, &desc, NULL, &err);
    cl_mem other = clCreateImage(context, 0, &format, &desc, NULL, &err);
    cl_mem from = numbers(0x08070605), to = numbers(0), part = numbers(0);
    unsigned char out[64], rows[32];
    commands c = buffer_on(queue);
    OK(p_clCommandFillImageKHR(c, NULL, NULL, first, &color, zero, all, 0, NULL, NULL, NULL));
    OK(p_clCommandCopyBufferToImageKHR(c, NULL, NULL, from, first, 0, second, row, 0, NULL, NULL, NULL));
    OK(p_clCommandCopyImageKHR(c, NULL, NULL, first, other, zero, zero, all, 0, NULL, NULL, NULL));
    OK(p_clCommandCopyImageToBufferKHR(c, NULL, NULL, other, to, zero, all, 0, 0, NULL, NULL, NULL));
    OK(p_clCommandCopyBufferRectKHR(c, NULL, NULL, to, part, zero, zero, rect, 32, 0, 0, 0, 0, NULL, NULL, NULL));
    OK(p_clFinalizeCommandBufferKHR(c));
    enqueue(c, NULL);
    OK(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < 64; i++) assert_int_equal(out[i], i % 4 + (i < 32 ? 1 : 5));
    OK(clEnqueueReadBuffer(queue, part, CL_TRUE, 0, sizeof rows, rows, 0, NULL, NULL));
    for (int i = 0; i < 32; i++) assert_int_equal(rows[i], i % 4 + (i < 16 ? 1 : 5));
    cl_mem mems[] = {first, other, from, to, part};
    for (int i = 0; i < 5; i++) OK(clReleaseMemObject(mems[i]));
    OK(p_clReleaseCommandBufferKHR(c));
}

static void CL_CALLBACK seen(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status;
    __atomic_add_fetch((int *)data, 1, __ATOMIC_SEQ_CST);
}

static cl_ulong time_of(cl_event event, cl_profiling_info which)
{
    return QUERY(cl_ulong, clGetEventProfilingInfo, event, which);
}

/* It waits for events, and its own is that of one command. */
static void test_events(void **state)
{
    (void)state;
    cl_int err;
    cl_mem mem = numbers(1);
    cl_event gate = clCreateUserEvent(context, &err), event;
    int calls = 0;
    commands c = buffer_on(queue);
    for (int i = 0; i < 3; i++) record(c, "add", mem, 1, 0);
    OK(p_clFinalizeCommandBufferKHR(c));
    OK(p_clEnqueueCommandBufferKHR(0, NULL, c, 1, &gate, &event));
    assert_int_equal(QUERY(cl_uint, clGetEventInfo, event, CL_EVENT_COMMAND_TYPE), CL_COMMAND_COMMAND_BUFFER_KHR);
    assert_ptr_equal(QUERY(cl_command_queue, clGetEventInfo, event, CL_EVENT_COMMAND_QUEUE), queue);
    assert_ptr_equal(QUERY(cl_context, clGetEventInfo, event, CL_EVENT_CONTEXT), context);
    assert_int_equal(QUERY(cl_uint, clGetEventInfo, event, CL_EVENT_REFERENCE_COUNT), 1);
    assert_int_equal(event_status(event), CL_SUBMITTED);
    for (int status = CL_COMPLETE; status <= CL_SUBMITTED; status++)
        OK(clSetEventCallback(event, status, seen, &calls));
    FAILS(CL_PROFILING_INFO_NOT_AVAILABLE, clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, 0, NULL, NULL));
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(1, &event));
    assert_int_equal(event_status(event), CL_COMPLETE);
    assert_int_equal(number(queue, mem), 4);
    assert_true(time_of(event, CL_PROFILING_COMMAND_QUEUED) <= time_of(event, CL_PROFILING_COMMAND_SUBMIT));
    assert_true(time_of(event, CL_PROFILING_COMMAND_SUBMIT) <= time_of(event, CL_PROFILING_COMMAND_START));
    assert_true(time_of(event, CL_PROFILING_COMMAND_START) < time_of(event, CL_PROFILING_COMMAND_END));
    while (__atomic_load_n(&calls, __ATOMIC_SEQ_CST) < 3) usleep(1000);
    assert_int_equal(calls, 3);
    OK(clReleaseEvent(event));
    OK(clReleaseEvent(gate));
    OK(p_clReleaseCommandBufferKHR(c));
    OK(clReleaseMemObject(mem));
}

/* While a command of it waits for the thread of another one, the event says that it runs. */
static void test_running(void **state)
{
    (void)state;
    cl_event event;
    cl_program endless = program_build("kernel void wait(global int *p) { while (atomic_or(p, 0) == 0) {} }\n"
                                       "kernel void pass(global int *p) { atomic_xchg(p, 1); }\n",
                                       NULL);
    cl_int err;
    cl_mem mem = numbers(0);
    cl_kernel kernel = clCreateKernel(endless, "wait", &err), pass = clCreateKernel(endless, "pass", &err);
    OK(clSetKernelArg(pass, 0, sizeof mem, &mem));
    OK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
    commands c = buffer_on(queue);
    OK(p_clCommandNDRangeKernelKHR(c, NULL, NULL, kernel, 1, NULL, &(size_t){1}, NULL, 0, NULL, NULL, NULL));
    OK(p_clFinalizeCommandBufferKHR(c));
    enqueue(c, &event);
    assert_int_equal(event_status(event), CL_RUNNING);
    OK(clEnqueueTask(unordered, pass, 0, NULL, NULL));
    OK(clFlush(unordered));
    OK(clFinish(queue));
    assert_int_equal(event_status(event), CL_COMPLETE);
    OK(clReleaseEvent(event));
    OK(p_clReleaseCommandBufferKHR(c));
    OK(clReleaseKernel(kernel));
    OK(clReleaseKernel(pass));
    OK(clReleaseProgram(endless));
    OK(clReleaseMemObject(mem));
}

static void test_failures(void **state)
{
    (void)state;
    cl_int err;
    cl_mem mem = numbers(1);
    cl_event gate = clCreateUserEvent(context, &err), event;
    commands c = buffer_on(queue), bad = buffer_on(queue);
    record(c, "add", mem, 1, 0);
    OK(p_clFinalizeCommandBufferKHR(c));
    OK(p_clEnqueueCommandBufferKHR(0, NULL, c, 1, &gate, &event));
    OK(clSetUserEventStatus(gate, -7));
    FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &event));
    assert_int_equal(number(queue, mem), 1); /* it has not run */
    OK(clReleaseEvent(event));
    setenv("VENTUS_DEBUG", "0", 1);
    const point wild = record(bad, "stray", mem, 0x10000000, 0);
    record(bad, "add", mem, 10, wild);
    OK(p_clFinalizeCommandBufferKHR(bad));
    enqueue(bad, &event);
    FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &event));
    assert_true(event_status(event) < 0);
    unsetenv("VENTUS_DEBUG");
    enqueue(c, NULL);
    clFinish(queue);
    assert_int_equal(number(queue, mem), 2); /* order is not dependence, but a synchronization point is */
    OK(clReleaseEvent(event));
    OK(clReleaseEvent(gate));
    OK(p_clReleaseCommandBufferKHR(c));
    OK(p_clReleaseCommandBufferKHR(bad));
    OK(clReleaseMemObject(mem));
}

static void test_printf(void **state)
{
    (void)state;
    char text[64] = "";
    commands c = buffer_on(queue);
    record(c, "say", NULL, 4, 0);
    record(c, "say", NULL, 5, 0);
    OK(p_clFinalizeCommandBufferKHR(c));
    fflush(stdout);
    FILE *file = tmpfile();
    int saved = dup(1);
    dup2(fileno(file), 1);
    enqueue(c, NULL);
    enqueue(c, NULL);
    OK(clFinish(queue));
    fflush(stdout);
    dup2(saved, 1);
    close(saved);
    rewind(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    assert_string_equal(text, "said 4\nsaid 5\nsaid 4\nsaid 5\n");
    OK(p_clReleaseCommandBufferKHR(c));
}

/* The client lets go of all but the memory at once; what has been enqueued is done. */
static void test_release_in_flight(void **state)
{
    (void)state;
    cl_int err;
    cl_mem mem = numbers(0);
    cl_command_queue q = clCreateCommandQueue(context, device, 0, &err);
    commands c = buffer_on(q);
    for (int i = 0; i < 50; i++) record(c, "add", mem, 1, 0);
    OK(clReleaseCommandQueue(q));
    OK(p_clFinalizeCommandBufferKHR(c));
    cl_event event;
    enqueue(c, NULL);
    enqueue(c, &event);
    OK(p_clReleaseCommandBufferKHR(c));
    OK(clWaitForEvents(1, &event));
    assert_int_equal(number(queue, mem), 100);
    OK(clReleaseEvent(event));
    OK(clReleaseMemObject(mem));
}

/* A range without work-items is a place in the order. */
static void test_empty_range(void **state)
{
    (void)state;
    const size_t none = 0;
    cl_mem mem = numbers(3);
    cl_kernel kernel = kernel_new("add", mem, 1);
    commands c = buffer_on(queue);
    OK(p_clCommandNDRangeKernelKHR(c, NULL, NULL, kernel, 1, NULL, &none, NULL, 0, NULL, NULL, NULL));
    OK(p_clFinalizeCommandBufferKHR(c));
    enqueue(c, NULL);
    assert_int_equal(number(queue, mem), 3);
    OK(clReleaseKernel(kernel));
    OK(p_clReleaseCommandBufferKHR(c));
    OK(clReleaseMemObject(mem));
}

/* A buffer without commands waits for its list, too, and passes its failure on. */
static void test_empty_buffer(void **state)
{
    cl_int err;
    (void)state;
    commands c = buffer_on(unordered);
    OK(p_clFinalizeCommandBufferKHR(c));
    for (cl_int end = -1; end <= 0; end++) {
        cl_event gate = clCreateUserEvent(context, &err), event;
        OK(err);
        OK(p_clEnqueueCommandBufferKHR(0, NULL, c, 1, &gate, &event));
        assert_true(QUERY(cl_int, clGetEventInfo, event, CL_EVENT_COMMAND_EXECUTION_STATUS) > CL_COMPLETE);
        OK(clSetUserEventStatus(gate, end));
        const cl_int waited = clWaitForEvents(1, &event);
        assert_int_equal(waited, end ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS);
        OK(clReleaseEvent(event));
        OK(clReleaseEvent(gate));
    }
    OK(p_clReleaseCommandBufferKHR(c));
}

int main(void)
{
    // clang-format off
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorded_stays), cmocka_unit_test(test_in_order), cmocka_unit_test(test_out_of_order),
        cmocka_unit_test(test_images), cmocka_unit_test(test_events), cmocka_unit_test(test_running),
        cmocka_unit_test(test_failures), cmocka_unit_test(test_printf), cmocka_unit_test(test_release_in_flight),
        cmocka_unit_test(test_empty_range), cmocka_unit_test(test_empty_buffer),
    };
    // clang-format on
    return cmocka_run_group_tests(tests, setup, teardown);
}
