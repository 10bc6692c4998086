/* The built-in library: takes from it what the program calls.
 *
 * The library is bitcode whose functions are all linkonce_odr and loaded lazily, so linking costs
 * only the functions actually reached. Called by prepare.c. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>

#include "compiler/prepare.h"

/* A module whose function bodies are read when the linker asks for them; NULL, and why, if it cannot be read. */
static LLVMModuleRef open_library(struct cc *cc, const char *path, const char **reason)
{
    LLVMMemoryBufferRef buffer;
    char *why = NULL;
    if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &why)) {
        *reason = cc_printf(cc, "cannot read the built-in library %s: %s", path, why ? why : "unreadable");
        LLVMDisposeMessage(why);
        return NULL;
    }
    LLVMModuleRef library;
    if (!LLVMGetBitcodeModuleInContext2(cc->context, buffer, &library)) return library; /* has taken the buffer */
    *reason = cc_printf(cc, "%s is not a built-in library", path);
    return NULL;
}

void library_open_early(struct cc *cc)
{
    const char *path = library_file(cc, LIBRARY_BASE), *reason;
    context_make(cc);
    if (path) cc->library = open_library(cc, path, &reason);
}

static LLVMModuleRef library(struct cc *cc)
{
    LLVMModuleRef opened = cc->library;
    cc->library = NULL; /* linking consumes it */
    if (opened) return opened;
    const char *path = library_file(cc, LIBRARY_BASE), *reason = "";
    if (!path)
        cc_error(cc, CC_ENVIRONMENT, NULL,
                 "the built-in library " LIBRARY " was not found beside ventus-cc; "
                 "set VENTUS_BUILTINS to its path");
    opened = open_library(cc, path, &reason);
    if (!opened) cc_error(cc, CC_ENVIRONMENT, NULL, "%s", reason);
    return opened;
}

static bool is_undefined(LLVMValueRef f)
{
    return LLVMIsDeclaration(f) && !LLVMGetIntrinsicID(f) && LLVMGetFirstUse(f);
}

/* Is anything undefined that the library may have? */
static bool is_needed(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (is_undefined(f)) return true;
    return false;
}

static bool is_double(LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) type = LLVMGetElementType(type);
    return LLVMGetTypeKind(type) == LLVMDoubleTypeKind;
}

/* Routines are all about doubles, and have their bits as arguments. */
static bool has_double(LLVMValueRef f)
{
    if (is_routine(f) || is_double(LLVMGetReturnType(LLVMGlobalGetValueType(f)))) return true;
    for (unsigned i = 0; i < LLVMCountParams(f); i++)
        if (is_double(LLVMTypeOf(LLVMGetParam(f, i)))) return true;
    return false;
}

/* Functions of doubles are in a library of their own, which programs without them need not open. */
static bool needs_doubles(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (is_undefined(f) && has_double(f)) return true;
    return false;
}

static void link_opened(struct cc *cc, LLVMModuleRef opened)
{
    LLVMSetTarget(opened, LLVMGetTarget(cc->module));
    LLVMSetDataLayout(opened, LLVMGetDataLayoutStr(cc->module));
    if (LLVMLinkModules2(cc->module, opened)) cc_error(cc, CC_INTERNAL, NULL, "cannot link the built-in library");
}

static void link_doubles(struct cc *cc)
{
    const char *path = library_file(cc, LIBRARY_DOUBLE), *reason = "";
    if (!path) cc_error(cc, CC_ENVIRONMENT, NULL, DOUBLE_LIBRARY " was not found beside the built-in library");
    LLVMModuleRef opened = open_library(cc, path, &reason);
    if (!opened) cc_error(cc, CC_ENVIRONMENT, NULL, "%s", reason);
    link_opened(cc, opened);
}

void link_library(struct cc *cc)
{
    if (!is_needed(cc->module)) return;
    if (needs_doubles(cc->module)) link_doubles(cc);
    link_opened(cc, library(cc));
}
