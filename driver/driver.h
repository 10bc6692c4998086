/* What the files of driver/ share: the device, its allocations and what is in flight.
 *
 * Locks of a device: `lock` guards the table of allocations and the segments, and is held for the time of a
 * copy; `queue.lock` guards what is in flight and is held briefly. Nobody takes one while holding another (but the
 * timeline's, which is always the last), and
 * none is held while the client's code or the machine runs. The module in the code window changes only while the
 * machine is idle: on the thread of launches between two runs of it, or while it is kept idle (queue_pause).
 * POSIX threads rather than C11's: the thread sanitizer knows only them. */
#ifndef VENTUS_DRIVER_H
#define VENTUS_DRIVER_H

#include <pthread.h>
#include <stdatomic.h>

#include "asm/image.h"
#include "asm/resource.h"
#include "asm/note.h"
#include "driver/backend.h"
#include "driver/gpu.h"
#include "driver/heap.h"
#include "driver/timeline.h"
#include "host/host.h"
#include "host/spares.h"
#include "isa/abi.h"

enum { MAX_SEGMENTS = 16 }; /* of a program; `ventus ld` makes three at most, and one with more is refused */

/* A piece of a program at its place in the code window. */
struct segment {
    uint32_t addr;
    uint32_t filesize, memsize;
    unsigned access; /* enum gpu_access */
    const uint8_t *data;
};

enum { KEPT_BLOCKS = 8, KEPT_BYTES = 512 << 10 /* of one: filling it with zeros takes 6 us, new pages 0.2 ms */ };
/* Bounds of memory: so much stays with a process that has released its buffers. The blocks are looked through one by
 * one. */
enum { RESTING_BLOCKS = 64, RESTING_MOST = 32 << 20 /* bytes of one */, RESTING_BYTES = 64 << 20 /* of all */ };

/* Where a block may lie: anywhere, or in the upper part, where launches have theirs. */
enum heap_area { AREA_ALL, AREA_LAUNCHES, HEAP_AREAS };

struct heap {
    struct blocks blocks;
    struct block kept[KEPT_BLOCKS]; /* freed but still open, whole pages, see memory_keep */
    size_t nkept;
    struct block
        resting[RESTING_BLOCKS]; /* freed, but with their host memory, whole pages; closed when a kernel runs */
    size_t nresting;
    unsigned launches; /* that have blocks, and so may run */
    unsigned flags;    /* enum ventus_heap_flags */
    uint64_t next;     /* VENTUS_HEAP_ASCENDING: first address never given out */
};

/* An event is in two lists: of all that has not ended, and of what is ready for a thread. */
enum membership { ALL, READY };

struct event_link {
    ventus_event *next, *previous;
};

struct queue;

struct event_list {
    ventus_event *first, *last;
};

/* A thread of the device and what is ready for it: first what will never run and is only to be ended, then the rest
 * in the order of submission. */
