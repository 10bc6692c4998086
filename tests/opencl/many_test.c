/* Many of everything: contexts and buffers that live at the same time, and commands that nobody waits for. */
#include <dirent.h>
#include <sys/resource.h>

#include "check.h"

static double processor_seconds(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)u.ru_utime.tv_sec + (double)u.ru_utime.tv_usec / 1e6;
}

/* In a time that grows with their number, not with its square. */
static void test_contexts(void **state)
{
    (void)state;
    enum { N = 8000 };
    static cl_context contexts[N];
    const double begin = processor_seconds();
    cl_int err;
    for (int i = 0; i < N; i++) {
        contexts[i] = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
        OK(err);
    }
    for (int i = 0; i < N; i++) OK(clReleaseContext(contexts[i]));
    assert_true(processor_seconds() - begin < 5);
}

/* How many there are in a folder of /proc. */
static int entries(const char *folder)
{
    int n = 0;
    DIR *d = opendir(folder);
    while (d && readdir(d)) n++;
    if (d) closedir(d);
    return n;
}

/* Contexts that have worked, and that go behind user events which nobody answers: their machines, with a thread each,
 * are taken down but for a few. */
static void test_released_contexts(void **state)
{
    enum { N = 100, LEFT = 40 };
    static cl_event gates[N];
    cl_int err, zero = 0;
    (void)state;
    const int before = entries("/proc/self/task");
    for (int i = 0; i < N; i++) {
        cl_context c = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
        cl_command_queue q = clCreateCommandQueueWithProperties(c, device, NULL, &err);
        cl_mem m = clCreateBuffer(c, 0, 64, NULL, &err);
        gates[i] = clCreateUserEvent(c, &err);
        OK(clEnqueueFillBuffer(q, m, &zero, 4, 0, 64, 1, &gates[i], NULL));
        OK(clReleaseMemObject(m));
        OK(clReleaseCommandQueue(q));
        OK(clReleaseContext(c));
    }
    assert_true(entries("/proc/self/task") >= before + N);
    for (int i = 0; i < N; i++) OK(clReleaseEvent(gates[i]));
    int now = before + N;
    for (int i = 0; i < 500 && now > before + LEFT; i++) {
        usleep(10000);
        now = entries("/proc/self/task");
    }
    if (now > before + LEFT) fail_msg("%d threads of contexts that are gone", now - before);
}

/* More than half of the mappings that a process may have, and each with its contents. */
static void test_buffers(void **state)
{
    (void)state;
    enum { N = 70000 };
    static cl_mem mems[N];
    for (cl_uint i = 0; i < N; i++) mems[i] = buffer_new(CL_MEM_COPY_HOST_PTR, sizeof i, &i);
    for (cl_uint i = 0; i < N; i += 97) {
        cl_uint word;
        OK(clEnqueueReadBuffer(queue, mems[i], CL_TRUE, 0, sizeof word, &word, 0, NULL, NULL));
        assert_int_equal(word, i);
    }
    for (cl_uint i = N; i-- > 0;) OK(clReleaseMemObject(mems[i]));
}

static long most_megabytes(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_maxrss >> 10;
}

/* What is in flight does not grow without end, but nobody waits for what waits for him. */
static void test_commands(void **state)
{
    (void)state;
    enum { N = 150000, HELD = 30000 };
    cl_int err, sum = 0;
    cl_program program = program_build("kernel void k(global int *a) { int x = 0;\n"
                                       "    for (int i = 0; i < 300; i++) x = x * 5 + a[1]; a[0] += 1 + x; }",
                                       NULL);
    cl_mem mem = buffer_new(CL_MEM_COPY_HOST_PTR, 2 * sizeof sum, (int[2]){0});
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    cl_event gate = clCreateUserEvent(context, &err);
    const size_t one = 1;
    OK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
    OK(clFinish(queue));
    const long before = most_megabytes();
    for (int i = 0; i < N; i++) OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof sum, &sum, 0, NULL, NULL));
    assert_int_equal(sum, N);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* which keep what has been freed, and more */
    assert_true(most_megabytes() - before < 90);
#endif
    OK(clEnqueueMarkerWithWaitList(queue, 1, &gate, NULL));
    for (int i = 0; i < HELD; i++) OK(clEnqueueFillBuffer(queue, mem, &i, 4, 0, 4, 0, NULL, NULL));
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof sum, &sum, 0, NULL, NULL));
    assert_int_equal(sum, HELD - 1);
    OK(clReleaseEvent(gate));
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

static long resident_megabytes(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%*d %ld", &pages) != 1) pages = 0;
    if (f) fclose(f);
    return pages * sysconf(_SC_PAGESIZE) >> 20;
}

/* What released events took goes back to the host. */
static void test_events(void **state)
{
    (void)state;
    enum { N = 300000 };
    static cl_event events[N];
    const long before = resident_megabytes();
    for (int i = 0; i < N; i++) OK(clEnqueueMarker(queue, &events[i]));
    OK(clFinish(queue));
    for (int i = 0; i < N; i++) OK(clReleaseEvent(events[i]));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* which keep it for a while, and more */
    assert_true(resident_megabytes() - before < 100);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_commands), cmocka_unit_test(test_events),
                                       cmocka_unit_test(test_contexts), cmocka_unit_test(test_released_contexts),
                                       cmocka_unit_test(test_buffers)};
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
