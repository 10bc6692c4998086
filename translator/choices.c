/* `c ? v & k | w & ~k : v` with a constant k, as where numbers that are rounded keep their sign: for AVX-512, LLVM 19
 * makes a masked vpternlog of it whose table says `w ? k : v`. So a choice stands for the bits of w alone, which gives
 * the same: `v & k | (c ? w & ~k : v & ~k)`. tests/native/rules_test.c shows it. */
#include "translator/choices.h"

#include <stdbool.h>
#include <stddef.h>

#include "translator/patterns.h"

static bool is_vector(LLVMValueRef v) { return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind; }

/* Is this `v & k`? */
static bool is_part(LLVMValueRef part, LLVMValueRef v)
{
    return is(part, LLVMAnd) && LLVMIsConstant(LLVMGetOperand(part, 1)) && behind_casts(LLVMGetOperand(part, 0)) == v;
}

/* The number of the operand that is a part of v, of bits of it and others. 2: there is none. */
static unsigned part_of(LLVMValueRef bits, LLVMValueRef v)
{
    unsigned i = 0;
    if (!is(bits, LLVMOr) && !is(bits, LLVMXor)) return 2;
    while (i < 2 && !is_part(behind_casts(LLVMGetOperand(bits, i)), v)) i++;
    return i;
}

static LLVMValueRef as(LLVMBuilderRef b, LLVMValueRef v, LLVMTypeRef type) { return LLVMBuildBitCast(b, v, type, ""); }

/* Operand `arm` of the choice is bits of which operand `own` is a part of the other arm. */
static void choose_others(LLVMBuilderRef b, LLVMValueRef choice, unsigned arm, unsigned own)
{
    LLVMValueRef bits = behind_casts(LLVMGetOperand(choice, arm)), part = behind_casts(LLVMGetOperand(bits, own));
    LLVMTypeRef type = LLVMTypeOf(choice), whole = LLVMTypeOf(bits), piece = LLVMTypeOf(part);
    LLVMPositionBuilderBefore(b, choice);
    LLVMValueRef rest = LLVMBuildAnd(b, LLVMGetOperand(part, 0), LLVMConstNot(LLVMGetOperand(part, 1)), "");
    LLVMValueRef arms[] = {as(b, LLVMGetOperand(bits, !own), type), as(b, as(b, rest, piece), type)};
    LLVMValueRef others = LLVMBuildSelect(b, LLVMGetOperand(choice, 0), arms[arm - 1], arms[2 - arm], "");
    LLVMValueRef both =
        LLVMBuildBinOp(b, LLVMGetInstructionOpcode(bits), LLVMGetOperand(bits, own), as(b, others, whole), "");
    LLVMReplaceAllUsesWith(choice, as(b, both, type));
    LLVMInstructionEraseFromParent(choice);
}

static void mend(LLVMBuilderRef b, LLVMValueRef choice)
{
    for (unsigned arm = 1; arm <= 2; arm++) {
        const unsigned own =
            part_of(behind_casts(LLVMGetOperand(choice, arm)), behind_casts(LLVMGetOperand(choice, 3 - arm)));
        if (own == 2) continue;
        choose_others(b, choice, arm, own);
        return;
    }
}

void choices_mend(LLVMValueRef function)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)));
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef insn = LLVMGetFirstInstruction(block), next; insn; insn = next) {
            next = LLVMGetNextInstruction(insn);
            if (LLVMIsASelectInst(insn) && is_vector(insn) && is_vector(LLVMGetOperand(insn, 0))) mend(b, insn);
        }
    LLVMDisposeBuilder(b);
}
