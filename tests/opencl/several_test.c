/* Contexts of several devices: programs that are built for some of them, states and binaries of each, links, kernels
 * that differ from device to device, and objects that are for one device. */
#include <stdatomic.h>
#include <sys/stat.h>

#include "command_buffer.h"

enum { DEVICES = 3 };

/* The whole, a part of it, and another device that is no part of the first part. */
static cl_device_id devices[DEVICES];
static cl_context three;
static cl_command_queue queues[DEVICES];

static int three_setup(void **state)
{
    static const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_int err;
    if (check_machine("sms = 2") || command_buffer_setup(state)) return -1;
    if (clCreateSubDevices(device, equally, 2, devices + 1, NULL)) return -1;
    devices[0] = device;
    three = clCreateContext(NULL, DEVICES, devices, NULL, NULL, &err);
    for (int i = 0; i < DEVICES && three; i++)
        queues[i] = clCreateCommandQueueWithProperties(three, devices[i], NULL, &err);
    return queues[DEVICES - 1] ? 0 : -1;
}

static int three_teardown(void **state)
{
    for (int i = 0; i < DEVICES; i++) clReleaseCommandQueue(queues[i]);
    return clReleaseContext(three) || clReleaseDevice(devices[1]) || clReleaseDevice(devices[2]) ||
           check_teardown(state);
}

static cl_program program_of(const char *source)
{
    cl_int err;
    cl_program program = clCreateProgramWithSource(three, 1, &source, NULL, &err);
    OK(err);
    return program;
}

/* One answer about the build for a device. */
#define BUILD(type, program, which, param) \
    ({ \
        type v_; \
        OK(clGetProgramBuildInfo(program, devices[which], param, sizeof v_, &v_, NULL)); \
        v_; \
    })

static void assert_states(cl_program program, const cl_build_status states[DEVICES])
{
    for (int i = 0; i < DEVICES; i++)
        if (BUILD(cl_build_status, program, i, CL_PROGRAM_BUILD_STATUS) != states[i])
            fail_msg("device %d: %d", i, BUILD(cl_build_status, program, i, CL_PROGRAM_BUILD_STATUS));
}

static cl_kernel kernel_of(cl_program program, const char *name)
{
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, name, &err);
    OK(err);
    return kernel;
}

/* Runs kernel "f", which writes a number, on a queue; the error of the launch, or CL_SUCCESS and the number. */
static cl_int run_f(cl_program program, int which, cl_int *number)
{
    cl_int err;
    const size_t one = 1;
    cl_kernel kernel = kernel_of(program, "f");
    cl_mem mem = clCreateBuffer(three, 0, sizeof *number, NULL, &err);
    OK(err);
    OK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
    err = clEnqueueNDRangeKernel(queues[which], kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
    if (!err) OK(clEnqueueReadBuffer(queues[which], mem, CL_TRUE, 0, sizeof *number, number, 0, NULL, NULL));
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(kernel));
    return err;
}

static const char plain[] = "kernel void f(global int *a) { *a = N; }";

/* ---- builds ---- */

static void test_all(void **state)
{
    cl_program program = program_of(plain);
    cl_device_id there[DEVICES];
    cl_int number;
    size_t size;
    (void)state;
    assert_int_equal(QUERY(cl_uint, clGetProgramInfo, program, CL_PROGRAM_NUM_DEVICES), DEVICES);
    OK(clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof there, there, &size));
    assert_memory_equal(there, devices, sizeof there);
    assert_int_equal(size, sizeof there);
    assert_states(program, (cl_build_status[]){CL_BUILD_NONE, CL_BUILD_NONE, CL_BUILD_NONE});
    OK(clBuildProgram(program, 0, NULL, "-DN=5", NULL, NULL));
    assert_states(program, (cl_build_status[]){CL_BUILD_SUCCESS, CL_BUILD_SUCCESS, CL_BUILD_SUCCESS});
    for (int i = 0; i < DEVICES; i++) {
        OK(run_f(program, i, &number));
        assert_int_equal(number, 5);
    }
    OK(clReleaseProgram(program));
}

