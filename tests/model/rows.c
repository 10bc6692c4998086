/* How each kind of standard instruction is tested (program.h).
 *
 * Everything is derived from encodings, operand letters and mnemonics as RISC-V defines them, not from
 * the kinds and expressions of the table: those are what is being checked. */
#include "program.h"

#include <stddef.h>
#include <string.h>

enum { OP_V = 0x57, OP_FP = 0x53, LOAD_FP = 0x07, STORE_FP = 0x27 }; /* opcodes */
enum { FFLAGS = 0x001, FRM, FCSR, VXSAT = 0x009, VXRM, VL = 0xc20, VTYPE, VLENB };
enum { E32_M1 = 0x10, E16_MF2 = 0x0f, E8_MF4 = 0x06 };
enum { VI_BATCHES = 20, MASKED_BATCHES = 79, ALIAS_BATCHES = 16, WINDOW = 8192, MEM_BATCHES = 24 };

static unsigned opcode(enum isa_op op) { return isa_match(op) & 0x7f; }
static unsigned funct3(enum isa_op op) { return isa_match(op) >> 12 & 7; }
static bool has(enum isa_op op, char letter) { return strchr(isa_table[op].pattern, letter) != NULL; }
static bool starts(enum isa_op op, const char *prefix) { return !strncmp(isa_table[op].name, prefix, strlen(prefix)); }
static bool contains(enum isa_op op, const char *part) { return strstr(isa_table[op].name, part) != NULL; }

/* Some of the immediates that a field of `bits` holds: the ends, around zero, single bits. */
static int32_t immediate(unsigned k, unsigned bits)
{
    static const int32_t small[] = {0, 1, -1, 2, -2, 31, 3, 5};
    uint32_t top = 1u << (bits - 1);
    if (k < 8) return small[k];
    if (k == 8) return -(int32_t)top;
    if (k == 9) return (int32_t)top - 1;
    if (k < 7 + bits) return (int32_t)(1u << (k - 8)); /* each bit but the sign */
    return (int32_t)(k * 0x9e3779b1u) >> (32 - bits);
}
enum { IMM12S = 24 };

/* ---- flags ---- */

static enum side flag_side(const struct program *p) { return p->flags ? BOTH : QEMU; }

static void clear_flags(struct program *p)
{
    PUT(p, flag_side(p), CSRRWI, .aux = FFLAGS);
    level(p);
}

static void read_flags(struct program *p)
{
    PUT(p, flag_side(p), CSRRS, .rd = X_FLAGS, .aux = FFLAGS);
    level(p);
}

/* ---- scalar arithmetic ---- */

/* Operands in x6 x7 x8, the old value in x9; the record is the result and fflags. */
static void scalar_section(struct program *p, struct insn in, enum pool pool, uint32_t frm, uint32_t first, uint32_t count)
{
    size_t loop = section_begin(p, (struct section){.in = in, .frm = frm, .operands = OPERANDS_TRIPLE, .pool = pool, .first = first,
                                                    .record = 8, .count = count, .flag_words = 1});
    for (uint8_t i = 0; i < 4; i++) PUT(p, BOTH, LW, .rd = X_A + i, .rs1 = X_IN, .imm = i * 4);
    clear_flags(p);
    put(p, BOTH, in);
    read_flags(p);
    PUT(p, BOTH, SW, .rs1 = X_OUT, .rs2 = X_D, .imm = 0);
    PUT(p, BOTH, SW, .rs1 = X_OUT, .rs2 = X_FLAGS, .imm = 4);
    section_end(p, loop);
}

static struct insn scalar_insn(enum isa_op op)
{
    return (struct insn){.op = (uint16_t)op, .rd = X_D, .rs1 = X_A, .rs2 = X_B, .rs3 = X_C, .vm = 1, .rm = 7};
}

static void integer_rows(struct program *p, enum isa_op op)
{
    struct insn in = scalar_insn(op);
    if (has(op, 't')) {
        scalar_section(p, in, POOL_INT, 0, 0, TRIPLES);
        in.rd = in.rs1 = in.rs2 = X_D; /* all one register */
        scalar_section(p, in, POOL_INT, 0, 0, 64);
        return;
    }
    bool shift = has(op, 'h');
    unsigned n = shift ? 32 : IMM12S;
    for (unsigned k = 0; k < n; k++) {
        in.imm = shift ? (int32_t)k : immediate(k, 12);
        scalar_section(p, in, POOL_INT, 0, k * (TRIPLES / n), TRIPLES / n);
    }
}

static void upper_rows(struct program *p, enum isa_op op)
{
    struct insn in = scalar_insn(op);
    for (unsigned k = 0; k < 48; k++) {
        in.imm = (int32_t)((uint32_t)immediate(k, 20) << 12);
        scalar_section(p, in, POOL_INT, 0, 0, 1);
    }
}

static void scalar_fp_rows(struct program *p, enum isa_op op)
{
    struct insn in = scalar_insn(op);
    enum pool pool = starts(op, "fcvt.s.w") ? POOL_INT : POOL_FLOAT;
    if (!has(op, 'o')) {
        scalar_section(p, in, pool, 0, 0, TRIPLES);
        return;
    }
    for (uint32_t mode = 0; mode < 5; mode++) {
        in.rm = 7;
        scalar_section(p, in, pool, mode, 0, TRIPLES);
        in.rm = (uint8_t)mode;
        scalar_section(p, in, pool, (mode + 1) % 5, 0, TRIPLES);
    }
}

/* ---- control transfer ---- */

