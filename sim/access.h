/* Guest memory accesses of the engine: base + address, no checks, all lanes of an instruction at once.
 *
 * Before an access is made, sm->access says what it is, so that a refused one can be named. Results of
 * a load are staged, so that registers never change half-way. Runs of 16 lanes with consecutive or equal
 * addresses are one host access. Included by step.c, with STEP_HOOKED as 1 in the build that observers want, and by
 * lanes.c. */
#ifndef VENTUS_SIM_ACCESS_H
#define VENTUS_SIM_ACCESS_H

#include <string.h>

#include "sim/layout.h"
#include "sim/machine.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "guest memory is little-endian and used in place");

#ifndef STEP_HOOKED
#define STEP_HOOKED 0
#endif

#ifdef STEP_CALLS
#define INLINE static __attribute__((unused)) /* sanitized, all in one function would take minutes to compile */
#else
#define INLINE static inline __attribute__((always_inline, unused))
#endif
#define NOINLINE static __attribute__((noinline, unused))
/* A guest's races are its own: thread sanitizers look at the simulator. */
#define GUEST_ACCESS INLINE __attribute__((no_sanitize("thread")))
enum { HALF = 16 };

#if defined(__clang__)
#define LANE_LOOP \
    _Pragma("clang loop vectorize(enable) interleave(enable)") for (uint32_t lane = 0; lane < ISA_LANES; lane++)
#else
#define LANE_LOOP _Pragma("GCC ivdep") for (uint32_t lane = 0; lane < ISA_LANES; lane++)
#endif

GUEST_ACCESS uint32_t fetch_one(const uint8_t *p, unsigned size, bool sign)
{
    uint8_t b;
    uint16_t h;
    uint32_t w;
    switch (size) {
    case 1: memcpy(&b, p, 1); return sign ? (uint32_t)(int8_t)b : b;
    case 2: memcpy(&h, p, 2); return sign ? (uint32_t)(int16_t)h : h;
    default: memcpy(&w, p, 4); return w;
    }
}

GUEST_ACCESS void put_one(uint8_t *p, unsigned size, uint32_t value)
{
    switch (size) {
    case 1: memcpy(p, &value, 1); return;
    case 2: memcpy(p, &value, 2); return;
    default: memcpy(p, &value, 4);
    }
}

/* Announces an access to the addresses in sm->access; nothing of it may move before this. */
INLINE struct access *announce(struct sm *sm, uint32_t lanes, unsigned size, bool write)
{
    struct access *a = &sm->access;
    a->lanes = lanes;
    a->size = size;
    a->write = write;
    __asm__ volatile("" ::: "memory");
    return a;
}

/* Tells observers of what has been announced. */
INLINE void announced(struct sm *sm)
{
    if (!STEP_HOOKED || !sm->warp->group->observers) return;
    sm->access.atomic = false;
    sm->access.high = NULL;
    observe_access(sm->warp, sm->insn, &sm->access);
}

enum shape { SCATTERED, UNIFORM, CONSECUTIVE };

INLINE enum shape shape_of(const uint32_t *addr, unsigned size)
{
    uint32_t differ = 0, off_run = 0, first = addr[0];
    for (uint32_t i = 0; i < HALF; i++) {
        differ |= addr[i] ^ first;
        off_run |= addr[i] ^ (first + i * size);
    }
    if (!off_run && first <= UINT32_MAX - HALF * size) return CONSECUTIVE;
    return differ ? SCATTERED : UNIFORM;
}

/* A load of the lanes in sm->access.addr into row `vd`. */
INLINE void load_lanes(struct sm *sm, uint32_t *vd, uint32_t lanes, unsigned size, bool sign)
{
    const struct access *a = announce(sm, lanes, size, false);
    const uint8_t *mem = sm->mem;
    if (lanes) announced(sm);
    _Alignas(64) uint32_t out[ISA_LANES];
    for (uint32_t h = 0; h < ISA_LANES; h += HALF) {
        uint32_t part = lanes >> h & 0xffff;
        enum shape shape = part == 0xffff ? shape_of(a->addr + h, size) : SCATTERED;
        if (shape == CONSECUTIVE) {
            const uint8_t *p = mem + a->addr[h];
            for (uint32_t i = 0; i < HALF; i++) out[h + i] = fetch_one(p + i * size, size, sign);
        } else if (shape == UNIFORM) {
            uint32_t value = fetch_one(mem + a->addr[h], size, sign);
            for (uint32_t i = 0; i < HALF; i++) out[h + i] = value;
        } else {
            for (; part; part &= part - 1) {
                uint32_t lane = h + (uint32_t)__builtin_ctz(part);
                out[lane] = fetch_one(mem + a->addr[lane], size, sign);
            }
        }
    }
    if (lanes == ~0u) {
        memcpy(vd, out, sizeof out);
        return;
    }
    for (; lanes; lanes &= lanes - 1) vd[__builtin_ctz(lanes)] = out[__builtin_ctz(lanes)];
}

