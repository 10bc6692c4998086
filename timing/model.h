/* What the files of timing/ share: the state of the modelled hardware, one structure for each of its parts.
 *
 * Time is counted in cycles. A cycle is computed part by part, from the end of the pipeline to its beginning, so that
 * what a part gives away in a cycle makes room for the part before it in the same cycle; what is written in cycle t is
 * seen in t + 1. Where a test sees the state before the cycle's own events, it is made before them (front_decide).
 * docs/timing.md has the rules; the numbers in comments are times of its sections. */
#ifndef VENTUS_TIMING_MODEL_H
#define VENTUS_TIMING_MODEL_H

#include "isa/effects.h"
#include "sim/observe.h"
#include "sim/schedule.h"
#include "timing/parameters.h"
#include "timing/timing.h"

enum {
    MOST_WARPS = 64,      /* of an SM */
    MOST_FIFO = 8,        /* fetch groups of a warp */
    MOST_COLLECTORS = 16, /* four operands each: a 64-bit set */
    MOST_BANKS = 16,      /* of registers */
    MOST_BANKS_OF_DRAM = 64,
    MOST_ENTRIES = 64,              /* of any other table */
    MOST_RESIDENT = 2 * MOST_WARPS, /* groups, with those that end */
    L2_PUTS = 256,                  /* of the second level, on their way to memory; with so many, answers wait */
    OPERANDS = 4,
    REGISTERS = 512, /* of a warp: scalar ones from 0 on, vector ones from 256 on */
    NO_REGISTER = 0xffff,
    GROUP_BYTES = 8, /* two instructions */
};
#define NEVER UINT64_MAX

/* ---- operands.c: an instruction as the pipeline sees it ---- */

enum unit { U_SALU, U_VALU, U_CSR, U_MUL, U_FPU, U_SFU, U_LSU, U_SIMT, U_VBRANCH, U_WARP, U_TENSOR, UNITS };

enum class {
    C_PLAIN,
    C_BRANCH,
    C_FENCE,
    C_BARRIER,
    C_END,
    C_INT_DIVIDE,
    C_FLOAT_SLOW,
    C_PRODUCT,
    C_FUSED,
    C_OTHER_FLOAT
};

struct op {
    uint32_t pc, word;
    uint16_t source[OPERANDS]; /* registers read: src1, src2, src3, mask; NO_REGISTER: none */
    uint16_t destination;
    uint8_t unit, class;
    uint8_t bytes; /* of its words, without the prefix; 0: not yet decoded */
    bool prefix, control, memory, private_memory, store, vector, known;
    struct insn in;
};

struct code_pages;

/* The instruction whose word is at `pc`, behind a prefix or not. Never NULL: what is no instruction is one without
 * operands. Valid until code_forget. */
const struct op *code_op(struct model *m, uint32_t pc, bool prefixed);
/* The same for somebody who only knows where it is. */
const struct op *code_op_alone(struct model *m, uint32_t pc);
void code_forget(struct model *m);
/* The instruction as text, with spaces in place of tabs. */
void code_text(const struct insn *in, uint32_t pc, char *text, size_t size);

/* ---- instructions on their way ---- */

struct flight {
    const struct op *op;
    uint8_t slot;  /* of its warp */
    uint8_t entry; /* of the coalescer */
    bool jumps, astray;
    uint32_t target;
    uint32_t lanes;  /* active ones; of a scalar access: lane 0 */
    uint32_t cycles; /* of an SFU operation */
    uint64_t ready;  /* when its unit has the result */
    uint64_t launch; /* running.serial, when somebody asks where cycles go */
    uint32_t address[ISA_LANES];
};

/* Two instructions that were fetched together. */
struct bundle {
    uint32_t pc;
    uint8_t mask;
    const struct op *op[2];
};

/* ---- a warp slot of an SM ---- */

struct slot_state {
    struct warp *warp; /* of the functional machine; NULL: the slot is free */
    struct resident *group;
    bool at_barrier;
    uint32_t pc;                   /* of the next fetch ... */
    uint8_t mask;                  /* ... and which of its two instructions are wanted */
    struct bundle fifo[MOST_FIFO]; /* the oldest first */
    uint8_t fifo_used;
    struct bundle gr;              /* the group register, from which instructions issue */
    bool prefixed;                 /* the last word decoded was a prefix */
    uint8_t skip;                  /* words that belong to the instruction before */
    uint64_t busy[REGISTERS / 64]; /* registers with a write pending */
    bool branch;                   /* a branch, barrier or the like is not resolved */
    bool collecting;               /* an instruction is in operand collection */
    bool fence;
    uint8_t in_lsu;
    uint8_t lanes;    /* of the warp */
    uint64_t started; /* how many had started on the SM before it */
    bool drains;      /* the warp was given up, what it had issued is still on its way */
};

