/* Device memory: first-fit allocation in the heap window, and copies that stay inside allocations.
 *
 * Invariant: blocks do not overlap (heap.c), and (unless it is packed) at least one closed page lies behind each, so
 * that a kernel that runs past the end of a buffer faults.
 *
 * A closed page parts two mappings of the process, of which the host gives it some 65,000: so only the first thousands
 * of blocks have one. The others share mappings, and their pages stay open when they are freed. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "driver/driver.h"

static const uint64_t area_base[HEAP_AREAS] = {[AREA_ALL] = ABI_HEAP_BASE, [AREA_LAUNCHES] = ABI_LAUNCH_BASE};

/* ---- places ---- */

static uint64_t heap_size(const struct heap *h) { return h->blocks.end - h->blocks.base; }

static uint64_t pages_up(uint64_t size) { return (size + ABI_PAGE - 1) & ~(uint64_t)(ABI_PAGE - 1); }

/* A closed page makes two more mappings of the host: 16384 of the 65530 that Linux allows a process. */
enum { MOST_PARTED = 8192 };

/* Blocks of this process with a closed page behind them. */
static atomic_uint parted;

/* Is the next block to do without? */
static bool packs(const struct heap *h) { return h->flags & VENTUS_HEAP_PACKED || parted >= MOST_PARTED; }

/* Bytes of a block with what lies closed behind it. */
static uint64_t span_of(uint64_t size, bool packed) { return pages_up(size) + (packed ? 0 : ABI_PAGE); }

/* Where the next block of an area may begin. */
static uint64_t area_begin(const struct heap *h, enum heap_area area)
{
    uint64_t base = area_base[area];
    return h->flags & VENTUS_HEAP_ASCENDING && base < h->next ? h->next : base;
}

/* ---- pages left open ---- */

/* Removes one from a list of blocks, of which the oldest is the first. */
static struct block take_out(struct block *list, size_t *count, size_t i)
{
    struct block b = list[i];
    --*count;
    memmove(list + i, list + i + 1, (*count - i) * sizeof b);
    return b;
}

static bool lies_in(const struct block *b, uint64_t addr, uint64_t end)
{
    return b->addr < end && b->addr + b->size > addr;
}

static bool is_same(const struct block *a, const struct block *b)
{
    return b && a->addr == b->addr && a->size == b->size;
}

/* Takes blocks that lie in [addr, end) out of a list and gives their memory back, but for that of one that is exactly
 * `wanted`: then the answer is true, and `wanted` that block. */
static bool give_back_range(ventus_device *d, struct block *list, size_t *count, uint64_t addr, uint64_t end,
                            struct block *wanted)
{
    bool found = false;
    for (size_t i = *count; i-- > 0;) {
        if (!lies_in(&list[i], addr, end)) continue;
        struct block b = take_out(list, count, i);
        if (is_same(&b, wanted)) *wanted = b, found = true;
        else space_unmap(d, b.addr, b.size);
    }
    return found;
}

/* Closes the kept blocks that lie in [addr, end) but for one that is exactly `wanted`: it stays open, filled with
 * zeros.
 */
static bool close_kept_range(ventus_device *d, uint64_t addr, uint64_t end, struct block *wanted)
{
    bool found = give_back_range(d, d->heap.kept, &d->heap.nkept, addr, end, wanted);
    if (found) memset(space_host(d, wanted->addr, wanted->size), 0, wanted->size);
    return found;
}

/* Who observes accesses is to see those of pages that nobody has. A debugger alone does not look at them. */
static bool is_observed(const ventus_device *d) { return d->debugger ? d->check != NULL : gpu_observed(d->gpu); }

/* ---- pages that rest ---- */

/* Buffers are often created, used and released again and again, one in the place of the other. For the host to find and
 * clear a page when it is first touched takes ten times as long as to fill one with zeros: so pages keep their memory
 * when they are closed, for the next block of their place and size. To close and to open them are a system call each,
 * which takes as long as to fill a dozen pages: while no kernel can run, who would meet a closed page, they stay open
 * until the next one is about to. */

