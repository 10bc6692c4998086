/* What a launch did in how many cycles as JSON. Called by the tools. */
#include "timing/timing.h"

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

void timing_json(const struct timing_launch *launch, FILE *out)
{
    if (launch->hung) fputs("\"cycles\": null", out);
    else fprintf(out, "\"cycles\": %llu", (unsigned long long)launch->cycles);
    fprintf(out, ", \"hung\": %s", launch->hung ? "true" : "false");
    put_counts(&launch->counts, out);
    put_rates(launch, &launch->counts, out);
}
