/* Objects in general: the dispatch table, the rules of queries, reference counts, contexts and queues. */
#include "check.h"

#include <CL/cl_icd.h>

/* Every object begins with the table; none of its slots may be empty. */
static void test_dispatch_table(void **state)
{
    (void)state;
    const cl_icd_dispatch *table = *(cl_icd_dispatch **)platform;
    void *const *slots = (void *const *)table;
    for (size_t i = 0; i < sizeof *table / sizeof *slots; i++)
        if (!slots[i]) fail_msg("slot %zu is empty", i);
    assert_ptr_equal(*(cl_icd_dispatch **)device, table);
    assert_ptr_equal(*(cl_icd_dispatch **)context, table);
    assert_ptr_equal(*(cl_icd_dispatch **)queue, table);
}

static void test_platform(void **state)
{
    (void)state;
    char text[256];
    size_t size;
    cl_uint count;
    OK(clGetPlatformInfo(platform, CL_PLATFORM_EXTENSIONS, sizeof text, text, &size));
    assert_non_null(strstr(text, "cl_khr_icd"));
    assert_int_equal(size, strlen(text) + 1);
    OK(clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof text, text, NULL));
    assert_int_equal(strncmp(text, "OpenCL 3.0 ", 11), 0);
    OK(clGetPlatformInfo(platform, CL_PLATFORM_ICD_SUFFIX_KHR, sizeof text, text, NULL));
    FAILS(CL_INVALID_VALUE, clGetPlatformInfo(platform, 0x1234, sizeof text, text, NULL));
    FAILS(CL_INVALID_DEVICE_TYPE, clGetDeviceIDs(platform, 0, 1, &device, NULL));
    FAILS(CL_INVALID_DEVICE_TYPE, clGetDeviceIDs(platform, 1u << 20, 1, &device, NULL));
    FAILS(CL_DEVICE_NOT_FOUND, clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 0, NULL, &count));
    FAILS(CL_INVALID_VALUE, clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 0, &device, NULL));
    FAILS(CL_INVALID_VALUE, clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, NULL, NULL));
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 0, NULL, &count));
    assert_int_equal(count, 1);
    OK(clUnloadPlatformCompiler(platform));
    assert_null(clGetExtensionFunctionAddressForPlatform(platform, "clNoSuchFunction"));
    assert_non_null(clGetExtensionFunctionAddressForPlatform(platform, "clIcdGetPlatformIDsKHR"));
}

static void test_platform_errors(void **state)
{
    const cl_platform_id wrong = (cl_platform_id)device;
    cl_int (*ids)(cl_uint, cl_platform_id *, cl_uint *) =
        clGetExtensionFunctionAddressForPlatform(platform, "clIcdGetPlatformIDsKHR");
    cl_platform_id p;
    cl_uint count;
    (void)state;
    FAILS(CL_INVALID_PLATFORM, clGetPlatformInfo(wrong, CL_PLATFORM_NAME, 0, NULL, NULL));
    FAILS(CL_INVALID_PLATFORM, clGetDeviceIDs(wrong, CL_DEVICE_TYPE_ALL, 0, NULL, &count));
    FAILS(CL_INVALID_PLATFORM, clUnloadPlatformCompiler(wrong));
    FAILS(CL_INVALID_VALUE, ids(0, &p, &count));
    FAILS(CL_INVALID_VALUE, ids(1, NULL, NULL));
    OK(ids(1, &p, &count));
    assert_ptr_equal(p, platform);
    assert_int_equal(count, 1);
}

/* The names of `list`, each with a space behind it. */
static size_t joined(const cl_name_version *list, size_t count, char *text, size_t room)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) n += (size_t)snprintf(text + n, room - n, "%s ", list[i].name);
    return n;
}

