/* Runs cases written in OpenCL C, or in assembly of SPIR-V: clrun [--device TEXT] [--verbose] [--count]
 * FILE.cl|FILE.spvasm
 *
 * Builds the file, launches every run with every local size it names, and compares buffers and
 * printed lines with what the comments expect. Buffers carry a guard behind their end. Exit code:
 * 0 all as expected, 1 not, 2 bad case or no device, 77 not for this device. Called by tests/run, and with --count,
 * which prints "count KERNEL INSTRUCTIONS CYCLES CHECKSUM" for each launch (of all its buffers), by bench/instructions.
 */
#define CL_TARGET_OPENCL_VERSION 210
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "clrun.h"
#include "opencl/cl_ventus.h"

#include <CL/cl.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GUARD = 256, GUARD_BYTE = 0x5a, MAX_REPORTS = 5, SKIP = 77 };

static struct {
    cl_device_id device;
    char platform[128];
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    const struct suite *suite;
    char where[96]; /* run and local size, for messages */
    bool verbose, count, failed;
    cl_ulong instructions, cycles, checksum; /* of the last launch, with --count */
} g;

static _Noreturn void quit(const char *format, ...)
{
    va_list args;
    fflush(stdout);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(2);
}

static void complain(unsigned line, const char *format, ...)
{
    va_list args;
    g.failed = true;
    printf("%s:%u: %s%s%s: ", g.suite->path, line, g.suite->type, *g.suite->type ? ", " : "", g.where);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
}

/* False and a complaint when an OpenCL call failed. */
static bool okay(cl_int error, unsigned line, const char *what)
{
    if (error) complain(line, "%s: error %d", what, error);
    return !error;
}

/* ---- device ---- */

static bool device_matches(cl_platform_id platform, cl_device_id device, const char *wanted)
{
    char name[128] = "";
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof g.platform, g.platform, NULL);
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    return !wanted || strstr(name, wanted) || strstr(g.platform, wanted);
}

static void open_device(const char *wanted)
{
    cl_platform_id platforms[16];
    cl_device_id device;
    cl_uint n = 0;
    cl_int error = clGetPlatformIDs(16, platforms, &n);
    for (cl_uint p = 0; p < n && p < 16 && !g.device; p++)
        if (!clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 1, &device, NULL) &&
            device_matches(platforms[p], device, wanted))
            g.device = device;
    if (!g.device) quit("no OpenCL device%s%s (error %d)", wanted ? " matches " : "", wanted ? wanted : "", error);
    g.context = clCreateContext(NULL, 1, &g.device, NULL, NULL, &error);
    if (error) quit("clCreateContext: error %d", error);
    g.queue = clCreateCommandQueue(g.context, g.device, g.count ? CL_QUEUE_PROFILING_ENABLE : 0, &error);
    if (error) quit("clCreateCommandQueue: error %d", error);
}

/* ---- program ---- */

