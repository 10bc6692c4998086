/* Bitcode as modules of LLVM, all in one context. Called by frontend.c, link.c, object.c, draft.c and spirv.c. */
#include <llvm-c/BitReader.h>

#include "compiler/ir/ir.h"

/* LLVM reports unreadable bitcode here; left alone it would end the process. */
static void diagnose(LLVMDiagnosticInfoRef info, void *context)
{
    struct cc *cc = context;
    char *text = LLVMGetDiagInfoDescription(info);
    if (LLVMGetDiagInfoSeverity(info) == LLVMDSError) cc_log(cc, "<source>: error: %s\n", text);
    LLVMDisposeMessage(text);
}

void context_make(struct cc *cc)
{
    if (cc->context) return;
    cc->context = LLVMContextCreate();
    cc->builder = LLVMCreateBuilderInContext(cc->context);
    LLVMContextSetDiscardValueNames(cc->context, !cc_dumps(cc, "ir"));
    LLVMContextSetDiagnosticHandler(cc->context, diagnose, cc);
}

LLVMModuleRef module_read(struct cc *cc, const void *bytes, size_t size)
{
    context_make(cc);
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes, size, "source");
    LLVMModuleRef module = NULL;
    bool bad = LLVMParseBitcodeInContext2(cc->context, buffer, &module);
    LLVMDisposeMemoryBuffer(buffer);
    return bad ? NULL : module;
}

LLVMModuleRef module_open(struct cc *cc, const void *bytes, size_t size)
{
    context_make(cc);
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(bytes, size, "source", false);
    LLVMModuleRef module = NULL;
    return LLVMGetBitcodeModuleInContext2(cc->context, buffer, &module) ? NULL : module; /* has taken the buffer */
}
