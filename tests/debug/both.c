/* A host program for a session with two inferiors: two launches, whose results it adds up. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static const char source[] = "kernel void twice(global int *a, int n)\n"
                             "{\n"
                             "    int i = get_global_id(0);\n"
                             "    int b = a[i];\n"
                             "    a[i] = b * n;\n"
                             "}\n";

int main(int argc, char **argv)
{
    const char *text = source;
    int values[64], sum = 0, n = 2;
    const size_t items = 64, group = argc > 1 ? (size_t)atoi(argv[1]) : 32;
    cl_platform_id platform;
    cl_device_id device;
    if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return 1;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    if (clBuildProgram(program, 0, NULL, "", NULL, NULL)) return 2;
    cl_kernel kernel = clCreateKernel(program, "twice", NULL);
    for (int i = 0; i < 64; i++) values[i] = i;
    cl_mem a = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof values, values, NULL);
    for (int launch = 0; launch < 2; launch++, n++) {
        clSetKernelArg(kernel, 0, sizeof a, &a);
        clSetKernelArg(kernel, 1, sizeof n, &n);
        if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL)) return 3; /* launch */
        clFinish(queue);
    }
    if (clEnqueueReadBuffer(queue, a, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL)) return 4;
    for (int i = 0; i < 64; i++) sum += values[i];
    printf("sum %d\n", sum); /* sum */
    clReleaseMemObject(a);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
