/* Names of what an ELF object defines and uses, as symbols. Called by emit.c and object.c. */
#include <ctype.h>

#include "compiler/machine/machine.h"

bool symbol_is_plain(const char *name)
{
    if (!*name || isdigit((unsigned char)*name)) return false;
    while (isalnum((unsigned char)*name) || *name == '_' || *name == '.' || *name == '$') name++;
    return !*name;
}

bool symbol_is_visible(LLVMValueRef global)
{
    LLVMLinkage linkage = LLVMGetLinkage(global);
    return linkage == LLVMExternalLinkage || linkage == LLVMWeakAnyLinkage || linkage == LLVMCommonLinkage;
}

const char *object_symbol(struct cc *cc, LLVMValueRef global)
{
    const char *name = LLVMGetValueName(global);
    if (symbol_is_visible(global)) {
        if (!symbol_is_plain(name)) cc_error(cc, CC_FAILED, NULL, "'%s' cannot be the name of a symbol", name);
        return name;
    }
    return cc_printf(cc, ".Lvariable%u", (unsigned)rodata_name(cc, global));
}
