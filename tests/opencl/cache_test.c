/* Compiled programs on disk: an equal build does not run the compiler again, and one that could come out otherwise
 * does. The compiler is a script here that counts what the real one compiles. */
#include <limits.h>

#include "check.h"

static char folder[] = "/tmp/ventus-cache-test-XXXXXX";

static void shell(const char *format, const char *a, const char *b)
{
    char command[3 * PATH_MAX];
    snprintf(command, sizeof command, format, a, b);
    if (system(command)) fail_msg("%s", command);
}

/* The real compiler, with a line in the file `runs` for each result that it makes, in `asked` for each source that it
 * only preprocesses. */
static void count_runs(void)
{
    char script[3 * PATH_MAX];
    snprintf(script, sizeof script,
             "case $1 in --files) ;; --preprocess) echo >>%s/asked ;; *) echo >>%s/runs ;; esac\n"
             "exec %s/ventus-cc \"$@\"",
             folder, folder, build_folder());
    fake_compiler(script);
}

static int set_up(void **state)
{
    char cache[PATH_MAX];
    (void)state;
    strcpy(strrchr(folder, '-'), "-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(cache, sizeof cache, "%s/cache", folder);
    setenv("VENTUS_CACHE", "1", 1);
    setenv("VENTUS_CACHE_DIR", cache, 1);
    count_runs();
    return 0;
}

static int clean_up(void **state)
{
    (void)state;
    setenv("VENTUS_CACHE", "0", 1);
    fake_compiler(NULL);
    shell("rm -rf %s%s", folder, "");
    return 0;
}

/* Lines of a file since the last question. */
static unsigned lines_of(const char *name)
{
    char path[PATH_MAX], line[8];
    unsigned count = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) count++;
    if (file) fclose(file);
    unlink(path);
    return count;
}

/* How often the compiler has run. */
static unsigned runs(void) { return lines_of("runs"); }

static cl_program program_of(const char *source)
{
    cl_int err;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    OK(err);
    return program;
}

/* The log of a build that has to succeed, in memory that the next call uses again. */
static const char *log_of(const char *source, const char *options)
{
    static char log[4096];
    cl_program program = program_build(source, options);
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    OK(err);
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    return log;
}

#define BUILT(source, options, times) (log_of(source, options), assert_int_equal(runs(), times))

static void test_equal(void **state)
{
    static const char source[] = "kernel void k(global int *a) { int unused_one; a[0] = N; }\n#warning seen\n";
    char first[4096];
    (void)state;
    strcpy(first, log_of(source, "-D N=1"));
    assert_int_equal(runs(), 1);
    assert_non_null(strstr(first, "seen"));
    assert_string_equal(log_of(source, "-D N=1"), first);
    assert_int_equal(runs(), 0);
    BUILT(source, "-D N=2", 1);
    BUILT("kernel void k(global int *a) { a[0] = N; }", "-D N=1", 1);
    setenv("VENTUS_CACHE", "0", 1);
    BUILT(source, "-D N=1", 1);
    setenv("VENTUS_CACHE", "1", 1);
    BUILT(source, "-D N=1", 0);
    count_runs(); /* a new file: another compiler */
    BUILT(source, "-D N=1", 1);
}

/* Another version of the library, which is one of the compiler's files. */
static void test_compiler(void **state)
{
    static const char source[] = "kernel void k(global float *a) { a[0] = sin(a[0]); }";
    char library[PATH_MAX];
    (void)state;
    snprintf(library, sizeof library, "%s/ventus-builtins.bc", folder);
    shell("cp %s/ventus-builtins.bc %s", build_folder(), library);
    BUILT(source, "", 1);
    setenv("VENTUS_BUILTINS", library, 1);
    BUILT(source, "", 1);
    BUILT(source, "", 0);
    shell("touch -d 2001-01-01 %s%s", library, "");
    BUILT(source, "", 1);
    unsetenv("VENTUS_BUILTINS");
    BUILT(source, "", 0);
}

/* What a source includes matters, however the word is written. */
static void test_includes(void **state)
{
    static const char *const sources[] = {
        "#include <n.h>\nkernel void k(global int *a) { a[0] = N; }",
        "#inc\\\nlu\\  \nde <n.h>\nkernel void k(global int *a) { a[0] = N; }",
        "#if __has_inc\\\nlude(<n.h>)\n#define M 1\n#else\n#define M 2\n#endif\nkernel void k(int a) { a = M; }",
        "#im\?\?/\nport <n.h>\nkernel void k(global int *a) { a[0] = N; }",
    };
    char options[PATH_MAX];
    (void)state;
    snprintf(options, sizeof options, "-I %s", folder);
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        shell("echo '#define N 1' >%s/n.h%s", folder, "");
        BUILT(sources[i], options, 1);
        BUILT(sources[i], options, 0);
        shell("echo '#define N 2' >%s/n.h%s", folder, "");
        BUILT(sources[i], options, i == 2 ? 0 : 1); /* which only asks whether the file is there */
    }
    shell("rm %s/n.h%s", folder, "");
    BUILT(sources[2], options, 1);
    BUILT("kernel void k(global char *a) { a[0] = __TIME__[7]; }", "", 1);
    usleep(1100 * 1000);
    BUILT("kernel void k(global char *a) { a[0] = __TIME__[7]; }", "", 1);
}

