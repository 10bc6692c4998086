/* Random sequences of API calls from several threads, against a model: each thread has buffers of one number, on which
 * kernels, transfers and maps work in an order that only wait lists (or, now and then, an in-order queue) keep. Every
 * second one is in shared virtual memory, and named by its address as often as by its handle. Queues are of both kinds,
 * some shared by all threads, some released with commands in flight, and of the device or of one of its halves; user
 * events hold commands back, markers and barriers stand between them, callbacks count. Launches are enqueued as they
 * are, or as the changed launch of a command buffer. */
#include <pthread.h>
#include <stdatomic.h>

#include "command_buffer.h"

enum { THREADS = 4, QUEUES = 3, SHARED = 2, BUFFERS = 4, GATES = 3, STEPS = 400, DEVICES = 3 };

static cl_program program;
static cl_command_queue shared[SHARED];

struct slot {
    cl_mem mem;
    int *svm;              /* the number, if it is in shared memory, else NULL */
    cl_event last;         /* of the latest command on it, or NULL */
    cl_command_queue tail; /* the in-order queue of that command, or NULL */
    int want;
};

struct worker {
    unsigned seed;
    cl_command_queue own[QUEUES];
    cl_kernel kernel;
    commands recorded[DEVICES]; /* one launch each ... */
    cl_mutable_command_khr launch[DEVICES];
    struct slot slots[BUFFERS];
    cl_event gates[GATES]; /* unset user events */
    atomic_int called;
    int callbacks, failures;
};

