/* Which bits of registers nobody has set, followed through instructions and memory.
 *
 * Copying undefined bits is no mistake: compilers copy padding and save registers. It is one to let them
 * decide a branch, an address or a control register, to do an atomic operation on them, or to store the result of
 * arithmetic with them into memory that others see. After a report the value counts as defined, so that one mistake
 * gives one report. Results err on the side of "defined": matrices, copies and ray tables define what they
 * write. How undefined bits spread follows from the expression in the instruction table. */
#include <stdlib.h>
#include <string.h>

#include "check/parts.h"
#include "sim/elements.h"

/* ---- what an operation does with its sources ---- */

enum rule { ANY, MOVE, AND, OR, XOR, UPWARD, SHIFT_LEFT, SHIFT_RIGHT, SHIFT_SIGNED, MERGE };
enum source { NO_SOURCE, X1, X2, X3, V1, V2, V3, VD, IMM };

/* Forms of expressions: A and B stand for operands. UPWARD: a bit of the result depends on the bits of the
 * sources up to its place. What fits none of them depends on every bit. */
// clang-format off
static const struct { const char *form; enum rule rule; } forms[] = {
    {"A", MOVE}, {"A & B", AND}, {"A | B", OR}, {"A ^ B", XOR}, {"A + B", UPWARD}, {"A - B", UPWARD},
    {"A << shamt(B)", SHIFT_LEFT}, {"A >> shamt(B)", SHIFT_RIGHT}, {"sra(A, shamt(B))", SHIFT_SIGNED}, {"mask_bit ? A : B", MERGE},
};
static const struct { const char *name; enum source source; } operands[] = {
    {"vs1", V1}, {"vs2", V2}, {"vs3", V3}, {"vd", VD}, {"rs1", X1}, {"rs2", X2}, {"rs3", X3}, {"imm", IMM},
    {"s", V2}, /* of atomics */
};
// clang-format on

struct use {
    uint8_t rule, a, b; /* enum rule, enum source */
    uint8_t nsources;
    uint8_t sources[4]; /* registers that the result depends on */
    bool to_v, masked;
};

static enum source operand_of(const char **text)
{
    for (size_t i = 0; i < sizeof operands / sizeof *operands; i++) {
        size_t n = strlen(operands[i].name);
        if (strncmp(*text, operands[i].name, n)) continue;
        *text += n;
        return operands[i].source;
    }
    return NO_SOURCE;
}

/* Does an expression have this form? Then the operands are in *a and *b. */
static bool matches(const char *form, const char *expr, uint8_t *a, uint8_t *b)
{
    for (; *form; form++) {
        if (*form == 'A' || *form == 'B') {
            enum source s = operand_of(&expr);
            if (s == NO_SOURCE) return false;
            *(*form == 'A' ? a : b) = (uint8_t)s;
        } else if (*expr++ != *form) {
            return false;
        }
    }
    return !*expr;
}

static void add_source(struct use *u, enum source s)
{
    for (unsigned i = 0; i < u->nsources; i++)
        if (u->sources[i] == s) return;
    if (u->nsources < sizeof u->sources) u->sources[u->nsources++] = (uint8_t)s;
}

static void add_sources(struct use *u, const struct isa_effects *e)
{
    static const enum source scalar[] = {[ROLE_RS1] = X1, [ROLE_RS2] = X2, [ROLE_RS3] = X3};
    static const enum source vector[] = {[ROLE_RS1] = V1, [ROLE_RS2] = V2, [ROLE_RS3] = V3};
    for (unsigned role = ROLE_RS1; role <= ROLE_RS3; role++) {
        if (e->scalars & e->reads & 1u << role) add_source(u, scalar[role]);
        if (e->vectors & e->reads & 1u << role) add_source(u, vector[role]);
    }
    if (e->vectors & e->reads & 1u << ROLE_RD) add_source(u, VD);
}

static struct use use_of(unsigned op)
{
    const struct isa_desc *row = &isa_table[op];
    struct isa_effects e = isa_effects(&(struct insn){.op = (uint16_t)op, .vm = 1}, ISA_LANES);
    struct use u = {.rule = ANY, .masked = row->flags & ISA_V0};
    u.to_v = e.vectors & e.writes;
    add_sources(&u, &e);
    for (size_t i = 0; i < sizeof forms / sizeof *forms && u.rule == ANY; i++)
        if (matches(forms[i].form, row->expr, &u.a, &u.b)) u.rule = (uint8_t)forms[i].rule;
    return u;
}

