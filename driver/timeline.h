/* The timeline of a process, for ui.perfetto.dev: what was queued, when it ran and what it waited for, what the threads
 * of the host did meanwhile (docs/profiler.md). VENTUS_TIMELINE names its file. Without it each function here returns
 * after one look at a flag. The lock of the file is taken last and held for one event.
 *
 * Times are those of a device's clock: the host's, or with a cycle model that of the model. */
#ifndef VENTUS_DRIVER_TIMELINE_H
#define VENTUS_DRIVER_TIMELINE_H

#include "driver/ventus.h"

/* Is one wanted? */
bool timeline_on(void);

/* Something that a slice carries. Lists end with {0}. */
struct timeline_fact {
    const char *name; /* as in JSON, static */
    const char *text; /* NULL: the number */
    uint64_t number;
};

/* ---- what threads of the host do: slices within slices, each ended by the thread that has begun it ---- */

/* `device` is whose clock it goes by. `thread` names the thread's row, NULL: by its number. */
void timeline_begin(const ventus_device *device, const char *name, const char *thread);
/* The facts (NULL: none) go to the slice that ends. */
void timeline_end(const ventus_device *device, const struct timeline_fact *facts);

/* ---- what is queued ---- */

/* What a client says of the next thing that this thread submits. */
struct timeline_label {
    const char *what; /* static; of launches the kernel's name is taken */
    uint32_t queue;   /* its number from 1 on, in the process; 0: none */
    bool in_order;
    uint64_t queued; /* ventus_clock */
    uint64_t bytes;  /* that it moves; 0: not said */
};
/* It is copied; NULL: nothing, after all. */
void timeline_label(const struct timeline_label *label);

/* ---- timeline_file.c, for timeline.c ---- */

/* Which row of the trace, in a process of it. What overlaps in one goes into further rows with its name. */
enum timeline_kind { ROW_THREAD, ROW_QUEUE, ROW_USER, ROW_OTHER, ROW_SM };

struct timeline_slice {
    const char *name;
    uint32_t process;
    enum timeline_kind kind;
    uint32_t number; /* of the row among those of its kind */
    char title[48];  /* of the row */
    uint64_t begin, end;
};

/* Numbers of two processes of the trace, which get these names: the returned one and the next (NULL: it has no rows).
 * 0: there is no timeline. */
uint32_t timeline_processes(const char *name, const char *next);

/* Between these two the calling thread alone writes. False: there is no timeline (any more). */
bool timeline_enter(void);
void timeline_leave(void);
/* With that: a slice, whose row is returned; the beginning (`out`) and end of the arrow with this number, which have to
 * follow the slice that they are of. */
uint32_t timeline_slice(const struct timeline_slice *slice, const struct timeline_fact *facts);
void timeline_arrow(const struct timeline_slice *slice, uint32_t row, uint64_t arrow, bool out);
/* From `from` to the slice's begin it has waited. */
void timeline_wait(const struct timeline_slice *slice, uint32_t row, uint64_t from);
/* A new arrow that begins at the slice that this thread is in, at `time`; 0: it is in none, or has gone by a later
 * clock. */
uint64_t timeline_arrow_here(uint64_t time);
/* A new number for an arrow. */
uint64_t timeline_new_arrow(void);
/* What this thread has said of its next submission; false: nothing. */
bool timeline_take_label(struct timeline_label *label);

#endif
