/* Operations on 32-bit parts. Each row of the table gives one operation's scalar and vector forms;
 * `alu` picks: scalar when no operand is a vector, else the form that takes a scalar or constant
 * operand as it is. Constants fold, so that 64-bit sequences shrink by themselves. */
#include "compiler/ir/ir.h"
#include "compiler/select/select.h"

/* What a form's immediate may be. */
enum imm_kind { IMM_NONE, IMM_S12, IMM_SHIFT, IMM_S5, IMM_S11 };

struct row {
    uint16_t x, xi;      /* scalar; scalar with constant */
    uint16_t vv, vx, vi; /* vector op vector, scalar, constant */
    uint16_t rx, ri;     /* scalar op vector, constant op vector */
    uint8_t xi_kind, vi_kind;
    bool commutes;
};

static const struct row rows[NALU] = {
    [ADD] = {OP_ADD, OP_ADDI, OP_VADD_VV, OP_VADD_VX, OP_VADD_VI, 0, 0, IMM_S12, IMM_S5, true},
    [SUB] = {OP_SUB, 0, OP_VSUB_VV, OP_VSUB_VX, 0, OP_VRSUB_VX, OP_VRSUB_VI, IMM_NONE, IMM_S5, false},
    [AND] = {OP_AND, OP_ANDI, OP_VAND_VV, OP_VAND_VX, OP_VAND_VI, 0, 0, IMM_S12, IMM_S11, true},
    [OR] = {OP_OR, OP_ORI, OP_VOR_VV, OP_VOR_VX, OP_VOR_VI, 0, 0, IMM_S12, IMM_S11, true},
    [XOR] = {OP_XOR, OP_XORI, OP_VXOR_VV, OP_VXOR_VX, OP_VXOR_VI, 0, 0, IMM_S12, IMM_S11, true},
    [SLL] = {OP_SLL, OP_SLLI, OP_VSLL_VV, OP_VSLL_VX, OP_VSLL_VI, 0, 0, IMM_SHIFT, IMM_SHIFT, false},
    [SRL] = {OP_SRL, OP_SRLI, OP_VSRL_VV, OP_VSRL_VX, OP_VSRL_VI, 0, 0, IMM_SHIFT, IMM_SHIFT, false},
    [SRA] = {OP_SRA, OP_SRAI, OP_VSRA_VV, OP_VSRA_VX, OP_VSRA_VI, 0, 0, IMM_SHIFT, IMM_SHIFT, false},
    [MUL] = {OP_MUL, 0, OP_VMUL_VV, OP_VMUL_VX, 0, 0, 0, IMM_NONE, IMM_NONE, true},
    [MULH] = {OP_MULH, 0, OP_VMULH_VV, OP_VMULH_VX, 0, 0, 0, IMM_NONE, IMM_NONE, true},
    [MULHU] = {OP_MULHU, 0, OP_VMULHU_VV, OP_VMULHU_VX, 0, 0, 0, IMM_NONE, IMM_NONE, true},
    [DIV] = {OP_DIV, 0, OP_VDIV_VV, OP_VDIV_VX, 0, 0, 0, IMM_NONE, IMM_NONE, false},
    [DIVU] = {OP_DIVU, 0, OP_VDIVU_VV, OP_VDIVU_VX, 0, 0, 0, IMM_NONE, IMM_NONE, false},
    [REM] = {OP_REM, 0, OP_VREM_VV, OP_VREM_VX, 0, 0, 0, IMM_NONE, IMM_NONE, false},
    [REMU] = {OP_REMU, 0, OP_VREMU_VV, OP_VREMU_VX, 0, 0, 0, IMM_NONE, IMM_NONE, false},
    [SLT] = {OP_SLT, OP_SLTI, OP_VMSLT_VV, OP_VMSLT_VX, 0, OP_VMSGT_VX, OP_VMSGT_VI, IMM_S12, IMM_S5, false},
    [SLTU] = {OP_SLTU, OP_SLTIU, OP_VMSLTU_VV, OP_VMSLTU_VX, 0, OP_VMSGTU_VX, OP_VMSGTU_VI, IMM_S12, IMM_S5, false},
    [SEQ] = {0, 0, OP_VMSEQ_VV, OP_VMSEQ_VX, OP_VMSEQ_VI, 0, 0, IMM_NONE, IMM_S11, true},
    [SNE] = {0, 0, OP_VMSNE_VV, OP_VMSNE_VX, OP_VMSNE_VI, 0, 0, IMM_NONE, IMM_S11, true},
    [MIN] = {0, 0, OP_VMIN_VV, OP_VMIN_VX, 0, 0, 0, IMM_NONE, IMM_NONE, true},
    [MAX] = {0, 0, OP_VMAX_VV, OP_VMAX_VX, 0, 0, 0, IMM_NONE, IMM_NONE, true},
    [MINU] = {0, 0, OP_VMINU_VV, OP_VMINU_VX, 0, 0, 0, IMM_NONE, IMM_NONE, true},
    [MAXU] = {0, 0, OP_VMAXU_VV, OP_VMAXU_VX, 0, 0, 0, IMM_NONE, IMM_NONE, true},
    [SADDU] = {0, 0, OP_VSADDU_VV, OP_VSADDU_VX, 0, 0, 0, IMM_NONE, IMM_NONE, true},
    [SADD] = {0, 0, OP_VSADD_VV, OP_VSADD_VX, OP_VSADD_VI, 0, 0, IMM_NONE, IMM_S5, true},
    [SSUBU] = {0, 0, OP_VSSUBU_VV, OP_VSSUBU_VX, 0, 0, 0, IMM_NONE, IMM_NONE, false},
    [SSUB] = {0, 0, OP_VSSUB_VV, OP_VSSUB_VX, 0, 0, 0, IMM_NONE, IMM_NONE, false},
    [FADD] = {OP_FADD_S, 0, OP_VFADD_VV, OP_VFADD_VF, 0, 0, 0, IMM_NONE, IMM_NONE, true},
    [FSUB] = {OP_FSUB_S, 0, OP_VFSUB_VV, OP_VFSUB_VF, 0, OP_VFRSUB_VF, 0, IMM_NONE, IMM_NONE, false},
    [FMUL] = {OP_FMUL_S, 0, OP_VFMUL_VV, OP_VFMUL_VF, 0, 0, 0, IMM_NONE, IMM_NONE, true},
    [FDIV] = {OP_FDIV_S, 0, OP_VFDIV_VV, OP_VFDIV_VF, 0, OP_VFRDIV_VF, 0, IMM_NONE, IMM_NONE, false},
    [FMIN] = {OP_FMIN_S, 0, OP_VFMIN_VV, OP_VFMIN_VF, 0, 0, 0, IMM_NONE, IMM_NONE, true},
    [FMAX] = {OP_FMAX_S, 0, OP_VFMAX_VV, OP_VFMAX_VF, 0, 0, 0, IMM_NONE, IMM_NONE, true},
    [FSGNJ] = {OP_FSGNJ_S, 0, OP_VFSGNJ_VV, OP_VFSGNJ_VF, 0, 0, 0, IMM_NONE, IMM_NONE, false},
    [FSGNJN] = {OP_FSGNJN_S, 0, OP_VFSGNJN_VV, OP_VFSGNJN_VF, 0, 0, 0, IMM_NONE, IMM_NONE, false},
    [FSGNJX] = {OP_FSGNJX_S, 0, OP_VFSGNJX_VV, OP_VFSGNJX_VF, 0, 0, 0, IMM_NONE, IMM_NONE, false},
    [FEQ] = {OP_FEQ_S, 0, OP_VMFEQ_VV, OP_VMFEQ_VF, 0, 0, 0, IMM_NONE, IMM_NONE, true},
    [FNE] = {0, 0, OP_VMFNE_VV, OP_VMFNE_VF, 0, 0, 0, IMM_NONE, IMM_NONE, true},
    [FLT] = {OP_FLT_S, 0, OP_VMFLT_VV, OP_VMFLT_VF, 0, OP_VMFGT_VF, 0, IMM_NONE, IMM_NONE, false},
    [FLE] = {OP_FLE_S, 0, OP_VMFLE_VV, OP_VMFLE_VF, 0, OP_VMFGE_VF, 0, IMM_NONE, IMM_NONE, false},
};

