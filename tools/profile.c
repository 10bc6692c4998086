/* ventus profile: what can be done with profiles that `ventus exec --profile=FILE.json` has written. `diff` compares
 * two of them: kernels by name, lines by what has changed in the source. `page` makes a page of one. */
#include <stdlib.h>
#include <string.h>

#include "profile/page.h"
#include "profile_diff.h"
#include "tool.h"

/* ---- reading ---- */

static uint64_t count_of(const struct profile_file *f, const struct json *object, const char *key)
{
    const struct json *m = json_member(object, key);
    if (!m || m->kind != JSON_NUMBER || m->count == JSON_NO_COUNT)
        die("%s: no count named '%s' where one belongs", f->path, key);
    return m->count;
}

static const char *text_of(const struct json *object, const char *key)
{
    const struct json *m = json_member(object, key);
    return m && m->kind == JSON_STRING ? m->text : NULL;
}

static const struct json *list_of(const struct profile_file *f, const struct json *object, const char *key, size_t *n)
{
    const struct json *list = json_member(object, key);
    if (!list || list->kind != JSON_ARRAY) die("%s: no list named '%s' where one belongs", f->path, key);
    *n = 0;
    for (const struct json *m = list->first; m; m = m->next) ++*n;
    return list->first;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = ((const struct line *)a)->number, y = ((const struct line *)b)->number;
    return (x > y) - (x < y);
}

static void add_counts(struct counts *sum, const struct counts *c)
{
    sum->executions += c->executions;
    sum->lanes += c->lanes;
    sum->cycles += c->cycles;
}

static uint32_t line_number_of(const struct profile_file *f, const struct json *object)
{
    const uint64_t number = count_of(f, object, "line");
    if (number > UINT32_MAX) die("%s: line %llu is beyond %u", f->path, (unsigned long long)number, UINT32_MAX);
    return (uint32_t)number;
}

