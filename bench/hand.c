/* Some of the workloads as one would write them for this processor, in its own vectors and on one thread: what a device
 * that compiles the kernels as they are could reach. Sizes are multiples of 64, as the table's are. See workload.h. */
#include "workload.h"

/* Wider vectors than the processor's are taken apart in memory by gcc. */
#ifdef __AVX512F__
enum { WIDTH = 16 };
#elif defined __AVX__
enum { WIDTH = 8 };
#else
enum { WIDTH = 4 };
#endif
enum { PIECE = 64 / WIDTH /* vectors of a row's piece */ };

/* In memory they lie as arrays of floats and numbers do. */
typedef float floats __attribute__((vector_size(4 * WIDTH), aligned(4), may_alias));
typedef int32_t numbers __attribute__((vector_size(4 * WIDTH), aligned(4), may_alias));

void saxpy_hand(void **at, size_t n)
{
    const float factor = *(const float *)at[0];
    const floats *x = at[1];
    floats *y = at[2];
    for (size_t i = 0; i < n / WIDTH; i++) y[i] += factor * x[i];
}

/* A row's piece of c stays in registers while k runs: the kernel's loop, for 64 neighbours at once. Blocks of several
 * rows would be another algorithm, and faster. */
static void sgemm_piece(const float *a, const float *b, float *c, size_t n)
{
    floats sums[PIECE] = {0};
    for (size_t k = 0; k < n; k++)
        for (unsigned x = 0; x < PIECE; x++) sums[x] += a[k] * ((const floats *)(b + k * n))[x];
    for (unsigned x = 0; x < PIECE; x++) ((floats *)c)[x] = sums[x];
}

void sgemm_hand(void **at, size_t n)
{
    const float *a = at[0], *b = at[1];
    float *c = at[2];
    for (size_t x = 0; x < n; x += PIECE * WIDTH)
        for (size_t y = 0; y < n; y++) sgemm_piece(a + y * n, b + x, c + y * n + x, n);
}

static bool any(numbers mask)
{
    int32_t some = 0;
    for (unsigned i = 0; i < WIDTH; i++) some |= mask[i];
    return some;
}

/* The steps of WIDTH points; whether all have left is looked at after every eighth. */
static numbers escape(floats cr, floats ci)
{
    floats zr = {0}, zi = {0};
    numbers steps = {0};
    for (unsigned step = 0; step < 256; step += 8) {
        numbers inside = {0};
        for (unsigned k = 0; k < 8; k++) {
            floats next = zr * zr - zi * zi + cr;
            inside = zr * zr + zi * zi < 4;
            steps -= inside;
            zi = 2 * zr * zi + ci;
            zr = next;
        }
        if (!any(inside)) break;
    }
    return steps;
}

void mandelbrot_hand(void **at, size_t n)
{
    numbers *steps = at[0];
    floats lanes;
    for (unsigned i = 0; i < WIDTH; i++) lanes[i] = (float)i;
    for (size_t i = 0; i < n * n; i += WIDTH) {
        size_t row = i / n;
        floats cr = 3.0f * (lanes + (float)(i % n)) / (float)n - 2.2f;
        floats ci = (floats){0} + 3.0f * (float)row / (float)n - 1.5f;
        steps[i / WIDTH] = escape(cr, ci);
    }
}
