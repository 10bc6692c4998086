/* Instructions to words, with the prefix that registers above 31 or long immediates need. */
#include "tables.h"

static uint32_t scatter(uint32_t value, const struct isa_operand *o)
{
    uint32_t word = 0;
    unsigned left = o->width;
    for (unsigned r = 0; r < o->nranges; r++) {
        unsigned n = o->hi[r] - o->lo[r] + 1u;
        left -= n;
        word |= (value >> left & (n == 32 ? ~0u : (1u << n) - 1)) << o->lo[r];
    }
    return word;
}

static bool fits(int32_t value, const struct isa_operand *o)
{
    int64_t v = value, unit = (int64_t)1 << o->shift, span = unit << o->width;
    if (v & (unit - 1)) return false;
    if (o->kind == OPERAND_SIMM && o->shift == 12) return true; /* lui, auipc: any upper part */
    if (o->kind == OPERAND_SIMM || o->kind == OPERAND_TARGET) return v >= -span / 2 && v < span / 2;
    return v >= 0 && v < span;
}

static unsigned refuse(const char **why, const char *name)
{
    if (why) *why = name;
    return 0;
}

unsigned isa_encode(const struct insn *in, uint32_t words[2], const char **why)
{
    isa_init();
    if (in->op == OP_INVALID || in->op >= OP_COUNT) return refuse(why, "operation");
    const struct isa_fixed *f = isa_fixed(in->op);
    unsigned group[4] = {0}, immhi = 0;
    bool long_imm = false;
    uint32_t word = f->match;

    for (const char *l = f->letters; *l; l++) {
        const struct isa_operand *o = isa_operand(*l);
        int32_t v = isa_get(in, (enum operand_role)o->role);
        if (o->kind == OPERAND_REG_X || o->kind == OPERAND_REG_V) {
            if (o->kind == OPERAND_REG_X && v >= ISA_XREGS) return refuse(why, o->name);
            group[o->role] = (unsigned)v >> 5;
            v &= 31;
        } else if (!fits(v, o)) {
            if (*l != 'k' || v < -1024 || v > 1023) return refuse(why, o->name);
            long_imm = true;
            immhi = (uint32_t)v >> 5 & 63;
            v &= 31;
        }
        word |= scatter((uint32_t)v >> o->shift, o);
    }

    unsigned n = 0;
    if (long_imm) {
        if (group[ROLE_RS1] || group[ROLE_RS3]) return refuse(why, "register group");
        words[n++] = isa_fixed(OP_REGEXTI)->match | immhi << 26 | group[ROLE_RS2] << 23 | group[ROLE_RD] << 20;
    } else if (group[0] | group[1] | group[2] | group[3]) {
        words[n++] = isa_fixed(OP_REGEXT)->match | group[ROLE_RS3] << 29 | group[ROLE_RS2] << 26 |
                     group[ROLE_RS1] << 23 | group[ROLE_RD] << 20;
    }
    words[n++] = word;
    return n;
}
