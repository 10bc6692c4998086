/* Finds the device under test and holds the helpers of check.h. A test that finds no Ventus platform
 * fails: nothing may pass on another implementation by accident. Linked into every test of this folder. */
#include <limits.h>
#include <sys/stat.h>

#include "check.h"

cl_platform_id platform;
cl_device_id device;
cl_context context;
cl_command_queue queue;

static char script_path[] = "/tmp/ventus-test-XXXXXX";
static bool script_made;
static char machine_path[] = "/tmp/ventus-machine-XXXXXX";
static bool machine_made;

const char *build_folder(void)
{
    static char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n < 0 ? 0 : n] = 0;
    for (int up = 0; n > 0 && up < 3; up++) *strrchr(path, '/') = 0;
    return path;
}

/* Before any OpenCL call: the loader reads the variable once. What a compiler made that stands in for the real one is
 * not for the user's cache. */
static void __attribute__((constructor)) find_icd(void)
{
    char path[PATH_MAX + 16];
    setenv("VENTUS_CACHE", "0", 0);
    snprintf(path, sizeof path, "%s/ventus.icd", build_folder());
    setenv("OCL_ICD_VENDORS", path, 0);
}

static bool is_ventus(cl_platform_id p)
{
    char name[64];
    return clGetPlatformInfo(p, CL_PLATFORM_NAME, sizeof name, name, NULL) == CL_SUCCESS && strcmp(name, "Ventus") == 0;
}

int check_machine(const char *parameters)
{
    int file = mkstemp(machine_path);
    machine_made = file >= 0;
    bool good = machine_made && dprintf(file, "%s\n", parameters) > 0;
    if (machine_made) close(file);
    return good ? setenv("VENTUS_CONFIG", machine_path, 1) : -1;
}

int check_setup(void **state)
{
    (void)state;
    cl_platform_id list[16];
    cl_uint count = 0;
    cl_int err;
    if (clGetPlatformIDs(16, list, &count) != CL_SUCCESS) count = 0;
    for (cl_uint i = 0; i < count && i < 16 && !platform; i++)
        if (is_ventus(list[i])) platform = list[i];
    if (!platform) {
        fprintf(stderr, "no platform \"Ventus\"; set OCL_ICD_VENDORS to the build's ventus.icd\n");
        return -1;
    }
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) return -1;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    if (context) queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &err);
    return queue ? 0 : -1;
}

int check_teardown(void **state)
{
    (void)state;
    if (script_made) unlink(script_path);
    if (machine_made) unlink(machine_path);
    return clReleaseCommandQueue(queue) || clReleaseContext(context);
}

cl_mem buffer_new(cl_mem_flags flags, size_t size, void *host)
{
    cl_int err = 1;
    cl_mem mem = clCreateBuffer(context, flags, size, host, &err);
    OK(err);
    assert_non_null(mem);
    return mem;
}

cl_int event_status(cl_event event) { return QUERY(cl_int, clGetEventInfo, event, CL_EVENT_COMMAND_EXECUTION_STATUS); }

cl_program program_build(const char *source, const char *options)
{
    cl_int err;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    OK(err);
    err = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (err) {
        char log[4096] = "";
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        fail_msg("build: error %d\n%s", err, log);
    }
    return program;
}

void fake_compiler(const char *script)
{
    unsetenv("VENTUS_CC");
    if (!script) return;
    if (!script_made) close(mkstemp(script_path));
    script_made = true;
    unlink(script_path); /* a new file each time: one being executed cannot be written */
    FILE *file = fopen(script_path, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", script);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(script_path, 0700), 0);
    setenv("VENTUS_CC", script_path, 1);
}
