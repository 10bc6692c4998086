/* Two instruction traces, warp by warp: the orders of warps may differ, those of a warp's instructions may not. The
 * first difference is the first in the order of A. Instructions of B that A has not come to yet wait in their warp's
 * queue.
 *
 * A compact trace knows lanes and masks that a log does not; a log knows control registers: what both say is compared.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"
#include "isa/abi.h"
#include "steps.h"
#include "tool.h"

struct past {
    uint32_t pc, words[ISA_MAX_WORDS], mask;
    unsigned nwords;
    bool has_mask;
};

struct waiting {
    struct waiting *next;
    struct step step;
};

/* A warp of either file. */
struct warp {
    uint64_t group;
    uint32_t number;
    uint64_t count;                /* instructions that are equal */
    struct past *past;             /* the last DIFF_HISTORY of them, by number; NULL: none, or the warp has ended */
    uint32_t entry;                /* of the kernel, the latest that it has come to; 0: none */
    struct waiting *first, **last; /* of B */
};

struct diff_state {
    const struct diff *d;
    struct trace_source *a, *b;
    struct warp **warps; /* an open table */
    size_t nwarps, room;
    uint64_t instructions; /* that are equal */
    enum isa_profile profile;
    uint32_t end; /* the word of `endprg` */
};

/* ---- warps ---- */

static struct warp **place(struct warp **table, size_t room, uint64_t group, uint32_t number)
{
    size_t i = (size_t)((group * 0x9e3779b97f4a7c15u) ^ (number * 0xc2b2ae3d27d4eb4fu)) & (room - 1);
    while (table[i] && (table[i]->group != group || table[i]->number != number)) i = (i + 1) & (room - 1);
    return &table[i];
}

static void grow(struct diff_state *s)
{
    const size_t room = s->room ? 2 * s->room : 256;
    struct warp **larger = allocate(room * sizeof *larger);
    for (size_t i = 0; i < s->room; i++)
        if (s->warps[i]) *place(larger, room, s->warps[i]->group, s->warps[i]->number) = s->warps[i];
    free(s->warps);
    s->warps = larger;
    s->room = room;
}

static struct warp *warp_of(struct diff_state *s, const struct step *step)
{
    if (2 * s->nwarps >= s->room) grow(s);
    struct warp **at = place(s->warps, s->room, step->group, step->warp);
    if (*at) return *at;
    struct warp *w = allocate(sizeof *w);
    w->group = step->group;
    w->number = step->warp;
    w->last = &w->first;
    s->nwarps++;
    return *at = w;
}

/* ---- steps ---- */

static struct trace_source *open_source(const struct diff_file *f)
{
    if (f->kind == DIFF_COMPACT) return compact_steps(f->in, f->path);
    return f->kind == DIFF_LOG ? log_steps(f->in, f->path) : NULL;
}

static bool next_of(struct trace_source *source, struct step *step)
{
    enum traced what = TRACE_LAUNCH;
    while (source && what == TRACE_LAUNCH) what = source->next(source, step);
    return what == TRACE_STEP;
}

/* Reads one of B into its warp's queue. */
static bool read_ahead(struct diff_state *s)
{
    struct step step;
    if (!next_of(s->b, &step)) return false;
    struct waiting *w = allocate(sizeof *w);
    struct warp *warp = warp_of(s, &step);
    w->step = step;
    *warp->last = w;
    warp->last = &w->next;
    return true;
}

/* B's next step of the warp; false: there is none. */
static bool partner(struct diff_state *s, struct warp *w, struct step *out)
{
    while (!w->first && read_ahead(s)) {
    }
    struct waiting *first = w->first;
    if (!first) return false;
    *out = first->step;
    w->first = first->next;
    if (!w->first) w->last = &w->first;
    free(first);
    return true;
}