static bool end_rest(ventus_device *d, uint64_t addr, uint64_t end, struct block *wanted)
{
    return give_back_range(d, d->heap.resting, &d->heap.nresting, addr, end, wanted);
}

static uint64_t resting_bytes(const struct heap *h)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < h->nresting; i++) bytes += h->resting[i].size;
    return bytes;
}

/* Page tables show what is open. */
static bool may_rest_open(const ventus_device *d) { return !d->heap.launches && !d->entries && !is_observed(d); }

static bool may_rest(const ventus_device *d, uint64_t size) { return size <= RESTING_MOST && !d->heap.flags; }

static void rest(ventus_device *d, uint32_t addr, uint64_t size)
{
    struct heap *h = &d->heap;
    const struct block r = {.addr = addr, .size = pages_up(size), .open = may_rest_open(d)};
    while (h->nresting == RESTING_BLOCKS || resting_bytes(h) + r.size > RESTING_BYTES)
        end_rest(d, h->resting->addr, h->resting->addr + h->resting->size, NULL);
    if (!r.open) space_shut(d, addr, r.size);
    h->resting[h->nresting++] = r;
}

/* A kernel is about to run. */
static void close_resting(ventus_device *d)
{
    struct heap *h = &d->heap;
    for (size_t i = 0; i < h->nresting; i++) {
        struct block *r = &h->resting[i];
        if (r->open) space_shut(d, r->addr, r->size);
        r->open = false;
    }
}

/* Frees what is left of blocks in [addr, end). */
static void close_left(ventus_device *d, uint64_t addr, uint64_t end)
{
    close_kept_range(d, addr, end, NULL);
    end_rest(d, addr, end, NULL);
}

/* To ask the host which of its pages have memory is worth it for many. */
static void clear_rested(ventus_device *d, const struct block *b)
{
    if (b->size <= KEPT_BYTES) memset(space_host(d, b->addr, b->size), 0, b->size);
    else space_clear(d, b->addr, b->size);
}

/* Opens the pages of a new block and sees to it that what is to lie closed behind it does. */
static bool open_block(ventus_device *d, const struct block *b)
{
    struct block pages = {.addr = b->addr, .size = pages_up(b->size)};
    const uint32_t behind = (uint32_t)(pages.addr + pages.size);
    if (!b->packed && space_host(d, behind, ABI_PAGE)) space_unmap(d, behind, ABI_PAGE); /* of a packed block */
    const bool rested = end_rest(d, b->addr, b->addr + b->span, &pages);
    if (close_kept_range(d, b->addr, b->addr + b->span, &pages)) return true;
    if (!pages.open && !space_map(d, b->addr, b->size, GPU_READ | GPU_WRITE)) {
        if (rested) space_unmap(d, b->addr, b->size);
        return false;
    }
    if (rested) clear_rested(d, &pages);
    return true;
}

/* May the pages of a freed block of a launch stay open, in a heap whose blocks have closed pages between them? */
static bool may_keep(const ventus_device *d, uint64_t size)
{
    return size <= KEPT_BYTES && !d->heap.flags && !is_observed(d);
}

static void keep_open(ventus_device *d, uint32_t addr, uint64_t size)
{
    struct heap *h = &d->heap;
    if (h->nkept == KEPT_BLOCKS) {
        struct block oldest = take_out(h->kept, &h->nkept, 0);
        space_unmap(d, oldest.addr, oldest.size);
    }
    h->kept[h->nkept++] = (struct block){.addr = addr, .size = pages_up(size)};
}

/* ---- allocation ---- */

/* Notes a block whose pages are open. */
static void note_block(ventus_device *d, const struct block *block)
{
    d->heap.next = block->addr + block->span;
    if (!block->packed) atomic_fetch_add(&parted, 1);
    device_notify(d, HOST_OPEN, block->addr, block->size);
}

