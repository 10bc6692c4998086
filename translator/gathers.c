/* Lanes of a group that is one warp count from 0, and LLVM computes with their numbers: words of local memory in
 * reverse order, shifted around the group's end, or of its small matrix in the other order lie known distances apart.
 * Those that are within two vectors are loaded whole, from the first of them to the last, and permuted. Both lie where
 * lanes read, and so what is between them on the same pages: the loads fail exactly if the gather would. */
#include "translator/gathers.h"

#include <stdbool.h>
#include <string.h>

#include "translator/patterns.h"

enum { WORDS = 16, LOADED_MOST = 2 * WORDS };

/* Of a gather: the address of lane i is first[offset[i]], words away; `words` from the lowest of them to the last. */
struct known {
    LLVMValueRef base, sum; /* of what the addresses are: base[sign-extended (splat of sum) + constants] */
    unsigned low;           /* the lane of the first word */
    int offset[WORDS], words;
    bool active[WORDS], all;
};

static bool is_gather(LLVMValueRef insn)
{
    static const char name[] = "llvm.masked.gather.v16i32.";
    size_t length;
    LLVMValueRef callee = LLVMIsACallInst(insn) ? LLVMGetCalledValue(insn) : NULL;
    return callee && !strncmp(LLVMGetValueName2(callee, &length), name, sizeof name - 1);
}

static bool is_constant(LLVMValueRef v) { return LLVMIsAConstantDataVector(v) || LLVMIsAConstantVector(v); }

static bool number(LLVMValueRef constant, unsigned i, long long *value)
{
    LLVMValueRef element = LLVMGetAggregateElement(constant, i);
    if (!element || !LLVMIsAConstantInt(element)) return false;
    *value = LLVMConstIntGetSExtValue(element);
    return true;
}

/* The word in every lane; NULL: they are not all the same one. */
static LLVMValueRef splatted(LLVMValueRef v)
{
    if (!LLVMIsAShuffleVectorInst(v)) return NULL;
    LLVMValueRef insert = LLVMGetOperand(v, 0);
    for (unsigned i = 0; i < WORDS; i++)
        if (LLVMGetMaskValue(v, i)) return NULL;
    if (!LLVMIsAInsertElementInst(insert) || !LLVMIsAConstantInt(LLVMGetOperand(insert, 2))) return NULL;
    return LLVMConstIntGetZExtValue(LLVMGetOperand(insert, 2)) ? NULL : LLVMGetOperand(insert, 1);
}

static bool find_lanes(struct known *k, LLVMValueRef mask)
{
    long long set;
    k->all = true;
    for (unsigned i = 0; i < WORDS; i++) {
        if (!number(mask, i, &set)) return false;
        k->active[i] = set;
        k->all &= k->active[i];
    }
    return true;
}

/* Distances in words from the first one. */
static bool find_offsets(struct known *k, LLVMValueRef constants)
{
    long long at[WORDS];
    int first = -1, least = 0, most = 0;
    for (unsigned i = 0; i < WORDS; i++) {
        if (!k->active[i]) continue;
        if (!number(constants, i, &at[i])) return false;
        if (first < 0) first = (int)i, k->low = i;
        const int bytes = (int)((unsigned)at[i] - (unsigned)at[first]);
        if (bytes % 4) return false;
        k->offset[i] = bytes / 4;
        if (k->offset[i] < least) least = k->offset[i], k->low = i;
        if (k->offset[i] > most) most = k->offset[i];
    }
    k->words = most - least + 1;
    for (unsigned i = 0; i < WORDS && first >= 0; i++) k->offset[i] -= least;
    return first >= 0;
}