static void remember(const struct diff_state *s, struct warp *w, const struct step *step)
{
    if (!w->past) w->past = allocate(DIFF_HISTORY * sizeof *w->past);
    struct past *p = &w->past[w->count++ % DIFF_HISTORY];
    *p = (struct past){.pc = step->pc, .mask = step->mask, .nwords = step->nwords, .has_mask = step->has_mask};
    memcpy(p->words, step->words, sizeof p->words);
    for (size_t i = 0; i < s->d->note.nkernels; i++)
        if (s->d->note.kernels[i].entry == step->pc) w->entry = step->pc;
    if (step->nwords == 1 && step->words[0] == s->end)
        free(w->past), w->past = NULL; /* there may be millions of warps */
}

/* ---- words ---- */

static void print_insn(const struct diff_state *s, uint32_t pc, const uint32_t *words, unsigned nwords)
{
    struct step step = {.pc = pc, .nwords = nwords};
    char text[200];
    memcpy(step.words, words, sizeof step.words);
    step_text(&step, s->profile, text, sizeof text);
    printf("0x%08x  %08x  %s", pc, words[nwords - 1], text);
}

static const char *kernel_name(const struct diff_state *s, const struct warp *w)
{
    for (size_t i = 0; i < s->d->note.nkernels; i++)
        if (w->entry && s->d->note.kernels[i].entry == w->entry) return s->d->note.kernels[i].name;
    return s->d->note.nkernels == 1 ? s->d->note.kernels[0].name : "(no name known)";
}

/* The launch that says where work-group `group` of the file is. */
static const struct trace_launch *launch_of(const struct diff_state *s, uint64_t group)
{
    const struct trace_launch *l = s->a && s->a->launch.groups[0] ? &s->a->launch : s->b ? &s->b->launch : NULL;
    const uint64_t groups = l ? (uint64_t)l->groups[0] * l->groups[1] * l->groups[2] : 0;
    return l && group >= l->first && group - l->first < groups ? l : NULL;
}

static uint32_t threads_of(const struct diff_state *s)
{
    return s->a && s->a->launch.threads ? s->a->launch.threads : s->b ? s->b->launch.threads : 0;
}

static void print_place(const struct diff_state *s, const struct warp *w)
{
    const struct trace_launch *l = launch_of(s, w->group);
    const uint64_t n = l ? w->group - l->first : w->group;
    printf("  ");
    if (l && l->number > 1) printf("launch %u, ", l->number);
    if (l)
        printf("work-group (%u, %u, %u), warp %u of %u", (unsigned)(n % l->groups[0]),
               (unsigned)(n / l->groups[0] % l->groups[1]), (unsigned)(n / l->groups[0] / l->groups[1]), w->number,
               l->warps);
    else printf("work-group number %llu, warp %u", (unsigned long long)n, w->number);
    printf(", its instruction number %llu\n", (unsigned long long)w->count + 1);
}

__attribute__((format(printf, 4, 5))) static void begin(const struct diff_state *s, const struct warp *w,
                                                        const struct step *step, const char *format, ...)
{
    va_list args;
    printf("first difference: ");
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n  kernel %s", kernel_name(s, w));
    diff_print_line(s->d, step->pc);
    printf("\n");
    print_place(s, w);
    printf("  instruction ");
    print_insn(s, step->pc, step->words, step->nwords);
    printf("\n");
}

/* Prints what was before. False, as all that have found a difference. */
static bool end(const struct diff_state *s, const struct warp *w)
{
    const uint64_t n = !w->past ? 0 : w->count < DIFF_HISTORY ? w->count : DIFF_HISTORY;
    if (n) printf("the last %u instructions of the warp, with the lanes that ran:\n", (unsigned)n);
    for (uint64_t i = w->count - n; i < w->count; i++) {
        const struct past *p = &w->past[i % DIFF_HISTORY];
        printf("  #%-8llu ", (unsigned long long)i + 1);
        if (p->has_mask) printf("%08x  ", p->mask);
        else printf("?         ");
        print_insn(s, p->pc, p->words, p->nwords);
        diff_print_line(s->d, p->pc);
        printf("\n");
    }
    return false;
}

