/* The assembler as a whole: the run over one source, and what becomes of it, an image or an object.
 *
 * Nothing but that outlives the run. Called by tools, and by template.c for the compiler. */
#include "asm/as.h"

#include <stdlib.h>
#include <string.h>

/* ---- the image ---- */

static bool make_note(struct as *as, struct elf_image *m, struct owned *o)
{
    const uint8_t *bytes = as_section(as, SECTION_NOTE)->out;
    size_t size = as_section(as, SECTION_NOTE)->bytes;
    while (size && !bytes[size - 1]) size--;
    if (size && kernels_said(as))
        return as_error(as, as_section(as, SECTION_NOTE)->first->at,
                        "a .note.ventus section excludes .kernel, .print_format and .print_string");
    if (size && memchr(bytes, 0, size))
        return as_error(as, as_section(as, SECTION_NOTE)->first->at, "the module note is text, without zero bytes");
    bool ok = true;
    if (kernels_said(as)) ok = kernels_note(as, m, &o->note);
    else if (size) ok = (o->note = strndup((const char *)bytes, size)) || as_error(as, NULL, "out of memory");
    m->note = o->note;
    return ok;
}

static bool visible(const struct as *as, const struct symbol *s)
{
    return s && s->item && !s->hidden && is_loaded(as_section(as, s->item->section));
}

static int by_address(const void *a, const void *b)
{
    const struct elf_symbol *x = a, *y = b;
    return x->value != y->value ? (x->value < y->value ? -1 : 1) : strcmp(x->name, y->name);
}

static bool make_symbols(struct as *as, struct elf_image *m, struct owned *o)
{
    size_t count = 0, room = 1, n = 0;
    for (size_t i = 0; i < as->symbols.room; i++)
        if (visible(as, as->symbols.table[i])) count++, room += as->symbols.table[i]->length + 1;
    o->symbols = calloc(count + 1, sizeof *o->symbols);
    char *p = o->names = malloc(room);
    if (!o->symbols || !p) return as_error(as, NULL, "out of memory");
    for (size_t i = 0; i < as->symbols.room; i++) {
        const struct symbol *s = as->symbols.table[i];
        int64_t size = 0;
        if (!visible(as, s)) continue;
        if (s->size && !expr_value(as, s->size, &size)) return false;
        memcpy(p, s->name, s->length + 1);
        o->symbols[n++] =
            (struct elf_symbol){.name = p, .value = s->item->addr, .size = (uint32_t)size, .function = s->function};
        if (!strcmp(p, "_start")) m->entry = s->item->addr;
        p += s->length + 1;
    }
    qsort(o->symbols, n, sizeof *o->symbols, by_address);
    m->symbols = o->symbols;
    m->nsymbols = n;
    return true;
}

/* The resource records that the source spells out. */
static bool read_resources(struct as *as, struct owned *o)
{
    const uint8_t *bytes = as_section(as, SECTION_RESOURCE)->out;
    const char *why = NULL;
    for (const struct resource_mark *m = as->marks.first; m; m = m->next) {
        size_t begin = m->item->addr, end = m->next ? m->next->item->addr : as_section(as, SECTION_RESOURCE)->bytes;
        if (!resource_append_section(o, bytes + begin, end - begin, m->kernel, &why))
            return as_error(as, m->item->at, "%s", why);
    }
    return resource_own_names(o, &why) || as_error(as, NULL, "%s", why);
}

/* Sections of a program write into what the image has of their kind, others into memory of the run. */
static void give_room(struct as *as, uint8_t *const program[SECTION_BSS])
{
    for (unsigned s = 0; s < as->sections.n; s++) {
        struct section *section = as_section(as, s);
        if (section->kind == SECTION_BSS) continue;
        if (program && is_loaded(section))
            section->out = program[section->kind] + (section->base - as->sections.parts[section->kind].base);
        else section->out = as_alloc(as, section->bytes + 4);
    }
}

/* Hands sections and symbols over to the image; what was handed over is freed with it. */
static bool make_image(struct as *as, struct elf_image *m, struct owned *o)
{
    const struct part *text = &as->sections.parts[SECTION_TEXT], *rodata = &as->sections.parts[SECTION_RODATA],
                      *data = &as->sections.parts[SECTION_DATA], *bss = &as->sections.parts[SECTION_BSS];
    const struct section *summary = as_section(as, SECTION_SUMMARY);
    size_t words = (text->bytes + 3) / 4, data_size = bss->bytes ? bss->base - data->base : data->bytes;
    if (summary->bytes)
        return as_error(as, summary->first->at, ".ventus.resobj is for the linker; objects (as -c) can have it");
    o->text = calloc(words + 1, 4);
    o->rodata = calloc(rodata->bytes + 1, 1);
    o->data = calloc(data_size + 1, 1);
    if (!o->text || !o->rodata || !o->data) return as_error(as, NULL, "out of memory");
    give_room(as, (uint8_t *[]){(uint8_t *)o->text, o->rodata, o->data});
    if (!layout_emit(as) || !read_resources(as, o)) return false;
    *m = (struct elf_image){.profile = as->mnemonics.profile,
                            .entry = text->base,
                            .text_addr = text->base,
                            .text = o->text,
                            .text_words = words,
                            .rodata_addr = rodata->base,
                            .rodata = o->rodata,
                            .rodata_size = rodata->bytes,
                            .data_addr = data->base,
                            .data = o->data,
                            .data_size = data_size,
                            .bss_size = bss->bytes,
                            .resources = o->resources,
                            .nresources = o->nresources,
                            .owner = o};
    return make_note(as, m, o) && make_symbols(as, m, o);
}

