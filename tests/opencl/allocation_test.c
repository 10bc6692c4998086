/* Every allocation of a program that uses all of the API fails, one after the other: each call says so or does without,
 * nothing is freed twice or lost (the sanitizer looks), and afterwards everything works.
 *
 * This program's malloc, calloc and realloc are those of the library and of what the C library does for it, too. While
 * they count, the one whose turn it is fails: one by one, until a client has come to its end without meeting it. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "command_buffer.h"

/* ---- allocations ---- */

static atomic_bool counts;
static atomic_long number, fails_at;
static _Thread_local bool spared;

/* The thread sanitizer allocates before it can note that a function is called. */
#define UNNOTED __attribute__((no_sanitize("thread")))
#define VISIBLE __attribute__((visibility("default"))) UNNOTED
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
/* Of the sanitizer, if there is one. */
extern __attribute__((weak)) void *__interceptor_malloc(size_t), *__interceptor_calloc(size_t, size_t),
    *__interceptor_realloc(void *, size_t);

UNNOTED static bool fails(void)
{
    if (!counts || spared || atomic_fetch_add(&number, 1) != fails_at) return false;
    errno = ENOMEM;
    return true;
}

VISIBLE void *malloc(size_t size)
{
    if (fails()) return NULL;
    return __interceptor_malloc ? __interceptor_malloc(size) : __libc_malloc(size);
}

VISIBLE void *calloc(size_t n, size_t size)
{
    if (fails()) return NULL;
    return __interceptor_calloc ? __interceptor_calloc(n, size) : __libc_calloc(n, size);
}

VISIBLE void *realloc(void *old, size_t size)
{
    if (fails()) return NULL;
    return __interceptor_realloc ? __interceptor_realloc(old, size) : __libc_realloc(old, size);
}

/* The sanitizer asks for the stack of a thread that starts, and ends the program without an answer. */
VISIBLE int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes)
{
    int (*real)(pthread_t, pthread_attr_t *) = (int (*)(pthread_t, pthread_attr_t *))dlsym(RTLD_NEXT, __func__);
    spared = true;
    int result = real(thread, attributes);
    spared = false;
    return result;
}

/* ---- what clients share ---- */

static const char source[] = "kernel void add(global int *a, int n, local int *t) { t[get_local_id(0)] = n;\n"
                             "    barrier(CLK_LOCAL_MEM_FENCE); a[get_global_id(0)] += t[get_local_id(0)]; }\n"
                             "kernel void say(int n) { printf(\"%d\", n); }\n";
static const char header[] = "#define N 3\n", user[] = "#include \"n.h\"\nkernel void k(global int *a) { *a = N; }\n";

static cl_program ready;
static char folder[] = "/tmp/ventus-allocation-XXXXXX";

static clCreateSemaphoreWithPropertiesKHR_fn semaphore_create;
static clEnqueueSignalSemaphoresKHR_fn semaphore_signal;
static clEnqueueWaitSemaphoresKHR_fn semaphore_wait;
static clReleaseSemaphoreKHR_fn semaphore_release;

/* All that a client may have made; what is NULL has not been. */
struct objects {
    cl_device_id parts[2];
    cl_context context;
    cl_command_queue queue, other;
    cl_program programs[6];
    cl_kernel kernels[4];
    cl_mem mems[8];
    cl_sampler sampler;
    cl_event events[8];
    cl_event gate;
    commands commands;
    cl_semaphore_khr semaphore;
    int words[64]; /* which commands read and write until they end */
};

#define EACH(array, release) \
    for (size_t i = 0; i < sizeof(array) / sizeof *(array); i++) \
        if ((array)[i]) release((array)[i])

