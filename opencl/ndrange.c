/* Kernel launches: checks, the choice of a local size, and the command that runs a launch.
 * Everything a launch depends on is fixed when it is enqueued: the driver copies the argument buffer with the addresses
 * of the buffers, and the command holds the buffers. A kernel that fails on the device ends its event with
 * CL_OUT_OF_RESOURCES, and the client's callback learns where. Called through icd.c. */
#include <string.h>

#include "driver/gpu.h"
#include "objects.h"

/* ---- the range ---- */

static cl_int range_global(struct ventus_range *r, cl_uint dim, const size_t *offset, const size_t *global, bool *empty)
{
    *empty = !global;
    for (cl_uint i = 0; i < 3; i++) {
        uint64_t size = i < dim ? global ? global[i] : 0 : 1, start = i < dim && offset ? offset[i] : 0;
        if (size > UINT32_MAX) return CL_INVALID_GLOBAL_WORK_SIZE;
        if (start > UINT32_MAX || start + size > (uint64_t)UINT32_MAX + 1) return CL_INVALID_GLOBAL_OFFSET;
        r->global[i] = (uint32_t)size;
        r->offset[i] = (uint32_t)start;
        r->local[i] = 1;
        if (size == 0) *empty = true;
    }
    r->work_dim = dim;
    return CL_SUCCESS;
}

/* A group's work-items, and what its warps take: lanes, each counted as often as a warp has lanes, so that parts of
 * them are whole numbers, too. */
struct group_size {
    uint64_t items, takes;
};

/* Warps that begin another row take half as long again, and twice as long where that is within eight lanes, of which
 * loads and stores are made. Rows as long as the range follow one another in memory. */
static struct group_size group_size(const struct ventus_range *r, uint32_t x, uint64_t items, uint64_t warp)
{
    const uint64_t lanes = (items + warp - 1) / warp * warp, ends = x < warp ? warp : warp * warp / x;
    const bool whole = x % warp == 0 || x == items || x == r->global[0];
    return (struct group_size){items, lanes * (warp + (whole ? 0 : x % 8 == 0 ? ends / 2 : ends))};
}

static bool takes_least(struct group_size g, uint64_t warp) { return g.items && g.takes == g.items * warp; }

/* Of two group sizes the one that takes less for each work-item; then the larger. */
static bool group_better(struct group_size g, struct group_size best)
{
    const uint64_t own = g.takes * best.items, other = best.takes * g.items;
    return !best.items || own < other || (own == other && g.items > best.items);
}

/* The local size when the client gives none: it must divide the range, should fill whole warps and be
 * large. The search is over divisors only; at equal size the first dimension gets the most, so that
 * neighbouring lanes have neighbouring x. Of sizes that take as little as can be only a larger one is better. */
static void choose_local(struct ventus_range *r, uint32_t most, uint32_t warp)
{
    const uint32_t *g = r->global;
    struct group_size best = {0};
    for (uint32_t x = most < g[0] ? most : g[0]; x > 0; x--) {
        const bool least = takes_least(best, warp);
        if (least && best.items == most) return;
        if (g[0] % x) continue;
        for (uint32_t y = most / x < g[1] ? most / x : g[1]; y > 0; y--) {
            if (least && (uint64_t)x * y * g[2] <= best.items) break;
            if (g[1] % y) continue;
            uint32_t z = most / x / y < g[2] ? most / x / y : g[2];
            while (g[2] % z) z--;
            const struct group_size size = group_size(r, x, (uint64_t)x * y * z, warp);
            if (!group_better(size, best)) continue;
            best = size;
            r->local[0] = x;
            r->local[1] = y;
            r->local[2] = z;
        }
    }
}

/* ---- groups that need not divide the range ---- */

/* Work-groups of one launch, all of as many warps, and how many warps there are in all. */
struct grouping {
    uint32_t local[3];
    uint64_t warps;
};

/* All of the lower dimensions, `size` of dimension d, and 1 of the higher ones. False: the last groups would have fewer
 * warps than the others. */