/* Both lists of extensions name the same ones, without a space too many. */
static void test_extensions(void **state)
{
    (void)state;
    cl_name_version list[100];
    char text[4096], names[4096];
    size_t size, n;
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL));
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS_WITH_VERSION, sizeof list, list, &size));
    n = joined(list, size / sizeof *list, names, sizeof names);
    assert_int_equal(n, strlen(text) + 1);
    assert_int_equal(strncmp(names, text, n - 1), 0);
    OK(clGetPlatformInfo(platform, CL_PLATFORM_EXTENSIONS, sizeof text, text, NULL));
    OK(clGetPlatformInfo(platform, CL_PLATFORM_EXTENSIONS_WITH_VERSION, sizeof list, list, &size));
    n = joined(list, size / sizeof *list, names, sizeof names);
    assert_int_equal(n, strlen(text) + 1);
    assert_int_equal(strncmp(names, text, n - 1), 0);
}

/* The minimum values of a full profile that do not depend on the machine. */
static void test_device_minimums(void **state)
{
    (void)state;
    assert_true(QUERY(cl_uint, clGetDeviceInfo, device, CL_DEVICE_MAX_COMPUTE_UNITS) >= 1);
    assert_true(QUERY(size_t, clGetDeviceInfo, device, CL_DEVICE_MAX_WORK_GROUP_SIZE) >= 1);
    assert_int_equal(QUERY(cl_uint, clGetDeviceInfo, device, CL_DEVICE_ADDRESS_BITS), 32);
    cl_ulong global = QUERY(cl_ulong, clGetDeviceInfo, device, CL_DEVICE_GLOBAL_MEM_SIZE);
    cl_ulong alloc = QUERY(cl_ulong, clGetDeviceInfo, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    assert_true(alloc >= (256u << 20) && alloc >= global / 4 && alloc <= global);
    assert_true(QUERY(cl_ulong, clGetDeviceInfo, device, CL_DEVICE_LOCAL_MEM_SIZE) >= 32768);
    assert_true(QUERY(cl_ulong, clGetDeviceInfo, device, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE) >= 65536);
    assert_true(QUERY(cl_uint, clGetDeviceInfo, device, CL_DEVICE_MAX_CONSTANT_ARGS) >= 8);
    assert_true(QUERY(size_t, clGetDeviceInfo, device, CL_DEVICE_MAX_PARAMETER_SIZE) >= 1024);
    assert_true(QUERY(cl_uint, clGetDeviceInfo, device, CL_DEVICE_MEM_BASE_ADDR_ALIGN) >= 1024);
    assert_true(QUERY(size_t, clGetDeviceInfo, device, CL_DEVICE_PRINTF_BUFFER_SIZE) >= 1 << 20);
    assert_true(QUERY(cl_bool, clGetDeviceInfo, device, CL_DEVICE_COMPILER_AVAILABLE));
    assert_true(QUERY(cl_device_fp_config, clGetDeviceInfo, device, CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_INF_NAN);
    assert_true(QUERY(cl_bool, clGetDeviceInfo, device, CL_DEVICE_IMAGE_SUPPORT));
    assert_true(QUERY(cl_uint, clGetDeviceInfo, device, CL_DEVICE_MAX_READ_IMAGE_ARGS) >= 128);
    assert_true(QUERY(cl_uint, clGetDeviceInfo, device, CL_DEVICE_MAX_WRITE_IMAGE_ARGS) >= 64);
    assert_true(QUERY(cl_uint, clGetDeviceInfo, device, CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS) >= 64);
    assert_true(QUERY(cl_uint, clGetDeviceInfo, device, CL_DEVICE_MAX_SAMPLERS) >= 16);
    assert_true(QUERY(size_t, clGetDeviceInfo, device, CL_DEVICE_IMAGE2D_MAX_WIDTH) >= 16384);
    assert_true(QUERY(size_t, clGetDeviceInfo, device, CL_DEVICE_IMAGE2D_MAX_HEIGHT) >= 16384);
    assert_true(QUERY(size_t, clGetDeviceInfo, device, CL_DEVICE_IMAGE3D_MAX_WIDTH) >= 2048);
    assert_true(QUERY(size_t, clGetDeviceInfo, device, CL_DEVICE_IMAGE3D_MAX_HEIGHT) >= 2048);
    assert_true(QUERY(size_t, clGetDeviceInfo, device, CL_DEVICE_IMAGE3D_MAX_DEPTH) >= 2048);
    assert_true(QUERY(size_t, clGetDeviceInfo, device, CL_DEVICE_IMAGE_MAX_BUFFER_SIZE) >= 65536);
    assert_true(QUERY(size_t, clGetDeviceInfo, device, CL_DEVICE_IMAGE_MAX_ARRAY_SIZE) >= 2048);
    assert_true(QUERY(cl_uint, clGetDeviceInfo, device, CL_DEVICE_IMAGE_PITCH_ALIGNMENT) >= 1);
    assert_true(QUERY(cl_uint, clGetDeviceInfo, device, CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT) >= 1);
    char text[64];
    OK(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_VERSION, sizeof text, text, NULL));
    assert_int_equal(strncmp(text, "OpenCL C 1.2 ", 13), 0);
}

/* What the device has not has no size, either. */
static void test_device_without(void **state)
{
    static const cl_device_info none[] = {
        CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES,    CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES,
        CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE,
        CL_DEVICE_MAX_ON_DEVICE_QUEUES,           CL_DEVICE_MAX_ON_DEVICE_EVENTS,
        CL_DEVICE_GLOBAL_MEM_CACHE_TYPE,          CL_DEVICE_GLOBAL_MEM_CACHE_SIZE,
        CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE,      CL_DEVICE_PARTITION_AFFINITY_DOMAIN};
    (void)state;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        uint64_t value = 0;
        size_t size;
        OK(clGetDeviceInfo(device, none[i], sizeof value, &value, &size));
        assert_true(size == 4 || size == 8);
        if (value) fail_msg("query 0x%x: %llu", (unsigned)none[i], (unsigned long long)value);
    }
}

