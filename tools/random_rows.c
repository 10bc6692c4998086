/* Instructions of random programs, one function for each kind of them (random.h). Each writes what its operands need
 * in front of the instruction, so that the result is the same on all machines:
 *
 *   - memory is the work-item's, the lane's or the warp's own; words that all share get atomics that commute, and
 *     nobody looks at the old values
 *   - divergent code writes no scalar register and no scalar memory that anybody reads, because the paths of a branch
 *     have no order
 *   - special functions get operands whose results are exact in every format, or nobody reads the result; matrices get
 *     small powers of two, whose sums of products are exact in any order
 *   - instructions that read other lanes stand where all lanes are active */
#include <stdarg.h>
#include <string.h>

#include "isa/effects.h"
#include "isa/tile.h"
#include "tools/random.h"

uint32_t random_below(struct writer *w, uint32_t n)
{
    w->state = w->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(w->state >> 33) % n;
}
#define below random_below

void random_line(struct writer *w, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fputs("        ", w->out);
    vfprintf(w->out, format, list);
    fputc('\n', w->out);
    va_end(list);
}
#define line random_line

/* ---- operands ---- */

static unsigned any_x(struct writer *w) { return below(w, 4) ? X_FIRST + below(w, X_COUNT) : w->last_x; }
static unsigned any_v(struct writer *w)
{
    if (!below(w, 4)) return w->last_v;
    return below(w, 5) ? 1 + below(w, LOW_COUNT) : HIGH_FIRST + below(w, HIGH_COUNT);
}

static unsigned any_x_pair(struct writer *w) { return X_FIRST + 2 * below(w, X_COUNT / 2); }
static unsigned any_v_pair(struct writer *w) { return below(w, 5) ? 2 + 2 * below(w, 5) : 34 + 2 * below(w, 3); }

/* Scalar results: in divergent code nobody reads them. */
static unsigned any_result(struct writer *w)
{
    if (w->branches) return X_UNUSED;
    return w->last_x = X_FIRST + below(w, X_COUNT);
}

static unsigned any_v_result(struct writer *w) { return w->last_v = any_v(w); }

/* x0 now and then. */
static uint8_t any_register(struct writer *w, const struct isa_effects *e, unsigned role)
{
    const bool is_pair = e->count[role] == 2;
    if (e->vectors >> role & 1) return (uint8_t)(is_pair ? any_v_pair(w) : any_v(w));
    if (!(e->scalars >> role & 1)) return 0;
    if (is_pair) return (uint8_t)any_x_pair(w);
    return (uint8_t)(below(w, 8) ? any_x(w) : 0);
}

static int32_t any_immediate(struct writer *w, const struct isa_desc *row)
{
    if (strchr(row->operands, 'U')) return (int32_t)(below(w, 1 << 20) << 12);
    const int32_t n = (int32_t)below(w, 16);
    const bool is_signed = strpbrk(row->operands, "ikJ") != NULL;
    return below(w, 4) == 0 ? 0 : is_signed && below(w, 2) ? -n : n;
}

/* An offset of an access of `size` bytes within the first `room` bytes. */
static int32_t any_offset(struct writer *w, uint32_t room, uint32_t size)
{
    return (int32_t)(below(w, room / size) * size);
}

static void any_mask(struct writer *w, struct insn *in)
{
    if (isa_has((enum isa_op)in->op, ROLE_VM)) in->vm = below(w, 4) != 0;
}

static struct insn insn_of(enum isa_op op) { return (struct insn){.op = (uint16_t)op, .vm = 1, .rm = 7}; }

/* False: it has no code. */
static bool put(struct writer *w, const struct insn *in)
{
    char text[200];
    uint32_t words[ISA_MAX_WORDS];
    if (!isa_encode_in(w->profile, in, words, NULL)) return false;
    isa_print(in, 0, ISA_PRINT_NUMERIC, text, sizeof text);
    line(w, "%s", text);
    return true;
}

