/* Integers of up to 64 bits: arithmetic, comparisons, conversions.
 *
 * Bits of a part above the integer's width are unspecified, except that a one-bit value is always 0
 * or 1; who cares (comparison, right shift, division, widening) extends first. 64-bit division has
 * no short form and is the library's. */
#include "compiler/select/select.h"

#include <string.h>

static LLVMTypeRef element_type(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t;
}

static unsigned element_count(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetVectorSize(t) : 1;
}

static struct num element(struct func *f, LLVMValueRef v, unsigned i)
{
    LLVMTypeRef t = element_type(LLVMTypeOf(v));
    struct num n = {{opd_imm(0), opd_imm(0)}, type_bits(t)};
    if (n.bits > 64) fail(f, "an integer of %u bits", n.bits);
    unsigned per = n.bits > 32 ? 2 : 1;
    memcpy(n.p, parts(f, v) + i * per, per * sizeof *n.p);
    return n;
}

struct num num_of(struct func *f, LLVMValueRef v) { return element(f, v, 0); }

struct num num_imm(unsigned bits_, uint64_t v)
{
    return (struct num){{opd_imm((uint32_t)v), opd_imm((uint32_t)(v >> 32))}, bits_};
}

void num_extend(struct func *f, struct num *n, bool is_signed)
{
    if (n->bits == 1) {
        if (is_signed) n->p[0] = alu(f, SUB, opd_imm(0), n->p[0]);
        return;
    }
    unsigned top = n->bits > 32, width = n->bits - 32 * top;
    n->p[top] = is_signed ? sign_extend(f, n->p[top], width) : zero_extend(f, n->p[top], width);
}

/* The same number with more bits. */
static struct num widen(struct func *f, struct num n, unsigned to, bool is_signed)
{
    num_extend(f, &n, is_signed);
    if (n.bits <= 32 && to > 32) n.p[1] = is_signed ? alu(f, SRA, n.p[0], opd_imm(31)) : opd_imm(0);
    n.bits = to;
    return n;
}

/* ---- arithmetic ---- */

struct num num_logic(struct func *f, enum alu op, struct num a, struct num b)
{
    a.p[0] = alu(f, op, a.p[0], b.p[0]);
    if (a.bits > 32) a.p[1] = alu(f, op, a.p[1], b.p[1]);
    return a;
}

struct num num_add(struct func *f, struct num a, struct num b)
{
    struct num r = a;
    r.p[0] = alu(f, a.bits == 1 ? XOR : ADD, a.p[0], b.p[0]);
    if (a.bits > 32) r.p[1] = alu(f, ADD, alu(f, ADD, a.p[1], b.p[1]), alu(f, SLTU, r.p[0], b.p[0]));
    return r;
}

struct num num_sub(struct func *f, struct num a, struct num b)
{
    struct num r = a;
    r.p[0] = alu(f, a.bits == 1 ? XOR : SUB, a.p[0], b.p[0]);
    if (a.bits > 32) r.p[1] = alu(f, SUB, alu(f, SUB, a.p[1], b.p[1]), alu(f, SLTU, a.p[0], b.p[0]));
    return r;
}

static struct num num_mul(struct func *f, struct num a, struct num b)
{
    struct num r = a;
    r.p[0] = alu(f, MUL, a.p[0], b.p[0]);
    if (a.bits <= 32) return r;
    struct opd cross = alu(f, ADD, alu(f, MUL, a.p[0], b.p[1]), alu(f, MUL, a.p[1], b.p[0]));
    r.p[1] = alu(f, ADD, alu(f, MULHU, a.p[0], b.p[0]), cross);
    return r;
}

struct num num_select(struct func *f, struct opd c, struct num a, struct num b)
{
    a.p[0] = select_opd(f, c, a.p[0], b.p[0]);
    if (a.bits > 32) a.p[1] = select_opd(f, c, a.p[1], b.p[1]);
    return a;
}

/* A 64-bit shift by a constant. The word that gets bits of both is a word's shift to either side. */
static struct num shift64_constant(struct func *f, enum alu op, struct num a, unsigned n)
{
    bool left = op == SLL;
    struct opd near = a.p[left ? 0 : 1], far = a.p[left ? 1 : 0]; /* bits move from near to far */
    struct opd fill = op == SRA ? alu(f, SRA, near, opd_imm(31)) : opd_imm(0),
               moved = alu(f, op, near, opd_imm(n % 32));
    struct num r = a;
    if (n >= 32) {
        r.p[left] = moved;
        r.p[!left] = fill;
        return r;
    }
    struct opd rest = alu(f, left ? SRL : SLL, near, opd_imm(32 - n)), kept = alu(f, left ? SLL : SRL, far, opd_imm(n));
    r.p[!left] = moved;
    r.p[left] = n ? alu(f, OR, kept, rest) : far;
    return r;
}

