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
