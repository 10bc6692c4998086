/* Names that objects share: which object defines what the others mean.
 *
 * A definition beats a weak one; two that are not weak are a mistake. Called when the places of all sections are
 * known, and by summary.c, which tells functions apart by where they are defined. */
#include "asm/linker.h"
#include "asm/near.h"

#include <string.h>

struct name *link_find(struct linker *l, const char *text)
{
    uint32_t h = 2166136261u;
    for (const char *p = text; *p; p++) h = (h ^ (unsigned char)*p) * 16777619u;
    size_t i = (h ^ h >> 15) & (l->name_room - 1);
    while (l->names[i].text && strcmp(l->names[i].text, text)) i = (i + 1) & (l->name_room - 1);
    return &l->names[i];
}

static bool make_room(struct linker *l)
{
    size_t total = 16;
    for (size_t k = 0; k < l->nobjects; k++) total += l->objects[k].nsymbols;
    for (l->name_room = 64; l->name_room < 2 * total; l->name_room *= 2) {
    }
    l->names = link_zeroed(l->name_room, sizeof *l->names);
    return l->names || link_error(l, NULL, "out of memory");
}

/* The address of a symbol that its own object defines; false if it does not. */
static bool own_address(struct linker *l, const struct object *o, const Elf32_Sym *s, uint32_t *addr)
{
    *addr = s->st_value;
    if (s->st_shndx == SHN_ABS) return true;
    if (s->st_shndx == SHN_UNDEF || s->st_shndx == SHN_COMMON) return false;
    if (s->st_shndx >= o->nparts) return link_error(l, o, "a symbol is in a section that is not there");
    const struct part *p = &o->parts[s->st_shndx];
    if (p->out == OUT_NONE) return false;
    if (s->st_value > p->header.sh_size) return link_error(l, o, "a symbol is outside its section");
    *addr += p->addr;
    return true;
}

/* What an object says of a name that others may mean, too. */
static bool note_common(struct linker *l, const struct object *o, const Elf32_Sym *s, const char *text)
{
    bool common = s->st_shndx == SHN_COMMON, provided = s->st_shndx == SHN_UNDEF && asm_provided(text);
    if (ELF32_ST_BIND(s->st_info) == STB_LOCAL || !(common || provided)) return true;
    struct name *n = link_find(l, text);
    uint32_t size = common ? s->st_size : 4, align = common ? s->st_value : 4;
    if (!align || align > MAX_ALIGN || (align & (align - 1)) || size > MAX_BYTES)
        return link_error(l, o, "'%.200s' has a size or an alignment that is not possible", text);
    n->text = text;
    n->common.wanted = true;
    if (size > n->common.size) n->common.size = size;
    if (align > n->common.align) n->common.align = align;
    return true;
}

/* Calls `look` for each symbol of each object that has a name. */
static bool each_symbol(struct linker *l,
                        bool (*look)(struct linker *, const struct object *, const Elf32_Sym *, const char *))
{
    for (size_t k = 0; k < l->nobjects; k++)
        for (size_t i = 1; i < l->objects[k].nsymbols; i++) {
            Elf32_Sym s;
            const char *text;
            if (!link_symbol(l, &l->objects[k], i, &s, &text)) return false;
            if (*text && !look(l, &l->objects[k], &s, text)) return false;
        }
    return true;
}

/* A definition makes space for the name unnecessary. */
static bool note_definition(struct linker *l, const struct object *o, const Elf32_Sym *s, const char *text)
{
    (void)o;
    bool defined = s->st_shndx != SHN_COMMON && s->st_shndx != SHN_UNDEF && ELF32_ST_BIND(s->st_info) == STB_GLOBAL;
    if (defined) link_find(l, text)->common.wanted = false;
    return true;
}

bool link_names(struct linker *l)
{
    return make_room(l) && each_symbol(l, note_common) && each_symbol(l, note_definition);
}

/* A symbol for space that has been found; of those that objects have for it, one. */
static void define_common(struct linker *l, struct object *o, size_t i, const char *text)
{
    struct name *n = link_find(l, text);
    if (!n->common.wanted || (n->defined && !n->weak)) return;
    o->addresses[i] = l->base[OUT_BSS] + n->common.at;
    o->known[i] = true;
    *n = (struct name){.text = text, .object = o, .symbol = i, .defined = true, .common = n->common};
}