/* A header that is changed counts, wherever it is found; the preprocessor is asked only where its name is none. */
static void test_headers(void **state)
{
    static const char kernel[] = "\nkernel void k(global int *a) { a[0] = N; }";
    static const struct {
        const char *text;
        bool asks;
    } ways[] = {
        {"#include \"n.h\"", false},
        {"/* included, includes */ # /* here */ include /* behind */ <n.h>", true},
        {"#\tinclude\t<n.h> /* modules */", false},
        {"#include <sub/other.h>", false},
        {"#define WHICH <n.h>\n#include WHICH", true},
        {"#define WHICH <n.h>\n#/**/include WHICH", true},
        {"#define WHICH <n.h>\n# \\\ninclude WHICH", true},
        {"#define WHICH <n.h>\n%:include WHICH", true},
        {"#define WHICH <n.h>\n#\finclude WHICH", true},
        {"#define WHICH <n.h>\n#include\\\n WHICH", true},
        {"#if 0\n#include <nowhere.h>\n#endif\n#include <n.h>", true},
        {"#ifdef __has_include\n#include <n.h>\n#endif", true},
        {"#include <sub/which.h>", true},
        {"#include <n.h>\nconstant char text[] = \"\\a include this\";", false},
    };
    char options[2 * PATH_MAX], source[256];
    (void)state;
    snprintf(options, sizeof options, "-D X -I \"%s/first\" '-I%s'", folder, folder);
    shell("mkdir %s/sub %s/first", folder, folder);
    shell("echo '#include \"beside.h\"' >%s/sub/other.h; echo '#include <n.h>' >%s/sub/beside.h", folder, folder);
    shell("printf '#define M <n.h>\\n#include M\\n' >%s/sub/which.h%s", folder, "");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        snprintf(source, sizeof source, "%s%s", ways[i].text, kernel);
        lines_of("asked");
        shell("echo '#define N 1' >%s/n.h%s", folder, "");
        BUILT(source, options, 1);
        BUILT(source, options, 0);
        shell("echo '#define N 2' >%s/n.h%s", folder, "");
        BUILT(source, options, 1);
        shell("echo '#define N 3' >%s/first/n.h%s", folder, "");
        BUILT(source, options, 1);
        shell("rm %s/first/n.h%s", folder, "");
        BUILT(source, options, 0);
        if ((lines_of("asked") > 0) != ways[i].asks)
            fail_msg("%s: the preprocessor %s", ways[i].text, ways[i].asks ? "is not asked" : "is asked");
    }
}

/* An object of a source whose header says N. */
static cl_program object_of(const char *header)
{
    const char *name = "n.h";
    cl_program from = program_of(header),
               program = program_of("#include \"n.h\"\nkernel void k(global int *a) { a[0] = N; }\n#warning seen\n");
    OK(clCompileProgram(program, 1, &device, "", 1, &from, &name, NULL, NULL));
    OK(clReleaseProgram(from));
    return program;
}

static void link_of(cl_program object)
{
    cl_int err;
    cl_program linked = clLinkProgram(context, 1, &device, "", 1, &object, NULL, NULL, &err);
    OK(err);
    OK(clReleaseProgram(linked));
}

static void test_separate(void **state)
{
    (void)state;
    static const unsigned want[] = {2, 0, 2, 0};
    static const char *const headers[] = {"#define N 1", "#define N 1", "#define N 2", "#define N 1"};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        cl_program object = object_of(headers[i]);
        link_of(object);
        assert_int_equal(runs(), want[i]);
        OK(clReleaseProgram(object));
    }
}

/* A failed build is tried again, and says why again. */
static void test_failure(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        cl_program program = program_of("kernel void k(global int *a) { a[0] = wrong; }");
        char log[4096];
        FAILS(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 1, &device, "", NULL, NULL));
        OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
        assert_non_null(strstr(log, "wrong"));
        assert_int_equal(runs(), 1);
        OK(clReleaseProgram(program));
    }
}

/* Damaged files, and folders that cannot be written, cost the time of a build and nothing else. */
static void test_damage(void **state)
{
    static const char source[] = "kernel void k(global int *a) { a[0] = 7; }";
    (void)state;
    BUILT(source, "", 1);
    shell("for f in %s/cache/*.build; do printf X | dd of=$f bs=1 seek=100 conv=notrunc status=none; done%s", folder,
          "");
    BUILT(source, "", 1);
    BUILT(source, "", 0);
    shell("for f in %s/cache/*.build; do truncate -s 50 $f; done%s", folder, "");
    BUILT(source, "", 1);
    shell("rm -r %s/cache && touch %s/cache", folder, folder);
    BUILT(source, "", 1);
    BUILT(source, "", 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, clean_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_equal),    TEST(test_compiler), TEST(test_includes), TEST(test_headers),
        TEST(test_separate), TEST(test_failure),  TEST(test_damage),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