unsigned vv_form(unsigned op)
{
    if (op == OP_VMV_V_X) return OP_VMV_V_V;
    switch (op) {
    case OP_VMACC_VX: return OP_VMACC_VV;
    case OP_VMADD_VX: return OP_VMADD_VV;
    case OP_VFMADD_VF: return OP_VFMADD_VV;
    case OP_VFMSUB_VF: return OP_VFMSUB_VV;
    case OP_VFNMADD_VF: return OP_VFNMADD_VV;
    case OP_VFNMSUB_VF: return OP_VFNMSUB_VV;
    case OP_VFMACC_VF: return OP_VFMACC_VV;
    case OP_VFMSAC_VF: return OP_VFMSAC_VV;
    case OP_VFNMACC_VF: return OP_VFNMACC_VV;
    case OP_VFNMSAC_VF: return OP_VFNMSAC_VV;
    default: break;
    }
    for (unsigned i = 0; i < NALU; i++)
        if (op != OP_INVALID && rows[i].vx == op) return rows[i].vv;
    return OP_INVALID;
}

bool is_v(const struct func *f, struct opd o) { return o.reg >= FIRST_VREG && f->vregs[o.reg].cls == CLASS_V; }

static bool imm_fits(const struct func *f, uint8_t kind, uint32_t imm)
{
    int32_t v = (int32_t)imm;
    switch (kind) {
    case IMM_S12: return v >= -2048 && v <= 2047;
    case IMM_SHIFT: return true; /* taken modulo 32 */
    case IMM_S5: return v >= -16 && v <= 15;
    case IMM_S11: /* of five bits, and six in a prefix */
        if (avoids(f->cc, QUIRK_REGEXTI_IMM)) return v >= -16 && v <= 15;
        return v >= -1024 && v <= 1023;
    default: return false;
    }
}

