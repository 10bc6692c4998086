/* Images, samplers and pipes: the front end passes them on as values that nothing can look into. Built-in functions ask
 * by primitives what they are, and once all is inlined those are asked of kernel arguments: an image is a description
 * in the argument buffer, a sampler a word there or in the program (isa/image.h), a pipe an address there (isa/pipe.h).
 * Called by prepare.c after inlining. */
#include "compiler/passes/passes.h"

/* What an image is like does not change while a kernel runs. */
static void mark_invariant(struct cc *cc, LLVMValueRef address)
{
    for (LLVMUseRef u = LLVMGetFirstUse(address); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (LLVMIsAGetElementPtrInst(user)) mark_invariant(cc, user);
        if (LLVMIsALoadInst(user)) load_is_invariant(cc, user);
    }
}

/* What a primitive says of a kernel's argument at this offset of the argument buffer. */
static LLVMValueRef argument_answer(struct cc *cc, LLVMBuilderRef b, LLVMValueRef param, uint32_t offset)
{
    LLVMValueRef at = argument_address(cc, b, offset);
    if (is_image_type(LLVMTypeOf(param))) return at;
    bool pipe = is_pipe_type(LLVMTypeOf(param));
    LLVMTypeRef type = pipe ? LLVMPointerTypeInContext(cc->context, 1) : LLVMInt32TypeInContext(cc->context);
    LLVMValueRef word = LLVMBuildLoad2(b, type, at, "");
    load_is_invariant(cc, word);
    return word;
}

static void replace(LLVMValueRef call, LLVMValueRef value)
{
    LLVMReplaceAllUsesWith(call, value);
    LLVMInstructionEraseFromParent(call);
}

static void lower_param(struct cc *cc, LLVMBuilderRef b, LLVMValueRef param, uint32_t offset)
{
    for (LLVMUseRef u; (u = LLVMGetFirstUse(param));) {
        LLVMValueRef call = LLVMGetUser(u);
        if (!LLVMIsACallInst(call) || !is_object_primitive(LLVMGetCalledValue(call)))
            cc_error(cc, CC_FAILED, call, "an image, a sampler or a pipe can only be passed on to functions");
        LLVMPositionBuilderBefore(b, call);
        LLVMValueRef answer = argument_answer(cc, b, param, offset);
        replace(call, answer);
        if (is_image_type(LLVMTypeOf(param))) mark_invariant(cc, answer);
    }
}

/* A sampler of the program: its word is the argument of clang's call. */
static void lower_constants(struct cc *cc)
{
    LLVMValueRef made = LLVMGetNamedFunction(cc->module, "__translate_sampler_initializer");
    for (LLVMUseRef u; made && (u = LLVMGetFirstUse(made));) {
        LLVMValueRef maker = LLVMGetUser(u);
        for (LLVMUseRef v; (v = LLVMGetFirstUse(maker));) {
            LLVMValueRef call = LLVMGetUser(v);
            if (!LLVMIsACallInst(call) || !is_object_primitive(LLVMGetCalledValue(call)))
                cc_error(cc, CC_FAILED, call, "a sampler can only be passed on to functions");
            replace(call, LLVMGetOperand(maker, 0));
        }
        LLVMInstructionEraseFromParent(maker);
    }
}

void objects_lower(struct cc *cc, LLVMBuilderRef b)
{
    lower_constants(cc);
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f)) continue;
        uint32_t *offsets = cc_alloc(cc, (LLVMCountParams(f) + 1) * sizeof *offsets);
        kernel_layout(cc, f, offsets);
        for (unsigned i = 0; i < LLVMCountParams(f); i++) {
            LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(f, i));
            if (is_image_type(type) || is_sampler_type(type) || is_pipe_type(type))
                lower_param(cc, b, LLVMGetParam(f, i), offsets[i]);
        }
    }
}
