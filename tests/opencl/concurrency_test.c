/* Commands at once: out-of-order queues and several queues, what orders them, and what becomes of commands when their
 * queue or context goes. Kernels that wait for one another show that they run at the same time: if they did not,
 * the test would not end. */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "check.h"
#include "opencl/cl_ventus.h"

static const char source[] =
    "kernel void meet(global int *at, int mine, int other) {\n" /* ends when another work-item has set `other` */
    "    atomic_xchg(&at[mine], 1);\n"
    "    while (!atomic_or(&at[other], 0));\n"
    "}\n"
    "kernel void set(global int *at, int i) { atomic_xchg(&at[i], 1); }\n"
    "kernel void step(global int *at, int n) { *at = *at * 3 + n; }\n"
    "kernel void slow_step(global int *at, int n) {\n"
    "    for (int i = 0; i < 4000; i++) atomic_inc(&at[1]);\n"
    "    *at = *at * 3 + n;\n"
    "}\n"
    "kernel void stray(global int *at) { at[0x30000000] = 1; }\n"
    "kernel void endless(global int *at) { while (1) atomic_inc(at); }\n";
static const char talker[] = "kernel void talk(global int *at) {\n"
                             "    for (int i = 0; i < 300000; i++) atomic_inc(at);\n"
                             "    printf(\"said %d\\n\", *at);\n"
                             "}\n";

static cl_program program;

static int setup(void **state)
{
    if (check_setup(state)) return -1;
    program = program_build(source, NULL);
    return 0;
}

static int teardown(void **state) { return clReleaseProgram(program) || check_teardown(state); }

static cl_command_queue queue_new(cl_context c, bool in_order)
{
    cl_int err;
    cl_command_queue_properties p = in_order ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    cl_command_queue q = clCreateCommandQueue(c, device, p | CL_QUEUE_PROFILING_ENABLE, &err);
    OK(err);
    return q;
}

/* Enqueues one work-item of `name` with up to two numbers behind its buffer. */
static void run(cl_command_queue q, const char *name, cl_mem mem, int a, int b, cl_uint nwaits, const cl_event *waits,
                cl_event *event)
{
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, name, &err);
    OK(err);
    cl_uint nargs = QUERY(cl_uint, clGetKernelInfo, kernel, CL_KERNEL_NUM_ARGS);
    OK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
    if (nargs > 1) OK(clSetKernelArg(kernel, 1, sizeof a, &a));
    if (nargs > 2) OK(clSetKernelArg(kernel, 2, sizeof b, &b));
    OK(clEnqueueNDRangeKernel(q, kernel, 1, NULL, (size_t[]){1}, NULL, nwaits, waits, event));
    OK(clReleaseKernel(kernel));
}

static cl_mem zeros(void)
{
    int zero[4] = {0};
    return buffer_new(CL_MEM_COPY_HOST_PTR, sizeof zero, zero);
}

static int value(cl_mem mem)
{
    int v = -1;
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof v, &v, 0, NULL, NULL));
    return v;
}

static cl_ulong time_of(cl_event event, cl_profiling_info what)
{
    return QUERY(cl_ulong, clGetEventProfilingInfo, event, what);
}

/* ---- at once ---- */

static void test_properties(void **state)
{
    (void)state;
    const cl_command_queue_properties both = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, both, 0};
    cl_int err;
    assert_int_equal(QUERY(cl_command_queue_properties, clGetDeviceInfo, device, CL_DEVICE_QUEUE_ON_HOST_PROPERTIES),
                     both);
    cl_command_queue q = queue_new(context, false), p = clCreateCommandQueueWithProperties(context, device, list, &err);
    OK(err);
    assert_int_equal(QUERY(cl_command_queue_properties, clGetCommandQueueInfo, q, CL_QUEUE_PROPERTIES), both);
    assert_int_equal(QUERY(cl_command_queue_properties, clGetCommandQueueInfo, p, CL_QUEUE_PROPERTIES), both);
    OK(clReleaseCommandQueue(q));
    OK(clReleaseCommandQueue(p));
}

