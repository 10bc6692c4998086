/* Every function refuses an object of another kind: it comes through the loader, which looks at the dispatch table
 * alone. */
#include "check.h"

static cl_event event;
static cl_mem mem;
static cl_program program;
static cl_kernel kernel;

/* Objects that they are not. */
#define NO_DEVICE  ((cl_device_id)context)
#define NO_CONTEXT ((cl_context)queue)
#define NO_QUEUE   ((cl_command_queue)context)
#define NO_MEM     ((cl_mem)queue)
#define NO_PROGRAM ((cl_program)queue)
#define NO_KERNEL  ((cl_kernel)queue)
#define NO_EVENT   ((cl_event)queue)

static void test_contexts(void **state)
{
    (void)state;
    cl_int err;
    cl_uint n;
    const char *source = "";
    size_t size = 1;
    const unsigned char *binary = (const unsigned char *)"";
    FAILS(CL_INVALID_CONTEXT, clRetainContext(NO_CONTEXT));
    FAILS(CL_INVALID_CONTEXT, clReleaseContext(NO_CONTEXT));
    FAILS(CL_INVALID_CONTEXT, clGetContextInfo(NO_CONTEXT, CL_CONTEXT_DEVICES, 0, NULL, NULL));
    FAILS(CL_INVALID_CONTEXT, clSetContextDestructorCallback(NO_CONTEXT, NULL, NULL));
    FAILS(CL_INVALID_CONTEXT,
          clGetSupportedImageFormats(NO_CONTEXT, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &n));
    REFUSED(CL_INVALID_CONTEXT, clCreateBuffer(NO_CONTEXT, 0, 4, NULL, &err));
    REFUSED(CL_INVALID_CONTEXT, clCreateBufferWithProperties(NO_CONTEXT, NULL, 0, 4, NULL, &err));
    REFUSED(CL_INVALID_CONTEXT, clCreateUserEvent(NO_CONTEXT, &err));
    REFUSED(CL_INVALID_CONTEXT, clCreateCommandQueue(NO_CONTEXT, device, 0, &err));
    REFUSED(CL_INVALID_CONTEXT, clCreateCommandQueueWithProperties(NO_CONTEXT, device, NULL, &err));
    REFUSED(CL_INVALID_CONTEXT, clCreateProgramWithSource(NO_CONTEXT, 1, &source, NULL, &err));
    REFUSED(CL_INVALID_CONTEXT, clCreateProgramWithBinary(NO_CONTEXT, 1, &device, &size, &binary, NULL, &err));
    REFUSED(CL_INVALID_CONTEXT, clLinkProgram(NO_CONTEXT, 0, NULL, NULL, 1, &program, NULL, NULL, &err));
    REFUSED(CL_INVALID_CONTEXT, clCreateSampler(NO_CONTEXT, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &err));
    REFUSED(CL_INVALID_CONTEXT, clCreatePipe(NO_CONTEXT, 0, 4, 4, NULL, &err));
}

static void test_devices(void **state)
{
    (void)state;
    cl_int err;
    cl_device_id wrong = NO_DEVICE;
    FAILS(CL_INVALID_DEVICE, clGetDeviceInfo(NO_DEVICE, CL_DEVICE_NAME, 0, NULL, NULL));
    FAILS(CL_INVALID_DEVICE, clRetainDevice(NO_DEVICE));
    FAILS(CL_INVALID_DEVICE, clReleaseDevice(NO_DEVICE));
    FAILS(CL_INVALID_DEVICE, clGetKernelWorkGroupInfo(kernel, NO_DEVICE, CL_KERNEL_WORK_GROUP_SIZE, 0, NULL, NULL));
    FAILS(CL_INVALID_DEVICE, clGetProgramBuildInfo(program, NO_DEVICE, CL_PROGRAM_BUILD_STATUS, 0, NULL, NULL));
    FAILS(CL_INVALID_DEVICE, clBuildProgram(program, 1, &wrong, "", NULL, NULL));
    REFUSED(CL_INVALID_DEVICE, clCreateContext(NULL, 1, &wrong, NULL, NULL, &err));
    REFUSED(CL_INVALID_DEVICE, clCreateCommandQueue(context, NO_DEVICE, 0, &err));
    REFUSED(CL_INVALID_DEVICE, clCreateCommandQueueWithProperties(context, NO_DEVICE, NULL, &err));
}

