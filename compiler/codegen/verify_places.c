/* Does each register hold what is read from it? The code with its final registers is run through once more, keeping
 * book of what each place holds: a place is a scalar register, a vector register, or rpc. What it holds is a set of
 * names of virtual registers, those of the code before registers were merged, which all have the same value.
 *
 * This finds mistakes of liveness, merging and allocation, whose own data it does not use, and of reconverge.c. Lanes
 * that part run one after the other, and scalar registers and rpc are common to them: so on its way into one side of a
 * branch, each place is emptied that the other side may write before lanes meet (rules R2 and R5), unless that is the
 * constant it holds: hoist.c puts these where lanes that have left a loop make them once more for those still in it.
 * Of rpc it is known, too, what it holds wherever lanes come to meet. */
#include "compiler/codegen/codegen.h"

#include <string.h>

enum { PLACE_RPC = ISA_XREGS + ISA_VREGS, PLACES };

/* Never changed once made. NULL is a place that holds nothing certain. */
struct names {
    uint32_t n;
    int32_t name[];
};

/* What a side of a branch may write before lanes meet: scalar registers, and joins to rpc. */
struct written {
    uint64_t scalars, many;    /* many: of the scalar registers those that get more than one constant */
    uint32_t value[ISA_XREGS]; /* of the others: that constant */
    uint32_t rpc;              /* NO_NODE: none, MANY: several ones */
};

/* A register before merging: the number of its definitions, and its value if that is a constant. */
struct known {
    uint32_t ndefs, value;
    bool constant;
};
enum { MANY = UINT32_MAX - 1 };

struct places {
    struct func *f;
    const struct mblock *before;
    struct known *known; /* by register */
    const struct names **
        *in; /* by block: what the places hold at its start; NULL as long as nothing is known to come */
    const struct names **now;
    bool *waiting; /* blocks to be looked at (again) */
    struct written *written;
    uint32_t *written_for; /* by block: the join + 1 that `written` is about */
    uint32_t *list, nlist;
    uint32_t block, index;
    const int32_t *final; /* registers of the current instruction, as visited */
    uint32_t nfinal, visited;
};

static _Noreturn void broken(const struct places *p, const char *what, int32_t name)
{
    cc_error(p->f->cc, CC_INTERNAL, NULL, "registers are wrong: kernel %s, block %u, instruction %u: %s %d",
             p->f->kernel->name, p->block, p->index, what, name);
}

/* ---- sets of names ---- */

static bool holds(const struct names *s, int32_t name)
{
    for (uint32_t i = 0; s && i < s->n; i++)
        if (s->name[i] == name) return true;
    return false;
}

static struct names *names_alloc(struct func *f, uint32_t n)
{
    return cc_alloc(f->cc, sizeof(struct names) + n * sizeof(int32_t));
}

/* The names in `s`, and one more. */
static const struct names *with(struct func *f, const struct names *s, int32_t name)
{
    if (holds(s, name)) return s;
    struct names *out = names_alloc(f, (s ? s->n : 0) + 1);
    for (uint32_t i = 0; s && i < s->n; i++) out->name[out->n++] = s->name[i];
    out->name[out->n++] = name;
    return out;
}

static const struct names *in_both(struct func *f, const struct names *a, const struct names *b)
{
    uint32_t common = 0;
    for (uint32_t i = 0; a && i < a->n; i++) common += holds(b, a->name[i]);
    if (!common) return NULL;
    if (common == a->n) return a;
    struct names *out = names_alloc(f, common);
    for (uint32_t i = 0; i < a->n; i++)
        if (holds(b, a->name[i])) out->name[out->n++] = a->name[i];
    return out;
}

/* ---- one instruction ---- */

static uint32_t place_of(const struct places *p, int32_t reg)
{
    const struct vreg *v = &p->f->vregs[reg];
    uint32_t end = v->cls == CLASS_S ? ISA_XREGS : ISA_VREGS;
    if (v->phys < 0 || (uint32_t)v->phys >= end) broken(p, "no place for register", reg);
    if (v->direct && v->phys > 31) broken(p, "a place behind a prefix for register", reg);
    const struct isa_registers *r = &p->f->reserved;
    bool reserved = v->cls == CLASS_S ? r->x >> v->phys & 1 : r->v[v->phys / 64] >> v->phys % 64 & 1;
    if (reserved && !v->fixed) broken(p, "a place that is reserved for register", reg);
    return (uint32_t)v->phys + (v->cls == CLASS_S ? 0 : ISA_XREGS);
}

