/* Sections: .section and its kin, .org, .comm.
 *
 * A section is known by its name. Its flags and its type, given or the usual ones of its name, say which kind it is of,
 * and so where it lies in a program. Called by directive.c for the directives, and by asm.c. */
#include "asm/as.h"

#include <elf.h>

/* What is usual for names that are one of these, or begin with one and a point. */
static const struct usual {
    const char *name;
    enum section_id kind;
    uint32_t type, flags;
} usual[] = {
    {".text", SECTION_TEXT, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR},
    {".rodata", SECTION_RODATA, SHT_PROGBITS, SHF_ALLOC},
    {".data", SECTION_DATA, SHT_PROGBITS, SHF_ALLOC | SHF_WRITE},
    {".bss", SECTION_BSS, SHT_NOBITS, SHF_ALLOC | SHF_WRITE},
    {".note.ventus", SECTION_NOTE, SHT_NOTE, 0},
    {".rodata.ventus.resource", SECTION_RESOURCE, SHT_PROGBITS, 0},
    {".ventus.resobj", SECTION_SUMMARY, SHT_PROGBITS, 0},
    {".srodata", SECTION_RODATA, SHT_PROGBITS, SHF_ALLOC},
    {".sdata", SECTION_DATA, SHT_PROGBITS, SHF_ALLOC | SHF_WRITE},
    {".sbss", SECTION_BSS, SHT_NOBITS, SHF_ALLOC | SHF_WRITE},
    {".init", SECTION_TEXT, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR},
    {".fini", SECTION_TEXT, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR},
    {".preinit_array", SECTION_DATA, SHT_PREINIT_ARRAY, SHF_ALLOC | SHF_WRITE},
    {".init_array", SECTION_DATA, SHT_INIT_ARRAY, SHF_ALLOC | SHF_WRITE},
    {".fini_array", SECTION_DATA, SHT_FINI_ARRAY, SHF_ALLOC | SHF_WRITE},
    {".note", SECTION_OTHER, SHT_NOTE, 0},
};
enum { NUSUAL = sizeof usual / sizeof *usual };

static bool starts(const char *text, const char *prefix)
{
    size_t n = strlen(prefix);
    return !strncmp(text, prefix, n) && (!text[n] || text[n] == '.');
}

/* The longest of these names that this one begins with. */
static struct usual usual_of(const char *name)
{
    struct usual best = {"", SECTION_OTHER, SHT_PROGBITS, 0};
    for (size_t i = 0; i < NUSUAL; i++)
        if (starts(name, usual[i].name) && strlen(usual[i].name) > strlen(best.name)) best = usual[i];
    return best;
}

/* ---- the list of sections ---- */

static struct section *new_section(struct as *as, const char *name, const struct usual *u)
{
    struct sections *all = &as->sections;
    if (all->n == all->room) {
        struct section **old = all->list;
        all->room = all->room ? 2 * all->room : 16;
        all->list = as_alloc(as, all->room * sizeof(struct section *));
        if (all->n) memcpy(all->list, old, all->n * sizeof(struct section *));
    }
    struct section *s = all->list[all->n++] = as_alloc(as, sizeof *s);
    *s = (struct section){.name = name, .kind = u->kind, .type = u->type, .flags = u->flags, .alignment = 4};
    s->last = &s->first;
    return s;
}

void section_begin(struct as *as, uint32_t text_base)
{
    for (size_t i = 0; i < SECTION_COUNT; i++) new_section(as, usual[i].name, &usual[i]);
    as_section(as, SECTION_TEXT)->base = text_base;
}

static void enter(struct as *as, unsigned number)
{
    as->sections.previous = as->sections.current;
    as->sections.current = number;
}

bool section_has_text(struct as *as, const char *at)
{
    return as_section(as, as->sections.current)->kind == SECTION_TEXT ||
           as_error(as, at, "instructions belong into .text, or another section with the flag x");
}

/* ---- what .section says ---- */

