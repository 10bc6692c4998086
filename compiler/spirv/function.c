/* Functions of a module, the flow between their blocks, and what kernels say of themselves. */
#include <string.h>

#include <llvm-c/Target.h>

#include "compiler/spirv/reader.h"

/* ---- parameters ---- */

static void add_type_attribute(struct reader *r, LLVMValueRef f, unsigned i, const char *name, LLVMTypeRef type)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(f, i + 1, LLVMCreateTypeAttribute(r->cc->context, kind, type));
}

/* A struct by value is a pointer to it. Other pointers say how what they point to is aligned; but bytes of which
 * nothing is said may be void, and be anything. */
static void parameter_attributes(struct reader *r, LLVMValueRef f, unsigned i, const struct id *id)
{
    const struct type *t = id->type->op == OP_TypePointer ? id->type->element : NULL;
    const uint32_t *said = decoration(id, DECORATION_ALIGNMENT);
    if (!t || (!t->size && t->op != OP_TypeStruct)) return;
    if (is_by_value(id)) add_type_attribute(r, f, i, "byval", t->llvm);
    if (!said && t->op == OP_TypeInt && t->size == 1) return;
    uint64_t align = said ? *said : LLVMABIAlignmentOfType(LLVMGetModuleDataLayout(r->module), t->llvm);
    unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAddAttributeAtIndex(f, i + 1, LLVMCreateEnumAttribute(r->cc->context, kind, alignment_checked(r, align)));
}

LLVMValueRef read_parameter(struct reader *r)
{
    struct id *f = r->function;
    if (r->is_body) return NULL;
    if (!f || r->label || r->parameter >= f->type->count)
        spirv_error(r, "there is no place for it in the function's type");
    if (r->type != f->type->members[r->parameter]) spirv_error(r, "its type is not that in the function's type");
    r->result->type = r->type;
    r->result->kind = ID_VALUE;
    r->result->value = LLVMGetParam(f->value, r->parameter);
    parameter_attributes(r, f->value, r->parameter, r->result);
    if (f->entry) f->entry->parameters[r->parameter] = r->result;
    r->parameter++;
    return NULL;
}

/* ---- functions ---- */

static void declare(struct reader *r)
{
    enum { DONT_INLINE = 2 }; /* of the function's control */
    struct id *f = r->result;
    struct type *t = operand_type(r, 1);
    enum linkage how = LINKAGE_EXPORT;
    const char *linkage = linkage_name(r, f, &how), *name = f->entry ? f->entry->name : linkage ? linkage : "";
    if (t->op != OP_TypeFunction || t->element != r->type)
        spirv_error(r, "its type is not one of functions that return this");
    if (*name && LLVMGetNamedFunction(r->module, name)) spirv_error(r, "two functions have the name %.100s", name);
    f->kind = ID_FUNCTION;
    f->type = t;
    f->value = function_add(r, name, t->llvm);
    if (r->operands[0] & DONT_INLINE) function_keep(r, f->value);
    if (f->entry) {
        if (t->element->op != OP_TypeVoid) spirv_error(r, "a kernel returns nothing");
        f->entry->parameters = cc_alloc(r->cc, (t->count + 1) * sizeof(struct id *));
    } else if (!linkage) {
        LLVMSetLinkage(f->value, LLVMInternalLinkage);
    } else if (how == LINKAGE_ONCE) {
        LLVMSetLinkage(f->value, LLVMLinkOnceODRLinkage);
    }
}

LLVMValueRef read_function_begin(struct reader *r)
{
    if (r->function) spirv_error(r, "the function before has no end");
    if (!r->is_body) declare(r);
    r->function = r->result;
    r->parameter = 0;
    if (r->is_body) lines_of_function(r);
    return NULL;
}

/* A value that comes in from a block comes in by each of its edges. */
static unsigned edges(LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    LLVMValueRef end = from ? LLVMGetBasicBlockTerminator(from) : NULL;
    unsigned n = 0;
    for (unsigned i = 0; end && i < LLVMGetNumSuccessors(end); i++) n += LLVMGetSuccessor(end, i) == to;
    return n;
}

/* Values of later blocks are known at a function's end. */
static void end_phis(struct reader *r)
{
    const uint32_t end = r->at;
    for (struct phi *phi = r->phis; phi; phi = phi->next) {
        r->operands = phi->operands;
        r->noperands = phi->noperands;
        r->at = phi->at;
        for (uint32_t i = 0; i < phi->noperands; i += 2) {
            LLVMValueRef value = operand_of(r, i, LLVMTypeOf(phi->value));
            struct id *from = operand_id(r, i + 1);
            if (from->kind != ID_LABEL) spirv_error(r, "%%%u is no block", phi->operands[i + 1]);
            for (unsigned n = edges(from->end, LLVMGetInstructionParent(phi->value)); n; n--)
                LLVMAddIncoming(phi->value, &value, &from->end, 1);
        }
    }
    r->phis = NULL;
    r->at = end;
}

