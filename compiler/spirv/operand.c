/* What instructions name: rows of the table, ids, types, values; and what is said when they are not what they should
 * be. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/spirv/reader.h"

static int compare_number(const void *number, const void *row)
{
    return (int)*(const uint32_t *)number - ((const struct op *)row)->number;
}

const struct op *op_find(const struct reader *r, uint32_t number)
{
    return bsearch(&number, r->ops, r->nops, sizeof *r->ops, compare_number);
}

void spirv_error(struct reader *r, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!r->op) cc_error(r->cc, CC_FAILED, NULL, "SPIR-V: %s", text);
    cc_error(r->cc, CC_FAILED, NULL, "SPIR-V, word %u, Op%s: %s", r->at, r->op->name, text);
}

/* ---- operands ---- */

static uint32_t operand(struct reader *r, uint32_t i)
{
    if (i >= r->noperands) spirv_error(r, "operand %u is missing", i + 1);
    return r->operands[i];
}

struct id *id_of(struct reader *r, uint32_t number)
{
    if (!number || number >= r->bound) spirv_error(r, "%%%u is no id below the bound %u", number, r->bound);
    return &r->ids[number];
}

struct id *operand_id(struct reader *r, uint32_t i) { return id_of(r, operand(r, i)); }

struct type *type_of(struct reader *r, uint32_t number)
{
    struct id *id = id_of(r, number);
    if (id->kind != ID_TYPE) spirv_error(r, "%%%u is no type", number);
    return id->type;
}

struct type *operand_type(struct reader *r, uint32_t i) { return type_of(r, operand(r, i)); }

struct id *operand_value_id(struct reader *r, uint32_t i)
{
    struct id *id = operand_id(r, i);
    if (id->kind != ID_VALUE || id->type->op == OP_TypeVoid)
        spirv_error(r, "%%%u is no value, or comes later", operand(r, i));
    return id;
}

LLVMValueRef operand_value(struct reader *r, uint32_t i)
{
    struct id *id = operand_value_id(r, i);
    if (!id->type->llvm) spirv_error(r, "%%%u is a sampled image, which only sampling takes", operand(r, i));
    if (!id->value) spirv_error(r, "%%%u is known in functions only", operand(r, i));
    return id->value;
}

LLVMValueRef operand_of(struct reader *r, uint32_t i, LLVMTypeRef type)
{
    LLVMValueRef value = operand_value(r, i);
    if (LLVMTypeOf(value) != type) spirv_error(r, "%%%u has not the type that is needed here", operand(r, i));
    return value;
}

uint64_t constant_of(struct reader *r, uint32_t number)
{
    const struct id *id = id_of(r, number);
    if (id->kind != ID_VALUE || !id->value || !LLVMIsAConstantInt(id->value))
        spirv_error(r, "%%%u is no constant integer", number);
    return LLVMConstIntGetZExtValue(id->value);
}

uint64_t operand_constant(struct reader *r, uint32_t i) { return constant_of(r, operand(r, i)); }

const char *operand_text(struct reader *r, uint32_t i, uint32_t *next)
{
    operand(r, i);
    const char *text = (const char *)(r->operands + i);
    size_t room = (r->noperands - i) * sizeof(uint32_t), length = strnlen(text, room);
    if (length == room) spirv_error(r, "a string does not end");
    if (next) *next = i + (uint32_t)(length / sizeof(uint32_t)) + 1;
    return text;
}

const uint32_t *decoration(const struct id *id, enum decoration which)
{
    return id->decorations ? id->decorations->of[which] : NULL;
}

LLVMTypeRef int_type(struct reader *r, unsigned bits) { return LLVMIntTypeInContext(r->cc->context, bits); }

LLVMValueRef int_value(struct reader *r, uint64_t value) { return LLVMConstInt(int_type(r, 32), value, false); }
