/* Launches written to files as they begin, for other simulators and for hardware: $VENTUS_EXPORT names a folder.
 *
 * Each launch becomes KERNEL_N.metadata and KERNEL_N.data (vt/case.c reads them; docs/run.md), beside the machine's
 * parameters in machine.conf, and KERNEL_N.expect when it has ended well: the words of .data as the launch left them.
 * All that is allocated is written, so that every launch can be run alone; launches run one at a time then. What cannot
 * be written is said on standard error and changes nothing else. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/driver.h"

enum { MOST_WORDS = (256 << 20) / 9 /* what a reader of such files takes, a word a line */ };

/* A piece of memory; of private memory, which nobody has written yet, there is only its size. */
struct piece {
    uint32_t base;
    uint64_t size, alloc;
};

static void report(const char *path, const char *why)
{
    char text[600];
    snprintf(text, sizeof text, "%.400s: %s", path, why);
    host_say("VENTUS_EXPORT", text);
}

/* DIR/NAME_N.ENDING; names of kernels come from files, so that only letters and digits of them go into the path. */
static char *file_name(const ventus_event *e, uint32_t number, const char *ending)
{
    char *path = NULL, name[64];
    snprintf(name, sizeof name, "%s", e->in.kernel->name);
    for (char *c = name; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", *c)) *c = '_';
    int n = asprintf(&path, "%s/%s_%u.%s", e->device->export_folder, name, (unsigned)number, ending);
    return n < 0 ? NULL : path;
}

/* What is open to the launch, at most nsegments + blocks.count pieces. With the device's lock held. */
static size_t list_pieces(const ventus_event *e, struct piece *out)
{
    const ventus_device *d = e->device;
    size_t n = 0;
    for (size_t i = 0; i < d->nsegments; i++)
        out[n++] = (struct piece){d->segments[i].addr, d->segments[i].memsize, d->segments[i].memsize};
    for (const struct block *b = NULL; (b = blocks_above(&d->heap.blocks, b ? b->addr : 0));) {
        bool private = e->pds && b->addr == e->pds;
        out[n++] = (struct piece){b->addr, private ? 0 : b->size, b->size};
    }
    return n;
}

/* Values of 64 bits, the low word first. */
static void put_value(FILE *f, uint64_t v) { fprintf(f, "%08x\n%08x\n", (unsigned)v, (unsigned)(v >> 32)); }

static void put_metadata(FILE *f, const ventus_event *e, const struct piece *pieces, size_t n)
{
    const struct launch *l = &e->job.launch;
    const uint64_t head[] = {l->start_pc,
                             e->device->exported,
                             l->groups[0],
                             l->groups[1],
                             l->groups[2],
                             l->threads_per_warp,
                             l->warps,
                             l->knl,
                             l->lds_bytes - l->warps * ABI_WARP_STACK,
                             l->pds_bytes,
                             l->sgprs,
                             l->vgprs,
                             l->pds_base,
                             n};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++) put_value(f, head[i]);
    for (size_t i = 0; i < n; i++) put_value(f, pieces[i].base);
    for (size_t i = 0; i < n; i++) put_value(f, pieces[i].size);
    for (size_t i = 0; i < n; i++) put_value(f, pieces[i].alloc);
}

/* False: a piece is not there any more. */
static bool put_data(FILE *f, const ventus_device *d, const struct piece *pieces, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint8_t *p = pieces[i].size ? space_host(d, pieces[i].base, pieces[i].size) : NULL;
        if (pieces[i].size && !p) return false;
        for (uint64_t at = 0; at < pieces[i].size; at += 4) {
            uint32_t word = 0;
            memcpy(&word, p + at, pieces[i].size - at < 4 ? pieces[i].size - at : 4);
            fprintf(f, "%08x\n", (unsigned)word);
        }
    }
    return true;
}

