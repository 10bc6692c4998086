/* libclc 19 for 32-bit NVPTX, as Debian builds it: corrected, and in our address spaces.
 *
 * What is corrected is counted: where another libclc has other code, the build stops. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/library/builder/builder.h"

typedef LLVMValueRef value;

/* ---- mistakes ---- */

/* erf and erfc split x so that x*x + 0.5625 is exact, but with one bit too many (errors up to 60 ulp). */
static unsigned correct_split(value instruction)
{
    enum { WRONG = 0x7ffff000, RIGHT = 0x7fffe000 };
    unsigned found = 0;
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(instruction); i++) {
        value operand = LLVMGetOperand(instruction, i);
        if (!LLVMIsAConstantInt(operand) || LLVMConstIntGetZExtValue(operand) != WRONG) continue;
        LLVMSetOperand(instruction, i, LLVMConstInt(LLVMTypeOf(operand), RIGHT, false));
        found++;
    }
    return found;
}

/* The saturating conversions leave NaN to an instruction that is undefined for it. */
static unsigned saturate(value instruction)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
    if (opcode != LLVMFPToSI && opcode != LLVMFPToUI) return 0;
    LLVMTypeRef types[2] = {LLVMTypeOf(instruction), LLVMTypeOf(LLVMGetOperand(instruction, 0))};
    if (LLVMGetTypeKind(types[0]) == LLVMVectorTypeKind) return 0;
    const char *name = opcode == LLVMFPToSI ? "llvm.fptosi.sat" : "llvm.fptoui.sat";
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    value f = LLVMGetIntrinsicDeclaration(
        LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction))), id, types, 2);
    LLVMBuilderRef builder = LLVMCreateBuilder();
    LLVMPositionBuilderBefore(builder, instruction);
    value operand = LLVMGetOperand(instruction, 0);
    value call = LLVMBuildCall2(builder, LLVMGlobalGetValueType(f), f, &operand, 1, "");
    LLVMDisposeBuilder(builder);
    LLVMReplaceAllUsesWith(instruction, call);
    LLVMInstructionEraseFromParent(instruction);
    return 1;
}

static bool is_error_function(value f)
{
    return function_is_called(f, "erff") || function_is_called(f, "erfcf") || function_is_called(f, "erfD") ||
           function_is_called(f, "erfcD");
}

static bool is_saturating(value f) { return function_is_called(f, "convert_") && strstr(LLVMGetValueName(f), "_sat"); }

static void correct_mistakes(LLVMModuleRef clc)
{
    unsigned splits = 0, conversions = 0;
    EACH_FUNCTION (f, clc) {
        bool splitting = is_error_function(f), saturating = is_saturating(f);
        if (!splitting && !saturating) continue;
        EACH_BLOCK (b, f)
            EACH_INSTRUCTION (i, b) {
                if (splitting) splits += correct_split(i);
                if (saturating) conversions += saturate(i);
            }
    }
    if (splits != 68) fail("libclc's erfc is not the one that is corrected here (%u)", splits);
    if (conversions != 2720) fail("libclc's conversions are not those that are corrected here (%u)", conversions);
}

/* ---- names ---- */

/* Functions that ours take the place of, and use for the arguments that they are right for. */
static const char *const kept[][2] = {
    {"_Z4erfcf", "libclc_erfc"},          {"_Z6lgammaf", "libclc_lgamma"},      {"_Z8lgamma_rfPi", "libclc_lgamma_r"},
    {"_Z5rootnfi", "libclc_rootn"},       {"_Z4atand", "libclc_double_atan"},   {"_Z6atanpid", "libclc_double_atanpi"},
    {"_Z3erfd", "libclc_double_erf"},     {"_Z5expm1d", "libclc_double_expm1"}, {"_Z5sinpid", "libclc_double_sinpi"},
    {"_Z5cospid", "libclc_double_cospi"}, {"_Z5tanpid", "libclc_double_tanpi"},
};

static void rename_kept(LLVMModuleRef clc)
{
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        value f = LLVMGetNamedFunction(clc, kept[i][0]);
        if (!f) fail("libclc lacks %s", kept[i][0]);
        LLVMSetValueName2(f, kept[i][1], strlen(kept[i][1]));
    }
}

