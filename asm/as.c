/* What everything in the assembler stands on: memory that lasts as long as the run, and messages.
 *
 * A mistake never ends more than its statement, until there are too many. */
#include "asm/as.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

struct chunk {
    struct chunk *next;
    size_t used, size;
};
enum { CHUNK_BYTES = 1 << 16, CHUNK_HEAD = (sizeof(struct chunk) + 15) & ~15 };

void *as_alloc(struct as *as, size_t size)
{
    size = (size + 15) & ~(size_t)15;
    struct chunk *c = as->arena;
    if (!c || c->size - c->used < size) {
        size_t room = CHUNK_HEAD + (size > CHUNK_BYTES ? size : CHUNK_BYTES);
        c = malloc(room);
        if (!c) {
            as->messages.quiet = false;
            as_error(as, as->in ? as->in->cursor : NULL, "out of memory");
            longjmp(as->stop, 1);
        }
        *c = (struct chunk){as->arena, CHUNK_HEAD, room};
        as->arena = c;
    }
    void *p = (char *)c + c->used;
    c->used += size;
    return memset(p, 0, size);
}

char *as_strdup(struct as *as, const char *text, size_t length)
{
    char *p = as_alloc(as, length + 1);
    memcpy(p, text, length);
    return p;
}

void as_free(struct as *as)
{
    for (struct chunk *c = as->arena, *next; c; c = next) {
        next = c->next;
        free(c);
    }
}

/* ---- messages ---- */

/* The text a place lies in; of a repetition, the text that it is part of. */
static const struct source *source_of(const struct as *as, const char *at)
{
    for (const struct source *s = as->sources.all; s; s = s->all)
        if (s->name && at >= s->text && at <= s->end) return s;
    return NULL;
}

/* The source itself; NULL: it is not read yet. */
static const struct source *first_source(const struct as *as)
{
    const struct source *s = as->sources.all;
    while (s && s->outer) s = s->all;
    return s;
}

static unsigned line_number(const struct source *source, const char *at, const char **start)
{
    unsigned line = 1;
    *start = source->text;
    for (const char *p = source->text; p < at; p++)
        if (*p == '\n') line++, *start = p + 1;
    return line;
}

/* The source line and a caret below the place; tabs are kept so that both stay aligned. */
static void quote(const struct as *as, const char *end, const char *start, const char *at)
{
    const char *p = start;
    if (at - start > 200) return;
    fputs("    ", as->messages.log);
    for (; p < end && *p != '\n' && p - start < 240; p++)
        fputc(*p == '\t' || isprint((unsigned char)*p) ? *p : *p == '\r' ? ' ' : '?', as->messages.log);
    fputs("\n    ", as->messages.log);
    for (p = start; p < at; p++) fputc(*p == '\t' ? '\t' : ' ', as->messages.log);
    fputs("^\n", as->messages.log);
}

/* For text of a macro or an included file: where it was entered, outwards. */
static void trace_back(const struct as *as, const struct source *s)
{
    const char *start;
    for (int i = 0; i < 5 && s->outer; i++) {
        const struct source *outer = source_of(as, s->at);
        if (!outer) return;
        fprintf(as->messages.log, "    %s %s in %s:%u\n", s->file ? "included" : "expanded", s->file ? "" : s->name,
                outer->name, line_number(outer, s->at, &start));
        s = outer;
    }
}

/* "name:line:column: error: " and the rest, with the line. */
static void print_error(const struct as *as, const struct source *source, const char *at, const char *format,
                        va_list args)
{
    FILE *log = as->messages.log;
    const char *start;
    unsigned line = line_number(source, at, &start);
    fprintf(log, "%s:%u:%u: error: ", source->name, line, (unsigned)(at - start) + 1);
    vfprintf(log, format, args);
    fputc('\n', log);
    quote(as, source->end, start, at);
    trace_back(as, source);
}

bool as_error(struct as *as, const char *at, const char *format, ...)
{
    FILE *log = as->messages.log;
    if (as->messages.quiet) return false;
    if (++as->messages.errors > AS_MAX_ERRORS) {
        if (log) fprintf(log, "%s: error: more than %d errors, giving up\n", as->sources.name, AS_MAX_ERRORS);
        longjmp(as->stop, 1);
    }
    const struct source *source = source_of(as, at);
    if (!source && (source = first_source(as))) at = source->text;
    va_list args;
    va_start(args, format);
    if (log && source) print_error(as, source, at, format, args);
    else if (log) fprintf(log, "%s: error: %s\n", as->sources.name, format);
    va_end(args);
    return false;
}

void as_hint(struct as *as, const char *format, ...)
{
    va_list args;
    if (as->messages.quiet || !as->messages.log) return;
    fputs("    hint: ", as->messages.log);
    va_start(args, format);
    vfprintf(as->messages.log, format, args);
    va_end(args);
    fputc('\n', as->messages.log);
}

unsigned as_line(const struct as *as, const char *at)
{
    const char *start;
    const struct source *source = source_of(as, at);
    return source ? line_number(source, at, &start) : 0;
}
