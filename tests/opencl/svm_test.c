/* Shared virtual memory: one address and one memory for host and kernels; what each function refuses. The variable asks
 * for it. Under the address sanitizer its addresses are taken, and the device offers none. */
#include <pthread.h>

#include "command_buffer.h"

enum { N = 1024, ALL = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER };

static const char *source =
    "kernel void add(global uint *p, constant uint *q, uint n) { p[get_global_id(0)] += *q * n; }\n"
    "kernel void wait(global volatile uint *p) { p[0] = 1; while (!p[1]); p[2] = p[1]; }\n"
    "kernel void follow(global uint *p) { *(global uint *)p[0] = 7; }\n"
    "kernel void count(global volatile uint *p) {\n"
    "    uint mine = 0;\n"
    "    p[1] = 1;\n"
    "    do { atomic_inc(p); mine++; } while (mine < 1000 || !p[2]);\n"
    "    atomic_add(p + 3, mine);\n"
    "}\n"
    "kernel void none(local uint *p, uint q) { p[q] = 0; }\n";
static cl_program program;

static cl_kernel kernel_new(const char *name)
{
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, name, &err);
    OK(err);
    return kernel;
}

static cl_uint *alloc(size_t size)
{
    cl_uint *p = clSVMAlloc(context, CL_MEM_READ_WRITE, size, 0);
    assert_non_null(p);
    return p;
}

static int setup(void **state)
{
    setenv("VENTUS_SVM", "1", 1);
    if (command_buffer_setup(state)) return -1;
    program = program_build(source, NULL);
    return 0;
}

static int teardown(void **state) { return clReleaseProgram(program) || check_teardown(state); }

/* ---- memory ---- */

static void test_alloc(void **state)
{
    const cl_ulong most = QUERY(cl_ulong, clGetDeviceInfo, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    // clang-format off
    const struct { cl_svm_mem_flags flags; size_t size; cl_uint alignment; bool works; } rows[] = {
        {0, 1, 0, true}, {CL_MEM_READ_WRITE, 100, 1, true}, {CL_MEM_READ_ONLY, 4096, 128, true},
        {CL_MEM_WRITE_ONLY, 4097, 64, true}, {CL_MEM_SVM_FINE_GRAIN_BUFFER, 1 << 20, 0, true},
        {CL_MEM_READ_ONLY | CL_MEM_SVM_FINE_GRAIN_BUFFER, most, 0, true},
        {0, 0, 0, false}, {0, most + 1, 0, false}, {0, 16, 3, false}, {0, 16, 256, false},
        {CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 16, 0, false}, {CL_MEM_USE_HOST_PTR, 16, 0, false},
        {CL_MEM_SVM_ATOMICS, 16, 0, false}, {CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, 16, 0, false},
    };
    // clang-format on
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned char *p = clSVMAlloc(context, rows[i].flags, rows[i].size, rows[i].alignment);
        assert_int_equal(p != NULL, rows[i].works);
        if (!p) continue;
        assert_int_equal((uintptr_t)p % 128, 0);
        assert_int_equal(p[0] | p[rows[i].size - 1], 0);
        p[0] = p[rows[i].size - 1] = 1;
        clSVMFree(context, p);
    }
    assert_null(clSVMAlloc(NULL, 0, 16, 0));
    assert_null(clSVMAlloc((cl_context)queue, 0, 16, 0));
    clSVMFree(context, NULL);
    clSVMFree(context, (void *)rows);
    clSVMFree((cl_context)queue, NULL);
}

