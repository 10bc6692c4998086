/* One guest program for two machines: the simulated GPU and qemu-riscv32.
 *
 * RVV with 32 elements of 32 bits and a warp of 32 lanes share encodings, so both run the same words at the
 * same addresses over the same data; where one side needs other words, the shorter one is filled up with
 * nops. Every instruction under test is a section: a loop over operands that leaves one record per
 * repetition in the output. */
#ifndef MODEL_PROGRAM_H
#define MODEL_PROGRAM_H

#include "isa/abi.h"
#include "isa/isa.h"

enum side { OURS = 1, QEMU = 2, BOTH = OURS | QEMU };

/* What kind of values the operands are: half of them edges of that kind, half random. */
enum pool { POOL_INT, POOL_FLOAT, POOL_DOUBLE, POOLS };

enum { BATCHES = 313, TRIPLES = 10016, LOAD_BYTES = 8192 }; /* 313 * 32 lanes */

/* Operands of one repetition of a vector instruction and of a scalar one. */
struct batch {
    uint32_t vs1[32], vs2[32], vd[32], vs2_high[32], vd_high[32], v0[32]; /* high: of 64-bit operands */
    uint32_t scalar, scalar2, avl, old;
};
struct triple {
    uint32_t a, b, c, old;
};

struct input {
    struct batch batches[POOLS][BATCHES];
    struct triple triples[POOLS][TRIPLES];
    uint8_t bytes[LOAD_BYTES]; /* what loads read */
};

enum section_operands { OPERANDS_NONE, OPERANDS_BATCH, OPERANDS_TRIPLE };

struct section {
    struct insn in; /* the instruction under test */
    uint32_t frm, vxrm;
    enum section_operands operands;
    enum pool pool;
    uint32_t first;              /* number of the first batch or triple */
    uint32_t step;               /* bytes from one repetition's operands to the next; 0: all of them are new */
    uint32_t code;               /* index of its first word */
    uint32_t out, record, count; /* bytes from the begin of the output; bytes of a record; records */
    uint32_t flag_words;         /* so many words at the end of a record are fflags, vxsat */
};

/* The CPUs of QEMU: floating point in x registers excludes the vector unit. */
enum cpu { CPU_ZFINX, CPU_VECTOR };

struct program {
    bool flags;        /* our side reads fflags (the engine then computes them) */
    uint32_t *code[2]; /* ours, QEMU's */
    size_t n[2], capacity;
    struct section *sections;
    size_t nsections;
    uint32_t out_bytes;
};

enum {
    MODEL_CODE = ABI_CODE_BASE,
    MODEL_INPUT = ABI_HEAP_BASE,
    MODEL_OUTPUT = (int)(ABI_HEAP_BASE + ((sizeof(struct input) + 4095) & ~4095ul)),
};

/* Registers that sections agree on. */
enum { X_A = 6, X_B, X_C, X_D, X_IN = 10, X_OUT, X_LEFT, X_32, X_TMP, X_AVL, X_FLAGS, X_SAT, X_31BIT, X_TMP2 };
enum { V_D = 4, V_2 = 8, V_1 = 12, V_T = 16 };

/* The same operands every time. */
void input_fill(struct input *input);

void program_free(struct program *p);

/* Appends an instruction to one side or both; `in.vm` and `in.rm` as encoded. Ends the test when it has
 * no encoding. */
void put(struct program *p, enum side side, struct insn in);
void put_word(struct program *p, enum side side, uint32_t word);
#define PUT(p, side, id, ...) put(p, side, (struct insn){.op = OP_##id, .vm = 1, __VA_ARGS__})

/* x[rd] = value, in two instructions on either side. */
void put_constant(struct program *p, uint8_t rd, uint32_t value);

/* Fills up the shorter side with nops; returns the common index of the next word. */
size_t level(struct program *p);

/* Begins a loop of s->count repetitions with X_IN at its operands and X_OUT at its record; the body comes
 * next, then section_end, which also makes QEMU write the records out. Rounding modes are set. */
size_t section_begin(struct program *p, struct section s);
void section_end(struct program *p, size_t loop);

/* Ends both programs. */
void program_end(struct program *p);

/* rows.c: appends all sections that test row `op`; false when there are none for it. */
bool row_put(struct program *p, enum isa_op op);

/* rows.c: a standard instruction of RV32IMA, Zicsr, Zfinx or RVV by its encoding, and the CPU that has it. */
bool row_standard(enum isa_op op);
enum cpu row_cpu(enum isa_op op);
bool row_control(enum isa_op op); /* CSRs and vector configuration, kept apart: they read fflags */

/* rows.c: why a standard row is not compared, or NULL. */
const char *row_exception(enum isa_op op);

/* qemu.c: runs the program on QEMU. *out (p->out_bytes, freed by the caller) is what it wrote, *size how much of
 * that. False, with a text in why, when it could not be run to its end. */
bool qemu_run(const struct program *p, enum cpu cpu, const struct input *input, uint8_t **out, size_t *size,
              char why[200]);
bool qemu_found(void);

#endif
