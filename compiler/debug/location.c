/* Locations of variables as expressions of DWARF, each for the instructions at which it is right.
 *
 * A debugger shows a work-item as a thread: so a value that differs between lanes is in vector register N, of 32 bits,
 * whose lane is the thread's own, and a uniform one in scalar register N. What debuggers have no common number for is
 * memory to them, in the window of isa/abi.h. Private memory is counted from the frame base (debug.c).
 * docs/debugging.md says all that to users. */
#include "compiler/debug/debug.h"

#include <string.h>

struct open {
    uint32_t from; /* word */
    struct bytes expression;
};

struct writer {
    struct func *f;
    const struct debug_track *t;
    bits *facts;       /* as they were at the instruction before */
    struct open *open; /* by variable */
    uint32_t *changed, nchanged;
    uint8_t *is_changed;
    struct graph users; /* edges from tracked values to the variables made of them */
};

enum { VARIABLE_TYPE = 3 };

LLVMMetadataRef variable_type(struct cc *cc, LLVMMetadataRef node) { return node_operand(cc, node, VARIABLE_TYPE); }

/* ---- expressions ---- */

static void put_frame(struct cc *cc, struct bytes *b, uint32_t offset)
{
    put_u8(cc, b, DW_OP_fbreg);
    put_sleb(cc, b, offset);
}

void put_window(struct cc *cc, struct bytes *b, uint32_t address)
{
    put_u8(cc, b, DW_OP_breg0 + REG_TP);
    put_sleb(cc, b, address);
}

struct home debug_home(const struct func *f, int32_t reg)
{
    uint32_t n = (uint32_t)f->vregs[reg].phys;
    bool v = f->vregs[reg].cls == CLASS_V;
    if (n >= 32) return (struct home){.memory = true, .at = v ? abi_window_v(n) : abi_window_x(n)};
    return (struct home){.at = v ? abi_dwarf_v(n) : abi_dwarf_x(n)};
}

static void put_home(struct cc *cc, struct bytes *b, struct home home)
{
    if (home.memory) {
        put_window(cc, b, home.at);
        return;
    }
    put_u8(cc, b, DW_OP_regx);
    put_uleb(cc, b, home.at);
}

static void push_home(struct cc *cc, struct bytes *b, struct home home)
{
    if (home.memory) {
        put_window(cc, b, home.at);
        put_u8(cc, b, DW_OP_deref);
        return;
    }
    put_u8(cc, b, DW_OP_bregx);
    put_uleb(cc, b, home.at);
    put_sleb(cc, b, 0);
}

/* The value of a piece, or a copy of it, that is in its place; NULL: none. */
static const struct tracked *found(const struct writer *w, const struct piece *p)
{
    const struct tracked *list = w->t->list;
    if (bit_test(w->facts, p->value)) return &list[p->value];
    int32_t copy = list[p->value].copies;
    while (copy != NOREG && !bit_test(w->facts, (uint32_t)copy)) copy = list[copy].next_copy;
    return copy == NOREG ? NULL : &list[copy];
}

static bool is_there(const struct writer *w, const struct piece *p)
{
    return p->kind == PIECE_TRACKED ? found(w, p) != NULL : p->kind != PIECE_LOST;
}

static bool is_known(const struct writer *w, const struct piece *p) { return is_there(w, p) || p->argument; }

/* The address of an argument: word ABI_META_ARGS of the metadata block is that of all of them. */
static void push_argument(struct cc *cc, struct bytes *b, uint32_t offset)
{
    put_window(cc, b, abi_window_csr(CSR_KNL));
    put_u8(cc, b, DW_OP_deref);
    put_u8(cc, b, DW_OP_plus_uconst);
    put_uleb(cc, b, ABI_META_ARGS);
    put_u8(cc, b, DW_OP_deref);
    put_u8(cc, b, DW_OP_plus_uconst);
    put_uleb(cc, b, offset);
}

static void put_constant(struct cc *cc, struct bytes *b, uint32_t value)
{
    put_u8(cc, b, DW_OP_constu);
    put_uleb(cc, b, value);
}

/* Pushes a value of 32 bits. */
static void push(const struct writer *w, struct bytes *b, const struct event *e)
{
    struct cc *cc = w->f->cc;
    const struct piece *p = e->pieces;
    const struct tracked *r = p->kind == PIECE_TRACKED ? found(w, p) : NULL;
    if (p->kind == PIECE_ARGUMENT) {
        push_argument(cc, b, p->value);
    } else if (!is_there(w, p)) {
        push_argument(cc, b, p->argument - 1);
        put_u8(cc, b, DW_OP_deref);
    } else if (p->kind == PIECE_CONSTANT && e->frame) {
        put_frame(cc, b, p->value);
    } else if (p->kind == PIECE_CONSTANT) {
        put_constant(cc, b, p->value);
    } else if (r->reg == NOREG) {
        put_frame(cc, b, r->slot);
        put_u8(cc, b, DW_OP_deref);
    } else {
        push_home(cc, b, debug_home(w->f, r->reg));
    }
}

