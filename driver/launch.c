/* One launch: from sizes and arguments to the machine's launch, and from its result to a message.
 *
 * One allocation holds metadata, arguments and print buffer, another the private memory; both are gone when
 * the launch has ended, whatever happened. Called by queue.c. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/driver.h"
#include "quirks/quirks.h"

enum {
    BLOCK_ARGS = LAUNCH_ARGS, /* arguments lie behind the metadata, aligned for the largest vector */
    CHECK_GAP = 64,   /* bytes between __local arguments, with checks: so far beyond its end an access is found */
    START_SGPRS = 12, /* the start code itself uses x0 to x10 */
    PRIVATE_BYTES = 256 << 20, /* of one launch, for its memory; beyond, fewer groups are resident at a time */
};

static uint32_t round_up(uint32_t n, uint32_t unit) { return (n + unit - 1) / unit * unit; }

/* ---- sizes ---- */

static uint32_t at_most(uint32_t have, uint32_t rows, uint32_t each)
{
    return each && rows / each < have ? rows / each : have;
}

static uint32_t vgprs_of(const struct ventus_kernel *k) { return abi_registers(k->vgprs); }

static uint32_t sgprs_of(const struct ventus_kernel *k)
{
    return abi_registers(k->sgprs < START_SGPRS ? START_SGPRS : k->sgprs);
}

/* Lays the __local arguments out behind the static local memory, each `gap` bytes behind what is before it, and
 * writes their offsets into the argument buffer `args` unless that is NULL. The end, UINT64_MAX when there is none. */
static uint64_t lay_out_local(const struct ventus_kernel *k, const uint64_t *sizes, uint64_t gap, uint8_t *args)
{
    uint64_t end = k->lds_bytes;
    for (uint32_t i = 0; i < k->nargs; i++) {
        const struct ventus_arg *a = &k->args[i];
        if (a->kind != VENTUS_ARG_LOCAL) continue;
        end = (end + gap + a->align - 1) & ~(uint64_t)(a->align - 1);
        uint64_t size = sizes ? sizes[i] : 0;
        if (end > UINT32_MAX || size > UINT32_MAX) return UINT64_MAX;
        uint32_t offset = (uint32_t)end;
        if (args) memcpy(args + a->offset, &offset, sizeof offset);
        end += size;
    }
    return end;
}

uint64_t ventus_local_bytes(const struct ventus_kernel *kernel, const uint64_t *local_sizes)
{
    return kernel ? lay_out_local(kernel, local_sizes, 0, NULL) : 0;
}

uint32_t ventus_local_limit(const struct ventus_info *info)
{
    const uint64_t stacks = (uint64_t)info->warps_per_sm * ABI_WARP_STACK, half = info->lds_bytes / 2;
    return info->lds_bytes - (uint32_t)(stacks < half ? stacks : half);
}

struct ventus_pools ventus_pools_of(const ventus_device *device)
{
    const struct gpu_config *c = gpu_config_of(device->gpu);
    return (struct ventus_pools){c->sgpr_rows, c->vgpr_rows};
}

/* What a group has of an SM. */
enum limit { OF_WARPS, OF_VECTORS, OF_SCALARS, OF_LOCAL, LIMITS };

/* The most warps of a group, and what there would be too little of for another one. */
static uint32_t max_warps(const ventus_device *d, const struct ventus_kernel *k, uint64_t local, enum limit *limit)
{
    const struct gpu_config *c = gpu_config_of(d->gpu);
    uint32_t left = local > ventus_local_limit(&d->info) ? 0 : c->lds_bytes - (uint32_t)local;
    const uint32_t most[LIMITS] = {[OF_WARPS] = c->warps_per_sm,
                                   [OF_VECTORS] = at_most(UINT32_MAX, c->vgpr_rows, vgprs_of(k)),
                                   [OF_SCALARS] = at_most(UINT32_MAX, c->sgpr_rows, sgprs_of(k)),
                                   [OF_LOCAL] = left / ABI_WARP_STACK};
    *limit = OF_WARPS;
    for (enum limit i = OF_WARPS; i < LIMITS; i++)
        if (most[i] < most[*limit]) *limit = i;
    return most[*limit];
}

