/* Going back: the machine is deterministic, so to be at an earlier instruction of a launch is to run it again from its
 * beginning, on the memory of then, up to that instruction.
 *
 * A page is copied when the launch is about to write it for the first time. The machine announces each access before
 * its first byte moves, and so does who changes memory by hand (struct observer). So no page is protected from writing:
 * the host program's handlers of signals see nothing of it, its system calls find all pages open, and a launch that
 * writes little costs little, however much memory there is. Only memory shared with the host is copied when the launch
 * begins: the host writes it by pointers of its own, which nobody announces, and the launch has to find it as it was.
 * Registers, local memory and private memory need no copy: they begin as zeros, or as the launch finds them in these
 * pages.
 *
 * To go back the launch is ended, its memory put back, and the launch run twice: first to see where the last stop
 * before the present instruction is, then up to there. Pages that the host has written meanwhile stay. */
#include <stdlib.h>
#include <string.h>

#include "debug/parts.h"
#include "isa/abi.h"
#include "sim/layout.h"

enum {
    PAGES = 1 << 20,    /* of 32-bit addresses */
    BLOCK = 256,        /* copies, of a page each: 1 MiB */
    BLOCKS_MOST = 1024, /* 1 GiB */
    BLOCKS_FREE = 4,    /* 4 MiB that stay for the next launch: a guess */
};
#define ZEROS UINT32_MAX

/* What is known of the page of a number, which two may share: of memory, and of addresses as kernels and the host use
 * them (with SV39 they are others). */
struct history_page {
    uint64_t kept; /* memory: the number of the last launch in which it was copied */
    uint64_t host; /* addresses: the number of the last launch in which the host has written there, or has freed it */
};

struct kept {
    uint32_t page; /* of memory */
    uint32_t copy; /* its number, or ZEROS */
    uint64_t name; /* page of addresses that the launch has written it by */
};

struct history {
    struct gpu *gpu;
    uint64_t launch; /* the launch's number; changed with the lock held */
    bool runs;       /* likewise. False: what the host writes does not matter */
    const char *why; /* why there is no way back; NULL: there is one */
    bool restored;   /* somebody is on the way back in this launch, or has been */
    struct history_page *pages;
    struct kept *list; /* room for all pages */
    uint32_t n, copies;
    uint8_t *blocks[BLOCKS_MOST]; /* of copies */
    uint8_t bytes[ABI_PAGE];      /* of the page that may become one */
    pthread_mutex_t lock;         /* not held where memory of the device is copied for the first time */
};

static const char too_late[] = "the debugger came after the launch had begun";
static const char too_much[] = "the launch has overwritten more than 1 GiB, or the program shares more with it";
static const char no_memory[] = "the host has no memory to keep what the launch overwrites";

struct history *history_new(void)
{
    struct history *h = calloc(1, sizeof *h);
    if (!h) return NULL;
    h->why = too_late;
    h->pages = calloc(PAGES, sizeof *h->pages); /* of both the host provides what is used */
    h->list = calloc(PAGES, sizeof *h->list);
    pthread_mutex_init(&h->lock, NULL);
    if (h->pages && h->list) return h;
    history_free(h);
    return NULL;
}

static void free_blocks(struct history *h, uint32_t stay)
{
    h->n = h->copies = 0;
    for (uint32_t i = stay; i < BLOCKS_MOST && h->blocks[i]; i++) {
        free(h->blocks[i]);
        h->blocks[i] = NULL;
    }
}

void history_free(struct history *h)
{
    if (!h) return;
    free_blocks(h, 0);
    free(h->list);
    free(h->pages);
    pthread_mutex_destroy(&h->lock);
    free(h);
}

static void set_runs(struct history *h, bool runs)
{
    pthread_mutex_lock(&h->lock);
    h->runs = runs;
    h->launch += runs;
    pthread_mutex_unlock(&h->lock);
}

/* Ends the record. For somebody on the way back it stays as it is: so far it has been enough. */
static void give_up(struct history *h, const char *why)
{
    h->why = why;
    if (!h->restored) free_blocks(h, BLOCKS_FREE);
    set_runs(h, false);
}

void history_forget(struct history *h)
{
    h->restored = false;
    give_up(h, too_late);
}

const char *history_missing(const struct history *h) { return h->why; }

/* ---- keeping pages ---- */

static uint8_t *copy_at(const struct history *h, uint32_t copy)
{
    return h->blocks[copy / BLOCK] + (size_t)(copy % BLOCK) * ABI_PAGE;
}

/* NULL, or why there is no room for one more copy. */
static const char *have_room(struct history *h)
{
    if (h->copies == BLOCKS_MOST * BLOCK) return too_much;
    uint8_t **block = &h->blocks[h->copies / BLOCK];
    if (!*block) *block = malloc((size_t)BLOCK * ABI_PAGE);
    return *block ? NULL : no_memory;
}

