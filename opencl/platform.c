/* The platform: one, static, always there. Listing platforms must be cheap and silent, because every
 * OpenCL program on the machine does it; nothing here starts anything. Called through icd.c. */
#include "objects.h"

struct _cl_platform_id the_platform = {
    .base = {.dispatch = &dispatch_table, .kind = KIND_PLATFORM, .refs = 1, .uses = 1},
};

/* Each name with a space before it. */
static const char extension_names[] =
#define HOST(name, ...) " " name
#include "isa/features.def"
    ;

static const cl_name_version extensions[] = {
#define HOST(name, ...) {CL_MAKE_VERSION(__VA_ARGS__), name},
#include "isa/features.def"
};

cl_int platform_ids(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
    if ((platforms && num_entries == 0) || (!platforms && !num_platforms)) return CL_INVALID_VALUE;
    if (platforms) platforms[0] = &the_platform;
    if (num_platforms) *num_platforms = 1;
    return CL_SUCCESS;
}

cl_int platform_info(cl_platform_id platform, cl_platform_info param, size_t size, void *value, size_t *size_ret)
{
    struct info out = {size, value, size_ret};
    /* NULL: the specification leaves it to us which platform that is. */
    if (platform && platform != &the_platform) return CL_INVALID_PLATFORM;
    switch (param) {
    case CL_PLATFORM_PROFILE: return info_text(out, "FULL_PROFILE");
    case CL_PLATFORM_VERSION: return info_text(out, "OpenCL 3.0 Ventus in C " VENTUS_VERSION);
    case CL_PLATFORM_SEMAPHORE_TYPES_KHR: INFO(cl_semaphore_type_khr, CL_SEMAPHORE_TYPE_BINARY_KHR);
    case CL_PLATFORM_NUMERIC_VERSION: INFO(cl_version, CL_MAKE_VERSION(3, 0, 0));
    case CL_PLATFORM_NAME: return info_text(out, "Ventus");
    case CL_PLATFORM_VENDOR: return info_text(out, "Ventus in C");
    case CL_PLATFORM_EXTENSIONS: return info_text(out, extension_names + 1);
    case CL_PLATFORM_EXTENSIONS_WITH_VERSION: return info_bytes(out, extensions, sizeof extensions);
    case CL_PLATFORM_ICD_SUFFIX_KHR: return info_text(out, "VENTUS");
    case CL_PLATFORM_HOST_TIMER_RESOLUTION: INFO(cl_ulong, device_has_timer());
    default: return CL_INVALID_VALUE;
    }
}

cl_int clUnloadPlatformCompiler(cl_platform_id platform)
{
    return platform == &the_platform ? CL_SUCCESS : CL_INVALID_PLATFORM;
}

cl_int clUnloadCompiler(void) { return CL_SUCCESS; }