uint32_t ventus_max_group(const ventus_device *device, const struct ventus_kernel *kernel, const uint64_t *local_sizes)
{
    enum limit limit;
    if (!device || !kernel) return 0;
    const struct gpu_config *c = gpu_config_of(device->gpu);
    return max_warps(device, kernel, ventus_local_bytes(kernel, local_sizes), &limit) * c->threads_per_warp;
}

void ventus_max_group_reason(const ventus_device *device, const struct ventus_kernel *kernel,
                             const uint64_t *local_sizes, char *text, size_t size)
{
    const struct gpu_config *c = gpu_config_of(device->gpu);
    uint64_t local = ventus_local_bytes(kernel, local_sizes);
    enum limit limit;
    uint32_t warps = max_warps(device, kernel, local, &limit);
    int n = snprintf(text, size, "work-groups of kernel %s have at most %u work-items on this machine: ", kernel->name,
                     warps * c->threads_per_warp);
    if (n < 0 || (size_t)n >= size) return;
    text += n;
    size -= (size_t)n;
    switch (limit) {
    case OF_VECTORS:
        snprintf(text, size, "each warp of %u has %u vector registers, all warps of a group together %u",
                 c->threads_per_warp, vgprs_of(kernel), c->vgpr_rows);
        break;
    case OF_SCALARS:
        snprintf(text, size, "each warp of %u has %u scalar registers, all warps of a group together %u",
                 c->threads_per_warp, sgprs_of(kernel), c->sgpr_rows);
        break;
    case OF_LOCAL:
        snprintf(text, size, "a group has %llu bytes of local memory (at most %u) and %u for each warp, an SM %u",
                 (unsigned long long)local, ventus_local_limit(&device->info), (unsigned)ABI_WARP_STACK, c->lds_bytes);
        break;
    default: snprintf(text, size, "an SM has %u warps of %u", c->warps_per_sm, c->threads_per_warp);
    }
}

/* The groups do not divide dimension d: the last ones there have fewer work-items. False: they cannot. */
static bool set_last(ventus_event *e, uint32_t d)
{
    const struct ventus_range *range = &e->in.range;
    struct launch *l = &e->job.launch;
    if (!e->in.kernel->ungrouped || l->last_items) return false;
    uint32_t items = range->global[d] % range->local[d];
    for (uint32_t i = 0; i < 3; i++) {
        if (i < d ? range->local[i] != range->global[i] : i > d && range->local[i] != 1) return false;
        if (i < d) items *= range->local[i];
    }
    l->groups[d]++;
    l->last_items = items;
    l->last_of = d;
    return true;
}

/* Work-groups per dimension and work-items of a group; false when the sizes do not fit together. */
static bool set_range(ventus_event *e)
{
    const struct ventus_range *range = &e->in.range;
    const struct ventus_kernel *k = e->in.kernel;
    struct launch *l = &e->job.launch;
    uint32_t most = ventus_max_group(e->device, k, NULL), threads = gpu_config_of(e->device->gpu)->threads_per_warp;
    uint64_t items = 1;
    if (range->work_dim < 1 || range->work_dim > 3) return false;
    for (int d = 0; d < 3; d++) {
        uint32_t global = range->global[d], local = range->local[d];
        if (!global || !local) return false;
        if (k->reqd[d] && k->reqd[d] != local) return false;
        l->groups[d] = global / local;
        if (global % local && !set_last(e, (uint32_t)d)) return false;
        items *= local;
        if (items > most) return false;
    }
    l->work_items = (uint32_t)items;
    l->threads_per_warp = threads;
    l->warps = ((uint32_t)items + threads - 1) / threads;
    return !l->last_items || (l->last_items + threads - 1) / threads == l->warps;
}

