/* The back end's own types: one kernel on its way from LLVM IR to machine words.
 *
 * The stages, each a file, are called in backend.c: flow (blocks, dominance, liveness of the IR), divergence (rules
 * R1-R3), select* (IR -> machine instructions on virtual registers), peephole, pool, liveness (with rule R5), regalloc
 * and spill, reconverge, emit. No stage calls a later one. The rules R1-R8 are those of README.md, "Rules". */
#ifndef VENTUS_BACKEND_H
#define VENTUS_BACKEND_H

#include "compiler/cc.h"

#include <llvm-c/Target.h>

#include "asm/template.h"
#include "isa/effects.h"

/* ---- graphs (graph.c) ---- */

struct graph {
    uint32_t n;
    uint32_t *first; /* n + 1 entries: the edges of node i are to[first[i]] .. to[first[i + 1] - 1] */
    uint32_t *to;
};
enum { NO_NODE = UINT32_MAX };

struct edge {
    uint32_t from, to;
};
/* Edges as they are found, one after another. */
struct edges {
    struct edge *list;
    uint32_t n, room;
};
void edges_add(struct cc *cc, struct edges *e, uint32_t from, uint32_t to);
struct graph graph_make(struct cc *cc, uint32_t n, const struct edge *edges, uint32_t nedges);
struct graph graph_reverse(struct cc *cc, const struct graph *g);
/* Reverse postorder from `root`; returns how many nodes it reaches. Successors are visited in edge
 * order, so the last edge of a node comes right behind it. */
uint32_t graph_order(struct cc *cc, const struct graph *g, uint32_t root, uint32_t *order);
/* Immediate dominators; NO_NODE for the root and what it does not reach. */
uint32_t *graph_dominators(struct cc *cc, const struct graph *g, uint32_t root);
/* What `from` reaches, itself included, without entering `stop` and what is marked in `set` (n bytes) already: marks it
 * there, lists it in `list` and returns how much it is. */
uint32_t graph_reach(const struct graph *g, uint32_t from, uint32_t stop, uint8_t *set, uint32_t *list);
/* Liveness, in time of the size of its result: edges from each block to the values that are live where it begins.
 * `uses` has edges from values to the blocks that read them before they write them, `defs` to those that write them. */
struct graph graph_live(struct cc *cc, const struct graph *pred, const struct graph *uses, const struct graph *defs);
/* The natural loop with this header, in a graph numbered in reverse postorder: marks its blocks in `mark` (all clear
 * before), lists them in `blocks` and returns how many there are, 0 if nothing leads back to the header. */
uint32_t graph_loop(const struct graph *pred, const uint32_t *idom, uint32_t header, uint8_t *mark, uint32_t *blocks);

/* ---- bit sets ---- */

typedef uint64_t bits;
static inline size_t bits_words(size_t n) { return (n + 63) / 64; }
static inline bool bit_test(const bits *s, uint32_t i) { return s[i / 64] >> (i % 64) & 1; }
static inline void bit_set(bits *s, uint32_t i) { s[i / 64] |= (bits)1 << (i % 64); }
static inline void bit_clear(bits *s, uint32_t i) { s[i / 64] &= ~((bits)1 << (i % 64)); }

/* ---- operands ---- */

/* A register or, when reg is NOREG, the constant imm. Registers below FIRST_VREG are the scalar
 * registers themselves. */
struct opd {
    int32_t reg;
    uint32_t imm;
};
enum { NOREG = -1, FIRST_VREG = 64, REG_RA = 1, REG_KNL = 1, REG_BASE = 5, REG_LOCAL = 8, REG_ARGS = 10 };

/* Routines (README.md, "Routines"): where the caller wants one to go on, and scalar registers for arguments, which are
 * such as all machines have enough of, and none that functions of docs/abi.md keep. */
enum { REG_LINK = 31, REG_PASSED = 11, PASSED_SCALARS = 7 };

/* The convention of functions that other objects see (docs/abi.md): words in vector registers, the scalar stack and the
 * end of the private memory that is in use. */
enum { CONVENTION_WORDS = 32, REG_SP = 2, REG_PRIVATE = 4 };
/* In place of the number of a variable, of OP_AUIPC: the end of this function's private memory, and bytes of it from
 * its beginning on. */
