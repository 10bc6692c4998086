/* Between which numbers the words of a vector lie, as far as operations on bytes, half words and constants tell. */
#include "translator/ranges.h"

#include <stdlib.h>
#include <string.h>

#include "translator/patterns.h"

bool ranges_begin(struct ranges *r, LLVMValueRef function)
{
    size_t count = 0, size = 1024;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef v = LLVMGetFirstInstruction(block); v; v = LLVMGetNextInstruction(v)) count++;
    while (size < 4 * count) size *= 2;
    LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)));
    *r = (struct ranges){calloc(size, sizeof *r->known), size, LLVMVectorType(word, RANGE_LANES)};
    return r->known;
}

void ranges_end(struct ranges *r) { free(r->known); }

struct known *ranges_find(const struct ranges *r, LLVMValueRef v)
{
    size_t at = ((uintptr_t)v >> 4) * 0x9e3779b97f4a7c15u >> 20 & (r->size - 1);
    while (r->known[at].value && r->known[at].value != v) at = (at + 1) & (r->size - 1);
    return &r->known[at];
}

struct known *ranges_note(const struct ranges *r, LLVMValueRef v, struct range range)
{
    struct known *k = ranges_find(r, v);
    k->value = v, k->range = range;
    return k;
}

/* The numbers of a constant vector, from the least to the greatest. */
struct range range_of_constant(LLVMValueRef v)
{
    struct range r = {INT64_MAX, INT64_MIN};
    for (unsigned i = 0; i < RANGE_LANES; i++) {
        LLVMValueRef word = LLVMGetAggregateElement(v, i);
        if (!word || !LLVMIsAConstantInt(word)) return range_any;
        const int64_t number = LLVMConstIntGetSExtValue(word);
        if (number < r.low) r.low = number;
        if (number > r.high) r.high = number;
    }
    return r;
}

struct range ranges_of(const struct ranges *r, LLVMValueRef v)
{
    if (LLVMIsConstant(v)) return range_of_constant(v);
    const struct known *k = ranges_find(r, v);
    return k->value ? k->range : range_any;
}

static struct range within_words(int64_t low, int64_t high)
{
    return low < INT32_MIN || high > INT32_MAX ? range_any : (struct range){low, high};
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* The greatest number with as many bits. */
static int64_t all_bits(int64_t number)
{
    int64_t bits = 0;
    while (bits < number) bits = bits << 1 | 1;
    return bits;
}

static struct range range_of_product(struct range a, struct range b)
{
    const int64_t p[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
    return within_words(least(least(p[0], p[1]), least(p[2], p[3])), most(most(p[0], p[1]), most(p[2], p[3])));
}

static struct range range_of_bits(LLVMOpcode op, struct range a, struct range b)
{
    if (op == LLVMAnd && a.low >= 0 && b.low >= 0) return (struct range){0, least(a.high, b.high)};
    if (op == LLVMAnd && (a.low >= 0 || b.low >= 0)) return (struct range){0, a.low >= 0 ? a.high : b.high};
    if (op == LLVMAnd || a.low < 0 || b.low < 0) return range_any;
    return (struct range){0, all_bits(most(a.high, b.high))};
}

static struct range range_of_shift(LLVMOpcode op, struct range a, struct range by)
{
    if (by.low < 0 || by.high > 31) return range_any;
    if (op == LLVMShl) return range_of_product(a, (struct range){1ll << by.low, 1ll << by.high});
    if (a.low >= 0) return (struct range){a.low >> by.high, a.high >> by.low};
    if (op == LLVMAShr) return (struct range){a.low >> by.low, a.high >> (a.high < 0 ? by.high : by.low)};
    return by.low ? (struct range){0, UINT32_MAX >> by.low} : range_any;
}

/* Of bytes, half words or conditions that are made words. */
static struct range range_of_extension(LLVMValueRef v)
{
    LLVMValueRef from = LLVMGetOperand(v, 0);
    const unsigned bits = LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(from)));
    if (bits > 16) return range_any;
    if (LLVMIsASExtInst(v)) return (struct range){-(1ll << (bits - 1)), (1ll << (bits - 1)) - 1};
    struct range r = {0, (1ll << bits) - 1};
    if (!is(from, LLVMAnd) && !is(from, LLVMLShr)) return r;
    LLVMValueRef by = LLVMGetOperand(from, 1);
    const struct range other = LLVMIsConstant(by) ? range_of_constant(by) : range_any;
    if (other.low < 0) return r;
    return is(from, LLVMAnd) ? range_of_bits(LLVMAnd, r, other) : range_of_shift(LLVMLShr, r, other);
}

