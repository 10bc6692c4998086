/* Programs of many kernels: each is compiled when it is launched or asked about for the first time, and nobody can tell
 * but by the time. The compiler is a script here that notes what the real one is asked for. */
#include <limits.h>

#include "check.h"

enum { KERNELS = 12, STEPS = 150, ITEMS = 4, QUARTER = KERNELS / 4 };

static char folder[] = "/tmp/ventus-draft-test-XXXXXX";

/* Notes "source", the name of the kernel that is linked, or "all". What the file `broken` names fails. */
static void note_runs(void)
{
    char script[4 * PATH_MAX];
    snprintf(script, sizeof script,
             "case $1$6 in --options*) what=source ;; --link--kernel) what=$7 ;; *) what=all ;; esac\n"
             "echo $what >>%s/runs\n"
             "[ ! -e %s/broken ] || [ $what = source ] || exit 1\n"
             "exec %s/ventus-cc \"$@\"",
             folder, folder, build_folder());
    fake_compiler(script);
}

static int set_up(void **state)
{
    (void)state;
    strcpy(strrchr(folder, '-'), "-XXXXXX");
    assert_non_null(mkdtemp(folder));
    note_runs();
    return 0;
}

static const char *path_of(const char *name)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int clean_up(void **state)
{
    (void)state;
    fake_compiler(NULL);
    unlink(path_of("runs"));
    return rmdir(folder);
}

/* What the compiler has been asked for since the last question. */
static void has_run(const char *want)
{
    char got[1024] = "";
    FILE *file = fopen(path_of("runs"), "r");
    size_t n = file ? fread(got, 1, sizeof got - 1, file) : 0;
    if (file) fclose(file);
    for (size_t i = 0; i < n; i++)
        if (got[i] == '\n') got[i] = ' ';
    unlink(path_of("runs"));
    assert_string_equal(got, want);
}

/* `first` and KERNELS kernels k0, k1, ... behind it, of `steps` steps; kernel number i is to add i. */
static char *source_of(const char *first, int steps)
{
    static char text[1 << 16];
    char *p = stpcpy(text, first);
    p = stpcpy(p, "\n#define STEP x = x * 3 + (x >> 5);\n#define STEPS");
    for (int i = 0; i < steps; i++) p = stpcpy(p, " STEP");
    for (int i = 0; i < KERNELS; i++)
        p += sprintf(
            p,
            "\nkernel void k%d(global uint *a) { uint x = a[get_global_id(0)]; STEPS a[get_global_id(0)] = x + %d; }",
            i, i);
    return text;
}

static cl_uint expected(cl_uint x, cl_uint number)
{
    for (int i = 0; i < STEPS; i++) x = x * 3 + (x >> 5);
    return x + number;
}

static cl_kernel kernel_of(cl_program program, int number)
{
    char name[16];
    cl_int err;
    snprintf(name, sizeof name, "k%d", number);
    cl_kernel kernel = clCreateKernel(program, name, &err);
    OK(err);
    return kernel;
}

static cl_int enqueue(cl_kernel kernel)
{
    return clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &(size_t){ITEMS}, NULL, 0, NULL, NULL);
}

static void check_result(cl_program program, int number)
{
    cl_uint data[ITEMS] = {1, 20, 300, 4000000000u};
    cl_mem a = buffer_new(CL_MEM_COPY_HOST_PTR, sizeof data, data);
    cl_kernel kernel = kernel_of(program, number);
    OK(clSetKernelArg(kernel, 0, sizeof a, &a));
    OK(enqueue(kernel));
    cl_uint got[ITEMS];
    OK(clEnqueueReadBuffer(queue, a, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < ITEMS; i++) assert_int_equal(got[i], expected(data[i], (cl_uint)number));
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(a));
}

/* Names and arguments are known at once, the rest when it is asked for. */
static void test_first(void **state)
{
    char names[256];
    (void)state;
    cl_program program = program_build(source_of("", STEPS), "-cl-kernel-arg-info");
    OK(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL));
    assert_string_equal(names, "k0;k1;k2;k3;k4;k5;k6;k7;k8;k9;k10;k11");
    cl_kernel all[KERNELS], kernel = kernel_of(program, 7);
    OK(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_TYPE_NAME, sizeof names, names, NULL));
    assert_string_equal(names, "uint*");
    FAILS(CL_INVALID_KERNEL_ARGS, enqueue(kernel));
    OK(clCreateKernelsInProgram(program, KERNELS, all, NULL));
    for (int i = 0; i < KERNELS; i++) OK(clReleaseKernel(all[i]));
    has_run("source ");
    size_t size;
    OK(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, NULL));
    assert_true(size >= ITEMS);
    has_run("k7 ");
    check_result(program, 7);
    check_result(program, 7);
    has_run("");
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

