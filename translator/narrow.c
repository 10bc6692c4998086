/* Bytes and half words of lanes, computed with as such.
 *
 * The guest computes with words, and AVX-512 with four times as many bytes at once. Where the words that an operation
 * makes are known to lie between two numbers that a byte (or half word) can hold, and its operands are bytes or can be
 * computed as such, it becomes that of bytes, with one extension behind it. Operations that follow see through the
 * extension, so that of a chain only the last one is left, or none in front of a store. Modulo 256, sums, differences,
 * products and bits need only the lowest byte of their operands; quotients, minima and comparisons need operands that
 * fit.
 *
 * LLVM 19 does that only in front of a truncation in the same block, and not for minima or comparisons. */
#include "translator/narrow.h"

#include <stddef.h>
#include <stdint.h>

#include "translator/patterns.h"
#include "translator/ranges.h"

enum { DEEP = 6 /* operations that are looked through: a guess */ };

struct narrower {
    struct ranges ranges;
    LLVMBuilderRef b;
    LLVMTypeRef type[RANGE_SIZES];
};

/* Are both numbers what their lower bits are with the same sign? */
static bool both_fit(struct range a, struct range b, unsigned size)
{
    return (range_fits(a, size) && range_fits(b, size)) || (range_fits_signed(a, size) && range_fits_signed(b, size));
}

/* ---- the lower bits of words ---- */

/* May be 1: so many bits of an extension, which need no instruction or a short one. */
static bool is_extension(LLVMValueRef v, unsigned size)
{
    if (!LLVMIsAZExtInst(v) && !LLVMIsASExtInst(v)) return false;
    return LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(LLVMGetOperand(v, 0)))) <= range_width(size);
}

static bool is_shift(LLVMOpcode op) { return op == LLVMShl || op == LLVMLShr || op == LLVMAShr; }

/* Does `v & constant` keep all of the lower bits? */
static bool keeps(LLVMValueRef v, unsigned size)
{
    LLVMValueRef mask = LLVMGetOperand(v, 1);
    const int64_t all = (1ll << range_width(size)) - 1;
    for (unsigned i = 0; i < RANGE_LANES; i++) {
        LLVMValueRef word = LLVMIsConstant(mask) ? LLVMGetAggregateElement(mask, i) : NULL;
        if (!word || !LLVMIsAConstantInt(word) || (LLVMConstIntGetSExtValue(word) & all) != all) return false;
    }
    return true;
}

static bool can_shift(const struct narrower *n, LLVMValueRef v, LLVMOpcode op, unsigned size)
{
    const struct range a = ranges_of(&n->ranges, LLVMGetOperand(v, 0)),
                       by = ranges_of(&n->ranges, LLVMGetOperand(v, 1));
    if (!LLVMIsConstant(LLVMGetOperand(v, 1)) || by.low < 0 || by.high >= range_width(size)) return false;
    if (op == LLVMShl) return true;
    return range_fits(a, size) || (op == LLVMAShr && size == RANGE_HALVES && range_fits_signed(a, size));
}

/* Words that are the extension of half words, as they were computed before: these may fit a byte. */
static LLVMValueRef origin_of(const struct narrower *n, LLVMValueRef v)
{
    LLVMValueRef origin = ranges_find(&n->ranges, v)->origin;
    return origin ? origin : v;
}

