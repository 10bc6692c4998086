/* Checks of launches on a device (sim/check/): which memory there is, and what a launch calls it.
 *
 * Every function does nothing on a device without checks. With them, launches run one at a time. */
#include <stdlib.h>
#include <string.h>

#include "driver/driver.h"

/* ---- turning them on ---- */

enum ventus_status ventus_check(ventus_device *device, unsigned what, FILE *out)
{
    if (!device || !what) return VENTUS_BAD_ARGUMENT;
    pthread_mutex_lock(&device->lock);
    bool fresh = !device->check && !device->heap.nblocks && !device->nsegments;
    if (fresh) device->check = check_new(device->gpu, what, out);
    enum ventus_status status = !fresh ? VENTUS_BAD_ARGUMENT : device->check ? VENTUS_OK : VENTUS_NO_MEMORY;
    pthread_mutex_unlock(&device->lock);
    return status;
}

const struct check *ventus_checks(const ventus_device *device) { return device ? device->check : NULL; }

/* VENTUS_CHECK asks for checks in any program, VENTUS_CHECK_FILE says where reports go. A mistake in them must not
 * change what the program sees: it is told, and the rest holds. */
void device_check_environment(ventus_device *device)
{
    const char *list = getenv("VENTUS_CHECK"), *path = getenv("VENTUS_CHECK_FILE");
    unsigned what = CHECK_ALL;
    char why[160];
    if (!list || !*list || !strcmp(list, "0")) return;
    if (!check_parse(list, &what, why, sizeof why)) fprintf(stderr, "VENTUS_CHECK: %s; everything is checked\n", why);
    if (path && *path && !(device->check_file = fopen(path, "a")))
        fprintf(stderr, "VENTUS_CHECK_FILE: cannot write %s\n", path);
    if (ventus_check(device, what, device->check_file ? device->check_file : stderr) != VENTUS_OK)
        fputs("VENTUS_CHECK: no memory for checks\n", stderr);
}

void device_check_end(ventus_device *device)
{
    check_free(device->check);
    device->check = NULL;
    if (device->check_file) fclose(device->check_file);
    device->check_file = NULL;
}

/* ---- the memory of a launch ---- */

void launch_check_memory(ventus_event *e)
{
    struct check *c = e->device->check;
    const struct launch *l = &e->job.launch;
    uint32_t args = e->in.kernel->args_size;
    if (!c) return;
    check_closed(c, e->block, e->print_at + e->print_size);
    check_opened(c, e->block, ABI_META_SIZE, "the metadata block");
    check_wrote(c, e->block, ABI_META_SIZE);
    check_opened(c, e->block + LAUNCH_ARGS, args, "the argument buffer");
    check_wrote(c, e->block + LAUNCH_ARGS, args);
    check_opened(c, e->block + e->print_at, e->print_size, "the print buffer");
    check_wrote(c, e->block + e->print_at, e->print_size ? ABI_PRINT_HEADER : 0);
    if (e->pds)
        check_closed(c, e->pds, (uint64_t)((l->pds_bytes + 3) & ~3u) * l->warps * l->threads_per_warp * l->pds_groups);
}

/* ---- the names of a launch ---- */

enum { NAME_BYTES = 80 };

/* What the checks are told of a launch; one allocation. */
struct checked_launch {
    struct check_launch about;
    struct check_part *parts, *pointers;
    char (*names)[NAME_BYTES]; /* two for each argument, and one */
};

static struct checked_launch *allocate(uint32_t nargs)
{
    size_t parts = nargs + 1u;
    struct checked_launch *k = calloc(1, sizeof *k + 2 * parts * sizeof *k->parts + 2 * parts * NAME_BYTES);
    if (!k) return NULL;
    k->parts = (struct check_part *)(k + 1);
    k->pointers = k->parts + parts;
    k->names = (char(*)[NAME_BYTES])(k->pointers + parts);
    k->about.parts = k->parts;
    k->about.pointers = k->pointers;
    return k;
}

static void add(struct checked_launch *k, bool local, uint32_t at, uint64_t size, const char *format, const char *name,
                unsigned number)
{
    struct check_launch *about = &k->about;
    char *text = k->names[about->nparts + about->npointers];
    struct check_part part = {at, size, text};
    snprintf(text, NAME_BYTES, format, *name ? name : "?", number);
    if (local) k->parts[about->nparts++] = part;
    else k->pointers[about->npointers++] = part;
}

static uint32_t line_of(const void *user, uint32_t pc) { return ventus_module_line(user, pc); }

enum ventus_status launch_check_take(ventus_event *e, const uint64_t *local_sizes)
{
    const struct ventus_kernel *k = e->in.kernel;
    uint32_t stacks = e->job.launch.warps * ABI_WARP_STACK, word;
    if (!e->device->check) return VENTUS_OK;
    struct checked_launch *c = e->checked = allocate(k->nargs);
    if (!c) return VENTUS_NO_MEMORY;
    c->about.kernel = k->name;
    c->about.line = line_of;
    c->about.user = e->in.module;
    c->about.stack_bytes =
        e->in.module->has_note && k->entry != e->in.module->entry ? ABI_WARP_STACK : 0; /* our start code */
    if (k->lds_bytes) add(c, true, stacks, k->lds_bytes, "the kernel's local variables%.0s%.0u", "", 0);
    for (uint32_t i = 0; i < k->nargs; i++) {
        const struct ventus_arg *a = &k->args[i];
        if (a->kind == ARG_VALUE || a->kind == ARG_SAMPLER || a->offset + sizeof word > k->args_size) continue;
        memcpy(&word, (const uint8_t *)e->memory + a->offset, sizeof word);
        if (a->kind == ARG_LOCAL)
            add(c, true, stacks + word, local_sizes ? local_sizes[i] : 0, "local '%.40s' (argument %u)", a->name, i);
        else if (word) add(c, false, word, 0, "'%.40s' (argument %u)", a->name, i);
    }
    return VENTUS_OK;
}

void launch_check_begin(ventus_event *e)
{
    static const struct check_launch unknown = {.local_set = true, .open_memory = true};
    struct check *c = e->device->check;
    if (c)
        e->job.options.observers = check_begin(c, e->checked ? &e->checked->about : &unknown, e->in.options.observers);
    e->being_checked = c != NULL;
}

void launch_check_end(ventus_event *e)
{
    if (e->being_checked) check_end(e->device->check);
    e->being_checked = false;
}
