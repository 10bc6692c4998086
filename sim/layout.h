/* Where the memory of work-groups is: private memory, whose words are interleaved over work-items, and the windows of
 * local memory. */
#ifndef VENTUS_SIM_LAYOUT_H
#define VENTUS_SIM_LAYOUT_H

#include "isa/abi.h"
#include "sim/warp.h"

/* ---- private memory ---- */

/* Word k of all work-items lies together, then word k + 1 of all. How far the byte at offset o of work-item `item` of
 * `items` is from the first byte: an expression of the type of o. The bytes of a word stay together. */
#define PRIVATE_OFFSET(o, items, item) (((o) - ((o)&3)) * (items) + (item)*4 + ((o)&3))

/* Bytes of one work-item, whole words, and of a work-group. */
static inline uint64_t private_item_bytes(const struct launch *l) { return ((uint64_t)l->pds_bytes + 3) / 4 * 4; }
static inline uint64_t private_group_bytes(const struct launch *l)
{
    return private_item_bytes(l) * l->warps * l->threads_per_warp;
}

/* Returns how many areas, each for one resident work-group, the launch has and can use; 0: all groups share one. */
uint32_t private_areas(const struct gpu_config *config, const struct launch *launch);

/* Returns the address of an area. */
uint32_t private_area(const struct launch *launch, uint32_t number);

/* Do all areas end before the address space does? */
bool private_fits(const struct gpu_config *config, const struct launch *launch);

/* Returns what CSR_PDS says: where the private memory of the work-group, or in r2025 of the warp, begins. */
uint32_t private_base(const struct warp *w);

/* Returns the address of the byte at offset o of a lane, which may exceed 32 bits. */
uint64_t private_address(const struct warp *w, uint64_t o, uint32_t lane);

/* Does it look like an address of private memory to the instructions that have no space of their own (r2025)? Ranges of
 * the launch come first (access.c). */
static inline bool private_is_flat(uint64_t address) { return address < 1u << 24; }

/* ---- local memory ---- */

/* Is it the address of some local memory? */
static inline bool is_local(uint64_t address) { return address >= ABI_LOCAL_BASE && address < ABI_LOCAL_LIMIT; }

/* Returns where the local memory of a slot begins. */
uint32_t local_base(const struct gpu_config *config, uint32_t sm, uint32_t slot);

#endif
