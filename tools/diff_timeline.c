/* Two timelines of one form: CSV of the cycle model, whose events are compared by SM and warp, since those of others
 * come in between when one takes longer; JSON of ui.perfetto.dev (of the cycle model, and VENTUS_TIMELINE) and Konata's
 * in the order of the files. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"
#include "json.h"
#include "tool.h"

/* ---- CSV ---- */

enum field { CYCLE, EVENT, SM, WARP, PC, EXTRA, FIELDS };

struct event {
    char *fields[FIELDS]; /* the last one is the rest of the line */
    uint64_t number;      /* in the file, from 1 on */
};

/* All of a file, the events of each warp of an SM one behind the other. */
struct events {
    const char *path;
    char *text;
    struct event *list;
    size_t n;
};

static int by_warp(const struct event *x, const struct event *y)
{
    const int sm = strcmp(x->fields[SM], y->fields[SM]);
    return sm ? sm : strcmp(x->fields[WARP], y->fields[WARP]);
}

static int by_warp_and_number(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    const int order = by_warp(x, y);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

static void split(const struct events *all, char *line, struct event *e)
{
    for (int i = 0; i < FIELDS; i++) {
        e->fields[i] = line;
        char *comma = i + 1 < FIELDS ? strchr(line, ',') : NULL;
        if (i + 1 < FIELDS && !comma)
            die("%s:%llu: this is no event: cycle,event,sm,warp,pc,extra", all->path,
                (unsigned long long)e->number + 1);
        if (comma) *comma = 0, line = comma + 1;
    }
}

static struct events read_events(const struct diff_file *f)
{
    size_t size, lines = 1;
    struct events all = {.path = f->path, .text = read_stream(f->in, f->path, &size)};
    if (strlen(all.text) < size) die("%s: there is a zero byte", f->path);
    for (const char *p = all.text; *p; p++) lines += *p == '\n';
    all.list = allocate(lines * sizeof *all.list);
    char *rest = all.text;
    strsep(&rest, "\n"); /* the names of the columns */
    for (char *line; rest && *rest && (line = strsep(&rest, "\n")); all.n++) {
        all.list[all.n].number = all.n + 1;
        split(&all, line, &all.list[all.n]);
    }
    qsort(all.list, all.n, sizeof *all.list, by_warp_and_number);
    return all;
}

/* The first difference so far: events of both; NULL: it has none. */
struct found {
    const struct event *a, *b;
};

static uint64_t number_of(const struct found *f) { return f->a ? f->a->number : f->b ? f->b->number : UINT64_MAX; }

static bool same_event(const struct event *a, const struct event *b, bool no_times)
{
    for (int i = no_times ? CYCLE + 1 : CYCLE; i < FIELDS; i++)
        if (strcmp(a->fields[i], b->fields[i]) != 0) return false;
    return true;
}

static bool is_of(const struct events *all, size_t i, const struct event *warp)
{
    return i < all->n && !by_warp(&all->list[i], warp);
}

/* Compares the events of the warp that comes first at *i or *k, and goes on behind them. */
static void compare_warp(const struct events *a, size_t *i, const struct events *b, size_t *k, bool no_times,
                         struct found *first)
{
    const bool of_a = *k == b->n || (*i < a->n && by_warp(&a->list[*i], &b->list[*k]) <= 0);
    const struct event *warp = of_a ? &a->list[*i] : &b->list[*k];
    struct found here = {NULL, NULL};
    while (is_of(a, *i, warp) || is_of(b, *k, warp)) {
        const struct event *x = is_of(a, *i, warp) ? &a->list[(*i)++] : NULL;
        const struct event *y = is_of(b, *k, warp) ? &b->list[(*k)++] : NULL;
        if (!here.a && !here.b && (!x || !y || !same_event(x, y, no_times))) here = (struct found){x, y};
    }
    if ((here.a || here.b) && number_of(&here) < number_of(first)) *first = here;
}

static bool has_pc(const struct event *e, uint32_t *pc)
{
    char *end;
    *pc = (uint32_t)strtoul(e->fields[PC], &end, 16);
    return isxdigit((unsigned char)*e->fields[PC]) && !*end;
}

static void print_event(const struct diff *d, const struct event *e)
{
    uint32_t pc;
    if (!e) {
        printf("none\n");
        return;
    }
    printf("cycle %s: %s", e->fields[CYCLE], e->fields[EVENT]);
    if (has_pc(e, &pc)) {
        printf(" at 0x%08x", pc);
        diff_print_line(d, pc);
    }
    printf("%s%s\n", *e->fields[EXTRA] ? "; " : "", e->fields[EXTRA]);
}

/* Those before the one that differs; they are equal in both. */
static void print_history(const struct diff *d, const struct events *all, const struct event *last)
{
    const size_t end = (size_t)(last - all->list);
    size_t i = end;
    while (i && end - i < DIFF_HISTORY && is_of(all, i - 1, last)) i--;
    if (i < end) printf("the last %zu events of the warp:\n", end - i);
    for (; i < end; i++) {
        printf("  ");
        print_event(d, &all->list[i]);
    }
}

static const char *what_differs(const struct event *a, const struct event *b)
{
    if (!a || !b) return "an event that the other file does not have";
    if (strcmp(a->fields[EVENT], b->fields[EVENT]) || strcmp(a->fields[PC], b->fields[PC])) return "the event";
    return strcmp(a->fields[EXTRA], b->fields[EXTRA]) ? "what is said of an event" : "the cycle of an event";
}

static bool differ_event(const struct diff *d, const struct events *a, const struct events *b, const struct found *f)
{
    const struct event *any = f->a ? f->a : f->b;
    printf("first difference: %s\n  SM %s, warp %s, event %llu of the file\n  expected ", what_differs(f->a, f->b),
           any->fields[SM], any->fields[WARP], (unsigned long long)any->number);
    print_event(d, f->a);
    printf("  found    ");
    print_event(d, f->b);
    print_history(d, f->a ? a : b, any);
    return false;
}

bool diff_csv(const struct diff *d)
{
    struct events a = read_events(&d->a), b = read_events(&d->b);
    struct found first = {NULL, NULL};
    for (size_t i = 0, k = 0; i < a.n || k < b.n;) compare_warp(&a, &i, &b, &k, d->no_times, &first);
    const bool same = !first.a && !first.b;
    if (same) printf("equal: %zu events\n", a.n);
    else differ_event(d, &a, &b, &first);
    free(a.list);
    free(b.list);
    free(a.text);
    free(b.text);
    return same;
}

/* ---- Konata ---- */

struct lines {
    const struct diff_file *file;
    char *text;
    size_t room;
    uint64_t number;
    bool has; /* there is a line in `text` */
};

static void next_line(struct lines *l)
{
    errno = 0;
    const ssize_t n = getline(&l->text, &l->room, l->file->in);
    if (n < 0 && (ferror(l->file->in) || errno == ENOMEM)) die("%s: cannot be read", l->file->path);
    l->has = n >= 0;
    if (!l->has) return;
    l->number++;
    l->text[strcspn(l->text, "\r\n")] = 0;
    if (strlen(l->text) + 2 < (size_t)n)
        die("%s:%llu: there is a zero byte", l->file->path, (unsigned long long)l->number);
}

static bool end_of_one(const struct lines *a, const struct lines *b)
{
    const struct lines *shorter = a->has ? b : a, *longer = a->has ? a : b;
    printf("first difference: %s ends behind line %llu, %s goes on\n  %s\n", shorter->file->path,
           (unsigned long long)shorter->number, longer->file->path, longer->text);
    return false;
}

/* The cycle that a line goes on to. */
static void count_cycles(const char *line, uint64_t *now)
{
    if (!strncmp(line, "C=\t", 3)) *now = strtoull(line + 3, NULL, 10);
    else if (!strncmp(line, "C\t", 2)) *now += strtoull(line + 2, NULL, 10);
}

bool diff_lines(const struct diff *d)
{
    struct lines a = {.file = &d->a}, b = {.file = &d->b};
    uint64_t now = 0;
    bool same = true;
    for (next_line(&a), next_line(&b); same && a.has && b.has; next_line(&a), next_line(&b)) {
        same = !strcmp(a.text, b.text);
        if (!same)
            printf("first difference: line %llu, behind cycle %llu\n  expected %s\n  found    %s\n",
                   (unsigned long long)a.number, (unsigned long long)now, a.text, b.text);
        count_cycles(a.text, &now);
        if (!same) break;
    }
    if (same) same = a.has == b.has || end_of_one(&a, &b);
    if (same) printf("equal: %llu lines\n", (unsigned long long)a.number);
    free(a.text);
    free(b.text);
    return same;
}

/* ---- JSON ---- */

/* The events of a timeline, which are in a list of this name, or are all of the file. */
static const struct json *events_of(const struct diff_file *f, const struct json *all)
{
    const struct json *list = all && all->kind == JSON_OBJECT ? json_member(all, "traceEvents") : all;
    if (!list || list->kind != JSON_ARRAY)
        die("%s: this JSON is no timeline; profiles are compared by `ventus profile diff`", f->path);
    return list->first;
}

static bool is_time(const char *key)
{
    const size_t n = strlen(key);
    return !strcmp(key, "ts") || !strcmp(key, "dur") || (n > 3 && !strcmp(key + n - 3, "_ns"));
}

static const char *text_of(const struct json *j)
{
    static const char *const words[] = {
        [JSON_NULL] = "null",       [JSON_FALSE] = "false",  [JSON_TRUE] = "true",
        [JSON_NUMBER] = "a number", [JSON_ARRAY] = "a list", [JSON_OBJECT] = "an object"};
    return !j ? "nothing" : j->kind == JSON_STRING ? j->text : words[j->kind];
}

static void print_member(const struct json *j)
{
    if (j && j->kind == JSON_NUMBER) printf("%.*s", (int)strspn(j->text, JSON_DIGITS), j->text);
    else printf("%s", text_of(j));
}

/* What differs, as a path of keys: the last of them at *key. */
struct differing {
    const char *key;
    const struct json *a, *b;
};

static bool same_json(const struct json *a, const struct json *b, bool no_times, struct differing *where);

static bool same_members(const struct json *a, const struct json *b, bool no_times, struct differing *where)
{
    const bool object = a->kind == JSON_OBJECT;
    const struct json *y = b->first;
    for (const struct json *x = a->first; x; x = x->next, y = y ? y->next : NULL) {
        const struct json *other = !object || (y && !strcmp(x->key, y->key)) ? y : json_member(b, x->key);
        if (object && no_times && is_time(x->key)) continue;
        if (!other) return *where = (struct differing){object ? x->key : where->key, x, NULL}, false;
        if (object) where->key = x->key;
        if (!same_json(x, other, no_times, where)) return false;
    }
    for (; object && y; y = y->next)
        if (!json_member(a, y->key)) return *where = (struct differing){y->key, NULL, y}, false;
    if (!object && y) return *where = (struct differing){where->key, NULL, y}, false;
    return true;
}

static bool same_number(const struct json *a, const struct json *b)
{
    const size_t n = strspn(a->text, JSON_DIGITS);
    return n == strspn(b->text, JSON_DIGITS) && !memcmp(a->text, b->text, n);
}

static bool same_json(const struct json *a, const struct json *b, bool no_times, struct differing *where)
{
    const bool leaf = a->kind != JSON_ARRAY && a->kind != JSON_OBJECT;
    bool same = a->kind == b->kind;
    if (same && a->kind == JSON_STRING) same = !strcmp(a->text, b->text);
    if (same && a->kind == JSON_NUMBER) same = same_number(a, b);
    if (same && !leaf) return same_members(a, b, no_times, where);
    if (!same) where->a = a, where->b = b;
    return same;
}

static bool is_name(const struct json *e)
{
    const struct json *ph = json_member(e, "ph");
    return ph && ph->kind == JSON_STRING && !strcmp(ph->text, "M");
}

static bool same_member(const struct json *a, const struct json *b, const char *key)
{
    const struct json *x = json_member(a, key), *y = json_member(b, key);
    return x && y && x->kind == JSON_NUMBER && y->kind == JSON_NUMBER && x->count == y->count;
}

/* What the timeline calls the event's process, or its row. */
static const char *name_of(const struct json *all, const struct json *e, const char *what, bool row)
{
    for (const struct json *m = all; m; m = m->next) {
        const struct json *name = json_member(m, "name");
        if (!is_name(m) || !name || name->kind != JSON_STRING || strcmp(name->text, what) != 0) continue;
        if (same_member(m, e, "pid") && (!row || same_member(m, e, "tid")))
            return text_of(json_member(json_member(m, "args"), "name"));
    }
    return NULL;
}

static void print_json_event(const struct json *all, const struct json *e)
{
    const char *process = name_of(all, e, "process_name", false), *row = name_of(all, e, "thread_name", true);
    const struct json *begins = json_member(e, "ts"), *takes = json_member(e, "dur");
    if (begins) printf("at "), print_member(begins);
    if (takes) printf(" for "), print_member(takes);
    printf("%s%s%s%s%s: %s\n", begins ? ", " : "", process ? process : "process without a name", row ? ", " : "",
           row ? row : "", is_name(e) ? " (name of a row)" : "", text_of(json_member(e, "name")));
}

/* The next one that is, or is not, the name of a row. */
static const struct json *next_event(const struct json *e, bool names)
{
    while (e && is_name(e) != names) e = e->next;
    return e;
}

static bool differ_json(const struct json *const all[2], const struct json *a, const struct json *b, uint64_t number,
                        const struct differing *where)
{
    printf("first difference: '%s' of event %llu\n  expected ", where->key, (unsigned long long)number);
    print_member(where->a);
    printf(", found ");
    print_member(where->b);
    printf("\n  expected ");
    print_json_event(all[0], a);
    printf("  found    ");
    print_json_event(all[1], b);
    return false;
}

/* The events, and then the names of rows. */
static bool same_lists(const struct diff *d, const struct json *const all[2], bool names, uint64_t *n)
{
    const struct json *a = next_event(all[0], names), *b = next_event(all[1], names);
    for (; a && b; a = next_event(a->next, names), b = next_event(b->next, names)) {
        struct differing where = {"event", NULL, NULL};
        ++*n;
        if (!same_json(a, b, d->no_times, &where)) return differ_json(all, a, b, *n, &where);
    }
    if (!a && !b) return true;
    printf("first difference: %s ends behind event %llu, %s goes on\n  ", a ? d->b.path : d->a.path,
           (unsigned long long)*n, a ? d->a.path : d->b.path);
    print_json_event(all[a ? 0 : 1], a ? a : b);
    return false;
}

static struct json *read_json(const struct diff_file *f, char **text)
{
    char why[300];
    size_t size;
    *text = read_stream(f->in, f->path, &size);
    struct json *j = json_read(*text, size, why, sizeof why);
    if (!j) die("%s: %s", f->path, why);
    return j;
}

bool diff_json(const struct diff *d)
{
    char *x, *y;
    struct json *a = read_json(&d->a, &x), *b = read_json(&d->b, &y);
    const struct json *const all[2] = {events_of(&d->a, a), events_of(&d->b, b)};
    uint64_t n = 0;
    const bool same = same_lists(d, all, false, &n) && same_lists(d, all, true, &n);
    if (same) printf("equal: %llu events\n", (unsigned long long)n);
    json_free(a);
    json_free(b);
    free(x);
    free(y);
    return same;
}
