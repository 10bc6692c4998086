/* What the tests of scalar and of vector rows share. */
#ifndef MODEL_ROWS_H
#define MODEL_ROWS_H

#include "program.h"

#include <stddef.h>
#include <string.h>

enum { OP_V = 0x57, OP_FP = 0x53, LOAD_FP = 0x07, STORE_FP = 0x27 }; /* opcodes */
enum { FFLAGS = 0x001, FRM, FCSR, VXSAT = 0x009, VXRM, VL = 0xc20, VTYPE, VLENB };
enum { E32_M1 = 0x10, E16_MF2 = 0x0f, E8_MF4 = 0x06 };

/* Everything is derived from encodings, operand letters and mnemonics as RISC-V defines them, not from the
 * kinds and expressions of the table: those are what is being checked. */
static inline unsigned opcode(enum isa_op op) { return isa_match(op) & 0x7f; }
static inline unsigned funct3(enum isa_op op) { return isa_match(op) >> 12 & 7; }
static inline bool has(enum isa_op op, char letter) { return strchr(isa_table[op].pattern, letter) != NULL; }
static inline bool starts(enum isa_op op, const char *prefix)
{
    return !strncmp(isa_table[op].name, prefix, strlen(prefix));
}
static inline bool contains(enum isa_op op, const char *part) { return strstr(isa_table[op].name, part) != NULL; }

/* fflags and vxsat are touched on our side only in the program that may read them. */
static inline enum side flag_side(const struct program *p) { return p->flags ? BOTH : QEMU; }

static inline void clear_flags(struct program *p)
{
    PUT(p, flag_side(p), CSRRWI, .aux = FFLAGS);
    level(p);
}

static inline void read_flags(struct program *p)
{
    PUT(p, flag_side(p), CSRRS, .rd = X_FLAGS, .aux = FFLAGS);
    level(p);
}

/* Address of the bytes that loads read. */
static inline uint32_t bytes_address(void) { return (uint32_t)MODEL_INPUT + offsetof(struct input, bytes); }

/* scalar.c, vector.c: append all sections that test row `op`, each for the rows of its name. */
void upper_rows(struct program *p, enum isa_op op);
void integer_rows(struct program *p, enum isa_op op);
void scalar_fp_rows(struct program *p, enum isa_op op);
void move_rows(struct program *p, enum isa_op op);
void jal_rows(struct program *p, enum isa_op op);
void jalr_rows(struct program *p, enum isa_op op);
void branch_rows(struct program *p, enum isa_op op);
void fence_rows(struct program *p, enum isa_op op);
void load_rows(struct program *p, enum isa_op op);
void store_rows(struct program *p, enum isa_op op);
void atomic_rows(struct program *p, enum isa_op op);
void csr_rows(struct program *p, enum isa_op op);
void vset_rows(struct program *p, enum isa_op op);
void vector_rows(struct program *p, enum isa_op op);
void vector_memory_rows(struct program *p, enum isa_op op);

#endif
