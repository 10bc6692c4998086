/* The door: the dispatch table the loader calls through, and the three functions the library exports.
 * Every slot of the 3.0 table is filled; interoperation with other APIs, which no extension of ours
 * promises, ends in one of two functions that refuse. All other symbols of the library are hidden: other
 * OpenCL implementations live in the same process and have functions of the same names. */
#include <string.h>

#include "command_buffer.h"

static cl_int no_interop(void) { return CL_INVALID_OPERATION; }

static void *no_object(void) { return NULL; }

static void *extension_function(const char *name);

static void *extension_function_of(cl_platform_id platform, const char *name)
{
    return platform == &the_platform ? extension_function(name) : NULL;
}

/* One function refuses all interop calls: it never reads its arguments, so their types do not matter. */
#define REFUSE(name)  .name = (cl_api_##name)(void *)no_interop
#define NOTHING(name) .name = (cl_api_##name)(void *)no_object
#define OURS(name)    .name = name

// clang-format off
const cl_icd_dispatch dispatch_table = {
    .clGetPlatformIDs = platform_ids,
    .clGetPlatformInfo = platform_info,
    OURS(clGetDeviceIDs), OURS(clGetDeviceInfo), OURS(clCreateContext), OURS(clCreateContextFromType),
    OURS(clRetainContext), OURS(clReleaseContext), OURS(clGetContextInfo), OURS(clCreateCommandQueue),
    OURS(clRetainCommandQueue), OURS(clReleaseCommandQueue), OURS(clGetCommandQueueInfo), OURS(clSetCommandQueueProperty),
    OURS(clCreateBuffer), OURS(clCreateImage2D), OURS(clCreateImage3D), OURS(clRetainMemObject), OURS(clReleaseMemObject),
    OURS(clGetSupportedImageFormats), OURS(clGetMemObjectInfo), OURS(clGetImageInfo), OURS(clCreateSampler),
    OURS(clRetainSampler), OURS(clReleaseSampler), OURS(clGetSamplerInfo), OURS(clCreateProgramWithSource),
    OURS(clCreateProgramWithBinary), OURS(clRetainProgram), OURS(clReleaseProgram), OURS(clBuildProgram),
    OURS(clUnloadCompiler), OURS(clGetProgramInfo), OURS(clGetProgramBuildInfo), OURS(clCreateKernel),
    OURS(clCreateKernelsInProgram), OURS(clRetainKernel), OURS(clReleaseKernel), OURS(clSetKernelArg), OURS(clGetKernelInfo),
    OURS(clGetKernelWorkGroupInfo), OURS(clWaitForEvents), OURS(clGetEventInfo), OURS(clRetainEvent), OURS(clReleaseEvent),
    OURS(clGetEventProfilingInfo), OURS(clFlush), OURS(clFinish), OURS(clEnqueueReadBuffer), OURS(clEnqueueWriteBuffer),
    OURS(clEnqueueCopyBuffer), OURS(clEnqueueReadImage), OURS(clEnqueueWriteImage), OURS(clEnqueueCopyImage),
    OURS(clEnqueueCopyImageToBuffer), OURS(clEnqueueCopyBufferToImage), OURS(clEnqueueMapBuffer), OURS(clEnqueueMapImage),
    OURS(clEnqueueUnmapMemObject), OURS(clEnqueueNDRangeKernel), OURS(clEnqueueTask), OURS(clEnqueueNativeKernel),
    OURS(clEnqueueMarker), OURS(clEnqueueWaitForEvents), OURS(clEnqueueBarrier),
    .clGetExtensionFunctionAddress = extension_function,

    /* OpenGL, Direct3D, EGL */
    NOTHING(clCreateFromGLBuffer), NOTHING(clCreateFromGLTexture2D), NOTHING(clCreateFromGLTexture3D),
    NOTHING(clCreateFromGLRenderbuffer), REFUSE(clGetGLObjectInfo), REFUSE(clGetGLTextureInfo), REFUSE(clEnqueueAcquireGLObjects),
    REFUSE(clEnqueueReleaseGLObjects), REFUSE(clGetGLContextInfoKHR), REFUSE(clGetDeviceIDsFromD3D10KHR),
    NOTHING(clCreateFromD3D10BufferKHR), NOTHING(clCreateFromD3D10Texture2DKHR), NOTHING(clCreateFromD3D10Texture3DKHR),
    REFUSE(clEnqueueAcquireD3D10ObjectsKHR), REFUSE(clEnqueueReleaseD3D10ObjectsKHR),

    OURS(clSetEventCallback), OURS(clCreateSubBuffer), OURS(clSetMemObjectDestructorCallback), OURS(clCreateUserEvent),
    OURS(clSetUserEventStatus), OURS(clEnqueueReadBufferRect), OURS(clEnqueueWriteBufferRect), OURS(clEnqueueCopyBufferRect),

    REFUSE(clCreateSubDevicesEXT), REFUSE(clRetainDeviceEXT), REFUSE(clReleaseDeviceEXT), NOTHING(clCreateEventFromGLsyncKHR),

    OURS(clCreateSubDevices), OURS(clRetainDevice), OURS(clReleaseDevice), OURS(clCreateImage),
    OURS(clCreateProgramWithBuiltInKernels), OURS(clCompileProgram), OURS(clLinkProgram), OURS(clUnloadPlatformCompiler),
    OURS(clGetKernelArgInfo), OURS(clEnqueueFillBuffer), OURS(clEnqueueFillImage), OURS(clEnqueueMigrateMemObjects),
    OURS(clEnqueueMarkerWithWaitList), OURS(clEnqueueBarrierWithWaitList),
    .clGetExtensionFunctionAddressForPlatform = extension_function_of,

    NOTHING(clCreateFromGLTexture), REFUSE(clGetDeviceIDsFromD3D11KHR), NOTHING(clCreateFromD3D11BufferKHR),
    NOTHING(clCreateFromD3D11Texture2DKHR), NOTHING(clCreateFromD3D11Texture3DKHR), NOTHING(clCreateFromDX9MediaSurfaceKHR),
    REFUSE(clEnqueueAcquireD3D11ObjectsKHR), REFUSE(clEnqueueReleaseD3D11ObjectsKHR), REFUSE(clGetDeviceIDsFromDX9MediaAdapterKHR),
    REFUSE(clEnqueueAcquireDX9MediaSurfacesKHR), REFUSE(clEnqueueReleaseDX9MediaSurfacesKHR), NOTHING(clCreateFromEGLImageKHR),
    REFUSE(clEnqueueAcquireEGLObjectsKHR), REFUSE(clEnqueueReleaseEGLObjectsKHR), NOTHING(clCreateEventFromEGLSyncKHR),

    OURS(clCreateCommandQueueWithProperties), OURS(clCreatePipe), OURS(clGetPipeInfo), OURS(clSVMAlloc), OURS(clSVMFree),
    OURS(clEnqueueSVMFree), OURS(clEnqueueSVMMemcpy), OURS(clEnqueueSVMMemFill), OURS(clEnqueueSVMMap), OURS(clEnqueueSVMUnmap),
    OURS(clCreateSamplerWithProperties), OURS(clSetKernelArgSVMPointer), OURS(clSetKernelExecInfo),
    .clGetKernelSubGroupInfoKHR = clGetKernelSubGroupInfo,
    OURS(clCloneKernel), OURS(clCreateProgramWithIL), OURS(clEnqueueSVMMigrateMem), OURS(clGetDeviceAndHostTimer),
    OURS(clGetHostTimer), OURS(clGetKernelSubGroupInfo), OURS(clSetDefaultDeviceCommandQueue), OURS(clSetProgramReleaseCallback),
    OURS(clSetProgramSpecializationConstant), OURS(clCreateBufferWithProperties), OURS(clCreateImageWithProperties),
    OURS(clSetContextDestructorCallback),
};
// clang-format on

