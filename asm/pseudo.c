/* Pseudo-instructions: a statement is rewritten as others, on tokens.
 *
 * The operands of the source replace %0, %1 ... in a template's tokens and keep their places, so
 * that messages point at what the user wrote. Lines of templates are instructions of the table, perhaps with a
 * label. Called by statement.c. */
#include "asm/as.h"

#include <string.h>

static const struct pseudo {
    const char *name;
    unsigned operands;
    const char *text;
} pseudos[] = {
#define PSEUDO(name, operands, text) {name, operands, text},
#include "pseudo.def"
#undef PSEUDO
};
enum { NPSEUDOS = sizeof pseudos / sizeof *pseudos, MAX_OPERANDS = 4 };

/* The operands of a statement: runs of tokens between the commas outside parentheses. */
struct operands {
    unsigned count;
    const struct token *first[MAX_OPERANDS];
    size_t length[MAX_OPERANDS];
    bool masked, parenthesis;
    const struct token *modifiers; /* from the brace on; nmodifiers tokens */
    size_t nmodifiers;
};

static void split(const struct token *t, struct operands *o)
{
    const struct token *first = t;
    int depth = 0;
    bool end = t->kind == TOKEN_END || token_is(t, '{');
    *o = (struct operands){0};
    for (; !end; t++) {
        if (token_is(t, '(')) depth++, o->parenthesis = true;
        if (token_is(t, ')')) depth--;
        end = t->kind == TOKEN_END || token_is(t, '{');
        if (!end && (depth > 0 || !token_is(t, ','))) continue;
        if (end && o->count && t - first == 1 && token_named(first, "v0.t")) {
            o->masked = true;
        } else {
            if (o->count < MAX_OPERANDS) {
                o->first[o->count] = first;
                o->length[o->count] = (size_t)(t - first);
            }
            o->count++;
        }
        if (end) break;
        first = t + 1;
    }
    o->modifiers = t;
    for (; t->kind != TOKEN_END; t++) o->nmodifiers++;
}

/* Tokens of one line of an expansion. */
struct line {
    struct token *tokens;
    size_t count, room;
};

static void add(struct as *as, struct line *l, const struct token *t, size_t n)
{
    if (l->count + n > l->room) {
        size_t room = (l->count + n) * 2;
        struct token *grown = as_alloc(as, room * sizeof *grown);
        if (l->count) memcpy(grown, l->tokens, l->count * sizeof *grown);
        l->tokens = grown;
        l->room = room;
    }
    memcpy(l->tokens + l->count, t, n * sizeof *t);
    l->count += n;
}

/* The template's tokens with operands and label filled in. "%0" is lexed as % and a number, "%lo"
 * as % and a name. */
static void fill(struct as *as, struct line *l, const struct token *t, const struct operands *o,
                 const struct token *label)
{
    for (; t->kind != TOKEN_END; t++) {
        if (token_is(t, '%') && t[1].kind == TOKEN_NUMBER && t[1].value < (int64_t)o->count) {
            t++;
            add(as, l, o->first[t->value], o->length[t->value]);
        } else {
            add(as, l, token_is(t, '@') ? label : t, 1);
        }
    }
}

/* A label or none, and an instruction of the table. */
static bool run_line(struct as *as, struct line *l)
{
    bool aq, rl;
    const struct token end = {.kind = TOKEN_END, .at = l->tokens[l->count - 1].at};
    add(as, l, &end, 1);
    const struct token *t = as->t = l->tokens;
    if (token_is(t + 1, ':')) {
        if (!as_define(as, as_symbol(as, t->text, t->length), t->at)) return false;
        as->t += 2;
    }
    t = as->t++;
    const struct mnemonic *m = as_mnemonic(as, t, &aq, &rl);
    return m && m->op ? operand_instruction(as, m->op, t, aq, rl) : as_unknown(as, t);
}