static bool group_by(struct grouping *g, const struct ventus_range *r, uint32_t d, uint32_t size, uint32_t warp)
{
    const uint32_t n = r->global[d], groups = (n - 1) / size + 1, rest = n - (groups - 1) * size;
    uint32_t row = 1;
    *g = (struct grouping){.local = {1, 1, 1}, .warps = groups};
    for (uint32_t i = 0; i < d; i++) row *= g->local[i] = r->global[i];
    for (uint32_t i = d + 1; i < 3; i++) g->warps *= r->global[i];
    g->local[d] = size;
    const uint32_t warps = (row * size + warp - 1) / warp;
    g->warps *= warps;
    return (row * rest + warp - 1) / warp == warps;
}

/* The fewest warps, in the largest groups, along dimension d, of whole rows of the lower ones. Rows of the first one
 * that are no larger than a group stay whole. False: a row is larger than a group. */
static bool group_along(struct grouping *best, const struct ventus_range *r, uint32_t d, uint32_t most, uint32_t warp)
{
    uint64_t row = 1;
    for (uint32_t i = 0; i < d; i++) row *= r->global[i];
    if (row > most) return false;
    const uint32_t room = most / (uint32_t)row, n = r->global[d], least = d ? 1 : n <= room ? n : warp;
    best->warps = UINT64_MAX;
    for (uint32_t size = room < n ? room : n; size >= least; size -= d ? 1 : least) {
        struct grouping g;
        if (group_by(&g, r, d, size, warp) && g.warps < best->warps) *best = g;
    }
    return best->warps != UINT64_MAX;
}

/* Of a kernel that nothing shows how its work-items are grouped, in place of groups that divide the range but leave
 * lanes idle: along the first dimension if that needs little more than them, because neighbours there are neighbours in
 * memory; along a higher one if it saves an eighth. */
static void choose_uneven(struct ventus_range *r, uint32_t most, uint32_t warp)
{
    const uint32_t items = r->local[0] * r->local[1] * r->local[2];
    uint64_t needs = (items + warp - 1) / warp;
    if (items % warp == 0) return;
    for (int d = 0; d < 3; d++) needs *= r->global[d] / r->local[d];
    for (uint32_t d = 0; d < 3; d++) {
        struct grouping g;
        if (!group_along(&g, r, d, most, warp)) return;
        if (g.warps > (d ? needs - needs / 8 - 1 : needs + needs / 8)) continue;
        memcpy(r->local, g.local, sizeof r->local);
        needs = g.warps;
    }
}

static uint32_t items_of(const struct ventus_range *r) { return r->local[0] * r->local[1] * r->local[2]; }

static uint64_t warps_of(const struct ventus_range *r, uint32_t warp)
{
    uint64_t warps = (items_of(r) + warp - 1) / warp;
    for (int d = 0; d < 3; d++) warps *= (r->global[d] - 1) / r->local[d] + 1;
    return warps;
}

/* Joins the groups of a client that do not even fill one warp, where nothing shows that they are larger.
 * Work-items of one group may wait for those of another, as for a lock, but lanes of a warp must not for one another:
 * kernels that could are left alone. */
static void join_groups(struct ventus_range *r, uint32_t most, uint32_t warp)
{
    struct ventus_range joined = *r;
    if (items_of(r) >= warp || warps_of(r, warp) == 1) return;
    choose_local(&joined, most, warp);
    choose_uneven(&joined, most, warp);
    if (warps_of(&joined, warp) < warps_of(r, warp)) memcpy(r->local, joined.local, sizeof r->local);
}

/* As many work-items in rows as long as can be, where these are best and nothing shows how work-items are grouped. */
static void widen_groups(struct ventus_range *r, uint32_t warp)
{
    struct ventus_range wide = *r;
    const uint32_t items = items_of(r);
    if (r->local[0] == items) return;
    choose_local(&wide, items, warp);
    if (wide.local[0] > r->local[0] && items_of(&wide) == items) memcpy(r->local, wide.local, sizeof r->local);
}

