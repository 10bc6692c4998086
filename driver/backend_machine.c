/* Our machine as a device. A launch runs on a thread of its own, so that the device's other functions return
 * meanwhile. */
#include "driver/backend_machine.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "host/host.h"
#include "isa/abi.h"
#include "isa/isa.h"

/* ---- what it is ---- */

struct ventus_backend_info backend_question(const struct gpu_config *c)
{
    struct ventus_backend_info i;
    memset(&i, 0, sizeof i); /* questions are compared */
    i.size = sizeof i;
    i.features = VENTUS_BACKEND_FEATURES;
    i.sms = c->sms, i.warps_per_sm = c->warps_per_sm, i.groups_per_sm = c->groups_per_sm;
    i.threads_per_warp = c->threads_per_warp, i.lds_bytes = c->lds_bytes, i.clock_mhz = c->clock_mhz;
    i.vgpr_rows = c->vgpr_rows, i.sgpr_rows = c->sgpr_rows;
    snprintf(i.profile, sizeof i.profile, "%s", isa_profile_name((enum isa_profile)c->profile));
    i.memory_mib = (0x100000000 - ABI_HEAP_BASE) >> 20;
    return i;
}

bool backend_adopt(struct gpu_config *c, const struct ventus_backend_info *i)
{
    enum isa_profile profile;
    if (!isa_profile_find(i->profile, &profile)) return false;
    c->sms = i->sms, c->warps_per_sm = i->warps_per_sm, c->groups_per_sm = i->groups_per_sm;
    c->threads_per_warp = i->threads_per_warp, c->lds_bytes = i->lds_bytes, c->clock_mhz = i->clock_mhz;
    c->vgpr_rows = i->vgpr_rows, c->sgpr_rows = i->sgpr_rows, c->profile = profile;
    return true;
}

static int fail(char *why, size_t why_size, const char *text)
{
    snprintf(why, why_size, "%s", text);
    return 1;
}

/* ---- beginning and end ---- */

void backend_machine_init(struct ventus_backend_device *d, struct gpu *gpu)
{
    d->gpu = gpu;
    pthread_mutex_init(&d->lock, NULL);
    pthread_cond_init(&d->changed, NULL);
}

static void end_launch(struct ventus_backend_device *d)
{
    pthread_mutex_lock(&d->lock);
    d->cancel = d->printed = true;
    pthread_cond_broadcast(&d->changed);
    pthread_mutex_unlock(&d->lock);
    if (d->started) pthread_join(d->thread, NULL);
    d->started = d->printed = d->told = false;
    d->cancel = false;
}

void backend_machine_end(struct ventus_backend_device *d)
{
    end_launch(d);
    pthread_mutex_destroy(&d->lock);
    pthread_cond_destroy(&d->changed);
}

/* ---- memory ---- */

static bool is_code(uint64_t addr) { return addr - ABI_CODE_BASE < ABI_CODE_LIMIT - ABI_CODE_BASE; }

static bool is_writable(const struct gpu *gpu, uint64_t addr, uint64_t end)
{
    for (uint64_t page = addr & ~(uint64_t)(ABI_PAGE - 1); page < end; page += ABI_PAGE)
        if (gpu_mem_writable(gpu, page) != page) return false;
    return true;
}

/* Any address: with SV39 memory lies where that of the SMs does without. */
static void *open_memory(struct gpu *gpu, uint64_t addr, uint64_t size)
{
    const unsigned access = GPU_READ | GPU_WRITE | (is_code(addr) ? GPU_EXEC : 0);
    if (addr > UINT32_MAX || size > (uint64_t)UINT32_MAX + 1 - addr) return NULL;
    if (!is_writable(gpu, addr, addr + size) && !gpu_mem_open(gpu, (uint32_t)addr, size, access)) return NULL;
    return gpu_mem(gpu, (uint32_t)addr, size);
}

/* While a launch stands still to print its memory is the host's, too. */
int backend_machine_write(struct ventus_backend_device *d, uint64_t addr, const void *src, uint64_t size, char *why,
                          size_t why_size)
{
    if (d->started && !d->told) return fail(why, why_size, "a launch runs");
    void *to = open_memory(d->gpu, addr, size);
    if (!to) return fail(why, why_size, "no such memory");
    memcpy(to, src, size);
    if (is_code(addr)) gpu_mem_code_changed(d->gpu);
    return 0;
}

/* Who reads while a launch runs has given it up. */
int backend_machine_read(struct ventus_backend_device *d, uint64_t addr, void *dst, uint64_t size, char *why,
                         size_t why_size)
{
    if (d->started && !d->told) end_launch(d);
    const void *from = addr <= UINT32_MAX ? gpu_mem(d->gpu, (uint32_t)addr, size) : NULL;
    if (!from) return fail(why, why_size, "nobody has written it");
    memcpy(dst, from, size);
    return 0;
}

