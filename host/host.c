/* The host's clock, short waits, threads, and programs of ours (host.h). */
#include "host/host.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Where programs of ours are installed, from the folder of a library and from that of a command. */
#ifndef VENTUS_LIBEXEC_OF_LIBRARY
#define VENTUS_LIBEXEC_OF_LIBRARY "."
#define VENTUS_LIBEXEC_OF_COMMAND "."
#endif

extern char **environ;

uint64_t host_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

enum {
    SPIN_NS = 20000
}; /* twice what it takes to sleep and be woken, 8.5 us for two threads that do so in turn, or more */

uint32_t host_processors(void)
{
    cpu_set_t processors;
    return sched_getaffinity(0, sizeof processors, &processors) ? 1 : (uint32_t)CPU_COUNT(&processors);
}

#ifdef __x86_64__
bool host_is_base(void) { return true; }

bool host_is_v3(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2");
}

bool host_is_v4(void)
{
    return host_is_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

bool host_is_v4fp16(void) { return host_is_v4() && __builtin_cpu_supports("avx512fp16"); }

bool host_is_amd(void) { return __builtin_cpu_is("amd"); }
#else
bool host_is_amd(void) { return false; }
bool host_is_base(void) { return false; }
bool host_is_v3(void) { return false; }
bool host_is_v4(void) { return false; }
bool host_is_v4fp16(void) { return false; }
#endif

uint64_t host_spin_end(void) { return host_ns() + (host_processors() > 1 ? SPIN_NS : 0); }

bool host_spin(uint64_t end)
{
    if (host_ns() >= end) return false;
    sched_yield(); /* on a busy host it may be the one waited for that needs this processor */
    return true;
}

void host_pages_open(struct host_pages *h)
{
    h->file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (h->file >= 0) h->file = host_above_standard(h->file);
    h->size = (uintptr_t)sysconf(_SC_PAGESIZE);
    host_pages_look(h);
}

void host_pages_look(struct host_pages *h) { h->first = h->count = 0; }

/* Reads entries from that of page `first` on, as far as `end`. False: the host does not tell. */
static bool read_entries(struct host_pages *h, uintptr_t first, uintptr_t end)
{
    const uintptr_t room = sizeof h->entries / sizeof *h->entries, wanted = end - first < room ? end - first : room;
    ssize_t n = pread(h->file, h->entries, wanted * sizeof *h->entries, (off_t)(first * sizeof *h->entries));
    h->first = first;
    h->count = n > 0 ? (uintptr_t)n / sizeof *h->entries : 0;
    return h->count;
}

uintptr_t host_touched(struct host_pages *h, uintptr_t first, uintptr_t end)
{
    const uint64_t present_or_swapped = (uint64_t)3 << 62;
    for (uintptr_t i = first; i < end; i++) {
        if (i - h->first >= h->count && !read_entries(h, i, end)) return i;
        if (h->entries[i - h->first] & present_or_swapped) return i;
    }
    return end;
}

void host_pages_close(struct host_pages *h)
{
    if (h->file >= 0) close(h->file);
}

struct host_client host_neutral_begin(void)
{
    struct host_client client;
    fegetenv(&client.floating);
    fesetenv(FE_DFL_ENV);
    client.locale = uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0)); /* that one is never to be freed */
    return client;
}

void host_neutral_end(const struct host_client *client)
{
    uselocale(client->locale);
    fesetenv(&client->floating);
}

/* The client's signals: all but those that a thread raises itself. */
static void client_signals(sigset_t *set)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    sigfillset(set);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(set, own[i]);
}

