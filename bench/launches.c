/* The workloads that take more than one launch; see workload.h. */
#include "workload.h"

void reduce_launches(struct job *job)
{
    size_t group = job->row->group[0];
    job_launch(job, 0, REDUCE_GROUPS * group, 0, 0);
    job_launch(job, 1, group, REDUCE_GROUPS, 0);
}

void scan_launches(struct job *job)
{
    size_t groups = (job->n + SCAN_GROUP - 1) / SCAN_GROUP;
    job_launch(job, 0, 0, 0, 0);
    job_launch(job, 1, SCAN_GROUP, (cl_int)groups, 0);
    job_launch(job, 2, 0, 0, 0);
}

void tiny_launches(struct job *job)
{
    for (size_t round = 0; round < job->n; round++) job_launch(job, 0, 0, (cl_int)round, 0);
}

void jacobi_launches(struct job *job)
{
    for (unsigned step = 0; step < JACOBI_STEPS; step++) {
        job_launch(job, 0, 0, 0, 0);
        job_swap(job, 0, 1);
    }
}

void floyd_launches(struct job *job)
{
    for (size_t via = 0; via < job->n; via++) job_launch(job, 0, 0, (cl_int)via, 0);
}

/* Tiles of one diagonal from lower left to upper right do not need each other. */
void align_launches(struct job *job)
{
    size_t tiles = job->n / ALIGN_TILE;
    for (size_t diagonal = 0; diagonal + 1 < 2 * tiles; diagonal++) {
        size_t first = diagonal < tiles ? 0 : diagonal - tiles + 1, last = diagonal < tiles ? diagonal : tiles - 1;
        job_launch(job, 0, (last - first + 1) * ALIGN_TILE, (cl_int)diagonal, (cl_int)first);
    }
}

/* An even number of steps, so that the result is where the numbers were: n is a power of four. */
void fft_launches(struct job *job)
{
    for (size_t span = 1; span < job->n; span *= 2) {
        job_launch(job, 0, job->n / 2, (cl_int)span, 0);
        job_swap(job, 0, 1);
    }
}

void bitonic_launches(struct job *job)
{
    for (size_t run = 2; run <= job->n; run *= 2)
        for (size_t distance = run / 2; distance > 0; distance /= 2)
            job_launch(job, 0, job->n / 2, (cl_int)run, (cl_int)distance);
}

/* Level by level, until the host reads that none of the nodes was new. */
void bfs_launches(struct job *job)
{
    enum { FOUND = 3 };
    cl_int depth = 0;
    do {
        job_write(job, FOUND, 0);
        job_launch(job, 0, 0, depth++, 0);
    } while (job_read(job, FOUND));
}

void kmeans_launches(struct job *job)
{
    for (unsigned step = 0; step < KMEANS_STEPS; step++) {
        job_launch(job, 0, 0, 0, 0);
        job_launch(job, 1, CLUSTERS * job->row->group[0], 0, 0);
    }
}
