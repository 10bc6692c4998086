/* Times the kernels of the table in workloads.c on any OpenCL device.
 *
 *   kernels [--device TEXT] [--size small|medium] [--repeat N] [--queue N] [--hand] [--list] [KERNEL...]
 *
 * For each: builds kernels/NAME.cl, runs it once ("first"), then N times, and prints milliseconds from the first
 * enqueue to the end of clFinish: the smallest and the median of the N by the clock and in processor time of the whole
 * process, which other programs disturb less. Results are compared with the reference's after every run; when one is
 * wrong, no time is printed and the program ends with 1. With --queue, a run but the first is so many that are enqueued
 * before one clFinish, whose times are divided by their number; its results are not compared, because some kernels go
 * on with what the run before has left. With --hand, the kernels that hand.c has, as it has them, on no device. Called
 * by bench/run and by tests. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "moment.h"
#include "workload.h"

struct options {
    const char *device;
    bool medium, hand, list;
    unsigned repeat, queue;
    char **names;
    int nnames;
};

/* ---- launches ---- */

static void launch_sizes(const struct job *job, size_t items, size_t global[2])
{
    const struct workload *row = job->row;
    struct count count = row->items;
    if (!items) items = count.factor || count.extra ? count_of(count, job->n) : job->n;
    for (unsigned d = 0; d < 2 && row->group[d]; d++)
        global[d] = (items + row->group[d] - 1) / row->group[d] * row->group[d];
}

void job_launch(struct job *job, unsigned kernel, size_t items, cl_int first, cl_int second)
{
    size_t global[2];
    cl_uint dims = job->row->group[1] ? 2 : 1, params = job->params[kernel];
    cl_kernel what = job->kernels[kernel];
    launch_sizes(job, items, global);
    if (params > job->nargs + 1) SET_ARG(what, job->nargs + 1, first);
    if (params > job->nargs + 2) SET_ARG(what, job->nargs + 2, second);
    check_cl(clEnqueueNDRangeKernel(job->session->queue, what, dims, NULL, global, job->row->group, 0, NULL, NULL),
             "launching a kernel");
    job->launches++;
}

static void set_buffer(struct job *job, unsigned arg)
{
    for (unsigned k = 0; k < MAX_KERNELS && job->kernels[k]; k++) SET_ARG(job->kernels[k], arg, job->buffers[arg]);
}

void job_swap(struct job *job, unsigned a, unsigned b)
{
    cl_mem buffer = job->buffers[a];
    job->buffers[a] = job->buffers[b];
    job->buffers[b] = buffer;
    set_buffer(job, a);
    set_buffer(job, b);
}

void job_write(struct job *job, unsigned arg, cl_int value)
{
    check_cl(
        clEnqueueWriteBuffer(job->session->queue, job->buffers[arg], CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL),
        "writing a buffer");
}

cl_int job_read(struct job *job, unsigned arg)
{
    cl_int value;
    session_read(job->session, job->buffers[arg], sizeof value, &value);
    return value;
}

/* ---- opening and closing a workload ---- */

static size_t arg_bytes(const struct job *job, unsigned arg)
{
    const struct argument *a = &job->row->args[arg];
    return count_of(a->count, job->n) * type_size(a->type);
}

/* What the arguments are before a run, and what the reference makes of them. */
static void prepare(struct job *job)
{
    const struct workload *row = job->row;
    while (job->nargs < MAX_ARGS && arg_bytes(job, job->nargs)) job->nargs++;
    for (unsigned i = 0; i < job->nargs; i++) {
        size_t bytes = arg_bytes(job, i);
        uint32_t seed = i + 1;
        job->initial[i] = need(calloc(1, bytes));
        job->expected[i] = need(malloc(bytes));
        if (row->args[i].fill) row->args[i].fill(job->initial[i], bytes, job->n, &seed);
        memcpy(job->expected[i], job->initial[i], bytes);
    }
    row->reference(job->expected, job->n);
}

static void create_kernels(struct job *job)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.cl", BENCH_KERNELS, job->row->name);
    session_build_file(job->session, path);
    for (unsigned k = 0; k < MAX_KERNELS && (k == 0 || job->row->kernels[k]); k++) {
        const char *name = job->row->kernels[k] ? job->row->kernels[k] : job->row->name;
        job->kernels[k] = session_kernel(job->session, name);
        check_cl(clGetKernelInfo(job->kernels[k], CL_KERNEL_NUM_ARGS, sizeof(cl_uint), &job->params[k], NULL), name);
    }
}