/* Two kernels that need each other, on these two queues. */
static void meet_on(cl_command_queue a, cl_command_queue b)
{
    cl_event events[2];
    cl_mem mem = zeros();
    run(a, "meet", mem, 0, 1, 0, NULL, &events[0]);
    run(b, "meet", mem, 1, 0, 0, NULL, &events[1]);
    OK(clWaitForEvents(2, events));
    for (int i = 0; i < 2; i++) {
        cl_ulong queued = time_of(events[i], CL_PROFILING_COMMAND_QUEUED);
        cl_ulong submit = time_of(events[i], CL_PROFILING_COMMAND_SUBMIT);
        cl_ulong start = time_of(events[i], CL_PROFILING_COMMAND_START);
        assert_true(queued <= submit && submit <= start);
        assert_true(start < time_of(events[!i], CL_PROFILING_COMMAND_END));
    }
    OK(clReleaseEvent(events[0]));
    OK(clReleaseEvent(events[1]));
    OK(clReleaseMemObject(mem));
}

static void test_at_once(void **state)
{
    (void)state;
    cl_command_queue a = queue_new(context, true), b = queue_new(context, true), any = queue_new(context, false);
    for (int i = 0; i < 10; i++) {
        meet_on(any, any);
        meet_on(a, b);
        meet_on(any, a);
    }
    OK(clFinish(any));
    OK(clReleaseCommandQueue(a));
    OK(clReleaseCommandQueue(b));
    OK(clReleaseCommandQueue(any));
}

/* Transfers beside a kernel that goes on. */
static void test_transfer_beside(void **state)
{
    (void)state;
    cl_command_queue any = queue_new(context, false);
    for (int i = 0; i < 10; i++) {
        cl_mem mem = zeros(), other = zeros();
        cl_event waiting, written;
        int n = -1;
        run(any, "meet", mem, 0, 1, 0, NULL, &waiting);
        OK(clEnqueueWriteBuffer(any, other, i % 2, 0, 4, &i, 0, NULL, &written));
        OK(clEnqueueReadBuffer(any, other, CL_TRUE, 0, 4, &n, 1, &written, NULL));
        assert_int_equal(n, i);
        assert_true(event_status(waiting) > CL_COMPLETE);
        run(any, "set", mem, 1, 0, 0, NULL, NULL);
        OK(clFinish(any));
        OK(clReleaseEvent(waiting));
        OK(clReleaseEvent(written));
        OK(clReleaseMemObject(mem));
        OK(clReleaseMemObject(other));
    }
    OK(clReleaseCommandQueue(any));
}

/* A kernel that fails fails alone. */
static void test_fault_beside(void **state)
{
    (void)state;
    cl_command_queue a = queue_new(context, true), b = queue_new(context, false);
    cl_mem mem = zeros();
    cl_event waiting, failed;
    run(a, "meet", mem, 0, 1, 0, NULL, &waiting);
    run(b, "stray", mem, 0, 0, 0, NULL, &failed);
    FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &failed));
    assert_int_equal(event_status(failed), CL_OUT_OF_RESOURCES);
    assert_true(event_status(waiting) > CL_COMPLETE);
    run(b, "set", mem, 1, 0, 0, NULL, NULL);
    OK(clWaitForEvents(1, &waiting));
    OK(clReleaseEvent(waiting));
    OK(clReleaseEvent(failed));
    OK(clReleaseMemObject(mem));
    OK(clReleaseCommandQueue(a));
    OK(clReleaseCommandQueue(b));
}

/* ---- order ---- */

