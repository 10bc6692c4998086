/* Source text to tokens, a statement at a time.
 *
 * Tokens point into the source, nothing is copied; a statement ends at the end of its line or at a
 * semicolon with an instruction behind it. Called by asm.c for the source, and by pseudo.c for its templates. */
#include "asm/as.h"

#include <ctype.h>
#include <string.h>

static bool name_start(char c) { return isalpha((unsigned char)c) || c == '_' || c == '.' || c == '$'; }
static bool name_char(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$'; }

static struct token *push(struct as *as, enum token_kind kind, const char *text, const char *end, const char *at)
{
    if (as->tokens.n == as->tokens.room) {
        size_t room = as->tokens.room ? as->tokens.room * 2 : 64;
        struct token *grown = as_alloc(as, room * sizeof *grown);
        if (as->tokens.n) memcpy(grown, as->tokens.list, as->tokens.n * sizeof *grown);
        as->tokens.list = grown;
        as->tokens.room = room;
    }
    struct token *t = &as->tokens.list[as->tokens.n++];
    *t = (struct token){.kind = kind, .at = at ? at : text, .text = text, .length = (uint32_t)(end - text)};
    return t;
}

static int digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    c = (char)tolower((unsigned char)c);
    return c >= 'a' && c <= 'z' ? c - 'a' + 10 : 99;
}

/* The value of a number token. Numeric labels (1f, 1b) and floating-point numbers have none; who
 * expects those looks at the text. */
static bool number_value(const char *s, const char *end, int64_t *value)
{
    int base = 10;
    if (end - s > 2 && s[0] == '0' && (s[1] | 32) == 'x') base = 16, s += 2;
    else if (end - s > 2 && s[0] == '0' && (s[1] | 32) == 'b') base = 2, s += 2;
    else if (end - s > 1 && s[0] == '0') base = 8, s++;
    uint64_t v = 0;
    for (; s < end; s++) {
        if (digit(*s) >= base || v > (UINT64_MAX >> 5)) return false;
        v = v * (unsigned)base + (unsigned)digit(*s);
    }
    *value = (int64_t)v;
    return true;
}

static const char *number_end(const char *s, const char *end)
{
    while (s < end && (isalnum((unsigned char)*s) || *s == '.')) {
        bool hex = s[0] == '0' && s + 1 < end && (s[1] | 32) == 'x';
        if (!hex && (*s | 32) == 'e' && s + 1 < end && (s[1] == '+' || s[1] == '-')) s++;
        s++;
    }
    return s;
}

static int escape(const char **p, const char *end)
{
    static const char from[] = "abfnrtv0\\\"'", to[] = "\a\b\f\n\r\t\v\0\\\"'";
    const char *s = *p;
    if (s == end) return -1;
    if (*s == 'x') {
        int v = 0, n = 0;
        for (s++; n < 2 && s < end && digit(*s) < 16; s++, n++) v = v * 16 + digit(*s);
        *p = s;
        return n ? v : -1;
    }
    if (*s >= '0' && *s <= '7') {
        int v = 0;
        for (int n = 0; n < 3 && s < end && *s >= '0' && *s <= '7'; s++, n++) v = v * 8 + (*s - '0');
        *p = s;
        return v & 255;
    }
    const char *f = memchr(from, *s, sizeof from - 1);
    *p = s + 1;
    return f ? (unsigned char)to[f - from] : -1;
}

bool lex_string(struct as *as, const struct token *t, uint8_t **bytes, size_t *length)
{
    const char *s = t->text + 1, *end = t->text + t->length - 1;
    uint8_t *out = as_alloc(as, t->length), *p = out;
    while (s < end) {
        const char *at = s;
        int c = (unsigned char)*s++;
        if (c == '\\' && (c = escape(&s, end)) < 0) return as_error(as, at, "unknown escape sequence");
        *p++ = (uint8_t)c;
    }
    *bytes = out;
    *length = (size_t)(p - out);
    return true;
}

/* A character constant: its value as a number. */
static const char *lex_char(struct as *as, const char *s, const char *end, const char *at)
{
    const char *p = s + 1;
    int c = p < end && *p != '\n' ? (unsigned char)*p++ : -1;
    if (c == '\\') c = escape(&p, end);
    if (c < 0 || p == end || *p != '\'') {
        as_error(as, at ? at : s, "damaged character constant");
        return NULL;
    }
    push(as, TOKEN_NUMBER, s, p + 1, at)->value = c;
    return p + 1;
}

static const char *lex_quoted(struct as *as, const char *s, const char *end, const char *at)
{
    const char *p = s + 1;
    while (p < end && *p != '"' && *p != '\n') p += *p == '\\' && p + 1 < end && p[1] != '\n' ? 2 : 1;
    if (p >= end || *p != '"') {
        as_error(as, at ? at : s, "the string has no end");
        return NULL;
    }
    push(as, TOKEN_STRING, s, p + 1, at);
    return p + 1;
}

