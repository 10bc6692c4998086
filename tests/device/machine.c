/* A device library whose device is our own machine, another one than the driver's: what a test runs on it goes through
 * the whole interface (driver/ventus_backend.h).
 *
 * Options: lack=BITS takes features away, slow=1 has launches wait a moment, hang=1 for ever;
 * once=1 with it: only the first launch of the process. memory=MIB: so much from 0x90000000 on. single=1: one at a
 * time. count=1: it counts instructions, and what our machine does not count. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "driver/backend_launch.h"
#include "driver/ventus_backend.h"
#include "isa/isa.h"
#include "sim/engine.h"
#include "sim/launch.h"

enum { PAGE = 4096 };

struct ventus_backend_device {
    unsigned lack, slow, hang, once, memory, single, count;
    struct gpu *gpu;
    struct launch launch;
    struct launch_options options;
    struct result result;
    char kernel[64];
    pthread_t thread;
    bool started;
    _Atomic bool cancel;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum ventus_backend_state state;
    bool told, printed; /* that the buffer is full, to the driver; by the driver */
    uint32_t print;
};

static int fail(char *why, size_t size, const char *text)
{
    snprintf(why, size, "%s", text);
    return 1;
}

/* ---- opening ---- */

static bool read_options(struct ventus_backend_device *d, const char *text)
{
    for (int n; *text; text += n + (text[n] == ',')) {
        n = 0;
        sscanf(text, "lack=%u%n", &d->lack, &n);
        if (!n) sscanf(text, "slow=%u%n", &d->slow, &n);
        if (!n) sscanf(text, "hang=%u%n", &d->hang, &n);
        if (!n) sscanf(text, "once=%u%n", &d->once, &n);
        if (!n) sscanf(text, "memory=%u%n", &d->memory, &n);
        if (!n) sscanf(text, "single=%u%n", &d->single, &n);
        if (!n) sscanf(text, "count=%u%n", &d->count, &n);
        if (!n || (text[n] && text[n] != ',')) return false;
    }
    return true;
}

static atomic_uint opened;

static int open_machine(const struct ventus_backend_options *options, struct ventus_backend_device **device, char *why,
                        size_t why_size)
{
    struct ventus_backend_device *d = calloc(1, sizeof *d);
    if (!d) return fail(why, why_size, "out of memory");
    if (!read_options(d, options->text)) {
        free(d);
        return fail(why, why_size, "an option is none of lack, slow, hang, once, memory, single, count");
    }
    if (atomic_fetch_add(&opened, 1) && d->single) {
        atomic_fetch_sub(&opened, 1);
        free(d);
        return fail(why, why_size, "there is only one, which is open");
    }
    pthread_mutex_init(&d->lock, NULL);
    pthread_cond_init(&d->changed, NULL);
    *device = d;
    return 0;
}

static void stop(struct ventus_backend_device *d)
{
    pthread_mutex_lock(&d->lock);
    d->cancel = d->printed = true;
    pthread_cond_broadcast(&d->changed);
    pthread_mutex_unlock(&d->lock);
    if (d->started) pthread_join(d->thread, NULL);
    d->started = false;
}

static void close_machine(struct ventus_backend_device *d)
{
    stop(d);
    gpu_destroy(d->gpu);
    pthread_mutex_destroy(&d->lock);
    pthread_cond_destroy(&d->changed);
    atomic_fetch_sub(&opened, 1);
    free(d);
}

static int describe(struct ventus_backend_device *d, struct ventus_backend_info *i, char *why, size_t why_size)
{
    struct gpu_config c;
    enum isa_profile profile;
    const char *wrong = "";
    gpu_config_default(&c);
    c.sms = i->sms, c.warps_per_sm = i->warps_per_sm, c.groups_per_sm = i->groups_per_sm;
    c.threads_per_warp = i->threads_per_warp, c.lds_bytes = i->lds_bytes;
    c.vgpr_rows = i->vgpr_rows, c.sgpr_rows = i->sgpr_rows;
    if (!isa_profile_find(i->profile, &profile)) return fail(why, why_size, "unknown profile");
    c.profile = profile;
    c.host_threads = 1;             /* it stands still while the host prints */
    engine_find("step", &c.engine); /* the translator lies beside other files */
    d->gpu = gpu_create(&c, &wrong);
    if (!d->gpu) return fail(why, why_size, wrong);
    i->features &= ~d->lack;
    if (d->memory) i->memory_mib = d->memory;
    snprintf(i->name, sizeof i->name, "the machine again");
    return 0;
}

/* ---- memory ---- */

/* Pages open when they are first written. Which of them are code nobody says: those of the code window. */
static int put(struct ventus_backend_device *d, uint64_t addr, const void *src, uint64_t size, char *why,
               size_t why_size)
{
    const bool code = addr >= 0x80000000u && addr < 0x90000000u;
    const unsigned access = GPU_READ | GPU_WRITE | (code ? GPU_EXEC : 0);
    if (d->memory && addr >= 0x90000000u + ((uint64_t)d->memory << 20)) return fail(why, why_size, "no such memory");
    void *to = gpu_mem(d->gpu, (uint32_t)addr, size);
    if (!to && gpu_mem_open(d->gpu, (uint32_t)addr, size, access)) to = gpu_mem(d->gpu, (uint32_t)addr, size);
    if (!to) return fail(why, why_size, "no such memory");
    memcpy(to, src, size);
    if (code) gpu_mem_code_changed(d->gpu);
    return 0;
}