/* A program that is built for a device is built for its parts, and for no others. */
static void test_whole_and_parts(void **state)
{
    cl_program program = program_of(plain);
    cl_int number;
    (void)state;
    OK(clBuildProgram(program, 1, &devices[1], "-DN=1", NULL, NULL));
    assert_states(program, (cl_build_status[]){CL_BUILD_NONE, CL_BUILD_SUCCESS, CL_BUILD_NONE});
    OK(run_f(program, 1, &number));
    FAILS(CL_INVALID_PROGRAM_EXECUTABLE, run_f(program, 0, &number));
    FAILS(CL_INVALID_PROGRAM_EXECUTABLE, run_f(program, 2, &number));
    OK(clBuildProgram(program, 1, &devices[0], "-DN=7", NULL, NULL));
    assert_states(program, (cl_build_status[]){CL_BUILD_SUCCESS, CL_BUILD_SUCCESS, CL_BUILD_SUCCESS});
    OK(run_f(program, 2, &number));
    assert_int_equal(number, 7);
    OK(clReleaseProgram(program));
}

/* Each device has what it was last built with: options, log, state and code. */
static void test_different_builds(void **state)
{
    cl_program program = program_of(plain);
    char text[2000];
    cl_int number;
    (void)state;
    OK(clBuildProgram(program, 1, &devices[1], "-DN=1", NULL, NULL));
    OK(clBuildProgram(program, 1, &devices[2], "-DN=2", NULL, NULL));
    for (int i = 1; i < DEVICES; i++) {
        OK(run_f(program, i, &number));
        assert_int_equal(number, i);
    }
    FAILS(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 1, &devices[2], "-DN=wrong", NULL, NULL));
    assert_states(program, (cl_build_status[]){CL_BUILD_NONE, CL_BUILD_SUCCESS, CL_BUILD_ERROR});
    OK(clGetProgramBuildInfo(program, devices[2], CL_PROGRAM_BUILD_LOG, sizeof text, text, NULL));
    assert_non_null(strstr(text, "wrong"));
    OK(clGetProgramBuildInfo(program, devices[1], CL_PROGRAM_BUILD_LOG, sizeof text, text, NULL));
    assert_null(strstr(text, "wrong"));
    OK(clGetProgramBuildInfo(program, devices[1], CL_PROGRAM_BUILD_OPTIONS, sizeof text, text, NULL));
    assert_string_equal(text, "-DN=1");
    assert_int_equal(QUERY(size_t, clGetProgramInfo, program, CL_PROGRAM_NUM_KERNELS), 1);
    OK(run_f(program, 1, &number));
    FAILS(CL_INVALID_PROGRAM_EXECUTABLE, run_f(program, 2, &number));
    OK(clReleaseProgram(program));
}

static void CL_CALLBACK build_ended(cl_program program, void *count)
{
    (void)program;
    atomic_fetch_add((atomic_int *)count, 1);
}

/* Builds for two devices run at the same time, a second one for the same device does not, and both end when the client
 * lets go of the program. */
static void test_builds_at_once(void **state)
{
    static atomic_int ended;
    char path[] = "/tmp/ventus-builds-XXXXXX", script[100];
    struct stat begun = {0};
    cl_program program = program_of(plain);
    (void)state;
    close(mkstemp(path));
    snprintf(script, sizeof script, "echo >>%s; exec sleep 60", path);
    fake_compiler(script);
    for (int i = 1; i < DEVICES; i++) OK(clBuildProgram(program, 1, &devices[i], "", build_ended, &ended));
    for (int i = 0; i < 10000 && begun.st_size < 2 && !stat(path, &begun); i++) usleep(1000);
    assert_int_equal(begun.st_size, 2);
    unlink(path);
    assert_states(program, (cl_build_status[]){CL_BUILD_NONE, CL_BUILD_IN_PROGRESS, CL_BUILD_IN_PROGRESS});
    FAILS(CL_INVALID_OPERATION, clBuildProgram(program, 1, &devices[1], "", NULL, NULL));
    FAILS(CL_INVALID_OPERATION, clBuildProgram(program, 0, NULL, "", NULL, NULL));
    OK(clReleaseProgram(program));
    for (int i = 0; i < 10000 && ended < 2; i++) usleep(1000);
    assert_int_equal(ended, 2);
    fake_compiler(NULL);
}

