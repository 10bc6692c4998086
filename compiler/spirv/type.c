/* Types and constants of a module. */
#include <string.h>

#include "compiler/spirv/reader.h"

/* A hostile type could be nested as deep as the module is long, and LLVM's functions on types are recursive; SPIR-V
 * asks for no more. */
enum { MAX_NESTING = 255 };

unsigned space_number(struct reader *r, uint32_t storage)
{
    switch (storage) {
    case SPACE_INPUT: /* as input_value makes them */
    case SPACE_PRIVATE: return 0;
    case SPACE_GLOBAL: return 1;
    case SPACE_CONSTANT: return 2;
    case SPACE_LOCAL: return 3;
    case SPACE_GENERIC: return 4;
    default: spirv_error(r, "kernels have no storage class %u", storage);
    }
}

/* ---- types ---- */

static void scalar(struct reader *r, struct type *t)
{
    LLVMContextRef c = r->cc->context;
    uint32_t bits = t->op == OP_TypeBool ? 8 : r->operands[0];
    bool is_float = t->op == OP_TypeFloat;
    if ((bits != 8 || is_float) && bits != 16 && bits != 32 && bits != 64)
        spirv_error(r, "numbers of %u bits are not possible", bits);
    t->count = bits;
    t->size = bits / 8;
    if (t->op == OP_TypeBool) t->llvm = LLVMInt1TypeInContext(c);
    else if (!is_float) t->llvm = LLVMIntTypeInContext(c, bits);
    else
        t->llvm = bits == 16   ? LLVMHalfTypeInContext(c)
                  : bits == 32 ? LLVMFloatTypeInContext(c)
                               : LLVMDoubleTypeInContext(c);
}

static void vector(struct reader *r, struct type *t)
{
    uint32_t n = r->operands[1];
    t->element = operand_type(r, 0);
    if (t->element->op != OP_TypeBool && t->element->op != OP_TypeInt && t->element->op != OP_TypeFloat)
        spirv_error(r, "vectors are of numbers or truth values");
    if (n != 2 && n != 3 && n != 4 && n != 8 && n != 16) spirv_error(r, "vectors of %u elements are not possible", n);
    t->count = n;
    t->llvm = LLVMVectorType(t->element->llvm, n);
    t->size = t->element->size * (n == 3 ? 4 : n);
}

static void check_nesting(struct reader *r, const struct type *t)
{
    if (t->depth >= MAX_NESTING) spirv_error(r, "types are nested more than %d deep", MAX_NESTING);
}

/* What arrays and structs may contain. */
static struct type *part(struct reader *r, uint32_t i, struct type *whole)
{
    struct type *t = operand_type(r, i);
    if (!t->size && t->op != OP_TypeStruct) spirv_error(r, "it is made of a type without a size");
    check_nesting(r, t);
    if (t->depth >= whole->depth) whole->depth = t->depth + 1;
    return t;
}

static void check_size(struct reader *r, uint64_t size)
{
    if (size > UINT32_MAX) spirv_error(r, "the type is larger than all addresses are");
}

static void array(struct reader *r, struct type *t)
{
    t->element = part(r, 0, t);
    uint64_t n = operand_constant(r, 1);
    check_size(r, n);
    t->count = (uint32_t)n;
    t->size = t->element->size * n;
    check_size(r, t->size);
    t->llvm = LLVMArrayType2(t->element->llvm, n);
}

static void structure(struct reader *r, struct type *t)
{
    LLVMTypeRef *parts = cc_alloc(r->cc, (r->noperands + 1) * sizeof *parts);
    t->count = r->noperands;
    t->members = cc_alloc(r->cc, (r->noperands + 1) * sizeof *t->members);
    for (uint32_t i = 0; i < t->count; i++) {
        t->members[i] = part(r, i, t);
        parts[i] = t->members[i]->llvm;
        t->size += t->members[i]->size;
        check_size(r, t->size);
    }
    t->llvm =
        LLVMStructTypeInContext(r->cc->context, parts, t->count, decoration(r->result, DECORATION_PACKED) != NULL);
}

/* As clang has them, which leaves out what OpenCL C does not know: the type of texels, the format. */
static void image(struct reader *r, struct type *t)
{
    enum { D1, D2, D3, BUFFER = 5 };
    static const char *const dims[] = {[D1] = "1d", [D2] = "2d", [D3] = "3d", [BUFFER] = "1d_buffer"};
    static const char *const access[] = {"ro", "wo", "rw"};
    const uint32_t *o = r->operands;
    unsigned how = r->noperands > 7 ? o[7] : 0, depth = o[2] == 1, layered = o[3] == 1;
    t->element = operand_type(r, 0);
    if (o[1] > BUFFER || !dims[o[1]] || o[4] || how > 2 || o[2] > 2 || o[3] > 1)
        spirv_error(r, "this device has no such images");
    unsigned numbers[] = {o[1], depth, layered, 0, 0, 0, how};
    t->llvm = LLVMTargetExtTypeInContext(r->cc->context, "spirv.Image",
                                         (LLVMTypeRef[]){LLVMVoidTypeInContext(r->cc->context)}, 1, numbers, 7);
    const char *name =
        cc_printf(r->cc, "ocl_image%s%s%s_%s", dims[o[1]], layered ? "_array" : "", depth ? "_depth" : "", access[how]);
    t->mangled = cc_printf(r->cc, "%zu%s", strlen(name), name);
    t->count = o[1] + 1 + layered; /* of coordinates */
    if (o[1] == BUFFER) t->count = 1;
}

