/* Variables of a module, and what reads and writes memory. */
#include <string.h>

#include "compiler/spirv/reader.h"

/* ---- variables ---- */

static void align_variable(struct reader *r, LLVMValueRef variable)
{
    const uint32_t *said = decoration(r->result, DECORATION_ALIGNMENT);
    if (said) LLVMSetAlignment(variable, alignment_checked(r, *said));
}

static struct type *variable_type(struct reader *r)
{
    if (r->type->op != OP_TypePointer || !r->type->element) spirv_error(r, "a variable's type is a pointer");
    if (r->operands[0] != r->type->count) spirv_error(r, "it is of another storage class than its type");
    struct type *t = r->type->element;
    if (!has_values(t)) spirv_error(r, "variables cannot be of its type");
    return t;
}

static LLVMValueRef private_variable(struct reader *r, struct type *t)
{
    LLVMValueRef first = r->noperands > 1 ? operand_of(r, 1, t->llvm) : NULL;
    if (LLVMGetInsertBlock(r->b) != LLVMGetEntryBasicBlock(r->function->value))
        spirv_error(r, "a function's variables stand in its first block");
    LLVMValueRef variable = LLVMBuildAlloca(r->b, t->llvm, "");
    align_variable(r, variable);
    if (first) LLVMBuildStore(r->b, first, variable);
    return variable;
}

static LLVMValueRef first_value(struct reader *r, struct type *t, bool import, unsigned space)
{
    if (r->noperands > 1) {
        LLVMValueRef value = operand_of(r, 1, t->llvm);
        if (!LLVMIsConstant(value)) spirv_error(r, "its first value is no constant");
        return value;
    }
    if (import) return NULL;
    return space == 3 ? LLVMGetUndef(t->llvm) : LLVMConstNull(t->llvm);
}

static LLVMValueRef module_variable(struct reader *r, struct type *t)
{
    enum linkage linkage = LINKAGE_EXPORT;
    unsigned space = space_number(r, r->type->count);
    const char *name = linkage_name(r, r->result, &linkage);
    if (!t->size && t->op != OP_TypeStruct) spirv_error(r, "variables of the module cannot be of its type");
    if (r->type->count != SPACE_CONSTANT && r->type->count != SPACE_LOCAL && r->type->count != SPACE_GLOBAL)
        spirv_error(r, "variables of the module cannot be in its storage class");
    if (name && LLVMGetNamedGlobal(r->module, name)) spirv_error(r, "two variables have the name %.100s", name);
    LLVMValueRef first = first_value(r, t, name && linkage == LINKAGE_IMPORT, space);
    LLVMValueRef variable = LLVMAddGlobalInAddressSpace(r->module, t->llvm, name ? name : "", space);
    if (!name) LLVMSetLinkage(variable, LLVMInternalLinkage);
    else if (linkage == LINKAGE_ONCE) LLVMSetLinkage(variable, LLVMLinkOnceODRLinkage);
    if (first) LLVMSetInitializer(variable, first);
    LLVMSetGlobalConstant(variable, space == 2);
    align_variable(r, variable);
    return variable;
}

/* Those of the machine become values in each function. */
LLVMValueRef read_variable(struct reader *r)
{
    struct type *t = variable_type(r);
    if (r->type->count == SPACE_INPUT && !r->function) {
        r->result->kind = ID_VALUE;
        r->result->type = r->type;
        r->result->is_anew = true;
        return NULL;
    }
    if (!r->function) return module_variable(r, t);
    if (r->type->count != SPACE_PRIVATE) spirv_error(r, "a function's variables are of storage class Function");
    return private_variable(r, t);
}

/* ---- variables of the machine ---- */

