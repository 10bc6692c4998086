/* The file of a process's timeline: rows, slices, arrows. Slices of threads are written as they begin and end, the
 * others when they have ended, so that what the file takes of memory does not grow. Called by timeline.c and opencl/.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "driver/driver.h"
#include "sim/output.h"
#include "sim/trace_event.h"
#include "version.h"

enum {
    HEADS = 64, /* 256 bytes; with more rows than that, lists of them grow, one row for each 64 */
    HOST = 1    /* the process of the trace whose rows are threads; those of devices follow */
};

/* A slice of a thread, by its name, and the one that it lies in. */
struct begun {
    struct begun *around;
    char name[];
};

/* A row: a track of the format. */
struct row {
    uint32_t process, number;
    enum timeline_kind kind;
    uint64_t last;       /* when its last slice has ended, or the time of its last event */
    uint32_t next;       /* track with the same hash, 0: none */
    struct begun *begun; /* of a thread: the innermost slice that has begun */
};

static enum { UNKNOWN, OFF, ON } _Atomic state;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* What follows is under the lock. */
static FILE *text; /* what is still to be written; NULL: the timeline is closed */
static char *bytes;
static size_t nbytes;
static int file = -1;
static char path[PATH_MAX];
static int problem;                    /* errno of what could not be written, 0: nothing */
static uint64_t base, arrows, written; /* host_ns of the beginning and of the last write */
static uint32_t processes, threads;
static struct row *rows;
static size_t nrows;
static uint32_t heads[HEADS]; /* by hash: the first track */

/* Of this thread: its row and one more, 0: none yet; what it has said of its next submission. */
static _Thread_local uint32_t own_row;
static _Thread_local struct timeline_label own_label;
static _Thread_local bool labelled;

/* ---- the file ---- */

static void write_out(void)
{
    const struct host_writing writing = host_writing_begin();
    const off_t end = lseek(file, 0, SEEK_CUR);
    if (fflush(text) && !problem) problem = ENOMEM;
    if (end >= 0 && !host_may_write((uint64_t)end + nbytes) && !problem) problem = EFBIG;
    for (size_t at = 0; at < nbytes && !problem;) {
        const ssize_t n = write(file, bytes + at, nbytes - at);
        if (n > 0) at += (size_t)n;
        else if (n == 0 || errno != EINTR) problem = n ? errno : EIO;
    }
    host_writing_end(&writing);
    rewind(text);
    written = host_ns();
}

/* A child of fork() has nothing to add, and does not keep the file from others. */
static void forget_in_child(void)
{
    if (state != ON) return;
    state = OFF;
    close(file);
}

static void __attribute__((constructor)) watch_forks(void) { pthread_atfork(NULL, NULL, forget_in_child); }

static void say(int error)
{
    char why[300];
    snprintf(why, sizeof why, "cannot write %.200s: %s", path, strerror(error));
    host_say("VENTUS_TIMELINE", why);
}

/* Opens `path`; false, errno: no. EWOULDBLOCK: another process writes there. */
static bool take_file(void)
{
    file = host_above_standard(
        open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666)); /* a pipe may have no reader */
    if (file < 0) return false;
    fcntl(file, F_SETFL, 0);
    if (flock(file, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
        close(file);
        errno = EWOULDBLOCK;
        return false;
    }
    (void)!ftruncate(file, 0); /* what cannot be cut off is no file */
    return true;
}

/* Of processes that run at the same time the first has the file, each other one a file with its number. */
static bool take_some_file(const char *wanted)
{
    snprintf(path, sizeof path, "%s", wanted);
    if (take_file()) return true;
    if (errno != EWOULDBLOCK) return false;
    snprintf(path, sizeof path, "%.*s.%ld", (int)sizeof path - 24, wanted, (long)getpid());
    return take_file();
}

/* With host_lock held. */
static void open_file(const char *wanted)
{
    if (!take_some_file(wanted)) {
        say(errno);
        return;
    }
    if (!(text = open_memstream(&bytes, &nbytes))) {
        say(errno);
        close(file);
        return;
    }
    base = host_ns();
    processes = HOST + 1;
    trace_event_open(text, "of the device: the host's, or with a cycle model the model's", VENTUS_VERSION, HOST,
                     "host");
}

