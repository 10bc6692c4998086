/* What observers of a device's machine learn from the driver: which memory there is, and what a launch calls it. */
#include <stdlib.h>
#include <string.h>

#include "driver/driver.h"

/* ---- memory ---- */

void device_notify(const ventus_device *d, enum host_action action, uint32_t addr, uint64_t size)
{
    gpu_tell(d->gpu, &(struct host_event){action, addr, size});
}

void device_notify_named(const ventus_device *d, const char *name, uint32_t addr, uint64_t size, uint64_t written)
{
    gpu_tell(d->gpu, &(struct host_event){HOST_OPEN, addr, size, .name = name});
    device_notify(d, HOST_WRITE, addr, written);
}

void launch_notify_memory(const ventus_event *e)
{
    const ventus_device *d = e->device;
    const struct launch *l = &e->job.launch;
    uint32_t args = e->in.kernel->args_size;
    device_notify(d, HOST_CLOSE, e->block, e->print_at + e->print_size);
    device_notify_named(d, "the metadata block", e->block, ABI_META_SIZE, ABI_META_SIZE);
    device_notify_named(d, "the argument buffer", e->block + LAUNCH_ARGS, args, args);
    device_notify_named(d, "the print buffer", e->block + e->print_at, e->print_size,
                        e->print_size ? ABI_PRINT_HEADER : 0);
    if (e->pds) device_notify(d, HOST_CLOSE, e->pds, launch_private_bytes(l) * l->pds_groups);
}

/* ---- the names of a launch ---- */

enum { NAME_BYTES = 80 };

/* One allocation. */
struct launch_names {
    struct launch_info info;
    struct named_range *parts, *pointers;
    char (*names)[NAME_BYTES]; /* two for each argument, and one */
};

static struct launch_names *allocate(uint32_t nargs)
{
    size_t parts = nargs + 1u;
    struct launch_names *k = calloc(1, sizeof *k + 2 * parts * sizeof *k->parts + 2 * parts * NAME_BYTES);
    if (!k) return NULL;
    k->parts = (struct named_range *)(k + 1);
    k->pointers = k->parts + parts;
    k->names = (char(*)[NAME_BYTES])(k->pointers + parts);
    k->info.parts = k->parts;
    k->info.pointers = k->pointers;
    return k;
}

static void add(struct launch_names *k, bool local, uint32_t at, uint64_t size, const char *format, const char *name,
                unsigned number)
{
    struct launch_info *info = &k->info;
    char *text = k->names[info->nparts + info->npointers];
    struct named_range range = {at, size, text};
    snprintf(text, NAME_BYTES, format, *name ? name : "?", number);
    if (local) k->parts[info->nparts++] = range;
    else k->pointers[info->npointers++] = range;
}

static uint32_t line_of(const void *note, uint32_t pc) { return note_line_at(note, pc); }

static const char *text_of(const void *note, uint32_t pc, size_t *size) { return note_text_at(note, pc, size); }

enum ventus_status launch_describe(ventus_event *e, const uint64_t *local_sizes)
{
    const struct ventus_kernel *k = e->in.kernel;
    uint32_t stacks = e->job.launch.warps * ABI_WARP_STACK, word;
    if (!gpu_observed(e->device->gpu) && !e->job.options.observers) return VENTUS_OK;
    struct launch_names *n = e->names = allocate(k->nargs);
    if (!n) return VENTUS_NO_MEMORY;
    n->info.kernel = k->name;
    n->info.line = line_of;
    n->info.text = text_of;
    n->info.user = &e->in.module->note;
    n->info.elf = e->in.module->bytes;
    n->info.elf_size = e->in.module->size;
    n->info.elf_serial = e->in.module->serial;
    n->info.stack_bytes =
        e->in.module->has_note && k->entry != e->in.module->entry ? ABI_WARP_STACK : 0; /* our start code */
    if (k->lds_bytes) add(n, true, stacks, k->lds_bytes, "the kernel's local variables%.0s%.0u", "", 0);
    for (uint32_t i = 0; i < k->nargs; i++) {
        const struct ventus_arg *a = &k->args[i];
        if (a->kind == VENTUS_ARG_VALUE || a->kind == VENTUS_ARG_SAMPLER || a->offset + sizeof word > k->args_size)
            continue;
        memcpy(&word, (const uint8_t *)e->args + a->offset, sizeof word);
        if (a->kind == VENTUS_ARG_LOCAL)
            add(n, true, stacks + word, local_sizes ? local_sizes[i] : 0, "local '%.40s' (argument %u)", a->name, i);
        else if (word) add(n, false, word, 0, "'%.40s' (argument %u)", a->name, i);
    }
    return VENTUS_OK;
}

const struct launch_info *launch_info(const ventus_event *e)
{
    static const struct launch_info raw = {.local_set = true, .open_memory = true};
    return e->raw ? &raw : e->names ? &e->names->info : NULL;
}
