/* Instructions that compute: on numbers, on vectors and other values of several parts. */
#include <string.h>

#include "compiler/spirv/reader.h"

unsigned vector_count(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 0;
}

LLVMTypeRef scalar_type(LLVMTypeRef type) { return vector_count(type) ? LLVMGetElementType(type) : type; }

static bool is_int(LLVMTypeRef type) { return LLVMGetTypeKind(scalar_type(type)) == LLVMIntegerTypeKind; }

static bool is_float(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(scalar_type(type));
    return kind == LLVMHalfTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
}

static unsigned bits_of(LLVMTypeRef type)
{
    LLVMTypeRef t = scalar_type(type);
    switch (LLVMGetTypeKind(t)) {
    case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(t);
    case LLVMHalfTypeKind: return 16;
    case LLVMFloatTypeKind: return 32;
    case LLVMDoubleTypeKind: return 64;
    default: return 0;
    }
}

/* An operand that is a number or a vector of them. */
static LLVMValueRef number(struct reader *r, uint32_t i, bool of_float)
{
    LLVMValueRef v = operand_value(r, i);
    if (!(of_float ? is_float : is_int)(LLVMTypeOf(v)))
        spirv_error(r, "%%%u is of no %s type", r->operands[i], of_float ? "floating-point" : "integer");
    return v;
}

static LLVMTypeRef like(LLVMTypeRef scalar, LLVMTypeRef shape)
{
    return vector_count(shape) ? LLVMVectorType(scalar, vector_count(shape)) : scalar;
}

/* A vector of `n` times this, or itself if `n` is 0. */
static LLVMValueRef splat(struct reader *r, LLVMValueRef scalar, unsigned n)
{
    if (!n) return scalar;
    LLVMValueRef v = LLVMGetUndef(LLVMVectorType(LLVMTypeOf(scalar), n));
    for (unsigned i = 0; i < n; i++) v = LLVMBuildInsertElement(r->b, v, scalar, int_value(r, i), "");
    return v;
}

static LLVMValueRef constant_like(struct reader *r, LLVMTypeRef type, double value)
{
    return splat(r, LLVMConstReal(scalar_type(type), value), vector_count(type));
}

/* ---- arithmetic ---- */

static bool is_float_operation(int op)
{
    return op == LLVMFAdd || op == LLVMFSub || op == LLVMFMul || op == LLVMFDiv || op == LLVMFRem;
}

LLVMValueRef read_binary(struct reader *r)
{
    LLVMValueRef a = number(r, 0, is_float_operation(r->op->how)), b = operand_of(r, 1, LLVMTypeOf(a));
    return LLVMBuildBinOp(r->b, (LLVMOpcode)r->op->how, a, b, "");
}

/* How far may be said in another width. */
LLVMValueRef read_shift(struct reader *r)
{
    LLVMValueRef a = number(r, 0, false), by = number(r, 1, false);
    if (vector_count(LLVMTypeOf(a)) != vector_count(LLVMTypeOf(by))) spirv_error(r, "the vectors differ in size");
    by = LLVMBuildIntCast2(r->b, by, LLVMTypeOf(a), false, "");
    return LLVMBuildBinOp(r->b, (LLVMOpcode)r->op->how, a, by, "");
}

enum { FLOAT_COMPARE = 64 };

LLVMValueRef read_compare(struct reader *r)
{
    int how = r->op->how;
    LLVMValueRef a = number(r, 0, how >= FLOAT_COMPARE), b = operand_of(r, 1, LLVMTypeOf(a));
    if (how >= FLOAT_COMPARE) return LLVMBuildFCmp(r->b, (LLVMRealPredicate)(how - FLOAT_COMPARE), a, b, "");
    return LLVMBuildICmp(r->b, (LLVMIntPredicate)how, a, b, "");
}

LLVMValueRef read_unary(struct reader *r)
{
    LLVMValueRef a = number(r, 0, r->op->how == 'f');
    if (r->op->how == 'f') return LLVMBuildFNeg(r->b, a, "");
    return r->op->how == 'n' ? LLVMBuildNeg(r->b, a, "") : LLVMBuildNot(r->b, a, "");
}

