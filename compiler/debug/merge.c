/* What a variable is where ways meet. Behind loops and branches LLVM often has no record of it, though a phi has its
 * value: then the variable is that phi, if the records of all ways say that it was what the phi has of each. It is so
 * up to the next place where ways meet: with an empty block, LLVM drops the records in it, so that an assignment on one
 * of these ways may have gone unsaid. Called by debug/track.c, before the values have their registers.
 *
 * A question of data flow, asked of one variable after the other. Those that are in parts or in memory are left alone.
 */
#include "compiler/analysis/analysis.h"
#include "compiler/debug/debug.h"

#include <string.h>

enum { WORK_LIMIT = 1 << 24 /* variables by blocks */, CHANGES = 4 };

/* What the variable is at the beginning or the end of a block. */
struct meaning {
    enum { UNSEEN, LOST, KNOWN } kind;
    LLVMValueRef value;
    const struct debug_record *record; /* has the expression */
    uint32_t said_by;                  /* the event, or behind all of them the block where ways met */
};

struct merge {
    struct func *f;
    struct debug_track *t;
    struct meaning *in, *out;
    int32_t *last;    /* by block: its last event, NOREG: none */
    uint8_t *changes; /* by block: how often `in` has become something else; too often ends as LOST */
    uint32_t nevents; /* those of records */
};

static bool same_expression(const struct debug_expression *a, const struct debug_expression *b)
{
    if (a->n != b->n || a->known != b->known) return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->ops[i].op != b->ops[i].op || a->ops[i].operand != b->ops[i].operand) return false;
    return true;
}

static bool same_meaning(const struct meaning *a, const struct meaning *b)
{
    if (a->kind != KNOWN || b->kind != KNOWN) return a->kind == b->kind;
    return a->value == b->value && a->said_by == b->said_by;
}

/* The end of a phi's way k. */
static const struct meaning *way_of(const struct merge *m, LLVMValueRef phi, unsigned k)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(phi, k));
    uint32_t value = value_of(m->f, end);
    return value == NO_NODE ? NULL : &m->out[m->f->values[value].block]; /* NULL: it is never gone */
}

/* Unrolled loops have two phis of each value: one for the rounds that are left, one for the way around these, which has
 * poison where there always are such rounds. */
static bool stands_for(LLVMValueRef phi, LLVMValueRef value)
{
    if (phi == value) return true;
    if (!LLVMIsAPHINode(phi) || !LLVMIsAPHINode(value)) return false;
    if (LLVMGetInstructionParent(phi) != LLVMGetInstructionParent(value)) return false;
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        LLVMValueRef way = LLVMGetIncomingValue(phi, k);
        if (LLVMGetIncomingBlock(phi, k) != LLVMGetIncomingBlock(value, k)) return false;
        if (way != LLVMGetIncomingValue(value, k) && !LLVMIsPoison(way)) return false;
    }
    return true;
}

/* Has the phi of each way what the variable is at its end? */
static bool is_phi(const struct merge *m, LLVMValueRef phi, const struct meaning *first)
{
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        const struct meaning *way = way_of(m, phi, k);
        if (!way || way->kind == UNSEEN) continue;
        if (way->kind == LOST || !stands_for(LLVMGetIncomingValue(phi, k), way->value)) return false;
        if (!same_expression(&way->record->expression, &first->record->expression)) return false;
    }
    return true;
}

static LLVMValueRef find_phi(const struct merge *m, uint32_t block, const struct meaning *first)
{
    const struct block *b = &m->f->blocks[block];
    for (uint32_t i = b->first; i < b->end && LLVMIsAPHINode(m->f->values[i].ref); i++)
        if (is_phi(m, m->f->values[i].ref, first)) return m->f->values[i].ref;
    return NULL;
}

static bool is_found(const struct merge *m, const struct meaning *a) { return a->said_by >= m->nevents; }

