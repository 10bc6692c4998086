/* Instructions of small extensions: bit fields, dot products of integers, clocks. Called by spirv.c. */
#include "compiler/spirv/reader.h"

static bool is_integer(const struct type *t) { return (t->op == OP_TypeVector ? t->element->op : t->op) == OP_TypeInt; }

/* An operand that is an integer or a vector of them; returns its type. */
static const struct type *add_integers(struct reader *r, struct arguments *a, uint32_t i, char sign)
{
    const struct type *type = operand_value_id(r, i)->type;
    if (!is_integer(type)) spirv_error(r, "%%%u is no integer", r->operands[i]);
    argument_add(r, a, operand_value(r, i), type_name_of(r, type, sign, ""));
    return type;
}

/* ---- bit fields ---- */

/* Where a field begins, or how long it is: an integer of any type. */
static void add_place(struct reader *r, struct arguments *a, uint32_t i)
{
    if (operand_value_id(r, i)->type->op != OP_TypeInt) spirv_error(r, "%%%u is no integer", r->operands[i]);
    argument_add(r, a, LLVMBuildIntCast2(r->b, operand_value(r, i), int_type(r, 32), false, ""), "j");
}

LLVMValueRef read_bits(struct reader *r)
{
    static const char *const names[] = {"bitfield_insert", "bitfield_extract_signed", "bitfield_extract_unsigned",
                                        "bit_reverse"};
    const uint32_t op = r->op->number;
    const bool inserts = op == OP_BitFieldInsert;
    struct arguments a = {.types = ""};
    for (uint32_t i = 0; i < 1u + inserts; i++)
        if (add_integers(r, &a, i, op == OP_BitFieldUExtract ? 'u' : 's')->llvm != r->type->llvm)
            spirv_error(r, "%%%u has not the result's type", r->operands[i]);
    if (op != OP_BitReverse)
        for (uint32_t i = 1u + inserts; i < 3u + inserts; i++) add_place(r, &a, i);
    return builtin_call(r, names[op - OP_BitFieldInsert], r->type->llvm, &a);
}

/* ---- dot products ---- */

/* A vector of integers as one of the result's type; with `format` it is packed in a word. */
static LLVMValueRef dot_operand(struct reader *r, uint32_t i, uint32_t format, bool is_signed)
{
    enum { PACKED_4X8 = 0 };
    LLVMValueRef v = operand_value(r, i);
    if (LLVMTypeOf(v) == int_type(r, 32) && format < r->noperands && r->operands[format] == PACKED_4X8)
        v = LLVMBuildBitCast(r->b, v, LLVMVectorType(int_type(r, 8), 4), "");
    const LLVMTypeRef type = LLVMTypeOf(v);
    const unsigned n = vector_count(type);
    if (!n || LLVMGetTypeKind(LLVMGetElementType(type)) != LLVMIntegerTypeKind)
        spirv_error(r, "%%%u is no vector of integers, or of 4 bytes in a word", r->operands[i]);
    if (LLVMGetIntTypeWidth(LLVMGetElementType(type)) > r->type->count) spirv_error(r, "its result has too few bits");
    return LLVMBuildIntCast2(r->b, v, LLVMVectorType(r->type->llvm, n), is_signed, "");
}

/* Two vectors, what is added to the product with saturation, the format. */
LLVMValueRef read_dot(struct reader *r)
{
    const bool adds = r->op->number >= OP_SDotAccSat;
    const uint32_t kind = r->op->number - (adds ? OP_SDotAccSat : OP_SDot), format = 2u + adds;
    enum { SIGNED, UNSIGNED, MIXED };
    if (r->type->op != OP_TypeInt) spirv_error(r, "its result is no integer");
    LLVMValueRef v = dot_operand(r, 0, format, kind != UNSIGNED), w = dot_operand(r, 1, format, kind == SIGNED);
    if (LLVMTypeOf(v) != LLVMTypeOf(w)) spirv_error(r, "its vectors are not of the same length");
    LLVMValueRef products = LLVMBuildMul(r->b, v, w, ""), sum = NULL;
    for (unsigned i = 0; i < vector_count(LLVMTypeOf(products)); i++) {
        LLVMValueRef part = LLVMBuildExtractElement(r->b, products, int_value(r, i), "");
        sum = sum ? LLVMBuildAdd(r->b, sum, part, "") : part;
    }
    if (!adds) return sum;
    struct arguments a = {.types = ""};
    const char *type = type_name_of(r, r->type, kind == UNSIGNED ? 'u' : 's', "");
    argument_add(r, &a, sum, type);
    argument_add(r, &a, operand_of(r, 2, r->type->llvm), type);
    return builtin_call(r, "add_sat", r->type->llvm, &a);
}

/* ---- clocks ---- */

LLVMValueRef read_clock(struct reader *r)
{
    const struct arguments none = {.types = "v"};
    const bool words = r->type->llvm == LLVMVectorType(int_type(r, 32), 2);
    if (!words && r->type->llvm != int_type(r, 64)) spirv_error(r, "its result is neither 64 bits nor two words");
    return builtin_call(r, cc_printf(r->cc, "clock_read_%s%s", words ? "hilo_" : "", group_name(r, 0)), r->type->llvm,
                        &none);
}
