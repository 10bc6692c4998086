/* The module note, read and written.
 *
 * The tables below say what records and fields there are; reading and writing are loops over them. Notes come
 * from files that nobody vouches for: numbers have limits, and the first mistake ends the reading with its place.
 * What a newer version may have added is kept as it stands and written again. */
#include "asm/note.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/image.h"
#include "isa/isa.h"

static const char first_line[] = "ventus-module 1";

/* ---- what records there are ---- */

enum form {
    NUMBER,
    ADDRESS, /* a number, written in hexadecimal */
    COUNT,   /* a number, or "auto" for NOTE_AUTO */
    SIZES,   /* three numbers with commas between them */
    STRING,  /* const char *, without zero bytes */
    TEXT,    /* the `text` and `size` of a source */
    KIND,    /* the name of a kind of argument */
};

enum presence {
    NEEDED, /* without it a record is wrong */
    USUAL,  /* always written; zeros or "" when it is not there */
    RARE,   /* not written when it is 0 or "" */
};

struct field {
    const char *key;
    enum form form;
    enum presence presence;
    size_t at;      /* where the value is in the struct of the record */
    uint32_t limit; /* of numbers */
};

// clang-format off
#define AT(member) offsetof(struct ventus_kernel, member)
static const struct field kernel_fields[] = {
    {"name", STRING, NEEDED, AT(name), 0},
    {"entry", ADDRESS, NEEDED, AT(entry), UINT32_MAX},
    {"vgpr", COUNT, NEEDED, AT(vgprs), ISA_VREGS},
    {"sgpr", COUNT, NEEDED, AT(sgprs), ISA_XREGS},
    {"lds", NUMBER, NEEDED, AT(lds_bytes), NOTE_MAX_LDS},
    {"pds", NUMBER, NEEDED, AT(pds_bytes), NOTE_MAX_PDS},
    {"args", NUMBER, NEEDED, AT(args_size), NOTE_MAX_ARGS},
    {"reqd", SIZES, USUAL, AT(reqd), UINT32_MAX},
    {"hint", SIZES, USUAL, AT(hint), UINT32_MAX},
    {"ungrouped", NUMBER, RARE, AT(ungrouped), 3},
    {"links", NUMBER, RARE, AT(links), 1},
    {"vechint", STRING, USUAL, AT(vec_hint), 0},
};
#undef AT
#define AT(member) offsetof(struct ventus_arg, member)
static const struct field arg_fields[] = {
    {"kind", KIND, NEEDED, AT(kind), 0},
    {"size", NUMBER, NEEDED, AT(size), NOTE_MAX_ARGS},
    {"offset", NUMBER, NEEDED, AT(offset), NOTE_MAX_ARGS},
    {"align", NUMBER, USUAL, AT(align), NOTE_MAX_ALIGN},
    {"name", STRING, USUAL, AT(name), 0},
    {"type", STRING, USUAL, AT(type), 0},
    {"access", STRING, USUAL, AT(access), 0},
    {"address", STRING, USUAL, AT(address), 0},
    {"qual", STRING, USUAL, AT(qualifiers), 0},
};
#undef AT
static const struct field line_fields[] = {
    {"pc", ADDRESS, NEEDED, offsetof(struct note_line, pc), UINT32_MAX},
    {"line", NUMBER, NEEDED, offsetof(struct note_line, line), UINT32_MAX},
};
static const struct field string_fields[] = {
    {"id", NUMBER, NEEDED, offsetof(struct note_string, id), UINT32_MAX},
    {"text", STRING, NEEDED, offsetof(struct note_string, text), 0},
};
static const struct field source_fields[] = {
    {"name", STRING, RARE, offsetof(struct note_source, name), 0},
    {"text", TEXT, RARE, 0, 0},
};

#define FIELDS(of) of##_fields, sizeof of##_fields / sizeof *of##_fields
enum { KERNEL, ARG, LINE, FORMAT, LITERAL, SOURCE, RECORDS };
static const struct record {
    const char *name;
    const struct field *fields;
    size_t nfields;
    size_t size, more; /* of the struct, and where its `more` is */
} records[RECORDS] = {
    [KERNEL] = {"kernel", FIELDS(kernel), sizeof(struct ventus_kernel), offsetof(struct ventus_kernel, more)},
    [ARG] = {"arg", FIELDS(arg), sizeof(struct ventus_arg), offsetof(struct ventus_arg, more)},
    [LINE] = {"line", FIELDS(line), sizeof(struct note_line), offsetof(struct note_line, more)},
    [FORMAT] = {"format", FIELDS(string), sizeof(struct note_string), offsetof(struct note_string, more)},
    [LITERAL] = {"string", FIELDS(string), sizeof(struct note_string), offsetof(struct note_string, more)},
    [SOURCE] = {"source", FIELDS(source), sizeof(struct note_source), offsetof(struct note_source, more)},
};
// clang-format on