bool values_init(struct check *c)
{
    c->uses = calloc(OP_COUNT, sizeof *c->uses);
    for (unsigned op = 1; op < OP_COUNT && c->uses; op++) c->uses[op] = use_of(op);
    return c->uses != NULL;
}

/* ---- registers ---- */

static struct origin *x_origin(struct check *c, const struct warp *w, unsigned reg)
{
    return &c->group->warps[w->wid].x[reg % ISA_XREGS];
}

/* Lanes with undefined bits. A register that the launch does not have counts as defined: the instruction faults. */
static uint32_t v_undefined(const struct check *c, const struct warp *w, unsigned reg)
{
    return reg < w->group->launch->vgprs ? c->group->warps[w->wid].undefined[reg] : 0;
}

static struct origin v_get(const struct check *c, const struct warp *w, unsigned reg, uint32_t lane)
{
    return v_undefined(c, w, reg) >> lane & 1 ? c->group->warps[w->wid].v[reg][lane] : (struct origin){0};
}

static void v_define(struct check *c, const struct warp *w, unsigned reg, uint32_t lanes)
{
    if (reg < w->group->launch->vgprs) c->group->warps[w->wid].undefined[reg] &= ~lanes;
}

static void v_put(struct check *c, const struct warp *w, unsigned reg, uint32_t lane, struct origin o)
{
    v_define(c, w, reg, 1u << lane);
    if (!o.undefined || reg >= w->group->launch->vgprs) return;
    c->group->warps[w->wid].undefined[reg] |= 1u << lane;
    c->group->warps[w->wid].v[reg][lane] = o;
}

static struct origin register_origin(struct check *c, const struct warp *w, const struct insn *in, enum source s,
                                     uint32_t lane, unsigned half)
{
    switch (s) {
    case X1: return in->rs1 + half ? *x_origin(c, w, in->rs1 + half) : (struct origin){0};
    case X2: return in->rs2 + half ? *x_origin(c, w, in->rs2 + half) : (struct origin){0};
    case X3: return in->rs3 + half ? *x_origin(c, w, in->rs3 + half) : (struct origin){0};
    case V1: return v_get(c, w, in->rs1 + half, lane);
    case V2: return v_get(c, w, in->rs2 + half, lane);
    case V3: return v_get(c, w, in->rs3 + half, lane);
    case VD: return v_get(c, w, isa_vs3(in) + half, lane);
    default: return (struct origin){0};
    }
}

static uint32_t register_value(const struct warp *w, const struct insn *in, enum source s, uint32_t lane)
{
    switch (s) {
    case X1: return w->x[in->rs1];
    case X2: return w->x[in->rs2];
    case X3: return w->x[in->rs3];
    case V1: return w->v[in->rs1][lane];
    case V2: return w->v[in->rs2][lane];
    case V3: return w->v[in->rs3][lane];
    case VD: return w->v[isa_vs3(in)][lane];
    case IMM: return (uint32_t)in->imm;
    default: return 0;
    }
}

/* Registers of an operand: `pair` is the flag of rows that make a pair of it. */
static unsigned registers_of(const struct warp *w, const struct insn *in, uint32_t pair)
{
    const bool all = in->pair || (vtype_sew(w->vtype) == 64 && elements_matter(in));
    return all || isa_table[in->op].flags & (pair | ISA_LONG) ? 2 : 1;
}

static unsigned registers_of_source(const struct warp *w, const struct insn *in, enum source s)
{
    const uint32_t pair = s == X1 || s == V1 ? ISA_PAIR_1 : s == X2 || s == V2 ? ISA_PAIR_2 : ISA_PAIR_D;
    return registers_of(w, in, pair);
}

