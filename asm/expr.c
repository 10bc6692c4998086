/* Expressions: trees of 64-bit integers and symbols, as GNU as has them.
 *
 * Priorities are GNU's: * / % << >> bind tightest, then & | ^, then + -. Constants are folded while
 * parsing. Depth is bounded, so that no source can exhaust the stack. Called by the directive and
 * operand parsers, and by layout.c for the values. */
#include "asm/as.h"

#include <string.h>

const struct expr *expr_number(struct as *as, int64_t value, const char *at)
{
    struct expr *e = as_alloc(as, sizeof *e);
    *e = (struct expr){.op = EXPR_NUMBER, .at = at, .value = value};
    return e;
}

bool expr_constant(const struct expr *e, int64_t *value)
{
    if (!e || e->op != EXPR_NUMBER) return false;
    *value = e->value;
    return true;
}

/* The low twelve bits as a signed number, and what must be added to them, in units of 4096. */
static int64_t low_part(int64_t v) { return (int64_t)(((uint64_t)v & 0xfff) ^ 0x800) - 0x800; }
static int64_t high_part(int64_t v) { return (int64_t)((((uint64_t)v + 0x800) >> 12) & 0xfffff); }

static bool compute(struct as *as, const struct expr *e, int64_t a, int64_t b, int64_t *value)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    switch (e->op) {
    case EXPR_NEG: x = 0 - x; break;
    case EXPR_NOT: x = ~x; break;
    case EXPR_HI: x = (uint64_t)high_part(a); break;
    case EXPR_LO: x = (uint64_t)low_part(a); break;
    case EXPR_ADD: x += y; break;
    case EXPR_SUB: x -= y; break;
    case EXPR_MUL: x *= y; break;
    case EXPR_DIV:
    case EXPR_MOD:
        if (!b) return as_error(as, e->at, "division by zero");
        if (b == -1) x = e->op == EXPR_DIV ? 0 - x : 0; /* the quotient of the least number overflows */
        else x = (uint64_t)(e->op == EXPR_DIV ? a / b : a % b);
        break;
    case EXPR_SHL: x = y < 64 ? x << y : 0; break;
    case EXPR_SHR: x = y < 64 ? (uint64_t)(a >> y) : a < 0 ? ~(uint64_t)0 : 0; break;
    case EXPR_AND: x &= y; break;
    case EXPR_OR: x |= y; break;
    case EXPR_XOR: x ^= y; break;
    case EXPR_EQ: x = a == b ? ~0ull : 0; break; /* true is -1, as for GNU as */
    case EXPR_NE: x = a != b ? ~0ull : 0; break;
    case EXPR_LT: x = a < b ? ~0ull : 0; break;
    case EXPR_LE: x = a <= b ? ~0ull : 0; break;
    case EXPR_GT: x = a > b ? ~0ull : 0; break;
    case EXPR_GE: x = a >= b ? ~0ull : 0; break;
    case EXPR_ANDAND: x = a && b; break;
    case EXPR_OROR: x = a || b; break;
    default: break;
    }
    *value = (int64_t)x;
    return true;
}

static const struct expr *node(struct as *as, enum expr_op op, const struct expr *a, const struct expr *b,
                               const char *at)
{
    int64_t x, y = 0;
    if (!a) return NULL;
    struct expr *e = as_alloc(as, sizeof *e);
    unsigned depth = 1u + (b && b->depth > a->depth ? b->depth : a->depth);
    if (depth > AS_MAX_DEPTH) {
        as_error(as, at, "the expression is too deep");
        return NULL;
    }
    *e = (struct expr){.op = op, .depth = (uint16_t)depth, .at = at, .a = a, .b = b};
    bool known = op != EXPR_PCREL_HI && op != EXPR_PCREL_LO && expr_constant(a, &x) && (!b || expr_constant(b, &y));
    if (!known) return e;
    int64_t value;
    return compute(as, e, x, y, &value) ? expr_number(as, value, at) : NULL;
}

static const struct expr *symbol_node(struct as *as, struct symbol *s, const char *at)
{
    if (s->expr) return s->expr; /* .set: the value it has now */
    struct expr *e = as_alloc(as, sizeof *e);
    *e = (struct expr){.op = EXPR_SYMBOL, .at = at, .symbol = s};
    return e;
}

