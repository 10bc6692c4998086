/* Work-items of a reference run: each is a coroutine on a stack of its own, so that a barrier is a
 * yield. Work-groups run one after another, the items of a group in order between barriers.
 * The functions at the top are called by kernels compiled with host.h, through dlopen. */
#include <stdlib.h>
#include <ucontext.h>

#include "case.h"

enum { STACK_BYTES = 256 * 1024 };
#define EXPORT __attribute__((visibility("default")))

struct item {
    ucontext_t context;
    size_t local[3];
    bool done;
};

static ucontext_t scheduler;
static struct item *current;
static size_t group[3];
static const struct ventus_range *shape;
static void (*kernel_entry)(const uint64_t *);
static const uint64_t *kernel_args;

EXPORT uint32_t get_work_dim(void);
EXPORT size_t get_local_id(uint32_t d), get_group_id(uint32_t d), get_num_groups(uint32_t d),
    get_global_offset(uint32_t d);
EXPORT size_t get_global_size(uint32_t d), get_local_size(uint32_t d), get_global_id(uint32_t d);
EXPORT void host_barrier(void);
EXPORT uint32_t host_item(void), host_items(void);
EXPORT void host_share(uint64_t value);
EXPORT uint64_t host_shared(uint32_t item);

uint32_t get_work_dim(void) { return shape->work_dim; }
size_t get_local_id(uint32_t d) { return d < 3 ? current->local[d] : 0; }
size_t get_group_id(uint32_t d) { return d < 3 ? group[d] : 0; }
size_t get_local_size(uint32_t d) { return d < 3 ? shape->local[d] : 1; }
size_t get_global_size(uint32_t d) { return d < 3 ? shape->global[d] : 1; }
size_t get_global_offset(uint32_t d) { return d < 3 ? shape->offset[d] : 0; }
size_t get_num_groups(uint32_t d) { return d < 3 ? shape->global[d] / shape->local[d] : 1; }
size_t get_global_id(uint32_t d)
{
    return d < 3 ? get_global_offset(d) + group[d] * shape->local[d] + current->local[d] : 0;
}

void host_barrier(void) { swapcontext(&current->context, &scheduler); }

/* Functions of sub-groups: all items of the group bring a value, then each looks at those of its sub-group, and a
 * barrier ends it. */
static uint64_t shared[1024];

uint32_t host_items(void) { return (uint32_t)(shape->local[0] * shape->local[1] * shape->local[2]); }

uint32_t host_item(void)
{
    const size_t *at = current->local;
    return (uint32_t)((at[2] * shape->local[1] + at[1]) * shape->local[0] + at[0]);
}

void host_share(uint64_t value)
{
    shared[host_item()] = value;
    host_barrier();
}

uint64_t host_shared(uint32_t item) { return shared[item]; }

static void item_main(void)
{
    kernel_entry(kernel_args);
    current->done = true;
    swapcontext(&current->context, &scheduler);
}

static void item_start(struct item *item, char *stack, size_t index)
{
    item->done = false;
    item->local[0] = index % shape->local[0];
    item->local[1] = index / shape->local[0] % shape->local[1];
    item->local[2] = index / shape->local[0] / shape->local[1];
    getcontext(&item->context);
    item->context.uc_stack.ss_sp = stack;
    item->context.uc_stack.ss_size = STACK_BYTES;
    item->context.uc_link = NULL;
    makecontext(&item->context, item_main, 0);
}

static void group_run(struct item *items, char *stacks, size_t n, bool backwards)
{
    for (size_t i = 0; i < n; i++) item_start(&items[i], stacks + i * STACK_BYTES, backwards ? n - 1 - i : i);
    for (bool alive = true; alive;) {
        alive = false;
        for (size_t i = 0; i < n; i++) {
            if (items[i].done) continue;
            current = &items[i];
            swapcontext(&scheduler, &items[i].context);
            alive |= !items[i].done;
        }
    }
}

bool host_run(void (*kernel)(const uint64_t *args), const uint64_t *args, const struct ventus_range *range,
              bool backwards)
{
    size_t n = (size_t)range->local[0] * range->local[1] * range->local[2];
    struct item *items = calloc(n, sizeof *items);
    char *stacks = malloc(n * STACK_BYTES);
    bool ok = items && stacks;
    shape = range;
    kernel_entry = kernel;
    kernel_args = args;
    for (group[2] = 0; ok && group[2] < range->global[2] / range->local[2]; group[2]++)
        for (group[1] = 0; group[1] < range->global[1] / range->local[1]; group[1]++)
            for (group[0] = 0; group[0] < range->global[0] / range->local[0]; group[0]++)
                group_run(items, stacks, n, backwards);
    free(stacks);
    free(items);
    return ok;
}
