/* Guest memory for instructions that are not plain loads and stores, and what observers see of it.
 *
 * Called on the host thread that runs the warp. */
#include <string.h>

#include "sim/machine.h"

const struct access *warp_access(const struct warp *w) { return &w->group->sm->access; }

/* Host address of a range that is open for `access`; a fault at its first byte that is not, else. */
static uint8_t *guest_range(struct sm *sm, uint64_t addr, uint64_t size, unsigned access)
{
    enum fault_kind kind = access == GPU_WRITE ? FAULT_WRITE : FAULT_READ;
    uint64_t end = addr + size;
    if (end < addr || end > MEM_SPAN) fault_throw(sm, kind, ISA_LANES, addr >= MEM_SPAN ? addr : MEM_SPAN, NULL);
    for (uint64_t at = addr; at < end; at = (at | (ABI_PAGE - 1)) + 1)
        if (!mem_allows(sm->gpu, (uint32_t)at, 1, access)) fault_throw(sm, kind, ISA_LANES, at, NULL);
    return sm->mem + addr;
}

void guest_read(struct sm *sm, uint64_t addr, void *dst, uint64_t size)
{
    if (size) memcpy(dst, guest_range(sm, addr, size, GPU_READ), size);
}

void guest_write(struct sm *sm, uint64_t addr, const void *src, uint64_t size)
{
    if (size) memcpy(guest_range(sm, addr, size, GPU_WRITE), src, size);
}