/* ---- constants and moves ---- */

/* A constant used in a loop gets a register for the whole kernel, set in the entry block; a few,
 * since each costs one throughout. Returns NOREG if it has none. */
static int32_t kernel_constant(struct func *f, uint32_t v, enum reg_class cls)
{
    if (!f->mblocks[f->cur].depth) return NOREG;
    for (uint32_t i = 0; i < f->nconstants[cls]; i++)
        if (f->constants[cls][i].imm == v) return f->constants[cls][i].reg;
    if (f->nconstants[cls] == LOOP_CONSTANTS) return NOREG;
    uint32_t cur = f->cur;
    f->cur = f->blocks[0].mfirst;
    int32_t r = cls == CLASS_S ? to_s(f, opd_imm(v)) : to_v(f, opd_imm(v));
    f->cur = cur;
    f->constants[cls][f->nconstants[cls]++] = (struct opd){r, v};
    return r;
}

static int32_t load_constant(struct func *f, uint32_t v)
{
    if (v == 0) return 0;
    int32_t kept = kernel_constant(f, v, CLASS_S);
    if (kept != NOREG) return kept;
    int32_t low = (int32_t)(v << 20) >> 20, r = new_vreg(f, CLASS_S);
    uint32_t high = v - (uint32_t)low;
    if (!high) {
        emit(f, OP_ADDI, r, 0, 0, low);
        return r;
    }
    emit(f, OP_LUI, r, 0, 0, (int32_t)high);
    if (!low) return r;
    int32_t sum = new_vreg(f, CLASS_S);
    emit(f, OP_ADDI, sum, r, 0, low);
    return sum;
}

int32_t to_s(struct func *f, struct opd o)
{
    if (is_imm(o)) return load_constant(f, o.imm);
    if (!is_v(f, o)) return o.reg;
    int32_t r = new_vreg(f, CLASS_S);
    emit(f, OP_VMV_X_S, r, 0, o.reg, 0);
    f->vregs[r].zbits = f->vregs[o.reg].zbits;
    f->vregs[r].sbits = f->vregs[o.reg].sbits;
    return r;
}

