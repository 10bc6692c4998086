/* Objects of separate compilation: a translation unit as the front end leaves it, in LLVM bitcode.
 *
 * Built-ins are linked and everything is checked only when a program is made of objects, so an object
 * may call functions it does not define. Objects may come from anywhere; whatever LLVM thinks of a
 * damaged one happens in this process only. Called by main.c. */
#include <stdlib.h>
#include <string.h>

#include <llvm-c/BitWriter.h>
#include <llvm-c/Linker.h>

#include "compiler/frontend/frontend.h"

void object_save(struct cc *cc, void **bytes, size_t *size)
{
    LLVMMemoryBufferRef buffer = LLVMWriteBitcodeToMemoryBuffer(cc->module);
    *size = LLVMGetBufferSize(buffer);
    *bytes = malloc(*size ? *size : 1);
    if (*bytes) memcpy(*bytes, LLVMGetBufferStart(buffer), *size);
    LLVMDisposeMemoryBuffer(buffer);
    if (!*bytes) cc_error(cc, CC_ENVIRONMENT, NULL, "out of memory");
}

void object_link(struct cc *cc, const void *bytes, size_t size, const char *name)
{
    LLVMModuleRef module = size >= 4 && !memcmp(bytes, "BC\xc0\xde", 4) ? module_read(cc, bytes, size) : NULL;
    if (!module) cc_error(cc, CC_FAILED, NULL, "%s is not an object of this compiler", name);
    if (!cc->module) cc->module = module;
    else if (LLVMLinkModules2(cc->module, module))
        cc_error(cc, CC_FAILED, NULL, "%s does not link with the objects before it", name);
}
