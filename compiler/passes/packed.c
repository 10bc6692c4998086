/* Vectors of bytes, shorts and halves as words. A word is one access instead of two or four, which is what takes the
 * hardware's time; and the machine adds and multiplies two halves at once. Loads and stores that fill words change to
 * vectors of words, of halves phis, selections and arithmetic, too, where the profile has the instructions. Where such
 * words meet anything else they are taken apart or put together by shifts, which instcombine removes between two of
 * them. Runs while vectors are whole, in front of the scalarizer. Called by prepare.c. */
#include "compiler/passes/passes.h"

typedef LLVMValueRef value;

struct packing {
    struct cc *cc;
    LLVMBuilderRef b;
    LLVMTypeRef word;
    unsigned invariant; /* the kind of metadata that says so of a load */
    bool computes;      /* on two halves at once */
};

enum { WORD_BITS = 32, WORD_BYTES = 4, MAX_OPERANDS = 3 };

/* ---- types ---- */

/* Bits of an element; 0: it is none of those that are packed. */
static unsigned bits_of(LLVMTypeRef element)
{
    if (LLVMGetTypeKind(element) == LLVMHalfTypeKind) return 16;
    if (LLVMGetTypeKind(element) != LLVMIntegerTypeKind) return 0;
    unsigned bits = LLVMGetIntTypeWidth(element);
    return bits == 8 || bits == 16 ? bits : 0;
}

/* Elements in a word of a vector that fills words; 0: it does not. */
static unsigned elements_in_word(LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind) return 0;
    unsigned bits = bits_of(LLVMGetElementType(type));
    return bits && LLVMGetVectorSize(type) * bits % WORD_BITS == 0 ? WORD_BITS / bits : 0;
}

static bool is_of_halves(LLVMTypeRef type)
{
    return elements_in_word(type) && LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMHalfTypeKind;
}

static LLVMTypeRef words_type(const struct packing *p, LLVMTypeRef type)
{
    unsigned n = LLVMGetVectorSize(type) / elements_in_word(type);
    return n == 1 ? p->word : LLVMVectorType(p->word, n);
}

static unsigned count_words(value words)
{
    LLVMTypeRef type = LLVMTypeOf(words);
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
}

/* ---- words and elements ---- */

static value number(const struct packing *p, uint32_t n) { return LLVMConstInt(p->word, n, false); }

static value word_of(struct packing *p, value words, unsigned i)
{
    return count_words(words) == 1 ? words : LLVMBuildExtractElement(p->b, words, number(p, i), "");
}

static value with_word(struct packing *p, value words, unsigned i, value word)
{
    return count_words(words) == 1 ? word : LLVMBuildInsertElement(p->b, words, word, number(p, i), "");
}

static value element_of_word(struct packing *p, value word, unsigned shift, LLVMTypeRef element)
{
    LLVMTypeRef bits = LLVMIntTypeInContext(p->cc->context, bits_of(element));
    value v = LLVMBuildTrunc(p->b, LLVMBuildLShr(p->b, word, number(p, shift), ""), bits, "");
    return LLVMBuildBitCast(p->b, v, element, "");
}

/* What gives element i of a vector a value. So that a chain of operations ends, each asks with less depth. */
enum content { NOTHING, VALUE, EITHER };

static enum content content(value vector, unsigned i, unsigned depth);

static enum content content_of_both(enum content a, enum content b) { return a == b ? a : EITHER; }

/* An undefined operand allows any result, or 0 at least, but not of an `or`: bits that the other operand sets are set,
 * as when a fourth element gets all its bits. */
static enum content content_computed(value vector, unsigned i, unsigned depth)
{
    const bool is_or = LLVMIsABinaryOperator(vector) && LLVMGetInstructionOpcode(vector) == LLVMOr;
    enum content all = VALUE;
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(vector); k++) {
        value operand = LLVMGetOperand(vector, k);
        if (LLVMGetTypeKind(LLVMTypeOf(operand)) != LLVMVectorTypeKind ||
            LLVMGetVectorSize(LLVMTypeOf(operand)) != LLVMGetVectorSize(LLVMTypeOf(vector)))
            return VALUE;
        const enum content one = content(operand, i, depth);
        if (one == NOTHING && !is_or) return NOTHING;
        all = k ? content_of_both(all, one) : one;
    }
    return all;
}

/* Branches that end in a store of the same place have one behind them, of a phi or a selection. */
static enum content content_merged(value vector, unsigned i, unsigned depth)
{
    const unsigned first = LLVMIsASelectInst(vector) ? 1 : 0;
    const unsigned n = first ? 3 : LLVMCountIncoming(vector);
    enum content all = EITHER;
    for (unsigned k = first; k < n && (k == first || all != EITHER); k++) {
        const enum content one = content(first ? LLVMGetOperand(vector, k) : LLVMGetIncomingValue(vector, k), i, depth);
        all = k > first ? content_of_both(all, one) : one;
    }
    return all;
}