struct worker {
    void *(*run)(void *worker); /* the thread; for host_thread, at the first need */
    /* Runs what is ready, or ends it if it may not run (`verdict`). Without the lock. */
    void (*work)(ventus_event *event, enum ventus_status verdict);
    uint64_t (*held_until)(const struct queue *queue); /* nothing is to run before (host_ns); NULL: never held */
    struct queue *queue;
    pthread_t thread;
    bool started;
    pthread_cond_t wake; /* there is something to look at: */
    atomic_bool woken;   /* since it began to wait */
    bool busy;           /* the work is under way, ... */
    uint64_t helped;     /* ... on the client's thread, which waits for what was submitted up to this number; 0: not */
    uint64_t lent_until; /* ... until when it does that (host_ns); UINT64_MAX: as long as it takes */
    bool naps;           /* it will look soon, without being woken */
    bool prompt;         /* it begins with work at once: the client does not wait for it */
    struct event_list ready;
};

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* for whoever waits: an event that somebody waits for, the machine is idle */
    struct event_list all;  /* what has not ended, in the order of submission */
    struct worker machine, host;
    uint64_t submitted;  /* so far, the number of the latest */
    atomic_size_t count; /* of what is in flight: length of `all` */
    uint32_t running;    /* launches with the machine; written by its thread alone */
    atomic_uint watched; /* launches with a cancel flag of the caller's */
    uint64_t limit_ns;   /* how long a launch may run, 0: for ever */
    bool interrupts;     /* Ctrl-C ends launches (interrupt.c) */
    bool shows;          /* long launches on the terminal; ... */
    uint64_t shown;      /* ... when that was last done (host_ns), 0: nothing stands there. The thread of launches */
    uint32_t pauses;     /* how many callers keep the machine idle */
    uint32_t finishing;  /* who waits in ventus_finish */
    uint32_t waiting;    /* threads in queue_wait */
    bool gathers;        /* launches wait until the host does (machine.c); set before the first one */
    uint64_t usual_ns;   /* that launches have taken lately; 0: none has been run */
    uint64_t latest;     /* when work for a thread was last submitted, and anything if it gathers (host_ns) */
    uint32_t tails;      /* of `all`, those that nothing else of it waits for; and cancelled ones, see tail_ends */
    pthread_t client;    /* the thread that has submitted; ... */
    bool shared;         /* ... others have, too */
    atomic_bool backlog; /* many short launches are ready, or behind one that is, and nobody is at work on them */
    bool closing;
    uint32_t asked;              /* how often the machine has asked whether to leave since it began with a launch */
    bool late;                   /* the client that runs the batch has done so for as long as it may */
    bool joined;                 /* launches that the client does not wait for are in the batch that it runs */
    uint64_t batch;              /* serial number of the module that it runs, 0: none */
    uint64_t began;              /* when the machine began to run, 0: it does not (host_ns) */
    atomic_bool news;            /* something has changed since the machine last asked */
    struct ventus_totals totals; /* but for the counters, which are these */
    struct counters counters;
};

struct ventus_device {
    struct ventus_info info;
    struct gpu *gpu;
    atomic_uint uses; /* the handle, each event */
    pthread_mutex_t lock;
    struct heap heap;
    uint64_t *entries;        /* of the page table, one for each page; NULL: addresses are physical */
    uint64_t loaded;          /* serial number of the module in the code window, 0: none */
    ventus_module *variables; /* that module, a use of it, if it has variables to be kept */
    struct segment segments[MAX_SEGMENTS];
    size_t nsegments;
    struct queue queue;
    struct backend *backend; /* that runs launches in place of the machine; NULL: none */
    struct spares events;
    struct debugger *debugger;       /* NULL: none; the first to watch */
    struct quirks *quirks;           /* known faults that it has; NULL: none */
    struct check *check;             /* NULL: off; set before the first allocation */
    bool check_environment;          /* VENTUS_CHECK has asked for it: its summary comes even when nothing was found */
    struct ventus_device *reporting; /* see observe.c */
    struct profile *profile;         /* NULL: off; changes while the machine is idle */
    uint64_t profile_watch;          /* accesses of every so manieth launch of a kernel; 0: of none */
    bool profile_asked;              /* by ventus_profile, not by the environment */
    FILE *check_file;                /* its own output, or NULL */
    struct device_clock *clock;      /* of a cycle model; NULL: the host's */
    struct model *model;             /* one that somebody else has given the machine, for profiles; NULL: none */
    struct timeline_groups *groups;  /* on SMs, for the timeline; NULL: not */
    uint32_t timeline_process;       /* its number in the timeline; 0: there is none */
    char *export_folder;             /* where launches are written to, NULL: nowhere */
    uint32_t exported;               /* how many so far */
    struct piece *export_pieces;     /* memory of the launch that is written and runs, NULL: none */
    size_t nexport_pieces;
    bool warned;                /* of stray accesses that are ignored; the thread of launches */
    pthread_mutex_t print_lock; /* one thread at a time empties a print buffer; outside of `lock` */
};

