/* One function for each kind of work that a client gives the library. */
#include <pthread.h>

#include "soak.h"
#include "tests/rng.h"

enum { N = 256 };

static const char source[] =
    "kernel void scale(global const uint *a, uint k, global uint *b) { size_t i = get_global_id(0); b[i] = a[i] * k; "
    "}\n"
    "kernel void turn(global uint *a, local uint *l) { size_t i = get_local_id(0);\n"
    "    l[i] = a[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    a[get_global_id(0)] = l[get_local_size(0) - 1 - i]; }\n"
    "kernel void stray(global uint *a) { a[0x30000000 + get_global_id(0)] = 1; }\n"
    "kernel void say(uint k) { printf(\"%u of %u: %s\\n\", (uint)get_global_id(0), k, \"soaked\"); }\n"
    "kernel void texels(read_only image2d_t in, sampler_t s, write_only image2d_t out) {\n"
    "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    write_imageui(out, at, read_imageui(in, s, at.yx) + 1u); }\n"
    "kernel void put(write_only pipe uint p, uint k) { uint v = get_global_id(0) * k; write_pipe(p, &v); }\n"
    "kernel void take(read_only pipe uint p, global uint *sum) { uint v;\n"
    "    if (!read_pipe(p, &v)) atomic_add(sum, v); }\n";
static const char standard[] = "-cl-std=CL3.0"; /* for pipes */
static cl_program program;

/* ---- short forms ---- */

static uint32_t pick(uint32_t n) { return rng() % n; }

static cl_kernel kernel_of(cl_program p, const char *name)
{
    cl_int err = 1;
    cl_kernel kernel = clCreateKernel(p, name, &err);
    OK(err);
    return kernel;
}

static void set(cl_kernel kernel, cl_uint i, size_t size, const void *value)
{
    OK(clSetKernelArg(kernel, i, size, value));
}

static void launch(cl_command_queue q, cl_kernel kernel, size_t n, cl_uint nwaits, const cl_event *waits,
                   cl_event *event)
{
    OK(clEnqueueNDRangeKernel(q, kernel, 1, NULL, &n, NULL, nwaits, waits, event));
}

static cl_mem buffer_in(cl_context c, size_t size)
{
    cl_int err = 1;
    cl_mem mem = clCreateBuffer(c, 0, size, NULL, &err);
    OK(err);
    return mem;
}

static cl_command_queue queue_in(cl_context c, cl_command_queue_properties properties)
{
    cl_int err = 1;
    cl_command_queue q = clCreateCommandQueue(c, device, properties, &err);
    OK(err);
    return q;
}

static cl_event user_event(void)
{
    cl_int err = 1;
    cl_event event = clCreateUserEvent(context, &err);
    OK(err);
    return event;
}

static cl_program from_source(cl_context c, const char *text)
{
    cl_int err = 1;
    cl_program p = clCreateProgramWithSource(c, 1, &text, NULL, &err);
    OK(err);
    return p;
}

static void check_equal(cl_command_queue q, cl_mem mem, const uint32_t *expected, size_t n)
{
    uint32_t *got = malloc(n * sizeof *got);
    OK(clEnqueueReadBuffer(q, mem, CL_TRUE, 0, n * sizeof *got, got, 0, NULL, NULL));
    assert_memory_equal(got, expected, n * sizeof *got);
    free(got);
}

static void fill_random(uint32_t *a, size_t n)
{
    for (size_t i = 0; i < n; i++) a[i] = rng();
}

/* Callbacks run on threads of the library. */
static unsigned called;

static void expect_calls(unsigned n)
{
    for (int i = 0; i < 100000 && __atomic_load_n(&called, __ATOMIC_ACQUIRE) != n; i++) usleep(100);
    assert_int_equal(called, n);
    called = 0;
}

static void count_call(void) { __atomic_fetch_add(&called, 1, __ATOMIC_RELEASE); }

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
    count_call();
}

static void CL_CALLBACK on_object(cl_mem mem, void *data)
{
    (void)mem, (void)data;
    count_call();
}

static void CL_CALLBACK on_context(cl_context c, void *data)
{
    (void)c, (void)data;
    count_call();
}

static void CL_CALLBACK on_build(cl_program p, void *data)
{
    (void)p, (void)data;
    count_call();
}

/* ---- activities ---- */

