/* Functions, blocks and inlined calls of a kernel, and the code that each of them has become.
 *
 * A debug location names the innermost scope of an instruction and, if that came from an inlined call, where the call
 * stands. So the locations of a kernel span a tree with the kernel's function as its root. */
#include "compiler/debug/debug.h"

/* Not the scopes that only change the file or tell copies of a line apart. */
static LLVMMetadataRef plain_scope(struct cc *cc, LLVMMetadataRef node)
{
    while (node && LLVMGetMetadataKind(node) == LLVMDILexicalBlockFileMetadataKind) node = scope_parent(cc, node);
    return node;
}

static struct scope *enter(struct cc *cc, struct scopes *c, LLVMMetadataRef node, LLVMMetadataRef inlined_at)
{
    node = plain_scope(cc, node);
    if (!node) return c->list[0];
    uint32_t known = *pair_number(cc, &c->numbers, node, inlined_at);
    if (known) return c->list[known - 1];
    struct scope *parent = c->n ? c->list[0] : NULL, *s = cc_alloc(cc, sizeof *s);
    if (LLVMGetMetadataKind(node) != LLVMDISubprogramMetadataKind)
        parent = enter(cc, c, scope_parent(cc, node), inlined_at);
    else if (inlined_at)
        parent = enter(cc, c, LLVMDILocationGetScope(inlined_at), LLVMDILocationGetInlinedAt(inlined_at));
    *s = (struct scope){.node = node, .inlined_at = inlined_at, .parent = parent};
    c->list = cc_grow(cc, c->list, c->n, &c->room, sizeof(struct scope *));
    c->list[c->n++] = s;
    *pair_number(cc, &c->numbers, node, inlined_at) = c->n;
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

struct scopes scopes_collect(struct cc *cc, const struct kernel *kernel)
{
    const struct debug_code *d = kernel->code.debug;
    struct scopes c = {0};
    add_span(cc, enter(cc, &c, d->subprogram, NULL), 0, 4 * kernel->code.nwords);
    for (uint32_t i = 0; i < d->nrows; i++) {
        uint32_t end = i + 1 < d->nrows ? d->rows[i + 1].word : kernel->code.nwords;
        LLVMMetadataRef l = d->rows[i].location;
        struct scope *s = enter(cc, &c, LLVMDILocationGetScope(l), LLVMDILocationGetInlinedAt(l));
        for (; s != c.list[0]; s = s->parent) add_span(cc, s, 4 * d->rows[i].word, 4 * end);
    }
    return c;
}

const struct scope *scope_find(struct cc *cc, struct scopes *c, LLVMMetadataRef node, LLVMMetadataRef inlined_at)
{
    uint32_t number = *pair_number(cc, &c->numbers, plain_scope(cc, node), inlined_at);
    return number ? c->list[number - 1] : NULL;
}
