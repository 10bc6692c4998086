/* Routines: functions that stay functions (passes/routines.md).
 *
 * A routine finds its arguments in the first vector registers, each part of 32 bits in one, or, if all lanes have the
 * same, in scalar registers from REG_PASSED on. It leaves its result in the vector registers behind them. Neither it
 * nor its callers keep other values in any of these, so a call is moves and a jump. Moves into these registers are
 * marked as kept: nothing that follows reads them by name. What else a routine writes is known when its callers are
 * compiled, which comes later (regalloc.c).
 *
 * Functions that other objects see are routines with a convention that does not depend on them (docs/abi.md): results
 * are where arguments were, words that do not fit into registers lie at tp, and any register may have been written that
 * the convention does not keep. */
#include "compiler/core/registers.h"
#include "compiler/ir/ir.h"
#include "compiler/select/select.h"

#include <string.h>

/* The next registers of the convention, of both classes. */
struct passing {
    const struct kernel *routine;
    unsigned next[2];
    int32_t stack; /* vector register with the address of words that do not fit; NOREG: not made yet */
};

static struct passing passing_to(const struct kernel *routine)
{
    return (struct passing){routine, {[CLASS_S] = REG_PASSED}, NOREG};
}

/* Goes on to where a value of this type begins. */
static void begin_value(struct passing *p, LLVMTypeRef type)
{
    if (p->routine->external && convention_is_paired(type)) p->next[CLASS_V] = (p->next[CLASS_V] + 1) & ~1u;
}

/* Is the next word in memory? */
static bool is_on_stack(const struct passing *p)
{
    return p->routine->external && p->next[CLASS_V] >= CONVENTION_WORDS;
}

static int32_t next_offset(struct passing *p) { return 4 * (int32_t)(p->next[CLASS_V]++ - CONVENTION_WORDS); }

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

/* Behind the caller's own private memory, where the callee's begins. */
static void put_on_stack(struct func *f, struct passing *p, struct opd value)
{
    if (p->stack == NOREG) {
        int32_t end = new_vreg(f, CLASS_S);
        emit(f, OP_AUIPC, end, 0, 0, FRAME_END);
        p->stack = new_vreg(f, CLASS_V);
        emit(f, OP_VMV_V_X, p->stack, end, 0, 0);
    }
    struct minsn *m = emit(f, OP_VSW_V, 0, p->stack, to_v(f, value), next_offset(p));
    m->keep = true;
}

static void put_part(struct func *f, struct passing *p, enum reg_class cls, struct opd value)
{
    if (is_on_stack(p)) {
        put_on_stack(f, p, value);
        return;
    }
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
    begin_value(p, LLVMTypeOf(v));
    for (unsigned i = 0; i < n; i++) put_part(f, p, cls, parts_[i]);
}

static int32_t get_part(struct func *f, struct passing *p, enum reg_class cls, bool copy)
{
    if (is_on_stack(p)) {
        int32_t reg = new_vreg(f, CLASS_V);
        emit(f, OP_VLW_V, reg, f->frame_base, 0, next_offset(p));
        return reg;
    }
    int32_t fixed = fixed_register(f, p, cls), reg = copy ? new_vreg(f, cls) : fixed;
    if (copy) emit(f, cls == CLASS_S ? OP_ADDI : OP_VMV_V_V, reg, fixed, 0, 0)->keep = true;
    return reg;
}

/* What is passed of a value: copies, or the registers themselves. Of a truth value other objects may have left more
 * than its bit. */
static void get_value(struct func *f, struct passing *p, enum reg_class cls, LLVMTypeRef type, bool copy,
                      struct opd *out)
{
    unsigned n = type_parts(f, type);
    begin_value(p, type);
    for (unsigned i = 0; i < n; i++) {
        int32_t reg = get_part(f, p, cls, copy);
        if (type_bits(type) == 1 && !p->routine->external) f->vregs[reg].zbits = 1;
        out[i] = opd_reg(reg);
    }
    if (type_bits(type) == 1 && p->routine->external) out[0] = alu(f, AND, out[0], opd_imm(1));
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
    unsigned result = type_parts(f, LLVMGetReturnType(LLVMGlobalGetValueType(function)));
    for (unsigned i = 0; i < LLVMCountParams(function); i++) {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(function, i));
        begin_value(&p, type);
        p.next[class_passed(&p, i)] += type_parts(f, type);
    }
    if (!routine->external) p.next[CLASS_V] += result;
    else if (p.next[CLASS_V] < result) p.next[CLASS_V] = result;
    if (routine->external && p.next[CLASS_V] > CONVENTION_WORDS) p.next[CLASS_V] = CONVENTION_WORDS;
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
        f->calls_others |= k->external;
        if (k->code.pds_bytes > f->frame) f->frame = k->code.pds_bytes;
        registers_add_all(&f->called, &k->code.written);
        registers_add(&f->called, false, REG_LINK);
        reserve_passed(f, k);
    }
}

