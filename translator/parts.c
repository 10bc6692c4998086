/* Words made of bytes or half words that were computed each by itself, as vectors of such are.
 *
 * The guest takes a word apart, computes with its four bytes and joins them again. The same operation on the same bytes
 * of all words is one on all of their bytes, so that of each operation on a part of a word, with a constant or the same
 * part of another word, one on whole words is made beside it, once for all parts; and where words are joined, the
 * results of these are taken. Where nothing is joined, what was made is dropped.
 *
 * So it is with halves that become floats, are compared and chosen, and halves again: these are numbers of both. */
#include "translator/parts.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "translator/patterns.h"
#include "translator/ranges.h"

enum { MADE_MOST = 256, WORD_PARTS = 4, OTHER_OPCODES = 1000 };

/* Of a vector: its bytes or half words are those at `at` of each word of another vector, or, where that has conditions,
 * they hold for these. Words are parts with zeros before them. */
struct part {
    LLVMValueRef whole; /* bytes, half words or conditions; NULL: not known */
    uint8_t size, at;   /* a size of ranges.h, the number of the part */
    bool numbers;       /* floats, or their words, with the numbers of these halves */
    bool quiet;         /* no NaN among them is a signalling one */
};

/* An operation on whole words, and what it made. */
struct made {
    unsigned op;
    LLVMValueRef from[3], result;
};

struct joiner {
    struct ranges ranges;
    struct part *parts; /* by the places in the table of ranges */
    LLVMBuilderRef b;
    LLVMContextRef context;
    bool halves;
    struct made made[MADE_MOST]; /* in the block */
    unsigned nmade;
};

static unsigned parts_of_word(unsigned size) { return 32 / range_width(size); }

static LLVMTypeRef bits_type(const struct joiner *j, unsigned size)
{
    return LLVMVectorType(LLVMIntTypeInContext(j->context, range_width(size)), RANGE_LANES * parts_of_word(size));
}

static LLVMTypeRef halves_type(const struct joiner *j)
{
    return LLVMVectorType(LLVMHalfTypeInContext(j->context), 2 * RANGE_LANES);
}

static unsigned element_width(LLVMValueRef v)
{
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(v));
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(type);
    case LLVMHalfTypeKind: return 16;
    case LLVMFloatTypeKind: return 32;
    default: return 64;
    }
}

static struct part *part_of(const struct joiner *j, LLVMValueRef v)
{
    return &j->parts[ranges_find(&j->ranges, v) - j->ranges.known];
}

/* ---- constants ---- */

/* The half with the number of a float. False: there is none. */
static bool half_of_float(const struct joiner *j, double number, uint64_t *bits)
{
    LLVMBool loses;
    LLVMValueRef half = LLVMConstReal(LLVMHalfTypeInContext(j->context), number);
    if (LLVMConstRealGetDouble(half, &loses) != number) return false;
    *bits = LLVMConstIntGetZExtValue(LLVMConstBitCast(half, LLVMInt16TypeInContext(j->context)));
    return true;
}

/* The bits of a part that is `element` of a constant. */
static bool constant_bits(const struct joiner *j, LLVMValueRef element, bool numbers, uint64_t *bits)
{
    LLVMTypeRef single = LLVMFloatTypeInContext(j->context);
    LLVMBool loses;
    if (!element || (!LLVMIsAConstantInt(element) && !LLVMIsAConstantFP(element))) return false;
    if (numbers) {
        LLVMValueRef word = LLVMConstBitCast(element, LLVMInt32TypeInContext(j->context));
        *bits = 0x7e00; /* the canonical NaN */
        if (LLVMIsAConstantInt(word) && LLVMConstIntGetZExtValue(word) == 0x7fc00000) return true;
        element = LLVMConstBitCast(word, single);
        return LLVMIsAConstantFP(element) && half_of_float(j, LLVMConstRealGetDouble(element, &loses), bits);
    }
    if (LLVMIsAConstantFP(element)) {
        if (LLVMGetTypeKind(LLVMTypeOf(element)) != LLVMHalfTypeKind) return false;
        element = LLVMConstBitCast(element, LLVMInt16TypeInContext(j->context));
    }
    *bits = LLVMConstIntGetZExtValue(element);
    return true;
}

