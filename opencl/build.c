/* One run of the compiler as a child process: source in, ELF and log out.
 * All three streams are anonymous memory files, so neither side can block on the other and nothing is
 * left behind. The client's process is a stranger's: its signal handlers, closed descriptors and ignored
 * SIGCHLD must not matter. A crash of the compiler is a line in the log. Called by compile.c. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "objects.h"

enum { LOG_LIMIT = 1 << 20 };

/* ---- memory files ---- */

/* Above the standard descriptors, which a client may have closed: the child's are made from these. */
static int memory_file(const char *name) { return host_above_standard(memfd_create(name, MFD_CLOEXEC)); }

static bool write_all(int fd, const char *data, size_t size)
{
    while (size) {
        ssize_t n = write(fd, data, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        data += n;
        size -= (size_t)n;
    }
    return true;
}

/* The file's content with a 0 behind it, NULL without memory; *size holds at most `limit`. */
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

/* Exit code, -signal, or STATUS_TAKEN when the client's own handling of SIGCHLD took the status from us. */
static int await(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return STATUS_TAKEN;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
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
    case STATUS_TAKEN: return b->size ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE;
    default: break;
    }
    if (code < 0)
        log_add(b, "ventus: the compiler died of signal %d (%s); this is a bug in it\n", -code, strsignal(-code));
    else log_add(b, "ventus: the compiler failed with code %d; this is a bug in it\n", code);
    return CL_BUILD_PROGRAM_FAILURE;
}

/* The compiler's arguments; the array is the caller's to free. */
static char **arguments(const struct build *b, const char *path)
{
    size_t n = 0, objects = 0;
    while (b->objects && b->objects[objects]) objects++;
    char **argv = calloc(objects + 8, sizeof *argv);
    if (!argv) return NULL;
    argv[n++] = (char *)(uintptr_t)path;
    argv[n++] = "--profile";
    argv[n++] = (char *)(uintptr_t)b->profile;
    if (b->objects) {
        argv[n++] = "--link";
    } else {
        argv[n++] = "--options";
        argv[n++] = (char *)(uintptr_t)(b->options ? b->options : "");
    }
    if (b->object) argv[n++] = "--compile";
    for (size_t i = 0; i < objects; i++) argv[n++] = b->objects[i];
    return argv;
}

static cl_int compile(struct build *b, const char *path, char **argv, const int fd[3])
{
    pid_t pid;
    size_t size;
    if (!write_all(fd[0], b->source, b->source_size) || lseek(fd[0], 0, SEEK_SET) < 0) return CL_OUT_OF_HOST_MEMORY;
    int error = host_spawn(&pid, argv, fd);
    if (error == E2BIG && !b->objects) {
        log_add(b, "ventus: the build options are longer than the system lets a program's arguments be\n");
        return CL_INVALID_BUILD_OPTIONS;
    }
    if (error) {
        log_add(b, "ventus: cannot run the compiler %s: %s; set VENTUS_CC or install it\n", path, strerror(error));
        return CL_COMPILER_NOT_AVAILABLE;
    }
    int code = await(pid);
    b->log = (char *)read_all(fd[2], LOG_LIMIT, &size);
    b->bytes = read_all(fd[1], SIZE_MAX - 1, &b->size);
    return b->log && b->bytes ? verdict(b, code) : CL_OUT_OF_HOST_MEMORY;
}

cl_int build_run(struct build *b)
{
    int fd[3] = {memory_file("source"), memory_file("result"), memory_file("log")};
    char *path = host_program("VENTUS_CC", "ventus-cc"), **argv = arguments(b, path);
    cl_int error = CL_OUT_OF_HOST_MEMORY;
    b->log = NULL;
    b->bytes = NULL;
    b->size = 0;
    if (path && argv && fd[0] >= 0 && fd[1] >= 0 && fd[2] >= 0) error = compile(b, path, argv, fd);
    for (int i = 0; i < 3; i++)
        if (fd[i] >= 0) close(fd[i]);
    free(argv);
    free(path);
    if (error) {
        free(b->bytes);
        b->bytes = NULL;
        b->size = 0;
    }
    return error;
}
