/* Choices (select) in another form.
 *
 * The machine has none: its compilers write `c ? a : b` as `(c ? a - b : 0) + b`. choices_find makes it one again,
 * which pairs.c wants to see. Where a - b was made of both words of longs, LLVM has made one subtraction of the two.
 * The product `c * (a - b)` is a choice, too, which LLVM knows of comparisons, but not of bits, such as `x & 1`.
 *
 * `c ? v & k | w & ~k : v` with a constant k, as where numbers that are rounded keep their sign: for AVX-512, LLVM 19
 * makes a masked vpternlog of it whose table says `w ? k : v`. So a choice stands for the bits of w alone, which gives
 * the same: `v & k | (c ? w & ~k : v & ~k)`. tests/native/rules_test.c shows it. */
#include "translator/choices.h"

#include <stdbool.h>
#include <stddef.h>

#include "translator/patterns.h"

enum { WORDS_MOST = 32 }; /* twice the words of the longest chunk (NATIVE_LEVELS) */

static bool is_zero(LLVMValueRef v) { return LLVMIsConstant(v) && LLVMIsNull(v); }

static bool are_same_parts(LLVMValueRef a, LLVMValueRef b)
{
    unsigned n = LLVMGetNumMaskElements(a), i = 0;
    if (n != LLVMGetNumMaskElements(b) || LLVMTypeOf(LLVMGetOperand(a, 0)) != LLVMTypeOf(LLVMGetOperand(b, 0)))
        return false;
    while (i < n && LLVMGetMaskValue(a, i) == LLVMGetMaskValue(b, i)) i++;
    return i == n;
}

/* The words of `whole` that `part`, a shuffle of another vector, takes of it. */
static LLVMValueRef take_part(LLVMBuilderRef b, LLVMValueRef whole, LLVMValueRef part)
{
    LLVMValueRef at[WORDS_MOST];
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(whole)));
    const unsigned n = LLVMGetNumMaskElements(part);
    for (unsigned i = 0; i < n; i++) {
        const int from = LLVMGetMaskValue(part, i);
        at[i] = from < 0 ? LLVMGetPoison(i32) : LLVMConstInt(i32, (unsigned)from, false);
    }
    return LLVMBuildShuffleVector(b, whole, LLVMGetPoison(LLVMTypeOf(whole)), LLVMConstVector(at, n), "");
}

/* x, if v is x - `less`; NULL if that is not known. */
static LLVMValueRef minuend(LLVMBuilderRef b, LLVMValueRef v, LLVMValueRef less)
{
    if (is(v, LLVMSub) && LLVMGetOperand(v, 1) == less) return LLVMGetOperand(v, 0);
    if (!LLVMIsAShuffleVectorInst(v) || !LLVMIsAShuffleVectorInst(less) || !are_same_parts(v, less)) return NULL;
    LLVMValueRef whole = LLVMGetOperand(v, 0);
    if (!is(whole, LLVMSub) || LLVMGetOperand(whole, 1) != LLVMGetOperand(less, 0)) return NULL;
    if (LLVMGetNumMaskElements(v) > WORDS_MOST) return NULL;
    return take_part(b, LLVMGetOperand(whole, 0), v);
}

/* The choice that operand i of a sum makes of it; NULL: none. */
static LLVMValueRef find_choice(LLVMBuilderRef b, LLVMValueRef sum, unsigned i)
{
    LLVMValueRef more = LLVMGetOperand(sum, i), other = LLVMGetOperand(sum, !i), arms[2];
    if (!LLVMIsASelectInst(more)) return NULL;
    for (unsigned arm = 0; arm < 2; arm++) {
        if (!is_zero(LLVMGetOperand(more, 2 - arm))) continue;
        LLVMPositionBuilderBefore(b, sum);
        arms[arm] = minuend(b, LLVMGetOperand(more, 1 + arm), other), arms[!arm] = other;
        if (arms[arm]) return LLVMBuildSelect(b, LLVMGetOperand(more, 0), arms[0], arms[1], "");
    }
    return NULL;
}

static bool is_vector(LLVMValueRef v) { return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind; }

