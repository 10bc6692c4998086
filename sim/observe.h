/* Watching launches and stopping them. docs/observers.md is the introduction.
 *
 * An observer is a set of hooks, any of which may be NULL. It watches one launch (launch_options.observers) or all
 * launches of a machine (gpu_observe). Where there are several, each hook is called for one after another, those of
 * the machine first, in the order of their lists. What the hooks get is described in sim/warp.h; only `before` may
 * change it, by the functions there, and `result` the registers. An observed launch runs in the engine that calls
 * hooks, which is slower, and on one host thread, from which all hooks but `host` are called. The host's rounding mode
 * then is that of some warp. */
#ifndef VENTUS_SIM_OBSERVE_H
#define VENTUS_SIM_OBSERVE_H

#include "sim/launch.h"
#include "sim/warp.h"

enum observed { GO_ON, STOP, HOLD, FAIL };

struct host_event;

struct observer {
    const struct observer *next; /* of the same list; an observer is in one list at a time */
    void *user;

    /* A launch begins, and has ended with a result. */
    void (*launch_begin)(void *user, const struct launch *launch, const struct launch_info *info);
    void (*launch_end)(void *user, const struct launch *launch, const struct result *result);
    /* Behind launch_end. True: the launch begins again (launch_begin is next), whatever its result was, and who has
     * submitted it hears of the last end alone. What it has done to memory is this observer's to undo. */
    bool (*again)(void *user);

    /* A work-group has been placed on an SM, its warps have not yet started; it has ended, or is given up. */
    void (*group_begin)(void *user, const struct group *group);
    void (*group_end)(void *user, const struct group *group);

    /* The instruction at warp->pc is about to be executed, has not been counted, and has changed nothing. STOP ends the
     * launch here, with LAUNCH_STOPPED. HOLD ends the quantum of the warp, which stays where it is: the scheduler is
     * asked which one is next (the default one may give it the next quantum). FAIL ends the launch with the fault that
     * warp_fail has been given. The hook may take its time (everything
     * waits for it) and may change the state of warps and memory. When it has changed the warp's pc, or code, the
     * instruction is not executed: the warp goes on at its pc, and what is there is announced. Observers further down
     * the list are not asked about an instruction that an earlier one has stopped, held, failed or led away from. */
    enum observed (*before)(void *user, struct warp *warp, const struct insn *insn);
    /* An access to guest memory by the instruction at warp->pc is about to happen; it may make several. */
    void (*access)(void *user, const struct warp *warp, const struct insn *insn, const struct access *access);
    /* An observer, maybe this one, is about to change guest memory (warp_set_memory), and calls from its thread. */
    void (*change)(void *user, const struct warp *warp, uint64_t addr, uint32_t size);
    /* The instruction at `pc` has been executed; warp->pc is the next one's. What the hook leaves in the warp's
     * registers is the instruction's result: all observers' `after` is called when all `result` have been. */
    void (*result)(void *user, struct warp *warp, uint32_t pc, const struct insn *insn);
    /* The instruction at `pc` has been executed; warp->pc is the next one's. */
    void (*after)(void *user, const struct warp *warp, uint32_t pc, const struct insn *insn);
    /* The warps of a group that waited at a barrier may go on. */
    void (*released)(void *user, const struct group *group);

    /* The instruction at warp->pc has failed: the launch ends. Registers and memory of all its work-groups are still
     * as they were then. */
    void (*fault)(void *user, const struct warp *warp, const struct fault *fault);

    /* Another observer has found a mistake of the program (observe_mistake): `text`, one or more lines, each ended.
     * Those `lanes` have made it, with the instruction at `pc`, which `warp` is about to execute or has begun to; or,
     * when warp->pc is another address, with the barrier at `pc` that the warp's group has just passed. The launch goes
     * on. Here, too, the hook may take its time; of an instruction that has begun it may change registers x and v, and
     * data. */
    void (*mistake)(void *user, const struct warp *warp, uint32_t lanes, uint32_t pc, const char *text);

    /* The host does something with memory (observers of a machine only). From any thread, at any time; the memory
     * must not be asked for in here. */
    void (*host)(void *user, const struct host_event *event);

    /* The observer reads fflags, vxsat or `raised` of warps: they are computed, which takes its time, even if the
     * program does not read them. */
    bool flags;
    /* Observers of a machine: how many launches at a time they can tell apart. 0 counts as 1. */
    uint32_t launches;
};

/* ---- what the host does with memory ---- */

enum host_action {
    HOST_OPEN,  /* kernels may use the range from now on; nobody has written it. Overlapping ranges are replaced */
    HOST_CLOSE, /* they no longer may */
    HOST_WRITE, /* the host is about to write the range, or is given its address and may do so from now on */
    HOST_COPY,  /* the host is about to copy `size` bytes from `from`; the ranges may overlap */
    HOST_READ,  /* the host has read the range */
};

struct host_event {
    enum host_action action;
    uint32_t addr;
    uint64_t size;
    uint32_t from;    /* HOST_COPY */
    const char *name; /* HOST_OPEN: what the range is called; NULL: a buffer */
};

/* ---- what a launch calls its memory and code ---- */

/* A range with a name: of local memory, counted from its base, or what a pointer argument points to (size 0). */
struct named_range {
    uint32_t at;
    uint64_t size;
    const char *name;
};

/* Everything may be missing. Valid from launch_begin to launch_end. */
struct launch_info {
    const char *kernel;              /* NULL: not known */
    uint32_t stack_bytes;            /* of each warp, at the beginning of local memory; 0: not known */
    const struct named_range *parts; /* of local memory behind the stacks; NULL: not known */
    size_t nparts;
    const struct named_range *pointers; /* what the arguments point to */
    size_t npointers;
    bool local_set;                                  /* the program may rely on local memory being zero at first */
    bool open_memory;                                /* below the heap, it may use all that the machine has open */
    uint32_t (*line)(const void *user, uint32_t pc); /* source line or 0; may be NULL */
    /* The text of that line, `*size` bytes; NULL: not known. May be NULL. */
    const char *(*text)(const void *user, uint32_t pc, size_t *size);
    const void *user;
    const void *elf; /* the program as an ELF file of so many bytes; NULL: not known */
    size_t elf_size;
    uint64_t elf_serial; /* tells it from others, also from one at the same address before */
};

/* ---- observe.c: observers of a machine ---- */

/* Lets `observer` watch everything that the machine, in which no launch runs, does from now on. It must stay until
 * nobody does more with the machine than destroy it. */
void gpu_observe(struct gpu *gpu, struct observer *observer);

/* Returns how many launches may run at a time so that the machine's observers can tell them apart; whoever gives it
 * jobs runs no more. UINT32_MAX: any number. */
uint32_t gpu_most_launches(const struct gpu *gpu);

/* Whether somebody watches the machine. */
bool gpu_observed(const struct gpu *gpu);

/* For observers, from a hook that has got `warp` or its group, and with no lock held: tells all that watch the launch
 * of a mistake (struct observer). */
void observe_mistake(const struct warp *warp, uint32_t lanes, uint32_t pc, const char *text);

/* Tells the observers of the machine what the host does: whoever gives kernels memory calls this. Does nothing
 * when there are none. */
void gpu_tell(const struct gpu *gpu, const struct host_event *event);

#endif
