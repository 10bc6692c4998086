/* A profile for a terminal (profile.h). */
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "sim/output.h"

enum { LINES = 12, TEXT = 72 }; /* rows of a table, half a screen; characters of a source line */

static double share(uint64_t part, uint64_t all) { return all ? 100.0 * (double)part / (double)all : 0; }
static void put_name(const struct profile_kernel *k, FILE *out)
{
    output_plain(out, k->name, strlen(k->name), SIZE_MAX);
}

static double each(uint64_t sum, uint64_t n) { return n ? (double)sum / (double)n : 0; }

static void print_line(const struct profile_line *l, uint64_t all, FILE *out)
{
    char diverged[16] = "-", number[16] = "?";
    if (l->branches) snprintf(diverged, sizeof diverged, "%.1f %%", share(l->diverged, l->branches));
    if (l->line) snprintf(number, sizeof number, "%u", (unsigned)l->line);
    fprintf(out, "  %5.1f %% %14llu %6.1f %8s %6s", share(l->executions, all), (unsigned long long)l->executions,
            each(l->lanes, l->executions), diverged, number);
    if (l->text) fputs("  ", out), output_plain(out, l->text, l->size, TEXT);
    fputc('\n', out);
}

static void print_access(uint32_t line, const struct profile_memory *m, FILE *out)
{
    if (!m->accesses || m->lanes == m->accesses) return;
    fprintf(out, "  %6u %6s %6s %12llu %6.1f", (unsigned)line, m->local ? "local" : "global",
            m->atomics ? "atomic"
            : m->write ? "store"
                       : "load",
            (unsigned long long)m->accesses, each(m->lanes, m->accesses));
    if (m->local) fprintf(out, "      -       - %9.1f", 1 + each(m->conflicts, m->accesses));
    else fprintf(out, " %6.1f %5.1f %%         -", each(m->lines, m->accesses), share(m->again, m->lines));
    for (unsigned n = 0; n < PATTERNS; n++)
        if (m->patterns[n])
            fprintf(out, "  %s %.0f %%", profile_pattern_name((enum profile_pattern)n),
                    share(m->patterns[n], m->accesses));
    if (m->atomics) fprintf(out, "  %.1f lanes at one word", each(m->same_word, m->atomics));
    fputc('\n', out);
}

static void add_memory(struct profile_memory *sum, const struct profile_memory *m)
{
    sum->accesses += m->accesses;
    sum->lanes += m->lanes;
    sum->lines += m->lines;
    sum->again += m->again;
    sum->atomics += m->atomics;
    sum->same_word += m->same_word;
    sum->conflicts += m->conflicts;
    for (unsigned n = 0; n < PATTERNS; n++) sum->patterns[n] += m->patterns[n];
}

/* Neighbours of the same line that do the same are one. */
static void print_memory(const struct profile_kernel *k, const struct profile_rows *rows, FILE *out)
{
    struct profile_memory sum = {0};
    uint32_t line = 0;
    if (!k->memory) return;
    fprintf(out, "  accesses in %llu of the launches\n", (unsigned long long)k->watched);
    fputs("    line memory   what     accesses  lanes  lines   again bank uses  patterns\n", out);
    for (size_t i = 0; i < rows->ninsns; i++) {
        const struct profile_memory *m = profile_memory_at(k, rows->insns[i].pc);
        if (!m) continue;
        if (rows->insns[i].line != line || m->local != sum.local || m->write != sum.write ||
            !m->atomics != !sum.atomics) {
            print_access(line, &sum, out);
            sum = (struct profile_memory){.local = m->local, .write = m->write};
            line = rows->insns[i].line;
        }
        add_memory(&sum, m);
    }
    print_access(line, &sum, out);
}

/* ---- where a cycle model says that cycles went ---- */

static int by_cycles(const void *a, const void *b)
{
    const struct profile_line *x = a, *y = b;
    const uint64_t i = profile_cycles_of(&x->went), k = profile_cycles_of(&y->went);
    return i != k ? (i < k) - (i > k) : (x->line > y->line) - (x->line < y->line);
}

static void print_went(const struct profile_line *l, uint64_t all, FILE *out)
{
    const struct timing_site *s = &l->went;
    const uint64_t cycles = profile_cycles_of(s);
    fprintf(out, "  %5.1f %%", share(cycles, all));
    for (unsigned k = 0; k < SLOT_no_warp; k++) fprintf(out, " %7.1f", share(s->slots[k], cycles));
    if (s->l1d_hits + s->l1d_misses) fprintf(out, " %7.1f", share(s->l1d_hits, s->l1d_hits + s->l1d_misses));
    else fputs("       -", out);
    if (l->line) fprintf(out, " %6u", (unsigned)l->line);
    else fputs("      ?", out);
    if (l->text) fputs("  ", out), output_plain(out, l->text, l->size, TEXT / 2);
    fputc('\n', out);
}

