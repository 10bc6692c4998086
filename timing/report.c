/* What a launch did in how many cycles, as JSON. Called by the tools. */
#include "timing/timing.h"

#define COUNT(name) fprintf(out, ", \"" #name "\": %llu", (unsigned long long)c->name)

void timing_json(const struct timing_launch *launch, FILE *out)
{
    const struct timing_counts *c = &launch->counts;
    if (launch->hung) fputs("\"cycles\": null", out);
    else fprintf(out, "\"cycles\": %llu", (unsigned long long)c->cycles);
    fprintf(out, ", \"hung\": %s", launch->hung ? "true" : "false");
    COUNT(issued);
    COUNT(l1i_hits), COUNT(l1i_misses), COUNT(l1d_accesses), COUNT(l1d_hits), COUNT(l1d_misses), COUNT(lds_accesses);
    COUNT(memory_instructions), COUNT(memory_reads), COUNT(memory_writes);
}
