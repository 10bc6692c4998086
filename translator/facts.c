/* Forward over the blocks of both versions until nothing changes. Facts only grow weaker: a constant becomes a number
 * with a known alignment, a period becomes shorter.
 *
 * They are derived for the ways that translated code takes. `step` may bring a warp to a block in other ways, so what
 * holds of its live registers is looked at where the code is entered (translate.c). Called by translate.c. */
#include "translator/facts.h"

#include <stdlib.h>

enum { ALIGN_MOST = 31, LEAST_PERIOD = 8 /* lanes, a guess */ };

static const struct v_fact nothing;
static const struct v_fact is_even = {.even = true};

static uint8_t least(uint8_t a, uint8_t b) { return a < b ? a : b; }

static uint8_t align_of(uint32_t n) { return n ? (uint8_t)__builtin_ctz(n) : ALIGN_MOST; }

static uint8_t zeros_of(uint32_t n) { return n ? (uint8_t)__builtin_clz(n) : 32; }

static struct x_fact known(uint32_t n)
{
    return (struct x_fact){.known = true, .align = align_of(n), .zeros = zeros_of(n), .value = n};
}

static bool is_nan(uint32_t bits) { return (bits & 0x7fffffffu) > 0x7f800000u; }

/* ---- where ways meet ---- */

static struct x_fact meet_x(struct x_fact a, struct x_fact b)
{
    struct x_fact both = {.align = least(a.align, b.align), .knl = a.knl && b.knl, .args = a.args && b.args};
    both.zeros = least(a.zeros, b.zeros);
    if (!a.known || !b.known || a.value != b.value) return both;
    a.told |= b.told;
    return a;
}

static bool seems_even(struct v_fact f) { return f.period || f.even; }

static uint8_t meet_repeat(uint8_t a, uint8_t b) { return !a || !b ? 0 : a > b ? a : b; }

static struct v_fact meet_v(struct v_fact a, struct v_fact b)
{
    struct v_fact both = {.number = a.number && b.number, .repeat = meet_repeat(a.repeat, b.repeat)};
    both.zeros = least(a.zeros, b.zeros);
    both.raw = both.number && (a.raw || b.raw);
    both.even = seems_even(a) && seems_even(b);
    if (!a.period || !b.period || a.step != b.step) return both;
    both.even = false;
    both.period = least(a.period, b.period);
    both.align = least(a.align, b.align);
    both.step = a.step;
    both.known = a.known && b.known && a.value == b.value;
    both.value = both.known ? a.value : 0;
    return both;
}

struct v_fact fact_of_merged(struct v_fact value, struct v_fact old)
{
    struct v_fact merged = meet_v(value, old);
    merged.period = merged.align = merged.repeat = merged.even = merged.known = 0;
    merged.step = merged.value = 0;
    return merged;
}

/* ---- scalar registers ---- */

/* A scalar load whose address is so many bytes behind CSR_KNL. */
static bool is_of_knl(const struct facts *f, const struct node *n)
{
    return n->how == HOW_LOAD && n->effects.memory.address == ADDRESS_SCALAR && f->x[n->d.in.rs1].knl;
}

bool fact_metadata(const struct facts *f, const struct node *n, const struct native_request *r)
{
    return r->metadata & METADATA_READABLE && is_of_knl(f, n) &&
           (uint32_t)n->d.in.imm <= (uint32_t)ABI_META_SIZE - n->effects.memory.size;
}

bool fact_hoistable(const struct facts *f, const struct node *n, const struct native_request *r, struct hoisted_word *w)
{
    bool scalar = n->how == HOW_LOAD && n->effects.memory.address == ADDRESS_SCALAR && n->effects.memory.size == 4;
    if (!scalar || f->stored || !(r->metadata & METADATA_WATCHED)) return false;
    struct x_fact base = f->x[n->d.in.rs1];
    *w = (struct hoisted_word){base.args, (uint32_t)n->d.in.imm};
    return (base.args || base.knl) && w->at % 4 == 0 && w->at < (base.args ? METADATA_ARGS : (uint32_t)ABI_META_SIZE);
}