static void test_device_reals(void **state)
{
    (void)state;
    const cl_device_fp_config half = CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_FMA;
    assert_int_equal(QUERY(cl_device_fp_config, clGetDeviceInfo, device, CL_DEVICE_HALF_FP_CONFIG), half);
    assert_int_equal(QUERY(cl_device_fp_config, clGetDeviceInfo, device, CL_DEVICE_DOUBLE_FP_CONFIG),
                     half | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF);
    assert_int_equal(QUERY(cl_uint, clGetDeviceInfo, device, CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF), 1);
    assert_int_equal(QUERY(cl_uint, clGetDeviceInfo, device, CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF), 1);
    assert_int_equal(QUERY(cl_uint, clGetDeviceInfo, device, CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE), 1);
    assert_int_equal(QUERY(cl_uint, clGetDeviceInfo, device, CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE), 1);
}

/* Answers of several words. */
static void test_device_extensions(void **state)
{
    (void)state;
    cl_device_integer_dot_product_acceleration_properties_khr dot;
    cl_bitfield clocks;
    OK(clGetDeviceInfo(device, CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR, sizeof dot, &dot, NULL));
    assert_false(dot.signed_accelerated || dot.unsigned_accelerated || dot.mixed_signedness_accelerated);
    OK(clGetDeviceInfo(device, 0x1076 /* CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR */, sizeof clocks, &clocks, NULL));
    assert_int_equal(clocks, 6); /* of work-group and sub-group */
    assert_int_equal(QUERY(cl_uint, clGetDeviceInfo, device, CL_DEVICE_MAX_NUM_SUB_GROUPS), 32);
    assert_true(QUERY(cl_bool, clGetDeviceInfo, device, CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS));
    assert_true(QUERY(cl_bool, clGetDeviceInfo, device, CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT));
}

static void test_query_rules(void **state)
{
    (void)state;
    size_t size = 0;
    cl_uint value;
    char tiny[2];
    unsigned year, month, day, number;
    char version[16];
    OK(clGetDeviceInfo(device, CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED, sizeof version, version, &size));
    assert_int_equal(size, sizeof "vYYYY-MM-DD-NN");
    assert_int_equal(sscanf(version, "v%4u-%2u-%2u-%2u", &year, &month, &day, &number), 4);
    OK(clGetDeviceInfo(device, CL_DEVICE_NAME, 0, NULL, &size));
    assert_int_equal(size, sizeof "Ventus GPGPU");
    OK(clGetDeviceInfo(device, CL_DEVICE_NAME, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof tiny, tiny, NULL));
    FAILS(CL_INVALID_VALUE, clGetDeviceInfo(device, 0xdead, sizeof value, &value, NULL));
    OK(clGetDeviceInfo(device, CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION, 0, NULL, &size));
    assert_int_equal(size, 0);
    OK(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, 0, NULL, &size));
    assert_int_equal(size, 0);
}