/* Checks that a size that the client has given divides the range. */
static cl_int local_check(const struct ventus_range *r, uint32_t most, cl_uint device_most, bool given)
{
    uint64_t items = 1;
    for (int i = 0; i < 3; i++) {
        if (r->local[i] == 0) return CL_INVALID_WORK_GROUP_SIZE;
        if (r->local[i] > device_most) return CL_INVALID_WORK_ITEM_SIZE;
        items *= r->local[i];
        if (items > most || (given && r->global[i] % r->local[i])) return CL_INVALID_WORK_GROUP_SIZE;
    }
    return CL_SUCCESS;
}

/* Tells the client why a group that the device could have is too large for the kernel. */
static void report_size(cl_kernel kernel, const struct ventus_kernel *code, const struct ventus_range *r,
                        cl_uint device_most)
{
    const ventus_device *machine = kernel->program->context->device;
    uint64_t items = (uint64_t)r->local[0] * r->local[1] * r->local[2];
    char why[400];
    if (items <= ventus_max_group(machine, code, kernel->local_sizes) || items > device_most) return;
    ventus_max_group_reason(machine, code, kernel->local_sizes, why, sizeof why);
    context_report(kernel->program->context, why);
}

/* `even`: groups divide the range in any case. */
static cl_int range_local(struct ventus_range *r, cl_kernel kernel, const struct ventus_kernel *code,
                          const size_t *local, bool even)
{
    const ventus_device *machine = kernel->program->context->device;
    struct ventus_info info;
    const uint32_t *reqd = code->reqd;
    const uint32_t most = ventus_max_group(machine, code, kernel->local_sizes);
    if (most == 0) return CL_OUT_OF_RESOURCES; /* more local memory than the device has */
    ventus_device_info(machine, &info);
    for (cl_uint i = 0; i < r->work_dim && local; i++) {
        if (local[i] > device_max_group(&info)) return CL_INVALID_WORK_ITEM_SIZE;
        r->local[i] = (uint32_t)local[i];
    }
    if (reqd[0]) {
        if (local && memcmp(r->local, reqd, sizeof r->local)) return CL_INVALID_WORK_GROUP_SIZE;
        memcpy(r->local, reqd, sizeof r->local);
    } else if (!local) {
        choose_local(r, most, info.threads_per_warp);
        if (code->ungrouped && !even) choose_uneven(r, most, info.threads_per_warp);
    }
    cl_int error = local_check(r, most, device_max_group(&info), local || reqd[0] || even);
    if (error == CL_INVALID_WORK_GROUP_SIZE) report_size(kernel, code, r, device_max_group(&info));
    if (error || !local || reqd[0] || code->ungrouped < 2 || !device_regroups(machine)) return error;
    join_groups(r, most, info.threads_per_warp);
    if (code->ungrouped == 3) widen_groups(r, info.threads_per_warp);
    return error;
}

/* ---- the launch ---- */

struct launch_command {
    struct command command;
    struct ventus_launch launch;
    cl_kernel copy;      /* of the client's, of a recorded launch; else NULL */
    uint32_t pointers[]; /* addresses of buffers and shared memory, one an argument; until the submission */
};

/* Takes the buffers that are set as arguments, and the addresses of them and of shared memory. */
static cl_int find_buffers(struct launch_command *l, const struct _cl_kernel *kernel)
{
    cl_int error = CL_SUCCESS;
    for (uint32_t i = 0; i < kernel->info->nargs && !error; i++) {
        const struct argument *argument = &kernel->arguments[i];
        if (argument->mem) error = command_mem(&l->command, argument->mem, &l->pointers[i]);
        else l->pointers[i] = argument->svm;
    }
    return error == CL_INVALID_MEM_OBJECT ? CL_INVALID_KERNEL_ARGS : error; /* released since it was set */
}

static void release_copy(struct command *command) { clReleaseKernel(((struct launch_command *)command)->copy); }

