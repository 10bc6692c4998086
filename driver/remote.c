/* The driver's end of a device in another process: each function is a request and its answer. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "driver/remote.h"

struct ventus_backend_device {
    int fd;
};

/* ---- the socket ---- */

bool remote_send(int fd, const void *bytes, size_t n)
{
    const char *at = bytes;
    while (n) {
        ssize_t sent = send(fd, at, n, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        at += sent;
        n -= (size_t)sent;
    }
    return true;
}

bool remote_receive(int fd, void *bytes, size_t n)
{
    char *at = bytes;
    while (n) {
        ssize_t got = recv(fd, at, n, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        n -= (size_t)got;
    }
    return true;
}

static int gone(char *why, size_t why_size)
{
    snprintf(why, why_size, "the process of the machine has ended");
    return 1;
}

/* What follows an answer: the first `room` bytes of it. */
static bool receive_rest(int fd, size_t size, void *to, size_t room)
{
    char rest[512];
    const size_t taken = size < room ? size : room;
    if (taken && !remote_receive(fd, to, taken)) return false;
    for (size_t left = size - taken, n; left; left -= n) {
        n = left < sizeof rest ? left : sizeof rest;
        if (!remote_receive(fd, rest, n)) return false;
    }
    return true;
}

/* A request with request->size bytes behind it. What is answered goes to `to`, up to `room` bytes, of which *size (may
 * be NULL) says how many there are. Returns what the other side says, or 1 with the reason. */
static int ask(struct ventus_backend_device *d, const struct remote_request *request, const void *bytes, void *to,
               size_t room, uint32_t *size, char *why, size_t why_size)
{
    struct remote_answer answer;
    /* A machine that is in use has answered already, and does not listen. */
    if (remote_send(d->fd, request, sizeof *request)) remote_send(d->fd, bytes, request->size);
    if (!remote_receive(d->fd, &answer, sizeof answer) || answer.size > REMOTE_MOST) return gone(why, why_size);
    const bool text = answer.result && request->call != REMOTE_WAIT;
    if (text) memset(why, 0, why_size);
    if (!receive_rest(d->fd, answer.size, text ? why : to, text ? why_size - 1 : room)) return gone(why, why_size);
    if (size) *size = answer.size;
    return answer.result;
}

/* The same, for an answer that has `size` bytes or is none. */
static int ask_all(struct ventus_backend_device *d, const struct remote_request *request, const void *bytes, void *to,
                   size_t size, char *why, size_t why_size)
{
    uint32_t got = 0;
    if (ask(d, request, bytes, to, size, &got, why, why_size)) return 1;
    if (got == size) return 0;
    snprintf(why, why_size, "the machine has given %u bytes, not %zu", (unsigned)got, size);
    return 1;
}

/* ---- the functions of the table ---- */

static int open_remote(const struct ventus_backend_options *options, struct ventus_backend_device **device, char *why,
                       size_t why_size)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    struct ventus_backend_device *d = NULL;
    if ((size_t)snprintf(a.sun_path, sizeof a.sun_path, "%s", options->text) >= sizeof a.sun_path || !*a.sun_path)
        return snprintf(why, why_size, "its option is the path of a socket (`ventus debug --host` starts one)"), 1;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && !connect(fd, (struct sockaddr *)&a, sizeof a) && (d = calloc(1, sizeof *d))) {
        d->fd = fd;
        *device = d;
        return 0;
    }
    snprintf(why, why_size, "cannot connect to a machine at %.100s: %s", a.sun_path, strerror(errno));
    if (fd >= 0) close(fd);
    return 1;
}

static void close_remote(struct ventus_backend_device *d)
{
    close(d->fd);
    free(d);
}

static int describe(struct ventus_backend_device *d, struct ventus_backend_info *info, char *why, size_t why_size)
{
    const struct remote_request r = {REMOTE_DESCRIBE, sizeof *info, 0, 0};
    const struct ventus_backend_info asked = *info;
    return ask_all(d, &r, &asked, info, sizeof *info, why, why_size);
}

static int write_memory(struct ventus_backend_device *d, uint64_t addr, const void *src, uint64_t size, char *why,
                        size_t why_size)
{
    for (uint64_t at = 0; at < size; at += REMOTE_MOST) {
        const uint64_t n = size - at < REMOTE_MOST ? size - at : REMOTE_MOST;
        const struct remote_request r = {REMOTE_WRITE, (uint32_t)n, 0, addr + at};
        if (ask(d, &r, (const char *)src + at, NULL, 0, NULL, why, why_size)) return 1;
    }
    return 0;
}

static int read_memory(struct ventus_backend_device *d, uint64_t addr, void *dst, uint64_t size, char *why,
                       size_t why_size)
{
    for (uint64_t at = 0; at < size; at += REMOTE_MOST) {
        const uint64_t n = size - at < REMOTE_MOST ? size - at : REMOTE_MOST;
        const struct remote_request r = {REMOTE_READ, 0, (uint32_t)n, addr + at};
        if (ask_all(d, &r, NULL, (char *)dst + at, n, why, why_size)) return 1;
    }
    return 0;
}

static int launch(struct ventus_backend_device *d, const struct ventus_backend_launch *l, char *why, size_t why_size)
{
    const struct remote_request r = {REMOTE_LAUNCH, sizeof(struct remote_launch), 0, 0};
    struct remote_launch it = {.launch = *l};
    it.launch.kernel = NULL;
    snprintf(it.kernel, sizeof it.kernel, "%s", l->kernel);
    return ask(d, &r, &it, NULL, 0, NULL, why, why_size);
}

static int wait_for(struct ventus_backend_device *d, uint64_t timeout_ns, struct ventus_backend_outcome *outcome)
{
    const struct remote_request r = {REMOTE_WAIT, 0, 0, timeout_ns};
    uint32_t size = 0;
    int state = ask(d, &r, NULL, outcome, sizeof *outcome, &size, outcome->text, sizeof outcome->text);
    return size == sizeof *outcome ? state : VENTUS_BACKEND_FAILED;
}

static uint32_t counters(struct ventus_backend_device *d, struct ventus_backend_counter *c, uint32_t room)
{
    const struct remote_request r = {REMOTE_COUNTERS, 0, 0, 0};
    char why[100];
    uint32_t size = 0;
    if (ask(d, &r, NULL, c, room * sizeof *c, &size, why, sizeof why)) return 0;
    return size / sizeof *c < room ? size / sizeof *c : room;
}

/* A launch says whether the other side has gone. */
static void program(struct ventus_backend_device *d, const void *elf, uint64_t size)
{
    const struct remote_request r = {REMOTE_PROGRAM, (uint32_t)size, 0, 0};
    char why[100];
    if (size <= REMOTE_MOST) ask(d, &r, elf, NULL, 0, NULL, why, sizeof why);
}

const struct ventus_backend *remote_backend(void)
{
    static const struct ventus_backend table = {.abi = VENTUS_BACKEND_ABI,
                                                .size = sizeof table,
                                                .open = open_remote,
                                                .close = close_remote,
                                                .describe = describe,
                                                .write = write_memory,
                                                .read = read_memory,
                                                .launch = launch,
                                                .wait = wait_for,
                                                .counters = counters,
                                                .program = program};
    return &table;
}
