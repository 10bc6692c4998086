/* Reservations of lr.w: each lane of a warp has at most one, of a word, and whoever writes to the word ends it
 * (machine.h says whose writes are seen). Here is what lr.w and sc.w do once the addresses have been looked at: words
 * of the memory, `at` them. Inline because it is a part of translated code, too (translator/rows.c).
 *
 * Mostly one warp reserves words and stores to them before another one reserves some. Where others have reservations,
 * too, and a write may end some of them, all are counted by their words for a while, so that most words need not be
 * looked for: a word's number is a place in `of`, which it shares with few others. */
#ifndef VENTUS_SIM_RESERVE_H
#define VENTUS_SIM_RESERVE_H

#include "sim/machine.h"

/* Neighbours and words in a row have places of their own. */
static inline uint32_t reservation_place(uint32_t at)
{
    return at * 0x9e3779b1u >> (32 - __builtin_ctz(RESERVATION_PLACES));
}

#if defined(__clang__)
#define RESERVE_LANES \
    _Pragma("clang loop vectorize(enable) interleave_count(4) unroll(disable)") for (uint32_t lane = 0; \
                                                                                     lane < ISA_LANES; lane++)
#else
#define RESERVE_LANES for (uint32_t lane = 0; lane < ISA_LANES; lane++)
#endif

/* Return the lanes that have reserved the word at their address, and those that have reserved this word. */
static inline uint32_t reserved_theirs(const struct warp *w, const uint32_t *at)
{
    uint32_t lanes = 0;
    RESERVE_LANES lanes |= (uint32_t)(w->reserved[lane] == at[lane]) << lane;
    return lanes & w->reserved_lanes;
}

static inline uint32_t lanes_at(const uint32_t *at, uint32_t word)
{
    uint32_t lanes = 0;
    RESERVE_LANES lanes |= (uint32_t)(at[lane] == word) << lane;
    return lanes;
}

/* Returns the bits in which addresses of lanes differ. */
static inline uint32_t bits_that_differ(const uint32_t *at, uint32_t lanes)
{
    uint32_t bits = 0, first = at[lanes ? __builtin_ctz(lanes) : 0];
    RESERVE_LANES bits |= (at[lane] ^ first) & (0u - (lanes >> lane & 1));
    return bits;
}

/* Adds n to what is counted for the reservations of lanes. */
static inline void reserve_count(struct reservations *r, const struct warp *w, uint32_t lanes, uint32_t n)
{
    for (; lanes; lanes &= lanes - 1) r->of[reservation_place(w->reserved[__builtin_ctz(lanes)])] += n;
}

/* Ends the reservations of lanes, each of which has one. */
static inline void reserve_none(struct reservations *r, struct warp *w, uint32_t lanes)
{
    uint32_t n = (uint32_t)__builtin_popcount(lanes);
    if (r->counted) reserve_count(r, w, lanes, ~0u);
    w->reserved_lanes &= ~lanes;
    w->group->reservations -= n;
    r->count -= n;
    r->counted &= r->count != 0;
}

/* Lanes reserve the words at `at`, which hold `value`, instead of what they have reserved so far. */
static inline void reserve_lanes(struct reservations *r, struct warp *w, uint32_t lanes, const uint32_t *at,
                                 const uint32_t *value)
{
    uint32_t n = (uint32_t)__builtin_popcount(lanes & ~w->reserved_lanes);
    if (r->counted) reserve_count(r, w, lanes & w->reserved_lanes, ~0u);
    RESERVE_LANES
    {
        uint32_t here = 0u - (lanes >> lane & 1);
        w->reserved[lane] = (at[lane] & here) | (w->reserved[lane] & ~here);
        w->reserved_value[lane] = (value[lane] & here) | (w->reserved_value[lane] & ~here);
    }
    if (r->counted) reserve_count(r, w, lanes, 1);
    w->reserved_lanes |= lanes;
    w->group->reservations += n;
    r->count += n;
}

/* Returns those of the lanes that have just stored whose words may still be reserved. Often only lanes of the same warp
 * have reservations left: those for which another branch has led past sc.w, as when a comparison fails. */
static inline uint32_t reserve_others(const struct reservations *r, const struct warp *w, uint32_t stored,
                                      const uint32_t *at)
{
    uint32_t lanes = r->count ? stored : 0, shared = 0;
    if (lanes && r->count == (uint32_t)__builtin_popcount(w->reserved_lanes)) {
        for (uint32_t left = w->reserved_lanes; left; left &= left - 1)
            shared |= lanes_at(at, w->reserved[__builtin_ctz(left)]);
        return lanes & shared;
    }
    for (uint32_t left = r->counted ? lanes : 0; left; left &= left - 1)
        if (!r->of[reservation_place(at[__builtin_ctz(left)])]) lanes &= ~(left & -left);
    return lanes;
}

/* Lanes store `value` to the words at `at`, ascending, where they have a reservation: `failed` is 0 then, and 1
 * elsewhere. The word must also hold what lr.w has read, because stores of SMs on other host threads end no
 * reservations. `own`: nobody but this thread accesses the words. All of these lanes have no reservation any more; end
 * those of the lanes' words that are returned.
 *
 * Of lanes with the same word one stores. The others would find another number there, unless it has stored the same;
 * where the first one shares its word, they are left out in advance. */
static inline uint32_t reserve_store(struct reservations *r, struct warp *w, uint8_t *mem, uint32_t lanes,
                                     const uint32_t *at, const uint32_t *value, uint32_t *failed, bool own)
{
    uint32_t left = lanes & reserved_theirs(w, at), stored = 0;
    const uint32_t first = left & -left;
    const bool share = left & ~first && left & ~first & lanes_at(at, at[__builtin_ctz(left)]);
    reserve_none(r, w, lanes & w->reserved_lanes);
    while (left) {
        const uint32_t i = (uint32_t)__builtin_ctz(left), old = w->reserved_value[i];
        uint32_t *word = (uint32_t *)(mem + at[i]), found = old;
        left &= left - 1;
        if (own ? *word != old
                : !__atomic_compare_exchange_n(word, &found, value[i], false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
            continue;
        if (own) *word = value[i];
        stored |= 1u << i;
        if (share || value[i] == old) left &= ~lanes_at(at, at[i]);
    }
    RESERVE_LANES failed[lane] = ~stored >> lane & 1;
    return reserve_others(r, w, stored, at);
}

#endif
