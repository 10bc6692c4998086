/* Hostile and poor surroundings: small limits, system calls that are forbidden, no /proc, full disks, closed streams,
 * what a client has set for its thread. Each is set up in a process of its own, which then computes: it must be right,
 * or end with an error that says why, and leave neither a process nor a file behind. */
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <locale.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "check.h"

extern char **environ;

enum outcome {
    RIGHT,
    ERROR = 3,
    WRONG = 4,
    IMPOSSIBLE = 77
};                     /* exit codes of such a process; the last: not on this host */
enum { REPORT = 100 }; /* where it writes what it was told */

/* ---- the client ---- */

static const char source[] = "kernel void powers(global uint *a, uint n) { uint x = get_global_id(0);\n"
                             "    for (uint i = 0; i < n; i++) x = x * 5 + 3; a[get_global_id(0)] = x; }\n"
                             "kernel void say(float a, float b) { printf(\"%f %.1f %g;\", a, b, 1e-40f); }\n";
static const char said[] = "1.500000 0.2 9.99995e-41;";

static _Noreturn void give_up(const char *what, int error)
{
    dprintf(REPORT, "%s: error %d\n", what, error);
    _exit(ERROR);
}

static _Noreturn void wrong(const char *what)
{
    dprintf(REPORT, "wrong: %s\n", what);
    _exit(WRONG);
}

/* An error ends the process. */
#define DO(call) \
    do { \
        cl_int error_ = (call); \
        if (error_) give_up(#call, error_); \
    } while (0)

static void made(const char *what, cl_int error)
{
    if (error) give_up(what, error);
}

static cl_program program_of(const char *text)
{
    cl_int err;
    cl_program p = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    made("clCreateProgramWithSource", err);
    return p;
}

/* Compiled and linked, so by way of a temporary folder. */
static cl_program build(void)
{
    char log[2000] = "";
    cl_program object = program_of(source);
    cl_int err = clCompileProgram(object, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL);
    if (err) clGetProgramBuildInfo(object, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    dprintf(REPORT, "%s", log);
    made("clCompileProgram", err);
    cl_program program = clLinkProgram(context, 0, NULL, NULL, 1, &object, NULL, NULL, &err);
    made("clLinkProgram", err);
    DO(clReleaseProgram(object));
    return program;
}

static void compute(cl_program p)
{
    enum { N = 64, ROUNDS = 1000 };
    cl_uint out[N], n = ROUNDS;
    cl_int err;
    cl_kernel kernel = clCreateKernel(p, "powers", &err);
    made("clCreateKernel", err);
    cl_mem mem = clCreateBuffer(context, 0, sizeof out, NULL, &err);
    made("clCreateBuffer", err);
    DO(clSetKernelArg(kernel, 0, sizeof mem, &mem));
    DO(clSetKernelArg(kernel, 1, sizeof n, &n));
    DO(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (size_t[]){N}, NULL, 0, NULL, NULL));
    DO(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (cl_uint i = 0; i < N; i++) {
        cl_uint x = i;
        for (int k = 0; k < ROUNDS; k++) x = x * 5 + 3;
        if (out[i] != x) wrong("result");
    }
    DO(clReleaseMemObject(mem));
    DO(clReleaseKernel(kernel));
}

/* The parent looks at what is printed. */
static void print(cl_program p)
{
    const cl_float a = 1.5f, b = 0.25f;
    cl_int err;
    cl_kernel kernel = clCreateKernel(p, "say", &err);
    made("clCreateKernel", err);
    DO(clSetKernelArg(kernel, 0, sizeof a, &a));
    DO(clSetKernelArg(kernel, 1, sizeof b, &b));
    DO(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (size_t[]){1}, NULL, 0, NULL, NULL));
    DO(clFinish(queue));
    DO(clReleaseKernel(kernel));
}

/* A colour becomes texels on the host: a half of 255 is 128, the nearest even number. */
static void fill(void)
{
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 1};
    const cl_float colour[4] = {0.5f, 1 / 3.0f, 1e-40f, 1};
    const size_t origin[3] = {0}, region[3] = {1, 1, 1};
    unsigned char texel[4];
    cl_int err;
    cl_mem image = clCreateImage(context, 0, &format, &desc, NULL, &err);
    made("clCreateImage", err);
    DO(clEnqueueFillImage(queue, image, colour, origin, region, 0, NULL, NULL));
    DO(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, texel, 0, NULL, NULL));
    if (memcmp(texel, (const unsigned char[]){128, 85, 0, 255}, 4)) wrong("colour");
    DO(clReleaseMemObject(image));
}

