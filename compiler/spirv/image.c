/* Images of a module: they and their samplers are the values that clang makes of them, and read by the same functions.
 */
#include <string.h>

#include "compiler/spirv/reader.h"

enum { SIGN_EXTEND = 0x1000, ZERO_EXTEND = 0x2000 };
enum { SIGNED_INT8 = 0x10D7, SIGNED_INT32 = 0x10D9 }; /* CL_SIGNED_INT8, ... */

static const struct type *image_type(struct reader *r, uint32_t i)
{
    const struct type *t = operand_value_id(r, i)->type;
    if (t->op != OP_TypeImage) spirv_error(r, "%%%u is no image", r->operands[i]);
    return t;
}

LLVMValueRef read_sampled_image(struct reader *r)
{
    if (r->type->op != OP_TypeSampledImage || r->type->element != image_type(r, 0) ||
        operand_value_id(r, 1)->type->op != OP_TypeSampler)
        spirv_error(r, "it is not made of such an image and a sampler");
    r->result->kind = ID_VALUE;
    r->result->type = r->type;
    r->result->value = operand_value(r, 0);
    r->result->second = operand_value(r, 1);
    return NULL;
}

LLVMValueRef read_image(struct reader *r)
{
    struct id *pair = operand_value_id(r, 0);
    if (pair->type->op != OP_TypeSampledImage) spirv_error(r, "%%%u is no sampled image", r->operands[0]);
    return pair->value;
}

/* Functions have a fourth coordinate that nobody looks at where there are three; modules may have more. */
static LLVMValueRef coordinates(struct reader *r, LLVMValueRef at, unsigned n)
{
    LLVMTypeRef element = scalar_type(LLVMTypeOf(at));
    unsigned given = vector_count(LLVMTypeOf(at)), wanted = n == 3 ? 4 : n;
    if (element != int_type(r, 32) && element != LLVMFloatTypeInContext(r->cc->context))
        spirv_error(r, "coordinates are of type int or float");
    if ((given ? given : 1) < n) spirv_error(r, "the image needs %u coordinates", n);
    if (given == wanted || (!given && n == 1)) return at;
    if (n == 1) return LLVMBuildExtractElement(r->b, at, int_value(r, 0), "");
    LLVMValueRef v = LLVMConstNull(LLVMVectorType(element, wanted));
    for (unsigned i = 0; i < n; i++)
        v = LLVMBuildInsertElement(r->b, v, LLVMBuildExtractElement(r->b, at, int_value(r, i), ""), int_value(r, i),
                                   "");
    return v;
}

static const char *coordinates_name(struct reader *r, LLVMValueRef at)
{
    const char *letter = scalar_type(LLVMTypeOf(at)) == int_type(r, 32) ? "i" : "f";
    unsigned n = vector_count(LLVMTypeOf(at));
    return n ? cc_printf(r->cc, "Dv%u_%s", n, letter) : letter;
}

/* Of an image: what get_image_... says. */
static LLVMValueRef query(struct reader *r, const char *name, LLVMValueRef image, const struct type *t)
{
    struct arguments a = {.types = ""};
    argument_add(r, &a, image, t->mangled);
    return builtin_call(r, name, int_type(r, 32), &a);
}

/* Does the image hold signed integers? Modules before 1.4 do not say how they read or write one. */
static LLVMValueRef is_signed(struct reader *r, uint32_t i, LLVMValueRef image, const struct type *t)
{
    uint32_t mask = i < r->noperands ? r->operands[i] : 0;
    if (mask & (SIGN_EXTEND | ZERO_EXTEND)) return LLVMConstInt(int_type(r, 1), mask & SIGN_EXTEND ? 1 : 0, false);
    LLVMValueRef type = query(r, "get_image_channel_data_type", image, t);
    LLVMValueRef above = LLVMBuildSub(r->b, type, int_value(r, SIGNED_INT8), "");
    return LLVMBuildICmp(r->b, LLVMIntULE, above, int_value(r, SIGNED_INT32 - SIGNED_INT8), "");
}

/* A read of an image; the result is of the module's type: depth is one number there, or the first of four. */
static LLVMValueRef read_as(struct reader *r, const char *name, const struct type *t, const struct arguments *a)
{
    bool depth = strstr(t->mangled, "_depth"), one = r->type->op == OP_TypeFloat;
    LLVMTypeRef element = scalar_type(r->type->llvm), four = LLVMVectorType(element, 4);
    LLVMValueRef v = builtin_call(r, name, depth ? element : four, a);
    if (depth && !one) return LLVMBuildInsertElement(r->b, LLVMConstNull(four), v, int_value(r, 0), "");
    return !depth && one ? LLVMBuildExtractElement(r->b, v, int_value(r, 0), "") : v;
}

/* `i`: where the image operands begin. Images have one level, so it does not matter which is asked for. */
static LLVMValueRef read_any(struct reader *r, LLVMValueRef image, const struct type *t, struct arguments *a,
                             uint32_t i)
{
    LLVMTypeRef element = r->type->llvm ? scalar_type(r->type->llvm) : NULL;
    if (element == LLVMFloatTypeInContext(r->cc->context)) return read_as(r, "read_imagef", t, a);
    if (element != int_type(r, 32)) spirv_error(r, "texels are not of its type");
    LLVMValueRef as_signed = read_as(r, "read_imagei", t, a), as_unsigned = read_as(r, "read_imageui", t, a);
    return LLVMBuildSelect(r->b, is_signed(r, i, image, t), as_signed, as_unsigned, "");
}

