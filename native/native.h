/* What the translator of guest code and the machine that runs translations agree on.
 *
 * The machine (native/engine.c) writes a request to ventus-translate and reads an answer: a file in the ELF format
 * whose one loadable segment is position-independent code of the host, without relocations, undefined symbols and
 * writable data. The code is one function, native_code below; where a program's entry would be stands struct
 * native_header with the tables that the machine needs.
 *
 * State. A warp is in struct warp between two calls, except registers that are written before they are read
 * (REGISTERS_READ). While translated code runs, its vector and scalar registers and its SIMT mask are in registers of
 * the host; pc, and where the code is in it, are known by `site` alone, and the control registers that a program writes
 * are stored with the registers; the SIMT stack is in struct warp, but for entries of branches that are run
 * without it (translator/predicate.c): these are there when the warp is given back. So a jump out of a refused access
 * loses the registers of a warp that has failed (nobody looks at them: launches with observers run with `step`), but
 * neither pc nor address nor counters.
 */
#ifndef VENTUS_NATIVE_NATIVE_H
#define VENTUS_NATIVE_NATIVE_H

#include "isa/isa.h"
#include "native/entry.h"
#include "sim/machine.h"

/* Limits of a request: 4 MiB of code around the warp, and 256 KiB of constants behind it, are copied for each
 * translation. Code farther away is another unit; constants farther away are loaded. */
enum { NATIVE_MAGIC = 0x4e544e56, NATIVE_CODE_LIMIT = 1 << 20, NATIVE_CONSTANT_LIMIT = 1 << 16 /* words */ };

/* Instruction sets of hosts. The names are those that VENTUS_NATIVE_LEVEL takes: LEVEL(name, words of a chunk, cpu of
 * LLVM). A chunk is what the code computes with at a time. */
#define NATIVE_LEVELS(LEVEL) \
    LEVEL(v4fp16, 16, "x86-64-v4") LEVEL(v4, 16, "x86-64-v4") LEVEL(v3, 8, "x86-64-v3") LEVEL(base, 4, "x86-64")
enum native_level {
#define LEVEL(name, words, cpu) NATIVE_##name,
    NATIVE_LEVELS(LEVEL)
#undef LEVEL
        NATIVE_LEVEL_COUNT
};

/* Whose processors code of level v3 is arranged for: TUNING(name, cpu of LLVM). */
#define NATIVE_TUNINGS(TUNING) TUNING(intel, "skylake") TUNING(amd, "znver3")
enum native_tuning {
#define TUNING(name, cpu) NATIVE_FOR_##name,
    NATIVE_TUNINGS(TUNING)
#undef TUNING
        NATIVE_TUNING_COUNT
};

/* The functions that translations are made of, for printf with the level's name: a file beside ventus-translate. */
#define NATIVE_ROWS "ventus-rows-%s.bc"

/* What is known of the metadata block. */
enum native_metadata {
    METADATA_READABLE = 1,  /* as long as the launch runs */
    METADATA_NO_OFFSET = 2, /* it says that global ids begin at 0 */
    METADATA_WATCHED = 4,   /* the block, and METADATA_ARGS bytes of arguments, can be read and are watched */
};
enum { METADATA_ARGS = 1024 }; /* as many bytes of arguments as OpenCL offers (MAX_PARAMETER_SIZE) */

/* Local memory, and where our driver puts metadata and arguments, which is one range around the end of the address
 * space: what is stored there is noted (group.local_end), so that the next warp finds words of the latter anew. */
#define WATCHED_BASE ABI_LAUNCH_BASE
#define WATCHED_SIZE (ABI_LOCAL_LIMIT - ABI_LAUNCH_BASE)

/* How long the translator may take: with the least effort code is made in half the time and less, and runs half as fast
 * and less. For tests of what code does. */
enum native_effort { EFFORT_USUAL, EFFORT_LEAST, NATIVE_EFFORT_COUNT };

/* Which registers are in struct warp when translated code gives a warp back: those that somebody may still read, or all
 * that the code writes, for who compares states of warps (but for warps that have ended, and where an access fails). */
enum native_registers { REGISTERS_READ, REGISTERS_ALL, NATIVE_REGISTERS_COUNT };

