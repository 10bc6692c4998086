/* Operands of one instruction, driven by the operand string of the instruction table.
 *
 * A letter is parsed by its kind in operand.def, everything else stands for itself, as isa_print
 * prints it. At most one operand of an instruction is an expression; if its value is not known yet
 * it stays with the item for layout.c. Called by statement.c, and by pseudo.c for what
 * its templates say. */
#include "asm/as.h"
#include "asm/template.h"

#include <string.h>
#include <strings.h>

static int register_number(const struct token *t, char bank, int limit)
{
    int n = 0;
    if (t->kind != TOKEN_NAME || t->text[0] != bank || t->length < 2 || t->length > 4) return -1;
    for (uint32_t i = 1; i < t->length; i++) {
        if (t->text[i] < '0' || t->text[i] > '9' || (t->text[1] == '0' && t->length > 2)) return -1;
        n = n * 10 + (t->text[i] - '0');
    }
    return n < limit ? n : -1;
}

static int scalar_register(const struct token *t)
{
    int n = register_number(t, 'x', ISA_XREGS);
    if (n >= 0 || t->kind != TOKEN_NAME) return n;
    if (token_named(t, "fp")) return 8;
    for (unsigned r = 0; r < 32; r++)
        if (token_named(t, isa_xreg_name(r))) return (int)r;
    return -1;
}

int operand_register(const struct token *t)
{
    int n = scalar_register(t);
    return n >= 0 ? n : register_number(t, 'v', ISA_VREGS);
}

bool asm_is_register(const char *name, size_t length)
{
    const struct token t = {.kind = TOKEN_NAME, .at = name, .text = name, .length = (uint32_t)length};
    return length < 16 && operand_register(&t) >= 0;
}

static bool parse_register(struct as *as, const struct isa_operand *o, struct insn *in)
{
    bool vector = o->kind == OPERAND_REG_V;
    const struct token *t = as->t;
    int n = vector ? register_number(t, 'v', ISA_VREGS) : scalar_register(t);
    if (n < 0) {
        bool other = vector ? scalar_register(t) >= 0 : register_number(t, 'v', ISA_VREGS) >= 0;
        return as_error(as, t->at, other ? "%s must be a %s register, not a %s one" : "%s must be a %s register",
                        o->name, vector ? "vector" : "scalar", vector ? "scalar" : "vector");
    }
    as->t++;
    isa_set(in, (enum operand_role)o->role, n);
    return true;
}

/* "e32,m1,ta,ma": the settings may come in any order and be left out from the end. */
static bool parse_vtype_names(struct as *as, struct insn *in)
{
    // clang-format off
    static const struct { const char *name; uint16_t bits, mask; } words[] = {
        {"e8", 0, 0x38}, {"e16", 8, 0x38}, {"e32", 16, 0x38}, {"e64", 24, 0x38}, {"m1", 0, 7}, {"m2", 1, 7}, {"m4", 2, 7},
        {"m8", 3, 7}, {"mf8", 5, 7}, {"mf4", 6, 7}, {"mf2", 7, 7}, {"ta", 0x40, 0x40}, {"tu", 0, 0x40}, {"ma", 0x80, 0x80}, {"mu", 0, 0x80}};
    // clang-format on
    uint16_t seen = 0;
    do {
        size_t i = 0, n = sizeof words / sizeof *words;
        while (i < n && !token_named(as->t, words[i].name)) i++;
        if (i == n || (seen & words[i].mask)) return as_error(as, as->t->at, "vector type expected, like e32,m1,ta,ma");
        seen |= words[i].mask;
        in->aux |= words[i].bits;
        as->t++;
    } while (lex_accept(as, ','));
    return true;
}