/* The remainder with the sign of the divisor. */
LLVMValueRef read_modulo(struct reader *r)
{
    bool of_float = r->op->how == LLVMFRem;
    LLVMValueRef a = number(r, 0, of_float), b = operand_of(r, 1, LLVMTypeOf(a)), zero = LLVMConstNull(LLVMTypeOf(a));
    LLVMValueRef rest = LLVMBuildBinOp(r->b, (LLVMOpcode)r->op->how, a, b, ""), differs, some, sum;
    if (of_float) {
        LLVMValueRef less = LLVMBuildFCmp(r->b, LLVMRealOLT, rest, zero, "");
        differs = LLVMBuildXor(r->b, less, LLVMBuildFCmp(r->b, LLVMRealOLT, b, zero, ""), "");
        some = LLVMBuildFCmp(r->b, LLVMRealONE, rest, zero, "");
        sum = LLVMBuildFAdd(r->b, rest, b, "");
    } else {
        LLVMValueRef less = LLVMBuildICmp(r->b, LLVMIntSLT, rest, zero, "");
        differs = LLVMBuildXor(r->b, less, LLVMBuildICmp(r->b, LLVMIntSLT, b, zero, ""), "");
        some = LLVMBuildICmp(r->b, LLVMIntNE, rest, zero, "");
        sum = LLVMBuildAdd(r->b, rest, b, "");
    }
    return LLVMBuildSelect(r->b, LLVMBuildAnd(r->b, differs, some, ""), sum, rest, "");
}

/* A struct of the low and the high part, or of the sum and what is carried. */
LLVMValueRef read_wide(struct reader *r)
{
    LLVMValueRef a = number(r, 0, false), b = operand_of(r, 1, LLVMTypeOf(a)), low, high;
    LLVMTypeRef type = LLVMTypeOf(a);
    const struct type *t = r->type;
    if (t->op != OP_TypeStruct || t->count != 2 || t->members[0]->llvm != type || t->members[1]->llvm != type)
        spirv_error(r, "its type is no struct of two such numbers");
    if (r->op->how == LLVMAdd || r->op->how == LLVMSub) {
        low = LLVMBuildBinOp(r->b, (LLVMOpcode)r->op->how, a, b, "");
        LLVMValueRef carried = r->op->how == LLVMAdd ? LLVMBuildICmp(r->b, LLVMIntULT, low, a, "")
                                                     : LLVMBuildICmp(r->b, LLVMIntULT, a, b, "");
        high = LLVMBuildZExt(r->b, carried, type, "");
    } else {
        struct arguments args = {.types = ""};
        const char *name = type_name_of(r, t->members[0], (char)r->op->how, "");
        argument_add(r, &args, a, name);
        argument_add(r, &args, b, name);
        low = LLVMBuildMul(r->b, a, b, "");
        high = builtin_call(r, "mul_hi", type, &args);
    }
    LLVMValueRef pair = LLVMBuildInsertValue(r->b, LLVMGetUndef(t->llvm), low, 0, "");
    return LLVMBuildInsertValue(r->b, pair, high, 1, "");
}

LLVMValueRef read_scale(struct reader *r)
{
    LLVMValueRef v = number(r, 0, true), scalar = operand_of(r, 1, scalar_type(LLVMTypeOf(v)));
    return LLVMBuildFMul(r->b, v, splat(r, scalar, vector_count(LLVMTypeOf(v))), "");
}

/* ---- truth ---- */

/* By the bits without the sign: those of infinity are the exponent's. */
LLVMValueRef read_classify(struct reader *r)
{
    LLVMValueRef a = number(r, 0, true);
    LLVMTypeRef type = LLVMTypeOf(a), bits = like(int_type(r, bits_of(type)), type);
    if (r->op->how == 'n') return LLVMBuildFCmp(r->b, LLVMRealUNO, a, a, "");
    LLVMValueRef word = LLVMBuildBitCast(r->b, a, bits, "");
    if (r->op->how == 's') return LLVMBuildICmp(r->b, LLVMIntSLT, word, LLVMConstNull(bits), "");
    unsigned mantissa = bits_of(type) == 16 ? 10 : bits_of(type) == 32 ? 23 : 52;
    LLVMValueRef unsign =
        splat(r, LLVMConstInt(scalar_type(bits), ~(uint64_t)0 >> (65 - bits_of(type)), false), vector_count(bits));
    LLVMValueRef infinity = LLVMConstBitCast(constant_like(r, type, __builtin_inf()), bits);
    LLVMValueRef least = splat(r, LLVMConstInt(scalar_type(bits), (uint64_t)1 << mantissa, false), vector_count(bits));
    word = LLVMBuildAnd(r->b, word, unsign, "");
    if (r->op->how == 'i') return LLVMBuildICmp(r->b, LLVMIntEQ, word, infinity, "");
    LLVMValueRef finite = LLVMBuildICmp(r->b, LLVMIntULT, word, infinity, "");
    if (r->op->how == 'f') return finite;
    return LLVMBuildAnd(r->b, finite, LLVMBuildICmp(r->b, LLVMIntUGE, word, least, ""), "");
}

