/* Reads the directives of a .cl file (README.md, "Cases in OpenCL C") into a struct suite.
 *
 * A directive is a line beginning with //! and a known word; //! lines indented by four or more
 * spaces continue the one before. Anything odd ends the program with file and line: a case that is
 * not understood must not pass. Called by clrun.c. */
#include "clrun.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct suite *suite;
    struct run *run; /* the last one, NULL before the first */
    unsigned line;
};

static _Noreturn void bad(const struct reader *r, const char *format, ...)
{
    va_list args;
    fprintf(stderr, "%s:%u: ", r->suite->path, r->line);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(2);
}

static void *memory(const struct reader *r, void *p)
{
    if (!p) bad(r, "out of memory");
    return p;
}

static const char *skip_space(const char *s)
{
    while (isspace((unsigned char)*s)) s++;
    return s;
}

/* Moves over `word` if it is the next whole word. */
static bool take(const char **text, const char *word)
{
    size_t n = strlen(word);
    if (strncmp(*text, word, n) || isalnum((unsigned char)(*text)[n]) || (*text)[n] == '_') return false;
    *text = skip_space(*text + n);
    return true;
}

static void take_name(const struct reader *r, const char **text, char *to, size_t size)
{
    size_t n = 0;
    while (isalnum((unsigned char)**text) || **text == '_') {
        if (n + 1 < size) to[n++] = **text;
        ++*text;
    }
    to[n] = 0;
    if (!n) bad(r, "a name is missing before '%.20s'", *text);
    *text = skip_space(*text);
}

enum { LARGEST = 1 << 24 };

static size_t take_factor(const struct reader *r, const char **text)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(*text, &end, 10);
    if (end == *text || errno || n > LARGEST) bad(r, "a number is missing or too large at '%.20s'", *text);
    *text = end;
    return n;
}

static size_t take_product(const struct reader *r, const char **text)
{
    size_t n = take_factor(r, text);
    while (**text == '*' || (**text == '/' && isdigit((unsigned char)(*text)[1]))) {
        const bool times = *(*text)++ == '*';
        size_t factor = take_factor(r, text);
        if (!times && !factor) bad(r, "division by zero");
        n = times ? n * factor : n / factor;
        if (n > LARGEST) bad(r, "a number is too large before '%.20s'", *text);
    }
    return n;
}

/* A number, or several with *, / and + between them. */
static size_t take_number(const struct reader *r, const char **text)
{
    size_t n = take_product(r, text);
    while (**text == '+') {
        ++*text;
        n += take_product(r, text);
    }
    return n;
}

/* ---- run ---- */

static unsigned take_dims(const struct reader *r, const char **text, size_t to[3])
{
    unsigned n = 0;
    do to[n++] = take_number(r, text);
    while (n < 3 && **text == ',' && (++*text, true));
    return n;
}

/* Plain numbers: / stands between alternatives. */
static unsigned take_local(const struct reader *r, const char **text, size_t to[3])
{
    unsigned n = 0;
    do to[n++] = take_factor(r, text);
    while (n < 3 && **text == ',' && (++*text, true));
    return n;
}

static void take_locals(const struct reader *r, struct run *run, const char **text)
{
    do {
        if (run->nlocals == MAX_LOCALS) bad(r, "too many local sizes");
        size_t *local = run->locals[run->nlocals++];
        local[0] = local[1] = local[2] = 1;
        if (take(text, "null")) local[0] = 0;
        else if (take_local(r, text, local) != run->dims) bad(r, "local= needs %u dimensions", run->dims);
    } while (**text == '/' && (++*text, true));
}