/* "1b" and "1f": the definition of label 1 before or behind this place. */
static const struct expr *numeric_label(struct as *as, const struct token *t)
{
    char name[48];
    uint32_t digits = t->length - 1;
    bool back = (t->text[digits] | 32) == 'b';
    struct symbol *counter = as_symbol(as, t->text, digits);
    if (back && !counter->uses) {
        as_error(as, t->at, "there is no label %.*s before this line", (int)digits, t->text);
        return NULL;
    }
    int n = snprintf(name, sizeof name, "%.*s#%u", (int)digits, t->text, counter->uses + (back ? 0 : 1));
    return symbol_node(as, as_symbol(as, name, (size_t)n), t->at);
}

static bool is_numeric_label(const struct token *t)
{
    if (t->length < 2 || t->length > 12) return false;
    for (uint32_t i = 0; i + 1 < t->length; i++)
        if (t->text[i] < '0' || t->text[i] > '9') return false;
    char last = t->text[t->length - 1];
    return last == 'b' || last == 'f';
}

static const struct expr *number(struct as *as, const struct token *t)
{
    if (is_numeric_label(t)) return numeric_label(as, t);
    if (t->value < 0) {
        as_error(as, t->at, "%.*s is no integer", t->length > 40 ? 40 : (int)t->length, t->text);
        return NULL;
    }
    return expr_number(as, t->value, t->at);
}

static const struct expr *sum(struct as *as);
static const struct expr *primary(struct as *as);

/* "%hi(expression)" and its kin; the % has been read. */
static const struct expr *relocation(struct as *as, const char *at)
{
    static const struct {
        const char *name;
        enum expr_op op;
    } functions[] = {{"hi", EXPR_HI}, {"lo", EXPR_LO}, {"pcrel_hi", EXPR_PCREL_HI}, {"pcrel_lo", EXPR_PCREL_LO}};
    const struct token *name = as->t;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (!token_named(name, functions[i].name)) continue;
        as->t++;
        if (!lex_expect(as, '(', "behind the name")) return NULL;
        const struct expr *e = sum(as);
        if (!e || !lex_expect(as, ')', "to close the expression")) return NULL;
        return node(as, functions[i].op, e, NULL, at);
    }
    as_error(as, at, "unknown function; there are %%hi %%lo %%pcrel_hi %%pcrel_lo");
    return NULL;
}

static const struct expr *operand(struct as *as)
{
    const struct token *t = as->t;
    if (t->kind == TOKEN_END) {
        as_error(as, t->at, "expression expected");
        return NULL;
    }
    as->t++;
    if (t->kind == TOKEN_NUMBER) return number(as, t);
    if (token_named(t, ".")) return symbol_node(as, as_here(as), t->at);
    if (t->kind == TOKEN_NAME) return symbol_node(as, as_symbol(as, t->text, t->length), t->at);
    if (token_is(t, '!')) return node(as, EXPR_EQ, primary(as), expr_number(as, 0, t->at), t->at);
    if (token_is(t, '-')) return node(as, EXPR_NEG, primary(as), NULL, t->at);
    if (token_is(t, '~')) return node(as, EXPR_NOT, primary(as), NULL, t->at);
    if (token_is(t, '+')) return primary(as);
    if (token_is(t, '%')) return relocation(as, t->at);
    if (token_is(t, '(')) {
        const struct expr *e = expr_parse(as);
        return e && lex_expect(as, ')', "to close the expression") ? e : NULL;
    }
    as_error(as, t->at, "expression expected");
    return NULL;
}

/* Every recursion of the grammar goes through here. */
static const struct expr *primary(struct as *as)
{
    if (as->nesting > AS_MAX_DEPTH / 2) {
        as_error(as, as->t->at, "the expression is too deep");
        return NULL;
    }
    as->nesting++;
    const struct expr *e = operand(as);
    as->nesting--;
    return e;
}

