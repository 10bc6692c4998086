/* Where a cycle model says that the cycles of a kernel's launches went (profile.h): sums of its accounts
 * (timing/account.h). Called by driver/report.c. */
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

/* Both ascend by address, and so does the result. NULL: the host has no memory. */
static struct timing_site *merge(const struct profile_cycles *c, const struct timing_account *a, size_t *n)
{
    struct timing_site *all = malloc((c->nsites + a->nsites + 1) * sizeof *all);
    size_t i = 0, k = 0;
    *n = 0;
    while (all && (i < c->nsites || k < a->nsites)) {
        const bool old = k == a->nsites || (i < c->nsites && c->sites[i].pc <= a->sites[k].pc);
        all[*n] = old ? c->sites[i++] : a->sites[k++];
        if (old && k < a->nsites && a->sites[k].pc == all[*n].pc) site_add(&all[*n], &a->sites[k++]);
        ++*n;
    }
    return all;
}

/* The launch with the most cycles, the first of them, is the one that is shown over time. */
static bool keep_series(struct profile_cycles *c, const struct timing_account *a, uint64_t cycles)
{
    const size_t size = (size_t)a->sms * TIMING_BUCKETS * sizeof *a->series.warps;
    if (cycles <= c->longest) return true;
    uint64_t *warps = c->series.warps ? c->series.warps : malloc(size);
    if (!warps) return false;
    c->series = a->series;
    c->series.warps = memcpy(warps, a->series.warps, size);
    c->longest = cycles;
    return true;
}

void profile_accounted(struct profile_kernel *k, const struct timing_account *a, uint64_t cycles)
{
    struct profile_cycles *c = k->went ? k->went : calloc(1, sizeof *c);
    uint64_t slots[TIMING_SLOTS];
    size_t n;
    k->went = c;
    struct timing_site *sites = c ? merge(c, a, &n) : NULL;
    if (!sites || !keep_series(c, a, cycles)) {
        free(sites);
        return;
    }
    free(c->sites);
    c->sites = sites;
    c->nsites = n;
    c->sms = a->sms;
    c->warps = a->warps;
    account_total(a, slots);
    for (unsigned i = 0; i < TIMING_SLOTS; i++) c->slots[i] += slots[i];
    c->launches++;
    c->cycles += cycles;
}

struct timing_site profile_site_at(const struct profile_kernel *k, uint32_t pc, uint32_t end)
{
    const struct profile_cycles *c = k->went;
    struct timing_site sum = {.pc = pc};
    size_t low = 0, high = c ? c->nsites : 0;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (c->sites[middle].pc < pc) low = middle + 1;
        else high = middle;
    }
    for (; c && low < c->nsites && c->sites[low].pc < end; low++) site_add(&sum, &c->sites[low]);
    return sum;
}

uint64_t profile_cycles_of(const struct timing_site *site)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < TIMING_SLOTS; i++) sum += site->slots[i];
    return sum;
}

void profile_cycles_free(struct profile_cycles *c)
{
    if (!c) return;
    free(c->sites);
    free(c->series.warps);
    free(c);
}
