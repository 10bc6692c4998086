/* What workloads over matrices, grids and pictures must give; see workload.h. */
#include <stdlib.h>
#include <string.h>

#include "workload.h"

void sgemm_reference(void **at, size_t n)
{
    const float *a = at[0], *b = at[1];
    float *c = at[2];
    double *row = need(malloc(n * sizeof *row));
    for (size_t y = 0; y < n; y++) {
        memset(row, 0, n * sizeof *row);
        for (size_t k = 0; k < n; k++)
            for (size_t x = 0; x < n; x++) row[x] += (double)a[y * n + k] * b[k * n + x];
        for (size_t x = 0; x < n; x++) c[y * n + x] = (float)row[x];
    }
    free(row);
}

void transpose_reference(void **at, size_t n)
{
    const float *from = at[0];
    float *to = at[1];
    for (size_t y = 0; y < n; y++)
        for (size_t x = 0; x < n; x++) to[x * n + y] = from[y * n + x];
}

void spmv_reference(void **at, size_t n)
{
    const int32_t *starts = at[0], *columns = at[1];
    const float *values = at[2], *x = at[3];
    float *y = at[4];
    for (size_t row = 0; row < n; row++) {
        double sum = 0;
        for (int32_t k = starts[row]; k < starts[row + 1]; k++) sum += (double)values[k] * x[columns[k]];
        y[row] = (float)sum;
    }
}

static void jacobi_step(const float *from, float *to, size_t n)
{
    for (size_t y = 1; y + 1 < n; y++)
        for (size_t x = 1; x + 1 < n; x++) {
            const float *p = from + y * n + x;
            to[y * n + x] = 0.25f * (p[-1] + p[1] + *(p - n) + p[n]);
        }
}

void jacobi_reference(void **at, size_t n)
{
    memcpy(at[1], at[0], n * n * sizeof(float));
    for (unsigned step = 0; step < JACOBI_STEPS; step += 2) {
        jacobi_step(at[0], at[1], n);
        jacobi_step(at[1], at[0], n);
    }
}

void floyd_reference(void **at, size_t n)
{
    int32_t *distance = at[0];
    for (size_t via = 0; via < n; via++)
        for (size_t y = 0; y < n; y++)
            for (size_t x = 0; x < n; x++) {
                int32_t detour = distance[y * n + via] + distance[via * n + x];
                if (detour < distance[y * n + x]) distance[y * n + x] = detour;
            }
}

/* out = basis * (pixels - 128) * transposed basis, for each block of 8 x 8. */
void dct_reference(void **at, size_t n)
{
    const float *basis = at[0];
    const uint8_t *pixels = at[1];
    float *out = at[2];
    for (size_t i = 0; i < n * n; i++) {
        size_t x = i % n % 8, y = i / n % 8, corner = i - y * n - x;
        double sum = 0;
        for (size_t k = 0; k < 64; k++) {
            size_t row = k / 8, column = k % 8;
            int pixel = pixels[corner + row * n + column] - 128;
            sum += (double)basis[y * 8 + row] * basis[x * 8 + column] * pixel;
        }
        out[i] = (float)sum;
    }
}

static int32_t escape(float cr, float ci)
{
    float zr = 0, zi = 0;
    int32_t step = 0;
    for (; step < 256 && zr * zr + zi * zi < 4; step++) {
        float next = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = next;
    }
    return step;
}

void mandelbrot_reference(void **at, size_t n)
{
    int32_t *steps = at[0];
    for (size_t y = 0; y < n; y++)
        for (size_t x = 0; x < n; x++)
            steps[y * n + x] = escape(3.0f * (float)x / (float)n - 2.2f, 3.0f * (float)y / (float)n - 1.5f);
}

/* A filter of 3 x 3 pixels at one place; pixels beyond the border are as the border. */
static int filter(const uint8_t *in, long n, long x, long y, const int weights[9])
{
    int sum = 0;
    for (long k = 0; k < 9; k++) {
        long px = x + k % 3 - 1, py = y + k / 3 - 1;
        px = px < 0 ? 0 : px >= n ? n - 1 : px;
        py = py < 0 ? 0 : py >= n ? n - 1 : py;
        sum += weights[k] * in[py * n + px];
    }
    return sum;
}

void sobel_reference(void **at, size_t size)
{
    static const int across[9] = {-1, 0, 1, -2, 0, 2, -1, 0, 1}, down[9] = {-1, -2, -1, 0, 0, 0, 1, 2, 1};
    uint8_t *out = at[1];
    long n = (long)size;
    for (long y = 1; y < n - 1; y++)
        for (long x = 1; x < n - 1; x++) {
            int edge = abs(filter(at[0], n, x, y, across)) + abs(filter(at[0], n, x, y, down));
            out[y * n + x] = (uint8_t)(edge > 255 ? 255 : edge);
        }
}

void conv3x3_reference(void **at, size_t size)
{
    static const int weights[9] = {1, 2, 1, 2, 4, 2, 1, 2, 1};
    uint8_t *out = at[1];
    long n = (long)size;
    for (long i = 0; i < n * n; i++) out[i] = (uint8_t)((filter(at[0], n, i % n, i / n, weights) + 8) / 16);
}

/* The table's number so far to the left and up; 0 outside. */
static int neighbour(const int32_t *table, size_t n, size_t x, size_t y, size_t left, size_t up)
{
    return x >= left && y >= up ? table[(y - up) * n + x - left] : 0;
}

void align_reference(void **at, size_t n)
{
    const int32_t *letters = at[0];
    int32_t *table = at[1];
    for (size_t y = 0; y < n; y++)
        for (size_t x = 0; x < n; x++) {
            int pair = neighbour(table, n, x, y, 1, 1) + (letters[y * n + x] & 7) - 3;
            int above = neighbour(table, n, x, y, 0, 1) - 2, before = neighbour(table, n, x, y, 1, 0) - 2;
            int gap = above > before ? above : before;
            table[y * n + x] = pair > gap ? pair : gap;
        }
}
