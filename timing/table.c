/* What a launch did in how many cycles, and where they went, as tables for people. Called by the tools. */
#include <stdlib.h>
#include <string.h>

#include "timing/account.h"

static double percent(uint64_t part, uint64_t whole) { return whole ? 100.0 * (double)part / (double)whole : 0; }

static void put_title(FILE *out, const char *first)
{
    fprintf(out, "  %-42s", first);
#define SLOT(name, title, text) fprintf(out, " %7s", title);
#include "timing/slots.def"
#undef SLOT
    putc('\n', out);
}

/* In percent of all cycles of the row. */
static void put_slots(FILE *out, const uint64_t slots[TIMING_SLOTS])
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < TIMING_SLOTS; i++) sum += slots[i];
    for (unsigned i = 0; i < TIMING_SLOTS; i++) fprintf(out, " %7.1f", percent(slots[i], sum));
    putc('\n', out);
}

/* ---- the launch ---- */

static void put_cache(FILE *out, const char *name, uint64_t hits, uint64_t misses)
{
    uint64_t all = hits + misses;
    if (all) fprintf(out, "  %s: %.1f %% of %llu hit", name, percent(hits, all), (unsigned long long)all);
}

static void put_counts(FILE *out, const struct timing_launch *l)
{
    const struct timing_counts *c = &l->counts;
    double cycles = l->cycles ? (double)l->cycles : 1;
    uint64_t bytes = (c->memory_reads + c->memory_writes) * l->line_bytes;
    put_cache(out, "L1I", c->l1i_hits, c->l1i_misses);
    put_cache(out, "L1D", c->l1d_hits, c->l1d_misses);
    put_cache(out, "L2", c->l2_hits, c->l2_misses);
    fputs("\n", out);
    if (c->l1d_instructions)
        fprintf(out, "  %.2f lines per access to memory (%llu accesses)",
                (double)c->l1d_accesses / (double)c->l1d_instructions, (unsigned long long)c->l1d_instructions);
    if (c->lds_instructions)
        fprintf(out, "  %.2f rows per access to local memory (%llu accesses)",
                (double)c->lds_accesses / (double)c->lds_instructions, (unsigned long long)c->lds_instructions);
    fprintf(out, "  %llu conflicts of register banks\n", (unsigned long long)c->register_conflicts);
    fprintf(out, "  memory: %llu lines of %u bytes read, %llu written, %.3f bytes per cycle\n",
            (unsigned long long)c->memory_reads, (unsigned)l->line_bytes, (unsigned long long)c->memory_writes,
            (double)bytes / cycles);
}

static void put_warps(FILE *out, const struct timing_account *a)
{
    char name[40];
    put_title(out, "warp slots, % of their cycles");
    for (unsigned i = 0; i < a->sms * a->warps; i++) {
        const uint64_t *slots = a->slots[i];
        uint64_t busy = 0;
        for (unsigned k = 0; k < SLOT_no_warp; k++) busy += slots[k];
        if (!busy) continue;
        snprintf(name, sizeof name, "SM %u, warp %u", i / a->warps, i % a->warps);
        fprintf(out, "  %-42s", name);
        put_slots(out, slots);
    }
}

/* ---- instructions and lines ---- */

enum { MOST_ROWS = 16 }; /* of a table, which is to fit on a screen; how many more there are is said */

static uint64_t cycles_of(const struct timing_site *s)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < TIMING_SLOTS; i++) sum += s->slots[i];
    return sum;
}

static int most_first(const void *a, const void *b)
{
    const struct timing_site *s = a, *t = b;
    uint64_t x = cycles_of(s), y = cycles_of(t);
    return x != y ? (x < y) - (x > y) : (s->pc > t->pc) - (s->pc < t->pc);
}

/* The rows with the most cycles. Changes the order of the sites. */
static void put_sites(FILE *out, struct timing_site *sites, size_t n, bool lines)
{
    uint64_t all = 0;
    char text[100], name[140];
    for (size_t i = 0; i < n; i++) all += cycles_of(&sites[i]);
    qsort(sites, n, sizeof *sites, most_first);
    put_title(out, lines ? "source lines, share of all warps' cycles" : "instructions, share of all warps' cycles");
    for (size_t i = 0; i < n && i < MOST_ROWS; i++) {
        const struct timing_site *s = &sites[i];
        if (lines && !s->line) snprintf(name, sizeof name, "%5.1f %%  start code", percent(cycles_of(s), all));
        else if (lines) snprintf(name, sizeof name, "%5.1f %%  line %u", percent(cycles_of(s), all), (unsigned)s->line);
        else {
            site_text(s, text, sizeof text);
            snprintf(name, sizeof name, "%5.1f %%  %08x %s", percent(cycles_of(s), all), (unsigned)s->pc, text);
        }
        fprintf(out, "  %-42.42s", name);
        put_slots(out, s->slots);
    }
    if (n > MOST_ROWS) fprintf(out, "  and %zu more\n", n - MOST_ROWS);
}

/* By line where the lines are known, else by instruction. */
static void put_code(FILE *out, const struct timing_account *a)
{
    struct timing_site *rows = malloc((a->nsites + 1) * sizeof *rows);
    size_t n = 0;
    if (!rows) return;
    for (int64_t line = -1; account_line(a, line, &rows[n]); n++) line = rows[n].line;
    bool lines = n;
    if (!lines && a->nsites) memcpy(rows, a->sites, (n = a->nsites) * sizeof *rows);
    put_sites(out, rows, n, lines);
    free(rows);
}

void timing_table(const struct timing_launch *l, FILE *out)
{
    const struct timing_account *a = l->account;
    double cycles = l->cycles ? (double)l->cycles : 1;
    fprintf(out, "%s: %llu cycles%s, %llu instructions issued, %.3f per cycle", l->kernel,
            (unsigned long long)l->cycles, l->hung ? " (never ends)" : "", (unsigned long long)l->counts.issued,
            (double)l->counts.issued / cycles);
    if (a) fprintf(out, ", occupancy %.1f %% of %u warp slots", 100 * account_occupancy(a), a->sms * a->warps);
    putc('\n', out);
    put_counts(out, l);
    if (!a) return;
    put_warps(out, a);
    put_code(out, a);
}
