/* Arithmetic makes some NaN of any NaN, and rows.c makes that canonical in its turn or does not look at it. So it needs
 * no operands whose NaNs are canonical, and a chain of operations makes them so once, at its end, instead of waiting
 * for it behind each. */
#include "translator/nans.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static LLVMValueRef behind_casts(LLVMValueRef v)
{
    while (LLVMIsABitCastInst(v)) v = LLVMGetOperand(v, 0);
    return v;
}

static bool is_nan(LLVMValueRef element)
{
    LLVMBool loses;
    if (LLVMIsAConstantFP(element)) return isnan(LLVMConstRealGetDouble(element, &loses));
    return LLVMIsAConstantInt(element) && LLVMConstIntGetZExtValue(element) == 0x7ff8000000000000;
}

static bool is_nans(LLVMValueRef constant)
{
    if (!LLVMIsConstant(constant) || LLVMGetTypeKind(LLVMTypeOf(constant)) != LLVMVectorTypeKind) return false;
    for (unsigned i = 0; i < LLVMGetVectorSize(LLVMTypeOf(constant)); i++) {
        LLVMValueRef element = LLVMGetAggregateElement(constant, i);
        if (!element || !is_nan(element)) return false;
    }
    return true;
}

static bool calls_one_of(LLVMValueRef insn, const char *const *intrinsics)
{
    size_t length;
    const char *name = LLVMIsACallInst(insn) ? LLVMGetValueName2(LLVMGetCalledValue(insn), &length) : "";
    while (*intrinsics && strncmp(name, *intrinsics, strlen(*intrinsics))) intrinsics++;
    return *intrinsics;
}

static bool rounds(LLVMValueRef insn)
{
    return calls_one_of(insn, (const char *const[]){"llvm.floor.", "llvm.ceil.", "llvm.trunc.", "llvm.rint.", NULL});
}

/* Is v a NaN exactly if x is one, because it is x, or x without its fraction? */
static bool follows(LLVMValueRef v, LLVMValueRef x)
{
    v = behind_casts(v);
    return v == x || (rounds(v) && behind_casts(LLVMGetOperand(v, 0)) == x);
}

/* f(x) of `x is a number ? f(x) : nan`. NULL: that is not what v is. */
static LLVMValueRef split_nans(LLVMValueRef v, LLVMValueRef *nan)
{
    LLVMValueRef choice = behind_casts(v);
    LLVMValueRef test = LLVMIsASelectInst(choice) ? LLVMGetOperand(choice, 0) : NULL;
    if (!test || !LLVMIsAFCmpInst(test) || !LLVMIsNull(LLVMGetOperand(test, 1))) return NULL;
    LLVMRealPredicate how = LLVMGetFCmpPredicate(test);
    if (how != LLVMRealORD && how != LLVMRealUNO) return NULL;
    LLVMValueRef x = behind_casts(LLVMGetOperand(test, 0));
    LLVMValueRef number = LLVMGetOperand(choice, how == LLVMRealORD ? 1 : 2);
    *nan = LLVMGetOperand(choice, how == LLVMRealORD ? 2 : 1);
    return follows(number, x) && (is_nans(*nan) || behind_casts(*nan) == x) ? number : NULL;
}

/* The same of any NaN: a constant, or x, which rounding leaves as it is. */
static LLVMValueRef number_of(LLVMValueRef v)
{
    LLVMValueRef nan;
    return split_nans(v, &nan);
}

/* Numbers as they were before their NaNs were made canonical. */
static LLVMValueRef before_canonical(LLVMValueRef v)
{
    LLVMValueRef nan, number = split_nans(v, &nan);
    return number && is_nans(nan) ? number : NULL;
}

/* A value as another type, built where the builder is if it is not there. */
static LLVMValueRef as_type(LLVMBuilderRef b, LLVMValueRef v, LLVMTypeRef type)
{
    while (LLVMTypeOf(v) != type && LLVMIsABitCastInst(v)) v = LLVMGetOperand(v, 0);
    return LLVMTypeOf(v) == type ? v : LLVMBuildBitCast(b, v, type, "");
}

static bool changes_sign(LLVMValueRef v)
{
    static const char *const absolute[] = {"llvm.fabs.", NULL};
    return LLVMIsAInstruction(v) && (LLVMGetInstructionOpcode(v) == LLVMFNeg || calls_one_of(v, absolute));
}

/* An operand for those to whom all NaNs are one. */
static LLVMValueRef before(LLVMBuilderRef b, LLVMValueRef operand)
{
    LLVMTypeRef type = LLVMTypeOf(operand);
    LLVMValueRef number = number_of(operand), v = behind_casts(operand);
    if (number) {
        LLVMPositionBuilderBefore(b, v);
        return as_type(b, number, type);
    }
    if (!changes_sign(v) || LLVMTypeOf(v) != type || !(number = number_of(LLVMGetOperand(v, 0)))) return operand;
    LLVMPositionBuilderBefore(b, v);
    number = as_type(b, number, type);
    LLVMValueRef copy = LLVMInstructionClone(v);
    LLVMInsertIntoBuilder(b, copy);
    LLVMSetOperand(copy, 0, number);
    return copy;
}

