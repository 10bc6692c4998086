/* A host program for a session with two inferiors: a kernel that fills its print buffer more than once. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

static const char source[] = "kernel void full(global int *a, int n)\n"
                             "{\n"
                             "    for (int i = 0; i < n; i++)\n"
                             "        printf(\"%60d\\n\", i);\n"
                             "    a[0] = n;\n"
                             "}\n";

int main(void)
{
    const char *text = source;
    const size_t one = 1;
    int value = 0, n = 200000;
    cl_platform_id platform;
    cl_device_id device;
    if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return 1;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    if (clBuildProgram(program, 0, NULL, "", NULL, NULL)) return 2;
    cl_kernel kernel = clCreateKernel(program, "full", NULL);
    cl_mem a = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof value, NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof a, &a);
    clSetKernelArg(kernel, 1, sizeof n, &n);
    if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL)) return 3;
    if (clEnqueueReadBuffer(queue, a, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL)) return 4;
    printf("value %d\n", value);
    clReleaseMemObject(a);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
