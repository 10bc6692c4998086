/* Blocks that both paths of a divergent branch share.
 *
 * Lanes that a branch has sent different ways wait for each other only where all ways from it meet. A way past the
 * rest, such as a `break` or `continue` in an `if`, puts that off to the end of the iteration, and the rest is executed
 * once for the lanes of either path:
 *
 *     if (a) { x; if (b) continue; } else y;      lanes come to z by y and by x, and the ways from `a` do not meet
 *     z;                                          there, because one of them goes on behind z
 *
 * If z is large, all edges from the paths into what they share, or past it, lead to a guard, and z is executed once. If
 * z is small, one of the paths gets a copy of it: nothing is executed less often, but loops whose paths share no block
 * can be translated to better code (translator/nest.h). A rule of meet.c. */
#include <string.h>

#include "compiler/passes/meet.h"
#include "compiler/passes/passes.h"

/* A divergent branch whose paths share blocks; all numbers are those of blocks. */
struct fork {
    struct cc *cc;
    struct func *f;
    uint32_t branch, join, first;       /* its own; where its ways meet; the first that is shared */
    uint8_t *reach[2], *behind, *marks; /* from either successor on; from the first shared block on; room */
    uint32_t *list;                     /* room */
};

/* ---- where it is ---- */

static bool is_on_path(const struct fork *k, uint32_t block) { return k->reach[0][block] || k->reach[1][block]; }

/* Is a block that the branch leads to entered in another way? */
static bool is_entered(const struct fork *k)
{
    const struct graph *pred = &k->f->pred;
    for (uint32_t i = 0; i < k->f->nblocks; i++)
        for (uint32_t e = pred->first[i]; is_on_path(k, i) && e < pred->first[i + 1]; e++)
            if (pred->to[e] != k->branch && !is_on_path(k, pred->to[e])) return true;
    return false;
}

/* Nothing is done where lanes may leave the loop of the branch, or go back to another iteration. */
static bool find_shared(struct fork *k)
{
    const struct func *f = k->f;
    const struct block *b = &f->blocks[k->branch];
    k->join = b->ipdom, k->first = k->branch + 1;
    if (!b->divergent || b->nsucc != 2 || k->join == f->nblocks || k->join < k->branch) return false;
    for (unsigned s = 0; s < 2; s++) {
        memset(k->reach[s], 0, f->nblocks + 1);
        graph_reach(&f->succ, b->succ[s], k->join, k->reach[s], k->list);
    }
    while (k->first < f->nblocks && !(k->reach[0][k->first] && k->reach[1][k->first])) k->first++;
    if (k->first == f->nblocks || f->blocks[k->first].depth != b->depth) return false;
    if (is_on_path(k, k->branch) || is_entered(k)) return false;
    memset(k->behind, 0, f->nblocks + 1);
    graph_reach(&f->succ, k->first, k->join, k->behind, k->list);
    return true;
}

static LLVMBasicBlockRef block_of(const struct fork *k, uint32_t i) { return k->f->blocks[i].ref; }

/* ---- a guard ---- */

/* The branch, and what is in front of what is shared. */
static void mark_front(struct fork *k)
{
    for (uint32_t i = 0; i < k->f->nblocks; i++) k->marks[i] = i == k->branch || (is_on_path(k, i) && !k->behind[i]);
}

static bool find_places(const struct fork *k, struct guard *g)
{
    const struct graph *succ = &k->f->succ;
    guard_add_place(g, k->first);
    for (uint32_t i = k->branch; i < k->f->nblocks; i++)
        for (uint32_t e = succ->first[i]; k->marks[i] && e < succ->first[i + 1]; e++)
            if ((k->behind[succ->to[e]] || succ->to[e] == k->join) && !guard_add_place(g, succ->to[e])) return false;
    return true;
}

static bool build_guard(struct fork *k, const uint32_t *idom)
{
    struct guard g = {.cc = k->cc, .f = k->f, .idom = idom, .head = k->branch, .front = k->marks};
    mark_front(k);
    if (!find_places(k, &g)) return false;
    guard_build(&g);
    return true;
}

/* ---- a copy ---- */

struct copy {
    struct fork *k;
    LLVMBasicBlockRef old, new, next; /* the block, its copy, the block behind both */
    LLVMBasicBlockRef *from;          /* blocks that go to the copy */
    unsigned nfrom;
    LLVMValueRef (*values)[2]; /* of the block and of its copy */
    unsigned nvalues;
};

/* Only phis of the block behind it read what the block computes. */
static bool is_read_there(const struct copy *c, LLVMValueRef inst)
{
    for (LLVMUseRef u = LLVMGetFirstUse(inst); u; u = LLVMGetNextUse(u)) {
        LLVMBasicBlockRef block = LLVMGetInstructionParent(LLVMGetUser(u));
        if (block != c->old && (block != c->next || !LLVMIsAPHINode(LLVMGetUser(u)))) return false;
    }
    return true;
}