bool fact_told(const struct facts *f, const struct node *n, const struct native_request *r, uint32_t *value)
{
    uint32_t at = (uint32_t)n->d.in.imm;
    if (!is_of_knl(f, n) || n->effects.memory.size != 4 || at % 4) return false;
    bool local = at >= ABI_META_LOCAL_SIZE && at < ABI_META_GLOBAL_OFFSET;
    bool offset = at >= ABI_META_GLOBAL_OFFSET && at < ABI_META_PRINT_ADDR && r->metadata & METADATA_NO_OFFSET;
    *value = local ? r->local[(at - ABI_META_LOCAL_SIZE) / 4] : at == ABI_META_ENTRY ? r->entry : 0;
    return local || offset || at == ABI_META_ENTRY;
}

bool fact_constant(const struct facts *f, const struct node *n, const struct flow *flow, uint32_t *word)
{
    const struct isa_memory *m = &n->effects.memory;
    struct x_fact x = f->x[n->d.in.rs1 % ISA_XREGS];
    struct v_fact v = f->v[n->d.in.rs1];
    const bool scalar = m->address == ADDRESS_SCALAR && x.known && !x.told;
    const bool lanes = m->address == ADDRESS_LANES && v.known && !v.step && n->d.in.vm;
    if (n->how != HOW_LOAD || !(scalar || lanes)) return false;
    return flow_constant(flow, (scalar ? x.value : v.value) + (uint32_t)n->d.in.imm, m, word);
}

struct x_fact fact_of_csr(unsigned csr, const struct native_request *r)
{
    switch (csr) {
    case CSR_KNL: return (struct x_fact){.knl = true};
    case CSR_TID: return r->warps == 1 ? known(0) : (struct x_fact){.align = align_of(r->threads)};
    case CSR_WID:
    case CSR_MHARTID: return r->warps == 1 ? known(0) : (struct x_fact){0};
    case CSR_NUMW: return known(r->warps);
    case CSR_NUMT: return known(r->threads);
    default: return (struct x_fact){0};
    }
}

static struct x_fact number_of_row(const struct insn *in, const struct node *n, struct x_fact a, struct x_fact b)
{
    uint32_t imm = (uint32_t)in->imm;
    switch (in->op) {
    case OP_LUI: return known(imm);
    case OP_AUIPC: return known(node_here(n) + imm);
    case OP_ADDI:
        if (!imm || a.known) return a.known ? known(a.value + imm) : a;
        return (struct x_fact){.align = least(a.align, align_of(imm))};
    case OP_SLLI:
        if (a.known) return known(a.value << (imm & 31));
        return (struct x_fact){.align = least((uint8_t)(a.align + imm), ALIGN_MOST)};
    case OP_ADD:
        if (a.known && b.known) return known(a.value + b.value);
        return (struct x_fact){.align = least(a.align, b.align)};
    case OP_MUL:
        if (a.known && b.known) return known(a.value * b.value);
        return (struct x_fact){.align = least((uint8_t)(a.align + b.align), ALIGN_MOST)};
    default: return (struct x_fact){0};
    }
}

static struct x_fact fact_of_scalar_row(const struct facts *f, const struct node *n)
{
    struct x_fact a = f->x[n->d.in.rs1], b = f->x[n->d.in.rs2], x = number_of_row(&n->d.in, n, a, b);
    x.told = x.known && (a.told || b.told);
    return x;
}

static uint8_t zeros_of_load(const struct node *n)
{
    return n->effects.memory.is_signed ? 0 : (uint8_t)(32 - 8 * n->effects.memory.size);
}

static struct x_fact fact_of_scalar(const struct facts *f, const struct node *n, const struct flow *flow)
{
    const struct native_request *r = flow->request;
    uint32_t value;
    struct hoisted_word word;
    if (n->how == HOW_CSR) return fact_of_csr(n->d.in.aux, r);
    bool jumps = n->how == HOW_CONTROL && n->effects.control != CONTROL_SETRPC;
    if (jumps || n->how == HOW_ROUTINE) return known(node_next(n)); /* the way back */
    if (fact_told(f, n, r, &value)) {
        struct x_fact x = known(value);
        x.told = true;
        return x;
    }
    if (fact_constant(f, n, flow, &value)) return known(value);
    if (fact_hoistable(f, n, r, &word) && !word.args && word.at == ABI_META_ARGS) return (struct x_fact){.args = true};
    if (n->how == HOW_ROW && isa_table[n->d.in.op].kind == KIND_X) return fact_of_scalar_row(f, n);
    return (struct x_fact){.zeros = n->how == HOW_LOAD ? zeros_of_load(n) : 0};
}