/* What it is where a block begins. */
static struct meaning meet(const struct merge *m, uint32_t block)
{
    const struct graph *pred = &m->f->pred;
    uint32_t first = pred->first[block], end = pred->first[block + 1];
    struct meaning all = {UNSEEN};
    bool equal = true;
    for (uint32_t i = first; i < end; i++) {
        const struct meaning *way = &m->out[pred->to[i]];
        if (way->kind == LOST) return (struct meaning){LOST};
        if (way->kind == UNSEEN) continue;
        if (all.kind == UNSEEN) all = *way;
        equal &= same_meaning(&all, way);
    }
    if (all.kind == UNSEEN) return (struct meaning){block ? UNSEEN : LOST};
    if (equal && (end - first == 1 || !is_found(m, &all))) return all;
    LLVMValueRef phi = equal ? NULL : find_phi(m, block, &all);
    return phi ? (struct meaning){KNOWN, phi, all.record, m->nevents + block} : (struct meaning){LOST};
}

static bool run_block(struct merge *m, uint32_t block)
{
    struct meaning in = meet(m, block), *old = &m->in[block];
    if (m->changes[block] > CHANGES) in = (struct meaning){LOST};
    bool changed = !same_meaning(&in, old);
    m->changes[block] += changed;
    *old = in;
    if (m->last[block] == NOREG) m->out[block] = in;
    return changed;
}

/* The last events of blocks; false if there is nothing to ask. */
static bool begin(struct merge *m, uint32_t variable)
{
    const struct debug_track *t = m->t;
    uint32_t n = m->f->nblocks, said = 0;
    memset(m->in, 0, n * sizeof *m->in);
    memset(m->out, 0, n * sizeof *m->out);
    memset(m->changes, 0, n);
    memset(m->last, 0xff, n * sizeof *m->last); /* NOREG */
    for (int32_t i = t->first_event[variable]; i != NOREG; i = t->events[i].next, said++) {
        const struct event *e = &t->events[i];
        uint32_t block = m->f->values[e->place - 1].block;
        if (e->memory || e->record->expression.bits) return false;
        m->last[block] = i;
        m->out[block] = (struct meaning){e->npieces ? KNOWN : LOST, e->record->value, e->record, (uint32_t)i};
    }
    return said > 1;
}

/* What there is to say where a block begins: what has been found there, or that it ends; NULL: nothing. */
static const struct meaning *news(const struct merge *m, uint32_t block)
{
    const struct graph *pred = &m->f->pred;
    if (m->in[block].said_by == m->nevents + block) return &m->in[block];
    for (uint32_t i = pred->first[block]; m->in[block].kind == LOST && i < pred->first[block + 1]; i++)
        if (is_found(m, &m->out[pred->to[i]])) return &m->out[pred->to[i]];
    return NULL;
}

static const struct debug_record *record_of(const struct merge *m, uint32_t block, const struct meaning *news)
{
    struct debug_record *r = cc_alloc(m->f->cc, sizeof *r);
    *r = *news->record;
    r->before = m->f->values[m->f->blocks[block].first].ref;
    r->value = m->in[block].value;
    return r;
}

void track_merge(struct func *f, void (*add)(void *user, const struct debug_record *record), void *user)
{
    struct debug_track *t = f->track;
    struct merge m = {.f = f, .t = t, .nevents = t->nevents};
    if ((uint64_t)t->nvariables * f->nblocks > WORK_LIMIT) return;
    m.in = cc_alloc(f->cc, f->nblocks * sizeof *m.in);
    m.out = cc_alloc(f->cc, f->nblocks * sizeof *m.out);
    m.last = cc_alloc(f->cc, f->nblocks * sizeof *m.last);
    m.changes = cc_alloc(f->cc, f->nblocks);
    for (uint32_t v = 0; v < t->nvariables; v++) {
        if (!begin(&m, v)) continue;
        for (bool changed = true; changed;) {
            changed = false;
            for (uint32_t b = 0; b < f->nblocks; b++) changed |= run_block(&m, b);
        }
        for (uint32_t b = 0; b < f->nblocks; b++) {
            const struct meaning *said = news(&m, b);
            if (said) add(user, record_of(&m, b, said));
        }
    }
}
