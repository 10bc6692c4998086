/* Times the kernels of kinds/ and random ones on any OpenCL device.
 *
 *   kinds [--device TEXT] [--size small|medium] [--repeat N] [--save FOLDER] [--compare FOLDER] [--list]
 * [FILE.cl|KERNEL...]
 *
 * A file is one of tests/clrun's form: a run line for each kernel, an arg line for each of its arguments, and a line of
 * two sizes, of which one stands for the word N. For each kernel: one run ("first"), then N more, whose smallest and
 * median times are printed as those of `kernels`. What the first and the last leave in the buffers is written into
 * FOLDER (--save), or compared with what another device has written there (--compare): whole numbers must be the same,
 * the others within what
 * `-> any ~ TOLERANCE` says, relative to their size and 1 (1e-5, halves 2e-3). Where the values are not the same the
 * program ends with 1. Called by bench/run. */
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples/common.h"
#include "moment.h"
#include "tests/clrun.h"

struct options {
    const char *device, *save, *compare;
    bool medium, list;
    unsigned repeat;
    char **names; /* of files or kernels */
    int nnames;
};

struct job {
    struct session *session;
    const struct options *options;
    const struct run *run;
    cl_kernel kernel;
    cl_mem buffers[MAX_ARGS];
};

/* ---- arguments ---- */

static void create(struct job *job)
{
    job->kernel = session_kernel(job->session, job->run->kernel);
    for (unsigned i = 0; i < job->run->nargs; i++) {
        const struct arg *arg = &job->run->args[i];
        if (arg->kind == ARG_BUFFER) {
            job->buffers[i] = session_buffer(job->session, CL_MEM_READ_WRITE, arg->bytes, NULL);
            SET_ARG(job->kernel, i, job->buffers[i]);
        } else {
            set_arg(job->kernel, i, arg->bytes, arg->kind == ARG_LOCAL ? NULL : arg->initial);
        }
    }
}

static void destroy(struct job *job)
{
    for (unsigned i = 0; i < job->run->nargs; i++)
        if (job->buffers[i]) clReleaseMemObject(job->buffers[i]);
    clReleaseKernel(job->kernel);
}

static void reset(const struct job *job)
{
    for (unsigned i = 0; i < job->run->nargs; i++)
        if (job->buffers[i])
            check_cl(clEnqueueWriteBuffer(job->session->queue, job->buffers[i], CL_TRUE, 0, job->run->args[i].bytes,
                                          job->run->args[i].initial, 0, NULL, NULL),
                     "writing a buffer");
}

static struct moment run_once(const struct job *job)
{
    const struct run *run = job->run;
    reset(job);
    struct moment start = moment_now();
    check_cl(clEnqueueNDRangeKernel(job->session->queue, job->kernel, run->dims, NULL, run->global,
                                    run->locals[0][0] ? run->locals[0] : NULL, 0, NULL, NULL),
             run->kernel);
    check_cl(clFinish(job->session->queue), run->kernel);
    return moment_since(start);
}

/* ---- results ---- */

static FILE *result_file(const struct job *job, unsigned arg, const char *folder, const char *mode)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s-%s-%s", folder, job->options->medium ? "medium" : "small", job->run->kernel,
             job->run->args[arg].name);
    FILE *file = fopen(path, mode);
    if (!file) fail("cannot open %s", path);
    return file;
}

static bool same_element(const struct arg *arg, const char *got, const char *want)
{
    struct value g = element_load(got, arg->type), w = element_load(want, arg->type);
    double tolerance = arg->tolerance > 0 ? arg->tolerance : arg->type == T_HALF ? 2e-3 : 1e-5;
    if (!g.real) return g.i == w.i;
    if (isnan(w.d) || isinf(w.d)) return isnan(w.d) ? isnan(g.d) : g.d == w.d;
    return fabs(g.d - w.d) <= tolerance * (1 + fabs(w.d));
}

/* False after a message when an element is wrong. */
static bool compare(const struct job *job, const struct arg *arg, const char *got, const char *want)
{
    const size_t size = type_sizes[arg->type];
    size_t wrong = 0, first = 0;
    for (size_t i = 0; i < arg->count; i++)
        if (!same_element(arg, got + i * size, want + i * size) && !wrong++) first = i;
    if (!wrong) return true;
    fprintf(stderr, "%s: %s: %zu of %zu elements are not as expected, the first is %zu: %g, not %g\n", job->run->kernel,
            arg->name, wrong, arg->count, first, value_real(element_load(got + first * size, arg->type)),
            value_real(element_load(want + first * size, arg->type)));
    return false;
}

static bool check_arg(const struct job *job, unsigned i)
{
    const struct arg *arg = &job->run->args[i];
    char *got = need(malloc(arg->bytes)), *want = need(malloc(arg->bytes));
    bool ok = true;
    session_read(job->session, job->buffers[i], arg->bytes, got);
    if (job->options->save) {
        FILE *file = result_file(job, i, job->options->save, "wb");
        ok = fwrite(got, 1, arg->bytes, file) == arg->bytes;
        if (fclose(file) || !ok) fail("cannot write a result into %s", job->options->save);
    }
    if (job->options->compare) {
        FILE *file = result_file(job, i, job->options->compare, "rb");
        if (fread(want, 1, arg->bytes, file) != arg->bytes)
            fail("%s: no whole result to compare with", job->run->kernel);
        fclose(file);
        ok = compare(job, arg, got, want);
    }
    free(got);
    free(want);
    return ok;
}

