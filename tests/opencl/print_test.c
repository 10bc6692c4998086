/* printf of gigabytes: in pieces, within VENTUS_TIMEOUT, and what cannot be written is said. */
#include <fcntl.h>
#include <sys/resource.h>

#include "check.h"

enum { LITERAL = 60000 };

static char message[1024];

static void CL_CALLBACK on_message(const char *text, const void *info, size_t size, void *user)
{
    (void)info, (void)size, (void)user;
    snprintf(message, sizeof message, "%s", text);
}

/* One long literal: a record of eight bytes. */
static char *long_source(void)
{
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fputs("kernel void k(void) { printf(\"", f);
    for (int i = 0; i < LITERAL; i++) fputc('A', f);
    fputs("\\n\"); }", f);
    fclose(f);
    return text;
}

/* Runs the kernel with standard output in a file of this name, in a context of its own. */
static void run(const char *path, size_t items, cl_int *finished, cl_int *status)
{
    cl_int err;
    char *text = long_source();
    cl_context c = clCreateContext(NULL, 1, &device, on_message, NULL, &err);
    cl_command_queue q = clCreateCommandQueue(c, device, 0, &err);
    cl_program p = clCreateProgramWithSource(c, 1, (const char **)&text, NULL, &err);
    cl_event event;
    OK(clBuildProgram(p, 0, NULL, "-w", NULL, NULL));
    cl_kernel k = clCreateKernel(p, "k", &err);
    fflush(stdout);
    int saved = dup(1), file = open(path, O_WRONLY);
    assert_true(file >= 0);
    dup2(file, 1);
    message[0] = 0;
    err = clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, 0, NULL, &event);
    *finished = clFinish(q);
    dup2(saved, 1);
    close(saved);
    close(file);
    OK(err);
    *status = event_status(event);
    OK(clReleaseEvent(event));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
    free(text);
}

static long most_kilobytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* 24 GB of text, of which a full buffer is 8. */
static void test_endless(void **state)
{
    (void)state;
    cl_int finished, status;
    run("/dev/null", 64, &finished, &status); /* what machines take of memory is taken */
    const long before = most_kilobytes();
    run("/dev/null", 400000, &finished, &status);
    FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, finished);
    assert_int_equal(status, CL_OUT_OF_RESOURCES);
    if (!strstr(message, "in time")) fail_msg("no word of the time: %s", message);
    assert_in_range(most_kilobytes() - before, 0, 100 << 10);
}

/* The results are there, so the launch has succeeded; but the client hears of it. */
static void test_full(void **state)
{
    (void)state;
    cl_int finished, status;
    run("/dev/full", 64, &finished, &status);
    OK(finished);
    assert_int_equal(status, CL_COMPLETE);
    if (!strstr(message, "kernel k: not all of its output could be written: No space left on device"))
        fail_msg("no word of the lost output: %s", message);
}

int main(void)
{
    setenv("VENTUS_TIMEOUT", "1", 1); /* which is read when the machine starts */
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_endless), cmocka_unit_test(test_full)};
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
