/* How vector rows are tested. */
#include "rows.h"

enum { VI_BATCHES = 20, MASKED_BATCHES = 79, ALIAS_BATCHES = 16, SINGLES = 2000, WINDOW = 8192, MEM_BATCHES = 24 };

/* ---- vector configuration ---- */

/* AVL from x6, cut to six bits in most sections; the record is rd, vl, vtype and vlenb. */
static void vset_section(struct program *p, struct insn in, int32_t avl_mask)
{
    size_t loop = section_begin(
        p, (struct section){.in = in, .operands = OPERANDS_TRIPLE, .pool = POOL_INT, .record = 16, .count = 200});
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

void vset_rows(struct program *p, enum isa_op op)
{
    struct insn in = {.op = (uint16_t)op, .rs2 = X_B, .vm = 1};
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
 * stands in front of it in the same translation block; those end at vsetvli and with a page. */
static void put_dynamic_rounding(struct program *p)
{
    enum { PAGE = 1024 /* words */, NEEDED = 3 };
    while (level(p) % PAGE > PAGE - NEEDED) PUT(p, BOTH, ADDI, .rd = 0);
    PUT(p, QEMU, VMV_V_I, .rd = V_T);
    PUT(p, QEMU, VFADD_VV, .rd = V_T, .rs2 = V_T, .rs1 = V_T);
}

/* The documents' machines have a lane's mask in bit 0 of its own v0, RVV and the default machine in a bit of v0 each.
 */
static bool mask_in_lanes(enum isa_op op) { return !(isa_table[op].revisions & PROFILE_DEFAULT); }

/* The record is vd, its upper half, the scalar result, fflags, vxsat. With s.step set (to one word) there is but
 * one lane, so that flags are those of one operation. */
static void vector_section(struct program *p, struct section s)
{
    enum isa_op op = (enum isa_op)s.in.op;
    bool wide = wide_result(op), single = s.step != 0;
    const int32_t vector = single ? 4 : 128, scalar = 2 * vector;
    s.operands = OPERANDS_BATCH, s.pool = vector_pool(op), s.record = (uint32_t)scalar + 12, s.flag_words = 2;
    size_t loop = section_begin(p, s);
    load_batch(p);
    if (!s.in.vm && mask_in_lanes(op)) pack_mask(p, 0, 0);
    if (wide) join_halves(p, V_D);
    if (wide_vs2(op)) join_halves(p, V_2);
    PUT(p, flag_side(p), CSRRWI, .aux = VXSAT);
    clear_flags(p);
    PUT(p, BOTH, CSRRWI, .aux = VXRM, .imm = (int32_t)s.vxrm);
    if (one_lane(op) || single) PUT(p, BOTH, ADDI, .rd = X_AVL, .imm = 1);
    PUT(p, BOTH, VSETVLI, .rs1 = X_AVL, .rd = X_TMP, .aux = E32_M1);
    if (contains(op, ".rtz.") || contains(op, ".rod.")) put_dynamic_rounding(p);
    level(p);
    put(p, OURS, s.in);
    put_vector_row(p, s.in);
    read_flags(p);
    PUT(p, flag_side(p), CSRRS, .rd = X_SAT, .aux = VXSAT);
    level(p);
    if (!single) PUT(p, BOTH, VSETVLI, .rs1 = X_32, .aux = E32_M1);
    if (wide) split_halves(p, V_D);
    level(p);
    store_vector(p, V_D, 0);
    store_vector(p, V_D + 1, vector);
    PUT(p, OURS, SW, .rs1 = X_OUT, .rs2 = X_D, .imm = scalar);
    if (starts(op, "vfmv.f")) PUT(p, QEMU, FSW, .rs1 = X_OUT, .rs2 = X_D, .imm = scalar);
    else PUT(p, QEMU, SW, .rs1 = X_OUT, .rs2 = X_D, .imm = scalar);
    PUT(p, BOTH, SW, .rs1 = X_OUT, .rs2 = X_FLAGS, .imm = scalar + 4);
    PUT(p, BOTH, SW, .rs1 = X_OUT, .rs2 = X_SAT, .imm = scalar + 8);
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

/* One setting of the modes: lane by lane, unmasked, masked, in place, over the immediates if there are any. */
static void vector_variants(struct program *p, struct section s)
{
    enum isa_op op = (enum isa_op)s.in.op;
    bool immediates = has(op, 'k') || has(op, 'z'), maskable = has(op, 'm');
    struct section one = s;
    one.step = 4, one.first = s.frm * 50, one.count = SINGLES, one.in.imm = immediates ? 3 : 0;
    vector_section(p, one);
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

void vector_rows(struct program *p, enum isa_op op)
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
    size_t loop = section_begin(p, (struct section){.in = in,
                                                    .operands = OPERANDS_BATCH,
                                                    .pool = POOL_INT,
                                                    .first = vm * 100,
                                                    .record = load ? 128 : WINDOW,
                                                    .count = load ? 150 : MEM_BATCHES});
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

void vector_memory_rows(struct program *p, enum isa_op op)
{
    vector_memory_section(p, op, 1);
    vector_memory_section(p, op, 0);
}