/* A block of a large page of the host and more begins at a multiple of one, as long as that leaves most of the heap in
 * one piece. */
static bool find_large(const struct heap *h, uint64_t from, uint64_t span, uint64_t *at)
{
    uint64_t begin, bytes;
    if (h->flags || h->blocks.used > heap_size(h) / 4) return false;
    for (; blocks_find(&h->blocks, from, span, &begin, &bytes); from = begin + bytes) {
        *at = (begin + GPU_LARGE_PAGE - 1) / GPU_LARGE_PAGE * GPU_LARGE_PAGE;
        if (*at - begin + span <= bytes) return true;
    }
    return false;
}

static bool find_place(const struct heap *h, uint64_t from, const struct block *b, uint64_t *at)
{
    uint64_t bytes;
    if (b->size >= GPU_LARGE_PAGE && find_large(h, from, b->span, at)) return true;
    return blocks_find(&h->blocks, from, b->span, at, &bytes);
}

static enum ventus_status alloc_locked(ventus_device *d, enum heap_area area, uint64_t size, uint32_t *addr)
{
    struct heap *h = &d->heap;
    const bool packed = packs(h);
    uint64_t at;
    struct block b = {.size = size, .packed = packed}, was;
    if (size > heap_size(h)) return VENTUS_NO_DEVICE_MEMORY;
    b.span = span_of(size, packed);
    if (!find_place(h, area_begin(h, area), &b, &at)) return VENTUS_NO_DEVICE_MEMORY;
    b.addr = (uint32_t)at;
    if (!blocks_add(&h->blocks, &b)) return VENTUS_NO_MEMORY;
    if (!open_block(d, &b)) {
        blocks_remove(&h->blocks, b.addr, &was);
        return VENTUS_NO_MEMORY;
    }
    note_block(d, &b);
    *addr = b.addr;
    return VENTUS_OK;
}

enum ventus_status ventus_alloc(ventus_device *device, uint64_t size, uint32_t *addr)
{
    if (!device || !addr || !size) return VENTUS_BAD_ARGUMENT;
    pthread_mutex_lock(&device->lock);
    enum ventus_status status = alloc_locked(device, AREA_ALL, size, addr);
    pthread_mutex_unlock(&device->lock);
    return status;
}

enum ventus_status memory_alloc_launch(ventus_device *device, uint64_t size, uint32_t *addr, void **host)
{
    enum ventus_status status = VENTUS_NO_DEVICE_MEMORY;
    pthread_mutex_lock(&device->lock);
    if (!device->heap.flags) status = alloc_locked(device, AREA_LAUNCHES, size, addr);
    if (status == VENTUS_NO_DEVICE_MEMORY) status = alloc_locked(device, AREA_ALL, size, addr);
    if (status == VENTUS_OK) {
        device->heap.launches++;
        close_resting(device);
        *host = space_host(device, *addr, size);
        device_notify(device, HOST_WRITE, *addr, size); /* it will */
    }
    pthread_mutex_unlock(&device->lock);
    return status;
}

/* ---- memory shared with the host ---- */

/* Where the host has something in the way, the next place to try is so far on: 4096 attempts at most. */
enum { SHARED_STEP = 1 << 20 };

bool ventus_can_share(void)
{
    enum { ROOM = 256 << 20 }; /* less of it is not worth having: a guess */
    for (uint64_t at = ABI_HEAP_BASE; at + ROOM <= ABI_HEAP_LIMIT; at += ROOM)
        if (gpu_mem_can_share((uint32_t)at, ROOM)) return true;
    return false;
}

/* Opens shared pages at the first place of a gap that is free in the host, too. */
static bool open_in_gap(ventus_device *d, uint64_t *at, uint64_t end, uint64_t size)
{
    for (const uint64_t need = span_of(size, false); *at + need <= end; *at = (*at / SHARED_STEP + 1) * SHARED_STEP) {
        close_left(d, *at, *at + need);
        if (gpu_mem_open_shared(d->gpu, (uint32_t)*at, size)) return true;
    }
    return false;
}

