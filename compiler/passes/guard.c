/* Builds a guard: a block in which lanes meet that want to go to different places.
 *
 * All edges from the blocks in front of it to these places lead to the guard, with a number that tells where each lane
 * wants to go, and the guard branches on it: the ways of a divergent branch among the blocks in front meet there.
 * LLVM's passes on control flow would undo it, so this comes behind them. Values of a loop are read behind it in phis
 * alone (LLVM's lcssa), and stay so. Called by exits.c and shared.c. */
#include <stdlib.h>

#include <llvm-c/DebugInfo.h>

#include "compiler/passes/meet.h"
#include "compiler/passes/passes.h"

/* A guard while it is built. */
struct build {
    const struct guard *g;
    LLVMBasicBlockRef block, ways[GUARD_PLACES]; /* the guard, and the blocks that branch to each place */
    LLVMValueRef number;                         /* a phi of the guard: which place */
};

bool guard_add_place(struct guard *g, uint32_t place)
{
    uint32_t i = 0;
    while (i < g->nplaces && g->places[i] != place) i++;
    if (i == GUARD_PLACES) return false;
    if (i == g->nplaces) g->places[g->nplaces++] = place;
    return true;
}

static LLVMBasicBlockRef place(const struct build *b, uint32_t i) { return b->g->f->blocks[b->g->places[i]].ref; }

static LLVMValueRef word(const struct build *b, unsigned n)
{
    return LLVMConstInt(LLVMInt32TypeInContext(b->g->cc->context), n, false);
}

static LLVMBasicBlockRef add_block(const struct build *b)
{
    return LLVMInsertBasicBlockInContext(b->g->cc->context, place(b, 0), "guard");
}

static uint32_t place_of(const struct build *b, LLVMBasicBlockRef block)
{
    uint32_t i = 0;
    while (i < b->g->nplaces && place(b, i) != block) i++;
    return i;
}

/* A value of the guard's first block as the block reads it that branches to a place: a loop may end in between. */
static LLVMValueRef pass_on(const struct build *b, LLVMValueRef value, uint32_t to)
{
    LLVMBuilderRef builder = b->g->cc->builder;
    for (uint32_t i = 1; i <= to && b->ways[i] != b->ways[i - 1] && LLVMIsAInstruction(value); i++) {
        LLVMValueRef first = LLVMGetFirstInstruction(b->ways[i]);
        if (first) LLVMPositionBuilderBefore(builder, first);
        else LLVMPositionBuilderAtEnd(builder, b->ways[i]);
        LLVMValueRef phi = LLVMBuildPhi(builder, LLVMTypeOf(value), "");
        LLVMAddIncoming(phi, &value, (LLVMBasicBlockRef *)&b->ways[i - 1], 1);
        value = phi;
    }
    return value;
}

static void branch_to_places(struct build *b)
{
    LLVMBuilderRef builder = b->g->cc->builder;
    const uint32_t last = b->g->nplaces - 1;
    LLVMBasicBlockRef block = b->block, next;
    for (uint32_t i = 0; i < last; i++, block = next) {
        next = i + 1 == last ? place(b, last) : add_block(b);
        b->ways[i] = b->ways[i + 1] = block;
        LLVMValueRef number = pass_on(b, b->number, i);
        LLVMPositionBuilderAtEnd(builder, block);
        LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntEQ, number, word(b, i), ""), place(b, i), next);
    }
}

/* An end of what is in front goes to the guard. Behind a branch of which both ways do so nothing is left of it. */
static void lead_to_guard(const struct build *b, LLVMBasicBlockRef from)
{
    LLVMBuilderRef builder = b->g->cc->builder;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(from), number = NULL;
    unsigned n = LLVMGetNumSuccessors(end), leading = 0;
    uint32_t places[2];
    for (unsigned s = 0; s < n; s++) {
        places[s] = place_of(b, LLVMGetSuccessor(end, s));
        if (places[s] == b->g->nplaces) continue;
        number = word(b, places[s]);
        leading++;
    }
    if (!leading) return;
    if (leading == 2) {
        LLVMPositionBuilderBefore(builder, end);
        number = LLVMBuildSelect(builder, LLVMGetCondition(end), word(b, places[0]), word(b, places[1]), "");
        LLVMInstructionSetDebugLoc(LLVMBuildBr(builder, b->block), LLVMInstructionGetDebugLoc(end));
        LLVMInstructionEraseFromParent(end);
    }
    for (unsigned s = 0; leading == 1 && s < n; s++)
        if (places[s] < b->g->nplaces) LLVMSetSuccessor(end, s, b->block);
    LLVMAddIncoming(b->number, &number, &from, 1);
}

/* Is the value there in the guard? */
static bool is_there(const struct guard *g, LLVMValueRef value)
{
    if (!LLVMIsAInstruction(value)) return true;
    uint32_t at = g->head;
    while (at != NO_NODE && g->f->blocks[at].ref != LLVMGetInstructionParent(value)) at = g->idom[at];
    return at != NO_NODE;
}

/* ---- phis ---- */