static void open_once(void)
{
    const char *said = secure_getenv("VENTUS_TIMELINE");
    const bool wanted = said && *said && strcmp(said, "0") != 0;
    host_lock();
    if (state == UNKNOWN && wanted) open_file(said);
    if (state == UNKNOWN) state = text ? ON : OFF;
    host_unlock();
}

bool timeline_on(void)
{
    if (state == UNKNOWN) open_once();
    return state == ON;
}

bool timeline_enter(void)
{
    if (!timeline_on()) return false;
    pthread_mutex_lock(&lock);
    if (text) return true;
    pthread_mutex_unlock(&lock);
    return false;
}

void timeline_leave(void)
{
    /* What a killed program loses of it, at most: 64 KiB, or what the last tenth of a second had. A guess. */
    enum { PIECE = 1 << 16, SOON_NS = 100000000 };
    if (ftello(text) >= PIECE || host_ns() - written > SOON_NS) write_out();
    pthread_mutex_unlock(&lock);
}

uint32_t timeline_processes(const char *name, const char *next)
{
    if (!timeline_enter()) return 0;
    const uint32_t first = processes;
    processes += 2;
    trace_event_name(text, "process_name", first, 0, name);
    if (next) trace_event_name(text, "process_name", first + 1, 0, next);
    timeline_leave();
    return first;
}

/* ---- pieces of events ---- */

/* Microseconds, with three digits for nanoseconds. */
static void put_time(const char *key, uint64_t ns)
{
    ns = ns > base ? ns - base : 0;
    fprintf(text, ",\"%s\":%llu.%03u", key, (unsigned long long)(ns / 1000), (unsigned)(ns % 1000));
}

static void put_duration(uint64_t ns)
{
    fprintf(text, ",\"dur\":%llu.%03u", (unsigned long long)(ns / 1000), (unsigned)(ns % 1000));
}

static void put_text(const char *key, const char *value)
{
    fprintf(text, ",\"%s\":", key);
    output_json_string(text, value);
}

static void put_facts(const struct timeline_fact *f)
{
    const char *before = ",\"args\":{";
    if (!f || !f->name) return;
    for (; f->name; f++, before = ",") {
        fprintf(text, "%s\"%s\":", before, f->name);
        if (f->text) output_json_string(text, f->text);
        else fprintf(text, "%llu", (unsigned long long)f->number);
    }
    putc('}', text);
}

/* ---- rows; the track of one is its number and one more ---- */

static uint32_t *head_of(uint32_t process, enum timeline_kind kind, uint32_t number)
{
    return &heads[(number * 8u + (uint32_t)kind + process * 31u) % HEADS];
}

static uint32_t new_row(uint32_t process, enum timeline_kind kind, uint32_t number, const char *title)
{
    struct row *more = realloc(rows, (nrows + 1) * sizeof *rows);
    if (!more) return 0;
    rows = more;
    uint32_t *head = head_of(process, kind, number);
    rows[nrows++] = (struct row){.process = process, .kind = kind, .number = number, .next = *head};
    *head = (uint32_t)nrows;
    trace_event_name(text, "thread_name", process, (unsigned)nrows, title);
    return (uint32_t)nrows;
}

/* A row of this kind and number where nothing is under way at the slice's begin. Without memory it is missing
 * in the trace. */
static uint32_t free_row(const struct timeline_slice *s)
{
    for (uint32_t i = *head_of(s->process, s->kind, s->number); i; i = rows[i - 1].next) {
        const struct row *r = &rows[i - 1];
        if (r->process == s->process && r->kind == s->kind && r->number == s->number && r->last <= s->begin) return i;
    }
    return new_row(s->process, s->kind, s->number, s->title);
}

/* The row of the thread that asks; `name` is for a new one. */
static struct row *row_here(const char *name)
{
    char title[48];
    if (name) snprintf(title, sizeof title, "%s", name);
    else snprintf(title, sizeof title, "thread %u", (unsigned)threads + 1);
    if (!own_row) own_row = new_row(HOST, ROW_THREAD, threads++, title);
    return own_row ? &rows[own_row - 1] : NULL;
}

/* ---- slices of devices ---- */