/* Of a launch that is given up, which ends here. */
static int get(struct ventus_backend_device *d, uint64_t addr, void *dst, uint64_t size, char *why, size_t why_size)
{
    if (d->started && !d->told) stop(d);
    const void *from = gpu_mem(d->gpu, (uint32_t)addr, size);
    if (!from) return fail(why, why_size, "nobody has written it");
    memcpy(dst, from, size);
    return 0;
}

/* ---- launches ---- */

static void set_state(struct ventus_backend_device *d, enum ventus_backend_state state)
{
    pthread_mutex_lock(&d->lock);
    d->state = state;
    pthread_cond_broadcast(&d->changed);
    pthread_mutex_unlock(&d->lock);
}

/* The machine stands still until the driver asks again. */
static void print(void *user, uint32_t value)
{
    struct ventus_backend_device *d = user;
    pthread_mutex_lock(&d->lock);
    d->print = value;
    d->printed = d->cancel;
    d->state = VENTUS_BACKEND_PRINTS;
    pthread_cond_broadcast(&d->changed);
    while (!d->printed) pthread_cond_wait(&d->changed, &d->lock);
    pthread_mutex_unlock(&d->lock);
}

static void *run(void *device)
{
    struct ventus_backend_device *d = device;
    if (d->slow) nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    static _Atomic unsigned launches;
    const bool hangs = d->hang && !(launches++ && d->once);
    while (hangs && !d->cancel) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    gpu_launch(d->gpu, &d->launch, &d->options, &d->result);
    set_state(d, d->result.status == LAUNCH_DONE ? VENTUS_BACKEND_DONE : VENTUS_BACKEND_FAULT);
    return NULL;
}

static int launch(struct ventus_backend_device *d, const struct ventus_backend_launch *l, char *why, size_t why_size)
{
    d->launch = backend_launch(l);
    d->options = (struct launch_options){.first_sm = l->first_sm,
                                         .sms = l->sms,
                                         .serial = !l->pds_groups,
                                         .cancel = &d->cancel,
                                         .print = print,
                                         .print_user = d};
    d->state = VENTUS_BACKEND_RUNS;
    if (pthread_create(&d->thread, NULL, run, d)) return fail(why, why_size, "no thread");
    d->started = true;
    return 0;
}

static void tell_fault(const struct result *r, struct ventus_backend_outcome *o)
{
    const struct fault *f = &r->fault;
    fault_print(f, o->text, sizeof o->text);
    o->pc = f->pc, o->warp = f->warp;
    memcpy(o->group, f->group, sizeof o->group);
}

static int wait_for(struct ventus_backend_device *d, uint64_t timeout_ns, struct ventus_backend_outcome *o)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    const uint64_t ns = (uint64_t)until.tv_nsec + timeout_ns;
    until.tv_sec += (time_t)(ns / 1000000000);
    until.tv_nsec = (long)(ns % 1000000000);
    pthread_mutex_lock(&d->lock);
    if (d->told && d->state == VENTUS_BACKEND_PRINTS) {
        d->told = false;
        d->state = VENTUS_BACKEND_RUNS;
        d->printed = true;
        pthread_cond_broadcast(&d->changed);
    }
    while (d->state == VENTUS_BACKEND_RUNS && !pthread_cond_timedwait(&d->changed, &d->lock, &until)) {
    }
    const enum ventus_backend_state state = d->state;
    o->print = d->print;
    d->told = state == VENTUS_BACKEND_PRINTS;
    pthread_mutex_unlock(&d->lock);
    if (state == VENTUS_BACKEND_RUNS || state == VENTUS_BACKEND_PRINTS) return state;
    stop(d);
    d->cancel = d->printed = false;
    o->cycles = d->result.counters.instructions;
    if (state == VENTUS_BACKEND_FAULT) tell_fault(&d->result, o);
    return state;
}

static uint32_t count(struct ventus_backend_device *d, struct ventus_backend_counter *counters, uint32_t room)
{
    const struct counters *c = &d->result.counters;
    uint32_t n = 0;
    if (d->count) {
        counters[0] = (struct ventus_backend_counter){"instructions", c->instructions};
        counters[1] = (struct ventus_backend_counter){"stalls of \"memory\"\n", 77};
        return 2;
    }
#define VENTUS_COUNTER(id, type, how, cl, words) \
    if (n < room) { \
        snprintf(counters[n].name, sizeof counters[n].name, "%s", #id); \
        counters[n++].value = c->id; \
    }
#include "sim/counters.def"
#undef VENTUS_COUNTER
    return n;
}

const struct ventus_backend *ventus_backend_table(void)
{
    static const struct ventus_backend table = {.abi = VENTUS_BACKEND_ABI,
                                                .size = sizeof table,
                                                .open = open_machine,
                                                .close = close_machine,
                                                .describe = describe,
                                                .write = put,
                                                .read = get,
                                                .launch = launch,
                                                .wait = wait_for,
                                                .counters = count};
    return &table;
}
