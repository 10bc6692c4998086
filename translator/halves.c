/* Which halves need not be taken apart to two chunks, because they are joined again (halves.h). Between the two their
 * bits may have been changed, they may have been chosen, also by comparisons of halves, or come round a loop as words;
 * the host does all of it with the halves of both chunks at once. */
#include "translator/halves.h"

#include <stddef.h>
#include <stdint.h>

#include "translator/patterns.h"

/* WORDS_MOST: of the longest chunk. How deep it is looked, and how many phis are remembered, are guesses. */
enum { WORDS_MOST = 16, DEPTH = 6, KNOWN = 128 };

/* Of two chunks. */
struct parts {
    LLVMValueRef a, b;
};

/* A phi of both in place of a phi of each. */
struct known {
    struct parts parts;
    LLVMValueRef both;
};

struct halves {
    LLVMBuilderRef b;
    unsigned words;
    LLVMTypeRef i16, half, part, both; /* the last two are vectors of i16 */
    LLVMValueRef joined;               /* the order of shuffles that join */
    struct known known[KNOWN];
    unsigned count;
};

/* ---- what is there ---- */

static bool is_vector_of(LLVMValueRef v, LLVMTypeRef element, unsigned count)
{
    return LLVMTypeOf(v) == LLVMVectorType(element, count);
}

/* Does a shuffle take `count` elements of its first operand, from one on, in their order? */
static bool takes(LLVMValueRef shuffle, unsigned from, unsigned count)
{
    if (!LLVMIsAShuffleVectorInst(shuffle) || LLVMGetNumMaskElements(shuffle) != count) return false;
    for (unsigned i = 0; i < count; i++)
        if (LLVMGetMaskValue(shuffle, i) != (int)(from + i)) return false;
    return true;
}

/* What both have been taken from; NULL: from different values. */
static LLVMValueRef source(const struct halves *s, struct parts p)
{
    if (!takes(p.a, 0, s->words) || !takes(p.b, s->words, s->words)) return NULL;
    LLVMValueRef from = LLVMGetOperand(p.a, 0);
    return from == LLVMGetOperand(p.b, 0) && LLVMTypeOf(from) == s->both ? from : NULL;
}

static bool are(struct parts p, LLVMOpcode op) { return is(p.a, op) && is(p.b, op); }

static struct parts operands(struct parts p, unsigned i)
{
    return (struct parts){LLVMGetOperand(p.a, i), LLVMGetOperand(p.b, i)};
}

static bool are_bits(struct parts p) { return are(p, LLVMAnd) || are(p, LLVMOr) || are(p, LLVMXor); }

static bool are_constants(struct parts p) { return LLVMIsConstant(p.a) && LLVMIsConstant(p.b); }

/* Phis of words in one block, of which these are the lower halves. */
static struct parts phis(struct parts p)
{
    if (!are(p, LLVMTrunc)) return (struct parts){0};
    struct parts words = operands(p, 0);
    const bool both = LLVMIsAPHINode(words.a) && LLVMIsAPHINode(words.b);
    return both && LLVMGetInstructionParent(words.a) == LLVMGetInstructionParent(words.b) ? words : (struct parts){0};
}

/* The halves that words are made of; the same words: they are not. */
static LLVMValueRef lower(LLVMValueRef word) { return is(word, LLVMZExt) ? LLVMGetOperand(word, 0) : word; }

static struct parts incoming(struct parts p, unsigned i)
{
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(p.a, i);
    unsigned k = 0;
    while (LLVMGetIncomingBlock(p.b, k) != from) k++;
    return (struct parts){lower(LLVMGetIncomingValue(p.a, i)), lower(LLVMGetIncomingValue(p.b, k))};
}

static const struct known *find(const struct halves *s, struct parts p)
{
    for (unsigned i = 0; i < s->count; i++)
        if (s->known[i].parts.a == p.a && s->known[i].parts.b == p.b) return &s->known[i];
    return NULL;
}

/* Does it pay to keep the two together? */
static bool pays(const struct halves *s, struct parts p, unsigned depth)
{
    const struct parts loop = phis(p);
    if (source(s, p) || (loop.a && find(s, loop))) return true;
    if (!depth--) return false;
    if (are(p, LLVMBitCast)) return pays(s, operands(p, 0), depth);
    if (are_bits(p)) return pays(s, operands(p, 0), depth) || pays(s, operands(p, 1), depth);
    if (are(p, LLVMSelect)) return pays(s, operands(p, 1), depth) || pays(s, operands(p, 2), depth);
    for (unsigned i = 0; loop.a && s->count < KNOWN && i < LLVMCountIncoming(loop.a); i++)
        if (pays(s, incoming(loop, i), depth / 2)) return true;
    return false;
}

/* ---- keeping them together: built in front of the instruction `at` ---- */

static LLVMValueRef join(struct halves *s, struct parts p, LLVMValueRef at, unsigned depth);

static LLVMValueRef shuffle(struct halves *s, struct parts p, LLVMValueRef at)
{
    LLVMPositionBuilderBefore(s->b, at);
    return LLVMBuildShuffleVector(s->b, p.a, p.b, s->joined, "");
}

static LLVMValueRef as_halves(struct halves *s, LLVMValueRef both)
{
    return LLVMBuildBitCast(s->b, both, LLVMVectorType(s->half, 2 * s->words), "");
}

