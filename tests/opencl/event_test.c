/* Events and queues: wait lists, user events, callbacks, profiling, failures, many threads. */
#include <pthread.h>
#include <stdatomic.h>

#include "check.h"

static void test_wait_list_errors(void **state)
{
    (void)state;
    cl_int err;
    cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_event event = clCreateUserEvent(context, &err), foreign = clCreateUserEvent(other, &err),
             both[] = {event, foreign};
    cl_mem mem = buffer_new(0, 16, NULL);
    char out[4];
    cl_event untouched = (cl_event)out;
    FAILS(CL_INVALID_EVENT_WAIT_LIST, clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 4, out, 1, NULL, &untouched));
    FAILS(CL_INVALID_EVENT_WAIT_LIST, clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 4, out, 0, &event, &untouched));
    FAILS(CL_INVALID_EVENT_WAIT_LIST, clEnqueueMarkerWithWaitList(queue, 1, (cl_event[]){NULL}, &untouched));
    FAILS(CL_INVALID_EVENT_WAIT_LIST, clEnqueueMarkerWithWaitList(queue, 1, (cl_event[]){(cl_event)mem}, &untouched));
    FAILS(CL_INVALID_CONTEXT, clEnqueueMarkerWithWaitList(queue, 1, &foreign, &untouched));
    assert_ptr_equal(untouched, (cl_event)out);
    FAILS(CL_INVALID_VALUE, clWaitForEvents(0, NULL));
    FAILS(CL_INVALID_CONTEXT, clWaitForEvents(2, both));
    OK(clReleaseEvent(event));
    OK(clReleaseEvent(foreign));
    OK(clReleaseContext(other));
    OK(clReleaseMemObject(mem));
}

static void test_user_events(void **state)
{
    (void)state;
    cl_int err;
    char out[4] = "???";
    cl_mem mem = buffer_new(CL_MEM_COPY_HOST_PTR, 4, "abc");
    cl_event gate = clCreateUserEvent(context, &err), done;
    OK(err);
    assert_int_equal(event_status(gate), CL_SUBMITTED);
    assert_null(QUERY(cl_command_queue, clGetEventInfo, gate, CL_EVENT_COMMAND_QUEUE));
    assert_int_equal(QUERY(cl_command_type, clGetEventInfo, gate, CL_EVENT_COMMAND_TYPE), CL_COMMAND_USER);
    OK(clEnqueueReadBuffer(queue, mem, CL_FALSE, 0, 4, out, 1, &gate, &done));
    OK(clFlush(queue));
    usleep(20000);
    assert_true(event_status(done) > CL_RUNNING);
    assert_string_equal(out, "???");
    FAILS(CL_INVALID_VALUE, clSetUserEventStatus(gate, CL_RUNNING));
    FAILS(CL_INVALID_EVENT, clSetUserEventStatus(done, CL_COMPLETE));
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    FAILS(CL_INVALID_OPERATION, clSetUserEventStatus(gate, CL_COMPLETE));
    FAILS(CL_INVALID_OPERATION, clSetUserEventStatus(gate, -5));
    OK(clWaitForEvents(1, &done));
    assert_string_equal(out, "abc");
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(done));
    OK(clReleaseMemObject(mem));
}

/* A failed event fails what waits for it, and in turn what waits for that; the queue goes on. */
static void test_failure_spreads(void **state)
{
    (void)state;
    cl_int err;
    char out[4] = "???";
    cl_mem mem = buffer_new(CL_MEM_COPY_HOST_PTR, 4, "abc");
    cl_event gate = clCreateUserEvent(context, &err), first, second;
    OK(clEnqueueReadBuffer(queue, mem, CL_FALSE, 0, 4, out, 1, &gate, &first));
    OK(clEnqueueMarkerWithWaitList(queue, 1, &first, &second));
    OK(clSetUserEventStatus(gate, -42));
    FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &second));
    assert_int_equal(event_status(gate), -42);
    assert_int_equal(event_status(first), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_int_equal(event_status(second), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_string_equal(out, "???");
    FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
          clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 4, out, 1, &gate, NULL));
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 4, out, 0, NULL, NULL));
    assert_string_equal(out, "abc");
    OK(clFinish(queue));
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(first));
    OK(clReleaseEvent(second));
    OK(clReleaseMemObject(mem));
}