/* The address of `offset` from a scalar register, in x21 or, if it has 64 bits, in x30 and x31. */
static uint8_t put_address(struct writer *w, bool is_long, unsigned base, int32_t offset)
{
    const uint8_t reg = is_long ? X_LONG : X_TEMP;
    line(w, "addi x%u, x%u, %d", reg, base, offset);
    if (is_long) line(w, "li x%u, 0", reg + 1);
    return reg;
}

/* ---- instructions that compute ---- */

static bool overlap(unsigned a, unsigned a_count, unsigned b, unsigned b_count)
{
    return a < b + b_count && b < a + a_count;
}

/* A group of registers that is written must not be a part of one that is read. */
static bool groups_are_apart(const struct insn *in, const struct isa_effects *e)
{
    const uint8_t number[] = {in->rd, in->rs1, in->rs2, in->rs3};
    for (unsigned role = ROLE_RS1; role <= ROLE_RS3; role++)
        if (((e->vectors >> role & e->vectors >> ROLE_RD) & 1) && e->count[role] != e->count[ROLE_RD] &&
            overlap(in->rd, e->count[ROLE_RD], number[role], e->count[role]))
            return false;
    return true;
}

static bool put_arithmetic(struct writer *w, enum isa_op op)
{
    struct insn in = insn_of(op);
    const struct isa_effects e = isa_effects(&in, w->lanes);
    const bool to_x = e.writes & e.scalars & 1 << ROLE_RD, to_v = e.writes & e.vectors & 1 << ROLE_RD;
    in.rd = to_x && w->branches ? X_UNUSED : any_register(w, &e, ROLE_RD);
    in.rs1 = any_register(w, &e, ROLE_RS1);
    in.rs2 = any_register(w, &e, ROLE_RS2);
    in.rs3 = any_register(w, &e, ROLE_RS3);
    in.imm = isa_has(op, ROLE_IMM) ? any_immediate(w, &isa_table[op]) : 0;
    any_mask(w, &in);
    if (isa_has(op, ROLE_RM) && !w->rounds_dynamically && !below(w, 8)) in.rm = (uint8_t)below(w, 4);
    if (!groups_are_apart(&in, &e)) return false;
    if (op == OP_VSHUFFLE_DOWN_RAW) { /* how far up: within four lanes */
        line(w, "vxor.vi v%d, v%d, 3", V_TEMP, V_LANE);
        line(w, "vand.vi v%d, v%d, 3", V_TEMP, V_TEMP);
        in.rs1 = V_TEMP;
    }
    if (!put(w, &in)) return false;
    if (to_x && in.rd && in.rd != X_UNUSED) w->last_x = in.rd;
    if (to_v) w->last_v = in.rd;
    return true;
}

/* A scalar out of lanes: all have the same, because which lane it is of is not the same everywhere. Or of any, and
 * nobody reads it. */
static bool put_first(struct writer *w, enum isa_op op)
{
    struct insn in = insn_of(op);
    in.rs2 = (uint8_t)any_v(w);
    in.rd = X_UNUSED;
    if (below(w, 2)) {
        line(w, "vmv.v.x v%d, x%u", V_TEMP, any_x(w));
        in.rs2 = V_TEMP;
        in.rd = (uint8_t)(below(w, 8) ? any_result(w) : 0);
    }
    return put(w, &in);
}

/* ---- numbers that are exact in all formats ---- */

struct format {
    uint8_t exponent, mantissa; /* bits; without an exponent it is an integer */
};
static const struct format formats[TILE_ELEMENTS] = {
    [TILE_TF32] = {8, 23}, [TILE_F16] = {5, 10}, [TILE_BF16] = {8, 7}, [TILE_E4M3] = {4, 3}, [TILE_E5M2] = {5, 2},
    [TILE_E3M2] = {3, 2},  [TILE_E2M3] = {2, 3}, [TILE_E2M1] = {2, 1}, [TILE_E3M0] = {3, 0}, [TILE_F32] = {8, 23},
};

