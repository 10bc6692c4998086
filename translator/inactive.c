/* While one path of a divergent branch runs, the lanes of the other path wait where that path begins, or at the
 * reconvergence point. So in every block that a path reaches before its reconvergence point, the registers of inactive
 * lanes that matter are those live at these two places for a single lane, for which a vector branch is a branch and a
 * join is nothing. All registers count as read where a reconvergence point, or the target of a jump, is not known.
 * Called by liveness.c. */
#include "translator/inactive.h"

#include <stdlib.h>
#include <string.h>

/* State of the analysis. */
struct work {
    const struct flow *flow;
    const struct fact_table *facts;
    struct isa_registers *own;    /* what a lane that begins the block may read */
    struct isa_registers *others; /* the result */
    size_t *list;                 /* blocks to be looked at */
    size_t *seen;                 /* number of the path that has reached it last */
    size_t path;
};

static void add_all(struct isa_registers *to) { memset(to->v, 0xff, sizeof to->v); }

/* ---- ways from block to block ---- */

enum { WAYS = VERSIONS + 1 };

/* Addresses that control may go to, at most WAYS. *unknown: it may go elsewhere. */
static unsigned ways_from(const struct work *w, size_t block, uint32_t pc[WAYS], bool *unknown)
{
    const struct block *b = &w->flow->blocks[block];
    const struct node *last = b->count ? &w->flow->nodes[b->first + b->count - 1] : NULL;
    unsigned n = 0;
    *unknown = false;
    pc[0] = b->leaves ? b->resume : b->end;
    if (b->leaves) return b->resume ? 1 : 0;
    switch (last && last->how == HOW_CONTROL ? last->effects.control : CONTROL_NEXT) {
    case CONTROL_BRANCH:
    case CONTROL_VBRANCH: pc[1] = node_target(last); return 2;
    case CONTROL_JUMP: pc[0] = node_target(last); return 1;
    case CONTROL_INDIRECT:
        for (unsigned v = 0; v < VERSIONS; v++)
            if (w->facts->reached[block][v]) *unknown |= !facts_target(w->facts, b, (enum version)v, &pc[n++], NULL);
        return n;
    case CONTROL_END: return 0;
    default: return 1;
    }
}

/* ---- a lane by itself ---- */

static void step_back(const struct work *w, struct isa_registers *live, const struct node *n)
{
    const struct isa_registers reads = node_read(n), writes = node_written(w->flow, n);
    bool all = (n->d.in.vm && n->how != HOW_HELP) || n->how == HOW_ROUTINE;
    for (unsigned i = 0; i < ISA_VREGS / 64 && all; i++) live->v[i] &= ~writes.v[i];
    registers_add(live, &reads);
    if (n->how == HOW_VSET) add_all(live); /* with fewer lanes, what is written next keeps the others */
}

static void add_own(const struct work *w, struct isa_registers *live, uint32_t pc)
{
    const struct block *b = flow_block(w->flow, pc);
    if (b) registers_add(live, &w->own[b - w->flow->blocks]);
    else add_all(live);
}

static bool update_own(struct work *w, size_t block)
{
    const struct block *b = &w->flow->blocks[block];
    struct isa_registers live = {0};
    uint32_t pc[WAYS];
    bool unknown;
    unsigned n = ways_from(w, block, pc, &unknown);
    while (n--) add_own(w, &live, pc[n]);
    if (unknown || b->leaves) add_all(&live);
    for (size_t i = b->first + b->count; i-- > b->first;) step_back(w, &live, &w->flow->nodes[i]);
    if (!memcmp(&live, &w->own[block], sizeof live)) return false;
    w->own[block] = live;
    return true;
}

static void find_own(struct work *w)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = w->flow->nblocks; i-- > 0;) changed |= update_own(w, i);
    }
}

/* ---- paths ---- */

/* Does a path end with this block, the join at pc? Not where lanes pass it that have diverged since for another join.
 */
static bool ends_at(const struct work *w, size_t block, uint32_t pc)
{
    const struct block *b = &w->flow->blocks[block];
    const struct node *last = b->count ? &w->flow->nodes[b->first + b->count - 1] : NULL;
    if (!last || last->how != HOW_CONTROL || last->effects.control != CONTROL_JOIN || last->pc != pc) return false;
    const struct joins *joins = &w->facts->joins;
    return !w->facts->reached[block][MASKED] ||
           !joins_hides(joins, &w->facts->in[block][MASKED].tops, joins_element(joins, pc));
}

