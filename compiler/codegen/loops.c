/* The loops of machine code as laid out. Called by reconverge.c and spill.c, once nothing moves blocks any more. */
#include "compiler/codegen/codegen.h"

enum { OUTSIDE, INSIDE, EXIT };

struct finder {
    struct func *f;
    struct mloops *loops;
    uint8_t *mark; /* by place in the layout, all clear between loops */
    uint32_t *body;
};

static void make_graphs(struct func *f, struct mloops *l)
{
    struct edge *edges = cc_alloc(f->cc, 2 * (f->norder + 1) * sizeof *edges);
    uint32_t n = 0;
    l->place = cc_alloc(f->cc, f->nmblocks * sizeof *l->place);
    for (uint32_t i = 0; i < f->norder; i++) l->place[f->order[i]] = i;
    for (uint32_t i = 0; i < f->norder; i++) {
        uint32_t to[2], k = block_successors(&f->mblocks[f->order[i]], to);
        for (uint32_t s = 0; s < k; s++) edges[n++] = (struct edge){i, l->place[to[s]]};
    }
    l->succ = graph_make(f->cc, f->norder, edges, n);
    l->pred = graph_reverse(f->cc, &l->succ);
}

/* The only block before the loop, if it does nothing else than enter it. */
static uint32_t find_preheader(const struct finder *s, uint32_t header)
{
    const struct graph *pred = &s->loops->pred;
    uint32_t found = NO_NODE;
    for (uint32_t e = pred->first[header]; e < pred->first[header + 1]; e++) {
        uint32_t p = pred->to[e];
        if (s->mark[p] == INSIDE) continue;
        if (found != NO_NODE || s->f->mblocks[s->f->order[p]].term != TERM_JUMP) return NO_NODE;
        found = p;
    }
    return found;
}

/* Can a block be entered from elsewhere than from the loop? */
static bool is_shared(const struct finder *s, uint32_t block)
{
    const struct graph *pred = &s->loops->pred;
    for (uint32_t e = pred->first[block]; e < pred->first[block + 1]; e++)
        if (s->mark[pred->to[e]] != INSIDE) return true;
    return false;
}

static void find_exits(const struct finder *s, struct mloop *l)
{
    const struct graph *succ = &s->loops->succ;
    uint32_t room = 0;
    for (uint32_t i = 0; i < l->n; i++)
        for (uint32_t e = succ->first[l->blocks[i]]; e < succ->first[l->blocks[i] + 1]; e++) {
            uint32_t to = succ->to[e];
            if (s->mark[to] != OUTSIDE) continue;
            s->mark[to] = EXIT;
            l->shares_exits |= is_shared(s, to);
            l->exits = cc_grow(s->f->cc, l->exits, l->nexits, &room, sizeof *l->exits);
            l->exits[l->nexits++] = to;
        }
    for (uint32_t i = 0; i < l->nexits; i++) s->mark[l->exits[i]] = OUTSIDE;
}

static void add_loop(struct finder *s, uint32_t header, uint32_t n, uint32_t *room)
{
    struct mloops *all = s->loops;
    struct mloop l = {
        .header = header, .n = n, .preheader = find_preheader(s, header), .parent = all->innermost[header]};
    l.depth = l.parent == NO_NODE ? 1 : all->list[l.parent].depth + 1;
    l.blocks = cc_alloc(s->f->cc, n * sizeof *l.blocks);
    for (uint32_t i = 0; i < n; i++) all->innermost[l.blocks[i] = s->body[i]] = all->n;
    find_exits(s, &l);
    all->list = cc_grow(s->f->cc, all->list, all->n, room, sizeof *all->list);
    all->list[all->n++] = l;
}

struct mloops loops_find(struct func *f)
{
    struct mloops l = {0};
    struct finder s = {f, &l, cc_alloc(f->cc, f->norder + 1), cc_alloc(f->cc, (f->norder + 1) * sizeof *s.body)};
    uint32_t room = 0;
    make_graphs(f, &l);
    l.innermost = cc_alloc(f->cc, f->norder * sizeof *l.innermost);
    for (uint32_t i = 0; i < f->norder; i++) l.innermost[i] = NO_NODE;
    uint32_t *idom = graph_dominators(f->cc, &l.succ, 0);
    for (uint32_t h = 0; h < f->norder; h++) { /* outer loops have headers with lower numbers */
        uint32_t n = graph_loop(&l.pred, idom, h, s.mark, s.body);
        if (n) add_loop(&s, h, n, &room);
        for (uint32_t i = 0; i < n; i++) s.mark[s.body[i]] = 0;
    }
    return l;
}