enum { FRAME_END = -1 };
static inline int32_t frame_place(uint32_t offset) { return -2 - (int32_t)offset; }
static inline struct opd opd_reg(int32_t reg) { return (struct opd){reg, 0}; }
static inline struct opd opd_imm(uint32_t imm) { return (struct opd){NOREG, imm}; }
static inline bool is_imm(struct opd o) { return o.reg == NOREG; }
static inline bool is_imm_of(struct opd o, uint32_t v) { return o.reg == NOREG && o.imm == v; }

/* ---- IR side ---- */

struct value {
    LLVMValueRef ref;
    uint32_t block; /* where it is defined */
    uint32_t line;  /* of the source, after selection; 0: not known */
    bool divergent; /* may differ between lanes: lives in vector registers */
    bool escapes;   /* byval argument whose bytes must be copied to private memory, or a routine's, which may point
                     * there */
    uint16_t nuses;
    uint32_t *uses;            /* operands as value numbers, NO_NODE for constants; of a load or store the
                                * base that remains after constant offsets have been folded */
    struct opd *parts;         /* 32-bit parts, after selection */
    struct opd base;           /* of a getelementptr: the address without its constant offset */
    struct opd uniform, lanes; /* of a getelementptr: what base is the sum of, the second in vector registers or 0 */
    uint32_t offset;           /* that offset; of an alloca its place in the frame */
};

struct block {
    LLVMBasicBlockRef ref;
    uint32_t first, end;     /* its instructions in f->values */
    uint32_t succ[2], nsucc; /* succ of a returning block: the exit node */
    uint32_t ipdom;
    uint32_t depth;         /* loops around it */
    bool divergent;         /* ends in a branch whose condition differs between lanes */
    uint32_t mfirst, mlast; /* machine blocks, after selection */
};

/* ---- machine side ---- */

enum reg_class { CLASS_S, CLASS_V };

struct vreg {
    uint8_t cls;
    uint8_t zbits, sbits; /* the value is known to fit so many bits, unsigned / signed; 32 = unknown */
    bool temporary;       /* made by the spiller: not to be spilled again */
    bool apart;           /* not to be merged with others: a home of a spilled scalar */
    uint8_t level;        /* how many loops the spiller has left around it (spill.c) */
    bool direct;          /* must have a register that a word names without a prefix */
    uint16_t group;       /* of adjacent registers, number + 1 in f->groups; 0: none */
    bool undefined;       /* may be read where nothing has written it: what it holds does not matter there */
    bool fixed;           /* phys is given: a place of a routine's argument or result */
    uint16_t ndefs;
    int16_t phys;
    int32_t hint;
    int32_t home;  /* of a spilled scalar or a part of it: the vector register whose lanes hold it; else NOREG */
    uint32_t slot; /* of a spilled vector register or a part of it: its private address; else 0 */
};

/* Address spaces as LLVM numbers them; private memory has instructions of its own. */
enum space { SPACE_ANY, SPACE_GLOBAL, SPACE_CONSTANT, SPACE_LOCAL };

struct minsn {
    uint16_t op, aux;
    int32_t rd, rs1, rs2, rs3;
    int32_t imm;
    uint32_t place; /* of the IR instruction that it was made of, see source_line */
    uint32_t word;  /* where it stands in the kernel, emit.c */
    int32_t made;  /* the register, by its name then, that got a value of a variable from it (debug_track.c); 0: none */
    uint32_t slot; /* of private memory, that it moves a spilled register to or from (spill.c); 0: none */
    bool moves;    /* between a spilled register and its home */
    uint8_t rm;
    bool keep;             /* has an effect besides its result */
    uint8_t space;         /* of memory that it accesses, enum space */
    struct asm_text *text; /* of OP_ASM */
};

/* Inline assembly is one instruction: its operands are registers like all others, and the words come from the
 * assembler when their numbers are known. */
