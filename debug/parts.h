/* What the files of debug/ share. All of struct debugger is under `lock`, but for what is atomic, or said to be the
 * machine's, which its thread alone uses while it runs.
 *
 * The machine is stopped while `stopped` is set: its thread waits in a hook (or, between launches, in none), and the
 * server's thread reads and changes what it likes. */
#ifndef VENTUS_DEBUG_PARTS_H
#define VENTUS_DEBUG_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "debug/debugger.h"
#include "host/scratch.h"
#include "sim/schedule.h"

/* ---- text.c: bytes that grow ---- */

struct text {
    char *data; /* ended by a zero that does not count; NULL: empty */
    size_t n, room;
    bool failed; /* the host had no memory: something is missing */
};
void text_free(struct text *t);
void text_clear(struct text *t);
void text_bytes(struct text *t, const void *bytes, size_t n);
void text_add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_hex(struct text *t, const void *bytes, size_t n);
/* Hexadecimal digits at *s, which goes behind them. False: there is none, or more than fit. */
bool hex_number(const char **s, uint64_t *value);
/* Two digits for each of `n` bytes. False: they are not there. */
bool hex_bytes(const char **s, void *bytes, size_t n);

/* ---- packet.c: the wire ---- */

enum { PACKET_MOST = 1 << 17 }; /* bytes of a request, and of a piece of a document */

/* What has been received and not yet been taken. */
struct wire {
    int fd;      /* -1: no debugger is connected */
    bool silent; /* no acknowledgements any more */
    char *in;
    size_t n;
};
/* Room for what is received. False: no memory. */
bool wire_open(struct wire *w);
void wire_close(struct wire *w);
/* Until the other side has closed the connection, but for so many milliseconds at most. */
void wire_await_end(const struct wire *w, int ms);
/* Receives what is there. False: the other side has gone. */
bool wire_receive(struct wire *w);
enum wire_got { WIRE_NOTHING, WIRE_BREAK /* Ctrl-C */, WIRE_PACKET };
/* The next request: its bytes, without escapes, in *packet. */
enum wire_got wire_next(struct wire *w, struct text *packet);
/* Sends a packet; bytes that must be escaped are. */
void wire_send(struct wire *w, const char *bytes, size_t n);
/* The same, as a notification: nobody has asked. */
void wire_notify(struct wire *w, const char *bytes, size_t n);

/* ---- item.c: work-items as threads ---- */

/* A work-item that lives. */
struct item {
    struct warp *warp; /* NULL: none, the device between launches */
    uint32_t lane;
};
enum { TID_DEVICE = 1 }; /* the thread that there is when no work-item lives */
typedef uint64_t tid;    /* a work-item's, never given to another one of the same machine */

tid item_tid(struct item item);
/* The work-item of this number that lives now. False: there is none; TID_DEVICE is one without warp. */
struct debugger;
bool item_find(const struct debugger *d, tid t, struct item *item);
/* Whom a debugger means by a number: of those behind 32 bits, which all have from the second launch on, gdb sends the
 * low 32. */
tid item_named(const struct debugger *d, uint64_t number);
/* The address at which it goes on. */
uint32_t item_pc(struct item item);
bool item_is_active(struct item item);
/* Ids; `global` with the launch's offset. */
void item_ids(struct item item, uint32_t local[3], uint32_t global[3]);
/* "(17,0,0)"; "group (0,0,0) warp 0 lane 17, active". */
void item_name(struct text *t, struct item item);
void item_describe(struct text *t, const struct debugger *d, struct item item);
/* What keeps it: "active", "waits at join 0x80000120 (k.cl:12)", ... */
void item_state(struct text *t, const struct debugger *d, struct item item);
/* Calls for each work-item that is a thread, in the order of their numbers, until `each` says false. */
void items_each(const struct debugger *d, bool (*each)(void *user, struct item item), void *user);
/* Of those in `lanes`, the first; ISA_LANES: none. */
uint32_t first_lane(uint32_t lanes);

/* ---- state.c: registers and memory ---- */

enum {
    REG_PC = 32,
    REG_V = 33,            /* v0 to v255 */
    REG_X32 = REG_V + 256, /* x32 to x63 */
    REG_CSR = REG_X32 + 32 /* and what isa/csr.def has, in its order */
};
/* How many registers there are; the name of one. */
uint32_t register_count(void);
const char *register_name(uint32_t number, char name[16]);
bool register_read(struct item item, uint32_t number, uint32_t *value);
bool register_write(const struct debugger *d, struct item item, uint32_t number, uint32_t value);
/* Memory as the work-item sees it; private memory and the window (isa/abi.h) are its own. How many bytes from `addr` on
 * could be had. */
