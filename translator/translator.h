/* What the files of the translator share: struct translator, and what each file does for those above it: values.c,
 * access.c (with load.c and store.c), insn.c, control.c, translate.c, in this order. */
#ifndef VENTUS_TRANSLATOR_TRANSLATOR_H
#define VENTUS_TRANSLATOR_TRANSLATOR_H

#include "translator/adjacent.h"
#include "translator/functions.h"
#include "translator/liveness.h"
#include "translator/translate.h"

enum { UNIT_MOST = 16, CHUNK_MOST = 8 };

/* One vector register (or vector of conditions), as chunks. */
struct lanes {
    LLVMValueRef chunk[CHUNK_MOST];
};

/* A set of adjacent loads, and the words that the first of them has loaded, where `found` holds; NULL: it has not been
 * translated yet. */
struct taken {
    struct adjacent set;
    LLVMValueRef found;
    struct lanes word[ADJACENT_BYTES / 4];
};
enum { SETS = 4, ROW_WORDS = 4, ROW_STORES = 16, ROW_LOADS = 4 };

/* Stores of adjacent bytes in each lane: where `together` holds, the last one makes them all, from the first byte of
 * the first lane of each period on. */
struct rows {
    unsigned count, bytes; /* 0: there are none */
    bool anywhere;         /* nothing is known of the addresses, and the stores are two words of each lane */
    const struct node *stores[ROW_STORES];
    uint8_t at[ROW_STORES];              /* bytes behind the first */
    const struct node *loads[ROW_LOADS]; /* between them, which the block has made before */
    unsigned nloads;
    struct lanes data[ROW_STORES];
    LLVMValueRef together, from[ISA_LANES / 8];
    uint32_t site; /* of the first */
};

/* What sm->access says of the last access in the block, where that is known: base and scalar of its addresses, of all
 * lanes or of those that begin a period, and its lanes. */
struct told {
    bool known, runs;
    struct v_fact fact;
    struct lanes base;
    LLVMValueRef scalar, lanes;
};

/* Where the group has written its local memory from, if that is known (t->noted). */
enum noted {
    NOTED_NONE = INT32_MAX,
    NOTED_LOCAL = -1,   /* local memory that is not the group's */
    NOTED_WATCHED = -2, /* something else that is watched */
};

/* Where the warps in front of this one in its round wait, if not at an entry (t->round). */
enum round {
    ROUND_NONE = -1,  /* there is no stretch */
    ROUND_FIRST = -2, /* there is no warp in front of it */
    ROUND_ENDS = -3,  /* they have ended */
};

/* Where a function gives the warp back, and the phi that says why. */
struct way_out {
    LLVMBasicBlockRef block;
    LLVMValueRef code;
};

struct translator {
    struct translation *out;
    const struct flow *flow;
    struct liveness liveness;
    struct fact_table facts;
    struct function_table functions;
    LLVMContextRef context;
    LLVMBuilderRef b;
    unsigned words, chunks; /* lanes of a chunk, chunks of a register that have lanes of warps in them */
    unsigned items;         /* lanes of warps, ... */
    uint32_t full;          /* ... and the mask that has all of them */
    LLVMTypeRef i1, i8, i16, i32, i64, ptr, counts_type, chunk_type, flags_type;