/* The origin of the first undefined source. */
static struct origin any_source(struct check *c, const struct warp *w, const struct insn *in, const struct use *u,
                                uint32_t lane)
{
    for (unsigned i = 0; i < u->nsources; i++)
        for (unsigned half = 0; half < registers_of_source(w, in, (enum source)u->sources[i]); half++) {
            struct origin o = register_origin(c, w, in, (enum source)u->sources[i], lane, half);
            if (o.undefined) return o;
        }
    return (struct origin){0};
}

/* ---- results ---- */

static uint32_t upward(uint32_t undefined) { return undefined | (0u - undefined); }

static uint32_t shifted(enum rule rule, uint32_t undefined, uint32_t by)
{
    if (rule == SHIFT_LEFT) return undefined << by;
    return rule == SHIFT_RIGHT ? undefined >> by : (uint32_t)((int32_t)undefined >> by);
}

static struct origin either(struct origin a, struct origin b, uint32_t undefined)
{
    struct origin o = {undefined, undefined ? (a.undefined ? a.from : b.from) : 0};
    if (undefined) o.from |= (a.undefined ? a.from & COMPUTED : 0) | (b.undefined ? b.from & COMPUTED : 0);
    return o;
}

static struct origin computed(struct origin o)
{
    if (o.undefined) o.from |= COMPUTED;
    return o;
}

static struct origin binary(struct check *c, const struct warp *w, const struct insn *in, const struct use *u,
                            uint32_t lane)
{
    struct origin a = register_origin(c, w, in, (enum source)u->a, lane, 0);
    struct origin b = register_origin(c, w, in, (enum source)u->b, lane, 0);
    uint32_t va = register_value(w, in, (enum source)u->a, lane), vb = register_value(w, in, (enum source)u->b, lane);
    uint32_t both = a.undefined | b.undefined;
    bool same = u->a != IMM && u->b != IMM && in->rs1 == in->rs2 && both;
    switch ((enum rule)u->rule) {
    case MOVE: return a;
    case AND: return either(a, b, both & (va | a.undefined) & (vb | b.undefined));
    case OR: return either(a, b, both & (~va | a.undefined) & (~vb | b.undefined));
    case XOR: return same ? (struct origin){0} : either(a, b, both);
    case UPWARD:
        if (!b.undefined && !vb) return a; /* a copy: mv is addi */
        return computed(either(a, b, upward(both)));
    case MERGE: return warp_v0(w) >> lane & 1 ? a : b;
    default:
        return b.undefined & 31 ? computed(either(a, b, ~0u))
                                : either(a, b, shifted((enum rule)u->rule, a.undefined, vb & 31));
    }
}

/* What the result of arithmetic is made of. */
static struct origin result(struct check *c, const struct warp *w, const struct insn *in, const struct use *u,
                            uint32_t lane)
{
    bool plain =
        u->rule != ANY && registers_of(w, in, ISA_PAIR) == 1 && !in->abs && !in->neg && !in->opsel && !in->omod;
    if (plain) return binary(c, w, in, u, lane);
    struct origin o = any_source(c, w, in, u, lane);
    return o.undefined ? computed((struct origin){~0u, o.from}) : o;
}

static void set_x(struct check *c, const struct warp *w, const struct insn *in, struct origin o)
{
    unsigned n = registers_of(w, in, ISA_PAIR_D);
    for (unsigned i = 0; i < n && in->rd; i++) *x_origin(c, w, in->rd + i) = o;
}

/* Lanes in which some source is undefined; sources are registers or pairs. */
static uint32_t suspicious(struct check *c, const struct warp *w, const struct insn *in, const struct use *u)
{
    uint32_t lanes = 0;
    for (unsigned i = 0; i < u->nsources; i++)
        for (unsigned half = 0; half < registers_of_source(w, in, (enum source)u->sources[i]); half++) {
            switch ((enum source)u->sources[i]) {
            case V1: lanes |= v_undefined(c, w, in->rs1 + half); break;
            case V2: lanes |= v_undefined(c, w, in->rs2 + half); break;
            case V3: lanes |= v_undefined(c, w, in->rs3 + half); break;
            case VD: lanes |= v_undefined(c, w, isa_vs3(in) + half); break;
            default: lanes |= register_origin(c, w, in, (enum source)u->sources[i], 0, half).undefined ? ~0u : 0; break;
            }
        }
    return lanes;
}