static void opaque(struct reader *r, struct type *t, const char *name, const char *mangled)
{
    t->llvm = LLVMTargetExtTypeInContext(r->cc->context, name, NULL, 0, NULL, 0);
    t->mangled = mangled;
}

/* `count`: 0 if it is read, 1 if it is written. */
static void pipe(struct reader *r, struct type *t)
{
    t->count = r->operands[0];
    if (t->count > 1) spirv_error(r, "a pipe is either read or written");
    t->llvm = LLVMTargetExtTypeInContext(r->cc->context, "spirv.Pipe", NULL, 0, &t->count, 1);
    t->mangled = "8ocl_pipe";
}

/* A forward declaration has left the type, without what it points to: a struct, or the pointer could point to itself.
 */
static void pointer(struct reader *r, struct type *t)
{
    struct type *element = operand_type(r, 1), *declared = r->result->type;
    if (declared && (element->op != OP_TypeStruct || declared->count != r->operands[0]))
        spirv_error(r, "it was declared as a pointer to a struct of another storage class, or it points to no struct");
    if (declared) t = declared;
    check_nesting(r, element);
    t->depth = element->op == OP_TypePointer ? element->depth + 1 : 0;
    t->count = r->operands[0];
    t->element = element;
    t->size = 4;
    t->llvm = LLVMPointerTypeInContext(r->cc->context, space_number(r, t->count));
    r->result->type = t;
}

static void function(struct reader *r, struct type *t)
{
    LLVMTypeRef *types = cc_alloc(r->cc, r->noperands * sizeof *types);
    t->count = r->noperands - 1;
    t->members = cc_alloc(r->cc, r->noperands * sizeof *t->members);
    t->element = operand_type(r, 0);
    for (uint32_t i = 0; i < t->count; i++) {
        t->members[i] = operand_type(r, i + 1);
        types[i] = t->members[i]->llvm;
        if (!types[i] || t->members[i]->op == OP_TypeVoid || t->members[i]->op == OP_TypeFunction)
            spirv_error(r, "parameter %u cannot be of its type", i + 1);
    }
    if (!t->element->llvm || t->element->op == OP_TypeFunction) spirv_error(r, "a function cannot return that");
    t->llvm = LLVMFunctionType(t->element->llvm, types, t->count, false);
}

LLVMValueRef read_type(struct reader *r)
{
    struct type *t = cc_alloc(r->cc, sizeof *t);
    t->op = r->op->number;
    switch (t->op) {
    case OP_TypeVoid: t->llvm = LLVMVoidTypeInContext(r->cc->context); break;
    case OP_TypeVector: vector(r, t); break;
    case OP_TypeArray: array(r, t); break;
    case OP_TypeStruct: structure(r, t); break;
    case OP_TypeImage: image(r, t); break;
    case OP_TypeSampler: opaque(r, t, "spirv.Sampler", "11ocl_sampler"); break;
    case OP_TypeEvent: opaque(r, t, "spirv.Event", "9ocl_event"); break;
    case OP_TypeReserveId:
        opaque(r, t, "spirv.ReserveId", "13ocl_reserveid");
        t->size = 4;
        break;
    case OP_TypePipe: pipe(r, t); break;
    case OP_TypeSampledImage:
        t->element = operand_type(r, 0);
        if (t->element->op != OP_TypeImage) spirv_error(r, "it is not made of an image");
        break;
    case OP_TypeOpaque: t->llvm = LLVMStructCreateNamed(r->cc->context, "opaque"); break;
    case OP_TypePointer: pointer(r, t); break;
    case OP_TypeFunction: function(r, t); break;
    default: scalar(r, t);
    }
    if (!r->result->type) r->result->type = t;
    r->result->kind = ID_TYPE;
    return NULL;
}

LLVMValueRef read_forward_pointer(struct reader *r)
{
    struct id *id = operand_id(r, 0);
    struct type *t = cc_alloc(r->cc, sizeof *t);
    if (id->kind != ID_NONE) spirv_error(r, "%%%u has a meaning already", r->operands[0]);
    *t = (struct type){.op = OP_TypePointer, .count = r->operands[1], .size = 4};
    t->llvm = LLVMPointerTypeInContext(r->cc->context, space_number(r, t->count));
    id->type = t;
    id->kind = ID_TYPE;
    return NULL;
}

