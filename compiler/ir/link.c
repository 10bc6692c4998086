/* The built-in library: takes from it what the program calls.
 *
 * The library is bitcode whose functions are all linkonce_odr and loaded lazily, so linking costs
 * only the functions actually reached. Called by prepare.c. */
#include <string.h>

#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>

#include "compiler/ir/ir.h"
#include "isa/routine.h"

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

static bool is_of(LLVMTypeRef type, LLVMTypeKind kind)
{
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) type = LLVMGetElementType(type);
    return LLVMGetTypeKind(type) == kind;
}

/* Routines about doubles have their bits as arguments. */
static bool is_about(LLVMValueRef f, LLVMTypeKind kind)
{
    if (is_pure_routine(f)) return kind == LLVMDoubleTypeKind && !routine_divides(routine_named(LLVMGetValueName(f)));
    if (is_of(LLVMGetReturnType(LLVMGlobalGetValueType(f)), kind)) return true;
    for (unsigned i = 0; i < LLVMCountParams(f); i++)
        if (is_of(LLVMTypeOf(LLVMGetParam(f, i)), kind)) return true;
    return false;
}

/* Functions of halves and of doubles are in libraries of their own, which programs without them need not open. */
static bool needs(LLVMModuleRef module, LLVMTypeKind kind)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (is_undefined(f) && is_about(f, kind)) return true;
    return false;
}

/* Is it one of the functions that there are hundreds of? */
static bool is_of_family(const char *name)
{
    static const char *const families[] = {
#define FAMILY(beginning) beginning,
#include "compiler/library/families.def"
    };
    if (strncmp(name, "_Z", 2)) return false;
    name += 2 + strspn(name + 2, "0123456789");
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (!strncmp(name, families[i], strlen(families[i]))) return true;
    return false;
}

static bool needs_families(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (is_undefined(f) && is_of_family(LLVMGetValueName(f))) return true;
    return false;
}

static void link_opened(struct cc *cc, LLVMModuleRef opened)
{
    LLVMSetTarget(opened, LLVMGetTarget(cc->module));
    LLVMSetDataLayout(opened, LLVMGetDataLayoutStr(cc->module));
    if (LLVMLinkModules2(cc->module, opened)) cc_error(cc, CC_INTERNAL, NULL, "cannot link the built-in library");
}

/* One that is beside the built-in library. */
static void link_beside(struct cc *cc, enum library which)
{
    const char *path = library_file(cc, which), *reason = "";
    if (!path) cc_error(cc, CC_ENVIRONMENT, NULL, "%s was not found beside the built-in library", library_name(which));
    LLVMModuleRef opened = open_library(cc, path, &reason);
    if (!opened) cc_error(cc, CC_ENVIRONMENT, NULL, "%s", reason);
    link_opened(cc, opened);
}

/* What those of halves call may be about doubles, what both call in a family, and what all call is in the built-in
 * library. */
void link_library(struct cc *cc)
{
    if (!is_needed(cc->module)) return;
    if (needs(cc->module, LLVMHalfTypeKind)) link_beside(cc, LIBRARY_HALF);
    if (needs(cc->module, LLVMDoubleTypeKind)) link_beside(cc, LIBRARY_DOUBLE);
    if (needs_families(cc->module)) link_beside(cc, LIBRARY_FAMILIES);
    link_opened(cc, library(cc));
}
