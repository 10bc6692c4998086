/* Arithmetic makes some NaN of any NaN, and rows.c makes that canonical in its turn or does not look at it. So it needs
 * no operands whose NaNs are canonical, and a chain of operations makes them so once, at its end, instead of waiting
 * for it behind each. */
#include "translator/nans.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "translator/patterns.h"

/* The canonical NaN of a type of `width` bits. */
static unsigned long long canonical_nan(unsigned width)
{
    return width == 16 ? 0x7e00 : width == 32 ? 0x7fc00000 : 0x7ff8000000000000;
}

static bool is_nan(LLVMValueRef element)
{
    LLVMBool loses;
    if (LLVMIsAConstantFP(element)) return isnan(LLVMConstRealGetDouble(element, &loses));
    return LLVMIsAConstantInt(element) &&
           LLVMConstIntGetZExtValue(element) == canonical_nan(LLVMGetIntTypeWidth(LLVMTypeOf(element)));
}

static bool is_nans(LLVMValueRef constant)
{
    if (!LLVMIsConstant(constant) || LLVMGetTypeKind(LLVMTypeOf(constant)) != LLVMVectorTypeKind) return false;
    for (unsigned i = 0; i < LLVMGetVectorSize(LLVMTypeOf(constant)); i++) {
        LLVMValueRef element = LLVMGetAggregateElement(constant, i);
        if (!element || !is_nan(element)) return false;
    }
    return true;
}

static bool calls_one_of(LLVMValueRef insn, const char *const *intrinsics)
{
    size_t length;
    const char *name = LLVMIsACallInst(insn) ? LLVMGetValueName2(LLVMGetCalledValue(insn), &length) : "";
    while (*intrinsics && strncmp(name, *intrinsics, strlen(*intrinsics))) intrinsics++;
    return *intrinsics;
}

static bool rounds(LLVMValueRef insn)
{
    return calls_one_of(insn, (const char *const[]){"llvm.floor.", "llvm.ceil.", "llvm.trunc.", "llvm.rint.", NULL});
}

static bool is_as_float(LLVMValueRef insn) { return LLVMIsAFPExtInst(insn) || LLVMIsAFPTruncInst(insn); }

/* Is v a NaN exactly if x is one, because it is x, x without its fraction, or x as a half, float or double? */
static bool follows(LLVMValueRef v, LLVMValueRef x)
{
    v = behind_casts(v);
    return v == x || ((rounds(v) || is_as_float(v)) && behind_casts(LLVMGetOperand(v, 0)) == x);
}

/* f(x) of `x is a number ? f(x) : nan`. NULL: that is not what v is. */
static LLVMValueRef split_nans(LLVMValueRef v, LLVMValueRef *nan)
{
    LLVMValueRef choice = behind_casts(v);
    LLVMValueRef test = LLVMIsASelectInst(choice) ? LLVMGetOperand(choice, 0) : NULL;
    if (!test || !LLVMIsAFCmpInst(test) || !LLVMIsNull(LLVMGetOperand(test, 1))) return NULL;
    LLVMRealPredicate how = LLVMGetFCmpPredicate(test);
    if (how != LLVMRealORD && how != LLVMRealUNO) return NULL;
    LLVMValueRef x = behind_casts(LLVMGetOperand(test, 0));
    LLVMValueRef number = LLVMGetOperand(choice, how == LLVMRealORD ? 1 : 2);
    *nan = LLVMGetOperand(choice, how == LLVMRealORD ? 2 : 1);
    return follows(number, x) && (is_nans(*nan) || behind_casts(*nan) == x) ? number : NULL;
}

/* The same of any NaN: a constant, or x, which rounding leaves as it is. */
static LLVMValueRef number_of(LLVMValueRef v)
{
    LLVMValueRef nan;
    return split_nans(v, &nan);
}

/* Numbers as they were before their NaNs were made canonical. */
static LLVMValueRef before_canonical(LLVMValueRef v)
{
    LLVMValueRef nan, number = split_nans(v, &nan);
    return number && is_nans(nan) ? number : NULL;
}

/* A value as another type, built where the builder is if it is not there. */
static LLVMValueRef as_type(LLVMBuilderRef b, LLVMValueRef v, LLVMTypeRef type)
{
    while (LLVMTypeOf(v) != type && LLVMIsABitCastInst(v)) v = LLVMGetOperand(v, 0);
    return LLVMTypeOf(v) == type ? v : LLVMBuildBitCast(b, v, type, "");
}