/* Are all words of a vector this constant? */
static bool is_all(LLVMValueRef v, unsigned long long n)
{
    const unsigned words = LLVMIsConstant(v) ? LLVMGetVectorSize(LLVMTypeOf(v)) : 0;
    unsigned i = 0;
    for (; i < words; i++) {
        LLVMValueRef word = LLVMGetAggregateElement(v, i);
        if (!word || !LLVMIsAConstantInt(word) || LLVMConstIntGetZExtValue(word) != n) return false;
    }
    return words;
}

/* Is a vector made of conditions, 1 where they hold? */
static bool are_conditions(LLVMValueRef v)
{
    return LLVMIsAZExtInst(v) && LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(LLVMGetOperand(v, 0)))) == 1;
}

enum { FLAGS_DEEP = 4 /* operations: a guess */ };

/* Are all words of a vector 0 or 1, as far as is known? */
static bool are_flags(LLVMValueRef v, unsigned depth)
{
    if (is_all(v, 1) || are_conditions(v)) return true;
    if (is(v, LLVMLShr)) return is_all(LLVMGetOperand(v, 1), 31);
    const bool and = is(v, LLVMAnd);
    if (!depth || !(and || is(v, LLVMOr) || is(v, LLVMXor))) return false;
    const bool right = are_flags(LLVMGetOperand(v, 1), depth - 1);
    return and == right ? right : are_flags(LLVMGetOperand(v, 0), depth - 1);
}

/* The choice that a product of words by flags is; NULL: it is none. */
static LLVMValueRef chosen_product(LLVMBuilderRef b, LLVMValueRef product)
{
    if (!is_vector(product) || LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(product))) != 32) return NULL;
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef flags = LLVMGetOperand(product, i), none = LLVMConstNull(LLVMTypeOf(product));
        if (!are_flags(flags, FLAGS_DEEP)) continue;
        LLVMPositionBuilderBefore(b, product);
        return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntNE, flags, none, ""), LLVMGetOperand(product, !i), none, "");
    }
    return NULL;
}

/* The choice that an instruction is; NULL: none. */
static LLVMValueRef choice_of(LLVMBuilderRef b, LLVMValueRef insn)
{
    if (is(insn, LLVMMul)) return chosen_product(b, insn);
    if (!is(insn, LLVMAdd)) return NULL;
    LLVMValueRef choice = find_choice(b, insn, 0);
    return choice ? choice : find_choice(b, insn, 1);
}

void choices_find(LLVMValueRef function)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)));
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef insn = LLVMGetFirstInstruction(block), next; insn; insn = next) {
            next = LLVMGetNextInstruction(insn);
            LLVMValueRef choice = choice_of(b, insn);
            if (!choice) continue;
            LLVMReplaceAllUsesWith(insn, choice);
            LLVMInstructionEraseFromParent(insn);
        }
    LLVMDisposeBuilder(b);
}

/* Is this `v & k`? */
static bool is_part(LLVMValueRef part, LLVMValueRef v)
{
    return is(part, LLVMAnd) && LLVMIsConstant(LLVMGetOperand(part, 1)) && behind_casts(LLVMGetOperand(part, 0)) == v;
}

/* The number of the operand that is a part of v, of bits of it and others. 2: there is none. */
static unsigned part_of(LLVMValueRef bits, LLVMValueRef v)
{
    unsigned i = 0;
    if (!is(bits, LLVMOr) && !is(bits, LLVMXor)) return 2;
    while (i < 2 && !is_part(behind_casts(LLVMGetOperand(bits, i)), v)) i++;
    return i;
}

static LLVMValueRef as(LLVMBuilderRef b, LLVMValueRef v, LLVMTypeRef type) { return LLVMBuildBitCast(b, v, type, ""); }

/* Operand `arm` of the choice is bits of which operand `own` is a part of the other arm. */
static void choose_others(LLVMBuilderRef b, LLVMValueRef choice, unsigned arm, unsigned own)
{
    LLVMValueRef bits = behind_casts(LLVMGetOperand(choice, arm)), part = behind_casts(LLVMGetOperand(bits, own));
    LLVMTypeRef type = LLVMTypeOf(choice), whole = LLVMTypeOf(bits), piece = LLVMTypeOf(part);
    LLVMPositionBuilderBefore(b, choice);
    LLVMValueRef rest = LLVMBuildAnd(b, LLVMGetOperand(part, 0), LLVMConstNot(LLVMGetOperand(part, 1)), "");
    LLVMValueRef arms[] = {as(b, LLVMGetOperand(bits, !own), type), as(b, as(b, rest, piece), type)};
    LLVMValueRef others = LLVMBuildSelect(b, LLVMGetOperand(choice, 0), arms[arm - 1], arms[2 - arm], "");
    LLVMValueRef both =
        LLVMBuildBinOp(b, LLVMGetInstructionOpcode(bits), LLVMGetOperand(bits, own), as(b, others, whole), "");
    LLVMReplaceAllUsesWith(choice, as(b, both, type));
    LLVMInstructionEraseFromParent(choice);
}