uint32_t timeline_slice(const struct timeline_slice *s, const struct timeline_fact *facts)
{
    const uint32_t row = free_row(s);
    if (!row) return 0;
    rows[row - 1].last = s->end;
    trace_event(text, 'X', s->process, row);
    put_time("ts", s->begin);
    put_duration(s->end - s->begin);
    put_text("name", s->name);
    put_facts(facts);
    putc('}', text);
    return row;
}

static void put_arrow(char phase, uint32_t process, uint32_t row, uint64_t time, uint64_t arrow)
{
    trace_event(text, phase, process, row);
    put_time("ts", time);
    fprintf(text, ",\"cat\":\"order\",\"name\":\"then\",\"id\":%llu%s}", (unsigned long long)arrow,
            phase == 'f' ? ",\"bp\":\"e\"" : "");
}

uint64_t timeline_new_arrow(void) { return ++arrows; }

void timeline_arrow(const struct timeline_slice *s, uint32_t row, uint64_t arrow, bool out)
{
    put_arrow(out ? 's' : 'f', s->process, row, s->begin, arrow);
}

void timeline_wait(const struct timeline_slice *s, uint32_t row, uint64_t from)
{
    static const char phases[] = {'b', 'e'};
    static uint64_t waits;
    waits++;
    for (size_t i = 0; i < sizeof phases; i++) {
        trace_event(text, phases[i], s->process, row);
        put_time("ts", i ? s->begin : from);
        fprintf(text, ",\"cat\":\"wait\",\"id\":%llu", (unsigned long long)waits);
        put_text("name", s->name);
        putc('}', text);
    }
}

/* ---- slices of threads ---- */

/* No time before what is there already: clocks of several models differ. */
static uint64_t time_in(struct row *r, uint64_t time)
{
    if (time > r->last) r->last = time;
    return r->last;
}

static uint64_t time_by(const ventus_device *device) { return device ? ventus_clock(device) : host_ns(); }

static bool push_slice(struct row *r, const char *name)
{
    struct begun *b = malloc(sizeof *b + strlen(name) + 1);
    if (!b) return false;
    b->around = r->begun;
    strcpy(b->name, name);
    r->begun = b;
    return true;
}

void timeline_begin(const ventus_device *device, const char *name, const char *thread)
{
    if (!timeline_enter()) return;
    struct row *r = row_here(thread);
    if (r && push_slice(r, name)) {
        trace_event(text, 'B', HOST, own_row);
        put_time("ts", time_in(r, time_by(device)));
        put_text("name", name);
        putc('}', text);
    }
    timeline_leave();
}

static void end_slice(struct row *r, uint64_t time, const struct timeline_fact *facts)
{
    struct begun *b = r->begun;
    r->begun = b->around;
    trace_event(text, 'E', HOST, (unsigned)(r - rows) + 1);
    put_time("ts", time_in(r, time));
    put_text("name", b->name);
    put_facts(facts);
    putc('}', text);
    free(b);
}

void timeline_end(const ventus_device *device, const struct timeline_fact *facts)
{
    if (!timeline_enter()) return;
    if (own_row && rows[own_row - 1].begun) end_slice(&rows[own_row - 1], time_by(device), facts);
    timeline_leave();
}

uint64_t timeline_arrow_here(uint64_t time)
{
    struct row *r = own_row ? &rows[own_row - 1] : NULL;
    if (!r || !r->begun || time < r->last) return 0; /* another clock: the arrow would lead back */
    put_arrow('s', HOST, own_row, time_in(r, time), ++arrows);
    return arrows;
}

/* ---- what a thread says of its next submission ---- */

void timeline_label(const struct timeline_label *label)
{
    if (!timeline_on()) return;
    labelled = label;
    if (label) own_label = *label;
}

bool timeline_take_label(struct timeline_label *label)
{
    const bool said = labelled;
    if (said) *label = own_label;
    labelled = false;
    return said;
}

/* ---- the end ---- */

/* Threads may be at something for ever. */
void timeline_finish(void)
{
    if (!timeline_enter()) return;
    for (struct row *r = rows; r < rows + nrows; r++)
        while (r->begun) end_slice(r, r->last, NULL);
    trace_event_close(text);
    write_out();
    if (close(file) && !problem) problem = errno;
    if (problem) say(problem);
    fclose(text);
    free(bytes);
    free(rows);
    text = NULL;
    rows = NULL;
    nrows = 0;
    state = OFF;
    pthread_mutex_unlock(&lock);
}