/* A work-group on an SM. */
struct resident {
    const struct group *group; /* NULL: free */
    struct running *launch;
    uint32_t warps, started, ended, arrived;
    uint64_t start_at; /* when the next warp can be handed to the SM */
    uint64_t flush_at; /* when its end reaches the caches; NEVER: it runs */
    bool flushes;      /* its end empties the caches */
};

/* ---- front end ---- */

struct fetch_request {
    uint64_t at; /* cycle of the request */
    uint32_t pc;
    uint8_t mask, slot;
    bool valid, killed, flushed, hit;
};

/* A set-associative array of tags. */
struct tags {
    uint32_t sets, ways, shift, replacement; /* replacement: as the parameter */
    struct tag {
        uint32_t line;
        bool valid, dirty;
        uint64_t used;
    } * way; /* sets * ways */
    uint64_t uses;
};

struct miss {
    uint32_t line;
    uint8_t waiting; /* requests */
    bool used, sent;
    uint64_t order;                      /* age */
    struct flight *flight[MOST_ENTRIES]; /* of each request (L1D) ... */
    uint32_t lanes[MOST_ENTRIES];        /* ... and its lanes */
};

struct fetch_answer {
    uint32_t line;
    unsigned miss;
    uint64_t at;
};

struct l1i {
    struct tags tags;
    struct miss misses[MOST_ENTRIES];
    unsigned nmisses;
    struct miss *answered; /* whose line is being filled; NULL: none */
    struct fetch_answer answers[MOST_ENTRIES];
    unsigned nanswers;
    struct tag *hit;  /* line that the request of this cycle has found */
    uint32_t filling; /* set that is written in this cycle, and the line; UINT32_MAX: none */
    uint32_t filled;
    uint64_t orders;
};

struct front {
    struct fetch_request stage[2]; /* requests of the last cycle, of the one before */
    struct l1i l1i;
    unsigned pointers[2]; /* issue, of each port: warp with priority */
    uint64_t started;     /* warps, so far */
    /* what front_decide has found in this cycle */
    int fetch_slot, issue_slot[2];
    uint64_t refill; /* set of slots */
    bool replay;
};

/* ---- operand collection ---- */

struct collector {
    struct flight *flight; /* NULL: free */
    uint8_t want;          /* operands that have not arrived */
    uint64_t offered;      /* when it can leave; NEVER: operands are missing */
    uint64_t free_at;
};

struct collection {
    struct collector collectors[MOST_COLLECTORS];
    struct flight *arriving[2];    /* issued in the last cycle */
    uint64_t asks[2 * MOST_BANKS]; /* per bank (scalar ones first): operands that want it */
    uint8_t pointer[2 * MOST_BANKS];
    int8_t granted[2 * MOST_BANKS]; /* operand whose data come out in this cycle; -1: none */
    uint8_t used;
};

/* ---- units ---- */

struct pipe {
    struct flight *stage[8];
    unsigned stages;
    uint64_t next; /* when it takes another instruction */
};

/* fpu.c */
struct fpu {
    struct pipe mul, add, other;
    struct flight *waiting, *between;        /* for the adder: an addition; a product that something is added to */
    struct flight *product, *sum, *compared; /* results that wait for write-back */
    uint64_t next;                           /* when it takes another instruction */
    bool compares;                           /* a comparison had the way out at the beginning of this cycle */
    bool written, again;                     /* the sum has been written; it is also in the adder's last stage */
    bool sum_vector;                         /* the last sum was one for a vector register */
};

struct units {
    struct flight *out[UNITS][2]; /* results that wait for write-back into a scalar, a vector register */
    struct pipe mul, tensor;
    struct flight *sfu;
    uint64_t sfu_next;        /* when it takes another operation */
    struct flight *branch[2]; /* resolved in order when nothing is in their way */
    struct flight *simt[2];   /* vector branch or join: first stage, jump to be done */
    bool simt_taken;          /* the first stage was taken at the beginning of this cycle */
    uint64_t valu_next;
    bool branched;      /* a branch was resolved in this cycle */
    bool port_taken[2]; /* a unit before the LSU has written a scalar, a vector register in this cycle */
};

