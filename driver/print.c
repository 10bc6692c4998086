/* printf of a kernel: decodes the records of the print buffer (isa/abi.h) with the formats of the note.
 *
 * Both come from outside: a record is believed only as far as the buffer reaches, and every
 * conversion is rebuilt from parsed parts before the host's printf sees it. Records come out in the
 * order of the buffer, each whole; what a format asks beyond its record is zero. A buffer of short records can stand
 * for gigabytes of text, so that this goes out in pieces; to a pipe in such as never wait for its reader. Called by
 * launch.c. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/driver.h"
#include "sim/printed.h"

enum {
    MAX_FIELD = 4096,    /* widths and precisions beyond are cut, ... */
    MAX_TEXT = 64 << 10, /* ... and strings that are no literals */
};

struct args {
    const uint32_t *word;
    uint32_t n;
};

/* One conversion: %[flags][width][.precision][vector][length]letter */
struct conversion {
    char flags[8];
    int width, precision; /* precision -1: none given */
    unsigned vector;      /* elements, 1 for a scalar */
    char length[3];       /* "", "hh", "h", "hl", "l", "ll" */
    char letter;
};

static uint32_t next_word(struct args *a)
{
    if (!a->n) return 0;
    a->n--;
    return *a->word++;
}

static const char *find_text(const struct note_string *table, size_t n, uint32_t id)
{
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (table[mid].id < id) lo = mid + 1;
        else hi = mid;
    }
    return lo < n && table[lo].id == id ? table[lo].text : NULL;
}

/* Copies the string at a device address, cut to `size` bytes with its zero; false when it does not end in open pages.
 */
static bool copy_text(ventus_device *d, uint32_t address, char *text, size_t size)
{
    size_t n = 0;
    const char *page = NULL;
    pthread_mutex_lock(&d->lock);
    for (text[0] = 0; n + 1 < size; n++, address++) {
        if (!page || address % ABI_PAGE == 0) page = space_host(d, address & ~(ABI_PAGE - 1u), ABI_PAGE);
        text[n] = page ? page[address % ABI_PAGE] : 0;
        if (!text[n]) break;
    }
    text[n] = 0;
    pthread_mutex_unlock(&d->lock);
    return page;
}

/* What %s prints: a literal by its number, another string by its address, which is above all numbers. */
static void print_string(FILE *out, const char *format, const struct printing *p, uint32_t word)
{
    const char *known = find_text(p->module->note.strings, p->module->note.nstrings, word);
    char *text = known || !p->device ? NULL : malloc(MAX_TEXT);
    bool found = text && copy_text(p->device, word, text, MAX_TEXT);
    fprintf(out, format, known ? known : found ? text : "(null)");
    free(text);
}

/* ---- parsing a conversion ---- */

static int clamp(long v) { return v > MAX_FIELD ? MAX_FIELD : v < -MAX_FIELD ? -MAX_FIELD : (int)v; }

static int parse_number(const char **s, struct args *a)
{
    if (**s == '*') {
        ++*s;
        return clamp((int32_t)next_word(a));
    }
    long v = 0;
    for (; **s >= '0' && **s <= '9'; ++*s)
        if (v <= MAX_FIELD) v = v * 10 + (**s - '0');
    return clamp(v);
}

static void add_flag(struct conversion *c, char flag)
{
    size_t n = strlen(c->flags);
    if (!strchr(c->flags, flag)) c->flags[n] = flag, c->flags[n + 1] = 0;
}

static const char *parse_vector(const char *s, struct conversion *c)
{
    unsigned n = 0;
    for (; *s >= '0' && *s <= '9'; s++)
        if (n < 100) n = n * 10 + (unsigned)(*s - '0');
    c->vector = n == 2 || n == 3 || n == 4 || n == 8 || n == 16 ? n : 0;
    return s;
}

static const char *parse_length(const char *s, struct conversion *c)
{
    static const char *const lengths[] = {"hh", "hl", "h", "ll", "l"};
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        size_t n = strlen(lengths[i]);
        if (strncmp(s, lengths[i], n)) continue;
        memcpy(c->length, lengths[i], n + 1);
        return s + n;
    }
    return s;
}

/* Reads a conversion behind its '%'. Returns what follows it, or NULL when it is none. */
static const char *parse(const char *s, struct args *a, struct conversion *c)
{
    *c = (struct conversion){.precision = -1, .vector = 1};
    for (; *s && strchr("-+ #0", *s); s++) add_flag(c, *s);
    c->width = parse_number(&s, a);
    if (c->width < 0) {
        add_flag(c, '-');
        c->width = -c->width;
    }
    if (*s == '.') {
        s++;
        c->precision = parse_number(&s, a);
        if (c->precision < 0) c->precision = -1;
    }
    if (*s == 'v') s = parse_vector(s + 1, c);
    s = parse_length(s, c);
    c->letter = *s;
    return c->vector && *s && strchr("diouxXfFeEgGaAcsp", *s) ? s + 1 : NULL;
}

