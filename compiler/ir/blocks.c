/* Basic blocks of a function: their numbers, what back edges say of their loops, what phis have from them. Called by
 * passes. */
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/ir.h"

static int by_address(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const struct block_number *)a)->block;
    uintptr_t y = (uintptr_t)((const struct block_number *)b)->block;
    return x < y ? -1 : x > y;
}

struct block_numbers blocks_number(struct cc *cc, LLVMValueRef function)
{
    struct block_numbers b = {.list = cc_alloc(cc, LLVMCountBasicBlocks(function) * sizeof *b.list)};
    for (LLVMBasicBlockRef i = LLVMGetFirstBasicBlock(function); i; i = LLVMGetNextBasicBlock(i), b.count++)
        b.list[b.count] = (struct block_number){i, b.count};
    qsort(b.list, b.count, sizeof *b.list, by_address);
    return b;
}

uint32_t *block_number(const struct block_numbers *b, LLVMBasicBlockRef block)
{
    const struct block_number key = {.block = block};
    struct block_number *at = bsearch(&key, b->list, b->count, sizeof key, by_address);
    return &at->number;
}

void loop_hints_move(struct cc *cc, LLVMValueRef from, LLVMValueRef to)
{
    const unsigned kind = LLVMGetMDKindIDInContext(cc->context, "llvm.loop", (unsigned)strlen("llvm.loop"));
    LLVMValueRef hints = LLVMGetMetadata(from, kind);
    if (!hints) return;
    LLVMSetMetadata(to, kind, hints);
    LLVMSetMetadata(from, kind, NULL);
}

LLVMValueRef phi_value(LLVMValueRef phi, LLVMBasicBlockRef from)
{
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        if (LLVMGetIncomingBlock(phi, i) == from) return LLVMGetIncomingValue(phi, i);
    return NULL;
}

static bool is_listed(const LLVMBasicBlockRef *list, unsigned n, LLVMBasicBlockRef block)
{
    unsigned i = 0;
    while (i < n && list[i] != block) i++;
    return i < n;
}

LLVMValueRef phi_without(LLVMBuilderRef b, LLVMValueRef phi, const LLVMBasicBlockRef *blocks, unsigned n)
{
    LLVMPositionBuilderBefore(b, phi);
    LLVMValueRef new = LLVMBuildPhi(b, LLVMTypeOf(phi), "");
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
        LLVMValueRef value = LLVMGetIncomingValue(phi, i);
        if (!is_listed(blocks, n, from)) LLVMAddIncoming(new, &value, &from, 1);
    }
    return new;
}