/* Uses the kernel's current arguments, which are valid until the submission; a recorded launch has a copy. */
static cl_int send(const struct route *to, struct command *c, cl_kernel kernel, const struct ventus_range *range)
{
    struct launch_command *l = (struct launch_command *)c;
    cl_int error = find_buffers(l, kernel);
    if (!error && to->record && !(kernel = l->copy = kernel_copy(kernel))) error = CL_OUT_OF_HOST_MEMORY;
    if (l->copy) c->dispose = release_copy;
    struct kernel_code code;
    if (!error) error = kernel_on(kernel, c->queue->device, &code);
    if (error) {
        command_free(c);
        return error;
    }
    l->launch = (struct ventus_launch){.module = code.executable->module,
                                       .kernel = code.info,
                                       .sms = c->queue->device->sms,
                                       .range = *range,
                                       .args = kernel->image,
                                       .local_sizes = kernel->local_sizes,
                                       .pointers = l->pointers,
                                       .ending = command_ending};
    svm_warn_of_links(c->queue->context, code.info);
    c->launch = &l->launch;
    if (ventus_module_prints(l->launch.module)) command_is_seen(c);
    return command_send(to, c);
}

/* The range of a launch, after all checks of the sizes; *empty: there is nothing to run. `even`: see range_local. */
static cl_int range_check(cl_command_queue q, cl_kernel kernel, cl_uint dim, const size_t *offset, const size_t *global,
                          const size_t *local, bool even, struct ventus_range *range, bool *empty)
{
    struct kernel_code code;
    if (dim < 1 || dim > 3) return CL_INVALID_WORK_DIMENSION;
    cl_int error = range_global(range, dim, offset, global, empty);
    if (error || *empty) return error;
    error = kernel_on(kernel, q->device, &code);
    return error ? error : range_local(range, kernel, code.info, local, even);
}

/* Can the queue's device run the kernel as it is set? */
static cl_int kernel_check(cl_command_queue q, cl_kernel kernel)
{
    if (!object_is(q, KIND_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    if (!object_is(kernel, KIND_KERNEL)) return CL_INVALID_KERNEL;
    if (kernel->program->context != q->context) return CL_INVALID_CONTEXT;
    if (!kernel_is_on(kernel, q->device)) return CL_INVALID_PROGRAM_EXECUTABLE;
    return kernel_arguments_check(kernel);
}

cl_int launch_kernel(const struct route *to, cl_command_type type, cl_kernel kernel, cl_uint dim, const size_t *offset,
                     const size_t *global, const size_t *local)
{
    cl_command_queue q = to->queue;
    struct ventus_range range;
    struct command *c;
    bool empty = false;
    cl_int error = kernel_check(q, kernel);
    const bool lacks = to->may_lack && error == CL_INVALID_KERNEL_ARGS;
    if (lacks) error = CL_SUCCESS;
    if (!error) error = event_list_check(q->context, to->nwaits, to->waits);
    if (!error) error = range_check(q, kernel, dim, offset, global, local, false, &range, &empty);
    if (error) return error;
    const uint32_t nargs = kernel->info->nargs;
    const size_t bytes = sizeof(struct launch_command) + nargs * sizeof(uint32_t);
    error = command_new(q, type, bytes, to->nwaits, to->waits, nargs, &c);
    if (error) return error;
    return empty || lacks ? command_send(to, c) : send(to, c, kernel, &range);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel kernel, cl_uint dim, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint nwaits, const cl_event *waits,
                              cl_event *event)
{
    const struct route to = {q, nwaits, waits, event, NULL};
    return launch_kernel(&to, CL_COMMAND_NDRANGE_KERNEL, kernel, dim, offset, global, local);
}

cl_int kernel_suggested_local_size(cl_command_queue q, cl_kernel kernel, cl_uint dim, const size_t *offset,
                                   const size_t *global, size_t *local)
{
    struct ventus_range range;
    bool empty = false;
    cl_int error = kernel_check(q, kernel);
    if (!error) error = range_check(q, kernel, dim, offset, global, NULL, true, &range, &empty);
    if (!error && empty) error = CL_INVALID_GLOBAL_WORK_SIZE;
    if (!error && !local) error = CL_INVALID_VALUE;
    for (cl_uint i = 0; i < dim && !error; i++) local[i] = range.local[i];
    return error;
}

cl_int clEnqueueTask(cl_command_queue q, cl_kernel kernel, cl_uint nwaits, const cl_event *waits, cl_event *event)
{
    static const size_t one = 1;
    const struct route to = {q, nwaits, waits, event, NULL};
    return launch_kernel(&to, CL_COMMAND_TASK, kernel, 1, NULL, &one, &one);
}
