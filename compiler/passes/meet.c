/* Lets lanes meet that a divergent branch has sent different ways, earlier than all ways from it do.
 *
 * LLVM's passes, for which a branch is as good as another, lead ways past the blocks in which lanes would meet. What
 * follows them is executed once for the lanes of each way then, and loops of such blocks are no loop nests that the
 * translator can run without the SIMT stack (translator/nest.h). The rules are in exits.c, for loops, and in shared.c,
 * for the rest. Called by prepare.c, behind LLVM's passes on control flow. */
#include "compiler/passes/meet.h"
#include "compiler/passes/passes.h"

/* A function is changed as long as the number of changes times what one takes, the square of the number of blocks and
 * so much for an instruction, is within the limit: some tenths of a second. */
enum { INSTRUCTION_WORK = 20, WORK_LIMIT = 4000000 };

/* False: there is nothing left to change. */
static bool change_next(struct cc *cc, LLVMValueRef function)
{
    struct kernel kernel = {.name = LLVMGetValueName(function), .function = function};
    struct func f = {.cc = cc, .kernel = &kernel, .data = LLVMGetModuleDataLayout(cc->module)};
    kernel.is_routine = is_routine(function);
    flow_run(&f);
    divergence_run(&f);
    LLVMSetCurrentDebugLocation2(cc->builder, NULL);
    return exits_change(cc, &f) || shared_change(cc, &f);
}

static uint64_t work_for_change(LLVMValueRef f)
{
    const uint64_t blocks = LLVMCountBasicBlocks(f);
    uint64_t instructions = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) instructions++;
    return blocks * blocks + INSTRUCTION_WORK * instructions;
}

bool meet_run(struct cc *cc)
{
    bool changed = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f) || is_pure_routine(f)) continue;
        const struct cc_mark mark = cc_mark(cc);
        uint64_t changes = 0;
        for (; (changes + 1) * work_for_change(f) < WORK_LIMIT && change_next(cc, f); changes++) cc_release(cc, mark);
        cc_release(cc, mark);
        changed |= changes;
    }
    return changed;
}
