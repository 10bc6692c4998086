/* What every clGet*Info has in common (size queries, too small buffers), and small helpers of all files.
 * An answer is copied only if it fits; both pointers may be absent. Nothing here knows an object. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "objects.h"
#include "host/host.h"

cl_int info_bytes(struct info out, const void *data, size_t size)
{
    if (out.value) {
        if (out.size < size) return CL_INVALID_VALUE;
        if (size) memcpy(out.value, data, size);
    }
    if (out.size_ret) *out.size_ret = size;
    return CL_SUCCESS;
}

cl_int info_text(struct info out, const char *text)
{
    if (!text) text = "";
    return info_bytes(out, text, strlen(text) + 1);
}

void set_error(cl_int *errcode_ret, cl_int error)
{
    if (errcode_ret) *errcode_ret = error;
}

static void say(const char *format, va_list ap)
{
    char text[1024];
    vsnprintf(text, sizeof text, format, ap);
    host_say("ventus", text);
}

/* What VENTUS_DEBUG says, or `unsaid`. */
static bool is_debugging(bool unsaid)
{
    static struct host_word said = {"VENTUS_DEBUG", {"1", "0"}, false};
    const char *wanted = secure_getenv("VENTUS_DEBUG");
    return wanted && *wanted ? host_word(&said) == 0 : unsaid;
}

void debug_check(void) { is_debugging(false); }

bool debug(const char *format, ...)
{
    va_list ap;
    bool wanted = is_debugging(false);
    va_start(ap, format);
    if (wanted) say(format, ap);
    va_end(ap);
    return wanted;
}

void complain(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    if (is_debugging(true)) say(format, ap);
    va_end(ap);
}

void complain_once(atomic_flag *said, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    if (is_debugging(true) && !atomic_flag_test_and_set(said)) say(format, ap);
    va_end(ap);
}

cl_int driver_error(enum ventus_status status)
{
    switch (status) {
    case VENTUS_OK: return CL_SUCCESS;
    case VENTUS_NO_MEMORY: return CL_OUT_OF_HOST_MEMORY;
    case VENTUS_NO_DEVICE_MEMORY: return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    case VENTUS_DEPENDENCY: return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    case VENTUS_OUT_OF_RANGE:
    case VENTUS_BAD_ARGUMENT: return CL_INVALID_VALUE;
    default: return CL_OUT_OF_RESOURCES;
    }
}
