/* What the files of driver/ share: the device, its allocations and its launches.
 *
 * Locks of a device: `lock` guards the table of allocations and the segments, and is held for the time of a
 * copy; `queue.lock` guards the launches and is held briefly. Nobody takes one while holding the other, and
 * none is held while a callback or the machine runs. The module in the code window changes only while the
 * machine is idle: on the device's thread between two runs of it, or by a visitor (queue.c).
 * POSIX threads rather than C11's: the thread sanitizer knows only them. */
#ifndef VENTUS_DRIVER_H
#define VENTUS_DRIVER_H

#include <pthread.h>
#include <stdatomic.h>

#include "asm/asm.h"
#include "asm/note.h"
#include "driver/host.h"
#include "driver/ventus.h"
#include "isa/abi.h"
#include "sim/check/check.h"

struct block {
    uint32_t addr;
    uint64_t size;
}; /* size as asked for; ends on a page */

enum { MAX_SEGMENTS = 16 };

/* A piece of a program at its place in the code window. */
struct segment {
    uint32_t addr;
    uint32_t filesize, memsize;
    unsigned access; /* enum gpu_access */
    const uint8_t *data;
};

struct heap {
    struct block *blocks; /* ascending */
    size_t nblocks, capacity;
    size_t full;    /* the first `full` blocks lie side by side from the base on */
    unsigned flags; /* enum ventus_heap_flags */
    uint64_t next;  /* VENTUS_HEAP_ASCENDING: first address never given out */
};

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t wake;         /* the device's thread: there is something to look at */
    pthread_cond_t changed;      /* everybody who waits: a launch has ended, the machine is idle */
    ventus_event *first, **last; /* launches that have not ended, in order of submission */
    uint64_t submitted;          /* launches so far, the number of the latest */
    uint32_t running;            /* launches with the machine */
    uint32_t watched;            /* of them with a cancel flag of the caller's */
    uint32_t visitors;           /* who wants the machine idle */
    bool busy;                   /* the machine runs */
    bool lost;                   /* there may be launches that will never run */
    bool started, closing;
    pthread_t thread;
    uint64_t batch;   /* serial number of the module that it runs, 0: none */
    uint64_t began;   /* when it became busy */
    atomic_bool news; /* something has changed since the thread last looked */
    struct ventus_totals totals;
};

struct ventus_device {
    struct gpu *gpu;
    atomic_uint uses; /* the handle, each event, each callback of queue.c under way */
    pthread_mutex_t lock;
    struct heap heap;
    uint64_t loaded; /* serial number of the module in the code window, 0: none */
    struct segment segments[MAX_SEGMENTS];
    size_t nsegments;
    struct queue queue;
    struct check *check; /* NULL: off; set before the first allocation */
    FILE *check_file;    /* its own output, or NULL */
};

struct ventus_module {
    uint64_t serial;  /* never reused: tells a module from another at the same address */
    atomic_uint uses; /* the owner, each launch that has not ended */
    void *bytes;      /* the file */
    uint32_t entry;
    struct segment segments[MAX_SEGMENTS];
    size_t nsegments;
    bool has_note;    /* else its kernels are those of its resource records */
    struct note note; /* formats and strings ascending by id */
    struct ventus_kernel *recorded;
};

struct callback {
    struct callback *next;
    void (*call)(ventus_event *event, void *user);
    void *user;
};

/* A launch, from its submission on. Everything but `state`, `cancel`, `uses` and `callbacks` belongs to the
 * submitter until it is in the queue, and to the device's thread from then on. */
struct ventus_event {
    atomic_uint uses; /* the client's, the queue's, one per launch that depends on it */
    ventus_device *device;
    ventus_event *next;              /* in the queue */
    uint64_t number;                 /* of the device, ascending from 1 */
    _Atomic enum ventus_state state; /* written under queue.lock */
    atomic_bool cancel;
    struct callback *callbacks;    /* in order; under queue.lock */
    struct ventus_outcome outcome; /* complete when the state is VENTUS_ENDED */
    ventus_event **deps;           /* with a use of each until the end */
    size_t ndeps;
    struct ventus_launch in; /* args and local_sizes are copies in `memory` */
    void *memory;
    const _Atomic bool *watch; /* the caller's cancel flag or NULL */
    struct job job;
    uint32_t block, pds;           /* device addresses, 0: not allocated */
    uint32_t print_at, print_size; /* of the print buffer in `block` */
    struct launch_names *names;    /* what observers are told; NULL: nothing */
};

/* ---- device.c ---- */

/* Gives a use of the device back; the last one frees it. */
void device_unuse(ventus_device *device);

/* ---- observe.c ---- */

void device_check_environment(ventus_device *device);
void device_check_end(ventus_device *device);

/* Tells the observers of the machine, if there are any, what the host does with a range; that a range has this name
 * and the host has written the first bytes of it. */
void device_tell(const ventus_device *device, enum host_action action, uint32_t addr, uint64_t size);
void device_tell_named(const ventus_device *device, const char *name, uint32_t addr, uint64_t size, uint64_t written);

enum { LAUNCH_ARGS = 128 }; /* where arguments begin in the block of a launch */

/* Keeps the names of arguments if somebody observes the launch; memory and job.launch are filled in. */
enum ventus_status launch_name(ventus_event *event, const uint64_t *local_sizes);
/* What observers are told of the launch, NULL: nothing. */
const struct launch_info *launch_info(const ventus_event *event);
/* The blocks have been allocated and filled. */
void launch_tell_memory(const ventus_event *event);

/* ---- module.c ---- */

/* Puts the module into the code window unless it is there. The machine is idle. */
enum ventus_status module_place(ventus_device *device, const ventus_module *module);

/* ---- launch.c: one launch. All but the first on the device's thread ---- */

/* Takes over what the launch says: copies, checks sizes, fills in the machine's launch as far as it is known
 * without device memory. */
enum ventus_status launch_take(ventus_event *event, const struct ventus_launch *launch);

/* Allocates and fills metadata, arguments, print buffer and private memory; on failure nothing is held. */
enum ventus_status launch_prepare(ventus_event *event);

/* What the machine's result means. */
enum ventus_status launch_status(const ventus_event *event);

/* Prints what the kernel printed, gives the device memory back and fills in the outcome but for the times. */
void launch_finish(ventus_event *event, enum ventus_status status);

/* ---- event.c ---- */

void event_unuse(ventus_event *event);

/* Waits on `cond` of the queue, whose lock is held, until its next signal or `deadline` (host_ns; UINT64_MAX:
 * for ever). False: the deadline has passed. */
bool queue_wait(struct queue *queue, pthread_cond_t *cond, uint64_t deadline);
uint64_t deadline_of(uint64_t timeout_ns);

/* ---- queue.c ---- */

bool queue_init(struct queue *queue);
void queue_destroy(struct queue *queue);
/* Cancels what is there and ends the thread. */
void queue_close(ventus_device *device);
/* Tells the device's thread to look at all launches again. */
void queue_poke(ventus_device *device);
/* Is this the device's thread? With the lock held. */
bool queue_is_self(const struct queue *queue);

/* Between the two the machine is idle and the code window may be touched. False: called on the device's
 * thread, which would wait for itself. */
bool queue_visit(ventus_device *device);
void queue_leave(ventus_device *device);

/* print.c: decodes the print buffer of `size` bytes and writes its records to `out`. */
void print_records(const ventus_module *module, const uint8_t *buffer, uint32_t size, FILE *out);

#endif