enum { NO_SLOT = -1u };
/* A phi of a place. */
struct moved {
    LLVMValueRef phi, value; /* what it gets from the guard, unless it is a slot's */
    LLVMValueRef *values;    /* from each block in front; NULL: none */
    LLVMValueRef *all;       /* from anywhere, without constants, by address */
    unsigned nall, slot;     /* NO_SLOT: not yet */
    uint32_t to;
};

/* A phi of the guard, which serves phis of several places: each edge leads to one of them. */
struct slot {
    LLVMTypeRef type;
    LLVMValueRef *values; /* from each block in front; NULL: none is read */
    LLVMValueRef phi;
    const struct moved **served;
    unsigned nserved;
};

struct plan {
    const struct build *b;
    LLVMBasicBlockRef *from; /* the blocks in front that lead to the guard */
    unsigned nfrom;
    struct block_numbers numbers;
    unsigned *order; /* of each block that leads to the guard, by number, its place in `from`; else `nfrom` */
    struct moved *moved;
    struct slot *slots;
    unsigned nmoved, nslots;
};

/* The only value that a phi has from the blocks in front, if the guard has it; else NULL. */
static LLVMValueRef only_value(const struct plan *p, const struct moved *m)
{
    LLVMValueRef only = NULL;
    for (unsigned i = 0; i < p->nfrom; i++) {
        LLVMValueRef value = m->values[i];
        if (value && only && value != only) return NULL;
        if (value) only = value;
    }
    return is_there(p->b->g, only) ? only : NULL;
}

static bool is_free(const struct plan *p, const struct slot *s, const struct moved *m)
{
    if (s->type != LLVMTypeOf(m->phi) || s->nserved == p->b->g->nplaces) return false;
    for (unsigned i = 0; i < p->nfrom; i++)
        if (m->values[i] && s->values[i] && s->values[i] != m->values[i]) return false;
    return true;
}

static unsigned times(const struct moved *m, LLVMValueRef value)
{
    unsigned n = 0;
    for (unsigned i = 0; i < m->nall; i++) n += m->all[i] == value;
    return n;
}

/* How likely are two phis to be the same variable, so that one register is to hold both? */
static unsigned likeness(const struct moved *a, const struct moved *b)
{
    enum { READS_OTHER = 4 };
    unsigned sum = READS_OTHER * (times(a, b->phi) + times(b, a->phi));
    for (unsigned i = 0, k = 0; i < a->nall; i++) { /* each of a's with each of b's that is the same */
        while (k < b->nall && (uintptr_t)b->all[k] < (uintptr_t)a->all[i]) k++;
        for (unsigned same = k; same < b->nall && b->all[same] == a->all[i]; same++) sum++;
    }
    return sum;
}

/* Of the slots that are free the one that is for the same variable, most likely; the number of slots: there is none. */
static unsigned choose_slot(const struct plan *p, const struct moved *m, bool alike)
{
    unsigned best = p->nslots, most = 0;
    for (unsigned i = 0; i < p->nslots; i++) {
        const struct slot *s = &p->slots[i];
        unsigned sum = 0;
        if (!is_free(p, s, m)) continue;
        for (unsigned k = 0; k < s->nserved; k++) sum += likeness(m, s->served[k]);
        if (sum > most || (!alike && best == p->nslots)) best = i, most = sum;
    }
    return best;
}

static void add_slot(struct plan *p, LLVMTypeRef type)
{
    struct slot *s = &p->slots[p->nslots++];
    s->type = type;
    s->values = cc_alloc(p->b->g->cc, p->nfrom * sizeof *s->values);
    s->served = cc_alloc(p->b->g->cc, p->b->g->nplaces * sizeof *s->served);
}

static void serve(const struct plan *p, struct moved *m, unsigned slot)
{
    struct slot *s = &p->slots[slot];
    for (unsigned i = 0; i < p->nfrom; i++)
        if (m->values[i]) s->values[i] = m->values[i];
    s->served[s->nserved++] = m;
    m->slot = slot;
    m->value = NULL;
}

static void take_slot(struct plan *p, struct moved *m, bool alike)
{
    if (m->value || m->slot != NO_SLOT) return;
    const unsigned slot = choose_slot(p, m, alike);
    if (slot == p->nslots && alike) return;
    if (slot == p->nslots) add_slot(p, LLVMTypeOf(m->phi));
    serve(p, m, slot);
}

static bool holds(const struct plan *p, const struct slot *s, LLVMValueRef value)
{
    unsigned i = 0;
    while (i < p->nfrom && s->values[i] != value) i++;
    return i < p->nfrom;
}

/* A value that a slot holds for other lanes comes from there, too: it would be alive beside the slot, in a register of
 * its own, and have to be copied wherever it goes to the slot. */
static void take_slot_of_value(const struct plan *p, struct moved *m)
{
    for (unsigned i = 0; i < p->nslots && m->value && LLVMIsAInstruction(m->value); i++)
        if (holds(p, &p->slots[i], m->value) && is_free(p, &p->slots[i], m)) serve(p, m, i);
}

static int by_address(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t) * (const LLVMValueRef *)a, y = (uintptr_t) * (const LLVMValueRef *)b;
    return x < y ? -1 : x > y;
}

