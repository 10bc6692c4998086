/* Ways to leave a process that uses the library: none may hang or crash, whatever is still running.
 * The program runs itself with the name of a way as argument and looks at how that ended. */
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include "check.h"

extern char **environ;

static void leave_work_waiting(void)
{
    cl_int err;
    static char out[4];
    static cl_event gate, done; /* held, so that looking for leaks finds them */
    cl_mem mem = buffer_new(0, 4, NULL);
    gate = clCreateUserEvent(context, &err);
    OK(clEnqueueReadBuffer(queue, mem, CL_FALSE, 0, 4, out, 1, &gate, &done));
}

static void finish_late(void)
{
    if (clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL) || clFinish(queue)) _exit(3);
}

static void CL_CALLBACK slow(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
    sleep(5);
}

/* ---- with a kernel that never ends ---- */

static cl_program program;
static cl_kernel kernel;
static cl_mem mem;

/* It has begun, with more behind it. */
static void start_endless(void)
{
    cl_int err;
    cl_event event;
    program = program_build("kernel void endless(global int *at) { while (1) atomic_inc(at); }", NULL);
    kernel = clCreateKernel(program, "endless", &err);
    mem = buffer_new(0, 16, NULL);
    OK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (size_t[]){64}, NULL, 0, NULL, &event));
    OK(clEnqueueFillBuffer(queue, mem, "x", 1, 0, 16, 0, NULL, NULL));
    while (event_status(event) == CL_SUBMITTED) usleep(1000);
    OK(clReleaseEvent(event));
}

static void release_all(void)
{
    if (clReleaseMemObject(mem) || clReleaseKernel(kernel) || clReleaseProgram(program) ||
        clReleaseCommandQueue(queue) || clReleaseContext(context))
        _exit(4);
}

static void *exit_soon(void *data)
{
    usleep(50000);
    exit(0);
    return data;
}

static void *interrupt_soon(void *data)
{
    usleep(50000);
    kill(getpid(), SIGINT);
    return data;
}

/* Waits for what never comes, while another thread does `what`. */
static void finish_for_ever(void *(*what)(void *))
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, what, NULL)) _exit(5);
    clFinish(queue);
    _exit(6);
}

static int way_out_of_endless(const char *way)
{
    start_endless();
    if (!strcmp(way, "endless _exit")) _exit(0);
    if (!strcmp(way, "endless released")) release_all();
    if (!strcmp(way, "endless atexit")) atexit(release_all);
    if (!strcmp(way, "endless exit")) finish_for_ever(exit_soon);
    if (!strcmp(way, "endless interrupted")) finish_for_ever(interrupt_soon);
    return 0;
}

static int way_out(const char *way)
{
    alarm(strncmp(way, "endless", 7) ? 4 : 60); /* a hang ends with a signal; the endless ones build a program first */
    if (check_setup(NULL)) return 2;
    if (!strcmp(way, "list")) return 0;
    if (!strncmp(way, "endless", 7)) return way_out_of_endless(way);
    if (!strcmp(way, "return") || !strcmp(way, "_exit")) leave_work_waiting();
    if (!strcmp(way, "_exit")) _exit(0);
    if (!strcmp(way, "atexit")) atexit(finish_late);
    if (!strcmp(way, "callback")) {
        cl_event event;
        OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event));
        OK(clSetEventCallback(event, CL_COMPLETE, slow, NULL));
    }
    return 0;
}

static void leaves(const char *way, int expected)
{
    char *argv[] = {"exit_test", (char *)(uintptr_t)way, NULL};
    pid_t pid;
    int status = -1;
    assert_int_equal(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, environ), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (status != expected) fail_msg("%s: status 0x%x", way, status);
}

static void test_ways(void **state)
{
    (void)state;
    static const char *const ways[] = {"list",           "return",          "_exit",        "atexit",
                                       "callback",       "endless",         "endless exit", "endless _exit",
                                       "endless atexit", "endless released"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) leaves(ways[i], 0);
    leaves("endless interrupted", SIGINT);
}

int main(int argc, char **argv)
{
    if (argc > 1) return way_out(argv[1]);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ways)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
