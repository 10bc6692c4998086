/* The guest address space: a 4 GiB window of host memory, closed until the driver opens pages.
 *
 * Invariant: gpu->pages says for each page what the guest may do; the host's protection of the page
 * agrees (executable pages are readable, nothing is executable for the host). The engine accesses
 * mem + address without any check; recover.c catches what the host refuses. */
#include <string.h>
#include <sys/mman.h>

#include "sim/machine.h"

/* The pages that [addr, addr + size) touches; false when it is empty or leaves the 32-bit space. */
static bool page_range(uint32_t addr, uint64_t size, uint32_t *first, uint32_t *last)
{
    if (size == 0 || size > MEM_SPAN - addr) return false;
    *first = addr >> PAGE_BITS;
    *last = (uint32_t)((addr + size - 1) >> PAGE_BITS);
    return true;
}

/* Hosts have no pages that can be written or executed and not read. */
static unsigned with_read(unsigned access) { return access & (GPU_WRITE | GPU_EXEC) ? access | GPU_READ : access; }

static int protection(unsigned access)
{
    return (access & GPU_READ ? PROT_READ : PROT_NONE) | (access & GPU_WRITE ? PROT_WRITE : PROT_NONE);
}

static size_t page_bytes(uint32_t first, uint32_t last) { return (size_t)(last - first + 1) << PAGE_BITS; }

static void *page_host(const struct gpu *gpu, uint32_t page) { return gpu->mem + ((size_t)page << PAGE_BITS); }

/* Code, or constants, which are known where code is translated. */
static bool is_program(unsigned access) { return access & GPU_EXEC || access == GPU_READ; }

/* Drops decoded code when the pages held or will hold a program: all of it, because the page before them may end in the
 * middle of an instruction. Pages to write leave it alone: the driver opens them while a launch runs. */
static void code_remapped(struct gpu *gpu, uint32_t first, uint32_t last, unsigned access)
{
    bool program = is_program(access);
    for (uint32_t p = first; p <= last && !program; p++) program = is_program(gpu->pages[p]);
    if (program) code_drop(gpu);
}

/* Takes the lock, because the driver opens data while the start of a launch looks for executable pages. */
static void set_pages(struct gpu *gpu, uint32_t first, uint32_t last, unsigned access)
{
    pthread_mutex_lock(&gpu->code_lock);
    memset(gpu->pages + first, (int)access, last - first + 1);
    if (access & GPU_WRITE)
        memset(gpu->been_writable + (first >> MANY_BITS), 1, (last >> MANY_BITS) - (first >> MANY_BITS) + 1);
    if (access & GPU_SHARED) gpu->been_shared = true;
    if ((access & GPU_EXEC) && first < gpu->code_first) gpu->code_first = first;
    if ((access & GPU_EXEC) && last >= gpu->code_end) gpu->code_end = last + 1;
    pthread_mutex_unlock(&gpu->code_lock);
}

bool gpu_mem_open(struct gpu *gpu, uint32_t addr, uint64_t size, unsigned access)
{
    uint32_t first, last;
    access = with_read(access);
    if (!page_range(addr, size, &first, &last)) return false;
    if (mprotect(page_host(gpu, first), page_bytes(first, last), protection(access))) return false;
    if (size >= GPU_LARGE_PAGE) madvise(page_host(gpu, first), page_bytes(first, last), MADV_HUGEPAGE);
    code_remapped(gpu, first, last, access);
    set_pages(gpu, first, last, access);
    return true;
}

