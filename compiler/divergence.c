/* Which values differ between the lanes of a warp, and which branches lanes part at.
 *
 * A value is divergent when it is computed from something divergent, and also when control flow
 * makes it so: the lanes of a divergent branch run its two ways one after the other, and a scalar
 * register keeps only what the last of them wrote. Rules R1 to R3 (README.md) say where that
 * matters; a value they do not name may live in a scalar register. Called by backend_kernel. */
#include "compiler/backend.h"

#include <string.h>

/* Scratch of one analysis: what the two ways of a branch reach, and the labels of rule R1. */
struct region {
    uint8_t *reach[2];
    uint32_t *label, *stack;
};

static bool mark(struct func *f, uint32_t v)
{
    if (f->values[v].divergent) return false;
    return f->values[v].divergent = true;
}

/* The result is one for all lanes, whatever it is made of. */
static bool is_uniform(const struct value *v)
{
    if (LLVMGetInstructionOpcode(v->ref) == LLVMAlloca || asm_is_uniform(v->ref)) return true;
    if (!LLVMIsACallInst(v->ref) || !LLVMIsAFunction(LLVMGetCalledValue(v->ref))) return false;
    const struct primitive *p = primitive_find(LLVMGetValueName(LLVMGetCalledValue(v->ref)));
    return p && p->kind != PRIMITIVE_FLOAT && p->kind != PRIMITIVE_LANES;
}

static bool is_source(struct func *f, const struct value *v)
{
    switch (LLVMGetInstructionOpcode(v->ref)) {
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg: return true;
    case LLVMLoad: {
        LLVMValueRef pointer = LLVMGetOperand(v->ref, 0);
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
        return !strcmp(name, "__ventus_lane");
    }
    default: return false;
    }
}

/* Divergence through operands, to a fixpoint. A terminator becomes divergent by its condition. */
static void propagate(struct func *f)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = f->nparams; i < f->nvalues; i++) {
            const struct value *v = &f->values[i];
            if (v->divergent || is_uniform(v)) continue;
            bool d = is_source(f, v);
            for (uint32_t u = 0; u < v->nuses && !d; u++) d = v->uses[u] != NO_NODE && f->values[v->uses[u]].divergent;
            if (d) changed |= mark(f, i);
        }
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

static bool join_phis(struct func *f, uint32_t block)
{
    bool changed = false;
    if (block == f->nblocks) return false;
    for (uint32_t i = f->blocks[block].first; i < f->blocks[block].end && is_phi(&f->values[i]); i++)
        if (!phi_operands_equal(f->values[i].ref)) changed |= mark(f, i);
    return changed;
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
static bool rule_join(struct func *f, const struct block *b, struct region *r)
{
    uint32_t p = b->ipdom, n = f->nblocks;
    bool changed = join_phis(f, p);
    for (uint32_t i = 0; i <= n; i++) r->label[i] = NO_NODE;
    /* The label of a way is a number that no block has, so that its first block can become a join. */
    for (unsigned s = 0; s < 2; s++)
        if (b->succ[s] != p) r->label[b->succ[s]] = n + 1 + s;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t s = 0; r->label[i] != NO_NODE && s < f->blocks[i].nsucc; s++)
                if (f->blocks[i].succ[s] != p) again |= arrive(r, f->blocks[i].succ[s], r->label[i]);
    }
    for (uint32_t i = 0; i < n; i++)
        if (r->label[i] == i) changed |= join_phis(f, i);
    return changed;
}

static bool live_into(struct func *f, uint32_t v, uint32_t block)
{
    return block != f->nblocks && bit_test(f->blocks[block].live_in, v);
}

/* R2: what one way computes and the other way or the meeting point reads. */
static bool rule_order(struct func *f, const struct block *b, struct region *r)
{
    bool changed = false;
    for (unsigned s = 0; s < 2; s++)
        for (uint32_t i = 0; i < f->nblocks; i++) {
            if (!r->reach[s][i]) continue;
            for (uint32_t v = f->blocks[i].first; v < f->blocks[i].end; v++)
                if (live_into(f, v, b->succ[!s]) || live_into(f, v, b->ipdom)) changed |= mark(f, v);
        }
    return changed;
}

static bool defined_in(struct func *f, uint32_t v, const uint8_t *reach)
{
    return v != NO_NODE && v >= f->nparams && reach[f->values[v].block];
}

/* R3: the same through phis, whose operands count as read on the edge. */
static bool rule_edge(struct func *f, uint32_t from, const struct block *b, struct region *r)
{
    bool changed = false;
    for (unsigned s = 0; s < 3; s++) {
        uint32_t to = s < 2 ? b->succ[!s] : b->ipdom;
        if (to == f->nblocks) continue;
        for (uint32_t i = f->blocks[to].first; i < f->blocks[to].end && is_phi(&f->values[i]); i++)
            for (unsigned k = 0; k < f->values[i].nuses; k++) {
                uint32_t v = f->values[i].uses[k];
                bool here = LLVMGetIncomingBlock(f->values[i].ref, k) == f->blocks[from].ref;
                bool hit = s < 2 ? here && defined_in(f, v, r->reach[s])
                                 : defined_in(f, v, r->reach[0]) || defined_in(f, v, r->reach[1]);
                if (hit) changed |= mark(f, i);
            }
    }
    return changed;
}

static bool apply_rules(struct func *f, uint32_t from, struct region *r)
{
    struct block *b = &f->blocks[from];
    bool changed = false;
    for (unsigned s = 0; s < 2; s++) {
        memset(r->reach[s], 0, f->nblocks + 1);
        graph_reach(&f->succ, b->succ[s], b->ipdom, r->reach[s], r->stack);
    }
    if (rule(f, 1)) changed |= rule_join(f, b, r);
    if (rule(f, 2)) changed |= rule_order(f, b, r);
    if (rule(f, 3)) changed |= rule_edge(f, from, b, r);
    return changed;
}

void divergence_run(struct func *f)
{
    struct region r;
    for (unsigned s = 0; s < 2; s++) r.reach[s] = cc_alloc(f->cc, f->nblocks + 1);
    r.label = cc_alloc(f->cc, (f->nblocks + 2) * sizeof *r.label);
    r.stack = cc_alloc(f->cc, (f->nblocks + 2) * sizeof *r.stack);
    /* The rules of a branch depend on the graph alone, so each branch needs them once. */
    for (uint32_t i = 0; f->kernel->is_routine && i < f->nparams; i++) mark(f, i);
    for (bool changed = true; changed;) {
        changed = false;
        propagate(f);
        for (uint32_t i = 0; i < f->nblocks; i++) {
            struct block *b = &f->blocks[i];
            if (b->divergent || b->nsucc != 2 || !f->values[b->end - 1].divergent) continue;
            b->divergent = true;
            changed |= apply_rules(f, i, &r);
        }
    }
}