/* Taken: forward to `far`, which comes back to `near` if the same branch is taken backwards. x9 tells the way. */
static void branch_section(struct program *p, enum isa_op op, int32_t distance, uint32_t first, uint32_t count)
{
    struct insn in = scalar_insn(op);
    in.imm = distance;
    size_t loop = section_begin(p, (struct section){.in = in, .operands = OPERANDS_TRIPLE, .pool = POOL_INT, .first = first,
                                                    .record = 4, .count = count});
    PUT(p, BOTH, LW, .rd = X_A, .rs1 = X_IN, .imm = 0);
    PUT(p, BOTH, LW, .rd = X_B, .rs1 = X_IN, .imm = 4);
    PUT(p, BOTH, ADDI, .rd = X_D, .imm = 1);
    size_t branch = level(p), far = branch + (size_t)distance / 4, join = far + 3;
    put(p, BOTH, in);
    PUT(p, BOTH, ADDI, .rd = X_D, .rs1 = X_D, .imm = 2);
    PUT(p, BOTH, JAL, .imm = (int32_t)(join - level(p)) * 4);
    size_t near = level(p);
    PUT(p, BOTH, ADDI, .rd = X_D, .rs1 = X_D, .imm = 8);
    PUT(p, BOTH, JAL, .imm = (int32_t)(join - level(p)) * 4);
    while (level(p) < far) PUT(p, BOTH, ADDI, .rd = X_D, .imm = 64);
    PUT(p, BOTH, ADDI, .rd = X_D, .rs1 = X_D, .imm = 4);
    in.imm = (int32_t)(near - level(p)) * 4;
    put(p, BOTH, in);
    PUT(p, BOTH, ADDI, .rd = X_D, .rs1 = X_D, .imm = 16);
    PUT(p, BOTH, SW, .rs1 = X_OUT, .rs2 = X_D);
    section_end(p, loop);
}

static void branch_rows(struct program *p, enum isa_op op)
{
    branch_section(p, op, 20, 0, TRIPLES);
    branch_section(p, op, 2048, 0, 100);
    branch_section(p, op, 2056, 100, 100); /* 2048 back */
    branch_section(p, op, 4092, 200, 100);
}

/* Jumps over every power of two and back, on a runway of 512 KiB; the record is the links. */
static void jal_rows(struct program *p, enum isa_op op)
{
    enum { FIRST = 4, LAST = 19 };
    struct insn in = scalar_insn(op);
    size_t loop = section_begin(p, (struct section){.in = in, .record = 4 * (LAST - FIRST + 1), .count = 1}), from[LAST + 1];
    for (unsigned k = FIRST; k <= LAST; k++) {
        from[k] = level(p);
        in.imm = (int32_t)(1u << k);
        put(p, BOTH, in);
        PUT(p, BOTH, SW, .rs1 = X_OUT, .rs2 = X_D, .imm = (int32_t)(k - FIRST) * 4);
        PUT(p, BOTH, JAL, .imm = 40); /* the rest of a block of twelve words is for landing places */
        for (unsigned pad = 0; pad < 9; pad++) PUT(p, BOTH, ADDI, .rd = X_D, .imm = 1);
    }
    size_t over = level(p), end = from[LAST] + (1u << LAST) / 4 + 1;
    PUT(p, BOTH, JAL, .imm = (int32_t)(end - over) * 4);
    while (level(p) < end) PUT(p, BOTH, ADDI, .rd = X_D, .imm = 1);
    for (unsigned k = FIRST; k <= LAST; k++) {
        size_t at = from[k] + (1u << k) / 4;
        struct insn back = {.op = OP_JAL, .imm = ((int32_t)from[k] + 1 - (int32_t)at) * 4, .vm = 1};
        uint32_t words[ISA_MAX_WORDS];
        isa_encode(&back, words, NULL);
        p->code[0][at] = p->code[1][at] = words[0];
    }
    section_end(p, loop);
}

/* The record is the link; every other target has its lowest bit set, which does not count. */
static void jalr_rows(struct program *p, enum isa_op op)
{
    for (unsigned k = 0; k < 2 * IMM12S; k++) {
        struct insn in = scalar_insn(op);
        in.imm = immediate(k / 2, 12);
        if (k & 1) in.rd = in.rs1;
        size_t loop = section_begin(p, (struct section){.in = in, .record = 4, .count = 1});
        size_t base = level(p), target = base + 6;
        PUT(p, BOTH, AUIPC, .rd = X_A);
        put_constant(p, X_B, ((uint32_t)(target - base) * 4 | (k / 2 & 1)) - (uint32_t)in.imm);
        PUT(p, BOTH, ADD, .rd = X_A, .rs1 = X_A, .rs2 = X_B);
        put(p, BOTH, in);
        PUT(p, BOTH, ADDI, .rd = in.rd, .imm = 0);
        PUT(p, BOTH, SW, .rs1 = X_OUT, .rs2 = in.rd);
        section_end(p, loop);
    }
}

/* Must not disturb anything; what it orders cannot be seen. */
static void fence_rows(struct program *p, enum isa_op op) { scalar_section(p, scalar_insn(op), POOL_INT, 0, 0, 1); }

/* ---- scalar memory ---- */

static uint32_t bytes_address(void) { return (uint32_t)MODEL_INPUT + offsetof(struct input, bytes); }