/* The same constant for all parts; NULL: it is not known. `bits` of each element count. */
static LLVMValueRef whole_constant(const struct joiner *j, LLVMValueRef v, const struct part *like, unsigned bits)
{
    LLVMValueRef all[WORD_PARTS * RANGE_LANES];
    const unsigned n = parts_of_word(like->size);
    for (unsigned i = 0; i < RANGE_LANES; i++) {
        uint64_t number;
        if (!constant_bits(j, LLVMGetAggregateElement(v, i), like->numbers, &number)) return NULL;
        LLVMValueRef part = LLVMConstInt(LLVMIntTypeInContext(j->context, bits), number & ((1u << bits) - 1), false);
        for (unsigned k = 0; k < n; k++) all[i * n + k] = part;
    }
    return LLVMConstVector(all, RANGE_LANES * n);
}

/* ---- operations on whole words ---- */

/* What the block has made of the same, or else room for it. */
static struct made *find_made(struct joiner *j, unsigned op, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    unsigned i = 0;
    const struct made made = {op, {a, b, c}, NULL};
    while (i < j->nmade && (j->made[i].op != op || memcmp(j->made[i].from, made.from, sizeof made.from))) i++;
    if (i < j->nmade) return &j->made[i];
    if (i == MADE_MOST) i = j->nmade = 0; /* forget them */
    j->nmade = i + 1;
    j->made[i] = made;
    return &j->made[i];
}

/* A vector of words as bytes or half words. */
static LLVMValueRef as_parts(struct joiner *j, LLVMValueRef words, unsigned size)
{
    LLVMValueRef from = behind_casts(words);
    struct made *m = find_made(j, OTHER_OPCODES + size, from, NULL, NULL);
    if (!m->result) m->result = LLVMBuildBitCast(j->b, from, bits_type(j, size), "");
    return m->result;
}

static LLVMValueRef whole_operation(struct joiner *j, LLVMOpcode op, LLVMValueRef a, LLVMValueRef b)
{
    struct made *m = find_made(j, op, a, b, NULL);
    if (!m->result) m->result = LLVMBuildBinOp(j->b, op, a, b, "");
    return m->result;
}

static LLVMValueRef whole_choice(struct joiner *j, LLVMValueRef c, LLVMValueRef a, LLVMValueRef b)
{
    struct made *m = find_made(j, LLVMSelect, c, a, b);
    if (!m->result) m->result = LLVMBuildSelect(j->b, c, a, b, "");
    return m->result;
}

static LLVMValueRef whole_minimum(struct joiner *j, enum minimum least, LLVMValueRef a, LLVMValueRef b)
{
    struct made *made = find_made(j, OTHER_OPCODES + 10 + least, a, b, NULL);
    if (!made->result) made->result = minimum_build(j->b, least, a, b);
    return made->result;
}

static LLVMValueRef whole_comparison(struct joiner *j, LLVMIntPredicate p, LLVMValueRef a, LLVMValueRef b)
{
    struct made *m = find_made(j, OTHER_OPCODES + 100 + p, a, b, NULL);
    if (!m->result) m->result = LLVMBuildICmp(j->b, p, a, b, "");
    return m->result;
}

static LLVMValueRef whole_numbers_comparison(struct joiner *j, LLVMRealPredicate p, LLVMValueRef a, LLVMValueRef b)
{
    struct made *m = find_made(j, OTHER_OPCODES + 200 + p, a, b, NULL);
    LLVMTypeRef type = halves_type(j);
    if (!m->result)
        m->result =
            LLVMBuildFCmp(j->b, p, LLVMBuildBitCast(j->b, a, type, ""), LLVMBuildBitCast(j->b, b, type, ""), "");
    return m->result;
}

