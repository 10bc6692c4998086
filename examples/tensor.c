/* Matrix multiplication on the tensor unit: a warp multiplies tiles of 16 x 16 half-precision numbers with one
 * instruction, through <ventus.h>, and so computes 32 x 32 elements of the product. For comparison a kernel of plain
 * OpenCL C, one element a work-item, does the same; on other devices it is alone. */
#include <stdio.h>
#include <stdlib.h>

#include "common.h"

enum { BLOCK = 32 };

static const char source[] =
    "kernel void plain(global const float *a, global const float *b, global float *c, uint n)\n"
    "{\n"
    "    uint x = get_global_id(0), y = get_global_id(1);\n"
    "    float sum = 0;\n"
    "    for (uint k = 0; k < n; k++) sum += a[y * n + k] * b[x * n + k];\n"
    "    c[y * n + x] = sum;\n"
    "}\n"
    "#if cl_ventus_matrix\n"
    "#include <ventus.h>\n"
    "/* Word i of a tile of 16 rows with 8 words each is component i / 32 of lane i % 32; the lane's first is at p. "
    "*/\n"
    "uint4 load(global const uint *p, uint words)\n"
    "{\n"
    "    return (uint4)(p[0], p[4 * words], p[8 * words], p[12 * words]);\n"
    "}\n"
    "void store(global float *p, uint n, float8 c)\n"
    "{\n"
    "    for (int i = 0; i < 8; i++) p[2 * i * n] = ((float *)&c)[i];\n"
    "}\n"
    "/* Rows of a and columns of b lie along k, two numbers a word. */\n"
    "kernel __attribute__((reqd_work_group_size(32, 1, 1)))\n"
    "void tensor(global const uint *a, global const uint *b, global float *c, uint n)\n"
    "{\n"
    "    uint lane = get_local_id(0), y = get_group_id(1) * 32, x = get_group_id(0) * 32, words = n / 2;\n"
    "    float8 c00 = 0, c01 = 0, c10 = 0, c11 = 0;\n"
    "    a += (y + lane / 8) * words + lane % 8;\n"
    "    b += (x + lane / 8) * words + lane % 8;\n"
    "    for (uint k = 0; k < n; k += 16, a += 8, b += 8) {\n"
    "        uint4 a0 = load(a, words), a1 = load(a + 16 * words, words);\n"
    "        uint4 b0 = load(b, words), b1 = load(b + 16 * words, words);\n"
    "        c00 = ventus_mma_m16n16k16_row_row_f32_f16(a0, b0, c00);\n"
    "        c01 = ventus_mma_m16n16k16_row_row_f32_f16(a0, b1, c01);\n"
    "        c10 = ventus_mma_m16n16k16_row_row_f32_f16(a1, b0, c10);\n"
    "        c11 = ventus_mma_m16n16k16_row_row_f32_f16(a1, b1, c11);\n"
    "    }\n"
    "    c += (y + lane / 16) * n + x + lane % 16;\n"
    "    store(c, n, c00);\n"
    "    store(c + 16, n, c01);\n"
    "    store(c + 16 * n, n, c10);\n"
    "    store(c + 16 * n + 16, n, c11);\n"
    "}\n"
    "#endif\n";

/* The matrix in both forms that the kernels take. */
struct matrix {
    float *numbers;
    uint16_t *halves;
};

/* Numbers whose products and sums are exact, so that all ways to add them up give the same. */
static struct matrix random_matrix(size_t n, uint32_t *seed)
{
    static const struct {
        float number;
        uint16_t half;
    } values[] = {{0, 0}, {0.5f, 0x3800}, {1, 0x3c00}, {1.5f, 0x3e00}, {2, 0x4000}, {-1, 0xbc00}, {-3, 0xc200}};
    struct matrix m = {need(malloc(n * n * sizeof *m.numbers)), need(malloc(n * n * sizeof *m.halves))};
    for (size_t i = 0; i < n * n; i++) {
        uint32_t k = next_random(seed) % (sizeof values / sizeof *values);
        m.numbers[i] = values[k].number;
        m.halves[i] = values[k].half;
    }
    return m;
}

static bool correct(const float *a, const float *b, const float *c, size_t n)
{
    for (size_t y = 0; y < n; y++)
        for (size_t x = 0; x < n; x++) {
            float sum = 0;
            for (size_t k = 0; k < n; k++) sum += a[y * n + k] * b[x * n + k];
            if (sum != c[y * n + x]) return false;
        }
    return true;
}

/* Runs a kernel on its form of the matrices; the warp instructions it took. */
static uint64_t multiply(struct session *s, const char *name, const void *a, const void *b, size_t bytes, float *c,
                         const size_t *global, const size_t *local)
{
    cl_uint n = s->size;
    cl_kernel kernel = session_kernel(s, name);
    cl_mem da = session_buffer(s, CL_MEM_READ_ONLY, bytes, a), db = session_buffer(s, CL_MEM_READ_ONLY, bytes, b);
    cl_mem dc = session_buffer(s, CL_MEM_WRITE_ONLY, n * n * sizeof *c, NULL);
    uint64_t before = s->instructions;
    SET_ARG(kernel, 0, da);
    SET_ARG(kernel, 1, db);
    SET_ARG(kernel, 2, dc);
    SET_ARG(kernel, 3, n);
    session_run(s, kernel, name, 2, global, local);
    session_read(s, dc, n * n * sizeof *c, c);
    clReleaseMemObject(da);
    clReleaseMemObject(db);
    clReleaseMemObject(dc);
    clReleaseKernel(kernel);
    return s->instructions - before;
}

static bool has_kernel(const struct session *s, const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(s->program, name, &error);
    if (kernel) clReleaseKernel(kernel);
    return kernel != NULL;
}

int main(int argc, char **argv)
{
    struct session s;
    session_open(&s, argc, argv, "multiplies two N x N matrices on the tensor unit, N rounded up to 32", 128);
    size_t n = s.size = (s.size + BLOCK - 1) / BLOCK * BLOCK;
    uint32_t seed = 1;
    struct matrix a = random_matrix(n, &seed), b = random_matrix(n, &seed);
    float *c = need(malloc(n * n * sizeof *c));
    session_build(&s, source);
    uint64_t plain =
        multiply(&s, "plain", a.numbers, b.numbers, n * n * sizeof(float), c, (size_t[]){n, n}, (size_t[]){BLOCK, 1});
    bool ok = correct(a.numbers, b.numbers, c, n);
    if (has_kernel(&s, "tensor")) {
        uint64_t tensor = multiply(&s, "tensor", a.halves, b.halves, n * n * sizeof(uint16_t), c,
                                   (size_t[]){n, n / BLOCK}, (size_t[]){BLOCK, 1});
        ok = ok && correct(a.numbers, b.numbers, c, n);
        if (s.counted)
            printf("warp instructions: plain %llu, tensor %llu, 1/%.1f\n", (unsigned long long)plain,
                   (unsigned long long)tensor, (double)plain / (double)tensor);
    }
    free(a.numbers);
    free(a.halves);
    free(b.numbers);
    free(b.halves);
    free(c);
    return session_close(&s, ok, "products compared with the host");
}
