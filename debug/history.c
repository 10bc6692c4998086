/* Going back: the machine is deterministic, so to be at an earlier instruction of a launch is to run it again from its
 * beginning, on the memory of then, up to that instruction.
 *
 * At the beginning of a launch under a debugger the pages that the device can write are copied, those that somebody has
 * touched. Registers, local memory and private memory need no copy: they begin as zeros, or as the launch finds them in
 * these pages. To go back the launch is ended, its memory put back, and the launch run twice: first to see where the
 * last stop before the present instruction is, then up to there. What the host has written meanwhile stays. */
#include <stdlib.h>
#include <string.h>

#include "debug/parts.h"
#include "host/host.h"
#include "isa/abi.h"

enum { PAGES_MOST = 1 << 18 /* 1 GiB */, RANGES_MOST = 256, FREE_MOST = 1024, FEW_PAGES = 4 };

struct history_page {
    uint32_t addr;
    uint8_t bytes[ABI_PAGE];
};

struct history {
    struct host_pages host;      /* kept open: opening takes as long as a small launch */
    struct history_page **pages; /* ascending; behind them those that are free */
    size_t n, made, room;
    bool whole; /* all that is to be put back is here */
    pthread_mutex_t lock;
    struct {
        uint32_t addr;
        uint64_t size;
    } written[RANGES_MOST]; /* by the host, since then */
    size_t nwritten;
};

struct history *history_new(void)
{
    struct history *h = calloc(1, sizeof *h);
    if (!h) return NULL;
    pthread_mutex_init(&h->lock, NULL);
    host_pages_open(&h->host);
    return h;
}

/* Some pages stay for the next launch. */
static void keep_free(struct history *h, size_t most)
{
    while (h->made > most) free(h->pages[--h->made]);
}

void history_forget(struct history *h)
{
    h->n = 0;
    h->whole = false;
    keep_free(h, FREE_MOST);
}

void history_free(struct history *h)
{
    if (!h) return;
    keep_free(h, 0);
    free(h->pages);
    host_pages_close(&h->host);
    pthread_mutex_destroy(&h->lock);
    free(h);
}

bool history_there(const struct history *h) { return h->whole; }

static bool in_local_window(uint32_t addr) { return addr - ABI_LOCAL_BASE < ABI_LOCAL_LIMIT - ABI_LOCAL_BASE; }

typedef bool each_page(struct history *h, uint32_t addr, uint8_t *bytes);

/* Calls for each page from `at` to `end`, a range as of gpu_mem_writable_end, that somebody has touched. To ask for a
 * few takes the host longer than to copy them: they count as touched. So does memory shared with the host, which does
 * not say of this mapping what has been written by the other one. */
static bool each_between(struct history *h, struct gpu *gpu, uint64_t at, uint64_t end, each_page *each)
{
    uint8_t *const bytes = gpu_mem(gpu, (uint32_t)at, end - at);
    const uintptr_t base = (uintptr_t)bytes - at, size = h->host.size, behind = (base + end + size - 1) / size;
    const bool shared = gpu_mem_is_shared(gpu, (uint32_t)at);
    for (; bytes && at < end; at += ABI_PAGE) {
        if (!shared && end - at > FEW_PAGES * ABI_PAGE) {
            const uintptr_t touched = host_touched(&h->host, (base + at) / size, behind) * size - base;
            if (touched >= end) break;
            if (touched > at) at = touched;
        }
        if (!each(h, (uint32_t)at, (uint8_t *)(base + at))) return false;
    }
    return true;
}

/* The same for all pages that the device can write. */
static bool each_writable(struct history *h, struct gpu *gpu, each_page *each)
{
    host_pages_look(&h->host);
    for (uint64_t at = 0; (at = gpu_mem_writable(gpu, at)) <= UINT32_MAX;) {
        uint64_t end = gpu_mem_writable_end(gpu, at);
        if (in_local_window((uint32_t)at)) end = ABI_LOCAL_LIMIT;
        else if (at < ABI_LOCAL_BASE && end > ABI_LOCAL_BASE) end = ABI_LOCAL_BASE;
        if (!in_local_window((uint32_t)at) && !each_between(h, gpu, at, end, each)) return false;
        at = end;
    }
    return true;
}

static bool make_page(struct history *h)
{
    if (h->made == PAGES_MOST) return false;
    if (h->made == h->room) {
        size_t room = h->room ? 2 * h->room : 256;
        struct history_page **pages = realloc(h->pages, room * sizeof *pages);
        if (!pages) return false;
        h->pages = pages;
        h->room = room;
    }
    struct history_page *page = malloc(sizeof *page);
    if (page) h->pages[h->made++] = page;
    return page;
}

static bool keep_page(struct history *h, uint32_t addr, uint8_t *bytes)
{
    if (h->n == h->made && !make_page(h)) return false;
    struct history_page *page = h->pages[h->n++];
    page->addr = addr;
    memcpy(page->bytes, bytes, ABI_PAGE);
    return true;
}

void history_begin(struct history *h, struct gpu *gpu)
{
    history_forget(h);
    pthread_mutex_lock(&h->lock);
    h->nwritten = 0;
    pthread_mutex_unlock(&h->lock);
    h->whole = each_writable(h, gpu, keep_page);
    if (!h->whole) history_forget(h);
}

void history_host(struct history *h, uint32_t addr, uint64_t size)
{
    pthread_mutex_lock(&h->lock);
    if (h->nwritten < RANGES_MOST) {
        h->written[h->nwritten].addr = addr;
        h->written[h->nwritten].size = size;
    }
    h->nwritten++;
    pthread_mutex_unlock(&h->lock);
}

static bool is_hosts(const struct history *h, uint32_t addr)
{
    if (h->nwritten > RANGES_MOST) return true; /* who knows */
    for (size_t i = 0; i < h->nwritten; i++)
        if (h->written[i].addr < (uint64_t)addr + ABI_PAGE && addr < h->written[i].addr + h->written[i].size)
            return true;
    return false;
}

static int by_address(const void *key, const void *page)
{
    const uint32_t a = *(const uint32_t *)key, b = (*(struct history_page *const *)page)->addr;
    return a < b ? -1 : a > b;
}

static bool put_back(struct history *h, uint32_t addr, uint8_t *bytes)
{
    if (is_hosts(h, addr)) return true;
    struct history_page *const *page = h->n ? bsearch(&addr, h->pages, h->n, sizeof *h->pages, by_address) : NULL;
    if (page) memcpy(bytes, (*page)->bytes, ABI_PAGE);
    else memset(bytes, 0, ABI_PAGE);
    return true;
}

void history_restore(struct history *h, struct gpu *gpu)
{
    pthread_mutex_lock(&h->lock);
    each_writable(h, gpu, put_back);
    pthread_mutex_unlock(&h->lock);
}
