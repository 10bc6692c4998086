/* Short paths of divergent branches become straight-line code with selections.
 *
 * Divergent lanes run both ways one after the other, behind a branch and in front of a join: where what the ways
 * compute is little and cannot fail, all lanes compute both. LLVM leaves most of these branches, because it counts with
 * a branch that skips one way; it is right where all lanes go the same way, so other branches stay. Called by
 * prepare.c, with the form of loops and returns that the back end wants; passes have to make it anew behind a change.
 */
#include <string.h>

#include "compiler/analysis/analysis.h"
#include "compiler/passes/passes.h"

/* A branch, a join, and mostly a jump or a copy of a register: what is computed and selected instead may be so many
 * machine instructions, about; and so many where others come to the same join, as in a `switch`, which stays then. */
enum { WORTH = 5, WORTH_SHARED = 3, NEVER = 100 };

/* A branch whose ways, of one block or none, meet in `end`. No block that a change of one fork removes belongs to
 * another: ways are entered by one branch, and end without any. */
struct fork {
    LLVMValueRef branch;
    LLVMBasicBlockRef way[2], end; /* way: NULL goes to `end` at once */
};

static bool is_way(LLVMBasicBlockRef block, LLVMBasicBlockRef from, LLVMBasicBlockRef *to)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    if (LLVMGetInstructionOpcode(end) != LLVMBr || LLVMGetNumSuccessors(end) != 1) return false;
    *to = LLVMGetSuccessor(end, 0);
    for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); u; u = LLVMGetNextUse(u))
        if (LLVMGetInstructionParent(LLVMGetUser(u)) != from) return false;
    return *to != from;
}

static bool find_fork(LLVMBasicBlockRef block, struct fork *k)
{
    LLVMBasicBlockRef to[2], behind[2] = {NULL, NULL};
    k->branch = LLVMGetBasicBlockTerminator(block);
    if (LLVMGetInstructionOpcode(k->branch) != LLVMBr || LLVMGetNumSuccessors(k->branch) != 2) return false;
    for (unsigned s = 0; s < 2; s++) {
        to[s] = LLVMGetSuccessor(k->branch, s);
        if (!is_way(to[s], block, &behind[s])) behind[s] = NULL;
    }
    if (to[0] == to[1]) return false;
    bool both = behind[0] && behind[0] == behind[1], first = behind[0] && behind[0] == to[1],
         second = behind[1] && behind[1] == to[0];
    if (!both && !first && !second) return false;
    k->way[0] = both || first ? to[0] : NULL;
    k->way[1] = both || !first ? to[1] : NULL;
    k->end = first ? to[1] : both ? behind[0] : to[0];
    return k->end != block;
}

/* ---- what it costs ---- */

/* Registers of a value; NEVER: it is none of those that are selected. */
static unsigned words(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(type) > 64 ? NEVER : (LLVMGetIntTypeWidth(type) + 31) / 32;
    case LLVMFloatTypeKind:
    case LLVMHalfTypeKind:
    case LLVMPointerTypeKind: return 1;
    default: return NEVER;
    }
}

static bool is_bit(LLVMValueRef v) { return LLVMTypeOf(v) == LLVMInt1TypeInContext(LLVMGetTypeContext(LLVMTypeOf(v))); }

static unsigned selection_cost(LLVMValueRef v) { return is_bit(v) ? 1 : 2 * words(LLVMTypeOf(v)); }

static bool is_cheap_call(LLVMValueRef call)
{
    static const char *const names[] = {"smin", "smax", "umin", "umax", "fabs", "fma", "fmuladd", "minnum", "maxnum"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (intrinsic_is(call, names[i])) return words(LLVMTypeOf(call)) == 1;
    return false;
}

/* Machine instructions of one that all lanes may execute; NEVER: they may not, or it is expensive. */
static unsigned cost(LLVMValueRef inst)
{
    unsigned n = words(LLVMTypeOf(inst));
    if (n == NEVER) return NEVER;
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMAdd:
    case LLVMSub: return 3 * n - 2;
    case LLVMMul: return n == 1 ? 1 : NEVER;
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr: return n == 1 || LLVMIsAConstant(LLVMGetOperand(inst, 1)) ? 2 * n - 1 : NEVER;
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul: return LLVMGetTypeKind(LLVMTypeOf(inst)) == LLVMFloatTypeKind ? 1 : NEVER;
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMFNeg: return n;
    case LLVMICmp: return words(LLVMTypeOf(LLVMGetOperand(inst, 0)));
    case LLVMFCmp: return LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(inst, 0))) == LLVMFloatTypeKind ? 1 : NEVER;
    case LLVMSelect: return selection_cost(inst);
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc: return 1;
    case LLVMFPToSI:
    case LLVMFPToUI:
    case LLVMSIToFP:
    case LLVMUIToFP: return n == 1 && words(LLVMTypeOf(LLVMGetOperand(inst, 0))) == 1 ? 1 : NEVER;
    case LLVMBitCast:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMFreeze: return 0;
    case LLVMGetElementPtr: return 2;
    case LLVMCall: return is_cheap_call(inst) ? 1 : NEVER;
    default: return NEVER;
    }
}

