/* What workloads over vectors, bytes and text must give; see workload.h. */
#include <math.h>
#include <stdlib.h>

#include "workload.h"

void vecadd_reference(void **at, size_t n)
{
    const float *a = at[0], *b = at[1];
    float *sum = at[2];
    for (size_t i = 0; i < n; i++) sum[i] = a[i] + b[i];
}

void saxpy_reference(void **at, size_t n)
{
    const float *factor = at[0], *x = at[1];
    float *y = at[2];
    for (size_t i = 0; i < n; i++) y[i] = *factor * x[i] + y[i];
}

void points_reference(void **at, size_t n)
{
    const float *rows = at[0], *from = at[1];
    float *to = at[2];
    for (size_t i = 0; i < n; i++) {
        double v[4] = {0}, squared = 0;
        for (unsigned row = 0; row < 4; row++) {
            for (unsigned k = 0; k < 4; k++) v[row] += (double)rows[4 * row + k] * from[4 * i + k];
            squared += v[row] * v[row];
        }
        for (unsigned row = 0; row < 4; row++) to[4 * i + row] = (float)(v[row] / sqrt(squared));
    }
}

void gather_reference(void **at, size_t n)
{
    const int32_t *index = at[0];
    const float *table = at[1];
    float *out = at[2];
    for (size_t i = 0; i < n; i++) out[i] = table[index[i]];
}

void sound_reference(void **at, size_t n)
{
    const int16_t *left = at[0], *right = at[1];
    const int8_t *gain_left = at[2], *gain_right = at[3];
    int16_t *out = at[4];
    int8_t *level = at[5];
    for (size_t i = 0; i < n; i++) {
        int sum = (int16_t)(left[i] * gain_left[i] >> 7) + (int16_t)(right[i] * gain_right[i] >> 7);
        out[i] = (int16_t)(sum > INT16_MAX ? INT16_MAX : sum < INT16_MIN ? INT16_MIN : sum);
        level[i] = (int8_t)(out[i] >> 8);
    }
}

void reduce_reference(void **at, size_t n)
{
    const float *in = at[0];
    float *total = at[2];
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += in[i];
    *total = (float)sum;
}

void scan_reference(void **at, size_t n)
{
    const int32_t *in = at[0];
    int32_t *out = at[1], sum = 0;
    for (size_t i = 0; i < n; i++) out[i] = sum += in[i];
}

void histogram_reference(void **at, size_t n)
{
    const uint8_t *pixels = at[0];
    uint32_t *bins = at[1];
    for (size_t i = 0; i < n; i++) bins[pixels[i]]++;
}

void splat_reference(void **at, size_t n)
{
    const float *where = at[0], *masses = at[1];
    float *grid = at[2];
    for (size_t i = 0; i < n; i++) {
        float x = (where[2 * i] + 1) * (SPLAT_SIDE * 0.5f - 1), y = (where[2 * i + 1] + 1) * (SPLAT_SIDE * 0.5f - 1);
        float right = x - floorf(x), below = y - floorf(y), *cell = grid + (size_t)y * SPLAT_SIDE + (size_t)x;
        cell[0] += masses[i] * (1 - right) * (1 - below);
        cell[1] += masses[i] * right * (1 - below);
        cell[SPLAT_SIDE] += masses[i] * (1 - right) * below;
        cell[SPLAT_SIDE + 1] += masses[i] * right * below;
    }
}

void tiny_reference(void **at, size_t n)
{
    uint32_t *x = at[0];
    for (uint32_t round = 0; round < n; round++)
        for (size_t i = 0; i < TINY_ITEMS; i++) x[i] = 3 * x[i] + round;
}

void search_reference(void **at, size_t n)
{
    const char *text = at[0], *pattern = at[1];
    uint8_t *matched = at[2];
    for (size_t i = 0; i < n; i++)
        while (matched[i] < 8 && text[i + matched[i]] == pattern[matched[i]]) matched[i]++;
}

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

void bitonic_reference(void **at, size_t n) { qsort(at[0], n, sizeof(uint32_t), ascending); }

/* A queue of nodes; each gets the depth of the one that it was found from, plus 1. */
void bfs_reference(void **at, size_t n)
{
    const int32_t *starts = at[0], *neighbours = at[1];
    int32_t *depths = at[2], *queue = need(malloc(n * sizeof *queue));
    size_t end = 1;
    queue[0] = 0;
    for (size_t next = 0; next < end; next++) {
        int32_t node = queue[next];
        for (int32_t k = starts[node]; k < starts[node + 1]; k++) {
            int32_t neighbour = neighbours[k];
            if (depths[neighbour] >= 0) continue;
            depths[neighbour] = depths[node] + 1;
            queue[end++] = neighbour;
        }
    }
    free(queue);
}