LLVMValueRef read_function_end(struct reader *r)
{
    struct id *f = r->function;
    if (!f) spirv_error(r, "there is no function to end");
    if (!r->is_body) {
        bool body = LLVMCountBasicBlocks(f->value);
        enum linkage how = LINKAGE_EXPORT;
        bool import = linkage_name(r, f, &how) && how == LINKAGE_IMPORT && !f->entry;
        if (r->parameter != f->type->count) spirv_error(r, "parameters are missing");
        if (!body && !import) spirv_error(r, "the function has no blocks");
    } else {
        if (r->label) spirv_error(r, "the last block has no end");
        end_phis(r);
        if (f->entry) kernel_describe(r, f);
    }
    r->function = NULL;
    return NULL;
}

LLVMValueRef read_call(struct reader *r)
{
    struct id *f = operand_id(r, 0);
    if (f->kind != ID_FUNCTION) spirv_error(r, "%%%u is no function", r->operands[0]);
    if (f->entry) spirv_error(r, "the kernel %s is called", f->entry->name);
    if (f->type->element != r->type) spirv_error(r, "the function returns another type");
    if (r->noperands - 1 != f->type->count)
        spirv_error(r, "%u arguments for %u parameters", r->noperands - 1, f->type->count);
    LLVMValueRef *args = cc_alloc(r->cc, r->noperands * sizeof *args);
    for (uint32_t i = 0; i < f->type->count; i++) args[i] = operand_of(r, i + 1, f->type->members[i]->llvm);
    return LLVMBuildCall2(r->b, f->type->llvm, f->value, args, f->type->count, "");
}

/* ---- blocks ---- */

/* Made by the first pass, filled by the second. */
LLVMValueRef read_label(struct reader *r)
{
    if (!r->function) spirv_error(r, "a block outside of a function");
    if (!r->is_body) {
        r->result->kind = ID_LABEL;
        r->result->block = LLVMAppendBasicBlockInContext(r->cc->context, r->function->value, "");
        return NULL;
    }
    if (r->label) spirv_error(r, "the block before has no end");
    r->label = r->result;
    LLVMPositionBuilderAtEnd(r->b, r->label->block);
    read_no_line(r); /* lines end with their block */
    if (r->label->block == LLVMGetEntryBasicBlock(r->function->value)) anew_begin(r);
    return NULL;
}

LLVMValueRef read_phi(struct reader *r)
{
    if (r->noperands % 2) spirv_error(r, "it needs pairs of values and blocks");
    if (!has_values(r->type)) spirv_error(r, "values of its type cannot be merged");
    struct phi *phi = cc_alloc(r->cc, sizeof *phi);
    *phi = (struct phi){LLVMBuildPhi(r->b, r->type->llvm, ""), r->operands, r->noperands, r->at, r->phis};
    r->phis = phi;
    return phi->value;
}

static LLVMBasicBlockRef target(struct reader *r, uint32_t i)
{
    struct id *id = operand_id(r, i);
    if (id->kind != ID_LABEL || LLVMGetBasicBlockParent(id->block) != r->function->value)
        spirv_error(r, "%%%u is no block of this function", r->operands[i]);
    return id->block;
}

static LLVMValueRef end_block(struct reader *r)
{
    r->label->end = LLVMGetInsertBlock(r->b);
    r->label = NULL;
    return NULL;
}

LLVMValueRef read_branch(struct reader *r)
{
    LLVMBuildBr(r->b, target(r, 0));
    return end_block(r);
}

LLVMValueRef read_branch_conditional(struct reader *r)
{
    LLVMValueRef condition = operand_of(r, 0, int_type(r, 1));
    LLVMBuildCondBr(r->b, condition, target(r, 1), target(r, 2));
    return end_block(r);
}

LLVMValueRef read_switch(struct reader *r)
{
    LLVMValueRef selector = operand_value(r, 0);
    LLVMTypeRef type = LLVMTypeOf(selector);
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind) spirv_error(r, "it needs an integer to choose by");
    uint32_t words = LLVMGetIntTypeWidth(type) > 32 ? 2 : 1, cases = (r->noperands - 2) / (words + 1);
    if ((r->noperands - 2) % (words + 1)) spirv_error(r, "a case is cut off");
    LLVMValueRef branch = LLVMBuildSwitch(r->b, selector, target(r, 1), cases);
    for (uint32_t i = 0; i < cases; i++) {
        uint32_t at = 2 + i * (words + 1);
        uint64_t value = r->operands[at] | (words > 1 ? (uint64_t)r->operands[at + 1] << 32 : 0);
        LLVMAddCase(branch, LLVMConstInt(type, value, false), target(r, at + words));
    }
    return end_block(r);
}

LLVMValueRef read_return(struct reader *r)
{
    if (r->function->type->element->op != OP_TypeVoid) spirv_error(r, "the function returns a value");
    LLVMBuildRetVoid(r->b);
    return end_block(r);
}

LLVMValueRef read_return_value(struct reader *r)
{
    LLVMBuildRet(r->b, operand_of(r, 0, r->function->type->element->llvm));
    return end_block(r);
}

LLVMValueRef read_unreachable(struct reader *r)
{
    LLVMBuildUnreachable(r->b);
    return end_block(r);
}
