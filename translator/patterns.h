/* What the files behind LLVM's passes (pairs.c to gathers.c) look for in its values. */
#ifndef VENTUS_TRANSLATOR_PATTERNS_H
#define VENTUS_TRANSLATOR_PATTERNS_H

#include <llvm-c/Core.h>
#include <stdbool.h>

static inline bool is(LLVMValueRef v, LLVMOpcode op)
{
    return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == op;
}

static inline LLVMValueRef behind_casts(LLVMValueRef v)
{
    while (LLVMIsABitCastInst(v)) v = LLVMGetOperand(v, 0);
    return v;
}

#endif
