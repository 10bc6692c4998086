/* Histogram: every work-group counts into local memory with atomics, then adds its counts to the
 * result in global memory. */
#include <stdlib.h>
#include <string.h>

#include "common.h"

enum { BINS = 64, GROUP = 128, GROUPS = 8 };

static const char source[] = "#define BINS 64\n"
                             "kernel void histogram(global const uchar *data, uint n, volatile global uint *result)\n"
                             "{\n"
                             "    volatile local uint bins[BINS];\n"
                             "    for (uint i = get_local_id(0); i < BINS; i += get_local_size(0))\n"
                             "        bins[i] = 0;\n"
                             "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "    for (uint i = get_global_id(0); i < n; i += get_global_size(0))\n"
                             "        atomic_inc(&bins[data[i] / 4]);\n"
                             "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "    for (uint i = get_local_id(0); i < BINS; i += get_local_size(0))\n"
                             "        atomic_add(&result[i], bins[i]);\n"
                             "}\n";

int main(int argc, char **argv)
{
    struct session s;
    session_open(&s, argc, argv, "counts N x 1024 bytes into 64 bins", 256);
    cl_uint n = s.size * 1024 + 77, expected[BINS] = {0}, result[BINS] = {0};
    uint8_t *data = need(malloc(n));
    uint32_t seed = 3;
    for (cl_uint i = 0; i < n; i++) {
        uint32_t a = next_random(&seed), b = next_random(&seed);
        data[i] = (uint8_t)((a & b) >> (i % 3));
        expected[data[i] / 4]++;
    }
    session_build(&s, source);
    cl_kernel kernel = session_kernel(&s, "histogram");
    cl_mem input = session_buffer(&s, CL_MEM_READ_ONLY, n, data);
    cl_mem output = session_buffer(&s, CL_MEM_READ_WRITE, sizeof result, result);
    SET_ARG(kernel, 0, input);
    SET_ARG(kernel, 1, n);
    SET_ARG(kernel, 2, output);
    size_t global = GROUP * GROUPS, local = GROUP;
    session_run(&s, kernel, "histogram", 1, &global, &local);
    session_read(&s, output, sizeof result, result);

    bool ok = true; /* measured runs add up: 1 + samples times the counts */
    for (int i = 0; i < BINS; i++) ok &= result[i] == expected[i] * (1 + s.samples);
    clReleaseMemObject(input);
    clReleaseMemObject(output);
    clReleaseKernel(kernel);
    free(data);
    return session_close(&s, ok, "counts compared with the host");
}
