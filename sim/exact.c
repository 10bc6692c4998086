/* Arithmetic instructions out of line: operands as prefixes, register pairs and 64-bit words say, the value
 * from eval.c, the result and the flags where they belong.
 *
 * For rows of kinds EX, EV and EW; for elements that are not words; for any row behind a prefix with pair, abs or neg;
 * for a rounding mode that is not the host's at the moment; and, in the hooked engine, whenever flags may accrue. A
 * lane reads all its operands before it writes. Called by engines. */
#include <string.h>

#include "sim/machine.h"

static bool has(unsigned set, enum operand_role role) { return set >> role & 1; }

/* ---- operands ---- */

/* Bits of an operand: those of an element, or twice as many. */
static unsigned element_bits(const struct decoded *d) { return 32u >> d->narrow; }
static unsigned width(const struct decoded *d, enum operand_role role)
{
    return element_bits(d) << has(d->pairs, role);
}

static uint64_t low_bits(uint64_t v, unsigned bits) { return v & ~0ull >> (64 - bits); }

static uint64_t joined(const struct decoded *d, enum operand_role role, uint32_t low, uint32_t high)
{
    if (width(d, role) == 64) return low | (uint64_t)high << 32;
    return d->extend ? (uint64_t)(int64_t)(int32_t)low : low_bits(low, width(d, role));
}

static uint64_t scalar(const struct warp *w, const struct decoded *d, enum operand_role role, unsigned reg)
{
    return has(d->scalars, role) ? joined(d, role, w->x[reg], reg ? w->x[reg | 1] : 0) : 0;
}

static uint64_t vector(const struct warp *w, const struct decoded *d, enum operand_role role, unsigned reg,
                       unsigned lane)
{
    if (!has(d->vectors, role)) return 0;
    return joined(d, role, w->v[reg][lane], width(d, role) == 64 ? w->v[reg | 1][lane] : 0);
}

/* Absolute value, then negation, of source `number` (0 to 2), `bits` wide. */
static uint64_t modified(const struct insn *in, unsigned number, uint64_t v, unsigned bits)
{
    bool abs = in->abs >> number & 1, neg = in->neg >> number & 1, fp = isa_table[in->op].flags & ISA_FP;
    uint64_t sign = 1ull << (bits - 1);
    if (!abs && !neg) return v;
    if (abs) v = fp ? v & ~sign : v & sign ? 0 - v : v;
    if (neg) v = fp ? v ^ sign : 0 - v;
    return v & (sign | (sign - 1));
}

/* An immediate is source 1 unless there is a register in that place, as in addi. */
static uint64_t immediate(const struct decoded *d)
{
    unsigned number = has(d->vectors | d->scalars, ROLE_RS1);
    return modified(&d->in, number, (uint64_t)(int64_t)d->in.imm, element_bits(d) << (d->pairs != 0));
}

static enum fp_format format_of(const struct decoded *d)
{
    if (d->narrow) return FP_F16;
    return d->pairs ? FP_F64 : FP_F32;
}

static struct operands begin(const struct warp *w, const struct decoded *d, uint32_t pc, uint32_t round)
{
    return (struct operands){.imm = immediate(d),
                             .pc = pc,
                             .aux = d->in.aux,
                             .format = format_of(d),
                             .sew = (uint8_t)element_bits(d),
                             .env = {.round = (uint8_t)round},
                             .vxrm = (uint8_t)w->vxrm,
                             .lanes = w->lanes,
                             .omod = d->in.omod};
}

static void fetch_scalars(const struct warp *w, const struct decoded *d, struct operands *o)
{
    const struct insn *in = &d->in;
    o->rs1 = modified(in, 0, scalar(w, d, ROLE_RS1, in->rs1), width(d, ROLE_RS1));
    o->rs2 = modified(in, 1, scalar(w, d, ROLE_RS2, in->rs2), width(d, ROLE_RS2));
    o->rs3 = modified(in, 2, scalar(w, d, ROLE_RS3, in->rs3), width(d, ROLE_RS3));
}

static void fetch_lane(const struct warp *w, const struct decoded *d, struct operands *o, unsigned lane)
{
    const struct insn *in = &d->in;
    o->lane = lane;
    o->mask_bit = d->vregs ? warp_v0(w) >> lane & 1 : 0;
    o->vs1 = modified(in, 0, vector(w, d, ROLE_RS1, in->rs1, lane), width(d, ROLE_RS1));
    o->vs2 = modified(in, 1, vector(w, d, ROLE_RS2, in->rs2, lane), width(d, ROLE_RS2));
    o->vd = modified(in, 2, vector(w, d, ROLE_RD, isa_vs3(in), lane), width(d, ROLE_RD));
}

/* ---- values and results ---- */

static uint64_t evaluate(const struct decoded *d, struct operands *o)
{
    enum isa_op op = (enum isa_op)d->in.op;
    if (d->pairs) return eval64(op, o);
    return d->narrow == 2 ? eval8(op, o) : d->narrow ? eval16(op, o) : eval32(op, o);
}

/* Values of less than a word are sign-extended. */
static uint32_t low_word(const struct decoded *d, uint64_t value)
{
    unsigned above = 64 - width(d, ROLE_RD);
    return (uint32_t)((int64_t)(value << above) >> above);
}

static void put_scalar(struct warp *w, const struct decoded *d, uint64_t value)
{
    unsigned rd = d->in.rd;
    if (!rd) return; /* of a pair, both halves */
    w->x[rd] = low_word(d, value);
    if (width(d, ROLE_RD) == 64) w->x[rd | 1] = (uint32_t)(value >> 32);
}