static void load_section(struct program *p, struct insn in, uint32_t first)
{
    const uint32_t count = TRIPLES / IMM12S;
    size_t loop = section_begin(p, (struct section){.in = in, .operands = OPERANDS_TRIPLE, .pool = POOL_INT, .first = first,
                                                    .record = 4, .count = count});
    PUT(p, BOTH, LW, .rd = X_A, .rs1 = X_IN, .imm = 0);
    put_constant(p, X_B, bytes_address() + 2048);
    PUT(p, BOTH, ANDI, .rd = X_A, .rs1 = X_A, .imm = 1023);
    PUT(p, BOTH, ADD, .rd = X_A, .rs1 = X_A, .rs2 = X_B);
    put(p, BOTH, in);
    PUT(p, OURS, SW, .rs1 = X_OUT, .rs2 = X_D);
    if (in.op == OP_FLW) PUT(p, QEMU, FSW, .rs1 = X_OUT, .rs2 = X_D);
    else PUT(p, QEMU, SW, .rs1 = X_OUT, .rs2 = X_D);
    section_end(p, loop);
}

static void load_rows(struct program *p, enum isa_op op)
{
    struct insn in = scalar_insn(op);
    for (unsigned k = 0; k < IMM12S; k++) {
        in.imm = immediate(k, 12);
        load_section(p, in, k * (TRIPLES / IMM12S));
    }
}

/* The record is twelve bytes into which 1, 2 or 4 are stored at any place. */
static void store_section(struct program *p, struct insn in, uint32_t first)
{
    const uint32_t count = TRIPLES / IMM12S;
    size_t loop = section_begin(p, (struct section){.in = in, .operands = OPERANDS_TRIPLE, .pool = POOL_INT, .first = first,
                                                    .record = 12, .count = count});
    PUT(p, BOTH, LW, .rd = X_A, .rs1 = X_IN, .imm = 0);
    PUT(p, BOTH, LW, .rd = X_B, .rs1 = X_IN, .imm = 4);
    PUT(p, BOTH, LW, .rd = X_D, .rs1 = X_IN, .imm = 12);
    if (in.op == OP_FSW) PUT(p, QEMU, FLW, .rd = X_B, .rs1 = X_IN, .imm = 4);
    for (int32_t i = 0; i < 3; i++) PUT(p, BOTH, SW, .rs1 = X_OUT, .rs2 = X_D, .imm = i * 4);
    put_constant(p, X_TMP, 4u - (uint32_t)in.imm);
    PUT(p, BOTH, ANDI, .rd = X_A, .rs1 = X_A, .imm = 3);
    PUT(p, BOTH, ADD, .rd = X_A, .rs1 = X_A, .rs2 = X_TMP);
    PUT(p, BOTH, ADD, .rd = X_A, .rs1 = X_A, .rs2 = X_OUT);
    put(p, BOTH, in);
    section_end(p, loop);
}

static void store_rows(struct program *p, enum isa_op op)
{
    struct insn in = scalar_insn(op);
    for (unsigned k = 0; k < IMM12S; k++) {
        in.imm = immediate(k, 12);
        store_section(p, in, k * (TRIPLES / IMM12S));
    }
}

/* fmv.x.w and fmv.w.x, which Zfinx does not have: f registers there, x registers here. */
static void move_rows(struct program *p, enum isa_op op)
{
    bool from_f = starts(op, "fmv.x");
    size_t loop = section_begin(p, (struct section){.in = scalar_insn(op), .operands = OPERANDS_TRIPLE, .pool = POOL_FLOAT,
                                                    .record = 4, .count = 1000});
    PUT(p, BOTH, LW, .rd = X_A, .rs1 = X_IN);
    if (from_f) PUT(p, QEMU, FLW, .rd = X_A, .rs1 = X_IN);
    put(p, BOTH, scalar_insn(op));
    PUT(p, OURS, SW, .rs1 = X_OUT, .rs2 = X_D);
    if (from_f) PUT(p, QEMU, SW, .rs1 = X_OUT, .rs2 = X_D);
    else PUT(p, QEMU, FSW, .rs1 = X_OUT, .rs2 = X_D);
    section_end(p, loop);
}

/* ---- atomics ---- */

static struct insn atomic_insn(enum isa_op op, bool vector, unsigned k)
{
    struct insn in = {.op = (uint16_t)op, .rd = X_D, .rs1 = X_TMP, .rs2 = X_B, .vm = 1, .aq = k & 1, .rl = k >> 1 & 1};
    if (vector) in.rd = V_D, in.rs1 = V_T, in.rs2 = V_2;
    if (starts(op, "lr.")) in.rs2 = 0;
    return in;
}

/* The instruction with these operands; a store-conditional behind its load and in front of one without. */
static void put_atomic(struct program *p, enum side side, enum isa_op op, bool vector, unsigned k)
{
    struct insn in = atomic_insn(op, vector, k);
    if (!starts(op, "sc.")) {
        put(p, side, in);
        return;
    }
    struct insn lr = atomic_insn(vector ? OP_LR_W : OP_LR_W_SCALAR, vector, k);
    put(p, side, lr);
    put(p, side, in);
    in.rs2 = in.rs1;
    put(p, side, in); /* fails, and gives the result: it must not be 0, and nothing may be stored */
}