    /* arguments, and what stays the same */
    LLVMValueRef sm, state, mem, group, launch, knl, tallies; /* tallies: NULL when there are none */
    /* variables */
    LLVMValueRef w, budget, x[ISA_XREGS], v[ISA_VREGS][CHUNK_MOST], mask, counts, exit_raw;
    LLVMValueRef rpc, vtype, mstatus, end;     /* the warp's; where it has ended */
    LLVMValueRef behind;                       /* the entry behind the barrier that it waits at, or NATIVE_NOWHERE */
    LLVMValueRef noted;                        /* what group.local_end does not say yet: 0, or UINT32_MAX; in code with
                                                * barriers where local memory is written from, or enum noted */
    LLVMValueRef noted_end;                    /* ... and in front of which */
    LLVMValueRef noted_lanes, noted_lanes_end; /* the same of lanes whose addresses have no shape */
    LLVMValueRef local_open;                   /* bytes of local memory, from the group's on, that are open */
    LLVMValueRef round;             /* where those in front of it in the round wait: an entry, or enum round */
    struct isa_registers used;      /* by any function */
    LLVMBasicBlockRef *versions[2]; /* of each block, ... */
    LLVMBasicBlockRef *arrivals[2]; /* ... and those that first load its function's registers */
    struct way_out *exits;          /* of each function: leaving with its registers */
    /* The machine has given a warp; one goes on or begins, with early words loaded and then looked at; one begins with
     * those of the warp before it. */
    LLVMBasicBlockRef next, enter, entered, begin;
    LLVMBasicBlockRef refuse;               /* nothing has happened, but `step` is to go on */
    LLVMBasicBlockRef ended, waits, paused; /* a warp has ended; waits at a barrier; one of these and none follows it */
    LLVMValueRef next_entry, enter_entry, paused_exit; /* the phis of `next`, `enter` and `paused` */
    bool barriers;                                     /* the code has some */
    bool rounds;                                       /* groups of several warps pass them in stretches */
    LLVMBasicBlockRef round_next;                      /* the next warp of a round; ... */
    LLVMBasicBlockRef *round_entries;                  /* ... of an entry: sm->warp comes in; NULL: no round does */
    bool spills;                                       /* so far registers are stored elsewhere than at exits */
    struct hoisted *hoisted;                           /* words that `enter` loads; NULL: there cannot be any */
    size_t nhoisted;
    LLVMValueRef hoisted_args; /* where they are, those of arguments; NULL: there are none yet */
    LLVMValueRef other;        /* a condition: some are not what the request tells */

    LLVMValueRef *scattered; /* variables of blocks for load_loop.c: how many loads of the last round had no shape */
    LLVMValueRef may_run;    /* a variable: lanes of the warp may run one after the other; ... */
    LLVMValueRef runs;       /* ... how often that was done; ... */
    LLVMValueRef longest, last_x[ISA_XREGS]; /* ... the most iterations of a lane, and what that lane leaves in x */

    /* a lane alone */
    LLVMValueRef lane, own[ISA_VREGS];                  /* its number and its words */
    LLVMBasicBlockRef *single_blocks, *single_arrivals; /* of each block, and those that take out its registers */

    /* loop nests that run without the SIMT stack */
    struct nest_code **nests;                 /* by the block at their head; NULL: there is none */
    LLVMValueRef tried, number;               /* native_state's */
    LLVMValueRef private_host, private_bytes; /* where the lane's private memory begins on the host, and its size */
    LLVMBasicBlockRef private_begin;          /* that has computed these */
    struct lane_private *private_rows;        /* of the block in progress */

    /* the block in progress */
    const struct block *block;
    enum version version;
    bool run;                            /* it is a loop for load_loop.c, whose lanes do not run */
    bool single;                         /* MASKED, and the mask has one lane, whose words are in `own` */
    const struct function *current;      /* that it belongs to */
    bool spilled;                        /* the function's registers are in struct warp as well */
    const struct predicated *predicated; /* the branch on whose path it is (predicate.c); NULL: none */
    LLVMBasicBlockRef undo;              /* in a nest under masks (nest_masks.c): where it goes instead of leaving;
                                          * elsewhere NULL; ... */
    struct isa_registers waiting;        /* ... vector registers that lanes read which wait there meanwhile */
    LLVMValueRef lanes, chunk_lanes[CHUNK_MOST]; /* the mask and its chunks as vectors of i1, MASKED only */
    struct lanes now[ISA_VREGS];                 /* current values; only where: */
    struct isa_registers known, fresh;           /* they are known here, and not yet stored to the variable */
    struct facts holds;                          /* of registers as the block sees them, ... */
    struct v_fact kept[ISA_VREGS];               /* ... of the variables, ... */
    struct v_fact stored[ISA_VREGS];             /* ... and of the variables on the way out that is being made */
    struct taken taken[SETS];                    /* the last sets of adjacent loads */
    unsigned ntaken;
    struct rows rows;                /* the last stores that may be made together */
    uint16_t counted[NATIVE_COUNTS]; /* of the whole block, and up to ... */
    uint16_t passed[NATIVE_COUNTS];  /* ... the instruction in progress, without it */
    bool recorded;                   /* what sites of the block need, wherever it goes from here */
    struct told told;                /* in the block */
    uint8_t raw[64];                 /* vector registers that may be raw when the warp is given back; */
    unsigned nraw;                   /* exit_raw has a bit for each of them */
    bool failed;                     /* no host memory */
};

