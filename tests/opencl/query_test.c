/* Every query of OpenCL 3.0 and of the extensions that are there, of every kind of object: its size, a place that is
 * too small, one that is larger, and no place at all; and what is no query. What the answers are is tested elsewhere.
 */
#include "check.h"

static cl_mem buffer, image;
static cl_sampler sampler;
static cl_program program;
static cl_kernel kernel;
static cl_event event;

static int setup(void **state)
{
    cl_int err;
    const cl_image_format format = {CL_RGBA, CL_FLOAT};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    if (check_setup(state)) return -1;
    buffer = buffer_new(0, 64, NULL);
    image = clCreateImage(context, 0, &format, &desc, NULL, &err);
    sampler = clCreateSampler(context, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &err);
    program = program_build("kernel void f(global int *p) { *p = 1; }", "-cl-kernel-arg-info");
    kernel = clCreateKernel(program, "f", &err);
    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &(size_t){1}, NULL, 0, NULL, &event));
    OK(clFinish(queue));
    return err;
}

static int teardown(void **state)
{
    OK(clReleaseEvent(event));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    OK(clReleaseSampler(sampler));
    OK(clReleaseMemObject(image));
    OK(clReleaseMemObject(buffer));
    return check_teardown(state);
}

/* The functions, with an object of each. */
#define ASKS(name, call) \
    static cl_int name(cl_uint param, size_t size, void *value, size_t *ret) { return call; }
ASKS(platforms, clGetPlatformInfo(platform, param, size, value, ret))
ASKS(devices, clGetDeviceInfo(device, param, size, value, ret))
ASKS(contexts, clGetContextInfo(context, param, size, value, ret))
ASKS(queues, clGetCommandQueueInfo(queue, param, size, value, ret))
ASKS(buffers, clGetMemObjectInfo(buffer, param, size, value, ret))
ASKS(images, clGetImageInfo(image, param, size, value, ret))
ASKS(samplers, clGetSamplerInfo(sampler, param, size, value, ret))
ASKS(programs, clGetProgramInfo(program, param, size, value, ret))
ASKS(builds, clGetProgramBuildInfo(program, device, param, size, value, ret))
ASKS(kernels, clGetKernelInfo(kernel, param, size, value, ret))
ASKS(groups, clGetKernelWorkGroupInfo(kernel, device, param, size, value, ret))
ASKS(arguments, clGetKernelArgInfo(kernel, 0, param, size, value, ret))
ASKS(events, clGetEventInfo(event, param, size, value, ret))
ASKS(times, clGetEventProfilingInfo(event, param, size, value, ret))

/* A size of 0: a text or a list, whose size is that of its elements times any number. */
#define LIST(ask, param, type) {#param, ask, param, 0, sizeof(type)},
#define TEXT(ask, param)       LIST(ask, param, char)
#define ONE(ask, param, type)  {#param, ask, param, sizeof(type), sizeof(type)},

