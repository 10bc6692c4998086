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
    if (s->st_shndx == SHN_UNDEF) return false;
    if (s->st_shndx >= o->nparts) return link_error(l, o, "a symbol is in a section that is not there");
    const struct part *p = &o->parts[s->st_shndx];
    if (p->out == OUT_NONE) return false;
    if (s->st_value > p->header.sh_size) return link_error(l, o, "a symbol is outside its section");
    *addr += p->addr;
    return true;
}

static void define(struct linker *l, const struct object *o, size_t index, const char *text, bool weak)
{
    struct name *n = link_find(l, text);
    if (n->defined && !n->weak && !weak) {
        link_error(l, o, "'%s' is defined in %s, too", text, n->object->input->name);
        return;
    }
    if (n->defined && weak) return;
    *n = (struct name){.text = text, .object = o, .symbol = index, .defined = true, .weak = weak};
}

bool link_bind(struct linker *l)
{
    if (!make_room(l)) return false;
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
    const struct asm_places places = {
        .data = l->base[OUT_DATA], .bss = l->base[OUT_BSS], .bss_size = (uint32_t)l->size[OUT_BSS]};
    if (asm_landmark(text, &places, addr)) return true;
    if (ELF32_ST_BIND(s.st_info) == STB_WEAK) return *addr = 0, true;
    const char *near = l->errors < MAX_ERRORS ? near_name(l, text) : NULL;
    o->known[i] = 1; /* said once */
    return link_error(l, o, "undefined symbol '%.200s'%s%s%s", text, near ? "; did you mean '" : "", near ? near : "",
                      near ? "'?" : "");
}