const char *note_arg_kind(unsigned kind)
{
    static const char *const names[] = {"value", "global", "constant", "local", "image", "sampler", "pipe"};
    _Static_assert(sizeof names / sizeof *names == VENTUS_ARG_KINDS, "a name for each kind");
    return kind < VENTUS_ARG_KINDS ? names[kind] : NULL;
}

/* The record whose name is the first word of a line, or RECORDS. */
static unsigned find_record(const char *line)
{
    size_t n = strcspn(line, " \n");
    unsigned i = 0;
    while (i < RECORDS && (strlen(records[i].name) != n || memcmp(records[i].name, line, n))) i++;
    return i;
}

/* ---- reading ---- */

/* What note_free releases. */
struct memory {
    char *text; /* the note, cut into its strings */
    char *more; /* the fields that are not known */
    void *items[RECORDS];
    struct note_unknown *unknown;
};

struct reader {
    struct memory *memory;
    size_t n[RECORDS], nunknown; /* records so far */
    char *more;                  /* the end of memory->more so far */
    const char *line;            /* the one that is read, and its number */
    size_t number;
    struct note_error *error;
};

/* `at` is the place in the line, NULL: all of it. */
static bool fail(struct reader *r, const char *at, const char *what, const char *key)
{
    *r->error = (struct note_error){r->number, at ? (size_t)(at - r->line) + 1 : 0, what, key};
    return false;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

/* Replaces each %XX in place; *size are the bytes that are left. */
static bool unescape(struct reader *r, char *s, size_t *size)
{
    char *begin = s, *to = s;
    for (; *s; s++) {
        if (*s != '%') {
            *to++ = *s;
            continue;
        }
        int high = hex_digit(s[1]), low = high < 0 ? -1 : hex_digit(s[2]);
        if (low < 0) return fail(r, s, "two hexadecimal digits are expected behind %", NULL);
        *to++ = (char)(high << 4 | low);
        s += 2;
    }
    *to = 0;
    *size = (size_t)(to - begin);
    return true;
}

/* One number, decimal or 0x, that is followed by `end`; *s moves behind that. */
static bool read_number(const char **s, char end, uint32_t limit, uint32_t *out)
{
    char *stop;
    if (**s < '0' || **s > '9') return false;
    int base = (*s)[0] == '0' && ((*s)[1] == 'x' || (*s)[1] == 'X') ? 16 : 10;
    unsigned long long v = strtoull(*s, &stop, base);
    if (*stop != end || v > limit) return false;
    *out = (uint32_t)v;
    *s = end ? stop + 1 : stop;
    return true;
}

static bool read_sizes(const char *s, uint32_t out[3])
{
    return read_number(&s, ',', UINT32_MAX, &out[0]) && read_number(&s, ',', UINT32_MAX, &out[1]) &&
           read_number(&s, 0, UINT32_MAX, &out[2]);
}

static bool read_kind(const char *s, enum ventus_arg_kind *kind)
{
    for (unsigned i = 0; i < VENTUS_ARG_KINDS; i++)
        if (!strcmp(s, note_arg_kind(i))) return *kind = (enum ventus_arg_kind)i, true;
    return false;
}

/* Puts the value of a field, which is cut out of the line, into its place. */
static bool read_value(struct reader *r, const struct field *f, char *value, void *item)
{
    void *to = (char *)item + f->at;
    const char *s = value;
    size_t size;
    if (!unescape(r, value, &size)) return false;
    if (f->form != TEXT && strlen(value) != size) return fail(r, value, "a zero byte in a field", f->key);
    switch (f->form) {
    case COUNT:
        if (!strcmp(value, "auto")) return *(uint32_t *)to = NOTE_AUTO, true;
        /* fall through */
    case NUMBER:
    case ADDRESS:
        return read_number(&s, 0, f->limit, to) ||
               fail(r, value, "a number that is malformed or too large in a field", f->key);
    case SIZES: return read_sizes(value, to) || fail(r, value, "three numbers are expected in a field", f->key);
    case KIND: return read_kind(value, to) || fail(r, value, "an argument of unknown kind", NULL);
    case STRING: *(const char **)to = value; return true;
    case TEXT:
        ((struct note_source *)item)->text = value;
        ((struct note_source *)item)->size = size;
        return true;
    }
    return false;
}

static const struct field *find_field(const struct record *d, const char *key, size_t length)
{
    for (size_t i = 0; i < d->nfields; i++)
        if (strlen(d->fields[i].key) == length && !memcmp(d->fields[i].key, key, length)) return &d->fields[i];
    return NULL;
}

/* Cuts the next field off the rest of a line; its value, or NULL when it is none. */
static char *cut_field(char *field, char **rest)
{
    char *end = field + strcspn(field, " "), *equals = strchr(field, '=');
    *rest = end + (*end != 0);
    *end = 0;
    return equals && equals > field && equals < end ? equals + 1 : NULL;
}

static void keep_unknown_field(struct reader *r, const char *field)
{
    size_t n = strlen(field);
    *r->more++ = ' ';
    memcpy(r->more, field, n);
    r->more += n;
}

/* The fields of a record, of which `rest` are the text. */
static bool read_fields(struct reader *r, const struct record *d, char *rest, void *item)
{
    uint32_t seen = 0;
    const char **more = (const char **)((char *)item + d->more), *begin = r->more;
    for (char *field = rest; *field; field = rest) {
        char *value = cut_field(field, &rest);
        if (!value) return fail(r, field, "a field is not key=value", NULL);
        const struct field *f = find_field(d, field, (size_t)(value - 1 - field));
        if (!f) {
            keep_unknown_field(r, field);
            continue;
        }
        uint32_t bit = 1u << (f - d->fields);
        if (seen & bit) return fail(r, field, "a record has a field twice", f->key);
        seen |= bit;
        if (!read_value(r, f, value, item)) return false;
    }
    for (size_t i = 0; i < d->nfields; i++)
        if (d->fields[i].presence == NEEDED && !(seen >> i & 1))
            return fail(r, NULL, "a record lacks a field", d->fields[i].key);
    *more = r->more == begin ? "" : begin;
    if (r->more != begin) *r->more++ = 0;
    return true;
}

/* ---- what must hold beyond single fields ---- */

static bool check_kernel(struct reader *r, struct ventus_kernel *k)
{
    const struct ventus_kernel *others = r->memory->items[KERNEL];
    k->args = (struct ventus_arg *)r->memory->items[ARG] + r->n[ARG];
    if (!*k->name) return fail(r, NULL, "a kernel without a name", NULL);
    for (size_t i = 0; i < r->n[KERNEL]; i++)
        if (!strcmp(others[i].name, k->name)) return fail(r, NULL, "two kernels of one name", NULL);
    return true;
}

static bool check_arg(struct reader *r, const struct ventus_arg *a)
{
    struct ventus_kernel *k = r->memory->items[KERNEL];
    if (!r->n[KERNEL]) return fail(r, NULL, "an argument before the first kernel", NULL);
    k += r->n[KERNEL] - 1;
    if (!a->align || (a->align & (a->align - 1))) return fail(r, NULL, "an alignment is not a power of two", NULL);
    if (a->kind == VENTUS_ARG_IMAGE && a->size != sizeof(struct abi_image))
        return fail(r, NULL, "an image argument is not 64 bytes", NULL);
    if (a->kind != VENTUS_ARG_VALUE && a->kind != VENTUS_ARG_IMAGE && a->size != 4)
        return fail(r, NULL, "a pointer argument is not four bytes", NULL);
    if (a->offset + a->size > k->args_size) return fail(r, NULL, "an argument lies outside the argument buffer", NULL);
    k->nargs++;
    return true;
}

static bool check_line(struct reader *r, const struct note_line *l)
{
    return !r->n[LINE] || l[-1].pc <= l->pc || fail(r, NULL, "source lines are not in ascending order", NULL);
}

static bool check_record(struct reader *r, unsigned which, void *item)
{
    switch (which) {
    case KERNEL: return check_kernel(r, item);
    case ARG: return check_arg(r, item);
    case LINE: return check_line(r, item);
    default: return true;
    }
}

/* What fields are when they are not there. */
static void set_defaults(const struct record *d, void *item)
{
    for (size_t i = 0; i < d->nfields; i++)
        if (d->fields[i].form == STRING) *(const char **)((char *)item + d->fields[i].at) = "";
    if (d == &records[ARG]) ((struct ventus_arg *)item)->align = 4;
}

/* ---- the note as a whole ---- */

static bool read_record(struct reader *r, char *line)
{
    unsigned which = find_record(line);
    if (which == RECORDS) {
        r->memory->unknown[r->nunknown++] = (struct note_unknown){line, r->n[KERNEL] + r->n[ARG]};
        return true;
    }
    const struct record *d = &records[which];
    char *rest = line + strlen(d->name), *item = (char *)r->memory->items[which] + r->n[which] * d->size;
    set_defaults(d, item);
    if (!read_fields(r, d, *rest ? rest + 1 : rest, item) || !check_record(r, which, item)) return false;
    r->n[which]++;
    return true;
}

/* Memory for as many records as there are lines that begin like one. */
static bool allocate(struct reader *r, const char *text, size_t size)
{
    struct memory *m = r->memory = calloc(1, sizeof *m);
    size_t n[RECORDS + 1] = {0};
    if (!m) return fail(r, NULL, "out of memory", NULL);
    m->text = malloc(size + 1);
    r->more = m->more = malloc(size + 1);
    if (!m->text || !m->more) return fail(r, NULL, "out of memory", NULL);
    memcpy(m->text, text, size);
    m->text[size] = 0;
    for (const char *p = m->text; p; p = strchr(p, '\n'), p = p ? p + 1 : NULL) n[find_record(p)]++;
    if (n[KERNEL] > NOTE_MAX_KERNELS) return fail(r, NULL, "too many kernels", NULL);
    bool ok = (m->unknown = calloc(n[RECORDS] + 1, sizeof *m->unknown)) != NULL;
    for (unsigned i = 0; i < RECORDS && ok; i++) ok = (m->items[i] = calloc(n[i] + 1, records[i].size)) != NULL;
    return ok || fail(r, NULL, "out of memory", NULL);
}

static bool read_lines(struct reader *r)
{
    char *next = r->memory->text;
    while (next) {
        char *line = next;
        next = strchr(line, '\n');
        if (next) *next++ = 0;
        r->line = line;
        if (!r->number++) {
            if (strcmp(line, first_line)) return fail(r, NULL, "it is not of version 1", NULL);
        } else if (*line && !read_record(r, line)) {
            return false;
        }
    }
    return true;
}

bool note_read(const char *text, size_t size, struct note *note, struct note_error *error)
{
    struct reader r = {.error = error};
    bool ok = (!size || !memchr(text, 0, size)) || fail(&r, NULL, "a zero byte", NULL);
    ok = ok && allocate(&r, size ? text : "", size) && read_lines(&r);
    struct note made = {.owner = r.memory};
    if (!ok) return note_free(&made), false;
    struct memory *m = r.memory;
    *note = (struct note){.kernels = m->items[KERNEL],
                          .lines = m->items[LINE],
                          .formats = m->items[FORMAT],
                          .strings = m->items[LITERAL],
                          .sources = m->items[SOURCE],
                          .unknown = m->unknown,
                          .nkernels = r.n[KERNEL],
                          .nlines = r.n[LINE],
                          .nformats = r.n[FORMAT],
                          .nstrings = r.n[LITERAL],
                          .nsources = r.n[SOURCE],
                          .nunknown = r.nunknown,
                          .owner = m};
    return true;
}

uint32_t note_line_at(const struct note *note, uint32_t pc)
{
    size_t lo = 0, hi = note->nlines; /* first record above pc */
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (note->lines[mid].pc > pc) hi = mid;
        else lo = mid + 1;
    }
    return lo ? note->lines[lo - 1].line : 0;
}