enum { OP_ASM = OP_COUNT };
struct asm_value {
    struct asm_operand operand; /* its register number is known at the end */
    int32_t *regs;              /* its registers, adjacent ones if they are several */
    uint32_t nregs;
    bool read, written;
};
struct asm_text {
    const char *text;
    struct asm_value *values;
    uint32_t nvalues;
    bool early;      /* a result is written before all operands have been read */
    uint32_t *words; /* emit.c */
    size_t nwords;
};

/* Virtual registers that must get adjacent registers. */
struct group {
    int32_t *regs;
    uint32_t n;
    bool direct;
};

enum term { TERM_JUMP, TERM_BRANCH, TERM_RETURN };

struct mblock {
    struct minsn *code;
    uint32_t n, cap;
    uint8_t term;
    bool divergent;   /* a vector branch: rpc is the block where its lanes meet again */
    bool join;        /* some vector branch meets here */
    bool calls_rpc;   /* calls a routine that sets rpc */
    uint16_t op;      /* of a branch, with its two registers in isa operand roles */
    int32_t rs1, rs2; /* where a routine or kernel returns, rs1 is the register with the address */
    uint32_t succ[2]; /* taken, otherwise; succ[0] of a jump */
    uint32_t rpc;     /* of a divergent branch, and where sets_rpc */
    bool sets_rpc;    /* names rpc before its last instruction (reconverge.c) */
    uint32_t depth;
    uint32_t place;           /* as that of an instruction, of the block's last one */
    uint32_t word, term_word; /* where the block and its last instruction begin, emit.c */
    uint32_t start, end;      /* instruction positions, liveness.c */
};

/* Half-open ranges of positions in which a register holds a value. */
struct segment {
    uint32_t from, to;
};
struct range {
    struct segment *seg;
    uint32_t n, cap;
    double weight;
};

enum { LOOP_CONSTANTS = 6 };

struct local {
    LLVMValueRef global;
    uint32_t offset;
};

struct debug_track;
struct func {
    struct cc *cc;
    struct kernel *kernel;
    LLVMTargetDataRef data;
    unsigned disabled; /* mutation tests: bit i set = rule Ri off */

    /* The IR: flow.c and divergence.c. */
    struct value *values;
    uint32_t nvalues, nparams;
    struct block *blocks; /* in reverse postorder; number nblocks is the exit */
    uint32_t nblocks;
    struct graph succ, pred; /* of the IR blocks, with the exit node */
    struct graph live_in;    /* edges from each block to the values live where it begins */
    uint32_t *map;           /* hash: LLVMValueRef -> value number + 1 */
    uint32_t map_size;

    /* Machine code: select*.c make it, later stages change it. */
    struct vreg *vregs;
    uint32_t nvregs, vregs_cap;
    struct mblock *mblocks;
    uint32_t nmblocks, mblocks_cap;
    uint32_t cur, exit;                      /* block being filled, block that returns */
    uint32_t place;                          /* of the instruction being selected */
    LLVMValueRef at;                         /* that instruction, for messages */
    int32_t args;                            /* register with the argument buffer's address */
    int32_t local_base;                      /* register with the address of the group's own local memory */
    struct opd constants[2][LOOP_CONSTANTS]; /* by class: registers that hold a constant throughout */
    uint32_t nconstants[2];

    /* Memory of the kernel. */
    struct local *locals;
    uint32_t nlocals, locals_cap, lds_bytes;
    uint32_t frame;      /* private bytes used so far */
    int32_t *slot_bases; /* registers with addresses of spilled ones, spill.c */
    uint32_t nslot_bases, slot_bases_room;

    struct group *groups;
    uint32_t ngroups, groups_cap;
    struct isa_registers reserved; /* not for values: inline assembly writes them by their names, calls pass values */
    struct isa_registers called;   /* what calls of routines write: not for values that are needed behind a call */
    bool calls;                    /* there are such calls, */
    bool calls_others;             /* and some are of functions with the convention of docs/abi.md */
    int32_t frame_base;            /* of such a function: the vector register with the address of its private memory */
    uint32_t save_area;            /* and where it keeps vector registers, behind that; 0: nowhere */
    unsigned result;               /* of a routine: the vector register where its result begins */

    struct debug_track *track; /* with -g: debug_track.c */

