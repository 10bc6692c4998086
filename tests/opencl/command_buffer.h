/* cl_khr_command_buffer 0.9.8 and cl_khr_command_buffer_mutable_dispatch 0.9.5 as their tests call them: CL/cl_ext.h
 * may know older versions, whose functions have other parameters, or none. */
#ifndef COMMAND_BUFFER_H
#define COMMAND_BUFFER_H

#include "check.h"

typedef cl_command_buffer_khr commands;
typedef cl_sync_point_khr point;

/* What each function that records has in front and at its end. */
#define FRONT commands, cl_command_queue, const cl_properties *
#define END   cl_uint, const point *, point *, cl_mutable_command_khr *

/* X(name, result, parameters...): the functions; each is a pointer that command_buffer_setup fills in. */
// clang-format off
#define COMMAND_BUFFER_FUNCTIONS(X) \
    X(clCreateCommandBufferKHR, commands, cl_uint, const cl_command_queue *, const cl_properties *, cl_int *) \
    X(clFinalizeCommandBufferKHR, cl_int, commands) \
    X(clRetainCommandBufferKHR, cl_int, commands) \
    X(clReleaseCommandBufferKHR, cl_int, commands) \
    X(clEnqueueCommandBufferKHR, cl_int, cl_uint, cl_command_queue *, commands, cl_uint, const cl_event *, cl_event *) \
    X(clGetCommandBufferInfoKHR, cl_int, commands, cl_uint, size_t, void *, size_t *) \
    X(clCommandBarrierWithWaitListKHR, cl_int, FRONT, END) \
    X(clCommandCopyBufferKHR, cl_int, FRONT, cl_mem, cl_mem, size_t, size_t, size_t, END) \
    X(clCommandCopyBufferRectKHR, cl_int, FRONT, cl_mem, cl_mem, const size_t *, const size_t *, const size_t *, \
      size_t, size_t, size_t, size_t, END) \
    X(clCommandCopyBufferToImageKHR, cl_int, FRONT, cl_mem, cl_mem, size_t, const size_t *, const size_t *, END) \
    X(clCommandCopyImageKHR, cl_int, FRONT, cl_mem, cl_mem, const size_t *, const size_t *, const size_t *, END) \
    X(clCommandCopyImageToBufferKHR, cl_int, FRONT, cl_mem, cl_mem, const size_t *, const size_t *, size_t, END) \
    X(clCommandFillBufferKHR, cl_int, FRONT, cl_mem, const void *, size_t, size_t, size_t, END) \
    X(clCommandFillImageKHR, cl_int, FRONT, cl_mem, const void *, const size_t *, const size_t *, END) \
    X(clCommandSVMMemcpyKHR, cl_int, FRONT, void *, const void *, size_t, END) \
    X(clCommandSVMMemFillKHR, cl_int, FRONT, void *, const void *, size_t, size_t, END) \
    X(clUpdateMutableCommandsKHR, cl_int, commands, cl_uint, const cl_uint *, const void **) \
    X(clGetMutableCommandInfoKHR, cl_int, cl_mutable_command_khr, cl_uint, size_t, void *, size_t *) \
    X(clCommandNDRangeKernelKHR, cl_int, FRONT, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, END)
// clang-format on

#define COMMAND_BUFFER_POINTER(name, result, ...) static result (*p_##name)(__VA_ARGS__);
COMMAND_BUFFER_FUNCTIONS(COMMAND_BUFFER_POINTER)

static int command_buffer_setup(void **state)
{
    if (check_setup(state)) return -1;
    int missing = 0;
#define COMMAND_BUFFER_FIND(name, ...) \
    p_##name = clGetExtensionFunctionAddressForPlatform(platform, #name); \
    missing -= !p_##name;
    COMMAND_BUFFER_FUNCTIONS(COMMAND_BUFFER_FIND)
    return missing;
}

static inline commands buffer_on(cl_command_queue q)
{
    cl_int err = 1;
    commands b = p_clCreateCommandBufferKHR(1, &q, NULL, &err);
    OK(err);
    assert_non_null(b);
    return b;
}

#endif
