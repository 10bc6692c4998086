/* From summaries of functions (.ventus.resobj, drawn in isa/abi.h) to resource records of entries.
 *
 * A compiler that sees one file cannot know how deep the stack of a kernel gets, or how many registers
 * its callees use; the linker sees all functions and their calls. Registers are the most of everything
 * an entry reaches; a stack is that of the deepest path, where a tail call gives up the caller's
 * frame; a variable counts once. Where the graph has a cycle, an unknown callee or an indirect call
 * the stacks are not known. Functions, callees and variables are told apart by where they are defined, so
 * that one name in two objects can be two functions. Called by link.c and, for listings, by tools. */
#include "asm/bytes.h"
#include "asm/linker.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ENTRIES = 1 << 22, MAX_STEPS = 1 << 28 }; /* of all tables together; of the walks from all entries */
enum { NOBODY = UINT32_MAX };

/* Where something is defined: an offset in a section of an object; or only its name, if it is not. */
struct place {
    const struct object *object;
    const char *name;
    uint32_t section, value;
};

struct function {
    struct place place;
    const struct object *object; /* whose summary it is */
    uint64_t registers[2];       /* vgpr, sgpr */
    uint64_t stack[2], outgoing; /* of its own frame: local, private; arguments of its calls, private */
    uint64_t peak[2];            /* with what it calls */
    uint32_t flags;
    uint32_t edges, nedges, references, nreferences; /* indices */
    uint32_t next_edge, mark;                        /* of a walk */
    bool open, done, cyclic;
};

struct edge {
    struct place place;
    uint32_t flags, callee;
}; /* NOBODY: not known */
struct reference {
    struct place place;
    uint64_t size;
    uint32_t flags, variable;
};
struct variable {
    uint64_t size;
    uint32_t flags, mark;
};

struct graph {
    struct linker *l;
    struct function *functions;
    struct edge *edges;
    struct reference *references;
    struct variable *variables;
    uint32_t nfunctions, nedges, nreferences;
    uint32_t *index, nindex; /* functions by place, each place once */
    uint32_t *stack;         /* of a walk */
    uint64_t steps, claimed; /* calls and variables that functions say they have */
};

/* ---- reading ---- */

/* One summary: its bytes, its object, and the relocations of its section by offset. */
struct summary {
    struct linker *l;
    const struct object *object;
    const uint8_t *bytes;
    uint32_t start, size; /* in its section */
    uint32_t nfunctions, nedges, nreferences, functions_at, edges_at, references_at;
    Elf32_Rela *relocations;
    size_t nrelocations;
};

static int by_offset(const void *a, const void *b)
{
    const Elf32_Rela *x = a, *y = b;
    return x->r_offset < y->r_offset ? -1 : x->r_offset > y->r_offset;
}

static bool read_relocations(struct summary *s, size_t section)
{
    const struct object *o = s->object;
    for (int round = 0; round < 2; round++) {
        size_t n = 0;
        for (size_t i = 1; i < o->nparts; i++) {
            const struct part *p = &o->parts[i];
            if (p->header.sh_type != SHT_RELA || p->header.sh_info != section) continue;
            size_t count = p->header.sh_size / sizeof(Elf32_Rela);
            for (size_t k = 0; k < count && round; k++) s->relocations[n + k] = link_entry(o, p, k);
            n += count;
            if (n > MAX_ENTRIES) return link_error(s->l, o, "too many relocations of " SUMMARY_SECTION);
        }
        if (round) break;
        s->nrelocations = n;
        s->relocations = link_zeroed(n, sizeof *s->relocations);
        if (!s->relocations) return link_error(s->l, NULL, "out of memory");
    }
    qsort(s->relocations, s->nrelocations, sizeof *s->relocations, by_offset);
    return true;
}

static bool table_fits(const struct summary *s, uint32_t at, uint32_t count, uint32_t size)
{
    return at <= s->size && count <= (s->size - at) / size;
}