uint32_t memory_read(const struct debugger *d, struct item item, uint64_t addr, void *bytes, uint32_t n);
bool memory_write(const struct debugger *d, struct item item, uint64_t addr, const void *bytes, uint32_t n);

/* ---- stops.c: breakpoints and watchpoints ---- */

enum stop_kind { STOP_BREAK = 0, STOP_BREAK_HARD = 1, STOP_WRITE = 2, STOP_READ = 3, STOP_ACCESS = 4 };

struct stop_point {
    enum stop_kind kind;
    uint64_t addr;
    uint32_t size;
    tid owner;       /* of a watchpoint in private memory or the window: whose; 0: anybody's */
    bool set;        /* else it is kept until the machine runs, because debuggers take all away while it stands */
    uint8_t last[8]; /* of a watchpoint in the window: what was there */
    bool hosts;      /* the host has written there, which has not been reported */
};
struct stop_points {
    struct stop_point *list;
    size_t n, room;
    _Atomic uint32_t filter[2048];     /* a bit for each breakpoint's address, by its bits 2 to 17 */
    size_t breaks, watches, registers; /* that are set; watchpoints in the window are `registers` */
    bool hosts;                        /* there may be points that the host has written to */
};
static inline bool stops_may_be_at(const struct stop_points *s, uint32_t pc)
{
    return atomic_load_explicit(&s->filter[pc >> 7 & 2047], memory_order_relaxed) >> (pc >> 2 & 31) & 1;
}
bool stops_at(const struct stop_points *s, uint32_t pc);
/* `owner`: the work-item that the debugger has selected. */
bool stops_set(struct debugger *d, enum stop_kind kind, uint64_t addr, uint32_t size, tid owner);
void stops_clear(struct debugger *d, enum stop_kind kind, uint64_t addr, uint32_t size);
/* The machine is about to run: forgets those that have been taken away. */
void stops_settle(struct debugger *d);
void stops_clear_all(struct debugger *d);
/* Which of them an access touches, as events. */
void stops_access(struct debugger *d, struct warp *w, const struct access *a);
/* Which registers have changed, as events. */
void stops_registers(struct debugger *d);
/* The host writes a range of memory: watchpoints there are met by the warp whose instruction is next (stops_hosts). */
void stops_host_writes(struct debugger *d, uint64_t addr, uint64_t size);
void stops_hosts(struct debugger *d, struct warp *w);

/* ---- documents.c ---- */

void document_features(struct text *t);
void document_threads(struct text *t, const struct debugger *d);
void document_libraries(struct text *t, const struct debugger *d);
void document_json(struct text *t, const struct debugger *d);

/* ---- program.c: the program of a launch, as a file ---- */

/* Of the program in the code window; "" when nobody has said it. */
struct program {
    struct scratch folder;
    char path[SCRATCH_PATH + 40];
    const void *elf; /* identity of what the file has */
    size_t size;
    uint64_t serial;
};
/* The file of this launch's program. True: it is another one. */
bool program_enter(struct program *p, const struct launch_info *info);
void program_free(struct program *p);

/* ---- findings.c: what checks have found ---- */

struct finding {
    uint64_t count; /* of the instruction that made the mistake, or comes behind the barrier that did */
    tid thread;
    char *text; /* lines */
};
struct findings {
    struct finding *list;
    size_t n, launch; /* those of the launch that runs begin at list[launch] */
};
/* Keeps a copy of the text, or nothing when there is no memory for it. */
void findings_add(struct findings *f, uint64_t count, tid thread, const char *text);
/* Another launch begins. */
void findings_launch(struct findings *f);
/* Of this launch: the first one at an instruction (NULL: none), and what all there say, added to *all; where the next
 * one behind it is (UINT64_MAX: nowhere). */
const struct finding *findings_at(const struct findings *f, uint64_t count, struct text *all);
uint64_t findings_next(const struct findings *f, uint64_t count);
void findings_free(struct findings *f);

/* ---- history.c: memory at the beginning of a launch ----
 *
 * Used by the machine's thread, and by the server's while that one stands. */