unsigned alignment_checked(struct reader *r, uint64_t bytes)
{
    if (!bytes || bytes & (bytes - 1) || bytes > NOTE_MAX_ALIGN)
        spirv_error(r, "an alignment of %llu bytes is not possible", (unsigned long long)bytes);
    return (unsigned)bytes;
}

/* ---- constants ---- */

LLVMValueRef read_bool(struct reader *r)
{
    if (r->type->op != OP_TypeBool) spirv_error(r, "it is no truth value");
    return LLVMConstInt(r->type->llvm, (unsigned)r->op->how, false);
}

/* Small numbers lie in the low bits of a word, a long one in two. */
LLVMValueRef read_constant(struct reader *r)
{
    if (r->type->op != OP_TypeInt && r->type->op != OP_TypeFloat) spirv_error(r, "it is no number");
    uint64_t bits = r->operands[0];
    if (r->type->count == 64) {
        if (r->noperands < 2) spirv_error(r, "its upper half is missing");
        bits |= (uint64_t)r->operands[1] << 32;
    }
    LLVMValueRef value = LLVMConstInt(int_type(r, r->type->count), bits, false);
    return r->type->op == OP_TypeInt ? value : LLVMConstBitCast(value, r->type->llvm);
}

LLVMValueRef read_composite_constant(struct reader *r)
{
    struct type *t = r->type;
    bool is_struct = t->op == OP_TypeStruct;
    if (!is_struct && t->op != OP_TypeVector && t->op != OP_TypeArray) spirv_error(r, "its type has no parts");
    if (r->noperands != t->count) spirv_error(r, "it has %u parts, its type %u", r->noperands, t->count);
    LLVMValueRef *parts = cc_alloc(r->cc, (t->count + 1) * sizeof *parts);
    for (uint32_t i = 0; i < t->count; i++) {
        parts[i] = operand_of(r, i, (is_struct ? t->members[i] : t->element)->llvm);
        if (!LLVMIsConstant(parts[i])) spirv_error(r, "%%%u is no constant", r->operands[i]);
    }
    if (t->op == OP_TypeVector) return LLVMConstVector(parts, t->count);
    if (t->op == OP_TypeArray) return LLVMConstArray2(t->element->llvm, parts, t->count);
    return LLVMConstStructInContext(r->cc->context, parts, t->count, LLVMIsPackedStruct(t->llvm));
}

bool has_values(const struct type *t)
{
    return t->llvm && t->op != OP_TypeVoid && t->op != OP_TypeFunction && t->op != OP_TypeOpaque;
}

LLVMValueRef read_null(struct reader *r)
{
    if (!has_values(r->type) || r->type->op == OP_TypeImage || r->type->op == OP_TypeSampler ||
        r->type->op == OP_TypePipe)
        spirv_error(r, "its type has no null");
    return LLVMConstNull(r->type->llvm);
}

LLVMValueRef read_undef(struct reader *r)
{
    if (!has_values(r->type)) spirv_error(r, "its type has no values");
    return LLVMGetUndef(r->type->llvm);
}

/* Its word is that of isa/image.h; it becomes a value in each function. */
LLVMValueRef read_sampler(struct reader *r)
{
    static const unsigned addressing[] = {ABI_SAMPLER_NONE, ABI_SAMPLER_CLAMP_TO_EDGE, ABI_SAMPLER_CLAMP,
                                          ABI_SAMPLER_REPEAT, ABI_SAMPLER_MIRRORED_REPEAT};
    if (r->type->op != OP_TypeSampler) spirv_error(r, "it is no sampler");
    if (r->operands[0] > 4 || r->operands[1] > 1 || r->operands[2] > 1) spirv_error(r, "there is no such sampler");
    unsigned word = addressing[r->operands[0]] | (r->operands[1] ? ABI_SAMPLER_NORMALIZED : 0) |
                    (r->operands[2] ? ABI_SAMPLER_LINEAR : ABI_SAMPLER_NEAREST);
    r->result->kind = ID_VALUE;
    r->result->type = r->type;
    r->result->is_anew = true;
    r->result->sampler = word;
    return NULL;
}

/* LLVM's builder folds what it is to build of constants; without a place to build at, nothing else comes of it. */
LLVMValueRef read_folded(struct reader *r)
{
    const struct op *self = r->op, *op = op_find(r, r->operands[0]);
    if (!op || op->where != WHERE_FOLDED) spirv_error(r, "instruction %u is no operation on constants", r->operands[0]);
    r->operands++;
    r->noperands--;
    if (r->noperands < op->operands) spirv_error(r, "Op%s needs %u operands", op->name, op->operands);
    for (uint32_t i = 0; i < op->operands && i < 2; i++)
        if (!LLVMIsConstant(operand_value(r, i))) spirv_error(r, "%%%u is no constant", r->operands[i]);
    LLVMClearInsertionPosition(r->b);
    r->op = op;
    LLVMValueRef value = op->read(r);
    r->op = self;
    if (!value || !LLVMIsConstant(value)) spirv_error(r, "Op%s gives no constant", op->name);
    return value;
}