void gpu_mem_close(struct gpu *gpu, uint32_t addr, uint64_t size)
{
    uint32_t first, last;
    if (!page_range(addr, size, &first, &last)) return;
    code_remapped(gpu, first, last, 0);
    set_pages(gpu, first, last, 0);
    /* A new mapping over the old one returns its memory and reads as zero when opened again. When the
     * host refuses it, taking the access away and the contents back separately does the same. */
    void *p = page_host(gpu, first);
    size_t n = page_bytes(first, last);
    if (mmap(p, n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED) {
        madvise(p, n, MADV_DONTNEED);
        mprotect(p, n, PROT_NONE);
    }
}

void gpu_mem_discard(struct gpu *gpu, uint32_t addr, uint64_t size)
{
    uint32_t first, last;
    if (page_range(addr, size, &first, &last)) madvise(page_host(gpu, first), page_bytes(first, last), MADV_DONTNEED);
}

void gpu_mem_shut(struct gpu *gpu, uint32_t addr, uint64_t size)
{
    uint32_t first, last;
    if (!page_range(addr, size, &first, &last)) return;
    code_remapped(gpu, first, last, 0);
    set_pages(gpu, first, last, 0);
    if (mprotect(page_host(gpu, first), page_bytes(first, last), PROT_NONE)) gpu_mem_close(gpu, addr, size);
}

/* Which of the pages at p have host memory that can be written at once? When the host does not say: all. */
static void find_memory(void *p, size_t pages, unsigned char *there)
{
    if (mincore(p, pages << PAGE_BITS, there)) memset(there, 1, pages);
}

void gpu_mem_clear(struct gpu *gpu, uint32_t addr, uint64_t size)
{
    enum { SOME = 1024 /* pages: 1 KiB of the stack; to ask for so many takes 2 us */ };
    unsigned char there[SOME];
    uint32_t first, last;
    if (!page_range(addr, size, &first, &last)) return;
    for (uint32_t from = first, run; from <= last; from += run) {
        char *p = page_host(gpu, from);
        const uint32_t n = last - from < SOME ? last - from + 1 : SOME;
        find_memory(p, n, there);
        for (run = 1; run < n && (there[run] & 1) == (there[0] & 1);) run++;
        if (there[0] & 1) memset(p, 0, (size_t)run << PAGE_BITS);
        else madvise(p, (size_t)run << PAGE_BITS, MADV_DONTNEED);
    }
}

/* ---- memory at the same address in the host ---- */

static void *same_address(uint32_t page) { return (void *)((uintptr_t)page << PAGE_BITS); }

/* Maps host pages at the addresses that the guest has them at. Linux before 4.17 takes the address for a hint only. */
static bool map_low(uint32_t first, uint32_t last, int access, int flags)
{
    const size_t n = page_bytes(first, last);
    void *p = mmap(same_address(first), n, access, flags | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (p == same_address(first)) return true;
    if (p != MAP_FAILED) munmap(p, n);
    return false;
}

bool gpu_mem_can_share(uint32_t addr, uint64_t size)
{
    uint32_t first, last;
    if (!page_range(addr, size, &first, &last) || !map_low(first, last, PROT_NONE, MAP_PRIVATE)) return false;
    munmap(same_address(first), page_bytes(first, last));
    return true;
}

/* The host maps the pages first; mremap from an old size of 0 maps shared pages a second time. */
bool gpu_mem_open_shared(struct gpu *gpu, uint32_t addr, uint64_t size)
{
    uint32_t first, last;
    if (!page_range(addr, size, &first, &last) || !map_low(first, last, PROT_READ | PROT_WRITE, MAP_SHARED))
        return false;
    void *guest =
        mremap(same_address(first), 0, page_bytes(first, last), MREMAP_MAYMOVE | MREMAP_FIXED, page_host(gpu, first));
    if (guest == MAP_FAILED) {
        gpu_mem_close_shared(gpu, addr, size);
        return false;
    }
    code_remapped(gpu, first, last, 0);
    set_pages(gpu, first, last, GPU_READ | GPU_WRITE | GPU_SHARED);
    return true;
}

void gpu_mem_close_shared(struct gpu *gpu, uint32_t addr, uint64_t size)
{
    uint32_t first, last;
    if (!page_range(addr, size, &first, &last)) return;
    gpu_mem_close(gpu, addr, size);
    munmap(same_address(first), page_bytes(first, last));
}

bool mem_allows(const struct gpu *gpu, uint32_t addr, uint64_t size, unsigned access)
{
    uint32_t first, last;
    if (!page_range(addr, size, &first, &last)) return false;
    for (uint32_t p = first; p <= last; p++)
        if ((gpu->pages[p] & access) != access) return false;
    return true;
}

void *gpu_mem(struct gpu *gpu, uint32_t addr, uint64_t size)
{
    uint32_t first, last;
    if (!page_range(addr, size, &first, &last)) return NULL;
    for (uint32_t p = first; p <= last; p++)
        if (!gpu->pages[p]) return NULL;
    return gpu->mem + addr;
}

void gpu_mem_code_changed(struct gpu *gpu) { code_drop(gpu); }

/* A byte in each of eight. */
static uint64_t eight_times(unsigned byte) { return byte * 0x0101010101010101u; }

/* The bits of `access` that each of the eight pages from `page` on has. */
static uint64_t eight_pages(const struct gpu *gpu, uint64_t page, unsigned access)
{
    uint64_t eight;
    memcpy(&eight, gpu->pages + page, sizeof eight);
    return eight & eight_times(access);
}

uint64_t gpu_mem_writable(const struct gpu *gpu, uint64_t addr)
{
    uint64_t page = addr >> PAGE_BITS;
    while (page < PAGES && !(gpu->pages[page] & GPU_WRITE)) {
        const uint64_t many = page >> MANY_BITS;
        const uint8_t *been = memchr(gpu->been_writable + many, 1, sizeof gpu->been_writable - many);
        if (!been) return MEM_SPAN;
        if (been != gpu->been_writable + many) page = (uint64_t)(been - gpu->been_writable) << MANY_BITS;
        else page += page % 8 || eight_pages(gpu, page, GPU_WRITE) ? 1 : 8;
    }
    return page << PAGE_BITS;
}

/* Looks behind the page of `addr`, which can be written: where does memory of its kind, shared or not, end? */
static uint64_t end_of_kind(const struct gpu *gpu, uint64_t addr)
{
    const unsigned asked = GPU_WRITE | GPU_SHARED;
    uint64_t page = addr >> PAGE_BITS;
    const unsigned is = gpu->pages[page] & asked;
    while (page < PAGES && (gpu->pages[page] & asked) == is)
        page += page % 8 || eight_pages(gpu, page, asked) != eight_times(is) ? 1 : 8;
    return page << PAGE_BITS;
}

uint64_t gpu_mem_shared(const struct gpu *gpu, uint64_t addr)
{
    if (!gpu->been_shared) return MEM_SPAN;
    while ((addr = gpu_mem_writable(gpu, addr)) < MEM_SPAN && !(gpu->pages[addr >> PAGE_BITS] & GPU_SHARED))
        addr = end_of_kind(gpu, addr);
    return addr;
}

/* A page is closed in the table first, with the lock, and then for the host: as long as the lock is held, and the table
 * says so, it is there. */
static bool copy_page(struct gpu *gpu, uint32_t addr, void *to, const void *from)
{
    pthread_mutex_lock(&gpu->code_lock);
    const bool open = gpu->pages[addr >> PAGE_BITS] & GPU_WRITE;
    if (open) memcpy(to, from, 1 << PAGE_BITS);
    pthread_mutex_unlock(&gpu->code_lock);
    return open;
}

bool gpu_mem_save_page(struct gpu *gpu, uint32_t addr, void *bytes)
{
    return copy_page(gpu, addr, bytes, gpu->mem + addr);
}

bool gpu_mem_restore_page(struct gpu *gpu, uint32_t addr, const void *bytes)
{
    return copy_page(gpu, addr, gpu->mem + addr, bytes);
}
