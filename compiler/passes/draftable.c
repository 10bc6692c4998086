/* Which programs can be drafts (docs/architecture.md, "Drafts"): those of many kernels in which nothing is left that a
 * program can be refused for, and nothing that its kernels have in common but constants. Called by prepare.c. */
#include <string.h>

#include <llvm-c/Target.h>

#include "compiler/passes/passes.h"

/* Fewer kernels, or instructions of all together, do not take long. The most of a kernel are far below what the back
 * end refuses for its size: a megabyte of code, 16 MiB of private variables, all of local memory. */
enum { LEAST_KERNELS = 8, LEAST_SIZE = 5000, MOST_SIZE = 40000 };
enum { MOST_PRIVATE = 256, MOST_LOCAL = 1 << 14, MOST_CONSTANT = 1 << 20, MOST_ALIGN = 128 };

/* ---- types and constants ---- */

static bool is_plain_type(LLVMTypeRef type);

static bool is_plain_struct(LLVMTypeRef type)
{
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
        if (!is_plain_type(LLVMStructGetTypeAtIndex(type, i))) return false;
    return true;
}

static bool is_plain_type(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMVoidTypeKind:
    case LLVMHalfTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind: return true;
    case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(type) <= 64 && LLVMGetIntTypeWidth(type) % 8 == 0;
    case LLVMPointerTypeKind: return LLVMGetPointerAddressSpace(type) < 4;
    case LLVMVectorTypeKind:
        return LLVMGetTypeKind(LLVMGetElementType(type)) != LLVMPointerTypeKind &&
               is_plain_type(LLVMGetElementType(type));
    case LLVMArrayTypeKind: return is_plain_type(LLVMGetElementType(type));
    case LLVMStructTypeKind: return is_plain_struct(type);
    default: return false;
    }
}

/* What comparisons give. */
static bool is_truth(LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) type = LLVMGetElementType(type);
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 1;
}

/* Numbers, also many of them; no addresses. */
static bool is_plain_constant(LLVMValueRef v)
{
    if (LLVMIsAConstantInt(v) || LLVMIsAConstantFP(v) || LLVMIsAConstantAggregateZero(v) || LLVMIsAUndefValue(v) ||
        LLVMIsAConstantDataSequential(v) || LLVMIsAConstantPointerNull(v))
        return true;
    if (!LLVMIsAConstantArray(v) && !LLVMIsAConstantStruct(v) && !LLVMIsAConstantVector(v)) return false;
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        if (!is_plain_constant(LLVMGetOperand(v, (unsigned)i))) return false;
    return true;
}

/* ---- instructions ---- */

static bool is_plain_operand(LLVMValueRef v)
{
    if (LLVMIsAConstantExpr(v))
        return LLVMGetConstOpcode(v) == LLVMGetElementPtr && is_plain_operand(LLVMGetOperand(v, 0));
    return !LLVMIsAConstant(v) || LLVMIsAGlobalVariable(v) || is_plain_constant(v);
}

static LLVMTypeRef result_of(LLVMValueRef function) { return LLVMGetReturnType(LLVMGlobalGetValueType(function)); }

static bool is_plain_callee(LLVMValueRef callee)
{
    static const char *const known[] = {"llvm.fmuladd", "llvm.fma", "llvm.memset", "llvm.memcpy"};
    if (!LLVMIsAFunction(callee)) return false;
    if (!is_intrinsic(callee)) return !is_primitive(callee) || is_sampler_type(result_of(callee));
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strncmp(LLVMGetValueName(callee), known[i], strlen(known[i]))) return true;
    return false;
}

/* Private variables have limits of their own, so that however often they are inlined there is room for them. */
static bool is_plain_variable(struct cc *cc, LLVMValueRef inst)
{
    LLVMTypeRef type = LLVMGetAllocatedType(inst);
    if (is_image_type(type) || is_sampler_type(type)) return true; /* it goes before they are inlined */
    return is_plain_type(type) && LLVMIsAConstantInt(LLVMGetOperand(inst, 0)) &&
           LLVMConstIntGetZExtValue(LLVMGetOperand(inst, 0)) == 1 && LLVMGetAlignment(inst) <= MOST_ALIGN &&
           LLVMABISizeOfType(LLVMGetModuleDataLayout(cc->module), type) <= MOST_PRIVATE;
}

static bool is_plain_instruction(struct cc *cc, LLVMValueRef inst)
{
    LLVMTypeRef type = LLVMTypeOf(inst);
    unsigned operands = (unsigned)LLVMGetNumOperands(inst);
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMAlloca: return is_plain_variable(cc, inst);
    case LLVMCall:
        if (!is_plain_callee(LLVMGetCalledValue(inst))) return false;
        if (is_sampler_type(type)) return true; /* a constant */
        operands--;
        break;
    case LLVMLoad:
        if (is_image_type(type) || is_sampler_type(type)) return LLVMIsAAllocaInst(LLVMGetOperand(inst, 0));
        break;
    case LLVMInvoke:
    case LLVMIndirectBr:
    case LLVMFence:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMAddrSpaceCast:
    case LLVMVAArg: return false;
    case LLVMBr:
    case LLVMSwitch: return true;
    default: break;
    }
    for (unsigned i = 0; i < operands; i++)
        if (!is_plain_operand(LLVMGetOperand(inst, i))) return false;
    return is_plain_type(type) || is_truth(type);
}

static bool is_plain_function(struct cc *cc, LLVMValueRef f)
{
    for (unsigned i = 0; i < LLVMCountParams(f) && !is_intrinsic(f); i++) {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(f, i));
        if (!is_plain_type(type) && !is_image_type(type) && !is_sampler_type(type)) return false;
    }
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (!is_plain_instruction(cc, i)) return false;
    return true;
}

/* Not what launches of one kernel leave to those of another, nor what the note has texts of. */
static bool are_globals_plain(struct cc *cc)
{
    uint64_t bytes[4] = {0};
    for (LLVMValueRef g = LLVMGetFirstGlobal(cc->module); g; g = LLVMGetNextGlobal(g)) {
        unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(g));
        LLVMValueRef initial = LLVMGetInitializer(g);
        if ((space != 2 && space != 3) || !initial || !is_plain_constant(initial) ||
            !is_plain_type(LLVMGlobalGetValueType(g)) || LLVMGetAlignment(g) > MOST_ALIGN)
            return false;
        bytes[space] += LLVMABISizeOfType(LLVMGetModuleDataLayout(cc->module), LLVMGlobalGetValueType(g)) + MOST_ALIGN;
    }
    return bytes[2] <= MOST_CONSTANT && bytes[3] <= MOST_LOCAL;
}

static uint32_t count_kernels(const struct cc *cc)
{
    uint32_t n = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f))
        n += !LLVMIsDeclaration(f) && kernel_is(f);
    return n;
}

bool draft_is_possible(struct cc *cc)
{
    if (cc->debug || count_kernels(cc) < LEAST_KERNELS || LLVMGetNamedFunction(cc->module, "printf")) return false;
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f))
        if (!is_plain_function(cc, f)) return false;
    return are_globals_plain(cc);
}

/* Routines depend on all their callers. Simplified, functions are no larger than they are here. */
bool draft_is_worthwhile(struct cc *cc)
{
    const struct call_sizes sizes = calls_measure(cc);
    return !sizes.routines && sizes.all >= LEAST_SIZE && sizes.largest <= MOST_SIZE;
}
