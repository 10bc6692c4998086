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
    for (uint64_t at = addr; at < MEM_SPAN && at - addr < size; at = (at | (ABI_PAGE - 1)) + 1)
        if (!mem_allows(sm->gpu, (uint32_t)at, 1, access)) fault_throw(sm, kind, ISA_LANES, at, NULL);
    if (addr > MEM_SPAN || size > MEM_SPAN - addr) fault_throw(sm, kind, ISA_LANES, addr > MEM_SPAN ? addr : MEM_SPAN, NULL);
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
