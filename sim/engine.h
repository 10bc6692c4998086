/* Engines: what executes the instructions of warps. There is one list of them, from which a machine file, the command
 * line, `ventus info` and the tests know their names. An engine gets a warp and an instruction budget, executes the
 * warp's instructions, and says why it stopped. Everything else (work-groups, barriers, schedules, faults) is the
 * machine's.
 *
 * The contract of engine_build.run(sm, w, budget), for whoever writes an engine:
 *
 * Who calls. group.c, on the host thread that runs the SM; other SMs may be in the same function on other threads. A
 * warp may be given to another engine the next time, so between two calls all its state is in *w and in memory.
 *
 * At entry. sm->warp is w, w->state is WARP_READY, w->pc is the next instruction's address, which may be any number.
 * The host's rounding mode is unknown: round_set(w->frm) makes it the warp's, which lanes.c and csr.c expect.
 *
 * Budget. At least 1. After so many instructions the engine returns STOP_QUANTUM; earlier is always allowed. Later is
 * allowed by a bounded number of instructions, at the price that warps alternate at other places than with `step`; but
 * a budget of 1 is exactly one instruction. fence.i ends the run, so that what the warp has written is fetched.
 *
 * Each instruction. Whenever somebody outside may look (an access, a fault, a call of a machine function, the end):
 *   - w->pc is the instruction's own address, its prefix's if it has one, and w->x[0] is 0;
 *   - it is counted in w->group->counters.instructions, and by its kind in the other counters, as `step` counts it;
 *   - w->active, nactive and expand follow from w->mask and w->vl: change these by warp_set_mask, simt.c and csr.c.
 * Registers change when nothing can fail any more. Flags (fflags, vxsat) accrue where w->group->flags says so; where
 * not, nobody looks at them. Registers that the launch has not asked for (decoded.vregs, xregs) are a fault.
 *
 * Accesses. Guest address a is sm->mem + a, without a check: the host's memory protection refuses what is not open.
 * Before the first byte moves sm->access says which lanes access what (all of it but `high` and `atomic`, which are for
 * observers), and the compiler must not move the access before that: access.h does it. After a store
 * sm->reservations->count, if not 0, asks for end_reservations_of_access. memory_run executes any access at all,
 * slowly.
 *
 * Faults. fault_raise and its sisters fill in sm->fault; the engine returns STOP_FAULT with w->pc still at the
 * instruction. A refused access jumps from the signal handler to group.c, and so does fault_throw in the functions of
 * access.c, dma.c and csr.c: whatever the engine has on its stack is gone, so it may hold no lock and no allocation
 * there, and what it knows must be in *w, *sm or memory. Stores of lanes before the refused one may have happened. What
 * it has to put right in *w and *sm before anybody looks is done by its function `jumped`.
 *
 * Blank warps. A warp that has just been made is blank when the engine says that it takes such warps: all its registers
 * are 0, but neither w->x nor the rows of w->v have been written. warp_clear writes them; whoever gives a blank warp
 * back without its having ended has done so, or stored every register. Other engines never see one.
 *
 * Vector types. Elements are words until the warp asks for another width (csr_set_vl; only on the documents' machines).
 * An engine that does not know them ends its run there with STOP_QUANTUM, as `step` does, so that warps alternate
 * alike, and gives warps whose vtype is not vtype_is_words to `step` as engine_choose finds it for NEEDS_HOOKS.
 *
 * At the end. STOP_QUANTUM: w->pc is the next instruction. STOP_BARRIER, STOP_END: w->pc too, and w->state is
 * WARP_WAITING or WARP_WAITING_DMA, or WARP_ENDED. STOP_FAULT: see above. STOP_OBSERVER: as observe_before says.
 *
 * The next warp. An engine may go on with other warps of the launch before it returns: instead of returning a reason it
 * gives it to slice_next, which says which warp is next; everything said here holds for it, with the budget sm->budget.
 * When there is none the engine returns STOP_NEXT.
 *
 * Launches that need more than that: see enum launch_need. An engine says which of them it can run; the others run with
 * `step`, which can run all. */
