/* A value that is frozen is the same whatever registers held before the launch. LLVM lets an undefined operand of a
 * freeze have any bits, and selection gives a phi no copy for one; lock step with another machine would stop at the
 * first instruction that uses such a register. So what a freeze reads through phis, selections and arithmetic is 0
 * where it is undefined. Called by prepare.c as the last pass that changes values. */
#include "compiler/passes/passes.h"

/* Operations that an undefined operand can come through; a loop of phis ends the search, too. */
enum { DEPTH = 8 };

static bool hands_on(LLVMValueRef v)
{
    return LLVMIsAPHINode(v) || LLVMIsASelectInst(v) || LLVMIsACastInst(v) || LLVMIsAUnaryOperator(v) ||
           LLVMIsABinaryOperator(v) || LLVMIsAFreezeInst(v);
}

static void define_operands(LLVMValueRef inst, unsigned depth)
{
    if (!depth || !hands_on(inst)) return;
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(inst); i++) {
        LLVMValueRef operand = LLVMGetOperand(inst, i);
        if (LLVMIsUndef(operand)) LLVMSetOperand(inst, i, LLVMConstNull(LLVMTypeOf(operand)));
        else define_operands(operand, depth - 1);
    }
}

void frozen_define(struct cc *cc)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
                if (LLVMIsAFreezeInst(i)) define_operands(i, DEPTH);
}