/* What one side writes the other reads, through pointers into the middle of the memory, too. */
static void test_arguments(void **state)
{
    (void)state;
    const cl_uint three = 3;
    cl_uint *p = alloc((N + 1) * sizeof *p);
    cl_kernel add = kernel_new("add");
    for (cl_uint i = 0; i < N; i++) p[i] = i;
    p[N] = 5;
    OK(clSetKernelArgSVMPointer(add, 0, p + 100));
    OK(clSetKernelArgSVMPointer(add, 1, p + N));
    OK(clSetKernelArg(add, 2, sizeof three, &three));
    OK(clSetKernelExecInfo(add, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof p, &p));
    cl_kernel clone = clCloneKernel(add, NULL);
    OK(clEnqueueNDRangeKernel(queue, clone, 1, NULL, &(size_t){N - 100}, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    for (cl_uint i = 0; i < N; i++) assert_int_equal(p[i], i + (i < 100 ? 0 : 15));
    cl_mem mem = buffer_new(CL_MEM_COPY_HOST_PTR, sizeof three, (void *)&three); /* instead of the shared memory */
    OK(clSetKernelArg(add, 1, sizeof mem, &mem));
    OK(clEnqueueNDRangeKernel(queue, add, 1, NULL, &(size_t){1}, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    assert_int_equal(p[100], 115 + 9);
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(clone));
    OK(clReleaseKernel(add));
    clSVMFree(context, p);
}

/* Fine-grained: while the kernel runs, each sees what the other does. */
static void test_meanwhile(void **state)
{
    (void)state;
    volatile cl_uint *p = clSVMAlloc(context, CL_MEM_SVM_FINE_GRAIN_BUFFER, 4096, 0);
    cl_kernel wait = kernel_new("wait");
    OK(clSetKernelArgSVMPointer(wait, 0, (void *)(uintptr_t)p));
    OK(clEnqueueNDRangeKernel(queue, wait, 1, NULL, &(size_t){1}, NULL, 0, NULL, NULL));
    OK(clFlush(queue));
    while (!p[0]) usleep(100);
    p[1] = 42;
    OK(clFinish(queue));
    assert_int_equal(p[2], 42);
    OK(clReleaseKernel(wait));
    clSVMFree(context, (void *)(uintptr_t)p);
}

/* Atomic operations of both sides on one word, until the client has made its own. */
static void test_atomics(void **state)
{
    (void)state;
    enum { MINE = 20000 };
    cl_uint *p = clSVMAlloc(context, CL_MEM_SVM_FINE_GRAIN_BUFFER, 4096, 0);
    memset(p, 0, 4 * sizeof *p);
    cl_kernel count = kernel_new("count");
    OK(clSetKernelArgSVMPointer(count, 0, p));
    OK(clEnqueueNDRangeKernel(queue, count, 1, NULL, &(size_t){64}, NULL, 0, NULL, NULL));
    OK(clFlush(queue));
    while (!__atomic_load_n(&p[1], __ATOMIC_RELAXED)) usleep(100);
    for (int i = 0; i < MINE; i++) __atomic_fetch_add(p, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&p[2], 1, __ATOMIC_RELAXED);
    OK(clFinish(queue));
    assert_true(p[3] >= 64 * 1000);
    assert_int_equal(p[0], p[3] + MINE);
    OK(clReleaseKernel(count));
    clSVMFree(context, p);
}

/* A kernel's pointers are 32 bits of the host's. */
static void test_pointer_in_memory(void **state)
{
    (void)state;
    cl_uint *p = alloc(16);
    cl_kernel follow = kernel_new("follow");
    p[0] = (cl_uint)(uintptr_t)(p + 2);
    assert_ptr_equal((void *)(uintptr_t)p[0], p + 2);
    OK(clSetKernelArgSVMPointer(follow, 0, p));
    OK(clEnqueueNDRangeKernel(queue, follow, 1, NULL, &(size_t){1}, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    assert_int_equal(p[2], 7);
    OK(clReleaseKernel(follow));
    clSVMFree(context, p);
}

/* Buffers, parts of them and images in shared memory: nothing is copied. */
static void test_buffers(void **state)
{
    (void)state;
    cl_int err;
    cl_uint *p = alloc(N * sizeof *p), word = 0;
    REFUSED(CL_INVALID_BUFFER_SIZE, clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 2 * N * sizeof *p, p, &err));
    REFUSED(CL_INVALID_BUFFER_SIZE, clCreateBuffer(context, CL_MEM_USE_HOST_PTR, N * sizeof *p, p + 1, &err));
    cl_mem mem = buffer_new(CL_MEM_USE_HOST_PTR, N * sizeof *p, p), parts[2];
    parts[0] = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){256, 64}, &err);
    OK(err);
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
    parts[1] = clCreateImage(context, CL_MEM_USE_HOST_PTR, &(cl_image_format){CL_R, CL_UNSIGNED_INT32}, &desc, p, &err);
    OK(err);
    cl_mem copy = buffer_new(CL_MEM_COPY_HOST_PTR, 4, p);
    assert_true(QUERY(cl_bool, clGetMemObjectInfo, mem, CL_MEM_USES_SVM_POINTER));
    assert_true(QUERY(cl_bool, clGetMemObjectInfo, parts[0], CL_MEM_USES_SVM_POINTER));
    assert_true(QUERY(cl_bool, clGetMemObjectInfo, parts[1], CL_MEM_USES_SVM_POINTER));
    assert_false(QUERY(cl_bool, clGetMemObjectInfo, copy, CL_MEM_USES_SVM_POINTER));
    OK(clEnqueueWriteBuffer(queue, parts[0], CL_TRUE, 0, 4, "abcd", 0, NULL, NULL));
    assert_memory_equal(p + 64, "abcd", 4);
    p[9] = 77;
    OK(clEnqueueReadImage(queue, parts[1], CL_TRUE, (size_t[3]){1, 1, 0}, (size_t[3]){1, 1, 1}, 0, 0, &word, 0, NULL,
                          NULL));
    assert_int_equal(word, 77);
    unsigned *mapped = clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_WRITE, 4, 8, 0, NULL, NULL, &err);
    assert_ptr_equal(mapped, p + 1);
    mapped[0] = 5;
    OK(clEnqueueUnmapMemObject(queue, mem, mapped, 0, NULL, NULL));
    OK(clFinish(queue));
    assert_int_equal(p[1], 5);
    const cl_mem all[] = {mem, parts[0], parts[1], copy};
    for (size_t i = 0; i < 4; i++) OK(clReleaseMemObject(all[i]));
    p[1] = 6; /* the memory outlives the objects */
    clSVMFree(context, p);
}

/* ---- commands ---- */

static void test_copy_fill(void **state)
{
    (void)state;
    unsigned char host[64], pattern[128];
    unsigned char *p = (unsigned char *)alloc(4096);
    memset(pattern, 9, sizeof pattern);
    for (size_t size = 1; size <= 128; size *= 2) {
        pattern[size - 1] = (unsigned char)size;
        OK(clEnqueueSVMMemFill(queue, p + 128, pattern, size, 1024, 0, NULL, NULL));
        pattern[size - 1] ^= 255; /* it has been copied */
        OK(clFinish(queue));
        assert_int_equal(p[127] | p[128 + 1024], 0);
        assert_int_equal(p[128 + size - 1], (unsigned char)size);
        assert_memory_equal(p + 128, p + 128 + size, 1024 - size);
    }
    OK(clEnqueueSVMMemcpy(queue, CL_TRUE, host, p + 128, 64, 0, NULL, NULL));
    assert_memory_equal(host, p + 128, 64);
    OK(clEnqueueSVMMemcpy(queue, CL_FALSE, p, p + 128, 128, 0, NULL, NULL));
    OK(clEnqueueSVMMemcpy(queue, CL_FALSE, p, host, 0, 0, NULL, NULL));
    OK(clFinish(queue));
    assert_memory_equal(p, p + 128, 128);
    clSVMFree(context, p);
}

/* Each gives an event of its type, and takes part in the order. */
static void test_events(void **state)
{
    (void)state;
    // clang-format off
    static const cl_command_type types[] = {
        CL_COMMAND_SVM_MAP, CL_COMMAND_SVM_MEMFILL, CL_COMMAND_SVM_MEMCPY, CL_COMMAND_SVM_UNMAP, CL_COMMAND_SVM_MIGRATE_MEM,
        CL_COMMAND_SVM_FREE,
    };
    // clang-format on
    enum { COUNT = sizeof types / sizeof *types };
    cl_uint *p = alloc(4096), out = 0;
    void *list = p;
    cl_event events[COUNT], gate = clCreateUserEvent(context, NULL);
    OK(clEnqueueSVMMap(queue, CL_FALSE, CL_MAP_WRITE, p, 64, 1, &gate, &events[0]));
    OK(clEnqueueSVMMemFill(queue, p, "1234", 4, 64, 0, NULL, &events[1]));
    OK(clEnqueueSVMMemcpy(queue, CL_FALSE, &out, p, 4, 1, &events[1], &events[2]));
    OK(clEnqueueSVMUnmap(queue, p, 0, NULL, &events[3]));
    OK(clEnqueueSVMMigrateMem(queue, 1, (const void **)&list, NULL, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, &events[4]));
    OK(clEnqueueSVMFree(queue, 1, &list, NULL, NULL, 0, NULL, &events[5]));
    assert_int_equal(p[0] | out, 0);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(COUNT, events));
    assert_memory_equal(&out, "1234", 4);
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(QUERY(cl_command_type, clGetEventInfo, events[i], CL_EVENT_COMMAND_TYPE), types[i]);
        OK(clReleaseEvent(events[i]));
    }
    OK(clReleaseEvent(gate));
    FAILS(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(queue, 1, (const void **)&list, NULL, 0, 0, NULL, NULL)); /* freed */
}