/* ---- tally.c: executions of blocks (enum native_tally), where the request asks for them; else nothing ---- */

/* Adds a number of 32 bits, or a constant, to one of the block. */
void tally(struct translator *t, const struct block *block, enum native_tally what, LLVMValueRef amount);
/* The block in progress is executed, in its version. */
void tally_block(struct translator *t);
/* The branch at the end of the block in progress is taken by all active lanes. */
void tally_taken(struct translator *t);
/* It does so where a condition holds. */
void tally_taken_if(struct translator *t, LLVMValueRef holds);
/* It diverges; these lanes take it. */
void tally_diverged(struct translator *t, LLVMValueRef taken);
/* Iterations of the block in progress, a loop, that have run lane by lane. Numbers of 32 bits: iterations and their
 * lanes; how many of them diverge at their end, and the lanes at the two joins of each of these. */
void tally_iterations(struct translator *t, const struct node *join, LLVMValueRef rounds, LLVMValueRef lanes,
                      LLVMValueRef diverged, LLVMValueRef met);

/* ---- values.c: numbers, and fields of the machine's structures at an offset in bytes ---- */

LLVMValueRef ir_u32(struct translator *t, uint32_t n);
LLVMValueRef ir_u64(struct translator *t, uint64_t n);
LLVMValueRef ir_field(struct translator *t, LLVMValueRef base, size_t offset);
LLVMValueRef ir_load(struct translator *t, LLVMTypeRef type, LLVMValueRef base, size_t offset);
LLVMValueRef ir_store(struct translator *t, LLVMValueRef value, LLVMValueRef base, size_t offset);
/* A volatile store, in front of which no access behind it can come. */
void ir_record(struct translator *t, LLVMValueRef value, LLVMValueRef base, size_t offset);

/* A call of LLVM's function `name` for these types. */
LLVMValueRef ir_intrinsic(struct translator *t, const char *name, LLVMTypeRef *types, size_t ntypes, LLVMValueRef *args,
                          unsigned nargs);
LLVMValueRef ir_popcount(struct translator *t, LLVMValueRef value);

/* A new host block at the end of the function; going on at the end of one; a branch that usually goes to `then`. */
LLVMBasicBlockRef ir_block(struct translator *t, const char *name);
void ir_at(struct translator *t, LLVMBasicBlockRef block);
void ir_branch_likely(struct translator *t, LLVMValueRef condition, LLVMBasicBlockRef then, LLVMBasicBlockRef other);

/* Lanes of all chunks: those that warps do not have make the last chunk whole. They hold anything, and are masked in
 * accesses. */
static inline unsigned lanes_computed(const struct translator *t) { return t->chunks * t->words; }
static inline bool chunks_are_whole(const struct translator *t) { return lanes_computed(t) == t->items; }

/* Chunks: one word in all lanes, zeros, and a constant in which lane i of the warp holds i % period * step. */
LLVMValueRef ir_splat(struct translator *t, LLVMValueRef scalar);
struct lanes splat_lanes(struct translator *t, uint32_t word); /* a constant */
LLVMValueRef ir_zero_chunk(struct translator *t);
LLVMValueRef ir_ramp(struct translator *t, unsigned chunk, unsigned period, uint32_t step);