/* ---- memory side ---- */

enum access_kind { A_READ, A_WRITE, A_FLUSH };

struct line_access {
    enum access_kind kind;
    uint32_t line;
    struct flight *flight;
    uint32_t lanes;
    uint64_t at; /* seen from this cycle on */
};

/* A ring of accesses. */
struct queue {
    struct line_access item[MOST_ENTRIES];
    unsigned first, count;
};

enum lsu_state { LSU_IDLE, LSU_SAVE, LSU_L1D, LSU_LDS };
enum coalescer_state { CO_IDLE, CO_ADD, CO_OUT1, CO_OUT2 };
enum lsu_port { PORT_NONE, PORT_SCALAR, PORT_VECTOR };

struct lsu {
    struct flight *input;
    uint64_t input_at;
    enum lsu_state state;
    struct flight *flight; /* in the address unit */
    uint32_t left;         /* lanes without a request */
    bool to_lds;
    unsigned ids_slot; /* whose thread ids a private access taken in this cycle gets (fault) */
    enum coalescer_state coalescer;
    bool written; /* write-back has taken the entry in out2 */
    enum lsu_port
        port; /* of write-back, of the instruction that was in out1 in a cycle before, also of another launch */
    struct flight *entry[MOST_ENTRIES];
    uint32_t missing[MOST_ENTRIES]; /* lanes of the entry without an answer */
    uint64_t finished;              /* entries that wait for out1, the lowest first */
    unsigned leaving;               /* the entry in out1, out2 */
    unsigned inside;                /* instructions */
    unsigned ended_slot;            /* whose instruction has ended last ... */
    uint64_t ended_at;              /* ... and when: its place is free a cycle later */
};

struct lds {
    struct queue answers;
    unsigned waiting;                   /* answers that the coalescer could have taken before this cycle */
    uint64_t stalls_from, stalls_until; /* no row is taken between these cycles, the second one excluded */
};

/* What goes to and comes from the second level. */
enum message_kind { M_GET, M_PUT, M_PUT_PART, M_FLUSH };

struct message {
    enum message_kind kind;
    uint32_t line;
    uint16_t core;
    bool instruction; /* of the L1I */
    uint16_t number;  /* MSHR or write-status entry */
    uint64_t at;
};

struct l1d {
    struct tags tags;
    struct line_access input; /* flight NULL and kind A_READ: empty */
    bool have_input;
    struct line_access stage1;
    bool have_stage1, write_held;
    struct line_access victim; /* a dirty line on its way out */
    bool have_victim;
    uint64_t stall_until;
    uint32_t tested; /* line whose need of an entry was tested last ... */
    bool had_entry;  /* ... and the result */
    struct miss misses[MOST_ENTRIES];
    unsigned nmisses;
    unsigned nmisses_before, nrequests_before; /* before the events of this cycle */
    struct queue answers;                      /* to the LSU */
    struct queue requests;                     /* to memory: misses, writes, victims */
    struct message leaving;                    /* output register */
    bool have_leaving;
    bool port_ready;            /* the second level would take a request of this cache in this cycle */
    bool writing[MOST_ENTRIES]; /* write-status entries ... */
    uint32_t written[MOST_ENTRIES];
    unsigned nwriting;
    struct message answer[16]; /* from memory */
    unsigned nanswers;
    uint64_t answers_from; /* the last fill's requests are answered in these cycles ... */
    uint64_t answer_next;  /* ... up to this one, when the next fill can be made */
    uint32_t missed;       /* line of a read that missed in this cycle; UINT32_MAX: none */
    /* invalidation at the end of a group */
    bool flushing, flush_sent;
    uint64_t flush_at;
    unsigned flush_way;
};

/* A line that requests wait for. */
struct l2_entry {
    enum message_kind kind; /* of the first request, and its line */
    uint32_t line;
    struct message list[MOST_ENTRIES]; /* the oldest first; none: the entry is free */
    unsigned nlist;
    uint64_t want_at; /* when it asks memory; NEVER: it has asked, or need not */
    uint64_t line_at; /* when the line is there; NEVER: not known */
    bool fills;       /* the line has still to be written into the directory */
};