void emit_copy(struct func *f, int32_t to, struct opd from)
{
    bool vec = f->vregs[to].cls == CLASS_V;
    if (from.reg == to) return;
    if (vec && is_v(f, from)) emit(f, OP_VMV_V_V, to, from.reg, 0, 0);
    else if (vec && is_imm(from) && (int32_t)from.imm >= -16 && (int32_t)from.imm < 16)
        emit(f, OP_VMV_V_I, to, 0, 0, (int32_t)from.imm);
    else if (vec) emit(f, OP_VMV_V_X, to, to_s(f, from), 0, 0);
    else if (is_v(f, from)) emit(f, OP_VMV_X_S, to, 0, from.reg, 0);
    else if (is_imm(from) && (int32_t)from.imm >= -2048 && (int32_t)from.imm < 2048)
        emit(f, OP_ADDI, to, 0, 0, (int32_t)from.imm);
    else emit(f, OP_ADDI, to, to_s(f, from), 0, 0);
}

int32_t to_v(struct func *f, struct opd o)
{
    if (is_v(f, o)) return o.reg;
    int32_t kept = is_imm(o) ? kernel_constant(f, o.imm, CLASS_V) : NOREG;
    if (kept != NOREG) return kept;
    int32_t r = new_vreg(f, CLASS_V);
    if (is_imm(o) && imm_fits(f, IMM_S5, o.imm)) {
        emit(f, OP_VMV_V_I, r, 0, 0, (int32_t)o.imm);
    } else {
        emit(f, OP_VMV_V_X, r, to_s(f, o), 0, 0);
        if (o.reg >= FIRST_VREG) {
            f->vregs[r].zbits = f->vregs[o.reg].zbits;
            f->vregs[r].sbits = f->vregs[o.reg].sbits;
        }
    }
    return r;
}

/* ---- folding ---- */

static bool fold(enum alu op, uint32_t a, uint32_t b, uint32_t *out)
{
    int32_t sa = (int32_t)a, sb = (int32_t)b;
    switch (op) {
    case ADD: *out = a + b; return true;
    case SUB: *out = a - b; return true;
    case AND: *out = a & b; return true;
    case OR: *out = a | b; return true;
    case XOR: *out = a ^ b; return true;
    case SLL: *out = a << (b & 31); return true;
    case SRL: *out = a >> (b & 31); return true;
    case SRA: *out = (uint32_t)(sa >> (b & 31)); return true;
    case MUL: *out = a * b; return true;
    case MULH: *out = (uint32_t)((int64_t)sa * sb >> 32); return true;
    case MULHU: *out = (uint32_t)((uint64_t)a * b >> 32); return true;
    case SLT: *out = sa < sb; return true;
    case SLTU: *out = a < b; return true;
    case SEQ: *out = a == b; return true;
    case SNE: *out = a != b; return true;
    case MIN: *out = sa < sb ? a : b; return true;
    case MAX: *out = sa > sb ? a : b; return true;
    case MINU: *out = a < b ? a : b; return true;
    case MAXU: *out = a > b ? a : b; return true;
    default: return false;
    }
}

static unsigned log2_of(uint32_t v) { return v && !(v & (v - 1)) ? (unsigned)__builtin_ctz(v) : 32; }

static bool gives(struct opd *out, struct opd value)
{
    *out = value;
    return true;
}

/* Products, quotients and remainders: of powers of two by shifts and masks. */
static bool simplify_product(struct func *f, enum alu op, struct opd a, uint32_t b, struct opd *out)
{
    const unsigned log2 = log2_of(b);
    if (b == 0) return (op == MUL || op == MULHU) && gives(out, opd_imm(0));
    if (op == MUL && b == ~0u) return gives(out, alu(f, SUB, opd_imm(0), a));
    if (log2 == 32) return false;
    switch (op) {
    case MUL: return gives(out, alu(f, SLL, a, opd_imm(log2)));
    case MULHU: return gives(out, b == 1 ? opd_imm(0) : alu(f, SRL, a, opd_imm(32 - log2)));
    case DIVU: return gives(out, alu(f, SRL, a, opd_imm(log2)));
    default: return gives(out, alu(f, AND, a, opd_imm(b - 1)));
    }
}

