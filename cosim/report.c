/* The report of the first difference: what a person needs to find it. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cosim/parts.h"

/* ---- names ---- */

/* The kernel whose entry the launch's metadata block names. */
static const char *kernel_name(const struct ventus_cosim *c)
{
    uint32_t entry;
    if (!cosim_word(c, c->job.launch.knl + ABI_META_ENTRY, &entry)) return NULL;
    for (size_t i = 0; i < c->note.nkernels; i++)
        if (c->note.kernels[i].entry == entry) return c->note.kernels[i].name;
    return NULL;
}

void report_line(const struct ventus_cosim *c, FILE *f, uint32_t pc)
{
    const uint32_t line = note_line_at(&c->note, pc);
    size_t size;
    const char *text = line ? note_text_at(&c->note, pc, &size) : NULL;
    if (line) fprintf(f, ", line %u", (unsigned)line);
    while (text && size && (*text == ' ' || *text == '\t')) text++, size--;
    if (text) fprintf(f, ": %.*s", (int)(size < 100 ? size : 100), text);
}

static void print_insn(const struct ventus_cosim *c, FILE *f, uint32_t pc, const uint32_t *words, uint32_t size)
{
    struct insn in;
    char text[160] = "";
    if (isa_decode_in((enum isa_profile)gpu_config_of(c->gpu)->profile, words, size / 4, &in))
        isa_print(&in, pc, 0, text, sizeof text);
    for (char *p = text; *p; p++)
        if (*p == '\t') *p = ' ';
    fprintf(f, "0x%08x  %08x  %s", (unsigned)pc, (unsigned)words[size / 4 - 1], text);
}

/* ---- parts ---- */

/* What is at the warp's pc in the reference's memory. */
static void print_here(const struct ventus_cosim *c, FILE *f, uint32_t pc)
{
    uint32_t words[ISA_MAX_WORDS];
    struct insn in;
    const size_t n = code_words(c->gpu, pc, words);
    if (!n || !code_look(c->gpu, pc, &in)) fprintf(f, "0x%08x  no code", (unsigned)pc);
    else print_insn(c, f, pc, words, in.size);
}

static void print_place(const struct ventus_cosim *c, const struct watched *w, FILE *f)
{
    const struct warp *warp = w->warp;
    const struct group *g = warp->group;
    fprintf(f, "  work-group (%u, %u, %u), warp %u of %u, hart %u on SM %u, its instruction number %llu\n",
            (unsigned)g->index[0], (unsigned)g->index[1], (unsigned)g->index[2], (unsigned)warp->wid,
            (unsigned)g->launch->warps, (unsigned)w->number, (unsigned)place_of(c, g)->sm,
            (unsigned long long)w->count + 1);
}

FILE *report_begin(struct ventus_cosim *c, const struct watched *w, const char *format, ...)
{
    const char *kernel = kernel_name(c);
    va_list args;
    if (c->report) return NULL;
    FILE *f = open_memstream(&c->report, &c->report_size);
    if (!f) {
        cosim_fail(c, "out of memory");
        return NULL;
    }
    const bool executing = w && c->executing;
    const uint32_t pc = !w ? 0 : executing ? c->event.pc : w->warp->pc;
    fprintf(f, "first difference: ");
    va_start(args, format);
    vfprintf(f, format, args);
    va_end(args);
    fprintf(f, "\n  kernel %s", kernel ? kernel : "(no name known)");
    if (w) report_line(c, f, pc);
    fprintf(f, "\n");
    if (!w) return f;
    print_place(c, w, f);
    fprintf(f, "  instruction ");
    if (executing) print_insn(c, f, pc, c->event.words, c->event.insn->size);
    else print_here(c, f, pc);
    fprintf(f, "\n");
    return f;
}

static void print_history(const struct ventus_cosim *c, const struct watched *w, FILE *f)
{
    const uint64_t n = w->count < HISTORY ? w->count : HISTORY;
    if (!n) return;
    fprintf(f, "the last %u instructions of the warp, with the lanes that ran:\n", (unsigned)n);
    for (uint64_t i = w->count - n; i < w->count; i++) {
        const struct past *p = &w->past[i % HISTORY];
        fprintf(f, "  #%-8llu %08x  ", (unsigned long long)p->serial, (unsigned)p->mask);
        print_insn(c, f, p->pc, p->words, p->size);
        report_line(c, f, p->pc);
        fprintf(f, "\n");
    }
}

static const char *state_of(const struct warp *w)
{
    switch (w->state) {
    case WARP_WAITING: return "waits at a barrier";
    case WARP_WAITING_DMA: return "waits for copies";
    case WARP_ENDED: return "has ended";
    default: return "runs";
    }
}

static void print_other(const struct ventus_cosim *c, const struct watched *o, FILE *f)
{
    const struct past *last = o->count ? &o->past[(o->count - 1) % HISTORY] : NULL;
    fprintf(f, "  hart %-4u work-group %u, warp %u: %s", (unsigned)o->number, (unsigned)o->warp->group->wgid,
            (unsigned)o->warp->wid, state_of(o->warp));
    if (last) {
        fprintf(f, "; last #%llu ", (unsigned long long)last->serial);
        print_insn(c, f, last->pc, last->words, last->size);
        report_line(c, f, last->pc);
    }
    fprintf(f, "\n");
}

static void print_others(const struct ventus_cosim *c, const struct watched *w, FILE *f)
{
    enum { MOST = 32 }; /* lines, a screen */
    unsigned n = 0;
    for (uint32_t i = 0; i < c->nharts; i++) {
        const struct watched *o = c->harts[i];
        if (!o || o == w || !o->warp) continue;
        if (!n) fprintf(f, "the other warps:\n");
        if (n++ < MOST) print_other(c, o, f);
    }
    if (n > MOST) fprintf(f, "  and %u more\n", n - MOST);
}

void report_writer(const struct ventus_cosim *c, FILE *f, uint32_t addr, uint32_t local_serial)
{
    const struct word *word = words_find(&c->words, word_key(addr, local_serial));
    fprintf(f, "  the word at 0x%08x: ", (unsigned)addr & ~3u);
    if (!word) {
        fprintf(f, "no instruction of this launch has written it\n");
        return;
    }
    const struct written *by = &word->last[0];
    fprintf(f, "last written by warp %u of work-group %u, #%llu at 0x%08x", (unsigned)by->warp, (unsigned)by->group,
            (unsigned long long)by->when, (unsigned)by->pc);
    report_line(c, f, by->pc);
    fprintf(f, "; 0x%08x became 0x%08x\n", (unsigned)by->before, (unsigned)by->value);
}

int report_end(struct ventus_cosim *c, const struct watched *w, FILE *f)
{
    if (w) print_history(c, w, f);
    print_others(c, w, f);
    fclose(f);
    return c->report ? 0 : cosim_fail(c, "out of memory");
}
