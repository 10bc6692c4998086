/* Helpers of the examples; see common.h. */
#include "common.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if __has_include("opencl/cl_ventus.h")
#include "opencl/cl_ventus.h"
#else
#include <CL/cl_ventus.h> /* where it is installed */
#endif

void fail(const char *format, ...)
{
    va_list args;
    fflush(stdout);
    fputs("error: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}

static const char *error_text(cl_int error)
{
    static const struct {
        cl_int code;
        const char *text;
    } texts[] = {
        {CL_DEVICE_NOT_FOUND, "no such device"},
        {CL_DEVICE_NOT_AVAILABLE, "device not available"},
        {CL_COMPILER_NOT_AVAILABLE, "compiler not available"},
        {CL_MEM_OBJECT_ALLOCATION_FAILURE, "out of device memory"},
        {CL_OUT_OF_RESOURCES, "the device failed or is out of resources"},
        {CL_OUT_OF_HOST_MEMORY, "out of host memory"},
        {CL_BUILD_PROGRAM_FAILURE, "the program does not compile"},
        {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "an earlier command failed"},
        {CL_INVALID_VALUE, "invalid value"},
        {CL_INVALID_BUILD_OPTIONS, "invalid build options"},
        {CL_INVALID_KERNEL_ARGS, "kernel argument missing"},
        {CL_INVALID_WORK_GROUP_SIZE, "invalid work-group size"},
        {CL_INVALID_BUFFER_SIZE, "buffer too large for this device"},
        {-1001, "no OpenCL platform installed"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].code == error) return texts[i].text;
    return "OpenCL error";
}

void check_cl(cl_int error, const char *what)
{
    if (error) fail("%s: %s (%d)", what, error_text(error), error);
}

void *need(void *memory)
{
    if (!memory) fail("out of memory");
    return memory;
}

uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- command line ---- */

static void usage(const char *name, const char *purpose, unsigned size)
{
    printf("%s: %s\n\n"
           "  --device TEXT  use the first device whose name or platform contains TEXT\n"
           "  --size N       problem size, default %u\n"
           "  --output FILE  where a picture goes\n"
           "  --bench N      measure N runs of each kernel, print seconds\n",
           name, purpose, size);
    exit(0);
}

unsigned option_number(const char *option, const char *text)
{
    char *end;
    errno = 0;
    unsigned long n = strtoul(text, &end, 10);
    if (errno || *end || end == text || *text == '-' || n < 1 || n > 16384)
        fail("%s wants a number from 1 to 16384, not '%s'", option, text);
    return (unsigned)n;
}

bool option_choice(const char *option, const char *text, const char *no, const char *yes)
{
    const bool chosen = !strcmp(text, yes);
    if (!chosen && strcmp(text, no)) fail("%s wants %s or %s, not '%s'", option, no, yes, text);
    return chosen;
}

static const char *parse_options(struct session *s, int argc, char **argv, const char *purpose)
{
    const char *device = NULL;
    for (int i = 1; i < argc; i++) {
        const char *option = argv[i];
        if (!strcmp(option, "--help")) usage(s->name, purpose, s->size);
        if (strncmp(option, "--", 2)) {
            if (s->input) fail("more than one file: '%s' and '%s'", s->input, option);
            s->input = option;
            continue;
        }
        if (i + 1 == argc) fail("%s is unknown or lacks its value (see --help)", option);
        const char *value = argv[++i];
        if (!strcmp(option, "--device")) device = value;
        else if (!strcmp(option, "--size")) s->size = option_number(option, value);
        else if (!strcmp(option, "--output")) s->output = value;
        else if (!strcmp(option, "--bench")) s->samples = option_number(option, value);
        else fail("unknown option '%s' (see --help)", option);
    }
    return device;
}

/* ---- device ---- */

enum { MAX_PLATFORMS = 16, MAX_DEVICES = 16 };

/* How well a device suits: 0 not at all. */
static int rank_device(cl_device_id device, const char *platform, const char *wanted)
{
    char name[128] = "";
    cl_device_type type = 0;
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    if (wanted) return strstr(name, wanted) || strstr(platform, wanted);
    return type & CL_DEVICE_TYPE_GPU ? 2 : 1;
}

static cl_device_id pick_device(const char *wanted)
{
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint nplatforms = 0;
    check_cl(clGetPlatformIDs(MAX_PLATFORMS, platforms, &nplatforms), "looking for OpenCL platforms");
    cl_device_id best = NULL;
    int best_rank = 0;
    for (cl_uint p = 0; p < nplatforms && p < MAX_PLATFORMS; p++) {
        cl_device_id devices[MAX_DEVICES];
        cl_uint ndevices = 0;
        char name[128] = "";
        clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MAX_DEVICES, devices, &ndevices)) continue;
        for (cl_uint d = 0; d < ndevices && d < MAX_DEVICES; d++) {
            int rank = rank_device(devices[d], name, wanted);
            if (rank > best_rank) best = devices[d], best_rank = rank;
        }
    }
    if (!best && wanted) fail("no OpenCL device whose name or platform contains '%s'", wanted);
    if (!best) fail("no OpenCL device found");
    return best;
}

void session_open(struct session *s, int argc, char **argv, const char *purpose, unsigned size)
{
    *s = (struct session){.size = size};
    s->name = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
    session_device(s, parse_options(s, argc, argv, purpose));
}

