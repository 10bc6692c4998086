/* The memory of a device behind the driver, and the machine's, which is its mirror.
 *
 * `pages` has what the device is known to have. What differs from it goes to the device before a launch: all of the
 * program and of allocations, but not private memory, which nobody has written. Behind the launch only those bytes come
 * back that the device has changed: the host may have written others meanwhile. With the device's lock held, as copies
 * are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/driver.h"

struct walk {
    ventus_device *d;
    struct backend *b;
    bool (*visit)(struct backend *b, uint32_t page, uint8_t *host);
    uint32_t private; /* address of a launch's private memory, 0: it has none */
};

static uint32_t page_of(uint32_t addr) { return addr / ABI_PAGE; }

static bool fail(struct backend *b, const char *did, uint32_t page, const char *why)
{
    if (*b->says) return false; /* why the launch has ended matters more */
    snprintf(b->says, sizeof b->says, "device %.90s: its memory at 0x%08x cannot be %s: %.200s", b->spec,
             (unsigned)(page * ABI_PAGE), did, *why ? why : "it does not say why");
    return false;
}

/* ---- pages ---- */

static bool write_page(struct backend *b, uint32_t page, uint8_t *host)
{
    char why[300] = "";
    uint8_t **has = &b->pages[page];
    if (*has && !memcmp(*has, host, ABI_PAGE)) return true;
    if (!*has && !(*has = malloc(ABI_PAGE))) return fail(b, "written", page, "out of memory");
    memcpy(*has, host, ABI_PAGE);
    const int failed = b->table->write(b->device, (uint64_t)page * ABI_PAGE, *has, ABI_PAGE, why, sizeof why);
    why[sizeof why - 1] = 0;
    if (!failed) return true;
    free(*has);
    *has = NULL;
    return fail(b, "written", page, why);
}

static bool read_page(struct backend *b, uint32_t page, uint8_t *host)
{
    char why[300] = "";
    uint8_t now[ABI_PAGE], *had = b->pages[page];
    if (!had) return true; /* allocated since */
    if (b->table->read(b->device, (uint64_t)page * ABI_PAGE, now, ABI_PAGE, why, sizeof why)) {
        why[sizeof why - 1] = 0;
        return fail(b, "read", page, why);
    }
    if (!memcmp(now, had, ABI_PAGE)) return true;
    for (size_t i = 0; i < ABI_PAGE; i++)
        if (now[i] != had[i]) host[i] = now[i];
    memcpy(had, now, ABI_PAGE);
    return true;
}

/* Private memory: the device has pages there, whatever is in them. */
static bool claim_page(struct backend *b, uint32_t page, uint8_t *host)
{
    return b->pages[page] || write_page(b, page, host);
}

/* ---- what there is ---- */

static bool visit_range(const struct walk *w, uint32_t addr, uint64_t size,
                        bool (*visit)(struct backend *b, uint32_t page, uint8_t *host))
{
    const uint32_t at = space_physical(w->d, addr & ~(ABI_PAGE - 1));
    const uint64_t pages = ((addr & (ABI_PAGE - 1)) + size + ABI_PAGE - 1) / ABI_PAGE;
    for (uint64_t i = 0; i < pages; i++) {
        const uint32_t page = at + (uint32_t)(i * ABI_PAGE);
        uint8_t *host = gpu_mem(w->d->gpu, page, ABI_PAGE);
        if (visit == read_page && gpu_mem_writable(w->d->gpu, page) != page) continue; /* code and constants */
        if (host && !visit(w->b, page_of(at) + (uint32_t)i, host)) return false;
    }
    return true;
}

/* The code window of somebody who has opened it as a whole (vt/): what has been touched of it. */
static bool visit_window(const struct walk *w)
{
    struct host_pages touched;
    uint8_t *host = gpu_mem(w->d->gpu, ABI_CODE_BASE, ABI_PAGE);
    bool good = true;
    if (!host) return true;
    host_pages_open(&touched);
    const uintptr_t first = (uintptr_t)host / touched.size;
    const uintptr_t end = first + (ABI_CODE_LIMIT - ABI_CODE_BASE) / touched.size;
    for (uintptr_t p = first; good && (p = host_touched(&touched, p, end)) < end; p++)
        good = visit_range(w, ABI_CODE_BASE + (uint32_t)((p - first) * touched.size), touched.size, w->visit);
    host_pages_close(&touched);
    return good;
}

/* The page table, which the device only reads. */
static bool visit_table(const struct walk *w)
{
    uint8_t *host = w->visit == read_page ? NULL : (uint8_t *)w->d->entries;
    for (uint32_t i = 0; host && i < space_table_bytes() / ABI_PAGE; i++)
        if (!w->visit(w->b, page_of(ABI_HEAP_BASE) + i, host + i * ABI_PAGE)) return false;
    return true;
}

static bool walk(const struct walk *w)
{
    const ventus_device *d = w->d;
    if (!d->nsegments && !visit_window(w)) return false;
    for (size_t i = 0; i < d->nsegments; i++)
        if (!visit_range(w, d->segments[i].addr, d->segments[i].memsize, w->visit)) return false;
    for (const struct block *b = NULL; (b = blocks_above(&d->heap.blocks, b ? b->addr : 0));) {
        const bool private = w->private && b->addr == w->private;
        if (private && w->visit == read_page) continue;
        if (!visit_range(w, b->addr, b->size, private ? claim_page : w->visit)) return false;
    }
    return visit_table(w);
}

static bool walk_locked(ventus_device *d, bool (*visit)(struct backend *b, uint32_t page, uint8_t *host))
{
    const ventus_event *e = d->backend->job->user;
    const struct walk w = {d, d->backend, visit, e->pds};
    pthread_mutex_lock(&d->lock);
    const bool good = walk(&w);
    pthread_mutex_unlock(&d->lock);
    return good;
}

bool mirror_push(ventus_device *d) { return walk_locked(d, write_page); }

bool mirror_pull(ventus_device *d) { return walk_locked(d, read_page); }

void mirror_forget(struct backend *b)
{
    for (size_t i = 0; i < BACKEND_PAGES; i++) {
        free(b->pages[i]);
        b->pages[i] = NULL;
    }
}