/* Gives the __local arguments their places in `args`; false when that is more local memory than a group can have. */
static bool set_local(ventus_event *e, uint8_t *args, uint64_t gap)
{
    struct launch *l = &e->job.launch;
    uint64_t end = lay_out_local(e->in.kernel, e->in.local_sizes, gap, args);
    uint32_t stacks = l->warps * ABI_WARP_STACK;
    if (end > ventus_local_limit(&e->device->info) || end + stacks > e->device->info.lds_bytes) return false;
    l->lds_bytes = stacks + (uint32_t)end;
    return true;
}

/* Checks see an overrun better when something lies between arguments, if there is room for that. */
static bool place_local(ventus_event *e)
{
    return (e->device->check && set_local(e, e->args, CHECK_GAP)) || set_local(e, e->args, 0);
}

const struct ventus_spaces launch_spaces = {
    .gds_base = ABI_CODE_BASE, .gds_limit = UINT32_MAX, .lds_base = ABI_LOCAL_BASE, .lds_limit = ABI_LOCAL_LIMIT - 1};

/* Flat addresses are global or local as the memory map has it, unless the client says otherwise. */
static void set_spaces(struct launch *l, const struct ventus_spaces *s)
{
    if (!s) s = &launch_spaces;
    l->csr_gds = s->csr_gds;
    l->gds_base = s->gds_base;
    l->gds_limit = s->gds_limit;
    l->lds_base = s->lds_base;
    l->lds_limit = s->lds_limit;
}

static void set_rest(ventus_event *e)
{
    const struct ventus_kernel *k = e->in.kernel;
    struct launch *l = &e->job.launch;
    l->start_pc = e->in.module->entry;
    l->vgprs = vgprs_of(k);
    l->sgprs = sgprs_of(k);
    l->pds_bytes = k->pds_bytes;
    set_spaces(l, e->in.spaces);
    e->in.spaces = NULL;
    l->sv39 = e->device->info.translated;
    if (l->sv39) l->page_table = space_root();
}

/* The one copy of the arguments, from which they go to the device. */
static bool copy_args(ventus_event *e)
{
    const struct ventus_kernel *k = e->in.kernel;
    e->args = malloc(k->args_size + 1u);
    if (!e->args) return false;
    if (k->args_size) memcpy(e->args, e->in.args, k->args_size);
    for (uint32_t i = 0; i < k->nargs && e->in.pointers; i++) {
        const struct ventus_arg *a = &k->args[i];
        bool pointer = a->kind != VENTUS_ARG_VALUE && a->kind != VENTUS_ARG_LOCAL && a->kind != VENTUS_ARG_SAMPLER;
        if (pointer) memcpy(e->args + a->offset, &e->in.pointers[i], sizeof *e->in.pointers);
    }
    return true;
}

bool launch_is_raw(const struct ventus_launch *launch) { return launch->gpu && launch->gpu->launch; }

/* What the client says to the machine itself. */
static void init_machine_options(ventus_event *e, const struct ventus_gpu_launch *gpu)
{
    if (gpu) {
        e->job.options = gpu->options;
        e->watch = gpu->options.cancel;
        e->result = gpu->result;
        e->counted = gpu->device;
        e->raw = gpu->launch != NULL;
        if (e->raw) e->job.launch = *gpu->launch;
    }
    e->job.options.cancel = &e->cancel;
    e->in.gpu = NULL;
}

/* Which SMs run it; false when the machine does not have them. */
static bool set_sms(ventus_event *e, const struct ventus_sms *sms)
{
    const uint32_t all = e->device->info.sms;
    if (!sms->count) return true;
    e->job.options.first_sm = sms->first;
    e->job.options.sms = sms->count;
    return sms->first < all && sms->count <= all - sms->first;
}

