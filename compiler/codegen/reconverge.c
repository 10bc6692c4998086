/* Where rpc, the register that names the join of the next divergent branch, is set.
 *
 * Before each such branch (rule R7), or once before a loop: when all divergent branches that lanes can meet from
 * entering the loop until the joins of its own branches have the same join, and no routine is called there that has
 * joins of its own, nothing in between changes rpc. That includes what lies behind an exit of the loop, since lanes
 * that have left run it while others wait in the loop. And not at all, where rpc names that join already, whichever way
 * lanes have come and whichever ran last. */
#include "compiler/codegen/codegen.h"

struct reconvergence {
    struct func *f;
    struct mloops loops;
    uint8_t *reached;
    uint32_t *list;
};

static struct mblock *block_at(const struct reconvergence *r, uint32_t place)
{
    return &r->f->mblocks[r->f->order[place]];
}

/* Adds to list[0..n) what can be reached from it before `stop`; returns the new n. */
static uint32_t reach(struct reconvergence *r, uint32_t n, uint32_t stop)
{
    for (uint32_t i = 0; i < n; i++) {
        if (r->list[i] == stop) continue;
        const struct graph *succ = &r->loops.succ;
        for (uint32_t e = succ->first[r->list[i]]; e < succ->first[r->list[i] + 1]; e++) {
            uint32_t to = succ->to[e];
            if (to == stop || r->reached[to]) continue;
            r->reached[to] = 1;
            r->list[n++] = to;
        }
    }
    return n;
}

/* Lists the divergent branches of a loop and returns their join; NO_NODE if they have none or several. */
static uint32_t list_branches(struct reconvergence *r, const struct mloop *l, uint32_t *count)
{
    uint32_t rpc = NO_NODE;
    *count = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        const struct mblock *b = block_at(r, l->blocks[i]);
        if (b->calls_rpc) return NO_NODE;
        if (!b->divergent) continue;
        if (rpc != NO_NODE && b->rpc != rpc) return NO_NODE;
        rpc = b->rpc;
        r->list[(*count)++] = l->blocks[i];
    }
    return rpc;
}

/* Have all divergent branches from the loop up to their join the same one? */
static bool one_join(struct reconvergence *r, const struct mloop *l, uint32_t *join)
{
    uint32_t count;
    *join = list_branches(r, l, &count);
    if (*join == NO_NODE) return false;
    for (uint32_t i = 0; i < count; i++) r->reached[r->list[i]] = 1;
    bool same = true;
    uint32_t nreached = reach(r, count, r->loops.place[*join]);
    for (uint32_t i = 0; i < nreached; i++) {
        const struct mblock *b = block_at(r, r->list[i]);
        same &= (!b->divergent || b->rpc == *join) && !b->calls_rpc;
        r->reached[r->list[i]] = 0;
    }
    return same;
}

static void hoist(struct reconvergence *r, const struct mloop *l)
{
    uint32_t join;
    if (l->preheader == NO_NODE || !one_join(r, l, &join)) return;
    bool needed = false;
    for (uint32_t i = 0; i < l->n; i++) {
        needed |= block_at(r, l->blocks[i])->sets_rpc;
        block_at(r, l->blocks[i])->sets_rpc = false;
    }
    block_at(r, l->preheader)->sets_rpc = needed;
    block_at(r, l->preheader)->rpc = join;
}

/* ---- what rpc names already ---- */

enum { ANYTHING = NO_NODE - 1, UNKNOWN = NO_NODE }; /* nothing has come here yet; different joins, or none */

static uint32_t meet(uint32_t a, uint32_t b) { return a == ANYTHING || a == b ? b : b == ANYTHING ? a : UNKNOWN; }

static uint32_t rpc_in_front(const struct mblock *b, uint32_t in) { return b->calls_rpc ? UNKNOWN : in; }

static uint32_t rpc_behind(const struct mblock *b, uint32_t in) { return b->sets_rpc ? b->rpc : rpc_in_front(b, in); }

/* What rpc names where each block begins. Behind a divergent branch other lanes may have run up to its join before. */
static uint32_t *find_rpc(struct reconvergence *r)
{
    const struct graph *pred = &r->loops.pred;
    uint32_t n = r->f->norder, *in = cc_alloc(r->f->cc, (n + 1) * sizeof *in);
    uint32_t *waited = cc_alloc(r->f->cc, (n + 1) * sizeof *waited); /* by join: where lanes run on that have waited */
    for (uint32_t i = 0; i < n; i++) in[i] = waited[i] = ANYTHING;
    in[0] = UNKNOWN;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t all = in[i], arriving = ANYTHING;
            for (uint32_t e = pred->first[i]; e < pred->first[i + 1]; e++) {
                const struct mblock *p = block_at(r, pred->to[e]);
                arriving = meet(arriving, rpc_behind(p, in[pred->to[e]]));
                if (p->divergent) all = meet(all, waited[r->loops.place[p->rpc]]);
            }
            all = meet(all, arriving);
            changed |= all != in[i] || arriving != waited[i];
            in[i] = all;
            waited[i] = arriving;
        }
    }
    return in;
}

static void drop_known(struct reconvergence *r)
{
    const uint32_t *in = find_rpc(r);
    for (uint32_t i = 0; i < r->f->norder; i++) {
        struct mblock *b = block_at(r, i);
        if (b->sets_rpc && rpc_in_front(b, in[i]) == b->rpc) b->sets_rpc = false;
    }
}

void reconverge_run(struct func *f)
{
    struct reconvergence r = {.f = f, .loops = loops_find(f)};
    for (uint32_t b = 0; b < f->nmblocks; b++) f->mblocks[b].sets_rpc = f->mblocks[b].divergent;
    r.reached = cc_alloc(f->cc, f->norder + 1);
    r.list = cc_alloc(f->cc, (f->norder + 1) * sizeof *r.list);
    for (uint32_t i = 0; i < r.loops.n; i++) hoist(&r, &r.loops.list[i]);
    drop_known(&r);
}