static void let_go(struct objects *o)
{
    if (o->gate) clSetUserEventStatus(o->gate, CL_COMPLETE);
    if (o->queue) clFinish(o->queue);
    if (o->other) clFinish(o->other);
    if (o->commands) p_clReleaseCommandBufferKHR(o->commands);
    if (o->semaphore) semaphore_release(o->semaphore);
    EACH(o->events, clReleaseEvent);
    if (o->gate) clReleaseEvent(o->gate);
    EACH(o->mems, clReleaseMemObject);
    if (o->sampler) clReleaseSampler(o->sampler);
    EACH(o->kernels, clReleaseKernel);
    EACH(o->programs, clReleaseProgram);
    if (o->queue) clReleaseCommandQueue(o->queue);
    if (o->other) clReleaseCommandQueue(o->other);
    if (o->context) clReleaseContext(o->context);
    EACH(o->parts, clReleaseDevice);
}

/* In a client: returns what is no success. */
#define DO(call) \
    do { \
        cl_int done = (call); \
        if (done) return done; \
    } while (0)
#define MAKE(object, call) \
    do { \
        cl_int err = 1; \
        (object) = (call); \
        if (err) return err; \
        if (!(object)) return 1; \
    } while (0)

static atomic_bool called, built;

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
    called = true;
}
static void CL_CALLBACK on_message(const char *text, const void *info, size_t size, void *data)
{
    (void)text, (void)info, (void)size, (void)data;
}
static void CL_CALLBACK on_context(cl_context c, void *data) { (void)c, (void)data; }
static void CL_CALLBACK on_mem(cl_mem m, void *data) { (void)m, (void)data; }
static void CL_CALLBACK on_build(cl_program p, void *data)
{
    (void)p, (void)data;
    built = true;
}
static void CL_CALLBACK native(void *args) { **(int **)args = 5; }

/* ---- clients ---- */

static cl_int use_contexts(struct objects *o)
{
    const cl_device_partition_property ones[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, 0, 0};
    const cl_context_properties in[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    const cl_queue_properties hints[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_device_id *parts = o->parts;
    DO(clCreateSubDevices(device, ones, 2, parts, NULL));
    const cl_device_id all[] = {device, parts[0], parts[1], device};
    MAKE(o->context, clCreateContext(in, 4, all, on_message, NULL, &err));
    DO(clSetContextDestructorCallback(o->context, on_context, NULL));
    MAKE(o->queue, clCreateCommandQueue(o->context, device, CL_QUEUE_PROFILING_ENABLE, &err));
    MAKE(o->other, clCreateCommandQueueWithProperties(o->context, parts[1], hints, &err));
    const cl_sampler_properties plain[] = {CL_SAMPLER_NORMALIZED_COORDS, CL_FALSE, 0};
    MAKE(o->sampler, clCreateSamplerWithProperties(o->context, plain, &err));
    MAKE(o->events[0], clCreateUserEvent(o->context, &err));
    return CL_SUCCESS;
}

static cl_int use_memory(struct objects *o)
{
    int *words = o->words, one = 1, *map;
    const cl_mem_properties none[] = {0};
    const size_t zero[3] = {0}, box[3] = {8, 2, 2};
    MAKE(o->queue, clCreateCommandQueue(context, device, 0, &err));
    MAKE(o->mems[0], clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof o->words, words, &err));
    MAKE(o->mems[1], clCreateBufferWithProperties(context, none, CL_MEM_USE_HOST_PTR, sizeof o->words, words, &err));
    MAKE(o->mems[2], clCreateSubBuffer(o->mems[0], 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){0, 128}, &err));
    MAKE(o->mems[3], clCreatePipe(context, 0, 4, 4, NULL, &err));
    DO(clSetMemObjectDestructorCallback(o->mems[0], on_mem, NULL));
    DO(clEnqueueFillBuffer(o->queue, o->mems[0], &one, 4, 0, sizeof o->words, 0, NULL, NULL));
    DO(clEnqueueCopyBuffer(o->queue, o->mems[0], o->mems[1], 0, 0, sizeof o->words, 0, NULL, &o->events[0]));
    DO(clEnqueueReadBufferRect(o->queue, o->mems[0], CL_FALSE, zero, zero, box, 0, 0, 0, 0, words, 1, o->events, NULL));
    DO(clEnqueueMigrateMemObjects(o->queue, 1, o->mems, 0, 0, NULL, NULL));
    MAKE(map, clEnqueueMapBuffer(o->queue, o->mems[1], CL_TRUE, CL_MAP_WRITE, 0, 64, 0, NULL, &o->events[1], &err));
    const int first = *map;
    cl_int unmapped = clEnqueueUnmapMemObject(o->queue, o->mems[1], map, 0, NULL, NULL);
    if (unmapped) DO(clEnqueueUnmapMemObject(o->queue, o->mems[1], map, 0, NULL, NULL)); /* it is still mapped */
    DO(unmapped);
    DO(clEnqueueWriteBuffer(o->queue, o->mems[2], CL_TRUE, 0, 64, words, 0, NULL, NULL));
    return first == 1 ? CL_SUCCESS : 1;
}