enum ventus_status launch_init(ventus_event *e, const struct ventus_launch *launch)
{
    e->in = *launch;
    if (launch->module && !ventus_module_fits(e->device, launch->module, NULL, 0)) return VENTUS_BAD_MODULE;
    init_machine_options(e, launch->gpu);
    if (!set_sms(e, &launch->sms)) return VENTUS_BAD_LAUNCH;
    if (e->raw) return VENTUS_OK;
    const struct ventus_kernel *k = launch->kernel;
    if (ventus_module_is_draft(launch->module)) return VENTUS_BAD_MODULE;
    if (!launch->module || !k || (k->args_size && !launch->args)) return VENTUS_BAD_ARGUMENT;
    if (!copy_args(e)) return VENTUS_NO_MEMORY;
    if (!set_range(e) || !place_local(e)) return VENTUS_BAD_LAUNCH;
    set_rest(e);
    enum ventus_status status = launch_describe(e, e->in.local_sizes);
    e->in.args = e->args;
    e->in.local_sizes = NULL;
    e->in.pointers = NULL;
    return status;
}

/* ---- device blocks ---- */

/* How many groups of the launch can be resident at once; it does no harm to say too many. */
static uint32_t resident_groups(const struct gpu_config *c, const struct launch *l)
{
    uint64_t groups = (uint64_t)l->groups[0] * l->groups[1] * l->groups[2];
    uint32_t each = at_most(c->groups_per_sm, c->warps_per_sm, l->warps);
    each = at_most(each, c->vgpr_rows, l->warps * l->vgprs);
    each = at_most(each, c->sgpr_rows, l->warps * l->sgprs);
    each = at_most(each, c->lds_bytes, l->lds_bytes);
    uint64_t all = (uint64_t)c->sms * each;
    return (uint32_t)(all < groups ? all : groups);
}

/* Areas of private memory where a device does not say which a group gets: one for each group, and for each place that
 * there is for one. UINT32_MAX: too many. */
static uint32_t every_group(const struct gpu_config *c, const struct launch *l)
{
    const uint64_t plane = (uint64_t)l->groups[0] * l->groups[1];
    const uint64_t groups = plane > UINT32_MAX ? UINT32_MAX : plane * l->groups[2];
    const uint64_t places = (uint64_t)c->sms * c->groups_per_sm, most = groups > places ? groups : places;
    return most > UINT32_MAX ? UINT32_MAX : (uint32_t)most;
}

/* Private memory for as many resident groups as there is room for. */
static enum ventus_status allocate_private(ventus_event *e)
{
    struct launch *l = &e->job.launch;
    uint64_t area = launch_private_bytes(l);
    uint32_t n = e->job.options.serial ? 1 : resident_groups(gpu_config_of(e->device->gpu), l);
    enum ventus_status status = VENTUS_NO_DEVICE_MEMORY;
    if (!area) return VENTUS_OK;
    if (!(device_features(e->device) & VENTUS_BACKEND_SLOTS)) {
        n = every_group(gpu_config_of(e->device->gpu), l);
        if (n > PRIVATE_BYTES / area) return VENTUS_NO_DEVICE_MEMORY;
    }
    if (n > PRIVATE_BYTES / area) n = (uint32_t)(PRIVATE_BYTES / area);
    for (n = n ? n : 1; n && status == VENTUS_NO_DEVICE_MEMORY; n /= 2) {
        status = ventus_alloc(e->device, area * n, &e->pds);
        l->pds_groups = n;
    }
    l->pds_base = e->pds;
    return status;
}

static void release(ventus_event *e)
{
    if (e->block) memory_keep_launch(e->device, e->block);
    if (e->pds) memory_keep(e->device, e->pds);
    e->block = e->pds = 0;
}

