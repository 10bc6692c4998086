/* How scalar rows are tested, and atomics, whichever registers they name. */
#include "rows.h"

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
enum { IMM12S = 24 }; /* how many of those of 12 bits */

/* ---- scalar arithmetic ---- */

/* Operands in x6 x7 x8, the old value in x9; the record is the result and fflags. */
static void scalar_section(struct program *p, struct insn in, enum pool pool, uint32_t frm, uint32_t first,
                           uint32_t count)
{
    size_t loop = section_begin(p, (struct section){.in = in,
                                                    .frm = frm,
                                                    .operands = OPERANDS_TRIPLE,
                                                    .pool = pool,
                                                    .first = first,
                                                    .record = 8,
                                                    .count = count,
                                                    .flag_words = 1});
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

void integer_rows(struct program *p, enum isa_op op)
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

void upper_rows(struct program *p, enum isa_op op)
{
    struct insn in = scalar_insn(op);
    for (unsigned k = 0; k < 48; k++) {
        in.imm = (int32_t)((uint32_t)immediate(k, 20) << 12);
        scalar_section(p, in, POOL_INT, 0, 0, 1);
    }
}

void scalar_fp_rows(struct program *p, enum isa_op op)
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
    size_t loop = section_begin(
        p, (struct section){
               .in = in, .operands = OPERANDS_TRIPLE, .pool = POOL_INT, .first = first, .record = 4, .count = count});
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

void branch_rows(struct program *p, enum isa_op op)
{
    branch_section(p, op, 20, 0, TRIPLES);
    branch_section(p, op, 2048, 0, 100);
    branch_section(p, op, 2056, 100, 100); /* 2048 back */
    branch_section(p, op, 4092, 200, 100);
}

/* Jumps over every power of two and back, on a runway of 512 KiB; the record is the links. */
void jal_rows(struct program *p, enum isa_op op)
{
    enum { FIRST = 4, LAST = 19 };
    struct insn in = scalar_insn(op);
    size_t loop = section_begin(p, (struct section){.in = in, .record = 4 * (LAST - FIRST + 1), .count = 1}),
           from[LAST + 1];
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
void jalr_rows(struct program *p, enum isa_op op)
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
void fence_rows(struct program *p, enum isa_op op) { scalar_section(p, scalar_insn(op), POOL_INT, 0, 0, 1); }

/* ---- scalar memory ---- */

static void load_section(struct program *p, struct insn in, uint32_t first)
{
    const uint32_t count = TRIPLES / IMM12S;
    size_t loop = section_begin(
        p, (struct section){
               .in = in, .operands = OPERANDS_TRIPLE, .pool = POOL_INT, .first = first, .record = 4, .count = count});
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

void load_rows(struct program *p, enum isa_op op)
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
    size_t loop = section_begin(
        p, (struct section){
               .in = in, .operands = OPERANDS_TRIPLE, .pool = POOL_INT, .first = first, .record = 12, .count = count});
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

void store_rows(struct program *p, enum isa_op op)
{
    struct insn in = scalar_insn(op);
    for (unsigned k = 0; k < IMM12S; k++) {
        in.imm = immediate(k, 12);
        store_section(p, in, k * (TRIPLES / IMM12S));
    }
}

/* fmv.x.w and fmv.w.x, which Zfinx does not have: f registers there, x registers here. */
void move_rows(struct program *p, enum isa_op op)
{
    bool from_f = starts(op, "fmv.x");
    size_t loop = section_begin(
        p, (struct section){
               .in = scalar_insn(op), .operands = OPERANDS_TRIPLE, .pool = POOL_FLOAT, .record = 4, .count = 1000});
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
    size_t loop = section_begin(p, (struct section){.in = atomic_insn(op, true, k),
                                                    .operands = OPERANDS_BATCH,
                                                    .pool = POOL_INT,
                                                    .first = k * 75,
                                                    .record = 256,
                                                    .count = 75});
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
    size_t loop = section_begin(p, (struct section){.in = atomic_insn(op, false, k),
                                                    .operands = OPERANDS_TRIPLE,
                                                    .pool = POOL_INT,
                                                    .first = k * 2500,
                                                    .record = 8,
                                                    .count = 2500});
    PUT(p, BOTH, LW, .rd = X_A, .rs1 = X_IN);
    PUT(p, BOTH, LW, .rd = X_B, .rs1 = X_IN, .imm = 4);
    PUT(p, BOTH, ADDI, .rd = X_TMP, .rs1 = X_OUT);
    PUT(p, BOTH, SW, .rs1 = X_OUT, .rs2 = X_A);
    put_atomic(p, BOTH, op, false, k);
    PUT(p, BOTH, SW, .rs1 = X_OUT, .rs2 = X_D, .imm = 4);
    section_end(p, loop);
}

void atomic_rows(struct program *p, enum isa_op op)
{
    for (unsigned k = 0; k < 4; k++) /* aq and rl */
        if (has(op, 'D')) vector_atomic_section(p, op, k);
        else scalar_atomic_section(p, op, k);
}

/* ---- control registers ---- */

/* The register holds x7 before; the record is what is read, and what it holds then. */
static void csr_section(struct program *p, struct insn in)
{
    size_t loop = section_begin(
        p,
        (struct section){
            .in = in, .operands = OPERANDS_TRIPLE, .pool = POOL_INT, .first = in.aux * 100, .record = 8, .count = 100});
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

void csr_rows(struct program *p, enum isa_op op)
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