static void be_client(void)
{
    cl_program p = build();
    compute(p);
    print(p);
    fill();
    DO(clReleaseProgram(p));
    DO(clReleaseCommandQueue(queue));
    DO(clReleaseContext(context));
}

/* ---- surroundings ---- */

static void must(bool done)
{
    if (!done) _exit(IMPOSSIBLE);
}

static void limit(int what, rlim_t most) { must(setrlimit(what, &(struct rlimit){most, most}) == 0); }

static void files(long most) { limit(RLIMIT_NOFILE, (rlim_t)most); }
static void space(long mib) { limit(RLIMIT_AS, (rlim_t)mib << 20); }
static void data(long mib) { limit(RLIMIT_DATA, (rlim_t)mib << 20); }
static void stack(long kib) { limit(RLIMIT_STACK, (rlim_t)kib << 10); }

/* The superuser has no such limit. */
static void processes(long most)
{
    if (geteuid() == 0) must(setgid(65534) == 0 && setuid(65534) == 0);
    limit(RLIMIT_NPROC, (rlim_t)most);
}

/* A system call ends with this. */
static void answer(long number, unsigned action)
{
    struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                                 BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
                                 BPF_STMT(BPF_RET | BPF_K, action), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_fprog program = {sizeof code / sizeof *code, code};
    must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

static void forbidden(long number) { answer(number, SECCOMP_RET_ERRNO | EPERM); }
static void unknown(long number) { answer(number, SECCOMP_RET_ERRNO | ENOSYS); }
static void deadly(long number) { answer(number, SECCOMP_RET_KILL_PROCESS); }

/* A file system of this process alone. */
static void mounted(const char *type, const char *options, const char *path)
{
    must(unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
         mount("none", path, type, 0, options) == 0);
}

static void no_proc(long unused)
{
    (void)unused;
    mounted("tmpfs", NULL, "/proc");
}

static void no_devices(long unused)
{
    (void)unused;
    mounted("tmpfs", NULL, "/dev");
}

/* Temporary files and the cache have so many KiB. */
static void full(long kib)
{
    char options[32];
    snprintf(options, sizeof options, "size=%ldk", kib);
    mounted("tmpfs", options, "/mnt");
    setenv("TMPDIR", "/mnt", 1);
    setenv("VENTUS_CACHE", "1", 1);
    setenv("VENTUS_CACHE_DIR", "/mnt/cache", 1);
}

static void no_temporary(long unused)
{
    (void)unused;
    setenv("TMPDIR", "/nonexistent", 1);
}

/* As a machine without them would have: by the name of the client's folder. */
static void relative_home(long unused)
{
    (void)unused;
    must(chdir(getenv("TMPDIR")) == 0);
    setenv("VENTUS_CACHE", "1", 1);
    unsetenv("VENTUS_CACHE_DIR");
    setenv("XDG_CACHE_HOME", "cache", 1);
    setenv("HOME", "home", 1);
}

/* What is opened must not have the number of a stream. */
static bool streams_closed;

static void closed(long unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++) close(i);
    streams_closed = true;
}

/* Standard error takes no message, and there is one. */
static void deaf(long unused)
{
    int ends[2];
    (void)unused;
    must(pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) >= 0);
    close(ends[0]);
    close(ends[1]);
    signal(SIGPIPE, SIG_DFL);
    setenv("TMPDIR", "/nonexistent", 1);
}

/* Nor does standard output. */
static void mute(long unused)
{
    deaf(unused);
    must(dup2(STDERR_FILENO, STDOUT_FILENO) >= 0);
    setenv("TMPDIR", "/tmp", 1);
}

static void no_folder(long unused)
{
    (void)unused;
    char folder[] = "/tmp/ventus-gone-XXXXXX";
    must(mkdtemp(folder) && chdir(folder) == 0 && rmdir(folder) == 0);
}

static void mask(long bits) { umask((mode_t)bits); }

static void children(long flags)
{
    const struct sigaction action = {.sa_handler = flags ? SIG_DFL : SIG_IGN, .sa_flags = (int)flags};
    must(sigaction(SIGCHLD, &action, NULL) == 0);
}

/* Memory that can be written never becomes executable: nothing can be translated. */
static void no_new_code(long unused)
{
    enum { SET_MDWE = 65, REFUSE_EXEC_GAIN = 1 };
    (void)unused;
    must(prctl(SET_MDWE, REFUSE_EXEC_GAIN, 0, 0, 0) == 0);
}

