/* Programs without a working compiler: what the build path does with every end a compiler can come to.
 * A shell script stands in for ventus-cc. What needs real code is in kernel_test.c. */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include "check.h"

static cl_program program_new(const char *source)
{
    cl_int err;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    OK(err);
    return program;
}

static cl_build_status build_status(cl_program program)
{
    cl_build_status status = 99;
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    return status;
}

/* The log in memory of its own. */
static char *build_log(cl_program program)
{
    size_t size;
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size));
    char *log = malloc(size);
    assert_non_null(log);
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log, NULL));
    assert_int_equal(strlen(log) + 1, size);
    return log;
}

/* Builds with a compiler of this text: the error, and the log holds `text`. */
static void build_ends(const char *script, cl_int error, const char *text)
{
    cl_program program = program_new("kernel void f(void) {}");
    fake_compiler(script);
    FAILS(error, clBuildProgram(program, 1, &device, "-w", NULL, NULL));
    assert_int_equal(build_status(program), CL_BUILD_ERROR);
    char *log = build_log(program);
    if (!strstr(log, text)) fail_msg("no \"%s\" in the log: %.300s", text, log);
    free(log);
    cl_int err;
    REFUSED(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernel(program, "f", &err));
    fake_compiler(NULL);
    OK(clReleaseProgram(program));
}

static void test_source(void **state)
{
    (void)state;
    const char *parts[] = {"kernel vo", "id f(void)XXX", "", " {}"};
    const size_t lengths[] = {0, 10, 0, 3};
    char text[64];
    size_t size;
    cl_int err;
    REFUSED(CL_INVALID_VALUE, clCreateProgramWithSource(context, 0, parts, NULL, &err));
    REFUSED(CL_INVALID_VALUE, clCreateProgramWithSource(context, 1, NULL, NULL, &err));
    REFUSED(CL_INVALID_VALUE, clCreateProgramWithSource(context, 1, (const char *[]){NULL}, NULL, &err));
    cl_program program = clCreateProgramWithSource(context, 4, parts, lengths, &err);
    OK(err);
    OK(clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof text, text, &size));
    assert_string_equal(text, "kernel void f(void) {}");
    assert_int_equal(size, strlen(text) + 1);
    OK(clReleaseProgram(program));
}

static void test_never_built(void **state)
{
    (void)state;
    cl_program program = program_new("kernel void f(void) {}");
    size_t size;
    char text[8];
    cl_int err;
    assert_int_equal(build_status(program), CL_BUILD_NONE);
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof text, text, &size));
    assert_int_equal(size, 1);
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    assert_int_equal(size, 0);
    cl_program_binary_type type = 99;
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
    assert_int_equal(type, CL_PROGRAM_BINARY_TYPE_NONE);
    FAILS(CL_INVALID_PROGRAM_EXECUTABLE, clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof size, &size, NULL));
    FAILS(CL_INVALID_PROGRAM_EXECUTABLE, clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof text, text, NULL));
    REFUSED(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernel(program, "f", &err));
    FAILS(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernelsInProgram(program, 0, NULL, NULL));
    OK(clReleaseProgram(program));
}

