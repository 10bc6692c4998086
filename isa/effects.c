/* What an instruction does, derived from the tables: which operands are registers, which of them it reads and writes,
 * how many adjacent registers each of them names, what it moves to and from memory, which state and control flow it
 * touches. The machine compares the counts with the launch's registers, the assembler makes a kernel's of them; checks,
 * traces and the compiler take the directions. */
#include "effects.h"

#include "tables.h"
#include "tile.h"

/* ---- kinds ---- */

enum { SIMT = STATE_SIMT, VL = STATE_VL, VTYPE = STATE_VTYPE, RPC = STATE_RPC, RAY = STATE_RAY, LANES = SIMT | VL };
#define MEMORY_OF(action, address, data) ACTION_##action, ADDRESS_##address, ROLE_##data
#define NOTHING                          MEMORY_OF(NONE, NONE, RD)
#define COPY                             MEMORY_OF(COPY, NONE, RD)
#define LOAD(address)                    MEMORY_OF(LOAD, address, RD)
#define STORE(address, data)             MEMORY_OF(STORE, address, data)
#define AMO(address)                     MEMORY_OF(AMO, address, RS2)
#define LR(address)                      MEMORY_OF(LR, address, RD)
#define SC(address)                      MEMORY_OF(SC, address, RS2)

