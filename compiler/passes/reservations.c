/* Reservations of pipes: the front end passes a reserve_id_t on as a value of a type of its own, the library makes it
 * of a word and asks for the word (library/pipe.cl). Here it becomes that word wherever it is kept. Called by
 * prepare.c: once before the first pass, and after inlining. */
#include <string.h>

#include "compiler/passes/passes.h"

struct lowering {
    struct cc *cc;
    LLVMBuilderRef b;
    LLVMTypeRef word;
    struct twin {
        LLVMValueRef old, word;
    } * twins; /* what is kept as a reservation, and as a word */
    uint32_t ntwins, room;
};

static bool is_reservation(LLVMValueRef v) { return is_reservation_type(LLVMTypeOf(v)); }

static bool is_call_of(LLVMValueRef v, const char *name)
{
    return LLVMIsACallInst(v) && LLVMIsAFunction(LLVMGetCalledValue(v)) &&
           !strcmp(LLVMGetValueName(LLVMGetCalledValue(v)), name);
}

/* A reservation of that word, at the builder's place. */
static LLVMValueRef reservation(struct cc *cc, LLVMBuilderRef b, LLVMTypeRef result, LLVMValueRef word)
{
    LLVMTypeRef type = LLVMFunctionType(result, (LLVMTypeRef[]){LLVMTypeOf(word)}, 1, false);
    LLVMValueRef make = LLVMGetNamedFunction(cc->module, "__ventus_reservation");
    if (!make) make = LLVMAddFunction(cc->module, "__ventus_reservation", type);
    shape_function(cc, make);
    return LLVMBuildCall2(b, type, make, &word, 1, "");
}

/* ---- CLK_NULL_RESERVE_ID ---- */

/* clang makes it of a number by a conversion that LLVM's passes do not expect of such a type. */
static void replace_null(struct cc *cc, LLVMBuilderRef b, LLVMValueRef inst, unsigned i)
{
    LLVMValueRef null = LLVMGetOperand(inst, i);
    if (!LLVMIsAConstantExpr(null) || !is_reservation(null)) return;
    if (LLVMIsAPHINode(inst)) LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(inst, i)));
    else LLVMPositionBuilderBefore(b, inst);
    LLVMSetOperand(inst, i,
                   reservation(cc, b, LLVMTypeOf(null), LLVMConstAllOnes(LLVMInt32TypeInContext(cc->context))));
}

void reservations_prepare(struct cc *cc, LLVMBuilderRef b)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(f); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
                for (int n = 0; n < LLVMGetNumOperands(i); n++) replace_null(cc, b, i, (unsigned)n);
}

/* ---- reservations as words ---- */

/* The constants are undefined ones and, of SPIR-V, the null, which is not valid: CLK_NULL_RESERVE_ID's word. */
static LLVMValueRef word_of(struct lowering *l, LLVMValueRef v)
{
    if (LLVMIsUndef(v)) return LLVMGetUndef(l->word);
    if (LLVMIsConstant(v)) return LLVMConstAllOnes(l->word);
    return LLVMGetOperand(v, 0); /* of the call that has taken its place */
}

/* The instruction that keeps the word; operands that are reservations come later, when all have their words. */
static LLVMValueRef make_twin(struct lowering *l, LLVMValueRef i)
{
    LLVMValueRef undef = LLVMGetUndef(l->word), twin;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMPHI: return LLVMBuildPhi(l->b, l->word, "");
    case LLVMSelect: return LLVMBuildSelect(l->b, LLVMGetOperand(i, 0), undef, undef, "");
    case LLVMLoad:
        twin = LLVMBuildLoad2(l->b, l->word, LLVMGetOperand(i, 0), "");
        LLVMSetAlignment(twin, LLVMGetAlignment(i));
        LLVMSetVolatile(twin, LLVMGetVolatile(i));
        return twin;
    default: cc_error(l->cc, CC_FAILED, i, "a reservation can only be kept and passed on");
    }
}

static void add_twin(struct lowering *l, LLVMValueRef i)
{
    LLVMPositionBuilderBefore(l->b, i);
    LLVMValueRef twin = make_twin(l, i), next = i;
    while (LLVMIsAPHINode(next)) next = LLVMGetNextInstruction(next);
    LLVMPositionBuilderBefore(l->b, next);
    l->twins = cc_grow(l->cc, l->twins, l->ntwins, &l->room, sizeof *l->twins);
    l->twins[l->ntwins++] = (struct twin){i, twin};
    LLVMReplaceAllUsesWith(i, reservation(l->cc, l->b, LLVMTypeOf(i), twin));
}

static void fill_twin(struct lowering *l, const struct twin *t)
{
    if (LLVMIsASelectInst(t->old))
        for (unsigned i = 1; i < 3; i++) LLVMSetOperand(t->word, i, word_of(l, LLVMGetOperand(t->old, i)));
    for (unsigned i = 0; LLVMIsAPHINode(t->old) && i < LLVMCountIncoming(t->old); i++) {
        LLVMValueRef word = word_of(l, LLVMGetIncomingValue(t->old, i));
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(t->old, i);
        LLVMAddIncoming(t->word, &word, &from, 1);
    }
}

/* Stores and the questions for a word. */
static void replace_use(struct lowering *l, LLVMValueRef i)
{
    if (is_call_of(i, "__ventus_reservation_word")) {
        LLVMReplaceAllUsesWith(i, word_of(l, LLVMGetOperand(i, 0)));
    } else if (LLVMIsAStoreInst(i) && is_reservation(LLVMGetOperand(i, 0))) {
        LLVMPositionBuilderBefore(l->b, i);
        LLVMValueRef store = LLVMBuildStore(l->b, word_of(l, LLVMGetOperand(i, 0)), LLVMGetOperand(i, 1));
        LLVMSetAlignment(store, LLVMGetAlignment(i));
        LLVMSetVolatile(store, LLVMGetVolatile(i));
    } else {
        return;
    }
    LLVMInstructionEraseFromParent(i);
}

static void remove_made(struct lowering *l, LLVMValueRef i)
{
    if (!is_call_of(i, "__ventus_reservation")) return;
    if (LLVMGetFirstUse(i)) cc_error(l->cc, CC_FAILED, i, "a reservation can only be kept and passed on");
    LLVMInstructionEraseFromParent(i);
}

static void keep_as_word(struct lowering *l, LLVMValueRef i)
{
    if (is_reservation(i) && !is_call_of(i, "__ventus_reservation")) add_twin(l, i);
}

/* Calls `change` for each instruction, which it may remove. */
static void for_each(struct lowering *l, LLVMValueRef f, void (*change)(struct lowering *, LLVMValueRef))
{
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(f); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            change(l, i);
        }
}

void reservations_lower(struct cc *cc, LLVMBuilderRef b)
{
    struct lowering l = {.cc = cc, .b = b, .word = LLVMInt32TypeInContext(cc->context)};
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f)) {
        l.ntwins = 0;
        for_each(&l, f, keep_as_word);
        for (uint32_t i = 0; i < l.ntwins; i++) fill_twin(&l, &l.twins[i]);
        for (uint32_t i = 0; i < l.ntwins; i++) LLVMInstructionEraseFromParent(l.twins[i].old);
        for_each(&l, f, replace_use);
        for_each(&l, f, remove_made);
    }
}