static void read_run(struct reader *r, const char *text)
{
    if (r->suite->nruns == MAX_RUNS) bad(r, "too many runs");
    struct run *run = r->run = &r->suite->runs[r->suite->nruns++];
    run->line = r->line;
    take_name(r, &text, run->kernel, sizeof run->kernel);
    while (*text) {
        if (!strncmp(text, "global=", 7)) {
            text += 7;
            run->dims = take_dims(r, &text, run->global);
        } else if (!strncmp(text, "local=", 6) && run->dims) {
            text += 6;
            take_locals(r, run, &text);
        } else if (!strncmp(text, "offset=", 7) && run->dims) {
            text += 7;
            run->has_offset = true;
            if (take_dims(r, &text, run->offset) != run->dims) bad(r, "offset= needs %u dimensions", run->dims);
        } else {
            bad(r, "expected global=, then local= or offset=, not '%.20s'", text);
        }
        text = skip_space(text);
    }
    if (!run->dims) bad(r, "global= is missing");
    if (!run->nlocals) run->nlocals = 1; /* one NULL local size */
}

/* ---- arg ---- */

static void set_value(const struct reader *r, struct arg *arg, const char *text)
{
    arg->value = memory(r, strdup(skip_space(text)));
}

static void read_value(const struct reader *r, struct arg *arg, size_t lanes, const char *text)
{
    arg->kind = ARG_VALUE;
    arg->count = lanes;
    arg->bytes = type_sizes[arg->type] * (lanes == 3 ? 4 : lanes);
    set_value(r, arg, text);
}

/* Cuts " ~ 4ulp" or " ~ 0.001" off the end of an expectation. */
static void take_tolerance(const struct reader *r, struct arg *arg, char *text)
{
    char *at = NULL, *end;
    for (char *p = text; (p = strstr(p, " ~ ")); p++) at = p;
    if (!at) return;
    double t = strtod(at + 3, &end);
    if (end == at + 3) return;
    arg->ulp = !strncmp(end, "ulp", 3);
    if (*skip_space(end + (arg->ulp ? 3 : 0)) || !(t > 0)) bad(r, "bad tolerance '%s'", at + 3);
    arg->tolerance = t;
    *at = 0;
}

static void read_expect(const struct reader *r, struct arg *arg, char *text)
{
    take_tolerance(r, arg, text);
    const char *p = skip_space(text);
    arg->any = take(&p, "any");
    arg->sorted = take(&p, "sorted");
    if (arg->any && *p) bad(r, "nothing may follow 'any'");
    if (!arg->any && !*p) bad(r, "the expectation is empty");
    arg->expect = memory(r, strdup(p));
}

static void read_buffer(const struct reader *r, struct arg *arg, const char *text, char *expect)
{
    arg->kind = ARG_BUFFER;
    arg->count = take_number(r, &text);
    if (*text != ']' || !arg->count) bad(r, "expected TYPE[COUNT]");
    text = skip_space(text + 1);
    arg->bytes = arg->count * type_sizes[arg->type];
    if (*text == '=') set_value(r, arg, text + 1);
    else if (*text) bad(r, "expected = or -> at '%.20s'", text);
    if (expect) read_expect(r, arg, expect);
}

static void read_arg(struct reader *r, const char *line)
{
    if (!r->run) bad(r, "an arg before any run");
    if (r->run->nargs == MAX_ARGS) bad(r, "too many args");
    struct arg *arg = &r->run->args[r->run->nargs];
    char *copy = memory(r, strdup(line)), *expect = strstr(copy, "->");
    const char *text = copy;
    if (expect) *expect = 0, expect += 2;
    arg->line = r->line;
    take_name(r, &text, arg->name, sizeof arg->name);
    arg->type = type_parse(&text);
    if (arg->type < T_COUNT && *text == '[') {
        read_buffer(r, arg, text + 1, expect);
    } else if (expect) {
        bad(r, "only a buffer can have an expectation");
    } else if (arg->type < T_COUNT) {
        size_t lanes = isdigit((unsigned char)*text) ? take_number(r, &text) : 1;
        text = skip_space(text);
        if (*text != '=' || !lanes || lanes > 16) bad(r, "expected TYPE = VALUE or TYPE[COUNT]");
        read_value(r, arg, lanes, text + 1);
    } else if (take(&text, "local")) {
        arg->kind = ARG_LOCAL;
        arg->bytes = arg->count = take_number(r, &text);
    } else if (take(&text, "struct") && *text == '=') {
        arg->kind = ARG_VALUE;
        set_value(r, arg, text + 1);
    } else {
        bad(r, "expected a type, local or struct after '%s'", arg->name);
    }
    free(copy);
    r->run->nargs++;
}