static void print_value(const struct step *step, enum isa_profile profile, uint32_t value)
{
    char text[200];
    float number;
    memcpy(&number, &value, 4);
    printf("0x%08x", value);
    if (isa_table[step_text(step, profile, text, sizeof text)].flags & (ISA_FP | ISA_ROUND))
        printf(" (%.9g)", (double)number);
}

/* ---- who has written ---- */

/* Local memory is another one in each work-group. */
static bool is_local(uint64_t addr) { return addr >= ABI_LOCAL_BASE && addr < ABI_LOCAL_LIMIT; }

struct written {
    uint64_t group;
    uint32_t warp, pc, value;
    bool is;
};

static void note_writes(const struct step *step, uint64_t word, uint64_t group, struct written *by)
{
    for (size_t i = 0; i < step->ntouches; i++) {
        const struct step_touch *t = &step->touches[i];
        if (!t->write || (t->addr & ~(uint64_t)3) != word || (is_local(word) && step->group != group)) continue;
        *by = (struct written){step->group, step->warp, step->pc, t->value, true};
    }
}

/* Reads A once more, up to the instruction that differs: nothing else is read of it any more. */
static struct written last_written(const struct diff_state *s, uint64_t word, uint64_t group)
{
    struct written by = {.is = false};
    struct step step;
    rewind(s->d->a.in);
    struct trace_source *again = open_source(&s->d->a);
    again->profile = s->a->profile;
    for (uint64_t i = 0; i < s->instructions && next_of(again, &step); i++) {
        note_writes(&step, word, group, &by);
        step_free(&step);
    }
    again->close(again);
    return by;
}

/* Where the value of a load is from, number `index` of the lanes that the instruction loads in. */
static void print_source(const struct diff_state *s, const struct warp *w, const struct step *step, size_t index)
{
    if (index >= step->ntouches || step->touches[index].write) return;
    const uint64_t word = step->touches[index].addr & ~(uint64_t)3;
    const struct written by = last_written(s, word, w->group);
    printf("  the word at 0x%08llx: ", (unsigned long long)word);
    if (!by.is) {
        printf("no instruction before has written it\n");
        return;
    }
    printf("last written by warp %u of work-group number %llu at 0x%08x", by.warp, (unsigned long long)by.group, by.pc);
    diff_print_line(s->d, by.pc);
    printf(": 0x%08x\n", by.value);
}

/* ---- registers ---- */

static const struct step_write *find_write(const struct step *step, bool vector, uint32_t reg)
{
    for (size_t i = step->nwrites; i-- > 0;)
        if (step->writes[i].vector == vector && step->writes[i].reg == reg) return &step->writes[i];
    return NULL;
}

/* One of `from` that `in` does not have, and that writes something. A log may show a vector of which v0 has left no
 * lane, which a compact trace does not: then of scalars alone. */
static const struct step_write *only_in(const struct step *from, const struct step *in, bool scalars)
{
    for (size_t i = 0; i < from->nwrites; i++) {
        const struct step_write *w = &from->writes[i];
        if (w->lanes && (w->vector ? !scalars : w->reg != 0) && !find_write(in, w->vector, w->reg)) return w;
    }
    return NULL;
}

static bool differ_x(const struct diff_state *s, const struct warp *w, const struct step *a, const struct step_write *x,
                     const struct step_write *y)
{
    begin(s, w, a, "the value of x%u (%s)", x->reg, isa_xreg_name(x->reg));
    printf("  expected ");
    print_value(a, s->profile, x->value[0]);
    printf(", found ");
    print_value(a, s->profile, y->value[0]);
    printf("\n");
    print_source(s, w, a, 0);
    return end(s, w);
}

/* Which of the lanes that load the first wrong one is. A log of a masked load has fewer than the warp has lanes: then
 * it is not known. */
static size_t lane_index(const struct step *step, uint32_t lanes, uint32_t wrong)
{
    const unsigned first = (unsigned)__builtin_ctz(wrong);
    for (size_t i = 0; i < step->ntouches; i++)
        if (step->touches[i].lane == (int)first) return i;
    if (step->ntouches != (size_t)__builtin_popcount(lanes)) return SIZE_MAX;
    return (size_t)__builtin_popcount(lanes & ((1u << first) - 1));
}

