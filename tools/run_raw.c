/* Programs without kernel records: an ELF file without a Ventus note, or a text of hexadecimal words.
 *
 * They become executables with one kernel that has the arguments of the command line and all registers of
 * a warp, so that the rest of `ventus run` need not know them. Called by run_kernel.c. */
#include <stdlib.h>
#include <string.h>

#include "asm/asm.h"
#include "run.h"

enum { LOCAL_BYTES = 4096, PRIVATE_BYTES = 4096, MAX_SEGMENTS = 64 };

// clang-format off
static const struct { const char *kind; const char *address; } described[] = {
    [ARGUMENT_NUMBERS] = {"value", "private"}, [ARGUMENT_BYTES] = {"value", "private"},
    [ARGUMENT_BUFFER] = {"global", "global"},  [ARGUMENT_LOCAL] = {"local", "local"},
    [ARGUMENT_NULL] = {"global", "global"},
};
// clang-format on

/* The note: one kernel at `entry`. */
static char *note_text(const struct request *r, const char *name, uint32_t entry)
{
    char *text = NULL, *args = NULL;
    size_t size, args_size;
    uint32_t end = 0;
    FILE *records = open_memstream(&args, &args_size), *out = open_memstream(&text, &size);
    if (!records || !out) die("out of memory");
    for (unsigned i = 0; i < r->narguments; i++) {
        const struct argument *a = &r->arguments[i];
        uint32_t bytes = argument_bytes(a), offset = abi_arg_offset(end, bytes);
        end = offset + bytes;
        fprintf(records, "arg kind=%s size=%u offset=%u align=%u name=%u type= access= address=%s qual=\n",
                described[a->kind].kind, bytes, offset, a->kind == ARGUMENT_LOCAL ? 16 : 4, i,
                described[a->kind].address);
    }
    fclose(records);
    fprintf(out,
            "ventus-module 1\nkernel name=%s entry=0x%08x vgpr=%d sgpr=%d lds=%d pds=%d args=%u reqd=0,0,0 hint=0,0,0 "
            "vechint=\n%s",
            name, entry, ISA_VREGS, ISA_XREGS, LOCAL_BYTES, PRIVATE_BYTES, end, args);
    fclose(out);
    free(args);
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
    char *note = note_text(r, r->kernel ? r->kernel : "program", entry_of(r, image));
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
