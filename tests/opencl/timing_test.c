/* A device whose machine file asks for a cycle model: times and counters of its events are those of the model. */
#include "check.h"
#include "opencl/cl_ventus.h"

enum { MHZ = 250, ITEMS = 2048, LOCAL = 64, LAUNCHES = 6 };

static int timed_setup(void **state)
{
    char text[80];
    snprintf(text, sizeof text, "sms = 4\nclock_mhz = %d\ntiming = large", MHZ);
    return check_machine(text) || check_setup(state);
}

static cl_ulong ask(cl_event event, cl_profiling_info what)
{
    return QUERY(cl_ulong, clGetEventProfilingInfo, event, what);
}

static cl_kernel kernel_new(cl_mem mem)
{
    static const char source[] = "kernel void add(global int *a) { a[get_global_id(0)] += 3; }";
    cl_int err;
    cl_program program = program_build(source, "");
    cl_kernel kernel = clCreateKernel(program, "add", &err);
    OK(err);
    OK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
    OK(clReleaseProgram(program));
    return kernel;
}

static cl_event launch_in(cl_command_queue q, cl_kernel kernel, size_t items, size_t local)
{
    cl_event event;
    OK(clEnqueueNDRangeKernel(q, kernel, 1, NULL, &items, &local, 0, NULL, &event));
    return event;
}

static cl_event launch(cl_command_queue q, cl_kernel kernel, size_t items)
{
    return launch_in(q, kernel, items, LOCAL);
}

/* Its time is that of its cycles. */
static cl_ulong checked_cycles(cl_event event)
{
    cl_ulong cycles = ask(event, CL_PROFILING_COMMAND_CYCLES_VENTUS), start = ask(event, CL_PROFILING_COMMAND_START);
    cl_ulong ns = ask(event, CL_PROFILING_COMMAND_END) - start;
    assert_in_range(ns, cycles * 1000 / MHZ, cycles * 1000 / MHZ + 1);
    assert_true(ask(event, CL_PROFILING_COMMAND_QUEUED) <= ask(event, CL_PROFILING_COMMAND_SUBMIT));
    assert_true(ask(event, CL_PROFILING_COMMAND_SUBMIT) <= start);
    return cycles;
}

/* The second level and the rows of memory are as the launch before has left them. */
static void assert_near(cl_ulong a, cl_ulong b) { assert_in_range(a, b * 9 / 10, b * 11 / 10); }

/* Launches follow each other by the model's clock, whatever the host's says, and work-groups share the SMs. */
static void test_times(void **state)
{
    (void)state;
    cl_event events[LAUNCHES];
    cl_mem mem = buffer_new(0, ITEMS * sizeof(cl_int), NULL);
    cl_kernel kernel = kernel_new(mem);
    for (int i = 0; i < LAUNCHES; i++) events[i] = launch(queue, kernel, i ? ITEMS : LOCAL);
    OK(clFinish(queue));
    cl_ulong one = checked_cycles(events[0]), all = checked_cycles(events[1]);
    assert_in_range(all, one + 1, one * (ITEMS / LOCAL) / 3);
    for (int i = 1; i < LAUNCHES; i++) {
        assert_near(checked_cycles(events[i]), all);
        assert_int_equal(ask(events[i], CL_PROFILING_COMMAND_GROUPS_VENTUS), ITEMS / LOCAL);
        cl_ulong before = ask(events[i - 1], CL_PROFILING_COMMAND_END);
        assert_in_range(ask(events[i], CL_PROFILING_COMMAND_START), before, before + 1000);
    }
    for (int i = 0; i < LAUNCHES; i++) OK(clReleaseEvent(events[i]));
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(mem));
}

enum { IN_ORDER, ALSO_IN_ORDER, OUT_OF_ORDER, QUEUES };

/* Begin and end of two launches in each queue of a context, counted from the first begin. */
static void times_of_queues(cl_context new, cl_ulong times[QUEUES][2][2])
{
    cl_int err;
    cl_context outside = context;
    cl_command_queue queues[QUEUES];
    cl_event events[QUEUES][2];
    context = new;
    cl_mem mem = buffer_new(0, ITEMS * sizeof(cl_int), NULL);
    cl_kernel kernel = kernel_new(mem);
    for (int q = 0; q < QUEUES; q++) {
        cl_command_queue_properties order = q == OUT_OF_ORDER ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0;
        queues[q] = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE | order, &err);
        OK(err);
        for (int i = 0; i < 2; i++) {
            events[q][i] = launch(queues[q], kernel, 4 * LOCAL);
            usleep(5000); /* however long the host takes to queue them */
        }
    }
    for (int q = 0; q < QUEUES; q++) OK(clFinish(queues[q]));
    cl_ulong first = ask(events[0][0], CL_PROFILING_COMMAND_START);
    for (int q = 0; q < QUEUES; q++) {
        for (int i = 0; i < 2; i++) {
            checked_cycles(events[q][i]);
            times[q][i][0] = ask(events[q][i], CL_PROFILING_COMMAND_START) - first;
            times[q][i][1] = ask(events[q][i], CL_PROFILING_COMMAND_END) - first;
            OK(clReleaseEvent(events[q][i]));
        }
        OK(clReleaseCommandQueue(queues[q]));
    }
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(mem));
    context = outside;
}

