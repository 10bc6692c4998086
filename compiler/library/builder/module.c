/* What the builder needs of modules and LLVM's interface for C lacks. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Linker.h>

#include "compiler/library/builder/builder.h"

void fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("ventus-library: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(1);
}

LLVMModuleRef module_read(const char *path)
{
    LLVMMemoryBufferRef bytes;
    LLVMModuleRef module;
    char *why = NULL;
    if (LLVMCreateMemoryBufferWithContentsOfFile(path, &bytes, &why)) fail("cannot read %s: %s", path, why);
    if (LLVMParseBitcode2(bytes, &module)) fail("%s is not bitcode of LLVM 19", path);
    LLVMDisposeMemoryBuffer(bytes);
    return module;
}

void module_write(LLVMModuleRef module, const char *path)
{
    if (LLVMWriteBitcodeToFile(module, path)) fail("cannot write %s", path);
}

void module_retarget(LLVMModuleRef module)
{
    LLVMSetTarget(module, "spir-unknown-unknown");
    LLVMSetDataLayout(module,
                      "e-p:32:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1");
}

void module_override(LLVMModuleRef to, LLVMModuleRef from)
{
    EACH_FUNCTION (f, from) {
        LLVMValueRef other = LLVMGetNamedFunction(to, LLVMGetValueName(f));
        if (other && !LLVMIsDeclaration(f) && !LLVMIsDeclaration(other)) function_undefine(other);
    }
    if (LLVMLinkModules2(to, from)) fail("the library's parts do not link");
}

static void copy_attributes(LLVMValueRef from, LLVMValueRef to)
{
    for (int index = LLVMAttributeFunctionIndex; index <= (int)LLVMCountParams(from); index++) {
        LLVMAttributeRef attributes[64];
        unsigned count = LLVMGetAttributeCountAtIndex(from, (LLVMAttributeIndex)index);
        if (count > 64) fail("%s has too many attributes", LLVMGetValueName(from));
        LLVMGetAttributesAtIndex(from, (LLVMAttributeIndex)index, attributes);
        for (unsigned i = 0; i < count; i++) LLVMAddAttributeAtIndex(to, (LLVMAttributeIndex)index, attributes[i]);
    }
}

void function_adopt(LLVMValueRef function, LLVMValueRef model)
{
    LLVMSetFunctionCallConv(function, LLVMGetFunctionCallConv(model));
    copy_attributes(model, function);
}

void function_undefine(LLVMValueRef function)
{
    char *name = strdup(LLVMGetValueName(function));
    LLVMValueRef declaration = LLVMAddFunction(LLVMGetGlobalParent(function), "", LLVMGlobalGetValueType(function));
    function_adopt(declaration, function);
    LLVMReplaceAllUsesWith(function, declaration);
    LLVMDeleteFunction(function);
    LLVMSetValueName2(declaration, name, strlen(name));
    if (!LLVMGetFirstUse(declaration)) LLVMDeleteFunction(declaration);
    free(name);
}

bool function_is_called(LLVMValueRef function, const char *beginning)
{
    const char *name = LLVMGetValueName(function);
    if (strncmp(name, "_Z", 2)) return false;
    name += 2 + strspn(name + 2, "0123456789");
    return !strncmp(name, beginning, strlen(beginning));
}

static bool is_of(LLVMTypeRef type, LLVMTypeKind kind)
{
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) type = LLVMGetElementType(type);
    return LLVMGetTypeKind(type) == kind;
}

bool function_is_about(LLVMValueRef function, LLVMTypeKind kind)
{
    if (is_of(LLVMGetReturnType(LLVMGlobalGetValueType(function)), kind)) return true;
    for (unsigned i = 0; i < LLVMCountParams(function); i++)
        if (is_of(LLVMTypeOf(LLVMGetParam(function, i)), kind)) return true;
    return false;
}