/* A power of two, or its negative, or 0. */
static uint32_t bits_of(enum tile_element element, int number)
{
    const struct format f = formats[element];
    const unsigned magnitude = (unsigned)(number < 0 ? -number : number);
    if (!f.exponent || !number) return (uint32_t)number;
    const unsigned exponent = (unsigned)__builtin_ctz(magnitude) + (1u << (f.exponent - 1)) - 1;
    return (uint32_t)(number < 0) << (f.exponent + f.mantissa) | exponent << f.mantissa;
}

static const int zero[] = {0}, integers[] = {0, 1, 2, 4, -1, -2}, squares[] = {1, 4, 16};
struct numbers {
    const int *list;
    uint32_t count;
};
#define NUMBERS(list) \
    (struct numbers) { list, sizeof(list) / sizeof *(list) }

/* A word of elements. */
static uint32_t any_word(struct writer *w, enum tile_element element, unsigned bits, struct numbers from)
{
    uint32_t word = 0;
    for (unsigned at = 0; at < 32; at += bits) {
        const uint32_t number = bits_of(element, from.list[below(w, from.count)]);
        word |= (bits < 32 ? number & ((1u << bits) - 1) : number) << at;
    }
    return word;
}

/* One of two words in each lane, as a bit of its number says. */
static void put_words(struct writer *w, unsigned reg, uint32_t one, uint32_t other)
{
    line(w, "vsrl.vi v%d, v%d, %u", V_TEMP, V_LANE, below(w, 3));
    line(w, "vand.vi v%d, v%d, 1", V_TEMP, V_TEMP);
    line(w, "li x%d, 0x%x", X_TEMP, one - other);
    line(w, "vmul.vx v%d, v%d, x%d", V_TEMP, V_TEMP, X_TEMP);
    line(w, "li x%d, 0x%x", X_TEMP, other);
    line(w, "vadd.vx v%u, v%d, x%d", reg, V_TEMP, X_TEMP);
}

static void put_group(struct writer *w, unsigned reg, unsigned count, enum tile_element element, unsigned bits)
{
    for (unsigned i = 0; i < count; i++)
        put_words(w, reg + i, any_word(w, element, bits, NUMBERS(integers)),
                  any_word(w, element, bits, NUMBERS(integers)));
}

/* ---- special functions ---- */

/* Functions whose results need not be rounded correctly, and operands with exact results. */
static const struct special {
    const char *name; /* the name's beginning */
    struct numbers exact;
} specials[] = {
    {"vfexp", {zero, 1}},    {"ex2.", {integers, 6}},  {"lg2.", {squares, 3}}, {"rcp.", {squares, 3}},
    {"sqrt.", {squares, 3}}, {"rsqrt.", {squares, 3}}, {"sin.", {zero, 1}},    {"cos.", {zero, 1}},
    {"tanh.", {zero, 1}},    {"gelu.", {zero, 1}},     {"silu.", {zero, 1}},
};

static const struct special *special_of(enum isa_op op)
{
    for (unsigned i = 0; i < sizeof specials / sizeof *specials; i++)
        if (!strncmp(isa_table[op].name, specials[i].name, strlen(specials[i].name))) return &specials[i];
    return NULL;
}

static bool put_special(struct writer *w, enum isa_op op, const struct special *s)
{
    const char *name = isa_table[op].name;
    const bool is_half = strstr(name, ".f16x2"), is_brain = strstr(name, ".bf16x2");
    const enum tile_element element = is_half ? TILE_F16 : is_brain ? TILE_BF16 : TILE_F32;
    const unsigned bits = is_half || is_brain ? 16 : 32;
    struct insn in = insn_of(op);
    in.rs2 = (uint8_t)any_v(w);
    in.rd = V_UNUSED;
    any_mask(w, &in);
    if (below(w, 2)) {
        put_words(w, in.rs2, any_word(w, element, bits, s->exact), any_word(w, element, bits, s->exact));
        in.rd = (uint8_t)any_v_result(w);
    }
    return put(w, &in);
}

/* ---- matrices ---- */

/* Any codes of an mma64 whose matrices are in registers. */
static uint16_t any_control(struct writer *w) { return (uint16_t)(below(w, 1 << 16) & 0xffcc); }