/* Conditions of both chunks: of halves that are compared in the same way, or others side by side. */
static LLVMValueRef join_conditions(struct halves *s, struct parts p, LLVMValueRef at, unsigned depth)
{
    if (!are(p, LLVMFCmp) || LLVMGetFCmpPredicate(p.a) != LLVMGetFCmpPredicate(p.b)) return shuffle(s, p, at);
    struct parts left = operands(p, 0), right = operands(p, 1);
    if (!is_vector_of(left.a, s->half, s->words)) return shuffle(s, p, at);
    LLVMValueRef a = join(s, left, at, depth), b = join(s, right, at, depth);
    LLVMPositionBuilderBefore(s->b, at);
    return LLVMBuildFCmp(s->b, LLVMGetFCmpPredicate(p.a), as_halves(s, a), as_halves(s, b), "");
}

static LLVMValueRef join_choice(struct halves *s, struct parts p, LLVMValueRef at, unsigned depth)
{
    LLVMValueRef condition = join_conditions(s, operands(p, 0), at, depth);
    LLVMValueRef yes = join(s, operands(p, 1), at, depth), no = join(s, operands(p, 2), at, depth);
    LLVMPositionBuilderBefore(s->b, at);
    return LLVMBuildSelect(s->b, condition, yes, no, "");
}

static LLVMValueRef join_bits(struct halves *s, struct parts p, LLVMValueRef at, unsigned depth)
{
    LLVMValueRef a = join(s, operands(p, 0), at, depth), b = join(s, operands(p, 1), at, depth);
    LLVMPositionBuilderBefore(s->b, at);
    return LLVMBuildBinOp(s->b, LLVMGetInstructionOpcode(p.a), a, b, "");
}

/* What comes to a phi: halves, or words whose lower ones they are. */
static LLVMValueRef join_incoming(struct halves *s, struct parts p, LLVMValueRef at, unsigned depth)
{
    LLVMPositionBuilderBefore(s->b, at);
    if (LLVMTypeOf(p.a) != s->part) p.a = LLVMBuildTrunc(s->b, p.a, s->part, "");
    if (LLVMTypeOf(p.b) != s->part) p.b = LLVMBuildTrunc(s->b, p.b, s->part, "");
    return join(s, p, at, depth);
}

static LLVMValueRef join_phis(struct halves *s, struct parts p, unsigned depth)
{
    const struct known *known = find(s, p);
    if (known) return known->both;
    LLVMPositionBuilderBefore(s->b, LLVMGetFirstInstruction(LLVMGetInstructionParent(p.a)));
    LLVMValueRef both = LLVMBuildPhi(s->b, s->both, "");
    s->known[s->count++] = (struct known){p, both};
    for (unsigned i = 0; i < LLVMCountIncoming(p.a); i++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(p.a, i);
        LLVMValueRef value = join_incoming(s, incoming(p, i), LLVMGetBasicBlockTerminator(from), depth);
        LLVMAddIncoming(both, &value, &from, 1);
    }
    return both;
}

/* Of halves, or of i16: as i16. */
static LLVMValueRef join(struct halves *s, struct parts p, LLVMValueRef at, unsigned depth)
{
    LLVMValueRef from = source(s, p);
    if (from) return from;
    if (are(p, LLVMBitCast) && LLVMTypeOf(LLVMGetOperand(p.a, 0)) == s->part &&
        LLVMTypeOf(LLVMGetOperand(p.b, 0)) == s->part)
        return join(s, operands(p, 0), at, depth);
    const struct parts loop = phis(p);
    if (depth && LLVMTypeOf(p.a) == s->part && !are_constants(p) && pays(s, p, depth)) {
        if (are_bits(p)) return join_bits(s, p, at, depth - 1);
        if (are(p, LLVMSelect)) return join_choice(s, p, at, depth - 1);
        if (loop.a) return join_phis(s, loop, depth / 2);
    }
    LLVMValueRef both = shuffle(s, p, at);
    return LLVMTypeOf(both) == s->both ? both : LLVMBuildBitCast(s->b, both, s->both, "");
}

static struct halves begin(LLVMValueRef function, unsigned words)
{
    LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    struct halves s = {.b = LLVMCreateBuilderInContext(c), .words = words};
    LLVMValueRef joined[2 * WORDS_MOST];
    s.i16 = LLVMInt16TypeInContext(c), s.half = LLVMHalfTypeInContext(c);
    s.part = LLVMVectorType(s.i16, words), s.both = LLVMVectorType(s.i16, 2 * words);
    for (unsigned i = 0; i < 2 * words; i++) joined[i] = LLVMConstInt(LLVMInt32TypeInContext(c), i, false);
    s.joined = LLVMConstVector(joined, 2 * words);
    return s;
}

bool halves_keep(LLVMValueRef function, unsigned words)
{
    struct halves s = begin(function, words);
    bool changed = false;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef insn = LLVMGetFirstInstruction(block), next; insn; insn = next) {
            next = LLVMGetNextInstruction(insn);
            if (!takes(insn, 0, 2 * words) || LLVMTypeOf(LLVMGetOperand(insn, 0)) != s.part) continue;
            const struct parts p = {LLVMGetOperand(insn, 0), LLVMGetOperand(insn, 1)};
            if (!pays(&s, p, DEPTH)) continue;
            LLVMReplaceAllUsesWith(insn, join(&s, p, insn, DEPTH));
            LLVMInstructionEraseFromParent(insn);
            changed = true;
        }
    LLVMDisposeBuilder(s.b);
    return changed;
}
