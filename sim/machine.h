/* What the files of sim/ share: the machine, its decoded code and the functions between them.
 *
 * Everything of a running work-group lives in struct sm and struct group, which survive the long jump out
 * of a faulting access. A host thread runs one SM at a time; an SM belongs to one host thread. */
#ifndef VENTUS_SIM_MACHINE_H
#define VENTUS_SIM_MACHINE_H

#include <setjmp.h>
#include <signal.h>
#include <pthread.h>

#include "isa/abi.h"
#include "sim/engine.h"
#include "isa/effects.h"
#include "sim/counts.h"
#include "sim/eval.h"
#include "sim/mstatus.h"
#include "sim/observe.h"
#include "sim/schedule.h"
#include "sim/warp.h"

/* ---- mem.c ---- */

enum {
    PAGE_BITS = 12,
    PAGES = 1 << (32 - PAGE_BITS),
    MANY_BITS = 10, /* of the number of pages that are looked at together: a byte for 4 MiB, 1 KiB in all */
    PAGE_WORDS = 1 << (PAGE_BITS - 2),
};
#define MEM_SPAN  (1ull << 32)
#define MEM_GUARD (1ull << 16) /* closed pages on both sides of the window */

/* Are all bytes of [addr, addr + size) open for `access`? */
bool mem_allows(const struct gpu *gpu, uint32_t addr, uint64_t size, unsigned access);

/* ---- code.c: decoded instructions ---- */

/* What the engine does with an instruction: the operation itself, or one of these. */
enum dispatch {
    DISPATCH_EXACT = OP_COUNT,
    DISPATCH_BRANCH,
    DISPATCH_VBRANCH,
    DISPATCH_FLAT,
    DISPATCH_ELEMENTS, /* never decoded: what elements.h says of it */
    DISPATCH_MEMORY,
    DISPATCH_REFUSED,
    DISPATCH_COUNT
};

struct decoded {
    struct insn in;
    uint16_t vregs; /* vector registers the instruction needs: highest number + 1 */
    uint16_t xregs;
    uint16_t dispatch;                /* enum dispatch, or in.op */
    uint8_t vectors : 4, scalars : 4; /* bit r: the operand of enum operand_role r is a register of this kind */
    uint8_t pairs : 4;                /* bit r: and a pair */
    uint8_t extend : 1;               /* operands that are no pairs are sign-extended to 64 bits */
    uint8_t narrow : 2;               /* elements are of 32 >> narrow bits, and pairs of twice as many in a register */
};

struct code_page {
    struct code_page *next;
    uint32_t number;
    struct decoded insns[PAGE_WORDS];
};

/* Returns the decoded page that holds pc; NULL: it is not executable, or the host is out of memory. Valid until the
 * SM's next call, even when the code is dropped meanwhile. */
const struct code_page *code_page(struct sm *sm, uint32_t pc);

/* Reads the words that can be executed from pc on, at most ISA_MAX_WORDS, and returns how many. */
size_t code_words(const struct gpu *gpu, uint32_t pc, uint32_t words[ISA_MAX_WORDS]);

/* Decodes the instruction at pc for observers: its page does not become the SM's. False: it cannot be executed. */
bool code_look(const struct gpu *gpu, uint32_t pc, struct insn *in);

/* Decodes what begins at words[0] (ISA_MAX_WORDS or fewer words): as in a page, but alone. */
void code_decode(const struct gpu *gpu, const uint32_t *words, size_t nwords, struct decoded *d);

/* Does r2025 decide by the address of each lane whether the access is one of flat or of private memory? */
bool code_is_flat(enum isa_profile profile, const struct insn *in);

/* Returns why an instruction that could be decoded cannot be executed; NULL: it can. */
const char *code_refusal(const struct decoded *d);

/* What there is in the code of open pages. */
struct code_traits {
    bool reads_flags, has_routines;
};

/* Does the code of an open page read (or write) fflags or vxsat? If not, nobody can see flags accrue. */
bool code_reads_flags(struct gpu *gpu);
/* This, and whether it has routines that stand for an operation (isa/routine.h). */
struct code_traits code_traits(struct gpu *gpu);
/* Has the instruction at pc, behind which the warp is at `to`, been a branch, jump or join that went back? */
bool code_went_back(const struct gpu *gpu, uint32_t pc, uint32_t to);

