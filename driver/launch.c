/* Running a kernel: from sizes and arguments to the machine's launch, and from its result to a message.
 *
 * One allocation holds metadata, arguments and print buffer, another the private memory; both are gone
 * when ventus_run returns, whatever happened. `running` is held all the time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/driver.h"

enum {
    BLOCK_ARGS = 128,       /* arguments lie behind the metadata, aligned for the largest vector */
    PRINT_BYTES = 1 << 20,  /* what CL_DEVICE_PRINTF_BUFFER_SIZE says */
    START_SGPRS = 12,       /* the start code itself uses x0 to x10 */
};

/* Everything about one run that has to be undone. */
struct run {
    ventus_device *device;
    const struct ventus_launch *in;
    struct launch launch;
    uint32_t block, pds;             /* device addresses, 0: not allocated */
    uint32_t args_at, print_at, print_size;
};

static uint32_t round_up(uint32_t n, uint32_t unit) { return (n + unit - 1) / unit * unit; }

/* ---- sizes ---- */

static uint32_t at_most(uint32_t have, uint32_t rows, uint32_t each) { return each && rows / each < have ? rows / each : have; }

static uint32_t sgprs_of(const struct ventus_kernel *k) { return k->sgprs < START_SGPRS ? START_SGPRS : k->sgprs; }

uint32_t ventus_max_group(const ventus_device *device, const struct ventus_kernel *kernel)
{
    if (!device || !kernel) return 0;
    const struct gpu_config *c = ventus_config(device);
    if (kernel->lds_bytes > c->lds_bytes) return 0;
    uint32_t warps = at_most(c->warps_per_sm, c->vgpr_rows, kernel->vgprs);
    warps = at_most(warps, c->sgpr_rows, sgprs_of(kernel));
    warps = at_most(warps, c->lds_bytes - kernel->lds_bytes, ABI_WARP_STACK);
    return warps * c->threads_per_warp;
}

/* Work-groups per dimension and work-items of a group; false when the sizes do not fit together. */
static bool set_range(struct run *r)
{
    const struct ventus_range *range = &r->in->range;
    const struct ventus_kernel *k = r->in->kernel;
    uint32_t most = ventus_max_group(r->device, k), threads = ventus_config(r->device)->threads_per_warp;
    uint64_t items = 1;
    if (range->work_dim < 1 || range->work_dim > 3) return false;
    for (int d = 0; d < 3; d++) {
        uint32_t global = range->global[d], local = range->local[d];
        if (!global || !local || global % local) return false;
        if (k->reqd[d] && k->reqd[d] != local) return false;
        r->launch.groups[d] = global / local;
        items *= local;
        if (items > most) return false;
    }
    r->launch.work_items = (uint32_t)items;
    r->launch.threads_per_warp = threads;
    r->launch.warps = ((uint32_t)items + threads - 1) / threads;
    return true;
}

/* Places __local arguments behind the static local memory and writes their offsets into `args`. */
static bool set_local(struct run *r, uint8_t *args)
{
    const struct ventus_kernel *k = r->in->kernel;
    uint64_t end = k->lds_bytes, limit = ventus_config(r->device)->lds_bytes - (uint64_t)r->launch.warps * ABI_WARP_STACK;
    for (uint32_t i = 0; i < k->nargs; i++) {
        const struct ventus_arg *a = &k->args[i];
        if (a->kind != ARG_LOCAL) continue;
        uint64_t size = r->in->local_sizes ? r->in->local_sizes[i] : 0;
        end = (end + a->align - 1) & ~(uint64_t)(a->align - 1);
        if (end > limit || size > limit - end) return false;
        uint32_t offset = (uint32_t)end;
        memcpy(args + a->offset, &offset, sizeof offset);
        end += size;
    }
    if (end > limit) return false;
    r->launch.lds_bytes = r->launch.warps * ABI_WARP_STACK + (uint32_t)end;
    return true;
}

/* ---- device blocks ---- */

static enum ventus_status allocate(struct run *r)
{
    const struct ventus_kernel *k = r->in->kernel;
    uint64_t private_bytes = (uint64_t)((k->pds_bytes + 3) & ~3u) * r->launch.warps * r->launch.threads_per_warp;
    r->args_at = BLOCK_ARGS;
    r->print_at = round_up(BLOCK_ARGS + k->args_size, BLOCK_ARGS);
    r->print_size = r->in->module->nformats ? PRINT_BYTES : 0;
    enum ventus_status status = ventus_alloc(r->device, r->print_at + r->print_size, &r->block);
    if (status == VENTUS_OK && private_bytes) status = ventus_alloc(r->device, private_bytes, &r->pds);
    return status;
}

static void release(struct run *r)
{
    if (r->block) ventus_free(r->device, r->block);
    if (r->pds) ventus_free(r->device, r->pds);
}