static bool put_matrix(struct writer *w, enum isa_op op)
{
    struct tile t;
    struct insn in = insn_of(op);
    if (isa_has(op, ROLE_AUX)) in.aux = any_control(w);
    if (isa_tile(&in, w->profile, w->lanes, &t)) return false;
    const struct isa_effects e = isa_effects(&in, w->lanes);
    const enum tile_element sum = t.half ? TILE_F16 : formats[t.element].exponent ? TILE_F32 : TILE_S8;
    const unsigned end = V_MATRICES + e.count[ROLE_RS1] + e.count[ROLE_RS2] + 2u * e.count[ROLE_RD];
    in.rs1 = V_MATRICES;
    in.rs2 = (uint8_t)(in.rs1 + e.count[ROLE_RS1]);
    in.rd = in.rs3 = (uint8_t)(in.rs2 + e.count[ROLE_RS2]);
    if (end > ISA_VREGS) return false;
    if (e.vectors >> ROLE_RS3 & 1) in.rs3 = (uint8_t)(in.rd + e.count[ROLE_RD]);
    else in.rs3 = 0;
    put_group(w, in.rs1, e.count[ROLE_RS1], (enum tile_element)t.element, t.bits);
    put_group(w, in.rs2, e.count[ROLE_RS2], (enum tile_element)t.element, t.bits);
    put_group(w, in.rs3 ? in.rs3 : in.rd, e.count[ROLE_RD], sum, t.half ? 16 : 32);
    if (in.rs3) put_group(w, in.rd, e.count[ROLE_RD], sum, t.half ? 16 : 32);
    if (!put(w, &in)) return false;
    for (unsigned i = 0, to = any_v_result(w); i < e.count[ROLE_RD]; i++)
        line(w, "vxor.vv v%u, v%u, v%u", to, to, in.rd + i);
    return true;
}

/* ---- scalar accesses ---- */

/* Where a scalar access may go, x[result] + *offset: in convergent code to words of the warp in global or local memory;
 * in divergent code loads go to what nobody writes, and stores to what nobody reads. */
static unsigned scalar_place(struct writer *w, bool is_store, uint32_t size, int32_t *offset)
{
    const bool is_constant = w->branches && !is_store, is_stack = w->branches ? is_store : below(w, 2);
    *offset = any_offset(w, is_constant ? LANE_WORDS - CONSTANT : WARP_BYTES, size);
    *offset += is_constant ? CONSTANT : !is_stack ? WARP_WORDS : w->branches ? STACK_SINK : 0;
    return is_stack ? 2 : X_WARP;
}

static bool put_scalar_access(struct writer *w, enum isa_op op)
{
    struct insn in = insn_of(op);
    const struct isa_memory m = isa_memory(&in);
    const bool is_store = m.action == ACTION_STORE;
    int32_t offset;
    unsigned base = scalar_place(w, is_store, m.size, &offset);
    if (m.is_long || below(w, 2)) {
        const int32_t rest = (int32_t)below(w, 3) * 8 - 8;
        base = put_address(w, m.is_long, base, offset - rest);
        offset = rest;
    }
    in.rs1 = (uint8_t)base;
    in.imm = offset;
    if (is_store) in.rs2 = (uint8_t)(below(w, 8) ? any_x(w) : 0);
    else in.rd = (uint8_t)(below(w, 8) ? any_result(w) : 0);
    return put(w, &in);
}

/* ---- accesses of lanes ---- */

/* The addresses of an access with an offset, in a vector register: the work-item's bytes in global or local memory, or
 * in its private memory. */
static uint8_t lane_addresses(struct writer *w, const struct insn *in, const struct isa_memory *m, uint32_t *room)
{
    const uint32_t space = isa_table[in->op].flags >> ISA_SPACE_SHIFT & 3;
    const bool is_private = m->address == ADDRESS_PRIVATE || space == 2, is_local = space == 3;
    if (m->is_long) {
        line(w, "vadd.vi v%d, v%d, 0", V_LONG, V_ITEM);
        line(w, "vmv.v.i v%d, 0", V_LONG + 1);
        return V_LONG;
    }
    if (is_private) {
        *room = 32;
        line(w, "vmv.v.i v%d, 0", V_TEMP);
    } else if (is_local) {
        *room = STACK_LANE_BYTES;
        line(w, "csrr x%d, CSR_LDS", X_TEMP);
        line(w, "vsub.vx v%d, v%d, x%d", V_TEMP, V_LOCAL, X_TEMP);
    } else {
        const bool here = !space && below(w, 4) == 0;
        if (here) *room = STACK_LANE_BYTES;
        return here ? V_LOCAL : V_ITEM;
    }
    return V_TEMP;
}