/* Kernels have to be the same wherever they are. */
static void test_definitions(void **state)
{
    static const char source[] = "kernel void f(global T *a) { *a = 1; }\n"
                                 "kernel void g(global int *a) { *a = 2; }\n"
                                 "#ifdef ONE\n"
                                 "kernel void here(int n) { }\n"
                                 "#endif\n";
    cl_program program = program_of(source);
    cl_kernel kernels[3], kernel;
    cl_uint count;
    cl_int err;
    const size_t one = 1;
    (void)state;
    OK(clBuildProgram(program, 1, &devices[1], "-DT=int -DONE", NULL, NULL));
    OK(clBuildProgram(program, 1, &devices[2], "-DT=float", NULL, NULL));
    REFUSED(CL_INVALID_KERNEL_DEFINITION, clCreateKernel(program, "f", &err));
    REFUSED(CL_INVALID_KERNEL_NAME, clCreateKernel(program, "none", &err));
    OK(clCreateKernelsInProgram(program, 0, NULL, &count));
    assert_int_equal(count, 2);
    FAILS(CL_INVALID_VALUE, clCreateKernelsInProgram(program, 1, kernels, NULL));
    OK(clCreateKernelsInProgram(program, 3, kernels, &count));
    assert_int_equal(count, 2);
    for (cl_uint i = 0; i < count; i++) OK(clReleaseKernel(kernels[i]));
    kernel = kernel_of(program, "here");
    OK(clSetKernelArg(kernel, 0, sizeof err, &err));
    OK(clEnqueueNDRangeKernel(queues[1], kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    FAILS(CL_INVALID_PROGRAM_EXECUTABLE, clEnqueueNDRangeKernel(queues[2], kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clFinish(queues[1]));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

/* ---- what is asked of which device ---- */

static void test_device_arguments(void **state)
{
    cl_program program = program_of(plain), other = program_build("kernel void f(global int *a) {}", "");
    cl_int err;
    size_t size;
    (void)state;
    OK(clBuildProgram(program, 1, &devices[1], "-DN=1", NULL, NULL));
    cl_kernel kernel = kernel_of(program, "f"), alone = kernel_of(other, "f");
#define ASK(k, d) clGetKernelWorkGroupInfo(k, d, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, NULL)
    OK(ASK(kernel, devices[1]));
    FAILS(CL_INVALID_DEVICE, ASK(kernel, NULL));
    FAILS(CL_INVALID_DEVICE, ASK(kernel, devices[2]));
    OK(ASK(alone, NULL));
    FAILS(CL_INVALID_DEVICE, ASK(alone, devices[1]));
    FAILS(CL_INVALID_DEVICE,
          clGetKernelSubGroupInfo(kernel, devices[2], CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof size, &size, NULL));
    FAILS(CL_INVALID_DEVICE, clGetProgramBuildInfo(other, devices[1], CL_PROGRAM_BUILD_STATUS, sizeof err, &err, NULL));
    FAILS(CL_INVALID_DEVICE, clBuildProgram(other, 1, &devices[1], "", NULL, NULL));
    FAILS(CL_INVALID_DEVICE, clCompileProgram(other, 1, &devices[1], "", 0, NULL, NULL, NULL, NULL));
    REFUSED(CL_INVALID_DEVICE, clLinkProgram(context, 1, &devices[1], "", 1, &other, NULL, NULL, &err));
    REFUSED(CL_INVALID_DEVICE, clCreateProgramWithBuiltInKernels(context, 1, &devices[1], "x", &err));
    OK(clReleaseKernel(kernel));
    OK(clReleaseKernel(alone));
    OK(clReleaseProgram(program));
    OK(clReleaseProgram(other));
}

/* ---- binaries ---- */

static void test_binaries(void **state)
{
    cl_program program = program_of(plain), again;
    size_t sizes[DEVICES], size;
    unsigned char *bytes[DEVICES] = {NULL};
    cl_int status[2], err, number;
    (void)state;
    OK(clBuildProgram(program, 1, &devices[1], "-DN=11", NULL, NULL));
    OK(clBuildProgram(program, 1, &devices[2], "-DN=12", NULL, NULL));
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, &size));
    assert_int_equal(size, sizeof sizes);
    assert_int_equal(sizes[0], 0);
    for (int i = 1; i < DEVICES; i++) assert_non_null(bytes[i] = malloc(sizes[i]));
    FAILS(CL_INVALID_VALUE, clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes - 1, bytes, NULL));
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, bytes, &size));
    assert_int_equal(size, sizeof bytes);
    const unsigned char *given[] = {bytes[1], bytes[2]};
    again = clCreateProgramWithBinary(three, 2, devices + 1, sizes + 1, given, status, &err);
    OK(err);
    assert_int_equal(QUERY(cl_uint, clGetProgramInfo, again, CL_PROGRAM_NUM_DEVICES), 2);
    FAILS(CL_INVALID_DEVICE, clBuildProgram(again, 1, &devices[0], "", NULL, NULL));
    OK(clBuildProgram(again, 0, NULL, "", NULL, NULL));
    for (int i = 1; i < DEVICES; i++) {
        OK(run_f(again, i, &number));
        assert_int_equal(number, 10 + i);
    }
    FAILS(CL_INVALID_PROGRAM_EXECUTABLE, run_f(again, 0, &number));
    OK(clReleaseProgram(again));
    bytes[2][0] ^= 1;
    REFUSED(CL_INVALID_BINARY, clCreateProgramWithBinary(three, 2, devices + 1, sizes + 1, given, status, &err));
    assert_int_equal(status[0], CL_SUCCESS);
    assert_int_equal(status[1], CL_INVALID_BINARY);
    bytes[1][0] ^= 1, bytes[2][0] ^= 1; /* now the first one */
    REFUSED(CL_INVALID_BINARY, clCreateProgramWithBinary(three, 2, devices + 1, sizes + 1, given, status, &err));
    assert_int_equal(status[0], CL_INVALID_BINARY);
    assert_int_equal(status[1], CL_SUCCESS);
    given[0] = NULL;
    REFUSED(CL_INVALID_VALUE, clCreateProgramWithBinary(three, 2, devices + 1, sizes + 1, given, status, &err));
    assert_int_equal(status[0], CL_INVALID_VALUE);
    REFUSED(CL_INVALID_DEVICE, clCreateProgramWithBinary(context, 2, devices + 1, sizes + 1, given, status, &err));
    for (int i = 1; i < DEVICES; i++) free(bytes[i]);
    OK(clReleaseProgram(program));
}

