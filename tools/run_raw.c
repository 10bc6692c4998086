/* Programs without kernel records: an ELF file without a Ventus note, or a text of hexadecimal words.
 *
 * They become executables with one kernel that has the arguments of the command line and all registers of
 * a warp, so that the rest of `ventus run` need not know them. Called by run_kernel.c. */
#include <stdlib.h>
#include <string.h>

#include "asm/image.h"
#include "asm/note.h"
#include "run.h"

enum { LOCAL_BYTES = 4096, PRIVATE_BYTES = 4096, MAX_SEGMENTS = 64 };

static const enum ventus_arg_kind kinds[] = {
    [ARGUMENT_NUMBERS] = VENTUS_ARG_VALUE, [ARGUMENT_BYTES] = VENTUS_ARG_VALUE, [ARGUMENT_BUFFER] = VENTUS_ARG_GLOBAL,
    [ARGUMENT_LOCAL] = VENTUS_ARG_LOCAL,   [ARGUMENT_NULL] = VENTUS_ARG_GLOBAL,
};

/* The note: one kernel at `entry`. Nobody says what a program does with its local memory. */
static char *note_of(const struct request *r, const char *name, uint32_t entry)
{
    struct ventus_arg *args = allocate((r->narguments + 1) * sizeof *args);
    char(*numbers)[12] = allocate((r->narguments + 1) * sizeof *numbers);
    struct ventus_kernel kernel = {.name = name,
                                   .entry = entry,
                                   .vgprs = ISA_VREGS,
                                   .sgprs = ISA_XREGS,
                                   .lds_bytes = LOCAL_BYTES,
                                   .pds_bytes = PRIVATE_BYTES,
                                   .nargs = r->narguments,
                                   .args = args};
    for (unsigned i = 0; i < r->narguments; i++) {
        enum ventus_arg_kind kind = kinds[r->arguments[i].kind];
        uint32_t bytes = argument_bytes(&r->arguments[i]);
        snprintf(numbers[i], sizeof *numbers, "%u", i);
        args[i] = (struct ventus_arg){.kind = kind,
                                      .size = bytes,
                                      .offset = abi_arg_offset(kernel.args_size, bytes),
                                      .align = kind == VENTUS_ARG_LOCAL ? ABI_ANY_ALIGN : 4,
                                      .name = numbers[i]};
        kernel.args_size = args[i].offset + bytes;
    }
    char *text = note_write(&(struct note){.kernels = &kernel, .nkernels = 1}, 1);
    if (!text) die("out of memory");
    free(args);
    free(numbers);
    return text;
}

static const struct elf_symbol *symbol(const struct elf_image *image, const char *name)
{
    for (size_t i = 0; i < image->nsymbols; i++)
        if (!strcmp(image->symbols[i].name, name)) return &image->symbols[i];
    return NULL;
}

static _Noreturn void no_symbol(const struct request *r, const struct elf_image *image)
{
    const char **names = allocate((image->nsymbols + 1) * sizeof *names);
    for (size_t i = 0; i < image->nsymbols; i++) names[i] = image->symbols[i].name;
    const char *near = nearest_word(r->kernel, names);
    if (near) usage_error(&r->args, "the program has no symbol '%s'; did you mean '%s'?", r->kernel, near);
    usage_error(&r->args, "the program has no symbol '%s'", r->kernel);
}

/* Where the kernel is. The start code, if there is any, finds it in the metadata block; without it the
 * program begins there. */
static uint32_t entry_of(const struct request *r, struct elf_image *image)
{
    if (!r->kernel) return image->entry;
    const struct elf_symbol *kernel = symbol(image, r->kernel);
    if (!kernel) no_symbol(r, image);
    if (!symbol(image, "_start")) image->entry = kernel->value;
    return kernel->value;
}

static void *with_note(const struct request *r, struct elf_image *image, size_t *size)
{
    void *elf;
    const char *why = "";
    char *note = note_of(r, r->kernel ? r->kernel : "program", entry_of(r, image));
    image->note = note;
    if (!elf_write(image, &elf, size, &why)) die("%s: %s", r->file, why);
    free(note);
    return elf;
}

void *raw_program(const struct request *r, char *bytes, size_t size, size_t *elf_size)
{
    struct elf_image image = {0};
    void *elf = NULL;
    if (size >= 4 && !memcmp(bytes, "\177ELF", 4)) {
        struct elf_segment segments[MAX_SEGMENTS];
        size_t n;
        const char *why;
        if (!elf_read(bytes, size, &image, segments, MAX_SEGMENTS, &n, &why)) return NULL;
        if (!image.note && image.text_words) elf = with_note(r, &image, elf_size);
        elf_free(&image);
        return elf;
    }
    if (memchr(bytes, 0, size)) return NULL;
    uint32_t *words = allocate((size / 2 + 1) * sizeof *words);
    image = (struct elf_image){.entry = ABI_CODE_BASE, .text_addr = ABI_CODE_BASE, .text = words};
    image.text_words = parse_words(bytes, r->file, words);
    if (!image.text_words) die("%s: no words", r->file);
    elf = with_note(r, &image, elf_size);
    free(words);
    return elf;
}