static void fill_metadata(const struct run *r, uint8_t *block)
{
    const struct ventus_range *range = &r->in->range;
    const struct ventus_kernel *k = r->in->kernel;
    uint32_t meta[ABI_META_SIZE / 4] = {0};
    meta[ABI_META_ENTRY / 4] = k->entry;
    meta[ABI_META_ARGS / 4] = k->args_size ? r->block + r->args_at : 0;
    meta[ABI_META_WORK_DIM / 4] = range->work_dim;
    memcpy(meta + ABI_META_GLOBAL_SIZE / 4, range->global, sizeof range->global);
    memcpy(meta + ABI_META_LOCAL_SIZE / 4, range->local, sizeof range->local);
    memcpy(meta + ABI_META_GLOBAL_OFFSET / 4, range->offset, sizeof range->offset);
    meta[ABI_META_PRINT_ADDR / 4] = r->print_size ? r->block + r->print_at : 0;
    meta[ABI_META_PRINT_SIZE / 4] = r->print_size;
    memcpy(block, meta, sizeof meta);
}

/* Writes metadata, arguments and the print buffer's counter. */
static enum ventus_status fill(struct run *r, const uint8_t *args)
{
    uint8_t *block = ventus_map(r->device, r->block, r->print_at + r->print_size);
    const uint32_t used = ABI_PRINT_HEADER;
    if (!block) return VENTUS_NO_MEMORY;
    fill_metadata(r, block);
    if (r->in->kernel->args_size) memcpy(block + r->args_at, args, r->in->kernel->args_size);
    if (r->print_size) memcpy(block + r->print_at, &used, sizeof used);
    return VENTUS_OK;
}

static enum ventus_status prepare(struct run *r, uint8_t *args)
{
    const struct ventus_kernel *k = r->in->kernel;
    if (!set_range(r) || !set_local(r, args)) return VENTUS_BAD_LAUNCH;
    enum ventus_status status = module_place(r->device, r->in->module);
    if (status == VENTUS_OK) status = allocate(r);
    if (status == VENTUS_OK) status = fill(r, args);
    r->launch.start_pc = r->in->module->entry;
    r->launch.knl = r->block;
    r->launch.vgprs = k->vgprs;
    r->launch.sgprs = sgprs_of(k);
    r->launch.pds_base = r->pds;
    r->launch.pds_bytes = k->pds_bytes;
    return status;
}

/* ---- the message ---- */

/* The global id of a lane. */
static void work_item(const struct ventus_range *range, const struct fault *f, uint32_t threads, uint32_t id[3])
{
    uint32_t linear = f->warp * threads + f->lane;
    const uint32_t *local = range->local;
    const uint32_t in_group[3] = {linear % local[0], linear / local[0] % local[1], linear / local[0] / local[1]};
    for (int d = 0; d < 3; d++) id[d] = range->offset[d] + f->group[d] * local[d] + in_group[d];
}

static void describe(const struct ventus_launch *in, const struct fault *f, uint32_t threads, char *message, size_t size)
{
    char where[64] = "", who[64] = "", what[320];
    uint32_t line = ventus_module_line(in->module, f->pc), id[3];
    if (f->kind == FAULT_LAUNCH || f->kind == FAULT_FETCH) line = 0;
    if (line) snprintf(where, sizeof where, " at line %u", (unsigned)line);
    if (f->lane < ISA_LANES) {
        work_item(&in->range, f, threads, id);
        snprintf(who, sizeof who, ", work-item (%u,%u,%u)", (unsigned)id[0], (unsigned)id[1], (unsigned)id[2]);
    }
    fault_print(f, what, sizeof what);
    snprintf(message, size, "kernel %s failed%s%s: %s", in->kernel->name, where, who, what);
}

/* ---- the run ---- */

static void print_output(const struct run *r)
{
    if (!r->print_size || !r->block) return;
    const uint8_t *buffer = ventus_map(r->device, r->block + r->print_at, r->print_size);
    if (buffer) print_records(r->in->module, buffer, r->print_size, r->in->print ? r->in->print : stdout);
}

static enum ventus_status run_prepared(struct run *r, struct result *result, char *message, size_t size)
{
    gpu_launch(r->device->gpu, &r->launch, &r->in->options, result);
    print_output(r);
    if (result->status == LAUNCH_DONE) return VENTUS_OK;
    if (result->status == LAUNCH_CANCELLED) return VENTUS_CANCELLED;
    if (message) describe(r->in, &result->fault, r->launch.threads_per_warp, message, size);
    return result->fault.kind == FAULT_LAUNCH ? VENTUS_BAD_LAUNCH : VENTUS_FAULT;
}

enum ventus_status ventus_run(ventus_device *device, const struct ventus_launch *launch, struct result *result,
                              char *message, size_t message_size)
{
    if (message && message_size) *message = 0;
    else message = NULL;
    if (!device || !launch || !launch->module || !launch->kernel || !result) return VENTUS_BAD_ARGUMENT;
    uint32_t size = launch->kernel->args_size;
    if (size && !launch->args) return VENTUS_BAD_ARGUMENT;
    uint8_t *args = malloc(size ? size : 1);
    if (!args) return VENTUS_NO_MEMORY;
    if (size) memcpy(args, launch->args, size);

    struct run r = {.device = device, .in = launch};
    mtx_lock(&device->running);
    enum ventus_status status = prepare(&r, args);
    if (status == VENTUS_OK) status = run_prepared(&r, result, message, message_size);
    release(&r);
    mtx_unlock(&device->running);
    free(args);
    if (message && !*message && status != VENTUS_OK)
        snprintf(message, message_size, "kernel %s: %s", launch->kernel->name, ventus_status_text(status));
    return status;
}