/* The object instead of an image. */
static bool make_object(struct as *as, void **bytes, size_t *size)
{
    struct elf_image none = {0};
    struct owned owned = {0};
    give_room(as, NULL);
    bool ok = layout_emit(as) && make_note(as, &none, &owned) && read_resources(as, &owned) &&
              object_write(as, &owned, bytes, size);
    free(owned.note);
    free(owned.resources);
    free(owned.kernels);
    return ok;
}

/* What becomes of the source: an image, or the bytes of an object. */
struct result {
    struct elf_image *image;
    struct owned *owned;
    void **bytes;
    size_t *size;
};

/* Does the source have kernels, and nothing that calls them? Where .text has a place by .org, the source knows best. */
static bool start_is_missing(struct as *as)
{
    const struct symbol *start = as_find(as, "_start", strlen("_start"));
    bool kernels = as->kernels.first || as_section(as, SECTION_NOTE)->first;
    return kernels && !(start && start->defined) && !as_section(as, SECTION_TEXT)->placed && !as->object;
}

/* Reads the start code behind the source, whose symbols it then knows, and puts its text in front. */
static void add_start(struct as *as, const char *start)
{
    struct section *text = as_section(as, SECTION_TEXT);
    struct item *source = text->first, **end = text->last;
    text->first = NULL, text->last = &text->first;
    as->sections.current = SECTION_TEXT;
    source_enter(as, "start code", start, strlen(start), NULL);
    while (lex_statement(as)) statement_run(as);
    *text->last = source;
    if (source) text->last = end;
}

static void run(struct as *as, const struct asm_options *options, const char *text, size_t size, uint32_t base,
                const struct result *result)
{
    section_begin(as, base);
    as->commons.last = &as->commons.first;
    kernels_begin(as);
    as->marks.last = &as->marks.first;
    as->relocations.last = &as->relocations.first;
    source_enter(as, as->sources.name, text, size, text);
    as_profile(as, as->mnemonics.profile);
    while (lex_statement(as)) statement_run(as);
    if (options->start && start_is_missing(as)) add_start(as, options->start);
    section_commons(as);
    if (as->messages.errors || !layout_place(as)) return;
    if (as->object) make_object(as, result->bytes, result->size);
    else make_image(as, result->image, result->owned);
}

/* Runs the assembler over one source; true when it reported nothing. */
static bool assemble(const struct asm_options *options, const char *name, const char *source, size_t size,
                     uint32_t base, const struct result *result, FILE *log)
{
    struct as *as = calloc(1, sizeof *as);
    char *text = malloc(size + 1); /* ended by a zero, for strtof */
    bool ok = as && text;
    if (ok) {
        if (size) memcpy(text, source, size);
        text[size] = 0;
        *as = (struct as){.messages.log = log,
                          .sources = {.name = name, .includes = options->includes},
                          .mnemonics.profile = options->profile ? options->profile : PROFILE_DEFAULT,
                          .object = result->bytes != NULL};
        if (!setjmp(as->stop)) run(as, options, text, size, base, result);
        ok = !as->messages.errors;
        as_free(as);
    } else if (log) {
        fprintf(log, "%s: error: out of memory\n", name);
    }
    free(text);
    free(as);
    return ok;
}

bool asm_assemble(const char *name, const char *source, size_t size, uint32_t base, struct elf_image *image, FILE *log)
{
    const struct asm_options options = {.profile = PROFILE_DEFAULT};
    return asm_assemble_with(&options, name, source, size, base, image, log);
}

bool asm_assemble_with(const struct asm_options *options, const char *name, const char *source, size_t size,
                       uint32_t base, struct elf_image *image, FILE *log)
{
    struct elf_image made = {.owner = calloc(1, sizeof(struct owned))};
    const struct result result = {.image = &made, .owned = made.owner};
    bool ok = made.owner && assemble(options, name, source, size, base, &result, log);
    made.owner = result.owned;
    if (ok) *image = made;
    else if (made.owner) elf_free(&made);
    return ok;
}

bool asm_assemble_object(const struct asm_options *options, const char *name, const char *source, size_t size,
                         void **bytes, size_t *nbytes, FILE *log)
{
    const struct result result = {.bytes = bytes, .size = nbytes};
    *bytes = NULL;
    return assemble(options, name, source, size, 0, &result, log);
}
