/* Two profiles side by side, as a table and as JSON. */
#include <string.h>

#include "profile_diff.h"
#include "sim/output.h"

enum { TEXT = 60 }; /* characters of a source line */

/* 0: not in the profile. */
static uint64_t number_of(const struct json *object, const char *key)
{
    const struct json *m = json_member(object, key);
    return m && m->kind == JSON_NUMBER && m->count != JSON_NO_COUNT ? m->count : 0;
}

static uint64_t counter_of(const struct kernel *k, const char *key) { return number_of(k->counters, key); }

/* ---- cells ---- */

static void put_name(const char *text, FILE *out) { output_plain(out, text, strlen(text), SIZE_MAX); }

static void put_ratio(uint64_t a, uint64_t b, FILE *out)
{
    if (a) fprintf(out, " %8.3f", (double)b / (double)a);
    else fprintf(out, " %8s", "-");
}

static void put_counts(uint64_t a, uint64_t b, FILE *out)
{
    fprintf(out, " %14llu %14llu", (unsigned long long)a, (unsigned long long)b);
    put_ratio(a, b, out);
}

static void put_lanes(const struct counts *c, int width, FILE *out)
{
    if (c->executions) fprintf(out, " %*.1f", width, (double)c->lanes / (double)c->executions);
    else fprintf(out, " %*s", width, "-");
}

static void put_line_number(bool there, uint32_t number, FILE *out)
{
    if (!there) fprintf(out, " %6s", "-");
    else if (number) fprintf(out, " %6u", (unsigned)number);
    else fprintf(out, " %6s", "?");
}

/* ---- the table ---- */

static const char *line_at(const char *source, uint32_t number)
{
    while (source && number-- > 1) source = (source = strchr(source, '\n')) ? source + 1 : NULL;
    return source;
}

/* That of B, where there is one. */
static const char *text_of(const struct kernel_pair *p, const struct line_pair *l, size_t *size)
{
    const int side = l->there[B] ? B : A;
    const char *text = l->number[side] ? line_at(p->side[side]->source, l->number[side]) : NULL;
    if (!text) return NULL;
    *size = strcspn(text, "\n");
    return text;
}

static void put_line(const struct kernel_pair *p, const struct line_pair *l, FILE *out)
{
    size_t n = 0;
    const char *text = text_of(p, l, &n);
    put_counts(l->counts[A].executions, l->counts[B].executions, out);
    for (int i = 0; i < SIDES; i++) put_lanes(&l->counts[i], 7, out);
    if (p->side[A]->all.cycles || p->side[B]->all.cycles)
        fprintf(out, " %14llu %14llu", (unsigned long long)l->counts[A].cycles,
                (unsigned long long)l->counts[B].cycles);
    for (int i = 0; i < SIDES; i++) put_line_number(l->there[i], l->number[i], out);
    fputs(text ? "  " : "", out);
    output_plain(out, text, n, TEXT);
    putc('\n', out);
}

static void put_row(const char *name, uint64_t a, uint64_t b, FILE *out)
{
    if (!a && !b) return;
    fprintf(out, "  %-23s", name);
    put_counts(a, b, out);
    putc('\n', out);
}

static void put_lanes_row(const struct kernel *a, const struct kernel *b, FILE *out)
{
    fprintf(out, "  %-23s", "active lanes of a warp");
    put_lanes(&a->all, 14, out);
    put_lanes(&b->all, 14, out);
    putc('\n', out);
}