static void set_v(struct check *c, const struct warp *w, const struct insn *in, const struct use *u)
{
    bool masked = !in->vm && !u->masked;
    uint32_t lanes = masked ? w->active & warp_v0(w) : w->active, bad = lanes & suspicious(c, w, in, u);
    unsigned n = registers_of(w, in, ISA_PAIR_D);
    struct origin out[ISA_LANES];
    for (uint32_t left = bad; left; left &= left - 1)
        out[__builtin_ctz(left)] = result(c, w, in, u, (uint32_t)__builtin_ctz(left));
    for (unsigned i = 0; i < n; i++) {
        v_define(c, w, in->rd + i, lanes);
        for (uint32_t left = bad; left; left &= left - 1)
            v_put(c, w, in->rd + i, (uint32_t)__builtin_ctz(left), out[__builtin_ctz(left)]);
    }
}

/* What is computed in another way than by an expression is not followed: it counts as defined. Copies to local memory
 * end later, it may be any of it. */
static void define_written(struct check *c, const struct warp *w, const struct insn *in)
{
    struct isa_effects e = isa_effects(in, w->group->launch->threads_per_warp);
    struct isa_registers written = isa_registers_written(in, &e);
    if (e.memory.action == ACTION_COPY) shadow_set(&c->shadow, w->group->lds_base, w->group->launch->lds_bytes, false);
    for (unsigned reg = 0; reg < w->group->launch->vgprs && reg < ISA_VREGS; reg++)
        if (written.v[reg / 64] >> reg % 64 & 1) v_define(c, w, reg, ~0u);
    for (unsigned reg = 0; reg < ISA_XREGS; reg++)
        if (written.x >> reg & 1) *x_origin(c, w, reg) = (struct origin){0};
}

/* ---- reports ---- */

static void say_origin(struct check *c, struct check_report *r, struct origin o)
{
    if (origin_pc(o)) report_other(c, r, "the value was loaded, uninitialised, by", "load", origin_pc(o));
    else snprintf(r->where, sizeof r->where, "the value was in a register that has never been written");
}

static struct check_report *undefined_use(struct check *c, const struct warp *w, uint32_t lanes, struct origin o,
                                          const char *what)
{
    struct check_report *r = checks(c, CHECK_UNINIT) ? report_new(c, CHECK_UNINIT, origin_pc(o), w, lanes) : NULL;
    if (!r) return NULL;
    snprintf(r->what, sizeof r->what, "%s", what);
    say_origin(c, r, o);
    return r;
}

/* A scalar register decides something. */
static void need_x(struct check *c, const struct warp *w, unsigned reg, const char *what)
{
    struct origin *o = x_origin(c, w, reg);
    if (!reg || !o->undefined) return;
    undefined_use(c, w, w->active, *o, what);
    *o = (struct origin){0};
}

static void need_v(struct check *c, const struct warp *w, unsigned reg, uint32_t lanes, const char *what)
{
    uint32_t bad = lanes & v_undefined(c, w, reg);
    if (!bad) return;
    undefined_use(c, w, bad, v_get(c, w, reg, (uint32_t)__builtin_ctz(bad)), what);
    v_define(c, w, reg, bad);
}

/* ---- before an instruction ---- */

static const char address[] = "uninitialised value used as an address",
                  condition[] = "uninitialised value decides a branch",
                  control[] = "uninitialised value written to a control register";

static void need_sources(struct check *c, const struct warp *w, const struct insn *in, const struct use *u,
                         const char *what)
{
    for (unsigned i = 0; i < u->nsources; i++) {
        switch ((enum source)u->sources[i]) {
        case X1: need_x(c, w, in->rs1, what); break;
        case X2: need_x(c, w, in->rs2, what); break;
        case V1: need_v(c, w, in->rs1, w->active, what); break;
        case V2: need_v(c, w, in->rs2, w->active, what); break;
        default: break;
        }
    }
}

static void need_address(struct check *c, const struct warp *w, const struct insn *in)
{
    unsigned address_form = isa_memory(in).address;
    const struct use *u = &c->uses[in->op];
    uint32_t lanes = in->vm ? w->active : w->active & warp_v0(w);
    for (unsigned i = 0; i < u->nsources; i++) {
        if (u->sources[i] == X1) need_x(c, w, in->rs1, address);
        if (u->sources[i] == V1) need_v(c, w, in->rs1, lanes, address);
    }
    if (address_form == ADDRESS_STRIDED) need_x(c, w, in->rs2, address);
    if (address_form == ADDRESS_INDEXED) need_v(c, w, in->rs2, lanes, address);
}

