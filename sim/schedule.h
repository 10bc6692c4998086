/* A scheduler chooses the warp of an SM that runs next. The machine's can be exchanged.
 *
 * The machine asks it on the host thread of the SM: with several host threads, for several SMs at a time. */
#ifndef VENTUS_SIM_SCHEDULE_H
#define VENTUS_SIM_SCHEDULE_H

#include "sim/warp.h"

struct scheduler {
    void *user;

    /* The next warp to run, of any group in the list `groups` (all that live on SM number `sm`, oldest first; NULL:
     * none), and in *budget, at least 1, for how many instructions at most; it may stop before. The warp must be
     * WARP_READY. When warps only wait, group_wake helps.
     *
     * NULL ends the time slice of the SM: the machine lets waiting warps of all groups go on (group_wake), runs the
     * other SMs of this host thread, places one more group here if it fits, and asks again. A scheduler that wants
     * the SM filled ends its slices until the list no longer grows, and whenever a group has gone. */
    struct warp *(*pick)(void *user, uint32_t sm, struct group *groups, uint64_t *budget);

    /* A group is about to leave the SM; it is still in the list. May be NULL. */
    void (*removed)(void *user, uint32_t sm, const struct group *group);

    /* The warps behind the picked one in its group follow it, those that are ready when it is their time, each with the
     * same budget; `pick` is asked again behind the last of them, and when the group is about to leave. */
    bool rounds;

    /* Quanta end late: when their instructions are used up, behind the next branch, jump or join that goes back, at
     * the latest behind a million instructions. Between these, translated code does not stop: of a long loop, or of a
     * routine of some hundred instructions, `step` would execute what is left. */
    bool late;

    /* The group that `pick` has given is given again, from its first warp on and with the same budget, when all its
     * warps have come to a barrier and the group has executed fewer instructions than this. NULL: nobody knows before
     * `pick` is asked. */
    uint64_t (*keeps)(void *user, uint32_t sm);
};

/* Gives the machine, in which no launch runs, another scheduler; NULL: the default one. It copies only *scheduler. */
void gpu_schedule(struct gpu *gpu, const struct scheduler *scheduler);

/* ---- for schedulers ---- */

/* Lets those warps of the group go on whose wait is over: at a barrier when no warp of the group is on its way
 * there any more, for copies (cp_dma_mbarrier) when the four warps that belong together wait. An early or
 * repeated call does no harm. */
void group_wake(struct group *group);

/* ---- schedule.c: the default ---- */

/* In a time slice of the SM every group runs, oldest first, for a good number of quanta: its warps one after another,
 * each until it stops or for `quantum` instructions. NULL: the host has no memory. */
struct rotation *rotation_new(uint32_t sms, uint64_t quantum);
void rotation_free(struct rotation *rotation);
struct scheduler rotation_scheduler(struct rotation *rotation);

#endif
