/* The device's end of a device in another process: a socket in front of any table of functions (ventus_backend.h). */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "driver/backend_library.h"
#include "driver/remote.h"
#include "host/accept.h"

struct server {
    const struct ventus_backend *table;
    struct ventus_backend_device *device;
    int fd;         /* the program's */
    uint8_t *bytes; /* what came with the request */
    char why[300];
};

/* ---- answers ---- */

static bool answer(const struct server *s, int32_t result, const void *bytes, size_t size)
{
    const struct remote_answer a = {result, (uint32_t)size};
    return remote_send(s->fd, &a, sizeof a) && remote_send(s->fd, bytes, size);
}

/* What a function of the table has returned. */
static bool conclude(struct server *s, int failed)
{
    s->why[sizeof s->why - 1] = 0;
    return answer(s, failed != 0, s->why, failed ? strlen(s->why) : 0);
}

static bool refuse(struct server *s, const char *why) { return answer(s, 1, why, strlen(why)); }

/* ---- requests ---- */

/* Memory of two processes is not shared. */
static bool describe(struct server *s, const struct remote_request *r)
{
    struct ventus_backend_info i;
    if (r->size != sizeof i) return refuse(s, "the machine is of another build");
    memcpy(&i, s->bytes, sizeof i);
    i.size = sizeof i;
    i.profile[sizeof i.profile - 1] = i.name[sizeof i.name - 1] = 0;
    const int failed = s->table->describe(s->device, &i, s->why, sizeof s->why);
    i.features &= ~(uint32_t)VENTUS_BACKEND_SVM;
    return failed ? conclude(s, failed) : answer(s, 0, &i, sizeof i);
}

static bool write_memory(struct server *s, const struct remote_request *r)
{
    return conclude(s, s->table->write(s->device, r->addr, s->bytes, r->size, s->why, sizeof s->why));
}

static bool read_memory(struct server *s, const struct remote_request *r)
{
    void *to = r->bytes <= REMOTE_MOST ? malloc(r->bytes + 1u) : NULL;
    if (!to) return refuse(s, "out of memory");
    const int failed = s->table->read(s->device, r->addr, to, r->bytes, s->why, sizeof s->why);
    const bool good = failed ? conclude(s, failed) : answer(s, 0, to, r->bytes);
    free(to);
    return good;
}

static bool take_program(struct server *s, const struct remote_request *r)
{
    if (backend_library_shows_program(s->table)) s->table->program(s->device, s->bytes, r->size);
    return conclude(s, 0);
}

static bool launch(struct server *s, const struct remote_request *r)
{
    struct remote_launch it;
    if (r->size != sizeof it) return refuse(s, "the machine is of another build");
    memcpy(&it, s->bytes, sizeof it);
    it.kernel[sizeof it.kernel - 1] = 0;
    it.launch.size = sizeof it.launch;
    it.launch.kernel = it.kernel;
    return conclude(s, s->table->launch(s->device, &it.launch, s->why, sizeof s->why));
}

static bool wait_for(struct server *s, const struct remote_request *r)
{
    struct ventus_backend_outcome o = {.size = sizeof o};
    const int state = s->table->wait(s->device, r->addr, &o);
    return answer(s, state, &o, sizeof o);
}

static bool count(struct server *s, const struct remote_request *r)
{
    struct ventus_backend_counter list[VENTUS_BACKEND_COUNTERS] = {0};
    (void)r;
    const uint32_t n = s->table->counters(s->device, list, VENTUS_BACKEND_COUNTERS);
    return answer(s, 0, list, n <= VENTUS_BACKEND_COUNTERS ? n * sizeof *list : 0);
}

/* ---- programs ---- */

/* False: it has gone, or is none of ours. */
static bool serve_request(struct server *s)
{
    static bool (*const calls[])(struct server * s, const struct remote_request *r) = {
        [REMOTE_DESCRIBE] = describe,    [REMOTE_WRITE] = write_memory, [REMOTE_READ] = read_memory,
        [REMOTE_PROGRAM] = take_program, [REMOTE_LAUNCH] = launch,      [REMOTE_WAIT] = wait_for,
        [REMOTE_COUNTERS] = count};
    struct remote_request r;
    if (!remote_receive(s->fd, &r, sizeof r) || r.call >= REMOTE_CALLS || r.size > REMOTE_MOST) return false;
    free(s->bytes);
    s->bytes = malloc(r.size + 1u);
    *s->why = 0;
    return s->bytes && remote_receive(s->fd, s->bytes, r.size) && calls[r.call](s, &r);
}

/* Another device of the program finds none while this one is in use. */
static void turn_away(int listener, const char *why)
{
    struct server other = {.fd = host_accept(listener)};
    if (other.fd < 0) return;
    refuse(&other, why);
    close(other.fd);
}

static void serve_program(struct server *s, int listener)
{
    for (bool goes_on = true; goes_on;) {
        struct pollfd fds[2] = {{s->fd, POLLIN, 0}, {listener, POLLIN, 0}};
        if (poll(fds, 2, -1) < 0) continue;
        if (fds[0].revents) goes_on = serve_request(s);
        else if (fds[1].revents) turn_away(listener, "the machine is in use: a program can open one such device");
    }
    free(s->bytes);
}

int remote_listen(const char *path)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    errno = ENAMETOOLONG;
    if ((size_t)snprintf(a.sun_path, sizeof a.sun_path, "%s", path) >= sizeof a.sun_path) return -1;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    if (!fchmod(fd, 0600) && !bind(fd, (struct sockaddr *)&a, sizeof a) && !listen(fd, 4)) return fd;
    close(fd);
    return -1;
}

void remote_serve(const struct remote_service *service, int listener)
{
    for (;;) {
        struct server s = {.table = service->table, .fd = host_accept(listener)};
        if (s.fd < 0) continue;
        if ((s.device = service->open(service->user))) {
            serve_program(&s, listener);
            s.table->close(s.device);
        } else refuse(&s, "the device cannot be opened");
        close(s.fd);
    }
}
