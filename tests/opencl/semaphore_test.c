/* cl_khr_semaphore: signals and waits within queues and across them, what becomes of waits that nobody serves, and what
 * each function refuses. */
#include <pthread.h>

#include "check.h"

typedef cl_semaphore_khr sema;

static clCreateSemaphoreWithPropertiesKHR_fn create;
static clEnqueueSignalSemaphoresKHR_fn signal_all;
static clEnqueueWaitSemaphoresKHR_fn wait_all;
static clGetSemaphoreInfoKHR_fn info;
static clRetainSemaphoreKHR_fn retain;
static clReleaseSemaphoreKHR_fn release;
static clGetSemaphoreHandleForTypeKHR_fn handle;
static cl_command_queue second, unordered;
static const cl_semaphore_properties_khr binary[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};

static int setup(void **state)
{
    cl_int err;
    if (check_setup(state)) return -1;
    create = clGetExtensionFunctionAddressForPlatform(platform, "clCreateSemaphoreWithPropertiesKHR");
    signal_all = clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueSignalSemaphoresKHR");
    wait_all = clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueWaitSemaphoresKHR");
    info = clGetExtensionFunctionAddressForPlatform(platform, "clGetSemaphoreInfoKHR");
    retain = clGetExtensionFunctionAddressForPlatform(platform, "clRetainSemaphoreKHR");
    release = clGetExtensionFunctionAddressForPlatform(platform, "clReleaseSemaphoreKHR");
    handle = clGetExtensionFunctionAddressForPlatform(platform, "clGetSemaphoreHandleForTypeKHR");
    second = clCreateCommandQueue(context, device, 0, &err);
    unordered = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &err);
    return create && signal_all && wait_all && info && retain && release && handle ? err : -1;
}

static int teardown(void **state)
{
    return clReleaseCommandQueue(second) || clReleaseCommandQueue(unordered) || check_teardown(state);
}

static sema new (void)
{
    cl_int err;
    sema s = create(context, binary, &err);
    OK(err);
    return s;
}

static cl_ulong payload(sema s) { return QUERY(cl_ulong, info, s, CL_SEMAPHORE_PAYLOAD_KHR); }

static void finished(cl_event event)
{
    OK(clWaitForEvents(1, &event));
    OK(clReleaseEvent(event));
}

static void test_queries(void **state)
{
    (void)state;
    cl_int err;
    char names[4096];
    size_t size;
    const cl_semaphore_properties_khr list[] = {CL_SEMAPHORE_TYPE_KHR,
                                                CL_SEMAPHORE_TYPE_BINARY_KHR,
                                                CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR,
                                                (cl_properties)device,
                                                0,
                                                0};
    cl_semaphore_properties_khr got[6];
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    assert_non_null(strstr(names, "cl_khr_semaphore"));
    assert_int_equal(QUERY(cl_uint, clGetDeviceInfo, device, CL_DEVICE_SEMAPHORE_TYPES_KHR), 1);
    assert_int_equal(QUERY(cl_uint, clGetPlatformInfo, platform, CL_PLATFORM_SEMAPHORE_TYPES_KHR), 1);
    sema s = create(context, list, &err);
    OK(err);
    assert_int_equal(QUERY(cl_uint, info, s, CL_SEMAPHORE_TYPE_KHR), CL_SEMAPHORE_TYPE_BINARY_KHR);
    assert_ptr_equal(QUERY(cl_context, info, s, CL_SEMAPHORE_CONTEXT_KHR), context);
    assert_ptr_equal(QUERY(cl_device_id, info, s, CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR), device);
    assert_int_equal(payload(s), 0);
    OK(info(s, CL_SEMAPHORE_PROPERTIES_KHR, sizeof got, got, &size));
    assert_int_equal(size, sizeof list);
    assert_memory_equal(got, list, size);
    FAILS(CL_INVALID_VALUE, info(s, CL_SEMAPHORE_PROPERTIES_KHR, 8, got, NULL));
    FAILS(CL_INVALID_VALUE, info(s, CL_SEMAPHORE_PAYLOAD_KHR, 4, got, NULL));
    FAILS(CL_INVALID_VALUE, info(s, 0xdead, 8, got, NULL));
    OK(retain(s));
    assert_int_equal(QUERY(cl_uint, info, s, CL_SEMAPHORE_REFERENCE_COUNT_KHR), 2);
    OK(release(s));
    assert_int_equal(QUERY(cl_uint, info, s, CL_SEMAPHORE_REFERENCE_COUNT_KHR), 1);
    OK(release(s));
}