/* Can the lower bits be computed without those above? `bytes` becomes true if some come from bytes or half words. */
static bool can_narrow(const struct narrower *n, LLVMValueRef v, unsigned size, unsigned depth, bool *bytes)
{
    if (LLVMIsConstant(v)) return true;
    if (ranges_find(&n->ranges, v)->narrow[size]) return *bytes = true;
    v = origin_of(n, v);
    if (!LLVMIsAInstruction(v)) return false;
    if (is_extension(v, size)) {
        *bytes |= LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(LLVMGetOperand(v, 0)))) >= 8;
        return true;
    }
    const LLVMOpcode op = LLVMGetInstructionOpcode(v);
    const unsigned first = op == LLVMSelect ? 1 : 0;
    const enum minimum m = minimum_of(v);
    if (!depth--) return false;
    if (op == LLVMAnd && keeps(v, size)) return can_narrow(n, LLVMGetOperand(v, 0), size, depth, bytes);
    if (is_shift(op)) return can_shift(n, v, op, size) && can_narrow(n, LLVMGetOperand(v, 0), size, depth, bytes);
    const bool sum = op == LLVMAdd || op == LLVMSub || op == LLVMAnd || op == LLVMOr || op == LLVMXor;
    if (!sum && op != LLVMSelect && !m && (op != LLVMMul || size == RANGE_BYTES)) return false;
    LLVMValueRef a = LLVMGetOperand(v, first), b = LLVMGetOperand(v, first + 1);
    if (m && !both_fit(ranges_of(&n->ranges, a), ranges_of(&n->ranges, b), size)) return false;
    if (m && !(m == SMIN || m == SMAX) && (ranges_of(&n->ranges, a).low < 0 || ranges_of(&n->ranges, b).low < 0))
        return false;
    return can_narrow(n, a, size, depth, bytes) && can_narrow(n, b, size, depth, bytes);
}

static LLVMValueRef narrowed(const struct narrower *n, LLVMValueRef v, unsigned size);

static LLVMValueRef make_narrow(const struct narrower *n, LLVMValueRef v, unsigned size)
{
    const LLVMOpcode op = LLVMGetInstructionOpcode(v);
    const unsigned first = op == LLVMSelect ? 1 : 0;
    const enum minimum m = minimum_of(v);
    if (is_extension(v, size)) {
        LLVMPositionBuilderBefore(n->b, v);
        return op == LLVMZExt ? LLVMBuildZExt(n->b, LLVMGetOperand(v, 0), n->type[size], "")
                              : LLVMBuildSExt(n->b, LLVMGetOperand(v, 0), n->type[size], "");
    }
    if (op == LLVMAnd && keeps(v, size)) return narrowed(n, LLVMGetOperand(v, 0), size);
    LLVMValueRef a = LLVMGetOperand(v, first), b = LLVMGetOperand(v, first + 1);
    LLVMValueRef operands[] = {narrowed(n, a, size), narrowed(n, b, size)};
    LLVMPositionBuilderBefore(n->b, v);
    if (op == LLVMSelect) return LLVMBuildSelect(n->b, LLVMGetOperand(v, 0), operands[0], operands[1], "");
    const bool positive = range_fits(ranges_of(&n->ranges, a), size) && range_fits(ranges_of(&n->ranges, b), size);
    const enum minimum bare = m == SMIN || m == UMIN ? UMIN : UMAX;
    if (m) return minimum_build(n->b, positive ? bare : m, operands[0], operands[1]);
    const bool shifts_bits = op == LLVMAShr && range_fits(ranges_of(&n->ranges, a), size);
    return LLVMBuildBinOp(n->b, shifts_bits ? LLVMLShr : op, operands[0], operands[1], "");
}

/* The lower bits of words, behind which can_narrow has looked. */
static LLVMValueRef narrowed(const struct narrower *n, LLVMValueRef v, unsigned size)
{
    if (LLVMIsConstant(v)) return LLVMConstTrunc(v, n->type[size]);
    struct known *k = ranges_find(&n->ranges, v);
    if (k->narrow[size]) return k->narrow[size];
    LLVMValueRef narrow = make_narrow(n, origin_of(n, v), size);
    k = ranges_note(&n->ranges, v, ranges_of(&n->ranges, v));
    return k->narrow[size] = narrow;
}

/* ---- instructions ---- */

static bool is_words(const struct narrower *n, LLVMValueRef v) { return LLVMTypeOf(v) == n->ranges.wide; }