static void test_queues(void **state)
{
    (void)state;
    size_t one = 1, none[3] = {0}, region[3] = {1, 1, 1};
    cl_int err;
    char byte = 0;
    FAILS(CL_INVALID_COMMAND_QUEUE, clRetainCommandQueue(NO_QUEUE));
    FAILS(CL_INVALID_COMMAND_QUEUE, clReleaseCommandQueue(NO_QUEUE));
    FAILS(CL_INVALID_COMMAND_QUEUE, clGetCommandQueueInfo(NO_QUEUE, CL_QUEUE_CONTEXT, 0, NULL, NULL));
    FAILS(CL_INVALID_COMMAND_QUEUE, clFlush(NO_QUEUE));
    FAILS(CL_INVALID_COMMAND_QUEUE, clFinish(NO_QUEUE));
    FAILS(CL_INVALID_COMMAND_QUEUE, clEnqueueMarker(NO_QUEUE, &event));
    FAILS(CL_INVALID_COMMAND_QUEUE, clEnqueueBarrier(NO_QUEUE));
    FAILS(CL_INVALID_COMMAND_QUEUE, clEnqueueMarkerWithWaitList(NO_QUEUE, 0, NULL, NULL));
    FAILS(CL_INVALID_COMMAND_QUEUE, clEnqueueBarrierWithWaitList(NO_QUEUE, 0, NULL, NULL));
    FAILS(CL_INVALID_COMMAND_QUEUE, clEnqueueWaitForEvents(NO_QUEUE, 1, &event));
    FAILS(CL_INVALID_COMMAND_QUEUE, clEnqueueReadBuffer(NO_QUEUE, mem, CL_TRUE, 0, 1, &byte, 0, NULL, NULL));
    FAILS(CL_INVALID_COMMAND_QUEUE, clEnqueueWriteBuffer(NO_QUEUE, mem, CL_TRUE, 0, 1, &byte, 0, NULL, NULL));
    FAILS(CL_INVALID_COMMAND_QUEUE, clEnqueueCopyBuffer(NO_QUEUE, mem, mem, 0, 2, 1, 0, NULL, NULL));
    FAILS(CL_INVALID_COMMAND_QUEUE, clEnqueueFillBuffer(NO_QUEUE, mem, &byte, 1, 0, 1, 0, NULL, NULL));
    FAILS(CL_INVALID_COMMAND_QUEUE,
          clEnqueueReadBufferRect(NO_QUEUE, mem, CL_TRUE, none, none, region, 0, 0, 0, 0, &byte, 0, NULL, NULL));
    FAILS(CL_INVALID_COMMAND_QUEUE,
          clEnqueueWriteBufferRect(NO_QUEUE, mem, CL_TRUE, none, none, region, 0, 0, 0, 0, &byte, 0, NULL, NULL));
    FAILS(CL_INVALID_COMMAND_QUEUE,
          clEnqueueCopyBufferRect(NO_QUEUE, mem, mem, none, region, region, 0, 0, 0, 0, 0, NULL, NULL));
    REFUSED(CL_INVALID_COMMAND_QUEUE,
            clEnqueueMapBuffer(NO_QUEUE, mem, CL_TRUE, CL_MAP_READ, 0, 1, 0, NULL, NULL, &err));
    FAILS(CL_INVALID_COMMAND_QUEUE, clEnqueueUnmapMemObject(NO_QUEUE, mem, &byte, 0, NULL, NULL));
    FAILS(CL_INVALID_COMMAND_QUEUE, clEnqueueMigrateMemObjects(NO_QUEUE, 1, &mem, 0, 0, NULL, NULL));
    FAILS(CL_INVALID_COMMAND_QUEUE, clEnqueueNDRangeKernel(NO_QUEUE, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    FAILS(CL_INVALID_COMMAND_QUEUE, clEnqueueTask(NO_QUEUE, kernel, 0, NULL, NULL));
    FAILS(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMFree(NO_QUEUE, 0, NULL, NULL, NULL, 0, NULL, NULL));
}

static void test_buffers(void **state)
{
    (void)state;
    size_t none[3] = {0}, region[3] = {1, 1, 1};
    cl_buffer_region part = {0, 1};
    cl_mem wrong = NO_MEM;
    cl_int err;
    char byte = 0;
    FAILS(CL_INVALID_MEM_OBJECT, clRetainMemObject(NO_MEM));
    FAILS(CL_INVALID_MEM_OBJECT, clReleaseMemObject(NO_MEM));
    FAILS(CL_INVALID_MEM_OBJECT, clGetMemObjectInfo(NO_MEM, CL_MEM_SIZE, 0, NULL, NULL));
    FAILS(CL_INVALID_MEM_OBJECT, clSetMemObjectDestructorCallback(NO_MEM, NULL, NULL));
    REFUSED(CL_INVALID_MEM_OBJECT, clCreateSubBuffer(NO_MEM, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &err));
    FAILS(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 0, sizeof wrong, &wrong));
    FAILS(CL_INVALID_MEM_OBJECT, clEnqueueReadBuffer(queue, NO_MEM, CL_TRUE, 0, 1, &byte, 0, NULL, NULL));
    FAILS(CL_INVALID_MEM_OBJECT, clEnqueueWriteBuffer(queue, NO_MEM, CL_TRUE, 0, 1, &byte, 0, NULL, NULL));
    FAILS(CL_INVALID_MEM_OBJECT, clEnqueueCopyBuffer(queue, NO_MEM, mem, 0, 2, 1, 0, NULL, NULL));
    FAILS(CL_INVALID_MEM_OBJECT, clEnqueueCopyBuffer(queue, mem, NO_MEM, 0, 2, 1, 0, NULL, NULL));
    FAILS(CL_INVALID_MEM_OBJECT, clEnqueueFillBuffer(queue, NO_MEM, &byte, 1, 0, 1, 0, NULL, NULL));
    FAILS(CL_INVALID_MEM_OBJECT,
          clEnqueueReadBufferRect(queue, NO_MEM, CL_TRUE, none, none, region, 0, 0, 0, 0, &byte, 0, NULL, NULL));
    FAILS(CL_INVALID_MEM_OBJECT,
          clEnqueueWriteBufferRect(queue, NO_MEM, CL_TRUE, none, none, region, 0, 0, 0, 0, &byte, 0, NULL, NULL));
    FAILS(CL_INVALID_MEM_OBJECT,
          clEnqueueCopyBufferRect(queue, NO_MEM, mem, none, region, region, 0, 0, 0, 0, 0, NULL, NULL));
    FAILS(CL_INVALID_MEM_OBJECT,
          clEnqueueCopyBufferRect(queue, mem, NO_MEM, none, region, region, 0, 0, 0, 0, 0, NULL, NULL));
    REFUSED(CL_INVALID_MEM_OBJECT, clEnqueueMapBuffer(queue, NO_MEM, CL_TRUE, CL_MAP_READ, 0, 1, 0, NULL, NULL, &err));
    FAILS(CL_INVALID_MEM_OBJECT, clEnqueueUnmapMemObject(queue, NO_MEM, &byte, 0, NULL, NULL));
    FAILS(CL_INVALID_MEM_OBJECT, clEnqueueMigrateMemObjects(queue, 1, &wrong, 0, 0, NULL, NULL));
}

static void test_images(void **state)
{
    (void)state;
    const size_t at[3] = {0}, one[3] = {1, 1, 1};
    const cl_uint color[4] = {0};
    size_t row, slice;
    cl_int err;
    char bytes[16] = {0};
    cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 1, .mem_object = NO_MEM};
    const cl_image_format f = {CL_R, CL_UNSIGNED_INT8};
    REFUSED(CL_INVALID_MEM_OBJECT, clCreateImage(context, 0, &f, &d, NULL, &err));
    d = (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 1};
    cl_mem image = clCreateImage(context, 0, &f, &d, NULL, &err);
    OK(err);
    FAILS(CL_INVALID_MEM_OBJECT, clGetImageInfo(NO_MEM, CL_IMAGE_WIDTH, 0, NULL, NULL));
    const cl_command_queue queues[] = {NO_QUEUE, queue};
    for (int i = 0; i < 2; i++) { /* a wrong queue, then a wrong object; of the copies each of the two */
        const cl_int error = i ? CL_INVALID_MEM_OBJECT : CL_INVALID_COMMAND_QUEUE;
        const cl_command_queue q = queues[i];
        const cl_mem wrong = i ? NO_MEM : image;
        FAILS(error, clEnqueueReadImage(q, wrong, CL_TRUE, at, one, 0, 0, bytes, 0, NULL, NULL));
        FAILS(error, clEnqueueWriteImage(q, wrong, CL_TRUE, at, one, 0, 0, bytes, 0, NULL, NULL));
        FAILS(error, clEnqueueCopyImage(q, wrong, image, at, at, one, 0, NULL, NULL));
        FAILS(error, clEnqueueCopyImage(q, image, wrong, at, at, one, 0, NULL, NULL));
        FAILS(error, clEnqueueCopyImageToBuffer(q, wrong, mem, at, one, 0, 0, NULL, NULL));
        FAILS(error, clEnqueueCopyImageToBuffer(q, image, i ? NO_MEM : mem, at, one, 0, 0, NULL, NULL));
        FAILS(error, clEnqueueCopyBufferToImage(q, mem, wrong, 0, at, one, 0, NULL, NULL));
        FAILS(error, clEnqueueCopyBufferToImage(q, i ? NO_MEM : mem, image, 0, at, one, 0, NULL, NULL));
        FAILS(error, clEnqueueFillImage(q, wrong, color, at, one, 0, NULL, NULL));
        REFUSED(error, clEnqueueMapImage(q, wrong, CL_TRUE, CL_MAP_READ, at, one, &row, &slice, 0, NULL, NULL, &err));
    }
    OK(clReleaseMemObject(image));
}

