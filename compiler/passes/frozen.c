/* A value that is frozen is the same whatever registers held before the launch. LLVM lets an undefined operand of a
 * freeze have any bits, and selection gives a phi no copy for one; lock step with another machine would stop at the
 * first instruction that uses such a register. So what a freeze reads through phis, selections and arithmetic is 0
 * where it is undefined. Called by prepare.c behind LLVM's last passes. */
#include "compiler/passes/passes.h"

/* How far operands are followed, where phis of loops lead to each other for ever, and how many for one freeze, of which
 * merges of many branches behind each other have too many paths. */
enum { DEPTH = 8, OPERATIONS = 1000 };

static bool passes_on(LLVMValueRef v)
{
    return LLVMIsAPHINode(v) || LLVMIsASelectInst(v) || LLVMIsACastInst(v) || LLVMIsAUnaryOperator(v) ||
           LLVMIsABinaryOperator(v) || LLVMIsAFreezeInst(v);
}

static void define_operands(LLVMValueRef inst, unsigned depth, unsigned *operations)
{
    if (!depth || !*operations || !passes_on(inst)) return;
    --*operations;
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(inst); i++) {
        LLVMValueRef operand = LLVMGetOperand(inst, i);
        if (LLVMIsUndef(operand)) LLVMSetOperand(inst, i, LLVMConstNull(LLVMTypeOf(operand)));
        else define_operands(operand, depth - 1, operations);
    }
}

void frozen_define(struct cc *cc)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
                if (LLVMIsAFreezeInst(i)) define_operands(i, DEPTH, &(unsigned){OPERATIONS});
}
