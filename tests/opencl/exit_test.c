/* Ways to leave a process that uses the library: none may hang or crash, whatever is still running.
 * The program runs itself with the name of a way as argument and looks at how that ended. */
#include <spawn.h>
#include <sys/wait.h>

#include "check.h"

extern char **environ;

static void leave_work_waiting(void)
{
    cl_int err;
    static char out[4];
    cl_event gate = clCreateUserEvent(context, &err), done;
    cl_mem mem = buffer_new(0, 4, NULL);
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

static int way_out(const char *way)
{
    alarm(4); /* a hang ends with a signal */
    if (check_setup(NULL)) return 2;
    if (!strcmp(way, "list")) return 0;
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

static void leaves(const char *way)
{
    char *argv[] = {"exit_test", (char *)(uintptr_t)way, NULL};
    pid_t pid;
    int status = -1;
    assert_int_equal(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, environ), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (status) fail_msg("%s: status 0x%x", way, status);
}

static void test_ways(void **state)
{
    (void)state;
    static const char *const ways[] = {"list", "return", "_exit", "atexit", "callback"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) leaves(ways[i]);
}

int main(int argc, char **argv)
{
    if (argc > 1) return way_out(argv[1]);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ways)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