/* A user event released unset does not leave the queue stuck. */
static void test_abandoned_user_event(void **state)
{
    (void)state;
    cl_int err;
    cl_event gate = clCreateUserEvent(context, &err), done;
    OK(clEnqueueMarkerWithWaitList(queue, 1, &gate, &done));
    OK(clReleaseEvent(gate));
    OK(clFinish(queue));
    assert_int_equal(event_status(done), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    OK(clReleaseEvent(done));
}

/* ---- callbacks ---- */

static pthread_mutex_t seen_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t seen_more = PTHREAD_COND_INITIALIZER;
static int seen[32], nseen;
static pthread_t seen_by;

static void CL_CALLBACK record(cl_event event, cl_int status, void *data)
{
    (void)event, (void)data;
    pthread_mutex_lock(&seen_lock);
    if (nseen < 32) seen[nseen] = status;
    nseen++;
    seen_by = pthread_self();
    pthread_cond_broadcast(&seen_more);
    pthread_mutex_unlock(&seen_lock);
}

static void await_seen(int count)
{
    pthread_mutex_lock(&seen_lock);
    while (nseen < count) pthread_cond_wait(&seen_more, &seen_lock);
    pthread_mutex_unlock(&seen_lock);
}

static void test_callbacks(void **state)
{
    (void)state;
    cl_int err;
    cl_event gate = clCreateUserEvent(context, &err), done;
    nseen = 0;
    OK(clEnqueueMarkerWithWaitList(queue, 1, &gate, &done));
    FAILS(CL_INVALID_VALUE, clSetEventCallback(done, CL_COMPLETE, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clSetEventCallback(done, CL_QUEUED, record, NULL));
    OK(clSetEventCallback(done, CL_COMPLETE, record, NULL));
    OK(clSetEventCallback(done, CL_COMPLETE, record, NULL));
    OK(clSetEventCallback(done, CL_RUNNING, record, NULL));
    OK(clSetEventCallback(done, CL_SUBMITTED, record, NULL));
    await_seen(1); /* already submitted */
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    await_seen(4);
    OK(clSetEventCallback(done, CL_RUNNING, record, NULL)); /* passed long ago */
    await_seen(5);
    assert_false(pthread_equal(seen_by, pthread_self()));
    const int expected[] = {CL_SUBMITTED, CL_RUNNING, CL_COMPLETE, CL_COMPLETE, CL_RUNNING};
    assert_memory_equal(seen, expected, sizeof expected);
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(done));
}

static void test_callback_of_failure(void **state)
{
    (void)state;
    cl_int err;
    cl_event gate = clCreateUserEvent(context, &err);
    nseen = 0;
    OK(clSetEventCallback(gate, CL_COMPLETE, record, NULL));
    OK(clSetUserEventStatus(gate, -7));
    await_seen(1);
    assert_int_equal(seen[0], -7);
    OK(clReleaseEvent(gate));
}

static void CL_CALLBACK release_all(cl_event event, cl_int status, void *data)
{
    OK(clReleaseEvent(event));
    OK(clReleaseCommandQueue(data));
    record(event, status, NULL);
}

/* The callback holds the last references to everything, its own context included. */
static void test_callback_releases_all(void **state)
{
    (void)state;
    cl_int err;
    for (int i = 0; i < 20; i++) {
        nseen = 0;
        cl_context c = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
        cl_command_queue q = clCreateCommandQueue(c, device, 0, &err);
        cl_event event;
        OK(clEnqueueMarkerWithWaitList(q, 0, NULL, &event));
        OK(clReleaseContext(c));
        OK(clSetEventCallback(event, CL_COMPLETE, release_all, q));
        await_seen(1);
    }
}

/* ---- order, time, threads ---- */

static void test_profiling(void **state)
{
    (void)state;
    cl_int err;
    cl_ulong t[5];
    static const cl_profiling_info params[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                               CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END,
                                               CL_PROFILING_COMMAND_COMPLETE};
    cl_mem mem = buffer_new(0, 16, NULL);
    cl_event gate = clCreateUserEvent(context, &err), events[2];
    OK(clEnqueueWriteBuffer(queue, mem, CL_FALSE, 0, 4, "abc", 1, &gate, &events[0]));
    OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &events[1]));
    FAILS(CL_PROFILING_INFO_NOT_AVAILABLE, clGetEventProfilingInfo(events[0], params[0], sizeof t[0], t, NULL));
    FAILS(CL_PROFILING_INFO_NOT_AVAILABLE, clGetEventProfilingInfo(gate, params[0], sizeof t[0], t, NULL));
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(2, events));
    for (int e = 0; e < 2; e++) {
        for (int i = 0; i < 5; i++) {
            t[i] = QUERY(cl_ulong, clGetEventProfilingInfo, events[e], params[i]);
            assert_true(t[i] > 0 && (i == 0 || t[i] >= t[i - 1]));
        }
        FAILS(CL_INVALID_VALUE, clGetEventProfilingInfo(events[e], 0x4f00, sizeof t[0], t, NULL)); /* not a kernel */
        FAILS(CL_INVALID_VALUE, clGetEventProfilingInfo(events[e], 0x9999, sizeof t[0], t, NULL));
        OK(clReleaseEvent(events[e]));
    }
    cl_command_queue plain = clCreateCommandQueue(context, device, 0, &err);
    OK(clEnqueueMarkerWithWaitList(plain, 0, NULL, &events[0]));
    OK(clFinish(plain));
    FAILS(CL_PROFILING_INFO_NOT_AVAILABLE, clGetEventProfilingInfo(events[0], params[0], sizeof t[0], t, NULL));
    OK(clReleaseEvent(events[0]));
    OK(clReleaseCommandQueue(plain));
    OK(clReleaseEvent(gate));
    OK(clReleaseMemObject(mem));
}

