/* The server's thread: it listens, receives requests, and reports stops. The socket is the user's alone: a port of this
 * host alone, or a path that only the user can open. One debugger at a time; another one may come when it has gone. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "debug/parts.h"
#include "host/accept.h"
#include "host/host.h"

/* ---- where it listens ---- */

struct place {
    char text[108]; /* ":PORT" or a path */
    long port;      /* -1: a path */
    bool waits, quiet;
};

/* Takes a word behind a comma off the end. */
static bool take_word(char *text, const char *word)
{
    size_t n = strlen(text), tail = strlen(word);
    if (n < tail || strcmp(text + n - tail, word) != 0) return false;
    text[n - tail] = 0;
    return true;
}

static bool parse(const char *where, struct place *p, char *why, size_t why_size)
{
    char *end = NULL;
    *p = (struct place){.port = -1, .waits = true};
    snprintf(why, why_size, "'%.80s' is neither :PORT nor the path of a socket", where);
    if ((size_t)snprintf(p->text, sizeof p->text, "%s", where) >= sizeof p->text) return false;
    p->quiet = take_word(p->text, ",quiet");
    p->waits = !take_word(p->text, ",nowait");
    if (*p->text != ':') return strchr(p->text, '/') != NULL;
    if (p->text[1] < '0' || p->text[1] > '9') return false;
    p->port = strtol(p->text + 1, &end, 10);
    return !*end && p->port <= UINT16_MAX;
}

bool debugger_where(const char *where, char *why, size_t why_size)
{
    struct place p;
    return parse(where, &p, why, why_size);
}

/* A port, or one of the next when another device of the same program has it. */
static int listen_port(struct place *p)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
    if (fd < 0) return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    for (long last = p->port ? p->port + 15 : 0; p->port <= last && p->port <= UINT16_MAX; p->port++) {
        struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)p->port)};
        socklen_t size = sizeof a;
        a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (bind(fd, (struct sockaddr *)&a, sizeof a) || listen(fd, 1)) {
            if (errno == EADDRINUSE) continue;
            break;
        }
        if (!getsockname(fd, (struct sockaddr *)&a, &size)) p->port = ntohs(a.sin_port);
        snprintf(p->text, sizeof p->text, ":%ld", p->port);
        return fd;
    }
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

/* Nobody listens there any more. */
static bool is_left_over(const struct sockaddr_un *a)
{
    struct stat s;
    if (lstat(a->sun_path, &s) || !S_ISSOCK(s.st_mode) || s.st_uid != geteuid()) return false;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool gone = fd >= 0 && connect(fd, (const struct sockaddr *)a, sizeof *a) && errno == ECONNREFUSED;
    if (fd >= 0) close(fd);
    return gone;
}

/* bind() makes the file with the rights of the socket's own file, so that nobody can come in between. */
static int listen_path(struct place *p)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    memcpy(a.sun_path, p->text, strlen(p->text) + 1);
    if (!fchmod(fd, 0600)) {
        if (is_left_over(&a)) unlink(a.sun_path);
        if (!bind(fd, (struct sockaddr *)&a, sizeof a) && !chmod(a.sun_path, 0600) && !listen(fd, 1)) return fd;
    }
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

/* ---- connections ---- */

void debugger_gone(struct debugger *d)
{
    wire_close(&d->wire);
    stops_clear_all(d);
    d->order = (struct order){0};
    d->general = d->looked_at = d->past = 0;
    d->awaited = d->lldb = d->nonstop = d->quiet = false;
    d->filter.what = SHOW_ALL;
    machine_go(d);
}

