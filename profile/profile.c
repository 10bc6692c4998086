/* Which kernels a profile has (profile.h). Called by driver/report.c. */
#include "profile/profile.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* What the host has done since a launch began; guarded by the lock. The oldest reads are forgotten:
 * 1 KiB of them is kept. */
enum { READS = 64 };

struct host_work {
    pthread_mutex_t lock;
    struct span {
        uint64_t from, to;
    } reads[READS];
    size_t nreads;
    uint64_t written, round_trip;
};

struct profile {
    struct gpu *gpu;
    struct profile_kernel *first, **end;
    struct profile_roofs roofs;
    struct host_work host;
};

struct profile *profile_new(struct gpu *gpu)
{
    struct profile *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->gpu = gpu;
    p->end = &p->first;
    pthread_mutex_init(&p->host.lock, NULL);
    return p;
}

void profile_free(struct profile *p)
{
    while (p && p->first) {
        struct profile_kernel *k = p->first;
        p->first = k->next;
        counts_free(k->counts);
        profile_watching_free(k->watching); /* whose groups point into the memory */
        free(k->memory);
        profile_cycles_free(k->went);
        free(k);
    }
    if (p) pthread_mutex_destroy(&p->host.lock);
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
    k->launch = (struct launch){0};
    k->written = k->round_trip = 0;
    k->launches = k->ns = k->cycles = k->traffic = k->begun = k->watched = 0;
    k->memory = NULL;
    k->watching = NULL;
    k->went = NULL;
    k->counters = (struct counters){0};
    *p->end = k;
    p->end = &k->next;
    return k;
}

/* ---- between launches ---- */

static void add_read(struct host_work *h, struct span s)
{
    struct span *last = h->nreads ? &h->reads[(h->nreads - 1) % READS] : NULL;
    if (last && last->to == s.from) last->to = s.to; /* rows of a rectangle, or pieces of a file */
    else h->reads[h->nreads++ % READS] = s;
}

/* Reads overlap only when the same is read twice, which counts twice at most up to what is written. */
static uint64_t read_before(const struct host_work *h, struct span s)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < h->nreads && i < READS; i++) {
        const uint64_t from = s.from > h->reads[i].from ? s.from : h->reads[i].from,
                       to = s.to < h->reads[i].to ? s.to : h->reads[i].to;
        if (from < to) sum += to - from;
    }
    return sum < s.to - s.from ? sum : s.to - s.from;
}

void profile_host(struct profile *p, bool write, uint32_t addr, uint64_t size)
{
    struct host_work *h = &p->host;
    const struct span s = {addr, addr + size};
    pthread_mutex_lock(&h->lock);
    if (write) h->written += size, h->round_trip += read_before(h, s);
    else add_read(h, s);
    pthread_mutex_unlock(&h->lock);
}

static uint64_t groups_of(const struct launch *l) { return (uint64_t)l->groups[0] * l->groups[1] * l->groups[2]; }

void profile_begin(struct profile *p, struct profile_kernel *k, const struct launch *l)
{
    struct host_work *h = &p->host;
    pthread_mutex_lock(&h->lock);
    k->written += h->written;
    k->round_trip += h->round_trip;
    h->written = h->round_trip = h->nreads = 0;
    pthread_mutex_unlock(&h->lock);
    if (groups_of(l) > groups_of(&k->launch)) k->launch = *l;
}

/* ---- launches ---- */

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
