/* One translator for all machines of a program, which opens hundreds of them: to start one takes a third as long as a
 * small translation. In place of host_spawn (--wrap in meson.build) a thread hands on what a machine asks, in turn with
 * those of others. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "native/native.h"

int __real_host_spawn(pid_t *pid, char *const argv[], const int fd[3]);
int __wrap_host_spawn(pid_t *pid, char *const argv[], const int fd[3]);

static struct {
    pthread_mutex_t lock;
    int socket;      /* to the translator; -1: there is none */
    pid_t started;   /* 0: none, or it has been waited for */
    bool silent;     /* one has had its time and said nothing: no other is tried */
    char cache[300]; /* the variables that it has been started with */
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER, .socket = -1};

/* ---- one request; the machine or the translator may be gone ---- */

static bool receive(int socket, void *bytes, size_t size)
{
    return recv(socket, bytes, size, MSG_WAITALL) == (ssize_t)size;
}

static bool send_all(int socket, const void *bytes, size_t size)
{
    return send(socket, bytes, size, MSG_NOSIGNAL) == (ssize_t)size;
}

/* The process that is started ends at once, for the translator is nobody's child, but not if it is another program or
 * the host makes no process. */
static void look_for_end(int options)
{
    if (shared.started && waitpid(shared.started, NULL, options) != 0) shared.started = 0;
}

static void end_translator(void)
{
    if (shared.socket >= 0) close(shared.socket);
    shared.socket = -1;
    look_for_end(WNOHANG);
    if (!shared.started) return;
    kill(shared.started, SIGKILL);
    look_for_end(0);
}

/* All that tests of pairs ask for can be translated; without its translation a machine would only be slower. */
static void expect_image(const struct native_answer *answer)
{
    if (answer->size) return;
    fprintf(stderr, "ventus-translate: %.*s\n", (int)sizeof answer->why, answer->why);
    abort();
}

/* Of its answer the header, and the image, which is NULL if there is none. */
static bool ask(const struct native_request *request, const void *program, struct native_answer *answer, void **image)
{
    const size_t size = native_program_words(request) * 4;
    errno = 0;
    const bool ok = send_all(shared.socket, request, sizeof *request) && send_all(shared.socket, program, size) &&
                    receive(shared.socket, answer, sizeof *answer) && (*image = malloc(answer->size + 1)) &&
                    receive(shared.socket, *image, answer->size);
    shared.silent |= !ok && errno == EAGAIN;
    if (!ok) end_translator();
    else look_for_end(WNOHANG);
    if (ok) expect_image(answer);
    return ok;
}

static bool hand_on(int machine)
{
    struct native_request request;
    struct native_answer answer;
    if (!receive(machine, &request, sizeof request)) return false;
    const size_t size = native_program_words(&request) * 4;
    void *program = malloc(size + 1), *image = NULL;
    bool ok = program && receive(machine, program, size);
    if (ok) {
        pthread_mutex_lock(&shared.lock);
        ok = ask(&request, program, &answer, &image);
        pthread_mutex_unlock(&shared.lock);
    }
    ok = ok && send_all(machine, &answer, sizeof answer) && send_all(machine, image, answer.size);
    free(program);
    free(image);
    return ok;
}

static void *serve(void *machine)
{
    while (hand_on(*(int *)machine)) {
    }
    close(*(int *)machine);
    free(machine);
    return NULL;
}

/* ---- in the place of a start ---- */

/* As long as a machine waits, or longer. */
static void limit(int socket)
{
    const char *seconds = getenv("VENTUS_TRANSLATE_PATIENCE");
    const struct timeval time = {.tv_sec = seconds ? atoi(seconds) : 100};
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
    setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
}

static int start_translator(char *const argv[])
{
    int ends[2];
    if (shared.silent || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return -1;
    const int error = __real_host_spawn(&shared.started, argv, (const int[]){ends[1], ends[1], STDERR_FILENO});
    close(ends[1]);
    if (error) shared.started = 0;
    limit(ends[0]);
    shared.socket = ends[0];
    return error;
}

/* One that keeps what it makes in another folder, or nowhere, is another one. */
static int need_translator(char *const argv[])
{
    char cache[sizeof shared.cache];
    const char *kept = getenv("VENTUS_CACHE"), *folder = getenv("VENTUS_CACHE_DIR");
    snprintf(cache, sizeof cache, "%s %s", kept ? kept : "", folder ? folder : "");
    if (strcmp(cache, shared.cache)) end_translator();
    strcpy(shared.cache, cache);
    return shared.socket >= 0 ? 0 : start_translator(argv);
}

/* With signals blocked, which are the tests'. */
static int start_thread(int socket)
{
    sigset_t all, before;
    pthread_t thread;
    int *machine = malloc(sizeof *machine), error;
    if (!machine) return -1;
    *machine = socket;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&thread, NULL, serve, machine);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!error) pthread_detach(thread);
    else free(machine);
    return error;
}

int __wrap_host_spawn(pid_t *pid, char *const argv[], const int fd[3])
{
    *pid = getpid(); /* nobody that a machine could wait for or end */
    pthread_mutex_lock(&shared.lock);
    const int error = need_translator(argv);
    pthread_mutex_unlock(&shared.lock);
    return error ? error : start_thread(dup(fd[0]));
}
