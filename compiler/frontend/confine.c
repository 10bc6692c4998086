/* What the processes of a compilation may use and do: a source comes from anywhere. Both this program and clang are
 * bounded in processor time and memory, end with the process that has asked for them, and, where the kernel has
 * Landlock, can neither change the file system nor speak TCP. clang, which opens what a source names, can read no file
 * but those below the folders that it is given. Called by main.c and frontend.c. */
#include <fcntl.h>
#include <limits.h>
#include <linux/landlock.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "compiler/frontend/frontend.h"
#include "host/number.h"

#define BYTES       ((rlim_t)4 << 30)
#define STACK_BYTES ((rlim_t)64 << 20) /* clang and LLVM call themselves for each level of what is nested */

/* No more than `most`; what is less already stays. */
static void limit(int what, rlim_t most)
{
    struct rlimit now;
    if (getrlimit(what, &now)) return;
    if (now.rlim_cur > most) now.rlim_cur = most;
    setrlimit(what, &now);
}

static void enlarge_stack(void)
{
    struct rlimit now;
    if (getrlimit(RLIMIT_STACK, &now) || now.rlim_cur >= STACK_BYTES) return;
    now.rlim_cur = now.rlim_max < STACK_BYTES ? now.rlim_max : STACK_BYTES;
    setrlimit(RLIMIT_STACK, &now);
}

unsigned confine_seconds(void) { return host_compile_limits(false).seconds; }

static _Noreturn void end(const char *message)
{
    ssize_t n = write(STDERR_FILENO, message, strlen(message));
    _exit(n < 0 ? CC_INTERNAL : CC_FAILED);
}

static void on_alarm(int sig)
{
    (void)sig;
    end("<source>: error: compiling takes too long (VENTUS_CC_PATIENCE; ten times VENTUS_CC_SECONDS, at least 120)\n");
}

static void on_time(int sig)
{
    (void)sig;
    end("<source>: error: the program takes too much processor time to compile (VENTUS_CC_SECONDS, 120)\n");
}

/* LLVM's end without memory is that of an error in it. */
static void on_abort(int sig)
{
    /* A system call and nothing else. NOLINTNEXTLINE(bugprone-signal-handler) */
    void *p = mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) end("<source>: error: the program takes too much memory to compile\n");
    signal(sig, SIG_DFL); /* and abort() goes on */
}

void confine_resources(void)
{
    limit(RLIMIT_CPU, confine_seconds());
    limit(RLIMIT_CORE, 0);
    enlarge_stack();
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ /* which reserve more from their start */
    limit(RLIMIT_AS, BYTES);
#endif
    signal(SIGXCPU, on_time);
    signal(SIGALRM, on_alarm); /* clang, which inherits the alarm, ends */
    alarm(host_compile_limits(false).patience);
    signal(SIGABRT, on_abort);
    signal(SIGXFSZ, SIG_IGN); /* then writing fails, and the log says so */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* struct landlock_ruleset_attr of version 4; the header may be older. */
struct rules {
    uint64_t files, tcp;
};

/* What is forbidden; each version of the interface knows more. */
static struct rules rules_of(long version)
{
    enum { REFER = 1 << 13, TRUNCATE = 1 << 14, BIND_AND_CONNECT = 3 };
    struct rules r = {.files = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                               LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                               LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                               LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                               LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM};
    if (version >= 2) r.files |= REFER;
    if (version >= 3) r.files |= TRUNCATE;
    if (version >= 4) r.tcp = BIND_AND_CONNECT;
    return r;
}

/* What there is below a path, or the file that it is, can be read. */
static void allow(int rules, const char *path)
{
    struct landlock_path_beneath_attr below = {.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE,
                                               .parent_fd = open(path, O_PATH | O_CLOEXEC)};
    if (below.parent_fd < 0) return;
    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &below, 0);
    close(below.parent_fd);
}

void confine_files(const char *const readable[])
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1) return;
    struct rules rules = rules_of(version);
    if (readable) rules.files |= LANDLOCK_ACCESS_FS_READ_FILE;
    int fd = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0);
    if (fd < 0) return;
    for (; readable && *readable; readable++) allow(fd, *readable);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) syscall(SYS_landlock_restrict_self, fd, 0);
    close(fd);
}