static bool put_lane_access(struct writer *w, enum isa_op op)
{
    struct insn in = insn_of(op);
    const struct isa_memory m = isa_memory(&in);
    uint32_t room = RESULTS;
    in.rs1 = lane_addresses(w, &in, &m, &room);
    in.imm = any_offset(w, room, m.size);
    if (below(w, 2)) { /* the offset may be below zero, or nothing */
        const int32_t rest = (int32_t)below(w, 2) * -8;
        const uint8_t from = in.rs1;
        in.rs1 = m.is_long ? V_LONG : V_TEMP;
        line(w, "vadd12.vi v%u, v%u, %d", in.rs1, from, in.imm - rest);
        in.imm = rest;
    }
    if (m.action == ACTION_STORE) in.rs2 = (uint8_t)any_v(w);
    else in.rd = (uint8_t)any_v_result(w);
    return put(w, &in);
}

/* Unit stride: an element of each lane. Strided: the same bytes of each work-item. Indexed: words of the lanes. */
static bool put_vector_access(struct writer *w, enum isa_op op)
{
    struct insn in = insn_of(op);
    const struct isa_memory m = isa_memory(&in);
    int32_t offset = any_offset(w, RESULTS, m.size);
    if (m.address == ADDRESS_UNIT) offset = m.size == 4 ? LANE_WORDS : m.size == 2 ? LANE_HALVES : LANE_BYTES;
    if (m.address == ADDRESS_INDEXED) {
        offset = LANE_WORDS;
        line(w, "vsll.vi v%d, v%d, 2", V_TEMP, V_LANE);
        in.rs2 = V_TEMP;
    }
    in.rs1 = put_address(w, false, X_WARP, offset);
    if (m.address == ADDRESS_STRIDED) {
        in.rs2 = X_TEMP + 1;
        line(w, "li x%u, %d", in.rs2, ITEM_BYTES);
    }
    any_mask(w, &in);
    if (m.action == ACTION_STORE) in.rs3 = (uint8_t)any_v(w);
    else in.rd = (uint8_t)any_v_result(w);
    return put(w, &in);
}

/* ---- atomics ---- */

/* Operations that commute have a word of the launch for each of them; -1: it does not. */
static int shared_word(enum isa_op op)
{
    static const char *const names[] = {"amoadd",  "amoxor",  "amoand",  "amoor",
                                        "amomin.", "amomax.", "amominu", "amomaxu"};
    for (int i = 0; i < 8; i++)
        if (!strncmp(isa_table[op].name, names[i], strlen(names[i]))) return i;
    return -1;
}

static void any_order(struct writer *w, struct insn *in)
{
    in->aq = (uint8_t)below(w, 2);
    in->rl = (uint8_t)below(w, 2);
}

/* On a word of the warp, or on one that all share, whose old value nobody reads. */
static bool put_scalar_atomic(struct writer *w, enum isa_op op)
{
    struct insn in = insn_of(op);
    const bool is_long = isa_memory(&in).is_long;
    const int shared = below(w, 2) ? shared_word(op) : -1;
    int32_t offset = 0;
    const unsigned base = shared >= 0 ? X_BUFFER : scalar_place(w, true, 4, &offset);
    in.rs1 = put_address(w, is_long, base, shared >= 0 ? SHARED + 4 * shared : offset);
    in.rs2 = (uint8_t)(below(w, 8) ? any_x(w) : 0);
    in.rd = (uint8_t)(!below(w, 8) ? 0 : shared >= 0 ? X_UNUSED : any_result(w));
    any_order(w, &in);
    return put(w, &in);
}