    /* Allocation of registers: liveness.c, regalloc.c. */
    uint32_t *order, norder;   /* machine blocks as laid out */
    struct range *ranges;      /* of each virtual register, liveness.c */
    struct graph live;         /* edges from each machine block to the registers live where it begins */
    uint32_t nregs_s, nregs_v; /* registers the allocator may use: fewer in tests */
};

static inline bool rule(const struct func *f, unsigned r) { return !(f->disabled >> r & 1); }

/* ---- func.c: services ---- */

/* Adds a register to a set. */
void registers_add(struct isa_registers *set, bool vector, unsigned number);
void registers_add_all(struct isa_registers *set, const struct isa_registers *more);
/* The kernel cannot be compiled, for a reason that the text names. */
_Noreturn void fail(struct func *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
int32_t new_vreg(struct func *f, enum reg_class cls);
/* A place is the number of a value + 1, or 0: made of no instruction. The line of the source of a place, 0: not known.
 */
uint32_t source_line(const struct func *f, uint32_t place);
uint32_t new_block(struct func *f, uint32_t depth);
/* Adds an instruction to the current block, or to one of another number. */
struct minsn *emit(struct func *f, unsigned op, int32_t rd, int32_t rs1, int32_t rs2, int32_t imm);
struct minsn *emit_to(struct func *f, uint32_t block, unsigned op, int32_t rd, int32_t rs1, int32_t rs2, int32_t imm);
/* Where a machine block leads to, in the order of mblock.succ; returns how many there are. */
uint32_t block_successors(const struct mblock *b, uint32_t out[2]);
/* The machine blocks as a graph. Edges that leave a loop come first, so that in the order of graph_order the loop's own
 * blocks follow each other. */
struct graph machine_graph(struct func *f);

/* ---- flow.c ---- */
void flow_run(struct func *f);
/* The first part of it: numbers blocks and values, makes the graphs. */
void flow_number(struct func *f);
/* Number of an argument or instruction, NO_NODE for everything else. */
uint32_t value_of(const struct func *f, LLVMValueRef v);
/* The address without trailing constant offsets, which are added to *offset. */
LLVMValueRef address_base(struct func *f, LLVMValueRef pointer, uint32_t *offset);
/* The object an address is derived from by getelementptr. */
LLVMValueRef address_object(LLVMValueRef pointer);
uint64_t type_size(struct func *f, LLVMTypeRef type);
/* Splits the offset of a getelementptr: returns the constant part; with `scale`, variable index i
 * (operand i) counts scale[i] bytes and constant ones 0. */
uint32_t gep_offset(struct func *f, LLVMValueRef gep, uint32_t *scale);

/* ---- divergence.c ---- */
void divergence_run(struct func *f);

/* ---- select.c: blocks, branches, phis ---- */
void select_run(struct func *f);

/* ---- select_value.c: values, constants and types as 32-bit parts ---- */
/* All 32-bit parts of a value or constant. */
const struct opd *parts(struct func *f, LLVMValueRef v);
/* Number of 32-bit parts of a type, and the part a member begins at. */
unsigned type_parts(struct func *f, LLVMTypeRef type);
unsigned member_part(struct func *f, LLVMTypeRef type, unsigned index);
/* Bits of an integer, half or double; other one-part types count 32. */
unsigned type_bits(LLVMTypeRef type);
/* IR as text for messages, at most 120 characters. */
const char *text_of(struct func *f, LLVMValueRef v);
const char *text_of_type(struct func *f, LLVMTypeRef type);
uint32_t local_offset(struct func *f, LLVMValueRef global);

/* ---- select_routine.c: calls of routines, and their own arguments and results ---- */
/* True if the call is one of a routine. */
bool select_routine_call(struct func *f, LLVMValueRef call, struct opd *out);
void select_routine_arguments(struct func *f);
/* Before selection: what is called, and the private memory that this needs. */
void select_routine_calls(struct func *f);
/* Behind that: what the convention of docs/abi.md wants of private memory and registers. */
void select_routine_frame(struct func *f);
void select_routine_return(struct func *f, LLVMValueRef ret);

/* ---- convention.c: functions that other objects see ---- */
/* Those that a function has to save if it uses them. */
struct isa_registers convention_saved(void);
/* The words of `type` begin at an even one of the registers. */
bool convention_is_paired(LLVMTypeRef type);

/* ---- select_alu.c: operations on 32-bit parts, scalar or vector as the operands are ---- */
// clang-format off
enum alu {
    ADD, SUB, AND, OR, XOR, SLL, SRL, SRA, MUL, MULH, MULHU, DIV, DIVU, REM, REMU,
    SLT, SLTU, SEQ, SNE, MIN, MAX, MINU, MAXU, SADDU, SADD, SSUBU, SSUB,
    FADD, FSUB, FMUL, FDIV, FMIN, FMAX, FSGNJ, FSGNJN, FSGNJX, FEQ, FNE, FLT, FLE, NALU
};
// clang-format on
struct opd alu(struct func *f, enum alu op, struct opd a, struct opd b);
bool is_v(const struct func *f, struct opd o);
int32_t to_s(struct func *f, struct opd o); /* into a scalar register; V must be uniform */
/* Copies a value or constant into a register. */
void emit_copy(struct func *f, int32_t to, struct opd from);
int32_t to_v(struct func *f, struct opd o); /* into a vector register */
struct opd zero_extend(struct func *f, struct opd o, unsigned bits);
struct opd sign_extend(struct func *f, struct opd o, unsigned bits);
struct opd select_opd(struct func *f, struct opd c, struct opd a, struct opd b);
struct opd not1(struct func *f, struct opd c);
struct opd unary(struct func *f, unsigned sop, unsigned vop, struct opd a, uint8_t rm);
struct opd fma_opd(struct func *f, struct opd a, struct opd b, struct opd c, bool negate_product, bool negate_sum);
/* The vector-vector form of a vector-scalar operation, or OP_INVALID. */
unsigned vv_form(unsigned op);

/* ---- select_int.c: integers of any width, as arrays of parts ---- */
struct num {
    struct opd p[2];
    unsigned bits;
}; /* up to 64 bits; p[1] only above 32 */
struct num num_of(struct func *f, LLVMValueRef v);
void num_extend(struct func *f, struct num *n, bool is_signed);
struct num num_add(struct func *f, struct num a, struct num b);
struct num num_sub(struct func *f, struct num a, struct num b);
struct num num_mul(struct func *f, struct num a, struct num b);
struct num num_shift(struct func *f, enum alu op, struct num a, struct num n);
struct num num_logic(struct func *f, enum alu op, struct num a, struct num b);
struct num num_select(struct func *f, struct opd c, struct num a, struct num b);
struct num num_imm(unsigned bits, uint64_t v);
/* a `predicate` b as 0 or 1; the operands are extended as the predicate needs. */
struct opd num_compare(struct func *f, LLVMIntPredicate predicate, struct num a, struct num b);
bool select_integer(struct func *f, LLVMValueRef inst, struct opd *out);
bool select_cast(struct func *f, LLVMValueRef inst, struct opd *out);
/* `width` bits of a value seen as a row of bits, beginning at bit `at`; width <= 32. Bits above them may be garbage. */
struct opd value_bits(struct func *f, LLVMValueRef v, unsigned at, unsigned width);
struct opd float_compare(struct func *f, LLVMRealPredicate predicate, struct opd a, struct opd b, bool *negate);
struct opd int_to_float(struct func *f, struct num n, bool is_signed);

/* ---- select_wide.c ---- */
/* Moves and logic of integers of more than 64 bits; false if the instruction is something else. */
bool select_wide(struct func *f, LLVMValueRef inst, struct opd *out);

/* ---- select_mem.c ---- */
bool select_memory(struct func *f, LLVMValueRef inst, struct opd *out);
void select_arguments(struct func *f);
/* Where private variables lie, if that is relative to f->frame_base. */
void select_frame_addresses(struct func *f);
/* The address of the group's own local memory, as f->local_base. Unused, it goes in the peephole pass. */
void select_local_base(struct func *f);
void select_frame(struct func *f);

/* ---- select_call.c ---- */
void select_call(struct func *f, LLVMValueRef inst, struct opd *out);

/* ---- select_asm.c: inline assembly ---- */
bool is_inline_asm(LLVMValueRef value);
/* Is this a result of inline assembly in a scalar register, or are all its results? */
bool asm_is_uniform(LLVMValueRef value);
void select_asm(struct func *f, LLVMValueRef inst, struct opd *out);
/* Assembles the text of an OP_ASM whose registers are known. */
void asm_assemble_text(struct func *f, struct asm_text *text, uint32_t line);

/* ---- machine.c: facts about machine instructions ---- */
/* Registers of an instruction in the order rd, rs1, rs2, rs3; class -1 where there is none. */
struct roles {
    int8_t rd, rs1, rs2, rs3;
    bool reads_rd;
    uint8_t latency; /* cycles until what needs the result can be issued, isa_latency */
};
const struct roles *insn_roles(unsigned op);
bool is_pure(const struct minsn *m);
bool is_copy(const struct minsn *m);
/* Calls visit(user, &register, is_def) for every virtual register of an instruction, uses first. */
typedef void (*visit_reg)(void *user, int32_t *reg, bool is_def);
void visit_insn(struct minsn *m, visit_reg visit, void *user);
void visit_term(struct mblock *b, visit_reg visit, void *user);
void count_defs(struct func *f);

/* ---- peephole.c ---- */
void peephole_run(struct func *f);

/* ---- indexed.c ---- */
/* Lets accesses of words add what their addresses are the sum of. */
void indexed_run(struct func *f);

/* ---- pool.c ---- */
/* Loads long constants from a table, where that is shorter. */
void pool_run(struct func *f);

/* ---- liveness.c ---- */
/* Where each register is live, in order of the layout. */
void liveness_run(struct func *f);
/* Does a register hold a value at this position that is still read? */
bool is_live(const struct func *f, int32_t reg, uint32_t position);
/* One register for both sides of a copy, where that is possible; ranges stay right. */
void coalesce_run(struct func *f);

/* ---- hoist.c ---- */
/* Moves out of loops what stays the same in them; true if that changed anything, which liveness then has to see. */
bool hoist_run(struct func *f);

/* ---- fuse.c ---- */
/* Chooses what multiply-adds replace; true if that changed anything, which liveness then has to see. */
bool fuse_run(struct func *f);

/* ---- schedule.c ---- */
/* Orders the instructions of each block anew, to wait less for results, behind coalesce_run; those of `copy`, from
 * verify_copy, in the same way, if there is one. True if that changed anything, which liveness then has to see. */
bool schedule_run(struct func *f, struct mblock *copy);

/* ---- groups.c ---- */
/* Gives adjacent registers to all groups, and marks them in `taken`, a bit per vector register, as those already
 * marked there are kept from them. */
void groups_place(struct func *f, uint64_t taken[ISA_VREGS / 64]);

/* ---- regalloc.c, spill.c ---- */
/* Gives every virtual register a place and returns 0; or finds none for some, which it lists in *unplaced and
 * counts. If a class has such, there are more of it: what is listed leaves `spare` registers to the spiller's
 * temporaries. */
uint32_t regalloc_run(struct func *f, uint32_t spare, uint32_t **unplaced);
/* How many registers of a class need no prefix, and are for values that live over calls as well. */
uint32_t regalloc_direct(const struct func *f, enum reg_class cls);
/* Splits these registers: rewrites the code so that others that live for shorter take their places, or, `to_the_end`,
 * temporaries of single instructions. */
void spill_run(struct func *f, const uint32_t *vregs, uint32_t n, bool to_the_end);

/* ---- debug_track.c: where values of variables are, while registers are renamed and spilled; with -g ---- */

/* A part of a value of a variable, by the register that selection gave it. */
struct tracked {
    int32_t name; /* what minsn.made calls it */
    int32_t reg;  /* the register it is in now; NOREG: it is in private memory, at `slot` */
    uint32_t slot;
    int32_t copies, next_copy; /* other values on this list that are copies of it, NOREG: none; the next of these */
};
struct piece {
    uint32_t bytes; /* of the variable */
    enum piece_kind {
        PIECE_LOST,
        PIECE_CONSTANT, /* `value` */
        PIECE_TRACKED,  /* track->list[value] */
        PIECE_ARGUMENT, /* the address of the argument buffer, and `value` */
    } kind;
    uint32_t value;
    uint32_t argument; /* where it is in the argument buffer as well, + 1; 0: nowhere */
};
/* From a place on, a variable or a part of it is ... */
struct event {
    uint32_t place; /* in front of the code that was made of it */
    uint32_t variable;
    const struct debug_record *record;
    struct piece *pieces;
    uint32_t npieces;
    bool memory;  /* the only piece is the address of the variable */
    bool frame;   /* ... of a private one, as a constant */
    bool merged;  /* found where ways meet: debug_merge.c */
    int32_t next; /* of the same variable, NOREG: none */
};
struct debug_track {
    struct tracked *list;
    struct event *events; /* by place */
    struct debug_variable *variables;
    int32_t *first_event; /* by variable */
    uint32_t n, room, nevents, nvariables;
    uint32_t *number; /* by register at the beginning: its place in the list + 1, 0: none */
    int32_t link;     /* on the list: the return address of a routine, NOREG: none */
};
/* Behind selection; behind the peephole pass. */
void track_begin(struct func *f);
void track_mark(struct func *f);
/* Between these: calls add(user, record) for what variables are where ways meet. */
void track_merge(struct func *f, void (*add)(void *user, const struct debug_record *record), void *user);
/* Registers get other names, as visit_insn would tell it. */
void track_rename(struct func *f, visit_reg visit, void *user);
/* By register: not 0 if it is split and has its home from now on. */
void track_spill(struct func *f, const uint8_t *split);

/* ---- debug_places.c ---- */
struct places_state;
/* Before emit_run, which changes the blocks: where the values are. NULL without -g. */
struct places_state *places_solve(struct func *f);
/* Behind it: calls at(user, word, facts) for each instruction, in the order of their words, with what is true when it
 * is about to be executed: fact i says that track->list[i] is in its place, fact track->n + e that event e holds. */
void places_walk(struct places_state *state, void (*at)(void *user, uint32_t word, const bits *facts), void *user);

/* ---- debug_location.c ---- */
/* Where the variables are, to kernel->code.debug. */
void locations_write(struct func *f, struct places_state *state);

/* ---- debug_frame.c ---- */
/* Where a routine's return address is, to kernel->code.debug; `state` may be NULL. */
void frames_write(struct func *f, struct places_state *state);

/* ---- loops.c ---- */

/* Blocks by their places in the layout, f->order. */
struct mloop {
    uint32_t header, parent, depth; /* number of the loop around it or NO_NODE; 1: outermost */
    uint32_t preheader;             /* the only block before it, which does nothing else than enter it; or NO_NODE */
    uint32_t *blocks, n;
    uint32_t *exits, nexits; /* where its blocks lead to out of it, in any order */
    bool shares_exits;       /* one of these can be entered from elsewhere, too */
};
struct mloops {
    struct graph succ, pred;
    uint32_t *place;     /* of a machine block */
    uint32_t *innermost; /* the loop around a block or NO_NODE */
    struct mloop *list;  /* outer ones before those in them */
    uint32_t n;
};
/* Behind liveness_run, which lays the code out. */
struct mloops loops_find(struct func *f);

/* ---- reconverge.c ---- */
/* Decides where rpc is set, so that each divergent branch finds its own there (rule R7). */
void reconverge_run(struct func *f);

/* ---- verify.c, verify_places.c, verify_words.c: checks between the stages, which end the compilation with CC_INTERNAL
 * ---- */
/* Checks the code that `stage` has left, on virtual registers. */
void verify_run(struct func *f, const char *stage);
/* The blocks and their code as they are now, to be compared with what the merging of registers makes of them. */
struct mblock *verify_copy(struct func *f);
/* Checks that what f->mblocks reads with the registers given is what `before`, the same code before registers were
 * merged, reads by their names: in all orders in which lanes that have parted can run. */
void verify_places(struct func *f, const struct mblock *before);
/* Checks the words that emit_run has made. */
void verify_words(struct func *f);

/* ---- emit.c ---- */
void emit_run(struct func *f);
void dump_machine(struct func *f);

#endif