/* Forgets what has been decoded. Pages that an SM is in are freed later: at most one for each SM waits for that. */
void code_drop(struct gpu *gpu);

/* No SM is in a page any more: nothing runs. */
void code_leave(struct gpu *gpu);

/* ---- the machine ---- */

/* How running ended: the time slice is over, or something became of the group that ran (sm->group). */
enum slice_end { SLICE_OVER, SLICE_ENDED, SLICE_FAULT, SLICE_CANCELLED, SLICE_STOPPED };

/* Where a work-group lives on its SM. */
struct slot {
    struct group group;
    struct run *run;                   /* its launch, see dispatch.c: ... */
    const struct engine_build *engine; /* ... how its instructions are executed, */
    const _Atomic uint32_t *limit;     /* ... and that groups from this number on are abandoned */
    struct warp *warps;                /* room for nwarps and nrows, kept from group to group */
    size_t nwarps;
    uint32_t (*rows)[ISA_LANES];
    size_t nrows;
    struct ray_table *ray_tables; /* one of each warp, NULL until one is used */
    uint32_t lds_base;            /* its window of local memory ... */
    uint64_t lds_open;            /* ... and how much of it is open */
    uint32_t pds;                 /* which area of its launch's private memory it uses */
    uint64_t since;               /* host_ns: when its first group was placed; 0: there is one worker, nobody asks */
    bool used;
};

/* A page that has been translated, with enum gpu_access bits; 0: no page. */
struct tlb_entry {
    uint64_t page;
    uint32_t frame;
    uint8_t access;
};
enum { TLB_BITS = 6, TLB_ENTRIES = 1 << TLB_BITS }; /* 1 KiB an SM; how many are enough is a guess */

/* Groups of one launch that an SM has claimed, so that it need not ask for each of them (dispatch.c). Other SMs may
 * take those of `left` from its end; its lower half is the first one, its upper half the end. Within a time slice the
 * SM has taken some that it has not begun yet, next to until - 1, in front of these. */
struct claim {
    struct run *run;
    _Atomic uint64_t left;
    uint32_t next, until;
    uint32_t batch;    /* how many are taken out of `left` at a time */
    uint32_t size;     /* how many to claim the next time */
    uint64_t measured; /* number of the launch whose groups have told that */
    uint32_t ended;    /* groups of it, not yet reported to the launch */
    bool advanced;     /* since it was last looked at, a group of it has taken the place of one that had ended */
};

/* Reservations of lr.w that may be valid: how many and, if they are counted, of which words (reserve.h). */
enum { RESERVATION_PLACES = 1024 }; /* 4 KiB an SM: a guess */
struct reservations {
    uint32_t count;
    bool counted;
    uint32_t of[RESERVATION_PLACES];
};

struct sm {
    /* what the engine touches all the time */
    uint8_t *mem; /* guest address 0 */
    struct access access;
    struct reservations *reservations; /* that a store of this SM may end: own_reservations, or the machine's */
    struct gpu *gpu;
    struct warp *warp;            /* the warp that runs */
    const struct insn *insn;      /* its instruction, in the hooked engine */
    const struct code_page *page; /* the page it may be in; atomic, read by code_drop of other threads */

    struct counts *counts; /* of the launch that runs; NULL: it has none */
    enum path_order order;
    struct fault fault;
    sigjmp_buf *jump; /* where a bad access goes, see recover_guard */
    uint64_t look;    /* when to look for foreign handlers again, see recover_look */

    uint32_t index;
    struct group *groups;                        /* resident, oldest first */
    struct group *group;                         /* the one that runs */
    const struct engine_build *engine;           /* of its launch */
    struct warp *follow, *follow_end;            /* the rest of a round, see struct scheduler */
    uint64_t keeps;                              /* see struct scheduler; 0: nobody knows */
    struct warp *picked;                         /* what runs next; NULL: the slice is over, ... */
    enum slice_end slice_end;                    /* ... for this reason */
    uint64_t budget;                             /* instructions that `picked` may execute, at most */
    uint64_t late_budget;                        /* of the quantum that `picked` ends late; 0: it ends none */
    uint32_t late_pc;                            /* of the one instruction that it executes then */
    uint32_t late_left;                          /* how many more of them there may be */
    enum slice_end (*next_group)(struct sm *sm); /* see slice_run */
    struct slot *slots;                          /* config.groups_per_sm of them */
    uint32_t warps_used, vgprs_used, sgprs_used, lds_used, slots_used;