static LLVMValueRef splat(const struct joiner *j, unsigned size, uint64_t number)
{
    LLVMValueRef all[WORD_PARTS * RANGE_LANES];
    const unsigned n = RANGE_LANES * parts_of_word(size);
    for (unsigned i = 0; i < n; i++)
        all[i] = LLVMConstInt(LLVMIntTypeInContext(j->context, range_width(size)), number, false);
    return LLVMConstVector(all, n);
}

/* ---- parts ---- */

/* Is v the same number in all lanes? */
static bool is_splat(LLVMValueRef v, uint64_t *number)
{
    const struct range r = LLVMIsConstant(v) ? range_of_constant(v) : range_any;
    *number = (uint32_t)r.low;
    return r.low == r.high;
}

/* Bits of each word, from `from` on: those of `mask`. */
static struct part bits_of_words(struct joiner *j, LLVMValueRef words, uint64_t from, uint64_t mask)
{
    struct part p = {.size = mask >> (8 - from % 8) ? RANGE_HALVES : RANGE_BYTES};
    const unsigned width = range_width(p.size), shift = (unsigned)from % width;
    if (from > 31 || mask >> (width - shift)) return p;
    p.at = (uint8_t)(from / width);
    p.whole = as_parts(j, words, p.size);
    if (shift) p.whole = whole_operation(j, LLVMLShr, p.whole, splat(j, p.size, shift));
    if (mask != (1ull << (width - shift)) - 1) p.whole = whole_operation(j, LLVMAnd, p.whole, splat(j, p.size, mask));
    return p;
}

/* What a mask or a shift takes of words. */
static struct part taken_part(struct joiner *j, LLVMValueRef v)
{
    uint64_t by, mask;
    if (is(v, LLVMAnd) && is_splat(LLVMGetOperand(v, 1), &mask)) {
        LLVMValueRef from = LLVMGetOperand(v, 0);
        const bool shifted = is(from, LLVMLShr) && is_splat(LLVMGetOperand(from, 1), &by);
        return bits_of_words(j, shifted ? LLVMGetOperand(from, 0) : from, shifted ? by : 0, mask);
    }
    if (is(v, LLVMLShr) && is_splat(LLVMGetOperand(v, 1), &by) && by >= 16 && by < 32)
        return bits_of_words(j, LLVMGetOperand(v, 0), by, UINT32_MAX >> by);
    return (struct part){0};
}

/* Do both operands from `first` on belong to the same part, or to all as constants do? `bits` of constants count, those
 * of the part if it is 0. */
static bool are_same_part(struct joiner *j, LLVMValueRef v, unsigned first, unsigned bits, struct part *p,
                          LLVMValueRef whole[2])
{
    const struct part none = {0}, *other[2];
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef operand = LLVMGetOperand(v, first + i);
        other[i] = LLVMIsConstant(operand) ? &none : part_of(j, operand);
        if (!LLVMIsConstant(operand) && !other[i]->whole) return false;
    }
    const struct part *a = other[0]->whole ? other[0] : other[1], *b = other[1]->whole ? other[1] : a;
    if (!a->whole || a->size != b->size || a->at != b->at || a->numbers != b->numbers) return false;
    *p = *a;
    p->quiet = (other[0] == &none || other[0]->quiet) && (other[1] == &none || other[1]->quiet);
    for (unsigned i = 0; i < 2; i++) {
        whole[i] = other[i]->whole;
        if (!whole[i])
            whole[i] = whole_constant(j, LLVMGetOperand(v, first + i), a, bits ? bits : range_width(a->size));
        if (!whole[i]) return false;
    }
    return LLVMTypeOf(whole[0]) == LLVMTypeOf(whole[1]);
}

