/* Routines: functions of the library that stay functions (README.md, "Routines").
 *
 * A routine finds its arguments in the vector registers from ROUTINE_ARGS on, each part of 32 bits in one, and leaves
 * its result in those from ROUTINE_RESULT on. Callers keep no values in any register that a routine may write, so a
 * call is moves and a jump. Moves into these registers are marked as kept: nothing that follows reads them by name. */
#include "compiler/backend.h"

#include <string.h>

/* A vector register of the calling convention, under a new name each time: what it holds changes with each call. */
static int32_t fixed_register(struct func *f, unsigned at)
{
    int32_t reg = new_vreg(f, CLASS_V);
    f->vregs[reg].fixed = true;
    f->vregs[reg].phys = (int16_t)at;
    return reg;
}

static void put_at(struct func *f, unsigned at, struct opd value)
{
    int32_t reg = fixed_register(f, at);
    if (is_v(f, value)) emit(f, OP_VMV_V_V, reg, value.reg, 0, 0)->keep = true;
    else if (is_imm(value) && (int32_t)value.imm >= -16 && (int32_t)value.imm < 16)
        emit(f, OP_VMV_V_I, reg, 0, 0, (int32_t)value.imm)->keep = true;
    else emit(f, OP_VMV_V_X, reg, to_s(f, value), 0, 0)->keep = true;
}

/* Returns the number of the register behind the value's. */
static unsigned put_value(struct func *f, unsigned at, LLVMValueRef v)
{
    const struct opd *p = parts(f, v);
    unsigned n = type_parts(f, LLVMTypeOf(v));
    for (unsigned i = 0; i < n; i++) put_at(f, at++, p[i]);
    return at;
}

static uint32_t routine_number(const struct cc *cc, LLVMValueRef function)
{
    uint32_t i = 0;
    while (i < cc->nroutines && cc->routines[i].function != function) i++;
    return i;
}

/* Keeps values out of vector registers and scalar registers, from the first number to the one before the second. */
static void reserve(struct func *f, unsigned v, unsigned v_end, unsigned x, unsigned x_end)
{
    for (; v < v_end; v++) f->reserved.v[v / 64] |= 1ull << v % 64;
    for (; x < x_end; x++) f->reserved.x |= 1ull << x;
}

bool select_routine_call(struct func *f, LLVMValueRef call, struct opd *out)
{
    uint32_t number = routine_number(f->cc, LLVMGetCalledValue(call));
    unsigned at = ROUTINE_ARGS, n = type_parts(f, LLVMTypeOf(call));
    if (number == f->cc->nroutines) return false;
    if (f->kernel->is_routine) fail(f, "a routine that calls another");
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) at = put_value(f, at, LLVMGetOperand(call, i));
    emit(f, OP_JAL, REG_LINK, 0, 0, (int32_t)number)->keep = true;
    for (unsigned i = 0; i < n; i++) {
        out[i] = opd_reg(new_vreg(f, CLASS_V));
        emit(f, OP_VMV_V_V, out[i].reg, fixed_register(f, ROUTINE_RESULT + i), 0, 0)->keep = true;
    }
    reserve(f, 0, ROUTINE_VECTORS, ROUTINE_SCALARS, REG_LINK + 1);
    return true;
}

void select_routine_arguments(struct func *f)
{
    unsigned at = ROUTINE_ARGS;
    reserve(f, 0, ROUTINE_FREE, 0, ROUTINE_SCALARS);
    reserve(f, ROUTINE_VECTORS, ISA_VREGS, REG_LINK, ISA_XREGS);
    for (uint32_t i = 0; i < f->nparams; i++) {
        unsigned n = type_parts(f, LLVMTypeOf(f->values[i].ref));
        f->values[i].parts = cc_alloc(f->cc, (n + 1) * sizeof(struct opd));
        for (unsigned k = 0; k < n; k++) f->values[i].parts[k] = opd_reg(fixed_register(f, at++));
    }
    if (at > ROUTINE_RESULT) fail(f, "a routine with arguments of %u words", at);
}

void select_routine_return(struct func *f, LLVMValueRef terminator)
{
    if (LLVMGetInstructionOpcode(terminator) != LLVMRet || !LLVMGetNumOperands(terminator)) return;
    if (put_value(f, ROUTINE_RESULT, LLVMGetOperand(terminator, 0)) > ROUTINE_FREE)
        fail(f, "a routine with a long result");
}
