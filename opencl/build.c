/* Runs of the compiler as a child process: source in, ELF and log out. Objects to link reach it as files of a
 * temporary folder that exists for one run only.
 * All three streams are anonymous memory files, so neither side can block on the other and nothing is
 * left behind. The client's process is a stranger's: its signal handlers, closed descriptors and ignored
 * SIGCHLD must not matter. A crash of the compiler is a line in the log. Called by build_cache.c. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/gpu.h"
#include "host/host.h"
#include "host/number.h"
#include "objects.h"

enum { LOG_LIMIT = 1 << 20 }; /* bytes of memory for each program */

/* ---- memory files ---- */

/* The descriptor lies above the standard ones, which a client may have closed: the child's are duplicated from it. */
static int memory_file(const char *name) { return host_above_standard(memfd_create(name, MFD_CLOEXEC)); }

/* The file's content, terminated by a 0; NULL: out of memory. Reads at most `limit` bytes. */
static unsigned char *read_all(int fd, size_t limit, size_t *size)
{
    struct stat st;
    size_t length = fstat(fd, &st) == 0 && st.st_size > 0 ? (size_t)st.st_size : 0, done = 0;
    if (length > limit) length = limit;
    unsigned char *data = malloc(length + 1);
    if (!data) return NULL;
    while (done < length) {
        ssize_t n = pread(fd, data + done, length - done, (off_t)done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        done += (size_t)n;
    }
    data[done] = 0;
    *size = done;
    return data;
}

/* ---- the child ---- */

enum { STATUS_TAKEN = -1000 };

/* Shows progress on the terminal, if it is wanted, while the child runs. */
static void show_wait(pid_t pid)
{
    struct pollfd ended = {.fd = host_wants_progress() ? (int)syscall(SYS_pidfd_open, pid, 0) : -1, .events = POLLIN};
    unsigned seconds = 0;
    if (ended.fd < 0) return;
    while (poll(&ended, 1, 1000) == 0) host_show_progress("ventus: compiling, %u s", ++seconds);
    if (seconds) host_show_progress("%s", "");
    close(ended.fd);
}

/* A compiler process that a build waits for and that may still be stopped. */
struct child {
    struct child *next; /* of the program */
    pid_t pid;
};

/* Stops a child that was started after the build had been cancelled. */
static void note_child(cl_program program, struct child *child)
{
    if (!program) return;
    pthread_mutex_lock(&program->lock);
    child->next = program->children;
    program->children = child;
    if (program->abandoned) kill(child->pid, SIGKILL);
    pthread_mutex_unlock(&program->lock);
}

static void forget_child(cl_program program, const struct child *child)
{
    if (!program) return;
    pthread_mutex_lock(&program->lock);
    struct child **link = &program->children;
    while (*link != child) link = &(*link)->next;
    *link = child->next;
    pthread_mutex_unlock(&program->lock);
}

void program_stop_children(cl_program program)
{
    for (const struct child *c = program->children; c; c = c->next) kill(c->pid, SIGKILL);
}

/* Exit code, -signal, or STATUS_TAKEN when the client's own handling of SIGCHLD took the status from us. The child is
 * not taken away before nobody can stop it any more: its number may be that of another process then. */
static int await(cl_program program, pid_t pid)
{
    int status;
    siginfo_t ended;
    struct child child = {.pid = pid};
    note_child(program, &child);
    show_wait(pid);
    while (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
    }
    forget_child(program, &child);
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return STATUS_TAKEN;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static bool is_abandoned(cl_program program)
{
    if (!program) return false;
    pthread_mutex_lock(&program->lock);
    bool abandoned = program->abandoned;
    pthread_mutex_unlock(&program->lock);
    return abandoned;
}

/* ---- the log ---- */

static void log_add(struct build *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void log_add(struct build *b, const char *format, ...)
{
    char line[1024];
    va_list ap;
    va_start(ap, format);
    vsnprintf(line, sizeof line, format, ap);
    va_end(ap);
    size_t old = b->log ? strlen(b->log) : 0, more = strlen(line);
    char *log = realloc(b->log, old + more + 2);
    if (!log) return;
    if (old && log[old - 1] != '\n') log[old++] = '\n';
    memcpy(log + old, line, more + 1);
    b->log = log;
}

static cl_int verdict(struct build *b, int code)
{
    switch (code) {
    case 0: return CL_SUCCESS;
    case 1: return CL_BUILD_PROGRAM_FAILURE;
    case 2: return CL_INVALID_BUILD_OPTIONS;
    case 3:
        log_add(b, "ventus: the compiler's environment is incomplete; the lines above say what to install\n");
        return CL_COMPILER_NOT_AVAILABLE;
    case 127: /* of the system's loader, before the compiler's first instruction */
        log_add(b, "ventus: the compiler could not be loaded; is it installed with its libraries?\n");
        return CL_COMPILER_NOT_AVAILABLE;
    case STATUS_TAKEN: return b->size ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE;
    default: break;
    }
    if (code == -SIGKILL && is_abandoned(b->program)) log_add(b, "ventus: stopped, because the program was released\n");
    else if (code < 0)
        log_add(b, "ventus: the compiler died of signal %d (%s); this is a bug in it\n", -code, strsignal(-code));
    else log_add(b, "ventus: the compiler failed with code %d; this is a bug in it\n", code);
    return CL_BUILD_PROGRAM_FAILURE;
}

/* ---- one run ---- */

/* Runs argv[0] for a build of `program`: 0, or an errno. */
static int run(cl_program program, char *const argv[], const int fd[3], int *code)
{
    pid_t pid;
    host_compile_limits(true);
    int error = host_spawn(&pid, argv, fd);
    if (error) return error;
    *code = await(program, pid);
    return 0;
}

/* Memory files for source, result and log, the first filled. */
static bool open_files(int fd[3], const char *source, size_t size)
{
    static const char *const names[] = {"source", "result", "log"};
    for (int i = 0; i < 3; i++) fd[i] = memory_file(names[i]);
    return fd[0] >= 0 && fd[1] >= 0 && fd[2] >= 0 && host_write(fd[0], source, size) && lseek(fd[0], 0, SEEK_SET) == 0;
}

static void close_files(const int fd[3])
{
    for (int i = 0; i < 3; i++)
        if (fd[i] >= 0) close(fd[i]);
}

/* Takes over `fd`'s results. */
static cl_int compile(struct build *b, char *const argv[], const int fd[3])
{
    int code = 0, error = run(b->program, argv, fd, &code);
    size_t size;
    if (error == E2BIG && !b->objects) {
        log_add(b, "ventus: the build options are longer than the system lets a program's arguments be\n");
        return CL_INVALID_BUILD_OPTIONS;
    }
    if (error == ENOMEM) return CL_OUT_OF_HOST_MEMORY;
    if (error) {
        log_add(b, "ventus: cannot run the compiler %s: %s; set VENTUS_CC or install it\n", argv[0], strerror(error));
        return CL_COMPILER_NOT_AVAILABLE;
    }
    b->log = (char *)read_all(fd[2], LOG_LIMIT, &size);
    b->bytes = read_all(fd[1], SIZE_MAX - 1, &b->size);
    return b->log && b->bytes ? verdict(b, code) : CL_OUT_OF_HOST_MEMORY;
}

/* The compiler inherits this process's limit of file sizes, within which its log must fit. */
static bool may_compile(size_t source_size) { return host_may_write(source_size) && host_may_write(LOG_LIMIT); }

/* Runs the compiler with these arguments; the first, the program's path, is filled in here. */
static cl_int build_with(struct build *b, char *argv[])
{
    int fd[3];
    cl_int error = CL_OUT_OF_HOST_MEMORY;
    if (!may_compile(b->source_size)) {
        log_add(b, "ventus: this process may not write files that are large enough to compile (RLIMIT_FSIZE)\n");
        return CL_OUT_OF_RESOURCES;
    }
    if (!open_files(fd, b->source, b->source_size))
        log_add(b, "ventus: no files in memory for the compiler: %s\n", strerror(errno));
    else if ((argv[0] = compiler_path())) error = compile(b, argv, fd);
    close_files(fd);
    free(argv[0]);
    if (error) {
        free(b->bytes);
        b->bytes = NULL;
        b->size = 0;
    }
    return error;
}

char *compiler_path(void) { return host_program("VENTUS_CC", "ventus-cc"); }

unsigned char *compiler_answer(cl_program program, char *argv[], const char *input, size_t input_size, size_t *size)
{
    int fd[3], code = -1;
    unsigned char *answer = NULL;
    if (!may_compile(input_size)) return NULL;
    if (open_files(fd, input, input_size) && (argv[0] = compiler_path()) && run(program, argv, fd, &code) == 0 &&
        code == 0)
        answer = read_all(fd[1], SIZE_MAX - 1, size);
    close_files(fd);
    free(argv[0]);
    return answer;
}

void compiler_complain(cl_int error, const char *log)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    static const char own[] = "ventus: "; /* the line begins so in any case */
    if (error != CL_COMPILER_NOT_AVAILABLE && error != CL_OUT_OF_RESOURCES && error != CL_OUT_OF_HOST_MEMORY) return;
    if (!strncmp(log, own, sizeof own - 1)) log += sizeof own - 1;
    complain_once(&said, "no program can be compiled: %.*s", (int)strcspn(log, "\n"), log);
}

/* ---- compile, link ---- */

void build_for(struct build *b, const ventus_device *device)
{
    const struct ventus_pools pools = ventus_pools_of(device);
    struct ventus_info info;
    ventus_device_info(device, &info);
    b->profile = info.profile;
    snprintf(b->pools, sizeof b->pools, "%u,%u,%u,%u", (unsigned)pools.scalars, (unsigned)pools.vectors,
             (unsigned)info.threads_per_warp, (unsigned)device_max_group(&info));
    device_lacks(b->lacks, sizeof b->lacks);
    b->shown = device_shows_program(device);
}

char *build_options(const struct build *b)
{
    const char *options = b->options ? b->options : "";
    char *text = NULL;
    if (!b->headers) return strdup(options);
    return asprintf(&text, "-I \"%s\" %s", b->headers, options) < 0 ? NULL : text;
}

/* Puts what the compiler has to know about the device at argv[n]; returns the index behind it. */
static size_t add_machine(struct build *b, char *argv[], size_t n)
{
    argv[n++] = "--profile";
    argv[n++] = (char *)(uintptr_t)b->profile;
    argv[n++] = "--pools";
    argv[n++] = b->pools;
    if (!*b->lacks) return n;
    argv[n++] = "--lacks";
    argv[n++] = b->lacks;
    return n;
}

static cl_int build_source(struct build *b)
{
    char *options = build_options(b);
    char *argv[12] = {NULL, "--options", options};
    const size_t n = add_machine(b, argv, 3);
    argv[n] = b->object ? "--compile" : b->draft ? "--draft" : NULL;
    cl_int error = options ? build_with(b, argv) : CL_OUT_OF_HOST_MEMORY;
    free(options);
    return error;
}

/* Writes the objects into `folder`, and their names behind argv[*n]. */
static bool write_objects(const struct build *b, const char *folder, char *argv[], size_t *n)
{
    for (cl_uint i = 0; i < b->nobjects; i++) {
        char name[32];
        snprintf(name, sizeof name, "object%u", i);
        if (asprintf(&argv[*n], "%s/%s", folder, name) < 0) return false;
        ++*n;
        if (!folder_write(folder, name, b->objects[i]->bytes, b->objects[i]->size)) return false;
    }
    return true;
}

static cl_int build_objects(struct build *b)
{
    char *folder = folder_make(), **argv = calloc(b->nobjects + 12u, sizeof *argv);
    size_t first = 0, n = 0;
    cl_int error = CL_OUT_OF_RESOURCES;
    if (argv) {
        argv[1] = "--link";
        n = add_machine(b, argv, 2);
        if (b->object) argv[n++] = "--compile";
        if (b->kernel) argv[n++] = "--kernel", argv[n++] = (char *)(uintptr_t)b->kernel;
        first = n;
    }
    if (folder && argv && write_objects(b, folder, argv, &n)) {
        error = build_with(b, argv);
    } else {
        char *problem = folder_problem("the objects");
        if (problem) log_add(b, "%s", problem);
        free(problem);
    }
    while (n > first) free(argv[--n]);
    free(argv);
    folder_remove(folder);
    return error;
}

cl_int build_run(struct build *b)
{
    b->log = NULL;
    b->bytes = NULL;
    b->size = 0;
    return b->objects ? build_objects(b) : build_source(b);
}