static bool read_header(struct summary *s)
{
    struct linker *l = s->l;
    if (s->size < ABI_SUMMARY_HEADER) return link_error(l, s->object, SUMMARY_SECTION " is cut off");
    if (read32(s->bytes) != ABI_SUMMARY_MAGIC)
        return link_error(l, s->object, SUMMARY_SECTION " does not begin with its magic number");
    if (read32(s->bytes + 4) != ABI_SUMMARY_VERSION)
        return link_error(l, s->object, SUMMARY_SECTION " has version %u; only version 1 is known",
                          read32(s->bytes + 4));
    s->nfunctions = read32(s->bytes + 12), s->nedges = read32(s->bytes + 16), s->nreferences = read32(s->bytes + 20);
    s->functions_at = read32(s->bytes + 24), s->edges_at = read32(s->bytes + 28),
    s->references_at = read32(s->bytes + 32);
    if (table_fits(s, s->functions_at, s->nfunctions, ABI_SUMMARY_FUNCTION) &&
        table_fits(s, s->edges_at, s->nedges, ABI_SUMMARY_EDGE) &&
        table_fits(s, s->references_at, s->nreferences, ABI_SUMMARY_REFERENCE))
        return true;
    return link_error(l, s->object, "a table of " SUMMARY_SECTION " lies outside of it");
}

/* What symbol `i` of an object means, after names have been bound. */
static bool symbol_place(struct linker *l, const struct object *o, size_t i, struct place *place)
{
    Elf32_Sym s;
    const char *name;
    if (!link_symbol(l, o, i, &s, &name)) return false;
    const struct name *n = ELF32_ST_BIND(s.st_info) == STB_LOCAL ? NULL : link_find(l, name);
    if (n && n->defined) {
        o = n->object;
        if (!link_symbol(l, o, n->symbol, &s, &name)) return false;
    }
    bool defined = s.st_shndx != SHN_UNDEF;
    *place = (struct place){
        .object = defined ? o : NULL, .name = name, .section = s.st_shndx, .value = defined ? s.st_value : 0};
    return true;
}

/* The symbol that the word at an offset is for. */
static bool word_place(const struct summary *s, uint32_t offset, struct place *place)
{
    const Elf32_Rela key = {.r_offset = s->start + offset},
                     *r = bsearch(&key, s->relocations, s->nrelocations, sizeof key, by_offset);
    if (!r || ELF32_R_TYPE(r->r_info) != R_RISCV_32 || !ELF32_R_SYM(r->r_info))
        return link_error(s->l, s->object, SUMMARY_SECTION "+%u names no symbol", s->start + offset);
    if (!symbol_place(s->l, s->object, ELF32_R_SYM(r->r_info), place)) return false;
    place->value += (uint32_t)r->r_addend;
    return true;
}

static bool read_function(struct graph *g, const struct summary *s, uint32_t i)
{
    uint32_t at = s->functions_at + i * ABI_SUMMARY_FUNCTION;
    const uint8_t *p = s->bytes + at;
    // clang-format off
    struct function f = {.object = s->object, .flags = read32(p + 4), .registers = {read64(p + 8), read64(p + 16)},
        .stack = {read64(p + 24), read64(p + 32)}, .outgoing = read64(p + 40),
        .edges = read32(p + 48), .nedges = read32(p + 52), .references = read32(p + 56), .nreferences = read32(p + 60)};
    // clang-format on
    if (!word_place(s, at, &f.place)) return false;
    if (!f.place.object)
        return link_error(s->l, s->object, "'%.200s' of " SUMMARY_SECTION " is not defined", f.place.name);
    if (f.edges > s->nedges || f.nedges > s->nedges - f.edges || f.references > s->nreferences ||
        f.nreferences > s->nreferences - f.references)
        return link_error(s->l, s->object,
                          "calls or variables of a function lie outside the tables of " SUMMARY_SECTION);
    g->claimed += (uint64_t)f.nedges + f.nreferences;
    if (g->claimed > MAX_ENTRIES)
        return link_error(s->l, s->object, "the functions of " SUMMARY_SECTION " have too many calls and variables");
    f.edges += g->nedges;
    f.references += g->nreferences;
    g->functions[g->nfunctions + i] = f;
    return true;
}

