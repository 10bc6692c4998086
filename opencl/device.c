/* The device: one table of everything it reports, computed from the machine description. Queries start no machine.
 * Called through icd.c. */
#include <stdio.h>
#include <string.h>

#include "command_buffer.h"
#include "driver/ventus_backend.h"

struct _cl_device_id the_device = {
    .base = {.dispatch = &dispatch_table, .kind = KIND_DEVICE, .refs = 1, .uses = 1},
};

/* Each name with a space before it. */
enum {
    ATOMICS = CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_ORDER_SEQ_CST |
              CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP | CL_DEVICE_ATOMIC_SCOPE_DEVICE | CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES,
};

static const cl_name_version extensions[] = {
#define EXTENSION(name, ...) {CL_MAKE_VERSION(__VA_ARGS__), name},
#include "isa/features.def"
};

static const cl_name_version c_versions[] = {
    {CL_MAKE_VERSION(1, 0, 0), "OpenCL C"},
    {CL_MAKE_VERSION(1, 1, 0), "OpenCL C"},
    {CL_MAKE_VERSION(1, 2, 0), "OpenCL C"},
    {CL_MAKE_VERSION(3, 0, 0), "OpenCL C"},
};

static const cl_name_version features[] = {
#define FEATURE(name, ...) {CL_MAKE_VERSION(__VA_ARGS__), name},
#include "isa/features.def"
};

#define ILS(M)         M(0) M(1) M(2) M(3) M(4) M(5) M(6) /* versions 1.0 to 1.6 of SPIR-V */
#define IL_NAME(minor) " SPIR-V_1." #minor
static const char il_names[] = ILS(IL_NAME);
#define IL_VERSION(minor) {CL_MAKE_VERSION(1, minor, 0), "SPIR-V"},
static const cl_name_version ils[] = {ILS(IL_VERSION)};

static const struct {
    cl_uint number;
    const char *name;
} spirv_capabilities[] = {
#define CAPABILITY(number, name) {number, name},
#include "isa/spirv.def"
};
static const char *const spirv_extensions[] = {
#define SPV_EXTENSION(name) name,
#include "isa/spirv.def"
};
static const char *const spirv_sets[] = {
#define SPV_SET(name) name,
#include "isa/spirv.def"
};

cl_mutable_dispatch_fields_khr device_mutable_fields(void)
{
    return CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR | CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR |
           CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR | CL_MUTABLE_DISPATCH_ARGUMENTS_KHR |
           (svm_capabilities() ? CL_MUTABLE_DISPATCH_EXEC_INFO_KHR : 0);
}

/* The names of those that the device offers. */
static cl_int extension_names(struct info out)
{
    enum { N = sizeof extensions / sizeof *extensions };
    cl_name_version offered[N];
    char text[N * CL_NAME_VERSION_MAX_NAME_SIZE] = "";
    const size_t n = device_offers(extensions, N, offered);
    size_t used = 0;
    for (size_t i = 0; i < n; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? " " : "", offered[i].name);
    return info_text(out, text);
}

static cl_int capabilities(struct info out)
{
    enum { N = sizeof spirv_capabilities / sizeof *spirv_capabilities };
    cl_uint offered[N];
    size_t n = 0;
    for (size_t i = 0; i < N; i++)
        if (device_has(spirv_capabilities[i].name)) offered[n++] = spirv_capabilities[i].number;
    return info_bytes(out, offered, n * sizeof *offered);
}

static cl_int versions(const cl_name_version *all, size_t n, struct info out)
{
    cl_name_version offered[sizeof extensions / sizeof *extensions + sizeof features / sizeof *features];
    return info_bytes(out, offered, device_offers(all, n, offered) * sizeof *offered);
}

/* One row for each query. */
// clang-format off
#define TEXT(param, text) case param: return info_text(out, text);
#define VALUE(param, type, ...) case param: INFO(type, __VA_ARGS__);
#define ARRAY(param, array) case param: return info_bytes(out, array, sizeof array);
#define OFFERED(param, array) case param: return versions(array, sizeof array / sizeof *array, out);
#define EMPTY(param) case param: return info_bytes(out, NULL, 0);

