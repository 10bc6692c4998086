/* ventus debug: a kernel, or a program that uses the GPU, and a debugger, in one command.
 *
 * The kernel (`ventus run --gdb`) or the program (VENTUS_GDB) is a child, which opens a socket that only this user can
 * reach; then the debugger gets the terminal, with its commands for the GPU (debug/ventus_gdb.py or
 * ventus_lldb.py, beside this program or where it is installed). */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check/check.h"
#include "driver/gpu.h"
#include "driver/remote.h"
#include "host/scratch.h"
#include "tool.h"

enum { FLAG_LLDB, FLAG_COMMANDS, FLAG_DEBUGGER, FLAG_CHECK, FLAG_HOST };
static const struct flag flags[] = {
    {"lldb", 0, NULL, "lldb instead of gdb"},
    {"commands", 'x', "FILE", "commands of the debugger, after which it ends; - is standard input"},
    {"debugger", 0, "PROGRAM", "the debugger; default: gdb-multiarch, lldb-19 with --lldb"},
    {"check", 0, "[=KINDS]", "stop at mistakes of the kernel: all, or a list as for `ventus run` (docs/check.md)"},
    {"host", 0, NULL, "gdb has the program, too: two inferiors, the program and the device"},
    {0},
};

static const char about[] =
    "Runs a kernel, or a program that uses the GPU, under gdb or lldb. Work-items are threads; docs/debugger.md is a\n"
    "tutorial. What stands behind the executable are arguments of `ventus run`.\n\n"
    "Examples:  ventus debug saxpy.elf -g 64 -a f:2 -a iota:64 -a buf:256\n"
    "           ventus debug -- ./program\n"
    "           ventus debug --host -- ./program\n"
    "           ventus debug --lldb -x commands.txt saxpy.elf -g 64 -a f:2 -a iota:64 -a buf:256";

enum { MOST_WORDS = 4096 }; /* of the command, 32 KiB; more is an error */

struct session {
    bool lldb, host;
    const char *commands, *debugger;
    char *check; /* the option of `ventus run`, "--check=KINDS"; NULL: not wanted */
    struct scratch folder;
    char socket[SCRATCH_PATH + 10], given[SCRATCH_PATH + 10]; /* in it; given: commands of standard input */
    char device[SCRATCH_PATH + 10];                           /* --host: the socket of the machine, for the program */
    char **program;                                           /* --host: what the debugger is to run */
    pid_t machine;
};

/* ---- signals ---- */

static volatile sig_atomic_t ended_by; /* the signal */
static volatile pid_t debugger;

/* What this process has started ends with it. */
static void end(int number)
{
    ended_by = number;
    if (debugger) kill(debugger, SIGTERM);
}

static void end_with_signals(void)
{
    static const int signals[] = {SIGTERM, SIGHUP};
    const struct sigaction action = {.sa_handler = end};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) sigaction(signals[i], &action, NULL);
}

/* ---- the machine ---- */

static bool exists(const char *path)
{
    struct stat s;
    return lstat(path, &s) == 0;
}

/* Forks a child into a process group of its own: Ctrl-C is the debugger's. One that is ours alone ends with us, and one
 * that a signal reaches before its own program begins ends, too. Returns true in the child. */
static bool fork_machine(struct session *s, bool ours)
{
    const pid_t parent = getpid();
    s->machine = fork();
    if (s->machine < 0) die("cannot start a process: %s", strerror(errno));
    if (s->machine) return false;
    setpgid(0, 0);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    if (ours) prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (ended_by || (ours && getppid() != parent)) _exit(EXIT_FAILED);
    return true;
}

static void start(struct session *s, char **words, const char *where, bool kernel)
{
    if (!fork_machine(s, kernel)) return;
    if (!kernel) setenv("VENTUS_GDB", where, 1);
    if (!kernel && s->check) setenv("VENTUS_CHECK", strchr(s->check, '=') + 1, 1);
    execvp(kernel ? "/proc/self/exe" : words[0], words);
    fprintf(stderr, "ventus debug: cannot run %s: %s\n", words[0], strerror(errno));
    _exit(127);
}