struct ventus_module {
    uint64_t serial;  /* never reused: tells a module from another at the same address */
    atomic_uint uses; /* the owner, each launch that has not ended */
    void *bytes;      /* the file, ... */
    size_t size;      /* ... so many bytes */
    uint32_t profile; /* enum isa_profile, 0: not said */
    uint32_t entry;
    struct segment segments[MAX_SEGMENTS];
    size_t nsegments;
    uint8_t *variables[MAX_SEGMENTS]; /* of a writable segment: its bytes while it is in no code window, else NULL */
    bool is_draft;                    /* its kernels have no code yet */
    bool has_note;                    /* else its kernels are those of its resource records */
    struct note note;                 /* formats and strings ascending by id */
    struct ventus_kernel *recorded;
};

struct callback {
    struct callback *next; /* of the same state or a later one */
    enum ventus_state state;
    void (*call)(ventus_event *event, void *user);
    void *user;
};

/* That one event waits for another. It lies in the one that waits and is a use of it. */
struct dependency {
    struct dependency *next; /* of the event waited for */
    ventus_event *waiting;
    uint64_t arrow; /* its number in the timeline; 0: none */
    bool any_end;   /* its failure does not matter */
};

enum event_kind { EVENT_LAUNCH, EVENT_CALL, EVENT_MARK, EVENT_GATE };

/* Something queued, from its submission on. What the first part says is under queue.lock; the rest belongs to the
 * submitter until it is in the queue, and then to the thread that runs and ends it. */
struct ventus_event {
    struct event_link link[2];       /* by enum membership */
    bool listed;                     /* ready for its thread */
    bool followed;                   /* another one of its device waits for it */
    enum ventus_status failed;       /* the cause why something that had to succeed did not; VENTUS_OK: all did */
    bool set;                        /* a gate: its end is under way */
    size_t waits_for;                /* events, and one for its own submission */
    uint32_t waiters;                /* threads */
    struct dependency *dependents;   /* who waits for this one */
    struct callback *callbacks;      /* by state, then in order */
    _Atomic enum ventus_state state; /* written under the lock */
    atomic_bool cancel;
    atomic_uint uses; /* the client's, the queue's, one per event that it still waits for */

    enum event_kind kind;
    ventus_device *device;
    uint64_t number;                       /* of the device, ascending from 1 */
    enum ventus_status (*run)(void *user); /* of a call */
    void (*ending)(void *user, const struct ventus_outcome *outcome);
    void *user;
    struct ventus_outcome outcome; /* complete when the state is VENTUS_ENDED */
    char *message;                 /* the outcome's, if it is not a constant; else NULL */

    struct ventus_launch in; /* args is the copy below, and there are no pointers, local_sizes, spaces or gpu */
    bool raw;                /* the client has given the machine's launch: kernel, range and args do not count */
    struct result *result;   /* where the client wants the machine's result; NULL: nowhere */
    struct device_counters *counted; /* ... and what another device has counted */
    uint8_t *args;
    const _Atomic bool *watch; /* the caller's cancel flag or NULL */
    uint64_t began;            /* by the host's clock */
    bool overdue;              /* cancelled for having run too long */
    atomic_int lost;           /* errno of output that could not be written, 0: none was */
    atomic_bool emptied;       /* the host emptied the print buffer while the kernel ran */
    struct job job;
    uint32_t block, pds;             /* device addresses, 0: not allocated */
    uint32_t print_at, print_size;   /* of the print buffer in `block` */
    struct profile_kernel *profiled; /* NULL: not */
    struct launch_names *names;      /* what observers learn about it; NULL: nothing */
    struct timeline_event *timeline; /* for the timeline; NULL: none is wanted */
    struct dependency deps[];        /* what it waits for */
};

/* ---- memory.c ---- */

/* As ventus_alloc and ventus_map, for metadata and arguments of a launch: in the part of the heap where translated code
 * looks at stores (METADATA_WATCHED), if there is room, and nobody has asked for a heap of another kind. */