static void CL_CALLBACK freed(cl_command_queue q, cl_uint count, void *ptrs[], void *data)
{
    cl_uint *seen = data;
    if (q == queue) *seen = count;
    for (cl_uint i = 0; i < count; i++) clSVMFree(context, ptrs[i]);
}

static void test_enqueue_free(void **state)
{
    (void)state;
    cl_uint seen = 0;
    void *list[3] = {alloc(16), NULL, alloc(16)};
    const void *first = list[0];
    OK(clEnqueueSVMFree(queue, 3, list, freed, &seen, 0, NULL, NULL));
    memset(list, 0, sizeof list); /* they have been copied */
    OK(clFinish(queue));
    assert_int_equal(seen, 3);
    FAILS(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(queue, 1, &first, NULL, 0, 0, NULL, NULL));
    OK(clEnqueueSVMFree(queue, 0, NULL, NULL, NULL, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueSVMFree(queue, 0, list, NULL, NULL, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueSVMFree(queue, 1, NULL, NULL, NULL, 0, NULL, NULL));
}

/* ---- errors ---- */

/* Events of another context, and such as have failed already. */
static void test_wait_lists(void **state)
{
    (void)state;
    unsigned char *p = (unsigned char *)alloc(64), host[4];
    const void *list[] = {p};
    cl_int err;
    cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_event foreign = clCreateUserEvent(other, &err), failed = clCreateUserEvent(context, &err);
    FAILS(CL_INVALID_CONTEXT, clEnqueueSVMFree(queue, 0, NULL, NULL, NULL, 1, &foreign, NULL));
    FAILS(CL_INVALID_CONTEXT, clEnqueueSVMMemcpy(queue, CL_TRUE, p, host, 4, 1, &foreign, NULL));
    FAILS(CL_INVALID_CONTEXT, clEnqueueSVMMemFill(queue, p, host, 4, 4, 1, &foreign, NULL));
    FAILS(CL_INVALID_CONTEXT, clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, p, 4, 1, &foreign, NULL));
    FAILS(CL_INVALID_CONTEXT, clEnqueueSVMUnmap(queue, p, 1, &foreign, NULL));
    FAILS(CL_INVALID_CONTEXT, clEnqueueSVMMigrateMem(queue, 1, list, NULL, 0, 1, &foreign, NULL));
    OK(clSetUserEventStatus(failed, -7));
    FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
          clEnqueueSVMMemcpy(queue, CL_TRUE, p, host, 4, 1, &failed, NULL));
    FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
          clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, p, 4, 1, &failed, NULL));
    OK(clReleaseEvent(foreign));
    OK(clReleaseEvent(failed));
    OK(clReleaseContext(other));
    clSVMFree(context, p);
}