static void test_create_errors(void **state)
{
    (void)state;
    cl_int err;
    const cl_properties type = CL_SEMAPHORE_TYPE_KHR, devices = CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR;
    const cl_properties us = (cl_properties)device, other = (cl_properties)queue;
    // clang-format off
    const struct { cl_int error; cl_properties list[8]; } rows[] = {
        {CL_INVALID_VALUE, {0}}, {CL_INVALID_VALUE, {devices, us, 0, 0}},
        {CL_INVALID_PROPERTY, {~0ul, 1, 0}}, {CL_INVALID_PROPERTY, {type, 2, 0}},
        {CL_INVALID_PROPERTY, {type, 1, type, 0}}, {CL_INVALID_PROPERTY, {type, 1, devices, us, 0, devices, us, 0}},
        {CL_INVALID_DEVICE, {type, 1, devices, 0, 0}}, {CL_INVALID_DEVICE, {type, 1, devices, us, us, 0, 0}},
        {CL_INVALID_DEVICE, {type, 1, devices, other, 0, 0}},
    };
    // clang-format on
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) REFUSED(rows[i].error, create(context, rows[i].list, &err));
    REFUSED(CL_INVALID_CONTEXT, create(NULL, binary, &err));
    REFUSED(CL_INVALID_VALUE, create(context, NULL, &err));
    sema wrong[] = {NULL, (sema)queue};
    for (int i = 0; i < 2; i++) {
        FAILS(CL_INVALID_SEMAPHORE_KHR, retain(wrong[i]));
        FAILS(CL_INVALID_SEMAPHORE_KHR, release(wrong[i]));
        FAILS(CL_INVALID_SEMAPHORE_KHR, info(wrong[i], CL_SEMAPHORE_TYPE_KHR, 0, NULL, NULL));
    }
}

static void test_enqueue_errors(void **state)
{
    (void)state;
    cl_int err;
    sema s = new (), none = NULL;
    cl_context elsewhere = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_command_queue foreign = clCreateCommandQueue(elsewhere, device, 0, &err);
    cl_event event = clCreateUserEvent(elsewhere, &err), failed = clCreateUserEvent(context, &err), nothing = NULL;
    OK(clSetUserEventStatus(failed, -1));
    const clEnqueueWaitSemaphoresKHR_fn both[] = {wait_all, (clEnqueueWaitSemaphoresKHR_fn)signal_all};
    for (int i = 0; i < 2; i++) {
        FAILS(CL_INVALID_COMMAND_QUEUE, both[i]((cl_command_queue)s, 1, &s, NULL, 0, NULL, NULL));
        FAILS(CL_INVALID_VALUE, both[i](queue, 0, &s, NULL, 0, NULL, NULL));
        FAILS(CL_INVALID_VALUE, both[i](queue, 1, NULL, NULL, 0, NULL, NULL));
        FAILS(CL_INVALID_SEMAPHORE_KHR, both[i](queue, 1, &none, NULL, 0, NULL, NULL));
        FAILS(CL_INVALID_CONTEXT, both[i](foreign, 1, &s, NULL, 0, NULL, NULL));
        FAILS(CL_INVALID_CONTEXT, both[i](queue, 1, &s, NULL, 1, &event, NULL));
        FAILS(CL_INVALID_EVENT_WAIT_LIST, both[i](queue, 1, &s, NULL, 1, NULL, NULL));
        FAILS(CL_INVALID_EVENT_WAIT_LIST, both[i](queue, 1, &s, NULL, 0, &failed, NULL));
        FAILS(CL_INVALID_EVENT_WAIT_LIST, both[i](queue, 1, &s, NULL, 1, &nothing, NULL));
        FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, both[i](queue, 1, &s, NULL, 1, &failed, NULL));
    }
    OK(clFinish(queue));
    assert_int_equal(payload(s), 0);
    OK(clReleaseEvent(event));
    OK(clReleaseEvent(failed));
    OK(clReleaseCommandQueue(foreign));
    OK(clReleaseContext(elsewhere));
    OK(release(s));
}

