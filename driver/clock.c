/* The clock of a device: the host's monotonic one, or that of the cycle model which the machine file asks for
 * (`timing = NAME`). The model's stands still but for launches: what happens between two of them takes no time. */
#include <stdlib.h>

#include "driver/driver.h"
#include "profile/profile.h"
#include "timing/parameters.h"
#include "timing/timing.h"

struct device_clock {
    struct model *model;
    uint64_t begin; /* of the model's clock, by the host's, in nanoseconds */
    uint32_t mhz;
    _Atomic uint64_t now; /* end of the last launch, in nanoseconds */
};

bool clock_check(const struct gpu_config *config, char *why, size_t why_size)
{
    struct timing_config timing;
    return !*config->timing || timing_config_read(&timing, config->timing, why, why_size);
}

bool clock_open(ventus_device *d, const struct gpu_config *config)
{
    char why[300];
    if (!*config->timing) return true;
    struct device_clock *c = calloc(1, sizeof *c);
    if (c) c->model = timing_open(d->gpu, config->timing, NULL, why, sizeof why);
    if (!c || !c->model) {
        free(c);
        return false;
    }
    c->begin = c->now = host_ns();
    c->mhz = config->clock_mhz;
    d->clock = c;
    d->queue.gathers = true;
    return true;
}

void clock_close(ventus_device *d)
{
    char why[300];
    if (!d->clock) return;
    timing_close(d->clock->model, d->gpu, why, sizeof why);
    d->clock->model = NULL;
}

uint64_t ventus_clock(const ventus_device *d) { return d->clock ? d->clock->now : host_ns(); }

static uint64_t time_of(const struct device_clock *c, uint64_t cycle)
{
    return c->begin + (uint64_t)((unsigned __int128)cycle * 1000 / c->mhz);
}

uint64_t clock_of_machine(const ventus_device *d)
{
    return d->clock ? time_of(d->clock, timing_now(d->clock->model)) : host_ns();
}

static void profile_model(struct profile_kernel *k, const struct timing_launch *l)
{
    if (!k) return;
    profile_modelled(k, l->cycles, (l->counts.memory_reads + l->counts.memory_writes) * l->line_bytes);
    if (l->account) profile_accounted(k, l->account, l->cycles);
}

static struct model *model_of(const ventus_device *d) { return d->clock ? d->clock->model : d->model; }

void device_set_model(ventus_device *d, struct model *model)
{
    d->model = model;
    if (model && d->profile && clock_account(d)) profile_set_roofs(d->profile, clock_roofs(d));
}

bool clock_account(ventus_device *d) { return !model_of(d) || timing_account(model_of(d)); }

void clock_account_end(ventus_device *d)
{
    if (d->clock && d->clock->model) timing_account_end(d->clock->model);
}

/* The machine reports each end before it begins with anything else: the only launch in the model's list is this one. */
void launch_clock(ventus_event *e)
{
    struct device_clock *c = e->device->clock;
    size_t n;
    if (!c && e->device->model) {
        const struct timing_launch *l = timing_launches(e->device->model, &n);
        if (n) profile_model(e->profiled, &l[n - 1]);
    }
    if (!c) return;
    const struct timing_launch *l = timing_launches(c->model, &n);
    if (!n) return; /* it has never begun */
    struct queue *q = &e->device->queue;
    pthread_mutex_lock(&q->lock); /* the timeline looks at launches that run when the process ends */
    e->outcome.cycles = l->cycles;
    e->outcome.started = time_of(c, l->begun);
    e->outcome.ended = c->now = time_of(c, l->begun + l->cycles);
    pthread_mutex_unlock(&q->lock);
    profile_model(e->profiled, l);
    timing_forget(c->model);
}

struct profile_roofs clock_roofs(const ventus_device *d)
{
    if (!model_of(d)) return (struct profile_roofs){0};
    const struct gpu_config *machine = gpu_config_of(d->gpu);
    const struct timing_config *t = timing_config_of(model_of(d));
    const uint32_t threads = machine->threads_per_warp, lanes = t->lanes && t->lanes < threads ? t->lanes : threads;
    return (struct profile_roofs){
        .operations = machine->sms * lanes, .bytes = t->line_bytes, .interval = t->memory_interval};
}