static void test_markers(void **state)
{
    (void)state;
    cl_event event;
    OK(clEnqueueMarker(queue, &event));
    OK(clEnqueueBarrier(queue));
    OK(clEnqueueWaitForEvents(queue, 1, &event));
    FAILS(CL_INVALID_VALUE, clEnqueueMarker(queue, NULL));
    FAILS(CL_INVALID_EVENT, clEnqueueWaitForEvents(queue, 1, (cl_event[]){(cl_event)queue}));
    OK(clFinish(queue));
    assert_int_equal(event_status(event), CL_COMPLETE);
    OK(clReleaseEvent(event));
    OK(clEnqueueBarrierWithWaitList(queue, 0, NULL, &event));
    OK(clWaitForEvents(1, &event));
    assert_int_equal(QUERY(cl_command_type, clGetEventInfo, event, CL_EVENT_COMMAND_TYPE), CL_COMMAND_BARRIER);
    OK(clReleaseEvent(event));
}

/* Commands complete after their queue and buffer have been released. */
static void test_release_before_end(void **state)
{
    (void)state;
    cl_int err;
    char out[4] = "";
    cl_command_queue q = clCreateCommandQueue(context, device, 0, &err);
    cl_mem mem = buffer_new(CL_MEM_COPY_HOST_PTR, 4, "abc");
    cl_event gate = clCreateUserEvent(context, &err), done;
    OK(clEnqueueReadBuffer(q, mem, CL_FALSE, 0, 4, out, 1, &gate, &done));
    OK(clReleaseMemObject(mem));
    OK(clReleaseCommandQueue(q));
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clReleaseEvent(gate));
    OK(clWaitForEvents(1, &done));
    assert_string_equal(out, "abc");
    OK(clReleaseEvent(done));
}

