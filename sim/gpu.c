/* Creates and destroys a machine: its guest window, its tables and its SMs.
 *
 * This file reserves address space only; the host commits pages when they are touched. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "host/host.h"
#include "sim/layout.h"
#include "sim/machine.h"
#include "sim/workers.h"

static void *reserve(size_t size, int protection)
{
    void *p = mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static void release(void *p, size_t size)
{
    if (p) munmap(p, size);
}

/* The window between its guards: at a multiple of a large page, so that the host's addresses are where the guest's are.
 */
static uint8_t *reserve_window(void)
{
    const size_t bytes = MEM_SPAN + 2 * MEM_GUARD;
    uint8_t *p = reserve(bytes + GPU_LARGE_PAGE, PROT_NONE);
    if (!p) return NULL;
    const size_t front = -((uintptr_t)p + MEM_GUARD) % GPU_LARGE_PAGE;
    if (front) munmap(p, front);
    munmap(p + front + bytes, GPU_LARGE_PAGE - front);
    return p + front + MEM_GUARD;
}

static bool build_sm(struct gpu *gpu, uint32_t index)
{
    struct sm *sm = &gpu->sms[index];
    uint32_t n = gpu->config.groups_per_sm;
    *sm = (struct sm){.gpu = gpu, .mem = gpu->mem, .index = index, .slots = calloc(n, sizeof *sm->slots)};
    for (uint32_t i = 0; sm->slots && i < n; i++) sm->slots[i].lds_base = local_base(&gpu->config, index, i);
    return sm->slots != NULL;
}

static bool build_sms(struct gpu *gpu)
{
    gpu->sms = aligned_alloc(64, gpu->config.sms * sizeof *gpu->sms);
    if (!gpu->sms) return false;
    memset(gpu->sms, 0, gpu->config.sms * sizeof *gpu->sms);
    for (uint32_t i = 0; i < gpu->config.sms; i++)
        if (!build_sm(gpu, i)) return false;
    return true;
}

static void unbuild_sms(struct gpu *gpu)
{
    for (uint32_t i = 0; i < gpu->config.sms && gpu->sms; i++) {
        for (uint32_t k = 0; k < gpu->config.groups_per_sm && gpu->sms[i].slots; k++) {
            free(gpu->sms[i].slots[k].warps);
            free(gpu->sms[i].slots[k].rows);
            ray_forget(&gpu->sms[i].slots[k]);
        }
        free(gpu->sms[i].slots);
    }
    free(gpu->sms);
}

static bool build(struct gpu *gpu)
{
    gpu->mem = reserve_window();
    gpu->pages = reserve(PAGES, PROT_READ | PROT_WRITE);
    gpu->code = reserve(PAGES * sizeof *gpu->code, PROT_READ | PROT_WRITE);
    gpu->code_first = PAGES;
    gpu->rotation = rotation_new(gpu->config.sms, gpu->config.quantum);
    gpu->stacks = malloc((size_t)gpu_workers(&gpu->config) * RECOVER_STACK);
    gpu_schedule(gpu, NULL);
    return gpu->mem && gpu->pages && gpu->code && gpu->rotation && gpu->stacks && build_sms(gpu);
}

static void unbuild(struct gpu *gpu)
{
    engine_leave(gpu);
    if (gpu->code && gpu->sms) code_drop(gpu);
    if (gpu->mem) release(gpu->mem - MEM_GUARD, MEM_SPAN + 2 * MEM_GUARD);
    workers_free(gpu->workers);
    release(gpu->pages, PAGES);
    release(gpu->code, PAGES * sizeof *gpu->code);
    rotation_free(gpu->rotation);
    free(gpu->stacks);
    unbuild_sms(gpu);
    pthread_mutex_destroy(&gpu->code_lock);
    free(gpu);
}

struct gpu *gpu_create(const struct gpu_config *config, const char **error)
{
    const char *why = gpu_config_check(config);
    const struct engine *engine = config->engine;
    struct gpu *gpu = NULL;
    uint32_t threads = config->host_threads;
    if (!why && !engine) engine_of_environment(&engine);
    if (!why && !threads) threads_of_environment(&threads);
    if (why) goto fail;
    why = "out of memory";
    gpu = malloc(sizeof *gpu);
    if (!gpu) goto fail;
    *gpu = (struct gpu){.config = *config};
    gpu->config.host_threads = threads;
    if (pthread_mutex_init(&gpu->code_lock, NULL)) {
        free(gpu);
        gpu = NULL;
        goto fail;
    }
    why = "cannot reserve the 4 GiB guest window";
    if (!build(gpu)) goto fail;
    why = "out of memory for the engine";
    if (!engine_use(gpu, engine)) goto fail;
    return gpu;

fail:
    if (gpu) unbuild(gpu);
    if (error) *error = why;
    return NULL;
}

void gpu_destroy(struct gpu *gpu)
{
    if (!gpu) return;
    unbuild(gpu);
}

const struct gpu_config *gpu_config_of(const struct gpu *gpu) { return &gpu->config; }

void gpu_schedule(struct gpu *gpu, const struct scheduler *scheduler)
{
    gpu->scheduler = scheduler ? *scheduler : rotation_scheduler(gpu->rotation);
}