/* The fourth element of vectors of three has none. */
static enum content content(value vector, unsigned i, unsigned depth)
{
    if (LLVMIsUndef(vector)) return NOTHING; /* poison, too */
    if (!depth) return EITHER;
    if (LLVMIsAConstantVector(vector)) return LLVMIsUndef(LLVMGetOperand(vector, i)) ? NOTHING : VALUE;
    if (LLVMIsAInsertElementInst(vector)) {
        value at = LLVMGetOperand(vector, 2);
        if (!LLVMIsAConstantInt(at)) return EITHER;
        if (LLVMConstIntGetZExtValue(at) == i) return LLVMIsUndef(LLVMGetOperand(vector, 1)) ? NOTHING : VALUE;
        return content(LLVMGetOperand(vector, 0), i, depth - 1);
    }
    if (LLVMIsAShuffleVectorInst(vector)) {
        const int from = LLVMGetMaskValue(vector, i);
        const unsigned n = LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(vector, 0)));
        if (from < 0) return NOTHING;
        return content(LLVMGetOperand(vector, (unsigned)from >= n), (unsigned)from % n, depth - 1);
    }
    if (LLVMIsAPHINode(vector) || LLVMIsASelectInst(vector)) return content_merged(vector, i, depth / 4);
    if (LLVMIsACastInst(vector) || LLVMIsAUnaryOperator(vector) || LLVMIsABinaryOperator(vector))
        return content_computed(vector, i, depth / 2);
    return VALUE;
}

/* Undefined bits would make the whole word undefined, with the elements beside them. */
static value word_of_element(struct packing *p, value vector, unsigned i, unsigned shift)
{
    enum { DEPTH = 32 }; /* values behind each other that are followed to find its bits: a guess */
    const enum content is = content(vector, i, DEPTH);
    if (is == NOTHING) return number(p, 0);
    LLVMTypeRef bits = LLVMIntTypeInContext(p->cc->context, bits_of(LLVMGetElementType(LLVMTypeOf(vector))));
    value v = LLVMBuildExtractElement(p->b, vector, number(p, i), "");
    if (is == EITHER) v = LLVMBuildFreeze(p->b, v, "");
    v = LLVMBuildBitCast(p->b, v, bits, "");
    return LLVMBuildShl(p->b, LLVMBuildZExt(p->b, v, p->word, ""), number(p, shift), "");
}

static value unpacked(struct packing *p, value words, LLVMTypeRef type)
{
    LLVMTypeRef element = LLVMGetElementType(type);
    value vector = LLVMGetPoison(type);
    unsigned each = elements_in_word(type);
    for (unsigned i = 0; i < LLVMGetVectorSize(type); i++) {
        value v = element_of_word(p, word_of(p, words, i / each), i % each * bits_of(element), element);
        vector = LLVMBuildInsertElement(p->b, vector, v, number(p, i), "");
    }
    return vector;
}

static value packed(struct packing *p, value vector)
{
    LLVMTypeRef type = LLVMTypeOf(vector);
    value words = LLVMGetPoison(words_type(p, type));
    unsigned each = elements_in_word(type), bits = bits_of(LLVMGetElementType(type));
    for (unsigned i = 0; i < count_words(words); i++) {
        value word = word_of_element(p, vector, i * each, 0);
        for (unsigned k = 1; k < each; k++)
            word = LLVMBuildOr(p->b, word, word_of_element(p, vector, i * each + k, k * bits), "");
        words = with_word(p, words, i, word);
    }
    return words;
}

/* ---- operations ---- */

static value call_primitive(struct packing *p, const char *name, value *words, unsigned n)
{
    LLVMTypeRef types[MAX_OPERANDS] = {p->word, p->word, p->word};
    LLVMTypeRef type = LLVMFunctionType(p->word, types, n, false);
    value f = LLVMGetNamedFunction(p->cc->module, name);
    if (!f) shape_function(p->cc, f = LLVMAddFunction(p->cc->module, name, type));
    return LLVMBuildCall2(p->b, type, f, words, n, "");
}

/* A word of the result, of those of the operands of an instruction that `operands` knows. */
static value operation(struct packing *p, value inst, value *a)
{
    const LLVMOpcode code = LLVMGetInstructionOpcode(inst);
    value signs = number(p, 0x80008000);
    if (code == LLVMFNeg) return LLVMBuildXor(p->b, a[0], signs, "");
    if (code == LLVMFSub) a[1] = LLVMBuildXor(p->b, a[1], signs, "");
    if (code == LLVMFAdd || code == LLVMFSub) return call_primitive(p, "__ventus_add_f16x2", a, 2);
    if (code == LLVMFMul) return call_primitive(p, "__ventus_mul_f16x2", a, 2);
    if (intrinsic_is(inst, "fabs")) return LLVMBuildAnd(p->b, a[0], number(p, 0x7fff7fff), "");
    return call_primitive(p, "__ventus_fma_f16x2", a, 3);
}

/* The number of operands of what the machine does on two halves; 0: it is nothing of that. */
static unsigned operands(value inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul: return 2;
    case LLVMFNeg: return 1;
    case LLVMCall: break;
    default: return 0;
    }
    if (intrinsic_is(inst, "fabs")) return 1;
    return intrinsic_is(inst, "fma") || intrinsic_is(inst, "fmuladd") ? 3 : 0;
}