/* ---- the arguments' values ---- */

enum { STRUCT_BYTES = 256 }; /* at most */

/* "{char 1, int 2}": members at their natural alignment, as C lays them out. */
static void fill_struct(const struct reader *r, struct scope *scope, struct arg *arg)
{
    const char *text = arg->value;
    size_t end = 0, widest = 1;
    memset(arg->initial, 0, STRUCT_BYTES);
    if (*text != '{') bad(r, "a struct is written {TYPE VALUE, ...}");
    do {
        text = skip_space(text + 1);
        enum type type = type_parse(&text);
        if (type == T_COUNT) bad(r, "expected a type at '%.20s'", text);
        size_t size = type_sizes[type];
        end = (end + size - 1) / size * size;
        widest = size > widest ? size : widest;
        if (end + size > STRUCT_BYTES) bad(r, "struct too large");
        element_store(arg->initial + end, type, expr_eval(scope, &text));
        if (scope->error[0]) bad(r, "%s", scope->error);
        end += size;
    } while (*text == ',');
    if (*text != '}' || *skip_space(text + 1)) bad(r, "expected , or } at '%.20s'", text);
    arg->bytes = (end + widest - 1) / widest * widest;
}

void run_fill(const char *path, struct run *run)
{
    struct suite suite = {.path = path};
    for (unsigned k = 0; k < run->nargs; k++) {
        struct arg *arg = &run->args[k];
        const struct reader r = {.suite = &suite, .line = arg->line};
        struct scope scope = {.args = run->args, .nargs = k};
        if (arg->kind == ARG_LOCAL) continue;
        arg->initial = memory(&r, malloc(arg->type == T_COUNT ? STRUCT_BYTES : arg->bytes));
        memset(arg->initial, 0xab, arg->bytes);
        if (arg->type == T_COUNT) fill_struct(&r, &scope, arg);
        else if (arg->value && !elements_fill(&scope, arg->value, arg->type, arg->count, arg->initial))
            bad(&r, "%s", scope.error);
    }
}

void run_empty(struct run *run)
{
    for (unsigned k = 0; k < run->nargs; k++) {
        free(run->args[k].initial);
        run->args[k].initial = NULL;
    }
}

/* ---- the file ---- */

static void read_print(struct reader *r, const char *text, bool any)
{
    if (!r->run) bad(r, "an expected line before any run");
    if (r->run->nprints == MAX_PRINTS) bad(r, "too many expected lines");
    r->run->prints[r->run->nprints++] = memory(r, strdup(text));
    r->run->prints_any |= any;
}

static void set_text(const struct reader *r, char **to, const char *text)
{
    if (*to || !*text) bad(r, "given twice, or empty");
    *to = memory(r, strdup(text));
}

static void directive(struct reader *r, const char *text)
{
    if (take(&text, "run")) read_run(r, text);
    else if (take(&text, "arg")) read_arg(r, text);
    else if (take(&text, "print")) read_print(r, text, false);
    else if (take(&text, "print_any")) read_print(r, text, true);
    else if (take(&text, "options")) set_text(r, &r->suite->options, text);
    else if (take(&text, "build_fails")) set_text(r, &r->suite->build_fails, text);
    else if (take(&text, "only")) set_text(r, &r->suite->only, text);
    else if (take(&text, "types") || take(&text, "sizes")) return; /* choose_word has read it */
    else if (take(&text, "fault") && r->run) r->run->fault = true;
    else if (*text) bad(r, "unknown directive '%.20s'", text);
}

/* The text of a line that starts with the directive mark, else NULL. */
static const char *comment(const char *line)
{
    if (!strncmp(line, ";!", 2)) return line + 2; /* in assembly of SPIR-V */
    return strncmp(line, "//!", 3) ? NULL : line + 3;
}

