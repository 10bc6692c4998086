/* Executions of blocks, where the request asks for them: in memory, one number of 64 bits for each kind and block, so
 * that they are right wherever the code is left. What an exit in the middle of a block has counted in advance is put
 * right by the machine (native/tally.h). */
#include "translator/translator.h"

void tally(struct translator *t, const struct block *block, enum native_tally what, LLVMValueRef amount)
{
    if (!t->tallies) return;
    const size_t number = (size_t)(block - t->flow->blocks) * NATIVE_TALLIES + what;
    LLVMValueRef old = ir_load(t, t->i64, t->tallies, number * sizeof(uint64_t));
    LLVMValueRef sum = LLVMBuildAdd(t->b, old, LLVMBuildZExt(t->b, amount, t->i64, ""), "");
    ir_store(t, sum, t->tallies, number * sizeof(uint64_t));
}

static LLVMValueRef lanes_active(struct translator *t) { return t->single ? ir_u32(t, 1) : ir_popcount(t, active(t)); }

void tally_block(struct translator *t)
{
    if (!t->tallies) return;
    tally(t, t->block, t->version == FULL ? TALLY_FULL : TALLY_MASKED, ir_u32(t, 1));
    if (t->version != FULL) tally(t, t->block, TALLY_LANES, lanes_active(t));
}

void tally_taken(struct translator *t)
{
    if (!t->tallies) return;
    tally(t, t->block, t->version == FULL ? TALLY_TAKEN_FULL : TALLY_TAKEN_MASKED, ir_u32(t, 1));
    if (t->version != FULL) tally(t, t->block, TALLY_TAKEN_LANES, lanes_active(t));
}

void tally_taken_if(struct translator *t, LLVMValueRef holds)
{
    if (!t->tallies) return;
    tally(t, t->block, t->version == FULL ? TALLY_TAKEN_FULL : TALLY_TAKEN_MASKED, holds);
    if (t->version == FULL) return;
    LLVMValueRef lanes = LLVMBuildSelect(t->b, holds, lanes_active(t), ir_u32(t, 0), "");
    tally(t, t->block, TALLY_TAKEN_LANES, lanes);
}

void tally_diverged(struct translator *t, LLVMValueRef taken)
{
    if (!t->tallies) return;
    tally(t, t->block, TALLY_DIVERGED, ir_u32(t, 1));
    tally(t, t->block, TALLY_TAKEN_LANES, ir_popcount(t, taken));
}

void tally_iterations(struct translator *t, const struct node *join, LLVMValueRef rounds, LLVMValueRef lanes,
                      LLVMValueRef diverged, LLVMValueRef met)
{
    const struct block *behind = flow_block(t->flow, join->pc);
    tally(t, t->block, TALLY_MASKED, rounds);
    tally(t, t->block, TALLY_LANES, lanes);
    tally(t, behind, TALLY_MASKED, LLVMBuildMul(t->b, diverged, ir_u32(t, 2), ""));
    tally(t, behind, TALLY_LANES, met);
}
