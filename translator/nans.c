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

/* An operand for those to whom all NaNs are one: f(x) of `x is a number ? f(x) : some NaN`. */
static LLVMValueRef before(LLVMValueRef operand)
{
    LLVMValueRef choice = behind_casts(operand);
    LLVMValueRef test = LLVMIsASelectInst(choice) ? LLVMGetOperand(choice, 0) : NULL;
    if (!test || !LLVMIsAFCmpInst(test) || !LLVMIsNull(LLVMGetOperand(test, 1))) return operand;
    LLVMRealPredicate how = LLVMGetFCmpPredicate(test);
    if (how != LLVMRealORD && how != LLVMRealUNO) return operand;
    LLVMValueRef x = behind_casts(LLVMGetOperand(test, 0));
    LLVMValueRef nan = LLVMGetOperand(choice, how == LLVMRealORD ? 2 : 1);
    LLVMValueRef number = LLVMGetOperand(choice, how == LLVMRealORD ? 1 : 2);
    if (!follows(number, x) || !(is_nans(nan) || behind_casts(nan) == x)) return operand;
    while (LLVMTypeOf(number) != LLVMTypeOf(operand) && LLVMIsABitCastInst(number)) number = LLVMGetOperand(number, 0);
    return LLVMTypeOf(number) == LLVMTypeOf(operand) ? number : operand;
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

/* Backwards: `before` looks at operands as they were. */
void nans_skip(LLVMValueRef function)
{
    for (LLVMBasicBlockRef block = LLVMGetLastBasicBlock(function); block; block = LLVMGetPreviousBasicBlock(block))
        for (LLVMValueRef insn = LLVMGetLastInstruction(block); insn; insn = LLVMGetPreviousInstruction(insn))
            for (unsigned i = 0, n = operands_of_any_nan(insn); i < n; i++)
                LLVMSetOperand(insn, i, before(LLVMGetOperand(insn, i)));
}
