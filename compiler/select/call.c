/* Calls: the primitives of docs/architecture.md and the LLVM intrinsics with a short machine form.
 * Everything else has been inlined or lowered before; a call left over is an error naming it. */
#include "compiler/ir/ir.h"
#include "compiler/select/select.h"

#include <string.h>

struct call {
    LLVMValueRef inst;
    unsigned nargs;
    const char *name;
    struct num a, b, c; /* the first operands, if integers */
};

static LLVMValueRef argument(const struct call *k, unsigned i) { return LLVMGetOperand(k->inst, i); }

static uint64_t constant_argument(struct func *f, const struct call *k, unsigned i)
{
    LLVMValueRef v = i < k->nargs ? argument(k, i) : NULL;
    if (!v || !LLVMIsAConstantInt(v)) fail(f, "%s needs a constant argument", k->name);
    return LLVMConstIntGetZExtValue(v);
}

/* The word at a scalar address is cleared, gets the bits of the active lanes, and is read. */
static struct opd vote(struct func *f, unsigned or_, struct opd address, struct opd mine)
{
    int32_t at = to_s(f, address), result = new_vreg(f, CLASS_S);
    emit(f, OP_SW, 0, at, to_s(f, opd_imm(0)), 0);
    emit(f, or_, new_vreg(f, CLASS_V), to_v(f, address), to_v(f, mine), 0);
    emit(f, OP_LW, result, at, 0, 0)->keep = true;
    return opd_reg(result);
}

/* Of the two halves of words; the instruction puts the result in the place of the addend. */
static struct opd fma_of_halves(struct func *f, struct opd a, struct opd b, struct opd addend)
{
    int32_t va = to_v(f, a), vb = to_v(f, b), vc = to_v(f, addend), result = new_vreg(f, CLASS_V);
    emit(f, OP_VMV_V_V, result, vc, 0, 0);
    emit(f, OP_VFMA_F16X2, result, va, vb, 0);
    return opd_reg(result);
}

static struct opd pairs(struct func *f, const struct call *k, unsigned op, struct opd a, struct opd b)
{
    return k->nargs == 3 ? fma_of_halves(f, a, b, parts(f, argument(k, 2))[0]) : halves_opd(f, op, a, b);
}

/* An instruction, or a few, under a name of the library's. */
static bool named_instruction(struct func *f, const struct call *k, struct opd *out)
{
    const struct primitive *p = primitive_find(k->name);
    if (!p) return false;
    struct opd a = parts(f, argument(k, 0))[0], b = k->nargs > 1 ? parts(f, argument(k, 1))[0] : opd_imm(0);
    if (p->kind == PRIMITIVE_FLOAT) { /* there is no scalar form */
        out[0] = unary(f, 0, p->op, a, 7);
    } else if (p->kind == PRIMITIVE_PAIRS) {
        out[0] = pairs(f, k, p->op, a, b);
    } else if (p->kind == PRIMITIVE_FIRST) {
        out[0] = opd_reg(to_s(f, a));
    } else if (p->kind == PRIMITIVE_LANES) {
        out[0] = opd_reg(new_vreg(f, CLASS_V));
        emit(f, p->op, out[0].reg, to_v(f, b), to_v(f, a), 0);
    } else if (p->kind == PRIMITIVE_VOTE) {
        out[0] = vote(f, p->op, a, b);
    } else {
        out[0] = opd_reg(new_vreg(f, CLASS_S));
        emit(f, p->op, out[0].reg, to_s(f, a), k->nargs > 1 ? to_s(f, b) : 0, 0);
    }
    return true;
}

/* An access to the control and status register that the first argument names. */
static struct minsn *access_csr(struct func *f, const struct call *k, unsigned op, int32_t rd, int32_t rs1)
{
    uint64_t n = constant_argument(f, k, 0);
    if (n > 0xfff) fail(f, "control and status register %llu", (unsigned long long)n);
    struct minsn *m = emit(f, op, rd, rs1, 0, 0);
    m->aux = (uint16_t)n;
    return m;
}

/* CSR_KNL, which the start code leaves in a register. */
static bool is_kept(struct func *f, const struct call *k)
{
    return f->cc->kernels_end && !f->kernel->is_routine && constant_argument(f, k, 0) == CSR_KNL;
}