/* ---- vector registers: words that follow one another ---- */

static struct v_fact steps(uint8_t period, uint32_t step, unsigned align)
{
    return (struct v_fact){.period = period, .step = step, .align = align < ALIGN_MOST ? (uint8_t)align : ALIGN_MOST};
}

/* The first word is known, where `is`. */
static struct v_fact begins(struct v_fact f, bool is, uint32_t value)
{
    f.known = is && f.period == ISA_LANES;
    f.value = f.known ? value : 0;
    return f;
}

/* The same word in each period. */
static bool is_uniform(struct v_fact f) { return f.period && !f.step; }

static struct v_fact sum(struct v_fact a, struct v_fact b, uint32_t factor_b)
{
    if (!a.period || !b.period) return seems_even(a) && seems_even(b) ? is_even : nothing;
    struct v_fact f = steps(least(a.period, b.period), a.step + factor_b * b.step, least(a.align, b.align));
    return begins(f, a.known && b.known, a.value + factor_b * b.value);
}

static struct v_fact fact_of_splat(struct x_fact x)
{
    struct v_fact f = steps(ISA_LANES, 0, x.align);
    f.number = x.known && !is_nan(x.value);
    f.repeat = LEAST_PERIOD;
    f.zeros = x.zeros;
    f.known = x.known && !x.told;
    f.value = f.known ? x.value : 0;
    return f;
}

/* How many words count from a multiple of a power of two up to the next one; 0: too few. */
static uint8_t run_of(struct v_fact f, uint32_t length)
{
    uint32_t power = length & (~length + 1), most = f.period;
    while (most > power || (most && align_of(most) > f.align)) most /= 2;
    return f.step == 1 && most >= LEAST_PERIOD ? (uint8_t)most : 0;
}

/* Are the words of all lanes that warps have known to be less than n? */
static bool is_below(struct v_fact f, uint32_t n, const struct native_request *r)
{
    return f.known && f.step == 1 && f.value < n && n - f.value >= r->items;
}

/* f % n, or f & (n - 1) of a power of two. */
static struct v_fact remainder_of(struct v_fact f, uint32_t n, const struct native_request *r)
{
    if (is_below(f, n, r)) return f;
    uint8_t period = n ? run_of(f, n) : 0;
    struct v_fact out = period ? steps(period, 1, align_of(period)) : nothing;
    if (period == n && n < ISA_LANES) out.repeat = period;
    return begins(out, period == n, 0);
}

/* f / n. */
static struct v_fact quotient_of(struct v_fact f, uint32_t n, const struct native_request *r)
{
    if (is_below(f, n, r)) return fact_of_splat(known(0));
    uint8_t period = n ? run_of(f, n) : 0;
    struct v_fact out = period ? steps(period, 0, 0) : nothing;
    if (period == ISA_LANES) out.repeat = LEAST_PERIOD;
    return out;
}

static struct v_fact product_of(struct v_fact f, struct x_fact x)
{
    unsigned align = (unsigned)f.align + x.align;
    if (f.period && x.known) return begins(steps(f.period, f.step * x.value, align), f.known, f.value * x.value);
    if (is_uniform(f)) return steps(f.period, 0, align);
    return seems_even(f) ? is_even : nothing;
}

/* A product of two is as far from lane to lane as one of them, if the other is the same in all of these. */
static struct v_fact product_of_lanes(struct v_fact a, struct v_fact b)
{
    return (is_uniform(a) && seems_even(b)) || (is_uniform(b) && seems_even(a)) ? is_even : nothing;
}

static struct v_fact and_of(struct v_fact f, struct x_fact x, const struct native_request *r)
{
    bool low_bits = x.known && !(x.value & (x.value + 1));
    return low_bits && x.value + 1 ? remainder_of(f, x.value + 1, r) : nothing;
}