    uint32_t access_high[ISA_LANES]; /* of `access` */
    struct claim claim;
    struct tlb_entry tlb[TLB_ENTRIES];
    uint32_t tlb_root;     /* whose translations they are */
    struct decoded across; /* the instruction at the end of a page, see fetch.c */
    struct reservations own_reservations;
};

struct gpu {
    struct gpu_config config;
    uint8_t *mem;                              /* guest address 0 */
    uint8_t *pages;                            /* enum gpu_access bits of each page */
    uint8_t been_writable[PAGES >> MANY_BITS]; /* of so many pages: has one of them ever been open for writing? */
    bool been_shared;                          /* has one of all of them ever been shared with the host? */
    uint32_t code_first, code_end;             /* all pages that may be executed, or once might, are between these */
    struct code_page **code;                   /* by page number */
    struct code_page *code_list;               /* those in `code` ... */
    struct code_page *code_dropped;            /* ... and those no longer there that some SM was in */
    _Atomic uint32_t code_version;             /* changes with code_drop */
    bool code_known;                           /* somebody has looked at it since code_drop, and seen: */
    struct code_traits code_traits;
    pthread_mutex_t code_lock;
    struct sm *sms;                   /* config.sms of them */
    struct reservations reservations; /* of all SMs, when one host thread runs them all */
    const struct engine *engine;
    bool engine_given;             /* it was named, not found to be the best */
    void *engine_data;             /* what it keeps for this machine */
    uint8_t *stacks;               /* of the host threads that run it, for signals, RECOVER_STACK bytes each */
    uint64_t launches;             /* so far; of one host thread */
    const char *long_kernel;       /* whose last launch took long; the name is compared by address alone */
    struct dispatcher *dispatcher; /* of gpu_run */
    struct run *runs, *finished;   /* jobs that gpu_run has left: at work, and to be given back */
    struct workers *workers;       /* host threads besides the one in gpu_run; NULL: none */
    const struct observer *observers;
    struct scheduler scheduler;
    struct rotation *rotation; /* the state of the default scheduler */
};

/* ---- config.c ---- */

/* Sets how many host threads run a machine whose configuration leaves it open: as many as $VENTUS_THREADS says, or
 * one for each processor if it is not set, empty or 0. False: it says something else; *threads is one for each then,
 * too. */
bool threads_of_environment(uint32_t *threads);

/* ---- dispatch.c ---- */

/* How many host threads run the machine. */
uint32_t gpu_workers(const struct gpu_config *config);

/* ---- group.c: work-groups on an SM ---- */

/* Does a launch fit into an empty machine? NULL, or a static text saying what does not. */
const char *group_check(const struct gpu_config *config, const struct launch *launch);

/* Is there room for one more group of the launch on `sm`? */
bool group_fits(const struct sm *sm, const struct launch *launch);

/* Takes a free slot and the launch's resources on `sm`, where it fits. The group has yet to be given its place in the
 * grid. */
struct slot *group_place(struct sm *sm, const struct launch *launch);

/* Gives the group the place of linear number n in the grid. */
void group_set_place(struct group *g, uint32_t n);

/* Starts the warps of a placed group. False: the host is out of memory. */
bool group_start(struct sm *sm, struct slot *slot);

/* Starts the next group of the launch in the place of one whose warps have ended. Counters go on. */
void group_start_again(struct sm *sm, struct slot *slot);

/* Takes a group out of the list of its SM. */
void group_unlink(struct group *g);

/* Gives the resources of a group back. */
void group_remove(struct sm *sm, struct slot *slot);

/* sm->group has ended. SLICE_OVER: another one has been started in its place, and runs. */
typedef enum slice_end next_group(struct sm *sm);

/* Runs warps of the SM as its scheduler picks them. */
enum slice_end slice_run(struct sm *sm, next_group *next);

/* Engines call this when sm->warp has stopped, for another reason than STOP_NEXT. Returns the warp of the same launch
 * that runs next, as if `run` had been called for it with sm->budget; NULL: the engine returns STOP_NEXT. */
struct warp *slice_next(struct sm *sm, enum stop stop);

/* ---- observe.c: every hook of a kind, of all observers ---- */

/* Makes one list of the machine's observers and `own`, ended by NULL, which the caller frees; NULL: there are none.
 * False: no host memory. */