/* None is made to be exported. */
static void test_handles(void **state)
{
    (void)state;
    int fd;
    size_t size;
    sema s = new ();
    FAILS(CL_INVALID_VALUE, handle(s, device, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, sizeof fd, &fd, &size));
    FAILS(CL_INVALID_VALUE, handle(s, device, 0, 0, NULL, NULL));
    FAILS(CL_INVALID_DEVICE, handle(s, NULL, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, sizeof fd, &fd, &size));
    FAILS(CL_INVALID_DEVICE, handle(s, (cl_device_id)s, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, sizeof fd, &fd, &size));
    FAILS(CL_INVALID_SEMAPHORE_KHR, handle(NULL, device, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, sizeof fd, &fd, &size));
    OK(release(s));
}

/* A queue whose device the semaphore's context does not have is the wrong queue; one of another context with the same
 * device is of the wrong context (above). */
static void test_part_of_device(void **state)
{
    (void)state;
    cl_int err;
    cl_device_id part;
    const cl_device_partition_property one[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 0, 0};
    OK(clCreateSubDevices(device, one, 1, &part, NULL));
    cl_context of_part = clCreateContext(NULL, 1, &part, NULL, NULL, &err);
    cl_command_queue q = clCreateCommandQueue(of_part, part, 0, &err);
    sema s = new ();
    FAILS(CL_INVALID_COMMAND_QUEUE, signal_all(q, 1, &s, NULL, 0, NULL, NULL));
    FAILS(CL_INVALID_COMMAND_QUEUE, wait_all(q, 1, &s, NULL, 0, NULL, NULL));
    FAILS(CL_INVALID_DEVICE, handle(s, part, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, 0, NULL, NULL));
    OK(release(s));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(of_part));
    OK(clReleaseDevice(part));
}

/* On one queue and on two, in order and out of order, again and again. */
static void test_signal_and_wait(void **state)
{
    (void)state;
    const cl_command_queue queues[][2] = {{queue, queue}, {queue, second}, {unordered, unordered}, {unordered, queue}};
    sema s = new ();
    cl_event event;
    for (int i = 0; i < 4; i++)
        for (int again = 0; again < 3; again++) {
            OK(signal_all(queues[i][0], 1, &s, NULL, 0, NULL, &event));
            assert_int_equal(QUERY(cl_uint, clGetEventInfo, event, CL_EVENT_COMMAND_TYPE),
                             CL_COMMAND_SEMAPHORE_SIGNAL_KHR);
            finished(event);
            assert_int_equal(payload(s), 1);
            OK(wait_all(queues[i][1], 1, &s, NULL, 0, NULL, &event));
            assert_int_equal(QUERY(cl_uint, clGetEventInfo, event, CL_EVENT_COMMAND_TYPE),
                             CL_COMMAND_SEMAPHORE_WAIT_KHR);
            finished(event);
            assert_int_equal(payload(s), 0);
        }
    OK(release(s));
}