/* What the rows that addresses are computed with make of words that follow one another. */
static struct v_fact shape_of_row(const struct facts *f, const struct insn *in, const struct native_request *r)
{
    struct v_fact a = f->v[in->rs2], b = f->v[in->rs1];
    struct x_fact x = f->x[in->rs1 % ISA_XREGS], imm = known((uint32_t)in->imm);
    switch (in->op) {
    case OP_VID_V: return begins(steps(ISA_LANES, 1, ALIGN_MOST), true, 0);
    case OP_VADD_VV: return sum(a, b, 1);
    case OP_VADD_VX: return sum(a, fact_of_splat(x), 1);
    case OP_VADD_VI: return sum(a, fact_of_splat(imm), 1);
    case OP_VSUB_VV: return sum(a, b, ~0u);
    case OP_VSUB_VX: return sum(a, fact_of_splat(x), ~0u);
    case OP_VSLL_VI: return product_of(a, known(1u << (in->imm & 31)));
    case OP_VMUL_VX: return product_of(a, x);
    case OP_VMUL_VV: return product_of_lanes(a, b);
    case OP_VREMU_VX: return x.known ? remainder_of(a, x.value, r) : nothing;
    case OP_VDIVU_VX: return x.known ? quotient_of(a, x.value, r) : nothing;
    case OP_VAND_VX: return and_of(a, x, r);
    case OP_VAND_VI: return and_of(a, imm, r);
    case OP_VSRL_VI: return quotient_of(a, 1u << (in->imm & 31), r);
    case OP_VMACC_VX: return sum(f->v[isa_vs3(in)], product_of(a, x), 1);
    case OP_VMADD_VX: return sum(a, product_of(f->v[isa_vs3(in)], x), 1);
    default: return nothing;
    }
}

/* A row makes the same of the same words: of uniform operands uniform words, in the shortest period of them, and of
 * operands that repeat words that do. */
static struct v_fact fact_of_same(const struct facts *f, const struct node *n)
{
    const uint8_t numbers[] = {
        [ROLE_RD] = n->d.in.rd, [ROLE_RS1] = n->d.in.rs1, [ROLE_RS2] = n->d.in.rs2, [ROLE_RS3] = n->d.in.rs3};
    struct v_fact out = {.period = ISA_LANES, .repeat = LEAST_PERIOD};
    if (n->d.in.op == OP_VID_V || n->effects.mask) return nothing;
    for (unsigned role = 0; role < sizeof numbers; role++) {
        struct v_fact v = f->v[numbers[role]];
        if (!(n->effects.reads >> role & 1) || !(n->d.vectors >> role & 1)) continue;
        out.period = is_uniform(v) ? least(out.period, v.period) : 0;
        out.repeat = meet_repeat(out.repeat, v.repeat);
    }
    return out;
}

/* ---- vector registers: upper bits ---- */

/* A product of numbers below 2^(32 - a) and 2^(32 - b); one of them may be 0 or 1. */
static unsigned zeros_of_product(unsigned a, unsigned b)
{
    if (a >= 31 || b >= 31) return a >= 31 ? b : a;
    return a + b > 32 ? a + b - 32 : 0;
}

static unsigned least_of(unsigned a, unsigned b) { return a < b ? a : b; }

/* Is what a row computes 1 where something holds, and 0 elsewhere? */
static bool compares(unsigned op)
{
    return (op >= OP_VMSEQ_VV && op <= OP_VMSGT_VI) || (op >= OP_VMFEQ_VV && op <= OP_VMFGE_VF);
}

/* How many upper bits of what a row computes are 0. */
static unsigned zeros_of_row(const struct facts *f, const struct insn *in)
{
    const unsigned a = f->v[in->rs2].zeros, b = f->v[in->rs1].zeros, d = f->v[in->rd].zeros;
    const unsigned x = f->x[in->rs1 % ISA_XREGS].zeros, imm = zeros_of((uint32_t)in->imm);
    const unsigned shift = (uint32_t)in->imm & 31;
    switch (in->op) {
    case OP_VAND_VV: return a > b ? a : b;
    case OP_VAND_VX: return a > x ? a : x;
    case OP_VAND_VI: return a > imm ? a : imm;
    case OP_VOR_VV:
    case OP_VXOR_VV: return least_of(a, b);
    case OP_VOR_VX:
    case OP_VXOR_VX: return least_of(a, x);
    case OP_VOR_VI:
    case OP_VXOR_VI: return least_of(a, imm);
    case OP_VSRL_VI: return least_of(a + shift, 32);
    case OP_VSLL_VI: return a > shift ? a - shift : 0;
    case OP_VMUL_VV: return zeros_of_product(a, b);
    case OP_VMUL_VX: return zeros_of_product(a, x);
    /* A half that is 0 stays so: 0 + 0, 0 * 0, 0 * 0 + 0. */
    case OP_VADD_F16X2:
    case OP_VMUL_F16X2: return least_of(a, b) >= 16 ? 16 : 0;
    case OP_VFMA_F16X2: return least_of(least_of(a, b), d) >= 16 ? 16 : 0;
    default: return compares(in->op) ? 31 : 0;
    }
}