static void test_command_errors(void **state)
{
    (void)state;
    unsigned char *p = (unsigned char *)alloc(4096), host[64];
    const void *list[] = {p, p + 4000};
    const size_t sizes[] = {0, 97};
    const cl_command_queue none = (cl_command_queue)context;
    const cl_event bad = (cl_event)context;
    FAILS(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMFree(none, 0, NULL, NULL, NULL, 0, NULL, NULL));
    FAILS(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMMemcpy(none, CL_TRUE, p, host, 4, 0, NULL, NULL));
    FAILS(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMMemFill(none, p, host, 4, 4, 0, NULL, NULL));
    FAILS(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMMap(none, CL_TRUE, CL_MAP_READ, p, 4, 0, NULL, NULL));
    FAILS(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMUnmap(none, p, 0, NULL, NULL));
    FAILS(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMMigrateMem(none, 1, list, NULL, 0, 0, NULL, NULL));
    FAILS(CL_INVALID_EVENT_WAIT_LIST, clEnqueueSVMFree(queue, 0, NULL, NULL, NULL, 1, NULL, NULL));
    FAILS(CL_INVALID_EVENT_WAIT_LIST, clEnqueueSVMMemcpy(queue, CL_TRUE, p, host, 4, 1, &bad, NULL));
    FAILS(CL_INVALID_EVENT_WAIT_LIST, clEnqueueSVMMemFill(queue, p, host, 4, 4, 0, &bad, NULL));
    FAILS(CL_INVALID_EVENT_WAIT_LIST, clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, p, 4, 1, &bad, NULL));
    FAILS(CL_INVALID_EVENT_WAIT_LIST, clEnqueueSVMUnmap(queue, p, 1, &bad, NULL));
    FAILS(CL_INVALID_EVENT_WAIT_LIST, clEnqueueSVMMigrateMem(queue, 1, list, NULL, 0, 1, &bad, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueSVMMemcpy(queue, CL_TRUE, NULL, host, 4, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueSVMMemcpy(queue, CL_TRUE, p, NULL, 4, 0, NULL, NULL));
    FAILS(CL_MEM_COPY_OVERLAP, clEnqueueSVMMemcpy(queue, CL_TRUE, p, p + 3, 4, 0, NULL, NULL));
    FAILS(CL_MEM_COPY_OVERLAP, clEnqueueSVMMemcpy(queue, CL_TRUE, p + 3, p, 4, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueSVMMemFill(queue, NULL, host, 4, 4, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueSVMMemFill(queue, p, NULL, 4, 4, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueSVMMemFill(queue, p, host, 0, 4, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueSVMMemFill(queue, p, host, 3, 9, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueSVMMemFill(queue, p, host, 256, 256, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueSVMMemFill(queue, p, host, 4, 6, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueSVMMemFill(queue, p + 2, host, 4, 4, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, NULL, 4, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, p, 0, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueSVMMap(queue, CL_TRUE, 1 << 10, p, 4, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueSVMUnmap(queue, NULL, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(queue, 0, list, NULL, 0, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(queue, 1, NULL, NULL, 0, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(queue, 1, list, NULL, 1 << 10, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(queue, 2, list, sizes, 0, 0, NULL, NULL));
    OK(clEnqueueSVMMigrateMem(queue, 2, list, NULL, 0, 0, NULL, NULL));
    clSVMFree(context, p);
}

static void test_kernel_errors(void **state)
{
    (void)state;
    cl_uint *p = alloc(64), *end = p + 16;
    cl_bool system = CL_FALSE;
    cl_kernel add = kernel_new("add"), none = kernel_new("none");
    FAILS(CL_INVALID_KERNEL, clSetKernelArgSVMPointer((cl_kernel)queue, 0, p));
    FAILS(CL_INVALID_ARG_INDEX, clSetKernelArgSVMPointer(add, 3, p));
    FAILS(CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer(add, 2, p)); /* no pointer */
    FAILS(CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer(none, 0, p));
    FAILS(CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer(add, 0, &system));
    FAILS(CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer(add, 0, end + 1));
    OK(clSetKernelArgSVMPointer(add, 0, end));
    OK(clSetKernelArgSVMPointer(add, 0, NULL));
    FAILS(CL_INVALID_KERNEL, clSetKernelExecInfo((cl_kernel)queue, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof p, &p));
    FAILS(CL_INVALID_VALUE, clSetKernelExecInfo(add, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof p, NULL));
    FAILS(CL_INVALID_VALUE, clSetKernelExecInfo(add, CL_KERNEL_EXEC_INFO_SVM_PTRS, 4, &p));
    FAILS(CL_INVALID_VALUE, clSetKernelExecInfo(add, CL_KERNEL_FUNCTION_NAME, sizeof p, &p));
    FAILS(CL_INVALID_VALUE, clSetKernelExecInfo(add, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, 1, &system));
    OK(clSetKernelExecInfo(add, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof system, &system));
    OK(clSetKernelExecInfo(add, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, NULL));
    system = CL_TRUE;
    FAILS(CL_INVALID_OPERATION,
          clSetKernelExecInfo(add, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof system, &system));
    OK(clReleaseKernel(add));
    OK(clReleaseKernel(none));
    clSVMFree(context, p);
}

/* ---- lifetime ---- */

/* What a context leaves is freed with it; what is freed can be allocated again. */
static void test_contexts(void **state)
{
    (void)state;
    const size_t size = 300 << 20;
    for (int i = 0; i < 20; i++) {
        cl_context own = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
        unsigned char *p = clSVMAlloc(own, 0, size, 0), *q = (unsigned char *)alloc(size);
        assert_non_null(p);
        p[size - 1] = 1;
        q[0] = 2;
        assert_int_equal(p[0], 0); /* two machines do not share an address */
        clSVMFree(context, p);     /* not of this context: stays */
        assert_int_equal(p[size - 1], 1);
        clSVMFree(context, q);
        OK(clReleaseContext(own));
    }
}

static void *allocate_and_free(void *state)
{
    uint32_t seed = (uint32_t)(uintptr_t)state;
    cl_context own = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_uint *held[16] = {0};
    bool good = own != NULL;
    for (int i = 0; i < 400 && good; i++) {
        seed = seed * 1664525 + 1013904223;
        cl_uint **p = &held[seed >> 28];
        if (*p) {
            good = **p == (cl_uint)(uintptr_t)p; /* nobody else has written there */
            clSVMFree(own, *p);
            *p = NULL;
        } else if ((*p = clSVMAlloc(own, 0, (seed >> 8 & 0xffff) + 4, 0))) {
            **p = (cl_uint)(uintptr_t)p;
        } else {
            good = false;
        }
    }
    clReleaseContext(own);
    return good ? state : NULL;
}

static void test_threads(void **state)
{
    (void)state;
    pthread_t threads[4];
    for (uintptr_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, allocate_and_free, (void *)(i + 1)), 0);
    for (int i = 0; i < 4; i++) {
        void *good;
        assert_int_equal(pthread_join(threads[i], &good), 0);
        assert_non_null(good);
    }
}

static void test_offer(void **state)
{
    (void)state;
    const cl_device_svm_capabilities offer =
        QUERY(cl_device_svm_capabilities, clGetDeviceInfo, device, CL_DEVICE_SVM_CAPABILITIES);
#ifdef __SANITIZE_ADDRESS__
    assert_int_equal(offer, 0);
    assert_null(clSVMAlloc(context, 0, 16, 0));
#else
    assert_int_equal(offer, ALL);
#endif
}

/* Copies and fills of shared memory in a command buffer, between kernels. */
static void test_recorded(void **state)
{
    (void)state;
    const cl_uint five = 5, n = 2;
    const size_t items = N;
    cl_uint *p = alloc(N * 4), *q = alloc(N * 4);
    commands c = buffer_on(queue);
    cl_kernel kernel = kernel_new("add");
    OK(clSetKernelArgSVMPointer(kernel, 0, p));
    OK(clSetKernelArgSVMPointer(kernel, 1, q));
    OK(clSetKernelArg(kernel, 2, sizeof n, &n));
    OK(p_clCommandSVMMemFillKHR(c, NULL, NULL, q, &five, 4, N * 4, 0, NULL, NULL, NULL));
    OK(p_clCommandSVMMemcpyKHR(c, NULL, NULL, p, q, N * 4, 0, NULL, NULL, NULL));
    OK(p_clCommandNDRangeKernelKHR(c, NULL, NULL, kernel, 1, NULL, &items, NULL, 0, NULL, NULL, NULL));
    FAILS(CL_INVALID_VALUE, p_clCommandSVMMemFillKHR(c, NULL, NULL, q, &five, 3, 12, 0, NULL, NULL, NULL));
    FAILS(CL_INVALID_VALUE, p_clCommandSVMMemcpyKHR(c, NULL, NULL, p, NULL, 4, 0, NULL, NULL, NULL));
    FAILS(CL_MEM_COPY_OVERLAP, p_clCommandSVMMemcpyKHR(c, NULL, NULL, p, p + 1, 8, 0, NULL, NULL, NULL));
    FAILS(CL_INVALID_COMMAND_QUEUE, p_clCommandSVMMemcpyKHR(c, queue, NULL, p, q, 4, 0, NULL, NULL, NULL));
    OK(p_clFinalizeCommandBufferKHR(c));
    FAILS(CL_INVALID_OPERATION, p_clCommandSVMMemFillKHR(c, NULL, NULL, q, &five, 4, 4, 0, NULL, NULL, NULL));
    for (int i = 0; i < 2; i++) {
        memset(p, 0, N * 4);
        OK(p_clEnqueueCommandBufferKHR(0, NULL, c, 0, NULL, NULL));
        OK(clFinish(queue));
        for (int k = 0; k < N; k++) assert_int_equal(p[k], 15);
    }
    OK(p_clReleaseCommandBufferKHR(c));
    OK(clReleaseKernel(kernel));
    clSVMFree(context, p);
    clSVMFree(context, q);
}

/* A recorded launch gets other shared memory, and information about its execution. */
static void test_changed(void **state)
{
    (void)state;
    const cl_uint n = 2, type = MUTABLE_DISPATCH_CONFIG;
    const size_t items = N;
    cl_int err;
    cl_uint *p = alloc(N * 4), *q = alloc(N * 4);
    cl_mutable_command_khr handle;
    const cl_properties list[] = {CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_MUTABLE_KHR, 0};
    commands c = p_clCreateCommandBufferKHR(1, &queue, list, &err);
    OK(err);
    cl_kernel kernel = kernel_new("add");
    for (int i = 0; i < N; i++) p[i] = 1, q[i] = 5;
    OK(clSetKernelArgSVMPointer(kernel, 0, p));
    OK(clSetKernelArgSVMPointer(kernel, 1, p));
    OK(clSetKernelArg(kernel, 2, sizeof n, &n));
    OK(p_clCommandNDRangeKernelKHR(c, NULL, NULL, kernel, 1, NULL, &items, NULL, 0, NULL, NULL, &handle));
    OK(p_clFinalizeCommandBufferKHR(c));
    const void *pointers[] = {p, q};
    const cl_bool everything = CL_TRUE;
    const cl_mutable_dispatch_arg_khr arg = {1, 0, q};
    cl_mutable_dispatch_exec_info_khr info = {CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointers, pointers};
    const struct mutable_dispatch_config config = {
        .command = handle, .num_svm_args = 1, .num_exec_infos = 1, .arg_svm_list = &arg, .exec_info_list = &info};
    const void *configs[] = {&config};
    OK(p_clUpdateMutableCommandsKHR(c, 1, &type, configs));
    info =
        (cl_mutable_dispatch_exec_info_khr){CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof everything, &everything};
    FAILS(CL_INVALID_OPERATION, p_clUpdateMutableCommandsKHR(c, 1, &type, configs));
    OK(p_clEnqueueCommandBufferKHR(0, NULL, c, 0, NULL, NULL));
    OK(clFinish(queue));
    for (int i = 0; i < N; i++) assert_int_equal(p[i], 11);
    OK(p_clReleaseCommandBufferKHR(c));
    OK(clReleaseKernel(kernel));
    clSVMFree(context, p);
    clSVMFree(context, q);
}

#ifndef __SANITIZE_ADDRESS__
/* ---- what programs do with it ---- */

/* A list of numbers, mapped for the program and unmapped for the kernel. */
static void test_round_trip(void **state)
{
    (void)state;
    cl_program own = program_build("kernel void f(global int *p) { int i = get_global_id(0); p[i] += 3 * i; }", NULL);
    cl_kernel kernel = clCreateKernel(own, "f", NULL);
    const size_t n = N;
    int *p = clSVMAlloc(context, CL_MEM_READ_WRITE, N * sizeof *p, 0);
    assert_non_null(p);
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, p, N * sizeof *p, 0, NULL, NULL));
    for (int i = 0; i < N; i++) p[i] = i;
    OK(clEnqueueSVMUnmap(queue, p, 0, NULL, NULL));
    OK(clSetKernelArgSVMPointer(kernel, 0, p));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL));
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, p, N * sizeof *p, 0, NULL, NULL));
    for (int i = 0; i < N; i++) assert_int_equal(p[i], 4 * i);
    OK(clEnqueueSVMUnmap(queue, p, 0, NULL, NULL));
    OK(clFinish(queue));
    clSVMFree(context, p);
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(own));
}

/* What standard error gets from two launches of a kernel. */
static void launched(cl_program own, const char *name, void *p, char *text, size_t size)
{
    const size_t one = 1;
    FILE *file = tmpfile();
    cl_kernel kernel = clCreateKernel(own, name, NULL);
    int before = dup(STDERR_FILENO);
    assert_true(file && kernel && before >= 0);
    OK(clSetKernelArgSVMPointer(kernel, 0, p));
    assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);
    for (int i = 0; i < 2; i++) OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    assert_true(dup2(before, STDERR_FILENO) >= 0);
    close(before);
    rewind(file);
    text[fread(text, 1, size - 1, file)] = 0;
    fclose(file);
    OK(clReleaseKernel(kernel));
}

/* A kernel that links a list in shared memory: the program is told that it cannot walk it. */
static void test_links(void **state)
{
    (void)state;
    char text[1000];
    cl_program own =
        program_build("typedef struct node { global struct node *next; int value; } node;\n"
                      "__attribute__((noinline)) void link(global node *n, global node *next)\n"
                      "{ n->next = next; }\n"
                      "kernel void plain(global int *p) { p[0] = p[1] + 1; }\n"
                      "kernel void list(global node *n) { for (int i = 0; i < 3; i++) link(n + i, n + i + 1); }",
                      NULL);
    cl_uint *p = clSVMAlloc(context, 0, 64, 0);
    launched(own, "plain", p, text, sizeof text);
    assert_string_equal(text, "");
    launched(own, "list", p, text, sizeof text);
    assert_int_equal(p[2], (uintptr_t)p + 16);
    if (sizeof(void *) == 8) {
        const char *line = strchr(text, '\n');
        assert_non_null(strstr(text, "kernel list has pointers in memory"));
        assert_true(line && !line[1]); /* once */
    }
    clSVMFree(context, p);
    OK(clReleaseProgram(own));
}
#endif

int main(void)
{
    // clang-format off
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_offer),
#ifndef __SANITIZE_ADDRESS__
        cmocka_unit_test(test_alloc), cmocka_unit_test(test_arguments), cmocka_unit_test(test_meanwhile), cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_pointer_in_memory), cmocka_unit_test(test_buffers), cmocka_unit_test(test_copy_fill),
        cmocka_unit_test(test_events), cmocka_unit_test(test_enqueue_free), cmocka_unit_test(test_command_errors), cmocka_unit_test(test_wait_lists),
        cmocka_unit_test(test_kernel_errors), cmocka_unit_test(test_recorded), cmocka_unit_test(test_changed), cmocka_unit_test(test_contexts), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_links),
#endif
    };
    // clang-format on
    return cmocka_run_group_tests(tests, setup, teardown);
}