static value compute(struct packing *p, value inst, unsigned n)
{
    value in[MAX_OPERANDS], words = LLVMGetPoison(words_type(p, LLVMTypeOf(inst)));
    for (unsigned k = 0; k < n; k++) in[k] = packed(p, LLVMGetOperand(inst, k));
    for (unsigned i = 0; i < count_words(words); i++) {
        value a[MAX_OPERANDS];
        for (unsigned k = 0; k < n; k++) a[k] = word_of(p, in[k], i);
        words = with_word(p, words, i, operation(p, inst, a));
    }
    return words;
}

/* ---- moves ---- */

static bool is_plain_access(value inst)
{
    return !LLVMGetVolatile(inst) && LLVMGetOrdering(inst) == LLVMAtomicOrderingNotAtomic &&
           LLVMGetAlignment(inst) >= WORD_BYTES;
}

static value load(struct packing *p, value inst)
{
    value words = LLVMBuildLoad2(p->b, words_type(p, LLVMTypeOf(inst)), LLVMGetOperand(inst, 0), "");
    LLVMSetAlignment(words, LLVMGetAlignment(inst));
    if (LLVMGetMetadata(inst, p->invariant)) load_is_invariant(p->cc, words);
    return words;
}

static void store(struct packing *p, value inst)
{
    value words = LLVMBuildStore(p->b, packed(p, LLVMGetOperand(inst, 0)), LLVMGetOperand(inst, 1));
    LLVMSetAlignment(words, LLVMGetAlignment(inst));
    LLVMInstructionEraseFromParent(inst);
}

static value choose(struct packing *p, value inst)
{
    value yes = packed(p, LLVMGetOperand(inst, 1)), no = packed(p, LLVMGetOperand(inst, 2));
    return LLVMBuildSelect(p->b, LLVMGetOperand(inst, 0), yes, no, "");
}

/* What comes in is converted at the end of the block that it comes from. A switch can lead here more than once, and
 * then always brings the same value. */
static value merge(struct packing *p, value inst)
{
    value phi = LLVMBuildPhi(p->b, words_type(p, LLVMTypeOf(inst)), "");
    for (unsigned i = 0; i < LLVMCountIncoming(inst); i++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(inst, i);
        value words = phi_value(phi, from);
        LLVMPositionBuilderBefore(p->b, LLVMGetBasicBlockTerminator(from));
        if (!words) words = packed(p, LLVMGetIncomingValue(inst, i));
        LLVMAddIncoming(phi, &words, &from, 1);
    }
    return phi;
}

/* ---- which instructions ---- */

/* Is only one element of a load used? Then that is loaded alone. */
static bool is_of_one_element(value inst)
{
    LLVMUseRef use = LLVMGetFirstUse(inst);
    return use && !LLVMGetNextUse(use) && LLVMIsAExtractElementInst(LLVMGetUser(use));
}

/* The words of what an instruction on halves makes, NULL: it stays. */
static value halves_made(struct packing *p, value inst)
{
    const unsigned n = operands(inst);
    if (n) return compute(p, inst, n);
    if (LLVMIsAPHINode(inst)) return merge(p, inst);
    bool chooses =
        LLVMIsASelectInst(inst) && LLVMTypeOf(LLVMGetOperand(inst, 0)) == LLVMInt1TypeInContext(p->cc->context);
    return chooses ? choose(p, inst) : NULL;
}

static value first_behind_phis(LLVMBasicBlockRef block)
{
    value inst = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(inst)) inst = LLVMGetNextInstruction(inst);
    return inst;
}

static void pack(struct packing *p, value inst)
{
    LLVMTypeRef type = LLVMTypeOf(LLVMIsAStoreInst(inst) ? LLVMGetOperand(inst, 0) : inst);
    value words = NULL;
    if (!elements_in_word(type)) return;
    LLVMPositionBuilderBefore(p->b, inst);
    if (LLVMIsAStoreInst(inst)) {
        if (is_plain_access(inst)) store(p, inst);
        return;
    }
    if (LLVMIsALoadInst(inst)) words = is_plain_access(inst) && !is_of_one_element(inst) ? load(p, inst) : NULL;
    else if (p->computes && is_of_halves(type)) words = halves_made(p, inst);
    if (!words) return;
    bool phi = LLVMIsAPHINode(inst);
    LLVMPositionBuilderBefore(p->b, phi ? first_behind_phis(LLVMGetInstructionParent(inst)) : inst);
    LLVMReplaceAllUsesWith(inst, unpacked(p, words, type));
    LLVMInstructionEraseFromParent(inst);
}

void packed_lower(struct cc *cc)
{
    struct packing p = {cc, cc->builder, LLVMInt32TypeInContext(cc->context),
                        LLVMGetMDKindIDInContext(cc->context, "invariant.load", sizeof "invariant.load" - 1),
                        profile_has(cc, OP_VFMA_F16X2)};
    for (value f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (value i = LLVMGetFirstInstruction(block), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                pack(&p, i);
            }
}
