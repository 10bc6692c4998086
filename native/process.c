/* Starts ventus-translate and talks to it over a socket, which, unlike a pipe, can be written to without a signal when
 * the other end has died. Called by units.c. */
#include "native/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include "host/host.h"
#include "host/number.h"
#include "host/word.h"

enum {
    MOST_STARTS = 3, /* a guess: a translator that dies so often is not tried again */
    PATIENCE = 60,   /* seconds: a guess, half of the processor time that a translation may take (translator/main.c) */
    MOST_PATIENCE = 100000,  /* a day and more */
    IMAGE_LIMIT = 256 << 20, /* bytes that are allocated for an answer, at most */
    LEFT_BYTES = 64 << 20,   /* of requests that are left behind the end: some minutes, a guess */
    LEAVE_MS = 200,          /* to leave them, a guess: a wrong translator does not hold up the end */
    ERRORS_MOST = 8000       /* bytes of the stack, and of what is told */
};

bool translator_init(struct translator_process *p)
{
    *p = (struct translator_process){.socket = -1, .said = -1};
    return pthread_mutex_init(&p->lock, NULL) == 0;
}

char *translator_program(void)
{
    const char *said = secure_getenv("VENTUS_TRANSLATE");
    return said && !*said ? NULL : host_program("VENTUS_TRANSLATE", "ventus-translate");
}

static void complain_of_program(void)
{
    char text[1000], *path = translator_program();
    if (path && access(path, X_OK))
        snprintf(text, sizeof text,
                 "cannot run the translator %.800s: %s; kernels run slowly (VENTUS_TRANSLATE names it)", path,
                 strerror(errno));
    else snprintf(text, sizeof text, "cannot run the translator; kernels run slowly");
    host_say("ventus", text);
    free(path);
}

/* The translator obeys the variables; what is wrong with them is said here, since its own error output may be kept. */
static bool shows_module(void)
{
    static struct host_word dump = {"VENTUS_TRANSLATE_DUMP", {"0", "1"}, false};
    static struct host_word verify = {"VENTUS_TRANSLATE_VERIFY", {"0", "1"}, false};
    host_word(&verify);
    return host_word(&dump) == 1;
}

/* The translator's error output. It shares ours only if it has been asked to show something: it may outlive us, and
 * whoever reads our output must not wait for it. Otherwise its output is kept in p->said, in case it dies. */
static int open_errors(struct translator_process *p)
{
    int fd;
    if (shows_module()) fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    else fd = p->said = host_above_standard(memfd_create("ventus-translate", MFD_CLOEXEC));
    return fd >= 0 ? fd : host_above_standard(open("/dev/null", O_WRONLY | O_CLOEXEC));
}

/* Shows what it has said, if it has died. */
static void tell_errors(struct translator_process *p, bool died)
{
    char text[ERRORS_MOST + 1], *rest = text;
    if (p->said < 0) return;
    const ssize_t n = died ? pread(p->said, text, ERRORS_MOST, 0) : 0;
    close(p->said);
    p->said = -1;
    text[n > 0 ? n : 0] = 0;
    for (char *line; (line = strsep(&rest, "\n"));)
        if (*line) host_say("ventus-translate", line);
}

/* It answers on its standard output. */
static bool spawn(struct translator_process *p, int theirs)
{
    static once_flag said = ONCE_FLAG_INIT;
    const int error = open_errors(p);
    char *path = translator_program(), *argv[] = {path, NULL};
    bool ok = path && error >= 0 && host_spawn(&p->pid, argv, (const int[]){theirs, theirs, error}) == 0;
    if (path && access(path, X_OK)) call_once(&said, complain_of_program);
    free(path);
    if (error >= 0 && error != p->said) close(error);
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

/* Processes that had not ended when nobody needed them any more: their entries in the host's table are ours to clear.
 */
static struct {
    pid_t *pids;
    size_t count;
} left; /* under host_lock */

/* Clears those that have ended, and remembers `pid`, if it is not 0. Without host memory its entry stays. */
static void clear_left(pid_t pid)
{
    size_t kept = 0;
    host_lock();
    for (size_t i = 0; i < left.count; i++)
        if (waitpid(left.pids[i], NULL, WNOHANG) == 0) left.pids[kept++] = left.pids[i];
    left.count = kept;
    pid_t *more = pid ? realloc(left.pids, (kept + 1) * sizeof *more) : NULL;
    if (more) {
        left.pids = more;
        left.pids[left.count++] = pid;
    }
    host_unlock();
}

/* Only one that is still there: where the client ignores SIGCHLD or waits for all children, the number of one that has
 * ended may be that of a stranger. */
static void end_process(const struct translator_process *p)
{
    if (waitpid(p->pid, NULL, WNOHANG) != 0) return;
    kill(p->pid, SIGKILL);
    while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR) {
    }
}

/* Something is wrong with it, or we end: then it finishes what it has begun, and ends when it finds us gone
 * (translator/main.c). */
