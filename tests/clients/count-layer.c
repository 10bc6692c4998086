// A layer of the OpenCL loader that counts launches, and appends a line with the number to the file $LAUNCHES when its
// process ends. For clients that compute on the host, without a word, when they do not like a device. Compiled by the
// clients that need it:
//
//     cc -shared -fPIC -o layer.so $CLIENTS/count-layer.c; LAUNCHES=$PWD/launches OPENCL_LAYERS=$PWD/layer.so program
#define CL_TARGET_OPENCL_VERSION 300
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <CL/cl_layer.h>

static const cl_icd_dispatch *next; // the loader's own functions
static cl_icd_dispatch ours;
static atomic_int launches;

static CL_API_ENTRY cl_int CL_API_CALL enqueue_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                                      const size_t *offset, const size_t *global, const size_t *local,
                                                      cl_uint waits, const cl_event *wait_list, cl_event *event)
{
    atomic_fetch_add(&launches, 1);
    return next->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, waits, wait_list, event);
}

__attribute__((destructor)) static void write_count(void)
{
    const char *name = getenv("LAUNCHES");
    FILE *file = launches && name ? fopen(name, "a") : NULL;
    if (!file) return;
    fprintf(file, "%d\n", launches);
    fclose(file);
}

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void *value, size_t *size_ret)
{
    if (name != CL_LAYER_API_VERSION || (value && size < sizeof(cl_layer_api_version))) return CL_INVALID_VALUE;
    if (value) *(cl_layer_api_version *)value = CL_LAYER_API_VERSION_100;
    if (size_ret) *size_ret = sizeof(cl_layer_api_version);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch *target, cl_uint *count,
                                            const cl_icd_dispatch **layer)
{
    next = target;
    ours.clEnqueueNDRangeKernel = enqueue_kernel;
    *count = sizeof ours / sizeof(void *) < entries ? sizeof ours / sizeof(void *) : entries;
    *layer = &ours;
    return CL_SUCCESS;
}