/* How loop nests run in which lanes diverge (translator/nest.h): as takes less time, or all lanes together. */
enum native_nest_runs { NESTS_MEASURED, NESTS_TOGETHER, NATIVE_NEST_RUNS_COUNT };

/* The lanes that warps begin with. */
enum native_lanes {
    LANES_ANY,        /* 32, or fewer: of a group's last warp */
    LANES_ALL,        /* `items` of the request */
    LANES_CONVERGENT, /* the same, and where they part the code is left */
    NATIVE_LANES_COUNT
};

/* What is translated, and the facts that hold for all warps that run the result. Equal requests have equal answers.
 * All numbers are those of this host; behind it follow the program: code_words words of code from code_base on, and
 * constant_words words from constant_base on, whole pages that nobody writes as long as the code runs. */
struct native_request {
    uint32_t magic, layout; /* NATIVE_MAGIC, native_layout() */
    uint8_t level;          /* enum native_level */
    uint8_t tuning;         /* enum native_tuning */
    uint16_t warps;         /* of a group */
    uint32_t profile;       /* enum isa_profile */
    uint8_t order;          /* enum path_order */
    uint8_t late;           /* quanta end late (sim/schedule.h): the budget is looked at where control goes back */
    uint8_t effort;         /* enum native_effort */
    uint8_t registers;      /* enum native_registers */
    uint16_t threads;       /* of a warp */
    uint8_t lanes;          /* enum native_lanes */
    uint8_t items;          /* the most lanes that warps have, the first ones */
    uint32_t vgprs, sgprs;  /* that warps have */
    uint32_t start, entry;  /* the first instruction, and the kernel that the start code calls */
    uint32_t local[3];      /* work-items of a group, as the metadata block says */
    uint16_t metadata;      /* enum native_metadata */
    uint8_t tallies;        /* 1: executions of blocks are kept (enum native_tally) */
    uint8_t nests;          /* enum native_nest_runs */
    uint32_t code_base, code_words;
    uint32_t constant_base, constant_words;
};

static inline size_t native_program_words(const struct native_request *r) { return r->code_words + r->constant_words; }

/* What the translator's only argument says: its standard input is a file of requests that a client has left behind. */
#define TRANSLATE_BEHIND "--behind"

/* In front of each answer: how many bytes it has; none when there is no translation. */
struct native_answer {
    uint64_t magic, size;
    char why[112]; /* there is none */
};

/* Counters that translated code keeps: for each block a constant of these is added, lanes times the active ones. */
enum native_count {
    COUNT_INSTRUCTIONS,
    COUNT_VECTOR,
    COUNT_LANES,
    COUNT_BRANCHES,
    COUNT_LOADS,
    COUNT_STORES,
    COUNT_ATOMICS,
    NATIVE_COUNTS = 8
};

/* What translated code keeps of each block for counts of instructions (sim/counts.h), in native_state.tallies: its
 * executions where all lanes of warps are active, those under a mask, the lanes of these; and of the branch at its end
 * how often all active lanes went to its target, how often some, and how many lanes in both cases, but for the first.
 */
enum native_tally {
    TALLY_FULL,
    TALLY_MASKED,
    TALLY_LANES,
    TALLY_TAKEN_FULL,
    TALLY_TAKEN_MASKED,
    TALLY_DIVERGED,
    TALLY_TAKEN_LANES, /* of the last two */
    NATIVE_TALLIES = 8
};

/* The code of a block that has tallies, and that of the routine which its last instruction stands for. */
struct native_block {
    uint32_t pc, end, routine, routine_end; /* routine 0: there is none */
};

/* How the addresses of the access in progress are recorded. */
enum native_record {
    RECORD_NONE,   /* no access: a call of `help` */
    RECORD_SCALAR, /* state.address */
    RECORD_LANES,  /* sm->access.addr, to which `imm` is to be added, and sm->access.lanes */
    RECORD_RUNS,   /* the same, but of every `period` lanes the first one only: the next are `step` bytes further */
    RECORD_RUN,    /* the same, but the first one is that of all, and in state.address */
};