struct l2 {
    struct tags tags;
    struct message input[2];
    unsigned ninput;
    bool input_full;          /* before the events of this cycle */
    struct message looked_up; /* the request that was accepted last */
    bool looking_up;          /* it is in the directory */
    uint32_t asked_set;       /* directory's set of the request that has asked last, accepted or not */
    struct l2_entry entry[MOST_ENTRIES];
    unsigned nentries, nrequests; /* entries in use, and requests in their lists */
    unsigned nwrites;             /* writes that have been accepted and not answered */
    unsigned pointer;
    struct message answer; /* on its way to an SM */
    bool have_answer;
    struct message puts[L2_PUTS]; /* writes on their way to memory: ring */
    unsigned first_put, nputs;
    uint64_t memory_next;
    bool filling;        /* a line from memory is written in this cycle ... */
    uint32_t filled;     /* ... this one */
    uint64_t flush_done; /* NEVER: no flush */
    struct message flush;
    struct dram_bank {
        uint32_t row;     /* that is open */
        uint64_t free_at; /* when it can begin with another request */
    } banks[MOST_BANKS_OF_DRAM];
};

/* ---- an SM ---- */

struct core {
    struct model *model;
    unsigned number;
    struct timing_counts counts; /* since a launch began while none ran */
    struct slot_state slot[MOST_WARPS];
    unsigned on_way[MOST_WARPS];        /* flights of each slot */
    uint32_t private_start[MOST_WARPS]; /* private address 0 of lane 0, also after the warp has ended */
    unsigned nslots;
    uint64_t active; /* slots with a warp, which fetches and issues */
    struct resident resident[MOST_RESIDENT];
    struct front front;
    struct collection collection;
    struct units units;
    struct fpu fpu;
    struct lsu lsu;
    struct lds lds;
    struct l1d l1d;
    struct flight *pool;  /* all flights */
    struct flight **free; /* those not in use */
    unsigned nfree;
    struct flight *request[4]; /* to be executed by the functional machine, in this order */
    unsigned nrequests;
    struct flight *running; /* given to the machine, whose result has not been read */
    unsigned starting;      /* warps that have not been handed to the SM */
    uint64_t round;         /* in which ends of warps are collected */
    unsigned ending;        /* groups whose end has not reached the caches */
    uint64_t changes_known; /* model.changes when the machine could last place a group here */
};

/* A launch that runs. */
struct running {
    struct running *next;
    const struct launch *launch; /* which one of the machine's */
    const struct launch_info *info;
    char *kernel;
    unsigned number;             /* the lowest that no other one has */
    uint64_t begun;              /* when it was requested */
    uint64_t warps_left;         /* that have not ended ... */
    uint64_t groups_left;        /* ... and groups whose end has not been through the caches */
    struct timing_counts before; /* what all SMs had counted when it began */
    uint64_t serial;             /* which no other launch of the model has */
    struct account *account;     /* where its cycles go; NULL: nobody asks */
    bool hung;
    bool abandoned; /* one of its groups has left before its end */
    bool answered;  /* its end has been through all caches */
};

struct model {
    struct timing_config config;
    struct gpu *gpu;
    struct observer observer;
    uint64_t now;
    uint64_t begun;         /* when a launch was last requested while none ran */
    uint64_t dispatch_next; /* when another warp can be handed to an SM */
    uint64_t last_issue;
    bool hung;                      /* no instruction for so long that none will come */
    bool remains;                   /* instructions of launches that were given up may be on their way */
    struct running *running;        /* the oldest first */
    unsigned nabandoned, nanswered; /* of them, until the machine has ended them */
    uint64_t changes;               /* how often the machine has had a reason to look whether something can start */
    uint64_t look_at;               /* when it looks without one */
    struct core *cores;
    unsigned ncores;
    struct l2 l2;
    struct code_pages *code;
    struct slot_account *account; /* of each warp slot, for where cycles go; NULL: nobody asks */
    uint64_t serials;             /* launches so far */
    struct timing_launch *launches;
    size_t nlaunches, room;
    struct timeline *timeline; /* where events go; NULL: nowhere */
};

/* ---- between the parts ---- */

/* flight.c: the pool of flights */
bool flights_open(struct core *c);
void flights_close(struct core *c);
void flights_reset(struct core *c);
struct flight *flight_new(struct core *c, const struct op *op, unsigned slot);
void flight_free(struct core *c, struct flight *f);

