/* What a function, a call or a type of the module is: by its name, its attributes and its metadata.
 *
 * Kernels, routines and the like carry marks of ours (string attributes), which outlive LLVM's calling conventions;
 * shape.c sets them. Called by all passes and by the back end. */
#include <string.h>

#include "compiler/ir/ir.h"

/* ---- functions ---- */

bool is_intrinsic(LLVMValueRef f) { return LLVMGetIntrinsicID(f) != 0; }

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names && strcmp(name, *names)) names++;
    return *names;
}

/* What the library asks of images, samplers and pipes, and clang's function that makes the program's samplers. */
bool is_object_primitive(LLVMValueRef f)
{
    static const char image[] = "_Z14__ventus_image"; /* and mangled what it is of */
    static const char *const others[] = {"__ventus_sampler", "__ventus_read_pipe", "__ventus_write_pipe",
                                         "__translate_sampler_initializer", NULL};
    const char *name = LLVMGetValueName(f);
    return !strncmp(name, image, sizeof image - 1) || is_one_of(name, others);
}

/* Lane number, CSR and metadata reads and special functions have no effect and may be merged and moved. They are not
 * convergent although OpenCL says so of every function. */
bool is_pure_primitive(LLVMValueRef f)
{
    static const char *const names[] = {
        "__ventus_lane",   "__ventus_csr",         "__ventus_shared",           "__ventus_meta",
        "__ventus_hidden", "__ventus_reservation", "__ventus_reservation_word", NULL};
    const char *name = LLVMGetValueName(f);
    return is_one_of(name, names) || primitive_computes(name) || is_object_primitive(f);
}

bool is_primitive(LLVMValueRef f)
{
    const char *name = LLVMGetValueName(f);
    return is_pure_primitive(f) || primitive_find(name) || !strcmp(name, "__ventus_barrier") ||
           !strcmp(name, "__ventus_barrier_sub") || !strcmp(name, "__ventus_csr_swap") ||
           !strcmp(name, "__ventus_csr_poll");
}

static bool has_mark(LLVMValueRef f, const char *mark)
{
    return LLVMGetStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, mark, (unsigned)strlen(mark)) != NULL;
}

bool kernel_is(LLVMValueRef function)
{
    return LLVMGetFunctionCallConv(function) == SPIR_KERNEL || has_mark(function, KERNEL_MARK);
}

bool is_pure_routine(LLVMValueRef f)
{
    static const char prefix[] = "__ventus_routine_";
    return !strncmp(LLVMGetValueName(f), prefix, sizeof prefix - 1);
}

bool is_routine(LLVMValueRef f) { return is_pure_routine(f) || has_mark(f, "ventus-routine") || is_external(f); }

bool is_external(LLVMValueRef f) { return has_mark(f, "ventus-external"); }

bool is_noinline(LLVMValueRef f) { return has_mark(f, "ventus-noinline"); }

unsigned is_ungrouped(LLVMValueRef kernel)
{
    return !has_mark(kernel, "ventus-ungrouped") ? 0 : has_mark(kernel, "ventus-waits") ? 1 : 2;
}

bool has_links(LLVMValueRef kernel) { return has_mark(kernel, "ventus-links"); }

/* ---- calls ---- */

bool intrinsic_is(LLVMValueRef call, const char *name)
{
    LLVMValueRef f = LLVMGetCalledValue(call);
    if (!LLVMIsAFunction(f) || !LLVMGetIntrinsicID(f)) return false;
    const char *have = LLVMGetValueName(f);
    size_t n = strlen(name);
    return !strncmp(have, "llvm.", 5) && !strncmp(have + 5, name, n) && have[5 + n] == '.';
}

static const char retry_name[] = "ventus.retry";

static unsigned retry_kind(LLVMContextRef c) { return LLVMGetMDKindIDInContext(c, retry_name, sizeof retry_name - 1); }

bool retry_is(LLVMValueRef inst)
{
    return LLVMGetMetadata(inst, retry_kind(LLVMGetModuleContext(LLVMGetGlobalParent(
                                     LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst)))))) != NULL;
}

void retry_mark(struct cc *cc, LLVMValueRef inst)
{
    LLVMMetadataRef none = LLVMMDNodeInContext2(cc->context, NULL, 0);
    LLVMSetMetadata(inst, retry_kind(cc->context), LLVMMetadataAsValue(cc->context, none));
}

/* ---- types ---- */

static bool is_target_type(LLVMTypeRef type, const char *name)
{
    return LLVMGetTypeKind(type) == LLVMTargetExtTypeKind && !strcmp(LLVMGetTargetExtTypeName(type), name);
}

bool is_image_type(LLVMTypeRef type) { return is_target_type(type, "spirv.Image"); }

bool is_sampler_type(LLVMTypeRef type) { return is_target_type(type, "spirv.Sampler"); }

bool is_pipe_type(LLVMTypeRef type) { return is_target_type(type, "spirv.Pipe"); }

bool is_reservation_type(LLVMTypeRef type) { return is_target_type(type, "spirv.ReserveId"); }