/* A place where translated code may stop in the middle of a block. */
struct native_site {
    uint32_t pc, imm;
    uint8_t record;      /* enum native_record */
    uint8_t size, write; /* of the access: bytes, and whether it is one to write */
    uint8_t period;      /* see RECORD_RUNS; 1 otherwise */
    uint8_t repeat;      /* of as many lanes there are records, which say the same of the next ones */
    bool all;            /* its lanes are those of the mask, and not recorded */
    bool full;           /* the mask has all lanes of the translation, and is not in state.mask */
    uint32_t step;
    uint16_t after[NATIVE_COUNTS]; /* what the block has counted although it comes behind the instruction; ... */
    uint16_t own[NATIVE_COUNTS];   /* ... and for the instruction itself. Element COUNT_LANES is 0: it follows from
                                    * COUNT_VECTOR */
};

/* Where translated code can be entered. */
struct native_entry {
    uint32_t pc;
    uint32_t need; /* instructions that the budget must allow: as many as can follow before it is looked at again */
};

/* Why translated code returns, or calls `next`. */
enum native_exit {
    EXIT_BUDGET,  /* too few instructions are left for what follows; warp complete */
    EXIT_TURN,    /* the budget has been exceeded, and control has gone back; warp complete */
    EXIT_STEP,    /* the instruction at w->pc is one for `step`; warp complete */
    EXIT_SITE,    /* the same, at state.site: the instruction has not begun */
    EXIT_NEXT,    /* sm->warp has been given to `next`, which knows none that goes on in this code */
    EXIT_TRIED,   /* lanes have tried to run in vain: the warp is at state.run_pc */
    EXIT_FAULT,   /* sm->fault is filled in, at state.site */
    EXIT_BARRIER, /* for `next`: w->pc is behind the barrier; registers are stored that somebody may read */
    EXIT_END,     /* for `next`: w->pc is behind endprg; registers are not stored */
};

enum { EXCHANGE_ROWS = 8, RUN_ROUNDS = 256 }; /* 2 KiB and 288 bytes of an SM: guesses */

/* What lanes that run one after the other have done so far (translator/nest.c), and what they have found out. */
enum { NATIVE_SAVED = 256, NATIVE_RECORDS = 1 << 16, NATIVE_NESTS = 256, NATIVE_RESULTS = 64 }; /* 570 KiB: a guess */
struct native_tried {
    _Alignas(64) uint32_t counts[NATIVE_COUNTS];              /* of all iterations, once they are counted */
    _Alignas(64) uint32_t results[NATIVE_RESULTS][ISA_LANES]; /* registers behind the loops */
    /* What the warp's private memory held: so many rows of a word of each lane, whose first one is at `from`. */
    uint32_t *from, rows, lanes, stride;
    uint32_t saved[NATIVE_SAVED][ISA_LANES];
    struct native_nest {
        uint32_t owner;  /* the nest that this is known of */
        uint32_t wait;   /* so many iterations run with vectors before lanes try it again, ... */
        uint32_t until;  /* ... which are measured as long as it is larger than this */
        uint32_t period; /* how many did before the last time; NEST_PAYS: lanes take less time */
        uint32_t runs;   /* of lanes, since vectors were measured */
        uint32_t stack;  /* so often its head begins in code with the SIMT stack before anything else is tried, ... */
        uint32_t failed; /* ... after vectors have failed: 1 << failed times the last time, 0: never */
        uint64_t began;  /* ticks of the host's clock, when lanes or vectors began */
        struct {
            uint64_t ticks, instructions;
        } vectors, lanes; /* measured the last time, and since then */
    } nests[NATIVE_NESTS];
    uint32_t active;                               /* lanes that have begun the nest */
    uint64_t *first;                               /* record of the outermost loop, NULL: no lane has begun it */
    uint64_t *free;                                /* where the next record will be */
    _Alignas(64) uint64_t records[NATIVE_RECORDS]; /* of iterations, see translator/nest_table.h */
};
#define NEST_PAYS UINT32_MAX