/* Is what a word holds no more than its part, if it is a constant? */
static bool fits_part(LLVMValueRef v, const struct joiner *j, unsigned size)
{
    return !LLVMIsConstant(v) || LLVMTypeOf(v) != j->ranges.wide || range_fits(range_of_constant(v), size);
}

static struct part operation_part(struct joiner *j, LLVMValueRef v)
{
    struct part p;
    LLVMValueRef whole[2];
    const LLVMOpcode op = LLVMGetInstructionOpcode(v);
    const bool words = LLVMTypeOf(v) == j->ranges.wide, bit = element_width(v) == 1;
    const bool shift = op == LLVMShl || op == LLVMLShr;
    if (op != LLVMAdd && op != LLVMSub && op != LLVMAnd && op != LLVMOr && op != LLVMXor && op != LLVMMul && !shift)
        return (struct part){0};
    if (!are_same_part(j, v, 0, bit ? 1 : 0, &p, whole) || p.numbers) return (struct part){0};
    if (words && !range_fits(ranges_of(&j->ranges, v), p.size)) return (struct part){0};
    if (shift || (op == LLVMMul && p.size == RANGE_BYTES)) {
        uint64_t by;
        if (op == LLVMMul || !is_splat(LLVMGetOperand(v, 1), &by) || by >= range_width(p.size)) return (struct part){0};
    }
    p.whole = whole_operation(j, op, whole[0], whole[1]);
    return p;
}

/* Does the choice take a number only if it is one? */
static bool chooses_numbers(struct joiner *j, LLVMValueRef choice, LLVMValueRef numbers)
{
    LLVMValueRef test = LLVMGetOperand(choice, 0);
    if (!LLVMIsAFCmpInst(test) || LLVMGetFCmpPredicate(test) != LLVMRealORD) return false;
    LLVMValueRef right = LLVMGetOperand(test, 1), left = LLVMGetOperand(test, 0);
    return LLVMIsConstant(right) && LLVMIsNull(right) && !LLVMIsConstant(left) && part_of(j, left)->whole == numbers;
}

/* The arms of a choice; two constants are of the part that is asked for. */
static bool are_arms(struct joiner *j, LLVMValueRef v, const struct part *condition, struct part *p,
                     LLVMValueRef whole[2])
{
    LLVMValueRef arms[] = {LLVMGetOperand(v, 1), LLVMGetOperand(v, 2)};
    const unsigned width = element_width(v) == 1 ? 1 : range_width(condition->size);
    if (!LLVMIsConstant(arms[0]) || !LLVMIsConstant(arms[1])) {
        if (!are_same_part(j, v, 1, width == 1, p, whole)) return false;
    } else {
        const bool floats = LLVMGetTypeKind(LLVMGetElementType(LLVMTypeOf(v))) == LLVMFloatTypeKind;
        *p = (struct part){.size = condition->size, .at = condition->at, .numbers = floats, .quiet = true};
        for (unsigned i = 0; i < 2; i++) whole[i] = whole_constant(j, arms[i], p, width);
    }
    if (!whole[0] || !whole[1] || condition->size != p->size || condition->at != p->at) return false;
    return p->numbers || (fits_part(arms[0], j, p->size) && fits_part(arms[1], j, p->size));
}

static struct part choice_part(struct joiner *j, LLVMValueRef v)
{
    struct part p;
    LLVMValueRef whole[2], condition = LLVMGetOperand(v, 0), first = LLVMGetOperand(v, 1);
    const struct part *c = LLVMIsConstant(condition) ? NULL : part_of(j, condition);
    if (!c || !c->whole || !are_arms(j, v, c, &p, whole)) return (struct part){0};
    if (!LLVMIsConstant(first) && chooses_numbers(j, v, part_of(j, first)->whole)) {
        LLVMValueRef other = LLVMGetOperand(v, 2);
        p.quiet |= LLVMIsConstant(other) || part_of(j, other)->quiet;
    }
    p.whole = whole_choice(j, c->whole, whole[0], whole[1]);
    return p;
}

