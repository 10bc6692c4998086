// A layer of the OpenCL loader that calls each device a GPU. Some clients want nothing else, and pocl's device is a
// CPU: without this they would have no other OpenCL to be compared with. Compiled by the clients that need it:
//
//     cc -shared -fPIC -o layer.so $CLIENTS/gpu-layer.c; OPENCL_LAYERS=$PWD/layer.so program
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>

static const cl_icd_dispatch *next; // the loader's own functions
static cl_icd_dispatch ours;

static CL_API_ENTRY cl_int CL_API_CALL get_device_ids(cl_platform_id platform, cl_device_type type, cl_uint entries,
                                                      cl_device_id *devices, cl_uint *count)
{
    if (type & CL_DEVICE_TYPE_GPU) type = CL_DEVICE_TYPE_ALL;
    return next->clGetDeviceIDs(platform, type, entries, devices, count);
}

static CL_API_ENTRY cl_int CL_API_CALL get_device_info(cl_device_id device, cl_device_info name, size_t size,
                                                       void *value, size_t *size_ret)
{
    cl_int error = next->clGetDeviceInfo(device, name, size, value, size_ret);
    if (error == CL_SUCCESS && name == CL_DEVICE_TYPE && value) *(cl_device_type *)value = CL_DEVICE_TYPE_GPU;
    return error;
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
    ours.clGetDeviceIDs = get_device_ids;
    ours.clGetDeviceInfo = get_device_info;
    *count = sizeof ours / sizeof(void *) < entries ? sizeof ours / sizeof(void *) : entries;
    *layer = &ours;
    return CL_SUCCESS;
}
