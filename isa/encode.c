/* Instructions to words, with the prefix they were decoded with or the one they need. */
#include "tables.h"

static uint64_t scatter(uint32_t value, const struct isa_operand *o)
{
    uint64_t word = 0;
    unsigned left = o->width;
    for (unsigned r = 0; r < o->nranges; r++) {
        unsigned n = o->hi[r] - o->lo[r] + 1u;
        left -= n;
        word |= ((uint64_t)value >> left & ((1ull << n) - 1)) << o->lo[r];
    }
    return word;
}

uint32_t isa_scatter(int32_t value, const struct isa_operand *o)
{
    return (uint32_t)scatter((uint32_t)value >> o->shift, o);
}

static bool fits(int32_t value, const struct isa_operand *o)
{
    int64_t v = value, unit = (int64_t)1 << o->shift, span = unit << o->width;
    if (v & (unit - 1)) return false;
    if (o->kind == OPERAND_SIMM && o->shift == 12) return true; /* lui, auipc: any upper part */
    if (o->kind == OPERAND_SIMM || o->kind == OPERAND_TARGET) return v >= -span / 2 && v < span / 2;
    return v >= 0 && v < span;
}

/* What the operands ask of a prefix. */
struct need {
    unsigned group[4];   /* by role */
    unsigned roles;      /* bit per role: the instruction has this register operand */
    bool immediate;      /* has an immediate that a prefix can extend ... */
    bool long_immediate; /* ... and must */
    unsigned immhi;
};

/* The twelve group bits: what the operands say, and what an original prefix said of absent ones. */
static unsigned groups(const struct need *need, unsigned original, bool immhi)
{
    static const uint8_t plain[4] = {[ROLE_RD] = 0, [ROLE_RS1] = 3, [ROLE_RS2] = 6, [ROLE_RS3] = 9};
    static const uint8_t behind_immhi[4] = {[ROLE_RD] = 0, [ROLE_RS2] = 3};
    unsigned g = original;
    for (unsigned role = 0; role < 4; role++) {
        if (!(need->roles >> role & 1) || (immhi && (role == ROLE_RS1 || role == ROLE_RS3))) continue;
        unsigned shift = immhi ? behind_immhi[role] : plain[role];
        g = (g & ~(7u << shift)) | need->group[role] << shift;
    }
    return immhi && need->immediate ? (g & 63) | need->immhi << 6 : g;
}

static unsigned refuse(const char **why, const char *name)
{
    if (why) *why = name;
    return 0;
}

/* Builds the prefix word into *word; false when there is none that says all that is needed. */
static bool prefix_word(const struct insn *in, const struct need *need, uint32_t *word)
{
    bool high = need->group[0] | need->group[1] | need->group[2] | need->group[3];
    unsigned op = in->prefix ? in->prefix : need->long_immediate ? OP_REGEXTI : high ? OP_REGEXT : OP_INVALID;
    if (op == OP_INVALID) return true;
    if (op >= OP_COUNT || isa_table[op].kind != KIND_PREFIX) return false;

    unsigned flags = isa_table[op].flags;
    bool immhi = flags & ISA_IMMHI;
    bool is_void = isa_bits((enum isa_op)in->op) == 64 || ((flags & ISA_MEMORY) && isa_table[in->op].unit != UNIT_LSU);
    if (need->long_immediate && !immhi) return false;
    if (immhi && (need->group[ROLE_RS1] || need->group[ROLE_RS3])) return false;
    if (is_void && high && isa_bits((enum isa_op)in->op) == 32) return false;

    struct insn p = {.op = (uint16_t)op, .pair = in->pair, .abs = in->abs, .neg = in->neg, .hint = in->hint, .vm = 1};
    p.aux = (uint16_t)(is_void ? in->groups : groups(need, in->groups, immhi));
    uint64_t w = isa_fixed(op)->match;
    for (const struct isa_operand *const *k = isa_fixed(op)->operands; *k; k++) {
        const struct isa_operand *o = *k;
        int32_t v = isa_get(&p, (enum operand_role)o->role);
        if (!fits(v, o)) return false;
        w |= scatter((uint32_t)v, o);
    }
    *word = (uint32_t)w;
    return true;
}

/* Can this immediate be one of eleven bits? An unsigned one, whose upper bits hardly ever mean anything, in the
 * documents and behind a prefix that is there anyway. */
static bool is_extended(enum isa_profile profile, const struct insn *in, const struct isa_operand *o)
{
    bool prefixed = in->prefix < OP_COUNT && isa_table[in->prefix].flags & ISA_IMMHI;
    return o->kind == OPERAND_SIMM || (prefixed && isa_is_document(profile));
}
static int32_t long_least(const struct isa_operand *o) { return o->kind == OPERAND_SIMM ? -1024 : 0; }

/* Where prefixes have bits of its own for the third source of a multiply-add, it needs them; false if its number cannot
 * be written. */
static bool need_vs3(enum isa_profile profile, const struct insn *in, struct need *need)
{
    bool separate = isa_has_vs3((enum isa_op)in->op) && isa_is_document(profile);
    if (in->apart && (!separate || (in->rs3 ^ in->rd) & 31)) return false;
    if (!separate) return true;
    need->roles |= 1u << ROLE_RS3;
    need->group[ROLE_RS3] = isa_vs3(in) >> 5;
    return true;
}

unsigned isa_encode_in(enum isa_profile profile, const struct insn *insn, uint32_t words[ISA_MAX_WORDS],
                       const char **why)
{
    struct insn own = *insn, *in = &own;
    isa_init();
    if (in->op == OP_INVALID || in->op >= OP_COUNT) return refuse(why, "operation");
    isa_order_branch(profile, in);
    const struct isa_fixed *f = isa_fixed(in->op);
    struct need need = {.group = {0}};
    uint64_t word = f->match;

    for (const struct isa_operand *const *p = f->operands; *p; p++) {
        const struct isa_operand *o = *p;
        int32_t v = isa_get(in, (enum operand_role)o->role);
        if (o->kind == OPERAND_REG_X && v >= ISA_XREGS) return refuse(why, o->name);
        if ((o->kind == OPERAND_REG_X || o->kind == OPERAND_REG_V) && o->width == 5) {
            need.roles |= 1u << o->role;
            need.group[o->role] = (unsigned)v >> 5;
            v &= 31;
        } else if (o->form == FORM_LONG && is_extended(profile, in, o)) {
            if (v < long_least(o) || v >= long_least(o) + 2048) return refuse(why, o->name);
            need.immediate = true;
            need.long_immediate = !fits(v, o);
            need.immhi = (uint32_t)v >> 5 & 63;
            v &= 31;
        } else if (o->form == FORM_BYTES) {
            if (v < 4 || v > 32 || v & (v - 1)) return refuse(why, o->name);
            v = __builtin_ctz((unsigned)v) - 2;
        } else if (!fits(v, o)) {
            return refuse(why, o->name);
        }
        word |= scatter((uint32_t)v >> o->shift, o);
    }

    uint32_t prefix = 0;
    unsigned n = 0;
    if (!need_vs3(profile, in, &need)) return refuse(why, "vs3");
    if (!prefix_word(in, &need, &prefix)) return refuse(why, "prefix");
    if (prefix) words[n++] = prefix;
    words[n++] = (uint32_t)word;
    if (f->bits == 64) words[n++] = (uint32_t)(word >> 32);
    return n;
}

unsigned isa_encode(const struct insn *in, uint32_t words[ISA_MAX_WORDS], const char **why)
{
    return isa_encode_in(PROFILE_DEFAULT, in, words, why);
}