/* Records of this kernel follow, or of nobody in particular. */
static void resources_of(struct as *as, const char *at, const char *kernel)
{
    enter(as, SECTION_RESOURCE);
    if (as->marks.current &&
        (kernel ? as->marks.current->kernel && !strcmp(kernel, as->marks.current->kernel) : !as->marks.current->kernel))
        return;
    struct resource_mark *m = as_alloc(as, sizeof *m);
    *m = (struct resource_mark){.item = as_item(as, ITEM_LABEL, at), .kernel = kernel};
    *as->marks.last = as->marks.current = m;
    as->marks.last = &m->next;
}

/* Enters what the linker and the driver read, and is no section like others; false: it is one. */
static bool enter_own(struct as *as, const char *at, const char *name)
{
    const size_t prefix = sizeof ".ventus.resource." - 1;
    enum section_id kind = usual_of(name).kind;
    if (!strncmp(name, ".ventus.resource.", prefix) && name[prefix]) resources_of(as, at, name + prefix);
    else if (kind == SECTION_RESOURCE) resources_of(as, at, NULL);
    else if (kind == SECTION_NOTE || kind == SECTION_SUMMARY) enter(as, kind);
    else return false;
    while (as->t->kind != TOKEN_END) as->t++; /* flags and type follow from the name */
    return true;
}

/* But for what the compiler tells the linker of calls, which is like any other. */
static bool is_of_this_project(const char *name) { return starts(name, ".ventus") && strcmp(name, ".ventus.calls"); }

/* The text of the token, a word or a string without its quotes. */
static char *text_of(struct as *as, const struct token *t)
{
    bool quoted = t->kind == TOKEN_STRING;
    return as_strdup(as, t->text + quoted, t->length - 2 * quoted);
}

/* A name, in quotes or without, and then all that follows it up to a comma or a space: .note.GNU-stack. */
static char *read_name(struct as *as)
{
    const struct token *t = as->t++;
    const char *end = t->text + t->length;
    if (t->kind == TOKEN_STRING) return text_of(as, t);
    for (; as->t->kind != TOKEN_END && !token_is(as->t, ',') && as->t->text == end; as->t++) end += as->t->length;
    return as_strdup(as, t->text, (size_t)(end - t->text));
}

static bool read_flags(struct as *as, const struct token *t, uint32_t *flags)
{
    static const struct {
        char letter;
        uint32_t flag;
    } letters[] = {{'a', SHF_ALLOC},   {'w', SHF_WRITE},   {'x', SHF_EXECINSTR},        {'M', SHF_MERGE},
                   {'S', SHF_STRINGS}, {'e', SHF_EXCLUDE}, {'R', 1u << 21 /* retain */}};
    *flags = 0;
    for (const char *p = t->text + 1; p < t->text + t->length - 1; p++) {
        size_t i = 0;
        while (i < sizeof letters / sizeof *letters && letters[i].letter != *p) i++;
        if (i == sizeof letters / sizeof *letters)
            return as_error(as, t->at, "flag '%c' is not known; there are a, w, x, M, S, e and R", *p);
        *flags |= letters[i].flag;
    }
    return true;
}

/* @progbits, %progbits, "progbits" or a number. */
static bool read_type(struct as *as, uint32_t *type)
{
    static const struct {
        const char *name;
        uint32_t type;
    } types[] = {{"progbits", SHT_PROGBITS},     {"nobits", SHT_NOBITS},         {"note", SHT_NOTE},
                 {"init_array", SHT_INIT_ARRAY}, {"fini_array", SHT_FINI_ARRAY}, {"preinit_array", SHT_PREINIT_ARRAY}};
    int64_t number;
    if (!lex_accept(as, '@')) lex_accept(as, '%');
    const struct token *t = as->t;
    if (t->kind == TOKEN_NUMBER) {
        if (!expr_parse_known(as, "the type", 1, UINT32_MAX, &number)) return false;
        return *type = (uint32_t)number, true;
    }
    const char *text = t->kind == TOKEN_NAME || t->kind == TOKEN_STRING ? text_of(as, t) : "";
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].name, text)) return as->t++, *type = types[i].type, true;
    return as_error(as, t->at, "type expected: @progbits, @nobits, @note, @init_array, @fini_array, @preinit_array");
}

