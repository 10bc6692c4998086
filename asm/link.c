/* The linker: objects to a program.
 *
 * When all sections have their places, names are bound, relocations applied and the module notes joined. Called by
 * `ventus ld`. */
#include "asm/assemble.h"
#include "asm/linker.h"
#include "asm/used.h"

#include <stdlib.h>
#include <string.h>

static bool copy_parts(struct linker *l)
{
    for (int s = 0; s < OUT_BSS; s++) {
        l->bytes[s] = link_zeroed(l->size[s] + 4, 1);
        if (!l->bytes[s]) return link_error(l, NULL, "out of memory");
    }
    l->owned->text = (uint32_t *)l->bytes[OUT_TEXT];
    l->owned->rodata = l->bytes[OUT_RODATA];
    l->owned->data = l->bytes[OUT_DATA];
    for (size_t k = 0; k < l->nobjects; k++)
        for (size_t i = 1; i < l->objects[k].nparts; i++) {
            const struct part *p = &l->objects[k].parts[i];
            if (p->out < OUT_BSS && p->header.sh_size)
                memcpy(l->bytes[p->out] + (p->addr - l->base[p->out]), link_contents(&l->objects[k], p),
                       p->header.sh_size);
        }
    return true;
}

/* ---- symbols, notes and resources of the program ---- */

/* Names that were made up by an assembler, or of another kind than a place, stay out. */
static bool is_kept(const struct object *o, size_t i, const Elf32_Sym *s, const char *name)
{
    unsigned type = ELF32_ST_TYPE(s->st_info);
    return o->known[i] && *name && s->st_shndx != SHN_UNDEF && s->st_shndx != SHN_ABS && type <= STT_FUNC &&
           *name != '$' && strncmp(name, ".L", 2);
}

static int by_address(const void *a, const void *b)
{
    const struct elf_symbol *x = a, *y = b;
    return x->value != y->value ? (x->value < y->value ? -1 : 1) : strcmp(x->name, y->name);
}

static bool make_symbols(struct linker *l)
{
    size_t count = 0, room = 1, n = 0;
    for (size_t k = 0; k < l->nobjects; k++)
        count += l->objects[k].nsymbols, room += l->objects[k].symbols ? l->objects[k].strings_size : 0;
    for (size_t k = 0; k < l->nobjects; k++) /* names may share their ends */
        for (size_t i = 1; i < l->objects[k].nsymbols; i++) {
            Elf32_Sym s;
            const char *name;
            if (link_symbol(l, &l->objects[k], i, &s, &name)) room += strlen(name) + 1;
            if (room > MAX_BYTES) return link_error(l, &l->objects[k], "too many symbols");
        }
    struct elf_symbol *out = l->owned->symbols = link_zeroed(count, sizeof *out);
    char *p = l->owned->names = malloc(room);
    if (!out || !p) return link_error(l, NULL, "out of memory");
    for (size_t k = 0; k < l->nobjects; k++)
        for (size_t i = 1; i < l->objects[k].nsymbols; i++) {
            const struct object *o = &l->objects[k];
            Elf32_Sym s;
            const char *name;
            if (!link_symbol(l, o, i, &s, &name) || !is_kept(o, i, &s, name)) continue;
            size_t length = strlen(name) + 1;
            memcpy(p, name, length);
            out[n++] = (struct elf_symbol){.name = p,
                                           .value = o->addresses[i],
                                           .size = s.st_size,
                                           .function = ELF32_ST_TYPE(s.st_info) == STT_FUNC};
            p += length;
        }
    qsort(out, n, sizeof *out, by_address);
    l->image->symbols = out;
    l->image->nsymbols = n;
    return true;
}

/* What an object does not know of its kernels: where they are, and how many registers the program uses. */
static bool complete_kernels(struct linker *l, const struct object *o, struct note *note)
{
    for (size_t i = 0; i < note->nkernels; i++) {
        struct ventus_kernel *k = &note->kernels[i];
        const struct name *n = link_find(l, k->name);
        if (!n->defined) return link_error(l, o, "the kernel '%s' of the module note is not defined", k->name);
        k->entry = n->object->addresses[n->symbol];
        if (k->vgprs == NOTE_AUTO) k->vgprs = l->vgprs;
        if (k->sgprs == NOTE_AUTO) k->sgprs = l->sgprs;
    }
    return true;
}

