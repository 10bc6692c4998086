/* The wire: packets of gdb's remote serial protocol, "$bytes#checksum", in which }, $, # and * are escaped, and their
 * acknowledgements. What comes from outside may be anything: a packet that is too long or damaged is dropped. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "debug/parts.h"

enum { ROOM = 2 * PACKET_MOST + 1024 };

bool wire_open(struct wire *w)
{
    *w = (struct wire){.fd = -1, .in = malloc(ROOM)};
    return w->in;
}

void wire_close(struct wire *w)
{
    if (w->fd >= 0) close(w->fd);
    w->fd = -1;
    w->n = 0;
    w->silent = false;
}

void wire_await_end(const struct wire *w, int ms)
{
    struct pollfd fd = {w->fd, POLLRDHUP, 0};
    poll(&fd, 1, ms);
}

bool wire_receive(struct wire *w)
{
    if (w->n == ROOM) w->n = 0;
    ssize_t got = recv(w->fd, w->in + w->n, ROOM - w->n, MSG_DONTWAIT);
    if (got > 0) w->n += (size_t)got;
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR));
}

/* All of it, waiting for a debugger that reads slowly. Nobody there: what is sent is lost, and receiving says so. */
static void send_all(struct wire *w, const char *bytes, size_t n)
{
    while (n && w->fd >= 0) {
        ssize_t sent = send(w->fd, bytes, n, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return;
        bytes += sent;
        n -= (size_t)sent;
    }
}

static void consume(struct wire *w, size_t n)
{
    w->n -= n;
    memmove(w->in, w->in + n, w->n);
}

static void unescape(struct text *packet, const char *bytes, size_t n)
{
    text_clear(packet);
    for (size_t i = 0; i < n; i++) {
        char c = bytes[i];
        if (c == '}' && i + 1 < n) c = (char)(bytes[++i] ^ 0x20);
        text_bytes(packet, &c, 1);
    }
    text_bytes(packet, "", 0);
}

static bool sum_is_right(const char *bytes, size_t n, const char *digits)
{
    uint8_t sum = 0, said;
    for (size_t i = 0; i < n; i++) sum += (uint8_t)bytes[i];
    return hex_bytes(&digits, &said, 1) && said == sum;
}

/* The packet at the begin of what is there, once it is whole. */
static enum wire_got take_packet(struct wire *w, struct text *packet)
{
    const char *end = memchr(w->in, '#', w->n);
    if (!end || end + 2 >= w->in + w->n) return WIRE_NOTHING;
    size_t n = (size_t)(end - w->in) - 1;
    bool good = n <= PACKET_MOST && (w->silent || sum_is_right(w->in + 1, n, end + 1));
    if (!w->silent) send_all(w, good ? "+" : "-", 1);
    if (good) unescape(packet, w->in + 1, n);
    consume(w, n + 4);
    return good && !packet->failed ? WIRE_PACKET : wire_next(w, packet);
}

enum wire_got wire_next(struct wire *w, struct text *packet)
{
    size_t skip = 0;
    while (skip < w->n && w->in[skip] != '$' && w->in[skip] != 3) skip++; /* acknowledgements */
    bool stop = skip < w->n && w->in[skip] == 3;
    consume(w, skip + stop);
    if (stop) return WIRE_BREAK;
    return w->n ? take_packet(w, packet) : WIRE_NOTHING;
}

static bool is_special(char c) { return c == '}' || c == '$' || c == '#' || c == '*'; }

static void send_framed(struct wire *w, char first, const char *bytes, size_t n)
{
    struct text out = {0};
    uint8_t sum = 0;
    text_bytes(&out, &first, 1);
    for (size_t i = 0; i < n; i++) {
        char pair[2] = {'}', (char)(bytes[i] ^ 0x20)};
        if (is_special(bytes[i])) text_bytes(&out, pair, 2);
        else text_bytes(&out, &bytes[i], 1);
    }
    for (size_t i = 1; i < out.n; i++) sum += (uint8_t)out.data[i];
    text_add(&out, "#%02x", sum);
    if (!out.failed) send_all(w, out.data, out.n);
    text_free(&out);
}

void wire_send(struct wire *w, const char *bytes, size_t n) { send_framed(w, '$', bytes, n); }

void wire_notify(struct wire *w, const char *bytes, size_t n) { send_framed(w, '%', bytes, n); }