static bool is_of(LLVMTypeKind kind, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind && LLVMGetTypeKind(LLVMGetElementType(type)) == kind;
}

/* Bits of the elements of a vector of numbers, or of integers with their bits. */
static unsigned width_of(LLVMValueRef v)
{
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(v));
    switch (LLVMGetTypeKind(element)) {
    case LLVMHalfTypeKind: return 16;
    case LLVMFloatTypeKind: return 32;
    case LLVMDoubleTypeKind: return 64;
    default: return LLVMGetIntTypeWidth(element);
    }
}

/* Are the bits that are set in a constant, or those that are not, signs of numbers of this width? */
static bool is_signs(LLVMValueRef constant, unsigned width, bool set)
{
    if (!LLVMIsConstant(constant)) return false;
    for (unsigned i = 0; i < LLVMGetVectorSize(LLVMTypeOf(constant)); i++) {
        LLVMValueRef element = LLVMGetAggregateElement(constant, i);
        if (!element || !LLVMIsAConstantInt(element)) return false;
        const unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(element));
        unsigned long long others = LLVMConstIntGetZExtValue(element) ^ (set ? 0 : ~0ull >> (64 - bits));
        for (unsigned end = width; end <= bits; end += width) others &= ~(1ull << (end - 1));
        if (others) return false;
    }
    return true;
}

/* Is v its first operand, but for signs of numbers of this width and numbers that are left out? */
static bool keeps_numbers(LLVMValueRef v, unsigned width)
{
    static const char *const absolute[] = {"llvm.fabs.", NULL};
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMFNeg: return width_of(v) == width;
    case LLVMTrunc: return width_of(v) % width == 0;
    case LLVMOr:
    case LLVMXor: return is_signs(LLVMGetOperand(v, 1), width, true);
    case LLVMAnd: return is_signs(LLVMGetOperand(v, 1), width, false);
    default: return width_of(v) == width && calls_one_of(v, absolute);
    }
}

static LLVMValueRef before_within(LLVMBuilderRef b, LLVMValueRef operand, unsigned width, unsigned depth);

/* A copy of v whose operands from first to last are as they were; v itself if none has been made canonical. */
static LLVMValueRef with_before(LLVMBuilderRef b, LLVMValueRef v, unsigned first, unsigned last, unsigned width,
                                unsigned depth)
{
    LLVMValueRef copy = NULL;
    for (unsigned i = first; i <= last; i++) {
        LLVMValueRef operand = LLVMGetOperand(v, i), was = before_within(b, operand, width, depth);
        if (was == operand) continue;
        if (!copy) copy = LLVMInstructionClone(v);
        LLVMSetOperand(copy, i, was);
    }
    if (!copy) return v;
    LLVMPositionBuilderBefore(b, v);
    LLVMInsertIntoBuilder(b, copy);
    return copy;
}

/* Numbers of this width as they were before their NaNs were made canonical, signs were changed, and some were chosen.
 */
static LLVMValueRef before_within(LLVMBuilderRef b, LLVMValueRef operand, unsigned width, unsigned depth)
{
    LLVMTypeRef type = LLVMTypeOf(operand);
    LLVMValueRef v = behind_casts(operand), was = v;
    if (!LLVMIsAInstruction(v) || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVectorTypeKind) return operand;
    LLVMValueRef number = width_of(v) == width ? number_of(v) : NULL;
    if (number) was = number;
    else if (depth && width == 16 && LLVMIsASelectInst(v)) was = with_before(b, v, 1, 2, width, depth - 1);
    else if (depth && keeps_numbers(v, width)) was = with_before(b, v, 0, 0, width, depth - 1);
    if (was == v) return operand;
    LLVMPositionBuilderBefore(b, v);
    return as_type(b, was, type);
}

/* An operand for those to whom all NaNs are one. */
static LLVMValueRef before(LLVMBuilderRef b, LLVMValueRef operand)
{
    if (LLVMGetTypeKind(LLVMTypeOf(operand)) != LLVMVectorTypeKind) return operand;
    return before_within(b, operand, width_of(operand), is_of(LLVMHalfTypeKind, operand) ? 3 : 1);
}