static struct part minimum_part(struct joiner *j, LLVMValueRef v, enum minimum m)
{
    struct part p;
    LLVMValueRef whole[2];
    if (!are_same_part(j, v, 0, 0, &p, whole) || p.numbers) return (struct part){0};
    if (!fits_part(LLVMGetOperand(v, 0), j, p.size) || !fits_part(LLVMGetOperand(v, 1), j, p.size))
        return (struct part){0};
    if (LLVMTypeOf(v) == j->ranges.wide) m = m == SMIN || m == UMIN ? UMIN : UMAX;
    p.whole = whole_minimum(j, m, whole[0], whole[1]);
    return p;
}

/* Comparisons of the highest bytes by what is below them: `x > 0x9fffffff`. */
static struct part highest_comparison(struct joiner *j, LLVMValueRef v)
{
    uint64_t with;
    const LLVMIntPredicate p = LLVMGetICmpPredicate(v);
    LLVMValueRef words = LLVMGetOperand(v, 0);
    if (LLVMTypeOf(words) != j->ranges.wide || !is_splat(LLVMGetOperand(v, 1), &with)) return (struct part){0};
    if (!(p == LLVMIntUGT && (with & 0xffffff) == 0xffffff) && !(p == LLVMIntULT && !(with & 0xffffff)))
        return (struct part){0};
    struct part part = {.size = RANGE_BYTES, .at = 3};
    part.whole = whole_comparison(j, p, as_parts(j, words, RANGE_BYTES), splat(j, RANGE_BYTES, with >> 24));
    return part;
}

static struct part comparison_part(struct joiner *j, LLVMValueRef v)
{
    struct part p;
    LLVMValueRef whole[2];
    LLVMIntPredicate how = LLVMGetICmpPredicate(v);
    if (!are_same_part(j, v, 0, 0, &p, whole)) return highest_comparison(j, v);
    if (p.numbers || element_width(LLVMGetOperand(v, 0)) == 1) return (struct part){0};
    if (!fits_part(LLVMGetOperand(v, 0), j, p.size) || !fits_part(LLVMGetOperand(v, 1), j, p.size))
        return (struct part){0};
    if (LLVMTypeOf(LLVMGetOperand(v, 0)) == j->ranges.wide) how = unsigned_predicate(how);
    p.whole = whole_comparison(j, how, whole[0], whole[1]);
    return p;
}

/* Of halves, or of floats that are numbers of such. */
static struct part numbers_comparison(struct joiner *j, LLVMValueRef v)
{
    struct part p;
    LLVMValueRef whole[2];
    const LLVMTypeKind kind = LLVMGetTypeKind(LLVMGetElementType(LLVMTypeOf(LLVMGetOperand(v, 0))));
    if (!j->halves || !are_same_part(j, v, 0, 0, &p, whole)) return (struct part){0};
    if (p.size != RANGE_HALVES || p.numbers != (kind == LLVMFloatTypeKind)) return (struct part){0};
    p.numbers = false;
    p.whole = whole_numbers_comparison(j, LLVMGetFCmpPredicate(v), whole[0], whole[1]);
    return p;
}