/* b = a * k, in any context. */
static void scale_with(cl_context c, cl_command_queue q, cl_program p)
{
    uint32_t a[N], k = rng();
    cl_kernel kernel = kernel_of(p, "scale");
    cl_mem in = buffer_in(c, sizeof a), out = buffer_in(c, sizeof a);
    fill_random(a, N);
    OK(clEnqueueWriteBuffer(q, in, CL_TRUE, 0, sizeof a, a, 0, NULL, NULL));
    set(kernel, 0, sizeof in, &in);
    set(kernel, 1, sizeof k, &k);
    set(kernel, 2, sizeof out, &out);
    launch(q, kernel, N, 0, NULL, NULL);
    for (size_t i = 0; i < N; i++) a[i] *= k;
    check_equal(q, out, a, N);
    OK(clReleaseMemObject(in));
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(kernel));
}

static void contexts(void)
{
    cl_int err = 1;
    uint32_t expected[N], value = rng();
    cl_context c = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    OK(err);
    OK(clSetContextDestructorCallback(c, on_context, NULL));
    cl_command_queue q = queue_in(c, pick(2) ? CL_QUEUE_PROFILING_ENABLE : 0);
    cl_mem mem = buffer_in(c, sizeof expected);
    for (int i = 0; i < N; i++) expected[i] = value;
    OK(clEnqueueFillBuffer(q, mem, &value, sizeof value, 0, sizeof expected, 0, NULL, NULL));
    check_equal(q, mem, expected, N);
    OK(clReleaseMemObject(mem));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
    expect_calls(1);
}

