/* The table of workloads; columns in workload.h. */
#include "workload.h"

/* Counts of elements and of work-items. */
#define N(factor)     {factor, 1, 0}
#define N_PLUS(extra) {1, 1, extra}
#define SQUARE        {1, 2, 0}
#define ONLY(count)   {0, 0, count}

// clang-format off
const struct workload workloads[] = {
    /* streams of memory */
    {"vecadd", vecadd_reference, 16384, 1 << 20, {64},
     {{F32, N(1), fill_floats}, {F32, N(1), fill_floats}, {F32, N(1)}}},
    {"saxpy", saxpy_reference, 16384, 1 << 20, {64},
     {{F32, ONLY(1), fill_floats, VALUE}, {F32, N(1), fill_floats}, {F32, N(1), fill_floats}}, .tolerance = 1e-6},
    {NULL},
};
// clang-format on

size_t count_of(struct count count, size_t n)
{
    size_t product = count.factor;
    for (unsigned i = 0; i < count.power; i++) product *= n;
    return product + count.extra;
}

size_t type_size(enum type type)
{
    static const size_t sizes[] = {[U8] = 1, [I8] = 1, [I16] = 2, [I32] = 4, [U32] = 4, [F32] = 4, [U64] = 8};
    return sizes[type];
}
