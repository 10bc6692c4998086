/* Device memory: first-fit allocation in the heap window, and copies that stay inside allocations.
 *
 * Invariant: device->blocks is ascending, blocks do not overlap, and at least one closed page lies
 * behind each, so that a kernel that runs past the end of a buffer faults. Free space is what lies
 * between blocks, so neighbouring free ranges are one range without further work. */
#include <stdlib.h>
#include <string.h>

#include "driver/driver.h"

static uint64_t pages_up(uint64_t size) { return (size + ABI_PAGE - 1) & ~(uint64_t)(ABI_PAGE - 1); }

/* First address behind the block and its closed page. */
static uint64_t block_end(const struct block *b) { return b->addr + pages_up(b->size) + ABI_PAGE; }

/* Index of the first block above addr. */
static size_t block_above(const ventus_device *d, uint32_t addr)
{
    size_t lo = 0, hi = d->nblocks;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (d->blocks[mid].addr > addr) hi = mid;
        else lo = mid + 1;
    }
    return lo;
}

/* The place of the first gap that holds `need` bytes; false when there is none. */
static bool find_gap(const ventus_device *d, uint64_t need, size_t *index, uint64_t *addr)
{
    uint64_t at = ABI_HEAP_BASE;
    for (size_t i = 0; i < d->nblocks; i++) {
        if (d->blocks[i].addr - at >= need) {
            *index = i;
            *addr = at;
            return true;
        }
        at = block_end(&d->blocks[i]);
    }
    *index = d->nblocks;
    *addr = at;
    return at <= ABI_HEAP_LIMIT && ABI_HEAP_LIMIT - at >= need;
}

static bool grow(ventus_device *d)
{
    if (d->nblocks < d->capacity) return true;
    size_t capacity = d->capacity ? d->capacity * 2 : 64;
    struct block *b = realloc(d->blocks, capacity * sizeof *b);
    if (!b) return false;
    d->blocks = b;
    d->capacity = capacity;
    return true;
}

static enum ventus_status alloc_locked(ventus_device *d, uint64_t size, uint32_t *addr)
{
    size_t i;
    uint64_t at;
    if (size > ABI_HEAP_LIMIT - ABI_HEAP_BASE || !find_gap(d, pages_up(size) + ABI_PAGE, &i, &at)) return VENTUS_NO_DEVICE_MEMORY;
    if (!grow(d) || !gpu_mem_open(d->gpu, (uint32_t)at, size, GPU_READ | GPU_WRITE)) return VENTUS_NO_MEMORY;
    memmove(d->blocks + i + 1, d->blocks + i, (d->nblocks - i) * sizeof *d->blocks);
    d->blocks[i] = (struct block){(uint32_t)at, size};
    d->nblocks++;
    *addr = (uint32_t)at;
    return VENTUS_OK;
}

enum ventus_status ventus_alloc(ventus_device *device, uint64_t size, uint32_t *addr)
{
    if (!device || !addr || !size) return VENTUS_BAD_ARGUMENT;
    mtx_lock(&device->lock);
    enum ventus_status status = alloc_locked(device, size, addr);
    mtx_unlock(&device->lock);
    return status;
}

static enum ventus_status free_locked(ventus_device *d, uint32_t addr)
{
    size_t i = block_above(d, addr);
    if (i == 0 || d->blocks[i - 1].addr != addr) return VENTUS_BAD_ARGUMENT;
    gpu_mem_close(d->gpu, addr, d->blocks[i - 1].size);
    memmove(d->blocks + i - 1, d->blocks + i, (d->nblocks - i) * sizeof *d->blocks);
    d->nblocks--;
    return VENTUS_OK;
}

enum ventus_status ventus_free(ventus_device *device, uint32_t addr)
{
    if (!device) return VENTUS_BAD_ARGUMENT;
    mtx_lock(&device->lock);
    enum ventus_status status = free_locked(device, addr);
    mtx_unlock(&device->lock);
    return status;
}

static bool inside(uint32_t addr, uint64_t size, uint32_t start, uint64_t length)
{
    return addr >= start && addr - start <= length && size <= length - (addr - start);
}

/* Host address of a range of one allocation; NULL if it is not. */
static void *in_block(const ventus_device *d, uint32_t addr, uint64_t size)
{
    size_t i = block_above(d, addr);
    if (i == 0 || !inside(addr, size, d->blocks[i - 1].addr, d->blocks[i - 1].size)) return NULL;
    return gpu_mem(d->gpu, addr, size);
}