#define CHECK(call) \
    do { \
        if (call) failed(w, #call); \
    } while (0)

static void failed(struct worker *w, const char *what)
{
    if (!w->failures++) fprintf(stderr, "failed: %s\n", what);
}

static unsigned draw(struct worker *w, unsigned n)
{
    w->seed = w->seed * 1103515245 + 12345;
    return (w->seed >> 16) % n;
}

static bool in_order(cl_command_queue q)
{
    cl_command_queue_properties p = 0;
    clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES, sizeof p, &p, NULL);
    return !(p & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

static cl_device_id devices[DEVICES]; /* the whole and its halves */

static cl_command_queue queue_new(unsigned kind)
{
    cl_int err;
    const cl_device_id d = devices[kind / 2 % DEVICES];
    return clCreateCommandQueue(context, d, kind % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &err);
}

static cl_command_queue any_queue(struct worker *w)
{
    unsigned i = draw(w, QUEUES + SHARED);
    return i < QUEUES ? w->own[i] : shared[i - QUEUES];
}

static void open_gates(struct worker *w)
{
    for (int i = 0; i < GATES; i++) {
        if (!w->gates[i]) continue;
        CHECK(clSetUserEventStatus(w->gates[i], CL_COMPLETE));
        CHECK(clReleaseEvent(w->gates[i]));
        w->gates[i] = NULL;
    }
}

/* ---- a command on a buffer ---- */

struct order {
    cl_uint count;
    cl_event list[GATES + 2];
};

/* What a command on `s` (and `t`, unless NULL) must wait for, and sometimes a gate more. */
static struct order order_of(struct worker *w, cl_command_queue q, const struct slot *s, const struct slot *t,
                             bool gate)
{
    struct order o = {0};
    const struct slot *both[] = {s, t};
    for (int i = 0; i < 2; i++) {
        if (!both[i] || !both[i]->last) continue;
        if (both[i]->tail == q && draw(w, 2)) continue; /* the queue keeps the order by itself */
        o.list[o.count++] = both[i]->last;
    }
    cl_event event = w->gates[draw(w, GATES)];
    if (gate && event && draw(w, 4) == 0) o.list[o.count++] = event;
    return o;
}

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *data)
{
    (void)event;
    if (status >= 0) atomic_fetch_add((atomic_int *)data, 1);
}

/* `event` is the latest command on `s`, in `q`. */
static void now_last(struct worker *w, struct slot *s, cl_command_queue q, cl_event event)
{
    if (s->last) CHECK(clReleaseEvent(s->last));
    s->last = event;
    s->tail = in_order(q) ? q : NULL;
    if (draw(w, 8)) return;
    w->callbacks++;
    CHECK(clSetEventCallback(event, (cl_int)draw(w, 2), on_event, &w->called));
}

/* Is the number to be named by its address this time? */
static bool by_address(struct worker *w, const struct slot *s) { return s->svm && draw(w, 2); }

static void step(struct worker *w, struct slot *s, cl_command_queue q)
{
    const int n = (int)draw(w, 1000);
    struct order o = order_of(w, q, s, NULL, true);
    cl_event event = NULL;
    if (by_address(w, s)) CHECK(clSetKernelArgSVMPointer(w->kernel, 0, s->svm));
    else CHECK(clSetKernelArg(w->kernel, 0, sizeof s->mem, &s->mem));
    CHECK(clSetKernelArg(w->kernel, 1, sizeof n, &n));
    CHECK(clEnqueueNDRangeKernel(q, w->kernel, 1, NULL, (size_t[]){1}, NULL, o.count, o.count ? o.list : NULL, &event));
    s->want = (int)((unsigned)s->want * 3 + (unsigned)n);
    now_last(w, s, q, event);
}

static int device_of(cl_command_queue q)
{
    cl_device_id d = NULL;
    int i = 0;
    clGetCommandQueueInfo(q, CL_QUEUE_DEVICE, sizeof d, &d, NULL);
    while (devices[i] != d) i++;
    return i;
}

/* The same, by the launch that has been recorded for the queue's device. */
static void replay(struct worker *w, struct slot *s, cl_command_queue q)
{
    const int n = (int)draw(w, 1000), i = device_of(q);
    const cl_uint type = MUTABLE_DISPATCH_CONFIG;
    struct order o = order_of(w, q, s, NULL, true);
    cl_event event = NULL;
    const cl_mutable_dispatch_arg_khr args[] = {{1, sizeof n, &n}, {0, sizeof s->mem, &s->mem}},
                                      pointer = {0, 0, s->svm};
    struct mutable_dispatch_config config = {.command = w->launch[i], .num_args = 2, .arg_list = args};
    const void *configs[] = {&config};
    if (by_address(w, s)) config.num_args = config.num_svm_args = 1, config.arg_svm_list = &pointer;
    CHECK(p_clUpdateMutableCommandsKHR(w->recorded[i], 1, &type, configs));
    CHECK(p_clEnqueueCommandBufferKHR(1, &q, w->recorded[i], o.count, o.count ? o.list : NULL, &event));
    s->want = (int)((unsigned)s->want * 3 + (unsigned)n);
    now_last(w, s, q, event);
}

static void write_number(struct worker *w, struct slot *s, cl_command_queue q)
{
    static const int numbers[] = {0, 1, -1, 12345, 1 << 30};
    const int *n = &numbers[draw(w, 5)];
    cl_bool blocking = draw(w, 3) == 0;
    cl_event event = NULL;
    if (blocking) open_gates(w);
    struct order o = order_of(w, q, s, NULL, !blocking);
    const cl_event *list = o.count ? o.list : NULL;
    if (by_address(w, s)) CHECK(clEnqueueSVMMemcpy(q, blocking, s->svm, n, 4, o.count, list, &event));
    else CHECK(clEnqueueWriteBuffer(q, s->mem, blocking, 0, 4, n, o.count, list, &event));
    s->want = *n;
    now_last(w, s, q, event);
}

static void fill(struct worker *w, struct slot *s, cl_command_queue q)
{
    const int n = (int)draw(w, 1000);
    struct order o = order_of(w, q, s, NULL, true);
    cl_event event = NULL;
    const cl_event *list = o.count ? o.list : NULL;
    if (by_address(w, s)) CHECK(clEnqueueSVMMemFill(q, s->svm, &n, 4, 4, o.count, list, &event));
    else CHECK(clEnqueueFillBuffer(q, s->mem, &n, 4, 0, 4, o.count, list, &event));
    s->want = n;
    now_last(w, s, q, event);
}

static void copy(struct worker *w, struct slot *s, cl_command_queue q)
{
    struct slot *t = &w->slots[draw(w, BUFFERS)];
    if (s == t) return;
    struct order o = order_of(w, q, s, t, true);
    cl_event event = NULL;
    CHECK(clEnqueueCopyBuffer(q, s->mem, t->mem, 0, 0, 4, o.count, o.count ? o.list : NULL, &event));
    t->want = s->want;
    if (event) CHECK(clRetainEvent(event));
    now_last(w, s, q, event);
    now_last(w, t, q, event);
}

static void read_number(struct worker *w, struct slot *s, cl_command_queue q)
{
    int n = 0;
    open_gates(w);
    struct order o = order_of(w, q, s, NULL, false);
    const cl_event *list = o.count ? o.list : NULL;
    if (by_address(w, s)) CHECK(clEnqueueSVMMemcpy(q, CL_TRUE, &n, s->svm, 4, o.count, list, NULL));
    else CHECK(clEnqueueReadBuffer(q, s->mem, CL_TRUE, 0, 4, &n, o.count, list, NULL));
    CHECK(n != s->want);
}

static void map_address(struct worker *w, struct slot *s, cl_command_queue q)
{
    cl_event event = NULL;
    if (!s->svm) return;
    open_gates(w);
    struct order o = order_of(w, q, s, NULL, false);
    CHECK(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, s->svm, 4, o.count, o.count ? o.list : NULL, NULL));
    CHECK(*s->svm != s->want);
    *s->svm = s->want = (int)draw(w, 1000);
    CHECK(clEnqueueSVMUnmap(q, s->svm, 0, NULL, &event));
    now_last(w, s, q, event);
}