static bool is_zero(const uint8_t *bytes)
{
    uint64_t first;
    memcpy(&first, bytes, sizeof first);
    return !first && !memcmp(bytes, bytes + sizeof first, ABI_PAGE - sizeof first);
}

static void keep(struct history *h, uint32_t page, uint64_t name)
{
    struct kept kept = {page, ZEROS, name};
    if (!is_zero(h->bytes)) {
        const char *why = have_room(h);
        if (why) {
            give_up(h, why);
            return;
        }
        memcpy(copy_at(h, h->copies), h->bytes, ABI_PAGE);
        kept.copy = h->copies++;
    }
    h->list[h->n++] = kept;
    h->pages[page].kept = h->launch;
}

static void keep_once(struct history *h, uint32_t page, uint64_t name)
{
    if (h->why || h->pages[page].kept == h->launch || is_local((uint64_t)page * ABI_PAGE)) return;
    if (gpu_mem_save_page(h->gpu, page * ABI_PAGE, h->bytes)) keep(h, page, name);
}

void history_begin(struct history *h, struct gpu *gpu)
{
    history_forget(h);
    h->gpu = gpu;
    h->why = NULL;
    set_runs(h, true);
    for (uint64_t at = 0; (at = gpu_mem_shared(gpu, at)) <= UINT32_MAX; at += ABI_PAGE)
        keep_once(h, (uint32_t)(at / ABI_PAGE), at / ABI_PAGE);
}

/* ---- what is about to be written ---- */

/* Where the warp's address is in memory; without a warp it is the memory's own. False: nowhere. */
static bool is_at(const struct history *h, const struct warp *w, uint64_t addr, uint32_t *at)
{
    const struct launch *l = w ? w->group->launch : NULL;
    *at = (uint32_t)addr;
    if (!l || !l->sv39) return addr <= UINT32_MAX;
    const uint8_t *bytes = warp_memory(w, addr, 1), *table = gpu_mem(h->gpu, l->page_table, 1);
    if (bytes && table) *at = l->page_table + (uint32_t)(bytes - table);
    return bytes && table;
}

void history_write(struct history *h, const struct warp *w, uint64_t addr, uint64_t size)
{
    uint32_t at;
    for (uint64_t n; !h->why && size; addr += n, size -= n) { /* the address behind the last one may be 0 */
        n = ABI_PAGE - addr % ABI_PAGE < size ? ABI_PAGE - addr % ABI_PAGE : size;
        if (is_at(h, w, addr, &at)) keep_once(h, at / ABI_PAGE, addr / ABI_PAGE);
    }
}

/* Are the bytes of all lanes in one page? */
static bool is_in_page(const struct access *a)
{
    const uint32_t first = a->addr[0], last = a->size - 1;
    uint32_t differ = 0;
    for (uint32_t lane = 0; lane < ISA_LANES; lane++)
        differ |= (a->addr[lane] ^ first) | ((a->addr[lane] + last) ^ first);
    return differ < ABI_PAGE;
}

void history_access(struct history *h, const struct warp *w, const struct access *a)
{
    uint32_t lanes = a->lanes ? a->lanes : 1;
    uint64_t page = UINT64_MAX;
    if (h->why) return;
    if (lanes == ~0u && !a->high && is_in_page(a)) lanes = 1;
    for (; lanes; lanes &= lanes - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        const uint64_t addr = a->addr[lane] | (a->high ? (uint64_t)a->high[lane] << 32 : 0);
        if (addr / ABI_PAGE == page && (addr + a->size - 1) / ABI_PAGE == page) continue; /* of the lane before */
        page = addr / ABI_PAGE;
        history_write(h, w, addr, a->size);
    }
}

void history_host(struct history *h, uint32_t addr, uint64_t size)
{
    const uint64_t end = addr + size < (uint64_t)PAGES * ABI_PAGE ? addr + size : (uint64_t)PAGES * ABI_PAGE;
    pthread_mutex_lock(&h->lock);
    for (uint64_t page = addr / ABI_PAGE; h->runs && page * ABI_PAGE < end; page++) h->pages[page].host = h->launch;
    pthread_mutex_unlock(&h->lock);
}

/* ---- putting back ---- */

/* No address of the host has more than 32 bits. */
static bool is_the_hosts(const struct history *h, uint64_t name)
{
    return name < PAGES && h->pages[name].host == h->launch;
}

static void put_back(const struct history *h, const struct kept *k)
{
    static const uint8_t zeros[ABI_PAGE];
    if (!is_the_hosts(h, k->name))
        gpu_mem_restore_page(h->gpu, k->page * ABI_PAGE, k->copy == ZEROS ? zeros : copy_at(h, k->copy));
}

void history_restore(struct history *h)
{
    pthread_mutex_lock(&h->lock);
    for (uint32_t i = 0; i < h->n; i++) put_back(h, &h->list[i]);
    pthread_mutex_unlock(&h->lock);
    h->restored = true;
    gpu_mem_code_changed(h->gpu); /* there may be some among it */
}