static void mend(LLVMBuilderRef b, LLVMValueRef choice)
{
    for (unsigned arm = 1; arm <= 2; arm++) {
        const unsigned own =
            part_of(behind_casts(LLVMGetOperand(choice, arm)), behind_casts(LLVMGetOperand(choice, 3 - arm)));
        if (own == 2) continue;
        choose_others(b, choice, arm, own);
        return;
    }
}

static bool compares_halves(LLVMValueRef insn)
{
    if (LLVMGetInstructionOpcode(insn) != LLVMFCmp || !is_vector(insn)) return false;
    return LLVMGetTypeKind(LLVMGetElementType(LLVMTypeOf(LLVMGetOperand(insn, 0)))) == LLVMHalfTypeKind;
}

/* LLVM compares numbers before they are made longer, and halves, on hosts that have none, one by one. */
static void compare_as_floats(LLVMBuilderRef b, LLVMValueRef insn)
{
    LLVMTypeRef single = LLVMFloatTypeInContext(LLVMGetTypeContext(LLVMTypeOf(insn)));
    LLVMTypeRef type = LLVMVectorType(single, LLVMGetVectorSize(LLVMTypeOf(insn)));
    LLVMValueRef number[2];
    LLVMPositionBuilderBefore(b, insn);
    for (unsigned i = 0; i < 2; i++) number[i] = LLVMBuildFPExt(b, LLVMGetOperand(insn, i), type, "");
    LLVMReplaceAllUsesWith(insn, LLVMBuildFCmp(b, LLVMGetFCmpPredicate(insn), number[0], number[1], ""));
    LLVMInstructionEraseFromParent(insn);
}

/* The condition that a vector is 1 for, and 0 otherwise, for one use alone; NULL: it is something else. */
static LLVMValueRef counted(LLVMValueRef v)
{
    return are_conditions(v) && !LLVMGetNextUse(LLVMGetFirstUse(v)) ? LLVMGetOperand(v, 0) : NULL;
}

static bool is_sum_of_16(LLVMValueRef insn)
{
    return LLVMGetInstructionOpcode(insn) == LLVMAdd && is_vector(insn) && LLVMGetVectorSize(LLVMTypeOf(insn)) == 16;
}

/* A carry: AVX-512 adds under a mask, where LLVM makes a vector of the mask first. */
static void add_under_mask(LLVMBuilderRef b, LLVMValueRef sum)
{
    const unsigned carry = counted(LLVMGetOperand(sum, 1)) ? 1 : 0;
    LLVMValueRef is = counted(LLVMGetOperand(sum, carry)), other = LLVMGetOperand(sum, 1 - carry), one, more;
    if (!is) return;
    LLVMValueRef ones[16];
    for (unsigned i = 0; i < 16; i++) ones[i] = LLVMConstInt(LLVMGetElementType(LLVMTypeOf(sum)), 1, false);
    one = LLVMConstVector(ones, 16);
    LLVMPositionBuilderBefore(b, sum);
    more = LLVMBuildAdd(b, other, one, "");
    LLVMReplaceAllUsesWith(sum, LLVMBuildSelect(b, is, more, other, ""));
    LLVMInstructionEraseFromParent(sum);
}

void choices_mend(LLVMValueRef function, bool halves)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)));
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef insn = LLVMGetFirstInstruction(block), next; insn; insn = next) {
            next = LLVMGetNextInstruction(insn);
            if (LLVMIsASelectInst(insn) && is_vector(insn) && is_vector(LLVMGetOperand(insn, 0))) mend(b, insn);
            else if (!halves && compares_halves(insn)) compare_as_floats(b, insn);
            else if (is_sum_of_16(insn)) add_under_mask(b, insn);
        }
    LLVMDisposeBuilder(b);
}