/* By SPIR-V's numbers: what functions return. */
enum shape { WORD, OF_DIMENSIONS, MASK };
static const struct input {
    uint32_t number;
    enum shape shape;
    const char *function;
} inputs[] = {
    {24, OF_DIMENSIONS, "get_num_groups"},
    {25, OF_DIMENSIONS, "get_local_size"},
    {26, OF_DIMENSIONS, "get_group_id"},
    {27, OF_DIMENSIONS, "get_local_id"},
    {28, OF_DIMENSIONS, "get_global_id"},
    {29, WORD, "get_local_linear_id"},
    {30, WORD, "get_work_dim"},
    {31, OF_DIMENSIONS, "get_global_size"},
    {32, OF_DIMENSIONS, "get_enqueued_local_size"},
    {33, OF_DIMENSIONS, "get_global_offset"},
    {34, WORD, "get_global_linear_id"},
    {36, WORD, "get_sub_group_size"},
    {37, WORD, "get_max_sub_group_size"},
    {38, WORD, "get_num_sub_groups"},
    {39, WORD, "get_enqueued_num_sub_groups"},
    {40, WORD, "get_sub_group_id"},
    {41, WORD, "get_sub_group_local_id"},
    {4416, MASK, "get_sub_group_eq_mask"},
    {4417, MASK, "get_sub_group_ge_mask"},
    {4418, MASK, "get_sub_group_gt_mask"},
    {4419, MASK, "get_sub_group_le_mask"},
    {4420, MASK, "get_sub_group_lt_mask"},
};

/* What the machine calls a variable; NULL: it has none like it. */
static const struct input *input_of(const struct id *variable)
{
    const uint32_t *which = decoration(variable, DECORATION_BUILTIN);
    for (size_t i = 0; which && i < sizeof inputs / sizeof *inputs; i++)
        if (inputs[i].number == *which) return &inputs[i];
    return NULL;
}

static LLVMValueRef input_component(struct reader *r, const char *name, const LLVMValueRef *dimension, LLVMTypeRef type)
{
    struct arguments a = {.types = dimension ? "j" : "v"};
    if (dimension) a.value[a.n++] = *dimension;
    LLVMValueRef value = builtin_call(r, name, int_type(r, 32), &a);
    return LLVMBuildIntCast2(r->b, value, type, false, "");
}

static bool has_shape(struct reader *r, LLVMTypeRef type, enum shape shape)
{
    const unsigned n = vector_count(type);
    if (shape == MASK) return n == 4 && LLVMGetElementType(type) == int_type(r, 32);
    if (LLVMGetTypeKind(scalar_type(type)) != LLVMIntegerTypeKind) return false;
    return shape == WORD ? n == 0 : n == 2 || n == 3;
}

/* The whole value of one, where the builder is. */
static LLVMValueRef input_whole(struct reader *r, const struct input *input, LLVMTypeRef type)
{
    const char *name = input->function;
    if (!has_shape(r, type, input->shape))
        spirv_error(r, "variable %u of the machine (%s) has another type", input->number, name);
    if (input->shape == WORD) return input_component(r, name, NULL, type);
    if (input->shape == MASK) return builtin_call(r, name, type, &(struct arguments){.types = "v"});
    LLVMValueRef value = LLVMGetUndef(type);
    for (unsigned i = 0; i < vector_count(type); i++) {
        LLVMValueRef at = int_value(r, i);
        value = LLVMBuildInsertElement(r->b, value, input_component(r, name, &at, scalar_type(type)), at, "");
    }
    return value;
}

/* A copy in private memory, of which LLVM leaves what is used. */
static LLVMValueRef input_value(struct reader *r, const struct id *variable)
{
    const struct input *input = input_of(variable);
    if (!input) spirv_error(r, "a variable of storage class Input is none that this machine has");
    LLVMTypeRef type = variable->type->element->llvm;
    LLVMValueRef place = LLVMBuildAlloca(r->b, type, "");
    LLVMBuildStore(r->b, input_whole(r, input, type), place);
    return place;
}

/* In clang's way: a call that makes it of its word. */
static LLVMValueRef sampler_value(struct reader *r, const struct id *sampler)
{
    LLVMTypeRef type = LLVMFunctionType(sampler->type->llvm, (LLVMTypeRef[]){int_type(r, 32)}, 1, false);
    LLVMValueRef word = int_value(r, sampler->sampler);
    return LLVMBuildCall2(r->b, type, function_add(r, "__translate_sampler_initializer", type), &word, 1, "");
}

