/* Which words need not be taken apart, because they are joined again (pairs.h). Between the two they may have been
 * chosen (select), also from constants, come round a loop (phi), or had their sign changed, which is a bit of the upper
 * word; the host can do all of it with both words at once. */
#include "translator/pairs.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "translator/patterns.h"

/* WORDS_MOST: of the longest chunk. How deep it is looked, and how many phis are remembered (6 KiB), are guesses. */
enum { WORDS_MOST = 16, DEPTH = 6, KNOWN = 256 };

struct words {
    LLVMValueRef low, high; /* chunks */
};

/* A phi of both words in place of a phi of each. */
struct known {
    struct words words;
    LLVMValueRef both;
};

struct pairs {
    LLVMBuilderRef b;
    unsigned words;
    LLVMTypeRef i32, i64, longs, doubles; /* the last two are vectors of both words */
    LLVMValueRef split[2], joined;        /* orders of shuffles: the lower words, the upper ones; both in turn */
    struct known known[KNOWN];
    unsigned count;
};

/* ---- what is there ---- */

static bool is_chunk(const struct pairs *s, LLVMValueRef v)
{
    return LLVMTypeOf(v) == LLVMVectorType(s->i32, s->words);
}

/* Where both words of each lane come from: word i of a chunk is that of number `lane[i]`, of a vector of longs. */
struct source {
    LLVMValueRef from; /* NULL: they come from nowhere together */
    uint8_t lane[WORDS_MOST];
    bool ordered; /* lane[i] is i, and there are no others */
};

/* The vector that a chunk's lower or upper words come from by shuffles. */
static struct source source_of_words(const struct pairs *s, LLVMValueRef chunk, unsigned upper)
{
    int at[WORDS_MOST];
    struct source out = {0};
    LLVMValueRef v = chunk;
    for (unsigned i = 0; i < s->words; i++) at[i] = (int)i;
    while (LLVMIsAShuffleVectorInst(v)) {
        const int size = (int)LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(v, 0)));
        for (unsigned i = 0; i < s->words; i++) {
            at[i] = at[i] < 0 ? -1 : LLVMGetMaskValue(v, (unsigned)at[i]);
            if (at[i] < 0 || at[i] >= size) return out;
        }
        v = LLVMGetOperand(v, 0);
    }
    const bool cut = !upper && is(v, LLVMTrunc) && LLVMGetElementType(LLVMTypeOf(LLVMGetOperand(v, 0))) == s->i64;
    const unsigned size = LLVMGetVectorSize(LLVMTypeOf(v));
    if (!cut && size % 2) return out;
    for (unsigned i = 0; i < s->words; i++) {
        if (!cut && at[i] % 2 != (int)upper) return out;
        out.lane[i] = (uint8_t)(cut ? at[i] : at[i] / 2);
    }
    out.from = cut ? LLVMGetOperand(v, 0) : v;
    out.ordered = size == (cut ? 1 : 2) * s->words;
    for (unsigned i = 0; i < s->words; i++) out.ordered &= out.lane[i] == i;
    return out;
}

/* The value that both words are parts of. */
static struct source source_of(const struct pairs *s, struct words w)
{
    struct source low = source_of_words(s, w.low, 0), none = {0};
    if (!low.from) return none;
    struct source high = source_of_words(s, w.high, 1);
    const bool same = high.from && behind_casts(low.from) == behind_casts(high.from);
    return same && !memcmp(low.lane, high.lane, sizeof low.lane) ? low : none;
}

/* Bits of the upper words changed by constants. */
static bool changes_upper(LLVMValueRef high)
{
    const bool bits = is(high, LLVMXor) || is(high, LLVMAnd) || is(high, LLVMOr);
    LLVMValueRef constant = bits ? LLVMGetOperand(high, 1) : NULL;
    if (!constant || !LLVMIsConstant(constant)) return false;
    for (unsigned i = 0; i < LLVMGetVectorSize(LLVMTypeOf(constant)); i++) {
        LLVMValueRef element = LLVMGetAggregateElement(constant, i);
        if (!element || !LLVMIsAConstantInt(element)) return false;
    }
    return true;
}

static bool are_constants(struct words w) { return LLVMIsConstant(w.low) && LLVMIsConstant(w.high); }