static char *build_log(void)
{
    size_t size = 0;
    clGetProgramBuildInfo(g.program, g.device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    char *log = calloc(1, size + 1);
    if (!log) quit("out of memory");
    clGetProgramBuildInfo(g.program, g.device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    return log;
}

static const char *build_error_name(cl_int error)
{
    switch (error) {
    case CL_BUILD_PROGRAM_FAILURE: return "CL_BUILD_PROGRAM_FAILURE";
    case CL_INVALID_BUILD_OPTIONS: return "CL_INVALID_BUILD_OPTIONS";
    case CL_COMPILER_NOT_AVAILABLE: return "CL_COMPILER_NOT_AVAILABLE";
    default: return "another error";
    }
}

/* A build that must fail: its error name or its log has to show the text. */
static void judge_failure(cl_int error, const char *log)
{
    const char *text = g.suite->build_fails, *name = build_error_name(error);
    if (!error) complain(0, "the build was expected to fail with '%s'", text);
    else if (!strstr(name, text) && !strstr(log, text)) complain(0, "'%s' is not in '%s' (%s)", text, log, name);
}

static bool is_assembly(const char *path)
{
    const char *end = strrchr(path, '.');
    return end && !strcmp(end, ".spvasm");
}

/* What spirv-as makes of the file. */
static cl_program create_assembled(cl_int *error)
{
    static unsigned char module[1 << 20];
    char command[4096];
    snprintf(command, sizeof command, "spirv-as --target-env spv1.6 -o - '%s'", g.suite->path);
    FILE *out = popen(command, "r");
    size_t size = out ? fread(module, 1, sizeof module, out) : 0;
    int status = out ? pclose(out) : -1;
    if (status == 127 << 8) {
        puts("spirv-as is not installed: apt install spirv-tools");
        exit(SKIP);
    }
    if (status || size == sizeof module) quit("%s: it does not assemble", g.suite->path);
    return clCreateProgramWithIL(g.context, module, size, error);
}

/* True when there are kernels to run. */
static bool build(void)
{
    const char *source = g.suite->source;
    cl_int error;
    snprintf(g.where, sizeof g.where, "build");
    if (is_assembly(g.suite->path)) g.program = create_assembled(&error);
    else g.program = clCreateProgramWithSource(g.context, 1, &source, NULL, &error);
    if (!okay(error, 0, "creation of the program")) return false;
    error = clBuildProgram(g.program, 1, &g.device, g.suite->options, NULL, NULL);
    char *log = build_log();
    if (g.suite->build_fails) judge_failure(error, log);
    else if (error) complain(0, "%s (%d)\n%s", build_error_name(error), error, log);
    else if (g.verbose && *log) printf("%s\n", log);
    free(log);
    return !error && !g.suite->build_fails;
}

/* ---- buffers ---- */

static cl_mem make_buffer(const struct arg *arg)
{
    uint8_t *bytes = malloc(arg->bytes + GUARD);
    if (!bytes) quit("out of memory");
    memcpy(bytes, arg->initial, arg->bytes);
    memset(bytes + arg->bytes, GUARD_BYTE, GUARD);
    cl_int error;
    cl_mem buffer =
        clCreateBuffer(g.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, arg->bytes + GUARD, bytes, &error);
    okay(error, arg->line, "clCreateBuffer");
    free(bytes);
    return buffer;
}

static bool set_arg(cl_kernel kernel, cl_uint index, const struct arg *arg, cl_mem *buffer)
{
    cl_int error = 0;
    if (arg->kind == ARG_LOCAL) error = clSetKernelArg(kernel, index, arg->bytes, NULL);
    if (arg->kind == ARG_VALUE) error = clSetKernelArg(kernel, index, arg->bytes, arg->initial);
    if (arg->kind == ARG_BUFFER) {
        *buffer = make_buffer(arg);
        if (*buffer) error = clSetKernelArg(kernel, index, sizeof *buffer, buffer);
    }
    return okay(error, arg->line, arg->name) && (arg->kind != ARG_BUFFER || *buffer);
}

/* ---- comparison ---- */

/* One unit in the last place of a number of this type and size. */
static double ulp_of(double x, enum type type)
{
    static const struct {
        int least, digits;
    } reals[T_COUNT] = {
        [T_HALF] = {-13, 11}, [T_FLOAT] = {FLT_MIN_EXP, FLT_MANT_DIG}, [T_DOUBLE] = {DBL_MIN_EXP, DBL_MANT_DIG}};
    int exponent, least = reals[type].least;
    frexp(x, &exponent);
    return ldexp(1, (exponent > least ? exponent : least) - reals[type].digits);
}

static bool is_real(enum type type) { return type == T_HALF || type == T_FLOAT || type == T_DOUBLE; }

static bool equal(const struct arg *arg, struct value expected, const uint8_t *actual)
{
    uint8_t exact[8];
    element_store(exact, arg->type, expected);
    if (!memcmp(exact, actual, type_sizes[arg->type])) return true;
    if (!is_real(arg->type)) return false;
    double e = value_real(expected), a = element_load(actual, arg->type).d;
    if (isnan(e) && isnan(a)) return true;
    if (!arg->tolerance || !isfinite(a)) return false;
    return fabs(a - e) <= arg->tolerance * (arg->ulp ? ulp_of(e, arg->type) : 1);
}

static void show(char *to, size_t size, enum type type, struct value v)
{
    if (is_real(type)) snprintf(to, size, type == T_DOUBLE ? "%.17g" : "%.9g", value_real(v));
    else if (type == T_ULONG) snprintf(to, size, "%llu", (unsigned long long)v.i);
    else snprintf(to, size, "%lld", (long long)v.i);
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void sort_elements(const struct arg *arg, uint8_t *bytes)
{
    int64_t *values = calloc(arg->count, sizeof *values);
    if (!values) quit("out of memory");
    size_t size = type_sizes[arg->type];
    for (size_t k = 0; k < arg->count; k++) values[k] = element_load(bytes + k * size, arg->type).i;
    qsort(values, arg->count, sizeof *values, by_value);
    for (size_t k = 0; k < arg->count; k++) element_store(bytes + k * size, arg->type, (struct value){.i = values[k]});
    free(values);
}

static void expected_values(const struct run *run, const struct arg *arg, struct value *values)
{
    struct scope scope = {.args = run->args, .nargs = run->nargs};
    if (!arg->expect)
        for (size_t k = 0; k < arg->count; k++)
            values[k] = element_load(arg->initial + k * type_sizes[arg->type], arg->type);
    else if (!elements_expect(&scope, arg->expect, arg->count, values))
        quit("%s:%u: %s", g.suite->path, arg->line, scope.error);
}

static void compare_elements(const struct run *run, const struct arg *arg, const uint8_t *actual)
{
    struct value *expected = calloc(arg->count, sizeof *expected);
    if (!expected) quit("out of memory");
    expected_values(run, arg, expected);
    size_t wrong = 0, size = type_sizes[arg->type];
    for (size_t k = 0; k < arg->count; k++) {
        if (equal(arg, expected[k], actual + k * size)) continue;
        if (wrong++ >= MAX_REPORTS) continue;
        char is[32], wanted[32];
        uint8_t exact[8];
        element_store(exact, arg->type, expected[k]);
        show(is, sizeof is, arg->type, element_load(actual + k * size, arg->type));
        show(wanted, sizeof wanted, arg->type, element_load(exact, arg->type));
        complain(arg->line, "%s[%zu] is %s, expected %s", arg->name, k, is, wanted);
    }
    if (wrong > MAX_REPORTS) complain(arg->line, "%s: %zu of %zu elements are wrong", arg->name, wrong, arg->count);
    free(expected);
}

static void compare_buffer(const struct run *run, const struct arg *arg, cl_mem buffer)
{
    uint8_t *bytes = malloc(arg->bytes + GUARD);
    if (!bytes) quit("out of memory");
    cl_int error = clEnqueueReadBuffer(g.queue, buffer, CL_TRUE, 0, arg->bytes + GUARD, bytes, 0, NULL, NULL);
    if (okay(error, arg->line, "clEnqueueReadBuffer")) {
        if (arg->sorted) sort_elements(arg, bytes);
        for (size_t k = 0; k < arg->bytes; k++) g.checksum = (g.checksum ^ bytes[k]) * 0x100000001b3;
        if (!arg->any) compare_elements(run, arg, bytes);
        for (size_t k = 0; k < GUARD; k++)
            if (bytes[arg->bytes + k] != GUARD_BYTE) {
                complain(arg->line, "%s: written %zu bytes behind its end", arg->name, k);
                break;
            }
    }
    free(bytes);
}

/* ---- printed lines ---- */

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void compare_prints(const struct run *run, char *text)
{
    char *lines[MAX_PRINTS + 1], *wanted[MAX_PRINTS];
    unsigned n = 0;
    for (char *save, *l = strtok_r(text, "\n", &save); l && n <= MAX_PRINTS; l = strtok_r(NULL, "\n", &save))
        lines[n++] = l;
    memcpy(wanted, run->prints, sizeof wanted);
    if (run->prints_any) {
        qsort(lines, n, sizeof *lines, by_text);
        qsort(wanted, run->nprints, sizeof *wanted, by_text);
    }
    if (n != run->nprints) complain(run->line, "%u lines printed, %u expected", n, run->nprints);
    for (unsigned k = 0; k < n && k < run->nprints; k++)
        if (strcmp(lines[k], wanted[k])) complain(run->line, "printed '%s', expected '%s'", lines[k], wanted[k]);
}

/* Standard output goes to a file between these two; the second returns what was written. */
static int capture_begin(FILE *file)
{
    fflush(stdout);
    int saved = dup(STDOUT_FILENO);
    if (saved < 0 || dup2(fileno(file), STDOUT_FILENO) < 0) quit("cannot redirect output: %s", strerror(errno));
    return saved;
}

static char *capture_end(FILE *file, int saved)
{
    fflush(stdout);
    if (dup2(saved, STDOUT_FILENO) < 0) quit("cannot restore output: %s", strerror(errno));
    close(saved);
    long size = lseek(fileno(file), 0, SEEK_END);
    char *text = calloc(1, (size_t)size + 1);
    if (!text) quit("out of memory");
    if (pread(fileno(file), text, (size_t)size, 0) != size) quit("cannot read back the output");
    return text;
}

/* ---- runs ---- */

static cl_int launch(const struct run *run, cl_kernel kernel, const size_t *local)
{
    cl_event event;
    cl_int status = CL_COMPLETE;
    cl_int error = clEnqueueNDRangeKernel(g.queue, kernel, run->dims, run->has_offset ? run->offset : NULL, run->global,
                                          local[0] ? local : NULL, 0, NULL, &event);
    if (error) return error;
    error = clFinish(g.queue);
    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    g.instructions = g.cycles = g.checksum = 0;
    if (g.count) {
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_INSTRUCTIONS_VENTUS, sizeof g.instructions, &g.instructions,
                                NULL);
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_CYCLES_VENTUS, sizeof g.cycles, &g.cycles, NULL);
    }
    clReleaseEvent(event);
    return status < 0 ? status : error;
}

static void judge(const struct run *run, cl_int error, char *printed, cl_mem *buffers)
{
    if (run->fault && !error) complain(run->line, "the launch was expected to fail");
    if (run->fault || !okay(error, run->line, "launch")) return;
    compare_prints(run, printed);
    for (unsigned k = 0; k < run->nargs; k++)
        if (buffers[k]) compare_buffer(run, &run->args[k], buffers[k]);
    if (g.count)
        printf("count %s %llu %llu %016llx\n", run->kernel, (unsigned long long)g.instructions,
               (unsigned long long)g.cycles, (unsigned long long)g.checksum);
}

static void run_once(const struct run *run, cl_kernel kernel, const size_t *local)
{
    cl_mem buffers[MAX_ARGS] = {NULL};
    bool ready = true;
    if (local[0]) snprintf(g.where, sizeof g.where, "%s local=%zu,%zu,%zu", run->kernel, local[0], local[1], local[2]);
    else snprintf(g.where, sizeof g.where, "%s local=null", run->kernel);
    for (unsigned k = 0; k < run->nargs && ready; k++) ready = set_arg(kernel, k, &run->args[k], &buffers[k]);
    if (ready) {
        FILE *file = tmpfile();
        if (!file) quit("no temporary file: %s", strerror(errno));
        int saved = capture_begin(file);
        cl_int error = launch(run, kernel, local);
        char *printed = capture_end(file, saved);
        fclose(file);
        judge(run, error, printed, buffers);
        free(printed);
    }
    for (unsigned k = 0; k < run->nargs; k++)
        if (buffers[k]) clReleaseMemObject(buffers[k]);
    if (g.verbose) printf("%s done\n", g.where);
}

/* Whatever the kernel is, the device runs it in groups of its largest size, or of the one that the kernel requires:
 * this compiler sees to it. */
static void check_largest_group(const struct run *run, cl_kernel kernel)
{
    size_t most = 0, reqd[3] = {0}, device = 0;
    clGetDeviceInfo(g.device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof device, &device, NULL);
    clGetKernelWorkGroupInfo(kernel, g.device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof reqd, reqd, NULL);
    clGetKernelWorkGroupInfo(kernel, g.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL);
    size_t needed = reqd[0] ? reqd[0] * reqd[1] * reqd[2] : device;
    if (strcmp(g.platform, "Ventus") == 0 && most < needed)
        complain(run->line, "work-groups have at most %zu work-items, not %zu", most, needed);
}

static void run_all(struct run *run)
{
    cl_int error;
    snprintf(g.where, sizeof g.where, "%s", run->kernel);
    cl_kernel kernel = clCreateKernel(g.program, run->kernel, &error);
    if (!okay(error, run->line, "clCreateKernel")) return;
    check_largest_group(run, kernel);
    run_fill(g.suite->path, run);
    for (unsigned k = 0; k < run->nlocals; k++) run_once(run, kernel, run->locals[k]);
    run_empty(run);
    clReleaseKernel(kernel);
}

/* True when the file is not for this device. */
static bool run_suite(const struct suite *suite)
{
    g.suite = suite;
    bool skip = suite->only && strcmp(suite->only, g.platform);
    if (skip) printf("only for %s\n", suite->only);
    else if (build())
        for (unsigned k = 0; k < suite->nruns; k++) run_all(&suite->runs[k]);
    if (g.program) clReleaseProgram(g.program);
    g.program = NULL;
    return skip;
}

int main(int argc, char **argv)
{
    const char *wanted = NULL, *path = NULL;
    for (int k = 1; k < argc; k++) {
        if (!strcmp(argv[k], "--device") && k + 1 < argc) wanted = argv[++k];
        else if (!strcmp(argv[k], "--verbose")) g.verbose = true;
        else if (!strcmp(argv[k], "--count")) g.count = true;
        else if (argv[k][0] != '-' && !path) path = argv[k];
        else quit("usage: clrun [--device TEXT] [--verbose] [--count] FILE.cl|FILE.spvasm");
    }
    if (!path) quit("usage: clrun [--device TEXT] [--verbose] [--count] FILE.cl|FILE.spvasm");
    struct suite suite;
    bool skip = false;
    open_device(wanted);
    for (unsigned n = 0; suite_read(&suite, path, n); n++) {
        skip |= run_suite(&suite);
        suite_free(&suite);
    }
    clReleaseCommandQueue(g.queue);
    clReleaseContext(g.context);
    return skip ? SKIP : g.failed;
}
