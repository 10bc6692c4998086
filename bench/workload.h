/* What a workload of the benchmark is: a row of the table in workloads.c, a kernel in kernels/NAME.cl, and the same
 * in plain C, whose result the device's is compared with.
 *
 * Order: kernels.c (measures) <- workloads.c (the table) <- reference_*.c, launches.c, fills.c. */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include "examples/common.h"

enum { MAX_ARGS = 8, MAX_KERNELS = 3 };

enum type { U8, I8, I16, I32, U32, F32, U64 };

/* factor * n^power + extra: of elements or work-items, where n is the problem's size. */
struct count {
    size_t factor;
    unsigned power;
    size_t extra;
};

enum kind {
    BUFFER,  /* compared with the reference's after each run, also where the kernel must only read it */
    SCRATCH, /* a buffer whose contents do not matter after a run */
    VALUE,   /* one element by value */
};

/* Writes the elements of an argument, `bytes` in all, of a workload of size n. */
typedef void fill(void *elements, size_t bytes, size_t n, uint32_t *seed);

struct argument {
    enum type type;
    struct count count;
    fill *fill; /* NULL: zeros */
    enum kind kind;
};

/* Changes the arguments, at[0] and so on, in their initial state, to what they must be after a run. */
typedef void reference(void **at, size_t n);

/* Enqueues the launches of a run. */
struct job;
typedef void launches(struct job *job);

struct workload {
    const char *name;
    reference *reference;
    size_t small, medium;             /* n */
    size_t group[2];                  /* work-items of a group; a row with two numbers has two dimensions */
    struct argument args[MAX_ARGS];   /* of every kernel, in order; behind them come n and a launch's own numbers */
    struct count items;               /* in each dimension; all zero: n. Rounded up to whole groups */
    launches *launches;               /* NULL: the kernel NAME once */
    const char *kernels[MAX_KERNELS]; /* if not just one of the row's name */
    double tolerance;                 /* of a float, relative to its size and 1 */
    double strays;                    /* share of the elements that may be anything, where rounding decides a branch */
    reference *hand;                  /* the same, as fast as it can be written for this processor, or NULL */
};

/* Ends with a row without a name. */
extern const struct workload workloads[];

/* A workload on a device, or in the host's memory. */
struct job {
    const struct workload *row;
    struct session *session;
    size_t n;
    unsigned nargs;
    void *initial[MAX_ARGS], *expected[MAX_ARGS];
    void *memory[MAX_ARGS]; /* without a device */
    cl_mem buffers[MAX_ARGS];
    cl_kernel kernels[MAX_KERNELS];
    cl_uint params[MAX_KERNELS]; /* that each kernel has */
    unsigned launches;           /* of one run */
};

size_t count_of(struct count count, size_t n);
size_t type_size(enum type type);

/* Enqueues the row's kernel of that index over `items` work-items in each dimension (0: the row's), with up to two
 * numbers behind n, as many as the kernel has parameters for. */
void job_launch(struct job *job, unsigned kernel, size_t items, cl_int first, cl_int second);
/* The kernels' two arguments change places: what was written becomes what is read. */
void job_swap(struct job *job, unsigned a, unsigned b);
/* The one element of a buffer: writes it, or waits and reads it. */
void job_write(struct job *job, unsigned arg, cl_int value);
cl_int job_read(struct job *job, unsigned arg);

/* fills.c */
fill fill_floats, fill_symmetric, fill_bits, fill_letters, fill_small_ints, fill_indices, fill_distances;
fill fill_starts, fill_unknown, fill_bodies, fill_basis, fill_digest_start;

/* launches.c */
launches reduce_launches, scan_launches, tiny_launches, jacobi_launches, floyd_launches, fft_launches;
launches bitonic_launches, bfs_launches, kmeans_launches, align_launches;
enum { ALIGN_TILE = 16 };
enum { REDUCE_GROUPS = 64, SCAN_GROUP = 256, TINY_ITEMS = 64, JACOBI_STEPS = 20, KMEANS_STEPS = 4, CLUSTERS = 16 };

/* reference_vector.c */
enum { SPLAT_SIDE = 256 };
reference vecadd_reference, saxpy_reference, points_reference, gather_reference, sound_reference, reduce_reference;
reference scan_reference, histogram_reference, splat_reference, tiny_reference, search_reference, bitonic_reference,
    bfs_reference;
/* reference_matrix.c */
reference sgemm_reference, transpose_reference, spmv_reference, jacobi_reference, floyd_reference, dct_reference;
reference mandelbrot_reference, sobel_reference, conv3x3_reference, align_reference;
/* reference_number.c */
reference sha256_reference, modpow_reference, montecarlo_reference, blackscholes_reference, fft_reference;
reference nbody_reference, particles_reference, kmeans_reference, shading_reference;

/* hand.c */
reference saxpy_hand, sgemm_hand, mandelbrot_hand;

#endif