/* a op constant b without an instruction, or by a cheaper operation. */
static bool simplify(struct func *f, enum alu op, struct opd a, uint32_t b, struct opd *out)
{
    switch (op) {
    case SLL:
    case SRL:
    case SRA: return (b & 31) == 0 && gives(out, a);
    case ADD:
    case XOR: return b == 0 && gives(out, a);
    case SUB: return gives(out, b ? alu(f, ADD, a, opd_imm(0u - b)) : a);
    case OR: return b == 0 ? gives(out, a) : b == ~0u && gives(out, opd_imm(b));
    case SLTU: return b == 0 && gives(out, opd_imm(0)); /* nothing is below 0 */
    case AND: return b == 0 ? gives(out, opd_imm(0)) : b == ~0u && gives(out, a);
    case MUL:
    case MULHU:
    case DIVU:
    case REMU: return simplify_product(f, op, a, b, out);
    default: return false;
    }
}

/* Records what is known of a result's range. */
static struct opd noted(struct func *f, enum alu op, struct opd a, struct opd b, int32_t rd)
{
    struct vreg *r = &f->vregs[rd];
    unsigned za = a.reg >= FIRST_VREG ? f->vregs[a.reg].zbits : 32,
             zb = b.reg >= FIRST_VREG ? f->vregs[b.reg].zbits : 32;
    if (is_imm(b)) zb = b.imm ? 32 - (unsigned)__builtin_clz(b.imm) : 0;
    if (is_imm(a)) za = a.imm ? 32 - (unsigned)__builtin_clz(a.imm) : 0;
    switch (op) {
    case SLT:
    case SLTU:
    case SEQ:
    case SNE:
    case FEQ:
    case FNE:
    case FLT:
    case FLE: r->zbits = 1; break;
    case AND: r->zbits = (uint8_t)(za < zb ? za : zb); break;
    case OR:
    case XOR:
    case MAXU: r->zbits = (uint8_t)(za > zb ? za : zb); break;
    case MINU:
    case REMU: r->zbits = (uint8_t)(za < zb ? za : zb); break;
    case DIVU: r->zbits = 32; break;
    case SRL:
        if (is_imm(b)) r->zbits = (uint8_t)(za > (b.imm & 31) ? za - (b.imm & 31) : 0);
        break;
    case SLL:
        if (is_imm(b) && za + (b.imm & 31) < 32) r->zbits = (uint8_t)(za + (b.imm & 31));
        break;
    default: break;
    }
    return opd_reg(rd);
}

/* ---- forms ---- */

static struct opd scalar(struct func *f, enum alu op, struct opd a, struct opd b)
{
    const struct row *r = &rows[op];
    if (op == SEQ || op == SNE) {
        struct opd d = is_imm_of(b, 0)                                 ? a
                       : is_imm(b) && imm_fits(f, IMM_S12, 0u - b.imm) ? alu(f, ADD, a, opd_imm(0u - b.imm))
                                                                       : alu(f, XOR, a, b);
        return op == SEQ ? alu(f, SLTU, d, opd_imm(1)) : alu(f, SLTU, opd_imm(0), d);
    }
    if (op == FNE) return not1(f, alu(f, FEQ, a, b));
    int32_t rd = new_vreg(f, CLASS_S);
    if (r->xi && is_imm(b) && imm_fits(f, r->xi_kind, b.imm)) {
        int32_t imm = r->xi_kind == IMM_SHIFT ? (int32_t)(b.imm & 31) : (int32_t)b.imm;
        emit(f, r->xi, rd, to_s(f, a), 0, imm);
    } else {
        emit(f, r->x, rd, to_s(f, a), to_s(f, b), 0);
    }
    return noted(f, op, a, b, rd);
}