bool host_thread(pthread_t *thread, void *(*run)(void *argument), void *argument)
{
    pthread_t started;
    sigset_t blocked, old;
    client_signals(&blocked);
    pthread_sigmask(SIG_SETMASK, &blocked, &old); /* inherited by the new thread */
    bool ok = pthread_create(&started, NULL, run, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (ok && thread) *thread = started;
    else if (ok) pthread_detach(started);
    return ok;
}

/* ---- what a process has once ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void host_lock(void) { pthread_mutex_lock(&lock); }

void host_unlock(void) { pthread_mutex_unlock(&lock); }

/* Before any other of ours: fork() takes the locks in the opposite order, so this one last:
 * inside of it none is taken but at the process's end.
 */
static void __attribute__((constructor)) watch_forks(void) { pthread_atfork(host_lock, host_unlock, host_unlock); }

/* ---- programs ---- */

/* The file that this code is in, links followed: a library's as the loader knows it, a program's as it was started,
 * since dladdr() has but its first argument, without a folder when the shell has found it in PATH. malloc'd; NULL:
 * unknown. */
static char *own_file(void)
{
    Dl_info where;
    struct link_map *map = NULL;
    if (!dladdr1((void *)&own_file, &where, (void **)&map, RTLD_DL_LINKMAP) || !map) return NULL;
    return realpath(*map->l_name ? map->l_name : (const char *)getauxval(AT_EXECFN), NULL);
}

char *host_program(const char *variable, const char *name)
{
    static const char *const places[] = {"", VENTUS_LIBEXEC_OF_LIBRARY "/", VENTUS_LIBEXEC_OF_COMMAND "/"};
    const char *said = secure_getenv(variable);
    if (said && *said) return strdup(said);
    char *self = own_file();
    const char *slash = self ? strrchr(self, '/') : NULL;
    int folder = slash ? (int)(slash - self) + 1 : 0; /* with the slash */
    char *path = NULL;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        free(path);
        if (asprintf(&path, "%.*s%s%s", folder, self ? self : "", places[i], name) < 0) {
            free(self);
            return NULL;
        }
        if (access(path, X_OK) == 0) break;
    }
    free(self);
    return path;
}

char *host_folder(const char *const *places)
{
    char *self = own_file(), *path = NULL;
    const char *slash = self ? strrchr(self, '/') : NULL;
    const int folder = slash ? (int)(slash - self) + 1 : 0; /* with the slash */
    struct stat status;
    for (; *places; places++) {
        free(path);
        if (asprintf(&path, "%.*s%s", folder, self ? self : "", *places) < 0) path = NULL;
        if (!path || (stat(path, &status) == 0 && S_ISDIR(status.st_mode))) break;
    }
    free(self);
    return path;
}

bool host_write(int fd, const void *bytes, size_t size)
{
    for (const char *from = bytes; size;) {
        ssize_t n = write(fd, from, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        from += n;
        size -= (size_t)n;
    }
    return true;
}

bool host_may_write(uint64_t size)
{
    struct rlimit most;
    return getrlimit(RLIMIT_FSIZE, &most) != 0 || size <= most.rlim_cur; /* who may not ask has no limit of ours */
}

int host_above_standard(int fd)
{
    if (fd < 0 || fd > 2) return fd;
    int high = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    close(fd);
    return high;
}

static bool is_pipe_pending(void)
{
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
}

static sigset_t only_pipe(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    return set;
}

struct host_writing host_writing_begin(void)
{
    const sigset_t pipe = only_pipe();
    struct host_writing w = {.pending = is_pipe_pending()};
    pthread_sigmask(SIG_BLOCK, &pipe, &w.mask);
    return w;
}

void host_writing_end(const struct host_writing *w)
{
    const sigset_t pipe = only_pipe();
    const int error = errno;
    if (!w->pending && is_pipe_pending()) sigtimedwait(&pipe, NULL, &(struct timespec){0});
    pthread_sigmask(SIG_SETMASK, &w->mask, NULL);
    errno = error;
}

void host_say(const char *who, const char *text)
{
    char line[1200];
    const char *wanted = secure_getenv("VENTUS_DEBUG");
    if (wanted && !strcmp(wanted, "0")) return;
    snprintf(line, sizeof line - 1, "%s: %s", who, text); /* room for the end of the line */
    strcat(line, "\n");
    const struct host_writing writing = host_writing_begin();
    fputs(line, stderr);
    host_writing_end(&writing);
}

int host_spawn(pid_t *pid, char *const argv[], const int fd[3])
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    sigset_t none, all;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    error = posix_spawnattr_init(&attr);
    if (error) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setsigdefault(&attr, &all);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    for (int i = 0; i < 3 && !error; i++) error = posix_spawn_file_actions_adddup2(&actions, fd[i], i);
#if __GLIBC_PREREQ(2, 34)
    if (!error)
        error = posix_spawn_file_actions_addclosefrom_np(&actions, 3); /* the client's are none of its business */
#endif
    if (!error) error = posix_spawn(pid, argv[0], &actions, &attr, argv, environ);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}
