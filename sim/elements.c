/* Element widths: what a vector type other than words makes of an instruction, on the documents' machines.
 *
 * A lane has one element of a vector register: of 8 or 16 bits its lowest bits, of 64 bits an even register and the one
 * behind it. Standard vector arithmetic, indexed data and vector branches are of that width (docs/documents.md);
 * everything else has its width in its name. Called by step.c. */
#include "sim/elements.h"

enum { OPCODE_VECTOR = 0x57, FUNCT3_MASKS = 2 };

static bool is_standard(const struct insn *in)
{
    enum isa_op op = (enum isa_op)in->op;
    return isa_bits(op) == 32 && (isa_match(op) & 127) == OPCODE_VECTOR && isa_table[in->op].kind != KIND_VSET;
}

/* Masks are not elements: compares write 0 or 1 into a register, and mask logic reads such registers. */
static bool writes_mask(enum isa_op op) { return isa_match(op) >> 29 == 3; }
static bool is_mask_logic(enum isa_op op) { return writes_mask(op) && (isa_match(op) >> 12 & 7) == FUNCT3_MASKS; }

static bool is_float(const struct insn *in) { return isa_table[in->op].flags & (ISA_FP | ISA_ROUND); }

bool elements_matter(const struct insn *in)
{
    unsigned kind = isa_table[in->op].kind;
    return (is_standard(in) && !is_mask_logic((enum isa_op)in->op)) || kind == KIND_VBRANCH || kind == KIND_ILOAD ||
           kind == KIND_ISTORE;
}

/* ---- 8 and 16 bits ---- */

static const char *narrow(unsigned sew, struct decoded *d)
{
    if (sew == 8 && is_float(&d->in)) return "floating point of 8 bits: it is of e16, e32 and e64";
    d->narrow = sew == 8 ? 2 : 1;
    return NULL;
}

/* ---- 64 bits ---- */

static unsigned bit(enum operand_role role) { return 1u << role; }

/* Scalar integers are extended, as in RVV; scalar numbers of 64 bits are pairs, as in Zdinx. */
static unsigned pairs_of(const struct decoded *d)
{
    unsigned pairs = d->vectors;
    if (writes_mask((enum isa_op)d->in.op)) pairs &= ~bit(ROLE_RD);
    return is_float(&d->in) ? pairs | d->scalars : pairs;
}

static void need_pairs(struct decoded *d)
{
    for (unsigned role = ROLE_RD; role <= ROLE_RS3; role++) {
        unsigned end = (unsigned)isa_get(&d->in, (enum operand_role)role) + 2;
        if (d->pairs & d->vectors & bit(role) && d->vregs < end) d->vregs = (uint16_t)end;
        if (d->pairs & d->scalars & bit(role) && d->xregs < end) d->xregs = (uint16_t)end;
    }
}

static bool has_odd_pair(const struct decoded *d)
{
    for (unsigned role = ROLE_RD; role <= ROLE_RS3; role++)
        if (d->pairs & bit(role) && isa_get(&d->in, (enum operand_role)role) & 1) return true;
    return false;
}

static const char *wide(struct decoded *d)
{
    uint32_t flags = isa_table[d->in.op].flags;
    struct isa_memory m = isa_memory(&d->in);
    if (d->pairs) return "a result of more than 64 bits: widening is of e8, e16 and e32";
    if (flags & ISA_SINGLE) return "an instruction that has no form on elements of 64 bits";
    d->pairs = (uint8_t)(m.words ? bit(m.data) : pairs_of(d)) & 15;
    d->extend = true;
    need_pairs(d);
    return has_odd_pair(d) ? "elements of 64 bits are in pairs of registers, of which the first has an even number"
                           : NULL;
}

/* Does a prefix say the widths, in place of the vector type? */
static bool prefix_says(const struct insn *in)
{
    struct isa_effects e = isa_effects(in, ISA_LANES);
    return e.prefix_pairs || in->width || e.memory.words > 1;
}

const char *elements_decode(uint32_t vtype, const struct decoded *plain, struct decoded *d)
{
    unsigned sew = vtype_sew(vtype);
    *d = *plain;
    if (prefix_says(&d->in)) return NULL;
    return sew == 64 ? wide(d) : narrow(sew, d);
}
