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

const char *library_file(struct cc *cc)
{
    const char *named = getenv("VENTUS_BUILTINS");
    if (named && *named) return named;
    static const char *const places[] = {"", "/../share/ventus", "/../../share/ventus"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *path = cc_printf(cc, "%s%s/" LIBRARY, cc->tool_dir, places[i]);
        if (access(path, R_OK) == 0) return path;
    }
    return NULL;
}

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
    const char *path = library_file(cc), *reason;
    context_make(cc);
    if (path) cc->library = open_library(cc, path, &reason);
}

static LLVMModuleRef library(struct cc *cc)
{
    LLVMModuleRef opened = cc->library;
    cc->library = NULL; /* linking consumes it */
    if (opened) return opened;
    const char *path = library_file(cc), *reason = "";
    if (!path)
        cc_error(cc, CC_ENVIRONMENT, NULL,
                 "the built-in library " LIBRARY " was not found beside ventus-cc; "
                 "set VENTUS_BUILTINS to its path");
    opened = open_library(cc, path, &reason);
    if (!opened) cc_error(cc, CC_ENVIRONMENT, NULL, "%s", reason);
    return opened;
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
    LLVMModuleRef opened = library(cc);
    LLVMSetTarget(opened, LLVMGetTarget(cc->module));
    LLVMSetDataLayout(opened, LLVMGetDataLayoutStr(cc->module));
    if (LLVMLinkModules2(cc->module, opened)) cc_error(cc, CC_INTERNAL, NULL, "cannot link the built-in library");
}