/* Any word of the function may be an id: a literal that looks like one makes something that is not used. */
void anew_begin(struct reader *r)
{
    for (uint32_t at = r->at; (r->words[at] & 0xffff) != OP_FunctionEnd; at += r->words[at] >> 16)
        for (uint32_t i = 1; i < r->words[at] >> 16; i++) {
            struct id *id = r->words[at + i] < r->bound ? &r->ids[r->words[at + i]] : r->ids;
            if (!id->is_anew || id->owner == r->function) continue;
            id->owner = r->function;
            id->value = id->type->op == OP_TypeSampler ? sampler_value(r, id) : input_value(r, id);
        }
}

/* ---- access ---- */

/* What `pointer` points to, which has to be something that can be read and written. */
static struct type *pointed(struct reader *r, const struct id *pointer)
{
    struct type *t = pointer->type->op == OP_TypePointer ? pointer->type->element : NULL;
    if (!t || !has_values(t)) spirv_error(r, "it is no pointer to memory that can be accessed");
    return t;
}

enum { VOLATILE = 1, ALIGNED = 2, NONTEMPORAL = 4 }; /* memory operands */

/* Those from operand `i` on. */
static void memory_operands(struct reader *r, uint32_t i, const struct id *pointer, LLVMValueRef access)
{
    uint32_t mask = i < r->noperands ? r->operands[i] : 0;
    if (mask & ~(uint32_t)(VOLATILE | ALIGNED | NONTEMPORAL))
        spirv_error(r, "memory operands 0x%x are not for kernels", mask);
    if (mask & ALIGNED) {
        if (i + 1 >= r->noperands) spirv_error(r, "the alignment is missing");
        LLVMSetAlignment(access, alignment_checked(r, r->operands[i + 1]));
    }
    if (mask & VOLATILE || decoration(pointer, DECORATION_VOLATILE)) LLVMSetVolatile(access, true);
}

LLVMValueRef read_load(struct reader *r)
{
    struct id *pointer = operand_value_id(r, 0);
    LLVMValueRef load = LLVMBuildLoad2(r->b, pointed(r, pointer)->llvm, operand_value(r, 0), "");
    memory_operands(r, 1, pointer, load);
    return load;
}

LLVMValueRef read_store(struct reader *r)
{
    struct id *pointer = operand_value_id(r, 0);
    LLVMValueRef object = operand_of(r, 1, pointed(r, pointer)->llvm);
    memory_operands(r, 2, pointer, LLVMBuildStore(r->b, object, operand_value(r, 0)));
    return NULL;
}

/* Where a second list of memory operands begins, that of the source, behind one at `i`; else `i`. */
static uint32_t second_list(const struct reader *r, uint32_t i)
{
    uint32_t next = i + 1 + (i < r->noperands && r->operands[i] & ALIGNED);
    return next < r->noperands ? next : i;
}

static LLVMValueRef pointer_operand(struct reader *r, uint32_t i)
{
    LLVMValueRef value = operand_value(r, i);
    if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMPointerTypeKind) spirv_error(r, "%%%u is no pointer", r->operands[i]);
    return value;
}

/* From operand 1 to operand 0; memory operands begin at `i`. Of two lists, only what is said of the target is used. */
static LLVMValueRef copy_bytes(struct reader *r, uint32_t i, LLVMValueRef size)
{
    LLVMValueRef to = pointer_operand(r, 0), from = pointer_operand(r, 1);
    bool aligned = i < r->noperands && r->operands[i] & ALIGNED, same = second_list(r, i) == i;
    if (aligned && i + 1 >= r->noperands) spirv_error(r, "the alignment is missing");
    unsigned align = aligned ? alignment_checked(r, r->operands[i + 1]) : 1;
    LLVMBuildMemCpy(r->b, to, align, from, same ? align : 1, LLVMBuildIntCast2(r->b, size, int_type(r, 32), false, ""));
    return NULL;
}

LLVMValueRef read_copy_sized(struct reader *r) { return copy_bytes(r, 3, operand_of(r, 2, int_type(r, 32))); }

/* A whole struct or array is not a value of LLVM's on its way. */
LLVMValueRef read_copy_memory(struct reader *r)
{
    struct id *to = operand_value_id(r, 0), *from = operand_value_id(r, 1);
    struct type *t = pointed(r, to);
    if (pointed(r, from)->llvm != t->llvm) spirv_error(r, "the pointers point to different types");
    if (t->op == OP_TypeStruct || t->op == OP_TypeArray) return copy_bytes(r, 2, LLVMSizeOf(t->llvm));
    LLVMValueRef load = LLVMBuildLoad2(r->b, t->llvm, operand_value(r, 1), "");
    memory_operands(r, second_list(r, 2), from, load);
    memory_operands(r, 2, to, LLVMBuildStore(r->b, load, operand_value(r, 0)));
    return NULL;
}

