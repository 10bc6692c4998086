// A layer of the OpenCL loader that calls each device a GPU. Some clients want nothing else, and pocl's device is a
// CPU: without this they would have no other OpenCL to be compared with. Compiled by the clients that need it:
//
//     cc -shared -fPIC -o layer.so $CLIENTS/gpu-layer.c; OPENCL_LAYERS=$PWD/layer.so program
#include "layer.h"

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

static void set_functions(cl_icd_dispatch *ours)
{
    ours->clGetDeviceIDs = get_device_ids;
    ours->clGetDeviceInfo = get_device_info;
}