LLVMValueRef read_any_all(struct reader *r)
{
    LLVMValueRef v = operand_value(r, 0), all = NULL;
    if (scalar_type(LLVMTypeOf(v)) != int_type(r, 1) || !vector_count(LLVMTypeOf(v)))
        spirv_error(r, "it needs a vector of truth values");
    for (unsigned i = 0; i < vector_count(LLVMTypeOf(v)); i++) {
        LLVMValueRef one = LLVMBuildExtractElement(r->b, v, int_value(r, i), "");
        all = all ? LLVMBuildBinOp(r->b, (LLVMOpcode)r->op->how, all, one, "") : one;
    }
    return all;
}

LLVMValueRef read_select(struct reader *r)
{
    LLVMValueRef condition = operand_value(r, 0), a = operand_value(r, 1), b = operand_of(r, 2, LLVMTypeOf(a));
    unsigned n = vector_count(LLVMTypeOf(condition));
    if (scalar_type(LLVMTypeOf(condition)) != int_type(r, 1) || (n && n != vector_count(LLVMTypeOf(a))))
        spirv_error(r, "the condition is no truth value, or of another size");
    if (LLVMGetTypeKind(LLVMTypeOf(a)) == LLVMTargetExtTypeKind) spirv_error(r, "such objects cannot be chosen");
    return LLVMBuildSelect(r->b, condition, a, b, "");
}

/* ---- conversions ---- */

/* convert_TYPE with what the decorations of the result ask for; `from`, `to`: signs. */
static LLVMValueRef convert_call(struct reader *r, char from, char to, bool saturated)
{
    static const char *const roundings[] = {"_rte", "_rtz", "_rtp", "_rtn"};
    static const char *const ints[] = {[1] = "char", [2] = "short", [4] = "int", [8] = "long"};
    static const char *const floats[] = {[2] = "half", [4] = "float", [8] = "double"};
    const uint32_t *rounding = decoration(r->result, DECORATION_ROUNDING);
    const struct type *t = r->type->op == OP_TypeVector ? r->type->element : r->type;
    struct arguments a = {.types = ""};
    if (rounding && *rounding > 3) spirv_error(r, "there is no rounding mode %u", *rounding);
    const char *n = r->type->op == OP_TypeVector ? cc_printf(r->cc, "%u", r->type->count) : "";
    bool of_float = t->op == OP_TypeFloat;
    const char *name =
        cc_printf(r->cc, "convert_%s%s%s%s%s", !of_float && to == 'u' ? "u" : "", (of_float ? floats : ints)[t->size],
                  n, saturated ? "_sat" : "", rounding ? roundings[*rounding] : "");
    argument_add(r, &a, operand_value(r, 0), type_name_of(r, operand_value_id(r, 0)->type, from, ""));
    return builtin_call(r, name, r->type->llvm, &a);
}

static bool is_number_type(const struct type *t)
{
    if (t->op == OP_TypeVector) t = t->element;
    return t->op == OP_TypeInt || t->op == OP_TypeFloat;
}

/* Of LLVM's widening cast, or that in the other direction. */
static LLVMOpcode cast_of(struct reader *r, LLVMTypeRef from, LLVMTypeRef to)
{
    LLVMOpcode op = (LLVMOpcode)r->op->how;
    bool narrower = bits_of(to) < bits_of(from);
    if (op == LLVMFPExt) return narrower ? LLVMFPTrunc : op;
    if (op == LLVMZExt || op == LLVMSExt) return narrower ? LLVMTrunc : op;
    return op;
}