static bool primitive(struct func *f, const struct call *k, struct opd *out)
{
    if (!strcmp(k->name, "__ventus_lane")) {
        out[0] = opd_reg(new_vreg(f, CLASS_V));
        emit(f, OP_VID_V, out[0].reg, 0, 0, 0);
        f->vregs[out[0].reg].zbits = 5;
    } else if (!strcmp(k->name, "__ventus_csr") && is_kept(f, k)) {
        out[0] = opd_reg(REG_KNL);
    } else if (!strcmp(k->name, "__ventus_csr")) {
        out[0] = opd_reg(new_vreg(f, CLASS_S));
        access_csr(f, k, OP_CSRRS, out[0].reg, 0);
    } else if (!strcmp(k->name, "__ventus_csr_poll")) {
        out[0] = opd_reg(new_vreg(f, CLASS_S));
        access_csr(f, k, OP_CSRRS, out[0].reg, 0)->keep = true;
    } else if (!strcmp(k->name, "__ventus_csr_swap")) {
        access_csr(f, k, OP_CSRRW, 0, to_s(f, parts(f, argument(k, 1))[0]));
    } else if (!strcmp(k->name, "__ventus_shared")) {
        out[0] = opd_reg(f->local_base);
    } else if (!strcmp(k->name, "__ventus_barrier")) {
        emit(f, OP_BARRIER, 0, 0, 0, (int32_t)(constant_argument(f, k, 0) & 31));
    } else if (!strcmp(k->name, "__ventus_barrier_sub")) {
        emit(f, OP_BARRIERSUB, 0, 0, 0, (int32_t)(constant_argument(f, k, 0) & 31));
    } else {
        return named_instruction(f, k, out);
    }
    return true;
}

/* Does the intrinsic's name, up to its type suffix, equal `name`? */
static bool is(const struct call *k, const char *name)
{
    size_t n = strlen(name);
    return !strncmp(k->name, "llvm.", 5) && !strncmp(k->name + 5, name, n) &&
           (k->name[5 + n] == 0 || k->name[5 + n] == '.');
}

static bool is_ignored(const struct call *k)
{
    static const char *const names[] = {"lifetime",       "assume",     "dbg",       "experimental.noalias.scope.decl",
                                        "invariant",      "sideeffect", "donothing", "annotation",
                                        "var.annotation", "prefetch",   NULL};
    for (const char *const *n = names; *n; n++)
        if (is(k, *n)) return true;
    return false;
}

/* ---- floating point ---- */

/* The operand of a negation that stands in the call's own block, else NULL. */
static LLVMValueRef negated(const struct call *k, unsigned i)
{
    LLVMValueRef v = argument(k, i);
    if (!LLVMIsAInstruction(v) || LLVMGetInstructionOpcode(v) != LLVMFNeg) return NULL;
    return LLVMGetInstructionParent(v) == LLVMGetInstructionParent(k->inst) ? LLVMGetOperand(v, 0) : NULL;
}

/* Multiplication and addition: negations of the operands are free. */
static void fused(struct func *f, const struct call *k, unsigned n, struct opd *out)
{
    const struct opd *p[3];
    bool negate[3];
    for (unsigned i = 0; i < 3; i++) {
        LLVMValueRef inner = negated(k, i);
        negate[i] = inner != NULL;
        p[i] = parts(f, inner ? inner : argument(k, i));
    }
    for (unsigned i = 0; i < n; i++) out[i] = fma_opd(f, p[0][i], p[1][i], p[2][i], negate[0] != negate[1], negate[2]);
}

/* Of doubles, which differ from their magnitude in the upper part; `n` parts. */
static bool double_intrinsic(struct func *f, const struct call *k, unsigned n, struct opd *out)
{
    const struct opd *a = parts(f, argument(k, 0)), *b = k->nargs > 1 ? parts(f, argument(k, 1)) : a;
    if (!is(k, "fabs") && !is(k, "copysign")) return false;
    for (unsigned i = 0; i < n; i += 2) {
        out[i] = a[i];
        out[i + 1] = alu(f, FSGNJX, a[i + 1], a[i + 1]);
        if (is(k, "copysign")) out[i + 1] = alu(f, FSGNJ, a[i + 1], b[i + 1]);
    }
    return true;
}

static bool half_intrinsic(struct func *f, const struct call *k, unsigned n, struct opd *out)
{
    if (!is(k, "fma")) return false;
    const struct opd *a = parts(f, argument(k, 0)), *b = parts(f, argument(k, 1)), *c = parts(f, argument(k, 2));
    for (unsigned i = 0; i < n; i++) out[i] = fma_of_halves(f, a[i], b[i], c[i]);
    return true;
}

/* Where the instruction may take a NaN for the result, two comparisons: of two operands, the first or the second if the
 * other is a NaN. */
static struct opd float_min_max(struct func *f, enum alu op, struct opd a, struct opd b)
{
    if (!avoids(f->cc, QUIRK_MIN_MAX)) return alu(f, op, a, b);
    struct opd first = op == FMIN ? alu(f, FLT, a, b) : alu(f, FLT, b, a);
    return select_opd(f, alu(f, FEQ, b, b), select_opd(f, first, a, b), a);
}