static bool differ_v(const struct diff_state *s, const struct warp *w, const struct step *a, const struct step_write *x,
                     const struct step_write *y, uint32_t wrong, uint32_t lanes)
{
    const uint32_t threads = threads_of(s);
    begin(s, w, a, "the value of v%u in %d of %d lanes", x->reg, __builtin_popcount(wrong), __builtin_popcount(lanes));
    printf("  lane  %sexpected    found\n", threads ? "work-item  " : "");
    for (uint32_t left = wrong; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        printf("  %4u  ", lane);
        if (threads) printf("%9u  ", w->number * threads + lane);
        print_value(a, s->profile, x->value[lane]);
        printf("  ");
        print_value(a, s->profile, y->value[lane]);
        printf("\n");
    }
    print_source(s, w, a, lane_index(a, lanes, wrong));
    return end(s, w);
}

/* A log shows all lanes of the SIMT mask, a compact trace those that the instruction writes. */
static bool same_write(const struct diff_state *s, const struct warp *w, const struct step *a,
                       const struct step_write *x, const struct step_write *y)
{
    uint32_t wrong = 0;
    const uint32_t lanes = x->lanes & y->lanes;
    if (s->a->is_log == s->b->is_log && !x->any_lanes && !y->any_lanes && x->lanes != y->lanes) {
        begin(s, w, a, "the lanes of v%u that are written", x->reg);
        printf("  expected 0x%08x, found 0x%08x: %s\n", x->lanes, y->lanes,
               y->lanes & ~x->lanes ? "inactive lanes are written" : "active lanes are not written");
        return end(s, w);
    }
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        wrong |= (uint32_t)(x->value[lane] != y->value[lane]) << lane;
    }
    if (!wrong) return true;
    return x->vector ? differ_v(s, w, a, x, y, wrong, lanes) : differ_x(s, w, a, x, y);
}

static bool same_registers(const struct diff_state *s, const struct warp *w, const struct step *a, const struct step *b)
{
    const bool log_a = s->a->is_log, log_b = s->b->is_log;
    const struct step_write *missing = only_in(a, b, log_a && !log_b), *stray = only_in(b, a, log_b && !log_a);
    if (stray) {
        begin(s, w, a, "%c%u has been written, which is no result of this instruction", stray->vector ? 'v' : 'x',
              stray->reg);
        return end(s, w);
    }
    if (missing) {
        begin(s, w, a, "%c%u has not been written", missing->vector ? 'v' : 'x', missing->reg);
        if (missing->vector) printf("  expected in the lanes 0x%08x\n", missing->lanes);
        else printf("  expected 0x%08x\n", missing->value[0]);
        return end(s, w);
    }
    for (size_t i = 0; i < a->nwrites; i++) {
        const struct step_write *y = find_write(b, a->writes[i].vector, a->writes[i].reg);
        if (y && !same_write(s, w, a, &a->writes[i], y)) return false;
    }
    return true;
}

/* ---- memory ---- */

/* Touches as a log has them, which says of an atomic operation first all addresses and then what it writes. */
struct touches {
    const struct step_touch **list;
    bool *write;
    size_t n;
};

static struct touches touches_of(const struct step *step)
{
    struct touches t = {.list = allocate((2 * step->ntouches + 1) * sizeof *t.list),
                        .write = allocate(2 * step->ntouches + 1)};
    for (int write = 0; write < 2; write++)
        for (size_t i = 0; i < step->ntouches; i++) {
            const struct step_touch *touch = &step->touches[i];
            if (write ? !touch->write : touch->write && !touch->atomic) continue;
            t.write[t.n] = write;
            t.list[t.n++] = touch;
        }
    return t;
}

static void free_touches(struct touches *t)
{
    free(t->list);
    free(t->write);
}

static uint32_t data_mask(unsigned size) { return size == 2 ? 0xffff : size == 1 ? 0xff : ~0u; }