static void control_register(struct check *c, const struct warp *w, const struct insn *in, const struct use *u)
{
    struct isa_effects e = isa_effects(in, ISA_LANES);
    need_sources(c, w, in, u, control);
    if (e.vectors & e.writes) v_define(c, w, in->rd, w->active);
    else set_x(c, w, in, (struct origin){0});
}

static void last_lane_to_x(struct check *c, const struct warp *w, const struct insn *in)
{
    if (w->active && in->rd) *x_origin(c, w, in->rd) = v_get(c, w, in->rs2, 31 - (uint32_t)__builtin_clz(w->active));
}

static void arithmetic(struct check *c, const struct warp *w, const struct insn *in, const struct use *u)
{
    if (u->to_v) set_v(c, w, in, u);
    else if (isa_kinds[isa_table[in->op].kind].reads & STATE_SIMT) last_lane_to_x(c, w, in);
    else set_x(c, w, in, u->nsources ? result(c, w, in, u, 0) : (struct origin){0});
}

void values_before(struct check *c, const struct warp *w, const struct insn *in)
{
    const struct use *u = &c->uses[in->op];
    const struct isa_kind_desc *kind = &isa_kinds[isa_table[in->op].kind];
    if (isa_memory(in).words) {
        need_address(c, w, in);
        return;
    }
    switch ((enum isa_expression)kind->expression) {
    case EXPRESSION_VALUE: arithmetic(c, w, in, u); break;
    case EXPRESSION_CONDITION: need_sources(c, w, in, u, condition); break;
    case EXPRESSION_TARGET:
        need_sources(c, w, in, u, kind->control == CONTROL_SETRPC ? control : address);
        set_x(c, w, in, (struct origin){0});
        break;
    case EXPRESSION_NEW: control_register(c, w, in, u); break;
    default: define_written(c, w, in);
    }
}

/* ---- memory ---- */

enum { PADDING = 16 };

static uint32_t all_of(uint32_t size) { return size >= 4 ? ~0u : (1u << 8 * size) - 1; }

/* What a load of a narrow value brings: its upper bits are zero, or all like the highest one. */
static uint32_t extended(uint32_t undefined, uint32_t size, bool sign)
{
    uint32_t top = 1u << (8 * size - 1);
    return sign && size < 4 && undefined & top ? undefined | ~all_of(size) : undefined;
}

/* The register that an access stores or loads, of a lane or of the warp; x0 is defined and cannot be set. */
static struct origin data_get(struct check *c, const struct warp *w, const struct access *a, unsigned reg,
                              uint32_t lane)
{
    if (a->lanes) return v_get(c, w, reg, lane);
    return reg ? *x_origin(c, w, reg) : (struct origin){0};
}

static void data_put(struct check *c, const struct warp *w, const struct access *a, unsigned reg, uint32_t lane,
                     struct origin o)
{
    if (a->lanes) v_put(c, w, reg, lane, o);
    else if (reg) *x_origin(c, w, reg) = o;
}

/* Nothing near the address is initialised. Padding, which is copied with its structure, never is that large. Words
 * of private memory do not lie side by side, so nothing is known of them. */
static bool is_void(const struct check *c, const struct warp *w, uint32_t addr, uint32_t size)
{
    bool was_computed;
    if (in_private(w->group, addr)) return false;
    for (uint32_t at = addr - PADDING; at != addr + size + PADDING; at++)
        if (shadow_get(&c->shadow, at, 1, &was_computed) != 0xff &&
            (in_local(w->group, at) || places_at(&c->places, at)))
            return false;
    return true;
}

static void load(struct check *c, const struct warp *w, const struct insn *in, const struct access *a, uint32_t lane,
                 unsigned reg)
{
    bool was_computed;
    uint32_t undefined =
        extended(shadow_get(&c->shadow, a->addr[lane], a->size, &was_computed), a->size, isa_memory(in).is_signed);
    struct origin o = {undefined, undefined ? w->pc | (was_computed ? COMPUTED : 0) : 0};
    if (undefined && is_void(c, w, a->addr[lane], a->size)) o.from |= VOID;
    data_put(c, w, a, reg, lane, o);
}