static void set_args(struct job *job)
{
    cl_int n = (cl_int)job->n;
    for (unsigned i = 0; i < job->nargs; i++) {
        size_t bytes = arg_bytes(job, i);
        bool value = job->row->args[i].kind == VALUE;
        if (!value) job->buffers[i] = session_buffer(job->session, CL_MEM_READ_WRITE, bytes, NULL);
        for (unsigned k = 0; k < MAX_KERNELS && job->kernels[k]; k++)
            set_arg(job->kernels[k], i, value ? bytes : sizeof(cl_mem),
                    value ? job->initial[i] : (void *)&job->buffers[i]);
    }
    for (unsigned k = 0; k < MAX_KERNELS && job->kernels[k]; k++) SET_ARG(job->kernels[k], job->nargs, n);
}

static void close_job(struct job *job)
{
    for (unsigned i = 0; i < job->nargs; i++) {
        free(job->initial[i]);
        free(job->expected[i]);
        free(job->memory[i]);
        if (job->buffers[i]) clReleaseMemObject(job->buffers[i]);
    }
    for (unsigned k = 0; k < MAX_KERNELS && job->kernels[k]; k++) clReleaseKernel(job->kernels[k]);
    if (job->session->program) clReleaseProgram(job->session->program);
    job->session->program = NULL;
}

/* ---- running and comparing ---- */

static void reset_args(struct job *job)
{
    for (unsigned i = 0; i < job->nargs; i++)
        if (job->memory[i]) memcpy(job->memory[i], job->initial[i], arg_bytes(job, i));
        else if (job->buffers[i])
            check_cl(clEnqueueWriteBuffer(job->session->queue, job->buffers[i], CL_TRUE, 0, arg_bytes(job, i),
                                          job->initial[i], 0, NULL, NULL),
                     "writing a buffer");
}

static void enqueue(struct job *job)
{
    if (job->row->launches) job->row->launches(job);
    else job_launch(job, 0, 0, 0, 0);
}

/* `count` times, one behind the other. */
static struct moment run(struct job *job, unsigned count)
{
    reset_args(job);
    job->launches = 0;
    struct moment start = moment_now();
    for (unsigned i = 0; i < count; i++)
        if (job->memory[0]) job->row->hand(job->memory, job->n);
        else enqueue(job);
    if (!job->memory[0]) check_cl(clFinish(job->session->queue), "running a kernel");
    return moment_since(start);
}

static bool same_element(const struct job *job, enum type type, const char *got, const char *want)
{
    if (type != F32) return !memcmp(got, want, type_size(type));
    float g, w;
    memcpy(&g, got, sizeof g);
    memcpy(&w, want, sizeof w);
    return fabsf(g - w) <= (float)job->row->tolerance * (1 + fabsf(w));
}

/* False after a message when more elements of an argument are wrong than the row allows. */
static bool correct_arg(const struct job *job, unsigned arg, const char *got)
{
    enum type type = job->row->args[arg].type;
    size_t size = type_size(type), count = arg_bytes(job, arg) / size, wrong = 0, first = 0;
    const char *want = job->expected[arg];
    for (size_t i = 0; i < count; i++)
        if (!same_element(job, type, got + i * size, want + i * size) && !wrong++) first = i;
    if ((double)wrong <= job->row->strays * (double)count) return true;
    fprintf(stderr, "%s: argument %u: %zu of %zu elements are wrong, the first is element %zu\n", job->row->name, arg,
            wrong, count, first);
    return false;
}

static bool correct_buffer(struct job *job, unsigned arg)
{
    size_t bytes = arg_bytes(job, arg);
    char *got = need(malloc(bytes));
    session_read(job->session, job->buffers[arg], bytes, got);
    bool ok = correct_arg(job, arg, got);
    free(got);
    return ok;
}

static bool correct(struct job *job)
{
    bool ok = true;
    for (unsigned i = 0; ok && i < job->nargs; i++)
        if (job->row->args[i].kind == BUFFER)
            ok = job->memory[i] ? correct_arg(job, i, job->memory[i]) : correct_buffer(job, i);
    return ok;
}

static void print_times(const struct job *job, struct moment first, double *wall, double *processor, unsigned runs)
{
    qsort(wall, runs, sizeof *wall, rising);
    qsort(processor, runs, sizeof *processor, rising);
    printf("%-12s %8zu %8u %9.3f %9.3f %9.4f %9.4f %9.4f %9.4f\n", job->row->name, job->n, job->launches,
           1e3 * job->session->build_seconds, 1e3 * first.wall, 1e3 * wall[0], 1e3 * wall[runs / 2], 1e3 * processor[0],
           1e3 * processor[runs / 2]);
    fflush(stdout);
}