/* The same as an extension of what fewer bits make. */
static void narrow_result(const struct narrower *n, LLVMValueRef v)
{
    const struct range r = ranges_note(&n->ranges, v, ranges_of_result(&n->ranges, v))->range;
    if (LLVMIsAZExtInst(v) || LLVMIsASExtInst(v)) return;
    for (unsigned size = 0; size < RANGE_SIZES; size++) {
        bool bytes = false;
        if ((!range_fits(r, size) && !range_fits_signed(r, size)) || !can_narrow(n, v, size, DEEP, &bytes) || !bytes)
            continue;
        LLVMValueRef narrow = narrowed(n, v, size);
        LLVMPositionBuilderBefore(n->b, v);
        LLVMValueRef words = range_fits(r, size) ? LLVMBuildZExt(n->b, narrow, n->ranges.wide, "")
                                                 : LLVMBuildSExt(n->b, narrow, n->ranges.wide, "");
        LLVMReplaceAllUsesWith(v, words);
        if (LLVMIsConstant(words)) return;
        struct known *k = ranges_note(&n->ranges, words, r);
        k->narrow[size] = narrow, k->origin = v;
        return;
    }
}

static void narrow_truncation(const struct narrower *n, LLVMValueRef v)
{
    LLVMValueRef from = LLVMGetOperand(v, 0);
    for (unsigned size = 0; size < RANGE_SIZES; size++) {
        bool bytes = false;
        if (LLVMTypeOf(v) != n->type[size] || !can_narrow(n, from, size, DEEP, &bytes) || !bytes) continue;
        LLVMReplaceAllUsesWith(v, narrowed(n, from, size));
        return;
    }
}

static void narrow_comparison(const struct narrower *n, LLVMValueRef v)
{
    LLVMValueRef a = LLVMGetOperand(v, 0), b = LLVMGetOperand(v, 1);
    LLVMIntPredicate p = LLVMGetICmpPredicate(v);
    const struct range of[] = {ranges_of(&n->ranges, a), ranges_of(&n->ranges, b)};
    const bool orders = p != LLVMIntEQ && p != LLVMIntNE, is_signed = unsigned_predicate(p) != p;
    for (unsigned size = 0; size < RANGE_SIZES; size++) {
        const bool positive = range_fits(of[0], size) && range_fits(of[1], size);
        bool bytes = false;
        if (!both_fit(of[0], of[1], size) || (orders && !is_signed && !positive)) continue;
        if (!can_narrow(n, a, size, DEEP, &bytes) || !can_narrow(n, b, size, DEEP, &bytes) || !bytes) continue;
        LLVMValueRef operands[] = {narrowed(n, a, size), narrowed(n, b, size)};
        LLVMPositionBuilderBefore(n->b, v);
        p = positive ? unsigned_predicate(p) : p;
        LLVMReplaceAllUsesWith(v, LLVMBuildICmp(n->b, p, operands[0], operands[1], ""));
        return;
    }
}

static void narrow_instruction(const struct narrower *n, LLVMValueRef v)
{
    if (LLVMIsAICmpInst(v) && is_words(n, LLVMGetOperand(v, 0))) narrow_comparison(n, v);
    else if (LLVMIsATruncInst(v) && is_words(n, LLVMGetOperand(v, 0))) narrow_truncation(n, v);
    else if (is_words(n, v)) narrow_result(n, v);
}

bool narrow_words(LLVMValueRef function)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    struct narrower n = {.type = {LLVMVectorType(LLVMInt8TypeInContext(context), RANGE_LANES),
                                  LLVMVectorType(LLVMInt16TypeInContext(context), RANGE_LANES)}};
    if (!ranges_begin(&n.ranges, function)) return false;
    n.b = LLVMCreateBuilderInContext(context);
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef v = LLVMGetFirstInstruction(block), next; v; v = next) {
            next = LLVMGetNextInstruction(v);
            narrow_instruction(&n, v);
        }
    LLVMDisposeBuilder(n.b);
    ranges_end(&n.ranges);
    ranges_erase_idle(function);
    return true;
}