static bool read_note(struct linker *l, const struct object *o, const char *text, size_t size)
{
    struct note_error error;
    char what[NOTE_ERROR_ROOM];
    struct note *notes = realloc(l->notes, (l->nnotes + 1) * sizeof *notes);
    if (!notes) return link_error(l, NULL, "out of memory");
    l->notes = notes;
    if (note_read(text, size, &notes[l->nnotes], &error)) return complete_kernels(l, o, &notes[l->nnotes++]);
    note_explain(&error, what);
    return link_error(l, o, "%s", what);
}

/* The notes of one section. */
static bool read_notes(struct linker *l, const struct object *o, const struct part *part)
{
    const uint8_t *p = link_contents(o, part), *end = p + part->header.sh_size;
    const char *text, *why;
    size_t size;
    do {
        if (!elf_next_note(&p, end, &text, &size, &why)) return link_error(l, o, "%s", why);
        if (text && !read_note(l, o, text, size)) return false;
    } while (text);
    return true;
}

static bool is_note(const struct part *p) { return p->header.sh_type == SHT_NOTE && !strcmp(p->name, ".note.ventus"); }

static int by_id(const void *a, const void *b)
{
    const struct note_string *x = *(const struct note_string *const *)a, *y = *(const struct note_string *const *)b;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Does a number mean one text in all objects? */
static bool check_texts(struct linker *l, bool strings)
{
    size_t n = 0;
    for (size_t i = 0; i < l->nnotes; i++) n += strings ? l->notes[i].nstrings : l->notes[i].nformats;
    const struct note_string **all = link_zeroed(n, sizeof *all);
    if (!all) return link_error(l, NULL, "out of memory");
    n = 0;
    for (size_t i = 0; i < l->nnotes; i++) {
        const struct note *note = &l->notes[i];
        size_t count = strings ? note->nstrings : note->nformats;
        for (size_t k = 0; k < count; k++) all[n++] = strings ? &note->strings[k] : &note->formats[k];
    }
    qsort(all, n, sizeof *all, by_id);
    bool ok = true;
    for (size_t i = 1; i < n && ok; i++)
        if (all[i]->id == all[i - 1]->id && strcmp(all[i]->text, all[i - 1]->text))
            ok = link_error(l, NULL, "%s number %u has two texts in different objects",
                            strings ? "print string" : "print format", all[i]->id);
    free(all);
    return ok;
}

static bool join_notes(struct linker *l)
{
    asm_used_registers(l->profile, l->image->text, l->image->text_words, &l->vgprs, &l->sgprs);
    for (size_t k = 0; k < l->nobjects; k++)
        for (size_t i = 1; i < l->objects[k].nparts; i++) {
            const struct part *p = &l->objects[k].parts[i];
            if (is_note(p) && !read_notes(l, &l->objects[k], p)) return false;
        }
    if (!l->nnotes) return true;
    if (!check_texts(l, false) || !check_texts(l, true)) return false;
    l->image->note = l->owned->note = note_write(l->notes, l->nnotes);
    return l->owned->note || link_error(l, NULL, "out of memory");
}

static void free_notes(struct linker *l)
{
    for (size_t i = 0; i < l->nnotes; i++) note_free(&l->notes[i]);
    free(l->notes);
}

/* Records of what the module notes say; names are theirs. */
static bool note_records(struct linker *l)
{
    const char *why;
    for (size_t i = 0; i < l->nnotes; i++)
        for (size_t j = 0; j < l->notes[i].nkernels; j++) {
            const struct ventus_kernel *k = &l->notes[i].kernels[j];
            const struct elf_resource r = {
                .kernel = k->name,
                .value = {
                    [ABI_VGPR] = k->vgprs, [ABI_SGPR] = k->sgprs, [ABI_LDS] = k->lds_bytes, [ABI_PDS] = k->pds_bytes}};
            if (!resource_append(l->owned, &r, &why)) return link_error(l, NULL, "%s", why);
        }
    return true;
}

/* Records of the entries from the summaries, else those of the objects, else, when a version is asked for,
 * what the module note says. */
static bool make_records(struct linker *l)
{
    struct owned *o = l->owned;
    const char *why = NULL;
    bool summaries;
    if (!summary_records(l, &summaries)) return false;
    if (!summaries && !link_records(l)) return false;
    if (l->version && !o->nresources && !note_records(l)) return false;
    for (size_t i = 0; i < o->nresources && l->version; i++) {
        struct elf_resource *r = &o->resources[i];
        if (!resource_convert(r, *l->version, &why))
            return link_error(l, NULL, "kernel %s: %s", r->kernel ? r->kernel : "(not named)", why);
    }
    if (!resource_own_names(o, &why)) return link_error(l, NULL, "%s", why);
    l->image->resources = o->resources;
    l->image->nresources = o->nresources;
    return true;
}

/* ---- all of it ---- */

/* The profile of the program: one whose machines run every object. */
static bool join_profiles(struct linker *l)
{
    for (size_t k = 0; k < l->nobjects; k++) {
        const struct object *o = &l->objects[k];
        const char *before = isa_profile_name(l->profile);
        if (!isa_profile_join(l->profile, o->profile, &l->profile))
            return link_error(l, o, "it is of profile %s, and what comes before of profile %s",
                              isa_profile_name((enum isa_profile)o->profile), before);
    }
    if (!l->profile) l->profile = PROFILE_DEFAULT;
    return true;
}

/* Are there kernels, and nothing that calls them? */
static bool start_is_missing(struct linker *l)
{
    bool kernels = false;
    for (size_t k = 0; k < l->nobjects; k++) {
        for (size_t i = 1; i < l->objects[k].nparts; i++) kernels |= is_note(&l->objects[k].parts[i]);
        for (size_t i = 1; i < l->objects[k].nsymbols; i++) {
            Elf32_Sym s;
            const char *name;
            if (!link_symbol(l, &l->objects[k], i, &s, &name)) return false;
            if (s.st_shndx != SHN_UNDEF && !strcmp(name, "_start")) return false;
        }
    }
    return kernels;
}

/* Makes the start code the first object. */
static bool add_start(struct linker *l, const char *source)
{
    const struct asm_options options = {.profile = l->profile};
    void *bytes;
    l->start.name = "start code";
    if (!asm_assemble_object(&options, l->start.name, source, strlen(source), &bytes, &l->start.size, l->log))
        return link_error(l, NULL, "the start code cannot be assembled");
    l->start.bytes = bytes;
    l->objects--, l->nobjects++;
    l->objects[0].input = &l->start;
    return link_read(l, &l->objects[0]);
}

static bool build(struct linker *l, uint32_t base, const char *start)
{
    for (size_t k = 0; k < l->nobjects; k++)
        if (!link_read(l, &l->objects[k])) return false;
    if (!join_profiles(l)) return false;
    if (start && start_is_missing(l) && !add_start(l, start)) return false;
    if (!link_names(l) || !link_place(l, base) || !copy_parts(l) || !link_bind(l) || !link_recursion(l) ||
        !link_relocate(l))
        return false;
    *l->image = (struct elf_image){.profile = l->profile,
                                   .entry = base,
                                   .text_addr = base,
                                   .text = l->owned->text,
                                   .text_words = l->size[OUT_TEXT] / 4,
                                   .rodata_addr = l->base[OUT_RODATA],
                                   .rodata = l->owned->rodata,
                                   .rodata_size = l->size[OUT_RODATA],
                                   .data_addr = l->base[OUT_DATA],
                                   .data = l->owned->data,
                                   .data_size = l->size[OUT_DATA],
                                   .bss_size = l->size[OUT_BSS],
                                   .owner = l->owned};
    const struct name *entry = link_find(l, "_start");
    if (entry->defined) l->image->entry = entry->object->addresses[entry->symbol];
    return make_symbols(l) && join_notes(l) && make_records(l);
}

bool asm_link(const struct asm_link_options *options, const struct asm_input *inputs, size_t ninputs, uint32_t base,
              struct elf_image *image, FILE *log)
{
    struct elf_image made = {0};
    // clang-format off
    struct linker l = {.profile = options->profile, .version = options->version, .log = log,
        .image = &made, .owned = calloc(1, sizeof *l.owned)};
    // clang-format on
    elf_version(EV_CURRENT);
    if (ninputs > MAX_INPUTS || (base & 3))
        return free(l.owned), link_error(&l, NULL, "too many objects, or an odd base address");
    struct object *objects = link_zeroed(ninputs + 1, sizeof *objects);
    bool ok = l.owned && objects;
    if (!ok) link_error(&l, NULL, "out of memory");
    l.objects = ok ? objects + 1 : NULL;
    l.nobjects = ok ? ninputs : 0;
    for (size_t k = 0; k < l.nobjects; k++) l.objects[k].input = &inputs[k];
    ok = ok && build(&l, base, options->start) && !l.errors;
    for (size_t k = 0; k < l.nobjects; k++) link_free(&l.objects[k]);
    free(objects);
    free((void *)l.start.bytes);
    free(l.names);
    free(l.named);
    free_notes(&l);
    made.owner = l.owned;
    if (ok) *image = made;
    else if (l.owned) elf_free(&made);
    return ok;
}