static bool read_tables(struct graph *g, const struct summary *s)
{
    for (uint32_t i = 0; i < s->nfunctions; i++)
        if (!read_function(g, s, i)) return false;
    for (uint32_t i = 0; i < s->nedges; i++) {
        uint32_t at = s->edges_at + i * ABI_SUMMARY_EDGE;
        g->edges[g->nedges + i] = (struct edge){.flags = read32(s->bytes + at + 4)};
        if (!word_place(s, at, &g->edges[g->nedges + i].place)) return false;
    }
    for (uint32_t i = 0; i < s->nreferences; i++) {
        uint32_t at = s->references_at + i * ABI_SUMMARY_REFERENCE;
        g->references[g->nreferences + i] =
            (struct reference){.flags = read32(s->bytes + at + 4), .size = read64(s->bytes + at + 8)};
        if (!word_place(s, at, &g->references[g->nreferences + i].place)) return false;
    }
    return true;
}

static bool grow(struct graph *g, const struct summary *s)
{
    uint64_t functions = (uint64_t)g->nfunctions + s->nfunctions, edges = (uint64_t)g->nedges + s->nedges;
    uint64_t references = (uint64_t)g->nreferences + s->nreferences;
    if (functions + edges + references > MAX_ENTRIES)
        return link_error(g->l, s->object, "there are too many functions, calls and variables");
    void *f = realloc(g->functions, (functions + 1) * sizeof *g->functions);
    if (f) g->functions = f;
    void *e = realloc(g->edges, (edges + 1) * sizeof *g->edges);
    if (e) g->edges = e;
    void *r = realloc(g->references, (references + 1) * sizeof *g->references);
    if (r) g->references = r;
    return (f && e && r) || link_error(g->l, NULL, "out of memory");
}

/* Where the last table ends, or the header. */
static uint32_t end_of(const struct summary *s)
{
    uint32_t end = ABI_SUMMARY_HEADER, functions = s->functions_at + s->nfunctions * ABI_SUMMARY_FUNCTION;
    uint32_t edges = s->edges_at + s->nedges * ABI_SUMMARY_EDGE;
    uint32_t references = s->references_at + s->nreferences * ABI_SUMMARY_REFERENCE;
    if (functions > end) end = functions;
    if (edges > end) end = edges;
    return references > end ? references : end;
}

/* The summaries of a section: one, or several if a linker has joined objects, each aligned to eight bytes. */
static bool read_section(struct graph *g, const struct object *o, size_t section)
{
    const struct part *p = &o->parts[section];
    uint32_t size = (uint32_t)p->header.sh_size;
    struct summary s = {.l = g->l, .object = o};
    bool ok = read_relocations(&s, section);
    for (uint32_t at = 0; ok && at<size; at = at> size - 8 ? size : (at + 7) & ~7u) {
        s.start = at;
        s.bytes = link_contents(o, p) + at;
        s.size = size - at;
        ok = read_header(&s) && grow(g, &s) && read_tables(g, &s);
        if (!ok) break;
        g->nfunctions += s.nfunctions;
        g->nedges += s.nedges;
        g->nreferences += s.nreferences;
        at += end_of(&s);
    }
    free(s.relocations);
    return ok;
}

static bool is_summary(const struct part *p)
{
    return p->header.sh_type == SHT_PROGBITS && !strcmp(p->name, SUMMARY_SECTION);
}

static bool has(const struct object *o, bool (*is)(const struct part *))
{
    for (size_t i = 1; i < o->nparts; i++)
        if (is(&o->parts[i])) return true;
    return false;
}

static bool read_all(struct graph *g)
{
    for (size_t k = 0; k < g->l->nobjects; k++) {
        const struct object *o = &g->l->objects[k];
        bool any = false;
        for (size_t i = 1; i < o->nparts; i++) {
            if (!is_summary(&o->parts[i])) continue;
            if (any) return link_error(g->l, o, "it has two sections " SUMMARY_SECTION);
            any = true;
            if (!read_section(g, o, i)) return false;
        }
    }
    return true;
}

/* ---- who is who ---- */

static int by_place(const struct place *a, const struct place *b)
{
    if (a->object != b->object) return a->object < b->object ? -1 : 1;
    if (!a->object) return strcmp(a->name, b->name);
    if (a->section != b->section) return a->section < b->section ? -1 : 1;
    return a->value < b->value ? -1 : a->value > b->value;
}