static cl_int use_images(struct objects *o)
{
    const cl_image_format format = {CL_RGBA, CL_FLOAT};
    const cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    const float colour[4] = {1, 2, 3, 4};
    const size_t zero[3] = {0}, all[3] = {4, 4, 1};
    size_t row;
    float *map;
    MAKE(o->queue, clCreateCommandQueue(context, device, 0, &err));
    MAKE(o->mems[0], clCreateImage(context, 0, &format, &shape, NULL, &err));
    MAKE(o->mems[1], clCreateBuffer(context, 0, 256, NULL, &err));
    MAKE(o->mems[2], clCreateImageWithProperties(context, (cl_mem_properties[]){0}, 0, &format, &shape, NULL, &err));
    DO(clEnqueueFillImage(o->queue, o->mems[0], colour, zero, all, 0, NULL, NULL));
    DO(clEnqueueCopyImage(o->queue, o->mems[0], o->mems[2], zero, zero, all, 0, NULL, NULL));
    DO(clEnqueueCopyImageToBuffer(o->queue, o->mems[2], o->mems[1], zero, all, 0, 0, NULL, NULL));
    DO(clEnqueueCopyBufferToImage(o->queue, o->mems[1], o->mems[0], 0, zero, all, 0, NULL, NULL));
    MAKE(map,
         clEnqueueMapImage(o->queue, o->mems[0], CL_TRUE, CL_MAP_READ, zero, all, &row, NULL, 0, NULL, NULL, &err));
    const float second = map[1];
    DO(clEnqueueUnmapMemObject(o->queue, o->mems[0], map, 0, NULL, NULL));
    return second == 2 ? CL_SUCCESS : 1;
}

static cl_int binary_of(cl_program program, size_t *size, unsigned char *bytes, size_t most)
{
    DO(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof *size, size, NULL));
    return *size <= most ? clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL) : 1;
}

static cl_int use_programs(struct objects *o)
{
    static unsigned char bytes[1 << 20];
    const unsigned char *binary = bytes;
    const char *text = source, *parts[] = {user}, *included = header, *name = "n.h";
    size_t size;
    built = false;
    cl_program *p = o->programs;
    char names[64];
    MAKE(p[0], clCreateProgramWithSource(context, 1, &text, NULL, &err));
    DO(clBuildProgram(p[0], 1, &device, "-cl-kernel-arg-info", NULL, NULL));
    DO(binary_of(p[0], &size, bytes, sizeof bytes));
    MAKE(p[1], clCreateProgramWithBinary(context, 1, &device, &size, &binary, NULL, &err));
    DO(clBuildProgram(p[1], 0, NULL, NULL, NULL, NULL));
    MAKE(p[2], clCreateProgramWithSource(context, 1, parts, NULL, &err));
    MAKE(p[3], clCreateProgramWithSource(context, 1, &included, NULL, &err));
    DO(clCompileProgram(p[2], 0, NULL, "", 1, &p[3], &name, NULL, NULL));
    MAKE(p[4], clLinkProgram(context, 0, NULL, "", 1, &p[2], NULL, NULL, &err));
    MAKE(p[5], clCreateProgramWithSource(context, 1, &text, NULL, &err));
    cl_int started = clBuildProgram(p[5], 0, NULL, "", on_build, NULL);
    while (!started && !built) usleep(100);
    DO(started);
    MAKE(o->kernels[0], clCreateKernel(p[1], "add", &err));
    MAKE(o->kernels[1], clCloneKernel(o->kernels[0], &err));
    DO(clCreateKernelsInProgram(p[0], 2, o->kernels + 2, NULL));
    return clGetProgramInfo(p[0], CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL);
}