/* The kind that flags and type make. */
static bool find_kind(struct as *as, const char *at, struct usual *u)
{
    bool array = u->type == SHT_INIT_ARRAY || u->type == SHT_FINI_ARRAY || u->type == SHT_PREINIT_ARRAY;
    u->kind = SECTION_OTHER;
    if (!(u->flags & SHF_ALLOC) || (u->type != SHT_PROGBITS && u->type != SHT_NOBITS && !array)) return true;
    if (u->flags & SHF_EXECINSTR) u->kind = SECTION_TEXT;
    else if (u->flags & SHF_WRITE) u->kind = u->type == SHT_NOBITS ? SECTION_BSS : SECTION_DATA;
    else u->kind = SECTION_RODATA;
    return u->type != SHT_NOBITS || u->kind == SECTION_BSS ||
           as_error(as, at, "what is in no file must be writable, and no text: flags \"aw\"");
}

/* "FLAGS"[, TYPE[, SIZE OF ENTRIES]] */
static bool read_attributes(struct as *as, struct usual *u, uint32_t *entry_size)
{
    const char *at = as->t->at;
    int64_t size = 0;
    if (as->t->kind != TOKEN_STRING) return as_error(as, at, "flags expected, a string such as \"aw\"");
    if (!read_flags(as, as->t++, &u->flags)) return false;
    if (lex_accept(as, ',') && !read_type(as, &u->type)) return false;
    if (u->flags & SHF_MERGE && !lex_comma(as)) return as_hint(as, "flag M wants the size of what is merged"), false;
    if (u->flags & SHF_MERGE && !expr_parse_known(as, "the size of entries", 1, AS_MAX_BYTES, &size)) return false;
    *entry_size = (uint32_t)size;
    return find_kind(as, at, u);
}

/* Enters the section of this name, which may be new. */
static bool enter_named(struct as *as, const char *at, const char *name, const struct usual *u, bool said,
                        uint32_t entry_size)
{
    unsigned number = as_find_section(as, name);
    if (number == as->sections.n) {
        if (number == AS_MAX_SECTIONS) return as_error(as, at, "more than %d sections", AS_MAX_SECTIONS);
        new_section(as, name, u)->entry_size = entry_size;
    }
    const struct section *s = as_section(as, number);
    if (said && (s->flags != u->flags || s->type != u->type || s->entry_size != entry_size))
        return as_error(as, at, "section %s has other flags, or another type, above", name);
    enter(as, number);
    return true;
}

static bool save(struct as *as, const char *at)
{
    struct sections *all = &as->sections;
    if (all->nsaved == AS_MAX_SAVED) return as_error(as, at, "more than %d .pushsection are open", AS_MAX_SAVED);
    all->saved[2 * all->nsaved] = all->current;
    all->saved[2 * all->nsaved++ + 1] = all->previous;
    return true;
}

/* .section NAME[, "FLAGS"[, TYPE[, SIZE]]]; .pushsection remembers where it was. */
bool directive_section(struct as *as, const struct token *name, unsigned push)
{
    const struct token *t = as->t;
    if ((t->kind != TOKEN_NAME && t->kind != TOKEN_STRING) || (t->kind == TOKEN_STRING && t->length < 3))
        return as_error(as, t->at, "section name expected");
    const char *text = read_name(as);
    struct usual u = usual_of(text);
    uint32_t entry_size = 0;
    if (push && !save(as, name->at)) return false;
    if (enter_own(as, name->at, text)) return true;
    if (is_of_this_project(text))
        return as_error(as, t->at, "a program has .ventus.resource.KERNEL, an object .ventus.resobj, too");
    bool said = lex_accept(as, ',');
    if (said && !read_attributes(as, &u, &entry_size)) return false;
    return enter_named(as, name->at, text, &u, said, entry_size);
}

bool directive_usual(struct as *as, const struct token *name, unsigned argument)
{
    (void)argument;
    const char *text = text_of(as, name);
    const struct usual u = usual_of(text);
    return enter_named(as, name->at, text, &u, false, 0);
}