static bool put_lane_atomic(struct writer *w, enum isa_op op)
{
    struct insn in = insn_of(op);
    const int shared = below(w, 2) ? shared_word(op) : -1;
    const bool is_local = below(w, 4) == 0;
    in.rs1 = V_TEMP;
    in.rs2 = (uint8_t)any_v(w);
    in.rd = V_UNUSED;
    if (shared >= 0) {
        const unsigned address = put_address(w, false, X_BUFFER, SHARED + 4 * shared);
        line(w, "vmv.v.x v%d, x%u", V_TEMP, address);
    } else {
        line(w, "vadd12.vi v%d, v%d, %d", V_TEMP, is_local ? V_LOCAL : V_ITEM,
             any_offset(w, is_local ? STACK_LANE_BYTES : RESULTS, 4));
        in.rd = (uint8_t)any_v_result(w);
    }
    any_order(w, &in);
    return put(w, &in);
}

/* Both of a pair: what is stored is what has been loaded, so that a store which fails, as it may, changes nothing. */
static bool put_reserved(struct writer *w, enum isa_op op)
{
    static const char *const names[][2] = {{"lr.w", "sc.w"}, {"lr.d", "sc.d"}};
    struct insn load = insn_of(op);
    const struct isa_memory m = isa_memory(&load);
    const char *const *pair = names[m.is_long];
    struct insn store = insn_of(isa_find_in(w->profile, pair[1]));
    load = insn_of(isa_find_in(w->profile, pair[0]));
    if (m.address == ADDRESS_SCALAR) {
        int32_t offset;
        const unsigned base = scalar_place(w, true, 4, &offset);
        load.rs1 = put_address(w, m.is_long, base, offset);
        load.rd = (uint8_t)any_result(w);
        store.rd = X_UNUSED + 1;
    } else {
        line(w, "vadd12.vi v%d, v%d, %d", V_TEMP, V_ITEM, any_offset(w, RESULTS, 4));
        load.rs1 = V_TEMP;
        load.rd = (uint8_t)any_v_result(w);
        store.rd = V_UNUSED;
    }
    store.rs1 = load.rs1;
    store.rs2 = load.rd;
    any_order(w, &load);
    any_order(w, &store);
    return put(w, &load) && put(w, &store);
}

/* ---- state ---- */

/* Registers whose values all machines have alike: what has been written there in front, or what the launch says. */
static bool put_csr(struct writer *w, enum isa_op op)
{
    static const struct {
        const char *name;
        uint32_t values; /* 0: it is read only */
        bool rounds;
    } csrs[] = {{"fflags", 32, false},  {"vxsat", 2, false},   {"frm", 4, true},
                {"vxrm", 4, true},      {"CSR_TID", 0, false}, {"CSR_NUMW", 0, false},
                {"CSR_NUMT", 0, false}, {"CSR_WID", 0, false}, {"CSR_GIDX", 0, false}};
    struct insn in = insn_of(op);
    const uint32_t which = below(w, sizeof csrs / sizeof *csrs);
    const bool always = isa_table[op].flags & ISA_ALWAYS, is_immediate = isa_has(op, ROLE_IMM);
    if ((w->branches && csrs[which].rounds) || (always && !csrs[which].values)) return false;
    in.aux = isa_csr_name(csrs[which].name)->number;
    in.rd = (uint8_t)(below(w, 8) ? any_result(w) : 0);
    if (csrs[which].values) {
        line(w, "csrrwi x0, %s, %u", csrs[which].name, below(w, csrs[which].values));
        if (is_immediate) in.imm = (int32_t)below(w, csrs[which].values);
        else in.rs1 = (uint8_t)(below(w, 8) ? any_x(w) : 0);
    }
    if (!put(w, &in)) return false;
    if (csrs[which].rounds) line(w, "csrrwi x0, %s, %u", csrs[which].name, below(w, csrs[which].values));
    return true;
}

