/* One statement: labels, then a directive, an assignment, a macro, or an instruction.
 *
 * Called by asm.c for each statement of the source. */
#include "asm/as.h"

#include <string.h>

static bool instruction(struct as *as)
{
    const struct token *t = as->t++;
    bool aq, rl, found;
    if (t->kind != TOKEN_NAME) return as_error(as, t->at, "instruction expected");
    const struct symbol *s = as_find(as, t->text, t->length);
    if (s && s->macro)
        return macro_run(as, s->macro, t) && (as->t->kind == TOKEN_END || as_error(as, as->t->at, "unexpected text"));
    const struct mnemonic *m = as_mnemonic(as, t, &aq, &rl);
    if (!m) return as_unknown(as, t);
    if (m->pseudo) {
        const struct token *operands = as->t;
        bool ok = pseudo_instruction(as, m->pseudo - 1u, t, m->op != 0, &found);
        if (found || !ok) return ok;
        as->t = operands;
    }
    return operand_instruction(as, m->op, t, aq, rl);
}

/* "7:" defines the next of the labels 7b and 7f refer to. */
static bool numeric_label(struct as *as, const struct token *t)
{
    char name[48];
    bool digits = t->length <= 10;
    for (uint32_t i = 0; i < t->length; i++) digits &= t->text[i] >= '0' && t->text[i] <= '9';
    if (!digits) return as_error(as, t->at, "a label is a name or a decimal number");
    struct symbol *counter = as_symbol(as, t->text, t->length);
    int n = snprintf(name, sizeof name, "%.*s#%u", (int)t->length, t->text, ++counter->uses);
    return as_define(as, as_symbol(as, name, (size_t)n), t->at);
}

static bool labels(struct as *as)
{
    while ((as->t->kind == TOKEN_NAME || as->t->kind == TOKEN_NUMBER) && token_is(as->t + 1, ':')) {
        const struct token *t = as->t;
        if (token_named(t, ".")) return as_error(as, t->at, "'.' is the current address, not a label");
        bool ok =
            t->kind == TOKEN_NUMBER ? numeric_label(as, t) : as_define(as, as_symbol(as, t->text, t->length), t->at);
        if (!ok) return false;
        as->t += 2;
    }
    return true;
}

bool statement_run(struct as *as)
{
    if (!labels(as)) return false;
    const struct token *t = as->t;
    if (t->kind == TOKEN_END) return true;
    if (t->kind == TOKEN_NAME && token_is(t + 1, '=')) {
        as->t += 2;
        return directive_set(as, t) &&
               (as->t->kind == TOKEN_END || as_error(as, as->t->at, "unexpected text behind the value"));
    }
    if (t->kind == TOKEN_NAME && t->text[0] == '.' &&
        !(as_find(as, t->text, t->length) && as_find(as, t->text, t->length)->macro)) {
        as->t++;
        return directive_run(as, t);
    }
    return instruction(as);
}
