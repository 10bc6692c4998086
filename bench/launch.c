/* What a launch costs besides its work: one work-item, through OpenCL, on any device.
 *
 * Prints lines as the examples do with --bench, in seconds for one launch:
 *   finish  enqueue, then clFinish, one after another
 *   queued  10 000 enqueued in a row, then clFinish
 *   round   a number written, a launch, the result read: what most programs do all day
 * Linked with the examples' common part. Called by bench/run. */
#include <stdio.h>
#include <time.h>

#include "examples/common.h"

static const char source[] = "kernel void add(global int *at, int n) { *at += n; }";

enum { LAUNCHES = 10000, SOME = 1000 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void enqueue(struct session *s, cl_kernel kernel)
{
    static const size_t one = 1;
    check_cl(clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL), "launching a kernel");
}

static void finish(struct session *s) { check_cl(clFinish(s->queue), "running kernels"); }

static void write_number(struct session *s, cl_mem buffer, const int *n)
{
    check_cl(clEnqueueWriteBuffer(s->queue, buffer, CL_FALSE, 0, sizeof *n, n, 0, NULL, NULL), "writing a buffer");
}

static void report(const char *what, double start, unsigned launches)
{
    printf("bench launch %s %.9f\n", what, (now() - start) / launches);
}

/* One sample of each kind; false when the kernels did not count right. */
static bool measure(struct session *s, cl_kernel kernel, cl_mem buffer)
{
    int zero = 0, result = 0;
    write_number(s, buffer, &zero);
    finish(s);
    double start = now();
    for (unsigned i = 0; i < SOME; i++) {
        enqueue(s, kernel);
        finish(s);
    }
    report("finish", start, SOME);
    start = now();
    for (unsigned i = 0; i < LAUNCHES; i++) enqueue(s, kernel);
    finish(s);
    report("queued", start, LAUNCHES);
    session_read(s, buffer, sizeof result, &result);
    start = now();
    for (unsigned i = 0; i < SOME; i++) {
        write_number(s, buffer, &result);
        enqueue(s, kernel);
        session_read(s, buffer, sizeof result, &result);
    }
    report("round", start, SOME);
    return result == LAUNCHES + 2 * SOME;
}

int main(int argc, char **argv)
{
    struct session s;
    int one = 1;
    bool ok = true;
    session_open(&s, argc, argv, "measures launches", 1);
    session_build(&s, source);
    cl_kernel kernel = session_kernel(&s, "add");
    cl_mem buffer = session_buffer(&s, CL_MEM_READ_WRITE, sizeof(int), NULL);
    SET_ARG(kernel, 0, buffer);
    SET_ARG(kernel, 1, one);
    for (unsigned i = 0; i < s.samples + !s.samples; i++) ok &= measure(&s, kernel, buffer);
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    return session_close(&s, ok, "launches counted");
}
