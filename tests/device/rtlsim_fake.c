/* A library with the functions of the public RTL library, whose RTL is the device library that FAKE_MACHINE names. It
 * is as particular as that one: memory is up to date thousands of steps after the end, a waveform is closed that must
 * have been opened, code that has changed is not seen, and in older shapes a simulation takes one kernel only. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include HEADER
#include "ventus_backend.h"

enum { L2 = 4000, WAIT_NS = 1000000 };

struct ventus_rtlsim_t {
    const struct ventus_backend *table;
    struct ventus_backend_device *device;
    ventus_rtlsim_config_t config;
    ventus_rtlsim_step_result_t result;
    const ventus_kernel_metadata_t *kernel;
    ventus_rtlsim_done *done;
    uint64_t time, ended, kernels;
    bool running, stale;
#if SHAPE == 3
    ventus_rtlsim_pipeline_pmu_t pipeline;
    ventus_rtlsim_inst_class_pmu_t inst_class;
#endif
};

static char why[300];

#if SHAPE > 1
void ventus_rtlsim_get_default_config(ventus_rtlsim_config_t *c)
{
    memset(c, 0, sizeof *c);
    c->log.console.enable = c->log.file.enable = true;
    c->snapshot.enable = true;
}
#endif

ventus_rtlsim_t *ventus_rtlsim_init(const ventus_rtlsim_config_t *config)
{
    struct ventus_backend_info info = {.size = sizeof info,
                                       .sms = 1,
                                       .warps_per_sm = 8,
                                       .groups_per_sm = 8,
                                       .threads_per_warp = 16,
                                       .lds_bytes = 65536,
                                       .vgpr_rows = 1024,
                                       .sgpr_rows = 1024,
                                       .clock_mhz = 1,
                                       .profile = "default"};
    const struct ventus_backend_options options = {sizeof options,
                                                   getenv("FAKE_OPTIONS") ? getenv("FAKE_OPTIONS") : ""};
    const struct ventus_backend *(*get)(void);
    void *library = dlopen(getenv("FAKE_MACHINE"), RTLD_NOW | RTLD_LOCAL),
         *symbol = library ? dlsym(library, VENTUS_BACKEND_SYMBOL) : NULL;
    ventus_rtlsim_t *s = calloc(1, sizeof *s);
    memcpy(&get, &symbol, sizeof get);
    if (!config->pmem.auto_alloc) abort(); /* the adaptor allocates no pages */
    if (!symbol || getenv("FAKE_NOTHING")) return free(s), NULL;
    s->table = get();
    s->config = *config;
    s->time = 10;
    if (s->table->open(&options, &s->device, why, sizeof why) || s->table->describe(s->device, &info, why, sizeof why))
        abort();
    return s;
}

void ventus_rtlsim_finish(ventus_rtlsim_t *s, bool rollback)
{
    FILE *snapshot = rollback && s->config.snapshot.enable ? fopen(s->config.snapshot.filename, "w") : NULL;
    if (snapshot) fprintf(snapshot, "once more\n"), fclose(snapshot);
    if (!s->config.waveform.enable) abort();
    FILE *f = fopen(s->config.waveform.filename, "w");
    if (!f) abort();
    fprintf(f, "from %llu to %llu\n", (unsigned long long)s->config.waveform.time_begin,
            (unsigned long long)s->config.waveform.time_end);
    fclose(f);
    s->table->close(s->device);
    free(s);
}

static void stop(ventus_rtlsim_t *s)
{
    s->running = false;
    s->ended = s->time;
    s->done(s->kernel);
}

const ventus_rtlsim_step_result_t *ventus_rtlsim_step(ventus_rtlsim_t *s)
{
    struct ventus_backend_outcome o = {.size = sizeof o};
    s->time++;
    if (!s->running) return &s->result;
    const int state = s->table->wait(s->device, WAIT_NS, &o);
    if (state == VENTUS_BACKEND_DONE) stop(s);
    else if (state != VENTUS_BACKEND_RUNS) s->result.error = true;
#if SHAPE == 3
    if (s->config.hang_timeout && s->running && s->time > s->config.hang_timeout) s->result.hang = true;
    if (state == VENTUS_BACKEND_DONE) s->pipeline.total_vector_issued += 100, s->pipeline.total_scalar_issued += 23;
#endif
    return &s->result;
}

uint64_t ventus_rtlsim_get_time(const ventus_rtlsim_t *s) { return s->time; }

bool ventus_rtlsim_is_idle(const ventus_rtlsim_t *s) { return !s->running; }

void ventus_rtlsim_add_kernel(ventus_rtlsim_t *s, const ventus_kernel_metadata_t *k, ventus_rtlsim_done *done)
{
    const struct ventus_backend_launch l = {
        .size = sizeof l,
        .start = (uint32_t)k->startaddr,
        .metadata = (uint32_t)k->metaDataBaseAddr,
        .groups = {(uint32_t)k->kernel_size[0], (uint32_t)k->kernel_size[1], (uint32_t)k->kernel_size[2]},
        .warps = (uint32_t)k->wg_size,
        .threads_per_warp = (uint32_t)k->wf_size,
        .work_items = (uint32_t)(k->wg_size * k->wf_size),
        .sgprs = (uint32_t)k->sgprUsage,
        .vgprs = (uint32_t)k->vgprUsage,
        .lds_bytes = (uint32_t)k->ldsSize,
        .pds_base = (uint32_t)k->pdsBaseAddr,
        .pds_bytes = (uint32_t)k->pdsSize,
        .pds_groups = 8,
        .kernel = ""};
    s->kernel = k;
    s->done = done;
    s->running = !s->table->launch(s->device, &l, why, sizeof why);
    if (!s->running || s->stale || (s->kernels++ && SHAPE != 3)) s->result.error = true;
#if SHAPE == 3
    if (k->num_thread_global[0] != k->num_thread_local[0] * k->kernel_size[0]) s->result.error = true;
#endif
}

bool ventus_rtlsim_pmemcpy_h2d(ventus_rtlsim_t *s, uint64_t dst, const void *src, uint64_t size)
{
    if (dst >= 0x80000000u && dst < 0x90000000u) s->stale = s->kernels;
    return !s->table->write(s->device, dst, src, size, why, sizeof why);
}

bool ventus_rtlsim_pmemcpy_d2h(ventus_rtlsim_t *s, void *dst, uint64_t src, uint64_t size)
{
    return s->time - s->ended >= L2 && !s->table->read(s->device, src, dst, size, why, sizeof why);
}

#if SHAPE == 3
int ventus_rtlsim_get_parameter(const char *name, uint32_t *value)
{
    static const struct {
        const char *name;
        uint32_t value;
    } all[] = {{"num_sm", 1}, {"num_warp", 8}, {"num_thread", 16}, {"num_block", 8}, {"sharemem_size", 65536}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(name, all[i].name)) return *value = all[i].value, 0;
    return -1;
}

void ventus_rtlsim_icache_invalidate(ventus_rtlsim_t *s) { s->stale = false; }

ventus_rtlsim_pmu_t ventus_rtlsim_get_pmu(const ventus_rtlsim_t *s)
{
    return (ventus_rtlsim_pmu_t){1, &s->pipeline, &s->inst_class};
}
#endif