/* The warp that runs. */
LLVMValueRef warp(struct translator *t);

/* ---- values.c: registers ---- */

bool set_has(const uint64_t *set, unsigned r);
LLVMValueRef get_x(struct translator *t, unsigned r);
void set_x(struct translator *t, unsigned r, LLVMValueRef value);

/* How many chunks have words of their own; those behind them, which repeat_chunks fills in, repeat these. */
unsigned chunks_of(const struct translator *t, struct v_fact fact);
void repeat_chunks(struct translator *t, struct lanes *value, unsigned own);

/* A vector register as the block sees it; get_values: for those to whom it makes no difference which NaN a NaN is.
 * set_v: in all lanes that the block works on. set_result: sets vd of n in the lanes that n works on. */
struct lanes get_v(struct translator *t, unsigned r);
struct lanes get_values(struct translator *t, unsigned r);
void set_v(struct translator *t, unsigned r, struct lanes value);
void set_result(struct translator *t, const struct node *n, struct lanes value);

/* One lane's word; the mask that v0 holds; `count` lanes of a mask from `lane` on, as a vector of conditions; lanes
 * whose word is not 0, as a mask; the SIMT mask. */
LLVMValueRef get_lane(struct translator *t, struct lanes value, unsigned lane);
LLVMValueRef mask_word(struct translator *t);
LLVMValueRef lane_flags(struct translator *t, LLVMValueRef bits, unsigned lane, unsigned count);
LLVMValueRef bits_of(struct translator *t, struct lanes value);
LLVMValueRef active(struct translator *t);

/* Stores what the block has computed to the variables, in the active lanes. Behind store_fresh the block goes on;
 * behind settle the variables are what is right. */
void store_fresh(struct translator *t);
void settle(struct translator *t);

/* Makes NaNs canonical: of a chunk; of a variable that is raw. */
LLVMValueRef canonical(struct translator *t, LLVMValueRef chunk);
void make_exact(struct translator *t, unsigned r);

/* ---- values.c: rows ---- */

/* Calls of functions of rows.c: by name, or that of an operation's row. */
LLVMValueRef call_function(struct translator *t, const char *name, LLVMValueRef *args, unsigned nargs);
LLVMValueRef call_row(struct translator *t, unsigned op, LLVMValueRef *args, unsigned nargs);

/* A call of a function of the machine, whose pointer is at `at` in struct native_state. */
LLVMValueRef call_machine(struct translator *t, LLVMTypeRef result, size_t at, LLVMValueRef *args, unsigned nargs);

/* What a row computes: from scalar registers, from scalar registers and a first operand, in all lanes. translate_row:
 * and sets its destination. */
LLVMValueRef value_of_row(struct translator *t, const struct node *n);
LLVMValueRef scalar_row(struct translator *t, const struct node *n, LLVMValueRef first);
struct lanes lanes_of_row(struct translator *t, const struct node *n);
void translate_row(struct translator *t, const struct node *n);

/* ---- values.c: ways out ---- */

/* What a site of n says at first. record_block: the block's counts and mask, for whoever looks at a site of it.
 * pass_site: fills in the site's counts, adds it to the table and records that it is passed, and the block if that is
 * yet to be done. pass_site_at: the same, with the address of its access. last_site: the number of the one added last.
 * record_site: records that one is passed. */
void record_block(struct translator *t);
struct native_site site_of(const struct node *n, enum native_record how);
void pass_site(struct translator *t, const struct node *n, struct native_site site);
void pass_site_at(struct translator *t, const struct node *n, struct native_site site, LLVMValueRef address);
uint32_t last_site(const struct translator *t);
void record_site(struct translator *t, uint32_t site);

/* Forgets registers that are dead from here on: exits need not store them. */
void forget_dead(struct translator *t, const struct isa_registers *live);