/* fetch.c */
void front_decide(struct core *c);
void front_fetch(struct core *c);
/* The warp goes on elsewhere: what has been fetched is dropped. */
void front_flush(struct core *c, unsigned slot);
void front_drop(struct core *c, unsigned slot);
void front_jump(struct core *c, unsigned slot, uint32_t pc);

/* l1i.c */
bool l1i_lookup(struct core *c, uint32_t pc);
void l1i_miss(struct core *c, uint32_t pc);
void l1i_cycle(struct core *c);
bool l1i_can_answer(const struct core *c);
void l1i_answer(struct core *c, const struct message *answer);
bool l1i_message(struct core *c, struct message *out);
void l1i_reset(struct core *c);

/* tags.c */
bool tags_open(struct tags *t, uint32_t sets, uint32_t ways, const struct timing_config *config);
void tags_close(struct tags *t);
/* The ways of the line's set; the one that holds it, or NULL. */
struct tag *tags_set(struct tags *t, uint32_t line);
struct tag *tags_find(struct tags *t, uint32_t line);
/* Which way a new line takes: the one not used for the longest time; one that is free, if there is one, before that. */
struct tag *tags_oldest(struct tags *t, uint32_t line);
struct tag *tags_victim(struct tags *t, uint32_t line);
/* A line has been filled; a line that is there has been found. */
void tags_use(struct tags *t, struct tag *tag);
void tags_hit(struct tags *t, struct tag *tag);
void tags_clear(struct tags *t);

/* buffer.c: decode, FIFO and group register */
void buffer_push(struct core *c, unsigned slot, uint32_t pc, uint8_t mask);
void buffer_refill(struct core *c);

/* scoreboard.c */
/* The instruction the scoreboard looks at: the next one, or slot 0 of a group that is used up; NULL: none. */
const struct op *scoreboard_op(const struct core *c, const struct slot_state *s);
/* A register that the instruction has to wait for, NO_REGISTER: none. */
unsigned scoreboard_register(const struct slot_state *s, const struct op *op);
bool scoreboard_blocks(const struct core *c, const struct slot_state *s);
void scoreboard_set(struct slot_state *s, const struct op *op);
void scoreboard_clear(struct slot_state *s, unsigned reg);

/* issue.c */
void issue_decide(struct core *c);
void issue(struct core *c);

/* collect.c */
/* Collectors that are free, those for instructions on their way not counted. */
static inline unsigned collect_room(const struct core *c)
{
    const struct collection *n = &c->collection;
    return c->model->config.collectors - n->used - (n->arriving[0] != NULL) - (n->arriving[1] != NULL);
}
void collect_cycle(struct core *c);

/* units.c */
void unit_open(struct core *c);
void unit_cycle(struct core *c);
bool unit_ready(const struct core *c, const struct flight *f);
void unit_take(struct core *c, struct flight *f);

/* fpu.c: the result that has the way out, or NULL; a cycle, in which it is written if its port is free; whether it can
 * take an instruction; an instruction whose lanes take it for `passes` cycles */
void fpu_open(struct core *c);
struct flight *fpu_result(const struct core *c);
void fpu_cycle(struct core *c, const bool port_free[2]);
bool fpu_ready(const struct core *c, const struct op *op);
void fpu_take(struct core *c, struct flight *f, uint32_t passes);

/* sfu.c */
uint32_t sfu_cycles(const struct core *c, const struct op *op, const struct warp *w);

/* control.c: branches, barriers, ends of warps */
void control_cycle(struct core *c);
bool control_ready(const struct core *c, const struct flight *f);
void control_take(struct core *c, struct flight *f);

/* group.c */
void group_begun(struct model *m, const struct group *group);
void group_cycle(struct core *c);
/* The warp's endprg acts. False: it is the last warp of its launch, and the machine executes its endprg when the launch
 * has been answered: until then the launch has not ended. */
bool group_warp_ended(struct core *c, struct slot_state *s);
bool group_arrived(struct core *c, struct slot_state *s);
/* The caches have been emptied at the end of a group. */
void group_flushed(struct core *c);
/* The machine has taken the group from the SM. Warps of it that have not ended stop. */
void group_removed(struct core *c, const struct group *group);

