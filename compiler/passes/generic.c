/* Generic pointers: which memory each of them may point to, and what an access through one becomes.
 *
 * An address tells private memory from the other kinds, which the same instructions reach: private addresses are below
 * ABI_LOCAL_BASE. So a conversion between address spaces is no instruction, and an access is a plain one wherever
 * nothing private can be meant; where only the address tells, both are there, behind a branch. Called by prepare.c when
 * everything is inlined. */
#include <llvm-c/DebugInfo.h>

#include "compiler/analysis/analysis.h"
#include "compiler/passes/passes.h"

typedef LLVMValueRef value;

enum { PRIVATE_SPACE = 0, FLAT_SPACE = 1, GENERIC_SPACE = 4 };
enum { PRIVATE = 1, FLAT = 2, UNKNOWN = 4 }; /* what a pointer may point to; UNKNOWN: it comes out of memory */
enum {
    MAX_DEPTH = 16
}; /* of addresses computed from each other, made anew in the other space; a longer chain is cast: a guess */

struct spaces {
    struct func *f;
    uint8_t *possible; /* of each value */
    bool leaks;        /* a private address is stored, or a routine's callers may have: an UNKNOWN one may be it */
    bool changed;
};

/* The address space of a pointer; of anything else none that there is. */
static unsigned space_of(value v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    return LLVMGetTypeKind(type) == LLVMPointerTypeKind ? LLVMGetPointerAddressSpace(type) : ~0u;
}

static LLVMOpcode opcode_of(value v)
{
    if (LLVMIsAInstruction(v)) return LLVMGetInstructionOpcode(v);
    return LLVMIsAConstantExpr(v) ? LLVMGetConstOpcode(v) : (LLVMOpcode)0;
}

/* ---- what a pointer may point to ---- */

static unsigned possible(const struct spaces *s, value v)
{
    if (space_of(v) != GENERIC_SPACE) return space_of(v) == PRIVATE_SPACE ? PRIVATE : FLAT;
    if (LLVMIsUndef(v) || (LLVMIsConstant(v) && LLVMIsNull(v))) return 0;
    if (LLVMIsAConstantExpr(v)) return opcode_of(v) == LLVMIntToPtr ? UNKNOWN : possible(s, LLVMGetOperand(v, 0));
    uint32_t n = value_of(s->f, v);
    return n == NO_NODE ? UNKNOWN : s->possible[n];
}

static unsigned possible_result(const struct spaces *s, value inst)
{
    unsigned all = 0;
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMGetElementPtr:
    case LLVMAddrSpaceCast:
    case LLVMFreeze: return possible(s, LLVMGetOperand(inst, 0));
    case LLVMSelect: return possible(s, LLVMGetOperand(inst, 1)) | possible(s, LLVMGetOperand(inst, 2));
    case LLVMPHI:
        for (unsigned i = 0; i < LLVMCountIncoming(inst); i++) all |= possible(s, LLVMGetIncomingValue(inst, i));
        return all;
    default: return UNKNOWN;
    }
}

/* Does the instruction keep a pointer, its operand i, where this file does not follow it? */
static bool lets_go(value inst, unsigned i)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMLoad:
    case LLVMGetElementPtr:
    case LLVMAddrSpaceCast:
    case LLVMFreeze:
    case LLVMSelect:
    case LLVMPHI:
    case LLVMICmp: return false;
    case LLVMStore: return i == 0;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg: return i > 0;
    case LLVMCall: return !LLVMGetIntrinsicID(LLVMGetCalledValue(inst));
    default: return true;
    }
}

static bool is_leak(const struct spaces *s, value inst)
{
    for (int i = 0; i < LLVMGetNumOperands(inst); i++) {
        value v = LLVMGetOperand(inst, (unsigned)i);
        bool pointer = !LLVMIsAFunction(v) && (space_of(v) == PRIVATE_SPACE || space_of(v) == GENERIC_SPACE);
        if (pointer && (possible(s, v) & PRIVATE) && lets_go(inst, (unsigned)i)) return true;
    }
    return false;
}

static void find_possible(struct spaces *s)
{
    const struct func *f = s->f;
    for (uint32_t i = 0; i < f->nparams; i++) s->possible[i] = UNKNOWN;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = f->nparams; i < f->nvalues; i++) {
            if (space_of(f->values[i].ref) != GENERIC_SPACE) continue;
            unsigned all = possible_result(s, f->values[i].ref);
            changed |= all != s->possible[i];
            s->possible[i] = (uint8_t)all;
        }
    }
    for (uint32_t i = f->nparams; i < f->nvalues && !s->leaks; i++) s->leaks = is_leak(s, f->values[i].ref);
}