static bool expand(struct as *as, const struct pseudo *p, const struct operands *o, const char *at)
{
    static const struct token mask[2] = {{TOKEN_PUNCT, NULL, ",", 1, ','}, {TOKEN_NAME, NULL, "v0.t", 4, 0}};
    char name[24];
    int n = snprintf(name, sizeof name, "#%u", as->symbols.anonymous++);
    const struct token label = {
        .kind = TOKEN_NAME, .at = at, .text = as_strdup(as, name, (size_t)n), .length = (uint32_t)n};
    const char *text = p->text, *end = text + strlen(text);
    struct token *saved = as->tokens.list;
    size_t count = as->tokens.n, room = as->tokens.room;
    bool ok = true;
    while (ok && text < end) {
        struct line line = {0};
        as->tokens.list = NULL;
        as->tokens.n = as->tokens.room = 0;
        lex_text(as, &text, end, at, true);
        fill(as, &line, as->tokens.list, o, &label);
        if (o->masked && text == end) {
            struct token t[2] = {mask[0], mask[1]};
            t[0].at = t[1].at = at;
            add(as, &line, t, 2);
        }
        if (text == end) add(as, &line, o->modifiers, o->nmodifiers);
        ok = run_line(as, &line);
    }
    as->tokens.list = saved;
    as->tokens.n = count;
    as->tokens.room = room;
    return ok;
}

/* li: one instruction when twelve bits are enough or the low part is zero, else two. */
static bool load_immediate(struct as *as, const struct operands *o, const char *at)
{
    static const struct pseudo small = {"li", 2, "addi %0, zero, %1"}, upper = {"li", 2, "lui %0, %hi(%1)"},
                               both = {"li", 2, "lui %0, %hi(%1)\naddi %0, %0, %lo(%1)"};
    int64_t v;
    as->t = o->first[1];
    const char *place = as->t->at;
    const struct expr *e = expr_parse(as);
    if (!e) return false;
    if (as->t->kind != TOKEN_END) return as_error(as, as->t->at, "unexpected text behind the operands");
    if (!expr_constant(e, &v)) {
        as_error(as, place, "li wants a number that is known here");
        as_hint(as, "la loads an address");
        return false;
    }
    if (v < INT32_MIN || v > UINT32_MAX) return as_error(as, place, "the number has more than 32 bits");
    v = (int32_t)(uint32_t)v;
    struct operands value = *o; /* a number above 0x7fffffff is the negative one of the same bits */
    struct token number = {.kind = TOKEN_NUMBER, .at = place, .text = "0", .length = 1, .value = v < 0 ? -v : v};
    struct token tokens[2] = {{TOKEN_PUNCT, place, "-", 1, '-'}, number};
    value.first[1] = v < 0 ? tokens : &tokens[1];
    value.length[1] = v < 0 ? 2 : 1;
    if (v >= -2048 && v < 2048) return expand(as, &small, &value, at);
    return expand(as, v & 0xfff ? &both : &upper, &value, at);
}

bool pseudo_instruction(struct as *as, size_t row, const struct token *mnemonic, bool instruction, bool *found)
{
    struct operands o;
    const char *name = row < NPSEUDOS ? pseudos[row].name : "li";
    *found = false;
    split(as->t, &o);
    if (instruction && o.parenthesis) return true;
    if (row == NPSEUDOS) {
        *found = true;
        if (o.count != 2 || o.masked) return as_error(as, mnemonic->at, "li wants two operands");
        return load_immediate(as, &o, mnemonic->at);
    }
    for (size_t i = row; i < NPSEUDOS && !strcmp(pseudos[i].name, name); i++) {
        if (pseudos[i].operands != o.count) continue;
        *found = true;
        return expand(as, &pseudos[i], &o, mnemonic->at);
    }
    *found = !instruction;
    return instruction || as_error(as, mnemonic->at, "%s wants %u operand%s", name, pseudos[row].operands,
                                   pseudos[row].operands == 1 ? "" : "s");
}