/* Kernels that do not wait for each other run at the same time, those of an in-order queue one after another; the same
 * on another machine, which has run nothing before either. */
/* Small groups are those of the program: the model shows what they cost. */
static void test_small_groups(void **state)
{
    (void)state;
    cl_mem mem = buffer_new(0, ITEMS * sizeof(cl_int), NULL);
    cl_kernel kernel = kernel_new(mem);
    cl_event event = launch_in(queue, kernel, ITEMS, 8);
    OK(clFinish(queue));
    assert_int_equal(ask(event, CL_PROFILING_COMMAND_GROUPS_VENTUS), ITEMS / 8);
    OK(clReleaseEvent(event));
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(mem));
}

static void test_queues(void **state)
{
    cl_ulong times[QUEUES][2][2], again[QUEUES][2][2];
    cl_context contexts[2];
    cl_int err;
    (void)state;
    for (int i = 0; i < 2; i++) {
        contexts[i] = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
        OK(err);
    }
    times_of_queues(contexts[0], times);
    for (int q = 0; q < QUEUES; q++) assert_int_equal(times[q][0][0], 0);
    assert_int_equal(times[OUT_OF_ORDER][1][0], 0);
    for (int q = 0; q < OUT_OF_ORDER; q++) assert_true(times[q][1][0] >= times[q][0][1]);
    assert_true(times[IN_ORDER][1][0] < times[ALSO_IN_ORDER][1][1] &&
                times[ALSO_IN_ORDER][1][0] < times[IN_ORDER][1][1]);
    times_of_queues(contexts[1], again);
    assert_memory_equal(times, again, sizeof times);
    for (int i = 0; i < 2; i++) OK(clReleaseContext(contexts[i]));
}

/* On one of four SMs a kernel that keeps them busy takes more than twice as long as on all. */
static void test_part(void **state)
{
    static const char source[] = "kernel void turn(global int *a) {\n"
                                 "  int n = get_global_id(0);\n"
                                 "  for (int i = 0; i < 200; i++) n = n * 5 + i;\n"
                                 "  a[get_global_id(0)] = n; }";
    static const cl_device_partition_property one[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 0, 0};
    const char *text = source;
    cl_device_id list[2] = {device};
    cl_ulong cycles[2];
    cl_int err;
    (void)state;
    OK(clCreateSubDevices(device, one, 1, &list[1], NULL));
    cl_context both = clCreateContext(NULL, 2, list, NULL, NULL, &err);
    OK(err);
    cl_program program = clCreateProgramWithSource(both, 1, &text, NULL, &err);
    OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "turn", &err);
    cl_mem mem = clCreateBuffer(both, 0, ITEMS * sizeof(cl_int), NULL, &err);
    OK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
    for (int i = 0; i < 2; i++) {
        cl_command_queue q = clCreateCommandQueue(both, list[i], CL_QUEUE_PROFILING_ENABLE, &err);
        cl_event event = launch(q, kernel, ITEMS);
        OK(clFinish(q));
        cycles[i] = checked_cycles(event);
        OK(clReleaseEvent(event));
        OK(clReleaseCommandQueue(q));
    }
    assert_true(cycles[1] > 2 * cycles[0]);
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    OK(clReleaseContext(both));
    OK(clReleaseDevice(list[1]));
}

/* Nothing but launches takes time. */
static void test_transfers(void **state)
{
    (void)state;
    cl_int word = 7;
    cl_event event;
    cl_mem mem = buffer_new(0, sizeof word, NULL);
    OK(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, sizeof word, &word, 0, NULL, &event));
    assert_int_equal(ask(event, CL_PROFILING_COMMAND_START), ask(event, CL_PROFILING_COMMAND_END));
    FAILS(CL_INVALID_VALUE,
          clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_CYCLES_VENTUS, sizeof(cl_ulong), &(cl_ulong){0}, NULL));
    OK(clReleaseEvent(event));
    OK(clReleaseMemObject(mem));
}

/* Each context has a clock of its own: there is none for the device. */
static void test_no_timer(void **state)
{
    cl_ulong time;
    (void)state;
    assert_int_equal(QUERY(cl_ulong, clGetPlatformInfo, platform, CL_PLATFORM_HOST_TIMER_RESOLUTION), 0);
    FAILS(CL_INVALID_OPERATION, clGetHostTimer(device, &time));
    FAILS(CL_INVALID_OPERATION, clGetDeviceAndHostTimer(device, &time, &time));
    FAILS(CL_INVALID_DEVICE, clGetHostTimer((cl_device_id)context, &time));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times), cmocka_unit_test(test_small_groups), cmocka_unit_test(test_queues),
        cmocka_unit_test(test_part),  cmocka_unit_test(test_no_timer),     cmocka_unit_test(test_transfers),
    };
    return cmocka_run_group_tests(tests, timed_setup, check_teardown);
}