/* By a cycle model: of the launches, and of their warps by what these did. */
static void put_cycles(const struct kernel *a, const struct kernel *b, FILE *out)
{
    put_row("cycles of the model", a->cycles, b->cycles, out);
    put_row("cycles of its warps", a->all.cycles, b->all.cycles, out);
#define SLOT(name, title, text) \
    if (strcmp(#name, "no_warp") != 0) put_row("  " #name, number_of(a->slots, #name), number_of(b->slots, #name), out);
#include "timing/slots.def"
#undef SLOT
}

static void put_both(const struct kernel_pair *p, size_t lines, FILE *out)
{
    const struct kernel *a = p->side[A], *b = p->side[B];
    fprintf(out, "\n%*s %14s %14s %8s\n", 25, "", "A", "B", "B/A");
    put_row("launches", a->launches, b->launches, out);
    put_row("host's microseconds", a->host_ns / 1000, b->host_ns / 1000, out);
    put_cycles(a, b, out);
    put_lanes_row(a, b, out);
#define VENTUS_COUNTER(name, type, how, cl, text) put_row(text, counter_of(a, #name), counter_of(b, #name), out);
#include "sim/counters.def"
#undef VENTUS_COUNTER
    if (!lines || !p->nlines) return;
    fprintf(out, " %14s %14s %8s %7s %7s", "instructions A", "B", "B/A", "lanes A", "B");
    if (a->all.cycles || b->all.cycles) fprintf(out, " %14s %14s", "cycles A", "B");
    fprintf(out, " %6s %6s\n", "line A", "B");
    for (size_t i = 0; i < p->nlines && i < lines; i++) put_line(p, &p->lines[i], out);
    if (p->nlines > lines) fprintf(out, "  ... and %zu more lines\n", p->nlines - lines);
}

static void put_kernel(const struct kernel_pair *p, size_t lines, FILE *out)
{
    const int only = p->side[A] ? A : B;
    const struct kernel *k = p->side[only];
    putc('\n', out);
    put_name(k->name, out);
    if (p->side[A] && p->side[B]) put_both(p, lines, out);
    else
        fprintf(out, ": only in %c, %llu instructions of warps\n", "AB"[only], (unsigned long long)k -> all.executions);
}

static uint64_t sum_of(const struct profile_file *f)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < f->nkernels; i++) sum += f->kernels[i].all.executions;
    return sum;
}

void profile_diff_table(const struct profile_diff *d, size_t lines, FILE *out)
{
    for (int i = 0; i < SIDES; i++) {
        fprintf(out, "%c: ", "AB"[i]);
        put_name(d->file[i]->path, out);
        fprintf(out, ", %zu kernel%s\n", d->file[i]->nkernels, d->file[i]->nkernels == 1 ? "" : "s");
    }
    put_row("warp instructions", sum_of(d->file[A]), sum_of(d->file[B]), out);
    for (size_t i = 0; i < d->nkernels; i++) put_kernel(&d->kernels[i], lines, out);
}

/* ---- JSON ---- */

static void json_counts(const struct counts *c, FILE *out)
{
    fprintf(out, "{\"executions\": %llu, \"lanes\": %llu, \"cycles\": %llu", (unsigned long long)c->executions,
            (unsigned long long)c->lanes, (unsigned long long)c->cycles);
}

static void json_side(const char *key, const struct kernel *k, FILE *out)
{
    fprintf(out, ", \"%s\": ", key);
    if (!k) {
        fputs("null", out);
        return;
    }
    json_counts(&k->all, out);
    fprintf(out, ", \"launches\": %llu, \"host_ns\": %llu, \"counters\": {", (unsigned long long)k->launches,
            (unsigned long long)k->host_ns);
    const char *between = "";
#define VENTUS_COUNTER(name, type, how, cl, text) \
    fprintf(out, "%s\"" #name "\": %llu", between, (unsigned long long)counter_of(k, #name)); \
    between = ", ";
#include "sim/counters.def"
#undef VENTUS_COUNTER
    fputs("}}", out);
}

static void json_line(const struct line_pair *l, FILE *out)
{
    for (int i = 0; i < SIDES; i++) {
        fprintf(out, "%s\"%c\": ", i ? ", " : "{", "ab"[i]);
        if (l->there[i]) {
            json_counts(&l->counts[i], out);
            fprintf(out, ", \"line\": %u}", (unsigned)l->number[i]);
        } else {
            fputs("null", out);
        }
    }
    putc('}', out);
}

static void json_kernel(const struct kernel_pair *p, FILE *out)
{
    fputs("{\"name\": ", out);
    output_json_string(out, (p->side[A] ? p->side[A] : p->side[B])->name);
    json_side("a", p->side[A], out);
    json_side("b", p->side[B], out);
    fputs(",\n   \"lines\": [", out);
    for (size_t i = 0; i < p->nlines; i++) fputs(i ? ",\n    " : "\n    ", out), json_line(&p->lines[i], out);
    fputs("]}", out);
}

void profile_diff_json(const struct profile_diff *d, FILE *out)
{
    fputs("{\"ventus_profile_diff\": 1, \"a\": ", out);
    output_json_string(out, d->file[A]->path);
    fputs(", \"b\": ", out);
    output_json_string(out, d->file[B]->path);
    fputs(",\n \"kernels\": [", out);
    for (size_t i = 0; i < d->nkernels; i++) fputs(i ? ",\n  " : "\n  ", out), json_kernel(&d->kernels[i], out);
    fputs("]}\n", out);
}
