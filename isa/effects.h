/* What an instruction does, for everybody but the engine that does it: registers and state that it reads and writes,
 * memory, control flow.
 *
 * All of it is derived from columns of the tables: the kind of a row (kind.def), its flags (insn.def), its operands
 * (operand.def), for CSR instructions the state of the CSR (csr.def); and from the fields of the instruction. A test
 * executes every row and compares (tests/sim/effects_test.c).
 *
 * The scoreboard of the public RTL has the same sets but for these: fence is said to write x[rd], fcvt.wu.s and
 * fcvt.s.wu to read the field that tells them apart; mask logic, moves and the like count as masked, whose bit 25 is
 * part of their code; data of RVV stores are called vd, where we have vs3; and atomics name scalar registers there,
 * vector registers in the tool chain. */
#ifndef VENTUS_ISA_EFFECTS_H
#define VENTUS_ISA_EFFECTS_H

#include "isa.h"

/* What an instruction does to the program counter or to its warp. */
enum isa_control {
    CONTROL_NEXT,       /* nothing: the next instruction follows */
    CONTROL_BRANCH,     /* of the whole warp, if the condition holds */
    CONTROL_VBRANCH,    /* of the lanes whose condition holds */
    CONTROL_JUMP,       /* to a target in the word */
    CONTROL_INDIRECT,   /* to a target in a register */
    CONTROL_JOIN,       /* lanes and pc as the SIMT stack says */
    CONTROL_SETRPC,     /* sets where the lanes of the next vector branch meet again */
    CONTROL_BARRIER,    /* waits for the warps of the work-group */
    CONTROL_BARRIERSUB, /* for the lanes of the warp */
    CONTROL_WAIT,       /* for copies in the background */
    CONTROL_END,        /* the warp has ended */
    CONTROL_FENCE,      /* orders memory accesses */
    CONTROL_FENCE_I,    /* stores before it are seen by instruction fetch */
};

/* State of a warp beside registers and memory, as a set. */
enum isa_state {
    STATE_NONE = 0,
    STATE_FFLAGS = 1, /* flags accrue: an instruction that only adds some writes and does not read them */
    STATE_FRM = 2,
    STATE_FCSR = STATE_FFLAGS | STATE_FRM,
    STATE_VXSAT = 4, /* accrues */
    STATE_VXRM = 8,
    STATE_VL = 16,
    STATE_VTYPE = 32,
    STATE_RPC = 64,
    STATE_SIMT = 128,  /* mask of lanes and SIMT stack */
    STATE_RAY = 256,   /* ray-tracing table */
    STATE_OTHER = 512, /* CSRs without a bit here */
};

/* ---- memory ---- */

enum isa_action { ACTION_NONE, ACTION_LOAD, ACTION_STORE, ACTION_AMO, ACTION_LR, ACTION_SC, ACTION_COPY };

/* How the addresses are formed; see kind.def. */
enum isa_address {
    ADDRESS_NONE,
    ADDRESS_SCALAR, /* one access of the warp; all others: one of each active lane */
    ADDRESS_LANES,
    ADDRESS_PRIVATE,
    ADDRESS_UNIT,
    ADDRESS_STRIDED,
    ADDRESS_INDEXED,
};

/* How an instruction accesses memory from and to registers; `words` is 0 if it does not. Matrices and copies in the
 * background count as such. */
struct isa_memory {
    uint8_t action;  /* enum isa_action */
    uint8_t address; /* enum isa_address */
    uint8_t data;    /* enum operand_role of the first register that is loaded or stored */
    uint8_t words;   /* adjacent words that each lane accesses, in as many adjacent registers: 1 to 4 */
    uint8_t size;    /* bytes of each: 1, 2 or 4 */
    uint8_t index;   /* indexed accesses: bytes of an offset that count, else 0 */
    bool is_signed;  /* what is loaded is sign-extended */
    bool is_long;    /* the address, in rs1, is a pair of registers */
};
struct isa_memory isa_memory(const struct insn *in);

/* Does a prefix of r2.0 make a pair of this operand of an access (enum operand_role), because its number is even? x0 is
 * none. */
bool isa_is_data_pair(const struct insn *in, unsigned role);

/* Load-reserved, store-conditional and atomic operations. */
static inline bool isa_is_atomic(const struct isa_memory *m) { return m->action >= ACTION_AMO && m->words; }

/* ---- everything ---- */

/* Bit r of the sets of operands is that of enum operand_role r, ROLE_RD to ROLE_RS3. */
struct isa_effects {
    uint8_t scalars, vectors;        /* operands that are registers ... */
    uint8_t reads, writes;           /* ... and what is done with them; with rd perhaps both */
    uint8_t row_pairs, prefix_pairs; /* those that are the first of two, because the row or a prefix says so */
    bool mask;                       /* v0 is read as a mask: of the lanes, or by the expression */
    uint8_t control;                 /* enum isa_control */
    uint16_t count[4];               /* adjacent registers from the named one on, by role; 0: no register */
    uint16_t x, v;                   /* highest scalar, vector register of all + 1, 0: none */
    uint16_t state_reads, state_writes;
    struct isa_memory memory;
};

/* The effects of an instruction in a warp of `lanes` lanes, on which the registers of matrices depend (of an mma64
 * whose codes name no tile, the operands alone). A vector register is written in the active lanes only, if at all, and
 * keeps the others. Counts may exceed what a warp can have. Nothing for an invalid operation. */
struct isa_effects isa_effects(const struct insn *in, unsigned lanes);

/* A set of registers: bit r of x, bit r % 64 of v[r / 64]. */
struct isa_registers {
    uint64_t x, v[ISA_VREGS / 64];
};

/* The registers that an instruction with these effects reads and writes, the mask included; x0, which never changes, is
 * in neither set, and registers that no warp has are left out. */
struct isa_registers isa_registers_read(const struct insn *in, const struct isa_effects *effects);
struct isa_registers isa_registers_written(const struct insn *in, const struct isa_effects *effects);

/* ---- kinds ---- */

enum isa_expression {
    EXPRESSION_NOTHING,
    EXPRESSION_VALUE,
    EXPRESSION_CONDITION,
    EXPRESSION_TARGET,
    EXPRESSION_UPDATE,
    EXPRESSION_NEW,
    EXPRESSION_REASON,
};
enum isa_usage { USAGE_PLAIN, USAGE_PARTS, USAGE_GROUPS, USAGE_SOURCES };

/* A row of kind.def, which explains the columns. */
struct isa_kind_desc {
    const char *name;
    uint8_t expression, usage;     /* enum isa_expression, enum isa_usage */
    uint8_t action, address, data; /* as in struct isa_memory */
    uint8_t control;
    uint16_t reads, writes; /* sets of enum isa_state */
};

/* isa_kinds[kind] describes a kind of instructions. */
extern const struct isa_kind_desc isa_kinds[KIND_COUNT];

#endif