/* running.c: launches that run. Those that there was no memory for are not among them. */
struct running *running_of(const struct model *m, const struct group *group); /* NULL: no memory */
void running_begin(struct model *m, const struct launch *launch, const struct launch_info *info);
/* The ends of all its groups have been through the caches. */
void running_answer(struct model *m, struct running *r);
/* One of its groups has left before its end. */
void running_abandon(struct model *m, struct running *r);
/* Nothing more will come of any of them. */
void running_hang(struct model *m);
/* A warp that the machine runs without the model: what is left of launches that have been answered or abandoned, or
 * are not modelled. NULL: the list of groups has none. */
struct warp *running_rest(const struct model *m, struct group *groups, uint64_t *budget);
/* The machine has ended it: it is one of timing_launches now. */
void running_end(struct model *m, const struct launch *launch);
void running_close(struct model *m);
/* The kernel of the launch with this number. */
static inline const char *running_kernel(const struct model *m, unsigned number)
{
    const struct running *r = m->running;
    while (r && r->number != number) r = r->next;
    return r ? r->kernel : "";
}

/* lsu.c */
void lsu_cycle(struct core *c);
bool lsu_ready(const struct core *c, const struct flight *f);
void lsu_take(struct core *c, struct flight *f);
bool lsu_empty(const struct core *c);
/* The instruction that has all its answers and needs write-back; NULL: none. lsu_written: it has been written. */
struct flight *lsu_result(const struct core *c);
void lsu_written(struct core *c);

/* lds.c */
void lds_cycle(struct core *c);
bool lds_ready(const struct core *c);
void lds_take(struct core *c, const struct line_access *a);

/* l1d.c */
void l1d_cycle(struct core *c);
bool l1d_ready(const struct core *c);
void l1d_take(struct core *c, const struct line_access *a);
void l1d_flush(struct core *c);
bool l1d_can_answer(const struct core *c);
void l1d_answer(struct core *c, const struct message *answer);
bool l1d_message(struct core *c, struct message *out);

/* l2.c: second level and memory */
bool l2_open(struct model *m);
void l2_cycle(struct model *m);
void l2_take_messages(struct model *m);

static inline bool slot_is_active(const struct core *c, unsigned slot) { return c->active >> slot & 1; }

static inline struct line_access *queue_at(struct queue *q, unsigned i)
{
    return &q->item[(q->first + i) % MOST_ENTRIES];
}
static inline void queue_push(struct queue *q, const struct line_access *a) { *queue_at(q, q->count++) = *a; }
static inline struct line_access *queue_head(struct queue *q) { return &q->item[q->first]; }
static inline void queue_pop(struct queue *q)
{
    q->first = (q->first + 1) % MOST_ENTRIES;
    q->count--;
}

static inline uint32_t line_of(const struct model *m, uint32_t address)
{
    return address & ~(m->config.line_bytes - 1);
}

/* account.c: where cycles go. In a cycle of an SM, after front_decide; a line or row asked for, the first one of its
 * instruction or another; a line looked up in the data cache. */
void account_cycle(struct core *c);
void account_access(struct core *c, const struct flight *f, bool local, bool first);
void account_lookup(struct core *c, const struct flight *f, bool hit);
/* A launch begins, and has ended: NULL when there was no memory, or nobody asks; or it is given up. */
struct account *account_begin(const struct model *m);
struct timing_account *account_end(struct model *m, struct running *r);
void account_drop(struct account *a);
void account_free(struct timing_account *a);

/* timeline.c: opens the file for events, and ends it at cycle `now`; errors as output_open and output_close */
struct timeline *timeline_open(const struct model *m, const char *path, char *why, size_t why_size);
bool timeline_close(struct timeline *t, uint64_t now, char *why, size_t why_size);
/* The cycle has ended, and its events have been written. */
void timeline_cycle(const struct timeline *t);
void timeline_write(const struct core *c, const char *event, unsigned warp, uint32_t pc, bool has_pc,
                    const char *format, ...) __attribute__((format(printf, 6, 7)));
#define EVENT(c, event, warp, pc, ...) \
    do { \
        if (__builtin_expect((c)->model->timeline != NULL, 0)) timeline_write(c, event, warp, pc, true, __VA_ARGS__); \
    } while (0)
#define EVENT0(c, event, warp, ...) \
    do { \
        if (__builtin_expect((c)->model->timeline != NULL, 0)) timeline_write(c, event, warp, 0, false, __VA_ARGS__); \
    } while (0)

#endif