/* The register that took the place of the one visited: the code is the same, so they come in the same order. */
static uint32_t final_place(struct places *p, int32_t name)
{
    if (p->visited == p->nfinal) broken(p, "an instruction has changed that names register", name);
    return place_of(p, p->final[p->visited++]);
}

static void check_use(void *user, int32_t *name, bool is_def)
{
    struct places *p = user;
    uint32_t place = final_place(p, *name);
    const struct vreg *v = &p->f->vregs[*name];
    if (is_def || v->fixed || v->undefined) return;
    if (!holds(p->now[place], *name)) broken(p, "the place has something else than register", *name);
}

static void note_def(void *user, int32_t *name, bool is_def)
{
    struct places *p = user;
    uint32_t place = final_place(p, *name);
    if (is_def) p->now[place] = with(p->f, NULL, *name);
}

struct registers {
    struct func *f;
    int32_t *list;
    uint32_t n, room;
};

static void list_register(void *user, int32_t *reg, bool is_def)
{
    struct registers *r = user;
    (void)is_def;
    r->list = cc_grow(r->f->cc, r->list, r->n, &r->room, sizeof *r->list);
    r->list[r->n++] = *reg;
}

static void run_visits(struct places *p, struct minsn *before, visit_reg visit)
{
    p->visited = 0;
    visit_insn(before, visit, p);
}

/* A copy of a register to itself: its place holds both. */
static bool stays(struct places *p, const struct minsn *before)
{
    if (!is_copy(before)) return false;
    uint32_t place = place_of(p, p->final[1]);
    if (place_of(p, p->final[0]) != place) return false;
    p->now[place] = with(p->f, p->now[place], before->rd);
    return true;
}

/* The scalar registers that a call of a routine writes. */
static uint64_t scalars_called(const struct func *f, const struct minsn *call)
{
    return f->cc->routines[call->imm].code.written.x | 1ull << REG_LINK;
}

static void run_call(struct places *p, const struct minsn *call)
{
    const struct code *c = &p->f->cc->routines[call->imm].code;
    for (uint32_t i = 0; i < ISA_XREGS; i++)
        if (scalars_called(p->f, call) >> i & 1) p->now[i] = NULL;
    for (uint32_t i = 0; i < ISA_VREGS; i++)
        if (c->written.v[i / 64] >> i % 64 & 1) p->now[ISA_XREGS + i] = NULL;
    if (c->sets_rpc) p->now[PLACE_RPC] = NULL;
}

static void run_insn(struct places *p, struct minsn *before, struct minsn *after)
{
    struct registers r = {.f = p->f};
    if (before->op == OP_JAL) run_call(p, before);
    visit_insn(after, list_register, &r);
    p->final = r.list;
    p->nfinal = r.n;
    bool early = before->op == OP_ASM && before->text->early; /* writes before it has read everything */
    if (early) run_visits(p, before, note_def);
    run_visits(p, before, check_use);
    if (!early && !stays(p, before)) run_visits(p, before, note_def);
}

/* ---- constants ---- */

static void count_def(void *user, int32_t *reg, bool is_def)
{
    struct places *p = user;
    p->known[*reg].ndefs += is_def;
}

/* Notes the constant that an instruction computes from no register, or from one with a known constant. */
static void note_constant(struct places *p, const struct minsn *m)
{
    if ((m->op != OP_LUI && m->op != OP_ADDI) || p->known[m->rd].ndefs != 1) return;
    bool alone = m->op == OP_LUI || m->rs1 == 0;
    uint32_t from = alone ? 0 : p->known[m->rs1].value;
    if (alone || p->known[m->rs1].constant) p->known[m->rd] = (struct known){1, from + (uint32_t)m->imm, true};
}

/* In the order of the layout, in which a constant's only definition comes before its uses. */
static void find_constants(struct places *p)
{
    struct func *f = p->f;
    p->known = cc_alloc(f->cc, f->nvregs * sizeof *p->known);
    for (uint32_t i = 0; i < f->norder; i++) {
        const struct mblock *b = &p->before[f->order[i]];
        for (uint32_t k = 0; k < b->n; k++) visit_insn(&b->code[k], count_def, p);
    }
    for (uint32_t i = 0; i < f->norder; i++) {
        const struct mblock *b = &p->before[f->order[i]];
        for (uint32_t k = 0; k < b->n; k++) note_constant(p, &b->code[k]);
    }
}

/* ---- what one side of a branch does to the other ---- */

static void add_constant(struct written *to, uint32_t place, uint32_t value)
{
    bool other = to->scalars >> place & 1 && to->value[place] != value;
    to->scalars |= 1ull << place;
    to->many |= (uint64_t)other << place;
    to->value[place] = value;
}

