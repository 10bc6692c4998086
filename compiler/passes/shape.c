/* The uniform shape of functions: convention 0, everything inlined, nothing external but kernels.
 *
 * LLVM treats a call with another convention than its function's as undefined behaviour and deletes it, so this
 * comes before the first pass, and again whenever functions have been added. Called by prepare.c, metadata.c. */
#include <string.h>

#include "compiler/passes/passes.h"

static unsigned enum_kind(const char *name) { return LLVMGetEnumAttributeKindForName(name, strlen(name)); }

static void remove_attribute(LLVMValueRef f, const char *name)
{
    LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, enum_kind(name));
}

static void add_attribute(struct cc *cc, LLVMValueRef f, const char *name)
{
    LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(cc->context, enum_kind(name), 0));
}

void shape_leave(struct cc *cc, LLVMValueRef f, bool as_it_is)
{
    if (as_it_is) add_attribute(cc, f, "optnone");
    else remove_attribute(f, "optnone");
}

static bool has_attribute(LLVMValueRef f, const char *name)
{
    return LLVMGetEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, enum_kind(name)) != NULL;
}

static void set_mark(struct cc *cc, LLVMValueRef f, const char *mark)
{
    LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(cc->context, mark, (unsigned)strlen(mark), "", 0));
}

void shape_external(struct cc *cc, LLVMValueRef f) { set_mark(cc, f, "ventus-external"); }

void shape_ungrouped(struct cc *cc, LLVMValueRef kernel, bool waits)
{
    set_mark(cc, kernel, "ventus-ungrouped");
    if (waits) set_mark(cc, kernel, "ventus-waits");
}

void shape_links(struct cc *cc, LLVMValueRef kernel) { set_mark(cc, kernel, "ventus-links"); }

void shape_routine(struct cc *cc, LLVMValueRef f)
{
    set_mark(cc, f, "ventus-routine");
    remove_attribute(f, "alwaysinline");
    add_attribute(cc, f, "noinline");
}

static void shape_calls(LLVMValueRef f, bool pure)
{
    unsigned convergent = enum_kind("convergent"), noinline_ = enum_kind("noinline");
    for (LLVMUseRef u = LLVMGetFirstUse(f); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef call = LLVMGetUser(u);
        if (!LLVMIsACallInst(call) || LLVMGetCalledValue(call) != f) continue;
        LLVMSetInstructionCallConv(call, 0);
        LLVMRemoveCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, noinline_);
        if (pure) LLVMRemoveCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, convergent);
    }
}

void shape_function(struct cc *cc, LLVMValueRef f)
{
    if (is_intrinsic(f)) return;
    bool pure = LLVMIsDeclaration(f) && is_pure_primitive(f);
    LLVMSetFunctionCallConv(f, 0);
    shape_calls(f, pure);
    remove_attribute(f, "noinline");
    remove_attribute(f, "optnone");
    if (pure) {
        remove_attribute(f, "convergent");
        add_attribute(cc, f, "memory"); /* value 0: none */
        add_attribute(cc, f, "willreturn");
        add_attribute(cc, f, "speculatable");
    }
    if (LLVMIsDeclaration(f)) return;
    if (!kernel_is(f) && !is_external(f)) LLVMSetLinkage(f, LLVMInternalLinkage);
    add_attribute(cc, f, is_routine(f) ? "noinline" : "alwaysinline");
}

/* What only linkers read: that a function is to stay though nothing calls it, and second names of functions. */
static void drop_linkage(struct cc *cc)
{
    static const char *const lists[] = {"llvm.used", "llvm.compiler.used"};
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef list = LLVMGetNamedGlobal(cc->module, lists[i]);
        if (list) LLVMDeleteGlobal(list);
    }
    for (LLVMValueRef a = LLVMGetFirstGlobalAlias(cc->module); a; a = LLVMGetNextGlobalAlias(a)) {
        LLVMReplaceAllUsesWith(a, LLVMAliasGetAliasee(a));
        LLVMSetLinkage(a, LLVMInternalLinkage);
    }
}

/* The marks outlive the calling convention and the attribute. What no kernel reaches can go at once: programs include
 * whole libraries of their own. Without optimisation clang puts `noinline` on all functions: it says nothing then. */
void shape_kernels(struct cc *cc)
{
    drop_linkage(cc);
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f)) {
        if (kernel_is(f)) {
            set_mark(cc, f, KERNEL_MARK);
            LLVMSetLinkage(f, LLVMExternalLinkage);
        } else if (!LLVMIsDeclaration(f) && !is_external(f)) {
            LLVMSetLinkage(f, LLVMInternalLinkage);
            if (has_attribute(f, "noinline") && !has_attribute(f, "optnone")) set_mark(cc, f, "ventus-noinline");
        }
    }
}

void shape_module(struct cc *cc)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f)) shape_function(cc, f);
}

/* Does nothing but go on to the block behind it, which does not ask where it comes from? clang makes one behind each
 * `if`. The end of a loop's round stands before what it goes to only if that is not the loop. */
static bool is_empty_end(LLVMBasicBlockRef b)
{
    LLVMValueRef i = LLVMGetFirstInstruction(b);
    LLVMBasicBlockRef next = LLVMGetNextBasicBlock(b);
    return i && next && LLVMIsABranchInst(i) && !LLVMIsConditional(i) && LLVMGetSuccessor(i, 0) == next &&
           !LLVMIsAPHINode(LLVMGetFirstInstruction(next));
}

/* What a chain of `else if` ends in is one block in the other, to the depth of the chain. LLVM takes them out from the
 * inside, and with each all branches that it has led to it by then, which is the square of the chain's length. */
void shape_ends(struct cc *cc)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMIsDeclaration(f) ? NULL : LLVMGetLastBasicBlock(f), before; b; b = before) {
            before = LLVMGetPreviousBasicBlock(b);
            if (!before || !is_empty_end(b)) continue;
            LLVMReplaceAllUsesWith(LLVMBasicBlockAsValue(b), LLVMBasicBlockAsValue(LLVMGetNextBasicBlock(b)));
            LLVMDeleteBasicBlock(b);
        }
}
