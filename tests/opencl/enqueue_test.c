/* What all functions that enqueue a command have in common: wait lists, contexts, the client's event, failures that
 * reach it, and what a command keeps alive. Those of shared virtual memory are in svm_test.c. */
#include "check.h"

enum { BYTES = 64 };

static cl_context foreign; /* with a queue and an event */
static cl_command_queue foreign_queue;
static cl_event foreign_event;
static cl_mem buffer, second, image, second_image;
static cl_program program;
static cl_kernel kernel;
static unsigned char host[BYTES * 4];

/* ---- the functions, each with arguments that are right ---- */

#define PARAMETERS cl_command_queue q, cl_bool blocking, cl_uint n, const cl_event *waits, cl_event *event

static const size_t at[3], region[3] = {4, 1, 1}, behind[3] = {8, 0, 0};

static cl_int read_buffer(PARAMETERS) { return clEnqueueReadBuffer(q, buffer, blocking, 0, 4, host, n, waits, event); }
static cl_int write_buffer(PARAMETERS)
{
    return clEnqueueWriteBuffer(q, buffer, blocking, 0, 4, host, n, waits, event);
}
static cl_int read_rect(PARAMETERS)
{
    return clEnqueueReadBufferRect(q, buffer, blocking, at, at, region, 0, 0, 0, 0, host, n, waits, event);
}
static cl_int write_rect(PARAMETERS)
{
    return clEnqueueWriteBufferRect(q, buffer, blocking, at, at, region, 0, 0, 0, 0, host, n, waits, event);
}
static cl_int copy_buffer(PARAMETERS)
{
    (void)blocking;
    return clEnqueueCopyBuffer(q, buffer, second, 0, 0, 4, n, waits, event);
}
static cl_int copy_rect(PARAMETERS)
{
    (void)blocking;
    return clEnqueueCopyBufferRect(q, buffer, second, at, behind, region, 0, 0, 0, 0, n, waits, event);
}
static cl_int fill_buffer(PARAMETERS)
{
    (void)blocking;
    return clEnqueueFillBuffer(q, buffer, host, 4, 0, 8, n, waits, event);
}
static cl_int map_buffer(PARAMETERS)
{
    cl_int err;
    clEnqueueMapBuffer(q, buffer, blocking, CL_MAP_READ, 0, 4, n, waits, event, &err);
    return err;
}
static cl_int unmap(PARAMETERS)
{
    cl_int err;
    void *mapped = clEnqueueMapBuffer(queue, second, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &err);
    OK(err);
    (void)blocking;
    return clEnqueueUnmapMemObject(q, second, mapped, n, waits, event);
}
static cl_int migrate(PARAMETERS)
{
    (void)blocking;
    return clEnqueueMigrateMemObjects(q, 1, &buffer, 0, n, waits, event);
}
static cl_int read_image(PARAMETERS)
{
    return clEnqueueReadImage(q, image, blocking, at, region, 0, 0, host, n, waits, event);
}
static cl_int write_image(PARAMETERS)
{
    return clEnqueueWriteImage(q, image, blocking, at, region, 0, 0, host, n, waits, event);
}
static cl_int copy_image(PARAMETERS)
{
    (void)blocking;
    return clEnqueueCopyImage(q, image, second_image, at, at, region, n, waits, event);
}
static cl_int image_to_buffer(PARAMETERS)
{
    (void)blocking;
    return clEnqueueCopyImageToBuffer(q, image, buffer, at, region, 0, n, waits, event);
}
static cl_int buffer_to_image(PARAMETERS)
{
    (void)blocking;
    return clEnqueueCopyBufferToImage(q, buffer, image, 0, at, region, n, waits, event);
}
static cl_int fill_image(PARAMETERS)
{
    (void)blocking;
    return clEnqueueFillImage(q, image, host, at, region, n, waits, event);
}
static cl_int map_image(PARAMETERS)
{
    cl_int err;
    size_t row;
    clEnqueueMapImage(q, image, blocking, CL_MAP_READ, at, region, &row, NULL, n, waits, event, &err);
    return err;
}
static cl_int launch(PARAMETERS)
{
    (void)blocking;
    return clEnqueueNDRangeKernel(q, kernel, 1, NULL, region, NULL, n, waits, event);
}
static cl_int task(PARAMETERS)
{
    (void)blocking;
    return clEnqueueTask(q, kernel, n, waits, event);
}
static void CL_CALLBACK nothing(void *data) { (void)data; }
static cl_int native(PARAMETERS)
{
    void *arguments[1] = {NULL};
    const void *places[1] = {arguments};
    (void)blocking;
    return clEnqueueNativeKernel(q, nothing, arguments, sizeof arguments, 1, &buffer, places, n, waits, event);
}
static cl_int marker(PARAMETERS)
{
    (void)blocking;
    return clEnqueueMarkerWithWaitList(q, n, waits, event);
}
static cl_int barrier(PARAMETERS)
{
    (void)blocking;
    return clEnqueueBarrierWithWaitList(q, n, waits, event);
}

