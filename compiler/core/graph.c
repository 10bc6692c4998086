/* Directed graphs as edge arrays: order, dominators, reachability, liveness.
 *
 * Used twice: on the blocks of the IR and, after selection, on machine blocks. All walks are
 * iterative, since kernels after inlining may have thousands of blocks in a row. */
#include "compiler/core/graph.h"

#include <string.h>

void edges_add(struct cc *cc, struct edges *e, uint32_t from, uint32_t to)
{
    e->list = cc_grow(cc, e->list, e->n, &e->room, sizeof *e->list);
    e->list[e->n++] = (struct edge){from, to};
}

struct graph graph_make(struct cc *cc, uint32_t n, const struct edge *edges, uint32_t nedges)
{
    struct graph g = {n, cc_alloc(cc, (n + 1) * sizeof(uint32_t)), cc_alloc(cc, (nedges + 1) * sizeof(uint32_t))};
    uint32_t *fill = cc_alloc(cc, (n + 1) * sizeof *fill);
    for (uint32_t i = 0; i < nedges; i++) g.first[edges[i].from + 1]++;
    for (uint32_t i = 0; i < n; i++) g.first[i + 1] += g.first[i];
    memcpy(fill, g.first, n * sizeof *fill);
    for (uint32_t i = 0; i < nedges; i++) g.to[fill[edges[i].from]++] = edges[i].to;
    return g;
}

struct graph graph_reverse(struct cc *cc, const struct graph *g)
{
    uint32_t nedges = g->first[g->n], k = 0;
    struct edge *edges = cc_alloc(cc, (nedges + 1) * sizeof *edges);
    for (uint32_t i = 0; i < g->n; i++)
        for (uint32_t e = g->first[i]; e < g->first[i + 1]; e++) edges[k++] = (struct edge){g->to[e], i};
    return graph_make(cc, g->n, edges, nedges);
}

uint32_t graph_order(struct cc *cc, const struct graph *g, uint32_t root, uint32_t *order)
{
    uint32_t *stack = cc_alloc(cc, (g->n + 1) * sizeof *stack), *next = cc_alloc(cc, (g->n + 1) * sizeof *next);
    uint8_t *seen = cc_alloc(cc, g->n + 1);
    uint32_t depth = 0, at = g->n;
    stack[depth++] = root;
    seen[root] = 1;
    next[root] = g->first[root];
    while (depth) {
        uint32_t v = stack[depth - 1];
        if (next[v] == g->first[v + 1]) {
            order[--at] = v;
            depth--;
            continue;
        }
        uint32_t w = g->to[next[v]++];
        if (seen[w]) continue;
        seen[w] = 1;
        next[w] = g->first[w];
        stack[depth++] = w;
    }
    memmove(order, order + at, (g->n - at) * sizeof *order);
    return g->n - at;
}

static uint32_t meet(const uint32_t *idom, const uint32_t *number, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (number[a] > number[b]) a = idom[a];
        while (number[b] > number[a]) b = idom[b];
    }
    return a;
}

/* Cooper, Harvey and Kennedy: iterate over reverse postorder to a fixpoint. */
uint32_t *graph_dominators(struct cc *cc, const struct graph *g, uint32_t root)
{
    struct graph pred = graph_reverse(cc, g);
    uint32_t *order = cc_alloc(cc, (g->n + 1) * sizeof *order), *number = cc_alloc(cc, (g->n + 1) * sizeof *number);
    uint32_t *idom = cc_alloc(cc, (g->n + 1) * sizeof *idom);
    uint32_t n = graph_order(cc, g, root, order);
    for (uint32_t i = 0; i < g->n; i++) idom[i] = NO_NODE;
    for (uint32_t i = 0; i < n; i++) number[order[i]] = i;
    idom[root] = root;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 1; i < n; i++) {
            uint32_t v = order[i], best = NO_NODE;
            for (uint32_t e = pred.first[v]; e < pred.first[v + 1]; e++) {
                uint32_t p = pred.to[e];
                if (idom[p] == NO_NODE) continue;
                best = best == NO_NODE ? p : meet(idom, number, best, p);
            }
            if (best != idom[v]) {
                idom[v] = best;
                changed = true;
            }
        }
    }
    idom[root] = NO_NODE;
    return idom;
}

uint32_t graph_reach(const struct graph *g, uint32_t from, uint32_t stop, uint8_t *set, uint32_t *list)
{
    uint32_t n = 0;
    if (from == stop || set[from]) return 0;
    list[n++] = from;
    set[from] = 1;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t e = g->first[list[i]]; e < g->first[list[i] + 1]; e++) {
            uint32_t to = g->to[e];
            if (to == stop || set[to]) continue;
            set[to] = 1;
            list[n++] = to;
        }
    return n;
}

struct graph graph_live(struct cc *cc, const struct graph *pred, const struct graph *uses, const struct graph *defs)
{
    uint32_t *live = cc_alloc(cc, (pred->n + 1) * sizeof *live),
             *defined = cc_alloc(cc, (pred->n + 1) * sizeof *defined);
    uint32_t *list = cc_alloc(cc, (pred->n + 1) * sizeof *list);
    struct edges found = {0};
    for (uint32_t v = 0; v < uses->n; v++) { /* v + 1 in `live` or `defined`: seen for this value */
        uint32_t n = 0;
        for (uint32_t e = defs->first[v]; e < defs->first[v + 1]; e++) defined[defs->to[e]] = v + 1;
        for (uint32_t e = uses->first[v]; e < uses->first[v + 1]; e++) {
            if (live[uses->to[e]] != v + 1) list[n++] = uses->to[e];
            live[uses->to[e]] = v + 1;
        }
        for (uint32_t i = 0; i < n; i++) {
            edges_add(cc, &found, list[i], v);
            for (uint32_t e = pred->first[list[i]]; e < pred->first[list[i] + 1]; e++) {
                uint32_t p = pred->to[e];
                if (live[p] == v + 1 || defined[p] == v + 1) continue;
                live[p] = v + 1;
                list[n++] = p;
            }
        }
    }
    return graph_make(cc, pred->n, found.list, found.n);
}

bool graph_dominates(const uint32_t *idom, uint32_t a, uint32_t b)
{
    while (b > a && b != NO_NODE) b = idom[b]; /* in reverse postorder a dominator has a lower number */
    return a == b;
}

uint32_t graph_loop(const struct graph *pred, const uint32_t *idom, uint32_t header, uint8_t *mark, uint32_t *blocks)
{
    uint32_t n = 0, next = 0;
    for (uint32_t e = pred->first[header]; e < pred->first[header + 1]; e++) {
        uint32_t latch = pred->to[e];
        if (mark[latch] || !graph_dominates(idom, header, latch)) continue;
        mark[latch] = 1;
        blocks[n++] = latch;
    }
    if (!n) return 0;
    if (!mark[header]) blocks[n++] = header;
    mark[header] = 1;
    for (; next < n; next++)
        for (uint32_t e = pred->first[blocks[next]]; blocks[next] != header && e < pred->first[blocks[next] + 1]; e++) {
            uint32_t b = pred->to[e];
            if (mark[b]) continue;
            mark[b] = 1;
            blocks[n++] = b;
        }
    return n;
}
