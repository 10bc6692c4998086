/* Where sections go: one kind behind the other (text, constants, data, bss), and of each kind those with the names that
 * every program has, in the order of the objects, then those of each other name together.
 *
 * Called by link.c when all objects have been read. */
#include "asm/linker.h"

#include <stdlib.h>
#include <string.h>

static bool is_usual(const char *name)
{
    static const char *const usual[] = {".text", ".rodata", ".srodata", ".data", ".sdata", ".bss", ".sbss"};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        size_t n = strlen(usual[i]);
        if (!strncmp(name, usual[i], n) && (!name[n] || name[n] == '.')) return true;
    }
    return false;
}

static int by_number(const struct part *x, const struct part *y)
{
    return x->number < y->number ? -1 : x->number > y->number;
}

static int by_name(const void *a, const void *b)
{
    const struct part *x = *(struct part *const *)a, *y = *(struct part *const *)b;
    int order = strcmp(x->name, y->name);
    return order ? order : by_number(x, y);
}

static int by_place(const void *a, const void *b)
{
    const struct part *x = *(struct part *const *)a, *y = *(struct part *const *)b;
    return x->first != y->first ? (x->first < y->first ? -1 : 1) : by_number(x, y);
}

/* All parts of the program in the order of the objects. */
static bool collect(struct linker *l)
{
    size_t room = 0;
    for (size_t k = 0; k < l->nobjects; k++) room += l->objects[k].nparts;
    l->named = link_zeroed(room, sizeof(struct part *));
    if (!l->named) return link_error(l, NULL, "out of memory");
    for (size_t k = 0; k < l->nobjects; k++)
        for (size_t i = 1; i < l->objects[k].nparts; i++) {
            struct part *p = &l->objects[k].parts[i];
            if (p->out == OUT_NONE) continue;
            l->named[l->nnamed++] = p;
            p->number = (uint32_t)l->nnamed;
        }
    return true;
}

static void find_first_of_names(struct linker *l)
{
    qsort(l->named, l->nnamed, sizeof(struct part *), by_name);
    for (size_t i = 0; i < l->nnamed; i++) {
        struct part *p = l->named[i], *before = i ? l->named[i - 1] : NULL;
        bool again = before && !strcmp(before->name, p->name);
        p->first = is_usual(p->name) ? 0 : again ? before->first : p->number;
    }
}

/* Finds `size` bytes behind what a kind has so far. */
static bool take(struct linker *l, int out, uint32_t size, uint32_t align, uint32_t *addr)
{
    uint64_t at = round_up(l->size[out], align < 4 ? 4 : align);
    *addr = (uint32_t)at;
    l->size[out] = at + size;
    return l->size[out] <= MAX_BYTES || link_error(l, NULL, "the program is larger than %d MiB", MAX_BYTES >> 20);
}

/* The space that objects share, in the order in which they name it. */
static bool take_commons(struct linker *l, uint32_t *align)
{
    for (size_t k = 0; k < l->nobjects; k++)
        for (size_t i = 1; i < l->objects[k].nsymbols; i++) {
            Elf32_Sym s;
            const char *text;
            if (!link_symbol(l, &l->objects[k], i, &s, &text)) return false;
            struct name *n = link_find(l, text);
            if (ELF32_ST_BIND(s.st_info) == STB_LOCAL || !n->common.wanted || n->common.at) continue;
            if (n->common.align > *align) *align = n->common.align;
            if (!take(l, OUT_BSS, n->common.size, n->common.align, &n->common.at)) return false;
            n->common.at++; /* 0: not yet */
        }
    for (size_t i = 0; i < l->name_room; i++) l->names[i].common.at -= l->names[i].common.at != 0;
    return true;
}

/* Offsets inside each kind of section, and the largest alignment of each. */
static bool find_offsets(struct linker *l, uint32_t align[OUT_COUNT])
{
    qsort(l->named, l->nnamed, sizeof(struct part *), by_place);
    for (size_t i = 0; i < l->nnamed; i++) {
        struct part *p = l->named[i];
        if (p->align > align[p->out]) align[p->out] = p->align;
        if (!take(l, p->out, (uint32_t)p->header.sh_size, p->align, &p->addr)) return false;
    }
    return take_commons(l, &align[OUT_BSS]);
}

/* Where the kinds begin. Text begins at `base`, constants and data on a page of their own, .bss where the data end. */
static bool find_bases(struct linker *l, const uint32_t align[OUT_COUNT], uint64_t base)
{
    l->size[OUT_TEXT] = round_up(l->size[OUT_TEXT], 4);
    l->size[OUT_BSS] = round_up(l->size[OUT_BSS], 4); /* the start code clears words */
    for (int s = 0; s < OUT_COUNT; s++) {
        if (s == OUT_RODATA || s == OUT_DATA) base = round_up(base, align[s] > ABI_PAGE ? align[s] : ABI_PAGE);
        l->base[s] = (uint32_t)base;
        if (s == OUT_DATA && l->size[OUT_BSS])
            l->size[s] = round_up(base + l->size[s], align[OUT_BSS]) - base; /* no gap in the file */
        base += l->size[s];
        if (base > UINT32_MAX) return link_error(l, NULL, "the program leaves the address space");
    }
    return l->base[OUT_TEXT] % align[OUT_TEXT] == 0 ||
           link_error(l, NULL, "the text cannot be aligned to %u bytes at 0x%08x", align[OUT_TEXT], l->base[OUT_TEXT]);
}

bool link_place(struct linker *l, uint32_t base)
{
    uint32_t align[OUT_COUNT] = {4, 4, 4, 16};
    if (!collect(l)) return false;
    find_first_of_names(l);
    if (!find_offsets(l, align) || !find_bases(l, align, base)) return false;
    for (size_t i = 0; i < l->nnamed; i++) l->named[i]->addr += l->base[l->named[i]->out];
    qsort(l->named, l->nnamed, sizeof(struct part *), by_name);
    return true;
}