/* A vector length, which nothing uses, and all lanes again. */
static bool put_length(struct writer *w, enum isa_op op)
{
    const unsigned rd = any_result(w);
    const char *const type = "e32,m1,ta,ma";
    line(w, "li x%d, %u", X_TEMP, 1 + below(w, 2 * w->lanes));
    if (op == OP_VSETVL) {
        line(w, "csrr x%d, vtype", X_TEMP + 1);
        line(w, "vsetvl x%u, x%d, x%d", rd, X_TEMP, X_TEMP + 1);
    } else if (op == OP_VSETIVLI) line(w, "vsetivli x%u, %u, %s", rd, below(w, 32), type);
    else line(w, "vsetvli x%u, x%d, %s", rd, X_TEMP, type);
    line(w, "csrr x%d, CSR_NUMT", X_TEMP);
    line(w, "vsetvli x%d, x%d, %s", X_UNUSED, X_TEMP, type);
    return true;
}

/* A row of the ray-tracing table is written and read again by the same lanes. */
static bool put_ray_row(struct writer *w)
{
    const unsigned row = below(w, 64);
    line(w, "vsrt.w v%u, %u", any_v(w), row);
    line(w, "vlrt.w v%u, %u", any_v_result(w), row);
    return true;
}

/* ---- jumps, copies ---- */

/* Over nothing, or over an instruction. The register gets an address of the program, the same on all machines. */
static bool put_jump(struct writer *w, enum isa_op op)
{
    const unsigned n = w->labels++, rd = below(w, 4) ? any_result(w) : 0;
    const int offset = (int)below(w, 3) * 8 - 8;
    if (op == OP_JAL) line(w, "jal x%u, jump%u", rd, n);
    else {
        line(w, "la x%d, jump%u", X_TEMP, n);
        line(w, "addi x%d, x%d, %d", X_TEMP, X_TEMP, -offset);
        line(w, "jalr x%u, x%d, %d", rd, X_TEMP, offset);
    }
    if (below(w, 2)) line(w, "addi x%u, x%u, 1", w->branches ? X_UNUSED : w->last_x, any_x(w));
    fprintf(w->out, "jump%u:\n", n);
    return true;
}

enum { COPY_BYTES = 16, DESCRIPTOR_LANES = 16 };

/* A descriptor: powers of two by lane, and an address in one lane. */
static void put_descriptor(struct writer *w, unsigned reg, const uint8_t *numbers, unsigned address_lane,
                           unsigned address)
{
    line(w, "vmv.v.i v%u, 0", reg);
    for (unsigned lane = 0; lane < DESCRIPTOR_LANES; lane++) {
        if (!numbers[lane] && lane != address_lane) continue;
        line(w, "vmseq.vi v%d, v%d, %u", V_TEMP, V_LANE, lane);
        if (lane == address_lane) line(w, "vmul.vx v%d, v%d, x%u", V_TEMP, V_TEMP, address);
        else line(w, "vsll.vi v%d, v%d, %d", V_TEMP, V_TEMP, __builtin_ctz(numbers[lane]));
        line(w, "vor.vv v%u, v%u, v%d", reg, reg, V_TEMP);
    }
}

/* From words of the warp in global memory to its local memory; stores have come there before, and nobody reads the
 * copy before it is complete. */
