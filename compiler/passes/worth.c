/* What blocks are worth that guards make lanes execute together. */
#include "compiler/passes/meet.h"

/* So many instructions outside a loop take as long as one in it; a guess. */
enum { LOOP_WEIGHT = 4 };

static unsigned worth(LLVMValueRef inst)
{
    LLVMTypeRef type = LLVMTypeOf(inst);
    const bool wide = LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) > 32;
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMPHI:
    case LLVMBr: return 0;
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem: return wide ? 4 * MEET_WORTH : MEET_WORTH / 2;
    case LLVMLoad:
    case LLVMStore: return MEET_WORTH / 2;
    case LLVMCall: return LLVMIsAIntrinsicInst(inst) ? 1 : MEET_WORTH; /* so no call that is for all lanes is copied */
    default: return wide ? 2 : 1;
    }
}

unsigned meet_worth(const struct func *f, const uint8_t *marks, uint32_t depth)
{
    unsigned sum = 0;
    for (uint32_t i = 0; i < f->nblocks && sum < MEET_WORTH; i++) {
        const struct block *b = &f->blocks[i];
        const unsigned weight = b->depth > depth ? LOOP_WEIGHT : 1;
        for (uint32_t v = b->first; marks[i] && v < b->end; v++) sum += weight * worth(f->values[v].ref);
    }
    return sum;
}