LLVMValueRef read_convert(struct reader *r)
{
    int how = r->op->how;
    bool from_float = how == LLVMFPToUI || how == LLVMFPToSI || how == LLVMFPExt;
    bool to_float = how == LLVMSIToFP || how == LLVMUIToFP || how == LLVMFPExt;
    LLVMValueRef v = number(r, 0, from_float);
    LLVMTypeRef from = LLVMTypeOf(v), to = r->type->llvm;
    if (!is_number_type(r->type) || !(to_float ? is_float : is_int)(to) || vector_count(from) != vector_count(to) ||
        !is_number_type(operand_value_id(r, 0)->type))
        spirv_error(r, "it does not convert between these types");
    bool saturated = decoration(r->result, DECORATION_SATURATED) && !to_float;
    bool is_unsigned = how == LLVMFPToUI || how == LLVMUIToFP || how == LLVMZExt;
    if (r->label && (saturated || (decoration(r->result, DECORATION_ROUNDING) && (from_float || to_float))))
        return convert_call(r, is_unsigned ? 'u' : 's', is_unsigned ? 'u' : 's', saturated);
    if (from == to) return v;
    return LLVMBuildCast(r->b, cast_of(r, from, to), v, to, "");
}

LLVMValueRef read_saturate(struct reader *r)
{
    LLVMTypeRef from = LLVMTypeOf(number(r, 0, false));
    if (!is_number_type(r->type) || !is_int(r->type->llvm) || vector_count(from) != vector_count(r->type->llvm) ||
        !is_number_type(operand_value_id(r, 0)->type))
        spirv_error(r, "it does not convert between these types");
    bool from_signed = r->op->number == OP_SatConvertSToU;
    return convert_call(r, from_signed ? 's' : 'u', from_signed ? 'u' : 's', true);
}

static bool is_pointer(LLVMTypeRef type) { return LLVMGetTypeKind(type) == LLVMPointerTypeKind; }

/* Also between pointers, and of pointers to integers and back. */
LLVMValueRef read_bitcast(struct reader *r)
{
    LLVMValueRef v = operand_value(r, 0);
    LLVMTypeRef from = LLVMTypeOf(v), to = r->type->llvm;
    unsigned n = vector_count(from) ? vector_count(from) : 1, m = to && vector_count(to) ? vector_count(to) : 1;
    if (from == to) return v;
    if (to && is_pointer(from) && is_pointer(to)) return LLVMBuildAddrSpaceCast(r->b, v, to, "");
    if (to && is_pointer(from) && is_int(to) && !vector_count(to)) return LLVMBuildPtrToInt(r->b, v, to, "");
    if (to && is_int(from) && !vector_count(from) && is_pointer(to)) return LLVMBuildIntToPtr(r->b, v, to, "");
    if (!to || !bits_of(from) || !bits_of(to) || bits_of(from) * n != bits_of(to) * m)
        spirv_error(r, "the types differ in size, or have no bits");
    return LLVMBuildBitCast(r->b, v, to, "");
}

/* ---- parts ---- */

/* The type of a part of `whole`; ends with an error if there is none of this number. */
static LLVMTypeRef part_of(struct reader *r, LLVMTypeRef whole, uint32_t literal)
{
    LLVMTypeKind kind = LLVMGetTypeKind(whole);
    uint64_t n = kind == LLVMVectorTypeKind   ? LLVMGetVectorSize(whole)
                 : kind == LLVMArrayTypeKind  ? LLVMGetArrayLength2(whole)
                 : kind == LLVMStructTypeKind ? LLVMCountStructElementTypes(whole)
                                              : 0;
    if (literal >= n) spirv_error(r, "there is no part %u", literal);
    return kind == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(whole, literal) : LLVMGetElementType(whole);
}

static LLVMValueRef extract(struct reader *r, LLVMValueRef whole, uint32_t literal)
{
    part_of(r, LLVMTypeOf(whole), literal);
    if (vector_count(LLVMTypeOf(whole))) return LLVMBuildExtractElement(r->b, whole, int_value(r, literal), "");
    return LLVMBuildExtractValue(r->b, whole, literal, "");
}

LLVMValueRef read_extract(struct reader *r)
{
    LLVMValueRef v = operand_value(r, 0);
    for (uint32_t i = 1; i < r->noperands; i++) v = extract(r, v, r->operands[i]);
    return v;
}