bool directive_popsection(struct as *as, const struct token *name, unsigned argument)
{
    (void)argument;
    struct sections *all = &as->sections;
    if (!all->nsaved) return as_error(as, name->at, ".popsection without .pushsection");
    all->current = all->saved[2 * --all->nsaved];
    all->previous = all->saved[2 * all->nsaved + 1];
    return true;
}

bool directive_previous(struct as *as, const struct token *name, unsigned argument)
{
    (void)name, (void)argument;
    enter(as, as->sections.previous);
    return true;
}

/* .org ADDRESS: where the section begins. */
bool directive_org(struct as *as, const struct token *name, unsigned argument)
{
    (void)argument;
    struct section *section = as_section(as, as->sections.current);
    int64_t addr;
    if (as->sections.current > SECTION_DATA)
        return as_error(as, name->at, "only .text, .rodata and .data have addresses; other sections follow them");
    if (as->object) return as_error(as, name->at, "the sections of an object get their places when it is linked");
    if (section->first) return as_error(as, name->at, ".org belongs at the beginning of its section");
    if (!expr_parse_known(as, "the address", 0, UINT32_MAX, &addr)) return false;
    if (addr & 3) return as_error(as, name->at, "the address must be a multiple of 4");
    section->base = (uint32_t)addr;
    section->placed = true;
    return true;
}

/* ---- space that files share ---- */

static struct common *new_common(struct as *as, struct symbol *symbol, const char *at)
{
    struct common *c = symbol->common = as_alloc(as, sizeof *c);
    *c = (struct common){.symbol = symbol, .at = at, .alignment = 1};
    *as->commons.last = c;
    as->commons.last = &c->next;
    return c;
}

/* .comm NAME, SIZE[, ALIGNMENT]: space of the largest size that a file says; .lcomm: of this file alone. */
bool directive_comm(struct as *as, const struct token *name, unsigned here)
{
    const char *at = as->t->at;
    int64_t size, alignment = 4;
    struct symbol *s = expr_symbol(as);
    if (!s || !lex_comma(as) || !expr_parse_known(as, "the size", 0, AS_MAX_BYTES, &size)) return false;
    if (lex_accept(as, ',') && !expr_parse_known(as, "the alignment", 1, AS_MAX_ALIGN, &alignment)) return false;
    if (alignment & (alignment - 1)) return as_error(as, name->at, "the alignment must be a power of two");
    if (s->defined || s->expr) return as_error(as, at, "'%s' is defined already", s->name);
    struct common *c = s->common ? s->common : new_common(as, s, at);
    c->here |= here;
    if (size > c->size) c->size = (uint32_t)size;
    if (alignment > c->alignment) c->alignment = (uint32_t)alignment;
    return true;
}

static void place_common(struct as *as, const struct common *c)
{
    struct item *align = as_item(as, ITEM_ALIGN, c->at);
    struct section *bss = as_section(as, SECTION_BSS);
    align->alignment = align->most = c->alignment;
    if (c->alignment > bss->alignment) bss->alignment = c->alignment;
    as_define(as, c->symbol, c->at);
    if (!c->symbol->size) c->symbol->size = expr_number(as, c->size, c->at);
    as_item(as, ITEM_SPACE, c->at)->expr = expr_number(as, c->size, c->at);
}

/* What a program names and need not define is like a common of one word. */
static void add_provided(struct as *as)
{
    for (size_t i = 0; i < as->symbols.room && !as->object; i++) {
        struct symbol *s = as->symbols.table[i];
        if (!s || s->defined || s->expr || s->common || !asm_provided(s->name)) continue;
        struct common *c = new_common(as, s, as->in ? as->in->text : NULL);
        c->size = c->alignment = 4;
    }
}

void section_commons(struct as *as)
{
    add_provided(as);
    enter(as, SECTION_BSS);
    for (const struct common *c = as->commons.first; c; c = c->next) {
        if (c->symbol->defined) as_error(as, c->at, "'%s' is defined, too", c->symbol->name);
        else if (!as->object || c->here || c->symbol->local) place_common(as, c);
    }
}
