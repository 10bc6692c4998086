/* Where each variable is at each instruction: the code with its final registers is run through, keeping book of two
 * kinds of facts. A value of a variable is in its place, which is a register or a word of private memory, from the
 * instruction that makes it to one that puts something else there. And an event, "this variable is that value", holds
 * until another one about the variable. What comes from several blocks holds where it holds at the end of all.
 *
 * Divergent lanes run one after the other, and scalar registers are common to them: so on its way into one side of a
 * branch each value in a scalar register is lost that the other side may write before lanes meet. */
#include "compiler/debug/debug.h"

#include <string.h>

/* Numbers of places: x, v, words of private memory. */
enum { PLACE_V = ISA_XREGS, PLACE_SLOT = ISA_XREGS + ISA_VREGS, FACTS_LIMIT = 1 << 28 /* bytes */ };

struct places_state {
    struct func *f;
    struct debug_track *t;
    size_t words;        /* of a set of facts: tracked values, and events behind them */
    bits **in;           /* by machine block */
    uint32_t *ir;        /* its block of the IR, NO_NODE: made of no instruction */
    int32_t *at;         /* by place: the first tracked value there, NOREG: none */
    int32_t *next;       /* the next one in the same place */
    int32_t *of_name;    /* by name: the first tracked value that instructions make by it, NOREG: none */
    int32_t *next_name;  /* the next one of the same name */
    uint64_t (*lost)[2]; /* by machine block and way of its branch: scalar registers that the other way may write */
    bits *now;
    bits *before;     /* facts in front of a call */
    uint32_t event;   /* the next one of the block */
    uint32_t *until;  /* by instruction of the block: the events up to this place are true when it is executed */
    int32_t made;     /* by the instruction being run ... */
    bool same;        /* ... which is a copy of something to itself */
    uint64_t written; /* scalar registers, by the block looked at */
};

/* ---- facts ---- */

static uint32_t register_place(const struct func *f, int32_t reg)
{
    return (uint32_t)f->vregs[reg].phys + (f->vregs[reg].cls == CLASS_V ? PLACE_V : 0);
}

static uint32_t slot_place(uint32_t slot) { return PLACE_SLOT + slot / 4; }

static uint32_t place_of(const struct func *f, const struct tracked *r)
{
    return r->reg == NOREG ? slot_place(r->slot) : register_place(f, r->reg);
}

/* Something is put into a place: a value of the name p->made, or something that is no value of a variable. `same`: it
 * is what was there before, by one more name. */
static void put_there(struct places_state *p, uint32_t place, bool same)
{
    for (int32_t i = p->at[place]; i != NOREG; i = p->next[i]) {
        if (p->t->list[i].name == p->made) bit_set(p->now, (uint32_t)i);
        else if (!same) bit_clear(p->now, (uint32_t)i);
    }
}

/* What is made anew is in its place when it is put there: a part of a spilled register (spill.c) is saved later, copies
 * are still those of what it was. */
static void forget(struct places_state *p, int32_t made)
{
    const struct tracked *list = p->t->list;
    for (int32_t i = p->of_name[made]; i != NOREG; i = p->next_name[i]) {
        bit_clear(p->now, (uint32_t)i);
        for (int32_t k = list[i].copies; k != NOREG; k = list[k].next_copy) bit_clear(p->now, (uint32_t)k);
    }
}

static void note_def(void *user, int32_t *reg, bool is_def)
{
    struct places_state *p = user;
    if (is_def) put_there(p, register_place(p->f, *reg), p->same);
}

static bool copies_itself(const struct func *f, const struct minsn *m)
{
    return is_copy(m) && register_place(f, m->rd) == register_place(f, m->rs1);
}

/* A call, and the routine that it calls, overwrite registers: variables of the caller are no longer there. */
static void run_call(struct places_state *p, const struct isa_registers *written)
{
    for (uint32_t i = 0; i < ISA_XREGS; i++)
        if (i == REG_LINK || written->x >> i & 1) put_there(p, i, false);
    for (uint32_t i = 0; i < ISA_VREGS; i++)
        if (written->v[i / 64] >> i % 64 & 1) put_there(p, PLACE_V + i, false);
}

static void run_insn(struct places_state *p, struct minsn *m)
{
    p->made = m->made;
    if (m->made) forget(p, m->made);
    p->same = copies_itself(p->f, m);
    if (m->op == OP_JAL) run_call(p, &p->f->cc->routines[m->imm].code.written);
    else if (m->slot && insn_roles(m->op)->rd < 0) put_there(p, slot_place(m->slot), p->same);
    else visit_insn(m, note_def, p);
}

static bool overlap(const struct debug_expression *a, const struct debug_expression *b)
{
    if (!a->bits || !b->bits) return true;
    return a->first_bit < b->first_bit + b->bits && b->first_bit < a->first_bit + a->bits;
}

