/* Lanes that leave a loop meet behind it, and those that stay meet in each iteration.
 *
 * Two kinds of exits from a loop put off where the ways of a divergent branch meet:
 *
 *   - Exits to different places, as when one leaves the loop around it, too. Lanes that leave the inner loop in
 *     different iterations do not meet behind it, and the rest of the outer one's iteration is executed once for each
 *     group of them.
 *   - An exit in a branch of the body. The ways of the branch that stay in the loop do not meet in the same iteration,
 *     and the rest of the loop is executed once for the lanes of each way.
 *
 * Exits of the first kind lead to a guard behind the loop, those of the second kind to one in the body, where the ways
 * that stay meet. Some programs are written so; of others LLVM's passes make such loops, because they see what becomes
 * of a flag:
 *
 *     for (s = 0; s < n; s++) {
 *         ok = true;
 *         for (p = 0; p < m; p++) if (text[s + p] != word[p]) { ok = false; break; }
 *         if (ok) { found = s; break; }         where p reaches m, both loops are left at once
 *     }
 *
 * A rule of meet.c. */
#include <string.h>

#include "compiler/passes/meet.h"
#include "compiler/passes/passes.h"

/* A loop. */
struct leaving {
    struct cc *cc;
    struct func *f;
    uint32_t header, *list; /* room for numbers of blocks */
    uint8_t *loop, *marks;  /* its blocks; room */
    const uint32_t *pdom;   /* immediate postdominators, along ways that stay in the loop to the end of an iteration */
    struct guard guard;
};

static bool leaves(const struct leaving *l, const struct block *b)
{
    bool found = false;
    for (unsigned s = 0; s < b->nsucc; s++) found |= !l->loop[b->succ[s]];
    return found;
}

/* Adds where edges from marked blocks, all of the loop, to others lead. False: these are too many. */
static bool add_places(struct leaving *l, const uint8_t *marks)
{
    const struct func *f = l->f;
    for (uint32_t i = 0; i < f->nblocks; i++) {
        const struct block *b = &f->blocks[i];
        for (unsigned s = 0; marks[i] && s < b->nsucc; s++)
            if (!marks[b->succ[s]] && !guard_add_place(&l->guard, b->succ[s])) return false;
    }
    return true;
}

/* ---- exits to different places ---- */

/* Where the ways of the divergent branches that leave the loop meet; NO_NODE: there are none. */
static uint32_t find_join(const struct leaving *l)
{
    for (uint32_t i = l->f->nblocks; i-- > 0;)
        if (l->loop[i] && l->f->blocks[i].divergent && leaves(l, &l->f->blocks[i])) return l->f->blocks[i].ipdom;
    return NO_NODE;
}

static bool unite_exits(struct leaving *l)
{
    const struct func *f = l->f;
    const struct guard *g = &l->guard;
    const uint32_t join = find_join(l);
    if (join == NO_NODE || !add_places(l, l->loop) || g->nplaces < 2) return false;
    memset(l->marks, 0, f->nblocks + 1);
    for (uint32_t i = 0; i < g->nplaces; i++)
        if (g->places[i] != join) graph_reach(&f->succ, g->places[i], join, l->marks, l->list);
    if (meet_worth(f, l->marks, f->blocks[l->header].depth - 1) < MEET_WORTH) return false;
    l->guard.front = l->loop;
    guard_build(g);
    return true;
}

/* ---- an exit in a branch ---- */

static void find_postdominators(struct leaving *l)
{
    const struct func *f = l->f;
    const uint32_t end = f->nblocks; /* of an iteration */
    struct edges edges = {0};
    for (uint32_t i = l->header; i < f->nblocks; i++) {
        const struct block *b = &f->blocks[i];
        for (unsigned s = 0; l->loop[i] && s < b->nsucc; s++)
            if (l->loop[b->succ[s]]) edges_add(l->cc, &edges, b->succ[s] == l->header ? end : b->succ[s], i);
    }
    const struct graph back = graph_make(l->cc, f->nblocks + 1, edges.list, edges.n);
    l->pdom = graph_dominators(l->cc, &back, end);
}

