/* Words to instructions. A prefix is folded into the instruction behind it, so that engines and
 * tools see one instruction with full register numbers (ISA notes 3). What a prefix carried stays in
 * prefix and groups, so that encoding gives back the same words. */
#include "tables.h"

static uint32_t gather(uint64_t word, const struct isa_operand *o)
{
    uint32_t v = 0;
    for (unsigned r = 0; r < o->nranges; r++) {
        unsigned n = o->hi[r] - o->lo[r] + 1u;
        v = v << n | (uint32_t)(word >> o->lo[r] & ((1ull << n) - 1));
    }
    return v;
}

static int32_t operand_value(uint64_t word, const struct isa_operand *o)
{
    uint32_t v = gather(word, o);
    if (o->form == FORM_BYTES) return 4 << v;
    bool is_signed = o->kind == OPERAND_SIMM || o->kind == OPERAND_TARGET;
    if (is_signed && o->width < 32 && v >> (o->width - 1)) v |= ~0u << o->width;
    return (int32_t)(v << o->shift);
}

int32_t isa_get(const struct insn *in, enum operand_role role)
{
    switch (role) {
    case ROLE_RD: return in->rd;
    case ROLE_RS1: return in->rs1;
    case ROLE_RS2: return in->rs2;
    case ROLE_RS3: return in->rs3;
    case ROLE_IMM: return in->imm;
    case ROLE_AUX: return in->aux;
    case ROLE_VM: return in->vm;
    case ROLE_RM: return in->rm;
    case ROLE_AQ: return in->aq;
    case ROLE_RL: return in->rl;
    case ROLE_PAIR: return in->pair;
    case ROLE_HINT: return in->hint;
    case ROLE_ABS: return in->abs;
    case ROLE_NEG: return in->neg;
    case ROLE_OMOD: return in->omod;
    case ROLE_OPSEL: return in->opsel;
    case ROLE_ELEM: return in->elem;
    }
    return 0;
}

void isa_set(struct insn *in, enum operand_role role, int32_t value)
{
    uint8_t byte = (uint8_t)value;
    switch (role) {
    case ROLE_RD: in->rd = byte; break;
    case ROLE_RS1: in->rs1 = byte; break;
    case ROLE_RS2: in->rs2 = byte; break;
    case ROLE_RS3: in->rs3 = byte; break;
    case ROLE_IMM: in->imm = value; break;
    case ROLE_AUX: in->aux = (uint16_t)value; break;
    case ROLE_VM: in->vm = byte; break;
    case ROLE_RM: in->rm = byte; break;
    case ROLE_AQ: in->aq = byte; break;
    case ROLE_RL: in->rl = byte; break;
    case ROLE_PAIR: in->pair = byte; break;
    case ROLE_HINT: in->hint = byte; break;
    case ROLE_ABS: in->abs = byte; break;
    case ROLE_NEG: in->neg = byte; break;
    case ROLE_OMOD: in->omod = byte; break;
    case ROLE_OPSEL: in->opsel = byte; break;
    case ROLE_ELEM: in->elem = byte; break;
    }
}

static bool invalid(struct insn *out)
{
    *out = (struct insn){.op = OP_INVALID, .vm = 1, .size = 4};
    return false;
}

/* Scalar registers end at 63, whatever an eight-bit field or a prefix says. */
static bool registers_exist(const struct insn *in)
{
    for (const struct isa_operand *const *p = isa_fixed(in->op)->operands; *p; p++) {
        const struct isa_operand *o = *p;
        if (o->kind == OPERAND_REG_X && isa_get(in, (enum operand_role)o->role) >= ISA_XREGS) return false;
    }
    return true;
}

/* Vector branches compare vs1 with vs2 in the documents, and vs2 with vs1 in the public tools and hardware. A struct
 * insn has the operands in the order of the latter, so that in text the first is compared with the second everywhere.
 */
void isa_order_branch(enum isa_profile profile, struct insn *in)
{
    uint8_t rs1 = in->rs1;
    if (isa_table[in->op].kind != KIND_VBRANCH || !isa_is_document(profile)) return;
    in->rs1 = in->rs2;
    in->rs2 = rs1;
    in->abs = (uint8_t)((in->abs & 4) | (in->abs & 1) << 1 | (in->abs >> 1 & 1));
    in->neg = (uint8_t)((in->neg & 4) | (in->neg & 1) << 1 | (in->neg >> 1 & 1));
}

/* One instruction alone, with the fields as the word has them. */
static bool decode_word(enum isa_profile profile, const uint32_t *words, size_t nwords, struct insn *out)
{
    isa_init();
    invalid(out);
    uint64_t word = words[0] | (nwords > 1 ? (uint64_t)words[1] << 32 : 0);
    for (const struct isa_candidate *c = isa_candidates(words[0]); c->op; c++) {
        if ((words[0] & c->mask) != c->match || !(c->revisions & profile) || nwords * 32 < c->bits) continue;
        const struct isa_fixed *f = isa_fixed(c->op);
        if (c->bits == 64 && (word & f->mask) != f->match) continue;
        out->op = c->op;
        out->size = c->bits / 8;
        for (const struct isa_operand *const *p = f->operands; *p; p++)
            isa_set(out, (enum operand_role)(*p)->role, operand_value(word, *p));
        return registers_exist(out) || invalid(out);
    }
    return false;
}