static struct part cast_part(struct joiner *j, LLVMValueRef v, LLVMOpcode op)
{
    LLVMValueRef from = LLVMGetOperand(v, 0);
    struct part p = LLVMIsConstant(from) ? (struct part){0} : *part_of(j, from);
    const unsigned to = element_width(v);
    if (op == LLVMTrunc && LLVMTypeOf(from) == j->ranges.wide && (to == 8 || to == 16)) {
        if (p.whole && !p.numbers && range_width(p.size) == to) return p;
        uint64_t by;
        const bool shifted = is(from, LLVMLShr) && is_splat(LLVMGetOperand(from, 1), &by) && by % to == 0 && by < 32;
        p = (struct part){.size = to == 8 ? RANGE_BYTES : RANGE_HALVES, .at = shifted ? (uint8_t)(by / to) : 0};
        p.whole = as_parts(j, shifted ? LLVMGetOperand(from, 0) : from, p.size);
        return p;
    }
    if (!p.whole) return (struct part){0};
    if (element_width(from) == 1) {
        if (op != LLVMZExt) return (struct part){0};
        p.whole = whole_choice(j, p.whole, splat(j, p.size, 1), splat(j, p.size, 0));
        return p;
    }
    if (op == LLVMZExt && LLVMTypeOf(v) == j->ranges.wide && !p.numbers) return p;
    if (op == LLVMBitCast && LLVMGetVectorSize(LLVMTypeOf(v)) == RANGE_LANES) return p;
    if (!j->halves || p.size != RANGE_HALVES) return (struct part){0};
    if (op == LLVMFPExt && to == 32 && !p.numbers) {
        p.numbers = true, p.quiet = false;
        return p;
    }
    if (op != LLVMFPTrunc || to != 16 || !p.numbers || !p.quiet) return (struct part){0};
    p.numbers = false;
    return p;
}

/* Is this `x >> 16 & 255`, whose shift alone would be a half word? */
static bool is_byte_of_words(const struct joiner *j, LLVMValueRef v)
{
    LLVMValueRef from = is(v, LLVMAnd) ? LLVMGetOperand(v, 0) : NULL;
    if (!from || !is(from, LLVMLShr) || LLVMIsConstant(LLVMGetOperand(from, 0))) return false;
    return LLVMTypeOf(v) == j->ranges.wide && !part_of(j, LLVMGetOperand(from, 0))->whole;
}

/* The part of words that an instruction makes. */
static struct part part_of_result(struct joiner *j, LLVMValueRef v)
{
    const LLVMOpcode op = LLVMGetInstructionOpcode(v);
    const enum minimum m = minimum_of(v);
    if (m) return minimum_part(j, v, m);
    if (LLVMIsACastInst(v)) {
        LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(v, 0));
        const bool vector = LLVMGetTypeKind(from) == LLVMVectorTypeKind && LLVMGetVectorSize(from) == RANGE_LANES;
        return vector ? cast_part(j, v, op) : (struct part){0};
    }
    if (op == LLVMSelect) return choice_part(j, v);
    if (op == LLVMICmp) return comparison_part(j, v);
    if (op == LLVMFCmp) return numbers_comparison(j, v);
    const struct part p = is_byte_of_words(j, v) ? taken_part(j, v) : operation_part(j, v);
    return p.whole || LLVMTypeOf(v) != j->ranges.wide ? p : taken_part(j, v);
}

/* ---- words that are joined ---- */

struct join {
    struct part part[WORD_PARTS]; /* from the lowest */
    unsigned count;               /* of all */
};

/* The parts of a word that is shifted by so many bits. */
static bool find_joined(const struct joiner *j, LLVMValueRef v, uint64_t shift, unsigned depth, struct join *all)
{
    uint64_t by;
    if (LLVMIsConstant(v)) return false;
    const struct part *p = part_of(j, v);
    if (p->whole) {
        const unsigned width = range_width(p->size), at = (unsigned)shift / width;
        if (p->numbers || shift % width || shift > 31 || all->part[at].whole) return false;
        if (all->count && all->part[0].size != p->size && all->part[0].whole) return false;
        all->part[at] = *p, all->count++;
        return true;
    }
    if (!depth) return false;
    if (is(v, LLVMShl) && is_splat(LLVMGetOperand(v, 1), &by))
        return find_joined(j, LLVMGetOperand(v, 0), shift + by, depth - 1, all);
    return is(v, LLVMOr) && find_joined(j, LLVMGetOperand(v, 0), shift, depth - 1, all) &&
           find_joined(j, LLVMGetOperand(v, 1), shift, depth - 1, all);
}