enum ventus_status memory_alloc_launch(ventus_device *device, uint64_t size, uint32_t *addr, void **host);

/* Frees a block of an ended launch like ventus_free, but may leave its pages open to the guest: the next launch
 * usually gets the same place, and then neither opening nor closing it takes a system call. */
void memory_keep(ventus_device *device, uint32_t addr);
/* The same for what memory_alloc_launch has given. */
void memory_keep_launch(ventus_device *device, uint32_t addr);

/* All of the heap is free. False: out of memory. */
bool memory_open(ventus_device *device, uint64_t end); /* of the heap */

/* Takes away what the process shares with a device that goes, and forgets its blocks: the rest goes with the machine.
 */
void memory_close(ventus_device *device);

/* ---- space.c: the addresses of clients and kernels, which a device with address translation maps ---- */

/* Makes the page table, in the device's machine, if there is to be one. False: the host has no memory. */
bool space_open(ventus_device *device);

/* The root of the page table, for launches. */
uint32_t space_root(void);
/* Bytes of the table, which begins at `entries`, physically at ABI_HEAP_BASE. */
uint64_t space_table_bytes(void);

/* Where the machine has what lies at an address of the heap or the code window. */
uint32_t space_physical(const ventus_device *device, uint32_t addr);

/* Opens and closes the pages of a range, as gpu_mem_open and gpu_mem_close. With the device's lock held. */
bool space_map(ventus_device *device, uint32_t addr, uint64_t size, unsigned access);
void space_unmap(ventus_device *device, uint32_t addr, uint64_t size);
/* The same, but the pages keep their memory and what it holds. */
void space_shut(ventus_device *device, uint32_t addr, uint64_t size);
/* Fills open pages with zeros. */
void space_clear(ventus_device *device, uint32_t addr, uint64_t size);
/* As space_unmap without parting mappings: the host may leave the pages open, which read as zero then. */
void space_discard(ventus_device *device, uint32_t addr, uint64_t size);

/* Host address of a range of open pages, else NULL. */
void *space_host(const ventus_device *device, uint32_t addr, uint64_t size);

/* ---- interrupt.c: Ctrl-C ---- */

/* Does Ctrl-C cancel launches? Sees to it that it does, if VENTUS_INTERRUPT asks for it. */
bool interrupt_begin(void);
/* It has come. */
bool interrupt_came(void);
/* So many launches more are with a machine. */
void interrupt_count(int change);
/* The launch has ended: if it was for Ctrl-C, says where it was, and ends the process. */
void interrupt_end(const ventus_event *event);

/* ---- report.c ---- */

/* The device has something to say when it is closed or the process ends. */
void report_at_end(ventus_device *device);
/* All devices say it now, because the process ends. */
void report_all(void);

void device_check_environment(ventus_device *device);
void device_check_end(ventus_device *device);

/* VENTUS_PROFILE asks for a profile (docs/profiler.md); a launch that begins, and one that has ended. */
void device_profile_environment(ventus_device *device);
void launch_profile(ventus_event *event);
void launch_profiled(ventus_event *event);
/* The host has read or written memory. The caller holds the device's lock. */
void device_profile_host(const ventus_device *device, bool write, uint32_t addr, uint64_t size);
/* There is none any more, and nothing runs. */
void device_profile_forget(ventus_device *device);
/* An empty one. NULL: the host has no memory. */
struct profile *device_profile_new(ventus_device *device);

/* ---- timeline.c ---- */

/* VENTUS_TIMELINE asks for a timeline, in which the device appears. False: none. */
bool device_timeline_environment(ventus_device *device);
/* The event has been submitted; has ended, and all that wait for it are known. With the queue's lock held. */
void timeline_event_submitted(ventus_event *event, size_t ndeps);
void timeline_event_ended(ventus_event *event);
/* The launch has an outcome, and still its module. */
void timeline_launch_ended(ventus_event *event);
/* What has not ended yet is in the timeline as it is; the timeline is closed. */
void device_timeline_end(ventus_device *device);
void timeline_finish(void);

