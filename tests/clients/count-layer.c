// A layer of the OpenCL loader that counts launches, and appends a line with the number to the file $LAUNCHES when its
// process ends. For clients that compute on the host, without a word, when they do not like a device. Compiled by the
// clients that need it:
//
//     cc -shared -fPIC -o layer.so $CLIENTS/count-layer.c; LAUNCHES=$PWD/launches OPENCL_LAYERS=$PWD/layer.so program
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "layer.h"

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

static void set_functions(cl_icd_dispatch *ours) { ours->clEnqueueNDRangeKernel = enqueue_kernel; }