static void rounding(long mode) { must(fesetround((int)mode) == 0); }

static void traps(long which) { must(feenableexcept((int)which) >= 0); }

/* As programs compiled with -ffast-math. */
static void flushing(long unused)
{
    (void)unused;
#ifdef __x86_64__
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#else
    must(false);
#endif
}

/* With a comma in numbers. One is made if the host has none. */
static void language(long unused)
{
    char path[300], command[400];
    (void)unused;
    snprintf(path, sizeof path, "%s/de_DE.UTF-8", getenv("TMPDIR"));
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 --no-archive %s 2>/dev/null", path);
    bool made = system(command) == 0 && setenv("LOCPATH", getenv("TMPDIR"), 1) == 0;
    bool set = setlocale(LC_ALL, "de_DE.UTF-8");
    snprintf(command, sizeof command, "rm -rf %s", path);
    must(system(command) == 0 && (made || set) && set && *localeconv()->decimal_point == ',');
}

/* ---- all of them ---- */

static const struct surrounding {
    const char *name;
    void (*set)(long argument);
    long argument;
    enum outcome outcome;
    const char *says; /* of an error */
} surroundings[] = {
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ /* which need all of this themselves */
    {"16 files", files, 16, RIGHT, ""},
    {"8 files", files, 8, ERROR, "Too many open files"},
    {"5 files", files, 5, ERROR, "Too many open files"},
    {"2 GiB of addresses", space, 2048, ERROR, "clCompileProgram: error -6"},
    {"8 MiB of data", data, 8, ERROR, "clCompileProgram: error -6"},
    {"16 KiB of stack", stack, 16, ERROR, "clCompileProgram"},
    {"no new code", no_new_code, 0, RIGHT, ""},
    {"no processes", processes, 0, ERROR, "Resource temporarily unavailable"},
    {"no files in memory", forbidden, SYS_memfd_create, ERROR, "no files in memory for the compiler: Operation not"},
    {"nothing executed", forbidden, SYS_execve, ERROR, "cannot run the compiler"},
    {"no limits known", forbidden, SYS_prlimit64, RIGHT, ""},
    {"no libraries found", forbidden, SYS_pread64, ERROR, "could not be loaded"},
    {"no sockets", forbidden, SYS_socketpair, RIGHT, ""},
    {"no process descriptors", unknown, SYS_pidfd_open, RIGHT, ""},
    {"no Landlock", unknown, SYS_landlock_create_ruleset, RIGHT, ""},
    {"Landlock forbidden", forbidden, SYS_landlock_restrict_self, RIGHT, ""},
    {"Landlock deadly", deadly, SYS_landlock_restrict_self, ERROR, "signal 31"},
    {"no ranges closed", unknown, SYS_close_range, RIGHT, ""},
    {"nothing advised", forbidden, SYS_madvise, RIGHT, ""},
    {"processors unknown", forbidden, SYS_sched_getaffinity, RIGHT, ""},
    {"no times of files", forbidden, SYS_utimensat, RIGHT, ""},
    {"no /proc", no_proc, 0, RIGHT, ""},
    {"no /dev", no_devices, 0, RIGHT, ""},
    {"full disk", full, 4, ERROR, "temporary folder in /mnt: No space left"},
    {"full cache", full, 64, RIGHT, ""},
#endif
    {"no temporary folder", no_temporary, 0, ERROR, "temporary folder in /nonexistent: No such file"},
    {"relative HOME", relative_home, 0, RIGHT, ""},
    {"closed streams", closed, 0, RIGHT, ""},
    {"nobody reads messages", deaf, 0, ERROR, "clLinkProgram: error"},
    {"nobody reads output", mute, 0, RIGHT, ""},
    {"no working folder", no_folder, 0, RIGHT, ""},
    {"nothing for anybody", mask, 0777, RIGHT, ""},
    {"children ignored", children, 0, RIGHT, ""},
    {"children that leave nothing", children, SA_NOCLDWAIT, RIGHT, ""},
    {"rounds up", rounding, FE_UPWARD, RIGHT, ""},
    {"rounds to zero", rounding, FE_TOWARDZERO, RIGHT, ""},
    {"traps", traps, FE_ALL_EXCEPT, RIGHT, ""},
    {"flushes to zero", flushing, 0, RIGHT, ""},
    {"another language", language, 0, RIGHT, ""},
};
enum { SURROUNDINGS = sizeof surroundings / sizeof *surroundings };