static void fill_metadata(const ventus_event *e, uint8_t *block)
{
    const struct ventus_range *range = &e->in.range;
    const struct ventus_kernel *k = e->in.kernel;
    uint32_t meta[ABI_META_SIZE / 4] = {0};
    meta[ABI_META_ENTRY / 4] = k->entry;
    meta[ABI_META_ARGS / 4] = k->args_size ? e->block + BLOCK_ARGS : 0;
    meta[ABI_META_WORK_DIM / 4] = range->work_dim;
    memcpy(meta + ABI_META_GLOBAL_SIZE / 4, range->global, sizeof range->global);
    memcpy(meta + ABI_META_LOCAL_SIZE / 4, range->local, sizeof range->local);
    memcpy(meta + ABI_META_GLOBAL_OFFSET / 4, range->offset, sizeof range->offset);
    meta[ABI_META_PRINT_ADDR / 4] = e->print_size ? e->block + e->print_at : 0;
    meta[ABI_META_PRINT_SIZE / 4] = e->print_size;
    memcpy(block, meta, sizeof meta);
}

/* Writes metadata, arguments and the print buffer's counters. */
static void fill(const ventus_event *e, uint8_t *block)
{
    const uint32_t words[2] = {ABI_PRINT_HEADER, 0};
    fill_metadata(e, block);
    if (e->in.kernel->args_size) memcpy(block + BLOCK_ARGS, e->in.args, e->in.kernel->args_size);
    if (e->print_size) memcpy(block + e->print_at, words, sizeof words);
}

static enum ventus_status prepare_blocks(ventus_event *e)
{
    e->print_at = round_up(BLOCK_ARGS + e->in.kernel->args_size, BLOCK_ARGS);
    e->print_size = ventus_module_prints(e->in.module) ? VENTUS_PRINT_BYTES : 0;
    void *block;
    enum ventus_status status = memory_alloc_launch(e->device, e->print_at + e->print_size, &e->block, &block);
    if (status == VENTUS_OK) {
        fill(e, block);
        status = allocate_private(e);
    }
    if (status != VENTUS_OK) release(e);
    e->job.launch.knl = e->block;
    if (status == VENTUS_OK) launch_notify_memory(e);
    return status;
}

/* ---- printing ---- */

/* The print buffer, NULL: there is none. */
static uint8_t *print_buffer(const ventus_event *e)
{
    return e->block && e->print_size ? space_host(e->device, e->block + e->print_at, e->print_size) : NULL;
}

/* struct printing.stops */
static bool output_is_over(void *event) { return event_is_over(event); }

static struct printing printing_of(ventus_event *e)
{
    return (struct printing){e->in.module, e->device, e->in.print ? e->in.print : stdout, output_is_over, e};
}

/* The first time that output is lost is the one that is told. */
static void note_lost(ventus_event *e, enum printed printed, int error)
{
    if (printed == PRINT_LOST) atomic_compare_exchange_strong(&e->lost, &(int){0}, error ? error : EIO);
}

enum { AFTERWARDS_NS = 1000000000 }; /* so long a launch that was cancelled may still print: a guess */

/* When a launch has been ended: what it printed until then is for those who want to know why, but not for ever. */
static bool end_is_over(void *until) { return host_ns() > *(uint64_t *)until; }

/* False: it was to end before all was printed. */
static bool print_output(ventus_event *e)
{
    const uint8_t *buffer = print_buffer(e);
    if (!buffer) return true;
    struct printing p = printing_of(e);
    uint64_t until = host_ns() + AFTERWARDS_NS;
    const bool ended = event_is_over(e);
    if (ended) p.stops = end_is_over, p.user = &until;
    const enum printed printed = print_records(&p, buffer, e->print_size);
    note_lost(e, printed, errno);
    return printed != PRINT_STOPPED;
}

/* launch_options.print: the buffer is full. */
static void print_now(void *event, uint32_t full)
{
    ventus_event *e = event;
    const struct printing p = printing_of(e);
    uint8_t *buffer = print_buffer(e);
    atomic_store(&e->emptied, true);
    pthread_mutex_lock(&e->device->print_lock);
    const enum printed printed = buffer ? print_empty(&p, buffer, e->print_size, full) : PRINT_DONE;
    note_lost(e, printed, errno);
    pthread_mutex_unlock(&e->device->print_lock);
}