/* ---- observe.c ---- */

void device_debug_environment(ventus_device *device);
void device_debug_end(ventus_device *device);

/* Notifies the observers of the machine, if there are any, of what the host does with a range; that a range has this
 * name and the host has written the first bytes of it. */
void device_notify(const ventus_device *device, enum host_action action, uint32_t addr, uint64_t size);
void device_notify_named(const ventus_device *device, const char *name, uint32_t addr, uint64_t size, uint64_t written);

enum { LAUNCH_ARGS = 128 }; /* where arguments begin in the block of a launch */

/* Collects what observers, if there are any, learn about a launch and its arguments; memory and job.launch are filled
 * in. */
enum ventus_status launch_describe(ventus_event *event, const uint64_t *local_sizes);
/* What observers learn about the launch, NULL: nothing. */
const struct launch_info *launch_info(const ventus_event *event);
/* The blocks have been allocated and filled. */
void launch_notify_memory(const ventus_event *event);

/* ---- export.c ---- */

/* Looks whether the environment asks for files of launches. */
void device_export_environment(ventus_device *device);
/* Writes them, of a launch that is about to run. */
void launch_export(const ventus_event *event);
/* It has ended: writes what it has left in that memory, unless it failed. */
void launch_export_result(const ventus_event *event, bool failed);

/* ---- clock.c ---- */

/* Whether the cycle model that the machine file asks for can be had; else why not. */
bool clock_check(const struct gpu_config *config, char *why, size_t why_size);
/* Makes it, if there is to be one, for the device's machine, in which nothing has run. False: it cannot be had. */
bool clock_open(ventus_device *device, const struct gpu_config *config);
/* Ends the model; the clock stands still from now on. */
void clock_close(ventus_device *device);
/* The time while launches run: that of the model's cycle. On the thread of launches. */
uint64_t clock_of_machine(const ventus_device *device);
/* The cycles of a launch that has ended, and its times by them, when there is a model. */
void launch_clock(ventus_event *event);
/* What the modelled machine can do in a cycle; zeros when there is no model. */
struct profile_roofs clock_roofs(const ventus_device *device);
/* From now on the model says where cycles go, for a profile; no longer. Nothing runs. False: the host has no memory. */
bool clock_account(ventus_device *device);
void clock_account_end(ventus_device *device);

/* ---- module.c ---- */

/* Has its code atomic instructions? */
bool module_has_atomics(const ventus_module *module);

/* Maps the module into the code window unless it is there; the variables of the one that was there are kept for its
 * next time. The machine is idle. */
enum ventus_status module_map(ventus_device *device, const ventus_module *module);
/* Takes the variables of the module in the code window out of the machine's memory, and gives up its use. */
void module_release_variables(ventus_device *device);

/* ---- launch.c: one launch. All but the first on the thread that runs it ---- */

/* Makes a new event one of this launch: copies what it says, checks sizes, fills in the machine's launch as far as it
 * is known without device memory. */
enum ventus_status launch_init(ventus_event *event, const struct ventus_launch *launch);

/* Is there a launch for the machine itself in it? */
bool launch_is_raw(const struct ventus_launch *launch);

/* Allocates and fills metadata, arguments, print buffer and private memory; on failure nothing is held. */
enum ventus_status launch_prepare(ventus_event *event);

/* What the machine has counted, for clients. */
struct ventus_counters launch_counters(const struct counters *c);

/* What the machine's result means. */
enum ventus_status launch_status(const ventus_event *event);

/* Prints what the kernel printed, gives the device memory back and fills in the outcome but for the times. Returns its
 * status: one that has succeeded has not if it was to end before all was printed. */
enum ventus_status launch_finish(ventus_event *event, enum ventus_status status);

/* ---- event.c ---- */