/* Where a piece of a variable is; nothing if that is not known. */
static void put_piece(const struct writer *w, struct bytes *b, const struct piece *p)
{
    struct cc *cc = w->f->cc;
    const struct tracked *r = p->kind == PIECE_TRACKED ? found(w, p) : NULL;
    if (!is_known(w, p)) return;
    if (!is_there(w, p)) {
        push_argument(cc, b, p->argument - 1);
    } else if (p->kind == PIECE_CONSTANT) {
        put_constant(cc, b, p->value);
        put_u8(cc, b, DW_OP_stack_value);
    } else if (r->reg == NOREG) {
        put_frame(cc, b, r->slot);
    } else {
        put_home(cc, b, debug_home(w->f, r->reg));
    }
}

static void put_ops(struct cc *cc, struct bytes *b, const struct debug_op *ops, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        put_u8(cc, b, ops[i].op);
        if (ops[i].op == DW_OP_consts) put_sleb(cc, b, (int64_t)ops[i].operand);
        else if (ops[i].op == DW_OP_constu || ops[i].op == DW_OP_plus_uconst) put_uleb(cc, b, ops[i].operand);
    }
}

/* A variable that is computed, or in memory at an address that is. Values of less than 32 bits have anything in the
 * rest of their register, so nothing is computed from them. */
static void put_computed(const struct writer *w, struct bytes *b, const struct event *e)
{
    const struct debug_expression *x = &e->record->expression;
    struct cc *cc = w->f->cc;
    uint32_t n = x->n;
    bool memory = e->memory;
    if (e->npieces != 1 || e->pieces->bytes != 4 || !is_known(w, e->pieces)) return;
    if (n && x->ops[n - 1].op == DW_OP_stack_value) n--;
    else if (n && !memory && x->ops[n - 1].op == DW_OP_deref) n--, memory = true;
    push(w, b, e);
    put_ops(cc, b, x->ops, n);
    if (!memory) put_u8(cc, b, DW_OP_stack_value);
}

/* A piece that is nowhere. One of bytes is zeros to lldb 19, so that is for what lies between the members; one of bits
 * is a mistake to it, so that it shows nothing of the variable, while gdb shows the rest. */
static void put_gap(struct cc *cc, struct bytes *b, LLVMMetadataRef variable, uint32_t at, uint32_t bytes)
{
    bool padding = !type_uses(cc, variable_type(cc, variable), at, (int64_t)at + bytes);
    put_u8(cc, b, padding ? DW_OP_piece : DW_OP_bit_piece);
    put_uleb(cc, b, padding ? bytes : 8 * bytes);
    if (!padding) put_uleb(cc, b, 0); /* the bit where it begins */
}

/* Ends a piece, byte `at` of the variable, whose location is what comes behind byte `begin` of the expression. */
static void end_piece(struct cc *cc, struct bytes *b, LLVMMetadataRef variable, uint32_t begin, uint32_t at,
                      uint32_t bytes)
{
    if (b->n == begin) {
        put_gap(cc, b, variable, at, bytes);
        return;
    }
    put_u8(cc, b, DW_OP_piece);
    put_uleb(cc, b, bytes);
}

/* What an event says, as one location or, where it is in pieces or itself a piece, as all of them. The byte of the
 * variable behind its pieces; 0: it has none. */
static uint32_t put_event(const struct writer *w, struct bytes *b, const struct event *e, LLVMMetadataRef variable)
{
    bool computed = e->memory || e->record->expression.n || e->frame, part = e->record->expression.bits != 0;
    struct cc *cc = w->f->cc;
    uint32_t left = e->record->expression.bits / 8, at = e->record->expression.first_bit / 8, begin = b->n;
    if (computed) put_computed(w, b, e);
    for (uint32_t i = 0; i < e->npieces && !computed; i++) {
        uint32_t bytes = e->pieces[i].bytes;
        begin = b->n;
        put_piece(w, b, &e->pieces[i]);
        if (e->npieces == 1 && !part) return 0;
        if (part && (bytes > left || i + 1 == e->npieces)) bytes = left;
        left -= bytes;
        end_piece(cc, b, variable, begin, at, bytes);
        at += bytes;
    }
    if (!part || (!computed && e->npieces)) return computed ? 0 : at;
    end_piece(cc, b, variable, begin, at, left);
    return at + left;
}

static bool holds(const struct writer *w, const struct event *e)
{
    return bit_test(w->facts, w->t->n + (uint32_t)(e - w->t->events));
}

static bool knows_something(const struct writer *w, const struct event *e)
{
    for (uint32_t i = 0; i < e->npieces; i++)
        if (is_known(w, &e->pieces[i])) return true;
    return false;
}

/* The event that holds for the part of a variable with the lowest bit from `bit` on; NULL: none. */
static const struct event *part_from(const struct writer *w, uint32_t variable, uint32_t bit)
{
    const struct event *best = NULL;
    for (int32_t i = w->t->first_event[variable]; i != NOREG; i = w->t->events[i].next) {
        const struct event *e = &w->t->events[i];
        if (!holds(w, e) || e->record->expression.first_bit < bit) continue;
        if (!best || e->record->expression.first_bit < best->record->expression.first_bit) best = e;
    }
    return best;
}