static enum ventus_status alloc_shared_locked(ventus_device *d, uint64_t size, uint32_t *addr)
{
    struct blocks *p = &d->heap.blocks;
    struct block b = {.size = size, .shared = true};
    uint64_t at, bytes, from = area_begin(&d->heap, AREA_ALL);
    if (size > heap_size(&d->heap) || d->entries) return VENTUS_NO_DEVICE_MEMORY;
    b.span = span_of(size, false);
    while (blocks_find(p, from, b.span, &at, &bytes)) {
        from = at + bytes;
        if (!open_in_gap(d, &at, from, size)) continue;
        b.addr = *addr = (uint32_t)at;
        if (!blocks_add(p, &b)) {
            gpu_mem_close_shared(d->gpu, b.addr, size);
            return VENTUS_NO_MEMORY;
        }
        note_block(d, &b);
        device_notify(d, HOST_WRITE, *addr, size); /* it may, whenever it likes */
        return VENTUS_OK;
    }
    return VENTUS_NO_DEVICE_MEMORY;
}

enum ventus_status ventus_alloc_shared(ventus_device *device, uint64_t size, uint32_t *addr)
{
    if (!device || !addr || !size) return VENTUS_BAD_ARGUMENT;
    pthread_mutex_lock(&device->lock);
    enum ventus_status status = alloc_shared_locked(device, size, addr);
    pthread_mutex_unlock(&device->lock);
    return status;
}

/* ---- freeing ---- */

static void close_block(ventus_device *d, const struct block *block, bool keep)
{
    if (block->shared) gpu_mem_close_shared(d->gpu, block->addr, block->size);
    else if (block->packed && !(d->heap.flags & VENTUS_HEAP_PACKED)) space_discard(d, block->addr, block->size);
    else if (keep && may_keep(d, block->size)) keep_open(d, block->addr, block->size);
    else if (may_rest(d, block->size)) rest(d, block->addr, block->size);
    else space_unmap(d, block->addr, block->size);
}

static enum ventus_status free_locked(ventus_device *d, uint32_t addr, bool keep)
{
    struct block b;
    if (!blocks_remove(&d->heap.blocks, addr, &b)) return VENTUS_BAD_ARGUMENT;
    device_notify(d, HOST_CLOSE, addr, b.size);
    close_block(d, &b, keep);
    if (!b.packed) atomic_fetch_sub(&parted, 1);
    return VENTUS_OK;
}

enum ventus_status ventus_free(ventus_device *device, uint32_t addr)
{
    if (!device) return VENTUS_BAD_ARGUMENT;
    pthread_mutex_lock(&device->lock);
    enum ventus_status status = free_locked(device, addr, false);
    pthread_mutex_unlock(&device->lock);
    return status;
}

void memory_keep(ventus_device *device, uint32_t addr)
{
    pthread_mutex_lock(&device->lock);
    free_locked(device, addr, true);
    pthread_mutex_unlock(&device->lock);
}

void memory_keep_launch(ventus_device *device, uint32_t addr)
{
    pthread_mutex_lock(&device->lock);
    free_locked(device, addr, true);
    device->heap.launches--;
    pthread_mutex_unlock(&device->lock);
}

enum ventus_status ventus_free_all(ventus_device *device)
{
    if (!device) return VENTUS_BAD_ARGUMENT;
    pthread_mutex_lock(&device->lock);
    for (const struct block *b; (b = blocks_above(&device->heap.blocks, 0));) free_locked(device, b->addr, false);
    close_left(device, ABI_HEAP_BASE, ABI_HEAP_LIMIT);
    pthread_mutex_unlock(&device->lock);
    return VENTUS_OK;
}

