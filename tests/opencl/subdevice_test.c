/* Sub-devices: partitions and their errors, queries, lifetime, contexts and queues of several devices, and that a
 * kernel runs on the compute units of its queue's device and on no others. */
#include "check.h"

enum { UNITS = 8, GROUPS = 64 };

static int eight_setup(void **state) { return check_machine("sms = 8") || check_setup(state); }

static cl_uint units(cl_device_id d) { return QUERY(cl_uint, clGetDeviceInfo, d, CL_DEVICE_MAX_COMPUTE_UNITS); }

static cl_uint references(cl_device_id d) { return QUERY(cl_uint, clGetDeviceInfo, d, CL_DEVICE_REFERENCE_COUNT); }

/* Parts of so many units each, which ends with 0. */
static void divide(cl_device_id whole, const cl_uint *sizes, cl_device_id *parts)
{
    cl_device_partition_property list[UNITS + 3] = {CL_DEVICE_PARTITION_BY_COUNTS};
    cl_uint n = 0, made;
    for (; sizes[n]; n++) list[n + 1] = sizes[n];
    OK(clCreateSubDevices(whole, list, n, parts, &made));
    assert_int_equal(made, n);
    for (cl_uint i = 0; i < n; i++) assert_int_equal(units(parts[i]), sizes[i]);
}

static void release(cl_device_id *parts, cl_uint count)
{
    for (cl_uint i = 0; i < count; i++) OK(clReleaseDevice(parts[i]));
}

/* ---- partitions ---- */

static void test_whole(void **state)
{
    cl_device_partition_property kinds[3];
    size_t size = 1;
    (void)state;
    assert_int_equal(units(device), UNITS);
    assert_int_equal(QUERY(cl_uint, clGetDeviceInfo, device, CL_DEVICE_PARTITION_MAX_SUB_DEVICES), UNITS);
    assert_null(QUERY(cl_device_id, clGetDeviceInfo, device, CL_DEVICE_PARENT_DEVICE));
    assert_int_equal(QUERY(cl_device_affinity_domain, clGetDeviceInfo, device, CL_DEVICE_PARTITION_AFFINITY_DOMAIN), 0);
    OK(clGetDeviceInfo(device, CL_DEVICE_PARTITION_PROPERTIES, sizeof kinds, kinds, &size));
    assert_int_equal(size, sizeof kinds);
    assert_int_equal(kinds[0], CL_DEVICE_PARTITION_EQUALLY);
    assert_int_equal(kinds[1], CL_DEVICE_PARTITION_BY_COUNTS);
    assert_int_equal(kinds[2], 0);
    OK(clGetDeviceInfo(device, CL_DEVICE_PARTITION_TYPE, 0, NULL, &size));
    assert_int_equal(size, 0);
}

#define EQUALLY  CL_DEVICE_PARTITION_EQUALLY
#define COUNTS   CL_DEVICE_PARTITION_BY_COUNTS
#define AFFINITY CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN

