/* Makes the libraries of built-in functions (README.md of the compiler says what is in which).
 *
 *   ventus-library options
 *       prints what clang is told about our own sources, as a response file: extensions and features of the device
 *   ventus-library build CLC REQUIRED PRIMITIVES BASE FAMILIES DOUBLE HALF BITCODE...
 *       makes the four libraries of libclc's bitcode and ours; a file of ours is of doubles or of halves if its name
 *       begins so. REQUIRED and PRIMITIVES are lists of names: what there must be, and what the back end knows.
 *
 * Functions with doubles, with halves, and families (families.def) have libraries of their own, so that programs
 * without them open no larger one than they need. All functions are linkonce_odr: the linker takes what a program
 * calls. Our definitions win over libclc's. Called by the build (compiler/meson.build). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Error.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "compiler/library/builder/builder.h"

typedef LLVMValueRef value;

/* ---- options ---- */

static int print_options(void)
{
    fputs("-Xclang -cl-ext=-all"
#define EXTENSION(name, ...) ",+" name
#define FEATURE(name, ...)   ",+" name
#include "isa/features.def"
          "\n"
#define FEATURE(name, ...) "-D" name "=1\n"
#include "isa/features.def"
          ,
          stdout);
    return 0;
}

/* ---- our own part ---- */

static void simplify(LLVMModuleRef module)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error =
        LLVMRunPasses(module, "function(sroa,early-cse,simplifycfg,instcombine,simplifycfg)", NULL, options);
    if (error) fail("%s", LLVMGetErrorMessage(error));
    LLVMDisposePassBuilderOptions(options);
}

static bool is_of_kind(const char *path, const char *kind)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    if (*kind) return !strncmp(name, kind, strlen(kind));
    return !is_of_kind(path, "double") && !is_of_kind(path, "half");
}

/* Our files of a kind, "double", "half" or "" for the others, as one module. */
static LLVMModuleRef read_ours(char **paths, int count, const char *kind)
{
    LLVMModuleRef all = NULL;
    for (int i = 0; i < count; i++) {
        if (!is_of_kind(paths[i], kind)) continue;
        LLVMModuleRef module = module_read(paths[i]);
        simplify(module);
        if (!all) all = module;
        else if (LLVMLinkModules2(all, module)) fail("%s does not link with what is before it", paths[i]);
    }
    if (!all) fail("there is no source of kind \"%s\"", kind);
    return all;
}

/* ---- together ---- */

/* What a function of the library accesses says nothing of what a program may keep there: copies of structs move words
 * through pointers to int. So LLVM is not told the types of accesses (TBAA). */
static void forget_types(value f)
{
    static const char *const kinds[] = {"tbaa", "tbaa.struct"};
    EACH_BLOCK (b, f)
        EACH_INSTRUCTION (i, b)
            for (int n = 0; n < 2; n++) LLVMSetMetadata(i, LLVMGetMDKindID(kinds[n], (unsigned)strlen(kinds[n])), NULL);
}

/* Functions with generic pointers are those with global ones once more, but for those that the language has not. The
 * accesses become plain ones where the pointer's space is known (generic.c). */
static bool wants_generic(value f)
{
    const char *name = LLVMGetValueName(f);
    return !LLVMIsDeclaration(f) && strstr(name, "PU3AS1") && !strstr(name, "PU3AS3") &&
           !function_is_called(f, "atom") && !function_is_called(f, "prefetch");
}

static void add_generic(LLVMModuleRef module)
{
    value last = LLVMGetLastFunction(module);
    EACH_FUNCTION (f, module) {
        if (wants_generic(f)) {
            char *name = name_respace(LLVMGetValueName(f), SPACE_GLOBAL, SPACE_GENERIC);
            function_respace(f, SPACE_GLOBAL, SPACE_GENERIC, name);
            free(name);
        }
        if (f == last) break;
    }
}

static void finish(LLVMModuleRef module)
{
    EACH_FUNCTION (f, module) {
        if (LLVMIsDeclaration(f)) continue;
        if (LLVMGetLinkage(f) != LLVMInternalLinkage) LLVMSetLinkage(f, LLVMLinkOnceODRLinkage);
        forget_types(f);
    }
    add_generic(module);
}

/* ---- families ---- */

static bool is_of_family(value f)
{
    static const char *const families[] = {
#define FAMILY(beginning) beginning,
#include "compiler/library/families.def"
    };
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (function_is_called(f, families[i])) return true;
    return false;
}