static const struct row {
    const char *name;
    cl_int (*ask)(cl_uint param, size_t size, void *value, size_t *ret);
    cl_uint param;
    size_t size, element;
} rows[] = {
    // clang-format off
    TEXT(platforms, CL_PLATFORM_PROFILE) TEXT(platforms, CL_PLATFORM_VERSION) TEXT(platforms, CL_PLATFORM_NAME)
    TEXT(platforms, CL_PLATFORM_VENDOR) TEXT(platforms, CL_PLATFORM_EXTENSIONS) TEXT(platforms, CL_PLATFORM_ICD_SUFFIX_KHR)
    ONE(platforms, CL_PLATFORM_NUMERIC_VERSION, cl_version) ONE(platforms, CL_PLATFORM_HOST_TIMER_RESOLUTION, cl_ulong)
    LIST(platforms, CL_PLATFORM_EXTENSIONS_WITH_VERSION, cl_name_version)

    TEXT(devices, CL_DEVICE_NAME) TEXT(devices, CL_DEVICE_VENDOR) TEXT(devices, CL_DRIVER_VERSION)
    TEXT(devices, CL_DEVICE_PROFILE) TEXT(devices, CL_DEVICE_VERSION) TEXT(devices, CL_DEVICE_OPENCL_C_VERSION)
    TEXT(devices, CL_DEVICE_EXTENSIONS) TEXT(devices, CL_DEVICE_BUILT_IN_KERNELS) TEXT(devices, CL_DEVICE_IL_VERSION)
    TEXT(devices, CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED)
    LIST(devices, CL_DEVICE_EXTENSIONS_WITH_VERSION, cl_name_version)
    LIST(devices, CL_DEVICE_OPENCL_C_ALL_VERSIONS, cl_name_version)
    LIST(devices, CL_DEVICE_OPENCL_C_FEATURES, cl_name_version)
    LIST(devices, CL_DEVICE_ILS_WITH_VERSION, cl_name_version)
    LIST(devices, CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION, cl_name_version)
    LIST(devices, CL_DEVICE_MAX_WORK_ITEM_SIZES, size_t)
    LIST(devices, CL_DEVICE_PARTITION_PROPERTIES, cl_device_partition_property)
    LIST(devices, CL_DEVICE_PARTITION_TYPE, cl_device_partition_property)
    LIST(devices, CL_DEVICE_SPIRV_CAPABILITIES_KHR, cl_uint) LIST(devices, CL_DEVICE_SPIRV_EXTENSIONS_KHR, char *)
    LIST(devices, CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR, char *)
    ONE(devices, CL_DEVICE_NUMERIC_VERSION, cl_version) ONE(devices, CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR, cl_version)
    ONE(devices, CL_DEVICE_TYPE, cl_device_type) ONE(devices, CL_DEVICE_PLATFORM, cl_platform_id)
    ONE(devices, CL_DEVICE_PARENT_DEVICE, cl_device_id)
    ONE(devices, CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, cl_device_mem_cache_type)
    ONE(devices, CL_DEVICE_LOCAL_MEM_TYPE, cl_device_local_mem_type)
#define S(param) ONE(devices, CL_DEVICE_##param, size_t)
    S(MAX_WORK_GROUP_SIZE) S(PREFERRED_WORK_GROUP_SIZE_MULTIPLE) S(PROFILING_TIMER_RESOLUTION) S(MAX_PARAMETER_SIZE)
    S(PRINTF_BUFFER_SIZE) S(MAX_GLOBAL_VARIABLE_SIZE) S(GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE) S(IMAGE2D_MAX_WIDTH)
    S(IMAGE2D_MAX_HEIGHT) S(IMAGE3D_MAX_WIDTH) S(IMAGE3D_MAX_HEIGHT) S(IMAGE3D_MAX_DEPTH) S(IMAGE_MAX_BUFFER_SIZE)
    S(IMAGE_MAX_ARRAY_SIZE)
#define L(param) ONE(devices, CL_DEVICE_##param, cl_ulong) /* and bits */
    L(GLOBAL_MEM_SIZE) L(MAX_MEM_ALLOC_SIZE) L(GLOBAL_MEM_CACHE_SIZE) L(LOCAL_MEM_SIZE) L(MAX_CONSTANT_BUFFER_SIZE)
    L(SVM_CAPABILITIES) L(ATOMIC_MEMORY_CAPABILITIES) L(ATOMIC_FENCE_CAPABILITIES) L(SINGLE_FP_CONFIG)
    L(DOUBLE_FP_CONFIG) L(QUEUE_ON_HOST_PROPERTIES) L(QUEUE_PROPERTIES) L(QUEUE_ON_DEVICE_PROPERTIES)
    L(DEVICE_ENQUEUE_CAPABILITIES) L(EXECUTION_CAPABILITIES) L(PARTITION_AFFINITY_DOMAIN)
    L(COMMAND_BUFFER_CAPABILITIES_KHR) L(COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR)
    L(COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR) L(MUTABLE_DISPATCH_CAPABILITIES_KHR)
    ONE(devices, CL_DEVICE_UUID_KHR, cl_uchar[CL_UUID_SIZE_KHR]) ONE(devices, CL_DRIVER_UUID_KHR, cl_uchar[CL_UUID_SIZE_KHR])
    ONE(devices, CL_DEVICE_LUID_VALID_KHR, cl_bool) ONE(devices, CL_DEVICE_LUID_KHR, cl_uchar[CL_LUID_SIZE_KHR])
    ONE(devices, CL_DEVICE_NODE_MASK_KHR, cl_uint)
    LIST(devices, CL_DEVICE_SEMAPHORE_TYPES_KHR, cl_uint) LIST(platforms, CL_PLATFORM_SEMAPHORE_TYPES_KHR, cl_uint)
#define U(param) ONE(devices, CL_DEVICE_##param, cl_uint) /* and cl_bool */
    U(VENDOR_ID) U(AVAILABLE) U(COMPILER_AVAILABLE) U(LINKER_AVAILABLE) U(ENDIAN_LITTLE) U(ERROR_CORRECTION_SUPPORT)
    U(HOST_UNIFIED_MEMORY) U(REFERENCE_COUNT) U(MAX_COMPUTE_UNITS) U(MAX_CLOCK_FREQUENCY) U(MAX_WORK_ITEM_DIMENSIONS)
    U(MAX_NUM_SUB_GROUPS) U(SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS) U(ADDRESS_BITS) U(GLOBAL_MEM_CACHELINE_SIZE)
    U(MAX_CONSTANT_ARGS) U(MEM_BASE_ADDR_ALIGN) U(MIN_DATA_TYPE_ALIGN_SIZE) U(PREFERRED_PLATFORM_ATOMIC_ALIGNMENT)
    U(PREFERRED_GLOBAL_ATOMIC_ALIGNMENT) U(PREFERRED_LOCAL_ATOMIC_ALIGNMENT) U(PREFERRED_VECTOR_WIDTH_CHAR)
    U(PREFERRED_VECTOR_WIDTH_SHORT) U(PREFERRED_VECTOR_WIDTH_INT) U(PREFERRED_VECTOR_WIDTH_LONG)
    U(PREFERRED_VECTOR_WIDTH_FLOAT) U(PREFERRED_VECTOR_WIDTH_DOUBLE) U(PREFERRED_VECTOR_WIDTH_HALF)
    U(NATIVE_VECTOR_WIDTH_CHAR) U(NATIVE_VECTOR_WIDTH_SHORT) U(NATIVE_VECTOR_WIDTH_INT) U(NATIVE_VECTOR_WIDTH_LONG)
    U(NATIVE_VECTOR_WIDTH_FLOAT) U(NATIVE_VECTOR_WIDTH_DOUBLE) U(NATIVE_VECTOR_WIDTH_HALF)
    U(QUEUE_ON_DEVICE_PREFERRED_SIZE) U(QUEUE_ON_DEVICE_MAX_SIZE) U(MAX_ON_DEVICE_QUEUES) U(MAX_ON_DEVICE_EVENTS)
    U(PREFERRED_INTEROP_USER_SYNC) U(NON_UNIFORM_WORK_GROUP_SUPPORT) U(WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT)
    U(GENERIC_ADDRESS_SPACE_SUPPORT) U(PIPE_SUPPORT) U(MAX_PIPE_ARGS) U(PIPE_MAX_ACTIVE_RESERVATIONS)
    U(PIPE_MAX_PACKET_SIZE) U(PARTITION_MAX_SUB_DEVICES) U(IMAGE_SUPPORT) U(MAX_READ_IMAGE_ARGS) U(MAX_WRITE_IMAGE_ARGS)
    U(MAX_READ_WRITE_IMAGE_ARGS) U(MAX_SAMPLERS) U(IMAGE_PITCH_ALIGNMENT) U(IMAGE_BASE_ADDRESS_ALIGNMENT)

    ONE(contexts, CL_CONTEXT_REFERENCE_COUNT, cl_uint) ONE(contexts, CL_CONTEXT_NUM_DEVICES, cl_uint)
    LIST(contexts, CL_CONTEXT_DEVICES, cl_device_id) LIST(contexts, CL_CONTEXT_PROPERTIES, cl_context_properties)

    ONE(queues, CL_QUEUE_CONTEXT, cl_context) ONE(queues, CL_QUEUE_DEVICE, cl_device_id)
    ONE(queues, CL_QUEUE_REFERENCE_COUNT, cl_uint) ONE(queues, CL_QUEUE_PROPERTIES, cl_command_queue_properties)
    ONE(queues, CL_QUEUE_DEVICE_DEFAULT, cl_command_queue) LIST(queues, CL_QUEUE_PROPERTIES_ARRAY, cl_queue_properties)

    ONE(buffers, CL_MEM_TYPE, cl_mem_object_type) ONE(buffers, CL_MEM_FLAGS, cl_mem_flags)
    ONE(buffers, CL_MEM_SIZE, size_t) ONE(buffers, CL_MEM_HOST_PTR, void *) ONE(buffers, CL_MEM_MAP_COUNT, cl_uint)
    ONE(buffers, CL_MEM_REFERENCE_COUNT, cl_uint) ONE(buffers, CL_MEM_CONTEXT, cl_context)
    ONE(buffers, CL_MEM_ASSOCIATED_MEMOBJECT, cl_mem) ONE(buffers, CL_MEM_OFFSET, size_t)
    ONE(buffers, CL_MEM_USES_SVM_POINTER, cl_bool) LIST(buffers, CL_MEM_PROPERTIES, cl_mem_properties)

    ONE(images, CL_IMAGE_FORMAT, cl_image_format) ONE(images, CL_IMAGE_ELEMENT_SIZE, size_t)
    ONE(images, CL_IMAGE_ROW_PITCH, size_t) ONE(images, CL_IMAGE_SLICE_PITCH, size_t) ONE(images, CL_IMAGE_WIDTH, size_t)
    ONE(images, CL_IMAGE_HEIGHT, size_t) ONE(images, CL_IMAGE_DEPTH, size_t) ONE(images, CL_IMAGE_ARRAY_SIZE, size_t)
    ONE(images, CL_IMAGE_BUFFER, cl_mem) ONE(images, CL_IMAGE_NUM_MIP_LEVELS, cl_uint)
    ONE(images, CL_IMAGE_NUM_SAMPLES, cl_uint)

    ONE(samplers, CL_SAMPLER_REFERENCE_COUNT, cl_uint) ONE(samplers, CL_SAMPLER_CONTEXT, cl_context)
    ONE(samplers, CL_SAMPLER_NORMALIZED_COORDS, cl_bool) ONE(samplers, CL_SAMPLER_ADDRESSING_MODE, cl_addressing_mode)
    ONE(samplers, CL_SAMPLER_FILTER_MODE, cl_filter_mode) LIST(samplers, CL_SAMPLER_PROPERTIES, cl_sampler_properties)

    ONE(programs, CL_PROGRAM_REFERENCE_COUNT, cl_uint) ONE(programs, CL_PROGRAM_CONTEXT, cl_context)
    ONE(programs, CL_PROGRAM_NUM_DEVICES, cl_uint) LIST(programs, CL_PROGRAM_DEVICES, cl_device_id)
    TEXT(programs, CL_PROGRAM_SOURCE) TEXT(programs, CL_PROGRAM_IL) LIST(programs, CL_PROGRAM_BINARY_SIZES, size_t)
    ONE(programs, CL_PROGRAM_NUM_KERNELS, size_t) TEXT(programs, CL_PROGRAM_KERNEL_NAMES)
    ONE(programs, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, cl_bool)
    ONE(programs, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, cl_bool)

    ONE(builds, CL_PROGRAM_BUILD_STATUS, cl_build_status) TEXT(builds, CL_PROGRAM_BUILD_OPTIONS)
    TEXT(builds, CL_PROGRAM_BUILD_LOG) ONE(builds, CL_PROGRAM_BINARY_TYPE, cl_program_binary_type)
    ONE(builds, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, size_t)

    TEXT(kernels, CL_KERNEL_FUNCTION_NAME) TEXT(kernels, CL_KERNEL_ATTRIBUTES) ONE(kernels, CL_KERNEL_NUM_ARGS, cl_uint)
    ONE(kernels, CL_KERNEL_REFERENCE_COUNT, cl_uint) ONE(kernels, CL_KERNEL_CONTEXT, cl_context)
    ONE(kernels, CL_KERNEL_PROGRAM, cl_program)

    ONE(groups, CL_KERNEL_WORK_GROUP_SIZE, size_t) LIST(groups, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, size_t[3])
    ONE(groups, CL_KERNEL_LOCAL_MEM_SIZE, cl_ulong) ONE(groups, CL_KERNEL_PRIVATE_MEM_SIZE, cl_ulong)
    ONE(groups, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, size_t)

    ONE(arguments, CL_KERNEL_ARG_ADDRESS_QUALIFIER, cl_uint) ONE(arguments, CL_KERNEL_ARG_ACCESS_QUALIFIER, cl_uint)
    ONE(arguments, CL_KERNEL_ARG_TYPE_QUALIFIER, cl_ulong) TEXT(arguments, CL_KERNEL_ARG_TYPE_NAME)
    TEXT(arguments, CL_KERNEL_ARG_NAME)

    ONE(events, CL_EVENT_COMMAND_QUEUE, cl_command_queue) ONE(events, CL_EVENT_CONTEXT, cl_context)
    ONE(events, CL_EVENT_COMMAND_TYPE, cl_command_type) ONE(events, CL_EVENT_COMMAND_EXECUTION_STATUS, cl_int)
    ONE(events, CL_EVENT_REFERENCE_COUNT, cl_uint)

    ONE(times, CL_PROFILING_COMMAND_QUEUED, cl_ulong) ONE(times, CL_PROFILING_COMMAND_SUBMIT, cl_ulong)
    ONE(times, CL_PROFILING_COMMAND_START, cl_ulong) ONE(times, CL_PROFILING_COMMAND_END, cl_ulong)
    ONE(times, CL_PROFILING_COMMAND_COMPLETE, cl_ulong)
    // clang-format on
};
enum { ROWS = sizeof rows / sizeof *rows, ROOM = 16384 };