static bool close_file(FILE *f, const char *path)
{
    bool good = !ferror(f);
    if (fclose(f) || !good) report(path, "cannot be written");
    return good;
}

static FILE *open_file(const char *path)
{
    FILE *f = path ? fopen(path, "we") : NULL;
    if (!f) report(path ? path : "a file", path ? strerror(errno) : "out of memory");
    return f;
}

static void write_metadata(const ventus_event *e, const struct piece *pieces, size_t n)
{
    char *path = file_name(e, e->device->exported, "metadata");
    FILE *f = open_file(path);
    if (f) put_metadata(f, e, pieces, n);
    if (f) close_file(f, path);
    free(path);
}

/* A file that would be wrong is not left behind. */
static void write_data(const ventus_event *e, uint32_t number, const char *ending, const struct piece *pieces, size_t n)
{
    char *path = file_name(e, number, ending);
    FILE *f = open_file(path);
    const bool whole = f && put_data(f, e->device, pieces, n);
    if (f) close_file(f, path);
    if (f && !whole) report(path, "not written: memory was freed while the kernel ran");
    if (f && !whole) unlink(path);
    free(path);
}

static bool is_small(const struct piece *pieces, size_t n)
{
    uint64_t words = 0;
    for (size_t i = 0; i < n; i++) words += (pieces[i].size + 3) / 4;
    return words <= MOST_WORDS;
}

/* Has it been written? */
static bool export_pieces(const ventus_event *e, const struct piece *pieces, size_t n)
{
    const struct launch *l = &e->job.launch;
    const char *kernel = e->in.kernel->name;
    if (!is_small(pieces, n)) {
        report(kernel, "not written: too much device memory is in use");
        return false;
    }
    if (l->work_items < l->warps * l->threads_per_warp || l->last_items)
        report(kernel, "groups do not fill their warps, which the files cannot say: readers run more work-items");
    write_metadata(e, pieces, n);
    write_data(e, e->device->exported, "data", pieces, n);
    return true;
}

static void forget_pieces(ventus_device *d)
{
    free(d->export_pieces);
    d->export_pieces = NULL;
}

void launch_export(const ventus_event *e)
{
    ventus_device *d = e->device;
    if (!d->export_folder || e->raw) return;
    pthread_mutex_lock(&d->lock);
    d->export_pieces = malloc((d->nsegments + d->heap.blocks.count + 1) * sizeof *d->export_pieces);
    d->nexport_pieces = d->export_pieces ? list_pieces(e, d->export_pieces) : 0;
    if (!d->export_pieces) report(e->in.kernel->name, "not written: out of memory");
    else if (!export_pieces(e, d->export_pieces, d->nexport_pieces)) forget_pieces(d);
    d->exported++;
    pthread_mutex_unlock(&d->lock);
}

void launch_export_result(const ventus_event *e, bool failed)
{
    ventus_device *d = e->device;
    if (!d->export_pieces) return;
    pthread_mutex_lock(&d->lock);
    if (!failed && e->emptied)
        report(e->in.kernel->name, "its print buffer was emptied while it ran, which no file can say");
    else if (!failed) write_data(e, d->exported - 1, "expect", d->export_pieces, d->nexport_pieces);
    forget_pieces(d);
    pthread_mutex_unlock(&d->lock);
}

void device_export_environment(ventus_device *d)
{
    const char *folder = secure_getenv("VENTUS_EXPORT");
    struct stat status;
    char *path = NULL;
    if (!folder || !*folder) return;
    if (stat(folder, &status) || !S_ISDIR(status.st_mode)) {
        report(folder, "there is no such folder, so launches are not written; make it first");
        return;
    }
    if (asprintf(&path, "%s/machine.conf", folder) < 0) return;
    FILE *f = open_file(path);
    if (f) gpu_config_print(gpu_config_of(d->gpu), f);
    if (f && close_file(f, path)) d->export_folder = strdup(folder);
    free(path);
}