/* The condition by which both words are chosen, if one of them is not always the same; NULL: there is none. */
static LLVMValueRef condition(struct words w)
{
    LLVMValueRef low = LLVMIsASelectInst(w.low) ? LLVMGetOperand(w.low, 0) : NULL;
    LLVMValueRef high = LLVMIsASelectInst(w.high) ? LLVMGetOperand(w.high, 0) : NULL;
    if (LLVMIsConstant(w.low)) low = high;
    if (LLVMIsConstant(w.high)) high = low;
    return low && low == high && !LLVMIsConstant(low) ? low : NULL;
}

static bool are_phis(struct words w)
{
    return LLVMIsAPHINode(w.low) && LLVMIsAPHINode(w.high) &&
           LLVMGetInstructionParent(w.low) == LLVMGetInstructionParent(w.high);
}

static LLVMValueRef arm_of(LLVMValueRef word, unsigned arm)
{
    return LLVMIsConstant(word) ? word : LLVMGetOperand(word, arm);
}

static struct words arms(struct words w, unsigned arm)
{
    return (struct words){arm_of(w.low, arm), arm_of(w.high, arm)};
}

static struct words incoming(struct words w, unsigned i)
{
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(w.low, i);
    unsigned k = 0;
    while (LLVMGetIncomingBlock(w.high, k) != from) k++;
    return (struct words){LLVMGetIncomingValue(w.low, i), LLVMGetIncomingValue(w.high, k)};
}

static const struct known *find(const struct pairs *s, struct words w)
{
    for (unsigned i = 0; i < s->count; i++)
        if (s->known[i].words.low == w.low && s->known[i].words.high == w.high) return &s->known[i];
    return NULL;
}

/* Does it pay to keep the two together? */
static bool pays(const struct pairs *s, struct words w, unsigned depth)
{
    if (find(s, w) || source_of(s, w).from || are_constants(w)) return true;
    if (!depth) return false;
    if (changes_upper(w.high)) return pays(s, (struct words){w.low, LLVMGetOperand(w.high, 0)}, depth - 1);
    if (condition(w)) return pays(s, arms(w, 1), depth - 1) || pays(s, arms(w, 2), depth - 1);
    if (!are_phis(w) || s->count == KNOWN) return false;
    for (unsigned i = 0; i < LLVMCountIncoming(w.low); i++)
        if (pays(s, incoming(w, i), depth / 2)) return true;
    return false;
}

/* ---- keeping them together: longs, built in front of the instruction `at` ---- */

static LLVMValueRef join(struct pairs *s, struct words w, LLVMValueRef at, unsigned depth);

static LLVMValueRef absolute(struct pairs *s, LLVMValueRef number)
{
    const unsigned id = LLVMLookupIntrinsicID("llvm.fabs", 9);
    LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInsertBlock(s->b)));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(module, id, &s->doubles, 1);
    return LLVMBuildCall2(s->b, LLVMGlobalGetValueType(f), f, &number, 1, "");
}

/* What `high` does to the upper words: to signs as the host does it to doubles, else as it does to longs. */
static LLVMValueRef change(struct pairs *s, LLVMValueRef high, LLVMValueRef both)
{
    LLVMValueRef element[WORDS_MOST], bits = LLVMGetOperand(high, 1);
    const LLVMOpcode op = LLVMGetInstructionOpcode(high);
    bool flips = op == LLVMXor, clears = op == LLVMAnd;
    for (unsigned i = 0; i < s->words; i++) {
        const uint64_t word = LLVMConstIntGetZExtValue(LLVMGetAggregateElement(bits, i));
        flips &= word == 0x80000000, clears &= word == 0x7fffffff;
        element[i] = LLVMConstInt(s->i64, word << 32 | (op == LLVMAnd ? UINT32_MAX : 0), false);
    }
    LLVMValueRef number = LLVMBuildBitCast(s->b, both, s->doubles, "");
    if (flips) return LLVMBuildBitCast(s->b, LLVMBuildFNeg(s->b, number, ""), s->longs, "");
    if (clears) return LLVMBuildBitCast(s->b, absolute(s, number), s->longs, "");
    return LLVMBuildBinOp(s->b, op, both, LLVMConstVector(element, s->words), "");
}

static LLVMValueRef join_change(struct pairs *s, struct words w, LLVMValueRef at, unsigned depth)
{
    LLVMValueRef both = join(s, (struct words){w.low, LLVMGetOperand(w.high, 0)}, at, depth - 1);
    LLVMPositionBuilderBefore(s->b, at);
    return change(s, w.high, both);
}