/* ---- links ---- */

/* A link is for the devices that all inputs have been compiled for; some of them for a device and others not is an
 * error. */
static void test_links(void **state)
{
    cl_program a = program_of("int value(void); kernel void f(global int *a) { *a = value(); }"),
               b = program_of("int value(void) { return N; }"), both[] = {a, b};
    cl_int err, number;
    (void)state;
    OK(clCompileProgram(a, 2, devices + 1, "", 0, NULL, NULL, NULL, NULL));
    REFUSED(CL_INVALID_OPERATION, clLinkProgram(three, 0, NULL, "", 2, both, NULL, NULL, &err));
    for (int i = 1; i < DEVICES; i++)
        OK(clCompileProgram(b, 1, &devices[i], i == 1 ? "-DN=21" : "-DN=22", 0, NULL, NULL, NULL, NULL));
    assert_int_equal(BUILD(cl_program_binary_type, b, 0, CL_PROGRAM_BINARY_TYPE), CL_PROGRAM_BINARY_TYPE_NONE);
    cl_program linked = clLinkProgram(three, 0, NULL, "", 2, both, NULL, NULL, &err);
    OK(err);
    assert_states(linked, (cl_build_status[]){CL_BUILD_NONE, CL_BUILD_SUCCESS, CL_BUILD_SUCCESS});
    for (int i = 1; i < DEVICES; i++) {
        OK(run_f(linked, i, &number));
        assert_int_equal(number, 20 + i);
    }
    OK(clReleaseProgram(linked));
    REFUSED(CL_INVALID_OPERATION, clLinkProgram(three, 1, devices, "", 2, both, NULL, NULL, &err));
    OK(clReleaseProgram(a));
    OK(clReleaseProgram(b));
}

