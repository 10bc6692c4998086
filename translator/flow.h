/* Guest code as blocks, for the translator: what can be reached from the start, where control goes, and where the
 * instruction budget is looked at. */
#ifndef VENTUS_TRANSLATOR_FLOW_H
#define VENTUS_TRANSLATOR_FLOW_H

#include "isa/routine.h"
#include "native/native.h"

/* How an instruction is translated. */
enum how {
    HOW_ROW,  /* the function of its row */
    HOW_LOAD, /* an access of its own kind ... */
    HOW_STORE,
    HOW_ATOMIC,
    HOW_CSR, /* a control register that is read only, and whose value is a number in memory */
    HOW_MSTATUS,
    HOW_VSET,
    HOW_FENCE,
    HOW_NOTHING, /* only counted */
    HOW_SHUFFLE, /* words of other lanes */
    HOW_HELP,    /* by `step`, within the block */
    HOW_LEAVE,   /* by `step`, outside: ends the block in front of it */
    HOW_ROUTINE, /* a call that the host has an operation for: goes on behind it */
    HOW_CONTROL, /* ends the block; see isa_control */
};

/* A routine that stands for an operation: straight-line code. */
struct routine {
    uint32_t pc;                    /* where it begins; 0: there is none, as far as is known */
    uint32_t end;                   /* behind its return */
    struct isa_registers written;   /* by its code, and the result */
    uint16_t counts[NATIVE_COUNTS]; /* of its code, COUNT_LANES excepted */
};

struct node {
    struct decoded d;
    struct isa_effects effects;
    uint32_t pc;
    uint8_t how;                    /* enum how */
    uint8_t number;                 /* HOW_ROUTINE: enum routine_number */
    uint16_t counts[NATIVE_COUNTS]; /* COUNT_LANES excepted */
};

struct block {
    uint32_t pc;         /* of its first instruction */
    uint32_t end;        /* address behind its last instruction */
    size_t first, count; /* nodes */
    bool leaves;         /* the instruction at `end` is one to leave for, or none at all */
    uint32_t resume;     /* where control is taken to come back from there; 0: nowhere */
    bool strays;         /* it is a branch, which may go elsewhere */
    bool checked;        /* the budget is looked at in front of it: control may come back to it from below */
    bool entry;          /* warps may enter here */
    uint32_t need;       /* most instructions from here until the budget is looked at or the code is left */
};

struct flow {
    const struct native_request *request;
    const uint32_t *code; /* the constants follow it */
    struct node *nodes;   /* ascending by pc; adjacent ones of a block follow one another */
    size_t nnodes;
    struct block *blocks; /* ascending */
    size_t nblocks;
    struct call {
        uint32_t back, to; /* address behind it, where indirect jumps may go, and what it calls; 0: anything */
    } * calls;
    size_t ncalls;
    bool reserves; /* there is an lr.w: stores may end reservations */
    struct routine routines[ROUTINES];
};

/* `program` is what follows the request. False: the host has no memory. */
bool flow_make(struct flow *flow, const struct native_request *request, const uint32_t *program);
void flow_free(struct flow *flow);

/* Does the code call routines that stand for operations, on doubles or longs? */
bool flow_has_routines(const struct flow *f);

/* What a load of this kind finds at an address of the constants. False: not all of its bytes are there. */
bool flow_constant(const struct flow *flow, uint32_t addr, const struct isa_memory *m, uint32_t *word);

/* The block that begins at pc, or NULL. */
const struct block *flow_block(const struct flow *flow, uint32_t pc);

/* Where the function begins in which an indirect jump stands, if functions begin where calls go to, and whether the
 * jump may go on behind a call: one of that function, or of what is not known. */
uint32_t flow_function(const struct flow *flow, const struct node *jump);
static inline bool flow_may_return(const struct call *c, uint32_t function) { return !c->to || c->to == function; }

/* Registers that a node reads and writes. */
struct isa_registers node_read(const struct node *n);
struct isa_registers node_written(const struct flow *flow, const struct node *n);

void registers_add(struct isa_registers *to, const struct isa_registers *from);

/* Is it a conversion of a scalar register to an integer toward zero, as C does it? The row rounds otherwise. */
bool node_truncates(const struct node *n);

/* Address of the word behind a prefix, from which branches count, and of a branch's target. */
static inline uint32_t node_here(const struct node *n) { return n->pc + n->d.in.size - 4u; }
static inline uint32_t node_next(const struct node *n) { return n->pc + n->d.in.size; }
/* May it read what lanes hold that are not active? */
static inline bool node_looks_across(const struct node *n) { return n->how == HOW_HELP || n->how == HOW_SHUFFLE; }
static inline uint32_t node_target(const struct node *n) { return node_here(n) + (uint32_t)n->d.in.imm; }

#endif
