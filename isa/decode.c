/* Words to instructions. A register-extension prefix is folded into the instruction behind it, so
 * that engines and tools see one instruction with full register numbers (ISA notes 3.1, 3.2). */
#include "tables.h"

static uint32_t gather(uint32_t word, const struct isa_operand *o)
{
    uint32_t v = 0;
    for (unsigned r = 0; r < o->nranges; r++) {
        unsigned n = o->hi[r] - o->lo[r] + 1u;
        v = v << n | (word >> o->lo[r] & (n == 32 ? ~0u : (1u << n) - 1));
    }
    return v;
}

static int32_t operand_value(uint32_t word, const struct isa_operand *o)
{
    uint32_t v = gather(word, o);
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
    }
    return 0;
}

void isa_set(struct insn *in, enum operand_role role, int32_t value)
{
    switch (role) {
    case ROLE_RD: in->rd = (uint8_t)value; break;
    case ROLE_RS1: in->rs1 = (uint8_t)value; break;
    case ROLE_RS2: in->rs2 = (uint8_t)value; break;
    case ROLE_RS3: in->rs3 = (uint8_t)value; break;
    case ROLE_IMM: in->imm = value; break;
    case ROLE_AUX: in->aux = (uint16_t)value; break;
    case ROLE_VM: in->vm = (uint8_t)value; break;
    case ROLE_RM: in->rm = (uint8_t)value; break;
    case ROLE_AQ: in->aq = (uint8_t)value; break;
    case ROLE_RL: in->rl = (uint8_t)value; break;
    }
}

bool isa_decode_word(uint32_t word, struct insn *out)
{
    isa_init();
    *out = (struct insn){.op = OP_INVALID, .vm = 1, .size = 4};
    for (const uint16_t *op = isa_bucket(word); *op; op++) {
        const struct isa_fixed *f = isa_fixed(*op);
        if ((word & f->mask) != f->match) continue;
        out->op = *op;
        for (const char *l = f->letters; *l; l++) {
            const struct isa_operand *o = isa_operand(*l);
            isa_set(out, (enum operand_role)o->role, operand_value(word, o));
        }
        return true;
    }
    return false;
}

/* Adds the register groups of a prefix to the operands they belong to. False when that names a
 * scalar register that does not exist. */
static bool apply_groups(struct insn *in, unsigned x3, unsigned x2, unsigned x1, unsigned xd)
{
    const unsigned group[] = {[ROLE_RD] = xd, [ROLE_RS1] = x1, [ROLE_RS2] = x2, [ROLE_RS3] = x3};
    for (const char *l = isa_fixed(in->op)->letters; *l; l++) {
        const struct isa_operand *o = isa_operand(*l);
        if (o->kind != OPERAND_REG_X && o->kind != OPERAND_REG_V) continue;
        int32_t r = isa_get(in, (enum operand_role)o->role) | (int32_t)(group[o->role] << 5);
        if (o->kind == OPERAND_REG_X && r >= ISA_XREGS) return false;
        isa_set(in, (enum operand_role)o->role, r);
    }
    return true;
}

/* regexti: a signed 5-bit immediate becomes eleven bits; shift amounts stay as they are. */
static void extend_immediate(struct insn *in, unsigned immhi)
{
    for (const char *l = isa_fixed(in->op)->letters; *l; l++)
        if (*l == 'k') {
            uint32_t v = immhi << 5 | ((uint32_t)in->imm & 31);
            in->imm = (int32_t)(v << 21) >> 21;
        }
}

bool isa_decode(const uint32_t *words, size_t nwords, struct insn *out)
{
    if (!isa_decode_word(words[0], out)) return false;
    if (out->op != OP_REGEXT && out->op != OP_REGEXTI) return true;

    struct insn next;
    unsigned groups = out->aux;
    bool immediate = out->op == OP_REGEXTI, ok = nwords > 1 && isa_decode_word(words[1], &next);
    if (ok && isa_table[next.op].kind == KIND_PREFIX) ok = false; /* a second prefix replaces the first: decode there */
    if (ok && immediate) {
        extend_immediate(&next, groups >> 6);
        ok = apply_groups(&next, 0, groups >> 3 & 7, 0, groups & 7);
    } else if (ok) {
        ok = apply_groups(&next, groups >> 9 & 7, groups >> 6 & 7, groups >> 3 & 7, groups & 7);
    }
    if (!ok) {
        *out = (struct insn){.op = OP_INVALID, .vm = 1, .size = 4};
        return false;
    }
    *out = next;
    out->size = 8;
    return true;
}