static const struct segment *in_module(const ventus_device *d, uint32_t addr, uint64_t size)
{
    for (size_t i = 0; i < d->nsegments; i++)
        if (inside(addr, size, d->segments[i].addr, d->segments[i].memsize)) return &d->segments[i];
    return NULL;
}

/* A device range being copied. Ranges of the module are opened for writing as long as that takes. */
struct range { uint8_t *host; const struct segment *segment; };

static bool begin(ventus_device *d, uint32_t addr, uint64_t size, bool write, struct range *r)
{
    *r = (struct range){.host = in_block(d, addr, size)};
    if (r->host) return true;
    const struct segment *s = in_module(d, addr, size);
    if (!s) return false;
    if (write) {
        if (!gpu_mem_open(d->gpu, s->addr, s->memsize, s->access | GPU_WRITE)) return false;
        r->segment = s;
    }
    r->host = gpu_mem(d->gpu, addr, size);
    return r->host != NULL;
}

static void end(ventus_device *d, const struct range *r)
{
    if (r->segment) gpu_mem_open(d->gpu, r->segment->addr, r->segment->memsize, r->segment->access);
}

/* The module changes only under `running`; copies within allocations do not wait for a launch. */
static bool takes_running(uint32_t addr) { return addr < ABI_HEAP_BASE; }

static void lock(ventus_device *d, bool running)
{
    if (running) mtx_lock(&d->running);
    mtx_lock(&d->lock);
}

static void unlock(ventus_device *d, bool running)
{
    mtx_unlock(&d->lock);
    if (running) mtx_unlock(&d->running);
}

enum ventus_status ventus_write(ventus_device *device, uint32_t addr, const void *src, uint64_t size)
{
    struct range to;
    if (!device || (!src && size)) return VENTUS_BAD_ARGUMENT;
    if (!size) return VENTUS_OK;
    lock(device, takes_running(addr));
    bool ok = begin(device, addr, size, true, &to);
    if (ok) {
        memcpy(to.host, src, size);
        end(device, &to);
    }
    unlock(device, takes_running(addr));
    return ok ? VENTUS_OK : VENTUS_OUT_OF_RANGE;
}

enum ventus_status ventus_read(ventus_device *device, void *dst, uint32_t addr, uint64_t size)
{
    struct range from;
    if (!device || (!dst && size)) return VENTUS_BAD_ARGUMENT;
    if (!size) return VENTUS_OK;
    lock(device, takes_running(addr));
    bool ok = begin(device, addr, size, false, &from);
    if (ok) memcpy(dst, from.host, size);
    unlock(device, takes_running(addr));
    return ok ? VENTUS_OK : VENTUS_OUT_OF_RANGE;
}

enum ventus_status ventus_copy(ventus_device *device, uint32_t dst, uint32_t src, uint64_t size)
{
    struct range to = {0}, from;
    if (!device) return VENTUS_BAD_ARGUMENT;
    if (!size) return VENTUS_OK;
    bool running = takes_running(dst) || takes_running(src);
    lock(device, running);
    bool ok = begin(device, src, size, false, &from) && begin(device, dst, size, true, &to);
    if (ok) {
        memmove(to.host, from.host, size);
        end(device, &to);
    }
    unlock(device, running);
    return ok ? VENTUS_OK : VENTUS_OUT_OF_RANGE;
}

enum ventus_status ventus_fill(ventus_device *device, uint32_t addr, const void *pattern, size_t pattern_size, uint64_t size)
{
    struct range to;
    if (!device || !pattern || !pattern_size || size % pattern_size) return VENTUS_BAD_ARGUMENT;
    if (!size) return VENTUS_OK;
    lock(device, takes_running(addr));
    bool ok = begin(device, addr, size, true, &to);
    if (ok) {
        for (uint64_t done = 0; done < size; done += pattern_size) memcpy(to.host + done, pattern, pattern_size);
        end(device, &to);
    }
    unlock(device, takes_running(addr));
    return ok ? VENTUS_OK : VENTUS_OUT_OF_RANGE;
}

void *ventus_map(ventus_device *device, uint32_t addr, uint64_t size)
{
    if (!device || !size) return NULL;
    mtx_lock(&device->lock);
    void *p = in_block(device, addr, size);
    mtx_unlock(&device->lock);
    return p;
}
