/* The machine as a whole: reserves the guest window and its tables, and gives them back.
 *
 * Everything reserved here is address space only; the host commits pages as they are touched. */
#include <stdlib.h>
#include <sys/mman.h>

#include "sim/machine.h"

static void *reserve(size_t size, int protection)
{
    void *p = mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static void release(void *p, size_t size)
{
    if (p) munmap(p, size);
}

static bool build(struct gpu *gpu)
{
    uint8_t *window = reserve(MEM_SPAN + 2 * MEM_GUARD, PROT_NONE);
    if (window) gpu->mem = window + MEM_GUARD;
    gpu->pages = reserve(PAGES, PROT_READ | PROT_WRITE);
    gpu->code = reserve(PAGES * sizeof *gpu->code, PROT_READ | PROT_WRITE);
    gpu->warps = aligned_alloc(64, gpu->config.warps_per_sm * sizeof *gpu->warps);
    gpu->signal_stack = malloc(RECOVER_STACK);
    return gpu->mem && gpu->pages && gpu->code && gpu->warps && gpu->signal_stack;
}

static void unbuild(struct gpu *gpu)
{
    if (gpu->code) code_drop(gpu);
    if (gpu->mem) release(gpu->mem - MEM_GUARD, MEM_SPAN + 2 * MEM_GUARD);
    release(gpu->pages, PAGES);
    release(gpu->code, PAGES * sizeof *gpu->code);
    free(gpu->warps);
    free(gpu->rows);
    free(gpu->signal_stack);
    free(gpu);
}

struct gpu *gpu_create(const struct gpu_config *config, const char **error)
{
    const char *why = gpu_config_check(config);
    struct gpu *gpu = NULL;
    if (why) goto fail;
    why = "out of memory";
    gpu = aligned_alloc(64, sizeof *gpu);
    if (!gpu) goto fail;
    *gpu = (struct gpu){.config = *config};
    why = "cannot reserve the 4 GiB guest window";
    if (!build(gpu)) goto fail;
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