const char *note_text_at(const struct note *note, uint32_t pc, size_t *size)
{
    const struct note_source *source = note->nsources ? note->sources : NULL;
    const char *at = source ? source->text : NULL, *end = at ? at + source->size : NULL;
    uint32_t line = note_line_at(note, pc);
    if (!at || !line) return NULL;
    while (at && --line) {
        at = memchr(at, '\n', (size_t)(end - at));
        if (at) at++;
    }
    const char *stop = at ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    if (at) *size = (size_t)((stop ? stop : end) - at);
    return at;
}

void note_free(struct note *note)
{
    struct memory *m = note->owner;
    if (m) {
        for (unsigned i = 0; i < RECORDS; i++) free(m->items[i]);
        free(m->unknown);
        free(m->text);
        free(m->more);
        free(m);
    }
    *note = (struct note){0};
}

void note_explain(const struct note_error *e, char text[NOTE_ERROR_ROOM])
{
    char place[64] = "";
    if (e->line && e->column) snprintf(place, sizeof place, ", line %zu, column %zu", e->line, e->column);
    else if (e->line) snprintf(place, sizeof place, ", line %zu", e->line);
    snprintf(text, NOTE_ERROR_ROOM, "the module note%s: %s%s%s", place, e->what, e->key ? ": " : "",
             e->key ? e->key : "");
}