static bool float_intrinsic(struct func *f, const struct call *k, unsigned n, struct opd *out)
{
    LLVMTypeRef type = LLVMTypeOf(argument(k, 0));
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) type = LLVMGetElementType(type);
    if (LLVMGetTypeKind(type) == LLVMDoubleTypeKind) return double_intrinsic(f, k, n, out);
    if (LLVMGetTypeKind(type) == LLVMHalfTypeKind) return half_intrinsic(f, k, n, out);
    if (LLVMGetTypeKind(type) != LLVMFloatTypeKind) return false;
    const struct opd *a = parts(f, argument(k, 0)), *b = k->nargs > 1 ? parts(f, argument(k, 1)) : a;
    if (k->nargs == 3 && (is(k, "fma") || is(k, "fmuladd"))) {
        fused(f, k, n, out);
        return true;
    }
    for (unsigned i = 0; i < n; i++) {
        if (is(k, "fabs")) out[i] = alu(f, FSGNJX, a[i], a[i]);
        else if (is(k, "copysign")) out[i] = alu(f, FSGNJ, a[i], b[i]);
        else if (is(k, "sqrt")) out[i] = unary(f, OP_FSQRT_S, OP_VFSQRT_V, a[i], 7);
        else if (is(k, "minnum") || is(k, "minimumnum")) out[i] = float_min_max(f, FMIN, a[i], b[i]);
        else if (is(k, "maxnum") || is(k, "maximumnum")) out[i] = float_min_max(f, FMAX, a[i], b[i]);
        else return false;
    }
    return n > 0;
}

/* ---- integers ---- */

static struct num min_max(struct func *f, const struct call *k, enum alu op, LLVMIntPredicate p)
{
    struct num a = k->a, b = k->b;
    bool is_signed = p >= LLVMIntSGT;
    if (a.bits > 32) return num_select(f, num_compare(f, p, a, b), a, b);
    num_extend(f, &a, is_signed);
    num_extend(f, &b, is_signed);
    a.p[0] = alu(f, op, a.p[0], b.p[0]);
    return a;
}

static struct num absolute(struct func *f, const struct call *k)
{
    struct num a = k->a;
    num_extend(f, &a, true);
    if (a.bits <= 32 && is_v(f, a.p[0])) {
        a.p[0] = alu(f, MAX, a.p[0], alu(f, SUB, opd_imm(0), a.p[0]));
        return a;
    }
    struct opd sign = alu(f, SRA, a.p[a.bits > 32], opd_imm(31));
    struct num s = {{sign, sign}, a.bits};
    return num_sub(f, num_logic(f, XOR, a, s), s);
}

/* A double-width shift; the amount counts modulo the width, a power of two for all types of the language. */
static struct num funnel(struct func *f, const struct call *k, bool left)
{
    unsigned w = k->a.bits;
    if (w & (w - 1)) fail(f, "%s on %u bits", k->name, w);
    struct num n = num_logic(f, AND, k->c, num_imm(w, w - 1)), one = num_imm(w, 1);
    struct num rest = num_logic(f, XOR, n, num_imm(w, w - 1)); /* w - 1 - n */
    struct num hi = left ? num_shift(f, SLL, k->a, n) : num_shift(f, SLL, num_shift(f, SLL, k->a, one), rest);
    struct num lo = left ? num_shift(f, SRL, num_shift(f, SRL, k->b, one), rest) : num_shift(f, SRL, k->b, n);
    return num_logic(f, OR, hi, lo);
}

/* The result of an addition or subtraction with its overflow bit. */
static void overflow(struct func *f, const struct call *k, bool is_signed, bool subtract, struct num *r,
                     struct opd *bit)
{
    struct num a = k->a, b = k->b;
    num_extend(f, &a, is_signed);
    num_extend(f, &b, is_signed);
    *r = subtract ? num_sub(f, a, b) : num_add(f, a, b);
    if (!is_signed) {
        *bit = subtract ? num_compare(f, LLVMIntULT, a, b) : num_compare(f, LLVMIntULT, *r, b);
        return;
    }
    struct num t = num_logic(f, XOR, a, *r), u = subtract ? num_logic(f, XOR, a, b) : num_logic(f, XOR, b, *r);
    struct num sign = num_logic(f, AND, t, u);
    *bit = num_compare(f, LLVMIntSLT, sign, num_imm(sign.bits, 0));
}