/* What a client has set for its thread stays as it is. */
struct habits {
    int round, traps;
    char point;
};

static struct habits habits_now(void)
{
    return (struct habits){fegetround(), fegetexcept(), *localeconv()->decimal_point};
}

static bool is_open(int fd) { return fcntl(fd, F_GETFD) >= 0; }

/* `late`: behind the first calls. */
static int be_in(const struct surrounding *s, bool late)
{
    alarm(300);
    if (!late) s->set(s->argument);
    struct habits set = habits_now();
    int error = check_setup(NULL);
    if (error) give_up("the first calls", error);
    if (late) s->set(s->argument);
    if (late) set = habits_now();
    be_client();
    const struct habits left = habits_now();
    if (left.round != set.round || left.traps != set.traps || left.point != set.point)
        wrong("what was set has changed");
    for (int i = 0; streams_closed && i < 3; i++)
        if (is_open(i)) wrong("a stream has come back");
    _exit(RIGHT);
}

/* ---- the parent ---- */

static char folder[] = "/tmp/ventus-surroundings-XXXXXX";

static int memory(void)
{
    int fd = memfd_create("output", MFD_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

static void read_text(int fd, char text[4096])
{
    ssize_t n = pread(fd, text, 4095, 0);
    text[n < 0 ? 0 : n] = 0;
    close(fd);
}

static int start(const char *number, const char *late, int out, int report)
{
    char *argv[] = {"surroundings_test", (char *)(uintptr_t)number, (char *)(uintptr_t)late, NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, report, STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions, report, REPORT);
    assert_int_equal(posix_spawn(&pid, "/proc/self/exe", &actions, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* What a process leaves behind becomes this one's child. The translator ends when it finds its client gone. */
static void expect_no_process(const char *name)
{
    pid_t pid = 0;
    for (int i = 0; i < 3000 && (pid = waitpid(-1, NULL, WNOHANG)) >= 0; i++)
        if (!pid) usleep(10000);
    if (pid >= 0) fail_msg("%s: a process is left", name);
}

static void expect_no_file(const char *name)
{
    if (rmdir(folder)) fail_msg("%s: a file is left in %s", name, folder);
    assert_int_equal(mkdir(folder, 0777), 0);
    assert_int_equal(chmod(folder, 0777), 0);
}

/* True: it is possible here. */
static bool check(int i, bool late)
{
    const struct surrounding *s = &surroundings[i];
    char number[16], text[4096], report[4096];
    const int out = memory(), told = memory();
    snprintf(number, sizeof number, "%d", i);
    const int code = start(number, late ? "late" : NULL, out, told);
    read_text(out, text);
    read_text(told, report);
    if (code == IMPOSSIBLE) print_message("%s: cannot be made here\n", s->name);
    else if (code != (int)s->outcome) fail_msg("%s%s: %d\n%s", s->name, late ? ", late" : "", code, report);
    else if (code == ERROR && !strstr(report, s->says)) fail_msg("%s: not said: %s\n%s", s->name, s->says, report);
    else if (code == RIGHT && s->set != closed && s->set != mute) assert_string_equal(text, said);
    if (code == RIGHT && strstr(report, "VENTUS_TIMEOUT")) fail_msg("%s: %s", s->name, report);
    expect_no_process(s->name);
    expect_no_file(s->name);
    return code != IMPOSSIBLE;
}

/* Half of those that do no harm are there before the first call, the others are made behind it. */
static void test_surroundings(void **state)
{
    (void)state;
    int possible = 0;
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chmod(folder, 0777), 0);
    setenv("TMPDIR", folder, 1);
    setenv("VENTUS_TIMEOUT", "1000.5", 1); /* a number that is read */
    setenv("VENTUS_ENGINE", "native", 1);
    setenv("VENTUS_TRANSLATE_EFFORT", "least", 1);
    setenv("VENTUS_DEBUG", "1", 1); /* what is wrong with a program that does not come to be */
    for (int i = 0; i < SURROUNDINGS; i++) possible += check(i, i % 2 || surroundings[i].outcome == ERROR);
    rmdir(folder);
    assert_true(possible > SURROUNDINGS / 2);
}

int main(int argc, char **argv)
{
    if (argc > 1) return be_in(&surroundings[atoi(argv[1])], argc > 2);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_surroundings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