/* What comes behind a barrier comes after all before it; a marker ends after all before it. */
static void test_barrier(void **state)
{
    (void)state;
    cl_command_queue any = queue_new(context, false);
    for (int i = 0; i < 10; i++) {
        cl_mem mem = zeros();
        cl_event marker;
        run(any, "slow_step", mem, 1, 0, 0, NULL, NULL);
        if (i % 2) OK(clEnqueueBarrier(any));
        else OK(clEnqueueBarrierWithWaitList(any, 0, NULL, NULL));
        run(any, "step", mem, 2, 0, 0, NULL, NULL);
        OK(clEnqueueMarkerWithWaitList(any, 0, NULL, &marker));
        OK(clWaitForEvents(1, &marker));
        assert_int_equal(value(mem), 5);
        OK(clReleaseEvent(marker));
        OK(clReleaseMemObject(mem));
    }
    OK(clReleaseCommandQueue(any));
}

/* With a wait list a barrier waits for that alone, a marker holds nobody up. */
static void test_barrier_with_list(void **state)
{
    (void)state;
    cl_int err;
    cl_command_queue any = queue_new(context, false);
    cl_mem mem = zeros(), free_mem = zeros();
    cl_event gate = clCreateUserEvent(context, &err), held, passed, barrier;
    run(any, "meet", mem, 0, 1, 0, NULL, NULL);
    OK(clEnqueueMarkerWithWaitList(any, 0, NULL, &held));
    run(any, "step", free_mem, 5, 0, 0, NULL, &passed);
    OK(clWaitForEvents(1, &passed)); /* beside the first, which the marker waits for */
    assert_int_equal(event_status(held), CL_SUBMITTED);
    OK(clReleaseEvent(passed));
    OK(clEnqueueBarrierWithWaitList(any, 1, &gate, &barrier));
    run(any, "step", free_mem, 6, 0, 0, NULL, &passed);
    usleep(20000);
    assert_int_equal(event_status(passed), CL_SUBMITTED);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(1, &passed));
    assert_int_equal(event_status(barrier), CL_COMPLETE);
    assert_int_equal(value(free_mem), 5 * 3 + 6);
    assert_int_equal(event_status(held), CL_SUBMITTED);
    run(queue, "set", mem, 1, 0, 0, NULL, NULL);
    OK(clWaitForEvents(1, &held));
    OK(clFinish(any));
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(held));
    OK(clReleaseEvent(passed));
    OK(clReleaseEvent(barrier));
    OK(clReleaseMemObject(mem));
    OK(clReleaseMemObject(free_mem));
    OK(clReleaseCommandQueue(any));
}

/* The order of wait lists, and that of an in-order queue. */
static void test_chain(void **state)
{
    (void)state;
    enum { N = 150 };
    for (int in_order = 0; in_order < 2; in_order++) {
        cl_command_queue q = queue_new(context, in_order);
        cl_mem mem = zeros();
        cl_event last = NULL;
        unsigned want = 0;
        for (int i = 0; i < N; i++) {
            cl_event next = NULL;
            bool wait = !in_order && last;
            run(q, i % 10 ? "step" : "slow_step", mem, i, 0, wait, wait ? &last : NULL, in_order ? NULL : &next);
            if (last) OK(clReleaseEvent(last));
            last = next;
            want = want * 3 + (unsigned)i;
        }
        OK(clFinish(q));
        assert_int_equal(value(mem), (int)want);
        if (last) OK(clReleaseEvent(last));
        OK(clReleaseMemObject(mem));
        OK(clReleaseCommandQueue(q));
    }
}

/* A failure reaches those who wait for it by their list, and nobody else. */
static void test_failure(void **state)
{
    (void)state;
    cl_command_queue any = queue_new(context, false);
    cl_mem mem = zeros();
    cl_event failed, behind, third;
    run(any, "stray", mem, 0, 0, 0, NULL, &failed);
    run(any, "step", mem, 1, 0, 1, &failed, &behind);
    OK(clEnqueueBarrierWithWaitList(any, 0, NULL, NULL));
    run(any, "step", mem, 2, 0, 0, NULL, &third);
    OK(clWaitForEvents(1, &third)); /* not in order: the others are none of its business */
    FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &behind));
    assert_int_equal(event_status(behind), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_int_equal(event_status(failed), CL_OUT_OF_RESOURCES);
    assert_int_equal(value(mem), 2);
    run(any, "stray", mem, 0, 0, 0, NULL, NULL);
    FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clFinish(any)); /* nobody has been told */
    OK(clReleaseEvent(failed));
    OK(clReleaseEvent(behind));
    OK(clReleaseEvent(third));
    OK(clReleaseMemObject(mem));
    OK(clReleaseCommandQueue(any));
}