/* Of the warps of a line; 0 without a cycle model. */
static uint64_t cycles_of(const struct profile_file *f, const struct json *object)
{
    const struct json *slots = json_member(json_member(object, "timing"), "slots");
    uint64_t sum = 0;
#define SLOT(name, title, text) \
    if (slots && strcmp(#name, "no_warp") != 0) sum += count_of(f, slots, #name);
#include "timing/slots.def"
#undef SLOT
    return sum;
}

static void read_lines(const struct profile_file *f, const struct json *object, struct kernel *k)
{
    const struct json *m = list_of(f, object, "lines", &k->nlines);
    k->lines = allocate((k->nlines + 1) * sizeof *k->lines);
    for (struct line *l = k->lines; m; m = m->next, l++) {
        *l = (struct line){line_number_of(f, m),
                           {count_of(f, m, "executions"), count_of(f, m, "lanes"), cycles_of(f, m)}};
        add_counts(&k->all, &l->counts);
    }
    qsort(k->lines, k->nlines, sizeof *k->lines, by_number);
    for (size_t i = 1; i < k->nlines; i++)
        if (k->lines[i].number == k->lines[i - 1].number)
            die("%s: line %u is there twice in a kernel", f->path, (unsigned)k->lines[i].number);
}

static void read_kernel(const struct profile_file *f, const struct json *object, struct kernel *k)
{
    k->name = text_of(object, "name");
    if (!k->name) die("%s: a kernel without a name", f->path);
    k->source = text_of(json_member(object, "source"), "text");
    k->program = count_of(f, object, "program");
    k->launches = count_of(f, object, "launches");
    k->host_ns = count_of(f, object, "host_ns");
    k->counters = json_member(object, "counters");
    k->slots = json_member(json_member(object, "timing"), "slots");
    k->cycles = json_member(object, "cycles") ? count_of(f, object, "cycles") : 0;
    read_lines(f, object, k);
}

static int by_name(const void *a, const void *b)
{
    const struct kernel *x = a, *y = b;
    const int names = strcmp(x->name, y->name);
    return names ? names : (x->program > y->program) - (x->program < y->program);
}

static void read_profile(struct profile_file *f, const char *path)
{
    char why[100];
    size_t size;
    f->path = path;
    f->text = read_file(path, &size);
    f->json = json_read(f->text, size, why, sizeof why);
    if (!f->json) die("%s is no JSON: %s", path, why);
    const struct json *version = json_member(f->json, "ventus_profile");
    if (!version) die("%s is no profile; `ventus exec --profile=FILE.json` writes one", path);
    if (version->kind != JSON_NUMBER || version->count != 1) die("%s: a profile of an unknown version", path);
    const struct json *m = list_of(f, f->json, "kernels", &f->nkernels);
    f->kernels = allocate((f->nkernels + 1) * sizeof *f->kernels);
    for (struct kernel *k = f->kernels; m; m = m->next) read_kernel(f, m, k++);
    qsort(f->kernels, f->nkernels, sizeof *f->kernels, by_name);
}

static void free_profile(struct profile_file *f)
{
    for (size_t i = 0; i < f->nkernels; i++) free(f->kernels[i].lines);
    free(f->kernels);
    json_free(f->json);
    free(f->text);
}

/* ---- lines of two sources ---- */

/* What the sources begin and end with alike; between that lies what was changed. Without both texts, lines of the same
 * number are the same. */
struct change {
    bool known;
    uint32_t lines[SIDES], before, behind;
};

static uint32_t lines_in(const char *text)
{
    uint32_t n = *text != 0;
    for (; *text; text++) n += *text == '\n' && text[1];
    return n;
}

static bool begins_line(const char *text, const char *at) { return at == text || at[-1] == '\n'; }
static bool ends_line(const char *at) { return !*at || *at == '\n'; }

static struct change change_of(const char *a, const char *b)
{
    struct change c = {.known = a && b};
    if (!c.known) return c;
    c.lines[A] = lines_in(a), c.lines[B] = lines_in(b);
    const uint32_t fewer = c.lines[A] < c.lines[B] ? c.lines[A] : c.lines[B];
    size_t i = 0;
    for (; a[i] && a[i] == b[i]; i++) c.before += a[i] == '\n';
    c.before += !begins_line(a, a + i) && ends_line(a + i) && ends_line(b + i);
    const char *p = a + strlen(a), *q = b + strlen(b);
    if (p > a && p[-1] == '\n') p--;
    if (q > b && q[-1] == '\n') q--;
    c.behind = begins_line(a, p) && begins_line(b, q);
    while (p > a && q > b && p[-1] == q[-1]) p--, q--, c.behind += begins_line(a, p) && begins_line(b, q);
    if (c.behind > fewer - c.before) c.behind = fewer - c.before;
    return c;
}

/* The line of the other source that this one of `side` is; false: it has been changed. */
static bool twin_of(const struct change *c, int side, uint32_t line, uint32_t *twin)
{
    *twin = line;
    if (!c->known || line <= c->before) return true;
    if (line > c->lines[side] || line <= c->lines[side] - c->behind) return false;
    *twin = line - c->lines[side] + c->lines[!side];
    return true;
}

static const struct line *line_in(const struct kernel *k, uint32_t number)
{
    return bsearch(&(struct line){.number = number}, k->lines, k->nlines, sizeof *k->lines, by_number);
}

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

static int by_heat_of_line(const void *a, const void *b)
{
    const struct line_pair *x = a, *y = b;
    const uint64_t i = larger(x->counts[A].executions, x->counts[B].executions),
                   k = larger(y->counts[A].executions, y->counts[B].executions);
    if (i != k) return i < k ? 1 : -1;
    if (x->number[A] != y->number[A]) return x->number[A] > y->number[A] ? 1 : -1;
    return (x->number[B] > y->number[B]) - (x->number[B] < y->number[B]);
}

/* Lines of one side; of the second those that the first has not brought along. */
static void add_lines(struct kernel_pair *p, const struct change *c, int side)
{
    for (const struct line *l = p->side[side]->lines; l < p->side[side]->lines + p->side[side]->nlines; l++) {
        struct line_pair *n = &p->lines[p->nlines];
        uint32_t twin;
        const bool both = twin_of(c, side, l->number, &twin);
        const struct line *other = both ? line_in(p->side[!side], twin) : NULL;
        if (other && side == B) continue;
        *n = (struct line_pair){.number = {[A] = side == A ? l->number : twin, [B] = side == B ? l->number : twin}};
        n->there[side] = true;
        n->there[!side] = both;
        n->counts[side] = l->counts;
        if (other) n->counts[!side] = other->counts;
        p->nlines++;
    }
}

static void pair_lines(struct kernel_pair *p)
{
    if (!p->side[A] || !p->side[B]) return;
    const struct change c = change_of(p->side[A]->source, p->side[B]->source);
    p->lines = allocate((p->side[A]->nlines + p->side[B]->nlines + 1) * sizeof *p->lines);
    add_lines(p, &c, A);
    add_lines(p, &c, B);
    qsort(p->lines, p->nlines, sizeof *p->lines, by_heat_of_line);
}

/* ---- kernels of two profiles ---- */

static uint64_t heat(const struct kernel_pair *p)
{
    return larger(p->side[A] ? p->side[A]->all.executions : 0, p->side[B] ? p->side[B]->all.executions : 0);
}

static const char *name_of(const struct kernel_pair *p) { return p->side[A] ? p->side[A]->name : p->side[B]->name; }

static int by_heat(const void *a, const void *b)
{
    const uint64_t x = heat(a), y = heat(b);
    return x != y ? (x < y ? 1 : -1) : strcmp(name_of(a), name_of(b));
}

/* Of several kernels of a name, built in several programs, the first of one profile is the first of the other. */
static struct profile_diff pair_kernels(const struct profile_file *a, const struct profile_file *b)
{
    struct profile_diff d = {.file = {a, b}};
    const struct kernel *x = a->kernels, *y = b->kernels;
    const struct kernel *const last = x + a->nkernels, *const end = y + b->nkernels;
    d.kernels = allocate((a->nkernels + b->nkernels + 1) * sizeof *d.kernels);
    while (x < last || y < end) {
        const int order = x == last ? 1 : y == end ? -1 : strcmp(x->name, y->name);
        struct kernel_pair *p = &d.kernels[d.nkernels++];
        if (order <= 0) p->side[A] = x++;
        if (order >= 0) p->side[B] = y++;
        pair_lines(p);
    }
    qsort(d.kernels, d.nkernels, sizeof *d.kernels, by_heat);
    return d;
}

static void free_diff(struct profile_diff *d)
{
    for (size_t i = 0; i < d->nkernels; i++) free(d->kernels[i].lines);
    free(d->kernels);
}

/* ---- the command ---- */

enum { FLAG_LINES, FLAG_JSON, FLAG_OUTPUT };
static const struct flag flags[] = {
    {"lines", 0, "N", "so many of each kernel's hottest lines (12)"},
    {"json", 0, "FILE", "write the comparison as JSON; - is standard output, without the table"},
    {"output", 'o', "FILE", "of `page`; standard output without it"},
    {0},
};

static const char about[] =
    "Compares two profiles, as `ventus exec --profile=FILE.json` writes them: instructions, active lanes and counters "
    "of\n"
    "each kernel, instructions of its hottest lines. B/A below 1: B executes less (docs/profiler.md).\n\n"
    "`page` makes the page of a profile, as FILE.html of `ventus exec --profile` is one.\n\n"
    "Example:  ventus exec --profile=before.json ./program      then change the kernel\n"
    "          ventus exec --profile=after.json ./program\n"
    "          ventus profile diff before.json after.json";

static void write_diff(const struct profile_diff *d, size_t lines, const char *json)
{
    FILE *out = json ? open_output(json) : NULL;
    if (out) profile_diff_json(d, out), close_output(out, json);
    if (!json || strcmp(json, "-") != 0) profile_diff_table(d, lines, stdout);
}

static void write_page(const char *path, const char *output)
{
    struct profile_file file = {0};
    size_t size;
    char *text = read_file(path, &size); /* what is read below is taken apart */
    read_profile(&file, path);
    free_profile(&file);
    FILE *out = open_output(output);
    profile_page_put(text, size, out);
    close_output(out, output);
    free(text);
}

int cmd_profile(int argc, char **argv)
{
    struct profile_file file[SIDES] = {0};
    const char *plain[1 + SIDES], *json = NULL, *output = NULL;
    size_t n = 0, lines = 12;
    struct args args = {
        .command = "profile",
        .usage = "diff [--lines N] [--json FILE] A.json B.json\n       ventus profile page [-o FILE.html] A.json",
        .about = about,
        .flags = flags,
        .argc = argc,
        .argv = argv,
        .at = 1};
    for (int flag; (flag = args_next(&args)) != ARG_END;) {
        if (flag == FLAG_LINES) lines = (size_t)number_arg(&args, "--lines", args.value, 0, 1000000);
        else if (flag == FLAG_JSON) json = args.value;
        else if (flag == FLAG_OUTPUT) output = args.value;
        else if (n == 1 + SIDES) usage_error(&args, "unexpected argument '%s'", args.value);
        else plain[n++] = args.value;
    }
    if (n && !strcmp(plain[0], "page")) {
        if (n != 2) usage_error(&args, "'page' and one profile are needed");
        write_page(plain[1], output ? output : "-");
        return EXIT_OK;
    }
    if (n && strcmp(plain[0], "diff") != 0)
        usage_error(&args, "no '%s' of profiles; there are 'diff', 'page'", plain[0]);
    if (n != 1 + SIDES) usage_error(&args, "'diff' and two profiles are needed");
    for (int i = 0; i < SIDES; i++) read_profile(&file[i], plain[1 + i]);
    struct profile_diff d = pair_kernels(&file[A], &file[B]);
    write_diff(&d, lines, json);
    free_diff(&d);
    for (int i = 0; i < SIDES; i++) free_profile(&file[i]);
    return EXIT_OK;
}