static cl_int use_launches(struct objects *o)
{
    const size_t items = 64;
    int n = 1, *out = o->words, *args[] = {NULL};
    called = false;
    MAKE(o->queue, clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &err));
    MAKE(o->other, clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &err));
    MAKE(o->gate, clCreateUserEvent(context, &err));
    MAKE(o->mems[0], clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof o->words, out, &err));
    MAKE(o->kernels[0], clCreateKernel(ready, "add", &err));
    MAKE(o->kernels[1], clCreateKernel(ready, "say", &err));
    DO(clSetKernelArg(o->kernels[0], 0, sizeof *o->mems, o->mems));
    DO(clSetKernelArg(o->kernels[0], 1, sizeof n, &n));
    DO(clSetKernelArg(o->kernels[0], 2, 256, NULL));
    DO(clSetKernelArg(o->kernels[1], 0, sizeof n, &n));
    DO(clEnqueueNDRangeKernel(o->queue, o->kernels[0], 1, NULL, &items, &items, 1, &o->gate, &o->events[0]));
    DO(clSetEventCallback(o->events[0], CL_COMPLETE, on_event, NULL));
    DO(clEnqueueNDRangeKernel(o->other, o->kernels[0], 1, NULL, &items, &items, 1, &o->events[0], &o->events[1]));
    DO(clEnqueueBarrierWithWaitList(o->other, 0, NULL, NULL));
    DO(clEnqueueMarkerWithWaitList(o->other, 2, o->events, &o->events[2]));
    cl_int told = clSetUserEventStatus(o->gate, CL_COMPLETE), waited = clWaitForEvents(3, o->events);
    while (!called) usleep(100);
    DO(told);
    DO(waited);
    DO(clEnqueueReadBuffer(o->other, o->mems[0], CL_TRUE, 0, sizeof o->words, out, 0, NULL, NULL));
    for (size_t i = 0; i < items; i++)
        if (out[i] != 2) return 1;
    DO(clEnqueueNativeKernel(o->queue, native, args, sizeof args, 1, o->mems, (const void *[]){args}, 0, NULL, NULL));
    DO(clEnqueueTask(o->queue, o->kernels[1], 0, NULL, NULL));
    return clFinish(o->queue);
}

static cl_int use_command_buffers(struct objects *o)
{
    const size_t items = 64;
    int n = 1, *out = o->words, two = 2;
    const cl_properties list[] = {CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_MUTABLE_KHR, 0};
    cl_mutable_command_khr handle;
    point points[2];
    MAKE(o->queue, clCreateCommandQueue(context, device, 0, &err));
    MAKE(o->mems[0], clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof o->words, out, &err));
    MAKE(o->kernels[0], clCreateKernel(ready, "add", &err));
    DO(clSetKernelArg(o->kernels[0], 0, sizeof *o->mems, o->mems));
    DO(clSetKernelArg(o->kernels[0], 1, sizeof n, &n));
    DO(clSetKernelArg(o->kernels[0], 2, 256, NULL));
    MAKE(o->commands, p_clCreateCommandBufferKHR(1, &o->queue, list, &err));
    DO(p_clCommandFillBufferKHR(o->commands, NULL, NULL, o->mems[0], &n, 4, 0, 256, 0, NULL, &points[0], NULL));
    DO(p_clCommandNDRangeKernelKHR(o->commands, NULL, NULL, o->kernels[0], 1, NULL, &items, &items, 1, points, NULL,
                                   &handle));
    DO(p_clCommandBarrierWithWaitListKHR(o->commands, NULL, NULL, 0, NULL, NULL, NULL));
    DO(p_clFinalizeCommandBufferKHR(o->commands));
    DO(p_clEnqueueCommandBufferKHR(0, NULL, o->commands, 0, NULL, &o->events[0]));
    const cl_mutable_dispatch_arg_khr arg = {1, sizeof two, &two};
    const struct mutable_dispatch_config change = {.command = handle, .num_args = 1, .arg_list = &arg};
    const cl_uint kind = MUTABLE_DISPATCH_CONFIG;
    DO(p_clUpdateMutableCommandsKHR(o->commands, 1, &kind, (const void *[]){&change}));
    DO(p_clEnqueueCommandBufferKHR(0, NULL, o->commands, 0, NULL, &o->events[1]));
    DO(clEnqueueReadBuffer(o->queue, o->mems[0], CL_TRUE, 0, sizeof o->words, out, 0, NULL, NULL));
    return out[63] == 3 ? CL_SUCCESS : 1;
}