/* Vector a with constant b; false if no form takes it. */
static bool vector_imm(struct func *f, enum alu op, struct opd a, uint32_t b, int32_t rd)
{
    const struct row *r = &rows[op];
    int32_t v = (int32_t)b;
    if (op == ADD && !imm_fits(f, IMM_S5, b) && v >= -2047 && v <= 2047 &&
        (v > 0 || profile_has(f->cc, OP_VSUB12_VI))) {
        emit(f, v > 0 ? OP_VADD12_VI : OP_VSUB12_VI, rd, a.reg, 0, v > 0 ? v : -v);
        return true;
    }
    if (op == SLT && v >= -15 && v <= 16) { /* a < b is a <= b - 1 */
        emit(f, OP_VMSLE_VI, rd, 0, a.reg, v - 1);
        return true;
    }
    if (op == SLTU && v >= 1 && v <= 16) {
        emit(f, OP_VMSLEU_VI, rd, 0, a.reg, v - 1);
        return true;
    }
    if (!r->vi || !imm_fits(f, r->vi_kind, b)) return false;
    emit(f, r->vi, rd, 0, a.reg, r->vi_kind == IMM_SHIFT ? v & 31 : v);
    return true;
}

/* Scalar or constant a with vector b. */
static bool vector_reversed(struct func *f, enum alu op, struct opd a, struct opd b, int32_t rd)
{
    const struct row *r = &rows[op];
    if (r->ri && is_imm(a) && imm_fits(f, r->vi_kind, a.imm)) {
        emit(f, r->ri, rd, 0, b.reg, (int32_t)a.imm);
        return true;
    }
    if (!r->rx) return false;
    emit(f, r->rx, rd, to_s(f, a), b.reg, 0);
    return true;
}

static struct opd vector(struct func *f, enum alu op, struct opd a, struct opd b)
{
    const struct row *r = &rows[op];
    int32_t rd = new_vreg(f, CLASS_V);
    if (!is_v(f, a) && is_v(f, b) && vector_reversed(f, op, a, b, rd)) return noted(f, op, a, b, rd);
    struct opd va = opd_reg(to_v(f, a));
    if (is_imm(b) && vector_imm(f, op, va, b.imm, rd)) return noted(f, op, a, b, rd);
    if (is_v(f, b)) emit(f, r->vv, rd, b.reg, va.reg, 0);
    else emit(f, r->vx, rd, to_s(f, b), va.reg, 0);
    return noted(f, op, a, b, rd);
}

struct opd alu(struct func *f, enum alu op, struct opd a, struct opd b)
{
    const struct row *r = &rows[op];
    struct opd out;
    if (is_imm(a) && is_imm(b) && fold(op, a.imm, b.imm, &out.imm)) return opd_imm(out.imm);
    if (r->commutes && (is_imm(a) || (!is_v(f, a) && is_v(f, b)))) {
        struct opd t = a;
        a = b;
        b = t;
    }
    if (is_imm(b) && simplify(f, op, a, b.imm, &out)) return out;
    bool has_scalar = r->x || op == SEQ || op == SNE || op == FNE;
    if (has_scalar && !is_v(f, a) && !is_v(f, b)) return scalar(f, op, a, b);
    return vector(f, op, a, b);
}

/* ---- small sequences ---- */

struct opd unary(struct func *f, unsigned sop, unsigned vop, struct opd a, uint8_t rm)
{
    bool vec = is_v(f, a) || !sop;
    int32_t rd = new_vreg(f, vec ? CLASS_V : CLASS_S);
    struct minsn *m = vec ? emit(f, vop, rd, 0, to_v(f, a), 0) : emit(f, sop, rd, to_s(f, a), 0, 0);
    m->rm = rm;
    return opd_reg(rd);
}

struct opd zero_extend(struct func *f, struct opd o, unsigned bits_)
{
    uint32_t mask = bits_ >= 32 ? ~0u : (1u << bits_) - 1;
    if (bits_ >= 32) return o;
    if (is_imm(o)) return opd_imm(o.imm & mask);
    if (f->vregs[o.reg].zbits <= bits_) return o;
    if (bits_ <= 10) return alu(f, AND, o, opd_imm(mask));
    return alu(f, SRL, alu(f, SLL, o, opd_imm(32 - bits_)), opd_imm(32 - bits_));
}

struct opd sign_extend(struct func *f, struct opd o, unsigned bits_)
{
    if (bits_ >= 32) return o;
    if (is_imm(o)) return opd_imm((uint32_t)((int32_t)(o.imm << (32 - bits_)) >> (32 - bits_)));
    if (f->vregs[o.reg].sbits <= bits_ || f->vregs[o.reg].zbits < bits_) return o;
    if (bits_ == 1 && f->vregs[o.reg].zbits == 1) return alu(f, SUB, opd_imm(0), o);
    return alu(f, SRA, alu(f, SLL, o, opd_imm(32 - bits_)), opd_imm(32 - bits_));
}