/* Behind a quarter of the kernels comes the whole program. */
static void test_many(void **state)
{
    (void)state;
    cl_program program = program_build(source_of("", STEPS), "");
    for (int i = KERNELS - 1; i >= 0; i--) check_result(program, i);
    has_run("source k11 k10 k9 all ");
    OK(clReleaseProgram(program));
}

/* A binary has the code of all kernels. */
static void test_binary(void **state)
{
    size_t size;
    cl_int err;
    (void)state;
    cl_program program = program_build(source_of("", STEPS), "");
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *binary = malloc(size);
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    check_result(program, 3);
    OK(clReleaseProgram(program));
    program = clCreateProgramWithBinary(context, 1, &device, &size, (const unsigned char **)&binary, NULL, &err);
    OK(err);
    OK(clBuildProgram(program, 1, &device, "", NULL, NULL));
    for (int i = 0; i < KERNELS; i++) check_result(program, i);
    has_run("source all ");
    free(binary);
    OK(clReleaseProgram(program));
}

/* What is wrong with a kernel is wrong with the program, whoever launches it. */
static void test_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"int nothing(int); kernel void w(global int *a) { a[0] = nothing(1); }", "undefined function \"nothing\""},
        {"kernel void w(global int *a) { int b[5000000]; b[a[1]] = 1; a[0] = b[a[2]]; }", "a private variable of"},
        {"kernel void w(global int *a) { volatile _BitInt(100) b = a[0]; a[0] = b / a[1]; }",
         "division of 100-bit integers"},
        {"kernel void w(global int *a) { __asm__ volatile(\"nonsense\"); }", "nonsense"},
        {"kernel void w(global int *a) { a[0] = __builtin_readcyclecounter(); }", "readcyclecounter"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char log[4096] = "";
        cl_int err;
        const char *source = source_of(wrong[i].text, STEPS);
        cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
        OK(err);
        FAILS(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 1, &device, "", NULL, NULL));
        OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
        if (!strstr(log, wrong[i].message)) fail_msg("%s: %s", wrong[i].message, log);
        OK(clReleaseProgram(program));
    }
    has_run("source source source source source ");
}

/* What kernels have in common, or are too small for, is compiled at once. */
static void test_together(void **state)
{
    static const struct {
        const char *first, *options;
        int steps;
    } programs[] = {
        {"global int shared = 1; kernel void s() { shared++; }", "-cl-std=CL3.0", STEPS},
        {"kernel void s() { printf(\"text\"); }", "", STEPS},
        {"__attribute__((noinline)) float f(float x) { return x + 1; } kernel void s(global float *a) { a[0] = "
         "f(a[0]); }",
         "", STEPS},
        {"", "-g", STEPS},
        {"", "", 3},
    };
    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        cl_program program = program_build(source_of(programs[i].first, programs[i].steps), programs[i].options);
        if (programs[i].steps == STEPS) check_result(program, 5);
        size_t size;
        OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
        has_run("source ");
        OK(clReleaseProgram(program));
    }
}

/* A compiler that cannot work any more fails who asks, and the next one may have more luck. */
static void test_failure(void **state)
{
    size_t size;
    (void)state;
    cl_program program = program_build(source_of("", STEPS), "");
    cl_kernel kernel = kernel_of(program, 2);
    cl_mem a = buffer_new(0, ITEMS * sizeof(cl_uint), NULL);
    OK(clSetKernelArg(kernel, 0, sizeof a, &a));
    fclose(fopen(path_of("broken"), "w"));
    FAILS(CL_OUT_OF_RESOURCES, enqueue(kernel));
    FAILS(CL_OUT_OF_RESOURCES,
          clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, NULL));
    FAILS(CL_OUT_OF_RESOURCES, clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unlink(path_of("broken"));
    OK(enqueue(kernel));
    OK(clFinish(queue));
    has_run("source k2 k2 all k2 ");
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(a));
    OK(clReleaseProgram(program));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, clean_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_first),   TEST(test_many),     TEST(test_binary),
        TEST(test_refused), TEST(test_together), TEST(test_failure),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