/* A 64-bit shift by 0..63: within words by n mod 32, then by a word if n >= 32. Shift amounts are
 * taken modulo 32, so ~n stands for 31 - n. */
static struct num shift64(struct func *f, enum alu op, struct num a, struct opd n)
{
    struct opd inv = alu(f, XOR, n, opd_imm(~0u)), whole = alu(f, AND, alu(f, SRL, n, opd_imm(5)), opd_imm(1)),
               one = opd_imm(1);
    struct num r = a;
    if (op == SLL) {
        struct opd lo = alu(f, SLL, a.p[0], n);
        struct opd hi = alu(f, OR, alu(f, SLL, a.p[1], n), alu(f, SRL, alu(f, SRL, a.p[0], one), inv));
        r.p[1] = select_opd(f, whole, lo, hi);
        r.p[0] = select_opd(f, whole, opd_imm(0), lo);
        return r;
    }
    struct opd hi = alu(f, op, a.p[1], n), fill = op == SRA ? alu(f, SRA, a.p[1], opd_imm(31)) : opd_imm(0);
    struct opd lo = alu(f, OR, alu(f, SRL, a.p[0], n), alu(f, SLL, alu(f, SLL, a.p[1], one), inv));
    r.p[0] = select_opd(f, whole, hi, lo);
    r.p[1] = select_opd(f, whole, fill, hi);
    return r;
}

struct num num_shift(struct func *f, enum alu op, struct num a, struct num n)
{
    if (a.bits == 1) return a; /* by anything but 0 it is poison */
    if (op != SLL) num_extend(f, &a, op == SRA);
    if (a.bits > 32 && is_imm(n.p[0])) return shift64_constant(f, op, a, n.p[0].imm & 63);
    if (a.bits > 32) return shift64(f, op, a, n.p[0]);
    a.p[0] = alu(f, op, a.p[0], n.p[0]);
    return a;
}

static struct num divide(struct func *f, LLVMOpcode opcode, struct num a, struct num b)
{
    static const enum alu op[] = {DIVU, DIV, REMU, REM};
    unsigned k = opcode == LLVMUDiv ? 0 : opcode == LLVMSDiv ? 1 : opcode == LLVMURem ? 2 : 3;
    if (a.bits > 32) fail(f, "64-bit division has not been lowered");
    num_extend(f, &a, k & 1);
    num_extend(f, &b, k & 1);
    a.p[0] = alu(f, op[k], a.p[0], b.p[0]);
    if (a.bits == 1) a.p[0] = alu(f, AND, a.p[0], opd_imm(1));
    return a;
}

static bool binary(struct func *f, LLVMOpcode opcode, struct num a, struct num b, struct num *r)
{
    switch (opcode) {
    case LLVMAdd: *r = num_add(f, a, b); return true;
    case LLVMSub: *r = num_sub(f, a, b); return true;
    case LLVMMul: *r = num_mul(f, a, b); return true;
    case LLVMAnd: *r = num_logic(f, AND, a, b); return true;
    case LLVMOr: *r = num_logic(f, OR, a, b); return true;
    case LLVMXor: *r = num_logic(f, XOR, a, b); return true;
    case LLVMShl: *r = num_shift(f, SLL, a, b); return true;
    case LLVMLShr: *r = num_shift(f, SRL, a, b); return true;
    case LLVMAShr: *r = num_shift(f, SRA, a, b); return true;
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem: *r = divide(f, opcode, a, b); return true;
    default: return false;
    }
}

/* ---- comparison ---- */

static struct opd less(struct func *f, enum alu op, struct num a, struct num b)
{
    if (a.bits <= 32) return alu(f, op, a.p[0], b.p[0]);
    struct opd equal = alu(f, SEQ, a.p[1], b.p[1]), low = alu(f, SLTU, a.p[0], b.p[0]);
    return alu(f, OR, alu(f, op, a.p[1], b.p[1]), alu(f, AND, equal, low));
}