bool memory_open(ventus_device *device, uint64_t end) { return blocks_open(&device->heap.blocks, ABI_HEAP_BASE, end); }

void memory_close(ventus_device *device)
{
    struct blocks *p = &device->heap.blocks;
    for (const struct block *b = NULL; p->root && (b = blocks_above(p, b ? b->addr : 0));) {
        if (b->shared) close_block(device, b, false);
        if (!b->packed) atomic_fetch_sub(&parted, 1);
    }
    blocks_close(p);
}

enum ventus_status ventus_heap(ventus_device *device, unsigned flags)
{
    if (!device || flags & ~(unsigned)(VENTUS_HEAP_PACKED | VENTUS_HEAP_ASCENDING)) return VENTUS_BAD_ARGUMENT;
    pthread_mutex_lock(&device->lock);
    bool empty = !device->heap.blocks.count;
    if (empty) {
        close_left(device, ABI_HEAP_BASE, ABI_HEAP_LIMIT);
        device->heap.flags = flags;
        device->heap.next = ABI_HEAP_BASE;
    }
    pthread_mutex_unlock(&device->lock);
    return empty ? VENTUS_OK : VENTUS_BAD_ARGUMENT;
}

/* One page is lost to the closed page behind an allocation. */
uint64_t ventus_memory_size(const ventus_device *device)
{
    return device ? heap_size(&device->heap) - span_of(0, device->heap.flags & VENTUS_HEAP_PACKED) : 0;
}

void ventus_memory(ventus_device *device, struct ventus_memory *memory)
{
    *memory = (struct ventus_memory){.size = ventus_memory_size(device)};
    pthread_mutex_lock(&device->lock);
    const struct heap *h = &device->heap;
    const uint64_t closed = span_of(0, packs(h));
    bool ascending = h->flags & VENTUS_HEAP_ASCENDING;
    const uint64_t largest = ascending ? h->blocks.end - area_begin(h, AREA_ALL) : blocks_largest(&h->blocks);
    memory->blocks = h->blocks.count;
    memory->used = h->blocks.used;
    memory->largest = largest > closed ? largest - closed : 0;
    pthread_mutex_unlock(&device->lock);
}

/* ---- ranges ---- */

static bool inside(uint32_t addr, uint64_t size, uint32_t start, uint64_t length)
{
    return addr >= start && addr - start <= length && size <= length - (addr - start);
}

/* Host address of a range of one allocation; NULL if it is not. */
static void *in_block(const ventus_device *d, uint32_t addr, uint64_t size)
{
    const struct block *b = blocks_at(&d->heap.blocks, addr);
    if (!b || !inside(addr, size, b->addr, b->size)) return NULL;
    return space_host(d, addr, size);
}

static const struct segment *in_module(const ventus_device *d, uint32_t addr, uint64_t size)
{
    for (size_t i = 0; i < d->nsegments; i++)
        if (inside(addr, size, d->segments[i].addr, d->segments[i].memsize)) return &d->segments[i];
    return NULL;
}

/* A device range being copied. Ranges of the module are opened for writing as long as that takes. */
struct range {
    uint8_t *host;
    const struct segment *segment;
};

static bool begin(ventus_device *d, uint32_t addr, uint64_t size, bool write, struct range *r)
{
    *r = (struct range){.host = in_block(d, addr, size)};
    if (r->host) return true;
    const struct segment *s = in_module(d, addr, size);
    if (!s) return false;
    if (write) {
        if (!space_map(d, s->addr, s->memsize, s->access | GPU_WRITE)) return false;
        r->segment = s;
    }
    r->host = space_host(d, addr, size);
    return r->host != NULL;
}

static void end(ventus_device *d, const struct range *r)
{
    if (r->segment) space_map(d, r->segment->addr, r->segment->memsize, r->segment->access);
}

/* ---- copies ---- */

/* Observers hear of a write before it is made: a debugger that puts memory back meanwhile must not take it away again.
 */