static bool measure(struct job *job, unsigned repeat, unsigned queue)
{
    double *wall = need(malloc(repeat * sizeof *wall)), *processor = need(malloc(repeat * sizeof *processor));
    struct moment first = run(job, 1);
    bool ok = correct(job);
    for (unsigned i = 0; ok && i < repeat; i++) {
        struct moment time = run(job, queue);
        wall[i] = time.wall / queue, processor[i] = time.processor / queue;
        ok = queue > 1 || correct(job);
    }
    if (ok) print_times(job, first, wall, processor, repeat);
    free(wall);
    free(processor);
    return ok;
}

static bool measure_row(struct session *session, const struct workload *row, const struct options *options)
{
    struct job job = {.row = row, .session = session, .n = options->medium ? row->medium : row->small};
    if (options->hand && !row->hand) return true;
    prepare(&job);
    if (options->hand) {
        for (unsigned i = 0; i < job.nargs; i++) job.memory[i] = need(malloc(arg_bytes(&job, i)));
    } else {
        create_kernels(&job);
        set_args(&job);
    }
    bool ok = measure(&job, options->repeat, options->queue);
    close_job(&job);
    return ok;
}

/* ---- command line ---- */

static const struct workload *find_row(const char *name)
{
    for (const struct workload *row = workloads; row->name; row++)
        if (!strcmp(row->name, name)) return row;
    fail("no kernel '%s' (see --list)", name);
}

static void usage(void)
{
    puts("kernels: times kernels on an OpenCL device and compares their results with the host's\n\n"
         "  --device TEXT        the first device whose name or platform contains TEXT\n"
         "  --size small|medium  small: default\n"
         "  --repeat N           runs of each after the first, default 5\n"
         "  --queue N            runs that are enqueued before one clFinish, default 1\n"
         "  --hand               some kernels in C for this processor instead of a device\n"
         "  --list               lists the kernels and their sizes\n"
         "  KERNEL...            only these");
    exit(0);
}

static struct options parse_options(int argc, char **argv)
{
    struct options options = {.repeat = 5, .queue = 1, .names = argv + 1};
    for (int i = 1; i < argc; i++) {
        const char *option = argv[i];
        if (strncmp(option, "--", 2)) options.names[options.nnames++] = argv[i];
        else if (!strcmp(option, "--help")) usage();
        else if (!strcmp(option, "--list")) options.list = true;
        else if (!strcmp(option, "--hand")) options.hand = true;
        else if (i + 1 == argc) fail("%s is unknown or lacks its value (see --help)", option);
        else if (!strcmp(option, "--device")) options.device = argv[++i];
        else if (!strcmp(option, "--size")) options.medium = option_choice(option, argv[++i], "small", "medium");
        else if (!strcmp(option, "--repeat")) options.repeat = option_number(option, argv[++i]);
        else if (!strcmp(option, "--queue")) options.queue = option_number(option, argv[++i]);
        else fail("unknown option '%s' (see --help)", option);
    }
    return options;
}

static int list_rows(void)
{
    printf("%-12s %8s %8s\n", "kernel", "small", "medium");
    for (const struct workload *row = workloads; row->name; row++)
        printf("%-12s %8zu %8zu\n", row->name, row->small, row->medium);
    return 0;
}

/* All rows, or those that are named. */
static bool measure_all(struct session *session, const struct options *options)
{
    bool ok = true;
    if (!options->nnames)
        for (const struct workload *row = workloads; row->name; row++) ok &= measure_row(session, row, options);
    for (int i = 0; i < options->nnames; i++) ok &= measure_row(session, find_row(options->names[i]), options);
    return ok;
}

int main(int argc, char **argv)
{
    struct options options = parse_options(argc, argv);
    struct session session = {.name = "kernels"};
    if (options.list) return list_rows();
    if (!options.hand) session_device(&session, options.device);
    printf("%-12s %8s %8s %9s %9s %9s %9s %9s %9s\n", "kernel", "n", "launches", "build", "first", "wall", "median",
           "cpu", "median");
    bool ok = measure_all(&session, &options);
    if (session.queue) clReleaseCommandQueue(session.queue);
    if (session.context) clReleaseContext(session.context);
    return ok ? 0 : 1;
}
