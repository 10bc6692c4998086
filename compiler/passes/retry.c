/* Loops that compute a word from the one in memory and exchange them, until nobody has written in between:
 *
 *     do old = *p; while (!cmpxchg(p, old, f(old)))           or, with what cmpxchg has found as the next old one,
 *     old = *p; do found = old, old = cmpxchg(p, found, f(found)); while (old != found)
 *
 * Their load becomes lr.w and the exchange sc.w, which says itself whether somebody has written: no second loop around
 * lr.w, comparison and sc.w within the first. Both instructions carry a mark that retry_is asks for; of a marked
 * cmpxchg the first value is 0 if it has stored, and the second one has no uses.
 *
 * Only loops of one block that do nothing else that anybody could see, because sc.w also fails when the same word has
 * been written again. Called by prepare.c behind all passes of LLVM's. */
#include "compiler/passes/passes.h"

#include <string.h>

struct retry {
    struct cc *cc;
    LLVMBasicBlockRef block;
    LLVMValueRef exchange, pointer;
    LLVMValueRef old; /* a load in the block, or its only phi */
};

/* ---- finding them ---- */

static bool is_here(const struct retry *r, LLVMValueRef v)
{
    return LLVMIsAInstruction(v) && LLVMGetInstructionParent(v) == r->block;
}

static bool is_part(LLVMValueRef v, LLVMValueRef exchange, unsigned part)
{
    return LLVMIsAExtractValueInst(v) && LLVMGetOperand(v, 0) == exchange && LLVMGetIndices(v)[0] == part;
}

static LLVMValueRef without_bitcast(LLVMValueRef v) { return LLVMIsABitCastInst(v) ? LLVMGetOperand(v, 0) : v; }

/* The block's end: back to it, unless the exchange has taken place. */
static bool find_exchange(struct retry *r)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(r->block), done;
    if (!LLVMIsABranchInst(end) || !LLVMIsConditional(end)) return false;
    if (LLVMGetSuccessor(end, 1) != r->block || LLVMGetSuccessor(end, 0) == r->block) return false;
    done = LLVMGetCondition(end);
    if (!LLVMIsAExtractValueInst(done)) return false;
    r->exchange = LLVMGetOperand(done, 0);
    if (!LLVMIsAAtomicCmpXchgInst(r->exchange) || !is_here(r, r->exchange) || !is_part(done, r->exchange, 1))
        return false;
    r->pointer = LLVMGetOperand(r->exchange, 0);
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(r->exchange, 1));
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 32;
}

/* Of a phi: what comes round is the word that the exchange has found. */
static bool comes_round(const struct retry *r, LLVMValueRef phi)
{
    if (LLVMCountIncoming(phi) != 2) return false;
    unsigned round = LLVMGetIncomingBlock(phi, 1) == r->block;
    return is_part(without_bitcast(LLVMGetIncomingValue(phi, round)), r->exchange, 0);
}

static bool find_old(struct retry *r)
{
    r->old = without_bitcast(LLVMGetOperand(r->exchange, 1));
    LLVMTypeKind type = LLVMGetTypeKind(LLVMTypeOf(r->old));
    if (!is_here(r, r->old) || (type != LLVMIntegerTypeKind && type != LLVMFloatTypeKind)) return false;
    if (LLVMIsALoadInst(r->old)) return LLVMGetOperand(r->old, 0) == r->pointer;
    return LLVMIsAPHINode(r->old) && comes_round(r, r->old) && !is_here(r, r->pointer);
}

static bool has_no_effect(LLVMValueRef call)
{
    LLVMValueRef f = LLVMGetCalledValue(call);
    unsigned memory = LLVMGetEnumAttributeKindForName("memory", 6);
    LLVMAttributeRef known =
        LLVMIsAFunction(f) && is_intrinsic(f)
            ? LLVMGetEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, memory)
            : NULL;
    return known && !LLVMGetEnumAttributeValue(known);
}

/* Nobody can see how often an instruction is executed. */
static bool is_harmless(const struct retry *r, LLVMValueRef inst)
{
    if (inst == r->old || inst == r->exchange || LLVMIsATerminatorInst(inst)) return true;
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMPHI:
    case LLVMStore:
    case LLVMFence:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg: return false;
    case LLVMLoad: return !LLVMGetVolatile(inst) && LLVMGetOrdering(inst) == LLVMAtomicOrderingNotAtomic;
    case LLVMCall: return has_no_effect(inst);
    default: return true;
    }
}

static bool is_simple(const struct retry *r)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(r->block); i; i = LLVMGetNextInstruction(i))
        if (!is_harmless(r, i)) return false;
    for (LLVMUseRef u = LLVMGetFirstUse(r->exchange); u; u = LLVMGetNextUse(u))
        if (!LLVMIsAExtractValueInst(LLVMGetUser(u))) return false;
    return true;
}

/* ---- changing them ---- */

/* Nobody wants the word any more that was loaded in front of the loop: the loop loads it. */
static void forget(struct retry *r, LLVMValueRef first)
{
    LLVMValueRef load = without_bitcast(first);
    if (!LLVMIsALoadInst(load) || LLVMGetOperand(load, 0) != r->pointer || LLVMGetFirstUse(first)) return;
    if (load != first) LLVMInstructionEraseFromParent(first);
    if (!LLVMGetFirstUse(load)) LLVMInstructionEraseFromParent(load);
}

/* Takes the place of the phi. */
static LLVMValueRef load_old(struct retry *r)
{
    LLVMValueRef phi = r->old, at_first = LLVMGetIncomingValue(phi, LLVMGetIncomingBlock(phi, 0) == r->block);
    LLVMBuilderRef b = r->cc->builder;
    LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(phi));
    LLVMValueRef load = LLVMBuildLoad2(b, LLVMTypeOf(phi), r->pointer, "");
    LLVMSetAlignment(load, 4);
    LLVMReplaceAllUsesWith(phi, load);
    LLVMInstructionEraseFromParent(phi);
    forget(r, at_first);
    return load;
}

/* Uses of the exchange's values become those of what sc.w says, and of the old word, which is what the exchange has
 * found where that matters: behind the loop. */
static void replace_values(struct retry *r)
{
    LLVMBuilderRef b = r->cc->builder;
    LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(r->exchange));
    LLVMValueRef failed = LLVMBuildExtractValue(b, r->exchange, 0, "");
    LLVMValueRef done = LLVMBuildICmp(b, LLVMIntEQ, failed, LLVMConstNull(LLVMTypeOf(failed)), "");
    for (LLVMUseRef u = LLVMGetFirstUse(r->exchange), next; u; u = next) {
        LLVMValueRef user = LLVMGetUser(u);
        next = LLVMGetNextUse(u);
        if (user == failed) continue;
        LLVMReplaceAllUsesWith(user, LLVMGetIndices(user)[0] ? done : LLVMGetOperand(r->exchange, 1));
        LLVMInstructionEraseFromParent(user);
    }
}

static void change(struct retry *r)
{
    if (LLVMIsAPHINode(r->old)) r->old = load_old(r);
    replace_values(r);
    retry_mark(r->cc, r->old);
    retry_mark(r->cc, r->exchange);
}

void retry_lower(struct cc *cc)
{
    if (!profile_has(cc, OP_LR_W)) return;
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(f); bb; bb = LLVMGetNextBasicBlock(bb)) {
            struct retry r = {.cc = cc, .block = bb};
            if (find_exchange(&r) && find_old(&r) && is_simple(&r)) change(&r);
        }
}