/* Where a variable is now: empty if not known. */
static struct bytes expression_of(const struct writer *w, uint32_t variable)
{
    struct cc *cc = w->f->cc;
    struct bytes b = {0};
    LLVMMetadataRef node = w->t->variables[variable].node;
    bool known = false;
    uint32_t bit = 0, end = 0;
    for (const struct event *e; (e = part_from(w, variable, bit));) {
        const struct debug_expression *x = &e->record->expression;
        if (x->first_bit > bit) put_gap(cc, &b, node, bit / 8, (x->first_bit - bit) / 8);
        end = put_event(w, &b, e, node);
        known |= knows_something(w, e);
        if (!x->bits) break;
        bit = x->first_bit + x->bits;
    }
    if (!known) return (struct bytes){0};
    uint32_t bytes = end ? type_bytes(cc, variable_type(cc, node)) : 0;
    if (bytes > end) put_gap(cc, &b, node, end, bytes - end);
    return b;
}

/* ---- from instruction to instruction ---- */

static void close_location(struct writer *w, uint32_t variable, uint32_t word)
{
    struct debug_variable *v = &w->t->variables[variable];
    struct open *o = &w->open[variable];
    if (!o->expression.n || o->from == word) return;
    v->spans = cc_grow(w->f->cc, v->spans, v->nspans, &v->spans_room, sizeof *v->spans);
    v->expressions = cc_grow(w->f->cc, v->expressions, v->nspans, &v->expressions_room, sizeof *v->expressions);
    v->spans[v->nspans] = (struct span){4 * o->from, 4 * word};
    v->expressions[v->nspans++] = o->expression;
}

static void update(struct writer *w, uint32_t variable, uint32_t word)
{
    struct open *o = &w->open[variable];
    struct bytes now = expression_of(w, variable);
    if (now.n == o->expression.n && (!now.n || !memcmp(now.data, o->expression.data, now.n))) return;
    close_location(w, variable, word);
    *o = (struct open){word, now};
}

static void note_change(struct writer *w, uint32_t variable)
{
    if (w->is_changed[variable]) return;
    w->is_changed[variable] = 1;
    w->changed[w->nchanged++] = variable;
}

static void note_fact(struct writer *w, uint32_t fact)
{
    if (fact >= w->t->n) {
        note_change(w, w->t->events[fact - w->t->n].variable);
        return;
    }
    for (uint32_t i = w->users.first[fact]; i < w->users.first[fact + 1]; i++) note_change(w, w->users.to[i]);
}

static void at_word(void *user, uint32_t word, const bits *facts)
{
    struct writer *w = user;
    uint32_t nfacts = w->t->n + w->t->nevents;
    w->nchanged = 0;
    for (size_t i = 0; i < bits_words(nfacts); i++) {
        bits changed = facts[i] ^ w->facts[i];
        w->facts[i] = facts[i];
        for (; changed; changed &= changed - 1) {
            uint32_t fact = (uint32_t)(64 * i) + (uint32_t)__builtin_ctzll(changed);
            if (fact < nfacts) note_fact(w, fact);
        }
    }
    for (uint32_t i = 0; i < w->nchanged; i++) {
        update(w, w->changed[i], word);
        w->is_changed[w->changed[i]] = 0;
    }
}

static void find_users(struct writer *w)
{
    const struct debug_track *t = w->t;
    struct edges users = {0};
    for (uint32_t e = 0; e < t->nevents; e++)
        for (uint32_t i = 0; i < t->events[e].npieces; i++) {
            const struct piece *p = &t->events[e].pieces[i];
            if (p->kind != PIECE_TRACKED) continue;
            edges_add(w->f->cc, &users, p->value, t->events[e].variable);
            for (int32_t k = t->list[p->value].copies; k != NOREG; k = t->list[k].next_copy)
                edges_add(w->f->cc, &users, (uint32_t)k, t->events[e].variable);
        }
    w->users = graph_make(w->f->cc, t->n, users.list, users.n);
}

void locations_write(struct func *f, struct places_state *state)
{
    const struct debug_track *t = f->track;
    struct writer w = {.f = f, .t = t};
    w.facts = cc_alloc(f->cc, bits_words(t->n + t->nevents) * sizeof(bits));
    w.open = cc_alloc(f->cc, t->nvariables * sizeof *w.open);
    w.changed = cc_alloc(f->cc, t->nvariables * sizeof *w.changed);
    w.is_changed = cc_alloc(f->cc, t->nvariables);
    find_users(&w);
    places_walk(state, at_word, &w);
    for (uint32_t v = 0; v < t->nvariables; v++) close_location(&w, v, f->kernel->code.nwords);
    f->kernel->code.debug->variables = t->variables;
    f->kernel->code.debug->nvariables = t->nvariables;
}
