/* Operations on halves, which LLVM has known as such so far, in the forms that the back end has: the machine's own on
 * halves where the profile has them, else operations on floats between conversions. A float has more than twice the
 * digits of a half, so a sum, product, quotient or root is rounded right in two steps; what is rounded twice otherwise,
 * fma, is rounded to odd first. Conversions are instructions, or straight-line code where the profile lacks them. Runs
 * after every pass that could make operations on halves of operations on their bits. Called by prepare.c. */
#include <string.h>

#include "compiler/passes/passes.h"

typedef LLVMValueRef value;

enum { MAX_OPERANDS = 3 };

struct halves {
    struct cc *cc;
    LLVMBuilderRef b;
};

/* ---- short names for building, on scalars ---- */

static LLVMTypeRef word_type(struct halves *h) { return LLVMInt32TypeInContext(h->cc->context); }
static LLVMTypeRef float_type(struct halves *h) { return LLVMFloatTypeInContext(h->cc->context); }
static LLVMTypeRef half_type(struct halves *h) { return LLVMHalfTypeInContext(h->cc->context); }
static LLVMTypeRef bits_type(struct halves *h) { return LLVMInt16TypeInContext(h->cc->context); }

static value word(struct halves *h, uint32_t n) { return LLVMConstInt(word_type(h), n, false); }
static value real(struct halves *h, double x) { return LLVMConstReal(float_type(h), x); }
static value op(struct halves *h, LLVMOpcode code, value a, value b) { return LLVMBuildBinOp(h->b, code, a, b, ""); }
static value logic(struct halves *h, LLVMOpcode code, value a, uint32_t n)
{
    return op(h, code, a, LLVMConstInt(LLVMTypeOf(a), n, false));
}
static value as_word(struct halves *h, value x) { return LLVMBuildBitCast(h->b, x, word_type(h), ""); }
static value as_float(struct halves *h, value x) { return LLVMBuildBitCast(h->b, x, float_type(h), ""); }
static value as_bits(struct halves *h, value x) { return LLVMBuildBitCast(h->b, x, bits_type(h), ""); }
static value as_half(struct halves *h, value x) { return LLVMBuildBitCast(h->b, x, half_type(h), ""); }
static value choose(struct halves *h, LLVMIntPredicate p, value a, uint32_t n, value yes, value no)
{
    return LLVMBuildSelect(h->b, LLVMBuildICmp(h->b, p, a, word(h, n), ""), yes, no, "");
}

/* ---- conversions ---- */

/* Multiplication gives the exponent its bias, and what is subnormal its first bit. */
static value widen_in_steps(struct halves *h, value x)
{
    value all = LLVMBuildZExt(h->b, as_bits(h, x), word_type(h), "");
    value sign = logic(h, LLVMShl, logic(h, LLVMAnd, all, 0x8000), 16), magnitude = logic(h, LLVMAnd, all, 0x7fff);
    value shifted = logic(h, LLVMShl, magnitude, 13);
    value finite = as_word(h, op(h, LLVMFMul, as_float(h, shifted), real(h, 0x1p112)));
    value bits = choose(h, LLVMIntUGE, magnitude, 0x7c00, logic(h, LLVMOr, shifted, 0x7f800000), finite);
    return as_float(h, op(h, LLVMOr, sign, bits));
}

/* To nearest even. What becomes subnormal is rounded by an addition whose last place is that of the halves. */
static value narrow_in_steps(struct halves *h, value x)
{
    value all = as_word(h, x), magnitude = logic(h, LLVMAnd, all, 0x7fffffff);
    value sign = logic(h, LLVMAnd, logic(h, LLVMLShr, all, 16), 0x8000);
    value odd = logic(h, LLVMAnd, logic(h, LLVMLShr, magnitude, 13), 1);
    value normal = op(h, LLVMAdd, logic(h, LLVMAdd, magnitude, 0xfffu - 0x38000000u), odd);
    value small = as_word(h, op(h, LLVMFAdd, as_float(h, magnitude), real(h, 0.5)));
    value fraction = logic(h, LLVMAnd, logic(h, LLVMLShr, magnitude, 13), 0x3ff);
    value bits = choose(h, LLVMIntULT, magnitude, 0x38800000, logic(h, LLVMSub, small, 0x3f000000),
                        logic(h, LLVMLShr, normal, 13));
    bits = choose(h, LLVMIntUGE, magnitude, 0x477ff000, word(h, 0x7c00), bits); /* rounds to infinity */
    bits = choose(h, LLVMIntUGT, magnitude, 0x7f800000, logic(h, LLVMOr, fraction, 0x7e00), bits);
    return as_half(h, LLVMBuildTrunc(h->b, op(h, LLVMOr, sign, bits), bits_type(h), ""));
}