/* A digit for each bucket, or for some. */
static void print_over_time(const struct profile_cycles *c, FILE *out)
{
    const struct timing_series *s = &c->series;
    const size_t step = (s->n + TEXT - 1) / TEXT;
    fputs("  warp slots with a warp over time, 0 none to 9 all: ", out);
    for (size_t b = 0; b < s->n; b += step) {
        uint64_t warps = 0, all = 0;
        for (size_t i = b; i < b + step && i < s->n; i++)
            for (unsigned k = 0; k < TIMING_SLOTS; k++)
                all += s->slots[i][k], warps += k != SLOT_no_warp ? s->slots[i][k] : 0;
        fputc("0123456789"[all ? (warps * 9 + all - 1) / all : 0], out);
    }
    fprintf(out, " (%llu cycles each)\n", (unsigned long long)step << s->shift);
}

/* Changes the order of the lines. */
static void print_cycles(const struct profile_kernel *k, struct profile_rows *rows, FILE *out)
{
    const struct profile_cycles *c = k->went;
    uint64_t all = 0;
    if (!c || !c->launches) return;
    for (unsigned i = 0; i < TIMING_SLOTS; i++) all += c->slots[i];
    fprintf(out, "  cycles of warps in %llu of the launches: %llu cycles, %.1f %% of %u warp slots with a warp\n",
            (unsigned long long)c->launches, (unsigned long long)c->cycles, share(all - c->slots[SLOT_no_warp], all),
            c->sms * c->warps);
    print_over_time(c, out);
    fputs("    share", out);
#define SLOT(name, title, text) \
    if (SLOT_##name != SLOT_no_warp) fprintf(out, " %7s", title);
#include "timing/slots.def"
#undef SLOT
    fputs(" L1 hits   line\n", out);
    qsort(rows->lines, rows->nlines, sizeof *rows->lines, by_cycles);
    for (size_t i = 0; i < rows->nlines && i < LINES && profile_cycles_of(&rows->lines[i].went); i++)
        print_went(&rows->lines[i], rows->cycles, out);
}

static void print_advice(void *out, const struct profile_advice *a)
{
    if (a->line) fprintf(out, "  advice (%s), line %u: %s\n", a->rule, (unsigned)a->line, a->text);
    else fprintf(out, "  advice (%s): %s\n", a->rule, a->text);
}

static void print_kernel(const struct profile *p, const struct profile_kernel *k, FILE *out)
{
    struct profile_rows rows;
    if (profile_rows(p, k, &rows) && rows.nlines) {
        putc('\n', out);
        put_name(k, out);
        fprintf(out, ": %llu instructions of warps in %llu launch%s, %.1f lanes of %u active\n",
                (unsigned long long)rows.executions, (unsigned long long)k->launches, k->launches == 1 ? "" : "es",
                each(rows.lanes, rows.executions), (unsigned)profile_config(p)->threads_per_warp);
        fputs("    share   instructions  lanes diverged   line\n", out);
        for (size_t i = 0; i < rows.nlines && i < LINES; i++) print_line(&rows.lines[i], rows.executions, out);
        if (rows.nlines > LINES) fprintf(out, "  ... and %zu more lines\n", rows.nlines - LINES);
        print_memory(k, &rows, out);
        profile_advise_all(p, k, &rows, print_advice, out);
        print_cycles(k, &rows, out);
    }
    profile_rows_free(&rows);
}

static int by_heat(const void *a, const void *b)
{
    const struct profile_kernel *x = *(const struct profile_kernel *const *)a,
                                *y = *(const struct profile_kernel *const *)b;
    const uint64_t i = x->counters.instructions, k = y->counters.instructions;
    return i == k ? 0 : i < k ? 1 : -1;
}

void profile_table(const struct profile *p, FILE *out)
{
    size_t n = 0;
    uint64_t all = 0;
    for (const struct profile_kernel *k = profile_kernels(p); k; k = k->next) n++, all += k->counters.instructions;
    const struct profile_kernel **list = calloc(n + 1, sizeof *list);
    if (!list) return;
    n = 0;
    for (const struct profile_kernel *k = profile_kernels(p); k; k = k->next) list[n++] = k;
    qsort(list, n, sizeof *list, by_heat);
    fprintf(out, "profile: %zu kernel%s, %llu instructions of warps\n", n, n == 1 ? "" : "s", (unsigned long long)all);
    fputs("    share   instructions launches     host ms  kernel\n", out);
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "  %5.1f %% %14llu %8llu %11.3f  ", share(list[i]->counters.instructions, all),
                (unsigned long long)list[i]->counters.instructions, (unsigned long long)list[i]->launches,
                (double)list[i]->ns / 1e6);
        put_name(list[i], out);
        putc('\n', out);
    }
    for (size_t i = 0; i < n; i++) print_kernel(p, list[i], out);
    free(list);
}