/* A name for a place: relocations may say "section + offset". NULL: there is none. */
static const char *name_of(struct graph *g, const struct place *place)
{
    const char *best = NULL, *name;
    Elf32_Sym s;
    if (!place->object) return place->name;
    g->steps += place->object->nsymbols;
    for (size_t i = 1; i < place->object->nsymbols && g->steps <= MAX_STEPS; i++) {
        if (!link_symbol(g->l, place->object, i, &s, &name)) return NULL;
        if (s.st_shndx != place->section || s.st_value != place->value || ELF32_ST_TYPE(s.st_info) > STT_FUNC) continue;
        if (!*name || *name == '$' || !strncmp(name, ".L", 2)) continue;
        if (!best || ELF32_ST_BIND(s.st_info) != STB_LOCAL) best = name;
    }
    return best;
}

/* Of two summaries of one function, that of the object with the definition comes first. */
static int by_function(const void *a, const void *b, void *graph)
{
    const struct function *f = ((const struct graph *)graph)->functions, *x = &f[*(const uint32_t *)a],
                          *y = &f[*(const uint32_t *)b];
    int order = by_place(&x->place, &y->place);
    bool own_x = x->object == x->place.object, own_y = y->object == y->place.object;
    return order ? order : own_x != own_y ? own_y - own_x : x < y ? -1 : x > y;
}

static bool two_summaries(struct graph *g, const struct function *f)
{
    const char *name = name_of(g, &f->place);
    return link_error(g->l, f->object, "'%.200s' has two summaries", name ? name : "(no name)");
}

static bool index_functions(struct graph *g)
{
    uint32_t kept = 0;
    g->index = link_zeroed(g->nfunctions, sizeof *g->index);
    g->stack = link_zeroed(g->nfunctions, sizeof *g->stack);
    if (!g->index || !g->stack) return link_error(g->l, NULL, "out of memory");
    for (uint32_t i = 0; i < g->nfunctions; i++) g->index[i] = i;
    qsort_r(g->index, g->nfunctions, sizeof *g->index, by_function, g);
    for (uint32_t i = 0; i < g->nfunctions; i++) {
        const struct function *f = &g->functions[g->index[i]],
                              *before = kept ? &g->functions[g->index[kept - 1]] : NULL;
        bool again = before && !by_place(&f->place, &before->place);
        if (again && f->object == before->object) return two_summaries(g, f);
        if (!again) g->index[kept++] = g->index[i];
    }
    g->nindex = kept;
    return true;
}

static uint32_t find_function(const struct graph *g, const struct place *place)
{
    uint32_t low = 0, high = g->nindex;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        int order = by_place(&g->functions[g->index[middle]].place, place);
        if (!order) return g->index[middle];
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return NOBODY;
}

static int by_variable(const void *a, const void *b, void *graph)
{
    const struct reference *r = ((const struct graph *)graph)->references;
    return by_place(&r[*(const uint32_t *)a].place, &r[*(const uint32_t *)b].place);
}

/* References to one variable share its number. */
static bool number_variables(struct graph *g)
{
    uint32_t *order = link_zeroed(g->nreferences, sizeof *order), n = 0;
    g->variables = link_zeroed(g->nreferences, sizeof *g->variables);
    if (!order || !g->variables) return free(order), link_error(g->l, NULL, "out of memory");
    for (uint32_t i = 0; i < g->nreferences; i++) order[i] = i;
    qsort_r(order, g->nreferences, sizeof *order, by_variable, g);
    for (uint32_t i = 0; i < g->nreferences; i++) {
        struct reference *r = &g->references[order[i]];
        if (i && by_variable(&order[i - 1], &order[i], g)) n++;
        struct variable *v = &g->variables[r->variable = n];
        if (r->size > v->size) v->size = r->size;
        v->flags |= r->flags;
    }
    free(order);
    return true;
}

static bool resolve(struct graph *g)
{
    if (!index_functions(g) || !number_variables(g)) return false;
    for (uint32_t i = 0; i < g->nedges; i++) g->edges[i].callee = find_function(g, &g->edges[i].place);
    return true;
}

/* ---- stacks ---- */

static uint64_t add(uint64_t a, uint64_t b) { return a > ABI_RESOURCE_UNKNOWN - b ? ABI_RESOURCE_UNKNOWN : a + b; }

