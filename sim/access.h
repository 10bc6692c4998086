/* Guest memory accesses of the engine: base + address, no checks, all lanes of an instruction at once.
 *
 * Before an access is made, sm->access says what it is, so that a refused one can be named. Results of
 * a load are staged, so that registers never change half-way. All lanes, 16 or 8 of them, with consecutive or equal
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
enum { HALF = ISA_LANES / 2, QUARTER = ISA_LANES / 4 };

/* A loop over the first `n` lanes, 32, 16 or 8, as vector code. */
#if defined(__clang__)
#define FIRST_LANES(n) \
    _Pragma("clang loop vectorize(enable) interleave(enable)") for (uint32_t lane = 0; lane < (n); lane++)
#else /* it would unroll the shorter loop before it makes vector code of it */
#define FIRST_LANES(n) _Pragma("GCC ivdep") _Pragma("GCC unroll 1") for (uint32_t lane = 0; lane < (n); lane++)
#endif
#define LANE_LOOP FIRST_LANES(ISA_LANES)

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

/* ---- shapes: addresses of `n` lanes, 32, 16 or 8, that are one access of the host ---- */

/* Are the addresses consecutive, without wrapping around? The second lane mostly decides against it at once. */
INLINE bool is_run(const uint32_t *addr, uint32_t n, unsigned size)
{
    uint32_t off = 0, first = addr[0];
    if (addr[1] - first != size) return false;
    FIRST_LANES(n) off |= addr[lane] ^ (first + lane * size);
    return !off && first <= UINT32_MAX - n * size;
}

INLINE bool is_uniform(const uint32_t *addr, uint32_t n)
{
    uint32_t differ = 0, first = addr[0];
    if (addr[1] != first) return false;
    FIRST_LANES(n) differ |= addr[lane] ^ first;
    return !differ;
}

/* False: the addresses have no such shape, and nothing has been loaded. */
INLINE bool load_shape(uint32_t *out, const uint8_t *mem, const uint32_t *addr, uint32_t n, unsigned size, bool sign)
{
    const uint8_t *p = mem + addr[0];
    if (is_run(addr, n, size)) {
        FIRST_LANES(n) out[lane] = fetch_one(p + lane * size, size, sign);
        return true;
    }
    if (!is_uniform(addr, n)) return false;
    uint32_t value = fetch_one(p, size, sign);
    FIRST_LANES(n) out[lane] = value;
    return true;
}

INLINE bool store_shape(const uint32_t *data, uint8_t *mem, const uint32_t *addr, uint32_t n, unsigned size)
{
    uint8_t *p = mem + addr[0];
    if (is_run(addr, n, size)) {
        FIRST_LANES(n) put_one(p + lane * size, size, data[lane]);
        return true;
    }
    if (!is_uniform(addr, n)) return false;
    put_one(p, size, data[n - 1]);
    return true;
}

/* ---- loads and stores ---- */

/* Loads quarters of a half, those of `part` that have a shape. Returns their lanes. */
INLINE uint32_t load_quarters(uint32_t *out, const uint8_t *mem, const uint32_t *addr, uint32_t part, unsigned size,
                              bool sign)
{
    uint32_t done = 0;
    for (uint32_t q = 0; q < HALF; q += QUARTER)
        if ((part >> q & 0xff) == 0xff && load_shape(out + q, mem, addr + q, QUARTER, size, sign)) done |= 0xffu << q;
    return done;
}

/* The same for halves of the warp. */
INLINE uint32_t load_halves(uint32_t *out, const uint8_t *mem, const uint32_t *addr, uint32_t lanes, unsigned size,
                            bool sign)
{
    uint32_t done = 0;
    for (uint32_t h = 0; h < ISA_LANES; h += HALF) {
        uint32_t part = lanes >> h & 0xffff;
        bool shaped = part == 0xffff && load_shape(out + h, mem, addr + h, HALF, size, sign);
        done |= (shaped ? part : load_quarters(out + h, mem, addr + h, part, size, sign)) << h;
    }
    return done;
}

/* A load of the lanes in sm->access.addr into row `vd`. */
INLINE void load_lanes(struct sm *sm, uint32_t *vd, uint32_t lanes, unsigned size, bool sign)
{
    const struct access *a = announce(sm, lanes, size, false);
    const uint8_t *mem = sm->mem;
    if (lanes) announced(sm);
    _Alignas(64) uint32_t out[ISA_LANES];
    if (lanes == ~0u && load_shape(out, mem, a->addr, ISA_LANES, size, sign)) {
        LANE_LOOP vd[lane] = out[lane];
        return;
    }
    uint32_t left = lanes & ~load_halves(out, mem, a->addr, lanes, size, sign);
    if (left == ~0u) LANE_LOOP out[lane] = fetch_one(mem + a->addr[lane], size, sign);
    else
        for (; left; left &= left - 1)
            out[__builtin_ctz(left)] = fetch_one(mem + a->addr[__builtin_ctz(left)], size, sign);
    if (lanes == ~0u) {
        LANE_LOOP vd[lane] = out[lane];
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
    bool all = lanes == ~0u && store_shape(data, mem, a->addr, ISA_LANES, size);
    for (uint32_t h = 0; !all && h < ISA_LANES; h += HALF) {
        uint32_t part = lanes >> h & 0xffff;
        if (part == 0xffff && store_shape(data + h, mem, a->addr + h, HALF, size)) continue;
        for (; part; part &= part - 1) {
            uint32_t lane = h + (uint32_t)__builtin_ctz(part);
            put_one(mem + a->addr[lane], size, data[lane]);
        }
    }
    if (sm->reservations->count) end_reservations_of_access(sm);
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
    if (sm->reservations->count) end_reservations_of_access(sm);
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