/* Is it memory that others see, so that a computed value has an effect? */
static bool is_shared(const struct check *c, const struct warp *w, uint32_t addr)
{
    return !in_private(w->group, addr) && !in_stack(c, w->group, addr);
}

static uint32_t store(struct check *c, const struct warp *w, const struct access *a, uint32_t lane, unsigned reg,
                      struct origin *seen)
{
    struct origin o = data_get(c, w, a, reg, lane);
    uint32_t addr = a->addr[lane];
    bool whole = (c->what & CHECK_COPIES || o.from & VOID) && !in_local(w->group, addr), bad = false;
    o.undefined &= all_of(a->size);
    if (o.undefined && (o.from & COMPUTED || whole) && is_shared(c, w, addr)) {
        *seen = o;
        bad = true;
        o.undefined = 0;
    }
    shadow_put(&c->shadow, addr, a->size, o.undefined, o.undefined && o.from & COMPUTED);
    return bad ? 1u << lane : 0;
}

static uint32_t atomic(struct check *c, const struct warp *w, const struct insn *in, const struct access *a,
                       uint32_t lane, struct origin *seen)
{
    bool was_computed, swap = c->uses[in->op].rule == MOVE;
    uint32_t old = shadow_get(&c->shadow, a->addr[lane], a->size, &was_computed);
    struct origin data = data_get(c, w, a, in->rs2, lane);
    data_put(c, w, a, in->rd, lane, (struct origin){swap ? old : 0, swap && old ? w->pc : 0});
    shadow_put(&c->shadow, a->addr[lane], a->size, swap ? data.undefined : 0, data.from & COMPUTED);
    if (swap || !(old | data.undefined)) return 0;
    *seen = old ? (struct origin){old, w->pc} : data;
    return 1u << lane;
}

/* Whether a store-conditional stores is not known before: memory is defined if either is. */
static void conditional(struct check *c, const struct warp *w, const struct insn *in, const struct access *a,
                        uint32_t lane)
{
    bool was_computed;
    uint32_t old = shadow_get(&c->shadow, a->addr[lane], a->size, &was_computed);
    struct origin data = data_get(c, w, a, in->rs2, lane);
    shadow_put(&c->shadow, a->addr[lane], a->size, old & data.undefined, was_computed);
    data_put(c, w, a, in->rd, lane, (struct origin){0});
}

static void report_store(struct check *c, const struct warp *w, const struct access *a, uint32_t bad,
                         struct origin seen, bool is_atomic)
{
    const char *what = is_atomic              ? "atomic operation on an uninitialised value"
                       : seen.from & COMPUTED ? "result of arithmetic with an uninitialised value stored to memory"
                                              : "uninitialised value stored to a buffer";
    struct check_report *r = undefined_use(c, w, a->lanes ? bad : w->active, seen, what);
    if (!r) return;
    bool from_register = !origin_pc(seen);
    char origin[sizeof r->where];
    memcpy(origin, r->where, sizeof origin);
    report_access(c, r, w, a, (uint32_t)__builtin_ctz(bad));
    if (from_register) memcpy(r->where, origin, sizeof origin);
}

void values_access(struct check *c, const struct warp *w, const struct insn *in, const struct access *a, uint32_t lanes)
{
    uint32_t bad = 0;
    struct isa_memory m = isa_memory(in);
    unsigned reg = (unsigned)isa_get(in, (enum operand_role)m.data) + c->word;
    struct origin seen = {0}, one;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes), wrong = 0;
        if (m.action == ACTION_AMO) wrong = atomic(c, w, in, a, lane, &one);
        else if (m.action == ACTION_SC) conditional(c, w, in, a, lane);
        else if (a->write) wrong = store(c, w, a, lane, reg, &one);
        else load(c, w, in, a, lane, reg);
        if (wrong && !bad) seen = one;
        bad |= wrong;
    }
    if (bad) report_store(c, w, a, bad, seen, a->atomic);
}
