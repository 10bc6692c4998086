/* Vectors of halves as words of two, which the machine adds, multiplies and moves at once: half as many instructions
 * and accesses as element by element. Loads, stores, phis, selections and arithmetic change to vectors of words; where
 * their results meet anything else they are converted by shifts, which instcombine removes between two of them. Runs
 * while vectors are whole, in front of the scalarizer, and only where the profile has the instructions. Called by
 * prepare.c. */
#include "compiler/passes/passes.h"

typedef LLVMValueRef value;

struct packing {
    struct cc *cc;
    LLVMBuilderRef b;
    LLVMTypeRef word, half, bits;
};

enum { HALF_BITS = 16, WORD_BYTES = 4, MAX_OPERANDS = 3 };

/* ---- types ---- */

/* A vector that fills words. */
static bool is_packable(const struct packing *p, LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind && LLVMGetElementType(type) == p->half &&
           LLVMGetVectorSize(type) % 2 == 0;
}

static LLVMTypeRef words_type(const struct packing *p, LLVMTypeRef halves)
{
    unsigned n = LLVMGetVectorSize(halves) / 2;
    return n == 1 ? p->word : LLVMVectorType(p->word, n);
}

static unsigned count_words(value words)
{
    LLVMTypeRef type = LLVMTypeOf(words);
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
}

/* ---- words and halves ---- */

static value number(const struct packing *p, uint32_t n) { return LLVMConstInt(p->word, n, false); }

static value word_of(struct packing *p, value words, unsigned i)
{
    return count_words(words) == 1 ? words : LLVMBuildExtractElement(p->b, words, number(p, i), "");
}

static value with_word(struct packing *p, value words, unsigned i, value word)
{
    return count_words(words) == 1 ? word : LLVMBuildInsertElement(p->b, words, word, number(p, i), "");
}

static value half_of_word(struct packing *p, value word, unsigned shift)
{
    value bits = LLVMBuildTrunc(p->b, LLVMBuildLShr(p->b, word, number(p, shift), ""), p->bits, "");
    return LLVMBuildBitCast(p->b, bits, p->half, "");
}

static value bits_of_half(struct packing *p, value halves, unsigned i)
{
    value half = LLVMBuildExtractElement(p->b, halves, number(p, i), "");
    return LLVMBuildZExt(p->b, LLVMBuildBitCast(p->b, half, p->bits, ""), p->word, "");
}

static value unpacked(struct packing *p, value words, LLVMTypeRef type)
{
    value halves = LLVMGetPoison(type);
    for (unsigned i = 0; i < LLVMGetVectorSize(type); i++) {
        value half = half_of_word(p, word_of(p, words, i / 2), i % 2 * HALF_BITS);
        halves = LLVMBuildInsertElement(p->b, halves, half, number(p, i), "");
    }
    return halves;
}

static value packed(struct packing *p, value halves)
{
    value words = LLVMGetPoison(words_type(p, LLVMTypeOf(halves)));
    for (unsigned i = 0; i < count_words(words); i++) {
        value low = bits_of_half(p, halves, 2 * i), high = bits_of_half(p, halves, 2 * i + 1);
        value word = LLVMBuildOr(p->b, low, LLVMBuildShl(p->b, high, number(p, HALF_BITS), ""), "");
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

/* A word of the result, of those of the operands; NULL: the machine has no such operation on two halves. */
static value operation(struct packing *p, value inst, value *a)
{
    value signs = number(p, 0x80008000);
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMFAdd: return call_primitive(p, "__ventus_add_f16x2", a, 2);
    case LLVMFSub: a[1] = LLVMBuildXor(p->b, a[1], signs, ""); return call_primitive(p, "__ventus_add_f16x2", a, 2);
    case LLVMFMul: return call_primitive(p, "__ventus_mul_f16x2", a, 2);
    case LLVMFNeg: return LLVMBuildXor(p->b, a[0], signs, "");
    case LLVMCall: break;
    default: return NULL;
    }
    if (intrinsic_is(inst, "fabs")) return LLVMBuildAnd(p->b, a[0], number(p, 0x7fff7fff), "");
    return call_primitive(p, "__ventus_fma_f16x2", a, 3);
}

/* The number of operands of such an operation; 0: it is none. */
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
    unsigned invariant = LLVMGetMDKindIDInContext(p->cc->context, "invariant.load", sizeof "invariant.load" - 1);
    value node = LLVMGetMetadata(inst, invariant);
    if (node) LLVMSetMetadata(words, invariant, node);
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

/* What comes in is converted at the end of the block that it comes from. */
static value merge(struct packing *p, value inst)
{
    value phi = LLVMBuildPhi(p->b, words_type(p, LLVMTypeOf(inst)), "");
    for (unsigned i = 0; i < LLVMCountIncoming(inst); i++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(inst, i);
        LLVMPositionBuilderBefore(p->b, LLVMGetBasicBlockTerminator(from));
        value words = packed(p, LLVMGetIncomingValue(inst, i));
        LLVMAddIncoming(phi, &words, &from, 1);
    }
    return phi;
}

/* ---- which instructions ---- */

/* The words of what an instruction makes, NULL: it stays. */
static value words_made(struct packing *p, value inst)
{
    const unsigned n = operands(inst);
    if (n) return compute(p, inst, n);
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMLoad: return is_plain_access(inst) ? load(p, inst) : NULL;
    case LLVMPHI: return merge(p, inst);
    case LLVMSelect: {
        bool lanes = LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(inst, 0))) == LLVMVectorTypeKind;
        return lanes ? NULL : choose(p, inst);
    }
    default: return NULL;
    }
}

static value first_behind_phis(LLVMBasicBlockRef block)
{
    value inst = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(inst)) inst = LLVMGetNextInstruction(inst);
    return inst;
}

static void pack(struct packing *p, value inst)
{
    LLVMPositionBuilderBefore(p->b, inst);
    if (LLVMIsAStoreInst(inst)) {
        if (is_packable(p, LLVMTypeOf(LLVMGetOperand(inst, 0))) && is_plain_access(inst)) store(p, inst);
        return;
    }
    if (!is_packable(p, LLVMTypeOf(inst))) return;
    value words = words_made(p, inst);
    if (!words) return;
    bool phi = LLVMIsAPHINode(inst);
    LLVMPositionBuilderBefore(p->b, phi ? first_behind_phis(LLVMGetInstructionParent(inst)) : inst);
    LLVMReplaceAllUsesWith(inst, unpacked(p, words, LLVMTypeOf(inst)));
    LLVMInstructionEraseFromParent(inst);
}

void packed_lower(struct cc *cc)
{
    struct packing p = {.cc = cc, .b = cc->builder, .word = LLVMInt32TypeInContext(cc->context)};
    p.half = LLVMHalfTypeInContext(cc->context), p.bits = LLVMInt16TypeInContext(cc->context);
    if (!profile_has(cc, OP_VFMA_F16X2)) return;
    for (value f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (value i = LLVMGetFirstInstruction(block), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                pack(&p, i);
            }
}
