/* Recursion across objects: the compiler writes which of its functions call which into the section .ventus.calls, pairs
 * of words whose relocations name them, and a circle of calls is a mistake in OpenCL C.
 *
 * Functions are known by their addresses. Called by link.c when names have been bound. */
#include "asm/linker.h"

#include <stdlib.h>
#include <string.h>

struct call {
    uint32_t from, to; /* addresses of functions */
};

struct walk {
    struct linker *l;
    struct call *calls; /* by caller */
    size_t n;
    uint8_t *seen;   /* by the first call of a function: 1 while its calls are being followed, then 2 */
    size_t *callers; /* first calls of the functions on the way, */
    size_t *next;    /* and the call of each that is to be followed next */
};

static int by_offset(const void *a, const void *b)
{
    const Elf32_Rela *x = a, *y = b;
    return x->r_offset < y->r_offset ? -1 : x->r_offset > y->r_offset;
}

static int by_caller(const void *a, const void *b)
{
    const struct call *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

static bool address_of(struct linker *l, struct object *o, const Elf32_Rela *r, uint32_t *address)
{
    if (!link_address(l, o, ELF32_R_SYM(r->r_info), address)) return false;
    *address += (uint32_t)r->r_addend;
    return true;
}

/* The pairs that one table of relocations names. */
static bool read_calls(struct walk *w, struct object *o, const struct part *table)
{
    size_t count = table->header.sh_size / sizeof(Elf32_Rela);
    Elf32_Rela *entries = link_zeroed(count, sizeof *entries);
    struct call *more = realloc(w->calls, (w->n + count / 2 + 1) * sizeof *more);
    if (more) w->calls = more;
    bool ok = (entries && more) || link_error(w->l, NULL, "out of memory");
    for (size_t i = 0; i < count && ok; i++) entries[i] = link_entry(o, table, i);
    if (ok) qsort(entries, count, sizeof *entries, by_offset);
    for (size_t i = 0; i + 1 < count && ok; i += 2) {
        struct call *c = &w->calls[w->n++];
        ok = address_of(w->l, o, &entries[i], &c->from) && address_of(w->l, o, &entries[i + 1], &c->to);
    }
    free(entries);
    return ok;
}

static bool read_all(struct walk *w)
{
    for (size_t k = 0; k < w->l->nobjects; k++) {
        struct object *o = &w->l->objects[k];
        for (size_t i = 1; i < o->nparts; i++) {
            const struct part *table = &o->parts[i];
            if (table->header.sh_type != SHT_RELA || !table->header.sh_info || table->header.sh_info >= o->nparts ||
                strcmp(o->parts[table->header.sh_info].name, CALLS_SECTION))
                continue;
            if (!read_calls(w, o, table)) return false;
        }
    }
    return true;
}

/* The first call of the function at an address; w->n: it has none. */
static size_t first_call(const struct walk *w, uint32_t address)
{
    size_t low = 0, high = w->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (w->calls[middle].from < address) low = middle + 1;
        else high = middle;
    }
    return low < w->n && w->calls[low].from == address ? low : w->n;
}

static const char *name_at(const struct linker *l, uint32_t address)
{
    for (size_t i = 0; i < l->name_room; i++) {
        const struct name *n = &l->names[i];
        if (n->defined && n->object->addresses[n->symbol] == address) return n->text;
    }
    return "(no name)";
}

static void enter(struct walk *w, size_t depth, size_t caller)
{
    w->seen[caller] = 1;
    w->callers[depth] = w->next[depth] = caller;
}

/* Follows the calls of a function; false, with a message, if one leads back to a function on the way. */
static bool follow(struct walk *w, size_t caller)
{
    size_t depth = 0;
    enter(w, depth++, caller);
    while (depth) {
        size_t first = w->callers[depth - 1], i = w->next[depth - 1]++;
        if (i >= w->n || w->calls[i].from != w->calls[first].from) {
            w->seen[first] = 2, depth--;
            continue;
        }
        size_t to = first_call(w, w->calls[i].to);
        if (to == w->n || w->seen[to] == 2) continue;
        if (w->seen[to] == 1)
            return link_error(w->l, NULL, "function '%.200s' is recursive, which OpenCL C does not allow",
                              name_at(w->l, w->calls[to].from));
        enter(w, depth++, to);
    }
    return true;
}

bool link_recursion(struct linker *l)
{
    struct walk w = {.l = l};
    bool ok = read_all(&w);
    if (ok && w.n) {
        qsort(w.calls, w.n, sizeof *w.calls, by_caller);
        w.seen = link_zeroed(w.n, 1);
        w.callers = link_zeroed(w.n, sizeof *w.callers);
        w.next = link_zeroed(w.n, sizeof *w.next);
        ok = (w.seen && w.callers && w.next) || link_error(l, NULL, "out of memory");
        for (size_t i = 0; i < w.n && ok; i++)
            if (!w.seen[i] && first_call(&w, w.calls[i].from) == i) ok = follow(&w, i);
    }
    free(w.calls);
    free(w.seen);
    free(w.callers);
    free(w.next);
    return ok;
}
