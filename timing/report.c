/* What a launch did in how many cycles, and where they went, as JSON. Called by the tools. */
#include <string.h>

#include "timing/account.h"

static double ratio(double a, double b) { return b > 0 ? a / b : 0; }

static void put_counts(const struct timing_counts *c, FILE *out)
{
#define COUNT(name, text) fprintf(out, ", \"" #name "\": %llu", (unsigned long long)c->name);
#include "timing/counts.def"
#undef COUNT
}

/* What follows from the counts. */
static void put_rates(const struct timing_launch *l, const struct timing_counts *c, FILE *out)
{
    double cycles = (double)l->cycles;
    fprintf(out, ", \"ipc\": %.4f", ratio((double)c->issued, cycles));
    fprintf(out, ", \"lines_per_access\": %.4f", ratio((double)c->l1d_accesses, (double)c->l1d_instructions));
    fprintf(out, ", \"rows_per_access\": %.4f", ratio((double)c->lds_accesses, (double)c->lds_instructions));
    fprintf(out, ", \"bytes_per_cycle\": %.4f",
            ratio((double)(c->memory_reads + c->memory_writes) * l->line_bytes, cycles));
}

static void put_slots(const uint64_t slots[TIMING_SLOTS], FILE *out)
{
    const char *separator = "";
    fputs("{", out);
#define SLOT(name, title, text) \
    fprintf(out, "%s\"" #name "\": %llu", separator, (unsigned long long)slots[SLOT_##name]), separator = ", ";
#include "timing/slots.def"
#undef SLOT
    fputs("}", out);
}

static void put_numbers(const uint64_t *numbers, size_t n, size_t step, FILE *out)
{
    for (size_t i = 0; i < n; i++) fprintf(out, "%s%llu", i ? ", " : "[", (unsigned long long)numbers[i * step]);
    fputs(n ? "]" : "[]", out);
}

void timing_series_json(const struct timing_series *s, unsigned sms, FILE *out)
{
    const char *separator = "";
    fprintf(out, "\"interval\": %llu, \"slots\": {", 1ull << s->shift);
#define SLOT(name, title, text) \
    fprintf(out, "%s\"" #name "\": ", separator), separator = ", "; \
    put_numbers(&s->slots[0][SLOT_##name], s->n, TIMING_SLOTS, out);
#include "timing/slots.def"
#undef SLOT
    fputs("}, \"warps\": [", out);
    for (unsigned i = 0; i < sms; i++) {
        if (i) fputs(", ", out);
        put_numbers(s->warps + (size_t)i * TIMING_BUCKETS, s->n, 1, out);
    }
    fputs("]", out);
}

/* The members of a site but for its address, for a site or a line. */
static void put_site(const struct timing_site *s, FILE *out)
{
    fprintf(out, "\"line\": %u, \"accesses\": %llu, \"lines\": %llu, \"l1d_hits\": %llu, \"l1d_misses\": %llu, ",
            (unsigned)s->line, (unsigned long long)s->accesses, (unsigned long long)s->lines,
            (unsigned long long)s->l1d_hits, (unsigned long long)s->l1d_misses);
    fprintf(out, "\"local_accesses\": %llu, \"rows\": %llu, \"slots\": ", (unsigned long long)s->local_accesses,
            (unsigned long long)s->rows);
    put_slots(s->slots, out);
    fputs("}", out);
}

static void put_code(const struct timing_account *a, FILE *out)
{
    for (size_t i = 0; i < a->nsites; i++) {
        char text[100];
        site_text(&a->sites[i], text, sizeof text);
        fprintf(out, "%s{\"pc\": %u, \"text\": \"%s\", ", i ? ",\n      " : "\n      ", (unsigned)a->sites[i].pc, text);
        put_site(&a->sites[i], out);
    }
}

static void put_lines(const struct timing_account *a, FILE *out)
{
    struct timing_site line;
    const char *separator = "\n      ";
    for (int64_t number = -1; account_line(a, number, &line); number = line.line) {
        fprintf(out, "%s{", separator);
        put_site(&line, out);
        separator = ",\n      ";
    }
}

static void put_sm(const struct timing_launch *l, unsigned sm, FILE *out)
{
    const struct timing_account *a = l->account;
    fprintf(out, "%s{\"sm\": %u", sm ? ",\n      " : "\n      ", sm);
    put_counts(&a->counts[sm], out);
    put_rates(l, &a->counts[sm], out);
    fputs(", \"warps\": [", out);
    for (unsigned w = 0; w < a->warps; w++) {
        if (w) fputs(", ", out);
        put_slots(a->slots[sm * a->warps + w], out);
    }
    fputs("]}", out);
}

static void put_account(const struct timing_launch *l, FILE *out)
{
    const struct timing_account *a = l->account;
    uint64_t slots[TIMING_SLOTS];
    account_total(a, slots);
    fprintf(out, ", \"warp_slots\": %u, \"occupancy\": %.4f,\n     \"slots\": ", a->sms * a->warps,
            account_occupancy(a));
    put_slots(slots, out);
    fputs(",\n     \"over_time\": {", out);
    timing_series_json(&a->series, a->sms, out);
    fputs("},\n     \"sms\": [", out);
    for (unsigned i = 0; i < a->sms; i++) put_sm(l, i, out);
    fputs("],\n     \"code\": [", out);
    put_code(a, out);
    fputs("],\n     \"lines\": [", out);
    put_lines(a, out);
    fputs("]", out);
}

void timing_json(const struct timing_launch *launch, FILE *out)
{
    if (launch->hung) fputs("\"cycles\": null", out);
    else fprintf(out, "\"cycles\": %llu", (unsigned long long)launch->cycles);
    fprintf(out, ", \"hung\": %s", launch->hung ? "true" : "false");
    put_counts(&launch->counts, out);
    put_rates(launch, &launch->counts, out);
    if (launch->account) put_account(launch, out);
}