struct history;
struct history *history_new(void); /* NULL: no memory */
void history_free(struct history *h);
/* From now on pages are kept as they are, until history_forget: those shared with the host at once, ... */
void history_begin(struct history *h, struct gpu *gpu);
/* ... others when an access of the warp, or somebody else, is about to write them. `addr` is as the warp sees it; NULL:
 * as the device does. Does nothing when nothing is kept, or not written. */
void history_access(struct history *h, const struct warp *w, const struct access *a);
void history_write(struct history *h, const struct warp *w, uint64_t addr, uint64_t size);
void history_forget(struct history *h);
/* Why memory cannot be put back (static text); NULL: it can. */
const char *history_missing(const struct history *h);
/* The host is about to write or free this: from now on its pages are not to be put back. `addr` is as kernels see it.
 * From any thread.
 */
void history_host(struct history *h, uint32_t addr, uint64_t size);
/* Puts memory back; the copies stay. The first call in a launch is only allowed when nothing is missing. */
void history_restore(struct history *h);

/* ---- monitor.c ---- */

/* Executes a command of the user and adds what there is to say. */
void monitor(struct debugger *d, const char *command, struct text *answer);

/* ---- debug.c: hooks of the machine, stopping and going on ---- */

enum event_kind {
    EVENT_SIGNAL,
    EVENT_BREAK,
    EVENT_WATCH, /* `point` */
    EVENT_STEP,
    EVENT_ENDED, /* the work-item that was to run alone, `thread`, has */
    EVENT_LIBRARY,
    EVENT_HISTORY /* the begin, or the end, of what can be gone back to */
};
struct event {
    enum event_kind kind;
    tid thread;
    int signal; /* gdb's number */
    enum stop_kind watch;
    uint64_t addr;
};
enum { EVENTS_MOST = 64 }; /* 2 KiB three times over; of more at one time the last ones are forgotten */
enum { SIGNAL_INT = 2, SIGNAL_ILL = 4, SIGNAL_TRAP = 5, SIGNAL_ABRT = 6, SIGNAL_BUS = 10, SIGNAL_SEGV = 11 };

/* What the machine is to do. */
struct order {
    tid step;           /* the work-item that is to execute; 0: none */
    uint32_t from, end; /* ... until its pc is not in between */
    tid alone;          /* only the warp of this work-item runs; 0: all */
};

/* Going back (history.c). */
enum back { BACK_NOT, BACK_STEP, BACK_CONTINUE };
struct journey {
    enum back back; /* what is wanted, by ... */
    tid step;       /* BACK_STEP: the work-item that is to be in front of its last instruction */
    enum { RUNS_ON, RUNS_TO_NOW, RUNS_TO_THEN } way;
    uint64_t now, then;              /* instructions of the launch; `then` 0: nothing found */
    struct event found[EVENTS_MOST]; /* that happen at `then` */
    size_t nfound;
};

struct thread_filter {
    enum { SHOW_ALL, SHOW_GROUP, SHOW_WARP, SHOW_ONE } what;
};

struct debugger {
    struct observer observer;
    struct gpu *gpu;
    struct turn *turns; /* of each SM */
    pthread_mutex_t lock;
    pthread_cond_t go; /* the machine may go on */
    pthread_t server;
    _Atomic bool over;
    int listener, wake; /* wake: an eventfd on which the machine says that it has stopped */
    char where[108];    /* path of the socket, "" if it has none */
    bool waits_for_debugger, ended;

    struct wire wire;
    struct text packet, answer;
    bool later; /* the request has no answer now: it has been sent, or is the next stop */
    bool lldb;
    bool nonstop;  /* gdb talks while the machine runs; it knows one thread (nonstop.c) */
    bool quiet;    /* the stop to come is one that gdb has asked for on its own account */
    bool shown;    /* since the last stop the debugger has asked for all threads: its user sees the stop */
    bool unseen;   /* the debugger has come to a program that it has not been told of */
    bool awaited;  /* the debugger waits for a stop */
    tid user_step; /* the work-item that the user steps; 0: none */
    tid aside;     /* a work-item that is said to have left its breakpoint; 0: none */
    tid past;   /* a work-item that has ended in a step of its own, which gdb is told of as a step that is over; 0: none
                 */
    tid chosen; /* the thread that goes, if a request to go says none */
    tid general;   /* the thread that requests are about */
    tid looked_at; /* the same for memory, watchpoints and commands: lldb's user may have selected another since
                      (monitor.c) */

