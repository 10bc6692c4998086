/* The values that variables have, through the stages of the back end: registers are renamed, merged and spilled, and
 * each of these stages says so here. Nothing is kept alive for a variable: with -g the code is the same as without.
 *
 * Merging makes one register of several values. So what a register holds for a variable begins where an instruction
 * makes that value (minsn.made) and ends where another one writes the register; debug/places.c follows that. */
#include "compiler/debug/debug.h"
#include "compiler/select/select.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is recorded of the kernel ---- */

struct begin {
    struct func *f;
    struct debug_track *t;
    struct pairs variables; /* place in the list + 1 */
    uint32_t events_room, variables_room;
};

static uint32_t variable_of(struct begin *b, const struct debug_record *r)
{
    struct debug_track *t = b->t;
    uint32_t *number = pair_number(b->f->cc, &b->variables, r->variable, r->inlined_at);
    if (*number) return *number - 1;
    t->variables = cc_grow(b->f->cc, t->variables, t->nvariables, &b->variables_room, sizeof *t->variables);
    t->variables[t->nvariables] = (struct debug_variable){.node = r->variable, .inlined_at = r->inlined_at};
    *number = ++t->nvariables;
    return t->nvariables - 1;
}

static uint32_t track(struct func *f, int32_t reg)
{
    struct debug_track *t = f->track;
    if (t->number[reg]) return t->number[reg] - 1;
    t->list = cc_grow(f->cc, t->list, t->n, &t->room, sizeof *t->list);
    t->list[t->n] = (struct tracked){.reg = reg, .copies = NOREG, .next_copy = NOREG};
    t->number[reg] = ++t->n;
    return t->n - 1;
}

static struct piece piece_of(struct func *f, struct opd o, uint32_t bytes)
{
    if (is_imm(o)) return (struct piece){bytes, PIECE_CONSTANT, o.imm};
    if (o.reg == 0) return (struct piece){bytes, PIECE_CONSTANT, 0};
    if (o.reg < FIRST_VREG) return (struct piece){bytes, PIECE_LOST, 0}; /* not a value's own */
    return (struct piece){bytes, PIECE_TRACKED, track(f, o.reg)};
}

/* Constants that are nothing but bits: those with addresses in them would need code. */
static bool is_plain_constant(LLVMValueRef v)
{
    return LLVMIsAConstantInt(v) || LLVMIsAConstantFP(v) || LLVMIsAConstantPointerNull(v) ||
           LLVMIsAConstantDataVector(v) || LLVMIsAConstantAggregateZero(v);
}

static bool is_scalar(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
    case LLVMHalfTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
    case LLVMPointerTypeKind: return true;
    default: return false;
    }
}

static const struct opd *parts_of(struct func *f, LLVMValueRef value)
{
    if (is_plain_constant(value)) return parts(f, value);
    uint32_t v = value_of(f, value);
    return v == NO_NODE ? NULL : f->values[v].parts;
}

/* Arguments stay where they came from: a struct, whose address the parameter is, and values that no register holds any
 * more; not the address of local memory, which is computed. */
static void find_argument(struct func *f, LLVMValueRef value, struct event *e)
{
    uint32_t v = value_of(f, value);
    const struct ventus_arg *a = &f->kernel->args[v];
    unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
    uint32_t offset = a->offset;
    if (LLVMGetEnumAttributeAtIndex(f->kernel->function, v + 1, byval)) {
        e->frame = is_imm(f->values[v].parts[0]);
        if (!e->frame) *e->pieces = (struct piece){.bytes = 4, .kind = PIECE_ARGUMENT, .value = offset};
        return;
    }
    for (uint32_t i = 0; i < e->npieces && a->kind != VENTUS_ARG_LOCAL; i++) {
        e->pieces[i].argument = offset + 1;
        offset += e->pieces[i].bytes;
    }
}

