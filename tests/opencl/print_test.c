/* printf of gigabytes: in pieces, within VENTUS_TIMEOUT, and what cannot be written is said. */
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

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

/* Runs the kernel with standard output in a file, in a context of its own. */
static void run_to(int file, size_t items, cl_int *finished, cl_int *status)
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
    int saved = dup(1);
    dup2(file, 1);
    message[0] = 0;
    putchar('>'); /* the client's, which comes first */
    err = clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, 0, NULL, &event);
    *finished = clFinish(q);
    dup2(saved, 1);
    close(saved);
    OK(err);
    *status = event_status(event);
    OK(clReleaseEvent(event));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
    free(text);
}

static void run(const char *path, size_t items, cl_int *finished, cl_int *status)
{
    int file = open(path, O_WRONLY);
    assert_true(file >= 0);
    run_to(file, items, finished, status);
    close(file);
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

/* The results are there, so the launch has succeeded; but the client hears of it, also when the buffer has been full.
 */
static void test_full(void **state)
{
    static const size_t items[] = {400000, 64};
    (void)state;
    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
        cl_int finished, status;
        run("/dev/full", items[i], &finished, &status);
        OK(finished);
        assert_int_equal(status, CL_COMPLETE);
        if (!strstr(message, "kernel k: not all of its output could be written: No space left on device"))
            fail_msg("no word of the lost output: %s", message);
    }
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void path_of(int fd, char path[64]) { snprintf(path, 64, "/proc/self/fd/%d", fd); }

/* A pipe that is open for reading, but nobody reads it: whether a launch finds it empty or full, it ends in time. */
static void test_unread(void **state)
{
    (void)state;
    int ends[2];
    char path[64];
    assert_int_equal(pipe(ends), 0);
    path_of(ends[1], path);
    for (int i = 0; i < 2; i++) {
        cl_int finished, status;
        const double begin = seconds();
        run(path, i ? 1 : 64, &finished, &status);
        FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, finished);
        assert_int_equal(status, CL_OUT_OF_RESOURCES);
        if (!strstr(message, "in time")) fail_msg("no word of the time: %s", message);
        assert_true(seconds() - begin < 10);
    }
    close(ends[0]);
    close(ends[1]);
}

struct reader {
    int fd;
    size_t bytes;
};

static void *read_slowly(void *user)
{
    struct reader *r = user;
    char buffer[30000];
    for (ssize_t n; (n = read(r->fd, buffer, sizeof buffer)) > 0; r->bytes += (size_t)n) usleep(500);
    return NULL;
}

/* One that is read slowly, or a socket, takes all of it, behind what the client has written itself. */
static void test_read(void **state)
{
    enum { ITEMS = 20 };
    (void)state;
    for (int sockets = 0; sockets < 2; sockets++) {
        int ends[2];
        char path[64];
        cl_int finished, status;
        struct reader r = {0};
        pthread_t thread;
        assert_int_equal(sockets ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends) : pipe(ends), 0);
        r.fd = ends[0];
        assert_int_equal(pthread_create(&thread, NULL, read_slowly, &r), 0);
        path_of(ends[1], path);
        if (sockets) run_to(ends[1], ITEMS, &finished, &status);
        else run(path, ITEMS, &finished, &status);
        close(ends[1]);
        assert_int_equal(pthread_join(thread, NULL), 0);
        OK(finished);
        assert_int_equal(status, CL_COMPLETE);
        assert_int_equal(r.bytes, ITEMS * (LITERAL + 1) + 1);
        close(ends[0]);
    }
}

int main(void)
{
    setenv("VENTUS_TIMEOUT", "1", 1); /* which is read when the machine starts */
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_endless), cmocka_unit_test(test_full),
                                       cmocka_unit_test(test_unread), cmocka_unit_test(test_read)};
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