/* ---- printing one value ---- */

/* The host's conversion for `c` with a length and letter of our choice. */
static void host_format(const struct conversion *c, const char *length, char letter, char *out, size_t size)
{
    char precision[16] = "";
    if (c->precision >= 0) snprintf(precision, sizeof precision, ".%d", c->precision);
    if (c->width) snprintf(out, size, "%%%s%d%s%s%c", c->flags, c->width, precision, length, letter);
    else snprintf(out, size, "%%%s%s%s%c", c->flags, precision, length, letter);
}

static uint64_t integer(const struct conversion *c, struct args *a)
{
    uint64_t v = next_word(a);
    bool is_signed = c->letter == 'd' || c->letter == 'i';
    if (!strcmp(c->length, "l") || !strcmp(c->length, "ll")) return v | (uint64_t)next_word(a) << 32;
    if (!strcmp(c->length, "hh")) return is_signed ? (uint64_t)(int8_t)v : (uint8_t)v;
    if (!strcmp(c->length, "h")) return is_signed ? (uint64_t)(int16_t)v : (uint16_t)v;
    return is_signed ? (uint64_t)(int32_t)v : v;
}

/* A double, two words, has length l; a float, one word, any other. */
static double real(const struct conversion *c, struct args *a)
{
    uint64_t bits = next_word(a);
    double d;
    float f;
    uint32_t word = (uint32_t)bits;
    if (!strcmp(c->length, "l")) {
        bits |= (uint64_t)next_word(a) << 32;
        memcpy(&d, &bits, sizeof d);
        return d;
    }
    memcpy(&f, &word, sizeof f);
    return (double)f;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* host_format made them */
static void print_value(FILE *out, const struct conversion *c, struct args *a, const struct printing *p)
{
    char format[64], text[16];
    switch (c->letter) {
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
        host_format(c, "ll", c->letter, format, sizeof format);
        fprintf(out, format, integer(c, a));
        break;
    case 'c':
        host_format(c, "", 'c', format, sizeof format);
        fprintf(out, format, (int)(unsigned char)next_word(a));
        break;
    case 's':
        host_format(c, "", 's', format, sizeof format);
        print_string(out, format, p, next_word(a));
        break;
    case 'p':
        host_format(c, "", 's', format, sizeof format);
        snprintf(text, sizeof text, "0x%" PRIx32, next_word(a));
        fprintf(out, format, text);
        break;
    default: host_format(c, "", c->letter, format, sizeof format); fprintf(out, format, real(c, a));
    }
}
#pragma GCC diagnostic pop

static void print_conversion(FILE *out, const struct conversion *c, struct args *a, const struct printing *p)
{
    for (unsigned i = 0; i < c->vector && !ferror(out); i++) {
        if (i) fputc(',', out);
        print_value(out, c, a, p);
    }
}

/* ---- records ---- */

static void print_record(FILE *out, const char *s, struct args a, const struct printing *p)
{
    struct conversion c;
    for (const char *next; *s && !ferror(out); s = next) {
        size_t plain = strcspn(s, "%");
        fwrite(s, 1, plain, out);
        s += plain;
        if (!*s) return;
        if (s[1] == '%') {
            fputc('%', out);
            next = s + 2;
        } else if ((next = parse(s + 1, &a, &c)) != NULL) {
            print_conversion(out, &c, &a, p);
        } else { /* no conversion: the sign stands for itself */
            fputc('%', out);
            next = s + 1;
        }
    }
}

/* The records in front of `used`. */
static void print_all(const struct printing *p, const uint8_t *buffer, uint32_t used, FILE *out)
{
    const struct host_client client = host_neutral_begin();
    uint32_t at = ABI_PRINT_HEADER, record[2];
    while (used >= at && used - at >= 8 && !ferror(out)) {
        memcpy(record, buffer + at, sizeof record);
        if (record[0] < 8 || record[0] % 4 || record[0] > used - at) break; /* never completed */
        const char *format = find_text(p->module->note.formats, p->module->note.nformats, record[1]);
        struct args a = {(const uint32_t *)(const void *)(buffer + at + 8), (record[0] - 8) / 4};
        if (format) print_record(out, format, a, p);
        at += record[0];
    }
    host_neutral_end(&client);
}

/* ---- output ---- */

/* Where the text goes piece by piece, so that a client's stream without a buffer is not written to letter by letter. */
struct pieces {
    const struct printing *p;
    enum printed result;
    int error;
    int pipe; /* the stream's descriptor, if that is a pipe or a socket, whose reader may not read; else -1 */
    bool socket;
    char buffer[PRINT_PIECE];
};

static bool lost(struct pieces *o)
{
    o->result = PRINT_LOST;
    o->error = errno;
    return false;
}

static bool goes_on(struct pieces *o)
{
    if (o->result == PRINT_DONE && o->p->stops && o->p->stops(o->p->user)) o->result = PRINT_STOPPED;
    return o->result == PRINT_DONE;
}

static void find_pipe(struct pieces *o)
{
    struct stat s;
    const int fd = fileno(o->p->out);
    o->pipe = -1;
    if (fd < 0 || fstat(fd, &s)) return;
    o->socket = S_ISSOCK(s.st_mode);
    if (o->socket || S_ISFIFO(s.st_mode)) o->pipe = fd;
}

/* Until the pipe takes PIPE_BUF bytes, or fails. False: the rest is not to be printed. */
static bool wait_for_room(struct pieces *o)
{
    enum { LOOK_MS = 20 }; /* so late, at most, is it seen that nothing is to be printed any more */
    struct pollfd room = {.fd = o->pipe, .events = POLLOUT};
    while (goes_on(o))
        if (poll(&room, 1, LOOK_MS) > 0) return true;
    return false;
}

static bool write_pipe(struct pieces *o, const char *text, size_t size)
{
    for (ssize_t n; size;) {
        const size_t part = size < PIPE_BUF ? size : PIPE_BUF;
        if (!wait_for_room(o)) return false;
        n = o->socket ? send(o->pipe, text, part, MSG_DONTWAIT) : write(o->pipe, text, part);
        if (n < 0 && errno != EAGAIN && errno != EINTR) return lost(o);
        if (n > 0) text += n, size -= (size_t)n;
    }
    return true;
}

static bool write_stream(struct pieces *o, const char *text, size_t size)
{
    errno = 0;
    return fwrite(text, 1, size, o->p->out) == size || lost(o);
}

/* The rest is not formatted either once this has failed. */
static ssize_t write_piece(void *cookie, const char *text, size_t size)
{
    struct pieces *o = cookie;
    if (!goes_on(o)) return 0;
    return (o->pipe < 0 ? write_stream(o, text, size) : write_pipe(o, text, size)) ? (ssize_t)size : 0;
}

/* What is still in the client's stream goes out, too. */
static void flush(struct pieces *o)
{
    if (o->pipe >= 0 && o->result != PRINT_DONE) return;
    if (fflush(o->p->out) && o->result == PRINT_DONE) lost(o);
}

static void print_pieces(struct pieces *o, const uint8_t *buffer, uint32_t used)
{
    FILE *out = fopencookie(o, "w", (cookie_io_functions_t){.write = write_piece});
    if (!out) {
        lost(o);
        return;
    }
    find_pipe(o);
    if (o->pipe >= 0 && wait_for_room(o)) flush(o);
    setvbuf(out, o->buffer, _IOFBF, sizeof o->buffer);
    print_all(o->p, buffer, used, out);
    fclose(out);
    flush(o);
}

/* With the stream locked, so that no other writer comes in between. */
static enum printed print_at_once(const struct printing *p, const uint8_t *buffer, uint32_t used)
{
    struct pieces *o = malloc(sizeof *o);
    if (!o) return PRINT_LOST;
    *o = (struct pieces){.p = p};
    const struct host_writing writing = host_writing_begin();
    flockfile(p->out);
    print_pieces(o, buffer, used);
    funlockfile(p->out);
    host_writing_end(&writing);
    const enum printed result = o->result;
    const int error = o->error;
    free(o);
    errno = error;
    return result;
}

enum printed print_records(const struct printing *p, const uint8_t *buffer, uint32_t size)
{
    uint32_t used;
    if (size < ABI_PRINT_HEADER) return PRINT_DONE;
    memcpy(&used, buffer, sizeof used);
    if (used <= ABI_PRINT_HEADER) return PRINT_DONE;
    return print_at_once(p, buffer, used < size ? used : size);
}

enum printed print_empty(const struct printing *p, uint8_t *buffer, uint32_t size, uint32_t full)
{
    const uint32_t end = printed_close(buffer, size, full);
    if (!end) return PRINT_DONE;
    const enum printed result = print_at_once(p, buffer, end);
    printed_reopen(buffer, end);
    return result;
}
