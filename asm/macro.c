/* Macros, repetitions, conditions and included files: what changes which statements are read.
 *
 * Text that is not assembled now (the body of a macro, a branch not taken) is skipped statement by statement
 * without being understood. The amount of expanded text is bounded. Called by directive.c and statement.c. */
#include "asm/as.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_PARAMETERS = 32 };

struct parameter {
    const char *name, *fallback;
    size_t length, fallback_length;
    bool required, rest;
};

struct macro {
    const char *name, *body, *end;
    size_t nparameters;
    struct parameter parameters[MAX_PARAMETERS];
};

/* ---- text that is not understood ---- */

static bool word_char(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$'; }

static const char *skip_quoted(const char *s, const char *end)
{
    char quote = *s++;
    while (s < end && *s != quote && *s != '\n') s += *s == '\\' && s + 1 < end ? 2 : 1;
    return s < end && *s == quote ? s + 1 : s;
}

static const char *skip_comment(const char *s, const char *end)
{
    if (s[1] == '*') {
        for (s += 2; s + 1 < end && !(s[0] == '*' && s[1] == '/'); s++) {
        }
        return s + 1 < end ? s + 2 : end;
    }
    while (s < end && *s != '\n') s++;
    return s;
}

/* The end of the statement at s: behind its newline or semicolon. */
static const char *skip_statement(const char *s, const char *end)
{
    while (s < end) {
        if (*s == '\n' || *s == ';') return s + 1;
        if (*s == '"') s = skip_quoted(s, end);
        else if (*s == '\'' && end - s > 2 && s[1] != '\\' && s[2] == '\'') s += 3;
        else if (*s == '#' || (*s == '/' && s + 1 < end && (s[1] == '/' || s[1] == '*'))) s = skip_comment(s, end);
        else s++;
    }
    return s;
}

/* First word of the statement at s, behind labels. */
static const char *first_word(const char *s, const char *end, size_t *length)
{
    for (;;) {
        while (s < end && (*s == ' ' || *s == '\t' || *s == '\r')) s++;
        const char *p = s;
        while (p < end && word_char(*p)) p++;
        *length = (size_t)(p - s);
        if (p == s || p == end || *p != ':') return s;
        s = p + 1;
    }
}

static bool is_word(const char *s, size_t n, const char *word) { return strlen(word) == n && !memcmp(s, word, n); }

static bool opens_condition(const char *s, size_t n) { return n >= 3 && !memcmp(s, ".if", 3); }
static bool opens_repetition(const char *s, size_t n)
{
    return is_word(s, n, ".rept") || is_word(s, n, ".irp") || is_word(s, n, ".irpc");
}
static bool opens_macro(const char *s, size_t n) { return is_word(s, n, ".macro"); }

/* The text up to the statement `close` that belongs to what was opened at `at`; reading goes on
 * behind it. */
static bool read_body(struct as *as, const char *at, bool (*opens)(const char *, size_t), const char *close,
                      const char **body, const char **end)
{
    struct source *in = as->in;
    unsigned depth = 0;
    *body = in->cursor;
    for (const char *s = in->cursor; s < in->end;) {
        size_t n;
        const char *word = first_word(s, in->end, &n);
        if (opens(word, n)) depth++;
        if (is_word(word, n, close) && !depth--) {
            *end = word;
            in->cursor = skip_statement(word, in->end);
            return true;
        }
        s = skip_statement(s, in->end);
    }
    in->cursor = in->end;
    return as_error(as, at, "there is no %s for this", close);
}

/* ---- conditions ---- */

/* Leaves out statements up to the next .else, .elseif or .endif of the innermost condition, and
 * stands before it. */
static void skip_branch(struct as *as)
{
    struct source *in = as->in;
    unsigned depth = 0;
    while (in->cursor < in->end) {
        size_t n;
        const char *word = first_word(in->cursor, in->end, &n);
        if (opens_condition(word, n)) depth++;
        bool ends = is_word(word, n, ".endif");
        if (!depth && (ends || is_word(word, n, ".else") || is_word(word, n, ".elseif"))) {
            in->cursor = word;
            return;
        }
        if (ends) depth--;
        in->cursor = skip_statement(in->cursor, in->end);
    }
}

static bool push_condition(struct as *as, const char *at, bool holds)
{
    if (as->sources.nconditions == AS_MAX_CONDITIONS) return as_error(as, at, "conditions are nested too deep");
    as->sources.conditions[as->sources.nconditions++] = (struct condition){.at = at, .taken = holds};
    if (!holds) skip_branch(as);
    return true;
}

bool directive_if(struct as *as, const struct token *name, unsigned relation)
{
    int64_t v = 0;
    if (!expr_parse_known(as, "the condition", INT64_MIN, INT64_MAX, &v))
        return push_condition(as, name->at, false) && false;
    const bool holds[] = {v != 0, v == 0, v > 0, v >= 0, v < 0, v <= 0};
    return push_condition(as, name->at, holds[relation]);
}

bool directive_ifdef(struct as *as, const struct token *name, unsigned defined)
{
    const struct token *t = as->t;
    if (t->kind != TOKEN_NAME) return as_error(as, t->at, "symbol name expected");
    as->t++;
    const struct symbol *s = as_find(as, t->text, t->length);
    return push_condition(as, name->at, (s && (s->defined || s->expr)) == (defined != 0));
}

/* .ifb: nothing follows; .ifnb: something does. */
bool directive_ifblank(struct as *as, const struct token *name, unsigned blank)
{
    bool empty = as->t->kind == TOKEN_END;
    while (as->t->kind != TOKEN_END) as->t++;
    return push_condition(as, name->at, empty == (blank != 0));
}

/* .ifc A, B: the texts are equal; .ifnc: they are not. */
bool directive_ifequal(struct as *as, const struct token *name, unsigned equal)
{
    const struct token *comma = as->t, *a = as->t;
    while (comma->kind != TOKEN_END && !token_is(comma, ',')) comma++;
    if (comma->kind == TOKEN_END) return as_error(as, comma->at, "',' expected between the two texts");
    const struct token *b = comma + 1;
    size_t n = (size_t)(comma - a), k = 0;
    for (; k < n && b[k].kind != TOKEN_END; k++)
        if (a[k].length != b[k].length || memcmp(a[k].text, b[k].text, a[k].length)) break;
    bool same = k == n && b[k].kind == TOKEN_END;
    while (as->t->kind != TOKEN_END) as->t++;
    return push_condition(as, name->at, same == (equal != 0));
}

bool directive_else(struct as *as, const struct token *name, unsigned with_condition)
{
    struct condition *c =
        as->sources.nconditions > as->in->conditions ? &as->sources.conditions[as->sources.nconditions - 1] : NULL;
    int64_t v = 1;
    if (!c) return as_error(as, name->at, "there is no .if before this");
    if (c->otherwise) return as_error(as, name->at, "the .else of this .if was there already");
    c->otherwise = !with_condition;
    bool wanted = !c->taken, known = with_condition && wanted;
    if (known && !expr_parse_known(as, "the condition", INT64_MIN, INT64_MAX, &v)) {
        known = false;
        v = 0;
    }
    while (with_condition && !known && as->t->kind != TOKEN_END) as->t++;
    c->taken |= wanted && v;
    if (!wanted || !v) skip_branch(as);
    return true;
}

bool directive_endif(struct as *as, const struct token *name, unsigned argument)
{
    (void)argument;
    if (as->sources.nconditions == as->in->conditions) return as_error(as, name->at, "there is no .if before this");
    as->sources.nconditions--;
    return true;
}

/* ---- macros ---- */

/* Text of the tokens from `first` up to `end`, as the source has it. */
static const char *between(const struct token *first, const struct token *end, size_t *length)
{
    *length = first == end ? 0 : (size_t)(end[-1].text + end[-1].length - first->text);
    if (end - first == 1 && first->kind == TOKEN_STRING) { /* the quotes only hold it together */
        *length -= 2;
        return first->text + 1;
    }
    return first->text;
}

static const struct token *argument_end(const struct token *t)
{
    int depth = 0;
    for (; t->kind != TOKEN_END && (depth > 0 || !token_is(t, ',')); t++) depth += token_is(t, '(') - token_is(t, ')');
    return t;
}

static bool parameter(struct as *as, struct macro *m)
{
    const struct token *t = as->t++;
    if (t->kind != TOKEN_NAME) return as_error(as, t->at, "parameter name expected");
    if (m->nparameters == MAX_PARAMETERS)
        return as_error(as, t->at, "a macro has at most %d parameters", MAX_PARAMETERS);
    struct parameter *p = &m->parameters[m->nparameters++];
    *p = (struct parameter){.name = t->text, .length = t->length};
    if (lex_accept(as, ':')) {
        p->required = token_named(as->t, "req");
        p->rest = token_named(as->t, "vararg");
        if (!p->required && !p->rest) return as_error(as, as->t->at, "req or vararg expected");
        as->t++;
    }
    if (lex_accept(as, '=')) {
        const struct token *end = argument_end(as->t);
        p->fallback = between(as->t, end, &p->fallback_length);
        as->t = end;
    }
    lex_accept(as, ',');
    return true;
}

bool directive_macro(struct as *as, const struct token *name, unsigned argument)
{
    (void)argument;
    struct macro *m = as_alloc(as, sizeof *m);
    const struct token *t = as->t;
    bool ok = t->kind == TOKEN_NAME || as_error(as, t->at, "name of the macro expected");
    if (ok) {
        as->t++;
        m->name = as_strdup(as, t->text, t->length);
        lex_accept(as, ',');
        while (ok && as->t->kind != TOKEN_END) ok = parameter(as, m);
    }
    if (!read_body(as, name->at, opens_macro, ".endm", &m->body, &m->end) || !ok) return false;
    as_symbol(as, t->text, t->length)->macro = m;
    return true;
}

bool directive_purgem(struct as *as, const struct token *name, unsigned argument)
{
    (void)argument;
    struct symbol *s = as->t->kind == TOKEN_NAME ? as_find(as, as->t->text, as->t->length) : NULL;
    if (!s || !s->macro) return as_error(as, name->at, "there is no such macro");
    s->macro = NULL;
    as->t++;
    return true;
}

bool directive_stray(struct as *as, const struct token *name, unsigned argument)
{
    (void)argument;
    return as_error(as, name->at, "nothing that this ends was begun");
}

struct value {
    const char *text;
    size_t length;
};

/* Appends, if there is room for it; the length is counted in any case. */
struct expansion {
    char *text;
    size_t length;
};

static void append(struct expansion *x, const char *text, size_t n)
{
    if (x->text) memcpy(x->text + x->length, text, n);
    x->length += n;
}

/* The body with \NAME replaced, \@ the number of this expansion, \() nothing. */
static void substitute(const struct macro *m, const struct value *values, unsigned number, struct expansion *x)
{
    for (const char *s = m->body; s < m->end;) {
        const char *p = memchr(s, '\\', (size_t)(m->end - s));
        if (!p || p + 1 == m->end) {
            append(x, s, (size_t)(m->end - s));
            return;
        }
        append(x, s, (size_t)(p - s));
        const char *word = p + 1, *end = word;
        while (end < m->end && (isalnum((unsigned char)*end) || *end == '_')) end++;
        size_t i = 0, n = (size_t)(end - word);
        while (i < m->nparameters && (m->parameters[i].length != n || memcmp(m->parameters[i].name, word, n))) i++;
        char digits[16];
        if (n && i < m->nparameters) append(x, values[i].text, values[i].length), s = end;
        else if (*word == '@') append(x, digits, (size_t)snprintf(digits, sizeof digits, "%u", number)), s = word + 1;
        else if (*word == '(' && word + 1 < m->end && word[1] == ')') s = word + 2;
        else append(x, p, 2), s = p + 2;
    }
}

static bool expand(struct as *as, const struct macro *m, const struct value *values, const char *at)
{
    struct expansion x = {0};
    unsigned number = as->sources.macros++;
    substitute(m, values, number, &x);
    if (x.length > AS_MAX_BYTES)
        return as_error(as, at, "the expanded source is larger than %d MiB", AS_MAX_BYTES >> 20);
    x.text = as_alloc(as, x.length + 1);
    size_t size = x.length;
    x.length = 0;
    substitute(m, values, number, &x);
    return source_enter(as, m->name, x.text, size, at);
}

/* The argument at as->t to its parameter: by name or by position. */
static bool argument(struct as *as, const struct macro *m, struct value *values, size_t *position)
{
    const struct token *t = as->t, *end = argument_end(t);
    size_t i = *position;
    if (t->kind == TOKEN_NAME && token_is(t + 1, '='))
        for (size_t k = 0; k < m->nparameters; k++)
            if (m->parameters[k].length == t->length && !memcmp(m->parameters[k].name, t->text, t->length))
                i = k, t += 2;
    if (t == as->t) ++*position;
    if (i >= m->nparameters)
        return as_error(as, t->at, "%s has %zu parameter%s", m->name, m->nparameters, m->nparameters == 1 ? "" : "s");
    if (m->parameters[i].rest)
        while (end->kind != TOKEN_END) end++;
    struct value v;
    v.text = between(t, end, &v.length);
    if (v.length || !m->parameters[i].fallback) values[i] = v;
    as->t = end;
    return true;
}

bool macro_run(struct as *as, const struct macro *m, const struct token *name)
{
    struct value values[MAX_PARAMETERS] = {{0}};
    size_t position = 0;
    for (size_t i = 0; i < m->nparameters; i++)
        values[i] = (struct value){m->parameters[i].fallback ? m->parameters[i].fallback : "",
                                   m->parameters[i].fallback_length};
    while (as->t->kind != TOKEN_END) {
        if (!argument(as, m, values, &position)) return false;
        if (!lex_accept(as, ',')) break;
    }
    for (size_t i = 0; i < m->nparameters; i++)
        if (m->parameters[i].required && !values[i].length)
            return as_error(as, name->at, "%s needs a value for %.*s", m->name, (int)m->parameters[i].length,
                            m->parameters[i].name);
    return expand(as, m, values, name->at);
}

/* ---- repetitions ---- */

bool directive_rept(struct as *as, const struct token *name, unsigned argument)
{
    int64_t count;
    const char *body, *end;
    (void)argument;
    bool ok = expr_parse_known(as, "the count", 0, AS_MAX_BYTES, &count);
    if (!read_body(as, name->at, opens_repetition, ".endr", &body, &end) || !ok) return false;
    size_t size = (size_t)(end - body);
    as->sources.expanded += (uint64_t)count * (size + 8);
    if (as->sources.expanded > AS_MAX_BYTES)
        return as_error(as, name->at, "the expanded source is larger than %d MiB", AS_MAX_BYTES >> 20);
    if (!count) return true;
    if (!source_enter(as, NULL, body, size, name->at)) return false;
    as->in->repeat = (uint64_t)count - 1;
    return true;
}

/* .irp NAME, values: the body once with each value; .irpc: with each character of one. The text is
 * that of a macro with one parameter, expanded again and again into one source. */
bool directive_irp(struct as *as, const struct token *name, unsigned characters)
{
    struct macro m = {.name = characters ? ".irpc" : ".irp"};
    const struct token *values = NULL;
    bool ok = parameter(as, &m);
    if (ok) values = as->t;
    while (as->t->kind != TOKEN_END) as->t++;
    if (!read_body(as, name->at, opens_repetition, ".endr", &m.body, &m.end) || !ok) return false;
    struct expansion x = {0};
    for (int round = 0; round < 2; round++) {
        if (round && x.length > AS_MAX_BYTES)
            return as_error(as, name->at, "the expanded source is larger than %d MiB", AS_MAX_BYTES >> 20);
        if (round) x = (struct expansion){.text = as_alloc(as, x.length + 1)};
        for (const struct token *t = values; t->kind != TOKEN_END;) {
            const struct token *end = argument_end(t);
            struct value v;
            v.text = between(t, end, &v.length);
            for (size_t i = 0; characters && i < v.length; i++)
                substitute(&m, &(struct value){v.text + i, 1}, as->sources.macros, &x);
            if (!characters) substitute(&m, &v, as->sources.macros, &x);
            t = end->kind == TOKEN_END ? end : end + 1;
        }
    }
    as->sources.macros++;
    return source_enter(as, m.name, x.text, x.length, name->at);
}

/* ---- included files ---- */

static char *read_included(struct as *as, const char *path, size_t *size)
{
    struct stat st;
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    if (f && !fstat(fileno(f), &st) && S_ISREG(st.st_mode) && st.st_size <= AS_MAX_BYTES) {
        text = as_alloc(as, (size_t)st.st_size + 1);
        *size = fread(text, 1, (size_t)st.st_size, f);
    }
    if (f) fclose(f);
    return text;
}

/* .include "FILE": beside the file that includes it, or in the current folder. */
bool directive_include(struct as *as, const struct token *name, unsigned argument)
{
    (void)argument;
    uint8_t *file;
    size_t length, size = 0;
    if (as->t->kind != TOKEN_STRING) return as_error(as, as->t->at, "file name in quotes expected");
    if (!lex_string(as, as->t, &file, &length)) return false;
    const char *at = as->t++->at;
    if (!as->sources.includes) return as_error(as, name->at, "files cannot be included here");
    if (memchr(file, 0, length) || !length || length > 4000) return as_error(as, at, "this is no file name");
    const char *folder = as->sources.name, *slash = strrchr(folder, '/');
    for (const struct source *s = as->in; s; s = s->outer)
        if (s->file) {
            folder = s->name;
            slash = strrchr(folder, '/');
            break;
        }
    size_t prefix = slash && *file != '/' ? (size_t)(slash + 1 - folder) : 0;
    char *path = as_alloc(as, prefix + length + 1);
    memcpy(path, folder, prefix);
    memcpy(path + prefix, file, length);
    char *text = read_included(as, path, &size);
    if (!text && prefix) text = read_included(as, path = as_strdup(as, (char *)file, length), &size);
    if (!text) return as_error(as, at, "the file cannot be read");
    if (!source_enter(as, path, text, size, name->at)) return false;
    as->in->file = true;
    return true;
}