/* "iorw,iorw" or the number of mode and both sets. */
static bool parse_fence_names(struct as *as, struct insn *in)
{
    unsigned sets = 0;
    for (int i = 0; i < 2; i++) {
        if (i && !lex_expect(as, ',', "between the two sets of a fence")) return false;
        const struct token *t = as->t;
        unsigned set = 0;
        for (uint32_t k = 0; t->kind == TOKEN_NAME && k < t->length; k++) {
            const char *letter = memchr("wroi", t->text[k], 4);
            unsigned bit = letter ? 1u << (letter - (const char *)"wroi") : 0;
            if (!letter || set & bit) {
                set = 0;
                break;
            }
            set |= bit;
        }
        if (!set) return as_error(as, t->at, "fence set expected: letters of iorw");
        as->t++;
        sets = sets << 4 | set;
    }
    in->aux = (uint16_t)sets;
    return true;
}

/* A short name that the source has set is its own. */
static bool parse_csr(struct as *as, struct insn *in, bool *done)
{
    const struct token *t = as->t;
    char name[16];
    *done = false;
    if (t->kind != TOKEN_NAME) return true;
    snprintf(name, sizeof name, "%.*s", (int)(t->length < sizeof name ? t->length : 0), t->text);
    const struct isa_csr *csr = isa_csr_name(name);
    bool whole = csr && !strcasecmp(csr->name, name);
    if (!whole && as_symbol(as, t->text, t->length)->expr) return true;
    if (csr) {
        in->aux = csr->number;
        as->t++;
        return *done = true;
    }
    struct nearest n = {t->text, t->length, 3, NULL};
    for (size_t i = 0; i < isa_ncsrs; i++) near_offer(&n, isa_csrs[i].name);
    as_error(as, t->at, "unknown CSR '%.*s'", t->length > 40 ? 40 : (int)t->length, t->text);
    if (n.best) as_hint(as, "did you mean '%s'? A number or .set symbol is possible, too", n.best);
    return false;
}

/* The operand that is an expression. Constants go into the instruction at once. */
static bool parse_expression(struct as *as, const struct isa_operand *o, struct insn *in, struct item *out)
{
    const char *at = as->t->at;
    const struct expr *e = expr_parse(as);
    int64_t v;
    if (!e) return false;
    out->letter = o->letter;
    out->expr = e;
    out->at = at;
    if (o->kind == OPERAND_TARGET || !expr_constant(e, &v)) return true;
    bool upper = o->form == FORM_UPPER;
    int64_t least = upper ? -(1ll << (o->width - 1)) : INT32_MIN, most = upper ? (1ll << o->width) - 1 : UINT32_MAX;
    if (v < least || v > most) return as_error(as, at, "%s is out of range", o->name);
    if (o->role == ROLE_AUX && (v < 0 || v > 0xffff)) return as_error(as, at, "%s is out of range", o->name);
    isa_set(in, (enum operand_role)o->role, (int32_t)((uint32_t)v << (upper ? o->shift : 0)));
    out->letter = 0;
    return true;
}

static bool parse_value(struct as *as, const struct isa_operand *o, const char *next, struct insn *in, struct item *out)
{
    bool done, names = as->t->kind == TOKEN_NAME && !as_symbol(as, as->t->text, as->t->length)->defined;
    if (o->form == FORM_VTYPE && names) return parse_vtype_names(as, in);
    if (o->form == FORM_FENCE && names) return parse_fence_names(as, in);
    if (o->kind == OPERAND_CSR) {
        if (!parse_csr(as, in, &done)) return false;
        if (done) return true;
    }
    if (*next == '(' && token_is(as->t, '(') && as->t[1].kind == TOKEN_NAME &&
        (scalar_register(as->t + 1) >= 0 || register_number(as->t + 1, 'v', ISA_VREGS) >= 0))
        return true; /* an offset that is left out is 0 */
    return parse_expression(as, o, in, out);
}

static int rounding_mode(const struct token *t)
{
    static const char *const modes[] = {"rne", "rtz", "rdn", "rup", "rmm", "rm5", "rm6", "dyn"};
    for (int i = 0; i < 8; i++)
        if (token_named(t, modes[i])) return i;
    return -1;
}

static bool parse_rounding(struct as *as, uint8_t *mode)
{
    int m = rounding_mode(as->t);
    if (m < 0) return as_error(as, as->t->at, "rounding mode expected: rne rtz rdn rup rmm dyn");
    *mode = (uint8_t)m;
    as->t++;
    return true;
}