/* A wait comes before the signal; what is behind it in its queue comes after. */
static void test_wait_first(void **state)
{
    (void)state;
    cl_int value = 0;
    const cl_int one = 1;
    cl_mem mem = buffer_new(CL_MEM_COPY_HOST_PTR, 4, &value);
    cl_event waited, read;
    sema s = new ();
    OK(wait_all(second, 1, &s, NULL, 0, NULL, &waited));
    OK(clEnqueueReadBuffer(second, mem, CL_FALSE, 0, 4, &value, 0, NULL, &read));
    OK(clEnqueueFillBuffer(queue, mem, &one, 4, 0, 4, 0, NULL, NULL));
    OK(clFinish(queue));
    assert_int_equal(event_status(waited), CL_SUBMITTED);
    assert_int_equal(event_status(read), CL_SUBMITTED);
    OK(signal_all(queue, 1, &s, NULL, 0, NULL, NULL));
    finished(waited);
    finished(read);
    assert_int_equal(value, 1);
    assert_int_equal(payload(s), 0);
    OK(release(s));
    OK(clReleaseMemObject(mem));
}

/* Waits for several have got none until they have all; a signal serves one wait, the first. */
static void test_several(void **state)
{
    (void)state;
    sema s[3] = {new (), new (), new ()};
    cl_event all, next;
    OK(wait_all(unordered, 3, s, NULL, 0, NULL, &all));
    OK(signal_all(queue, 2, s, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    assert_int_equal(event_status(all), CL_SUBMITTED);
    OK(wait_all(second, 1, s + 2, NULL, 0, NULL, &next));
    OK(signal_all(queue, 1, s + 2, NULL, 0, NULL, NULL));
    finished(all);
    assert_int_equal(event_status(next), CL_SUBMITTED);
    OK(signal_all(queue, 1, s + 2, NULL, 0, NULL, NULL));
    finished(next);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(payload(s[i]), 0);
        OK(release(s[i]));
    }
}

/* Whoever waits after all others have been served is the next one. */
static void test_wait_again(void **state)
{
    (void)state;
    sema s = new ();
    for (int again = 0; again < 3; again++) {
        cl_event waited[2];
        for (int i = 0; i <= again % 2; i++) OK(wait_all(unordered, 1, &s, NULL, 0, NULL, &waited[i]));
        for (int i = 0; i <= again % 2; i++) {
            OK(signal_all(queue, 1, &s, NULL, 0, NULL, NULL));
            OK(clFinish(queue));
            assert_int_equal(event_status(waited[i]), CL_COMPLETE); /* the signal has served it */
            OK(clReleaseEvent(waited[i]));
        }
        assert_int_equal(payload(s), 0);
    }
    OK(release(s));
}

/* A wait for several fails as soon as one of them cannot come any more; the others are not its any more either. */
static void test_failure_of_several(void **state)
{
    (void)state;
    for (int lost = 0; lost < 2; lost++) {
        sema s[2] = {new (), new ()};
        cl_event wait;
        cl_command_queue q = clCreateCommandQueue(context, device, 0, &(cl_int){0});
        OK(wait_all(q, 2, s, NULL, 0, NULL, &wait));
        OK(release(s[lost]));
        FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &wait));
        OK(signal_all(queue, 1, &s[!lost], NULL, 0, NULL, NULL));
        OK(clFinish(queue));
        assert_int_equal(event_status(wait), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        OK(clReleaseEvent(wait));
        OK(release(s[!lost]));
        OK(clReleaseCommandQueue(q));
    }
}

/* Events are waited for, a command that does not run signals and takes nothing, and a wait that can never be served
 * fails. */