static const struct expr *product(struct as *as)
{
    const struct expr *e = primary(as);
    while (e) {
        const struct token *t = as->t;
        enum expr_op op;
        if (token_is(t, '*')) op = EXPR_MUL;
        else if (token_is(t, '/')) op = EXPR_DIV;
        else if (token_is(t, '%')) op = EXPR_MOD;
        else if (token_is(t, PUNCT_SHL)) op = EXPR_SHL;
        else if (token_is(t, PUNCT_SHR)) op = EXPR_SHR;
        else break;
        as->t++;
        const struct expr *right = primary(as);
        e = right ? node(as, op, e, right, t->at) : NULL;
    }
    return e;
}

static const struct expr *bits(struct as *as)
{
    const struct expr *e = product(as);
    while (e) {
        const struct token *t = as->t;
        enum expr_op op;
        if (t->kind == TOKEN_PUNCT && t[1].kind == TOKEN_PUNCT && t->value == t[1].value &&
            (token_is(t, '&') || token_is(t, '|')))
            break;
        if (token_is(t, '&')) op = EXPR_AND;
        else if (token_is(t, '|')) op = EXPR_OR;
        else if (token_is(t, '^')) op = EXPR_XOR;
        else break;
        as->t++;
        const struct expr *right = product(as);
        e = right ? node(as, op, e, right, t->at) : NULL;
    }
    return e;
}

static const struct expr *sum(struct as *as)
{
    const struct expr *e = bits(as);
    while (e && (token_is(as->t, '+') || token_is(as->t, '-'))) {
        const struct token *t = as->t++;
        const struct expr *right = bits(as);
        e = right ? node(as, token_is(t, '+') ? EXPR_ADD : EXPR_SUB, e, right, t->at) : NULL;
    }
    return e;
}

/* The operator of two characters or one at the next token; *n tokens. */
static bool comparison(const struct token *t, enum expr_op *op, int *n)
{
    bool pair = t->kind == TOKEN_PUNCT && t[1].kind == TOKEN_PUNCT && t->text + 1 == t[1].text;
    *n = 2;
    if (pair && token_is(t, '=') && token_is(t + 1, '=')) *op = EXPR_EQ;
    else if (pair && token_is(t, '!') && token_is(t + 1, '=')) *op = EXPR_NE;
    else if (pair && token_is(t, '<') && token_is(t + 1, '>')) *op = EXPR_NE;
    else if (pair && token_is(t, '<') && token_is(t + 1, '=')) *op = EXPR_LE;
    else if (pair && token_is(t, '>') && token_is(t + 1, '=')) *op = EXPR_GE;
    else if (*n = 1, token_is(t, '<')) *op = EXPR_LT;
    else if (token_is(t, '>')) *op = EXPR_GT;
    else return false;
    return true;
}

static const struct expr *compared(struct as *as)
{
    const struct expr *e = sum(as);
    enum expr_op op;
    int n;
    while (e && comparison(as->t, &op, &n)) {
        const char *at = as->t->at;
        as->t += n;
        const struct expr *right = sum(as);
        e = right ? node(as, op, e, right, at) : NULL;
    }
    return e;
}

const struct expr *expr_parse(struct as *as)
{
    const struct expr *e = compared(as);
    while (e && (token_is(as->t, '&') || token_is(as->t, '|')) && as->t[1].kind == TOKEN_PUNCT &&
           as->t[1].value == as->t->value) {
        const struct token *t = as->t;
        as->t += 2;
        const struct expr *right = compared(as);
        e = right ? node(as, token_is(t, '&') ? EXPR_ANDAND : EXPR_OROR, e, right, t->at) : NULL;
    }
    return e;
}

struct symbol *expr_symbol(struct as *as)
{
    const struct token *t = as->t;
    if (t->kind != TOKEN_NAME || token_named(t, ".")) {
        as_error(as, t->at, "symbol name expected");
        return NULL;
    }
    as->t++;
    return as_symbol(as, t->text, t->length);
}

bool expr_parse_known(struct as *as, const char *what, int64_t min, int64_t max, int64_t *value)
{
    const char *at = as->t->at;
    const struct expr *e = expr_parse(as);
    if (!e) return false;
    if (!expr_constant(e, value)) return as_error(as, at, "%s must be a number known at this place", what);
    if (*value >= min && *value <= max) return true;
    return as_error(as, at, "%s must be %lld to %lld", what, (long long)min, (long long)max);
}