static void test_device_is_static(void **state)
{
    (void)state;
    OK(clRetainDevice(device));
    OK(clReleaseDevice(device));
    OK(clReleaseDevice(device));
    assert_int_equal(QUERY(cl_uint, clGetDeviceInfo, device, CL_DEVICE_REFERENCE_COUNT), 1);
}

#define COUNTS(object, retain, release, info, param) \
    do { \
        assert_int_equal(QUERY(cl_uint, info, object, param), 1); \
        OK(retain(object)); \
        assert_int_equal(QUERY(cl_uint, info, object, param), 2); \
        OK(release(object)); \
        assert_int_equal(QUERY(cl_uint, info, object, param), 1); \
        OK(release(object)); \
    } while (0)

static void test_reference_counts(void **state)
{
    (void)state;
    cl_int err;
    const char *source = "kernel void f(void) {}";
    cl_context c = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_command_queue q = clCreateCommandQueueWithProperties(c, device, NULL, &err);
    cl_mem mem = clCreateBuffer(c, 0, 16, NULL, &err);
    cl_program program = clCreateProgramWithSource(c, 1, &source, NULL, &err);
    cl_event event = clCreateUserEvent(c, &err);
    assert_int_equal(QUERY(cl_uint, clGetContextInfo, c, CL_CONTEXT_REFERENCE_COUNT), 1);
    COUNTS(q, clRetainCommandQueue, clReleaseCommandQueue, clGetCommandQueueInfo, CL_QUEUE_REFERENCE_COUNT);
    COUNTS(mem, clRetainMemObject, clReleaseMemObject, clGetMemObjectInfo, CL_MEM_REFERENCE_COUNT);
    COUNTS(program, clRetainProgram, clReleaseProgram, clGetProgramInfo, CL_PROGRAM_REFERENCE_COUNT);
    COUNTS(event, clRetainEvent, clReleaseEvent, clGetEventInfo, CL_EVENT_REFERENCE_COUNT);
    COUNTS(c, clRetainContext, clReleaseContext, clGetContextInfo, CL_CONTEXT_REFERENCE_COUNT);
}

/* The context lives as long as something in it does. */
static void test_context_outlives_release(void **state)
{
    (void)state;
    cl_int err;
    cl_context c = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_mem mem = clCreateBuffer(c, 0, 16, NULL, &err);
    OK(clReleaseContext(c));
    c = QUERY(cl_context, clGetMemObjectInfo, mem, CL_MEM_CONTEXT);
    cl_command_queue q = clCreateCommandQueue(c, device, 0, &err);
    OK(err);
    OK(clEnqueueWriteBuffer(q, mem, CL_TRUE, 0, 4, "abc", 0, NULL, NULL));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseMemObject(mem));
}

static int gone[3], ngone;

static void CL_CALLBACK context_gone(cl_context c, void *data)
{
    (void)c;
    gone[ngone++] = (int)(intptr_t)data;
}

static void test_context_destructors(void **state)
{
    (void)state;
    cl_int err;
    cl_context c = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_mem mem = clCreateBuffer(c, 0, 16, NULL, &err);
    ngone = 0;
    FAILS(CL_INVALID_VALUE, clSetContextDestructorCallback(c, NULL, NULL));
    OK(clSetContextDestructorCallback(c, context_gone, (void *)1));
    OK(clSetContextDestructorCallback(c, context_gone, (void *)2));
    OK(clReleaseContext(c));
    assert_int_equal(ngone, 0);
    OK(clReleaseMemObject(mem));
    assert_int_equal(ngone, 2);
    assert_int_equal(gone[0], 2);
    assert_int_equal(gone[1], 1);
}

