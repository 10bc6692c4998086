/* Symbols, found by their names, and the items of sections, of which labels are some.
 *
 * Called by the parsers of everything that can stand in a statement. */
#include "asm/as.h"

#include <string.h>

uint32_t as_hash(const char *s, size_t n)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)s[i]) * 16777619u;
    return h ^ h >> 15;
}

static struct symbol **symbol_slot(struct as *as, const char *name, size_t length)
{
    size_t i = as_hash(name, length) & (as->symbols.room - 1);
    while (as->symbols.table[i] &&
           (as->symbols.table[i]->length != length || memcmp(as->symbols.table[i]->name, name, length)))
        i = (i + 1) & (as->symbols.room - 1);
    return &as->symbols.table[i];
}

static void grow_symbols(struct as *as)
{
    struct symbol **old = as->symbols.table;
    size_t room = as->symbols.room;
    as->symbols.room = room ? room * 2 : 256;
    as->symbols.table = as_alloc(as, as->symbols.room * sizeof *as->symbols.table);
    for (size_t i = 0; i < room; i++)
        if (old[i]) *symbol_slot(as, old[i]->name, old[i]->length) = old[i];
}

struct symbol *as_symbol(struct as *as, const char *name, size_t length)
{
    if (2 * (as->symbols.n + 1) > as->symbols.room) grow_symbols(as);
    struct symbol **slot = symbol_slot(as, name, length);
    if (*slot) return *slot;
    struct symbol *s = as_alloc(as, sizeof *s);
    s->name = as_strdup(as, name, length);
    s->length = (uint32_t)length;
    s->hidden = memchr(name, '#', length) || (length > 1 && name[0] == '.' && name[1] == 'L');
    as->symbols.n++;
    return *slot = s;
}

struct symbol *as_find(struct as *as, const char *name, size_t length)
{
    return as->symbols.room ? *symbol_slot(as, name, length) : NULL;
}

bool as_define(struct as *as, struct symbol *s, const char *at)
{
    if (s->defined) {
        unsigned line = as_line(as, s->defined);
        as_error(as, at, "'%s' is defined already", s->name);
        if (line) as_hint(as, "the first definition is in line %u", line);
        return false;
    }
    s->defined = at;
    s->item = as_item(as, ITEM_LABEL, at);
    return true;
}

struct symbol *as_here(struct as *as)
{
    char name[24];
    int n = snprintf(name, sizeof name, "#%u", as->symbols.anonymous++);
    struct symbol *s = as_symbol(as, name, (size_t)n);
    as_define(as, s, as->t->at);
    return s;
}

unsigned as_find_section(const struct as *as, const char *name)
{
    unsigned number = 0;
    while (number < as->sections.n && strcmp(as_section(as, number)->name, name)) number++;
    return number;
}

struct item *as_item(struct as *as, enum item_kind kind, const char *at)
{
    struct item *i = as_alloc(as, sizeof *i);
    i->kind = (uint8_t)kind;
    i->section = (uint16_t)as->sections.current;
    i->at = at;
    struct section *section = as_section(as, i->section);
    *section->last = i;
    section->last = &i->next;
    return i;
}