static void test_failures(void **state)
{
    (void)state;
    cl_int err;
    sema s = new ();
    cl_event gate = clCreateUserEvent(context, &err), bad = clCreateUserEvent(context, &err), wait, signal;
    OK(signal_all(unordered, 1, &s, NULL, 1, &gate, NULL));
    OK(wait_all(unordered, 1, &s, NULL, 1, &bad, &wait));
    OK(clSetUserEventStatus(bad, -1));
    FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &wait));
    assert_int_equal(payload(s), 0);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clFinish(unordered));
    assert_int_equal(payload(s), 1);
    OK(clReleaseEvent(wait));
    OK(clReleaseEvent(bad));
    OK(clReleaseEvent(gate));
    OK(release(s));

    s = new ();
    gate = clCreateUserEvent(context, &err);
    OK(wait_all(second, 1, &s, NULL, 0, NULL, &wait));
    OK(signal_all(unordered, 1, &s, NULL, 1, &gate, &signal));
    OK(release(s)); /* a signal is under way ... */
    assert_int_equal(event_status(wait), CL_SUBMITTED);
    OK(clSetUserEventStatus(gate, -1)); /* ... and does not come */
    FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &signal));
    FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &wait));
    OK(clReleaseEvent(wait));
    OK(clReleaseEvent(signal));
    OK(clReleaseEvent(gate));
    clFinish(second);

    s = new ();
    OK(wait_all(second, 1, &s, NULL, 0, NULL, &wait));
    OK(release(s));
    FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &wait));
    OK(clReleaseEvent(wait));
    clFinish(second);
}

enum { ROUNDS = 200 };

static void *ping(void *arg)
{
    sema *s = arg;
    for (int i = 0; i < ROUNDS; i++) {
        wait_all(second, 1, &s[0], NULL, 0, NULL, NULL);
        signal_all(second, 1, &s[1], NULL, 0, NULL, NULL);
    }
    clFinish(second);
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    pthread_t thread;
    sema s[2] = {new (), new ()};
    assert_int_equal(pthread_create(&thread, NULL, ping, s), 0);
    for (int i = 0; i < ROUNDS; i++) {
        OK(signal_all(queue, 1, &s[0], NULL, 0, NULL, NULL));
        OK(wait_all(queue, 1, &s[1], NULL, 0, NULL, NULL));
    }
    OK(clFinish(queue));
    pthread_join(thread, NULL);
    assert_int_equal(payload(s[0]) + payload(s[1]), 0);
    OK(release(s[0]));
    OK(release(s[1]));
}

struct releaser {
    pthread_barrier_t *both;
    sema s;
};

static void *release_together(void *releaser)
{
    const struct releaser *r = releaser;
    pthread_barrier_wait(r->both);
    return release(r->s) ? releaser : NULL;
}

/* A wait for two semaphores that go at once fails, whichever of them is the last. */
static void test_released_together(void **state)
{
    (void)state;
    pthread_barrier_t both;
    assert_int_equal(pthread_barrier_init(&both, NULL, 2), 0);
    for (int i = 0; i < ROUNDS; i++) {
        pthread_t thread;
        cl_event wait;
        void *failed;
        sema s[2] = {new (), new ()};
        struct releaser r[2] = {{&both, s[0]}, {&both, s[1]}};
        OK(wait_all(unordered, 2, s, NULL, 0, NULL, &wait));
        OK(clFlush(unordered));
        while (event_status(wait) > CL_SUBMITTED) {
        }
        assert_int_equal(pthread_create(&thread, NULL, release_together, &r[0]), 0);
        assert_null(release_together(&r[1]));
        pthread_join(thread, &failed);
        assert_null(failed);
        FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &wait));
        OK(clReleaseEvent(wait));
    }
    pthread_barrier_destroy(&both);
}

int main(void)
{
    // clang-format off
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queries), cmocka_unit_test(test_create_errors), cmocka_unit_test(test_enqueue_errors),
        cmocka_unit_test(test_handles), cmocka_unit_test(test_part_of_device),
        cmocka_unit_test(test_signal_and_wait), cmocka_unit_test(test_wait_first), cmocka_unit_test(test_several),
        cmocka_unit_test(test_failures), cmocka_unit_test(test_wait_again), cmocka_unit_test(test_failure_of_several), cmocka_unit_test(test_threads), cmocka_unit_test(test_released_together),
    };
    // clang-format on
    return cmocka_run_group_tests(tests, setup, teardown);
}