/* Not in front of a loop, whose phis may have what the block computes from a later iteration, too. */
static bool can_copy(struct copy *c)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(c->old);
    const struct block *blocks = c->k->f->blocks, *b = &blocks[c->k->first];
    if (LLVMGetNumSuccessors(end) != 1 || !b->depth || blocks[b->succ[0]].depth > b->depth) return false;
    c->next = LLVMGetSuccessor(end, 0);
    for (LLVMValueRef i = LLVMGetFirstInstruction(c->old); i; i = LLVMGetNextInstruction(i)) {
        if (!is_read_there(c, i)) return false;
        c->nvalues++;
    }
    return true;
}

/* The edges of the path from the branch's second successor. */
static void take_edges(struct copy *c)
{
    const struct fork *k = c->k;
    const struct graph *pred = &k->f->pred;
    for (uint32_t e = pred->first[k->first]; e < pred->first[k->first + 1]; e++) {
        const uint32_t from = pred->to[e];
        if (from == k->branch ? k->f->blocks[from].succ[1] != k->first : !k->reach[1][from]) continue;
        LLVMValueRef end = LLVMGetBasicBlockTerminator(block_of(k, from));
        for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++)
            if (LLVMGetSuccessor(end, s) == c->old) LLVMSetSuccessor(end, s, c->new);
        c->from[c->nfrom++] = block_of(k, from);
    }
}

static LLVMValueRef copy_of(const struct copy *c, LLVMValueRef value)
{
    unsigned i = 0;
    while (i < c->nvalues && c->values[i][0] != value) i++;
    return i < c->nvalues ? c->values[i][1] : value;
}

static LLVMValueRef copy_phi(struct copy *c, LLVMValueRef phi)
{
    LLVMPositionBuilderAtEnd(c->k->cc->builder, c->new);
    LLVMValueRef new = LLVMBuildPhi(c->k->cc->builder, LLVMTypeOf(phi), "");
    for (unsigned i = 0; i < c->nfrom; i++) {
        LLVMValueRef value = phi_value(phi, c->from[i]);
        LLVMAddIncoming(new, &value, &c->from[i], 1);
    }
    return new;
}

static LLVMValueRef copy_instruction(struct copy *c, LLVMValueRef inst)
{
    LLVMValueRef new = LLVMInstructionClone(inst);
    LLVMPositionBuilderAtEnd(c->k->cc->builder, c->new);
    LLVMInsertIntoBuilder(c->k->cc->builder, new);
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(new); i++)
        LLVMSetOperand(new, i, copy_of(c, LLVMGetOperand(new, i)));
    return new;
}

static void fill_copy(struct copy *c)
{
    LLVMValueRef next;
    const unsigned n = c->nvalues;
    c->values = cc_alloc(c->k->cc, n * sizeof *c->values);
    c->nvalues = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(c->old); i; i = LLVMGetNextInstruction(i)) {
        LLVMValueRef new = LLVMIsAPHINode(i) ? copy_phi(c, i) : copy_instruction(c, i);
        c->values[c->nvalues][0] = i, c->values[c->nvalues++][1] = new;
    }
    for (LLVMValueRef phi = LLVMGetFirstInstruction(c->next); LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        LLVMValueRef value = copy_of(c, phi_value(phi, c->old));
        LLVMAddIncoming(phi, &value, &c->new, 1);
    }
    for (LLVMValueRef phi = LLVMGetFirstInstruction(c->old); LLVMIsAPHINode(phi); phi = next) {
        next = LLVMGetNextInstruction(phi);
        LLVMReplaceAllUsesWith(phi, phi_without(c->k->cc->builder, phi, c->from, c->nfrom));
        LLVMInstructionEraseFromParent(phi);
    }
}

static bool build_copy(struct fork *k)
{
    struct copy c = {.k = k, .old = block_of(k, k->first)};
    if (!can_copy(&c)) return false;
    c.new = LLVMInsertBasicBlockInContext(k->cc->context, c.old, "copy");
    c.from = cc_alloc(k->cc, k->f->nblocks * sizeof *c.from);
    take_edges(&c);
    fill_copy(&c);
    return true;
}

/* ---- the rule ---- */

static bool is_worth_a_guard(struct fork *k)
{
    for (uint32_t i = 0; i < k->f->nblocks; i++) k->marks[i] = k->reach[0][i] && k->reach[1][i];
    return meet_worth(k->f, k->marks, k->f->blocks[k->branch].depth) >= MEET_WORTH;
}

/* The innermost branch comes first. */
bool shared_change(struct cc *cc, struct func *f)
{
    struct fork k = {.cc = cc, .f = f};
    for (unsigned s = 0; s < 2; s++) k.reach[s] = cc_alloc(cc, f->nblocks + 1);
    k.behind = cc_alloc(cc, f->nblocks + 1);
    k.marks = cc_alloc(cc, f->nblocks + 1);
    k.list = cc_alloc(cc, (f->nblocks + 1) * sizeof *k.list);
    const uint32_t *idom = graph_dominators(cc, &f->succ, 0);
    for (k.branch = f->nblocks; k.branch-- > 0;)
        if (find_shared(&k) && (is_worth_a_guard(&k) ? build_guard(&k, idom) : build_copy(&k))) return true;
    return false;
}