static void map_number(struct worker *w, struct slot *s, cl_command_queue q)
{
    cl_int err;
    cl_event event = NULL;
    open_gates(w);
    struct order o = order_of(w, q, s, NULL, false);
    int *p = clEnqueueMapBuffer(q, s->mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, 4, o.count, o.count ? o.list : NULL,
                                NULL, &err);
    CHECK(err);
    if (err) return;
    CHECK(*p != s->want);
    *p = s->want = (int)draw(w, 1000);
    CHECK(clEnqueueUnmapMemObject(q, s->mem, p, 0, NULL, &event));
    now_last(w, s, q, event);
}

/* ---- the rest of the interface ---- */

static void place_gate(struct worker *w)
{
    cl_int err;
    cl_event *gate = &w->gates[draw(w, GATES)];
    if (*gate) return;
    *gate = clCreateUserEvent(context, &err);
    CHECK(err);
}

/* On queues of its own: in shared ones others would wait for the gate. */
static void place_mark(struct worker *w)
{
    cl_command_queue q = w->own[draw(w, QUEUES)];
    cl_event event = NULL, gate = w->gates[draw(w, GATES)];
    bool listed = gate && draw(w, 2);
    if (draw(w, 2)) CHECK(clEnqueueMarkerWithWaitList(q, listed, listed ? &gate : NULL, &event));
    else CHECK(clEnqueueBarrierWithWaitList(q, listed, listed ? &gate : NULL, &event));
    if (draw(w, 2)) {
        w->callbacks++;
        CHECK(clSetEventCallback(event, CL_COMPLETE, on_event, &w->called));
    }
    CHECK(clReleaseEvent(event));
}

static void finish(struct worker *w)
{
    open_gates(w);
    if (draw(w, 4)) CHECK(clFlush(any_queue(w)));
    else CHECK(clFinish(w->own[draw(w, QUEUES)]));
}

/* Commands in flight go on without their queue. */
static void renew_queue(struct worker *w)
{
    cl_command_queue *q = &w->own[draw(w, QUEUES)];
    for (int i = 0; i < BUFFERS; i++)
        if (w->slots[i].tail == *q) w->slots[i].tail = NULL;
    CHECK(clReleaseCommandQueue(*q));
    *q = queue_new(draw(w, 6));
}

static void (*const on_buffer[])(struct worker *, struct slot *, cl_command_queue) = {
    step, step, step, replay, replay, write_number, fill, copy, read_number, map_number, map_address};
static void (*const others[])(struct worker *) = {place_gate, place_gate, place_mark, place_mark, finish, renew_queue};

static void *work(void *user)
{
    struct worker *w = user;
    for (int i = 0; i < STEPS; i++) {
        if (draw(w, 3) == 0) {
            others[draw(w, sizeof others / sizeof *others)](w);
            continue;
        }
        struct slot *s = &w->slots[draw(w, BUFFERS)];
        on_buffer[draw(w, sizeof on_buffer / sizeof *on_buffer)](w, s, any_queue(w));
    }
    open_gates(w);
    for (int i = 0; i < BUFFERS; i++) read_number(w, &w->slots[i], shared[0]);
    return NULL;
}