/* Of one SM, for the time of a call. */
struct native_state {
    _Alignas(64) uint32_t counts[NATIVE_COUNTS]; /* since the call; up to the end of the block that state.site is in */
    uint32_t address;                            /* of an access, for the site: both are often one store */
    uint32_t site;                               /* number of the site that was passed last */
    uint32_t mask;                               /* SIMT mask: at a return, and of the block that state.site is in,
                                                  * unless that says so itself */
    uint32_t budget;                             /* of sm->warp, instructions: at least the need of its entry */
    /* Warps of the round that begin, or are where this one has come in, and have the same lanes (0: any), follow it
     * without a call of `next`; counts go on. Budgets are those of each, at least the need of the entry; 0: none do. */
    uint32_t lanes;
    uint32_t start_budget;                           /* of those that begin */
    uint32_t follow_budget, follow_pc, follow_entry; /* of those at this entry, which is not NATIVE_START */
    uint32_t barrier_budget;                         /* of sm->warp behind a barrier that nobody else comes to, or 0 */
    /* See native/stretch.h. */
    struct warp *stretch_last; /* the last warp of the group; NULL: no stretch */
    uint32_t stretch_left;     /* groups that it may still go on with: none if there is no stretch, ... */
    uint32_t stretch_groups;   /* ... of so many when it began */
    uint32_t stretch_most;     /* instructions since the call behind which none begins */
    uint64_t stretch_local;    /* bytes of local memory that are open */
    /* Of a stretch whose groups are several warps and whose code has barriers: its round. */
    uint32_t round_entry, round_pc; /* where its warps come in; NATIVE_START: they begin */
    uint32_t round_waits;  /* pc behind the barrier at which those in front of sm->warp wait; 0: they have ended */
    uint32_t round_stored; /* 1: warps have stored registers at barriers since the stretch began */
    /* sm->warp has ended or waits. Makes another one of its group sm->warp and returns its entry; NATIVE_NOWHERE: there
     * is none that goes on in this code. */
    uint32_t (*next)(struct sm *sm, uint32_t exit);
    /* The functions of native/entry.h and native/stretch.h. */
    uint32_t (*entry_holds)(const struct warp *w, const struct entry_check *table);
    void (*stretch_enter)(struct sm *sm, struct native_state *s);
    uint32_t (*next_behind_end)(struct sm *sm, struct native_state *s, uint32_t done);
    uint32_t (*next_behind_stretch)(struct sm *sm, struct native_state *s, uint32_t done);
    uint32_t (*next_behind_barrier)(struct sm *sm, struct native_state *s, uint32_t done, uint32_t mask,
                                    uint32_t behind);
    /* Of the translation, not 0. A warp that has this number in `left` may enter without a look at its registers: it is
     * as the translation has left it. */
    uint32_t number;
    void (*clear)(struct warp *w); /* writes the registers of a blank warp */
    /* Executes the instruction at w->pc with `step`; w->mask is `mask` first. Returns whether it has failed. */
    bool (*help)(struct sm *sm, struct warp *w, uint32_t mask);
    uint64_t *tallies;                           /* of this SM, NATIVE_TALLIES for each block */
    void (*wrote)(struct sm *sm, uint32_t mask); /* ends reservations of what state.site has written */
    _Alignas(64) uint32_t in[ISA_LANES];         /* for atomics, and accesses of no shape */
    _Alignas(64) uint32_t out[ISA_LANES];
    _Alignas(64)
        uint32_t turns[2 * EXCHANGE_ROWS][ISA_LANES]; /* registers of translator/exchange_loop.c, read and written */
    /* Of translator/load_loop.c: lanes that leave a loop behind each round, and a bit for each in which some do. */
    uint8_t run_ends[RUN_ROUNDS];
    uint64_t run_seen[RUN_ROUNDS / 64];
    /* While lanes do that: the loop, at which the warp is, with its registers in w->x and w->v; 0 otherwise. `counts`
     * and `mask` are those in front of it. Control registers are these. */
    uint32_t run_pc, run_controls[3];
    struct native_tried *tried;
};

/* Runs sm->warp, and then perhaps others. `entry`: number of a native_entry, or NATIVE_START for a blank warp, whose
 * registers are written before any of them is. Returns an enum native_exit. */