static void lose(struct translator_process *p)
{
    pthread_mutex_lock(&p->lock);
    int socket = p->socket;
    bool wrong = !p->stopped;
    p->socket = -1;
    pthread_mutex_unlock(&p->lock);
    if (socket < 0) return;
    close(socket);
    if (wrong) end_process(p);
    else clear_left(waitpid(p->pid, NULL, WNOHANG) == 0 ? p->pid : 0);
    tell_errors(p, wrong);
}

void translator_close(struct translator_process *p)
{
    translator_stop(p);
    lose(p);
    pthread_mutex_destroy(&p->lock);
}

/* Neither end has the number of a standard stream, which the client may have closed and still write to. */
static bool open_ends(int ends[2])
{
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return false;
    for (int i = 0; i < 2; i++) ends[i] = host_above_standard(ends[i]);
    return true;
}

static bool start(struct translator_process *p)
{
    int ends[2];
    if (p->socket >= 0) return true;
    if (p->starts++ >= MOST_STARTS || !open_ends(ends)) return false;
    clear_left(0);
    bool started = ends[0] >= 0 && ends[1] >= 0 && spawn(p, ends[1]), kept = started && set_socket(p, ends[0]);
    if (ends[1] >= 0) close(ends[1]);
    if (kept) return true;
    if (ends[0] >= 0) close(ends[0]);
    if (started) end_process(p);
    tell_errors(p, false);
    return false;
}

/* Processor time of the translator would be fairer, but it is nobody's child. */
static uint64_t patience_ms(void)
{
    static struct host_number seconds = {
        "VENTUS_TRANSLATE_PATIENCE", "number of seconds", 1, MOST_PATIENCE, PATIENCE, false};
    return 1000 * host_number(&seconds);
}

/* Can the socket be read, or written to, within the translator's time? Signals of the client do not prolong it. */
static bool wait_for(const struct translator_process *p, short events)
{
    const uint64_t end = host_ns() + patience_ms() * 1000000ull;
    struct pollfd ready = {.fd = p->socket, .events = events};
    for (uint64_t now = host_ns(); now <= end; now = host_ns()) {
        const int n = poll(&ready, 1, (int)((end - now) / 1000000));
        if (n >= 0 || errno != EINTR) return n > 0;
    }
    return false;
}

/* A request may be larger than what the host keeps of it until somebody reads it. */
static bool send_all(const struct translator_process *p, const void *bytes, size_t size)
{
    for (const char *from = bytes; size;) {
        ssize_t n = wait_for(p, POLLOUT) ? send(p->socket, from, size, MSG_NOSIGNAL | MSG_DONTWAIT) : 0;
        if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (n <= 0) return false;
        from += n;
        size -= (size_t)n;
    }
    return true;
}

static bool receive_all(const struct translator_process *p, void *bytes, size_t size)
{
    for (char *to = bytes; size;) {
        ssize_t n = wait_for(p, POLLIN) ? recv(p->socket, to, size, 0) : 0;
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
    answer.why[sizeof answer.why - 1] = 0;
    if (!answer.size) host_say("ventus-translate", answer.why);
    void *image = answer.size ? malloc(answer.size) : NULL;
    if (answer.size && (!image || !receive_all(p, image, answer.size))) {
        free(image);
        lose(p);
        return NULL;
    }
    *size = answer.size;
    return image;
}

bool translator_write(int file, const struct native_request *request, const uint32_t *program)
{
    const size_t size = native_program_words(request) * 4;
    const off_t at = lseek(file, 0, SEEK_CUR);
    if (at < 0 || (uint64_t)at + size > LEFT_BYTES || !host_may_write((uint64_t)at + sizeof *request + size))
        return false;
    if (host_write(file, request, sizeof *request) && host_write(file, program, size)) return true;
    if (ftruncate(file, at) == 0) lseek(file, at, SEEK_SET);
    return false;
}

/* Another process of its own, so that a client that waits for its children does not wait for it (translator/main.c):
 * that takes some milliseconds. */
void translator_leave(int file)
{
    const uint64_t end = host_ns() + LEAVE_MS * 1000000ull;
    if (file < 0) return;
    const int nothing = host_above_standard(open("/dev/null", O_WRONLY | O_CLOEXEC));
    char *path = translator_program(), behind[] = TRANSLATE_BEHIND, *argv[] = {path, behind, NULL};
    pid_t pid;
    if (path && nothing >= 0 && lseek(file, 0, SEEK_SET) == 0 &&
        host_spawn(&pid, argv, (const int[]){file, nothing, nothing}) == 0) {
        int ended;
        while ((ended = waitpid(pid, NULL, WNOHANG)) == 0 && host_ns() < end) usleep(500);
        if (ended == 0) clear_left(pid);
    }
    free(path);
    if (nothing >= 0) close(nothing);
    close(file);
}

void *translator_ask(struct translator_process *p, const struct native_request *request, const uint32_t *program,
                     size_t *size)
{
    if (!start(p)) return NULL;
    if (send_all(p, request, sizeof *request) && send_all(p, program, native_program_words(request) * 4)) {
        p->sent = true;
        return receive_image(p, size);
    }
    lose(p);
    return NULL;
}