enum { THREADS = 8, ROUNDS = 100 };
static cl_mem shared;

static void *hammer(void *arg)
{
    int id = (int)(intptr_t)arg;
    cl_int err;
    cl_command_queue q = id % 2 ? queue : clCreateCommandQueue(context, device, 0, &err);
    for (int i = 0; i < ROUNDS; i++) {
        int in = id * ROUNDS + i, out = -1;
        cl_event gate = clCreateUserEvent(context, &err), wrote, read;
        if (clEnqueueWriteBuffer(q, shared, CL_FALSE, (size_t)id * 4, 4, &in, 1, &gate, &wrote)) return arg;
        if (clEnqueueReadBuffer(q, shared, CL_FALSE, (size_t)id * 4, 4, &out, 1, &wrote, &read)) return arg;
        clSetEventCallback(read, CL_COMPLETE, record, NULL);
        clSetUserEventStatus(gate, CL_COMPLETE);
        if (clWaitForEvents(1, &read) || out != in) return arg;
        clReleaseEvent(gate);
        clReleaseEvent(wrote);
        clReleaseEvent(read);
        pthread_mutex_lock(&seen_lock);
        nseen = 0; /* callbacks may still be arriving */
        pthread_mutex_unlock(&seen_lock);
    }
    clFinish(q);
    if (q != queue) clReleaseCommandQueue(q);
    return NULL;
}

static void test_many_threads(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    shared = buffer_new(0, 4 * THREADS, NULL);
    for (intptr_t i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, hammer, (void *)i), 0);
    for (int i = 0; i < THREADS; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    OK(clReleaseMemObject(shared));
}

/* The device's clock is the host's, and profiling counts by it. */
static void test_timers(void **state)
{
    cl_ulong before, between, device_time, host_time;
    cl_event event;
    (void)state;
    assert_int_equal(QUERY(cl_ulong, clGetPlatformInfo, platform, CL_PLATFORM_HOST_TIMER_RESOLUTION), 1);
    OK(clGetHostTimer(device, &before));
    OK(clEnqueueMarker(queue, &event));
    OK(clWaitForEvents(1, &event));
    OK(clGetDeviceAndHostTimer(device, &device_time, &host_time));
    OK(clGetHostTimer(device, &between));
    assert_in_range(host_time, before, between);
    assert_int_equal(device_time, host_time);
    assert_in_range(QUERY(cl_ulong, clGetEventProfilingInfo, event, CL_PROFILING_COMMAND_END), before, device_time);
    OK(clReleaseEvent(event));
    FAILS(CL_INVALID_DEVICE, clGetHostTimer(NULL, &before));
    FAILS(CL_INVALID_DEVICE, clGetHostTimer((cl_device_id)queue, &before));
    FAILS(CL_INVALID_VALUE, clGetHostTimer(device, NULL));
    FAILS(CL_INVALID_DEVICE, clGetDeviceAndHostTimer((cl_device_id)queue, &before, &between));
    FAILS(CL_INVALID_VALUE, clGetDeviceAndHostTimer(device, NULL, &between));
    FAILS(CL_INVALID_VALUE, clGetDeviceAndHostTimer(device, &before, NULL));
}

int main(void)
{
    // clang-format off
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wait_list_errors), cmocka_unit_test(test_user_events), cmocka_unit_test(test_failure_spreads),
        cmocka_unit_test(test_abandoned_user_event), cmocka_unit_test(test_callbacks), cmocka_unit_test(test_callback_of_failure),
        cmocka_unit_test(test_callback_releases_all), cmocka_unit_test(test_profiling), cmocka_unit_test(test_markers),
        cmocka_unit_test(test_release_before_end), cmocka_unit_test(test_timers), cmocka_unit_test(test_many_threads),
    };
    // clang-format on
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