/* Nor does it stop what is only behind it: in an in-order queue, or behind a barrier. */
static void test_failure_in_order(void **state)
{
    (void)state;
    for (int in_order = 0; in_order < 2; in_order++) {
        cl_int err;
        cl_command_queue q = queue_new(context, in_order);
        cl_mem mem = zeros();
        cl_event gate = clCreateUserEvent(context, &err), behind;
        if (in_order) run(q, "stray", mem, 0, 0, 1, &gate, NULL);
        else OK(clEnqueueBarrierWithWaitList(q, 1, &gate, NULL));
        run(q, "step", mem, 3, 0, 0, NULL, &behind);
        OK(clSetUserEventStatus(gate, in_order ? CL_COMPLETE : -3));
        const cl_int seen = in_order ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS;
        FAILS(seen, clWaitForEvents(1, &behind));
        assert_int_equal(event_status(behind), CL_COMPLETE);
        assert_int_equal(value(mem), 3);
        FAILS(seen, clFinish(q));
        OK(clReleaseEvent(gate));
        OK(clReleaseEvent(behind));
        OK(clReleaseMemObject(mem));
        OK(clReleaseCommandQueue(q));
    }
}

/* Many more commands than a queue remembers at once. */
static void test_many(void **state)
{
    (void)state;
    enum { N = 3000 };
    cl_int err;
    cl_command_queue any = queue_new(context, false);
    cl_mem mem = zeros();
    cl_event gate = clCreateUserEvent(context, &err), marker;
    for (int i = 0; i < N; i++) OK(clEnqueueMarkerWithWaitList(any, i % 3 ? 0 : 1, i % 3 ? NULL : &gate, NULL));
    OK(clEnqueueBarrier(any));
    OK(clEnqueueFillBuffer(any, mem, &(int){9}, 4, 0, 4, 0, NULL, &marker));
    assert_int_equal(event_status(marker), CL_SUBMITTED);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(1, &marker));
    assert_int_equal(value(mem), 9);
    OK(clFinish(any));
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(marker));
    OK(clReleaseMemObject(mem));
    OK(clReleaseCommandQueue(any));
}

/* ---- when queue and context go ---- */

/* A context of its own with a kernel that has begun and never ends; what the client holds of it. */
struct abandoned {
    cl_context context;
    cl_command_queue queue;
    cl_mem mem;
    cl_event event;
    cl_semaphore_khr semaphore;
};

static cl_semaphore_khr semaphore_new(cl_context c)
{
    static const cl_semaphore_properties_khr binary[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
    const clCreateSemaphoreWithPropertiesKHR_fn create =
        clGetExtensionFunctionAddressForPlatform(platform, "clCreateSemaphoreWithPropertiesKHR");
    cl_int err;
    cl_semaphore_khr s = create(c, binary, &err);
    OK(err);
    return s;
}

static void semaphore_release(cl_semaphore_khr s)
{
    const clReleaseSemaphoreKHR_fn release =
        clGetExtensionFunctionAddressForPlatform(platform, "clReleaseSemaphoreKHR");
    OK(release(s));
}

static struct abandoned start_endless(const char *text, const char *name)
{
    cl_int err;
    struct abandoned a = {.context = clCreateContext(NULL, 1, &device, NULL, NULL, &err)};
    OK(err);
    a.queue = queue_new(a.context, true);
    a.mem = clCreateBuffer(a.context, 0, 16, NULL, &err);
    OK(err);
    cl_program p = clCreateProgramWithSource(a.context, 1, &text, NULL, &err);
    OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    cl_kernel kernel = clCreateKernel(p, name, &err);
    OK(err);
    OK(clSetKernelArg(kernel, 0, sizeof a.mem, &a.mem));
    OK(clEnqueueNDRangeKernel(a.queue, kernel, 1, NULL, (size_t[]){1}, NULL, 0, NULL, &a.event));
    while (event_status(a.event) == CL_SUBMITTED) usleep(1000);
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(p));
    return a;
}