static void put_lane(struct warp *w, const struct decoded *d, unsigned lane, uint64_t value)
{
    unsigned rd = d->in.rd;
    w->v[rd][lane] = low_word(d, value);
    if (width(d, ROLE_RD) == 64) w->v[rd | 1][lane] = (uint32_t)(value >> 32);
}

/* ---- 64-bit compute words: one element of each lane ---- */

static uint64_t element(const struct insn *in, unsigned number, uint64_t register_value, bool high, unsigned bits)
{
    uint64_t v = register_value >> (high && bits < 32 ? 16 : 0);
    v = modified(in, number, v & (~0u >> (32 - bits)), bits);
    return (uint64_t)((int64_t)(v << (64 - bits)) >>
                      (64 - bits)); /* min_u and max_u order these as they would the elements */
}

static uint64_t element_result(const struct decoded *d, struct operands o[1])
{
    const struct insn *in = &d->in;
    unsigned bits = 32u >> in->elem;
    bool fp = isa_table[in->op].flags & ISA_FP;
    uint32_t mask = ~0u >> (32 - bits), shift = (in->opsel & 4) && bits < 32 ? 16 : 0, old = (uint32_t)o->vd;
    struct operands e = *o;
    e.bits = (uint8_t)bits;
    e.format = fp && bits == 16 ? FP_F16 : FP_F32;
    e.vs2 = element(in, 1, o->vs2, in->opsel & 1, bits);
    e.vs1 = element(in, 0, o->vs1, in->opsel & 2, bits);
    e.rs1 = element(in, 0, o->rs1, in->opsel & 2, bits);
    e.imm = element(in, 0, o->imm, false, bits);
    uint32_t value = (uint32_t)eval32((enum isa_op)in->op, &e) & mask;
    o->env.flags = e.env.flags;
    return (old & ~(mask << shift)) | value << shift;
}

/* Fetches one lane's registers as they are: abs and neg are of the elements. */
static void fetch_raw(const struct warp *w, const struct decoded *d, struct operands *o, unsigned lane)
{
    o->lane = lane;
    o->vs1 = vector(w, d, ROLE_RS1, d->in.rs1, lane);
    o->vs2 = vector(w, d, ROLE_RS2, d->in.rs2, lane);
    o->vd = vector(w, d, ROLE_RD, d->in.rd, lane);
}

static void run_elements(struct warp *w, const struct decoded *d, struct operands *o, uint32_t lanes)
{
    o->rs1 = scalar(w, d, ROLE_RS1, d->in.rs1);
    o->imm = (uint64_t)(int64_t)d->in.imm;
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        fetch_raw(w, d, o, lane);
        put_lane(w, d, lane, element_result(d, o));
    }
}

/* ---- instructions ---- */

static void run_lanes(struct warp *w, const struct decoded *d, struct operands *o, uint32_t lanes)
{
    uint32_t row[ISA_LANES];
    if (has(d->vectors, ROLE_RS2)) memcpy(row, w->v[d->in.rs2], sizeof row);
    o->row = row;
    fetch_scalars(w, d, o);
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        fetch_lane(w, d, o, lane);
        put_lane(w, d, lane, evaluate(d, o));
    }
}

static void run_scalar(struct warp *w, const struct decoded *d, struct operands *o)
{
    fetch_scalars(w, d, o);
    put_scalar(w, d, evaluate(d, o));
}

static void run_last_lane(struct warp *w, const struct decoded *d, struct operands *o)
{
    if (!w->active) return;
    fetch_lane(w, d, o, 31 - (unsigned)__builtin_clz(w->active));
    put_scalar(w, d, evaluate(d, o));
}

/* The mode is in the word, or in frm. */
static uint32_t rounding_mode(const struct warp *w, const struct insn *in)
{
    return isa_has((enum isa_op)in->op, ROLE_RM) && in->rm != 7 ? in->rm : w->frm;
}

const char *exact_run(struct warp *w, const struct decoded *d, uint32_t pc)
{
    const struct insn *in = &d->in;
    const struct isa_desc *row = &isa_table[in->op];
    uint32_t round = rounding_mode(w, in), lanes = active_lanes(w, in);
    struct operands o = begin(w, d, pc, round);
    if ((row->flags & ISA_ROUND) && round > FP_RMM) return "reserved rounding mode";
    switch (row->kind) {
    case KIND_X:
    case KIND_EX: run_scalar(w, d, &o); break;
    case KIND_V2X: run_last_lane(w, d, &o); break;
    case KIND_EW: run_elements(w, d, &o, lanes); break;
    default: run_lanes(w, d, &o, lanes);
    }
    w->fflags |= o.env.flags;
    w->raised = o.env.flags;
    w->vxsat |= o.vxsat;
    return NULL;
}

uint32_t exact_value(const struct warp *w, const struct decoded *d, uint32_t pc, uint32_t old)
{
    struct operands o = begin(w, d, pc, 0);
    o.vd = old;
    fetch_scalars(w, d, &o);
    return (uint32_t)evaluate(d, &o);
}

bool exact_condition(const struct warp *w, const struct decoded *d) { return exact_value(w, d, 0, 0); }

uint32_t exact_taken(const struct warp *w, const struct decoded *d)
{
    struct operands o = begin(w, d, 0, 0);
    uint32_t taken = 0;
    for (uint32_t left = w->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        fetch_lane(w, d, &o, lane);
        taken |= (uint32_t)(evaluate(d, &o) != 0) << lane;
    }
    return taken;
}