static LLVMValueRef insert(struct reader *r, LLVMValueRef whole, LLVMValueRef part, uint32_t literal)
{
    if (part_of(r, LLVMTypeOf(whole), literal) != LLVMTypeOf(part)) spirv_error(r, "the part is of another type");
    if (vector_count(LLVMTypeOf(whole))) return LLVMBuildInsertElement(r->b, whole, part, int_value(r, literal), "");
    return LLVMBuildInsertValue(r->b, whole, part, literal, "");
}

/* From the outside to the part, and back with each whole. */
LLVMValueRef read_insert(struct reader *r)
{
    uint32_t n = r->noperands - 2;
    LLVMValueRef part = operand_value(r, 0), *wholes = cc_alloc(r->cc, (n + 1) * sizeof *wholes);
    wholes[0] = operand_value(r, 1);
    if (!n) return part;
    for (uint32_t i = 1; i < n; i++) wholes[i] = extract(r, wholes[i - 1], r->operands[i + 1]);
    for (uint32_t i = n; i-- > 0;) part = insert(r, wholes[i], part, r->operands[i + 2]);
    return part;
}

static LLVMValueRef vector_operand(struct reader *r, uint32_t i)
{
    LLVMValueRef v = operand_value(r, i);
    if (!vector_count(LLVMTypeOf(v))) spirv_error(r, "%%%u is no vector", r->operands[i]);
    return v;
}

LLVMValueRef read_extract_dynamic(struct reader *r)
{
    LLVMValueRef v = vector_operand(r, 0), at = number(r, 1, false);
    if (vector_count(LLVMTypeOf(at))) spirv_error(r, "the index is a vector");
    return LLVMBuildExtractElement(r->b, v, at, "");
}

LLVMValueRef read_insert_dynamic(struct reader *r)
{
    LLVMValueRef v = vector_operand(r, 0), part = operand_of(r, 1, scalar_type(LLVMTypeOf(v))),
                 at = number(r, 2, false);
    if (vector_count(LLVMTypeOf(at))) spirv_error(r, "the index is a vector");
    return LLVMBuildInsertElement(r->b, v, part, at, "");
}

/* The two vectors may differ in size: their elements are numbered through. */
LLVMValueRef read_shuffle(struct reader *r)
{
    const uint32_t undefined = UINT32_MAX;
    LLVMValueRef a = vector_operand(r, 0), b = vector_operand(r, 1);
    LLVMTypeRef element = scalar_type(LLVMTypeOf(a));
    uint32_t na = vector_count(LLVMTypeOf(a)), nb = vector_count(LLVMTypeOf(b)), n = r->noperands - 2;
    if (scalar_type(LLVMTypeOf(b)) != element) spirv_error(r, "the vectors are of different types");
    if (r->type->op != OP_TypeVector || r->type->count != n) spirv_error(r, "its type has not %u elements", n);
    LLVMValueRef v = LLVMGetUndef(LLVMVectorType(element, n));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t from = r->operands[i + 2];
        if (from == undefined) continue;
        if (from >= na + nb) spirv_error(r, "the vectors have no element %u", from);
        LLVMValueRef one = extract(r, from < na ? a : b, from < na ? from : from - na);
        v = LLVMBuildInsertElement(r->b, v, one, int_value(r, i), "");
    }
    return v;
}

/* A vector is made of its elements, or of shorter vectors one behind the other. */
LLVMValueRef read_construct(struct reader *r)
{
    const struct type *t = r->type;
    if (t->op != OP_TypeVector && t->op != OP_TypeArray && t->op != OP_TypeStruct)
        spirv_error(r, "its type has no parts");
    LLVMValueRef whole = LLVMGetUndef(t->llvm);
    uint32_t at = 0;
    for (uint32_t i = 0; i < r->noperands; i++) {
        LLVMValueRef part = operand_value(r, i);
        unsigned n = t->op == OP_TypeVector ? vector_count(LLVMTypeOf(part)) : 0;
        for (unsigned j = 0; j < n; j++) whole = insert(r, whole, extract(r, part, j), at++);
        if (!n) whole = insert(r, whole, part, at++);
    }
    if (at != t->count) spirv_error(r, "%u parts are given, %u needed", at, t->count);
    return whole;
}