static void test_refused(void **state)
{
    static const struct {
        cl_device_partition_property list[8];
        cl_int error;
    } wrong[] = {
        {{0}, CL_INVALID_VALUE},
        {{-1, 1}, CL_INVALID_VALUE},
        {{AFFINITY, CL_DEVICE_AFFINITY_DOMAIN_NUMA}, CL_INVALID_VALUE},
        {{EQUALLY, 0}, CL_INVALID_VALUE},
        {{EQUALLY, -1}, CL_INVALID_VALUE},
        {{EQUALLY, 2, EQUALLY, 2}, CL_INVALID_VALUE},
        {{EQUALLY, UNITS}, CL_DEVICE_PARTITION_FAILED},
        {{EQUALLY, UNITS + 1}, CL_INVALID_DEVICE_PARTITION_COUNT},
        {{EQUALLY, (cl_device_partition_property)1 << 32}, CL_INVALID_DEVICE_PARTITION_COUNT},
        {{COUNTS, 0}, CL_INVALID_VALUE},
        {{COUNTS, 1, 0, COUNTS, 1}, CL_INVALID_VALUE},
        {{COUNTS, -1}, CL_INVALID_DEVICE_PARTITION_COUNT},
        {{COUNTS, 4, -1}, CL_INVALID_DEVICE_PARTITION_COUNT},
        {{COUNTS, UNITS + 1}, CL_INVALID_DEVICE_PARTITION_COUNT},
        {{COUNTS, 4, 3, 2}, CL_INVALID_DEVICE_PARTITION_COUNT},
        {{COUNTS, (cl_device_partition_property)1 << 32}, CL_INVALID_DEVICE_PARTITION_COUNT},
    };
    const cl_device_partition_property good[] = {EQUALLY, 2, 0};
    cl_device_id parts[16] = {NULL};
    cl_uint count = 77;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cl_int error = clCreateSubDevices(device, wrong[i].list, 16, parts, &count);
        if (error != wrong[i].error) fail_msg("list %zu: %d instead of %d", i, error, wrong[i].error);
    }
    FAILS(CL_INVALID_VALUE, clCreateSubDevices(device, NULL, 16, parts, &count));
    FAILS(CL_INVALID_VALUE, clCreateSubDevices(device, good, 3, parts, &count));
    FAILS(CL_INVALID_VALUE, clCreateSubDevices(device, good, 0, parts, &count));
    FAILS(CL_INVALID_DEVICE, clCreateSubDevices(NULL, good, 16, parts, &count));
    FAILS(CL_INVALID_DEVICE, clCreateSubDevices((cl_device_id)context, good, 16, parts, &count));
    assert_int_equal(count, 77);
    assert_null(parts[0]);
    OK(clCreateSubDevices(device, good, 0, NULL, NULL));
    OK(clCreateSubDevices(device, good, 0, NULL, &count));
    assert_int_equal(count, 4);
}

/* A device says how it was made. */
static void assert_made_by(cl_device_id d, cl_device_id parent, const cl_device_partition_property *list, size_t words)
{
    cl_device_partition_property made_by[16];
    size_t size;
    assert_ptr_equal(QUERY(cl_device_id, clGetDeviceInfo, d, CL_DEVICE_PARENT_DEVICE), parent);
    OK(clGetDeviceInfo(d, CL_DEVICE_PARTITION_TYPE, sizeof made_by, made_by, &size));
    assert_int_equal(size, words * sizeof *list);
    assert_memory_equal(made_by, list, size);
}

static void test_equally(void **state)
{
    static const cl_device_partition_property list[] = {EQUALLY, 3, 0};
    cl_device_id parts[3];
    cl_uint count;
    (void)state;
    OK(clCreateSubDevices(device, list, 3, parts, &count)); /* two units are in none of them */
    assert_int_equal(count, 2);
    for (cl_uint i = 0; i < count; i++) {
        assert_int_equal(units(parts[i]), 3);
        assert_made_by(parts[i], device, list, 3);
    }
    release(parts, count);
}

/* What is not about compute units a part answers as the whole does. */
static void assert_like_whole(cl_device_id part)
{
    static const cl_device_info same[] = {CL_DEVICE_NAME,
                                          CL_DEVICE_EXTENSIONS,
                                          CL_DEVICE_PLATFORM,
                                          CL_DEVICE_TYPE,
                                          CL_DEVICE_LOCAL_MEM_SIZE,
                                          CL_DEVICE_GLOBAL_MEM_SIZE,
                                          CL_DEVICE_MAX_WORK_GROUP_SIZE,
                                          CL_DEVICE_VERSION,
                                          CL_DEVICE_AVAILABLE};
    char a[4096], b[4096];
    size_t size_a, size_b;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        OK(clGetDeviceInfo(device, same[i], sizeof a, a, &size_a));
        OK(clGetDeviceInfo(part, same[i], sizeof b, b, &size_b));
        assert_int_equal(size_a, size_b);
        assert_memory_equal(a, b, size_a);
    }
}