bool observers_collect(const struct gpu *gpu, const struct observer *own, const struct observer *const **list);
bool observers_want_flags(const struct observer *const *list);

void observe_launch_begin(const struct observer *const *list, const struct job *job);
bool observe_again(const struct observer *const *list);
void observe_launch_end(const struct observer *const *list, const struct job *job);
void observe_group_begin(const struct group *g);
void observe_group_end(const struct group *g);
void observe_released(const struct group *g);
void observe_fault(const struct warp *w, const struct fault *fault);
/* May the instruction be executed? If not, the engine returns *stop, with the warp's pc as it is then: an observer has
 * ended the launch, or has led the warp away or changed the page of code that the engine is in (NULL: it fetches each
 * instruction anew). */
bool observe_before(struct warp *w, const struct insn *in, const struct code_page *page, enum stop *stop);
void observe_access(const struct warp *w, const struct insn *in, const struct access *access);
void observe_change(const struct warp *w, uint64_t addr, uint32_t size);
void observe_after(struct warp *w, uint32_t pc, const struct insn *in);

/* ---- recover.c: host signals of guest accesses ---- */

/* What a thread had before. */
struct recover_thread {
    stack_t stack;
    sigset_t mask;
};

/* The handlers are there between the two, and their signals are not blocked, as a client may have them on its thread:
 * the host would end the process. False: they cannot be had. `stack` is this thread's signal stack of RECOVER_STACK
 * bytes, used if it has none. */
bool recover_enter(void *stack, struct recover_thread *old);
void recover_leave(const struct recover_thread *old);
/* Between the two, before a launch: puts ours over handlers that somebody has set before `since` (host_ns). */
void recover_renew(uint64_t since);
/* Does the same while the launch runs, if *due (host_ns) has come, and sets when it is due again. */
void recover_look(uint64_t *due);
/* The SM whose accesses this thread makes from now on, NULL: none. One that the host refuses goes to sm->jump, with
 * value 1. */
void recover_guard(struct sm *sm);
/* To be called behind the jump out of the handler, which does not restore the signal mask: that would cost
 * every sigsetjmp a system call. */
void recover_again(void);
enum { RECOVER_STACK = 64 * 1024 }; /* of each host thread; a signal takes 3.3 KiB where there is AVX-512 */

/* ---- simt.c ---- */

/* The lanes that an instruction with a mask bit works on. */
static inline uint32_t active_lanes(const struct warp *w, const struct insn *in)
{
    return in->vm ? w->active : w->active & warp_v0(w);
}

/* Executes and counts a vector branch whose condition holds in `taken`, a subset of the mask. False: the stack
 * overflows, and the warp is as it was; else *pc is where it goes on. */
bool simt_branch(struct warp *w, uint32_t taken, uint32_t target, uint32_t next, enum path_order order, uint32_t *pc);

/* Executes a join at `at`, whose successor is `next`. Returns the pc at which the warp goes on. */
uint32_t simt_join(struct warp *w, uint32_t at, uint32_t next);

/* ---- raytable.c: vlrt.w and vsrt.w ---- */

struct ray_table {
    uint32_t row[64][ISA_LANES];
};

/* Return NULL, or why the instruction cannot be executed. */
const char *ray_load(struct sm *sm, struct warp *w, const struct insn *in);
const char *ray_store(struct sm *sm, struct warp *w, const struct insn *in);

/* Frees the tables of a slot's warps. */
void ray_forget(struct slot *slot);

/* ---- csr.c ---- */

bool csr_read(const struct warp *w, unsigned number, uint32_t *value);

bool csr_write(struct warp *w, unsigned number, uint32_t value);
uint32_t csr_set_vl(struct warp *w, const struct insn *in, uint32_t vtype);
/* Has this machine vectors of this type? */
bool csr_vtype_ok(const struct gpu *gpu, uint32_t vtype);

/* Makes the host's floating-point environment that of this thread's warps, rounding to nearest; then its rounding mode
 * for frm 0..3. */
void round_begin(void);
void round_set(uint32_t frm);

/* Executes a read of a CSR that differs from lane to lane (isa_csr_per_lane). */
void csr_read_lanes(struct sm *sm, struct warp *w, const struct insn *in);

/* ---- exact.c: arithmetic out of line ---- */