/* Comparisons count only for halves: doubles that are compared are mostly stored, too, and canonical for that. */
static unsigned operands_of_any_nan(LLVMValueRef insn)
{
    static const char *const one[] = {"llvm.sqrt.", NULL}, *const three[] = {"llvm.fma.", NULL};
    switch (LLVMGetInstructionOpcode(insn)) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv: return 2;
    case LLVMFCmp: return is_of(LLVMHalfTypeKind, LLVMGetOperand(insn, 0)) ? 2 : 0;
    case LLVMFPExt:
    case LLVMFPTrunc: return 1;
    default: return calls_one_of(insn, three) ? 3 : calls_one_of(insn, one) || rounds(insn) ? 1 : 0;
    }
}

/* ---- numbers that come round a loop ---- */

static LLVMTypeRef doubles_of(LLVMTypeRef longs)
{
    LLVMTypeRef number = LLVMDoubleTypeInContext(LLVMGetTypeContext(longs));
    return LLVMVectorType(number, LLVMGetVectorSize(longs));
}

/* A constant of longs without a NaN among its elements. */
static bool is_number(LLVMValueRef constant)
{
    if (!LLVMIsConstant(constant)) return false;
    for (unsigned i = 0; i < LLVMGetVectorSize(LLVMTypeOf(constant)); i++) {
        LLVMValueRef element = LLVMGetAggregateElement(constant, i);
        if (element && LLVMIsUndef(element)) continue;
        const bool known = element && LLVMIsAConstantInt(element);
        if (!known || (LLVMConstIntGetZExtValue(element) & ~0ull >> 1) > 0x7ffull << 52) return false;
    }
    return true;
}

/* Are all its values constants, or canonical behind an operation, and one is? */
static bool comes_round(LLVMValueRef phi)
{
    LLVMTypeRef type = LLVMTypeOf(phi);
    bool some = false;
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind) return false;
    LLVMTypeRef element = LLVMGetElementType(type);
    if (LLVMGetTypeKind(element) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(element) != 64) return false;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef value = LLVMGetIncomingValue(phi, i), number = before_canonical(value);
        if (!number && value != phi && !is_number(value)) return false;
        some |= number != NULL;
    }
    return some;
}

/* A phi of numbers as they are takes its place, which are made canonical behind it. */
static void go_round_raw(LLVMBuilderRef b, LLVMValueRef phi)
{
    LLVMTypeRef longs = LLVMTypeOf(phi), doubles = doubles_of(longs);
    LLVMPositionBuilderBefore(b, phi);
    LLVMValueRef raw = LLVMBuildPhi(b, doubles, ""), nans[64];
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
        LLVMValueRef value = LLVMGetIncomingValue(phi, i), number = before_canonical(value);
        LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(from));
        value = value == phi ? raw : as_type(b, number ? number : value, doubles);
        LLVMAddIncoming(raw, &value, &from, 1);
    }
    LLVMValueRef first = raw;
    while (LLVMIsAPHINode(first)) first = LLVMGetNextInstruction(first);
    LLVMPositionBuilderBefore(b, first);
    for (unsigned i = 0; i < LLVMGetVectorSize(longs); i++)
        nans[i] = LLVMConstInt(LLVMGetElementType(longs), 0x7ff8000000000000, false);
    LLVMValueRef is = LLVMBuildFCmp(b, LLVMRealORD, raw, LLVMConstNull(doubles), "");
    LLVMValueRef nan = LLVMConstVector(nans, LLVMGetVectorSize(longs));
    LLVMReplaceAllUsesWith(phi, LLVMBuildSelect(b, is, LLVMBuildBitCast(b, raw, longs, ""), nan, ""));
    LLVMInstructionEraseFromParent(phi);
}

static void skip_in_phis(LLVMBuilderRef b, LLVMBasicBlockRef block)
{
    for (LLVMValueRef phi = LLVMGetFirstInstruction(block), next; LLVMIsAPHINode(phi); phi = next) {
        next = LLVMGetNextInstruction(phi);
        if (comes_round(phi)) go_round_raw(b, phi);
    }
}