/* --host: the machine is a process of its own, which goes on when the debugger stops the program, and ends with us. */
static void start_machine(struct session *s, const char *where)
{
    struct gpu_config config;
    char why[600] = "";
    if (!fork_machine(s, true)) return;
    if (device_gpu_config(0, &config, why, sizeof why) == VENTUS_OK)
        remote_machine(&config, s->device, where, why, sizeof why);
    fprintf(stderr, "ventus debug: %s\n", why);
    _exit(EXIT_FAILED);
}

/* The variables by which the program finds that machine. */
static void prepare_host(const struct session *s)
{
    char *backend;
    if (asprintf(&backend, "remote,%s", s->device) < 0) die("out of memory");
    setenv("VENTUS_BACKEND", backend, 1);
    unsetenv("VENTUS_GDB");
    free(backend);
}

/* The socket is there once the program has opened the device. False: it has ended without. */
static bool await(struct session *s)
{
    for (; !exists(s->socket) || (s->host && !exists(s->device)); usleep(5000)) {
        if (ended_by) return false;
        if (waitpid(s->machine, NULL, WNOHANG) != s->machine) continue;
        s->machine = 0;
        if (!s->host) fputs("ventus debug: the program has ended without the GPU\n", stderr);
        return false;
    }
    return true;
}

/* ---- the debugger ---- */

/* A file of the debugger's commands: beside this program, or where it is installed. */
static char *script(const char *name)
{
    static const char *const places[] = {"", "../share/ventus/"};
    char own[PATH_MAX], *path = NULL;
    ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    if (n <= 0) die("cannot find out where this program is: %s", strerror(errno));
    own[n] = 0;
    strrchr(own, '/')[1] = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (asprintf(&path, "%s%s%s", own, places[i], name) < 0) die("out of memory");
        if (exists(path)) return path;
        free(path);
    }
    die("%s is neither beside this program nor in ../share/ventus", name);
}

static void run_debugger(const struct session *s)
{
    char *attach = NULL, *source = NULL, *file = script(s->lldb ? "ventus_lldb.py" : "ventus_gdb.py");
    const char *words[MOST_WORDS + 16], *command = s->lldb   ? "ventus-attach"
                                                   : s->host ? "ventus host"
                                                             : "ventus attach";
    size_t n = 0;
    if (asprintf(&attach, "%s %s", command, s->socket) < 0) die("out of memory");
    if (asprintf(&source, s->lldb ? "command script import \"%s\"" : "source %s", file) < 0) die("out of memory");
    words[n++] = s->debugger ? s->debugger : s->lldb ? "lldb-19" : "gdb-multiarch";
    if (!s->lldb) words[n++] = "-q";
    if (s->commands) words[n++] = s->lldb ? "-b" : "-batch";
    words[n++] = s->lldb ? "-o" : "-ex";
    words[n++] = source;
    words[n++] = s->lldb ? "-o" : "-ex";
    words[n++] = attach;
    char *sourced = NULL;
    if (s->commands && asprintf(&sourced, "command source -e 0 -c 0 \"%s\"", s->commands) < 0) die("out of memory");
    if (s->commands) words[n++] = s->lldb ? "-o" : "-x";
    if (s->commands) words[n++] = s->lldb ? sourced : s->commands;
    if (s->host) words[n++] = "--args", prepare_host(s);
    for (char **word = s->program; s->host && *word; word++) words[n++] = *word;
    words[n] = NULL;
    execvp(words[0], (char *const *)(uintptr_t)words);
    fprintf(stderr, "ventus debug: cannot run %s: %s%s\n", words[0], strerror(errno),
            errno != ENOENT ? ""
            : s->lldb       ? " (package lldb-19)"
                            : " (package gdb-multiarch)");
    _exit(127);
}

/* Ctrl-C reaches this process, too, and is not its business. */
static int debug(const struct session *s)
{
    int status = 0;
    signal(SIGINT, SIG_IGN);
    pid_t pid = fork();
    if (pid < 0) die("cannot start a process: %s", strerror(errno));
    if (!pid) {
        signal(SIGINT, SIG_DFL);
        run_debugger(s);
    }
    debugger = pid;
    if (ended_by) kill(pid, SIGTERM);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    debugger = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
}