/* Executes an arithmetic instruction at pc (of its word, behind the prefix). NULL, or why it is illegal. */
const char *exact_run(struct warp *w, const struct decoded *d, uint32_t pc);

/* The value of an expression of scalar registers, such as the target of a jump; `old`: of a CSR, what it holds. */
uint32_t exact_value(const struct warp *w, const struct decoded *d, uint32_t pc, uint32_t old);

/* Return whether the condition of a scalar branch holds, and the lanes for which that of a vector branch does. */
bool exact_condition(const struct warp *w, const struct decoded *d);
uint32_t exact_taken(const struct warp *w, const struct decoded *d);

/* ---- fault.c ---- */

/* Fills in sm->fault for warp w at w->pc; lane ISA_LANES: none in particular, detail may be NULL. Returns STOP_FAULT.
 */
enum stop fault_raise(struct sm *sm, const struct warp *w, enum fault_kind kind, uint32_t lane, uint64_t addr,
                      const char *detail);
/* Does the same for the access in progress, which the host has refused. */
void fault_access(struct sm *sm);
/* The instruction at w->pc names registers that the launch has not, or code.c refuses it. */
enum stop fault_illegal(struct sm *sm, const struct warp *w, const struct decoded *d);
/* The instruction at w->pc asks for a vector type that csr_vtype_ok does not allow. */
enum stop fault_vtype(struct sm *sm, const struct warp *w, uint32_t vtype);
/* There is no code at w->pc. */
enum stop fault_fetch(struct sm *sm, const struct warp *w);
/* The first of `lanes` has made the access in progress at a misaligned address. */
enum stop fault_misaligned(struct sm *sm, const struct warp *w, uint32_t lanes);
/* Does as fault_raise for the running warp, and leaves the engine from any depth. */
_Noreturn void fault_throw(struct sm *sm, enum fault_kind kind, uint32_t lane, uint64_t addr, const char *detail);

/* ---- access.c: guest memory for instructions that are not plain loads and stores ---- */

/* Reads guest memory, or sees whether it may be written, on behalf of the running warp; a byte that is not open raises
 * the warp's fault and does not return. The whole range is tested before the first byte moves. */
void guest_read(struct sm *sm, uint64_t addr, void *dst, uint64_t size);
void guest_may_write(struct sm *sm, uint64_t addr, uint64_t size);

/* A write to [addr, addr + size), or to all that the access in progress has, ends every lr.w reservation there: of
 * all SMs while one host thread runs them, of its own SM otherwise (then sc.w also compares the word). Called
 * only when there are any. Physical addresses. */
void end_reservations(struct sm *sm, uint32_t addr, uint32_t size);
void end_reservations_of_access(struct sm *sm);
/* Ends the reservations of a group of this SM whose warps start again or leave. */
void drop_reservations(struct sm *sm, struct group *g);

/* Memory spaces by their code in a prefix and in a row's flags. */
enum space { SPACE_OF_ROW, SPACE_GLOBAL, SPACE_PRIVATE, SPACE_LOCAL };

/* Executes any instruction that accesses memory. */
void memory_run(struct sm *sm, struct warp *w, const struct insn *in);

/* ---- translate.c: SV39, of the running warp's launch ---- */

/* Local memory belongs to the SM, in front of the MMU: its addresses are never translated. */
bool is_translated(const struct launch *launch, uint64_t addr);

/* Returns the host address of a range of a launch's memory, which lies in one page if it is translated; NULL: it is
 * not open. */
const void *launch_memory(struct gpu *gpu, const struct launch *launch, uint64_t addr, uint32_t size);

/* Translates the address of a byte. Returns NULL, or a static text that says why the access (enum gpu_access) has no
 * translation. Physical memory need not be open there. */
const char *translate(struct sm *sm, uint64_t addr, unsigned access, uint32_t *physical);

/* Forgets what has been translated. */
void translate_forget(struct sm *sm);

/* Reads words of code from `pc` on, at most `most`, within one page. Returns how many; 0: they cannot be executed,
 * and *why says why, NULL if the address has a translation. */
size_t translate_code(struct sm *sm, uint64_t pc, uint32_t *words, size_t most, const char **why);

/* ---- fetch.c ---- */

/* Returns the instruction at a virtual address, or raises a fault if it cannot be fetched. Valid until the next call.
 */
const struct decoded *fetch_translated(struct sm *sm, uint32_t pc);

#endif