static void accept_debugger(struct debugger *d)
{
    int fd = host_accept(d->listener), yes = 1;
    if (fd < 0) return;
    if (d->wire.fd >= 0) {
        close(fd); /* one at a time */
        return;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    d->wire.fd = fd;
    d->general = d->looked_at = d->shown_stop = 0;
    if (d->waits_for_debugger && d->launch) d->stopped = true; /* its begin: the debugger comes first */
    else machine_halt(d);
    d->last = (struct event){EVENT_SIGNAL, TID_DEVICE, SIGNAL_TRAP};
    d->unseen = *d->program.path;
    pthread_cond_broadcast(&d->go);
}

static void serve(struct debugger *d)
{
    if (!wire_receive(&d->wire)) {
        debugger_gone(d);
        return;
    }
    for (enum wire_got got; d->wire.fd >= 0 && (got = wire_next(&d->wire, &d->packet)) != WIRE_NOTHING;) {
        if (got == WIRE_BREAK) machine_halt(d);
        else request_answer(d);
        if (d->stopped && d->awaited) report_stop(d);
    }
}

static void look_around(struct debugger *d, const struct pollfd *fds)
{
    uint64_t n;
    pthread_mutex_lock(&d->lock);
    if (fds[0].revents && read(d->wake, &n, sizeof n) < 0) n = 0;
    if (fds[1].revents) accept_debugger(d);
    if (d->wire.fd >= 0) serve(d);
    if (d->stopped && d->awaited && d->wire.fd >= 0) report_stop(d);
    pthread_mutex_unlock(&d->lock);
}

static void *server_run(void *user)
{
    struct debugger *d = user;
    while (!d->over) {
        struct pollfd fds[3] = {{d->wake, POLLIN, 0}, {d->listener, POLLIN, 0}, {d->wire.fd, POLLIN, 0}};
        if (poll(fds, 3, -1) > 0) look_around(d, fds);
    }
    return NULL;
}

/* ---- life ---- */

bool server_open(struct debugger *d, const char *where, char *why, size_t why_size)
{
    struct place p;
    char text[200];
    if (!parse(where, &p, why, why_size)) return false;
    d->listener = p.port < 0 ? listen_path(&p) : listen_port(&p);
    snprintf(why, why_size, "cannot listen at %s: %s", p.text, strerror(errno));
    if (d->listener < 0) return false;
    d->waits_for_debugger = p.waits;
    if (p.port < 0) snprintf(d->where, sizeof d->where, "%s", p.text);
    d->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&d->lock, NULL);
    pthread_cond_init(&d->go, NULL);
    if (d->wake < 0 || !wire_open(&d->wire) || !host_thread(&d->server, server_run, d)) {
        snprintf(why, why_size, "no thread or memory for the server");
        close(d->listener);
        return false;
    }
    snprintf(text, sizeof text, "waiting for a debugger: gdb-multiarch -ex 'target remote %s'", p.text);
    if (!p.waits) snprintf(text, sizeof text, "a debugger can come: gdb-multiarch -ex 'target remote %s'", p.text);
    if (!p.quiet) host_say("ventus", text);
    return true;
}

static void say_ended(struct debugger *d)
{
    if (d->wire.fd >= 0 && d->awaited) wire_send(&d->wire, "W00", 3);
    d->awaited = false;
}

static void remove_socket(struct debugger *d)
{
    if (*d->where) unlink(d->where);
    *d->where = 0;
}

void debugger_process_ends(struct debugger *d)
{
    if (!d) return;
    pthread_mutex_lock(&d->lock);
    say_ended(d);
    program_free(&d->program);
    remove_socket(d);
    pthread_mutex_unlock(&d->lock);
}

void server_close(struct debugger *d)
{
    const uint64_t one = 1;
    pthread_mutex_lock(&d->lock);
    say_ended(d);
    d->over = true;
    if (write(d->wake, &one, sizeof one) < 0) d->over = true; /* it cannot be full */
    pthread_mutex_unlock(&d->lock);
    pthread_join(d->server, NULL);
    wire_close(&d->wire);
    free(d->wire.in);
    close(d->listener);
    close(d->wake);
    remove_socket(d);
    pthread_cond_destroy(&d->go);
    pthread_mutex_destroy(&d->lock);
}