/* The same for vector registers that the block has written and has not stored to their variables yet. */
void forget_fresh(struct translator *t, const struct isa_registers *live);

/* Registers hold what they held for another warp, of which nothing is needed. */
void forget_registers(struct translator *t);

/* Ends the host block: gives the warp back. `live` are the registers that matter then. */
void leave(struct translator *t, enum native_exit code, LLVMValueRef pc, struct isa_registers live);

/* Ends the host block: n, which has not begun, is one for `step`. leave_if: when `bad` holds; goes on in a new host
 * block when it does not. */
void leave_at(struct translator *t, const struct node *n);
void leave_if(struct translator *t, const struct node *n, LLVMValueRef bad);

/* ---- access.c ---- */

/* The host address of a guest address. */
LLVMValueRef host_address(struct translator *t, LLVMValueRef guest);

/* A word of the group's struct launch. */
LLVMValueRef launch_field(struct translator *t, size_t offset);

/* What is noted of writes to local memory goes to struct group; nothing is noted. */
void store_noted(struct translator *t);
void forget_noted(struct translator *t);

/* Private memory: work-items of a group, whose words lie together, and where those of the warp's first lane begin. */
uint32_t private_items(const struct translator *t);
LLVMValueRef private_base(struct translator *t);

/* Control goes to `bad` if a condition holds. */
void stop_if(struct translator *t, LLVMValueRef condition, LLVMBasicBlockRef bad);

void translate_load(struct translator *t, const struct node *n);
void translate_store(struct translator *t, const struct node *n);
void translate_atomic(struct translator *t, const struct node *n);

/* Does nobody but this thread access memory? */
LLVMValueRef is_own_memory(struct translator *t);

/* Accesses of a lane that is alone. */
LLVMValueRef single_load(struct translator *t, const struct node *n, LLVMValueRef lane);
void single_store(struct translator *t, const struct node *n, LLVMValueRef lane);

/* The same for lanes that only try to run (native_tried): these are not recorded. What cannot be done so in private
 * memory (lane_private.h) goes to `bad`; NULL: it is left for `step`. */
LLVMValueRef single_try_load(struct translator *t, const struct node *n, LLVMBasicBlockRef bad);
void single_try_store(struct translator *t, const struct node *n, LLVMBasicBlockRef bad);

/* Does n, of nodes in front of `end`, load the lower word of a long or double, and the node behind it the upper one? */
bool single_is_pair(const struct node *n, const struct node *end);
/* Loads both at once. */
void single_try_load_pair(struct translator *t, const struct node *n);

/* ---- insn.c ---- */

/* Registers to and from struct warp, and the control registers. fill_blank: makes sure that those which are not stored
 * are 0 there. */
void fill_blank(struct translator *t);
void spill(struct translator *t, const struct isa_registers *set);
void reload(struct translator *t, const struct isa_registers *set);
/* Control registers that code changes, and where struct warp has them. */
struct control {
    LLVMValueRef variable;
    size_t offset;
    uint32_t start;
};
enum { CONTROLS = 3 };
struct control control_register(const struct translator *t, unsigned i);
/* The control registers of a warp that begins. */
void start_controls(struct translator *t);
/* Those of the function in progress that somebody may still read; the others hold anything from then on. */
void spill_live(struct translator *t, struct isa_registers live);
/* The same of a warp that stays in a stretch, for which the machine is told what follows from that (round_settle): can
 * that be, and does it. */
bool may_spill_in_round(const struct translator *t, const struct isa_registers *live);
void spill_in_round(struct translator *t, const struct isa_registers *live);
void reload_live(struct translator *t, struct isa_registers live);

/* Any instruction that does not end its block. */
void translate_node(struct translator *t, const struct node *n);

/* ---- single_lane.c: code for one lane ---- */

/* Can the block run as single-lane code? Does that pay where the block in progress branches back to it: can all blocks
 * of the loop? */
bool single_can(const struct translator *t, const struct block *block);
bool single_pays(const struct translator *t, const struct block *block);