const struct isa_kind_desc isa_kinds[KIND_COUNT] = {
#define KIND(id, expression, registers, memory, control, reads, writes, text) \
    {#id, EXPRESSION_##expression, USAGE_##registers, memory, CONTROL_##control, reads, writes},
#include "kind.def"
#undef KIND
};

/* ---- memory ---- */

static bool is_even(const struct insn *in, unsigned role)
{
    return (isa_table[in->prefix].flags & ISA_EVEN) && isa_get(in, (enum operand_role)role) % 2 == 0;
}

bool isa_is_data_pair(const struct insn *in, unsigned role)
{
    bool is_x0 = isa_fixed(in->op)->scalars >> role & 1 && !isa_get(in, (enum operand_role)role);
    return is_even(in, role) && !is_x0;
}

struct isa_memory isa_memory(const struct insn *in)
{
    const struct isa_desc *row = &isa_table[in->op];
    const struct isa_kind_desc *kind = &isa_kinds[row->kind];
    uint8_t bytes = row->flags >> ISA_BYTES_SHIFT & 7;
    bool indexed = kind->address == ADDRESS_INDEXED;
    struct isa_memory m = {.action = kind->action, .address = kind->address, .data = kind->data};
    if (!kind->address) return m;
    m.size = indexed ? 4 : bytes;
    m.index = indexed ? bytes : 0;
    m.is_signed = !indexed && row->flags & ISA_SIGNED;
    m.words = 1;
    if (kind->action <= ACTION_STORE && m.size == 4) m.words = (uint8_t)(in->width + 1 + isa_is_data_pair(in, m.data));
    m.is_long = in->pair || (row->flags & ISA_LONG) || is_even(in, ROLE_RS1);
    return m;
}

/* ---- operands ---- */

static uint8_t bit(unsigned role) { return (uint8_t)(1u << role); }

static unsigned number_of(const struct insn *in, unsigned role)
{
    return (unsigned)isa_get(in, (enum operand_role)role);
}

static bool names_csr_of_lanes(const struct insn *in)
{
    return isa_table[in->op].kind == KIND_CSR && isa_csr_per_lane(in->aux);
}

static void find_operands(const struct insn *in, struct isa_effects *e)
{
    e->scalars = isa_fixed(in->op)->scalars;
    e->vectors = isa_fixed(in->op)->vectors;
    if (in->apart) e->vectors |= bit(ROLE_RS3);
    if (names_csr_of_lanes(in)) e->scalars &= (uint8_t)~bit(ROLE_RD), e->vectors |= bit(ROLE_RD);
}

/* rd is the destination, and now and then a source. */
static void find_directions(const struct insn *in, struct isa_effects *e)
{
    const struct isa_desc *row = &isa_table[in->op];
    enum isa_usage usage = (enum isa_usage)isa_kinds[row->kind].usage;
    unsigned all = e->scalars | e->vectors, rd = all & bit(ROLE_RD);
    bool keeps_part = usage == USAGE_PARTS && in->elem;
    bool reads_rd = usage == USAGE_SOURCES || keeps_part || (row->flags & ISA_READS_D && !in->apart);
    e->writes = (uint8_t)(usage == USAGE_SOURCES ? 0 : rd);
    e->reads = (uint8_t)(reads_rd ? all : all & ~rd);
    e->mask = !in->vm || (row->flags & ISA_V0);
}

/* The row itself may have pairs. A prefix makes pairs of all operands, or (r2.0) of those with even numbers; a
 * memory prefix makes one of an address alone. What pairs are to an access isa_memory says. */
static void find_pairs(const struct insn *in, struct isa_effects *e)
{
    uint32_t flags = isa_table[in->op].flags, prefix = isa_table[in->prefix].flags;
    unsigned all = e->vectors | e->scalars, row = 0, folded = 0;
    if (flags & ISA_PAIR_D) row |= bit(ROLE_RD) | bit(ROLE_RS3);
    if (flags & ISA_PAIR_1) row |= bit(ROLE_RS1);
    if (flags & ISA_PAIR_2) row |= bit(ROLE_RS2);
    if (in->pair) folded = all;
    else
        for (unsigned role = ROLE_RD; role <= ROLE_RS3; role++) folded |= is_even(in, role) ? bit(role) : 0;
    bool of_memory = prefix & ISA_MEMORY || (prefix & ISA_EVEN && isa_memory(in).words);
    e->row_pairs = (uint8_t)(row & all);
    e->prefix_pairs = of_memory ? 0 : (uint8_t)(folded & all);
}

/* ---- how many registers ---- */

static uint16_t registers_for(unsigned words, const struct tile *t)
{
    return (uint16_t)((words + t->lanes - 1u) / t->lanes);
}

static void count_groups(const struct insn *in, unsigned lanes, struct isa_effects *e)
{
    struct tile t;
    if (isa_tile(in, PROFILE_DEFAULT, lanes, &t)) return; /* registers are the same in all profiles */
    e->count[ROLE_RS1] = registers_for(t.words_a, &t);
    e->count[ROLE_RS2] = registers_for(t.words_b, &t);
    e->count[ROLE_RD] = registers_for(t.words_c, &t);
    if (e->vectors & bit(ROLE_RS3)) e->count[ROLE_RS3] = e->count[ROLE_RD];
}

static void count_registers(const struct insn *in, unsigned lanes, struct isa_effects *e)
{
    unsigned all = e->vectors | e->scalars, pairs = e->row_pairs | e->prefix_pairs;
    if (e->memory.words && e->memory.is_long) pairs |= bit(ROLE_RS1);
    for (unsigned role = ROLE_RD; role <= ROLE_RS3; role++)
        e->count[role] = (uint16_t)((all >> role & 1) + ((pairs & all) >> role & 1));
    if (e->memory.words > 1) e->count[e->memory.data] = e->memory.words;
    if (isa_kinds[isa_table[in->op].kind].usage == USAGE_GROUPS) count_groups(in, lanes, e);
}

static void need(uint16_t *highest, unsigned end)
{
    if (*highest < end) *highest = (uint16_t)end;
}

/* The mask v0 is no higher than the vector operand that every row with a mask has. */
static void find_highest(const struct insn *in, struct isa_effects *e)
{
    for (unsigned role = ROLE_RD; role <= ROLE_RS3; role++) {
        unsigned end = number_of(in, role) + e->count[role];
        if (e->vectors & bit(role)) need(&e->v, end);
        if (e->scalars & bit(role)) need(&e->x, end);
    }
}

/* ---- state ---- */

/* Rows with a rounding mode of their own may still say that it is frm. */
static bool rounds_by_frm(const struct insn *in)
{
    bool own = isa_fixed(in->op)->roles >> ROLE_RM & 1;
    return isa_table[in->op].flags & ISA_ROUND && (!own || in->rm == 7);
}

static void find_csr(const struct insn *in, struct isa_effects *e)
{
    const struct isa_csr *csr = isa_csr_number(in->aux);
    bool writes = in->rs1 || in->imm || isa_table[in->op].flags & ISA_ALWAYS;
    uint16_t state = csr ? csr->state : STATE_OTHER;
    e->state_reads |= state;
    if (writes) e->state_writes |= state;
}

static void find_state(const struct insn *in, struct isa_effects *e)
{
    const struct isa_desc *row = &isa_table[in->op];
    const struct isa_kind_desc *kind = &isa_kinds[row->kind];
    e->control = kind->control;
    e->state_reads = kind->reads;
    e->state_writes = kind->writes;
    if (rounds_by_frm(in)) e->state_reads |= STATE_FRM;
    if (row->flags & ISA_VXRM) e->state_reads |= STATE_VXRM;
    if (row->flags & (ISA_ROUND | ISA_FP)) e->state_writes |= STATE_FFLAGS;
    if (row->flags & ISA_SAT) e->state_writes |= STATE_VXSAT;
    if (row->kind == KIND_CSR) find_csr(in, e);
    if (names_csr_of_lanes(in)) e->state_reads |= LANES;
}

struct isa_effects isa_effects(const struct insn *in, unsigned lanes)
{
    struct isa_effects e = {0};
    isa_init();
    if (in->op == OP_INVALID) return e;
    e.memory = isa_memory(in);
    find_operands(in, &e);
    find_directions(in, &e);
    find_pairs(in, &e);
    count_registers(in, lanes, &e);
    find_highest(in, &e);
    find_state(in, &e);
    return e;
}

/* ---- sets ---- */

/* x0 is constant; so is a pair at x0, while words that memory moves to x0 and behind are separate. */
static void add_scalars(struct isa_registers *set, unsigned first, unsigned count, bool words)
{
    for (unsigned r = first; r < first + count && r < ISA_XREGS; r++)
        if (r && (first || words)) set->x |= 1ull << r;
}

static void add_vectors(struct isa_registers *set, unsigned first, unsigned count)
{
    for (unsigned r = first; r < first + count && r < ISA_VREGS; r++) set->v[r / 64] |= 1ull << r % 64;
}

static struct isa_registers registers_of(const struct insn *in, const struct isa_effects *e, unsigned roles)
{
    struct isa_registers set = {0};
    for (unsigned role = ROLE_RD; role <= ROLE_RS3; role++) {
        bool words = e->memory.words && e->memory.data == role;
        if (roles & e->scalars & bit(role)) add_scalars(&set, number_of(in, role), e->count[role], words);
        if (roles & e->vectors & bit(role)) add_vectors(&set, number_of(in, role), e->count[role]);
    }
    return set;
}

struct isa_registers isa_registers_read(const struct insn *in, const struct isa_effects *e)
{
    struct isa_registers set = registers_of(in, e, e->reads);
    if (e->mask) set.v[0] |= 1;
    return set;
}

struct isa_registers isa_registers_written(const struct insn *in, const struct isa_effects *e)
{
    return registers_of(in, e, e->writes);
}