static const struct command {
    const char *name;
    cl_int (*enqueue)(PARAMETERS);
    cl_command_type type;
    bool blocks;     /* if asked to */
    bool has_object; /* whose context counts */
} commands[] = {
    {"read buffer", read_buffer, CL_COMMAND_READ_BUFFER, true, true},
    {"write buffer", write_buffer, CL_COMMAND_WRITE_BUFFER, true, true},
    {"read rectangle", read_rect, CL_COMMAND_READ_BUFFER_RECT, true, true},
    {"write rectangle", write_rect, CL_COMMAND_WRITE_BUFFER_RECT, true, true},
    {"copy buffer", copy_buffer, CL_COMMAND_COPY_BUFFER, false, true},
    {"copy rectangle", copy_rect, CL_COMMAND_COPY_BUFFER_RECT, false, true},
    {"fill buffer", fill_buffer, CL_COMMAND_FILL_BUFFER, false, true},
    {"map buffer", map_buffer, CL_COMMAND_MAP_BUFFER, true, true},
    {"unmap", unmap, CL_COMMAND_UNMAP_MEM_OBJECT, false, true},
    {"migrate", migrate, CL_COMMAND_MIGRATE_MEM_OBJECTS, false, true},
    {"read image", read_image, CL_COMMAND_READ_IMAGE, true, true},
    {"write image", write_image, CL_COMMAND_WRITE_IMAGE, true, true},
    {"copy image", copy_image, CL_COMMAND_COPY_IMAGE, false, true},
    {"image to buffer", image_to_buffer, CL_COMMAND_COPY_IMAGE_TO_BUFFER, false, true},
    {"buffer to image", buffer_to_image, CL_COMMAND_COPY_BUFFER_TO_IMAGE, false, true},
    {"fill image", fill_image, CL_COMMAND_FILL_IMAGE, false, true},
    {"map image", map_image, CL_COMMAND_MAP_IMAGE, true, true},
    {"launch", launch, CL_COMMAND_NDRANGE_KERNEL, false, true},
    {"task", task, CL_COMMAND_TASK, false, true},
    {"native kernel", native, CL_COMMAND_NATIVE_KERNEL, false, true},
    {"marker", marker, CL_COMMAND_MARKER, false, false},
    {"barrier", barrier, CL_COMMAND_BARRIER, false, false},
};

#define EACH(c) (const struct command *c = commands; c < commands + sizeof commands / sizeof *commands; c++)

/* The command gives this error, names itself otherwise, and writes no event on failure. */
static void gives(cl_int error, const struct command *c, cl_command_queue q, cl_uint n, const cl_event *waits)
{
    const cl_event untouched = (cl_event)host;
    cl_event event = untouched;
    cl_int got = c->enqueue(q, CL_FALSE, n, waits, &event);
    if (got != error) fail_msg("%s: %d instead of %d", c->name, got, error);
    assert_ptr_equal(event, untouched);
}

/* ---- tests ---- */

static void test_wait_lists(void **state)
{
    cl_int err;
    cl_event gate = clCreateUserEvent(context, &err), list[2] = {gate, (cl_event)queue}, mixed[2] = {gate, NULL};
    (void)state;
    for
        EACH(c)
        {
            gives(CL_INVALID_EVENT_WAIT_LIST, c, queue, 1, NULL);
            gives(CL_INVALID_EVENT_WAIT_LIST, c, queue, 0, list);
            gives(CL_INVALID_EVENT_WAIT_LIST, c, queue, 2, list);
            gives(CL_INVALID_EVENT_WAIT_LIST, c, queue, 2, mixed);
            gives(CL_INVALID_CONTEXT, c, queue, 1, &foreign_event);
        }
    OK(clReleaseEvent(gate));
    OK(clFinish(queue));
}

