/* Vector addition: the smallest complete OpenCL program. */
#include <stdlib.h>

#include "common.h"

static const char source[] = "kernel void vecadd(global const float *a, global const float *b, global float *c)\n"
                             "{\n"
                             "    size_t i = get_global_id(0);\n"
                             "    c[i] = a[i] + b[i];\n"
                             "}\n";

int main(int argc, char **argv)
{
    struct session s;
    session_open(&s, argc, argv, "adds two vectors of N x 1024 floats", 256);
    size_t n = (size_t)s.size * 1024, bytes = n * sizeof(float);
    float *a = need(malloc(bytes)), *b = need(malloc(bytes)), *c = need(malloc(bytes));
    for (size_t i = 0; i < n; i++) {
        a[i] = (float)i * 0.5f;
        b[i] = (float)(n - i) * 0.25f;
    }
    session_build(&s, source);
    cl_kernel kernel = session_kernel(&s, "vecadd");
    cl_mem da = session_buffer(&s, CL_MEM_READ_ONLY, bytes, a);
    cl_mem db = session_buffer(&s, CL_MEM_READ_ONLY, bytes, b);
    cl_mem dc = session_buffer(&s, CL_MEM_WRITE_ONLY, bytes, NULL);
    SET_ARG(kernel, 0, da);
    SET_ARG(kernel, 1, db);
    SET_ARG(kernel, 2, dc);
    session_run(&s, kernel, "vecadd", 1, &n, NULL);
    session_read(&s, dc, bytes, c);

    bool ok = true;
    for (size_t i = 0; i < n; i++) ok &= c[i] == a[i] + b[i];
    clReleaseMemObject(da);
    clReleaseMemObject(db);
    clReleaseMemObject(dc);
    clReleaseKernel(kernel);
    free(a);
    free(b);
    free(c);
    return session_close(&s, ok, "sums compared with the host");
}