static LLVMValueRef join_choice(struct pairs *s, struct words w, LLVMValueRef at, unsigned depth)
{
    LLVMValueRef yes = join(s, arms(w, 1), at, depth - 1), no = join(s, arms(w, 2), at, depth - 1);
    LLVMPositionBuilderBefore(s->b, at);
    return LLVMBuildSelect(s->b, condition(w), yes, no, "");
}

static LLVMValueRef join_phis(struct pairs *s, struct words w, unsigned depth)
{
    LLVMPositionBuilderBefore(s->b, LLVMGetFirstInstruction(LLVMGetInstructionParent(w.low)));
    LLVMValueRef both = LLVMBuildPhi(s->b, s->longs, "");
    s->known[s->count++] = (struct known){w, both};
    for (unsigned i = 0; i < LLVMCountIncoming(w.low); i++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(w.low, i);
        LLVMValueRef value = join(s, incoming(w, i), LLVMGetBasicBlockTerminator(from), depth);
        LLVMAddIncoming(both, &value, &from, 1);
    }
    return both;
}

/* One shuffle of longs in place of those of words. */
static LLVMValueRef join_source(struct pairs *s, const struct source *source)
{
    LLVMValueRef lane[WORDS_MOST], from = source->from;
    const unsigned bits =
        LLVMGetVectorSize(LLVMTypeOf(from)) * LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(from)));
    LLVMValueRef longs = LLVMBuildBitCast(s->b, from, LLVMVectorType(s->i64, bits / 64), "");
    if (source->ordered) return longs;
    for (unsigned i = 0; i < s->words; i++) lane[i] = LLVMConstInt(s->i32, source->lane[i], false);
    LLVMValueRef none = LLVMGetPoison(LLVMTypeOf(longs)), order = LLVMConstVector(lane, s->words);
    return LLVMBuildShuffleVector(s->b, longs, none, order, "");
}

static LLVMValueRef join(struct pairs *s, struct words w, LLVMValueRef at, unsigned depth)
{
    const struct known *known = find(s, w);
    const struct source source = source_of(s, w);
    if (known) return known->both;
    if (!source.from && depth && !are_constants(w) && pays(s, w, depth)) {
        if (changes_upper(w.high)) return join_change(s, w, at, depth);
        return condition(w) ? join_choice(s, w, at, depth) : join_phis(s, w, depth / 2);
    }
    LLVMPositionBuilderBefore(s->b, at);
    if (source.from) return join_source(s, &source);
    return LLVMBuildBitCast(s->b, LLVMBuildShuffleVector(s->b, w.low, w.high, s->joined, ""), s->longs, "");
}

/* Phis of words whose place a phi of both has taken: its words are theirs. */
static void take_apart(struct pairs *s, const struct known *known)
{
    LLVMTypeRef type = LLVMVectorType(s->i32, 2 * s->words);
    LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetInstructionParent(known->both));
    while (LLVMIsAPHINode(first)) first = LLVMGetNextInstruction(first);
    LLVMPositionBuilderBefore(s->b, first);
    LLVMValueRef both = LLVMBuildBitCast(s->b, known->both, type, ""), none = LLVMGetPoison(type);
    LLVMReplaceAllUsesWith(known->words.low, LLVMBuildShuffleVector(s->b, both, none, s->split[0], ""));
    LLVMReplaceAllUsesWith(known->words.high, LLVMBuildShuffleVector(s->b, both, none, s->split[1], ""));
}

/* ---- words that are only stored, as where a warp is given back ---- */

static bool is_only_stored(LLVMValueRef v)
{
    LLVMUseRef use = LLVMGetFirstUse(v);
    while (use && LLVMIsAStoreInst(LLVMGetUser(use))) use = LLVMGetNextUse(use);
    return !use;
}

/* Is a word used by nothing but phis of a block? */
static bool only_goes_to(LLVMValueRef word, LLVMBasicBlockRef block)
{
    for (LLVMUseRef use = LLVMGetFirstUse(word); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAPHINode(user) || LLVMGetInstructionParent(user) != block) return false;
    }
    return true;
}

/* Are both words of each number taken apart for the phis alone, on some of the ways to them? */
static bool pays_to_store(const struct pairs *s, struct words w)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(w.low);
    unsigned alone = 0, others = 0;
    for (unsigned i = 0; i < LLVMCountIncoming(w.low); i++) {
        struct words from = incoming(w, i);
        if (LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(w.low, i))) != 1) return false;
        if (are_constants(from)) continue;
        if (!find(s, from) && !source_of(s, from).from) return false;
        const bool goes = only_goes_to(from.low, block) && only_goes_to(from.high, block);
        alone += goes, others += !goes;
    }
    return alone > others;
}

