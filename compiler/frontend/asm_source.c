/* Inline assembly in the source, as clang takes it for SPIR: of a machine without registers it accepts no names of
 * registers behind the third colon, and no result in a register but `r`.
 *
 * Results in `f` become `r` here, which are the same registers on this machine, `vd` and `vm` become `vr`, and the
 * names of registers, which the back end finds in the template by itself, become "cc", which is nothing. No character
 * changes its place, so that messages of clang name the right columns. Included files stay as they are. Called by
 * frontend.c. */
#include <ctype.h>
#include <string.h>

#include "asm/template.h"
#include "compiler/frontend/frontend.h"

enum section { TEMPLATE, RESULTS, OPERANDS, CLOBBERS };

static bool in_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$'; }

/* Behind the comment that begins at p; p itself if none does. */
static char *skip_comment(char *p, const char *end)
{
    size_t left = (size_t)(end - p);
    if (left < 2 || p[0] != '/' || (p[1] != '/' && p[1] != '*')) return p;
    const char *mark = p[1] == '/' ? "\n" : "*/", *close = memmem(p + 2, left - 2, mark, strlen(mark));
    return close ? p + (close - p) + strlen(mark) : p + left;
}

/* What stands at p and is neither white space nor a comment; line ends within a macro are white space. */
static char *skip_blank(char *p, const char *end)
{
    for (;;) {
        char *from = p;
        while (p < end && (isspace((unsigned char)*p) || (*p == '\\' && p + 1 < end && p[1] == '\n'))) p++;
        p = skip_comment(p, end);
        if (p == from) return p;
    }
}

/* The end of the literal that begins at p, behind its quote. */
static char *skip_literal(char *p, const char *end)
{
    char quote = *p++;
    while (p < end && *p != quote && *p != '\n') p += 1 + (*p == '\\' && p + 1 < end);
    return p < end ? p + 1 : p + (end - p);
}

static char *skip_token(char *p, const char *end)
{
    if (*p == '"' || *p == '\'') return skip_literal(p, end);
    if (!in_name(*p)) return p + 1;
    while (p < end && in_name(*p)) p++;
    return p;
}

static bool is_one_of(const char *p, size_t length, const char *const *names)
{
    for (; *names; names++)
        if (strlen(*names) == length && !memcmp(*names, p, length)) return true;
    return false;
}

/* The literal from p to its end, both quotes included. */
static void change_literal(char *p, char *end, enum section section)
{
    static const char *const states[] = {"vl", "vtype", "vxrm", "vxsat", "frm", "fflags", NULL};
    size_t length = (size_t)(end - p) - 2;
    if (section == RESULTS || section == OPERANDS)
        for (char *c = p + 1; c < end - 1; c++) {
            if (*c == 'v' && (c[1] == 'd' || c[1] == 'm')) *++c = 'r';
            else if (*c == 'f' && section == RESULTS) *c = 'r';
        }
    if (section == CLOBBERS && length > 1 && (asm_is_register(p + 1, length) || is_one_of(p + 1, length, states))) {
        memset(p, ' ', length + 2);
        memcpy(p, "\"cc\"", 4);
    }
}

/* The statement whose opening bracket is at p; where it ends. */
static char *change_statement(char *p, const char *end)
{
    unsigned depth = 0, section = TEMPLATE;
    while ((p = skip_blank(p, end)) < end) {
        char *next = skip_token(p, end);
        if (*p == '(' || *p == '[') depth++;
        else if ((*p == ')' || *p == ']') && !--depth) return next;
        else if (*p == ':' && depth == 1) section++;
        else if (*p == '"' && depth == 1 && next - p > 2) change_literal(p, next, (enum section)section);
        p = next;
    }
    return p;
}

static void change_all(char *p, const char *end)
{
    static const char *const words[] = {"asm", "__asm", "__asm__", NULL};
    static const char *const qualifiers[] = {"volatile", "__volatile__", "__volatile", "inline", "goto", NULL};
    bool inside = false; /* behind the word, before the bracket */
    while ((p = skip_blank(p, end)) < end) {
        char *next = skip_token(p, end);
        size_t length = (size_t)(next - p);
        if (inside && *p == '(') next = change_statement(p, end);
        inside = is_one_of(p, length, words) || (inside && is_one_of(p, length, qualifiers));
        p = next;
    }
}

const char *asm_source(struct cc *cc, const char *source, size_t size)
{
    if (!memmem(source, size, "asm", 3)) return source;
    char *copy = cc_alloc(cc, size + 1);
    memcpy(copy, source, size);
    change_all(copy, copy + size);
    return copy;
}