/* Says what is wrong, or NULL. */
static const char *check_row(const struct row *row)
{
    static unsigned char exact[ROOM], large[ROOM];
    size_t size = ROOM, again = 0;
    if (row->ask(row->param, 0, NULL, &size)) return "its size is not told";
    if (size >= ROOM || size % row->element || (row->size && size != row->size)) return "size";
    if (row->ask(row->param, 0, NULL, NULL)) return "asked for nothing it fails";
    memset(exact, 0xa5, ROOM);
    memset(large, 0xa5, ROOM);
    if (row->ask(row->param, size, exact, NULL)) return "a place that is just large enough";
    if (row->ask(row->param, ROOM, large, &again) || again != size) return "a larger place";
    if (memcmp(exact, large, ROOM) || large[size] != 0xa5) return "another answer, or more than it";
    if (row->element == 1 && size && memchr(exact, 0, size) != exact + size - 1) return "not a text";
    if (size == 0) return NULL;
    memset(exact, 0xa5, ROOM);
    if (row->ask(row->param, size - 1, exact, &again) != CL_INVALID_VALUE) return "a place that is too small";
    if (row->ask(row->param, 0, exact, NULL) != CL_INVALID_VALUE) return "a place of no size";
    return exact[0] == 0xa5 ? NULL : "written where there is no room";
}