static void buffers(void)
{
    cl_int err = 1;
    const size_t n = 1 + pick(50000), size = n * 4;
    const uint32_t part = pick((uint32_t)n);
    uint32_t *a = malloc(size);
    fill_random(a, n);
    cl_mem own = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, size, a, &err), copy = buffer_in(context, size + 256);
    cl_mem theirs = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, size, a, &err);
    const cl_buffer_region region = {256, size};
    cl_mem sub = clCreateSubBuffer(copy, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
    OK(err);
    OK(clSetMemObjectDestructorCallback(own, on_object, NULL));
    OK(clEnqueueCopyBuffer(queue, own, sub, 0, 0, size, 0, NULL, NULL));
    check_equal(queue, sub, a, n);
    uint32_t *p = clEnqueueMapBuffer(queue, theirs, CL_TRUE, CL_MAP_WRITE, 0, size, 0, NULL, NULL, &err);
    OK(err);
    p[part] = rng();
    OK(clEnqueueUnmapMemObject(queue, theirs, p, 0, NULL, NULL));
    OK(clEnqueueCopyBuffer(queue, theirs, copy, 0, 0, size, 0, NULL, NULL));
    p = clEnqueueMapBuffer(queue, copy, CL_TRUE, CL_MAP_READ, part * 4, 4, 0, NULL, NULL, &err);
    OK(err);
    assert_int_equal(*p, a[part]);
    OK(clEnqueueUnmapMemObject(queue, copy, p, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseMemObject(sub));
    OK(clReleaseMemObject(copy));
    OK(clReleaseMemObject(theirs));
    OK(clReleaseMemObject(own));
    expect_calls(1);
    free(a);
}

static void launches(void) { scale_with(context, queue, program); }

/* Launches of an out-of-order queue, each behind the one before. */
static void chains(void)
{
    enum { STEPS = 8, GROUP = 32 };
    uint32_t a[N];
    cl_event events[STEPS];
    cl_command_queue q = queue_in(context, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_kernel kernel = kernel_of(program, "turn");
    cl_mem mem = buffer_in(context, sizeof a);
    fill_random(a, N);
    OK(clEnqueueWriteBuffer(q, mem, CL_TRUE, 0, sizeof a, a, 0, NULL, NULL));
    set(kernel, 0, sizeof mem, &mem);
    set(kernel, 1, GROUP * 4, NULL);
    for (int i = 0; i < STEPS; i++)
        OK(clEnqueueNDRangeKernel(q, kernel, 1, NULL, (size_t[]){N}, (size_t[]){GROUP}, i > 0,
                                  i ? &events[i - 1] : NULL, &events[i]));
    OK(clWaitForEvents(1, &events[STEPS - 1]));
    check_equal(q, mem, a, N); /* turned round an even number of times */
    for (int i = 0; i < STEPS; i++) OK(clReleaseEvent(events[i]));
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(kernel));
    OK(clReleaseCommandQueue(q));
}

/* A program that nobody has compiled yet, of source, of its binary, and of objects; and one that is wrong. */
static void programs(void)
{
    enum { REST = 64 };
    char text[sizeof source + REST], log[2000];
    size_t size;
    cl_int err = 1, status;
    const cl_uint number = rng();
    snprintf(text, sizeof text, "%s\nkernel void number(global uint *a) { *a = %uu; }\n", source, number);
    cl_program p = from_source(context, text), object = from_source(context, text),
               bad = from_source(context, "number");
    OK(clBuildProgram(p, 0, NULL, standard, NULL, NULL));
    scale_with(context, queue, p);
    OK(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *bytes = malloc(size);
    OK(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL));
    cl_program same =
        clCreateProgramWithBinary(context, 1, &device, &size, (const unsigned char **)&bytes, &status, &err);
    OK(err);
    OK(clBuildProgram(same, 0, NULL, NULL, NULL, NULL));
    scale_with(context, queue, same);
    OK(clCompileProgram(object, 0, NULL, standard, 0, NULL, NULL, NULL, NULL));
    cl_program linked = clLinkProgram(context, 0, NULL, NULL, 1, &object, NULL, NULL, &err);
    OK(err);
    scale_with(context, queue, linked);
    FAILS(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(bad, 0, NULL, NULL, NULL, NULL));
    OK(clGetProgramBuildInfo(bad, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    assert_non_null(strstr(log, "error"));
    free(bytes);
    OK(clReleaseProgram(p));
    OK(clReleaseProgram(object));
    OK(clReleaseProgram(bad));
    OK(clReleaseProgram(same));
    OK(clReleaseProgram(linked));
}

/* Builds beside the client, one of which it lets go of. */
static void builds(void)
{
    char text[100];
    snprintf(text, sizeof text, "kernel void number(global uint *a) { *a = %uu; }\n", rng());
    cl_program p = from_source(context, text), gone = from_source(context, text);
    OK(clBuildProgram(p, 0, NULL, NULL, on_build, NULL));
    OK(clBuildProgram(gone, 0, NULL, NULL, on_build, NULL));
    OK(clReleaseProgram(gone));
    expect_calls(2);
    OK(clReleaseProgram(p));
}

/* A kernel that runs for long enough to be translated. */
static void hot(void)
{
    char text[200];
    uint32_t add = rng() | 1, expected[N];
    snprintf(text, sizeof text,
             "kernel void hot(global uint *a) { uint x = get_global_id(0);\n"
             "    for (int i = 0; i < 20000; i++) x = x * 5 + %uu; a[get_global_id(0)] = x; }\n",
             add);
    cl_program p = program_build(text, NULL);
    cl_kernel kernel = kernel_of(p, "hot");
    cl_mem mem = buffer_in(context, sizeof expected);
    set(kernel, 0, sizeof mem, &mem);
    for (uint32_t i = 0; i < N; i++) {
        expected[i] = i;
        for (int k = 0; k < 20000; k++) expected[i] = expected[i] * 5 + add;
    }
    for (int i = 0; i < 4; i++) {
        launch(queue, kernel, N, 0, NULL, NULL);
        check_equal(queue, mem, expected, N);
    }
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(p));
}

static cl_mem image_new(size_t width, size_t height)
{
    cl_int err = 1;
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height};
    cl_mem image = clCreateImage(context, 0, &format, &desc, NULL, &err);
    OK(err);
    return image;
}

static void images(void)
{
    enum { SIDE = 16 };
    const size_t from[3] = {0}, region[3] = {SIDE, SIDE, 1};
    size_t pitch;
    uint32_t a[SIDE][SIDE], turned[SIDE][SIDE];
    cl_int err = 1;
    cl_mem in = image_new(SIDE, SIDE), out = image_new(SIDE, SIDE), flat = buffer_in(context, sizeof a);
    cl_sampler sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &err);
    OK(err);
    cl_kernel kernel = kernel_of(program, "texels");
    fill_random(a[0], SIDE * SIDE);
    OK(clEnqueueWriteImage(queue, in, CL_TRUE, from, region, 0, 0, a, 0, NULL, NULL));
    set(kernel, 0, sizeof in, &in);
    set(kernel, 1, sizeof sampler, &sampler);
    set(kernel, 2, sizeof out, &out);
    OK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, region, NULL, 0, NULL, NULL));
    OK(clEnqueueCopyImageToBuffer(queue, out, flat, from, region, 0, 0, NULL, NULL));
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) turned[y][x] = a[x][y] + 1;
    check_equal(queue, flat, turned[0], SIDE * SIDE);
    uint32_t *p = clEnqueueMapImage(queue, out, CL_TRUE, CL_MAP_READ, from, region, &pitch, NULL, 0, NULL, NULL, &err);
    OK(err);
    assert_memory_equal(p, turned[0], SIDE * 4);
    OK(clEnqueueUnmapMemObject(queue, out, p, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseSampler(sampler));
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(in));
    OK(clReleaseMemObject(out));
    OK(clReleaseMemObject(flat));
}