enum touched { SAME, OTHER_FORM, OTHER_ADDRESS, OTHER_DATA };

static enum touched judge(const struct touches *x, const struct touches *y, size_t i)
{
    const struct step_touch *a = x->list[i], *b = y->list[i];
    if (x->write[i] != y->write[i] || (a->size && b->size && a->size != b->size)) return OTHER_FORM;
    if (a->addr != b->addr) return OTHER_ADDRESS;
    return x->write[i] && (a->value ^ b->value) & data_mask(a->size) ? OTHER_DATA : SAME;
}

/* The lanes that differ in the same way as the first one does. */
static void print_touches(const struct touches *x, const struct touches *y, enum touched how)
{
    const bool data = how == OTHER_DATA;
    const bool lanes = x->list[0]->lane >= 0 || y->list[0]->lane >= 0;
    printf("  %s  %sexpected    found\n", lanes ? "lane" : " no.", data ? "address     " : "");
    for (size_t i = 0; i < x->n; i++) {
        const struct step_touch *a = x->list[i], *b = y->list[i];
        if (judge(x, y, i) != how) continue;
        printf("  %4d  ", a->lane >= 0 ? a->lane : b->lane >= 0 ? b->lane : (int)i);
        if (data) printf("0x%08llx  ", (unsigned long long)a->addr);
        printf("0x%08llx  0x%08llx\n", (unsigned long long)(data ? a->value : a->addr),
               (unsigned long long)(data ? b->value : b->addr));
    }
}

static void print_form(const struct touches *t, size_t i)
{
    printf("%s", t->list[i]->atomic ? "an atomic operation" : t->write[i] ? "a store" : "a load");
    if (t->list[i]->size) printf(" of %u bytes", t->list[i]->size);
}

static bool differ_touch(const struct diff_state *s, const struct warp *w, const struct step *a,
                         const struct touches *x, const struct touches *y, size_t i)
{
    const enum touched how = judge(x, y, i);
    begin(s, w, a, "%s",
          how == OTHER_FORM      ? "the form of a memory access"
          : how == OTHER_ADDRESS ? "the addresses of a memory access"
                                 : "the data of a store");
    if (how == OTHER_FORM) {
        printf("  expected ");
        print_form(x, i);
        printf(", found ");
        print_form(y, i);
        printf("\n");
    } else print_touches(x, y, how);
    return end(s, w);
}

static bool same_touches(const struct diff_state *s, const struct warp *w, const struct step *a,
                         const struct touches *x, const struct touches *y)
{
    if (x->n != y->n) {
        begin(s, w, a, "the number of memory accesses, of all lanes: expected %zu, found %zu", x->n, y->n);
        return end(s, w);
    }
    for (size_t i = 0; i < x->n; i++)
        if (judge(x, y, i) != SAME) return differ_touch(s, w, a, x, y, i);
    return true;
}

static bool same_memory(const struct diff_state *s, const struct warp *w, const struct step *a, const struct step *b)
{
    if (!a->ntouches && !b->ntouches) return true;
    struct touches x = touches_of(a), y = touches_of(b);
    const bool same = same_touches(s, w, a, &x, &y);
    free_touches(&x);
    free_touches(&y);
    return same;
}

/* ---- steps ---- */

static bool same_instruction(const struct diff_state *s, const struct warp *w, const struct step *a,
                             const struct step *b)
{
    if (a->pc != b->pc) {
        begin(s, w, a, "the address of the instruction");
        printf("  expected 0x%08x", a->pc);
        diff_print_line(s->d, a->pc);
        printf("; found 0x%08x", b->pc);
        diff_print_line(s->d, b->pc);
        printf("\n");
        return end(s, w);
    }
    if (a->nwords != b->nwords || memcmp(a->words, b->words, sizeof a->words) != 0) {
        begin(s, w, a, "the instruction word");
        printf("  expected 0x%08x, found 0x%08x\n", a->words[a->nwords - 1], b->words[b->nwords - 1]);
        return end(s, w);
    }
    if (a->has_mask && b->has_mask && a->mask != b->mask) {
        begin(s, w, a, "the mask of lanes before the instruction");
        printf("  expected 0x%08x, found 0x%08x\n", a->mask, b->mask);
        return end(s, w);
    }
    return true;
}