static cl_int device_table(cl_device_id device, const struct ventus_info *c, cl_device_info param, struct info out)
{
    const cl_uint group = device_max_group(c), units = device_units(device);
    cl_device_partition_property kinds[PARTITIONS];
    cl_uchar uuid[CL_UUID_SIZE_KHR];
    switch (param) {
    TEXT(CL_DEVICE_NAME, "Ventus GPGPU")
    TEXT(CL_DEVICE_VENDOR, "Ventus in C")
    TEXT(CL_DRIVER_VERSION, VENTUS_VERSION)
    TEXT(CL_DEVICE_PROFILE, "FULL_PROFILE")
    TEXT(CL_DEVICE_VERSION, "OpenCL 3.0 Ventus in C " VENTUS_VERSION)
    TEXT(CL_DEVICE_OPENCL_C_VERSION, "OpenCL C 1.2 Ventus in C " VENTUS_VERSION)
    case CL_DEVICE_EXTENSIONS: return extension_names(out);
    TEXT(CL_DEVICE_BUILT_IN_KERNELS, "")
    TEXT(CL_DEVICE_IL_VERSION, il_names + 1)
    TEXT(CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED, "v0000-01-01-00") /* none: no official run has been made */
    OFFERED(CL_DEVICE_EXTENSIONS_WITH_VERSION, extensions)
    ARRAY(CL_DEVICE_OPENCL_C_ALL_VERSIONS, c_versions)
    OFFERED(CL_DEVICE_OPENCL_C_FEATURES, features)
    ARRAY(CL_DEVICE_ILS_WITH_VERSION, ils)
    case CL_DEVICE_SPIRV_CAPABILITIES_KHR: return capabilities(out);
    ARRAY(CL_DEVICE_SPIRV_EXTENSIONS_KHR, spirv_extensions)
    ARRAY(CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR, spirv_sets)
    EMPTY(CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION)
    VALUE(CL_DEVICE_NUMERIC_VERSION, cl_version, CL_MAKE_VERSION(3, 0, 0))
    VALUE(CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR, cl_version, CL_MAKE_VERSION(1, 2, 0)) /* that of the text above */
    VALUE(CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT, cl_version, CL_MAKE_VERSION(1, 0, 0))
    VALUE(CL_DEVICE_TYPE, cl_device_type, CL_DEVICE_TYPE_GPU)
    VALUE(CL_DEVICE_VENDOR_ID, cl_uint, 0x5655) /* "VU": no PCI id exists */
    VALUE(CL_DEVICE_PLATFORM, cl_platform_id, &the_platform)
    VALUE(CL_DEVICE_AVAILABLE, cl_bool, CL_TRUE)
    VALUE(CL_DEVICE_COMPILER_AVAILABLE, cl_bool, CL_TRUE)
    VALUE(CL_DEVICE_LINKER_AVAILABLE, cl_bool, CL_TRUE)
    VALUE(CL_DEVICE_ENDIAN_LITTLE, cl_bool, CL_TRUE)
    VALUE(CL_DEVICE_ERROR_CORRECTION_SUPPORT, cl_bool, CL_FALSE)
    VALUE(CL_DEVICE_HOST_UNIFIED_MEMORY, cl_bool, CL_FALSE)
    case CL_DEVICE_UUID_KHR: device_uuid(device, uuid); return info_bytes(out, uuid, sizeof uuid);
    case CL_DRIVER_UUID_KHR: driver_uuid(uuid); return info_bytes(out, uuid, sizeof uuid);
    VALUE(CL_DEVICE_LUID_VALID_KHR, cl_bool, CL_FALSE) /* Windows has LUIDs: these are nobody's */
    case CL_DEVICE_LUID_KHR: return info_bytes(out, (cl_uchar[CL_LUID_SIZE_KHR]){0}, CL_LUID_SIZE_KHR);
    VALUE(CL_DEVICE_NODE_MASK_KHR, cl_uint, 0)
    VALUE(CL_DEVICE_REFERENCE_COUNT, cl_uint, object_count(&device->base))

    /* the machine */
    VALUE(CL_DEVICE_MAX_COMPUTE_UNITS, cl_uint, units)
    VALUE(CL_DEVICE_MAX_CLOCK_FREQUENCY, cl_uint, c->clock_mhz)
    VALUE(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, cl_uint, 3)
    case CL_DEVICE_MAX_WORK_ITEM_SIZES: return info_bytes(out, (size_t[3]){group, group, group}, 3 * sizeof(size_t));
    VALUE(CL_DEVICE_MAX_WORK_GROUP_SIZE, size_t, group)
    VALUE(CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, size_t, c->threads_per_warp)
    VALUE(CL_DEVICE_MAX_NUM_SUB_GROUPS, cl_uint, c->warps_per_sm) /* a warp is one */
    VALUE(CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, cl_bool, CL_TRUE)
    VALUE(CL_DEVICE_ADDRESS_BITS, cl_uint, 32)
    VALUE(CL_DEVICE_PROFILING_TIMER_RESOLUTION, size_t, 1)

    /* memory */
    VALUE(CL_DEVICE_GLOBAL_MEM_SIZE, cl_ulong, device_global_memory())
    VALUE(CL_DEVICE_MAX_MEM_ALLOC_SIZE, cl_ulong, device_max_alloc())
    VALUE(CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, cl_device_mem_cache_type, CL_NONE)
    VALUE(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, cl_ulong, 0)
    VALUE(CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, cl_uint, 0)
    VALUE(CL_DEVICE_LOCAL_MEM_TYPE, cl_device_local_mem_type, CL_LOCAL)
    VALUE(CL_DEVICE_LOCAL_MEM_SIZE, cl_ulong, device_local_memory(c))
    VALUE(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, cl_ulong, device_max_alloc())
    VALUE(CL_DEVICE_MAX_CONSTANT_ARGS, cl_uint, 8)
    VALUE(CL_DEVICE_MAX_PARAMETER_SIZE, size_t, MAX_PARAMETER_SIZE)
    VALUE(CL_DEVICE_MEM_BASE_ADDR_ALIGN, cl_uint, MEM_ALIGN * 8)
    VALUE(CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, cl_uint, MEM_ALIGN)
    VALUE(CL_DEVICE_PRINTF_BUFFER_SIZE, size_t, VENTUS_PRINT_BYTES)
    VALUE(CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, size_t, ABI_VARIABLES_LIMIT)
    VALUE(CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, size_t, ABI_VARIABLES_LIMIT)
    VALUE(CL_DEVICE_SVM_CAPABILITIES, cl_device_svm_capabilities, svm_capabilities())
    VALUE(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, cl_device_atomic_capabilities, ATOMICS)
    VALUE(CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, cl_device_atomic_capabilities,
          ATOMICS | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM)
    VALUE(CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, cl_uint, 0)
    VALUE(CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, cl_uint, 0)
    VALUE(CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, cl_uint, 0)

    /* types: each lane computes on scalars, so the preferred vector is one element */
    VALUE(CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, cl_uint, 1)
    VALUE(CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, cl_uint, 1)
    VALUE(CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, cl_uint, 1)
    VALUE(CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, cl_uint, 1)
    VALUE(CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, cl_uint, 1)
    VALUE(CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, cl_uint, 1)
    VALUE(CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, cl_uint, 1)
    VALUE(CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, cl_uint, 1)
    VALUE(CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, cl_uint, 1)
    VALUE(CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, cl_uint, 1)
    VALUE(CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, cl_uint, 1)
    VALUE(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, cl_uint, 1)
    VALUE(CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, cl_uint, 1)
    VALUE(CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, cl_uint, 1)
    VALUE(CL_DEVICE_SINGLE_FP_CONFIG, cl_device_fp_config, CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_FMA)
    VALUE(CL_DEVICE_HALF_FP_CONFIG, cl_device_fp_config,
          device_can(VENTUS_BACKEND_HALVES) ? CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_FMA : 0)
    VALUE(CL_DEVICE_DOUBLE_FP_CONFIG, cl_device_fp_config,
          device_can(VENTUS_BACKEND_DOUBLES) ? CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_FMA : 0)

    /* queues and execution */
    VALUE(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, cl_command_queue_properties,
          CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE)
    VALUE(CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, cl_command_queue_properties, 0)
    VALUE(CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, cl_uint, 0)
    VALUE(CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, cl_uint, 0)
    VALUE(CL_DEVICE_MAX_ON_DEVICE_QUEUES, cl_uint, 0)
    VALUE(CL_DEVICE_MAX_ON_DEVICE_EVENTS, cl_uint, 0)
    VALUE(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, cl_device_device_enqueue_capabilities, 0)
    VALUE(CL_DEVICE_EXECUTION_CAPABILITIES, cl_device_exec_capabilities, CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL)
    VALUE(CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, cl_bool, CL_TRUE)
    VALUE(CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, cl_bool, CL_FALSE)
    VALUE(CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, cl_bool, CL_TRUE)
    VALUE(CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, cl_bool, CL_TRUE)

    /* command buffers: no device-side enqueue, else all */
    VALUE(CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR, cl_device_command_buffer_capabilities_khr,
          CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR | CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR)
    VALUE(CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR, cl_command_queue_properties, 0)
    VALUE(CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR, cl_command_queue_properties,
          CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE)
    VALUE(CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR, cl_mutable_dispatch_fields_khr, device_mutable_fields())
    VALUE(CL_DEVICE_SEMAPHORE_TYPES_KHR, cl_semaphore_type_khr, CL_SEMAPHORE_TYPE_BINARY_KHR)

    VALUE(CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR, cl_device_integer_dot_product_capabilities_khr,
          CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR | CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR)
    VALUE(CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR,
          cl_device_integer_dot_product_acceleration_properties_khr, 0) /* none: they are sums of products */
    VALUE(CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR,
          cl_device_integer_dot_product_acceleration_properties_khr, 0)
    VALUE(CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR, cl_bitfield,
          CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR | CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR)

    /* pipes */
    VALUE(CL_DEVICE_PIPE_SUPPORT, cl_bool, device_can(VENTUS_BACKEND_ATOMICS))
    VALUE(CL_DEVICE_MAX_PIPE_ARGS, cl_uint, PIPE_MAX_ARGS)
    VALUE(CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, cl_uint, PIPE_MAX_RESERVATIONS)
    VALUE(CL_DEVICE_PIPE_MAX_PACKET_SIZE, cl_uint, PIPE_MAX_PACKET_SIZE)

    /* sub-devices */
    VALUE(CL_DEVICE_PARENT_DEVICE, cl_device_id, device->parent)
    VALUE(CL_DEVICE_PARTITION_MAX_SUB_DEVICES, cl_uint, units > 1 && device_can(VENTUS_BACKEND_PARTS) ? units : 0)
    VALUE(CL_DEVICE_PARTITION_AFFINITY_DOMAIN, cl_device_affinity_domain, 0)
    case CL_DEVICE_PARTITION_PROPERTIES: return info_bytes(out, kinds, device_partitions(device, kinds) * sizeof *kinds);
    case CL_DEVICE_PARTITION_TYPE: return info_bytes(out, device->partition, device->npartition * sizeof *kinds);

    /* images */
    VALUE(CL_DEVICE_IMAGE_SUPPORT, cl_bool, device_can(VENTUS_BACKEND_IMAGES))
    VALUE(CL_DEVICE_MAX_READ_IMAGE_ARGS, cl_uint, IMAGE_MAX_ARGS)
    VALUE(CL_DEVICE_MAX_WRITE_IMAGE_ARGS, cl_uint, IMAGE_MAX_ARGS)
    VALUE(CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, cl_uint, IMAGE_MAX_ARGS)
    VALUE(CL_DEVICE_IMAGE2D_MAX_WIDTH, size_t, IMAGE_MAX_2D)
    VALUE(CL_DEVICE_IMAGE2D_MAX_HEIGHT, size_t, IMAGE_MAX_2D)
    VALUE(CL_DEVICE_IMAGE3D_MAX_WIDTH, size_t, IMAGE_MAX_3D)
    VALUE(CL_DEVICE_IMAGE3D_MAX_HEIGHT, size_t, IMAGE_MAX_3D)
    VALUE(CL_DEVICE_IMAGE3D_MAX_DEPTH, size_t, IMAGE_MAX_3D)
    VALUE(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, size_t, IMAGE_MAX_BUFFER)
    VALUE(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, size_t, IMAGE_MAX_LAYERS)
    VALUE(CL_DEVICE_MAX_SAMPLERS, cl_uint, MAX_SAMPLERS)
    VALUE(CL_DEVICE_IMAGE_PITCH_ALIGNMENT, cl_uint, 1)         /* texels */
    VALUE(CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, cl_uint, 1) /* texels; sub-buffers are aligned further */
    default: return CL_INVALID_VALUE;
    }
}
// clang-format on

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info param, size_t size, void *value, size_t *size_ret)
{
    if (!object_is(device, KIND_DEVICE)) return CL_INVALID_DEVICE;
    const struct ventus_info *info = device_info();
    if (!info) return CL_INVALID_DEVICE;
    return device_table(device, info, param, (struct info){size, value, size_ret});
}