struct v_fact fact_of_row(const struct facts *f, const struct node *n, const struct native_request *r)
{
    const struct insn *in = &n->d.in;
    if (!in->vm) return nothing;
    if (in->op == OP_VMV_V_V) return f->v[in->rs1];
    if (in->op == OP_VMV_V_X) return fact_of_splat(f->x[in->rs1]);
    if (in->op == OP_VMV_V_I) return fact_of_splat(known((uint32_t)in->imm));
    struct v_fact out = shape_of_row(f, in, r), same = fact_of_same(f, n);
    if (!out.period && same.period) out = steps(same.period, 0, 0);
    if (!out.repeat) out.repeat = same.repeat;
    out.zeros = (uint8_t)zeros_of_row(f, in);
    out.number = out.raw = (isa_table[in->op].flags & ISA_CANON) != 0;
    return out;
}

struct v_fact fact_of_indexed(const struct facts *f, const struct node *n)
{
    struct v_fact index = f->v[n->d.in.rs2], out = sum(index, fact_of_splat(f->x[n->d.in.rs1]), 1);
    out.repeat = index.repeat;
    return n->effects.memory.index == 4 ? out : nothing;
}

/* Loads: from the same address comes the same word. Inactive lanes hold it, too, only where all lanes load it. */
static struct v_fact fact_of_load(const struct facts *f, const struct node *n, const struct flow *flow)
{
    enum isa_address form = n->effects.memory.address;
    uint32_t word;
    if (fact_constant(f, n, flow, &word)) return fact_of_splat(known(word));
    struct v_fact base = form == ADDRESS_LANES ? f->v[n->d.in.rs1] : nothing;
    if (form == ADDRESS_INDEXED) base = fact_of_indexed(f, n);
    bool everywhere = f->whole || base.period == ISA_LANES;
    struct v_fact out = is_uniform(base) ? steps(base.period, 0, 0) : nothing;
    if (out.period == ISA_LANES) out.repeat = LEAST_PERIOD;
    out.zeros = zeros_of_load(n);
    return n->d.in.vm && everywhere ? out : nothing;
}

static struct v_fact fact_of_vector(const struct facts *f, const struct node *n, const struct flow *flow)
{
    return n->how == HOW_ROW    ? fact_of_row(f, n, flow->request)
           : n->how == HOW_LOAD ? fact_of_load(f, n, flow)
                                : nothing;
}

/* A routine makes the same of the same numbers. */
static struct v_fact fact_of_routine(const struct facts *f, const struct node *n)
{
    struct v_fact out = {.period = ISA_LANES};
    for (unsigned r = 0; r < routine_result(n->number); r++)
        out.period = is_uniform(f->v[r]) ? least(out.period, f->v[r].period) : 0;
    if (out.period == ISA_LANES) out.repeat = LEAST_PERIOD;
    return out;
}

static bool is_result(const struct node *n, unsigned r)
{
    const unsigned first = routine_result(n->number);
    return r >= first && r < first + routine_width(routine_rows[n->number].result);
}

/* ---- a block ---- */

static bool has(const uint64_t *set, unsigned r) { return set[r / 64] >> (r % 64) & 1; }

static struct x_fact fact_of_rpc(struct x_fact base, const struct node *n)
{
    bool sure = n->how == HOW_CONTROL && base.known && !base.told;
    return sure ? known(base.value + (uint32_t)n->d.in.imm) : (struct x_fact){0};
}

void facts_step(struct facts *f, const struct node *n, const struct flow *flow)
{
    struct isa_registers written = node_written(flow, n);
    struct x_fact x = fact_of_scalar(f, n, flow);
    struct v_fact v = n->how == HOW_ROUTINE ? fact_of_routine(f, n) : fact_of_vector(f, n, flow);
    f->stored |= n->how == HOW_STORE || n->how == HOW_ATOMIC || n->how == HOW_HELP;
    if (n->effects.control == CONTROL_SETRPC) f->rpc = fact_of_rpc(f->x[n->d.in.rs1], n);
    for (unsigned i = 1; i < ISA_XREGS; i++)
        if (written.x >> i & 1) f->x[i] = i == n->d.in.rd ? x : (struct x_fact){0};
    for (unsigned i = 0; i < ISA_VREGS; i++)
        if (has(written.v, i)) f->v[i] = (n->how == HOW_ROUTINE ? is_result(n, i) : i == n->d.in.rd) ? v : nothing;
}

