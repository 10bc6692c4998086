/* Shared virtual memory as a program has it that asks for nothing: coarse-grained buffers. svm_test.c has the rest. */
#include "check.h"

enum { N = 1000 };

static void test_offer(void **state)
{
    (void)state;
    cl_device_svm_capabilities offer =
        QUERY(cl_device_svm_capabilities, clGetDeviceInfo, device, CL_DEVICE_SVM_CAPABILITIES);
#ifdef __SANITIZE_ADDRESS__
    assert_int_equal(offer, 0); /* its addresses are taken */
#else
    assert_int_equal(offer, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER);
#endif
    assert_null(clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 0));
}

#ifndef __SANITIZE_ADDRESS__
/* A list of numbers, mapped for the program and unmapped for the kernel. */
static void test_round_trip(void **state)
{
    (void)state;
    cl_program program =
        program_build("kernel void f(global int *p) { int i = get_global_id(0); p[i] += 3 * i; }", NULL);
    cl_kernel kernel = clCreateKernel(program, "f", NULL);
    const size_t n = N;
    int *p = clSVMAlloc(context, CL_MEM_READ_WRITE, N * sizeof *p, 0);
    assert_non_null(p);
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, p, N * sizeof *p, 0, NULL, NULL));
    for (int i = 0; i < N; i++) p[i] = i;
    OK(clEnqueueSVMUnmap(queue, p, 0, NULL, NULL));
    OK(clSetKernelArgSVMPointer(kernel, 0, p));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL));
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, p, N * sizeof *p, 0, NULL, NULL));
    for (int i = 0; i < N; i++) assert_int_equal(p[i], 4 * i);
    OK(clEnqueueSVMUnmap(queue, p, 0, NULL, NULL));
    OK(clFinish(queue));
    clSVMFree(context, p);
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

/* What standard error gets from two launches of a kernel. */
static void launched(cl_program program, const char *name, void *p, char *text, size_t size)
{
    const size_t one = 1;
    FILE *file = tmpfile();
    cl_kernel kernel = clCreateKernel(program, name, NULL);
    int before = dup(STDERR_FILENO);
    assert_true(file && kernel && before >= 0);
    OK(clSetKernelArgSVMPointer(kernel, 0, p));
    assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);
    for (int i = 0; i < 2; i++) OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    assert_true(dup2(before, STDERR_FILENO) >= 0);
    close(before);
    rewind(file);
    text[fread(text, 1, size - 1, file)] = 0;
    fclose(file);
    OK(clReleaseKernel(kernel));
}

/* A kernel that links a list in shared memory: the program is told that it cannot walk it. */
static void test_links(void **state)
{
    (void)state;
    char text[1000];
    cl_program program =
        program_build("typedef struct node { global struct node *next; int value; } node;\n"
                      "__attribute__((noinline)) void link(global node *n, global node *next)\n"
                      "{ n->next = next; }\n"
                      "kernel void plain(global int *p) { p[0] = p[1] + 1; }\n"
                      "kernel void list(global node *n) { for (int i = 0; i < 3; i++) link(n + i, n + i + 1); }",
                      NULL);
    cl_uint *p = clSVMAlloc(context, 0, 64, 0);
    launched(program, "plain", p, text, sizeof text);
    assert_string_equal(text, "");
    launched(program, "list", p, text, sizeof text);
    assert_int_equal(p[2], (uintptr_t)p + 16);
    if (sizeof(void *) == 8) {
        const char *line = strchr(text, '\n');
        assert_non_null(strstr(text, "kernel list has pointers in memory"));
        assert_true(line && !line[1]); /* once */
    }
    clSVMFree(context, p);
    OK(clReleaseProgram(program));
}
#endif

static int setup(void **state)
{
    unsetenv("VENTUS_SVM");
    return check_setup(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_offer),
#ifndef __SANITIZE_ADDRESS__
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_links),
#endif
    };
    return cmocka_run_group_tests(tests, setup, check_teardown);
}