static value widen(struct halves *h, value x)
{
    return profile_has(h->cc, OP_VCVT_FP32_FP16) ? LLVMBuildFPExt(h->b, x, float_type(h), "") : widen_in_steps(h, x);
}

static value narrow(struct halves *h, value x)
{
    return profile_has(h->cc, OP_VCVT_FP16_FP32) ? LLVMBuildFPTrunc(h->b, x, half_type(h), "") : narrow_in_steps(h, x);
}

/* An operand or a result, if it is a half. */
static value widened(struct halves *h, value x) { return LLVMTypeOf(x) == half_type(h) ? widen(h, x) : x; }
static value narrowed(struct halves *h, value x, LLVMTypeRef type) { return type == half_type(h) ? narrow(h, x) : x; }

/* ---- arithmetic ---- */

/* The product is exact in a float, what the sum loses is, too. Where something is lost, the sum's last bit is set, away
 * from or towards zero, as the exact sum lies: that is rounding to odd, and does not disturb the rounding to a half. */
static value fma_in_steps(struct halves *h, value *a)
{
    value p = op(h, LLVMFMul, a[0], a[1]), s = op(h, LLVMFAdd, p, a[2]), back = op(h, LLVMFSub, s, p);
    value lost = op(h, LLVMFAdd, op(h, LLVMFSub, p, op(h, LLVMFSub, s, back)), op(h, LLVMFSub, a[2], back));
    value bits = as_word(h, s), way = op(h, LLVMXor, bits, as_word(h, lost));
    value step = logic(h, LLVMOr, logic(h, LLVMAShr, way, 31), 1),
          even = logic(h, LLVMXor, logic(h, LLVMAnd, bits, 1), 1);
    value odd = op(h, LLVMAdd, bits, op(h, LLVMMul, step, even));
    value inexact = LLVMBuildFCmp(h->b, LLVMRealONE, lost, real(h, 0), "");
    return as_float(h, LLVMBuildSelect(h->b, inexact, odd, bits, ""));
}

static value call_intrinsic(struct halves *h, const char *name, LLVMTypeRef type, value *a, unsigned n)
{
    value callee = LLVMGetIntrinsicDeclaration(h->cc->module, LLVMLookupIntrinsicID(name, strlen(name)), &type, 1);
    return LLVMBuildCall2(h->b, LLVMGlobalGetValueType(callee), callee, a, n, "");
}

static bool is_call_of(value inst, const char *name) { return LLVMIsACallInst(inst) && intrinsic_is(inst, name); }
static bool is_fma(value inst) { return is_call_of(inst, "fma") || is_call_of(inst, "fmuladd"); }

/* The same on halves, if `inst` changes only the sign; NULL if it does more. */
static value on_sign(struct halves *h, value inst, value *a)
{
    bool copies = is_call_of(inst, "copysign");
    if (LLVMGetInstructionOpcode(inst) == LLVMFNeg) return as_half(h, logic(h, LLVMXor, as_bits(h, a[0]), 0x8000));
    if (!copies && !is_call_of(inst, "fabs")) return NULL;
    value magnitude = logic(h, LLVMAnd, as_bits(h, a[0]), 0x7fff);
    if (copies) magnitude = op(h, LLVMOr, magnitude, logic(h, LLVMAnd, as_bits(h, a[1]), 0x8000));
    return as_half(h, magnitude);
}

/* What the machine does on halves; NULL if it does not. */
static value on_halves(struct halves *h, value inst, value *a)
{
    LLVMOpcode code = LLVMGetInstructionOpcode(inst);
    if (!profile_has(h->cc, OP_VFMA_F16X2)) return NULL;
    if (is_fma(inst)) return call_intrinsic(h, "llvm.fma", half_type(h), a, 3);
    if (code == LLVMFAdd || code == LLVMFMul) return op(h, code, a[0], a[1]);
    if (code == LLVMFSub) return op(h, LLVMFAdd, a[0], as_half(h, logic(h, LLVMXor, as_bits(h, a[1]), 0x8000)));
    return NULL;
}