/* ---- values ---- */

static bool undefined(struct as *as, const struct symbol *s, const char *at)
{
    if (as->messages.quiet) return false;
    const char *mark = memchr(s->name, '#', s->length);
    if (mark) return as_error(as, at, "there is no label %.*s behind this line", (int)(mark - s->name), s->name);
    struct nearest n = {s->name, s->length, 3, NULL};
    for (size_t i = 0; i < as->symbols.room; i++)
        if (as->symbols.table[i] && as->symbols.table[i]->defined && !as->symbols.table[i]->hidden)
            near_offer(&n, as->symbols.table[i]->name);
    as_error(as, at, "undefined symbol '%.*s'", s->length > 100 ? 100 : (int)s->length, s->name);
    if (n.best) as_hint(as, "did you mean '%s'?", n.best);
    return false;
}

/* A name that says where the program's data lie, under the addresses of the last pass. */
static bool landmark(const struct as *as, const struct symbol *s, int64_t *value)
{
    const struct part *data = &as->sections.parts[SECTION_DATA], *bss = &as->sections.parts[SECTION_BSS];
    const struct asm_places places = {.data = data->base, .bss = bss->base, .bss_size = (uint32_t)bss->bytes};
    uint32_t address;
    bool end;
    const char *name = asm_bound(s->name, &end);
    unsigned number = name ? as_find_section(as, name) : as->sections.n;
    const struct section *section = number < as->sections.n ? as_section(as, number) : NULL;
    if (section) *value = (int64_t)(section->base + (end ? section->bytes : 0));
    else if (asm_landmark(s->name, &places, &address)) *value = address;
    else return false;
    return true;
}

bool symbol_value(struct as *as, struct symbol *s, const char *at, int64_t *value)
{
    if (s->item) {
        *value = s->item->addr;
        return true;
    }
    if (!s->expr) return landmark(as, s, value) || undefined(as, s, at);
    if (s->busy) return as_error(as, at, "the value of '%s' depends on itself", s->name);
    if (s->pass != as->pass) { /* each symbol is computed once a pass, however often it is used */
        s->busy = true;
        bool ok = expr_value(as, s->expr, &s->value);
        s->busy = false;
        if (!ok) return false;
        s->pass = as->pass;
    }
    *value = s->value;
    return true;
}

const struct item *expr_pcrel_item(struct as *as, const struct expr *e)
{
    const struct item *i = e->a->op == EXPR_SYMBOL ? e->a->symbol->item : NULL;
    while (i && i->kind == ITEM_LABEL) i = i->next;
    if (e->a->op == EXPR_SYMBOL && !e->a->symbol->defined) undefined(as, e->a->symbol, e->at);
    else if (!i || i->kind != ITEM_INSN || !i->expr || i->expr->op != EXPR_PCREL_HI)
        as_error(as, e->at, "%%pcrel_lo wants the label of an instruction with %%pcrel_hi");
    else return i;
    return NULL;
}

/* %pcrel_lo(label): the low part that belongs to the auipc behind the label. */
static bool pcrel_low(struct as *as, const struct expr *e, int64_t *value)
{
    const struct item *i = expr_pcrel_item(as, e);
    struct place target;
    if (!i) return false;
    if (as->object && (!expr_place(as, i->expr->a, &target) || target.kind != PLACE_SECTION)) return false;
    if (!as->object && !expr_value(as, i->expr->a, &target.value)) return false;
    *value = low_part(target.value - (int64_t)(i->addr + i->size - 4));
    return true;
}

static bool number_wanted(struct as *as, const struct expr *e, const struct place *p)
{
    return p->kind == PLACE_NUMBER ||
           as_error(as, e->at, "a number is wanted, not an address that only the linker knows");
}

