/* The uniform shape of functions: convention 0, everything inlined, nothing external but kernels.
 *
 * LLVM treats a call with another convention than its function's as undefined behaviour and deletes it, so this
 * comes before the first pass, and again whenever functions have been added. Called by prepare.c, metadata.c. */
#include <string.h>

#include "compiler/prepare.h"

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

bool is_intrinsic(LLVMValueRef f) { return LLVMGetIntrinsicID(f) != 0; }

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names && strcmp(name, *names)) names++;
    return *names;
}

/* What the library asks of images, samplers and pipes, and clang's function that makes the program's samplers. */
bool is_object_primitive(LLVMValueRef f)
{
    static const char image[] = "_Z14__ventus_image"; /* and mangled what it is of */
    static const char *const others[] = {"__ventus_sampler", "__ventus_read_pipe", "__ventus_write_pipe",
                                         "__translate_sampler_initializer", NULL};
    const char *name = LLVMGetValueName(f);
    return !strncmp(name, image, sizeof image - 1) || is_one_of(name, others);
}

/* Lane number, CSR and metadata reads and special functions have no effect and may be merged and moved. They are not
 * convergent although OpenCL says so of every function. */
static bool is_pure_primitive(LLVMValueRef f)
{
    static const char *const names[] = {"__ventus_lane",
                                        "__ventus_csr",
                                        "__ventus_shared",
                                        "__ventus_meta",
                                        "__ventus_reservation",
                                        "__ventus_reservation_word",
                                        NULL};
    const struct primitive *p = primitive_find(LLVMGetValueName(f));
    return is_one_of(LLVMGetValueName(f), names) || (p && p->kind == PRIMITIVE_FLOAT) || is_object_primitive(f);
}

bool is_primitive(LLVMValueRef f)
{
    const char *name = LLVMGetValueName(f);
    return is_pure_primitive(f) || primitive_find(name) || !strcmp(name, "__ventus_barrier") ||
           !strcmp(name, "__ventus_barrier_sub") || !strcmp(name, "__ventus_csr_swap") ||
           !strcmp(name, "__ventus_csr_poll");
}

static bool has_mark(LLVMValueRef f, const char *mark)
{
    return LLVMGetStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, mark, (unsigned)strlen(mark)) != NULL;
}

static void set_mark(struct cc *cc, LLVMValueRef f, const char *mark)
{
    LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(cc->context, mark, (unsigned)strlen(mark), "", 0));
}

bool kernel_is(LLVMValueRef function)
{
    return LLVMGetFunctionCallConv(function) == SPIR_KERNEL || has_mark(function, KERNEL_MARK);
}

bool is_pure_routine(LLVMValueRef f)
{
    static const char prefix[] = "__ventus_routine_";
    return !strncmp(LLVMGetValueName(f), prefix, sizeof prefix - 1);
}

bool is_external(LLVMValueRef f) { return has_mark(f, "ventus-external"); }

bool is_routine(LLVMValueRef f) { return is_pure_routine(f) || has_mark(f, "ventus-routine") || is_external(f); }

void shape_external(struct cc *cc, LLVMValueRef f) { set_mark(cc, f, "ventus-external"); }

bool is_noinline(LLVMValueRef f) { return has_mark(f, "ventus-noinline"); }

bool is_ungrouped(LLVMValueRef kernel) { return has_mark(kernel, "ventus-ungrouped"); }

void shape_ungrouped(struct cc *cc, LLVMValueRef kernel) { set_mark(cc, kernel, "ventus-ungrouped"); }

bool has_links(LLVMValueRef kernel) { return has_mark(kernel, "ventus-links"); }

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