void session_device(struct session *s, const char *wanted)
{
    s->device = pick_device(wanted);
    clGetDeviceInfo(s->device, CL_DEVICE_NAME, sizeof s->device_name, s->device_name, NULL);
    cl_int error;
    s->context = clCreateContext(NULL, 1, &s->device, NULL, NULL, &error);
    check_cl(error, "creating a context");
    s->queue = clCreateCommandQueue(s->context, s->device, CL_QUEUE_PROFILING_ENABLE, &error);
    check_cl(error, "creating a queue");
}

/* ---- programs ---- */

static void print_log(const struct session *s)
{
    size_t size = 0;
    clGetProgramBuildInfo(s->program, s->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    char *log = need(calloc(1, size + 1));
    clGetProgramBuildInfo(s->program, s->device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    fprintf(stderr, "%s\n", log);
    free(log);
}

void session_build(struct session *s, const char *source)
{
    cl_int error;
    double start = now();
    s->program = clCreateProgramWithSource(s->context, 1, &source, NULL, &error);
    check_cl(error, "creating the program");
    error = clBuildProgram(s->program, 1, &s->device, s->build_options, NULL, NULL);
    if (error) print_log(s);
    check_cl(error, "building the program");
    s->build_seconds = now() - start;
}

void session_build_file(struct session *s, const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file || fseek(file, 0, SEEK_END)) fail("cannot read %s", path);
    long size = ftell(file);
    char *text = need(calloc(1, (size_t)size + 1));
    rewind(file);
    if (fread(text, 1, (size_t)size, file) != (size_t)size) fail("cannot read %s", path);
    fclose(file);
    session_build(s, text);
    free(text);
}

cl_kernel session_kernel(const struct session *s, const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(s->program, name, &error);
    check_cl(error, name);
    return kernel;
}

/* ---- memory and arguments ---- */

cl_mem session_buffer(struct session *s, cl_mem_flags access, size_t bytes, const void *data)
{
    cl_int error;
    cl_mem_flags flags = access | (data ? CL_MEM_COPY_HOST_PTR : 0);
    cl_mem buffer = clCreateBuffer(s->context, flags, bytes, (void *)data, &error);
    check_cl(error, "creating a buffer");
    return buffer;
}

void session_read(struct session *s, cl_mem buffer, size_t bytes, void *data)
{
    check_cl(clEnqueueReadBuffer(s->queue, buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL), "reading a buffer");
}

void set_arg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    check_cl(clSetKernelArg(kernel, index, size, value), "setting a kernel argument");
}

/* ---- launches ---- */

static uint64_t count(cl_event event, cl_profiling_info what, bool *known)
{
    cl_ulong n = 0;
    if (clGetEventProfilingInfo(event, what, sizeof n, &n, NULL)) *known = false;
    return n;
}

/* The counts are an extension of the Ventus device; other devices refuse the codes, and then nothing is printed. */
static void add_counts(struct session *s, cl_event event)
{
    bool known = true;
    cl_ulong begin = count(event, CL_PROFILING_COMMAND_START, &known);
    cl_ulong end = count(event, CL_PROFILING_COMMAND_END, &known);
    s->kernel_seconds += 1e-9 * (double)(end - begin);
    s->instructions += count(event, CL_PROFILING_COMMAND_INSTRUCTIONS_VENTUS, &known);
    s->vector += count(event, CL_PROFILING_COMMAND_VECTOR_INSTRUCTIONS_VENTUS, &known);
    s->lanes += count(event, CL_PROFILING_COMMAND_ACTIVE_LANES_VENTUS, &known);
    s->branches += count(event, CL_PROFILING_COMMAND_BRANCHES_VENTUS, &known);
    s->divergent += count(event, CL_PROFILING_COMMAND_DIVERGENT_BRANCHES_VENTUS, &known);
    s->counted = known;
}

static double launch(struct session *s, cl_kernel kernel, cl_uint dims, const size_t *global, const size_t *local)
{
    cl_event event;
    double start = now();
    check_cl(clEnqueueNDRangeKernel(s->queue, kernel, dims, NULL, global, local, 0, NULL, &event),
             "launching a kernel");
    check_cl(clFinish(s->queue), "running a kernel");
    double seconds = now() - start;
    cl_int status = CL_COMPLETE;
    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    if (status < 0) check_cl(status, "running a kernel");
    add_counts(s, event);
    clReleaseEvent(event);
    return seconds;
}

void session_run(struct session *s, cl_kernel kernel, const char *label, cl_uint dims, const size_t *global,
                 const size_t *local)
{
    launch(s, kernel, dims, global, local);
    s->launches++;
    for (unsigned i = 0; i < s->samples; i++)
        printf("bench %s %s %.9f\n", s->name, label, launch(s, kernel, dims, global, local));
}

int session_close(struct session *s, bool ok, const char *checked)
{
    if (!s->samples) {
        printf("%-10s on %s\n", s->name, s->device_name);
        printf("  build %.0f ms, %u launch%s %.3f ms\n", 1e3 * s->build_seconds, s->launches,
               s->launches == 1 ? "" : "es", 1e3 * s->kernel_seconds);
        if (s->counted && s->vector)
            printf("  %llu warp instructions, %.1f lanes active on average, %llu of %llu branches diverged\n",
                   (unsigned long long)s->instructions, (double)s->lanes / (double)s->vector,
                   (unsigned long long)s->divergent, (unsigned long long)s->branches);
    }
    printf("  %s: %s\n", checked, ok ? "correct" : "WRONG");
    clReleaseProgram(s->program);
    clReleaseCommandQueue(s->queue);
    clReleaseContext(s->context);
    return ok ? 0 : 1;
}
