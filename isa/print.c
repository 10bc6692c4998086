/* Instructions to text: the operand string of the table with its letters replaced. */
#include "tables.h"

#include <stdio.h>
#include <string.h>

static const char *const xnames[32] = {"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
                                       "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                       "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
static const char *const high_xnames[32] = {"x32", "x33", "x34", "x35", "x36", "x37", "x38", "x39", "x40", "x41", "x42",
                                            "x43", "x44", "x45", "x46", "x47", "x48", "x49", "x50", "x51", "x52", "x53",
                                            "x54", "x55", "x56", "x57", "x58", "x59", "x60", "x61", "x62", "x63"};
static const char *const rounding[8] = {"rne", "rtz", "rdn", "rup", "rmm", "rm5", "rm6", "dyn"};

const char *isa_xreg_name(unsigned r) { return r < 32 ? xnames[r] : high_xnames[r & 31]; }

struct text {
    char *buf;
    size_t size, len;
};

static void put(struct text *t, const char *s)
{
    for (; *s; s++, t->len++)
        if (t->len + 1 < t->size) t->buf[t->len] = *s;
}

/* Numbers by hand: listings are long, and snprintf is slow. */
static void put_number(struct text *t, int64_t v, unsigned base)
{
    char s[24], *p = s + sizeof s - 1;
    bool negative = v < 0;
    uint64_t u = negative ? 0 - (uint64_t)v : (uint64_t)v;
    *p = 0;
    do {
        *--p = "0123456789abcdef"[u % base];
        u /= base;
    } while (u);
    if (base == 16) *--p = 'x', *--p = '0';
    if (negative) *--p = '-';
    put(t, p);
}

static void put_register(struct text *t, char bank, int32_t number)
{
    put(t, bank == 'v' ? "v" : "x");
    put_number(t, number, 10);
}

static void put_address(struct text *t, uint32_t addr)
{
    char s[11] = "0x";
    for (int i = 0; i < 8; i++) s[2 + i] = "0123456789abcdef"[addr >> (28 - 4 * i) & 15];
    s[10] = 0;
    put(t, s);
}

/* A type with reserved bits has no names and is printed as a number. */
void isa_print_vtype(unsigned vtype, char *buf, size_t size)
{
    bool reserved = vtype >> 8 || (vtype >> 3 & 7) > 3 || (vtype & 7) == 4;
    static const char *const lmul[8] = {"m1", "m2", "m4", "m8", "m?", "mf8", "mf4", "mf2"};
    if (reserved) snprintf(buf, size, "%u", vtype);
    else
        snprintf(buf, size, "e%u,%s,%s,%s", 8u << (vtype >> 3 & 7), lmul[vtype & 7], vtype & 64 ? "ta" : "tu",
                 vtype & 128 ? "ma" : "mu");
}

static void print_vtype(struct text *t, unsigned vtype)
{
    char s[32];
    isa_print_vtype(vtype, s, sizeof s);
    put(t, s);
}

static void print_number(struct text *t, const struct isa_operand *o, int32_t v)
{
    switch (o->form) {
    case FORM_VTYPE: print_vtype(t, (unsigned)v); break;
    case FORM_UPPER: put_number(t, (int64_t)((uint32_t)v >> o->shift), 16); break;
    case FORM_HEX:
    case FORM_FENCE: put_number(t, v, 16); break;
    default: put_number(t, v, 10);
    }
}

static void print_operand(struct text *t, const struct insn *in, const struct isa_operand *o, uint32_t pc,
                          unsigned flags)
{
    int32_t v = isa_get(in, (enum operand_role)o->role);
    const struct isa_csr *csr = NULL;
    switch (o->kind) {
    case OPERAND_REG_X:
        if (flags & ISA_PRINT_NUMERIC) put_register(t, 'x', v);
        else put(t, isa_xreg_name((unsigned)v));
        break;
    case OPERAND_REG_V: put_register(t, 'v', v); break;
    case OPERAND_TARGET: put_address(t, pc + (in->prefix ? 4u : 0) + (uint32_t)v); break;
    case OPERAND_CSR:
        csr = isa_csr_number((unsigned)v);
        if (csr) put(t, csr->name);
        else put_number(t, v, 16);
        break;
    default: print_number(t, o, v);
    }
}

/* " {prefix, abs=1, neg=4}": the prefix, unless the operands imply it, and what is not as usual. */
static void print_modifiers(struct text *t, const struct insn *in)
{
    struct isa_modifier m[ISA_MAX_MODIFIERS];
    const char *separator = " {";
    size_t n = isa_modifiers(in, m);
    if (in->prefix && in->prefix < OP_COUNT && in->prefix != OP_REGEXT && in->prefix != OP_REGEXTI) {
        put(t, separator);
        put(t, isa_table[in->prefix].name);
        separator = ", ";
    }
    for (size_t i = 0; i < n; i++) {
        char s[48];
        unsigned v = (unsigned)isa_get(in, (enum operand_role)m[i].role) >> m[i].shift & ((1u << m[i].width) - 1);
        if (m[i].role == ROLE_RS3 ? !in->apart : v == (m[i].role == ROLE_RM ? 7u : 0)) continue;
        if (m[i].role == ROLE_RM) snprintf(s, sizeof s, "%s=%s", m[i].name, rounding[v & 7]);
        else if (m[i].width == 1) snprintf(s, sizeof s, "%s", m[i].name);
        else snprintf(s, sizeof s, "%s=%u", m[i].name, v);
        put(t, separator);
        put(t, s);
        separator = ", ";
    }
    if (*separator == ',') put(t, "}");
}

static void print_trailer(struct text *t, const struct insn *in, const struct isa_operand *trailer)
{
    if (trailer->role == ROLE_RM && in->rm != 7) {
        put(t, ", ");
        put(t, rounding[in->rm & 7]);
    }
    if (trailer->role == ROLE_VM && !in->vm) put(t, ", v0.t");
}

int isa_print(const struct insn *in, uint32_t pc, unsigned flags, char *buf, size_t size)
{
    isa_init();
    const struct isa_desc *d = &isa_table[in->op < OP_COUNT ? in->op : OP_INVALID];
    struct text t = {buf, size, 0};
    put(&t, d->name);
    if (in->aq) put(&t, ".aq");
    if (in->rl) put(&t, ".rl");
    if (*d->operands) put(&t, "\t");
    for (const char *p = d->operands; *p; p++) {
        const struct isa_operand *o = isa_operand(*p);
        if (*p == '{') break;
        if (isa_trailer(p)) {
            print_trailer(&t, in, isa_trailer(p));
            break;
        }
        if (!strcmp(p, "v0")) {
            put(&t, p);
            break;
        }
        if (o) print_operand(&t, in, o, pc, flags);
        else if (*p == ',') put(&t, ", ");
        else put(&t, (char[]){*p, 0});
    }
    print_modifiers(&t, in);
    if (size) buf[t.len < size ? t.len : size - 1] = 0;
    return (int)t.len;
}