static void read_lines(struct reader *r, char *text)
{
    char *pending = memory(r, strdup("")), *next;
    unsigned line = 0;
    for (char *at = text; at; at = next) {
        next = strchr(at, '\n');
        if (next) *next++ = 0;
        const char *body = comment(at);
        line++;
        if (body && !strncmp(body, "    ", 4)) {
            pending = memory(r, realloc(pending, strlen(pending) + strlen(body) + 1));
            strcat(pending, body + 3);
            continue;
        }
        directive(r, pending);
        r->line = line;
        free(pending);
        pending = memory(r, strdup(body ? skip_space(body) : ""));
    }
    directive(r, pending);
    free(pending);
}

static char *read_file(const struct reader *r, const char *path)
{
    enum { LIMIT = 1 << 20 };
    FILE *file = fopen(path, "r");
    char *text = memory(r, calloc(1, LIMIT));
    if (!file || fread(text, 1, LIMIT - 1, file) == LIMIT - 1 || ferror(file))
        bad(r, "cannot be read: %s", strerror(errno));
    fclose(file);
    return text;
}

/* ---- types and sizes ---- */

static bool in_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* A copy of the text in which `word` stands for each `letter` that is a whole word. */
static char *replace_letter(const struct reader *r, const char *text, char letter, const char *word)
{
    char *copy = memory(r, malloc(strlen(text) * strlen(word) + 1)), *to = copy;
    for (const char *p = text; *p; p++) {
        bool whole = *p == letter && (p == text || !in_name(p[-1])) && !in_name(p[1]);
        if (whole) to = stpcpy(to, word);
        else *to++ = *p;
    }
    *to = 0;
    return copy;
}

/* What follows the mark that a line begins with; NULL: there is no such line. */
static const char *behind_mark(const char *text, const char *mark)
{
    const size_t length = strlen(mark);
    for (; text; text = strchr(text, '\n')) {
        text += *text == '\n';
        if (!strncmp(text, mark, length)) return text + length;
    }
    return NULL;
}

/* Puts the word of this number of the line `mark` in place of the letter, if the file has such a line. False: there is
 * no word of this number. */
static bool choose_word(struct reader *r, const char *mark, char letter, unsigned n)
{
    struct suite *suite = r->suite;
    const char *text = behind_mark(suite->source, mark);
    if (!text) return n == 0;
    size_t length;
    for (;; text += length) {
        text += strspn(text, " ");
        length = strcspn(text, " \n");
        if (!length) return false;
        if (!n--) break;
    }
    snprintf(suite->type, sizeof suite->type, "%.*s", (int)length, text);
    char *source = replace_letter(r, suite->source, letter, suite->type);
    free(suite->source);
    suite->source = source;
    return true;
}

bool suite_read(struct suite *suite, const char *path, unsigned n)
{
    *suite = (struct suite){.path = path};
    struct reader r = {.suite = suite};
    suite->runs = memory(&r, calloc(MAX_RUNS, sizeof *suite->runs));
    suite->source = read_file(&r, path);
    const bool sizes = behind_mark(suite->source, "//! sizes ");
    if (!(sizes ? choose_word(&r, "//! sizes ", 'N', n) : choose_word(&r, "//! types ", 'T', n))) {
        suite_free(suite);
        return false;
    }
    char *copy = memory(&r, strdup(suite->source));
    read_lines(&r, copy);
    free(copy);
    if (!suite->nruns && !suite->build_fails) bad(&r, "no '//! run' and no '//! build_fails' line: nothing to check");
    return true;
}

static void run_free(struct run *run)
{
    run_empty(run);
    for (unsigned k = 0; k < run->nargs; k++) {
        free((char *)run->args[k].value);
        free((char *)run->args[k].expect);
    }
    for (unsigned k = 0; k < run->nprints; k++) free(run->prints[k]);
}

void suite_free(struct suite *suite)
{
    for (unsigned k = 0; k < suite->nruns; k++) run_free(&suite->runs[k]);
    free(suite->runs);
    free(suite->source);
    free(suite->options);
    free(suite->build_fails);
    free(suite->only);
}