/* Takes the lane's words out of the vector registers that the block reads; puts the live ones back; drops the others.
 */
void single_begin(struct translator *t, const struct block *block);
void single_end(struct translator *t, const struct isa_registers *live);
void single_forget(struct translator *t, const struct isa_registers *live);

/* A register's word; makes NaNs canonical in a vector register and in the word. */
LLVMValueRef get_own(struct translator *t, unsigned r);
void set_own(struct translator *t, unsigned r, LLVMValueRef value);
void single_make_exact(struct translator *t, unsigned r);

/* What a row computes, raw: with NaNs as the host makes them; any instruction that does not end its block, with what
 * holds behind it. */
LLVMValueRef single_row(struct translator *t, const struct node *n);
LLVMValueRef single_raw_row(struct translator *t, const struct node *n);
void single_node(struct translator *t, const struct node *n);

/* ---- lane_loop.c: loops that run lane by lane, for exchange_loop.c and load_loop.c ---- */

/* The join behind a vector branch, if it is a block of its own; NULL: there is none. */
const struct node *join_behind(const struct translator *t, const struct node *branch);
/* Does n compute a lane's word from that lane's? */
bool is_plain_row(const struct node *n);
unsigned count_registers(const struct isa_registers *set);

/* Are all registers of the first also in the second? */
bool registers_within(const struct isa_registers *a, const struct isa_registers *b);

/* Are all registers that somebody may read where the block begins the function's own? Only then lanes may try to run:
 * lanes_save_warp leaves the warp as `step` would have it here, should an access fail, and lanes_set_pc says that this
 * is at an address, or (0) that nothing is tried any more. */
bool lanes_have_registers(const struct translator *t, const struct block *block);
void lanes_save_warp(struct translator *t);
void lanes_set_pc(struct translator *t, uint32_t pc);

/* Rows of the state hold registers: all lanes' words are put there, a lane's are loaded into `own`, and stored to other
 * rows, from EXCHANGE_ROWS on. row_of: where the words of one of these rows are. */
LLVMValueRef row_of(struct translator *t, unsigned row);
void save_rows(struct translator *t, const struct isa_registers *set);
void load_words(struct translator *t, const struct isa_registers *set, LLVMValueRef index);
void save_words(struct translator *t, const struct isa_registers *set, LLVMValueRef index);

/* A condition: the join is the reconvergence point that is set. */
LLVMValueRef meet_at(struct translator *t, const struct node *join);
/* What a divergent iteration counts: the block, and the join twice. */
unsigned counts_of_round(const struct translator *t, const struct node *join, enum native_count k);

/* ---- exchange_loop.c: loops of lr.w and sc.w ---- */

/* In these of the active lanes sc.w has failed, and the vector branch at the end of the block would repeat it. Returns
 * a number: not 0 if they are to complete lane by lane instead. NULL: the block is not such a loop. */
LLVMValueRef exchange_plan(struct translator *t, const struct node *branch, LLVMValueRef lanes);

/* Completes them, behind store_fresh, and counts the iterations; control then continues behind the branch as if it had
 * not diverged. */
void exchange_run(struct translator *t, const struct node *branch, LLVMValueRef lanes, LLVMValueRef plan);

/* ---- load_loop.c: loops that only load ---- */

/* Variables, where translated code is entered. */
void load_loop_make(struct translator *t);

/* Is the block such a loop? */
bool load_loop_can(const struct translator *t, const struct block *block);

/* In front of the block, which is such a loop: runs it lane by lane if that pays; the builder is left where it does
 * not.
 */
void run_lanes(struct translator *t);

/* ---- translate.c ---- */

/* Makes w, a warp of the stretch, the one that runs. */
void set_warp(struct translator *t, LLVMValueRef w);

