/* Reports: one for each pair of places in the code, however often it happens.
 *
 * The first occurrence is described, the others are counted. Memory for them is bounded: beyond the first
 * hundreds, further ones are only counted. */
#include <stdlib.h>
#include <string.h>

#include "check/parts.h"
#include "sim/output.h"

const char *check_kind_name(enum check_kind kind)
{
    static const char *const names[CHECK_KINDS] = {"bounds", "overflow", "uninit", "races", "barriers", "align"};
    return names[kind];
}

/* ---- finding and making them ---- */

/* Reports of one kernel are told apart by kind, place and other side. */
static struct check_report *find(struct check *c, enum check_kind kind, uint32_t pc, uint32_t other)
{
    const char *kernel = c->about.kernel ? c->about.kernel : "";
    for (size_t i = 0; i < c->nreports; i++) {
        struct check_report *r = &c->reports[i];
        if (r->kind == kind && r->by.pc == pc && r->other.pc == other && !strcmp(r->kernel, kernel)) return r;
    }
    return NULL;
}

static uint32_t line_of(const struct check *c, uint32_t pc)
{
    return c->about.line ? c->about.line(c->about.user, pc) : 0;
}

void report_item(const struct check *c, struct check_item *item, uint32_t group, const struct launch *l,
                 uint32_t linear)
{
    *item = (struct check_item){
        .warp = linear / l->threads_per_warp, .lane = linear % l->threads_per_warp, .placed = c->placed};
    const uint32_t at[3] = {group % l->groups[0], group / l->groups[0] % l->groups[1],
                            group / l->groups[0] / l->groups[1]};
    memcpy(item->group, at, sizeof at);
    if (!c->placed) return;
    const uint32_t *n = c->local_size;
    const uint32_t local[3] = {linear % n[0], linear / n[0] % n[1], linear / n[0] / n[1]};
    memcpy(item->local, local, sizeof local);
    for (int d = 0; d < 3; d++) item->global[d] = c->offset[d] + at[d] * n[d] + local[d];
}

/* What an instruction does, in a word. */
static const char *deed(const struct insn *in)
{
    struct isa_memory m = isa_memory(in);
    if (isa_is_atomic(&m)) return "atomic";
    if (m.action == ACTION_STORE) return "store";
    if (m.action == ACTION_LOAD) return "load";
    if (m.action == ACTION_COPY) return "copy";
    switch ((enum isa_control)isa_kinds[isa_table[in->op].kind].control) {
    case CONTROL_BARRIER:
    case CONTROL_BARRIERSUB: return "barrier";
    case CONTROL_BRANCH:
    case CONTROL_VBRANCH: return "branch";
    default: return "instruction";
    }
}

static void instruction_at(const struct check *c, uint32_t pc, char *text, size_t size)
{
    struct insn in;
    *text = 0;
    if (code_look(c->gpu, pc, &in)) isa_print(&in, pc, 0, text, size);
}

/* The line's text, without the blanks in front and with no other control characters. */
static void text_at(const struct check *c, uint32_t pc, char *text, size_t size)
{
    size_t n = 0, used = 0;
    const char *line = c->about.text ? c->about.text(c->about.user, pc, &n) : NULL;
    for (size_t i = 0; line && i < n && used + 1 < size; i++) {
        unsigned char at = (unsigned char)line[i];
        if (at > ' ' || (used && (at == ' ' || at == '\t'))) text[used++] = at < ' ' ? ' ' : (char)at;
    }
    text[used] = 0;
}

static void fill_side(struct check *c, struct check_side *p, uint32_t pc)
{
    p->pc = pc;
    p->line = line_of(c, pc);
    instruction_at(c, pc, p->instruction, sizeof p->instruction);
    text_at(c, pc, p->text, sizeof p->text);
}

struct check_report *report_new(struct check *c, enum check_kind kind, uint32_t other, const struct warp *w,
                                uint32_t lanes)
{
    struct check_report *r = find(c, kind, w->pc, other);
    c->total++;
    if (r) {
        r->count++;
        return NULL;
    }
    if (!c->reports || c->nreports == MOST_REPORTS) {
        c->dropped++;
        return NULL;
    }
    r = &c->reports[c->nreports++];
    *r = (struct check_report){.kind = kind, .count = 1, .relation = ""};
    snprintf(r->kernel, sizeof r->kernel, "%s", c->about.kernel ? c->about.kernel : "");
    fill_side(c, &r->by, w->pc);
    r->by.does = c->insn ? deed(c->insn) : "barrier";
    r->by.lanes = lanes;
    r->other.pc = other;
    report_item(c, &r->by.first, w->group->wgid, w->group->launch,
                w->tid + (lanes ? (uint32_t)__builtin_ctz(lanes) : 0));
    return r;
}

void report_access(struct check *c, struct check_report *r, const struct warp *w, const struct access *a, uint32_t lane)
{
    r->addr = a->addr[lane];
    r->size = a->size;
    places_describe(c, w->group, r->addr, r->where, sizeof r->where);
}

void report_other(struct check *c, struct check_report *r, const char *relation, const char *does, uint32_t pc)
{
    fill_side(c, &r->other, pc);
    r->other.does = does;
    r->relation = relation;
}

size_t check_count(const struct check *check) { return check ? check->nreports : 0; }

const struct check_report *check_get(const struct check *check, size_t index)
{
    return index < check_count(check) ? &check->reports[index] : NULL;
}

/* ---- text ---- */