static void define(struct linker *l, const struct object *o, size_t index, const char *text, bool weak)
{
    struct name *n = link_find(l, text);
    if (n->defined && !n->weak && !weak) {
        link_error(l, o, "'%s' is defined in %s, too", text, n->object->input->name);
        return;
    }
    if (n->defined && weak) return;
    *n = (struct name){.text = text, .object = o, .symbol = index, .defined = true, .weak = weak, .common = n->common};
}

bool link_bind(struct linker *l)
{
    for (size_t k = 0; k < l->nobjects; k++) {
        struct object *o = &l->objects[k];
        for (size_t i = 1; i < o->nsymbols; i++) {
            Elf32_Sym s;
            const char *text;
            if (!link_symbol(l, o, i, &s, &text)) return false;
            unsigned errors = l->errors, binding = ELF32_ST_BIND(s.st_info);
            o->known[i] = own_address(l, o, &s, &o->addresses[i]);
            if (l->errors != errors) return false;
            if (o->known[i] && binding != STB_LOCAL && *text) define(l, o, i, text, binding == STB_WEAK);
            if (s.st_shndx == SHN_COMMON && *text) define_common(l, o, i, text);
        }
    }
    return !l->errors;
}

static const char *near_name(struct linker *l, const char *text)
{
    const char *best = NULL;
    unsigned distance = 3;
    for (size_t i = 0; i < l->name_room; i++) {
        if (!l->names[i].text) continue;
        unsigned d = asm_edit_distance(text, strlen(text), l->names[i].text, strlen(l->names[i].text));
        if (d < distance && d < strlen(text)) distance = d, best = l->names[i].text;
    }
    return best;
}

/* The address where the sections of a name begin, or end; false: there are none. */
static bool find_bound(const struct linker *l, const char *name, bool end, uint32_t *addr)
{
    size_t low = 0, high = l->nnamed;
    while (low < high) { /* to the first one of the name, or behind the last */
        size_t middle = (low + high) / 2;
        int order = strcmp(l->named[middle]->name, name);
        if (order < 0 || (!order && end)) low = middle + 1;
        else high = middle;
    }
    if (end && low--) *addr = l->named[low]->addr + (uint32_t)l->named[low]->header.sh_size;
    else if (!end && low < l->nnamed) *addr = l->named[low]->addr;
    else return false;
    return !strcmp(l->named[low]->name, name);
}

/* The address of a name that no object defines; `n` is what objects say of it (NULL: nothing). */
static bool is_landmark(const struct linker *l, const struct name *n, const char *text, uint32_t *addr)
{
    const struct asm_places places = {
        .data = l->base[OUT_DATA], .bss = l->base[OUT_BSS], .bss_size = (uint32_t)l->size[OUT_BSS]};
    bool end, wanted = n && n->common.wanted;
    const char *section = asm_bound(text, &end);
    if (wanted) *addr = l->base[OUT_BSS] + n->common.at;
    return wanted || (section && find_bound(l, section, end, addr)) || asm_landmark(text, &places, addr);
}

bool link_address(struct linker *l, struct object *o, size_t i, uint32_t *addr)
{
    Elf32_Sym s;
    const char *text;
    if (!i) return *addr = 0, true;
    if (!link_symbol(l, o, i, &s, &text)) return false;
    const struct name *n = ELF32_ST_BIND(s.st_info) == STB_LOCAL ? NULL : link_find(l, text);
    if (n && n->defined) {
        *addr = n->object->addresses[n->symbol];
        return true;
    }
    *addr = o->addresses[i];
    if (o->known[i]) return true;
    if (is_landmark(l, n, text, addr)) return true;
    if (ELF32_ST_BIND(s.st_info) == STB_WEAK) return *addr = 0, true;
    const char *near = l->errors < MAX_ERRORS ? near_name(l, text) : NULL;
    o->known[i] = 1; /* said once */
    return link_error(l, o, "undefined symbol '%.200s'%s%s%s", text, near ? "; did you mean '" : "", near ? near : "",
                      near ? "'?" : "");
}