bool select_routine_call(struct func *f, LLVMValueRef call, struct opd *out)
{
    const struct kernel *k = called_routine(f, call);
    if (!k) return false;
    struct passing p = passing_to(k);
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        put_value(f, &p, class_passed(&p, i), LLVMGetOperand(call, i));
    emit(f, OP_JAL, REG_LINK, 0, 0, (int32_t)(k - f->cc->routines))->keep = true;
    f->mblocks[f->cur].calls_rpc |= k->code.sets_rpc;
    if (k->external) p.next[CLASS_V] = 0;
    get_value(f, &p, CLASS_V, LLVMTypeOf(call), true, out);
    return true;
}

/* Words of the arguments that lie in memory. */
static unsigned stack_words(struct func *f)
{
    struct passing p = passing_to(f->kernel);
    for (uint32_t i = 0; i < f->nparams; i++) {
        begin_value(&p, LLVMTypeOf(f->values[i].ref));
        p.next[CLASS_V] += type_parts(f, LLVMTypeOf(f->values[i].ref));
    }
    return p.next[CLASS_V] > CONVENTION_WORDS ? p.next[CLASS_V] - CONVENTION_WORDS : 0;
}

static bool has_assembly(const struct func *f)
{
    for (uint32_t v = f->nparams; v < f->nvalues; v++)
        if (is_inline_asm(f->values[v].ref)) return true;
    return false;
}

/* Private memory begins with the arguments that lie there, then come saved registers. A function that calls no other
 * object's, and the library's routines, leave those alone that would have to be saved. */
void select_routine_frame(struct func *f)
{
    enum { SAVED_VECTORS = 16 };
    const struct isa_registers saved = convention_saved();
    if (!f->cc->object || !f->kernel->is_routine) return;
    if (f->kernel->external) f->frame = 4 * stack_words(f);
    if (!f->calls_others && !has_assembly(f)) {
        registers_add_all(&f->reserved, &saved);
        return;
    }
    f->save_area = f->frame ? f->frame : 4;
    f->frame = f->save_area + 4 * SAVED_VECTORS;
}

/* The return address stays in ra: emit.c saves it where there are calls. */
static void select_external_arguments(struct func *f)
{
    f->frame_base = new_vreg(f, CLASS_V);
    emit(f, OP_VMV_V_X, f->frame_base, REG_PRIVATE, 0, 0);
    f->mblocks[f->exit].rs1 = REG_RA;
    f->result = 0;
}

static void select_link(struct func *f)
{
    int32_t link = new_vreg(f, CLASS_S);
    f->vregs[link].direct = true;
    f->vregs[link].hint = REG_LINK;
    emit(f, OP_ADDI, link, REG_LINK, 0, 0);
    f->mblocks[f->exit].rs1 = link;
}

/* Arguments stay where they are, unless a call within the routine may put others there. */
void select_routine_arguments(struct func *f)
{
    struct passing p = passing_to(f->kernel);
    bool external = f->kernel->external;
    if (external) select_external_arguments(f);
    else select_link(f);
    reserve_passed(f, f->kernel);
    for (uint32_t i = 0; i < f->nparams; i++) {
        struct value *v = &f->values[i];
        LLVMTypeRef type = LLVMTypeOf(v->ref);
        enum reg_class cls = class_passed(&p, i);
        v->parts = cc_alloc(f->cc, (type_parts(f, type) + 1) * sizeof *v->parts);
        get_value(f, &p, cls, type, f->calls || external || cls == CLASS_S, v->parts);
    }
    if (external) select_frame_addresses(f);
    else f->result = p.next[CLASS_V];
    select_local_base(f);
}

void select_routine_return(struct func *f, LLVMValueRef terminator)
{
    struct passing p = {.routine = f->kernel, .next[CLASS_V] = f->result, .stack = NOREG};
    if (LLVMGetInstructionOpcode(terminator) != LLVMRet || !LLVMGetNumOperands(terminator)) return;
    put_value(f, &p, CLASS_V, LLVMGetOperand(terminator, 0));
}
