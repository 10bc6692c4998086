/* What pairs.c, nans.c, choices.c, parts.c, narrow.c and gathers.c look for in LLVM's values. */
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