typedef uint32_t native_code(struct sm *sm, struct native_state *state, uint32_t entry);
#define NATIVE_START   UINT32_MAX
#define NATIVE_NOWHERE (UINT32_MAX - 1) /* no entry */

/* What sc.w has to say but lanes (translator/rows.c). */
#define RESERVED_ODD (1ull << 32)

struct native_header {
    uint32_t magic, layout;
    uint32_t nentries, nsites, nblocks; /* nblocks 0: the request asks for no tallies */
    uint32_t none;
    uint64_t code;          /* offset of the code in the segment */
    uint32_t reserves;      /* 1: reservations do not keep warps out of this code */
    uint32_t insns, helped; /* instructions, and those of them that `step` executes; of every version of a block */
    uint32_t build_us, pass_us, code_us; /* processor time: LLVM's representation, its passes, host code */
    /* struct native_entry[nentries], ascending; struct native_site[nsites]; struct native_block[nblocks], ascending */
};

/* A number that changes when the structures change that translated code accesses. */
static inline uint32_t native_layout(void)
{
    const size_t parts[] = {sizeof(struct native_request),
                            offsetof(struct native_request, items),
                            offsetof(struct native_request, registers),
                            sizeof(struct native_site),
                            sizeof(struct native_state),
                            sizeof(struct native_tried),
                            offsetof(struct native_tried, free),
                            sizeof(struct warp),
                            offsetof(struct warp, x),
                            offsetof(struct warp, v),
                            offsetof(struct warp, mask),
                            offsetof(struct warp, stack),
                            offsetof(struct warp, depth),
                            offsetof(struct warp, rpc),
                            offsetof(struct warp, vtype),
                            offsetof(struct warp, mstatus),
                            offsetof(struct warp, pc),
                            offsetof(struct warp, group),
                            offsetof(struct warp, blank),
                            offsetof(struct warp, left),
                            offsetof(struct warp, state),
                            offsetof(struct warp, copies),
                            offsetof(struct warp, frm),
                            offsetof(struct warp, vl),
                            offsetof(struct native_state, number),
                            offsetof(struct native_state, lanes),
                            offsetof(struct native_state, barrier_budget),
                            offsetof(struct native_state, stretch_last),
                            offsetof(struct native_state, round_entry),
                            offsetof(struct native_state, clear),
                            offsetof(struct native_state, next),
                            offsetof(struct native_state, entry_holds),
                            offsetof(struct native_state, next_behind_barrier),
                            sizeof(struct entry_check),
                            offsetof(struct entry_check, lanes),
                            CHECK_LANES,
                            offsetof(struct native_state, wrote),
                            offsetof(struct native_state, tallies),
                            sizeof(struct native_block),
                            sizeof(struct native_header),
                            offsetof(struct group, counters),
                            sizeof(struct counters),
                            offsetof(struct group, index),
                            offsetof(struct group, lds_base),
                            offsetof(struct group, local_from),
                            offsetof(struct group, local_end),
                            offsetof(struct group, ended),
                            offsetof(struct sm, follow),
                            offsetof(struct sm, keeps),
                            offsetof(struct sm, claim),
                            offsetof(struct sm, access),
                            offsetof(struct sm, reservations),
                            offsetof(struct sm, gpu),
                            sizeof(struct reservations),
                            offsetof(struct gpu, pages),
                            offsetof(struct gpu, reservations),
                            offsetof(struct group, reservations),
                            offsetof(struct warp, reserved_lanes),
                            offsetof(struct warp, reserved),
                            offsetof(struct warp, reserved_value),
                            sizeof(struct slot),
                            OP_COUNT};
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) h = (h ^ (uint32_t)parts[i]) * 16777619u;
    return h;
}

/* What translated code takes for granted of a warp; it holds for all that begin. */
static inline bool may_take(const struct warp *w)
{
    return w->frm == FP_RNE && vtype_is_words(w->vtype) && w->vl == w->group->launch->threads_per_warp;
}

/* Warp instructions that a machine whose engine is `native` has executed in translated code, and all of them. */
uint64_t native_executed(const struct gpu *gpu);
uint64_t native_seen(const struct gpu *gpu);

#endif