static bool multiply_overflow(struct func *f, const struct call *k, bool is_signed, struct num *r, struct opd *bit)
{
    struct num a = k->a, b = k->b;
    if (a.bits > 32) return false;
    num_extend(f, &a, is_signed);
    num_extend(f, &b, is_signed);
    r->bits = a.bits;
    r->p[0] = alu(f, MUL, a.p[0], b.p[0]);
    struct num low = *r;
    num_extend(f, &low, is_signed);
    struct opd high = alu(f, is_signed ? MULH : MULHU, a.p[0], b.p[0]),
               want = is_signed ? alu(f, SRA, low.p[0], opd_imm(31)) : opd_imm(0);
    *bit = alu(f, OR, alu(f, SNE, high, want), alu(f, SNE, low.p[0], r->p[0]));
    return true;
}

static bool overflow_intrinsic(struct func *f, const struct call *k, struct num *r, struct opd *bit)
{
    if (is(k, "uadd.with.overflow")) overflow(f, k, false, false, r, bit);
    else if (is(k, "usub.with.overflow")) overflow(f, k, false, true, r, bit);
    else if (is(k, "sadd.with.overflow")) overflow(f, k, true, false, r, bit);
    else if (is(k, "ssub.with.overflow")) overflow(f, k, true, true, r, bit);
    else if (is(k, "umul.with.overflow")) return multiply_overflow(f, k, false, r, bit);
    else if (is(k, "smul.with.overflow")) return multiply_overflow(f, k, true, r, bit);
    else return false;
    return true;
}

static bool saturating(struct func *f, const struct call *k, struct num *r)
{
    bool is_signed = is(k, "sadd.sat") || is(k, "ssub.sat"), subtract = is(k, "usub.sat") || is(k, "ssub.sat");
    if (!is_signed && !subtract && !is(k, "uadd.sat")) return false;
    struct opd bit;
    overflow(f, k, is_signed, subtract, r, &bit);
    uint64_t top = (uint64_t)1 << (r->bits - 1);
    struct num limit = num_imm(r->bits, subtract ? 0 : ~(uint64_t)0);
    if (is_signed) { /* overflow is towards the sign of the first operand */
        struct num a = k->a;
        num_extend(f, &a, true);
        struct opd s = alu(f, SRA, a.p[a.bits > 32], opd_imm(31));
        limit = num_logic(f, XOR, (struct num){{s, s}, r->bits}, num_imm(r->bits, top - 1));
    }
    *r = num_select(f, bit, limit, *r);
    return true;
}

static bool integer_intrinsic(struct func *f, struct call *k, struct num *r)
{
    if (is(k, "smin")) *r = min_max(f, k, MIN, LLVMIntSLT);
    else if (is(k, "smax")) *r = min_max(f, k, MAX, LLVMIntSGT);
    else if (is(k, "umin")) *r = min_max(f, k, MINU, LLVMIntULT);
    else if (is(k, "umax")) *r = min_max(f, k, MAXU, LLVMIntUGT);
    else if (is(k, "abs")) *r = absolute(f, k);
    else if (is(k, "fshl")) *r = funnel(f, k, true);
    else if (is(k, "fshr")) *r = funnel(f, k, false);
    else return saturating(f, k, r);
    return true;
}

static bool is_integer(const struct call *k, unsigned i)
{
    return i < k->nargs && LLVMGetTypeKind(LLVMTypeOf(argument(k, i))) == LLVMIntegerTypeKind;
}

void select_call(struct func *f, LLVMValueRef inst, struct opd *out)
{
    LLVMValueRef callee = LLVMGetCalledValue(inst);
    struct call k = {.inst = inst, .nargs = LLVMGetNumArgOperands(inst)};
    struct opd bit;
    struct num r;
    size_t n;
    if (!LLVMIsAFunction(callee)) fail(f, "a call through a pointer");
    k.name = LLVMGetValueName2(callee, &n);
    if (primitive(f, &k, out) || is_ignored(&k) || select_routine_call(f, inst, out)) return;
    if (k.nargs && float_intrinsic(f, &k, type_parts(f, LLVMTypeOf(inst)), out)) return;
    if (!is_integer(&k, 0)) fail(f, "a call of %s", k.name);
    k.a = num_of(f, argument(&k, 0));
    if (is_integer(&k, 1)) k.b = num_of(f, argument(&k, 1));
    if (is_integer(&k, 2)) k.c = num_of(f, argument(&k, 2));
    bool pair = overflow_intrinsic(f, &k, &r, &bit);
    if (!pair && !integer_intrinsic(f, &k, &r)) fail(f, "a call of %s", k.name);
    unsigned per = k.a.bits > 32 ? 2 : 1;
    memcpy(out, r.p, per * sizeof *out);
    if (pair) out[per] = bit;
}