/* At the end of a block: registers that it has written under a mask keep their old words in inactive lanes. */
static void merge(struct facts *f, const struct facts *in, const struct flow *flow, const struct block *b)
{
    for (size_t i = b->first; i < b->first + b->count; i++) {
        struct isa_registers written = node_written(flow, &flow->nodes[i]);
        for (unsigned r = 0; r < ISA_VREGS; r++)
            if (has(written.v, r)) f->v[r] = fact_of_merged(f->v[r], in->v[r]);
    }
}

bool facts_target(const struct fact_table *t, const struct block *b, enum version version, uint32_t *pc, bool *told)
{
    struct facts f = t->in[b - t->flow->blocks][version];
    const struct node *last = &t->flow->nodes[b->first + b->count - 1];
    for (const struct node *n = &t->flow->nodes[b->first]; n < last; n++) facts_step(&f, n, t->flow);
    struct x_fact base = f.x[last->d.in.rs1];
    *pc = (base.value + (uint32_t)last->d.in.imm) & ~1u;
    if (told) *told = base.told;
    return base.known;
}

struct facts facts_of_block(const struct fact_table *t, const struct block *block)
{
    const size_t i = (size_t)(block - t->flow->blocks);
    const struct facts *other = &t->in[i][FULL];
    struct facts f = t->in[i][MASKED];
    if (!t->reached[i][FULL]) return f;
    if (!t->reached[i][MASKED]) return *other;
    for (unsigned r = 0; r < ISA_XREGS; r++) f.x[r] = meet_x(f.x[r], other->x[r]);
    for (unsigned r = 0; r < ISA_VREGS; r++) f.v[r] = meet_v(f.v[r], other->v[r]);
    f.rpc = meet_x(f.rpc, other->rpc);
    f.stored |= other->stored;
    f.whole &= other->whole;
    return f;
}

/* ---- all blocks ---- */

/* At a merge of two ways. Returns whether less holds than before. */
static bool weaken(struct facts *to, const struct facts *from)
{
    bool changed = false;
    for (unsigned i = 0; i < ISA_XREGS; i++) {
        struct x_fact old = to->x[i], x = to->x[i] = meet_x(old, from->x[i]);
        changed |= x.known != old.known || x.knl != old.knl || x.args != old.args || x.align != old.align ||
                   x.told != old.told || x.zeros != old.zeros;
    }
    struct x_fact rpc = to->rpc;
    to->rpc = meet_x(rpc, from->rpc);
    changed |= to->rpc.known != rpc.known || to->rpc.align != rpc.align;
    for (unsigned i = 0; i < ISA_VREGS; i++) {
        struct v_fact old = to->v[i], v = to->v[i] = meet_v(old, from->v[i]);
        changed |= v.period != old.period || v.align != old.align || v.number != old.number || v.raw != old.raw ||
                   v.even != old.even || v.repeat != old.repeat || v.zeros != old.zeros || v.known != old.known;
    }
    changed |= from->stored && !to->stored;
    to->stored |= from->stored;
    return top_set_add(&to->tops, &from->tops) || changed;
}

static bool flow_in(struct fact_table *t, uint32_t pc, enum version version, const struct facts *from)
{
    const struct block *b = flow_block(t->flow, pc);
    if (!b) return false;
    struct facts *to = &t->in[b - t->flow->blocks][version];
    bool *reached = &t->reached[b - t->flow->blocks][version];
    struct facts here = *from;
    here.whole = version == FULL;
    if (here.whole) here.tops = top_set_one(TOP_FULL);
    if (*reached) return weaken(to, &here);
    *to = here;
    return *reached = true;
}

static bool flow_into_both(struct fact_table *t, uint32_t pc, const struct facts *from)
{
    bool masked = t->flow->request->lanes != LANES_CONVERGENT && flow_in(t, pc, MASKED, from);
    bool full = flow_in(t, pc, FULL, from);
    return masked || full;
}

