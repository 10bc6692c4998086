/* Many of everything: contexts and buffers that live at the same time, and commands that nobody waits for. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_contexts), cmocka_unit_test(test_buffers)};
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