bool queue_init(struct queue *queue);

/* Waits until something has changed or `deadline` (host_ns; UINT64_MAX: for ever) has passed, which is false. With
 * the queue's lock held. */
bool queue_wait(struct queue *queue, uint64_t deadline);
/* The same for another condition. */
bool queue_sleep(struct queue *queue, pthread_cond_t *condition, uint64_t deadline);
uint64_t deadline_of(uint64_t timeout_ns);

/* Has the worker look at what is ready: now; or, for something that has just become ready, soon, unless its work is
 * under way, because whoever does that looks, too. With the lock held. */
void worker_wake(struct worker *worker);
void worker_notice(const struct queue *queue, struct worker *worker);
/* Something has been submitted: when that happens again and again the workers do not nap. With the lock held. */
void queue_proceed(struct queue *queue);
/* Somebody waits who does none of the work: the workers do it, now and the next time. With the lock held. */
void queue_wake(struct queue *queue);
/* Have launches lately been so short that handing them over to another thread does not pay? With the lock held. */
bool queue_has_trifles(const struct queue *queue);

/* Is this the thread of one of the workers; the one that submits? With the lock held. */
bool queue_is_self(const struct queue *queue);
bool queue_is_client(const struct queue *queue);

/* Between the two the machine is idle and the code window may be touched. False: called on the machine's thread,
 * which would wait for itself. */
bool queue_pause(ventus_device *device);
void queue_resume(ventus_device *device);

/* Gives a use of the device back; the last one frees it. */
void device_release(ventus_device *device);

/* Is it a launch that has run for longer than it may? */
bool event_is_overdue(const ventus_event *event);
/* It has, and is to end. Without the lock. */
void event_set_overdue(ventus_event *event);
/* Is a launch that runs to end? Without the lock. */
bool event_is_over(ventus_event *event);

/* The callbacks that are due in the event's state, with the lock held; calls and frees them, without it. */
struct callback *event_callbacks(ventus_event *event);
void event_call(ventus_event *event, struct callback *due);

/* ---- queue.c ---- */

/* It runs; it has ended. */
void event_begin(ventus_event *event);
void event_end(ventus_event *event, enum ventus_status status);

/* What a worker is to look at next, NULL if there is nothing, and whether it is to be run. With the lock held. */
ventus_event *queue_first(struct queue *queue, struct worker *worker, enum ventus_status *verdict);

/* Cancels what is there and ends the threads. */
void queue_close(ventus_device *device);

/* worker.work of calls. */
void call_run(ventus_event *event, enum ventus_status verdict);

/* ---- machine.c ---- */

/* worker.work and worker.held_until of launches. */
void machine_work(ventus_event *event, enum ventus_status verdict);
uint64_t machine_held_until(const struct queue *queue);

/* ---- worker.c ---- */

/* worker.run */
void *worker_run(void *worker);

/* ---- print.c: the print buffer of `size` bytes (isa/abi.h) ---- */

struct printing {
    const ventus_module *module;
    ventus_device *device; /* whose memory has strings that are no literals; NULL: there are none */
    FILE *out;
    bool (*stops)(
        void *user); /* asked for every PRINT_PIECE bytes of output: is the rest not to be printed? NULL: never */
    void *user;
};

enum { PRINT_PIECE = 64 << 10 }; /* bytes of memory, and how much is still printed of what was to stop */

enum printed {
    PRINT_DONE,
    PRINT_STOPPED,
    PRINT_LOST, /* some could not be written: errno says why */
};

/* Prints its records, as they are decoded: text of any length takes no more memory than one piece. */
enum printed print_records(const struct printing *p, const uint8_t *buffer, uint32_t size);
/* The same while the launch runs, and makes room: `full` is where a work-item has found the end. Nothing is done while
 * records are incomplete. What has not been printed in the end is lost. One caller at a time. */
enum printed print_empty(const struct printing *p, uint8_t *buffer, uint32_t size, uint32_t full);

#endif