/* One token at s, which is no blank; returns the place behind it or NULL after an error. */
static const char *lex_token(struct as *as, const char *s, const char *end, const char *at)
{
    const char *p = s;
    if (name_start(*s)) {
        while (p < end && name_char(*p)) p++;
        push(as, TOKEN_NAME, s, p, at);
        return p;
    }
    if (isdigit((unsigned char)*s)) {
        p = number_end(s, end);
        struct token *t = push(as, TOKEN_NUMBER, s, p, at);
        if (!number_value(s, p, &t->value)) t->value = -1;
        return p;
    }
    if (*s == '"') return lex_quoted(as, s, end, at);
    if (*s == '\'') return lex_char(as, s, end, at);
    if (strchr("+-*/%&|^~(),:=<>@!{}", *s) && *s) {
        int value = (unsigned char)*s++;
        if (value == '<' && s < end && *s == '<') value = PUNCT_SHL, s++;
        else if (value == '>' && s < end && *s == '>') value = PUNCT_SHR, s++;
        push(as, TOKEN_PUNCT, p, s, at)->value = value;
        return s;
    }
    if (isprint((unsigned char)*s)) as_error(as, at ? at : s, "unexpected character '%c'", *s);
    else as_error(as, at ? at : s, "unexpected byte 0x%02x", (unsigned char)*s);
    return NULL;
}

/* Skips blanks and comments inside a line; a block comment may span lines. */
static const char *skip_blank(struct as *as, const char *s, const char *end)
{
    while (s < end) {
        if (*s == ' ' || *s == '\t' || *s == '\r' || *s == '\f' || *s == '\v') {
            s++;
        } else if (*s == '#' || (*s == '/' && s + 1 < end && s[1] == '/')) {
            while (s < end && *s != '\n') s++;
        } else if (*s == '/' && s + 1 < end && s[1] == '*') {
            const char *p = s + 2;
            while (p + 1 < end && !(p[0] == '*' && p[1] == '/')) p++;
            if (p + 1 >= end) {
                as_error(as, s, "the comment has no end");
                return end;
            }
            s = p + 2;
        } else {
            break;
        }
    }
    return s;
}

/* Behind a semicolon stands another statement (GNU) or a comment (older habits): a statement when
 * its first word is a directive, a label or something the assembler knows or nearly knows. */
static bool comment_behind(struct as *as, const char *s, const char *end)
{
    while (s < end && (*s == ' ' || *s == '\t')) s++;
    if (s == end || *s == '\n' || *s == ';') return false;
    const char *p = s;
    while (p < end && name_char(*p)) p++;
    if (p < end && (*p == ':' || *p == '=')) return false;
    return p == s || !as_begins_statement(as, s, (size_t)(p - s));
}

bool lex_text(struct as *as, const char **text, const char *end, const char *at, bool template)
{
    const char *s = *text;
    bool ok = true;
    as->tokens.n = 0;
    while (s < end) {
        if (!template) s = skip_blank(as, s, end);
        else
            while (s < end && *s == ' ') s++;
        if (s == end) break;
        if (*s == '\n' || *s == ';') {
            s++;
            if (s[-1] == ';' && comment_behind(as, s, end))
                while (s < end && *s != '\n') s++;
            break;
        }
        s = lex_token(as, s, end, at);
        if (!s) { /* the rest of a line with an error is not looked at */
            s = *text;
            while (s < end && *s != '\n') s++;
            ok = false;
            break;
        }
    }
    push(as, TOKEN_END, s, s, at ? at : (s > as->in->text && s <= as->in->end ? s - (s[-1] == '\n') : s));
    *text = s;
    as->t = as->tokens.list;
    return ok;
}

/* A line of a listing, "ADDRESS:<tab>words<tab>instruction": the two columns are skipped, so that
 * what the disassembler prints can be assembled. */
static void skip_listing(struct as *as)
{
    struct source *in = as->in;
    const char *s = in->cursor;
    if (in->end - s < 18 || (s > in->text && s[-1] != '\n')) return;
    for (int i = 0; i < 8; i++)
        if (!isxdigit((unsigned char)s[i])) return;
    if (s[8] != ':' || s[9] != '\t') return;
    const char *p = s + 10;
    while (p < in->end && (isxdigit((unsigned char)*p) || *p == ' ' || *p == '.')) p++;
    if (p < in->end && *p == '\t' && p > s + 10) in->cursor = p + 1;
}

bool lex_statement(struct as *as)
{
    while (as->in->cursor >= as->in->end)
        if (!source_leave(as)) return false;
    skip_listing(as);
    if (!lex_text(as, &as->in->cursor, as->in->end, NULL, false)) {
        as->tokens.n = 1;
        as->tokens.list[0].kind = TOKEN_END; /* reported; an empty statement goes on */
    }
    return true;
}

bool lex_accept(struct as *as, int punct)
{
    if (!token_is(as->t, punct)) return false;
    as->t++;
    return true;
}

bool lex_expect(struct as *as, int punct, const char *what)
{
    return lex_accept(as, punct) || as_error(as, as->t->at, "'%c' expected %s", punct, what);
}

bool lex_comma(struct as *as) { return lex_expect(as, ',', "before the next operand"); }