static bool is_worthwhile(const struct fork *k)
{
    LLVMBasicBlockRef from = LLVMGetInstructionParent(k->branch);
    unsigned sum = 0, ways = 0;
    for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(k->end)); u && ways < 3; u = LLVMGetNextUse(u)) ways++;
    for (unsigned s = 0; s < 2; s++) {
        LLVMValueRef i = k->way[s] ? LLVMGetFirstInstruction(k->way[s]) : NULL;
        for (; i && !LLVMIsATerminatorInst(i) && sum <= WORTH; i = LLVMGetNextInstruction(i)) sum += cost(i);
    }
    LLVMValueRef i = LLVMGetFirstInstruction(k->end);
    for (; i && LLVMIsAPHINode(i) && sum <= WORTH; i = LLVMGetNextInstruction(i)) {
        LLVMValueRef a = phi_value(i, k->way[0] ? k->way[0] : from), b = phi_value(i, k->way[1] ? k->way[1] : from);
        if (a != b) sum += selection_cost(i);
    }
    return sum <= (ways > 2 ? WORTH_SHARED : WORTH);
}

/* ---- the change ---- */

static void move_way(LLVMBuilderRef b, LLVMBasicBlockRef way)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(way), next; !LLVMIsATerminatorInst(i); i = next) {
        next = LLVMGetNextInstruction(i);
        LLVMInstructionRemoveFromParent(i);
        LLVMInsertIntoBuilder(b, i);
    }
}

/* A phi of `end` gets one value from the branch's block in the place of those from the ways. */
static void join_phi(LLVMBuilderRef b, const struct fork *k, LLVMValueRef phi)
{
    LLVMBasicBlockRef from = LLVMGetInstructionParent(k->branch);
    LLVMBasicBlockRef source[2] = {k->way[0] ? k->way[0] : from, k->way[1] ? k->way[1] : from};
    LLVMValueRef value[2] = {phi_value(phi, source[0]), phi_value(phi, source[1])}, one = value[0];
    if (value[0] != value[1]) one = LLVMBuildSelect(b, LLVMGetCondition(k->branch), value[0], value[1], "");
    LLVMBuilderRef at = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(phi)));
    LLVMValueRef joined = phi_without(at, phi, source, 2);
    LLVMDisposeBuilder(at);
    LLVMAddIncoming(joined, &one, &from, 1);
    LLVMReplaceAllUsesWith(phi, joined);
    LLVMInstructionEraseFromParent(phi);
}

static void flatten(LLVMBuilderRef b, const struct fork *k)
{
    LLVMPositionBuilderBefore(b, k->branch);
    LLVMSetCurrentDebugLocation2(b, NULL); /* each instruction keeps its line */
    for (unsigned s = 0; s < 2; s++)
        if (k->way[s]) move_way(b, k->way[s]);
    LLVMPositionBuilderBefore(b, k->branch);
    for (LLVMValueRef i = LLVMGetFirstInstruction(k->end), next; LLVMIsAPHINode(i); i = next) {
        next = LLVMGetNextInstruction(i);
        join_phi(b, k, i);
    }
    LLVMBuildBr(b, k->end);
    LLVMInstructionEraseFromParent(k->branch);
    for (unsigned s = 0; s < 2; s++)
        if (k->way[s]) LLVMDeleteBasicBlock(k->way[s]);
}

static uint32_t list_forks(LLVMValueRef f, struct fork *list)
{
    uint32_t n = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        if (find_fork(b, &list[n]) && is_worthwhile(&list[n])) n++;
    return n;
}

static bool flatten_function(struct cc *cc, LLVMValueRef function)
{
    struct fork *list = cc_alloc(cc, (LLVMCountBasicBlocks(function) + 1) * sizeof *list);
    uint32_t n = list_forks(function, list);
    bool changed = false;
    if (!n) return false;
    struct kernel kernel = {.name = LLVMGetValueName(function), .function = function};
    struct func f = {.cc = cc, .kernel = &kernel, .data = LLVMGetModuleDataLayout(cc->module)};
    kernel.is_routine = is_routine(function);
    flow_run(&f);
    divergence_run(&f);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t branch = value_of(&f, list[i].branch);
        if (branch == NO_NODE || !f.blocks[f.values[branch].block].divergent) continue;
        flatten(cc->builder, &list[i]);
        changed = true;
    }
    return changed;
}

bool flatten_run(struct cc *cc)
{
    bool changed = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && !is_pure_routine(f)) changed |= flatten_function(cc, f);
    return changed;
}
