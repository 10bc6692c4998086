/* A client's thread with the smallest stack that the host gives runs kernels itself while it waits for them. One that
 * fails is said on standard error from there. */
#include <limits.h>
#include <pthread.h>

#include "check.h"

static const char source[] = "kernel void stray(global int *p) { p[0x30000000] = 1; }\n"
                             "kernel void count(global int *p) { atomic_add(p, 1); barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "    p[1 + get_global_id(0)] = p[0] / 3; }\n";

enum { ITEMS = 256 };

/* Nothing has been submitted before the thread does. */
struct small {
    cl_kernel stray, count;
    cl_mem mem;
    cl_int ends[2];
    bool enqueued;
    int words[1 + ITEMS];
};

static void *run_small(void *user)
{
    struct small *s = user;
    const size_t items = ITEMS, one = 1;
    s->enqueued = clEnqueueNDRangeKernel(queue, s->stray, 1, NULL, &one, NULL, 0, NULL, NULL) == CL_SUCCESS;
    s->ends[0] = clFinish(queue);
    s->enqueued &=
        clEnqueueReadBuffer(queue, s->mem, CL_TRUE, 0, sizeof s->words, s->words, 0, NULL, NULL) != CL_SUCCESS;
    s->enqueued &= clEnqueueNDRangeKernel(queue, s->count, 1, NULL, &items, NULL, 0, NULL, NULL) == CL_SUCCESS;
    s->ends[1] = clEnqueueReadBuffer(queue, s->mem, CL_TRUE, 0, sizeof s->words, s->words, 0, NULL, NULL);
    return NULL;
}

static void run_with_stack(struct small *s, size_t bytes)
{
    pthread_attr_t attributes;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, bytes), 0);
    assert_int_equal(pthread_create(&thread, &attributes, run_small, s), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}

/* Standard error while `run_small` runs, as text. */
static void capture(struct small *s, char *text, size_t size)
{
    FILE *file = tmpfile();
    int saved = dup(2);
    assert_non_null(file);
    dup2(fileno(file), 2);
    run_with_stack(s, (size_t)PTHREAD_STACK_MIN);
    dup2(saved, 2);
    close(saved);
    rewind(file);
    text[fread(text, 1, size - 1, file)] = 0;
    fclose(file);
}

static void test_smallest_stack(void **state)
{
    (void)state;
    char text[1024];
    cl_int err;
    struct small s = {0};
    cl_program p = program_build(source, NULL);
    s.stray = clCreateKernel(p, "stray", &err);
    s.count = clCreateKernel(p, "count", &err);
    s.mem = buffer_new(CL_MEM_COPY_HOST_PTR, sizeof s.words, s.words);
    OK(clSetKernelArg(s.stray, 0, sizeof s.mem, &s.mem));
    OK(clSetKernelArg(s.count, 0, sizeof s.mem, &s.mem));
    capture(&s, text, sizeof text);
    assert_true(s.enqueued);
    FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, s.ends[0]);
    if (strncmp(text, "ventus: kernel stray failed at line ", 36)) fail_msg("no line of the fault: %s", text);
    OK(s.ends[1]);
    assert_int_equal(s.words[0], ITEMS);
    for (int i = 1; i <= ITEMS; i++) assert_in_range(s.words[i], 0, ITEMS / 3);
    OK(clReleaseMemObject(s.mem));
    OK(clReleaseKernel(s.stray));
    OK(clReleaseKernel(s.count));
    OK(clReleaseProgram(p));
}

int main(void)
{
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__ /* which need more of it */
    puts("SKIPPED: sanitizers make frames larger");
    return 77;
#else
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_smallest_stack)};
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
#endif
}