static void test_other_contexts(void **state)
{
    (void)state;
    for
        EACH(c)
        {
            if (c->has_object) gives(CL_INVALID_CONTEXT, c, foreign_queue, 0, NULL);
            gives(CL_INVALID_COMMAND_QUEUE, c, (cl_command_queue)context, 0, NULL);
        }
}

/* The event says what it is of, waits as it was told to, and ends. */
static void test_events(void **state)
{
    (void)state;
    for
        EACH(c)
        {
            cl_int err;
            cl_event gate = clCreateUserEvent(context, &err), event = NULL;
            OK(err);
            OK(c->enqueue(queue, CL_FALSE, 1, &gate, &event));
            if (QUERY(cl_command_type, clGetEventInfo, event, CL_EVENT_COMMAND_TYPE) != c->type)
                fail_msg("%s", c->name);
            assert_ptr_equal(QUERY(cl_command_queue, clGetEventInfo, event, CL_EVENT_COMMAND_QUEUE), queue);
            assert_ptr_equal(QUERY(cl_context, clGetEventInfo, event, CL_EVENT_CONTEXT), context);
            assert_int_equal(QUERY(cl_uint, clGetEventInfo, event, CL_EVENT_REFERENCE_COUNT), 1);
            assert_in_range(event_status(event), CL_SUBMITTED, CL_QUEUED);
            OK(clSetUserEventStatus(gate, CL_COMPLETE));
            OK(clWaitForEvents(1, &event));
            assert_int_equal(event_status(event), CL_COMPLETE);
            OK(clReleaseEvent(event));
            OK(clReleaseEvent(gate));
            if (c->blocks) {
                OK(c->enqueue(queue, CL_TRUE, 0, NULL, &event));
                assert_int_equal(event_status(event), CL_COMPLETE);
                OK(clReleaseEvent(event));
            }
        }
}

/* What a command waits for has failed: so has the command, and a blocking call says so. */
static void test_failed_waits(void **state)
{
    cl_int err;
    cl_event gate = clCreateUserEvent(context, &err);
    (void)state;
    OK(clSetUserEventStatus(gate, -5));
    for
        EACH(c)
        {
            cl_event event;
            OK(c->enqueue(queue, CL_FALSE, 1, &gate, &event));
            FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &event));
            if (event_status(event) >= 0) fail_msg("%s", c->name);
            OK(clReleaseEvent(event));
            if (c->blocks) {
                err = c->enqueue(queue, CL_TRUE, 1, &gate, NULL);
                if (err != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) fail_msg("%s: %d", c->name, err);
            }
        }
    OK(clReleaseEvent(gate));
}

/* A command keeps its queue until it has ended. */
static void test_released_queue(void **state)
{
    (void)state;
    for
        EACH(c)
        {
            cl_int err;
            cl_event gate = clCreateUserEvent(context, &err), event;
            cl_command_queue own = clCreateCommandQueue(context, device, 0, &err);
            OK(err);
            OK(c->enqueue(own, CL_FALSE, 1, &gate, &event));
            OK(clReleaseCommandQueue(own));
            OK(clSetUserEventStatus(gate, CL_COMPLETE));
            OK(clWaitForEvents(1, &event));
            assert_int_equal(event_status(event), CL_COMPLETE);
            OK(clReleaseEvent(event));
            OK(clReleaseEvent(gate));
        }
}

static int setup(void **state)
{
    cl_int err;
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 1};
    if (check_setup(state)) return -1;
    foreign = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    foreign_queue = clCreateCommandQueue(foreign, device, 0, &err);
    foreign_event = clCreateUserEvent(foreign, &err);
    buffer = buffer_new(0, BYTES, NULL);
    second = buffer_new(0, BYTES, NULL);
    image = clCreateImage(context, 0, &format, &desc, NULL, &err);
    second_image = clCreateImage(context, 0, &format, &desc, NULL, &err);
    program = program_build("kernel void k(global int *a) { *a = 1; }", "");
    kernel = clCreateKernel(program, "k", &err);
    return clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
}

static int teardown(void **state)
{
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    OK(clReleaseMemObject(second_image));
    OK(clReleaseMemObject(image));
    OK(clReleaseMemObject(second));
    OK(clReleaseMemObject(buffer));
    OK(clReleaseEvent(foreign_event));
    OK(clReleaseCommandQueue(foreign_queue));
    OK(clReleaseContext(foreign));
    return check_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wait_lists),   cmocka_unit_test(test_other_contexts), cmocka_unit_test(test_events),
        cmocka_unit_test(test_failed_waits), cmocka_unit_test(test_released_queue),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