static void add_written(struct written *to, const struct written *w)
{
    to->many |= w->many;
    for (uint64_t left = w->scalars & ~to->many; left; left &= left - 1) {
        uint32_t place = (uint32_t)__builtin_ctzll(left);
        add_constant(to, place, w->value[place]);
    }
    to->scalars |= w->scalars;
    if (w->rpc == NO_NODE || to->rpc == w->rpc) return;
    to->rpc = to->rpc == NO_NODE ? w->rpc : MANY;
}

static void add_unknown(struct written *to, uint64_t scalars)
{
    to->scalars |= scalars;
    to->many |= scalars;
}

static void note_scalar(void *user, int32_t *reg, bool is_def)
{
    struct places *p = user;
    const struct mblock *b = &p->before[p->block];
    if (!is_def || p->f->vregs[*reg].cls != CLASS_S) return;
    uint32_t place = place_of(p, *reg);
    const struct known *c = b->code[p->index].op == OP_ASM ? NULL : &p->known[b->code[p->index].rd];
    if (c && c->constant) add_constant(&p->written[p->block], place, c->value);
    else add_unknown(&p->written[p->block], 1ull << place);
}

/* What the block itself writes; it goes on the list of those before the join. */
static void enter(struct places *p, uint32_t block, uint32_t join)
{
    struct mblock *b = &p->f->mblocks[block];
    struct written *w = &p->written[block];
    if (block == join || p->written_for[block] == join + 1) return;
    p->written_for[block] = join + 1;
    w->scalars = w->many = 0;
    w->rpc = b->calls_rpc ? MANY : b->sets_rpc ? b->rpc : NO_NODE;
    p->block = block;
    for (p->index = 0; p->index < b->n; p->index++) {
        visit_insn(&b->code[p->index], note_scalar, p);
        if (b->code[p->index].op == OP_JAL) add_unknown(w, scalars_called(p->f, &b->code[p->index]));
    }
    p->list[p->nlist++] = block;
}

/* Fills p->written for all blocks that lanes run from here to the join. */
static void collect_written(struct places *p, uint32_t from, uint32_t join)
{
    uint32_t to[2];
    p->nlist = 0;
    enter(p, from, join);
    for (uint32_t i = 0; i < p->nlist; i++)
        for (uint32_t n = block_successors(&p->f->mblocks[p->list[i]], to); n--;) enter(p, to[n], join);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = p->nlist; i--;) {
            struct written *w = &p->written[p->list[i]];
            uint64_t scalars = w->scalars, many = w->many;
            uint32_t rpc = w->rpc;
            for (uint32_t n = block_successors(&p->f->mblocks[p->list[i]], to); n--;)
                if (to[n] != join) add_written(w, &p->written[to[n]]);
            changed |= w->scalars != scalars || w->many != many || w->rpc != rpc;
        }
    }
}

/* Those names in `s` that stand for the constant `value`. */
static const struct names *that_are(struct places *p, const struct names *s, uint32_t value)
{
    const struct names *out = NULL;
    for (uint32_t i = 0; s && i < s->n; i++) {
        const struct known *c = &p->known[s->name[i]];
        if (c->constant && c->value == value) out = with(p->f, out, s->name[i]);
    }
    return out;
}

static void empty_written(struct places *p, const struct written *w, const struct names *rpc_at_join)
{
    for (uint32_t i = 0; i < ISA_XREGS; i++)
        if (w->many >> i & 1) p->now[i] = NULL;
        else if (w->scalars >> i & 1) p->now[i] = that_are(p, p->now[i], w->value[i]);
    if (w->rpc != NO_NODE && !holds(p->now[PLACE_RPC], (int32_t)w->rpc))
        p->now[PLACE_RPC] = in_both(p->f, p->now[PLACE_RPC], rpc_at_join);
}

/* ---- blocks ---- */

/* Lanes come to a join with another rpc than before: those that wait for them at branches go on with that. */
static void tell_branches(struct places *p, uint32_t join)
{
    for (uint32_t i = 0; i < p->f->norder; i++) {
        const struct mblock *b = &p->f->mblocks[p->f->order[i]];
        if (b->divergent && b->rpc == join && p->in[p->f->order[i]]) p->waiting[p->f->order[i]] = true;
    }
}