static void test_build_arguments(void **state)
{
    (void)state;
    cl_program program = program_new("");
    cl_device_id bad = (cl_device_id)platform;
    FAILS(CL_INVALID_VALUE, clBuildProgram(program, 0, &device, NULL, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clBuildProgram(program, 1, NULL, NULL, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clBuildProgram(program, 1, &device, NULL, NULL, program));
    FAILS(CL_INVALID_DEVICE, clBuildProgram(program, 1, &bad, NULL, NULL, NULL));
    OK(clReleaseProgram(program));
}

static void test_build_ends(void **state)
{
    (void)state;
    build_ends("echo 'source:1:2: error: no such type' >&2; exit 1", CL_BUILD_PROGRAM_FAILURE,
               "source:1:2: error: no such type");
    build_ends("echo 'unknown option -frob' >&2; exit 2", CL_INVALID_BUILD_OPTIONS, "-frob");
    build_ends("echo 'apt install clang-19' >&2; exit 3", CL_COMPILER_NOT_AVAILABLE, "apt install clang-19");
    build_ends("exit 4", CL_BUILD_PROGRAM_FAILURE, "bug");
    build_ends("echo last words >&2; kill -SEGV $$", CL_BUILD_PROGRAM_FAILURE, "signal 11");
    build_ends("echo this is no ELF", CL_BUILD_PROGRAM_FAILURE, "not usable");
    build_ends("exit 0", CL_BUILD_PROGRAM_FAILURE, "not usable");
    build_ends("exec 0<&- 1>&- 2>&-; exit 1", CL_BUILD_PROGRAM_FAILURE, "");
}

static void test_compiler_missing(void **state)
{
    (void)state;
    cl_program program = program_new("kernel void f(void) {}");
    setenv("VENTUS_CC", "/nonexistent/ventus-cc", 1);
    FAILS(CL_COMPILER_NOT_AVAILABLE, clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    unsetenv("VENTUS_CC");
    char *log = build_log(program);
    assert_non_null(strstr(log, "/nonexistent/ventus-cc"));
    free(log);
    OK(clReleaseProgram(program));
}

static void test_long_options(void **state)
{
    (void)state;
    enum { LENGTH = 1 << 20 };
    cl_program program = program_new("kernel void f(void) {}");
    char *options = malloc(LENGTH + 1);
    assert_non_null(options);
    memset(options, 'a', LENGTH);
    memcpy(options, "-D", 2);
    options[LENGTH] = 0;
    fake_compiler("exit 0");
    FAILS(CL_INVALID_BUILD_OPTIONS, clBuildProgram(program, 1, &device, options, NULL, NULL));
    FAILS(CL_INVALID_COMPILER_OPTIONS, clCompileProgram(program, 1, &device, options, 0, NULL, NULL, NULL, NULL));
    char *log = build_log(program);
    assert_non_null(strstr(log, "build options are longer"));
    fake_compiler(NULL);
    free(log);
    free(options);
    OK(clReleaseProgram(program));
}

/* Options and a large source arrive unchanged, and a huge log is cut instead of kept. */
static void test_streams(void **state)
{
    (void)state;
    enum { SIZE = 3 << 20 };
    char *source = malloc(SIZE + 1), options[64];
    assert_non_null(source);
    memset(source, ' ', SIZE);
    memcpy(source + SIZE - 8, "// end\n", 8);
    source[SIZE] = 0;
    cl_program program = program_new(source);
    fake_compiler("echo \"<$1><$2>\" >&2; wc -c >&2; exit 1");
    FAILS(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 0, NULL, "-D A='x y' -I \"$HOME\" ", NULL, NULL));
    char *log = build_log(program), expected[128];
    snprintf(expected, sizeof expected, "<--options><-D A='x y' -I \"$HOME\" >\n%zu\n", strlen(source));
    assert_string_equal(log, expected);
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, sizeof options, options, NULL));
    assert_string_equal(options, "-D A='x y' -I \"$HOME\" ");
    free(log);
    fake_compiler("yes error | head -c 5000000 >&2; exit 1");
    FAILS(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    log = build_log(program);
    assert_true(strlen(log) > 100000 && strlen(log) < 5000000);
    free(log);
    fake_compiler(NULL);
    free(source);
    OK(clReleaseProgram(program));
}

/* The client may ignore SIGCHLD or have closed its standard streams. */
static void test_strange_client(void **state)
{
    (void)state;
    signal(SIGCHLD, SIG_IGN);
    build_ends("echo seen >&2; exit 1", CL_BUILD_PROGRAM_FAILURE, "seen");
    OK(clReleaseProgram(program_build("kernel void unwatched(void) {}", "")));
    signal(SIGCHLD, SIG_DFL);
    int saved[3];
    for (int i = 0; i < 3; i++) saved[i] = dup(i);
    for (int i = 0; i < 3; i++) close(i);
    cl_program program = program_new("source text");
    fake_compiler("cat >&2; exit 1");
    cl_int error = clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
    for (int i = 0; i < 3; i++) {
        dup2(saved[i], i);
        close(saved[i]);
    }
    fake_compiler(NULL);
    assert_int_equal(error, CL_BUILD_PROGRAM_FAILURE);
    char *log = build_log(program);
    assert_string_equal(log, "source text");
    free(log);
    OK(clReleaseProgram(program));
}

enum { FILE_OF_CLIENT = 57 };

/* This program as the compiler: says what it has inherited. A shell would clean its signals up first. */
static int inherit(void)
{
    sigset_t blocked;
    struct sigaction action;
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    sigaction(SIGPIPE, NULL, &action);
    fprintf(stderr, "blocked %d, ignored %d, file %d", sigismember(&blocked, SIGTERM), action.sa_handler == SIG_IGN,
            fcntl(FILE_OF_CLIENT, F_GETFD) >= 0);
    return 1;
}

/* What the client does to signals and what files it has open stays with the client. */
static void test_fresh_child(void **state)
{
    (void)state;
    char path[PATH_MAX] = "";
    sigset_t set, old;
    cl_program program = program_new("kernel void f(void) {}");
    assert_true(readlink("/proc/self/exe", path, sizeof path - 1) > 0);
    setenv("VENTUS_CC", path, 1);
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, &old);
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(dup2(0, FILE_OF_CLIENT), FILE_OF_CLIENT);
    FAILS(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    close(FILE_OF_CLIENT);
    signal(SIGPIPE, SIG_DFL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    unsetenv("VENTUS_CC");
    char *log = build_log(program);
    assert_string_equal(log, "blocked 0, ignored 0, file 0");
    free(log);
    OK(clReleaseProgram(program));
}

/* A process that may not write large files lives on. */
static void test_file_limit(void **state)
{
    (void)state;
    struct rlimit old, small;
    cl_program program = program_new("kernel void f(void) {}");
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = (struct rlimit){1, old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    cl_int error = clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    FAILS(CL_OUT_OF_RESOURCES, error);
    char *log = build_log(program);
    assert_non_null(strstr(log, "RLIMIT_FSIZE"));
    free(log);
    OK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    OK(clReleaseProgram(program));
}

static pthread_mutex_t built_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t built_more = PTHREAD_COND_INITIALIZER;
static int built;

static void CL_CALLBACK on_built(cl_program program, void *data)
{
    pthread_mutex_lock(&built_lock);
    built += data == (void *)program;
    pthread_cond_broadcast(&built_more);
    pthread_mutex_unlock(&built_lock);
}

static void await_built(int count)
{
    pthread_mutex_lock(&built_lock);
    while (built < count) pthread_cond_wait(&built_more, &built_lock);
    pthread_mutex_unlock(&built_lock);
}

static void test_asynchronous(void **state)
{
    cl_int err;
    (void)state;
    cl_program program = program_new("kernel void f(void) {}");
    char path[] = "/tmp/ventus-build-XXXXXX", script[100];
    close(mkstemp(path)); /* the compiler runs as long as there is the file, and some time for the calls that wait */
    snprintf(script, sizeof script, "while [ -e %s ]; do sleep 0.01; done; sleep 0.2; exit 1", path);
    fake_compiler(script);
    built = 0;
    OK(clBuildProgram(program, 0, NULL, NULL, on_built, program));
    assert_int_equal(build_status(program), CL_BUILD_IN_PROGRESS);
    FAILS(CL_INVALID_OPERATION, clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    FAILS(CL_INVALID_OPERATION, clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    unlink(path);
    await_built(1);
    assert_int_equal(build_status(program), CL_BUILD_ERROR);
    OK(clBuildProgram(program, 0, NULL, NULL, on_built, program));
    OK(clReleaseProgram(program)); /* the build keeps it */
    await_built(2);
    program = program_new("kernel void f(void) {}");
    OK(clBuildProgram(program, 0, NULL, NULL, on_built, program));
    REFUSED(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernel(program, "f", &err)); /* it waits for the build, ... */
    assert_int_equal(build_status(program), CL_BUILD_ERROR);
    await_built(3);
    OK(clBuildProgram(program, 0, NULL, NULL, on_built, program));
    FAILS(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernelsInProgram(program, 0, NULL, NULL)); /* ... and so does this */
    assert_int_equal(build_status(program), CL_BUILD_ERROR);
    await_built(4);
    OK(clReleaseProgram(program));
    fake_compiler(NULL);
}

/* Nobody is left to use the result: the compiler is stopped, at once or before it begins. */
static void test_stopped(void **state)
{
    (void)state;
    const time_t begin = time(NULL);
    fake_compiler("exec sleep 60");
    built = 0;
    for (int i = 0; i < 4; i++) {
        cl_program program = program_new("kernel void f(void) {}");
        OK(clBuildProgram(program, 0, NULL, NULL, on_built, program));
        if (i % 2) usleep(100000);
        OK(clReleaseProgram(program));
    }
    await_built(4);
    fake_compiler(NULL);
    assert_true(time(NULL) - begin < 30);
}

static void test_bad_binaries(void **state)
{
    (void)state;
    cl_int err, status = 99;
    unsigned char garbage[256];
    const unsigned char *list[] = {garbage};
    size_t length = sizeof garbage;
    unsigned seed = 7;
    REFUSED(CL_INVALID_VALUE, clCreateProgramWithBinary(context, 1, &device, NULL, list, &status, &err));
    REFUSED(CL_INVALID_VALUE, clCreateProgramWithBinary(context, 1, &device, &(size_t){0}, list, &status, &err));
    assert_int_equal(status, CL_INVALID_VALUE);
    REFUSED(CL_INVALID_VALUE, clCreateProgramWithBinary(context, 0, NULL, &length, list, &status, &err));
    for (int i = 0; i < 200; i++) {
        for (size_t k = 0; k < sizeof garbage; k++)
            garbage[k] = (unsigned char)((seed = seed * 1103515245 + 12345) >> 16);
        if (i % 2) memcpy(garbage, "VENTUSCL\1\0\0\0\4\0\0\0", 16);
        if (i % 4 == 0) memcpy(garbage, "\177ELF\1\1\1", 7);
        length = 1 + (size_t)i % sizeof garbage;
        status = 99;
        REFUSED(CL_INVALID_BINARY, clCreateProgramWithBinary(context, 1, &device, &length, list, &status, &err));
        assert_int_equal(status, CL_INVALID_BINARY);
    }
}

/* Headers become files for the time of the compilation, and only below their folder. */
static void test_compile_headers(void **state)
{
    (void)state;
    cl_program program = program_new("#include \"sub/h.h\""), header = program_new("header text");
    static const char *const bad[] = {"", "/etc/h", "..", "../h", "a/../h", "a//h", "a/", "./h"};
    const char *name = "sub/h.h";
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        FAILS(CL_INVALID_VALUE,
              clCompileProgram(program, 0, NULL, NULL, 1, &header, (const char *[]){bad[i]}, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clCompileProgram(program, 0, NULL, NULL, 1, &header, NULL, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clCompileProgram(program, 0, NULL, NULL, 0, &header, &name, NULL, NULL));
    FAILS(CL_INVALID_PROGRAM, clCompileProgram(program, 0, NULL, NULL, 1, (cl_program[]){NULL}, &name, NULL, NULL));
    /* -I and the folder come before all other options. */
    fake_compiler("eval \"set -- $2\"; echo \"$2\" >&2; cat \"$2/sub/h.h\" >&2; exit 1");
    FAILS(CL_COMPILE_PROGRAM_FAILURE, clCompileProgram(program, 0, NULL, "-I other", 1, &header, &name, NULL, NULL));
    char *log = build_log(program), *end = strchr(log, '\n');
    assert_non_null(end);
    assert_string_equal(end + 1, "header text");
    *end = 0;
    assert_int_not_equal(access(log, F_OK), 0);
    free(log);
    fake_compiler("exit 2");
    FAILS(CL_INVALID_COMPILER_OPTIONS, clCompileProgram(program, 0, NULL, "-frob", 0, NULL, NULL, NULL, NULL));
    fake_compiler(NULL);
    OK(clReleaseProgram(program));
    OK(clReleaseProgram(header));
}

static void test_link_errors(void **state)
{
    (void)state;
    cl_int err;
    cl_program program = program_new("kernel void f(void) {}");
    REFUSED(CL_INVALID_VALUE, clLinkProgram(context, 0, NULL, NULL, 0, NULL, NULL, NULL, &err));
    REFUSED(CL_INVALID_PROGRAM, clLinkProgram(context, 0, NULL, NULL, 1, (cl_program[]){NULL}, NULL, NULL, &err));
    REFUSED(CL_INVALID_OPERATION,
            clLinkProgram(context, 0, NULL, NULL, 1, &program, NULL, NULL, &err)); /* not compiled */
    OK(clReleaseProgram(program));
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--options")) return inherit();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_source),           cmocka_unit_test(test_never_built),
        cmocka_unit_test(test_build_arguments),  cmocka_unit_test(test_build_ends),
        cmocka_unit_test(test_compiler_missing), cmocka_unit_test(test_long_options),
        cmocka_unit_test(test_streams),          cmocka_unit_test(test_strange_client),
        cmocka_unit_test(test_asynchronous),     cmocka_unit_test(test_stopped),
        cmocka_unit_test(test_bad_binaries),     cmocka_unit_test(test_compile_headers),
        cmocka_unit_test(test_link_errors),      cmocka_unit_test(test_fresh_child),
        cmocka_unit_test(test_file_limit),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