/* Parts, and parts of a part down to single units, which cannot be divided. */
static void test_parts_of_parts(void **state)
{
    static const cl_device_partition_property list[] = {COUNTS, 5, 2, 0, 0}, ones[] = {EQUALLY, 1, 0},
                                              one[] = {COUNTS, 1, 0, 0};
    cl_device_id parts[2], single[5], none;
    cl_uint count;
    (void)state;
    OK(clCreateSubDevices(device, list, 2, parts, NULL));
    assert_int_equal(units(parts[0]), 5);
    assert_int_equal(units(parts[1]), 2);
    assert_made_by(parts[1], device, list, 5);
    OK(clCreateSubDevices(parts[0], ones, 5, single, &count));
    assert_int_equal(count, 5);
    assert_made_by(single[4], parts[0], ones, 3);
    assert_like_whole(single[4]);
    assert_int_equal(QUERY(cl_uint, clGetDeviceInfo, single[0], CL_DEVICE_PARTITION_MAX_SUB_DEVICES), 0);
    assert_int_equal(QUERY(cl_device_partition_property, clGetDeviceInfo, single[0], CL_DEVICE_PARTITION_PROPERTIES),
                     0);
    FAILS(CL_DEVICE_PARTITION_FAILED, clCreateSubDevices(single[0], ones, 1, &none, NULL));
    FAILS(CL_DEVICE_PARTITION_FAILED, clCreateSubDevices(single[0], one, 1, &none, NULL));
    release(single, 5);
    release(parts, 2);
}

/* ---- UUIDs ---- */

typedef struct {
    cl_uchar bytes[CL_UUID_SIZE_KHR];
} uuid;

static uuid uuid_of(cl_device_id d, cl_device_info which) { return QUERY(uuid, clGetDeviceInfo, d, which); }

static bool same(uuid a, uuid b) { return !memcmp(&a, &b, sizeof a); }

/* A device has one of its own, which is the same whenever and however it is made. */
static void test_uuids(void **state)
{
    static const cl_uint sizes[] = {4, 4, 0}, longer[] = {4, 2, 0};
    cl_device_id parts[2], again[2];
    (void)state;
    const uuid whole = uuid_of(device, CL_DEVICE_UUID_KHR), driver = uuid_of(device, CL_DRIVER_UUID_KHR);
    divide(device, sizes, parts);
    divide(device, longer, again);
    assert_int_equal(whole.bytes[6] >> 4, 8);
    assert_int_equal(whole.bytes[8] >> 6, 2);
    assert_true(same(whole, uuid_of(device, CL_DEVICE_UUID_KHR)));
    assert_false(same(whole, driver));
    assert_false(same(whole, uuid_of(parts[0], CL_DEVICE_UUID_KHR)));
    assert_false(same(uuid_of(parts[0], CL_DEVICE_UUID_KHR), uuid_of(parts[1], CL_DEVICE_UUID_KHR)));
    assert_true(same(uuid_of(parts[0], CL_DEVICE_UUID_KHR), uuid_of(again[0], CL_DEVICE_UUID_KHR)));
    assert_false(same(uuid_of(parts[1], CL_DEVICE_UUID_KHR), uuid_of(again[1], CL_DEVICE_UUID_KHR)));
    assert_true(same(driver, uuid_of(parts[1], CL_DRIVER_UUID_KHR)));
    release(parts, 2);
    release(again, 2);
}

/* ---- lifetime ---- */

