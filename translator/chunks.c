/* Chunks of bytes or half words, which do not fill a register of the host.
 *
 * A warp is two chunks of 16 lanes, of which words fill a register each, and bytes a quarter. Where both chunks are
 * stored side by side, and the same is done to both, vectors of 32 lanes take their place: from the two stores back to
 * the loads, as far as both do the same. Where they do not, two registers become one by an instruction more, so it is
 * only done where it saves more than that. */
#include "translator/chunks.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "translator/patterns.h"
#include "translator/ranges.h"

enum { PAIRS_MOST = 96 /* a guess */, OPERANDS_MOST = 3 };

enum pair_kind {
    APART,    /* the two are put into one register */
    CONSTANT, /* both are constants */
    LOADS,    /* from adjacent bytes */
    HALVES,   /* of one vector */
    ALIKE     /* the same operation */
};

/* A value of the lower chunk and the one of the upper chunk. */
struct pair {
    enum pair_kind kind;
    LLVMValueRef low, high, joined;
};

struct joiner {
    LLVMBuilderRef b;
    LLVMValueRef stores[2];
    struct pair pairs[PAIRS_MOST]; /* what both stores need, users first */
    unsigned count;
};

/* A chunk of bytes, half words, halves or conditions? */
static bool is_narrow(LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind || LLVMGetVectorSize(type) != RANGE_LANES) return false;
    LLVMTypeRef element = LLVMGetElementType(type);
    if (LLVMGetTypeKind(element) == LLVMHalfTypeKind) return true;
    return LLVMGetTypeKind(element) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(element) <= 16;
}

static LLVMTypeRef type_of_both(LLVMTypeRef type) { return LLVMVectorType(LLVMGetElementType(type), 2 * RANGE_LANES); }

/* ---- memory ---- */

static LLVMValueRef behind_offset(LLVMValueRef pointer, int64_t *offset)
{
    for (*offset = 0; LLVMIsAGetElementPtrInst(pointer); pointer = LLVMGetOperand(pointer, 0)) {
        LLVMValueRef index = LLVMGetOperand(pointer, 1);
        LLVMTypeRef type = LLVMGetGEPSourceElementType(pointer);
        const bool bytes = LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 8;
        if (!bytes || LLVMGetNumOperands(pointer) != 2 || !LLVMIsAConstantInt(index)) break;
        *offset += LLVMConstIntGetSExtValue(index);
    }
    return pointer;
}

/* Is the second address that of the bytes behind the value at the first one? */
static bool are_adjacent(LLVMValueRef a, LLVMValueRef b, LLVMTypeRef type)
{
    int64_t of[2];
    LLVMTypeRef element = LLVMGetElementType(type);
    const bool byte = LLVMGetTypeKind(element) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(element) == 8;
    return behind_offset(a, &of[0]) == behind_offset(b, &of[1]) && of[1] - of[0] == (byte ? 1 : 2) * RANGE_LANES;
}

static bool is_pure(LLVMValueRef v)
{
    return LLVMIsABinaryOperator(v) || LLVMIsAUnaryOperator(v) || LLVMIsACastInst(v) || LLVMIsACmpInst(v) ||
           LLVMIsASelectInst(v) || LLVMIsAGetElementPtrInst(v) || LLVMIsAShuffleVectorInst(v) ||
           LLVMIsAExtractElementInst(v) || LLVMIsAInsertElementInst(v) || minimum_of(v);
}

/* Is nothing between two accesses of a block that could tell whether they are one? */
static bool are_close(LLVMValueRef first, LLVMValueRef second, bool loads)
{
    if (LLVMGetInstructionParent(first) != LLVMGetInstructionParent(second)) return false;
    LLVMValueRef v = LLVMGetNextInstruction(first);
    while (v && v != second && (is_pure(v) || (loads && LLVMIsALoadInst(v)))) v = LLVMGetNextInstruction(v);
    return v == second;
}

static bool are_accesses(LLVMValueRef first, LLVMValueRef second, unsigned pointer, LLVMTypeRef type)
{
    return are_adjacent(LLVMGetOperand(first, pointer), LLVMGetOperand(second, pointer), type) &&
           LLVMGetOrdering(first) == LLVMAtomicOrderingNotAtomic && LLVMGetVolatile(first) == LLVMGetVolatile(second) &&
           LLVMGetElementType(type) != LLVMInt1TypeInContext(LLVMGetTypeContext(type)) &&
           are_close(first, second, LLVMIsALoadInst(first));
}