static void test_programs(void **state)
{
    (void)state;
    cl_int err;
    cl_uint n;
    cl_program wrong = NO_PROGRAM;
    const char *name = "h";
    FAILS(CL_INVALID_PROGRAM, clRetainProgram(NO_PROGRAM));
    FAILS(CL_INVALID_PROGRAM, clReleaseProgram(NO_PROGRAM));
    FAILS(CL_INVALID_PROGRAM, clGetProgramInfo(NO_PROGRAM, CL_PROGRAM_SOURCE, 0, NULL, NULL));
    FAILS(CL_INVALID_PROGRAM, clGetProgramBuildInfo(NO_PROGRAM, device, CL_PROGRAM_BUILD_LOG, 0, NULL, NULL));
    FAILS(CL_INVALID_PROGRAM, clBuildProgram(NO_PROGRAM, 0, NULL, "", NULL, NULL));
    FAILS(CL_INVALID_PROGRAM, clCompileProgram(NO_PROGRAM, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    FAILS(CL_INVALID_PROGRAM, clCompileProgram(program, 0, NULL, "", 1, &wrong, &name, NULL, NULL));
    REFUSED(CL_INVALID_PROGRAM, clLinkProgram(context, 0, NULL, "", 1, &wrong, NULL, NULL, &err));
    REFUSED(CL_INVALID_PROGRAM, clCreateKernel(NO_PROGRAM, "k", &err));
    FAILS(CL_INVALID_PROGRAM, clCreateKernelsInProgram(NO_PROGRAM, 0, NULL, &n));
    FAILS(CL_INVALID_PROGRAM, clSetProgramSpecializationConstant(NO_PROGRAM, 0, 4, &n));
    FAILS(CL_INVALID_PROGRAM, clSetProgramReleaseCallback(NO_PROGRAM, NULL, NULL));
}

/* Data for a callback that is not there. */
static void test_no_callback(void **state)
{
    (void)state;
    cl_int err;
    int data = 0;
    FAILS(CL_INVALID_VALUE, clBuildProgram(program, 0, NULL, "", NULL, &data));
    FAILS(CL_INVALID_VALUE, clCompileProgram(program, 0, NULL, "", 0, NULL, NULL, NULL, &data));
    REFUSED(CL_INVALID_VALUE, clLinkProgram(context, 0, NULL, "", 1, &program, NULL, &data, &err));
    REFUSED(CL_INVALID_VALUE, clCreateContext(NULL, 1, &device, NULL, &data, &err));
}

static void test_kernels(void **state)
{
    (void)state;
    cl_int err;
    size_t one = 1;
    FAILS(CL_INVALID_KERNEL, clRetainKernel(NO_KERNEL));
    FAILS(CL_INVALID_KERNEL, clReleaseKernel(NO_KERNEL));
    REFUSED(CL_INVALID_KERNEL, clCloneKernel(NO_KERNEL, &err));
    FAILS(CL_INVALID_KERNEL, clSetKernelArg(NO_KERNEL, 0, sizeof mem, &mem));
    FAILS(CL_INVALID_KERNEL, clGetKernelInfo(NO_KERNEL, CL_KERNEL_NUM_ARGS, 0, NULL, NULL));
    FAILS(CL_INVALID_KERNEL, clGetKernelArgInfo(NO_KERNEL, 0, CL_KERNEL_ARG_NAME, 0, NULL, NULL));
    FAILS(CL_INVALID_KERNEL, clGetKernelWorkGroupInfo(NO_KERNEL, device, CL_KERNEL_WORK_GROUP_SIZE, 0, NULL, NULL));
    FAILS(CL_INVALID_KERNEL, clEnqueueNDRangeKernel(queue, NO_KERNEL, 1, NULL, &one, NULL, 0, NULL, NULL));
    FAILS(CL_INVALID_KERNEL, clEnqueueTask(queue, NO_KERNEL, 0, NULL, NULL));
    FAILS(CL_INVALID_KERNEL, clSetKernelArgSVMPointer(NO_KERNEL, 0, NULL));
    FAILS(CL_INVALID_KERNEL, clSetKernelExecInfo(NO_KERNEL, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, NULL));
}

static void test_events(void **state)
{
    (void)state;
    cl_event wrong = NO_EVENT;
    cl_event list[2] = {event, NO_EVENT};
    FAILS(CL_INVALID_EVENT, clRetainEvent(NO_EVENT));
    FAILS(CL_INVALID_EVENT, clReleaseEvent(NO_EVENT));
    FAILS(CL_INVALID_EVENT, clGetEventInfo(NO_EVENT, CL_EVENT_COMMAND_TYPE, 0, NULL, NULL));
    FAILS(CL_INVALID_EVENT, clGetEventProfilingInfo(NO_EVENT, CL_PROFILING_COMMAND_END, 0, NULL, NULL));
    FAILS(CL_INVALID_EVENT, clSetEventCallback(NO_EVENT, CL_COMPLETE, NULL, NULL));
    FAILS(CL_INVALID_EVENT, clSetUserEventStatus(NO_EVENT, CL_COMPLETE));
    FAILS(CL_INVALID_EVENT, clWaitForEvents(1, &wrong));
    FAILS(CL_INVALID_EVENT, clEnqueueWaitForEvents(queue, 1, &wrong));
    FAILS(CL_INVALID_EVENT_WAIT_LIST, clEnqueueMarkerWithWaitList(queue, 2, list, NULL));
    FAILS(CL_INVALID_EVENT_WAIT_LIST, clEnqueueBarrierWithWaitList(queue, 2, list, NULL));
}

static int setup(void **state)
{
    cl_int err;
    if (check_setup(state)) return -1;
    program = program_build("kernel void k(global int *a) {}", "");
    kernel = clCreateKernel(program, "k", &err);
    mem = buffer_new(0, 16, NULL);
    event = clCreateUserEvent(context, &err);
    return kernel && mem && event ? 0 : -1;
}

static int teardown(void **state)
{
    clSetUserEventStatus(event, CL_COMPLETE);
    clReleaseEvent(event);
    clReleaseMemObject(mem);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    return check_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contexts), cmocka_unit_test(test_devices), cmocka_unit_test(test_queues),
        cmocka_unit_test(test_buffers),  cmocka_unit_test(test_images),  cmocka_unit_test(test_programs),
        cmocka_unit_test(test_kernels),  cmocka_unit_test(test_events),  cmocka_unit_test(test_no_callback),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