/* One atomic per lane at words of the record; lane by lane on QEMU. The record is memory, then results. */
static void vector_atomic_section(struct program *p, enum isa_op op, unsigned k)
{
    size_t loop = section_begin(p, (struct section){.in = atomic_insn(op, true, k), .operands = OPERANDS_BATCH, .pool = POOL_INT,
                                                    .first = k * 75, .record = 256, .count = 75});
    bool collide = k >= 2 && !starts(op, "lr.") && !starts(op, "sc.");
    PUT(p, BOTH, ADDI, .rd = X_AVL, .imm = 32); /* copies vs1 to the record, word by word */
    for (int32_t i = 0; i < 32; i++) {
        PUT(p, BOTH, LW, .rd = X_A, .rs1 = X_IN, .imm = i * 4);
        PUT(p, BOTH, SW, .rs1 = X_OUT, .rs2 = X_A, .imm = i * 4);
    }
    PUT(p, OURS, ADDI, .rd = X_A, .rs1 = X_IN, .imm = offsetof(struct batch, vs2));
    PUT(p, OURS, VLE32_V, .rd = V_2, .rs1 = X_A);
    PUT(p, OURS, VID_V, .rd = V_T);
    PUT(p, OURS, VSLL_VI, .rd = V_T, .rs2 = V_T, .imm = 2);
    if (collide) PUT(p, OURS, VAND_VI, .rd = V_T, .rs2 = V_T, .imm = 12);
    PUT(p, OURS, VADD_VX, .rd = V_T, .rs2 = V_T, .rs1 = X_OUT);
    put_atomic(p, OURS, op, true, k);
    PUT(p, OURS, ADDI, .rd = X_A, .rs1 = X_OUT, .imm = 128);
    PUT(p, OURS, VSE32_V, .rs3 = V_D, .rs1 = X_A);

    for (int32_t i = 0; i < 32; i++) {
        PUT(p, QEMU, LW, .rd = X_B, .rs1 = X_IN, .imm = (int32_t)offsetof(struct batch, vs2) + i * 4);
        PUT(p, QEMU, ADDI, .rd = X_TMP, .rs1 = X_OUT, .imm = collide ? i * 4 & 12 : i * 4);
        struct insn in = atomic_insn(op, false, k), lr = atomic_insn(OP_LR_W_SCALAR, false, k);
        if (starts(op, "sc.")) put(p, QEMU, lr);
        put(p, QEMU, in);
        if (starts(op, "sc.")) in.rs2 = in.rs1, put(p, QEMU, in);
        PUT(p, QEMU, SW, .rs1 = X_OUT, .rs2 = X_D, .imm = 128 + i * 4);
    }
    section_end(p, loop);
}

/* The scalar form, the same on both sides. */
static void scalar_atomic_section(struct program *p, enum isa_op op, unsigned k)
{
    size_t loop = section_begin(p, (struct section){.in = atomic_insn(op, false, k), .operands = OPERANDS_TRIPLE, .pool = POOL_INT,
                                                    .first = k * 2500, .record = 8, .count = 2500});
    PUT(p, BOTH, LW, .rd = X_A, .rs1 = X_IN);
    PUT(p, BOTH, LW, .rd = X_B, .rs1 = X_IN, .imm = 4);
    PUT(p, BOTH, ADDI, .rd = X_TMP, .rs1 = X_OUT);
    PUT(p, BOTH, SW, .rs1 = X_OUT, .rs2 = X_A);
    put_atomic(p, BOTH, op, false, k);
    PUT(p, BOTH, SW, .rs1 = X_OUT, .rs2 = X_D, .imm = 4);
    section_end(p, loop);
}

static void atomic_rows(struct program *p, enum isa_op op)
{
    for (unsigned k = 0; k < 4; k++) /* aq and rl */
        if (has(op, 'D')) vector_atomic_section(p, op, k);
        else scalar_atomic_section(p, op, k);
}

/* ---- control registers ---- */

/* The register holds x7 before; the record is what is read, and what it holds then. */
static void csr_section(struct program *p, struct insn in)
{
    size_t loop = section_begin(p, (struct section){.in = in, .operands = OPERANDS_TRIPLE, .pool = POOL_INT, .first = in.aux * 100,
                                                    .record = 8, .count = 100});
    for (uint8_t i = 0; i < 4; i++) PUT(p, BOTH, LW, .rd = X_A + i, .rs1 = X_IN, .imm = i * 4);
    if (in.aux == VXRM) { /* QEMU keeps the bits above the mode, which are to be written as zeros */
        PUT(p, BOTH, ANDI, .rd = X_A, .rs1 = X_A, .imm = 3);
        PUT(p, BOTH, ANDI, .rd = X_B, .rs1 = X_B, .imm = 3);
        in.imm &= 3;
    }
    PUT(p, BOTH, CSRRW, .aux = in.aux, .rs1 = X_B);
    put(p, BOTH, in);
    PUT(p, BOTH, CSRRS, .rd = X_TMP, .aux = in.aux);
    PUT(p, BOTH, SW, .rs1 = X_OUT, .rs2 = X_D);
    PUT(p, BOTH, SW, .rs1 = X_OUT, .rs2 = X_TMP, .imm = 4);
    PUT(p, BOTH, CSRRWI, .aux = in.aux);
    section_end(p, loop);
}

static void csr_rows(struct program *p, enum isa_op op)
{
    static const uint16_t numbers[] = {FFLAGS, FRM, FCSR, VXSAT, VXRM};
    static const int32_t values[] = {0, 1, 3, 7, 16, 31};
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct insn in = scalar_insn(op);
        in.aux = numbers[i];
        if (!has(op, 'z')) {
            csr_section(p, in);
            in.rs1 = 0; /* csrrs and csrrc do not write */
            csr_section(p, in);
            continue;
        }
        in.rs1 = 0;
        for (unsigned k = 0; k < sizeof values / sizeof *values; k++) in.imm = values[k], csr_section(p, in);
    }
}

