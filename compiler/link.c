/* The built-in library: finds it and takes from it what the program calls.
 *
 * The library is bitcode whose functions are all linkonce_odr and loaded lazily, so linking costs
 * only the functions actually reached. Found through $VENTUS_BUILTINS, beside the program, or in
 * ../share/ventus, ../../share/ventus. Called by prepare.c. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>

#include "compiler/prepare.h"

#define LIBRARY "ventus-builtins.bc"

static const char *find_library(struct cc *cc)
{
    const char *named = getenv("VENTUS_BUILTINS");
    if (named && *named) return named;
    static const char *const places[] = {"", "/../share/ventus", "/../../share/ventus"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *path = cc_printf(cc, "%s%s/" LIBRARY, cc->tool_dir, places[i]);
        if (access(path, R_OK) == 0) return path;
    }
    cc_error(cc, CC_ENVIRONMENT, NULL,
             "the built-in library " LIBRARY " was not found beside ventus-cc; "
             "set VENTUS_BUILTINS to its path");
}

/* A module whose function bodies are read when the linker asks for them. */
static LLVMModuleRef open_library(struct cc *cc)
{
    const char *path = find_library(cc);
    LLVMMemoryBufferRef buffer;
    char *why = NULL;
    if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &why)) {
        const char *reason = cc_printf(cc, "%s", why ? why : "unreadable");
        LLVMDisposeMessage(why);
        cc_error(cc, CC_ENVIRONMENT, NULL, "cannot read the built-in library %s: %s", path, reason);
    }
    LLVMModuleRef library;
    if (LLVMGetBitcodeModuleInContext2(cc->context, buffer, &library)) /* takes the buffer */
        cc_error(cc, CC_ENVIRONMENT, NULL, "%s is not a built-in library", path);
    return library;
}

/* Is anything undefined that the library may have? */
static bool is_needed(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (LLVMIsDeclaration(f) && !LLVMGetIntrinsicID(f) && LLVMGetFirstUse(f)) return true;
    return false;
}

void link_library(struct cc *cc)
{
    if (!is_needed(cc->module)) return;
    LLVMModuleRef library = open_library(cc);
    LLVMSetTarget(library, LLVMGetTarget(cc->module));
    LLVMSetDataLayout(library, LLVMGetDataLayoutStr(cc->module));
    if (LLVMLinkModules2(cc->module, library)) cc_error(cc, CC_INTERNAL, NULL, "cannot link the built-in library");
}