/* What nobody uses and nobody else can. */
static void drop_unused(LLVMModuleRef module)
{
    for (bool dropped = true; dropped;) {
        dropped = false;
        EACH_FUNCTION (f, module) {
            if (LLVMGetFirstUse(f) || (!LLVMIsDeclaration(f) && LLVMGetLinkage(f) != LLVMInternalLinkage)) continue;
            LLVMDeleteFunction(f);
            dropped = true;
        }
    }
    variables_drop_unused(module);
}

/* Takes the families out of a library. What is static stays in both. */
static LLVMModuleRef split_families(LLVMModuleRef base)
{
    LLVMModuleRef families = LLVMCloneModule(base);
    EACH_FUNCTION (f, base)
        if (!LLVMIsDeclaration(f) && is_of_family(f)) function_undefine(f);
    EACH_FUNCTION (f, families)
        if (!LLVMIsDeclaration(f) && !is_of_family(f) && LLVMGetLinkage(f) != LLVMInternalLinkage) function_undefine(f);
    return families;
}

/* ---- checks ---- */

struct names {
    char **list;
    size_t count;
};

static struct names read_names(const char *path)
{
    struct names names = {0};
    char line[512];
    FILE *file = fopen(path, "r");
    if (!file) fail("cannot read %s", path);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        names.list = realloc(names.list, ++names.count * sizeof *names.list);
        if (!names.list || !(names.list[names.count - 1] = strdup(line))) fail("out of memory");
    }
    fclose(file);
    return names;
}

static bool has_name(const struct names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (!strcmp(names->list[i], name)) return true;
    return false;
}

static bool defines(LLVMModuleRef module, const char *name)
{
    value f = LLVMGetNamedFunction(module, name);
    return f && !LLVMIsDeclaration(f);
}

enum { BASE, FAMILIES, DOUBLE, HALF, LIBRARIES };

static void check_required(const struct names *required, LLVMModuleRef *libraries)
{
    for (size_t i = 0; i < required->count; i++)
        if (!defines(libraries[BASE], required->list[i]) && !defines(libraries[FAMILIES], required->list[i]))
            fail("%s is missing from the library", required->list[i]);
}

/* Each library may call what is in those that are linked behind it (link.c), and the back end's primitives. */
static void check_calls(const struct names *primitives, LLVMModuleRef *libraries, int which)
{
    EACH_FUNCTION (f, libraries[which]) {
        const char *name = LLVMGetValueName(f);
        bool known = !LLVMIsDeclaration(f) || LLVMGetIntrinsicID(f) || has_name(primitives, name);
        for (int i = 0; i < which && !known; i++) known = defines(libraries[i], name);
        if (!known) fail("library %d calls %s, which is nowhere", which, name);
    }
}

/* ---- main ---- */

static void diagnose(LLVMDiagnosticInfoRef info, void *unused)
{
    (void)unused;
    if (LLVMGetDiagInfoSeverity(info) == LLVMDSError) fail("%s", LLVMGetDiagInfoDescription(info));
}

static int build(char **argv, int argc)
{
    enum { CLC, REQUIRED, PRIMITIVES, OUTPUTS, OURS = OUTPUTS + LIBRARIES };
    LLVMContextSetDiagnosticHandler(LLVMGetGlobalContext(), diagnose, NULL);
    struct names required = read_names(argv[REQUIRED]), primitives = read_names(argv[PRIMITIVES]);
    LLVMModuleRef libraries[LIBRARIES], clc = module_read(argv[CLC]);
    clc_correct(clc);
    libraries[DOUBLE] = LLVMCloneModule(clc);
    libraries[BASE] = clc;
    clc_keep(libraries[DOUBLE], true);
    clc_keep(libraries[BASE], false);
    clc_lower(libraries[BASE]);
    module_override(libraries[BASE], read_ours(argv + OURS, argc - OURS, ""));
    module_override(libraries[DOUBLE], read_ours(argv + OURS, argc - OURS, "double"));
    libraries[HALF] = read_ours(argv + OURS, argc - OURS, "half"); /* libclc has nothing of halves */
    finish(libraries[BASE]);
    finish(libraries[DOUBLE]);
    finish(libraries[HALF]);
    libraries[FAMILIES] = split_families(libraries[BASE]);
    check_required(&required, libraries);
    for (int i = 0; i < LIBRARIES; i++) {
        drop_unused(libraries[i]);
        check_calls(&primitives, libraries, i);
    }
    for (int i = 0; i < LIBRARIES; i++) module_write(libraries[i], argv[OUTPUTS + i]);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "options")) return print_options();
    if (argc > 10 && !strcmp(argv[1], "build")) return build(argv + 2, argc - 2);
    fputs("usage: ventus-library options\n"
          "       ventus-library build CLC REQUIRED PRIMITIVES BASE FAMILIES DOUBLE HALF BITCODE...\n",
          stderr);
    return 2;
}
