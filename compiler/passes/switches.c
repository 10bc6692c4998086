/* Switches of few cases become chains of comparisons, where LLVM would make trees of them.
 *
 * A tree spares lanes comparisons if they all go one way. If they diverge the warp goes through the whole tree, which
 * has more branches than a chain, and lanes on both of its sides come to the default and to cases that share a block:
 * they meet only where all cases do, so the block is executed for either side. If it goes back to another iteration,
 * the iterations are, too. Called by prepare.c. */
#include <llvm-c/DebugInfo.h>

#include "compiler/passes/passes.h"

/* A guess: the kernels of bench/code execute the same instructions with 2 and with 8. */
enum { CASES_MOST = 4 };

struct edge {
    LLVMBasicBlockRef from, to;
};

struct chain {
    LLVMValueRef end; /* the switch */
    struct edge edges[CASES_MOST + 1];
    unsigned nedges;
};

static LLVMBasicBlockRef case_block(LLVMValueRef end, unsigned i)
{
    return LLVMValueAsBasicBlock(LLVMGetOperand(end, 2 * i + 3));
}

static LLVMValueRef case_value(LLVMValueRef end, unsigned i) { return LLVMGetOperand(end, 2 * i + 2); }

static unsigned count_cases(LLVMValueRef end) { return (unsigned)LLVMGetNumOperands(end) / 2 - 1; }

static void add_edge(struct chain *c, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    c->edges[c->nedges++] = (struct edge){from, to};
}

/* The value of a phi that comes from the switch now comes along the chain's edges. */
static void replace_phi(LLVMBuilderRef b, const struct chain *c, LLVMBasicBlockRef block, LLVMValueRef phi)
{
    LLVMBasicBlockRef from = LLVMGetInstructionParent(c->end);
    LLVMValueRef value = phi_value(phi, from), new = phi_without(b, phi, &from, 1);
    for (unsigned i = 0; i < c->nedges; i++) {
        LLVMBasicBlockRef source = c->edges[i].from;
        if (c->edges[i].to == block) LLVMAddIncoming(new, &value, &source, 1);
    }
    LLVMReplaceAllUsesWith(phi, new);
    LLVMInstructionEraseFromParent(phi);
}

static void replace_phis(LLVMBuilderRef b, const struct chain *c, LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; LLVMIsAPHINode(i); i = next) {
        next = LLVMGetNextInstruction(i);
        replace_phi(b, c, block, i);
    }
}

/* The last comparison is left out if one of the cases is sure to hold. */
static void make_chain(struct cc *cc, LLVMValueRef f, LLVMValueRef end)
{
    LLVMBasicBlockRef at = LLVMGetInstructionParent(end), other = LLVMGetSwitchDefaultDest(end);
    const bool covers = LLVMIsAUnreachableInst(LLVMGetFirstInstruction(other));
    const unsigned ncases = count_cases(end);
    struct chain c = {.end = end};
    LLVMPositionBuilderBefore(cc->builder, end);
    LLVMSetCurrentDebugLocation2(cc->builder, LLVMInstructionGetDebugLoc(end));
    for (unsigned i = 0; i + covers < ncases; i++) {
        const bool last = i + covers + 1 == ncases;
        LLVMBasicBlockRef next =
            last ? covers ? case_block(end, i + 1) : other : LLVMAppendBasicBlockInContext(cc->context, f, "case");
        if (!last) LLVMMoveBasicBlockAfter(next, at);
        LLVMValueRef is = LLVMBuildICmp(cc->builder, LLVMIntEQ, LLVMGetOperand(end, 0), case_value(end, i), "");
        LLVMBuildCondBr(cc->builder, is, case_block(end, i), next);
        add_edge(&c, at, case_block(end, i));
        if (last) add_edge(&c, at, next);
        at = next;
        if (!last) LLVMPositionBuilderAtEnd(cc->builder, at);
    }
    if (!c.nedges) return;
    LLVMSetCurrentDebugLocation2(cc->builder, NULL);
    for (unsigned i = 0; i < c.nedges; i++) {
        unsigned first = 0;
        while (c.edges[first].to != c.edges[i].to) first++;
        if (first == i) replace_phis(cc->builder, &c, c.edges[i].to);
    }
    LLVMInstructionEraseFromParent(end);
}

void switches_lower(struct cc *cc)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
            LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
            if (LLVMIsASwitchInst(end) && count_cases(end) <= CASES_MOST) make_chain(cc, f, end);
        }
}