/* Does a path wait at the join itself, which its branch leads to? */
static bool inactive_at(const struct fact_table *t, const struct node *join)
{
    const struct path *path = NULL;
    while ((path = path_next(&t->paths, join, path)) && path->pc != join->pc) {
    }
    return path != NULL;
}

struct join_ways facts_join(const struct fact_table *t, const struct block *b)
{
    const struct node *join = &t->flow->nodes[b->first + b->count - 1];
    unsigned element = joins_element(&t->joins, join->pc);
    const struct top_set *top = &t->in[b - t->flow->blocks][MASKED].tops, *below = &t->joins.below[element];
    struct top_set others = top_set_without(*top, element), some = top_set_without(*below, TOP_FULL);
    bool pop = top_set_has(top, element);
    return (struct join_ways){.next = !top_set_is_empty(&others),
                              .pop = pop,
                              .full = pop && top_set_has(below, TOP_FULL),
                              .met = pop && !top_set_is_empty(&some),
                              .some = pop && (!top_set_is_empty(&some) || inactive_at(t, join))};
}

bool facts_path_keeps(const struct fact_table *t, const struct node *join, const struct path *path)
{
    return t->closed && !flow_block(t->flow, join->pc)->entry && path_is_only_one(&t->paths, join, path);
}

static bool flow_from_join(struct fact_table *t, const struct block *b, const struct node *join, const struct facts *f)
{
    struct join_ways ways = facts_join(t, b);
    unsigned element = joins_element(&t->joins, join->pc);
    struct facts next = *f, met = *f, path_facts = *f;
    bool changed = false;
    next.tops = top_set_without(f->tops, element);
    met.tops = top_set_without(t->joins.below[element], TOP_FULL);
    path_facts.tops = top_set_one(element);
    if (ways.next) changed |= flow_in(t, node_next(join), MASKED, &next);
    if (ways.full) changed |= flow_in(t, join->pc, FULL, &met);
    if (ways.met) changed |= flow_in(t, join->pc, MASKED, &met);
    for (const struct path *path = NULL; ways.pop && (path = path_next(&t->paths, join, path));)
        if (!facts_path_keeps(t, join, path)) changed |= flow_in(t, path->pc, MASKED, &path_facts);
    return changed;
}

/* A vector branch: convergent, or divergent. */
static bool flow_from_branch(struct fact_table *t, const struct block *b, const struct node *branch,
                             enum version version, const struct facts *f)
{
    struct facts apart = *f;
    unsigned element = joins_element(&t->joins, paths_rpc(&t->paths, branch));
    bool changed = joins_push(&t->joins, element, &f->tops);
    apart.tops = top_set_one(element);
    changed |= flow_in(t, node_target(branch), version, f);
    changed |= flow_in(t, b->end, version, f);
    if (t->flow->request->lanes == LANES_CONVERGENT) return changed;
    changed |= flow_in(t, node_target(branch), MASKED, &apart);
    changed |= flow_in(t, b->end, MASKED, &apart);
    return changed;
}

static struct facts facts_none(void)
{
    struct facts f = {.tops = top_set_all()};
    f.x[0] = known(0);
    return f;
}

static bool flow_to_callers(struct fact_table *t, const struct node *jump, enum version version, const struct facts *f)
{
    const struct flow *flow = t->flow;
    uint32_t function = flow_function(flow, jump);
    bool changed = false;
    for (size_t i = 0; i < flow->ncalls; i++)
        if (flow_may_return(&flow->calls[i], function)) changed |= flow_in(t, flow->calls[i].back, version, f);
    return changed;
}

/* To wherever control goes at the end of a block (control.c). */
static bool flow_out(struct fact_table *t, const struct block *b, enum version version, const struct facts *f)
{
    const struct facts none = facts_none();
    const struct node *last = b->count ? &t->flow->nodes[b->first + b->count - 1] : NULL;
    unsigned control = last && last->how == HOW_CONTROL ? last->effects.control : CONTROL_NEXT;
    bool changed = false;
    uint32_t target;
    if (b->leaves) return b->resume && flow_into_both(t, b->resume, &none);
    switch (control) {
    case CONTROL_VBRANCH: return flow_from_branch(t, b, last, version, f);
    case CONTROL_BRANCH:
        changed |= flow_in(t, node_target(last), version, f);
        changed |= flow_in(t, b->end, version, f);
        return changed;
    case CONTROL_JUMP: return flow_in(t, node_target(last), version, f);
    case CONTROL_INDIRECT:
        if (facts_target(t, b, version, &target, NULL)) return flow_in(t, target, version, f);
        return flow_to_callers(t, last, version, f);
    case CONTROL_JOIN: return version == FULL ? flow_in(t, b->end, FULL, f) : flow_from_join(t, b, last, f);
    case CONTROL_END: return false;
    default: return flow_in(t, b->end, version, f);
    }
}