static value on_floats(struct halves *h, value inst, value *a, LLVMTypeRef type)
{
    LLVMOpcode code = LLVMGetInstructionOpcode(inst);
    switch (code) {
    case LLVMFCmp: return LLVMBuildFCmp(h->b, LLVMGetFCmpPredicate(inst), a[0], a[1], "");
    case LLVMFPExt:
    case LLVMFPTrunc: return a[0];
    case LLVMSIToFP:
    case LLVMUIToFP: return LLVMBuildCast(h->b, code, a[0], float_type(h), "");
    case LLVMFPToSI:
    case LLVMFPToUI: return LLVMBuildCast(h->b, code, a[0], type, "");
    case LLVMCall: break;
    default: return op(h, code, a[0], a[1]);
    }
    if (is_fma(inst)) return fma_in_steps(h, a);
    if (is_call_of(inst, "sqrt")) return call_intrinsic(h, "llvm.sqrt", float_type(h), a, 1);
    return call_intrinsic(h, is_call_of(inst, "minnum") ? "llvm.minnum" : "llvm.maxnum", float_type(h), a, 2);
}

/* One element of the result, which is of that type. */
static value lowered(struct halves *h, value inst, value *a, unsigned n, LLVMTypeRef type)
{
    value result = on_sign(h, inst, a);
    if (!result) result = on_halves(h, inst, a);
    if (result) return result;
    for (unsigned i = 0; i < n; i++) a[i] = widened(h, a[i]);
    return narrowed(h, on_floats(h, inst, a, type), type);
}

/* ---- which instructions, and their vectors ---- */

static LLVMTypeRef element_type(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

/* The number of operands of an operation on halves, or one that makes them; 0 of anything else. */
static unsigned operands(struct halves *h, value inst)
{
    static const struct {
        const char *name;
        unsigned operands;
    } intrinsics[] = {{"fabs", 1},   {"sqrt", 1}, {"copysign", 2}, {"minnum", 2},
                      {"maxnum", 2}, {"fma", 3},  {"fmuladd", 3}};
    LLVMOpcode code = LLVMGetInstructionOpcode(inst);
    bool makes = element_type(LLVMTypeOf(inst)) == half_type(h);
    bool reads = LLVMGetNumOperands(inst) && element_type(LLVMTypeOf(LLVMGetOperand(inst, 0))) == half_type(h);
    if (!makes && !reads) return 0;
    switch (code) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFCmp: return 2;
    case LLVMFNeg:
    case LLVMFPExt:
    case LLVMFPTrunc:
    case LLVMSIToFP:
    case LLVMUIToFP:
    case LLVMFPToSI:
    case LLVMFPToUI: return 1;
    case LLVMCall: break;
    default: return 0;
    }
    for (size_t i = 0; i < sizeof intrinsics / sizeof *intrinsics; i++)
        if (intrinsic_is(inst, intrinsics[i].name)) return intrinsics[i].operands;
    return 0;
}

/* Element `lane` of the result, or all of it if that is no vector. */
static value lower_element(struct halves *h, value inst, unsigned n, unsigned lane)
{
    value a[MAX_OPERANDS];
    for (unsigned i = 0; i < n; i++) {
        a[i] = LLVMGetOperand(inst, i);
        bool vector = LLVMGetTypeKind(LLVMTypeOf(a[i])) == LLVMVectorTypeKind;
        if (vector) a[i] = LLVMBuildExtractElement(h->b, a[i], word(h, lane), "");
    }
    return lowered(h, inst, a, n, element_type(LLVMTypeOf(inst)));
}

static void lower(struct halves *h, value inst)
{
    LLVMTypeRef type = LLVMTypeOf(inst);
    unsigned n = operands(h, inst);
    if (!n) return;
    LLVMPositionBuilderBefore(h->b, inst);
    bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    value result = vector ? LLVMGetPoison(type) : lower_element(h, inst, n, 0);
    for (unsigned i = 0; vector && i < LLVMGetVectorSize(type); i++)
        result = LLVMBuildInsertElement(h->b, result, lower_element(h, inst, n, i), word(h, i), "");
    LLVMReplaceAllUsesWith(inst, result);
    LLVMInstructionEraseFromParent(inst);
}

void halves_lower(struct cc *cc)
{
    struct halves h = {cc, cc->builder};
    for (value f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (value i = LLVMGetFirstInstruction(block), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                lower(&h, i);
            }
}