/* ---- accesses whose memory is known ---- */

/* The same address in another space, made from what the generic pointer was made of; for the instruction `at`. */
static value in_space(const struct spaces *s, value p, bool is_private, value at, unsigned depth)
{
    LLVMBuilderRef b = s->f->cc->builder;
    value from = opcode_of(p) ? LLVMGetOperand(p, 0) : NULL;
    if (opcode_of(p) == LLVMAddrSpaceCast && (space_of(from) == PRIVATE_SPACE) == is_private) return from;
    if (!LLVMIsAGetElementPtrInst(p) || depth == MAX_DEPTH) {
        unsigned space = is_private ? PRIVATE_SPACE : FLAT_SPACE;
        LLVMPositionBuilderBefore(b, at);
        return LLVMBuildAddrSpaceCast(b, p, LLVMPointerTypeInContext(s->f->cc->context, space), "");
    }
    unsigned n = (unsigned)LLVMGetNumOperands(p) - 1;
    value *indices = cc_alloc(s->f->cc, n * sizeof *indices), base = in_space(s, from, is_private, p, depth + 1);
    for (unsigned i = 0; i < n; i++) indices[i] = LLVMGetOperand(p, i + 1);
    LLVMPositionBuilderBefore(b, p);
    value gep = LLVMBuildGEP2(b, LLVMGetGEPSourceElementType(p), base, indices, n, "");
    if (LLVMIsAGetElementPtrInst(gep)) LLVMSetIsInBounds(gep, LLVMIsInBounds(p));
    return gep;
}

/* A pointer of the instruction as one of a space, or itself where only the address tells which. */
static value resolved(const struct spaces *s, value inst, unsigned operand, bool may_be_private)
{
    value p = LLVMGetOperand(inst, operand);
    if (space_of(p) != GENERIC_SPACE) return p;
    unsigned all = may_be_private ? possible(s, p) : FLAT;
    if (all == PRIVATE) return in_space(s, p, true, inst, 0);
    bool flat = !(all & PRIVATE) && !(s->leaks && (all & UNKNOWN));
    return flat ? in_space(s, p, false, inst, 0) : p;
}

/* Copies and fills; what is left of them is lower.c's. */
static void resolve_move(const struct spaces *s, value call)
{
    LLVMBuilderRef b = s->f->cc->builder;
    unsigned kind = LLVMGetEnumAttributeKindForName("align", 5), align[2] = {1, 1};
    value to = LLVMGetOperand(call, 0), what = LLVMGetOperand(call, 1), size = LLVMGetOperand(call, 2);
    bool set = LLVMIsAMemSetInst(call);
    value new_to = resolved(s, call, 0, true), new_what = set ? what : resolved(s, call, 1, true);
    if (new_to == to && new_what == what) return;
    LLVMPositionBuilderBefore(b, call);
    for (unsigned i = 0; i < 2; i++) {
        LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(call, i + 1, kind);
        if (a) align[i] = (unsigned)LLVMGetEnumAttributeValue(a);
    }
    if (set) LLVMBuildMemSet(b, new_to, what, size, align[0]);
    else if (LLVMIsAMemCpyInst(call)) LLVMBuildMemCpy(b, new_to, align[0], new_what, align[1], size);
    else LLVMBuildMemMove(b, new_to, align[0], new_what, align[1], size);
    LLVMInstructionEraseFromParent(call);
}

/* ---- accesses whose address tells ---- */

/* Ends the function's block with the access `inst` through its first parameter, as a pointer of the space. */
static void access_in_space(struct cc *cc, value function, LLVMBasicBlockRef block, value inst, unsigned space)
{
    value access = LLVMInstructionClone(inst), p = LLVMGetParam(function, 0);
    LLVMPositionBuilderAtEnd(cc->builder, block);
    LLVMInstructionSetDebugLoc(access, NULL); /* it gets the call's */
    p = LLVMBuildAddrSpaceCast(cc->builder, p, LLVMPointerTypeInContext(cc->context, space), "");
    LLVMInsertIntoBuilder(cc->builder, access);
    if (LLVMIsAStoreInst(inst)) {
        LLVMSetOperand(access, 0, LLVMGetParam(function, 1));
        LLVMSetOperand(access, 1, p);
        LLVMBuildRetVoid(cc->builder);
    } else {
        LLVMSetOperand(access, 0, p);
        LLVMBuildRet(cc->builder, access);
    }
}