/* A divergent branch of which both ways can stay in the loop but not all do: they meet behind the loop, or in front of
 * its exit in a later iteration. */
static bool is_put_off(struct leaving *l, uint32_t branch)
{
    const struct block *b = &l->f->blocks[branch];
    if (!l->loop[branch] || !b->divergent || b->nsucc != 2 || leaves(l, b)) return false;
    if (b->depth != l->f->blocks[l->header].depth) return false;
    if (!l->pdom) find_postdominators(l);
    return l->pdom[branch] < l->f->nblocks && l->pdom[branch] != b->ipdom;
}

/* Marks the branch and its blocks in front of where the ways that stay meet. False: they are entered in another way. */
static bool mark_front(struct leaving *l, uint32_t branch, uint32_t join)
{
    const struct func *f = l->f;
    const struct block *b = &f->blocks[branch];
    for (uint32_t i = 0; i <= f->nblocks; i++) l->marks[i] = !l->loop[i];
    uint32_t n = graph_reach(&f->succ, b->succ[0], join, l->marks, l->list);
    n += graph_reach(&f->succ, b->succ[1], join, l->marks, l->list + n);
    memset(l->marks, 0, f->nblocks + 1);
    for (uint32_t i = 0; i < n; i++) l->marks[l->list[i]] = 1;
    l->marks[branch] = 1;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t e = f->pred.first[l->list[i]]; e < f->pred.first[l->list[i] + 1]; e++)
            if (!l->marks[f->pred.to[e]]) return false;
    return true;
}

/* The outermost branch comes first: its guard is one for those in it, too. */
static bool unite_branch(struct leaving *l)
{
    l->pdom = NULL;
    for (uint32_t i = l->header; i < l->f->nblocks; i++) {
        if (!is_put_off(l, i) || !mark_front(l, i, l->pdom[i])) continue;
        l->guard.nplaces = 0, l->guard.head = i, l->guard.front = l->marks;
        if (!add_places(l, l->marks) || l->guard.nplaces < 2) continue;
        guard_build(&l->guard);
        return true;
    }
    return false;
}

/* ---- the rule ---- */

/* Work-items may wait in the loop for one that has left it and must not wait for them, as for a lock: see spins.c. */
static bool may_spin(const struct leaving *l)
{
    for (uint32_t i = 0; i < l->f->nblocks; i++) {
        const struct block *b = &l->f->blocks[i];
        for (uint32_t v = b->first; l->loop[i] && v < b->end; v++) {
            LLVMValueRef inst = l->f->values[v].ref, callee = LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;
            if (LLVMIsAAtomicRMWInst(inst) || LLVMIsAAtomicCmpXchgInst(inst)) return true;
            if (callee && LLVMIsAFunction(callee) && !LLVMIsDeclaration(callee) && !is_pure_routine(callee))
                return true;
        }
    }
    return false;
}

/* Inner loops come first. */
bool exits_change(struct cc *cc, struct func *f)
{
    const uint32_t *idom = graph_dominators(cc, &f->succ, 0);
    struct leaving l = {.cc = cc, .f = f};
    l.loop = cc_alloc(cc, f->nblocks + 1);
    l.marks = cc_alloc(cc, f->nblocks + 1);
    l.list = cc_alloc(cc, (f->nblocks + 1) * sizeof *l.list);
    for (l.header = f->nblocks; l.header-- > 0;) {
        memset(l.loop, 0, f->nblocks + 1);
        l.guard = (struct guard){.cc = cc, .f = f, .idom = idom, .head = l.header};
        if (!graph_loop(&f->pred, idom, l.header, l.loop, l.list) || may_spin(&l)) continue;
        if (unite_exits(&l) || unite_branch(&l)) return true;
    }
    return false;
}