static bool is_known(struct known *k, LLVMValueRef gather)
{
    LLVMValueRef at = LLVMGetOperand(gather, 0), mask = LLVMGetOperand(gather, 2);
    if (!LLVMIsAGetElementPtrInst(at) || LLVMGetNumOperands(at) != 2 || !is_constant(mask)) return false;
    LLVMValueRef index = LLVMGetOperand(at, 1);
    k->base = LLVMGetOperand(at, 0);
    if (!LLVMIsASExtInst(index) || LLVMGetTypeKind(LLVMTypeOf(k->base)) != LLVMPointerTypeKind) return false;
    LLVMValueRef sum = LLVMGetOperand(index, 0);
    if (!is(sum, LLVMAdd) || !is_constant(LLVMGetOperand(sum, 1))) return false;
    k->sum = splatted(LLVMGetOperand(sum, 0));
    return k->sum && find_lanes(k, mask) && find_offsets(k, LLVMGetOperand(sum, 1)) && k->words <= LOADED_MOST;
}

/* The words from the given one on, of which there are no more than a vector has. */
static LLVMValueRef load_words(LLVMBuilderRef b, LLVMValueRef address, int from, int words, LLVMTypeRef type)
{
    LLVMTypeRef word = LLVMGetElementType(type), flag = LLVMInt1TypeInContext(LLVMGetTypeContext(type));
    LLVMValueRef index = LLVMConstInt(word, (unsigned)from, false);
    address = LLVMBuildGEP2(b, word, address, &index, 1, "");
    if (words == WORDS) {
        LLVMValueRef whole = LLVMBuildLoad2(b, type, address, "");
        LLVMSetAlignment(whole, 1);
        LLVMSetVolatile(whole, true);
        return whole;
    }
    LLVMValueRef flags[WORDS];
    for (int i = 0; i < WORDS; i++) flags[i] = LLVMConstInt(flag, i < words, false);
    LLVMTypeRef types[] = {type, LLVMTypeOf(address)};
    unsigned id = LLVMLookupIntrinsicID("llvm.masked.load", strlen("llvm.masked.load"));
    LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInsertBlock(b)));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(module, id, types, 2);
    LLVMValueRef args[] = {address, LLVMConstInt(word, 1, false), LLVMConstVector(flags, WORDS), LLVMConstNull(type)};
    return LLVMBuildCall2(b, LLVMGlobalGetValueType(function), function, args, 4, "");
}

static void replace(LLVMBuilderRef b, LLVMValueRef gather, const struct known *k)
{
    LLVMTypeRef type = LLVMTypeOf(gather), word = LLVMGetElementType(type);
    LLVMContextRef context = LLVMGetTypeContext(type);
    LLVMPositionBuilderBefore(b, gather);
    LLVMValueRef sum = LLVMGetOperand(LLVMGetOperand(LLVMGetOperand(gather, 0), 1), 0);
    LLVMValueRef low = LLVMGetAggregateElement(LLVMGetOperand(sum, 1), k->low);
    LLVMValueRef index = LLVMBuildSExt(b, LLVMBuildAdd(b, k->sum, low, ""), LLVMInt64TypeInContext(context), "");
    LLVMValueRef address = LLVMBuildGEP2(b, LLVMInt8TypeInContext(context), k->base, &index, 1, ""), order[WORDS];
    const int most = k->words < WORDS ? k->words : WORDS, second = k->words - most;
    LLVMValueRef lower = load_words(b, address, 0, most, type), upper = lower;
    if (second) upper = load_words(b, address, second, most, type);
    for (unsigned i = 0; i < WORDS; i++) {
        const int at = k->active[i] ? k->offset[i] : 0;
        order[i] = LLVMConstInt(word, (unsigned)(at < WORDS ? at : WORDS + at - second), false);
    }
    LLVMValueRef loaded = LLVMBuildShuffleVector(b, lower, upper, LLVMConstVector(order, WORDS), "");
    if (!k->all) loaded = LLVMBuildSelect(b, LLVMGetOperand(gather, 2), loaded, LLVMGetOperand(gather, 3), "");
    LLVMReplaceAllUsesWith(gather, loaded);
    LLVMInstructionEraseFromParent(gather);
}

void gathers_load(LLVMValueRef function)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(function)));
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef insn = LLVMGetFirstInstruction(block), next; insn; insn = next) {
            struct known known;
            next = LLVMGetNextInstruction(insn);
            if (is_gather(insn) && is_known(&known, insn)) replace(b, insn, &known);
        }
    LLVMDisposeBuilder(b);
}