LLVMValueRef read_image_sample(struct reader *r)
{
    struct id *pair = operand_value_id(r, 0);
    struct arguments a = {.types = ""};
    if (pair->type->op != OP_TypeSampledImage) spirv_error(r, "%%%u is no sampled image", r->operands[0]);
    const struct type *t = pair->type->element;
    LLVMValueRef at = coordinates(r, operand_value(r, 1), t->count);
    argument_add(r, &a, pair->value, t->mangled);
    argument_add(r, &a, pair->second, "11ocl_sampler");
    argument_add(r, &a, at, coordinates_name(r, at));
    return read_any(r, pair->value, t, &a, 2);
}

LLVMValueRef read_image_read(struct reader *r)
{
    const struct type *t = image_type(r, 0);
    LLVMValueRef image = operand_value(r, 0), at = coordinates(r, operand_value(r, 1), t->count);
    struct arguments a = {.types = ""};
    argument_add(r, &a, image, t->mangled);
    argument_add(r, &a, at, coordinates_name(r, at));
    return read_any(r, image, t, &a, 2);
}

static void write_as(struct reader *r, const char *name, struct arguments a, LLVMValueRef texel, const char *type)
{
    argument_add(r, &a, texel, type);
    builtin_call(r, name, LLVMVoidTypeInContext(r->cc->context), &a);
}

/* The block is divided: what is written differs where a value does not fit. */
static void write_integers(struct reader *r, const struct type *t, const struct arguments *a, LLVMValueRef texel)
{
    LLVMValueRef f = r->function->value, condition = is_signed(r, 3, a->value[0], t);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(r->b), next = LLVMGetNextBasicBlock(here), blocks[3];
    for (int i = 0; i < 3; i++) {
        blocks[i] = next ? LLVMInsertBasicBlockInContext(r->cc->context, next, "")
                         : LLVMAppendBasicBlockInContext(r->cc->context, f, "");
    }
    LLVMBuildCondBr(r->b, condition, blocks[0], blocks[1]);
    LLVMPositionBuilderAtEnd(r->b, blocks[0]);
    write_as(r, "write_imagei", *a, texel, "Dv4_i");
    LLVMBuildBr(r->b, blocks[2]);
    LLVMPositionBuilderAtEnd(r->b, blocks[1]);
    write_as(r, "write_imageui", *a, texel, "Dv4_j");
    LLVMBuildBr(r->b, blocks[2]);
    LLVMPositionBuilderAtEnd(r->b, blocks[2]);
}

LLVMValueRef read_image_write(struct reader *r)
{
    const struct type *t = image_type(r, 0);
    LLVMValueRef at = coordinates(r, operand_value(r, 1), t->count), texel = operand_value(r, 2);
    LLVMTypeRef type = LLVMTypeOf(texel), number = LLVMFloatTypeInContext(r->cc->context);
    bool depth = strstr(t->mangled, "_depth");
    struct arguments a = {.types = ""};
    argument_add(r, &a, operand_value(r, 0), t->mangled);
    argument_add(r, &a, at, coordinates_name(r, at));
    if (depth && vector_count(type) && scalar_type(type) == number)
        texel = LLVMBuildExtractElement(r->b, texel, int_value(r, 0), ""), type = number;
    if (depth && type == number) write_as(r, "write_imagef", a, texel, "f");
    else if (!depth && type == LLVMVectorType(number, 4)) write_as(r, "write_imagef", a, texel, "Dv4_f");
    else if (!depth && type == LLVMVectorType(int_type(r, 32), 4)) write_integers(r, t, &a, texel);
    else spirv_error(r, "texels are not of this type");
    return NULL;
}

/* Width, height or layers, depth or layers: as many as the image has coordinates. */
LLVMValueRef read_image_size(struct reader *r)
{
    const struct type *t = image_type(r, 0);
    LLVMValueRef image = operand_value(r, 0), size;
    bool layered = strstr(t->mangled, "_array");
    unsigned n = t->count;
    if (!r->type->llvm || scalar_type(r->type->llvm) != int_type(r, 32) ||
        (vector_count(r->type->llvm) ? vector_count(r->type->llvm) : 1) != n)
        spirv_error(r, "its type is not that of the image's size");
    size = query(r, "get_image_width", image, t);
    if (n == 1) return size;
    LLVMValueRef v = LLVMBuildInsertElement(r->b, LLVMGetUndef(r->type->llvm), size, int_value(r, 0), "");
    for (unsigned i = 1; i < n; i++) {
        const char *name = layered && i == n - 1 ? "get_image_array_size"
                           : i == 1              ? "get_image_height"
                                                 : "get_image_depth";
        v = LLVMBuildInsertElement(r->b, v, query(r, name, image, t), int_value(r, i), "");
    }
    return v;
}

/* OpenCL numbers orders and types of channels from `how` on. */
LLVMValueRef read_image_query(struct reader *r)
{
    const char *name = r->op->number == OP_ImageQueryFormat ? "get_image_channel_data_type" : "get_image_channel_order";
    const struct type *t = image_type(r, 0);
    return LLVMBuildSub(r->b, query(r, name, operand_value(r, 0), t), int_value(r, (unsigned)r->op->how), "");
}