/* ---- what both chunks compute ---- */

/* The operation of any vector that has one operand type, which is also that of its result. 0: it is none. */
static unsigned vector_intrinsic(LLVMValueRef v)
{
    static const char *const names[] = {"llvm.smin", "llvm.smax", "llvm.umin", "llvm.umax",
                                        "llvm.fma",  "llvm.sqrt", "llvm.fabs", "llvm.ctpop"};
    unsigned id = LLVMIsAIntrinsicInst(v) ? LLVMGetIntrinsicID(LLVMGetCalledValue(v)) : 0;
    for (size_t i = 0; id && i < sizeof names / sizeof *names; i++)
        if (id == LLVMLookupIntrinsicID(names[i], strlen(names[i]))) return id;
    return 0;
}

static unsigned operands_of(LLVMValueRef v) { return (unsigned)LLVMGetNumOperands(v) - (LLVMIsACallInst(v) ? 1 : 0); }

static bool are_alike(const struct joiner *j, LLVMValueRef a, LLVMValueRef b)
{
    if (!LLVMIsAInstruction(a) || !LLVMIsAInstruction(b)) return false;
    const LLVMOpcode op = LLVMGetInstructionOpcode(a);
    const LLVMBasicBlockRef block = LLVMGetInstructionParent(j->stores[0]);
    if (LLVMGetInstructionParent(a) != block || LLVMGetInstructionParent(b) != block) return false;
    if (op != LLVMGetInstructionOpcode(b)) return false;
    const bool known = LLVMIsABinaryOperator(a) || LLVMIsAUnaryOperator(a) || LLVMIsACmpInst(a) || op == LLVMSelect ||
                       op == LLVMZExt || op == LLVMSExt || op == LLVMTrunc || op == LLVMBitCast || vector_intrinsic(a);
    if (!known || (op == LLVMICmp && LLVMGetICmpPredicate(a) != LLVMGetICmpPredicate(b)) ||
        (op == LLVMFCmp && LLVMGetFCmpPredicate(a) != LLVMGetFCmpPredicate(b)) ||
        vector_intrinsic(a) != vector_intrinsic(b))
        return false;
    for (unsigned i = 0; i < operands_of(a); i++) {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(a, i));
        if (!is_narrow(type) || type != LLVMTypeOf(LLVMGetOperand(b, i))) return false;
    }
    return true;
}

/* Is one of them already loaded together with another? */
static bool is_loaded(const struct joiner *j, LLVMValueRef low, LLVMValueRef high)
{
    for (unsigned i = 0; i < j->count; i++)
        if (j->pairs[i].kind == LOADS && (j->pairs[i].low == high || j->pairs[i].high == low)) return true;
    return false;
}

/* Are these 16 lanes, from `first` on, of a vector of 32? */
static bool is_half(LLVMValueRef v, unsigned first)
{
    if (!LLVMIsAShuffleVectorInst(v) || LLVMGetNumMaskElements(v) != RANGE_LANES) return false;
    if (LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(v, 0))) != 2 * RANGE_LANES) return false;
    for (unsigned i = 0; i < RANGE_LANES; i++)
        if (LLVMGetMaskValue(v, i) != (int)(first + i)) return false;
    return true;
}

static bool are_halves(LLVMValueRef low, LLVMValueRef high)
{
    return is_half(low, 0) && is_half(high, RANGE_LANES) && LLVMGetOperand(low, 0) == LLVMGetOperand(high, 0);
}

static enum pair_kind kind_of(const struct joiner *j, LLVMValueRef low, LLVMValueRef high)
{
    if (LLVMIsConstant(low) && LLVMIsConstant(high)) return CONSTANT;
    if (LLVMIsALoadInst(low) && LLVMIsALoadInst(high))
        return are_accesses(low, high, 0, LLVMTypeOf(low)) && !is_loaded(j, low, high) ? LOADS : APART;
    if (are_halves(low, high)) return HALVES;
    return low != high && are_alike(j, low, high) ? ALIKE : APART;
}

static struct pair *find_pair(struct joiner *j, LLVMValueRef low, LLVMValueRef high)
{
    unsigned i = 0;
    while (i < j->count && (j->pairs[i].low != low || j->pairs[i].high != high)) i++;
    return &j->pairs[i];
}

