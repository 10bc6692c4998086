// What the layers of the OpenCL loader in this folder have in common. One includes this, defines set_functions, and
// gets the loader's own functions in `next`.
#ifndef LAYER_H
#define LAYER_H

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>

static const cl_icd_dispatch *next;

// Puts what the layer has in the place of the loader's functions.
static void set_functions(cl_icd_dispatch *ours);

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
    static cl_icd_dispatch ours;
    next = target;
    set_functions(&ours);
    *count = sizeof ours / sizeof(void *) < entries ? sizeof ours / sizeof(void *) : entries;
    *layer = &ours;
    return CL_SUCCESS;
}

#endif