/* Those within allocations do not wait for a launch; to touch the module takes an idle machine. */
static bool in_window(uint32_t addr) { return addr < ABI_HEAP_BASE; }

static bool lock(ventus_device *d, bool pause)
{
    if (pause && !queue_pause(d)) return false;
    pthread_mutex_lock(&d->lock);
    return true;
}

static void unlock(ventus_device *d, bool pause)
{
    pthread_mutex_unlock(&d->lock);
    if (pause) queue_resume(d);
}

enum ventus_status ventus_write(ventus_device *device, uint32_t addr, const void *src, uint64_t size)
{
    struct range to;
    if (!device || (!src && size)) return VENTUS_BAD_ARGUMENT;
    if (!size) return VENTUS_OK;
    if (!lock(device, in_window(addr))) return VENTUS_BAD_ARGUMENT;
    bool ok = begin(device, addr, size, true, &to);
    if (ok) {
        device_notify(device, HOST_WRITE, addr, size);
        memcpy(to.host, src, size);
        device_profile_host(device, true, addr, size);
        end(device, &to);
    }
    unlock(device, in_window(addr));
    return ok ? VENTUS_OK : VENTUS_OUT_OF_RANGE;
}

enum ventus_status ventus_read(ventus_device *device, void *dst, uint32_t addr, uint64_t size)
{
    struct range from;
    if (!device || (!dst && size)) return VENTUS_BAD_ARGUMENT;
    if (!size) return VENTUS_OK;
    if (!lock(device, in_window(addr))) return VENTUS_BAD_ARGUMENT;
    bool ok = begin(device, addr, size, false, &from);
    if (ok) {
        memcpy(dst, from.host, size);
        device_notify(device, HOST_READ, addr, size);
        device_profile_host(device, false, addr, size);
    }
    unlock(device, in_window(addr));
    return ok ? VENTUS_OK : VENTUS_OUT_OF_RANGE;
}

enum ventus_status ventus_copy(ventus_device *device, uint32_t dst, uint32_t src, uint64_t size)
{
    struct range to = {0}, from;
    if (!device) return VENTUS_BAD_ARGUMENT;
    if (!size) return VENTUS_OK;
    bool pause = in_window(dst) || in_window(src);
    if (!lock(device, pause)) return VENTUS_BAD_ARGUMENT;
    bool ok = begin(device, src, size, false, &from) && begin(device, dst, size, true, &to);
    if (ok) {
        gpu_tell(device->gpu, &(struct host_event){HOST_COPY, dst, size, .from = src});
        memmove(to.host, from.host, size);
        end(device, &to);
    }
    unlock(device, pause);
    return ok ? VENTUS_OK : VENTUS_OUT_OF_RANGE;
}

enum ventus_status ventus_fill(ventus_device *device, uint32_t addr, const void *pattern, size_t pattern_size,
                               uint64_t size)
{
    struct range to;
    if (!device || !pattern || !pattern_size || size % pattern_size) return VENTUS_BAD_ARGUMENT;
    if (!size) return VENTUS_OK;
    if (!lock(device, in_window(addr))) return VENTUS_BAD_ARGUMENT;
    bool ok = begin(device, addr, size, true, &to);
    if (ok) {
        device_notify(device, HOST_WRITE, addr, size);
        for (uint64_t done = 0; done < size; done += pattern_size) memcpy(to.host + done, pattern, pattern_size);
        end(device, &to);
    }
    unlock(device, in_window(addr));
    return ok ? VENTUS_OK : VENTUS_OUT_OF_RANGE;
}

void *ventus_map(ventus_device *device, uint32_t addr, uint64_t size)
{
    if (!device || !size) return NULL;
    pthread_mutex_lock(&device->lock);
    void *p = in_block(device, addr, size);
    if (p) device_notify(device, HOST_WRITE, addr, size); /* it may */
    pthread_mutex_unlock(&device->lock);
    return p;
}
