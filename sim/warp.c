/* Observers read and change a warp with these functions, which keep the invariants of struct warp and of the machine
 * around it.
 *
 * Hooks call them on the host thread of the warp's SM; group.c and engines call warp_clear. */
#include <string.h>

#include "sim/machine.h"

/* ---- reading ---- */

uint32_t group_sm(const struct group *group) { return group->sm->index; }

const struct access *warp_access(const struct warp *w) { return &w->group->sm->access; }

const void *warp_memory(const struct warp *w, uint64_t addr, uint32_t size)
{
    return launch_memory(w->group->sm->gpu, w->group->launch, addr, size);
}

bool warp_memory_is_code(const struct warp *w, uint64_t addr)
{
    const struct gpu *gpu = w->group->sm->gpu;
    const uint8_t *at = warp_memory(w, addr, 1);
    return at && gpu->pages[(at - gpu->mem) >> PAGE_BITS] & GPU_EXEC;
}

bool warp_csr(const struct warp *w, unsigned number, uint32_t *value) { return csr_read(w, number, value); }

/* ---- registers ---- */

void warp_clear(struct warp *w)
{
    if (!w->blank) return;
    w->blank = false;
    memset(w->x, 0, sizeof w->x);
    memset(w->v, 0, w->group->launch->vgprs * sizeof *w->v);
}

bool warp_set_x(struct warp *w, unsigned number, uint32_t value)
{
    if (number >= w->group->launch->sgprs) return false;
    if (number) w->x[number] = value;
    return true;
}

bool warp_set_v(struct warp *w, unsigned number, unsigned lane, uint32_t value)
{
    if (number >= w->group->launch->vgprs || lane >= ISA_LANES) return false;
    w->v[number][lane] = value;
    return true;
}

/* A write of frm sets the host's rounding mode, which has to be that of the warp that runs. */
bool warp_set_csr(struct warp *w, unsigned number, uint32_t value)
{
    bool written = csr_write(w, number, value);
    round_set(w->group->sm->warp->frm);
    return written;
}

void warp_fail(struct warp *w, enum fault_kind kind, const char *why)
{
    fault_raise(w->group->sm, w, kind, ISA_LANES, 0, why);
}

void warp_set_pc(struct warp *w, uint32_t pc) { w->pc = pc; }

/* ---- memory ---- */

/* Returns the size of the part of [addr, addr + size) that lies in the page of its first byte. */
static uint32_t in_page(uint64_t addr, uint32_t size)
{
    uint64_t left = ABI_PAGE - addr % ABI_PAGE;
    return size < left ? size : (uint32_t)left;
}

/* Writes bytes of one page, which is writable only for the moment if it was not. */
static bool write_page(struct sm *sm, uint8_t *to, const void *bytes, uint32_t size)
{
    uint32_t at = (uint32_t)(to - sm->gpu->mem);
    unsigned access = sm->gpu->pages[at >> PAGE_BITS];
    bool open = access & GPU_WRITE;
    if (!open && !gpu_mem_open(sm->gpu, at, size, access | GPU_WRITE)) return false;
    memcpy(to, bytes, size);
    if (sm->reservations->count) end_reservations(sm, at, size);
    if (!open) return gpu_mem_open(sm->gpu, at, size, access); /* drops decoded code */
    if (access & GPU_EXEC) code_drop(sm->gpu);
    return true;
}

bool warp_set_memory(struct warp *w, uint64_t addr, const void *bytes, uint32_t size)
{
    const uint8_t *from = bytes;
    for (uint32_t done = 0; done < size; done += in_page(addr + done, size - done))
        if (!warp_memory(w, addr + done, in_page(addr + done, size - done))) return false;
    observe_change(w, addr, size);
    for (uint32_t done = 0, n; done < size; done += n) {
        n = in_page(addr + done, size - done);
        if (!write_page(w->group->sm, (uint8_t *)warp_memory(w, addr + done, n), from + done, n)) return false;
    }
    return true;
}