static void test_queries(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        const char *wrong = check_row(&rows[i]);
        if (wrong) fail_msg("%s: %s", rows[i].name, wrong);
    }
}

/* What is no query of that object, among them those of other objects. */
static void test_no_queries(void **state)
{
    (void)state;
    size_t size;
    unsigned char value[64];
    const cl_uint wrong[] = {0, 0xdead, UINT32_MAX};
    for (size_t i = 0; i < ROWS; i++)
        for (size_t k = 0; k < 3; k++) {
            FAILS(CL_INVALID_VALUE, rows[i].ask(wrong[k], sizeof value, value, &size));
            FAILS(CL_INVALID_VALUE, rows[i].ask(wrong[k], 0, NULL, NULL));
        }
    FAILS(CL_INVALID_VALUE, contexts(CL_QUEUE_CONTEXT, sizeof value, value, NULL));
    FAILS(CL_INVALID_VALUE, buffers(CL_IMAGE_WIDTH, sizeof value, value, NULL));
    FAILS(CL_INVALID_VALUE, images(CL_MEM_SIZE, sizeof value, value, NULL));
    FAILS(CL_INVALID_VALUE, kernels(CL_KERNEL_WORK_GROUP_SIZE, sizeof value, value, NULL));
    FAILS(CL_INVALID_VALUE, events(CL_PROFILING_COMMAND_START, sizeof value, value, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_queries), cmocka_unit_test(test_no_queries)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
