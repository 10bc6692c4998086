/* Which kernels are best off with long rows of work-items: those without loops in which neighbours along the first
 * dimension access neighbours in memory.
 *
 * Of each value it is known by how much, at most, it differs between such neighbours: addresses in bytes. That is an
 * estimate, which decides how fast a kernel runs and never what it computes: values that jump now and then, as a
 * remainder does or what is selected at a border, count as what they are between the jumps. Called by kernels.c. */
#include <string.h>

#include "compiler/analysis/analysis.h"
#include "compiler/passes/passes.h"

/* Neighbours that lie further from each other share no line of a cache. FAR: any difference above FARTHEST. */
enum { NEAR = 64, FARTHEST = 1 << 16, FAR = FARTHEST + 1, GLOBAL = 1 };

typedef LLVMValueRef value;

struct rows {
    struct func *f;
    uint32_t *steps; /* of each value */
};

static uint32_t limited(uint64_t step) { return step > FARTHEST ? FAR : (uint32_t)step; }

/* What all neighbours have, such as arguments and constants, has no step. */
static uint32_t step_of(const struct rows *r, value v)
{
    const uint32_t n = value_of(r->f, v);
    return n == NO_NODE ? 0 : r->steps[n];
}

static uint32_t operand_step(const struct rows *r, value inst, unsigned i)
{
    return step_of(r, LLVMGetOperand(inst, i));
}

static uint32_t largest_step(const struct rows *r, value inst, unsigned first)
{
    uint32_t most = 0;
    for (unsigned i = first; i < (unsigned)LLVMGetNumOperands(inst); i++) {
        const uint32_t step = operand_step(r, inst, i);
        if (step > most) most = step;
    }
    return most;
}

static uint32_t step_of_product(const struct rows *r, value inst, bool shift)
{
    const value by = LLVMGetOperand(inst, 1);
    const uint32_t step = operand_step(r, inst, 0);
    if (!step && !step_of(r, by)) return 0;
    if (!LLVMIsAConstantInt(by) || LLVMGetIntTypeWidth(LLVMTypeOf(by)) > 64) return FAR;
    const long long n = LLVMConstIntGetSExtValue(by);
    if (n < -FARTHEST || n > FARTHEST || (shift && n > 16)) return FAR;
    return limited((uint64_t)step * (uint64_t)(shift ? 1ll << n : n < 0 ? -n : n));
}

/* What is divided by a number that is not known is an index, of which the quotient says the row: the same for
 * neighbours. */
static uint32_t step_of_quotient(const struct rows *r, value inst)
{
    const value by = LLVMGetOperand(inst, 1);
    return step_of(r, by) ? FAR : LLVMIsAConstant(by) ? operand_step(r, inst, 0) : 0;
}

/* The same of masks. */
static uint32_t step_of_remainder(const struct rows *r, value inst)
{
    return operand_step(r, inst, 1) ? FAR : operand_step(r, inst, 0);
}

static uint32_t step_of_address(const struct rows *r, value gep)
{
    const unsigned n = (unsigned)LLVMGetNumOperands(gep);
    uint32_t *scale = cc_alloc(r->f->cc, n * sizeof *scale);
    uint64_t sum = operand_step(r, gep, 0);
    gep_offset(r->f, gep, scale);
    for (unsigned i = 1; i < n; i++) sum += (uint64_t)scale[i] * operand_step(r, gep, i);
    return limited(sum);
}

/* Lanes are neighbours; the least and the largest of two numbers are steady where these are. */
static uint32_t step_of_call(const struct rows *r, value call)
{
    static const char *const chosen[] = {"smin", "smax", "umin", "umax", "abs"};
    const char *name = LLVMGetValueName(LLVMGetCalledValue(call));
    if (!strcmp(name, "__ventus_lane")) return 1;
    const uint32_t most = largest_step(r, call, 0);
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++)
        if (intrinsic_is(call, chosen[i])) return most;
    return most ? FAR : 0;
}

static uint32_t step_of_sum(const struct rows *r, value inst)
{
    return limited((uint64_t)operand_step(r, inst, 0) + operand_step(r, inst, 1));
}

static uint32_t find_step(const struct rows *r, value inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMAdd:
    case LLVMSub: return step_of_sum(r, inst);
    case LLVMOr: return LLVMGetIsDisjoint(inst) ? step_of_sum(r, inst) : largest_step(r, inst, 0) ? FAR : 0;
    case LLVMMul: return step_of_product(r, inst, false);
    case LLVMShl: return step_of_product(r, inst, true);
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMLShr:
    case LLVMAShr: return step_of_quotient(r, inst);
    case LLVMURem:
    case LLVMSRem:
    case LLVMAnd:
    case LLVMXor: return step_of_remainder(r, inst);
    case LLVMICmp: return largest_step(r, inst, 0) ? 1 : 0;
    case LLVMSelect: return largest_step(r, inst, 1);
    case LLVMPHI:
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc:
    case LLVMIntToPtr:
    case LLVMPtrToInt:
    case LLVMBitCast:
    case LLVMFreeze: return largest_step(r, inst, 0);
    case LLVMGetElementPtr: return step_of_address(r, inst);
    case LLVMCall: return step_of_call(r, inst);
    case LLVMLoad:
        return operand_step(r, inst, 0) || !LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(inst, 0))) ? FAR : 0;
    case LLVMAlloca: return 0;
    default: return largest_step(r, inst, 0) ? FAR : 0;
    }
}

/* Does the instruction access memory far from where the neighbour does? What routines access is not known. */
static bool is_far(const struct rows *r, value inst)
{
    value address = LLVMIsALoadInst(inst) ? LLVMGetOperand(inst, 0) : NULL;
    if (LLVMIsAStoreInst(inst)) address = LLVMGetOperand(inst, 1);
    if (address) return LLVMGetPointerAddressSpace(LLVMTypeOf(address)) == GLOBAL && step_of(r, address) > NEAR;
    if (!LLVMIsACallInst(inst)) return false;
    const value callee = LLVMGetCalledValue(inst);
    return is_routine(callee) && !is_pure_routine(callee);
}

/* Blocks are in reverse postorder: without loops, none goes back, and operands come in front of their users. */
static bool has_loops(const struct func *f)
{
    for (uint32_t b = 0; b < f->nblocks; b++)
        for (uint32_t s = 0; s < f->blocks[b].nsucc; s++)
            if (f->blocks[b].succ[s] <= b) return true;
    return false;
}

bool rows_are_best(struct cc *cc, LLVMValueRef function)
{
    struct kernel kernel = {.name = LLVMGetValueName(function), .function = function};
    struct func f = {.cc = cc, .kernel = &kernel, .data = LLVMGetModuleDataLayout(cc->module)};
    flow_number(&f);
    if (has_loops(&f)) return false;
    struct rows r = {&f, cc_alloc(cc, (f.nvalues + 1) * sizeof *r.steps)};
    for (uint32_t i = f.nparams; i < f.nvalues; i++) {
        r.steps[i] = find_step(&r, f.values[i].ref);
        if (is_far(&r, f.values[i].ref)) return false;
    }
    return true;
}