static cl_int use_semaphores(struct objects *o)
{
    const cl_semaphore_properties_khr binary[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
    MAKE(o->queue, clCreateCommandQueue(context, device, 0, &err));
    MAKE(o->other, clCreateCommandQueue(context, device, 0, &err));
    MAKE(o->semaphore, semaphore_create(context, binary, &err));
    cl_int waits = semaphore_wait(o->queue, 1, &o->semaphore, NULL, 0, NULL, &o->events[0]);
    cl_int signals = semaphore_signal(o->other, 1, &o->semaphore, NULL, 0, NULL, NULL);
    if (signals && !waits) signals = semaphore_signal(o->other, 1, &o->semaphore, NULL, 0, NULL, NULL);
    DO(waits);
    DO(signals);
    return clFinish(o->queue);
}

/* Where shared virtual memory is offered. */
static cl_int use_shared_memory(struct objects *o)
{
    cl_int one = 1, *p;
    cl_int error = CL_SUCCESS;
    MAKE(o->queue, clCreateCommandQueue(context, device, 0, &err));
    if (!(p = clSVMAlloc(context, CL_MEM_READ_WRITE, 4096, 0))) return CL_OUT_OF_RESOURCES;
    if (!error) error = clEnqueueSVMMemFill(o->queue, p, &one, 4, 2048, 0, NULL, &o->events[0]);
    if (!error) error = clEnqueueSVMMemcpy(o->queue, CL_TRUE, p + 512, p, 2048, 1, o->events, NULL);
    if (!error) error = clEnqueueSVMMap(o->queue, CL_TRUE, CL_MAP_READ, p, 4096, 0, NULL, NULL);
    if (!error && p[1023] != 1) error = 1;
    if (!error) error = clEnqueueSVMUnmap(o->queue, p, 0, NULL, NULL);
    if (!error) error = clEnqueueSVMFree(o->queue, 1, (void *[]){p}, NULL, NULL, 0, NULL, NULL);
    if (error) clFinish(o->queue);
    if (error) clSVMFree(context, p);
    return error ? error : clFinish(o->queue);
}

/* ---- one failure after the other ---- */

typedef cl_int client(struct objects *o);

/* What a call may say that has no memory. */
static bool is_for_want_of_memory(cl_int error)
{
    return error == CL_OUT_OF_HOST_MEMORY || error == CL_OUT_OF_RESOURCES ||
           error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST ||
           error == CL_MAP_FAILURE;
}

static cl_int run_failing(client *use, long at)
{
    struct objects o = {0};
    number = 0;
    fails_at = at;
    counts = true;
    cl_int error = use(&o);
    let_go(&o);
    counts = false;
    return error;
}

static void fail_each(client *use, const char *name)
{
    long at = 0;
    OK(run_failing(use, -1)); /* what is made once is there */
    for (bool met = true; met; at++) {
        cl_int error = run_failing(use, at);
        met = number > at;
        if (error && !(met && is_for_want_of_memory(error))) fail_msg("%s, allocation %ld: error %d", name, at, error);
    }
    print_message("  %s: %ld allocations\n", name, at - 1);
    assert_true(at > 1);
    OK(run_failing(use, -1));
}

#define TEST_EACH(client) \
    static void test_##client(void **state) \
    { \
        (void)state; \
        fail_each(use_##client, #client); \
    }
TEST_EACH(contexts)
TEST_EACH(memory)
TEST_EACH(images)
TEST_EACH(launches)
TEST_EACH(command_buffers)
TEST_EACH(semaphores)

static void test_shared_memory(void **state)
{
    (void)state;
    if (!QUERY(cl_device_svm_capabilities, clGetDeviceInfo, device, CL_DEVICE_SVM_CAPABILITIES)) skip();
    fail_each(use_shared_memory, "shared memory");
}

static cl_int use_new_programs(struct objects *o)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s/cache", folder);
    spared = true;
    const int failed = system(command);
    spared = false;
    assert_false(failed);
    return use_programs(o);
}

/* With a compiler that has it ready, and with results kept on disk: where a result cannot be read for want of memory,
 * that compiler is asked again. */
static void test_programs(void **state)
{
    (void)state;
    char script[800];
    snprintf(
        script, sizeof script,
        "f=%s/built; case \"$*\" in *--files*) f=%s/files;; *--preprocess*) f=%s/text;; *--compile*) f=%s/object;; "
        "*--link*) f=%s/linked;; esac\n[ -s $f ] || %s/ventus-cc \"$@\" >$f; exec cat $f",
        folder, folder, folder, folder, folder, build_folder());
    fake_compiler(script);
    fail_each(use_programs, "programs");
    setenv("VENTUS_CACHE", "1", 1);
    snprintf(script, sizeof script, "%s/cache", folder);
    setenv("VENTUS_CACHE_DIR", script, 1);
    fail_each(use_programs, "programs of the cache");
    fail_each(use_new_programs, "programs for the cache");
    setenv("VENTUS_CACHE", "0", 1);
    fake_compiler(NULL);
}

/* A machine is made once in a process. */
static cl_int use_machine(struct objects *o)
{
    MAKE(o->context, clCreateContext(NULL, 1, &device, NULL, NULL, &err));
    return CL_SUCCESS;
}

static void test_machine(void **state)
{
    (void)state;
    int status = 2;
    for (long at = 0; status != 1 << 8; at++) {
        pid_t child = fork();
        if (!child) {
            cl_int error = run_failing(use_machine, at);
            bool met = number > at;
            _exit(error && !(met && (is_for_want_of_memory(error) || error == CL_DEVICE_NOT_AVAILABLE)) ? 3 : !met);
        }
        waitpid(child, &status, 0);
        if (status && status != 1 << 8) fail_msg("machine, allocation %ld: status %x", at, status);
    }
}

/* ---- */

static int setup(void **state)
{
    if (!mkdtemp(folder) || command_buffer_setup(state)) return -1;
    ready = program_build(source, NULL);
    semaphore_create = clGetExtensionFunctionAddressForPlatform(platform, "clCreateSemaphoreWithPropertiesKHR");
    semaphore_signal = clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueSignalSemaphoresKHR");
    semaphore_wait = clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueWaitSemaphoresKHR");
    semaphore_release = clGetExtensionFunctionAddressForPlatform(platform, "clReleaseSemaphoreKHR");
    return 0;
}

static int teardown(void **state)
{
    char command[256];
    clReleaseProgram(ready);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return check_teardown(state) || system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contexts),      cmocka_unit_test(test_memory),          cmocka_unit_test(test_images),
        cmocka_unit_test(test_launches),      cmocka_unit_test(test_command_buffers), cmocka_unit_test(test_semaphores),
        cmocka_unit_test(test_shared_memory), cmocka_unit_test(test_programs),        cmocka_unit_test(test_machine),
    };
    setenv("VENTUS_DEBUG", "0", 1);
    setenv("VENTUS_SVM", "1", 1);
    cmocka_set_test_filter(getenv("ONLY"));
    return cmocka_run_group_tests(tests, setup, teardown);
}
