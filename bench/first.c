/* How long it takes until a program's first kernel has run, on any OpenCL device.
 *
 *   first [--options TEXT] FILE KERNEL
 *
 * Builds FILE, launches one work-group of KERNEL and prints one line: the kernels of the program, KiB of its binary,
 * then milliseconds of the build, and of the build and the launch, by the clock and in processor time, a compiler's
 * processes included. All arguments are zeros (buffers, images and numbers), so that a kernel finds nothing to do, or
 * little: what counts is what was compiled for it. Called by bench/build. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "examples/common.h"

enum { BUFFER_BYTES = 1 << 20, LOCAL_BYTES = 1 << 12, IMAGE_SIDE = 16, VALUE_BYTES = 512, SIDE = 8 };

/* Milliseconds. */
struct moment {
    double wall, processor;
};

static double seconds_of(int who)
{
    struct rusage usage;
    getrusage(who, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static struct moment moment_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (struct moment){1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec,
                           1e3 * (seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN))};
}

/* ---- arguments ---- */

static void set_buffer(struct session *s, cl_kernel kernel, cl_uint index)
{
    void *zeros = need(calloc(1, BUFFER_BYTES));
    cl_mem buffer = session_buffer(s, CL_MEM_READ_WRITE, BUFFER_BYTES, zeros);
    SET_ARG(kernel, index, buffer);
    free(zeros);
}

static void set_image(struct session *s, cl_kernel kernel, cl_uint index)
{
    static float zeros[IMAGE_SIDE * IMAGE_SIDE * 4];
    cl_image_format format = {CL_RGBA, CL_FLOAT};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = IMAGE_SIDE, .image_height = IMAGE_SIDE};
    cl_int error;
    cl_mem image = clCreateImage(s->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &format, &desc, zeros, &error);
    check_cl(error, "creating an image");
    SET_ARG(kernel, index, image);
}

static void set_sampler(struct session *s, cl_kernel kernel, cl_uint index)
{
    cl_int error;
    cl_sampler sampler = clCreateSampler(s->context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &error);
    check_cl(error, "creating a sampler");
    SET_ARG(kernel, index, sampler);
}

/* A number or a structure. OpenCL does not say of how many bytes, but refuses the wrong size; pocl takes some that are
 * wrong, so the largest come first. */
static void set_value(cl_kernel kernel, cl_uint index)
{
    static const char zeros[VALUE_BYTES];
    for (size_t size = sizeof zeros; size; size--)
        if (!clSetKernelArg(kernel, index, size, zeros)) return;
    fail("argument %u takes no zeros", index);
}

static void set_argument(struct session *s, cl_kernel kernel, cl_uint index)
{
    cl_kernel_arg_address_qualifier space;
    char type[256] = "";
    check_cl(clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL),
             "asking for an argument's address space");
    check_cl(clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL),
             "asking for an argument's type");
    if (!strcmp(type, "image2d_t")) set_image(s, kernel, index);
    else if (!strcmp(type, "sampler_t")) set_sampler(s, kernel, index);
    else if (space == CL_KERNEL_ARG_ADDRESS_LOCAL) set_arg(kernel, index, LOCAL_BYTES, NULL);
    else if (space == CL_KERNEL_ARG_ADDRESS_PRIVATE) set_value(kernel, index);
    else set_buffer(s, kernel, index);
}

static void set_arguments(struct session *s, cl_kernel kernel)
{
    cl_uint count;
    check_cl(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL), "asking for the arguments");
    for (cl_uint i = 0; i < count; i++) set_argument(s, kernel, i);
}

/* ---- the launch ---- */

/* One work-group, of the size that the kernel wants, or else of one that stays in the local memory of kernels for one
 * and for two dimensions. */
static void launch(const struct session *s, cl_kernel kernel)
{
    size_t group[3];
    check_cl(clGetKernelWorkGroupInfo(kernel, s->device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof group, group, NULL),
             "asking for the size of a work-group");
    if (!group[0]) group[0] = group[1] = SIDE, group[2] = 1;
    check_cl(clEnqueueNDRangeKernel(s->queue, kernel, 3, NULL, group, group, 0, NULL, NULL), "launching the kernel");
    check_cl(clFinish(s->queue), "running the kernel");
}

static size_t binary_bytes(const struct session *s)
{
    size_t bytes;
    check_cl(clGetProgramInfo(s->program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL),
             "asking for the binary");
    return bytes;
}

static size_t kernels_of(const struct session *s)
{
    size_t count;
    check_cl(clGetProgramInfo(s->program, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL), "counting kernels");
    return count;
}

static void measure(struct session *s, const char *file, const char *name)
{
    struct moment start = moment_now();
    session_build_file(s, file);
    struct moment built = moment_now();
    cl_kernel kernel = session_kernel(s, name);
    set_arguments(s, kernel);
    struct moment ready = moment_now();
    launch(s, kernel);
    struct moment end = moment_now();
    clReleaseKernel(kernel);
    printf("%zu %.1f %.3f %.3f %.3f %.3f\n", kernels_of(s), (double)binary_bytes(s) / 1024, built.wall - start.wall,
           built.processor - start.processor, built.wall - start.wall + end.wall - ready.wall,
           built.processor - start.processor + end.processor - ready.processor);
}

int main(int argc, char **argv)
{
    struct session session = {.name = "first"};
    bool options = argc > 1 && !strcmp(argv[1], "--options");
    if (argc != (options ? 5 : 3)) fail("usage: first [--options TEXT] FILE KERNEL");
    if (options) session.build_options = argv[2];
    session_device(&session, NULL);
    measure(&session, argv[argc - 2], argv[argc - 1]);
    clReleaseProgram(session.program);
    clReleaseCommandQueue(session.queue);
    clReleaseContext(session.context);
    return 0;
}