static bool put_copy(struct writer *w, enum isa_op op)
{
    struct insn in = insn_of(op);
    line(w, "fence rw, rw");
    line(w, "addi x%d, x%d, %d", X_TEMP, X_WARP, WARP_WORDS + (int)below(w, 2) * COPY_BYTES);
    line(w, "li x%d, %u", X_TEMP + 1, 4 + 4 * below(w, COPY_BYTES / 4));
    line(w, "addi x%d, x2, %d", X_UNUSED, STACK_COPIES);
    in.rs1 = X_TEMP;
    in.rs2 = X_TEMP + 1;
    if (isa_effects(&in, w->lanes).vectors & 1 << ROLE_RS1) { /* a box of words in a tensor of one dimension */
        const uint8_t tensor[DESCRIPTOR_LANES] = {[0] = 2, [1] = 1, [3] = 4},
                      box[DESCRIPTOR_LANES] = {[1] = 4, [6] = 1};
        in.rs1 = V_MATRICES;
        in.rs2 = V_MATRICES + 1;
        put_descriptor(w, in.rs1, tensor, 2, X_TEMP);
        put_descriptor(w, in.rs2, box, 0, X_TEMP);
    }
    line(w, "vmv.v.x v%d, x%d", V_TEMP, X_UNUSED);
    in.rd = isa_effects(&in, w->lanes).scalars & 1 << ROLE_RD ? X_UNUSED : V_TEMP;
    if (isa_has(op, ROLE_IMM)) in.imm = 4 << below(w, 3);
    if (op != OP_CP_DMA_MBARRIER) put(w, &in);
    line(w, "cp_dma_mbarrier");
    line(w, "lw x%u, %d(x2)", any_result(w), STACK_COPIES + any_offset(w, COPY_BYTES, 4));
    return true;
}

/* ---- all ---- */

const char *random_left_out(enum isa_op op, unsigned lanes)
{
    const struct isa_desc *row = &isa_table[op];
    if (row->kind == KIND_ABSENT) return "the machine has no semantics for it";
    if (row->kind == KIND_MMA && lanes != ISA_LANES && !strncmp(row->name, "mma", 3)) return "needs warps of 32 lanes";
    if ((op == OP_CP_DMA_TENSOR || op == OP_CP_DMA_TENSOR_X) && lanes < DESCRIPTOR_LANES)
        return "needs warps of 16 lanes or more";
    return NULL;
}

/* Matrices and copies take all lanes, shuffles read others, and a sub-group barrier waits for them. */
bool random_is_convergent(enum isa_op op)
{
    switch (isa_table[op].kind) {
    case KIND_MMA:
    case KIND_DMA:
    case KIND_MBARRIER:
    case KIND_BARRIERSUB: return true;
    default: return !strncmp(isa_table[op].expr, "from_lane", 9);
    }
}

bool random_is_row(enum isa_op op)
{
    switch (isa_table[op].kind) {
    case KIND_BRANCH:
    case KIND_VBRANCH:
    case KIND_JOIN:
    case KIND_SETRPC:
    case KIND_PREFIX:
    case KIND_ENDPRG:
    case KIND_BARRIER: return false;
    default: return true;
    }
}

bool random_row(struct writer *w, enum isa_op op)
{
    const struct special *special = special_of(op);
    struct insn in = insn_of(op);
    if (w->branches && random_is_convergent(op)) return false;
    if (special) return put_special(w, op, special);
    switch (isa_table[op].kind) {
    case KIND_V2X: return put_first(w, op);
    case KIND_MMA: return put_matrix(w, op);
    case KIND_XLOAD:
    case KIND_XSTORE: return put_scalar_access(w, op);
    case KIND_VLOAD:
    case KIND_VSTORE:
    case KIND_PLOAD:
    case KIND_PSTORE: return put_lane_access(w, op);
    case KIND_ULOAD:
    case KIND_USTORE:
    case KIND_SLOAD:
    case KIND_SSTORE:
    case KIND_ILOAD:
    case KIND_ISTORE: return put_vector_access(w, op);
    case KIND_AMO: return put_lane_atomic(w, op);
    case KIND_XAMO: return put_scalar_atomic(w, op);
    case KIND_LR:
    case KIND_SC:
    case KIND_XLR:
    case KIND_XSC: return put_reserved(w, op);
    case KIND_CSR: return put_csr(w, op);
    case KIND_VSET: return put_length(w, op);
    case KIND_RTLOAD:
    case KIND_RTSTORE: return put_ray_row(w);
    case KIND_JAL:
    case KIND_JALR: return put_jump(w, op);
    case KIND_DMA:
    case KIND_MBARRIER: return put_copy(w, op);
    case KIND_FENCE: line(w, "fence rw, rw"); return true;
    case KIND_FENCE_I: return put(w, &in);
    case KIND_BARRIERSUB: in.imm = (int32_t)below(w, 8); return put(w, &in);
    default: return put_arithmetic(w, op);
    }
}
