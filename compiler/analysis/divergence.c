/* Which values differ between the lanes of a warp, and which branches are divergent.
 *
 * A value is divergent when it is computed from something divergent, and also when control flow
 * makes it so: the lanes of a divergent branch run its two ways one after the other, and a scalar
 * register keeps only what the last of them wrote. Rules R1 to R3 (README.md) say where that
 * matters; a value they do not name may live in a scalar register. Called by backend_kernel. */
#include "compiler/analysis/analysis.h"
#include "compiler/ir/ir.h"

#include <string.h>

/* What the two ways of a branch reach before they meet, and the labels of rule R1. */
struct region {
    uint8_t *reach[2];
    uint32_t *list[2], n[2]; /* the same as lists */
    uint32_t low, high;      /* the blocks lie from `low` to the one before `high` */
    uint32_t *label;         /* NO_NODE outside of rule_join */
};

struct analysis {
    struct func *f;
    struct graph users; /* of each value */
    uint32_t *todo;     /* divergent values whose users have not been looked at */
    uint32_t ntodo;
    struct region r;
};

static void mark(struct analysis *a, uint32_t v)
{
    if (a->f->values[v].divergent) return;
    a->f->values[v].divergent = true;
    a->todo[a->ntodo++] = v;
}

/* The result is one for all lanes, whatever it is made of. */
static bool is_uniform(const struct value *v)
{
    if (LLVMGetInstructionOpcode(v->ref) == LLVMAlloca || asm_is_uniform(v->ref)) return true;
    if (!LLVMIsACallInst(v->ref) || !LLVMIsAFunction(LLVMGetCalledValue(v->ref))) return false;
    const struct primitive *p = primitive_find(LLVMGetValueName(LLVMGetCalledValue(v->ref)));
    return p && (p->kind == PRIMITIVE_FIRST || p->kind == PRIMITIVE_SCALAR || p->kind == PRIMITIVE_VOTE);
}

static bool is_source(struct func *f, const struct value *v)
{
    switch (LLVMGetInstructionOpcode(v->ref)) {
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg: return true;
    case LLVMLoad: {
        LLVMValueRef pointer = LLVMGetOperand(v->ref, 0);
        if (retry_is(v->ref)) return true;
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) != 0) return false;
        uint32_t object = value_of(f, address_object(pointer));
        bool argument = object < f->nparams && !f->values[object].escapes;
        return !argument; /* every lane has its own private memory */
    }
    case LLVMCall: {
        LLVMValueRef callee = LLVMGetCalledValue(v->ref);
        size_t n;
        if (is_inline_asm(v->ref)) return true;
        const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &n) : "";
        return !strcmp(name, "__ventus_lane") || (routine_find(f->cc, callee) && !is_pure_routine(callee));
    }
    default: return false;
    }
}

static bool is_phi(const struct value *v) { return LLVMGetInstructionOpcode(v->ref) == LLVMPHI; }

static bool phi_operands_equal(LLVMValueRef phi)
{
    LLVMValueRef first = NULL;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef v = LLVMGetIncomingValue(phi, i);
        if (first && v != first) return false;
        first = v;
    }
    return true;
}

static void join_phis(struct analysis *a, uint32_t block)
{
    struct func *f = a->f;
    if (block == f->nblocks) return;
    for (uint32_t i = f->blocks[block].first; i < f->blocks[block].end && is_phi(&f->values[i]); i++)
        if (!f->values[i].divergent && !phi_operands_equal(f->values[i].ref)) mark(a, i);
}

/* Gives block `to` the label that arrives on an edge; two different ones make it a join, which then
 * sends out its own. True when that changed something. */
static bool arrive(struct region *r, uint32_t to, uint32_t label)
{
    if (label == NO_NODE || r->label[to] == label || r->label[to] == to) return false;
    r->label[to] = r->label[to] == NO_NODE ? label : to;
    return true;
}

/* R1: lanes that took different ways meet in a join, where a phi holds different values. */
static void rule_join(struct analysis *a, const struct block *b)
{
    struct func *f = a->f;
    struct region *r = &a->r;
    uint32_t p = b->ipdom;
    join_phis(a, p);
    /* The label of a way is a number that no block has, so that its first block can become a join. */
    for (unsigned s = 0; s < 2; s++)
        if (b->succ[s] != p) r->label[b->succ[s]] = f->nblocks + 1 + s;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = r->low; i < r->high; i++)
            for (uint32_t s = 0; r->label[i] != NO_NODE && s < f->blocks[i].nsucc; s++)
                if (f->blocks[i].succ[s] != p) again |= arrive(r, f->blocks[i].succ[s], r->label[i]);
    }
    for (uint32_t i = r->low; i < r->high; i++) {
        if (r->label[i] == i) join_phis(a, i);
        r->label[i] = NO_NODE;
    }
}

static bool defined_in(const struct func *f, uint32_t v, const uint8_t *reach)
{
    return v != NO_NODE && v >= f->nparams && reach[f->values[v].block];
}