static unsigned operands_of_any_nan(LLVMValueRef insn)
{
    static const char *const one[] = {"llvm.sqrt.", NULL}, *const three[] = {"llvm.fma.", NULL};
    switch (LLVMGetInstructionOpcode(insn)) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv: return 2;
    default: return calls_one_of(insn, three) ? 3 : calls_one_of(insn, one) || rounds(insn) ? 1 : 0;
    }
}

/* ---- numbers that come round a loop ---- */

static LLVMTypeRef doubles_of(LLVMTypeRef longs)
{
    LLVMTypeRef number = LLVMDoubleTypeInContext(LLVMGetTypeContext(longs));
    return LLVMVectorType(number, LLVMGetVectorSize(longs));
}

/* A constant of longs without a NaN among its elements. */
static bool is_number(LLVMValueRef constant)
{
    if (!LLVMIsConstant(constant)) return false;
    for (unsigned i = 0; i < LLVMGetVectorSize(LLVMTypeOf(constant)); i++) {
        LLVMValueRef element = LLVMGetAggregateElement(constant, i);
        const bool known = element && LLVMIsAConstantInt(element);
        if (!known || (LLVMConstIntGetZExtValue(element) & ~0ull >> 1) > 0x7ffull << 52) return false;
    }
    return true;
}

/* Are all its values constants, or canonical behind an operation, and one is? */
static bool comes_round(LLVMValueRef phi)
{
    LLVMTypeRef type = LLVMTypeOf(phi);
    bool some = false;
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind) return false;
    LLVMTypeRef element = LLVMGetElementType(type);
    if (LLVMGetTypeKind(element) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(element) != 64) return false;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef value = LLVMGetIncomingValue(phi, i), number = before_canonical(value);
        if (!number && value != phi && !is_number(value)) return false;
        some |= number != NULL;
    }
    return some;
}

/* A phi of numbers as they are takes its place, which are made canonical behind it. */
static void go_round_raw(LLVMBuilderRef b, LLVMValueRef phi)
{
    LLVMTypeRef longs = LLVMTypeOf(phi), doubles = doubles_of(longs);
    LLVMPositionBuilderBefore(b, phi);
    LLVMValueRef raw = LLVMBuildPhi(b, doubles, ""), nans[64];
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
        LLVMValueRef value = LLVMGetIncomingValue(phi, i), number = before_canonical(value);
        LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(from));
        value = value == phi ? raw : as_type(b, number ? number : value, doubles);
        LLVMAddIncoming(raw, &value, &from, 1);
    }
    LLVMValueRef first = raw;
    while (LLVMIsAPHINode(first)) first = LLVMGetNextInstruction(first);
    LLVMPositionBuilderBefore(b, first);
    for (unsigned i = 0; i < LLVMGetVectorSize(longs); i++)
        nans[i] = LLVMConstInt(LLVMGetElementType(longs), 0x7ff8000000000000, false);
    LLVMValueRef is = LLVMBuildFCmp(b, LLVMRealORD, raw, LLVMConstNull(doubles), "");
    LLVMValueRef nan = LLVMConstVector(nans, LLVMGetVectorSize(longs));
    LLVMReplaceAllUsesWith(phi, LLVMBuildSelect(b, is, LLVMBuildBitCast(b, raw, longs, ""), nan, ""));
    LLVMInstructionEraseFromParent(phi);
}

static void skip_in_phis(LLVMBuilderRef b, LLVMBasicBlockRef block)
{
    for (LLVMValueRef phi = LLVMGetFirstInstruction(block), next; LLVMIsAPHINode(phi); phi = next) {
        next = LLVMGetNextInstruction(phi);
        if (comes_round(phi)) go_round_raw(b, phi);
    }
}

/* Backwards: `before` looks at operands as they were. */
void nans_skip(LLVMValueRef function)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)));
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
        skip_in_phis(b, block);
    for (LLVMBasicBlockRef block = LLVMGetLastBasicBlock(function); block; block = LLVMGetPreviousBasicBlock(block))
        for (LLVMValueRef insn = LLVMGetLastInstruction(block); insn; insn = LLVMGetPreviousInstruction(insn))
            for (unsigned i = 0, n = operands_of_any_nan(insn); i < n; i++)
                LLVMSetOperand(insn, i, before(b, LLVMGetOperand(insn, i)));
    LLVMDisposeBuilder(b);
}