bool isa_decode_raw(enum isa_profile profile, const uint32_t *words, size_t nwords, struct insn *out)
{
    bool valid = decode_word(profile, words, nwords, out);
    isa_order_branch(profile, out);
    return valid;
}

bool isa_decode_word(uint32_t word, struct insn *out) { return isa_decode_raw(PROFILE_DEFAULT, &word, 1, out); }

/* Does a prefix make eleven bits of this five-bit immediate? The public tools know it of signed ones. */
static bool is_extended(enum isa_profile profile, const struct isa_operand *o)
{
    return o->form == FORM_LONG && (o->kind == OPERAND_SIMM || isa_is_document(profile));
}

/* Adds the register groups of a prefix to the operands they belong to. With IMMHI the groups of
 * source 1 and 3 carry the upper immediate instead. */
static void apply_groups(enum isa_profile profile, struct insn *in, unsigned groups, bool immhi)
{
    const unsigned group[] = {
        [ROLE_RD] = groups & 7,
        [ROLE_RS1] = immhi ? 0 : groups >> 3 & 7,
        [ROLE_RS2] = immhi ? groups >> 3 & 7 : groups >> 6 & 7,
        [ROLE_RS3] = immhi ? 0 : groups >> 9 & 7,
    };
    for (const struct isa_operand *const *p = isa_fixed(in->op)->operands; *p; p++) {
        const struct isa_operand *o = *p;
        if (o->kind == OPERAND_REG_X || o->kind == OPERAND_REG_V)
            isa_set(in, (enum operand_role)o->role,
                    isa_get(in, (enum operand_role)o->role) | (int32_t)(group[o->role] << 5));
        if (immhi && is_extended(profile, o)) {
            uint32_t v = groups >> 6 << 5 | ((uint32_t)in->imm & 31);
            in->imm = o->kind == OPERAND_UIMM ? (int32_t)v : (int32_t)(v << 21) >> 21;
        }
    }
}

/* Where prefixes have bits of its own for the third source of a multiply-add. */
static void apply_vs3(struct insn *in, unsigned group)
{
    if (!isa_has_vs3((enum isa_op)in->op)) return;
    unsigned vs3 = group << 5 | (in->rd & 31u);
    in->apart = vs3 != in->rd;
    in->rs3 = (uint8_t)(in->apart ? vs3 : 0);
}

static bool pairs_even(const struct insn *in)
{
    for (const struct isa_operand *const *p = isa_fixed(in->op)->operands; *p; p++) {
        const struct isa_operand *o = *p;
        bool reg = o->kind == OPERAND_REG_X || o->kind == OPERAND_REG_V;
        if (reg && (isa_get(in, (enum operand_role)o->role) & 1)) return false;
    }
    return true;
}

/* Folds `prefix` into `in`, the instruction behind it. False when the two make no instruction. */
static bool fold(enum isa_profile profile, const struct insn *prefix, struct insn *in)
{
    unsigned flags = isa_table[prefix->op].flags;
    bool memory = isa_table[in->op].unit == UNIT_LSU;
    if (isa_table[in->op].kind == KIND_PREFIX) return false; /* the second one starts afresh */
    in->prefix = prefix->op;
    in->groups = prefix->aux;
    in->size = (uint8_t)(in->size + 4);
    in->pair = prefix->pair;
    in->hint = prefix->hint;
    if (isa_bits((enum isa_op)in->op) == 64) return true; /* carries its own modifiers */
    if (!(flags & ISA_MEMORY)) {
        in->abs = prefix->abs;
        in->neg = prefix->neg;
    } else if (memory) {
        in->space = flags >> ISA_SPACE_SHIFT & 3;
        in->width = flags >> ISA_WIDTH_SHIFT & 3;
    } else {
        return true; /* a memory prefix in front of something else is void */
    }
    apply_groups(profile, in, prefix->aux, flags & ISA_IMMHI);
    if (isa_is_document(profile)) apply_vs3(in, flags & ISA_IMMHI ? 0 : prefix->aux >> 9 & 7u);
    bool all_pairs = prefix->pair && !(flags & ISA_MEMORY);
    return registers_exist(in) && (!all_pairs || pairs_even(in));
}

bool isa_decode_in(enum isa_profile profile, const uint32_t *words, size_t nwords, struct insn *out)
{
    if (!decode_word(profile, words, nwords, out)) return false;
    if (isa_table[out->op].kind == KIND_PREFIX) {
        struct insn prefix = *out;
        bool follows = nwords > 1 && decode_word(profile, words + 1, nwords - 1, out);
        if (!follows || !fold(profile, &prefix, out)) return invalid(out);
    }
    isa_order_branch(profile, out);
    return true;
}

bool isa_decode(const uint32_t *words, size_t nwords, struct insn *out)
{
    return isa_decode_in(PROFILE_DEFAULT, words, nwords, out);
}