/* A store of row `data`. Lanes write in ascending order: of equal addresses the highest lane stays. */
INLINE void store_lanes(struct sm *sm, const uint32_t *data, uint32_t lanes, unsigned size)
{
    const struct access *a = announce(sm, lanes, size, true);
    uint8_t *mem = sm->mem;
    if (lanes) announced(sm);
    for (uint32_t h = 0; h < ISA_LANES; h += HALF) {
        uint32_t part = lanes >> h & 0xffff;
        enum shape shape = part == 0xffff ? shape_of(a->addr + h, size) : SCATTERED;
        if (shape == CONSECUTIVE) {
            uint8_t *p = mem + a->addr[h];
            for (uint32_t i = 0; i < HALF; i++) put_one(p + i * size, size, data[h + i]);
        } else if (shape == UNIFORM) {
            put_one(mem + a->addr[h], size, data[h + HALF - 1]);
        } else {
            for (; part; part &= part - 1) {
                uint32_t lane = h + (uint32_t)__builtin_ctz(part);
                put_one(mem + a->addr[lane], size, data[lane]);
            }
        }
    }
    if (*sm->reservations) end_reservations_of_access(sm);
}

INLINE uint32_t load_scalar(struct sm *sm, uint32_t addr, unsigned size, bool sign)
{
    sm->access.addr[0] = addr;
    announce(sm, 0, size, false);
    announced(sm);
    return fetch_one(sm->mem + addr, size, sign);
}

INLINE void store_scalar(struct sm *sm, uint32_t addr, unsigned size, uint32_t value)
{
    sm->access.addr[0] = addr;
    announce(sm, 0, size, true);
    announced(sm);
    put_one(sm->mem + addr, size, value);
    if (*sm->reservations) end_reservations_of_access(sm);
}

/* ---- addresses ---- */

INLINE void flat_addresses(struct sm *sm, const uint32_t *vs1, uint32_t imm)
{
    LANE_LOOP sm->access.addr[lane] = vs1[lane] + imm;
}

INLINE void strided_addresses(struct sm *sm, uint32_t base, uint32_t stride)
{
    LANE_LOOP sm->access.addr[lane] = base + lane * stride;
}

INLINE void indexed_addresses(struct sm *sm, uint32_t base, const uint32_t *index, uint32_t index_mask)
{
    LANE_LOOP sm->access.addr[lane] = base + (index[lane] & index_mask);
}

/* Private memory of the work-group (sim/layout.h). Returns the lanes whose access would leave its word. */
INLINE uint32_t private_addresses(struct sm *sm, const struct warp *w, const uint32_t *vs1, uint32_t imm, unsigned size)
{
    const struct launch *l = w->group->launch;
    uint32_t items = l->warps * l->threads_per_warp, base = w->group->pds_base;
    uint32_t crossing = 0;
    LANE_LOOP
    {
        uint32_t o = vs1[lane] + imm;
        sm->access.addr[lane] = base + PRIVATE_OFFSET(o, items, w->tid + lane);
        crossing |= (uint32_t)((o & 3) + size > 4) << lane;
    }
    return crossing;
}

/* Lanes whose flat base address is a private one. */
INLINE uint32_t flat_private(const uint32_t *vs1)
{
    uint32_t below = 0;
    LANE_LOOP below |= (uint32_t)private_is_flat(vs1[lane]) << lane;
    return below;
}

/* Lanes of `lanes` whose address is not on a word. */
INLINE uint32_t off_word(const uint32_t *addr, uint32_t lanes)
{
    uint32_t off = 0;
    LANE_LOOP off |= (uint32_t)((addr[lane] & 3) != 0) << lane;
    return off & lanes;
}

#endif