/* A kernel is there for its debugger alone; a program goes on, unless there never was one or a signal ends it all. */
static void finish(struct session *s, int code, bool kernel)
{
    kernel |= s->host;                                    /* nobody else uses the machine */
    if (s->machine && kernel && !ended_by) usleep(50000); /* it may be about to end, with something to say */
    if (s->machine && (kernel || code == 127 || ended_by)) kill(s->machine, SIGTERM);
    if (s->machine) waitpid(s->machine, NULL, 0);
    scratch_remove(&s->folder);
    scratch_sweep(); /* the machine's, which a signal has ended */
}

/* ---- the command ---- */

/* Debuggers want a file. */
static void take_commands(struct session *s)
{
    size_t size;
    if (!s->commands || strcmp(s->commands, "-")) return;
    snprintf(s->given, sizeof s->given, "%s/commands", s->folder.path);
    void *text = read_file("-", &size);
    write_file(s->given, text, size);
    free(text);
    s->commands = s->given;
}

static char *check_option(const struct args *a)
{
    char why[160], *option;
    unsigned what;
    if (!check_parse(a->value, &what, why, sizeof why)) usage_error(a, "--check: %s", why);
    if (asprintf(&option, "--check=%s", a->value && *a->value ? a->value : "all") < 0) die("out of memory");
    return option;
}

static void make_folder(struct session *s)
{
    if (!scratch_make(&s->folder)) die("cannot make a folder for temporary files: %s", strerror(errno));
    snprintf(s->socket, sizeof s->socket, "%s/gdb", s->folder.path);
    snprintf(s->device, sizeof s->device, "%s/device", s->folder.path);
}

int cmd_debug(int argc, char **argv)
{
    struct args a = {.command = "debug",
                     .usage = "[OPTION]... FILE ARGUMENTS...\n       ventus debug [OPTION]... -- PROGRAM ARGUMENTS...",
                     .about = about,
                     .flags = flags,
                     .argc = argc,
                     .argv = argv,
                     .at = 1};
    struct session s = {0};
    char *words[MOST_WORDS], run[] = "run", gdb[] = "--gdb", ventus[] = "ventus";
    size_t n = 0;
    int flag;
    while ((flag = args_next(&a)) != ARG_END && flag != ARG_PLAIN) {
        if (flag == FLAG_LLDB) s.lldb = true;
        else if (flag == FLAG_COMMANDS) s.commands = a.value;
        else if (flag == FLAG_HOST) s.host = true;
        else if (flag == FLAG_CHECK) free(s.check), s.check = check_option(&a);
        else s.debugger = a.value;
    }
    if (flag == ARG_END) usage_error(&a, "an executable of the GPU, or -- and a program, is needed");
    bool kernel = !a.plain;
    if (s.host && kernel) usage_error(&a, "--host is for a program: -- PROGRAM ARGUMENTS...");
    if (s.host && (s.lldb || s.check)) usage_error(&a, "--host goes neither with --lldb nor with --check");
    char where[sizeof s.socket + 8];
    make_folder(&s);
    take_commands(&s);
    snprintf(where, sizeof where, "%s,quiet", s.socket);
    if (kernel) words[n++] = ventus, words[n++] = run;
    for (int i = a.at - 1; i < argc && n < MOST_WORDS - 5; i++) words[n++] = argv[i];
    if (kernel && s.check) words[n++] = s.check;
    if (kernel) words[n++] = gdb, words[n++] = where;
    words[n] = NULL;
    end_with_signals();
    s.program = words;
    if (s.host) start_machine(&s, where);
    else start(&s, words, where, kernel);
    int code = await(&s) ? debug(&s) : EXIT_FAILED;
    finish(&s, code, kernel);
    free(s.check);
    if (!ended_by) return code;
    signal(ended_by, SIG_DFL);
    raise(ended_by);
    return EXIT_FAILED;
}