/* A function that does what the load or store does, by the address; to be inlined. */
static value access_function(struct cc *cc, value inst, LLVMTypeRef type)
{
    LLVMTypeRef word = LLVMInt32TypeInContext(cc->context);
    value function = LLVMAddFunction(cc->module, "__ventus_generic", type);
    LLVMBasicBlockRef block[3];
    for (unsigned i = 0; i < 3; i++) block[i] = LLVMAppendBasicBlockInContext(cc->context, function, "");
    LLVMPositionBuilderAtEnd(cc->builder, block[0]);
    LLVMSetCurrentDebugLocation2(cc->builder, NULL);
    value address = LLVMBuildPtrToInt(cc->builder, LLVMGetParam(function, 0), word, "");
    value is_private = LLVMBuildICmp(cc->builder, LLVMIntULT, address, LLVMConstInt(word, ABI_LOCAL_BASE, false), "");
    LLVMBuildCondBr(cc->builder, is_private, block[1], block[2]);
    access_in_space(cc, function, block[1], inst, PRIVATE_SPACE);
    access_in_space(cc, function, block[2], inst, FLAT_SPACE);
    shape_function(cc, function);
    return function;
}

static void branch(struct cc *cc, value inst)
{
    bool store = LLVMIsAStoreInst(inst);
    value args[2] = {LLVMGetOperand(inst, store ? 1 : 0), LLVMGetOperand(inst, 0)};
    LLVMTypeRef types[2] = {LLVMTypeOf(args[0]), LLVMTypeOf(args[1])};
    LLVMTypeRef type = LLVMFunctionType(LLVMTypeOf(inst), types, store ? 2 : 1, false);
    value function = access_function(cc, inst, type);
    LLVMPositionBuilderBefore(cc->builder, inst);
    value call = LLVMBuildCall2(cc->builder, type, function, args, store ? 2 : 1, "");
    if (!store) LLVMReplaceAllUsesWith(inst, call);
    LLVMInstructionEraseFromParent(inst);
}

/* ---- all of a function ---- */

static void lower_access(struct spaces *s, value inst, unsigned operand, bool may_be_private)
{
    value p = LLVMGetOperand(inst, operand);
    if (space_of(p) != GENERIC_SPACE) return;
    value q = resolved(s, inst, operand, may_be_private);
    if (q == p) branch(s->f->cc, inst);
    else LLVMSetOperand(inst, operand, q);
    s->changed = true;
}

/* Atomic operations on private memory are undefined. */
static void lower(struct spaces *s, value inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMLoad: lower_access(s, inst, 0, true); break;
    case LLVMStore: lower_access(s, inst, 1, true); break;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg: lower_access(s, inst, 0, false); break;
    case LLVMCall:
        if (LLVMIsAMemIntrinsic(inst)) resolve_move(s, inst);
        break;
    default: break;
    }
}

static bool has_generic(value function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (value i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            for (int k = 0; k < LLVMGetNumOperands(i); k++)
                if (space_of(LLVMGetOperand(i, (unsigned)k)) == GENERIC_SPACE) return true;
    return false;
}

static bool lower_function(struct cc *cc, value function)
{
    struct kernel kernel = {.name = LLVMGetValueName(function), .function = function};
    struct func f = {.cc = cc, .kernel = &kernel, .data = LLVMGetModuleDataLayout(cc->module)};
    flow_number(&f);
    struct spaces s = {.f = &f, .possible = cc_alloc(cc, f.nvalues + 1), .leaks = !kernel_is(function)};
    find_possible(&s);
    for (uint32_t i = f.nparams; i < f.nvalues; i++) lower(&s, f.values[i].ref);
    return s.changed;
}

bool generic_is_used(struct cc *cc)
{
    for (value f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f))
        if ((kernel_is(f) || is_routine(f)) && has_generic(f)) return true;
    return false;
}

bool generic_lower(struct cc *cc)
{
    bool changed = false;
    for (value f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f))
        if ((kernel_is(f) || is_routine(f)) && has_generic(f)) changed |= lower_function(cc, f);
    return changed;
}