/* Notes a pair and what it is made of. False: there are too many. */
static bool note_pair(struct joiner *j, LLVMValueRef low, LLVMValueRef high)
{
    struct pair *p = find_pair(j, low, high);
    if (p < j->pairs + j->count) return true;
    if (j->count == PAIRS_MOST) return false;
    *p = (struct pair){kind_of(j, low, high), low, high, NULL};
    j->count++;
    for (unsigned i = 0; p->kind == ALIKE && i < operands_of(low); i++)
        if (!note_pair(j, LLVMGetOperand(low, i), LLVMGetOperand(high, i))) return false;
    return true;
}

/* Does nothing but the joined values and stores need it? */
static bool is_own(const struct joiner *j, LLVMValueRef v)
{
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        bool own = user == j->stores[0] || user == j->stores[1];
        for (unsigned i = 0; i < j->count && !own; i++)
            own = j->pairs[i].kind == ALIKE && (j->pairs[i].low == user || j->pairs[i].high == user);
        if (!own) return false;
    }
    return true;
}

/* Instructions that are saved. */
static int saved(const struct joiner *j)
{
    int all = 1; /* of two stores */
    for (unsigned i = 0; i < j->count; i++) {
        const struct pair *p = &j->pairs[i];
        if (p->kind == APART) all--;
        else if (p->kind != CONSTANT) all += is_own(j, p->low) && is_own(j, p->high) ? 1 : -1;
    }
    return all;
}

/* ---- vectors of both chunks ---- */

static LLVMValueRef lanes_from(const struct joiner *j, unsigned first, unsigned count)
{
    LLVMValueRef all[2 * RANGE_LANES];
    LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(j->pairs[0].low)));
    for (unsigned i = 0; i < count; i++) all[i] = LLVMConstInt(word, first + i, false);
    return LLVMConstVector(all, count);
}

/* A chunk of what is now loaded together, for those who need it alone. */
static void take_chunk(struct joiner *j, LLVMValueRef load, LLVMValueRef both, unsigned first)
{
    LLVMValueRef lanes = lanes_from(j, first, RANGE_LANES);
    LLVMValueRef chunk = LLVMBuildShuffleVector(j->b, both, LLVMGetPoison(LLVMTypeOf(both)), lanes, "");
    LLVMReplaceAllUsesWith(load, chunk);
    for (unsigned i = 0; i < j->count; i++) {
        struct pair *p = &j->pairs[i];
        p->low = p->low == load ? chunk : p->low;
        p->high = p->high == load ? chunk : p->high;
    }
    LLVMInstructionEraseFromParent(load);
}

/* Loads once, at the place of the first. */
static void load_both(struct joiner *j, struct pair *p)
{
    LLVMValueRef low = p->low, high = p->high, from = LLVMGetOperand(low, 0);
    LLVMPositionBuilderBefore(j->b, low);
    p->joined = LLVMBuildLoad2(j->b, type_of_both(LLVMTypeOf(low)), from, "");
    LLVMSetVolatile(p->joined, LLVMGetVolatile(low));
    LLVMSetAlignment(p->joined, LLVMGetAlignment(low));
    take_chunk(j, high, p->joined, RANGE_LANES);
    take_chunk(j, low, p->joined, 0);
}

static LLVMValueRef join(struct joiner *j, struct pair *p);

static LLVMValueRef operation_of_both(struct joiner *j, const struct pair *p)
{
    LLVMValueRef from[OPERANDS_MOST];
    const LLVMOpcode op = LLVMGetInstructionOpcode(p->low);
    LLVMTypeRef type = type_of_both(LLVMTypeOf(p->low));
    for (unsigned i = 0; i < operands_of(p->low); i++)
        from[i] = join(j, find_pair(j, LLVMGetOperand(p->low, i), LLVMGetOperand(p->high, i)));
    LLVMPositionBuilderBefore(j->b, j->stores[1]);
    if (op == LLVMCall) {
        LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInsertBlock(j->b)));
        LLVMValueRef f = LLVMGetIntrinsicDeclaration(module, vector_intrinsic(p->low), &type, 1);
        return LLVMBuildCall2(j->b, LLVMGlobalGetValueType(f), f, from, operands_of(p->low), "");
    }
    if (op == LLVMSelect) return LLVMBuildSelect(j->b, from[0], from[1], from[2], "");
    if (op == LLVMICmp) return LLVMBuildICmp(j->b, LLVMGetICmpPredicate(p->low), from[0], from[1], "");
    if (op == LLVMFCmp) return LLVMBuildFCmp(j->b, LLVMGetFCmpPredicate(p->low), from[0], from[1], "");
    if (op == LLVMFNeg) return LLVMBuildFNeg(j->b, from[0], "");
    if (LLVMIsACastInst(p->low)) return LLVMBuildCast(j->b, op, from[0], type, "");
    return LLVMBuildBinOp(j->b, op, from[0], from[1], "");
}

