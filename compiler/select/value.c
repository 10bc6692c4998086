/* Operands: IR values and constants as 32-bit parts.
 *
 * A value has the parts that its instruction was given; a constant its bits, or the address of a constant or local
 * variable. Instructions needed for one go to the current block, so nothing of a constant lives longer than its
 * block. */
#include "compiler/select/select.h"

#include <string.h>

/* ---- constants ---- */

/* Offset from s0 of a local variable; they are laid out in order of first use. */
uint32_t local_offset(struct func *f, LLVMValueRef global)
{
    for (uint32_t i = 0; i < f->nlocals; i++)
        if (f->locals[i].global == global) return f->locals[i].offset;
    LLVMTypeRef type = LLVMGlobalGetValueType(global);
    uint64_t size = type_size(f, type), align = LLVMGetAlignment(global);
    if (align < LLVMABIAlignmentOfType(f->data, type)) align = LLVMABIAlignmentOfType(f->data, type);
    if (align < 4) align = 4;
    if (align > ABI_WARP_STACK) fail(f, "a local variable with an alignment of %u bytes", (unsigned)align);
    uint64_t at = (f->lds_bytes + align - 1) & ~(align - 1);
    if (at + size > ABI_LOCAL_LIMIT - ABI_LOCAL_BASE)
        fail(f, "local variables of %llu bytes", (unsigned long long)(at + size));
    f->locals = cc_grow(f->cc, f->locals, f->nlocals, &f->locals_cap, sizeof *f->locals);
    f->locals[f->nlocals++] = (struct local){global, (uint32_t)at};
    f->lds_bytes = (uint32_t)(at + size);
    return (uint32_t)at;
}

static struct opd global_address(struct func *f, LLVMValueRef global)
{
    size_t n;
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(global));
    if (LLVMIsAGlobalVariable(global) && space == 3)
        return alu(f, ADD, opd_reg(f->local_base), opd_imm(local_offset(f, global)));
    if (LLVMIsAGlobalVariable(global) && f->cc->object && (space == 1 || space == 2)) {
        int32_t reg = new_vreg(f, CLASS_S);
        emit(f, OP_AUIPC, reg, 0, 0, (int32_t)rodata_name(f->cc, global));
        return opd_reg(reg);
    }
    if (LLVMIsAGlobalVariable(global) && space == 2) return opd_imm(rodata_address(f->cc, global));
    if (LLVMIsAGlobalVariable(global) && space == 1) return opd_imm(variable_address(f->cc, global));
    if (LLVMIsAFunction(global)) fail(f, "the address of function %s", LLVMGetValueName2(global, &n));
    fail(f, "variable %s in address space %u", LLVMGetValueName2(global, &n), space);
}

static struct opd expression(struct func *f, LLVMValueRef v)
{
    uint32_t offset = 0;
    LLVMValueRef base;
    switch (LLVMGetConstOpcode(v)) {
    case LLVMGetElementPtr:
        base = address_base(f, v, &offset);
        if (base == v) fail(f, "a constant address the back end does not know");
        return alu(f, ADD, parts(f, base)[0], opd_imm(offset));
    case LLVMAdd: return alu(f, ADD, parts(f, LLVMGetOperand(v, 0))[0], parts(f, LLVMGetOperand(v, 1))[0]);
    case LLVMSub: return alu(f, SUB, parts(f, LLVMGetOperand(v, 0))[0], parts(f, LLVMGetOperand(v, 1))[0]);
    case LLVMBitCast:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMAddrSpaceCast:
    case LLVMTrunc: return parts(f, LLVMGetOperand(v, 0))[0];
    default: fail(f, "a constant the back end does not know: %s", text_of(f, v));
    }
}

static void fill_bits(struct opd *out, unsigned n, uint64_t bits_)
{
    out[0] = opd_imm((uint32_t)bits_);
    if (n > 1) out[1] = opd_imm((uint32_t)(bits_ >> 32));
}

static void fill_float(struct func *f, LLVMValueRef v, struct opd *out)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMValueRef as_int = LLVMConstBitCast(v, LLVMIntTypeInContext(f->cc->context, type_bits(type)));
    if (!LLVMIsAConstantInt(as_int)) fail(f, "a floating-point constant the back end does not know");
    fill_bits(out, type_parts(f, type), LLVMConstIntGetZExtValue(as_int));
}

static void fill(struct func *f, LLVMValueRef v, struct opd *out);

static void fill_members(struct func *f, LLVMValueRef v, LLVMTypeRef type, struct opd *out)
{
    bool is_struct = LLVMGetTypeKind(type) == LLVMStructTypeKind;
    unsigned n = is_struct                                     ? LLVMCountStructElementTypes(type)
                 : LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type)
                                                               : (unsigned)LLVMGetArrayLength2(type);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef e = LLVMGetAggregateElement(v, i);
        if (!e) fail(f, "an aggregate constant the back end does not know");
        fill(f, e, out + member_part(f, type, i));
    }
}

/* A constant of more than 64 bits, word by word: LLVM-C gives no other access to it. */
static void fill_wide(struct func *f, LLVMValueRef v, struct opd *out, unsigned n)
{
    LLVMBuilderRef folds = LLVMCreateBuilderInContext(f->cc->context);
    LLVMTypeRef word = LLVMInt32TypeInContext(f->cc->context);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef rest = LLVMBuildLShr(folds, v, LLVMConstInt(LLVMTypeOf(v), 32 * i, false), "");
        out[i] = opd_imm((uint32_t)LLVMConstIntGetZExtValue(LLVMConstTrunc(rest, word)));
    }
    LLVMDisposeBuilder(folds);
}

static void fill(struct func *f, LLVMValueRef v, struct opd *out)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    unsigned n = type_parts(f, type);
    for (unsigned i = 0; i < n; i++) out[i] = opd_imm(0);
    if (LLVMIsUndef(v) || (LLVMIsConstant(v) && LLVMIsNull(v))) return; /* undefined bits may as well be 0 */
    if (LLVMIsAConstantInt(v)) {
        if (LLVMGetIntTypeWidth(type) > 64) fill_wide(f, v, out, n);
        else fill_bits(out, n, LLVMConstIntGetZExtValue(v));
        return;
    }
    switch (LLVMGetTypeKind(type)) {
    case LLVMHalfTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
        if (!LLVMIsAConstantFP(v)) break;
        fill_float(f, v, out);
        return;
    case LLVMVectorTypeKind:
    case LLVMArrayTypeKind:
    case LLVMStructTypeKind: fill_members(f, v, type, out); return;
    default: break;
    }
    if (LLVMIsAGlobalValue(v)) out[0] = global_address(f, v);
    else if (LLVMIsAConstantExpr(v)) out[0] = expression(f, v);
    else fail(f, "an operand the back end does not know: %s", text_of(f, v));
}

static const struct opd *constant_parts(struct func *f, LLVMValueRef v)
{
    unsigned n = type_parts(f, LLVMTypeOf(v));
    struct opd *out = cc_alloc(f->cc, (n + 1) * sizeof *out);
    fill(f, v, out);
    return out;
}

/* ---- values ---- */

const struct opd *parts(struct func *f, LLVMValueRef v)
{
    uint32_t n = value_of(f, v);
    if (n == NO_NODE) return constant_parts(f, v);
    if (!f->values[n].parts) fail(f, "a value is used before it is computed");
    return f->values[n].parts;
}