static void run_event(struct places_state *p, uint32_t e)
{
    const struct event *events = p->t->events;
    for (int32_t k = p->t->first_event[events[e].variable]; k != NOREG; k = events[k].next)
        if (overlap(&events[k].record->expression, &events[e].record->expression))
            bit_clear(p->now, p->t->n + (uint32_t)k);
    bit_set(p->now, p->t->n + e);
}

/* The events of a block up to a place. A block of the IR can have become several of the machine: each of them repeats
 * those of the ones before, which changes nothing. */
static void run_events(struct places_state *p, uint32_t block, uint32_t place)
{
    uint32_t ir = p->ir[block];
    if (ir == NO_NODE || place > p->f->blocks[ir].end) return;
    while (p->event < p->t->nevents && p->t->events[p->event].place <= place) run_event(p, p->event++);
}

/* Stores and whatever else has effects come in the order of the source, so they say how far the program is.
 * What the schedule has put before them, though it comes later in the source, says nothing. */
static void find_until(struct places_state *p, const struct mblock *b)
{
    uint32_t next = UINT32_MAX;
    for (uint32_t i = b->n; i-- > 0;) {
        uint32_t place = b->code[i].place;
        p->until[i] = place < next ? place : next;
        if (!is_pure(&b->code[i])) next = p->until[i];
    }
}

static void begin_block(struct places_state *p, uint32_t block)
{
    find_until(p, &p->f->mblocks[block]);
    uint32_t low = 0, high = p->t->nevents, ir = p->ir[block];
    while (ir != NO_NODE && low < high) { /* the first one of the block */
        uint32_t middle = (low + high) / 2;
        if (p->t->events[middle].place <= p->f->blocks[ir].first) low = middle + 1;
        else high = middle;
    }
    p->event = low;
    memcpy(p->now, p->in[block], p->words * sizeof *p->now);
}

/* ---- blocks ---- */

static bool arrive(struct places_state *p, uint32_t block, uint64_t lost)
{
    bits *in = p->in[block];
    bool changed = false;
    for (uint32_t x = 0; x < ISA_XREGS; x++)
        for (int32_t i = lost >> x & 1 ? p->at[x] : NOREG; i != NOREG; i = p->next[i]) {
            changed |= bit_test(in, (uint32_t)i);
            bit_clear(in, (uint32_t)i);
        }
    for (size_t w = 0; w < p->words; w++) {
        changed |= (in[w] & ~p->now[w]) != 0;
        in[w] &= p->now[w];
    }
    return changed;
}

static bool run_block(struct places_state *p, uint32_t block)
{
    struct mblock *b = &p->f->mblocks[block];
    bool changed = false;
    begin_block(p, block);
    for (uint32_t i = 0; i < b->n; i++) {
        run_events(p, block, p->until[i]);
        run_insn(p, &b->code[i]);
    }
    run_events(p, block, b->place);
    uint32_t to[2], n = block_successors(b, to);
    for (uint32_t way = 0; way < n; way++) changed |= arrive(p, to[way], p->lost[block][way]);
    return changed;
}

static void note_scalar(void *user, int32_t *reg, bool is_def)
{
    struct places_state *p = user;
    if (is_def && p->f->vregs[*reg].cls == CLASS_S) p->written |= 1ull << p->f->vregs[*reg].phys;
}

/* The scalar registers that a block writes. */
static uint64_t written_by(struct places_state *p, uint32_t block)
{
    struct mblock *b = &p->f->mblocks[block];
    p->written = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        visit_insn(&b->code[i], note_scalar, p);
        if (b->code[i].op == OP_JAL) p->written |= p->f->cc->routines[b->code[i].imm].code.written.x;
    }
    return p->written;
}

static void find_lost(struct places_state *p)
{
    struct func *f = p->f;
    struct graph g = machine_graph(f);
    uint8_t *seen = cc_alloc(f->cc, f->nmblocks);
    uint32_t *list = cc_alloc(f->cc, (f->nmblocks + 1) * sizeof *list);
    uint64_t *written = cc_alloc(f->cc, f->nmblocks * sizeof *written);
    for (uint32_t b = 0; b < f->nmblocks; b++) written[b] = written_by(p, b);
    for (uint32_t b = 0; b < f->nmblocks; b++)
        for (uint32_t way = 0; f->mblocks[b].divergent && way < 2; way++) {
            uint32_t n = graph_reach(&g, f->mblocks[b].succ[!way], f->mblocks[b].rpc, seen, list);
            for (uint32_t k = 0; k < n; k++) {
                p->lost[b][way] |= written[list[k]];
                seen[list[k]] = 0;
            }
        }
}

