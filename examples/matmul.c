/* Matrix multiplication in tiles: each work-group copies one tile of A and of B into local memory,
 * meets at a barrier, and multiplies from there. Sizes that are no multiple of the tile are padded
 * with zeros inside the kernel. */
#include <math.h>
#include <stdlib.h>

#include "common.h"

enum { TILE = 16 };

static const char source[] = "#define TILE 16\n"
                             "kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))\n"
                             "void matmul(global const float *a, global const float *b, global float *c, int n)\n"
                             "{\n"
                             "    local float ta[TILE][TILE], tb[TILE][TILE];\n"
                             "    int x = get_global_id(0), y = get_global_id(1);\n"
                             "    int lx = get_local_id(0), ly = get_local_id(1);\n"
                             "    float sum = 0;\n"
                             "    for (int t = 0; t < n; t += TILE) {\n"
                             "        ta[ly][lx] = y < n && t + lx < n ? a[y * n + t + lx] : 0;\n"
                             "        tb[ly][lx] = x < n && t + ly < n ? b[(t + ly) * n + x] : 0;\n"
                             "        barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "        for (int k = 0; k < TILE; k++)\n"
                             "            sum += ta[ly][k] * tb[k][lx];\n"
                             "        barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "    }\n"
                             "    if (x < n && y < n)\n"
                             "        c[y * n + x] = sum;\n"
                             "}\n";

static bool correct(const float *a, const float *b, const float *c, size_t n)
{
    for (size_t y = 0; y < n; y++)
        for (size_t x = 0; x < n; x++) {
            double sum = 0, scale = 0;
            for (size_t k = 0; k < n; k++) {
                double product = (double)a[y * n + k] * b[k * n + x];
                sum += product;
                scale += fabs(product);
            }
            if (!(fabs(sum - c[y * n + x]) <= 1e-6 * scale * sqrt((double)n))) return false;
        }
    return true;
}

int main(int argc, char **argv)
{
    struct session s;
    session_open(&s, argc, argv, "multiplies two N x N matrices in tiles of 16 x 16", 200);
    size_t n = s.size, bytes = n * n * sizeof(float);
    float *a = need(malloc(bytes)), *b = need(malloc(bytes)), *c = need(malloc(bytes));
    uint32_t seed = 1;
    for (size_t i = 0; i < n * n; i++) {
        a[i] = (float)(next_random(&seed) % 1000) / 500.0f - 1;
        b[i] = (float)(next_random(&seed) % 1000) / 500.0f - 1;
    }
    session_build(&s, source);
    cl_kernel kernel = session_kernel(&s, "matmul");
    cl_mem da = session_buffer(&s, CL_MEM_READ_ONLY, bytes, a);
    cl_mem db = session_buffer(&s, CL_MEM_READ_ONLY, bytes, b);
    cl_mem dc = session_buffer(&s, CL_MEM_WRITE_ONLY, bytes, NULL);
    cl_int width = (cl_int)n;
    SET_ARG(kernel, 0, da);
    SET_ARG(kernel, 1, db);
    SET_ARG(kernel, 2, dc);
    SET_ARG(kernel, 3, width);
    size_t padded = (n + TILE - 1) / TILE * TILE, global[2] = {padded, padded}, local[2] = {TILE, TILE};
    session_run(&s, kernel, "matmul", 2, global, local);
    session_read(&s, dc, bytes, c);

    bool ok = correct(a, b, c, n);
    clReleaseMemObject(da);
    clReleaseMemObject(db);
    clReleaseMemObject(dc);
    clReleaseKernel(kernel);
    free(a);
    free(b);
    free(c);
    return session_close(&s, ok, "product compared with the host");
}