/* Each part of a value as a piece of the variable; structs and arrays are not taken apart. */
static void add_pieces(struct func *f, LLVMValueRef value, struct event *e)
{
    LLVMTypeRef type = LLVMTypeOf(value), element = type;
    uint32_t count = 1;
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        element = LLVMGetElementType(type), count = LLVMGetVectorSize(type);
    const struct opd *p = is_scalar(element) ? parts_of(f, value) : NULL;
    if (!p) return;
    uint32_t bytes = (uint32_t)LLVMStoreSizeOfType(f->data, element), per = (bytes + 3) / 4;
    e->pieces = cc_alloc(f->cc, (count * per + 1) * sizeof *e->pieces);
    for (uint32_t i = 0; i < count * per; i++) {
        uint32_t left = bytes - 4 * (i % per);
        e->pieces[e->npieces++] = piece_of(f, p[i], left < 4 ? left : 4);
    }
    if (LLVMIsAArgument(value) && !f->kernel->is_routine) find_argument(f, value, e);
    e->frame |= LLVMIsAAllocaInst(value) != NULL;
}

static void add_event(struct begin *b, const struct debug_record *r)
{
    struct func *f = b->f;
    uint32_t before = value_of(f, r->before);
    if (before == NO_NODE) return; /* code that is never reached */
    struct event e = {
        .place = before + 1, .variable = variable_of(b, r), .record = r, .memory = r->declares, .next = NOREG};
    if (r->value && r->expression.known) add_pieces(f, r->value, &e);
    b->t->events = cc_grow(f->cc, b->t->events, b->t->nevents, &b->events_room, sizeof e);
    b->t->events[b->t->nevents++] = e;
}

/* A parameter that LLVM has lost the value of, but whose only event that was: so nothing is ever assigned to it. */
static void find_parameter(struct func *f, const struct debug_variable *v)
{
    struct event *e = &f->track->events[f->track->first_event[v - f->track->variables]];
    bool own = !v->inlined_at && LLVMDIVariableGetScope(v->node) == LLVMGetSubprogram(f->kernel->function);
    if (!own || e->npieces || e->next != NOREG || e->record->expression.bits) return;
    unsigned long number = strtoul(node_field(f->cc, v->node, "arg: "), NULL, 10);
    const struct ventus_arg *a = number && number <= f->kernel->nargs ? &f->kernel->args[number - 1] : NULL;
    if (!a || (a->kind != VENTUS_ARG_VALUE && a->kind != VENTUS_ARG_GLOBAL && a->kind != VENTUS_ARG_CONSTANT)) return;
    e->memory = true;
    e->npieces = 1;
    e->pieces = cc_alloc(f->cc, sizeof *e->pieces);
    *e->pieces = (struct piece){.bytes = 4, .kind = PIECE_ARGUMENT, .value = a->offset};
}

/* Blocks of the kernel are numbered in another order than LLVM has them; records of one place keep their order, and
 * come behind what was found where ways meet. */
static int by_place(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->place != y->place) return x->place < y->place ? -1 : 1;
    if (x->merged != y->merged) return x->merged ? -1 : 1;
    return x->record < y->record ? -1 : x->record > y->record;
}

static void order_events(struct func *f)
{
    struct debug_track *t = f->track;
    if (t->nevents) qsort(t->events, t->nevents, sizeof *t->events, by_place);
    t->first_event = cc_alloc(f->cc, (t->nvariables + 1) * sizeof *t->first_event);
    memset(t->first_event, 0xff, (t->nvariables + 1) * sizeof *t->first_event);
    for (uint32_t e = t->nevents; e-- > 0;) {
        t->events[e].next = t->first_event[t->events[e].variable];
        t->first_event[t->events[e].variable] = (int32_t)e;
    }
}

static void add_merged(void *user, const struct debug_record *record)
{
    struct begin *b = user;
    add_event(b, record);
    b->t->events[b->t->nevents - 1].merged = true;
}