/* ---- addresses ---- */

/* The type of part `i` of `t`, and what LLVM wants as an index. */
static struct type *step(struct reader *r, struct type *t, uint32_t i, LLVMValueRef *index)
{
    *index = operand_value(r, i);
    if (LLVMGetTypeKind(LLVMTypeOf(*index)) != LLVMIntegerTypeKind) spirv_error(r, "an index is no integer");
    if (t->op == OP_TypeVector || t->op == OP_TypeArray) return t->element;
    if (t->op != OP_TypeStruct) spirv_error(r, "there are more indices than the type has parts");
    uint64_t member = operand_constant(r, i);
    if (member >= t->count) spirv_error(r, "a struct of %u members has no member %u", t->count, (uint32_t)member);
    *index = int_value(r, member);
    return t->members[member];
}

/* The indices begin at operand `i`; those of `list` are filled up to `n`. */
static LLVMValueRef address(struct reader *r, uint32_t i, LLVMValueRef *list, unsigned n)
{
    struct type *whole = pointed(r, operand_value_id(r, 0)), *t = whole;
    for (; i < r->noperands; i++) t = step(r, t, i, &list[n++]);
    if (r->type->op != OP_TypePointer || !r->type->element || r->type->element->llvm != t->llvm)
        spirv_error(r, "its type is no pointer to what the indices lead to");
    LLVMValueRef base = operand_value(r, 0);
    return r->op->how ? LLVMBuildInBoundsGEP2(r->b, whole->llvm, base, list, n, "")
                      : LLVMBuildGEP2(r->b, whole->llvm, base, list, n, "");
}

LLVMValueRef read_access(struct reader *r)
{
    LLVMValueRef *list = cc_alloc(r->cc, (r->noperands + 1) * sizeof *list);
    list[0] = int_value(r, 0);
    return address(r, 1, list, 1);
}

LLVMValueRef read_pointer_access(struct reader *r)
{
    LLVMValueRef *list = cc_alloc(r->cc, (r->noperands + 1) * sizeof *list);
    list[0] = operand_value(r, 1);
    if (LLVMGetTypeKind(LLVMTypeOf(list[0])) != LLVMIntegerTypeKind) spirv_error(r, "an index is no integer");
    return address(r, 2, list, 1);
}

LLVMValueRef read_pointer_compare(struct reader *r)
{
    LLVMValueRef a = pointer_operand(r, 0), b = operand_of(r, 1, LLVMTypeOf(a));
    return LLVMBuildICmp(r->b, (LLVMIntPredicate)r->op->how, a, b, "");
}

LLVMValueRef read_pointer_difference(struct reader *r)
{
    LLVMValueRef a = pointer_operand(r, 0), b = operand_of(r, 1, LLVMTypeOf(a));
    if (r->type->op != OP_TypeInt) spirv_error(r, "a difference is an integer");
    LLVMValueRef n = LLVMBuildPtrDiff2(r->b, pointed(r, operand_value_id(r, 0))->llvm, a, b, "");
    return LLVMBuildIntCast2(r->b, n, r->type->llvm, true, "");
}

LLVMValueRef read_size(struct reader *r)
{
    struct type *t = pointed(r, operand_value_id(r, 0));
    if (r->type->op != OP_TypeInt) spirv_error(r, "a size is an integer");
    return LLVMBuildIntCast2(r->b, LLVMSizeOf(t->llvm), r->type->llvm, false, "");
}

/* Also CopyLogical, whose types may differ in decorations alone; LLVM has one type for all of those but the packed. */
LLVMValueRef read_copy(struct reader *r)
{
    struct id *from = operand_value_id(r, 0);
    if (from->type->llvm) return operand_value(r, 0);
    r->result->kind = ID_VALUE; /* a sampled image */
    r->result->type = from->type;
    r->result->value = from->value;
    r->result->second = from->second;
    return NULL;
}