static LLVMValueRef join(struct joiner *j, struct pair *p)
{
    if (p->joined) return p->joined;
    if (p->kind == ALIKE) return p->joined = operation_of_both(j, p);
    if (p->kind == HALVES) return p->joined = LLVMGetOperand(p->low, 0);
    LLVMPositionBuilderBefore(j->b, j->stores[1]);
    return p->joined = LLVMBuildShuffleVector(j->b, p->low, p->high, lanes_from(j, 0, 2 * RANGE_LANES), "");
}

static void store_both(struct joiner *j)
{
    for (unsigned i = 0; i < j->count; i++)
        if (j->pairs[i].kind == LOADS) load_both(j, &j->pairs[i]);
    LLVMValueRef both = join(j, &j->pairs[0]);
    LLVMPositionBuilderBefore(j->b, j->stores[1]);
    LLVMValueRef store = LLVMBuildStore(j->b, both, LLVMGetOperand(j->stores[0], 1));
    LLVMSetVolatile(store, LLVMGetVolatile(j->stores[0]));
    LLVMSetAlignment(store, LLVMGetAlignment(j->stores[0]));
}

/* Joins the values of a store and of the next one. True: both are to be erased. */
static bool join_stores(struct joiner *j, LLVMValueRef low, LLVMValueRef high)
{
    LLVMValueRef value = LLVMGetOperand(low, 0), other = LLVMGetOperand(high, 0);
    if (!is_narrow(LLVMTypeOf(value)) || LLVMTypeOf(value) != LLVMTypeOf(other)) return false;
    if (!are_accesses(low, high, 1, LLVMTypeOf(value))) return false;
    j->stores[0] = low, j->stores[1] = high;
    j->count = 0;
    if (!note_pair(j, value, other) || saved(j) <= 0) return false;
    store_both(j);
    return true;
}

/* Joins two loads of chunks that are used as one vector alone. */
static void join_loads(struct joiner *j, LLVMValueRef both)
{
    LLVMValueRef low = LLVMGetOperand(both, 0), high = LLVMGetOperand(both, 1);
    if (!is_narrow(LLVMTypeOf(low)) || LLVMGetNumMaskElements(both) != 2 * RANGE_LANES) return;
    for (unsigned i = 0; i < 2 * RANGE_LANES; i++)
        if (LLVMGetMaskValue(both, i) != (int)i) return;
    if (!LLVMIsALoadInst(low) || !LLVMIsALoadInst(high) || !are_accesses(low, high, 0, LLVMTypeOf(low))) return;
    if (LLVMGetNextUse(LLVMGetFirstUse(low)) || LLVMGetNextUse(LLVMGetFirstUse(high))) return;
    j->count = 1;
    j->pairs[0] = (struct pair){LOADS, low, high, NULL};
    load_both(j, &j->pairs[0]);
    LLVMReplaceAllUsesWith(both, j->pairs[0].joined);
}

/* That or one behind it. */
static LLVMValueRef next_store(LLVMValueRef v)
{
    while (v && !LLVMIsAStoreInst(v)) v = LLVMGetNextInstruction(v);
    return v;
}

void chunks_join(LLVMValueRef function)
{
    struct joiner j = {.b = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)))};
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
        for (LLVMValueRef v = LLVMGetFirstInstruction(block); v; v = LLVMGetNextInstruction(v))
            if (LLVMIsAShuffleVectorInst(v)) join_loads(&j, v);
        LLVMValueRef low = next_store(LLVMGetFirstInstruction(block)), high;
        for (; low && (high = next_store(LLVMGetNextInstruction(low))); low = high) {
            if (!join_stores(&j, low, high)) continue;
            LLVMInstructionEraseFromParent(low);
            low = high, high = next_store(LLVMGetNextInstruction(high));
            LLVMInstructionEraseFromParent(low);
            if (!high) break;
        }
    }
    LLVMDisposeBuilder(j.b);
    ranges_erase_idle(function);
}
