/* Routines: functions that stay functions (README.md, "Routines").
 *
 * A routine finds its arguments in the first vector registers, each part of 32 bits in one, or, if all lanes have the
 * same, in scalar registers from REG_PASSED on. It leaves its result in the vector registers behind them. Neither it
 * nor its callers keep other values in any of these, so a call is moves and a jump. Moves into these registers are
 * marked as kept: nothing that follows reads them by name. What else a routine writes is known when its callers are
 * compiled, which comes later (regalloc.c). */
#include "compiler/backend.h"

#include <string.h>

/* The next registers of the convention, of both classes. */
struct passing {
    const struct kernel *routine;
    unsigned next[2];
};

static struct passing passing_to(const struct kernel *routine)
{
    return (struct passing){routine, {[CLASS_S] = REG_PASSED}};
}

static enum reg_class class_passed(const struct passing *p, unsigned argument)
{
    return p->routine->uniform && p->routine->uniform[argument] ? CLASS_S : CLASS_V;
}

/* A register of the convention, under a new name each time: what it holds changes with each call. */
static int32_t fixed_register(struct func *f, struct passing *p, enum reg_class cls)
{
    int32_t reg = new_vreg(f, cls);
    f->vregs[reg].fixed = true;
    f->vregs[reg].phys = (int16_t)p->next[cls]++;
    return reg;
}

static void put_part(struct func *f, struct passing *p, enum reg_class cls, struct opd value)
{
    int32_t reg = fixed_register(f, p, cls);
    if (cls == CLASS_S) emit(f, OP_ADDI, reg, to_s(f, value), 0, 0)->keep = true;
    else if (is_v(f, value)) emit(f, OP_VMV_V_V, reg, value.reg, 0, 0)->keep = true;
    else if (is_imm(value) && (int32_t)value.imm >= -16 && (int32_t)value.imm < 16)
        emit(f, OP_VMV_V_I, reg, 0, 0, (int32_t)value.imm)->keep = true;
    else emit(f, OP_VMV_V_X, reg, to_s(f, value), 0, 0)->keep = true;
}

static void put_value(struct func *f, struct passing *p, enum reg_class cls, LLVMValueRef v)
{
    const struct opd *parts_ = parts(f, v);
    unsigned n = type_parts(f, LLVMTypeOf(v));
    for (unsigned i = 0; i < n; i++) put_part(f, p, cls, parts_[i]);
}

/* What is passed of a value: copies, or the registers themselves. */
static void get_value(struct func *f, struct passing *p, enum reg_class cls, LLVMTypeRef type, bool copy,
                      struct opd *out)
{
    unsigned n = type_parts(f, type);
    for (unsigned i = 0; i < n; i++) {
        int32_t fixed = fixed_register(f, p, cls), reg = copy ? new_vreg(f, cls) : fixed;
        if (copy) emit(f, cls == CLASS_S ? OP_ADDI : OP_VMV_V_V, reg, fixed, 0, 0)->keep = true;
        if (type_bits(type) == 1) f->vregs[reg].zbits = 1;
        out[i] = opd_reg(reg);
    }
}

static struct kernel *called_routine(const struct func *f, LLVMValueRef inst)
{
    return LLVMIsACallInst(inst) ? routine_find(f->cc, LLVMGetCalledValue(inst)) : NULL;
}

/* Keeps other values out of all registers of the convention that a routine uses. */
static void reserve_passed(struct func *f, const struct kernel *routine)
{
    struct passing p = passing_to(routine);
    LLVMValueRef function = routine->function;
    for (unsigned i = 0; i < LLVMCountParams(function); i++)
        p.next[class_passed(&p, i)] += type_parts(f, LLVMTypeOf(LLVMGetParam(function, i)));
    p.next[CLASS_V] += type_parts(f, LLVMGetReturnType(LLVMGlobalGetValueType(function)));
    while (p.next[CLASS_V]) registers_add(&f->reserved, true, --p.next[CLASS_V]);
    while (p.next[CLASS_S] > REG_PASSED) registers_add(&f->reserved, false, --p.next[CLASS_S]);
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
        reserve_passed(f, k);
    }
}

bool select_routine_call(struct func *f, LLVMValueRef call, struct opd *out)
{
    const struct kernel *k = called_routine(f, call);
    struct passing p = passing_to(k);
    if (!k) return false;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        put_value(f, &p, class_passed(&p, i), LLVMGetOperand(call, i));
    emit(f, OP_JAL, REG_LINK, 0, 0, (int32_t)(k - f->cc->routines))->keep = true;
    f->mblocks[f->cur].calls_rpc |= k->code.sets_rpc;
    get_value(f, &p, CLASS_V, LLVMTypeOf(call), true, out);
    return true;
}

/* Arguments stay where they are, unless a call within the routine may put others there. */
void select_routine_arguments(struct func *f)
{
    int32_t link = new_vreg(f, CLASS_S);
    struct passing p = passing_to(f->kernel);
    f->vregs[link].direct = true;
    f->vregs[link].hint = REG_LINK;
    emit(f, OP_ADDI, link, REG_LINK, 0, 0);
    f->mblocks[f->exit].rs1 = link;
    reserve_passed(f, f->kernel);
    for (uint32_t i = 0; i < f->nparams; i++) {
        struct value *v = &f->values[i];
        LLVMTypeRef type = LLVMTypeOf(v->ref);
        enum reg_class cls = class_passed(&p, i);
        v->parts = cc_alloc(f->cc, (type_parts(f, type) + 1) * sizeof *v->parts);
        get_value(f, &p, cls, type, f->calls || cls == CLASS_S, v->parts);
    }
    f->result = p.next[CLASS_V];
    select_local_base(f);
}

void select_routine_return(struct func *f, LLVMValueRef terminator)
{
    struct passing p = {.next[CLASS_V] = f->result};
    if (LLVMGetInstructionOpcode(terminator) != LLVMRet || !LLVMGetNumOperands(terminator)) return;
    put_value(f, &p, CLASS_V, LLVMGetOperand(terminator, 0));
}
