/* Optional features the device does not have: the functions exist and refuse, each in the way the
 * specification asks of it. What refuses before looking at its arguments, and what checks the object
 * first, follows the conformance tests. Called through icd.c. */
#include "objects.h"

static void *refuse(cl_int *errcode_ret, cl_int error)
{
    set_error(errcode_ret, error);
    return NULL;
}

/* ---- queues on the device ---- */

cl_int clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device, cl_command_queue q)
{
    if (!object_is(context, KIND_CONTEXT)) return CL_INVALID_CONTEXT;
    (void)q; /* whatever it is, it is none of the device's */
    cl_int error = device_list_check(&context->devices, 1, &device, false);
    return error ? error : CL_INVALID_OPERATION;
}

/* ---- programs of other kinds ---- */

cl_int clSetProgramReleaseCallback(cl_program program, void(CL_CALLBACK *call)(cl_program, void *), void *data)
{
    (void)call, (void)data;
    return object_is(program, KIND_PROGRAM) ? CL_INVALID_OPERATION : CL_INVALID_PROGRAM;
}

cl_program clCreateProgramWithBuiltInKernels(cl_context context, cl_uint count, const cl_device_id *list,
                                             const char *names, cl_int *errcode_ret)
{
    (void)names; /* whatever they are, there is no such kernel */
    if (!object_is(context, KIND_CONTEXT)) return refuse(errcode_ret, CL_INVALID_CONTEXT);
    cl_int error = device_list_check(&context->devices, count, list, false);
    return refuse(errcode_ret, error ? error : CL_INVALID_VALUE);
}
