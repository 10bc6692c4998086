/* Dispatch: work-groups one after another, their warps in turn, until all have ended.
 *
 * Warps go round robin: each runs until a barrier, its end, or the quantum. A warp that has ended
 * counts as arrived at every barrier. Everything a fault may jump over lives in struct gpu, and
 * gpu_launch alone puts the host's floating-point environment and signal stack back. */
#include <fenv.h>
#include <stdlib.h>
#include <string.h>

#include "sim/machine.h"

/* ---- checks and resources ---- */

static const char *check(const struct gpu_config *c, const struct launch *l)
{
    uint64_t lanes = (uint64_t)l->warps * l->threads_per_warp;
    if (!l->groups[0] || !l->groups[1] || !l->groups[2]) return "a dimension without work-groups";
    if (l->threads_per_warp < 1 || l->threads_per_warp > ISA_LANES) return "threads per warp must be 1 to 32";
    if (l->warps < 1 || l->warps > c->warps_per_sm) return "more warps than an SM holds";
    if (l->work_items < 1 || l->work_items > lanes || l->work_items <= lanes - l->threads_per_warp)
        return "work-items do not fit the warps";
    if (l->vgprs > ISA_VREGS || l->sgprs > ISA_XREGS) return "more registers than the architecture has";
    if ((uint64_t)l->warps * l->vgprs > c->vgpr_rows) return "more vector registers than an SM has";
    if ((uint64_t)l->warps * l->sgprs > c->sgpr_rows) return "more scalar registers than an SM has";
    if (l->lds_bytes > c->lds_bytes) return "more local memory than an SM has";
    return NULL;
}

/* Opens exactly the launch's local memory. */
static bool open_local(struct gpu *gpu, uint32_t bytes)
{
    uint64_t have = gpu->lds_open, want = ((uint64_t)bytes + ABI_PAGE - 1) / ABI_PAGE * ABI_PAGE;
    if (have > want) gpu_mem_close(gpu, (uint32_t)(ABI_LOCAL_BASE + want), have - want);
    gpu->lds_open = have > want ? want : have;
    if (have < want) {
        if (!gpu_mem_open(gpu, (uint32_t)(ABI_LOCAL_BASE + have), want - have, GPU_READ | GPU_WRITE)) return false;
        gpu->lds_open = want;
    }
    return true;
}

static bool size_registers(struct gpu *gpu, size_t rows)
{
    if (rows == 0) rows = 1;
    if (rows <= gpu->nrows) return true;
    free(gpu->rows);
    gpu->rows = aligned_alloc(64, rows * sizeof *gpu->rows);
    gpu->nrows = gpu->rows ? rows : 0;
    return gpu->rows != NULL;
}

static const char *prepare(struct gpu *gpu, const struct launch *l)
{
    const char *why = check(&gpu->config, l);
    if (why) return why;
    if (!open_local(gpu, l->lds_bytes)) return "no host memory for local memory";
    if (!size_registers(gpu, (size_t)l->warps * l->vgprs)) return "no host memory for registers";
    return NULL;
}

/* ---- one work-group ---- */

static void start_warp(struct gpu *gpu, uint32_t wid)
{
    const struct launch *l = &gpu->launch;
    struct warp *w = &gpu->warps[wid];
    uint32_t left = l->work_items - wid * l->threads_per_warp;
    uint32_t n = left < l->threads_per_warp ? left : l->threads_per_warp;
    *w = (struct warp){
        .v = gpu->rows + (size_t)wid * l->vgprs,
        .pc = l->start_pc,
        .lanes = n == 32 ? ~0u : (1u << n) - 1,
        .vl = l->threads_per_warp,
        .vtype = 2 << 3, /* e32, m1 */
        .wid = wid,
        .tid = wid * l->threads_per_warp,
    };
    warp_set_mask(w, w->lanes);
}