/* ---- launches ---- */

/* The way back from backend.c's launch_of. */
static struct launch launch_of(const struct ventus_backend_launch *l)
{
    return (struct launch){.start_pc = l->start,
                           .knl = l->metadata,
                           .groups = {l->groups[0], l->groups[1], l->groups[2]},
                           .warps = l->warps,
                           .threads_per_warp = l->threads_per_warp,
                           .work_items = l->work_items,
                           .last_items = l->last_items,
                           .last_of = l->last_of,
                           .sgprs = l->sgprs,
                           .vgprs = l->vgprs,
                           .lds_bytes = l->lds_bytes,
                           .pds_base = l->pds_base,
                           .pds_bytes = l->pds_bytes,
                           .pds_groups = l->pds_groups,
                           .csr_gds = l->csr_gds,
                           .gds_base = ABI_CODE_BASE,
                           .gds_limit = UINT32_MAX,
                           .lds_base = ABI_LOCAL_BASE,
                           .lds_limit = ABI_LOCAL_LIMIT - 1,
                           .sv39 = l->page_table != 0,
                           .page_table = l->page_table};
}

/* The machine stands still until the host has printed and asks again, which a debugger of the host may delay. */
static void print(void *user, uint32_t value)
{
    struct ventus_backend_device *d = user;
    if (d->rests) d->rests(d, true);
    pthread_mutex_lock(&d->lock);
    d->print = value;
    d->printed = d->cancel;
    d->state = VENTUS_BACKEND_PRINTS;
    pthread_cond_broadcast(&d->changed);
    while (!d->printed) pthread_cond_wait(&d->changed, &d->lock);
    pthread_mutex_unlock(&d->lock);
    if (d->rests) d->rests(d, false);
}

static void *run(void *user)
{
    struct ventus_backend_device *d = user;
    gpu_launch(d->gpu, &d->launch, &d->options, &d->result);
    pthread_mutex_lock(&d->lock);
    d->state = d->result.status == LAUNCH_DONE ? VENTUS_BACKEND_DONE : VENTUS_BACKEND_FAULT;
    pthread_cond_broadcast(&d->changed);
    pthread_mutex_unlock(&d->lock);
    return NULL;
}

int backend_machine_launch(struct ventus_backend_device *d, const struct ventus_backend_launch *l, char *why,
                           size_t why_size)
{
    if (d->started) return fail(why, why_size, "a launch runs already");
    snprintf(d->kernel, sizeof d->kernel, "%s", l->kernel);
    d->launch = launch_of(l);
    d->options = (struct launch_options){.info = d->info,
                                         .kernel = d->kernel,
                                         .first_sm = l->first_sm,
                                         .sms = l->sms,
                                         .serial = !l->pds_groups,
                                         .cancel = &d->cancel,
                                         .print = print,
                                         .print_user = d};
    d->state = VENTUS_BACKEND_RUNS;
    d->told = false;
    d->cancel = false;
    d->started = host_thread(&d->thread, run, d);
    return d->started ? 0 : fail(why, why_size, "no thread");
}

/* What the machine has come to after some time, without the launch's end. */
static enum ventus_backend_state look(struct ventus_backend_device *d, uint64_t timeout_ns)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    const uint64_t ns = (uint64_t)until.tv_nsec + (timeout_ns < 1000000000 ? timeout_ns : 1000000000);
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
    d->told = state == VENTUS_BACKEND_PRINTS;
    pthread_mutex_unlock(&d->lock);
    return state;
}

int backend_machine_wait(struct ventus_backend_device *d, uint64_t timeout_ns, struct ventus_backend_outcome *o)
{
    const struct fault *f = &d->result.fault;
    if (!d->started) return VENTUS_BACKEND_FAILED;
    const enum ventus_backend_state state = look(d, timeout_ns);
    o->print = d->print;
    if (state == VENTUS_BACKEND_RUNS || state == VENTUS_BACKEND_PRINTS) return state;
    end_launch(d);
    if (d->result.status == LAUNCH_FAULT) fault_print(f, o->text, sizeof o->text);
    else if (state == VENTUS_BACKEND_FAULT) snprintf(o->text, sizeof o->text, "stopped by the debugger");
    o->pc = f->pc, o->warp = f->warp;
    memcpy(o->group, f->group, sizeof o->group);
    return state;
}

uint32_t backend_machine_counters(struct ventus_backend_device *d, struct ventus_backend_counter *list, uint32_t room)
{
    const struct counters *c = &d->result.counters;
    uint32_t n = 0;
    if (d->started) return 0;
#define VENTUS_COUNTER(id, type, how, cl, words) \
    if (n < room) { \
        snprintf(list[n].name, sizeof list[n].name, "%s", #id); \
        list[n++].value = c->id; \
    }
#include "sim/counters.def"
#undef VENTUS_COUNTER
    return n;
}