/* Intrinsics that lower.c makes calls of are calls here already, so that what is linked needs nothing more. */
static const char *const lowered[][2] = {
    {"llvm.floor.f32", "__ventus_floor"}, {"llvm.ceil.f32", "__ventus_ceil"},   {"llvm.trunc.f32", "__ventus_trunc"},
    {"llvm.rint.f32", "__ventus_rint"},   {"llvm.round.f32", "__ventus_round"}, {"llvm.exp.f32", "_Z3expf"},
    {"llvm.exp2.f32", "_Z4exp2f"},        {"llvm.log2.f32", "_Z4log2f"},        {"llvm.sin.f32", "_Z3sinf"},
    {"llvm.cos.f32", "_Z3cosf"},
};

void clc_lower(LLVMModuleRef clc)
{
    for (size_t i = 0; i < sizeof lowered / sizeof *lowered; i++) {
        value f = LLVMGetNamedFunction(clc, lowered[i][0]), other = LLVMGetNamedFunction(clc, lowered[i][1]);
        if (!f) continue;
        if (!other) other = LLVMAddFunction(clc, lowered[i][1], LLVMGlobalGetValueType(f));
        LLVMReplaceAllUsesWith(f, other);
        LLVMDeleteFunction(f);
    }
}

/* ---- attributes and address spaces ---- */

/* "frame-pointer"="all" and the like are about NVPTX. */
static void drop_target_attributes(value f)
{
    LLVMAttributeRef attributes[64];
    unsigned count = LLVMGetAttributeCountAtIndex(f, LLVMAttributeFunctionIndex), length;
    if (count > 64) fail("%s has too many attributes", LLVMGetValueName(f));
    LLVMGetAttributesAtIndex(f, LLVMAttributeFunctionIndex, attributes);
    for (unsigned i = 0; i < count; i++) {
        if (!LLVMIsStringAttribute(attributes[i])) continue;
        const char *key = LLVMGetStringAttributeKind(attributes[i], &length);
        unsigned value_length;
        LLVMGetStringAttributeValue(attributes[i], &value_length);
        if (value_length) LLVMRemoveStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, key, length);
    }
}

static bool is_pointer_to(LLVMTypeRef type, unsigned space)
{
    return LLVMGetTypeKind(type) == LLVMPointerTypeKind && LLVMGetPointerAddressSpace(type) == space;
}

static bool has_constant_pointer(value f)
{
    for (unsigned i = 0; i < LLVMCountParams(f); i++)
        if (is_pointer_to(LLVMTypeOf(LLVMGetParam(f, i)), SPACE_CLC_CONSTANT)) return true;
    EACH_BLOCK (b, f)
        EACH_INSTRUCTION (i, b)
            for (unsigned n = 0; n < (unsigned)LLVMGetNumOperands(i); n++)
                if (is_pointer_to(LLVMTypeOf(LLVMGetOperand(i, n)), SPACE_CLC_CONSTANT)) return true;
    return false;
}

static void move_to_our_space(value f)
{
    char *name = name_respace(LLVMGetValueName(f), SPACE_CLC_CONSTANT, SPACE_CONSTANT);
    LLVMSetValueName2(f, "", 0);
    value moved = function_respace(f, SPACE_CLC_CONSTANT, SPACE_CONSTANT, name);
    LLVMReplaceAllUsesWith(f, moved);
    LLVMDeleteFunction(f);
    free(name);
}

static void move_constants(LLVMModuleRef clc)
{
    variables_respace(clc, SPACE_CLC_CONSTANT, SPACE_CONSTANT);
    value last = LLVMGetLastFunction(clc);
    bool more = true; /* copies are put behind the last one */
    EACH_FUNCTION (f, clc) {
        if (!more) break;
        more = f != last;
        if (!LLVMIsDeclaration(f) && has_constant_pointer(f)) move_to_our_space(f);
    }
    variables_drop_unused(clc);
}

void clc_correct(LLVMModuleRef clc)
{
    if (strcmp(LLVMGetTarget(clc), "nvptx-unknown-unknown")) fail("the libclc is not for 32-bit NVPTX");
    module_retarget(clc);
    correct_mistakes(clc);
    rename_kept(clc);
    EACH_FUNCTION (f, clc) drop_target_attributes(f);
    move_constants(clc);
}

void clc_keep(LLVMModuleRef clc, bool doubles)
{
    unsigned count = 0;
    EACH_FUNCTION (f, clc) {
        bool is_double = function_is_about(f, LLVMDoubleTypeKind);
        count += is_double;
        if (!LLVMIsDeclaration(f) && is_double != doubles) function_undefine(f);
    }
    if (count < 1800) fail("libclc's functions of doubles are not those that are expected here (%u)", count);
}