    _Atomic bool attention; /* the machine is to look at all that is here at its next instruction */
    _Atomic bool watches;   /* and at each access, for watchpoints */
    bool stopped;
    bool stands;    /* the machine's thread waits in a hook */
    bool rests;     /* the machine's thread waits for somebody else, in the middle of an instruction */
    bool interrupt; /* it is to stop */
    bool kill;      /* launches are to end */
    struct event events[EVENTS_MOST];
    size_t nevents;
    struct event last;  /* what was reported */
    char message[1200]; /* that goes with it, "" if none */

    struct order order;
    bool begun;         /* it stands inside an instruction (state.c) */
    bool executes;      /* the machine's: the stepping work-item's instruction has been announced */
    struct warp *about; /* the warp whose instruction is, with the machine stopped or not */
    bool idle_turn;     /* of the scheduler: the warp that is alone could not run the last time */
    struct stop_points points;
    struct thread_filter filter;
    tid shown_stop; /* the thread of the last stop that was reported */

    /* the launch that runs */
    const struct launch *launch; /* NULL: none */
    const struct launch_info *info;
    char kernel[128];
    uint64_t number;
    struct group **groups; /* that live, in the order in which they came */
    size_t ngroups, groups_room;
    struct program program;
    struct fault fault; /* FAULT_NONE, or what the machine stands at */
    uint64_t count;     /* the machine's: instructions of this launch so far, the announced one included */
    uint64_t until;     /* at this count it looks; UINT64_MAX: never */
    struct findings findings;
    uint64_t position; /* at a stop: the count of the instruction that is next */
    struct history *history;
    struct journey journey;
    bool travels; /* the present run of the launch is the first of the two */
    bool rewind;  /* the launch is to be ended and run again */
    bool bent;    /* warps have been held: running it again gives another order */
};

/* Is the message the reason of this stop, for lldb, which shows it so? Other threads stand still without one. */
bool event_has_message(const struct debugger *d, const struct event *e);
/* Adds an event, to be reported when the machine has stopped. */
void event_add(struct debugger *d, struct event event);
void event_add_first(struct debugger *d, struct event event);
/* The work-item that an event or a selection is about, if it lives; else the first that does. */
struct item item_of(const struct debugger *d, tid t);
/* Does any live? */
bool some_item(const struct debugger *d);
/* The one whose memory is meant. */
struct item item_looked_at(const struct debugger *d);
/* The server lets the machine run, as `order` says. */
void machine_go(struct debugger *d);
/* The same, backwards: by an instruction of the work-item `step`, or to the last breakpoint or watchpoint. */
void machine_go_back(struct debugger *d, enum back back, tid step);
/* The server wants it to stop. */
void machine_halt(struct debugger *d);

/* The machine is between two turns of warps: stops it when there is reason, which `why` is if not NULL. */
void machine_pause(struct debugger *d, const char *why);

/* ---- scheduler.c: which warp runs next ---- */

/* Makes it the scheduler of the machine. False: no memory. */
bool scheduler_open(struct debugger *d);
void scheduler_close(struct debugger *d);
void scheduler_begin(struct debugger *d); /* a launch begins */

/* ---- server.c, request.c ---- */

bool server_open(struct debugger *d, const char *where, char *why, size_t why_size);
void server_close(struct debugger *d);
/* Answers one request in d->packet. */
void request_answer(struct debugger *d);
/* Says that the machine has stopped, and why. */
void report_stop(struct debugger *d);
/* The next event becomes what has stopped the machine, and its work-item the selected one. */
void take_event(struct debugger *d);
/* Which actions "vCont" knows; what stands behind it, an order to go on, which may be an error; and points, behind "Z"
 * (set) or "z". */
void request_actions(struct debugger *d, const char *s);
void request_resume(struct debugger *d, const char *actions);
void request_point(struct debugger *d, const char *point, bool set);
/* The same into an answer, without text. */
void stop_reply(struct text *t, const struct debugger *d, const struct event *e);
void debugger_gone(struct debugger *d);

/* ---- nonstop.c: gdb's non-stop mode ---- */

/* Answers a request that is another one in that mode, or asks for it. False: it is none of those. */
bool nonstop_answer(struct debugger *d);
void nonstop_report(struct debugger *d);
/* Which work-item a thread that gdb names is. */
tid nonstop_thread(const struct debugger *d, tid named);
/* Who is to go alone when this work-item makes a step; 0: nobody. */
tid nonstop_alone(const struct debugger *d, tid steps);

#endif
