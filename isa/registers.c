/* What an instruction uses: which operands are registers, which of them pairs, what it moves to and from
 * memory, and how many registers a warp must have for it. The machine compares these counts with the launch's,
 * the assembler makes a kernel's of them. */
#include "abi.h"
#include "tables.h"
#include "tile.h"

/* ---- memory ---- */

/* By kind of row: the register that is loaded or stored, if there is one; the expression is a type of the data,
 * or of the offsets of words, or no type because the data are words. */
enum type_of { OF_DATA = 1, OF_INDEX, OF_NOTHING };
static const struct {
    uint8_t type_of, data;
} moves[KIND_ABSENT + 1] = {
    [KIND_XLOAD] = {OF_DATA, ROLE_RD},   [KIND_XSTORE] = {OF_DATA, ROLE_RS2},  [KIND_VLOAD] = {OF_DATA, ROLE_RD},
    [KIND_VSTORE] = {OF_DATA, ROLE_RS2}, [KIND_PLOAD] = {OF_DATA, ROLE_RD},    [KIND_PSTORE] = {OF_DATA, ROLE_RS2},
    [KIND_ULOAD] = {OF_DATA, ROLE_RD},   [KIND_USTORE] = {OF_DATA, ROLE_RS3},  [KIND_SLOAD] = {OF_DATA, ROLE_RD},
    [KIND_SSTORE] = {OF_DATA, ROLE_RS3}, [KIND_ILOAD] = {OF_INDEX, ROLE_RD},   [KIND_ISTORE] = {OF_INDEX, ROLE_RS3},
    [KIND_AMO] = {OF_NOTHING, ROLE_RS2}, [KIND_XAMO] = {OF_NOTHING, ROLE_RS2}, [KIND_LR] = {OF_NOTHING, ROLE_RD},
    [KIND_XLR] = {OF_NOTHING, ROLE_RD},  [KIND_SC] = {OF_NOTHING, ROLE_RS2},   [KIND_XSC] = {OF_NOTHING, ROLE_RS2},
};

static uint8_t type_bytes(const char *type)
{
    switch (type[type[0] == 'u' ? 4 : 3]) {
    case '8': return 1;
    case '1': return 2;
    default: return 4;
    }
}

struct isa_memory isa_memory(const struct insn *in)
{
    const struct isa_desc *row = &isa_table[in->op];
    unsigned type_of = moves[row->kind].type_of;
    struct isa_memory m = {0};
    if (!type_of) return m;
    m.data = moves[row->kind].data;
    m.size = type_of == OF_DATA ? type_bytes(row->expr) : 4;
    m.index = type_of == OF_INDEX ? type_bytes(row->expr) : 0;
    m.is_signed = type_of == OF_DATA && row->expr[0] == 'i';
    m.words = type_of != OF_NOTHING && m.size == 4 ? in->width + 1 : 1;
    m.is_long = in->pair || (row->flags & ISA_LONG);
    return m;
}

/* ---- registers ---- */

static unsigned bit(unsigned role) { return 1u << role; }

static unsigned number_of(const struct insn *in, unsigned role)
{
    return (unsigned)isa_get(in, (enum operand_role)role);
}

static void find_operands(const struct insn *in, struct isa_registers *r)
{
    for (const struct isa_operand *const *p = isa_fixed(in->op)->operands; *p; p++) {
        if ((*p)->kind == OPERAND_REG_V) r->vectors |= (uint8_t)bit((*p)->role);
        if ((*p)->kind == OPERAND_REG_X) r->scalars |= (uint8_t)bit((*p)->role);
    }
}

/* The row itself may have pairs. A prefix makes pairs of all operands, or (r2.0) of those with even numbers; a
 * memory prefix makes one of an address alone. */
static void find_pairs(const struct insn *in, struct isa_registers *r)
{
    uint32_t flags = isa_table[in->op].flags, prefix = isa_table[in->prefix].flags;
    unsigned all = r->vectors | r->scalars, row = 0, folded = 0;
    if (flags & ISA_PAIR_D) row |= bit(ROLE_RD);
    if (flags & ISA_PAIR_1) row |= bit(ROLE_RS1);
    if (flags & ISA_PAIR_2) row |= bit(ROLE_RS2);
    if (in->pair) folded = all;
    else if (prefix & ISA_EVEN)
        for (unsigned role = ROLE_RD; role <= ROLE_RS3; role++) folded |= number_of(in, role) % 2 ? 0 : bit(role);
    r->row_pairs = (uint8_t)(row & all);
    r->prefix_pairs = prefix & ISA_MEMORY ? 0 : (uint8_t)(folded & all);
}

static void need(uint16_t *count, unsigned reg)
{
    if (*count < reg + 1) *count = (uint16_t)(reg + 1);
}

static void need_operand(struct isa_registers *r, unsigned role, unsigned reg)
{
    if (r->vectors & bit(role)) need(&r->v, reg);
    if (r->scalars & bit(role)) need(&r->x, reg);
}

/* The mask v0 is no higher than the vector operand that every row with a mask has. */
struct isa_registers isa_registers(const struct insn *in)
{
    const struct isa_desc *row = &isa_table[in->op];
    struct isa_registers r = {0};
    struct isa_memory m = isa_memory(in);
    struct tile tile;
    isa_init();
    if (in->op == OP_INVALID) return r;
    find_operands(in, &r);
    find_pairs(in, &r);
    for (unsigned role = ROLE_RD; role <= ROLE_RS3; role++)
        need_operand(&r, role, number_of(in, role) + ((r.row_pairs | r.prefix_pairs) >> role & 1));
    if (m.words) need_operand(&r, m.data, number_of(in, m.data) + m.words - 1);
    if (m.words && m.is_long) need_operand(&r, ROLE_RS1, in->rs1 + 1u);
    if (row->kind == KIND_MMA && !isa_tile(in, ISA_LANES, &tile)) need(&r.v, tile.registers - 1u);
    if (row->kind == KIND_CSR && isa_csr_per_lane(in->aux)) need(&r.v, in->rd);
    return r;
}

bool isa_csr_per_lane(unsigned number) { return number >= CSR_GL_ID_X && number <= CSR_LC_ID_Z; }
