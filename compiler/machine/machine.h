/* Machine code on its way from selection to words: one kernel or routine as `struct func`, which all stages of the back
 * end share, and what they build it with. The rules R1-R8 are those of compiler/README.md, "Rules". */
#ifndef VENTUS_MACHINE_H
#define VENTUS_MACHINE_H

#include <llvm-c/Target.h>

#include "asm/template.h"
#include "compiler/core/cc.h"
#include "compiler/core/graph.h"
#include "isa/effects.h"

/* ---- operands ---- */

/* A register or, when reg is NOREG, the constant imm. Registers below FIRST_VREG are the scalar
 * registers themselves. */
struct opd {
    int32_t reg;
    uint32_t imm;
};
enum { NOREG = -1, FIRST_VREG = 64, REG_RA = 1, REG_KNL = 1, REG_BASE = 5, REG_LOCAL = 8, REG_ARGS = 10 };

/* Routines (passes/routines.md): where the caller wants one to go on, and scalar registers for arguments,
 * which are such as all machines have enough of, and none that functions of docs/abi.md keep. */
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
    int32_t made;  /* the register, by its name then, that got a value of a variable from it (debug/track.c); 0: none */
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
    uint32_t frame;      /* private bytes used so far ... */
    uint32_t spilled;    /* ... and those of them that spilled registers are in */
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

    struct debug_track *track; /* with -g: debug/track.c */

    /* Allocation of registers: liveness.c, regalloc.c. */
    uint32_t *order, norder;   /* machine blocks as laid out */
    struct range *ranges;      /* of each virtual register, liveness.c */
    struct graph live;         /* edges from each machine block to the registers live where it begins */
    uint32_t nregs_s, nregs_v; /* registers the allocator may use: fewer in tests */
};

static inline bool rule(const struct func *f, unsigned r) { return !(f->disabled >> r & 1); }

/* ---- func.c: services ---- */

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
/* Drops the instructions that have become OP_INVALID. */
void block_compact(struct mblock *b);

/* ---- limits.c ---- */
/* Reads "SCALARS,VECTORS,LANES,GROUP". False: it is something else. */
bool limits_parse(const char *text, struct pools *pools);
/* Says of all kernels and routines how many registers they may use. */
void limits_run(struct cc *cc);

/* ---- rodata.c ---- */
/* Address of a constant global (address space 2), laid out on first use. */
uint32_t rodata_address(struct cc *cc, LLVMValueRef global);
/* Adds a table of words to the constants; returns its address. */
uint32_t rodata_words(struct cc *cc, const uint32_t *words, uint32_t n);

/* Of an object: the number of a variable of constant or global memory, which gets a place if it is defined. */
uint32_t rodata_name(struct cc *cc, LLVMValueRef global);

/* What program-scope variables hold at first, to cc->data; may add constants. Ends with CC_FAILED if that is not known.
 */
void variables_write(struct cc *cc);

/* ---- variables.c ---- */
/* Gives all program-scope variables of cc->module their addresses. Ends with CC_FAILED if there is no room. */
void variables_place(struct cc *cc);
uint32_t variable_address(struct cc *cc, LLVMValueRef global);

/* ---- symbols.c ---- */
/* Can it be a symbol's name in the text of an assembler? */
bool symbol_is_plain(const char *name);
/* Is it one that other objects see? */
bool symbol_is_visible(LLVMValueRef global);
/* The symbol that a variable of an object has. */
const char *object_symbol(struct cc *cc, LLVMValueRef global);

#endif