enum ventus_status launch_prepare(ventus_event *e)
{
    enum ventus_status status = e->raw ? VENTUS_OK : prepare_blocks(e);
    e->job.options.info = launch_info(e);
    e->job.options.kernel = e->raw ? NULL : e->in.kernel->name;
    if (e->device->profile) launch_profile(e);
    if (!e->raw) e->job.options.print = print_now;
    if (!e->raw) e->job.options.print_user = e;
    if (status == VENTUS_OK) launch_export(e);
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

/* Without memory for it there is the status alone. */
static void say(ventus_event *e, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (vasprintf(&e->message, format, args) < 0) e->message = NULL;
    va_end(args);
    e->outcome.message = e->message ? e->message : ventus_status_text(e->outcome.status);
}

/* Into the message: "NAME DID at line N, work-item (...): what". */
static void describe_access(ventus_event *e, const char *name, const char *did, const struct fault *f)
{
    char where[64] = "", who[64] = "", what[320];
    const struct ventus_launch *in = &e->in;
    uint32_t line = in->module ? ventus_module_line(in->module, f->pc) : 0, id[3];
    if (f->kind == FAULT_LAUNCH || f->kind == FAULT_FETCH) line = 0;
    if (line) snprintf(where, sizeof where, " at line %u", (unsigned)line);
    if (f->lane < ISA_LANES && !e->raw) {
        work_item(&in->range, f, e->job.launch.threads_per_warp, id);
        snprintf(who, sizeof who, ", work-item (%u,%u,%u)", (unsigned)id[0], (unsigned)id[1], (unsigned)id[2]);
    }
    fault_print(f, what, sizeof what);
    say(e, "%s %s%s%s: %s", name, did, where, who, what);
}

/* Into the message: what a launch was at that has run for too long, or that Ctrl-C has ended. */
static void describe_end(ventus_event *e, const char *name)
{
    const struct fault *f = &e->job.result.fault;
    char where[64] = "", who[64] = "", what[300];
    uint32_t line = e->in.module ? ventus_module_line(e->in.module, f->pc) : 0, id[3];
    if (line) snprintf(where, sizeof where, " line %u,", (unsigned)line);
    if (f->lane < ISA_LANES && !e->raw) {
        work_item(&e->in.range, f, e->job.launch.threads_per_warp, id);
        snprintf(who, sizeof who, " work-item (%u,%u,%u),", (unsigned)id[0], (unsigned)id[1], (unsigned)id[2]);
    }
    fault_print_place(f, what, sizeof what);
    say(e, "%s: %s; it was at%s%s %s, active lanes %08x%s%s", name,
        interrupt_came() ? "the launch was interrupted" : ventus_status_text(e->outcome.status), where, who, what,
        (unsigned)f->lanes, *f->detail ? ", " : "", f->detail);
}

/* What a device behind the driver says of the end; the line is known here alone. */
static void describe_device(ventus_event *e, const char *name)
{
    const uint32_t pc = e->job.result.fault.pc, line = pc && e->in.module ? ventus_module_line(e->in.module, pc) : 0;
    char where[64] = "";
    if (line) snprintf(where, sizeof where, " failed at line %u", (unsigned)line);
    say(e, "%s%s: %s", name, where, e->device->backend->says);
}

/* Was there no memory because each work-group, not each place for one, has to have its private memory? */
static bool is_for_all_groups(const ventus_event *e)
{
    return e->outcome.status == VENTUS_NO_DEVICE_MEMORY && !e->raw && launch_private_bytes(&e->job.launch) &&
           !(device_features(e->device) & VENTUS_BACKEND_SLOTS);
}

static void describe_private(ventus_event *e, const char *name)
{
    const struct launch *l = &e->job.launch;
    say(e,
        "%s: out of device memory: the device takes private memory for each work-group, here %llu with %llu bytes "
        "each, "
        "at most %u MiB together: launch fewer",
        name, (unsigned long long)l->groups[0] * l->groups[1] * l->groups[2],
        (unsigned long long)launch_private_bytes(l), PRIVATE_BYTES >> 20);
}

static void describe(ventus_event *e)
{
    char name[160] = "launch";
    if (!e->raw) snprintf(name, sizeof name, "kernel %s", e->in.kernel->name);
    if (e->device->backend && *e->device->backend->says) describe_device(e, name);
    else if (is_for_all_groups(e)) describe_private(e, name);
    else if (e->job.result.status == LAUNCH_FAULT) describe_access(e, name, "failed", &e->job.result.fault);
    else if (e->overdue && e->job.result.fault.profile) describe_end(e, name);
    else if (e->outcome.status != VENTUS_OK) say(e, "%s: %s", name, ventus_status_text(e->outcome.status));
    else if (e->lost) say(e, "%s: not all of its output could be written: %s", name, strerror(e->lost));
    else describe_access(e, name, "strays, which is ignored and not said again,", &e->job.result.stray);
}

/* Behind the message of a launch that has failed: what known faults have done in it. */
static void add_quirks(ventus_event *e)
{
    char did[300];
    char *text = e->message;
    if (!e->device->quirks || !text) return;
    quirks_print(e->device->quirks, false, did, sizeof did);
    say(e, "%s (known faults of the hardware that acted: %s)", text, did);
    free(text);
}

/* ---- the end ---- */

struct ventus_counters launch_counters(const struct counters *c)
{
    return (struct ventus_counters){
#define VENTUS_COUNTER(name, type, how, cl, text) .name = c->name,
#include "sim/counters.def"
#undef VENTUS_COUNTER
    };
}

/* The kinds are of one list, so that they have the same numbers. */
static struct ventus_fault fault_of(const struct fault *f)
{
    return (struct ventus_fault){.kind = (enum ventus_fault_kind)f->kind,
                                 .group = {f->group[0], f->group[1], f->group[2]},
                                 .warp = f->warp,
                                 .lanes = f->lanes,
                                 .lane = f->lane < ISA_LANES ? f->lane : VENTUS_NO_LANE,
                                 .pc = f->pc,
                                 .addr = f->addr};
}

enum ventus_status launch_status(const ventus_event *e)
{
    const struct result *r = &e->job.result;
    if (r->status == LAUNCH_DONE) return VENTUS_OK;
    if (r->status == LAUNCH_CANCELLED) return e->overdue ? VENTUS_TIMEOUT : VENTUS_CANCELLED;
    if (r->status == LAUNCH_STOPPED) return VENTUS_STOPPED;
    return r->fault.kind == FAULT_LAUNCH ? VENTUS_BAD_LAUNCH : VENTUS_FAULT;
}

enum ventus_status launch_finish(ventus_event *e, enum ventus_status status)
{
    if (!print_output(e) && status == VENTUS_OK) status = e->overdue ? VENTUS_TIMEOUT : VENTUS_CANCELLED;
    release(e);
    e->outcome.status = status;
    if (e->device->backend) backend_outcome(e);
    e->outcome.result.fault = fault_of(&e->job.result.fault);
    e->outcome.result.counters = launch_counters(&e->job.result.counters);
    if (e->result) *e->result = e->job.result;
    if (e->profiled) launch_profiled(e);
    bool stray = e->job.result.stray.kind && !e->device->warned && !e->lost;
    if (stray) e->device->warned = true;
    if (status != VENTUS_OK || stray || e->lost) describe(e);
    if (status != VENTUS_OK) add_quirks(e);
    if (e->device->queue.interrupts) interrupt_end(e);
    return status;
}
