/* Initial contents of the workloads' arguments; see workload.h. */
#include <math.h>

#include "workload.h"

static float unit(uint32_t *seed) { return (float)next_random(seed) / (1 << 24); }

/* 0 to 1. */
void fill_floats(void *elements, size_t bytes, size_t n, uint32_t *seed)
{
    float *x = elements;
    (void)n;
    for (size_t i = 0; i < bytes / sizeof *x; i++) x[i] = unit(seed);
}

/* -1 to 1. */
void fill_symmetric(void *elements, size_t bytes, size_t n, uint32_t *seed)
{
    float *x = elements;
    (void)n;
    for (size_t i = 0; i < bytes / sizeof *x; i++) x[i] = 2 * unit(seed) - 1;
}

void fill_bits(void *elements, size_t bytes, size_t n, uint32_t *seed)
{
    uint8_t *x = elements;
    (void)n;
    for (size_t i = 0; i < bytes; i++) x[i] = (uint8_t)(next_random(seed) >> 8);
}

void fill_letters(void *elements, size_t bytes, size_t n, uint32_t *seed)
{
    char *x = elements;
    (void)n;
    for (size_t i = 0; i < bytes; i++) x[i] = "acgt"[next_random(seed) >> 22];
}

/* 0 to 63. */
void fill_small_ints(void *elements, size_t bytes, size_t n, uint32_t *seed)
{
    int32_t *x = elements;
    (void)n;
    for (size_t i = 0; i < bytes / sizeof *x; i++) x[i] = (int32_t)(next_random(seed) >> 18);
}

/* Any number below n. */
void fill_indices(void *elements, size_t bytes, size_t n, uint32_t *seed)
{
    int32_t *x = elements;
    for (size_t i = 0; i < bytes / sizeof *x; i++) x[i] = (int32_t)(next_random(seed) % n);
}

/* Lengths of ways between n places, 1 to 1000, and 0 from each to itself. */
void fill_distances(void *elements, size_t bytes, size_t n, uint32_t *seed)
{
    int32_t *x = elements;
    for (size_t i = 0; i < bytes / sizeof *x; i++) x[i] = i / n == i % n ? 0 : 1 + (int32_t)(next_random(seed) % 1000);
}

/* Where each row of a sparse matrix begins, or each node's neighbours: 0 to 15 elements a row, without order. */
void fill_starts(void *elements, size_t bytes, size_t n, uint32_t *seed)
{
    int32_t *starts = elements;
    (void)bytes;
    starts[0] = 0;
    for (size_t row = 0; row < n; row++) starts[row + 1] = starts[row] + (int32_t)(next_random(seed) >> 20);
}

/* Nodes without a depth, but for the first. */
void fill_unknown(void *elements, size_t bytes, size_t n, uint32_t *seed)
{
    int32_t *depths = elements;
    (void)n, (void)seed;
    for (size_t i = 0; i < bytes / sizeof *depths; i++) depths[i] = i == 0 ? 0 : -1;
}

/* Position or speed in three dimensions, -1 to 1, and a mass, 0 to 1. */
void fill_bodies(void *elements, size_t bytes, size_t n, uint32_t *seed)
{
    float *x = elements;
    (void)n;
    for (size_t i = 0; i < bytes / sizeof *x; i++) x[i] = i % 4 == 3 ? unit(seed) : 2 * unit(seed) - 1;
}

/* The cosine transform's matrix, 8 x 8. */
void fill_basis(void *elements, size_t bytes, size_t n, uint32_t *seed)
{
    const float pi = 3.14159265f;
    float *x = elements;
    (void)n, (void)seed;
    for (size_t i = 0; i < bytes / sizeof *x; i++) {
        size_t row = i / 8, column = i % 8;
        float scale = row == 0 ? sqrtf(1.0f / 8) : sqrtf(2.0f / 8);
        x[i] = scale * cosf((float)(2 * column + 1) * (float)row * pi / 16);
    }
}

/* What SHA-256 begins with: the first 32 bits behind the point of the square roots of the first eight primes. */
void fill_digest_start(void *elements, size_t bytes, size_t n, uint32_t *seed)
{
    static const double primes[] = {2, 3, 5, 7, 11, 13, 17, 19};
    uint32_t *h = elements;
    (void)n, (void)seed;
    for (size_t i = 0; i < bytes / sizeof *h; i++) h[i] = (uint32_t)fmod(sqrt(primes[i]) * 0x1p32, 0x1p32);
}