/* ---- vector configuration ---- */

/* AVL from x6, cut to six bits in most sections; the record is rd, vl, vtype and vlenb. */
static void vset_section(struct program *p, struct insn in, int32_t avl_mask)
{
    size_t loop = section_begin(p, (struct section){.in = in, .operands = OPERANDS_TRIPLE, .pool = POOL_INT, .record = 16, .count = 200});
    for (uint8_t i = 0; i < 4; i++) PUT(p, BOTH, LW, .rd = X_A + i, .rs1 = X_IN, .imm = i * 4);
    PUT(p, BOTH, ANDI, .rd = X_C, .rs1 = X_C, .imm = 63);
    PUT(p, BOTH, VSETVLI, .rs1 = X_C, .rd = X_TMP, .aux = E32_M1); /* vl before */
    PUT(p, BOTH, ANDI, .rd = X_A, .rs1 = X_A, .imm = avl_mask);
    put_constant(p, X_B, E32_M1);
    put(p, BOTH, in);
    PUT(p, BOTH, SW, .rs1 = X_OUT, .rs2 = X_D);
    for (int32_t i = 0; i < 3; i++) {
        PUT(p, BOTH, CSRRS, .rd = X_TMP, .aux = (uint16_t)(VL + i));
        PUT(p, BOTH, SW, .rs1 = X_OUT, .rs2 = X_TMP, .imm = 4 + i * 4);
    }
    section_end(p, loop);
}

static void vset_rows(struct program *p, enum isa_op op)
{
    struct insn in = scalar_insn(op);
    for (unsigned k = 0; k < 4; k++) { /* with and without an AVL, with and without a result */
        in.rd = k & 1 ? 0 : X_D;
        in.rs1 = k & 2 ? 0 : X_A;
        for (unsigned agnostic = 0; agnostic < 4; agnostic++) {
            in.aux = has(op, 't') ? 0 : (uint16_t)(E32_M1 | agnostic << 6);
            in.imm = has(op, 'z') ? (int32_t)(k * 9 + agnostic) % 32 : 0;
            if (has(op, 'z')) in.rs1 = 0;
            vset_section(p, in, agnostic ? 63 : -1);
        }
    }
}

/* ---- vector arithmetic ---- */

/* Rows whose result or second source is 64 bits wide: a pair of registers here, two of 16 elements there. */
static bool wide_result(enum isa_op op) { return starts(op, "vw") || starts(op, "vfw"); }
static bool wide_vs2(enum isa_op op) { return contains(op, ".w"); }

/* A row of the compares and of mask logic: packed bits there, a word per lane here. */
static bool mask_result(enum isa_op op) { return isa_match(op) >> 29 == 3; }
static bool mask_sources(enum isa_op op) { return mask_result(op) && funct3(op) == 2; }

/* vzext, vsext: sources of 8 and 16 bits, packed there, one a lane here. */
static bool extends(enum isa_op op) { return contains(op, "ext.vf"); }

static bool is_fp(enum isa_op op) { return funct3(op) == 1 || funct3(op) == 5; }

/* Element 0 there, all active lanes or the last of them here: the same for one lane. */
static bool one_lane(enum isa_op op)
{
    unsigned funct6 = isa_match(op) >> 26;
    return funct6 == 16 && funct3(op) != 0 && funct3(op) != 3 && funct3(op) != 4;
}