static void test_references(void **state)
{
    static const cl_uint sizes[] = {4, 3, 0}, half[] = {2, 0};
    cl_device_id parts[2], inner;
    cl_int err;
    (void)state;
    divide(device, sizes, parts);
    assert_int_equal(references(parts[0]), 1);
    OK(clRetainDevice(parts[0]));
    assert_int_equal(references(parts[0]), 2);
    OK(clReleaseDevice(parts[0]));
    divide(parts[0], half, &inner);
    assert_int_equal(references(parts[0]), 1);
    OK(clReleaseDevice(parts[0])); /* what was made of it holds it */
    assert_ptr_equal(QUERY(cl_device_id, clGetDeviceInfo, inner, CL_DEVICE_PARENT_DEVICE), parts[0]);
    assert_int_equal(units(parts[0]), 4);
    FAILS(CL_INVALID_DEVICE, clReleaseDevice(parts[0]));
    cl_context c = clCreateContext(NULL, 1, &parts[1], NULL, NULL, &err);
    OK(err);
    OK(clReleaseDevice(parts[1])); /* the context holds it */
    assert_ptr_equal(QUERY(cl_device_id, clGetContextInfo, c, CL_CONTEXT_DEVICES), parts[1]);
    cl_command_queue q = clCreateCommandQueueWithProperties(c, parts[1], NULL, &err);
    OK(err);
    OK(clReleaseContext(c));
    assert_ptr_equal(QUERY(cl_device_id, clGetCommandQueueInfo, q, CL_QUEUE_DEVICE), parts[1]);
    OK(clRetainDevice(parts[1])); /* a query gives it back to the client */
    OK(clReleaseCommandQueue(q));
    assert_int_equal(units(parts[1]), 3);
    OK(clReleaseDevice(parts[1]));
    OK(clReleaseDevice(inner));
}

/* ---- contexts and queues ---- */

static void test_context(void **state)
{
    static const cl_uint sizes[] = {4, 3, 0};
    cl_device_id parts[2], list[4], there[4];
    cl_int err;
    size_t size;
    (void)state;
    divide(device, sizes, parts);
    list[0] = parts[1];
    list[1] = device;
    list[2] = parts[1]; /* again: left out */
    cl_context c = clCreateContext(NULL, 3, list, NULL, NULL, &err);
    OK(err);
    assert_int_equal(QUERY(cl_uint, clGetContextInfo, c, CL_CONTEXT_NUM_DEVICES), 2);
    OK(clGetContextInfo(c, CL_CONTEXT_DEVICES, sizeof there, there, &size));
    assert_int_equal(size, 2 * sizeof *there);
    assert_memory_equal(there, list, size);
    REFUSED(CL_INVALID_DEVICE, clCreateCommandQueue(c, parts[0], 0, &err));
    REFUSED(CL_INVALID_DEVICE, clCreateCommandQueueWithProperties(c, parts[0], NULL, &err));
    REFUSED(CL_INVALID_DEVICE, clCreateCommandQueue(context, parts[1], 0, &err));
    list[3] = (cl_device_id)context;
    REFUSED(CL_INVALID_DEVICE, clCreateContext(NULL, 4, list, NULL, NULL, &err));
    OK(clReleaseContext(c));
    release(parts, 2);
}

/* ---- where kernels run ---- */

static const char source[] = "kernel void place(global uint *at) {\n"
                             "  local uint here; here = 1; barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "  if (!get_local_id(0)) at[get_group_id(0)] = (uint)(uintptr_t)&here;\n"
                             "}\n"
                             "kernel void await(global atomic_int *a) { while (!atomic_load(a)); }\n"
                             "kernel void tell(global atomic_int *a) { atomic_store(a, 1); }\n";

/* A context of these devices with a queue for each and a program for all. */
struct several {
    cl_context context;
    cl_command_queue queues[4];
    cl_program program;
    cl_mem mem;
    cl_uint count;
};