static uint64_t processor_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Does anything of this process compute? For a while it may: a kernel takes some time to cancel. */
static void becomes_quiet(void)
{
    for (int i = 0; i < 100; i++) {
        uint64_t before = processor_ns();
        usleep(50000);
        if (processor_ns() - before < 5000000) return;
    }
    fail_msg("a kernel goes on that nobody can see");
}

/* Whatever goes last, with commands of all kinds behind the kernel. */
static void test_abandoned(void **state)
{
    (void)state;
    for (int last = 0; last < 5; last++) {
        static char out[16];
        struct abandoned a = start_endless(source, "endless");
        a.semaphore = semaphore_new(a.context);
        OK(clEnqueueReadBuffer(a.queue, a.mem, CL_FALSE, 0, 16, out, 0, NULL, NULL));
        OK(clEnqueueBarrier(a.queue));
        OK(clEnqueueFillBuffer(a.queue, a.mem, "x", 1, 0, 16, 0, NULL, NULL));
        if (last != 0) OK(clReleaseContext(a.context));
        if (last != 1) OK(clReleaseCommandQueue(a.queue));
        if (last != 2) OK(clReleaseMemObject(a.mem));
        if (last != 3) OK(clReleaseEvent(a.event));
        if (last != 4) semaphore_release(a.semaphore);
        if (last == 1) OK(clReleaseCommandQueue(a.queue));
        if (last == 2) OK(clReleaseMemObject(a.mem));
        if (last == 3) OK(clReleaseEvent(a.event));
        if (last == 4) semaphore_release(a.semaphore);
        becomes_quiet();
        if (last == 0) OK(clReleaseContext(a.context)); /* by a context alone nothing can be seen */
    }
}

/* A kernel without end keeps nothing from another context, whatever is built and launched there. */
static void test_other_context(void **state)
{
    (void)state;
    struct abandoned a = start_endless(source, "endless");
    for (int i = 0; i < 3; i++) {
        cl_mem mem = zeros();
        run(queue, "step", mem, 7, 0, 0, NULL, NULL);
        assert_int_equal(value(mem), 7);
        OK(clReleaseMemObject(mem));
    }
    assert_int_equal(event_status(a.event), CL_RUNNING);
    OK(clReleaseEvent(a.event));
    OK(clReleaseMemObject(a.mem));
    OK(clReleaseCommandQueue(a.queue));
    OK(clReleaseContext(a.context));
}

/* As long as the client holds a buffer, results count: here kernels of another queue wait for them. */
static void test_queue_gone(void **state)
{
    (void)state;
    cl_mem mem = zeros();
    cl_command_queue q = queue_new(context, true);
    run(q, "meet", mem, 0, 1, 0, NULL, NULL);
    run(q, "meet", mem, 2, 3, 0, NULL, NULL);
    OK(clReleaseCommandQueue(q));
    usleep(20000);
    run(queue, "set", mem, 1, 0, 0, NULL, NULL);
    run(queue, "meet", mem, 3, 2, 0, NULL, NULL);
    assert_int_equal(value(mem), 1);
    OK(clReleaseMemObject(mem));
}

static pthread_mutex_t called_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t called = PTHREAD_COND_INITIALIZER;
static int called_with;

static void CL_CALLBACK on_end(cl_event event, cl_int status, void *data)
{
    (void)event, (void)data;
    pthread_mutex_lock(&called_lock);
    called_with = status;
    pthread_cond_signal(&called);
    pthread_mutex_unlock(&called_lock);
}