/* Marks what one way computes and block `to` reads. */
static void mark_computed(struct analysis *a, uint32_t to, const uint8_t *reach)
{
    const struct graph *live = &a->f->live_in;
    for (uint32_t e = live->first[to]; e < live->first[to + 1]; e++)
        if (defined_in(a->f, live->to[e], reach)) mark(a, live->to[e]);
}

/* R2: what one way computes and the other way or the meeting point reads. */
static void rule_order(struct analysis *a, const struct block *b)
{
    for (unsigned s = 0; s < 2; s++) {
        mark_computed(a, b->succ[!s], a->r.reach[s]);
        mark_computed(a, b->ipdom, a->r.reach[s]);
    }
}

/* R3: the same through phis, whose operands count as read on the edge. */
static void rule_edge(struct analysis *a, uint32_t from, const struct block *b)
{
    struct func *f = a->f;
    uint8_t *const *reach = a->r.reach;
    for (unsigned s = 0; s < 3; s++) {
        uint32_t to = s < 2 ? b->succ[!s] : b->ipdom;
        if (to == f->nblocks) continue;
        for (uint32_t i = f->blocks[to].first; i < f->blocks[to].end && is_phi(&f->values[i]); i++)
            for (unsigned k = 0; !f->values[i].divergent && k < f->values[i].nuses; k++) {
                uint32_t v = f->values[i].uses[k];
                bool here = LLVMGetIncomingBlock(f->values[i].ref, k) == f->blocks[from].ref;
                bool hit = s < 2 ? here && defined_in(f, v, reach[s])
                                 : defined_in(f, v, reach[0]) || defined_in(f, v, reach[1]);
                if (hit) mark(a, i);
            }
    }
}

static void find_region(struct analysis *a, const struct block *b)
{
    struct region *r = &a->r;
    r->low = a->f->nblocks;
    r->high = 0;
    for (unsigned s = 0; s < 2; s++) {
        r->n[s] = graph_reach(&a->f->succ, b->succ[s], b->ipdom, r->reach[s], r->list[s]);
        for (uint32_t i = 0; i < r->n[s]; i++) {
            if (r->list[s][i] < r->low) r->low = r->list[s][i];
            if (r->list[s][i] >= r->high) r->high = r->list[s][i] + 1;
        }
    }
}

static void apply_rules(struct analysis *a, uint32_t from)
{
    const struct block *b = &a->f->blocks[from];
    struct region *r = &a->r;
    find_region(a, b);
    if (rule(a->f, 1)) rule_join(a, b);
    if (rule(a->f, 2)) rule_order(a, b);
    if (rule(a->f, 3)) rule_edge(a, from, b);
    for (unsigned s = 0; s < 2; s++)
        for (uint32_t i = 0; i < r->n[s]; i++) r->reach[s][r->list[s][i]] = 0;
}

static void list_users(struct analysis *a)
{
    struct func *f = a->f;
    struct edges users = {0};
    for (uint32_t i = f->nparams; i < f->nvalues; i++)
        for (uint32_t u = 0; u < f->values[i].nuses; u++)
            if (f->values[i].uses[u] != NO_NODE) edges_add(f->cc, &users, f->values[i].uses[u], i);
    a->users = graph_make(f->cc, f->nvalues, users.list, users.n);
}

/* What follows from a value's being divergent: its users are, and the branch that it may be is divergent. */
static void spread(struct analysis *a, uint32_t v)
{
    struct func *f = a->f;
    struct block *b = &f->blocks[f->values[v].block];
    for (uint32_t e = a->users.first[v]; e < a->users.first[v + 1]; e++)
        if (!is_uniform(&f->values[a->users.to[e]])) mark(a, a->users.to[e]);
    if (v != b->end - 1 || b->nsucc != 2) return;
    b->divergent = true;
    apply_rules(a, f->values[v].block);
}

void divergence_run(struct func *f)
{
    struct analysis a = {.f = f};
    uint32_t room = f->nblocks + 1;
    for (unsigned s = 0; s < 2; s++) {
        a.r.reach[s] = cc_alloc(f->cc, room);
        a.r.list[s] = cc_alloc(f->cc, room * sizeof *a.r.list[s]);
    }
    a.r.label = cc_alloc(f->cc, room * sizeof *a.r.label);
    memset(a.r.label, 0xff, room * sizeof *a.r.label); /* NO_NODE */
    a.todo = cc_alloc(f->cc, (f->nvalues + 1) * sizeof *a.todo);
    list_users(&a);
    for (uint32_t i = 0; f->kernel->is_routine && i < f->nparams; i++)
        if (!f->kernel->uniform || !f->kernel->uniform[i]) mark(&a, i);
    for (uint32_t i = f->nparams; i < f->nvalues; i++)
        if (!is_uniform(&f->values[i]) && is_source(f, &f->values[i])) mark(&a, i);
    while (a.ntodo) spread(&a, a.todo[--a.ntodo]);
}
