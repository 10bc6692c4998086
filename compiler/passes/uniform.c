/* Which arguments of routines are the same in all lanes, at all calls: they are passed in scalar registers.
 *
 * Routines are compiled before their callers, but this is known from the callers down: so all functions are analysed
 * once more, in that order, before the first is compiled. Called by output.c. */
#include "compiler/analysis/analysis.h"
#include "compiler/passes/passes.h"

/* An argument that differs between lanes at this call does so in the routine. */
static void look_at_call(const struct func *f, LLVMValueRef call, struct kernel *routine)
{
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
        uint32_t v = value_of(f, LLVMGetOperand(call, i));
        if (v != NO_NODE && f->values[v].divergent) routine->uniform[i] = false;
    }
}

static void look_at_calls(struct cc *cc, struct kernel *kernel)
{
    struct func f = {.cc = cc, .kernel = kernel, .data = LLVMGetModuleDataLayout(cc->module)};
    flow_run(&f);
    divergence_run(&f);
    for (uint32_t v = f.nparams; v < f.nvalues; v++) {
        LLVMValueRef inst = f.values[v].ref;
        struct kernel *routine = LLVMIsACallInst(inst) ? routine_find(cc, LLVMGetCalledValue(inst)) : NULL;
        if (routine && routine->uniform) look_at_call(&f, inst, routine);
    }
}

/* Those that the scalar registers for arguments do not suffice for are passed as others. */
static void limit_words(struct cc *cc, struct kernel *routine)
{
    struct func f = {.cc = cc, .kernel = routine};
    unsigned words = 0;
    for (unsigned i = 0; i < LLVMCountParams(routine->function); i++) {
        unsigned n = type_parts(&f, LLVMTypeOf(LLVMGetParam(routine->function, i)));
        if (words + n > PASSED_SCALARS) routine->uniform[i] = false;
        if (routine->uniform[i]) words += n;
    }
}

/* Accesses to private memory take addresses in vector registers. */
static bool is_private(LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    return LLVMGetTypeKind(type) == LLVMPointerTypeKind && LLVMGetPointerAddressSpace(type) == 0;
}

/* Those of the library are called with all kinds of arguments. */
static bool add_arguments(struct cc *cc)
{
    bool any = false;
    for (uint32_t k = 0; k < cc->nroutines; k++) {
        struct kernel *routine = &cc->routines[k];
        unsigned n = LLVMCountParams(routine->function);
        if (is_pure_routine(routine->function) || routine->external) continue;
        routine->uniform = cc_alloc(cc, (n + 1) * sizeof *routine->uniform);
        for (unsigned i = 0; i < n; i++) routine->uniform[i] = !is_private(LLVMGetParam(routine->function, i));
        any = true;
    }
    return any;
}

void uniform_run(struct cc *cc)
{
    if (!add_arguments(cc)) return;
    for (uint32_t k = 0; k < cc->nkernels; k++) look_at_calls(cc, &cc->kernels[k]);
    for (uint32_t k = cc->nroutines; k-- > 0;) {
        if (!cc->routines[k].uniform) continue;
        limit_words(cc, &cc->routines[k]); /* all its callers have been looked at */
        look_at_calls(cc, &cc->routines[k]);
    }
}