/* What logs alone say. */
static bool same_rest(const struct diff_state *s, const struct warp *w, const struct step *a, const struct step *b)
{
    if (a->has_simt && b->has_simt && (a->mask_after != b->mask_after || a->depth != b->depth)) {
        begin(s, w, a, "%s",
              a->mask_after != b->mask_after ? "the mask of lanes after the instruction"
                                             : "the depth of the SIMT stack");
        printf("  expected lanes 0x%08x and %u entries, found lanes 0x%08x and %u entries\n", a->mask_after, a->depth,
               b->mask_after, b->depth);
        return end(s, w);
    }
    if (a->rest && b->rest && strcmp(a->rest, b->rest) != 0) {
        begin(s, w, a, "what the log says besides");
        printf("  expected %s\n  found    %s\n", *a->rest ? a->rest : "nothing", *b->rest ? b->rest : "nothing");
        return end(s, w);
    }
    return true;
}

static bool same_step(const struct diff_state *s, const struct warp *w, const struct step *a, const struct step *b)
{
    return same_instruction(s, w, a, b) && same_memory(s, w, a, b) && same_registers(s, w, a, b) &&
           same_rest(s, w, a, b);
}

/* ---- files ---- */

static bool end_too_soon(const struct diff_state *s, const struct warp *w, const struct step *step, const char *whose)
{
    begin(s, w, step, "%s has no more instructions of the warp", whose);
    return end(s, w);
}

/* Steps of B that A does not have. */
static bool none_left(struct diff_state *s)
{
    while (read_ahead(s)) {
    }
    for (size_t i = 0; i < s->room; i++)
        if (s->warps[i] && s->warps[i]->first)
            return end_too_soon(s, s->warps[i], &s->warps[i]->first->step, s->d->a.path);
    return true;
}

static bool compare(struct diff_state *s)
{
    bool same = true;
    for (struct step a, b; same && next_of(s->a, &a);) {
        struct warp *w = warp_of(s, &a);
        const bool has = partner(s, w, &b);
        same = has ? same_step(s, w, &a, &b) : end_too_soon(s, w, &a, s->d->b.path);
        if (same) remember(s, w, &a);
        s->instructions += same;
        step_free(&a);
        if (has) step_free(&b);
    }
    return same && none_left(s);
}

static void free_state(struct diff_state *s)
{
    for (size_t i = 0; i < s->room; i++) {
        for (struct waiting *next, *w = s->warps[i] ? s->warps[i]->first : NULL; w; w = next) {
            next = w->next;
            step_free(&w->step);
            free(w);
        }
        if (s->warps[i]) free(s->warps[i]->past);
        free(s->warps[i]);
    }
    free(s->warps);
    if (s->a) s->a->close(s->a);
    if (s->b) s->b->close(s->b);
}

bool diff_traces(const struct diff *d)
{
    struct diff_state s = {
        .d = d, .a = open_source(&d->a), .b = open_source(&d->b), .end = (uint32_t)isa_match(OP_ENDPRG)};
    const struct trace_source *known = s.a && !s.a->is_log ? s.a : s.b && !s.b->is_log ? s.b : NULL;
    s.profile = known ? known->profile : d->profile ? (enum isa_profile)d->profile : PROFILE_DEFAULT;
    if (s.a && s.a->is_log) s.a->profile = s.profile;
    if (s.b && s.b->is_log) s.b->profile = s.profile;
    if (s.a && s.b && !s.a->is_log && !s.b->is_log && s.a->profile != s.b->profile)
        die("%s is of instruction set %s, %s of %s", d->a.path, isa_profile_name(s.a->profile), d->b.path,
            isa_profile_name(s.b->profile));
    const bool same = compare(&s);
    if (same) printf("equal: %llu instructions\n", (unsigned long long)s.instructions);
    free_state(&s);
    return same;
}
