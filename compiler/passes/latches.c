/* One back edge for each loop, before any pass.
 *
 * Each `continue` of a `while` loop is a back edge. LLVM makes such a loop two, one in the other, if one of the back
 * edges leaves a variable as it is (separateNestedLoop in LoopSimplify.cpp). The lanes that go back by another edge
 * then wait outside the inner loop until its last lane has left it, and branches in its unrolled copies have no
 * reconvergence point in front of the end of both loops. With one latch, to which all back edges lead, the loop stays
 * one, and the lanes of an iteration meet at its end. Called by prepare.c. */
#include <llvm-c/DebugInfo.h>

#include "compiler/passes/passes.h"

struct place {
    LLVMBasicBlockRef block, latch; /* `latch`: NULL as long as there is but one back edge, which is ... */
    LLVMValueRef end;               /* ... the successor of this terminator with this number; NULL: none yet */
    unsigned successor;
    enum { NEW, OPEN, DONE } state; /* OPEN: on the way to where the walk is */
};

struct walk {
    struct cc *cc;
    LLVMValueRef function;
    struct block_numbers numbers;
    struct place *places; /* by number */
};

/* ---- back edges ---- */

static void lead_to(struct walk *w, LLVMBasicBlockRef latch, LLVMValueRef end, unsigned successor)
{
    LLVMValueRef back = LLVMGetBasicBlockTerminator(latch);
    LLVMSetSuccessor(end, successor, latch);
    loop_hints_move(w->cc, end, back);
    LLVMInstructionSetDebugLoc(back, LLVMInstructionGetDebugLoc(end));
}

static void add_latch(struct walk *w, struct place *header)
{
    header->latch = LLVMAppendBasicBlockInContext(w->cc->context, w->function, "latch");
    LLVMPositionBuilderAtEnd(w->cc->builder, header->latch);
    LLVMBuildBr(w->cc->builder, header->block);
    lead_to(w, header->latch, header->end, header->successor);
}

static void back_edge(struct walk *w, struct place *header, LLVMValueRef end, unsigned successor)
{
    if (LLVMIsAPHINode(LLVMGetFirstInstruction(header->block))) return; /* not as clang makes loops */
    if (header->end && !header->latch) add_latch(w, header);
    if (header->latch) lead_to(w, header->latch, end, successor);
    header->end = end;
    header->successor = successor;
}

/* ---- the walk ---- */

static void list_places(struct walk *w)
{
    w->numbers = blocks_number(w->cc, w->function);
    w->places = cc_alloc(w->cc, w->numbers.count * sizeof *w->places);
    for (uint32_t i = 0; i < w->numbers.count; i++)
        w->places[w->numbers.list[i].number] = (struct place){.block = w->numbers.list[i].block};
}

static struct place *place_of(const struct walk *w, LLVMBasicBlockRef block)
{
    return &w->places[*block_number(&w->numbers, block)];
}

/* Depth first, each edge once; without recursion, because a program may have any number of blocks. */
static void walk_edges(struct walk *w)
{
    struct step {
        struct place *at;
        unsigned next; /* successor */
    } *way = cc_alloc(w->cc, w->numbers.count * sizeof *way);
    size_t depth = 0;
    way[depth++] = (struct step){place_of(w, LLVMGetEntryBasicBlock(w->function)), 0};
    while (depth) {
        struct step *s = &way[depth - 1];
        LLVMValueRef end = LLVMGetBasicBlockTerminator(s->at->block);
        s->at->state = OPEN;
        if (s->next == LLVMGetNumSuccessors(end)) {
            s->at->state = DONE;
            depth--;
            continue;
        }
        struct place *to = place_of(w, LLVMGetSuccessor(end, s->next++));
        if (to->state == OPEN) back_edge(w, to, end, s->next - 1);
        if (to->state == NEW) way[depth++] = (struct step){to, 0};
    }
}

void latches_unite(struct cc *cc)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f)) {
        struct walk w = {.cc = cc, .function = f};
        if (LLVMIsDeclaration(f)) continue;
        list_places(&w);
        walk_edges(&w);
    }
}