/* ---- writing ---- */

static void write_escaped(const char *s, size_t n, FILE *out)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        if (c <= ' ' || c == '%' || c == '=' || c == 127) fprintf(out, "%%%02X", c);
        else fputc(c, out);
    }
}

/* "" for what a note that was filled in by hand need not have. */
static const char *string_at(const void *item, size_t at)
{
    const char *s = *(const char *const *)((const char *)item + at);
    return s ? s : "";
}

static bool left_out(const struct field *f, const void *item)
{
    if (f->presence != RARE) return false;
    if (f->form == NUMBER) return !*(const uint32_t *)((const char *)item + f->at);
    return f->form == TEXT ? !((const struct note_source *)item)->text : !*string_at(item, f->at);
}

static void write_value(const struct field *f, const void *item, FILE *out)
{
    const struct note_source *source = item;
    const uint32_t *number = (const void *)((const char *)item + f->at);
    switch (f->form) {
    case COUNT:
        if (*number == NOTE_AUTO) fputs("auto", out);
        else fprintf(out, "%u", *number);
        break;
    case NUMBER: fprintf(out, "%u", *number); break;
    case ADDRESS: fprintf(out, "0x%08x", *number); break;
    case SIZES: fprintf(out, "%u,%u,%u", number[0], number[1], number[2]); break;
    case KIND: fputs(note_arg_kind(((const struct ventus_arg *)item)->kind), out); break;
    case STRING: write_escaped(string_at(item, f->at), strlen(string_at(item, f->at)), out); break;
    case TEXT: write_escaped(source->text, source->size, out); break;
    }
}

