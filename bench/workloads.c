/* The table of workloads; columns in workload.h. */
#include "workload.h"

// clang-format off
/* Counts of elements and of work-items. */
#define N(factor)     {factor, 1, 0}
#define N_PLUS(extra) {1, 1, extra}
#define SQUARE        {1, 2, 0}
#define ONLY(count)   {0, 0, count}

const struct workload workloads[] = {
    /* streams of memory */
    {"vecadd", vecadd_reference, 16384, 1 << 20, {64},
     {{F32, N(1), fill_floats}, {F32, N(1), fill_floats}, {F32, N(1)}}},
    {"saxpy", saxpy_reference, 16384, 1 << 20, {64},
     {{F32, ONLY(1), fill_floats, VALUE}, {F32, N(1), fill_floats}, {F32, N(1), fill_floats}}, .tolerance = 1e-6, .hand = saxpy_hand},
    {"points", points_reference, 4096, 1 << 18, {64},
     {{F32, ONLY(16), fill_floats}, {F32, N(4), fill_symmetric}, {F32, N(4)}}, .tolerance = 1e-4},
    {"gather", gather_reference, 16384, 1 << 20, {64},
     {{I32, N(1), fill_indices}, {F32, N(1), fill_floats}, {F32, N(1)}}},
    {"sound", sound_reference, 16384, 1 << 20, {64},
     {{I16, N(1), fill_bits}, {I16, N(1), fill_bits}, {I8, N(1), fill_bits}, {I8, N(1), fill_bits}, {I16, N(1)}, {I8, N(1)}}},
    /* work-items that work together */
    {"reduce", reduce_reference, 65536, 1 << 21, {256},
     {{F32, N(1), fill_floats}, {F32, ONLY(REDUCE_GROUPS), NULL, SCRATCH}, {F32, ONLY(1)}},
     .launches = reduce_launches, .kernels = {"reduce_groups", "reduce_total"}, .tolerance = 1e-4},
    {"scan", scan_reference, 16384, 1 << 18, {SCAN_GROUP},
     {{I32, N(1), fill_small_ints}, {I32, N(1)}, {I32, {1, 1, 1}, NULL, SCRATCH}},
     .launches = scan_launches, .kernels = {"scan_groups", "scan_totals", "scan_add"}},
    {"histogram", histogram_reference, 65536, 1 << 20, {256},
     {{U8, N(1), fill_bits}, {U32, ONLY(256)}}, .items = ONLY(4096)},
    {"splat", splat_reference, 4096, 1 << 18, {64},
     {{F32, N(2), fill_symmetric}, {F32, N(1), fill_floats}, {F32, ONLY(SPLAT_SIDE * SPLAT_SIDE)}}, .tolerance = 1e-4},
    {"transpose", transpose_reference, 128, 1024, {16, 16},
     {{F32, SQUARE, fill_floats}, {F32, SQUARE}}},
    {"dct", dct_reference, 128, 1024, {8, 8},
     {{F32, ONLY(64), fill_basis}, {U8, SQUARE, fill_bits}, {F32, SQUARE}}, .tolerance = 1e-4},
    /* matrices and grids */
    {"sgemm", sgemm_reference, 64, 256, {16, 16},
     {{F32, SQUARE, fill_symmetric}, {F32, SQUARE, fill_symmetric}, {F32, SQUARE}}, .tolerance = 1e-4, .hand = sgemm_hand},
    {"sgemm_tiled", sgemm_reference, 64, 256, {16, 16},
     {{F32, SQUARE, fill_symmetric}, {F32, SQUARE, fill_symmetric}, {F32, SQUARE}}, .tolerance = 1e-4},
    {"dgemm", sgemm_reference, 32, 128, {16, 16},
     {{F32, SQUARE, fill_symmetric}, {F32, SQUARE, fill_symmetric}, {F32, SQUARE}}, .tolerance = 1e-6},
    {"spmv", spmv_reference, 2048, 1 << 16, {64},
     {{I32, N_PLUS(1), fill_starts}, {I32, N(16), fill_indices}, {F32, N(16), fill_symmetric}, {F32, N(1), fill_symmetric},
      {F32, N(1)}}, .tolerance = 1e-4},
    {"jacobi", jacobi_reference, 64, 512, {16, 16},
     {{F32, SQUARE, fill_floats}, {F32, SQUARE, NULL, SCRATCH}}, .launches = jacobi_launches, .tolerance = 1e-5},
    {"floyd", floyd_reference, 32, 96, {16, 16},
     {{I32, SQUARE, fill_distances}}, .launches = floyd_launches},
    /* pictures and text */
    {"mandelbrot", mandelbrot_reference, 64, 512, {16, 16},
     {{I32, SQUARE}}, .strays = 0.01, .hand = mandelbrot_hand},
    {"sobel", sobel_reference, 128, 1024, {16, 16},
     {{U8, SQUARE, fill_bits}, {U8, SQUARE}}},
    {"conv3x3", conv3x3_reference, 128, 1024, {16, 16},
     {{U8, SQUARE, fill_bits}, {U8, SQUARE}}},
    {"search", search_reference, 16384, 1 << 20, {64},
     {{I8, N_PLUS(8), fill_letters}, {I8, ONLY(8), fill_letters}, {U8, N(1)}}},
    /* arithmetic */
    {"sha256", sha256_reference, 512, 16384, {64},
     {{U32, ONLY(8), fill_digest_start}, {U32, N(8)}}},
    {"modpow", modpow_reference, 512, 16384, {64},
     {{U32, N(1), fill_bits}, {U32, N(1), fill_bits}, {U32, N(1), fill_bits}, {U64, N(1)}}},
    {"montecarlo", montecarlo_reference, 512, 32768, {64},
     {{U32, N(1), fill_bits}, {U32, ONLY(1)}}},
    {"blackscholes", blackscholes_reference, 1024, 1 << 16, {64},
     {{F32, N(1), fill_floats}, {F32, N(1), fill_floats}, {F32, N(1), fill_floats}, {F32, N(1)}, {F32, N(1)}}, .tolerance = 1e-3},
    {"shading", shading_reference, 4096, 1 << 18, {64},
     {{F32, N(1), fill_floats}, {F32, N(1)}}, .tolerance = 1e-4},
    {"fft", fft_reference, 1024, 65536, {64},
     {{F32, N(2), fill_symmetric}, {F32, N(2), NULL, SCRATCH}}, .launches = fft_launches, .tolerance = 1e-3},
    {"nbody", nbody_reference, 256, 2048, {64},
     {{F32, N(4), fill_bodies}, {F32, N(4), fill_bodies}, {F32, N(4)}, {F32, N(4)}}, .tolerance = 1e-2},
    /* branches, graphs, sorting, many launches */
    {"particles", particles_reference, 4096, 1 << 17, {64},
     {{F32, N(4), fill_symmetric}, {F32, N(4)}, {I32, N(1), fill_small_ints}}, .strays = 0.001, .tolerance = 1e-4},
    {"bitonic", bitonic_reference, 1024, 16384, {64},
     {{U32, N(1), fill_bits}}, .launches = bitonic_launches},
    {"align", align_reference, 64, 512, {ALIGN_TILE},
     {{I32, SQUARE, fill_small_ints}, {I32, SQUARE}}, .launches = align_launches},
    {"bfs", bfs_reference, 2048, 1 << 17, {64},
     {{I32, N_PLUS(1), fill_starts}, {I32, N(16), fill_indices}, {I32, N(1), fill_unknown}, {I32, ONLY(1), NULL, SCRATCH}},
     .launches = bfs_launches},
    {"kmeans", kmeans_reference, 2048, 1 << 16, {256},
     {{F32, N(2), fill_floats}, {F32, ONLY(2 * CLUSTERS), fill_floats}, {I32, N(1), NULL, SCRATCH}},
     .launches = kmeans_launches, .kernels = {"kmeans_assign", "kmeans_update"}, .tolerance = 1e-3},
    {"tiny", tiny_reference, 50, 1000, {TINY_ITEMS},
     {{U32, ONLY(TINY_ITEMS), fill_bits}}, .items = ONLY(TINY_ITEMS), .launches = tiny_launches},
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