/* A function whose callees are done. */
static void finish_function(struct graph *g, struct function *f)
{
    const uint64_t frame[2] = {f->stack[0], add(f->stack[1], f->outgoing)};
    for (int k = 0; k < 2; k++) {
        f->peak[k] = frame[k];
        for (uint32_t i = f->edges; i < f->edges + f->nedges; i++) {
            const struct edge *e = &g->edges[i];
            if (e->callee == NOBODY) continue;
            uint64_t below = add(e->flags & ABI_EDGE_TAIL ? 0 : frame[k], g->functions[e->callee].peak[k]);
            if (below > f->peak[k]) f->peak[k] = below;
        }
    }
    f->open = false;
    f->done = true;
}

/* Walks down from a function. One that is met again while it is open is part of a cycle, and so is marked the one
 * that calls it; at least one function of every cycle is. */
static void walk(struct graph *g, uint32_t start)
{
    uint32_t depth = 0;
    if (g->functions[start].done) return;
    g->functions[start].open = true;
    g->stack[depth++] = start;
    while (depth) {
        struct function *f = &g->functions[g->stack[depth - 1]];
        if (f->next_edge == f->nedges) {
            finish_function(g, f);
            depth--;
            continue;
        }
        uint32_t callee = g->edges[f->edges + f->next_edge++].callee;
        struct function *c = callee == NOBODY ? NULL : &g->functions[callee];
        if (c && c->open) f->cyclic = true;
        if (!c || c->open || c->done) continue;
        c->open = true;
        g->stack[depth++] = callee;
    }
}

/* ---- entries ---- */

static void add_variables(struct graph *g, const struct function *f, uint32_t mark, struct elf_resource *r)
{
    for (uint32_t i = f->references; i < f->references + f->nreferences; i++) {
        struct variable *v = &g->variables[g->references[i].variable];
        if (v->mark == mark) continue;
        v->mark = mark;
        if (v->flags & ABI_REFERENCE_LDS) r->value[ABI_LDS] = add(r->value[ABI_LDS], v->size);
        if (v->flags & ABI_REFERENCE_PDS) r->value[ABI_PDS] = add(r->value[ABI_PDS], v->size);
    }
}

static void add_function(struct graph *g, const struct function *f, uint32_t mark, struct elf_resource *r)
{
    for (int k = 0; k < 2; k++)
        if (f->registers[k] > r->value[ABI_VGPR + k]) r->value[ABI_VGPR + k] = f->registers[k];
    if (f->flags & ABI_FUNCTION_DYNAMIC_ALLOCA) r->flags |= ABI_DYNAMIC_ALLOCA;
    if (f->flags & ABI_FUNCTION_INDIRECT_CALL) r->flags |= ABI_INDIRECT_CALL | ABI_REGISTERS_INCOMPLETE;
    if (f->cyclic) r->flags |= ABI_RECURSION;
    add_variables(g, f, mark, r);
}

/* Everything that can be reached, each function once. */
static bool collect(struct graph *g, uint32_t entry, uint32_t mark, struct elf_resource *r)
{
    uint32_t depth = 0;
    g->functions[entry].mark = mark;
    g->stack[depth++] = entry;
    while (depth) {
        const struct function *f = &g->functions[g->stack[--depth]];
        g->steps += 1 + f->nedges + f->nreferences;
        if (g->steps > MAX_STEPS) return link_error(g->l, f->object, "the call graph is too large");
        add_function(g, f, mark, r);
        for (uint32_t i = f->edges; i < f->edges + f->nedges; i++) {
            uint32_t callee = g->edges[i].callee;
            if (callee == NOBODY) r->flags |= ABI_UNKNOWN_CALLEE | ABI_REGISTERS_INCOMPLETE;
            if (callee == NOBODY || g->functions[callee].mark == mark) continue;
            g->functions[callee].mark = mark;
            g->stack[depth++] = callee;
        }
    }
    return true;
}