static void visit(struct work *w, size_t *n, uint32_t pc)
{
    const struct block *b = flow_block(w->flow, pc);
    if (!b || w->seen[b - w->flow->blocks] == w->path) return;
    w->seen[b - w->flow->blocks] = w->path;
    w->list[(*n)++] = (size_t)(b - w->flow->blocks);
}

/* One path runs from pc on, up to the join; others read `live` when they go on. */
static void run_side(struct work *w, uint32_t from, uint32_t join, const struct isa_registers *live)
{
    size_t n = 0;
    w->path++;
    for (visit(w, &n, from); n;) {
        size_t block = w->list[--n];
        uint32_t pc[WAYS];
        bool unknown;
        unsigned ways = ways_from(w, block, pc, &unknown);
        registers_add(&w->others[block], live);
        while (ways-- && !ends_at(w, block, join)) visit(w, &n, pc[ways]);
    }
}

static void part(struct work *w, const struct node *branch)
{
    uint32_t path[] = {node_target(branch), node_next(branch)}, join = paths_rpc(&w->facts->paths, branch);
    for (unsigned i = 0; i < 2; i++) {
        struct isa_registers live = {0};
        add_own(w, &live, path[1 - i]);
        add_own(w, &live, join); /* all, if it is not known: no block is at 0 */
        run_side(w, path[i], join, &live);
    }
}

/* ---- all blocks ---- */

struct isa_registers inactive_read_whole(const struct flow *f)
{
    struct isa_registers whole = {0};
    for (size_t i = 0; i < f->nblocks; i++)
        if (f->blocks[i].leaves) add_all(&whole);
    for (size_t i = 0; i < f->nnodes; i++) {
        const struct node *n = &f->nodes[i];
        const struct isa_registers reads = node_read(n);
        if (node_looks_across(n)) registers_add(&whole, &reads);
        if (n->effects.mask) whole.v[0] |= 1;
    }
    return whole;
}

static bool is_unknown(const struct work *w, size_t block)
{
    uint32_t pc[WAYS];
    bool unknown;
    ways_from(w, block, pc, &unknown);
    return unknown;
}

static const struct node *branch_of(const struct work *w, size_t block)
{
    const struct block *b = &w->flow->blocks[block];
    const struct node *last = b->count ? &w->flow->nodes[b->first + b->count - 1] : NULL;
    bool is = last && last->how == HOW_CONTROL && last->effects.control == CONTROL_VBRANCH;
    return is && (w->facts->reached[block][MASKED] || w->facts->reached[block][FULL]) ? last : NULL;
}

/* False: nothing is known, or finding out would take too long. */
static bool can_know(const struct work *w)
{
    enum { MOST = 1 << 22 }; /* a guess */
    size_t branches = 0;
    bool known = w->facts->closed && w->flow->request->lanes != LANES_CONVERGENT;
    for (size_t i = 0; i < w->flow->nblocks && known; i++) {
        branches += branch_of(w, i) != NULL;
        known = !is_unknown(w, i);
    }
    return known && branches * w->flow->nblocks < MOST;
}

static void find_others(struct work *w)
{
    const struct isa_registers whole = inactive_read_whole(w->flow);
    bool known = can_know(w);
    if (known) find_own(w);
    for (size_t i = 0; i < w->flow->nblocks; i++) {
        registers_add(&w->others[i], &whole);
        if (!known) add_all(&w->others[i]);
        if (known && branch_of(w, i)) part(w, branch_of(w, i));
    }
}

struct isa_registers *inactive_make(const struct flow *f, const struct fact_table *facts)
{
    size_t n = f->nblocks + 1;
    struct work w = {.flow = f, .facts = facts};
    w.own = calloc(n, sizeof *w.own);
    w.others = calloc(n, sizeof *w.others);
    w.list = malloc(n * sizeof *w.list);
    w.seen = calloc(n, sizeof *w.seen);
    bool ok = w.own && w.others && w.list && w.seen;
    if (ok) find_others(&w);
    free(w.own);
    free(w.list);
    free(w.seen);
    if (ok) return w.others;
    free(w.others);
    return NULL;
}
