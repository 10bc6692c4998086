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