/* The places come to `block` as they are now, or with what other ways leave in common. */
static void arrive(struct places *p, uint32_t block)
{
    const struct names *rpc = p->in[block] ? p->in[block][PLACE_RPC] : NULL;
    if (p->f->mblocks[block].join && (!p->in[block] || in_both(p->f, rpc, p->now[PLACE_RPC]) != rpc))
        tell_branches(p, block);
    if (!p->in[block]) {
        p->in[block] = cc_alloc(p->f->cc, PLACES * sizeof **p->in);
        memcpy(p->in[block], p->now, PLACES * sizeof **p->in);
        p->waiting[block] = true;
        return;
    }
    for (uint32_t i = 0; i < PLACES; i++) {
        const struct names *common = in_both(p->f, p->in[block][i], p->now[i]);
        p->waiting[block] |= common != p->in[block][i];
        p->in[block][i] = common;
    }
}

static void leave_divergent(struct places *p, uint32_t block)
{
    const struct mblock *b = &p->f->mblocks[block];
    const struct names *end[PLACES];
    if (!holds(p->now[PLACE_RPC], (int32_t)b->rpc)) broken(p, "rpc is not block", (int32_t)b->rpc);
    memcpy(end, p->now, sizeof end);
    for (unsigned way = 0; way < 2; way++) {
        uint32_t other = b->succ[!way];
        memcpy(p->now, end, sizeof end);
        if (other != b->rpc) {
            if (p->written_for[other] != b->rpc + 1) collect_written(p, other, b->rpc);
            const struct names *const *join = p->in[b->rpc]; /* of which nothing is known before lanes come there */
            empty_written(p, &p->written[other], join ? join[PLACE_RPC] : p->now[PLACE_RPC]);
        }
        arrive(p, b->succ[way]);
    }
}

static void run_block(struct places *p, uint32_t block)
{
    struct mblock *b = &p->f->mblocks[block], before = p->before[block], after = *b;
    struct registers r = {.f = p->f};
    p->waiting[block] = false;
    p->block = block;
    memcpy(p->now, p->in[block], PLACES * sizeof *p->now);
    for (p->index = 0; p->index < b->n; p->index++) run_insn(p, &before.code[p->index], &b->code[p->index]);
    visit_term(&after, list_register, &r);
    p->final = r.list;
    p->nfinal = r.n;
    p->visited = 0;
    visit_term(&before, check_use, p);
    if (b->sets_rpc) p->now[PLACE_RPC] = with(p->f, NULL, (int32_t)b->rpc);
    if (b->divergent) leave_divergent(p, block);
    else {
        uint32_t to[2];
        for (uint32_t n = block_successors(b, to); n--;) arrive(p, to[n]);
    }
}

void verify_places(struct func *f, const struct mblock *before)
{
    struct places p = {.f = f, .before = before};
    p.in = cc_alloc(f->cc, f->nmblocks * sizeof *p.in);
    p.now = cc_alloc(f->cc, PLACES * sizeof *p.now);
    p.waiting = cc_alloc(f->cc, f->nmblocks * sizeof *p.waiting);
    p.written = cc_alloc(f->cc, f->nmblocks * sizeof *p.written);
    p.written_for = cc_alloc(f->cc, f->nmblocks * sizeof *p.written_for);
    p.list = cc_alloc(f->cc, f->nmblocks * sizeof *p.list);
    find_constants(&p);
    arrive(&p, f->order[0]);
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < f->norder; i++) {
            if (!p.waiting[f->order[i]]) continue;
            run_block(&p, f->order[i]);
            again = true;
        }
    }
}

/* ---- the copy ---- */

static void copy_text(struct func *f, struct minsn *m)
{
    struct asm_text *t = cc_alloc(f->cc, sizeof *t);
    *t = *m->text;
    t->values = cc_alloc(f->cc, (t->nvalues + 1) * sizeof *t->values);
    for (uint32_t i = 0; i < t->nvalues; i++) {
        const struct asm_value *from = &m->text->values[i];
        t->values[i] = *from;
        t->values[i].regs = cc_alloc(f->cc, (from->nregs + 1) * sizeof *from->regs);
        for (uint32_t k = 0; k < from->nregs; k++) t->values[i].regs[k] = from->regs[k];
    }
    m->text = t;
}

struct mblock *verify_copy(struct func *f)
{
    struct mblock *out = cc_alloc(f->cc, f->nmblocks * sizeof *out);
    for (uint32_t b = 0; b < f->nmblocks; b++) {
        out[b] = f->mblocks[b];
        out[b].code = cc_alloc(f->cc, (out[b].n + 1) * sizeof *out[b].code);
        for (uint32_t i = 0; i < out[b].n; i++) {
            out[b].code[i] = f->mblocks[b].code[i];
            if (out[b].code[i].op == OP_ASM) copy_text(f, &out[b].code[i]);
        }
    }
    return out;
}