static bool flow_through(struct fact_table *t, size_t block, enum version version)
{
    const struct block *b = &t->flow->blocks[block];
    struct facts f = t->in[block][version];
    if (!t->reached[block][version]) return false;
    for (size_t i = b->first; i < b->first + b->count; i++) facts_step(&f, &t->flow->nodes[i], t->flow);
    bool changed = paths_reach(&t->paths, t->flow, b, f.rpc.known ? f.rpc.value : 0);
    if (version == MASKED) merge(&f, &t->in[block][version], t->flow, b);
    return flow_out(t, b, version, &f) || changed;
}

/* A warp that has just been made: all registers are 0. */
static void start(struct fact_table *t)
{
    struct facts zero = {.rpc = known(0)};
    for (unsigned i = 0; i < ISA_XREGS; i++) zero.x[i] = known(0);
    for (unsigned i = 0; i < ISA_VREGS; i++) zero.v[i] = fact_of_splat(known(0));
    zero.tops = top_set_one(TOP_NONE);
    if (t->flow->request->lanes == LANES_ANY) flow_into_both(t, t->flow->request->start, &zero);
    else flow_in(t, t->flow->request->start, FULL, &zero);
}

/* The block ends with an indirect jump: does that go to a block? Where it calls the kernel, warps come back from `step`
 * only if the metadata block says so still (entry.c). */
static bool jump_stays(const struct fact_table *t, const struct block *b, enum version version)
{
    uint32_t target;
    bool told, known = facts_target(t, b, version, &target, &told);
    return known && flow_block(t->flow, target) && (!told || target == t->flow->request->entry);
}

/* Does control stay in blocks that are known, or with `step` for an instruction? */
static bool stays(const struct fact_table *t, const struct block *b, enum version version)
{
    const struct node *last = b->count ? &t->flow->nodes[b->first + b->count - 1] : NULL;
    unsigned control = last && last->how == HOW_CONTROL ? last->effects.control : CONTROL_NEXT;
    if (b->leaves) return b->resume && !b->strays && flow_block(t->flow, b->resume);
    if (control == CONTROL_END) return true;
    if (control == CONTROL_INDIRECT) return jump_stays(t, b, version);
    bool jumps = control == CONTROL_BRANCH || control == CONTROL_VBRANCH || control == CONTROL_JUMP;
    return (!jumps || flow_block(t->flow, node_target(last))) &&
           (control == CONTROL_JUMP || flow_block(t->flow, b->end));
}

static bool is_closed(const struct fact_table *t)
{
    size_t i = 0;
    while (i < 2 * t->flow->nblocks &&
           (!t->reached[i / 2][i % 2] || stays(t, &t->flow->blocks[i / 2], (enum version)(i % 2))))
        i++;
    return i == 2 * t->flow->nblocks;
}

static void settle_facts(struct fact_table *t)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < 2 * t->flow->nblocks; i++) changed |= flow_through(t, i / 2, (enum version)(i % 2));
    }
}

bool facts_make(struct fact_table *t, const struct flow *flow)
{
    size_t n = flow->nblocks + 1;
    *t = (struct fact_table){.flow = flow, .in = calloc(n, sizeof *t->in), .reached = calloc(n, sizeof *t->reached)};
    if (!paths_make(&t->paths, flow) || !joins_make(&t->joins, flow) || !t->in || !t->reached) return false;
    for (size_t i = 0; i < 2 * flow->nblocks; i++) t->in[i / 2][i % 2] = facts_none();
    start(t);
    t->closed = true;
    settle_facts(t);
    t->closed = is_closed(t);
    if (!t->closed) settle_facts(t);
    return true;
}

void facts_free(struct fact_table *t)
{
    paths_free(&t->paths);
    joins_free(&t->joins);
    free(t->in);
    free(t->reached);
}