/* Half of the gates fail, and what waits for them with them. */
static void gates(void)
{
    const cl_int status = pick(2) ? CL_COMPLETE : -77;
    uint32_t value = rng();
    cl_event gate = user_event(), written, marker;
    cl_mem mem = buffer_in(context, 4);
    cl_command_queue q = queue_in(context, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
    OK(clEnqueueWriteBuffer(q, mem, CL_FALSE, 0, 4, &value, 1, &gate, &written));
    OK(clEnqueueMarkerWithWaitList(q, 1, &written, &marker));
    OK(clSetEventCallback(gate, CL_COMPLETE, on_event, NULL));
    OK(clSetEventCallback(written, CL_COMPLETE, on_event, NULL));
    OK(clSetEventCallback(marker, CL_SUBMITTED, on_event, NULL));
    OK(clSetUserEventStatus(gate, status));
    assert_int_equal(clWaitForEvents(1, &marker),
                     status < 0 ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS);
    expect_calls(3);
    assert_true(event_status(written) == CL_COMPLETE ? status == CL_COMPLETE : status < 0);
    if (status == CL_COMPLETE) check_equal(q, mem, &value, 1);
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(written));
    OK(clReleaseEvent(marker));
    OK(clReleaseMemObject(mem));
    OK(clReleaseCommandQueue(q));
}

/* What nobody can see any more is cancelled. */
static void abandoned(void)
{
    static uint32_t value;
    cl_int err = 1;
    cl_context c = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    OK(err);
    OK(clSetContextDestructorCallback(c, on_context, NULL));
    cl_event gate = clCreateUserEvent(c, &err);
    cl_command_queue q = queue_in(c, 0);
    cl_mem mem = buffer_in(c, 1 << 20);
    OK(clEnqueueFillBuffer(q, mem, "x", 1, 0, 1 << 20, 1, &gate, NULL));
    OK(clEnqueueReadBuffer(q, mem, CL_FALSE, 0, 4, &value, 0, NULL, NULL));
    OK(clReleaseMemObject(mem));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
    OK(clReleaseEvent(gate));
    expect_calls(1);
}

/* Standard output goes to a file meanwhile. */
static void prints(void)
{
    enum { LINES = 40 };
    char text[LINES * 40], line[40];
    uint32_t k = pick(1000);
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stdout);
    int terminal = dup(STDOUT_FILENO);
    assert_true(dup2(fileno(file), STDOUT_FILENO) >= 0);
    cl_kernel kernel = kernel_of(program, "say");
    set(kernel, 0, sizeof k, &k);
    launch(queue, kernel, LINES, 0, NULL, NULL);
    OK(clFinish(queue));
    fflush(stdout);
    assert_true(dup2(terminal, STDOUT_FILENO) >= 0);
    close(terminal);
    ssize_t n = pread(fileno(file), text, sizeof text - 1, 0);
    fclose(file);
    text[n < 0 ? 0 : n] = 0;
    for (uint32_t i = 0; i < LINES; i++) {
        snprintf(line, sizeof line, "%u of %u: soaked\n", i, k);
        assert_non_null(strstr(text, line));
    }
    OK(clReleaseKernel(kernel));
}

/* On a queue of its own: the others do not learn of it. */
static void faults(void)
{
    cl_event event;
    cl_command_queue q = queue_in(context, 0);
    cl_kernel kernel = kernel_of(program, "stray");
    cl_mem mem = buffer_in(context, 4);
    set(kernel, 0, sizeof mem, &mem);
    launch(q, kernel, N, 0, NULL, &event);
    assert_int_not_equal(clWaitForEvents(1, &event), CL_SUCCESS);
    assert_true(event_status(event) < 0);
    OK(clReleaseEvent(event));
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(kernel));
    OK(clReleaseCommandQueue(q));
    scale_with(context, queue, program);
}

static void pipes(void)
{
    enum { PACKETS = 64 };
    uint32_t zero = 0, k = pick(1000), sum = k * (PACKETS * (PACKETS - 1) / 2);
    cl_int err = 1;
    cl_mem pipe = clCreatePipe(context, 0, 4, PACKETS, NULL, &err), mem = buffer_in(context, 4);
    OK(err);
    cl_kernel put = kernel_of(program, "put"), take = kernel_of(program, "take");
    set(put, 0, sizeof pipe, &pipe);
    set(put, 1, sizeof k, &k);
    set(take, 0, sizeof pipe, &pipe);
    set(take, 1, sizeof mem, &mem);
    OK(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, 4, &zero, 0, NULL, NULL));
    launch(queue, put, PACKETS, 0, NULL, NULL);
    launch(queue, take, PACKETS, 0, NULL, NULL);
    check_equal(queue, mem, &sum, 1);
    OK(clReleaseMemObject(pipe));
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(put));
    OK(clReleaseKernel(take));
}