/* A block of the guest begins in the current host block, in a version, where this holds of registers. */
void begin_block(struct translator *t, const struct block *block, enum version version, const struct facts *holds);
/* Adds what is the same each time: that of t->counted, for so many lanes. */
void count_constants(struct translator *t, unsigned lanes);
/* Adds the counts of the whole block; then its instructions, but for the last one that controls where it goes on. */
void count_block(struct translator *t);
void translate_nodes(struct translator *t, const struct block *block);

/* ---- nest.c: loop nests that run without the SIMT stack ---- */

/* In front of the block in progress: if it is the head of such a nest, its lanes run it, together or one after the
 * other; the builder is left where they need the SIMT stack. */
void nest_enter(struct translator *t);

/* Makes the code of these nests, when everything else has been translated. */
void nests_make(struct translator *t);
void nests_free(struct translator *t);

/* Is the block at an address a join alone? */
bool begins_with_join(const struct translator *t, uint32_t pc);

/* ---- predicate.c: divergent branches without the SIMT stack ---- */

/* How many branches in one another are run so, if the branch at the end of the block in progress is; else 0. */
unsigned predicate_levels(const struct translator *t, const struct node *n);

/* Lanes part at this branch, `depth` entries are on the stack: ends the host block; runs both paths, and goes on at the
 * join. */
void predicate_run(struct translator *t, const struct node *n, LLVMValueRef depth, LLVMValueRef taken,
                   LLVMValueRef rest);

/* Where the warp is given back on such a path: makes the SIMT stack that of t->predicated. */
void predicate_push(struct translator *t);

/* ---- entry.c ---- */

/* Ends the host block in which a warp arrives from `step`: if the facts of the block hold, it loads the registers and
 * enters the version for the warp's mask; otherwise it goes to `refuse`, and nothing has changed. */
void enter_checked(struct translator *t, const struct block *block, LLVMBasicBlockRef refuse);

/* ---- hoist.c: words of metadata block and arguments, loaded where translated code is entered ---- */

/* To be called before anything is translated: makes room for hoisted words, if the code has any. */
void hoist_begin(struct translator *t);
/* Does n load such a word? What it loads then. */
bool hoist_can(const struct translator *t, const struct node *n);
LLVMValueRef hoist_value(struct translator *t, const struct node *n);
/* Ends the host block `enter`: goes on where these words are what the request tells, else refuses. */
void hoist_end(struct translator *t);

/* ---- control.c ---- */

/* The host block that a block begins with in a version, made when something first leads there. */
LLVMBasicBlockRef version_of(struct translator *t, const struct block *block, enum version version);

/* Does the path of a branch's target run first, which so many lanes take, and so many the other one? */
LLVMValueRef taken_first(struct translator *t, LLVMValueRef taken, LLVMValueRef rest);

/* How many instructions have been counted since translated code was entered; how many more are allowed. */
LLVMValueRef instructions_done(struct translator *t);
LLVMValueRef budget_left(struct translator *t);

/* The address of an entry of the warp's SIMT stack. */
LLVMValueRef stack_entry(struct translator *t, LLVMValueRef index);

/* Leaves at pc, in a version, when fewer than `need` instructions are allowed. */
void check_budget(struct translator *t, uint32_t need, uint32_t pc, enum version version);
void set_mask(struct translator *t, LLVMValueRef mask);

/* The end of the block in progress: what it has computed and lanes read later is stored to the variables. */
void settle_at_end(struct translator *t);

/* A branch diverges n times, 0 or 1, with so many entries on the SIMT stack in front of it. */
void count_divergence(struct translator *t, LLVMValueRef depth, LLVMValueRef n);

/* Fills in an entry of the SIMT stack. */
void fill_entry(struct translator *t, LLVMValueRef entry, LLVMValueRef rpc, LLVMValueRef pc, LLVMValueRef mask);

/* Ends the host block: goes on at a guest address, in a version. */
void go_to(struct translator *t, uint32_t pc, enum version version);

/* Ends the host block as the last instruction of the block says; in code for one lane. */
void finish_block(struct translator *t, const struct block *block);
void finish_single(struct translator *t, const struct block *block);

#endif