static void start_group(struct gpu *gpu)
{
    const struct launch *l = &gpu->launch;
    memset(gpu->rows, 0, (size_t)l->warps * l->vgprs * sizeof *gpu->rows);
    memset(gpu->mem + ABI_LOCAL_BASE, 0, gpu->lds_open);
    gpu->reservations = 0;
    for (uint32_t i = 0; i < l->warps; i++) start_warp(gpu, i);
    gpu->counters.groups++;
    gpu->counters.warps += l->warps;
}

static bool cancelled(const struct gpu *gpu) { return gpu->cancel && *gpu->cancel; }

/* All warps that have not ended wait: the barrier is passed. */
static void release_barrier(struct gpu *gpu)
{
    for (uint32_t i = 0; i < gpu->launch.warps; i++)
        if (gpu->warps[i].state == WARP_WAITING) gpu->warps[i].state = WARP_READY;
}

static enum launch_status run_group(struct gpu *gpu, step_fn *step)
{
    for (;;) {
        uint32_t ended = 0, ready = 0;
        for (uint32_t i = 0; i < gpu->launch.warps; i++) {
            struct warp *w = gpu->warp = &gpu->warps[i];
            if (w->state == WARP_READY) {
                if (step(gpu, w, gpu->config.quantum) == STOP_FAULT) return LAUNCH_FAULT;
                if (cancelled(gpu)) return LAUNCH_CANCELLED;
            }
            ended += w->state == WARP_ENDED;
            ready += w->state == WARP_READY;
        }
        if (ended == gpu->launch.warps) return LAUNCH_DONE;
        if (!ready) release_barrier(gpu);
    }
}

/* ---- the launch ---- */

static enum launch_status run_groups(struct gpu *gpu)
{
    step_fn *step = gpu->engine ? gpu->engine : step_choose(gpu->trace != NULL);
    const uint32_t *n = gpu->launch.groups;
    gpu->wgid = 0;
    for (gpu->group[2] = 0; gpu->group[2] < n[2]; gpu->group[2]++)
        for (gpu->group[1] = 0; gpu->group[1] < n[1]; gpu->group[1]++)
            for (gpu->group[0] = 0; gpu->group[0] < n[0]; gpu->group[0]++, gpu->wgid++) {
                start_group(gpu);
                enum launch_status status = run_group(gpu, step);
                if (status != LAUNCH_DONE) return status;
            }
    return LAUNCH_DONE;
}

/* Runs under the protection of the signal handler. */
static enum launch_status run_guarded(struct gpu *gpu)
{
    enum launch_status status;
    if (sigsetjmp(gpu->jump, 1) == 0) {
        gpu->guarded = 1;
        status = run_groups(gpu);
    } else {
        fault_access(gpu, gpu->warp);
        status = LAUNCH_FAULT;
    }
    gpu->guarded = 0;
    return status;
}

step_fn *step_choose(bool traced)
{
#ifdef STEP_V3
    if (!traced && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("bmi2"))
        return step_v3;
#endif
    return traced ? step_base_traced : step_base;
}

void gpu_launch(struct gpu *gpu, const struct launch *launch, const struct launch_options *options, struct result *result)
{
    const char *why = prepare(gpu, launch);
    fenv_t host;
    stack_t stack;
    gpu->launch = *launch;
    gpu->counters = (struct counters){0};
    gpu->fault = (struct fault){.lane = ISA_LANES};
    gpu->trace = options && options->trace && options->trace->after ? options->trace : NULL;
    gpu->order = options ? options->order : PATH_FEWER_FIRST;
    gpu->cancel = options ? options->cancel : NULL;
    *result = (struct result){.status = LAUNCH_FAULT};
    if (!why && !recover_enter(gpu, &stack)) why = "the fault handler cannot be installed";
    if (why) {
        gpu->fault.kind = FAULT_LAUNCH;
        snprintf(gpu->fault.detail, sizeof gpu->fault.detail, "%s", why);
    } else {
        fegetenv(&host);
        fesetenv(FE_DFL_ENV);
        result->status = run_guarded(gpu);
        recover_leave(&stack);
        fesetenv(&host);
    }
    result->fault = gpu->fault;
    result->counters = gpu->counters;
}