static void print_item(const struct check_item *i, uint32_t lanes, FILE *out)
{
    int others = __builtin_popcount(lanes) - 1;
    if (i->placed)
        fprintf(out, "work-item (%u,%u,%u), (%u,%u,%u) in group (%u,%u,%u)", i->global[0], i->global[1], i->global[2],
                i->local[0], i->local[1], i->local[2], i->group[0], i->group[1], i->group[2]);
    else fprintf(out, "warp %u lane %u of group (%u,%u,%u)", i->warp, i->lane, i->group[0], i->group[1], i->group[2]);
    if (others > 0)
        fprintf(out, " and %d other%s of its warp, lanes %08x", others, others == 1 ? "" : "s", (unsigned)lanes);
}

static void print_place(const struct check_side *p, FILE *out)
{
    if (p->line) fprintf(out, "line %u, ", p->line);
    fprintf(out, "pc 0x%08x", (unsigned)p->pc);
    if (!*p->instruction) return;
    fputs(": ", out);
    for (const char *s = p->instruction; *s; s++) fputc(*s == '\t' ? ' ' : *s, out);
}

void check_describe(const struct check_report *r, FILE *out)
{
    fprintf(out, "check: %s%s: %s\n", check_kind_name(r->kind), r->kind == CHECK_ALIGN ? " (warning)" : "", r->what);
    fprintf(out, "  in %s, ", *r->kernel ? r->kernel : "a launch");
    print_place(&r->by, out);
    if (*r->by.text) fprintf(out, "\n  > %s", r->by.text);
    fputs("\n  by ", out);
    print_item(&r->by.first, r->by.lanes, out);
    fputc('\n', out);
    if (r->size) fprintf(out, "  at 0x%08x: %s\n", (unsigned)r->addr, r->where);
    else if (*r->where) fprintf(out, "  %s\n", r->where);
    if (r->other.pc) {
        fprintf(out, "  %s the %s of ", r->relation, r->other.does);
        print_place(&r->other, out);
        fputc('\n', out);
        if (*r->other.text) fprintf(out, "  > %s\n", r->other.text);
        if (r->kind == CHECK_RACES) {
            fputs("  by ", out);
            print_item(&r->other.first, r->other.lanes, out);
            fputc('\n', out);
        }
    }
    if (r->count > 1) fprintf(out, "  %llu times\n", (unsigned long long)r->count);
}

static void tell(const struct check_report *r, const struct warp *w)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out) check_describe(r, out);
    if (out && !fclose(out)) observe_mistake(w, r->by.lanes, r->by.pc, text);
    free(text);
}

/* The load of a race of a load and an atomic; NULL: it is another one. */
const struct check_side *report_load_of_exchange(const struct check_report *report)
{
    const struct check_side *load = &report->by, *other = &report->other;
    if (report->kind != CHECK_RACES) return NULL;
    if (strcmp(load->does, "load")) load = &report->other, other = &report->by;
    return strcmp(load->does, "load") || strcmp(other->does, "atomic") ? NULL : load;
}

/* Reports are made on this thread alone. Whether a race of an exchange counts is only known when the launch has ended.
 */
void reports_tell(struct check *c, const struct warp *w)
{
    for (; c->told < c->nreports; c->told++)
        if (!report_load_of_exchange(&c->reports[c->told])) tell(&c->reports[c->told], w);
}

void reports_forget(struct check *c, bool (*excused)(const struct races *r, const struct check_report *report))
{
    size_t n = c->printed;
    for (size_t i = c->printed; i < c->nreports; i++) {
        if (excused(&c->races, &c->reports[i])) c->total -= c->reports[i].count;
        else c->reports[n++] = c->reports[i];
    }
    c->nreports = c->told = n;
}

void reports_print(struct check *c)
{
    for (; c->printed < c->nreports; c->printed++)
        if (c->out) check_describe(&c->reports[c->printed], c->out);
    if (c->out) fflush(c->out);
}

/* ---- JSON ---- */

static void json_triple(const char *key, const uint32_t v[3], FILE *out)
{
    fprintf(out, ", \"%s\": [%u, %u, %u]", key, v[0], v[1], v[2]);
}

static void json_side(const struct check_side *p, bool item, FILE *out)
{
    fprintf(out, "{\"pc\": %u, \"line\": %u, \"does\": ", p->pc, p->line);
    output_json_string(out, p->does ? p->does : "");
    fputs(", \"instruction\": ", out);
    output_json_string(out, p->instruction);
    if (*p->text) fputs(", \"text\": ", out);
    if (*p->text) output_json_string(out, p->text);
    if (item) {
        fprintf(out, ", \"warp\": %u, \"lane\": %u, \"lanes\": %u", p->first.warp, p->first.lane, p->lanes);
        json_triple("group", p->first.group, out);
        if (p->first.placed) {
            json_triple("local", p->first.local, out);
            json_triple("global", p->first.global, out);
        }
    }
    fputc('}', out);
}

static void json_report(const struct check_report *r, FILE *out)
{
    fprintf(out, "{\"kind\": \"%s\", \"kernel\": ", check_kind_name(r->kind));
    output_json_string(out, r->kernel);
    fputs(", \"what\": ", out);
    output_json_string(out, r->what);
    fprintf(out, ", \"count\": %llu, \"by\": ", (unsigned long long)r->count);
    json_side(&r->by, true, out);
    if (r->size) fprintf(out, ", \"address\": %u, \"size\": %u", r->addr, r->size);
    if (*r->where) {
        fputs(", \"where\": ", out);
        output_json_string(out, r->where);
    }
    if (r->other.pc) {
        fputs(", \"other\": ", out);
        json_side(&r->other, r->kind == CHECK_RACES, out);
    }
    fputc('}', out);
}

void check_json(const struct check *check, FILE *out)
{
    fputc('[', out);
    for (size_t i = 0; i < check_count(check); i++) {
        if (i) fputs(",\n  ", out);
        json_report(&check->reports[i], out);
    }
    fputc(']', out);
}