static bool type_valid(cl_device_type type)
{
    const cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                 CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
    return type == CL_DEVICE_TYPE_ALL || (type && !(type & ~known));
}

cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint num_entries, cl_device_id *devices,
                      cl_uint *num_devices)
{
    if (platform && platform != &the_platform) return CL_INVALID_PLATFORM;
    if (!type_valid(type)) return CL_INVALID_DEVICE_TYPE;
    if ((devices && num_entries == 0) || (!devices && !num_devices)) return CL_INVALID_VALUE;
    bool found = (type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT)) && device_info();
    if (num_devices) *num_devices = found;
    if (!found) return CL_DEVICE_NOT_FOUND;
    if (devices) devices[0] = &the_device;
    return CL_SUCCESS;
}

/* ---- timers ---- */

cl_int clGetHostTimer(cl_device_id device, cl_ulong *host_time)
{
    if (!object_is(device, KIND_DEVICE)) return CL_INVALID_DEVICE;
    if (!device_has_timer()) return CL_INVALID_OPERATION;
    if (!host_time) return CL_INVALID_VALUE;
    *host_time = host_ns();
    return CL_SUCCESS;
}

/* The times of profiling are the host's. */
cl_int clGetDeviceAndHostTimer(cl_device_id device, cl_ulong *device_time, cl_ulong *host_time)
{
    cl_ulong now = 0;
    cl_int error = clGetHostTimer(device, device_time ? &now : NULL);
    if (!error && !host_time) error = CL_INVALID_VALUE;
    if (!error) *device_time = *host_time = now;
    return error;
}