static void add_phi(struct plan *p, LLVMValueRef phi, uint32_t to)
{
    struct cc *cc = p->b->g->cc;
    struct moved *m = &p->moved[p->nmoved++];
    const unsigned n = LLVMCountIncoming(phi);
    *m = (struct moved){.phi = phi, .to = to, .slot = NO_SLOT};
    m->values = cc_alloc(cc, p->nfrom * sizeof *m->values);
    m->all = cc_alloc(cc, n * sizeof *m->all);
    for (unsigned i = 0; i < n; i++) {
        const unsigned from = p->order[*block_number(&p->numbers, LLVMGetIncomingBlock(phi, i))];
        LLVMValueRef value = LLVMGetIncomingValue(phi, i);
        if (from < p->nfrom) m->values[from] = value;
        if (!LLVMIsConstant(value)) m->all[m->nall++] = value;
    }
    if (m->nall) qsort(m->all, m->nall, sizeof *m->all, by_address);
    m->value = only_value(p, m);
}

/* Phis of a variable that has a slot come first, so that no other takes it. */
static void add_phis(struct plan *p, uint32_t to)
{
    const unsigned first = p->nmoved;
    for (LLVMValueRef phi = LLVMGetFirstInstruction(place(p->b, to)); LLVMIsAPHINode(phi);
         phi = LLVMGetNextInstruction(phi))
        add_phi(p, phi, to);
    for (unsigned i = first; i < p->nmoved; i++) take_slot(p, &p->moved[i], true);
    for (unsigned i = first; i < p->nmoved; i++) take_slot(p, &p->moved[i], false);
}

static unsigned count_phis(const struct build *b)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < b->g->nplaces; i++)
        for (LLVMValueRef phi = LLVMGetFirstInstruction(place(b, i)); LLVMIsAPHINode(phi);
             phi = LLVMGetNextInstruction(phi))
            n++;
    return n;
}

static struct plan plan_phis(const struct build *b)
{
    struct cc *cc = b->g->cc;
    const unsigned n = count_phis(b);
    struct plan p = {.b = b, .nfrom = LLVMCountIncoming(b->number)};
    p.from = cc_alloc(cc, p.nfrom * sizeof *p.from);
    p.moved = cc_alloc(cc, (n + 1) * sizeof *p.moved);
    p.slots = cc_alloc(cc, (n + 1) * sizeof *p.slots);
    p.numbers = blocks_number(cc, LLVMGetBasicBlockParent(b->block));
    p.order = cc_alloc(cc, p.numbers.count * sizeof *p.order);
    for (uint32_t i = 0; i < p.numbers.count; i++) p.order[i] = p.nfrom;
    for (unsigned i = 0; i < p.nfrom; i++) {
        p.from[i] = LLVMGetIncomingBlock(b->number, i);
        p.order[*block_number(&p.numbers, p.from[i])] = i;
    }
    for (uint32_t i = 0; i < b->g->nplaces; i++) add_phis(&p, i);
    for (unsigned i = 0; i < p.nmoved; i++) take_slot_of_value(&p, &p.moved[i]);
    return p;
}

/* A value that is not read is 0: lanes may copy it all the same, and lock step with another machine (docs/cosim.md)
 * compares copies. */
static void build_slot(const struct plan *p, struct slot *s)
{
    LLVMPositionBuilderBefore(p->b->g->cc->builder, LLVMGetFirstInstruction(p->b->block));
    s->phi = LLVMBuildPhi(p->b->g->cc->builder, s->type, "");
    for (unsigned i = 0; i < p->nfrom; i++) {
        LLVMValueRef value = s->values[i] ? s->values[i] : LLVMConstNull(s->type);
        LLVMAddIncoming(s->phi, &value, &p->from[i], 1);
    }
}

static void move_phis(const struct build *b)
{
    const struct plan p = plan_phis(b);
    for (unsigned i = 0; i < p.nslots; i++) build_slot(&p, &p.slots[i]);
    for (unsigned i = 0; i < p.nmoved; i++) {
        const struct moved *m = &p.moved[i];
        LLVMValueRef value = pass_on(b, m->value ? m->value : p.slots[m->slot].phi, m->to);
        LLVMValueRef here = phi_without(b->g->cc->builder, m->phi, p.from, p.nfrom);
        LLVMAddIncoming(here, &value, (LLVMBasicBlockRef *)&b->ways[m->to], 1);
        LLVMReplaceAllUsesWith(m->phi, here);
        LLVMInstructionEraseFromParent(m->phi);
    }
}

void guard_build(const struct guard *g)
{
    struct build b = {.g = g};
    b.block = add_block(&b);
    LLVMPositionBuilderAtEnd(g->cc->builder, b.block);
    b.number = LLVMBuildPhi(g->cc->builder, LLVMInt32TypeInContext(g->cc->context), "");
    branch_to_places(&b);
    for (uint32_t i = 0; i < g->f->nblocks; i++)
        if (g->front[i]) lead_to_guard(&b, g->f->blocks[i].ref);
    move_phis(&b);
}