bool expr_value(struct as *as, const struct expr *e, int64_t *value)
{
    int64_t a = 0, b = 0;
    if (as->object && e->op != EXPR_PCREL_LO && e->op != EXPR_NUMBER) {
        struct place p;
        if (!expr_place(as, e, &p) || !number_wanted(as, e, &p)) return false;
        *value = p.value;
        return true;
    }
    if (++as->nesting > 4 * AS_MAX_DEPTH) {
        as->nesting--;
        return as_error(as, e->at, "the expression is too deep");
    }
    bool ok;
    if (e->op == EXPR_NUMBER) ok = true, *value = e->value;
    else if (e->op == EXPR_SYMBOL) ok = symbol_value(as, e->symbol, e->at, value);
    else if (e->op == EXPR_PCREL_LO) ok = pcrel_low(as, e, value);
    else if (e->op == EXPR_PCREL_HI) ok = as_error(as, e->at, "%%pcrel_hi must be the whole operand of auipc");
    else ok = expr_value(as, e->a, &a) && (!e->b || expr_value(as, e->b, &b)) && compute(as, e, a, b, value);
    as->nesting--;
    return ok;
}

bool expr_target(struct as *as, const struct expr *e, struct place *place)
{
    if (!expr_place(as, e, place)) return false;
    if (e->op == EXPR_SYMBOL && e->symbol->weak && e->symbol->item)
        *place = (struct place){.kind = PLACE_SYMBOL, .symbol = e->symbol};
    return true;
}

/* ---- values relative to something ---- */

bool symbol_place(struct as *as, struct symbol *s, const char *at, struct place *place)
{
    if (s->item) {
        *place = (struct place){.kind = PLACE_SECTION, .section = s->item->section, .value = s->item->addr};
        return true;
    }
    if (!s->expr && memchr(s->name, '#', s->length)) return undefined(as, s, at);
    if (!s->expr) {
        *place = (struct place){.kind = PLACE_SYMBOL, .symbol = s};
        return true;
    }
    if (s->busy) return as_error(as, at, "the value of '%s' depends on itself", s->name);
    if (s->pass != as->pass) {
        s->busy = true;
        bool ok = expr_place(as, s->expr, &s->place);
        s->busy = false;
        if (!ok) return false;
        s->pass = as->pass;
    }
    *place = s->place;
    return true;
}

/* Sums and differences keep what they are relative to; everything else wants numbers. */
static bool combine(struct as *as, const struct expr *e, struct place a, struct place b, struct place *place)
{
    bool apart = a.kind == PLACE_SECTION && b.kind == PLACE_SECTION && a.section == b.section && e->op >= EXPR_EQ &&
                 e->op <= EXPR_GE;
    if (e->op == EXPR_SUB && a.kind == PLACE_SECTION && b.kind == PLACE_SECTION && a.section == b.section) apart = true;
    if (apart) a.kind = b.kind = PLACE_NUMBER;
    bool sum = (e->op == EXPR_ADD && b.kind == PLACE_NUMBER) || (e->op == EXPR_SUB && b.kind == PLACE_NUMBER);
    *place = a;
    if (e->op == EXPR_ADD && a.kind == PLACE_NUMBER) *place = b, sum = true;
    if (!sum && (!number_wanted(as, e, &a) || !number_wanted(as, e, &b))) return false;
    return compute(as, e, a.value, b.value, &place->value);
}

bool expr_place(struct as *as, const struct expr *e, struct place *place)
{
    struct place a = {.kind = PLACE_NUMBER}, b = {.kind = PLACE_NUMBER};
    *place = (struct place){.kind = PLACE_NUMBER};
    if (++as->nesting > 4 * AS_MAX_DEPTH) {
        as->nesting--;
        return as_error(as, e->at, "the expression is too deep");
    }
    bool ok;
    if (e->op == EXPR_NUMBER) ok = true, place->value = e->value;
    else if (e->op == EXPR_SYMBOL) ok = symbol_place(as, e->symbol, e->at, place);
    else if (e->op == EXPR_PCREL_LO) ok = pcrel_low(as, e, &place->value);
    else if (e->op == EXPR_PCREL_HI) ok = as_error(as, e->at, "%%pcrel_hi must be the whole operand of auipc");
    else ok = expr_place(as, e->a, &a) && (!e->b || expr_place(as, e->b, &b)) && combine(as, e, a, b, place);
    as->nesting--;
    return ok;
}