static void write_record(unsigned which, const void *item, FILE *out)
{
    const struct record *d = &records[which];
    fputs(d->name, out);
    for (size_t i = 0; i < d->nfields; i++) {
        if (left_out(&d->fields[i], item)) continue;
        fprintf(out, " %s=", d->fields[i].key);
        write_value(&d->fields[i], item, out);
    }
    fprintf(out, "%s\n", string_at(item, d->more));
}

static void write_list(unsigned which, const void *items, size_t n, FILE *out)
{
    for (size_t i = 0; i < n; i++) write_record(which, (const char *)items + i * records[which].size, out);
}

/* Unknown records that stood in front of the next one of a kernel or an argument. */
static void write_unknown(const struct note *note, size_t behind, size_t *next, FILE *out)
{
    for (; *next < note->nunknown && note->unknown[*next].behind <= behind; ++*next)
        fprintf(out, "%s\n", note->unknown[*next].text);
}

static void write_note(const struct note *note, FILE *out)
{
    size_t written = 0, unknown = 0;
    for (size_t i = 0; i < note->nkernels; i++) {
        const struct ventus_kernel *k = &note->kernels[i];
        write_unknown(note, written++, &unknown, out);
        write_record(KERNEL, k, out);
        for (uint32_t j = 0; j < k->nargs; j++) {
            write_unknown(note, written++, &unknown, out);
            write_record(ARG, &k->args[j], out);
        }
    }
    write_unknown(note, written, &unknown, out);
    write_list(LINE, note->lines, note->nlines, out);
    write_list(FORMAT, note->formats, note->nformats, out);
    write_list(LITERAL, note->strings, note->nstrings, out);
    write_list(SOURCE, note->sources, note->nsources, out);
}

char *note_write(const struct note *notes, size_t count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    fprintf(out, "%s\n", first_line);
    for (size_t i = 0; i < count; i++) write_note(&notes[i], out);
    bool failed = ferror(out);
    if (!fclose(out) && !failed) return text;
    free(text);
    return NULL;
}