/* A buffer without an expectation is only read. */
static bool check(const struct job *job)
{
    bool ok = true;
    for (unsigned i = 0; i < job->run->nargs; i++)
        if (job->buffers[i] && job->run->args[i].expect) ok &= check_arg(job, i);
    return ok;
}

/* ---- measuring ---- */

static bool measure(const struct job *job)
{
    const unsigned repeat = job->options->repeat;
    double *wall = need(malloc(repeat * sizeof *wall)), *processor = need(malloc(repeat * sizeof *processor));
    struct moment first = run_once(job);
    bool ok = check(job);
    for (unsigned i = 0; i < repeat; i++) {
        struct moment time = run_once(job);
        wall[i] = time.wall, processor[i] = time.processor;
    }
    ok &= check(job);
    qsort(wall, repeat, sizeof *wall, rising);
    qsort(processor, repeat, sizeof *processor, rising);
    printf("%-18s %8zu %8u %9.3f %9.3f %9.4f %9.4f %9.4f %9.4f\n", job->run->kernel, job->run->global[0], 1,
           1e3 * job->session->build_seconds, 1e3 * first.wall, 1e3 * wall[0], 1e3 * wall[repeat / 2],
           1e3 * processor[0], 1e3 * processor[repeat / 2]);
    fflush(stdout);
    free(wall);
    free(processor);
    return ok;
}

static bool is_file(const char *name) { return strlen(name) > 3 && !strcmp(name + strlen(name) - 3, ".cl"); }

static bool wanted(const struct options *options, const char *kernel)
{
    bool any = false;
    for (int i = 0; i < options->nnames; i++) {
        if (!strcmp(options->names[i], kernel)) return true;
        any |= !is_file(options->names[i]);
    }
    return !any;
}

static bool measure_suite(struct session *session, const struct options *options, const struct suite *suite)
{
    bool ok = true, built = false;
    for (unsigned i = 0; i < suite->nruns; i++) {
        struct job job = {.session = session, .options = options, .run = &suite->runs[i]};
        if (!wanted(options, job.run->kernel)) continue;
        if (options->list) {
            printf("%-18s %8zu\n", job.run->kernel, job.run->global[0]);
            continue;
        }
        session->build_options = suite->options;
        if (!built) session_build(session, suite->source);
        built = true;
        run_fill(suite->path, &suite->runs[i]);
        create(&job);
        ok &= measure(&job);
        destroy(&job);
        run_empty(&suite->runs[i]);
    }
    if (built) clReleaseProgram(session->program);
    return ok;
}

static bool measure_file(struct session *session, const struct options *options, const char *path)
{
    struct suite suite;
    if (!suite_read(&suite, path, options->medium)) fail("%s has no line of two sizes", path);
    bool ok = measure_suite(session, options, &suite);
    suite_free(&suite);
    return ok;
}

/* The files that are named, or all. */
static bool measure_all(struct session *session, const struct options *options)
{
    bool ok = true, any = false;
    glob_t found;
    for (int i = 0; i < options->nnames; i++) {
        if (!is_file(options->names[i])) continue;
        ok &= measure_file(session, options, options->names[i]);
        any = true;
    }
    if (any) return ok;
    if (glob(BENCH_KINDS "/*.cl", 0, NULL, &found)) fail("no kernels in " BENCH_KINDS);
    for (size_t i = 0; i < found.gl_pathc; i++) ok &= measure_file(session, options, found.gl_pathv[i]);
    globfree(&found);
    return ok;
}

/* ---- command line ---- */

static void usage(void)
{
    puts("kinds: times kernels on an OpenCL device and compares their results with another device's\n\n"
         "  --device TEXT        the first device whose name or platform contains TEXT\n"
         "  --size small|medium  small: default\n"
         "  --repeat N           runs of each after the first, default 5\n"
         "  --save FOLDER        writes the results into this folder\n"
         "  --compare FOLDER     compares the results with those in this folder\n"
         "  --list               lists the kernels and their work-items in the first dimension\n"
         "  FILE.cl|KERNEL...    only these");
    exit(0);
}

static struct options parse_options(int argc, char **argv)
{
    struct options options = {.repeat = 5, .names = argv + 1};
    for (int i = 1; i < argc; i++) {
        const char *option = argv[i];
        if (strncmp(option, "--", 2)) options.names[options.nnames++] = argv[i];
        else if (!strcmp(option, "--help")) usage();
        else if (!strcmp(option, "--list")) options.list = true;
        else if (i + 1 == argc) fail("%s is unknown or lacks its value (see --help)", option);
        else if (!strcmp(option, "--device")) options.device = argv[++i];
        else if (!strcmp(option, "--size")) options.medium = option_choice(option, argv[++i], "small", "medium");
        else if (!strcmp(option, "--repeat")) options.repeat = option_number(option, argv[++i]);
        else if (!strcmp(option, "--save")) options.save = argv[++i];
        else if (!strcmp(option, "--compare")) options.compare = argv[++i];
        else fail("unknown option '%s' (see --help)", option);
    }
    return options;
}

int main(int argc, char **argv)
{
    struct options options = parse_options(argc, argv);
    struct session session = {.name = "kinds"};
    if (!options.list) session_device(&session, options.device);
    printf("%-18s %8s %8s %9s %9s %9s %9s %9s %9s\n", "kernel", "n", "launches", "build", "first", "wall", "median",
           "cpu", "median");
    bool ok = measure_all(&session, &options);
    if (session.queue) clReleaseCommandQueue(session.queue);
    if (session.context) clReleaseContext(session.context);
    return ok ? 0 : 1;
}