static bool rounds_fixed(enum isa_op op)
{
    static const char *const names[] = {"vaadd", "vasub", "vsmul", "vssrl", "vssra", "vnclip"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (starts(op, names[i])) return true;
    return false;
}

static enum pool vector_pool(enum isa_op op)
{
    if (!is_fp(op) || contains(op, "cvt.f.x")) return POOL_INT;
    return starts(op, "vfncvt") ? POOL_DOUBLE : POOL_FLOAT;
}

/* On QEMU: v, v + 1, the halves of 64-bit lanes, become two registers of 16 lanes each. */
static void join_halves(struct program *p, uint8_t v)
{
    PUT(p, QEMU, VMV_V_V, .rd = V_T, .rs1 = v);
    PUT(p, QEMU, VMV_V_V, .rd = V_T + 1, .rs1 = v + 1);
    PUT(p, QEMU, VWADDU_VX, .rd = v, .rs2 = V_T);
    PUT(p, QEMU, VWMACCU_VX, .rd = v, .rs1 = X_31BIT, .rs2 = V_T + 1);
    PUT(p, QEMU, VWMACCU_VX, .rd = v, .rs1 = X_31BIT, .rs2 = V_T + 1);
}

/* On QEMU: the inverse. */
static void split_halves(struct program *p, uint8_t v)
{
    PUT(p, QEMU, VNSRL_WI, .rd = V_T, .rs2 = v);
    PUT(p, QEMU, VNSRL_WX, .rd = V_T + 1, .rs2 = v, .rs1 = X_32);
    PUT(p, QEMU, VMV_V_V, .rd = v, .rs1 = V_T);
    PUT(p, QEMU, VMV_V_V, .rd = v + 1, .rs1 = V_T + 1);
}

/* On QEMU: bit 0 of the lanes of v as a mask. */
static void pack_mask(struct program *p, uint8_t mask, uint8_t v)
{
    PUT(p, QEMU, VAND_VI, .rd = V_T, .rs2 = v, .imm = 1);
    PUT(p, QEMU, VMSNE_VI, .rd = mask, .rs2 = V_T);
}

/* On QEMU: a row with packed result, unpacked into vd. */
static void put_mask_row(struct program *p, struct insn in)
{
    enum { RESULT = V_T + 1, LEFT, RIGHT, KEPT, WORDS };
    uint8_t vd = in.rd;
    if (mask_sources((enum isa_op)in.op)) {
        pack_mask(p, LEFT, in.rs2);
        pack_mask(p, RIGHT, in.rs1);
        in.rs2 = LEFT, in.rs1 = RIGHT;
    }
    in.rd = RESULT;
    put(p, QEMU, in);
    PUT(p, QEMU, VMV_V_V, .rd = KEPT, .rs1 = 0);
    PUT(p, QEMU, VMV_V_V, .rd = 0, .rs1 = RESULT);
    PUT(p, QEMU, VMV_V_I, .rd = WORDS);
    PUT(p, QEMU, VMERGE_VIM, .rd = WORDS, .rs2 = WORDS, .imm = 1);
    PUT(p, QEMU, VMV_V_V, .rd = 0, .rs1 = KEPT);
    if (in.vm) PUT(p, QEMU, VMV_V_V, .rd = vd, .rs1 = WORDS);
    else PUT(p, QEMU, VMERGE_VVM, .rd = vd, .rs2 = vd, .rs1 = WORDS);
}

/* On QEMU: the low bytes of v's lanes, packed as elements of 8 or 16 bits, in V_T. */
static void narrow(struct program *p, uint8_t v, unsigned bits)
{
    uint8_t half = bits == 16 ? V_T : V_T + 1;
    PUT(p, QEMU, VSETVLI, .rs1 = X_32, .aux = E16_MF2);
    PUT(p, QEMU, VNSRL_WI, .rd = half, .rs2 = v);
    if (bits == 8) {
        PUT(p, QEMU, VSETVLI, .rs1 = X_32, .aux = E8_MF4);
        PUT(p, QEMU, VNSRL_WI, .rd = V_T, .rs2 = half);
    }
    PUT(p, QEMU, VSETVLI, .rs1 = X_AVL, .aux = E32_M1);
}

static void load_vector(struct program *p, enum side side, uint8_t v, size_t offset)
{
    PUT(p, side, ADDI, .rd = X_TMP, .rs1 = X_IN, .imm = (int32_t)offset);
    PUT(p, side, VLE32_V, .rd = v, .rs1 = X_TMP);
}

static void store_vector(struct program *p, uint8_t v, int32_t offset)
{
    PUT(p, BOTH, ADDI, .rd = X_TMP, .rs1 = X_OUT, .imm = offset);
    PUT(p, BOTH, VSE32_V, .rs3 = v, .rs1 = X_TMP);
}

/* All lanes on, vectors, scalars and mask loaded from the batch, vl in x15. */
static void load_batch(struct program *p)
{
    PUT(p, BOTH, VSETVLI, .rs1 = X_32, .aux = E32_M1);
    load_vector(p, BOTH, V_1, offsetof(struct batch, vs1));
    load_vector(p, BOTH, V_2, offsetof(struct batch, vs2));
    load_vector(p, BOTH, V_2 + 1, offsetof(struct batch, vs2_high));
    load_vector(p, BOTH, V_D, offsetof(struct batch, vd));
    load_vector(p, BOTH, V_D + 1, offsetof(struct batch, vd_high));
    load_vector(p, BOTH, 0, offsetof(struct batch, v0));
    PUT(p, BOTH, LW, .rd = X_A, .rs1 = X_IN, .imm = offsetof(struct batch, scalar));
    PUT(p, BOTH, LW, .rd = X_B, .rs1 = X_IN, .imm = offsetof(struct batch, scalar2));
    PUT(p, BOTH, LW, .rd = X_D, .rs1 = X_IN, .imm = offsetof(struct batch, old));
    PUT(p, BOTH, LW, .rd = X_AVL, .rs1 = X_IN, .imm = offsetof(struct batch, avl));
    PUT(p, QEMU, FLW, .rd = X_A, .rs1 = X_IN, .imm = offsetof(struct batch, scalar));
}

/* On QEMU: the instruction, and what brings operands and result into its form and back. */
static void put_vector_row(struct program *p, struct insn in)
{
    if (mask_result((enum isa_op)in.op)) {
        put_mask_row(p, in);
        return;
    }
    if (extends((enum isa_op)in.op)) {
        narrow(p, in.rs2, contains((enum isa_op)in.op, ".vf2") ? 16 : 8);
        in.rs2 = V_T;
    }
    put(p, QEMU, in);
}

/* QEMU 7.2 fails on a vector instruction with a rounding mode of its own unless one with the dynamic mode
 * stands in front of it, behind the last instruction that ended a translation block. */
static void put_dynamic_rounding(struct program *p)
{
    PUT(p, QEMU, VMV_V_I, .rd = V_T);
    PUT(p, QEMU, VFADD_VV, .rd = V_T, .rs2 = V_T, .rs1 = V_T);
}

/* The record is vd, its upper half, the scalar result, fflags, vxsat. */
static void vector_section(struct program *p, struct section s)
{
    enum isa_op op = (enum isa_op)s.in.op;
    bool wide = wide_result(op);
    s.operands = OPERANDS_BATCH, s.pool = vector_pool(op), s.record = 128 + 128 + 12, s.flag_words = 2;
    size_t loop = section_begin(p, s);
    load_batch(p);
    if (wide) join_halves(p, V_D);
    if (wide_vs2(op)) join_halves(p, V_2);
    clear_flags(p);
    PUT(p, BOTH, CSRRWI, .aux = VXSAT);
    PUT(p, BOTH, CSRRWI, .aux = VXRM, .imm = (int32_t)s.vxrm);
    if (one_lane(op)) PUT(p, BOTH, ADDI, .rd = X_AVL, .imm = 1);
    PUT(p, BOTH, VSETVLI, .rs1 = X_AVL, .rd = X_TMP, .aux = E32_M1);
    if (contains(op, ".rtz.") || contains(op, ".rod.")) put_dynamic_rounding(p);
    level(p);
    put(p, OURS, s.in);
    put_vector_row(p, s.in);
    read_flags(p);
    PUT(p, BOTH, CSRRS, .rd = X_SAT, .aux = VXSAT);
    PUT(p, BOTH, VSETVLI, .rs1 = X_32, .aux = E32_M1);
    if (wide) split_halves(p, V_D);
    level(p);
    store_vector(p, V_D, 0);
    store_vector(p, V_D + 1, 128);
    PUT(p, OURS, SW, .rs1 = X_OUT, .rs2 = X_D, .imm = 256);
    if (starts(op, "vfmv.f")) PUT(p, QEMU, FSW, .rs1 = X_OUT, .rs2 = X_D, .imm = 256);
    else PUT(p, QEMU, SW, .rs1 = X_OUT, .rs2 = X_D, .imm = 256);
    PUT(p, BOTH, SW, .rs1 = X_OUT, .rs2 = X_FLAGS, .imm = 260);
    PUT(p, BOTH, SW, .rs1 = X_OUT, .rs2 = X_SAT, .imm = 264);
    section_end(p, loop);
}

static struct insn vector_insn(enum isa_op op)
{
    struct insn in = {.op = (uint16_t)op, .vm = 1};
    in.rd = has(op, 'd') ? X_D : V_D;
    in.rs2 = has(op, 'T') ? V_2 : 0;
    in.rs1 = has(op, 'S') ? V_1 : has(op, 's') ? X_A : 0;
    return in;
}

/* One setting of the modes: unmasked, masked, in place, over the immediates if there are any. */
static void vector_variants(struct program *p, struct section s)
{
    enum isa_op op = (enum isa_op)s.in.op;
    bool immediates = has(op, 'k') || has(op, 'z'), maskable = has(op, 'm');
    for (unsigned k = 0; immediates && k < 32; k++) {
        s.in.imm = has(op, 'k') ? (int32_t)k - 16 : (int32_t)k;
        s.in.vm = !maskable || k % 4 != 3;
        s.first = k * (BATCHES - VI_BATCHES) / 32, s.count = VI_BATCHES;
        vector_section(p, s);
    }
    if (immediates) return;
    s.first = 0, s.count = BATCHES;
    vector_section(p, s);
    if (maskable) {
        s.in.vm = 0, s.first = s.frm * 50, s.count = MASKED_BATCHES;
        vector_section(p, s);
    }
    if (has(op, 'T') && has(op, 'D') && !wide_result(op) && !wide_vs2(op) && !extends(op)) {
        s.in.vm = 1, s.in.rs2 = V_D, s.first = 100, s.count = ALIAS_BATCHES;
        if (has(op, 'S')) s.in.rs1 = V_D;
        vector_section(p, s);
    }
}

static void vector_rows(struct program *p, enum isa_op op)
{
    struct section s = {.in = vector_insn(op)};
    if (rounds_fixed(op))
        for (s.vxrm = 0; s.vxrm < 4; s.vxrm++) vector_variants(p, s);
    else
        for (s.frm = 0; s.frm < (is_fp(op) ? 5 : 1); s.frm++) vector_variants(p, s);
}

/* ---- vector memory ---- */

static unsigned element_bits(enum isa_op op) { return funct3(op) == 0 ? 8 : funct3(op) == 5 ? 16 : 32; }

/* The index lanes in v8: within the window, but with other bits set above the index. */
static void make_index(struct program *p, unsigned bits)
{
    put_constant(p, X_TMP2, bits == 8 ? 0xffffffff : bits == 16 ? 0xffff0fff : 0xfff);
    PUT(p, BOTH, VAND_VX, .rd = V_2, .rs2 = V_2, .rs1 = X_TMP2);
}

/* The instruction on QEMU: elements, or indices, of 8 and 16 bits are packed there, one a lane here. */
static void put_memory_row(struct program *p, struct insn in)
{
    enum isa_op op = (enum isa_op)in.op;
    unsigned bits = element_bits(op);
    bool indexed = has(op, 'T'), load = opcode(op) == LOAD_FP;
    if (bits != 32 && indexed) narrow(p, V_2, bits), in.rs2 = V_T;
    if (bits == 32 || indexed) {
        put(p, QEMU, in);
    } else if (load) {
        in.rd = V_T;
        put(p, QEMU, in);
        put(p, QEMU, (struct insn){.op = bits == 8 ? OP_VSEXT_VF4 : OP_VSEXT_VF2, .rd = V_D, .rs2 = V_T, .vm = in.vm});
    } else {
        narrow(p, V_D, bits);
        in.rs3 = V_T;
        put(p, QEMU, in);
    }
}

/* The record is what was loaded, or the window that was stored into. */
static void vector_memory_section(struct program *p, enum isa_op op, uint8_t vm)
{
    bool load = opcode(op) == LOAD_FP, indexed = has(op, 'T');
    struct insn in = {.op = (uint16_t)op, .rs1 = X_A, .rs2 = indexed ? V_2 : has(op, 't') ? X_B : 0, .vm = vm};
    if (load) in.rd = V_D;
    else in.rs3 = V_D;
    size_t loop = section_begin(p, (struct section){.in = in, .operands = OPERANDS_BATCH, .pool = POOL_INT, .first = vm * 100,
                                                    .record = load ? 128 : WINDOW, .count = load ? 150 : MEM_BATCHES});
    load_batch(p);
    PUT(p, BOTH, ANDI, .rd = X_A, .rs1 = X_A, .imm = 63);
    if (load) put_constant(p, X_TMP, bytes_address() + 1024);
    else PUT(p, BOTH, ADDI, .rd = X_TMP, .rs1 = X_OUT, .imm = 1024);
    PUT(p, BOTH, ADD, .rd = X_A, .rs1 = X_A, .rs2 = X_TMP);
    PUT(p, BOTH, ANDI, .rd = X_B, .rs1 = X_B, .imm = 63); /* strides -32 to 31 */
    PUT(p, BOTH, ADDI, .rd = X_B, .rs1 = X_B, .imm = -32);
    if (indexed) make_index(p, element_bits(op));
    PUT(p, BOTH, VSETVLI, .rs1 = X_AVL, .rd = X_TMP, .aux = E32_M1);
    level(p);
    put(p, OURS, in);
    put_memory_row(p, in);
    level(p);
    PUT(p, BOTH, VSETVLI, .rs1 = X_32, .aux = E32_M1);
    if (load) store_vector(p, V_D, 0);
    section_end(p, loop);
}

static void vector_memory_rows(struct program *p, enum isa_op op)
{
    vector_memory_section(p, op, 1);
    vector_memory_section(p, op, 0);
}

/* ---- which rows there are ---- */

/* By opcode; a funct3 of -1 is any. The first line that fits counts. */
static const struct family {
    uint8_t opcode;
    int8_t funct3;
    enum cpu cpu;
    bool control;
    void (*put)(struct program *p, enum isa_op op);
} families[] = {
    {0x37, -1, CPU_ZFINX, false, upper_rows},
    {0x17, -1, CPU_ZFINX, false, upper_rows},
    {0x6f, -1, CPU_ZFINX, false, jal_rows},
    {0x67, -1, CPU_ZFINX, false, jalr_rows},
    {0x63, -1, CPU_ZFINX, false, branch_rows},
    {0x03, -1, CPU_ZFINX, false, load_rows},
    {0x23, -1, CPU_ZFINX, false, store_rows},
    {0x13, -1, CPU_ZFINX, false, integer_rows},
    {0x33, -1, CPU_ZFINX, false, integer_rows},
    {0x0f, -1, CPU_ZFINX, false, fence_rows},
    {0x2f, -1, CPU_ZFINX, false, atomic_rows},
    {OP_FP, -1, CPU_ZFINX, false, scalar_fp_rows},
    {0x43, -1, CPU_ZFINX, false, scalar_fp_rows},
    {0x47, -1, CPU_ZFINX, false, scalar_fp_rows},
    {0x4b, -1, CPU_ZFINX, false, scalar_fp_rows},
    {0x4f, -1, CPU_ZFINX, false, scalar_fp_rows},
    {0x73, -1, CPU_VECTOR, true, csr_rows},
    {OP_V, 7, CPU_VECTOR, true, vset_rows},
    {OP_V, -1, CPU_VECTOR, false, vector_rows},
    {LOAD_FP, 2, CPU_VECTOR, true, load_rows},
    {STORE_FP, 2, CPU_VECTOR, true, store_rows},
    {LOAD_FP, -1, CPU_VECTOR, false, vector_memory_rows},
    {STORE_FP, -1, CPU_VECTOR, false, vector_memory_rows},
};
static const struct family moves = {OP_FP, 0, CPU_VECTOR, true, move_rows};

static const struct { enum isa_op first, last; const char *why; } exceptions[] = {
    {OP_LD, OP_SD, "64-bit addresses, 32-bit data"},
    {OP_LR_D, OP_AMOMAXU_D, "64-bit addresses, 32-bit data"},
    {OP_VWADDU_WV, OP_VWADDU_WV, "both sources are 64 bits wide"},
    {OP_VWADD_WV, OP_VWADD_WV, "both sources are 64 bits wide"},
    {OP_VWSUBU_WV, OP_VWSUBU_WV, "both sources are 64 bits wide"},
    {OP_VWSUB_WV, OP_VWSUB_WV, "both sources are 64 bits wide"},
    {OP_VZEXT_VF8, OP_VSEXT_VF8, "reserved for elements of 32 bits"},
    {OP_VSHUFFLE_DOWN_RAW, OP_VSHUFFLE_DOWN_RAW, "a word of RVV's space with another meaning"},
};

static const struct family *family(enum isa_op op)
{
    if (isa_bits(op) != 32) return NULL;
    if (starts(op, "fmv.")) return &moves;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (families[i].opcode == opcode(op) && (families[i].funct3 < 0 || families[i].funct3 == (int)funct3(op))) return &families[i];
    return NULL;
}

bool row_standard(enum isa_op op) { return family(op) != NULL; }
enum cpu row_cpu(enum isa_op op) { return family(op)->cpu; }
bool row_control(enum isa_op op) { return family(op)->control; }

const char *row_exception(enum isa_op op)
{
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (op >= exceptions[i].first && op <= exceptions[i].last) return exceptions[i].why;
    return NULL;
}

bool row_put(struct program *p, enum isa_op op)
{
    size_t before = p->nsections;
    family(op)->put(p, op);
    return p->nsections > before;
}
