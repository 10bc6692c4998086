/* Where rpc, the register that names the join of the next divergent branch, is set.
 *
 * Before each such branch (rule R7), or once before a loop: when all divergent branches that lanes can meet from
 * entering the loop until the joins of its own branches have the same join, and no routine is called there that has
 * joins of its own, nothing in between changes rpc. That includes what lies behind an exit of the loop, since lanes
 * that have left run it while others wait in the loop. */
#include "compiler/backend.h"

struct reconvergence {
    struct func *f;
    struct graph succ, pred; /* of the blocks as laid out, by their place in the layout */
    uint32_t *place;         /* of a machine block */
    uint8_t *in_loop, *reached;
    uint32_t *body, *list;
};

static struct mblock *block_at(const struct reconvergence *r, uint32_t place)
{
    return &r->f->mblocks[r->f->order[place]];
}

static void make_graph(struct reconvergence *r)
{
    struct func *f = r->f;
    struct edge *edges = cc_alloc(f->cc, 2 * (f->norder + 1) * sizeof *edges);
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->norder; i++) r->place[f->order[i]] = i;
    for (uint32_t i = 0; i < f->norder; i++) {
        const struct mblock *b = block_at(r, i);
        if (b->term != TERM_RETURN) edges[n++] = (struct edge){i, r->place[b->succ[0]]};
        if (b->term == TERM_BRANCH) edges[n++] = (struct edge){i, r->place[b->succ[1]]};
    }
    r->succ = graph_make(f->cc, f->norder, edges, n);
    r->pred = graph_reverse(f->cc, &r->succ);
}

/* The only block before a loop, if it does nothing else than enter it; NO_NODE if there is none. */
static uint32_t preheader(const struct reconvergence *r, uint32_t header)
{
    uint32_t found = NO_NODE;
    for (uint32_t e = r->pred.first[header]; e < r->pred.first[header + 1]; e++) {
        uint32_t p = r->pred.to[e];
        if (r->in_loop[p]) continue;
        if (found != NO_NODE || block_at(r, p)->term != TERM_JUMP) return NO_NODE;
        found = p;
    }
    return found;
}

/* Adds to list[0..n) what can be reached from it before `stop`; returns the new n. */
static uint32_t reach(struct reconvergence *r, uint32_t n, uint32_t stop)
{
    for (uint32_t i = 0; i < n; i++) {
        if (r->list[i] == stop) continue;
        for (uint32_t e = r->succ.first[r->list[i]]; e < r->succ.first[r->list[i] + 1]; e++) {
            uint32_t to = r->succ.to[e];
            if (to == stop || r->reached[to]) continue;
            r->reached[to] = 1;
            r->list[n++] = to;
        }
    }
    return n;
}

/* Lists the divergent branches of a loop of `n` blocks and returns their join; NO_NODE if they have none or several. */
static uint32_t list_branches(struct reconvergence *r, uint32_t n, uint32_t *count)
{
    uint32_t rpc = NO_NODE;
    *count = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct mblock *b = block_at(r, r->body[i]);
        if (b->calls_rpc) return NO_NODE;
        if (!b->divergent) continue;
        if (rpc != NO_NODE && b->rpc != rpc) return NO_NODE;
        rpc = b->rpc;
        r->list[(*count)++] = r->body[i];
    }
    return rpc;
}

/* Have all divergent branches from the loop up to their join the same one? */
static bool one_join(struct reconvergence *r, uint32_t n, uint32_t *join)
{
    uint32_t count;
    *join = list_branches(r, n, &count);
    if (*join == NO_NODE) return false;
    for (uint32_t i = 0; i < count; i++) r->reached[r->list[i]] = 1;
    bool same = true;
    uint32_t nreached = reach(r, count, r->place[*join]);
    for (uint32_t i = 0; i < nreached; i++) {
        const struct mblock *b = block_at(r, r->list[i]);
        same &= (!b->divergent || b->rpc == *join) && !b->calls_rpc;
        r->reached[r->list[i]] = 0;
    }
    return same;
}

static void hoist(struct reconvergence *r, uint32_t header, uint32_t n)
{
    uint32_t before = preheader(r, header), join;
    if (before == NO_NODE || !one_join(r, n, &join)) return;
    bool needed = false;
    for (uint32_t i = 0; i < n; i++) {
        needed |= block_at(r, r->body[i])->sets_rpc;
        block_at(r, r->body[i])->sets_rpc = false;
    }
    block_at(r, before)->sets_rpc = needed;
    block_at(r, before)->rpc = join;
}

void reconverge_run(struct func *f)
{
    struct reconvergence r = {.f = f};
    for (uint32_t b = 0; b < f->nmblocks; b++) f->mblocks[b].sets_rpc = f->mblocks[b].divergent;
    r.place = cc_alloc(f->cc, f->nmblocks * sizeof *r.place);
    r.in_loop = cc_alloc(f->cc, f->norder + 1);
    r.reached = cc_alloc(f->cc, f->norder + 1);
    r.body = cc_alloc(f->cc, (f->norder + 1) * sizeof *r.body);
    r.list = cc_alloc(f->cc, (f->norder + 1) * sizeof *r.list);
    make_graph(&r);
    uint32_t *idom = graph_dominators(f->cc, &r.succ, 0);
    for (uint32_t h = 0; h < f->norder; h++) { /* outer loops have headers with lower numbers */
        uint32_t n = graph_loop(&r.pred, idom, h, r.in_loop, r.body);
        if (n) hoist(&r, h, n);
        for (uint32_t i = 0; i < n; i++) r.in_loop[r.body[i]] = 0;
    }
}