static void find_places(struct places_state *p)
{
    struct debug_track *t = p->t;
    uint32_t n = slot_place(p->f->frame) + 1;
    p->at = cc_alloc(p->f->cc, n * sizeof *p->at);
    memset(p->at, 0xff, n * sizeof *p->at); /* NOREG */
    p->next = cc_alloc(p->f->cc, (t->n + 1) * sizeof *p->next);
    p->next_name = cc_alloc(p->f->cc, (t->n + 1) * sizeof *p->next_name);
    p->of_name = cc_alloc(p->f->cc, p->f->nvregs * sizeof *p->of_name);
    memset(p->of_name, 0xff, p->f->nvregs * sizeof *p->of_name); /* NOREG */
    for (uint32_t i = 0; i < t->n; i++) {
        p->next_name[i] = p->of_name[t->list[i].name];
        p->of_name[t->list[i].name] = (int32_t)i;
        if (t->list[i].reg != NOREG && p->f->vregs[t->list[i].reg].phys < 0) continue; /* nothing names it any more */
        uint32_t place = place_of(p->f, &t->list[i]);
        p->next[i] = p->at[place];
        p->at[place] = (int32_t)i;
    }
}

/* The arguments of a routine are there at its beginning, where nothing makes them. */
static void find_arguments(struct places_state *p, bits *in)
{
    for (uint32_t i = 0; i < p->t->n; i++)
        if (p->t->list[i].reg != NOREG && p->f->vregs[p->t->list[i].reg].fixed) bit_set(in, i);
}

static uint32_t ir_block(const struct func *f, const struct mblock *b)
{
    uint32_t place = b->place;
    for (uint32_t i = 0; !place && i < b->n; i++) place = b->code[i].place;
    return place ? f->values[place - 1].block : NO_NODE;
}

struct places_state *places_solve(struct func *f)
{
    struct debug_track *t = f->track;
    if (!t || (!t->nevents && t->link == NOREG)) return NULL;
    struct places_state *p = cc_alloc(f->cc, sizeof *p);
    *p = (struct places_state){.f = f, .t = t, .words = bits_words(t->n + t->nevents)};
    if (p->words * sizeof(bits) * f->nmblocks > FACTS_LIMIT)
        return NULL; /* the variables of so much code are left out */
    p->in = cc_alloc(f->cc, f->nmblocks * sizeof *p->in);
    p->ir = cc_alloc(f->cc, f->nmblocks * sizeof *p->ir);
    p->lost = cc_alloc(f->cc, f->nmblocks * sizeof *p->lost);
    p->now = cc_alloc(f->cc, p->words * sizeof *p->now);
    p->before = cc_alloc(f->cc, p->words * sizeof *p->before);
    find_places(p);
    find_lost(p);
    uint32_t longest = 0;
    for (uint32_t b = 0; b < f->nmblocks; b++)
        if (f->mblocks[b].n > longest) longest = f->mblocks[b].n;
    p->until = cc_alloc(f->cc, (longest + 1) * sizeof *p->until);
    for (uint32_t b = 0; b < f->nmblocks; b++) {
        p->ir[b] = ir_block(f, &f->mblocks[b]);
        p->in[b] = cc_alloc(f->cc, p->words * sizeof(bits));
        if (b != f->order[0]) memset(p->in[b], 0xff, p->words * sizeof(bits));
        else find_arguments(p, p->in[b]);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < f->norder; i++) changed |= run_block(p, f->order[i]);
    }
    return p;
}

/* A debugger that looks at a caller asks what is true at the call, when the called routine has already written what it
 * writes: what is lost there is lost at the call, too. */
static void walk_call(struct places_state *p, struct minsn *m, void (*at)(void *user, uint32_t word, const bits *facts),
                      void *user, uint32_t word)
{
    memcpy(p->before, p->now, p->words * sizeof *p->now);
    run_insn(p, m);
    for (size_t i = 0; i < p->words; i++) p->before[i] &= p->now[i];
    at(user, word, p->before);
}

void places_walk(struct places_state *p, void (*at)(void *user, uint32_t word, const bits *facts), void *user)
{
    struct func *f = p->f;
    for (uint32_t i = 0; i < f->norder; i++) {
        uint32_t block = f->order[i];
        struct mblock *b = &f->mblocks[block];
        begin_block(p, block);
        for (uint32_t k = 0; k < b->n; k++) {
            run_events(p, block, p->until[k]);
            uint32_t word = k ? b->code[k].word : b->word;
            if (b->code[k].op == OP_JAL) {
                walk_call(p, &b->code[k], at, user, word);
                continue;
            }
            at(user, word, p->now);
            run_insn(p, &b->code[k]);
        }
        run_events(p, block, b->place);
        at(user, b->n ? b->term_word : b->word, p->now);
    }
}