/* Backwards: `before` looks at operands as they were. */
void nans_skip(LLVMValueRef function)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)));
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
        skip_in_phis(b, block);
    for (LLVMBasicBlockRef block = LLVMGetLastBasicBlock(function); block; block = LLVMGetPreviousBasicBlock(block))
        for (LLVMValueRef insn = LLVMGetLastInstruction(block); insn; insn = LLVMGetPreviousInstruction(insn))
            for (unsigned i = 0, n = operands_of_any_nan(insn); i < n; i++)
                LLVMSetOperand(insn, i, before(b, LLVMGetOperand(insn, i)));
    LLVMDisposeBuilder(b);
}

/* ---- one instruction of AVX-512 ---- */

enum { VECTOR_BITS = 512, ROUNDING_AS_SET = 4 };

/* What it does to numbers, four bits for each kind of them: it leaves the destination as it is where they are quiet or
 * signalling NaNs, and puts all others there. */
enum { FIXUP_NANS = 0x11111100 };

/* Of a vector of doubles or floats; `nans` are what its NaNs become. */
static LLVMValueRef fix_up(LLVMBuilderRef b, LLVMValueRef numbers, LLVMValueRef nans)
{
    const unsigned width = width_of(numbers), n = VECTOR_BITS / width;
    const char *name = width == 64 ? "llvm.x86.avx512.mask.fixupimm.pd.512" : "llvm.x86.avx512.mask.fixupimm.ps.512";
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(numbers));
    LLVMTypeRef i32 = LLVMInt32TypeInContext(c);
    LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInsertBlock(b)));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(module, LLVMLookupIntrinsicID(name, strlen(name)), NULL, 0), table[16];
    for (unsigned i = 0; i < n; i++) table[i] = LLVMConstInt(LLVMIntTypeInContext(c, width), FIXUP_NANS, false);
    LLVMValueRef args[] = {nans,
                           numbers,
                           LLVMConstVector(table, n),
                           LLVMConstInt(i32, 0, false),
                           LLVMConstAllOnes(LLVMIntTypeInContext(c, n)),
                           LLVMConstInt(i32, ROUNDING_AS_SET, false)};
    return LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, args, sizeof args / sizeof *args, "");
}

/* So many elements of two vectors together, from one on. */
static LLVMValueRef elements(LLVMBuilderRef b, LLVMValueRef v, LLVMValueRef w, unsigned from, unsigned n)
{
    LLVMValueRef order[32];
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(v)));
    for (unsigned i = 0; i < n; i++) order[i] = LLVMConstInt(i32, from + i, false);
    return LLVMBuildShuffleVector(b, v, w, LLVMConstVector(order, n), "");
}

static LLVMValueRef fix_up_both(LLVMBuilderRef b, LLVMValueRef numbers, LLVMValueRef nans)
{
    const unsigned n = LLVMGetVectorSize(LLVMTypeOf(numbers)) / 2;
    LLVMValueRef part[2];
    for (unsigned i = 0; i < 2; i++)
        part[i] = fix_up(b, elements(b, numbers, numbers, i * n, n), elements(b, nans, nans, i * n, n));
    return elements(b, part[0], part[1], 0, 2 * n);
}

static void make_canonical_at_once(LLVMBuilderRef b, LLVMValueRef choice)
{
    LLVMValueRef nan, x = split_nans(choice, &nan);
    if (!x || !is_nans(nan)) return;
    x = behind_casts(x);
    if (!is_of(LLVMDoubleTypeKind, x) && !is_of(LLVMFloatTypeKind, x)) return;
    const unsigned size = LLVMGetVectorSize(LLVMTypeOf(x)), bits = size * width_of(x);
    if (width_of(x) != width_of(choice) || (bits != VECTOR_BITS && bits != 2 * VECTOR_BITS)) return;
    LLVMPositionBuilderBefore(b, choice);
    LLVMValueRef nans = LLVMBuildBitCast(b, nan, LLVMTypeOf(x), "");
    LLVMValueRef all = bits == VECTOR_BITS ? fix_up(b, x, nans) : fix_up_both(b, x, nans);
    LLVMReplaceAllUsesWith(choice, LLVMBuildBitCast(b, all, LLVMTypeOf(choice), ""));
}

void nans_fix_up(LLVMValueRef function)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)));
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef insn = LLVMGetFirstInstruction(block); insn; insn = LLVMGetNextInstruction(insn))
            if (LLVMIsASelectInst(insn) && LLVMGetFirstUse(insn)) make_canonical_at_once(b, insn);
    LLVMDisposeBuilder(b);
}