enum minimum minimum_of(LLVMValueRef v)
{
    static const char *const names[] = {
        [SMIN] = "llvm.smin.", [SMAX] = "llvm.smax.", [UMIN] = "llvm.umin.", [UMAX] = "llvm.umax."};
    size_t length;
    const char *name = LLVMIsAIntrinsicInst(v) ? LLVMGetValueName2(LLVMGetCalledValue(v), &length) : NULL;
    for (unsigned i = SMIN; name && i <= UMAX; i++)
        if (!strncmp(name, names[i], strlen(names[i]))) return i;
    return NO_MINIMUM;
}

static struct range range_of_minimum(enum minimum m, struct range a, struct range b)
{
    const bool is_signed = m == SMIN || m == SMAX, both = a.low >= 0 && b.low >= 0;
    if (m == UMIN && !both && (a.low >= 0 || b.low >= 0)) return (struct range){0, a.low >= 0 ? a.high : b.high};
    if (!is_signed && !both) return range_any;
    if (m == SMIN || m == UMIN) return (struct range){least(a.low, b.low), least(a.high, b.high)};
    return (struct range){most(a.low, b.low), most(a.high, b.high)};
}

struct range ranges_of_result(const struct ranges *r, LLVMValueRef v)
{
    const enum minimum m = minimum_of(v);
    const unsigned operands = (unsigned)LLVMGetNumOperands(v), first = LLVMIsASelectInst(v) ? 1 : 0;
    const LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (op == LLVMZExt || op == LLVMSExt) return range_of_extension(v);
    if (operands < first + 2) return range_any;
    const struct range a = ranges_of(r, LLVMGetOperand(v, first)), b = ranges_of(r, LLVMGetOperand(v, first + 1));
    if (m) return range_of_minimum(m, a, b);
    switch (op) {
    case LLVMSelect: return (struct range){least(a.low, b.low), most(a.high, b.high)};
    case LLVMAdd: return within_words(a.low + b.low, a.high + b.high);
    case LLVMSub: return within_words(a.low - b.high, a.high - b.low);
    case LLVMMul: return range_of_product(a, b);
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor: return range_of_bits(op, a, b);
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr: return range_of_shift(op, a, b);
    default: return range_any;
    }
}

LLVMValueRef minimum_build(LLVMBuilderRef b, enum minimum m, LLVMValueRef x, LLVMValueRef y)
{
    static const char *const names[] = {
        [SMIN] = "llvm.smin", [SMAX] = "llvm.smax", [UMIN] = "llvm.umin", [UMAX] = "llvm.umax"};
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInsertBlock(b)));
    LLVMValueRef args[] = {x, y};
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(module, LLVMLookupIntrinsicID(names[m], strlen(names[m])), &type, 1);
    return LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, args, 2, "");
}

LLVMIntPredicate unsigned_predicate(LLVMIntPredicate p)
{
    switch (p) {
    case LLVMIntSGT: return LLVMIntUGT;
    case LLVMIntSGE: return LLVMIntUGE;
    case LLVMIntSLT: return LLVMIntULT;
    case LLVMIntSLE: return LLVMIntULE;
    default: return p;
    }
}

static bool is_idle(LLVMValueRef v)
{
    const bool pure = LLVMIsABinaryOperator(v) || LLVMIsASelectInst(v) || LLVMIsACastInst(v) || LLVMIsACmpInst(v);
    return !LLVMGetFirstUse(v) && (pure || minimum_of(v));
}

void ranges_erase_idle(LLVMValueRef function)
{
    for (LLVMBasicBlockRef block = LLVMGetLastBasicBlock(function); block; block = LLVMGetPreviousBasicBlock(block))
        for (LLVMValueRef v = LLVMGetLastInstruction(block), next; v; v = next) {
            next = LLVMGetPreviousInstruction(v);
            if (is_idle(v)) LLVMInstructionEraseFromParent(v);
        }
}