/* The phi of the upper words, where one is of the lower ones; NULL: there is none. */
static LLVMValueRef upper_phi(const struct pairs *s, LLVMValueRef low)
{
    unsigned i = 0;
    while (i < LLVMCountIncoming(low) && !source_of_words(s, LLVMGetIncomingValue(low, i), 0).from) i++;
    if (i == LLVMCountIncoming(low)) return NULL;
    LLVMValueRef phi = LLVMGetFirstInstruction(LLVMGetInstructionParent(low));
    for (; LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        const struct words w = {low, phi};
        if (phi != low && is_chunk(s, phi) && source_of(s, incoming(w, i)).from) return phi;
    }
    return NULL;
}

static void keep_stored(struct pairs *s, LLVMBasicBlockRef block)
{
    LLVMValueRef phi = LLVMGetFirstInstruction(block), next;
    for (; LLVMIsAPHINode(phi); phi = next) {
        next = LLVMGetNextInstruction(phi);
        if (!is_chunk(s, phi) || !is_only_stored(phi) || s->count == KNOWN) continue;
        const struct words w = {phi, upper_phi(s, phi)};
        if (w.high && is_only_stored(w.high) && !find(s, w) && pays_to_store(s, w)) join_phis(s, w, 0);
    }
}

static struct pairs begin(LLVMValueRef function, unsigned words)
{
    LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    struct pairs s = {.b = LLVMCreateBuilderInContext(c), .words = words};
    LLVMValueRef split[2][WORDS_MOST], joined[2 * WORDS_MOST];
    s.i32 = LLVMInt32TypeInContext(c), s.i64 = LLVMInt64TypeInContext(c);
    s.longs = LLVMVectorType(s.i64, words), s.doubles = LLVMVectorType(LLVMDoubleTypeInContext(c), words);
    for (unsigned i = 0; i < 2 * words; i++) {
        split[i % 2][i / 2] = LLVMConstInt(s.i32, i, false);
        joined[i] = LLVMConstInt(s.i32, i / 2 + i % 2 * words, false);
    }
    s.split[0] = LLVMConstVector(split[0], words), s.split[1] = LLVMConstVector(split[1], words);
    s.joined = LLVMConstVector(joined, 2 * words);
    return s;
}

/* The words that an instruction joins; none: it does not. */
static struct words joined_by(const struct pairs *s, LLVMValueRef insn)
{
    if (!LLVMIsAShuffleVectorInst(insn) || LLVMGetNumMaskElements(insn) != 2 * s->words) return (struct words){0};
    struct words w = {LLVMGetOperand(insn, 0), LLVMGetOperand(insn, 1)};
    if (!is_chunk(s, w.low)) return (struct words){0};
    for (unsigned i = 0; i < 2 * s->words; i++)
        if (LLVMGetMaskValue(insn, i) != (int)(i / 2 + i % 2 * s->words)) return (struct words){0};
    return w;
}

bool pairs_keep(LLVMValueRef function, unsigned words)
{
    struct pairs s = begin(function, words);
    bool changed = false;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef insn = LLVMGetFirstInstruction(block), next; insn; insn = next) {
            struct words w = joined_by(&s, insn);
            next = LLVMGetNextInstruction(insn);
            if (!w.low || are_constants(w) || !pays(&s, w, DEPTH)) continue;
            LLVMValueRef both = join(&s, w, insn, DEPTH);
            LLVMPositionBuilderBefore(s.b, insn);
            LLVMReplaceAllUsesWith(insn, LLVMBuildBitCast(s.b, both, LLVMTypeOf(insn), ""));
            LLVMInstructionEraseFromParent(insn);
            changed = true;
        }
    for (unsigned i = 0; i < s.count; i++) take_apart(&s, &s.known[i]);
    LLVMDisposeBuilder(s.b);
    return changed;
}

bool pairs_store(LLVMValueRef function, unsigned words)
{
    struct pairs s = begin(function, words);
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
        keep_stored(&s, block);
    for (unsigned i = 0; i < s.count; i++) take_apart(&s, &s.known[i]);
    LLVMDisposeBuilder(s.b);
    return s.count;
}