/* ", v0.t" or ", MODE" at the end. */
static bool parse_trailer(struct as *as, const struct isa_operand *trailer, struct insn *in)
{
    if (as->t->kind == TOKEN_END || token_is(as->t, '{')) return true;
    if (!lex_expect(as, ',', "before the last operand")) return false;
    if (trailer->role == ROLE_RM) return parse_rounding(as, &in->rm);
    if (!token_named(as->t, "v0.t")) return as_error(as, as->t->at, "only the mask v0.t can follow");
    in->vm = 0;
    as->t++;
    return true;
}

/* "name=value" or "name": its bits of a field of the instruction. */
static bool parse_modifier(struct as *as, struct insn *in)
{
    struct isa_modifier m[ISA_MAX_MODIFIERS];
    size_t i = 0, n = isa_modifiers(in, m);
    const struct token *t = as->t++;
    while (i < n && !token_named(t, m[i].name)) i++;
    if (i == n) {
        as_error(as, t->at, "no modifier of this instruction");
        if (as_hint_profiles(as, t)) return false;
        for (i = 0; i < n; i++) as_hint(as, "%s%s", m[i].name, m[i].width > 1 ? "=N" : "");
        return false;
    }
    if (m[i].role == ROLE_RM) return lex_expect(as, '=', "behind rm") && parse_rounding(as, &in->rm);
    int64_t value = 1, most = (1 << m[i].width) - 1;
    if ((m[i].width > 1 || token_is(as->t, '=')) &&
        (!lex_expect(as, '=', "behind the modifier") || !expr_parse_known(as, m[i].name, 0, most, &value)))
        return false;
    int32_t old = isa_get(in, (enum operand_role)m[i].role) & ~((int32_t)most << m[i].shift);
    isa_set(in, (enum operand_role)m[i].role, old | (int32_t)value << m[i].shift);
    if (m[i].role == ROLE_RS3) in->apart = in->rs3 != in->rd;
    return true;
}

/* "{PREFIX, modifier, ...}" behind the operands; the prefix, if any, comes first. */
static bool parse_modifiers(struct as *as, struct insn *in)
{
    if (!lex_accept(as, '{')) return true;
    const struct token *t = as->t;
    for (unsigned op = 1; op < OP_COUNT && t->kind == TOKEN_NAME; op++)
        if (isa_table[op].kind == KIND_PREFIX && (isa_table[op].revisions & as->mnemonics.profile) &&
            token_named(t, isa_table[op].name))
            in->prefix = (uint16_t)op;
    if (in->prefix && isa_table[in->op].kind == KIND_PREFIX)
        return as_error(as, t->at, "a prefix cannot have a prefix");
    if (in->prefix) {
        as->t++;
        if (lex_accept(as, '}')) return true;
        if (!lex_expect(as, ',', "behind the prefix")) return false;
    }
    do {
        if (!parse_modifier(as, in)) return false;
    } while (lex_accept(as, ','));
    return lex_expect(as, '}', "behind the modifiers");
}

static bool parse_operands(struct as *as, const char *p, struct insn *in, struct item *out)
{
    for (; *p; p++) {
        const struct isa_operand *o = isa_operand(*p);
        if (*p == '{') return true;
        if (isa_trailer(p)) return parse_trailer(as, isa_trailer(p), in);
        if (!strcmp(p, "v0")) {
            if (!token_named(as->t, "v0") && !token_named(as->t, "v0.t"))
                return as_error(as, as->t->at, "the mask register v0 expected");
            as->t++;
            return true;
        }
        if (o && as->t->kind == TOKEN_END) return as_error(as, as->t->at, "operand expected: %s", o->name);
        bool ok;
        if (!o) ok = lex_expect(as, *p, "here");
        else if (o->kind == OPERAND_REG_X || o->kind == OPERAND_REG_V) ok = parse_register(as, o, in);
        else ok = parse_value(as, o, p + 1, in, out);
        if (!ok) return false;
    }
    return true;
}