/* A device need not offer it. */
static void shared(void)
{
    if (!QUERY(cl_device_svm_capabilities, clGetDeviceInfo, device, CL_DEVICE_SVM_CAPABILITIES)) return;
    uint32_t k = rng();
    cl_kernel kernel = kernel_of(program, "scale");
    uint32_t *a = clSVMAlloc(context, CL_MEM_READ_WRITE, N * 4, 0),
             *b = clSVMAlloc(context, CL_MEM_READ_WRITE, N * 4, 0);
    assert_true(a && b);
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, a, N * 4, 0, NULL, NULL));
    fill_random(a, N);
    OK(clEnqueueSVMUnmap(queue, a, 0, NULL, NULL));
    OK(clSetKernelArgSVMPointer(kernel, 0, a));
    set(kernel, 1, sizeof k, &k);
    OK(clSetKernelArgSVMPointer(kernel, 2, b));
    launch(queue, kernel, N, 0, NULL, NULL);
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, b, N * 4, 0, NULL, NULL));
    for (int i = 0; i < N; i++) assert_int_equal(b[i], a[i] * k);
    OK(clEnqueueSVMUnmap(queue, b, 0, NULL, NULL));
    OK(clEnqueueSVMFree(queue, 1, (void *[]){a}, NULL, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    clSVMFree(context, b);
    OK(clReleaseKernel(kernel));
}

static void parts(void)
{
    const cl_device_partition_property one[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 0, 0};
    cl_int err = 1;
    cl_device_id part;
    OK(clCreateSubDevices(device, one, 1, &part, NULL));
    cl_context c = clCreateContext(NULL, 1, &part, NULL, NULL, &err);
    OK(err);
    cl_command_queue q = clCreateCommandQueue(c, part, 0, &err);
    OK(err);
    uint32_t value = rng();
    cl_mem mem = buffer_in(c, 4);
    OK(clEnqueueWriteBuffer(q, mem, CL_FALSE, 0, 4, &value, 0, NULL, NULL));
    check_equal(q, mem, &value, 1);
    OK(clReleaseMemObject(mem));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
    OK(clReleaseDevice(part));
}

static void *compute(void *data)
{
    (void)data;
    cl_command_queue q = queue_in(context, 0);
    cl_kernel kernel = kernel_of(program, "scale");
    cl_mem in = buffer_in(context, N * 4), out = buffer_in(context, N * 4);
    uint32_t fill = 3, k = 5, expected[N];
    for (int i = 0; i < N; i++) expected[i] = fill * k;
    OK(clEnqueueFillBuffer(q, in, &fill, 4, 0, N * 4, 0, NULL, NULL));
    set(kernel, 0, sizeof in, &in);
    set(kernel, 1, sizeof k, &k);
    set(kernel, 2, sizeof out, &out);
    launch(q, kernel, N, 0, NULL, NULL);
    check_equal(q, out, expected, N);
    OK(clReleaseMemObject(in));
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(kernel));
    OK(clReleaseCommandQueue(q));
    return NULL;
}

static void threads(void)
{
    enum { MANY = 4 };
    pthread_t all[MANY];
    for (int i = 0; i < MANY; i++) assert_int_equal(pthread_create(&all[i], NULL, compute, NULL), 0);
    for (int i = 0; i < MANY; i++) pthread_join(all[i], NULL);
}

/* ---- the list ---- */

const struct activity activities[] = {
    {"contexts", contexts, 300},
    {"buffers", buffers, 100},
    {"launches", launches, 300},
    {"chains", chains, 100},
    {"programs", programs, 1},
    {"builds", builds, 2},
    {"hot", hot, 1},
    {"images", images, 100},
    {"gates", gates, 300},
    {"abandoned", abandoned, 300},
    {"prints", prints, 100},
    {"faults", faults, 100},
    {"pipes", pipes, 100},
    {"shared", shared, 100},
    {"parts", parts, 100},
    {"threads", threads, 20},
};
const size_t activity_count = sizeof activities / sizeof *activities;

void activities_begin(void) { program = program_build(source, standard); }

void activities_end(void) { OK(clReleaseProgram(program)); }