static struct opd differ(struct func *f, struct num a, struct num b)
{
    if (a.bits <= 32) return alu(f, SNE, a.p[0], b.p[0]);
    struct opd d = alu(f, OR, alu(f, XOR, a.p[0], b.p[0]), alu(f, XOR, a.p[1], b.p[1]));
    return alu(f, SNE, d, opd_imm(0));
}

struct opd num_compare(struct func *f, LLVMIntPredicate p, struct num a, struct num b)
{
    bool is_signed = p >= LLVMIntSGT;
    num_extend(f, &a, is_signed);
    num_extend(f, &b, is_signed);
    switch (p) {
    case LLVMIntEQ: return a.bits <= 32 ? alu(f, SEQ, a.p[0], b.p[0]) : not1(f, differ(f, a, b));
    case LLVMIntNE: return differ(f, a, b);
    case LLVMIntUGT: return less(f, SLTU, b, a);
    case LLVMIntUGE: return not1(f, less(f, SLTU, a, b));
    case LLVMIntULT: return less(f, SLTU, a, b);
    case LLVMIntULE: return not1(f, less(f, SLTU, b, a));
    case LLVMIntSGT: return less(f, SLT, b, a);
    case LLVMIntSGE: return not1(f, less(f, SLT, a, b));
    case LLVMIntSLT: return less(f, SLT, a, b);
    case LLVMIntSLE: return not1(f, less(f, SLT, b, a));
    }
    fail(f, "an integer comparison the back end does not know");
}

/* The comparison without its final inversion, which *negate tells about. */
struct opd float_compare(struct func *f, LLVMRealPredicate p, struct opd a, struct opd b, bool *negate)
{
    *negate = false;
    switch (p) {
    case LLVMRealPredicateFalse: return opd_imm(0);
    case LLVMRealPredicateTrue: return opd_imm(1);
    case LLVMRealOEQ: return alu(f, FEQ, a, b);
    case LLVMRealOGT: return alu(f, FLT, b, a);
    case LLVMRealOGE: return alu(f, FLE, b, a);
    case LLVMRealOLT: return alu(f, FLT, a, b);
    case LLVMRealOLE: return alu(f, FLE, a, b);
    case LLVMRealUNE: return alu(f, FNE, a, b);
    case LLVMRealUNO: *negate = true; /* fallthrough */
    case LLVMRealORD: return alu(f, AND, alu(f, FEQ, a, a), alu(f, FEQ, b, b));
    case LLVMRealUEQ: *negate = true; /* fallthrough */
    case LLVMRealONE: return alu(f, OR, alu(f, FLT, a, b), alu(f, FLT, b, a));
    case LLVMRealUGT: *negate = true; return alu(f, FLE, a, b);
    case LLVMRealUGE: *negate = true; return alu(f, FLT, a, b);
    case LLVMRealULT: *negate = true; return alu(f, FLE, b, a);
    case LLVMRealULE: *negate = true; return alu(f, FLT, b, a);
    }
    fail(f, "a floating-point comparison the back end does not know");
}

/* What is shifted: of an extended number the number itself, if all bits that the extension adds are shifted out. */
static LLVMValueRef without_extension(LLVMValueRef shift)
{
    LLVMValueRef v = LLVMGetOperand(shift, 0), by = LLVMGetOperand(shift, 1), inner;
    if (LLVMGetInstructionOpcode(shift) != LLVMShl || !LLVMIsAConstantInt(by)) return v;
    if (!LLVMIsAZExtInst(v) && !LLVMIsASExtInst(v)) return v;
    inner = LLVMGetOperand(v, 0);
    unsigned own = type_bits(LLVMTypeOf(inner)); /* of one bit there are no shifts (num_shift) */
    uint64_t kept = type_bits(LLVMTypeOf(v)) - LLVMConstIntGetZExtValue(by);
    return type_bits(LLVMTypeOf(v)) <= 32 && own > 1 && own >= kept ? inner : v;
}

bool select_integer(struct func *f, LLVMValueRef inst, struct opd *out)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
    bool compare = opcode == LLVMICmp;
    if (!compare && !(opcode >= LLVMAdd && opcode <= LLVMXor)) return false;
    LLVMValueRef va = without_extension(inst), vb = LLVMGetOperand(inst, 1);
    for (unsigned i = 0; i < element_count(LLVMTypeOf(va)); i++) {
        struct num a = element(f, va, i), b = element(f, vb, i), r;
        if (compare) {
            out[i] = num_compare(f, LLVMGetICmpPredicate(inst), a, b);
            continue;
        }
        if (!binary(f, opcode, a, b, &r)) return false;
        unsigned per = a.bits > 32 ? 2 : 1;
        memcpy(out + i * per, r.p, per * sizeof *out);
    }
    return true;
}