/* The operands an instruction wants, in words: "rd, simm12(rs1)". */
static void hint_operands(struct as *as, const struct isa_desc *d)
{
    char text[160];
    size_t n = 0;
    for (const char *p = d->operands; *p && n + 24 < sizeof text; p++) {
        const struct isa_operand *o = isa_operand(*p), *trailer = isa_trailer(p);
        if (*p == '{') break;
        if (trailer)
            n += (size_t)snprintf(text + n, sizeof text - n, "[, %s]",
                                  trailer->role == ROLE_VM ? "v0.t" : "rounding mode"),
                p++;
        else if (!strcmp(p, "v0")) n += (size_t)snprintf(text + n, sizeof text - n, "v0"), p++;
        else if (o) n += (size_t)snprintf(text + n, sizeof text - n, "%s", o->name);
        else n += (size_t)snprintf(text + n, sizeof text - n, *p == ',' ? ", " : "%c", *p);
    }
    text[n] = 0;
    if (n) as_hint(as, "%s %s", d->name, text);
    else as_hint(as, "%s has no operands", d->name);
}

/* An operand whose value only the layout knows, as one that fits. */
static void set_unknown(struct insn *in, char letter)
{
    const struct isa_operand *o = isa_operand(letter);
    isa_set(in, (enum operand_role)o->role, o->form == FORM_BYTES ? 4 : 0);
}

/* Copies have two rows of one mnemonic, with a destination in a scalar or in a vector register: the one that is meant.
 */
static unsigned choose_bank(const struct as *as, unsigned op)
{
    const struct isa_operand *first = isa_operand(*isa_table[op].operands);
    bool scalar = scalar_register(as->t) >= 0;
    if (isa_table[op].kind != KIND_DMA || (first->kind == OPERAND_REG_X) == scalar) return op;
    for (unsigned other = 1; other < OP_COUNT; other++) {
        bool here = other != op && isa_table[other].revisions & as->mnemonics.profile;
        if (here && !strcmp(isa_table[other].name, isa_table[op].name)) return other;
    }
    return op;
}

/* Registers are known now, and so is the size, unless a target or a symbol decides it. */
static bool check_encoding(struct as *as, const struct item *i, const struct insn *in, const char *at)
{
    uint32_t words[ISA_MAX_WORDS];
    const char *why = "operand";
    struct insn copy = *in;
    if (i->letter) set_unknown(&copy, i->letter);
    if (isa_encode_in(as->mnemonics.profile, &copy, words, &why)) return true;
    return as_error(as, i->expr ? i->at : at, "%s is out of range", why);
}

bool operand_instruction(struct as *as, unsigned op, const struct token *mnemonic, bool aq, bool rl)
{
    op = choose_bank(as, op);
    const struct isa_desc *d = &isa_table[op];
    struct insn in = {
        .op = (uint16_t)op, .vm = 1, .aq = aq, .rl = rl, .rm = isa_has((enum isa_op)op, ROLE_RM) ? 7 : 0, .size = 4};
    struct item parsed = {0};
    if (!section_has_text(as, mnemonic->at)) return false;
    bool ok = parse_operands(as, d->operands, &in, &parsed) && parse_modifiers(as, &in);
    if (ok && as->t->kind != TOKEN_END) ok = as_error(as, as->t->at, "unexpected text behind the operands");
    if (!ok) {
        hint_operands(as, d);
        return false;
    }
    if (!check_encoding(as, &parsed, &in, mnemonic->at)) return false;
    struct item *i = as_item(as, ITEM_INSN, mnemonic->at);
    if (!i) return false;
    uint32_t words[ISA_MAX_WORDS];
    struct insn sized = in;
    if (parsed.letter) set_unknown(&sized, parsed.letter);
    i->size = 4 * isa_encode_in(as->mnemonics.profile, &sized, words, NULL);
    i->insn = in;
    i->letter = parsed.letter;
    i->expr = parsed.letter ? parsed.expr : NULL;
    return true;
}
