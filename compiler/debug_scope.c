/* Functions, blocks and inlined calls of a kernel, and the code that each of them has become.
 *
 * A debug location names the innermost scope of an instruction and, if that came from an inlined call, where the call
 * stands. So the locations of a kernel span a tree with the kernel's function as its root. */
#include "compiler/debug.h"

struct collect {
    struct cc *cc;
    struct scope *first, *last;
    struct scope **table; /* open addressing by node and call */
    uint32_t n, size;
};

static uint32_t hash(LLVMMetadataRef node, LLVMMetadataRef inlined_at)
{
    uint64_t h = (uintptr_t)node * 0x9e3779b97f4a7c15u ^ (uintptr_t)inlined_at * 0xc2b2ae3d27d4eb4fu;
    return (uint32_t)(h >> 32);
}

static struct scope **slot(const struct collect *c, LLVMMetadataRef node, LLVMMetadataRef inlined_at)
{
    uint32_t i = hash(node, inlined_at) & (c->size - 1);
    while (c->table[i] && (c->table[i]->node != node || c->table[i]->inlined_at != inlined_at))
        i = (i + 1) & (c->size - 1);
    return &c->table[i];
}

static void enlarge(struct collect *c)
{
    if (2 * (c->n + 1) < c->size) return;
    c->size = c->size ? 2 * c->size : 64;
    c->table = cc_alloc(c->cc, c->size * sizeof *c->table);
    for (struct scope *s = c->first; s; s = s->next) *slot(c, s->node, s->inlined_at) = s;
}

/* Not the scopes that only change the file or tell copies of a line apart. */
static LLVMMetadataRef plain_scope(struct cc *cc, LLVMMetadataRef node)
{
    while (node && LLVMGetMetadataKind(node) == LLVMDILexicalBlockFileMetadataKind) node = scope_parent(cc, node);
    return node;
}

static struct scope *enter(struct collect *c, LLVMMetadataRef node, LLVMMetadataRef inlined_at)
{
    node = plain_scope(c->cc, node);
    if (!node) return c->first;
    enlarge(c);
    struct scope *known = *slot(c, node, inlined_at), *parent = NULL;
    if (known) return known;
    if (LLVMGetMetadataKind(node) != LLVMDISubprogramMetadataKind)
        parent = enter(c, scope_parent(c->cc, node), inlined_at);
    else if (inlined_at) parent = enter(c, LLVMDILocationGetScope(inlined_at), LLVMDILocationGetInlinedAt(inlined_at));
    if (!parent) parent = c->first;
    struct scope *s = cc_alloc(c->cc, sizeof *s);
    *s = (struct scope){.node = node, .inlined_at = inlined_at, .parent = parent};
    if (c->last) c->last->next = s;
    else c->first = s;
    c->last = s;
    *slot(c, node, inlined_at) = s;
    c->n++;
    enlarge(c);
    return s;
}

static void add_span(struct cc *cc, struct scope *s, uint32_t from, uint32_t to)
{
    if (s->nspans && s->spans[s->nspans - 1].to == from) {
        s->spans[s->nspans - 1].to = to;
        return;
    }
    s->spans = cc_grow(cc, s->spans, s->nspans, &s->room, sizeof *s->spans);
    s->spans[s->nspans++] = (struct span){from, to};
}

struct scope *scopes_collect(struct cc *cc, const struct kernel *kernel)
{
    const struct debug_code *d = kernel->code.debug;
    struct collect c = {.cc = cc};
    enter(&c, d->subprogram, NULL);
    add_span(cc, c.first, 0, 4 * kernel->code.nwords);
    for (uint32_t i = 0; i < d->nrows; i++) {
        uint32_t end = i + 1 < d->nrows ? d->rows[i + 1].word : kernel->code.nwords;
        LLVMMetadataRef l = d->rows[i].location;
        for (struct scope *s = enter(&c, LLVMDILocationGetScope(l), LLVMDILocationGetInlinedAt(l)); s && s != c.first;
             s = s->parent)
            add_span(cc, s, 4 * d->rows[i].word, 4 * end);
    }
    return c.first;
}

struct scope *scope_find(struct scope *first, LLVMMetadataRef node, LLVMMetadataRef inlined_at)
{
    for (struct scope *s = first; s; s = s->next)
        if (s->node == node && s->inlined_at == inlined_at) return s;
    return NULL;
}