/* All parts, of one or two vectors of words. */
static LLVMValueRef join_parts(struct joiner *j, const struct join *all)
{
    const unsigned size = all->part[0].size, n = parts_of_word(size);
    LLVMValueRef order[WORD_PARTS * RANGE_LANES], first = all->part[0].whole, second = NULL;
    bool in_place = true;
    if (!first || all->count != n) return NULL;
    for (unsigned k = 0; k < n; k++) {
        LLVMValueRef whole = all->part[k].whole;
        if (!whole || all->part[k].size != size) return NULL;
        if (whole != first && !second) second = whole;
        if (whole != first && whole != second) return NULL;
        in_place &= whole == first && all->part[k].at == k;
    }
    if (in_place) return first;
    for (unsigned i = 0; i < RANGE_LANES * n; i++) {
        const struct part *p = &all->part[i % n];
        const unsigned from = i / n * n + p->at + (p->whole == first ? 0 : RANGE_LANES * n);
        order[i] = LLVMConstInt(LLVMInt32TypeInContext(j->context), from, false);
    }
    if (!second) second = LLVMGetPoison(LLVMTypeOf(first));
    return LLVMBuildShuffleVector(j->b, first, second, LLVMConstVector(order, RANGE_LANES * n), "");
}

static void join_word(struct joiner *j, LLVMValueRef v)
{
    struct join all = {0};
    if (!is(v, LLVMOr) || LLVMTypeOf(v) != j->ranges.wide || !find_joined(j, v, 0, 4, &all)) return;
    LLVMValueRef whole = join_parts(j, &all);
    if (whole) LLVMReplaceAllUsesWith(v, LLVMBuildBitCast(j->b, whole, j->ranges.wide, ""));
}

static bool is_vector_of_lanes(LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind && LLVMGetVectorSize(type) == RANGE_LANES;
}

/* Words, floats, conditions, or elements of the part's size: others have more bits that would count. */
static bool can_be_part(const struct joiner *j, LLVMValueRef v, const struct part *p)
{
    const unsigned width = element_width(v);
    const bool floats = LLVMGetTypeKind(LLVMGetElementType(LLVMTypeOf(v))) == LLVMFloatTypeKind;
    return LLVMTypeOf(v) == j->ranges.wide || floats || width == 1 || width == range_width(p->size);
}

static void look_at(struct joiner *j, LLVMValueRef v)
{
    if (!is_vector_of_lanes(v)) return;
    ranges_note(&j->ranges, v, LLVMTypeOf(v) == j->ranges.wide ? ranges_of_result(&j->ranges, v) : range_any);
    const bool looked = LLVMIsABinaryOperator(v) || LLVMIsACastInst(v) || LLVMIsACmpInst(v) || LLVMIsASelectInst(v);
    if (!looked && !minimum_of(v)) return;
    LLVMPositionBuilderBefore(j->b, v);
    struct part p = part_of_result(j, v);
    if (!can_be_part(j, v, &p)) p = (struct part){0};
    *part_of(j, v) = p;
    if (!p.whole) join_word(j, v);
}

bool parts_join(LLVMValueRef function, bool halves)
{
    struct joiner *j = calloc(1, sizeof *j);
    bool done = j && ranges_begin(&j->ranges, function);
    if (done) j->parts = calloc(j->ranges.size, sizeof *j->parts);
    if (done && j->parts) {
        j->context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
        j->halves = halves;
        j->b = LLVMCreateBuilderInContext(j->context);
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
            j->nmade = 0;
            for (LLVMValueRef v = LLVMGetFirstInstruction(block), next; v; v = next) {
                next = LLVMGetNextInstruction(v);
                look_at(j, v);
            }
        }
        LLVMDisposeBuilder(j->b);
        ranges_erase_idle(function);
    }
    if (done) free(j->parts), ranges_end(&j->ranges);
    free(j);
    return done;
}