/* ---- conversions ---- */

static struct opd word_to_float(struct func *f, struct opd a, bool is_signed)
{
    return is_signed ? unary(f, OP_FCVT_S_W, OP_VFCVT_F_X_V, a, 7) : unary(f, OP_FCVT_S_WU, OP_VFCVT_F_XU_V, a, 7);
}

static struct opd float_to_word(struct func *f, struct opd a, bool is_signed)
{
    enum { TOWARD_ZERO = 1 };
    return is_signed ? unary(f, OP_FCVT_W_S, OP_VFCVT_RTZ_X_F_V, a, TOWARD_ZERO)
                     : unary(f, OP_FCVT_WU_S, OP_VFCVT_RTZ_XU_F_V, a, TOWARD_ZERO);
}

/* Shifts the number down to 32 bits, keeping in the last one whether anything was lost: what is
 * rounded then rounds as the whole number would. The scale back is exact. */
static struct opd long_to_float(struct func *f, struct num n)
{
    struct opd lead = alu(f, AND, n.p[1], alu(f, SRL, n.p[1], opd_imm(1)));
    struct opd high = word_to_float(f, alu(f, SUB, n.p[1], lead), false); /* never rounds up to the next power of two */
    struct opd set = alu(f, SNE, n.p[1], opd_imm(0));
    struct opd shift = alu(f, MUL, set, alu(f, SUB, alu(f, SRL, high, opd_imm(23)), opd_imm(126)));
    struct num amount = {{shift, opd_imm(0)}, 64}, low = num_shift(f, SRL, n, amount);
    struct num back = num_shift(f, SLL, low, amount);
    struct opd word = alu(f, OR, low.p[0], differ(f, back, n));
    struct opd scale = alu(f, SLL, alu(f, ADD, shift, opd_imm(127)), opd_imm(23));
    return alu(f, FMUL, word_to_float(f, word, false), scale);
}

/* |n|, with all bits of *sign set when n was negative. */
static struct num absolute(struct func *f, struct num n, struct opd *sign)
{
    *sign = alu(f, SRA, n.p[n.bits > 32], opd_imm(31));
    struct num s = {{*sign, *sign}, n.bits};
    return num_sub(f, num_logic(f, XOR, n, s), s);
}

static struct opd int_to_float(struct func *f, struct num n, bool is_signed)
{
    struct opd sign;
    num_extend(f, &n, is_signed);
    if (n.bits <= 32) return word_to_float(f, n.p[0], is_signed);
    n.bits = 64;
    if (!is_signed) return long_to_float(f, n);
    struct num a = absolute(f, n, &sign);
    return alu(f, OR, long_to_float(f, a), alu(f, AND, sign, opd_imm(0x80000000u)));
}

static struct num float_to_int(struct func *f, struct opd a, unsigned bits_, bool is_signed)
{
    struct num r = num_imm(bits_, 0);
    if (bits_ <= 32) {
        r.p[0] = float_to_word(f, a, is_signed);
        if (bits_ == 1) r.p[0] = alu(f, AND, r.p[0], opd_imm(1));
        return r;
    }
    struct opd magnitude = is_signed ? alu(f, FSGNJX, a, a) : a;
    r.p[1] = float_to_word(f, alu(f, FMUL, magnitude, opd_imm(0x2f800000u)), false); /* 2^-32 */
    struct opd rest =
        fma_opd(f, word_to_float(f, r.p[1], false), opd_imm(0xcf800000u), magnitude, false, false); /* -2^32 */
    r.p[0] = float_to_word(f, rest, false);
    if (!is_signed) return r;
    struct opd sign = alu(f, SRA, a, opd_imm(31));
    struct num s = {{sign, sign}, bits_};
    return num_sub(f, num_logic(f, XOR, r, s), s);
}

struct opd value_bits(struct func *f, LLVMValueRef v, unsigned at, unsigned width)
{
    unsigned size = type_bits(element_type(LLVMTypeOf(v))), per = (size + 31) / 32;
    const struct opd *p = parts(f, v);
    struct opd r = opd_imm(0);
    for (unsigned done = 0; done < width;) {
        unsigned e = (at + done) / size, bit = (at + done) % size, part = bit / 32;
        unsigned in_part = size - part * 32 < 32 ? size - part * 32 : 32, n = in_part - bit % 32;
        if (n > width - done) n = width - done;
        struct opd piece = alu(f, SRL, p[e * per + part], opd_imm(bit % 32));
        if (n < 32 && done + n < width) piece = zero_extend(f, piece, n); /* the last piece may carry garbage above */
        r = alu(f, OR, r, alu(f, SLL, piece, opd_imm(done)));
        done += n;
    }
    return width == 1 ? alu(f, AND, r, opd_imm(1)) : r;
}