/* An event, and a callback that is still to come, count like a buffer. */
static void test_event_left(void **state)
{
    (void)state;
    for (int callback = 0; callback < 2; callback++) {
        cl_int err;
        cl_context c = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
        cl_command_queue q = queue_new(c, true);
        cl_mem mem = clCreateBuffer(c, 0, 1 << 20, NULL, &err);
        cl_event event;
        for (int i = 0; i < 50; i++) OK(clEnqueueFillBuffer(q, mem, "abcd", 4, 0, 1 << 20, 0, NULL, NULL));
        OK(clEnqueueMarkerWithWaitList(q, 0, NULL, &event));
        called_with = 1;
        if (callback) OK(clSetEventCallback(event, CL_COMPLETE, on_end, NULL));
        OK(clReleaseMemObject(mem));
        OK(clReleaseCommandQueue(q));
        OK(clReleaseContext(c));
        if (!callback) OK(clWaitForEvents(1, &event));
        OK(clReleaseEvent(event));
        pthread_mutex_lock(&called_lock);
        while (callback && called_with == 1) pthread_cond_wait(&called, &called_lock);
        if (callback) assert_int_equal(called_with, CL_COMPLETE);
        pthread_mutex_unlock(&called_lock);
    }
}

/* ---- what can be seen without any object ---- */

enum way { BY_BUFFER, BY_CONTEXT, BY_FUNCTION, WAYS };

static atomic_int told;

static void CL_CALLBACK tell_of_buffer(cl_mem mem, void *data) { (void)mem, (void)data, told = 1; }
static void CL_CALLBACK tell_of_context(cl_context c, void *data) { (void)c, (void)data, told = 1; }
static void CL_CALLBACK tell(void *data) { (void)data, told = 1; }

/* The commands run although the client has let go of everything: it is told when they have. */
static void test_told(void **state)
{
    static const char text[] = "kernel void slow(global int *a)\n"
                               "{ for (volatile int i = 0; i < 300000; i++); a[0] = 7; }\n";
    (void)state;
    for (enum way way = 0; way < WAYS; way++) {
        static int out;
        struct abandoned a = start_endless(text, "slow");
        out = told = 0;
        if (way == BY_BUFFER) OK(clSetMemObjectDestructorCallback(a.mem, tell_of_buffer, NULL));
        if (way == BY_CONTEXT) OK(clSetContextDestructorCallback(a.context, tell_of_context, NULL));
        OK(clEnqueueReadBuffer(a.queue, a.mem, CL_FALSE, 0, sizeof out, &out, 0, NULL, NULL));
        if (way == BY_FUNCTION) OK(clEnqueueNativeKernel(a.queue, tell, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
        OK(clReleaseEvent(a.event));
        OK(clReleaseMemObject(a.mem));
        OK(clReleaseCommandQueue(a.queue));
        OK(clReleaseContext(a.context));
        for (int i = 0; i < 20000 && !told; i++) usleep(1000);
        assert_true(told);
        assert_int_equal(out, 7);
    }
}

static void test_printing(void **state)
{
    (void)state;
    char text[32] = "";
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stdout);
    int saved = dup(1);
    dup2(fileno(file), 1);
    struct abandoned a = start_endless(talker, "talk");
    OK(clReleaseEvent(a.event));
    OK(clReleaseMemObject(a.mem));
    OK(clReleaseCommandQueue(a.queue));
    OK(clReleaseContext(a.context));
    for (int i = 0; i < 20000 && ftell(file) == 0; i++) {
        usleep(1000);
        fseek(file, 0, SEEK_END);
    }
    dup2(saved, 1);
    close(saved);
    rewind(file);
    assert_non_null(fgets(text, sizeof text, file));
    assert_string_equal(text, "said 300000\n");
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_properties),
        cmocka_unit_test(test_at_once),
        cmocka_unit_test(test_transfer_beside),
        cmocka_unit_test(test_fault_beside),
        cmocka_unit_test(test_barrier),
        cmocka_unit_test(test_barrier_with_list),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_failure),
        cmocka_unit_test(test_failure_in_order),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_abandoned),
        cmocka_unit_test(test_other_context),
        cmocka_unit_test(test_queue_gone),
        cmocka_unit_test(test_event_left),
        cmocka_unit_test(test_told),
        cmocka_unit_test(test_printing),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