/* In shared memory if that is wanted and can be had. */
static void slot_open(struct slot *s, bool wanted)
{
    s->svm = wanted ? clSVMAlloc(context, 0, 4, 0) : NULL;
    if (s->svm) *s->svm = 0;
    s->mem = buffer_new(s->svm ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR, 4, s->svm ? s->svm : &(int){0});
}

/* A launch for each device, whose arguments are still to be set. */
static void worker_record(struct worker *w)
{
    const cl_properties list[] = {CL_COMMAND_BUFFER_FLAGS_KHR,
                                  CL_COMMAND_BUFFER_MUTABLE_KHR | CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0};
    for (unsigned i = 0; i < DEVICES; i++) {
        cl_int err;
        cl_command_queue q = queue_new(2 * i);
        w->recorded[i] = p_clCreateCommandBufferKHR(1, &q, list, &err);
        OK(err);
        OK(p_clCommandNDRangeKernelKHR(w->recorded[i], NULL, NULL, w->kernel, 1, NULL, (size_t[]){1}, NULL, 0, NULL,
                                       NULL, &w->launch[i]));
        OK(p_clFinalizeCommandBufferKHR(w->recorded[i]));
        OK(clReleaseCommandQueue(q));
    }
}

static void worker_open(struct worker *w, unsigned seed)
{
    cl_int err;
    *w = (struct worker){.seed = seed};
    for (unsigned i = 0; i < QUEUES; i++) w->own[i] = queue_new(seed + i);
    for (int i = 0; i < BUFFERS; i++) slot_open(&w->slots[i], i % 2);
    w->kernel = clCreateKernel(program, "step", &err);
    OK(err);
    worker_record(w);
}

static void worker_close(struct worker *w)
{
    for (int i = 0; i < DEVICES; i++) OK(p_clReleaseCommandBufferKHR(w->recorded[i]));
    for (int i = 0; i < BUFFERS; i++) {
        if (w->slots[i].last) OK(clReleaseEvent(w->slots[i].last));
        OK(clReleaseMemObject(w->slots[i].mem));
        if (w->slots[i].svm) OK(clEnqueueSVMFree(w->own[0], 1, (void **)&w->slots[i].svm, NULL, NULL, 0, NULL, NULL));
    }
    for (int i = 0; i < QUEUES; i++) {
        OK(clFinish(w->own[i]));
        OK(clReleaseCommandQueue(w->own[i]));
    }
    OK(clReleaseKernel(w->kernel));
    for (int i = 0; i < 10000 && atomic_load(&w->called) < w->callbacks; i++) usleep(1000);
    assert_int_equal(atomic_load(&w->called), w->callbacks);
    assert_int_equal(w->failures, 0);
}

static void test_random(void **state)
{
    (void)state;
    static struct worker workers[THREADS];
    pthread_t threads[THREADS];
    program = program_build("kernel void step(global int *at, int n) { *at = *at * 3 + n; }", NULL);
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < SHARED; i++) shared[i] = queue_new(2 * round + i);
        for (unsigned i = 0; i < THREADS; i++) worker_open(&workers[i], round * THREADS + i);
        for (unsigned i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
        for (unsigned i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
        for (unsigned i = 0; i < THREADS; i++) worker_close(&workers[i]);
        for (unsigned i = 0; i < SHARED; i++) OK(clReleaseCommandQueue(shared[i]));
    }
    OK(clReleaseProgram(program));
}

/* A context of all three devices in the place of the usual one. */
static int setup(void **state)
{
    static const cl_device_partition_property ones[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, 0, 0};
    cl_int err;
    if (command_buffer_setup(state) || clCreateSubDevices(device, ones, 2, devices + 1, NULL)) return -1;
    devices[0] = device;
    if (clReleaseCommandQueue(queue) || clReleaseContext(context)) return -1;
    context = clCreateContext(NULL, DEVICES, devices, NULL, NULL, &err);
    if (context) queue = clCreateCommandQueue(context, device, 0, &err);
    return err;
}

static int teardown(void **state)
{
    return clReleaseDevice(devices[1]) || clReleaseDevice(devices[2]) || check_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    setenv("VENTUS_SVM", "1", 1);
    return cmocka_run_group_tests(tests, setup, teardown);
}