#ifndef VENTUS_SIM_ENGINE_H
#define VENTUS_SIM_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpu;
struct sm;
struct warp;

/* Why an engine gives a warp back; STOP_NOT is for its own use. */
enum stop { STOP_NOT, STOP_QUANTUM, STOP_TURN, STOP_BARRIER, STOP_END, STOP_FAULT, STOP_OBSERVER, STOP_NEXT };

/* What a launch may need of an engine. */
enum launch_need {
    NEEDS_HOOKS = 1,   /* observers: observe_before, observe_access and observe_after are called for each instruction */
    NEEDS_FLAGS = 2,   /* fflags and vxsat accrue, w->raised says what the last instruction raised */
    NEEDS_SV39 = 4,    /* code and data are at virtual addresses: fetch_translated, memory_run */
    NEEDS_COUNTS = 16, /* sm->counts is kept: sim/counts.h */
    NEEDS_CHECKS = 8,  /* no access may be tried out: each is memory_run's, which ignores stray ones */
};

typedef enum stop engine_run(struct sm *sm, struct warp *w, uint64_t budget);

/* An engine as compiled for some hosts and some launches. */
struct engine_build {
    const char *name;
    bool (*usable)(void); /* can this host run it? NULL: every host can */
    unsigned offers;      /* enum launch_need */
    engine_run *run;
    bool takes_blank; /* warps whose registers have not been cleared; see above */
    /* Sets group.local_from and local_end to where warps write to local memory, or might; with an end behind all of it
     * they may write anywhere. For other engines that is so. */
    bool says_local;
    /* NULL, or: sm->warp has been left by a jump, because an access was refused or by fault_throw. True: it was one
     * that the engine has only tried; sm->warp is as before, and is to run again. */
    bool (*jumped)(struct sm *sm, bool refused);
};

struct engine {
    const char *name;
    const char *text;                  /* what it is, in a few words */
    const struct engine_build *builds; /* the fastest first; behind the last one `run` is NULL */
    /* For an engine that keeps something for each machine, such as translations: makes it (gpu->engine_data; NULL: the
     * host has no memory), and frees it. Both NULL: it does not. What is made of code is out of date when
     * gpu->code_version, read when `run` is called, is not what it was. */
    void *(*open)(struct gpu *gpu);
    void (*close)(void *data);
    /* Adds what it holds back of counts to those of its launches (sim/counts.h). NULL: it holds nothing back. */
    void (*settle)(void *data);
};

/* All engines, the best first; `step`, which can run every launch, is the last. ENGINE(x) is engine_x, in a file of its
 * own. */
#define ENGINES(ENGINE) ENGINE(native) ENGINE(step)

#define DECLARE(name) extern const struct engine engine_##name;
ENGINES(DECLARE)
#undef DECLARE

/* The same as a list, ended by NULL. */
extern const struct engine *const engines[];

/* Looks an engine up by name. "auto" is NULL, the first that this host can run. False: there is none of this name. */
bool engine_find(const char *name, const struct engine **engine);

/* The names that engine_find knows, with commas; returns the length as snprintf does. */
int engine_names(char *text, size_t size);

/* Can this host run it? */
bool engine_usable(const struct engine *engine);

/* What runs a launch that needs these (enum launch_need): the engine's first build that this host can run and that
 * offers them all, or one of `step`. */
const struct engine_build *engine_choose(const struct engine *engine, unsigned needs);

/* The engine that the environment variable VENTUS_ENGINE names, for machines whose configuration names none; *engine is
 * NULL without it and for "auto". False: there is no engine of that name. */
bool engine_of_environment(const struct engine **engine);

/* Makes `engine` (NULL: the best) that of a machine in which nothing runs. False: the host has no memory; the machine
 * keeps the one it had. */
bool engine_use(struct gpu *gpu, const struct engine *engine);

/* Frees what the machine's engine keeps for it; the machine has no engine afterwards. */
void engine_leave(struct gpu *gpu);

#endif