static void several_open(struct several *s, const cl_device_id *devices, cl_uint count)
{
    const char *text = source;
    cl_int err;
    s->count = count;
    s->context = clCreateContext(NULL, count, devices, NULL, NULL, &err);
    OK(err);
    for (cl_uint i = 0; i < count; i++) {
        s->queues[i] = clCreateCommandQueueWithProperties(s->context, devices[i], NULL, &err);
        OK(err);
    }
    s->program = clCreateProgramWithSource(s->context, 1, &text, NULL, &err);
    OK(err);
    OK(clBuildProgram(s->program, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
    s->mem = clCreateBuffer(s->context, 0, GROUPS * sizeof(cl_uint), NULL, &err);
    OK(err);
}

static void several_close(struct several *s)
{
    for (cl_uint i = 0; i < s->count; i++) OK(clReleaseCommandQueue(s->queues[i]));
    OK(clReleaseMemObject(s->mem));
    OK(clReleaseProgram(s->program));
    OK(clReleaseContext(s->context));
}

static cl_kernel kernel_of(const struct several *s, const char *name)
{
    cl_int err;
    cl_kernel kernel = clCreateKernel(s->program, name, &err);
    OK(err);
    OK(clSetKernelArg(kernel, 0, sizeof s->mem, &s->mem));
    return kernel;
}

static void launch(cl_command_queue q, cl_kernel kernel, size_t groups)
{
    const size_t local = 32, global = groups * local;
    OK(clEnqueueNDRangeKernel(q, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
}

/* Where the local memory of the groups of a launch is: the windows of a compute unit lie side by side, in the order of
 * the units. */
struct span {
    cl_uint low, high;
};

static struct span places(const struct several *s, cl_uint which, cl_kernel kernel)
{
    cl_uint at[GROUPS];
    struct span span = {UINT32_MAX, 0};
    launch(s->queues[which], kernel, GROUPS);
    OK(clEnqueueReadBuffer(s->queues[which], s->mem, CL_TRUE, 0, sizeof at, at, 0, NULL, NULL));
    for (int i = 0; i < GROUPS; i++) {
        if (at[i] < span.low) span.low = at[i];
        if (at[i] > span.high) span.high = at[i];
    }
    return span;
}

static void test_where(void **state)
{
    static const cl_uint sizes[] = {1, 4, 3, 0}, inner[] = {2, 2, 0};
    cl_device_id parts[3], list[4];
    struct several s;
    struct span span[4];
    (void)state;
    divide(device, sizes, parts);
    divide(parts[1], inner, list + 1);
    list[0] = parts[0];
    list[3] = parts[2];
    several_open(&s, list, 4);
    cl_kernel kernel = kernel_of(&s, "place");
    for (int round = 0; round < 3; round++) {
        for (cl_uint i = 0; i < 4; i++) span[i] = places(&s, i, kernel);
        for (cl_uint i = 0; i < 3; i++) assert_true(span[i].high < span[i + 1].low);
    }
    OK(clReleaseKernel(kernel));
    several_close(&s);
    release(list + 1, 2);
    release(parts, 3);
}

/* Kernels of several devices run beside each other: one that has taken all of a part waits for one on the other part,
 * and memory is the same for both. */
static void test_beside(void **state)
{
    static const cl_uint sizes[] = {5, 3, 0};
    const cl_int zero = 0;
    cl_device_id parts[2];
    struct several s;
    (void)state;
    divide(device, sizes, parts);
    several_open(&s, parts, 2);
    cl_kernel await = kernel_of(&s, "await"), tell = kernel_of(&s, "tell");
    for (cl_uint i = 0; i < 2; i++) {
        OK(clEnqueueWriteBuffer(s.queues[i], s.mem, CL_TRUE, 0, sizeof zero, &zero, 0, NULL, NULL));
        launch(s.queues[i], await, 1000);
        OK(clFlush(s.queues[i]));
        launch(s.queues[1 - i], tell, 1);
        OK(clFinish(s.queues[1 - i]));
        OK(clFinish(s.queues[i]));
    }
    OK(clReleaseKernel(await));
    OK(clReleaseKernel(tell));
    several_close(&s);
    release(parts, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),   cmocka_unit_test(test_refused),        cmocka_unit_test(test_equally),
        cmocka_unit_test(test_context), cmocka_unit_test(test_parts_of_parts), cmocka_unit_test(test_references),
        cmocka_unit_test(test_uuids),   cmocka_unit_test(test_where),          cmocka_unit_test(test_beside),
    };
    return cmocka_run_group_tests(tests, eight_setup, check_teardown);
}
