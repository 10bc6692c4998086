/* Starts ventus-translate and talks to it over a socket, which, unlike a pipe, can be written to without a signal when
 * the other end has died. Called by native_units.c. */
#include "sim/translator.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef VENTUS_LIBEXEC
#define VENTUS_LIBEXEC "" /* where ventus-translate is installed */
#endif

enum { MOST_STARTS = 3, PATIENCE_MS = 60 * 1000, IMAGE_LIMIT = 256 << 20 };

bool translator_init(struct translator_process *p)
{
    *p = (struct translator_process){.socket = -1};
    return pthread_mutex_init(&p->lock, NULL) == 0;
}

bool translator_find(char path[PATH_MAX])
{
    const char *env = secure_getenv("VENTUS_TRANSLATE");
    Dl_info where;
    if (env) return *env && snprintf(path, PATH_MAX, "%s", env) < PATH_MAX;
    if (dladdr((void *)&translator_init, &where) && where.dli_fname) {
        const char *slash = strrchr(where.dli_fname, '/');
        int folder = slash ? (int)(slash + 1 - where.dli_fname) : 0;
        int n = snprintf(path, PATH_MAX, "%.*sventus-translate", folder, where.dli_fname);
        if (n < PATH_MAX && access(path, X_OK) == 0) return true;
    }
    int n = snprintf(path, PATH_MAX, "%s/ventus-translate", VENTUS_LIBEXEC);
    return *VENTUS_LIBEXEC && n < PATH_MAX && access(path, X_OK) == 0;
}

/* The child has standard input and output on the socket, and nothing else of ours. */
static bool spawn(struct translator_process *p, const char *path, int theirs)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, defaults;
    char *argv[] = {(char *)path, NULL};
    extern char **environ;
    if (posix_spawn_file_actions_init(&files)) return false;
    if (posix_spawnattr_init(&attributes)) {
        posix_spawn_file_actions_destroy(&files);
        return false;
    }
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawn_file_actions_adddup2(&files, theirs, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, theirs, STDOUT_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    bool ok = posix_spawn(&p->pid, path, &files, &attributes, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return ok;
}

/* False: it has been stopped. */
static bool set_socket(struct translator_process *p, int socket)
{
    pthread_mutex_lock(&p->lock);
    if (!p->stopped) p->socket = socket;
    bool stopped = p->stopped;
    pthread_mutex_unlock(&p->lock);
    return !stopped;
}

void translator_stop(struct translator_process *p)
{
    pthread_mutex_lock(&p->lock);
    p->stopped = true;
    if (p->socket >= 0) shutdown(p->socket, SHUT_RDWR);
    pthread_mutex_unlock(&p->lock);
}

/* Whatever the process does, it has lost us. */
static void lose(struct translator_process *p)
{
    pthread_mutex_lock(&p->lock);
    int socket = p->socket;
    p->socket = -1;
    pthread_mutex_unlock(&p->lock);
    if (socket < 0) return;
    close(socket);
    kill(p->pid, SIGKILL);
    while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR) {
    }
}

void translator_close(struct translator_process *p)
{
    lose(p);
    pthread_mutex_destroy(&p->lock);
}

static bool start(struct translator_process *p)
{
    int ends[2];
    char path[PATH_MAX];
    if (p->socket >= 0) return true;
    if (p->starts++ >= MOST_STARTS || !translator_find(path)) return false;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return false;
    bool ok = spawn(p, path, ends[1]);
    close(ends[1]);
    if (ok && set_socket(p, ends[0])) return true;
    close(ends[0]);
    return false;
}

static bool send_all(const struct translator_process *p, const void *bytes, size_t size)
{
    for (const char *from = bytes; size;) {
        ssize_t n = send(p->socket, from, size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        from += n;
        size -= (size_t)n;
    }
    return true;
}

static bool receive_all(const struct translator_process *p, void *bytes, size_t size)
{
    for (char *to = bytes; size;) {
        struct pollfd ready = {.fd = p->socket, .events = POLLIN};
        int events = poll(&ready, 1, PATIENCE_MS);
        ssize_t n = events > 0 ? recv(p->socket, to, size, 0) : events;
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        to += n;
        size -= (size_t)n;
    }
    return true;
}

static void *receive_image(struct translator_process *p, size_t *size)
{
    struct native_answer answer;
    if (!receive_all(p, &answer, sizeof answer) || answer.magic != NATIVE_MAGIC || answer.size > IMAGE_LIMIT) {
        lose(p);
        return NULL;
    }
    void *image = answer.size ? malloc(answer.size) : NULL;
    if (answer.size && (!image || !receive_all(p, image, answer.size))) {
        free(image);
        lose(p);
        return NULL;
    }
    *size = answer.size;
    return image;
}

void *translator_ask(struct translator_process *p, const struct native_request *request, const uint32_t *code,
                     size_t *size)
{
    if (!start(p)) return NULL;
    if (send_all(p, request, sizeof *request) && send_all(p, code, (size_t)request->code_words * 4))
        return receive_image(p, size);
    lose(p);
    return NULL;
}