static void test_context_properties(void **state)
{
    (void)state;
    cl_int err;
    cl_context_properties good[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0}, back[3];
    cl_context_properties unknown[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0x7777, 1, 0};
    cl_context_properties twice[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, CL_CONTEXT_PLATFORM,
                                     (cl_context_properties)platform, 0};
    cl_device_id two[] = {device, device}, bad[] = {(cl_device_id)platform};
    REFUSED(CL_INVALID_PROPERTY, clCreateContext(unknown, 1, &device, NULL, NULL, &err));
    REFUSED(CL_INVALID_PROPERTY, clCreateContext(twice, 1, &device, NULL, NULL, &err));
    REFUSED(CL_INVALID_VALUE, clCreateContext(good, 1, &device, NULL, two, &err));
    REFUSED(CL_INVALID_VALUE, clCreateContext(good, 0, &device, NULL, NULL, &err));
    REFUSED(CL_INVALID_DEVICE, clCreateContext(good, 1, bad, NULL, NULL, &err));
    cl_context c = clCreateContext(good, 2, two, NULL, NULL, NULL);
    assert_non_null(c);
    assert_int_equal(QUERY(cl_uint, clGetContextInfo, c, CL_CONTEXT_NUM_DEVICES), 1);
    OK(clGetContextInfo(c, CL_CONTEXT_PROPERTIES, sizeof back, back, NULL));
    assert_memory_equal(back, good, sizeof good);
    OK(clReleaseContext(c));
}

static void test_context_from_type(void **state)
{
    (void)state;
    cl_int err;
    cl_context_properties good[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    cl_context_properties unknown[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0x7777, 1, 0};
    cl_context_properties no_platform[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)device, 0};
    REFUSED(CL_DEVICE_NOT_FOUND, clCreateContextFromType(good, CL_DEVICE_TYPE_CPU, NULL, NULL, &err));
    REFUSED(CL_INVALID_DEVICE_TYPE, clCreateContextFromType(good, 0, NULL, NULL, &err));
    REFUSED(CL_INVALID_DEVICE_TYPE, clCreateContextFromType(good, 1u << 20, NULL, NULL, &err));
    REFUSED(CL_INVALID_PROPERTY, clCreateContextFromType(unknown, CL_DEVICE_TYPE_GPU, NULL, NULL, &err));
    REFUSED(CL_INVALID_PLATFORM, clCreateContextFromType(no_platform, CL_DEVICE_TYPE_GPU, NULL, NULL, &err));
    REFUSED(CL_INVALID_PLATFORM, clCreateContext(no_platform, 1, &device, NULL, NULL, &err));
    REFUSED(CL_INVALID_VALUE, clCreateContextFromType(good, CL_DEVICE_TYPE_GPU, NULL, &err, &err));
    cl_context c = clCreateContextFromType(good, CL_DEVICE_TYPE_GPU, NULL, NULL, &err);
    OK(err);
    assert_ptr_equal(QUERY(cl_device_id, clGetContextInfo, c, CL_CONTEXT_DEVICES), device);
    OK(clReleaseContext(c));
}

static void test_queue_properties(void **state)
{
    (void)state;
    cl_int err;
    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0}, back[3];
    cl_queue_properties on_device[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
                                       0};
    cl_queue_properties unknown[] = {0x8888, 1, 0}, sized[] = {CL_QUEUE_SIZE, 4096, 0};
    size_t size;
    cl_uint n;
    REFUSED(CL_INVALID_VALUE, clCreateCommandQueue(context, device, 1u << 15, &err));
    REFUSED(CL_INVALID_QUEUE_PROPERTIES, clCreateCommandQueueWithProperties(context, device, on_device, &err));
    REFUSED(CL_INVALID_QUEUE_PROPERTIES, clCreateCommandQueueWithProperties(context, device, sized, &err));
    REFUSED(CL_INVALID_VALUE, clCreateCommandQueueWithProperties(context, device, unknown, &err));
    REFUSED(CL_INVALID_DEVICE, clCreateCommandQueue(context, NULL, 0, &err));
    cl_command_queue q = clCreateCommandQueueWithProperties(context, device, list, &err);
    OK(err);
    OK(clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES_ARRAY, sizeof back, back, &size));
    assert_int_equal(size, sizeof list);
    assert_memory_equal(back, list, sizeof list);
    FAILS(CL_INVALID_COMMAND_QUEUE, clGetCommandQueueInfo(q, CL_QUEUE_SIZE, sizeof n, &n, NULL));
    FAILS(CL_INVALID_OPERATION, clSetCommandQueueProperty(q, CL_QUEUE_PROFILING_ENABLE, CL_FALSE, NULL));
    OK(clReleaseCommandQueue(q));
}