static void bitcast(struct func *f, LLVMValueRef inst, struct opd *out)
{
    LLVMValueRef v = LLVMGetOperand(inst, 0);
    LLVMTypeRef from = LLVMTypeOf(v), to = LLVMTypeOf(inst);
    unsigned size = type_bits(element_type(to)), per = (size + 31) / 32;
    if (type_bits(element_type(from)) == size || element_count(from) == element_count(to)) {
        memcpy(out, parts(f, v), type_parts(f, to) * sizeof *out);
        return;
    }
    for (unsigned e = 0; e < element_count(to); e++)
        for (unsigned i = 0; i < per; i++)
            out[e * per + i] = value_bits(f, v, e * size + 32 * i, size - 32 * i < 32 ? size - 32 * i : 32);
}

static bool is_pointer(LLVMTypeRef t) { return LLVMGetTypeKind(element_type(t)) == LLVMPointerTypeKind; }

static struct num cast_integer(struct func *f, LLVMOpcode opcode, struct num n, unsigned to)
{
    if (opcode == LLVMSExt || opcode == LLVMZExt) n = widen(f, n, to, opcode == LLVMSExt);
    else if (to > n.bits) n = widen(f, n, to, false);
    n.bits = to;
    if (to == 1) n.p[0] = alu(f, AND, n.p[0], opd_imm(1));
    return n;
}

/* Halves, where the machine has instructions for them; what else there was has been lowered. */
static void convert_half(struct func *f, LLVMValueRef inst, struct opd *out)
{
    LLVMValueRef v = LLVMGetOperand(inst, 0);
    LLVMTypeRef to = LLVMTypeOf(inst);
    LLVMTypeKind from_kind = LLVMGetTypeKind(element_type(LLVMTypeOf(v))), to_kind = LLVMGetTypeKind(element_type(to));
    bool widens = from_kind == LLVMHalfTypeKind && to_kind == LLVMFloatTypeKind;
    if (!widens && (from_kind != LLVMFloatTypeKind || to_kind != LLVMHalfTypeKind))
        fail(f, "a conversion of %s that has not been lowered", text_of_type(f, to));
    for (unsigned i = 0; i < element_count(to); i++) {
        out[i] = unary(f, 0, widens ? OP_VCVT_FP32_FP16 : OP_VCVT_FP16_FP32, parts(f, v)[i], 7);
        if (!widens) f->vregs[out[i].reg].zbits = 16;
    }
}

bool select_cast(struct func *f, LLVMValueRef inst, struct opd *out)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
    LLVMValueRef v = LLVMGetNumOperands(inst) ? LLVMGetOperand(inst, 0) : NULL;
    LLVMTypeRef to = LLVMTypeOf(inst);
    switch (opcode) {
    case LLVMBitCast: bitcast(f, inst, out); return true;
    case LLVMAddrSpaceCast: /* an address is the same in all of them */
        memcpy(out, parts(f, v), element_count(to) * sizeof *out);
        return true;
    case LLVMFPExt:
    case LLVMFPTrunc: convert_half(f, inst, out); return true;
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMFPToUI:
    case LLVMFPToSI:
    case LLVMUIToFP:
    case LLVMSIToFP: break;
    default: return false;
    }
    unsigned width = type_bits(element_type(to)), per = is_pointer(to) ? 1 : (width + 31) / 32;
    if (width > 64) fail(f, "an integer of %u bits", width);
    for (unsigned i = 0; i < element_count(to); i++) {
        struct num r;
        if (opcode == LLVMFPToUI || opcode == LLVMFPToSI)
            r = float_to_int(f, parts(f, v)[i], width, opcode == LLVMFPToSI);
        else if (opcode == LLVMUIToFP || opcode == LLVMSIToFP)
            r.p[0] = int_to_float(f, element(f, v, i), opcode == LLVMSIToFP);
        else r = cast_integer(f, opcode, element(f, v, i), width);
        memcpy(out + i * per, r.p, per * sizeof *out);
    }
    return true;
}
