/* Routines: functions that stay functions (README.md, "Routines").
 *
 * A routine finds its arguments in the first vector registers, each part of 32 bits in one, and leaves its result in
 * those behind them. Neither it nor its callers keep other values in any of these, so a call is moves and a jump. Moves
 * into these registers are marked as kept: nothing that follows reads them by name. What else a routine writes is known
 * when its callers are compiled, which comes later (regalloc.c). */
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

/* A copy of what is passed in a register. */
static struct opd take_from(struct func *f, unsigned at, LLVMTypeRef type)
{
    struct opd out = opd_reg(new_vreg(f, CLASS_V));
    if (type_bits(type) == 1) f->vregs[out.reg].zbits = 1;
    emit(f, OP_VMV_V_V, out.reg, fixed_register(f, at), 0, 0)->keep = true;
    return out;
}

static struct kernel *called_routine(const struct func *f, LLVMValueRef inst)
{
    return LLVMIsACallInst(inst) ? routine_find(f->cc, LLVMGetCalledValue(inst)) : NULL;
}

static unsigned passed_parts(struct func *f, LLVMValueRef function)
{
    unsigned n = type_parts(f, LLVMGetReturnType(LLVMGlobalGetValueType(function)));
    for (unsigned i = 0; i < LLVMCountParams(function); i++) n += type_parts(f, LLVMTypeOf(LLVMGetParam(function, i)));
    return n;
}

static void reserve_passed(struct func *f, LLVMValueRef function)
{
    for (unsigned n = passed_parts(f, function); n--;) registers_add(&f->reserved, true, n);
}

/* A routine's private memory begins at address 0 and its callers' behind it, so nothing that is called from one
 * another shares any. */
void select_routine_calls(struct func *f)
{
    for (uint32_t v = f->nparams; v < f->nvalues; v++) {
        const struct kernel *k = called_routine(f, f->values[v].ref);
        if (!k) continue;
        f->calls = true;
        if (k->code.pds_bytes > f->frame) f->frame = k->code.pds_bytes;
        registers_add_all(&f->called, &k->code.written);
        registers_add(&f->called, false, REG_LINK);
        reserve_passed(f, k->function);
    }
}

bool select_routine_call(struct func *f, LLVMValueRef call, struct opd *out)
{
    const struct kernel *k = called_routine(f, call);
    LLVMTypeRef type = LLVMTypeOf(call);
    unsigned at = 0, n = type_parts(f, type);
    if (!k) return false;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) at = put_value(f, at, LLVMGetOperand(call, i));
    emit(f, OP_JAL, REG_LINK, 0, 0, (int32_t)(k - f->cc->routines))->keep = true;
    f->mblocks[f->cur].calls_rpc |= k->code.sets_rpc;
    for (unsigned i = 0; i < n; i++) out[i] = take_from(f, at + i, type);
    return true;
}

/* Arguments stay where they are, unless a call within the routine may put others there. */
static void select_argument(struct func *f, struct value *v, unsigned at)
{
    LLVMTypeRef type = LLVMTypeOf(v->ref);
    unsigned n = type_parts(f, type);
    v->parts = cc_alloc(f->cc, (n + 1) * sizeof *v->parts);
    for (unsigned k = 0; k < n; k++) {
        if (f->calls) {
            v->parts[k] = take_from(f, at + k, type);
            continue;
        }
        v->parts[k] = opd_reg(fixed_register(f, at + k));
        if (type_bits(type) == 1) f->vregs[v->parts[k].reg].zbits = 1;
    }
}

void select_routine_arguments(struct func *f)
{
    int32_t link = new_vreg(f, CLASS_S);
    f->vregs[link].direct = true;
    f->vregs[link].hint = REG_LINK;
    emit(f, OP_ADDI, link, REG_LINK, 0, 0);
    f->mblocks[f->exit].rs1 = link;
    reserve_passed(f, f->kernel->function);
    for (uint32_t i = 0; i < f->nparams; i++) {
        select_argument(f, &f->values[i], f->result);
        f->result += type_parts(f, LLVMTypeOf(f->values[i].ref));
    }
    select_local_base(f);
}

void select_routine_return(struct func *f, LLVMValueRef terminator)
{
    if (LLVMGetInstructionOpcode(terminator) != LLVMRet || !LLVMGetNumOperands(terminator)) return;
    put_value(f, f->result, LLVMGetOperand(terminator, 0));
}
