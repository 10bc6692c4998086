/* Which kernels a profile has (profile.h). Called by driver/report.c. */
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

struct profile {
    struct gpu *gpu;
    struct profile_kernel *first, **end;
    struct profile_roofs roofs;
};

struct profile *profile_new(struct gpu *gpu)
{
    struct profile *p = calloc(1, sizeof *p);
    if (p) p->gpu = gpu, p->end = &p->first;
    return p;
}

void profile_free(struct profile *p)
{
    while (p && p->first) {
        struct profile_kernel *k = p->first;
        p->first = k->next;
        counts_free(k->counts);
        free(k->memory);
        profile_cycles_free(k->went);
        free(k);
    }
    free(p);
}

struct profile_kernel *profile_kernel(struct profile *p, const struct profile_kernel *given, bool *fresh)
{
    struct profile_kernel *k = p->first;
    while (k && (k->program != given->program || k->entry != given->entry)) k = k->next;
    *fresh = !k;
    if (k) return k;
    struct counts *counts = counts_new(gpu_config_of(p->gpu)->sms, given->base, given->base + given->size);
    k = counts ? malloc(sizeof *k) : NULL;
    if (!k) {
        counts_free(counts);
        return NULL;
    }
    *k = *given;
    k->next = NULL;
    k->counts = counts;
    k->launches = k->ns = k->cycles = k->traffic = k->begun = k->watched = 0;
    k->memory = NULL;
    k->went = NULL;
    k->counters = (struct counters){0};
    *p->end = k;
    p->end = &k->next;
    return k;
}

void profile_launch(struct profile_kernel *k, const struct counters *counters, uint64_t ns)
{
    k->launches++;
    k->ns += ns;
    counters_add(&k->counters, counters);
}

void profile_modelled(struct profile_kernel *k, uint64_t cycles, uint64_t traffic)
{
    k->cycles += cycles;
    k->traffic += traffic;
}

void profile_set_roofs(struct profile *p, struct profile_roofs roofs) { p->roofs = roofs; }
struct profile_roofs profile_roofs(const struct profile *p) { return p->roofs; }

const struct profile_kernel *profile_kernels(const struct profile *p) { return p->first; }

const struct gpu_config *profile_config(const struct profile *p) { return gpu_config_of(p->gpu); }