/* ---- objects for one device ---- */

static void test_command_buffer(void **state)
{
    commands b = buffer_on(queues[1]);
    (void)state;
    OK(p_clCommandBarrierWithWaitListKHR(b, NULL, NULL, 0, NULL, NULL, NULL));
    OK(p_clFinalizeCommandBufferKHR(b));
    FAILS(CL_INVALID_DEVICE, p_clEnqueueCommandBufferKHR(1, &queues[2], b, 0, NULL, NULL));
    OK(p_clEnqueueCommandBufferKHR(1, &queues[1], b, 0, NULL, NULL));
    OK(clFinish(queues[1]));
    OK(p_clReleaseCommandBufferKHR(b));
}

static void test_semaphore(void **state)
{
    clCreateSemaphoreWithPropertiesKHR_fn create =
        clGetExtensionFunctionAddressForPlatform(platform, "clCreateSemaphoreWithPropertiesKHR");
    clEnqueueSignalSemaphoresKHR_fn signal_all =
        clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueSignalSemaphoresKHR");
    clGetSemaphoreInfoKHR_fn info = clGetExtensionFunctionAddressForPlatform(platform, "clGetSemaphoreInfoKHR");
    clReleaseSemaphoreKHR_fn release = clGetExtensionFunctionAddressForPlatform(platform, "clReleaseSemaphoreKHR");
    cl_semaphore_properties_khr list[] = {CL_SEMAPHORE_TYPE_KHR,
                                          CL_SEMAPHORE_TYPE_BINARY_KHR,
                                          0,
                                          (cl_semaphore_properties_khr)(uintptr_t)devices[1],
                                          0,
                                          0};
    cl_int err;
    (void)state;
    REFUSED(CL_INVALID_PROPERTY, create(three, list, &err)); /* it has to be said for which device */
    list[2] = CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR;
    REFUSED(CL_INVALID_DEVICE, create(context, list, &err));
    cl_semaphore_khr s = create(three, list, &err);
    OK(err);
    assert_ptr_equal(QUERY(cl_device_id, info, s, CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR), devices[1]);
    FAILS(CL_INVALID_COMMAND_QUEUE, signal_all(queues[2], 1, &s, NULL, 0, NULL, NULL));
    OK(signal_all(queues[1], 1, &s, NULL, 0, NULL, NULL));
    OK(clFinish(queues[1]));
    OK(release(s));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),         cmocka_unit_test(test_whole_and_parts),
        cmocka_unit_test(test_definitions), cmocka_unit_test(test_different_builds),
        cmocka_unit_test(test_binaries),    cmocka_unit_test(test_device_arguments),
        cmocka_unit_test(test_links),       cmocka_unit_test(test_command_buffer),
        cmocka_unit_test(test_semaphore),   cmocka_unit_test(test_builds_at_once),
    };
    return cmocka_run_group_tests(tests, three_setup, three_teardown);
}
