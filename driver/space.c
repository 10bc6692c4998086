/* The address space of a device: opening and closing its pages, and with `translation = sv39` in the machine file the
 * page table that the machine translates by.
 *
 * Virtual addresses are those of the memory map, whoever uses them: clients, kernels, reports of faults. The code
 * window is mapped to itself. Heap pages are mapped to physical memory below local memory, at a fixed distance, so that
 * a buffer is one piece for the host as well, and no address of a buffer works untranslated. Local memory belongs to
 * the SMs and is not mapped. The table lies in physical memory where the heap is without translation: the entries of
 * all 2^20 pages one after another (the host provides what is written), then the tables above them, which never change.
 */
#include "driver/driver.h"
#include "sim/sv39.h"

enum { PAGES = 1 << 20, TABLE_ENTRIES = 1 << SV39_INDEX_BITS, TABLES = PAGES / TABLE_ENTRIES };
#define ENTRIES_AT ABI_HEAP_BASE
#define MIDDLE_AT  (ENTRIES_AT + PAGES * SV39_ENTRY_BYTES)
#define ROOT_AT    (MIDDLE_AT + TABLES * SV39_ENTRY_BYTES)
#define TABLE_END  (ROOT_AT + ABI_PAGE)

/* Physical memory of the heap begins behind the first page, which stays closed. */
#define HEAP_DISTANCE (ABI_HEAP_BASE - ABI_PAGE)
_Static_assert(ABI_HEAP_LIMIT - HEAP_DISTANCE <= ABI_LOCAL_BASE, "the heap's pages must fit below local memory");

uint32_t space_root(void) { return ROOT_AT; }

uint64_t space_table_bytes(void) { return TABLE_END - ENTRIES_AT; }

/* `n` entries at `table` that name as many pages or tables from `first` on. */
static void link_tables(const ventus_device *d, uint32_t table, uint32_t first, uint32_t n)
{
    uint64_t *entries = gpu_mem(d->gpu, table, (uint64_t)n * SV39_ENTRY_BYTES);
    for (uint32_t i = 0; i < n; i++) entries[i] = sv39_entry(first + i * ABI_PAGE, SV39_V);
}

bool space_open(ventus_device *d)
{
    if (gpu_config_of(d->gpu)->translation != GPU_SV39) return true;
    if (!gpu_mem_open(d->gpu, ENTRIES_AT, TABLE_END - ENTRIES_AT, GPU_READ | GPU_WRITE)) return false;
    link_tables(d, MIDDLE_AT, ENTRIES_AT, TABLES);
    link_tables(d, ROOT_AT, MIDDLE_AT, TABLES / TABLE_ENTRIES);
    d->entries = gpu_mem(d->gpu, ENTRIES_AT, (uint64_t)PAGES * SV39_ENTRY_BYTES);
    return true;
}

uint32_t space_physical(const ventus_device *d, uint32_t addr)
{
    return d->entries && addr >= ABI_HEAP_BASE ? addr - HEAP_DISTANCE : addr;
}

/* Kernels may be running: each entry changes at once. */
static void set_entries(const ventus_device *d, uint32_t addr, uint64_t size, unsigned bits)
{
    for (uint64_t a = addr & ~(ABI_PAGE - 1); a < addr + size; a += ABI_PAGE) {
        uint64_t entry = bits ? sv39_entry(space_physical(d, (uint32_t)a), bits) : 0;
        __atomic_store_n(&d->entries[a / ABI_PAGE], entry, __ATOMIC_RELEASE);
    }
}

static unsigned bits_of(unsigned access)
{
    return SV39_V | SV39_R | (access & GPU_WRITE ? SV39_W : 0) | (access & GPU_EXEC ? SV39_X : 0);
}

bool space_map(ventus_device *d, uint32_t addr, uint64_t size, unsigned access)
{
    if (!gpu_mem_open(d->gpu, space_physical(d, addr), size, access)) return false;
    if (d->entries) set_entries(d, addr, size, bits_of(access));
    return true;
}

void space_unmap(ventus_device *d, uint32_t addr, uint64_t size)
{
    if (d->entries) set_entries(d, addr, size, 0);
    gpu_mem_close(d->gpu, space_physical(d, addr), size);
}

void space_shut(ventus_device *d, uint32_t addr, uint64_t size)
{
    if (d->entries) set_entries(d, addr, size, 0);
    gpu_mem_shut(d->gpu, space_physical(d, addr), size);
}

void space_clear(ventus_device *d, uint32_t addr, uint64_t size)
{
    gpu_mem_clear(d->gpu, space_physical(d, addr), size);
}

void space_discard(ventus_device *d, uint32_t addr, uint64_t size)
{
    if (d->entries) set_entries(d, addr, size, 0);
    gpu_mem_discard(d->gpu, space_physical(d, addr), size);
}

void *space_host(const ventus_device *d, uint32_t addr, uint64_t size)
{
    return gpu_mem(d->gpu, space_physical(d, addr), size);
}