static bool record_entry(struct graph *g, uint32_t entry, uint32_t mark)
{
    const struct function *f = &g->functions[entry];
    struct elf_resource r = {.version = 2, .kernel = name_of(g, &f->place)};
    const char *why;
    if (!r.kernel) return link_error(g->l, f->object, "an entry of " SUMMARY_SECTION " has no name");
    if (!collect(g, entry, mark, &r)) return false;
    bool known = !(r.flags & (ABI_DYNAMIC_ALLOCA | ABI_RECURSION | ABI_INDIRECT_CALL | ABI_UNKNOWN_CALLEE));
    for (int k = 0; k < 2; k++) r.value[ABI_LDS_STACK + k] = known ? f->peak[k] : ABI_RESOURCE_UNKNOWN;
    if (r.value[ABI_LDS_STACK] == ABI_RESOURCE_UNKNOWN || r.value[ABI_PDS_STACK] == ABI_RESOURCE_UNKNOWN)
        r.flags |= ABI_STACK_UNKNOWN;
    return resource_append(g->l->owned, &r, &why) || link_error(g->l, f->object, "%s", why);
}

static bool record_all(struct graph *g)
{
    for (uint32_t i = 0; i < g->nindex; i++) walk(g, g->index[i]); /* cycles are known before anything is collected */
    for (uint32_t i = 0; i < g->nfunctions; i++) {
        bool bound = find_function(g, &g->functions[i].place) == i; /* not another definition's */
        if (bound && (g->functions[i].flags & ABI_FUNCTION_ENTRY) && !record_entry(g, i, i + 1)) return false;
    }
    return true;
}

/* ---- the interface ---- */

static void free_graph(struct graph *g)
{
    free(g->functions);
    free(g->edges);
    free(g->references);
    free(g->variables);
    free(g->index);
    free(g->stack);
}

static bool is_record(const struct part *p)
{
    const char *kernel;
    return p->header.sh_type == SHT_PROGBITS && p->header.sh_size && resource_is_section(p->name, &kernel);
}

bool summary_records(struct linker *l, bool *any)
{
    struct graph g = {.l = l};
    *any = false;
    for (size_t k = 0; k < l->nobjects; k++) *any |= has(&l->objects[k], is_summary);
    for (size_t k = 0; k < l->nobjects && *any; k++)
        if (has(&l->objects[k], is_record) && !has(&l->objects[k], is_summary))
            return link_error(l, &l->objects[k],
                              "it has resource records only, but other objects have " SUMMARY_SECTION
                              "; both cannot be linked together");
    bool ok = !*any || (read_all(&g) && resolve(&g) && record_all(&g));
    free_graph(&g);
    return ok;
}

static const char *printed_name(struct graph *g, const struct place *place)
{
    const char *name = name_of(g, place);
    if (!name) return "(no name)";
    for (const char *p = name; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 127) return "(odd name)";
    return name;
}

static void print_function(struct graph *g, const struct function *f, FILE *out)
{
    static const char *const names[] = {"; entry", "; dynamic alloca", "; indirect call"};
    fprintf(out, "%s: summary, vgpr %llu, sgpr %llu, lds stack %llu, pds stack %llu, outgoing %llu",
            printed_name(g, &f->place), (unsigned long long)f->registers[0], (unsigned long long)f->registers[1],
            (unsigned long long)f->stack[0], (unsigned long long)f->stack[1], (unsigned long long)f->outgoing);
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (f->flags >> i & 1) fputs(names[i], out);
    fputc('\n', out);
    for (const struct edge *e = g->edges + f->edges, *end = e + f->nedges; e < end; e++)
        fprintf(out, "    %s %s\n", e->flags & ABI_EDGE_TAIL ? "continues in" : "calls", printed_name(g, &e->place));
    for (const struct reference *r = g->references + f->references, *end = r + f->nreferences; r < end; r++)
        fprintf(out, "    uses %s, %llu bytes%s%s\n", printed_name(g, &r->place), (unsigned long long)r->size,
                r->flags & ABI_REFERENCE_LDS ? " of lds" : "", r->flags & ABI_REFERENCE_PDS ? " of pds" : "");
}

bool summary_print(struct linker *l, FILE *out)
{
    struct graph g = {.l = l};
    bool ok = read_all(&g);
    for (uint32_t i = 0; i < g.nfunctions && ok; i++) {
        g.steps += 1 + g.functions[i].nedges + g.functions[i].nreferences;
        if (g.steps > MAX_STEPS) ok = link_error(l, NULL, "there is too much to print");
        else print_function(&g, &g.functions[i], out);
    }
    free_graph(&g);
    return ok;
}