void track_begin(struct func *f)
{
    struct begin b = {.f = f, .t = cc_alloc(f->cc, sizeof *b.t)};
    struct debug_track *t = f->track = b.t;
    t->number = cc_alloc(f->cc, f->nvregs * sizeof *t->number);
    for (uint32_t i = 0; i < f->cc->nrecords; i++)
        if (f->cc->records[i].function == f->kernel->function) add_event(&b, &f->cc->records[i]);
    t->link = f->kernel->is_routine ? (int32_t)track(f, f->mblocks[f->exit].rs1) : NOREG;
    order_events(f);
    track_merge(f, add_merged, &b);
    order_events(f);
    for (uint32_t v = 0; v < t->nvariables && !f->kernel->is_routine; v++) find_parameter(f, &t->variables[v]);
}

/* ---- registers ---- */

void track_rename(struct func *f, visit_reg visit, void *user)
{
    for (uint32_t i = 0; f->track && i < f->track->n; i++)
        if (f->track->list[i].reg != NOREG) visit(user, &f->track->list[i].reg, false);
}

/* What several instructions make, one after another, of one IR instruction is there behind the last of them. */
static void mark_block(struct mblock *b, uint32_t *made_at)
{
    for (uint32_t i = b->n; i-- > 0;) {
        struct minsn *m = &b->code[i];
        if (m->op == OP_ASM || insn_roles(m->op)->rd < 0 || m->rd < FIRST_VREG) continue;
        if (m->place && made_at[m->rd] == m->place) continue;
        made_at[m->rd] = m->place;
        m->made = m->rd;
    }
}

/* The values of each register: the first by register, the next by value, NOREG: none. */
struct chains {
    int32_t *first, *next;
};

static struct chains chains_make(struct func *f)
{
    const struct debug_track *t = f->track;
    struct chains c = {cc_alloc(f->cc, f->nvregs * sizeof *c.first), cc_alloc(f->cc, (t->n + 1) * sizeof *c.next)};
    memset(c.first, 0xff, f->nvregs * sizeof *c.first); /* NOREG */
    for (uint32_t i = 0; i < t->n; i++) {
        c.next[i] = c.first[t->list[i].reg];
        c.first[t->list[i].reg] = (int32_t)i;
    }
    return c;
}

/* What is broadcast is in a vector register as well, which may keep it for longer: the schedule gives the scalar one to
 * something else in front of the store that the broadcast is for. Vector registers that hold other values, too, are not
 * taken for copies. */
static void add_copies(struct func *f, const struct chains *c, const struct minsn *m)
{
    struct debug_track *t = f->track;
    if (m->op != OP_VMV_V_X || m->rs1 < FIRST_VREG || m->rd < FIRST_VREG || f->vregs[m->rd].ndefs != 1) return;
    for (int32_t i = c->first[m->rs1]; i != NOREG; i = c->next[i]) {
        t->list = cc_grow(f->cc, t->list, t->n, &t->room, sizeof *t->list);
        t->list[t->n] = (struct tracked){.reg = m->rd, .copies = NOREG, .next_copy = t->list[i].copies};
        t->list[i].copies = (int32_t)t->n++;
    }
}

void track_mark(struct func *f)
{
    struct debug_track *t = f->track;
    uint32_t *made_at = cc_alloc(f->cc, f->nvregs * sizeof *made_at);
    struct chains values = chains_make(f);
    count_defs(f);
    for (uint32_t b = 0; b < f->nmblocks; b++) {
        mark_block(&f->mblocks[b], made_at);
        for (uint32_t i = 0; i < f->mblocks[b].n; i++) add_copies(f, &values, &f->mblocks[b].code[i]);
    }
    for (uint32_t i = 0; i < t->n; i++) t->list[i].name = t->list[i].reg;
}

void track_spill(struct func *f, const uint8_t *split)
{
    for (uint32_t i = 0; f->track && i < f->track->n; i++) {
        struct tracked *r = &f->track->list[i];
        if (r->reg == NOREG || !split[r->reg]) continue;
        r->slot = f->vregs[r->reg].slot;
        r->reg = f->vregs[r->reg].home;
    }
}