struct opd not1(struct func *f, struct opd c) { return alu(f, XOR, c, opd_imm(1)); }

static bool same(struct opd a, struct opd b) { return a.reg == b.reg && a.imm == b.imm; }

static bool is_bit(struct func *f, struct opd o) { return is_imm(o) ? o.imm <= 1 : f->vregs[o.reg].zbits <= 1; }

/* c ? a : b as b + c * (a - b): right for any bits, and one instruction shorter than masks. The difference is used here
 * alone, so it is what the result replaces. */
struct opd select_opd(struct func *f, struct opd c, struct opd a, struct opd b)
{
    if (is_imm(c)) return c.imm & 1 ? a : b;
    if (same(a, b)) return a;
    if (is_imm_of(a, 1) && is_bit(f, b)) return alu(f, OR, c, b);
    if (is_imm_of(b, 0)) return alu(f, is_bit(f, a) ? AND : MUL, c, a);
    if (is_imm_of(a, 0)) return is_imm_of(b, 1) ? not1(f, c) : alu(f, AND, b, alu(f, ADD, c, opd_imm(~0u)));
    struct opd d = alu(f, SUB, a, b);
    if (is_imm(d) || is_imm(b) || (!is_v(f, c) && !is_v(f, d) && !is_v(f, b))) return alu(f, ADD, alu(f, MUL, c, d), b);
    int32_t rd = new_vreg(f, CLASS_V), vb = to_v(f, b);
    struct opd factor = is_v(f, d) ? c : d;
    emit(f, OP_VMV_V_V, rd, to_v(f, is_v(f, d) ? d : c), 0, 0); /* b is a vector if nothing else is */
    if (is_v(f, factor)) emit(f, OP_VMADD_VV, rd, factor.reg, vb, 0);
    else emit(f, OP_VMADD_VX, rd, to_s(f, factor), vb, 0);
    return opd_reg(rd);
}

struct opd halves_opd(struct func *f, unsigned op, struct opd a, struct opd b)
{
    int32_t va = to_v(f, a), vb = to_v(f, b), result = new_vreg(f, CLASS_V);
    emit(f, op, result, va, vb, 0);
    return opd_reg(result);
}

/* (negate_product ? -(a * b) : a * b) + (negate_sum ? -c : c) in one rounding. */
struct opd fma_opd(struct func *f, struct opd a, struct opd b, struct opd c, bool negate_product, bool negate_sum)
{
    static const uint16_t scalar_op[2][2] = {{OP_FMADD_S, OP_FMSUB_S}, {OP_FNMSUB_S, OP_FNMADD_S}};
    static const uint16_t vv[2][2] = {{OP_VFMACC_VV, OP_VFMSAC_VV}, {OP_VFNMSAC_VV, OP_VFNMACC_VV}};
    static const uint16_t vf[2][2] = {{OP_VFMACC_VF, OP_VFMSAC_VF}, {OP_VFNMSAC_VF, OP_VFNMACC_VF}};
    if (!is_v(f, a) && !is_v(f, b) && !is_v(f, c)) {
        int32_t rd = new_vreg(f, CLASS_S), ra = to_s(f, a), rb = to_s(f, b), rc = to_s(f, c);
        emit(f, scalar_op[negate_product][negate_sum], rd, ra, rb, 0)->rs3 = rc;
        return opd_reg(rd);
    }
    if (!is_v(f, b)) {
        struct opd t = a;
        a = b;
        b = t;
    }
    int32_t vc = to_v(f, c), vb = to_v(f, b), ra = is_v(f, a) ? a.reg : to_s(f, a), rd = new_vreg(f, CLASS_V);
    emit(f, OP_VMV_V_V, rd, vc, 0, 0);
    emit(f, (is_v(f, a) ? vv : vf)[negate_product][negate_sum], rd, ra, vb, 0);
    return opd_reg(rd);
}