/* Hints of priority and throttling are taken, kept for queries, and change nothing. */
static void test_queue_hints(void **state)
{
    (void)state;
    cl_int err;
    cl_queue_properties got[7];
    size_t size;
    cl_command_queue (*create)(cl_context, cl_device_id, const cl_queue_properties *, cl_int *) =
        clGetExtensionFunctionAddressForPlatform(platform, "clCreateCommandQueueWithPropertiesKHR");
    assert_non_null(create);
    for (cl_queue_properties value = 0; value <= 8; value++) {
        const bool good = value == 1 || value == 2 || value == 4;
        const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES,
                                            CL_QUEUE_PROFILING_ENABLE,
                                            CL_QUEUE_PRIORITY_KHR,
                                            value,
                                            CL_QUEUE_THROTTLE_KHR,
                                            good ? 4 : value,
                                            0};
        cl_command_queue q = create(context, device, list, &err);
        assert_int_equal(err, good ? CL_SUCCESS : CL_INVALID_VALUE);
        assert_int_equal(q != NULL, good);
        if (!q) continue;
        OK(clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES_ARRAY, sizeof got, got, &size));
        assert_int_equal(size, sizeof list);
        assert_memory_equal(got, list, size);
        assert_int_equal(QUERY(cl_ulong, clGetCommandQueueInfo, q, CL_QUEUE_PROPERTIES), CL_QUEUE_PROFILING_ENABLE);
        OK(clReleaseCommandQueue(q));
    }
    const cl_queue_properties twice[] = {CL_QUEUE_PRIORITY_KHR, 1, CL_QUEUE_PRIORITY_KHR, 1, 0};
    REFUSED(CL_INVALID_VALUE, create(context, device, twice, &err));
}

/* The versions in numbers are those of the texts. */
static void test_numeric_versions(void **state)
{
    (void)state;
    char text[64], expected[32];
    const cl_version c = QUERY(cl_version, clGetDeviceInfo, device, CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR);
    const cl_version all = QUERY(cl_version, clGetDeviceInfo, device, CL_DEVICE_NUMERIC_VERSION);
    OK(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_VERSION, sizeof text, text, NULL));
    snprintf(expected, sizeof expected, "OpenCL C %u.%u ", CL_VERSION_MAJOR(c), CL_VERSION_MINOR(c));
    assert_memory_equal(text, expected, strlen(expected));
    OK(clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof text, text, NULL));
    snprintf(expected, sizeof expected, "OpenCL %u.%u ", CL_VERSION_MAJOR(all), CL_VERSION_MINOR(all));
    assert_memory_equal(text, expected, strlen(expected));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dispatch_table),      cmocka_unit_test(test_platform),
        cmocka_unit_test(test_extensions),          cmocka_unit_test(test_device_minimums),
        cmocka_unit_test(test_device_without),      cmocka_unit_test(test_device_reals),
        cmocka_unit_test(test_query_rules),         cmocka_unit_test(test_device_is_static),
        cmocka_unit_test(test_reference_counts),    cmocka_unit_test(test_context_outlives_release),
        cmocka_unit_test(test_context_destructors), cmocka_unit_test(test_context_properties),
        cmocka_unit_test(test_queue_properties),    cmocka_unit_test(test_queue_hints),
        cmocka_unit_test(test_numeric_versions),    cmocka_unit_test(test_device_extensions),
        cmocka_unit_test(test_platform_errors),     cmocka_unit_test(test_context_from_type),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
