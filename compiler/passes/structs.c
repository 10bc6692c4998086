/* Struct arguments: clang passes a pointer into private memory, but the bytes lie in the argument
 * buffer. Where a kernel only reads them, its accesses go to the buffer directly (uniform loads);
 * else they go to a private copy made at entry, which later passes dissolve where they can. The
 * parameter is left without uses. Called by prepare.c after inlining. */
#include <string.h>

#include "compiler/passes/passes.h"

/* Steps of address arithmetic that are followed; behind more of them a struct is taken to be written, and copied. */
enum { MAX_NESTING = 64 };

/* Is `v` only read: by plain loads, as the source of copies, through address arithmetic? */
static bool only_read(LLVMValueRef v, unsigned nesting)
{
    if (nesting > MAX_NESTING) return false;
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef i = LLVMGetUser(u);
        if (LLVMIsALoadInst(i) && !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic) continue;
        if (LLVMIsAGetElementPtrInst(i) && LLVMGetOperand(i, 0) == v && only_read(i, nesting + 1)) continue;
        if (LLVMIsAMemCpyInst(i) && LLVMGetOperand(i, 0) != v) continue;
        return false;
    }
    return true;
}

static LLVMValueRef same_load(LLVMBuilderRef b, LLVMValueRef load, LLVMValueRef from)
{
    LLVMValueRef l = LLVMBuildLoad2(b, LLVMTypeOf(load), from, "");
    LLVMSetAlignment(l, LLVMGetAlignment(load));
    return l;
}

static LLVMValueRef same_address(struct cc *cc, LLVMBuilderRef b, LLVMValueRef gep, LLVMValueRef base)
{
    unsigned n = (unsigned)LLVMGetNumOperands(gep) - 1;
    LLVMValueRef *indices = cc_alloc(cc, n * sizeof *indices);
    for (unsigned i = 0; i < n; i++) indices[i] = LLVMGetOperand(gep, i + 1);
    return LLVMBuildGEP2(b, LLVMGetGEPSourceElementType(gep), base, indices, n, "");
}

/* The alignment of a copy's source is that of its bytes in the buffer only up to a word. */
static void same_copy(LLVMBuilderRef b, LLVMValueRef copy, LLVMValueRef from)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAttributeRef to_align = LLVMGetCallSiteEnumAttribute(copy, 1, kind),
                     from_align = LLVMGetCallSiteEnumAttribute(copy, 2, kind);
    LLVMBuildMemCpy(b, LLVMGetOperand(copy, 0), to_align ? (unsigned)LLVMGetEnumAttributeValue(to_align) : 1, from,
                    from_align ? (unsigned)LLVMGetEnumAttributeValue(from_align) : 1, LLVMGetOperand(copy, 2));
}

/* Rebuilds all that only_read found over `to`, and removes it. */
static void redirect(struct cc *cc, LLVMBuilderRef b, LLVMValueRef from, LLVMValueRef to)
{
    for (LLVMUseRef u; (u = LLVMGetFirstUse(from));) {
        LLVMValueRef i = LLVMGetUser(u);
        LLVMPositionBuilderBefore(b, i);
        if (LLVMIsALoadInst(i)) LLVMReplaceAllUsesWith(i, same_load(b, i, to));
        else if (LLVMIsAGetElementPtrInst(i)) redirect(cc, b, i, same_address(cc, b, i, to));
        else same_copy(b, i, to);
        LLVMInstructionEraseFromParent(i);
    }
}

LLVMValueRef argument_address(struct cc *cc, LLVMBuilderRef b, uint32_t offset)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(cc->context);
    LLVMValueRef base = metadata_word(cc, b, LLVMConstInt(i32, ABI_META_ARGS, false));
    base = LLVMBuildIntToPtr(b, base, LLVMPointerTypeInContext(cc->context, 2), "");
    return LLVMBuildGEP2(b, LLVMInt8TypeInContext(cc->context), base,
                         (LLVMValueRef[]){LLVMConstInt(i32, offset, false)}, 1, "");
}

static void private_copy(LLVMBuilderRef b, LLVMValueRef param, LLVMTypeRef type, LLVMValueRef place, unsigned align)
{
    LLVMValueRef copy = LLVMBuildAlloca(b, type, "");
    if (LLVMGetAlignment(copy) < 4) LLVMSetAlignment(copy, 4);
    LLVMReplaceAllUsesWith(param, copy);
    LLVMBuildMemCpy(b, copy, LLVMGetAlignment(copy), place, align, LLVMSizeOf(type));
}

void structs_copy(LLVMBuilderRef b, LLVMValueRef f)
{
    unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
    for (unsigned i = 0; i < LLVMCountParams(f); i++) {
        LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(f, i + 1, byval);
        LLVMValueRef param = LLVMGetParam(f, i);
        if (!a) continue;
        LLVMTypeRef type = LLVMGetTypeAttributeValue(a);
        LLVMRemoveEnumAttributeAtIndex(f, i + 1, byval);
        for (LLVMUseRef u = LLVMGetFirstUse(f); u; u = LLVMGetNextUse(u)) /* which may be a label's address */
            if (LLVMIsACallInst(LLVMGetUser(u))) LLVMRemoveCallSiteEnumAttribute(LLVMGetUser(u), i + 1, byval);
        LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f)));
        private_copy(b, param, type, param, 1);
    }
}

void structs_lower(struct cc *cc, LLVMBuilderRef b, LLVMValueRef f)
{
    unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
    uint32_t *offsets = cc_alloc(cc, (LLVMCountParams(f) + 1) * sizeof *offsets);
    kernel_layout(cc, f, offsets);
    for (unsigned i = 0; i < LLVMCountParams(f); i++) {
        LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(f, i + 1, byval);
        LLVMValueRef param = LLVMGetParam(f, i);
        if (!a || !LLVMGetFirstUse(param)) continue;
        LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f)));
        LLVMValueRef place = argument_address(cc, b, offsets[i]);
        if (only_read(param, 0)) redirect(cc, b, param, place);
        else private_copy(b, param, LLVMGetTypeAttributeValue(a), place, 4);
    }
}