static void *extension_function(const char *name)
{
    static const struct extension_function functions[] = {
        {"clCreateProgramWithILKHR", (void *)clCreateProgramWithIL},
        {"clCreateCommandQueueWithPropertiesKHR", (void *)clCreateCommandQueueWithProperties},
        {"clGetKernelSuggestedLocalWorkSizeKHR", (void *)kernel_suggested_local_size},
        {"clIcdGetPlatformIDsKHR", (void *)platform_ids},
        {"clGetPlatformInfo", (void *)platform_info},
        {NULL, NULL},
    };
    const struct extension_function *const lists[] = {functions,        command_buffer_functions, record_functions,
                                                      replay_functions, mutable_functions,        semaphore_functions,
                                                      range_functions};
    for (size_t i = 0; name && i < sizeof lists / sizeof *lists; i++)
        for (const struct extension_function *f = lists[i]; f->name; f++)
            if (strcmp(f->name, name) == 0) return f->function;
    return NULL;
}

/* The exported names lead to hidden functions: the loader exports one of them too, and a reference from
 * our table to an exported name could end up there. */
#define EXPORT __attribute__((visibility("default")))

EXPORT void *clGetExtensionFunctionAddress(const char *name);
EXPORT cl_int clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms);
EXPORT cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info param, size_t size, void *value,
                                size_t *size_ret);

void *clGetExtensionFunctionAddress(const char *name) { return extension_function(name); }

cl_int clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
    return platform_ids(num_entries, platforms, num_platforms);
}

cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info param, size_t size, void *value, size_t *size_ret)
{
    return platform_info(platform, param, size, value, size_ret);
}
