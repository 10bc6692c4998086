/* Drafts: programs that list their kernels and carry what these are compiled of, one by one, when somebody asks for one
 * (docs/architecture.md, "Drafts").
 *
 * A program of many kernels, of which clients use a few, would mostly be compiled for nothing: inlining, the passes
 * behind it and the back end are nine tenths of the time. So the compiler stops before them, if nothing is left by then
 * that a program can be refused for, and nothing that its kernels have in common but constants. What a kernel becomes
 * does not depend on whether it is compiled alone. Which programs that can be is draftable.c's to say. Called by
 * main.c. */
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Linker.h>

#include "asm/image.h"
#include "compiler/frontend/frontend.h"
#include "compiler/output/output.h"
#include "compiler/passes/passes.h"

void draft_save(struct cc *cc, void **bytes, size_t *size)
{
    void *object;
    size_t object_size;
    object_save(cc, &object, &object_size);
    void *kept = cc_alloc(cc, object_size + 1); /* an error would leave the other */
    memcpy(kept, object, object_size);
    free(object);
    kernels_collect(cc);
    output_draft(cc, kept, object_size, bytes, size);
}

/* Without the mark of a kernel a function is left out unless something calls it. */
static void demote(LLVMValueRef kernel)
{
    LLVMRemoveStringAttributeAtIndex(kernel, LLVMAttributeFunctionIndex, KERNEL_MARK, sizeof KERNEL_MARK - 1);
    LLVMSetLinkage(kernel, LLVMInternalLinkage);
}

/* `name`: NULL: all. */
static void choose_kernel(struct cc *cc, LLVMModuleRef module, const char *file, const char *name)
{
    bool found = !name;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f) || !kernel_is(f)) continue;
        if (name && strcmp(LLVMGetValueName(f), name)) demote(f);
        else found = true;
    }
    if (!found) cc_error(cc, CC_FAILED, NULL, "%s has no kernel %s", file, name);
}

/* Of the functions those are read that the kernel reaches. All kernels are read in the same way, since LLVM's passes
 * look at the uses of a value in the order in which these came to be. */
static void read_kernels(struct cc *cc, const void *object, size_t size, const char *file, const char *name)
{
    LLVMModuleRef module = module_open(cc, object, size);
    if (!module) cc_error(cc, CC_FAILED, NULL, "%s is not a draft of this compiler", file);
    choose_kernel(cc, module, file, name);
    cc->module = LLVMModuleCreateWithNameInContext("source", cc->context);
    if (LLVMLinkModules2(cc->module, module)) cc_error(cc, CC_FAILED, NULL, "%s is damaged", file);
}

bool draft_open(struct cc *cc, const void *bytes, size_t size, const char *name, const char *kernel)
{
    struct elf_image image;
    const char *why;
    size_t object_size;
    if (size < 4 || memcmp(bytes, "\177ELF", 4)) return false;
    if (!elf_read(bytes, size, &image, NULL, 0, NULL, &why)) cc_error(cc, CC_FAILED, NULL, "%s: %s", name, why);
    const uint8_t *object = elf_draft_object(&image, &object_size);
    if (object) read_kernels(cc, object, object_size, name, kernel);
    elf_free(&image);
    return object;
}
