/* Program-scope variables in global memory: at the end of the code window, so that their addresses are known before the
 * code is. The driver keeps what they hold as long as the program lives. Called by output.c, select/value.c and
 * rodata.c. */
#include "compiler/machine/machine.h"

#include <llvm-c/Target.h>

static bool is_variable(LLVMValueRef global) { return LLVMGetPointerAddressSpace(LLVMTypeOf(global)) == 1; }

/* Bytes behind byte `end` that a variable takes, to its place *at. */
static uint64_t place(struct cc *cc, LLVMValueRef global, uint64_t end, uint64_t *at)
{
    LLVMTargetDataRef data = LLVMGetModuleDataLayout(cc->module);
    LLVMTypeRef type = LLVMGlobalGetValueType(global);
    uint64_t align = LLVMGetAlignment(global), least = LLVMABIAlignmentOfType(data, type),
             size = LLVMABISizeOfType(data, type);
    size_t n;
    if (align < least) align = least;
    *at = (end + align - 1) & ~(align - 1);
    if (!LLVMGetInitializer(global) && cc->object) return end; /* another object's */
    if (!LLVMGetInitializer(global))
        cc_error(cc, CC_FAILED, NULL, "program-scope variable '%s' is declared, but defined nowhere",
                 LLVMGetValueName2(global, &n));
    if (align > ABI_PAGE || size > ABI_VARIABLES_LIMIT || *at > ABI_VARIABLES_LIMIT - size)
        cc_error(cc, CC_FAILED, NULL, "program-scope variables up to '%s' take more than %u bytes",
                 LLVMGetValueName2(global, &n), ABI_VARIABLES_LIMIT);
    return *at + size;
}

void variables_place(struct cc *cc)
{
    uint64_t end = 0, at;
    uint32_t room = 0;
    cc->nvariables = 0;
    for (LLVMValueRef g = LLVMGetFirstGlobal(cc->module); g; g = LLVMGetNextGlobal(g)) {
        if (!is_variable(g)) continue;
        end = place(cc, g, end, &at);
        cc->variables = cc_grow(cc, cc->variables, cc->nvariables, &room, sizeof *cc->variables);
        cc->variables[cc->nvariables++] = (struct constant){g, (uint32_t)at};
    }
    cc->data_size = (uint32_t)end;
    cc->data_addr = ABI_CODE_LIMIT - ((cc->data_size + ABI_PAGE - 1) & ~(ABI_PAGE - 1));
}

uint32_t variable_address(struct cc *cc, LLVMValueRef global)
{
    for (uint32_t i = 0; i < cc->nvariables; i++)
        if (cc->variables[i].global == global) return cc->data_addr + cc->variables[i].offset;
    cc_error(cc, CC_INTERNAL, NULL, "a variable has no place");
}
